"""Inputs of rules that no person types: what a workload's look-ups and a month of the calendar give."""

from __future__ import annotations

from gpusheet.catalog.price import Price
from gpusheet.catalog.schema import Row, column, columns
from gpusheet.units import Bytes, Days, Money, MonthNumber, Number, PerCardHour, PerCardMonth, Ratio, Share, Text

_CHOICES = {c.name: c.choices for c in columns(Price)}
_PERIODS, _TAXES, _AVAILABLE = _CHOICES["period"], _CHOICES["tax"], _CHOICES["available"]


class Found(Row):
    """What the look-ups of a workload find. Prices are per card and in the budget currency."""

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
    price_tax: Text | None = column(
        "Tax of that price", "税务口径", "Whether the price that is paid includes value-added tax.", default=None,
        choices=_TAXES)
    price_available: Text | None = column(
        "Availability at that price", "是否有货", "Whether it could be rented on the day of the price.", default=None,
        choices=_AVAILABLE)
    price_age_days: Days | None = column(
        "Age of that price", "价格距编制日天数", "Days from the price to the day on which the budget was prepared.",
        default=None)
    gpu_confidence: Text | None = column(
        "Confidence in the card's facts", "GPU规格可信度", "How well the facts are confirmed.", default=None)
    model_confidence: Text | None = column(
        "Confidence in the model's facts", "模型参数可信度", "How well the facts are confirmed.", default=None)
    price_drift: Share = column(
        "Price drift a year", "价格年变动率", "Yearly change of prices in the scenario.", default=0.0, gt=-1)
    contract_from: MonthNumber = column(
        "Contract: first month", "合同首月", "Month of the budget in which the signed contract starts, on whatever day of it; below 1 "
        "before the budget. A month counts as within the term where a month of the contract begins in it.", default=1.0, whole=True)
    contract_to: MonthNumber = column(
        "Contract: last month", "合同末月", "The last month in which a month of the contract begins.", default=1200.0, whole=True)
    ending_discount: Share = column(
        "Discount that ends with the contract", "随合同终止的折扣率", "Agreed discount less the assumed one, where the workload takes "
        "it from a signed contract; 0 where it is typed with the workload or there is no such contract.", default=0.0, gt=-1, lt=1)
    overrides_typed: Number | None = column(
        "Typed values that replace rules", "人工覆盖项数", "How many rules a typed value replaces.", default=0.0, ge=0)


class Month(Row):
    """A month of the budget."""

    month: MonthNumber = column("Month", "第几月", "Month of the budget; 1 is the first.", default=1.0, ge=1, whole=True)
    season_factor: Ratio = column(
        "Season factor", "季节系数", "Demand of the calendar month over the average month.", default=1.0, ge=0)
