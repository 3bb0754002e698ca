"""`gpusheet calc`: one figure, by its own arguments or from whatever is known upstream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusheet.cli.screen import in_currency, out, remark
from gpusheet.errors import GpusheetError, as_typed
from gpusheet.registry import REQUIRED, Rule, find_rule

if TYPE_CHECKING:
    from gpusheet.case import Case


def calc(
    rule: Annotated[str, typer.Argument(help="Name of the rule, as `gpusheet rules` lists it.", metavar="RULE")],
    values: Annotated[
        list[str] | None,
        typer.Argument(help="name=value, or values in the order of the rule's arguments.", metavar="NAME=VALUE..."),
    ] = None,
) -> None:
    """Compute one figure and print it with its unit.

    Names may be the rule's own arguments or anything it is computed from, a card and a model included:

    gpusheet calc decode_concurrency cards=8 bandwidth_gbs=2039 weights_gb=3.85 tokens_per_s=20

    gpusheet calc monthly_cost gpu=L20 model=Qwen3-8B requests_per_day=80000 input_tokens=200 output_tokens=300
    price_list=gongjiyun
    """
    from gpusheet.cli.arguments import rule_arguments

    found = find_rule(rule)
    typed = rule_arguments(found, values or [])
    own = {parameter.name: parameter for parameter in found.parameters}
    if typed.keys() <= own.keys() and all(p.default is not REQUIRED or p.name in typed for p in own.values()):
        _directly(found, typed)
    elif not found.line:
        needed = ", ".join(name for name, p in own.items() if p.default is REQUIRED and name not in typed)
        raise GpusheetError(f"{found.name}: give {needed} as well; it stands for itself, nothing else leads to it")
    else:
        _solved(found, typed)


def _directly(rule: Rule, typed: Mapping[str, Any]) -> None:
    from gpusheet.case import Case
    from gpusheet.missing import as_argument, is_missing, reason

    arguments = {p.name: as_argument(rule, p.name, typed.get(p.name, p.default)) for p in rule.parameters}
    value = rule(**arguments)
    if is_missing(value):
        raise GpusheetError(reason(rule, arguments, {}, Case({}, {}, {}, ())))
    out().print(rule.unit.show(value))


def _solved(rule: Rule, typed: Mapping[str, Any]) -> None:
    from gpusheet.case import case
    from gpusheet.cli.arguments import upstream
    from gpusheet.missing import as_argument, is_missing, reason
    from gpusheet.solver import solve

    known = case(typed)
    values = solve(known.values)
    arguments = {
        p.name: typed[p.name] if p.name in typed else values[p.wired_to] if p.wired_to else p.default
        for p in rule.parameters
    }
    value = rule(**{name: as_argument(rule, name, one) for name, one in arguments.items()})
    if is_missing(value):
        raise GpusheetError(reason(rule, arguments, values, known))
    out().print(in_currency(rule.unit, known.currency).show(value))
    sources = [p.wired_to for p in rule.parameters if p.name not in typed and p.wired_to]
    used = upstream(sources, known.typed)
    say_assumed(known, used)
    say_unused(rule.name, known, {*used, *(p.name for p in rule.parameters)})


def say_assumed(known: Case, used: list[str]) -> None:
    """Which values nobody typed: assumptions, and defaults of the fields."""
    from gpusheet.case import named_by
    from gpusheet.wiring import quantities

    assumed: dict[str, Any] = {}
    for name in used:
        column = quantities()[name].column
        for source in named_by(name) or (name,):
            if source in known.assumed and source != "currency" and not _stands_alone(name, known):
                assumed[source] = known.assumed[source]
        if quantities()[name].rule is None and name not in known.values and column and column.default is not None:
            assumed[name] = column.default
    if assumed:
        remark(f"assumed: {', '.join(f'{name}={as_typed(value)}' for name, value in assumed.items())}")


def _stands_alone(name: str, known: Case) -> bool:
    """Whether a looked-up input was typed itself, or not found: then what it is looked up by does not count."""
    from gpusheet.missing import is_missing

    return known.typed.get(name) is not None or is_missing(known.values.get(name))


def say_unused(name: str, known: Case, used: set[str]) -> None:
    """Which values were typed for nothing: said, as it may be a slip."""
    from gpusheet.case import named_by

    leading = {source for one in used for source in named_by(one)}
    unused = [one for one in known.typed if one not in used and one not in leading]
    if unused:
        remark(f"not used by {name}: {', '.join(unused)}")
