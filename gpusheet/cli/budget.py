"""`gpusheet budget` and `gpusheet template`: workbooks with live formulas."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusheet.cli.screen import Lang, out, warning, working
from gpusheet.errors import GpusheetError

if TYPE_CHECKING:
    from gpusheet.workbook.book import Outcome
    from gpusheet.workbook.inputs import Inputs

MONTHS = 12
MOST_SHOWN = 20  # workloads without a price


class AmountUnit(StrEnum):
    """What totals for presentation are divided by."""

    one = "1"
    ten_thousand = "10000"


class Functions(StrEnum):
    """How the rules are functions of the workbook."""

    none = "none"
    names = "lambda"  # defined names of Excel 365
    vba = "vba"  # macros that call Python


SUFFIXES = {Functions.vba: ".xlsm"}

Output = Annotated[Path, typer.Option("--output", "-o", help="Workbook to write, ending in .xlsx.", metavar="OUT")]
AsNames = Annotated[
    str | None,
    typer.Option(
        "--functions", help="The rules as functions of Excel 365: lambda or none; as in the book read, or none.",
        metavar="none|lambda",
    ),
]
AnyFunctions = Annotated[
    Functions,
    typer.Option(help="The rules as functions: lambda (names, Excel 365), vba (macros with xlwings, .xlsm) or none."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")]


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"found {text!r}, allowed a whole number") from None


def budget(
    output: Output,
    book: Annotated[
        Path | None,
        typer.Argument(help="A gpusheet workbook to read; without it the built-in sample.", metavar="BOOK"),
    ] = None,
    lang: Annotated[Lang | None, typer.Option(help="Language of labels; of the book read, or en.")] = None,
    months: Annotated[
        int | None, typer.Option(parser=_whole, metavar="N", help=f"Months; of the book read, or {MONTHS}.")
    ] = None,
    start: Annotated[str | None, typer.Option(help="First month, such as 2027-01.", metavar="YYYY-MM")] = None,
    currency: Annotated[str | None, typer.Option(help="Budget currency, such as CNY.")] = None,
    amounts: Annotated[AmountUnit | None, typer.Option(help="Unit of totals: 1, or 10000 for 万元.")] = None,
    as_of: Annotated[
        str | None, typer.Option(help="Prices of the newest snapshot at or before this day.", metavar="YYYY-MM-DD")
    ] = None,
    prepared_on: Annotated[
        str | None, typer.Option(help="Day of the budget; prices age against it.", metavar="YYYY-MM-DD")
    ] = None,
    assumptions: Annotated[
        Path | None,
        typer.Option(help="CSV file of assumptions, as gpusheet calibrate writes it.", metavar="FILE"),
    ] = None,
    snapshots: Annotated[
        Path | None,
        typer.Option(help="Also the prices of this folder of snapshots; what BOOK has stands.", metavar="FOLDER"),
    ] = None,
    earlier: Annotated[
        Path | None,
        typer.Option(help="An earlier budget workbook, whose run-rate month PriceBridge compares with.", metavar="OLD"),
    ] = None,
    actuals: Annotated[
        Path | None, typer.Option(help="A bill with the columns of FOCUS 1.x, whose spend goes into Actuals.", metavar="BILL")
    ] = None,
    actuals_tag: Annotated[
        str | None,
        typer.Option(help="Tag of the bill that names the workload or cost centre, such as team.", metavar="KEY"),
    ] = None,
    functions: AsNames = None,
    monte_carlo: Annotated[
        int | None,
        typer.Option(parser=_whole, metavar="N", help="Add the sheet Risk: the first year's cost, drawn so often (100 to 1,000,000)."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(parser=_whole, metavar="S", help="Start of the random numbers of --monte-carlo; 1 without it.")
    ] = None,
    force: Force = False,
) -> None:
    """Write a budget workbook, from the sample or from a workbook that was edited.

    gpusheet budget -o budget.xlsx

    gpusheet budget edited.xlsx -o new.xlsx --months 24

    gpusheet budget edited.xlsx -o new.xlsx --monte-carlo 10000 --seed 7

    gpusheet budget budget.xlsx -o march.xlsx --actuals bill.csv --earlier last-year.xlsx
    """
    from gpusheet.cli.files import check_target
    from gpusheet.cli.settings import changed, first_month

    typed: dict[str, Any] = {"currency": currency, "as_of": as_of, "prepared_on": prepared_on}
    typed["budget_start"] = first_month(start) if start is not None else None
    typed["amount_unit"] = float(amounts.value) if amounts is not None else None
    _check_draws(monte_carlo, seed)
    as_names = None if functions is None else _as_names(functions)
    if actuals_tag is not None and (actuals is None or not actuals_tag.strip()):
        raise GpusheetError(f"--actuals-tag: found {actuals_tag!r}, allowed the key of a tag of the bill that --actuals names")
    check_target(output, force, ".xlsx", book)
    language: str = lang or Lang.en
    extra: dict[str, Any] = {}
    if book is None:
        from gpusheet.workbook.inputs import sample

        inputs = sample(language)
    else:
        inputs, language, read_months, extra = _read(book, lang)
        months = months if months is not None else read_months
    if assumptions is not None:
        inputs = inputs.assuming(assumptions)
    if snapshots is not None:
        from gpusheet.intake.snapshot import with_snapshots

        inputs = replace(inputs, catalog=with_snapshots(inputs.catalog, snapshots, own_first=book is not None))
    settings = changed(inputs.settings, {name: value for name, value in typed.items() if value is not None})
    months = MONTHS if months is None else months
    if as_names is not None:
        extra["functions"] = as_names
    inputs = replace(inputs, settings=settings)
    if earlier is not None:
        from gpusheet.cli.plans import with_earlier

        inputs = with_earlier(inputs, earlier, settings.currency, extra)
    if actuals is not None:
        from gpusheet.cli.plans import with_actuals

        tag = actuals_tag.strip() if actuals_tag else None
        inputs = with_actuals(inputs, actuals, tag, language, extra)
    if monte_carlo is not None:
        extra["drawn"] = _drawn(inputs, months, monte_carlo, 1 if seed is None else seed)
    _write(inputs, output, language, months, extra | {"force": force})


def template(
    output: Output,
    lang: Annotated[Lang, typer.Option(help="Language of labels.")] = Lang.en,
    functions: AnyFunctions = Functions.none,
    force: Force = False,
) -> None:
    """Write an empty workbook to fill in: no workloads yet, the built-in cards, models and prices.

    gpusheet template -o book.xlsx --functions lambda
    """
    from gpusheet.cli.files import check_target

    _check_suffix(output, functions)
    check_target(output, force, SUFFIXES.get(functions, ".xlsx"))
    if functions is Functions.vba:
        from gpusheet.workbook.macros.macro_book import write_macro_book

        with working(f"Writing {output.name}"):
            made = write_macro_book(output, lang, force=force)
        _report(output, MONTHS, 0, made)
        return
    from gpusheet.workbook.examples import template as empty

    _write(empty(lang), output, lang, MONTHS, {"force": force, "functions": functions.value})


def _check_draws(draws: int | None, seed: int | None) -> None:
    from gpusheet.decisions.risk import FEWEST, MOST

    if draws is not None and not FEWEST <= draws <= MOST:
        raise GpusheetError(f"--monte-carlo: found {draws}, allowed {FEWEST} to {MOST:,}")
    if seed is not None and draws is None:
        raise GpusheetError(f"--seed: found {seed}, allowed with --monte-carlo N only")
    if seed is not None and seed < 0:
        raise GpusheetError(f"--seed: found {seed}, allowed a whole number at least 0")


def _drawn(inputs: Inputs, months: int, draws: int, seed: int) -> Any:
    """What the sheet Risk shows."""
    import datetime

    from gpusheet.workbook.results.risk import drawn

    with working(f"Drawing {draws:,} years"):
        return drawn(inputs, months, draws, seed, datetime.date.today())


def _as_names(text: str) -> str:
    """What a budget may have: macros are only in the template, which is filled in in Excel."""
    allowed = [Functions.none.value, Functions.names.value]
    if text not in allowed:
        hint = f"; macros: gpusheet template --functions {text} -o book.xlsm" if text == Functions.vba else ""
        raise GpusheetError(f"--functions: found {text!r}, allowed {' or '.join(allowed)}{hint}")
    return text


def _check_suffix(path: Path, functions: Functions) -> None:
    """Macros stand in .xlsm files, and these always have some."""
    has_macros = path.suffix.lower() == SUFFIXES[Functions.vba]
    if functions is Functions.vba and not has_macros:
        raise GpusheetError(f"--output: found {str(path)!r}, allowed with --functions vba a file name ending in .xlsm")
    if has_macros and functions is not Functions.vba:
        raise GpusheetError(f"--output: found {str(path)!r}, allowed .xlsm only with --functions vba, which makes macros")


def _read(path: Path, lang: Lang | None) -> tuple[Inputs, str, int, dict[str, Any]]:
    """The inputs of an edited workbook, its language and months, and what `write` carries over."""
    from gpusheet.catalog import BadRow
    from gpusheet.workbook.reader import read_book

    with working(f"Reading {path.name}"):
        try:
            read = read_book(path)
        except GpusheetError as error:
            lines = str(error).splitlines()  # of bad cells there are many
            raise BadRow([line if line.startswith(f"{path.name}: ") else f"{path.name}: {line}" for line in lines]) from None
    for line in (*read.warnings, *read.lost):
        warning(f"{path.name}: {line}")
    spare = max(0, read.lines - len(read.inputs.workloads))
    extra: dict[str, Any] = {"functions": read.functions}
    extra |= {"extra_columns": read.extra_columns, "extra_sheets": read.carried, "spare": spare}
    return read.inputs, lang or read.lang, read.months, extra


def _write(inputs: Inputs, path: Path, lang: str, months: int, more: dict[str, Any]) -> None:
    from gpusheet.workbook import book

    with working(f"Writing {path.name}"):
        made = book.write(inputs, path, lang=lang, months=months, **more)
    _report(path, months, len(inputs.workloads), made)
    if made.total is None:
        _show_why(inputs)


def _show_why(inputs: Inputs) -> None:
    """Which workloads have no price, and which cell or name is to blame."""
    from gpusheet.lookup import look_up

    context = inputs.context
    lines = [f"no price for {one.workload}: {why}" for one in inputs.workloads for why in look_up(one, context).missing]
    for line in lines[:MOST_SHOWN]:
        warning(line)
    if len(lines) > MOST_SHOWN:
        warning(f"and {len(lines) - MOST_SHOWN} more workloads without a price; Lookup shows them")


def _report(path: Path, months: int, workloads: int, made: Outcome) -> None:
    _show(path, months, workloads, made)
    for line in made.remarks:
        warning(f"{path.name}: {line}")
    if made.total is None:
        warning(f"blocked: {path.name} has no budget total, as a figure that belongs in it is missing")
    for line in made.messages:
        warning(f"check failed: {line}")


def _show(path: Path, months: int, workloads: int, made: Outcome) -> None:
    from rich.table import Table
    from rich.text import Text

    total = Text("blocked", "bold red")
    if made.total is not None:
        total = Text(f"{made.total:,.2f} {made.currency}", "bold")
    grid = Table.grid(padding=(0, 2))
    rows = (
        ("workbook", str(path)), ("months", str(months)), ("workloads", str(workloads)), ("total", total),
        ("alerts", str(made.alerts)), ("checks failed", str(made.checks_failed)),
    )  # fmt: skip
    for name, value in rows:
        grid.add_row(Text(name, "dim"), value)
    out().print(grid)
