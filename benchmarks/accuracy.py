"""How far the serving estimates are from measured rows of public sources.

    python -m benchmarks.accuracy [DIR] [--no-leave-out] [--table en|zh]

Every row goes the way of `gpusheet estimate`. After the errors by file: the same with the times refitted without the model,
card or engine that is estimated (by benchmarks.fit_serving, the same rules and code as for the shipped coefficients).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import truth
from benchmarks.fit_serving import SPREAD, Rows, apart, fit
from gpusheet.catalog import Catalog
from gpusheet.constants import BYTES_PER_GIB, MIB_PER_GIB
from gpusheet.errors import GpusheetError
from gpusheet.lookup import Context
from gpusheet.serving_rows import RANGED, REFUSED, answer, inputs_solved, read_all
from gpusheet.solver import solve

STATING = ("vllm", "sglang", "tensorrt")  # engines whose logs state a pool, as they are spelled
LOG_DIGITS = 2e-3  # a log rounds the pool to 0.01 GiB
LLAMA_BYTES = {"f16": 2.0, "q8_0": 34 / 32, "iq4_nl": 18 / 32}  # of a cached element, key and value alike


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", metavar="DIR")
    parser.add_argument("--no-leave-out", action="store_true", help="leave the refits out")
    parser.add_argument("--table", choices=("en", "zh"), help="only the table of docs/serving.md")
    options = parser.parse_args()
    files = truth.load(truth.folder(options.folder))
    if options.table:
        print(table(files, options.table))
        return
    for file in files:
        report(file)
    timed = [rows for rows in map(Rows.of, (f for f in files if f.name.startswith(("serving", "throughput")))) if len(rows)]
    if timed and not options.no_leave_out:
        leave_outs(timed)


# lines of the table in docs/serving.md: file, quantity, of models with experts or not (None: all), and the labels
_LINES = (
    ("kv_pool", "kv_pool_gib_per_card", None, "KV pool", "KV 池"),
    ("kv_capacity", "kv_pool_tokens", None, "KV pool in tokens, where tokens, memory share and length are stated",
     "KV 池 token 数（日志写明 token、显存占比与长度）"),
    ("serving", "tpot_s", False, "TPOT, dense", "TPOT，稠密"),
    ("serving", "tpot_s", True, "TPOT, experts", "TPOT，MoE"),
    ("serving", "ttft_s", None, "TTFT under load", "负载下 TTFT"),
    ("throughput", "output_tokens_per_s", False, "tokens/s, dense", "输出速率，稠密"),
    ("throughput", "output_tokens_per_s", True, "tokens/s, experts", "输出速率，MoE"),
    ("throughput", "tpot_s", None, "TPOT beside them, mostly of bursts", "其中的 TPOT，多为突发请求"),
    ("throughput", "ttft_s", None, "TTFT beside them, mostly of bursts", "其中的 TTFT，多为突发请求"),
)  # fmt: skip
_HEADS = {
    "en": ("File", "Figure", "Rows", "Median", "Mean", "90% are below", "Within 20%", "In the range"),
    "zh": ("文件", "指标", "行数", "中位数", "平均", "90% 低于", "20% 以内", "区间内"),
}


def table(files: Sequence[truth.Truth], lang: str) -> str:
    """Absolute errors by file and quantity, as docs/serving.md has them."""
    lines = [_HEADS[lang], ("---",) * len(_HEADS[lang])]
    for kind, name, moe, *labels in _LINES:
        for file in (file for file in files if file.name.startswith(kind)):
            found, measured = answer(file.rows), file.measured[name]
            if kind == "kv_capacity":
                measured = measured.where(_stating(file))
            chosen = measured.notna() & found[name].notna()
            if moe is not None:
                chosen &= np.array([_experts(row) for row in file.rows]) == moe
            size = (found[name] / measured - 1)[chosen].abs().fillna(0)  # a pool that is none, as estimated
            inside = measured.between(found[f"{name}_low"], found[f"{name}_high"])[chosen]
            lines.append((
                kind, labels[lang == "zh"], str(len(size)), f"{size.median():.1%}", f"{size.mean():.1%}", f"{size.quantile(0.9):.1%}",
                f"{(size <= 0.2).mean():.0%}", f"{inside.mean():.0%}",
            ))  # fmt: skip
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _stating(file: truth.Truth) -> list[bool]:
    """The logs of vLLM, SGLang and TensorRT-LLM that state tokens, memory share and length."""
    tokens = file.measured["kv_pool_tokens"]
    return [bool(row["gpu_memory_utilization"] and row["max_model_len"] and np.isfinite(tokens[place]))
            and str(row["engine"]).casefold().startswith(STATING) for place, row in enumerate(file.rows)]  # fmt: skip


def report(file: truth.Truth) -> None:
    """The errors of a file, by what was measured."""
    found = answer(file.rows)
    named = np.array([bool(str(row["engine"]).strip()) and _known(row) for row in file.rows])
    refused = found[REFUSED] != ""
    print(f"\n== {file.name}: {len(found)} rows, {refused.sum()} refused; of {named.sum()} rows with engine, card and model known "
          f"{1 - refused[named].mean():.1%} answered" if len(found) else f"\n== {file.name}: no rows")  # fmt: skip
    for reason, count in found[REFUSED][refused].str[:110].value_counts().items():
        print(f"   refused {count:4d}  {reason}")
    experts = np.array([_experts(row) for row in file.rows])
    if file.name.startswith("kv"):
        _kv_per_token(file)
    if file.name.startswith("kv_capacity"):
        _capacity_bar(file, found)
    for name in (name for name in file.measured if name in RANGED):
        measured, estimated = file.measured[name], found[name]
        if file.name.startswith("kv_capacity"):
            measured = measured.where([str(row["engine"]).casefold().startswith(STATING) for row in file.rows])
        off = (estimated / measured.where(measured != 0) - 1).dropna()
        inside = ((found[f"{name}_low"] <= measured) & (measured <= found[f"{name}_high"])).loc[off.index]
        groups = {"all": off.index, "dense": off.index[~experts[off.index]], "experts": off.index[experts[off.index]]}
        for kind, rows in groups.items():
            if len(rows) and (kind == "all" or file.name.startswith(("serving", "throughput"))):
                print(f"   {name:24s}{kind:8s}{errors(off[rows])}  in range {inside[rows].mean():.1%}")
        if len(off):
            worst = off.abs().sort_values(ascending=False).index[:10]
            print("      worst: " + "; ".join(
                f"{file.facts['id'][row][-40:]} {file.facts['model'][row].rpartition('/')[2][:20]} {off[row]:+.0%}" for row in worst))


def errors(off: pd.Series) -> str:
    """The errors of some rows in a line."""
    size = off.abs()
    return (f"n {len(off):5d}  mean {size.mean():7.1%}  median {size.median():6.1%}  p90 {size.quantile(0.9):7.1%}  "
            f"within 20% {(size <= 0.2).mean():6.1%}")  # fmt: skip


def _known(row: truth.Cells) -> bool:
    catalog = Catalog.builtin()
    try:
        return bool(catalog.find_gpu(row["gpu"]) and catalog.find_model(row["model"]) and catalog.find_engine(row["engine"]))
    except GpusheetError:
        return False


def _experts(row: truth.Cells) -> bool:
    try:
        return Catalog.builtin().find_model(row["model"]).n_experts is not None
    except GpusheetError:
        return False


def _kv_per_token(file: truth.Truth) -> None:
    """Bytes of the cache per token against logs that state the pool both in GiB and in tokens, or the cache of a context."""
    found, _ = read_all(file.rows, Context())
    solved = inputs_solved(list(found.values()))
    solved.index = list(found)
    measured = file.measured.loc[solved.index]
    logged = measured["kv_pool_gib_per_card"] * BYTES_PER_GIB / measured["kv_pool_tokens"].where(measured["kv_pool_tokens"] > 0)
    _exact("KV bytes per token", solved["kv_bytes_per_token"] / logged - 1, file)
    if "kv_size_mib" not in file.measured:
        return
    whole = {}
    for place, row in enumerate(file.rows):
        size, tokens = file.measured["kv_size_mib"][place], file.measured["context_tokens"][place]
        kept = [LLAMA_BYTES.get(kind) for kind in str(row["kv_precision"]).split("/")]
        if np.isfinite(size) and np.isfinite(tokens) and None not in kept and _model(row):
            elements = solve(dict(_model(row)))["kv_elements_per_token"]
            whole[place] = elements * np.mean(kept) * tokens / MIB_PER_GIB**2 / size - 1
    _exact("KV MiB of a context", pd.Series(whole, dtype=float), file)


def _model(row: truth.Cells) -> dict[str, Any]:
    names = {"kv_heads", "head_dim", "kv_lora_rank", "qk_rope_head_dim", "full_attention_layers", "kv_elements_per_token"}
    try:
        return {name: value for name, value in Catalog.builtin().find_model(row["model"]) if name in names}
    except GpusheetError:
        return {}


def _exact(what: str, off: pd.Series, file: truth.Truth) -> None:
    off = off[np.isfinite(off)]
    exact = off.abs() <= LOG_DIGITS
    others = ", ".join(f"{file.facts['id'][row]} {off[row]:+.1%}" for row in off.index[~exact])
    if len(off):
        print(f"   {what}: {exact.sum()} of {len(off)} exact to the log's digits{'; others: ' + others if others else ''}")


def _capacity_bar(file: truth.Truth, found: pd.DataFrame) -> None:
    """The errors of the logs that state all that a pool depends on."""
    bar = {}
    for place, stating in enumerate(_stating(file)):
        if stating:
            tokens, estimated = file.measured["kv_pool_tokens"][place], found["kv_pool_tokens"][place]
            bar[place] = 0.0 if tokens == estimated == 0 else estimated / tokens - 1 if tokens else np.inf
    off = pd.Series(bar, dtype=float)
    answered = off.dropna()
    listed = ", ".join(f"{file.facts['id'][row]} {'refused' if np.isnan(value) else f'{value:+.1%}'}" for row, value in off.items())
    print(f"   tokens where tokens, share and length are stated: {len(off)} rows, {len(answered)} answered, median "
          f"{answered.abs().median():.1%}: {listed}")  # fmt: skip


def leave_outs(parts: Sequence[Rows]) -> None:
    """Errors on what a refit had not seen."""
    print("\n== Times refitted without what is estimated")
    groups = {"half": _halves} | {name: lambda rows, name=name: rows.facts[name].to_numpy() for name in ("model", "gpu", "make")}
    for what, key_of in groups.items():
        keys = [key_of(rows) for rows in parts]
        estimated = [{name: np.full(len(rows), np.nan) for name in SPREAD if name in rows.measured} for rows in parts]
        for key in sorted({str(key) for own in keys for key in own}):
            own = [np.array([str(one) == key for one in column]) for column in keys]
            fitted = fit([rows.where(~mask) for rows, mask in zip(parts, own, strict=True)])
            for rows, mask, out in zip(parts, own, estimated, strict=True):
                if mask.any():
                    values = rows.where(mask).computed(fitted)
                    for name, column in out.items():
                        column[mask] = values[name]
        title = {"half": "a random half", "make": "one engine"}.get(what, f"one {what}")
        for rows, out in zip(parts, estimated, strict=True):
            for name in out:
                off = apart(rows, out, name)
                moe = rows.facts["moe"].loc[off.index]
                for kind, chosen in (("dense", off[~moe]), ("experts", off[moe])):
                    if len(chosen):
                        print(f"   without {title:14s} {name:20s}{kind:8s}{errors(chosen)}", flush=True)


def _halves(rows: Rows) -> Any:
    """The same half for rows that repeat a measurement."""
    return pd.util.hash_pandas_object(rows.measured.round(3), index=False).to_numpy() % 2


if __name__ == "__main__":
    main()
