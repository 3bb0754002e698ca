"""Serving: the most requests that keep the targets.

Reading or computing binds a step, for experts and for all other layers: four straight lines in the requests that run,
and the smallest of four quotients. The experts that a batch touches are no line; a chord of their curve, carried on,
lies above it, so that requests found with it keep the targets. The second chord is within 1% of the best in most
cases, and farther below it where many short prompts come at once, whose steps are no line either.
"""

from __future__ import annotations

from gpusheet.experts import untouched
from gpusheet.ops import TINY, maximum, minimum
from gpusheet.registry import rule
from gpusheet.units import Number, Ratio, Requests, Seconds, Share, Tokens


def _within(free: float, slope: float, fixed: tuple[float, ...], each: tuple[float, ...]) -> float:
    """Requests at which a step takes all that is free: the first of the lines to get there."""
    return minimum(*((free - start) / (slope + more) for start, more in zip(fixed, each, strict=True)))


@rule(en="Prompt time per request and step", zh="每请求每步提示耗时", source="interference, as a line")
def prompt_slope_s(prompt_s: Seconds, eager_step_s: Seconds, mixing_factor: Ratio, output_tokens: Tokens) -> Seconds:
    """Seconds that the prompts of one more running request add to a step.

    >>> round(prompt_slope_s(0.05, 0.008, 0.8, 256), 8)
    0.00015625
    """
    return mixing_factor * maximum(prompt_s, eager_step_s) / output_tokens


@rule(en="Step time free under TPOT", zh="TPOT目标下的可用步时", source="target less what no request changes")
def tpot_free_s(
    tpot_target: Seconds, prompt_slope_s: Seconds, calibration_step: Ratio, step_fixed_s: Seconds
) -> Seconds:
    """Seconds of a step that weights and requests may take so that tokens come within the target.

    >>> round(tpot_free_s(0.05, 0.00016, 1, 0.0024), 5)
    0.04776
    """
    return (tpot_target + prompt_slope_s) / calibration_step - step_fixed_s


@rule(en="Step time per request", zh="每请求步时", source="cache, collectives, scheduler and prompts")
def tpot_slope_s(request_step_s: Seconds, prompt_slope_s: Seconds, calibration_step: Ratio) -> Seconds:
    """Seconds of that which one more request takes, beside matrix products.

    >>> round(tpot_slope_s(6e-05, 0.00016, 1), 6)
    0.00022
    """
    return request_step_s + prompt_slope_s / calibration_step


@rule(en="Prompts ahead per step to the first token", zh="首token每步排队提示耗时", source="first token, as a line")
def ahead_slope_s(burst_share: Ratio, prompt_s: Seconds, first_token_steps: Number) -> Seconds:
    """Seconds that the prompt of one more running request adds to each step before the first token.

    >>> round(ahead_slope_s(0.07, 0.05, 4), 6)
    0.000875
    """
    return burst_share * prompt_s / maximum(first_token_steps, TINY)


@rule(en="Step time until the first token", zh="首token前的每步可用时间", source="target less the request's own time")
def ttft_step_s(ttft_target: Seconds, first_token_base_s: Seconds, first_token_steps: Number) -> Seconds:
    """Seconds that each step before the first token may take so that it comes within its target.

    >>> round(ttft_step_s(1, 0.07, 4), 4)
    0.2325
    """
    return (ttft_target - first_token_base_s) / maximum(first_token_steps, TINY)


@rule(en="Step time free under TTFT", zh="TTFT目标下的可用步时", source="target less the request's own time")
def ttft_free_s(
    ttft_step_s: Seconds, ahead_slope_s: Seconds, prompt_slope_s: Seconds, calibration_step: Ratio, step_fixed_s: Seconds
) -> Seconds:
    """Seconds of a step that weights and requests may take so that the first token comes within its target.

    >>> round(ttft_free_s(0.2325, 0.000875, 0.00016, 1, 0.0024), 6)
    0.231135
    """
    return (ttft_step_s + ahead_slope_s + prompt_slope_s) / calibration_step - step_fixed_s


