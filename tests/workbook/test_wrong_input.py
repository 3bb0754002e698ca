"""A wrong input is never a wrong number: the master check is red, the total that rests on it is blocked, no cell is an error."""

from __future__ import annotations

import datetime
import re
from functools import cache
from typing import Any

import pytest
from lean_inputs import lean
from live_book import Edit, LiveBook
from openpyxl.workbook.workbook import Workbook

from gpusheet.catalog import Assumptions, Column, columns
from gpusheet.catalog.settings import DECISIONS, Settings
from gpusheet.constants import NAMED
from gpusheet.workbook.book import Built, build
from gpusheet.workbook.catalog_sheets import PRICE_COLUMNS
from gpusheet.workbook.evaluate import Values, evaluate
from gpusheet.workbook.inputs import sample


def cell_of(book: Workbook, table: str, built: Built, row: int, column: str) -> Any:
    placed = built.placed[table]
    return book[placed.sheet][f"{placed.letters[column]}{placed.first + row - 1}"]


@cache
def live(small: bool) -> LiveBook:
    return LiveBook(lean(sample("en"), 2)) if small else LiveBook(sample("en"), spare=5)


def edited(edit: Edit, small: bool = False) -> tuple[Built, Values]:
    return live(small).built, live(small).edited(edit)


def test_an_edit_gives_what_a_book_so_made_gives_and_is_taken_back() -> None:
    def edit(book: Workbook, built: Built) -> None:
        cell_of(book, "Workloads", built, 1, "requests_per_day").value = 123456
        cell_of(book, "Workloads", built, 2, "cards").value = None
        cell_of(book, "Prices", built, 92, "snapshot_date").value = datetime.date(2026, 10, 20)
        cell_of(book, "GPUs", built, 12, "link").value = "nvlink"

    one = live(small=False)
    before, found = one.values, one.edited(edit)
    built = build(sample("en"), "en", 3, spare=5)
    edit(built.book, built)
    assert found == evaluate(built.book) != before
    assert one.values == before


def verdict(built: Built, values: Values) -> tuple[bool, bool]:
    """Whether the master check is red, and whether the budget total is blocked."""
    total = values.at("Budget", f"H{built.budget.rows['grand']}")
    return values.at("Checks", "D3") != "OK", isinstance(total, str)


FIELDS = {column.name: column for column in (*columns(Settings), *columns(Assumptions))}


def wrong_values() -> list[tuple[str, Any]]:
    """For every setting and assumption what its field does not allow."""
    found: list[tuple[str, Any]] = []
    for column in FIELDS.values():
        if column.required or column.default is not None:
            found += [(column.name, None)] if column.kind != "text" else []
        if column.kind in ("number", "date", "choice"):
            found.append((column.name, "abc"))
        if column.kind == "number":
            found += [(column.name, value) for value in _beyond(column)]
    return found


def _beyond(column: Column) -> list[float]:
    low = column.gt if column.gt is not None else column.ge - 1 if column.ge is not None else None
    high = column.lt if column.lt is not None else column.le + 1 if column.le is not None else None
    return [value for value in (low, high, 1.5 if column.whole else None) if value is not None]


@pytest.mark.parametrize(("name", "value"), wrong_values(), ids=str)
def test_a_wrong_assumption_blocks_the_total_that_rests_on_it(name: str, value: Any) -> None:
    def edit(book: Workbook, built: Built) -> None:
        sheet = book["Assumptions"]
        row = next(r for r in range(1, sheet.max_row) if sheet[f"A{r}"].value == name)
        sheet[f"C{row}"].value = value

    built, values = edited(edit, small=True)
    assert verdict(built, values) == (True, FIELDS[name].group != DECISIONS)
    assert values.errors() == {}


def test_the_total_rests_on_all_but_what_the_sheets_of_decisions_read() -> None:
    built = live(small=True).built
    rows = {built.book["Assumptions"].cell(row, 1).value: row for row in range(built.book["Assumptions"].max_row, 0, -1)}
    behind = [str(cell.value) for name in ("Lookup", "Sizing", "Summary", "Budget") for row in built.book[name] for cell in row]
    read = {found for text in behind for found in re.findall(r"Assumptions!\$C\$(\d+)", text)}
    assert {name for name in FIELDS.keys() & rows.keys() if str(rows[name]) in read and FIELDS[name].group == DECISIONS} == set()
    assert {name for name in FIELDS.keys() & rows.keys() if str(rows[name]) not in read and FIELDS[name].group != DECISIONS} == {
        "title", "prepared_by"}  # texts of the Cover


def test_a_run_rate_month_after_the_last_is_told() -> None:
    def edit(book: Workbook, built: Built) -> None:
        sheet = book["Assumptions"]
        row = next(r for r in range(1, sheet.max_row) if sheet[f"A{r}"].value == "run_rate_month")
        sheet[f"C{row}"].value = 4

    built, values = edited(edit, small=True)
    assert verdict(built, values) == (False, False)
    (told,) = [row for row in values.sheets["Checks"] if row[1] == "Run-rate month after the last month"]
    assert told[3] == 1 and values.at("Outcomes", "C3") == 3


