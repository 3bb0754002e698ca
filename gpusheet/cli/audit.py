"""`gpusheet audit`: the points by which professionals score a workbook, on any workbook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusheet.cli.screen import Lang, as_json, out, remark, table, working

if TYPE_CHECKING:
    from gpusheet.audit import Finding, Report

ERRORS, WARNINGS = 3, 4  # exit statuses: the gravest finding
MOST_SHOWN = 200
STALE_DAYS = 90
COLOURS = {"error": "bold red", "warning": "yellow", "note": "dim"}
WORDS = {
    "en": {"head": ("severity", "cell", "point", "found", "expected", "what to do"), "book": "whole book",
           "more": "and {} more; --json lists all", "person": "For a person to look at:",
           "count": "{name}: {error} errors, {warning} warnings, {note} notes; nothing found against {kept} of 42 points; "
                    "dates judged as of {day}"},
    "zh": {"head": ("级别", "单元格", "要点", "现状", "应为", "如何处理"), "book": "整个工作簿",
           "more": "另有 {} 项,--json 列出全部", "person": "需人工查看:",
           "count": "{name}:错误 {error},警告 {warning},提示 {note};42 项要点中 {kept} 项无发现;日期以 {day} 为准"},
}  # fmt: skip


def audit(
    book: Annotated[Path, typer.Argument(help="A workbook of any program (.xlsx, .xlsm).", metavar="BOOK")],
    lang: Annotated[Lang, typer.Option(help="Language of the findings.")] = Lang.en,
    json: Annotated[bool, typer.Option("--json", help="All findings and points as JSON.")] = False,
    stale_days: Annotated[int, typer.Option(min=1, help="Age in days at which prices are old.")] = STALE_DAYS,
) -> None:
    """Judge a workbook by the points that professionals score a model by; it is only read.

    gpusheet audit budget.xlsx

    Works on workbooks of any origin, formulas need not have errors: a hard-coded month, a total one row short, a look-up
    shifted by one, an input that nothing reads. The points: docs/audit.md.

    Ends with 0 if there are at most notes, 4 if there are warnings, 3 if there are errors, 1 if the file cannot be read,
    2 if the options are wrong.
    """
    from gpusheet.audit import audit as judge

    with working(f"Auditing {book.name}"):
        report = judge(book, stale_days)
    if json:
        as_json(_as_json(book, report, lang))
    else:
        _show(report, lang)
    if report.counts[_severity("error")]:
        raise typer.Exit(ERRORS)
    if report.counts[_severity("warning")]:
        raise typer.Exit(WARNINGS)


def _severity(name: str) -> Any:
    from gpusheet.audit import Severity

    return Severity(name)


def _show(report: Report, lang: Lang) -> None:
    from rich.text import Text

    words: dict[str, Any] = WORDS[lang]
    rows = [
        (Text(one.severity, COLOURS[one.severity]), one.place or words["book"], str(one.point), one.found.say(lang),
         one.expected.say(lang), one.todo.say(lang))
        for one in report.findings[:MOST_SHOWN]
    ]  # fmt: skip
    if rows:
        table(words["head"], rows, right=[2])
    if len(report.findings) > MOST_SHOWN:
        remark(words["more"].format(len(report.findings) - MOST_SHOWN))
    console = out()
    console.print(Text(words["person"], "bold"))
    for point in report.for_a_person:
        assert point.person is not None
        console.print(Text(f"  {point.number}. {point.title.say(lang)}: {point.person.say(lang)}"), soft_wrap=True)
    counts = {str(severity): count for severity, count in report.counts.items()}
    remark(words["count"].format(name=report.name, kept=report.kept, day=report.prepared, **counts))


def _as_json(book: Path, report: Report, lang: Lang) -> dict[str, Any]:
    from gpusheet.audit import points

    broken = {point.number for point in report.broken}
    return {
        "workbook": str(book),
        "prepared": report.prepared,
        "counts": {str(severity): count for severity, count in report.counts.items()},
        "kept": report.kept,
        "findings": [_finding(one, lang) for one in report.findings],
        "points": [
            {"point": one.number, "level": one.level, "title": one.title.say(lang), "kept": one.number not in broken,
             "for_a_person": one.person.say(lang) if one.person else None}
            for one in points().values()
        ],
    }  # fmt: skip


def _finding(one: Finding, lang: Lang) -> dict[str, Any]:
    return {
        "severity": str(one.severity), "point": one.point, "sheet": one.sheet or None, "cell": one.cell or None,
        "found": one.found.say(lang), "expected": one.expected.say(lang), "todo": one.todo.say(lang),
    }  # fmt: skip
