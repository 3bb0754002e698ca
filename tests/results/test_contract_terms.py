"""A signed contract's discount counts in the months of its term, in Python and in two spreadsheet engines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import libreoffice
import pytest
from decisions import expected as of_options
from decisions import look_at
from filled_plans import filled
from openpyxl.utils import get_column_letter
from parity import disagreements
from parity import expected as wanted

from gpusheet.calendar import by_month
from gpusheet.catalog.planning import Contract
from gpusheet.lookup import look_up
from gpusheet.workbook.book import build
from gpusheet.workbook.budget_layout import FIRST
from gpusheet.workbook.cached import write_with_values
from gpusheet.workbook.evaluate import evaluate
from gpusheet.workbook.inputs import Inputs

MONTHS, ASSUMED, AGREED = 12, 0.05, 0.2
TERMS: dict[str, tuple[str | None, str, int]] = {
    "inside": ("2026-11-01", "2027-04-01", 6),
    "whole-budget": ("2026-11-01", "2026-01-01", 60),
    "began-before": ("2026-11-01", "2026-07-15", 9),
    "ends-after": ("2026-11-01", "2027-10-31", 24),
    "over": ("2026-11-01", "2025-01-01", 12),
    "later": ("2026-11-01", "2029-01-01", 12),
    "unsigned": (None, "2027-04-01", 6),
}
IN_TERM = {"inside": range(4, 10), "whole-budget": range(1, 13), "began-before": range(1, 4), "ends-after": range(10, 13)}


def under(term: str | None) -> Inputs:
    """The sample with a contract for its most used price list, or none; the first workload's discount is typed."""
    inputs = filled(earlier=False)
    contracts = []
    if term is not None:
        signed, start, months = TERMS[term]
        contracts = [Contract(contract="C", price_list="极智算", signed_on=signed, start_date=start, term_months=months,
                              agreed_discount=AGREED)]  # fmt: skip
    workloads = [one.model_copy(update={"price_list": "极智算", "discount": 0.1 if one.workload == typed(inputs) else None})
                 if bought(one, inputs) else one for one in inputs.workloads]  # fmt: skip
    assumed = inputs.assumptions.model_copy(update={"discount": ASSUMED})
    return replace(inputs, workloads=workloads, assumptions=assumed, plans=replace(inputs.plans, contracts=contracts))


def bought(one: Any, inputs: Inputs) -> bool:
    return (one.price_list or inputs.assumptions.price_list) == "极智算"


def typed(inputs: Inputs) -> str:
    """The first workload of that price list."""
    name: str = next(one.workload for one in inputs.workloads if bought(one, inputs))
    return name


def season(inputs: Inputs) -> Sequence[float]:
    factors = {row.calendar_month: row.season_factor for row in inputs.catalog.seasons}
    first = inputs.settings.budget_start.month
    return [factors[(first - 1 + offset) % 12 + 1] for offset in range(MONTHS)]


def by_hand(inputs: Inputs, term: str | None) -> float:
    """The year's cost from list prices: cards to rent x price x hours x what the month's discount leaves."""
    total, free = 0.0, 0
    found = [look_up(one, inputs.context) for one in inputs.workloads]
    cards = by_month(found, MONTHS, season(inputs))["month_net_cards"].to_numpy().reshape(len(found), MONTHS)
    for number, one in enumerate(found):
        of_list = bought(one.workload, inputs)
        free += of_list and one.workload.discount is None
        for month in range(1, MONTHS + 1):
            without = ASSUMED if one.workload.discount is None else one.workload.discount
            takes = of_list and one.workload.discount is None and month in IN_TERM.get(term or "", ())
            assert one.chosen.price is not None
            periods = one.values["hours_per_month"] if one.chosen.price.period == "hour" else 1
            total += cards[number][month - 1] * one.chosen.per_card * periods * (1 - (AGREED if takes else without))
    assert free > 0  # else the contract would not matter
    return total


@pytest.mark.parametrize("term", [*TERMS, None])
def test_the_budget_is_what_list_prices_come_to_by_hand(term: str | None) -> None:
    inputs = under(term)
    assert inputs.settings.budget_start.isoformat() == "2027-01-01"
    built = build(inputs, "en", MONTHS)
    values = evaluate(built.book)
    assert disagreements(wanted(inputs, built, MONTHS), values) == []
    total = values.at("Budget", f"H{built.budget.rows['gpu']}")
    assert isinstance(total, float) and math.isclose(total, by_hand(inputs, term), rel_tol=1e-9)
    assert values.at("Checks", "D3") == "OK"


def test_a_poisoned_term_is_found() -> None:
    inputs = under("inside")
    built = build(inputs, "en", MONTHS)
    for column in range(5, 5 + len(inputs.workloads)):
        cell: Any = built.book["Lookup"].cell(built.lookup.rows["contract_to"], column)
        cell.value = f"{cell.value}+1"
    found = disagreements(wanted(inputs, built, MONTHS), evaluate(built.book))
    month = get_column_letter(FIRST + 9)  # the first month after the term
    assert any(line.startswith(f"Budget!{month}") for line in found)


@pytest.mark.parametrize("term", ["inside", "began-before", "ends-after"])
@pytest.mark.parametrize("run_rate", [1, 6, 12])
def test_ways_to_pay_follow_the_term_from_the_run_rate_month(term: str, run_rate: int) -> None:
    inputs = under(term)
    looked = next(one.workload for one in inputs.workloads if bought(one, inputs) and one.discount is None)
    inputs = look_at(replace(inputs, settings=inputs.settings.model_copy(update={"run_rate_month": run_rate})), looked)
    built = build(inputs, "en", MONTHS)
    assert disagreements(of_options(inputs, built, MONTHS), evaluate(built.book)) == []


@pytest.mark.parametrize("term", ["inside", "ends-after"])
def test_libreoffice_agrees(term: str, tmp_path: Path) -> None:
    book = build(under(term), "en", MONTHS).book
    values = write_with_values(book, tmp_path / "book.xlsx")
    assert libreoffice.differences(book, values, libreoffice.recalculate(tmp_path / "book.xlsx")) == []
