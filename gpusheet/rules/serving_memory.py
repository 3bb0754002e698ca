"""Serving: what an engine takes of a card's memory, and what it leaves for the KV cache. GiB are 2^30 bytes."""

from __future__ import annotations

from gpusheet.constants import (
    BYTES_PER_GIB,
    MIB_PER_GB,
    MIB_PER_GIB,
    NEARLY,
    SGL_BASE,
    SGL_CARD,
    SGL_LARGE,
    SGL_LEAST,
    SGL_SLOT,
    SGL_TOKEN,
    SGL_TOKENS,
    WIDE_BYTES,
)
from gpusheet.ops import above, at_least, ceil, choose, either, maximum, minimum, one_of, where
from gpusheet.pools import request_gib, requests_held, tokens_held
from gpusheet.registry import rule
from gpusheet.units import (
    GB,
    Bytes,
    BytesPerToken,
    Cards,
    Elements,
    ElementsPerToken,
    Experts,
    Flag,
    GiB,
    GiBPerCard,
    GiBPerRequest,
    Heads,
    Layers,
    MiB,
    Number,
    Ratio,
    Requests,
    Share,
    Text,
    Tokens,
)


@rule(en="Memory of a card", zh="单卡可用总显存", source="driver's figure less its own reserve")
def card_gib(memory_mib: MiB, memory_gb: GB, driver_reserved_gib: GiB) -> GiBPerCard:
    """Memory that an engine sees: what the driver reports less its own reserve.

    >>> round(card_gib(81559, 80, 0.5), 2), round(card_gib(None, 80, 0.5), 2)
    (79.15, 74.01)
    """
    return either(memory_mib, memory_gb * MIB_PER_GB) / MIB_PER_GIB - driver_reserved_gib


@rule(en="Large default batches", zh="默认大批次", source="vLLM arg_utils: 70 GiB and not A100")
def large_card(card_gib: GiBPerCard, large_card_gib: GiBPerCard, large_batches: Flag) -> Flag:
    """1 where engines take their larger default batches.

    >>> large_card(79.15, 70, 1), large_card(79.15, 70, 0), large_card(47, 70, 1)
    (1.0, 0.0, 0.0)
    """
    return at_least(card_gib, large_card_gib) * large_batches


@rule(en="Request slots", zh="请求槽位", source="max_num_seqs by default")
def request_slots(large_card: Flag, slots_large_card: Requests, slots: Requests) -> Requests:
    """Requests that an engine runs at most in a group, whatever its memory.

    >>> request_slots(1, 1024, 256)
    1024.0
    """
    return where(large_card, slots_large_card, slots)


@rule(en="Longest request", zh="最长请求", source="max_model_len")
def longest_tokens(max_model_len: Tokens, context_tokens: Tokens) -> Tokens:
    """Tokens of the longest request: the typed limit, else the planned context.

    >>> longest_tokens(8192, 3072), longest_tokens(None, 3072)
    (8192.0, 3072.0)
    """
    return either(max_model_len, context_tokens)


@rule(en="Tokens of a prefill batch", zh="预填充批token", source="max_num_batched_tokens and its defaults")
def batch_tokens(
    max_num_batched_tokens: Tokens,
    large_card: Flag,
    batched_tokens_large_card: Tokens,
    batched_tokens: Tokens,
    whole_prompt: Flag,
    longest_tokens: Tokens,
) -> Tokens:
    """Tokens that an engine takes into one step: typed, else its default; the longest prompt where it does not chunk.

    >>> batch_tokens(None, 1, 8192, 2048, 0, 4096), batch_tokens(None, 0, 2560, 2560, 1, 4096)
    (8192.0, 4096.0)
    """
    chunk = where(large_card, batched_tokens_large_card, batched_tokens)
    return either(max_num_batched_tokens, maximum(chunk, whole_prompt * longest_tokens))


