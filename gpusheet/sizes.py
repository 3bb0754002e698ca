"""The sizes that cards come in: whole replicas and tiers."""

from __future__ import annotations

import math
from typing import cast

from gpusheet.expr import ADD, MULTIPLY, POWER
from gpusheet.ops import (
    NAN,
    TINY,
    _call,
    _missing,
    _numpy,
    _scalar,
    _symbolic,
    ceil,
    largest,
    maximum,
    step_up,
)
from gpusheet.units import Tiers


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
        spell = "IF({0}>tiny,IF(N({1})>0,MAX({3},-INT(tiny-{0}/{1}))*{2},\"\"),0)"
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
