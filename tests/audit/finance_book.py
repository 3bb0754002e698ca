"""A small but real budget as a finance team keeps it, built by hand and not by gpusheet's writer: monthly cost of a data
centre with price list, head count, corkscrew, quarters, look-ups, subtotals and checks."""

from __future__ import annotations

import datetime
from typing import Any

from openpyxl.chart import LineChart, Reference
from openpyxl.styles import Alignment, Font, PatternFill, Protection
from openpyxl.utils import get_column_letter as letter
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.hyperlink import Hyperlink

BLUE, GREEN, BOLD = Font(color="000000FF"), Font(color="0000803C"), Font(bold=True)
FIRST, MONTHS = 5, 12  # the first month stands in column E
LAST = FIRST + MONTHS - 1
TOTAL = LAST + 1
MONEY, SHARE, COUNT, DATE = "#,##0.00", "0.0%", "#,##0", "yyyy-mm-dd"
PRICES = (("H20-96G", 5600), ("L20", 2100), ("A100-80G", 7400), ("L40S", 3900), ("H200-141G", 12800))
LINES = (("Chat", "H20-96G", 12, 0.03), ("Search", "L20", 8, 0.02), ("Coding", "A100-80G", 4, 0.05),
         ("Speech", "L40S", 3, 0.0))  # fmt: skip


def month(row: int, offset: int) -> str:
    return f"{letter(FIRST + offset)}{row}"


