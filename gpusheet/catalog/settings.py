"""What a budget is about: its name, dates and money."""

from __future__ import annotations

from gpusheet.catalog.schema import CURRENCY, Day, Row, column
from gpusheet.units import Number, Text

CURRENCY_DEFAULT = "CNY"


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
