"""Spellings that hubs, drivers, schedulers, engines and people use, beside those of the tables."""

from __future__ import annotations

import itertools
import re

import pytest

from gpusheet import Context
from gpusheet.catalog import Catalog
from gpusheet.catalog.names import Names, plain_cards, plain_names
from gpusheet.catalog.precision_names import precision_of
from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.serving_rows import RANGED, REFUSED, answer, read

CATALOG = Catalog.builtin()

CHECKPOINTS = {  # as the hub has it: the model, and the format that nothing but the name says
    "meta-llama/Llama-3.3-70B-Instruct-FP8": ("Llama-3.3-70B-Instruct", "fp8"),
    "meta-llama/Llama-3.1-405B-Instruct-FP8": ("Meta-Llama-3.1-405B", "fp8"),
    "Qwen/Qwen2.5-72B-Instruct-AWQ": ("Qwen2.5-72B", "awq"),
    "Qwen/Qwen2.5-14B-Instruct-GPTQ-Int8": ("Qwen2.5-14B", "gptq-int8"),
    "Qwen/Qwen2.5-Coder-32B-Instruct-GPTQ-Int4": ("Qwen2.5-32B", "int4"),
    "Qwen/Qwen2.5-14B-Instruct-1M": ("Qwen2.5-14B", "bf16"),
    "Qwen/Qwen3-30B-A3B-Thinking-2507-FP8": ("Qwen3-30B-A3B", "fp8"),
    "Qwen/Qwen3-235B-A22B-Instruct-2507": ("Qwen3-235B-A22B", "bf16"),
    "Qwen/Qwen3-14B-Base": ("Qwen3-14B", "bf16"),
    "nvidia/DeepSeek-R1-FP4": ("DeepSeek-R1", "fp4"),
    "nvidia/DeepSeek-R1-0528-FP4-v2": ("DeepSeek-R1", "fp4"),
    "nvidia/DeepSeek-V3.1-NVFP4": ("DeepSeek-V3.1", "nvfp4"),
    "nvidia/Llama-4-Maverick-17B-128E-Instruct-NVFP4": ("Llama-4-Maverick-17B-128E-Instruct", "nvfp4"),
    "amd/Llama-3.1-405B-Instruct-MXFP4-Preview": ("Meta-Llama-3.1-405B", "mxfp4"),
    "amd/Llama-3.3-70B-Instruct-FP8-KV": ("Llama-3.3-70B-Instruct", "fp8"),
    "RedHatAI/Meta-Llama-3.1-70B-Instruct-quantized.w4a16": ("Meta-Llama-3.1-70B", "int4"),
    "RedHatAI/Qwen2.5-7B-Instruct-quantized.w8a8": ("Qwen2.5-7B", "int8"),
    "RedHatAI/gemma-3-27b-it-FP8-dynamic": ("Gemma-3-27B", "fp8"),
    "RedHatAI/Qwen3-30B-A3B-FP8-block": ("Qwen3-30B-A3B", "fp8_block"),
    "neuralmagic/Meta-Llama-3-8B-Instruct-FP8-KV": ("Meta-Llama-3-8B", "fp8"),
    "neuralmagic/Mixtral-8x7B-Instruct-v0.1-FP8": ("Mixtral-8x7B-v0.1", "fp8"),
    "nm-testing/Meta-Llama-3-8B-Instruct-W4A16-ACTORDER": ("Meta-Llama-3-8B", "int4"),
    "hugging-quants/Meta-Llama-3.1-405B-Instruct-AWQ-INT4": ("Meta-Llama-3.1-405B", "int4"),
    "TheBloke/Llama-2-7B-Chat-GPTQ": ("Llama-2-7b", "gptq-int4"),
    "casperhansen/llama-3-70b-instruct-awq": ("Meta-Llama-3-70B", "awq"),
    "ISTA-DASLab/gemma-3-27b-it-GPTQ-4b-128g": ("Gemma-3-27B", "gptq-int4"),
    "Intel/Qwen3-30B-A3B-Instruct-2507-int4-AutoRound": ("Qwen3-30B-A3B", "int4"),
    "cpatonn/Qwen3-30B-A3B-Instruct-2507-AWQ-4bit": ("Qwen3-30B-A3B", "int4"),
    "mlx-community/Qwen3-32B-MLX-4bit": ("Qwen3-32B", "int4"),
    "unsloth/Qwen3-14B-unsloth-bnb-4bit": ("Qwen3-14B", "bnb-4bit"),
    "unsloth/DeepSeek-R1-BF16": ("DeepSeek-R1", "bf16"),
    "meituan/DeepSeek-R1-Channel-INT8": ("DeepSeek-R1", "int8"),
    "cognitivecomputations/DeepSeek-V3-0324-AWQ": ("DeepSeek-V3", "awq"),
    "deepseek-ai/DeepSeek-V3.2-Exp": ("DeepSeek-V3.2", "fp8_block"),
    "deepseek-ai/DeepSeek-R1-0528-Qwen3-8B": ("Qwen3-8B", "bf16"),
    "openai/gpt-oss-20b": ("gpt-oss-20b", "mxfp4"),
    "lmsys/gpt-oss-120b-bf16": ("gpt-oss-120b", "bf16"),
    "moonshotai/Kimi-K2-Instruct-0905": ("Kimi-K2-Instruct", "fp8_block"),
    "moonshotai/Kimi-K2-Thinking": ("Kimi-K2-Thinking", "int4-g32"),
    "nvidia/Llama-3_3-Nemotron-Super-49B-v1_5-FP8": ("Llama-3.3-Nemotron-Super-49B", "fp8"),
    "nvidia/NVIDIA-Nemotron-Nano-9B-v2": ("Nemotron-Nano-9B-v2", "bf16"),
    "mistralai/Mistral-7B-Instruct-v0.1": ("Mistral-7B-v0.1", "bf16"),
    "mistralai/Mistral-7B-Instruct-v0.2": ("Mistral-7B-v0.2", "bf16"),
    "mistralai/Mistral-Small-3.2-24B-Instruct-2506": ("Mistral-Small-3.1-24B", "bf16"),
    "zai-org/GLM-4.5-Air-FP8": ("GLM-4.5-Air", "fp8"),
    "MiniMaxAI/MiniMax-M2.1": ("MiniMax-M2", "fp8_block"),
    "HuggingFaceH4/zephyr-7b-beta": ("Mistral-7B-v0.1", "bf16"),
    "NousResearch/Hermes-3-Llama-3.1-8B": ("Meta-Llama-3.1-8B", "bf16"),
}

