"""The sheet Compare: the workload looked at on every card and pricing model, ranked, with what it is on now beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from openpyxl.chart import BarChart, Reference
from openpyxl.formatting.rule import FormulaRule
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.hyperlink import Hyperlink

from gpusheet.catalog import Gpu, Price, Workload, columns
from gpusheet.catalog.derived import Found
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.registry import find_rule
from gpusheet.units import Flag, MoneyPerMonth, NewestDay, Number, Share, Text, Unit, unit_of
from gpusheet.wiring import quantities
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.grid import fill_block
from gpusheet.workbook.layout import NAME_ROW
from gpusheet.workbook.results.gpu_cases import SHEET as CASES
from gpusheet.workbook.results.gpu_cases import GpuCases
from gpusheet.workbook.results.gpu_lines import NAME as WORKLOAD
from gpusheet.workbook.results.gpu_lines import NUMBER, STATUS
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.style import fill, printing, protect, set_widths

NAME = "Compare"
BEST, DRAWN = 20, 10  # rows of the ranking, bars of the chart
HEADS, NOW, SUMMED, BEFORE = 7, 9, 10, 10  # rows: labels, the choice now, the same in Summary, the last before the ranking
CHART_ROWS = 20
HINT = {
    "en": "Measured figures, fixed, owned and committed cards hold for the workload's own card only.",
    "zh": "实测值、指定卡数、自有与已签约卡只用于业务当前的卡。",
}


@dataclass(frozen=True)
class Shown:
    """A column of the table: of a card, or of an offer."""

    key: str
    en: str
    zh: str
    unit: Unit
    source: str  # line of GpuCases
    offered: bool = False
    width: float = 13

    def label(self, lang: str) -> str:
        return self.zh if lang == "zh" else self.en


def _columns() -> list[Shown]:
    known = {c.name: c for row_type in (Gpu, Workload, Found, Price) for c in columns(row_type)}

    def shown(name: str, source: str = "", offered: bool = False, width: float = 13) -> Shown:
        found: Any = quantities().get(name) or known.get(name) or find_rule(name)
        return Shown(name, found.en, found.zh, found.unit, source or name, offered, width)

    text = unit_of(Text)
    return [
        Shown("gpu", known["gpu"].en, known["gpu"].zh, text, "gpu", width=20),
        Shown("pricing_model", known["pricing_model"].en, known["pricing_model"].zh, text, "", True, 14),
        Shown("result", "Fits, or why not", "可用，或原因", text, "result", True, 27),
        shown("cards"), shown("replica_concurrency"), shown("cards_needed"), shown("card_tier"), shown("free_cards"),
        shown("tier_margin"), shown("card_month_price", offered=True), shown("monthly_cost", offered=True, width=15),
        shown("cost_per_million_output_tokens", offered=True, width=15),
        shown("usage"), shown("available", "price_available", True),
        Shown("price_date", "Day of the price", "报价日期", unit_of(NewestDay), "price_date", True),
    ]  # fmt: skip


class Compare:
    """The sheet, its table, and what it notes of its places."""

    def __init__(self, parts: Parts, cases: GpuCases) -> None:
        self.parts, self.cases, self.look, self.lang = parts, cases, parts.look, parts.lang
        self.shown = _columns()
        extra = ("own", "rank", "ranked_cost", "gpu_number", "model_number")
        self.letters = {key: get_column_letter(i) for i, key in enumerate(("number", *(c.key for c in self.shown), *extra), 1)}
        self.first = BEFORE + BEST + CHART_ROWS + 6
        self.last = self.first + parts.cards * len(PRICING_MODELS) - 1
        self.sheet: Any = parts.sheet(NAME, len(self.letters))

    def put(self) -> None:
        self._table()
        self._ranking()
        self._facts()
        self._chart()
        self._finish()
        self._checks()

    def at(self, key: str) -> str:
        """A column of the table."""
        letter = self.letters[key]
        return f"${letter}${self.first}:${letter}${self.last}"

    def _heads(self, row: int, first: str, more: dict[str, tuple[str, str, Unit]]) -> None:
        """Labels and units of the table's columns, and of the further ones of this block."""
        heads = {"number": (first, unit_of(Number)), **{c.key: (c.label(self.lang), c.unit) for c in self.shown}}
        heads |= {key: (self.parts.say(en, zh), unit) for key, (en, zh, unit) in more.items()}
        for key, (label, unit) in heads.items():
            head, under = (self.sheet[f"{self.letters[key]}{at}"] for at in (row, row + 1))
            head.value, under.value = label, unit.label(self.lang)
            self.look.header(head)
            self.look.text(under, color="7F7F7F", italic=True, wrap=True)
        self.sheet.row_dimensions[row].height = 44
        self.sheet.row_dimensions[row + 1].height = 26

    def _column(self, key: str, formula: str, unit: Unit, row: int, rows: int) -> None:
        position = list(self.letters).index(key) + 1
        fill_block(self.sheet, self.look, row, rows, position, 1, formula, unit)

    def _table(self) -> None:
        """Every card with every pricing model, in the order of the tables."""
        first, rows, cases, number = self.first, self.last - self.first + 1, self.cases, unit_of(Number)
        at = {key: f"${letter}{first}" for key, letter in self.letters.items()}
        self.look.group(self.sheet, first - 3, self.parts.say("All cards and pricing models", "全部卡型与计费方式"), len(self.letters))
        self._heads(first - 2, self.parts.say("No.", "序号"), {
            "own": ("Chosen now", "当前选择", unit_of(Flag)), "rank": ("Rank", "排名", number),
            "ranked_cost": ("Cost that is ranked", "参与排名的费用", unit_of(MoneyPerMonth)),
            "gpu_number": ("No. of the card", "卡型序号", number),
            "model_number": ("No. of the model", "计费方式序号", number)})  # fmt: skip
        models = cases.by_model("result")
        self._column("number", f"=ROW()-ROW($A${first - 1})", number, first, rows)
        self._column("gpu_number", f"=1+INT(({at['number']}-1)/ROWS({models}))", number, first, rows)
        self._column("model_number", f"=1+MOD({at['number']}-1,ROWS({models}))", number, first, rows)
        card, model = at["gpu_number"], at["model_number"]
        listed = ",".join(f'"{name}"' for name in PRICING_MODELS)
        for column in self.shown:
            if column.key == "pricing_model":
                formula = f'=IF({at["gpu"]}="","",CHOOSE({model},{listed}))'
            elif column.offered:
                formula = f"=INDEX({cases.by_model(column.source)},{model},{card})"
            else:
                formula = f"=INDEX({cases.row(column.source)},{card})"
            self._column(column.key, formula, column.unit, first, rows)
        chosen = f"({at['gpu']}={cases.cell('own_gpu')})*({at['pricing_model']}={cases.cell('pricing_model')})"
        self._column("own", f'=IF({at["result"]}="","",{chosen})', unit_of(Flag), first, rows)
        ranked = f'=IF(({at["result"]}={cases.word})*(COUNT({at["monthly_cost"]})=1),{at["monthly_cost"]},"")'
        self._column("ranked_cost", ranked, unit_of(MoneyPerMonth), first, rows)
        cost, top = at["ranked_cost"], self.at("ranked_cost").partition(":")[0]
        ties = f"SUMPRODUCT(1*({top}:{cost}={cost}))-1"
        self._column("rank", f'=IF(COUNT({cost})=1,RANK({cost},{self.at("ranked_cost")},1)+{ties},"")', number, first, rows)

    def _ranking(self) -> None:
        """The choice of today, and the cheapest that fit."""
        sheet, look, say, number, money = self.sheet, self.look, self.parts.say, unit_of(Number), unit_of(MoneyPerMonth)
        self._heads(HEADS, say("Rank", "排名"), {
            "own": ("Chosen now", "当前选择", unit_of(Flag)), "rank": ("Against now", "与当前之差", money),
            "ranked_cost": ("The same in percent", "差异百分比", unit_of(Share)),
            "gpu_number": ("Row of the table", "表内行号", number), "model_number": ("Label", "标签", unit_of(Text))})  # fmt: skip
        for row, label in ((NOW, say("Now", "当前")), (SUMMED, say("Summary", "汇总"))):
            look.text(sheet.cell(row, 1, label), bold=True)
        line = self.letters["gpu_number"]
        own, numbers, ranks = self.at("own"), self.at("number"), self.at("rank")
        self._column("gpu_number", f"=SUMPRODUCT(({own}=1)*{numbers})", number, NOW, 1)
        top = BEFORE + 1
        rank = f"ROW()-ROW($A${BEFORE})"
        self._column("number", f'=IF({rank}>MAX(0,{ranks}),"",{rank})', number, top, BEST)
        place = f'=IF($A{top}="","",MATCH($A{top},{ranks},0))'
        self._column("gpu_number", place, number, top, BEST)
        for row, rows in ((NOW, 1), (top, BEST)):
            label = f'=TRIM($B{row}&" "&$C{row})'
            self._column("model_number", label, unit_of(Text), row, rows)
            for key, unit in (*((c.key, c.unit) for c in self.shown), ("own", unit_of(Flag))):
                self._column(key, f'=IF(N(${line}{row})=0,"",INDEX({self.at(key)},${line}{row}))', unit, row, rows)
        self._summary()
        cost = self.letters["monthly_cost"]
        both = f"COUNT(${cost}{top},${cost}${SUMMED})=2"
        self._column("rank", f'=IF({both},${cost}{top}-${cost}${SUMMED},"")', money, top, BEST)
        share = f'=IF(({both})*(N(${cost}${SUMMED})<>0),${cost}{top}/${cost}${SUMMED}-1,"")'
        self._column("ranked_cost", share, unit_of(Share), top, BEST)

    def _summary(self) -> None:
        """The workload's own figures as Summary has them: the row above must be the same."""
        summary = self.parts.summary
        for column in self.shown:
            if column.key in summary.letters:
                letter = summary.letters[column.key]
                cells = f"Summary!${letter}${summary.first}:${letter}${summary.last}"
                formula = f'=IF({self.cases.cell("looked_at_known")}=1,INDEX({cells},{CASES}!{NUMBER}),"")'
                self._column(column.key, formula, column.unit, SUMMED, 1)

    def _facts(self) -> None:
        """What is compared; the inputs that choose it are a click away."""
        say, cells, sheet = self.parts.say, self.parts.cells, self.sheet
        text, number = unit_of(Text), unit_of(Number)
        name = f"={CASES}!{WORKLOAD}"
        for row, column, label, formula, unit, setting in (
            (3, 2, say("Workload looked at", "分析对象"), name, text, "looked_at"),
            (4, 2, say("Sizing method", "测算方法"), f"={self.cases.cell('sizing_method')}", text, ""),
            (5, 2, say("Offers that fit", "可用报价数"), f"=COUNT({self.at('rank')})", number, ""),
            (3, 6, say("Price list", "价目表"), f"={self.cases.cell('price_list')}", text, "compared_list"),
            (4, 6, say("Budget currency", "预算币种"), f"={cells.value('currency')}", text, ""),
        ):
            self.look.text(sheet.cell(row, column, label), bold=True)
            at = self.parts.put(sheet, row, column + 2, formula, unit)
            sheet[at].alignment = Alignment(horizontal="left", vertical="center")
            if setting:  # the link is on the label: LibreOffice shows that of a blank cell as its text
                title = sheet.cell(row, column)
                title.hyperlink = Hyperlink(
                    ref=title.coordinate, location=cells.value(setting), tooltip=say("To the input", "前往输入单元格"))
                title.font = Font(name=title.font.name, size=10, color="0563C1", underline="single", bold=True)
        self.look.text(sheet.cell(5, 6, say(HINT["en"], HINT["zh"])), color="7F7F7F", italic=True)

    def _chart(self) -> None:
        """Cost per month of the cheapest, by rank."""
        chart: Any = BarChart()
        chart.type, chart.legend = "bar", None
        chart.title = self.parts.say("Cost per month of the cheapest that fit", "可用选项中最便宜者的每月费用")
        cost, label = (list(self.letters).index(key) + 1 for key in ("monthly_cost", "model_number"))
        top, end = BEFORE + 1, BEFORE + DRAWN
        chart.add_data(Reference(self.sheet, min_col=cost, min_row=top, max_row=end), titles_from_data=False)
        chart.set_categories(Reference(self.sheet, min_col=label, min_row=top, max_row=end))
        chart.series[0].graphicalProperties.solidFill = "2F5597"
        chart.x_axis.scaling.orientation = "maxMin"
        chart.x_axis.delete = chart.y_axis.delete = False
        chart.x_axis.tickLblSkip = 1  # the name of every bar
        chart.y_axis.number_format, chart.gapWidth = "#,##0", 40
        chart.height, chart.width = 9, 26
        self.sheet.add_chart(chart, f"B{BEFORE + BEST + 2}")

    def _finish(self) -> None:
        sheet, end = self.sheet, list(self.letters.values())[-1]
        widths = {c.key: c.width for c in self.shown} | {"number": 9, "model_number": 28}
        set_widths(sheet, [widths.get(key, 12) for key in self.letters])
        sheet.freeze_panes = f"C{BEFORE + 1}"
        sheet.auto_filter.ref = f"A{self.first - 1}:{end}{self.last}"
        rank, own, top = self.letters["rank"], self.letters["own"], BEFORE + 1
        for row, last, test, how in (
            (self.first, self.last, f'${rank}{self.first}=""', {"font": Font(color="A6A6A6")}),
            (self.first, self.last, f"${own}{self.first}=1", {"fill": fill("FFF2CC")}),
            (top, BEFORE + BEST, f"${own}{top}=1", {"fill": fill("FFF2CC")}),
        ):
            sheet.conditional_formatting.add(f"A{row}:{end}{last}", FormulaRule(formula=[test], **how))
        # the list of all is to filter on the screen: most of it are cards without a price
        printing(sheet, self.lang, f"{HEADS}:{HEADS + 1}", f"A1:{end}{self.first - 4}", "A:B")
        protect(sheet)

    def _checks(self) -> None:
        cases, letters = self.cases, self.letters
        names = cases.span.row(CASES, NAME_ROW)
        first, last = cases.alike
        place = cases.cell("own_number")
        own = f"INDEX({CASES}!${cases.span.first}${first}:${cases.span.last}${last},0,MAX(1,{place}))"
        sized = f'({place}>0)*({CASES}!{STATUS}="ok")'  # Sizing has nothing for a workload that is not complete
        unlike = f"={sized}*SUMPRODUCT(1*({own}<>{CASES}!$D${first}:$D${last}))"
        keys = ("card_tier", "monthly_cost", "cost_per_million_output_tokens")
        apart = "+".join(f"ABS(N({NAME}!{letters[key]}{NOW})-N({NAME}!{letters[key]}{SUMMED}))" for key in keys)
        again = ("A formula of GpuCases or Compare was changed.", "GpuCases 或 Compare 的公式被改动。")
        for en, zh, where, formula, todo, tolerance in (
            ("Workload looked at that is not in Workloads", "分析对象不在业务表中", "Assumptions",
             f"=1-{cases.cell('looked_at_known')}",
             ("Assumptions, looked_at: name a workload, or leave it blank for the first.",
              "请在假设的 looked_at 中填写业务名称，或留空取第一个。"), "0"),
            ("GPUs beyond the columns that are compared", "超出对比列数的 GPU", "GPUs",
             f"=MAX(0,ROWS(GPUs[gpu])-COLUMNS({names}))",
             ("Run `gpusheet budget` on this workbook: the new one has room for all.",
              "对本工作簿运行 gpusheet budget，新生成的文件会扩充列数。"), "0"),
            ("Compare: the choice of now against Summary", "对比：当前选择与汇总一致", NAME,
             f"={cases.cell('own_list')}*({apart})", again, "0.01"),
            ("Compare: offers that fit but have no rank", "对比：可用但没有排名的报价", NAME,
             f"=SUMPRODUCT(1*({NAME}!{self.at('result')}={cases.word}))-MAX(0,{NAME}!{self.at('rank')})", again, "0"),
            ("GpuCases: lines of the own card unlike Sizing", "逐卡测算：当前卡与测算表不一致的行", CASES,
             unlike, again, "0"),
        ):  # fmt: skip
            self.parts.checks.append(Check(en, zh, where, formula, *todo, tolerance=tolerance))


def put_compare(parts: Parts) -> None:
    cases = GpuCases(parts)
    cases.put()
    parts.rows[CASES] = cases
    sheet = Compare(parts, cases)
    sheet.put()
    parts.rows[NAME] = sheet
