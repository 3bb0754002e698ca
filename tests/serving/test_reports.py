"""What load generators write is read: the figures, their units, the load, and what cannot be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpusheet.calibration.runs import Run, read_runs
from gpusheet.errors import GpusheetError

VLLM = {
    "date": "20261101-120000", "backend": "vllm", "model_id": "meta-llama/Llama-3.1-8B-Instruct", "num_prompts": 200,
    "request_rate": "inf", "burstiness": 1.0, "max_concurrency": 32, "duration": 61.0, "completed": 198,
    "total_input_tokens": 198 * 1024, "total_output_tokens": 198 * 256, "request_throughput": 3.25, "output_throughput": 830.5,
    "total_token_throughput": 4153.0, "mean_ttft_ms": 210.0, "median_ttft_ms": 180.0, "p99_ttft_ms": 800.0, "mean_tpot_ms": 36.5,
    "mean_itl_ms": 36.6,
}  # fmt: skip
SGLANG = {
    "backend": "sglang", "dataset_name": "random", "request_rate": 4.0, "max_concurrency": None, "random_input_len": 1024,
    "random_output_len": 256, "duration": 50.0, "completed": 200, "total_input_tokens": 204800, "total_output_tokens": 51200,
    "request_throughput": 4.0, "output_throughput": 1024.0, "mean_e2e_latency_ms": 3000.0, "mean_ttft_ms": 95.0,
    "mean_tpot_ms": 11.4, "mean_itl_ms": 11.5, "concurrency": 12.0,
}  # fmt: skip
GENAI_PERF = {
    "request_throughput": {"unit": "requests/sec", "avg": 3.2}, "request_latency": {"unit": "ms", "avg": 9000.0},
    "time_to_first_token": {"unit": "ms", "avg": 210.0, "p99": 400.0}, "inter_token_latency": {"unit": "us", "avg": 36500.0},
    "output_token_throughput": {"unit": "tokens/sec", "avg": 830.0}, "output_sequence_length": {"unit": "tokens", "avg": 256.0},
    "input_sequence_length": {"unit": "tokens", "avg": 1024.0},
    "input_config": {"model": ["llama"], "perf_analyzer": {"stimulus": {"concurrency": 32}}},
}  # fmt: skip
GUIDELLM = {
    "metadata": {"version": 1},
    "benchmarks": [
        {
            "config": {"strategy": {"type_": "concurrent", "streams": 32}},
            "metrics": {
                "request_totals": {"successful": 100, "errored": 3},
                "time_to_first_token_ms": {"successful": {"mean": 210.0}}, "inter_token_latency_ms": {"successful": {"mean": 36.5}},
                "time_per_output_token_ms": {"successful": {"mean": 37.2}},
                "output_tokens_per_second": {"successful": {"mean": 830.0}}, "prompt_token_count": {"successful": {"mean": 1024.0}},
                "output_token_count": {"successful": {"mean": 256.0}}, "request_concurrency": {"successful": {"mean": 31.5}},
            },
        },
        {
            "config": {"strategy": {"type_": "constant", "rate": 2.0}},
            "metrics": {
                "time_to_first_token_ms": {"successful": {"mean": 100.0}}, "inter_token_latency_ms": {"successful": {"mean": 20.0}},
                "prompt_token_count": {"successful": {"mean": 1024.0}}, "output_token_count": {"successful": {"mean": 256.0}},
                "request_concurrency": {"successful": {"mean": 10.4}},
            },
        },
    ],
}  # fmt: skip
GENAI_CSV = """Metric,avg,min,max,p99
Time To First Token (ms),"1,210.00",100.0,400.0,390.0
Inter Token Latency (ms),36.50,30.0,40.0,39.0
Output Token Throughput Per User (tokens/sec/user),27.0,20.0,30.0,29.0
Output Sequence Length (tokens),256.00,256.0,256.0,256.0
Input Sequence Length (tokens),1024.00,1024.0,1024.0,1024.0

