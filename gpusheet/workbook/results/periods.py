"""The sheet Periods: the budget by fiscal year and quarter, by group, without and with tax, and in other currencies."""

from __future__ import annotations

from openpyxl.styles import Alignment
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.pagebreak import Break

from gpusheet.catalog import Assumptions, Workload, columns
from gpusheet.catalog.price import Price
from gpusheet.decisions.periods import GROUPS, UNSTATED
from gpusheet.formula import Facts, cell_formula
from gpusheet.registry import Rule, find_rule
from gpusheet.units import Money, MoneyPerMonth, Number, Rate, Ratio, Text, Unit, unit_of
from gpusheet.workbook.budget_layout import BLOCKED, COST, COUNTED, TAX, WORDS, YEAR_ROW
from gpusheet.workbook.grid import fill_block, fill_right
from gpusheet.workbook.layout import NAME_ROW
from gpusheet.workbook.results.months import BUDGET_QUARTER_ROW, CURRENCIES, FX_ROWS, QUARTER_ROW, CalendarCells
from gpusheet.workbook.results.months import NAME as CALENDAR
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.results.periods_checks import PeriodCells, put_checks
from gpusheet.workbook.style import printing, protect, set_widths

NAME = "Periods"
KEY_ROW, NAMES_ROW, COUNT_ROW = 3, 4, 5  # of the periods: number or year, name, months of the budget in it
MORE, TOTAL, FIRST = 3, 4, 5  # columns: months there, workloads or rate (C), total, periods from E
LINES = ("gpu", "other_total", "contingency", "grand")
TAXED = ("amount_without_tax", "tax", "amount_with_tax")
TEXT, NUMBER, MONEY = unit_of(Text), unit_of(Number), unit_of(Money)
BASES = next(c.choices for c in columns(Price) if c.name == "tax")


def put_periods(parts: Parts) -> None:
    _Writer(parts).put()


