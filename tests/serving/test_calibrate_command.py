"""`gpusheet calibrate`, and what its file does in `estimate` and `budget`."""

from __future__ import annotations

import csv
import datetime
import json
import re
from pathlib import Path

import pytest
from commands import options, refused, run
from load_tests import LOADS, made, slowed
from openpyxl import load_workbook

from gpusheet.calibration.assumptions_file import read_assumptions
from gpusheet.calibration.fit import calibrate
from gpusheet.calibration.runs import Run
from gpusheet.catalog import Assumptions, columns
from gpusheet.workbook.inputs import sample

ASKED = options("gpu=H100 SXM", "model=Llama-3.1-70B", "weight_precision=fp8", "cards=4", "input_tokens=2048", "output_tokens=512",
                "offered_concurrency=32", "requests_per_day=100000", "price_list=gongjiyun")  # fmt: skip


def table(path: Path, runs: list[Run]) -> Path:
    """The runs as a plain table."""
    rows = [{**run.cells, **run.measured} for run in runs]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_three_runs_give_assumptions_that_estimate_takes(tmp_path: Path) -> None:
    runs = made(noise=0.3)
    source, target = table(tmp_path / "runs.csv", runs), tmp_path / "assumptions.csv"
    ended = run("calibrate", source, "-o", target)
    assert ended.status == 0 and ended.err == f"{target}: 3 assumptions\n"
    assert "Calibration, step" in ended.out and "Time per output token (TPOT)" in ended.out and "without the run" not in ended.out
    values = {name: float(text) for name, text in read_assumptions(target).values.items()}
    assert values == pytest.approx(calibrate(runs).values, rel=1e-6)
    said = rf"calibrated from runs\.csv, {datetime.date.today()}, 3 runs; range \d\.\d\d to \d\.\d\d"
    assert all(re.fullmatch(said, source) for source in read_assumptions(target).sources.values())
    plain = json.loads(run("estimate", *ASKED, "--json").out)
    mended = json.loads(run("estimate", *ASKED, "--json", "--assumptions", target).out)
    measured = runs[1].measured  # of that load
    assert mended["calibration_step"] == values["calibration_step"]
    for name in ("tpot_s", "ttft_s"):
        assert abs(mended[name] / measured[name] - 1) < 0.1 < abs(plain[name] / measured[name] - 1)
    # an option stands before the file
    typed = run("estimate", *ASKED, "--json", "--assumptions", target, "--calibration-step", "1")
    assert json.loads(typed.out)["calibration_step"] == 1


def assumed(book: Path) -> dict[str, tuple[object, object]]:
    """Value and source of every assumption in a book."""
    lines = list(load_workbook(book, read_only=True)["Assumptions"].iter_rows(values_only=True))
    return {str(row[0]): (row[2], row[7]) for row in reversed(lines) if row[0]}  # small tables stand below


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_workbook_takes_them_with_their_sources_and_keeps_them(tmp_path: Path, lang: str) -> None:
    file, first, second = tmp_path / "a.csv", tmp_path / "book.xlsx", tmp_path / "again.xlsx"
    source = "calibrated from runs.csv, 2026-11-30, 3 runs"
    file.write_text(f'name,value,source\ncalibration_step,1.12,"{source}"\nsafety,0.75,\n', encoding="utf-8")
    ended = run("budget", "-o", first, "--months", "1", "--assumptions", file, "--lang", lang)
    assert ended.status == 0, ended.err
    usual = {c.name: c.source for c in columns(Assumptions)}
    found = assumed(first)
    assert found["calibration_step"] == (1.12, source) and found["safety"] == (0.75, "a.csv")
    assert found["calibration_prompt"] == (1, usual["calibration_prompt"])
    book = load_workbook(first)
    for (cell,) in book["Assumptions"].iter_rows(max_col=1):
        if cell.value == "pue":  # a person's own
            book["Assumptions"].cell(cell.row, 3).value, book["Assumptions"].cell(cell.row, 8).value = 1.4, "our site, 2026"
    book.save(first)
    ended = run("budget", first, "-o", second)
    assert ended.status == 0 and "not carried over" not in ended.err, ended.err
    found = assumed(second)
    assert found["calibration_step"] == (1.12, source) and found["pue"] == (1.4, "our site, 2026")
    changed = {name for name, (_, said) in found.items() if name in usual and said != usual[name]}
    assert changed == {"calibration_step", "safety", "pue", *sample(lang).sources}


