"""Serving: what the link between the cards of a replica costs a step."""

from __future__ import annotations

from gpusheet.constants import (
    BYTES_PER_GB,
    LAYER_COLLECTIVES,
    LINK_DIRECTIONS,
    LINK_RANKS,
    RING_PASSES,
    US_PER_SECOND,
    WIDE_BYTES,
)
from gpusheet.ops import above, either, maximum, minimum, one_of, where
from gpusheet.registry import rule
from gpusheet.units import GB, Elements, Flag, GBPerSecond, Layers, Microseconds, Number, Ratio, Seconds, Share, Text


@rule(en="Rate of a fast link", zh="高速互联速率", source="data sheets")
def fast_link_gbs(link: Text, link_gbs: GBPerSecond, fabric_gbs: GBPerSecond) -> GBPerSecond:
    """Rate of a card's fast link, both directions together, at least that of Infinity Fabric.

    >>> fast_link_gbs("nvlink", 900, 300), fast_link_gbs("infinity-fabric", 896, 300), fast_link_gbs("other", None, 300)
    (900.0, 300.0, 300.0)
    """
    return where(one_of(link, "infinity-fabric"), fabric_gbs, maximum(either(link_gbs, 0), fabric_gbs))


@rule(en="Link rate of a card", zh="单卡互联速率", source="data sheets; PCIe measured")
def link_rate_gbs(slow_link: Flag, pcie_link_gbs: GBPerSecond, fast_link_gbs: GBPerSecond) -> GBPerSecond:
    """Rate of the link for collectives, both directions together.

    >>> link_rate_gbs(0, 40, 900), link_rate_gbs(1, 40, 300)
    (900.0, 40.0)
    """
    return where(slow_link, pcie_link_gbs, fast_link_gbs)


@rule(en="Latency of a collective", zh="单次集合通信延迟", source="fitted; all-reduce measurements")
def collective_start_us(
    launch_factor: Ratio, collective_us: Microseconds, rank_us: Microseconds, working_cards: Number
) -> Microseconds:
    """Time that a collective over a fast link takes before any data moves.

    >>> collective_start_us(1, 6, 1, 8), collective_start_us(1, 6, 1, 16)
    (14.0, 14.0)
    """
    return launch_factor * collective_us + rank_us * minimum(working_cards, LINK_RANKS)


@rule(en="More latency of a collective", zh="集合通信附加延迟", source="fitted: spread experts, PCIe")
def collective_more_us(
    expert_parallel: Flag, expert_parallel_us: Microseconds, link: Text, pcie_us: Microseconds
) -> Microseconds:
    """What spread experts and PCIe add to that.

    >>> collective_more_us(1, 60, "nvlink", 10), collective_more_us(0, 60, "pcie", 10)
    (60.0, 10.0)
    """
    return expert_parallel * expert_parallel_us + one_of(link, "pcie") * pcie_us


@rule(en="Latency of collectives", zh="集合通信延迟", source="fitted; all-reduce measurements")
def collectives_s(
    working_cards: Number, layers: Layers, collective_start_us: Microseconds, collective_more_us: Microseconds
) -> Seconds:
    """Seconds of a step that the collectives of its layers take before any data moves; 0 on one card.

    >>> collectives_s(8, 32, 14, 0), collectives_s(1, 32, 7, 0)
    (0.000896, 0.0)
    """
    each = collective_start_us + collective_more_us
    return above(working_cards, 1) * LAYER_COLLECTIVES * layers * each / US_PER_SECOND


@rule(en="Data moved per token", zh="每token通信量", source="two ring all-reduces a layer in 16 bit")
def token_collective_gb(tensor_ranks: Number, layers: Layers, hidden: Elements) -> GB:
    """Data that each card of a group sends for a token.

    >>> token_collective_gb(8, 80, 8192)
    0.00458752
    """
    share = maximum(0, tensor_ranks - 1) / tensor_ranks
    return layers * LAYER_COLLECTIVES * RING_PASSES * either(hidden, 0) * WIDE_BYTES * share / BYTES_PER_GB


@rule(en="Collectives per token", zh="每token通信耗时", source="data moved over one direction of the link")
def token_collective_s(token_collective_gb: GB, link_rate_gbs: GBPerSecond, link_share: Share) -> Seconds:
    """Seconds of data movement between the cards of a group for each token.

    >>> token_collective_s(0.00458752, 900, 0.9)
    1.1327209876543211e-05
    """
    return token_collective_gb / (link_rate_gbs / LINK_DIRECTIONS * link_share)