@pytest.mark.parametrize(("name", "value"), [
    ("growth_change", "abc"), ("growth_change", -3), ("requests_factor", 0), ("tokens_factor", "x"), ("price_drift", -1),
    ("discount_change", 1.2), ("scenario_method", "guess"),
])  # fmt: skip
def test_a_wrong_value_of_a_scenario_that_does_not_drive_the_book(name: str, value: Any) -> None:
    built, values = edited(lambda book, built: cell_of(book, "Scenarios", built, 2, name).__setattr__("value", value), small=True)
    assert verdict(built, values) == (True, False)
    assert values.errors() == {}
    at = built.results["Outcomes"]
    assert [values.at("Outcomes", f"{letter}{at['unusable']}") for letter in "CDEFG"] == [0, 1, 0, 0, 0]
    costs = [values.at("Outcomes", f"{letter}{at['month_cost']}") for letter in "CDEFG"]
    assert [type(cost) for cost in costs] == [float, str, float, float, float]


@pytest.mark.parametrize("constant", NAMED, ids=lambda constant: constant.name)
def test_a_changed_constant_is_found(constant: Any) -> None:
    def edit(book: Workbook, built: Built) -> None:
        sheet = book["Assumptions"]
        row = next(r for r in range(1, sheet.max_row) if sheet[f"A{r}"].value == constant.name)
        sheet[f"C{row}"].value = float(constant) * 1.01

    assert verdict(*edited(edit, small=True)) == (True, True)


def row_of(model: str) -> int:
    return [one.model for one in sample("en").catalog.models].index(model) + 1


TYPED: dict[str, tuple[str, int, str, Any]] = {
    "negative requests": ("Workloads", 1, "requests_per_day", -5),
    "text in a number": ("Workloads", 1, "requests_per_day", "many"),
    "share above 100%": ("Workloads", 2, "safety", 1.5),
    "half a card": ("Workloads", 2, "cards", 1.5),
    "unknown GPU": ("Workloads", 1, "gpu", "H300"),
    "unknown model": ("Workloads", 1, "model", "GPT-9"),
    "unknown precision": ("Workloads", 1, "weight_precision", "int3"),
    "unknown pricing model": ("Workloads", 1, "pricing_model", "leased"),
    "unknown method": ("Workloads", 1, "sizing_method", "guess"),
    "unknown price list": ("Workloads", 1, "price_list", "nowhere"),
    "below the least": ("Workloads", 1, "peak_factor", 0.5),
    "unknown link": ("GPUs", 19, "link", "pcie "),
    "half a reference": ("GPUs", 12, "reference_weights_gb", None),
    "more active than all": ("Models", row_of("Generic-7B"), "active_params_b", 70),
    "unknown basis": ("Workloads", 1, "length_basis", "p99"),
    "no name": ("Workloads", 1, "workload", None),
    "month twice": ("Seasons", 2, "calendar_month", 1),
    "cost ends before it starts": ("OtherCosts", 1, "end_month", 0),
    "no demand typed": ("Workloads", 1, "requests_per_day", None),
    "end before start": ("Workloads", 1, "end_month", 0),
    "same name twice": ("Workloads", 2, "workload", "Service bot"),
    "no input tokens": ("Workloads", 1, "input_tokens", None),
    "model too large": ("Workloads", 1, "model", "DeepSeek-V3"),
    "GPU without memory": ("GPUs", 12, "memory_gb", None),
    "GPU with text": ("GPUs", 12, "bandwidth_gbs", "fast"),
    "GPU twice": ("GPUs", 13, "gpu", "L20"),
    "no season factor": ("Seasons", 2, "season_factor", None),
    "no precision bytes": ("Precisions", 4, "weight_bytes", None),
    "amount is text": ("OtherCosts", 1, "amount_per_month", "much"),
    "tiers out of order": ("CardTiers", 3, "tier", 9),
}


@pytest.mark.parametrize(("table", "row", "column", "value"), TYPED.values(), ids=list(TYPED))
def test_a_wrong_cell_blocks_the_total(table: str, row: int, column: str, value: Any) -> None:
    def edit(book: Workbook, built: Built) -> None:
        cell_of(book, table, built, row, column).value = value

    built, values = edited(edit)
    red, blocked = verdict(built, values)
    assert red and blocked
    assert values.errors() == {}


@pytest.mark.parametrize("column", ["price", "currency", "per", "period", "tax", "pricing_model", "snapshot_date", "cards"])
@pytest.mark.parametrize("value", [None, "hour ", 0])
def test_a_wrong_price_is_missing(column: str, value: Any) -> None:
    def edit(book: Workbook, built: Built) -> None:
        prices = built.placed["Prices"]
        for row in range(1, prices.last - prices.first + 2):
            if cell_of(book, "Prices", built, row, "price_list").value == "gongjiyun":
                cell_of(book, "Prices", built, row, column).value = value

    built, values = edited(edit)
    assert verdict(built, values) == (True, True)
    assert values.errors() == {}


