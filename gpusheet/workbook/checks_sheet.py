"""The Checks sheet: integrity checks that must be zero with a master check, and alerts that only want a look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openpyxl.formatting.rule import CellIsRule
from openpyxl.utils import get_column_letter
from openpyxl.workbook.workbook import Workbook

from gpusheet.units import Flag, Number, unit_of
from gpusheet.wiring import quantities
from gpusheet.workbook.assumptions_sheet import ALL_VALID, AssumptionCells
from gpusheet.workbook.budget_layout import COST, MONTHS, TAX, BudgetCells
from gpusheet.workbook.layout import (
    DATE_ROW,
    NAME_ROW,
    SCENARIO,
    SHEETS,
    STATUS_ROW,
    UNNAMED,
    Span,
    hint_of,
    role_of,
    title_of,
)
from gpusheet.workbook.lookup_lines import LookupLines
from gpusheet.workbook.style import Look, fill, printing, protect, set_widths
from gpusheet.workbook.summary_sheet import SummaryCells
from gpusheet.workbook.tables import Placed

NAME = "Checks"
HINT_ROW, FIRST = 2, 7
MASTER, FAILED, ALERTS = "D3", "D4", "F4"
HEADS = {
    "en": ("No.", "Check", "Where", "Value", "Tolerance", "1 = passed", "What to do"),
    "zh": ("序号", "检查项", "位置", "数值", "容差", "1=通过", "如何处理"),
}
ALERT_HEADS = {
    "en": ("No.", "Alert", "Where", "Workloads", "", "1 = none", "What it means"),
    "zh": ("序号", "提醒", "位置", "业务数", "", "1=无", "含义"),
}
WORDS = {
    "en": {"master": "Master check", "failed": "Checks that fail", "alerts": "Alerts", "good": "OK", "bad": "CHECK",
           "integrity": "Integrity: the value must be zero", "alert": "Alerts: shown, not wrong"},
    "zh": {"master": "总检查", "failed": "未通过检查数", "alerts": "提醒数", "good": "通过", "bad": "有误",
           "integrity": "完整性检查:数值必须为零", "alert": "提醒:仅提示,不影响计算"},
}  # fmt: skip


def _meaning(summary: str) -> str:
    """What an alert's rule says, without its '1 where'."""
    text = summary.removeprefix("1 where ")
    return text[:1].upper() + text[1:]


@dataclass(frozen=True)
class Check:
    en: str
    zh: str
    where: str
    formula: str
    todo_en: str
    todo_zh: str
    tolerance: str = "0"


