"""What a model's attention keeps per token, from its shape. A number typed in the Models table replaces either."""

from __future__ import annotations

from gpusheet.constants import KEY_AND_VALUE
from gpusheet.ops import above, where
from gpusheet.registry import rule
from gpusheet.units import Elements, ElementsPerToken, Heads, Layers


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
