"""What a model's attention keeps per token, and where its parameters are, from its shape.

A number typed in the Models table replaces any of them.
"""

from __future__ import annotations

from gpusheet.constants import KEY_AND_VALUE, PARAMS_PER_BILLION
from gpusheet.ops import above, if_given, maximum, where
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


@rule(en="Embedding parameters", zh="词嵌入参数量", source="Hugging Face config: vocab_size, hidden_size, tie_word_embeddings")
def embedding_params_b(vocab: Elements, hidden: Elements, tied_embeddings: Flag) -> BillionParams:
    """Parameters of embedding and output layer; 0 where the vocabulary is not known.

    >>> embedding_params_b(128256, 4096, 0), embedding_params_b(128256, 4096, 1), embedding_params_b(None, 4096, 0)
    (1.050673152, 0.525336576, 0.0)
    """
    return if_given((vocab, hidden), where(tied_embeddings, 1, 2) * vocab * hidden / PARAMS_PER_BILLION, 0)


@rule(en="Attention parameters", zh="注意力参数量", source="query and output projections")
def attention_params_b(layers: Layers, hidden: Elements, q_heads: Heads, head_dim: Elements) -> BillionParams:
    """Parameters of the query and output projections, which a split over cards divides.

    >>> attention_params_b(32, 4096, 32, 128)
    1.073741824
    """
    return if_given((hidden, q_heads), 2 * layers * hidden * q_heads * head_dim / PARAMS_PER_BILLION, 0)


@rule(en="KV projection parameters", zh="KV投影参数量", source="key and value projections")
def kv_projection_params_b(
    layers: Layers, hidden: Elements, kv_heads: Heads, head_dim: Elements, kv_lora_rank: Elements
) -> BillionParams:
    """Parameters of the key and value projections, which are split no finer than by KV head; none with a latent.

    >>> kv_projection_params_b(32, 4096, 8, 128, 0), kv_projection_params_b(61, 7168, 128, 192, 512)
    (0.268435456, 0.0)
    """
    heads = KEY_AND_VALUE * layers * hidden * kv_heads * head_dim / PARAMS_PER_BILLION
    return where(above(kv_lora_rank, 0), 0, if_given(hidden, heads, 0))


@rule(en="Expert parameters", zh="专家参数量", source="gate, up and down projection of every routed expert")
def expert_params_b(
    layers: Layers, dense_layers: Layers, n_experts: Experts, hidden: Elements, intermediate: Elements
) -> BillionParams:
    """Parameters of all routed experts; 0 without experts.

    >>> expert_params_b(94, 0, 128, 4096, 1536), expert_params_b(32, 0, None, 4096, 14336)
    (227.096395776, 0.0)
    """
    all_experts = 3 * maximum(0, layers - dense_layers) * n_experts * hidden * intermediate / PARAMS_PER_BILLION
    return if_given((n_experts, hidden, intermediate), all_experts, 0)


@rule(en="Share of experts per token", zh="每token专家占比", source="experts_per_token / n_experts", most=1)
def expert_share(n_experts: Experts, experts_per_token: Experts) -> Share:
    """Part of the routed experts that a token uses; 0 without experts.

    >>> expert_share(128, 8), expert_share(None, None)
    (0.0625, 0.0)
    """
    return if_given((n_experts, experts_per_token), experts_per_token / n_experts, 0)
