"""The shipped workbooks are what the code makes today, and they show what they are there to show."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from openpyxl.utils import get_column_letter
from shipped import FILES, FOLDER, differing, labelled, make, parts, values

from gpusheet.catalog import Fx
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.workbook.book import Outcome, write
from gpusheet.workbook.budget_layout import FIRST, WORDS
from gpusheet.workbook.checks_sheet import FAILED, MASTER
from gpusheet.workbook.checks_sheet import WORDS as CHECK_WORDS
from gpusheet.workbook.examples import blocked_example
from gpusheet.workbook.inputs import sample
from gpusheet.workbook.layout import SHEETS
from gpusheet.workbook.reader import read_book

LANGUAGES = ("en", "zh")
BLOCKED = {"en": "blocked", "zh": "待补全"}

in_both = pytest.mark.parametrize("lang", LANGUAGES)


@pytest.fixture(scope="session")
def remade(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Outcome]]:
    folder = tmp_path_factory.mktemp("templates")
    return folder, make(folder)


def test_nothing_else_is_shipped() -> None:
    assert sorted(path.name for path in FOLDER.glob("*.xls*")) == sorted(FILES)


@pytest.mark.parametrize("file", FILES)
def test_a_shipped_book_is_what_the_code_makes(file: str, remade: tuple[Path, dict[str, Outcome]]) -> None:
    """Part by part, byte by byte, in the same order."""
    made, shipped = parts(remade[0] / file), parts(FOLDER / file)
    assert list(made) == list(shipped)
    changed = differing(made, shipped)
    assert not changed, f"{file} is out of date in {', '.join(changed)}: run `python templates/make.py`"


def test_a_changed_number_is_seen(tmp_path: Path, remade: tuple[Path, dict[str, Outcome]]) -> None:
    """The comparison is worth something: one price more, and the sheets that show it differ, no other part."""
    inputs = sample()
    first, *others = inputs.catalog.prices
    dearer = first.model_copy(update={"price": first.price + 0.01})
    write(replace(inputs, catalog=replace(inputs.catalog, prices=(dearer, *others))), tmp_path / "dearer.xlsx")
    made, as_ever = parts(tmp_path / "dearer.xlsx"), parts(remade[0] / "example.en.xlsx")
    # no workload is on this price: it changes itself, the lists of quotes, and the digest of the inputs
    sheets = {f"xl/worksheets/sheet{list(SHEETS).index(name) + 1}.xml" for name in ("Prices", "Quotes", "PriceBridge")}
    assert set(differing(made, as_ever)) == {*sheets, "docProps/custom.xml"}


@in_both
def test_the_template_is_empty_and_ready(lang: str) -> None:
    read = read_book(FOLDER / f"gpusheet-template.{lang}.xlsx")
    assert (read.lang, read.months, len(read.inputs.workloads), len(read.inputs.other_costs)) == (lang, 12, 0, 0)
    assert read.lines >= 5
    assert len(read.inputs.catalog.gpus) > 50 and len(read.inputs.catalog.prices) > 100
    assert (read.lost, read.warnings) == ((), ())
    shown = values(f"gpusheet-template.{lang}.xlsx")["Checks"]
    assert (shown[MASTER].value, shown[FAILED].value) == (CHECK_WORDS[lang]["good"], 0)


@in_both
def test_the_sample_passes_its_checks(lang: str, remade: tuple[Path, dict[str, Outcome]]) -> None:
    outcome = remade[1][f"example.{lang}.xlsx"]
    assert outcome.checks_failed == 0 and outcome.messages == []
    assert outcome.total is not None and outcome.total > 1_000_000
    checks = values(f"example.{lang}.xlsx")["Checks"]
    assert (checks[MASTER].value, checks[FAILED].value) == (CHECK_WORDS[lang]["good"], 0)
    (total,) = labelled(f"example.{lang}.xlsx", "Budget", "B", WORDS[lang]["grand"])[:1]
    assert total["H"] == outcome.total


@in_both
def test_the_blocked_example_says_what_is_missing(lang: str, remade: tuple[Path, dict[str, Outcome]]) -> None:
    outcome = remade[1][f"example-blocked.{lang}.xlsx"]
    assert (outcome.total, outcome.checks_failed) == (None, 3)
    begins = {
        "en": ["Workloads without a price: 2. Add the price", "Workloads whose price has no exchange rate: 1. FX has no rate above 0",
               "Months without a budget total: 12. A workload or cost has no number"],
        "zh": ["没有价格的业务: 2. 在 Prices 中补充", "缺少汇率的业务: 1. 在 FX 中填写", "没有预算合计的月份: 12. 上方检查"],
    }[lang]  # fmt: skip
    assert len(outcome.messages) == len(begins)
    assert all(said.startswith(start) for said, start in zip(outcome.messages, begins, strict=True)), outcome.messages
    assert values(f"example-blocked.{lang}.xlsx")["Checks"][MASTER].value == CHECK_WORDS[lang]["bad"]


@in_both
def test_every_total_of_money_is_blocked_and_no_other(lang: str) -> None:
    file, words = f"example-blocked.{lang}.xlsx", WORDS[lang]
    summary = values(file)["Summary"]
    heads = {cell.value: cell.column_letter for cell in summary[6]}
    (total,) = labelled(file, "Summary", "B", words["total"])
    assert total[heads["monthly_cost"]].startswith(BLOCKED[lang])
    assert total[heads["card_tier"]] == total[heads["net_cards"]] == 76  # cards do not depend on prices

    months = [get_column_letter(FIRST + month) for month in range(12)]
    rows = {name: labelled(file, "Budget", "B", words[name]) for name in ("total", "gpu", "contingency", "grand")}
    *cards, cost = rows.pop("total")
    assert len(cards) == 3
    assert cost["I"] == f"{BLOCKED[lang]} 3"  # a month says how many workloads have no cost
    for row in cards:
        assert all(isinstance(row[column], int | float) and row[column] > 0 for column in ("H", *months))
    for row in (cost, *chain(*rows.values())):
        assert all(str(row[column]).startswith(BLOCKED[lang]) for column in ("H", *months)), row
        assert all(_not_a_number(row.get(column)) for column in ("V", "W", "X")), row  # the fiscal years
    for row in labelled(file, "Budget", "B", words["other_total"]):
        assert (row["H"], row["I"], row["K"]) == (52000, 11000, 3000)  # typed costs need no price
    assert any(str(value).startswith(BLOCKED[lang]) for (value,) in values(file)["Cover"].iter_rows(
        min_col=2, max_col=2, values_only=True))  # fmt: skip


@in_both
def test_a_missing_price_is_nowhere_a_zero(lang: str) -> None:
    file = f"example-blocked.{lang}.xlsx"
    lookup, sizing, summary = (values(file)[name] for name in ("Lookup", "Sizing", "Summary"))
    lacking = ("F", "G", "H")  # the second to fourth workload
    assert [lookup[f"{column}6"].value for column in ("E", *lacking)] == ["ok"] * 4
    for sheet, names in (
        (lookup, ("unit_price",)), (sizing, ("hourly_cost", "monthly_cost", "cost_per_million_output_tokens")),
    ):  # fmt: skip
        rows = {sheet.cell(row, 1).value: row for row in range(8, sheet.max_row + 1)}
        for name in names:
            assert _positive(sheet[f"E{rows[name]}"].value), name
            if name != "hourly_cost":
                assert [sheet[f"{column}{rows[name]}"].value for column in lacking] == [None] * 3, name
    heads = {cell.value: cell.column for cell in summary[6]}
    costs = [summary.cell(row, heads["monthly_cost"]).value for row in range(7, 11)]
    assert _positive(costs[0]) and costs[1:] == [None] * 3
    of_month = [row for row in labelled(file, "Budget", "C", "ok") if row.get("D") in PRICING_MODELS]
    assert len(of_month) == 4
    assert all(_positive(of_month[0][column]) for column in ("H", "I", "T"))
    for row in of_month[1:]:
        assert all(column not in row for column in ("H", "I", "J", "T", "V", "W")), row


def test_what_the_blocked_example_lacks_is_all_it_lacks(tmp_path: Path) -> None:
    """Two prices and a rate, and there is a total."""
    inputs = blocked_example()
    like = next(price for price in inputs.catalog.prices if (price.gpu, price.period) == ("H20-96G", "month"))
    prices = (
        *inputs.catalog.prices,
        like.model_copy(update={"pricing_model": "reserved", "price": 4000.0}),
        like.model_copy(update={"gpu": "Ascend910B2", "price": 3000.0}),
    )
    rate = Fx(currency="USD", budget_currency="CNY", rate=7.0, rate_date=like.snapshot_date, source="for this test")
    for fx, complete in (((), False), ((rate,), True)):
        mended = replace(inputs, catalog=replace(inputs.catalog, prices=prices, fx=fx))
        outcome = write(mended, tmp_path / "mended.xlsx", force=True)
        assert (outcome.total is not None, outcome.checks_failed == 0) == (complete, complete)


@in_both
def test_the_blocked_example_shows_on_every_tab_that_it_is_wrong(lang: str) -> None:
    """The sheets are all there in the order of the tabs, and the cover repeats the master check."""
    book = values(f"example-blocked.{lang}.xlsx")
    assert book.sheetnames == list(SHEETS)
    cover = {row[0]: row[1] for row in book["Cover"].iter_rows(max_col=2, values_only=True)}
    assert cover[CHECK_WORDS[lang]["master"]] == CHECK_WORDS[lang]["bad"]
    assert cover[CHECK_WORDS[lang]["failed"]] == 3


def _positive(value: Any) -> bool:
    return isinstance(value, int | float) and value > 0


def _not_a_number(value: Any) -> bool:
    return not isinstance(value, int | float)
