"""The Sizing sheet: every rule as one row, all four methods side by side."""

from __future__ import annotations

from collections.abc import Mapping

from openpyxl.workbook.workbook import Workbook

from gpusheet.calendar import LINES
from gpusheet.constants import NAMES
from gpusheet.formula import cell_formula
from gpusheet.rules import SUBJECTS
from gpusheet.wiring import TABLES, facts, quantities
from gpusheet.workbook.assumptions_sheet import AssumptionCells
from gpusheet.workbook.grid import fill_right
from gpusheet.workbook.layout import FIRST_COLUMN, FIRST_LINE, NAME_ROW, STATUS_ROW, Span
from gpusheet.workbook.lookup_lines import LookupLines
from gpusheet.workbook.style import Look
from gpusheet.workbook.workload_columns import TEXT, finish, frame, label_line

# lines of the Budget sheet: what needs the month, and what is written out inside them
MONTHLY = {line.rule_name for line in LINES if line.name == line.rule_name} | {n for line in LINES for n in line.inline}


def put_sizing(book: Workbook, look: Look, cells: AssumptionCells, lookup: LookupLines, span: Span) -> dict[str, int]:
    """The Sizing sheet; gives the row of each rule."""
    sheet = book["Sizing"]
    end = frame(sheet, look, "Sizing", span)
    for row in (NAME_ROW, STATUS_ROW):
        fill_right(sheet, look, row, FIRST_COLUMN, span.count, f"=Lookup!E{row}", TEXT)
    groups: dict[str, list[str]] = {}
    for name, quantity in quantities().items():
        if quantity.rule is not None and name not in MONTHLY:
            groups.setdefault(quantity.rule.subject, []).append(name)
    rows: dict[str, int] = {}
    line = FIRST_LINE
    for names in groups.values():
        line += 1
        for name in names:
            rows[name] = line
            line += 1
    place = Places(rows, cells, lookup)
    for subject, names in groups.items():
        look.group(sheet, rows[names[0]] - 1, SUBJECTS[subject][look.lang == "zh"], end)
        for name in names:
            quantity = quantities()[name]
            rule = quantity.rule
            assert rule is not None
            typed = f"Lookup!{lookup.at(name)}" if quantity.column is not None else None
            formula = cell_formula(rule.expression, facts(), place, f'E${STATUS_ROW}="ok"', typed, rows)
            label_line(sheet, look, rows[name], name, rule.label(look.lang), rule.unit)
            fill_right(sheet, look, rows[name], FIRST_COLUMN, span.count, formula, rule.unit)
    finish(sheet, look, span, line - 1)
    return rows


class Places:
    """Where a quantity is, as a formula in column E of Sizing names it."""

    def __init__(self, rows: Mapping[str, int], cells: AssumptionCells, lookup: LookupLines) -> None:
        self.rows, self.cells, self.lookup = rows, cells, lookup

    def __call__(self, name: str) -> str:
        if name in self.rows:
            return f"E{self.rows[name]}"
        if name in self.lookup.rows:
            return f"Lookup!{self.lookup.at(name)}"
        if name in self.cells.rows:
            return self.cells.value(name)
        if name in TABLES or name in NAMES:
            return name
        raise KeyError(f"no cell holds {name}")
