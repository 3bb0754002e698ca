"""Serving: a decode step as straight lines in the requests that run.

Reading or computing binds a step, for experts and for all other layers, and part of the other one counts too: four
straight lines, the highest of which is the time of the step. Each has the seconds that requests do not change and those
that each adds. The experts that a batch touches are no line: all of them are taken first, then a chord of their curve.
"""

from __future__ import annotations

from gpusheet.registry import rule
from gpusheet.units import Seconds, Share


@rule(en="Per request: weights and experts read", zh="每请求：读权重、读专家", source="roofline")
def read_each_s(request_compute_s: Seconds, expert_compute_s: Seconds, overlap_loss: Share) -> Seconds:
    """Seconds of matrix products that a request adds to a step with weights and experts read.

    >>> read_each_s(2.0, 1.0, 0.5)
    1.5
    """
    return overlap_loss * (request_compute_s + expert_compute_s)


@rule(en="Per request: weights and experts computed", zh="每请求：算权重、算专家", source="roofline")
def compute_each_s(request_compute_s: Seconds, expert_compute_s: Seconds) -> Seconds:
    """Seconds of matrix products that a request adds to a step with weights and experts computed.

    >>> compute_each_s(2.0, 1.0)
    3.0
    """
    return request_compute_s + expert_compute_s


@rule(en="Per request: weights read, experts computed", zh="每请求：读权重、算专家", source="roofline")
def routed_each_s(request_compute_s: Seconds, expert_compute_s: Seconds, overlap_loss: Share) -> Seconds:
    """Seconds of matrix products that a request adds to a step with weights read, experts computed.

    >>> routed_each_s(2.0, 1.0, 0.5)
    2.0
    """
    return overlap_loss * request_compute_s + expert_compute_s


@rule(en="Per request: weights computed, experts read", zh="每请求：算权重、读专家", source="roofline")
def dense_each_s(request_compute_s: Seconds, expert_compute_s: Seconds, overlap_loss: Share) -> Seconds:
    """Seconds of matrix products that a request adds to a step with weights computed, experts read.

    >>> dense_each_s(2.0, 1.0, 0.5)
    2.5
    """
    return request_compute_s + overlap_loss * expert_compute_s


@rule(en="Fixed, all experts: weights and experts read", zh="固定（全部专家）：读权重、读专家", source="roofline")
def cautious_read_s(weight_read_s: Seconds, all_experts_read_s: Seconds) -> Seconds:
    """Seconds of a step with weights and experts read that requests do not change, were all experts read.

    >>> cautious_read_s(2.0, 1.0)
    3.0
    """
    return weight_read_s + all_experts_read_s


@rule(en="Fixed, all experts: weights and experts computed", zh="固定（全部专家）：算权重、算专家", source="roofline")
def cautious_compute_s(weight_read_s: Seconds, all_experts_read_s: Seconds, overlap_loss: Share) -> Seconds:
    """Seconds of a step with weights and experts computed that requests do not change, were all experts read.

    >>> cautious_compute_s(2.0, 1.0, 0.5)
    1.5
    """
    return overlap_loss * (weight_read_s + all_experts_read_s)


@rule(en="Fixed, all experts: weights read, experts computed", zh="固定（全部专家）：读权重、算专家", source="roofline")
def cautious_routed_s(weight_read_s: Seconds, all_experts_read_s: Seconds, overlap_loss: Share) -> Seconds:
    """Seconds of a step with weights read, experts computed that requests do not change, were all experts read.

    >>> cautious_routed_s(2.0, 1.0, 0.5)
    2.5
    """
    return weight_read_s + overlap_loss * all_experts_read_s


@rule(en="Fixed, all experts: weights computed, experts read", zh="固定（全部专家）：算权重、读专家", source="roofline")
def cautious_dense_s(weight_read_s: Seconds, all_experts_read_s: Seconds, overlap_loss: Share) -> Seconds:
    """Seconds of a step with weights computed, experts read that requests do not change, were all experts read.

    >>> cautious_dense_s(2.0, 1.0, 0.5)
    2.0
    """
    return overlap_loss * weight_read_s + all_experts_read_s


