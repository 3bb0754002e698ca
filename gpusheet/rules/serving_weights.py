"""Serving: how cards share a model, and what its weights take on each."""

from __future__ import annotations

from gpusheet.constants import GB_PER_GIB, PAD_HIDDEN, PAD_INNER, WIDE_BYTES
from gpusheet.ops import above, ceil, either, if_given, maximum, minimum, one_of, where
from gpusheet.registry import rule
from gpusheet.units import (
    BillionParams,
    Bytes,
    Cards,
    Elements,
    Flag,
    GBPerCard,
    GiBPerCard,
    Heads,
    Number,
    Ratio,
    Text,
)


@rule(en="Cards in one link domain", zh="互联域", source="data sheets; NVL72")
def link_domain(link_domain_cards: Cards, max_cards_per_node: Cards) -> Cards:
    """Cards that reach each other by the fast link: those of a node, or of a rack where the link joins it.

    >>> link_domain(72, 4), link_domain(None, 8)
    (72.0, 8.0)
    """
    return either(link_domain_cards, max_cards_per_node)


@rule(en="Attention wider than a node", zh="注意力跨节点", source="published NVL72 deployments")
def rack_wide(link_domain: Cards, cards: Cards, attention_dp_size: Cards, attention_group_cards: Cards) -> Flag:
    """1 where a link joins more than a node and a copy of the attention would be split over more cards than a node has.

    >>> rack_wide(72, 72, 1, 8), rack_wide(72, 8, 1, 8), rack_wide(8, 16, 1, 8)
    (1.0, 0.0, 0.0)
    """
    return above(link_domain, attention_group_cards) * above(cards / attention_dp_size, attention_group_cards)


@rule(en="Copies of the attention", zh="注意力副本数", source="attention data parallelism of vLLM, SGLang, TensorRT-LLM")
def attention_groups(
    cards: Cards, attention_dp_size: Cards, rack_wide: Flag, attention_group_cards: Cards
) -> Number:
    """Groups of cards that hold the attention, and the cache of its requests, each for itself: the data-parallel size.

    Where a link joins more than a node, attention is not split over more cards than a node has.

    >>> attention_groups(8, 1, 0, 8), attention_groups(16, 16, 0, 8), attention_groups(72, 1, 1, 8)
    (1.0, 16.0, 9.0)
    """
    return maximum(attention_dp_size, rack_wide * cards / attention_group_cards)


@rule(en="Cards that take turns", zh="轮流计算卡数", source="layer split of llama.cpp")
def layer_stages(layer_split: Flag, cards: Cards) -> Number:
    """Parts of the layers, each on cards of its own, that a token passes one after the other; 1 where all cards share all layers.

    >>> layer_stages(1, 4), layer_stages(0, 4)
    (4.0, 1.0)
    """
    return where(layer_split, cards, 1)


@rule(en="Tensor-parallel cards", zh="张量并行卡数", source="attention data parallelism")
def tensor_ranks(cards: Cards, attention_groups: Number, layer_stages: Number, link_domain: Cards) -> Number:
    """Cards over which the attention of a group is split; a group does not leave the domain of its link.

    >>> tensor_ranks(8, 1, 1, 8), tensor_ranks(16, 8, 1, 8)
    (8.0, 2.0)
    """
    return minimum(cards / attention_groups / layer_stages, link_domain)


@rule(en="Cards at work", zh="参与计算卡数", source="tensor-parallel groups")
def working_cards(tensor_ranks: Number, attention_groups: Number) -> Number:
    """Cards of all groups together.

    >>> working_cards(2, 8)
    16
    """
    return tensor_ranks * attention_groups


@rule(en="Dense parameters", zh="稠密前馈参数量", source="what is left of all parameters")
def dense_params_b(
    params_b: BillionParams,
    embedding_params_b: BillionParams,
    attention_params_b: BillionParams,
    kv_projection_params_b: BillionParams,
    latent_params_b: BillionParams,
    replicated_params_b: BillionParams,
    expert_params_b: BillionParams,
    vision_params_b: BillionParams,
) -> BillionParams:
    """Parameters of the feed-forward layers that every token uses, shared experts among them.

    >>> round(dense_params_b(8.03, 1.050673152, 1.073741824, 0.268435456, 0, 0, 0, 0), 3)
    5.637
    """
    attention = attention_params_b + kv_projection_params_b + latent_params_b + replicated_params_b
    return maximum(0, params_b - embedding_params_b - attention - expert_params_b - vision_params_b)


@rule(en="Bytes of an attention weight", zh="注意力权重字节数", source="quantisation configs of published checkpoints")
def attention_bytes(body_bytes: Bytes, four_bit: Flag, four_bit_scope: Text) -> Bytes:
    """Bytes per parameter of the attention: published 4-bit weights leave it in 16 bit unless they cover all layers.

    >>> attention_bytes(0.53125, 1, "experts"), attention_bytes(0.53125, 1, "all"), attention_bytes(1, 0, "ffn")
    (2.0, 0.53125, 1.0)
    """
    return where(four_bit * one_of(four_bit_scope, "ffn", "experts"), WIDE_BYTES, body_bytes)


