"""The sizes that cards come in: tiers. A shape of formula that several rules share."""

from __future__ import annotations

from gpusheet.ops import floor, largest, step_up
from gpusheet.units import Tiers


def tier(cards: float, tiers: Tiers) -> float:
    """The next size that is sold: whole nodes of the largest, and the smallest tier that holds the rest."""
    nodes = floor(cards / largest(tiers)) * largest(tiers)
    return nodes + step_up(cards - nodes, tiers)
