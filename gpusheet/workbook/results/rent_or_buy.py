"""The sheet RentOrBuy: what each way to pay costs over the horizon, when buying breaks even, and the curves of cash."""

from __future__ import annotations

from typing import Any

from openpyxl.chart import Reference, ScatterChart, Series
from openpyxl.chart.data_source import StrRef
from openpyxl.chart.series import SeriesLabel
from openpyxl.styles import Alignment
from openpyxl.utils import get_column_letter

from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.decisions.rent_or_buy import BUY, LABELS, OPTIONS
from gpusheet.formula import Facts, cell_formula
from gpusheet.registry import find_rule
from gpusheet.units import Cards, Hours, Money, MoneyPerMonth, MonthNumber, Months, Number, Share, Text, Unit, unit_of
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.grid import fill_block
from gpusheet.workbook.layout import NAME_ROW
from gpusheet.workbook.results.cash_flow import FIRST, LAST, TOTAL, CashCells
from gpusheet.workbook.results.cash_flow import NAME as CASH
from gpusheet.workbook.results.options import NAME as OPTIONS_SHEET
from gpusheet.workbook.results.options import OptionCells, chosen
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.style import printing, protect, set_widths

NAME = "RentOrBuy"
TEXT, MONEY, NUMBER, HOURS = unit_of(Text), unit_of(Money), unit_of(Number), unit_of(Hours)
WIDTH = 10
COLORS = {"on_demand": "2F5597", "monthly": "70AD47", "reserved": "7F7F7F", "spot": "BF9000", BUY: "C55A11"}
VERDICTS = (
    ("renting is cheaper", "租用更省"), ("saves cash, but not at the discount rate", "省现金，但折现后不划算"),
    ("takes more cash, but later", "现金更多，但支出更晚"), ("buying is cheaper", "购买更省"),
)  # fmt: skip
# column -> head and unit of the two tables
WAYS = (
    (("Way to pay", "付费方式"), None), (("What is missing", "缺少内容"), None), (("Tax of the price", "价格税务口径"), None),
    (("Month 1 before profit tax; owned: with depreciation", "首月成本（所得税前；自有含折旧）"), unit_of(MoneyPerMonth)),
    (("Cash over the horizon", "比较期现金合计"), MONEY), (("Rank by cash", "现金排名"), NUMBER),
    (("Present value of the cost", "成本现值"), MONEY), (("Rank by present value", "现值排名"), NUMBER),
    (("On-demand hours a month that take the same cash", "现金相等的每月按量小时数"), HOURS),
    (("The same by present value", "现值相等的每月按量小时数"), HOURS),
)  # fmt: skip
INSTEAD = (
    (("Buying instead of", "以购买替代"), None), (("Verdict", "结论"), None), (("Break-even month", "回本月"), unit_of(MonthNumber)),
    (("Cash saved by buying", "购买节省现金"), MONEY), (("NPV of buying", "购买净现值"), MONEY),
    (("Resale for an NPV of 0, of book value", "净现值为0的转售价（占账面净值）"), unit_of(Share)),
    (("Cash saved if they sell for nothing", "售价为0时节省现金"), MONEY), (("NPV if they sell for nothing", "售价为0时净现值"), MONEY),
)  # fmt: skip
BLANK = (("", ""), None)
SPENT = ((("What buying takes", "购买的现金构成"), None), BLANK, BLANK, (("Over the horizon", "比较期合计"), MONEY),
         (("Present value", "现值"), MONEY))  # fmt: skip


