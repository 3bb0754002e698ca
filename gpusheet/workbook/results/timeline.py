"""Sheets of results with the Budget's months in the Budget's columns: heads, blocks of lines, totals, fiscal years."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openpyxl.utils import get_column_letter

from gpusheet.units import Number, Text, Unit, unit_of
from gpusheet.workbook.budget_layout import (
    BLOCKED,
    DATE_ROW,
    DRIVER,
    FIRST,
    MONTH_ROW,
    MONTHS,
    TAX,
    TOTAL,
    WORDS,
    YEAR_ROW,
)
from gpusheet.workbook.grid import fill_block, fill_right
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.style import printing, protect, set_widths

TEXT, NUMBER = unit_of(Text), unit_of(Number)
MONTH, NEXT = f"{get_column_letter(FIRST)}${DATE_ROW}", f"EDATE({get_column_letter(FIRST)}${DATE_ROW},1)"  # first days
Driver = tuple[str, str, Unit]  # label, formula of the first line, unit


class Timeline:
    """A sheet whose columns are those of the Budget, written line by line."""

    def __init__(self, parts: Parts, name: str) -> None:
        self.parts, self.look, self.name = parts, parts.look, name
        self.at = parts.budget
        self.width = self.at.first_year + self.at.years - 1
        self.sheet: Any = parts.sheet(name, self.width)
        self.words = WORDS[parts.lang]
        self.line = YEAR_ROW + 2
        for row, key, shown in ((MONTH_ROW, "month", ""), (DATE_ROW, "date", "yyyy-mm"), (YEAR_ROW, "year", "0")):
            self.look.text(self.sheet.cell(row, 2, self.words[key]), bold=True)
            self._heads(row, FIRST, self.at.months, shown)
        self._heads(YEAR_ROW, self.at.first_year, self.at.years, f'"{self.words["fy"]}"0')

    def _heads(self, row: int, first: int, count: int, shown: str) -> None:
        """Cells of the time axis, as the Budget has them."""
        fixed = "" if first != FIRST else "$"  # spelled apart, as the axis ends between them
        fill_right(self.sheet, self.look, row, first, count, f"=Budget!{get_column_letter(first)}{fixed}{row}", NUMBER)
        for column in range(first, first + count):
            if shown:
                cell = self.sheet.cell(row, column)
                self.look.header(cell, wrap=False)
                cell.number_format = shown

    @property
    def first(self) -> str:
        return self.at.first

    @property
    def last(self) -> str:
        return self.at.last

    @property
    def year_letters(self) -> tuple[str, str]:
        """The columns of the first and the last fiscal year."""
        return get_column_letter(self.at.first_year), get_column_letter(self.width)

    def months(self, row: int) -> str:
        """The months of a row, fixed."""
        return f"${self.first}${row}:${self.last}${row}"

    def head(self, title: str, unit: Unit | None, drivers: Sequence[str] = (), total: str = "") -> None:
        """The grey row that begins a block."""
        text = f"{title}  [{unit.label(self.parts.lang)}]" if unit else title
        self.look.group(self.sheet, self.line, text, self.width)
        for offset, label in enumerate(drivers):
            self.look.text(self.sheet.cell(self.line, DRIVER + offset, label), italic=True, wrap=True)
        if total:
            self.look.text(self.sheet.cell(self.line, TOTAL, total), bold=True, wrap=True)
        if any(len(label) > 12 for label in (*drivers, total)):
            self.sheet.row_dimensions[self.line].height = 40
        self.line += 1

    def numbers(self, count: int) -> None:
        """The number of each line of a block, in grey."""
        fill_block(self.sheet, self.look, self.line, count, 1, 1, f"=ROW()-ROW($A${self.line - 1})", NUMBER)
        for row in range(self.line, self.line + count):
            self.look.text(self.sheet.cell(row, 1), color="A6A6A6")

    def fill(self, column: int, count: int, formula: str, unit: Unit) -> None:
        """A formula down a column of the block that begins here."""
        fill_block(self.sheet, self.look, self.line, count, column, 1, formula, unit)

    def across(self, count: int, formula: str, unit: Unit) -> None:
        """A formula over the months of the lines that begin here."""
        fill_block(self.sheet, self.look, self.line, count, FIRST, self.at.months, formula, unit)

    def row(
        self, key: str, label: str, formula: str, unit: Unit, *, total: str = "", years: bool = False, bold: bool = False
    ) -> int:
        """One line over the months; `total` is SUM or MAX. Gives its row, and goes on."""
        row = self.line
        self.look.text(self.sheet.cell(row, 2, label), bold=bold)
        self.look.text(self.sheet.cell(row, 3, unit.label(self.parts.lang)), color="7F7F7F")
        self.across(1, formula, unit)
        if bold:
            for column in range(FIRST, FIRST + self.at.months):
                self.look.total(self.sheet.cell(row, column), unit)
        if total:
            cells = self.months(row).replace("$", "")
            whole = f"=IF(COUNT({cells})=Budget!{MONTHS},{total}({cells}),Budget!{BLOCKED})"
            self.total(row, whole, unit, line=bold)
        if years:
            self.years(1, unit)
        self.parts.rows.setdefault(self.name, {})[key] = row
        self.line += 1
        return row

    def total(self, row: int, formula: str, unit: Unit, line: bool = False) -> None:
        """The cell of a row's total, with a line above where the whole row is a total."""
        cell = self.sheet.cell(row, TOTAL, formula)
        if line:
            self.look.total(cell, unit)
        else:
            self.look.formula(cell, unit, bold=True)

    def years(self, count: int, unit: Unit) -> None:
        """Fiscal years of the lines that begin here: sums over the months of each."""
        months = f"${self.first}{self.line}:${self.last}{self.line}"
        year = f"{get_column_letter(self.at.first_year)}${YEAR_ROW}"
        formula = f'=IF(COUNT({months})=Budget!{MONTHS},SUMIFS({months},{self.months(YEAR_ROW)},{year}),"")'
        fill_block(self.sheet, self.look, self.line, count, self.at.first_year, self.at.years, formula, unit)

    def total_of(self, key: str, top: int, count: int, unit: Unit, counted: str) -> int:
        """The total of a block's lines in each month, where as many as `counted` have a number."""
        cells = f"{self.first}{top}:{self.first}{top + count - 1}"
        formula = f"=IF((COUNT({cells})={counted})*Budget!{TAX},SUM({cells}),Budget!{BLOCKED})"
        return self.row(key, self.words["total"], formula, unit, total="SUM", years=True, bold=True)

    def finish(self, below: int = 0) -> None:
        set_widths(self.sheet, (7, 38, 17, 17, 15, 15, 15, 16))
        set_widths(self.sheet, [14] * self.at.months + [3] + [16] * self.at.years, FIRST)
        self.sheet.freeze_panes = f"{self.first}{YEAR_ROW + 1}"
        area = f"A1:{get_column_letter(self.width)}{self.line + below}"
        printing(self.sheet, self.look.lang, f"{MONTH_ROW}:{YEAR_ROW}", area, "A:C")
        protect(self.sheet)
