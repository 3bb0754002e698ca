"""Books with planning tables filled in, what they were made from, and their values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from filled_plans import drawn, filled

from gpusheet.calendar import by_month
from gpusheet.catalog import Assumptions
from gpusheet.lookup import look_up
from gpusheet.workbook.book import Built, build
from gpusheet.workbook.cached import write_with_values
from gpusheet.workbook.evaluate import Values
from gpusheet.workbook.inputs import Inputs

MONTHS = 14
RESERVE = Assumptions(contingency_rate=0.1, fiscal_year_start=4)
CASES: dict[str, Callable[[], Inputs]] = {
    "filled-en": filled,
    "filled-zh": lambda: filled("zh"),
    "filled-no-earlier": lambda: filled(earlier=False),
    "drawn-priced": lambda: replace(drawn(5, 12), assumptions=RESERVE),
    "drawn-priced-no-earlier": lambda: drawn(8, 7, earlier=False),
    "drawn-gaps": lambda: replace(drawn(6, 12, complete=False), assumptions=RESERVE),
    "drawn-gaps-no-earlier": lambda: drawn(7, 9, complete=False, earlier=False),
}


@dataclass(frozen=True)
class Planned:
    """A book with planning tables, what it was made from, and its values."""

    inputs: Inputs
    built: Built
    values: Values
    path: Path

    @property
    def found(self) -> list[Any]:
        return [look_up(workload, self.inputs.context) for workload in self.inputs.workloads]

    @property
    def season(self) -> list[float]:
        start = self.inputs.settings.budget_start
        factors = {row.calendar_month: row.season_factor for row in self.inputs.catalog.seasons}
        return [factors[(start.month - 1 + offset) % 12 + 1] for offset in range(MONTHS)]

    def grid(self, line: str) -> Any:
        """A line of the calendar: a row per workload, a column per month."""
        return by_month(self.found, MONTHS, self.season)[line].to_numpy().reshape(len(self.inputs.workloads), MONTHS)


def planned(inputs: Inputs, path: Path, lang: str = "en") -> Planned:
    built = build(inputs, lang, MONTHS, spare=3)
    return Planned(inputs, built, write_with_values(built.book, path), path)
