"""Rows of replicas at a load: spellings, what is answered, what is refused and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gpusheet import Context
from gpusheet.catalog import Catalog
from gpusheet.catalog.load import keys
from gpusheet.catalog.precision_names import SPELLINGS, precision_of
from gpusheet.errors import UnknownName
from gpusheet.serving_rows import ANSWERS, MEMORY, RANGED, REFUSED, TIMES, answer, read

ROW = {
    "model": "meta-llama/Llama-3.1-70B-Instruct", "gpu": "H100-80GB-SXM", "cards": "4", "weight_precision": "fp8",
    "engine": "vLLM", "engine_version": "0.19.0", "input_tokens": "1024", "output_tokens": "512", "concurrency": "32",
}  # fmt: skip


def one(**changed: Any) -> Any:
    return answer([ROW | changed]).iloc[0]


@pytest.mark.parametrize(("spelled", "model"), [
    ("LLaMA v3.1 70B", "Meta-Llama-3.1-70B"),
    ("meta-llama/Meta-Llama-3-8B", "Meta-Llama-3-8B"),
    ("/workspace/Qwen3-32B-FP8-dynamic", "Qwen3-32B"),
    ("RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "Meta-Llama-3.1-8B"),
    ("DeepSeek-V3 (0324 id; page titled V3.2)", "DeepSeek-V3"),
    ("Qwen/Qwen3-30B-A3B class (48 layers)", "Qwen3-30B-A3B"),
    ("unsloth/Qwen2.5-7B-Instruct-bnb-4bit", "Qwen2.5-7B"),
])  # fmt: skip
def test_models_by_the_spellings_of_benchmarks(spelled: str, model: str) -> None:
    assert Catalog.builtin().find_model(spelled).model == model


@pytest.mark.parametrize("name", [
    "deepseek-ai/DeepSeek-V4-Flash", "DeepSeek-V4-Flash-FP8", "Llama-70B (title; variant not shown)", "FP8", "-AWQ",
])  # fmt: skip
def test_an_unknown_model_is_never_guessed(name: str) -> None:
    with pytest.raises(UnknownName):
        Catalog.builtin().find_model(name)


def test_cards_by_remarks_in_brackets_but_not_by_class() -> None:
    find = Catalog.builtin().find_gpu
    assert find("H200-141GB (inferred, 138.3 GB before load)").gpu == "H200-141G-SXM"
    assert find("H100 80GB (PCIe)").gpu == "H100-80G-PCIe"  # what is in brackets counts before it is cut
    with pytest.raises(UnknownName):
        find("80GB-class (79.15 GiB total)")


@pytest.mark.parametrize(("spelled", "row"), [
    ("fp8_block", "fp8_block"), ("nvfp4", "nvfp4"), ("w4a16_mxfp4", "mxfp4"), ("int4_wo", "int4"), ("BF16", "bf16"),
    ("Q4_K - Medium", "q4_k_m"), ("awq-int4", "awq"), ("gptq-int8", "gptq-int8"), ("fp8_e4m3 + fp16 mamba", "fp8"),
    ("default", "bf16"), ("native fp8/bf16 unstated", "bf16"), ("fp8/bf16", None),
])  # fmt: skip
def test_precisions_by_the_spellings_of_engines(spelled: str, row: str | None) -> None:
    assert precision_of(spelled) == row


def test_every_spelling_leads_to_a_row_and_every_row_spells_itself() -> None:
    rows = keys("precisions")
    assert set(SPELLINGS) <= set(rows)
    assert {row: precision_of(row) for row in rows} == {row: row for row in rows} | {"fp16": "bf16"}


def test_all_answers_lie_in_their_ranges() -> None:
    found = one()
    assert list(answer([ROW]).columns) == list(ANSWERS)
    assert found[REFUSED] == "" and found["serving_evidence"] == "measured"
    for name in (*MEMORY, *TIMES):
        assert 0 < found[f"{name}_low"] < found[name] < found[f"{name}_high"]


def test_ranges_widen_where_nothing_like_it_was_measured() -> None:
    known, strange = one(), one(gpu="L20", model="Qwen2.5-72B", cards="8")
    assert strange["serving_evidence"] == "none"
    for name in TIMES:
        width = [np.log(row[f"{name}_high"] / row[f"{name}_low"]) for row in (known, strange)]
        assert width[1] > 1.5 * width[0]


def test_rows_keep_their_places() -> None:
    rows = [ROW, ROW | {"model": "no-such-model"}, ROW | {"cards": "x"}, ROW | {"gpu": ""}, ROW]
    found = answer(rows)
    assert [bool(reason) for reason in found[REFUSED]] == [False, True, True, True, False]
    assert found.loc[1:3, list(RANGED)].isna().all(axis=None)
    assert found.loc[0, list(RANGED)].equals(found.loc[4, list(RANGED)])
    assert "no-such-model" in found[REFUSED][1] and "cards" in found[REFUSED][2] and "gpu" in found[REFUSED][3]


def test_without_lengths_only_memory_is_answered() -> None:
    found = one(input_tokens="", output_tokens="", max_model_len="8192", gpu_memory_utilization="0.95")
    assert found[REFUSED] == "" and found[list(MEMORY)].notna().all() and found[list(TIMES)].isna().all()


def test_a_model_that_does_not_fit_is_refused_with_its_weights() -> None:
    found = one(cards="1", weight_precision="bf16")
    assert "weights take 131" in found[REFUSED] and found[list(TIMES)].isna().all()


def test_without_concurrency_as_many_run_as_the_engine_takes() -> None:
    most, few = one(concurrency=""), one()
    assert most["output_tokens_per_s"] > 2 * few["output_tokens_per_s"] and most["tpot_s"] > few["tpot_s"]


def test_eight_bit_weights_do_not_mean_an_eight_bit_cache_but_in_tensorrt_llm() -> None:
    def cache(**changed: Any) -> float:
        return read(ROW | changed, 1, Context()).values["kv_bytes"]

    assert [cache(engine=engine, engine_version="") for engine in ("vllm", "sglang", "TensorRT-LLM")] == [2, 2, 1]
    assert cache(engine="trtllm", engine_version="", kv_precision="bf16") == 2
    assert cache(engine="trtllm", engine_version="", weight_precision="bf16") == 2
    assert cache(engine="trtllm", engine_version="", model="gpt-oss-120b", weight_precision="mxfp4") == 2


def test_llama_cpp_holds_layers_on_cards_in_turn() -> None:
    def row(cards: int) -> Any:
        return one(model="Meta-Llama-3-70B", gpu="3090-24GB", cards=cards, weight_precision="Q4_K_M", engine="llama.cpp",
                   engine_version="", input_tokens="0", output_tokens="1024", concurrency="1")  # fmt: skip

    two, four = row(2), row(4)
    assert row(1)[REFUSED] != "" and two[REFUSED] == ""
    assert four["tpot_s"] == pytest.approx(two["tpot_s"], rel=0.01)  # more cards hold more, but are not faster
    assert four["kv_pool_tokens"] > 2 * two["kv_pool_tokens"]


def test_attention_groups_have_to_share_the_cards_evenly() -> None:
    assert one(attention_dp_size="3")[REFUSED] == "attention_dp_size: found 3, allowed a divisor of the 4 cards"
