"""Traffic: cards hour by hour in layers; sheet and Python agree, bills are what a person would add up."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import libreoffice
import numpy
import pytest
from decisions import Expected, changed, check, decided, expected, look_at, looked_at, moved, season
from parity import disagreements, random_inputs

from gpusheet.catalog.planning import HOURS, TrafficCurve
from gpusheet.decisions.rent_or_buy import BUY, decide
from gpusheet.decisions.traffic import WAYS, Traffic, traffic
from gpusheet.errors import UnknownName
from gpusheet.lookup import estimate
from gpusheet.workbook.book import Built, build
from gpusheet.workbook.cached import write_with_values
from gpusheet.workbook.evaluate import Values, evaluate
from gpusheet.workbook.inputs import Inputs, sample
from gpusheet.workbook.results.traffic_board import BILLS, BOTTOM, FIRST

MONTHS = 6


def _drawn(seed: int) -> Inputs:
    """A random table whose workloads have random curves, with zeros and ties among the weights."""
    draw = random.Random(seed)
    inputs, known = random_inputs(seed, 8), decided(profit_tax_rate=0.25, rent_vat_rate=0.06)
    curves = [TrafficCurve(curve=f"c{n}", **{hour: draw.choice([0, 0.1, 0.25, 0.7, 1, 1, 3.3]) for hour in HOURS}) for n in range(4)]
    workloads = [
        one.model_copy(update={"traffic_curve": f"C{n % 4}", "end_month": None, "start_month": None, "capex": 4e5,
                               "requests_per_day": draw.choice([2e4, 9e5, None])})
        for n, one in enumerate(inputs.workloads)
    ]  # fmt: skip
    plans = replace(known.plans, curves=curves)
    return look_at(replace(inputs, workloads=workloads, plans=plans, assumptions=known.assumptions), "w2")


CASES: dict[str, Callable[[], Inputs]] = {
    "office": decided,
    "steady": lambda: changed(decided(), traffic_curve="Flat", requests_per_day=900_000.0),
    "fixed": lambda: changed(decided(), fixed_cards=13.0, cards=2.0, override_reason="decided"),
    "owned": lambda: changed(decided(), owned_cards=2.0, committed_cards=1.0, min_replicas=2.0),
    "peak-typed": lambda: changed(decided(), requests_per_day=None, peak_concurrency=300.0),
    "shipped-sample": sample,
    "drawn": lambda: _drawn(4),
}


@cache
def case(name: str) -> tuple[Inputs, Built, Values, Expected]:
    inputs = CASES[name]()
    built = build(inputs, "en", MONTHS)
    return inputs, built, evaluate(built.book), expected(inputs, built, MONTHS)


def wrong(wanted: Expected, values: Values) -> list[str]:
    return disagreements({at: value for at, value in wanted.items() if at[0] == "Traffic"}, values)


def day(inputs: Inputs) -> Traffic:
    found = traffic(looked_at(inputs), inputs.context, season(inputs, MONTHS))
    assert found is not None
    return found


@pytest.mark.parametrize("name", CASES)
def test_every_figure_is_what_python_says(name: str) -> None:
    _, _, values, wanted = case(name)
    assert len([at for at in wanted if at[0] == "Traffic"]) > 300
    assert wrong(wanted, values) == []
    assert values.errors() == {}


def test_any_workload_can_be_looked_at() -> None:
    inputs, built, _, _ = case("drawn")
    rows: dict[Any, int] = {cell.value: cell.row for cell in built.book["Assumptions"]["A"]}
    cell: Any = built.book["Assumptions"].cell(rows["looked_at"], 3)
    before, found = cell.value, 0
    try:
        for name in ("w1", "w4", "w5", "w7"):
            cell.value = name
            wanted = expected(look_at(inputs, name), built, MONTHS)
            assert wrong(wanted, evaluate(built.book)) == []
            found += day(look_at(inputs, name)).bills["mixed"] > 0
    finally:
        cell.value = before
    assert found


@pytest.mark.parametrize("name", ["office", "drawn"])
def test_libreoffice_agrees(name: str, tmp_path: Path) -> None:
    book = build(CASES[name](), "zh", MONTHS).book
    values = write_with_values(book, tmp_path / "book.xlsx")
    assert libreoffice.differences(book, values, libreoffice.recalculate(tmp_path / "book.xlsx")) == []


@pytest.mark.parametrize("cell", ["D60", "I60", "D82", "H82", "F27", "E25", "D23", "B13", "B17", "G111", "E140", "H141"])
def test_a_poisoned_formula_is_found(cell: str) -> None:
    inputs = CASES["peak-typed"]()
    built = build(inputs, "en", MONTHS)
    poisoned: Any = built.book["Traffic"][cell]
    assert str(poisoned.value).startswith("=")
    poisoned.value = f"{poisoned.value}*1.00001"
    assert any(line.startswith(f"Traffic!{cell}:") for line in wrong(expected(inputs, built, MONTHS), evaluate(built.book)))


@pytest.mark.parametrize(("cell", "title"), [
    (f"C{BOTTOM}", "Traffic: card hours"), ("I60", "Traffic against Budget"), ("D55", "Traffic: requests of the hours"),
    (f"F{BILLS + 7}", "Traffic: the mix is never dearer"), (f"E{BILLS + 3}", "Traffic: cost of the mix by way"),
    (f"H{BOTTOM}", "Traffic against RentOrBuy: cost of owning"),
])  # fmt: skip
def test_a_changed_formula_turns_the_master_check_red(cell: str, title: str) -> None:
    built = build(decided(), "en", MONTHS)
    poisoned: Any = built.book["Traffic"][cell]
    poisoned.value = f"{poisoned.value}+{100000 if title.endswith('dearer') else 50}"
    values = evaluate(built.book)
    assert check(values, title)[5] == 0 and values.at("Checks", "D3") == "CHECK"


# --- the day itself ---


@pytest.mark.parametrize("name", ["office", "steady", "fixed", "owned", "peak-typed"])
def test_the_busiest_hour_has_the_cards_of_the_month(name: str) -> None:
    inputs = CASES[name]()
    found = day(inputs)
    decision = decide(looked_at(inputs), inputs.context, season(inputs, MONTHS))
    assert found.hours["hour_net"].max() == decision.cards > 0
    assert found.hours["hour_net"][found.hours["hour_share"].argmax()] == decision.cards
    assert (numpy.diff(found.layers["reach"]) > 0).all()
    assert found.layers["reach"][-1] == decision.cards


def test_an_hour_is_sized_as_a_workload_with_that_peak_would_be() -> None:
    """Cards of an hour are those of a workload whose whole demand is that hour's share of the peak."""
    inputs = changed(decided(), monthly_growth=0.0)
    own, found = looked_at(inputs), day(inputs)
    for hour in (3, 8, 12, 14):
        share = found.hours["hour_share"][hour]
        small = own.model_copy(update={"requests_per_day": own.requests_per_day * share})
        assert found.hours["hour_cards"][hour] == estimate([small], inputs.context)["cards_needed"].iloc[0]


