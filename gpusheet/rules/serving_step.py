"""Serving: the time of a decode step, in which every running request gets one token."""

from __future__ import annotations

from gpusheet.constants import FLOPS_PER_PARAM, FLOPS_PER_TFLOPS, KEY_AND_VALUE, MS_PER_SECOND, US_PER_SECOND
from gpusheet.ops import above, either, maximum, minimum, one_of
from gpusheet.registry import rule
from gpusheet.units import (
    TFLOPS,
    BillionParams,
    Elements,
    FLOPs,
    GBPerRequest,
    GBPerSecond,
    Heads,
    Layers,
    Microseconds,
    Milliseconds,
    Number,
    Ratio,
    Requests,
    Seconds,
    Share,
    Text,
    Tokens,
)


@rule(en="Requests running", zh="运行中请求", source="requests beyond the most wait in the queue")
def running_requests(offered_concurrency: Requests, most_running: Requests) -> Requests:
    """Requests that run at once: those offered, at most what pool and slots allow; blank means as many as that.

    >>> running_requests(32, 100), running_requests(500, 100), running_requests(None, 100)
    (32.0, 100.0, 100.0)
    """
    return minimum(either(offered_concurrency, most_running), most_running)


@rule(en="Requests per group", zh="每组请求", source="spread evenly over the copies of the attention")
def group_requests(running_requests: Requests, attention_groups: Number) -> Requests:
    """Requests that a copy of the attention decodes in a step.

    >>> group_requests(128, 8)
    16.0
    """
    return running_requests / attention_groups


@rule(en="Compute per request and step", zh="每请求每步计算耗时", source="roofline")
def request_compute_s(
    common_params_b: BillionParams, head_params_b: BillionParams, working_cards: Number, matmul_tflops: TFLOPS,
    decode_utilisation: Share,
) -> Seconds:  # fmt: skip
    """Seconds of matrix products that a running request adds to a step, without experts.

    >>> request_compute_s(7, 0.5, 1, 989, 0.55)
    2.7576063976468425e-05
    """
    rate = working_cards * matmul_tflops * decode_utilisation
    return FLOPS_PER_PARAM * (common_params_b + head_params_b) / rate / 1000


@rule(en="Expert compute per request and step", zh="每请求每步专家计算耗时", source="roofline")
def expert_compute_s(
    expert_share: Share, expert_params_b: BillionParams, working_cards: Number, matmul_tflops: TFLOPS,
    expert_decode_utilisation: Share,
) -> Seconds:  # fmt: skip
    """Seconds of expert products that a running request adds to a step.

    >>> expert_compute_s(0.0625, 227, 8, 989, 0.55)
    6.520590127769096e-06
    """
    rate = working_cards * matmul_tflops * expert_decode_utilisation
    return FLOPS_PER_PARAM * expert_share * expert_params_b / rate / 1000


@rule(en="Latent attention of a token", zh="每token MLA计算量", source="absorbed MLA: query against the latent, which is key and value")
def latent_flops(
    kv_lora_rank: Elements, qk_rope_head_dim: Elements, q_heads: Heads, full_attention_layers: Layers, decode_tokens: Tokens
) -> FLOPs:
    """Operations of attention over a latent for one token at the mean context.

    >>> latent_flops(512, 64, 128, 61, 1024)
    17397972992.0
    """
    width = KEY_AND_VALUE * kv_lora_rank + qk_rope_head_dim
    return FLOPS_PER_PARAM * either(q_heads, 0) * width * full_attention_layers * decode_tokens


@rule(en="Latent attention per request and step", zh="每请求每步MLA耗时", source="roofline; 0 without a latent")
def latent_compute_s(
    kv_lora_rank: Elements, latent_flops: FLOPs, working_cards: Number, fp16_tflops: TFLOPS, attention_utilisation: Share
) -> Seconds:
    """Seconds that attention over a latent adds to a step for each running request; 0 without one.

    >>> latent_compute_s(512, 17397972992, 8, 989, 0.5)
    4.397869815975733e-06
    """
    rate = working_cards * fp16_tflops * attention_utilisation
    return above(kv_lora_rank, 0) * latent_flops / FLOPS_PER_TFLOPS / rate


