"""Serving: the KV pool that an engine leaves on a card, and what it holds. GiB are 2^30 bytes."""

from __future__ import annotations

from gpusheet.constants import NEARLY
from gpusheet.ops import above, at_least, ceil, choose, maximum, minimum, where
from gpusheet.pools import request_gib, requests_held, tokens_held
from gpusheet.registry import rule
from gpusheet.units import (
    Bytes,
    BytesPerToken,
    Elements,
    ElementsPerToken,
    Flag,
    GiB,
    GiBPerCard,
    GiBPerRequest,
    Heads,
    Layers,
    Number,
    Ratio,
    Requests,
    Share,
    Text,
    Tokens,
)


@rule(en="KV pool out of all memory", zh="按总显存计的KV池", source="vLLM gpu_worker")
def pool_of_all_gib(
    memory_share: Share, card_gib: GiBPerCard, weights_gib_per_card: GiBPerCard, engine_overhead_gib: GiBPerCard, graph_gib: GiB
) -> GiBPerCard:
    """Pool of an engine that takes a share of the card and pays everything out of it.

    >>> round(pool_of_all_gib(0.95, 79.15, 14.99, 2.06, 0), 2)
    58.14
    """
    return card_gib * memory_share - weights_gib_per_card - engine_overhead_gib - graph_gib


@rule(en="KV pool out of what was free before", zh="按加载前空闲显存计的KV池", source="SGLang model_runner")
def pool_of_free_before_gib(
    memory_share: Share, card_gib: GiBPerCard, context_gib: GiB, ranks_gib: GiBPerCard, weights_gib_per_card: GiBPerCard
) -> GiBPerCard:
    """Pool of an engine that takes a share of what is free before the weights, and pays the weights out of it.

    >>> round(pool_of_free_before_gib(0.88, 79.15, 0.35, 0, 14.99), 2)
    54.35
    """
    return (card_gib - context_gib - ranks_gib) * memory_share - weights_gib_per_card


@rule(en="KV pool out of what is free after", zh="按加载后空闲显存计的KV池", source="TensorRT-LLM pyexecutor")
def pool_of_free_after_gib(
    memory_share: Share, card_gib: GiBPerCard, weights_gib_per_card: GiBPerCard, engine_overhead_gib: GiBPerCard
) -> GiBPerCard:
    """Pool of an engine that takes a share of what weights and peak leave.

    >>> round(pool_of_free_after_gib(0.9, 79.15, 14.99, 2.06), 2)
    55.89
    """
    return (card_gib - weights_gib_per_card - engine_overhead_gib) * memory_share


@rule(en="KV pool by the engine's arithmetic", zh="引擎口径KV池", source="vLLM, SGLang, TensorRT-LLM")
def engine_pool_gib(
    pool_kind: Text, pool_of_all_gib: GiBPerCard, pool_of_free_before_gib: GiBPerCard, pool_of_free_after_gib: GiBPerCard
) -> GiBPerCard:
    """Memory for KV cache on a card, as the engine sizes it at its start.

    >>> engine_pool_gib("of_total", 58.14, 54.35, 55.89), engine_pool_gib("of_free_after", 58.14, 54.35, 55.89)
    (58.14, 55.89)
    """
    return choose(
        pool_kind, of_total=pool_of_all_gib, of_free_before=pool_of_free_before_gib, of_free_after=pool_of_free_after_gib
    )


@rule(en="KV pool per card", zh="单卡KV池", source="engine's arithmetic, calibrated")
def kv_pool_gib_per_card(engine_pool_gib: GiBPerCard, calibration_pool: Ratio) -> GiBPerCard:
    """Memory for KV cache on a card. Below 0: the engine does not start.

    >>> kv_pool_gib_per_card(58.0, 1), kv_pool_gib_per_card(58.0, 0.95)
    (58.0, 55.099999999999994)
    """
    return calibration_pool * engine_pool_gib


@rule(en="Share of a token's cache on a card", zh="单卡KV份额", source="MLA replicated; KV heads replicated beyond their number")
def kv_share_per_card(kv_lora_rank: Elements, kv_heads: Heads, tensor_ranks: Number, layer_stages: Number) -> Share:
    """Part of a token's cache that a card of its group holds: all of a latent, else its heads, at least one.

    >>> kv_share_per_card(512, 128, 8, 1), kv_share_per_card(0, 8, 4, 1), kv_share_per_card(0, 8, 16, 1)
    (1.0, 0.25, 0.125)
    """
    return where(above(kv_lora_rank, 0), 1, maximum(1 / kv_heads, 1 / tensor_ranks)) / layer_stages


@rule(en="Layers of the rarer kind", zh="较少一类注意力层数", source="window and full layers")
def few_layers(full_attention_layers: Layers, sliding_layers: Layers) -> Layers:
    """Layers of the kind, window or full, of which the model has fewer.

    >>> few_layers(10, 52), few_layers(32, 0)
    (10.0, 0.0)
    """
    return minimum(full_attention_layers, sliding_layers)


