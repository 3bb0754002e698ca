"""The sheet Variance: budget against actual by month, two forecasts, and the closed months by cost centre and workload."""

from __future__ import annotations

from openpyxl.chart import BarChart, Reference
from openpyxl.chart.data_source import StrRef
from openpyxl.chart.series import SeriesLabel

from gpusheet.registry import find_rule
from gpusheet.units import Flag, MoneyPerMonth, MonthNumber, Number, Ratio, Share, Text, Unit, unit_of
from gpusheet.workbook.budget_layout import BLOCKED, CHART_ROWS, DATE_ROW, FIRST, MONTH_ROW, MONTHS, TOTAL
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.results.lists import ruled
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.results.shares import put_shares
from gpusheet.workbook.results.spend import spend
from gpusheet.workbook.results.timeline import Timeline

NAME = "Variance"
TEXT, NUMBER, FLAG, MONEY, SHARE = unit_of(Text), unit_of(Number), unit_of(Flag), unit_of(MoneyPerMonth), unit_of(Share)
FILLED = 'SUMPRODUCT(1*((Actuals[month]<>"")+(Actuals[amount]<>"")>0))'


def put_variance(parts: Parts) -> None:
    """Notes the rows of the lines as `Variance`; those of the lists as `put_shares` says."""
    made = _Writer(parts)
    made.left_out()
    made.closed_months()
    made.forecast()
    made.chart()
    put_shares(made.time)
    made.time.finish()
    made.checks()


