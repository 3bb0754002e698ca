"""Prices of two days side by side, and why the run-rate month costs more or less than in an earlier budget."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gpusheet.calendar import by_month
from gpusheet.catalog import Price
from gpusheet.catalog.planning import Earlier
from gpusheet.errors import GpusheetError
from gpusheet.lookup import Context, LookUp, frame, look_up
from gpusheet.ops import NAN
from gpusheet.registry import find_rule
from gpusheet.solver import solve

EFFECTS = ("volume_effect", "mix_effect", "price_effect", "fx_effect")  # in the order in which costs never fall below 0
COMPARED = ("old_cards", "new_cards", "old_price", "new_price", "old_rate", "new_rate")
Key = tuple[str, str, str, str]


def snapshot_days(
    prices: Sequence[Price], as_of: datetime.date | None, old: datetime.date | None, new: datetime.date | None
) -> tuple[datetime.date | None, datetime.date | None]:
    """The days of the old and the new prices: the newest with prices at or before the days asked for.

    New is by default the as-of day, old the newest day before the new one; None where there is no such day.
    """
    days = sorted({price.snapshot_date for price in prices})
    asked = new or as_of or (days[-1] if days else None)
    at_new = max((day for day in days if asked is not None and day <= asked), default=None)
    if old is not None:
        return max((day for day in days if day <= old), default=None), at_new
    return max((day for day in days if at_new is not None and day < at_new), default=None), at_new


@dataclass(frozen=True)
class Pair:
    """The quotes of one offer on two days: the newest at or before each; None where there is none, or more than one."""

    new_day: datetime.date
    new: Price | None
    old_day: datetime.date | None
    old: Price | None

    @property
    def change(self) -> float:
        """Change of the price of a card; missing where it was not quoted anew, or in another currency or for another period."""
        old, new = self.old, self.new
        if old is None or new is None or self.new_day == self.old_day or (old.currency, old.period) != (new.currency, new.period):
            return NAN
        return float(find_rule("price_change")(old.price_per_card, new.price_per_card))


def side_by_side(prices: Sequence[Price], old: datetime.date | None, new: datetime.date | None) -> list[Pair]:
    """Every offer (price list, GPU, pricing model, listing) that had a price by the new day, in the order of the table."""
    offers: dict[Key, list[Price]] = {}
    for price in prices:
        offers.setdefault(_key(price), []).append(price)
    found = []
    for quotes in offers.values():
        new_day, now = _newest(quotes, new)
        old_day, before = _newest(quotes, old)
        if new_day is not None:
            only = now[0] if len(now) == 1 else None
            place = next(n for n, price in enumerate(prices) if price is now[0])
            found.append((place, Pair(new_day, only, old_day, before[0] if len(before) == 1 else None)))
    return [pair for _, pair in sorted(found, key=lambda one: one[0])]


def _key(price: Price) -> Key:
    key = (price.price_list, price.gpu, price.pricing_model, price.listing or "")
    return tuple(part.casefold() for part in key)  # type: ignore[return-value]


def _newest(quotes: list[Price], day: datetime.date | None) -> tuple[datetime.date | None, list[Price]]:
    """The newest day at or before `day`, with its quotes."""
    newest = max((one.snapshot_date for one in quotes if day is not None and one.snapshot_date <= day), default=None)
    return newest, [one for one in quotes if one.snapshot_date == newest]


def present(found: Sequence[LookUp], month: int, season: Sequence[float]) -> Any:
    """The run-rate month of each workload: cards to rent, price of a card in the currency quoted, its rate; a DataFrame."""
    import pandas

    table = by_month(found, month, season[:month])
    card_price = solve(frame(found), tiers=found[0].values["tiers"])["card_month_price"]
    rates = pandas.Series([one.chosen.rate for one in found])
    price = _in_month(found, card_price, month)
    return pandas.DataFrame({
        "workload": [one.workload.workload for one in found],
        "gpu": [one.workload.gpu for one in found],
        "pricing_model": [one.chosen.price.pricing_model if one.chosen.price else "" for one in found],
        "cards": table.loc[table["month"] == month, "month_net_cards"].to_numpy(),
        "price": find_rule("quoted_price")(price, rates),
        "currency": [one.chosen.price.currency if one.chosen.price else "" for one in found],
        "rate": rates,
        "cost": table.loc[table["month"] == month, "month_cost"].to_numpy(),
    })  # fmt: skip


def _in_month(found: Sequence[LookUp], card_price: Any, month: int) -> Any:
    table = frame(found)
    outside = solve(table, only=["outside_contract"], tiers=found[0].values["tiers"])["outside_contract"]
    factor = find_rule("contract_factor")(month, table["contract_from"], table["contract_to"], outside)
    return find_rule("month_price")(card_price, table["price_drift"], month, factor)


def at_old_prices(found: Sequence[LookUp], context: Context, day: datetime.date | None, month: int) -> Any:
    """What a card of each workload would cost in the run-rate month, in the budget currency, at the prices of an old day."""
    import pandas

    prices = []
    for one in found:
        offer = look_up(one.workload, replace(context, as_of=day)).chosen if day is not None else None
        if offer is None or offer.price is None:
            prices.append(NAN)
            continue
        periods = find_rule("periods_per_month")(offer.price.period, one.values["hours_per_month"])
        prices.append(find_rule("card_month_price")(offer.per_card, periods, one.values["discount"]))
    return _in_month(found, pandas.Series(prices, dtype=float), month)


def as_earlier(found: Sequence[LookUp], month: int, season: Sequence[float], source: str) -> list[Earlier]:
    """The run-rate month of a budget as the table Earlier of another one holds it."""
    rows = []
    for one in present(found, month, season).to_dict("records") if found else ():
        lacking = [name for name in ("cards", "price", "rate") if one[name] != one[name]]
        if lacking:
            raise GpusheetError(f"{source}: the workload {one['workload']!r} has no {lacking[0]} in its run-rate month; "
                                "complete that budget first, as a cost that is missing cannot be compared")
        rows.append(Earlier(
            workload=one["workload"], gpu=one["gpu"], pricing_model=one["pricing_model"], billed_cards=one["cards"],
            card_price=one["price"], currency=one["currency"], rate=one["rate"], source=source))  # fmt: skip
    return rows


def bridge(now: Any, earlier: Sequence[Earlier], at_old: Any) -> Any:
    """Old and new run-rate month of each workload and the effects between them; a DataFrame, removed workloads last.

    `now` is what `present` gives. Without an earlier budget the same cards are taken at `at_old`, prices of an old day in
    the budget currency.
    """
    import pandas

    table = pandas.DataFrame([*_compared(now, earlier, at_old)], columns=("workload", *COMPARED))
    totals = {"old_total": table["old_cards"].sum(skipna=False), "new_total": table["new_cards"].sum(skipna=False)}
    values = {name: table[name] for name in COMPARED} | totals
    for side in ("old", "new"):
        cards, price, rate = (table[f"{side}_{part}"] for part in ("cards", "price", "rate"))
        table[f"{side}_cost"] = find_rule("cards_cost")(cards, price, rate)
    for name in EFFECTS:
        rule = find_rule(name)
        table[name] = rule(**{parameter.name: values[parameter.name] for parameter in rule.parameters})
    return table


def _compared(now: Any, earlier: Sequence[Earlier], at_old: Any) -> Iterator[dict[str, Any]]:
    before = {one.workload.casefold(): one for one in earlier}
    for number, one in enumerate(now.to_dict("records")):
        old = before.pop(one["workload"].casefold(), None)
        row = {"workload": one["workload"], "new_cards": one["cards"], "new_price": one["price"], "new_rate": one["rate"]}
        if not earlier:
            price = find_rule("quoted_price")(at_old.iloc[number], one["rate"])
            yield row | {"old_cards": one["cards"], "old_price": price, "old_rate": one["rate"]}
        elif old is None:
            yield row | {"old_cards": 0.0, "old_price": one["price"], "old_rate": one["rate"]}
        elif old.currency == one["currency"]:
            yield row | {"old_cards": old.billed_cards, "old_price": old.card_price, "old_rate": old.rate}
        else:
            price = find_rule("restated_price")(old.card_price, old.rate, one["rate"])
            yield row | {"old_cards": old.billed_cards, "old_price": price, "old_rate": one["rate"]}
    for old in before.values():
        yield {"workload": old.workload, "old_cards": old.billed_cards, "old_price": old.card_price, "old_rate": old.rate,
               "new_cards": 0.0, "new_price": old.card_price, "new_rate": old.rate}  # fmt: skip
