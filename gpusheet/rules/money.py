"""What cards cost: per hour, per month, per million tokens."""

from __future__ import annotations

from gpusheet.constants import MILLION
from gpusheet.ops import TINY, maximum, minimum, one_of
from gpusheet.registry import rule
from gpusheet.units import (
    Cards,
    Days,
    Hours,
    Money,
    MoneyPerHour,
    MoneyPerMonth,
    PerCardHour,
    PerCardMonth,
    Periods,
    PerMillionTokens,
    Ratio,
    RequestsPerDay,
    Share,
    Text,
    Tokens,
    TokensPerRequest,
)


@rule(en="Cost per hour, on demand", zh="按量每小时成本", source="[C] 2")
def hourly_cost(net_cards: Cards, price_hour: PerCardHour, discount: Share = 0) -> MoneyPerHour:
    """Cost of an hour at the on-demand price, less the negotiated discount.

    >>> hourly_cost(2, 13.94)
    27.88
    """
    return net_cards * price_hour * (1 - discount)


@rule(en="Cost per month, on demand", zh="按量每月成本", source="[C] price table: 720 hours a month")
def on_demand_monthly_cost(hourly_cost: MoneyPerHour, hours_per_month: Hours) -> MoneyPerMonth:
    """Cost of a month at the on-demand price, for the hours that the cards are kept.

    >>> on_demand_monthly_cost(27.88, 720)
    20073.6
    """
    return hourly_cost * hours_per_month


@rule(en="Cost per month, monthly price", zh="包月每月成本", source="[C] 2")
def committed_monthly_cost(net_cards: Cards, price_month: PerCardMonth, discount: Share = 0) -> MoneyPerMonth:
    """Cost of a month at the monthly price, less the negotiated discount.

    >>> committed_monthly_cost(2, 10036)
    20072
    """
    return net_cards * price_month * (1 - discount)


@rule(en="Periods billed per month", zh="每月计费周期数", source="price period")
def periods_per_month(price_period: Text, hours_per_month: Hours) -> Periods:
    """How often the chosen price is paid in a month: every hour that cards are kept, or once; 0 without a price.

    >>> periods_per_month("hour", 720), periods_per_month("month", 720), periods_per_month("", 720)
    (720.0, 1.0, 0.0)
    """
    return one_of(price_period, "hour") * hours_per_month + one_of(price_period, "month")


@rule(en="Price of a card for a month", zh="单卡月价(折后)", source="the workload's pricing model")
def card_month_price(unit_price: Money, periods_per_month: Periods, discount: Share = 0) -> PerCardMonth:
    """What a card costs in a month at the workload's own pricing model, less the negotiated discount.

    >>> round(card_month_price(13.94, 720), 2), card_month_price(10036, 1, 0.5)
    (10036.8, 5018.0)
    """
    return unit_price * periods_per_month * (1 - discount)


@rule(en="Share of the list price that is paid", zh="折后比例", source="the discount")
def net_share(discount: Share = 0) -> Share:
    """What is left of the list price after the discount; never 0, as prices are compared by it.

    >>> net_share(0.25), net_share(1)
    (0.75, 1e-09)
    """
    return maximum(TINY, 1 - discount)


@rule(en="Price outside the contract, against within", zh="合同期外与期内价格比", source="the term of the signed contract")
def outside_contract(discount: Share = 0, ending_discount: Share = 0, net_share: Share = 1) -> Ratio:
    """What a card costs in months outside the contract's term, for 1 within it: the discount that ends with it is not taken.

    >>> round(outside_contract(0.2, 0.2, 0.8), 4), outside_contract(0.2, 0, 0.8)
    (1.25, 1.0)
    """
    return minimum(1, maximum(TINY, 1 - discount + ending_discount)) / net_share


@rule(en="Cost per month", zh="每月成本", source="the workload's pricing model")
def monthly_cost(net_cards: Cards, card_month_price: PerCardMonth) -> MoneyPerMonth:
    """Cost of a month at the workload's own pricing model.

    >>> monthly_cost(2, 10036)
    20072
    """
    return net_cards * card_month_price


@rule(en="Break-even hours", zh="包月盈亏平衡小时数", source="[C] price table")
def break_even_hours(price_month: PerCardMonth, price_hour: PerCardHour) -> Hours:
    """Hours of use in a month from which the monthly price is the cheaper one.

    >>> break_even_hours(4464, 6.2)
    720.0
    """
    return price_month / price_hour


@rule(en="Cost per million output tokens", zh="每百万输出token成本", source="FinOps unit cost")
def cost_per_million_output_tokens(
    monthly_cost: MoneyPerMonth, requests_per_day: RequestsPerDay, output_tokens: Tokens, days_per_month: Days
) -> PerMillionTokens:
    """Cost of a million tokens that users received: mean output of all requests of the month.

    >>> cost_per_million_output_tokens(20072, 80000, 300, 30)
    27.877777777777776
    """
    return monthly_cost * MILLION / (requests_per_day * output_tokens * days_per_month)


@rule(en="Cost per million tokens", zh="每百万token成本(输入+输出)", source="FinOps unit cost")
def cost_per_million_tokens(
    monthly_cost: MoneyPerMonth,
    requests_per_day: RequestsPerDay,
    tokens_per_request: TokensPerRequest,
    days_per_month: Days,
) -> PerMillionTokens:
    """Cost of a million tokens, input and output together.

    >>> cost_per_million_tokens(20072, 80000, 500, 30)
    16.726666666666667
    """
    return monthly_cost * MILLION / (requests_per_day * tokens_per_request * days_per_month)