MODELS = {  # as people write it
    "LLaMA v2 70B": "Llama-2-70b", "llama3.3-70b": "Llama-3.3-70B-Instruct", "Llama 3.1 405B": "Meta-Llama-3.1-405B",
    "Meta Llama 3.1 8B Instruct": "Meta-Llama-3.1-8B", "OpenAI gpt-oss-20b": "gpt-oss-20b", "Google Gemma 3 27B": "Gemma-3-27B",
    "gpt-oss 120B (mxfp4)": "gpt-oss-120b", "Qwen3-235B": "Qwen3-235B-A22B", "Qwen 2.5 72B": "Qwen2.5-72B",
    "DeepSeek-R1 671B": "DeepSeek-R1", "DeepSeek V3": "DeepSeek-V3", "Mixtral 8x22B": "Mixtral-8x22B-v0.1",
    "models/qwen/Qwen2.5-72B-Instruct/": "Qwen2.5-72B", "~/models/Qwen3-32B": "Qwen3-32B",
    "/models/llama-3-70b/hf": "Meta-Llama-3-70B",
    "~/.cache/huggingface/hub/models--Qwen--Qwen3-32B-FP8/snapshots/0a1b2c": "Qwen3-32B",
    r"D:\models\Llama-3.1-8B-Instruct": "Meta-Llama-3.1-8B", "Nemotron Ultra 253B": "Llama-3.1-Nemotron-Ultra-253B",
}  # fmt: skip

