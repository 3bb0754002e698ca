"""Whether prices that can be read can also be right: against the other prices of the card, and against last time.

A price that is far off is named with the mistake that makes such a factor: a node taken for a card, yuan for dollars,
a month for an hour. Nothing is changed; a person decides.
"""

from __future__ import annotations

import datetime
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import median

from gpusheet.catalog import Assumptions, Catalog, Price
from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.intake.findings import Finding, Place

HOURS = 720.0  # of a month, to hold monthly prices against hourly ones
FAR = 3.0  # times the median of a card from which a price is odd; providers differ by less
CHANGED = 1.5  # times the same offer's last price
# rough, and only to tell a factor of seven from a price: never used to convert a price that is read
ROUGH_USD = {"USD": 1.0, "CNY": 0.14, "HKD": 0.128, "EUR": 1.1, "GBP": 1.27, "JPY": 0.0067, "SGD": 0.75, "TWD": 0.031, "AUD": 0.66,
             "CAD": 0.73}  # fmt: skip
_CAUSES = (
    (2.0, "a machine of 2 cards taken for one card, or the reverse", "把 2 卡整机价当成单卡价，或相反"),
    (4.0, "a machine of 4 cards taken for one card, or the reverse", "把 4 卡整机价当成单卡价，或相反"),
    (7.1, "yuan taken for US dollars, or the reverse", "把人民币当成美元，或相反"),
    (8.0, "a machine of 8 cards taken for one card, or the reverse", "把 8 卡整机价当成单卡价，或相反"),
    (10.0, "a slip of the decimal point", "小数点错位"),
    (12.0, "a year taken for a month", "把年价当成月价"),
    (24.0, "a day taken for an hour", "把日价当成小时价，或相反"),
    (30.0, "a month taken for a day", "把月价当成日价"),
    (100.0, "a slip of the decimal point by two places", "小数点错两位"),
    (720.0, "a month taken for an hour", "把月价当成小时价，或相反"),
    (1000.0, "a thousands separator taken for a decimal point, or a price in thousands", "千分位当成小数点，或以千为单位"),
)  # fmt: skip
_NEAR = math.log(1.17)  # how near a factor has to be to be named

_TERMS = ("cards", "per", "period", "tax", "currency")

PlaceOf = Callable[[int, str], Place]


def implausible(
    prices: Sequence[Price],
    place: PlaceOf,
    *,
    catalog: Catalog | None = None,
    previous: Sequence[Price] = (),
    today: datetime.date | None = None,
) -> list[Finding]:
    """What is odd about prices: `place` gives the cell of a row's field, `catalog` the cards and prices known so far,
    `previous` earlier snapshots of the same lists (without them, the prices of the catalog).

    >>> known = Catalog.builtin()
    >>> one = known.prices[0]
    >>> odd = one.model_copy(update={"price": one.price * 8})
    >>> found = implausible([odd], lambda row, name: Place("a.csv", "", "E2"), catalog=known, today=odd.snapshot_date)
    >>> [(f.code, "8 cards" in f.en) for f in found]
    [('price-changed', True)]
    """
    known = catalog or Catalog.builtin()
    found = [*_dates(prices, place, today or datetime.date.today()), *_twice(prices, place)]
    names: dict[str, str] = {}
    found += _cards(prices, place, known, names)
    found += _levels(prices, place, known, previous, names)
    return found


def hourly(price: Price) -> float:
    """The price of one card for an hour, in the price's currency.

    >>> hourly(Price(snapshot_date="2026-10-27", price_list="a", gpu="L20", cards=8, price=5760, currency="CNY",
    ...              per="instance", period="month", pricing_model="monthly", tax="included", source="quote"))
    1.0
    """
    return price.price_per_card / (HOURS if price.period == "month" else 1.0)


def likely_cause(factor: float) -> tuple[str, str]:
    """The mistake that makes such a factor; '' where none is near.

    >>> likely_cause(8.1)[0], likely_cause(1 / 7)[0], likely_cause(5.5)[0]
    ('a machine of 8 cards taken for one card, or the reverse', 'yuan taken for US dollars, or the reverse', '')
    """
    size = abs(math.log(factor))
    distance, en, zh = min((abs(size - math.log(known)), en, zh) for known, en, zh in _CAUSES)
    return (en, zh) if distance <= _NEAR else ("", "")


