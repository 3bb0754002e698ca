"""What Lookup and Sizing have in common: a column per workload, a row per line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from gpusheet.units import Number, Text, Unit, unit_of
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
from gpusheet.workbook.style import Look, printing, protect, set_widths

TEXT, NUMBER = unit_of(Text), unit_of(Number)
COLUMN_WIDTH = 15
WORDS = {
    "en": {"number": "Workload no.", "name": "Workload", "status": "Status", "date": "Prices as of",
           "heads": ("Name", "Quantity", "Unit", "From")},
    "zh": {"number": "业务序号", "name": "业务", "status": "状态", "date": "价格基准日",
           "heads": ("名称", "指标", "单位", "来源")},
}  # fmt: skip


def frame(sheet: Worksheet, look: Look, name: str, span: Span) -> int:
    """Title, heads and the workload numbers; gives the last column."""
    end = FIRST_COLUMN + span.count - 1
    words: Mapping[str, Any] = WORDS[look.lang]
    look.title(sheet, title_of(name, look.lang), hint_of(name, look.lang), role_of(name))
    look.band(sheet, role_of(name), end)
    for position, head in enumerate(words["heads"], 1):
        look.header(sheet.cell(FIRST_LINE - 1, position, head))
    for row, key in ((NUMBER_ROW, "number"), (NAME_ROW, "name"), (STATUS_ROW, "status")):
        label_line(sheet, look, row, "", words[key], NUMBER if key == "number" else TEXT)
    numbers = f"=COLUMNS($E${NUMBER_ROW - 1}:E${NUMBER_ROW - 1})"
    fill_right(sheet, look, NUMBER_ROW, FIRST_COLUMN, span.count, numbers, NUMBER)
    return end


def label_line(sheet: Worksheet, look: Look, row: int, name: str, label: str, unit: Unit) -> None:
    look.text(sheet.cell(row, 1, name or None), color="7F7F7F")
    look.text(sheet.cell(row, 2, label))
    look.text(sheet.cell(row, 3, unit.label(look.lang)), color="7F7F7F")


def finish(sheet: Worksheet, look: Look, span: Span, last: int) -> None:
    set_widths(sheet, (31, 38, 18, 12))
    set_widths(sheet, [COLUMN_WIDTH] * span.count, FIRST_COLUMN)
    for row in (NUMBER_ROW, NAME_ROW, STATUS_ROW):
        for column in range(FIRST_COLUMN, FIRST_COLUMN + span.count):
            look.header(sheet.cell(row, column), wrap=row == NAME_ROW)
    sheet.row_dimensions[NAME_ROW].height = 30
    sheet.freeze_panes = f"{get_column_letter(FIRST_COLUMN)}{FIRST_LINE}"
    area = f"A1:{span.last}{last}"
    printing(sheet, look.lang, f"{NUMBER_ROW}:{STATUS_ROW}", area, "A:D")
    protect(sheet)
