"""`gpusheet udf`: our functions in Excel on Windows, by way of xlwings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpusheet.cli.screen import out, remark, warning

if TYPE_CHECKING:
    from gpusheet.xl.classic.setup import Finding

app = typer.Typer(help="The rules as functions in Excel on Windows: module, settings, checks.")

Output = Annotated[Path, typer.Option("--output", "-o", help="Module to write, ending in .bas.", metavar="OUT")]
Force = Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")]


@app.command()
def vba(output: Output, force: Force = False) -> None:
    """Write the VBA module with all functions, to be imported into a workbook.

    gpusheet udf vba -o gpusheet.bas
    """
    from gpusheet.cli.files import check_target
    from gpusheet.files import replacing
    from gpusheet.xl.classic.vba import module
    from gpusheet.xl.functions import functions

    check_target(output, force, ".bas")
    with replacing(output) as temporary:
        temporary.write_bytes(module().encode("ascii"))
    out().print(f"module     {output}\nfunctions  {len(functions())}")
    remark("In Excel: Alt+F11; Tools, References, tick xlwings; File, Import File")


@app.command()
def install() -> None:
    """Write xlwings' settings, so that Excel finds this Python and the functions; say what is still missing."""
    from gpusheet.xl.classic import setup
    from gpusheet.xl.classic.computer import this_computer

    computer = this_computer()
    changed = setup.install(computer)
    for name, value in changed.items():
        out().print(f"{name}  {value}")
    out().print(f"{'written to' if changed else 'as wanted already in'} {setup.settings_file(computer).path}")
    _missing(setup.findings(computer))


@app.command()
def uninstall() -> None:
    """Put xlwings' settings back as `install` found them."""
    from gpusheet.xl.classic import setup
    from gpusheet.xl.classic.computer import this_computer

    computer = this_computer()
    path = setup.settings_file(computer).path
    done = setup.uninstall(computer)
    out().print(f"{path} is as it was before" if done else "nothing to undo: gpusheet udf install was not run")


@app.command()
def status() -> None:
    """Show what the functions need in Excel, what of it is there, and where their log is; 1 if something is missing."""
    from gpusheet.cli.screen import table
    from gpusheet.xl.classic.computer import this_computer
    from gpusheet.xl.classic.setup import findings

    found = findings(this_computer())
    words = {True: "ok", False: "missing", None: ""}
    table(("Needed", "State", "Found"), [(one.what, words[one.ok], one.found) for one in found])
    if _missing(found):
        raise typer.Exit(1)


def _missing(found: Sequence[Finding]) -> bool:
    """Says how to get what is missing; whether anything is."""
    lacking = [one for one in found if one.ok is False]
    for one in lacking:
        warning(f"{one.what}: {one.found}; {one.fix}")
    for one in found:
        if one.ok is None and one.fix:
            remark(f"{one.what}: {one.found}; {one.fix}")
    return bool(lacking)