@rule(en="Step time per request under TTFT", zh="TTFT目标下的每请求步时", source="first token, as a line")
def ttft_slope_s(tpot_slope_s: Seconds, ahead_slope_s: Seconds, calibration_step: Ratio) -> Seconds:
    """Seconds of that which one more request takes, with its prompt ahead.

    >>> round(ttft_slope_s(0.00022, 0.000875, 1), 6)
    0.001095
    """
    return tpot_slope_s + ahead_slope_s / calibration_step


@rule(en="Requests within TPOT, all experts", zh="满足TPOT的请求数（全部专家）", source="four lines, all experts touched")
def tpot_cautious(
    tpot_free_s: Seconds, tpot_slope_s: Seconds, cautious_read_s: Seconds, cautious_compute_s: Seconds,
    cautious_routed_s: Seconds, cautious_dense_s: Seconds, read_each_s: Seconds, compute_each_s: Seconds,
    routed_each_s: Seconds, dense_each_s: Seconds,
) -> Requests:  # fmt: skip
    """Requests that may run at once so that every token comes within its target, were all experts read in every step.

    >>> round(tpot_cautious(0.04776, 0.00022, 0.0056, 0.0028, 0.0056, 0.0028, 1e-05, 2e-05, 1e-05, 2e-05), 1)
    183.3
    """
    fixed = (cautious_read_s, cautious_compute_s, cautious_routed_s, cautious_dense_s)
    each = (read_each_s, compute_each_s, routed_each_s, dense_each_s)
    return _within(tpot_free_s, tpot_slope_s, fixed, each)


@rule(en="Requests within TTFT, all experts", zh="满足TTFT的请求数（全部专家）", source="four lines, all experts touched")
def ttft_cautious(
    ttft_free_s: Seconds, ttft_slope_s: Seconds, cautious_read_s: Seconds, cautious_compute_s: Seconds,
    cautious_routed_s: Seconds, cautious_dense_s: Seconds, read_each_s: Seconds, compute_each_s: Seconds,
    routed_each_s: Seconds, dense_each_s: Seconds,
) -> Requests:  # fmt: skip
    """The same for the first token.

    >>> round(ttft_cautious(0.231135, 0.001095, 0.0056, 0.0028, 0.0056, 0.0028, 1e-05, 2e-05, 1e-05, 2e-05), 1)
    204.1
    """
    fixed = (cautious_read_s, cautious_compute_s, cautious_routed_s, cautious_dense_s)
    each = (read_each_s, compute_each_s, routed_each_s, dense_each_s)
    return _within(ttft_free_s, ttft_slope_s, fixed, each)


@rule(en="Requests by the first line", zh="首次请求数", source="smallest of targets, pool and slots")
def cautious_requests(tpot_cautious: Requests, ttft_cautious: Requests, most_running: Requests) -> Requests:
    """Requests from which the experts touched are reckoned anew; at least one.

    >>> cautious_requests(178.2, 199.4, 58.3), cautious_requests(-3, 10, 58)
    (58.3, 1.0)
    """
    return maximum(1, minimum(tpot_cautious, ttft_cautious, most_running))


@rule(en="Experts left alone, first chord", zh="未激活专家占比（首割线）", source="chord of experts")
def cautious_left(experts_left: Share, routing_evenness: Ratio, cautious_requests: Requests) -> Share:
    """Share of the experts that none of these requests touches.

    >>> round(cautious_left(0.9375, 0.6, 20), 4)
    0.461
    """
    return untouched(experts_left, cautious_requests * routing_evenness)


@rule(en="Experts left alone by one fewer, first chord", zh="少一请求的未激活专家占比（首割线）", source="chord of experts")
def cautious_left_before(experts_left: Share, routing_evenness: Ratio, cautious_requests: Requests) -> Share:
    """Share of the experts that none of all but the last of these requests touches.

    >>> round(cautious_left_before(0.9375, 0.6, 20), 4)
    0.4792
    """
    return untouched(experts_left, (cautious_requests - 1) * routing_evenness)


