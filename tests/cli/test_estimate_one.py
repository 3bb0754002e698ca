"""`gpusheet estimate` with options: one workload on the screen."""

from __future__ import annotations

import json

import pytest
from commands import BOT, options, refused, run

from gpusheet import Workload, estimate
from gpusheet.catalog import Assumptions, columns
from gpusheet.catalog.load import keys
from gpusheet.cli.estimate_screen import AFTER, BEFORE, METHODS
from gpusheet.missing import is_missing
from gpusheet.wiring import quantities

LENGTHS = ("input_tokens=200", "output_tokens=300")
PLAIN = ("gpu=L20", "model=Generic-7B", *LENGTHS)


def test_the_main_figures() -> None:
    ended = run("estimate", *options(*BOT))
    assert ended.status == 0
    lines = {line.split("  ")[0]: line for line in ended.out.splitlines() if line}
    for name in (*BEFORE, *AFTER):
        assert quantities()[name].label() in lines
    assert "11,520 CNY/month" in lines["Cost per month"]
    assert "3 cards   decides" in lines["[A] token throughput"]
    assert "34 cards" in lines["[B] tightest constraint"] and "decides" not in lines["[B] tightest constraint"]
    assert "3 cards" in lines["[C] memory segments"]
    assert "4 cards" in lines["Cards billed (tier)"]
    assert ended.err == "alert: Tax basis unstated\n"


def test_in_chinese() -> None:
    out = run("estimate", *options(*BOT), "--lang", "zh").out
    assert "[A] 令牌吞吐法" in out and "采用" in out and "11,520 CNY/月" in out


def test_every_name_on_the_screen_is_a_quantity() -> None:
    assert {*BEFORE, *AFTER, *(name for names in METHODS.values() for name in names)} <= quantities().keys()
    methods = next(c.choices for c in columns(Assumptions) if c.name == "sizing_method")
    assert tuple(METHODS) == methods


def test_json_is_what_python_gives() -> None:
    found = json.loads(run("estimate", *options(*BOT), "--json").out)
    workload = Workload.model_validate(dict(pair.split("=") for pair in BOT) | {"workload": "estimate"})
    [row] = estimate([workload]).to_dict("records")
    assert found.pop("missing") == [] and row.pop("missing") == ""
    assert found.keys() - row.keys() == {"tiers"}
    for name, value in row.items():
        if is_missing(value):
            assert is_missing(found[name])
        else:
            assert found[name] == value, name


def test_all_shows_every_quantity() -> None:
    out = run("estimate", *options(*BOT), "--all").out
    shown = {line.split()[-1] for line in out.splitlines() if line.strip()}
    assert quantities().keys() <= shown


def test_every_column_and_every_assumption_is_an_option() -> None:
    out = run("estimate", "--help").out
    for column in (*columns(Workload), *columns(Assumptions)):
        option = f"--{column.name.replace('_', '-')}"
        assert f"{option} " in out or f"{option[:21]}…" in out
    assert all(f"--{name} " in out for name in ("currency", "as-of", "prepared-on"))


def test_an_assumption_counts() -> None:
    found = json.loads(run("estimate", *options(*BOT, "memory_fraction=0.7", "busy_hours=5"), "--json").out)
    assert (found["memory_fraction"], found["busy_hours"]) == (0.7, 5)


def test_prices_are_of_the_day_asked_for() -> None:
    before = run("estimate", *options(*BOT, "as_of=2026-10-01"))
    assert before.status == 0
    assert "missing: price: no on_demand price of L20 in gongjiyun as of 2026-10-01" in before.err
    stale = run("estimate", *options(*BOT, "prepared_on=2027-06-01"))
    assert "alert: Price is stale" in stale.err


