"""The estimation rules, one file per subject. `gpusheet.rules.card_tier(2.67)` calls one by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..registry import Rule

# file -> title in both languages, in the order in which a person reads a calculation
SUBJECTS: dict[str, tuple[str, str]] = {
    "demand": ("Demand [A]", "需求 [A]"),
    "architecture": ("Attention of the model", "模型注意力结构"),
    "memory": ("Memory [B, C]", "显存 [B, C]"),
    "throughput": ("Throughput [A, B]", "吞吐 [A, B]"),
    "concurrency": ("Concurrency [B]", "并发 [B]"),
    "serving_weights": ("Serving: weights per card", "服务法：单卡权重"),
    "serving_memory": ("Serving: memory of the engine", "服务法：引擎显存"),
    "serving_pool": ("Serving: KV pool", "服务法：KV 池"),
    "serving_formats": ("Serving: number formats", "服务法：数值格式"),
    "serving_reading": ("Serving: what a step reads", "服务法：每步读取量"),
    "serving_links": ("Serving: links between cards", "服务法：卡间通信"),
    "serving_step": ("Serving: decode step", "服务法：解码步"),
    "serving_prompt": ("Serving: prompts", "服务法：预填充"),
    "serving_load": ("Serving: latency and throughput at a load", "服务法：负载下的时延与吞吐"),
    "serving_lines": ("Serving: a step as straight lines", "服务法：一步耗时的直线段"),
    "serving_targets": ("Serving: most requests within the targets", "服务法：目标内的最大并发"),
    "serving_plan": ("Serving: cards at the targets", "服务法：目标下的卡数"),
    "serving_ranges": ("Serving: ranges", "服务法：区间"),
    "cards": ("Cards [A, B, C]", "卡数 [A, B, C]"),
    "money": ("Cost", "费用"),
    "ownership": ("Owning instead of renting", "自有与租用"),
    "scenarios": ("Scenarios", "情景"),
    "comparison": ("Comparing cards", "GPU 对比"),
    "rent_or_buy": ("Rent, commit or buy", "租用、承诺与购买"),
    "traffic": ("Traffic over the day", "日内流量"),
    "calendar": ("Months of the budget", "预算月份"),
    "growth": ("Growth and card tiers", "增长与档位"),
    "periods": ("Quarters, tax and currencies", "季度、税与币种"),
    "contracts": ("Contracts", "合同承诺"),
    "bridge": ("Change of cost: price, volume, mix, FX", "成本变动：价格、用量、结构、汇率"),
    "variance": ("Budget against actual", "预算与实际"),
    "alerts": ("Alerts (1: look at it)", "提醒(1 表示需关注)"),
}


def __getattr__(name: str) -> Rule:
    from ..registry import all_rules

    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return all_rules()[name]
    except KeyError:
        from ..errors import UnknownName

        raise AttributeError(str(UnknownName("rule", name, all_rules()))) from None


def __dir__() -> list[str]:
    from ..registry import all_rules

    names: list[Any] = list(all_rules())
    return names
