"""Serving: what a prompt takes of the replica, and what prompts add to a step."""

from __future__ import annotations

from gpusheet.constants import (
    BYTES_PER_GB,
    FLOPS_PER_PARAM,
    FLOPS_PER_TFLOPS,
    US_PER_SECOND,
    WIDE_BYTES,
)
from gpusheet.ops import above, either, maximum, minimum, where
from gpusheet.registry import rule
from gpusheet.units import (
    TFLOPS,
    BillionParams,
    Elements,
    Experts,
    FLOPs,
    GBPerSecond,
    Heads,
    Layers,
    Microseconds,
    Number,
    Ratio,
    Requests,
    Seconds,
    Share,
    Tokens,
)


@rule(en="Attention of a prompt", zh="提示注意力计算量", source="causal attention, windowed where layers are")
def prompt_attention_flops(
    full_attention_layers: Layers, sliding_layers: Layers, window_tokens: Tokens, q_heads: Heads, head_dim: Elements,
    input_tokens: Tokens,
) -> FLOPs:  # fmt: skip
    """Floating-point operations of the attention over a prompt; a window layer sees each token's own and those in the window.

    >>> prompt_attention_flops(32, 0, 0, 32, 128, 2048), prompt_attention_flops(0, 32, 4096, 32, 128, 2048)
    (1099511627776.0, 1099511627776.0)
    """
    seen = minimum(input_tokens, window_tokens)
    windowed = sliding_layers * seen * maximum(1, 2 - seen / input_tokens)
    return 2 * either(q_heads, 0) * head_dim * input_tokens * (full_attention_layers * input_tokens + windowed)


@rule(en="Products of a prompt", zh="提示矩阵计算耗时", source="2 FLOPs a parameter and token")
def prompt_compute_s(
    input_tokens: Tokens, common_params_b: BillionParams, expert_share: Share, expert_params_b: BillionParams,
    working_cards: Number, matmul_tflops: TFLOPS, prompt_utilisation: Share, prefill_factor: Ratio,
    expert_prompt_factor: Ratio,
) -> Seconds:  # fmt: skip
    """Seconds of the replica for the matrix products of a prompt.

    >>> prompt_compute_s(2048, 7, 0, 0, 1, 989, 0.65, 1, 0.65)
    0.04460138445982733
    """
    used = common_params_b + expert_share * expert_params_b
    factor = where(above(expert_share, 0), expert_prompt_factor, 1)
    return FLOPS_PER_PARAM * input_tokens * used / (working_cards * matmul_tflops * prompt_utilisation * prefill_factor * factor) / 1000


@rule(en="Traffic of a prompt", zh="提示访存耗时", source="fitted: passes over the activations")
def prompt_traffic_s(
    input_tokens: Tokens, attention_groups: Number, layers: Layers, hidden: Elements, activation_passes: Ratio,
    expert_share: Share, experts_per_token: Experts, expert_passes: Ratio, bandwidth_gbs: GBPerSecond,
) -> Seconds:  # fmt: skip
    """Seconds of the replica to move the activations of a prompt through memory.

    >>> prompt_traffic_s(2048, 1, 32, 4096, 40, 0, None, 7, 3350)
    0.0064103989492537315
    """
    passes = activation_passes + above(expert_share, 0) * either(experts_per_token, 0) * expert_passes
    return input_tokens / attention_groups * layers * either(hidden, 0) * WIDE_BYTES * passes / BYTES_PER_GB / bandwidth_gbs


@rule(en="Time of a prompt", zh="单个提示耗时", source="sum of its parts")
def prompt_s(
    prompt_compute_s: Seconds, prompt_attention_flops: FLOPs, working_cards: Number, fp16_tflops: TFLOPS,
    attention_utilisation: Share, prompt_traffic_s: Seconds, input_tokens: Tokens, attention_groups: Number,
    token_collective_s: Seconds, calibration_prompt: Ratio,
) -> Seconds:  # fmt: skip
    """Seconds of the whole replica that a prompt takes.

    >>> prompt_s(0.0446, 1.1e12, 1, 989, 0.5, 0.0064, 2048, 1, 0, 1)
    0.05322446916076846
    """
    attention = prompt_attention_flops / FLOPS_PER_TFLOPS / (working_cards * fp16_tflops * attention_utilisation)
    moved = input_tokens / attention_groups * token_collective_s
    return (prompt_compute_s + attention + prompt_traffic_s + moved) * calibration_prompt


@rule(en="Time that prompts add to a step", zh="提示干扰耗时", source="prompts come as fast as answers end")
def interference_s(
    running_requests: Requests, output_tokens: Tokens, prompt_s: Seconds, layers: Layers, eager_layer_us: Microseconds,
    mixing_factor: Ratio,
) -> Seconds:  # fmt: skip
    """Seconds by which the prompts of other requests lengthen a step on average; a step with a prompt is not replayed.

    >>> interference_s(33, 256, 0.05, 32, 250, 0.8)
    0.005000000000000001
    """
    prompts = maximum(running_requests - 1, 0) / output_tokens
    eager = minimum(prompts, 1) * layers * eager_layer_us / US_PER_SECOND
    return mixing_factor * maximum(prompts * prompt_s, eager)


@rule(en="Time per output token (TPOT)", zh="每输出token时间(TPOT)", source="mean over the tokens after the first")
def tpot_s(decode_step_s: Seconds, interference_s: Seconds) -> Seconds:
    """Seconds between two output tokens of a request at the load.

    >>> tpot_s(0.0129, 0.005)
    0.0179
    """
    return decode_step_s + interference_s
