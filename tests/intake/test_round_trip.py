"""What a program fills in reads back the same, by either way of reading, and as the row types themselves would read it."""

from __future__ import annotations

import datetime
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook
from sheets_made import DAY, HEADER, book, line

from gpusheet.catalog import Price, columns
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.intake import xlsx
from gpusheet.intake.reader import read_table
from gpusheet.intake.sheets import Sheet, open_file

NAMES = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "Pd", "Zs", "So"), exclude_characters="\u3000\xa0"),
    min_size=1,
    max_size=20,
)
PLAIN = NAMES.map(lambda text: "t" + " ".join(text.split()) + "t")  # x-x and the like stand for no value
# spreadsheets keep 15 digits, and openpyxl writes 16
POSITIVE = st.floats(min_value=0.0001, max_value=1e7).map(lambda number: float(f"{number:.15g}"))
PRICES = st.builds(
    Price,
    snapshot_date=st.dates(datetime.date(2020, 1, 1), datetime.date(2090, 1, 1)),
    price_list=PLAIN,
    listing=st.none() | PLAIN,
    gpu=PLAIN,
    cards=st.integers(1, 16),
    price=POSITIVE,
    currency=st.sampled_from(["CNY", "USD", "EUR", "XYZ"]),
    per=st.sampled_from(["card", "instance"]),
    period=st.sampled_from(["hour", "month"]),
    pricing_model=st.sampled_from(PRICING_MODELS),
    tax=st.sampled_from(["included", "excluded", "unstated"]),
    available=st.sampled_from(["yes", "no", "unknown"]),
    source=PLAIN,
    notes=st.none() | PLAIN,
)


def filled(path: Path, rows: list[Price]) -> Path:
    names = [c.name for c in columns(Price)]
    return book(path / "filled.xlsx", [names, *[[getattr(row, name) for name in names] for row in rows]])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PRICES, min_size=1, max_size=12))
def test_rows_read_back_exactly(rows: list[Price]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = read_table(filled(Path(folder), rows), Price)
    assert table.rows == rows
    assert all(isinstance(row, Price) and row.model_fields_set for row in table.rows)
    assert (table.present, table.reported) == (len(rows), 0)


def test_a_template_filled_by_a_program(tmp_path: Path) -> None:
    from gpusheet.workbook.book import write
    from gpusheet.workbook.examples import template

    path = tmp_path / "template.xlsx"
    write(template("zh"), path, lang="zh")
    opened = load_workbook(path)
    sheet = opened["Prices"]
    table = sheet.tables["Prices"]
    first = int("".join(one for one in table.ref.partition(":")[0] if one.isdigit()))
    at = {sheet.cell(first, column).value: column for column in range(1, sheet.max_column + 1)}
    rows = [
        Price(
            snapshot_date=DAY,
            price_list="甲/华东",
            gpu="L20",
            cards=1 + row % 8,
            price=1.5 + row / 8,
            currency="CNY",
            per="card",
            period="hour",
            pricing_model="on_demand",
            tax="included",
            source=f"报价单-{row}",
            listing=f"项 {row}",
        )
        for row in range(40)
    ]
    for number, row in enumerate(rows, first + 1):
        for name, value in dict(row).items():
            sheet.cell(number, at[name]).value = value
    opened.save(path)
    read = read_table(path, Price, sheet="Prices")
    assert read.rows[: len(rows)] == rows
    assert not read.errors


def test_rows_equal_those_of_the_row_type(tmp_path: Path) -> None:
    (row,) = read_table(book(tmp_path / "a.xlsx", [HEADER, line()]), Price).rows
    same = Price(
        snapshot_date="2026-11-01",
        price_list="甲",
        gpu="H20",
        cards=1,
        price=13.94,
        currency="CNY",
        per="card",
        period="hour",
        pricing_model="on_demand",
        tax="included",
        source="报价单-12",
    )
    assert row == same and hash(row) == hash(same) and row.model_dump() == same.model_dump()
    assert row.model_copy(update={"price": 1.0}).price == 1 and Price.model_validate(row.model_dump()) == row
    with pytest.raises(Exception, match="frozen"):
        row.price = 2.0


def cells_of(sheet: Sheet) -> dict[tuple[int, int], Any]:
    return {
        (number, column): value.isoformat()[:10] if isinstance(value, datetime.date) else value
        for number, cells in zip(sheet.numbers, sheet.lines, strict=True)
        for column, value in enumerate(cells, 1)
        if value is not None
    }


def test_both_ways_of_reading_give_the_same_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        [
            DAY,
            datetime.datetime(2026, 11, 1, 9, 30),
            1,
            2.5,
            -3,
            1e-7,
            1e300,
            True,
            False,
            "text",
            " a b ",
            "1,020",
            "x\ny",
            "é漢😀",
            "_x",
        ],
        [None, None, "", 0, 123456789012345],
    ]
    path = book(tmp_path / "b.xlsx", rows)
    slow = open_file(path).sheets()[0]
    monkeypatch.setattr(xlsx, "LARGE", 0)
    fast = open_file(path).sheets()[0]
    assert cells_of(fast) == cells_of(slow)


@pytest.mark.parametrize(
    "what", ["formula", "hidden row", "hidden column", "merged", "error", "percent", "far", "1904", "comment"]
)
def test_what_only_the_xml_tells_is_never_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    def change(sheet: Any) -> None:
        if what == "formula":
            sheet["E2"] = "=1+1"
        elif what == "hidden row":
            sheet.row_dimensions[2].hidden = True
        elif what == "hidden column":
            sheet.column_dimensions["B"].hidden = True
        elif what == "merged":
            sheet.merge_cells("A2:A3")
        elif what == "error":
            sheet["E2"] = "#REF!"
        elif what == "percent":
            sheet["E2"].number_format = "0%"
        elif what == "far":
            sheet["AB2"] = 1
        elif what == "1904":
            from openpyxl.utils.datetime import CALENDAR_MAC_1904

            sheet.parent.epoch = CALENDAR_MAC_1904
        else:
            sheet["E2"] = "<!-- no comment -->"

    path = book(tmp_path / "w.xlsx", [HEADER, line(), line()], change)
    slow = open_file(path).sheets()[0]
    monkeypatch.setattr(xlsx, "LARGE", 0)
    asked: list[str] = []
    from python_calamine import CalamineWorkbook

    monkeypatch.setattr(
        xlsx.Workbook, "_calamine", property(lambda self: asked.append(what) or CalamineWorkbook.from_path(path))
    )
    fast = open_file(path).sheets()[0]
    assert cells_of(fast) == cells_of(slow) and fast.hidden_rows == slow.hidden_rows and fast.merges == slow.merges
    assert dict(fast.formats) == dict(slow.formats) and list(fast.formulas) == list(slow.formulas)
    assert bool(asked) == (what == "comment")
