"""What load generators write: the figures that calibration needs, by our names and in our units."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpusheet.errors import GpusheetError

_SECONDS = {"s": 1.0, "sec": 1.0, "seconds": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_KINDS = "vllm bench serve, SGLang bench_serving, GenAI-Perf, AIPerf or guidellm"


@dataclass(frozen=True)
class Told:
    """What a report says of one run."""

    place: str
    cells: dict[str, Any]
    measured: dict[str, float]
    remarks: tuple[str, ...] = ()


def read(document: Any, place: str) -> Iterator[Told]:
    """The runs in a JSON value, by what it looks like."""
    if isinstance(document, list):
        for number, one in enumerate(document, 1):
            yield from read(one, f"{place} item {number}")
    elif not isinstance(document, Mapping):
        raise GpusheetError(f"{place}: found {json.dumps(document)[:40]}, allowed a report of {_KINDS}")
    elif isinstance(document.get("benchmarks"), list):
        for number, one in enumerate(document["benchmarks"], 1):
            yield _of_guidellm(one, f"{place} benchmark {number}", document)
    elif any(f"{kind}_ttft_ms" in document for kind in ("mean", "median")):
        yield _of_bench(document, place)
    elif isinstance(document.get("time_to_first_token") or document.get("request_latency"), Mapping):
        yield _of_genai_perf(document, place)
    else:
        raise GpusheetError(f"{place}: found keys {', '.join(list(map(str, document))[:5])}, allowed a report of {_KINDS}")


def _of_bench(report: Mapping[str, Any], place: str) -> Told:
    """`vllm bench serve --save-result` and `sglang.bench_serving --output-file`, which write alike."""
    done = _number(report.get("completed"))
    cells: dict[str, Any] = {
        "model": report.get("model_id"),
        "input_tokens": _ratio(report.get("total_input_tokens"), done),
        "output_tokens": _ratio(report.get("total_output_tokens"), done),
    }
    backend = str(report.get("backend") or "")
    if backend.startswith(("sglang", "vllm")):
        cells["engine"] = backend.split("-", maxsplit=1)[0]
    measured = {
        "ttft_s": _in_seconds(report, "ttft"), "tpot_s": _in_seconds(report, "tpot") or _in_seconds(report, "itl"),
        "output_tokens_per_s": _number(report.get("output_throughput")),
    }  # fmt: skip
    cells["concurrency"] = _load_of_bench(report, cells, measured)
    asked = _number(report.get("num_prompts"))
    remarks = (f"{asked - done:.15g} of {asked:.15g} requests failed",) if asked and done and done < asked else ()
    return Told(place, _given(cells), _given(measured), remarks)


def _load_of_bench(report: Mapping[str, Any], cells: Mapping[str, Any], measured: Mapping[str, float | None]) -> float | None:
    """Requests in flight: the limit that was set; all at once without rate and limit; else rate by time (Little's law)."""
    limit, rate = _number(report.get("max_concurrency")), _number(report.get("request_rate"))
    if limit:
        return limit
    if rate is None:  # "inf"
        return _number(report.get("num_prompts")) or _number(report.get("completed"))
    if measured_load := _number(report.get("concurrency")):  # SGLang's mean
        return measured_load
    ends, first, each = _number(report.get("request_throughput")), measured["ttft_s"], measured["tpot_s"]
    if ends and first and each and cells["output_tokens"]:
        return float(ends * (first + (cells["output_tokens"] - 1) * each))
    return None


def _in_seconds(report: Mapping[str, Any], name: str) -> float | None:
    value = _number(report.get(f"mean_{name}_ms")) or _number(report.get(f"median_{name}_ms"))
    return value / 1000 if value else None


def _of_genai_perf(report: Mapping[str, Any], place: str) -> Told:
    """`profile_export_genai_perf.json` and `profile_export_aiperf.json`."""
    setup = report.get("input_config") or report.get("config") or {}
    names = _find(setup, "model_names", "model", "models")
    metric = {name: _average(report.get(name), f"{place}, {name}") for name in (
        "time_to_first_token", "inter_token_latency", "output_token_throughput", "input_sequence_length",
        "output_sequence_length")}  # fmt: skip
    return _of_metrics(metric, place, names[0] if isinstance(names, list) and names else names,
                       _number(_find(setup, "concurrency")))  # fmt: skip


def of_metric_lines(lines: Sequence[Sequence[str]], place: str) -> Told:
    """`profile_export_genai_perf.csv`: a metric a line, its unit in brackets, its average first. It does not say the load."""
    metric: dict[str, float | None] = {}
    for cells in lines:
        if len(cells) < 2 or "(" not in cells[0]:
            continue
        name, _, unit = cells[0].rpartition("(")
        key = name.strip().casefold().replace(" ", "_")
        metric[key] = _average({"unit": unit.strip(" )"), "avg": cells[1].replace(",", "")}, f"{place}, {cells[0]}")
    return _of_metrics(metric, place, None, None)


def _of_metrics(metric: Mapping[str, float | None], place: str, model: Any, load: float | None) -> Told:
    cells = {
        "model": model, "concurrency": load, "input_tokens": metric.get("input_sequence_length"),
        "output_tokens": metric.get("output_sequence_length"),
    }  # fmt: skip
    measured = {
        "ttft_s": metric.get("time_to_first_token"), "tpot_s": metric.get("inter_token_latency"),
        "output_tokens_per_s": metric.get("output_token_throughput"),
    }  # fmt: skip
    return Told(place, _given(cells), _given(measured))


def _average(metric: Any, place: str) -> float | None:
    """The average of a metric, times in seconds."""
    if not isinstance(metric, Mapping):
        return None
    value, unit = _number(metric.get("avg")), str(metric.get("unit") or "")
    if value is None or "/" in unit or unit in ("tokens", "per sec", "count", "requests"):
        return value
    if unit in _SECONDS:
        return value * _SECONDS[unit]
    if "latency" in place or "time" in place.casefold():
        raise GpusheetError(f"{place}: found unit {unit!r}, allowed {', '.join(_SECONDS)}")
    return value


def _of_guidellm(benchmark: Any, place: str, report: Mapping[str, Any]) -> Told:
    """A benchmark of guidellm's `benchmarks.json`."""
    metrics = benchmark.get("metrics") if isinstance(benchmark, Mapping) else None
    if not isinstance(metrics, Mapping):
        raise GpusheetError(f"{place}: found no metrics, allowed a report of guidellm")
    mean = {name: _mean(metrics.get(name)) for name in (
        "time_to_first_token_ms", "inter_token_latency_ms", "output_tokens_per_second", "prompt_token_count", "output_token_count",
        "request_concurrency")}  # fmt: skip
    setup = [benchmark.get(name) or {} for name in ("config", "args", "benchmarker")] + [report.get("args") or {}]
    streams = next((found for one in setup if (found := _number(_find(one, "streams")))), None)
    model = next((found for one in setup if isinstance(found := _find(one, "model"), str)), None)
    cells = {
        "model": model, "concurrency": streams or mean["request_concurrency"], "input_tokens": mean["prompt_token_count"],
        "output_tokens": mean["output_token_count"],
    }  # fmt: skip
    first, each = mean["time_to_first_token_ms"], mean["inter_token_latency_ms"]
    measured = {
        "ttft_s": first / 1000 if first else None, "tpot_s": each / 1000 if each else None,
        "output_tokens_per_s": mean["output_tokens_per_second"],
    }  # fmt: skip
    failed = _number((metrics.get("request_totals") or {}).get("errored"))
    return Told(place, _given(cells), _given(measured), (f"{failed:.15g} requests failed",) if failed else ())


def _mean(metric: Any) -> float | None:
    if not isinstance(metric, Mapping):
        return None
    successful = metric.get("successful")
    return _number((successful if isinstance(successful, Mapping) else metric).get("mean"))


def _find(tree: Any, *names: str) -> Any:
    """The first value under one of these keys, looked for level by level."""
    level = [tree]
    while level:
        for node in level:
            for name in names:
                if isinstance(node, Mapping) and node.get(name) not in (None, "", []):
                    return node[name]
        level = [value for node in level if isinstance(node, Mapping) for value in node.values() if isinstance(value, Mapping)]
    return None


def _number(value: Any) -> float | None:
    """A finite number above 0; anything else, such as "inf", is not told."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if 0 < number < math.inf else None


def _ratio(total: Any, count: float | None) -> float | None:
    whole = _number(total)
    return whole / count if whole and count else None


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
