"""Growth and what it reads of Calendar: every number is Python's; what moves it does, what blocks it leaves it blank."""

from __future__ import annotations

import datetime
import math
from dataclasses import replace
from typing import Any

import pytest
from lean_inputs import lean
from openpyxl.utils import get_column_letter
from parity import EPOCH, Expected, disagreements
from year_books import BOOKS, Case, calculated, case, missing, poisoned, row_of

from gpusheet.decisions.growth import STEPS, first_above, steps
from gpusheet.registry import find_rule
from gpusheet.workbook.budget_layout import FIRST
from gpusheet.workbook.inputs import sample
from gpusheet.workbook.results.growth import WALLS

every_book = pytest.mark.parametrize("name", list(BOOKS))
LATE = "Orders of cards that would have to be placed before the budget was prepared"


def expected(of: Case) -> Expected:
    """Every number of the sheet, and those of Calendar that it reads."""
    cells: Expected = {}
    growth, calendar, days = of.built.results["Growth"], of.built.results["Calendar"].blocks, of.days
    lead = of.inputs.assumptions.lead_time_days
    tiers = [row.tier for row in of.inputs.catalog.tiers]
    for number in range(len(of.found)):
        lines = {name: values[number].tolist() for name, values in of.lines.items()}
        for name in ("theory_cards", "tier_wall_cost"):
            cells.update(row_of("Calendar", calendar[name] + number, FIRST, lines[name]))
        gone = steps(lines["month_cards"], lines["month_tier"], lines["month_net_cards"])
        padded = [*gone, *[None] * (STEPS - len(gone))]
        columns: dict[str, list[Any]] = {
            "month": ["" if step is None else step.month for step in padded],
            "billed": ["" if step is None else step.billed for step in padded],
            "date": ["" if step is None else serial(days[step.month - 1]) for step in padded],
            "order_by": [ordered(step.order_by(days[step.month - 1], lead)) if step else "" for step in padded],
            "tiers": [first_above(lines["month_cards"], tier) for tier in tiers] + [None] * (STEPS - len(tiers)),
        }
        for name, values in columns.items():
            cells.update(row_of("Growth", growth[name] + number, 4, values))
        cells.update(row_of("Growth", growth["wall"] + number, 4, wall(lines, of.run_rate)))
    cells.update(totals(of, growth["total"]))
    return cells


def serial(day: datetime.date) -> int:
    return (day - EPOCH).days


def ordered(day: datetime.date | None) -> int | str:
    return serial(day) if day else ""


def wall(lines: dict[str, list[float]], month: int) -> list[Any]:
    theory, needed, billed = (lines[name][month - 1] for name in ("theory_cards", "month_cards", "month_tier"))
    whole, cost = sum(lines["tier_wall_cost"]), sum(lines["month_cost"])
    return [
        theory, needed, billed, find_rule("tier_saving")(billed, theory, needed), find_rule("theory_saving")(billed, theory),
        lines["tier_wall_cost"][month - 1], whole, cost, whole / cost if cost else math.nan,
    ]  # fmt: skip


def totals(of: Case, row: int) -> Expected:
    found = [wall({name: values[number].tolist() for name, values in of.lines.items()}, of.run_rate)
             for number in range(len(of.found))]  # fmt: skip
    cells: Expected = {}
    for place, name in enumerate(WALLS):
        if name in ("whole_saving", "theory_saving", "share"):
            continue
        total = sum(one[place] for one in found)
        blocked = missing(total) or (of.taxes_mixed and name in ("month_wall", "wall", "cost"))
        cells["Growth", f"{get_column_letter(4 + place)}{row}"] = of.blocked if blocked else total
    return cells


@every_book
def test_every_cell_is_what_python_says(name: str) -> None:
    of = case(name)
    wanted = expected(of)
    assert len(wanted) >= 6 + len(of.found) * (2 * of.months + 5 * STEPS + len(WALLS))
    assert disagreements(wanted, of.values) == []


@every_book
def test_no_cell_is_an_error(name: str) -> None:
    assert [cell for cell in case(name).values.errors() if cell.startswith(("Growth", "Calendar"))] == []


def test_the_books_have_something_to_show() -> None:
    """Steps beyond a node, orders that come too late, owned cards that need none, workloads without any cards."""
    cells = expected(case("tiers"))
    row = case("tiers").built.results["Growth"]["billed"]
    steps_taken = [sum(cells["Growth", f"{get_column_letter(4 + step)}{row + number}"] != "" for step in range(STEPS))
                   for number in range(9)]  # fmt: skip
    assert max(steps_taken) > 3
    gaps, growth = expected(case("gaps")), case("gaps").built.results["Growth"]
    dates = [gaps["Growth", f"D{growth['date'] + number}"] for number in range(30)]
    orders = [gaps["Growth", f"D{growth['order_by'] + number}"] for number in range(30)]
    assert any(date == "" for date in dates)
    assert any(date != "" and order == "" for date, order in zip(dates, orders, strict=True))


@pytest.mark.parametrize("block", ["order_by", "date", "month", "billed", "tiers", "wall"])
def test_a_poisoned_formula_is_found(block: str) -> None:
    def change(built: Any) -> None:
        poisoned(built, "Growth", f"D{built.results['Growth'][block] + 1}")

    of = calculated(lean(sample("en")), "en", 12, change)
    wrong = disagreements(expected(of), of.values)
    assert any(line.startswith(f"Growth!D{of.built.results['Growth'][block] + 1}:") for line in wrong)


def test_the_lead_time_moves_order_dates_and_the_alert() -> None:
    inputs = lean(sample("en"))
    late = replace(inputs, assumptions=inputs.assumptions.model_copy(update={"lead_time_days": 63.0}))
    plain, moved = case("sample-en"), calculated(late, "en", 12)
    row = plain.built.results["Growth"]["order_by"]
    was, now = (of.values.at("Growth", f"E{row + 1}") for of in (plain, moved))
    assert isinstance(was, float) and was - 3 == now
    assert (alerts(plain), alerts(moved)) == (0, 7)
    assert moved.values.at("Checks", "D3") == "OK"


def alerts(of: Case) -> Any:
    """How many orders come too late, as the alert says."""
    rows = of.values.sheets["Checks"]
    return next(row[3] for row in rows if row[1] == LATE)


def test_more_tiers_than_columns_are_said() -> None:
    inputs = lean(sample("en"))
    tiers = tuple(inputs.catalog.tiers[0].model_copy(update={"tier": float(tier)}) for tier in range(STEPS + 2))
    of = calculated(replace(inputs, catalog=replace(inputs.catalog, tiers=tiers)), "en", 2)
    row = next(row for row in of.values.sheets["Checks"] if row[1] == "Card tiers that Growth has no column for")
    assert row[3] == 2 and of.values.at("Checks", "D3") == "CHECK"


def test_more_steps_than_columns_are_flagged() -> None:
    """A workload that grows without end goes on after the last step, and says so."""
    inputs = lean(sample("en"))
    grown = [row.model_copy(update={"monthly_growth": 0.2}) for row in inputs.workloads]
    of = calculated(replace(inputs, workloads=grown), "en", 60)
    assert disagreements(expected(of), of.values) == []
    row = of.built.results["Growth"]["billed"]
    flags = [of.values.at("Growth", f"{get_column_letter(4 + STEPS)}{row + number}") for number in range(len(grown))]
    assert 1.0 in flags and set(flags) <= {0.0, 1.0}
