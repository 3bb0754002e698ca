"""Serving: the most requests that keep the targets, and the cards for a demand under them.

A step is a sum of straight lines in the number of running requests, or of the larger of two; so the most requests are
the smallest of four quotients. All experts are taken as touched, which is on the safe side for small batches.
"""

from __future__ import annotations

from gpusheet.constants import US_PER_SECOND
from gpusheet.ops import floor, maximum, minimum
from gpusheet.registry import rule
from gpusheet.sizes import whole_replicas
from gpusheet.units import (
    Cards,
    Layers,
    Microseconds,
    Number,
    Ratio,
    Replicas,
    Requests,
    RequestsPerSecond,
    Seconds,
    Share,
    Tokens,
)


@rule(en="Prompt time per request and step", zh="每请求每步提示耗时", source="interference, as a line")
def prompt_slope_s(
    prompt_s: Seconds, layers: Layers, eager_layer_us: Microseconds, mixing_factor: Ratio, output_tokens: Tokens
) -> Seconds:
    """Seconds that the prompts of one more running request add to a step.

    >>> prompt_slope_s(0.05, 32, 250, 0.8, 256)
    0.00015625
    """
    return mixing_factor * maximum(prompt_s, layers * eager_layer_us / US_PER_SECOND) / output_tokens


@rule(en="Slope while reading binds", zh="斜率（均受带宽限制）", source="decode step and prompts, as a line")
def reading_slope_s(
    request_step_s: Seconds, prompt_slope_s: Seconds, request_compute_s: Seconds, expert_compute_s: Seconds, overlap_loss: Share
) -> Seconds:
    """Seconds that one more request adds to a step in which reading outlasts all products.

    >>> reading_slope_s(6e-05, 0.00016, 2e-05, 1e-05, 0.5)
    0.00023500000000000002
    """
    return request_step_s + prompt_slope_s + overlap_loss * (request_compute_s + expert_compute_s)


@rule(en="Slope while computing binds", zh="斜率（均受算力限制）", source="decode step and prompts, as a line")
def computing_slope_s(
    request_step_s: Seconds, prompt_slope_s: Seconds, request_compute_s: Seconds, expert_compute_s: Seconds, overlap_loss: Share
) -> Seconds:
    """The same where products outlast all reading.

    >>> computing_slope_s(6e-05, 0.00016, 2e-05, 1e-05, 0.5)
    0.00025
    """
    return request_step_s + prompt_slope_s + request_compute_s + expert_compute_s


@rule(en="Slope while experts compute", zh="斜率（专家受算力限制）", source="decode step and prompts, as a line")
def expert_computing_slope_s(
    request_step_s: Seconds, prompt_slope_s: Seconds, request_compute_s: Seconds, expert_compute_s: Seconds, overlap_loss: Share
) -> Seconds:
    """The same where the products of experts alone outlast their reading.

    >>> expert_computing_slope_s(6e-05, 0.00016, 2e-05, 1e-05, 0.5)
    0.00024
    """
    return request_step_s + prompt_slope_s + overlap_loss * request_compute_s + expert_compute_s


@rule(en="Slope while others compute", zh="斜率（稠密层受算力限制）", source="decode step and prompts, as a line")
def dense_computing_slope_s(
    request_step_s: Seconds, prompt_slope_s: Seconds, request_compute_s: Seconds, expert_compute_s: Seconds, overlap_loss: Share
) -> Seconds:
    """The same where all products but those of experts outlast their reading.

    >>> dense_computing_slope_s(6e-05, 0.00016, 2e-05, 1e-05, 0.5)
    0.000245
    """
    return request_step_s + prompt_slope_s + request_compute_s + overlap_loss * expert_compute_s


@rule(en="Requests within TPOT", zh="满足TPOT的请求数", source="smallest of four lines")
def tpot_requests(
    tpot_target: Seconds, step_fixed_s: Seconds, prompt_slope_s: Seconds, weight_read_s: Seconds, all_experts_read_s: Seconds,
    overlap_loss: Share, reading_slope_s: Seconds, computing_slope_s: Seconds, expert_computing_slope_s: Seconds,
    dense_computing_slope_s: Seconds,
) -> Requests:  # fmt: skip
    """Requests that may run at once so that every output token comes within the target; below 0 where none may.

    >>> round(tpot_requests(0.05, 0.0024, 0.00016, 0.0056, 0, 0.5, 0.000235, 0.00025, 0.00024, 0.000245), 1)
    173.4
    """
    free = tpot_target - step_fixed_s + prompt_slope_s
    return minimum(
        (free - weight_read_s - all_experts_read_s) / reading_slope_s,
        (free - overlap_loss * (weight_read_s + all_experts_read_s)) / computing_slope_s,
        (free - weight_read_s - overlap_loss * all_experts_read_s) / expert_computing_slope_s,
        (free - overlap_loss * weight_read_s - all_experts_read_s) / dense_computing_slope_s,
    )


