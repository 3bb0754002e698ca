"""What the first year may cost: drivers drawn at random within their usual ranges, cost by the rules, many times over.

A driver moves all workloads alike in one draw, so nothing evens out between them: the prudent way round. How a scenario
may change a driver is its range where scenarios do; else it is the usual range of the driver's own field. Both are
widened to hold the value used, which is the likeliest: the distribution is triangular.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gpusheet.calendar import LINES, MONTH_INPUTS, Line, by_month
from gpusheet.catalog import Assumptions, Column, columns
from gpusheet.catalog.planning import Scenario
from gpusheet.decisions.drivers import DRIVERS, Driver
from gpusheet.errors import GpusheetError
from gpusheet.lookup import LookUp, frame
from gpusheet.scenario import VARIED
from gpusheet.solver import solve
from gpusheet.wiring import quantities

FEWEST, MOST = 100, 1_000_000
BLOCK = 20_000  # draws that are solved at once
BINS = 20
YEAR = 12  # months
QUANTILES = (0.1, 0.5, 0.9)
# drivers that scenarios change, and the column of Scenarios that does it; prices drift
CHANGED = {"requests": "requests_factor", "peak": "peak_change", "growth": "growth_change", "input": "tokens_factor",
           "output": "tokens_factor", "discount": "discount_change"}  # fmt: skip
PRICE = "price_drift"
_SCENARIO = {c.name: c for c in columns(Scenario)}
_ASSUMED = {c.name: c for c in columns(Assumptions)}
_BY_MONTH = {line.name: line for line in LINES} | {name: Line(name, name) for line in LINES for name in line.inline}


@dataclass(frozen=True)
class Contribution:
    """What a driver has to do with the cost."""

    driver: Driver
    column: Column  # whose usual range it was drawn from
    correlation: float  # of ranks
    share: float  # of all squared correlations


@dataclass(frozen=True)
class Draw:
    """A distribution of the year's cost, of cards and other costs without the reserve."""

    draws: int
    seed: int
    months: int
    base: float  # what the budget says
    demand: float  # of all workloads and months, as their methods count it: by this and the next a change of inputs shows
    capacity: float  # of a replica of each workload
    reserve: float  # the contingency on it
    failed: int  # draws in which no number of cards would do
    mean: float
    deviation: float
    lowest: float
    highest: float
    quantiles: tuple[float, ...]
    above_base: float  # share of draws that cost more than the budget
    above_budget: float  # the same with the reserve
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    drivers: tuple[Contribution, ...]  # the largest share first


def draw_year(
    found: Sequence[LookUp], season: Sequence[float], other: float, contingency_rate: float, draws: int, seed: int = 1
) -> Draw:
    """The cost of the first twelve months, or of fewer where the budget has fewer, drawn so often.

    `season` has the factor of each month of the budget, `other` is what costs more than cards in the year, all together.
    """
    import numpy

    if not FEWEST <= draws <= MOST:
        raise GpusheetError(f"draws: found {draws}, allowed {FEWEST} to {MOST:,}")
    if seed < 0:
        raise GpusheetError(f"seed: found {seed}, allowed a whole number at least 0")
    cards, demand, capacity = _budgeted(found, season)
    season = season[:YEAR]
    base = cards + other
    random = numpy.random.default_rng(seed)
    quantile, cost = numpy.empty((draws, len(DRIVERS))), numpy.empty(draws)
    for start in range(0, draws, BLOCK):
        part = slice(start, min(start + BLOCK, draws))
        quantile[part] = random.random((part.stop - start, len(DRIVERS)))
        cost[part] = costs(found, season, quantile[part]) + other
    known = ~numpy.isnan(cost)
    if not known.any():
        raise GpusheetError("draws: in none of them a number of cards would do; widen the memory or the targets")
    kept = cost[known]
    counts, edges = numpy.histogram(kept, BINS)
    reserve = base * contingency_rate
    return Draw(
        draws, seed, len(season), base, demand, capacity, reserve, int((~known).sum()), float(kept.mean()), float(kept.std()),
        float(kept.min()), float(kept.max()), tuple(numpy.quantile(kept, QUANTILES).tolist()), float((kept > base).mean()),
        float((kept > base + reserve).mean()), tuple(edges.tolist()), tuple(counts.tolist()), _shares(quantile[known], kept),
    )  # fmt: skip


def costs(found: Sequence[LookUp], season: Sequence[float], quantile: Any) -> Any:
    """Cost of cards over the months, a number per draw; `quantile` has a column per driver, from 0 to 1."""
    import numpy

    total = numpy.zeros(len(quantile))
    with numpy.errstate(all="ignore"):
        for one in found:
            total += _cost(one, season, quantile)
    return total


def moved(one: LookUp, quantile: Any) -> dict[str, Any]:
    """The quantities of a workload that the drivers move, each with a value per draw."""
    values: dict[str, Any] = {}
    for number, driver in enumerate(DRIVERS):
        drawn = quantile[:, number]
        for name, column in drawn_from(driver).items():
            used = one.values.get(name)
            if used is None or used != used:
                continue
            if driver.name in CHANGED:
                varied = VARIED[name]
                neutral = float(column.default)
                change = triangular(drawn, column, neutral)
                values[name] = varied.rule(**{varied.own: used, varied.change: change})
            else:
                faster = driver.moves.get(name) == "shocked_speed"  # where less time is allowed
                values[name] = triangular(1 - drawn if faster else drawn, column, used)
    return values


