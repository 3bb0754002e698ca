"""`name=value` words of `calc` and `why`: which names there are, what may be typed, what was found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from gpusheet.errors import GpusheetError, UnknownName, nearest

if TYPE_CHECKING:
    from gpusheet.catalog import Column
    from gpusheet.registry import Rule

_NAMED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_OPTION = re.compile(r"--?[A-Za-z]")


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
    from gpusheet.wiring import column_of_parameter

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
    from gpusheet.case import LOOKED_UP
    from gpusheet.wiring import column_of, quantities

    return {name: column_of(name) for name in quantities()} | dict(LOOKED_UP)


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
    if value is None or (isinstance(value, float) and column.outside(value)):
        raise GpusheetError(f"{place}: found {text!r}, allowed {column.allowed()}")
    return value


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
