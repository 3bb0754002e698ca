"""Renting against buying over a horizon: tax, the months of an owned fleet, cash of each month, break-even.

Month 0 is the day of the purchase; rents and running costs fall due at the end of months 1 to the horizon. Costs are
positive. Cards that reach the end of their useful life are sold and bought again; those that are left at the horizon
are sold at their book value.
"""

from __future__ import annotations

from gpusheet.ops import TINY, above, at_least, floor, maximum, one_of, power
from gpusheet.registry import rule
from gpusheet.units import (
    Cards,
    Factor,
    Flag,
    Hours,
    Money,
    MoneyPerMonth,
    MonthNumber,
    Months,
    PerCard,
    PerCardHour,
    PerCardMonth,
    Ratio,
    Share,
    Text,
)

# --- tax ------------------------------------------------------------------------------------------------------------


@rule(en="Price with VAT over price without", zh="含税价与不含税价之比", source="value-added tax", line=False)
def vat_factor(vat_rate: Share) -> Ratio:
    """What a price is multiplied by when value-added tax comes on top.

    >>> vat_factor(0.06)
    1.06
    """
    return 1 + vat_rate


@rule(en="Cost over price without VAT", zh="实际成本与不含税价之比", source="value-added tax", line=False)
def vat_kept(vat_factor: Ratio, vat_recovered: Share) -> Ratio:
    """What a price without value-added tax is multiplied by for the tax that is not recovered.

    >>> vat_kept(1.06, 1), vat_kept(1.06, 0)
    (1.0, 1.06)
    """
    return 1 + (vat_factor - 1) * (1 - vat_recovered)


@rule(en="Cost after recovered VAT", zh="抵扣增值税后的成本", source="value-added tax", line=False)
def rent_after_vat(amount: PerCardMonth, price_tax: Text, vat_factor: Ratio, vat_kept: Ratio) -> PerCardMonth:
    """What a rent costs once value-added tax is recovered, whether it was quoted with tax or without.

    A rent that does not say stays as quoted.

    >>> round(rent_after_vat(1060, "included", 1.06, 1), 6), rent_after_vat(1000, "excluded", 1.06, 1.06)
    (1000.0, 1060.0)
    >>> rent_after_vat(1060, "unstated", 1.06, 1)
    1060.0
    """
    taken_out = one_of(price_tax, "included") * (vat_kept / vat_factor - 1)
    return amount * (1 + taken_out + one_of(price_tax, "excluded") * (vat_kept - 1))


@rule(en="Purchase after recovered VAT", zh="抵扣增值税后的购置成本", source="value-added tax", line=False)
def purchase_after_vat(amount: Money, vat_factor: Ratio, vat_kept: Ratio) -> Money:
    """What a purchase costs once value-added tax is recovered.

    >>> purchase_after_vat(1130000, 1.13, 1)
    1000000.0000000001
    """
    return amount * vat_kept / vat_factor


@rule(en="Cost after profit tax", zh="所得税后成本", source="tax on profits", line=False)
def after_profit_tax(amount: MoneyPerMonth, profit_tax_rate: Share) -> MoneyPerMonth:
    """What a cost weighs when it lowers the tax on profits.

    >>> after_profit_tax(10000, 0.25)
    7500.0
    """
    return amount * (1 - profit_tax_rate)


# --- the fleet ------------------------------------------------------------------------------------------------------


@rule(en="Purchase price of a card", zh="单卡购置成本", source="the workload's purchase price", line=False)
def card_capex(capex: Money, net_cards: Cards) -> PerCard:
    """Purchase price of a card, servers and all: the price typed, over the cards that it buys at full demand of month 1.

    >>> card_capex(1600000, 8)
    200000.0
    """
    return capex / net_cards


@rule(en="Purchase price of the cards", zh="整批购置成本", source="the workload's purchase price", line=False)
def fleet_capex(card_capex: PerCard, fleet_cards: Cards) -> Money:
    """Purchase price of the cards that are compared.

    >>> fleet_capex(200000, 12)
    2400000
    """
    return card_capex * fleet_cards


@rule(en="Running cost of owned cards", zh="自有卡运行成本", source="[A] hosting; [B] 6.5", line=False)
def owned_running_cost(owned_cash_cost: MoneyPerMonth, staff_per_month: MoneyPerMonth) -> MoneyPerMonth:
    """Money that leaves every month when cards are owned, with the people who run them.

    >>> owned_running_cost(24488, 10000)
    34488
    """
    return owned_cash_cost + staff_per_month


