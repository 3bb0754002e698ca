"""Faults that leave no formula error are found, where they are, and sound books raise no alarm."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpusheet.audit import Report, Severity, audit
from gpusheet.workbook.examples import EXAMPLES

TEMPLATES = Path(__file__).parents[2] / "templates"
BAD = (Severity.error, Severity.warning)


def bad(report: Report) -> list[tuple[int, str]]:
    return [(one.point, one.place) for one in report.findings if one.severity in BAD]


def put(place: str, value: Any) -> Callable[[Any], None]:
    """Writes over a cell (`Sheet!A1`), or over the same formula in a row of cells (`Sheet!A1:C1`), columns moving along."""
    sheet, _, cells = place.partition("!")

    def change(book: Any) -> None:
        found = book[sheet][cells]
        row = found[0] if isinstance(found, tuple) else (found,)
        for cell in row:
            cell.value = value.replace("{m}", cell.column_letter) if isinstance(value, str) else value

    return change


def test_a_sound_book_raises_no_alarm(finance: Callable[..., Report]) -> None:
    assert bad(finance()) == []


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_shipped_books_raise_no_alarm(name: str, lang: str) -> None:
    """Nor a note: 42 of 42. The blocked example says itself that its checks fail: that is all."""
    expected = [(20, "Checks!D3")] if name == "example-blocked" else []
    assert [(one.point, one.place) for one in audit(TEMPLATES / f"{name}.{lang}.xlsx").findings] == expected


FINANCE = {
    "hard-coded month": ((put("Costs!I14", 20000),), 10, "Costs!I14"),
    "hard-coded first month": ((put("Costs!E24", 20000),), 10, "Costs!E24"),
    "hard-coded last month": ((put("Costs!P13", 20000),), 10, "Costs!P13"),
    "another formula in a month": ((put("Costs!J19", "=J10*Inputs!$C$13*Inputs!$C$12*0.8"),), 10, "Costs!J19"),
    "a month left out": ((put("Costs!K20", None),), 10, "Costs!K20"),
    "a month as text": ((put("Costs!K20", "42,000"),), 10, "Costs!K20"),
    "total one row short": ((put("Costs!E17:P17", "=SUM({m}13:{m}15)"),), 16, "Costs!E17:P17"),
    "total that begins one row late": ((put("Costs!E17:P17", "=SUM({m}14:{m}16)"),), 16, "Costs!E17:P17"),
    "total one row short in one month": ((put("Costs!H17", "=SUM(H13:H15)"),), 16, "Costs!H17"),
    "year that misses a month": ((put("Costs!Q13", "=SUM(E13:O13)"),), 16, "Costs!Q13"),
    "all years miss the first month": (
        tuple(put(f"Costs!Q{row}", f"=SUM(F{row}:P{row})") for row in (13, 14, 15, 16, 17)), 16, "Costs!Q13:Q17"),
    "block that misses a column": ((put("Checks!B4", "=SUM(Costs!E13:O16)-Costs!Q17"),), 16, "Checks!B4"),
    "typed total": ((put("Costs!G25", 262323),), 10, "Costs!G25"),
    "typed total of the list": ((put("Summary!C8", 2200000),), 16, "Summary!C8"),
    "look-up shifted by one": (
        (put("Costs!D14", "=INDEX(Inputs!$F$5:$F$9,MATCH($C14,Inputs!$E$4:$E$8,0))"),), 43, "Costs!D14"),
    "all look-ups shifted by one": (
        tuple(put(f"Costs!D{row}", f"=INDEX(Inputs!$F$3:$F$7,MATCH($C{row},Inputs!$E$4:$E$8,0))") for row in range(13, 17)),
        43, "Costs!D13:D16"),
    "look-up with one added": (
        (put("Costs!D14", "=INDEX(Inputs!$F$4:$F$8,MATCH($C14,Inputs!$E$4:$E$8,0)+1)"),), 43, "Costs!D14"),
    "look-up one row short": (
        tuple(put(f"Costs!D{row}", f"=INDEX(Inputs!$F$4:$F$7,MATCH($C{row},Inputs!$E$4:$E$7,0))") for row in range(13, 17)),
        16, "Costs!D13:D16"),
    "SUMIFS out of step": ((put("Summary!C5", "=SUMIFS(Costs!$Q$14:$Q$17,Costs!$A$13:$A$16,$A5)"),), 43, "Summary!C5"),
    "column number beyond the table": ((put("Summary!C16", "=IFERROR(VLOOKUP(Costs!$C$13,Inputs!$E$4:$F$8,3,FALSE),0)"),), 43,
                                       "Summary!C16"),
    "link one row off": ((put("Summary!C12", "=Costs!$Q$20"),), 44, "Summary!C12"),
    "link one month off": (tuple(put(f"Cash!{b}8", f"=-Costs!{a}25") for a, b in (("H", "G"),)), 10, "Cash!G8"),
    "input that nothing reads": ((put("Costs!E20:P20", 42000),), 30, "Inputs!C9"),
    "new input that nothing reads": ((put("Inputs!A15", "Inflation"), put("Inputs!C15", 0.03)), 30, "Inputs!C15"),
    "constant in a formula": ((put("Costs!E24:P24", "={m}23*0.15"),), 29, "Costs!E24:P24"),
    "number as text": ((put("Inputs!C11", "600000"), put("Costs!R30", "=SUM(Inputs!C10:C11)")), 21, "Inputs!C11"),
    "volatile function": ((put("Summary!C20", "=TODAY()"),), 26, "Summary!C20"),
    "whole column": ((put("Summary!C20", "=SUM(Inputs!F:F)"),), 27, "Summary!C20"),
    "old prices": (tuple(put(f"Inputs!G{row}", datetime.date(2026, 3, 1)) for row in range(4, 9)), 42, "Inputs!G4"),
    "check that fails": ((put("Checks!B9", "=SUM(Costs!S25:V25)-Costs!Q25+5"),), 20, "Checks!B9"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FINANCE)
def test_planted_in_the_book_of_a_finance_team(fault: str, finance: Callable[..., Report]) -> None:
    changes, point, place = FINANCE[fault]
    report = finance(*changes)
    assert (point, place) in bad(report), [one.line() for one in report.findings if one.severity in BAD]


def _row(book: Any, sheet: str, text: str, column: int = 1) -> int:
    """The row of a sheet that has a text in a column."""
    return next(row for row in range(1, book[sheet].max_row + 1) if book[sheet].cell(row, column).value == text)


def _turned(
    sheet: str, cells: Callable[[Any], str], old: str, new: Callable[[re.Match[str]], str], found: Callable[[Any], str] | None = None
) -> Callable[[Any], str]:
    """Changes a part of the formulas of a row of cells, and tells in which cells that is to be found, if not in these."""

    def change(book: Any) -> str:
        place = cells(book)
        for cell in book[sheet][place][0]:
            assert re.search(old, cell.value), cell.value
            cell.value = re.sub(old, new, cell.value, count=1)
        first, _, last = (found(book) if found else place).partition(":")
        return f"{sheet}!{first}" if first == last else f"{sheet}!{first}:{last}"

    return change


def _over(sheet: str, cell: Callable[[Any], str], value: Any) -> Callable[[Any], str]:
    """Types over a cell, and tells which."""

    def change(book: Any) -> str:
        book[sheet][cell(book)].value = value
        return f"{sheet}!{cell(book)}"

    return change


def _cost(book: Any, text: str = "") -> int:
    """The row of the third workload's cost in Budget, or the first below it with a text."""
    row = _row(book, "Budget", "Cost of the month  [currency/month]") + 3
    return next(below for below in range(row, row + 100) if not text or book["Budget"].cell(below, 2).value == text)


