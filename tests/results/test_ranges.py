"""Ranges: low, expected and high are Python's; what has no range says why, and totals take what is expected for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from parity import Expected, disagreements
from year_books import BOOKS, Case, calculated, case, missing, poisoned

from gpusheet.decisions.ranges import CARDS, MEASURES, ranges
from gpusheet.workbook.results.ranges import column_of

every_book = pytest.mark.parametrize("name", list(BOOKS))


def expected(of: Case) -> Expected:
    cells: Expected = {}
    at = of.built.results["Ranges"]
    if not of.found:
        return {("Ranges", f"{column_of(measure, end)}{at['total']}"): 0 for measure in MEASURES for end in CARDS}
    table = ranges(of.found)
    for number, row in enumerate(table.to_dict("records")):
        cells["Ranges", f"E{at['first'] + number}"] = float(row["has_range"])
        for measure in MEASURES:
            for end in CARDS:
                cells["Ranges", f"{column_of(measure, end)}{at['first'] + number}"] = row[f"{measure}_{end}"]
    for measure in MEASURES:
        for end in CARDS:
            values = table[f"{measure}_{end}"].where(table["has_range"], table[f"{measure}_expected"])
            blocked = values.isna().any() or (of.taxes_mixed and measure == "monthly_cost")
            cells["Ranges", f"{column_of(measure, end)}{at['total']}"] = of.blocked if blocked else values.sum()
    return cells


@every_book
def test_every_cell_is_what_python_says(name: str) -> None:
    of = case(name)
    assert disagreements(expected(of), of.values) == []
    assert [cell for cell in of.values.errors() if cell.startswith("Ranges")] == []


def test_the_books_have_something_to_show() -> None:
    """Ranges that are wide enough to be billed otherwise, typed cards among the workloads of the method."""
    table = ranges(case("whole").found)
    shown = table[table["has_range"]]
    assert len(shown) > 3 and (shown["card_tier_low"] < shown["card_tier_high"]).any()
    assert (shown["cards_needed_low"] <= shown["cards_needed_expected"]).all()
    assert not table.loc[9, "has_range"] and case("whole").found[9].values["sizing_method"] == "serving"


@pytest.mark.parametrize(("name", "words"), [
    ("sample-en", {"throughput has no range: only serving has one", "constraint has no range: only serving has one",
                   "segment has no range: only serving has one"}),
    ("sample-zh", {"throughput 无区间：仅 serving 法提供",
                   "constraint 无区间：仅 serving 法提供", "segment 无区间：仅 serving 法提供"}),
    ("whole", {"the cards are typed", "like cases measured: partly", "like cases measured: none",
               "segment has no range: only serving has one"}),
])  # fmt: skip
def test_what_has_no_range_says_why(name: str, words: set[str]) -> None:
    of = case(name)
    first = of.built.results["Ranges"]["first"]
    assert {of.values.at("Ranges", f"F{first + number}") for number in range(len(of.found))} == words


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("end", list(CARDS))
def test_a_poisoned_formula_is_found(measure: str, end: str) -> None:
    plain = case("whole")
    cell = f"{column_of(measure, end)}{plain.built.results['Ranges']['first'] + 1}"
    of = calculated(plain.inputs, "en", 3, lambda built: poisoned(built, "Ranges", cell))
    assert any(line.startswith(f"Ranges!{cell}:") for line in disagreements(expected(of), of.values))


def test_a_range_that_does_not_hold_what_is_expected_is_said() -> None:
    plain = case("whole")
    first = plain.built.results["Ranges"]["first"]

    def turn(built: Any) -> None:
        sheet = built.book["Ranges"]
        low, high = (f"{column_of('cards_needed', end)}{first + 1}" for end in ("low", "high"))
        sheet[low].value, sheet[high].value = f"={sheet[low].value[1:]}+1000", f"={sheet[high].value[1:]}-1000"

    of = calculated(plain.inputs, "en", 3, turn)
    row = next(row for row in of.values.sheets["Checks"] if row[1] == "Ranges that do not hold what is expected")
    assert row[3] == 2 and of.values.at("Checks", "D3") == "CHECK"


def test_demand_and_price_move_the_right_cells() -> None:
    plain = case("whole")
    more = [row.model_copy(update={"requests_per_day": 4 * row.requests_per_day if row.requests_per_day else None})
            for row in plain.inputs.workloads]  # fmt: skip
    of = calculated(replace(plain.inputs, workloads=more), "en", 3)
    assert disagreements(expected(of), of.values) == []
    was, now = ranges(plain.found), ranges(of.found)
    assert (now.loc[was["has_range"], "cards_needed_high"] > was.loc[was["has_range"], "cards_needed_high"]).any()
    assert not missing(now["monthly_cost_expected"].sum())
