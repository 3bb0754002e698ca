"""`gpusheet calc`: direct, solved, and refused."""

from __future__ import annotations

import ast
import math
from typing import Any

import pytest
from commands import BOT, NEWEST, refused, run
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusheet.catalog.load import keys
from gpusheet.missing import is_missing
from gpusheet.registry import Rule, all_rules
from gpusheet.wiring import quantities


def test_by_name() -> None:
    ended = run("calc", "decode_concurrency", "cards=8", "bandwidth_gbs=2039", "weights_gb=3.85", "tokens_per_s=20")
    assert (ended.status, ended.out, ended.err) == (0, "211.844 requests\n", "")


def test_by_position_as_in_a_sheet() -> None:
    assert run("calc", "KV_PER_REQUEST", 32, 32, 128, 3072, 2).out == "1.61061 GB/request\n"
    assert run("calc", "kv_per_request", 32, 32, 128, "kv_bytes=2", "context_tokens=3072").out == "1.61061 GB/request\n"


def test_a_table_of_sizes_may_be_given() -> None:
    assert run("calc", "card_tier", "2.5").out == "4 cards\n"
    assert run("calc", "card_tier", "2.5", "tiers=0,1,3").out == "3 cards\n"


def test_function_only_rules() -> None:
    assert run("calc", "tier_saving", 8, 2.67, 4).out == "50%\n"
    refused(run("calc", "tier_saving", 8),
            "tier_saving: give cards_theory, cards_after as well; it stands for itself, nothing else leads to it")


def examples(rule: Rule) -> list[list[Any]]:
    """The arguments of the rule's own examples in its docstring."""
    lines = [line[4:] for line in rule.doc.splitlines() if line.startswith(">>> ")]
    calls = [node for line in lines for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Call)]
    return [
        [eval(ast.unparse(argument)) for argument in call.args]
        for call in calls if isinstance(call.func, ast.Name) and call.func.id == rule.name
    ]  # fmt: skip


@pytest.mark.parametrize("rule", all_rules().values(), ids=list(all_rules()))
def test_every_example_of_every_rule(rule: Rule) -> None:
    assert examples(rule)
    shown = 0
    for arguments in examples(rule):
        words = ["" if value is None else value for value in arguments]
        ended = run("calc", rule.name, *words)
        value = rule(*arguments)
        if is_missing(value):
            assert ended.status == 1 and len(ended.errors) == 1
        elif ended.status == 1:  # an example of the function at a value that no field may have
            assert ", allowed " in ended.errors[0]
        else:
            assert ended.out == f"{rule.unit.show(value)}\n"
            shown += 1
    assert shown


def test_a_figure_from_what_is_upstream() -> None:
    ended = run("calc", "peak_qps", "requests_per_day=80000", "busy_hours=10")
    assert (ended.status, ended.out, ended.err) == (0, "4.44444 requests/s\n", "assumed: peak_factor=2\n")


def test_own_arguments_stand_for_what_the_solver_passes() -> None:
    ended = run("calc", "decode_concurrency", "gpu=A100-80G-SXM", "cards=8", "weights_gb=3.85", "tokens_per_s=20")
    assert ended.out == "211.844 requests\n"
    assert "weight" not in ended.err


def test_precisions_stand_for_bytes() -> None:
    assert run("calc", "weights_gb", "params_b=7").out == "14 GB\n"
    assert run("calc", "weights_gb", "params_b=7").err == "assumed: weight_precision=fp16\n"
    assert run("calc", "weights_gb", "params_b=7", "weight_precision=int4").out == "3.85 GB\n"
    assert run("calc", "weights_gb", "params_b=7", "weight_bytes=1", "weight_correction=1").err == ""


def test_cards_models_and_prices_are_looked_up() -> None:
    ended = run("calc", "monthly_cost", *BOT)
    assert ended.out == "11,520 CNY/month\n"
    assert "pricing_model=on_demand" in ended.err and f"as_of={NEWEST}" in ended.err


def test_a_typed_fact_beats_the_card() -> None:
    with_card = run("calc", "weight_share", "gpu=H20 96G", "weights_gb=32")
    assert with_card.out == "33.33%\n"
    assert run("calc", "weight_share", "gpu=H20 96G", "weights_gb=32", "memory_gb=64").out == "50%\n"


