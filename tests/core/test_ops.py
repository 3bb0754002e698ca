"""Each operation means the same for numbers, for arrays and in a sheet, ties and missing included."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy
import pytest
from sheet import calculate
from values import same

from gpusheet import ops
from gpusheet.annuity import present_value
from gpusheet.expr import Expr, Symbol, render
from gpusheet.ops import NAN, TINY

# values that a spreadsheet takes for equal and Python does not, around whole numbers and around each other
TIES = [0.0, -1.0, 0.1 * 3, 0.3, 0.1 * 3 * 10, 3.0, 2.67, 7.999999999999, 8.0, 3.0000001, 1e-10, -0.5]

# how to call each operation with up to three numbers; what takes a table or text is tested by itself below
ON_NUMBERS: dict[str, Callable[..., Any]] = {
    "ceil": lambda a, b, c: ops.ceil(a),
    "floor": lambda a, b, c: ops.floor(a),
    "power": lambda a, b, c: ops.power(a + 10, b),
    "minimum": ops.minimum,
    "maximum": ops.maximum,
    "above": lambda a, b, c: ops.above(a, b),
    "at_least": lambda a, b, c: ops.at_least(a, b),
    "where": lambda a, b, c: ops.where(ops.above(a, b), b, c),
    "if_given": ops.if_given,
    "either": lambda a, b, c: ops.either(a, b),
    "name_of_smallest": lambda a, b, c: ops.name_of_smallest(first=a, second=b, third=c),
    "present_value": lambda a, b, c: present_value(ops.maximum(a, 0), ops.maximum(b, 0), c, a),
}
OTHERWISE = {"one_of", "choose", "pick"}
each = pytest.mark.parametrize("name", ON_NUMBERS)
TRIPLES = [*product(TIES[:6], TIES[2:8], TIES[4:7]), *zip(TIES, TIES, reversed(TIES), strict=True)]


def test_every_operation_is_tested_here() -> None:
    functions = {name for name in ops.__all__ if inspect.isfunction(getattr(ops, name))}
    assert functions == (set(ON_NUMBERS) - {"present_value"}) | OTHERWISE


@each
def test_arrays_give_what_numbers_give(name: str) -> None:
    rows = [*TRIPLES, (NAN, 1.0, 2.0), (1.0, NAN, 2.0), (1.0, 2.0, NAN), (NAN, NAN, NAN)]
    numbers = [ON_NUMBERS[name](*row) for row in rows]
    columns = ON_NUMBERS[name](*(numpy.array(column) for column in zip(*rows, strict=True)))
    for row, one, other in zip(rows, numbers, columns.tolist(), strict=True):
        assert same(one, other), row


@each
def test_a_sheet_gives_what_numbers_give(name: str) -> None:
    formula = "=" + render(ON_NUMBERS[name](Symbol("aa"), Symbol("bb"), Symbol("cc")), str)
    for row in TRIPLES[::3]:
        ours = ON_NUMBERS[name](*row)
        [theirs] = calculate([formula], dict(zip(("aa", "bb", "cc"), row, strict=True)))
        assert same(ours, theirs), (row, formula)


@pytest.mark.parametrize("name", sorted(set(ON_NUMBERS) - {"if_given", "either", "name_of_smallest"}))
def test_missing_stays_missing(name: str) -> None:
    used = 1 if name in ("ceil", "floor") else 2 if name in ("power", "above", "at_least") else 3
    for position in range(used):
        row = [1.0, 2.0, 3.0]
        row[position] = NAN
        assert math.isnan(ON_NUMBERS[name](*row)), position


@pytest.mark.parametrize(("x", "up", "down"), [
    (0.1 * 3 * 10, 3, 3), (2.9999999999, 3, 3), (3.0000000001, 3, 3), (3.000001, 4, 3), (0.0, 0, 0), (1e-12, 0, 0),
    (-0.5, 0, -1), (1e15 + 1, 1e15 + 1, 1e15 + 1),
])  # fmt: skip
def test_rounding_overlooks_rounding_errors_only(x: float, up: float, down: float) -> None:
    assert (ops.ceil(x), ops.floor(x)) == (up, down)


def test_comparisons_overlook_rounding_errors_only() -> None:
    assert ops.above(0.1 + 0.2, 0.3) == 0 == ops.above(0.3, 0.1 + 0.2)
    assert ops.at_least(0.3, 0.1 + 0.2) == 1 == ops.at_least(0.1 + 0.2, 0.3)
    assert ops.above(0.3 + 2 * TINY, 0.3) == 1 and ops.at_least(0.3 - 2 * TINY, 0.3) == 0


def test_rounding_of_infinite_is_missing() -> None:
    assert math.isnan(ops.ceil(math.inf)) and math.isnan(ops.floor(-math.inf))
    endless = numpy.array([math.inf, -math.inf])
    with numpy.errstate(invalid="ignore"):  # as rules are called
        assert numpy.isnan(ops.ceil(endless)).all() and numpy.isnan(ops.floor(endless)).all()


def test_where_is_missing_when_a_branch_not_taken_is() -> None:
    """A sheet's formula counts all its quantities first; so does Python."""
    assert math.isnan(ops.where(1, 5, NAN)) and math.isnan(ops.where(0, NAN, 5))


