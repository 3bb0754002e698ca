"""Serving: what an engine takes of a card's memory beside the KV cache. GiB are 2^30 bytes."""

from __future__ import annotations

from gpusheet.constants import (
    BYTES_PER_GIB,
    FFN_PARTS,
    HIDDEN_COPIES,
    MIB_PER_GB,
    MIB_PER_GIB,
    SGL_BASE,
    SGL_CARD,
    SGL_LARGE,
    SGL_LEAST,
    SGL_SLOT,
    SGL_TOKEN,
    SGL_TOKENS,
    WIDE_BYTES,
)
from gpusheet.ops import above, at_least, either, maximum, where
from gpusheet.registry import rule
from gpusheet.units import (
    GB,
    Bytes,
    Cards,
    Elements,
    Experts,
    Flag,
    GiB,
    GiBPerCard,
    MiB,
    Number,
    Requests,
    Share,
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


@rule(en="Elements of a whole layer", zh="整层激活元素", source="gate, up and product")
def feed_forward_elements(intermediate: Elements) -> Elements:
    """Numbers of a token inside a feed-forward layer, or one expert, that is not split; 0 where its size is not known.

    >>> feed_forward_elements(14336)
    43008.0
    """
    return FFN_PARTS * either(intermediate, 0)


@rule(en="Elements of a layer", zh="层内激活元素", source="gate, up and product; with experts once for each")
def layer_elements(
    feed_forward_elements: Elements, hidden: Elements, experts_per_token: Experts, expert_share: Share, tensor_ranks: Number,
    working_cards: Number,
) -> Elements:  # fmt: skip
    """Numbers of a token inside a feed-forward layer, on one card.

    >>> layer_elements(43008, 4096, None, 0, 1, 1), layer_elements(4608, 4096, 8, 0.0625, 8, 8)
    (43008.0, 37376.0)
    """
    routed = either(experts_per_token, 0) * (feed_forward_elements / working_cards + either(hidden, 0))
    return where(above(expert_share, 0), routed, feed_forward_elements / tensor_ranks)


@rule(en="Memory of a forward pass", zh="前向激活显存", source="widest point of a layer in 16 bit")
def forward_gib(batch_tokens: Tokens, hidden: Elements, layer_elements: Elements) -> GiBPerCard:
    """Peak memory of activations of a batch: residual, hidden state and what is inside a layer.

    >>> round(forward_gib(8192, 4096, 43008), 3)
    0.844
    """
    return batch_tokens * WIDE_BYTES * (HIDDEN_COPIES * either(hidden, 0) + layer_elements) / BYTES_PER_GIB


@rule(en="Memory of parallel ranks", zh="并行通信显存", source="vLLM logs; PR 10511")
def ranks_gib(cards: Cards, slow_link: Flag, tp_pcie_gib: GiB, tp_nvlink_gib: GiB) -> GiBPerCard:
    """Memory of the collective library on a card where there are several.

    >>> ranks_gib(1, 0, 0.2, 1.9), ranks_gib(4, 0, 0.2, 1.9), ranks_gib(4, 1, 0.2, 1.9)
    (0.0, 1.9, 0.2)
    """
    return above(cards, 1) * where(slow_link, tp_pcie_gib, tp_nvlink_gib)


@rule(en="Engine overhead per card", zh="单卡引擎开销", source="non-torch memory, activation peak, ranks")
def engine_overhead_gib(context_gib: GiB, sampler_gib: GiBPerCard, forward_gib: GiBPerCard, ranks_gib: GiBPerCard) -> GiBPerCard:
    """Memory beside weights and cache that the engine measures before it sizes the pool.

    >>> engine_overhead_gib(0.35, 1.7, 0.8, 1.9)
    3.9499999999999997
    """
    return context_gib + maximum(sampler_gib, forward_gib) + ranks_gib


@rule(en="Buffers of SGLang", zh="SGLang缓冲显存", source="sglang server_args (0.5.3), PR 10975")
def sgl_buffers_mib(batch_tokens: Tokens, request_slots: Requests, cards: Cards) -> MiB:
    """Memory that SGLang keeps free on a card for activations, by batch, requests and cards.

    >>> sgl_buffers_mib(8192, 256, 1)
    13440.0
    """
    return SGL_BASE + SGL_TOKEN * maximum(batch_tokens, SGL_TOKENS) + SGL_SLOT * request_slots + SGL_CARD * cards


@rule(en="Reserve of SGLang", zh="SGLang预留显存", source="sglang server_args (0.5.3), PR 10975")
def sgl_reserve_mib(sgl_buffers_mib: MiB, card_gib: GiBPerCard) -> MiB:
    """Those buffers, on large cards at least 10 GiB.

    >>> sgl_reserve_mib(5000, 79), sgl_reserve_mib(5000, 47)
    (10240.0, 5000.0)
    """
    return maximum(sgl_buffers_mib, SGL_LEAST * above(card_gib, SGL_LARGE))


@rule(en="Memory share by default", zh="默认显存占比", source="engine's default; SGLang's reserve where it has none", most=1)
def default_share(default_fraction: Share, card_gib: GiBPerCard, sgl_reserve_mib: MiB) -> Share:
    """Memory share that an engine takes by default; where it has no fixed one, what SGLang's reserve leaves.

    >>> default_share(0.9, 79, 13440), round(default_share(None, 79, 13440), 4)
    (0.9, 0.8339)
    """
    return either(default_fraction, 1 - sgl_reserve_mib / MIB_PER_GIB / maximum(card_gib, 1))


@rule(en="Memory share of the engine", zh="引擎显存占比", source="typed, or the engine's default", most=1)
def memory_share(gpu_memory_utilization: Share, default_share: Share) -> Share:
    """Share of a card's memory that the engine takes.

    >>> memory_share(0.95, 0.9), memory_share(None, 0.9)
    (0.95, 0.9)
    """
    return either(gpu_memory_utilization, default_share)