@rule(en="Fixed, first chord: weights and experts read", zh="固定（首割线）：读权重、读专家", source="roofline")
def nearer_read_s(weight_read_s: Seconds, cautious_experts_s: Seconds) -> Seconds:
    """Seconds of a step with weights and experts read that requests do not change, by the first chord.

    >>> nearer_read_s(2.0, 1.0)
    3.0
    """
    return weight_read_s + cautious_experts_s


@rule(en="Fixed, first chord: weights and experts computed", zh="固定（首割线）：算权重、算专家", source="roofline")
def nearer_compute_s(weight_read_s: Seconds, cautious_experts_s: Seconds, overlap_loss: Share) -> Seconds:
    """Seconds of a step with weights and experts computed that requests do not change, by the first chord.

    >>> nearer_compute_s(2.0, 1.0, 0.5)
    1.5
    """
    return overlap_loss * (weight_read_s + cautious_experts_s)


@rule(en="Fixed, first chord: weights read, experts computed", zh="固定（首割线）：读权重、算专家", source="roofline")
def nearer_routed_s(weight_read_s: Seconds, cautious_experts_s: Seconds, overlap_loss: Share) -> Seconds:
    """Seconds of a step with weights read, experts computed that requests do not change, by the first chord.

    >>> nearer_routed_s(2.0, 1.0, 0.5)
    2.5
    """
    return weight_read_s + overlap_loss * cautious_experts_s


@rule(en="Fixed, first chord: weights computed, experts read", zh="固定（首割线）：算权重、读专家", source="roofline")
def nearer_dense_s(weight_read_s: Seconds, cautious_experts_s: Seconds, overlap_loss: Share) -> Seconds:
    """Seconds of a step with weights computed, experts read that requests do not change, by the first chord.

    >>> nearer_dense_s(2.0, 1.0, 0.5)
    2.0
    """
    return overlap_loss * weight_read_s + cautious_experts_s


@rule(en="Per request, first chord: weights and experts read", zh="每请求（首割线）：读权重、读专家", source="chord of experts")
def nearer_read_each_s(read_each_s: Seconds, cautious_more_s: Seconds) -> Seconds:
    """Seconds that a request adds to a step with weights and experts read, with the experts that it touches by the first chord.

    >>> nearer_read_each_s(2.0, 1.0)
    3.0
    """
    return read_each_s + cautious_more_s


@rule(en="Per request, first chord: weights and experts computed", zh="每请求（首割线）：算权重、算专家", source="chord of experts")
def nearer_compute_each_s(compute_each_s: Seconds, cautious_more_s: Seconds, overlap_loss: Share) -> Seconds:
    """Seconds that a request adds to a step with weights and experts computed, with the experts that it touches by the first chord.

    >>> nearer_compute_each_s(2.0, 1.0, 0.5)
    2.5
    """
    return compute_each_s + overlap_loss * cautious_more_s


@rule(en="Per request, first chord: weights read, experts computed", zh="每请求（首割线）：读权重、算专家", source="chord of experts")
def nearer_routed_each_s(routed_each_s: Seconds, cautious_more_s: Seconds, overlap_loss: Share) -> Seconds:
    """Seconds that a request adds to a step with weights read, experts computed, with the experts that it touches by the first chord.

    >>> nearer_routed_each_s(2.0, 1.0, 0.5)
    2.5
    """
    return routed_each_s + overlap_loss * cautious_more_s


@rule(en="Per request, first chord: weights computed, experts read", zh="每请求（首割线）：算权重、读专家", source="chord of experts")
def nearer_dense_each_s(dense_each_s: Seconds, cautious_more_s: Seconds) -> Seconds:
    """Seconds that a request adds to a step with weights computed, experts read, with the experts that it touches by the first chord.

    >>> nearer_dense_each_s(2.0, 1.0)
    3.0
    """
    return dense_each_s + cautious_more_s


