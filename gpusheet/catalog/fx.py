"""What a foreign currency is worth: typed by the user, with date and source."""

from __future__ import annotations

from gpusheet.catalog.schema import CURRENCY, Day, Row, column
from gpusheet.units import Rate, Text


class Fx(Row):
    """One exchange rate: budget units for one unit of `currency`.

    >>> Fx(currency="USD", budget_currency="CNY", rate=7.1, rate_date="2026-10-27", source="bank, middle rate").rate
    7.1
    """

    currency: Text = column("Currency", "币种", "Currency in which a price is quoted.", form=CURRENCY)
    budget_currency: Text = column("Budget currency", "预算币种", "Currency of the budget.", form=CURRENCY)
    rate: Rate = column("Rate", "汇率", "Budget units for one unit of the currency.", gt=0)
    rate_date: Day = column("Rate date", "汇率日期", "Day of the rate.")
    source: Text = column("Source", "来源", "Who quoted the rate.")
