"""The Budget sheet: demand, cards and cost by month, a block of one row per workload for each line of the calendar.

At the left of a block stand the quantities of the workload that the line needs, so that its formula reads its own row
and the month above.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openpyxl.utils import get_column_letter
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from gpusheet.calendar import LINES, MONTH_INPUTS, Line
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.constants import NAMES
from gpusheet.expr import Symbol
from gpusheet.formula import Facts, cell_formula, nullable, sign
from gpusheet.registry import find_rule
from gpusheet.units import Date, Money, Number, Share, Text, Unit, Year, unit_of
from gpusheet.wiring import TABLES, facts, quantities
from gpusheet.workbook.assumptions_sheet import ALL_VALID, AssumptionCells
from gpusheet.workbook.budget_layout import (
    ADDED,
    BLOCKED,
    CHART_ROWS,
    COST,
    COSTS,
    COUNTED,
    DATE_ROW,
    DRIVER,
    FIRST,
    MONTH_ROW,
    MONTHS,
    NAME,
    SEASON_ROW,
    SEASONS_ROW,
    TAX,
    TOTAL,
    WORDS,
    YEAR_ROW,
    BudgetCells,
)
from gpusheet.workbook.grid import fill_block, fill_right
from gpusheet.workbook.layout import FILLED, NAME_ROW, STATUS_ROW, Span, hint_of, role_of, title_of
from gpusheet.workbook.lookup_lines import LookupLines
from gpusheet.workbook.style import Look, printing, protect, set_widths

TEXT, NUMBER, MONEY, SHARE = unit_of(Text), unit_of(Number), unit_of(Money), unit_of(Share)


class BudgetWriter:
    def __init__(
        self, book: Workbook, look: Look, cells: AssumptionCells, lookup: LookupLines, rows: Mapping[str, int],
        span: Span, months: int,
    ) -> None:  # fmt: skip
        self.sheet: Worksheet = book[NAME]
        self.look, self.cells, self.lookup, self.sizing, self.span = look, cells, lookup, rows, span
        self.words = WORDS[look.lang]
        self.at = BudgetCells(months, (months + 10) // 12 + 1)
        # a calendar month may lack its factor
        self.facts: dict[str, Facts] = {**facts(), "season_factor": Facts("nonnegative", nullable=True)}
        self.line = SEASONS_ROW + 2
        self.width = self.at.first_year + self.at.years - 1

    def put(self) -> BudgetCells:
        sheet, look = self.sheet, self.look
        look.title(sheet, title_of(NAME, look.lang), hint_of(NAME, look.lang), role_of(NAME))
        look.band(sheet, role_of(NAME), self.width)
        self._timeline()
        for line in LINES:
            self._block(line)
        self._by_model()
        self._others()
        self._totals()
        set_widths(sheet, (7, 26, 12, 17, 15, 12, 12, 16))
        set_widths(sheet, [14] * self.at.months + [3] + [16] * self.at.years, FIRST)
        sheet.freeze_panes = f"{self.at.first}{SEASON_ROW + 1}"
        area = f"A1:{get_column_letter(self.width)}{self.line + CHART_ROWS}"
        printing(sheet, look.lang, f"{MONTH_ROW}:{SEASON_ROW}", area, "A:C")
        protect(sheet)
        return self.at

    # --- timeline and controls ---

    def _timeline(self) -> None:
        first, months = self.at.first, self.at.months
        start, fiscal = self.cells.value("budget_start"), self.cells.value("fiscal_year_start")
        date = f"{first}{DATE_ROW}"
        year = f'IF(COUNT({date})=1,YEAR({date})+(MONTH({date})>={fiscal})*({fiscal}>1),"")'
        seasons = f"{first}{SEASONS_ROW}"
        found = f'COUNTIFS(Seasons[calendar_month],MONTH({date}),Seasons[season_factor],">=0")'
        season = f'IF(N({seasons})=1,SUMIFS(Seasons[season_factor],Seasons[calendar_month],MONTH({date})),"")'
        lines: tuple[tuple[int, str, str, Unit], ...] = (
            (MONTH_ROW, "month", f"=COLUMNS(${first}${MONTH_ROW - 1}:{first}${MONTH_ROW - 1})", NUMBER),
            (DATE_ROW, "date", f'=IF(COUNT({start})=1,EDATE({start},{first}{MONTH_ROW}-1),"")', unit_of(Date)),
            (YEAR_ROW, "year", f"={year}", unit_of(Year)),
            (SEASON_ROW, "season", f"={season}", quantities()["season_factor"].unit),
            (SEASONS_ROW, "seasons", f'=IF(COUNT({date})=1,{found},"")', NUMBER),
        )
        for row, key, formula, unit in lines:
            self.look.text(self.sheet.cell(row, 2, self.words[key]), bold=True)
            fill_right(self.sheet, self.look, row, FIRST, months, formula, unit)
        for column in range(FIRST, FIRST + months):
            cell: Any = self.sheet.cell(DATE_ROW, column)
            self.look.header(cell, wrap=False)
            cell.number_format = "yyyy-mm"
        tax = self.lookup.rows["price_tax"]
        mixed = "*".join(self.span.count_of("Lookup", tax, basis) for basis in ("included", "excluded"))
        controls: tuple[tuple[int, str, str], ...] = (
            (4, "counted", f"={FILLED}"),
            (5, "tax", f"=1*({mixed}=0)"),
            (6, "blocked_label", self.words["blocked"]),
            (7, "months", f"=COUNT({first}{MONTH_ROW}:{self.at.last}{MONTH_ROW})"),
            (8, "costs", '=SUMPRODUCT(1*((OtherCosts[item]<>"")+(OtherCosts[amount_per_month]<>"")>0))'),
        )
        for row, key, value in controls:
            self.look.text(self.sheet.cell(row, DRIVER, self.words[key]), color="7F7F7F")
            self.look.formula(self._set(row, 6, value), NUMBER if value.startswith("=") else TEXT)
        for offset in range(self.at.years):
            column = self.at.first_year + offset
            before = f"{get_column_letter(column - 1)}{YEAR_ROW}"
            year = f"={first}{YEAR_ROW}" if offset == 0 else f'=IF(COUNT({before})=1,{before}+1,"")'
            cell = self._set(YEAR_ROW, column, year)
            self.look.header(cell, wrap=False)
            cell.number_format = f'"{self.words["fy"]}"0'

    def _set(self, row: int, column: int, value: Any) -> Any:
        cell: Any = self.sheet.cell(row, column)
        cell.value = value
        return cell

    def _heads(self, title: str, unit: str, drivers: list[str], total: str) -> None:
        """The grey row that begins a block."""
        self.look.group(self.sheet, self.line, f"{title}  [{unit}]" if unit else title, self.width)
        for offset, driver in enumerate(drivers):
            cell = self._set(self.line, DRIVER + offset, driver)
            self.look.text(cell, italic=True, wrap=True)
        if total:
            self.look.text(self._set(self.line, TOTAL, total), bold=True)
        if any(len(driver) > 12 for driver in drivers):
            self.sheet.row_dimensions[self.line].height = 40
        self.line += 1

    def _numbers(self, top: int, count: int) -> None:
        """The number of each row of a block, in grey."""
        fill_block(self.sheet, self.look, top, count, 1, 1, f"=ROW()-ROW(A${top - 1})", NUMBER)
        for row in range(top, top + count):
            self.look.text(self.sheet.cell(row, 1), color="A6A6A6")

    # --- blocks of workloads ---

    def _block(self, line: Line) -> None:
        rule, count = line.rule, self.span.count
        earlier = set(self.at.blocks)
        needed = [node.name for node in line.expression.walk() if isinstance(node, Symbol)]
        elsewhere = {*MONTH_INPUTS, *earlier, *NAMES, *TABLES, *self.at.beside}
        drivers = [n for n in dict.fromkeys([*needed, *line.beside]) if n not in elsewhere]
        if line.name == COST:
            drivers.insert(0, "pricing_model")
        self.facts[line.name] = Facts(sign(line.expression, self.facts), nullable(line.expression, self.facts))
        money = line.name == COST
        total = self.words["total"] if money else self.words["peak"] if line.name in ADDED else ""
        self._heads(line.label(self.look.lang), rule.unit.label(self.look.lang), [self._driver_label(name) for name in drivers], total)
        top = self.line
        self.at.blocks[line.name] = top
        self.at.note(line.beside, drivers, top)
        for column, source in ((2, NAME_ROW), (3, STATUS_ROW)):
            formula = f"=INDEX({self.span.row('Lookup', source)},$A{top})"
            fill_block(self.sheet, self.look, top, count, column, 1, formula, TEXT)
        self._numbers(top, count)
        for offset, name in enumerate(drivers):
            formula = f"=INDEX({self._source(name)},$A{top})"
            unit = quantities()[name].unit if name in quantities() else TEXT
            fill_block(self.sheet, self.look, top, count, DRIVER + offset, 1, formula, unit)

        def place(name: str) -> str:
            if name in earlier:
                return f"{self.at.first}{self.at.blocks[name]}"
            if name in self.at.drivers:
                return "${}{}".format(*self.at.drivers[name])
            return {"month": f"{self.at.first}${MONTH_ROW}", "season_factor": f"{self.at.first}${SEASON_ROW}"}.get(
                name, name
            )

        computed = {*earlier, *(name for name in drivers if name in self.sizing)}
        formula = cell_formula(line.expression, self.facts, place, f'$C{top}="ok"', computed=computed)
        fill_block(self.sheet, self.look, top, count, FIRST, self.at.months, formula, rule.unit)
        if line.name in ADDED:
            cells = f"{self.at.first}{top}:{self.at.last}{top}"
            formula = f'=IF(COUNT({cells})={MONTHS},{"SUM" if money else "MAX"}({cells}),"")'
            fill_block(self.sheet, self.look, top, count, TOTAL, 1, formula, rule.unit)
        self.line = top + count
        if line.name in ADDED:
            self._total_of(line.name, top, top + count - 1, rule.unit, money)
        if money:
            self._years(top, count + 1, rule.unit)
        self.line += 2

    def _driver_label(self, name: str) -> str:
        if name in quantities():
            return quantities()[name].label(self.look.lang)
        return {"en": "Pricing model", "zh": "计费方式"}[self.look.lang]

    def _source(self, name: str) -> str:
        if name in self.sizing:
            return self.span.row("Sizing", self.sizing[name])
        return self.span.row("Lookup", self.lookup.rows[name])

    def _total_of(self, name: str, top: int, bottom: int, unit: Unit, money: bool) -> None:
        """The total of a block: the sum where every workload has a number, else a word that says it is blocked."""
        self.look.text(self.sheet.cell(self.line, 2, self.words["total"]), bold=True)
        whole = (f"(COUNT({{}})={COUNTED})*{TAX}" if money else f"COUNT({{}})={COUNTED}").format
        cells = f"{self.at.first}{top}:{self.at.first}{bottom}"
        lacking = f"{COUNTED}-COUNT({cells})"
        self._row(self.line, f'=IF({whole(cells)},SUM({cells}),{BLOCKED}&REPT(" "&{lacking},1*({lacking}>0)))', unit)
        # counted as its column is, so that it is no workload's total with another formula than its neighbours
        own, row = f"H{top}:H{bottom}", f"{self.at.first}{self.line}:{self.at.last}{self.line}"
        total = f"=IF({whole(own)},{'SUM' if money else 'MAX'}({row}),{BLOCKED})"
        self.look.total(self._set(self.line, TOTAL, total), unit)
        self.at.rows[name] = self.line

    def _row(self, row: int, formula: str, unit: Unit) -> None:
        fill_right(self.sheet, self.look, row, FIRST, self.at.months, formula, unit)
        for column in range(FIRST, FIRST + self.at.months):
            self.look.total(self.sheet.cell(row, column), unit)

    def _row_total(self, row: int, unit: Unit) -> None:
        cells = f"{self.at.first}{row}:{self.at.last}{row}"
        self.look.total(self._set(row, TOTAL, f"=IF(COUNT({cells})={MONTHS},SUM({cells}),{BLOCKED})"), unit)

    def _years(self, top: int, count: int, unit: Unit) -> None:
        """Fiscal years of rows: sums over the months of each."""
        months = f"${self.at.first}{top}:${self.at.last}{top}"
        years = f"${self.at.first}${YEAR_ROW}:${self.at.last}${YEAR_ROW}"
        year = f"{get_column_letter(self.at.first_year)}${YEAR_ROW}"
        formula = f'=IF(COUNT({months})={MONTHS},SUMIFS({months},{years},{year}),"")'
        fill_block(self.sheet, self.look, top, count, self.at.first_year, self.at.years, formula, unit)

    # --- totals ---

    def _by_model(self) -> None:
        top, bottom = self.at.blocks[COST], self.at.rows[COST] - 1
        unit = find_rule("monthly_cost").unit
        self._heads(self.words["by_model"], unit.label(self.look.lang), [], self.words["total"])
        first = self.line
        model = get_column_letter(DRIVER)
        for name in PRICING_MODELS:
            self.look.text(self.sheet.cell(self.line, 2, name))
            self.line += 1
        total = f"{self.at.first}${self.at.rows[COST]}"
        cells = f"{self.at.first}${top}:{self.at.first}${bottom}"
        formula = f'=IF(COUNT({total})=1,SUMIFS({cells},${model}${top}:${model}${bottom},$B{first}),"")'
        fill_block(self.sheet, self.look, first, len(PRICING_MODELS), FIRST, self.at.months, formula, unit)
        row = f"{self.at.first}{first}:{self.at.last}{first}"
        formula = f'=IF(COUNT({row})={MONTHS},SUM({row}),"")'
        fill_block(self.sheet, self.look, first, len(PRICING_MODELS), TOTAL, 1, formula, unit)
        self._years(first, len(PRICING_MODELS), unit)
        self.at.rows["by_model"] = first
        self.line += 1

    def _others(self) -> None:
        placed = self.cells.tables["OtherCosts"]
        count = placed.last - placed.first + 1
        unit = find_rule("monthly_cost").unit
        drivers = [self.words[key] for key in ("amount", "start", "end")]
        self._heads(self.words["others"], unit.label(self.look.lang), drivers, self.words["total"])
        top = self.line
        item, amount, start, end = (
            f"INDEX(OtherCosts[{name}],$A{top})" for name in ("item", "amount_per_month", "start_month", "end_month")
        )
        self._numbers(top, count)
        beyond = f"$A{top}>ROWS(OtherCosts[item])"
        fill_block(self.sheet, self.look, top, count, 2, 1, f'=IF({beyond},"",{item}&"")', TEXT)
        fill_block(self.sheet, self.look, top, count, DRIVER, 1, f'=IF({beyond},"",CHOOSE(1+COUNT({amount}),"",{amount}))', unit)
        named = f'($B{top}="")*($D{top}="")'  # an amount counts even without a name; a check asks for the name
        begins = f'=IF({named},"",CHOOSE(1+({start}=""),{start},1))'
        fill_block(self.sheet, self.look, top, count, DRIVER + 1, 1, begins, NUMBER)
        ends = f'=IF($E{top}="","",CHOOSE(1+({end}=""),{end},MAX({MONTHS},$E{top})))'
        fill_block(self.sheet, self.look, top, count, DRIVER + 2, 1, ends, NUMBER)
        month = f"{self.at.first}${MONTH_ROW}"
        formula = f'=IF((COUNT($D{top}:$F{top})=3)*($F{top}>=$E{top}),$D{top}*({month}>=$E{top})*({month}<=$F{top}),"")'
        fill_block(self.sheet, self.look, top, count, FIRST, self.at.months, formula, unit)
        row = f"{self.at.first}{top}:{self.at.last}{top}"
        fill_block(self.sheet, self.look, top, count, TOTAL, 1, f'=IF(COUNT({row})={MONTHS},SUM({row}),"")', unit)
        self._years(top, count, unit)
        self.at.others = (top, top + count - 1)
        self.line = top + count + 1

    def _totals(self) -> None:
        unit = find_rule("monthly_cost").unit
        first = self.at.first
        top, bottom = self.at.others
        cells = f"{first}${top}:{first}${bottom}"
        gpu, other, reserve, grand = (self.line + offset for offset in range(1, 5))
        self._heads(self.words["grand"], unit.label(self.look.lang), [], self.words["total"])
        rate = self.cells.value("contingency_rate")
        both, parts = f"{first}{gpu},{first}{other}", f"{first}{gpu}:{first}{reserve}"
        lines = (
            ("gpu", gpu, f"={first}{self.at.rows[COST]}"),
            ("other_total", other, f'=IF(COUNT({cells})={COSTS},SUM({cells}),{BLOCKED})'),
            ("contingency", reserve, f"=IF((COUNT({both})=2)*{ALL_VALID},({both.replace(',', '+')})*{rate},{BLOCKED})"),
            ("grand", grand, f"=IF(COUNT({parts})=3,SUM({parts}),{BLOCKED})"),
        )  # fmt: skip
        for key, row, formula in lines:
            self.look.text(self.sheet.cell(row, 2, self.words[key]), bold=key == "grand")
            if key == "contingency":
                self.look.formula(self._set(row, DRIVER, f"={rate}"), SHARE)
            self._row(row, formula, unit)
            self._row_total(row, unit)
            self._years(row, 1, unit)
            self.at.rows[key] = row
        self.line = grand + 2
        amount = self.cells.value("amount_unit")
        self._heads(self.words["shown"], "", [], self.words["total"])
        self.look.formula(self._set(self.line - 1, DRIVER, f"={amount}"), NUMBER)
        top = self.line
        for offset, key in enumerate(("gpu", "other_total", "contingency", "grand")):
            self.look.text(self.sheet.cell(top + offset, 2, self.words[key]), bold=key == "grand")
            self.at.rows[f"shown_{key}"] = top + offset
        source = f"{first}{self.at.rows['gpu']}"
        formula = f"=IF((COUNT({source})=1)*{ALL_VALID},{source}/{amount},{BLOCKED})"
        fill_block(self.sheet, self.look, top, 4, FIRST, self.at.months, formula, MONEY)
        total = f"{get_column_letter(TOTAL)}{self.at.rows['gpu']}"
        formula = f"=IF((COUNT({total})=1)*{ALL_VALID},{total}/{amount},{BLOCKED})"
        fill_block(self.sheet, self.look, top, 4, TOTAL, 1, formula, MONEY)
        self._years(top, 4, MONEY)
        self.line = top + 5
