"""Serving: requests that run, first token, output tokens and throughput at a load."""

from __future__ import annotations

from gpusheet.constants import MS_PER_SECOND
from gpusheet.ops import TINY, either, maximum, minimum, name_of_smallest
from gpusheet.pools import request_gib
from gpusheet.registry import rule
from gpusheet.units import (
    Bytes,
    Cards,
    ElementsPerToken,
    GiBPerCard,
    GiBPerRequest,
    Layers,
    Milliseconds,
    Number,
    Ratio,
    Requests,
    Seconds,
    Share,
    Text,
    Tokens,
    TokensPerSecond,
    TokensPerSecondPerCard,
)


@rule(en="Tokens kept per request", zh="每请求保留token", source="input and output")
def kept_tokens(input_tokens: Tokens, output_tokens: Tokens) -> Tokens:
    """Mean tokens of a request when it ends.

    >>> kept_tokens(1024, 256)
    1280
    """
    return input_tokens + output_tokens


@rule(en="KV cache of a mean request", zh="平均请求KV", source="model's attention at the mean length")
def mean_request_gib(
    kv_elements_per_token: ElementsPerToken,
    windowed_kv_elements_per_token: ElementsPerToken,
    window_tokens: Tokens,
    kept_tokens: Tokens,
    kv_bytes: Bytes,
    kv_share_per_card: Share,
    index_bytes_per_token: Bytes,
    state_bytes_per_request: Bytes,
    tensor_ranks: Number,
) -> GiBPerRequest:
    """Memory of a request of mean length on each card of its group.

    >>> mean_request_gib(65536, 0, 0, 8192, 2, 1, 0, 0, 1)
    1.0
    """
    return request_gib(
        kv_elements_per_token, windowed_kv_elements_per_token, window_tokens, kept_tokens, kv_bytes, kv_share_per_card,
        index_bytes_per_token, state_bytes_per_request, tensor_ranks,
    )  # fmt: skip


@rule(en="Most requests running", zh="最多运行请求", source="pool and slots of every group")
def most_running(
    kv_pool_gib_per_card: GiBPerCard, mean_request_gib: GiBPerRequest, request_slots: Requests, attention_groups: Number
) -> Requests:
    """Requests of mean length that run at once at most: what the pools hold, and the slots of the scheduler.

    >>> most_running(58, 1, 1024, 1), most_running(58, 0.01, 1024, 1), most_running(-1, 1, 1024, 1)
    (58.0, 1024.0, 0.0)
    """
    return minimum(maximum(0, kv_pool_gib_per_card) / maximum(mean_request_gib, TINY), request_slots) * attention_groups


@rule(en="Step of a lone request", zh="单请求一步耗时", source="decode step with the experts of one token")
def lone_step_s(
    weight_read_s: Seconds, all_experts_read_s: Seconds, expert_share: Share, step_fixed_s: Seconds, calibration_step: Ratio
) -> Seconds:
    """Seconds of a step for one request alone.

    >>> lone_step_s(0.0056, 0.0176, 0.0625, 0.0024, 1)
    0.0091
    """
    return (weight_read_s + all_experts_read_s * expert_share + step_fixed_s) * calibration_step


@rule(en="First token without others", zh="首token基础耗时", source="fitted: request, layers, own prompt")
def first_token_base_s(
    request_ms: Milliseconds, layers: Layers, ttft_layer_ms: Milliseconds, prompt_factor: Ratio, prompt_s: Seconds,
    attention_groups: Number, calibration_first_token: Ratio,
) -> Seconds:  # fmt: skip
    """Seconds to the first token that are the request's own: taking it in and its prompt on one group.

    >>> first_token_base_s(15, 32, 0.3, 0.9, 0.05, 1, 1)
    0.06960000000000001
    """
    taken_in = (request_ms + layers * ttft_layer_ms) / MS_PER_SECOND
    return (taken_in + prompt_factor * prompt_s * attention_groups) * calibration_first_token


@rule(en="Time to first token, alone", zh="单请求首token时间", source="one request on an idle replica")
def ttft_solo_s(first_token_base_s: Seconds, first_token_steps: Number, lone_step_s: Seconds) -> Seconds:
    """Seconds to the first token of a request that is alone.

    >>> ttft_solo_s(0.07, 4, 0.009)
    0.10600000000000001
    """
    return first_token_base_s + first_token_steps * lone_step_s


