"""Serving: the time of a decode step, in which every running request gets one token."""

from __future__ import annotations

from gpusheet.constants import (
    BYTES_PER_GB,
    FLOPS_PER_PARAM,
    FLOPS_PER_TFLOPS,
    LINK_RANKS,
    MS_PER_SECOND,
    US_PER_SECOND,
    WIDE_BYTES,
)
from gpusheet.experts import untouched
from gpusheet.ops import above, at_least, either, maximum, minimum, one_of, where
from gpusheet.registry import rule
from gpusheet.units import (
    TFLOPS,
    BillionParams,
    Bytes,
    Elements,
    ElementsPerToken,
    Flag,
    GBPerCard,
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


@rule(en="Output layer", zh="输出层参数量", source="embedding or its twin")
def head_params_b(embedding_params_b: BillionParams, tied_embeddings: Flag) -> BillionParams:
    """Parameters of the output layer, read at every step.

    >>> head_params_b(1.050673152, 0), head_params_b(0.525336576, 1)
    (0.525336576, 0.525336576)
    """
    return embedding_params_b / (1 + at_least(0, tied_embeddings))


@rule(en="Parameters of every token", zh="每token必经参数量", source="all but embeddings and experts")
def common_params_b(
    dense_params_b: BillionParams, attention_params_b: BillionParams, kv_projection_params_b: BillionParams,
    latent_params_b: BillionParams,
) -> BillionParams:  # fmt: skip
    """Parameters of the layers that every token goes through.

    >>> common_params_b(5.6, 1.07, 0.27, 0)
    6.9399999999999995
    """
    return dense_params_b + attention_params_b + kv_projection_params_b + latent_params_b


@rule(en="Weights read per step", zh="每步读取权重", source="layers of every token and output layer")
def step_weights_gb(
    attention_gb_per_card: GBPerCard, dense_bytes: Bytes, dense_params_b: BillionParams, head_params_b: BillionParams,
    tensor_ranks: Number,
) -> GBPerCard:  # fmt: skip
    """Weights that a card reads in a step whatever the batch.

    >>> step_weights_gb(2.68, 2, 5.64, 0.53, 1)
    15.02
    """
    return attention_gb_per_card + (dense_bytes * dense_params_b + WIDE_BYTES * head_params_b) / tensor_ranks


@rule(en="Time to read weights", zh="读取权重耗时", source="roofline")
def weight_read_s(
    step_weights_gb: GBPerCard, bandwidth_gbs: GBPerSecond, weight_bandwidth_share: Share, weight_read_factor: Ratio
) -> Seconds:
    """Seconds of a step to read the weights of every token.

    >>> weight_read_s(15, 3350, 0.8, 1)
    0.005597014925373134
    """
    return step_weights_gb / (bandwidth_gbs * weight_bandwidth_share * weight_read_factor)


@rule(en="Experts touched", zh="被激活专家占比", source="1-(1-k/E)^B", most=1)
def experts_touched(running_requests: Requests, expert_share: Share, routing_evenness: Ratio) -> Share:
    """Share of the experts that a batch reads; tokens of a batch choose alike, as if it were smaller.

    >>> round(experts_touched(32, 0.0625, 0.6), 4), experts_touched(32, 0, 0.6)
    (0.7104, 0.0)
    """
    return 1 - untouched(expert_share, running_requests * routing_evenness)


@rule(en="Time to read all experts", zh="读取全部专家耗时", source="roofline")
def all_experts_read_s(
    expert_params_b: BillionParams, body_bytes: Bytes, working_cards: Number, bandwidth_gbs: GBPerSecond,
    weight_bandwidth_share: Share, experts_read_factor: Ratio,
) -> Seconds:  # fmt: skip
    """Seconds of a step in which every expert is read.

    >>> all_experts_read_s(227, 1, 8, 3350, 0.8, 0.6)
    0.017646144278606966
    """
    rate = working_cards * bandwidth_gbs * weight_bandwidth_share * experts_read_factor
    return expert_params_b * body_bytes / rate


@rule(en="KV read per request", zh="每请求读取KV", source="mean context during decoding")
def kv_read_gb(
    kv_elements_per_token: ElementsPerToken,
    windowed_kv_elements_per_token: ElementsPerToken,
    window_tokens: Tokens,
    decode_tokens: Tokens,
    kv_bytes: Bytes,
    kv_share_per_card: Share,
    index_bytes_per_token: Bytes,
    state_bytes_per_request: Bytes,
    tensor_ranks: Number,
    layer_stages: Number,
) -> GBPerRequest:
    """Cache read in a step for each request of a group, by its cards side by side; a constant state is read and written.

    >>> kv_read_gb(65536, 0, 0, 1152, 2, 1, 0, 0, 1, 1)
    0.150994944
    """
    kept = kv_elements_per_token * decode_tokens + windowed_kv_elements_per_token * minimum(decode_tokens, window_tokens)
    state = 2 * state_bytes_per_request / tensor_ranks
    cache = kept * kv_bytes * kv_share_per_card * layer_stages
    return (cache + index_bytes_per_token * decode_tokens + state) / BYTES_PER_GB


@rule(en="Context during decoding", zh="解码平均上下文", source="input and half of the output")
def decode_tokens(input_tokens: Tokens, output_tokens: Tokens) -> Tokens:
    """Mean tokens in the cache of a request while it is decoded.

    >>> decode_tokens(1024, 256)
    1152.0
    """
    return input_tokens + output_tokens / 2


@rule(en="Compute per request and step", zh="每请求每步计算耗时", source="roofline")
def request_compute_s(
    common_params_b: BillionParams, head_params_b: BillionParams, tensor_ranks: Number, attention_groups: Number,
    matmul_tflops: TFLOPS, decode_utilisation: Share,
) -> Seconds:  # fmt: skip
    """Seconds of matrix products that a running request adds to a step, without experts.

    >>> request_compute_s(7, 0.5, 1, 1, 989, 0.55)
    2.7576063976468425e-05
    """
    rate = tensor_ranks * attention_groups * matmul_tflops * decode_utilisation
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


@rule(en="Latent attention per request and step", zh="每请求每步MLA耗时", source="absorbed MLA: query against the latent")
def latent_compute_s(
    kv_lora_rank: Elements, qk_rope_head_dim: Elements, q_heads: Heads, full_attention_layers: Layers, decode_tokens: Tokens,
    tensor_ranks: Number, attention_groups: Number, fp16_tflops: TFLOPS, attention_utilisation: Share,
) -> Seconds:  # fmt: skip
    """Seconds that attention over a latent adds to a step for each running request; 0 without one.

    >>> latent_compute_s(512, 64, 128, 61, 1024, 8, 1, 989, 0.5)
    4.397869815975733e-06
    """
    wide = 2 * kv_lora_rank + qk_rope_head_dim
    flops = 2 * either(q_heads, 0) * wide * full_attention_layers * decode_tokens
    rate = tensor_ranks * attention_groups * fp16_tflops * attention_utilisation
    return where(above(kv_lora_rank, 0), flops / FLOPS_PER_TFLOPS / rate, 0)


@rule(en="Fixed time of the layers", zh="各层固定耗时", source="fitted: launches, norms, routing")
def layers_s(
    layers: Layers, launch_factor: Ratio, layer_us: Microseconds, expert_share: Share, moe_layer_us: Microseconds,
    kv_lora_rank: Elements, latent_layer_us: Microseconds, attention_kind: Text, hybrid_layer_us: Microseconds,
) -> Seconds:  # fmt: skip
    """Seconds of a step that its layers take whatever the batch.

    >>> layers_s(32, 1, 40, 0, 15, 0, 20, "gqa", 10)
    0.00128
    """
    more = above(expert_share, 0) * moe_layer_us + above(kv_lora_rank, 0) * latent_layer_us
    hybrid = one_of(attention_kind, "hybrid") * hybrid_layer_us
    return layers * launch_factor * (layer_us + more + hybrid) / US_PER_SECOND


@rule(en="Latency of collectives", zh="集合通信延迟", source="fitted; all-reduce measurements")
def collectives_s(
    working_cards: Number, layers: Layers, launch_factor: Ratio, collective_us: Microseconds, rank_us: Microseconds,
    expert_parallel: Flag, expert_parallel_us: Microseconds, link: Text, pcie_us: Microseconds,
) -> Seconds:  # fmt: skip
    """Seconds of a step that two collectives a layer take before any data moves; 0 on one card.

    >>> collectives_s(8, 32, 1, 6, 1, 0, 5, "nvlink", 10)
    0.000896
    """
    each = launch_factor * collective_us + rank_us * minimum(working_cards, LINK_RANKS) + expert_parallel * expert_parallel_us
    slow = one_of(link, "pcie") * pcie_us
    return above(working_cards, 1) * 2 * layers * (each + slow) / US_PER_SECOND


@rule(en="Link rate of a card", zh="单卡互联速率", source="data sheets; PCIe measured", )
def link_rate_gbs(link: Text, link_gbs: GBPerSecond, pcie_link_gbs: GBPerSecond, fabric_gbs: GBPerSecond) -> GBPerSecond:
    """Rate of the link for collectives, both directions together.

    >>> link_rate_gbs("nvlink", 900, 40, 300), link_rate_gbs("pcie", None, 40, 300), link_rate_gbs("infinity-fabric", 896, 40, 300)
    (900.0, 40.0, 300.0)
    """
    fast = where(one_of(link, "infinity-fabric"), fabric_gbs, maximum(either(link_gbs, 0), fabric_gbs))
    return where(one_of(link, "pcie", "none"), pcie_link_gbs, fast)


@rule(en="Collectives per token", zh="每token通信耗时", source="two ring all-reduces a layer in 16 bit")
def token_collective_s(
    tensor_ranks: Number, layers: Layers, hidden: Elements, link_rate_gbs: GBPerSecond, link_share: Share
) -> Seconds:
    """Seconds of data movement between the cards of a group for each token.

    >>> token_collective_s(8, 80, 8192, 900, 0.9)
    1.1327209876543211e-05
    """
    moved = 4 * layers * either(hidden, 0) * WIDE_BYTES * maximum(0, tensor_ranks - 1) / tensor_ranks
    return moved / BYTES_PER_GB / (link_rate_gbs / 2 * link_share)


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
    dense_step_s: Seconds, expert_step_s: Seconds, step_fixed_s: Seconds, request_step_s: Seconds, running_requests: Requests,
    calibration_step: Ratio,
) -> Seconds:  # fmt: skip
    """Seconds of a step that gives every running request one token, with no prompt beside it.

    >>> decode_step_s(0.0065, 0, 0.0024, 6.3e-05, 64, 1)
    0.012931999999999999
    """
    return (dense_step_s + expert_step_s + step_fixed_s + request_step_s * running_requests) * calibration_step
