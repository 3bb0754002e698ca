"""What a sheet of results is made from, and the pieces that such sheets share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from openpyxl.workbook.workbook import Workbook

from gpusheet.units import Unit
from gpusheet.workbook.assumptions_sheet import AssumptionCells
from gpusheet.workbook.budget_layout import BudgetCells
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.inputs import Inputs
from gpusheet.workbook.layout import Span, hint_of, role_of, title_of
from gpusheet.workbook.lookup_lines import LookupLines
from gpusheet.workbook.style import Look
from gpusheet.workbook.summary_sheet import SummaryCells
from gpusheet.workbook.tables import Placed


@dataclass
class Parts:
    """A budget workbook as far as it is built."""

    book: Workbook
    look: Look
    inputs: Inputs
    placed: Mapping[str, Placed]  # all tables, also the small ones of Assumptions
    cells: AssumptionCells
    lookup: LookupLines
    sizing: Mapping[str, int]  # rule -> row of Sizing
    summary: SummaryCells
    budget: BudgetCells
    span: Span
    cards: int = 1  # columns that GpuCases has for cards
    checks: list[Check] = field(default_factory=list)  # of integrity: each sheet adds its own
    alerts: list[Check] = field(default_factory=list)
    drawn: Any = None  # what a sheet Risk shows, where one is wanted
    rows: dict[str, Any] = field(default_factory=dict)  # what a sheet notes for others and for tests: places by name
    lines: dict[str, int] = field(default_factory=dict)  # of lists whose length follows from the inputs, by name

    @property
    def lang(self) -> str:
        return self.look.lang

    def count(self, name: str, wanted: int) -> int:
        """How many lines a list has: as wanted, unless the book is made like another one that has its own number."""
        return self.lines.setdefault(name, wanted)

    def say(self, en: str, zh: str) -> str:
        return zh if self.lang == "zh" else en

    def sheet(self, name: str, width: int) -> Any:
        """A sheet with its title and band, `width` columns wide."""
        sheet: Any = self.book[name]
        self.look.title(sheet, title_of(name, self.lang), hint_of(name, self.lang), role_of(name))
        self.look.band(sheet, role_of(name), width)
        return sheet

    def put(self, sheet: Any, row: int, column: int, formula: str, unit: Unit, *, total: bool = False) -> str:
        """One formula; gives its address."""
        cell = sheet.cell(row, column, formula)
        (self.look.total if total else self.look.formula)(cell, unit)
        return str(cell.coordinate)