Metric,Value
Output Token Throughput (tokens/sec),830.00
Request Throughput (per sec),3.20
"""


def read(folder: Path, name: str, content: Any, **shared: Any) -> list[Run]:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return read_runs([path], shared)


def test_vllm(tmp_path: Path) -> None:
    [run] = read(tmp_path, "run.json", VLLM, gpu="H100 SXM")
    assert run.cells == {
        "gpu": "H100 SXM", "model": "meta-llama/Llama-3.1-8B-Instruct", "engine": "vllm", "input_tokens": 1024,
        "output_tokens": 256, "concurrency": 32,
    }  # fmt: skip
    assert run.measured == pytest.approx({"ttft_s": 0.21, "tpot_s": 0.0365, "output_tokens_per_s": 830.5})
    assert run.remarks == ("2 of 200 requests failed",)
    [all_at_once] = read(tmp_path, "run.json", VLLM | {"max_concurrency": None})
    assert all_at_once.cells["concurrency"] == 200
    [at_a_rate] = read(tmp_path, "run.json", VLLM | {"max_concurrency": None, "request_rate": 3.25})
    assert at_a_rate.cells["concurrency"] == pytest.approx(3.25 * (0.21 + 255 * 0.0365))


def test_sglang_lines(tmp_path: Path) -> None:
    lines = "\n".join(map(json.dumps, (SGLANG, SGLANG | {"max_concurrency": 64})))
    first, second = read(tmp_path, "runs.jsonl", lines + "\n", model="Qwen3-8B")
    assert (first.place, second.place) == ("runs.jsonl line 1", "runs.jsonl line 2")
    assert (first.cells["concurrency"], second.cells["concurrency"]) == (12, 64)
    assert first.cells["engine"] == "sglang" and first.cells["model"] == "Qwen3-8B" and first.cells["input_tokens"] == 1024


def test_genai_perf(tmp_path: Path) -> None:
    [run] = read(tmp_path, "profile_export_genai_perf.json", GENAI_PERF, model="Llama-3.1-8B")
    assert run.cells == {"model": "Llama-3.1-8B", "concurrency": 32, "input_tokens": 1024, "output_tokens": 256}
    assert run.measured == pytest.approx({"ttft_s": 0.21, "tpot_s": 0.0365, "output_tokens_per_s": 830})
    [table] = read(tmp_path, "profile_export_genai_perf.csv", GENAI_CSV, model="Llama-3.1-8B", concurrency="32")
    assert table.measured == pytest.approx({"ttft_s": 1.21, "tpot_s": 0.0365, "output_tokens_per_s": 830})
    assert table.cells == {"model": "Llama-3.1-8B", "concurrency": "32", "input_tokens": 1024, "output_tokens": 256}
    with pytest.raises(GpusheetError, match="time_to_first_token: found unit 'parsecs'"):
        read(tmp_path, "x.json", GENAI_PERF | {"time_to_first_token": {"unit": "parsecs", "avg": 1}})


def test_guidellm(tmp_path: Path) -> None:
    first, second = read(tmp_path, "benchmarks.json", GUIDELLM, model="m")
    assert first.cells == {"model": "m", "concurrency": 32, "input_tokens": 1024, "output_tokens": 256}
    assert first.measured == pytest.approx({"ttft_s": 0.21, "tpot_s": 0.0365, "output_tokens_per_s": 830})
    assert first.remarks == ("3 requests failed",) and first.place == "benchmarks.json benchmark 1"
    assert second.cells["concurrency"] == 10.4 and "output_tokens_per_s" not in second.measured


def test_a_plain_table(tmp_path: Path) -> None:
    text = "model,gpu,cards,input_tokens,output_tokens,concurrency,ttft_ms,tpot_s,our note\nQwen3-8B,,1,100,50,8,90,0.02,ok\n"
    text += "Qwen3-8B,L20,1,100,50,16,120,,\n\n"
    first, second = read(tmp_path, "runs.csv", text, gpu="H20 96G", engine="vllm")
    assert first.cells["gpu"] == "H20 96G" and second.cells["gpu"] == "L20" and first.cells["engine"] == "vllm"
    assert first.measured == {"ttft_s": 0.09, "tpot_s": 0.02} and second.measured == {"ttft_s": 0.12}
    assert (first.place, second.place) == ("runs.csv row 2", "runs.csv row 3") and "our note" not in first.cells


def test_several_files_are_one_set(tmp_path: Path) -> None:
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path in paths:
        path.write_text(json.dumps(VLLM), encoding="utf-8")
    assert [run.place for run in read_runs(paths)] == ["a.json", "b.json"]


@pytest.mark.parametrize("name, content, told", [
    ("r.csv", "model,gpu,ttft,tpot_ms\nm,g,1,2\n", "r.csv row 1, ttft: found no unit; name the column ttft_s or ttft_ms"),
    ("r.csv", "model,gpu\nm,g\n", "r.csv row 1: nothing measured in it; give one of ttft_s"),
    ("r.csv", "model,gpu,input_token,tpot_ms\nm,g,1,2\n", "input_token: no such column; did you mean input_tokens?"),
    ("r.csv", "model,gpu,tpot_ms\nm,g,fast\n", "r.csv row 2, tpot_ms: found 'fast', allowed a number above 0"),
    ("r.csv", "model,gpu,tpot_ms\n", "no run in it; write one in the row under the headers"),
    ("r.json", "{", "r.json, line 1: not JSON"),
    ("r.json", "3", "r.json: found 3, allowed a report of vllm bench serve"),
    ("r.json", '{"a": 1, "b": 2}', "r.json: found keys a, b, allowed a report of vllm bench serve"),
    ("r.json", '{"benchmarks": [{}]}', "benchmark 1: found no metrics"),
])  # fmt: skip
def test_what_cannot_be_read_says_why(tmp_path: Path, name: str, content: str, told: str) -> None:
    with pytest.raises(GpusheetError) as caught:
        read(tmp_path, name, content)
    assert told in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(GpusheetError, match="none.json: cannot be read"):
        read_runs([tmp_path / "none.json"])
    broken = tmp_path / "b.json"
    broken.write_bytes(b"\xff\xfe{\x00")
    with pytest.raises(GpusheetError, match="not UTF-8 text"):
        read_runs([broken])