@rule(en="Fixed, second chord: weights and experts read", zh="固定（次割线）：读权重、读专家", source="roofline")
def final_read_s(weight_read_s: Seconds, nearer_experts_s: Seconds) -> Seconds:
    """Seconds of a step with weights and experts read that requests do not change, by the second chord.

    >>> final_read_s(2.0, 1.0)
    3.0
    """
    return weight_read_s + nearer_experts_s


@rule(en="Fixed, second chord: weights and experts computed", zh="固定（次割线）：算权重、算专家", source="roofline")
def final_compute_s(weight_read_s: Seconds, nearer_experts_s: Seconds, overlap_loss: Share) -> Seconds:
    """Seconds of a step with weights and experts computed that requests do not change, by the second chord.

    >>> final_compute_s(2.0, 1.0, 0.5)
    1.5
    """
    return overlap_loss * (weight_read_s + nearer_experts_s)


@rule(en="Fixed, second chord: weights read, experts computed", zh="固定（次割线）：读权重、算专家", source="roofline")
def final_routed_s(weight_read_s: Seconds, nearer_experts_s: Seconds, overlap_loss: Share) -> Seconds:
    """Seconds of a step with weights read, experts computed that requests do not change, by the second chord.

    >>> final_routed_s(2.0, 1.0, 0.5)
    2.5
    """
    return weight_read_s + overlap_loss * nearer_experts_s


@rule(en="Fixed, second chord: weights computed, experts read", zh="固定（次割线）：算权重、读专家", source="roofline")
def final_dense_s(weight_read_s: Seconds, nearer_experts_s: Seconds, overlap_loss: Share) -> Seconds:
    """Seconds of a step with weights computed, experts read that requests do not change, by the second chord.

    >>> final_dense_s(2.0, 1.0, 0.5)
    2.0
    """
    return overlap_loss * weight_read_s + nearer_experts_s


@rule(en="Per request, second chord: weights and experts read", zh="每请求（次割线）：读权重、读专家", source="chord of experts")
def final_read_each_s(read_each_s: Seconds, nearer_more_s: Seconds) -> Seconds:
    """Seconds that a request adds to a step with weights and experts read, with the experts that it touches by the second chord.

    >>> final_read_each_s(2.0, 1.0)
    3.0
    """
    return read_each_s + nearer_more_s


@rule(en="Per request, second chord: weights and experts computed", zh="每请求（次割线）：算权重、算专家", source="chord of experts")
def final_compute_each_s(compute_each_s: Seconds, nearer_more_s: Seconds, overlap_loss: Share) -> Seconds:
    """Seconds that a request adds to a step with weights and experts computed, with the experts that it touches by the second chord.

    >>> final_compute_each_s(2.0, 1.0, 0.5)
    2.5
    """
    return compute_each_s + overlap_loss * nearer_more_s


@rule(en="Per request, second chord: weights read, experts computed", zh="每请求（次割线）：读权重、算专家", source="chord of experts")
def final_routed_each_s(routed_each_s: Seconds, nearer_more_s: Seconds, overlap_loss: Share) -> Seconds:
    """Seconds that a request adds to a step with weights read, experts computed, with the experts that it touches by the second chord.

    >>> final_routed_each_s(2.0, 1.0, 0.5)
    2.5
    """
    return routed_each_s + overlap_loss * nearer_more_s


@rule(en="Per request, second chord: weights computed, experts read", zh="每请求（次割线）：算权重、读专家", source="chord of experts")
def final_dense_each_s(dense_each_s: Seconds, nearer_more_s: Seconds) -> Seconds:
    """Seconds that a request adds to a step with weights computed, experts read, with the experts that it touches by the second chord.

    >>> final_dense_each_s(2.0, 1.0)
    3.0
    """
    return dense_each_s + nearer_more_s
