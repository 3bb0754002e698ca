"""What a budget is about: its name, dates and money."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from gpusheet.catalog.schema import CURRENCY, Day, Row, column
from gpusheet.units import MonthNumber, Number, Share, Text

CURRENCY_DEFAULT = "CNY"
DECISIONS = "decisions"  # the group of what only the sheets of decisions read


class Settings(Row):
    """The settings of one budget.

    >>> Settings(prepared_on="2026-11-01", budget_start="2027-01-01").currency
    'CNY'
    """

    title: Text = column("Title", "标题", "Name of the budget.", default="GPU budget for LLM inference")
    prepared_by: Text | None = column("Prepared by", "编制人", "Who answers for the budget.", default=None)
    prepared_on: Day = column("Prepared on", "编制日期", "Day of the budget; prices are stale or not against it.")
    currency: Text = column("Budget currency", "预算币种", "Currency of all amounts.", default=CURRENCY_DEFAULT,
                            form=CURRENCY)
    as_of: Day | None = column(
        "Prices as of", "价格基准日", "Newest snapshot at or before this day is used; blank: the newest of all.",
        default=None)
    budget_start: Day = column("First month", "预算起始月", "First day of the first budget month.")
    amount_unit: Number = column(
        "Amounts in units of", "金额单位", "Totals for presentation are divided by this: 1, or 10000 for 万元.",
        default=1.0, gt=0, whole=True)
    scenario: Text | None = column(
        "Scenario", "情景", "Scenario of the whole book, as in Scenarios; blank: the first.", default=None, is_name=True)
    run_rate_month: MonthNumber | None = column(
        "Run-rate month", "稳态月", "Budget month in which scenarios and drivers are compared; blank: the last.", default=None,
        ge=1, whole=True, group=DECISIONS)
    looked_at: Text | None = column(
        "Workload looked at", "分析对象", "Workload of the sheets Compare, RentOrBuy and Traffic; blank: the first.", default=None,
        is_name=True, group=DECISIONS)
    compared_list: Text | None = column(
        "Price list of Compare", "对比用价目表", "Price list whose offers the sheet Compare sets side by side; blank: that of the "
        "workload looked at.", default=None, is_name=True, group=DECISIONS)
    shock: Share = column(
        "Shock", "敏感性幅度", "By how much the sheet Sensitivity moves each driver up and down.", default=0.1, gt=0, le=0.5,
        low=0.1, high=0.2, group=DECISIONS)
    price_from: Day | None = column(
        "Prices compared: old", "比价旧日期", "PriceBridge takes the newest prices at or before this day as old; blank: the newest "
        "day before the new ones.", default=None, group=DECISIONS)
    price_to: Day | None = column(
        "Prices compared: new", "比价新日期", "PriceBridge takes the newest prices at or before this day as new; blank: the day as of "
        "which prices are used.", default=None, group=DECISIONS)

    @model_validator(mode="after")
    def _old_before_new(self) -> Self:
        if self.price_from is not None and self.price_to is not None and self.price_from >= self.price_to:
            raise ValueError(f"price_from: found {self.price_from}, allowed a day before price_to, {self.price_to}")
        return self
