"""The drivers of cost that sensitivity moves one at a time, and what the run-rate month costs in each case.

The run-rate month is the budget month in which scenarios and drivers are compared: the last, unless another is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gpusheet.calendar import by_month
from gpusheet.lookup import LookUp
from gpusheet.registry import find_rule

_PLAIN, _SHARE, _SPEED, _PEAK = "shocked", "shocked_share", "shocked_speed", "shocked_peak"


@dataclass(frozen=True)
class Driver:
    """A driver: the looked-up quantities that move with it, each with the rule by which."""

    name: str
    en: str
    zh: str
    moves: Mapping[str, str]

    def label(self, lang: str = "en") -> str:
        return self.zh if lang == "zh" else self.en


DRIVERS = (
    Driver("requests", "Requests", "请求量", dict.fromkeys(("daily_active_users", "requests_per_day", "peak_concurrency"), _PLAIN)),
    Driver("peak", "Peak factor", "峰值系数", {"peak_factor": _PEAK}),
    Driver("growth", "Monthly growth", "月增长率", {"monthly_growth": _PLAIN}),
    Driver("input", "Input tokens", "输入 token", dict.fromkeys(("input_tokens", "input_p95"), _PLAIN)),
    Driver("output", "Output tokens", "输出 token", dict.fromkeys(("output_tokens", "output_p95"), _PLAIN)),
    Driver("latency", "Time allowed per token", "每 token 允许时延", {"tpot_target": _PLAIN, "tokens_per_s": _SPEED}),
    Driver("memory", "Usable memory", "显存可用比例", {"memory_fraction": _SHARE, "gpu_memory_utilization": _SHARE}),
    Driver("safety", "Safety", "安全系数", {"safety": _SHARE}),
    Driver("price", "Price of cards", "卡价", {"unit_price": _PLAIN}),
    Driver("discount", "Discount", "折扣率", {"discount": _SHARE}),
)


def moved(found: Sequence[LookUp], driver: Driver, shock: float) -> list[LookUp]:
    """The look-ups with a driver larger or smaller by a share."""
    moved = []
    for one in found:
        values = dict(one.values)
        for name, rule_name in driver.moves.items():
            if values.get(name) is not None:
                rule = find_rule(rule_name)
                values[name] = rule(values[name], shock)
        moved.append(replace(one, values=values))
    return moved


def run_rate(found: Sequence[LookUp], month: int, season: Sequence[float]) -> Any:
    """Cards, cards billed and cost of every workload in the run-rate month, as a DataFrame in the order of the look-ups."""
    table = by_month(found, month, season[:month])
    return table.loc[table["month"] == month, ["month_cards", "month_tier", "month_cost"]].reset_index(drop=True)
