"""The same workload on other cards: how many make a replica, and what is left in the tier that is billed."""

from __future__ import annotations

from gpusheet.constants import TIERS
from gpusheet.ops import above, ceil, floor, maximum, minimum, where
from gpusheet.registry import rule
from gpusheet.sizes import largest
from gpusheet.units import Cards, CardsInTheory, Demand, Share, Tiers


@rule(en="Cards of a replica on another card", zh="换卡后的单副本卡数", source="[C] 4 step 1; link domain", line=False)
def replica_cards(
    min_cards_for_weights: Cards, link_domain: Cards, cards: Cards, tiers: Tiers = TIERS
) -> Cards:
    """Cards for a copy of the model on a card that nobody sized it for: the smallest tier that holds the weights within
    their red line, beyond the largest tier whole nodes of it; at most as many as one link joins, or as the workload takes now.

    >>> replica_cards(2, 8, 1), replica_cards(9, 72, 1), replica_cards(9, 8, 1), replica_cards(9, 8, 16)
    (2.0, 16.0, 8.0, 16.0)
    """
    node = largest(tiers)
    size = where(above(min_cards_for_weights, node), ceil(min_cards_for_weights / node) * node, min_cards_for_weights)
    return minimum(size, maximum(link_domain, cards))


@rule(en="Free cards in the tier", zh="档位余卡", source="[C] 3, tier wall", line=False)
def free_cards(card_tier: Cards, cards_needed: CardsInTheory) -> CardsInTheory:
    """Cards that are billed and not needed.

    >>> free_cards(8, 6)
    2
    """
    return card_tier - cards_needed


@rule(en="Margin to the next tier", zh="距下一档位的需求余量", source="[C] 3, tier wall", line=False)
def tier_margin(card_tier: Cards, cards: Cards, replica_capacity: Demand, sizing_demand: Demand) -> Share:
    """Share by which demand may grow before the cards that are billed no longer carry it; below 0 where they fall short.

    >>> tier_margin(8, 2, 100, 320), tier_margin(2, 2, 100, 320)
    (0.25, -0.6875)
    """
    return floor(card_tier / cards) * replica_capacity / sizing_demand - 1
