"""Measured rows of public sources, re-expressed as rows that `gpusheet estimate` takes. Nothing is added that a row does not state.

The files are not part of the project: their folder is given, or stands beside the checkout as ../shared/truth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from gpusheet.catalog import Catalog
from gpusheet.errors import UnknownName

BESIDE = Path(__file__).parents[2] / "shared" / "truth"
Cells = dict[str, Any]


@dataclass(frozen=True)
class Truth:
    """A file: rows as `estimate` takes them, and what was measured, by the name of the quantity."""

    name: str
    rows: list[Cells]
    measured: pd.DataFrame
    facts: pd.DataFrame  # id, model, gpu, engine, moe as text, for groups and leave-outs


def folder(given: str | None) -> Path:
    """The folder of truth files; says so where there is none."""
    path = Path(given) if given else BESIDE
    if not path.is_dir():
        raise SystemExit(f"{path}: no such folder; give the one with kv_pool, kv_capacity, serving and throughput CSV files")
    return path


def load(path: Path) -> list[Truth]:
    """Every file of a folder whose name begins like one of the four kinds."""
    found = []
    for kind, adapter in ADAPTERS.items():
        for file in sorted(path.glob(f"{kind}*.csv")):
            table = pd.read_csv(file, dtype=str, keep_default_na=False)
            pairs = [adapter(Line(row)) for row in table.to_dict("records")]
            cells = [cells for cells, _ in pairs]
            facts = pd.DataFrame({"id": [row.get("id", f"row {n + 2}") for n, row in enumerate(table.to_dict("records"))]})
            for name in ("model", "gpu", "engine"):
                facts[name] = [str(one.get(name, "")) for one in cells]
            found.append(Truth(file.name, cells, pd.DataFrame([measured for _, measured in pairs], dtype=float), facts))
    if not found:
        raise SystemExit(f"{path}: no kv_pool*.csv, kv_capacity*.csv, serving*.csv or throughput*.csv in it")
    return found


class Line(dict[str, str]):
    """A row of text; a column that the file does not have is blank."""

    def __missing__(self, name: str) -> str:
        return ""

    def number(self, name: str) -> float | None:
        """The number that a cell is, or nothing."""
        try:
            value = float(self[name])
        except ValueError:
            return None
        return None if math.isnan(value) else value

    def first(self, name: str) -> float | None:
        """The first number in a cell, or nothing."""
        found = re.search(r"\d+(\.\d+)?", self[name])
        return float(found[0]) if found else None


def _pool(line: Line) -> tuple[Cells, Cells]:
    cells = {
        "model": line["model"], "gpu": line["gpu"], "cards": line.number("tp") or 1, "engine": line["engine"],
        "gpu_memory_utilization": line.number("gpu_memory_utilization"), "max_model_len": line.number("max_model_len"),
    }  # fmt: skip
    return cells, _memory(line)


def _memory(line: Line) -> Cells:
    pool, tokens, weights = (line.number(n) for n in ("available_kv_gib_per_gpu", "kv_tokens", "model_load_gib_per_gpu"))
    found = {
        "kv_pool_gib_per_card": pool, "kv_pool_tokens": tokens, "weights_gib_per_card": weights,
        "max_concurrent_requests": line.number("max_concurrency"),
    }  # fmt: skip
    return found | {name: line.number(name) for name in ("kv_size_mib", "context_tokens") if name in line}


def _capacity(line: Line) -> tuple[Cells, Cells]:
    note, groups = line["note"], 1
    if found := re.search(r"DP attention (\d+)", note):
        groups = int(found[1])
    share = re.search(r"0?\.\d+", line["gpu_memory_utilization"])
    cells = {
        "model": line["model"], "gpu": line["gpu"], "cards": line.number("tp") or 1, "attention_dp_size": groups,
        "engine": line["engine"], "engine_version": line["engine_version"], "weight_precision": line["weight_dtype"],
        "kv_precision": line["kv_dtype"], "gpu_memory_utilization": float(share[0]) if share else None,
        "max_model_len": line.number("max_model_len"),
    }  # fmt: skip
    return cells, _memory(line)


def _serving(line: Line) -> tuple[Cells, Cells]:
    ranks, groups = line.number("tp_size") or 1, line.number("attention_dp_size") or 1
    experts = (line.number("moe_tp_size") or 1) * (line.number("moe_ep_size") or 1)
    if not line.number("attention_dp_size"):  # 0 or blank: experts over more cards than ranks are groups of ranks
        groups = max(1.0, experts / ranks)
    cells = {
        "model": line["model_path"], "gpu": line["system"], "cards": ranks * groups, "attention_dp_size": groups,
        "engine": line["backend"], "engine_version": line["backend_version"],
        "weight_precision": line["gemm_quant_mode"] or line["precision"], "input_tokens": line.number("isl"),
        "output_tokens": line.number("osl"), "concurrency": (line.number("batch_size") or 1) * groups,
    }  # fmt: skip
    ttft, tpot = line.number("silicon_ttft_ms"), line.number("silicon_tpot_ms")
    return cells, {"ttft_s": ttft and ttft / 1000, "tpot_s": tpot and tpot / 1000}


def _throughput(line: Line) -> tuple[Cells, Cells]:
    cards = line.number("gpu_count") or line.number("tp") or 1
    load, note = line["concurrency_or_batch"], line["note"]
    groups = re.search(r"\bDEP(\d+)", note)  # attention data parallel, experts spread
    spread = cards if "attention-DP enabled" in note and _has_experts(line["model"]) else 1
    mean = re.search(r"effective mean ([\d.]+)", load)
    cells = {
        "model": line["model"], "gpu": line["gpu"], "cards": cards, "attention_dp_size": int(groups[1]) if groups else spread,
        "engine": line["engine"], "engine_version": line["engine_version"], "weight_precision": line["weight_dtype"],
        "kv_precision": line["kv_dtype"], "input_tokens": line.first("isl"), "output_tokens": line.first("osl"),
        "concurrency": float(mean[1]) if mean else line.first("concurrency_or_batch"),
    }  # fmt: skip
    ttft, itl = line.number("ttft_ms"), line.number("itl_or_tpot_ms")
    return cells, {"output_tokens_per_s": line.number("output_tok_s_total"), "ttft_s": ttft and ttft / 1000,
                   "tpot_s": itl and itl / 1000}  # fmt: skip


def _has_experts(model: str) -> bool:
    try:
        return Catalog.builtin().find_model(model).n_experts is not None
    except UnknownName:
        return False


ADAPTERS: dict[str, Callable[[Line], tuple[Cells, Cells]]] = {
    "kv_pool": _pool, "kv_capacity": _capacity, "serving": _serving, "throughput": _throughput,
}  # fmt: skip
