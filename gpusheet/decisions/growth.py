"""When workloads outgrow the cards they have, when more have to be ordered, and what it costs that cards come in tiers."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gpusheet.calendar import LINES, Line, by_month
from gpusheet.lookup import LookUp
from gpusheet.registry import find_rule

# lines of the month that only this asks for
WALL = (
    Line("theory_cards", "theory_cards"),
    Line("tier_wall_cost", "tier_wall_cost", {"card_month_price": "month_price"}),
)
STEPS = 12  # sizes of a workload, and tiers of the table, that there is room for
EPOCH = datetime.date(1899, 12, 30)  # day 0 of a sheet


@dataclass(frozen=True)
class Step:
    """A size that is outgrown: the month in which it is, and the cards that are billed from then on."""

    month: int
    billed: float
    to_rent: float  # of these, those that are neither owned nor under contract

    def order_by(self, first_day: datetime.date, lead_time_days: float) -> datetime.date | None:
        """Last day on which cards can be ordered for a month that begins on a day; None where none have to be."""
        if not self.to_rent > 0:
            return None
        serial = find_rule("order_by_day")((first_day - EPOCH).days, lead_time_days)
        return EPOCH + datetime.timedelta(days=serial)


def first_above(cards: Sequence[float], size: float) -> int | None:
    """The first month, from 1 on, that needs more cards than a size; None where none does or one is not known.

    >>> first_above([1, 1, 3, 2, 5], 2), first_above([1, 1], 1)
    (3, None)
    """
    if any(number != number for number in cards):
        return None
    return next((month for month, number in enumerate(cards, 1) if number > size), None)


def steps(cards: Sequence[float], billed: Sequence[float], to_rent: Sequence[float]) -> list[Step]:
    """The sizes that a workload goes through, from none at all on: what is rented is kept until it does not do.

    >>> [(step.month, step.billed) for step in steps([1, 3, 2, 5], [1, 4, 2, 8], [1, 4, 2, 8])]
    [(1, 1), (2, 4), (4, 8)]
    """
    found: list[Step] = []
    held = 0.0
    while len(found) < STEPS and (month := first_above(cards, held)) is not None:
        held = billed[month - 1]
        found.append(Step(month, held, to_rent[month - 1]))
    assert all(one.month < other.month for one, other in pairwise(found))
    return found


def with_wall(found: Sequence[LookUp], months: int, season: Sequence[float]) -> Any:
    """Every line of the calendar and those of the tier wall: a DataFrame of workload number, month and lines."""
    return by_month(found, months, season, (*LINES, *WALL))
