"""A built budget that stays in the engine: an edit costs what depends on it, not a new book."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from functools import cached_property
from typing import Any

from openpyxl.workbook.workbook import Workbook
from parity import EPOCH

from gpusheet.workbook.book import Built, build
from gpusheet.workbook.evaluate import Values, calculated, values_of
from gpusheet.workbook.inputs import Inputs

Edit = Callable[[Workbook, Built], None]
Cells = dict[tuple[str, int, int], Any]


class LiveBook:
    """The values of a book after an edit of typed cells; the edit is taken back at once.

    What an edit does to tables, names or formulas the engine does not see: build the book anew for those.
    """

    def __init__(self, inputs: Inputs, months: int = 3, spare: int = 0) -> None:
        self.built = build(inputs, "en", months, spare=spare)
        self.sheets = [self.built.book[title] for title in sorted({one.sheet for one in self.built.placed.values()})]
        self.engine, self.frame = calculated(self.built.book)

    @property
    def typed(self) -> Cells:
        """The cells of the sheets on which people type."""
        return {(sheet.title, cell.row, cell.column): cell.value for sheet in self.sheets for row in sheet.iter_rows() for cell in row
                if cell.value is not None}  # fmt: skip

    @cached_property
    def before(self) -> Cells:
        return self.typed

    @property
    def values(self) -> Values:
        return values_of(self.engine, self.frame)

    def edited(self, edit: Edit) -> Values:
        before, book = self.before, self.built.book
        edit(book, self.built)
        after = self.typed
        changed = {cell for cell in before.keys() | after.keys() if before.get(cell) != after.get(cell)}
        try:
            self._put({cell: after.get(cell) for cell in changed})
            return self.values
        finally:
            for cell in changed:
                sheet, row, column = cell
                book[sheet].cell(row, column).value = before.get(cell)
            self._put({cell: before.get(cell) for cell in changed})

    def _put(self, cells: Cells) -> None:
        for (sheet, row, column), value in cells.items():
            of_day = isinstance(value, datetime.date)
            self.engine.set_value(sheet, row, column, float((value - EPOCH).days) if of_day else value)
        self.engine.evaluate_all()
