"""Growing out of card tiers: when cards have to be ordered, and what it costs that they are sold in tiers."""

from __future__ import annotations

from gpusheet.ops import TINY, either, if_given, maximum, minimum
from gpusheet.registry import rule
from gpusheet.units import (
    Cards,
    CardsInTheory,
    Date,
    Days,
    Demand,
    MoneyPerMonth,
    PerCardMonth,
    Replicas,
)


@rule(en="Cards of the month in theory", zh="当月理论卡数", source="[C] 3, tier wall", line=False)
def theory_cards(
    fixed_cards: Cards, month_cards: Cards, month_demand: Demand, replica_capacity: Demand, cards: Cards,
    min_replicas: Replicas = 1,
) -> CardsInTheory:  # fmt: skip
    """Cards that a month would take if they came in fractions, at least those of the least replicas; a typed number as it is.

    >>> theory_cards(None, 4, 6750, 1800, 1), theory_cards(6, 6, 6750, 1800, 1), theory_cards(None, 0, 0, None, 1)
    (3.75, 6.0, 0.0)
    """
    # without demand or capacity the month's cards are none or missing, and so is their minimum
    in_replicas = either(month_demand, 0) / maximum(either(replica_capacity, 0), TINY)
    return if_given(fixed_cards, month_cards, minimum(month_cards, maximum(min_replicas, in_replicas) * cards))


@rule(en="Cost of the tier wall", zh="档位墙成本", source="[C] 3, tier wall", line=False)
def tier_wall_cost(
    month_net_cards: Cards, theory_cards: CardsInTheory, owned_cards: Cards, committed_cards: Cards,
    card_month_price: PerCardMonth,
) -> MoneyPerMonth:  # fmt: skip
    """What a month costs more than it would if cards came in fractions: the cards rented beyond theory, at their price.

    >>> tier_wall_cost(4, 2.5, 0, 0, 1000), tier_wall_cost(2, 2.5, 2, 0, 1000), tier_wall_cost(0, 2.5, 8, 0, 1000)
    (1500.0, 1500.0, 0.0)
    """
    return (month_net_cards - maximum(0, theory_cards - owned_cards - committed_cards)) * card_month_price


@rule(en="Order by", zh="最晚下单日", source="convention", line=False)
def order_by_day(needed_on: Date, lead_time_days: Days) -> Date:
    """Last day on which cards can be ordered that are needed on a day; days as numbers, as sheets count them.

    >>> order_by_day(46388, 60)
    46328
    """
    return needed_on - lead_time_days
