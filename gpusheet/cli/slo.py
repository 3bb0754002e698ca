"""`gpusheet estimate --qps`: the fewest cards for a request rate, and every size of replica that was looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gpusheet.cli.screen import Lang, as_json, out, remark, table, warning
from gpusheet.errors import GpusheetError

if TYPE_CHECKING:
    from gpusheet.lookup import Context
    from gpusheet.serving import Option, Plan

_WORDS = {
    Lang.en: (
        "TP x DP", "Cards a replica", "Replicas", "Cards", "Range", "Requests at once", "QPS a replica", "TTFT", "TPOT", "Bound by",
        "fewest",
    ),
    Lang.zh: ("TP x DP", "单副本卡数", "副本数", "总卡数", "区间", "单副本并发", "单副本 QPS", "TTFT", "TPOT", "瓶颈", "最少"),
}
_LONG = {"ttft": 60.0, "tpot": 2.0}  # seconds that nobody waits
_EVIDENCE = {"partly": "measured in part only", "none": "not measured"}


def show(qps: str, given: Mapping[str, str], context: Context, json: bool, lang: Lang) -> None:
    """The plan for what was typed by the names of a workload's columns; refused where no size can serve."""
    from gpusheet.serving import cards_for_slo

    named = dict(given)
    wanted = {name: named.pop(name, None) for name in ("model", "gpu", "input_tokens", "output_tokens")}
    if absent := [name for name, text in wanted.items() if text is None]:
        raise GpusheetError(f"--qps: give --{absent[0].replace('_', '-')} too")
    rate, lengths = _number("--qps", qps), [_number(f"--{name}", str(wanted[name])) for name in ("input_tokens", "output_tokens")]
    targets = [_seconds(name, named.pop(f"{name}_target", None)) for name in ("ttft", "tpot")]
    typed: dict[str, Any] = dict(named)
    plan = cards_for_slo(str(wanted["model"]), str(wanted["gpu"]), rate, *lengths, *targets, context=context, **typed)
    _published(plan, typed.get("weight_precision"), context)
    if json:
        as_json(asdict(plan) | {"cards": plan.cards, "refused": plan.refused})
    else:
        _show(plan, lang)
    if plan.best is None:
        raise GpusheetError(f"no size of {plan.gpu} serves {plan.model} so: {plan.refused}")


def _number(option: str, text: str, of: str = "") -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e12:
        raise GpusheetError(f"{option.replace('_', '-')}: found {text!r}, allowed a number{of} above 0")
    return number


def _seconds(name: str, text: str | None) -> float | None:
    """A target; warns where milliseconds may be meant."""
    if text is None:
        return None
    found = _number(f"--{name}", text, " of seconds")
    if found > _LONG[name]:
        warning(f"--{name}: {found:.15g} seconds; for {found:.15g} milliseconds type {found / 1000:.15g}")
    return found


def _published(plan: Plan, typed: str | None, context: Context) -> None:
    """Says where a model is published in a smaller format than the one that is assumed unasked."""
    own, assumed = context.catalog.find_model(plan.model).published_precision, context.assumptions.weight_precision
    if typed is None and own not in ("bf16", assumed):
        warning(f"weight_precision: {assumed} is assumed, and {plan.model} is published in {own}; for that add "
                f"--weight-precision {own}")  # fmt: skip


def _show(plan: Plan, lang: Lang) -> None:
    *heads, fewest = _WORDS[lang]
    rows = [(*_row(option), fewest if option is plan.best else "") for option in plan.tried]
    if plan.best is not None:
        table((*heads, ""), rows, title=f"{plan.qps:.15g} QPS: {plan.model}, {plan.gpu}")
        if plan.best.evidence != "measured":
            remark(f"range: the like was {_EVIDENCE[plan.best.evidence]}; calibrate with your own load tests")
    else:
        out().print(f"{plan.qps:.15g} QPS: {plan.model}, {plan.gpu}")


def _row(option: Option) -> tuple[str, ...]:
    split = f"{option.tensor_parallel_size} x {option.attention_dp_size}"
    if option.ttft_s is None or option.tpot_s is None or option.replica_qps is None:
        return (split, str(option.replica_cards), *[""] * 7, option.refused)
    times = (f"{option.ttft_s * 1000:,.0f} ms", f"{option.tpot_s * 1000:,.1f} ms")
    return (
        split, str(option.replica_cards), f"{option.replicas:,}", f"{option.cards:,}", f"{option.cards_low:,} - {option.cards_high:,}",
        f"{option.concurrency:,}", f"{option.replica_qps:.2f}", *times, option.bound,
    )  # fmt: skip