CARDS = {
    "NVIDIA H100 80GB HBM3": "H100-80G-SXM", "H100 SXM5 80GB": "H100-80G-SXM", "NVIDIA-H100-80GB-HBM3": "H100-80G-SXM",
    "h100_sxm": "H100-80G-SXM", "8x H100": "H100-80G-SXM", "H100 HBM3": "H100-80G-SXM", "NVIDIA H100 PCIe": "H100-80G-PCIe",
    "H100 94GB": "H100-94G-NVL", "A100-SXM4-40GB": "A100-40G-SXM", "NVIDIA A100-SXM4-80GB": "A100-80G-SXM",
    "Nvidia Tesla A100": "A100-80G-SXM", "A100 80GB x 2": "A100-80G-SXM", "L40S": "L40S", "RTX 4090": "RTX4090",
    "NVIDIA GeForce RTX 4090 D": "RTX4090D", "4090-48GB": "RTX4090-48G", "B200": "B200-SXM", "GB200": "GB200", "gb200_sxm": "GB200",
    "GB200 NVL72": "GB200", "MI300X": "MI300X", "AMD MI300X": "MI300X", "AMD Instinct MI355X": "MI355X", "H20-3e": "H20-141G",
    "H20 96G": "H20-96G", "Ascend 910B": "Ascend910B3", "Ascend 910B2": "Ascend910B2", "昇腾910B": "Ascend910B3",
    "华为 Ascend 910B4": "Ascend910B4", "Tesla V100-SXM2-32GB": "V100-32G-SXM2", "nvidia-l4": "L4", "NVIDIA A10G": "A10G",
    "NVIDIA RTX 6000 Ada Generation": "RTX6000Ada", "NVIDIA RTX PRO 6000 Blackwell Server Edition": "RTXPRO6000-Server",
}  # fmt: skip

ENGINES = {
    ("TRT-LLM", ""): "tensorrt-llm-1.0", ("tensorrt_llm", "0.21.0rc1"): "tensorrt-llm-0.0",
    ("trtllm", "1.2.0rc6.post1"): "tensorrt-llm-1.0",
    ("TensorRT-LLM v0.14", ""): "tensorrt-llm-0.0", ("TensorRT-LLM (PyTorch backend)", ""): "tensorrt-llm-1.0",
    ("TensorRT-LLM", "2024-11"): "tensorrt-llm-0.0", ("sglang 0.4", ""): "sglang-0.0", ("SGLang", "v0.4.6.post1"): "sglang-0.0",
    ("lmsysorg/sglang:v0.5.5", ""): "sglang-0.5.3", ("sglang==0.5.3rc0", ""): "sglang-0.5.3", ("vllm v0.6.3.post1", ""): "vllm-0.0",
    ("vLLM V1", ""): "vllm-0.21", ("vLLM V0", ""): "vllm-0.6.5", ("vLLM", "0.9.1 (V0)"): "vllm-0.6.5", ("vLLM", "V1"): "vllm-0.21",
    ("vllm/vllm-openai:v0.9.0", ""): "vllm-0.8", ("vllm 0.10.2+cu128", ""): "vllm-0.8", ("vLLM", "2025-07"): "vllm-0.8",
    ("vLLM", "nightly-dev-20260216-d3bae71e"): "vllm-0.21", ("vLLM", "main"): "vllm-0.21", ("vLLM", "2024 (see repo)"): "vllm-0.21",
    ("LMDeploy-TurboMind", "0.2.0"): "lmdeploy-0.0", ("ik_llama.cpp", "2025"): "llama.cpp-0.0", ("llama.cpp", "b2837"): "llama.cpp-0.0",
    ("Ollama", "0.9.0"): "llama.cpp-0.0",
}  # fmt: skip

FORMATS = {
    "bf16": "bf16", "torch.bfloat16": "bf16", "FP16": "bf16", "fp16/bf16": "bf16", "w8a8": "int8", "W8A8 FP8": "fp8",
    "fp8 block": "fp8_block", "FP8 (e4m3)": "fp8", "float8_e4m3fn": "fp8", "int4-awq": "int4", "AWQ 4bit": "awq", "nvfp4": "nvfp4",
    "modelopt_fp4": "fp4", "w4a16_mxfp4": "mxfp4", "MXFP4 (native)": "mxfp4", "int8_wo": "gptq-int8", "bnb-8bit": "gptq-int8",
    "4-bit": "int4", "Q4_K - Medium": "q4_k_m", "Q4_0": "q4_0", "IQ4_NL": "q4_0", "UD-Q4_K_XL": "q4_k_m", "gguf": "q4_k_m",
    "nvfp4 mixed fp8": "nvfp4", "int4 (native QAT)": "int4", "3bit": None, "fp6": None, "exl2": None,
}  # fmt: skip


