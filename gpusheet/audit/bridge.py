"""From the cost of one budget to that of another, one group of changes at a time.

Each step solves the budget anew with one more group of inputs taken from the new book, so that the steps add up to the
whole change. What a step costs depends on what was changed before it: the groups go in the order of `STEPS`, and beside
each stands what it would be as the first and as the last one.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from gpusheet.audit.changes import CATALOG, WORKLOADS, Change, changes, keyed
from gpusheet.audit.registry import Words
from gpusheet.calendar import by_month
from gpusheet.catalog import Assumptions, Catalog, Workload, columns
from gpusheet.catalog.settings import DECISIONS
from gpusheet.errors import GpusheetError
from gpusheet.lookup import look_up
from gpusheet.workbook.inputs import Inputs

YEAR = 12  # months that are compared, at most
# tables whose rows are no facts of cards, models and engines -> their step
TABLE_STEPS = {"OtherCosts": "others", "Seasons": "calendar", "Prices": "prices", "FX": "fx", "Scenarios": "scenario",
               "Contracts": "contracts"}  # fmt: skip
PRICE_SETTINGS = ("as_of", "prepared_on")
_WORKLOAD_STEPS = {"demand": "demand", "lengths": "lengths", "hardware": "hardware", "method": "method",
                   "serving": "method", "overrides": "overrides", "money": "terms", "identity": "text", "notes": "text"}  # fmt: skip
_ASSUMPTION_STEPS = {
    "demand": "assumed_demand", "memory": "assumed_speed", "throughput": "assumed_speed", "serving": "assumed_speed",
    "cards": "assumed_cards", "money": "assumed_money", "ownership": "text", "checks": "text",
    DECISIONS: "text",
}  # fmt: skip

# the groups of changes, in the order in which they are taken over: volume, method, terms, prices
STEPS: Mapping[str, Words] = {
    "calendar": Words("Calendar: first month, months, seasons", "日历:起始月、月数、季节系数"),
    "removed": Words("Workloads removed", "移除的业务"),
    "added": Words("Workloads added", "新增的业务"),
    "demand": Words("Demand of workloads", "业务需求"),
    "lengths": Words("Token lengths of workloads", "业务 token 长度"),
    "hardware": Words("Cards, models and precision of workloads", "业务的卡型、模型与精度"),
    "method": Words("Method and targets of workloads", "业务的测算方法与目标"),
    "overrides": Words("Typed overrides of workloads", "业务的手填覆盖值"),
    "assumed_demand": Words("Assumptions: demand", "假设:需求"),
    "assumed_speed": Words("Assumptions: memory and throughput", "假设:显存与吞吐"),
    "assumed_cards": Words("Assumptions: cards and safety", "假设:卡数与安全系数"),
    "facts": Words("Facts of cards and models, small tables", "卡型与模型参数、小表"),
    "scenario": Words("Scenario that drives the book", "驱动全表的情景"),
    "terms": Words("Terms of workloads: price list, discount, owned cards", "业务的计费条款"),
    "assumed_money": Words("Assumptions: money", "假设:费用"),
    "contracts": Words("Contracts: agreed discounts", "合同:协议折扣"),
    "prices": Words("Prices and their date", "价格与价格日期"),
    "fx": Words("Exchange rates", "汇率"),
    "others": Words("Costs other than cards", "非 GPU 费用"),
}  # fmt: skip


@dataclass(frozen=True)
class Cost:
    """What the year costs. Workloads without a cost count nothing and are named."""

    total: float
    by_workload: Mapping[str, float]
    others: float
    contingency: float
    without: tuple[str, ...] = ()
    mixed_tax: bool = False  # prices with and without tax: the sheet blocks its total


@dataclass(frozen=True)
class Step:
    """A group of changes, what it does to the cost in its turn, and what it would do as the first or the last."""

    key: str
    changes: tuple[Change, ...]
    effect: float
    first: float
    last: float
    by_workload: Mapping[str, float] = field(default_factory=dict)

    @property
    def title(self) -> Words:
        return STEPS[self.key]


@dataclass(frozen=True)
class Bridge:
    """The costs of both years, and the steps between them, which add up to the difference."""

    old: Cost
    new: Cost
    currency: str
    months: tuple[int, int]
    steps: tuple[Step, ...]

    @property
    def change(self) -> float:
        return self.new.total - self.old.total


def year_cost(inputs: Inputs, months: int) -> Cost:
    """The cost of the budget's first months, a year at most, as the sheet Budget has it.

    >>> from gpusheet.workbook.inputs import sample
    >>> round(year_cost(sample(), 12).total)
    1138528
    """
    months = min(months, YEAR)
    start = inputs.settings.budget_start
    season = {int(row.calendar_month): row.season_factor for row in inputs.catalog.seasons}
    factors = [season.get((start.month - 1 + offset) % 12 + 1, math.nan) for offset in range(months)]
    found = [look_up(workload, inputs.context) for workload in inputs.workloads]
    sums: dict[str, float] = {}
    if found:
        grid = by_month(found, months, factors)["month_cost"].to_numpy().reshape(len(found), months)
        sums = {one.workload.workload: float(cost) for one, cost in zip(found, grid.sum(axis=1), strict=True)}
    others = sum(
        cost.amount_per_month
        for cost in inputs.other_costs for month in range(1, months + 1)
        if cost.start_month <= month <= (cost.end_month or months)
    )  # fmt: skip
    known = {name: cost for name, cost in sums.items() if not math.isnan(cost)}
    before = sum(known.values()) + others
    reserve = before * inputs.assumptions.contingency_rate
    taxes = {one.chosen.price.tax for one in found if one.chosen.price}
    without = tuple(name for name in sums if name not in known)
    return Cost(before + reserve, known, others, reserve, without, {"included", "excluded"} <= taxes)


def bridge(a: Inputs, b: Inputs, months: tuple[int, int]) -> Bridge:
    """The steps from budget `a` to budget `b`, which have `months` each."""
    if a.settings.currency != b.settings.currency:
        raise GpusheetError(f"currency: found {a.settings.currency} and {b.settings.currency}; the costs of two currencies "
                            "have no difference; set the budget currency of both books alike")  # fmt: skip
    groups: dict[str, list[Change]] = {}
    for change in changes(a, b):
        groups.setdefault(step_of(change), []).append(change)
    if min(months[0], YEAR) != min(months[1], YEAR):
        groups.setdefault("calendar", []).append(Change("Settings", "", "months", *months))
    keys = [key for key in STEPS if key in groups]

    @cache
    def cost(taken: frozenset[str]) -> Cost:
        return year_cost(mixed(a, b, taken), months["calendar" in taken])

    steps, done = [], frozenset[str]()
    for key in keys:
        before, after = cost(done), cost(done | {key})
        names = dict.fromkeys((*before.by_workload, *after.by_workload))
        moved = {name: after.by_workload.get(name, 0.0) - before.by_workload.get(name, 0.0) for name in names}
        first = cost(frozenset([key])).total - cost(frozenset()).total
        last = cost(frozenset(keys)).total - cost(frozenset(keys) - {key}).total
        done |= {key}
        steps.append(Step(key, tuple(groups[key]), after.total - before.total, first, last,
                          {name: effect for name, effect in moved.items() if effect}))  # fmt: skip
    return Bridge(cost(frozenset()), cost(frozenset(keys)), a.settings.currency, months, tuple(steps))


def step_of(change: Change) -> str:
    """The group that a change belongs to; 'text' for what costs nothing."""
    if change.table == "Workloads":
        return change.kind if not change.field else _WORKLOAD_STEPS[_group(Workload)[change.field]]
    if change.table == "Assumptions":
        return _ASSUMPTION_STEPS[_group(Assumptions)[change.field]]
    if change.table == "Settings":
        return {"budget_start": "calendar", "scenario": "scenario", **dict.fromkeys(PRICE_SETTINGS, "prices")}.get(change.field, "text")
    return TABLE_STEPS.get(change.table, "facts")


@cache
def _group(row_type: Any) -> Mapping[str, str]:
    return {column.name: str(column.group) for column in columns(row_type)}


def mixed(a: Inputs, b: Inputs, taken: Collection[str]) -> Inputs:
    """The inputs of `a` with the groups `taken` from `b`."""

    def side(step: str) -> Inputs:
        return b if step in taken else a

    settings = {name: getattr(b.settings, name) for name in PRICE_SETTINGS if "prices" in taken}
    if "calendar" in taken:
        settings["budget_start"] = b.settings.budget_start
    if "scenario" in taken:
        settings["scenario"] = b.settings.scenario
    assumptions = {name: getattr(b.assumptions, name) for name, group in _group(Assumptions).items()
                   if _ASSUMPTION_STEPS[group] in taken}  # fmt: skip
    return Inputs(
        settings=a.settings.model_copy(update=settings),
        assumptions=a.assumptions.model_copy(update=assumptions),
        catalog=_catalog(a.catalog, b.catalog, taken),
        workloads=tuple(_workloads(a, b, taken)),
        other_costs=side("others").other_costs,
        plans=replace(a.plans, scenarios=side("scenario").plans.scenarios, contracts=side("contracts").plans.contracts),
    )


def _workloads(a: Inputs, b: Inputs, taken: Collection[str]) -> Iterator[Workload]:
    old, new = keyed(a.workloads, WORKLOADS), keyed(b.workloads, WORKLOADS)
    fields = [name for name, group in _group(Workload).items() if _WORKLOAD_STEPS[group] in taken]
    for name, row in old.items():
        if name in new:
            yield row.model_copy(update={field: getattr(new[name], field) for field in fields})
        elif "removed" not in taken:
            yield row
    if "added" in taken:
        yield from (row for name, row in new.items() if name not in old)


def _catalog(a: Catalog, b: Catalog, taken: Collection[str]) -> Catalog:
    """Tables of one side, and those rows of the other's facts that its workloads may name."""
    tables: dict[str, Sequence[Any]] = {}
    for table, (name, key) in CATALOG.items():
        step = TABLE_STEPS.get(table, "facts")
        mine, theirs = (b, a) if step in taken else (a, b)
        tables[name] = getattr(mine, name)
        if step == "facts" and table != "CardTiers":
            known = {tuple(str(part).casefold() for part in one) for one in keyed(tables[name], key)}
            more = keyed(getattr(theirs, name), key)
            tables[name] = (
                *tables[name],
                *(row for one, row in more.items() if tuple(str(part).casefold() for part in one) not in known),
            )
    return replace(a, **tables)
