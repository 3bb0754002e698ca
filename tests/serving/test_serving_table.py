"""`gpusheet estimate IN.csv -o OUT.csv` for a table of replicas at a load."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from commands import Ended
from commands import run as run_command

from gpusheet.serving_rows import ANSWERS

HEADER = "id,model,gpu,cards,weight_precision,engine,input_tokens,output_tokens,concurrency"


def run(folder: Path, text: str) -> tuple[Ended, Path]:
    source, target = folder / "in.csv", folder / "out.csv"
    source.write_text(text, encoding="utf-8")
    return run_command("estimate", source, "-o", target), target


def test_the_table_comes_back_with_answers_and_reasons(tmp_path: Path) -> None:
    ended, target = run(tmp_path, f"""{HEADER}
a,Qwen3-32B,H100 SXM,2,fp8,vLLM 0.19.0,1000,500,16
b,deepseek-ai/DeepSeek-V4-Flash,H200,8,fp8,vllm,1000,500,16
c,LLaMA v3.1 70B,H100-80GB-SXM,4,fp8,TensorRT-LLM,1000,1000,
""")
    assert ended.status == 0 and "refused, see the last column: row 3" in ended.err
    rows = list(csv.DictReader(target.read_text(encoding="utf-8-sig").splitlines()))
    assert list(rows[0]) == [*HEADER.split(","), *ANSWERS]
    assert [row["id"] for row in rows] == ["a", "b", "c"]
    assert [row["tpot_s"] != "" for row in rows] == [True, False, True]
    assert "DeepSeek-V4-Flash" in rows[1]["refused"] and rows[0]["refused"] == ""
    assert float(rows[0]["tpot_s_low"]) < float(rows[0]["tpot_s"]) < float(rows[0]["tpot_s_high"])


@pytest.mark.parametrize(("header", "says"), [
    ("model,gpu,weight_precison", "did you mean weight_precision?"),
    ("model,gpu,ttft_s", "is computed"),
    ("model,gpu,model", "stands 2 times"),
    ("model,gpu,requests_per_day", "workload: the column is missing"),  # a table of workloads that lacks its name
])  # fmt: skip
def test_a_wrong_header_is_named(tmp_path: Path, header: str, says: str) -> None:
    ended, target = run(tmp_path, f"{header}\nQwen3-32B,H200,1\n")
    assert ended.status == 1 and says in ended.err and not target.exists()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_tables_as_spreadsheets_save_them(tmp_path: Path, encoding: str) -> None:
    """Encodings, separators and full-width digits in numbers, columns of one's own, rows that cannot be answered."""
    lines = [
        "model,gpu,cards,weight_precision,engine,input_tokens,output_tokens,concurrency,gpu_memory_utilization,备注",
        'Llama-3.1-70B,H100 SXM,4,fp8,vllm,"1,024",512,３２,90%,你好',
        "Llama-3.1-70B,H100 SXM,4.0,FP8 (e4m3),vLLM 0.21,1024,512,32,0.9,",
        "Llama-3.1-70B,H100 SXM,3,fp8,vllm,1024,512,32,0.9,",
        "Llama-9-70B,H100 SXM,4,fp8,vllm,1024,512,32,0.9,",
        "Llama-3.1-70B,H100 SXM,4,fp8,vllm,1024,512,0,0.9,",
        "deepseek-ai/DeepSeek-R1-0528,8x H200,,,SGLang 0.4.9,1024,512,64,,",
    ]
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("\n".join(lines), encoding=encoding)
    ended = run_command("estimate", source, "-o", target)
    assert ended.status == 0 and "refused, see the last column: row 4, row 5, row 6" in ended.err, ended.err
    with target.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["备注"] == "你好" and rows[0]["concurrency"] == "３２"  # as typed
    assert rows[0]["tpot_s"] == rows[1]["tpot_s"] and float(rows[5]["kv_pool_tokens"]) > 100_000
    assert [row["refused"].partition(":")[0] for row in rows] == ["", "", "cards", "model", "concurrency", ""]
