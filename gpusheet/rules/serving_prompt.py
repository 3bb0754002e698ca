"""Serving: what a prompt takes of the replica, and what prompts add to a step."""

from __future__ import annotations

from gpusheet.constants import (
    BYTES_PER_GB,
    FLOPS_PER_PARAM,
    FLOPS_PER_SCORE,
    FLOPS_PER_TFLOPS,
    HALFWAY,
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


@rule(en="Width of the queries", zh="查询宽度", source="query heads x head dimension")
def query_width(q_heads: Heads, head_dim: Elements) -> Elements:
    """Elements of the queries of a token in a layer; 0 where the heads are not known.

    >>> query_width(32, 128)
    4096.0
    """
    return either(q_heads, 0) * head_dim


@rule(en="Tokens looked at in a prompt", zh="提示内所看token", source="causal attention, windowed where layers are")
def prompt_looked_at(
    full_attention_layers: Layers, sliding_layers: Layers, window_tokens: Tokens, input_tokens: Tokens
) -> Tokens:
    """Tokens that a token of a prompt looks at on average, in all layers together; a window layer sees each token's own and
    those in the window.

    >>> prompt_looked_at(32, 0, 0, 2048), prompt_looked_at(0, 32, 4096, 2048), prompt_looked_at(0, 32, 512, 2048)
    (32768.0, 32768.0, 14336.0)
    """
    seen = minimum(input_tokens, window_tokens)
    return HALFWAY * (full_attention_layers * input_tokens + sliding_layers * seen * (1 + maximum(0, 1 - seen / input_tokens)))


@rule(en="Attention of a prompt", zh="提示注意力计算量", source="scores and values over what each token looks at")
def prompt_attention_flops(query_width: Elements, prompt_looked_at: Tokens, input_tokens: Tokens) -> FLOPs:
    """Floating-point operations of the attention over a prompt.

    >>> prompt_attention_flops(4096, 32768, 2048)
    1099511627776.0
    """
    return FLOPS_PER_SCORE * query_width * input_tokens * prompt_looked_at


@rule(en="Attention time of a prompt", zh="提示注意力耗时", source="kernel measurements")
def prompt_attention_s(
    prompt_attention_flops: FLOPs, working_cards: Number, fp16_tflops: TFLOPS, attention_utilisation: Share
) -> Seconds:
    """Seconds of the replica for the attention over a prompt.

    >>> prompt_attention_s(1.1e12, 1, 989, 0.5)
    0.002224469160768453
    """
    return prompt_attention_flops / FLOPS_PER_TFLOPS / (working_cards * fp16_tflops * attention_utilisation)


@rule(en="Parameters used by a prompt token", zh="提示token激活参数量", source="all but embeddings; experts by their share")
def prompt_params_b(common_params_b: BillionParams, expert_share: Share, expert_params_b: BillionParams) -> BillionParams:
    """Parameters that a token of a prompt goes through.

    >>> prompt_params_b(7, 0, 0), prompt_params_b(7, 0.0625, 224)
    (7, 21.0)
    """
    return common_params_b + expert_share * expert_params_b


@rule(en="Compute that prompts get", zh="预填充有效算力", source="fitted; kernel measurements")
def prompt_tflops(
    matmul_tflops: TFLOPS, prompt_utilisation: Share, prefill_factor: Ratio, expert_share: Share, expert_prompt_factor: Ratio
) -> TFLOPS:
    """Rate of a card for the matrix products of prompts; with experts it is lower.

    >>> prompt_tflops(1000, 0.65, 1, 0, 0.5), prompt_tflops(1000, 0.65, 1, 0.0625, 0.5)
    (650.0, 325.0)
    """
    return matmul_tflops * prompt_utilisation * prefill_factor * where(above(expert_share, 0), expert_prompt_factor, 1)


@rule(en="Products of a prompt", zh="提示矩阵计算耗时", source="2 FLOPs a parameter and token")
def prompt_compute_s(
    input_tokens: Tokens, prompt_params_b: BillionParams, working_cards: Number, prompt_tflops: TFLOPS
) -> Seconds:
    """Seconds of the replica for the matrix products of a prompt.

    >>> prompt_compute_s(2048, 7, 1, 642.85)
    0.04460138445982733
    """
    return FLOPS_PER_PARAM * input_tokens * prompt_params_b / (working_cards * prompt_tflops) / 1000


@rule(en="Passes over the activations", zh="激活读写次数合计", source="fitted")
def prompt_passes(
    activation_passes: Ratio, expert_share: Share, experts_per_token: Experts, expert_passes: Ratio
) -> Ratio:
    """Times that a layer moves the activations of a prompt, with those that experts add.

    >>> prompt_passes(40, 0, None, 7), prompt_passes(40, 0.0625, 8, 7)
    (40.0, 96.0)
    """
    return activation_passes + above(expert_share, 0) * either(experts_per_token, 0) * expert_passes


@rule(en="Traffic of a prompt", zh="提示访存耗时", source="fitted: passes over the activations")
def prompt_traffic_s(
    input_tokens: Tokens, attention_groups: Number, layers: Layers, hidden: Elements, prompt_passes: Ratio,
    bandwidth_gbs: GBPerSecond,
) -> Seconds:  # fmt: skip
    """Seconds of the replica to move the activations of a prompt through memory.

    >>> prompt_traffic_s(2048, 1, 32, 4096, 40, 3350)
    0.0064103989492537315
    """
    moved = input_tokens / attention_groups * layers * either(hidden, 0) * WIDE_BYTES * prompt_passes
    return moved / BYTES_PER_GB / bandwidth_gbs


@rule(en="Time of a prompt", zh="单个提示耗时", source="sum of its parts")
def prompt_s(
    prompt_compute_s: Seconds, prompt_attention_s: Seconds, prompt_traffic_s: Seconds, input_tokens: Tokens,
    attention_groups: Number, token_collective_s: Seconds, calibration_prompt: Ratio,
) -> Seconds:  # fmt: skip
    """Seconds of the whole replica that a prompt takes.

    >>> round(prompt_s(0.0446, 0.0022, 0.0064, 2048, 1, 0, 1), 4)
    0.0532
    """
    moved = input_tokens / attention_groups * token_collective_s
    return (prompt_compute_s + prompt_attention_s + prompt_traffic_s + moved) * calibration_prompt


@rule(en="Step that is not replayed", zh="非图重放的一步耗时", source="fitted: a step with a prompt")
def eager_step_s(layers: Layers, eager_layer_us: Microseconds) -> Seconds:
    """Seconds that the layers of a step with a prompt take, which is not replayed as a graph.

    >>> eager_step_s(32, 250)
    0.008
    """
    return layers * eager_layer_us / US_PER_SECOND


@rule(en="Prompts in a step", zh="每步提示数", source="prompts come as fast as answers end")
def step_prompts(running_requests: Requests, output_tokens: Tokens) -> Number:
    """Prompts of other requests that a step takes in on average.

    >>> step_prompts(33, 256)
    0.125
    """
    return maximum(running_requests - 1, 0) / output_tokens


@rule(en="Time that prompts add to a step", zh="提示干扰耗时", source="prompts come as fast as answers end")
def interference_s(
    step_prompts: Number, prompt_s: Seconds, eager_step_s: Seconds, mixing_factor: Ratio
) -> Seconds:
    """Seconds by which the prompts of other requests lengthen a step on average; a step with a prompt is not replayed.

    >>> interference_s(0.125, 0.05, 0.008, 0.8)
    0.005000000000000001
    """
    return mixing_factor * maximum(step_prompts * prompt_s, minimum(step_prompts, 1) * eager_step_s)


@rule(en="Time per output token (TPOT)", zh="每输出token时间(TPOT)", source="mean over the tokens after the first")
def tpot_s(decode_step_s: Seconds, interference_s: Seconds) -> Seconds:
    """Seconds between two output tokens of a request at the load.

    >>> tpot_s(0.0129, 0.005)
    0.0179
    """
    return decode_step_s + interference_s
