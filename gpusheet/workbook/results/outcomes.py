"""The sheets Cases and Outcomes: the run-rate month of the first five scenarios, side by side and live."""

from __future__ import annotations

from typing import Any

from openpyxl.chart import BarChart, Reference
from openpyxl.utils import get_column_letter

from gpusheet.calendar import LINES
from gpusheet.catalog import Column, columns
from gpusheet.catalog.planning import Scenario
from gpusheet.scenario import METHOD, VARIED
from gpusheet.units import Flag, Money, MonthNumber, Number, Share, Text, Unit, unit_of
from gpusheet.workbook.assumptions_sheet import match_choice
from gpusheet.workbook.budget_layout import BLOCKED
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.grid import fill_right
from gpusheet.workbook.layout import NAME_ROW
from gpusheet.workbook.results.cases import TOTALS, Cases
from gpusheet.workbook.results.months import RUN_RATE
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.style import printing, protect, set_widths

SLOTS = 5
WIDTH = 2 + SLOTS
CASES, NAME = "Cases", "Outcomes"
CHANGES = {c.name: c for c in columns(Scenario) if c.name not in ("scenario", "notes")}
FIRST = 6  # row of the names of the scenarios
UNUSABLE = FIRST + 2 + len(CHANGES)  # row that counts the values of a scenario that are none: it then has no result


def put_outcomes(parts: Parts) -> None:
    if NAME not in parts.book.sheetnames:
        return
    cases = Cases(parts, CASES)
    for slot in range(1, SLOTS + 1):
        def change(name: str, slot: int = slot) -> str:
            neutral = CHANGES[name].default
            typed, unusable = f"INDEX(Scenarios[{name}],{slot})", f"{NAME}!${get_column_letter(2 + slot)}${UNUSABLE}"
            if neutral is None:  # a text, or none
                return f'=CHOOSE(1+({unusable}>0),{typed}&"","")'
            return f"=CHOOSE(1+({unusable}>0),{typed},{neutral:g})"

        own = {name: change(one.change) for name, one in VARIED.items()} | {METHOD: change("scenario_method")}
        own["price_drift"] = change("price_drift")
        changes = {name: parts.lookup.varied(name, lambda _: "{own}", "Lookup!") for name in (*VARIED, METHOD)}
        changes["price_drift"] = f'IF(E${NAME_ROW}="","",{{own}})'
        cases.block(str(slot), f"=INDEX(Scenarios[scenario],{slot})", changes, own=own)
    cases.finish()
    parts.rows["cases"] = cases
    writer = _Writer(parts, cases)
    writer.put()
    writer.checks()


