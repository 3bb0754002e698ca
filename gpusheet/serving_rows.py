"""Replicas at a load, from plain rows such as a benchmark's: what is known is read, the answers stand beside it.

A row that cannot be answered keeps its place and says why. Spellings of models, cards, formats and engines are taken as
benchmarks and checkpoints write them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gpusheet.catalog import BadRow, Catalog, Engine, Model, Workload, columns
from gpusheet.catalog.names import cards_in
from gpusheet.catalog.precision_names import SPELLINGS, as_stored, precision_of
from gpusheet.catalog.schema import is_blank
from gpusheet.errors import GpusheetError, as_typed
from gpusheet.lookup import Context, LookUp, frame, look_up
from gpusheet.solver import solve

MEMORY = ("kv_pool_gib_per_card", "kv_pool_tokens", "max_concurrent_requests")
TIMES = ("ttft_s", "tpot_s", "output_tokens_per_s")
RANGED = tuple(f"{name}{end}" for name in (*MEMORY, *TIMES) for end in ("", "_low", "_high"))
REFUSED = "refused"
ANSWERS = (*RANGED, "serving_evidence", REFUSED)

MOST_SHARE = 0.98  # of a card that engines can be told to take

# columns of a row beside those of Workload
_ENGINE_VERSION, _CONCURRENCY = "engine_version", "concurrency"
_WORKLOAD = tuple(c.name for c in columns(Workload) if c.name not in ("workload", _CONCURRENCY))
COLUMNS = (*_WORKLOAD, _ENGINE_VERSION, _CONCURRENCY)
_NOTHING = ("nan", "none", "null", "n/a", "na", "-", "--", "unknown")  # how programs and people write a blank


def read(cells: Mapping[str, Any], number: int, context: Context) -> LookUp:
    """The inputs of a row; raises GpusheetError that says what is wrong with it.

    >>> row = {"model": "nvidia/Qwen3-32B-NVFP4", "gpu": "b200_sxm", "engine": "TensorRT-LLM", "engine_version": "1.1.0rc2"}
    >>> found = read(row, 1, Context()).workload
    >>> found.model, found.gpu, found.weight_precision, found.engine
    ('Qwen3-32B', 'B200-SXM', 'nvfp4', 'tensorrt-llm-1.0')
    """
    catalog = context.catalog
    given = {name: value for name, value in cells.items() if name in COLUMNS and not _blank(value)}
    for name in ("model", "gpu"):
        if name not in given:
            raise GpusheetError(f"{name}: blank; name one")
    named = str(given["model"])
    model = catalog.find_model(named)
    version = given.pop(_ENGINE_VERSION, None)
    values: dict[str, Any] = {"workload": f"row {number}", **given, "model": model.model}
    card = catalog.find_gpu(str(given["gpu"]))
    values["gpu"] = card.gpu
    values["cards"] = _cards(given)
    values["weight_precision"] = _precision(given, "weight_precision", named, model.published_precision)
    key, value = _cache_precisions(given)
    values["kv_precision"] = key
    engine = catalog.find_engine(str(given.get("engine", context.assumptions.engine)), None if version is None else str(version))
    values["engine"] = engine.engine
    if as_stored(str(given.get("kv_precision", ""))) and _cache_is_8bit(engine, model, values["weight_precision"]):
        values["kv_precision"] = value = "fp8"
    values["offered_concurrency"] = values.pop(_CONCURRENCY, given.get("offered_concurrency"))
    asked = [_number(given, name) for name in ("input_tokens", "output_tokens")]
    values["input_tokens"], values["output_tokens"] = (max(length or 1, 1) for length in asked)
    # what an engine takes where nothing is said: the lengths of a benchmark, else what the model can
    together = sum(length or 0 for length in asked)
    values.setdefault("max_model_len", together or model.max_context)
    workload = _workload(values, given)
    if workload.max_model_len and workload.max_model_len < together:
        raise GpusheetError(f"max_model_len: found {workload.max_model_len:.15g}, allowed at least input_tokens and output_tokens "
                            f"together, {together:.15g}")  # fmt: skip
    cards, groups = workload.cards or context.assumptions.cards, workload.attention_dp_size or 1
    if cards % groups:
        raise GpusheetError(f"attention_dp_size: found {groups:.15g}, allowed a divisor of the {cards:.15g} cards")
    domain = card.link_domain_cards or card.max_cards_per_node
    # beyond a node the rules share attention by groups of their own
    one_group = not engine.layer_split and cards / groups <= min(domain, context.assumptions.attention_group_cards)
    if one_group and (uneven := model.heads_apart(cards / groups)):
        raise GpusheetError(f"cards: {uneven} cards cannot be shared out evenly; give another number of cards")
    if workload.expert_parallel is None and groups > 1 and model.n_experts:
        workload = workload.model_copy(update={"expert_parallel": 1.0})  # goes with data-parallel attention in all engines
    found = look_up(workload, context)
    return found if key == value else _with_two_formats(found, catalog, value)


def _workload(values: Mapping[str, Any], given: Mapping[str, Any]) -> Workload:
    try:
        return Workload.read(values)
    except BadRow as bad:  # names the column as it is headed here
        renamed = _CONCURRENCY in given
        raise BadRow([line.replace("offered_concurrency:", f"{_CONCURRENCY}:") if renamed else line for line in bad.lines]) from None


def _blank(value: Any) -> bool:
    if isinstance(value, str) and value.strip().casefold() in _NOTHING:
        return True
    return is_blank(value) or (isinstance(value, float) and math.isnan(value))


def _cards(given: Mapping[str, Any]) -> Any:
    """The cards of a replica: typed, else as many as the card's name says ("8x H100")."""
    named, typed = cards_in(str(given["gpu"])), given.get("cards")
    if named and typed is not None and _number(given, "cards") != named:
        raise GpusheetError(f"cards: found {typed}, and gpu {given['gpu']!r} says {named}; say one number")
    return typed if typed is not None else named