@pytest.mark.parametrize(("pairs", "lines"), [
    (["gpu=H300", "model=Generic-7B", *LENGTHS],
     ["gpu: 'H300' is not known; did you mean B300-SXM, H100-80G-PCIe, H100-80G-SXM?"]),
    (["gpu=L20", "model=Qwen9", *LENGTHS],
     ["model: 'Qwen9' is not known; did you mean Qwen1.5-0.5B, Qwen1.5-1.8B, Qwen1.5-110B?"]),
    (["gpu=L20"], [
        "--model: found blank, allowed a name of up to 255 characters without * ? ~ | or line breaks that does not "
        "begin with = < >",
        "--input-tokens: found blank, allowed a number above 0",
        "--output-tokens: found blank, allowed a number above 0"]),
    ([*PLAIN, "weight_precision=fp7"],
     [f"--weight-precision: found 'fp7', allowed one of {', '.join(keys('precisions'))}, or blank"]),
    ([*PLAIN, "pricing_model=weekly"],
     ["--pricing-model: found 'weekly', allowed one of on_demand, monthly, reserved, spot, or blank"]),
    ([*PLAIN, "currency=yuan"],
     ["--currency: found 'yuan', allowed three capital letters such as CNY or USD, or blank"]),
    ([*PLAIN, "as_of=tomorrow"], ["--as-of: found 'tomorrow', allowed a date such as 2026-10-27, or blank"]),
    ([*PLAIN, "prepared_on=2026-02-30"], ["--prepared-on: found '2026-02-30', allowed a date such as 2026-10-27"]),
    ([*PLAIN, "requests_per_day=-1"], ["--requests-per-day: found -1, allowed a number at least 0, or blank"]),
    ([*PLAIN, "requests_per_day=80k", "busy_hours=25"],
     ["--busy-hours: found 25, allowed a number above 0 and at most 24, or blank",
      "--requests-per-day: found '80k', allowed a number at least 0, or blank"]),
    ([*PLAIN, "safety=80%"], ["--safety: found '80%', allowed a number above 0 and at most 1, or blank"]),
    ([*PLAIN, "memory_fraction=8"], ["--memory-fraction: found 8, allowed a number above 0 and at most 1, or blank"]),
    ([*PLAIN, "cards=1.5"], ["--cards: found '1.5', allowed a whole number at least 1, or blank"]),
    ([*PLAIN, "start_month=5", "end_month=2"],
     ["estimate, end_month: found 2, allowed a month from start_month, 5, on"]),
])  # fmt: skip
def test_wrong_input_gets_an_answer(pairs: list[str], lines: list[str]) -> None:
    refused(run("estimate", *options(*pairs)), *lines)


def test_options_that_do_not_exist() -> None:
    line = ("No such option: --peak-facter (Possible options: --peak-buffer, --peak-factor, --queue-factor); "
            "see gpusheet estimate --help")
    refused(run("estimate", "--peak-facter", "3"), line, status=2)


@pytest.mark.parametrize(("pairs", "line"), [
    (PLAIN, "give --requests-per-day, or --daily-active-users with --requests-per-user-per-day"),
    (["gpu=L20", "model=Qwen2.5-72B", *LENGTHS, "requests_per_day=100"],
     "the model leaves no memory for requests on these cards; give more --cards, or a larger --gpu"),
    (["gpu=L20", "model=Qwen2.5-32B", *LENGTHS, "requests_per_day=100", "cards=2", "tokens_per_s=999", "sizing_method=constraint"],
     "a replica carries no request; see gpusheet why cards_needed, or give more --cards"),
])  # fmt: skip
def test_no_cards_is_not_done(pairs: list[str], line: str) -> None:
    ended = run("estimate", *options(*pairs))
    assert ended.status == 1
    assert ended.errors == [f"cards_needed: missing; {line}"]


def test_no_demand_needs_no_card() -> None:
    found = json.loads(run("estimate", *options(*PLAIN, "requests_per_day=0"), "--json").out)
    assert (found["cards_needed"], found["card_tier"]) == (0, 0)


def test_a_missing_price_is_said_not_zero() -> None:
    ended = run("estimate", *options(*PLAIN, "requests_per_day=100"))
    assert ended.status == 0
    assert ended.err.splitlines()[-1] == "missing: price_list: blank; name one that has L20: gongjiyun"
    cost = next(line for line in ended.out.splitlines() if line.startswith("Cost per month"))
    assert cost.split()[3] == "missing"


def test_output_belongs_to_tables() -> None:
    refused(run("estimate", *options(*PLAIN), "-o", "x.csv"),
            "-o: is for a table; give a CSV file of workloads before it, or leave it out")
