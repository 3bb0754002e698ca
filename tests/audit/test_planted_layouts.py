"""Faults planted in budgets of many layouts are found, each where it is; the same budgets without them raise no alarm."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from layouts import LAYOUTS

from gpusheet.audit import Severity, audit
from gpusheet.workbook.cached import write_with_values

# layout, what is wrong: where, what is typed there ({m} and {r} stand for the cell's column and row), the point, and where it is
# told if not there
FAULTS: dict[tuple[str, str], tuple[Any, ...]] = {
    ("months_down", "hard-coded month"): ("Plan!D8", 1000.0, 10),
    ("months_down", "total one month short"): ("Plan!C14", "=SUM(C2:C12)", 16),
    ("months_down", "all totals one month short"): ("Plan!C14:F14", "=SUM({m}2:{m}12)", 16),
    ("months_down", "range that misses a column"): ("Plan!F5", "=SUM(C5:D5)", 10),
    ("quarters_between", "hard-coded month"): ("Plan!H4", 1000.0, 10),
    ("quarters_between", "total one row short"): ("Plan!H6", "=SUM(H3:H4)", 10),
    ("quarters_between", "totals of a quarter one row short"): ("Plan!B6:D6", "=SUM({m}3:{m}4)", 10),
    ("quarters_between", "quarter without a month"): ("Plan!I3", "=SUM(F3:G3)", 16),
    ("quarters_between", "year without a quarter"): ("Plan!R4", "=E4+I4+M4", 16),
    ("departments", "typed cost"): ("Ads!C4", 30000.0, 10),
    ("departments", "total one row short"): ("Ads!C6", "=SUM(C2:C4)", 10),
    ("departments", "look-up shifted by one"): ("Ads!D3", "=B3*VLOOKUP(A3,Rates!$A$2:$D$5,4,FALSE)", 10),
    ("departments", "all look-ups shifted by one"): ("Ads!D2:D5", "=B{r}*VLOOKUP(A{r},Rates!$A$2:$D$5,4,FALSE)", 44),
    ("departments", "look-up by the row above"): ("Infra!C4", "=B4*VLOOKUP(A3,Rates!$A$2:$D$5,2,FALSE)", 10),
    ("departments", "sum without the last department"): ("Sum!E3", "=SUM(B3:C3)", 16),
    ("departments", "link to another department"): ("Sum!C3", "=Search!D6", 44),
    ("departments", "input that nothing reads"): ("Inputs!C8", 5000, 30),
    ("regions", "quarters with a month in common"): ("汇总!B8", "=SUM(D5:G5)", 16),
    ("regions", "quarter without a month"): ("汇总!B8", "=SUM(E5:F5)", 16, "汇总!B9"),
    ("regions", "year without a quarter"): ("汇总!B11", "=SUM(B7:B9)", 16),
    ("regions", "links to another region"): ("汇总!B3:N3", "=华东!{m}9", 44),
    ("regions", "links one row off"): ("汇总!B4:N4", "=华北!{m}8", 44),
    ("regions", "link one month off"): ("汇总!F3", "=华南!E9", 10),
    ("regions", "hard-coded month"): ("华南!G7", 50000, 10),
    ("regions", "peak without a month"): ("华北!N3", "=MAX(B3:L3)", 16),
    ("profit", "year without a month"): ("P&L!N4", "=SUM(B4:L4)", 10),
    ("profit", "totals one row short"): ("P&L!B10:M10", "=SUM({m}7:{m}8)", 16),
    ("profit", "sign"): ("P&L!P8", "=O8-N8", 10),
    ("profit", "margin of another row"): ("P&L!F12", "=F10/F2", 10),
    ("profit", "hard-coded month"): ("P&L!K3", 14000.0, 10),
    ("profit", "change against another row"): ("P&L!Q7", "=P7/O8", 10),
    ("schedule", "hard-coded month"): ("Assets!H6", 3333.33, 10),
    ("schedule", "year without a month"): ("Assets!O9", "=SUM(C9:M9)", 16),
    ("schedule", "opening of the month before"): ("Assets!H5", "=F7", 10),
    ("schedule", "sign"): ("Assets!J7", "=J5+J6", 10),
    ("weighted", "average without the last card"): ("Mix!C9", "=SUMPRODUCT(B2:B5,C2:C5)", 16),
    ("weighted", "average shifted by one"): ("Mix!C9", "=SUMPRODUCT(B2:B6,C3:C7)", 43),
    ("weighted", "typed cost"): ("Mix!E4", 900, 10),
    ("weighted", "price of the next card"): ("Mix!E3", "=C4*D3*(1+Inputs!$C$2)", 10),
    ("weighted", "total that begins one row late"): ("Mix!E7", "=SUM(E3:E6)", 16),
}  # fmt: skip


def alarms(layout: str, folder: Path, place: str = "", value: Any = None) -> list[tuple[int, str]]:
    """The points and the places of errors and warnings, once a value is typed at a place."""
    book = LAYOUTS[layout]()
    if place:
        title, _, cells = place.partition("!")
        found: Any = book[title][cells]
        for cell in chain.from_iterable(found) if isinstance(found, tuple) else (found,):
            cell.value = value.format(m=cell.column_letter, r=cell.row) if isinstance(value, str) else value
    path = folder / f"{layout}.xlsx"
    write_with_values(book, path)
    return [(one.point, one.place) for one in audit(path).findings if one.severity is not Severity.note]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_sound_layout_raises_no_alarm(layout: str, tmp_path: Path) -> None:
    assert alarms(layout, tmp_path) == []


@pytest.mark.parametrize(("layout", "fault"), FAULTS)
def test_a_fault_is_found_where_it_is(layout: str, fault: str, tmp_path: Path) -> None:
    place, value, point, *told = FAULTS[layout, fault]
    assert (point, *(told or [place])) in alarms(layout, tmp_path, place, value)
