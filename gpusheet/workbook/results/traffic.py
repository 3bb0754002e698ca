"""The sheet Traffic: cards by the hour of a day, in layers, and what to rent by the hour, commit or buy."""

from __future__ import annotations

from typing import Any

from openpyxl.chart import BarChart, LineChart, Reference
from openpyxl.chart.data_source import StrRef
from openpyxl.chart.series import SeriesLabel
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.pagebreak import Break

from gpusheet.catalog import Workload, columns
from gpusheet.catalog.planning import HOURS, TrafficCurve
from gpusheet.decisions.rent_or_buy import BUY
from gpusheet.decisions.traffic import HOUR_LINES, PEAK_LINES, WAYS, WORKLOAD_FACTS
from gpusheet.units import (
    Flag,
    Hours,
    PerCardHour,
    PerCardMonth,
    Ratio,
    Unit,
    unit_of,
)
from gpusheet.wiring import quantities
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.layout import NAME_ROW
from gpusheet.workbook.results.options import chosen
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.results.traffic_board import (
    ABOUT,
    BILLED,
    BILLS,
    CARDS,
    CHART,
    CHOSEN,
    DAY,
    FIRST,
    MONEY,
    NAME,
    NUMBER,
    OWNING,
    TEXT,
    WIDTH,
    Board,
)
from gpusheet.workbook.results.traffic_layers import bought, put_layers, put_owning
from gpusheet.workbook.style import printing, protect, set_widths

HOUR, RATIO = unit_of(Hours), unit_of(Ratio)
CURVE_STATES = (
    ("", ""), ("no curve named: traffic_curve in Workloads", "未指定流量曲线：见业务负载的 traffic_curve"),
    ("no such curve in Curves", "流量曲线表中没有该曲线"), ("all weights are 0", "各小时权重均为 0"),
)  # fmt: skip
LABELS = {
    "on_demand": ("Rented by the hour", "按小时租用"), "monthly": ("Committed by the month", "包月"), BUY: ("Bought", "购买"),
    "rented": ("Rented: by the hour or the month, each layer", "租用：各层取按小时或包月"),
    "mixed": ("Mixed: lowest layers bought, others rented", "混合：下层购买，其余租用"),
}  # fmt: skip
PRICES = {
    "on_demand": ("paid_hour_price", unit_of(PerCardHour)), "monthly": ("committed_price", unit_of(PerCardMonth)),
    BUY: ("owned_card_cost", unit_of(PerCardMonth)),
}  # fmt: skip