@rule(en="First token per request ahead", zh="每个在前请求的首token延迟", source="prompts ahead and steps, as a line")
def first_token_slope_s(
    burst_share: Ratio, prompt_s: Seconds, first_token_steps: Number, computing_slope_s: Seconds
) -> Seconds:
    """Seconds that one more running request adds to the first token; products count as not overlapped, to be safe.

    >>> first_token_slope_s(0.07, 0.05, 4, 0.00025)
    0.0045000000000000005
    """
    return burst_share * prompt_s + first_token_steps * computing_slope_s


@rule(en="Requests within TTFT", zh="满足TTFT的请求数", source="the line of the first token")
def ttft_requests(
    ttft_target: Seconds, first_token_base_s: Seconds, first_token_steps: Number, burst_share: Ratio, prompt_s: Seconds,
    step_fixed_s: Seconds, weight_read_s: Seconds, all_experts_read_s: Seconds, prompt_slope_s: Seconds,
    first_token_slope_s: Seconds,
) -> Requests:  # fmt: skip
    """Requests that may run at once so that the first token comes within the target; below 0 where none may.

    >>> round(ttft_requests(1, 0.07, 4, 0.07, 0.05, 0.0024, 0.0056, 0, 0.00016, 0.0045), 1)
    200.5
    """
    waited = step_fixed_s + weight_read_s + all_experts_read_s - prompt_slope_s
    return (ttft_target - first_token_base_s + burst_share * prompt_s - first_token_steps * waited) / first_token_slope_s


@rule(en="Concurrency that keeps the targets", zh="满足目标的并发", source="smallest of TPOT, TTFT, pool and slots")
def serving_concurrency(tpot_requests: Requests, ttft_requests: Requests, most_running: Requests) -> Requests:
    """Whole requests that a replica runs at once within both targets, its pool and its slots; 0 where it cannot serve.

    >>> serving_concurrency(178.2, 199.4, 58.3), serving_concurrency(-3, 10, 58)
    (58.0, 0.0)
    """
    return floor(maximum(0, minimum(tpot_requests, ttft_requests, most_running)))


@rule(en="TPOT at that concurrency", zh="该并发下的TPOT", source="decode step and prompts, all experts touched")
def target_tpot_s(
    serving_concurrency: Requests,
    step_fixed_s: Seconds,
    request_step_s: Seconds,
    prompt_slope_s: Seconds,
    weight_read_s: Seconds,
    request_compute_s: Seconds,
    all_experts_read_s: Seconds,
    expert_compute_s: Seconds,
    overlap_loss: Share,
) -> Seconds:
    """Seconds between output tokens at the concurrency that keeps the targets.

    >>> round(target_tpot_s(58, 0.0024, 6.3e-05, 0.00016, 0.0056, 2.76e-05, 0, 0, 0.5), 5)
    0.02138
    """
    dense, experts = request_compute_s * serving_concurrency, expert_compute_s * serving_concurrency
    products = maximum(weight_read_s, dense) + overlap_loss * minimum(weight_read_s, dense)
    routed = maximum(all_experts_read_s, experts) + overlap_loss * minimum(all_experts_read_s, experts)
    prompts = prompt_slope_s * maximum(serving_concurrency - 1, 0)
    return step_fixed_s + products + routed + request_step_s * serving_concurrency + prompts


@rule(en="Time of a request at that concurrency", zh="该并发下单请求耗时", source="first token and the others")
def target_request_s(
    serving_concurrency: Requests, first_token_base_s: Seconds, burst_share: Ratio, prompt_s: Seconds, first_token_steps: Number,
    target_tpot_s: Seconds, output_tokens: Tokens,
) -> Seconds:  # fmt: skip
    """Seconds that a request stays in flight at the concurrency that keeps the targets.

    >>> round(target_request_s(58, 0.07, 0.07, 0.05, 4, 0.0214, 256), 3)
    5.812
    """
    first = first_token_base_s + burst_share * prompt_s * maximum(serving_concurrency - 1, 0)
    return first + (first_token_steps + maximum(output_tokens - 1, 0)) * target_tpot_s


@rule(en="Requests per second of a replica", zh="单副本QPS", source="Little's law at the targets")
def replica_qps(serving_concurrency: Requests, target_request_s: Seconds, serving_efficiency: Share) -> RequestsPerSecond:
    """Requests that a replica ends each second while it keeps the targets.

    >>> round(replica_qps(58, 5.8, 0.95), 2)
    9.5
    """
    return serving_efficiency * serving_concurrency / target_request_s


@rule(en="Cards by serving", zh="服务法卡数", source="requests per second at the targets")
def serving_cards(peak_qps: RequestsPerSecond, replica_qps: RequestsPerSecond, cards: Cards, min_replicas: Replicas = 1) -> Cards:
    """Cards for the peak at the targets, in whole replicas; none without demand, missing where a replica cannot serve.

    >>> serving_cards(30, 9.5, 4), serving_cards(0, 9.5, 4)
    (16.0, 0.0)
    """
    return whole_replicas(peak_qps, replica_qps, cards, min_replicas)
