"""What a model's attention keeps per token, and where its parameters are, from its shape.

A number typed in the Models table replaces any of them.
"""

from __future__ import annotations

from gpusheet.constants import FFN_PARTS, KEY_AND_VALUE, PARAMS_PER_BILLION, QUERY_AND_OUTPUT
from gpusheet.ops import above, at_least, either, if_given, maximum, where
from gpusheet.registry import rule
from gpusheet.units import BillionParams, Elements, ElementsPerToken, Experts, Flag, Heads, Layers, Share


@rule(en="KV elements per token and layer", zh="每层每token KV元素", source="[B] 2.1; DeepSeek-V2 paper (MLA)")
def kv_elements_per_layer(
    kv_heads: Heads, head_dim: Elements, kv_lora_rank: Elements, qk_rope_head_dim: Elements
) -> ElementsPerToken:
    """Numbers that one layer caches per token: a key and a value per KV head, or the one latent of MLA.

    >>> kv_elements_per_layer(8, 128, 0, 0), kv_elements_per_layer(128, 192, 512, 64)
    (2048.0, 576.0)
    """
    return where(above(kv_lora_rank, 0), kv_lora_rank + qk_rope_head_dim, KEY_AND_VALUE * kv_heads * head_dim)


@rule(en="KV elements per token", zh="每token KV元素", source="layers with full attention")
def kv_elements_per_token(full_attention_layers: Layers, kv_elements_per_layer: ElementsPerToken) -> ElementsPerToken:
    """Numbers cached per token by the layers that attend to the whole context.

    >>> kv_elements_per_token(32, 2048)
    65536
    """
    return full_attention_layers * kv_elements_per_layer


@rule(en="KV elements per token in the window", zh="窗口内每token KV元素", source="sliding-window layers")
def windowed_kv_elements_per_token(
    sliding_layers: Layers, kv_elements_per_layer: ElementsPerToken
) -> ElementsPerToken:
    """Numbers cached per token by the layers that attend to a sliding window only.

    >>> windowed_kv_elements_per_token(18, 1024)
    18432
    """
    return sliding_layers * kv_elements_per_layer


@rule(en="Output layer of its own", zh="独立输出层", source="Hugging Face config: tie_word_embeddings")
def own_head(tied_embeddings: Flag) -> Flag:
    """1 where the output layer is not the embedding.

    >>> own_head(0), own_head(1)
    (1.0, 0.0)
    """
    return at_least(0, tied_embeddings)


@rule(en="Embedding parameters", zh="词嵌入参数量", source="Hugging Face config: vocab_size, hidden_size, tie_word_embeddings")
def embedding_params_b(vocab: Elements, hidden: Elements, own_head: Flag) -> BillionParams:
    """Parameters of embedding and output layer; 0 where the vocabulary is not known.

    >>> embedding_params_b(128256, 4096, 1), embedding_params_b(128256, 4096, 0), embedding_params_b(None, 4096, 1)
    (1.050673152, 0.525336576, 0.0)
    """
    return (1 + own_head) * either(vocab, 0) * either(hidden, 0) / PARAMS_PER_BILLION


@rule(en="Parameters of one head's projection", zh="单头投影参数量", source="hidden size x head dimension, all layers")
def head_projection_b(layers: Layers, hidden: Elements, head_dim: Elements) -> BillionParams:
    """Parameters that project hidden states to one head, or back, in all layers; 0 where the hidden size is not known.

    >>> head_projection_b(32, 4096, 128)
    0.016777216
    """
    return layers * either(hidden, 0) * head_dim / PARAMS_PER_BILLION


@rule(en="Attention parameters", zh="注意力参数量", source="query and output projections")
def attention_params_b(q_heads: Heads, head_projection_b: BillionParams) -> BillionParams:
    """Parameters of the query and output projections, which a split over cards divides.

    >>> attention_params_b(32, 0.016777216)
    1.073741824
    """
    return QUERY_AND_OUTPUT * either(q_heads, 0) * head_projection_b


@rule(en="KV projection parameters", zh="KV投影参数量", source="key and value projections")
def kv_projection_params_b(kv_heads: Heads, head_projection_b: BillionParams, kv_lora_rank: Elements) -> BillionParams:
    """Parameters of the key and value projections, which are split no finer than by KV head; none with a latent.

    >>> kv_projection_params_b(8, 0.016777216, 0), kv_projection_params_b(128, 0.083951616, 512)
    (0.268435456, 0.0)
    """
    return where(above(kv_lora_rank, 0), 0, KEY_AND_VALUE * kv_heads * head_projection_b)


@rule(en="Layers with experts", zh="含专家层数", source="all layers less those without experts")
def expert_layers(layers: Layers, dense_layers: Layers) -> Layers:
    """Layers whose feed-forward part is a mixture of experts, in models that have any.

    >>> expert_layers(61, 3)
    58.0
    """
    return maximum(0, layers - dense_layers)


@rule(en="Parameters of one expert", zh="单专家参数量", source="gate, up and down projection")
def one_expert_b(hidden: Elements, intermediate: Elements) -> BillionParams:
    """Parameters of one routed expert of a layer; 0 where its shape is not known.

    >>> one_expert_b(4096, 1536)
    0.018874368
    """
    return FFN_PARTS * either(hidden, 0) * either(intermediate, 0) / PARAMS_PER_BILLION


@rule(en="Expert parameters", zh="专家参数量", source="every routed expert of every layer with experts")
def expert_params_b(expert_layers: Layers, n_experts: Experts, one_expert_b: BillionParams) -> BillionParams:
    """Parameters of all routed experts; 0 without experts.

    >>> round(expert_params_b(94, 128, 0.018874368), 9), expert_params_b(32, None, 0.176160768)
    (227.096395776, 0.0)
    """
    return expert_layers * either(n_experts, 0) * one_expert_b


@rule(en="Share of experts per token", zh="每token专家占比", source="experts_per_token / n_experts", most=1)
def expert_share(n_experts: Experts, experts_per_token: Experts) -> Share:
    """Part of the routed experts that a token uses; 0 without experts.

    >>> expert_share(128, 8), expert_share(None, None)
    (0.0625, 0.0)
    """
    return if_given((n_experts, experts_per_token), experts_per_token / n_experts, 0)
