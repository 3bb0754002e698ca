"""Which formulas reach which cells through defined names; the engine does not tell."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpusheet.errors import GpusheetError
from gpusheet.workbook.recalculation.calculate import Calculated, Cell
from gpusheet.workbook.recalculation.cells import Area, Place, area_of
from gpusheet.workbook.recalculation.surroundings import is_lambda, unquoted

_REFERENCE = re.compile(r"('(?:[^']|'')*'|[^\W\d][\w.]*)!(\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?)(?![\w(])")
_WORD = re.compile(r"[^\W\d][\w.]*(?![\w.!])")  # no sheet


@dataclass(frozen=True)
class NamedAreas:
    """The areas that a name stands for, None where they are not known, and the formulas that use it."""

    areas: tuple[tuple[str, Area], ...] | None
    users: tuple[Cell, ...]

    def covers(self, title: str, place: Place) -> bool:
        if self.areas is None:
            return True
        row, column = place
        return any(
            sheet.casefold() == title.casefold() and top <= row <= bottom and left <= column <= right
            for sheet, (top, left, bottom, right) in self.areas
        )


def named_areas(result: Calculated) -> list[NamedAreas]:
    """The names that stand for cells and are used; those that formulas were given without are known to the engine."""
    left = [(name, text) for name, text in result.book.names
            if name.casefold() not in result.written_out and not is_lambda(text)]  # fmt: skip
    names = {name.casefold() for name, _ in left}
    if not names:
        return []
    users: dict[str, list[Cell]] = {}
    for title, sheet in result.sheets.items():
        for place in sheet.formulas:
            for word in {word.casefold() for word in _WORD.findall(sheet.text(place))} & names:
                users.setdefault(word, []).append((title, place))
    return [
        NamedAreas(_areas(result, text, names), tuple(users[name.casefold()]))
        for name, text in left if name.casefold() in users
    ]  # fmt: skip


def name_in(result: Calculated, cell: Cell) -> str | None:
    """A name or a table of the workbook that the formula of a cell has in it."""
    if not result.is_formula(cell):
        return None
    known = {name.casefold() for name, _ in result.book.names} | set(result.book.tables.by_name)
    return next((word for word in _WORD.findall(result.sheets[cell[0]].text(cell[1])) if word.casefold() in known), None)


def _areas(result: Calculated, text: str, names: set[str]) -> tuple[tuple[str, Area], ...] | None:
    try:
        text = result.book.tables.plain(text, "defined names")
    except GpusheetError:
        return None
    rest = _REFERENCE.sub("", text)
    if "!" in rest or not names.isdisjoint(word.casefold() for word in _WORD.findall(rest)):
        return None
    if re.search(r"\b(?:INDIRECT|OFFSET)\b", rest, re.IGNORECASE):
        return None
    return tuple((unquoted(sheet), area_of(area.replace("$", ""))) for sheet, area in _REFERENCE.findall(text))