class _Writer:
    def __init__(self, parts: Parts) -> None:
        self.parts, self.look, self.lang = parts, parts.look, parts.lang
        self.budget, self.words = parts.budget, WORDS[parts.lang]
        self.calendar: CalendarCells = parts.rows[CALENDAR]
        years = (FIRST, FIRST + parts.budget.years - 1)
        self.at = PeriodCells(years, (years[1] + 2, years[1] + 1 + self.calendar.quarters))  # a blank column between them
        self.width = self.at.quarters[1]
        self.spans = (self.at.years, self.at.quarters)
        self.sheet = parts.sheet(NAME, self.width)
        self.line = COUNT_ROW + 2
        self.currency = unit_of(Money).label(self.lang)
        self._there = parts.say("Months there", "已有月数")

    def put(self) -> None:
        self._heads()
        self._budget()
        self._tax()
        self._currencies()
        self._workloads()
        for name in GROUPS:
            self._groups(name)
        set_widths(self.sheet, (6, 30, 13, 17))
        set_widths(self.sheet, [15] * self.budget.years + [14] * self.calendar.quarters, FIRST)
        self.sheet.freeze_panes = f"{get_column_letter(FIRST)}{COUNT_ROW + 1}"
        area = f"A1:{get_column_letter(self.width)}{self.line - 2}"
        printing(self.sheet, self.lang, f"{NAMES_ROW}:{COUNT_ROW}", area, "A:D")
        protect(self.sheet)
        self.parts.rows[NAME] = self.at
        put_checks(self.parts, NAME, self.at, TAXED)

    # --- pieces ---

    def _heads(self) -> None:
        """The fiscal years and quarters that the budget has months in; others stay blank."""
        sheet, look, first, last = self.sheet, self.look, self.budget.first, self.budget.last
        years = f"Budget!${first}${YEAR_ROW}:${last}${YEAR_ROW}"
        of_month = f"{CALENDAR}!${first}${BUDGET_QUARTER_ROW}:${last}${BUDGET_QUARTER_ROW}"
        for offset in range(self.budget.years):
            year = f"Budget!${get_column_letter(self.budget.first_year + offset)}${YEAR_ROW}"
            self.parts.put(sheet, KEY_ROW, FIRST + offset, f'=IF(N({year})<=MAX({years}),{year},"")', NUMBER)
        start = self.at.quarters[0]
        letter = get_column_letter(start)
        number = f"=COLUMNS(${letter}${KEY_ROW - 1}:{letter}${KEY_ROW - 1})"
        fill_right(sheet, look, KEY_ROW, start, self.calendar.quarters, number, NUMBER)
        key, at = f"{letter}${KEY_ROW}", f"MATCH({letter}${KEY_ROW},{of_month},0)"
        named = f'"FY"&INDEX({years},{at})&" Q"&INDEX({CALENDAR}!${first}${QUARTER_ROW}:${last}${QUARTER_ROW},{at})'
        fill_right(sheet, look, NAMES_ROW, start, self.calendar.quarters, f'=IF({key}<=MAX({of_month}),{named},"")', TEXT)
        named = f'=IF(COUNT(E{KEY_ROW})=1,"FY"&E{KEY_ROW},"")'
        fill_right(sheet, look, NAMES_ROW, FIRST, self.budget.years, named, TEXT)
        for row, label in ((NAMES_ROW, self.parts.say("Period", "期间")), (COUNT_ROW, self.words["months"])):
            look.text(sheet.cell(row, 2, label), bold=True)
        for (begin, end), months in zip(self.spans, (years, of_month), strict=True):
            letter = get_column_letter(begin)
            formula = f"=SUMPRODUCT(1*({months}={letter}${KEY_ROW}))"
            fill_right(sheet, look, COUNT_ROW, begin, end - begin + 1, formula, NUMBER)
            for column in range(begin, end + 1):
                look.text(sheet.cell(COUNT_ROW, column))
                sheet.cell(COUNT_ROW, column).number_format = "0;;"  # a period without months shows none
                look.text(sheet.cell(KEY_ROW, column), color="A6A6A6")
                sheet.cell(KEY_ROW, column).number_format = "0"
                look.header(sheet.cell(NAMES_ROW, column), wrap=False)
        self.parts.put(sheet, COUNT_ROW, TOTAL, f"=SUM({self._cells(COUNT_ROW, self.at.years)})", NUMBER)
        look.header(sheet.cell(NAMES_ROW, TOTAL, self.words["total"]))

    def _cells(self, row: int, span: tuple[int, int], bottom: int = 0) -> str:
        return f"{get_column_letter(span[0])}{row}:{get_column_letter(span[1])}{bottom or row}"

    def _title(self, en: str, zh: str, more: str = "") -> None:
        self.look.group(self.sheet, self.line, self.parts.say(en, zh), self.width)
        if more:
            self.look.text(self.sheet.cell(self.line, MORE, more), italic=True)
        self.line += 1

    def _label(self, text: str, bold: bool = False) -> None:
        self.look.text(self.sheet.cell(self.line, 2, text), bold=bold)

    def _sums(self, row: int, months: int, missing: str, unit: Unit) -> None:
        """The months of a row of Budget, added up by year and by quarter."""
        first, last = self.budget.first, self.budget.last
        values = f"Budget!${first}${months}:${last}${months}"
        keys = (f"Budget!${first}${YEAR_ROW}:${last}${YEAR_ROW}",
                f"{CALENDAR}!${first}${BUDGET_QUARTER_ROW}:${last}${BUDGET_QUARTER_ROW}")  # fmt: skip
        self.parts.put(self.sheet, row, MORE, f"=COUNT({values})", NUMBER)
        self.look.text(self.sheet.cell(row, MORE), color="A6A6A6")
        for (begin, end), key in zip(self.spans, keys, strict=True):
            letter = get_column_letter(begin)
            there = f"(N({letter}${COUNT_ROW})>0)*(1+($C{row}=$D${COUNT_ROW}))"
            formula = f'=CHOOSE(1+{there},"",{missing},SUMIFS({values},{key},{letter}${KEY_ROW}))'
            fill_right(self.sheet, self.look, row, begin, end - begin + 1, formula, unit)

    def _total(self, row: int, missing: str, unit: Unit, bold: bool = False) -> None:
        """The sum of the years, where each year that has months has one."""
        cells = self._cells(row, self.at.years)
        formula = f"=IF(COUNT({cells})=COUNT({self._cells(KEY_ROW, self.at.years).replace('3', '$3')}),SUM({cells}),{missing})"
        self.parts.put(self.sheet, row, TOTAL, formula, unit, total=bold)

    # --- blocks ---

    def _budget(self) -> None:
        unit = unit_of(MoneyPerMonth)
        self._title(f"Budget  [{self.currency}]", f"预算  [{self.currency}]", self._there)
        for key in LINES:
            self._label(self.words[key], bold=key == "grand")
            self._sums(self.line, self.budget.rows[key], f"Budget!{BLOCKED}", unit)
            self._total(self.line, f"Budget!{BLOCKED}", unit, bold=key == "grand")
            if key == "grand":
                self._bold(self.line, unit)
            self.at.rows[key] = self.line
            self.line += 1
        self.line += 1

    def _bold(self, row: int, unit: Unit) -> None:
        for begin, end in self.spans:
            for column in range(begin, end + 1):
                self.look.total(self.sheet.cell(row, column), unit)

    def _rule(self, rule: Rule, places: dict[str, str], known: dict[str, Facts], unit: Unit) -> None:
        """A rule of an amount, in the total and in every period; `#` in a place stands for the column."""
        at = {name: place.replace("#", get_column_letter(TOTAL)) for name, place in places.items()}
        formula = cell_formula(rule.plain_expression, known, at.__getitem__)
        fill_right(self.sheet, self.look, self.line, TOTAL, self.width - TOTAL + 1, formula, unit)

    def _tax(self) -> None:
        """The grand total without and with tax, where all prices say whether they include it."""
        parts, sheet, unit, at = self.parts, self.sheet, unit_of(MoneyPerMonth), self.at.rows
        self._title(f"Budget total without and with tax  [{self.currency}]", f"预算合计：不含税与含税  [{self.currency}]")
        tax = parts.lookup.rows["price_tax"]
        says = parts.say("Workloads whose price is: {}", "报价口径为 {} 的业务数")
        for basis in BASES:
            self._label(says.format(basis))
            parts.put(sheet, self.line, TOTAL, f"={parts.span.count_of('Lookup', tax, basis)}", NUMBER)
            at[basis] = self.line
            self.line += 1
        stated = [basis for basis in BASES if basis != UNSTATED]
        tests = [f"(D{at[one]}>0)*({'+'.join(f'D{at[other]}' for other in BASES if other != one)}=0)" for one in stated]
        chosen = f'=CHOOSE(1+{tests[0]}+2*{tests[1]},"{UNSTATED}",{",".join(map(repr, stated))})'.replace("'", '"')
        self._label(parts.say("Tax basis of the budget", "预算的税务口径"))
        parts.put(sheet, self.line, TOTAL, chosen, TEXT)
        sheet.cell(self.line, TOTAL).alignment = Alignment(horizontal="right", vertical="center")
        at["basis"] = self.line
        self.line += 1
        vat = next(one for one in columns(Assumptions) if one.name == "vat_rate")
        self._label(vat.label(self.lang))
        parts.put(sheet, self.line, TOTAL, parts.cells.valid_value("vat_rate"), vat.unit)
        rate = f"$D${self.line}"
        self.line += 1
        factor = find_rule("tax_in_price")
        self._label(factor.label(self.lang))
        sure = {"tax_basis": Facts(number=False), "vat_rate": Facts("nonnegative")}
        places = {"tax_basis": f"D{at['basis']}", "vat_rate": rate}
        parts.put(sheet, self.line, TOTAL, cell_formula(factor.plain_expression, sure, places.__getitem__), unit_of(Ratio))
        at["factor"] = self.line
        why = parts.say("Not all prices say whether they include tax: see the column tax of Prices.",
                        "并非所有报价都注明是否含税：请查看价目表的 tax 列。")  # fmt: skip
        parts.put(sheet, self.line, FIRST, f'=IF($D{self.line}>0,"","{why}")', TEXT)
        sheet.cell(self.line, FIRST).alignment = Alignment(vertical="center", indent=1)
        self.line += 1
        known = {"amount": Facts(), "tax_in_price": Facts("nonnegative", nullable=False), "amount_without_tax": Facts(),
                 "vat_rate": Facts("nonnegative")}  # fmt: skip
        without, with_tax = self.line, self.line + 2
        places = {"amount": f"#{at['grand']}", "tax_in_price": f"$D${at['factor']}", "amount_without_tax": f"#{without}",
                  "vat_rate": rate}  # fmt: skip
        for name in TAXED:
            at[name] = self.line
            if name == "tax":
                self._label(parts.say("Tax", "税额"))
                letter = get_column_letter(TOTAL)
                both = f"{letter}{with_tax},{letter}{without}"
                formula = f'=IF(COUNT({both})=2,{both.replace(",", "-")},"")'
                fill_right(sheet, self.look, self.line, TOTAL, self.width - TOTAL + 1, formula, unit)
            else:
                rule = find_rule(name)
                self._label(rule.label(self.lang))
                self._rule(rule, places, known, unit)
            self.line += 1
        self.line += 1

    def _currencies(self) -> None:
        parts, unit = self.parts, unit_of(Money)
        rate = parts.say("Rate", "汇率")
        self._title("Budget total in other currencies", "预算合计：其他币种", rate)
        none = parts.say("FX has no rate into the budget currency.", "FX 中没有折算为预算币种的汇率。")
        rates = f"$C${self.line}:$C${self.line + CURRENCIES - 1}"
        parts.put(self.sheet, self.line - 1, TOTAL, f'=IF(COUNT({rates})=0,"{none}","")', TEXT)
        self.sheet.cell(self.line - 1, TOTAL).alignment = Alignment(vertical="center")
        top, source = self.line, self.calendar.blocks["currencies"]
        rule = find_rule("converted_amount")
        known = {"amount": Facts(), "rate": Facts("positive")}
        names, numbers, found = (f"{CALENDAR}!${letter}${source}:${letter}${source + FX_ROWS - 1}" for letter in "BEF")
        number = f"ROW()-ROW(A${top - 1})"
        for _ in range(CURRENCIES):
            at = f"MATCH(A{self.line},{numbers},0)"
            parts.put(self.sheet, self.line, 1, f'=IF({number}<=MAX({numbers}),{number},"")', NUMBER)
            self.look.text(self.sheet.cell(self.line, 1), color="A6A6A6")
            parts.put(self.sheet, self.line, 2, f'=IF(COUNT(A{self.line})=1,INDEX({names},{at}),"")', TEXT)
            parts.put(self.sheet, self.line, MORE, f'=IF(COUNT(A{self.line})=1,INDEX({found},{at}),"")', unit_of(Rate))
            places = {"amount": f"#${self.at.rows['grand']}", "rate": f"$C{self.line}"}
            self._rule(rule, places, known, unit)
            self.line += 1
        self.at.blocks["currencies"] = (top, self.line - 1)
        self.line += 1

    def _workloads(self) -> None:
        parts, unit = self.parts, unit_of(MoneyPerMonth)
        self._title(f"GPU cost by workload  [{self.currency}]", f"按业务的 GPU 费用  [{self.currency}]", self._there)
        top, count = self.line, parts.span.count
        fill_block(self.sheet, self.look, top, count, 1, 1, f"=ROW()-ROW(A${top - 1})", NUMBER)
        fill_block(self.sheet, self.look, top, count, 2, 1, f"=INDEX({parts.span.row('Lookup', NAME_ROW)},$A{top})", TEXT)
        for row in range(top, top + count):
            self.look.text(self.sheet.cell(row, 1), color="A6A6A6")
            self._sums(row, self.budget.blocks[COST] + row - top, '""', unit)
            self._total(row, '""', unit)
        self.at.blocks["workloads"] = (top, top + count - 1)
        self.line = top + count
        self._block_total("workloads", f"Budget!{COUNTED}", unit, self.width)

    def _block_total(self, name: str, wanted: str, unit: Unit, last: int) -> None:
        """The line under a block: its sum where every line has a number, in every period that has months."""
        top, bottom = self.at.blocks[name]
        self._label(self.words["total"], bold=True)
        letter, width = get_column_letter(FIRST), last - FIRST + 1
        cells = f"{letter}{top}:{letter}{bottom}"
        there = f"(N({letter}${COUNT_ROW})>0)*(1+(COUNT({cells})={wanted})*Budget!{TAX})"
        formula = f'=CHOOSE(1+{there},"",Budget!{BLOCKED},SUM({cells}))'
        fill_right(self.sheet, self.look, self.line, FIRST, width, formula, unit)
        for column in range(FIRST, last + 1):
            self.look.total(self.sheet.cell(self.line, column), unit)
        self._total(self.line, f"Budget!{BLOCKED}", unit, bold=True)
        self.at.rows[f"{name} total"] = self.line
        self.line += 2

    def _groups(self, name: str) -> None:
        """The cost of workloads by a column of Workloads, a line for each name that is there."""
        parts, sheet, unit = self.parts, self.sheet, unit_of(MoneyPerMonth)
        column = next(one for one in columns(Workload) if one.name == name)
        self._title(f"GPU cost by {column.en.lower()}  [{self.currency}]", f"按{column.zh}的 GPU 费用  [{self.currency}]",
                    parts.say("Workloads", "业务数"))  # fmt: skip
        if name == GROUPS[0]:
            sheet.row_breaks.append(Break(id=self.line - 2))
        count = min(parts.span.count, len(column.choices) + 1) if column.choices else parts.span.count
        top, first = self.line, self.calendar.blocks[name]
        last = first + parts.span.count - 1
        numbers, names = (f"{CALENDAR}!${letter}${first}:${letter}${last}" for letter in "GD")
        number = f"ROW()-ROW(A${top - 1})"
        fill_block(sheet, self.look, top, count, 1, 1, f'=IF({number}<=MAX({numbers}),{number},"")', NUMBER)
        named = f'=IF(COUNT(A{top})=1,INDEX({names},MATCH(A{top},{numbers},0)),"")'
        fill_block(sheet, self.look, top, count, 2, 1, named, TEXT)
        members = f'=IF(COUNT(A{top})=1,COUNTIF({numbers},A{top}),"")'
        fill_block(sheet, self.look, top, count, MORE, 1, members, NUMBER)
        above, below = self.at.blocks["workloads"]
        total, letter = (get_column_letter(column) for column in (TOTAL, self.at.years[0]))
        whole = f'(COUNTIFS({numbers},$A{top},{total}${above}:{total}${below},">=0")=$C{top})*Budget!{TAX}'
        for column, width, there in (
            (total, 1, f"(N($C{top})>0)*(1+{whole})"),
            (letter, self.budget.years, f"(N($C{top})*N({letter}${COUNT_ROW})>0)*(1+COUNT(${total}{top}))"),
        ):
            costs = f"{column}${above}:{column}${below}"
            formula = f'=CHOOSE(1+{there},"",Budget!{BLOCKED},SUMIFS({costs},{numbers},$A{top}))'
            fill_block(sheet, self.look, top, count, sheet[f"{column}1"].column, width, formula, unit)
        for row in range(top, top + count):
            self.look.text(sheet.cell(row, 1), color="A6A6A6")
        self.at.blocks[name] = (top, top + count - 1)
        self.line = top + count
        self._block_total(name, f"MAX({numbers})", unit, self.at.years[1])
