"""Symbols stand for cells: what they refuse, and that their spelling means in a sheet what it means in Python."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from sheet import calculate

from gpusheet import ops
from gpusheet.annuity import present_value
from gpusheet.constants import SECONDS_PER_HOUR
from gpusheet.expr import Call, Constant, Symbol, number_text, render, substitute, wrap
from gpusheet.registry import all_rules

A, B, C = Symbol("aa"), Symbol("bb"), Symbol("cc")


@pytest.mark.parametrize(("use", "advice"), [
    (lambda: 1 if A else 2, "cannot branch on a cell: use ops.where"),
    (lambda: A and B, "use ops.where"),
    (lambda: max(A, B), "use ops.above or ops.at_least"),
    (lambda: float(A), r"leave out float\(\) and int\(\)"),
    (lambda: int(A * 2), r"leave out float\(\) and int\(\)"),
    (lambda: math.sqrt(A), r"leave out float\(\)"),
    (lambda: round(A), "use ops.ceil or ops.floor"),
    (lambda: math.ceil(A), "use ops.ceil or ops.floor"),
    (lambda: A < B, "use ops.above or ops.at_least"),
    (lambda: A >= 1, "use ops.above or ops.at_least"),
    (lambda: A == "pcie", "use ops.one_of or ops.choose for text"),
    (lambda: A != 0, "use ops.one_of or ops.choose for text"),
    (lambda: A in ("pcie", "none"), "use ops.one_of"),
    (lambda: abs(A), "use the operations of gpusheet.ops"),
    (lambda: A % 2, "use the operations of gpusheet.ops"),
    (lambda: A // 2, "use the operations of gpusheet.ops"),
    (lambda: list(A), "a cell is one value"),
    (lambda: numpy.asarray(A), "a cell is one value"),
])  # fmt: skip
def test_refused_with_what_to_use(use: Callable[[], Any], advice: str) -> None:
    with pytest.raises(TypeError, match=advice) as caught:
        use()
    assert re.search("met in the formula .*(aa|bb)", str(caught.value))


@pytest.mark.parametrize("use", [
    lambda: numpy.maximum(A, 1), lambda: numpy.log(A), lambda: numpy.array([1.0, 2.0]) * A,
    lambda: numpy.float64(2) * A, lambda: A + numpy.array([1.0]),
])  # fmt: skip
def test_numpy_does_not_take_a_symbol_apart(use: Callable[[], Any]) -> None:
    try:
        made = use()
    except TypeError:
        return
    assert isinstance(made, type(A * 2)), "one expression, not an array of them"
    assert render(made, str) == "2*aa"


@pytest.mark.parametrize("value", [True, None, [1], (1, 2), {"a": 1}])
def test_only_numbers_and_text_enter_a_formula(value: object) -> None:
    with pytest.raises(TypeError, match="numbers, text and symbols only"):
        wrap(value)


# each with Python's own precedence; the sheet's differs (-2^2 is 4 there, 2^3^2 is 64)
FORMULAS: list[tuple[Callable[..., Any], str]] = [
    (lambda a, b, c: -(a**2), "-(aa^2)"),
    (lambda a, b, c: (-a) ** 2, "(-aa)^2"),
    (lambda a, b, c: (a**b) ** c, "(aa^bb)^cc"),
    (lambda a, b, c: a ** (b**c), "aa^(bb^cc)"),
    (lambda a, b, c: 2**-a, "2^(-aa)"),
    (lambda a, b, c: a - (b - c), "aa-(bb-cc)"),
    (lambda a, b, c: a - (b + c), "aa-(bb+cc)"),
    (lambda a, b, c: a - b - c, "aa-bb-cc"),
    (lambda a, b, c: a / (b / c), "aa/(bb/cc)"),
    (lambda a, b, c: a / (b * c), "aa/(bb*cc)"),
    (lambda a, b, c: a / b * c, "aa/bb*cc"),
    (lambda a, b, c: (a + b) * (c - 1), "(aa+bb)*(cc-1)"),
    (lambda a, b, c: a - -b, "aa-(-bb)"),
    (lambda a, b, c: a * -b, "aa*(-bb)"),
    (lambda a, b, c: -a * b, "-aa*bb"),
    (lambda a, b, c: -(a + b), "-(aa+bb)"),
    (lambda a, b, c: a + (-3) * b, "aa+(-3*bb)"),
    (lambda a, b, c: -1 * -a, "-1*(-aa)"),
    (lambda a, b, c: a - ops.ceil(b), "aa-(-INT(tiny-bb))"),
    (lambda a, b, c: ops.ceil(b) ** 2, "(-INT(tiny-bb))^2"),
    (lambda a, b, c: a / present_value(0.01, b, c, 0), "aa/(-PV(0.01,bb,cc,0))"),
    (lambda a, b, c: 12 - ops.above(a, b) * c, "12-(aa>bb+tiny)*cc"),
    (lambda a, b, c: a - ops.at_least(b, c), "aa-1*(bb>=cc-tiny)"),
    (lambda a, b, c: ops.floor((a + b) / c), "INT((aa+bb)/cc+tiny)"),
    (lambda a, b, c: ops.where(ops.above(a, 0), b - c, c), "CHOOSE(1+(aa>tiny),cc,bb-cc)"),
    (lambda a, b, c: ops.above(a - b, c - a), "1*(aa-bb>cc-aa+tiny)"),
]


@pytest.mark.parametrize(("function", "spelling"), FORMULAS, ids=[spelling for _, spelling in FORMULAS])
def test_spelling_means_the_same_in_a_sheet(function: Callable[..., Any], spelling: str) -> None:
    assert render(function(A, B, C), str) == spelling
    for row in [(2.0, 3.0, 2.0), (3.0, 2.0, 1.5), (1.5, 3.0, 4.0)]:
        [value] = calculate([f"={spelling}"], dict(zip(("aa", "bb", "cc"), row, strict=True)))
        assert value == pytest.approx(float(function(*row)), rel=1e-12)


def test_numbers_are_written_with_15_digits() -> None:
    assert [number_text(x) for x in (1 / 3, 1e21, 1e-9, 524288, -0.5, 0.1 + 0.2)] == [
        "0.333333333333333", "1E21", "1E-09", "524288", "-0.5", "0.3"]  # fmt: skip
    assert render(A * 1e21, str) == "aa*1E21"


def test_text_is_quoted() -> None:
    assert render(Constant('a 19" rack'), str) == '"a 19"" rack"'
    assert calculate(["=" + render(Constant('a 19" rack'), str)], {}) == ['a 19" rack']


def test_constants_are_spelled_by_name() -> None:
    assert render(A / (B * SECONDS_PER_HOUR), str) == "aa/(bb*seconds_per_hour)"
    assert 7200 / SECONDS_PER_HOUR == 2


def test_a_default_of_one_does_not_show() -> None:
    assert render(A * 1 / B, str) == "aa/bb"
    assert render(A * 1.0, str) == "aa*1"


def test_substitution_keeps_the_meaning() -> None:
    inner = substitute(A**2 / ops.ceil(B), {"aa": B + C, "bb": -C})
    assert render(inner, str).startswith("(bb+cc)^2/(-INT(tiny-")
    assert calculate(["=" + render(inner, str)], {"bb": 3.0, "cc": -2.0}) == [0.5]


def test_walk_meets_every_part() -> None:
    names = [part.name for part in ops.where(ops.above(A, B), A * C, 2).walk() if isinstance(part, Symbol)]
    assert names == ["aa", "bb", "aa", "cc"]


def test_formulas_of_rules_are_short() -> None:
    """A person reads them in a cell, and no engine meets its limits: 8,192 characters, 64 nestings."""
    for rule in all_rules().values():
        text = render(rule.plain_expression, lambda _: "E123")
        depth = max(text[:end].count("(") - text[:end].count(")") for end in range(len(text) + 1))
        assert len(text) < 300 and depth < 10, rule.name
        assert all(isinstance(part, Call | Symbol | Constant) or part.parts() for part in rule.expression.walk())
