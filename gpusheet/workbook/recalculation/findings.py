"""What a person has to know of a calculated workbook: the cells that are errors, with the reason of each, and those
that could not be calculated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from gpusheet.workbook.evaluate import CellError
from gpusheet.workbook.recalculation.calculate import Calculated, Cell, qualified
from gpusheet.workbook.recalculation.cells import Area, address, area_of, place_of_address, places
from gpusheet.workbook.recalculation.names import name_in, named_areas
from gpusheet.workbook.recalculation.surroundings import unquoted

_MANY = 10**9
_FARTHEST = 1000  # steps back from an error to where it comes from
_NOT_CALCULATED = "#N/IMPL!"
_ANYWHERE = re.compile(rb"\b(?:INDIRECT|OFFSET)\(", re.IGNORECASE)
_CIRCLE = "#CIRC!"


@dataclass(frozen=True)
class Finding:
    """A cell, as `Sheet!A1`, with what it shows (empty if it has no value) and why."""

    cell: str
    shows: str
    why: str


def not_calculated(result: Calculated) -> dict[Cell, str]:
    """The cells without a value, with the reason: what the engine cannot calculate, circles, and all that depends on
    them, be it through IFERROR. A number that might be another is none."""
    found = dict(result.open)
    for cell, error in result.errors():
        if cell not in found:
            if error.text == _CIRCLE:
                todo = "iterative calculation, which this workbook has on, is not done here" if result.book.iterates else (
                    "break the circle")
                found[cell] = f"it depends on its own result: {_circle(result, cell)}; {todo}"
            elif error.text == "#NAME?" and name_in(result, cell):
                found[cell] = f"the name {name_in(result, cell)} cannot be calculated here"
            elif error.text == _NOT_CALCULATED:
                found[cell] = "it uses something that is not calculated here"
    if not found:
        return found
    for title, sheet in result.sheets.items():  # where these lead to is only known when they are calculated
        for place in sorted(chain.from_iterable(sheet.having(_ANYWHERE).values())):
            found.setdefault((title, place), "INDIRECT or OFFSET may lead to a cell that is not calculated here")
    names = named_areas(result)
    waiting = list(found)
    while waiting:
        cell = waiting.pop()
        title = cell[0]
        for place in _filled(result, cell):
            report = result.engine.dependents(qualified(title, place), max_results=_MANY, max_work=_MANY)
            others = [_cell(one.cell) for one in report.dependents]
            others += [user for name in names if name.covers(title, place) for user in name.users]
            for other in others:
                if result.is_formula(other) and other not in found:
                    found[other] = f"it depends on {_shown(cell)}"
                    waiting.append(other)
    return found


def errors(result: Calculated, without: dict[Cell, str]) -> list[Finding]:
    """The cells that show an error, in the order of the sheets, with the message of ours or where it comes from."""
    return [
        Finding(_shown(cell), error.text, _why(result, cell, error))
        for cell, error in result.errors()
        if cell not in without
    ]


def cut(result: Calculated) -> list[str]:
    """A line for each plain formula that shows only the first cell of a function's table."""
    by_number = {number: cell for cell, number in result.numbers.items()}
    return [
        f"{_shown(by_number[number])}: {name} gives {rows} rows and {columns} columns, of which a plain formula shows "
        "the first cell; enter it as an array formula (openpyxl: ArrayFormula)"
        for number, (name, rows, columns) in sorted(result.calls.cut.items())
    ]


def _why(result: Calculated, cell: Cell, error: CellError) -> str:
    said = _said(result, cell, error)
    if said:
        return said
    at, steps = cell, 0
    while steps < _FARTHEST and (before := _source(result, at, error.text)) is not None:
        at, steps = before, steps + 1
        if said := _said(result, at, error):
            return f"from {_shown(at)}: {said}"
    number = result.numbers.get(at)
    if number in result.calls.first:  # what it said became another error on the way
        said = result.calls.first[number]
        return said if at == cell else f"from {_shown(at)}: {said}"
    text = f"={result.sheets[at[0]].text(at[1])}" if result.is_formula(at) else "typed there"
    return text if at == cell else f"from {_shown(at)}: {text}"


def _said(result: Calculated, cell: Cell, error: CellError) -> str | None:
    title, place = cell
    for anchor, area in result.spilled[title].items():
        if anchor != place and area[0] <= place[0] <= area[2] and area[1] <= place[1] <= area[3]:
            return _said(result, (title, anchor), error)
    if cell in result.refused and error.text == "#SPILL!":
        return result.refused[cell]
    number = result.numbers.get(cell)
    if number is None:
        return None
    return result.calls.why.get((number, error.text)) or result.calls.parts.get(number)


def _source(result: Calculated, cell: Cell, text: str) -> Cell | None:
    """A cell with the same error that this one is made of."""
    if not result.is_formula(cell):
        return None
    report = result.engine.precedents(qualified(*cell), max_links=_MANY, max_work=_MANY)
    for link in report.precedents:
        where = link.reference.resolved or link.reference.address
        if not where or "!" not in where:
            continue
        title, _, reference = where.rpartition("!")
        title = unquoted(title)
        if title not in result.values or not re.fullmatch(r"[A-Z]+\d+(:[A-Z]+\d+)?", reference.replace("$", "")):
            continue
        for place in places(_within(result, title, area_of(reference.replace("$", "")))):
            value = result.at((title, place))
            if type(value) is CellError and value.text == text and (title, place) != cell:
                return title, place
    return None


def _within(result: Calculated, title: str, area: Area) -> Area:
    rows = result.values[title]
    top, left, bottom, right = area
    return top, left, min(bottom, len(rows)), min(right, len(rows[0]) if rows else 0)


def _circle(result: Calculated, cell: Cell) -> str:
    """The cells that close a circle, beginning with the one that was come back to."""
    path = [cell]
    while len(path) < _FARTHEST and (before := _source(result, path[-1], _CIRCLE)) is not None and before not in path:
        path.append(before)
    closing = _source(result, path[-1], _CIRCLE)
    start = path.index(closing) if closing in path else 0
    names = [_shown(one) for one in (*path[start:], path[start])]
    return " - ".join(names if len(names) < 8 else [*names[:5], "...", names[-1]])


def _filled(result: Calculated, cell: Cell) -> Iterator[tuple[int, int]]:
    """A formula's cell, or all that an array formula fills or once filled."""
    title, place = cell
    special = result.sheets[title].special.get(place)
    filled = dict.fromkeys([place])
    for area in (result.spilled[title].get(place), special.area if special else None):
        if area:
            filled |= dict.fromkeys(places(area))
    return iter(filled)


def _cell(engines: str) -> Cell:
    title, _, reference = engines.rpartition("!")
    return unquoted(title), place_of_address(reference)


def _shown(cell: Cell) -> str:
    return f"{cell[0]}!{address(cell[1])}"
