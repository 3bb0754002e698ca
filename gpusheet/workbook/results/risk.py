"""The sheet Risk: the distribution of the first year's cost, drawn in Python and written as numbers that stay.

It has a role of its own, static: its numbers follow no change of the book. What the budget says now is compared with
what it said when they were drawn, and an alert is shown where the two differ.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, fields
from typing import Any

from openpyxl.chart import BarChart, Reference
from openpyxl.utils import get_column_letter

from gpusheet.catalog import Column
from gpusheet.decisions.drivers import DRIVERS
from gpusheet.decisions.periods import months_from
from gpusheet.decisions.risk import BINS, QUANTILES, YEAR, Contribution, Draw, draw_year, drawn_from
from gpusheet.lookup import look_up
from gpusheet.ops import NAN
from gpusheet.units import COUNT, Flag, Money, Number, Ratio, Share, Text, Unit, unit_of
from gpusheet.wiring import quantities
from gpusheet.workbook.budget_layout import MONTH_ROW, MONTHS
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.inputs import Inputs
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.style import printing, protect, set_widths

NAME = "Risk"
NOTE_ROW, STATE_ROW, COMPARED, TOP = 3, 4, 7, 12
HISTOGRAM, WIDTH = 5, 8  # columns
CHART_ROWS = 18
MONEY, NUMBER, SHARE, TEXT = unit_of(Money), unit_of(Number), unit_of(Share), unit_of(Text)


@dataclass(frozen=True)
class Drawn:
    """A draw, the day of it, and the inputs that it was drawn from."""

    draw: Draw
    on: datetime.date
    digest: str


def drawn(inputs: Inputs, months: int, draws: int, seed: int, on: datetime.date) -> Drawn:
    """The first year's cost of a budget, drawn so often."""
    factors = {row.calendar_month: row.season_factor for row in inputs.catalog.seasons}
    season = [factors.get(day.month, NAN) for day in months_from(inputs.settings.budget_start, months)]
    other = sum(
        cost.amount_per_month
        for cost in inputs.other_costs for month in range(1, min(months, YEAR) + 1)
        if cost.start_month <= month <= (cost.end_month or months)
    )  # fmt: skip
    found = [look_up(workload, inputs.context) for workload in inputs.workloads]
    made = draw_year(found, season, other, inputs.assumptions.contingency_rate, draws, seed)
    return Drawn(made, on, inputs.digest)


def stand_in(months: int) -> Drawn:
    """A draw of the same form with nothing in it: to tell what a book has beside the sheet Risk."""
    counts = (0,) * BINS
    edges = tuple(float(bin_) for bin_ in range(BINS + 1))
    drivers = tuple(Contribution(driver, next(iter(drawn_from(driver).values())), 0.0, 0.0) for driver in DRIVERS)
    none = dict.fromkeys((field.name for field in fields(Draw)), 0)
    kept = {"draws": 1, "months": min(months, YEAR), "quantiles": (0.0,) * len(QUANTILES), "edges": edges, "counts": counts}
    return Drawn(Draw(**{**none, **kept, "drivers": drivers}), datetime.date.min, "")  # type: ignore[arg-type]


def put_risk(parts: Parts) -> None:
    if parts.drawn is not None:
        _Writer(parts, parts.drawn).put()


