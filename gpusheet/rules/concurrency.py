"""Requests in flight that a replica carries: the smallest of memory, prefill and decode, with a safety margin."""

from __future__ import annotations

from gpusheet.constants import MD1_WAIT
from gpusheet.ops import at_least, choose, floor, maximum, minimum, name_of_smallest
from gpusheet.registry import rule
from gpusheet.units import (
    GB,
    Cards,
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


@rule(en="Time per request", zh="单请求耗时", source="[B] 4.1")
def request_seconds(prefill_seconds: Seconds, output_tokens: Tokens, tokens_per_s: TokensPerSecond) -> Seconds:
    """Seconds that a request stays in flight: prefill, then its mean output at the speed that a user must see.

    >>> request_seconds(0.03282051282051282, 256, 20)
    12.832820512820513
    """
    return prefill_seconds + output_tokens / tokens_per_s


@rule(en="Requests that prefill carries", zh="预填充并发", source="[B] 4.1")
def prefill_concurrency(prefill_rate: RequestsPerSecond, request_seconds: Seconds) -> Requests:
    """Requests in flight when prefill runs all the time: prompts per second times the seconds each request stays.

    >>> prefill_concurrency(30.46875, 12.832820512820513)
    391.0
    """
    return prefill_rate * request_seconds


@rule(
    en="Requests that decode carries",
    zh="解码并发",
    source="[B] 3.3, 4.4",
    wiring={"weights_gb": "weights_read_gb"},
)
def decode_concurrency(
    cards: Cards, bandwidth_gbs: GBPerSecond, weights_gb: GB, tokens_per_s: TokensPerSecond, link_penalty: Ratio = 1
) -> Requests:
    """Requests that the cards' memory bandwidth decodes side by side when every token reads all weights.

    The penalty of a slow link lowers the throughput. The solver passes the weights that a token really reads.

    >>> decode_concurrency(8, 2039, 3.85, 20), decode_concurrency(8, 2039, 3.85, 20, 0.3)
    (211.84415584415584, 63.553246753246746)
    """
    return cards * bandwidth_gbs * link_penalty / (weights_gb * tokens_per_s)


@rule(en="Requests that all three carry", zh="三方共同可承载并发", source="[B] 3.4")
def smallest_concurrency(
    memory_concurrency: Requests, prefill_concurrency: Requests, decode_concurrency: Requests
) -> Requests:
    """Requests in flight that memory, prefill and decode all carry.

    >>> smallest_concurrency(338.7666, 391, 211.844)
    211.844
    """
    return minimum(memory_concurrency, prefill_concurrency, decode_concurrency)


@rule(
    en="Concurrency per replica",
    zh="单副本并发",
    source="[B] 3.4",
    # the solver has found the smallest by then
    wiring=dict.fromkeys(("memory_concurrency", "prefill_concurrency", "decode_concurrency"), "smallest_concurrency"),
)
def concurrency(
    memory_concurrency: Requests, prefill_concurrency: Requests, decode_concurrency: Requests, safety: Share
) -> Requests:
    """Requests in flight to plan a replica with: the smallest of the three, times the safety margin, in whole requests.

    0 where not even one request is carried, else at least 1. A typed number replaces it.

    >>> concurrency(338.7666, 391, 211.844, 0.8), concurrency(0.9, 391, 211, 0.8), concurrency(1.1, 391, 211, 0.8)
    (169.0, 0.0, 1.0)
    """
    smallest = minimum(memory_concurrency, prefill_concurrency, decode_concurrency)
    return at_least(smallest, 1) * maximum(1, floor(smallest * safety))


@rule(en="Bottleneck", zh="瓶颈", source="[B] 3.4")
def bottleneck(
    memory_concurrency: Requests, prefill_concurrency: Requests, decode_concurrency: Requests
) -> Text:
    """Which of the three is the smallest: memory, prefill or decode.

    >>> bottleneck(338.7666, 391, 211.844)
    'decode'
    """
    return name_of_smallest(memory=memory_concurrency, prefill=prefill_concurrency, decode=decode_concurrency)


@rule(en="Concurrency within the latency targets", zh="满足延迟目标的并发", source="[B] 5.5; M/D/1 mean wait")
def latency_concurrency(
    ttft_target: Seconds,
    tpot_target: Seconds,
    prefill_rate: RequestsPerSecond,
    prefill_seconds: Seconds,
    request_seconds: Seconds,
    cards: Cards,
    bandwidth_gbs: GBPerSecond,
    link_penalty: Ratio,
    weights_read_gb: GB,
) -> Requests:
    """Most requests in flight that keep the time to first token and the time per output token within their targets.

    Prefill is a queue of M/D/1: its load may be (T - s) / (T - s + s/2) for a mean first token within T when one
    prefill takes s; 0 where a single prefill is too slow already.

    >>> round(latency_concurrency(1, 0.05, 30.46875, 0.03282051, 12.83282, 8, 2039, 1, 3.85), 4)
    211.8442
    """
    by_decode = cards * bandwidth_gbs * link_penalty * tpot_target / weights_read_gb
    slack = maximum(0, ttft_target - prefill_seconds)
    return minimum(by_decode, prefill_rate * request_seconds * slack / (slack + MD1_WAIT * prefill_seconds))


@rule(en="Concurrency by the chosen method", zh="所选方法的单副本并发", source="sizing method")
def replica_concurrency(
    sizing_method: Text, serving_concurrency: Requests, concurrency: Requests, segment_concurrency: Requests
) -> Requests:
    """Requests in flight per replica as the chosen method sees them; token throughput has none and takes [B]'s.

    >>> replica_concurrency("segment", 58, 169, 34), replica_concurrency("serving", 58, 169, 34)
    (34.0, 58.0)
    """
    return choose(
        sizing_method, serving=serving_concurrency, throughput=concurrency, constraint=concurrency, segment=segment_concurrency
    )
