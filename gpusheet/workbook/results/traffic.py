"""The sheet Traffic: cards by the hour of a day, in layers, and what to rent by the hour, commit or buy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from openpyxl.chart import BarChart, LineChart, Reference
from openpyxl.chart.data_source import StrRef
from openpyxl.chart.series import SeriesLabel
from openpyxl.styles import Alignment
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.pagebreak import Break

from gpusheet.calendar import Line
from gpusheet.catalog import Workload, columns
from gpusheet.catalog.planning import HOURS, TrafficCurve
from gpusheet.decisions.rent_or_buy import BUY
from gpusheet.decisions.traffic import HOUR_LINES, LAYER_LINES, PEAK_LINES, WAYS, WORKLOAD_FACTS
from gpusheet.expr import Symbol
from gpusheet.formula import Facts, cell_formula
from gpusheet.units import (
    Cards,
    Flag,
    Hours,
    MoneyPerMonth,
    Number,
    PerCardHour,
    PerCardMonth,
    Ratio,
    Text,
    Unit,
    unit_of,
)
from gpusheet.wiring import TABLES, quantities
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.grid import fill_block
from gpusheet.workbook.layout import NAME_ROW
from gpusheet.workbook.results.options import NAME as OPTIONS
from gpusheet.workbook.results.options import OptionCells, chosen
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.style import printing, protect, set_widths

NAME = "Traffic"
WIDTH = 10
TEXT, CARDS, MONEY, HOUR, NUMBER, RATIO = (unit_of(one) for one in (Text, Cards, MoneyPerMonth, Hours, Number, Ratio))
CURVE_STATES = (
    ("", ""), ("no curve named: traffic_curve in Workloads", "未指定流量曲线：见业务负载的 traffic_curve"),
    ("no such curve in Curves", "流量曲线表中没有该曲线"), ("all weights are 0", "各小时权重均为 0"),
)  # fmt: skip
LABELS = {
    "on_demand": ("Rented by the hour", "按小时租用"), "monthly": ("Committed by the month", "包月"), BUY: ("Bought", "购买"),
    "mixed": ("Mixed: the cheapest way for each layer", "混合：各层取最省方式"),
}  # fmt: skip
PRICES = {
    "on_demand": ("paid_hour_price", unit_of(PerCardHour)), "monthly": ("committed_price", unit_of(PerCardMonth)),
    BUY: ("owned_card_cost", unit_of(PerCardMonth)),
}  # fmt: skip
ABOUT, BILLS, CHART, DAY, LAYERS = 3, 20, 28, 49, 78  # where the parts of the sheet begin
FIRST, BOTTOM = DAY + 3, LAYERS + 3  # first hour, lowest layer


class _Writer:
    def __init__(self, parts: Parts) -> None:
        self.parts, self.look = parts, parts.look
        self.options: OptionCells = parts.rows[OPTIONS]
        self.sheet: Any = parts.sheet(NAME, WIDTH)
        self.cells: dict[str, str] = {}  # single values by name
        self.columns: dict[str, int] = {}  # what stands in a column: of the hours, or of the layers

    def put(self) -> dict[str, Any]:
        names = ("hour", "hour_weight", *(line.name for line in HOUR_LINES), "base")
        self.columns = {name: column for column, name in enumerate(names, 1)}
        layered = ("layer", "reach", "layer_cards", "layer_hours", *(line.name for line in LAYER_LINES), "way", "cost")
        self.columns |= {name: column for column, name in enumerate(layered, 1)}
        self._about()
        self._bills()
        self._hours()
        self._layers()
        self._chart()
        last = BOTTOM + len(HOURS) - 1
        set_widths(self.sheet, (40, 22, 15, 15, 17, 17, 17, 24, 16, 16))
        self.sheet.freeze_panes = "B3"
        printing(self.sheet, self.parts.lang, "1:2", f"A1:{get_column_letter(WIDTH)}{last}")
        self.sheet.row_breaks.append(Break(id=DAY - 1))
        protect(self.sheet)
        self._checks()
        return {"cells": self.cells, "columns": self.columns}

    # --- places ---

    def _all(self, key: str) -> str:
        """The cells of a column over the hours or the layers."""
        letter, first = get_column_letter(self.columns[key]), self._top(key)
        return f"${letter}${first}:${letter}${first + len(HOURS) - 1}"

    def _one(self, key: str) -> str:
        """The first of them, to be filled down."""
        return f"${get_column_letter(self.columns[key])}{self._top(key)}"

    @staticmethod
    def _top(key: str) -> int:
        return FIRST if key.startswith(("hour", "base")) else BOTTOM

    def _formula(self, line: Line) -> str:
        def place(name: str) -> str:
            if name in self.columns:
                return self._one(name)
            if name in self.cells:
                return self.cells[name]
            return self.parts.cells.value(name) if name in self.parts.cells.rows else name

        names = {node.name for node in line.expression.walk() if isinstance(node, Symbol)}
        known: Mapping[str, Facts] = {name: Facts(number=name not in TABLES) for name in names}
        return cell_formula(line.expression, known, place)

    def _column(self, key: str, formula: str, unit: Unit) -> None:
        fill_block(self.sheet, self.look, self._top(key), len(HOURS), self.columns[key], 1, formula, unit)

    def _heads(self, row: int, en: str, zh: str, heads: Iterable[tuple[str, Unit | None]]) -> None:
        self.look.group(self.sheet, row, self.parts.say(en, zh), WIDTH)
        for column, (head, unit) in enumerate(heads, 1):
            self.look.header(self.sheet.cell(row + 1, column, head))
            cell = self.sheet.cell(row + 2, column, unit.label(self.parts.lang) if unit else None)
            self.look.text(cell, color="7F7F7F")
            cell.alignment = Alignment(horizontal="center", shrink_to_fit=True)
        self.sheet.row_dimensions[row + 1].height = 30

    # --- parts of the sheet ---

    def _about(self) -> None:
        """The workload and its curve; the peak that is typed beside the curve's own."""
        parts, say, options = self.parts, self.parts.say, self.options
        number = options.at("workload_number")
        name = f"INDEX({parts.span.row('Lookup', NAME_ROW)},{number})"
        label = {c.name: (c.label(parts.lang), c.unit) for row in (Workload, TrafficCurve) for c in columns(row)}
        weights, net = self._all("hour_weight"), self._all("hour_net")
        there = f"COUNT({weights})=ROWS({weights})"
        order = ("workload", "state", "traffic_curve", "curve_state", "curve_row", "run_rate_month", "largest_weight", "all_weights",
                 "ready", "peak_cards", *(line.name for line in PEAK_LINES))  # fmt: skip
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
        }
        for line in PEAK_LINES:
            facts[line.name] = (line.label(parts.lang), line.rule.unit, self._formula(line).removeprefix("="))
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
            (say("Price of a card", "单卡价格"), None), (say("Cards in the mix", "混合中的卡数"), CARDS),
            (say("Bill for all cards", "全部采用时的月账单"), MONEY),
            (say("Saved by the mix", "混合方式节省"), MONEY),
        )  # fmt: skip
        self._heads(BILLS, "Bill of a month", "月账单", heads)
        first = BILLS + 3
        mixed = first + len(WAYS)
        models = {"on_demand": ("paid_hour_price", "on_demand"), "monthly": ("paid_price", "monthly"), BUY: ("owned_card_cost", "")}
        way, cards, reach = (self._all(one) for one in ("way", "layer_cards", "reach"))
        for row, key in enumerate((*WAYS, "mixed"), first):
            self.look.text(self.sheet.cell(row, 1, say(*LABELS[key])), bold=key == "mixed")
            money = self._all("cost" if key == "mixed" else f"layer_{key}")
            priced = f"{self.cells['ready']}*(COUNT({money})=COUNT({reach}))"
            if key != "mixed":
                name, unit = PRICES[key]
                self.look.text(self.sheet.cell(row, 2, unit.label(parts.lang)), color="7F7F7F")
                parts.put(self.sheet, row, 3, f"={self.options.at(*models[key])}", unit)
                self.cells[name] = f"$C${row}"
                parts.put(self.sheet, row, 4, f'=IF(COUNT($E${mixed})=1,SUMIFS({cards},{way},$A{row}),"")', CARDS)
            parts.put(self.sheet, row, 5, f'=IF({priced},SUM({money}),"")', MONEY, total=key == "mixed")
            if key != "mixed":
                parts.put(self.sheet, row, 6, f'=IF(COUNT(E{row},E${mixed})=2,E{row}-E${mixed},"")', MONEY)
            self.cells[f"bill_{key}"] = f"$E${row}"
            self.cells[f"mix_{key}"] = f"$D${row}"
            self.cells[f"saved_{key}"] = f"$F${row}"
        parts.put(self.sheet, mixed, 4, f'=IF(COUNT(D{first}:D{mixed - 1})=ROWS(D{first}:D{mixed - 1}),SUM(D{first}:D{mixed - 1}),"")',
                  CARDS, total=True)  # fmt: skip
        self.cells["ways"] = f"$A${first}:$A${mixed - 1}"

    def _hours(self) -> None:
        parts, say = self.parts, self.parts.say
        heads: list[tuple[str, Unit | None]] = [(say("Hour", "时段"), None), (say("Weight", "权重"), RATIO)]
        heads += [(line.label(parts.lang), line.rule.unit) for line in HOUR_LINES]
        heads.append((say("Committed or bought", "包月或购买的卡"), CARDS))
        self._heads(DAY, "Hours of a day in the run-rate month", "稳态月的一天", heads)
        for row, hour in enumerate(HOURS, FIRST):
            self.look.text(self.sheet.cell(row, 1, f"{hour[1:]}:00"), indent=True)
        curve, hour_number = self.cells["curve_row"], f"ROWS(A${FIRST - 1}:A{FIRST - 1})"
        weight = f'=IF(COUNT({curve})=1,N(INDEX(Curves[[{HOURS[0]}]:[{HOURS[-1]}]],{curve},{hour_number})),"")'
        self._column("hour_weight", weight, RATIO)
        for line in HOUR_LINES:
            self._column(line.name, self._formula(line), line.rule.unit)
        kept = ",".join(self.cells[f"mix_{way}"] for way in WAYS[1:])
        self._column("base", f'=IF(COUNT({kept})=2,SUM({kept}),"")', CARDS)

    def _layers(self) -> None:
        say = self.parts.say
        heads: list[tuple[str, Unit | None]] = [
            (say("Layer, lowest first", "层（自下而上）"), NUMBER), (say("Up to card", "至第几张卡"), CARDS),
            (say("Cards", "卡数"), CARDS), (say("Hours a day", "每日小时数"), HOUR),
        ]  # fmt: skip
        heads += [(say(*LABELS[way]), MONEY) for way in WAYS]
        heads += [(say("Cheapest way", "最省方式"), None), (say("Its cost", "其成本"), MONEY)]
        self._heads(LAYERS, "Layers of cards", "卡的分层", heads)
        self._column("layer", f"=ROWS(A${BOTTOM - 1}:A{BOTTOM - 1})", NUMBER)
        for row in range(BOTTOM, BOTTOM + len(HOURS)):
            self.look.text(self.sheet.cell(row, 1), color="A6A6A6")
        net, layer, reach = self._all("hour_net"), self._one("layer"), self._one("reach")
        before, hours = f"$B{BOTTOM - 1}", self._one("layer_hours")
        goes_on = f"{self.cells['ready']}*(({layer}=1)+(COUNT({before})=1)>0)*(N({self.cells['peak_cards']})>N({before}))"
        self._column("layer_hours", f'=IF({goes_on},COUNTIF({net},">"&N({before})),"")', HOUR)
        self._column("reach", f'=IF(COUNT({hours})=1,LARGE({net},{hours}),"")', CARDS)
        self._column("layer_cards", f'=IF(COUNT({reach})=1,{reach}-N({before}),"")', CARDS)
        for line in LAYER_LINES:
            self._column(line.name, self._formula(line), line.rule.unit)
        costs = [self._one(line.name) for line in LAYER_LINES]
        cost = self._one("cost")
        self._column("cost", f'=IF(COUNT({costs[0]}:{costs[-1]})=0,"",MIN({costs[0]}:{costs[-1]}))', MONEY)
        dearer = "*(1+".join(f'(({one}="")+({one}>{cost}*(1+tiny))>0)' for one in costs[:-1]) + ")"
        named = f'INDEX({self.cells["ways"]},1+{dearer})'
        self._column("way", f'=IF(COUNT({cost})=0,"",{named})', TEXT)

    def _chart(self) -> None:
        """Cards to pay for by the hour, and how many of them are committed or bought."""
        bars: Any = BarChart()
        bars.type = "col"
        bars.title = self.parts.say("Cards to pay for by the hour", "各小时待付费卡数")
        names = Reference(self.sheet, min_col=1, min_row=FIRST, max_row=FIRST + len(HOURS) - 1)
        line: Any = LineChart()
        for chart, key, color in ((bars, "hour_net", "9DC3E6"), (line, "base", "C55A11")):
            column = self.columns[key]
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

        net, cards, hours, qps = (here(self._all(key)) for key in ("hour_net", "layer_cards", "layer_hours", "hour_qps"))
        ready = here(self.cells["ready"])
        fleet, mixed = options.at("fleet_cards"), here(self.cells["bill_mixed"])
        bills = here(f"{self.cells['bill_on_demand']}:{self.cells[f'bill_{BUY}']}")
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
        ]  # fmt: skip
        parts.alerts.append(Check(
            "Typed peak is off its traffic curve", "所填峰值与流量曲线不符", NAME, f"=SUM({here(self.cells['peaks_differ'])})",
            "Peak factor and busy hours give another peak than the curve: bursts and sales days may explain it, else correct either.",
            "峰值系数与忙时得出的峰值与曲线不同：突发或促销可解释，否则请更正其一。"))  # fmt: skip


def put_traffic(parts: Parts) -> None:
    parts.rows[NAME] = _Writer(parts).put()
