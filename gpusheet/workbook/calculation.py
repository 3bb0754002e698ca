"""Lookup and Sizing: rows of facts and rules, a column per workload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openpyxl.utils import get_column_letter
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from gpusheet.calendar import LINES
from gpusheet.catalog import Workload
from gpusheet.constants import NAMED
from gpusheet.formula import cell_formula
from gpusheet.rules import SUBJECTS
from gpusheet.units import Date, Number, Text, Unit, unit_of
from gpusheet.wiring import TABLES, facts, quantities
from gpusheet.workbook.assumptions_sheet import ALL_VALID, AssumptionCells
from gpusheet.workbook.grid import fill_right
from gpusheet.workbook.layout import (
    FIRST_COLUMN,
    FIRST_LINE,
    NAME_ROW,
    NUMBER_ROW,
    STATUS_ROW,
    Span,
    hint_of,
    role_of,
    title_of,
)
from gpusheet.workbook.lookup_sheet import DATE_ROW, FLAGS, LookupLines
from gpusheet.workbook.style import Look, printing, protect, set_widths

TEXT, NUMBER = unit_of(Text), unit_of(Number)
COLUMN_WIDTH = 15
WORDS = {
    "en": {"number": "Workload no.", "name": "Workload", "status": "Status", "date": "Prices as of",
           "heads": ("Name", "Quantity", "Unit", "At most")},
    "zh": {"number": "业务序号", "name": "业务", "status": "状态", "date": "价格基准日",
           "heads": ("名称", "指标", "单位", "最大")},
}  # fmt: skip
# lines of the Budget sheet: what needs the month, and what is written out inside them
MONTHLY = {line.rule_name for line in LINES if line.name == line.rule_name} | {n for line in LINES for n in line.inline}


def put_lookup(book: Workbook, look: Look, cells: AssumptionCells, span: Span) -> LookupLines:
    sheet = book["Lookup"]
    lines = LookupLines(cells)
    end = _frame(sheet, look, "Lookup", span)
    as_of = cells.value("as_of")
    _label(sheet, look, DATE_ROW, "price_date", str(WORDS[look.lang]["date"]), unit_of(Date))
    date = f"=IF(COUNT({as_of})=1,{as_of},MAX(Prices[price_day]))"
    fill_right(sheet, look, DATE_ROW, FIRST_COLUMN, 1, date, unit_of(Date))
    name = f"INDEX(Workloads[{next(iter(Workload.model_fields))}],E${NUMBER_ROW})"
    there = f'=IF(E${NUMBER_ROW}>ROWS(Workloads[workload]),"",IF({name}="","",{name}))'
    fill_right(sheet, look, NAME_ROW, FIRST_COLUMN, span.count, there, TEXT)
    flags = [lines.at(flag) for flag in FLAGS]
    # a flag is "" where there is nothing to look up; SUM passes over it, and then the number is not reached
    status = f'=IF(E{NAME_ROW}="","",IF(SUM({",".join(flags)})+{ALL_VALID}={len(flags) + 1},"ok","incomplete"))'
    fill_right(sheet, look, STATUS_ROW, FIRST_COLUMN, span.count, status, TEXT)
    for group in lines.groups:
        first = lines.rows[group.lines[0].name]
        look.group(sheet, first - 1, group.zh if look.lang == "zh" else group.en, end)
        for line in group.lines:
            row = lines.rows[line.name]
            _label(sheet, look, row, line.name, line.label(look.lang), line.unit)
            if line.most:
                most: Any = sheet.cell(row, 4, f"={line.most}")
                look.formula(most, line.unit)
            fill_right(sheet, look, row, FIRST_COLUMN, span.count, line.formula, line.unit)
    _finish(sheet, look, span, max(lines.rows.values()))
    return lines


def put_sizing(book: Workbook, look: Look, cells: AssumptionCells, lookup: LookupLines, span: Span) -> dict[str, int]:
    """The Sizing sheet; gives the row of each rule."""
    sheet = book["Sizing"]
    end = _frame(sheet, look, "Sizing", span)
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
            formula = cell_formula(rule.expression, facts(), place, f'E${STATUS_ROW}="ok"', typed)
            _label(sheet, look, rows[name], name, rule.label(look.lang), rule.unit)
            fill_right(sheet, look, rows[name], FIRST_COLUMN, span.count, formula, rule.unit)
    _finish(sheet, look, span, line - 1)
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
        if name in TABLES or any(name == constant.name for constant in NAMED):
            return name
        raise KeyError(f"no cell holds {name}")


def _frame(sheet: Worksheet, look: Look, name: str, span: Span) -> int:
    """Title, heads and the workload numbers; gives the last column."""
    end = FIRST_COLUMN + span.count - 1
    words: Mapping[str, Any] = WORDS[look.lang]
    look.title(sheet, title_of(name, look.lang), hint_of(name, look.lang), role_of(name))
    look.band(sheet, role_of(name), end)
    for position, head in enumerate(words["heads"], 1):
        look.header(sheet.cell(FIRST_LINE - 1, position, head))
    for row, key in ((NUMBER_ROW, "number"), (NAME_ROW, "name"), (STATUS_ROW, "status")):
        _label(sheet, look, row, "", words[key], NUMBER if key == "number" else TEXT)
    numbers = f"=COLUMNS($E${NUMBER_ROW - 1}:E${NUMBER_ROW - 1})"
    fill_right(sheet, look, NUMBER_ROW, FIRST_COLUMN, span.count, numbers, NUMBER)
    return end


def _label(sheet: Worksheet, look: Look, row: int, name: str, label: str, unit: Unit) -> None:
    look.text(sheet.cell(row, 1, name or None), color="7F7F7F")
    look.text(sheet.cell(row, 2, label))
    look.text(sheet.cell(row, 3, unit.label(look.lang)), color="7F7F7F")


def _finish(sheet: Worksheet, look: Look, span: Span, last: int) -> None:
    set_widths(sheet, (31, 38, 18, 9))
    set_widths(sheet, [COLUMN_WIDTH] * span.count, FIRST_COLUMN)
    for row in (NUMBER_ROW, NAME_ROW, STATUS_ROW):
        for column in range(FIRST_COLUMN, FIRST_COLUMN + span.count):
            look.header(sheet.cell(row, column), wrap=row == NAME_ROW)
    sheet.row_dimensions[NAME_ROW].height = 30
    sheet.freeze_panes = f"{get_column_letter(FIRST_COLUMN)}{FIRST_LINE}"
    area = f"A1:{span.last}{last}"
    printing(sheet, look.lang, f"{NUMBER_ROW}:{STATUS_ROW}", area, "A:D")
    protect(sheet)
