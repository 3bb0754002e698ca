"""The sheets that are made from a finished budget: scenarios, sensitivity and the decisions, a file for each."""

from __future__ import annotations

from collections.abc import Callable

from gpusheet.workbook.results.commitments import put_commitments
from gpusheet.workbook.results.outcomes import put_outcomes
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.results.price_bridge import put_price_bridge
from gpusheet.workbook.results.quotes import put_quotes
from gpusheet.workbook.results.register import put_register
from gpusheet.workbook.results.sensitivity import put_sensitivity
from gpusheet.workbook.results.spend import put_spend
from gpusheet.workbook.results.variance import put_variance

# in the order in which they are made: one may read what an earlier one noted in `Parts.rows`
RESULTS: tuple[Callable[[Parts], None], ...] = (
    put_outcomes, put_sensitivity, put_register, put_quotes, put_spend, put_commitments, put_price_bridge, put_variance,
)  # fmt: skip