def test_bad_runs_are_named_and_errors_of_unseen_runs_shown(tmp_path: Path) -> None:
    runs = made(LOADS)
    runs[3] = slowed(runs[3], 2)
    ended = run("calibrate", table(tmp_path / "runs.csv", runs), "--lang", "zh")
    assert ended.status == 0 and "留一检验" in ended.out and "校准系数：解码步" in ended.out
    assert ended.err.startswith("left out: runs.csv row 5: measured ttft_s ")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030"])
def test_tables_as_spreadsheets_save_them(tmp_path: Path, encoding: str) -> None:
    """Another encoding, separators in numbers, a column of one's own: the same factors."""
    runs = made(noise=0)
    plain, saved = table(tmp_path / "plain.csv", runs), tmp_path / "saved.csv"
    lines = plain.read_text(encoding="utf-8").splitlines()
    lines = [lines[0] + ",备注", *(line.replace(",1024,", ',"1,024",').replace(",2048,", ",２０４８,") + ",正常" for line in lines[1:])]
    saved.write_text("\n".join(lines), encoding=encoding)
    assert json.loads(run("calibrate", saved, "--json").out)["factors"] == json.loads(run("calibrate", plain, "--json").out)["factors"]
    file = tmp_path / "a.csv"
    file.write_text("name,value,source\nsafety,0.75,压测\n", encoding=encoding)
    assert read_assumptions(file).sources == {"safety": "压测"}


def test_json_and_few_runs(tmp_path: Path) -> None:
    ended = run("calibrate", table(tmp_path / "runs.csv", made(LOADS[:1])), "--json")
    found = json.loads(ended.out)
    assert [factor["name"] for factor in found["factors"]] == ["calibration_step", "calibration_prompt", "calibration_first_token"]
    assert found["runs"][0]["before"].keys() == {"ttft_s", "tpot_s", "output_tokens_per_s"}
    assert ended.err == "only 1 run(s): three at different loads tell the factors apart\n"


def test_options_say_what_a_report_does_not(tmp_path: Path) -> None:
    files = []
    for number, load in enumerate(made(noise=0)):
        report = {
            "model_id": "served-name", "backend": "openai", "max_concurrency": load.cells["concurrency"], "completed": 10,
            "num_prompts": 10, "total_input_tokens": 10 * load.cells["input_tokens"],
            "total_output_tokens": 10 * load.cells["output_tokens"], "mean_ttft_ms": load.measured["ttft_s"] * 1000,
            "mean_tpot_ms": load.measured["tpot_s"] * 1000, "output_throughput": load.measured["output_tokens_per_s"],
        }  # fmt: skip
        files.append(tmp_path / f"c{number}.json")
        files[-1].write_text(json.dumps(report), encoding="utf-8")
    setup = options("gpu=H100 SXM", "model=Llama-3.1-70B", "cards=4", "engine=vllm", "weight_precision=fp8")
    found = json.loads(run("calibrate", *files, *setup, "--json").out)
    assert {factor["name"]: factor["value"] for factor in found["factors"]} == pytest.approx(calibrate(made(noise=0)).values, rel=1e-3)
    nameless = run("calibrate", *files)
    assert nameless.status == 1 and "c0.json: gpu: blank; name one" in nameless.errors


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    source = table(tmp_path / "runs.csv", made())
    refused(run("calibrate", source, "-o", source), f"{source}: is the file that is read; give the new one another name")
    (tmp_path / "a.csv").write_text("name,value\nsafty,1\nsafety,2\ncalibration_step,\n", encoding="utf-8")
    refused(
        run("estimate", *ASKED, "--assumptions", tmp_path / "a.csv"),
        "a.csv row 2, name: 'safty' is not known; did you mean safety?",
        "a.csv row 4, calibration_step: blank, allowed a number at least 0.2 and at most 5, or blank",
        "a.csv, safety: found '2', allowed a number above 0 and at most 1, or blank",
    )
    (tmp_path / "b.csv").write_text("assumption,value\nsafety,1\n", encoding="utf-8")
    refused(run("budget", "-o", tmp_path / "x.xlsx", "--assumptions", tmp_path / "b.csv"),
            "b.csv row 1: no column name; allowed: name, value, source")  # fmt: skip
