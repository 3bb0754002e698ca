"""The sizes that cards come in: whole replicas and tiers."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import cast

from gpusheet.expr import ADD, ATOM, MULTIPLY, POWER
from gpusheet.ops import (
    NAN,
    TINY,
    _call,
    _missing,
    _numpy,
    _scalar,
    _symbolic,
    ceil,
    maximum,
)
from gpusheet.units import Tiers


def largest(table: Sequence[float]) -> float:
    """The largest entry of a table such as the card tiers.

    >>> largest((0, 1, 2, 4, 8))
    8.0
    """
    if _symbolic(table):
        return cast(float, _call("largest", (table,), lambda a: f"MAX({a[0]})"))
    return float(max(table))


def step_up(x: float, table: Sequence[float]) -> float:
    """The smallest entry of an ascending table, beginning with 0, that is not below x; missing above the last.

    >>> step_up(2.67, (0, 1, 2, 4, 8)), step_up(0, (0, 1, 2, 4, 8)), step_up(9, (0, 1, 2, 4, 8))
    (4.0, 0.0, nan)
    """
    if _symbolic(x, table):
        spell = "INDEX({1},1+SUMPRODUCT(1*({1}<={0}-tiny)))"
        return cast(float, _call("step_up", (x, table), lambda a: spell.format(*a), needs=(ADD, ATOM)))
    if _scalar(x):
        position = bisect_right(table, x - TINY)
        return float(table[position]) if position < len(table) and not _missing(x) else NAN
    numpy = _numpy()
    steps = numpy.append(numpy.asarray(table, dtype=float), NAN)
    return cast(float, steps[numpy.searchsorted(steps[:-1], numpy.asarray(x, dtype=float) - TINY, side="right")])


def remainder(x: float, whole: float) -> float:
    """What is left of a number of cards after as many whole nodes as fit.

    >>> remainder(13, 8), remainder(8, 8)
    (5.0, 0.0)
    """
    if _symbolic(x, whole):
        return cast(float, _call("remainder", (x, whole), lambda a: f"MOD({a[0]},{a[1]})"))
    if _scalar(x, whole):
        return float(x % whole) if math.isfinite(x) else NAN
    return x % whole


def tier(cards: float, tiers: Tiers) -> float:
    """The next size that is sold: whole nodes of the largest, and the smallest tier that holds the rest."""
    rest = remainder(cards, largest(tiers))
    return cards - rest + step_up(rest, tiers)


def whole_replicas(demand: float, capacity: float, cards: float, least: float) -> float:
    """Cards of as many whole replicas as a demand needs, at least so many; none without demand, whatever the capacity.

    Missing where there is demand and a replica has no capacity: no number of them would do.

    >>> whole_replicas(300, 169, 8, 1), whole_replicas(0, 0, 8, 1), whole_replicas(300, 0, 8, 1)
    (16.0, 0.0, nan)
    """
    if _symbolic(demand, capacity, cards, least):
        spell = "CHOOSE(1+({0}>tiny),0,MAX({3},-INT(tiny-{0}/{1}))*{2})"
        needs = (ADD, POWER, MULTIPLY, 0)
        arguments = (demand, capacity, cards, least)
        return cast(float, _call("whole_replicas", arguments, lambda a: spell.format(*a), needs=needs))
    if _scalar(demand, capacity, cards, least):
        if _missing(demand, cards, least):
            return NAN
        if demand <= TINY:
            return 0.0
        return maximum(least, ceil(demand / capacity)) * cards if capacity > 0 else NAN
    numpy = _numpy()
    usable = numpy.where(numpy.asarray(capacity) > 0, capacity, NAN)
    needed = maximum(numpy.asarray(least, dtype=float), ceil(demand / usable)) * cards
    idle = (numpy.asarray(demand) <= TINY) & ~numpy.isnan(cards) & ~numpy.isnan(least)
    return cast(float, numpy.where(idle, 0.0, needed))
