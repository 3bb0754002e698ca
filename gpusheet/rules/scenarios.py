"""What a scenario makes of a workload's own inputs."""

from __future__ import annotations

from gpusheet.ops import TINY, maximum, minimum
from gpusheet.registry import rule
from gpusheet.units import Ratio, RequestsPerDay, Share, TokensPerRequest, TokensPerSecond


@rule(en="Requests in the scenario", zh="情景下的请求量", source="convention", line=False)
def scenario_requests(requests: RequestsPerDay, requests_factor: Ratio) -> RequestsPerDay:
    """Requests, users or a typed peak, as many times as the scenario says.

    >>> scenario_requests(80000, 1.25)
    100000.0
    """
    return requests * requests_factor


@rule(en="Tokens in the scenario", zh="情景下的 token 数", source="convention", line=False)
def scenario_tokens(tokens: TokensPerRequest, tokens_factor: Ratio) -> TokensPerRequest:
    """Tokens of a request, as many times as the scenario says.

    >>> scenario_tokens(512, 1.5)
    768.0
    """
    return tokens * tokens_factor


@rule(en="Peak factor in the scenario", zh="情景下的峰值系数", source="convention", line=False)
def scenario_peak_factor(peak_factor: Ratio, peak_change: Ratio) -> Ratio:
    """The peak factor, as many times as the scenario says; a peak is never below the average.

    >>> scenario_peak_factor(2, 1.5), scenario_peak_factor(2, 0.25)
    (3.0, 1.0)
    """
    return maximum(1, peak_factor * peak_change)


@rule(en="Monthly growth in the scenario", zh="情景下的月增长率", source="convention", line=False)
def scenario_growth(monthly_growth: Share, growth_change: Share) -> Share:
    """The monthly growth with what the scenario adds to it; demand never falls below nothing.

    >>> round(scenario_growth(0.05, 0.02), 4), round(scenario_growth(-0.9, -0.5), 4)
    (0.07, -1.0)
    """
    return maximum(TINY, 1 + monthly_growth + growth_change) - 1


@rule(en="Discount in the scenario", zh="情景下的折扣率", source="convention", line=False)
def scenario_discount(discount: Share, discount_change: Share) -> Share:
    """The discount with what the scenario adds to it, from 0 to 100%.

    >>> round(scenario_discount(0.1, 0.05), 4), scenario_discount(0.1, -0.2)
    (0.15, 0.0)
    """
    return maximum(0, minimum(1, discount + discount_change))


@rule(en="Driver, shocked", zh="受冲击的驱动因素", source="sensitivity: one driver at a time", line=False)
def shocked(value: Ratio, shock: Share) -> Ratio:
    """A driver that is larger or smaller by a share.

    >>> shocked(200, 0.1), shocked(200, -0.5)
    (220.00000000000003, 100.0)
    """
    return value * (1 + shock)


@rule(en="Share, shocked", zh="受冲击的比例", source="sensitivity: one driver at a time", line=False)
def shocked_share(share: Share, shock: Share) -> Share:
    """A share that is larger or smaller by a share of itself; it stays at most 100%.

    >>> shocked_share(0.5, 0.2), shocked_share(0.95, 0.2)
    (0.6, 1.0)
    """
    return minimum(1, share * (1 + shock))


@rule(en="Speed, shocked", zh="受冲击的速度", source="sensitivity: one driver at a time", line=False)
def shocked_speed(speed: TokensPerSecond, shock: Share) -> TokensPerSecond:
    """A speed that is asked for where more or less time is allowed: less of it when the time goes up by a share.

    >>> shocked_speed(20, -0.5), shocked_speed(20, 0.25)
    (30.0, 15.0)
    """
    return speed * (1 - shock)


@rule(en="Peak factor, shocked", zh="受冲击的峰值系数", source="sensitivity: one driver at a time", line=False)
def shocked_peak(peak_factor: Ratio, shock: Share) -> Ratio:
    """A peak factor that is larger or smaller by a share; a peak is never below the average.

    >>> shocked_peak(2, 0.25), shocked_peak(1.05, -0.2)
    (2.5, 1.0)
    """
    return maximum(1, peak_factor * (1 + shock))