@rule(en="Time to first token once admitted", zh="入队后首token时间", source="fitted: prompts ahead and steps of the batch")
def ttft_admitted_s(
    first_token_base_s: Seconds, burst_share: Ratio, running_requests: Requests, prompt_s: Seconds, first_token_steps: Number,
    tpot_s: Seconds,
) -> Seconds:  # fmt: skip
    """Seconds to the first token of a request that finds room among the running ones.

    >>> ttft_admitted_s(0.07, 0.07, 33, 0.05, 4, 0.018)
    0.254
    """
    return first_token_base_s + burst_share * maximum(running_requests - 1, 0) * prompt_s + first_token_steps * tpot_s


@rule(en="Wait for room", zh="排队等待", source="closed loop: requests beyond the most running")
def queue_s(
    offered_concurrency: Requests, running_requests: Requests, most_running: Requests, output_tokens: Tokens, tpot_s: Seconds,
    queue_factor: Ratio,
) -> Seconds:  # fmt: skip
    """Seconds that a request waits until one of the running ones ends, where more are offered than run.

    >>> queue_s(200, 100, 100, 256, 0.02, 0.57), queue_s(None, 100, 100, 256, 0.02, 0.57)
    (2.9183999999999997, 0.0)
    """
    waiting = maximum(either(offered_concurrency, most_running) / running_requests - 1, 0)
    return queue_factor * waiting * output_tokens * tpot_s


@rule(en="Time to first token (TTFT)", zh="首token时间(TTFT)", source="at the load")
def ttft_s(ttft_admitted_s: Seconds, queue_s: Seconds) -> Seconds:
    """Seconds from a request to its first token at the load.

    >>> ttft_s(0.25, 0)
    0.25
    """
    return ttft_admitted_s + queue_s


@rule(en="Time of a request", zh="单请求在途时间", source="first token and the others")
def served_s(ttft_admitted_s: Seconds, output_tokens: Tokens, tpot_s: Seconds) -> Seconds:
    """Seconds that a request runs at the load.

    >>> served_s(0.25, 256, 0.018)
    4.84
    """
    return ttft_admitted_s + maximum(output_tokens - 1, 0) * tpot_s


@rule(en="Output tokens per second", zh="输出token速率", source="Little's law over the time of a request")
def output_tokens_per_s(
    running_requests: Requests, output_tokens: Tokens, served_s: Seconds, serving_efficiency: Share
) -> TokensPerSecond:
    """Output tokens that the replica gives each second at the load.

    >>> round(output_tokens_per_s(32, 256, 4.84, 0.95), 1)
    1607.9
    """
    return serving_efficiency * running_requests * output_tokens / served_s


@rule(en="Output tokens per second and card", zh="单卡输出token速率", source="replica over its cards")
def output_tokens_per_s_per_card(output_tokens_per_s: TokensPerSecond, cards: Cards) -> TokensPerSecondPerCard:
    """Output tokens that a card gives each second.

    >>> output_tokens_per_s_per_card(1600, 4)
    400.0
    """
    return output_tokens_per_s / cards


@rule(en="Time of weights in a step", zh="权重部分耗时", source="reading weights, experts")
def weights_step_s(weight_read_s: Seconds, expert_step_s: Seconds) -> Seconds:
    """Seconds of a step for reading weights and for experts.

    >>> weights_step_s(0.006, 0.001)
    0.007
    """
    return weight_read_s + expert_step_s


@rule(en="Overhead of a step", zh="附加耗时", source="fixed times and prompts")
def overhead_step_s(step_fixed_s: Seconds, interference_s: Seconds) -> Seconds:
    """Seconds of a step that neither weights nor its requests take.

    >>> overhead_step_s(0.002, 0.001)
    0.003
    """
    return step_fixed_s + interference_s


@rule(en="What binds a step", zh="一步的瓶颈", source="largest part of the time per output token")
def serving_bound(weights_step_s: Seconds, requests_step_s: Seconds, overhead_step_s: Seconds) -> Text:
    """The largest part of a step: weights, requests (their cache and bookkeeping), or overhead (fixed times and prompts).

    >>> serving_bound(0.006, 0.01, 0.003)
    'requests'
    """
    return name_of_smallest(weights=-weights_step_s, requests=-requests_step_s, overhead=-overhead_step_s)
