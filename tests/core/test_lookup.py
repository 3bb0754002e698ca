"""From workloads to quantities: the articles' chains end to end, and look-ups that find nothing say why."""

from __future__ import annotations

import datetime
import math
from dataclasses import replace
from typing import Any

import pytest
from values import same

from gpusheet import Assumptions, Context, Workload, estimate, solve
from gpusheet.catalog import Catalog, Fx, Price
from gpusheet.errors import UnknownName
from gpusheet.lookup import exchange_rate, frame, look_up

CATALOG = Catalog.builtin()
PRICE = {
    "snapshot_date": "2026-10-01", "price_list": "cloud/east", "gpu": "L20", "cards": 1, "price": 4, "per": "card",
    "currency": "CNY", "period": "hour", "pricing_model": "on_demand", "tax": "included", "source": "quote 17",
}  # fmt: skip


def workload(**values: Any) -> Workload:
    known = {"workload": "chat", "gpu": "L20", "model": "Generic-7B", "input_tokens": 200, "output_tokens": 300}
    return Workload(**{**known, **values})


def one(context: Context | None = None, **values: Any) -> dict[str, Any]:
    """All quantities of one workload."""
    found: dict[str, Any] = estimate([workload(**values)], context).iloc[0].to_dict()
    return found


def with_prices(*prices: dict[str, Any], fx: tuple[Fx, ...] = (), **settings: Any) -> Context:
    return Context(catalog=replace(CATALOG, prices=tuple(Price(**(PRICE | p)) for p in prices), fx=fx), **settings)


# --- the articles, end to end ---------------------------------------------------------------------------------------


def test_article_a_service_bot_on_l20() -> None:
    found = one(
        weight_precision="int8", requests_per_day=80000, busy_hours=10, peak_factor=4, sizing_method="throughput",
        price_list="gongjiyun")  # fmt: skip
    assert found["average_qps"] == pytest.approx(2.2222, abs=1e-4)
    assert found["peak_qps"] == pytest.approx(8.8889, abs=1e-4)
    assert found["token_demand"] == pytest.approx(80000 / 36000 * 4 * 500)
    assert (found["card_throughput"], found["cards_needed"], found["card_tier"]) == (1800, 3, 4)
    assert found["monthly_cost"] == 4 * 4 * 720 and found["missing"] == ""
    assert found["buffers_applied"] == 4


def article_b(gpu: str = "A100-80G-SXM", **values: Any) -> dict[str, Any]:
    """8 x A100, 7B, 512/256 with a long tail: fragmentation 1 and compute 0.35 as in the article's own example."""
    rows = tuple(row.model_copy(update={"fragmentation": 1.0}) for row in CATALOG.distributions)
    link = {"link": "pcie"} if gpu == "pcie" else {}
    gpus = tuple(g.model_copy(update=link) if g.gpu == "A100-80G-SXM" else g for g in CATALOG.gpus)
    context = Context(
        catalog=replace(CATALOG, distributions=rows, gpus=gpus),
        assumptions=Assumptions(fast_link_utilisation=0.35, length_distribution="long_tail", sizing_method="constraint"))  # fmt: skip
    known = {"gpu": "A100-80G-SXM", "cards": 8, "input_tokens": 512, "output_tokens": 256, "price_list": "crusoe",
             "weight_precision": "int4", "kv_gb_per_request": 1.5}  # fmt: skip
    return one(context, **{**known, **values})


def test_article_b_chat_on_eight_a100() -> None:
    found = article_b()
    assert (found["planning_input_tokens"], found["planning_output_tokens"]) == (2048, 1024)
    assert found["context_tokens"] == 3072
    assert found["weights_gb"] == pytest.approx(3.85) and found["usable_kv_gb"] == pytest.approx(508.15)
    assert found["memory_concurrency"] == pytest.approx(338.7667, abs=1e-4)
    assert found["prefill_rate"] == pytest.approx(30.46875) and found["prefill_concurrency"] == pytest.approx(391)
    assert found["decode_concurrency"] == pytest.approx(211.8442, abs=1e-4)
    assert (found["concurrency"], found["bottleneck"]) == (169, "decode")


