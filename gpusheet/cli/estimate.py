"""`gpusheet estimate`: cards and cost of one workload from options, or of a table of workloads."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusheet.cli.screen import Lang, as_json, remark, warning, working
from gpusheet.errors import GpusheetError, as_typed

if TYPE_CHECKING:
    from gpusheet.catalog import Column
    from gpusheet.lookup import Context

_TABLE_PANEL, _OUTPUT_PANEL, _RATE_PANEL = "Table of workloads", "Output", "Cards for a request rate"


def estimate(
    table: Annotated[
        Path | None, typer.Argument(help="A CSV file with a row per workload; needs -o.", metavar="IN.csv")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV file to write.", rich_help_panel=_TABLE_PANEL)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.", rich_help_panel=_TABLE_PANEL)] = False,
    snapshots: Annotated[
        Path | None, typer.Option(help="Also the prices of this folder of snapshots.", rich_help_panel="Prices",
                                  metavar="FOLDER")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every quantity.", rich_help_panel=_OUTPUT_PANEL)
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Every quantity as JSON.", rich_help_panel=_OUTPUT_PANEL)
    ] = False,
    lang: Annotated[Lang, typer.Option(help="Language of labels.", rich_help_panel=_OUTPUT_PANEL)] = Lang.en,
    qps: Annotated[
        str | None, typer.Option(help="Requests a second: the fewest cards for them.", metavar="NUMBER", rich_help_panel=_RATE_PANEL)
    ] = None,
    ttft: Annotated[
        str | None, typer.Option(help="Short for --ttft-target, in seconds.", metavar="NUMBER", rich_help_panel=_RATE_PANEL)
    ] = None,
    tpot: Annotated[
        str | None, typer.Option(help="Short for --tpot-target, in seconds.", metavar="NUMBER", rich_help_panel=_RATE_PANEL)
    ] = None,
    assumptions: Annotated[
        Path | None,
        typer.Option("--assumptions", help="CSV file of assumptions, as gpusheet calibrate writes it.", metavar="FILE"),
    ] = None,
    **typed: str | None,
) -> None:
    """Estimate cards and cost of one workload, or of a table of workloads.

    gpusheet estimate --gpu L20 --model Qwen3-8B --requests-per-day 80000 --input-tokens 200 --output-tokens 300
    --price-list gongjiyun

    gpusheet estimate workloads.csv -o estimates.csv

    gpusheet estimate --gpu "H100 SXM" --model Llama-3.1-70B --weight-precision fp8 --input-tokens 2048
    --output-tokens 512 --qps 10 --ttft 1 --tpot 0.05
    """
    given = {name: text for name, text in typed.items() if text is not None}
    given |= {f"{name}_target": text for name, text in (("ttft", ttft), ("tpot", tpot)) if text is not None}
    if assumptions is not None:
        from gpusheet.calibration.assumptions_file import read_assumptions

        given = read_assumptions(assumptions).values | given
    if table is None:
        if output is not None:
            raise GpusheetError("-o: is for a table; give a CSV file of workloads before it, or leave it out")
        if qps is not None:
            _rate(qps, given, snapshots, json, lang)
        else:
            _one(given, snapshots, everything, json, lang)
    elif qps is not None:
        raise GpusheetError(f"--qps: is for one workload; leave {table} out")
    elif output is None:
        raise GpusheetError(f"{table}: give the file to write, as in: gpusheet estimate {table} -o OUT.csv")
    else:
        _many(table, output, force, given, snapshots)


def _rate(qps: str, given: Mapping[str, str], snapshots: Path | None, json: bool, lang: Lang) -> None:
    from gpusheet.catalog import Workload, columns
    from gpusheet.cli import slo

    fields = {c.name for c in columns(Workload)}
    context = _context({name: text for name, text in given.items() if name not in fields}, snapshots)
    slo.show(qps, {name: text for name, text in given.items() if name in fields}, context, json, lang)


def _one(given: Mapping[str, str], snapshots: Path | None, everything: bool, json: bool, lang: Lang) -> None:
    from gpusheet.catalog import Workload, columns
    from gpusheet.cli import estimate_screen
    from gpusheet.cli.settings import option_name
    from gpusheet.cli.table_file import MISSING
    from gpusheet.lookup import look_up
    from gpusheet.missing import is_missing
    from gpusheet.solver import solve

    fields = {c.name for c in columns(Workload)}
    workload = Workload.read(
        {"workload": "estimate"} | {name: text for name, text in given.items() if name in fields}, option_name
    )
    context = _context({name: text for name, text in given.items() if name not in fields}, snapshots)
    found = look_up(workload, context)
    values = solve(found.values)
    if json:
        as_json(dict(workload) | values | {MISSING: list(found.missing)})
    elif everything:
        estimate_screen.show_all(values, context.currency, lang)
    else:
        estimate_screen.show_main(workload, values, context.currency, lang)
    for line in found.missing:
        warning(f"missing: {line}")
    if is_missing(values["cards_needed"]):
        raise GpusheetError(f"cards_needed: missing; {_why_no_cards(values)}")


def _why_no_cards(values: Mapping[str, Any]) -> str:
    """What to give, in options; or which figure stands in the way."""
    from gpusheet.missing import is_missing

    if is_missing(values["requests_per_day"]) and is_missing(values["peak_concurrency"]):
        return "give --requests-per-day, or --daily-active-users with --requests-per-user-per-day"
    if values["fits"] == 0 or values["usable_kv_gb"] <= 0:
        return "the model leaves no memory for requests on these cards; give more --cards, or a larger --gpu"
    return "a replica carries no request; see gpusheet why cards_needed, or give more --cards"


def _many(source: Path, target: Path, force: bool, given: Mapping[str, str], snapshots: Path | None) -> None:
    from gpusheet.catalog import Assumptions, Workload, columns
    from gpusheet.cli import serving_table
    from gpusheet.cli.files import check_target
    from gpusheet.cli.settings import option_name
    from gpusheet.cli.table_file import MISSING, read_workloads, some_of, write_estimates

    shared = {c.name for c in columns(Assumptions)}
    each = [c.name for c in columns(Workload) if c.name not in shared and c.name in given]
    if each:
        raise GpusheetError(f"{option_name(each[0])}: is told by each row of {source}; leave the option out")
    check_target(target, force, ".csv", source)
    if serving_table.is_serving(serving_table.read_header(source)):
        _serving(source, target, _context(given, snapshots))
        return
    with working("Estimating"):
        read = read_workloads(source)
        solved = write_estimates(read, _context(given, snapshots), target)
    for line in read.warnings:
        warning(line)
    remark(f"{target}: {len(read.workloads)} workloads")
    for what, lacking in (("cards", solved["cards_needed"].isna()), ("a price", solved[MISSING] != "")):
        names = solved["workload"][lacking].tolist()
        if names:
            warning(f"without {what}: {some_of(names)}")


def _serving(source: Path, target: Path, context: Context) -> None:
    """A table of replicas at a load: memory, times and throughput of each row."""
    from gpusheet.cli import serving_table

    with working("Estimating"):
        read = serving_table.read_serving(source)
        found = serving_table.write_serving(read, context, target)
    remark(f"{target}: {len(found)} rows")
    if refused := serving_table.without_answer(found):
        warning(f"refused, see the last column: {refused}")


def _context(given: Mapping[str, str], snapshots: Path | None) -> Any:
    """Assumptions, as-of date and currency from the options that are no fields of one workload."""
    from gpusheet.catalog import Assumptions, columns
    from gpusheet.cli.lists import catalog_with
    from gpusheet.cli.settings import option_name, price_settings
    from gpusheet.lookup import Context

    names = {c.name for c in columns(Assumptions)}
    assumptions = Assumptions.read({name: text for name, text in given.items() if name in names}, option_name)
    settings = price_settings({name: text for name, text in given.items() if name not in names})
    return Context(catalog_with(snapshots), assumptions, **settings)


def _declared(options: Sequence[inspect.Parameter]) -> Callable[..., None]:
    """`estimate` as typer sees it: with these options in the place of `**typed`."""

    @wraps(estimate)
    def declared(**values: Any) -> None:
        estimate(**values)

    stated = inspect.signature(estimate, eval_str=True).parameters.values()
    fixed = [p for p in stated if p.kind is not inspect.Parameter.VAR_KEYWORD]
    declared.__signature__ = inspect.Signature([*fixed, *options])  # type: ignore[attr-defined]
    return declared


listed = _declared([])  # light enough for the list of commands


def full_command() -> Any:
    """The command with an option for every column of a workload and every assumption."""
    from gpusheet.catalog import Assumptions, Workload, columns
    from gpusheet.cli.settings import PRICE_SETTINGS

    assumptions = {c.name: c for c in columns(Assumptions)}
    fields = {c.name: c for c in columns(Workload)}
    options = [_option(assumptions.get(name, column), column.group or "") for name, column in fields.items()]
    options += [_option(c, f"assumptions, {c.group}") for c in assumptions.values() if c.name not in fields]
    options += [_option(c, "prices") for c in PRICE_SETTINGS.values()]
    app = typer.Typer(add_completion=False, rich_markup_mode="rich")
    app.command("estimate")(_declared(options))
    return typer.main.get_command(app)


def _option(column: Column, group: str) -> inspect.Parameter:
    from gpusheet.cli.settings import option_name

    default = "" if column.default is None else f" Without it {as_typed(column.default)}."
    metavar = "|".join(column.choices) or column.kind.upper()
    info = typer.Option(
        option_name(column.name), help=f"{column.doc}{default}", metavar=metavar, show_default=False,
        rich_help_panel=group.capitalize(),
    )  # fmt: skip
    return inspect.Parameter(
        column.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str | None, info]
    )
