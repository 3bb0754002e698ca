"""The sheets Drivers and Sensitivity: the run-rate month with one driver moved at a time, ranked; price against demand."""

from __future__ import annotations

from typing import Any

from openpyxl.chart import BarChart, Reference

from gpusheet.decisions.drivers import DRIVERS, Driver
from gpusheet.formula import Facts, cell_formula
from gpusheet.registry import find_rule
from gpusheet.units import MoneyPerMonth, MonthNumber, Number, Share, Text, unit_of
from gpusheet.workbook.grid import fill_block
from gpusheet.workbook.layout import TABLE_FIRST
from gpusheet.workbook.results.cases import Cases
from gpusheet.workbook.results.months import RUN_RATE
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.style import printing, protect, set_widths

CASES, NAME = "Drivers", "Sensitivity"
STEPS = (-2, -1, 0, 1, 2)  # of the grid, in shocks
GRID_CASES = {-2: "fewest", -1: "requests down", 0: "as planned", 1: "requests up", 2: "most"}
_SIGNED = "+0.0%;-0.0%;0.0%"
HEADS = {
    "en": ("Driver", "Moved down", "Moved up", "Effect down", "Effect up", "Swing", "Rank", "Name"),
    "zh": ("驱动因素", "下调后成本", "上调后成本", "下调影响", "上调影响", "影响幅度", "排名", "名称"),
}


def put_sensitivity(parts: Parts) -> None:
    if NAME not in parts.book.sheetnames:
        return
    cases = Cases(parts, CASES)
    shock, ready = parts.cells.value("shock"), f"{parts.cells.valid('shock')}=1"
    for driver in DRIVERS:
        for sign, en, zh in (("-", "down", "下调"), ("", "up", "上调")):
            title = f"{driver.label(parts.lang)}: {en}" if parts.lang == "en" else f"{driver.zh}：{zh}"
            cases.block(f"{driver.name} {en}", title, _moves(parts, driver), f"=IF({ready},{sign}{shock},0)")
    for step, title in (
        (-2, parts.say("Requests: twice the shock down", "请求量：下调两倍幅度")),
        (0, parts.say("As planned", "按计划")),
        (2, parts.say("Requests: twice the shock up", "请求量：上调两倍幅度")),
    ):
        moved = (_moves(parts, DRIVERS[0]), _steps(step, shock, ready, "0")) if step else ({}, None)
        cases.block(GRID_CASES[step], title, *moved)
    cases.finish()
    parts.rows["drivers"] = cases
    _sensitivity(parts, cases)


def _steps(count: int, shock: str, ready: str, otherwise: str = '""') -> str:
    """A number of shocks, up or down, without a typed factor; a case without one moves nothing, and Sensitivity shows none."""
    sum_ = "+".join([shock] * count) if count > 0 else "-" + "-".join([shock] * -count) if count else "0"
    return f"=IF({ready},{sum_},{otherwise})"


def _moves(parts: Parts, driver: Driver) -> dict[str, str]:
    """The changed inputs of a driver, as formulas for the first workload."""
    changes = {}
    for name, rule_name in driver.moves.items():
        rule = find_rule(rule_name)
        value, shock = (parameter.name for parameter in rule.parameters)
        looked_up = name in parts.lookup.rows
        at = {value: f"Lookup!{parts.lookup.at(name)}" if looked_up else parts.cells.value(name), shock: "{shock}"}
        known = {value: Facts(), shock: Facts()}
        changes[name] = cell_formula(rule.plain_expression, known, at.__getitem__).removeprefix("=")
    return changes


def _sensitivity(parts: Parts, cases: Cases) -> None:
    look, lang = parts.look, parts.lang
    sheet = parts.sheet(NAME, 8)
    money, number = unit_of(MoneyPerMonth), unit_of(Number)
    facts = (
        (3, parts.say("Run-rate month", "稳态月"), f"={RUN_RATE}", unit_of(MonthNumber)),
        (4, parts.say("Each driver is moved by", "每个因素的变动幅度"), parts.cells.valid_value("shock"), unit_of(Share)),
        (5, parts.say("Cost of cards in that month", "该月卡费"), f"={_base(parts)}", money),
    )
    for row, label, formula, unit in facts:
        look.text(sheet.cell(row, 1, label), bold=True)
        parts.put(sheet, row, 2, formula, unit)
        look.text(sheet.cell(row, 3, unit.label(lang)), color="7F7F7F")
    base, shock, first = "$B$5", "$B$4", TABLE_FIRST + 2
    last = first + len(DRIVERS) - 1
    look.group(sheet, first - 2, parts.say("One driver at a time", "逐个因素"), 8)
    for position, head in enumerate(HEADS[lang], 1):
        look.header(sheet.cell(first - 1, position, head))
    for row, driver in enumerate(DRIVERS, first):
        look.text(sheet.cell(row, 1, driver.label(lang)))
        look.text(sheet.cell(row, 8, driver.name), color="7F7F7F")
    for column, way in ((2, "down"), (3, "up")):
        total = cases.total("month_cost", f'$H{first}&" {way}"')
        fill_block(sheet, look, first, len(DRIVERS), column, 1, f'=IF(COUNT({shock})=1,{total},"")', money)
    fill_block(sheet, look, first, len(DRIVERS), 4, 1, f'=IF(COUNT({base},B{first})=2,B{first}-{base},"")', money)
    fill_block(sheet, look, first, len(DRIVERS), 5, 1, f'=IF(COUNT({base},C{first})=2,C{first}-{base},"")', money)
    swing = f'=IF(COUNT(D{first}:E{first})=2,MAX(D{first}:E{first},0)-MIN(D{first}:E{first},0),"")'
    fill_block(sheet, look, first, len(DRIVERS), 6, 1, swing, money)
    span = f"$F${first}:$F${last}"
    # compared as numbers: a condition made of text has 15 digits
    before = f"SUMPRODUCT(1*({span}<>\"\")*({span}>F{first}))+SUMPRODUCT(1*($F${first}:F{first}=F{first}))"
    rank = f'=IF(COUNT(F{first})=1,{before},"")'
    fill_block(sheet, look, first, len(DRIVERS), 7, 1, rank, number)
    at = {"first": first, "last": last}
    row = _ranked(parts, sheet, at, last + 3)
    row = _grid(parts, sheet, cases, row + 2)
    _chart(parts, sheet, at, row + 2)
    set_widths(sheet, (34, 18, 18, 16, 16, 16, 12, 12))
    sheet.freeze_panes = "B6"
    printing(sheet, lang, "1:5", f"A1:H{row + 22}", tall=1)
    protect(sheet)
    parts.rows[NAME] = at