@rule(en="More per layer by attention", zh="注意力类型附加耗时", source="fitted: latent and hybrid attention")
def attention_more_us(
    kv_lora_rank: Elements, latent_layer_us: Microseconds, attention_kind: Text, hybrid_layer_us: Microseconds
) -> Microseconds:
    """Fixed time that latent or hybrid attention adds to a layer.

    >>> attention_more_us(512, 20, "mla", 10), attention_more_us(0, 20, "hybrid", 10), attention_more_us(0, 20, "gqa", 10)
    (20.0, 10.0, 0.0)
    """
    return above(kv_lora_rank, 0) * latent_layer_us + one_of(attention_kind, "hybrid") * hybrid_layer_us


@rule(en="Fixed time of the layers", zh="各层固定耗时", source="fitted: launches, norms, routing")
def layers_s(
    layers: Layers, launch_factor: Ratio, layer_us: Microseconds, expert_share: Share, moe_layer_us: Microseconds,
    attention_more_us: Microseconds,
) -> Seconds:  # fmt: skip
    """Seconds of a step that its layers take whatever the batch.

    >>> layers_s(32, 1, 40, 0, 15, 0)
    0.00128
    """
    each = layer_us + above(expert_share, 0) * moe_layer_us + attention_more_us
    return layers * launch_factor * each / US_PER_SECOND


@rule(en="Time per request and step", zh="每请求每步耗时", source="KV read, attention, collectives, scheduler")
def request_step_s(
    kv_read_gb: GBPerRequest, bandwidth_gbs: GBPerSecond, kv_bandwidth_share: Share, latent_compute_s: Seconds,
    token_collective_s: Seconds, sequence_us: Microseconds, sequence_factor: Ratio, attention_groups: Number,
) -> Seconds:  # fmt: skip
    """Seconds that a running request adds to a step beside matrix products.

    >>> request_step_s(0.15, 3350, 0.95, 0, 0, 25, 0.65, 1)
    6.338275726630008e-05
    """
    own = kv_read_gb / (bandwidth_gbs * kv_bandwidth_share) + token_collective_s + sequence_us * sequence_factor / US_PER_SECOND
    return own / attention_groups + latent_compute_s


@rule(en="Fixed time of a step", zh="每步固定耗时", source="layers, collectives, scheduler")
def step_fixed_s(layers_s: Seconds, collectives_s: Seconds, step_ms: Milliseconds) -> Seconds:
    """Seconds of a step that the batch does not change, beside reading weights.

    >>> step_fixed_s(0.00128, 0.0009, 0.2)
    0.00238
    """
    return layers_s + collectives_s + step_ms / MS_PER_SECOND


@rule(en="Time of requests in a step", zh="请求部分耗时", source="cache, collectives and scheduler of every request")
def requests_step_s(request_step_s: Seconds, running_requests: Requests) -> Seconds:
    """Seconds of a step that its requests take beside matrix products.

    >>> requests_step_s(6.3e-05, 64)
    0.004032
    """
    return request_step_s * running_requests


@rule(en="Time of dense products", zh="稠密计算耗时", source="roofline, partly overlapped")
def dense_step_s(weight_read_s: Seconds, request_compute_s: Seconds, running_requests: Requests, overlap_loss: Share) -> Seconds:
    """Seconds of a step for the layers of every token: the longer of reading and computing, and part of the shorter.

    >>> dense_step_s(0.0056, 2.76e-05, 64, 0.5)
    0.0064832
    """
    compute = request_compute_s * running_requests
    return maximum(weight_read_s, compute) + overlap_loss * minimum(weight_read_s, compute)


@rule(en="Time of experts", zh="专家计算耗时", source="roofline, partly overlapped")
def expert_step_s(
    all_experts_read_s: Seconds, experts_touched: Share, expert_compute_s: Seconds, running_requests: Requests,
    overlap_loss: Share,
) -> Seconds:  # fmt: skip
    """Seconds of a step for the experts that the batch touches.

    >>> expert_step_s(0.0176, 0.7, 6.5e-06, 32, 0.5)
    0.012424
    """
    read, compute = all_experts_read_s * experts_touched, expert_compute_s * running_requests
    return maximum(read, compute) + overlap_loss * minimum(read, compute)


@rule(en="Decode step", zh="解码一步耗时", source="sum of its parts")
def decode_step_s(
    dense_step_s: Seconds, expert_step_s: Seconds, step_fixed_s: Seconds, requests_step_s: Seconds, calibration_step: Ratio
) -> Seconds:
    """Seconds of a step that gives every running request one token, with no prompt beside it.

    >>> decode_step_s(0.0065, 0, 0.0024, 0.004032, 1)
    0.012931999999999999
    """
    return (dense_step_s + expert_step_s + step_fixed_s + requests_step_s) * calibration_step
