"""The end of the sheet Commitments: who signed the budget off, and which values a person typed over rules, and why."""

from __future__ import annotations

from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Alignment, Border, Side

from gpusheet.catalog import OVERRIDES, Workload, columns
from gpusheet.catalog.planning import SignOff
from gpusheet.lookup import overrides_typed
from gpusheet.units import Number, Text, unit_of
from gpusheet.wiring import quantities
from gpusheet.workbook.lookup_lines import typed_name
from gpusheet.workbook.results.lists import put_head
from gpusheet.workbook.results.register import register
from gpusheet.workbook.results.timeline import Timeline
from gpusheet.workbook.style import fill

TEXT, NUMBER = unit_of(Text), unit_of(Number)
SPARE_OVERRIDES = 5
SIGNING_HEIGHT = 30  # of a line that may be signed on paper
BOX = Border(bottom=Side(style="thin", color="404040"))


def put_sign_off(time: Timeline) -> None:
    """A line for each step of SignOff, tall enough for a pen."""
    parts, sheet = time.parts, time.sheet
    placed = parts.placed["SignOff"]
    count = parts.count("sign_offs", placed.last - placed.first + 1)
    time.head(parts.say("Sign-off (typed on the sheet SignOff, or by hand on paper)", "签批（在“签批”表填写，或打印后手签）"), None)
    fields = columns(SignOff)
    for position, column in enumerate(fields, 2):
        parts.look.header(sheet.cell(time.line, position, column.label(parts.lang)))
    time.line += 1
    top = time.line
    time.numbers(count)
    for position, column in enumerate(fields, 2):
        cell = f"INDEX(SignOff[{column.name}],$A{top})"
        there = f'=IF($A{top}>ROWS(SignOff[step]),"",CHOOSE(1+({cell}=""),{cell},""))'
        time.fill(position, count, there, column.unit)
        for row in range(top, top + count):
            parts.look.formula(sheet.cell(row, position), column.unit)
            sheet.cell(row, position).border = BOX
    for row in range(top, top + count):
        sheet.row_dimensions[row].height = SIGNING_HEIGHT
    parts.rows[time.name]["sign_off"] = top
    time.line = top + count + 1


def put_overrides(time: Timeline) -> None:
    """A line for each workload with a typed value in place of a rule: which, how many, and the reason."""
    parts, sheet, of = time.parts, time.sheet, register(time.parts)
    typed = sum(_typed(one) for one in parts.inputs.workloads)
    count = parts.count("overrides", min(parts.span.count, typed + SPARE_OVERRIDES))
    missing = parts.say("reason missing", "未说明原因")
    time.head(parts.say("Typed values that replace rules, and their reasons", "人工覆盖的取值及原因"), None)
    heads = [
        (2, parts.say("Workload", "业务"), TEXT), (3, parts.say("Line of the workload", "业务行号"), NUMBER),
        (4, parts.say("How many", "覆盖数"), NUMBER), (5, parts.say("Reason", "原因"), TEXT),
    ]  # fmt: skip
    first = 9
    heads += [(first + offset, quantities()[name].label(parts.lang), quantities()[name].unit) for offset, name in enumerate(OVERRIDES)]
    for column, label, unit in heads:
        put_head(parts, sheet, time.line, column, label, unit)
    for column in range(6, first):  # a reason may be long
        parts.look.header(sheet.cell(time.line, column))
    sheet.row_dimensions[time.line].height = 30
    time.line += 2
    top = time.line
    time.numbers(count)
    number = of.column("override_number")
    reason = f"INDEX({_typed_row(time, 'override_reason')},$C{top})"
    time.fill(3, count, f'=IF($A{top}>MAX({number}),"",MATCH($A{top},{number},0))', NUMBER)
    for column, source in ((2, of.column("workload")), (4, of.column("overrides_typed"))):
        time.fill(column, count, f'=IF($C{top}="","",INDEX({source},$C{top}))', TEXT if column == 2 else NUMBER)
    time.fill(5, count, f'=IF($C{top}="","",CHOOSE(1+({reason}=""),{reason},"{missing}"))', TEXT)
    users = [f"INDEX({_typed_row(time, name)},$C{top})" for name in ("daily_active_users", "requests_per_user_per_day")]
    for offset, name in enumerate(OVERRIDES):
        cell = f"INDEX({_typed_row(time, name)},$C{top})"
        counts = f"*(COUNT({','.join(users)})=2)" if name == "requests_per_day" else ""  # else plain input
        formula = f'=IF($C{top}="","",CHOOSE(1+({cell}<>""){counts},"",{cell}))'
        time.fill(first + offset, count, formula, quantities()[name].unit)
    for row in range(top, top + count):
        parts.look.formula(sheet.cell(row, 5), TEXT)
        sheet.cell(row, 5).alignment = Alignment(vertical="center", horizontal="left", indent=1)
        parts.look.text(sheet.cell(row, 3), color="A6A6A6")
    red = CellIsRule(operator="equal", formula=[f'"{missing}"'], fill=fill("FFE699"))
    sheet.conditional_formatting.add(f"E{top}:E{top + count - 1}", red)
    parts.rows[time.name]["overrides"] = top
    time.line = top + count


def _typed_row(time: Timeline, name: str) -> str:
    return time.parts.span.row("Lookup", time.parts.lookup.rows[typed_name(name)])


def _typed(workload: Workload) -> bool:
    """Whether any of a workload's values replaces a rule."""
    given = {name for name in (*OVERRIDES, "daily_active_users", "requests_per_user_per_day") if getattr(workload, name) is not None}
    return bool(overrides_typed(given.__contains__))
