"""`gpusheet estimate --qps`: the fewest cards on the screen."""

from __future__ import annotations

import json

from commands import options, refused, run

from gpusheet import cards_for_slo

ASKED = ("gpu=H100 SXM", "model=Llama-3.1-70B", "weight_precision=fp8", "input_tokens=2048", "output_tokens=512", "qps=10",
         "ttft=1", "tpot=0.05")  # fmt: skip
PLAN = cards_for_slo("Llama-3.1-70B", "H100 SXM", 10, 2048, 512, 1, 0.05, weight_precision="fp8")


def test_the_plan_on_the_screen() -> None:
    ended = run("estimate", *options(*ASKED))
    assert ended.status == 0 and ended.err == ""
    lines = ended.out.splitlines()
    assert lines[0].rstrip() == "10 QPS: Meta-Llama-3.1-70B, H100-80G-SXM" and len(lines) == 2 + len(PLAN.tried)
    [chosen] = [line for line in lines if line.rstrip().endswith("fewest")]
    assert PLAN.best is not None
    assert chosen.split()[3:6] == [str(PLAN.best.replica_cards), str(PLAN.best.replicas), str(PLAN.cards)]
    assert "单副本卡数" in run("estimate", *options(*ASKED), "--lang", "zh").out


def test_the_plan_as_json() -> None:
    found = json.loads(run("estimate", *options(*ASKED), "--json").out)
    assert found["cards"] == PLAN.cards and len(found["tried"]) == len(PLAN.tried) and found["refused"] == ""


def test_without_a_rate_the_targets_are_those_of_the_workload() -> None:
    asked = [pair for pair in ASKED if not pair.startswith("qps")]
    found = json.loads(run("estimate", *options(*asked, "requests_per_day=1000"), "--json", "--ttft", "2").out)
    assert (found["ttft_target"], found["tpot_target"]) == (2, 0.05)


def test_formats_as_people_write_them() -> None:
    asked = [pair for pair in ASKED if not pair.startswith("weight_precision")]
    found = json.loads(run("estimate", *options(*asked, "weight_precision=FP8 (e4m3)"), "--json").out)
    assert found["cards"] == PLAN.cards


def test_what_may_not_be_meant_is_remarked() -> None:
    ended = run("estimate", *options("gpu=H100", "model=gpt-oss-120b", "input_tokens=2048", "output_tokens=512", "qps=1"))
    said = "weight_precision: fp16 is assumed, and gpt-oss-120b is published in mxfp4; for that add --weight-precision mxfp4"
    assert ended.status == 0 and ended.err.splitlines()[0] == said
    ended = run("estimate", *options(*ASKED[:-2], "ttft=1000", "tpot=50"))
    assert ended.status == 0 and ended.err.splitlines()[:2] == [
        "--ttft: 1000 seconds; for 1000 milliseconds type 1", "--tpot: 50 seconds; for 50 milliseconds type 0.05",
    ]  # fmt: skip


def test_what_is_wrong_is_one_line() -> None:
    refused(run("estimate", *options(*ASKED[:-1], "tpot=50ms")), "--tpot: found '50ms', allowed a number of seconds above 0")
    wide = run("estimate", *options(*ASKED, "cards=16"))
    assert wide.errors == ["no size of H100-80G-SXM serves Meta-Llama-3.1-70B so: 16 cards: the link of H100-80G-SXM joins 8"]
    refused(run("estimate", *options(*ASKED[:3], "qps=10")), "--qps: give --input-tokens too")
    refused(run("estimate", *options(*ASKED[:5], "qps=ten")), "--qps: found 'ten', allowed a number above 0")
    refused(run("estimate", *options(*ASKED), "--engine", "foo"),
            "engine: 'foo' is not known; allowed: llama.cpp, lmdeploy, sglang, tensorrt-llm, vllm")  # fmt: skip
    small = run("estimate", *options("gpu=L20", "model=DeepSeek-V3", *ASKED[3:]))
    assert small.status == 1
    assert small.errors == [
        "no size of L20 serves DeepSeek-V3 so: 1, 2, 4, 8 cards: the weights leave no memory for the cache"
    ]  # fmt: skip
    refused(run("estimate", "in.csv", "-o", "out.csv", "--qps", "3"), "--qps: is for one workload; leave in.csv out")
