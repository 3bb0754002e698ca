"""From workloads to quantities: facts and prices looked up as a workbook looks them up, then solved.

A look-up that finds nothing is missing, never 0, and says why; what depends on it is missing too.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpusheet.catalog import OVERRIDES, Assumptions, Catalog, Fx, Price, Workload, columns
from gpusheet.catalog.planning import NEUTRAL, Contract, Plans, Scenario
from gpusheet.catalog.settings import CURRENCY_DEFAULT
from gpusheet.errors import UnknownName
from gpusheet.ops import NAN
from gpusheet.scenario import METHOD, VARIED, in_scenario
from gpusheet.solver import solve
from gpusheet.wiring import quantities


@dataclass(frozen=True)
class Context:
    """What all workloads of an estimate share."""

    catalog: Catalog = field(default_factory=Catalog.builtin)
    assumptions: Assumptions = field(default_factory=Assumptions)
    as_of: datetime.date | None = None  # None: the newest snapshot
    currency: str = CURRENCY_DEFAULT  # of the budget
    prepared_on: datetime.date | None = None  # what the age of prices is counted to
    scenario: Scenario = NEUTRAL
    plans: Plans = field(default_factory=Plans)  # contracts, whose discounts workloads take
    first_month: datetime.date | None = None  # of the budget, which terms of contracts are counted from; None: no months

    @property
    def price_date(self) -> datetime.date | None:
        """The day as of which prices are asked for."""
        return self.as_of or self.catalog.newest_day


@dataclass(frozen=True)
class Offer:
    """What a price look-up found: how many rows of the newest date answer, and the price where exactly one does."""

    rows: int
    date: datetime.date | None
    price: Price | None
    rate: float  # budget units per unit of the price's currency; NaN where none is known

    @property
    def per_card(self) -> float:
        """Price of a card for its period, in the budget currency; NaN where it is missing."""
        return self.price.price_per_card * self.rate if self.price else NAN


@dataclass(frozen=True)
class LookUp:
    """A workload's inputs, the offers behind its prices, and why what is missing is missing."""

    workload: Workload
    values: Mapping[str, Any]
    on_demand: Offer
    monthly: Offer
    chosen: Offer
    missing: tuple[str, ...]


def look_up(workload: Workload, context: Context) -> LookUp:
    """The inputs of a workload: its own fields, assumptions where it is blank, facts and prices of what it names."""
    filled = workload.filled(context.assumptions)
    contract = context.plans.signed_contract(filled["price_list"])
    term = _term(contract, context.first_month)
    if workload.discount is None and contract is not None and contract.agreed_discount is not None:
        if term:
            term["ending_discount"] = contract.agreed_discount - filled["discount"]
        filled["discount"] = contract.agreed_discount
    catalog = context.catalog
    gpu, model = catalog.find_gpu(workload.gpu), catalog.find_model(workload.model)
    precision = {row.precision: row for row in catalog.precisions}
    distribution = {row.distribution: row for row in catalog.distributions}
    weight = _row(precision, filled["weight_precision"], "weight_precision")
    kv = _row(precision, filled["kv_precision"], "kv_precision")
    length = _row(distribution, filled["length_distribution"], "length_distribution")
    engine = catalog.find_engine(filled["engine"])
    generation = _row({row.generation: row for row in catalog.generations}, gpu.generation, "generation")

    missing: list[str] = []
    on_demand = _offer(filled, gpu.gpu, "on_demand", context)
    monthly = _offer(filled, gpu.gpu, "monthly", context)
    chosen = _offer(filled, gpu.gpu, filled["pricing_model"], context)
    missing += _why_no_price(chosen, filled, gpu.gpu, context)

    known: dict[str, Any] = {
        **dict(context.assumptions), **dict(weight), **dict(length), **dict(engine), **dict(generation), **dict(gpu), **dict(model)
    }
    known |= {name: value for name, value in filled.items() if value is not None or name not in known}
    known["kv_bytes"] = kv.weight_bytes
    known["price_hour"] = on_demand.per_card if on_demand.price and on_demand.price.period == "hour" else NAN
    known["price_month"] = monthly.per_card if monthly.price and monthly.price.period == "month" else NAN
    known["unit_price"] = chosen.per_card
    known |= _of_price(chosen.price, context)
    known |= {"gpu_confidence": gpu.confidence, "model_confidence": model.confidence}
    known["overrides_typed"] = float(overrides_typed(lambda name: getattr(workload, name) is not None))
    known |= {"contract_from": 1.0, "contract_to": 1.0, "ending_discount": 0.0} | term
    known["price_drift"] = context.scenario.price_drift
    known |= in_scenario({name: known.get(name) for name in (*VARIED, METHOD)}, context.scenario)
    known["tiers"] = tuple(row.tier for row in catalog.tiers)
    values = {name: known.get(name) for name in quantities() if name in known}
    return LookUp(workload, values, on_demand, monthly, chosen, tuple(missing))


def _term(contract: Contract | None, first: datetime.date | None) -> dict[str, float]:
    """The first and the last month of the budget that a contract's term has; months are counted from the budget's first."""
    if contract is None or first is None:
        return {}
    start = contract.start_date
    number = 12 * (start.year - first.year) + start.month - first.month + 1
    return {"contract_from": float(number), "contract_to": number + contract.term_months - 1}


