"""Serving by name: the cache of a request of a model, and the fewest cards for a request rate within latency targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from gpusheet.catalog import Catalog, Column, Workload, columns
from gpusheet.catalog.precision_names import SPELLINGS, precision_of
from gpusheet.constants import GB_PER_GIB
from gpusheet.errors import GpusheetError, UnknownName, shown
from gpusheet.partial import solve_only
from gpusheet.serving import cards_for_slo
from gpusheet.units import RequestsPerSecond, unit_of
from gpusheet.wiring import quantities
from gpusheet.xl.arguments import Argument, checked_number, name
from gpusheet.xl.cells import BAD_ARGUMENT, IMPOSSIBLE, UNKNOWN, CellError, is_blank, scalar
from gpusheet.xl.function import Function

_COLUMNS = {c.name: c for c in columns(Workload)}
_CACHED = ("longest_gib",)


def kv_for_model(model: str, tokens: float, kv_precision: str | None, tensor_parallel_size: float | None) -> float:
    """Cache of a request, in GB over all cards that share it."""
    ranks = tensor_parallel_size or 1.0
    values = _model_values(model, kv_precision or "fp16")
    found = solve_only(_CACHED, {**values, "longest_tokens": tokens, "tensor_ranks": ranks})["longest_gib"]
    return float(found * ranks * GB_PER_GIB)


@lru_cache(maxsize=256)
def _model_values(model: str, kv_precision: str) -> dict[str, Any]:
    catalog = Catalog.builtin()
    facts = dict(_found(catalog.find_model, model))
    bytes_of = {row.precision: row.weight_bytes for row in catalog.precisions}
    return {key: value for key, value in facts.items() if key in quantities()} | {"kv_bytes": bytes_of[kv_precision]}


def cards(
    model: str, gpu: str, qps: float, input_tokens: float, output_tokens: float, ttft: float | None, tpot: float | None,
    engine: str | None, weight_precision: str | None, kv_precision: str | None, attention_dp_size: float | None,
    tensor_parallel_size: float | None, gpu_memory_utilization: float | None, min_replicas: float | None,
) -> float:  # fmt: skip
    """The fewest cards; an error that says why where no size can serve."""
    if tensor_parallel_size is not None:
        attention_dp_size = attention_dp_size or 1.0
    given = {
        "engine": engine, "weight_precision": weight_precision, "kv_precision": kv_precision, "attention_dp_size": attention_dp_size,
        "cards": tensor_parallel_size and tensor_parallel_size * (attention_dp_size or 1.0),
        "gpu_memory_utilization": gpu_memory_utilization, "min_replicas": min_replicas,
    }  # fmt: skip
    workload: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    try:
        plan = cards_for_slo(model, gpu, qps, input_tokens, output_tokens, ttft, tpot, **workload)
    except UnknownName as error:
        raise CellError(UNKNOWN, str(error)) from None
    except GpusheetError as error:
        raise CellError(BAD_ARGUMENT, str(error).splitlines()[0]) from None
    if plan.cards is None:
        raise CellError(IMPOSSIBLE, f"no size serves {plan.model} on {plan.gpu}: {plan.refused}")
    return float(plan.cards)


def _found(find: Callable[[str], Any], asked: str) -> Any:
    try:
        return find(asked)
    except UnknownName as error:
        raise CellError(UNKNOWN, str(error)) from None


def _number(column: Column, what: str, en: str, zh: str, optional: bool = False) -> Argument:
    """The argument for a number of a column; None where it may be left out and is."""
    allowed = replace(column, required=not optional)

    def read(cell: Any) -> float | None:
        cell = scalar(cell)
        if is_blank(cell):
            if optional:
                return None
            raise CellError(BAD_ARGUMENT, f"blank, allowed {allowed.allowed()} ({column.unit.symbol})")
        return checked_number(allowed, cell)

    return Argument(what, "number", f"{en} ({column.unit.symbol})", f"{zh}（{column.unit.label('zh')}）", read, optional)


def _like(column: str, what: str, blank_en: str, blank_zh: str) -> Argument:
    """The argument that is a column of a workload and may be left out."""
    c = _COLUMNS[column]
    return _number(c, what, f"{c.en}; blank: {blank_en}", f"{c.zh}；留空：{blank_zh}", optional=True)


def _precision(what: str, en: str, zh: str) -> Argument:
    """The argument for a number format, however it is spelled."""

    def read(cell: Any) -> str | None:
        cell = scalar(cell)
        if is_blank(cell):
            return None
        found = precision_of(cell) if isinstance(cell, str) else None
        if found is None:
            raise CellError(UNKNOWN, f"{shown(cell)} is not known; allowed: {', '.join(SPELLINGS)}")
        return found

    return Argument(what, "text", en, zh, read, optional=True)


_MODEL = name("model", "Name, alias or Hugging Face id of the model.", "模型名称、别名或 Hugging Face 编号")
_RANKS = replace(_COLUMNS["cards"], required=True)
_TOKENS = replace(_COLUMNS["max_model_len"], required=True)
_RATE = replace(_COLUMNS["offered_concurrency"], unit=unit_of(RequestsPerSecond))

FUNCTIONS = (
    Function(
        "KV_FOR_MODEL",
        (
            _MODEL,
            _number(_TOKENS, "tokens", "Tokens in the cache: input and output of a request", "缓存中的 token 数：单请求输入加输出"),
            _precision("kv_precision", "Number format of the KV cache; blank: fp16.", "KV 缓存精度；留空：fp16"),
            _number(_RANKS, "tensor_parallel_size", "Cards that share the request; blank: 1", "分担该请求的卡数；留空：1",
                    optional=True),
        ),
        "KV cache of a request by its model's attention, in GB over all cards that share it: what each card repeats (a latent, "
        "KV heads fewer than cards) counts on each. Divide by tensor_parallel_size for one card.",
        "按模型自身注意力结构计算的单请求 KV 缓存（GB，分担该请求的所有卡合计；MLA 压缩向量、少于卡数的 KV 头在每张卡上各计一份）；"
        "除以 tensor_parallel_size 得单卡",
        kv_for_model, ("Llama-3.1-70B", 4096),
    ),
    Function(
        "CARDS_FOR_SLO",
        (
            _MODEL,
            name("gpu", 'Name or alias of the card, such as "H100 SXM".', 'GPU 型号或别名，如 "H100 SXM"'),
            _number(_RATE, "qps", "Requests a second", "每秒请求数"),
            _number(_COLUMNS["input_tokens"], "input_tokens", "Mean input tokens of a request", "平均输入 token"),
            _number(_COLUMNS["output_tokens"], "output_tokens", "Mean output tokens of a request", "平均输出 token"),
            _like("ttft_target", "ttft", "1 s", "1 秒"),
            _like("tpot_target", "tpot", "0.05 s", "0.05 秒"),
            name("engine", "Serving engine, such as vllm or vllm-0.19; blank: the newest vLLM.",
                 "推理引擎，如 vllm、vllm-0.19；留空：最新 vLLM", optional=True),
            _precision("weight_precision", "Number format of the weights; blank: fp16.", "权重精度；留空：fp16"),
            _precision("kv_precision", "Number format of the KV cache; blank: fp16.", "KV 缓存精度；留空：fp16"),
            _like("attention_dp_size", "attention_dp_size", "1, or the best where there are experts", "1，MoE 模型自动选择"),
            _like("cards", "tensor_parallel_size", "the best power of 2", "自动选择最优的 2 的幂"),
            _like("gpu_memory_utilization", "gpu_memory_utilization", "the engine's default", "引擎默认值"),
            _like("min_replicas", "min_replicas", "1", "1"),
        ),
        "The fewest cards that serve a request rate with first token (TTFT) and output tokens (TPOT) within their targets, over "
        "tensor-parallel sizes and replicas.",
        "在首 token 时延（TTFT）与每 token 时延（TPOT）目标内承载给定 QPS 所需的最少卡数：在可行的张量并行度与副本数中搜索",
        cards, ("Llama-3.1-70B", "H100 SXM", 10, 2048, 512, 1, 0.05, "vllm", "fp8"),
    ),
)  # fmt: skip
