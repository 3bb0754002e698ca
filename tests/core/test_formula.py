"""Cell formulas keep missing missing: what they count, what they test for zero, and where a typed value stands."""

from __future__ import annotations

from typing import Any

import pytest
from sheet import calculate

from gpusheet import ops
from gpusheet.annuity import present_value
from gpusheet.expr import Expr, Symbol
from gpusheet.formula import Facts, Sign, cell_formula, guard, nullable, sign
from gpusheet.sizes import largest, whole_replicas

A, B, C, TEXT = Symbol("aa"), Symbol("bb"), Symbol("cc"), Symbol("text")
SURE = Facts("positive", nullable=False)
LOOSE = Facts("any", nullable=True)
NAME = Facts(number=False, nullable=False)


def facts(**known: Facts) -> dict[str, Facts]:
    return {"aa": SURE, "bb": SURE, "cc": SURE, "text": NAME} | known


def formula(expression: Any, typed: str | None = None, complete: str = "TRUE", **known: Facts) -> str:
    assert isinstance(expression, Expr)
    return cell_formula(expression, facts(**known), str, complete, typed)


@pytest.mark.parametrize(("expression", "known", "spelling"), [
    (A * B, {}, '=IF(ok,aa*bb,"")'),
    (A * B, {"bb": LOOSE}, '=IF((ok)*(COUNT(bb)=1),aa*bb,"")'),
    (A * B, {"aa": LOOSE, "bb": LOOSE}, '=IF((ok)*(COUNT(aa,bb)=2),aa*bb,"")'),
    (A / B, {"bb": Facts("nonnegative", nullable=False)}, '=IF((ok)*(N(bb)>0),aa/bb,"")'),
    (A / (B * C), {"cc": LOOSE}, '=IF((ok)*(N(cc)<>0),aa/(bb*cc),"")'),
    (ops.either(A, 0) * B, {"aa": LOOSE}, '=IF(ok,N(aa)*bb,"")'),
    (ops.if_given(A, 1, 0) * B, {"aa": LOOSE}, '=IF(ok,COUNT(aa)*bb,"")'),
    (ops.where(ops.above(A, 0), B, C), {}, '=IF(ok,CHOOSE(1+(aa>tiny),cc,bb),"")'),
    (ops.pick(A, B, C), {"cc": LOOSE}, '=IF(ok,CHOOSE(1+aa,bb,cc),"")'),
    (ops.choose(TEXT, one=A, two=B), {}, '=IF(ok,CHOOSE(MATCH(text,{"one","two"},0),aa,bb),"")'),
    (ops.either(A, B), {"aa": LOOSE}, '=IF(ok,CHOOSE(1+COUNT(aa),bb,aa),"")'),
    (ops.if_given(A, A * C, B), {"aa": LOOSE}, '=IF((ok)*(COUNT(cc)=1),CHOOSE(1+COUNT(aa),bb,aa*cc),"")'),
])  # fmt: skip
def test_guard_is_as_short_as_the_facts_allow(expression: Any, known: dict[str, Facts], spelling: str) -> None:
    if "COUNT(cc)=1" in spelling:  # cc may be missing as well
        known = known | {"cc": LOOSE}
    assert formula(expression, complete="ok", **known) == spelling


def test_completeness_is_not_asked_twice() -> None:
    """A cell that is blank where the workload is not complete says so by itself, once it must be a number."""
    def spelled(expression: Any, *computed: str, **known: Facts) -> str:
        return cell_formula(expression, facts(**known), str, "ok", computed=computed)

    assert spelled(A * B, "aa", aa=LOOSE) == '=IF(COUNT(aa)=1,aa*bb,"")'
    assert spelled(A / B, "bb", bb=LOOSE) == '=IF(N(bb)<>0,aa/bb,"")'
    assert spelled(A * B, "bb", aa=LOOSE) == '=IF((ok)*(COUNT(aa)=1),aa*bb,"")', "nothing asks whether bb is a number"
    assert calculate([spelled(A / B, "bb", bb=LOOSE)], {"aa": 1.0, "bb": None, "ok": True}) == [""]


def test_a_capacity_is_asked_for_only_where_it_may_lack() -> None:
    def spelled(expression: Any, **known: Facts) -> str:
        return formula(expression, complete="ok", **known)

    zero = Facts("nonnegative", nullable=False)
    needed = "CHOOSE(1+(aa>tiny),0,MAX(1,-INT(tiny-aa/{}))*8)"
    assert spelled(whole_replicas(A, B, 8, 1)) == f'=IF(ok,{needed.format("bb")},"")'
    assert spelled(whole_replicas(A, B, 8, 1), bb=zero) == f'=IF((ok)*((aa<=tiny)+(bb>0)>0),{needed.format("bb")},"")'
    assert spelled(whole_replicas(A, B * C, 8, 1), bb=LOOSE) == (
        f'=IF((ok)*((aa<=tiny)+(N(bb)>0)>0),{needed.format("(bb*cc)")},"")')


def test_workload_that_is_not_complete_shows_nothing() -> None:
    assert calculate([formula(A * B, complete='text="ok"')], {"aa": 2.0, "bb": 3.0, "text": "ok"}) == [6]
    assert calculate([formula(A * B, complete='text="ok"')], {"aa": None, "bb": 3.0, "text": "input?"}) == [""]


