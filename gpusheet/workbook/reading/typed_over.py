"""What a person typed on the sheets that are computed: over formulas, over texts, into blank cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gpusheet.workbook.reading.cells import blocks, formula_of, shown, text_of
from gpusheet.workbook.reading.edited import OWN_SHEET, Edited, cells_of, lost

OVERRIDE = "use the override columns of Workloads"
INSTEAD = {
    "Lookup": OVERRIDE, "Sizing": OVERRIDE, "Summary": OVERRIDE,
    "Budget": f"{OVERRIDE}, or the other costs of Assumptions",
}  # fmt: skip
COMPARED = tuple(INSTEAD)  # sheets whose formulas do not depend on how long the tables are
MOST_REWRITTEN = 0.1  # of a sheet's formulas; beyond that, a program spelled them anew
_QUOTED = re.compile(r"(\"[^\"]*\"|'[^']*')")
_NUMBER = re.compile(r"(?<![A-Z0-9_.$])\d+\.?\d*(?:E[+-]?\d+)?")


def typed_over(edited: Edited, title: str) -> Iterator[str]:
    """A line for each range of a computed sheet that is not as gpusheet makes it; cleared cells are made anew."""
    made = cells_of(edited.made[title])
    instead = INSTEAD.get(title, OWN_SHEET)
    over: dict[tuple[int, int], str] = {}
    changed: dict[tuple[int, int], str] = {}
    formulas = 0
    for at, cell in cells_of(edited.book[title]).items():
        if cell.value is None or (title, *at) in edited.log or (title, *at) in edited.inputs:
            continue
        model = made.get(at)
        wanted, found = formula_of(model), formula_of(cell)
        formulas += bool(found)
        if found and wanted:
            if title in COMPARED and found != wanted and spelling(found) != spelling(wanted):
                changed[at] = shown(found)
        elif wanted:
            over[at] = f"typed {shown(cell.value)} over a formula; it is not read"
        elif found:
            over[at] = f"the formula {shown(found)} is not carried over"
        elif not _same(cell.value, None if model is None else model.value):
            over[at] = f"typed {shown(cell.value)}; it is not carried over"
    if len(changed) > max(20, MOST_REWRITTEN * formulas):
        what = f"{len(changed)} of {formulas} formulas are spelled unlike gpusheet's, first at {blocks(changed)[0][0]}"
        yield lost(title, f"{what}; they are written anew", "compare the new book with this one")
        changed = {}
    for where, members in blocks(changed):
        yield lost(f"{title}!{where}", f"the formula was changed to {changed[members[0]]}; it is written anew", instead)
    for words in dict.fromkeys(over.values()):
        for where, _ in blocks(at for at, said in over.items() if said == words):
            yield lost(f"{title}!{where}", words, instead)


def spelling(formula: str) -> str:
    """A formula without what programs spell differently: blanks, case, the form of numbers.

    >>> spelling("=if(A1 > 1E9, 0.50)") == spelling("=IF(A1>1000000000,0.5)")
    True
    """
    parts = _QUOTED.split(formula)
    for place in range(0, len(parts), 2):  # the others are quoted
        bare = re.sub(r"\s+", "", parts[place]).upper()
        parts[place] = _NUMBER.sub(lambda found: f"{float(found[0]):.15g}", bare)
    return "".join(parts)


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(found, str) or isinstance(wanted, str):
        return _words(found) == _words(wanted)
    return bool(_day(found) == _day(wanted))


def _words(value: Any) -> str:
    return "" if value is None else text_of(value).strip()


def _day(value: Any) -> Any:
    return value.date() if hasattr(value, "date") else value