def _of_price(price: Price | None, context: Context) -> dict[str, Any]:
    """What else the price that is paid says; all of it missing where there is none."""
    if price is None:
        return dict.fromkeys(("price_period", "price_tax", "price_available", "price_age_days"))
    age = float((context.prepared_on - price.snapshot_date).days) if context.prepared_on else None
    return {
        "price_period": price.period, "price_tax": price.tax, "price_available": price.available, "price_age_days": age,
    }  # fmt: skip


def overrides_typed(given: Callable[[str], Any]) -> Any:
    """How many rules a typed value replaces; requests per day are plain input unless users are given as well.

    `given` says of a field whether it is typed: a flag, or a column of flags.

    >>> overrides_typed(lambda name: name in ("concurrency", "requests_per_day"))
    1
    """
    typed = sum(1 * given(name) for name in OVERRIDES if name != "requests_per_day")
    return typed + 1 * given("requests_per_day") * given("daily_active_users") * given("requests_per_user_per_day")


def _row(rows: Mapping[str, Any], name: Any, what: str) -> Any:
    for key, row in rows.items():
        if key.casefold() == str(name).casefold():
            return row
    raise UnknownName(what, str(name), rows)


def _offer(filled: Mapping[str, Any], gpu: str, pricing_model: str, context: Context) -> Offer:
    """The price of the newest day at or before the as-of date: list, GPU and pricing model alike, listing if named."""
    as_of = context.price_date
    price_list, listing = filled["price_list"], filled["listing"]
    if as_of is None or price_list is None:
        return Offer(0, None, None, NAN)
    catalog = context.catalog
    found = catalog.offers(price_list, gpu, pricing_model, as_of, listing)
    date = found[0].snapshot_date if found else None
    blocked = catalog.unusable(price_list, gpu, pricing_model, as_of, listing)
    price = found[0] if len(found) == 1 and not blocked else None
    return Offer(0 if blocked else len(found), date, price, exchange_rate(price.currency, context) if price else NAN)


def exchange_rate(currency: str, context: Context) -> float:
    """Budget units per unit of a currency: 1 for the budget's own, NaN where no or more than one rate is typed."""
    if currency == context.currency:
        return 1.0
    rates = [row.rate for row in _rates(context.catalog.fx, currency, context.currency)]
    return rates[0] if len(rates) == 1 else NAN


def _rates(fx: Iterable[Fx], currency: str, budget_currency: str) -> list[Fx]:
    return [row for row in fx if row.currency == currency and row.budget_currency == budget_currency]


def _why_no_price(offer: Offer, filled: Mapping[str, Any], gpu: str, context: Context) -> list[str]:
    asked = f"{filled['pricing_model']} price of {gpu} in {filled['price_list']} as of {context.price_date}"
    if filled["price_list"] is None:
        lists = sorted({price.price_list for price in context.catalog.prices if price.gpu == gpu})
        return [f"price_list: blank; name one that has {gpu}: {', '.join(lists) or 'none has'}"]
    as_of, listing = context.price_date, filled["listing"]
    if unusable := context.catalog.unusable(filled["price_list"], gpu, filled["pricing_model"], as_of, listing):
        where = ", ".join(f"{one.place} holds {'a blank' if one.typed is None else repr(one.typed)}" for one in unusable)
        return [f"price: no {asked}, as {where}; type the price there"]
    if offer.rows == 0:
        return [f"price: no {asked}"]
    if offer.rows > 1:
        return [f"price: {offer.rows} rows for the {asked}; name the listing"]
    if offer.price and offer.rate != offer.rate:
        rate = f"{offer.price.currency} to {context.currency}"
        return [f"FX: no single rate from {rate}; type one with its date and source"]
    return []


def estimate(workloads: Iterable[Workload], context: Context | None = None) -> Any:
    """All quantities of the workloads as a DataFrame, a row each; `missing` says why a price is not there.

    >>> bot = Workload(workload="bot", gpu="L20", model="Generic-7B", weight_precision="int8", input_tokens=200,
    ...                output_tokens=300, requests_per_day=80000, peak_factor=4, sizing_method="throughput",
    ...                price_list="gongjiyun")
    >>> estimate([bot])[["cards_needed", "monthly_cost"]].values.tolist()
    [[3.0, 11520.0]]
    """
    import pandas

    found = [look_up(workload, context or Context()) for workload in workloads]
    if found:
        solved = solve(frame(found), tiers=found[0].values["tiers"])
    else:
        solved = pandas.DataFrame(columns=list(quantities()))
    names = [column.name for column in columns(Workload) if column.name not in solved]
    identity = {name: [getattr(one.workload, name) for one in found] for name in names}
    missing = ["; ".join(one.missing) for one in found]
    return pandas.concat([pandas.DataFrame(identity), solved, pandas.DataFrame({"missing": missing})], axis=1)


def frame(found: Sequence[LookUp]) -> Any:
    """Looked-up inputs as the DataFrame that the solver takes."""
    import pandas

    names = [name for name in found[0].values if name != "tiers"]
    table: dict[str, Any] = {}
    for name in names:
        column = [one.values[name] for one in found]
        text = quantities()[name].is_text
        table[name] = pandas.Series(column, dtype=object if text else float)
    return pandas.DataFrame(table)
