"""A workload's cards hour by hour: what its traffic curve makes of the run-rate month, in layers of cards.

A layer is the cards between two needs: the lowest is needed in every hour that needs any, the top in the busiest only.
There are at most as many layers as hours, however many cards there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gpusheet.calendar import LINES, Line, by_month
from gpusheet.catalog import Workload
from gpusheet.decisions.rent_or_buy import BUY, OWNING_LINES, Decision, computed, decide
from gpusheet.errors import UnknownName
from gpusheet.lookup import Context, frame, look_up
from gpusheet.ops import TINY
from gpusheet.solver import solve

WAYS = ("on_demand", "monthly", BUY)  # by the hour, committed by the month, owned; where two cost the same, the earlier

HOUR_LINES = (
    Line("hour_share", "hour_share"),
    Line("hour_qps", "hour_qps"),
    Line("hour_demand", "hour_demand"),
    Line("hour_demand_cards", "month_demand_cards", {"month_demand": "hour_demand"}, title=("Cards for the demand", "需求对应卡数")),
    Line("hour_cards", "hour_cards", title=("Cards needed", "所需卡数")),
    Line("hour_tier", "card_tier", {"cards_needed": "hour_cards"}, title=("Cards billed", "计费卡数")),
    Line("hour_net", "net_cards", {"card_tier": "hour_tier"}, title=("Cards to pay for", "待付费卡数")),
)  # fmt: skip
PEAK_LINES = tuple(Line(name, name) for name in ("curve_peak", "typed_peak", "peak_ratio", "peaks_differ"))
RENT_LINES = (
    Line("layer_on_demand", "layer_by_hour"),
    Line("layer_monthly", "monthly_cost", {"net_cards": "layer_cards", "card_month_price": "committed_price"},
         title=("Committed by the month", "包月")),
)  # fmt: skip


def _reach_lines() -> tuple[Line, ...]:
    """The lines of owning that rest on the number of cards, for all cards up to a layer's `reach`."""
    own = {"fleet_cards": "reach"}
    found = []
    for line in OWNING_LINES:
        needs = [line.wiring.get(name, name) for name in line.rule.needs.values()]
        if own.keys().isdisjoint(needs):
            continue
        own[line.name] = f"reach_{line.name}"
        wiring = {name: own.get(need, need) for name, need in zip(line.rule.needs.values(), needs, strict=True)}
        found.append(replace(line, name=own[line.name], wiring=wiring))
    return tuple(found)


REACH_LINES = _reach_lines()
# what these need of the workload, of its sizing and of its run-rate month
WORKLOAD_FACTS = (
    "requests_per_day", "replica_capacity", "cards", "min_replicas", "fixed_cards", "owned_cards", "committed_cards", "peak_factor",
    "busy_hours", "days_per_month", "month_active", "demand_factor", "month_demand",
)  # fmt: skip


@dataclass(frozen=True)
class Traffic:
    """The hours of a day and the layers of cards; missing is NaN."""

    hours: Mapping[str, Any]  # lines of HOUR_LINES, an array of 24 each
    peaks: Mapping[str, float]
    layers: Mapping[str, Any]  # of each layer, lowest first: its rents, what owning all up to it costs, its way and cost in the mix
    bought: float  # how many of the lowest layers the mix buys
    base: float  # cards that are not rented by the hour
    bills: Mapping[str, float]  # all cards by each way, "rented" by the cheaper rent of each layer, and "mixed"


def traffic(workload: Workload, context: Context, season: Sequence[float], decision: Decision | None = None) -> Traffic | None:
    """The day of a workload in the run-rate month, the last of `season`; None where it names no curve."""
    import numpy

    if workload.traffic_curve is None:
        return None
    named = {one.curve.casefold(): one for one in context.plans.curves}
    curve = named.get(workload.traffic_curve.strip().casefold())
    if curve is None:
        raise UnknownName("traffic_curve", workload.traffic_curve, [one.curve for one in context.plans.curves])
    decision = decision or decide(workload, context, season)
    found = look_up(workload, context)
    month = by_month([found], len(season), season).iloc[-1]
    solved = solve(frame([found]), only=["requests_per_day", "replica_capacity"], tiers=found.values["tiers"]).iloc[0]
    known: dict[str, Any] = {**found.values, **solved.to_dict(), "curve_tolerance": context.assumptions.curve_tolerance}
    known |= {line.name: float(month[line.name]) for line in LINES if line.name in WORKLOAD_FACTS}
    known |= {"hour_weight": numpy.array(curve.weights), "largest_weight": max(curve.weights), "all_weights": sum(curve.weights)}
    hours = _only(HOUR_LINES, known)
    prices = {
        "paid_hour_price": decision.offers["on_demand"]["paid_hour_price"],
        "committed_price": decision.offers["monthly"]["paid_price"],
        "days_per_month": known["days_per_month"],
    }  # fmt: skip
    layers, bought = _layers(hours["hour_net"], {**decision.owning, **prices})
    lacking = 0.0 * float(hours["hour_net"].sum())  # missing where an hour's cards are
    columns = {**{way: f"layer_{way}" for way in WAYS}, "rented": "rent", "mixed": "cost"}
    bills = {way: float(layers[column].sum()) + lacking for way, column in columns.items()}
    committed = float(layers["layer_cards"][numpy.isin(layers["way"], WAYS[1:])].sum())
    return Traffic(hours, _only(PEAK_LINES, known), layers, bought + lacking, committed + 0.0 * bills["mixed"], bills)


def _only(lines: Sequence[Line], known: Mapping[str, Any]) -> dict[str, Any]:
    found = computed(lines, known)
    return {line.name: found[line.name] for line in lines}


def _layers(needs: Any, known: Mapping[str, Any]) -> tuple[dict[str, Any], float]:
    """Each layer's rents; what owning all cards up to it and renting those above costs; and how many it is best to buy.

    Servers, lines and people come with the first card that is bought: so the lowest layers are bought together or not at all.
    """
    import numpy

    reach = numpy.unique(needs[needs > 0])
    hours = (needs >= reach[:, None]).sum(axis=1).astype(float)
    given = {"reach": reach, "layer_cards": numpy.diff(reach, prepend=0.0), "layer_hours": hours}
    layers = computed((*RENT_LINES, *REACH_LINES), {**known, **given})
    hourly, monthly = layers["layer_on_demand"], layers["layer_monthly"]
    rent = layers["rent"] = numpy.fmin(hourly, monthly)
    owned = layers["reach_owned_monthly_cost"] + 0.0 * reach
    layers["layer_purchase"] = numpy.diff(owned, prepend=0.0)  # what it adds to those below
    layers["rent_above"] = numpy.append(rent[::-1].cumsum()[::-1][1:], [0.0] * bool(len(rent)))
    layers["reach_total"] = owned + layers["rent_above"]
    totals = numpy.append(rent.sum(), layers["reach_total"])
    if numpy.isnan(totals).all():
        bought = float("nan")
    else:
        bought = float((totals <= numpy.nanmin(totals) * (1 + TINY)).argmax())
    number = numpy.arange(1, len(reach) + 1)
    rented = numpy.where(hourly <= rent * (1 + TINY), WAYS[0], WAYS[1]).astype(object)
    layers["way"] = numpy.where(number <= bought, BUY, rented if bought == bought else "")
    layers["cost"] = numpy.where(number <= bought, layers["layer_purchase"], rent + 0.0 * bought)
    return layers, bought
