"""Serving: what a replica gives at the most requests that keep the targets, and the cards for a demand under them."""

from __future__ import annotations

from gpusheet.experts import untouched
from gpusheet.ops import floor, maximum, minimum
from gpusheet.registry import rule
from gpusheet.sizes import whole_replicas
from gpusheet.units import Cards, Number, Ratio, Replicas, Requests, RequestsPerSecond, Seconds, Share, Tokens


@rule(en="Concurrency that keeps the targets", zh="满足目标的并发", source="smallest of TPOT, TTFT, pool and slots")
def serving_concurrency(tpot_requests: Requests, ttft_requests: Requests, most_running: Requests) -> Requests:
    """Whole requests that a replica runs at once within both targets, its pool and its slots; 0 where it cannot serve.

    >>> serving_concurrency(178.2, 199.4, 58.3), serving_concurrency(-3, 10, 58)
    (58.0, 0.0)
    """
    return floor(maximum(0, minimum(tpot_requests, ttft_requests, most_running)))


@rule(en="Prompts in a step at that concurrency", zh="该并发下每步提示数", source="as at a load")
def target_prompts(serving_concurrency: Requests, output_tokens: Tokens) -> Number:
    """Prompts that a step takes in on average at the concurrency that keeps the targets.

    >>> target_prompts(33, 256)
    0.125
    """
    return maximum(serving_concurrency - 1, 0) / output_tokens


@rule(en="Time of those prompts", zh="该并发下的提示干扰耗时", source="as at a load")
def target_interference_s(
    target_prompts: Number, prompt_s: Seconds, eager_step_s: Seconds, mixing_factor: Ratio
) -> Seconds:
    """Seconds by which prompts lengthen a step at the concurrency that keeps the targets.

    >>> round(target_interference_s(0.125, 0.05, 0.008, 0.8), 6)
    0.005
    """
    return mixing_factor * maximum(target_prompts * prompt_s, minimum(target_prompts, 1) * eager_step_s)


@rule(en="Dense products at that concurrency", zh="该并发下的稠密计算耗时", source="as at a load")
def target_dense_s(
    serving_concurrency: Requests, weight_read_s: Seconds, request_compute_s: Seconds, overlap_loss: Share
) -> Seconds:
    """Seconds of a step for the layers of every token at the concurrency that keeps the targets.

    >>> target_dense_s(58, 0.0056, 2.76e-05, 0.5)
    0.0064004
    """
    compute = request_compute_s * serving_concurrency
    return maximum(weight_read_s, compute) + overlap_loss * minimum(weight_read_s, compute)


@rule(en="Reading experts at that concurrency", zh="该并发下的专家读取耗时", source="as at a load")
def target_experts_s(
    serving_concurrency: Requests, all_experts_read_s: Seconds, experts_left: Share, routing_evenness: Ratio
) -> Seconds:
    """Seconds of a step to read the experts touched at the concurrency that keeps the targets.

    >>> round(target_experts_s(32, 0.0176, 0.9375, 0.6), 5)
    0.0125
    """
    return all_experts_read_s * (1 - untouched(experts_left, serving_concurrency * routing_evenness))


@rule(en="Experts at that concurrency", zh="该并发下的专家计算耗时", source="as at a load")
def target_routed_s(
    serving_concurrency: Requests, target_experts_s: Seconds, expert_compute_s: Seconds, overlap_loss: Share
) -> Seconds:
    """Seconds of a step for experts at the concurrency that keeps the targets.

    >>> target_routed_s(32, 0.0125, 6.5e-06, 0.5)
    0.012604
    """
    compute = expert_compute_s * serving_concurrency
    return maximum(target_experts_s, compute) + overlap_loss * minimum(target_experts_s, compute)


@rule(en="TPOT at that concurrency", zh="该并发下的TPOT", source="decode step and prompts, as at a load")
def target_tpot_s(
    serving_concurrency: Requests, target_dense_s: Seconds, target_routed_s: Seconds, step_fixed_s: Seconds,
    request_step_s: Seconds, calibration_step: Ratio, target_interference_s: Seconds,
) -> Seconds:  # fmt: skip
    """Seconds between output tokens at the concurrency that keeps the targets.

    >>> round(target_tpot_s(58, 0.0064, 0, 0.0024, 6.3e-05, 1, 0.0089), 5)
    0.02135
    """
    step = target_dense_s + target_routed_s + step_fixed_s + request_step_s * serving_concurrency
    return step * calibration_step + target_interference_s


@rule(en="TTFT at that concurrency", zh="该并发下的TTFT", source="as at a load")
def target_ttft_s(
    serving_concurrency: Requests, first_token_base_s: Seconds, burst_share: Ratio, prompt_s: Seconds, first_token_steps: Number,
    target_tpot_s: Seconds,
) -> Seconds:  # fmt: skip
    """Seconds to the first token at the concurrency that keeps the targets.

    >>> round(target_ttft_s(58, 0.07, 0.07, 0.05, 4, 0.0214), 4)
    0.3551
    """
    ahead = burst_share * prompt_s * maximum(serving_concurrency - 1, 0)
    return first_token_base_s + ahead + first_token_steps * target_tpot_s


@rule(en="Time of a request at that concurrency", zh="该并发下单请求耗时", source="first token and the others")
def target_request_s(target_ttft_s: Seconds, output_tokens: Tokens, target_tpot_s: Seconds) -> Seconds:
    """Seconds that a request stays in flight at the concurrency that keeps the targets.

    >>> round(target_request_s(0.3551, 256, 0.0214), 3)
    5.812
    """
    return target_ttft_s + maximum(output_tokens - 1, 0) * target_tpot_s


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
