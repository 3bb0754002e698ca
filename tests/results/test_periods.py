"""Periods and what it reads of Calendar: quarters, years, tax, currencies and groups are Python's, and add up to Budget."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest
from lean_inputs import lean
from openpyxl.utils import get_column_letter
from parity import Expected, disagreements
from year_books import BOOKS, Case, calculated, case, missing, poisoned, row_of

from gpusheet.catalog import Workload, columns
from gpusheet.decisions.periods import GROUPS, UNSTATED, fiscal_year, grouped, other_currencies, quarters, tax_basis
from gpusheet.registry import find_rule
from gpusheet.workbook.inputs import sample
from gpusheet.workbook.results.months import CURRENCIES
from gpusheet.workbook.results.periods import LINES, PeriodCells

every_book = pytest.mark.parametrize("name", list(BOOKS))
TOTAL = 4


def summed(of: Case, values: list[float]) -> list[float]:
    """Months added up: in all, by fiscal year, by quarter, each with as many columns as there is room for."""
    start, settings = of.inputs.assumptions.fiscal_year_start, of.inputs.settings
    at: PeriodCells = of.built.results["Periods"]
    years = [fiscal_year(day, start) for day in of.days]
    by_year: dict[int, float] = defaultdict(float)
    by_quarter: dict[int, float] = defaultdict(float)
    for value, year, (quarter, _) in zip(values, years, quarters(settings.budget_start, of.months, start), strict=True):
        by_year[year] += value
        by_quarter[quarter] += value
    found = [math.fsum(values)]
    for sums, (first, last) in ((by_year, at.years), (by_quarter, at.quarters)):
        found += [math.nan] * (first - TOTAL - len(found))  # a blank column before the quarters
        found += [*sums.values(), *[math.nan] * (last - first + 1 - len(sums))]
    return found


def blocked(of: Case, values: list[float], when: bool = False) -> list[Any]:
    """A total: the word where a month is missing, blank where a period has no months."""
    shape = summed(of, [0.0] * of.months)
    bad = when or any(missing(value) for value in values)
    return ["" if missing(place) else of.blocked if bad else value for place, value in zip(shape, summed(of, values), strict=True)]


def months_of(of: Case) -> dict[str, list[float]]:
    """The budget's four lines by month; without tax bases that agree none of them but the other costs has a number."""
    gpu = of.lines["month_cost"].sum(axis=0).tolist() if of.found else [0.0] * of.months
    gpu = [math.nan] * of.months if of.taxes_mixed else gpu
    other = [math.fsum(cost.amount_per_month for cost in of.inputs.other_costs
                       if cost.start_month <= month <= (cost.end_month or of.months)) for month in range(1, of.months + 1)]  # fmt: skip
    reserve = [(one + two) * of.inputs.assumptions.contingency_rate for one, two in zip(gpu, other, strict=True)]
    grand = [sum(parts) for parts in zip(gpu, other, reserve, strict=True)]
    return {"gpu": gpu, "other_total": other, "contingency": reserve, "grand": grand}


def expected(of: Case) -> Expected:
    cells: Expected = {}
    at: PeriodCells = of.built.results["Periods"]
    lines = months_of(of)
    for name in LINES:
        cells.update(row_of("Periods", at.rows[name], TOTAL, blocked(of, lines[name])))
    names = list(dict.fromkeys(name for _, name in quarters(
        of.inputs.settings.budget_start, of.months, of.inputs.assumptions.fiscal_year_start)))  # fmt: skip
    cells.update(row_of("Periods", 4, at.quarters[0], names))
    cells.update(taxed(of, at, summed(of, lines["grand"])))
    for number, (currency, rate) in enumerate(other_currencies(of.inputs.catalog.fx, of.inputs.settings.currency)):
        row = at.blocks["currencies"][0] + number
        cells.update({("Periods", f"A{row}"): number + 1, ("Periods", f"B{row}"): currency, ("Periods", f"C{row}"): rate})
        amounts = [find_rule("converted_amount")(amount, rate) for amount in summed(of, lines["grand"])]
        cells.update(row_of("Periods", row, TOTAL, amounts))
    costs = of.lines["month_cost"].tolist() if of.found else []
    for number, months in enumerate(costs):
        values = [math.nan] * (len(summed(of, months))) if any(map(missing, months)) else summed(of, months)
        cells.update(row_of("Periods", at.blocks["workloads"][0] + number, TOTAL, values))
    cells.update(row_of("Periods", at.rows["workloads total"], TOTAL, blocked(of, lines["gpu"])))
    for name in GROUPS:
        cells.update(groups(of, at, name, costs))
    return cells


def taxed(of: Case, at: PeriodCells, grand: list[float]) -> Expected:
    cells: Expected = {}
    basis, rate = tax_basis(of.found), of.inputs.assumptions.vat_rate
    factor = find_rule("tax_in_price")(basis, rate)
    without = [find_rule("amount_without_tax")(amount, factor) for amount in grand]
    with_tax = [find_rule("amount_with_tax")(amount, rate) for amount in without]
    cells["Periods", f"D{at.rows['basis']}"], cells["Periods", f"D{at.rows['factor']}"] = basis, factor
    cells.update(row_of("Periods", at.rows["amount_without_tax"], TOTAL, without))
    cells.update(row_of("Periods", at.rows["amount_with_tax"], TOTAL, with_tax))
    cells.update(row_of("Periods", at.rows["tax"], TOTAL, [more - less for more, less in zip(with_tax, without, strict=True)]))
    return cells