def _dates(prices: Sequence[Price], place: PlaceOf, today: datetime.date) -> Iterator[Finding]:
    stale = Assumptions().stale_price_days
    rows: dict[datetime.date, list[int]] = defaultdict(list)
    for row, price in enumerate(prices):
        rows[price.snapshot_date].append(row)
    for day, standing in sorted(rows.items()):
        where, more, more_zh = place(standing[0], "snapshot_date"), *_more(len(standing))
        if day > today:
            yield Finding("warning", "future-date", where, str(day),
                          f"found {day}{more}, which is after today, {today}; mend the date",
                          f"{day}{more_zh}晚于今天 {today}；请修正日期")  # fmt: skip
        elif (today - day).days > stale:
            age = (today - day).days
            yield Finding("warning", "stale-date", where, str(day), f"found {day}{more}, {age} days ago; ask for a new price",
                          f"{day}{more_zh}，已过 {age} 天；请重新询价")  # fmt: skip


def _more(count: int) -> tuple[str, str]:
    rows = "row" if count == 2 else "rows"
    return (f" (and {count - 1} {rows} more)", f"（另有 {count - 1} 行）") if count > 1 else ("", "")


def _twice(prices: Sequence[Price], place: PlaceOf) -> Iterator[Finding]:
    """The same offer stated more than once: with another price it is unclear, with the same it is said twice."""
    first: dict[tuple[object, ...], int] = {}
    of_offer: dict[tuple[object, ...], int] = {}
    for row, price in enumerate(prices):
        offer = (price.snapshot_date, price.price_list.casefold(), (price.listing or "").casefold(), price.gpu.casefold(),
                 price.pricing_model)  # fmt: skip
        other = first.setdefault((offer, *(getattr(price, name) for name in _TERMS)), row)
        if other == row:
            if (before := of_offer.setdefault(offer, row)) != row:
                yield _in_other_terms(prices[before], place(before, "price").cell, price, place(row, "price"))
            continue
        there = place(other, "price").cell
        if prices[other].price == price.price:
            yield Finding("warning", "same-offer", place(row, "price"), f"{price.price:.15g}",
                          f"the same offer as in {there}; delete one", f"与 {there} 是同一报价；请删去一行")  # fmt: skip
        else:
            now, then = f"{price.price:.15g}", f"{prices[other].price:.15g}"
            yield Finding(
                "warning", "same-offer", place(row, "price"), now,
                f"the same offer as in {there}, at {now} instead of {then}; delete one, or tell "
                "them apart in listing",
                f"与 {there} 是同一报价，但价格为 {now} 而不是 {then}；请删去一行，或在“报价项”中加以区分")  # fmt: skip


def _in_other_terms(before: Price, there: str, price: Price, where: Place) -> Finding:
    """An offer in two currencies, with and without tax, or per card and per machine: a budget cannot choose."""
    now, then = ([f"{getattr(one, name):.15g}" if name == "cards" else str(getattr(one, name)) for name in _TERMS
                  if getattr(before, name) != getattr(price, name)] for one in (price, before))  # fmt: skip
    return Finding(
        "warning", "other-terms", where, f"{price.price:.15g}",
        f"the same offer as in {there}, in other terms ({', '.join(now)} instead of {', '.join(then)}); a budget takes neither: delete "
        "one, or tell them apart in listing",
        f"与 {there} 是同一报价，但条件不同（{'、'.join(now)}，而不是{'、'.join(then)}）；预算两者都不取：请删去一行，"
        "或在“报价项”中加以区分")  # fmt: skip


def _cards(prices: Sequence[Price], place: PlaceOf, catalog: Catalog, names: dict[str, str]) -> Iterator[Finding]:
    """Cards that the catalog does not have, or has by another name; `names` is filled with those it has."""
    rows: dict[str, list[int]] = defaultdict(list)
    for row, price in enumerate(prices):
        rows[price.gpu].append(row)
    for typed, standing in rows.items():
        where, more, more_zh = place(standing[0], "gpu"), *_more(len(standing))
        try:
            names[typed] = catalog.find_gpu(typed).gpu
        except UnknownName as unknown:
            near = ", ".join(unknown.near)
            hint = f"did you mean {near}?" if near else "add it to GPUs"
            hint_zh = f"是否为 {near}？" if near else "请在 GPUs 表中添加"
            yield Finding("warning", "unknown-gpu", where, typed,
                          f"found the card {typed!r}{more}, which is not known; {hint}",
                          f"未知型号“{typed}”{more_zh}；{hint_zh}")  # fmt: skip
        except GpusheetError as clash:
            yield Finding("warning", "unknown-gpu", where, typed, str(clash), str(clash))
        else:
            if names[typed] != typed:
                yield Finding("note", "gpu-alias", where, typed, f"{typed!r}{more} is the card {names[typed]}",
                              f"“{typed}”{more_zh}即 {names[typed]}")  # fmt: skip


