"""Memory: weights, KV cache and overhead, and how many requests fit."""

from __future__ import annotations

from gpusheet.constants import BYTES_PER_GB, KEY_AND_VALUE
from gpusheet.ops import above, floor, maximum, minimum, where
from gpusheet.registry import rule
from gpusheet.units import (
    GB,
    BillionParams,
    Bytes,
    Cards,
    Elements,
    ElementsPerToken,
    Flag,
    GBPerCard,
    GBPerRequest,
    GBPerToken,
    Heads,
    Layers,
    Ratio,
    Requests,
    Share,
    Tokens,
)


@rule(en="Weights", zh="权重", source="[B] 3.2 step 1; [C] 1")
def weights_gb(params_b: BillionParams, weight_bytes: Bytes, weight_correction: Ratio) -> GB:
    """Memory of the weights. The correction is 1.1 for 4-bit formats, whose embeddings and head stay 16 bit, else 1.

    >>> weights_gb(7, 0.5, 1.1)
    3.8500000000000005
    """
    return params_b * weight_bytes * weight_correction


@rule(en="KV cache per token", zh="每token KV缓存", source="[B] 2.1, by the model's own shape")
def kv_gb_per_token(kv_gb_per_request: GBPerRequest, context_tokens: Tokens) -> GBPerToken:
    """KV cache of one token, averaged over the context.

    >>> kv_gb_per_token(1.610612736, 3072)
    0.000524288
    """
    return kv_gb_per_request / context_tokens


@rule(en="KV cache per request, plain attention", zh="单请求KV缓存(普通注意力)", source="[B] 2.1, 3.2 step 3")
def kv_per_request(
    layers: Layers, kv_heads: Heads, head_dim: Elements, context_tokens: Tokens, kv_bytes: Bytes
) -> GBPerRequest:
    """KV cache of one request if every layer keeps a key and a value per KV head for the whole context.

    The article's formula; right for multi-head and grouped attention without a window, 85 times too high for MLA
    models such as DeepSeek-V3. `kv_gb_per_request` goes by the model's own shape.

    >>> kv_per_request(32, 32, 128, 3072, 2)
    1.610612736
    """
    return KEY_AND_VALUE * layers * kv_heads * head_dim * context_tokens * kv_bytes / BYTES_PER_GB


@rule(en="KV cache per request", zh="单请求KV缓存", source="[B] 2.1, by the model's own shape")
def kv_gb_per_request(
    kv_elements_per_token: ElementsPerToken,
    windowed_kv_elements_per_token: ElementsPerToken,
    window_tokens: Tokens,
    state_elements: Elements,
    context_tokens: Tokens,
    kv_bytes: Bytes,
) -> GBPerRequest:
    """KV cache of one request: full layers by the context, windowed ones up to the window, and a fixed state.

    A typed number replaces it. Equal to `kv_per_request` for plain attention.

    >>> kv_gb_per_request(262144, 0, 0, 0, 3072, 2)
    1.610612736
    """
    windowed = windowed_kv_elements_per_token * minimum(context_tokens, window_tokens)
    return (kv_elements_per_token * context_tokens + windowed + state_elements) * kv_bytes / BYTES_PER_GB


@rule(en="Memory for KV cache", zh="可用KV显存", source="[B] 3.2 step 2, 5.2")
def usable_kv_gb(
    cards: Cards, memory_gb: GBPerCard, memory_fraction: Share, weights_gb: GB, fragmentation: Share
) -> GB:
    """Memory of a replica that is left for KV cache: the usable share of all cards less weights, less fragmentation.

    Below 0 where the weights do not fit.

    >>> usable_kv_gb(8, 80, 0.8, 3.85, 1)
    508.15
    """
    return (cards * memory_gb * memory_fraction - weights_gb) * fragmentation


@rule(en="Prefix that is shared", zh="实际共享前缀", source="[C] 3, prefix cache")
def prefix_tokens(shared_prefix_tokens: Tokens, planning_input_tokens: Tokens) -> Tokens:
    """Tokens of the shared prefix, at most the input itself.

    >>> prefix_tokens(5000, 300), prefix_tokens(1024, 2048)
    (300.0, 1024.0)
    """
    return minimum(shared_prefix_tokens, planning_input_tokens)


