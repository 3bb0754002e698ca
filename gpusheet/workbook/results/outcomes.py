"""The sheets Cases and Outcomes: the run-rate month of the first five scenarios, side by side and live."""

from __future__ import annotations

from typing import Any

from openpyxl.chart import BarChart, Reference

from gpusheet.calendar import LINES
from gpusheet.catalog import columns
from gpusheet.catalog.planning import Scenario
from gpusheet.scenario import METHOD, VARIED
from gpusheet.units import Flag, MonthNumber, Number, Share, Text, unit_of
from gpusheet.workbook.budget_layout import MONTHS
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.grid import fill_right
from gpusheet.workbook.layout import NAME_ROW, SCENARIO
from gpusheet.workbook.results.cases import MONTH_CELL, TOTALS, Cases
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.style import printing, protect, set_widths

SLOTS = 5
CASES, NAME = "Cases", "Outcomes"
CHANGES = tuple(c for c in columns(Scenario) if c.name not in ("scenario", "notes"))
FIRST = 6  # row of the names of the scenarios


def put_outcomes(parts: Parts) -> None:
    cases = Cases(parts, CASES)
    for slot in range(1, SLOTS + 1):
        def change(name: str, slot: int = slot) -> str:
            return f"INDEX(Scenarios[{name}],{slot})"

        changes = {name: parts.lookup.varied(name, change, "Lookup!") for name in (*VARIED, METHOD)}
        changes["price_drift"] = f'IF(E${NAME_ROW}="","",{change("price_drift")})'
        cases.block(str(slot), f"{slot}", changes)
        title = cases.sheet.cell(cases.blocks[str(slot)].lookup["daily_active_users"] - 1, 1)
        title.value = f'={slot}&". "&{change("scenario")}'
    cases.finish()
    parts.rows["cases"] = cases
    _outcomes(parts, cases)


