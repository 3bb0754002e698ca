"""The books that are shipped ready made: the empty template, the sample, and one whose totals are blocked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gpusheet.catalog import Assumptions, Workload
from gpusheet.catalog.planning import Plans
from gpusheet.catalog.settings import Settings
from gpusheet.workbook.inputs import Inputs, sample

_ASKED: dict[str, Any] = {
    "model": "Qwen3-32B", "cards": 2, "input_tokens": 1500, "output_tokens": 400, "requests_per_day": 20000,
    "sizing_method": "constraint", "busy_hours": 10,
}  # fmt: skip
# what each workload of the blocked example lacks, after the one that lacks nothing
_LACKING: tuple[tuple[str, str, str, str, dict[str, Any]], ...] = (
    ("Reserved chat", "包年对话", "H20-96G has hourly and monthly prices in this list, none for reserved cards",
     "该价目表有 H20-96G 的按时与按月报价,没有预留报价",
     {"gpu": "H20-96G", "price_list": "极智算", "pricing_model": "reserved"}),
    ("Ascend pilot", "昇腾试点", "No price list has a price of this card", "所有价目表均无该型号的报价",
     {"gpu": "Ascend910B2", "price_list": "极智算", "pricing_model": "monthly"}),
    ("Overseas site", "海外站点", "Quoted in US dollars; the table FX has no rate", "以美元报价,FX 表中没有汇率",
     {"gpu": "H100-80G-SXM", "price_list": "aws/us-east-1", "pricing_model": "on_demand"}),
)  # fmt: skip


def template(lang: str = "en") -> Inputs:
    """A budget with no workloads and no other costs yet, with the built-in cards, models and prices.

    >>> len(template().workloads), len(template().catalog.gpus) > 50
    (0, True)
    """
    example = sample(lang)
    dates = example.settings
    settings = Settings(
        title="GPU 推理算力预算" if lang == "zh" else "GPU budget for LLM inference",
        prepared_on=dates.prepared_on, budget_start=dates.budget_start,
    )  # fmt: skip
    return replace(example, settings=settings, assumptions=Assumptions(), sources={}, workloads=(), other_costs=(),
                   plans=Plans.builtin(lang))  # fmt: skip


def blocked_example(lang: str = "en") -> Inputs:
    """Four workloads of which one has its price: the others lack a price, any price, and an exchange rate.

    >>> [workload.gpu for workload in blocked_example().workloads]
    ['L20', 'H20-96G', 'Ascend910B2', 'H100-80G-SXM']
    """
    example, zh = sample(lang), lang == "zh"
    title = "GPU 推理算力预算(缺价样例)" if zh else "GPU budget for LLM inference (prices missing)"
    lacking = (
        Workload(workload=chinese if zh else english, notes=noted if zh else notes, **_ASKED, **priced)
        for english, chinese, notes, noted, priced in _LACKING
    )
    return replace(
        example,
        settings=example.settings.model_copy(update={"title": title, "looked_at": None}),
        workloads=(example.workloads[0], *lacking),
        plans=Plans.builtin(lang),
    )


EXAMPLES: Mapping[str, Callable[[str], Inputs]] = {
    "gpusheet-template": template,
    "example": sample,
    "example-blocked": blocked_example,
}