def _base(parts: Parts) -> str:
    row = parts.budget.rows["month_cost"]
    return f"INDEX(Budget!${parts.budget.first}${row}:${parts.budget.last}${row},{RUN_RATE})"


def _ranked(parts: Parts, sheet: Any, at: dict[str, int], row: int) -> int:
    """The drivers again, the one that moves most first: what the chart draws."""
    look, count = parts.look, len(DRIVERS)
    look.group(sheet, row, parts.say("Ranked by swing", "按影响幅度排序"), 8)
    heads = (HEADS[parts.lang][0], HEADS[parts.lang][3], HEADS[parts.lang][4])
    for position, head in enumerate(heads, 1):
        look.header(sheet.cell(row + 1, position, head))
    top = row + 2
    at["ranked"] = top
    first, last = at["first"], at["last"]
    place = f"MATCH(ROW()-ROW($A${top - 1}),$G${first}:$G${last},0)"
    ready = f"COUNT($G${first}:$G${last})=ROWS($G${first}:$G${last})"
    for column, source, unit in ((1, "A", unit_of(Text)), (2, "D", unit_of(MoneyPerMonth)), (3, "E", unit_of(MoneyPerMonth))):
        formula = f'=IF({ready},INDEX(${source}${first}:${source}${last},{place}),"")'
        fill_block(sheet, look, top, count, column, 1, formula, unit)
    return top + count - 1


def _grid(parts: Parts, sheet: Any, cases: Cases, row: int) -> int:
    """Price down, requests across: the cost of cards of the run-rate month."""
    look, shock = parts.look, "$B$4"
    look.group(sheet, row, parts.say("Price of cards (down) against requests (across)", "卡价（纵向）与请求量（横向）"), 8)
    for offset, step in enumerate(STEPS):
        for at, column in ((row + 1, 2 + offset), (row + 3 + offset, 1)):
            head = sheet.cell(at, column, _steps(step, shock, f"COUNT({shock})=1"))
            look.header(head)
            head.number_format = _SIGNED
        cell = sheet.cell(row + 2, 2 + offset, GRID_CASES[step])
        look.text(cell, color="7F7F7F")
    look.text(sheet.cell(row + 2, 1, parts.say("Case in Drivers", "Drivers 中的情形")), color="7F7F7F")
    top = row + 3
    parts.rows["grid"] = top
    total = cases.total("month_cost", f"B${row + 2}")
    formula = f'=IF(COUNT({total},$A{top})=2,{total}*(1+$A{top}),"")'
    fill_block(sheet, look, top, len(STEPS), 2, len(STEPS), formula, unit_of(MoneyPerMonth))
    return row + 2 + len(STEPS)


def _chart(parts: Parts, sheet: Any, at: dict[str, int], row: int) -> None:
    """The tornado: effects down and up of each driver, the largest on top."""
    chart: Any = BarChart()
    chart.type, chart.grouping, chart.overlap = "bar", "clustered", 100
    chart.title = parts.say("Effect on the cost of the run-rate month", "对稳态月成本的影响")
    top, bottom = at["ranked"], at["ranked"] + len(DRIVERS) - 1
    chart.add_data(Reference(sheet, min_col=2, max_col=3, min_row=top - 1, max_row=bottom), titles_from_data=True)
    chart.set_categories(Reference(sheet, min_col=1, min_row=top, max_row=bottom))
    for series, color in zip(chart.series, ("A9D18E", "F4B183"), strict=True):
        series.graphicalProperties.solidFill = color
    chart.x_axis.scaling.orientation = "maxMin"
    chart.x_axis.delete = chart.y_axis.delete = False
    chart.x_axis.tickLblSkip = 1
    chart.x_axis.tickLblPos, chart.y_axis.number_format = "low", "#,##0"
    chart.gapWidth, chart.legend.position = 40, "b"
    chart.height, chart.width = 10, 22
    sheet.add_chart(chart, f"A{row}")