def _levels(
    prices: Sequence[Price], place: PlaceOf, catalog: Catalog, previous: Sequence[Price], names: dict[str, str]
) -> Iterator[Finding]:
    history = _history([*(previous or catalog.prices), *prices], names)
    own = set(map(id, prices))
    usual = _usual([*catalog.prices, *prices], {**names, **{gpu.gpu: gpu.gpu for gpu in catalog.gpus}})
    for row, price in enumerate(prices):
        gpu = names.get(price.gpu, price.gpu)
        before = _before(price, history[_offer(price, gpu)], own)
        if before is not None and before.currency == price.currency:
            factor = hourly(price) / hourly(before)
            if factor >= CHANGED or factor <= 1 / CHANGED:
                yield _off(place(row, "price"), price, factor, "price-changed", f"the price of {before.snapshot_date}",
                           f"{before.snapshot_date} 的价格")  # fmt: skip
                continue
        rate = ROUGH_USD.get(price.currency)
        middle, count = usual.get((gpu, price.pricing_model)) or usual.get((gpu, "")) or (0.0, 0)
        if rate is None or count < 3:
            continue
        factor = hourly(price) * rate / middle
        if factor >= FAR or factor <= 1 / FAR or _is_of_cards(factor, price.cards):
            yield _off(place(row, "price"), price, factor, "price-far-off", f"the median of {count} prices of {gpu}",
                       f"{gpu} 的 {count} 个价格的中位数")  # fmt: skip


def _off(where: Place, price: Price, factor: float, code: str, reference: str, reference_zh: str) -> Finding:
    times = f"{factor:.3g}" if factor >= 1 else f"1/{1 / factor:.3g}"
    cause, cause_zh = likely_cause(factor)
    if _is_of_cards(factor, price.cards):
        cause, cause_zh = "the price of the whole machine taken for a card, or the reverse", "把整机价当成单卡价，或相反"
    each = f"{hourly(price):.4g} {price.currency} per card and hour"
    each_zh = f"每卡每小时 {hourly(price):.4g} {price.currency}"
    why = f"; likely {cause}: check" if cause else "; check"
    why += " price, per, period, cards and currency"
    why_zh = f"；可能是{cause_zh}：请核对价格、计价单位、周期、卡数和币种" if cause else "；请核对价格、计价单位、周期、卡数和币种"
    return Finding("warning", code, where, f"{price.price:.15g}", f"{each} is {times} times {reference}{why}",
                   f"{each_zh}，是 {reference_zh}的 {times} 倍{why_zh}")  # fmt: skip


def _is_of_cards(factor: float, cards: float) -> bool:
    """Whether a price is off by just the cards of its listing."""
    return cards > 1 and abs(math.log(cards) - abs(math.log(factor))) <= _NEAR


def _offer(price: Price, gpu: str) -> tuple[object, ...]:
    return (price.price_list.casefold(), (price.listing or "").casefold(), gpu.casefold(), price.pricing_model)


def _history(prices: Iterable[Price], names: dict[str, str]) -> dict[tuple[object, ...], list[Price]]:
    """The prices of every offer, the oldest first."""
    found: dict[tuple[object, ...], list[Price]] = defaultdict(list)
    for price in prices:
        found[_offer(price, names.get(price.gpu, price.gpu))].append(price)
    for offer in found.values():
        offer.sort(key=lambda one: one.snapshot_date)
    return found


def _before(price: Price, offer: Sequence[Price], own: set[int]) -> Price | None:
    """What the offer cost before, or on the same day in what is known; `own` are the prices that are looked at."""
    for other in reversed(offer):
        same_day = other.snapshot_date == price.snapshot_date and id(other) not in own and other.price != price.price
        if other.snapshot_date < price.snapshot_date or same_day:
            return other
    return None


def _usual(prices: Iterable[Price], names: dict[str, str]) -> dict[tuple[str, str], tuple[float, int]]:
    """The median of a card in rough dollars per hour, for each way of renting and for all ('')."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for price in prices:
        rate = ROUGH_USD.get(price.currency)
        if rate is not None:
            gpu = names.get(price.gpu, price.gpu)
            found[gpu, price.pricing_model].append(hourly(price) * rate)
            found[gpu, ""].append(hourly(price) * rate)
    return {key: (median(values), len(values)) for key, values in found.items() if len(values) >= 3}
