"""Two budgets: what was typed differently, what a person changed in formulas, and steps of cost that add up."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lean_inputs import lean

from gpusheet.audit.bridge import STEPS, Bridge, bridge, mixed, step_of, year_cost
from gpusheet.audit.changes import changes
from gpusheet.audit.difference import diff
from gpusheet.catalog import Fx, OtherCost
from gpusheet.catalog.planning import Contract
from gpusheet.errors import GpusheetError
from gpusheet.workbook.book import build, write
from gpusheet.workbook.cached import write_with_values
from gpusheet.workbook.inputs import Inputs, sample

OLD = lean(sample())
Edit = Callable[[Inputs], Inputs]


def workload(number: int, **fields: Any) -> Edit:
    def edited(inputs: Inputs) -> Inputs:
        rows = list(inputs.workloads)
        rows[number] = rows[number].model_copy(update=fields)
        return replace(inputs, workloads=tuple(rows))

    return edited


def assumption(**fields: Any) -> Edit:
    return lambda inputs: replace(inputs, assumptions=inputs.assumptions.model_copy(update=fields))


def setting(**fields: Any) -> Edit:
    return lambda inputs: replace(inputs, settings=inputs.settings.model_copy(update=fields))


def dearer(gpu: str, factor: float) -> Edit:
    def edited(inputs: Inputs) -> Inputs:
        prices = [one.model_copy(update={"price": one.price * factor}) if one.gpu == gpu else one for one in inputs.catalog.prices]
        return replace(inputs, catalog=replace(inputs.catalog, prices=tuple(prices)))

    return edited


def without(number: int) -> Edit:
    return lambda inputs: replace(inputs, workloads=(*inputs.workloads[:number], *inputs.workloads[number + 1 :]))


def plus(number: int) -> Edit:
    def edited(inputs: Inputs) -> Inputs:
        more = inputs.workloads[number].model_copy(update={"workload": "another"})
        return replace(inputs, workloads=(*inputs.workloads, more))

    return edited


def gpu_with(gpu: str, **fields: Any) -> Edit:
    def edited(inputs: Inputs) -> Inputs:
        rows = [one.model_copy(update=fields) if one.gpu == gpu else one for one in inputs.catalog.gpus]
        return replace(inputs, catalog=replace(inputs.catalog, gpus=tuple(rows)))

    return edited


def other_cost(inputs: Inputs) -> Inputs:
    return replace(inputs, other_costs=(*inputs.other_costs, OtherCost(item="Audit", amount_per_month=1000, start_month=3)))


def scenario(**fields: Any) -> Edit:
    def edited(inputs: Inputs) -> Inputs:
        first, *others = inputs.plans.scenarios
        return replace(inputs, plans=replace(inputs.plans, scenarios=(first.model_copy(update=fields), *others)))

    return edited


def contract(inputs: Inputs) -> Inputs:
    agreed = Contract(contract="C-1", price_list="极智算", signed_on="2026-10-30", start_date="2026-11-01", term_months=24,
                      agreed_discount=0.1)  # fmt: skip
    return replace(inputs, plans=replace(inputs.plans, contracts=(agreed,)))


EDITS: dict[str, tuple[Edit, str]] = {
    "demand": (workload(0, peak_factor=9.0), "demand"),
    "lengths": (workload(1, output_tokens=900.0), "lengths"),
    "another card": (workload(1, gpu="L20"), "hardware"),
    "method": (workload(1, sizing_method="segment"), "method"),
    "discount": (workload(0, discount=0.1), "terms"),
    "decided cards": (workload(2, fixed_cards=16.0, override_reason="board"), "overrides"),
    "gone": (without(3), "removed"),
    "new": (plus(0), "added"),
    "safety": (assumption(safety=0.55), "assumed_speed"),
    "contingency": (assumption(contingency_rate=0.1), "assumed_money"),
    "growth": (assumption(monthly_growth=0.08), "assumed_demand"),
    "memory of a card": (gpu_with("L20", memory_gb=24.0), "facts"),
    "prices": (dearer("L20", 1.2), "prices"),
    "other costs": (other_cost, "others"),
    "another scenario": (setting(scenario="High"), "scenario"),
    "what a scenario changes": (scenario(requests_factor=1.5), "scenario"),
    "contract": (contract, "contracts"),
    "first month": (setting(budget_start=datetime.date(2027, 7, 1)), "calendar"),
}


def after(*names: str) -> Inputs:
    inputs = OLD
    for name in names:
        inputs = EDITS[name][0](inputs)
    return inputs


def adds_up(steps: Bridge) -> None:
    assert sum(one.effect for one in steps.steps) == pytest.approx(steps.change, abs=1e-6)
    assert [one.key for one in steps.steps] == [key for key in STEPS if key in {one.key for one in steps.steps}]


@pytest.mark.parametrize("name", EDITS)
def test_one_change_is_one_step_with_the_whole_effect(name: str) -> None:
    new, key = after(name), EDITS[name][1]
    steps = bridge(OLD, new, (12, 12))
    assert [one.key for one in steps.steps] == [key]
    assert steps.new.total == pytest.approx(year_cost(new, 12).total)
    assert steps.steps[0].effect == steps.steps[0].first == steps.steps[0].last == pytest.approx(steps.change)
    assert {step_of(one) for one in changes(OLD, new)} == {key}


def test_many_changes_add_up_and_depend_on_their_order() -> None:
    new = after(*EDITS)
    steps = bridge(OLD, new, (12, 24))
    adds_up(steps)
    assert {one.key for one in steps.steps} == {key for _, key in EDITS.values()}
    assert steps.new.total == pytest.approx(year_cost(new, 12).total)
    assert any(one.first != pytest.approx(one.effect) for one in steps.steps)  # otherwise the order would not matter
    assert steps.steps[0].first == steps.steps[0].effect and steps.steps[-1].last == pytest.approx(steps.steps[-1].effect)


def test_everything_taken_over_is_the_new_budget() -> None:
    new = after(*EDITS)
    made = mixed(OLD, new, STEPS)
    assert {one.workload: one for one in made.workloads} == {one.workload: one for one in new.workloads}
    assert made.assumptions == new.assumptions and made.other_costs == new.other_costs
    assert made.settings == new.settings and made.catalog.prices == new.catalog.prices
    assert mixed(OLD, new, ()).workloads == OLD.workloads


def test_the_cost_is_that_of_the_sheet(tmp_path: Path) -> None:
    new = after("contingency", "other costs", "growth")
    made = write(new, tmp_path / "b.xlsx")
    assert year_cost(new, 12).total == pytest.approx(made.total, rel=1e-9)


def test_a_workload_without_a_price_counts_nothing_and_is_named() -> None:
    name = OLD.workloads[0].workload
    steps = bridge(OLD, workload(0, price_list="nowhere")(OLD), (12, 12))
    assert steps.new.without == (name,)
    assert steps.change < 0
    adds_up(steps)


def test_two_currencies_have_no_difference() -> None:
    with pytest.raises(GpusheetError, match=r"^currency: found CNY and USD; .* set the budget currency of both books alike$"):
        bridge(OLD, setting(currency="USD")(OLD), (12, 12))


def test_changes_name_table_row_and_field() -> None:
    rate = Fx(currency="USD", budget_currency="CNY", rate=7.1, rate_date="2026-10-27", source="bank")
    new = replace(after("demand", "gone", "new"), catalog=replace(OLD.catalog, fx=(rate,)))
    told = [(one.table, one.row, one.field or one.kind, one.old, one.new) for one in changes(OLD, new)]
    assert told == [
        ("Workloads", OLD.workloads[0].workload, "peak_factor", 4.0, 9.0),
        ("Workloads", OLD.workloads[3].workload, "removed", OLD.workloads[3].workload, None),
        ("Workloads", "another", "added", None, "another"),
        ("FX", "USD | CNY", "added", None, "USD | CNY"),
    ]


def test_books_of_two_languages_and_sizes_are_the_same(tmp_path: Path) -> None:
    write(OLD, tmp_path / "a.xlsx")
    write(OLD, tmp_path / "b.xlsx", lang="zh", months=24, spare=9)
    found = diff(tmp_path / "a.xlsx", tmp_path / "b.xlsx")
    assert found.same and found.bridge is not None and found.bridge.change == 0


def test_formulas_that_a_person_changed(tmp_path: Path) -> None:
    write(OLD, tmp_path / "a.xlsx")
    made = build(after("safety"))
    top = made.budget.blocks["month_cost"]
    written = made.book["Budget"][f"K{top}"].value
    made.book["Budget"][f"K{top}"].value = 5000
    for column in "LM":
        made.book["Budget"][f"{column}{top}"].value = f"={column}{top - 15}*2"
    write_with_values(made.book, tmp_path / "b.xlsx")
    found = diff(tmp_path / "a.xlsx", tmp_path / "b.xlsx")
    assert found.formulas[0] == ()
    assert [(one.sheet, one.cells, one.found) for one in found.formulas[1]] == [
        ("Budget", f"K{top}", "5000.0"), ("Budget", f"L{top}:M{top}", f"=L{top - 15}*2")]  # fmt: skip
    assert found.formulas[1][0].written == written
    assert any("not by the changed formulas" in line for line in found.remarks)
    assert {(one.workload, one.name) for one in found.results} >= {("Chat assistant", "cards_needed")}


def test_formulas_of_another_version_are_not_compared(tmp_path: Path) -> None:
    write(OLD, tmp_path / "a.xlsx")
    made = build(after("safety"))
    made.book["Sizing"]["E9"].value = "=1+1"
    version: Any = next(one for one in made.book.custom_doc_props.props if one.name == "gpusheet_version")
    version.value = "0.0.1"
    write_with_values(made.book, tmp_path / "b.xlsx")
    found = diff(tmp_path / "a.xlsx", tmp_path / "b.xlsx")
    assert found.formulas == ((), ())
    assert found.remarks == ("b.xlsx: written by another version of gpusheet, so its formulas are not compared",)