def _cache_precisions(given: Mapping[str, Any]) -> tuple[str, str]:
    """The formats of keys and of values in the cache: alike, unless the cell names two ("q8_0/f16", as llama.cpp logs them)."""
    spelled = str(given.get("kv_precision", ""))
    parts = [precision_of(part) for part in spelled.split("/")]
    if len(parts) == 2 and parts[0] and parts[1]:
        return parts[0], parts[1]
    same = _precision(given, "kv_precision", "", "bf16")
    return same, same


def _with_two_formats(found: LookUp, catalog: Catalog, value: str) -> LookUp:
    """The look-up with the mean of both formats' bytes: keys and values have as many elements."""
    bytes_of = {row.precision: row.weight_bytes for row in catalog.precisions}
    mean = (found.values["kv_bytes"] + bytes_of[value]) / 2
    return replace(found, values={**found.values, "kv_bytes": mean})


def _cache_is_8bit(engine: Engine, model: Model, weight_precision: str) -> bool:
    """Whether the engine keeps an 8-bit cache unasked: TensorRT-LLM, as quantised checkpoints tell it; gpt-oss does not."""
    quantised = weight_precision in ("fp8", "fp8_block", "fp4", "nvfp4") and model.four_bit_scope != "experts"
    return engine.engine.startswith("tensorrt-llm") and quantised


def read_all(rows: Sequence[Mapping[str, Any]], context: Context) -> tuple[dict[int, LookUp], list[str]]:
    """The inputs of the rows that can be read, by their place, and for every row why it cannot, or blank."""
    found: dict[int, LookUp] = {}
    refused = [""] * len(rows)
    for place, cells in enumerate(rows):
        try:
            found[place] = read(cells, place + 1, context)
        except GpusheetError as error:
            refused[place] = "; ".join(str(error).splitlines())
    return found, refused


def _precision(given: Mapping[str, Any], name: str, model: str, published: str) -> str:
    spelled = str(given.get(name, ""))
    found = precision_of(spelled, model, published)
    if found is None:
        raise GpusheetError(f"{name}: {spelled!r} is not known; allowed: {', '.join(SPELLINGS)}")
    return found


def _number(given: Mapping[str, Any], name: str) -> float | None:
    if name not in given:
        return None
    try:
        found = float(given[name])
    except (TypeError, ValueError):
        found = -1.0
    if not 0 <= found < math.inf:
        raise GpusheetError(f"{name}: found {as_typed(given[name])}, allowed a number at least 0, or blank")
    return found


def answer(rows: Sequence[Mapping[str, Any]], context: Context | None = None) -> Any:
    """A DataFrame with the answers of each row; blank with the reason in `refused` where there are none.

    Without input_tokens and output_tokens only memory is answered; without concurrency the load is the most that runs.

    >>> rows = [{"model": "Llama-3.1-8B", "gpu": "H100-80GB", "engine": "vLLM 0.19.0", "gpu_memory_utilization": 0.95},
    ...         {"model": "deepseek-ai/DeepSeek-V4-Flash", "gpu": "H100-80GB"}]
    >>> found = answer(rows)
    >>> found["kv_pool_tokens"].tolist(), found["refused"][1][:35]
    ([476528.0, nan], "model: 'deepseek-ai/DeepSeek-V4-Fla")
    """
    import pandas

    read_rows, refused = read_all(rows, context or Context())
    answers = pandas.DataFrame(index=range(len(rows)), columns=[*RANGED], dtype=float)
    evidence = pandas.Series("", index=range(len(rows)), dtype=object)
    if read_rows:
        solved = inputs_solved(list(read_rows.values()))
        solved.index = list(read_rows)
        answers.loc[solved.index, list(RANGED)] = solved[list(RANGED)]
        evidence.loc[solved.index] = solved["serving_evidence"]
        timed = solved.index[[not _untimed(rows[place]) for place in read_rows]]
        full = timed[solved.loc[timed, "most_running"] <= 0]
        for place in full:
            refused[place] = _no_room(solved.loc[place])
        silent = [place for place in range(len(rows)) if place not in timed or place in full]
        answers.loc[silent, [name for name in RANGED if name.startswith(TIMES)]] = float("nan")
    return answers.assign(serving_evidence=evidence, **{REFUSED: refused})


def _no_room(line: Mapping[str, Any]) -> str:
    """Why nothing runs: weights and the engine leave no cache, at this memory share or at any."""
    weights, card, share = (line[name] for name in ("weights_gib_per_card", "card_gib", "memory_share"))
    said = f"cards: weights take {weights:.1f} GiB of {card:.1f} GiB on a card, which leaves no KV cache"
    needed = math.ceil((weights + line["engine_overhead_gib"]) / card * 100 + 1) / 100
    if needed > MOST_SHARE or share >= needed:
        return f"{said}; give more cards"
    return f"{said} at a memory share of {share:.2g}; give gpu_memory_utilization {needed:.2g} or more, or more cards"


def _untimed(cells: Mapping[str, Any]) -> bool:
    return is_blank(cells.get("input_tokens")) or is_blank(cells.get("output_tokens"))


def inputs_solved(found: Sequence[LookUp]) -> Any:
    """All quantities of looked-up rows."""
    return solve(frame(found), tiers=found[0].values["tiers"])
