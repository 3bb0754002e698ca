"""Scenarios and drivers: the sheets say what Python says of each case, and the book follows the scenario chosen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from decisions import check
from lean_inputs import lean
from openpyxl.utils import get_column_letter
from parity import agrees, disagreements, expected, random_inputs

from gpusheet.catalog.planning import Plans, Scenario
from gpusheet.decisions.drivers import DRIVERS, moved, run_rate
from gpusheet.lookup import LookUp, look_up
from gpusheet.workbook.book import Built, build, write
from gpusheet.workbook.budget_layout import BLOCKED
from gpusheet.workbook.evaluate import Values, evaluate
from gpusheet.workbook.inputs import Inputs, sample
from gpusheet.workbook.layout import BY_CASE
from gpusheet.workbook.reader import read_book
from gpusheet.workbook.recalculation.file import recalculate
from gpusheet.workbook.results.outcomes import SLOTS

MONTHS = 14
SCENARIOS = (
    Scenario(scenario="Base"),
    Scenario(scenario="High", requests_factor=1.3, growth_change=0.02, tokens_factor=1.2, peak_change=1.4, price_drift=0.1),
    Scenario(scenario="Low", requests_factor=0.6, growth_change=-0.4, tokens_factor=0.7, peak_change=0.3, price_drift=-0.3),
    Scenario(scenario="Deal", discount_change=0.3, scenario_method="throughput"),
    Scenario(scenario="Dear", discount_change=-0.5, scenario_method="segment", price_drift=0.5),
)


def inputs_of(name: str, scenario: str | None, month: int | None = None, shock: float = 0.1) -> Inputs:
    made = lean(sample("zh" if name == "zh" else "en")) if name in ("en", "zh") else random_inputs(2, 25, complete=True)
    settings = made.settings.model_copy(update={"scenario": scenario, "run_rate_month": month, "shock": shock})
    return replace(made, settings=settings, plans=replace(made.plans, scenarios=SCENARIOS, curves=Plans.builtin().curves))


def season_of(inputs: Inputs, months: int) -> list[float]:
    season = {int(row.calendar_month): row.season_factor for row in inputs.catalog.seasons}
    return [season[(inputs.settings.budget_start.month - 1 + offset) % 12 + 1] for offset in range(months)]


def looked_up(inputs: Inputs, scenario: Scenario | None = None) -> list[LookUp]:
    context = inputs.context if scenario is None else replace(inputs.context, scenario=scenario)
    return [look_up(workload, context) for workload in inputs.workloads]


def cost(inputs: Inputs, found: Sequence[LookUp], month: int) -> float:
    return float(run_rate(found, month, season_of(inputs, month))["month_cost"].sum(skipna=False))


@pytest.fixture(scope="module", params=[("en", None, None, 0.1), ("zh", "High", 3, 0.2), ("random", "Low", None, 0.1)], ids=str)
def made(request: pytest.FixtureRequest) -> tuple[Inputs, Built, Values, int]:
    name, scenario, month, shock = request.param
    inputs = inputs_of(name, scenario, month, shock)
    built = build(inputs, "zh" if name == "zh" else "en", MONTHS, spare=2)
    return inputs, built, evaluate(built.book), month or MONTHS


def test_the_book_follows_the_scenario(made: tuple[Inputs, Built, Values, int]) -> None:
    inputs, built, values, _ = made
    assert values.errors() == {}
    assert disagreements(expected(inputs, built, MONTHS), values) == []
    assert values.at("Checks", "D4") == 0


def test_each_scenario_is_what_python_says(made: tuple[Inputs, Built, Values, int]) -> None:
    inputs, built, values, month = made
    at, blocked = built.results["Outcomes"], values.at("Budget", BLOCKED.replace("$", ""))
    different = []
    for slot, scenario in enumerate(SCENARIOS):
        table = run_rate(looked_up(inputs, scenario), month, season_of(inputs, month))
        for line in ("month_cards", "month_tier", "month_cost"):
            cell = f"{get_column_letter(3 + slot)}{at[line]}"
            wanted, held = table[line].sum(skipna=False), values.at("Outcomes", cell)
            if not agrees(blocked if math.isnan(wanted) else float(wanted), held):
                different.append(f"{scenario.scenario} {line}: Python {wanted}, sheet {held}")
    assert different == []
    assert len({values.at("Outcomes", f"{get_column_letter(3 + slot)}{at['month_cost']}") for slot in range(SLOTS)}) >= SLOTS - 1


def test_each_driver_is_what_python_says(made: tuple[Inputs, Built, Values, int]) -> None:
    inputs, built, values, month = made
    first = built.results["Sensitivity"]["first"]
    base = cost(inputs, looked_up(inputs), month)
    assert agrees(base, values.at("Sensitivity", "B5"))
    moves = 0
    for row, driver in enumerate(DRIVERS, first):
        for column, sign in (("B", -1), ("C", 1)):
            wanted = cost(inputs, moved(looked_up(inputs), driver, sign * inputs.settings.shock), month)
            assert agrees(wanted, values.at("Sensitivity", f"{column}{row}")), (driver.name, sign)
            moves += wanted != base
    assert moves >= 3


def test_the_ranking_is_by_swing(made: tuple[Inputs, Built, Values, int]) -> None:
    _, built, values, _ = made
    at = built.results["Sensitivity"]
    swings: dict[Any, Any] = {
        values.at("Sensitivity", f"A{row}"): values.at("Sensitivity", f"F{row}") for row in range(at["first"], at["last"] + 1)
    }
    ranked = [swings[values.at("Sensitivity", f"A{at['ranked'] + place}")] for place in range(len(DRIVERS))]
    assert ranked == sorted(swings.values(), reverse=True)


def test_price_against_demand(made: tuple[Inputs, Built, Values, int]) -> None:
    inputs, built, values, month = made
    top, shock = built.results["grid"], inputs.settings.shock
    for across, requests in enumerate((-2, -1, 0, 1, 2)):
        wanted = cost(inputs, moved(looked_up(inputs), DRIVERS[0], requests * shock), month)
        for down, price in enumerate((-2, -1, 0, 1, 2)):
            held = values.at("Sensitivity", f"{get_column_letter(2 + across)}{top + down}")
            assert agrees(wanted * (1 + price * shock), held), (requests, price)


def test_a_case_whose_formula_was_changed_turns_the_check_red() -> None:
    built = build(inputs_of("en", None), months=MONTHS)
    rows = built.results["cases"].blocks["1"].rules
    built.book["Cases"][f"E{rows['peak_qps']}"] = f"=Sizing!E{built.sizing['peak_qps']}*3"
    values = evaluate(built.book)
    assert values.at("Checks", "D3") == "CHECK"


def test_an_unknown_scenario_blocks_the_total() -> None:
    built = build(inputs_of("en", None))
    built.book["Cover"]["B3"] = "Hihg"
    values = evaluate(built.book)
    assert values.errors() == {}
    assert values.at("Checks", "D3") == "CHECK"
    assert check(values, "Scenario of the Cover")[3] == 1
    blocked = (values.at("Budget", f"H{built.budget.rows['grand']}"), values.at("Cover", "B20"))
    assert [str(one)[:7] for one in blocked] == ["blocked"] * 2


def test_a_workload_without_a_price_blocks_every_case() -> None:
    inputs = inputs_of("en", None)
    first = inputs.workloads[0].model_copy(update={"price_list": "nobody"})
    built = build(replace(inputs, workloads=(first, *inputs.workloads[1:])))
    values = evaluate(built.book)
    assert values.errors() == {}
    at = built.results["Outcomes"]
    assert all(str(values.at("Outcomes", f"{letter}{at['month_cost']}")).startswith("blocked") for letter in "CDEFG")
    assert values.at("Sensitivity", f"F{built.results['Sensitivity']['first']}") == ""


def test_a_book_of_many_workloads_goes_without_the_sheets_of_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = lean(sample("en"))
    whole = write(inputs, tmp_path / "whole.xlsx")
    monkeypatch.setattr("gpusheet.workbook.layout.MOST_CASES", 11)
    monkeypatch.setattr("gpusheet.workbook.book.MOST_CASES", 11)
    large = write(inputs, tmp_path / "large.xlsx")
    assert (large.total, large.checks_failed, large.messages) == (whole.total, 0, [])
    assert whole.remarks == [] and "12 workloads" in large.remarks[0]
    book = openpyxl.load_workbook(large.path)
    assert not set(BY_CASE) & set(book.sheetnames)
    assert [one.location for sheet in book for row in sheet.iter_rows() for cell in row if (one := cell.hyperlink)
            and one.location and one.location.split("!")[0].strip("'") not in book.sheetnames] == []  # fmt: skip
    read = read_book(large.path)
    assert read.inputs == inputs and read.lost == ()


def test_the_ranking_holds_when_the_file_is_recalculated(tmp_path: Path) -> None:
    """Swings that need all their digits, as a discount of a tenth makes them."""
    inputs = lean(sample("en"))
    dearer = [one.model_copy(update={"discount": 0.1}) if one.price_list == "极智算" else one for one in inputs.workloads]
    write(replace(inputs, workloads=tuple(dearer)), tmp_path / "book.xlsx")
    sheet = recalculate(tmp_path / "book.xlsx", header=None)["Sensitivity"]
    assert sheet.attrs["errors"] == {}
    ranks = sorted(value for value in sheet[6][8:18])
    assert ranks == list(range(1, len(DRIVERS) + 1))