def test_article_b_with_the_models_own_kv_and_the_long_tails_fragmentation() -> None:
    found = article_b(kv_gb_per_request=None)
    assert found["kv_gb_per_request"] == pytest.approx(1.610612736) == pytest.approx(found["kv_per_request"])
    assert found["memory_concurrency"] == pytest.approx(315.5, abs=0.05) and found["concurrency"] == 169
    context = Context(assumptions=Assumptions(length_distribution="long_tail"))
    found = one(context, gpu="A100 80GB", cards=8, input_tokens=512, output_tokens=256, weight_precision="int4")
    assert found["fragmentation"] == 0.85 and found["prefill_utilisation"] == 0.4 and found["concurrency"] == 169


@pytest.mark.parametrize(
    ("precision", "memory", "expected"), [("fp16", 332, 46), ("int8", 336.6667, 93), ("int4", 338.7667, 169)])
def test_article_b_by_precision(precision: str, memory: float, expected: float) -> None:
    found = article_b(weight_precision=precision)
    assert found["memory_concurrency"] == pytest.approx(memory, abs=1e-4)
    assert (found["concurrency"], found["bottleneck"]) == (expected, "decode")


def test_article_b_over_pcie_lowers_the_throughput() -> None:
    found = article_b(gpu="pcie")
    assert (found["link_penalty"], found["prefill_utilisation"]) == (0.3, 0.2)
    assert found["decode_concurrency"] == pytest.approx(63.5532, abs=1e-4) and found["concurrency"] == 50
    assert found["request_seconds"] == pytest.approx(12.857, abs=1e-3), "a user still sees 20 tokens a second"


def test_article_b_cards_for_three_hundred() -> None:
    found = article_b(peak_concurrency=300)
    assert (found["constraint_cards"], found["cards_needed"], found["card_tier"], found["replicas"]) == (16, 16, 16, 2)


def article_c(
    gpu: str, model: str, precision: str, cards: int = 1, overhead: float = 2, **values: Any
) -> dict[str, Any]:
    """By memory segments with the article's 2 GB a request."""
    context = Context(assumptions=Assumptions(overhead_gb_per_card=overhead))
    return one(context, gpu=gpu, model=model, weight_precision=precision, cards=cards, kv_gb_per_request=2,
               sizing_method="segment", price_list="极智算", **values)  # fmt: skip


def test_article_c_32b_on_h20() -> None:
    found = article_c("H20 96G", "Generic-32B", "fp16", overhead=0)
    assert (found["weights_gb"], found["free_memory_gb"], found["segment_concurrency"]) == (64, 32, 16)
    assert found["weight_share"] == pytest.approx(2 / 3) and found["price_hour"] == 6.2
    assert found["break_even_hours"] == pytest.approx(720)


def test_article_c_70b_in_its_three_ways() -> None:
    alone = article_c("H200 141G", "Generic-70B", "fp16")
    assert (alone["free_memory_gb"], alone["fits"], alone["segment_concurrency"]) == (-1, 0, 0)
    assert alone["min_cards_for_weights"] == 2
    pair = article_c("H200 141G", "Generic-70B", "fp16", cards=2, peak_concurrency=40, pricing_model="monthly")
    assert (pair["segment_concurrency"], pair["buffered_concurrency"], pair["card_tier"]) == (69, 60, 2)
    assert (pair["hourly_cost"], pair["monthly_cost"]) == (27.88, 20072)
    int8 = article_c("H200 141G", "Generic-70B", "int8", peak_concurrency=20)
    assert (int8["segment_concurrency"], int8["card_tier"], int8["hourly_cost"]) == (34, 1, 13.94)
    small = article_c("RTX 4090 48G", "Generic-70B", "int4")
    assert small["weight_share"] == pytest.approx(38.5 / 48) and small["weight_share"] > small["weight_share_limit"]


