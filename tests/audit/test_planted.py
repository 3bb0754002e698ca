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
    """The blocked example says itself that its checks fail: that is all."""
    expected = [(20, "Checks!D3")] if name == "example-blocked" else []
    assert bad(audit(TEMPLATES / f"{name}.{lang}.xlsx")) == expected


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


def _shorten(book: Any, sheet: str, cells: str, old: str, new: str) -> None:
    for cell in book[sheet][cells][0]:
        assert re.search(old, cell.value), cell.value
        cell.value = re.sub(old, new, cell.value)


BUDGET: dict[str, tuple[Callable[[Any], None], int, str]] = {
    "hard-coded month": (put("Budget!L118", 9000), 10, "Budget!L118"),
    "hard-coded last month": (put("Budget!T118", 9000), 10, "Budget!T118"),
    "hard-coded workload in Sizing": (put("Sizing!G20", 9000), 10, "Sizing!G20"),
    "total one row short": (
        lambda book: _shorten(book, "Budget", "I127:T127", r"SUM\((\w)(\d+):\w\d+\)", r"SUM(\1\2:\g<1>125)"), 16, "Budget!I127:T127"),
    "total that misses a month": (
        put("Budget!H118", '=IF(COUNT(I118:T118)=$F$7,SUM(I118:S118),"")'), 16, "Budget!H118"),
    "price column typed over": (put("Prices!R20", 3.5), 10, "Prices!R20"),
    "all cards looked up one row down": (
        lambda book: _shorten(book, "Lookup", "E66:P66", r"(MATCH\(.*?,0\))", r"\1+1"), 43, "Lookup!E67:P67"),
    "a range that misses the last column": (
        lambda book: _shorten(book, "Checks", "D35:D35", r"Sizing!(.*?):\$P", r"Sizing!\1:$O"), 16, "Checks!D35"),
    "link to the assumption beside": (
        lambda book: _shorten(book, "Lookup", "H33:H33", r"\$C\$15", "$C$16"), 10, "Lookup!H33"),
}  # fmt: skip


@pytest.mark.parametrize("fault", BUDGET)
def test_planted_in_a_budget_of_ours(fault: str, budget: Callable[..., Report]) -> None:
    change, point, place = BUDGET[fault]
    report = budget(change)
    assert (point, place) in bad(report), [one.line() for one in report.findings if one.severity in BAD]


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