def _letter(book: Any, name: str) -> str:
    """The column of Prices with that name."""
    return str(next(cell.column_letter for row in book["Prices"]["A1:AZ8"] for cell in row if cell.value == name))


def _check_of_sizing(book: Any) -> str:
    """The first check over a line of Sizing."""
    rows = range(7, book["Checks"].max_row + 1)
    row = next(row for row in rows if re.search(r"Sizing!.*?:\$P", str(book["Checks"].cell(row, 4).value)))
    return f"D{row}:D{row}"


BUDGET: dict[str, tuple[Callable[[Any], str], int]] = {
    "hard-coded month": (_over("Budget", lambda book: f"L{_cost(book)}", 9000), 10),
    "hard-coded last month": (_over("Budget", lambda book: f"T{_cost(book)}", 9000), 10),
    "hard-coded workload in Sizing": (_over("Sizing", lambda book: "G20", 9000), 10),
    "total one row short": (
        _turned("Budget", lambda book: "I{0}:T{0}".format(_cost(book, "Total")), r"SUM\((\w)(\d+):\w(\d+)\)",
                lambda found: f"SUM({found[1]}{found[2]}:{found[1]}{int(found[3]) - 1})"), 16),
    "total that misses a month": (
        _turned("Budget", lambda book: "H{0}:H{0}".format(_cost(book)), r"SUM\((\w+):T", lambda found: f"SUM({found[1]}:S"), 16),
    "price column typed over": (_over("Prices", lambda book: f"{_letter(book, 'price_per_card')}12", 3.5), 10),
    "all cards looked up one row down": (
        _turned("Lookup", lambda book: "E{0}:P{0}".format(_row(book, "Lookup", "gpu_row")), r"(MATCH\(.*?,0\))",
                lambda found: f"{found[1]}+1", lambda book: "E{0}:P{0}".format(_row(book, "Lookup", "gpu_row") + 1)), 43),
    "a range that misses the last column": (
        _turned("Checks", _check_of_sizing, r"(Sizing!.*?):\$P", lambda found: f"{found[1]}:$O"), 16),
    "link to the assumption beside": (
        _turned("Lookup", lambda book: "H{0}:H{0}".format(_row(book, "Lookup", "busy_hours")), r"Assumptions!\$C\$(\d+)",
                lambda found: f"Assumptions!$C${int(found[1]) + 1}"), 10),
}  # fmt: skip


@pytest.mark.parametrize("fault", BUDGET)
def test_planted_in_a_budget_of_ours(fault: str, budget: Callable[..., Report]) -> None:
    change, point = BUDGET[fault]
    places: list[str] = []
    report = budget(lambda book: places.append(change(book)))
    assert (point, places[0]) in bad(report), [one.line() for one in report.findings if one.severity in BAD]


def test_an_assumption_that_only_its_own_flag_reads_is_dead(budget: Callable[..., Report]) -> None:
    """The flag '1 = valid' is no use of it."""

    def unused(book: Any) -> None:
        row = _row(book, "Assumptions", "safety")
        for sheet in ("Lookup", "Sizing", "Budget"):
            for cells in book[sheet].iter_rows():
                for cell in cells:
                    if isinstance(cell.value, str) and f"Assumptions!$C${row}" in cell.value:
                        cell.value = cell.value.replace(f"Assumptions!$C${row}", f"Assumptions!$F${row}")

    report = budget(unused)
    assert any(point == 30 and place.startswith("Assumptions!C") for point, place in bad(report))
