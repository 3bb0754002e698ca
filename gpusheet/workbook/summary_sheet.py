"""The Summary sheet: about two dozen outcomes per workload in rows, for filtering, printing and pandas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from openpyxl.utils import get_column_letter
from openpyxl.workbook.workbook import Workbook

from gpusheet.catalog import Workload, columns
from gpusheet.units import Number, Text, Unit, unit_of
from gpusheet.wiring import OUTCOMES, quantities
from gpusheet.workbook.budget_layout import BLOCKED, COUNTED, TAX
from gpusheet.workbook.grid import fill_block
from gpusheet.workbook.layout import NAME_ROW, STATUS_ROW, TABLE_FIRST, TABLE_HEADER, Span, hint_of, role_of, title_of
from gpusheet.workbook.lookup_lines import LookupLines
from gpusheet.workbook.style import Look, printing, protect, set_widths, width_of

NAME = "Summary"
TYPED = ("project", "cost_centre", "environment")  # straight from Workloads
FETCHED = ("gpu", "model", "weight_precision", "cards", "sizing_method", "pricing_model")
WIDTHS = {"number": 6, "workload": 24, "model": 20, "gpu": 17}
ADDED = ("card_tier", "net_cards", "monthly_cost")  # columns with a total
WORDS = {
    "en": {"no": "No.", "status": "Status", "alerts": "Alerts", "total": "Total",
           "name": "Workload"},
    "zh": {"no": "序号", "status": "状态", "alerts": "提醒", "total": "合计", "name": "业务"},
}  # fmt: skip


@dataclass(frozen=True)
class SummaryCells:
    """Where the Summary has its columns, its rows and its total."""

    letters: Mapping[str, str]
    first: int
    last: int
    total: int


def put_summary(
    book: Workbook, look: Look, lookup: LookupLines, rows: Mapping[str, int], span: Span
) -> SummaryCells:
    sheet = book[NAME]
    words = WORDS[look.lang]
    text, number = unit_of(Text), unit_of(Number)
    first, last = TABLE_FIRST, TABLE_FIRST + span.count - 1
    known = quantities()
    typed = {c.name: c for c in columns(Workload)}
    shown: list[tuple[str, str, Unit, str]] = [
        ("number", words["no"], number, f"=ROW()-ROW(A${TABLE_HEADER})"),
        ("workload", words["name"], text, f"=INDEX({span.row('Lookup', NAME_ROW)},$A{first})"),
        ("status", words["status"], text, f"=INDEX({span.row('Lookup', STATUS_ROW)},$A{first})"),
    ]
    for name in TYPED:
        column = typed[name]
        typed_in = f"INDEX(Workloads[{name}],$A{first})"
        shown.append((name, column.label(look.lang), column.unit, f'=IF($B{first}="","",CHOOSE(1+({typed_in}=""),{typed_in},""))'))
    for name in FETCHED:
        column = typed[name]
        shown.append((name, column.label(look.lang), column.unit,
                      f"=INDEX({span.row('Lookup', lookup.rows[name])},$A{first})"))
    for name in OUTCOMES:
        shown.append((name, known[name].label(look.lang), known[name].unit,
                      f"=INDEX({span.row('Sizing', rows[name])},$A{first})"))
    alerts = [rows[name] for name in rows if name.endswith("_alert")]
    block = f"Sizing!${span.first}${min(alerts)}:${span.last}${max(alerts)}"
    shown.append(("alerts", words["alerts"], number, f'=IF($B{first}="","",SUM(INDEX({block},0,$A{first})))'))

    look.title(sheet, title_of(NAME, look.lang), hint_of(NAME, look.lang), role_of(NAME))
    look.band(sheet, role_of(NAME), len(shown))
    letters: dict[str, str] = {}
    widths = []
    for position, (name, label, unit, formula) in enumerate(shown, 1):
        letters[name] = get_column_letter(position)
        look.header(sheet.cell(TABLE_HEADER - 2, position, label))
        under: Any = sheet.cell(TABLE_HEADER - 1, position, unit.label(look.lang))
        look.text(under, color="7F7F7F", italic=True, wrap=True)
        look.header(sheet.cell(TABLE_HEADER, position, name), wrap=False, shrink=True)
        fill_block(sheet, look, first, span.count, position, 1, formula, unit)
        widths.append(WIDTHS.get(name, max(12, min(width_of(label), 15))))
    total = last + 1
    look.text(sheet.cell(total, 2, words["total"]), bold=True)
    counted = f"Budget!{COUNTED}"
    for name in ADDED:
        letter = letters[name]
        cells = f"{letter}{first}:{letter}{last}"
        cell: Any = sheet[f"{letter}{total}"]
        tax = f"*Budget!{TAX}" if name == "monthly_cost" else ""
        cell.value = f'=IF((COUNT({cells})={counted}){tax},SUM({cells}),Budget!{BLOCKED})'
        look.total(cell, known[name].unit)
    set_widths(sheet, widths)
    sheet.row_dimensions[TABLE_HEADER - 2].height = 58
    sheet.row_dimensions[TABLE_HEADER - 1].height = 28
    sheet.freeze_panes = f"C{first}"
    end = get_column_letter(len(shown))
    sheet.auto_filter.ref = f"A{TABLE_HEADER}:{end}{last}"
    printing(sheet, look.lang, f"{TABLE_HEADER - 2}:{TABLE_HEADER}", f"A1:{end}{total}", "A:B")
    protect(sheet)
    return SummaryCells(letters, first, last, total)
