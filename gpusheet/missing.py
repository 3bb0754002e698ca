"""Why a result is missing: which inputs nobody gave, or what could not be divided."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gpusheet.case import Case, named_by
from gpusheet.errors import as_typed
from gpusheet.expr import Call, Expr, Symbol, render
from gpusheet.registry import Rule, settle_number
from gpusheet.wiring import TABLES, quantities


def is_missing(value: Any) -> bool:
    """None, NaN and blank text.

    >>> is_missing(float("nan")), is_missing(""), is_missing(0.0)
    (True, True, False)
    """
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def reason(rule: Rule, arguments: Mapping[str, Any], values: Mapping[str, Any], case: Case) -> str:
    """One line on why a rule has no value for these arguments, in names that may be given."""
    sources = {p.name: p.wired_to or p.name for p in rule.parameters}
    given = [sources[name] for name in _required(rule, arguments, rule.plain_expression)]
    wanted: dict[str, str] = {}  # input -> what to type for it
    blocked: dict[str, None] = {}
    seen: set[str] = set()
    if not given:
        blocked[_shown(rule, arguments)] = None
    while given:
        name = given.pop(0)
        if name in seen:
            continue
        seen.add(name)
        above = quantities()[name].rule if name in quantities() else None
        if above is None or not values:  # a rule called by itself has nothing above its arguments
            wanted.setdefault(name, _way(name, case))
            continue
        parts = {parameter: values[source] for parameter, source in above.needs.items()}
        needs = [above.needs[parameter] for parameter in _required(above, parts, above.expression)]
        if not needs:
            blocked[_shown(above, parts)] = None
        if quantities()[name].column and not any(quantities()[need].rule for need in needs):
            wanted |= dict.fromkeys(needs, name)  # a figure that is typed as often as computed
        given += needs
    prices = [line for line in case.no_price if any("price_list" in named_by(name) for name in wanted)]
    if prices:
        wanted = {name: way for name, way in wanted.items() if "price_list" not in named_by(name)}
    lines = [*blocked, *prices, *([f"give {_ways(wanted)}"] if wanted else [])]
    return f"{rule.name}: missing; {'; '.join(lines)}"


def _way(name: str, case: Case) -> str:
    """What to type for an input: the first name that leads to it and is not there yet, else the input itself."""
    return next((way for way in named_by(name) if way not in case.typed and way not in case.assumed), name)


def _required(rule: Rule, arguments: Mapping[str, Any], expression: Expr) -> list[str]:
    """The missing arguments without which the rule stays missing, whatever the others are."""
    absent = [name for name, value in arguments.items() if is_missing(value)]
    # where a typed value may stand in for a calculation, the calculation is what is asked about
    optional = {
        part.name
        for call in expression.walk() if isinstance(call, Call) and call.operation == "if_given"
        for part in call.arguments[:-2] if isinstance(part, Symbol)
    }  # fmt: skip
    optional |= {p.name for p in rule.parameters if p.wired_to in optional}
    needed = [name for name in absent if name not in optional]
    decisive = []
    for name in needed:
        trial = {other: _filler(rule, other) if other in needed and other != name else value
                 for other, value in arguments.items()}  # fmt: skip
        if is_missing(settle_number(rule.function, {key: as_argument(rule, key, one) for key, one in trial.items()})):
            decisive.append(name)
    return decisive or needed or absent


def as_argument(rule: Rule, name: str, value: Any) -> Any:
    """A value as the rule's function takes it: missing is NaN, or blank text."""
    if not is_missing(value):
        return value
    return "" if _is_text(rule, name) else float("nan")


def _is_text(rule: Rule, name: str) -> bool:
    return next(p.unit.symbol for p in rule.parameters if p.name == name) == "text"


def _filler(rule: Rule, name: str) -> Any:
    """Some value that the argument may have."""
    if not _is_text(rule, name):
        return 1.0
    source = next(p.wired_to or p.name for p in rule.parameters if p.name == name)
    column = quantities()[source].column if source in quantities() else None
    return column.choices[0] if column and column.choices else "text"


def _shown(rule: Rule, arguments: Mapping[str, Any]) -> str:
    """A formula that has no result although all is given, with its figures."""
    figures = ", ".join(f"{name}={as_typed(value)}" for name, value in arguments.items() if name not in TABLES)
    return f"{rule.name} = {render(rule.plain_expression, str)} has no value at {figures}"


def _ways(wanted: Mapping[str, str]) -> str:
    """What to type, in reading order: a card or a model once, with the facts that it would bring."""
    ways: dict[str, list[str]] = {}
    for name in (*quantities(), *wanted):
        if name in wanted and name not in ways.get(wanted[name], ()):
            ways.setdefault(wanted[name], []).append(name)
    return ", ".join(f"{way} (or {', '.join(names)})" if names != [way] else way for way, names in ways.items())
