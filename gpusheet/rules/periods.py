"""Periods and money of the budget: fiscal quarters, amounts with and without tax, in other currencies."""

from __future__ import annotations

from gpusheet.constants import MONTHS_PER_QUARTER, MONTHS_PER_YEAR
from gpusheet.ops import floor, one_of
from gpusheet.registry import rule
from gpusheet.units import Money, MonthNumber, Months, Number, Rate, Ratio, Share, Text


@rule(en="Fiscal quarter", zh="财季", source="the fiscal year's first month", line=False)
def fiscal_quarter(calendar_month: MonthNumber, fiscal_year_start: MonthNumber) -> Number:
    """Quarter of the fiscal year, 1 to 4, in which a calendar month lies.

    >>> fiscal_quarter(1, 1), fiscal_quarter(3, 4), fiscal_quarter(4, 4)
    (1.0, 4.0, 1.0)
    """
    since = calendar_month - fiscal_year_start
    return 1 + floor((since - MONTHS_PER_YEAR * floor(since / MONTHS_PER_YEAR)) / MONTHS_PER_QUARTER)


@rule(en="Months into the quarter", zh="首月在财季中的位置", source="the fiscal year's first month", line=False)
def quarter_offset(calendar_month: MonthNumber, fiscal_year_start: MonthNumber) -> Months:
    """Months of a fiscal quarter that lie before a calendar month: 0 where the quarter begins with it.

    >>> quarter_offset(1, 1), quarter_offset(3, 4), quarter_offset(12, 4)
    (0.0, 2.0, 2.0)
    """
    since = calendar_month - fiscal_year_start
    return since - MONTHS_PER_QUARTER * floor(since / MONTHS_PER_QUARTER)


@rule(en="Quarter of the budget", zh="预算第几季", source="the fiscal year's first month", line=False)
def budget_quarter(month: MonthNumber, quarter_offset: Months) -> Number:
    """Which fiscal quarter of the budget a budget month lies in, counted from the first, which may be cut short.

    >>> budget_quarter(1, 2), budget_quarter(2, 2), budget_quarter(4, 0)
    (1.0, 2.0, 2.0)
    """
    return 1 + floor((month - 1 + quarter_offset) / MONTHS_PER_QUARTER)


@rule(en="Tax factor of the prices", zh="价格含税系数", source="the tax basis of the prices", line=False)
def tax_in_price(tax_basis: Text, vat_rate: Share) -> Ratio:
    """What prices are over prices without tax: more than 1 where they include it, 1 where not, 0 where they do not say.

    >>> tax_in_price("included", 0.06), tax_in_price("excluded", 0.06), tax_in_price("unstated", 0.06)
    (1.06, 1.0, 0.0)
    """
    return one_of(tax_basis, "included") * (1 + vat_rate) + one_of(tax_basis, "excluded")


@rule(en="Amount without tax", zh="不含税金额", source="the tax basis of the prices", line=False)
def amount_without_tax(amount: Money, tax_in_price: Ratio) -> Money:
    """An amount of the budget without tax; missing where prices do not say whether they include it.

    >>> amount_without_tax(106, 1.06), amount_without_tax(106, 1), amount_without_tax(106, 0)
    (100.0, 106.0, nan)
    """
    return amount / tax_in_price


@rule(en="Amount with tax", zh="含税金额", source="the tax basis of the prices", line=False)
def amount_with_tax(amount_without_tax: Money, vat_rate: Share) -> Money:
    """An amount of the budget with tax.

    >>> amount_with_tax(100, 0.06)
    106.0
    """
    return amount_without_tax * (1 + vat_rate)


@rule(en="Amount in another currency", zh="外币金额", source="FX: budget units for one unit", line=False)
def converted_amount(amount: Money, rate: Rate) -> Money:
    """An amount of the budget in another currency.

    >>> converted_amount(710, 7.1)
    100.0
    """
    return amount / rate
