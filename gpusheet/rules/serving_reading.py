"""Serving: what a decode step reads of weights, experts and cache."""

from __future__ import annotations

from gpusheet.constants import BYTES_PER_GB, HALFWAY, READ_AND_WRITTEN, WIDE_BYTES
from gpusheet.experts import untouched
from gpusheet.ops import minimum
from gpusheet.registry import rule
from gpusheet.units import (
    BillionParams,
    Bytes,
    Elements,
    ElementsPerToken,
    Flag,
    GBPerCard,
    GBPerRequest,
    GBPerSecond,
    Number,
    Ratio,
    Requests,
    Seconds,
    Share,
    Tokens,
)


@rule(en="Output layer", zh="输出层参数量", source="embedding or its twin")
def head_params_b(embedding_params_b: BillionParams, own_head: Flag) -> BillionParams:
    """Parameters of the output layer, read at every step.

    >>> head_params_b(1.050673152, 1), head_params_b(0.525336576, 0)
    (0.525336576, 0.525336576)
    """
    return embedding_params_b / (1 + own_head)


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


@rule(en="Experts left alone by a token", zh="单token未激活专家占比", source="1-k/E", most=1)
def experts_left(expert_share: Share) -> Share:
    """Share of the experts that a token does not use; 1 without experts.

    >>> experts_left(0.0625), experts_left(0)
    (0.9375, 1)
    """
    return 1 - expert_share


@rule(en="Experts touched", zh="被激活专家占比", source="1-(1-k/E)^B", most=1)
def experts_touched(running_requests: Requests, experts_left: Share, routing_evenness: Ratio) -> Share:
    """Share of the experts that a batch reads; tokens of a batch choose alike, as if it were smaller.

    >>> round(experts_touched(32, 0.9375, 0.6), 4), experts_touched(32, 1, 0.6)
    (0.7104, 0.0)
    """
    return 1 - untouched(experts_left, running_requests * routing_evenness)


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


@rule(en="Context during decoding", zh="解码平均上下文", source="input and half of the output")
def decode_tokens(input_tokens: Tokens, output_tokens: Tokens) -> Tokens:
    """Mean tokens in the cache of a request while it is decoded.

    >>> decode_tokens(1024, 256)
    1152.0
    """
    return input_tokens + HALFWAY * output_tokens


@rule(en="Cache looked at per request", zh="每请求所看KV元素", source="model's attention at the mean context")
def decode_elements(
    kv_elements_per_token: ElementsPerToken, windowed_kv_elements_per_token: ElementsPerToken, window_tokens: Tokens,
    decode_tokens: Tokens,
) -> Elements:  # fmt: skip
    """Cached numbers that a token looks at while it is decoded, in all layers.

    >>> decode_elements(65536, 0, 0, 1152)
    75497472.0
    """
    return kv_elements_per_token * decode_tokens + windowed_kv_elements_per_token * minimum(decode_tokens, window_tokens)


@rule(en="KV read per request", zh="每请求读取KV", source="mean context during decoding")
def kv_read_gb(
    decode_elements: Elements,
    decode_tokens: Tokens,
    kv_bytes: Bytes,
    kv_share_per_card: Share,
    index_bytes_per_token: Bytes,
    state_bytes_per_request: Bytes,
    tensor_ranks: Number,
    layer_stages: Number,
) -> GBPerRequest:
    """Cache read in a step for each request of a group, by its cards side by side; a constant state is read and written.

    >>> kv_read_gb(75497472, 1152, 2, 1, 0, 0, 1, 1)
    0.150994944
    """
    state = READ_AND_WRITTEN * state_bytes_per_request / tensor_ranks
    cache = decode_elements * kv_bytes * kv_share_per_card * layer_stages
    return (cache + index_bytes_per_token * decode_tokens + state) / BYTES_PER_GB