def drawn_from(driver: Driver) -> Mapping[str, Column]:
    """The quantities of a driver, each with the column whose usual range it is drawn from.

    >>> {name: (c.name, c.low, c.high) for name, c in drawn_from(DRIVERS[1]).items()}
    {'peak_factor': ('peak_change', 0.8, 1.5)}
    """
    if driver.name == "price":
        return {PRICE: _SCENARIO[PRICE]}
    if driver.name in CHANGED:
        return dict.fromkeys(driver.moves, _SCENARIO[CHANGED[driver.name]])
    fields = {name: _ASSUMED[name] for name in driver.moves if name in _ASSUMED}
    return {name: field for name, field in fields.items() if field.low is not None and field.high is not None}


def triangular(quantile: Any, column: Column, likeliest: float) -> Any:
    """Values of the triangular distribution over a column's usual range, widened to hold the likeliest value.

    >>> import numpy
    >>> triangular(numpy.array([0, 0.5, 1]), _SCENARIO["requests_factor"], 1).round(4).tolist()
    [0.5, 1.134, 2.0]
    """
    import numpy

    assert column.low is not None and column.high is not None
    low, high = min(column.low, likeliest), max(column.high, likeliest)
    span, below = high - low, likeliest - low
    left = low + numpy.sqrt(quantile * span * below)
    right = high - numpy.sqrt((1 - quantile) * span * (high - likeliest))
    return numpy.where(quantile * span < below, left, right)


def _cost(one: LookUp, season: Sequence[float], quantile: Any) -> Any:
    """What a workload costs over the months, a number per draw."""
    import numpy

    given = {name: value for name, value in one.values.items() if value is not None} | moved(one, quantile)
    solved = solve(given, only=_sizing())
    values: dict[str, Any] = {name: value[:, None] for name, value in solved.items()}
    values["tiers"] = one.values["tiers"]
    values["month"] = numpy.arange(1.0, len(season) + 1)[None, :]
    values["season_factor"] = numpy.asarray(season, dtype=float)[None, :]

    def value(name: str) -> Any:
        if name not in values:
            line = _BY_MONTH[name]
            needs = {parameter: line.wiring.get(need, need) for parameter, need in line.rule.needs.items()}
            values[name] = line.rule(**{parameter: value(need) for parameter, need in needs.items()})
        return values[name]

    return value("month_cost").sum(axis=1)


def _sizing() -> tuple[str, ...]:
    """The quantities of a workload that its months are computed from."""
    wanted = {line.wiring.get(need, need) for line in _BY_MONTH.values() for need in line.rule.needs.values()}
    return tuple(sorted((wanted & set(quantities())) - {*_BY_MONTH, *MONTH_INPUTS, "tiers"}))


def _budgeted(found: Sequence[LookUp], season: Sequence[float]) -> tuple[float, float, float]:
    """What cards cost in the year, with demand in all months and capacity; refused where the cost is not known."""
    if not found:
        raise GpusheetError("workloads: found none, allowed at least one; fill in Workloads first")
    stated = {one.chosen.price.tax for one in found if one.chosen.price}
    if {"included", "excluded"} <= stated:
        raise GpusheetError("prices: found some with and some without tax, allowed one of both; use prices of one tax basis")
    table = by_month(found, len(season), season)
    lacking = table.loc[table["month_cost"].isna(), "workload_number"].unique()
    if len(lacking):
        one = found[int(lacking[0]) - 1]
        more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
        why = "; ".join(one.missing) or "no number of cards would do"
        raise GpusheetError(f"workload {one.workload.workload!r}{more}: its cost is missing ({why}); mend that before drawing")
    capacity = solve(frame(found), only=["replica_capacity"], tiers=found[0].values["tiers"])["replica_capacity"]
    year = table["month"] <= YEAR
    return float(table.loc[year, "month_cost"].sum()), float(table["month_demand"].sum()), float(capacity.sum())


def _shares(quantile: Any, cost: Any) -> tuple[Contribution, ...]:
    """How much each driver has to do with the cost: rank correlations, squared and put in proportion."""
    import numpy
    import pandas

    ranks = pandas.Series(cost).rank().to_numpy()
    found = []
    for number, driver in enumerate(DRIVERS):
        drawn = pandas.Series(quantile[:, number]).rank().to_numpy()
        both = numpy.corrcoef(drawn, ranks)[0, 1] if numpy.ptp(ranks) > 0 else 0.0
        column = next(iter(drawn_from(driver).values()))
        found.append(Contribution(driver, column, float(both), float(both) ** 2))
    whole = math.fsum(one.share for one in found) or 1.0
    found = [replace(one, share=one.share / whole) for one in found]
    return tuple(sorted(found, key=lambda one: -one.share))
