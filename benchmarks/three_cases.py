"""Three published searches against ours, with what measured rows near them say: `python -m benchmarks.three_cases [DIR]`.

10 requests/s of 2048/512 tokens, TTFT at most 1 s, TPOT at most 50 ms; cards by the search of aiconfigurator. The nearest rows
are those of the card, engine, format and replica, of the model or one of its shape, with the same lengths, or else lengths at most
NEAR times away, and such a load. The search is repeated as if the estimate were off everywhere as it is in their median. Medians
are printed, no row.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.truth import Truth, folder, load
from gpusheet import cards_for_slo
from gpusheet.catalog import Assumptions
from gpusheet.lookup import Context
from gpusheet.serving import Plan
from gpusheet.serving_rows import inputs_solved, read_all

LOAD = (10.0, 2048.0, 512.0, 1.0, 0.05)  # requests/s, tokens in and out, TTFT, TPOT
NEAR = {"input_tokens": 2.5, "output_tokens": 2.5, "offered_concurrency": 2.5}


@dataclass(frozen=True)
class Case:
    """A published search: what was asked and the cards that it named."""

    model: str
    gpu: str
    precision: str
    theirs: int
    alike: tuple[str, ...]  # models of that shape


CASES = (
    Case("Llama-3.1-70B", "H100 SXM", "fp8", 12, ("Meta-Llama-3.1-70B", "Llama-3.3-70B-Instruct")),
    Case("Qwen2.5-32B", "H100 SXM", "fp8", 6, ("Qwen2.5-32B", "Qwen3-32B")),
    Case("DeepSeek-V3", "H200", "fp8_block", 24, ("DeepSeek-V3", "DeepSeek-R1", "DeepSeek-V3.1")),
)


def search(case: Case, factors: dict[str, float] | None = None) -> Plan:
    """Our fewest cards with TensorRT-LLM, which is what the published search assumes."""
    context = Context(assumptions=Assumptions(**(factors or {})))
    return cards_for_slo(case.model, case.gpu, *LOAD, weight_precision=case.precision, engine="tensorrt-llm", context=context)


def measured_like(case: Case, gpu: str, files: Sequence[Truth]) -> pd.DataFrame:
    """Estimates and measured times of the rows of a case's card, engine and format, of models of its shape."""
    found = []
    for file in files:
        looked, _ = read_all(file.rows, Context())
        kept = {place: one for place, one in looked.items()
                if one.workload.model in case.alike and one.workload.gpu == gpu
                and str(one.workload.engine).startswith("tensorrt-llm")
                and str(one.workload.weight_precision).startswith(case.precision[:3])}  # fmt: skip
        if kept:
            solved = inputs_solved(list(kept.values()))
            solved.index = list(kept)
            found.append(solved.join(file.measured.loc[solved.index].add_suffix("_measured")))
    return pd.concat(found) if found else pd.DataFrame()


def nearest(rows: pd.DataFrame, plan: Plan) -> pd.DataFrame:
    """Measured over estimated times of the rows near the plan's best replica: of its lengths where there are some."""
    if not len(rows) or plan.best is None:
        return rows
    wanted = dict(zip(NEAR, (LOAD[1], LOAD[2], float(plan.best.concurrency or 0)), strict=True))
    apart = pd.DataFrame({name: np.abs(np.log(rows[name] / value)) for name, value in wanted.items()})
    near = (apart <= np.log(pd.Series(NEAR)) + 1e-9).all(axis=1) & (rows["cards"] == plan.best.replica_cards)
    same = near & (apart[["input_tokens", "output_tokens"]] < 0.01).all(axis=1)
    kept = rows[same if same.any() else near]
    return pd.DataFrame({name: kept[f"{name}_measured"] / kept[name] for name in ("tpot_s", "ttft_s")})


def measured_cards(rows: pd.DataFrame) -> float | None:
    """The fewest cards by measured rows alone: those of just these lengths that keep both targets."""
    qps, given, taken, ttft, tpot = LOAD
    if not len(rows):
        return None
    kept = rows[(rows["input_tokens"] == given) & (rows["output_tokens"] == taken) & (rows["ttft_s_measured"] <= ttft)
                & (rows["tpot_s_measured"] <= tpot)]  # fmt: skip
    rate = kept["offered_concurrency"] / (kept["ttft_s_measured"] + (taken - 1) * kept["tpot_s_measured"])
    cards = np.ceil(qps / rate) * kept["cards"]
    return float(cards.min()) if len(kept) else None


def compared(case: Case, files: Sequence[Truth]) -> tuple[Plan, pd.DataFrame, Plan | None, float | None]:
    """Our plan, the rows near it, the plan with the estimate put right by their medians, and cards by rows alone."""
    plan = search(case)
    rows = measured_like(case, plan.gpu, files)
    near, alone = nearest(rows, plan), measured_cards(rows)
    if not len(near):
        return plan, near, None, alone
    step, first = near["tpot_s"].median(), near["ttft_s"].median()
    mended = search(case, {"calibration_step": step, "calibration_prompt": step, "calibration_first_token": first})
    return plan, near, mended, alone


_HEADS = {
    "en": ("Case", "aiconfigurator", "Ours", "Range", "A replica", "Measured rows near it", "Their TPOT, TTFT over ours",
           "Ours with both put right", "By measured rows of these lengths alone"),
    "zh": ("案例", "aiconfigurator", "本工具", "区间", "单副本", "邻近实测行", "实测与估算之比：TPOT、TTFT", "按该比例修正后",
           "仅按同长度实测行"),
}  # fmt: skip


def table(files: Sequence[Truth], lang: str) -> str:
    """The cases as docs/serving.md has them, in cards."""
    lines: list[tuple[str, ...]] = [_HEADS[lang], ("---",) * len(_HEADS[lang])]
    for case in CASES:
        plan, near, mended, alone = compared(case, files)
        assert plan.best is not None
        off = f"{near['tpot_s'].median():.2f}, {near['ttft_s'].median():.2f}" if len(near) else "-"
        lines.append((
            f"{case.model}, {plan.gpu}", str(case.theirs), str(plan.cards), f"{plan.best.cards_low} - {plan.best.cards_high}",
            str(plan.best.replica_cards), str(len(near)), off, str(mended.cards) if mended else "-", f"{alone:.0f}" if alone else "-",
        ))  # fmt: skip
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    files = [file for file in load(folder(sys.argv[1] if len(sys.argv) > 1 else None)) if file.name.startswith("serving")]
    print(table(files, "en"))


if __name__ == "__main__":
    main()