@pytest.mark.parametrize("rates", [[], ["7.0"], [0], [-7], [7.1, 7.2], [7.1]])
def test_a_price_in_dollars_needs_one_rate(rates: list[Any]) -> None:
    def edit(book: Workbook, built: Built) -> None:
        prices = built.placed["Prices"]
        for row in range(1, prices.last - prices.first + 2):
            if cell_of(book, "Prices", built, row, "price_list").value == "gongjiyun":
                cell_of(book, "Prices", built, row, "currency").value = "USD"
        for row, rate in enumerate(rates, 1):
            for name, value in {"currency": "USD", "budget_currency": "CNY", "rate": rate}.items():
                cell_of(book, "FX", built, row, name).value = value

    built, values = edited(edit)
    good = rates == [7.1]
    assert verdict(built, values) == (not good, not good)
    assert values.errors() == {}


def test_a_newer_price_that_cannot_be_used_does_not_bring_back_the_older() -> None:
    def edit(book: Workbook, built: Built) -> None:
        source, target = 92, 1  # the row of L20 at gongjiyun is copied over another, newer and with text for a price
        for name in built.placed["Prices"].letters:
            if name not in {column.name for column in PRICE_COLUMNS}:
                value = cell_of(book, "Prices", built, source, name).value
                cell_of(book, "Prices", built, target, name).value = value
        cell_of(book, "Prices", built, target, "snapshot_date").value = datetime.date(2026, 10, 20)
        cell_of(book, "Prices", built, target, "price").value = "9"

    assert verdict(*edited(edit)) == (True, True)


def test_a_deleted_row_leaves_no_error() -> None:
    def edit(book: Workbook, built: Built) -> None:
        for name in ("Workloads", "OtherCosts"):
            placed = built.placed[name]
            table = book[placed.sheet].tables[name]
            first, last = table.ref.split(":")
            table.ref = f"{first}:{last.rstrip('0123456789')}{placed.last - 1}"

    built = build(sample("en"), "en", 3, spare=5)
    edit(built.book, built)
    values = evaluate(built.book)
    assert values.errors() == {}
    assert verdict(built, values) == (False, False)


def test_mixed_tax_blocks_every_total_of_money() -> None:
    def edit(book: Workbook, built: Built) -> None:
        prices = built.placed["Prices"]
        for row in range(1, prices.last - prices.first + 2):
            listed = cell_of(book, "Prices", built, row, "price_list").value
            cell_of(book, "Prices", built, row, "tax").value = "included" if listed == "gongjiyun" else "excluded"

    built, values = edited(edit)
    assert verdict(built, values) == (True, True)
    summary = values.at("Summary", f"{built.summary.letters['monthly_cost']}{built.summary.total}")
    assert summary == "blocked"
    assert values.at("Budget", f"I{built.budget.rows['month_cost']}") == "blocked"


@pytest.mark.parametrize("table", ["Workloads", "GPUs", "Models", "Prices", "FX", "CardTiers", "Precisions", "OtherCosts"])
def test_what_is_typed_below_a_table_is_found(table: str) -> None:
    def edit(book: Workbook, built: Built) -> None:
        placed = built.placed[table]
        first = placed.typed[0]
        book[placed.sheet][f"{placed.letters[first]}{placed.last + 1}"].value = 16

    built, values = edited(edit)
    assert verdict(built, values)[0]


def test_no_demand_needs_no_card() -> None:
    def edit(book: Workbook, built: Built) -> None:
        cell_of(book, "Workloads", built, 1, "requests_per_day").value = 0
        cell_of(book, "Workloads", built, 1, "model").value = "DeepSeek-V3"

    built, values = edited(edit)
    assert values.at("Sizing", f"E{built.sizing['card_tier']}") == 0
    assert values.at("Budget", f"I{built.budget.blocks['month_cost']}") == 0
    assert verdict(built, values) == (False, False)


def test_a_row_added_in_its_table_is_found_and_a_spare_row_is_computed() -> None:
    def edit(book: Workbook, built: Built) -> None:
        for name, value in {
            "workload": "New", "gpu": "L20", "model": "Generic-7B", "input_tokens": 100, "output_tokens": 100,
            "requests_per_day": 1000, "price_list": "gongjiyun",
        }.items():  # fmt: skip
            cell_of(book, "Workloads", built, 8, name).value = value

    built, values = edited(edit)
    assert values.at("Sizing", f"L{built.sizing['card_tier']}") == 1
    assert values.at("Budget", "F4") == 8
    assert verdict(built, values) == (False, False)


def test_no_cell_has_two_validations() -> None:
    for sheet in build(sample("en"), "en", 3).book:
        seen: set[tuple[int, int]] = set()
        for validation in sheet.data_validations.dataValidation:
            for area in validation.sqref.ranges:
                cells = {(row, column) for row, column in area.cells}
                assert not seen & cells, f"{sheet.title}!{area.coord}"
                seen |= cells
