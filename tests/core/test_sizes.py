"""Whole replicas: none without demand, none that would do without capacity, the same on numbers and columns."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sheet import calculate
from values import same

from gpusheet.expr import Symbol, render
from gpusheet.ops import NAN
from gpusheet.sizes import largest, remainder, step_up, tier, whole_replicas

STEPS = (0.0, 1.0, 2.0, 4.0, 8.0)

CASES = [
    # demand, capacity, cards, least -> cards
    (300, 169, 8, 1, 16), (0, 169, 8, 1, 0), (0, 0, 8, 1, 0), (0, math.nan, 8, 2, 0), (300, 0, 8, 1, math.nan),
    (300, math.nan, 8, 1, math.nan), (math.nan, 169, 8, 1, math.nan), (1, 169, 2, 3, 6), (0.1 * 3 * 10, 1, 1, 1, 3),
    (5, -2, 1, 1, math.nan), (5, 2, math.nan, 1, math.nan),
]  # fmt: skip


@pytest.mark.parametrize(("demand", "capacity", "cards", "least", "wanted"), CASES)
def test_one(demand: float, capacity: float, cards: float, least: float, wanted: float) -> None:
    assert same(whole_replicas(demand, capacity, cards, least), wanted)


@pytest.mark.parametrize(("cards", "wanted"), [
    (0, 0), (1, 1), (2.67, 4), (5, 8), (7.9999999999, 8), (8, 8), (9, 9), (13, 16), (16, 16), (19, 20), (math.nan, math.nan),
])  # fmt: skip
def test_tiers(cards: float, wanted: float) -> None:
    assert same(tier(cards, STEPS), wanted)
    assert same(float(tier(np.array([cards]), STEPS)[0]), wanted)  # type: ignore[arg-type, index]
    assert same(remainder(cards, 8), float(remainder(np.array([cards]), 8)[0]))  # type: ignore[arg-type, index]


def test_columns_are_as_single_numbers() -> None:
    demand, capacity, cards, least, wanted = (np.array(column, dtype=float) for column in zip(*CASES, strict=True))
    found = whole_replicas(demand, capacity, cards, least)  # type: ignore[arg-type]
    assert np.array_equal(found, wanted, equal_nan=True)


@pytest.mark.parametrize("x", [0, 0.5, 1, 1 + 1e-12, 2.67, 4, 4.0000001, 8])
def test_steps_of_a_table(x: float) -> None:
    expected = next(step for step in STEPS if step >= x - 1e-9)
    assert step_up(x, STEPS) == expected
    assert step_up(np.array([x]), STEPS).tolist() == [expected]
    formula = render(step_up(Symbol("xx"), Symbol("steps")), str).replace("steps", "{0,1,2,4,8}")
    assert calculate([f"={formula}"], {"xx": x}) == [expected]


def test_above_the_last_step_is_missing() -> None:
    assert math.isnan(step_up(8.5, STEPS)) and math.isnan(step_up(NAN, STEPS))
    assert np.isnan(step_up(np.array([8.5, NAN]), STEPS)).all()
    assert largest(STEPS) == 8
