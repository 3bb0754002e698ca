"""`name=value` words of `calc` and `why`: which names there are, what may be typed, what was found."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from gpusheet.errors import GpusheetError, UnknownName, nearest

if TYPE_CHECKING:
    from gpusheet.catalog import Column
    from gpusheet.registry import Parameter, Rule

_NAMED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_OPTION = re.compile(r"--?[A-Za-z]")
_BOUNDS = {"gt": operator.gt, "ge": operator.ge, "lt": operator.lt, "le": operator.le}


def split(words: Iterable[str]) -> tuple[list[str], dict[str, str]]:
    """Values by position, then values by name.

    >>> split(["32", "kv_bytes=2"])
    (['32'], {'kv_bytes': '2'})
    """
    placed: list[str] = []
    named: dict[str, str] = {}
    for word in words:
        match = _NAMED.fullmatch(word)
        if match is None and _OPTION.match(word):
            raise typer.BadParameter(f"found {word!r}, allowed name=value and --help")
        if match is None:
            if named:
                raise GpusheetError(f"found {word!r} after name=value; give values by position first, or all by name")
            placed.append(word)
            continue
        name, value = match[1].lower(), match[2]
        if name in named:
            raise GpusheetError(f"{name}: given twice, as {named[name]!r} and {value!r}; leave one")
        named[name] = value
    return placed, named


def rule_arguments(rule: Rule, words: Sequence[str]) -> dict[str, Any]:
    """What was typed for a rule, read and within bounds: its own parameters and anything upstream of them."""
    placed, named = split(words)
    own = {parameter.name: parameter for parameter in rule.parameters}
    if len(placed) > len(own):
        expected = ", ".join(own)
        raise GpusheetError(f"{rule.name}: found {len(placed)} values, allowed {len(own)} at most ({expected})")
    texts = dict(zip(own, placed, strict=False))
    for name, text in named.items():
        if name in texts:
            raise GpusheetError(f"{rule.name}, {name}: given by position and by name; leave one")
        texts[name] = text
    if rule.name in texts:
        raise GpusheetError(f"{rule.name}: is what is asked for; give what it is computed from ({', '.join(own)})")
    known = known_names()
    values = {}
    for name, text in texts.items():
        column = column_of_parameter(own[name]) if name in own else known.get(name)
        if column is None:
            raise UnknownName(f"{rule.name}, argument", name, _nearby(name, own, known))
        values[name] = read(column, name, text, f"{rule.name}, {name}")
    return values


def quantity_arguments(name: str, words: Sequence[str]) -> dict[str, Any]:
    """What was typed for a quantity: only by name, as positions belong to the function of a rule."""
    placed, named = split(words)
    if placed:
        raise GpusheetError(f"{name}: found {placed[0]!r}, allowed name=value such as requests_per_day=80000")
    known = known_names()
    values = {}
    for key, text in named.items():
        if key not in known:
            raise UnknownName(f"{name}, argument", key, _nearby(key, upstream([name], {}), known))
        values[key] = read(known[key], key, text, f"{name}, {key}")
    return values


def _nearby(found: str, closest: Iterable[str], all_names: Iterable[str]) -> Iterable[str]:
    """The names to offer: those that belong here, unless one of all the others is much like what was found."""
    return [*closest, *(name for name in nearest(found, all_names))]


def known_names() -> dict[str, Column]:
    """Every name that may be given: quantities, and the names by which facts and prices are looked up."""
    from gpusheet.cli.case import LOOKED_UP
    from gpusheet.wiring import quantities

    return {name: column_of(name) for name in quantities()} | dict(LOOKED_UP)


def column_of(name: str) -> Column:
    """What may be typed for a quantity: as its field says, else by the sign and the limit of its rule."""
    from gpusheet.catalog import Column
    from gpusheet.wiring import facts, quantities

    quantity = quantities()[name]
    column = quantity.column
    if column is None:
        known = facts()[name]
        column = Column(
            name, quantity.unit, quantity.en, quantity.zh, "", "number" if known.number else "text", required=False,
            gt=0 if known.sign == "positive" else None, ge=0 if known.sign == "nonnegative" else None,
        )  # fmt: skip
    most = quantity.rule.most if quantity.rule else None
    return column if most is None else replace(column, le=most)


def column_of_parameter(parameter: Parameter) -> Column:
    from gpusheet.catalog import Column
    from gpusheet.wiring import inputs, quantities

    if (source := parameter.wired_to or parameter.name) in quantities():
        return column_of(source)
    if source in inputs():
        return inputs()[source][1]
    kind = "text" if parameter.unit.symbol == "text" else "number"
    return Column(parameter.name, parameter.unit, parameter.name, parameter.name, "", kind, required=True)


def read(column: Column, name: str, text: str, place: str) -> Any:
    """A value of that column; blank is missing."""
    from gpusheet.wiring import TABLES

    if name in TABLES:
        return _steps(text, place)
    if not text.strip():
        return None
    try:
        value = column.read(text)
    except (ValueError, TypeError, KeyError):
        value = None
    if value is None or not within(column, value) or (isinstance(value, float) and not math.isfinite(value)):
        raise GpusheetError(f"{place}: found {text!r}, allowed {column.allowed()}")
    return value


def within(column: Column, value: Any) -> bool:
    limits = {bound: getattr(column, bound) for bound in _BOUNDS}
    return all(limit is None or _BOUNDS[bound](value, limit) for bound, limit in limits.items())


def _steps(text: str, place: str) -> tuple[float, ...]:
    """A table of sizes such as 0,1,2,4,8."""
    from gpusheet.solver import solve

    try:
        steps = tuple(float(part) for part in text.split(","))
        solve({"tiers": steps})
    except ValueError:
        allowed = "ascending numbers that begin with 0, such as 0,1,2,4,8"
        raise GpusheetError(f"{place}: found {text!r}, allowed {allowed}") from None
    return steps


def upstream(names: Iterable[str], given: Mapping[str, Any]) -> list[str]:
    """The quantities that these are computed from, themselves included, not going below what is given."""
    from gpusheet.wiring import quantities

    found: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop(0)
        if name in found:
            continue
        found[name] = None
        rule = quantities()[name].rule
        if rule is not None and given.get(name) is None:
            waiting += rule.needs.values()
    return list(found)
