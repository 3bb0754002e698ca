"""Lines of formulas: one formula written once and filled along a row or down a column.

Formulas are written for the first cell; what is relative moves along. The cells of a line share one style, so that a
thousand workloads cost little more than ten.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from openpyxl.cell import Cell
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from gpusheet.units import Unit
from gpusheet.workbook.style import Look

# the column of a relative reference: E12, Lookup!E$5, but not $E12, 1E9, "E1" or a name
_COLUMN = r'(?<![A-Za-z0-9$\[_"])({})(?=\$?\d)'
# the row of a relative reference: E12, $E12, but not E$12, 1E9, Sizing!E12 or a name
_ROW = re.compile(r'(?<![A-Za-z0-9_!\[".$])(\$?[A-Z]{1,3})(\d+)(?![\dA-Za-z_(\]])')
_QUOTED = re.compile(r'("[^"]*")')


def fill_right(sheet: Worksheet, look: Look, row: int, first: int, count: int, formula: str, unit: Unit) -> None:
    """Writes `formula`, made for column `first`, into `count` cells of a row."""
    pattern = re.compile(_COLUMN.format(get_column_letter(first)))
    pieces: list[str] = [""]
    for text in _QUOTED.split(formula):
        if text.startswith('"'):
            pieces[-1] += text
            continue
        parts = pattern.split(text)
        pieces[-1] += parts[0]
        pieces += parts[2::2]
    _fill(sheet, look, unit, [
        (row, column, letter.join(pieces)) for column, letter in _columns(first, count)
    ])  # fmt: skip


def fill_block(
    sheet: Worksheet, look: Look, row: int, rows: int, first: int, count: int, formula: str, unit: Unit
) -> None:
    """Writes `formula`, made for the block's first cell, into a block of rows and columns."""
    pieces: list[str] = [""]  # text and, at odd places, rows that move
    for text in _QUOTED.split(formula):
        if text.startswith('"'):
            pieces[-1] += text
            continue
        start = 0
        for found in _ROW.finditer(text):
            pieces[-1] += text[start : found.start(2)]
            pieces += [found.group(2), ""]
            start = found.end()
        pieces[-1] += text[start:]
    for down in range(rows):
        moved = "".join(str(int(part) + down) if i % 2 else part for i, part in enumerate(pieces))
        fill_right(sheet, look, row + down, first, count, moved, unit)


@cache
def _columns(first: int, count: int) -> list[tuple[int, str]]:
    """Columns and their letters, the same objects for every row."""
    return [(column, get_column_letter(column)) for column in range(first, first + count)]


def _fill(sheet: Worksheet, look: Look, unit: Unit, cells: list[tuple[int, int, str]]) -> None:
    if not cells:
        return
    style = look.formula_style(sheet, cells[0][2], unit)
    made: dict[tuple[int, int], Any] = sheet._cells
    for row, column, formula in cells:
        cell: Any = Cell(sheet, row=row, column=column)
        cell._style = style
        cell._value = formula
        cell.data_type = "f"
        made[(row, column)] = cell