@rule(en="Bytes of a dense weight", zh="稠密权重字节数", source="quantisation configs of published checkpoints")
def dense_bytes(body_bytes: Bytes, four_bit: Flag, four_bit_scope: Text) -> Bytes:
    """Bytes per parameter of feed-forward layers without experts.

    >>> dense_bytes(0.53125, 1, "experts"), dense_bytes(0.53125, 1, "ffn")
    (2.0, 0.53125)
    """
    return where(four_bit * one_of(four_bit_scope, "experts"), WIDE_BYTES, body_bytes)


@rule(en="Padding of the hidden size", zh="隐藏维度填充系数", source="vLLM: mxfp4 experts padded to 256 x 128 (gpt-oss)")
def hidden_padding(hidden: Elements) -> Ratio:
    """How much larger the hidden size is once padded; 1 where it is not known.

    >>> round(hidden_padding(2880), 4), hidden_padding(4096)
    (1.0667, 1.0)
    """
    return if_given(hidden, ceil(hidden / PAD_HIDDEN) * PAD_HIDDEN / hidden, 1)


@rule(en="Padding of the feed-forward size", zh="前馈维度填充系数", source="vLLM: mxfp4 experts padded to 256 x 128 (gpt-oss)")
def inner_padding(intermediate: Elements) -> Ratio:
    """How much larger the feed-forward size is once padded; 1 where it is not known.

    >>> round(inner_padding(2880), 4), inner_padding(1536)
    (1.0222, 1.0)
    """
    return if_given(intermediate, ceil(intermediate / PAD_INNER) * PAD_INNER / intermediate, 1)


@rule(en="Padding of experts", zh="专家填充系数", source="vLLM: mxfp4 experts padded to 256 x 128 (gpt-oss)")
def expert_padding(padded: Flag, hidden_padding: Ratio, inner_padding: Ratio) -> Ratio:
    """How much larger experts are in memory where the format pads their shapes.

    >>> round(expert_padding(1, 1.0667, 1.0222), 4), expert_padding(0, 1.0667, 1.0222)
    (1.0904, 1.0)
    """
    return where(padded, hidden_padding * inner_padding, 1)


@rule(en="16-bit weights per card", zh="单卡16位权重", source="embedding, head, vision, norms")
def wide_gb_per_card(
    embedding_params_b: BillionParams,
    tied_embeddings: Flag,
    second_head: Flag,
    vision_params_b: BillionParams,
    replicated_params_b: BillionParams,
    tensor_ranks: Number,
) -> GBPerCard:
    """Weights that stay 16 bit: embedding, output layer and image encoder split over the ranks, norms on each.

    >>> wide_gb_per_card(1.050673152, 0, 0, 0, 0.0003, 2)
    1.051273152
    """
    split = embedding_params_b * (1 + tied_embeddings * second_head) + vision_params_b
    return (split / tensor_ranks + replicated_params_b) * WIDE_BYTES


@rule(en="Attention weights per card", zh="单卡注意力权重", source="tensor parallelism of vLLM; MLA down-projections replicated")
def attention_gb_per_card(
    attention_bytes: Bytes,
    attention_params_b: BillionParams,
    kv_projection_params_b: BillionParams,
    latent_params_b: BillionParams,
    tensor_ranks: Number,
    kv_heads: Heads,
) -> GBPerCard:
    """Weights of the attention on a card: split over the ranks, KV projections no finer than by head, latents on each.

    >>> attention_gb_per_card(2, 10.7, 1.34, 0, 16, 8)
    1.6724999999999999
    """
    kv = kv_projection_params_b * maximum(1 / tensor_ranks, 1 / kv_heads)
    return attention_bytes * (attention_params_b / tensor_ranks + kv + latent_params_b)


@rule(en="Feed-forward weights per card", zh="单卡前馈权重", source="tensor and expert parallelism")
def feed_forward_gb_per_card(
    dense_bytes: Bytes,
    dense_params_b: BillionParams,
    body_bytes: Bytes,
    expert_padding: Ratio,
    expert_params_b: BillionParams,
    working_cards: Number,
) -> GBPerCard:
    """Weights of feed-forward layers and experts on a card, split over all cards of the replica.

    >>> feed_forward_gb_per_card(1, 10, 0.5, 1, 200, 8)
    13.75
    """
    return (dense_bytes * dense_params_b + body_bytes * expert_padding * expert_params_b) / working_cards


@rule(en="Weights per card", zh="单卡权重", source="the three parts together")
def weights_gib_per_card(
    wide_gb_per_card: GBPerCard, attention_gb_per_card: GBPerCard, feed_forward_gb_per_card: GBPerCard, layer_stages: Number
) -> GiBPerCard:
    """Memory that the weights take on a card, as engines log it after loading.

    >>> round(weights_gib_per_card(1.05, 1.6725, 13.75, 1), 4)
    15.3412
    """
    return (wide_gb_per_card + attention_gb_per_card + feed_forward_gb_per_card) / layer_stages / GB_PER_GIB
