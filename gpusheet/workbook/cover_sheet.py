"""The Cover: what a reader needs first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Alignment
from openpyxl.utils import get_column_letter
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.hyperlink import Hyperlink

from gpusheet import __version__
from gpusheet.catalog import columns
from gpusheet.catalog.settings import Settings
from gpusheet.units import Date, Money, Number, Text, unit_of
from gpusheet.workbook.assumptions_sheet import AssumptionCells
from gpusheet.workbook.budget_layout import BLOCKED, COUNTED, BudgetCells
from gpusheet.workbook.checks_sheet import ALERTS, FAILED, MASTER
from gpusheet.workbook.checks_sheet import WORDS as CHECK_WORDS
from gpusheet.workbook.inputs import Inputs
from gpusheet.workbook.layout import DATE_ROW, SCENARIO, Span, hint_of, title_of
from gpusheet.workbook.lookup_lines import LookupLines
from gpusheet.workbook.style import FORMULA, INPUT, LINK, Look, fill, font, printing, protect, set_widths
from gpusheet.workbook.tables import Placed, validation

TEXT, DATE, NUMBER, MONEY = unit_of(Text), unit_of(Date), unit_of(Number), unit_of(Money)
WORDS: dict[str, dict[str, str]] = {
    "en": {
        "purpose": "Purpose", "purpose_text": "How many GPU cards LLM inference needs, and what they cost, by month.",
        "author": "Author", "on": "Prepared on", "currency": "Currency", "tax_included": "Tax basis: with tax",
        "tax_excluded": "Tax basis: without tax", "tax_unstated": "Tax basis: unstated", "tax_text": "workloads at such a price",
        "sign": "Sign convention",
        "sign_text": "Costs are positive; a refund is negative.", "as_of": "Prices as of", "master": "Master check",
        "failed": "Checks that fail", "alerts": "Alerts", "total": "Budget total", "year": "First fiscal year",
        "cards": "Cards billed, peak month", "workloads": "Workloads", "units": "Amounts below in units of",
        "contents": "Contents", "colours": "Colours", "log": "Version log",
        "blue": "Typed input", "black": "Formula", "green": "Formula that reads another sheet",
        "heads": "Version|Date|Author|Change", "first": "Made by gpusheet",
    },
    "zh": {
        "purpose": "用途", "purpose_text": "测算大模型推理所需 GPU 卡数及其按月成本。", "author": "编制人", "on": "编制日期",
        "currency": "币种", "tax_included": "税务口径:含税", "tax_excluded": "税务口径:不含税",
        "tax_unstated": "税务口径:未注明", "tax_text": "采用此类报价的业务数", "sign": "符号约定",
        "sign_text": "成本为正数,退款为负数。", "as_of": "价格基准日", "master": "总检查", "failed": "未通过检查数",
        "alerts": "提醒数", "total": "预算合计", "year": "首个财年", "cards": "计费卡数(峰值月)", "workloads": "业务数",
        "units": "以下金额单位", "contents": "目录", "colours": "颜色说明", "log": "版本记录", "blue": "手工输入",
        "black": "公式", "green": "引用其他工作表的公式", "heads": "版本|日期|作者|变更说明", "first": "由 gpusheet 生成",
        "scenario": "驱动全表的情景；留空取情景表的第一行。",
    },
}  # fmt: skip


def put_cover(
    book: Workbook, look: Look, inputs: Inputs, placed: Mapping[str, Placed], cells: AssumptionCells, lookup: LookupLines,
    budget: BudgetCells, span: Span,
) -> None:  # fmt: skip
    sheet: Any = book["Cover"]
    words = WORDS[look.lang]
    look.title(sheet, "", "", "cover")
    sheet["A1"] = f"={cells.value('title')}"
    look.band(sheet, "cover", 8)
    sheet.row_dimensions[1].height = 34
    sheet["A1"].font = font(look.lang, "FFFFFF", bold=True, size=18)
    tax = lookup.rows["price_tax"]
    bases = [(f"tax_{basis}", f"={span.count_of('Lookup', tax, basis)}") for basis in ("included", "excluded", "unstated")]
    grand, tier = budget.rows["shown_grand"], budget.rows["month_tier"]
    of_year = f"Budget!${get_column_letter(budget.first_year)}${grand}"
    facts: tuple[tuple[str, str, Any, str], ...] = (
        ("purpose", words["purpose_text"], TEXT, ""),
        ("author", f'={cells.value("prepared_by")}&""', TEXT, ""),
        ("on", f"={cells.value('prepared_on')}", DATE, ""),
        ("currency", f"={cells.value('currency')}", TEXT, ""),
        *((key, formula, NUMBER, words["tax_text"]) for key, formula in bases),
        ("sign", words["sign_text"], TEXT, ""),
        ("as_of", f"=Lookup!$E${DATE_ROW}", DATE, ""),
        ("master", f"=Checks!{MASTER}", TEXT, ""),
        ("failed", f"=Checks!{FAILED}", NUMBER, ""),
        ("alerts", f"=Checks!{ALERTS}", NUMBER, ""),
        ("workloads", f"=Budget!{COUNTED}", NUMBER, ""),
        ("cards", f"=Budget!$H${tier}", NUMBER, ""),
        ("units", f"={cells.value('amount_unit')}", NUMBER, ""),
        ("total", f"=Budget!$H${grand}", MONEY, ""),
        ("year", f"=IF(COUNT({of_year})=1,{of_year},Budget!{BLOCKED})", MONEY, ""),
    )
    _scenario(sheet, look, inputs, placed["Scenarios"])
    row = 4
    for key, value, unit, note in facts:
        look.text(sheet.cell(row, 1, words[key]), bold=True)
        cell = sheet.cell(row, 2, value)
        look.formula(cell, unit, bold=key in ("master", "total"))
        cell.alignment = Alignment(horizontal="left", vertical="center")
        if note:
            look.text(sheet.cell(row, 3, note), color="7F7F7F", italic=True)
        if key == "master":
            good, bad = CHECK_WORDS[look.lang]["good"], CHECK_WORDS[look.lang]["bad"]
            at = cell.coordinate
            sheet.conditional_formatting.add(
                at, CellIsRule(operator="equal", formula=[f'"{good}"'], fill=fill("C6E0B4")))
            sheet.conditional_formatting.add(
                at, CellIsRule(operator="equal", formula=[f'"{bad}"'], fill=fill("F8CBAD")))
        row += 1
    row = _contents(sheet, look, row + 1, book.sheetnames)
    row = _colours(sheet, look, row + 1)
    last = _log(sheet, look, inputs, row + 1)
    set_widths(sheet, (26, 34, 16, 22, 14, 14, 14, 14))
    printing(sheet, look.lang, "1:1", f"A1:H{last}")
    protect(sheet)


def _scenario(sheet: Any, look: Look, inputs: Inputs, scenarios: Placed) -> None:
    """The one cell that chooses the scenario of the whole book."""
    column = next(c for c in columns(Settings) if c.name == "scenario")
    cell = sheet[SCENARIO.replace("$", "")]
    look.text(sheet.cell(cell.row, 1, column.label(look.lang)), bold=True)
    look.text(sheet.cell(cell.row, 3, column.doc if look.lang == "en" else WORDS["zh"]["scenario"]), color="7F7F7F", italic=True)
    cell.value = inputs.settings.scenario
    look.input(cell, TEXT)
    cell.number_format = "General"
    made = validation(column, look.lang, scenarios.area("scenario"))
    if made is not None:
        made.add(cell.coordinate)
        sheet.add_data_validation(made)


def _contents(sheet: Any, look: Look, row: int, names: list[str]) -> int:
    look.group(sheet, row, WORDS[look.lang]["contents"], 8)
    for name in names:
        row += 1
        cell = sheet.cell(row, 1, title_of(name, look.lang))
        cell.hyperlink = Hyperlink(ref=cell.coordinate, location=f"'{name}'!A1", display=title_of(name, look.lang))
        look.text(cell, color="0563C1")
        look.text(sheet.cell(row, 2, hint_of(name, look.lang)), color="595959")
    return row + 1


def _colours(sheet: Any, look: Look, row: int) -> int:
    words = WORDS[look.lang]
    look.group(sheet, row, words["colours"], 8)
    for key, color in (("blue", INPUT), ("black", FORMULA), ("green", LINK)):
        row += 1
        look.text(sheet.cell(row, 1, words[key]), color=color, bold=True)
    sheet.cell(row - 2, 1).fill = fill("FFFBE6")
    return row + 1


def _log(sheet: Any, look: Look, inputs: Inputs, row: int) -> int:
    words = WORDS[look.lang]
    look.group(sheet, row, words["log"], 8)
    for position, head in enumerate(words["heads"].split("|"), 1):
        look.header(sheet.cell(row + 1, position, head))
    entry = (__version__, inputs.settings.prepared_on, inputs.settings.prepared_by or "", words["first"])
    for position, value in enumerate(entry, 1):
        cell = sheet.cell(row + 2, position, value)
        look.input(cell, DATE if position == 2 else TEXT)
        cell.alignment = Alignment(horizontal="left", vertical="center")
    for position in range(1, 5):
        look.input(sheet.cell(row + 3, position), DATE if position == 2 else TEXT)
    return row + 3
