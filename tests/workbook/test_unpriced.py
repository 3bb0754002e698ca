"""A line of a price list without a price: it goes into the new book as it stands, and blocks what would take it."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from editing import MONTHS, edited, put, reread, small

from gpusheet.catalog import BadRow, Catalog, Price, Unpriced
from gpusheet.lookup import look_up
from gpusheet.workbook.book import build, write
from gpusheet.workbook.evaluate import Values, evaluate
from gpusheet.workbook.inputs import Inputs
from gpusheet.workbook.price_update import write_updated
from gpusheet.workbook.reader import ReadBook, read_book

PLACEHOLDERS = ["面议", "TBD", "call", "-", "- - -", "***", "N/A", "待定", None]
INDEX = next(i for i, one in enumerate(small().catalog.prices) if (one.price_list, one.gpu) == ("gongjiyun", "L20"))
ROW = 7 + INDEX  # of the only price that the workload bot can take
PRICE = f"Prices!F{ROW} (price)"

pytestmark = pytest.mark.usefixtures("without_decisions")


def rewritten(read: ReadBook, path: Path) -> tuple[Path, float | None, list[str]]:
    new = path.with_name("new.xlsx")
    made = write(
        read.inputs, new, lang=read.lang, months=MONTHS, spare=0, extra_columns=read.extra_columns, extra_sheets=read.carried
    )
    return new, made.total, made.messages


def why(inputs: Inputs) -> str:
    """Why the workload bot has no price; '' where it has one."""
    return "; ".join(look_up(inputs.workloads[0], inputs.context).missing)


@pytest.mark.parametrize("text", PLACEHOLDERS, ids=ascii)
def test_the_text_stays_and_what_needs_the_price_is_blocked(text: str | None, path: Path) -> None:
    read = reread(path, put(**{f"Prices_F{ROW}": text}))
    found = f"found {text!r}: the price is missing" if text else "the price is blank"
    assert read.warnings == (f"{PRICE}: {found}, so the row is not read; type the price once it is known; a total that needs it "
                             "is blocked",)  # fmt: skip
    prices = small().catalog.prices
    assert read.inputs.catalog.prices == (*prices[:INDEX], *prices[INDEX + 1 :])
    [one] = read.inputs.catalog.unpriced
    assert (one.index, one.typed, one.place) == (INDEX, text, PRICE)
    assert f"as {PRICE} holds {'a blank' if text is None else repr(text)}; type the price there" in why(read.inputs)
    new, total, messages = rewritten(read, path)
    assert total is None and any(line.startswith("Workloads without a price: ") for line in messages)
    sheet: Any = openpyxl.load_workbook(new)["Prices"]
    assert [sheet[f"{letter}{ROW}"].value for letter in "BDFG"] == ["gongjiyun", "L20", text, "CNY"]
    assert sheet[f"F{ROW}"].data_type == ("n" if text is None else "s")
    again = read_book(new)
    assert (again.inputs, again.lost) == (read.inputs, ())


def test_a_line_that_says_nothing_but_the_card_does_not_stop_the_run(path: Path) -> None:
    blank = {f"Prices_{letter}{ROW}": None for letter in "ABCEGHIJKLM"}
    read = reread(path, put(**{f"Prices_F{ROW}": "面议"} | blank))
    assert len(read.warnings) == 1
    new, _, _ = rewritten(read, path)
    sheet: Any = openpyxl.load_workbook(new)["Prices"]
    values = [sheet.cell(ROW, column).value for column in range(1, 14)]
    assert [value for value in values if value is not None] == ["L20", "面议", "unknown"]
    assert read_book(new).inputs == read.inputs


def test_what_is_wrong_beside_the_missing_price_is_an_error(path: Path) -> None:
    with pytest.raises(BadRow) as refused:
        reread(path, put(**{f"Prices_F{ROW}": "面议", f"Prices_A{ROW}": "soon", f"Prices_E{ROW}": 0.5}))
    assert [line.partition(",")[0] for line in refused.value.lines] == [
        f"Prices!A{ROW} (snapshot_date): found 'soon'", f"Prices!E{ROW} (cards): found 0.5"]  # fmt: skip


def test_zero_and_negative_prices_are_errors(path: Path) -> None:
    for value, words in ((0, "if it is free of charge"), (-4, "allowed a number above 0")):
        with pytest.raises(BadRow, match=words):
            reread(path, put(**{f"Prices_F{ROW}": value}))


def test_comments_and_own_columns_stay_with_their_rows(path: Path) -> None:
    def edit(book: Any) -> None:
        sheet = book["Prices"]
        table = sheet.tables["Prices"]
        letter = openpyxl.utils.get_column_letter(openpyxl.utils.range_boundaries(table.ref)[2] + 1)
        sheet[f"{letter}6"] = "buyer"
        for row in range(7, 17):
            sheet[f"{letter}{row}"] = f"buyer {row}"
        sheet[f"F{ROW}"] = "面议"
        sheet[f"F{ROW}"].comment = openpyxl.comments.Comment("ask Li", "Wang")
        sheet[f"F{ROW + 1}"].comment = openpyxl.comments.Comment("agreed", "Wang")

    read = reread(path, edit)
    new, _, _ = rewritten(read, path)
    sheet: Any = openpyxl.load_workbook(new)["Prices"]
    column = next(cell.column_letter for cell in sheet[6] if cell.value == "buyer")
    assert [sheet[f"{column}{row}"].value for row in range(7, 17)] == [f"buyer {row}" for row in range(7, 17)]
    assert (sheet[f"F{ROW}"].comment.text, sheet[f"F{ROW + 1}"].comment.text) == ("ask Li", "agreed")


# --- which totals need it ---

DAY = small().catalog.prices[INDEX].snapshot_date
LATER, EARLIER = DAY + datetime.timedelta(1), DAY - datetime.timedelta(1)


def with_line(**changes: Any) -> Inputs:
    """The small budget with one more line for L20, without a price."""
    line = small().catalog.prices[INDEX].model_copy(update={"price": "面议"} | changes)
    catalog = replace(small().catalog, unpriced=(Unpriced(2, "Prices!F9 (price)", line),))
    return replace(small(), catalog=catalog)


@pytest.mark.parametrize(
    ("changes", "listing", "blocked"),
    [
        ({"snapshot_date": LATER}, None, True),
        ({"snapshot_date": DAY}, None, True),
        ({"snapshot_date": EARLIER}, None, False),
        ({"snapshot_date": None}, None, True),
        ({"snapshot_date": datetime.date(2026, 11, 30)}, None, False),  # after the day as of which prices are asked for
        ({"snapshot_date": LATER, "listing": "spare"}, None, True),
        ({"snapshot_date": LATER, "listing": "spare"}, "usual", False),
        ({"snapshot_date": LATER, "listing": "USUAL"}, "usual", True),
        ({"snapshot_date": LATER, "gpu": "H20-96G"}, None, False),
        ({"snapshot_date": LATER, "pricing_model": "spot"}, None, False),
        ({"snapshot_date": LATER, "price_list": "GongJiYun"}, None, True),
        ({"snapshot_date": LATER, "price_list": None}, None, False),
    ],
    ids=str,
)
def test_only_a_line_that_may_be_the_newest_blocks(changes: Mapping[str, Any], listing: str | None, blocked: bool) -> None:
    inputs = with_line(**changes)
    if listing is not None:
        prices = [*inputs.catalog.prices]
        prices[INDEX] = prices[INDEX].model_copy(update={"listing": listing})
        workload = inputs.workloads[0].model_copy(update={"listing": listing})
        inputs = replace(inputs, catalog=replace(inputs.catalog, prices=prices), workloads=(workload,))
    assert ("Prices!F9" in why(inputs)) is blocked
    found = inputs.catalog.find_price("L20", "on_demand", inputs.settings.as_of, "gongjiyun", listing)
    assert (found is None) is blocked
    built = build(inputs, "en", 1)
    values = evaluate(built.book)
    price = values.at("Lookup", f"E{built.lookup.rows['unit_price']}")
    assert price == ("" if blocked else 4.0)
    row = values.at("Lookup", f"E{built.lookup.rows['chosen_blocking']}")
    assert row == float(blocked)


def test_without_a_day_for_prices_the_newest_line_counts_though_it_has_no_price() -> None:
    settings = small().settings.model_copy(update={"as_of": None})
    inputs = replace(with_line(snapshot_date=datetime.date(2026, 11, 30)), settings=settings)
    assert inputs.context.price_date == datetime.date(2026, 11, 30) and "Prices!F9" in why(inputs)
    built = build(inputs, "en", 1)
    values: Values = evaluate(built.book)
    assert values.at("Lookup", f"E{built.lookup.rows['unit_price']}") == ""


def test_the_digest_tells_books_apart() -> None:
    assert small().digest != with_line().digest != with_line(listing="x").digest


# --- once the price is known ---


def test_an_update_fills_the_price_in(path: Path) -> None:
    edited(path, put(**{f"Prices_F{ROW}": "面议", "Assumptions_C10": None}))
    new = small().catalog.prices[INDEX].model_copy(update={"price": 3.5, "snapshot_date": datetime.date(2026, 12, 1)})
    made = write_updated(path, [new])
    assert [(line.became, line.row, line.percent) for line in made.lines] == [("changed", ROW, None)]
    read = read_book(path)
    assert read.inputs.catalog.unpriced == () and read.inputs.catalog.prices[INDEX] == new and why(read.inputs) == ""


def test_an_update_passes_over_a_line_that_does_not_say_of_what(path: Path) -> None:
    blank = {f"Prices_{letter}{ROW}": None for letter in "ABJ"}
    edited(path, put(**{f"Prices_F{ROW}": "面议", "Assumptions_C10": None} | blank))
    new: Price = small().catalog.prices[INDEX].model_copy(update={"price": 3.5})
    assert [line.became for line in write_updated(path, [new]).lines] == ["added"]


def test_a_catalog_as_it_comes_has_no_such_line() -> None:
    assert Catalog.builtin().unpriced == () and Catalog.builtin().price_lines == list(Catalog.builtin().prices)
