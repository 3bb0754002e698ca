"""The cell formula of a rule: its expression inside the guard that keeps missing missing.

Missing is "" in a sheet and NaN in Python. A sheet takes "" for a large text in comparisons, skips it in MIN and SUM
and answers #VALUE! in arithmetic; so a formula first counts that the numbers it needs are there and that no
denominator is zero. Which of its quantities can be missing or zero follows from the fields' bounds and the formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gpusheet.expr import Binary, Call, Constant, Expr, Place, Symbol, render

Sign = Literal["positive", "nonnegative", "any"]


@dataclass(frozen=True)
class Facts:
    """What is known of a quantity before its value is."""

    sign: Sign = "any"
    nullable: bool = True  # may be missing although the workload is complete
    number: bool = True  # False: text or a table, which is never counted


@dataclass(frozen=True)
class Guard:
    """What a formula needs: these quantities given and these expressions not zero."""

    given: tuple[str, ...]
    nonzero: tuple[Expr, ...]


def sign(expr: Expr, facts: Mapping[str, Facts]) -> Sign:
    """Whether an expression is always above 0, never below, or either."""
    if isinstance(expr, Symbol):
        return facts[expr.name].sign
    if isinstance(expr, Constant):
        value = expr.value
        if isinstance(value, str) or value < 0:
            return "any"
        return "positive" if value > 0 else "nonnegative"
    parts = [sign(part, facts) for part in expr.parts()]
    if isinstance(expr, Binary):
        if expr.operator == "^":
            return "positive" if parts[0] == "positive" else "any"
        if "any" in parts or expr.operator == "-":
            return "any"
        if expr.operator == "+":
            return "positive" if "positive" in parts else "nonnegative"
        return "positive" if parts == ["positive", "positive"] else "nonnegative"
    if isinstance(expr, Call):
        return _sign_of_call(expr, parts)
    return "any"


def _sign_of_call(call: Call, parts: list[Sign]) -> Sign:
    if call.operation in ("above", "at_least", "one_of", "whole_replicas", "remainder"):
        return "nonnegative"
    if call.operation == "maximum":
        return "positive" if "positive" in parts else "nonnegative" if "nonnegative" in parts else "any"
    values = {"where": parts[1:], "if_given": parts[-2:], "choose": parts[1:], "minimum": parts}.get(call.operation)
    if values is not None:
        return "any" if "any" in values else "nonnegative" if "nonnegative" in values else "positive"
    if call.operation == "largest":
        return parts[0]
    if call.operation in ("ceil", "floor", "step_up"):
        return "any" if parts[0] == "any" else "nonnegative"
    return "any"


def guard(expr: Expr, facts: Mapping[str, Facts]) -> Guard:
    """What has to be given and not zero for the expression to have a value."""
    given: dict[str, None] = {}
    nonzero: dict[str, Expr] = {}
    _collect(expr, facts, frozenset(), True, given, nonzero)
    return Guard(tuple(given), tuple(nonzero.values()))


def _collect(
    expr: Expr,
    facts: Mapping[str, Facts],
    exempt: frozenset[str],
    top: bool,
    given: dict[str, None],
    nonzero: dict[str, Expr],
) -> None:
    if isinstance(expr, Symbol):
        # a bare cell that is the whole result may be missing: "" passes through
        if not top and expr.name not in exempt and facts[expr.name].number:
            given[expr.name] = None
        return
    if isinstance(expr, Call) and expr.operation == "if_given":
        *present, then, otherwise = expr.arguments
        names = frozenset(part.name for part in present if isinstance(part, Symbol))
        _collect(then, facts, exempt | names, top, given, nonzero)
        _collect(otherwise, facts, exempt, top, given, nonzero)
        return
    if isinstance(expr, Call) and expr.operation == "choose":
        for branch in expr.arguments[1:]:
            _collect(branch, facts, exempt, top, given, nonzero)
        return
    if isinstance(expr, Call) and expr.operation == "whole_replicas":
        demand, _, *rest = expr.arguments  # the capacity matters only where there is demand
        for part in (demand, *rest):
            _collect(part, facts, exempt, False, given, nonzero)
        return
    if isinstance(expr, Binary) and expr.operator == "/":
        for factor in _factors(expr.right):
            if sign(factor, facts) != "positive":
                _check_denominator(factor)
                nonzero[render(factor, str)] = factor
    for part in expr.parts():
        _collect(part, facts, exempt, False, given, nonzero)


def _factors(expr: Expr) -> list[Expr]:
    if isinstance(expr, Binary) and expr.operator == "*":
        return _factors(expr.left) + _factors(expr.right)
    return [expr]


def _check_denominator(expr: Expr) -> None:
    """A test for zero must not itself fail on a missing number: sums of such are a rule of their own."""
    if any(isinstance(node, Binary) for node in expr.walk()):
        raise TypeError(f"{render(expr, str)} can be zero: divide by a quantity of its own, so that it can be tested")


def nullable(expr: Expr, facts: Mapping[str, Facts]) -> bool:
    """Whether the result can be missing although every required input is there."""
    needs = guard(expr, facts)
    if needs.nonzero or any(facts[name].nullable for name in needs.given):
        return True
    return _passes_missing(expr, facts) or any(
        isinstance(node, Call) and node.operation == "whole_replicas" and _may_lack(node.arguments[1], facts)
        for node in expr.walk()
    )


def _may_lack(capacity: Expr, facts: Mapping[str, Facts]) -> bool:
    """Whether a capacity can be missing or 0."""
    loose = any(facts[part.name].nullable for part in capacity.walk() if isinstance(part, Symbol))
    return loose or sign(capacity, facts) != "positive"


def _passes_missing(expr: Expr, facts: Mapping[str, Facts]) -> bool:
    """Whether a bare cell that may be missing can be the whole result."""
    if isinstance(expr, Symbol):
        return facts[expr.name].nullable
    if isinstance(expr, Call) and expr.operation == "choose":
        return any(_passes_missing(branch, facts) for branch in expr.arguments[1:])
    if isinstance(expr, Call) and expr.operation == "if_given":
        present = {part.name for part in expr.arguments[:-2] if isinstance(part, Symbol)}
        then, otherwise = expr.arguments[-2:]
        if not (isinstance(then, Symbol) and then.name in present) and _passes_missing(then, facts):
            return True
        return _passes_missing(otherwise, facts)
    return False


def cell_formula(
    expr: Expr, facts: Mapping[str, Facts], place: Place, complete: str = "", typed: str | None = None
) -> str:
    """The formula of a cell, with its '='.

    `place` gives the reference of each quantity, `complete` the condition under which all required inputs are there
    (`F$6="ok"`; blank where that is not in question), `typed` the cell of a typed value that replaces the rule.
    """
    body = _within_limits(render(expr, place))
    needs = guard(expr, facts)
    loose = any(facts[name].nullable for name in needs.given) or needs.nonzero
    if typed is not None:
        # a typed value stands even where the rule itself would have none
        body = f"CHOOSE(1+({typed}<>\"\"),{_guarded(body, needs, loose, place)},{typed})"
        return f'=IF({complete},{body},"")'
    if loose:
        return f"={_guarded(body, needs, loose, place, complete)}"
    return f'=IF({complete},{body},"")' if complete else f"={body}"


MOST_CHARACTERS, MOST_NESTING, MOST_TERMS = 8192, 64, 256


def _within_limits(body: str) -> str:
    """Refuses a formula that engines do not take alike; its guard is counted in generously."""
    depth = most = 0
    for sign_ in body:
        depth += (sign_ == "(") - (sign_ == ")")
        most = max(most, depth)
    terms = body.count("+") + body.count("-") + body.count("*") + body.count("/")
    for what, found, limit in (
        ("characters", 2 * len(body), MOST_CHARACTERS), ("nestings", most + 3, MOST_NESTING),
        ("terms", terms, MOST_TERMS),
    ):  # fmt: skip
        if found > limit:
            raise TypeError(f"{body[:60]}...: {found} {what}, at most {limit}; split the rule")
    return body


def _guarded(body: str, needs: Guard, loose: object, place: Place, complete: str = "") -> str:
    if not loose:
        return body
    there = f"COUNT({','.join(place(name) for name in needs.given)})={len(needs.given)}"
    tests = [f"({test})" for test in (complete, there) if test]
    tests += [f"({render(factor, place)}<>0)" for factor in needs.nonzero]
    condition = "*".join(tests) if len(tests) > 1 else there
    return f'IF({condition},{body},"")'