class Finance:
    """The workbook; faults are planted by writing over its cells."""

    def __init__(self) -> None:
        self.book = Workbook()
        cover: Any = self.book.active
        cover.title = "Cover"
        for name in ("Inputs", "Costs", "Cash", "Summary", "Checks"):
            self.book.create_sheet(name)
        self._inputs()
        self._costs()
        self._cash()
        self._summary()
        self._checks()
        self._cover()
        colours = {
            "Cover": "1F3864",
            "Inputs": "2F5597",
            "Costs": "595959",
            "Cash": "595959",
            "Summary": "385723",
            "Checks": "C55A11",
        }
        for sheet in self.book.worksheets:
            self._finish(sheet, colours[sheet.title])

    def sheet(self, name: str) -> Any:
        return self.book[name]

    def _put(
        self, sheet: Any, row: int, column: int, value: Any, form: str = "General", font: Font | None = None
    ) -> Any:
        cell = sheet.cell(row, column, value)
        cell.number_format = form
        if font is not None:
            cell.font = font
        elif isinstance(value, str) and value.startswith("="):
            cell.font = GREEN if "!" in value else Font(color="00000000")
        if font is BLUE:
            cell.protection = Protection(locked=False)
        return cell

    def _inputs(self) -> None:
        sheet = self.sheet("Inputs")
        rows: tuple[tuple[str, str, Any, str], ...] = (
            ("Prepared on", "date", datetime.date(2026, 11, 20), DATE), ("First month", "date", datetime.date(2027, 1, 1), DATE),
            ("Prices as of", "date", datetime.date(2026, 11, 2), DATE), ("Discount", "%", 0.05, SHARE),
            ("Contingency", "%", 0.1, SHARE), ("Staff per month", "CNY/month", 42000, MONEY), ("Opening cash", "CNY", 900000, MONEY),
            ("Funding per quarter", "CNY", 600000, MONEY), ("Hours per month", "hours", 730, COUNT),
            ("Power per card", "kW", 0.4, "0.00"), ("Tariff", "CNY/kWh", 0.72, "0.00"),
        )  # fmt: skip
        for column, head in enumerate(("Input", "Unit", "Value"), 1):
            self._put(sheet, 3, column, head, font=BOLD)
        sheet["A1"] = "Inputs"
        for row, (name, unit, value, form) in enumerate(rows, 4):
            self._put(sheet, row, 1, name)
            self._put(sheet, row, 2, unit)
            self._put(sheet, row, 3, value, form, BLUE)
        numbers = DataValidation(
            type="decimal", operator="greaterThanOrEqual", formula1="0", showErrorMessage=True, error="0 or more"
        )
        numbers.add("C4:C14")
        sheet.add_data_validation(numbers)
        for column, head in enumerate(("Card", "Price", "Date", "Source"), 5):
            self._put(sheet, 3, column, head, font=BOLD)
        self._put(sheet, 2, 6, "CNY/card/month")
        for row, (card, price) in enumerate(PRICES, 4):
            self._put(sheet, row, 5, card)
            self._put(sheet, row, 6, price, MONEY, BLUE)
            self._put(sheet, row, 7, datetime.date(2026, 11, 2), DATE, BLUE)
            self._put(sheet, row, 8, "quote 2026-11")
        prices = DataValidation(type="decimal", operator="greaterThan", formula1="0", showErrorMessage=True)
        prices.add("F4:F20")
        sheet.add_data_validation(prices)
        for column, head in enumerate(("Service", "Card", "Cards at start", "Growth per month"), 10):
            self._put(sheet, 3, column, head, font=BOLD)
        self._put(sheet, 2, 12, "cards")
        self._put(sheet, 2, 13, "%")
        choice = DataValidation(type="list", formula1="$E$4:$E$8", showErrorMessage=True)
        counts = DataValidation(type="decimal", operator="greaterThanOrEqual", formula1="0", showErrorMessage=True)
        for row, (service, card, cards, growth) in enumerate(LINES, 4):
            for column, value, form in ((10, service, "@"), (11, card, "@"), (12, cards, COUNT), (13, growth, SHARE)):
                self._put(sheet, row, column, value, form, BLUE)
            choice.add(f"K{row}")
            counts.add(f"L{row}:M{row}")
        sheet.add_data_validation(choice)
        sheet.add_data_validation(counts)
        self.book.defined_names["discount"] = DefinedName("discount", attr_text="Inputs!$C$7")

    def _heads(self, sheet: Any, title: str) -> None:
        sheet["A1"] = title
        for column, head in enumerate(("Line", "Unit", "Card", "Price"), 1):
            self._put(sheet, 4, column, head, font=BOLD)
        self._put(sheet, 3, 1, "Month no.")
        self._put(sheet, 3, 2, "number")
        for offset in range(MONTHS):
            before = month(4, offset - 1)
            self._put(
                sheet, 4, FIRST + offset, "=Inputs!$C$5" if offset == 0 else f"=EDATE({before},1)", "yyyy-mm", BOLD
            )
            self._put(sheet, 3, FIRST + offset, f"=COLUMNS($E2:{month(2, offset)})", "0")
        self._put(sheet, 4, TOTAL, "Year", font=BOLD)

    def _row(
        self, sheet: Any, row: int, name: str, unit: str, formula: str, total: str = "SUM", form: str = MONEY
    ) -> None:
        """A row of months: {m} is the month's column, {p} the one before, {r} the row."""
        self._put(sheet, row, 1, name)
        self._put(sheet, row, 2, unit)
        for offset in range(MONTHS):
            text = formula.format(m=letter(FIRST + offset), p=letter(FIRST + offset - 1), r=row)
            self._put(sheet, row, FIRST + offset, text, form)
        if total:
            self._put(sheet, row, TOTAL, f"={total}({month(row, 0)}:{month(row, MONTHS - 1)})", form, BOLD)

    def _costs(self) -> None:
        sheet = self.sheet("Costs")
        self._heads(sheet, "Costs by month")
        for number in range(len(LINES)):
            source, cards, cost = 4 + number, 6 + number, 13 + number
            self._row(
                sheet,
                cards,
                "",
                "cards",
                f"=ROUNDUP(Inputs!$L${source}*(1+Inputs!$M${source})^({{m}}$3-1),0)",
                "MAX",
                COUNT,
            )
            self._row(sheet, cost, "", "CNY", f"={{m}}{cards}*$D{cost}*(1-discount)")
            for row in (cards, cost):
                self._put(sheet, row, 1, f"=Inputs!$J${source}")
                self._put(sheet, row, 3, f"=Inputs!$K${source}")
            self._put(sheet, cost, 4, f"=INDEX(Inputs!$F$4:$F$8,MATCH($C{cost},Inputs!$E$4:$E$8,0))", MONEY)
        self._put(sheet, 5, 1, "Cards", font=BOLD)
        self._row(sheet, 10, "Total cards", "cards", "=SUM({m}6:{m}9)", "MAX", COUNT)
        self._put(sheet, 12, 1, "Card cost", font=BOLD)
        self._row(sheet, 17, "Total card cost", "CNY", "=SUM({m}13:{m}16)")
        self._row(sheet, 19, "Power", "CNY", "={m}10*Inputs!$C$13*Inputs!$C$12*Inputs!$C$14")
        self._row(sheet, 20, "Staff", "CNY", "=Inputs!$C$9")
        self._row(sheet, 21, "Total running cost", "CNY", "=SUM({m}19:{m}20)")
        self._row(sheet, 23, "Cost before contingency", "CNY", "={m}17+{m}21")
        self._row(sheet, 24, "Contingency", "CNY", "={m}23*Inputs!$C$8")
        self._row(sheet, 25, "Total cost", "CNY", "=SUM({m}23:{m}24)")
        self._row(sheet, 27, "Cost per card", "CNY/card", "={m}25/{m}10", "")
        self._put(sheet, 27, TOTAL, f"=AVERAGE({month(27, 0)}:{month(27, MONTHS - 1)})", MONEY)
        self._row(sheet, 28, "Share of power", "%", "={m}19/{m}25", "", SHARE)
        self._put(sheet, 28, TOTAL, f"={letter(TOTAL)}19/{letter(TOTAL)}25", SHARE)
        self._row(sheet, 29, "Cumulative cost", "CNY", f"=SUM(${letter(FIRST)}25:{{m}}25)", "")
        self._row(sheet, 30, "Change to the month before", "CNY", "={m}25-{p}25", "")
        sheet.cell(30, FIRST).value = None
        for number, column in enumerate((TOTAL + 2, TOTAL + 3, TOTAL + 4, TOTAL + 5)):  # quarters
            first, last = month(25, 3 * number), month(25, 3 * number + 2)
            self._put(sheet, 25, column, f"=SUM({first}:{last})", MONEY)
            self._put(sheet, 4, column, f"Q{number + 1}", font=BOLD)
        chart = LineChart()
        chart.add_data(Reference(sheet, min_col=FIRST, max_col=LAST, min_row=25), from_rows=True)
        sheet.add_chart(chart, "A34")

    def _cash(self) -> None:
        sheet = self.sheet("Cash")
        self._heads(sheet, "Cash by month")
        self._row(sheet, 6, "Opening balance", "CNY", "={p}9", "")
        self._put(sheet, 6, FIRST, "=Inputs!$C$10", MONEY)
        self._row(sheet, 7, "Funding", "CNY", "=Inputs!$C$11*{m}11")
        self._row(sheet, 8, "Total cost", "CNY", "=-Costs!{m}25")
        self._row(sheet, 9, "Closing balance", "CNY", "=SUM({m}6:{m}8)", "")
        self._row(sheet, 11, "Funding flag", "0/1", "=IF(MOD({m}3-1,3)=0,1,0)", "SUM", "0")

    def _summary(self) -> None:
        sheet = self.sheet("Summary")
        sheet["A1"] = "Summary"
        for column, head in enumerate(("Service", "Unit", "Cost of the year", "Share"), 1):
            self._put(sheet, 3, column, head, font=BOLD)
        year = letter(TOTAL)
        for row in range(4, 4 + len(LINES)):
            self._put(sheet, row, 1, f"=Costs!$A{row + 9}")
            self._put(sheet, row, 2, "CNY")
            self._put(sheet, row, 3, f"=SUMIFS(Costs!${year}$13:${year}$16,Costs!$A$13:$A$16,$A{row})", MONEY)
            self._put(sheet, row, 4, f"=C{row}/C$8", SHARE)
        self._put(sheet, 8, 1, "Total")
        self._put(sheet, 8, 2, "CNY")
        self._put(sheet, 8, 3, "=SUM(C4:C7)", MONEY, BOLD)
        self._put(sheet, 8, 4, "=SUM(D4:D7)", SHARE, BOLD)
        for row, (name, source) in enumerate(
            (("Total card cost", 17), ("Power", 19), ("Staff", 20), ("Contingency", 24)), 11
        ):
            self._put(sheet, row, 1, name)
            self._put(sheet, row, 2, "CNY")
            self._put(sheet, row, 3, f"=Costs!${year}${source}", MONEY)
        self._put(sheet, 15, 1, "Total cost")
        self._put(sheet, 15, 2, "CNY")
        self._put(sheet, 15, 3, "=SUM(C11:C14)", MONEY, BOLD)
        self._put(sheet, 16, 1, "Dearest card")
        self._put(sheet, 16, 2, "CNY/month")
        self._put(sheet, 16, 3, "=VLOOKUP(Costs!$C$13,Inputs!$E$4:$F$8,2,FALSE)", MONEY)

    def _checks(self) -> None:
        sheet = self.sheet("Checks")
        sheet["A1"] = "Checks: all must be zero"
        for column, head in enumerate(("Check", "Value", "1 = passed"), 1):
            self._put(sheet, 3, column, head, font=BOLD)
        year = letter(TOTAL)
        first, last = letter(FIRST), letter(LAST)
        checks = (
            ("Card cost: rows against columns", f"=SUM(Costs!${year}$13:${year}$16)-Costs!${year}$17"),
            ("Running cost: rows against columns", f"=SUM(Costs!${year}$19:${year}$20)-Costs!${year}$21"),
            ("Total cost: rows against columns", f"=SUM(Costs!${year}$23:${year}$24)-Costs!${year}$25"),
            ("Summary against costs", f"=Summary!$C$15-Costs!${year}$25"),
            ("Services against costs", f"=Summary!$C$8-Costs!${year}$17"),
            ("Quarters against the year", f"=SUM(Costs!{letter(TOTAL + 2)}25:{letter(TOTAL + 5)}25)-Costs!{year}25"),
            ("Cash", f"=Inputs!$C$10+Cash!${year}$7+Cash!${year}$8-Cash!${last}$9"),
            ("Months that are no number", f"=COLUMNS(Costs!{first}25:{last}25)-COUNT(Costs!{first}25:{last}25)"),
        )  # fmt: skip
        for row, (name, formula) in enumerate(checks, 4):
            self._put(sheet, row, 1, name)
            self._put(sheet, row, 2, formula, MONEY)
            self._put(sheet, row, 3, f"=IF(ABS(B{row})<0.01,1,0)", "0")
        self._put(sheet, 13, 1, "Master check")
        self._put(sheet, 13, 2, '=IF(SUM(C4:C11)=ROWS(C4:C11),"OK","CHECK")')

    def _cover(self) -> None:
        sheet = self.sheet("Cover")
        rows = (("Budget of GPU capacity", ""), ("Purpose", "Cost of serving by month"), ("Author", "Finance"), ("Currency", "CNY"),
                ("Tax basis", "excluded"), ("Sign convention", "costs positive"), ("Master check", "=Checks!B13"))  # fmt: skip
        for row, (name, value) in enumerate(rows, 1):
            sheet.cell(row, 1, name)
            sheet.cell(row, 2, value or None)
        for column, head in enumerate(("Version", "Date", "Author", "Change"), 1):
            sheet.cell(10, column, head)
        for column, value in enumerate(("1.0", datetime.date(2026, 11, 20), "Finance", "first"), 1):
            sheet.cell(11, column, value)
        for row, name in enumerate(("Inputs", "Costs", "Cash", "Summary", "Checks"), 13):
            cell = sheet.cell(row, 1, name)
            cell.hyperlink = Hyperlink(ref=cell.coordinate, location=f"'{name}'!A1")
        sheet.merge_cells("A1:D1")
        sheet["A1"].alignment = Alignment(horizontal="center")
        sheet["A1"].fill = PatternFill("solid", start_color="D9E2F3")

    def _finish(self, sheet: Any, colour: str) -> None:
        sheet.sheet_properties.tabColor = colour
        sheet.page_setup.paperSize, sheet.page_setup.orientation = 9, "landscape"
        sheet.sheet_properties.pageSetUpPr.fitToPage = True
        sheet.page_setup.fitToHeight = 0
        sheet.print_title_rows = "3:4"
        sheet.print_area = f"A1:{letter(sheet.max_column)}{sheet.max_row}"
        sheet.oddFooter.center.text = "Page &P of &N"
        sheet.freeze_panes = "E5"
        sheet.protection.sheet = sheet.title != "Cover"
