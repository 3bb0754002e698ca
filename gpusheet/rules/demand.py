"""From users to requests per second, tokens and requests in flight."""

from __future__ import annotations

from gpusheet.constants import SECONDS_PER_HOUR
from gpusheet.ops import choose, either, one_of, where
from gpusheet.registry import rule
from gpusheet.units import (
    Hours,
    PerUserPerDay,
    Ratio,
    Requests,
    RequestsPerDay,
    RequestsPerSecond,
    Seconds,
    Text,
    Tokens,
    TokensPerRequest,
    TokensPerSecond,
    Users,
)


@rule(en="Requests per day", zh="日请求数", source="[A] Q1")
def requests_per_day(daily_active_users: Users, requests_per_user_per_day: PerUserPerDay) -> RequestsPerDay:
    """Requests of a day: users times the requests of each. A typed number replaces it.

    >>> requests_per_day(100000, 10)
    1000000
    """
    return daily_active_users * requests_per_user_per_day


@rule(en="Average QPS", zh="平均QPS", source="[A] from online users to real load")
def average_qps(requests_per_day: RequestsPerDay, busy_hours: Hours) -> RequestsPerSecond:
    """Requests per second, averaged over the hours of the day in which they come.

    >>> average_qps(1000000, 4)
    69.44444444444444
    """
    return requests_per_day / (busy_hours * SECONDS_PER_HOUR)


@rule(en="Peak QPS", zh="峰值QPS", source="[A] from online users to real load")
def peak_qps(average_qps: RequestsPerSecond, peak_factor: Ratio) -> RequestsPerSecond:
    """Requests per second at the peak: 1.5 times the average as a first guess, 2 to 3 usually, 4 for sales events.

    >>> peak_qps(69.44444444444444, 3)
    208.33333333333331
    """
    return average_qps * peak_factor


@rule(en="P95 input tokens", zh="输入token P95", source="[B] 2.4, 5.3")
def p95_input_tokens(input_p95: Tokens, input_tokens: Tokens, p95_factor: Ratio) -> Tokens:
    """Length that 95 of 100 inputs stay under: the typed one, else the mean times the factor of the distribution.

    >>> p95_input_tokens(None, 512, 4), p95_input_tokens(1800, 512, 4)
    (2048.0, 1800.0)
    """
    return either(input_p95, input_tokens * p95_factor)


@rule(en="P95 output tokens", zh="输出token P95", source="[B] 2.4, 5.3")
def p95_output_tokens(output_p95: Tokens, output_tokens: Tokens, p95_factor: Ratio) -> Tokens:
    """Length that 95 of 100 outputs stay under: the typed one, else the mean times the factor of the distribution.

    >>> p95_output_tokens(None, 256, 4)
    1024.0
    """
    return either(output_p95, output_tokens * p95_factor)


@rule(en="Input tokens to plan with", zh="规划输入token", source="[B] 5.3; [C] image tokens")
def planning_input_tokens(
    length_basis: Text, p95_input_tokens: Tokens, input_tokens: Tokens, image_tokens: Tokens = 0
) -> Tokens:
    """Input length that memory and prefill are planned with: P95 or mean, and the tokens of images on top.

    >>> planning_input_tokens("p95", 2048, 512), planning_input_tokens("mean", 2048, 512, 300)
    (2048.0, 812.0)
    """
    return choose(length_basis, p95=p95_input_tokens, mean=input_tokens) + image_tokens


@rule(en="Output tokens to plan with", zh="规划输出token", source="[B] 5.3")
def planning_output_tokens(length_basis: Text, p95_output_tokens: Tokens, output_tokens: Tokens) -> Tokens:
    """Output length that memory is planned with: P95 or mean.

    >>> planning_output_tokens("p95", 1024, 256)
    1024.0
    """
    return choose(length_basis, p95=p95_output_tokens, mean=output_tokens)


@rule(en="Tokens per request", zh="单请求token", source="[A] step 2; [C] image tokens")
def tokens_per_request(
    input_tokens: Tokens, output_tokens: Tokens, image_tokens: Tokens = 0
) -> TokensPerRequest:
    """Mean tokens of a request, in and out; the tokens of images count as input.

    >>> tokens_per_request(400, 800)
    1200
    """
    return input_tokens + output_tokens + image_tokens


@rule(en="Token demand at peak", zh="峰值token需求", source="[A] step 3")
def token_demand(peak_qps: RequestsPerSecond, tokens_per_request: TokensPerRequest) -> TokensPerSecond:
    """Tokens per second that the peak asks for, input and output alike: the token throughput method counts both.

    >>> token_demand(9, 500)
    4500
    """
    return peak_qps * tokens_per_request


@rule(en="Context to hold", zh="上下文长度", source="[B] 3.2")
def context_tokens(planning_input_tokens: Tokens, planning_output_tokens: Tokens) -> Tokens:
    """Tokens of one request that the KV cache must hold.

    >>> context_tokens(2048, 1024)
    3072
    """
    return planning_input_tokens + planning_output_tokens


@rule(
    en="Peak requests in flight",
    zh="峰值并发",
    source="Little's law; buffer [C] step 3",
    wiring={"peak_buffer": None},
)
def peak_concurrency(peak_qps: RequestsPerSecond, request_seconds: Seconds, peak_buffer: Ratio = 1) -> Requests:
    """Requests in flight at the peak: arrivals per second times the seconds each stays. A typed number replaces it.

    The solver leaves the buffer at 1, so that each method counts its buffers once; `buffered_concurrency` adds that
    of the memory segments.

    >>> peak_concurrency(8.88888888888889, 12.8), peak_concurrency(10, 12, 1.5)
    (113.77777777777779, 180.0)
    """
    return peak_qps * request_seconds * peak_buffer


@rule(en="Peak requests in flight with buffer", zh="含缓冲的峰值并发", source="[C] step 3")
def buffered_concurrency(peak_concurrency: Requests, peak_buffer: Ratio) -> Requests:
    """Peak requests in flight with the buffer that the memory segments ask for: at least 1.5 times.

    >>> buffered_concurrency(40, 1.5)
    60.0
    """
    return peak_concurrency * peak_buffer


@rule(en="All buffers together", zh="缓冲系数合计", source="[A] peak; [B] 3.4; [C] step 3")
def buffers_applied(sizing_method: Text, peak_factor: Ratio, safety: Ratio, peak_buffer: Ratio) -> Ratio:
    """Product of the buffers that the chosen method puts on the average load, so that none hides.

    >>> buffers_applied("constraint", 2, 0.8, 1.5), buffers_applied("segment", 2, 0.8, 1.5)
    (2.5, 3.0)
    """
    margin, buffer = where(one_of(sizing_method, "constraint"), safety, 1), where(one_of(sizing_method, "segment"), peak_buffer, 1)
    return peak_factor / margin * buffer
