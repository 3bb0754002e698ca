"""Budgets on which the sheets of the year (Growth, Periods, Ranges, Risk) are tried, each built and calculated once."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from lean_inputs import lean
from openpyxl.utils import get_column_letter
from parity import Expected
from parity import random_inputs as drawn_inputs

from gpusheet.calendar import LINES
from gpusheet.catalog import Assumptions, Fx, Tier
from gpusheet.catalog.planning import Plans
from gpusheet.decisions.growth import with_wall
from gpusheet.decisions.periods import months_from
from gpusheet.lookup import LookUp, look_up
from gpusheet.workbook.book import Built, build
from gpusheet.workbook.evaluate import Values, evaluate
from gpusheet.workbook.inputs import Inputs, sample

FX = tuple(
    Fx(currency=currency, budget_currency=budget, rate=rate, rate_date="2026-10-30", source="drawn")
    for currency, budget, rate in (("USD", "CNY", 7.1), ("HKD", "CNY", 0.9), ("JPY", "USD", 0.0065), ("EUR", "CNY", 7.7),
                                   ("HKD", "CNY", 0.91))
)  # fmt: skip
NAMES = ("IT", "it", "Team *", "Team A", "R?D", "R&D", None, "~x", "<5", "=A")  # wildcards, conditions, case


def random_inputs(seed: int, count: int, **how: Any) -> Inputs:
    """Random workloads in the scenarios that a new book has."""
    return replace(drawn_inputs(seed, count, **how), plans=Plans.builtin("en"))


def _dressed(inputs: Inputs, **assumed: Any) -> Inputs:
    """With cost centres and projects that are awkward to look up, several rates, and assumptions."""
    workloads = [row.model_copy(update={"cost_centre": NAMES[number % len(NAMES)], "project": NAMES[number * 7 % len(NAMES)]})
                 for number, row in enumerate(inputs.workloads)]  # fmt: skip
    catalog = replace(inputs.catalog, fx=FX)
    return replace(inputs, workloads=workloads, catalog=catalog, assumptions=Assumptions(contingency_rate=0.1, **assumed))


def _unnamed(inputs: Inputs) -> Inputs:
    """Looked at is the first workload, whatever its name."""
    return replace(inputs, settings=inputs.settings.model_copy(update={"looked_at": None}))


def _serving() -> Inputs:
    """The sample twice, without tax unstated; some by the method that has ranges, some of these with typed cards."""
    inputs = lean(sample("en"))
    prices = tuple(row.model_copy(update={"tax": "included"}) for row in inputs.catalog.prices)
    workloads = []
    for number, row in enumerate([*inputs.workloads, *inputs.workloads]):
        update: dict[str, Any] = {"workload": f"{row.workload} {number}", "owned_cards": float(number % 3)}
        update["start_month"] = 1.0 + number % 4
        if row.model in ("Generic-7B", "Generic-32B") and row.input_tokens < 10000:
            update |= {"sizing_method": "serving", "requests_per_day": 40000.0 * (1 + number), "peak_concurrency": None}
        if number % 5 == 4:
            update |= {"fixed_cards": 3.0, "override_reason": "load test"}
        workloads.append(row.model_copy(update=update))
    return replace(_unnamed(inputs), workloads=workloads, catalog=replace(inputs.catalog, prices=prices))


def _tiered(inputs: Inputs) -> Inputs:
    """Other tiers than ours, and workloads that go through many of them."""
    tiers = tuple(Tier(tier=tier) for tier in (0, 1, 3, 6, 10, 16))
    workloads = [row.model_copy(update={"sizing_method": "constraint", "fixed_cards": None, "end_month": None, "cards": 1.0,
                                        "monthly_growth": 0.02 * number}) for number, row in enumerate(inputs.workloads)]  # fmt: skip
    return replace(inputs, workloads=workloads, catalog=replace(inputs.catalog, tiers=tiers))


BOOKS: dict[str, tuple[Callable[[], Inputs], int]] = {
    "sample-en": (lambda: lean(sample("en")), 12),
    "sample-zh": (lambda: lean(sample("zh")), 20),
    "gaps": (lambda: _dressed(random_inputs(11, 30), fiscal_year_start=7, lead_time_days=45), 26),
    "whole": (lambda: _dressed(_serving(), fiscal_year_start=4), 31),
    "tiers": (lambda: _tiered(_dressed(random_inputs(13, 9, complete=True, tax="excluded"))), 60),
    "one": (lambda: random_inputs(3, 1), 1),
    "none": (lambda: replace(_unnamed(lean(sample("en"))), workloads=()), 3),
}


@dataclass(frozen=True)
class Case:
    inputs: Inputs
    lang: str
    months: int
    built: Built
    values: Values

    @cached_property
    def found(self) -> list[LookUp]:
        return [look_up(workload, self.inputs.context) for workload in self.inputs.workloads]

    @cached_property
    def days(self) -> list[datetime.date]:
        return months_from(self.inputs.settings.budget_start, self.months)

    @cached_property
    def season(self) -> list[float]:
        factors = {row.calendar_month: row.season_factor for row in self.inputs.catalog.seasons}
        return [factors[day.month] for day in self.days]

    @cached_property
    def lines(self) -> dict[str, Any]:
        """Every line of the months, tier wall and all, by workload and month."""
        table = with_wall(self.found, self.months, self.season)
        names = [line.name for line in LINES] + ["theory_cards", "tier_wall_cost"]
        return {name: table[name].to_numpy().reshape(len(self.found), self.months) for name in names}

    @property
    def run_rate(self) -> int:
        return int(min(self.inputs.settings.run_rate_month or self.months, self.months))

    @cached_property
    def taxes_mixed(self) -> bool:
        return {"included", "excluded"} <= {one.chosen.price.tax for one in self.found if one.chosen.price}

    @property
    def blocked(self) -> str:
        """What a total shows that is blocked."""
        return "待补全" if self.lang == "zh" else "blocked"

    def say(self, en: str, zh: str) -> str:
        return zh if self.lang == "zh" else en


def calculated(inputs: Inputs, lang: str, months: int, change: Callable[[Built], None] | None = None, **more: Any) -> Case:
    """A budget with its values, after a change of its cells."""
    built = build(inputs, lang, months, spare=2, **more)
    if change is not None:
        change(built)
    return Case(inputs, lang, months, built, evaluate(built.book))


@cache
def case(name: str) -> Case:
    make, months = BOOKS[name]
    return calculated(make(), name.removeprefix("sample-") if name.startswith("sample-") else "en", months)


def row_of(sheet: str, row: int, first: int, values: Any) -> Iterator[tuple[tuple[str, str], Any]]:
    """Cells of a row from a column on, as `parity.disagreements` takes them."""
    for offset, value in enumerate(values):
        yield (sheet, f"{get_column_letter(first + offset)}{row}"), value


def missing(value: Any) -> bool:
    return bool(value != value)


def poisoned(built: Built, sheet: str, cell: str) -> None:
    """A formula whose value is off by a little."""
    of: Any = built.book[sheet][cell]
    of.value = f"=N({of.value[1:]})*1.00001+1E-5"


__all__ = ["BOOKS", "Case", "Expected", "calculated", "case", "missing", "poisoned", "row_of"]