@rule(en="Expert reading per request, first chord", zh="每请求专家读取（首割线）", source="chord of experts")
def cautious_more_s(all_experts_read_s: Seconds, cautious_left_before: Share, cautious_left: Share) -> Seconds:
    """Seconds of reading that the last of these requests added by the experts that only it touches.

    >>> round(cautious_more_s(0.0176, 0.4792, 0.461), 6), cautious_more_s(0, 1, 1)
    (0.00032, 0.0)
    """
    return all_experts_read_s * maximum(0, cautious_left_before - cautious_left)


@rule(en="Expert reading at the start, first chord", zh="专家读取起点（首割线）", source="chord of experts")
def cautious_experts_s(
    all_experts_read_s: Seconds, cautious_left: Share, cautious_requests: Requests, cautious_more_s: Seconds
) -> Seconds:
    """Seconds of reading experts where that line begins.

    >>> round(cautious_experts_s(0.0176, 0.461, 20, 0.00032), 6)
    0.003086
    """
    return all_experts_read_s * (1 - cautious_left) - cautious_more_s * cautious_requests


@rule(en="Requests within TPOT, first chord", zh="满足TPOT的请求数（首割线）", source="four lines, experts by the first chord")
def tpot_nearer(
    tpot_free_s: Seconds, tpot_slope_s: Seconds, nearer_read_s: Seconds, nearer_compute_s: Seconds,
    nearer_routed_s: Seconds, nearer_dense_s: Seconds, nearer_read_each_s: Seconds, nearer_compute_each_s: Seconds,
    nearer_routed_each_s: Seconds, nearer_dense_each_s: Seconds,
) -> Requests:  # fmt: skip
    """The same with the experts that so many requests touch.

    >>> round(tpot_nearer(0.04776, 0.00022, 0.0056, 0.0028, 0.0056, 0.0028, 1e-05, 2e-05, 1e-05, 2e-05), 1)
    183.3
    """
    fixed = (nearer_read_s, nearer_compute_s, nearer_routed_s, nearer_dense_s)
    each = (nearer_read_each_s, nearer_compute_each_s, nearer_routed_each_s, nearer_dense_each_s)
    return _within(tpot_free_s, tpot_slope_s, fixed, each)


@rule(en="Requests within TTFT, first chord", zh="满足TTFT的请求数（首割线）", source="four lines, experts by the first chord")
def ttft_nearer(
    ttft_free_s: Seconds, ttft_slope_s: Seconds, nearer_read_s: Seconds, nearer_compute_s: Seconds,
    nearer_routed_s: Seconds, nearer_dense_s: Seconds, nearer_read_each_s: Seconds, nearer_compute_each_s: Seconds,
    nearer_routed_each_s: Seconds, nearer_dense_each_s: Seconds,
) -> Requests:  # fmt: skip
    """The same for the first token.

    >>> round(ttft_nearer(0.231135, 0.001095, 0.0056, 0.0028, 0.0056, 0.0028, 1e-05, 2e-05, 1e-05, 2e-05), 1)
    204.1
    """
    fixed = (nearer_read_s, nearer_compute_s, nearer_routed_s, nearer_dense_s)
    each = (nearer_read_each_s, nearer_compute_each_s, nearer_routed_each_s, nearer_dense_each_s)
    return _within(ttft_free_s, ttft_slope_s, fixed, each)


@rule(en="Requests by the second line", zh="再次请求数", source="smallest of targets, pool and slots")
def nearer_requests(tpot_nearer: Requests, ttft_nearer: Requests, most_running: Requests) -> Requests:
    """Requests from which the experts touched are reckoned anew; at least one.

    >>> nearer_requests(178.2, 199.4, 58.3), nearer_requests(-3, 10, 58)
    (58.3, 1.0)
    """
    return maximum(1, minimum(tpot_nearer, ttft_nearer, most_running))