@pytest.mark.parametrize("spelled", sorted(CHECKPOINTS))
def test_checkpoints_say_their_model_and_format(spelled: str) -> None:
    model, precision = CHECKPOINTS[spelled]
    found = CATALOG.find_model(spelled)
    assert found.model == model
    for blank in ("", "auto", "native", "none"):
        assert precision_of(blank, spelled, found.published_precision) == precision


@pytest.mark.parametrize("spelled", sorted(MODELS))
def test_models_as_people_write_them(spelled: str) -> None:
    assert CATALOG.find_model(spelled).model == MODELS[spelled]


def test_every_model_by_every_ending_of_a_copy() -> None:
    """No ending leads to another model than the name without it."""
    endings = ("-FP8", "-FP8-dynamic", "-NVFP4", "-AWQ", "-GPTQ-Int4", "-quantized.w4a16", "-BF16", " (4 cards)", "-Instruct-FP8")
    for model, ending in itertools.product(CATALOG.models, endings):
        names = [model.model, *(part.strip() for part in (model.aliases or "").split(";") if part.strip())]
        for name in names:
            if "/" not in name:
                assert CATALOG.find_model(f"someone/{name}{ending}").model == model.model, f"{name}{ending}"


@pytest.mark.parametrize("spelled", [
    "deepseek-ai/DeepSeek-V4-Flash", "Llama-9-70B", "meta-llama/Llama-70B", "Qwen/Qwen9-32B-FP8", "Qwen3", "llama", "instruct-FP8",
    "mistralai/Mistral-Small-Instruct", "microsoft/Phi-3-small-8k-instruct", "CohereLabs/c4ai-command-r-08-2024", "/models/hf/",
    "tiiuae/falcon-mamba-7b", "A22B", "8B", "state-spaces/mamba-2.8b-hf",
])  # fmt: skip
def test_what_is_no_model_of_ours_is_refused(spelled: str) -> None:
    with pytest.raises(UnknownName):
        CATALOG.find_model(spelled)


@pytest.mark.parametrize("spelled", sorted(CARDS))
def test_cards_as_drivers_and_sellers_write_them(spelled: str) -> None:
    assert CATALOG.find_gpu(spelled).gpu == CARDS[spelled]


@pytest.mark.parametrize("spelled", [
    "RTX 4090 Mobile", "H300", "80GB-class", "GPU", "NVIDIA", "7900 XTX", "n/a (CPU)", "100", "p4d.24xlarge",
])  # fmt: skip
def test_what_is_no_card_of_ours_is_refused(spelled: str) -> None:
    with pytest.raises(UnknownName):
        CATALOG.find_gpu(spelled)


@pytest.mark.parametrize(("name", "version"), sorted(ENGINES))
def test_engines_and_their_versions(name: str, version: str) -> None:
    assert CATALOG.find_engine(name, version or None).engine == ENGINES[name, version]


@pytest.mark.parametrize("name", ["TGI", "DeepSpeed-MII", "", "1.0", "?", "transformers", "MindIE"])
def test_what_is_no_engine_of_ours_is_refused(name: str) -> None:
    with pytest.raises(UnknownName, match="engine: "):
        CATALOG.find_engine(name)


@pytest.mark.parametrize("spelled", sorted(FORMATS))
def test_formats(spelled: str) -> None:
    assert precision_of(spelled) == FORMATS[spelled]


def test_any_text_is_found_or_refused() -> None:
    """Nothing but a refusal comes out of odd cells."""
    odd = ["", " ", "/", "//", "\\", "()", "(x", "x)", "-", "--", "models--", "models--a--b", "*", "8x", "x8", "x", "(H100)", "0", "é",
           "模型", "a" * 5000, "H100" * 300, "-FP8" * 200, "\n", "=1+1", "None", "v", "V0", "V1", "b", "+", "1.2.3"]  # fmt: skip
    for text, find in itertools.product(odd, (CATALOG.find_model, CATALOG.find_gpu, CATALOG.find_engine)):
        try:
            assert find(text)
        except GpusheetError as error:
            assert len(str(error).splitlines()) <= 1
        assert precision_of(text) in {*FORMATS.values(), "int4-g32", "q8_0", "q6_k", "q5_k_m", "q3_k_m", "q2_k", None}