def by_hand(inputs: Inputs) -> tuple[float, int]:
    """The least bill of a month over every number of cards bought, and that number: servers, lines and people in whole."""
    own, given, found = looked_at(inputs), inputs.assumptions, day(inputs)
    filled = {**dict(given), **own.filled(given)}
    decision = decide(own, inputs.context, season(inputs, MONTHS))
    hourly, monthly = (decision.offers[model][name] for model, name in (("on_demand", "paid_hour_price"), ("monthly", "paid_price")))
    gpu = next(one for one in inputs.catalog.gpus if one.gpu == own.gpu)
    price = decision.owning["card_capex"] * decision.owning["purchase_vat_kept"] / decision.owning["purchase_vat_factor"]
    share = (1 - filled["residual_share"]) / filled["useful_life_months"] + filled["maintenance_rate"] / 12
    rents = [min(sum(found.hours["hour_net"] >= card) * given.days_per_month * hourly, monthly)
             for card in range(1, int(found.hours["hour_net"].max()) + 1)]  # fmt: skip
    totals = []
    for number in range(len(rents) + 1):
        nodes = -(-number // gpu.max_cards_per_node)
        kilowatts = nodes * filled["node_power_kw"] + number * gpu.tdp_w * filled["power_per_tdp"] / 1000
        energy = filled["pue"] * 24 * given.days_per_month * filled["electricity_price"]
        running = kilowatts * (energy + filled["colocation_per_kw_month"])
        fixed = (filled["network_per_month"] + filled["staff_per_month"]) * (number > 0)
        totals.append(number * price * share + running + fixed + sum(rents[number:]))
    return min(totals), totals.index(min(totals))


@pytest.mark.parametrize("staff", [0.0, 500.0, 2000.0, 50_000.0])
@pytest.mark.parametrize("capex", [1e5, 2e5, 3e5, 4e5])
@pytest.mark.parametrize("name", ["office", "peak-typed"])
def test_the_mix_is_the_best_number_of_cards_to_buy(name: str, capex: float, staff: float) -> None:
    """Every number of cards tried: each alone with the servers, lines and people it takes, the others at the cheaper rent."""
    inputs = CASES[name]()
    inputs = changed(replace(inputs, assumptions=inputs.assumptions.model_copy(update={"staff_per_month": staff})), capex=capex)
    found, (least, number) = day(inputs), by_hand(inputs)
    assert found.bills["mixed"] == pytest.approx(least, rel=1e-12)
    assert sum(found.layers["layer_cards"][found.layers["way"] == BUY]) == number
    assert found.bills["mixed"] <= min(found.bills[way] for way in (*WAYS, "rented")) * (1 + 1e-12)


def test_the_first_card_carries_what_is_fixed() -> None:
    """One card bought needs a server and the lines of eight: it is not priced with an eighth of them."""
    inputs = CASES["office"]()
    found = day(inputs)
    owned = found.layers["reach_owned_card_cost"]
    decision = decide(looked_at(inputs), inputs.context, season(inputs, MONTHS))
    assert owned[-1] == pytest.approx(decision.owning["owned_card_cost"], rel=1e-12)
    assert owned[0] > 1.2 * owned[-1]
    assert found.layers["layer_purchase"].sum() == pytest.approx(decision.owning["owned_monthly_cost"], rel=1e-12)
    assert found.bills["on_demand"] == pytest.approx(found.hours["hour_net"].sum() * inputs.assumptions.days_per_month * 6.2, rel=1e-12)
    assert found.bills["monthly"] == pytest.approx(found.hours["hour_net"].max() * 4464.0, rel=1e-12)


def test_any_fleet_fits_in_a_row_for_each_hour() -> None:
    inputs = changed(decided(), requests_per_day=9e7)
    curve = TrafficCurve(curve="steps", **{hour: float(n + 1) for n, hour in enumerate(HOURS)})
    inputs = changed(replace(inputs, plans=replace(inputs.plans, curves=[curve])), traffic_curve="steps")
    found = day(inputs)
    assert len(found.layers["reach"]) == 24 and found.layers["reach"][-1] > 1000
    assert found.layers["layer_hours"].tolist() == list(range(24, 0, -1))
    built = build(inputs, "en", MONTHS)
    values = evaluate(built.book)
    assert wrong(expected(inputs, built, MONTHS), values) == [] and values.at("Checks", "D3") == "OK"


def test_equal_costs_are_rented_by_the_hour() -> None:
    """6.2 an hour for 720 hours is 4464 a month: rounding must not choose between them."""
    inputs = changed(decided(), capex=None, traffic_curve="Flat")
    found = day(inputs)
    assert set(found.layers["way"]) == {"on_demand"} and found.base == 0
    assert found.bills["on_demand"] == pytest.approx(found.bills["monthly"])


def test_the_peak_of_the_curve_stands_beside_the_typed_one() -> None:
    """The factor counts on the mean of the busy hours, the curve on that of the day: both are put on the day."""
    inputs = decided()
    found, curve = day(inputs), inputs.plans.curves[1].weights
    assert found.peaks["curve_peak"] == pytest.approx(24 * max(curve) / sum(curve))
    assert found.peaks["typed_peak"] == pytest.approx(3 * 24 / 12)
    for busy, factor, alert in ((24.0, found.peaks["curve_peak"] * 1.2, 0), (24.0, found.peaks["curve_peak"] * 1.3, 1), (12.0, 3.0, 1)):
        values = evaluate(build(changed(inputs, busy_hours=busy, peak_factor=factor), "en", MONTHS).book)
        assert check(values, "Typed peak is off its traffic curve")[3] == alert
    loose = replace(inputs, assumptions=inputs.assumptions.model_copy(update={"curve_tolerance": 5.0}))
    assert day(loose).peaks["peaks_differ"] == 0


# --- what is missing ---


def blank(values: Values) -> bool:
    rows = [*range(FIRST, FIRST + 24), *range(BOTTOM, BOTTOM + 24), *range(BILLS + 3, BILLS + 8)]
    return not [row for row in rows for letter in "DEFGHI" if isinstance(values.at("Traffic", f"{letter}{row}"), float)]


@pytest.mark.parametrize(("curve", "word"), [
    (None, "no curve named: traffic_curve in Workloads"), ("idle", "all weights are 0"), ("gone", "no such curve in Curves"),
], ids=["none", "idle", "gone"])  # fmt: skip
def test_without_a_curve_all_is_blank_and_says_why(curve: str | None, word: str) -> None:
    inputs = changed(decided(), traffic_curve=curve)
    inputs = replace(inputs, plans=replace(inputs.plans, curves=[*inputs.plans.curves, TrafficCurve(curve="idle")]))
    built = build(inputs, "en", MONTHS)
    values = evaluate(built.book)
    assert values.errors() == {} and values.at("Checks", "D3") == "OK"
    assert values.at("Traffic", "B6") == word
    assert blank(values)
    if curve is None:
        assert traffic(looked_at(inputs), inputs.context, [1.0]) is None
    elif curve == "gone":
        with pytest.raises(UnknownName, match="traffic_curve"):
            traffic(looked_at(inputs), inputs.context, [1.0])
    else:
        assert numpy.isnan(day(inputs).bills["mixed"])


def test_a_way_without_a_price_is_left_out_of_the_mix() -> None:
    inputs = changed(decided(), capex=None)
    gpu = looked_at(inputs).gpu
    prices = [one for one in inputs.catalog.prices if (one.gpu, one.pricing_model) != (gpu, "on_demand")]
    inputs = replace(inputs, catalog=replace(inputs.catalog, prices=prices))
    built = build(inputs, "en", MONTHS)
    values = evaluate(built.book)
    cells = built.results["Traffic"]["cells"]
    bills = {key: values.at("Traffic", cells[f"bill_{key}"].replace("$", "")) for key in (*WAYS, "mixed")}
    assert bills["on_demand"] == bills[BUY] == "" and bills["mixed"] == bills["monthly"] == 8 * 4464 / 2
    assert wrong(expected(inputs, built, MONTHS), values) == [] and values.errors() == {}


def test_an_unknown_workload_blanks_the_sheet() -> None:
    values = evaluate(build(look_at(decided(), "Nobody"), "en", MONTHS).book)
    assert values.errors() == {} and blank(values)
    assert values.at("Traffic", "B4") == "no workload of that name: looked_at in Assumptions"


# --- live ---


def test_inputs_move_the_sheet_and_the_checks_stay_green() -> None:
    """Weights, prices and demand, five percent up."""
    inputs = changed(decided(), requests_per_day=600_000.0)
    built = build(inputs, "en", MONTHS)
    before = evaluate(built.book)
    book: Any = built.book
    workloads = {cell.value: cell.column for cell in book["Workloads"][6]}
    curves = {cell.value: cell.column for cell in book["Curves"][6]}
    prices = {cell.value: cell.column for cell in book["Prices"][6]}
    gpu = looked_at(inputs).gpu
    quoted = [row for row in range(7, book["Prices"].max_row + 1) if book["Prices"].cell(row, prices["gpu"]).value == gpu]
    cells = [book["Workloads"].cell(8, workloads[name]) for name in ("requests_per_day", "capex", "peak_factor")]
    cells += [book["Curves"].cell(8, curves["h09"]), book["Prices"].cell(quoted[-4], prices["price"])]
    for cell in cells:
        kept, cell.value = cell.value, cell.value * 1.05
        after = evaluate(book)
        cell.value = kept
        assert moved(before, after, "Traffic"), f"{cell.parent.title}!{cell.coordinate} moves nothing"
        assert after.at("Checks", "D3") == "OK" and after.errors() == {}
