"""Tokens per second of a card, and how fast a replica reads prompts."""

from __future__ import annotations

from gpusheet.constants import FLOPS_PER_PARAM, FLOPS_PER_TFLOPS, PARAMS_PER_BILLION
from gpusheet.ops import above, if_given, one_of, where
from gpusheet.registry import rule
from gpusheet.units import (
    GB,
    TFLOPS,
    BillionParams,
    Cards,
    Flag,
    FLOPs,
    GBPerSecond,
    Ratio,
    Requests,
    RequestsPerSecond,
    Seconds,
    Share,
    Text,
    Tokens,
    TokensPerSecond,
)


@rule(en="Weights read per token", zh="每token读取的权重", source="[B] 3.3; mixture of experts: active share")
def weights_read_gb(weights_gb: GB, active_params_b: BillionParams, params_b: BillionParams) -> GB:
    """Weights that one token reads: all of them, or the active share of a mixture of experts.

    >>> weights_read_gb(61.06, 3.35, 30.53)
    6.7
    """
    return weights_gb * active_params_b / params_b


@rule(en="Throughput of one stream", zh="单路吞吐", source="[A] step 1")
def weight_read_throughput(
    bandwidth_gbs: GBPerSecond, bandwidth_efficiency: Share, weights_read_gb: GB
) -> TokensPerSecond:
    """Tokens per second of a single stream on one card: effective bandwidth over the weights that a token reads.

    >>> weight_read_throughput(2000, 0.15, 26)
    11.538461538461538
    """
    return bandwidth_gbs * bandwidth_efficiency / weights_read_gb


@rule(en="Throughput with batching", zh="批处理吞吐", source="[A] continuous batching: 5 to 10 times")
def batched_throughput(weight_read_throughput: TokensPerSecond, batching_gain: Ratio) -> TokensPerSecond:
    """Tokens per second of one card under continuous batching.

    >>> batched_throughput(11.5, 7.5)
    86.25
    """
    return weight_read_throughput * batching_gain


@rule(en="Throughput per card", zh="单卡吞吐", source="[A] reference table, step 1")
def card_throughput(
    reference_throughput: TokensPerSecond,
    reference_weights_gb: GB,
    weights_gb: GB,
    batched_throughput: TokensPerSecond,
) -> TokensPerSecond:
    """Tokens per second of one card: its published reference scaled by the weights, else the batched estimate.

    A typed (measured) number replaces it.

    >>> card_throughput(1800, 7, 7, 60), card_throughput(None, None, 7, 60)
    (1800.0, 60.0)
    """
    scaled = reference_throughput * reference_weights_gb / weights_gb
    return if_given((reference_throughput, reference_weights_gb), scaled, batched_throughput)


@rule(en="Throughput per card if the model fits", zh="模型装得下时的单卡吞吐", source="[A] step 1; [C] 2")
def fitting_throughput(card_throughput: TokensPerSecond, fits: Flag) -> TokensPerSecond:
    """Throughput that counts: none where the model does not fit the cards of a replica, if their memory is known.

    >>> fitting_throughput(1800, 1), fitting_throughput(1800, 0), fitting_throughput(1800, None)
    (1800.0, 0.0, 1800.0)
    """
    return if_given(fits, card_throughput * fits, card_throughput)


@rule(en="Share of a request's tokens per second", zh="每秒所需token占比", source="[A] step 3")
def qps_share(tokens_per_s: TokensPerSecond, output_tokens: Tokens) -> Share:
    """Share of its output that a request wants each second, from the speed that a user must see.

    >>> qps_share(20, 256)
    0.078125
    """
    return tokens_per_s / output_tokens


@rule(en="Requests that a card's throughput serves", zh="单卡吞吐并发", source="[A] step 3")
def card_request_capacity(
    card_throughput: TokensPerSecond, output_tokens: Tokens, qps_share: Share
) -> Requests:
    """Requests in flight that one card's throughput can feed.

    >>> card_request_capacity(1800, 300, 0.05)
    120.0
    """
    return card_throughput / (output_tokens * qps_share)


def _over_slow_link(cards: float, link: str) -> float:
    """1 where a replica's cards talk over PCIe."""
    return above(cards, 1) * one_of(link, "pcie", "none")


@rule(en="Slow link", zh="低速互联", source="[B] 4.4: PCIe or none")
def slow_link(link: Text) -> Flag:
    """1 where a replica's cards talk over PCIe.

    >>> slow_link("pcie"), slow_link("none"), slow_link("nvlink")
    (1.0, 1.0, 0.0)
    """
    return one_of(link, "pcie", "none")


@rule(en="Link penalty", zh="互联惩罚系数", source="[B] 4.4")
def link_penalty(cards: Cards, link: Text, slow_link_penalty: Ratio) -> Ratio:
    """Factor on the decode throughput of several cards whose link is PCIe or none; 1 on fast links and single cards.

    >>> link_penalty(8, "pcie", 0.3), link_penalty(8, "nvlink", 0.3), link_penalty(1, "pcie", 0.3)
    (0.3, 1.0, 1.0)
    """
    return where(_over_slow_link(cards, link), slow_link_penalty, 1)


@rule(en="Prefill utilisation", zh="预填充算力利用率", source="[B] 4.4, 5.1; never above 0.6", most=0.6)
def prefill_utilisation(
    cards: Cards, link: Text, slow_link_utilisation: Share, fast_link_utilisation: Share
) -> Share:
    """Share of peak compute that prefill reaches: 0.4, or 0.2 for several cards over PCIe.

    >>> prefill_utilisation(8, "pcie", 0.2, 0.4), prefill_utilisation(8, "nvlink", 0.2, 0.4)
    (0.2, 0.4)
    """
    return where(_over_slow_link(cards, link), slow_link_utilisation, fast_link_utilisation)


@rule(en="Effective compute", zh="有效算力", source="[B] 3.3, 5.1")
def effective_tflops(cards: Cards, fp16_tflops: TFLOPS, prefill_utilisation: Share) -> TFLOPS:
    """Compute of a replica that prefill really gets.

    >>> effective_tflops(8, 312, 0.35)
    873.5999999999999
    """
    return cards * fp16_tflops * prefill_utilisation


@rule(en="Compute of one prefill", zh="单次预填充计算量", source="[B] 3.3; linear, attention's square left out")
def prefill_flops(active_params_b: BillionParams, planning_input_tokens: Tokens) -> FLOPs:
    """Floating point operations to read one prompt: two per active parameter and token.

    >>> prefill_flops(7, 2048)
    28672000000000.0
    """
    return FLOPS_PER_PARAM * active_params_b * PARAMS_PER_BILLION * planning_input_tokens


@rule(en="Prefills per second", zh="每秒预填充数", source="[B] 3.3")
def prefill_rate(effective_tflops: TFLOPS, prefill_flops: FLOPs) -> RequestsPerSecond:
    """Prompts that a replica reads per second.

    >>> prefill_rate(873.6, 2.8672e13)
    30.46875
    """
    return effective_tflops * FLOPS_PER_TFLOPS / prefill_flops


@rule(en="Prefill time", zh="预填充时间", source="[B] 4.1")
def prefill_seconds(prefill_flops: FLOPs, effective_tflops: TFLOPS) -> Seconds:
    """Seconds to read one prompt.

    >>> prefill_seconds(2.8672e13, 873.6)
    0.03282051282051282
    """
    return prefill_flops / (effective_tflops * FLOPS_PER_TFLOPS)
