"""The closed list of units. A unit is an annotation: `memory_gb: GB` says what the number means.

GB is 10^9 bytes and GiB is 2^30; one name never means both. Sheets take their unit column and number format,
functions and docs their wording from here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin


@dataclass(frozen=True)
class Unit:
    """A unit's symbol in English and Chinese sheets, and the number format of cells that hold it."""

    symbol: str
    zh: str
    number_format: str = "#,##0.00"

    def label(self, lang: str = "en") -> str:
        return self.zh if lang == "zh" else self.symbol

    def show(self, value: Any, lang: str = "en") -> str:
        """A value with its unit, for people.

        >>> Unit("%", "%").show(0.725), Unit("GB", "GB").show(1234.5)
        ('72.5%', '1,234.5 GB')
        """
        if isinstance(value, str):
            return value or "-"
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return "missing" if lang == "en" else "缺失"
        if self.symbol == "%":
            return f"{value * 100:,.4g}%"
        if hasattr(value, "isoformat"):
            return str(value)
        shown = f"{value:,.0f}" if 1e6 <= abs(value) < 1e12 else f"{value:,.6g}"
        return f"{shown} {self.label(lang)}"


COUNT = "#,##0"
ONE = "#,##0.0"
TWO = "#,##0.00"
FOUR = "#,##0.0000"

# text and dates are "units" too, so that every cell of a sheet has exactly one
Text = Annotated[str, Unit("text", "文本", "@")]
Date = Annotated[Any, Unit("date", "日期", "yyyy-mm-dd")]
NewestDay = Annotated[Any, Unit("date", "日期", "yyyy-mm-dd;;")]  # 0, for none, shows as nothing
Flag = Annotated[float, Unit("0/1", "0/1", "0")]
Number = Annotated[float, Unit("number", "数", "#,##0.####")]
Demand = Annotated[float, Unit("requests/s, tokens/s or requests", "请求/秒、token/秒或请求", ONE)]  # as the sizing method counts
Ratio = Annotated[float, Unit("ratio", "比值", TWO)]
Factor = Annotated[float, Unit("factor", "系数", FOUR)]
Share = Annotated[float, Unit("%", "%", "0.0%")]

GB = Annotated[float, Unit("GB", "GB", TWO)]
MiB = Annotated[float, Unit("MiB", "MiB", COUNT)]
GiB = Annotated[float, Unit("GiB", "GiB", TWO)]
GiBPerCard = Annotated[float, Unit("GiB/card", "GiB/卡", TWO)]
GiBPerRequest = Annotated[float, Unit("GiB/request", "GiB/请求", FOUR)]
GBPerCard = Annotated[float, Unit("GB/card", "GB/卡", TWO)]
GBPerRequest = Annotated[float, Unit("GB/request", "GB/请求", FOUR)]
GBPerToken = Annotated[float, Unit("GB/token", "GB/token", "0.000E+00")]
GBPerSecond = Annotated[float, Unit("GB/s", "GB/s", COUNT)]
Bytes = Annotated[float, Unit("bytes", "字节", TWO)]
BytesPerToken = Annotated[float, Unit("bytes/token", "字节/token", COUNT)]
Elements = Annotated[float, Unit("elements", "元素", COUNT)]
ElementsPerToken = Annotated[float, Unit("elements/token", "元素/token", COUNT)]

TFLOPS = Annotated[float, Unit("TFLOPS", "TFLOPS", ONE)]
FLOPs = Annotated[float, Unit("FLOPs", "FLOPs", "0.00E+00")]
BillionParams = Annotated[float, Unit("billion", "十亿", TWO)]

Tokens = Annotated[float, Unit("tokens", "token", COUNT)]
TokensPerRequest = Annotated[float, Unit("tokens/request", "token/请求", COUNT)]
TokensPerSecond = Annotated[float, Unit("tokens/s", "token/秒", ONE)]

TokensPerSecondPerCard = Annotated[float, Unit("tokens/s/card", "token/秒/卡", ONE)]

Requests = Annotated[float, Unit("requests", "请求", ONE)]
RequestsPerDay = Annotated[float, Unit("requests/day", "请求/天", COUNT)]
RequestsPerSecond = Annotated[float, Unit("requests/s", "请求/秒", TWO)]
Users = Annotated[float, Unit("users", "用户", COUNT)]
PerUserPerDay = Annotated[float, Unit("requests/user/day", "请求/用户/天", ONE)]

Cards = Annotated[float, Unit("cards", "卡", COUNT)]
Tiers = Annotated[Any, Unit("cards", "卡", COUNT)]  # a table of sizes
CardsInTheory = Annotated[float, Unit("cards", "卡", TWO)]
Nodes = Annotated[float, Unit("nodes", "台", COUNT)]
Replicas = Annotated[float, Unit("replicas", "副本", COUNT)]
Layers = Annotated[float, Unit("layers", "层", COUNT)]
Heads = Annotated[float, Unit("heads", "头", COUNT)]
Experts = Annotated[float, Unit("experts", "专家", COUNT)]

Seconds = Annotated[float, Unit("s", "秒", "#,##0.000")]
Milliseconds = Annotated[float, Unit("ms", "毫秒", "#,##0.000")]
Microseconds = Annotated[float, Unit("us", "微秒", TWO)]
MicrosecondsPerToken = Annotated[float, Unit("us/token", "微秒/token", FOUR)]
Hours = Annotated[float, Unit("hours", "小时", ONE)]
Periods = Annotated[float, Unit("periods", "期", COUNT)]
Days = Annotated[float, Unit("days", "天", COUNT)]
Months = Annotated[float, Unit("months", "月", COUNT)]
MonthNumber = Annotated[float, Unit("month no.", "第几月", "0")]
Year = Annotated[float, Unit("year", "年", "0")]

Watts = Annotated[float, Unit("W", "W", COUNT)]
KW = Annotated[float, Unit("kW", "kW", TWO)]
PerKWMonth = Annotated[float, Unit("currency/kW/month", "货币/kW/月", TWO)]
PerKWh = Annotated[float, Unit("currency/kWh", "货币/kWh", FOUR)]

Money = Annotated[float, Unit("currency", "货币", TWO)]
MoneyPerMonth = Annotated[float, Unit("currency/month", "货币/月", COUNT)]
MoneyPerHour = Annotated[float, Unit("currency/hour", "货币/小时", TWO)]
PerCard = Annotated[float, Unit("currency/card", "货币/卡", TWO)]
PerCardHour = Annotated[float, Unit("currency/card/hour", "货币/卡时", TWO)]
PerCardMonth = Annotated[float, Unit("currency/card/month", "货币/卡月", COUNT)]
PerMillionTokens = Annotated[float, Unit("currency/million tokens", "货币/百万token", FOUR)]
Rate = Annotated[float, Unit("rate", "汇率", FOUR)]


def unit_of(annotation: Any) -> Unit:
    """The unit that an annotation carries; raises TypeError where there is none, so that no number goes without.

    >>> unit_of(GB).symbol
    'GB'
    """
    if get_origin(annotation) is Annotated:
        for extra in get_args(annotation)[1:]:
            if isinstance(extra, Unit):
                return extra
    raise TypeError(f"{annotation!r} carries no unit: annotate with one of gpusheet.units")


def all_units() -> dict[str, Unit]:
    """Every unit of this module by the name of its alias."""
    found: dict[str, Unit] = {}
    for name, value in globals().items():
        if get_origin(value) is Annotated:
            found[name] = unit_of(value)
    return found
