"""`gpusheet calibrate`: factors for the serving estimate from a team's own load tests."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusheet.cli.screen import Lang, as_json, out, remark, table, warning, working
from gpusheet.errors import GpusheetError

if TYPE_CHECKING:
    from gpusheet.calibration.fit import Calibration

FEW = 3  # runs below which a remark is due
_PANEL = "The same for all runs that do not say otherwise"
_WORDS = {
    Lang.en: {
        "factor": ("Factor", "Value", "Range", "Name"), "little": "the runs say little of it", "unseen": "without the run itself",
        "error": ("Median error", "Runs", "Before", "After"),
    },
    Lang.zh: {
        "factor": ("系数", "数值", "范围", "名称"), "little": "测试数据不足以判断", "unseen": "留一检验",
        "error": ("误差中位数", "测试数", "校准前", "校准后"),
    },
}  # fmt: skip


def _same(doc: str) -> Any:
    return typer.Option(help=doc, rich_help_panel=_PANEL, show_default=False)


def calibrate(
    runs: Annotated[list[Path], typer.Argument(help="CSV tables, or JSON reports of load generators.", metavar="RUNS...")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV file of assumptions to write.", metavar="OUT.csv")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Everything as JSON.")] = False,
    lang: Annotated[Lang, typer.Option(help="Language of labels.")] = Lang.en,
    gpu: Annotated[str | None, _same("Card.")] = None,
    model: Annotated[str | None, _same("Model, where the name under which it was served does not say.")] = None,
    cards: Annotated[str | None, _same("Cards of the replica.")] = None,
    engine: Annotated[str | None, _same("Engine, with its version: vllm-0.19.")] = None,
    weight_precision: Annotated[str | None, _same("Number format of the weights.")] = None,
    kv_precision: Annotated[str | None, _same("Number format of the KV cache.")] = None,
    attention_dp_size: Annotated[str | None, _same("Copies of the attention.")] = None,
    gpu_memory_utilization: Annotated[str | None, _same("Memory share of the engine.")] = None,
    max_model_len: Annotated[str | None, _same("Longest request.")] = None,
    max_num_batched_tokens: Annotated[str | None, _same("Tokens of a batch.")] = None,
    concurrency: Annotated[str | None, _same("Requests in flight, where a report does not say (GenAI-Perf CSV).")] = None,
) -> None:
    """Find factors for the serving estimate from your own load tests; three runs are enough to help.

    gpusheet calibrate runs.csv -o assumptions.csv

    gpusheet calibrate c8.json c32.json c128.json --gpu "H100 SXM" --cards 4 --weight-precision fp8 -o assumptions.csv

    Then: gpusheet estimate ... --assumptions assumptions.csv, or gpusheet budget ... --assumptions assumptions.csv
    """
    from gpusheet.calibration.fit import calibrate as fit
    from gpusheet.calibration.runs import read_runs
    from gpusheet.cli.files import check_target

    if output is not None:
        check_target(output, force, ".csv", runs[0])
    shared = {
        "gpu": gpu, "model": model, "cards": cards, "engine": engine, "weight_precision": weight_precision,
        "kv_precision": kv_precision, "attention_dp_size": attention_dp_size, "max_model_len": max_model_len,
        "gpu_memory_utilization": gpu_memory_utilization, "max_num_batched_tokens": max_num_batched_tokens,
        "concurrency": concurrency,
    }  # fmt: skip
    with working("Calibrating"):
        found = fit(read_runs(runs, shared))
    if json:
        as_json(_plain(found))
    else:
        _show(found, lang)
    _remarks(found)
    if output is not None:
        _write(found, output, runs)


def _show(found: Calibration, lang: Lang) -> None:
    from gpusheet.calibration.runs import MEASURED
    from gpusheet.wiring import column_of, quantities

    words: dict[str, Any] = _WORDS[lang]
    rows = [
        (column_of(factor.name).label(lang), f"{factor.value:.3f}", f"{factor.low:.2f} - {factor.high:.2f}", factor.name,
         "" if factor.told else words["little"])
        for factor in found.factors
    ]  # fmt: skip
    table((*words["factor"], ""), rows)
    out().print()
    whens = ("before", "after", "unseen") if any(one.unseen for one in found.used) else ("before", "after")
    heads = (*words["error"], words["unseen"]) if "unseen" in whens else words["error"]
    lines = []
    for name in MEASURED:
        count = sum(name in (one.after or {}) for one in found.used)
        if count:
            errors = [found.error(name, when) for when in whens]
            lines.append((quantities()[name].label(lang), str(count), *("" if e is None else f"{e:.1%}" for e in errors)))
    table(heads, lines)


def _remarks(found: Calibration) -> None:
    for one in found.runs:
        if one.bad:
            warning(f"left out: {one.run.place}: {one.bad}")
        for line in one.run.remarks:
            warning(f"{one.run.place}: {line}")
    if len(found.used) < FEW:
        warning(f"only {len(found.used)} run(s): three at different loads tell the factors apart")
    for name in ("tpot_s", "ttft_s", "output_tokens_per_s"):
        before, unseen = found.error(name, "before"), found.error(name, "unseen")
        if before is not None and unseen is not None and unseen > before:
            warning(f"{name}: on runs left out of the fit the error is {unseen:.0%}, without calibration {before:.0%}; "
                    "the runs differ in more than these factors")  # fmt: skip


def _write(found: Calibration, path: Path, runs: list[Path]) -> None:
    from gpusheet.calibration.assumptions_file import write_assumptions
    from gpusheet.cli.files import new_text_file

    files = ", ".join(run.name for run in runs[:3]) + (" and others" if len(runs) > 3 else "")
    count = f"{len(found.used)} run" + "s" * (len(found.used) != 1)
    made = f"calibrated from {files}, {datetime.date.today()}, {count}"
    rows = [
        (factor.name, factor.value, f"{made}; range {factor.low:.2f} to {factor.high:.2f}")
        for factor in found.factors if factor.told
    ]  # fmt: skip
    if not rows:
        raise GpusheetError("the runs say too little of any factor; give runs at more loads, with TTFT and TPOT")
    with new_text_file(path) as file:
        write_assumptions(file, rows)
    remark(f"{path}: {len(rows)} assumptions")


def _plain(found: Calibration) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "factors": [asdict(factor) for factor in found.factors],
        "runs": [
            {"run": one.run.place, "left_out": one.bad, "before": one.before, "after": one.after, "unseen": one.unseen}
            for one in found.runs
        ],
    }  # fmt: skip