def test_first_of_equals_is_the_smallest() -> None:
    assert ops.name_of_smallest(memory=0.1 + 0.2, prefill=0.3, decode=5) == "memory"
    assert ops.name_of_smallest(memory=7, prefill=0.1 + 0.2, decode=0.3) == "prefill"
    with pytest.raises(TypeError, match="exactly three"):
        ops.name_of_smallest(memory=1, prefill=2)


def test_an_option_by_its_number() -> None:
    numbers = numpy.array([0.0, 2.0, 1.0, NAN, 1.0])
    found = ops.pick(numbers, 0.6, numpy.array([NAN, 6.0, 7.0, 8.0, NAN]), 0.4)
    assert found[:3].tolist() == [0.6, 0.4, 7.0] and numpy.isnan(found[3:]).all()
    assert ops.pick(numbers, "all", "part", "none").tolist() == ["all", "none", "part", "", "part"]
    assert [ops.pick(number, "all", "part", "none") for number in numbers.tolist()] == ["all", "none", "part", "", "part"]
    assert ops.pick(1, NAN, 6) == 6 and math.isnan(ops.pick(NAN, 5, 6, 7))
    formulas = ["=" + render(ops.pick(Symbol("number"), 0.6, 0.5, 0.4), str), "=" + render(ops.pick(
        ops.above(Symbol("number"), 0) + ops.above(Symbol("number"), 1), "all", "part", "none"), str)]
    assert calculate(formulas, {"number": 2.0}) == [0.4, "none"]
    assert calculate(formulas, {"number": 1.0}) == [0.5, "part"]


def test_text() -> None:
    links = numpy.array(["pcie", "nvlink", "none", ""])
    assert ops.one_of(links, "pcie", "none").tolist() == [1, 0, 1, 0]
    assert [ops.one_of(link, "pcie", "none") for link in links.tolist()] == [1, 0, 1, 0]
    chosen = ops.choose(links, pcie=1.0, nvlink=numpy.array([10.0, 20.0, 30.0, 40.0]))
    assert chosen[:2].tolist() == [1, 20] and numpy.isnan(chosen[2:]).all()
    formulas = [
        "=" + render(ops.one_of(Symbol("link"), "pcie", "none"), str),
        "=" + render(ops.choose(Symbol("link"), pcie=1.5, nvlink=2), str),
    ]
    assert calculate(formulas, {"link": "nvlink"}) == [0, 2]
    assert calculate(formulas, {"link": "PCIe"}) == [1, 1.5], "a sheet compares text without case"


def test_present_value_is_a_sum_of_discounted_flows() -> None:
    flows = [100.0] * 35 + [100.0 + 777.0]
    slow = sum(flow / 1.006**month for month, flow in enumerate(flows, 1))
    assert present_value(0.006, 36, 100, 777) == pytest.approx(slow, rel=1e-12)
    assert present_value(0, 36, 100, 777) == 36 * 100 + 777


def test_operations_on_symbols_compute_nothing() -> None:
    for name, call in ON_NUMBERS.items():
        assert isinstance(call(Symbol("aa"), 1, 2), Expr), name