def test_article_c_longer_contexts_take_kv_in_proportion() -> None:
    basis = {"model": "Generic-32B", "gpu": "H20 96G", "length_basis": "mean", "output_tokens": 96}
    short, long = one(**basis, input_tokens=4000), one(**basis, input_tokens=32672)
    assert long["kv_gb_per_request"] / short["kv_gb_per_request"] == pytest.approx(8)


# --- where values come from -----------------------------------------------------------------------------------------


def test_aliases_are_taken_and_unknown_names_answered() -> None:
    assert one(gpu="NVIDIA H100 80GB HBM3")["memory_gb"] == 80
    assert one(gpu="h20 96g", model="qwen/qwen3-32b")["params_b"] == pytest.approx(32.76)
    with pytest.raises(UnknownName, match=r"gpu: 'H20 97G' is not known; did you mean .*H20-96G"):
        one(gpu="H20 97G")
    with pytest.raises(UnknownName, match=r"model: 'Generic-8B' is not known; did you mean .*Generic-7B"):
        one(model="Generic-8B")


def test_blank_takes_the_assumption_and_a_typed_value_overrules_it() -> None:
    context = Context(assumptions=Assumptions(safety=0.7, peak_factor=3))
    found = one(context, peak_factor=4)
    assert (found["safety"], found["peak_factor"], found["busy_hours"]) == (0.7, 4, 10)


def test_overrides_of_a_workload_replace_rules() -> None:
    typed = {"requests_per_day": 1000, "peak_concurrency": 33, "kv_gb_per_request": 3, "concurrency": 7,
             "card_throughput": 55}  # fmt: skip
    found = one(**typed, daily_active_users=9, requests_per_user_per_day=9, fixed_cards=6)
    assert {name: found[name] for name in typed} == typed
    assert found["cards_needed"] == 6 and found["card_tier"] == 8
    assert one(daily_active_users=9, requests_per_user_per_day=9)["requests_per_day"] == 81


def test_models_that_cache_less_than_their_heads_say() -> None:
    deepseek = one(model="DeepSeek-V3", gpu="H200 141G", cards=16)
    assert deepseek["kv_elements_per_layer"] == 576
    assert deepseek["kv_per_request"] / deepseek["kv_gb_per_request"] > 50
    assert deepseek["weights_read_gb"] < deepseek["weights_gb"] / 10, "a mixture of experts reads its active share"


def test_estimate_is_look_up_and_solve() -> None:
    workloads = [workload(workload=name, requests_per_day=day) for name, day in [("a", 1e5), ("b", None), ("c", 0)]]
    context = Context()
    table = estimate(workloads, context)
    assert table["workload"].tolist() == ["a", "b", "c"] and list(table.index) == [0, 1, 2]
    for row, one_workload in enumerate(workloads):
        values = look_up(one_workload, context).values
        solved = solve(values)
        for name, value in solved.items():
            if name != "tiers":
                assert same(value, table[name].iloc[row]), name
    assert "tiers" not in frame([look_up(workloads[0], context)])
    assert table["card_tier"].tolist()[2] == 0 and math.isnan(table["card_tier"].tolist()[1])


def test_no_workloads_no_rows() -> None:
    assert len(estimate([])) == 0 and "card_tier" in estimate([])


# --- prices ---------------------------------------------------------------------------------------------------------


def test_missing_price_stays_missing_and_says_why() -> None:
    found = one(with_prices({"gpu": "H20-96G"}), requests_per_day=80000, price_list="cloud/east")
    assert found["card_tier"] > 0
    for name in ("price_hour", "unit_price", "hourly_cost", "monthly_cost", "break_even_hours"):
        assert math.isnan(found[name]), name
    assert found["missing"] == "price: no on_demand price of L20 in cloud/east as of 2026-10-01"


