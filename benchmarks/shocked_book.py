"""A budget in which every input counts: each method of sizing, kind of model, engine and offer, nothing left at zero."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import replace

from gpusheet.catalog import Assumptions, Fx, Price, Workload
from gpusheet.catalog.planning import Contract
from gpusheet.workbook.inputs import Inputs, sample

# assumptions that the built-in ones leave at a value of which 5% is nothing, or that the sample's workloads overrule
ASSUMED = Assumptions(
    monthly_growth=0.03, image_tokens=120.0, shared_prefix_tokens=300.0, prefix_hit_rate=0.5, min_replicas=2.0, owned_cards=1.0,
    committed_cards=1.0, discount=0.05, contingency_rate=0.05, electricity_price=0.7, colocation_per_kw_month=900.0,
    network_per_month=3000.0, staff_per_month=5000.0, rent_vat_rate=0.06, purchase_vat_rate=0.13, vat_recovered=0.5,
    profit_tax_rate=0.15, ramp_months=3.0, start_month=2.0, price_list="极智算",
)  # fmt: skip
DAY = datetime.date(2026, 10, 27)
ENGINES = ("vllm-0.21", "sglang-0.5.3", "tensorrt-llm-1.0", "llama.cpp-0.0")
FORMATS = ("fp16", "bf16", "int8", "fp8_block", "int4")


def _served(name: str, gpu: str, model: str, **more: object) -> Workload:
    fields: dict[str, object] = {
        "workload": name, "gpu": gpu, "model": model, "input_tokens": 900.0, "output_tokens": 300.0, "requests_per_day": 90_000.0,
        "weight_precision": "fp8_block", "sizing_method": "serving", "pricing_model": "monthly",
    }  # fmt: skip
    return Workload.model_validate({**fields, **more})


def _workloads() -> Iterator[Workload]:
    users = {"input_tokens": 700.0, "output_tokens": 300.0, "daily_active_users": 30_000.0, "requests_per_user_per_day": 4.0}
    yield Workload(workload="By the assumptions", gpu="H20-96G", model="Generic-32B", capex=8e5, **users)
    yield Workload(workload="Throughput", gpu="L20", model="Generic-7B", sizing_method="throughput", price_list="gongjiyun", **users)
    yield Workload(workload="Segment", gpu="H20-96G", model="Generic-7B", sizing_method="segment", length_distribution="long_tail",
                   **users)  # fmt: skip
    yield _served("Constraint over PCIe", "RTX4090-48G", "Generic-7B", cards=2.0, sizing_method="constraint", weight_precision="int8",
                  requests_per_day=400_000.0)  # fmt: skip
    yield _served("Latent attention", "H200-141G-SXM", "DeepSeek-V3", cards=8.0, expert_parallel=1.0, max_num_batched_tokens=4096.0)
    yield _served("Attention apart", "H200-141G-SXM", "DeepSeek-V3", cards=8.0, attention_dp_size=2.0, gpu_memory_utilization=0.85,
                  offered_concurrency=9000.0, weight_precision="int4")  # fmt: skip
    yield _served("Linear attention", "H200-141G-SXM", "Qwen3-Next-80B-A3B", cards=2.0, max_model_len=8192.0)
    yield _served("Images", "RTX4090-48G", "Qwen2.5-VL-7B", cards=2.0, weight_precision="int4")
    for engine in ENGINES:
        yield _served(f"Small card, {engine}", "RTX4090-48G", "Qwen3-8B", engine=engine, cards=2.0, weight_precision="int8")
        yield _served(f"Experts, {engine}", "H200-141G-SXM", "Qwen3-30B-A3B", engine=engine)
        yield _served(f"Windows, {engine}", "H200-141G-SXM", "Gemma-3-27B", engine=engine, weight_precision="bf16", kv_precision="fp8")
    for form in FORMATS:
        yield _served(f"Experts in {form}", "H200-141G-SXM", "Qwen3-30B-A3B", weight_precision=form)
        yield _served(f"Experts in {form}, new card", "B200-SXM", "Qwen3-30B-A3B", weight_precision=form, price_list="lambda",
                      pricing_model="on_demand")  # fmt: skip


def inputs() -> Inputs:
    """The sample's workloads; those that leave all to the assumptions; one of every kind of model, engine and format."""
    made = sample("en")
    offers = [
        Price(snapshot_date=DAY, price_list="极智算", listing=f"H20 {model}", gpu="H20-96G", cards=8, price=price, currency="USD",
              per="instance", period=period, pricing_model=model, tax="unstated", available="yes", source="made up")
        for model, price, period in (("reserved", 3300.0, "month"), ("spot", 4.0, "hour"))
    ]  # fmt: skip
    rates = [Fx(currency="USD", budget_currency="CNY", rate=7.1, rate_date=DAY, source="made up")]
    looked_at = {"owned_cards": 2.0, "peak_factor": 1.15}  # so that the peak is not far from that of its curve
    owned = [one.model_copy(update=looked_at) if one.workload == made.settings.looked_at else one for one in made.workloads]
    contract = Contract(contract="C-1", price_list="极智算", signed_on=DAY, start_date=datetime.date(2027, 2, 1),
                        term_months=12, notice_days=60,
                        agreed_discount=0.1, agreed_cards=24, agreed_per_month=90_000, prepayment_share=0.25)  # fmt: skip
    changed = {"price_drift": -0.1, "discount_change": 0.05, "growth_change": 0.01, "tokens_factor": 1.1}
    scenarios = [one.model_copy(update=changed) for one in made.plans.scenarios]
    return replace(
        made, assumptions=ASSUMED, workloads=(*owned, *_workloads()),
        settings=made.settings.model_copy(update={"run_rate_month": 9}),
        catalog=replace(made.catalog, prices=(*made.catalog.prices, *offers), fx=rates),
        plans=replace(made.plans, contracts=[contract], scenarios=scenarios))  # fmt: skip
