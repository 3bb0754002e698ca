"""The sheets that are made from a finished budget: scenarios, sensitivity and the decisions, a file for each."""

from __future__ import annotations

from collections.abc import Callable

from gpusheet.workbook.results.growth import put_growth
from gpusheet.workbook.results.months import put_months
from gpusheet.workbook.results.outcomes import put_outcomes
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.results.periods import put_periods
from gpusheet.workbook.results.ranges import put_ranges
from gpusheet.workbook.results.risk import put_risk
from gpusheet.workbook.results.sensitivity import put_sensitivity

# in the order in which they are made: one may read what an earlier one noted in `Parts.rows`
RESULTS: tuple[Callable[[Parts], None], ...] = (put_outcomes, put_sensitivity, put_months, put_growth, put_periods, put_ranges, put_risk)
