"""The sheet Calendar: fiscal quarters of the months, what the tier wall costs in each, and the groups of workloads.

Its months stand in the columns that they have in Budget.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from openpyxl.utils import get_column_letter

from gpusheet.calendar import MONTH_INPUTS, Line
from gpusheet.catalog import Workload, columns
from gpusheet.constants import NAMES
from gpusheet.decisions.growth import WALL
from gpusheet.decisions.periods import GROUPS
from gpusheet.expr import Symbol
from gpusheet.formula import Facts, cell_formula
from gpusheet.registry import find_rule
from gpusheet.units import Date, Flag, MoneyPerMonth, MonthNumber, Number, Rate, Text, Unit, Year, unit_of
from gpusheet.wiring import facts, quantities
from gpusheet.workbook.budget_layout import DATE_ROW, DRIVER, FIRST, MONTH_ROW, MONTHS, TOTAL, WORDS, YEAR_ROW
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.grid import fill_block, fill_right
from gpusheet.workbook.layout import NAME_ROW, STATUS_ROW
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.style import printing, protect, set_widths

NAME = "Calendar"
FX_ROWS, CURRENCIES = 24, 8  # rates that are read, and of these those into the budget's currency
QUARTER_ROW, BUDGET_QUARTER_ROW, LEFT_ROW = 7, 8, 9
OFFSET = "$F$4"  # months of the first quarter that lie before the budget
RUN_RATE = f"{NAME}!$F${DATE_ROW}"  # the month in which scenarios, ways to pay and earlier budgets are compared
TEXT, NUMBER = unit_of(Text), unit_of(Number)


@dataclass
class CalendarCells:
    """Where the Calendar has its lines and blocks."""

    blocks: dict[str, int] = field(default_factory=dict)  # lines of the month, and groups: first row
    quarters: int = 0  # that there is room for


def put_months(parts: Parts) -> None:
    at = CalendarCells(quarters=1 + (parts.budget.months + 1) // 3)
    width = FIRST + parts.budget.months - 1
    sheet = parts.sheet(NAME, width)
    _timeline(parts, sheet)
    line = LEFT_ROW + 2
    known: dict[str, Facts] = dict(facts())
    for one in WALL:
        line = _block(parts, sheet, one, line, at, known)
    for name in GROUPS:
        line = _groups(parts, sheet, name, line, at)
    line = _currencies(parts, sheet, line, at)
    set_widths(sheet, (7, 26, 12, 17, 15, 12, 12, 16))
    set_widths(sheet, [14] * parts.budget.months, FIRST)
    sheet.freeze_panes = f"{parts.budget.first}{LEFT_ROW + 1}"
    printing(sheet, parts.lang, f"{MONTH_ROW}:{LEFT_ROW}", f"A1:{get_column_letter(width)}{line - 2}", "A:C")
    protect(sheet)
    parts.rows[NAME] = at


def _place(at: dict[str, str], name: str) -> str:
    """Where a quantity stands; a unit constant is named."""
    return at.get(name, name)


def _timeline(parts: Parts, sheet: Any) -> None:
    look, budget, words = parts.look, parts.budget, WORDS[parts.lang]
    first, fiscal = budget.first, parts.cells.value("fiscal_year_start")
    date, there = f"{first}${DATE_ROW}", f"COUNT({first}${DATE_ROW},{fiscal})=2"
    at = {"calendar_month": f"MONTH({date})", "fiscal_year_start": fiscal, "month": f"{first}${MONTH_ROW}", "quarter_offset": OFFSET}
    sure = dict.fromkeys(at, Facts("any", nullable=False))
    quarter, of_budget, offset = (find_rule(name) for name in ("fiscal_quarter", "budget_quarter", "quarter_offset"))
    lines = (
        (MONTH_ROW, words["month"], f"=Budget!{first}{MONTH_ROW}", NUMBER),
        (DATE_ROW, words["date"], f"=Budget!{first}{DATE_ROW}", unit_of(Date)),
        (YEAR_ROW, words["year"], f"=Budget!{first}{YEAR_ROW}", unit_of(Year)),
        (QUARTER_ROW, quarter.label(parts.lang), cell_formula(quarter.plain_expression, sure, partial(_place, at), there), NUMBER),
        (BUDGET_QUARTER_ROW, of_budget.label(parts.lang),
         cell_formula(of_budget.plain_expression, sure, partial(_place, at), there), NUMBER),
        (LEFT_ROW, parts.say("Months to the end", "至期末月数"), f"=Budget!{MONTHS}+1-{first}{MONTH_ROW}", NUMBER),
    )
    for row, label, formula, unit in lines:
        look.text(sheet.cell(row, 2, label), bold=True)
        fill_right(sheet, look, row, FIRST, budget.months, formula, unit)
    for column in range(FIRST, FIRST + budget.months):
        cell = sheet.cell(DATE_ROW, column)
        look.header(cell, wrap=False)
        cell.number_format = "yyyy-mm"
    look.text(sheet.cell(MONTH_ROW, DRIVER, offset.label(parts.lang)), color="7F7F7F")
    at["calendar_month"] = f"MONTH(${first}${DATE_ROW})"
    formula = cell_formula(offset.plain_expression, sure, partial(_place, at), f"COUNT(${first}${DATE_ROW},{fiscal})=2")
    parts.put(sheet, MONTH_ROW, 6, formula, NUMBER)
    look.text(sheet.cell(DATE_ROW, DRIVER, parts.say("Run-rate month", "稳态月")), color="7F7F7F")
    parts.put(sheet, DATE_ROW, 6, run_rate_month(parts), unit_of(MonthNumber))


def run_rate_month(parts: Parts) -> str:
    """The run-rate month: the setting, at most the last month of the budget; blank, or none that is valid, is the last."""
    chosen, valid = parts.cells.value("run_rate_month"), parts.cells.valid("run_rate_month")
    past = f"{valid}*(N({chosen})>Budget!{MONTHS})"
    parts.alerts.append(Check(
        "Run-rate month after the last month", "稳态月晚于预算末月", "Assumptions", f"=1*{past}",
        "The last month is taken instead: type a month of the budget, or leave run_rate_month blank.",
        "已改取末月：请填写预算期内的月份，或将 run_rate_month 留空。"))  # fmt: skip
    return f"=CHOOSE(1+(N({chosen})>0)*{valid},Budget!{MONTHS},MIN(Budget!{MONTHS},N({chosen})))"


def _heads(parts: Parts, sheet: Any, line: int, title: str, labels: list[str], width: int) -> None:
    parts.look.group(sheet, line, title, width)
    for offset, label in enumerate(labels):
        parts.look.text(sheet.cell(line, DRIVER + offset, label), italic=True, wrap=True)
    if any(len(label) > 12 for label in labels):
        sheet.row_dimensions[line].height = 40


def _rows(parts: Parts, sheet: Any, top: int) -> None:
    """Number, name and status of the workloads of a block."""
    look, count, span = parts.look, parts.span.count, parts.span
    for column, source in ((2, NAME_ROW), (3, STATUS_ROW)):
        fill_block(sheet, look, top, count, column, 1, f"=INDEX({span.row('Lookup', source)},$A{top})", TEXT)
    fill_block(sheet, look, top, count, 1, 1, f"=ROW()-ROW(A${top - 1})", NUMBER)
    for row in range(top, top + count):
        look.text(sheet.cell(row, 1), color="A6A6A6")


def _block(parts: Parts, sheet: Any, one: Line, line: int, at: CalendarCells, known: dict[str, Facts]) -> int:
    """A line of the month for every workload: drivers at the left, lines of Budget by their own cells."""
    look, budget, count, top = parts.look, parts.budget, parts.span.count, line + 1
    needed = dict.fromkeys(node.name for node in one.expression.walk() if isinstance(node, Symbol))
    there = {*budget.beside, "outside_contract"}  # more than there is room for: they are read where Budget has them
    drivers = [name for name in needed if name not in {*MONTH_INPUTS, *budget.blocks, *at.blocks, *NAMES, *there}]
    unit = one.rule.unit
    _heads(parts, sheet, line, f"{one.label(parts.lang)}  [{unit.label(parts.lang)}]",
           [quantities()[name].label(parts.lang) for name in drivers], FIRST + budget.months - 1)  # fmt: skip
    _rows(parts, sheet, top)
    for offset, name in enumerate(drivers):
        rows, of = (parts.sizing, "Sizing") if name in parts.sizing else (parts.lookup.rows, "Lookup")
        source = f"=INDEX({parts.span.row(of, rows[name])},$A{top})"
        fill_block(sheet, look, top, count, DRIVER + offset, 1, source, quantities()[name].unit)
    for name in needed:
        if name in budget.blocks:
            known[name] = Facts("nonnegative")
    months, computed = f"{budget.first}{top}:{budget.last}{top}", {*budget.blocks, *at.blocks}
    for offset in range(count):
        def place(name: str, row: int = top + offset) -> str:
            if name in drivers:
                return f"${get_column_letter(DRIVER + drivers.index(name))}{row}"
            if name in there:
                letter, first = budget.drivers[name]
                return f"Budget!${letter}{first + row - top}"
            if name in at.blocks:
                return f"{budget.first}{at.blocks[name] + row - top}"
            if name in budget.blocks:
                return f"Budget!{budget.first}{budget.blocks[name] + row - top}"
            return f"{budget.first}${MONTH_ROW}" if name == "month" else name

        formula = cell_formula(one.expression, known, place, f'$C{top + offset}="ok"', computed=computed)
        fill_right(sheet, look, top + offset, FIRST, budget.months, formula, unit)
    if unit == unit_of(MoneyPerMonth):
        look.text(sheet.cell(line, TOTAL, WORDS[parts.lang]["total"]), bold=True)
        total = f'=IF(COUNT({months})=Budget!{MONTHS},SUM({months}),"")'
        fill_block(sheet, look, top, count, TOTAL, 1, total, unit)
    at.blocks[one.name] = top
    known[one.name] = Facts("nonnegative")
    return top + count + 1


def _groups(parts: Parts, sheet: Any, name: str, line: int, at: CalendarCells) -> int:
    """The group of every workload by a column of Workloads: its name, the first row of that name, its number.

    Not MATCH: it would read * and ? in a name as wildcards.
    """
    look, count, top = parts.look, parts.span.count, line + 1
    column = next(one for one in columns(Workload) if one.name == name)
    bottom = top + count - 1
    labels = [column.label(parts.lang), *parts.say("First row|First (1/0)|Group no.", "首现行|首现(1/0)|组号").split("|")]
    _heads(parts, sheet, line, parts.say(f"Groups by {column.en.lower()}", f"按{column.zh}分组"), labels,
           FIRST + parts.budget.months - 1)  # fmt: skip
    _rows(parts, sheet, top)
    typed, blank = f"INDEX(Workloads[{name}],$A{top})", column.default or parts.say("(none)", "（未填）")
    fill_block(sheet, look, top, count, 4, 1, f'=IF($B{top}="","",CHOOSE(1+({typed}=""),{typed},"{blank}"))', TEXT)
    names, numbers = f"$D${top}:$D${bottom}", f"$A${top}:$A${bottom}"
    size = f"ROWS({numbers})+1"
    first = f'=IF($B{top}="","",{size}-SUMPRODUCT(MAX(({names}=$D{top})*({size}-{numbers}))))'
    fill_block(sheet, look, top, count, 5, 1, first, NUMBER)
    fill_block(sheet, look, top, count, 6, 1, f'=IF($B{top}="","",1*(E{top}=A{top}))', unit_of(Flag))
    number = f'=IF(COUNT(E{top})=1,SUMIFS($F${top}:$F${bottom},{numbers},"<="&E{top}),"")'
    fill_block(sheet, look, top, count, 7, 1, number, NUMBER)
    at.blocks[name] = top
    return top + count + 1


def _currencies(parts: Parts, sheet: Any, line: int, at: CalendarCells) -> int:
    """The rows of FX that lead to the budget's currency, numbered, each with its rate where that is the only one."""
    look, top, own = parts.look, line + 1, parts.cells.value("currency")
    labels = parts.say("Budget currency (1/0)|No.|Rate", "折算为预算币种(1/0)|序号|汇率").split("|")
    _heads(parts, sheet, line, parts.say("Rows of FX", "FX 各行"), labels, FIRST + parts.budget.months - 1)
    place, pair = f"MIN($A{top},ROWS(FX[rate]))", f"FX[currency],$B{top},FX[budget_currency],{own}"
    only = f'(COUNTIFS({pair})=1)*(COUNTIFS({pair},FX[rate],">0")=1)'
    lines: tuple[tuple[int, str, Unit], ...] = (
        (1, f"=ROW()-ROW(A${top - 1})", NUMBER),
        (2, f'=IF($D{top}=1,INDEX(FX[currency],{place}),"")', TEXT),
        (4, f'=($A{top}<=ROWS(FX[rate]))*(INDEX(FX[currency],{place})<>"")*(INDEX(FX[budget_currency],{place})={own})',
         unit_of(Flag)),
        (5, f'=IF($D{top}=1,SUM($D${top}:$D{top}),"")', NUMBER),
        (6, f'=IF(($D{top}=1)*{only},INDEX(FX[rate],{place}),"")', unit_of(Rate)),
    )
    for column, formula, unit in lines:
        fill_block(sheet, look, top, FX_ROWS, column, 1, formula, unit)
    for row in range(top, top + FX_ROWS):
        look.text(sheet.cell(row, 1), color="A6A6A6")
    at.blocks["currencies"] = top
    return top + FX_ROWS + 1