def _outcomes(parts: Parts, cases: Cases) -> None:
    """The side-by-side: a column for each scenario."""
    look, lang = parts.look, parts.lang
    sheet = parts.sheet(NAME, 2 + SLOTS)
    slot_columns = range(3, 3 + SLOTS)
    text, number = unit_of(Text), unit_of(Number)
    look.text(sheet.cell(3, 1, parts.say("Run-rate month", "稳态月")), bold=True)
    parts.put(sheet, 3, 3, f"={CASES}!{MONTH_CELL}", unit_of(MonthNumber))
    look.text(sheet.cell(4, 1, parts.say("Scenario of the book", "当前情景")), bold=True)
    parts.put(sheet, 4, 3, f"=Lookup!{parts.lookup.at('scenario')}", text)
    look.header(sheet.cell(FIRST, 1, parts.say("Scenario", "情景")))
    look.header(sheet.cell(FIRST, 2, parts.say("Unit", "单位")))
    row = FIRST
    fill_right(sheet, look, FIRST - 1, 3, SLOTS, f"=COLUMNS($C{FIRST - 2}:C{FIRST - 2})", number)
    fill_right(sheet, look, FIRST, 3, SLOTS, f"=INDEX(Scenarios[scenario],C${FIRST - 1})", text)
    for column in slot_columns:
        look.header(sheet.cell(row, column))
    row += 1
    look.group(sheet, row, parts.say("What it changes", "改变项"), 2 + SLOTS)
    for change in CHANGES:
        row += 1
        _label(parts, sheet, row, change.label(lang), change.unit.label(lang))
        source = f"INDEX(Scenarios[{change.name}],C${FIRST - 1})"
        optional = not change.required and change.default is None
        formula = f'=CHOOSE(1+({source}=""),{source},"")' if optional else f"={source}"
        fill_right(sheet, look, row, 3, SLOTS, formula, change.unit)
    row += 1
    look.group(sheet, row, parts.say("The run-rate month", "稳态月结果"), 2 + SLOTS)
    lines = {line.name: line for line in LINES}
    at: dict[str, int] = {}
    for name in TOTALS:
        row += 1
        at[name] = row
        _label(parts, sheet, row, lines[name].label(lang), lines[name].rule.unit.label(lang))
        for slot, column in enumerate(slot_columns, 1):
            parts.put(sheet, row, column, f"={cases.total(str(slot), name)}", lines[name].rule.unit, total=name == "month_cost")
    cost = at["month_cost"]
    more = (
        ("change", "Against the first", "与第一个情景之差", lines["month_cost"].rule.unit, '=IF(COUNT($C{r},{c}{r})=2,{c}{r}-$C{r},"")'),
        ("share", "The same in percent", "差异百分比", unit_of(Share), '=IF(COUNT($C{r},{c}{r})=2,IF($C{r}=0,0,{c}{r}/$C{r}-1),"")'),
    )
    for key, en, zh, unit, formula in more:
        row += 1
        at[key] = row
        _label(parts, sheet, row, parts.say(en, zh), unit.label(lang))
        for column in slot_columns:
            letter = sheet.cell(row, column).column_letter
            wanted = formula if key != "share" else '=IF((COUNT($C{r},{c}{r})=2)*(N($C{r})<>0),{c}{r}/$C{r}-1,"")'
            parts.put(sheet, row, column, wanted.format(r=cost, c=letter), unit)
    row += 1
    at["chosen"] = row
    _label(parts, sheet, row, parts.say("Drives the book", "驱动全表"), unit_of(Flag).label(lang))
    for column in slot_columns:
        letter = sheet.cell(row, column).column_letter
        parts.put(sheet, row, column, f"=1*({letter}${FIRST}=$C$4)", unit_of(Flag))
    row += 1
    look.group(sheet, row, parts.say("The year of the scenario that drives the book", "当前情景的年度结果"), 2 + SLOTS)
    year = sheet.cell(1, parts.budget.first_year).column_letter
    for en, zh, cell in (
        ("Budget total, all months", "预算合计（全部月份）", f"Budget!$H${parts.budget.rows['grand']}"),
        ("First fiscal year", "首个财年", f"Budget!${year}${parts.budget.rows['grand']}"),
    ):
        row += 1
        _label(parts, sheet, row, parts.say(en, zh), lines["month_cost"].rule.unit.label(lang).split("/")[0])
        parts.put(sheet, row, 3, f"={cell}", lines["month_cost"].rule.unit)
    _chart(parts, sheet, cost, row + 2)
    set_widths(sheet, (34, 18, *[18] * SLOTS))
    sheet.freeze_panes = f"C{FIRST + 1}"
    printing(sheet, lang, f"{FIRST}:{FIRST}", f"A1:{sheet.cell(1, 2 + SLOTS).column_letter}{row + 20}")
    protect(sheet)
    parts.rows[NAME] = at
    month = f"INDEX(Budget!${parts.budget.first}${{}}:${parts.budget.last}${{}},{CASES}!{MONTH_CELL})"
    for name in ("month_cards", "month_cost"):
        budget = month.format(parts.budget.rows[name], parts.budget.rows[name])
        shown = f"INDEX({NAME}!$C${at[name]}:$G${at[name]},MATCH(1,{NAME}!$C${at['chosen']}:$G${at['chosen']},0))"
        chosen = f"SUM({NAME}!$C${at['chosen']}:$G${at['chosen']})=1"
        label = lines[name]
        parts.checks.append(Check(
            f"Outcomes against Budget: {label.label('en').lower()}", f"情景对比与预算一致：{label.label('zh')}", NAME,
            f"=IF(({chosen})*(COUNT({budget})=1),{shown}-{budget},0)",
            "The scenario that drives the book has another result in Cases than in Budget: a formula was changed.",
            "当前情景在 Cases 与预算中的结果不一致：公式被改动。", tolerance="0.01"))  # fmt: skip


def _label(parts: Parts, sheet: Any, row: int, label: str, unit: str) -> None:
    parts.look.text(sheet.cell(row, 1, label))
    parts.look.text(sheet.cell(row, 2, unit), color="7F7F7F")


def _chart(parts: Parts, sheet: Any, cost: int, at: int) -> None:
    chart: Any = BarChart()
    chart.type, chart.legend = "col", None
    chart.title = parts.say("Cost of the run-rate month by scenario", "各情景稳态月成本")
    chart.add_data(Reference(sheet, min_col=3, max_col=2 + SLOTS, min_row=cost), from_rows=True, titles_from_data=False)
    chart.set_categories(Reference(sheet, min_col=3, max_col=2 + SLOTS, min_row=FIRST))
    chart.series[0].graphicalProperties.solidFill = "2F5597"
    chart.x_axis.delete = chart.y_axis.delete = False
    chart.y_axis.number_format, chart.gapWidth = "#,##0", 80
    chart.height, chart.width = 8, 20
    sheet.add_chart(chart, f"A{at}")