def test_what_is_typed_for_nothing_is_said() -> None:
    ended = run("calc", "peak_qps", "requests_per_day=80000", "busy_hours=10", "peak_factor=2", "gpu=L20", "layers=3")
    assert ended.status == 0
    assert ended.err == "not used by peak_qps: gpu, layers\n"


def test_every_assumption_used_is_said_and_none_besides() -> None:
    ended = run("calc", "usable_kv_gb", "gpu=H20 96G", "weights_gb=32", "cards=1")
    assert ended.err == "assumed: memory_fraction=0.8, length_distribution=normal\n"


@pytest.mark.parametrize(("words", "line"), [
    (["cards_neded", "x=1"], "rule: 'cards_neded' is not known; did you mean cards_needed, cards_age, cards_by_method?"),
    (["card_tier", "x=3"], "card_tier, argument: 'x' is not known; allowed: cards_needed, tiers"),
    (["card_tier", "cards_neded=3"],
     "card_tier, argument: 'cards_neded' is not known; did you mean cards_needed, cards, max_cards_per_node?"),
    (["card_tier", "card_tier=3"],
     "card_tier: is what is asked for; give what it is computed from (cards_needed, tiers)"),
    (["card_tier", "-5"], "card_tier, cards_needed: found '-5', allowed a number at least 0, or blank"),
    (["card_tier", "cards_needed=-5"], "card_tier, cards_needed: found '-5', allowed a number at least 0, or blank"),
    (["card_tier", "three"], "card_tier, cards_needed: found 'three', allowed a number at least 0, or blank"),
    (["card_tier", "nan"], "card_tier, cards_needed: found 'nan', allowed a number at least 0, or blank"),
    (["card_tier", "1e999"], "card_tier, cards_needed: found '1e999', allowed a number at least 0, or blank"),
    (["card_tier", "3,5"], "card_tier, cards_needed: found '3,5', allowed a number at least 0, or blank"),
    (["card_tier", "1", "2", "3"], "card_tier: found 3 values, allowed 2 at most (cards_needed, tiers)"),
    (["card_tier", "1", "cards_needed=2"], "card_tier, cards_needed: given by position and by name; leave one"),
    (["card_tier", "cards_needed=1", "cards_needed=2"], "cards_needed: given twice, as '1' and '2'; leave one"),
    (["card_tier", "cards_needed=1", "2"],
     "found '2' after name=value; give values by position first, or all by name"),
    (["card_tier", "9", "tiers=3,1"],
     "card_tier, tiers: found '3,1', allowed ascending numbers that begin with 0, such as 0,1,2,4,8"),
    (["average_qps", "80000", "25"],
     "average_qps, busy_hours: found '25', allowed a number above 0 and at most 24, or blank"),
    (["effective_tflops", "1", "148", "0.7"],
     "effective_tflops, prefill_utilisation: found '0.7', allowed a number above 0 and at most 0.6, or blank"),
    (["throughput_cards", "1", "1", "1.5"],
     "throughput_cards, cards: found '1.5', allowed a whole number at least 1, or blank"),
    (["peak_qps", "gpu=H300"], "gpu: 'H300' is not known; did you mean B300-SXM, H100-80G-PCIe, H100-80G-SXM?"),
    (["weights_gb", "model=Qwen9"],
     "model: 'Qwen9' is not known; did you mean Qwen1.5-0.5B, Qwen1.5-1.8B, Qwen1.5-110B?"),
    (["weights_gb", "params_b=7", "weight_precision=fp7"],
     f"weights_gb, weight_precision: found 'fp7', allowed one of {', '.join(keys('precisions'))}, or blank"),
    (["monthly_cost", "currency=yuan"],
     "monthly_cost, currency: found 'yuan', allowed three capital letters such as CNY or USD, or blank"),
    (["monthly_cost", "pricing_model=weekly"],
     "monthly_cost, pricing_model: found 'weekly', allowed one of on_demand, monthly, reserved, spot, or blank"),
    (["monthly_cost", "as_of=2026-02-30"],
     "monthly_cost, as_of: found '2026-02-30', allowed a date such as 2026-10-27, or blank"),
])  # fmt: skip
def test_wrong_input_gets_an_answer(words: list[str], line: str) -> None:
    refused(run("calc", *words), line)


