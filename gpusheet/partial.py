"""Some of the quantities: for searches, which ask often for little."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from gpusheet.errors import UnknownName
from gpusheet.missing import is_missing
from gpusheet.registry import settle_array, settle_number
from gpusheet.solver import _defaults
from gpusheet.wiring import order, quantities


@dataclass(frozen=True)
class Step:
    """A rule as it is carried out: what it computes, and the quantities that are its arguments."""

    name: str
    function: Callable[..., Any]
    needs: tuple[tuple[str, str], ...]  # parameter, quantity
    sources: tuple[str, ...]  # the quantities


def solve_only(wanted: tuple[str, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """What is given, with the wanted quantities and all that these need.

    Values are taken as they are, without the checks of `solve`; arrays of numbers stand for several cases. A value given
    for a rule replaces it.

    >>> round(solve_only(("peak_qps",), {"requests_per_day": 80000.0, "busy_hours": 10.0, "peak_factor": 4.0})["peak_qps"], 2)
    8.89
    """
    values = _defaults()
    values.update((name, value) for name, value in given.items() if value is not None)
    arrays = {name for name, value in given.items() if hasattr(value, "shape")}
    run([step for step in needed(wanted) if step.name not in arrays and is_missing(values.get(step.name))], values, arrays)
    return values


def run(steps: Iterable[Step], values: dict[str, Any], arrays: set[str]) -> None:
    """Adds what the steps compute to the values; `arrays` are the names of those that are arrays."""
    if not arrays:
        for step in steps:
            values[step.name] = settle_number(step.function, {name: values[source] for name, source in step.needs})
        return
    import numpy

    with numpy.errstate(all="ignore"):
        for step in steps:
            arguments = {name: values[source] for name, source in step.needs}
            if arrays.isdisjoint(step.sources):
                values[step.name] = settle_number(step.function, arguments)
            else:
                values[step.name] = settle_array(numpy.asarray(step.function(**arguments)))
                arrays.add(step.name)


@cache
def needed(wanted: tuple[str, ...], unlike: frozenset[str] = frozenset()) -> tuple[Step, ...]:
    """The rules behind some quantities, in an order in which each has what it needs; none that depend on `unlike`.

    >>> [step.name for step in needed(("context_tokens",), frozenset({"output_tokens"}))]
    ['p95_input_tokens', 'planning_input_tokens']
    """
    known = quantities()
    names, found = list(wanted), set[str]()
    while names:
        name = names.pop()
        if name not in known:
            raise UnknownName("quantity", name, known)
        if name not in found and (rule := known[name].rule) is not None:
            found.add(name)
            names += rule.needs.values()
    steps, varied = [], set(unlike)
    for rule in order():
        if rule.name in found:
            if varied.isdisjoint(rule.needs.values()):
                steps.append(Step(rule.name, rule.function, tuple(rule.needs.items()), tuple(rule.needs.values())))
            else:
                varied.add(rule.name)
    return tuple(steps)
