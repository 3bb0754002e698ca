"""The budget by fiscal quarter and year, by group of workloads, without and with tax, and in other currencies."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence

from gpusheet.catalog import Fx, Workload
from gpusheet.lookup import LookUp
from gpusheet.ops import NAN
from gpusheet.registry import find_rule

GROUPS = ("cost_centre", "project", "environment")  # columns of Workloads by which costs are rolled up
UNSTATED = "unstated"


def months_from(start: datetime.date, months: int) -> list[datetime.date]:
    """The first days of the months of a budget.

    >>> [str(day) for day in months_from(datetime.date(2026, 12, 1), 2)]
    ['2026-12-01', '2027-01-01']
    """
    counted = (start.year * 12 + start.month - 1 + offset for offset in range(months))
    return [datetime.date(month // 12, month % 12 + 1, 1) for month in counted]


def fiscal_year(day: datetime.date, fiscal_year_start: float) -> int:
    """The fiscal year of a month, named after the calendar year in which it ends.

    >>> fiscal_year(datetime.date(2027, 3, 1), 4), fiscal_year(datetime.date(2027, 4, 1), 4)
    (2027, 2028)
    """
    return day.year + (day.month >= fiscal_year_start > 1)


def quarters(start: datetime.date, months: int, fiscal_year_start: float) -> list[tuple[int, str]]:
    """The fiscal quarter of each budget month: its number from the first one on, and its name.

    >>> quarters(datetime.date(2027, 3, 1), 2, 4)
    [(1, 'FY2027 Q4'), (2, 'FY2028 Q1')]
    """
    offset = find_rule("quarter_offset")(start.month, fiscal_year_start)
    found = []
    for number, day in enumerate(months_from(start, months), 1):
        quarter = find_rule("fiscal_quarter")(day.month, fiscal_year_start)
        name = f"FY{fiscal_year(day, fiscal_year_start)} Q{quarter:.0f}"
        found.append((int(find_rule("budget_quarter")(number, offset)), name))
    return found


def grouped(workloads: Sequence[Workload], name: str) -> list[tuple[str, list[int]]]:
    """The workloads of each group, by their places: groups as they first come; spreadsheets compare texts without case.

    >>> rows = [Workload(workload=w, project=p, gpu="L20", model="Generic-7B", input_tokens=1, output_tokens=1)
    ...         for w, p in (("a", "X"), ("b", None), ("c", "x"))]
    >>> grouped(rows, "project")
    [('X', [0, 2]), ('', [1])]
    """
    found: dict[str, tuple[str, list[int]]] = {}
    for place, workload in enumerate(workloads):
        text = getattr(workload, name) or ""
        found.setdefault(text.casefold(), (text, []))[1].append(place)
    return list(found.values())


def tax_basis(found: Iterable[LookUp]) -> str:
    """The tax basis that all prices of a budget state; `unstated` where one does not say, or they differ."""
    stated = {one.chosen.price.tax for one in found if one.chosen.price}
    return stated.pop() if len(stated) == 1 else UNSTATED


def other_currencies(fx: Iterable[Fx], budget_currency: str) -> list[tuple[str, float]]:
    """Every quoted currency with its rate into the budget's; NaN where more than one is typed."""
    rates = [(row.currency, row.rate) for row in fx if row.budget_currency == budget_currency]
    named = [name for name, _ in rates]
    return [(name, rate if named.count(name) == 1 else NAN) for name, rate in rates]
