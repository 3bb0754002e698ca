"""Formulas that a person typed into input cells: written into the new workbook with what they refer to at its new place."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

from openpyxl.styles import Font
from openpyxl.workbook.workbook import Workbook

from gpusheet.errors import GpusheetError
from gpusheet.workbook.carry import input_cell
from gpusheet.workbook.evaluate import CellError, Value, evaluate
from gpusheet.workbook.style import FORMULA, LINK, is_link

AGAIN = 1e-9  # of a value, by which two programs may differ
_EPOCH = datetime.date(1899, 12, 30)


class Spot(NamedTuple):
    """An input by what it is: in a row of a table, counted from 0, or the value of an assumption."""

    table: str  # or Assumptions
    row: int
    column: str


@dataclass(frozen=True)
class Reference:
    """A cell or a range of inputs that a formula reads; `fixed` says for each corner whether its column and row are ($)."""

    first: Spot
    last: Spot
    fixed: tuple[tuple[bool, bool], tuple[bool, bool]]
    named: bool  # with its sheet

    def text(self, book: Workbook, sheet: str) -> str:
        """The reference in a formula on a sheet of the new workbook."""
        cells = [input_cell(book, *spot) for spot in ((self.first,) if self.first == self.last else (self.first, self.last))]
        corners = [f"{'$' * column}{cell.column_letter}{'$' * row}{cell.row}"
                   for cell, (column, row) in zip(cells, self.fixed, strict=False)]  # fmt: skip
        home = cells[0].parent.title  # of ours, whose names need no quotes
        return (f"{home}!" if self.named or home != sheet else "") + ":".join(corners)


@dataclass(frozen=True)
class CarriedFormula:
    """A formula of an input cell in pieces, the value that was read of it (None where none was saved), and its old place."""

    spot: Spot
    value: Any
    parts: tuple[str | Reference, ...]
    place: str

    def put(self, book: Workbook) -> None:
        """Writes the formula, unless something else was asked for in place of the value."""
        cell = input_cell(book, *self.spot)
        if cell.value != self.value:
            return
        text = "".join(part if isinstance(part, str) else part.text(book, cell.parent.title) for part in self.parts)
        cell.value = text
        cell._style = copy(cell._style)
        font: Font = copy(cell.font)
        font.color = LINK if is_link(text) else FORMULA
        cell.font = font


def settle(book: Workbook, formulas: Sequence[CarriedFormula]) -> list[str]:
    """Calculates the formulas; one that has no such value here gives way to its value. Says so, and what differs."""
    put = {one: cell for one in formulas if (cell := input_cell(book, *one.spot)).data_type == "f"}
    if not put:
        return []
    try:
        values = evaluate(book)
    except GpusheetError as error:
        _give_way(put)
        return [f"{error}; the formulas of inputs became their values"]
    lines = []
    wrong = {}
    for one, cell in put.items():
        found = values.at(cell.parent.title, cell.coordinate)
        if not _like(one.value, found):
            wrong[one] = cell
            shown = "a blank" if found in (None, "") else str(found)
            lines.append(f"{one.place}: the formula {cell.value!r} gives {shown} in the new book, so its value, {_shown(one.value)}, "
                         "stays; type the formula anew if you need it")  # fmt: skip
        elif not _same(one.value, found):
            lines.append(f"{one.place}: the formula {cell.value!r} gives {_shown(found)} in the new book, and {_shown(one.value)} was "
                         "saved in the old one; the formula counts")  # fmt: skip
    _give_way(wrong)
    return lines


def _give_way(formulas: dict[CarriedFormula, Any]) -> None:
    for one, cell in formulas.items():
        cell.value = one.value
        if isinstance(one.value, str):
            cell.data_type = "s"


def _like(read: Any, found: Value) -> bool:
    """Whether a result is of the kind that was read."""
    if found is None or found == "" or isinstance(found, CellError):
        return False
    if read is None:
        return True
    return isinstance(found, str) == isinstance(read, str) and isinstance(found, bool) == isinstance(read, bool)


def _same(read: Any, found: Value) -> bool:
    if read is None or isinstance(read, str | bool):
        return read is None or read == found
    return isinstance(found, float | int) and math.isclose(_number(read), found, rel_tol=AGAIN, abs_tol=1e-12)


def _number(read: Any) -> float:
    """A number or a day as spreadsheets count it."""
    if isinstance(read, datetime.datetime):
        return (read - datetime.datetime.combine(_EPOCH, datetime.time())) / datetime.timedelta(1)
    return float((read - _EPOCH).days) if isinstance(read, datetime.date) else float(read)


def _shown(value: Any) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)
