"""What a person typed differently in two budgets: settings, assumptions, rows of tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from gpusheet.catalog import Row, columns
from gpusheet.catalog.planning import PLANNING
from gpusheet.workbook.inputs import Inputs

# table -> its field of the catalog, and the columns that name a row
CATALOG: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "GPUs": ("gpus", ("gpu",)), "Models": ("models", ("model",)),
    "Precisions": ("precisions", ("precision",)), "Distributions": ("distributions", ("distribution",)),
    "CardTiers": ("tiers", ("tier",)), "Seasons": ("seasons", ("calendar_month",)),
    "Prices": ("prices", ("snapshot_date", "price_list", "listing", "gpu", "pricing_model", "period")),
    "FX": ("fx", ("currency", "budget_currency")), "Engines": ("engines", ("engine",)),
    "Generations": ("generations", ("generation",)),
}  # fmt: skip
WORKLOADS, COSTS = ("workload",), ("item",)
NAMED_BY_PLACE = ("scenario", "notes")  # of scenarios, which are called otherwise in another language


@dataclass(frozen=True)
class Change:
    """One difference. `field` is empty where a whole row was added (`old` None) or removed (`new` None)."""

    table: str
    row: str
    field: str
    old: Any
    new: Any

    @property
    def kind(self) -> str:
        if self.field:
            return "changed"
        return "added" if self.old is None else "removed"


def changes(a: Inputs, b: Inputs) -> list[Change]:
    """Every typed difference, in the order of the sheets.

    >>> from dataclasses import replace
    >>> from gpusheet.workbook.inputs import sample
    >>> old = sample()
    >>> new = replace(old, assumptions=old.assumptions.model_copy(update={"safety": 0.6}))
    >>> [(one.table, one.field, one.new) for one in changes(old, new)]
    [('Assumptions', 'safety', 0.6)]
    """
    return [
        *_rows("Workloads", a.workloads, b.workloads, WORKLOADS),
        *(Change("Settings", "", *one) for one in _fields(a.settings, b.settings)),
        *(Change("Assumptions", "", *one) for one in _fields(a.assumptions, b.assumptions)),
        *_rows("OtherCosts", a.other_costs, b.other_costs, COSTS),
        *(one for table, (field, key) in CATALOG.items()
          for one in _rows(table, getattr(a.catalog, field), getattr(b.catalog, field), key)),
        *_scenarios(a, b),
        *_rows("Contracts", a.plans.contracts, b.plans.contracts, PLANNING["Contracts"][2]),
    ]  # fmt: skip


def _scenarios(a: Inputs, b: Inputs) -> Iterator[Change]:
    for old, new in zip_longest(a.plans.scenarios, b.plans.scenarios):
        if old is None or new is None:
            yield Change("Scenarios", (old or new).scenario, "", old and old.scenario, new and new.scenario)
        else:
            yield from (Change("Scenarios", new.scenario, *one) for one in _fields(old, new, NAMED_BY_PLACE))


def _fields(a: Row, b: Row, but: Sequence[str] = ()) -> Iterator[tuple[str, Any, Any]]:
    for column in columns(type(a)):
        old, new = getattr(a, column.name), getattr(b, column.name)
        if column.name not in but and old != new:
            yield column.name, old, new


def keyed(rows: Sequence[Any], key: Sequence[str]) -> dict[tuple[Any, ...], Any]:
    """Rows by their names; of rows with one name the second and later ones get a number."""
    seen: Counter[tuple[Any, ...]] = Counter()
    found = {}
    for row in rows:
        name = tuple(getattr(row, column) for column in key)
        seen[name] += 1
        found[(*name, seen[name]) if seen[name] > 1 else name] = row
    return found


def _rows(table: str, a: Sequence[Any], b: Sequence[Any], key: Sequence[str]) -> Iterator[Change]:
    old, new = keyed(a, key), keyed(b, key)
    for name in dict.fromkeys((*old, *new)):
        shown = " | ".join(f"{part:g}" if isinstance(part, float) else str(part) for part in name if part is not None)
        if name not in new:
            yield Change(table, shown, "", shown, None)
        elif name not in old:
            yield Change(table, shown, "", None, shown)
        else:
            for field, before, after in _fields(old[name], new[name], key):
                yield Change(table, shown, field, before, after)
