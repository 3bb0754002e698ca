"""What a card costs: one quoted price, with everything needed to compare it with another."""

from __future__ import annotations

from dataclasses import dataclass

from gpusheet.catalog.schema import CURRENCY, Day, Row, column
from gpusheet.units import Cards, Money, Text

PRICING_MODELS = ("on_demand", "monthly", "reserved", "spot")


class Price(Row):
    """One line of a price list on one day. Currency, unit, period and tax basis are never assumed.

    >>> p = Price(snapshot_date="2026-10-27", price_list="cloud/east", gpu="L20", cards=8, price=32, currency="CNY",
    ...           per="instance", period="hour", pricing_model="on_demand", tax="included", source="quote 17")
    >>> p.price_per_card, p.available
    (4.0, 'unknown')
    """

    snapshot_date: Day = column("Snapshot date", "采价日期", "Day on which the price was seen.")
    price_list: Text = column(
        "Price list", "价目表", "Provider, and region where prices differ by it: 'provider/region'.", is_name=True)
    listing: Text | None = column(
        "Listing", "报价项", "Product name in the price list; tells several prices of one card apart.", default=None,
        is_name=True)
    gpu: Text = column("GPU", "GPU 型号", "Name of the card as in GPUs.", is_name=True)
    cards: Cards = column("Cards in listing", "报价卡数", "Cards the instance has.", ge=1, whole=True)
    price: Money = column("Price", "价格", "Price in `currency` for what `per` and `period` say.", gt=0)
    currency: Text = column("Currency", "币种", "Currency of the price.", form=CURRENCY)
    per: Text = column(
        "Per", "计价单位", "Whether the price is for one card or for the whole instance.", choices=("card", "instance"))
    period: Text = column(
        "Period", "计价周期", "Whether the price is for an hour or a month.", choices=("hour", "month"))
    pricing_model: Text = column("Pricing model", "计费方式", "How the card is rented.", choices=PRICING_MODELS)
    tax: Text = column(
        "Tax", "税务口径", "Whether the price includes value-added tax.", choices=("included", "excluded", "unstated"))
    available: Text = column(
        "Available", "是否有货", "Whether it could be rented on that day.", default="unknown",
        choices=("yes", "no", "unknown"))
    source: Text = column("Source", "来源", "Where the price was seen.")
    notes: Text | None = column("Notes", "备注", "What to know about the price.", default=None)

    @property
    def price_per_card(self) -> float:
        """Price of one card for the period."""
        return self.price / self.cards if self.per == "instance" else self.price


@dataclass(frozen=True)
class Unpriced:
    """A line of a price list that states no price: "on request", or a blank. It is no price, and what needs it is missing."""

    index: int  # among the lines of its table, from 0
    place: str  # of its price
    line: Price  # unchecked: its price is the text that stands there, or None; other cells may be None as well

    @property
    def typed(self) -> str | None:
        """What stands in place of the price."""
        return self.line.price  # type: ignore[return-value]