class _Writer:
    def __init__(self, parts: Parts, made: Drawn) -> None:
        self.parts, self.look, self.made, self.draw = parts, parts.look, made, made.draw
        self.sheet = parts.sheet(NAME, WIDTH)
        self.rows: dict[str, int] = {}

    def put(self) -> None:
        self._note()
        self._compared()
        last = max(self._results(), self._histogram())
        self._chart(last + 2)
        last = self._drivers(last + 2 + CHART_ROWS)
        set_widths(self.sheet, (46, 20, 32, 16, 16, 16, 12, 12))
        self.sheet.freeze_panes = f"A{TOP}"
        printing(self.sheet, self.parts.lang, f"{NOTE_ROW}:{STATE_ROW}", f"A1:{get_column_letter(WIDTH)}{last}")
        protect(self.sheet)
        self.parts.rows[NAME] = self.rows
        self._alert()

    def _still(self, row: int, column: int, value: Any, unit: Unit, bold: bool = False) -> None:
        """A value that stays as it was drawn."""
        cell = self.sheet.cell(row, column, value)
        self.look.formula(cell, unit, bold)
        if unit is MONEY:
            cell.number_format = COUNT  # of a distribution nobody wants the cents

    def _note(self) -> None:
        draw, made = self.draw, self.made
        text = self.parts.say(
            f"Static: {draw.draws:,} draws with seed {draw.seed}, drawn on {made.on} from inputs {made.digest}. These numbers "
            "follow no change of the book.",
            f"静态数据：{draw.draws:,} 次抽样，种子 {draw.seed}，于 {made.on} 按输入 {made.digest} 抽取；"
            "不随工作簿改动而变化。")  # fmt: skip
        self.look.text(self.sheet.cell(NOTE_ROW, 1, text), bold=True)

    def _compared(self) -> None:
        """What the budget said when it was drawn from, and what it says now."""
        draw, parts, say = self.draw, self.parts, self.parts.say
        first, last, rows = parts.budget.first, parts.budget.last, parts.budget.rows
        gpu, other, month = (f"Budget!${first}${row}:${last}${row}" for row in (rows["gpu"], rows["other_total"], MONTH_ROW))
        top = parts.budget.blocks["month_demand"]
        demand = f"Budget!${first}${top}:${last}${top + parts.span.count - 1}"
        year = f'"<="&B{COMPARED}'
        cost = f'=IF(COUNT({gpu},{other})=COUNT({month},{month}),SUMIFS({gpu},{month},{year})+SUMIFS({other},{month},{year}),"")'
        lines = (
            ("months", "Months of the year", "年度月数", draw.months, f"=MIN(Budget!{MONTHS},B{COMPARED})", NUMBER),
            ("base", "Cost of these months, without contingency", "同期成本，不含预备费", draw.base, cost, MONEY),
            ("demand", "Demand of all workloads and months", "全部业务与月份的需求", draw.demand, f"=SUM({demand})",
             quantities()["sizing_demand"].unit),
            ("capacity", "Capacity of a replica, all workloads", "全部业务的单副本容量", draw.capacity,
             f"=SUM({parts.span.row('Sizing', parts.sizing['replica_capacity'])})", quantities()["replica_capacity"].unit),
        )  # fmt: skip
        heads = say("The budget that was drawn from|When drawn|Now|Changed (1/0)",
                    "抽样所依据的预算|抽样时|当前|已变更(1/0)").split("|")
        for column, head in enumerate(heads, 1):
            self.look.header(self.sheet.cell(COMPARED - 1, column, head))
        for row, (key, en, zh, value, now, unit) in enumerate(lines, COMPARED):
            self.rows[key] = row
            self.look.text(self.sheet.cell(row, 1, say(en, zh)))
            self._still(row, 2, value, unit)
            parts.put(self.sheet, row, 3, now, unit)
            self.sheet.cell(row, 3).number_format = self.sheet.cell(row, 2).number_format
            parts.put(self.sheet, row, 4, f"=1*(ABS(N(C{row})-B{row})>1E-6*ABS(B{row}))", unit_of(Flag))

    def _results(self) -> int:
        draw, say = self.draw, self.parts.say
        self.look.group(self.sheet, TOP, say("The cost of these months, as drawn", "抽样得到的同期成本"), 3)
        needed = draw.quantiles[-1] / draw.base - 1 if draw.base else 0.0
        lines: tuple[tuple[str, str, str, Any, Unit], ...] = (
            ("reserve", "Contingency of the budget", "预算的预备费", draw.reserve, MONEY),
            *((f"p{quantile:.0%}", f"P{100 * quantile:.0f}: {quantile:.0%} of draws cost at most",
               f"P{100 * quantile:.0f}：{quantile:.0%} 的抽样不超过", value, MONEY)
              for quantile, value in zip(QUANTILES, draw.quantiles, strict=True)),
            ("mean", "Mean", "均值", draw.mean, MONEY),
            ("deviation", "Standard deviation", "标准差", draw.deviation, MONEY),
            ("lowest", "Lowest", "最低", draw.lowest, MONEY),
            ("highest", "Highest", "最高", draw.highest, MONEY),
            ("above_base", "Chance to cost more than the budget", "超出预算的概率", draw.above_base, SHARE),
            ("above_budget", "Chance to cost more than budget and contingency", "超出预算加预备费的概率", draw.above_budget, SHARE),
            ("needed", "Contingency that P90 would need", "覆盖 P90 所需的预备费率", needed, SHARE),
            ("failed", "Draws in which no number of cards would do", "无可行卡数的抽样次数", draw.failed, NUMBER),
        )  # fmt: skip
        for row, (key, en, zh, value, unit) in enumerate(lines, TOP + 1):
            self.rows[key] = row
            self.look.text(self.sheet.cell(row, 1, say(en, zh)), bold=key.startswith("p"))
            self._still(row, 2, value, unit, bold=key.startswith("p"))
            self.look.text(self.sheet.cell(row, 3, unit.label(self.parts.lang)), color="7F7F7F", indent=True)
        return TOP + len(lines)

    def _histogram(self) -> int:
        say, draw = self.parts.say, self.draw
        for offset, head in enumerate(say("From|To|Draws|Share", "自|至|次数|占比").split("|")):
            self.look.header(self.sheet.cell(TOP, HISTOGRAM + offset, head))
        for row, count in enumerate(draw.counts, TOP + 1):
            bin_ = row - TOP - 1
            kept = draw.draws - draw.failed
            values = ((draw.edges[bin_], MONEY), (draw.edges[bin_ + 1], MONEY), (count, NUMBER), (count / kept, SHARE))
            for offset, (value, unit) in enumerate(values):
                self._still(row, HISTOGRAM + offset, value, unit)
        self.rows["bins"] = TOP + 1
        return TOP + len(draw.counts)

    def _chart(self, row: int) -> None:
        say, top = self.parts.say, self.rows["bins"]
        bottom = top + len(self.draw.counts) - 1
        chart: Any = BarChart()
        chart.type, chart.legend, chart.gapWidth = "col", None, 8
        chart.title = say("Distribution of the cost", "成本分布")
        chart.add_data(Reference(self.sheet, min_col=HISTOGRAM + 3, min_row=top, max_row=bottom), titles_from_data=False)
        chart.set_categories(Reference(self.sheet, min_col=HISTOGRAM, min_row=top, max_row=bottom))
        chart.series[0].graphicalProperties.solidFill = "2F5597"
        chart.x_axis.delete = chart.y_axis.delete = False
        chart.x_axis.number_format, chart.y_axis.number_format = COUNT, "0%"
        chart.height, chart.width = 8, 26
        self.sheet.add_chart(chart, f"A{row}")

    def _drivers(self, row: int) -> int:
        say, lang = self.parts.say, self.parts.lang
        self.look.group(self.sheet, row, say("What the cost depends on", "成本的主要驱动因素"), WIDTH)
        heads = say("Driver|Share of the variance|Drawn from|Rank correlation", "驱动因素|方差贡献|抽样区间|秩相关系数").split("|")
        for column, head in enumerate(heads, 1):
            self.look.header(self.sheet.cell(row + 1, column, head))
        self.rows["drivers"] = row + 2
        for at, one in enumerate(self.draw.drivers, row + 2):
            self.look.text(self.sheet.cell(at, 1, one.driver.label(lang)))
            self._still(at, 2, one.share, SHARE)
            self.look.text(self.sheet.cell(at, 3, _range(one.column, lang)), color="595959", indent=True)
            self._still(at, 4, one.correlation, unit_of(Ratio))
        return row + 1 + len(self.draw.drivers)

    def _alert(self) -> None:
        changed = f"$D${COMPARED}:$D${self.rows['capacity']}"
        good = self.parts.say("The budget is still the one that was drawn from.", "预算与抽样时一致。")
        bad = self.parts.say("The budget has changed since: draw anew with gpusheet budget --monte-carlo.",
                             "预算在抽样后已变更：请用 gpusheet budget --monte-carlo 重新抽样。")  # fmt: skip
        self.parts.put(self.sheet, STATE_ROW, 1, f'=IF(SUM({changed})=0,"{good}","{bad}")', TEXT)
        self.parts.alerts.append(Check(
            "Risk: the budget has changed since it was drawn", "风险：抽样后预算已变更", NAME, f"=MAX({NAME}!{changed})",
            "The distribution is of an earlier budget: run gpusheet budget with --monte-carlo again.",
            "分布对应较早的预算：请重新运行 gpusheet budget --monte-carlo。"))  # fmt: skip


def _range(column: Column, lang: str) -> str:
    """The usual range of a column, in words."""
    low, high = (column.unit.show(end, lang).split(" ")[0] for end in (column.low, column.high))
    return f"{column.label(lang)}: {low} – {high}" if lang == "en" else f"{column.label(lang)}：{low} – {high}"