@rule(en="Cost of owning a card", zh="单卡自有月成本", source="[B] 6.5", line=False)
def owned_card_cost(owned_monthly_cost: MoneyPerMonth, fleet_cards: Cards) -> PerCardMonth:
    """Running cost and depreciation of a month for each owned card.

    >>> owned_card_cost(64000, 16)
    4000.0
    """
    return owned_monthly_cost / fleet_cards


@rule(en="On-demand price of an hour, as paid", zh="按量小时价(实付)", source="the price of a month", line=False)
def paid_hour_price(card_month_price: PerCardMonth, price_period: Text, hours_per_month: Hours) -> PerCardHour:
    """Price of an hour after discount and tax, from what a month costs; missing where the price is not by the hour.

    >>> paid_hour_price(4464, "hour", 720), paid_hour_price(4464, "month", 720)
    (6.2, nan)
    """
    return card_month_price / (hours_per_month * one_of(price_period, "hour"))


# --- months ---------------------------------------------------------------------------------------------------------


@rule(en="Within the horizon", zh="比较期内", source="timing", line=False)
def in_horizon(cash_month: MonthNumber, horizon_months: Months) -> Flag:
    """1 for the months that are paid for: 1 to the horizon.

    >>> in_horizon(0, 48), in_horizon(1, 48), in_horizon(48, 48), in_horizon(49, 48)
    (0.0, 1.0, 1.0, 0.0)
    """
    return at_least(cash_month, 1) * at_least(horizon_months, cash_month)


@rule(en="Age of the cards", zh="卡龄", source="timing", line=False)
def cards_age(cash_month: MonthNumber, useful_life_months: Months) -> Months:
    """Age of the owned cards at the end of a month; what replaces them begins anew.

    >>> cards_age(0, 36), cards_age(36, 36), cards_age(37, 36), cards_age(60, 60)
    (0.0, 36.0, 1.0, 60.0)
    """
    return cash_month - useful_life_months * floor(maximum(0, cash_month - 1) / useful_life_months)


@rule(en="Bought", zh="购置", source="timing", line=False)
def bought(cash_month: MonthNumber, cards_age: Months, useful_life_months: Months, horizon_months: Months) -> Flag:
    """1 in month 0, and at the end of each useful life that ends before the horizon.

    >>> bought(0, 0, 36, 48), bought(36, 36, 36, 48), bought(48, 48, 48, 48), bought(12, 12, 36, 48)
    (1.0, 1.0, 0.0, 0.0)
    """
    return at_least(0, cash_month) + at_least(cards_age, useful_life_months) * above(horizon_months, cash_month)


@rule(en="Sold", zh="处置", source="timing", line=False)
def sold(
    in_horizon: Flag, cash_month: MonthNumber, cards_age: Months, useful_life_months: Months, horizon_months: Months
) -> Flag:
    """1 at the end of each useful life and at the horizon.

    >>> sold(1, 36, 36, 36, 48), sold(1, 48, 12, 36, 48), sold(1, 12, 12, 36, 48), sold(0, 72, 36, 36, 48)
    (1.0, 1.0, 0.0, 0.0)
    """
    return in_horizon * maximum(at_least(cards_age, useful_life_months), at_least(cash_month, horizon_months))


@rule(en="Discount factor", zh="折现系数", source="finance: the first flow is today's", line=False)
def discount_factor(monthly_discount_rate: Share, cash_month: MonthNumber) -> Factor:
    """What money at the end of a month is worth today; month 0 is today.

    >>> discount_factor(0.01, 0), round(discount_factor(0.01, 12), 6)
    (1.0, 0.887449)
    """
    return power(1 + monthly_discount_rate, -1 * cash_month)


# --- cash -----------------------------------------------------------------------------------------------------------


@rule(en="Rent of the month", zh="当月租金", source="the price of a month", line=False)
def month_rent(in_horizon: Flag, month_price: MoneyPerMonth) -> MoneyPerMonth:
    """Rent that falls due at the end of a month.

    >>> month_rent(1, 52000), month_rent(0, 52000)
    (52000, 0)
    """
    return in_horizon * month_price


@rule(en="Purchases", zh="购置支出", source="the purchase price", line=False)
def month_purchase(bought: Flag, fleet_capex: Money) -> MoneyPerMonth:
    """Money paid for cards at the end of a month.

    >>> month_purchase(1, 1000000)
    1000000
    """
    return bought * fleet_capex