class _Writer:
    """The side-by-side: a column for each scenario, a row for each figure."""

    def __init__(self, parts: Parts, cases: Cases) -> None:
        self.parts, self.cases, self.look, self.lang = parts, cases, parts.look, parts.lang
        self.sheet: Any = parts.sheet(NAME, WIDTH)
        self.at: dict[str, int] = {}
        self.row = FIRST

    def put(self) -> None:
        self._heads()
        self._changes()
        self._month()
        self._year()
        _chart(self.parts, self.sheet, self.at["month_cost"], self.row + 2)
        set_widths(self.sheet, (34, 18, *[18] * SLOTS))
        self.sheet.freeze_panes = f"C{FIRST + 1}"
        printing(self.sheet, self.lang, f"{FIRST}:{FIRST}", f"A1:{get_column_letter(WIDTH)}{self.row + 20}")
        protect(self.sheet)
        self.parts.rows[NAME] = self.at

    def _heads(self) -> None:
        parts, sheet, look = self.parts, self.sheet, self.look
        for row, en, zh, formula, unit in (
            (3, "Run-rate month", "稳态月", f"={RUN_RATE}", unit_of(MonthNumber)),
            (4, "Scenario of the book", "当前情景", f"=Lookup!{parts.lookup.at('scenario')}", unit_of(Text)),
        ):
            look.text(sheet.cell(row, 1, parts.say(en, zh)), bold=True)
            parts.put(sheet, row, 3, formula, unit)
        look.header(sheet.cell(FIRST, 1, parts.say("Scenario", "情景")))
        look.header(sheet.cell(FIRST, 2, parts.say("Unit", "单位")))
        fill_right(sheet, look, FIRST - 1, 3, SLOTS, f"=COLUMNS($C{FIRST - 2}:C{FIRST - 2})", unit_of(Number))
        fill_right(sheet, look, FIRST, 3, SLOTS, f"=INDEX(Scenarios[scenario],C${FIRST - 1})", unit_of(Text))
        for column in range(3, 3 + SLOTS):
            look.header(sheet.cell(FIRST, column))

    def _group(self, en: str, zh: str) -> None:
        self.row += 1
        self.look.group(self.sheet, self.row, self.parts.say(en, zh), WIDTH)

    def _line(self, label: str, unit: Unit, formula: str) -> int:
        """A row with one formula, written for the first scenario."""
        self.row += 1
        self.look.text(self.sheet.cell(self.row, 1, label))
        self.look.text(self.sheet.cell(self.row, 2, unit.label(self.lang)), color="7F7F7F")
        fill_right(self.sheet, self.look, self.row, 3, SLOTS, formula, unit)
        return self.row

    def _changes(self) -> None:
        self._group("What it changes", "改变项")
        unusable = []
        for change in CHANGES.values():
            source = f"INDEX(Scenarios[{change.name}],C${FIRST - 1})"
            optional = not change.required and change.default is None
            formula = f'=CHOOSE(1+({source}=""),{source},"")' if optional else f"={source}"
            row = self._line(change.label(self.lang), change.unit, formula)
            unusable.append(_out_of_bounds(change, f"C{row}"))
        formula = f'=IF(C${FIRST}="",0,{"+".join(unusable)})'
        at = self.at["unusable"] = self._line(self.parts.say("Values that cannot be used", "无法使用的取值"), unit_of(Number), formula)
        assert at == UNUSABLE

    def _month(self) -> None:
        self._group("The run-rate month", "稳态月结果")
        say = self.parts.say
        lines = {line.name: line for line in LINES}
        for name in TOTALS:
            total = f"=IF(C${self.at['unusable']}=0,{self.cases.total(name, f'C${FIRST - 1}')},Budget!{BLOCKED})"
            self.at[name] = self._line(lines[name].label(self.lang), lines[name].rule.unit, total)
        cost = self.at["month_cost"]
        both = f"(COUNT($C{cost},C{cost})=2)"
        self._line(say("Against the first", "与第一个情景之差"), lines["month_cost"].rule.unit, f'=IF({both},C{cost}-$C{cost},"")')
        self._line(say("The same in percent", "差异百分比"), unit_of(Share), f'=IF({both}*(N($C{cost})<>0),C{cost}/$C{cost}-1,"")')
        self.at["chosen"] = self._line(say("Drives the book", "驱动全表"), unit_of(Flag), f"=1*(C${FIRST}=$C$4)")

    def _year(self) -> None:
        self._group("The year of the scenario that drives the book", "当前情景的年度结果")
        budget, money = self.parts.budget, unit_of(Money)
        year = get_column_letter(budget.first_year)
        for en, zh, cell in (
            ("Budget total, all months", "预算合计（全部月份）", f"Budget!$H${budget.rows['grand']}"),
            ("First fiscal year", "首个财年", f"Budget!${year}${budget.rows['grand']}"),
        ):
            self.row += 1
            self.look.text(self.sheet.cell(self.row, 1, self.parts.say(en, zh)))
            self.look.text(self.sheet.cell(self.row, 2, money.label(self.lang)), color="7F7F7F")
            self.parts.put(self.sheet, self.row, 3, f"={cell}", money, total=True)

    def checks(self) -> None:
        """The scenario that drives the book has the same result here and in Budget."""
        budget, at = self.parts.budget, self.at
        unusable = f"{NAME}!$C${at['unusable']}:${get_column_letter(WIDTH)}${at['unusable']}"
        self.parts.checks.append(Check(
            "Values of scenarios that are no number within their bounds", "情景取值非数字或超出范围", "Scenarios", f"=SUM({unusable})",
            "The row 'Values that cannot be used' of Outcomes names the scenario; it has no result there until they are corrected.",
            "Outcomes 的“无法使用的取值”一行指明所属情景；更正前该情景不出结果。"))  # fmt: skip
        month = f"INDEX(Budget!${budget.first}${{row}}:${budget.last}${{row}},{RUN_RATE})"
        end = get_column_letter(WIDTH)
        chosen = f"{NAME}!$C${at['chosen']}:${end}${at['chosen']}"
        for line in (one for one in LINES if one.name in ("month_cards", "month_cost")):
            there = month.format(row=budget.rows[line.name])
            here = f"INDEX({NAME}!$C${at[line.name]}:${end}${at[line.name]},MATCH(1,{chosen},0))"
            self.parts.checks.append(Check(
                f"Outcomes against Budget: {line.label('en').lower()}", f"情景对比与预算一致：{line.label('zh')}", NAME,
                f"=IF((SUM({chosen})=1)*(COUNT({there})=1),{here}-{there},0)",
                "The scenario that drives the book has another result in Cases than in Budget: a formula was changed.",
                "当前情景在 Cases 与预算中的结果不一致：公式被改动。", tolerance="0.01"))  # fmt: skip


def _out_of_bounds(change: Column, cell: str) -> str:
    """1 where a scenario's value is none of its field's."""
    if change.choices:
        return f'({cell}<>"")*(1-ISNUMBER({match_choice(cell, change)}))'
    limits = {">": change.gt, ">=": change.ge, "<": change.lt, "<=": change.le}
    tests = [f'{cell},"{sign}{limit:g}"' for sign, limit in limits.items() if limit is not None]
    return f"1-COUNTIFS({','.join(tests)})"


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