@rule(
    en="Tokens that a request keeps of its own",
    zh="单请求独占token",
    source="[C] 3, prefix cache",
    wiring={"shared_prefix_tokens": "prefix_tokens"},
)
def own_tokens(context_tokens: Tokens, prefix_hit_rate: Share, shared_prefix_tokens: Tokens) -> Tokens:
    """Context less the part of a shared prefix that is found in the cache.

    >>> own_tokens(3072, 0.5, 1024)
    2560.0
    """
    return context_tokens - prefix_hit_rate * shared_prefix_tokens


@rule(
    en="Requests that memory holds, shared prefix",
    zh="显存并发(共享前缀)",
    source="[C] 3, prefix cache",
    wiring={"shared_prefix_tokens": "prefix_tokens"},
)
def kv_concurrency_with_prefix(
    usable_kv_gb: GB,
    kv_gb_per_token: GBPerToken,
    own_tokens: Tokens,
    shared_prefix_tokens: Tokens,
) -> Requests:
    """Requests whose KV cache fits when a shared prefix is held once and the share that hits it keeps only the rest.

    >>> round(kv_concurrency_with_prefix(457.335, 0.000524288, 2150.4, 1024), 4)
    405.168
    """
    return (usable_kv_gb - kv_gb_per_token * shared_prefix_tokens) / (kv_gb_per_token * own_tokens)


@rule(en="Requests that memory holds", zh="显存并发", source="[B] 3.2 step 4")
def memory_concurrency(
    usable_kv_gb: GB,
    kv_gb_per_request: GBPerRequest,
    shared_prefix_tokens: Tokens = 0,
    kv_concurrency_with_prefix: Requests = 0,
) -> Requests:
    """Requests in flight whose KV cache fits a replica; not rounded, below 0 where the weights do not fit.

    >>> memory_concurrency(508.15, 1.5)
    338.76666666666665
    """
    return where(above(shared_prefix_tokens, 0), kv_concurrency_with_prefix, usable_kv_gb / kv_gb_per_request)


@rule(en="Memory left after weights and overhead", zh="扣除权重与开销后的显存", source="[C] 1")
def free_memory_gb(cards: Cards, memory_gb: GBPerCard, weights_gb: GB, overhead_gb_per_card: GBPerCard) -> GB:
    """Memory of a replica less weights and the framework's overhead on every card.

    >>> free_memory_gb(2, 141, 140, 2)
    138
    """
    return cards * memory_gb - weights_gb - cards * overhead_gb_per_card


@rule(en="Requests by memory segments", zh="三段式并发", source="[C] 1")
def segment_concurrency(free_memory_gb: GB, kv_gb_per_request: GBPerRequest) -> Requests:
    """Whole requests whose KV cache fits the memory that weights and overhead leave; 0 where nothing is left.

    >>> segment_concurrency(32, 2), segment_concurrency(69, 2), segment_concurrency(-1, 2)
    (16.0, 34.0, 0.0)
    """
    return maximum(0, floor(free_memory_gb / kv_gb_per_request))


@rule(en="Model fits", zh="模型能装下", source="[C] 2")
def fits(free_memory_gb: GB) -> Flag:
    """1 where weights and overhead leave memory, else 0. Exactly nothing left does not fit.

    >>> fits(-1), fits(0), fits(138)
    (0.0, 0.0, 1.0)
    """
    return above(free_memory_gb, 0)


@rule(en="Weights' share of memory", zh="权重占比", source="[C] 1, red line at 70%")
def weight_share(weights_gb: GB, cards: Cards, memory_gb: GBPerCard) -> Share:
    """Share of a replica's memory that the weights take; above 70% there is no room to shrink.

    >>> weight_share(35, 1, 48)
    0.7291666666666666
    """
    return weights_gb / (cards * memory_gb)


@rule(
    en="Contexts per card", zh="单卡上下文数", source="[A] memory bound", wiring={"context_gb": "kv_gb_per_request"}
)
def contexts_per_card(memory_gb: GBPerCard, weights_gb: GB, context_gb: GBPerRequest) -> Requests:
    """Whole contexts that fit beside the weights on one card, with no reserve.

    >>> contexts_per_card(80, 13, 2.5)
    26.0
    """
    return maximum(0, floor((memory_gb - weights_gb) / context_gb))


@rule(en="Batch to start with", zh="建议批处理大小", source="[A] fill to 80%, then measure")
def batch_limit(contexts_per_card: Requests, batch_fill: Share) -> Requests:
    """Batch size to start measuring with: the contexts that fit a card, filled to a share.

    >>> batch_limit(26, 0.8)
    20.0
    """
    return floor(contexts_per_card * batch_fill)
