"""`solve` over a million rows against the same arithmetic written by hand in numpy: `python -m benchmarks.solve`.

Both get the same table of looked-up workloads and give the quantities of the articles' methods, which are compared before
they are timed. Serving has no hand-written twin: its own line says how long memory, times and throughput of a million
replicas at a load take, with their ranges.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from gpusheet import Context, Workload, solve
from gpusheet.catalog import Catalog
from gpusheet.lookup import frame, look_up
from gpusheet.serving_rows import RANGED, read_all
from gpusheet.wiring import order

# what only serving counts by, among the quantities of other subjects
OF_SERVING = (
    "own_head", "embedding_params_b", "head_projection_b", "attention_params_b", "kv_projection_params_b", "expert_layers",
    "one_expert_b", "expert_params_b", "expert_share", "slow_link", "pool_alert",
)  # fmt: skip
TIERS = np.array([0.0, 1.0, 2.0, 4.0, 8.0, np.nan])
TINY = 1e-9


def sample(rows: int) -> pd.DataFrame:
    """Inputs of random workloads on the built-in cards, models and prices, with gaps; repeated, demand varied."""
    chance = random.Random(1)
    catalog = Catalog.builtin()
    lists = {price.gpu: price.price_list for price in catalog.prices}
    works = []
    for number in range(500):
        gpu = chance.choice(catalog.gpus).gpu
        works.append(Workload(
            workload=f"w{number}", gpu=gpu, model=chance.choice(catalog.models).model,
            cards=chance.choice([1, 2, 4, 8]),
            input_tokens=chance.randint(100, 4000), output_tokens=chance.randint(50, 1500),
            weight_precision=chance.choice(["fp16", "int8", "int4"]), price_list=lists.get(gpu),
            sizing_method=chance.choice(["throughput", "constraint", "segment"]),
            length_distribution=chance.choice(["normal", "uniform", "long_tail"]),
            shared_prefix_tokens=chance.choice([0, 0, 50]), prefix_hit_rate=0.5,
            concurrency=chance.choice([None, None, None, 25]), fixed_cards=chance.choice([None, None, None, 6]),
            capex=chance.choice([None, 2e6]), override_reason=chance.choice([None, "load test"]),
            end_month=chance.choice([None, 12]), monthly_growth=chance.choice([0, 0.05]),
        ))  # fmt: skip
    table = frame([look_up(work, Context(catalog)) for work in works])
    table = table.loc[table.index.repeat(-(-rows // len(table)))].head(rows).reset_index(drop=True)
    numbers = np.random.default_rng(1)
    table["requests_per_day"] = np.where(numbers.random(rows) < 0.05, 0, numbers.integers(100, 5_000_000, rows)) * 1.0
    table["electricity_price"], table["colocation_per_kw_month"], table["network_per_month"] = 0.8, 500.0, 2000.0
    table["month"] = numbers.integers(1, 37, rows) * 1.0
    # no row is sized by serving: neither computes it
    table["serving_cards"] = table["replica_qps"] = table["serving_concurrency"] = 0.0
    table["price_age_days"] = numbers.integers(1, 90, rows) * 1.0
    table["price_tax"] = numbers.choice(np.array(["included", "unstated"], dtype=object), rows)
    table["price_available"] = numbers.choice(np.array(["yes", "no"], dtype=object), rows)
    return table


def known(flag: Any, *values: Any) -> Any:
    """The flag as 1 or 0, missing where one of the values compared is."""
    missing = np.isnan(values[0])
    for value in values[1:]:
        missing = missing | np.isnan(value)
    return np.where(missing, np.nan, flag)


def finite(x: Any) -> Any:
    return np.where(np.isinf(x), np.nan, x)


def tier(cards: Any) -> Any:
    rest = cards % 8
    return cards - rest + TIERS[np.searchsorted(TIERS[:-1], rest - TINY, side="right")]


def replica_cards(demand: Any, capacity: Any, cards: Any, least: Any) -> Any:
    usable = np.where(capacity > 0, capacity, np.nan)
    needed = np.maximum(least, -np.floor(TINY - demand / usable) + 0.0) * cards
    return np.where(demand <= TINY, 0.0, needed)


def typed(t: dict[str, Any], name: str, computed: Any) -> Any:
    return np.where(np.isnan(t[name]), computed, t[name]) if name in t else computed


def by_hand(table: pd.DataFrame) -> pd.DataFrame:
    """What an engineer would write for this table: one line for each quantity, on whole columns."""
    t = {name: table[name].to_numpy() for name in table.columns}
    r: dict[str, Any] = {}
    with np.errstate(all="ignore"):
        _demand(t, r)
        _memory(t, r)
        _throughput(t, r)
        _concurrency(t, r)
        _cards(t, r)
        _money(t, r)
        _calendar(t, r)
        _alerts(t, r)
    return pd.DataFrame({**t, **r}, copy=False)


def _demand(t: dict[str, Any], r: dict[str, Any]) -> None:
    method, p95 = t["sizing_method"], t["length_basis"] == "p95"
    t["by_throughput"], t["by_constraint"] = method == "throughput", method == "constraint"
    r["requests_per_day"] = typed(t, "requests_per_day", t["daily_active_users"] * t["requests_per_user_per_day"])
    r["average_qps"] = r["requests_per_day"] / (t["busy_hours"] * 3600)
    r["peak_qps"] = r["average_qps"] * t["peak_factor"]
    r["p95_input_tokens"] = typed(t, "input_p95", t["input_tokens"] * t["p95_factor"])
    r["p95_output_tokens"] = typed(t, "output_p95", t["output_tokens"] * t["p95_factor"])
    r["planning_input_tokens"] = np.where(p95, r["p95_input_tokens"], t["input_tokens"]) + t["image_tokens"]
    r["planning_output_tokens"] = np.where(p95, r["p95_output_tokens"], t["output_tokens"])
    r["tokens_per_request"] = t["input_tokens"] + t["output_tokens"] + t["image_tokens"]
    r["token_demand"] = r["peak_qps"] * r["tokens_per_request"]
    r["context_tokens"] = r["planning_input_tokens"] + r["planning_output_tokens"]
    buffered = np.where(t["by_constraint"], t["peak_factor"] / t["safety"], t["peak_factor"] * t["peak_buffer"])
    r["buffers_applied"] = np.where(t["by_throughput"], t["peak_factor"], buffered)


def _memory(t: dict[str, Any], r: dict[str, Any]) -> None:
    latent = t["kv_lora_rank"] + t["qk_rope_head_dim"]
    r["kv_elements_per_layer"] = np.where(t["kv_lora_rank"] > TINY, latent, 2 * t["kv_heads"] * t["head_dim"])
    full = t["full_attention_layers"] * r["kv_elements_per_layer"]
    r["kv_elements_per_token"] = typed(t, "kv_elements_per_token", full)
    sliding = t["sliding_layers"] * r["kv_elements_per_layer"]
    r["windowed_kv_elements_per_token"] = typed(t, "windowed_kv_elements_per_token", sliding)
    r["weights_gb"] = t["params_b"] * t["weight_bytes"] * t["weight_correction"]
    r["kv_per_request"] = 2 * t["layers"] * t["kv_heads"] * t["head_dim"] * r["context_tokens"] * t["kv_bytes"] / 1e9
    windowed = r["windowed_kv_elements_per_token"] * np.minimum(r["context_tokens"], t["window_tokens"])
    held = r["kv_elements_per_token"] * r["context_tokens"] + windowed + t["state_elements"]
    r["kv_gb_per_request"] = typed(t, "kv_gb_per_request", held * t["kv_bytes"] / 1e9)
    r["kv_gb_per_token"] = r["kv_gb_per_request"] / r["context_tokens"]
    all_memory = t["cards"] * t["memory_gb"]
    r["usable_kv_gb"] = (all_memory * t["memory_fraction"] - r["weights_gb"]) * t["fragmentation"]
    prefix = r["prefix_tokens"] = np.minimum(t["shared_prefix_tokens"], r["planning_input_tokens"])
    r["own_tokens"] = r["context_tokens"] - t["prefix_hit_rate"] * prefix
    left = r["usable_kv_gb"] - r["kv_gb_per_token"] * prefix
    r["kv_concurrency_with_prefix"] = finite(left / (r["kv_gb_per_token"] * r["own_tokens"]))
    plain = finite(r["usable_kv_gb"] / r["kv_gb_per_request"])
    shared = np.where(t["shared_prefix_tokens"] > TINY, r["kv_concurrency_with_prefix"], plain)
    r["memory_concurrency"] = np.where(np.isnan(r["kv_concurrency_with_prefix"] + plain), np.nan, shared)
    r["free_memory_gb"] = all_memory - r["weights_gb"] - t["cards"] * t["overhead_gb_per_card"]
    fitting = np.floor(finite(r["free_memory_gb"] / r["kv_gb_per_request"]) + TINY)
    r["segment_concurrency"] = np.maximum(0, fitting)
    r["fits"] = (r["free_memory_gb"] > TINY).astype(float)
    r["weight_share"] = r["weights_gb"] / all_memory
    one_card = finite((t["memory_gb"] - r["weights_gb"]) / r["kv_gb_per_request"])
    r["contexts_per_card"] = np.maximum(0, np.floor(one_card + TINY))
    r["batch_limit"] = np.floor(r["contexts_per_card"] * t["batch_fill"] + TINY)


def _throughput(t: dict[str, Any], r: dict[str, Any]) -> None:
    slow = (t["cards"] > 1 + TINY) & ((t["link"] == "pcie") | (t["link"] == "none"))
    r["weights_read_gb"] = r["weights_gb"] * t["active_params_b"] / t["params_b"]
    r["weight_read_throughput"] = t["bandwidth_gbs"] * t["bandwidth_efficiency"] / r["weights_read_gb"]
    r["batched_throughput"] = r["weight_read_throughput"] * t["batching_gain"]
    reference = t["reference_throughput"] * t["reference_weights_gb"] / r["weights_gb"]
    estimated = np.where(np.isnan(reference), r["batched_throughput"], reference)
    r["card_throughput"] = typed(t, "card_throughput", estimated)
    r["qps_share"] = t["tokens_per_s"] / t["output_tokens"]
    r["card_request_capacity"] = r["card_throughput"] / (t["output_tokens"] * r["qps_share"])
    r["link_penalty"] = np.where(slow, t["slow_link_penalty"], 1.0)
    r["prefill_utilisation"] = np.where(slow, t["slow_link_utilisation"], t["fast_link_utilisation"])
    r["effective_tflops"] = t["cards"] * t["fp16_tflops"] * r["prefill_utilisation"]
    r["prefill_flops"] = 2 * t["active_params_b"] * 1e9 * r["planning_input_tokens"]
    r["prefill_rate"] = r["effective_tflops"] * 1e12 / r["prefill_flops"]
    r["prefill_seconds"] = r["prefill_flops"] / (r["effective_tflops"] * 1e12)


def _concurrency(t: dict[str, Any], r: dict[str, Any]) -> None:
    r["request_seconds"] = r["prefill_seconds"] + t["output_tokens"] / t["tokens_per_s"]
    r["peak_concurrency"] = typed(t, "peak_concurrency", r["peak_qps"] * r["request_seconds"])
    r["buffered_concurrency"] = r["peak_concurrency"] * t["peak_buffer"]
    r["prefill_concurrency"] = r["prefill_rate"] * r["request_seconds"]
    speed = t["cards"] * t["bandwidth_gbs"] * r["link_penalty"]
    r["decode_concurrency"] = speed / (r["weights_read_gb"] * t["tokens_per_s"])
    memory, prefill, decode = r["memory_concurrency"], r["prefill_concurrency"], r["decode_concurrency"]
    smallest = r["smallest_concurrency"] = np.minimum(np.minimum(memory, prefill), decode)
    planned = np.maximum(1, np.floor(smallest * t["safety"] + TINY))
    planned = np.where(np.isnan(smallest), np.nan, np.where(smallest >= 1 - TINY, planned, 0))
    r["concurrency"] = typed(t, "concurrency", planned)
    index = (memory > np.minimum(prefill, decode) + TINY) * (1 + (prefill > decode + TINY))
    names = np.array(["memory", "prefill", "decode", ""], dtype=object)
    r["bottleneck"] = names[np.where(np.isnan(smallest), 3, index)]
    slack = np.maximum(0, t["ttft_target"] - r["prefill_seconds"])
    queue = r["prefill_rate"] * r["request_seconds"] * slack / (slack + 0.5 * r["prefill_seconds"])
    r["latency_concurrency"] = np.minimum(speed * t["tpot_target"] / r["weights_read_gb"], queue)
    by_segment = ~(t["by_throughput"] | t["by_constraint"])
    r["replica_concurrency"] = np.where(by_segment, r["segment_concurrency"], r["concurrency"])


def _cards(t: dict[str, Any], r: dict[str, Any]) -> None:
    cards, least = t["cards"], t["min_replicas"]
    r["fitting_throughput"] = np.where(np.isnan(r["fits"]), r["card_throughput"], r["card_throughput"] * r["fits"])
    r["replica_throughput"] = r["fitting_throughput"] * cards
    r["throughput_cards"] = replica_cards(r["token_demand"], r["replica_throughput"], cards, least)
    r["constraint_cards"] = replica_cards(r["peak_concurrency"], r["concurrency"], cards, least)
    r["segment_cards"] = replica_cards(r["buffered_concurrency"], r["segment_concurrency"], cards, least)
    others = np.where(t["by_constraint"], r["constraint_cards"], r["segment_cards"])
    r["cards_by_method"] = np.where(t["by_throughput"], r["throughput_cards"], others)
    r["cards_needed"] = typed(t, "fixed_cards", r["cards_by_method"])
    r["card_tier"] = tier(r["cards_needed"])
    room = np.minimum(t["memory_gb"] * t["weight_share_limit"], t["memory_gb"] - t["overhead_gb_per_card"])
    r["weight_room_gb"] = np.maximum(0, room)
    r["min_cards_for_weights"] = tier(finite(r["weights_gb"] / r["weight_room_gb"]))
    r["replicas"] = r["cards_needed"] / cards
    in_flight = np.minimum(r["peak_concurrency"] / np.maximum(1, r["replicas"]), r["replica_concurrency"])
    r["kv_share"] = in_flight * r["kv_gb_per_request"] / (cards * t["memory_gb"])
    r["net_cards"] = np.maximum(0, r["card_tier"] - t["owned_cards"] - t["committed_cards"])


def _money(t: dict[str, Any], r: dict[str, Any]) -> None:
    hourly, monthly = t["price_period"] == "hour", t["price_period"] == "month"
    r["periods_per_month"] = hourly * t["hours_per_month"] + monthly
    r["break_even_hours"] = t["price_month"] / t["price_hour"]
    r["hourly_cost"] = r["net_cards"] * t["price_hour"] * (1 - t["discount"])
    r["on_demand_monthly_cost"] = r["hourly_cost"] * t["hours_per_month"]
    r["committed_monthly_cost"] = r["net_cards"] * t["price_month"] * (1 - t["discount"])
    r["monthly_cost"] = r["net_cards"] * t["unit_price"] * r["periods_per_month"] * (1 - t["discount"])
    served = r["requests_per_day"] * t["days_per_month"]
    r["cost_per_million_output_tokens"] = finite(r["monthly_cost"] * 1e6 / (served * t["output_tokens"]))
    r["cost_per_million_tokens"] = finite(r["monthly_cost"] * 1e6 / (served * r["tokens_per_request"]))
    r["nodes"] = -np.floor(TINY - r["net_cards"] / t["max_cards_per_node"]) + 0.0
    r["power_kw"] = r["nodes"] * t["node_power_kw"] + r["net_cards"] * t["tdp_w"] * t["power_per_tdp"] / 1000
    r["residual_value"] = t["capex"] * t["residual_share"]
    r["monthly_depreciation"] = (t["capex"] - r["residual_value"]) / t["useful_life_months"]
    r["electricity_cost"] = r["power_kw"] * t["pue"] * 24 * t["days_per_month"] * t["electricity_price"]
    r["hosting_cost"] = r["power_kw"] * t["colocation_per_kw_month"] + t["network_per_month"]
    r["owned_cash_cost"] = r["electricity_cost"] + r["hosting_cost"] + t["capex"] * t["maintenance_rate"] / 12
    r["owned_monthly_cost"] = r["owned_cash_cost"] + r["monthly_depreciation"]
    r["monthly_saving"] = r["monthly_cost"] - r["owned_cash_cost"]
    r["buy_break_even_month"] = finite(t["capex"] / np.maximum(0, r["monthly_saving"]))
    rate = r["monthly_discount_rate"] = (1 + t["discount_rate"]) ** (1 / 12) - 1
    later = (1 + rate) ** -t["useful_life_months"]
    annuity = np.where(rate == 0, t["useful_life_months"], (1 - later) / rate)
    r["buy_npv"] = r["monthly_saving"] * annuity + r["residual_value"] * later - t["capex"]


def _calendar(t: dict[str, Any], r: dict[str, Any]) -> None:
    month, start = t["month"], t["start_month"]
    r["growth_factor"] = (1 + t["monthly_growth"]) ** (month - 1)
    end = np.where(np.isnan(t["end_month"]), month, t["end_month"])
    r["month_active"] = ((month >= start - TINY) & (end >= month - TINY)).astype(float)
    r["ramp_share"] = np.minimum(1, np.maximum(0, (month - start + 1) / t["ramp_months"]))
    r["demand_factor"] = r["growth_factor"] * r["month_active"] * r["ramp_share"]  # no season in this table
    others = np.where(t["by_constraint"], r["peak_concurrency"], r["buffered_concurrency"])
    r["sizing_demand"] = np.where(t["by_throughput"], r["token_demand"], others)
    r["replica_capacity"] = np.where(t["by_throughput"], r["replica_throughput"], r["replica_concurrency"])
    r["month_demand"] = r["sizing_demand"] * r["demand_factor"]
    computed = replica_cards(r["month_demand"], r["replica_capacity"], t["cards"], t["min_replicas"])
    r["month_demand_cards"] = computed
    r["month_cards"] = np.where(np.isnan(t["fixed_cards"]), computed, t["fixed_cards"] * r["month_active"])


def _alerts(t: dict[str, Any], r: dict[str, Any]) -> None:
    r["weight_alert"] = known(r["weight_share"] > t["weight_share_limit"] + TINY, r["weight_share"])
    r["kv_alert"] = known(r["kv_share"] > t["kv_share_limit"] + TINY, r["kv_share"])
    r["context_alert"] = known(r["context_tokens"] > t["max_context"] + TINY, t["max_context"])
    r["fit_alert"] = 1 - r["fits"]
    r["development_alert"] = (t["usage"] == "development").astype(float)
    r["confidence_alert"] = ((t["gpu_confidence"] == "low") | (t["model_confidence"] == "low")).astype(float)
    r["tax_alert"] = (t["price_tax"] == "unstated").astype(float)
    r["sold_out_alert"] = (t["price_available"] == "no").astype(float)
    r["stale_alert"] = known(t["price_age_days"] > t["stale_price_days"] + TINY, t["price_age_days"])
    reason = np.array([text or "" for text in t["override_reason"]], dtype=object)
    r["override_alert"] = ((t["overrides_typed"] > TINY) & (reason == "")).astype(float)


def serving_sample(rows: int) -> pd.DataFrame:
    """Inputs of replicas at a load: models of all kinds on current cards and engines, loads given and at the most."""
    models = (("Llama-3.1-8B", 1, "bf16"), ("Llama-3.1-70B", 4, "fp8"), ("DeepSeek-V3", 8, "fp8"), ("gpt-oss-120b", 2, "mxfp4"))
    given = product(models, ("H100 SXM", "H200", "B200"), ("vllm", "sglang", "tensorrt-llm"), (1024, 8192), ("", 4, 64))
    cells = [
        {"model": model, "cards": cards, "weight_precision": precision, "gpu": gpu, "engine": engine, "input_tokens": tokens,
         "output_tokens": 512, "concurrency": load}
        for (model, cards, precision), gpu, engine, tokens, load in given
    ]  # fmt: skip
    found, refused = read_all(cells, Context())
    if any(refused):
        raise SystemExit(f"refused: {next(filter(None, refused))}")
    table = frame(list(found.values()))
    return table.iloc[np.random.default_rng(1).integers(0, len(table), rows)].reset_index(drop=True)


def articles() -> list[str]:
    """The quantities that do not belong to serving alone."""
    return [rule.name for rule in order() if not rule.subject.startswith("serving") and rule.name not in OF_SERVING]


def solve_articles(table: pd.DataFrame) -> pd.DataFrame:
    return solve(table, only=articles())


def compare(table: pd.DataFrame) -> int:
    """Raises where a quantity differs; the number of quantities compared."""
    ours, hand = solve_articles(table), by_hand(table)
    rules = articles()
    missing = set(rules) - set(hand.columns)
    if missing:
        raise SystemExit(f"not written by hand: {', '.join(sorted(missing))}")
    for name in rules:
        if not pd.api.types.is_numeric_dtype(ours[name]):
            if not (ours[name] == hand[name]).all():
                raise SystemExit(f"{name} differs")
        elif not np.allclose(ours[name], hand[name], rtol=1e-9, atol=1e-9, equal_nan=True):
            row = int(np.argmin(np.isclose(ours[name], hand[name], rtol=1e-9, atol=1e-9, equal_nan=True)))
            raise SystemExit(f"{name} differs in row {row}: {ours[name][row]} by solve, {hand[name][row]} by hand")
    return len(rules)


def seconds(function: Any, table: pd.DataFrame) -> float:
    """Processor time, to which other work on the machine adds little; both run on one core."""
    start = time.process_time()
    function(table)
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    table = sample(options.rows)
    count = compare(table.head(100_000))
    print(f"{count} quantities agree; {len(table):,} rows of {len(table.columns)} input columns")
    pairs = [(seconds(solve_articles, table), seconds(by_hand, table)) for _ in range(options.runs)]
    for ours, hand in pairs:
        print(f"solve {ours:6.2f} s   by hand {hand:6.2f} s   ratio {ours / hand:.2f}")
    print(f"ratio (median of {len(pairs)}): {statistics.median(ours / hand for ours, hand in pairs):.2f}")
    del table
    serving = serving_sample(options.rows)
    times = [seconds(lambda rows: solve(rows, only=RANGED), serving) for _ in range(options.runs)]
    spread = f"median of {len(times)}, {min(times):.2f} to {max(times):.2f}"
    print(f"serving, {len(serving):,} rows: {statistics.median(times):.2f} s ({spread})")


if __name__ == "__main__":
    main()