def test_plainer_names_end_and_get_shorter() -> None:
    for name in (*CHECKPOINTS, *MODELS):
        found = list(plain_names(name, copies=True))
        assert len(found) == len(set(found)) < 20 and all(len(one) <= len(name) for one in found)
    assert all(len(list(plain_cards(name))) <= 5 for name in CARDS)


def test_two_rows_may_not_claim_a_name() -> None:
    with pytest.raises(GpusheetError, match="the name 'b' is claimed by a and c"):
        Names("model", [("a", ["b"], 1), ("c", ["b"], 2)])


ROW = {
    "model": "deepseek-ai/DeepSeek-R1", "gpu": "H200", "cards": "8", "engine": "SGLang", "input_tokens": "1024",
    "output_tokens": "512", "concurrency": "64",
}  # fmt: skip


def test_blank_columns_are_what_the_checkpoint_and_the_engine_do() -> None:
    """However a blank is written; a column that is not there is blank too."""
    names = ("weight_precision", "kv_precision", "engine_version", "attention_dp_size", "gpu_memory_utilization", "max_model_len")
    bare = answer([ROW]).iloc[0]
    assert bare[REFUSED] == "" and read(ROW, 1, Context()).workload.weight_precision == "fp8_block"
    for blank in ("", " ", "nan", "None", "N/A", "-", None, float("nan")):
        assert answer([ROW | dict.fromkeys(names, blank)]).iloc[0][list(RANGED)].equals(bare[list(RANGED)]), blank


def test_cards_in_the_name_of_a_card() -> None:
    assert read({**ROW, "gpu": "8x H200", "cards": ""}, 1, Context()).workload.cards == 8
    assert answer([ROW | {"gpu": "4xH200"}])[REFUSED][0] == "cards: found 8, and gpu '4xH200' says 4; say one number"


def test_keys_and_values_of_two_formats() -> None:
    def bytes_of(spelled: str) -> float:
        row = ROW | {"engine": "llama.cpp", "weight_precision": "Q4_K_M", "kv_precision": spelled}
        return read(row, 1, Context()).values["kv_bytes"]

    assert bytes_of("q8_0/f16") == (1.0625 + 2) / 2 and bytes_of("iq4_nl/f16") == (0.5625 + 2) / 2
    assert bytes_of("q8_0/q8_0") == bytes_of("q8_0") == 1.0625
    assert "kv_precision: 'f16/5bit' is not known" in answer([ROW | {"kv_precision": "f16/5bit"}])[REFUSED][0]


@pytest.mark.parametrize(("changed", "why"), [
    ({"cards": "3", "model": "Llama-3.1-70B"}, "cards: 64 query heads over 3 cards cannot be shared out evenly"),
    ({"cards": "4", "model": "phi-4"}, "cards: 10 KV heads over 4 cards cannot be shared out evenly"),
    ({"concurrency": "0"}, "concurrency: found 0, allowed a number above 0, or blank"),
    ({"input_tokens": "-1"}, "input_tokens: found -1, allowed a number at least 0, or blank"),
    ({"output_tokens": "many"}, "output_tokens: found many, allowed a number at least 0, or blank"),
    ({"max_model_len": "1024"}, "max_model_len: found 1024, allowed at least input_tokens and output_tokens together, 1536"),
    ({"gpu": "H100", "weight_precision": "bf16"}, "cards: weights take 157"),
    ({"gpu": "H100", "cards": "1", "model": "gpt-oss-120b", "engine": "vllm 0.11"}, "give gpu_memory_utilization 0.93 or more"),
])  # fmt: skip
def test_what_cannot_run_says_what_to_do(changed: dict[str, str], why: str) -> None:
    refused = answer([ROW | changed])[REFUSED][0]
    assert re.search(re.escape(why), refused), refused
