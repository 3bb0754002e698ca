"""The sizes that cards come in: whole replicas and tiers. Shapes of formulas that several rules share."""

from __future__ import annotations

from gpusheet.ops import above, ceil, floor, largest, maximum, step_up, where
from gpusheet.units import Tiers


def whole_replicas(demand: float, capacity: float, cards: float, min_replicas: float) -> float:
    """Cards of as many whole replicas as the demand needs, at least the minimum; none without demand."""
    return where(above(demand, 0), maximum(min_replicas, ceil(demand / capacity)) * cards, 0)


def tier(cards: float, tiers: Tiers) -> float:
    """The next size that is sold: whole nodes of the largest, and the smallest tier that holds the rest."""
    nodes = floor(cards / largest(tiers)) * largest(tiers)
    return nodes + step_up(cards - nodes, tiers)