@rule(en="Experts left alone, second chord", zh="未激活专家占比（次割线）", source="chord of experts")
def nearer_left(experts_left: Share, routing_evenness: Ratio, nearer_requests: Requests) -> Share:
    """Share of the experts that none of these requests touches.

    >>> round(nearer_left(0.9375, 0.6, 20), 4)
    0.461
    """
    return untouched(experts_left, nearer_requests * routing_evenness)


@rule(en="Experts left alone by one fewer, second chord", zh="少一请求的未激活专家占比（次割线）", source="chord of experts")
def nearer_left_before(experts_left: Share, routing_evenness: Ratio, nearer_requests: Requests) -> Share:
    """Share of the experts that none of all but the last of these requests touches.

    >>> round(nearer_left_before(0.9375, 0.6, 20), 4)
    0.4792
    """
    return untouched(experts_left, (nearer_requests - 1) * routing_evenness)


@rule(en="Expert reading per request, second chord", zh="每请求专家读取（次割线）", source="chord of experts")
def nearer_more_s(all_experts_read_s: Seconds, nearer_left_before: Share, nearer_left: Share) -> Seconds:
    """Seconds of reading that the last of these requests added by the experts that only it touches.

    >>> round(nearer_more_s(0.0176, 0.4792, 0.461), 6), nearer_more_s(0, 1, 1)
    (0.00032, 0.0)
    """
    return all_experts_read_s * maximum(0, nearer_left_before - nearer_left)


@rule(en="Expert reading at the start, second chord", zh="专家读取起点（次割线）", source="chord of experts")
def nearer_experts_s(
    all_experts_read_s: Seconds, nearer_left: Share, nearer_requests: Requests, nearer_more_s: Seconds
) -> Seconds:
    """Seconds of reading experts where that line begins.

    >>> round(nearer_experts_s(0.0176, 0.461, 20, 0.00032), 6)
    0.003086
    """
    return all_experts_read_s * (1 - nearer_left) - nearer_more_s * nearer_requests


@rule(en="Requests within TPOT", zh="满足TPOT的请求数", source="four lines, experts by the second chord")
def tpot_requests(
    tpot_free_s: Seconds, tpot_slope_s: Seconds, final_read_s: Seconds, final_compute_s: Seconds,
    final_routed_s: Seconds, final_dense_s: Seconds, final_read_each_s: Seconds, final_compute_each_s: Seconds,
    final_routed_each_s: Seconds, final_dense_each_s: Seconds,
) -> Requests:  # fmt: skip
    """Requests that may run at once so that every output token comes within the target; below 0 where none may.

    >>> round(tpot_requests(0.04776, 0.00022, 0.0056, 0.0028, 0.0056, 0.0028, 1e-05, 2e-05, 1e-05, 2e-05), 1)
    183.3
    """
    fixed = (final_read_s, final_compute_s, final_routed_s, final_dense_s)
    each = (final_read_each_s, final_compute_each_s, final_routed_each_s, final_dense_each_s)
    return _within(tpot_free_s, tpot_slope_s, fixed, each)


@rule(en="Requests within TTFT", zh="满足TTFT的请求数", source="four lines, experts by the second chord")
def ttft_requests(
    ttft_free_s: Seconds, ttft_slope_s: Seconds, final_read_s: Seconds, final_compute_s: Seconds,
    final_routed_s: Seconds, final_dense_s: Seconds, final_read_each_s: Seconds, final_compute_each_s: Seconds,
    final_routed_each_s: Seconds, final_dense_each_s: Seconds,
) -> Requests:  # fmt: skip
    """Requests that may run at once so that the first token comes within the target; below 0 where none may.

    >>> round(ttft_requests(0.231135, 0.001095, 0.0056, 0.0028, 0.0056, 0.0028, 1e-05, 2e-05, 1e-05, 2e-05), 1)
    204.1
    """
    fixed = (final_read_s, final_compute_s, final_routed_s, final_dense_s)
    each = (final_read_each_s, final_compute_each_s, final_routed_each_s, final_dense_each_s)
    return _within(ttft_free_s, ttft_slope_s, fixed, each)
