"""A finding names the place, what stands there, what it was taken for, and what to type or to do, in both languages."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from kinds import HEAD, row
from provider_files import TODAY, counts, taken
from sheets_made import DAY, book

from gpusheet.catalog import Price
from gpusheet.intake.checking import check_file
from gpusheet.intake.findings import CannotRead, Finding
from gpusheet.intake.importers import Imported, Options, read_prices
from gpusheet.intake.reader import read_table

SHORT = ["日期", "供应商", "型号", "元/卡时"]


def found(path: Path, code: str) -> Finding:
    [one] = [one for one in read_table(path, Price).findings if one.code == code]
    return one


def imported(folder: Path, *rows: Any, **options: Any) -> Imported:
    return read_prices(book(folder / "quote.xlsx", rows), Options(**{"today": TODAY} | options))


def test_what_a_header_scales_shows_the_first_number(tmp_path: Path) -> None:
    header = [*SHORT[:3], "价格（万元/台月）", "卡数"]
    one = found(book(tmp_path / "q.xlsx", [header, [DAY, "甲", "H20", "面议", 8], [DAY, "甲", "H20", 7.5, 8]]), "header-scale")
    assert one.line() == "q.xlsx Sheet!D3: the header '价格(万元/台月)' says that prices are counted in 10000: 7.5 is read as 75000"
    assert one.line("zh") == "q.xlsx Sheet!D3：标题“价格(万元/台月)”表示以 10000 为单位：7.5 读作 75000"


def test_a_unit_over_the_header_that_no_header_repeats_is_refused(tmp_path: Path) -> None:
    path = book(tmp_path / "q.xlsx", [["单位：万元"], [*SHORT[:3], "价格(台/月)", "卡数"], [DAY, "甲", "H20", 7.5, 8]])
    with pytest.raises(CannotRead) as refused:
        read_table(path, Price)
    [one] = refused.value.findings
    assert one.line() == ("q.xlsx Sheet!A1: found '单位：万元', and no header says so; write '万元' into the header of the price, or "
                          "delete the line if the numbers are in full")  # fmt: skip


@pytest.mark.parametrize(("rows", "words"), [(1, "the row under it is not read"), (3, "the 3 rows under it are not read")])
def test_a_second_table_is_told_with_its_rows(tmp_path: Path, rows: int, words: str) -> None:
    path = book(tmp_path / "q.xlsx", [SHORT, [DAY, "甲", "H20", 13.94], [*SHORT[:3], "$/卡时"], *[[DAY, "a", "L20", 2]] * rows])
    table = read_table(path, Price)
    one = found(path, "other-header")
    assert (one.place.cell, one.raw) == ("A3", "日期")
    assert f"found another header than in row 1; {words}" in one.en and f"其下 {rows} 行未读入" in one.zh
    assert (table.present, table.reported) == (1 + rows, rows)


def test_a_number_among_decimal_commas_may_be_a_thousand_times_more(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("date;provider;gpu;EUR/GPU/month\n2026-11-13;a;H100;12,5\n2026-11-13;a;L20;1.234\n", encoding="utf-8")
    lines = [one.line() for one in read_table(path, Price).errors]
    assert lines == [
        "q.csv D2: found '12,5', which can be read in two ways; type 12.5 or 125",
        "q.csv D3: found '1.234', which can be read in two ways, as others here have a decimal comma; type 1234 or 1.234",
    ]
    path.write_text("date;provider;gpu;EUR/GPU/month\n2026-11-13;a;H100;12.5\n2026-11-13;a;L20;1.234\n", encoding="utf-8")
    assert [one.price for one in read_table(path, Price).rows] == [12.5, 1.234]


def test_a_second_sheet_that_fits_is_named(tmp_path: Path) -> None:
    def more(sheet: Any) -> None:
        other = sheet.parent.create_sheet("2026")
        other.append(SHORT)
        other.append([DAY, "甲", "H20", 13.94])

    path = book(tmp_path / "q.xlsx", [SHORT, [DAY.replace(year=2025), "甲", "H20", 20]], more)
    one = found(path, "other-sheet")
    assert (one.severity, one.place.sheet) == ("warning", "2026") and "name the other by --sheet" in one.en and "--sheet" in one.zh
    assert [row.price for row in read_table(path, Price, sheet="2026").rows] == [13.94]
    assert [one.sheet for one in check_file(path, TODAY).tables] == ["Sheet", "2026"]  # check reads them all


def test_findings_about_days_name_the_cell_of_the_day(tmp_path: Path) -> None:
    rows = [[13.94, "H20", datetime.date(2030, 1, 1), "甲"], [4, "L20", datetime.date(2024, 1, 1), "甲"], [3, "A10", "11月1日", "甲"]]
    checked = check_file(book(tmp_path / "q.xlsx", [["元/卡时", "型号", "日期", "供应商"], *rows]), TODAY)
    cells = {one.code: one.place.cell for one in checked.findings}
    assert {name: cells[name] for name in ("future-date", "stale-date", "not-a-date")} == {
        "future-date": "C2", "stale-date": "C3", "not-a-date": "C4"}  # fmt: skip


def test_headings_in_another_currency(tmp_path: Path) -> None:
    one = found(book(tmp_path / "q.xlsx", [SHORT, [DAY, "甲", "H20", 13.94], ["海外(USD)"], [DAY, "a", "H20", 2]]), "other-currency")
    assert one.place.cell == "A3" and "says USD, while the header says CNY; all rows are read as CNY" in one.en
    assert "写的是 USD，而标题为 CNY" in one.zh


def test_columns_that_may_be_what_is_paid(tmp_path: Path) -> None:
    rows = [[*SHORT, "底价(元/卡时)"], [DAY, "甲", "H20", 13.94, 9]]
    path = book(tmp_path / "quote.xlsx", rows)
    one = found(path, "price-not-read")
    assert (one.severity, one.place.cell, one.raw) == ("warning", "E1", "底价(元/卡时)") and "only 元/卡时 is taken" in one.en
    named = imported(tmp_path, *rows, mapping={"底价(元/卡时)": "price", "元/卡时": ""})
    assert taken(named, "price") == [(9,)] and "price-not-read" not in {one.code for one in named.findings}


def test_prices_under_headers_that_are_not_known(tmp_path: Path) -> None:
    path = book(tmp_path / "q.xlsx", [[*SHORT[:3], "市面(元/卡时)", "内部(元/卡时)"], [DAY, "甲", "H20", 13.94, 9]])
    one = found(path, "no-column")
    assert "if it is '市面(元/卡时)', '内部(元/卡时)', head it 'price', or name it (prices import: --map price=COLUMN)" in one.en
    assert "如果就是“市面(元/卡时)”或“内部(元/卡时)”，请把标题改为“价格”" in one.zh
    table = read_table(path, Price, mapping={"市面(元/卡时)": "price"})
    assert [row.price for row in table.rows] == [13.94]


def test_one_offer_in_two_terms(tmp_path: Path) -> None:
    both = imported(tmp_path, ["日期", "供应商", "型号", "USD/卡时", "CNY/卡时"], [DAY, "a", "H20", 2, 14.2])
    [one] = [one for one in both.findings if one.code == "other-terms"]
    assert (one.place.cell, one.raw) == ("E2", "14.2") and "as in D2, in other terms (CNY instead of USD)" in one.en
    header = [*HEAD, "卡数", "计价单位"]
    rows = [[*row(), 1, "卡"], [*row(111), 8, "卡"]]
    [one] = [one for one in imported(tmp_path, header, *rows).findings if one.code == "other-terms"]
    assert "(8 instead of 1)" in one.en and "条件不同（8，而不是1）" in one.zh
    apart = imported(tmp_path, [*header, "报价项"], *([*cells, f"规格{number}"] for number, cells in enumerate(rows)))
    assert not [one for one in apart.findings if one.code == "other-terms"]


@pytest.mark.parametrize(
    ("name", "memory", "cards", "gpu"),
    [("A100", "40G", 1, "A100-40G-SXM"), ("A100", "80 GB", 1, "A100-80G-SXM"), ("A100", 40, 1, "A100-40G-SXM"),
     ("A100", "8*40GB", 8, "A100-40G-SXM"), ("A100", "640G", 8, "A100-80G-SXM"), ("H100", "80GB HBM3", 1, "H100-80G-SXM"),
     ("H20", None, 1, "H20-96G"), ("H20", "大", 1, "H20-96G"), ("A100", "48G", 1, None), ("A100", "48G", 8, None)],
)  # fmt: skip
def test_the_memory_beside_a_card_tells_which_it_is(
    name: str, memory: Any, cards: int, gpu: str | None, tmp_path: Path
) -> None:
    made = imported(tmp_path, [*SHORT, "显存", "卡数"], [DAY, "甲", name, 6.9, memory, cards])
    assert taken(made, "gpu") == ([(gpu,)] if gpu else []) and counts(made) == (1, int(bool(gpu)), int(not gpu), 0)
    assert not [one for one in made.findings if one.code == "columns-not-used"]
    if gpu is None:
        [one] = [one for one in made.findings if one.code == "unknown-gpu"]
        assert one.place.cell == "C2" and "A100-80G-SXM has 80 GB" in one.en
