"""The Lookup sheet: each workload's facts, assumptions and prices, fetched once."""

from __future__ import annotations

from openpyxl.workbook.workbook import Workbook

from gpusheet.units import Date, unit_of
from gpusheet.workbook.assumptions_sheet import ALL_VALID, AssumptionCells
from gpusheet.workbook.grid import fill_right
from gpusheet.workbook.layout import DATE_ROW, FIRST_COLUMN, NAME_ROW, NUMBER_ROW, STATUS_ROW, Span
from gpusheet.workbook.lookup_lines import LookupLines
from gpusheet.workbook.style import Look
from gpusheet.workbook.workload_columns import TEXT, WORDS, finish, frame, label_line


def put_lookup(book: Workbook, look: Look, cells: AssumptionCells, span: Span) -> LookupLines:
    sheet = book["Lookup"]
    lines = LookupLines(cells)
    end = frame(sheet, look, "Lookup", span)
    as_of = cells.value("as_of")
    label_line(sheet, look, DATE_ROW, "price_date", str(WORDS[look.lang]["date"]), unit_of(Date))
    date = f"=IF(COUNT({as_of})=1,{as_of},MAX(Prices[snapshot_date]))"
    fill_right(sheet, look, DATE_ROW, FIRST_COLUMN, 1, date, unit_of(Date))
    name = f"INDEX(Workloads[workload],E${NUMBER_ROW})"
    there = f'=IF(E${NUMBER_ROW}>ROWS(Workloads[workload]),"",{name}&"")'
    fill_right(sheet, look, NAME_ROW, FIRST_COLUMN, span.count, there, TEXT)
    # a flag is "" where there is nothing to look up; SUM passes over it, and then the number is not reached
    status = f'=IF(E{NAME_ROW}="","",CHOOSE(1+({lines.all_hold})*{ALL_VALID},"incomplete","ok"))'
    fill_right(sheet, look, STATUS_ROW, FIRST_COLUMN, span.count, status, TEXT)
    for group in lines.groups:
        first = lines.rows[group.lines[0].name]
        look.group(sheet, first - 1, group.zh if look.lang == "zh" else group.en, end)
        for line in group.lines:
            row = lines.rows[line.name]
            label_line(sheet, look, row, line.name, line.label(look.lang), line.unit)
            look.text(sheet.cell(row, 4, line.source or None), color="7F7F7F")
            fill_right(sheet, look, row, FIRST_COLUMN, span.count, line.formula, line.unit)
    finish(sheet, look, span, max(lines.rows.values()))
    return lines
