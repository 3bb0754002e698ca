"""Small tables: what names stand for, steps, the shape of a year, and costs that are not cards."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from gpusheet.catalog.schema import Row, column
from gpusheet.units import Bytes, Cards, Flag, MoneyPerMonth, MonthNumber, Ratio, Share, Text


class Precision(Row):
    """What a number format takes in memory."""

    precision: Text = column("Precision", "精度", "Name of the number format.", is_name=True)
    weight_bytes: Bytes = column("Bytes per element", "单元素字节数", "Bytes of a weight or a cached element.", gt=0)
    weight_correction: Ratio = column(
        "Weight correction", "权重修正系数", "What stays in 16 bit makes the weights larger by this factor.", ge=1)
    body_bytes: Bytes = column(
        "Bytes with scales", "含缩放因子字节数", "Bytes of a quantised weight with its scales and zeros.", gt=0)
    four_bit: Flag = column("4 bit", "4 位格式", "1 for 4-bit formats, which leave some layers in 16 bit.", ge=0, le=1, whole=True)
    padded: Flag = column("Padded experts", "专家填充", "1 where experts are padded to 256 x 128.", ge=0, le=1, whole=True)
    matmul: Text = column("Computed as", "计算格式", "Number format of matrix products.", choices=("fp16", "fp8", "int8", "fp4"))
    read_factor: Ratio = column("Read factor", "读取效率", "Bandwidth reached for such weights against 16 bit.", gt=0)
    read_factor_new: Ratio = column("Read factor, native", "读取效率（原生）", "The same on chips made for 4 and 8 bit.", gt=0)
    expert_read_factor: Ratio = column("Expert read factor", "专家读取效率", "The same for experts.", gt=0)
    expert_read_factor_new: Ratio = column(
        "Expert read factor, native", "专家读取效率（原生）", "The same for experts on chips made for 4 and 8 bit.", gt=0)
    precision_measured: Flag = column(
        "Format measured", "格式有实测", "1 where measurements of the format are behind the serving times.", default=0.0, ge=0,
        le=1, whole=True)
    source: Text = column("Source", "来源", "Where the figures are from.")


class Distribution(Row):
    """How request lengths spread, and what that does to length and memory."""

    distribution: Text = column("Length distribution", "长度分布", "Name of the distribution.", is_name=True)
    p95_factor: Ratio = column(
        "P95 to mean", "P95 与均值之比", "Length that 95% of requests keep to, over the mean.", ge=1)
    fragmentation: Share = column(
        "Usable KV memory", "KV 可用比例", "Share of the KV memory that is left by fragmentation.", gt=0, le=1)
    source: Text = column("Source", "来源", "Where the figures are from.")


class Tier(Row):
    """A number of cards in which they are sold."""

    tier: Cards = column("Cards", "卡数档位", "Cards of an instance that can be rented.", ge=0, whole=True)
    source: Text | None = column("Source", "来源", "Where the step is from.", default=None)


class Season(Row):
    """How much of the average demand a calendar month sees."""

    calendar_month: MonthNumber = column("Calendar month", "日历月", "1 is January.", ge=1, le=12, whole=True)
    season_factor: Ratio = column("Season factor", "季节系数", "Demand of the month over the average month.", ge=0)
    source: Text | None = column("Source", "来源", "Where the factor is from.", default=None)


class OtherCost(Row):
    """A monthly cost of the budget that is not cards."""

    item: Text = column("Item", "项目", "What is paid for.", is_name=True)
    amount_per_month: MoneyPerMonth = column("Amount per month", "每月金额", "Cost a month; a refund is negative.")
    start_month: MonthNumber = column(
        "First month", "起始月", "First budget month of the cost.", default=1.0, ge=1, whole=True)
    end_month: MonthNumber | None = column(
        "Last month", "结束月", "Last budget month; blank: to the end.", default=None, ge=1, whole=True)
    notes: Text | None = column("Notes", "备注", "What to know about the cost.", default=None)

    @model_validator(mode="after")
    def _ends_after_start(self) -> Self:
        if self.end_month is not None and self.end_month < self.start_month:
            allowed = f"a month from start_month, {self.start_month:.15g}, on"
            raise ValueError(f"{self.item}, end_month: found {self.end_month:.15g}, allowed {allowed}")
        return self