class ChecksWriter:
    def __init__(
        self, book: Workbook, look: Look, placed: Mapping[str, Placed], cells: AssumptionCells, lookup: LookupLines,
        sizing: Mapping[str, int], summary: SummaryCells, budget: BudgetCells, span: Span,
        more_checks: Sequence[Check] = (), more_alerts: Sequence[Check] = (),
    ) -> None:  # fmt: skip
        self.more_checks, self.more_alerts = more_checks, more_alerts
        self.book, self.look, self.cells, self.lookup, self.sizing = book, look, cells, lookup, sizing
        self.placed = {**placed, **cells.tables}
        self.summary, self.budget, self.span = summary, budget, span

    def put(self) -> None:
        sheet: Any = self.book[NAME]
        look, words = self.look, WORDS[self.look.lang]
        look.title(sheet, title_of(NAME, look.lang), hint_of(NAME, look.lang), role_of(NAME))
        look.band(sheet, role_of(NAME), 7)
        checks, alerts = [*self.checks(), *self.more_checks], [*self.alerts(), *self.more_alerts]
        last = FIRST + len(checks) - 1
        alert_first = last + 4
        alert_last = alert_first + len(alerts) - 1
        for row, (key, formula) in enumerate((
            ("master", f'=IF({FAILED}=0,"{words["good"]}","{words["bad"]}")'),
            ("failed", f"=COUNTIF(F{FIRST}:F{last},0)"),
        ), 3):  # fmt: skip
            look.text(sheet.cell(row, 2, words[key]), bold=True)
            sheet.cell(row, 4, formula)
            look.formula(sheet.cell(row, 4), unit_of(Number), bold=True)
        look.text(sheet.cell(4, 5, words["alerts"]), bold=True)
        sheet[ALERTS] = f"=SUM(D{alert_first}:D{alert_last})"
        look.formula(sheet[ALERTS], unit_of(Number), bold=True)
        self._list(sheet, FIRST, HEADS[look.lang], words["integrity"], checks)
        self._list(sheet, alert_first, ALERT_HEADS[look.lang], words["alert"], alerts)
        red, green = fill("F8CBAD"), fill("C6E0B4")
        for cells in (f"F{FIRST}:F{last}", f"F{alert_first}:F{alert_last}"):
            bad = red if cells.startswith(f"F{FIRST}:") else fill("FFE699")
            sheet.conditional_formatting.add(cells, CellIsRule(operator="equal", formula=["0"], fill=bad))
            sheet.conditional_formatting.add(cells, CellIsRule(operator="equal", formula=["1"], fill=green))
        sheet.conditional_formatting.add("D3", CellIsRule(operator="equal", formula=[f'"{words["good"]}"'], fill=green))
        sheet.conditional_formatting.add("D3", CellIsRule(operator="equal", formula=[f'"{words["bad"]}"'], fill=red))
        set_widths(sheet, (6, 46, 22, 13, 11, 11, 78))
        sheet.freeze_panes = f"C{FIRST}"
        printing(sheet, look.lang, "5:6", f"A1:G{alert_last}")
        protect(sheet)

    def _list(self, sheet: Any, first: int, heads: tuple[str, ...], title: str, checks: list[Check]) -> None:
        look = self.look
        look.group(sheet, first - 2, title, 7)
        for position, head in enumerate(heads, 1):
            look.header(sheet.cell(first - 1, position, head))
        for row, check in enumerate(checks, first):
            number, flag = unit_of(Number), unit_of(Flag)
            sheet.cell(row, 1, f"=ROW()-ROW(A${first - 1})")
            look.formula(sheet.cell(row, 1), number)
            look.text(sheet.cell(row, 2, check.zh if look.lang == "zh" else check.en), wrap=True)
            look.text(sheet.cell(row, 3, check.where), color="7F7F7F")
            sheet.cell(row, 4, check.formula)
            look.formula(sheet.cell(row, 4), number)
            if heads[4]:
                sheet.cell(row, 5, f"={check.tolerance}")
                look.formula(sheet.cell(row, 5), number)
                sheet.cell(row, 5).number_format = "General"
            passed = f"=IF(COUNT(D{row})=1,1*(ABS(D{row})<={'E' if heads[4] else '0*D'}{row}),0)"
            sheet.cell(row, 6, passed)
            look.formula(sheet.cell(row, 6), flag)
            look.text(sheet.cell(row, 7, check.todo_zh if look.lang == "zh" else check.todo_en), wrap=True)
            if max(len(check.en), len(check.zh) * 2) > 44 or len(check.todo_en) > 80:
                sheet.row_dimensions[row].height = 27

    # --- integrity ---

    def checks(self) -> list[Check]:
        made = [
            Check("Settings, assumptions and constants that are not valid", "无效的设置、假设或常数", "Assumptions",
                  f"=1-{ALL_VALID}",
                  "The column '1 = valid' shows which: bring the value within its bounds, restore the constant, or let the "
                  "card tiers go up from 0.",
                  "查看“1=有效”列:将取值改回允许范围、恢复常数,或使卡数档位从0升序。"),
            Check("Settings and assumptions of the sheets of decisions that are not valid", "决策表设置与假设无效", "Assumptions",
                  f"=1-{self.cells.decisions_valid}",
                  "The column '1 = valid' shows which: bring the value within its bounds; until then these sheets stay blank. "
                  "The budget does not rest on it.",
                  "查看“1=有效”列:将取值改回允许范围;更正前决策表留空,预算本身不受影响。"),
            Check("Workloads with incomplete or impossible inputs", "输入缺失或超出范围的业务", "Lookup",
                  f"={self.span.count_of('Lookup', STATUS_ROW, 'incomplete')}",
                  "Row 'status' of Lookup names them; the last group of its rows shows with 0 what is wrong. Fill in or correct it.",
                  "查看 Lookup 的状态行,其末组中为 0 的行指明问题所在,请补全或更正对应输入。"),
            Check("Rows of Workloads without a name", "没有名称的业务行", "Workloads",
                  f"={UNNAMED}",
                  "Give every row a name in the first column.", "请在首列为每一行填写业务名称。"),
            Check("Workloads beyond the lines that are computed", "超出计算行数的业务", "Workloads",
                  f"=MAX(0,ROWS(Workloads[workload])-COLUMNS({self.span.row('Lookup', NAME_ROW)}))",
                  "Run `gpusheet budget` on this workbook: the new one has room for all.",
                  "对本工作簿运行 gpusheet budget,新生成的文件会扩充行数。"),
            Check("Scenario of the Cover that is not in Scenarios", "封面所选情景不在情景表中", "Cover",
                  f'=(Cover!{SCENARIO}<>"")*(COUNTIF(Scenarios[scenario],Cover!{SCENARIO}&"")=0)',
                  "Choose one of the list in its cell, or leave it blank for the first.", "请从下拉列表中选择，或留空取第一个。"),
        ]  # fmt: skip
        for table, placed in self.placed.items():
            made.append(Check(
                f"Typed below the table {table}", f"写在表 {table} 之外的行", placed.sheet, self._below(placed),
                "Move the row into the table, or pull the table's corner down over it.",
                "将该行移入表格,或向下拖动表格右下角以包含它。"))  # fmt: skip
        made += self._price_checks()
        made += self._sum_checks()
        return made

    def _price_checks(self) -> list[Check]:
        chosen = {part: self.span.row("Lookup", self.lookup.rows[f"chosen_{part}"]) for part in ("offers", "line", "rate")}
        status, months = self.span.row("Lookup", STATUS_ROW), "Seasons[calendar_month]"
        return [
            Check("Prices that cannot be used: a cell is blank, text or not above 0", "不可用的报价:缺项、文本或不大于0",
                  "Prices", '=SUMPRODUCT((Prices[price_day]=0)*((Prices[price]<>"")+(Prices[gpu]<>"")+(Prices[price_list]<>"")>0))',
                  "Complete date, cards, price, currency, per, period, pricing model and tax; fill the black columns down.",
                  "补全日期、卡数、价格、币种、计价单位、周期、计费方式与税务口径,并向下填充黑色公式列。"),
            Check("Workloads without a number of cards", "无法得出卡数的业务", "Sizing",
                  f'=SUMPRODUCT(({status}="ok")*({self.span.row("Sizing", self.sizing["card_tier"])}=""))',
                  "No demand is typed, the model does not fit the cards of a replica, or no request keeps to the latency targets "
                  "(relax them, or take a faster card or more cards a replica): see its column in Sizing.",
                  "未填写需求、模型装不进单副本的卡,或无法满足时延目标"
                  "(可放宽目标、换更快的卡或增加单副本卡数):请查看 Sizing 中对应的列。"),
            Check("Workloads without a price", "没有价格的业务", "Lookup",
                  f'=SUMPRODUCT(({status}="ok")*({chosen["offers"]}=0))',
                  "Add the price of this GPU and pricing model to Prices, or name another price list; until then its "
                  "totals are blocked.",
                  "在 Prices 中补充该 GPU 与计费方式的价格,或改用其他价目表;补充前相关合计不予计算。"),
            Check("Workloads with more than one price", "存在多个报价的业务", "Lookup",
                  f'=SUMPRODUCT(({chosen["offers"]}<>"")*({chosen["offers"]}>1))',
                  "Name the listing in Workloads, so that one offer remains.", "在 Workloads 中填写报价项以确定唯一报价。"),
            Check("Workloads whose price has no exchange rate", "缺少汇率的业务", "FX",
                  f"=COUNT({chosen['line']})-COUNT({chosen['rate']})",
                  "FX has no rate above 0, or more than one: type one from the quoted into the budget currency, with date and source.",
                  "在 FX 中填写报价币种到预算币种的唯一汇率、日期与来源。"),
            Check("Prices with and without tax in one total", "同一合计中混用含税与不含税价格", "Budget",
                  f"=1-Budget!{TAX}", "Use prices of one tax basis; until then all totals of money are blocked.",
                  "请统一税务口径;统一前所有金额合计不予计算。"),
            Check("Twelve season factors", "季节系数共12个月", "Assumptions",
                  "=12-COUNTIF(Seasons[season_factor],\">=0\")", "Give each calendar month a factor of 0 or more.",
                  "为每个日历月填写不小于0的系数。"),
            Check("Calendar months with more than one season factor", "季节系数重复的日历月", "Assumptions",
                  f"=COUNT({months})-SUMPRODUCT(1*(FREQUENCY({months},{months})>0))",
                  "Name each calendar month, 1 to 12, once.", "1至12每个日历月只填写一次。"),
            Check("Costs other than cards with a name or an amount alone", "只有名称或只有金额的其他费用", "Assumptions",
                  '=SUMPRODUCT(1*((OtherCosts[item]="")<>(OtherCosts[amount_per_month]="")))',
                  "Give every cost its name and an amount per month.", "为每项费用填写名称与每月金额。"),
            Check("Costs other than cards whose amount is no number", "金额非数字的其他费用", "Assumptions",
                  "=COUNTA(OtherCosts[amount_per_month])-COUNT(OtherCosts[amount_per_month])",
                  "Type the amount per month as a number.", "请将每月金额填写为数字。"),
        ]  # fmt: skip

    def _below(self, placed: Placed) -> str:
        """Cells filled under a table: those from its first row down, less those of the table."""
        first, last = placed.typed
        start, end = placed.letters[first], placed.letters[last]
        area = f"{placed.sheet}!${start}${placed.first}:${end}${placed.last + placed.room}"
        return f"=COUNTA({area})-COUNTA({placed.name}[[{first}]:[{last}]])"

    def _sum_checks(self) -> list[Check]:
        budget, summary = self.budget, self.summary
        first, last = budget.first, budget.last
        cost = budget.rows[COST]
        grand, gpu = budget.rows["grand"], budget.rows["gpu"]
        span = f"Budget!${first}${grand}:${last}${grand}"
        total, costs = f"Budget!$H${grand}", f"Budget!$H${budget.blocks[COST]}:$H${cost - 1}"
        y1 = get_column_letter(budget.first_year)
        y2 = get_column_letter(budget.first_year + budget.years - 1)
        letter = summary.letters["monthly_cost"]
        monthly = f"Summary!${letter}${summary.first}:${letter}${summary.last}"
        column = "Budget!$H$"
        models = f"Budget!$H${budget.rows['by_model']}:$H${budget.rows['by_model'] + 3}"
        made = [
            Check("Months without a budget total", "没有预算合计的月份", "Budget", f"=Budget!{MONTHS}-COUNT({span})",
                  "A workload or cost has no number: mend what the checks above name.", "上方检查指出的业务或费用缺少数值,请先处理。"),
            Check("Budget: workloads against months", "预算:按业务合计与按月合计一致", "Budget",
                  f"=IF(COUNT(Budget!$H${gpu})=1,SUM({costs})-Budget!$H${gpu},0)",
                  "The sums by row and by column differ: a formula of the block was changed.",
                  "行合计与列合计不一致:费用区块公式被改动。", tolerance="0.01"),
            *(Check(f"Budget: {what_en} against months", f"预算:{what_zh}与按月合计一致", "Budget",
                    f"=IF(COUNT({column}{budget.rows[row]})=1,SUM({column}{first_row}:$H${last_row})-{column}{budget.rows[row]},0)",
                    "The sums by row and by column differ: a formula of the block was changed.",
                    "行合计与列合计不一致:区块公式被改动。", tolerance="0.01")
              for what_en, what_zh, row, first_row, last_row in (
                  ("other costs", "其他费用按项合计", "other_total", *budget.others),
                  ("parts of the total", "总计各组成部分", "grand", gpu, grand - 1))),
            Check("Budget: fiscal years against the total", "预算:财年合计与总计一致", "Budget",
                  f"=IF(COUNT({total})=1,SUM(Budget!${y1}${grand}:${y2}${grand})-{total},0)",
                  "The fiscal years do not add up: a formula at the right was changed.", "财年合计与总计不一致:右侧公式被改动。",
                  tolerance="0.01"),
            Check("Budget: pricing models against the total", "预算:各计费方式合计与总计一致", "Budget",
                  f"=IF(COUNT(Budget!$H${gpu})=1,SUM({models})-Budget!$H${gpu},0)",
                  "A workload has a pricing model that is not one of the four.", "存在不在四种之内的计费方式。", tolerance="0.01"),
            Check("Summary against Sizing: cost per month", "汇总与测算的每月成本一致", "Summary",
                  f"=SUM({monthly})-SUM({self.span.row('Sizing', self.sizing['monthly_cost'])})",
                  "A formula of Summary was changed.", "汇总表公式被改动。", tolerance="0.01"),
        ]  # fmt: skip
        for sheet in self.book.worksheets:
            if sheet.title in SHEETS and role_of(sheet.title) in ("calculation", "output") and sheet.max_row > HINT_ROW:
                cells = f"{sheet.title}!$A${HINT_ROW + 1}:${get_column_letter(sheet.max_column)}${sheet.max_row}"
                made.append(Check(
                    f"Error values on {sheet.title}", f"{sheet.title} 中的错误值", sheet.title, f"=1*ISERROR(SUM({cells}))",
                    "A cell shows an error such as #N/A or #VALUE!: look for text in a number, or a formula that was changed.",
                    "存在 #N/A、#VALUE! 等错误:请检查数字单元格中的文本或被改动的公式。"))  # fmt: skip
        return made

    # --- alerts ---

    def alerts(self) -> list[Check]:
        made = []
        for name in self.sizing:
            if name.endswith("_alert"):
                rule = quantities()[name].rule
                assert rule is not None
                cells = self.span.row("Sizing", self.sizing[name])
                where = "Sizing 末尾的提醒行显示涉及的业务。"
                made.append(Check(rule.en, rule.zh, "Sizing", f"=SUM({cells})", _meaning(rule.summary), where))
        dates = f"{self.cells.value('prepared_on')}"
        made.append(Check(
            "Prices dated after the budget was prepared", "报价日期晚于编制日期", "Prices",
            f'=COUNTIF(Prices[price_day],">"&{dates})', "Correct the dates, or the day on which the budget was prepared.",
            "请更正报价日期或编制日期。"))  # fmt: skip
        start = self.span.row("Lookup", self.lookup.rows["start_month"])
        made.append(Check(
            "Prices newer than the as-of date: not used", "晚于基准日的报价(未使用)", "Prices",
            f'=COUNTIF(Prices[price_day],">"&Lookup!$E${DATE_ROW})', "Move the as-of date in Assumptions to use them.",
            "如需使用,请调整假设中的价格基准日。"))  # fmt: skip
        made.append(Check(
            "Workloads that begin after the last month", "起始月晚于预算末月的业务", "Budget",
            f'=SUMPRODUCT(({start}<>"")*({start}>Budget!{MONTHS}))', "They cost nothing in these months.",
            "该业务在预算期内没有成本。"))  # fmt: skip
        return made
