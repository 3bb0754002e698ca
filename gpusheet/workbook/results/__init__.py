"""The sheets that are made from a finished budget: scenarios, sensitivity and the decisions, a file for each."""

from __future__ import annotations

from collections.abc import Callable

from gpusheet.workbook.results.cash_flow import put_cash_flow
from gpusheet.workbook.results.commitments import put_commitments
from gpusheet.workbook.results.compare import put_compare
from gpusheet.workbook.results.growth import put_growth
from gpusheet.workbook.results.months import put_months
from gpusheet.workbook.results.options import put_options
from gpusheet.workbook.results.outcomes import put_outcomes
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.results.periods import put_periods
from gpusheet.workbook.results.price_bridge import put_price_bridge
from gpusheet.workbook.results.quotes import put_quotes
from gpusheet.workbook.results.ranges import put_ranges
from gpusheet.workbook.results.register import put_register
from gpusheet.workbook.results.rent_or_buy import put_rent_or_buy
from gpusheet.workbook.results.risk import put_risk
from gpusheet.workbook.results.sensitivity import put_sensitivity
from gpusheet.workbook.results.spend import put_spend
from gpusheet.workbook.results.traffic import put_traffic
from gpusheet.workbook.results.variance import put_variance

# in the order in which they are made: one may read what an earlier one noted in `Parts.rows`
RESULTS: tuple[Callable[[Parts], None], ...] = (
    put_outcomes, put_sensitivity, put_compare, put_options, put_cash_flow, put_rent_or_buy, put_traffic, put_months,
    put_growth, put_periods, put_ranges, put_register, put_quotes, put_spend, put_commitments, put_price_bridge, put_variance,
    put_risk,
)  # fmt: skip