def test_no_price_list_names_those_that_have_the_card() -> None:
    found = one(with_prices({}, {"price_list": "cloud/west"}, {"gpu": "H20-96G", "price_list": "other"}))
    assert found["missing"] == "price_list: blank; name one that has L20: cloud/east, cloud/west"
    assert math.isnan(found["monthly_cost"])


def test_one_workload_without_a_price_does_not_touch_the_others() -> None:
    works = [workload(workload=name, price_list=prices, fixed_cards=1)
             for name, prices in [("a", "cloud/east"), ("b", None), ("c", "cloud/west")]]  # fmt: skip
    for order in (works, works[::-1]):
        costs = estimate(order, with_prices({})).set_index("workload")["monthly_cost"]
        assert costs["a"] == 4 * 720 and math.isnan(costs["b"]) and math.isnan(costs["c"])


def test_two_rows_of_one_day_are_ambiguous_until_the_listing_is_named() -> None:
    earlier = {"snapshot_date": "2026-09-01"}
    context = with_prices({"listing": "small", "price": 4}, {"listing": "large", "price": 3}, earlier)
    known = {"price_list": "cloud/east", "fixed_cards": 1}
    found = one(context, **known)
    assert found["missing"].startswith("price: 2 rows for the on_demand price of L20 in cloud/east")
    assert found["missing"].endswith("name the listing") and math.isnan(found["monthly_cost"])
    assert one(context, **known, listing="LARGE")["monthly_cost"] == 3 * 720


def test_newest_price_at_the_as_of_date() -> None:
    prices = [{"snapshot_date": f"2026-{month:02}-01", "price": month} for month in (3, 6, 9)]
    known = {"price_list": "cloud/east"}
    assert one(with_prices(*prices), **known)["unit_price"] == 9
    assert one(with_prices(*prices, as_of=datetime.date(2026, 8, 31)), **known)["unit_price"] == 6
    assert one(with_prices(*prices, as_of=datetime.date(2026, 6, 1)), **known)["unit_price"] == 6
    early = one(with_prices(*prices, as_of=datetime.date(2026, 2, 28)), **known)
    assert math.isnan(early["unit_price"]) and "as of 2026-02-28" in early["missing"]


def test_instance_and_month_prices() -> None:
    context = with_prices(
        {"cards": 8, "per": "instance", "price": 32}, {"pricing_model": "monthly", "period": "month", "price": 2000})
    known = {"price_list": "cloud/east", "fixed_cards": 8, "discount": 0.1}
    hour, month = one(context, **known), one(context, **known, pricing_model="monthly")
    assert (hour["price_hour"], hour["price_month"], hour["break_even_hours"]) == (4, 2000, 500)
    assert hour["monthly_cost"] == pytest.approx(8 * 4 * 720 * 0.9)
    assert month["monthly_cost"] == pytest.approx(8 * 2000 * 0.9) and month["periods_per_month"] == 1


USD = Fx(currency="USD", budget_currency="CNY", rate=7.1, rate_date="2026-10-01", source="bank")


def test_foreign_price_needs_one_rate() -> None:
    known = {"price_list": "cloud/east", "fixed_cards": 1}
    dollars = {"currency": "USD", "price": 2}
    found = one(with_prices(dollars), **known)
    assert math.isnan(found["monthly_cost"])
    assert found["missing"] == "FX: no single rate from USD to CNY; type one with its date and source"
    assert one(with_prices(dollars, fx=(USD,)), **known)["monthly_cost"] == pytest.approx(2 * 7.1 * 720)
    twice = one(with_prices(dollars, fx=(USD, USD.model_copy(update={"rate": 7.2}))), **known)
    assert math.isnan(twice["monthly_cost"]) and "no single rate" in twice["missing"]
    assert one(with_prices(dollars, currency="USD"), **known)["monthly_cost"] == 1440


def test_rate_is_of_the_budgets_currency() -> None:
    context = with_prices({}, fx=(USD,))
    assert exchange_rate("USD", context) == 7.1 and exchange_rate("CNY", context) == 1
    assert math.isnan(exchange_rate("USD", replace(context, currency="EUR")))
