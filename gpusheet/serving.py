"""The fewest cards that serve a request rate within latency targets, over the sizes in which a model can be split."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from gpusheet.catalog import Assumptions, Model, Workload
from gpusheet.catalog.precision_names import precision_of
from gpusheet.errors import GpusheetError, as_typed
from gpusheet.lookup import Context, look_up
from gpusheet.missing import is_missing
from gpusheet.partial import Step, needed, run, solve_only

VOCABULARY_BLOCK = 64.0  # engines pad the vocabulary to a multiple of it
DATA_PARALLEL = ("vllm", "sglang", "tensorrt-llm")  # engines that can copy the attention and share the experts
BLOCKS = {"fp8_block": 128.0, "int4": 128.0, "awq": 128.0, "gptq-int4": 128.0, "gptq-int8": 128.0}  # that share a scale

_WANTED = (
    "serving_cards", "serving_cards_low", "serving_cards_high", "serving_evidence",
    "replica_qps", "serving_concurrency", "target_ttft_s", "target_tpot_s", "kv_pool_gib_per_card",
    "tpot_requests", "ttft_requests", "most_running", "request_slots", "attention_groups",
)  # fmt: skip
# what a search may set itself: rules that depend on none of it are worked out once for a model on a card
_SET = frozenset({
    "cards", "attention_dp_size", "expert_parallel", "input_tokens", "output_tokens", "ttft_target", "tpot_target", "peak_qps",
    "min_replicas", "gpu_memory_utilization", "max_model_len", "max_num_batched_tokens",
})  # fmt: skip
_GIVEN = ("cards", "attention_dp_size", "expert_parallel")


@dataclass(frozen=True)
class Option:
    """A size of replica that was looked at: what it carries, or why it cannot serve."""

    tensor_parallel_size: int
    attention_dp_size: int
    replica_cards: int
    refused: str = ""  # why it cannot serve
    cards: int | None = None  # of all replicas
    cards_low: int | None = None  # as few may do, or as many be needed: in eight cases of ten it is between
    cards_high: int | None = None
    evidence: str = ""  # whether the like was measured: measured, partly or none
    replicas: int | None = None
    concurrency: int | None = None  # requests that a replica runs at once within the targets
    replica_qps: float | None = None
    ttft_s: float | None = None  # at that concurrency
    tpot_s: float | None = None
    bound: str = ""  # what keeps a replica from more: tpot, ttft, memory or slots


@dataclass(frozen=True)
class Plan:
    """The fewest cards for a request rate under the targets, and every size that was looked at."""

    model: str
    gpu: str
    qps: float
    best: Option | None  # None where no size can serve
    tried: tuple[Option, ...]

    @property
    def cards(self) -> int | None:
        return self.best.cards if self.best else None

    @property
    def refused(self) -> str:
        """Why no size can serve; empty where one can."""
        if self.best:
            return ""
        reasons: dict[str, dict[int, None]] = {}
        for option in self.tried:
            reasons.setdefault(option.refused, {})[option.replica_cards] = None
        return "; ".join(f"{', '.join(map(str, cards))} cards: {reason}" for reason, cards in reasons.items())


def cards_for_slo(
    model: str,
    gpu: str,
    qps: float,
    input_tokens: float,
    output_tokens: float,
    ttft: float | None = None,
    tpot: float | None = None,
    *,
    context: Context | None = None,
    **workload: Any,
) -> Plan:
    """The fewest cards that serve `qps` requests a second, first tokens within `ttft` and the others each within `tpot` seconds.

    Blank targets, and whatever else `workload` does not give by the names of its columns (engine, weight_precision,
    kv_precision, gpu_memory_utilization, min_replicas, ...), take the assumptions of the context. Tensor parallelism goes
    through the powers of 2 that the model's shape and the link of the card allow; so does data parallelism of the attention
    where there are experts and the engine has it. Given `cards` (of a replica) or `attention_dp_size` are kept to.

    >>> plan = cards_for_slo("Llama-3.1-70B", "H100 SXM", 10, 2048, 512, 1.0, 0.05, weight_precision="fp8")
    >>> plan.best.tensor_parallel_size, plan.best.replicas * plan.best.replica_cards == plan.cards
    (2, True)
    >>> cards_for_slo("DeepSeek-V3", "L20", 1, 2048, 512, weight_precision="fp8").cards is None
    True
    """
    known = _known(model, gpu, context, tuple(sorted(workload.items())))
    values = dict(known.values) | {"peak_qps": qps, "input_tokens": input_tokens, "output_tokens": output_tokens}
    targets = {"ttft_target": ttft, "tpot_target": tpot}
    values |= {name: target for name, target in targets.items() if target is not None}
    for name in ("peak_qps", "input_tokens", "output_tokens", "ttft_target", "tpot_target"):
        if not 0 < values[name] < math.inf:
            raise GpusheetError(f"{name}: found {as_typed(values[name])}, allowed a number above 0")
    tried = [Option(ranks, groups, ranks * groups, refused) for ranks, groups, refused in known.sizes]
    found = iter(_solved(known, values, [option for option in tried if not option.refused]))
    tried = [option if option.refused else next(found) for option in tried]
    able = [option for option in tried if option.cards is not None]
    best = min(able, key=lambda option: (option.cards, option.replica_cards, option.attention_dp_size), default=None)
    return Plan(known.model, known.gpu, qps, best, tuple(tried))


@dataclass(frozen=True)
class _Known:
    """What does not depend on lengths, rate and targets."""

    model: str
    gpu: str
    sizes: tuple[tuple[int, int, str], ...]  # tensor-parallel and attention-data-parallel sizes, and why one is not possible
    spread: float | None  # 1 or 0 where it is given whether experts are spread over the cards
    values: Mapping[str, Any]
    steps: tuple[Step, ...]  # what is left to work out


def _known(model: str, gpu: str, context: Context | None, given: tuple[tuple[str, Any], ...]) -> _Known:
    if context is None:
        return _known_by_default(model, gpu, given)
    return _looked_up(model, gpu, context, given)


@lru_cache(maxsize=256)
def _known_by_default(model: str, gpu: str, given: tuple[tuple[str, Any], ...]) -> _Known:
    return _looked_up(model, gpu, _default_context(), given)


@cache
def _default_context() -> Context:
    return Context(as_of=Context().price_date)  # found once


def _looked_up(model: str, gpu: str, context: Context, given: tuple[tuple[str, Any], ...]) -> _Known:
    catalog, typed = context.catalog, {name: value for name, value in given if value is not None}
    facts, card = catalog.find_model(model), catalog.find_gpu(gpu)
    if "engine" in typed:
        typed["engine"] = catalog.find_engine(str(typed["engine"])).engine
    typed |= {name: precision_of(str(typed[name])) or typed[name] for name in ("weight_precision", "kv_precision") if name in typed}
    lengths = {"input_tokens": 1, "output_tokens": 1}  # each call brings its own
    # what an assumption says beside its default counts as given
    usual, assumed = Assumptions(), context.assumptions
    own = {name: getattr(assumed, name) for name in _GIVEN if getattr(assumed, name) != getattr(usual, name)}
    workload = Workload.read({"workload": "slo", "gpu": card.gpu, "model": facts.model, **lengths, **own, **typed})
    found = look_up(workload, context)
    steady = tuple(step.name for step in needed(_WANTED, _SET))
    values = solve_only(steady, found.values)
    domain = int(card.link_domain_cards or card.max_cards_per_node)
    precision = str(workload.weight_precision or assumed.weight_precision)
    sizes = tuple(
        (ranks, groups, f"the link of {card.gpu} joins {domain}" if ranks > domain else
         why_not(facts, ranks, precision, _spreads(workload.expert_parallel, groups), groups))
        for ranks, groups in _sizes(workload, facts, workload.engine or assumed.engine, domain)
    )
    if not sizes:
        raise GpusheetError(f"attention_dp_size: found {workload.attention_dp_size:.15g}, allowed at most the {domain} cards that "
                            f"the link of {card.gpu} joins")  # fmt: skip
    steps = tuple(step for step in needed(_WANTED) if step.name not in _SET and is_missing(values.get(step.name)))
    return _Known(facts.model, card.gpu, sizes, workload.expert_parallel, values, steps)


def _spreads(expert_parallel: float | None, groups: int) -> bool:
    """Whether experts are spread over the cards: unasked it goes with data-parallel attention, as in all engines."""
    return groups > 1 if expert_parallel is None else expert_parallel == 1


def _sizes(workload: Workload, model: Model, engine: str, domain: int) -> Iterator[tuple[int, int]]:
    """The tensor-parallel and attention-data-parallel sizes to look at."""
    cards, given = workload.cards, workload.attention_dp_size
    if cards is not None and given is not None and cards % given:
        raise GpusheetError(f"attention_dp_size: found {given:.15g}, allowed a divisor of the {cards:.15g} cards")
    most = domain if cards is None else int(cards)
    if given is not None:
        all_groups = iter([int(given)])
    else:
        all_groups = _powers_of_two(most if model.n_experts and engine.startswith(DATA_PARALLEL) else 1)
    for groups in all_groups:
        if cards is None:
            yield from ((ranks, groups) for ranks in _powers_of_two(most // groups))
        elif cards % groups == 0:
            yield int(cards) // groups, groups


def _powers_of_two(most: int) -> Iterator[int]:
    size = 1
    while size <= most:
        yield size
        size *= 2


def why_not(model: Model, size: int, precision: str = "fp16", expert_parallel: bool = False, groups: int = 1) -> str:
    """Why a model cannot be split over so many ranks; empty where it can.

    >>> from gpusheet.catalog import Catalog
    >>> model = Catalog.builtin().find_model("Qwen3-30B-A3B")
    >>> why_not(model, 8), why_not(model, 8, "fp8_block")
    ('', 'feed-forward size 768 over 8 is 96, which is no multiple of 128 (fp8_block)')
    """
    cards = size * groups
    if uneven := model.heads_apart(size):
        return uneven
    if model.vocab and math.ceil(model.vocab / VOCABULARY_BLOCK) * VOCABULARY_BLOCK % size:
        return f"padded vocabulary of {model.vocab:.15g} over {size}"
    if expert_parallel:
        return f"{model.n_experts:.15g} experts over {cards}" if model.n_experts and model.n_experts % cards else ""
    ranks = cards if model.n_experts else size  # experts are split over all cards of the replica
    if not model.intermediate:
        return ""
    part = model.intermediate / ranks
    if part % 1:
        return f"feed-forward size {model.intermediate:.15g} over {ranks}"
    block = BLOCKS.get(precision, 1.0)
    if ranks > 1 and part % block:
        return (f"feed-forward size {model.intermediate:.15g} over {ranks} is {part:.15g}, "
                f"which is no multiple of {block:.15g} ({precision})")  # fmt: skip
    return ""


def _solved(known: _Known, values: dict[str, Any], options: Sequence[Option]) -> Iterator[Option]:
    """The options with what they carry, all at once."""
    if not options:
        return
    import numpy

    values["cards"] = numpy.array([float(option.replica_cards) for option in options])
    values["attention_dp_size"] = numpy.array([float(option.attention_dp_size) for option in options])
    values["expert_parallel"] = numpy.array([1.0 * _spreads(known.spread, option.attention_dp_size) for option in options])
    run(known.steps, values, {"cards", "attention_dp_size", "expert_parallel"})
    columns = [values[name].tolist() if hasattr(values[name], "shape") else [values[name]] * len(options) for name in _WANTED]
    for option, row in zip(options, zip(*columns, strict=True), strict=True):
        yield _judged(option, dict(zip(_WANTED, row, strict=True)), values)


def _judged(option: Option, row: Mapping[str, Any], values: Mapping[str, Any]) -> Option:
    if not row["kv_pool_gib_per_card"] > 0:
        return replace(option, refused="the weights leave no memory for the cache")
    if not row["serving_concurrency"] >= 1:
        short = min(("most_running", "tpot_requests", "ttft_requests"), key=lambda name: row[name])
        reasons = {
            "most_running": "the memory for the cache holds no request",
            "tpot_requests": f"an output token takes longer than {values['tpot_target']:.15g} s, whatever the load",
            "ttft_requests": f"the first token takes longer than {values['ttft_target']:.15g} s, whatever the load",
        }
        return replace(option, refused=reasons[short])
    if is_missing(row["serving_cards"]):
        return replace(option, refused="not all that an estimate needs is known of this model or card")
    cards = int(row["serving_cards"])
    low, high = (None if is_missing(row[name]) else int(row[name]) for name in ("serving_cards_low", "serving_cards_high"))
    return replace(
        option, cards=cards, cards_low=low, cards_high=high, evidence=row["serving_evidence"],
        replicas=cards // option.replica_cards, concurrency=int(row["serving_concurrency"]), replica_qps=row["replica_qps"],
        ttft_s=row["target_ttft_s"], tpot_s=row["target_tpot_s"], bound=_bound(row),
    )  # fmt: skip


def _bound(row: Mapping[str, Any]) -> str:
    """What keeps a replica from running more requests."""
    limits = {"tpot": row["tpot_requests"], "ttft": row["ttft_requests"], "memory": row["most_running"]}
    least = min(limits, key=lambda name: limits[name])
    full = row["request_slots"] * row["attention_groups"]
    return "slots" if least == "memory" and row["most_running"] >= full else least
