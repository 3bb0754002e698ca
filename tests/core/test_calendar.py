"""The budget's months: every line against the same calculation written out in plain Python, month by month."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any

import pytest
from values import same

from gpusheet import Assumptions, Context, Workload
from gpusheet.calendar import LINES, MONTH_INPUTS, by_month
from gpusheet.catalog import Catalog
from gpusheet.expr import Symbol
from gpusheet.lookup import look_up
from gpusheet.solver import solve
from gpusheet.wiring import quantities

MONTHS = 18
SEASON = [0.8, 0.9, 1.0, 1.0, 1.1, 1.3, 1.0, 0.7, 1.0, 1.0, 1.6, 2.0] * 2
HOLDERS = ["L20", "H20-96G", "H200-141G-SXM", "RTX4090-48G"]
LISTS = {"L20": "gongjiyun", "H20-96G": "极智算", "H200-141G-SXM": "极智算", "RTX4090-48G": "极智算"}


def random_workload(number: int) -> Workload:
    chance = random.Random(number)
    gpu = chance.choice(HOLDERS)
    start = chance.randint(1, 6)
    values: dict[str, Any] = {
        "workload": f"w{number}", "gpu": gpu, "model": chance.choice(["Generic-7B", "Generic-32B", "Generic-70B"]),
        "input_tokens": chance.randint(100, 3000), "output_tokens": chance.randint(50, 900),
        "requests_per_day": chance.choice([None, 0, 5000, 80000, 200_000, 1_000_000]),
        "cards": chance.choice([1, 2, 4, 8]),
        "sizing_method": chance.choice(["throughput", "constraint", "segment"]), "start_month": start,
        "end_month": chance.choice([None, start, start + 7]), "ramp_months": chance.choice([1, 3, 6]),
        "monthly_growth": chance.choice([0, 0.05, -0.1, 0.3]), "min_replicas": chance.choice([1, 2]),
        "fixed_cards": chance.choice([None, None, 6]), "owned_cards": chance.choice([0, 2]),
        "committed_cards": chance.choice([0, 0, 8]), "discount": chance.choice([0, 0.15]),
        "price_list": chance.choice([LISTS[gpu], None]), "weight_precision": chance.choice(["fp16", "int8", "int4"]),
        "pricing_model": chance.choice(["on_demand", "on_demand", "monthly"]),
    }  # fmt: skip
    return Workload(**values)


def tier_of(cards: float) -> float:
    """Whole nodes of 8, then the smallest instance that holds the rest."""
    if math.isnan(cards):
        return math.nan
    nodes, rest = divmod(cards, 8)
    return nodes * 8 + next(size for size in (0, 1, 2, 4, 8) if size >= rest)


def slowly(work: Workload, sized: Mapping[str, Any], month: int) -> dict[str, float]:
    """One month of one workload, in the words of the budget: no rule, no operation of gpusheet."""
    assert work.start_month is not None and work.ramp_months is not None and work.monthly_growth is not None
    active = work.start_month <= month and (work.end_month is None or month <= work.end_month)
    ramp = min(1.0, max(0.0, (month - work.start_month + 1) / work.ramp_months))
    factor = (1 + work.monthly_growth) ** (month - 1) * SEASON[month - 1] * ramp if active else 0.0
    if work.sizing_method == "throughput":
        demand, capacity = sized["token_demand"], sized["card_throughput"] * sized["cards"] * sized["fits"]
    elif work.sizing_method == "constraint":
        demand, capacity = sized["peak_concurrency"], sized["concurrency"]
    else:
        demand, capacity = sized["peak_concurrency"] * sized["peak_buffer"], sized["segment_concurrency"]
    demand *= factor
    if demand == 0:
        cards = 0.0
    elif math.isnan(demand) or math.isnan(capacity) or capacity == 0:
        cards = math.nan
    else:
        cards = max(sized["min_replicas"], math.ceil(demand / capacity - 1e-9)) * sized["cards"]
    needed = work.fixed_cards * active if work.fixed_cards is not None else cards
    billed = tier_of(needed)
    net = billed if math.isnan(billed) else max(0.0, billed - sized["owned_cards"] - sized["committed_cards"])
    periods = 720 if work.pricing_model == "on_demand" else 1
    return {
        "month_active": float(active), "demand_factor": factor, "month_demand": demand, "month_demand_cards": cards,
        "month_cards": needed, "month_tier": billed, "month_net_cards": net,
        "month_cost": net * sized["unit_price"] * periods * (1 - sized["discount"]),
    }  # fmt: skip


@pytest.fixture(scope="module")
def found() -> list[Any]:
    return [look_up(random_workload(number), Context()) for number in range(150)]


def test_every_month_equals_the_calculation_by_hand(found: list[Any]) -> None:
    table = by_month(found, MONTHS, SEASON[:MONTHS])
    assert len(table) == len(found) * MONTHS
    assert set(table.columns) == {"workload_number", "month", *(line.name for line in LINES)}
    costs = 0
    for number, one in enumerate(found):
        sized = solve(one.values)
        for month in range(1, MONTHS + 1):
            row = table.iloc[number * MONTHS + month - 1].to_dict()
            assert (row["workload_number"], row["month"]) == (number + 1, month)
            for name, value in slowly(one.workload, sized, month).items():
                assert same(row[name], value), (one.workload, month, name, value, row[name])
                costs += name == "month_cost" and value > 0
    assert costs > 150, "the random workloads cost something"


def test_a_month_at_full_demand_is_the_sizing(found: list[Any]) -> None:
    """Month 1 with no ramp, growth or season asks for what Sizing shows."""
    ready = [one for one in found if one.workload.start_month == 1 and one.workload.ramp_months == 1]
    assert len(ready) > 3
    table = by_month(ready, 1, [1.0])
    for row, one in zip(table.itertuples(), ready, strict=True):
        sized = solve(one.values)
        pairs = {"month_cards": "cards_needed", "month_tier": "card_tier", "month_net_cards": "net_cards",
                 "month_cost": "monthly_cost"}  # fmt: skip
        for line, name in pairs.items():
            assert same(getattr(row, line), sized[name]), (one.workload, line)


def test_lines_build_on_months_earlier_lines_and_sizing_only() -> None:
    known = {*MONTH_INPUTS, *quantities()}
    for line in LINES:
        symbols = {part.name for part in line.expression.walk() if isinstance(part, Symbol)}
        assert symbols <= known, line.name
        assert not symbols & {"growth_factor", "ramp_share"}, "written out inside the formula"
        known.add(line.name)


def test_typed_peak_grows_as_well() -> None:
    work = Workload(workload="w", gpu="L20", model="Generic-7B", input_tokens=200, output_tokens=300,
                    peak_concurrency=100, concurrency=10, sizing_method="constraint")  # fmt: skip
    context = Context(catalog=Catalog.builtin(), assumptions=Assumptions(monthly_growth=0.1))
    table = by_month([look_up(work, context)], 3, [1, 1, 1])
    assert table["month_demand"].tolist() == pytest.approx([100, 110, 121])
    assert table["month_cards"].tolist() == [10, 11, 13]
