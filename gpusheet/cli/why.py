"""`gpusheet why`: how a figure comes about, as a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gpusheet.cli.screen import in_currency, out, warning
from gpusheet.errors import GpusheetError, UnknownName

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

    from gpusheet.case import Case
    from gpusheet.solver import Why


def why(
    name: Annotated[str, typer.Argument(help="Name of the figure.", metavar="NAME")],
    values: Annotated[
        list[str] | None, typer.Argument(help="What is known, as name=value.", metavar="NAME=VALUE...")
    ] = None,
    depth: Annotated[int | None, typer.Option(min=0, help="Levels to show; all without it.")] = None,
) -> None:
    """Show how a figure comes about: every step with its value and its formula.

    gpusheet why cards_needed gpu="H20 96G" model=Qwen2.5-32B requests_per_day=80000 input_tokens=512
    output_tokens=256
    """
    from gpusheet import solver
    from gpusheet.case import case
    from gpusheet.cli.arguments import quantity_arguments, upstream
    from gpusheet.cli.calc import say_unused
    from gpusheet.missing import is_missing, reason
    from gpusheet.registry import all_rules
    from gpusheet.wiring import quantities

    key = name.strip().lower()
    if key not in quantities():
        if key in all_rules():
            raise GpusheetError(f"{key}: a function with no figures below it; use gpusheet calc {key}")
        raise UnknownName("figure", name, quantities())
    known = case(quantity_arguments(key, values or []))
    tree = solver.why(key, known.values)
    out().print(_tree(tree, known, depth))
    say_unused(key, known, set(upstream([key], known.typed)))
    rule = quantities()[key].rule
    if rule is not None and is_missing(tree.value):
        solved = solver.solve(known.values)
        arguments = {parameter: solved[source] for parameter, source in rule.needs.items()}
        warning(reason(rule, arguments, solved, known))


def _tree(root: Why, known: Case, depth: int | None) -> Tree:
    from rich.tree import Tree

    told: set[str] = set()
    top = Tree(_label(root, known, False, True), guide_style="dim")
    told.add(root.quantity.name)
    _grow(top, root, known, depth, told)
    return top


def _grow(branch: Tree, node: Why, known: Case, depth: int | None, told: set[str]) -> None:
    """Adds what is below a branch; a figure met again is named without what is below it."""
    from gpusheet.missing import is_missing

    if depth == 0:
        return
    needed = is_missing(node.value)  # under a figure that has a value nothing missing is amiss
    for part in node.parts:
        again = bool(part.parts) and part.quantity.name in told
        below = branch.add(_label(part, known, again, needed))
        told.add(part.quantity.name)
        if not again:
            _grow(below, part, known, None if depth is None else depth - 1, told)


def _label(part: Why, known: Case, again: bool, needed: bool) -> Text:
    from rich.text import Text

    from gpusheet.missing import is_missing

    value, style = in_currency(part.quantity.unit, known.currency).show(part.value), "bold"
    if is_missing(part.value):
        value, style = ("missing", "bold red") if needed else ("not given", "dim")
    remark = "see above" if again else part.formula if part.parts else _origin(part.quantity.name, known)
    return Text.assemble(part.quantity.name, " = ", (value, style), (f"  [{remark}]" if remark else "", "dim"))


def _origin(name: str, known: Case) -> str:
    """Where an input is from: typed, looked up by a name, or assumed."""
    from gpusheet.case import named_by
    from gpusheet.missing import is_missing

    if known.typed.get(name) is not None:
        return "typed"
    if is_missing(known.values.get(name)):
        return ""
    if name in known.assumed:
        return "assumed"
    sources = [(source, known.typed.get(source, known.assumed.get(source))) for source in named_by(name)]
    return ", ".join(f"{source} {value}" for source, value in sources if value is not None)