class _Writer:
    def __init__(self, parts: Parts) -> None:
        self.parts, self.say, self.time = parts, parts.say, Timeline(parts, NAME)
        self.rows: dict[str, int] = parts.rows.setdefault(NAME, {})

    def at(self, name: str) -> str:
        """The first month of a line."""
        return f"{self.time.first}{self.rows[name]}"

    def so_far(self, name: str) -> str:
        """The line from the first month to this one."""
        return f"${self.at(name)}:{self.at(name)}"

    def total(self, name: str, formula: str, unit: Unit) -> None:
        self.time.total(self.rows[name], f"={formula}", unit)

    def left_out(self) -> None:
        """Rows of Actuals that are in no month: how many, and what to look for in the first of them."""
        say, time = self.say, self.time
        time.head(say("Actuals that are not counted", "未计入的实际支出"), None, (), say("Rows", "行数"))
        of = spend(self.parts)
        usable, number = of.column("usable"), of.column("month_number")
        currency = f"INDEX({of.column('currency')},MATCH(0,{usable},0))"
        month = f"INDEX({of.column('month')},MATCH(0,{number},0))"
        for key, en, zh, count, what, unit in (
            ("broken", "Blank, text, or a currency without a rate; the first:", "缺项、文本或币种无汇率；首个币种：",
             f"{FILLED}-SUM({usable})", f'IF(COUNTIF({usable},0)=0,"",{currency})', TEXT),
            ("unplaced", "Of these without a month", "其中没有月份的", f"{FILLED}-COUNT({number})", "", TEXT),
            ("outside", "Outside the months of the budget; the first:", "不在预算期内；首笔月份：", f"COUNTIF({number},0)",
             f'IF(COUNTIF({number},0)=0,"",{month})', unit_of(MonthNumber)),
        ):  # fmt: skip
            row = self.rows[key] = time.line
            time.look.text(time.sheet.cell(row, 2, say(en, zh)))
            self.parts.put(time.sheet, row, TOTAL, f"={count}", NUMBER)
            if what:
                self.parts.put(time.sheet, row, TOTAL - 1, f"={what}", unit)
            if key == "outside":
                time.sheet.cell(row, TOTAL - 1).number_format = "yyyy-mm"
            time.line += 1
        time.line += 1

    def closed_months(self) -> None:
        """The months with actual spend: variance, also to date."""
        say, time, first = self.say, self.time, self.time.first
        month = f"{first}${MONTH_ROW}"
        of = spend(self.parts)
        number = of.column("month_number")
        time.head(say("Closed months: those with actual spend", "已发生月份（有实际支出）"), None, (), say("To date", "累计"))
        time.row("rows", say("Rows of Actuals", "实际支出行数"), f"=COUNTIFS({number},{month})", NUMBER)
        time.row("usable", say("Of these usable", "其中可用"), f"=SUMIFS({of.column('usable')},{number},{month})", NUMBER)
        row = time.row("closed", say("Closed", "已发生"), f"=1*({self.at('rows')}>0)", FLAG)
        closed = time.months(row)
        self.total("closed", f"SUM({closed})", NUMBER)
        grand, other, reserve = (f"Budget!{first}${self.parts.budget.rows[name]}" for name in ("grand", "other_total", "contingency"))
        time.row("budget", say("Budget", "预算"), f"={grand}", MONEY, years=True)
        apart = f'=IF(COUNT({other},{reserve})=2,{other}+{reserve},"")'
        time.row("others", say("Of which other than cards", "其中非 GPU 费用"), apart, MONEY, years=True)
        spent = f"SUMIFS({of.column('counted')},{number},{month})"
        whole = f"({self.at('rows')}={self.at('usable')})*($H${self.rows['unplaced']}=0)"
        time.row("actual", say("Actual", "实际"), f'=CHOOSE(1+{self.at("closed")}*(1+{whole}),"",Budget!{BLOCKED},{spent})', MONEY)
        compared = ruled("spend_variance", actual=self.at("actual"), budget=self.at("budget"))
        time.row("variance", say("Variance: above the budget", "差异（超支为正）"), f"={compared}", MONEY)
        self._percent("percent", say("Variance in percent", "差异率"), "variance", "budget")
        for name, en, zh in (("budget", "Budget to date", "累计预算"), ("actual", "Actual to date", "累计实际"),
                             ("variance", "Variance to date", "累计差异")):  # fmt: skip
            wanted = month if name == "budget" else f"SUM({self.so_far('closed')})"
            there = f"{self.at('closed')}*(COUNT({self.so_far(name)})={wanted})"
            formula = f'=IF({there},SUMIFS({self.so_far(name)},{self.so_far("closed")},1),"")'
            time.row(f"{name}_to_date", say(en, zh), formula, MONEY)
        self._percent("percent_to_date", say("Variance to date in percent", "累计差异率"), "variance_to_date", "budget_to_date")
        self._totals(closed)
        time.line += 1

    def _percent(self, key: str, label: str, variance: str, budget: str) -> None:
        self.time.row(key, label, "=" + ruled("variance_share", variance=self.at(variance), budget=self.at(budget)), SHARE)

    def _totals(self, closed: str) -> None:
        """Sums over the closed months, and what was spent against what was planned."""
        time, rows = self.time, self.rows
        for name in ("budget", "others"):
            cells = time.months(rows[name])
            self.total(name, f"IF(COUNT({cells})=Budget!{MONTHS},SUMIFS({cells},{closed},1),Budget!{BLOCKED})", MONEY)
        for name in ("actual", "variance"):
            cells = time.months(rows[name])
            self.total(name, f"IF(COUNT({cells})=SUM({closed}),SUM({cells}),Budget!{BLOCKED})", MONEY)
        spent, planned = f"$H${rows['actual']}", f"$H${rows['budget']}"
        self.total("percent", ruled("variance_share", variance=f"H{rows['variance']}", budget=f"H{rows['budget']}"), SHARE)
        ratio = find_rule("spend_ratio")
        rows["ratio"] = time.line
        time.look.text(time.sheet.cell(time.line, 2, ratio.label(self.parts.lang)))
        time.look.text(time.sheet.cell(time.line, 3, unit_of(Ratio).label(self.parts.lang)), color="7F7F7F")
        self.total("ratio", ruled("spend_ratio", actual=spent, budget=planned), unit_of(Ratio))
        time.line += 1

    def forecast(self) -> None:
        """Each month as it was or will be; by fiscal year at the right."""
        say, time = self.say, self.time
        time.head(say("Forecast of all months and of fiscal years", "全期及各财年预测"), None, (), time.words["total"])
        of = {"closed": self.at("closed"), "budget": self.at("budget")}
        time.row("remaining", find_rule("remaining_budget").label(self.parts.lang), "=" + ruled("remaining_budget", **of), MONEY,
                 total="SUM", years=True)  # fmt: skip
        actual, ready = f"N({self.at('actual')})", f"{self.at('closed')}=COUNT({self.at('actual')})"
        ratios: dict[str, dict[str, str]] = {"forecast_as_budgeted": {}, "forecast_at_ratio": {"ratio": f"$H${self.rows['ratio']}"}}
        for key, rule_name in (("as_budgeted", "forecast_as_budgeted"), ("at_ratio", "forecast_at_ratio")):
            formula = "=" + ruled(rule_name, "actual", complete=ready, actual=actual, **of, **ratios[rule_name])
            time.row(key, find_rule(rule_name).label(self.parts.lang), formula, MONEY, total="SUM", years=True, bold=True)
        for key, en, zh in (("as_budgeted", "Above the budget, rest as budgeted", "超预算：余月按预算"),
                            ("at_ratio", "Above the budget, rest at the ratio", "超预算：余月按累计比例")):  # fmt: skip
            above = "=" + ruled("spend_variance", actual=self.at(key), budget=self.at("budget"))
            time.row(f"above_{key}", say(en, zh), above, MONEY, total="SUM", years=True)
        time.line += 1

    def chart(self) -> None:
        """Budget and actual by month, side by side."""
        time, chart = self.time, BarChart()
        chart.type, chart.grouping = "col", "clustered"
        chart.title = self.say("Budget and actual by month", "按月预算与实际")
        last = FIRST + self.parts.budget.months - 1
        names = ("budget", "actual")
        for name in names:
            values = Reference(time.sheet, min_col=FIRST, max_col=last, min_row=self.rows[name])
            chart.add_data(values, from_rows=True, titles_from_data=False)
        for series, name, color in zip(chart.series, names, ("8EA9DB", "F4B183"), strict=True):
            series.tx = SeriesLabel(strRef=StrRef(f"{NAME}!$B${self.rows[name]}"))
            series.graphicalProperties.solidFill = color
        chart.set_categories(Reference(time.sheet, min_col=FIRST, max_col=last, min_row=DATE_ROW))
        chart.x_axis.number_format, chart.y_axis.number_format = "yyyy-mm", "#,##0"
        chart.x_axis.delete = chart.y_axis.delete = False
        chart.gapWidth, chart.legend.position = 60, "b"
        chart.height, chart.width = 9, 26
        time.sheet.add_chart(chart, f"B{time.line}")
        time.line += CHART_ROWS

    def checks(self) -> None:
        rows, parts = self.rows, self.parts

        def total(key: str) -> str:
            return f"{NAME}!$H${rows[key]}"

        year_first, year_last = (f"{NAME}!${letter}${rows['as_budgeted']}" for letter in self.time.year_letters)
        parts.checks += [
            Check("Actuals that cannot be used: a cell is blank or text, or the currency has no rate",
                  "不可用的实际支出：缺项、文本或币种无汇率", "Actuals", f"={total('broken')}",
                  "Variance names the first currency: add its rate to FX; complete month and amount.",
                  "“预算与实际”列出首个币种：在 FX 补充汇率，并补全月份与金额。"),
            Check("Variance: actual less budget against the variance", "预算与实际：实际减预算与差异一致", NAME,
                  f"=IF(COUNT({total('actual')},{total('budget')},{total('variance')})=3,{total('actual')}-{total('budget')}"
                  f"-{total('variance')},0)", "A formula of Variance was changed.", "“预算与实际”公式被改动。", tolerance="0.01"),
            Check("Variance: fiscal years of the forecast against its total", "预算与实际：各财年预测与合计一致", NAME,
                  f"=IF(COUNT({total('as_budgeted')})=1,SUM({year_first}:{year_last.split('!')[1]})-{total('as_budgeted')},0)",
                  "A formula at the right of Variance was changed.", "“预算与实际”右侧公式被改动。", tolerance="0.01"),
        ]  # fmt: skip
        closed = f"{NAME}!{self.time.months(rows['closed'])}"
        newest = f"SUMPRODUCT(MAX({closed}*{NAME}!{self.time.months(MONTH_ROW)}))"
        parts.alerts += [
            Check("Actuals outside the months of the budget", "预算期外的实际支出", NAME, f"={total('outside')}",
                  "They are counted nowhere.", "未计入任何月份。"),
            Check("Months without actual spend before the newest one", "最新实际月份之前缺少实际支出的月份", NAME,
                  f"={newest}-{total('closed')}", "The forecast takes the budget for them.", "预测时按预算计。"),
        ]  # fmt: skip
