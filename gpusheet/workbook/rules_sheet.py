"""The Rules sheet: where every number comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.hyperlink import Hyperlink

from gpusheet.expr import render
from gpusheet.registry import all_rules
from gpusheet.rules import SUBJECTS
from gpusheet.workbook.layout import hint_of, role_of, title_of
from gpusheet.workbook.style import FORMULA, Look, printing, protect, set_widths


def put_rules(book: Workbook, look: Look, rows: Mapping[str, int]) -> None:
    sheet: Any = book["Rules"]
    look.title(sheet, title_of("Rules", look.lang), hint_of("Rules", look.lang), role_of("Rules"))
    heads = {
        "en": ("Name", "Quantity", "Unit", "Formula", "Source", "What it is"),
        "zh": ("名称", "指标", "单位", "公式", "来源", "说明(英文)"),
    }[look.lang]
    look.band(sheet, role_of("Rules"), len(heads))
    for position, head in enumerate(heads, 1):
        look.header(sheet.cell(4, position, head))
    line, subject = 5, ""
    for name, rule in all_rules().items():
        if rule.subject != subject:
            subject = rule.subject
            look.group(sheet, line, SUBJECTS[subject][look.lang == "zh"], len(heads))
            line += 1
        formula = render(rule.expression, str)
        values = (name, rule.label(look.lang), rule.unit.label(look.lang), formula, rule.source, rule.summary)
        for position, value in enumerate(values, 1):
            cell = sheet.cell(line, position)
            cell.value = value
            cell.data_type = "s"  # a formula is shown here, not computed
            look.text(cell, wrap=True, color="7F7F7F" if position in (1, 3) else FORMULA)
            if value[:1] in "=+-@":
                cell.quotePrefix = True
        if name in rows:
            cell = sheet.cell(line, 1)
            cell.hyperlink = Hyperlink(ref=cell.coordinate, location=f"'Sizing'!A{rows[name]}", display=name)
        widest = max(len(formula) / 58, len(rule.summary) / 58, len(rule.source) / 24, 1)
        sheet.row_dimensions[line].height = 14 * (int(widest) + (widest > int(widest)))
        line += 1
    set_widths(sheet, (31, 32, 18, 60, 26, 60))
    sheet.freeze_panes = "C5"
    printing(sheet, look.lang, "4:4", f"A1:F{line - 1}")
    protect(sheet)
