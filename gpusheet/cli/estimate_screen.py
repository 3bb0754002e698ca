"""One estimate on the screen: the main figures with the three methods side by side, or every quantity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpusheet.catalog import Workload
from gpusheet.cli.screen import Lang, in_currency, out, table, warning
from gpusheet.errors import as_typed
from gpusheet.wiring import quantities

BEFORE = ("requests_per_day", "peak_qps", "context_tokens", "weights_gb", "weight_share", "kv_gb_per_request")
# method -> what it counts as demand, what a replica carries, the cards it asks for
METHODS = {
    "serving": ("peak_qps", "replica_qps", "serving_cards"),
    "throughput": ("token_demand", "replica_throughput", "throughput_cards"),
    "constraint": ("peak_concurrency", "concurrency", "constraint_cards"),
    "segment": ("buffered_concurrency", "segment_concurrency", "segment_cards"),
}
AFTER = ("bottleneck", "cards_needed", "card_tier", "net_cards", "unit_price", "price_period",
         "monthly_cost", "cost_per_million_tokens")  # fmt: skip
_WORDS = {
    Lang.en: ("Quantity", "Name", "Value", "Method", "Demand", "A replica carries", "Cards", "decides", "Inputs"),
    Lang.zh: ("指标", "名称", "数值", "方法", "需求", "单副本承载", "卡数", "采用", "输入"),
}
_METHOD_NAMES = {
    Lang.en: {"serving": "serving at the latency targets",
              "throughput": "[A] token throughput", "constraint": "[B] tightest constraint",
              "segment": "[C] memory segments"},
    Lang.zh: {"serving": "服务法（时延目标）",
              "throughput": "[A] 令牌吞吐法", "constraint": "[B] 三方约束法", "segment": "[C] 显存三段式"},
}  # fmt: skip


def show_main(workload: Workload, values: Mapping[str, Any], currency: str, lang: Lang) -> None:
    """What a person asks first: demand, the methods side by side, cards and cost."""
    quantity, name, value, method, demand, carries, cards, decides, _ = _WORDS[lang]
    heads = (quantity, value, name)
    table(heads, _rows(BEFORE, values, currency, lang), title=f"{workload.workload}: {workload.model}, {workload.gpu}")
    out().print()
    chosen = values["sizing_method"]
    rows = [
        (_METHOD_NAMES[lang][key], *(_value(one, values, currency, lang) for one in names),
         decides if key == chosen else "")
        for key, names in METHODS.items()
    ]  # fmt: skip
    table((method, demand, carries, cards, ""), rows)
    out().print()
    table(heads, _rows(AFTER, values, currency, lang))
    for alert in alerts(values):
        warning(f"alert: {quantities()[alert].label(lang)}")


def show_all(values: Mapping[str, Any], currency: str, lang: Lang) -> None:
    """Every quantity, by subject."""
    quantity, name, value, *_, inputs = _WORDS[lang]
    by_subject: dict[str, list[str]] = {}
    for one in quantities().values():
        by_subject.setdefault(one.rule.subject if one.rule else inputs, []).append(one.name)
    for subject, names in by_subject.items():
        table((quantity, value, name), _rows(names, values, currency, lang), title=subject)
        out().print()


def alerts(values: Mapping[str, Any]) -> list[str]:
    """The alerts that are on."""
    known = quantities().values()
    return [one.name for one in known if one.rule and one.rule.subject == "alerts" and values[one.name] == 1]


def _rows(names: Any, values: Mapping[str, Any], currency: str, lang: Lang) -> list[tuple[str, str, str]]:
    return [(quantities()[name].label(lang), _value(name, values, currency, lang), name) for name in names]


def _value(name: str, values: Mapping[str, Any], currency: str, lang: Lang) -> str:
    value = values[name]
    if isinstance(value, tuple):
        return as_typed(value)
    return in_currency(quantities()[name].unit, currency).show(value, lang)