@rule(en="Book value", zh="账面净值", source="accounting: straight-line depreciation", line=False)
def book_value(
    fleet_capex: Money, monthly_depreciation: MoneyPerMonth, cards_age: Months, cash_month: MonthNumber, horizon_months: Months
) -> Money:
    """Purchase price less the depreciation so far; the residual value at the end of the useful life, 0 after the horizon.

    >>> book_value(1000000, 15000, 24, 24, 48), book_value(1000000, 15000, 1, 49, 48)
    (640000.0, 0.0)
    """
    return at_least(horizon_months, cash_month) * (fleet_capex - monthly_depreciation * cards_age)


@rule(en="Sales", zh="处置收入", source="book value", line=False)
def month_sale(sold: Flag, book_value: Money) -> MoneyPerMonth:
    """Money that sold cards bring at the end of a month: their book value, so that no gain is taxed.

    >>> month_sale(1, 100000)
    100000
    """
    return sold * book_value


@rule(en="Running cost", zh="运行支出", source="the cost of running owned cards", line=False)
def month_running(in_horizon: Flag, owned_running_cost: MoneyPerMonth) -> MoneyPerMonth:
    """Running cost that falls due at the end of a month.

    >>> month_running(1, 24488)
    24488
    """
    return in_horizon * owned_running_cost


@rule(en="Depreciation", zh="折旧", source="accounting: straight-line depreciation", line=False)
def month_depreciation(in_horizon: Flag, monthly_depreciation: MoneyPerMonth) -> MoneyPerMonth:
    """Depreciation of a month: no cash, but it lowers the tax on profits.

    >>> month_depreciation(1, 15000)
    15000
    """
    return in_horizon * monthly_depreciation


@rule(en="Profit tax saved", zh="所得税抵减", source="tax on profits", line=False)
def month_tax_saved(
    month_running: MoneyPerMonth, month_depreciation: MoneyPerMonth, profit_tax_rate: Share
) -> MoneyPerMonth:
    """Tax on profits that running cost and depreciation of a month save.

    >>> month_tax_saved(20000, 15000, 0.25)
    8750.0
    """
    return (month_running + month_depreciation) * profit_tax_rate


@rule(en="Cash of owning", zh="自有现金支出", source="[B] 6.5", line=False)
def month_owning(
    month_purchase: MoneyPerMonth, month_sale: MoneyPerMonth, month_running: MoneyPerMonth, month_tax_saved: MoneyPerMonth
) -> MoneyPerMonth:
    """Money that owning takes in a month; below 0 where a sale brings more.

    >>> month_owning(0, 100000, 24488, 0)
    -75512
    """
    return month_purchase - month_sale + month_running - month_tax_saved


@rule(en="Buying is the cheaper so far", zh="购买累计更低", source="[B] 6.5: break-even", line=False)
def cheaper_so_far(cash_so_far: Money, other_so_far: Money) -> Flag:
    """1 where one way has taken less cash so far than another, by more than rounding.

    >>> cheaper_so_far(900000, 1000000), cheaper_so_far(1000000, 1000000)
    (1.0, 0.0)
    """
    return above(other_so_far - other_so_far * TINY, cash_so_far)


@rule(en="Saved if the cards sell for nothing", zh="售价为0时的节省", source="[B] 6.5", line=False)
def saved_without_sale(saved: Money, sale_cost: Money) -> Money:
    """What buying saves where the cards bring nothing instead of their book value.

    `sale_cost` is the sale as a cost after profit tax: below 0. A loss on the book value lowers the tax, so the sale is worth
    its book value less that tax. Both are cash, or both present values.

    >>> saved_without_sale(300000, -200000)
    100000
    """
    return saved + sale_cost


@rule(en="Resale at which buying breaks even", zh="盈亏平衡转售比例", source="[B] 6.5", line=False)
def break_even_resale(saved: Money, sale_cost: Money) -> Share:
    """Share of their book value that the cards have to bring so that buying costs as much as renting; 0 where it never costs more.

    Above 1 they have to bring more than their book value. Missing where nothing is sold.

    >>> break_even_resale(50000, -200000), break_even_resale(300000, -200000), break_even_resale(-20000, -200000)
    (0.75, 0.0, 1.1)
    >>> break_even_resale(50000, 0)
    nan
    """
    return maximum(0, 1 + saved / sale_cost)


@rule(en="Break-even hours against on-demand", zh="相对按量的盈亏平衡小时数", source="[B] 6.5; [C] price table", line=False)
def equal_hours(hours_per_month: Hours, cost: Money, on_demand_cost: Money) -> Hours:
    """Hours of on-demand use in a month that cost as much as another way does; above the hours of a month it never pays.

    >>> equal_hours(720, 4464, 4464), equal_hours(720, 300000, 400000)
    (720.0, 540.0)
    """
    return hours_per_month * cost / on_demand_cost