def groups(of: Case, at: PeriodCells, name: str, costs: list[list[float]]) -> Expected:
    """Total and years of each group; quarters are not shown."""
    cells: Expected = {}
    top, bottom = at.blocks[name]
    width = 1 + at.years[1] - at.years[0] + 1
    found = grouped(of.inputs.workloads, name)
    for number, (text, members) in enumerate(found):
        months = [math.fsum(costs[one][month] for one in members) for month in range(of.months)]
        row = top + number
        cells["Periods", f"B{row}"] = text or of.say("(none)", "（未填）")
        cells["Periods", f"C{row}"] = len(members)
        cells.update(row_of("Periods", row, TOTAL, blocked(of, months, of.taxes_mixed)[:width]))
    for row in range(top + len(found), bottom + 1):
        cells.update(row_of("Periods", row, 1, [""] * (TOTAL - 1 + width)))
    whole = months_of(of)["gpu"]
    cells.update(row_of("Periods", at.rows[f"{name} total"], TOTAL, blocked(of, whole)[:width]))
    return cells


@every_book
def test_every_cell_is_what_python_says(name: str) -> None:
    of = case(name)
    wanted = expected(of)
    assert len(wanted) > 60
    assert disagreements(wanted, of.values) == []


@every_book
def test_no_cell_is_an_error_and_all_checks_pass_that_can(name: str) -> None:
    of = case(name)
    assert [cell for cell in of.values.errors() if cell.startswith(("Periods", "Calendar"))] == []
    failed = [row[1] for row in of.values.sheets["Checks"] if len(row) > 5 and row[5] == 0.0]
    assert [one for one in failed if isinstance(one, str) and one.startswith(("Periods", "Growth", "Ranges", "期间"))] == []


def test_the_books_have_something_to_show() -> None:
    whole = case("whole")
    assert tax_basis(whole.found) == "included" and tax_basis(case("tiers").found) == "excluded"
    assert tax_basis(case("sample-en").found) == UNSTATED
    assert [len(members) for _, members in grouped(case("gaps").inputs.workloads, "cost_centre")][:2] == [6, 3]
    rates = other_currencies(whole.inputs.catalog.fx, "CNY")
    assert [name for name, _ in rates] == ["USD", "HKD", "EUR", "HKD"] and sum(missing(rate) for _, rate in rates) == 2
    assert {fiscal_year(day, 4) for day in whole.days} == {2027, 2028, 2029, 2030}


@pytest.mark.parametrize("place", ["gpu", "grand", "amount_with_tax", "currencies", "workloads", *GROUPS])
def test_a_poisoned_formula_is_found(place: str) -> None:
    plain = case("whole")
    at: PeriodCells = plain.built.results["Periods"]
    row = at.rows.get(place) or at.blocks[place][0]
    of = calculated(plain.inputs, "en", plain.months, lambda built: poisoned(built, "Periods", f"E{row}"))
    assert any(line.startswith(f"Periods!E{row}:") for line in disagreements(expected(of), of.values))
    failed = [line[1] for line in of.values.sheets["Checks"] if len(line) > 5 and line[5] == 0.0]
    if place not in ("gpu", "amount_with_tax", "currencies"):  # whose totals do not add up the years
        assert any(str(one).startswith("Periods") for one in failed)


@pytest.mark.parametrize(("change", "moved"), [
    ({"vat_rate": 0.13}, {"amount_without_tax", "tax"}),
    ({"contingency_rate": 0.2}, {"contingency", "grand", "amount_without_tax", "tax", "amount_with_tax"}),
    ({"fiscal_year_start": 6.0}, set()),
])  # fmt: skip
def test_an_assumption_moves_what_it_should(change: dict[str, float], moved: set[str]) -> None:
    plain = case("whole")
    of = calculated(replace(plain.inputs, assumptions=plain.inputs.assumptions.model_copy(update=change)), "en", plain.months)
    at: PeriodCells = plain.built.results["Periods"]
    totals = {name: [one.values.at("Periods", f"D{at.rows[name]}") for one in (plain, of)]
              for name in (*LINES, "amount_without_tax", "tax", "amount_with_tax")}  # fmt: skip
    assert {name for name, (was, now) in totals.items() if not math.isclose(was, now, rel_tol=1e-9)} == moved  # type: ignore[arg-type]
    assert disagreements(expected(of), of.values) == []


def test_more_rates_than_lines_are_said() -> None:
    inputs = lean(sample("en"))
    first = case("whole").inputs.catalog.fx[0]
    rates = tuple(first.model_copy(update={"currency": f"A{chr(65 + one)}X"}) for one in range(CURRENCIES + 3))
    of = calculated(replace(inputs, catalog=replace(inputs.catalog, fx=rates)), "en", 2)
    row = next(row for row in of.values.sheets["Checks"] if row[1] == "Currencies of FX that Periods has no line for")
    assert row[3] == 3 and of.values.at("Checks", "D3") == "CHECK"


def test_a_blank_environment_is_the_default() -> None:
    """As the reader takes it, so that a book read and written again says the same."""
    column = next(one for one in columns(Workload) if one.name == "environment")

    def blank(built: Any) -> None:
        placed = built.placed["Workloads"]
        built.book["Workloads"][f"{placed.letters['environment']}{placed.first}"].value = None

    of = calculated(lean(sample("en")), "en", 2, blank)
    row = of.built.results["Periods"].blocks["environment"][0]
    assert of.values.at("Periods", f"B{row}") == column.default == "prod"
    assert get_column_letter(TOTAL) == "D" and disagreements(expected(of), of.values) == []
