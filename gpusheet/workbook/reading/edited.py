"""An edited workbook beside the one that gpusheet makes of the same inputs, and which cells were read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from openpyxl.workbook.workbook import Workbook

from gpusheet.workbook.assumptions_sheet import NAME as ASSUMPTIONS
from gpusheet.workbook.layout import SHEETS
from gpusheet.workbook.reading.areas import COMPUTED
from gpusheet.workbook.reading.opening import Package
from gpusheet.workbook.reading.rows import CARRIED, Factors, Table

OWN_SHEET = "note it on a sheet of your own"
ANEW = "make it anew in the new book"


def lost(place: str, what: str, instead: str = OWN_SHEET) -> str:
    """A line about one thing that is not carried over: where, what, and what to do."""
    return f"{place}: {what}; {instead}"


@dataclass(frozen=True)
class Edited:
    """What was read of a workbook, to tell the rest apart."""

    package: Package
    book: Workbook
    made: Workbook
    tables: Mapping[str, Table]
    factors: Factors
    same_version: bool
    log: set[tuple[str, int, int]] = field(default_factory=set)  # cells of the version log

    @cached_property
    def inputs(self) -> dict[tuple[str, int, int], tuple[str, int, str]]:
        """Cells that were read (sheet, row, column), with their table, index of the row, and column."""
        found: dict[tuple[str, int, int], tuple[str, int, str]] = {}
        for name, table in self.tables.items():
            area = table.area
            columns = {**area.at, **(area.own if name in CARRIED else {})}
            read = {column: at for column, at in columns.items() if column not in COMPUTED.get(name, ())}
            for index, number in enumerate(table.numbers):
                for column, position in read.items():
                    found[area.sheet.title, number, position] = (name, index, column)
        assert self.factors.sheet is not None
        if (chooser := self.factors.chooser) is not None:
            found["Cover", chooser.row, chooser.column] = (ASSUMPTIONS, 0, "scenario")
        for name, row in self.factors.rows.items():
            found[self.factors.sheet.title, row, self.factors.column] = (ASSUMPTIONS, 0, name)
        return found

    @cached_property
    def input_sheets(self) -> set[str]:
        assert self.factors.sheet is not None
        return {table.area.sheet.title for table in self.tables.values()} | {self.factors.sheet.title}

    @cached_property
    def our_sheets(self) -> set[str]:
        return self.input_sheets | (set(SHEETS) & set(self.book.sheetnames))

    def tables_on(self, title: str) -> list[Table]:
        return [table for table in self.tables.values() if table.area.sheet.title == title]

    def made_sheet(self, title: str) -> Any:
        """The sheet that gpusheet makes in place of one, which may have been renamed; None for one of the user's."""
        if title in self.made.sheetnames:
            return self.made[title]
        if title not in self.input_sheets:
            return None
        names = [table.area.name for table in self.tables_on(title)]
        return next((self.made[name] for name in names if name in self.made.sheetnames), self.made[ASSUMPTIONS])


def cells_of(sheet: Any) -> dict[tuple[int, int], Any]:
    """The cells of a sheet that exist, by row and column."""
    cells: dict[tuple[int, int], Any] = sheet._cells
    return cells
