"""What became of prices between two snapshots, offer by offer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gpusheet.catalog import Price


class Became(StrEnum):
    """What became of an offer."""

    dearer = "dearer"
    cheaper = "cheaper"
    same = "same"
    new = "new"
    gone = "gone"
    terms = "terms"  # another currency or tax basis: the numbers cannot be compared


@dataclass(frozen=True)
class Change:
    """One offer in both snapshots, or in one."""

    became: Became
    old: Price | None
    new: Price | None

    @property
    def offer(self) -> Price:
        """The newer row of the offer."""
        return self.new or self.old  # type: ignore[return-value]  # one of them is there

    @property
    def percent(self) -> float | None:
        """By how much the price of a card rose, in percent of the old one; None where that cannot be said."""
        if self.old is None or self.new is None or self.became is Became.terms:
            return None
        return (self.new.price_per_card / self.old.price_per_card - 1) * 100

    @property
    def terms(self) -> str:
        """Which terms changed: `CNY -> USD, tax included -> excluded`."""
        if self.old is None or self.new is None:
            return ""
        words = []
        if self.old.currency != self.new.currency:
            words.append(f"{self.old.currency} -> {self.new.currency}")
        if self.old.tax != self.new.tax:
            words.append(f"tax {self.old.tax} -> {self.new.tax}")
        return ", ".join(words)


def changes(old: Iterable[Price], new: Iterable[Price]) -> list[Change]:
    """Every offer of both snapshots, once, in the order of list, card, pricing model and listing.

    An offer is the same where price list, listing, card, number of cards, pricing model and period are. Prices are
    compared for one card.

    >>> from gpusheet.catalog import Catalog
    >>> row = next(p for p in Catalog.builtin().prices if p.listing == "p5.48xlarge")
    >>> [one] = changes([row], [row.model_copy(update={"price": row.price * 1.1})])
    >>> one.became.value, round(one.percent, 6)
    ('dearer', 10.0)
    """
    before, after = _by_offer(old), _by_offer(new)
    found: list[Change] = []
    for key in sorted({*before, *after}):
        found += _pairs(before.get(key, ()), after.get(key, ()))
    return found


def _pairs(old: Sequence[Price], new: Sequence[Price]) -> list[Change]:
    """Offers of one key; a list that has two of them is compared in the order of price."""
    both = min(len(old), len(new))
    found = [_compared(one, other) for one, other in zip(old[:both], new[:both], strict=True)]
    found += [Change(Became.gone, one, None) for one in old[both:]]
    return found + [Change(Became.new, None, one) for one in new[both:]]


def _compared(old: Price, new: Price) -> Change:
    # "unstated" says nothing, so it contradicts nothing
    tax = old.tax != new.tax and "unstated" not in (old.tax, new.tax)
    if old.currency != new.currency or tax:
        return Change(Became.terms, old, new)
    rise = new.price_per_card - old.price_per_card
    if abs(rise) <= 1e-9 * old.price_per_card:
        return Change(Became.same, old, new)
    return Change(Became.dearer if rise > 0 else Became.cheaper, old, new)


def _by_offer(prices: Iterable[Price]) -> dict[tuple[Any, ...], list[Price]]:
    found: dict[tuple[Any, ...], list[Price]] = {}
    for price in prices:
        key = (price.price_list.casefold(), price.gpu, price.pricing_model, price.period, (price.listing or "").casefold(),
               price.cards)  # fmt: skip
        found.setdefault(key, []).append(price)
    for rows in found.values():
        rows.sort(key=lambda price: price.price_per_card)
    return found