@rule(en="Layers of the commoner kind", zh="较多一类注意力层数", source="window and full layers")
def many_layers(full_attention_layers: Layers, sliding_layers: Layers) -> Layers:
    """Layers of the kind of which the model has more.

    >>> many_layers(10, 52)
    52.0
    """
    return maximum(full_attention_layers, sliding_layers)


@rule(en="Layers of a cache group", zh="缓存分组层数", source="vLLM kv_cache_utils: groups of window and full layers")
def layer_group(few_layers: Layers, many_layers: Layers) -> Layers:
    """Layers that vLLM puts into one group of its cache: the rarer kind, or the commoner where both are nearly equal.

    >>> layer_group(12, 12), layer_group(10, 52), layer_group(0, 32)
    (12.0, 10.0, 32.0)
    """
    return maximum(1, where(above(NEARLY * few_layers, many_layers) + at_least(0, few_layers), many_layers, few_layers))


@rule(en="Groups of layers in the cache", zh="缓存分组数", source="vLLM kv_cache_utils: groups of window and full layers")
def layer_groups(full_attention_layers: Layers, sliding_layers: Layers, layer_group: Layers) -> Number:
    """Groups into which vLLM puts the layers of its cache, each kind in groups of its own.

    >>> layer_groups(12, 12, 12), layer_groups(10, 52, 10)
    (2.0, 7.0)
    """
    return ceil(full_attention_layers / layer_group) + ceil(sliding_layers / layer_group)


@rule(en="Layers that tokens are counted by", zh="计token层数系数", source="vLLM's start-up log: tokens as if all groups grew")
def layers_charged(groups_layers: Flag, few_layers: Layers, layer_group: Layers, layer_groups: Number, layers: Layers) -> Ratio:
    """How many times its layers a token is charged where window and full layers share groups of one size.

    >>> layers_charged(1, 12, 12, 2, 24), round(layers_charged(1, 10, 10, 7, 62), 4), layers_charged(0, 10, 10, 7, 62)
    (1.0, 1.129, 1.0)
    """
    return where(groups_layers * above(few_layers, 0), layer_group * layer_groups / layers, 1)


@rule(en="KV bytes per token on a card", zh="单卡每token KV字节数", source="model's attention, precision, parallelism")
def kv_bytes_per_token(
    kv_elements_per_token: ElementsPerToken,
    windowed_kv_elements_per_token: ElementsPerToken,
    kv_bytes: Bytes,
    kv_share_per_card: Share,
    layers_charged: Ratio,
    index_bytes_per_token: Bytes,
) -> BytesPerToken:
    """Bytes of the pool that a token is charged on a card.

    >>> kv_bytes_per_token(65536, 0, 2, 1, 1, 0)
    131072
    """
    elements = kv_elements_per_token + windowed_kv_elements_per_token
    return elements * kv_bytes * kv_share_per_card * layers_charged + index_bytes_per_token


@rule(en="KV pool in tokens", zh="KV池token数", source="whole blocks of the pool")
def kv_pool_tokens(kv_pool_gib_per_card: GiBPerCard, kv_bytes_per_token: BytesPerToken, block_tokens: Tokens) -> Tokens:
    """Tokens that the pool of a group holds, in whole blocks, as vLLM logs "GPU KV cache size".

    >>> kv_pool_tokens(58.11, 131072, 16)
    476032.0
    """
    return tokens_held(kv_pool_gib_per_card, kv_bytes_per_token, block_tokens)


@rule(en="KV cache of the longest request", zh="最长请求KV", source="model's attention at max_model_len")
def longest_gib(
    kv_elements_per_token: ElementsPerToken,
    windowed_kv_elements_per_token: ElementsPerToken,
    window_tokens: Tokens,
    longest_tokens: Tokens,
    kv_bytes: Bytes,
    kv_share_per_card: Share,
    index_bytes_per_token: Bytes,
    state_bytes_per_request: Bytes,
    tensor_ranks: Number,
) -> GiBPerRequest:
    """Memory of the longest request on each card of its group: cache, index and constant state.

    >>> longest_gib(65536, 0, 0, 8192, 2, 1, 0, 0, 1)
    1.0
    """
    return request_gib(
        kv_elements_per_token, windowed_kv_elements_per_token, window_tokens, longest_tokens, kv_bytes, kv_share_per_card,
        index_bytes_per_token, state_bytes_per_request, tensor_ranks,
    )  # fmt: skip


@rule(en="Longest requests at once", zh="最长请求并发", source="vLLM: maximum concurrency at max_model_len")
def max_concurrent_requests(kv_pool_gib_per_card: GiBPerCard, longest_gib: GiBPerRequest, attention_groups: Number) -> Requests:
    """Requests of the greatest length that the pools of a replica hold, as vLLM logs "Maximum concurrency".

    >>> max_concurrent_requests(58, 1, 1), max_concurrent_requests(-2, 1, 1)
    (58.0, 0.0)
    """
    return requests_held(kv_pool_gib_per_card, longest_gib, attention_groups)