class _Writer:
    def __init__(self, parts: Parts) -> None:
        self.parts, self.look = parts, parts.look
        self.options: OptionCells = parts.rows[OPTIONS_SHEET]
        self.cash: CashCells = parts.rows[CASH]
        self.sheet: Any = parts.sheet(NAME, WIDTH)
        self.at: dict[str, int] = {}

    def put(self) -> dict[str, int]:
        parts = self.parts
        self._about()
        self._ways(12)
        note = parts.say("Hours above those of a month: on-demand is the cheaper however long the cards run.",
                         "小时数超过一个月的总小时时，无论使用多久都是按量更省。")  # fmt: skip
        self.look.text(self.sheet.cell(self.at[BUY] + 1, 1, note), color="595959", italic=True)
        self._instead(self.at[BUY] + 3)
        last = self._spent(self._spent_from(self.at[f"instead_{PRICING_MODELS[0]}"]))
        self._chart(last + 2)
        set_widths(self.sheet, (30, 38, 22, 18, 18, 14, 18, 18, 20, 18))
        self.sheet.freeze_panes = "B3"
        printing(self.sheet, self.parts.lang, "1:2", f"A1:{get_column_letter(WIDTH)}{last + 26}")
        protect(self.sheet)
        self._checks()
        return self.at

    def _about(self) -> None:
        """What is compared, and by which conventions."""
        parts, say = self.parts, self.parts.say
        column = {name: f"={parts.cells.value(name)}" for name in ("horizon_months", "discount_rate", "profit_tax_rate")}
        gpu, prices = self.options.at("gpu"), self.options.at("price_list")
        names = f"INDEX({parts.span.row('Lookup', NAME_ROW)},{self.options.at('workload_number')})"
        facts: tuple[tuple[str, str, Unit, str, str], ...] = (
            (say("Workload looked at", "分析对象"), f'=IF(COUNT({self.options.at("workload_number")})=1,{names},"")', TEXT, "", ""),
            (say("State", "状态"), f"={self.options.at('state')}", TEXT, "", ""),
            (say("GPU, price list", "GPU、价目表"), f'=IF({gpu}="","",{gpu}&" · "&{prices})', TEXT, "", ""),
            (say("Cards to rent or buy", "待租或待购卡数"), f"={self.options.at('fleet_cards')}", unit_of(Cards),
             "Those of the run-rate month, the same over the horizon.", "取稳态月卡数，比较期内不变。"),
            (say("Horizon", "比较期"), column["horizon_months"], unit_of(Months),
             "First flow: the purchase, today (month 0), not discounted. Rents and running costs: at the end of each month "
             "from 1 to the horizon.", "首笔现金流：今日（第0月）购置，不折现；租金与运行支出于第1月至比较期末的各月末支付。"),
            (say("Discount rate a year", "年折现率"), column["discount_rate"], unit_of(Share),
             "Effective: the monthly rate compounds to it. Costs are positive.", "实际年利率，按月复利折算。成本为正数。"),
            (say("Profit tax", "所得税率"), column["profit_tax_rate"], unit_of(Share),
             "Cards are sold at book value at the end of their useful life, then bought again, and at the horizon.",
             "卡在使用年限期满时按账面净值处置并重新购置，比较期末亦按账面净值处置。"),
        )  # fmt: skip
        for row, (label, formula, unit, en, zh) in enumerate(facts, 3):
            self.look.text(self.sheet.cell(row, 1, label), bold=True)
            parts.put(self.sheet, row, 2, formula, unit)
            self.sheet.cell(row, 2).alignment = Alignment(horizontal="left", vertical="center", indent=1)
            if en:
                self.look.text(self.sheet.cell(row, 3, say(en, zh)), color="595959", italic=True)
        self.at["about"] = 3

    def _heads(self, row: int, heads: Any, en: str, zh: str) -> None:
        """A group's row, its heads and their units."""
        self.look.group(self.sheet, row, self.parts.say(en, zh), WIDTH)
        for column, head in enumerate(heads, 1):
            self.look.header(self.sheet.cell(row + 1, column, self.parts.say(*head[0]) or None))
            cell = self.sheet.cell(row + 2, column, head[1].label(self.parts.lang) if head[1] else None)
            self.look.text(cell, color="7F7F7F")
            cell.alignment = Alignment(horizontal="center", shrink_to_fit=True)

    def _ways(self, row: int) -> None:
        """A row for each way to pay."""
        parts = self.parts
        self._heads(row, WAYS, "What each way costs", "各付费方式的成本")
        self.sheet.row_dimensions[row + 1].height = 42
        first = row + 3
        for line, option in enumerate(OPTIONS, first):
            self.at[option] = line
            self.look.text(self.sheet.cell(line, 1, parts.say(*LABELS[option])))
            rented = option != BUY
            model = option if rented else ""
            key = f"rent_{option}" if rented else "month_owning"
            parts.put(self.sheet, line, 2, f"={self.options.at('no_offer' if rented else 'not_owned', model)}", TEXT)
            if rented:
                parts.put(self.sheet, line, 3, f"={self.options.at('price_tax', model)}", TEXT)
            month = self.options.at("first_rent" if rented else "owned_monthly_cost", model)
            parts.put(self.sheet, line, 4, f"={month}", unit_of(MoneyPerMonth))
            parts.put(self.sheet, line, 5, f"={self.cash.cell(key, TOTAL)}", MONEY)
            worth = f"SUMPRODUCT({self.cash.months(key)},{self.cash.months('discount_factor')})"
            parts.put(self.sheet, line, 7, f'=IF(COUNT(E{line})=1,{worth},"")', MONEY)
        last = first + len(OPTIONS) - 1
        for column, letter in ((6, "E"), (8, "G")):
            span = f"${letter}${first}:${letter}${last}"
            lower = f"SUMPRODUCT(1*({span}<{letter}{first}-tiny*ABS({letter}{first})))"  # not COUNTIF: it rounds to 15 digits
            rank = f'=IF(COUNT({letter}{first})=1,1+{lower},"")'
            fill_block(self.sheet, self.look, first, len(OPTIONS), column, 1, rank, NUMBER)
        rule = find_rule("equal_hours")
        hour = f"COUNT({self.options.at('paid_hour_price', 'on_demand')})=1"  # a price by the month counts no hours
        for column, letter in ((9, "E"), (10, "G")):
            at = {"hours_per_month": self.options.at("hours_per_month"), "cost": f"{letter}{first}",
                  "on_demand_cost": f"${letter}${first}"}  # fmt: skip
            formula = cell_formula(rule.plain_expression, dict.fromkeys(at, Facts()), at.__getitem__, hour)
            fill_block(self.sheet, self.look, first, len(OPTIONS), column, 1, formula, HOURS)

    def _instead(self, row: int) -> None:
        """Buying against each way of renting; what is left of it where the cards bring less than their book value."""
        parts = self.parts
        self._heads(row, INSTEAD, "Buying instead of renting", "以购买替代租用")
        self.sheet.row_dimensions[row + 1].height = 42
        buy, first = self.at[BUY], row + 3
        sold = self._spent_from(first) + 8  # the last line of what buying takes
        for line, model in enumerate(PRICING_MODELS, first):
            self.at[f"instead_{model}"] = line
            rent = self.at[model]
            self.look.text(self.sheet.cell(line, 1, parts.say(*LABELS[model])))
            verdict = chosen(f"(D{line}>0)+2*(E{line}>0)", VERDICTS, parts)
            parts.put(self.sheet, line, 2, f'=IF(COUNT(D{line}:E{line})=2,{verdict},"")', TEXT)
            parts.put(self.sheet, line, 3, f"={self.cash.cell(f'cheaper_{model}', TOTAL)}", unit_of(MonthNumber))
            for column, letter in ((4, "E"), (5, "G")):
                formula = f'=IF(COUNT({letter}{rent},{letter}{buy})=2,{letter}{rent}-{letter}{buy},"")'
                parts.put(self.sheet, line, column, formula, MONEY)
        for column, name, letter in ((6, "break_even_resale", "E"), (7, "saved_without_sale", "D"), (8, "saved_without_sale", "E")):
            at = {"saved": f"${letter}{first}", "sale_cost": f"${letter}${sold}"}
            rule = find_rule(name)
            formula = cell_formula(rule.plain_expression, dict.fromkeys(at, Facts()), at.__getitem__)
            fill_block(self.sheet, self.look, first, len(PRICING_MODELS), column, 1, formula, rule.unit)

    @staticmethod
    def _spent_from(first: int) -> int:
        """Where that part begins, below the lines for the ways of renting."""
        return first + len(PRICING_MODELS) + 1

    def _spent(self, row: int) -> int:
        """What the cash of buying is made of."""
        parts = self.parts
        self._heads(row, SPENT, "Cash of buying", "购买现金")
        lines = (("month_purchase", "", parts.say("Purchases, with replacements", "购置（含更换）")),
                 ("month_sale", "0-", parts.say("less sales at book value", "减：按账面净值处置")),
                 ("month_running", "", parts.say("Electricity, hosting, network, maintenance, staff", "电费、托管、网络、维保、人工")),
                 ("month_tax_saved", "0-", parts.say("less profit tax saved", "减：成本与折旧抵减的所得税")))  # fmt: skip
        line = row + 2
        factors = self.cash.months("discount_factor")
        for key, sign, label in lines:
            line += 1
            self.at[key] = line
            self.look.text(self.sheet.cell(line, 1, label))
            cell = self.cash.cell(key, TOTAL)
            parts.put(self.sheet, line, 4, f'=IF(COUNT({cell})=1,{sign}{cell},"")', MONEY)
            worth = f"SUMPRODUCT({self.cash.months(key)},{factors})"
            parts.put(self.sheet, line, 5, f'=IF(COUNT({cell})=1,{sign}{worth},"")', MONEY)
        line += 1
        self.at["spent"], self.at["sold"] = line, line + 1
        self.look.text(self.sheet.cell(line, 1, parts.say("Cash of buying", "购买现金合计")), bold=True)
        self.look.text(self.sheet.cell(line + 1, 1, parts.say("Of that, the sales after profit tax", "其中：处置收入（所得税后）")))
        rule = find_rule("after_profit_tax")
        for column, letter in ((4, "D"), (5, "E")):
            cells = f"{letter}{row + 3}:{letter}{line - 1}"
            parts.put(self.sheet, line, column, f'=IF(COUNT({cells})=ROWS({cells}),SUM({cells}),"")', MONEY, total=True)
            at = {"amount": f"{letter}{self.at['month_sale']}", "profit_tax_rate": parts.cells.value("profit_tax_rate")}
            formula = cell_formula(rule.plain_expression, dict.fromkeys(at, Facts()), at.__getitem__)
            parts.put(self.sheet, line + 1, column, formula, MONEY)
        return line + 1

    def _chart(self, row: int) -> None:
        """Cash so far, a line for each way; those without a price lie under the axis."""
        parts = self.parts
        chart: Any = ScatterChart()
        chart.style, chart.scatterStyle = 13, "lineMarker"
        chart.title = parts.say("Cash so far, by month", "累计现金（按月）")
        source = parts.book[CASH]
        months = Reference(source, min_col=self.cash.columns["drawn_month"], min_row=FIRST, max_row=LAST)
        for option in OPTIONS:
            values = Reference(source, min_col=self.cash.columns[f"drawn_{option}"], min_row=FIRST, max_row=LAST)
            series: Any = Series(values, months)
            series.tx = SeriesLabel(strRef=StrRef(f"{NAME}!$A${self.at[option]}"))
            series.marker.symbol = "none"
            series.graphicalProperties.line.solidFill = COLORS[option]
            series.graphicalProperties.line.width = 25400
            series.smooth = False
            chart.series.append(series)
        chart.x_axis.title = parts.say("Month", "第几月")
        chart.x_axis.delete = chart.y_axis.delete = False
        chart.x_axis.scaling.min, chart.y_axis.scaling.min = 0, 0
        chart.x_axis.number_format, chart.y_axis.number_format = "0", "#,##0"
        chart.x_axis.majorGridlines = None
        chart.x_axis.majorUnit = 12
        chart.legend.position = "b"
        chart.height, chart.width = 11, 38
        self.sheet.add_chart(chart, f"A{row}")

    def _checks(self) -> None:
        parts = self.parts
        row = self.at[BUY]
        models, rents = self.options.models("pricing_model"), self.options.models("quoted_rent")
        own, cost = f"SUMIFS({rents},{models},{self.options.at('own_model')})", self.options.at("budget_cost")
        parts.checks += [
            Check("RentOrBuy against Budget: rent of the run-rate month", "租购比较与预算一致：稳态月租金", NAME,
                  f"=IF(COUNT({cost})=1,{own}-{cost},0)",
                  "The workload's own pricing model has another cost in Budget: a formula was changed.",
                  "该业务所选计费方式的成本与预算不一致：公式被改动。", tolerance="0.01"),
            Check("RentOrBuy: what buying takes against its cash", "租购比较：购买现金构成与合计一致", NAME,
                  f"=IF(COUNT({NAME}!$E${row})=1,{NAME}!$D${self.at['spent']}-{NAME}!$E${row},0)",
                  "The parts do not add up to the cash of buying: a formula was changed.",
                  "各组成部分之和与购买现金不一致：公式被改动。", tolerance="0.01"),
            Check("RentOrBuy: what buying takes against its present value", "租购比较：购买现金构成与现值一致", NAME,
                  f"=IF(COUNT({NAME}!$G${row})=1,{NAME}!$E${self.at['spent']}-{NAME}!$G${row},0)",
                  "The parts do not add up to the present value of buying: a formula was changed.",
                  "各组成部分之和与购买成本现值不一致：公式被改动。", tolerance="0.01"),
        ]  # fmt: skip
        basis = f"{NAME}!$C${self.at[OPTIONS[0]]}:$C${self.at[PRICING_MODELS[-1]]}"
        mixed = f'(COUNTIF({basis},"included")>0)*(COUNTIF({basis},"excluded")>0)'
        parts.alerts.append(Check(
            "Rents with and without tax side by side, and no VAT rate", "并列的租金含税与不含税混用，且未填增值税率", NAME,
            f"={mixed}*({parts.cells.value('rent_vat_rate')}=0)", "Type the VAT rate on rents in Assumptions, so that they compare.",
            "请在假设中填写租金增值税率，使各报价可比。"))  # fmt: skip
        asked = parts.cells.value("looked_at")
        parts.alerts.append(Check(
            "Workload looked at is not there", "分析对象不存在", "Assumptions",
            f'=({asked}<>"")*(COUNT({self.options.at("workload_number")})=0)',
            "looked_at in Assumptions names no workload, or more than one: RentOrBuy and Traffic are blank.",
            "假设中的 looked_at 未对应唯一业务：租购比较与日内流量为空。"))  # fmt: skip


def put_rent_or_buy(parts: Parts) -> None:
    parts.rows[NAME] = _Writer(parts).put()
