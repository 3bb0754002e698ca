"""The cell formula of a rule: its expression inside the guard that keeps missing missing.

Missing is "" in a sheet and NaN in Python. A sheet takes "" for a large text in comparisons, skips it in MIN and SUM
and answers #VALUE! in arithmetic; so a formula first counts that the numbers it needs are there and that no
denominator is zero. Which of its quantities can be missing or zero follows from the fields' bounds and the formulas.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Literal

from gpusheet.expr import Binary, Call, Constant, Expr, Place, Symbol, render

Sign = Literal["positive", "nonnegative", "any"]

_CHOOSING = ("choose", "pick")


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
    served: tuple[tuple[Expr, Expr], ...] = ()  # a demand and the capacity that must be there where the demand is


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
            return "nonnegative" if parts[0] == "positive" else "any"  # it may be too small for a number
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
    values = {"where": parts[1:], "pick": parts[1:], "if_given": parts[-2:], "choose": parts[1:], "minimum": parts}.get(call.operation)
    if values is not None:
        return "any" if "any" in values else "nonnegative" if "nonnegative" in values else "positive"
    if call.operation == "largest":
        return parts[0]
    if call.operation in ("ceil", "floor", "step_up"):
        return "any" if parts[0] == "any" else "nonnegative"
    return "any"


def guard(expr: Expr, facts: Mapping[str, Facts]) -> Guard:
    """What has to be given and not zero for the expression to have a value."""
    needs = _Needs(facts)
    needs.collect(expr, frozenset(), top=True)
    return Guard(tuple(needs.given), tuple(needs.nonzero.values()), tuple(needs.served))


class _Needs:
    def __init__(self, facts: Mapping[str, Facts]) -> None:
        self.facts = facts
        self.given: dict[str, None] = {}
        self.nonzero: dict[str, Expr] = {}
        self.served: list[tuple[Expr, Expr]] = []

    def collect(self, expr: Expr, exempt: frozenset[str], top: bool = False) -> None:
        if isinstance(expr, Symbol):
            # a bare cell that is the whole result may be missing: "" passes through
            if not top and expr.name not in exempt and self.facts[expr.name].number:
                self.given[expr.name] = None
            return
        if isinstance(expr, Call) and expr.operation == "if_given":
            *present, then, otherwise = expr.arguments
            names = frozenset(part.name for part in present if isinstance(part, Symbol))
            self.collect(then, exempt | names, top)
            self.collect(otherwise, exempt, top)
            return
        if isinstance(expr, Call) and expr.operation in _CHOOSING:
            if expr.operation == "pick":
                self.collect(expr.arguments[0], exempt)
            for branch in expr.arguments[1:]:
                self.collect(branch, exempt, top)
            return
        parts = expr.parts()
        if isinstance(expr, Call) and expr.operation == "whole_replicas":
            demand, capacity, *rest = parts  # the capacity matters only where there is demand
            self.served.append((demand, capacity))
            parts = (demand, *rest)
        if isinstance(expr, Binary) and expr.operator == "/":
            for factor in _factors(expr.right):
                if sign(factor, self.facts) != "positive":
                    _check_denominator(factor)
                    self.nonzero[render(factor, str)] = factor
        for part in parts:
            self.collect(part, exempt)


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
    return _passes_missing(expr, facts) or any(_may_lack(capacity, facts) for _, capacity in needs.served)


def _may_lack(capacity: Expr, facts: Mapping[str, Facts]) -> bool:
    """Whether a capacity can be missing or 0."""
    loose = any(facts[part.name].nullable for part in capacity.walk() if isinstance(part, Symbol))
    return loose or sign(capacity, facts) != "positive"


def _passes_missing(expr: Expr, facts: Mapping[str, Facts]) -> bool:
    """Whether a bare cell that may be missing can be the whole result."""
    if isinstance(expr, Symbol):
        return facts[expr.name].nullable
    if isinstance(expr, Call) and expr.operation in _CHOOSING:
        return any(_passes_missing(branch, facts) for branch in expr.arguments[1:])
    if isinstance(expr, Call) and expr.operation == "if_given":
        present = {part.name for part in expr.arguments[:-2] if isinstance(part, Symbol)}
        then, otherwise = expr.arguments[-2:]
        if not (isinstance(then, Symbol) and then.name in present) and _passes_missing(then, facts):
            return True
        return _passes_missing(otherwise, facts)
    return False


def cell_formula(
    expr: Expr,
    facts: Mapping[str, Facts],
    place: Place,
    complete: str = "",
    typed: str | None = None,
    computed: Container[str] = (),
) -> str:
    """The formula of a cell, with its '='.

    `place` gives the reference of each quantity, `complete` the condition under which all required inputs are there
    (`F$6="ok"`; blank where that is not in question), `typed` the cell of a typed value that replaces the rule. `computed`
    are the quantities whose cells are blank where that condition does not hold, so that it need not be asked again where one
    of them must be a number.
    """
    body = _within_limits(render(expr, place))
    needs = guard(expr, facts)
    tests = _tests(needs, facts, place)
    if typed is not None:
        # a typed value stands even where the rule itself would have none
        body = f"CHOOSE(1+COUNT({typed}),{body},{typed})"
        tests = [f"COUNT({typed})+{_all(tests, brackets=True)}>0"] if tests else []
        tests = [complete, *tests] if complete else tests
        return f'=IF({_all(tests)},{body},"")' if tests else f"={body}"
    if not any(name in computed for name in _must_be_numbers(needs, facts)):
        tests = [complete, *tests] if complete else tests
    return f'=IF({_all(tests)},{body},"")' if tests else f"={body}"


def _must_be_numbers(needs: Guard, facts: Mapping[str, Facts]) -> list[str]:
    """The quantities that the tests of a guard find blank."""
    return [name for name in needs.given if facts[name].nullable or name in _divisors(needs)]


def _divisors(needs: Guard) -> set[str]:
    return {part.name for part in needs.nonzero if isinstance(part, Symbol) and part.name in needs.given}


def _tests(needs: Guard, facts: Mapping[str, Facts], place: Place) -> list[str]:
    """What has to hold for an expression to have a value, in as few tests as will do: what is always there is not
    counted, nor a divisor, as N of a blank cell is 0."""
    divisors = _divisors(needs)
    counted = [place(name) for name in needs.given if facts[name].nullable and name not in divisors]
    tests = [f"COUNT({','.join(counted)})={len(counted)}"] if counted else []
    for part in needs.nonzero:
        text = render(part, place)
        shown = f"N({text})" if isinstance(part, Symbol) and part.name in divisors else text
        tests.append(f"{shown}{'>' if sign(part, facts) == 'nonnegative' else '<>'}0")
    for demand, capacity in needs.served:
        lacking = [part for part in _factors(capacity) if _may_lack(part, facts)]
        able = "*".join(_blank_is_0(part, facts, place, len(lacking) > 1) for part in lacking)
        if able:
            tests.append(f"({render(demand, place)}<=tiny)+({able}>0)>0")
    return tests


def _blank_is_0(expr: Expr, facts: Mapping[str, Facts], place: Place, multiplied: bool) -> str:
    """A factor; a blank cell is large in a comparison and an error in a product, but N of it is 0."""
    text = render(expr, place)
    return f"N({text})" if isinstance(expr, Symbol) and (multiplied or facts[expr.name].nullable) else text


def _all(tests: list[str], brackets: bool = False) -> str:
    """Tests that must all hold, as one condition."""
    if len(tests) == 1 and not brackets:
        return tests[0]
    return "*".join(f"({test})" for test in tests)


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
