"""How the requests of a day spread over its hours, the cards that each hour needs, and what layers of them cost."""

from __future__ import annotations

from gpusheet.constants import HOURS_PER_DAY, SECONDS_PER_HOUR
from gpusheet.ops import above, ceil, if_given, maximum, minimum
from gpusheet.registry import rule
from gpusheet.units import (
    Cards,
    Days,
    Demand,
    Flag,
    Hours,
    MoneyPerMonth,
    PerCardHour,
    Ratio,
    RequestsPerDay,
    RequestsPerSecond,
    Share,
)


@rule(en="Share of the peak hour", zh="占峰值小时比例", source="the traffic curve", line=False)
def hour_share(hour_weight: Ratio, largest_weight: Ratio) -> Share:
    """Demand of an hour over that of the busiest hour.

    >>> hour_share(0.6, 1.2)
    0.5
    """
    return hour_weight / largest_weight


@rule(en="Requests per second in the hour", zh="该小时每秒请求数", source="the traffic curve", line=False)
def hour_qps(
    requests_per_day: RequestsPerDay, demand_factor: Ratio, hour_weight: Ratio, all_weights: Ratio
) -> RequestsPerSecond:
    """Mean requests per second of an hour: its part of the day's requests, grown to the month.

    >>> round(hour_qps(80000, 1, 1, 10), 4)
    2.2222
    """
    return requests_per_day * demand_factor * hour_weight / (all_weights * SECONDS_PER_HOUR)


@rule(en="Demand of the hour", zh="该小时需求", source="the month's demand in the busiest hour", line=False)
def hour_demand(month_demand: Demand, hour_share: Share) -> Demand:
    """Demand of an hour in the measure of the workload's method: that of the month in the busiest hour.

    >>> hour_demand(4500, 0.5)
    2250.0
    """
    return month_demand * hour_share


@rule(en="Cards of the hour", zh="该小时卡数", source="as the month's cards", line=False)
def hour_cards(
    fixed_cards: Cards, month_active: Flag, cards: Cards, hour_share: Share, hour_demand_cards: Cards
) -> Cards:
    """Cards that an hour needs; a typed number of cards shrinks with the hour, in whole replicas.

    >>> hour_cards(None, 1, 1, 0.5, 2), hour_cards(6, 1, 2, 0.5, 9), hour_cards(6, 1, 2, 1, 9)
    (2.0, 4.0, 6.0)
    """
    shrunk = minimum(fixed_cards, ceil(fixed_cards * hour_share / cards) * cards)
    return if_given(fixed_cards, month_active * shrunk, hour_demand_cards)


@rule(en="Peak of the curve over the day's mean", zh="曲线峰值与日均值之比", source="the traffic curve", line=False)
def curve_peak(largest_weight: Ratio, all_weights: Ratio) -> Ratio:
    """Requests of the busiest hour over those of the average hour of the day.

    >>> curve_peak(1, 10), curve_peak(1, 24)
    (2.4, 1.0)
    """
    return HOURS_PER_DAY * largest_weight / all_weights


@rule(en="Typed peak over the day's mean", zh="所填峰值与日均值之比", source="[A] busy hours and peak", line=False)
def typed_peak(peak_factor: Ratio, busy_hours: Hours) -> Ratio:
    """The peak that cards are sized for, over the average hour of the day: the factor counts on the busy hours' mean.

    >>> typed_peak(2, 10)
    4.8
    """
    return HOURS_PER_DAY * peak_factor / busy_hours


@rule(en="Typed peak over that of the curve", zh="所填峰值与曲线峰值之比", source="the traffic curve", line=False)
def peak_ratio(typed_peak: Ratio, curve_peak: Ratio) -> Ratio:
    """How many times the peak of the curve the cards are sized for.

    >>> peak_ratio(4.8, 2.4)
    2.0
    """
    return typed_peak / curve_peak


@rule(en="Peaks differ by more than the tolerance", zh="峰值差异超出容差", source="the traffic curve", line=False)
def peaks_differ(peak_ratio: Ratio, curve_tolerance: Share) -> Flag:
    """1 where the typed peak is off that of the curve by more than the tolerance.

    >>> peaks_differ(1.25, 0.25), peaks_differ(1.3, 0.25), peaks_differ(0.7, 0.25)
    (0.0, 1.0, 1.0)
    """
    return above(maximum(peak_ratio - 1, 1 - peak_ratio), curve_tolerance)


@rule(en="Rented by the hour", zh="按小时租用", source="[B] 6.5", line=False)
def layer_by_hour(
    layer_cards: Cards, layer_hours: Hours, days_per_month: Days, paid_hour_price: PerCardHour
) -> MoneyPerMonth:
    """Cost of a month for cards that are rented in the hours that need them, and only then.

    >>> layer_by_hour(2, 10, 30, 6.2)
    3720.0
    """
    return layer_cards * layer_hours * days_per_month * paid_hour_price
