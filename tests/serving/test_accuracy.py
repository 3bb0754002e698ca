"""The fit recovers what it is given; and the bars, where the measured rows are at hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks import accuracy, three_cases, truth
from benchmarks.fit_serving import Rows, apart, coefficients, fit
from gpusheet.serving_rows import answer

ROOT = Path(__file__).parents[2]


def synthetic() -> Rows:
    """Rows as the product estimates them, with slower layers and one unlucky measurement."""
    cells = [
        {"model": model, "gpu": "H100 SXM", "cards": cards, "engine": engine, "weight_precision": "fp8", "input_tokens": tokens,
         "output_tokens": 512, "concurrency": load}
        for model, cards in (("Llama-3.1-8B", 1), ("Qwen3-32B", 2), ("Llama-3.1-70B", 4), ("Qwen3-30B-A3B", 1))
        for engine in ("vllm", "sglang") for tokens in (512, 4096) for load in (1, 8, 64)
    ]  # fmt: skip
    facts = pd.DataFrame({name: [str(row[name]) for row in cells] for name in ("model", "gpu", "engine")})
    rows = Rows.of(truth.Truth("serving_synthetic.csv", cells, pd.DataFrame({"tpot_s": np.ones(len(cells))}), facts))
    slower = {one: 150.0 for one in coefficients() if one.column == "layer_us"}
    measured = np.array(rows.computed(slower)["tpot_s"])
    measured[7] *= 4
    return Rows(rows.values, rows.measured.assign(tpot_s=measured), rows.facts)


def test_the_fit_explains_what_it_is_given_in_spite_of_an_outlier() -> None:
    rows = synthetic()
    before = apart(rows, rows.computed({}), "tpot_s").abs()
    after = apart(rows, rows.computed(fit([rows])), "tpot_s").abs()
    assert before.median() > 0.08 and after.median() < 0.05
    assert after.iloc[7] > 0.5  # one row is not believed


def test_files_with_other_columns_are_read(tmp_path: Path) -> None:
    (tmp_path / "serving_x.csv").write_text("model_path,system,tp_size\nQwen/Qwen3-8B,h100_sxm,1\n", encoding="utf-8")
    (tmp_path / "throughput_x.csv").write_text("note,model\n,\n", encoding="utf-8")
    files = truth.load(tmp_path)
    assert [file.name for file in files] == ["serving_x.csv", "throughput_x.csv"]
    for file in files:
        accuracy.report(file)


measured = pytest.mark.skipif(not truth.BESIDE.is_dir(), reason="the measured rows are not part of the project")


@measured
@pytest.mark.parametrize(("lang", "page"), [("en", "serving.md"), ("zh", "serving.zh.md")])
def test_figures_in_the_docs_are_those_of_the_benchmarks(lang: str, page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    files = truth.load(truth.BESIDE)
    times = [file for file in files if file.name.startswith("serving")]
    for mark, expected in (("accuracy", accuracy.table(files, lang)), ("cases", three_cases.table(times, lang))):
        assert text.partition(f"<!-- {mark} -->")[2].partition(f"<!-- /{mark} -->")[0].strip() == expected, f"refresh {mark}"


@measured
def test_named_rows_are_answered() -> None:
    """Of the rows with an engine, a card and a model that are known."""
    for file in truth.load(truth.BESIDE):
        known = [bool(str(row["engine"]).strip()) and accuracy._known(row) for row in file.rows]
        assert (answer(file.rows)["refused"][known] == "").mean() >= 0.98, file.name


@measured
def test_estimates_keep_the_bars() -> None:
    bars = {  # file, quantity, experts or not (None: both): most median, most 90th percentile
        ("serving", "tpot_s", False): (0.09, 0.35), ("serving", "tpot_s", True): (0.17, 0.5),
        ("serving", "ttft_s", None): (0.35, np.inf), ("throughput", "output_tokens_per_s", None): (0.2, np.inf),
        ("kv_pool", "kv_pool_gib_per_card", None): (0.03, 0.03), ("kv_pool", "kv_pool_tokens", None): (0.03, 0.03),
    }  # fmt: skip
    for file in truth.load(truth.BESIDE):
        found = answer(file.rows)
        experts = np.array([accuracy._experts(row) for row in file.rows])
        for (kind, name, moe), (median, p90) in bars.items():
            if not file.name.startswith(kind):
                continue
            chosen = file.measured[name].notna() & (experts == moe if moe is not None else True)
            off = (found[name] / file.measured[name] - 1)[chosen]
            assert off.notna().mean() >= 0.98, name
            assert off.abs().median() <= median and off.abs().quantile(0.9) <= p90, (name, moe)
            inside = file.measured[name].between(found[f"{name}_low"], found[f"{name}_high"])[chosen]
            assert kind == "kv_pool" or 0.75 <= inside.mean() <= 0.88, (name, moe, inside.mean())
