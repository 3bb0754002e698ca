"""Cards: what each method asks for, the one that decides, the tier that is billed."""

from __future__ import annotations

from gpusheet.constants import TIERS
from gpusheet.ops import choose, either, maximum, minimum
from gpusheet.registry import rule
from gpusheet.sizes import tier, whole_replicas
from gpusheet.units import (
    GB,
    Cards,
    CardsInTheory,
    GBPerCard,
    GBPerRequest,
    Replicas,
    Requests,
    Share,
    Text,
    Tiers,
    TokensPerSecond,
)


@rule(
    en="Cards by token throughput [A]",
    zh="卡数:令牌吞吐法[A]",
    source="[A] step 3",
    wiring={"card_throughput": "fitting_throughput"},
)
def throughput_cards(
    token_demand: TokensPerSecond, card_throughput: TokensPerSecond, cards: Cards, min_replicas: Replicas = 1
) -> Cards:
    """Cards by the token throughput method: tokens per second over the throughput of a replica, in whole replicas.

    >>> throughput_cards(4500, 1800, 1), throughput_cards(9000, 1800, 1), throughput_cards(0, 1800, 1)
    (3.0, 5.0, 0.0)
    """
    return whole_replicas(token_demand, card_throughput * cards, cards, min_replicas)


@rule(en="Cards by the tightest constraint [B]", zh="卡数:三方约束法[B]", source="[B] 3.4, 6.1")
def constraint_cards(
    peak_concurrency: Requests, concurrency: Requests, cards: Cards, min_replicas: Replicas = 1
) -> Cards:
    """Cards by the constraint method: peak requests in flight over those that a replica carries, in whole replicas.

    Missing where there is demand and a replica carries none: no number of cards would do.

    >>> constraint_cards(300, 169, 8), constraint_cards(0, 0, 8), constraint_cards(300, 0, 8)
    (16.0, 0.0, nan)
    """
    return whole_replicas(peak_concurrency, concurrency, cards, min_replicas)


@rule(
    en="Cards by memory segments [C]",
    zh="卡数:显存三段式[C]",
    source="[C] 1, 4",
    wiring={"peak_concurrency": "buffered_concurrency"},
)
def segment_cards(
    peak_concurrency: Requests, segment_concurrency: Requests, cards: Cards, min_replicas: Replicas = 1
) -> Cards:
    """Cards by memory segments: peak requests in flight, with their buffer, over those that fit a replica.

    >>> segment_cards(60, 69, 2), segment_cards(60, 34, 1)
    (2.0, 2.0)
    """
    return whole_replicas(peak_concurrency, segment_concurrency, cards, min_replicas)


@rule(en="Cards by the chosen method", zh="所选方法的卡数", source="the workload's sizing method")
def cards_by_method(
    sizing_method: Text, serving_cards: Cards, throughput_cards: Cards, constraint_cards: Cards, segment_cards: Cards
) -> CardsInTheory:
    """Cards that the workload needs by its sizing method.

    >>> cards_by_method("constraint", 12, 3, 16, 4)
    16.0
    """
    return choose(
        sizing_method, serving=serving_cards, throughput=throughput_cards, constraint=constraint_cards,
        segment=segment_cards,
    )  # fmt: skip


@rule(en="Cards needed", zh="所需卡数", source="typed, or by the chosen method")
def cards_needed(fixed_cards: Cards, cards_by_method: CardsInTheory) -> CardsInTheory:
    """Cards that the workload needs: a typed number, else those of its sizing method.

    >>> cards_needed(None, 16), cards_needed(6, 16)
    (16.0, 6.0)
    """
    return either(fixed_cards, cards_by_method)


@rule(en="Cards billed (tier)", zh="档位卡数", source="[C] 3, tier wall")
def card_tier(cards_needed: CardsInTheory, tiers: Tiers = TIERS) -> Cards:
    """Cards that can be rented: the next of 1, 2, 4, 8; above that whole nodes of 8 and the tier of the rest.

    >>> card_tier(2.67), card_tier(8), card_tier(9), card_tier(13), card_tier(0)
    (4.0, 8.0, 9.0, 16.0, 0.0)
    """
    return tier(cards_needed, tiers)


@rule(en="Memory that weights may take", zh="单卡可放权重的显存", source="[C] 1, 4 step 1")
def weight_room_gb(
    memory_gb: GBPerCard, overhead_gb_per_card: GBPerCard, weight_share_limit: Share
) -> GBPerCard:
    """Memory of a card that weights may take: within the red line and beside the overhead.

    >>> weight_room_gb(100, 2, 0.7), weight_room_gb(4, 2, 0.7)
    (70.0, 2.0)
    """
    return maximum(0, minimum(memory_gb * weight_share_limit, memory_gb - overhead_gb_per_card))


@rule(en="Smallest tier for the weights", zh="装下权重的最小档位", source="[C] 4 step 1")
def min_cards_for_weights(weights_gb: GB, weight_room_gb: GBPerCard, tiers: Tiers = TIERS) -> Cards:
    """Smallest tier whose memory holds the weights; missing where the overhead leaves no room on any card.

    >>> min_cards_for_weights(140, 98.7), min_cards_for_weights(64, 67.2), min_cards_for_weights(64, 0)
    (2.0, 1.0, nan)
    """
    return tier(weights_gb / weight_room_gb, tiers)


@rule(en="Saving behind the tier wall", zh="档位取整后的节省", source="[C] 3, tier wall", line=False)
def tier_saving(cards_before: Cards, cards_theory: CardsInTheory, cards_after: Cards) -> Share:
    """Share of cards saved once the theoretical number is rounded up to a tier: never more than in theory.

    >>> tier_saving(8, 2.67, 4)
    0.5
    """
    return 1 - maximum(cards_theory, cards_after) / cards_before


@rule(en="Saving in theory", zh="理论节省", source="[C] 3, tier wall", line=False)
def theory_saving(cards_before: Cards, cards_theory: CardsInTheory) -> Share:
    """Share of cards saved if cards came in fractions.

    >>> theory_saving(8, 2.67)
    0.66625
    """
    return 1 - cards_theory / cards_before


@rule(en="Replicas", zh="副本数", source="cards needed over the cards of one replica")
def replicas(cards_needed: CardsInTheory, cards: Cards) -> Replicas:
    """Copies of the model.

    >>> replicas(16, 8)
    2.0
    """
    return cards_needed / cards


@rule(en="KV cache's share of memory at peak", zh="峰值KV占比", source="[C] 1, red line at 40%")
def kv_share(
    peak_concurrency: Requests,
    replicas: Replicas,
    replica_concurrency: Requests,
    kv_gb_per_request: GBPerRequest,
    cards: Cards,
    memory_gb: GBPerCard,
) -> Share:
    """Share of a replica's memory that KV cache takes at the peak; above 40% concurrency is getting tight.

    >>> round(kv_share(40, 1, 69, 2, 2, 141), 4)
    0.2837
    """
    in_flight = minimum(peak_concurrency / maximum(1, replicas), replica_concurrency)
    return in_flight * kv_gb_per_request / (cards * memory_gb)


@rule(en="Cards still to rent", zh="待租卡数", source="tier less what is there already")
def net_cards(card_tier: Cards, owned_cards: Cards, committed_cards: Cards) -> Cards:
    """Cards still to be rented or bought, once owned and committed ones are used.

    >>> net_cards(16, 8, 0), net_cards(4, 8, 0)
    (8.0, 0.0)
    """
    return maximum(0, card_tier - owned_cards - committed_cards)