@rule(en="Memory of sampling", zh="采样显存", source="logits, probabilities and draws of every slot")
def sampler_gib(request_slots: Requests, vocab: Elements, sampler_bytes: Bytes) -> GiBPerCard:
    """Peak memory while tokens are drawn for all slots at once.

    >>> round(sampler_gib(1024, 128256, 14), 3)
    1.712
    """
    return request_slots * either(vocab, 0) * sampler_bytes / BYTES_PER_GIB


@rule(en="Elements of a layer", zh="层内激活元素", source="gate, up and product; with experts once for each")
def layer_elements(
    hidden: Elements, intermediate: Elements, experts_per_token: Experts, expert_share: Share, tensor_ranks: Number,
    working_cards: Number,
) -> Elements:  # fmt: skip
    """Numbers of a token inside a feed-forward layer, on one card.

    >>> layer_elements(4096, 14336, None, 0, 1, 1), layer_elements(4096, 1536, 8, 0.0625, 8, 8)
    (43008.0, 37376.0)
    """
    width = 3 * either(intermediate, 0)
    routed = either(experts_per_token, 0) * (width / working_cards + either(hidden, 0))
    return where(above(expert_share, 0), routed, width / tensor_ranks)


@rule(en="Memory of a forward pass", zh="前向激活显存", source="widest point of a layer in 16 bit")
def forward_gib(batch_tokens: Tokens, hidden: Elements, layer_elements: Elements) -> GiBPerCard:
    """Peak memory of activations of a batch: residual, hidden state and what is inside a layer.

    >>> round(forward_gib(8192, 4096, 43008), 3)
    0.844
    """
    return batch_tokens * WIDE_BYTES * (3 * either(hidden, 0) + layer_elements) / BYTES_PER_GIB


@rule(en="Memory of parallel ranks", zh="并行通信显存", source="vLLM logs; PR 10511")
def ranks_gib(cards: Cards, link: Text, tp_pcie_gib: GiB, tp_nvlink_gib: GiB) -> GiBPerCard:
    """Memory of the collective library on a card where there are several.

    >>> ranks_gib(1, "nvlink", 0.2, 1.9), ranks_gib(4, "nvlink", 0.2, 1.9), ranks_gib(4, "pcie", 0.2, 1.9)
    (0.0, 1.9, 0.2)
    """
    return where(above(cards, 1), where(one_of(link, "pcie", "none"), tp_pcie_gib, tp_nvlink_gib), 0)


@rule(en="Engine overhead per card", zh="单卡引擎开销", source="non-torch memory, activation peak, ranks")
def engine_overhead_gib(context_gib: GiB, sampler_gib: GiBPerCard, forward_gib: GiBPerCard, ranks_gib: GiBPerCard) -> GiBPerCard:
    """Memory beside weights and cache that the engine measures before it sizes the pool.

    >>> engine_overhead_gib(0.35, 1.7, 0.8, 1.9)
    3.9499999999999997
    """
    return context_gib + maximum(sampler_gib, forward_gib) + ranks_gib


@rule(en="Memory share by SGLang", zh="SGLang默认占比", source="sglang server_args (0.5.3), PR 10975", most=1)
def default_share(
    default_fraction: Share, card_gib: GiBPerCard, batch_tokens: Tokens, request_slots: Requests, cards: Cards
) -> Share:
    """Memory share that an engine takes by default; where it has no fixed one, SGLang's reserve by size.

    >>> default_share(0.9, 79, 8192, 256, 1), round(default_share(None, 79, 8192, 256, 1), 4)
    (0.9, 0.8339)
    """
    buffers = SGL_BASE + SGL_TOKEN * maximum(batch_tokens, SGL_TOKENS) + SGL_SLOT * request_slots + SGL_CARD * cards
    reserved = maximum(buffers, SGL_LEAST * above(card_gib, SGL_LARGE))
    return either(default_fraction, 1 - reserved / MIB_PER_GIB / maximum(card_gib, 1))


