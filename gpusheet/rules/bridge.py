"""Why a cost changed: volume, mix, price and exchange rate, which add up to the change exactly.

A cost is cards x price of a card x exchange rate, summed over workloads. With old values 0 and new values 1, Q all cards
and s = q / Q the share of a workload: volume is s0 (Q1 - Q0) p0 r0, mix (q1 - s0 Q1) p0 r0, price q1 (p1 - p0) r0 and
FX q1 p1 (r1 - r0).
"""

from __future__ import annotations

from gpusheet.ops import TINY, maximum
from gpusheet.registry import rule
from gpusheet.units import Cards, Money, PerCardMonth, Rate, Share


@rule(en="Price quoted", zh="原币价格", source="price / exchange rate", line=False)
def quoted_price(card_price: PerCardMonth, rate: Rate) -> Money:
    """A price of the budget currency in the currency in which it was quoted.

    >>> quoted_price(7100, 7.1)
    1000.0
    """
    return card_price / rate


@rule(en="Price restated", zh="折算旧价", source="old price x old rate / new rate", line=False)
def restated_price(old_price: Money, old_rate: Rate, new_rate: Rate) -> Money:
    """An old price in another currency, at the rate of now: so that a change of currency is none of exchange rates.

    >>> restated_price(10000, 1, 8)
    1250.0
    """
    return old_price * old_rate / new_rate


@rule(en="Cost of cards", zh="卡费", source="cards x price x exchange rate", line=False)
def cards_cost(cards: Cards, price: Money, rate: Rate) -> PerCardMonth:
    """Cost of a month's cards in the budget currency.

    >>> cards_cost(8, 1000, 7.1)
    56800.0
    """
    return cards * price * rate


@rule(en="Volume", zh="用量", source="price-volume-mix: all cards at the old average price", line=False)
def volume_effect(old_cards: Cards, old_total: Cards, new_total: Cards, old_price: Money, old_rate: Rate) -> Money:
    """Change of cost because all workloads together take more or fewer cards, at the workload's old share and price.

    >>> volume_effect(10, 40, 60, 100, 1)
    500.0
    """
    return old_cards / maximum(TINY, old_total) * (new_total - old_total) * old_price * old_rate


@rule(en="Mix", zh="结构", source="price-volume-mix: shares at old prices", line=False)
def mix_effect(
    old_cards: Cards, new_cards: Cards, old_total: Cards, new_total: Cards, old_price: Money, old_rate: Rate
) -> Money:
    """Change of cost because the workload has another share of all cards, at its old price.

    >>> mix_effect(10, 20, 40, 60, 100, 1), mix_effect(10, 15, 40, 60, 100, 1)
    (500.0, 0.0)
    """
    return (new_cards - old_cards / maximum(TINY, old_total) * new_total) * old_price * old_rate


@rule(en="Price", zh="价格", source="price-volume-mix: new cards at the old rate", line=False)
def price_effect(new_cards: Cards, old_price: Money, new_price: Money, old_rate: Rate) -> Money:
    """Change of cost because a card costs more or less in the currency quoted, for the new cards at the old rate.

    >>> price_effect(20, 100, 90, 1)
    -200
    """
    return new_cards * (new_price - old_price) * old_rate


@rule(en="FX", zh="汇率", source="price-volume-mix: new cards at new prices", line=False)
def fx_effect(new_cards: Cards, new_price: Money, old_rate: Rate, new_rate: Rate) -> Money:
    """Change of cost because the currency quoted is worth more or less, for the new cards at new prices.

    >>> fx_effect(20, 90, 7, 7.5)
    900.0
    """
    return new_cards * new_price * (new_rate - old_rate)


@rule(en="Price change", zh="价格变动", source="two quotes", line=False)
def price_change(old_price: Money, new_price: Money) -> Share:
    """Change of a price against the old one, both quoted in one currency for one period.

    >>> price_change(8, 7)
    -0.125
    """
    return new_price / old_price - 1
