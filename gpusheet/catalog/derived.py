"""Inputs of rules that no person types: what a workload's look-ups and a month of the calendar give."""

from __future__ import annotations

from gpusheet.catalog.price import Price
from gpusheet.catalog.schema import Row, column, columns
from gpusheet.units import Bytes, Money, MonthNumber, PerCardHour, PerCardMonth, Ratio, Text

_PERIODS = next(c.choices for c in columns(Price) if c.name == "period")


class Found(Row):
    """What the look-ups of a workload find: bytes of its KV precision and the prices of its GPU, per card and in the
    budget currency."""

    kv_bytes: Bytes = column("Bytes per cached element", "KV单元素字节数", "Bytes of an element of the KV cache.", gt=0)
    price_hour: PerCardHour | None = column(
        "On-demand price", "按量价", "On-demand price of a card for an hour.", default=None, gt=0)
    price_month: PerCardMonth | None = column(
        "Monthly price", "包月价", "Price of a card for a month.", default=None, gt=0)
    unit_price: Money | None = column(
        "Price that is paid", "执行单价", "Price of a card for a period, at the pricing model of the workload.",
        default=None, gt=0)
    price_period: Text | None = column(
        "Period of that price", "计价周期", "What the price that is paid is for.", default=None, choices=_PERIODS)


class Month(Row):
    """A month of the budget."""

    month: MonthNumber = column("Month", "第几月", "Month of the budget; 1 is the first.", default=1.0, ge=1, whole=True)
    season_factor: Ratio = column(
        "Season factor", "季节系数", "Demand of the calendar month over the average month.", default=1.0, ge=0)