@rule(en="Memory share of the engine", zh="引擎显存占比", source="typed, or the engine's default", most=1)
def memory_share(gpu_memory_utilization: Share, default_share: Share) -> Share:
    """Share of a card's memory that the engine takes.

    >>> memory_share(0.95, 0.9), memory_share(None, 0.9)
    (0.95, 0.9)
    """
    return either(gpu_memory_utilization, default_share)


@rule(en="KV pool per card", zh="单卡KV池", source="vLLM gpu_worker, SGLang model_runner, TensorRT-LLM pyexecutor")
def kv_pool_gib_per_card(
    pool_kind: Text,
    memory_share: Share,
    card_gib: GiBPerCard,
    weights_gib_per_card: GiBPerCard,
    engine_overhead_gib: GiBPerCard,
    graph_gib: GiB,
    context_gib: GiB,
    ranks_gib: GiBPerCard,
    calibration_pool: Ratio,
) -> GiBPerCard:
    """Memory for KV cache on a card, as the engine sizes it at its start. Below 0: it does not start.

    >>> round(kv_pool_gib_per_card("of_total", 0.95, 79.15, 14.99, 2.06, 0, 0.35, 0, 1), 2)
    58.14
    """
    return calibration_pool * choose(
        pool_kind,
        of_total=card_gib * memory_share - weights_gib_per_card - engine_overhead_gib - graph_gib,
        of_free_before=(card_gib - context_gib - ranks_gib) * memory_share - weights_gib_per_card,
        of_free_after=(card_gib - weights_gib_per_card - engine_overhead_gib) * memory_share,
    )


@rule(en="Share of a token's cache on a card", zh="单卡KV份额", source="MLA replicated; KV heads replicated beyond their number")
def kv_share_per_card(kv_lora_rank: Elements, kv_heads: Heads, tensor_ranks: Number, layer_stages: Number) -> Share:
    """Part of a token's cache that a card of its group holds: all of a latent, else its heads, at least one.

    >>> kv_share_per_card(512, 128, 8, 1), kv_share_per_card(0, 8, 4, 1), kv_share_per_card(0, 8, 16, 1)
    (1.0, 0.25, 0.125)
    """
    return where(above(kv_lora_rank, 0), 1, maximum(1 / kv_heads, 1 / tensor_ranks)) / layer_stages


@rule(en="Layers of a cache group", zh="缓存分组层数", source="vLLM kv_cache_utils: groups of window and full layers")
def layer_group(full_attention_layers: Layers, sliding_layers: Layers) -> Layers:
    """Layers that vLLM puts into one group of its cache: the smaller kind, or the larger where both are nearly equal.

    >>> layer_group(12, 12), layer_group(10, 52), layer_group(32, 0)
    (12.0, 10.0, 32.0)
    """
    few, many = minimum(full_attention_layers, sliding_layers), maximum(full_attention_layers, sliding_layers)
    return maximum(1, where(above(NEARLY * few, many) + at_least(0, few), many, few))


@rule(en="Layers that tokens are counted by", zh="计token层数系数", source="vLLM's start-up log: tokens as if all groups grew")
def layers_charged(
    groups_layers: Flag, full_attention_layers: Layers, sliding_layers: Layers, layer_group: Layers, layers: Layers
) -> Ratio:
    """How many times its layers a token is charged where window and full layers share groups of one size.

    >>> layers_charged(1, 12, 12, 12, 24), round(layers_charged(1, 10, 52, 10, 62), 4), layers_charged(0, 10, 52, 10, 62)
    (1.0, 1.129, 1.0)
    """
    grouped = layer_group * (ceil(full_attention_layers / layer_group) + ceil(sliding_layers / layer_group)) / layers
    return where(groups_layers * above(full_attention_layers, 0) * above(sliding_layers, 0), grouped, 1)


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


