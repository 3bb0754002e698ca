"""`gpusheet check`: what is wrong or odd in a file of prices or in a workbook, cell by cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpusheet.cli.budget import Force
from gpusheet.cli.lists import Snapshots, catalog_with
from gpusheet.cli.screen import Lang, as_json, error_line, remark, table, warning, working

if TYPE_CHECKING:
    from gpusheet.intake.checking import CheckedFile
    from gpusheet.intake.findings import Finding

FOUND = 3  # the exit status where the file could be read and has errors in it
MOST_SHOWN = 200
HEAD = {Lang.en: ("what", "cell", "found", "explanation"), Lang.zh: ("级别", "单元格", "内容", "说明")}
COLOURS = {"error": "bold red", "warning": "yellow", "note": "dim"}
_LINE = re.compile(r"(?:'?([^'!:]+?)'?!)?([A-Z]{1,3}[0-9]{1,7})\b[^:]*: (.*)", re.DOTALL)


def check(
    book: Annotated[Path, typer.Argument(help="A workbook (.xlsx, .xlsm) or CSV file.", metavar="BOOK")],
    json: Annotated[bool, typer.Option("--json", help="All findings as JSON.")] = False,
    mark: Annotated[
        Path | None, typer.Option("--mark", help="Also write a copy with comments on the cells.", metavar="OUT")
    ] = None,
    sheet: Annotated[str | None, typer.Option(help="Only this sheet.")] = None,
    snapshots: Snapshots = None,
    force: Force = False,
    lang: Annotated[Lang, typer.Option(help="Language of the explanations.")] = Lang.en,
) -> None:
    """List what is wrong or odd in a price sheet or a workbook: every cell with what was found and what to type.

    gpusheet check prices.xlsx --mark prices-marked.xlsx

    Prices are held against the last price of the same offer, built in or in the snapshots, and the median of the card.

    The file itself is only read. Ends with 0 if there is no error (warnings there may be), 3 if there are errors, 1 if the
    file cannot be read or OUT not be written, 2 if the options are wrong.
    """
    from gpusheet.intake.checking import check_file
    from gpusheet.intake.findings import counted

    with working(f"Checking {book.name}"):
        checked = check_file(book, sheet=sheet, catalog=catalog_with(snapshots))
        if checked.ours and sheet is None:
            checked.findings += _of_budget(book, checked)
    marked = None
    if mark is not None:
        from gpusheet.intake.marks import write_marked

        marked = write_marked(book, mark, checked.findings, lang, force)
    counts = counted(checked.findings)
    if json:
        as_json({
            "file": str(book), "counts": dict(counts),
            "tables": [one.__dict__ for one in checked.tables],
            "findings": [one.as_json() for one in checked.findings],
            "marked": None if mark is None else str(mark),
        })  # fmt: skip
    else:
        _show(checked, lang)
        if mark is not None:
            remark(f"{mark}: {marked} cells marked")
    if counts["error"]:
        raise typer.Exit(FOUND)


def _of_budget(book: Path, checked: CheckedFile) -> list[Finding]:
    """What the reader of budgets says beyond the tables: settings, assumptions, names that have no row."""
    from gpusheet.errors import GpusheetError
    from gpusheet.intake.findings import Finding, Place
    from gpusheet.workbook.reader import read_book

    severity = "error"
    try:
        lines = list(read_book(book).warnings)
        severity = "warning"
    except GpusheetError as error:
        lines = str(error).splitlines()
    said = {(one.place.sheet, one.place.cell) for one in checked.findings}
    found = []
    for line in lines:
        match = _LINE.match(line)
        place = Place(book.name, match[1] or "", match[2]) if match else Place(book.name)
        if not match or (place.sheet, place.cell) not in said:
            text = match[3] if match else line
            found.append(Finding(severity, "budget", place, "", text, text))  # type: ignore[arg-type]
    return found


def _show(checked: CheckedFile, lang: Lang) -> None:
    from rich.text import Text

    from gpusheet.intake.findings import SEVERITY_WORDS, counted

    findings: Sequence[Finding] = checked.findings
    zh = lang is Lang.zh
    rows = []
    for one in findings[:MOST_SHOWN]:
        word = Text(SEVERITY_WORDS[one.severity][zh], COLOURS[one.severity])
        place = f"{one.place.sheet}!{one.place.cell}" if one.place.sheet and one.place.cell else one.place.cell or one.place.sheet
        rows.append((word, place, one.raw, one.zh if zh else one.en))
    if rows:
        table(HEAD[lang], rows)
    if len(findings) > MOST_SHOWN:
        remark(f"and {len(findings) - MOST_SHOWN:,} more; --json lists all")
    for held in checked.tables:
        name, present, reported = held.name or held.sheet or held.kind, f"{held.present:,}", f"{held.reported:,}"
        noun = "row" if held.present == 1 else "rows"
        if held.refused:
            warning(f"{name}：标题行有误，未读入任何行" if zh else f"{name}: no row read, as its header is wrong")
        elif held.reported:
            text = f"{name}: {present} {noun}, {reported} of them not read; a total that needs them is blocked"
            warning(f"{name}：{present} 行，其中 {reported} 行未读入；需要这些行的合计不会给出" if zh else text)
        else:
            remark(f"{name}：{present} 行，全部读入" if zh else f"{name}: {present} {noun}, all read")
    counts = counted(findings)
    text = ", ".join(f"{count:,} {severity}{'' if count == 1 else 's'}" for severity, count in counts.items())
    text = "，".join(f"{SEVERITY_WORDS[severity][1]} {count:,} 个" for severity, count in counts.items()) if zh else text
    (error_line if counts["error"] else remark)(text)
