"""Owning instead of renting: power, depreciation, cash, break-even and net present value.

Everything here is for the cards that are still to be rented (`net_cards`), whose purchase is `capex`.
"""

from __future__ import annotations

from gpusheet.annuity import present_value
from gpusheet.constants import HOURS_PER_DAY, MONTH_IN_YEARS, MONTHS_PER_YEAR, WATTS_PER_KW
from gpusheet.ops import ceil, maximum, power
from gpusheet.registry import rule
from gpusheet.units import (
    KW,
    Cards,
    Days,
    Money,
    MoneyPerMonth,
    Months,
    Nodes,
    PerKWh,
    PerKWMonth,
    Ratio,
    Share,
    Watts,
)


@rule(en="Nodes", zh="服务器台数", source="cards per node of the GPU")
def nodes(net_cards: Cards, max_cards_per_node: Cards) -> Nodes:
    """Servers that hold the cards.

    >>> nodes(12, 8), nodes(0, 8)
    (2.0, 0.0)
    """
    return ceil(net_cards / max_cards_per_node)


@rule(en="Power", zh="功率", source="[A] 4 x L20: 2.5 to 3 kW", wiring={"cards": "net_cards"})
def power_kw(cards: Cards, tdp_w: Watts, nodes: Nodes, node_power_kw: KW, power_per_tdp: Ratio) -> KW:
    """Power of the servers: a base per node and the cards' TDP with fans and conversion.

    >>> round(power_kw(4, 275, 1, 0.9, 1.65), 3), round(power_kw(8, 700, 1, 0.9, 1.65), 3)
    (2.715, 10.14)
    """
    return nodes * node_power_kw + cards * tdp_w * power_per_tdp / WATTS_PER_KW


@rule(en="Residual value", zh="残值", source="accounting: straight-line depreciation")
def residual_value(capex: Money, residual_share: Share) -> Money:
    """What the cards are still worth at the end of their useful life.

    >>> residual_value(1000000, 0.1)
    100000.0
    """
    return capex * residual_share


@rule(en="Depreciation per month", zh="每月折旧", source="accounting: straight-line depreciation")
def monthly_depreciation(capex: Money, residual_value: Money, useful_life_months: Months) -> MoneyPerMonth:
    """Purchase price less residual value, in equal parts over the useful life.

    >>> monthly_depreciation(1000000, 100000, 60)
    15000.0
    """
    return (capex - residual_value) / useful_life_months


@rule(en="Electricity per month", zh="每月电费", source="[A] hosting; PUE")
def electricity_cost(power_kw: KW, pue: Ratio, electricity_price: PerKWh, days_per_month: Days) -> MoneyPerMonth:
    """Power of the servers at the PUE, all hours of the month, at the price of a kWh.

    >>> round(electricity_cost(10, 1.3, 0.8, 30), 2)
    7488.0
    """
    return power_kw * pue * HOURS_PER_DAY * days_per_month * electricity_price


@rule(en="Hosting per month", zh="每月托管费", source="[A] hosting")
def hosting_cost(
    power_kw: KW, colocation_per_kw_month: PerKWMonth, network_per_month: MoneyPerMonth
) -> MoneyPerMonth:
    """Rack space by the kW, and lines.

    >>> hosting_cost(10, 500, 2000)
    7000
    """
    return power_kw * colocation_per_kw_month + network_per_month


@rule(en="Cash cost of owning per month", zh="自有每月现金支出", source="[A] hosting; [B] 6.5")
def owned_cash_cost(
    electricity_cost: MoneyPerMonth, hosting_cost: MoneyPerMonth, capex: Money, maintenance_rate: Share
) -> MoneyPerMonth:
    """Money that leaves every month when cards are owned: electricity, hosting and a twelfth of the maintenance.

    >>> owned_cash_cost(7488, 7000, 2400000, 0.05)
    24488.0
    """
    return electricity_cost + hosting_cost + capex * maintenance_rate / MONTHS_PER_YEAR


@rule(en="Cost of owning per month", zh="自有每月成本", source="[B] 6.5")
def owned_monthly_cost(owned_cash_cost: MoneyPerMonth, monthly_depreciation: MoneyPerMonth) -> MoneyPerMonth:
    """Cash cost and depreciation of a month.

    >>> owned_monthly_cost(20488, 15000)
    35488
    """
    return owned_cash_cost + monthly_depreciation


@rule(en="Cash saved per month by owning", zh="自有每月节省现金", source="[B] 6.5")
def monthly_saving(monthly_cost: MoneyPerMonth, owned_cash_cost: MoneyPerMonth) -> MoneyPerMonth:
    """Rent that owning saves, less the cash that owning costs; below 0 where renting is cheaper to run.

    >>> monthly_saving(60000, 20000)
    40000
    """
    return monthly_cost - owned_cash_cost


@rule(en="Break-even month of buying", zh="购买回本月数", source="[B] 6.5")
def buy_break_even_month(capex: Money, monthly_saving: MoneyPerMonth) -> Months:
    """Months until the rent saved has paid the purchase; missing where renting costs less than running.

    Depreciation is not cash and does not count.

    >>> buy_break_even_month(1000000, 40000), buy_break_even_month(1000000, -500)
    (25.0, nan)
    """
    return capex / maximum(0, monthly_saving)


@rule(en="Discount rate per month", zh="月折现率", source="finance: effective monthly rate")
def monthly_discount_rate(discount_rate: Share) -> Share:
    """Monthly rate that compounds to the yearly one.

    >>> round(monthly_discount_rate(0.08), 8)
    0.00643403
    """
    return power(1 + discount_rate, MONTH_IN_YEARS) - 1


@rule(en="NPV of buying", zh="购买净现值", source="[B] 6.5; first flow today")
def buy_npv(
    capex: Money,
    monthly_saving: MoneyPerMonth,
    residual_value: Money,
    monthly_discount_rate: Share,
    useful_life_months: Months,
) -> Money:
    """Net present value of buying instead of renting: purchase today, rent saved at each month's end, residual last.

    >>> round(buy_npv(1000000, 40000, 100000, 0.00643403, 60), 0)
    1053854.0
    """
    return present_value(monthly_discount_rate, useful_life_months, monthly_saving, residual_value) - capex
