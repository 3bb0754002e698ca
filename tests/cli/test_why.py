"""`gpusheet why`: the tree below a figure."""

from __future__ import annotations

import re

import pytest
from commands import BOT, NEWEST, refused, run

from gpusheet import solve
from gpusheet.case import case
from gpusheet.wiring import quantities

CASE = ("gpu=H20 96G", "model=Qwen2.5-32B", "requests_per_day=80000", "input_tokens=512", "output_tokens=256")


def test_a_small_tree_in_full() -> None:
    ended = run("why", "peak_qps", "requests_per_day=80000", "busy_hours=10")
    assert ended.status == 0
    assert ended.err == ""
    assert [line.rstrip() for line in ended.out.splitlines()] == [
        "peak_qps = 4.44444 requests/s  [average_qps*peak_factor]",
        "├── average_qps = 2.22222 requests/s  [requests_per_day/(busy_hours*seconds_per_hour)]",
        "│   ├── requests_per_day = 80,000 requests/day  [typed]",
        "│   └── busy_hours = 10 hours  [typed]",
        "└── peak_factor = 2 ratio  [assumed]",
    ]


def test_every_step_shows_what_the_solver_has() -> None:
    ended = run("why", "cards_needed", *CASE)
    solved = solve(case({"gpu": "H20 96G", "model": "Qwen2.5-32B", "requests_per_day": 80000.0,
                         "input_tokens": 512.0, "output_tokens": 256.0}).values)  # fmt: skip
    lines = re.findall(r"(\w+) = (.+?)(?:  \[|$)", ended.out, re.MULTILINE)
    assert len(lines) > 50
    for name, text in lines:
        assert text.strip() in (quantities()[name].unit.show(solved[name]), "not given")


def test_origins_are_named() -> None:
    out = run("why", "monthly_cost", *BOT).out
    assert "memory" not in out.split("\n")[0]
    assert re.search(r"unit_price = 4 CNY  \[gpu L20, price_list gongjiyun, pricing_model on_demand, "
                     rf"as_of {NEWEST}, currency CNY\]", out)  # fmt: skip
    assert "params_b = 7 billion  [model Generic-7B]" in out
    assert "weight_bytes = 1 bytes  [weight_precision int8]" in out


def test_what_was_told_is_not_told_again() -> None:
    out = run("why", "cards_needed", *CASE).out
    assert out.count("weights_gb = 65.52 GB  [params_b*weight_bytes*weight_correction]") == 1
    assert out.count("weights_gb = 65.52 GB  [see above]") >= 1


@pytest.mark.parametrize(("depth", "lines"), [(0, 1), (1, 3), (2, 5), (9, 5)])
def test_depth(depth: int, lines: int) -> None:
    out = run("why", "peak_qps", "requests_per_day=80000", "--depth", depth).out
    assert len(out.splitlines()) == lines


def test_a_missing_figure_is_explained() -> None:
    ended = run("why", "peak_qps", "busy_hours=4")
    assert ended.status == 0
    assert "peak_qps = missing" in ended.out
    assert ended.err == "peak_qps: missing; give requests_per_day (or daily_active_users, requests_per_user_per_day)\n"


def test_an_optional_input_is_not_called_missing() -> None:
    out = run("why", "p95_input_tokens", "input_tokens=512").out
    assert "input_p95 = not given" in out and "missing" not in out


def test_an_input_explains_itself() -> None:
    assert run("why", "memory_gb", "gpu=L20").out == "memory_gb = 48 GB  [gpu L20]\n"


@pytest.mark.parametrize(("words", "line"), [
    (["peak_qsp"], "figure: 'peak_qsp' is not known; did you mean peak_qps?"),
    (["tier_saving"], "tier_saving: a function with no figures below it; use gpusheet calc tier_saving"),
    (["peak_qps", "80000"], "peak_qps: found '80000', allowed name=value such as requests_per_day=80000"),
    (["peak_qps", "busy_hour=4"], "peak_qps, argument: 'busy_hour' is not known; did you mean busy_hours?"),
    (["peak_qps", "busy_hours=0"],
     "peak_qps, busy_hours: found '0', allowed a number above 0 and at most 24, or blank"),
])  # fmt: skip
def test_wrong_input_gets_an_answer(words: list[str], line: str) -> None:
    ended = run("why", *words)
    assert ended.errors[0].startswith(line.rstrip("?"))
    refused(ended, ended.errors[0])


def test_a_wrong_depth_is_a_wrong_option() -> None:
    ended = run("why", "peak_qps", "--depth", "-1")
    assert ended.status == 2 and "--depth" in ended.errors[0]
