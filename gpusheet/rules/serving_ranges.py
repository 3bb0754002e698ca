"""Serving: how far estimates may lie from what is measured. Low and high are the 10th and the 90th percentile.

The factors are those of measured rows that the fit had not seen; the range is wider where less like the case was measured.
"""

from __future__ import annotations

from typing import cast

from gpusheet.ops import above, pick, where
from gpusheet.pools import requests_held, tokens_held
from gpusheet.registry import rule
from gpusheet.sizes import whole_replicas
from gpusheet.units import (
    BytesPerToken,
    Cards,
    Flag,
    GiB,
    GiBPerCard,
    GiBPerRequest,
    Number,
    Ratio,
    Replicas,
    Requests,
    RequestsPerSecond,
    Seconds,
    Share,
    Text,
    Tokens,
    TokensPerSecond,
)


@rule(en="Not measured", zh="未实测项数", source="card, model, engine, format, load")
def unmeasured_aspects(
    gpu_measured: Flag, model_measured: Flag, engine_measured: Flag, precision_measured: Flag, running_requests: Requests,
    rare_load: Requests,
) -> Number:  # fmt: skip
    """How many of card, model, engine, weight format and load are unlike all measurements behind the estimate.

    >>> unmeasured_aspects(1, 1, 1, 1, 64, 2048), unmeasured_aspects(0, 1, 1, 0, 64, 2048)
    (0.0, 2.0)
    """
    facts = (1 - gpu_measured) + (1 - model_measured) + (1 - engine_measured) + (1 - precision_measured)
    return facts + above(running_requests, rare_load)


@rule(en="What was measured", zh="实测依据", source="card, model, engine, format, load")
def serving_evidence(unmeasured_aspects: Number) -> Text:
    """Whether the like was measured: "measured", "partly" where one aspect was not, "none" where more were not.

    >>> serving_evidence(0), serving_evidence(1), serving_evidence(3)
    ('measured', 'partly', 'none')
    """
    return cast(str, pick(above(unmeasured_aspects, 0) + above(unmeasured_aspects, 1), "measured", "partly", "none"))


@rule(en="Width of ranges", zh="区间宽度系数", source="measured rows of what the fit had not seen")
def range_width(unmeasured_aspects: Number, unmeasured_widening: Ratio) -> Ratio:
    """How many times as far from the estimate the ends of a range lie as where the like was measured.

    >>> range_width(0, 0.5), range_width(2, 0.5)
    (1.0, 2.0)
    """
    return 1 + unmeasured_widening * unmeasured_aspects


@rule(en="KV pool per card, low", zh="单卡KV池（低）", source="engine logs")
def kv_pool_gib_per_card_low(kv_pool_gib_per_card: GiBPerCard, pool_low_gib: GiB, range_width: Ratio) -> GiBPerCard:
    """Smaller KV pool that is still likely.

    >>> kv_pool_gib_per_card_low(58, 1, 1)
    57
    """
    return kv_pool_gib_per_card - pool_low_gib * range_width


@rule(en="KV pool per card, high", zh="单卡KV池（高）", source="engine logs")
def kv_pool_gib_per_card_high(kv_pool_gib_per_card: GiBPerCard, pool_high_gib: GiB, range_width: Ratio) -> GiBPerCard:
    """Larger KV pool that is still likely.

    >>> kv_pool_gib_per_card_high(58, 0.3, 1)
    58.3
    """
    return kv_pool_gib_per_card + pool_high_gib * range_width


@rule(en="KV pool in tokens, low", zh="KV池token数（低）", source="engine logs")
def kv_pool_tokens_low(kv_pool_gib_per_card_low: GiBPerCard, kv_bytes_per_token: BytesPerToken, block_tokens: Tokens) -> Tokens:
    """Tokens of the smaller pool.

    >>> kv_pool_tokens_low(57, 131072, 16)
    466944.0
    """
    return tokens_held(kv_pool_gib_per_card_low, kv_bytes_per_token, block_tokens)


@rule(en="KV pool in tokens, high", zh="KV池token数（高）", source="engine logs")
def kv_pool_tokens_high(
    kv_pool_gib_per_card_high: GiBPerCard, kv_bytes_per_token: BytesPerToken, block_tokens: Tokens
) -> Tokens:
    """Tokens of the larger pool.

    >>> kv_pool_tokens_high(58.5, 131072, 16)
    479232.0
    """
    return tokens_held(kv_pool_gib_per_card_high, kv_bytes_per_token, block_tokens)


@rule(en="Longest requests at once, low", zh="最长请求并发（低）", source="engine logs")
def max_concurrent_requests_low(
    kv_pool_gib_per_card_low: GiBPerCard, longest_gib: GiBPerRequest, attention_groups: Number
) -> Requests:
    """Longest requests of the smaller pool.

    >>> max_concurrent_requests_low(57, 1, 1)
    57.0
    """
    return requests_held(kv_pool_gib_per_card_low, longest_gib, attention_groups)


@rule(en="Longest requests at once, high", zh="最长请求并发（高）", source="engine logs")
def max_concurrent_requests_high(
    kv_pool_gib_per_card_high: GiBPerCard, longest_gib: GiBPerRequest, attention_groups: Number
) -> Requests:
    """Longest requests of the larger pool.

    >>> max_concurrent_requests_high(58.3, 1, 1)
    58.3
    """
    return requests_held(kv_pool_gib_per_card_high, longest_gib, attention_groups)


@rule(en="TTFT may be shorter by", zh="TTFT可缩短倍数", source="measured rows")
def ttft_shorter(ttft_low: Ratio, range_width: Ratio) -> Ratio:
    """Times by which the first token may come sooner.

    >>> ttft_shorter(0.5, 1), ttft_shorter(0.5, 1.5)
    (2.0, 2.5)
    """
    return 1 + (1 / ttft_low - 1) * range_width