def test_options_are_not_values() -> None:
    refused(run("calc", "card_tier", "--lang", "zh"),
            "Invalid value: found '--lang', allowed name=value and --help; see gpusheet calc --help", status=2)


@pytest.mark.parametrize(("words", "line"), [
    (["peak_qps"], "peak_qps: missing; give requests_per_day (or daily_active_users, requests_per_user_per_day)"),
    (["weights_gb"], "weights_gb: missing; give model (or params_b)"),
    (["weight_share", "gpu=L20"], "weight_share: missing; give model (or params_b)"),
    (["request_seconds", "prefill_seconds="],
     "request_seconds: missing; give input_tokens, output_tokens, model (or active_params_b), gpu (or fp16_tflops)"),
    (["monthly_cost", "gpu=L20", "cards_needed=3"],
     "monthly_cost: missing; price_list: blank; name one that has L20: gongjiyun"),
    (["monthly_cost", "gpu=L20", "cards_needed=3", "price_list=gongjiyun", "pricing_model=spot"],
     f"monthly_cost: missing; price: no spot price of L20 in gongjiyun as of {NEWEST}"),
    (["monthly_cost", "gpu=L20", "cards_needed=3", "price_list=gongjiyun", "currency=USD"],
     "monthly_cost: missing; FX: no single rate from CNY to USD; type one with its date and source"),
    (["cards_by_method", "sizing_method=constraint", "constraint_cards=", "serving_cards=1", "throughput_cards=1",
      "segment_cards=2"], "cards_by_method: missing; give constraint_cards"),
    (["constraint_cards", "300", "", "8"], "constraint_cards: missing; give concurrency"),
    (["segment_cards", "10", "0", "1"],
     "segment_cards: missing; segment_cards = CHOOSE(1+(peak_concurrency>tiny),0,MAX(min_replicas,"
     "-INT(tiny-peak_concurrency/segment_concurrency))*cards) has no value at peak_concurrency=10, "
     "segment_concurrency=0, cards=1, min_replicas=1"),
])  # fmt: skip
def test_a_missing_result_says_what_to_give(words: list[str], line: str) -> None:
    refused(run("calc", *words), line)


@pytest.mark.parametrize("name", [name for name, quantity in quantities().items() if quantity.rule])
def test_what_a_missing_result_asks_for_is_enough(name: str) -> None:
    """Giving what the line asks for leads to the figure, or to the next thing it needs."""
    answers = {
        "gpu": "H20 96G", "model": "Qwen2.5-32B", "price_list": "极智算", "input_tokens": 512, "output_tokens": 256,
        "requests_per_day": 80000, "daily_active_users": 8000, "requests_per_user_per_day": 10, "capex": 1e6,
        "electricity_price": 0.7, "colocation_per_kw_month": 700, "network_per_month": 1000,
        "prepared_on": "2026-11-01",
    }  # fmt: skip
    words: list[str] = []
    for _ in range(len(answers) + 1):
        ended = run("calc", name, *words)
        if ended.status == 0:
            return
        known = {word.partition("=")[0] for word in words}
        wanted = [key for key in answers if f" {key}" in ended.errors[0] and key not in known]
        assert wanted, ended.errors
        words += [f"{key}={answers[key]}" for key in wanted]
    raise AssertionError(f"{name} is still missing with {words}")


VALUES = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True).map(repr),
    st.integers().map(str),
    st.sampled_from(["", " ", "fp16", "L20", "constraint", "=1+1", "1e308", "-0", "0x10", "1_000", "\u0661"]),
    st.just("9" * 400),
    st.text(max_size=12),
)
NAMES = st.one_of(st.sampled_from([*quantities(), "gpu", "model", "as_of", "tiers"]), st.text("abc_=", max_size=8))
WORDS = st.one_of(VALUES, st.tuples(NAMES, VALUES).map("=".join))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(list(all_rules())), st.lists(WORDS, max_size=5))
def test_no_words_lead_to_a_traceback(rule: str, words: list[str]) -> None:
    ended = run("calc", rule, *words)
    assert ended.status in (0, 1, 2)
    assert (ended.status == 0) == bool(ended.out) == (not ended.errors)
    if ended.status == 0 and "--help" not in words:
        assert not any(word in ended.out for word in ("nan", "inf", "missing"))


def test_missing_knows_nan() -> None:
    assert is_missing(math.nan) and is_missing(None) and not is_missing(0.0)
