"""Demand and cards in a month of the budget. Sizing is month 1 at full demand; these carry it along the calendar."""

from __future__ import annotations

from gpusheet.constants import MONTH_IN_YEARS
from gpusheet.ops import at_least, choose, either, if_given, maximum, minimum, power
from gpusheet.registry import rule
from gpusheet.sizes import whole_replicas
from gpusheet.units import (
    Cards,
    Demand,
    Flag,
    MonthNumber,
    Months,
    PerCardMonth,
    Ratio,
    Replicas,
    Requests,
    RequestsPerSecond,
    Share,
    Text,
    TokensPerSecond,
)


@rule(en="Growth", zh="增长系数", source="[B] 6.1 growth curve")
def growth_factor(monthly_growth: Share, month: MonthNumber) -> Ratio:
    """Demand of a month against month 1 under steady growth.

    >>> growth_factor(0.05, 13)
    1.79585632602213
    """
    return power(1 + monthly_growth, month - 1)


@rule(en="Active", zh="是否在用", source="start and end month")
def month_active(month: MonthNumber, start_month: MonthNumber, end_month: MonthNumber) -> Flag:
    """1 from the start month to the end month, else 0; no end month is no end.

    >>> month_active(3, 1, None), month_active(3, 4, None), month_active(13, 1, 12)
    (1.0, 0.0, 0.0)
    """
    return at_least(month, start_month) * at_least(either(end_month, month), month)


@rule(en="Ramp", zh="爬坡系数", source="ramp in equal steps")
def ramp_share(month: MonthNumber, start_month: MonthNumber, ramp_months: Months) -> Share:
    """Share of the demand that has arrived: equal steps over the ramp, all of it from the ramp's last month on.

    >>> ramp_share(1, 1, 4), ramp_share(4, 1, 4), ramp_share(9, 1, 4), ramp_share(1, 1, 1)
    (0.25, 1.0, 1.0, 1.0)
    """
    return minimum(1, maximum(0, (month - start_month + 1) / ramp_months))


@rule(en="Demand factor", zh="需求系数", source="growth x seasonality x start, ramp and end")
def demand_factor(growth_factor: Ratio, season_factor: Ratio, month_active: Flag, ramp_share: Share) -> Ratio:
    """What a month's demand is against the demand typed for the workload.

    >>> demand_factor(1.1, 1.5, 1, 0.5)
    0.8250000000000001
    """
    return growth_factor * season_factor * month_active * ramp_share


@rule(
    en="Throughput per replica",
    zh="单副本吞吐",
    source="[A] step 3",
    wiring={"card_throughput": "fitting_throughput"},
)
def replica_throughput(card_throughput: TokensPerSecond, cards: Cards) -> TokensPerSecond:
    """Tokens per second of one replica.

    >>> replica_throughput(1800, 2)
    3600
    """
    return card_throughput * cards


@rule(en="Demand as the method counts it", zh="所选方法的需求量", source="the workload's sizing method")
def sizing_demand(
    sizing_method: Text, peak_qps: RequestsPerSecond, token_demand: TokensPerSecond, peak_concurrency: Requests,
    buffered_concurrency: Requests,
) -> Demand:  # fmt: skip
    """Peak demand in the measure of the chosen method: requests or tokens per second, or requests in flight.

    >>> sizing_demand("throughput", 9, 4500, 120, 180), sizing_demand("segment", 9, 4500, 120, 180)
    (4500.0, 180.0)
    """
    return choose(
        sizing_method, serving=peak_qps, throughput=token_demand, constraint=peak_concurrency, segment=buffered_concurrency
    )


@rule(en="Capacity of a replica, same measure", zh="单副本容量(同口径)", source="the workload's sizing method")
def replica_capacity(
    sizing_method: Text, replica_qps: RequestsPerSecond, replica_throughput: TokensPerSecond, replica_concurrency: Requests
) -> Demand:
    """What one replica carries in the measure of the chosen method.

    >>> replica_capacity("throughput", 9, 1800, 169), replica_capacity("constraint", 9, 1800, 169)
    (1800.0, 169.0)
    """
    return choose(
        sizing_method, serving=replica_qps, throughput=replica_throughput, constraint=replica_concurrency,
        segment=replica_concurrency,
    )  # fmt: skip


@rule(en="Demand of the month", zh="当月需求", source="demand x factor of the month")
def month_demand(sizing_demand: Demand, demand_factor: Ratio) -> Demand:
    """Peak demand of a month in the measure of the chosen method; typed peaks grow as well.

    >>> month_demand(4500, 1.5)
    6750.0
    """
    return sizing_demand * demand_factor


@rule(en="Cards for the month's demand", zh="当月需求对应卡数", source="as cards needed, at the month's demand")
def month_demand_cards(
    month_demand: Demand, replica_capacity: Demand, cards: Cards, min_replicas: Replicas = 1
) -> Cards:
    """Cards of as many whole replicas as the month's demand needs, at least the minimum; none without demand.

    >>> month_demand_cards(6750, 1800, 1), month_demand_cards(0, 1800, 1)
    (4.0, 0.0)
    """
    return whole_replicas(month_demand, replica_capacity, cards, min_replicas)


@rule(en="Cards of the month", zh="当月卡数", source="a typed number of cards replaces those of the demand")
def month_cards(fixed_cards: Cards, month_active: Flag, month_demand_cards: Cards) -> Cards:
    """Cards that a month needs: the typed number while the workload is active, else those of its demand.

    >>> month_cards(None, 1, 4), month_cards(6, 1, 4), month_cards(6, 0, 0)
    (4.0, 6.0, 0.0)
    """
    return if_given(fixed_cards, fixed_cards * month_active, month_demand_cards)


@rule(en="Price of the month against the contract's", zh="当月价格与合同价之比", source="the term of the signed contract")
def contract_factor(
    month: MonthNumber, contract_from: MonthNumber = 1, contract_to: MonthNumber = 1200, outside_contract: Ratio = 1
) -> Ratio:
    """1 in months of the contract's term, the price without it against that with it in others.

    >>> contract_factor(4, 4, 9, 1.25), contract_factor(10, 4, 9, 1.25), contract_factor(3, 4, 9, 1.25)
    (1.0, 1.25, 1.25)
    """
    return outside_contract + (1 - outside_contract) * at_least(month, contract_from) * at_least(contract_to, month)


@rule(en="Price of a card in the month", zh="当月单卡月价", source="the scenario's price drift, the contract's term")
def month_price(
    card_month_price: PerCardMonth, price_drift: Share, month: MonthNumber, contract_factor: Ratio = 1
) -> PerCardMonth:
    """Price of a card for the month, after a steady yearly change since month 1; without the contract's discount outside its term.

    >>> round(month_price(100, -0.19, 7), 2), month_price(100, 0, 7)
    (90.0, 100.0)
    """
    return card_month_price * power(1 + price_drift, (month - 1) * MONTH_IN_YEARS) * contract_factor
