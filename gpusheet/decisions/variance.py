"""Budget against actual: spend placed in the budget's months and workloads, variances, and two forecasts."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gpusheet.catalog import Workload
from gpusheet.catalog.planning import Actual
from gpusheet.lookup import Context, exchange_rate
from gpusheet.ops import NAN
from gpusheet.registry import find_rule


@dataclass(frozen=True)
class Spent:
    """A row of the table Actuals as the budget sees it."""

    row: Actual
    month: int  # of the budget; 0 outside of it
    amount: float  # in the budget currency; missing without a single rate
    workload: int  # number of the workload; 0 where none is named, or one that is not in the budget
    centre: str  # cost centre that is named, else the workload's
    centre_workload: int  # number of the first workload of that cost centre; 0 where there is none


def spent(
    actuals: Sequence[Actual], start: datetime.date, months: int, workloads: Sequence[Workload], context: Context
) -> list[Spent]:
    """Each row of actual spend, placed."""
    names = [one.workload.casefold() for one in workloads]
    centres = [(one.cost_centre or "").casefold() for one in workloads]
    found = []
    for row in actuals:
        month = (row.month.year - start.year) * 12 + row.month.month - start.month + 1
        workload = _number((row.workload or "").casefold(), names)
        centre = row.cost_centre or (workloads[workload - 1].cost_centre if workload else None) or ""
        amount = find_rule("converted_spend")(row.amount, exchange_rate(row.currency, context))
        found.append(Spent(row, month if 1 <= month <= months else 0, amount, workload, centre, _number(centre.casefold(), centres)))
    return found


def _number(name: str, names: Sequence[str]) -> int:
    """The place of a name, counted from 1; 0 where it is not there."""
    return names.index(name) + 1 if name and name in names else 0


def by_month(budget: Sequence[float], rows: Sequence[Spent]) -> Any:
    """The months of the budget with what was spent: a DataFrame; what is to come has no actual.

    `budget` has a total for each month. A month is closed when it has actual spend.
    """
    import pandas

    months = range(1, len(budget) + 1)
    sums = [[one.amount for one in rows if one.month == month] for month in months]
    table = pandas.DataFrame({
        "month": list(months), "closed": [float(bool(one)) for one in sums], "budget": list(map(float, budget)),
        "actual": [sum(one) if one else NAN for one in sums],
    })  # fmt: skip
    closed = table["closed"] == 1
    table["variance"] = find_rule("spend_variance")(table["actual"], table["budget"])
    table["percent"] = find_rule("variance_share")(table["variance"], table["budget"])
    for name in ("budget", "actual", "variance"):
        table[f"{name}_to_date"] = table[name].where(closed, 0).cumsum(skipna=False).where(closed)
    table["percent_to_date"] = find_rule("variance_share")(table["variance_to_date"], table["budget_to_date"])
    taken = table["actual"].where(closed, 0)
    table["remaining"] = find_rule("remaining_budget")(table["closed"], table["budget"])
    table["as_budgeted"] = find_rule("forecast_as_budgeted")(table["closed"], taken, table["budget"])
    table["at_ratio"] = find_rule("forecast_at_ratio")(table["closed"], taken, table["budget"], ratio_to_date(table))
    return table


def ratio_to_date(table: Any) -> float:
    """Actual spend of the closed months against their budget."""
    closed = table.loc[table["closed"] == 1]
    return float(find_rule("spend_ratio")(closed["actual"].sum(skipna=False), closed["budget"].sum(skipna=False)))