@pytest.mark.parametrize("expression", [
    A + B, A - B, A * B, A / B, ops.minimum(A, B), ops.maximum(A, B), ops.above(A, B), ops.at_least(B, A),
    ops.where(ops.above(A, 0), B, A), ops.ceil(A / B), ops.floor(A + B), ops.power(A, B),
    ops.name_of_smallest(one=A, two=B, three=A), present_value(A, B, A, B),
])  # fmt: skip
def test_missing_in_missing_out(expression: Expr) -> None:
    """In a sheet "" is a large text in comparisons, skipped by MIN and an error in arithmetic."""
    text = formula(expression, aa=LOOSE, bb=LOOSE)
    for cells in ({"aa": None, "bb": 3.0}, {"aa": 3.0, "bb": None}, {"aa": None, "bb": None}):
        assert calculate([text], cells) == [""]
    assert calculate([text], {"aa": 0.5, "bb": 2.0}) != [""]


def test_division_by_zero_is_missing() -> None:
    free = Facts("any", nullable=False)
    texts = [formula(A / B, bb=free), formula(A / (B * C), bb=free, cc=free)]
    assert calculate(texts, {"aa": 1.0, "bb": 0.0, "cc": 0.0}) == ["", ""]
    assert calculate(texts, {"aa": 6.0, "bb": 3.0, "cc": 1.0}) == [2, 2]


def test_a_branch_that_takes_over_the_missing_needs_it_not() -> None:
    text = formula(ops.either(A, B * C), aa=LOOSE, bb=LOOSE)
    assert calculate([text], {"aa": None, "bb": 2.0, "cc": 3.0}) == [6]
    assert calculate([text], {"aa": 5.0, "bb": 2.0, "cc": 3.0}) == [5]
    assert calculate([text], {"aa": None, "bb": None, "cc": 3.0}) == [""]


def test_bare_cell_that_is_missing_passes_through() -> None:
    text = formula(ops.choose(TEXT, one=A, two=B), aa=LOOSE)
    assert calculate([text], {"text": "one", "aa": None, "bb": 2.0}) == [""]
    assert calculate([text], {"text": "two", "aa": None, "bb": 2.0}) == [2]


def test_typed_value_stands_even_where_the_rule_has_none() -> None:
    text = formula(A / B, typed="typed", complete='text="ok"', aa=LOOSE, bb=Facts("any", nullable=True))
    assert calculate([text], {"aa": 6.0, "bb": 3.0, "typed": None, "text": "ok"}) == [2]
    assert calculate([text], {"aa": 6.0, "bb": 3.0, "typed": 0.0, "text": "ok"}) == [0]
    assert calculate([text], {"aa": None, "bb": 0.0, "typed": 9.0, "text": "ok"}) == [9]
    assert calculate([text], {"aa": None, "bb": 0.0, "typed": None, "text": "ok"}) == [""]
    assert calculate([text], {"aa": 6.0, "bb": 3.0, "typed": 9.0, "text": ""}) == [""]


def test_a_sum_in_a_denominator_that_can_be_zero_is_refused() -> None:
    with pytest.raises(TypeError, match=r"bb-cc can be zero: divide by a quantity of its own, so that"):
        formula(A / (B - C))
    assert formula(A / (B + C), complete="ok") == '=IF(ok,aa/(bb+cc),"")'


@pytest.mark.parametrize(("expression", "expected"), [
    (A, "positive"), (B, "nonnegative"), (C, "any"),
    (A + B, "positive"), (B + B, "nonnegative"), (A - B, "any"), (A * B, "nonnegative"), (A / A, "positive"),
    (A * C, "any"), (-A, "any"), (A**C, "nonnegative"), (B**C, "any"), (A * 0, "nonnegative"), (A + -1, "any"),
    (ops.maximum(C, 0), "nonnegative"), (ops.maximum(C, A), "positive"), (ops.minimum(A, B), "nonnegative"),
    (ops.minimum(A, C), "any"), (ops.ceil(A), "nonnegative"), (ops.floor(C), "any"), (ops.above(C, C), "nonnegative"),
    (ops.where(ops.above(C, 0), A, B), "nonnegative"), (ops.choose(TEXT, one=A, two=A), "positive"),
    (ops.either(C, A), "any"), (present_value(A, A, A, A), "any"), (largest(A), "positive"),
])  # fmt: skip
def test_sign(expression: Any, expected: Sign) -> None:
    known = facts(bb=Facts("nonnegative", nullable=False), cc=Facts("any", nullable=False))
    assert sign(expression, known) == expected


def test_what_can_be_missing() -> None:
    known = facts(cc=LOOSE)
    assert not nullable(A * B, known) and nullable(A * C, known) and nullable(ops.choose(TEXT, one=C, two=A), known)
    assert not nullable(ops.either(C, A), known) and nullable(ops.either(A, C), known)
    assert nullable(A / B, facts(bb=Facts("nonnegative", nullable=False)))
    assert guard(A * C / B, known).given == ("aa", "cc", "bb")
