"""`gpusheet recalc`: the values of a workbook's formulas, our functions included, without Excel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpusheet.cli.budget import Force
from gpusheet.cli.screen import as_json, remark, table, warning, working

if TYPE_CHECKING:
    from gpusheet.workbook.recalculation import Finding

FOUND = 3  # the exit status where a file was written that has errors in it
MOST_SHOWN = 100


def recalc(
    book: Annotated[Path, typer.Argument(help="A workbook of any program (.xlsx, .xlsm).", metavar="BOOK")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Workbook to write; without it BOOK itself, with --force.",
                                  metavar="OUT")
    ] = None,
    force: Force = False,
    json: Annotated[bool, typer.Option("--json", help="What was found, all of it, as JSON.")] = False,
) -> None:
    """Calculate a workbook with gpusheet's functions in it, and write the values.

    gpusheet recalc plan.xlsx -o plan-with-values.xlsx

    Lists the cells that are errors, each with its reason. Only values change.

    What cannot be calculated here, and what depends on it, is left without a value.

    Ends with 0 if all is well, 3 if the file has errors or cells without a value.
    """
    from gpusheet.workbook.recalculation import write_recalculated

    with working(f"Calculating {book.name}"):
        done = write_recalculated(book, output, force)
    if json:
        as_json({
            "workbook": str(output or book),
            "formulas": done.formulas,
            "errors": [{"cell": one.cell, "shows": one.shows, "why": one.why} for one in done.errors],
            "not_calculated": [{"cell": one.cell, "why": one.why} for one in done.not_calculated],
            "remarks": list(done.remarks),
        })  # fmt: skip
    else:
        _show(done.errors, done.not_calculated)
        for line in done.remarks:
            warning(line)
        errors, without = len(done.errors), len(done.not_calculated)
        remark(f"{output or book}: {done.formulas:,} formulas, {errors:,} of them errors, {without:,} not calculated")
    if done.errors or done.not_calculated:
        raise typer.Exit(FOUND)


def _show(errors: Sequence[Finding], without: Sequence[Finding]) -> None:
    rows = [(one.cell, one.shows or "no value", one.why) for one in (*errors, *without)]
    if rows:
        table(("cell", "shows", "why"), rows[:MOST_SHOWN])
    if len(rows) > MOST_SHOWN:
        remark(f"and {len(rows) - MOST_SHOWN:,} more; --json lists all")