class _Writer(Board):
    def put(self) -> dict[str, Any]:
        self._about()
        self._bills()
        self._hours()
        put_layers(self)
        put_owning(self)
        self._chart()
        last = CHOSEN + len(HOURS) - 1
        set_widths(self.sheet, (40, 22, 15, 15, 17, 17, 17, 24, 16, 16))
        self.sheet.freeze_panes = "B3"
        printing(self.sheet, self.parts.lang, "1:2", f"A1:{get_column_letter(WIDTH)}{last}")
        for part in (DAY, OWNING):
            self.sheet.row_breaks.append(Break(id=part - 1))
        protect(self.sheet)
        self._checks()
        return {"cells": self.cells, "places": self.places}

    # --- parts of the sheet ---

    def _about(self) -> None:
        """The workload and its curve; the peak that is typed beside the curve's own."""
        parts, say, options = self.parts, self.parts.say, self.options
        number = options.at("workload_number")
        name = f"INDEX({parts.span.row('Lookup', NAME_ROW)},{number})"
        label = {c.name: (c.label(parts.lang), c.unit) for row in (Workload, TrafficCurve) for c in columns(row)}
        weights, net = self.all("hour_weight"), self.all("hour_net")
        there = f"COUNT({weights})=ROWS({weights})"
        order = ("workload", "state", "traffic_curve", "curve_state", "curve_row", "run_rate_month", "largest_weight", "all_weights",
                 "ready", "peak_cards", *(line.name for line in PEAK_LINES), "bought")  # fmt: skip
        at = {one: f"$B${ABOUT + offset}" for offset, one in enumerate(order)}
        self.cells |= at | {one: f"$H${ABOUT + offset}" for offset, one in enumerate(WORKLOAD_FACTS)}
        curve, known = at["traffic_curve"], f"COUNTIF(Curves[curve],{at['traffic_curve']})=1"
        code = f'({curve}="")+2*({curve}<>"")*(1-({known}))+3*({known})*(N({at["largest_weight"]})=0)'
        typed = f'IF({options.at("status")}="ok",INDEX(Workloads[traffic_curve],{number})&"","")'
        said = f'IF({options.at("status")}="ok",{chosen(code, CURVE_STATES, parts)},"")'
        facts: dict[str, tuple[str, Unit, str]] = {
            "workload": (say("Workload looked at", "分析对象"), TEXT, f'IF(COUNT({number})=1,{name},"")'),
            "state": (say("State", "状态"), TEXT, options.at("state")),
            "traffic_curve": (*label["traffic_curve"], typed),
            "curve_state": (say("What is missing", "缺少内容"), TEXT, said),
            "curve_row": (say("Row in Curves", "流量曲线表内行号"), NUMBER, f'IF({known},MATCH({curve},Curves[curve],0),"")'),
            "run_rate_month": (say("Run-rate month", "稳态月"), quantities()["month"].unit, options.at("run_rate_month")),
            "largest_weight": (say("Largest weight", "最大权重"), RATIO, f'IF({there},MAX({weights}),"")'),
            "all_weights": (say("Sum of the weights", "权重合计"), RATIO, f'IF({there},SUM({weights}),"")'),
            "ready": (say("Cards known in every hour", "各小时卡数齐全"), unit_of(Flag), f"1*(COUNT({net})=ROWS({net}))"),
            "peak_cards": (say("Cards to pay for in the busiest hour", "峰值小时待付费卡数"), CARDS,
                           f'IF({at["ready"]}=1,MAX({net}),"")'),
            "bought": (say("Lowest layers to buy", "应购买的下部层数"), NUMBER, bought(self)),
        }
        for line in PEAK_LINES:
            facts[line.name] = (line.label(parts.lang), line.rule.unit, self.formula(line).removeprefix("="))
        for row, one in enumerate(order, ABOUT):
            title, unit, formula = facts[one]
            self.look.text(self.sheet.cell(row, 1, title), bold=row == ABOUT)
            parts.put(self.sheet, row, 2, f"={formula}", unit)
            self.look.text(self.sheet.cell(row, 3, None if unit is TEXT else unit.label(parts.lang)), color="7F7F7F")
        for row, one in enumerate(WORKLOAD_FACTS, ABOUT):  # at the right: what the hours are computed from
            title, unit = options.said[one] if one in options.said else (quantities()[one].label(parts.lang), quantities()[one].unit)
            self.look.text(self.sheet.cell(row, 5, title))
            parts.put(self.sheet, row, 8, f"={options.at(one) if one in options.rows else parts.cells.value(one)}", unit)
            self.look.text(self.sheet.cell(row, 9, unit.label(parts.lang)), color="7F7F7F")

    def _bills(self) -> None:
        """A month's bill of all cards by each way, and of the mix."""
        parts, say = self.parts, self.parts.say
        heads = (
            (say("Way to pay", "付费方式"), None), (say("Unit of the price", "价格单位"), None),
            (say("Price of a card; bought: if all are", "单卡价格（购买：全部购买时）"), None),
            (say("Cards in the mix", "混合中的卡数"), CARDS),
            (say("Their cost in the mix", "混合中的成本"), MONEY), (say("Bill for all cards", "全部采用时的月账单"), MONEY),
            (say("Saved by the mix", "混合方式节省"), MONEY),
        )  # fmt: skip
        self.heads(BILLS, "Bill of a month", "月账单", heads)
        first = BILLS + 3
        mixed = self.cells["bill_mixed"]
        models = {"on_demand": ("paid_hour_price", "on_demand"), "monthly": ("paid_price", "monthly"), BUY: ("owned_card_cost", "")}
        way, reach = self.all("way"), self.all("reach")
        for row, key in enumerate(BILLED, first):
            self.look.text(self.sheet.cell(row, 1, say(*LABELS[key])), bold=key == "mixed")
            money = self.all({"rented": "rent", "mixed": "cost"}.get(key, f"layer_{key}"))
            priced = f"{self.cells['ready']}*(COUNT({money})=COUNT({reach}))"
            if key in WAYS:
                name, unit = PRICES[key]
                self.look.text(self.sheet.cell(row, 2, unit.label(parts.lang)), color="7F7F7F")
                parts.put(self.sheet, row, 3, f"={self.options.at(*models[key])}", unit)
                self.cells[name] = f"$C${row}"
                for column, summed, unit in ((4, "layer_cards", CARDS), (5, "cost", MONEY)):
                    total = f"SUMIFS({self.all(summed)},{way},$A{row})"
                    parts.put(self.sheet, row, column, f'=IF(COUNT({mixed})=1,{total},"")', unit)
            parts.put(self.sheet, row, 6, f'=IF({priced},SUM({money}),"")', MONEY, total=key == "mixed")
            if key != "mixed":
                parts.put(self.sheet, row, 7, f'=IF(COUNT(F{row},{mixed})=2,F{row}-{mixed},"")', MONEY)
            self.cells |= {f"{of}_{key}": f"${letter}${row}" for of, letter in (("mix", "D"), ("spent", "E"), ("saved", "G"))}
        last = first + len(WAYS) - 1
        for letter, unit in (("D", CARDS), ("E", MONEY)):
            span = f"{letter}{first}:{letter}{last}"
            total = f'=IF(COUNT({span})=ROWS({span}),SUM({span}),"")'
            parts.put(self.sheet, first + len(BILLED) - 1, ord(letter) - ord("A") + 1, total, unit, total=True)
        self.cells["ways"] = f"$A${first}:$A${last}"

    def _hours(self) -> None:
        parts, say = self.parts, self.parts.say
        heads: list[tuple[str, Unit | None]] = [(say("Hour", "时段"), None), (say("Weight", "权重"), RATIO)]
        heads += [(line.label(parts.lang), line.rule.unit) for line in HOUR_LINES]
        heads.append((say("Committed or bought", "包月或购买的卡"), CARDS))
        self.heads(DAY, "Hours of a day in the run-rate month", "稳态月的一天", heads)
        for row, hour in enumerate(HOURS, FIRST):
            self.look.text(self.sheet.cell(row, 1, f"{hour[1:]}:00"), indent=True)
        curve, hour_number = self.cells["curve_row"], f"ROWS(A${FIRST - 1}:A{FIRST - 1})"
        weight = f'=IF(COUNT({curve})=1,N(INDEX(Curves[[{HOURS[0]}]:[{HOURS[-1]}]],{curve},{hour_number})),"")'
        self.column("hour_weight", weight, RATIO)
        for line in HOUR_LINES:
            self.column(line.name, self.formula(line), line.rule.unit)
        kept = ",".join(self.cells[f"mix_{way}"] for way in WAYS[1:])
        self.column("base", f'=IF(COUNT({kept})=2,SUM({kept}),"")', CARDS)

    def _chart(self) -> None:
        """Cards to pay for by the hour, and how many of them are committed or bought."""
        bars: Any = BarChart()
        bars.type = "col"
        bars.title = self.parts.say("Cards to pay for by the hour", "各小时待付费卡数")
        names = Reference(self.sheet, min_col=1, min_row=FIRST, max_row=FIRST + len(HOURS) - 1)
        line: Any = LineChart()
        for chart, key, color in ((bars, "hour_net", "9DC3E6"), (line, "base", "C55A11")):
            column = self.places[key][1]
            chart.add_data(Reference(self.sheet, min_col=column, min_row=FIRST, max_row=FIRST + len(HOURS) - 1))
            chart.set_categories(names)
            series = chart.series[0]
            series.tx = SeriesLabel(strRef=StrRef(f"{NAME}!${get_column_letter(column)}${DAY + 1}"))
            if chart is bars:
                series.graphicalProperties.solidFill = color
            else:
                series.graphicalProperties.line.solidFill = color
                series.graphicalProperties.line.width = 28575
                series.marker.symbol, series.smooth = "none", False
        bars.x_axis.delete = bars.y_axis.delete = False
        bars.y_axis.number_format, bars.y_axis.scaling.min, bars.gapWidth = "0", 0, 40
        bars.legend.position = "b"
        bars.height, bars.width = 10, 38
        bars += line
        self.sheet.add_chart(bars, f"A{CHART}")

    def _checks(self) -> None:
        parts, options = self.parts, self.options

        def here(text: str) -> str:
            return f"{NAME}!{text}"

        net, cards, hours, qps = (here(self.all(key)) for key in ("hour_net", "layer_cards", "layer_hours", "hour_qps"))
        ready = here(self.cells["ready"])
        fleet, mixed = options.at("fleet_cards"), here(self.cells["bill_mixed"])
        bills = here(f"{self.cells[f'bill_{WAYS[0]}']}:{self.cells['bill_rented']}")
        all_owned, owning = here(self.cells[f"bill_{BUY}"]), options.at("owned_monthly_cost")
        asked = f"{options.at('requests_per_day')}*{options.at('demand_factor')}"
        changed = ("A formula of Traffic was changed.", "日内流量表的公式被改动。")
        parts.checks += [
            Check("Traffic: card hours of the layers against the hours", "日内流量：分层卡时与各小时一致", NAME,
                  f"=IF({ready}=1,SUMPRODUCT({cards},{hours})-SUM({net}),0)", *changed),
            Check("Traffic against Budget: cards of the busiest hour", "日内流量与预算一致：峰值小时卡数", NAME,
                  f"=IF({ready}=1,MAX({net})-{fleet},0)", *changed),
            Check("Traffic: requests of the hours against those of the day", "日内流量：各小时请求与日请求一致", NAME,
                  f"=IF(COUNT({qps})=ROWS({qps}),SUM({qps})*seconds_per_hour-{asked},0)", *changed, tolerance="0.01"),
            Check("Traffic: the mix is never dearer than one way alone", "日内流量：混合方式不高于单一方式", NAME,
                  f"=IF((COUNT({mixed})=1)*(COUNT({bills})>0),MAX(0,{mixed}-MIN({bills})),0)", *changed, tolerance="0.01"),
            Check("Traffic: cost of the mix by way against its bill", "日内流量：混合中各方式成本之和与账单一致", NAME,
                  f"=IF(COUNT({mixed})=1,{here(self.cells['spent_mixed'])}-{mixed},0)", *changed, tolerance="0.01"),
            Check("Traffic against RentOrBuy: cost of owning all cards", "日内流量与租购比较一致：全部自有的成本", NAME,
                  f"=IF(COUNT({all_owned},{owning})=2,{all_owned}-{owning},0)", *changed, tolerance="0.01"),
        ]  # fmt: skip
        parts.alerts.append(Check(
            "Typed peak is off its traffic curve", "所填峰值与流量曲线不符", NAME, f"=SUM({here(self.cells['peaks_differ'])})",
            "Peak factor and busy hours give another peak than the curve: bursts and sales days may explain it, else correct either.",
            "峰值系数与忙时得出的峰值与曲线不同：突发或促销可解释，否则请更正其一。"))  # fmt: skip


def put_traffic(parts: Parts) -> None:
    parts.rows[NAME] = _Writer(parts).put()
