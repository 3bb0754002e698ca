"""Small budgets as other teams lay them out, without a fault: months down a column, quarters among the months, a sheet for
each department or region, a statement of profit, a schedule, a weighted average. Each says nothing of units and sources."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from openpyxl.utils import get_column_letter as letter
from openpyxl.workbook.workbook import Workbook

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
COLUMNS = [letter(column) for column in range(2, 14)]  # of twelve months beside a name
INPUTS = (("Inflation", "% per year", 0.03), ("GPU price", "USD per hour", 2.1), ("Hours", "hours per month", 730),
          ("Seats", "people", 40), ("Seat cost", "USD per month", 25), ("Overhead", "%", 0.12))  # fmt: skip
RENT, SEATS = "*Inputs!$C$3*Inputs!$C$4", "=Inputs!$C$5*Inputs!$C$6"


def _book(*rows: Iterable[Any], name: str = "Inputs") -> Workbook:
    book = Workbook()
    sheet: Any = book.active
    sheet.title = name
    for row in rows or (("Input", "Unit", "Value"), *INPUTS):
        sheet.append(list(row))
    return book


def _sheet(book: Workbook, name: str, *rows: Iterable[Any]) -> Any:
    sheet = book.create_sheet(name)
    for row in rows:
        sheet.append(list(row))
    return sheet


def months_down() -> Workbook:
    book = _book()
    rows = [[month, 10 + at, f"=B{at + 2}{RENT}", SEATS, f"=(C{at + 2}+D{at + 2})*Inputs!$C$7", f"=SUM(C{at + 2}:E{at + 2})"]
            for at, month in enumerate(MONTHS)]  # fmt: skip
    total = ["Total", None, *(f"=SUM({column}2:{column}13)" for column in "CDEF")]
    sheet = _sheet(book, "Plan", ("Month", "GPUs", "GPU cost", "Seats cost", "Overhead", "Total"), *rows, total)
    sheet["A16"], sheet["F16"] = "Next year", "=F14*(1+Inputs!$C$2)"
    return book


def quarters_between() -> Workbook:
    book = _book()
    sheet = _sheet(book, "Plan")
    for row, name in enumerate(("Line", "GPUs", "GPU cost", "Seats", "Overhead", "Total"), 1):
        sheet.cell(row, 1, name)
    for at, month in enumerate(MONTHS):
        column = 2 + at + at // 3
        own = letter(column)
        lines = (month, 10 + at, f"={own}2{RENT}", SEATS, f"=({own}3+{own}4)*Inputs!$C$7", f"=SUM({own}3:{own}5)")
        for row, value in enumerate(lines, 1):
            sheet.cell(row, column, value)
    for row in range(1, 7):
        for quarter in range(4):
            column = 5 + 4 * quarter
            added = f"=SUM({letter(column - 3)}{row}:{letter(column - 1)}{row})"
            sheet.cell(row, column, f"Q{quarter + 1}" if row == 1 else None if row == 2 else added)
        sheet.cell(row, 18, "Year" if row == 1 else None if row == 2 else f"=E{row}+I{row}+M{row}+Q{row}")
    sheet["A8"], sheet["R8"] = "Next year", "=R6*(1+Inputs!$C$2)"
    return book


def departments() -> Workbook:
    book = _book()
    _sheet(book, "Rates", ("Role", "Monthly", "Laptop", "Licence"), ("Engineer", 9000, 80, 30), ("Analyst", 7000, 70, 25),
           ("Manager", 11000, 90, 35), ("Intern", 3000, 60, 10))  # fmt: skip
    names = ("Search", "Ads", "Infra")
    for number, name in enumerate(names):
        rows = []
        for row, role in enumerate(("Engineer", "Analyst", "Manager", "Intern"), 2):
            found = [f"=B{row}*VLOOKUP(A{row},Rates!$A$2:$D$5,{at},FALSE)" for at in (2, 3, 4)]
            rows.append([role, 3 + number + row, *found, f"=SUM(C{row}:E{row})"])
        _sheet(book, name, ("Role", "Heads", "Salary", "Laptop", "Licence", "Total"), *rows,
               ["Total", *(f"=SUM({column}2:{column}5)" for column in "BCDEF")])  # fmt: skip
    costs = [[cost, *(f"={name}!{source}6" for name in names), f"=SUM(B{row}:D{row})"]
             for row, (cost, source) in enumerate((("Salary", "C"), ("Laptop", "D"), ("Licence", "E")), 2)]  # fmt: skip
    sheet = _sheet(book, "Sum", ("Cost", *names, "All"), *costs, ["Total", *(f"=SUM({column}2:{column}4)" for column in "BCDE")])
    sheet["A7"], sheet["E7"] = "Cloud", "=Inputs!C3*Inputs!C4*Inputs!C5*(1+Inputs!C2)+Inputs!C6"
    sheet["A8"], sheet["E8"] = "With overhead", "=(E5+E7)*(1+Inputs!C7)"
    return book


def regions() -> Workbook:
    book = _book(("参数", "单位", "数值"), ("卡单价", "元/卡/月", 5600), ("折扣", "%", 0.1), ("涨幅", "%/月", 0.02),
                 ("电价", "元/kWh", 0.7), ("功率", "kW", 0.4), ("小时", "小时", 730), name="参数")  # fmt: skip
    months = [f"{month}月" for month in range(1, 13)]
    names, filled = ("华东", "华南", "华北"), [*COLUMNS, "N"]
    for number, name in enumerate(names):
        cards = []
        for row, service in enumerate(("客服", "搜索", "编程"), 2):
            grown = [f"=ROUNDUP({before}{row}*(1+参数!$C$4),0)" for before in COLUMNS[:-1]]
            cards.append([service, 8 + number + row, *grown, f"=MAX(B{row}:M{row})"])
        _sheet(book, name, ("业务", *months, "合计"), *cards, ["卡数合计", *(f"=SUM({column}2:{column}4)" for column in filled)], (),
               ["租金", *(f"={column}5*参数!$C$2*(1-参数!$C$3)" for column in COLUMNS), "=SUM(B7:M7)"],
               ["电费", *(f"={column}5*参数!$C$6*参数!$C$7*参数!$C$5" for column in COLUMNS), "=SUM(B8:M8)"],
               ["费用合计", *(f"=SUM({column}7:{column}8)" for column in filled)])  # fmt: skip
    _sheet(book, "汇总", ("区域", *months, "合计"), *([name, *(f"={name}!{column}9" for column in filled)] for name in names),
           ["合计", *(f"=SUM({column}2:{column}4)" for column in filled)], ("季度",), ("Q1", "=SUM(B5:D5)"), ("Q2", "=SUM(E5:G5)"),
           ("Q3", "=SUM(H5:J5)"), ("Q4", "=SUM(K5:M5)"), ("全年", "=SUM(B7:B10)"))  # fmt: skip
    return book


def profit() -> Workbook:
    """With margins between the lines, and the year before typed in a column."""
    book = _book()
    sheet = _sheet(book, "P&L", ("Line", *MONTHS, "FY", "Prior year", "Change", "Change %"))
    names = ("Revenue", "Hosting", "Support", "Gross profit", "Gross margin", "Staff", "Tools", "Travel", "Total opex", "EBITDA",
             "Margin")  # fmt: skip
    for row, name in enumerate(names, 2):
        sheet.cell(row, 1, name)
    for at, own in enumerate(COLUMNS):
        lines = ("={p}2*(1+Inputs!$C$2)" if at else 120000, "={m}2*Inputs!$C$7", "=Inputs!$C$3*Inputs!$C$4", "={m}2-SUM({m}3:{m}4)",
                 "={m}5/{m}2", SEATS, 500 + at, "={m}8*Inputs!$C$7", "=SUM({m}7:{m}9)", "={m}5-{m}10", "={m}11/{m}2")  # fmt: skip
        for row, line in enumerate(lines, 2):
            sheet[f"{own}{row}"] = line.format(m=own, p=letter(1 + at)) if isinstance(line, str) else line
    for row in range(2, 13):
        if row in (6, 12):
            sheet[f"N{row}"] = f"=N{row - 1}/N2"
            continue
        for column, value in (("N", "=SUM(B{r}:M{r})"), ("O", 1000 * row), ("P", "=N{r}-O{r}"), ("Q", "=P{r}/O{r}")):
            sheet[f"{column}{row}"] = value.format(r=row) if isinstance(value, str) else value
    return book


def schedule() -> Workbook:
    book = _book()
    sheet = _sheet(book, "Assets", ("Capex", "USD", 120000), ("Life", "months", 36), (), ("Line", "Unit", *MONTHS, "Year"))
    for row, name in enumerate(("Opening", "Depreciation", "Closing", "Running", "Total cost"), 5):
        sheet.cell(row, 1, name)
        sheet.cell(row, 2, "USD")
    for at in range(12):
        own, before = letter(3 + at), letter(2 + at)
        lines = (f"={before}7" if at else "=$C$1", "=$C$1/$C$2", f"={own}5-{own}6",
                 "=Inputs!$C$3*Inputs!$C$4*(1+Inputs!$C$7)+Inputs!$C$5*Inputs!$C$6*(1+Inputs!$C$2)", f"={own}6+{own}8")  # fmt: skip
        for row, line in enumerate(lines, 5):
            sheet[f"{own}{row}"] = line
    for row in (6, 8, 9):
        sheet[f"O{row}"] = f"=SUM(C{row}:N{row})"
    return book


def weighted() -> Workbook:
    book = _book()
    mix = (("A", 0.3, 2.0), ("B", 0.2, 1.5), ("C", 0.1, 3.0), ("D", 0.25, 4.0), ("E", 0.15, 2.5))
    rows = [[*one, f"=B{row}*Inputs!$C$4", f"=C{row}*D{row}*(1+Inputs!$C$2)"] for row, one in enumerate(mix, 2)]
    sheet = _sheet(book, "Mix", ("GPU", "Share", "Price", "Hours", "Cost"), *rows,
                   ("Total", "=SUM(B2:B6)", None, "=SUM(D2:D6)", "=SUM(E2:E6)"))  # fmt: skip
    sheet["A9"], sheet["C9"] = "Average price", "=SUMPRODUCT(B2:B6,C2:C6)"
    sheet["A10"], sheet["C10"] = "Overhead", "=C9*Inputs!C7+Inputs!C5*Inputs!C6/Inputs!C3"
    return book


LAYOUTS = {make.__name__: make for make in (months_down, quarters_between, departments, regions, profit, schedule, weighted)}