@rule(en="TTFT, low", zh="TTFT（低）", source="measured rows")
def ttft_s_low(ttft_s: Seconds, ttft_shorter: Ratio) -> Seconds:
    """Shorter time to the first token that is still likely.

    >>> ttft_s_low(0.5, 2)
    0.25
    """
    return ttft_s / ttft_shorter


@rule(en="TTFT, high", zh="TTFT（高）", source="measured rows")
def ttft_s_high(ttft_s: Seconds, ttft_high: Ratio, range_width: Ratio) -> Seconds:
    """Longer time to the first token that is still likely.

    >>> ttft_s_high(0.5, 2.1, 1)
    1.05
    """
    return ttft_s * (1 + (ttft_high - 1) * range_width)


@rule(en="TPOT may be shorter by", zh="TPOT可缩短倍数", source="measured rows")
def tpot_shorter(expert_share: Share, tpot_low_experts: Ratio, tpot_low: Ratio, range_width: Ratio) -> Ratio:
    """Times by which output tokens may come faster.

    >>> tpot_shorter(0.0625, 0.8, 0.9, 2)
    1.5
    """
    return 1 + (1 / where(above(expert_share, 0), tpot_low_experts, tpot_low) - 1) * range_width


@rule(en="TPOT, low", zh="TPOT（低）", source="measured rows")
def tpot_s_low(tpot_s: Seconds, tpot_shorter: Ratio) -> Seconds:
    """Shorter time between output tokens that is still likely.

    >>> tpot_s_low(0.02, 1.25)
    0.016
    """
    return tpot_s / tpot_shorter


@rule(en="TPOT, high", zh="TPOT（高）", source="measured rows")
def tpot_s_high(tpot_s: Seconds, expert_share: Share, tpot_high_experts: Ratio, tpot_high: Ratio, range_width: Ratio) -> Seconds:
    """Longer time between output tokens that is still likely.

    >>> tpot_s_high(0.02, 0.0625, 1.35, 1.2, 1)
    0.027000000000000003
    """
    return tpot_s * (1 + (where(above(expert_share, 0), tpot_high_experts, tpot_high) - 1) * range_width)


@rule(en="Throughput may be less by", zh="吞吐可减少倍数", source="measured rows")
def throughput_less(expert_share: Share, throughput_low_experts: Ratio, throughput_low: Ratio, range_width: Ratio) -> Ratio:
    """Times by which throughput may be less.

    >>> throughput_less(0, 0.4, 0.8, 1)
    1.25
    """
    return 1 + (1 / where(above(expert_share, 0), throughput_low_experts, throughput_low) - 1) * range_width


@rule(en="Throughput may be more by", zh="吞吐可增加倍数", source="measured rows")
def throughput_more(expert_share: Share, throughput_high_experts: Ratio, throughput_high: Ratio, range_width: Ratio) -> Ratio:
    """Times by which throughput may be more.

    >>> throughput_more(0, 1.6, 1.25, 1)
    1.25
    """
    return 1 + (where(above(expert_share, 0), throughput_high_experts, throughput_high) - 1) * range_width


@rule(en="Output tokens per second, low", zh="输出token速率（低）", source="measured rows")
def output_tokens_per_s_low(output_tokens_per_s: TokensPerSecond, throughput_less: Ratio) -> TokensPerSecond:
    """Fewer output tokens a second that are still likely.

    >>> output_tokens_per_s_low(1600, 1.25)
    1280.0
    """
    return output_tokens_per_s / throughput_less


@rule(en="Output tokens per second, high", zh="输出token速率（高）", source="measured rows")
def output_tokens_per_s_high(output_tokens_per_s: TokensPerSecond, throughput_more: Ratio) -> TokensPerSecond:
    """More output tokens a second that are still likely.

    >>> output_tokens_per_s_high(1600, 1.25)
    2000.0
    """
    return output_tokens_per_s * throughput_more


@rule(en="Requests per second of a replica, low", zh="单副本QPS（低）", source="measured rows")
def replica_qps_low(replica_qps: RequestsPerSecond, throughput_less: Ratio) -> RequestsPerSecond:
    """Fewer requests a second at the targets that are still likely.

    >>> replica_qps_low(10, 1.25)
    8.0
    """
    return replica_qps / throughput_less


@rule(en="Requests per second of a replica, high", zh="单副本QPS（高）", source="measured rows")
def replica_qps_high(replica_qps: RequestsPerSecond, throughput_more: Ratio) -> RequestsPerSecond:
    """More requests a second at the targets that are still likely.

    >>> replica_qps_high(10, 1.25)
    12.5
    """
    return replica_qps * throughput_more


@rule(en="Cards by serving, low", zh="服务法卡数（低）", source="measured rows")
def serving_cards_low(
    peak_qps: RequestsPerSecond, replica_qps_high: RequestsPerSecond, cards: Cards, min_replicas: Replicas = 1
) -> Cards:
    """Fewer cards that may do, if a replica gives more than expected.

    >>> serving_cards_low(30, 12, 4)
    12.0
    """
    return whole_replicas(peak_qps, replica_qps_high, cards, min_replicas)


@rule(en="Cards by serving, high", zh="服务法卡数（高）", source="measured rows")
def serving_cards_high(
    peak_qps: RequestsPerSecond, replica_qps_low: RequestsPerSecond, cards: Cards, min_replicas: Replicas = 1
) -> Cards:
    """More cards that may be needed, if a replica gives less than expected.

    >>> serving_cards_high(30, 7, 4)
    20.0
    """
    return whole_replicas(peak_qps, replica_qps_low, cards, min_replicas)
