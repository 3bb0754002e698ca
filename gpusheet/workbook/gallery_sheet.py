"""The sheet Functions: every function once, with a call that is computed, what it gives and what it takes."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openpyxl.utils import get_column_letter
from openpyxl.workbook.workbook import Workbook

from gpusheet.intake.guard import like_a_formula
from gpusheet.workbook.recalculation.deviations import digits
from gpusheet.workbook.style import FORMULA, Look, printing, protect, set_widths
from gpusheet.xl.functions import Function, functions, grouped

SHEET = "Functions"
ROLE = "output"
_HEADS = {
    "en": ("Function", "Call", "Value", "Unit", "What it is", "Arguments"),
    "zh": ("函数", "调用", "结果", "单位", "说明", "参数"),
}
_TITLE = {"en": "Functions", "zh": "函数"}
_HINT = {
    "en": "Every function once, computed live. The values in this file come from Python; Excel computes them anew once "
    "macros are enabled.",
    "zh": "每个函数一例，实时计算。文件中的数值由 Python 算出；启用宏后由 Excel 重新计算。",
}
_STEPS = {
    "en": (
        "1. On this computer, once: install Python and gpusheet, then run: gpusheet udf install",
        "2. A downloaded file: right-click it, Properties, tick Unblock. Then open it and enable macros.",
        "3. #NAME? in the value column: press Alt+F8 and run GpusheetStatus, it says why Python does not answer.",
        "4. #VALUE!, #N/A or #NUM!: =ERROR_REASON(\"CARD_TIER\",...) with the same arguments says why.",
        "This workbook was made without Excel and has not been run in it.",
    ),
    "zh": (
        "1. 每台电脑一次：安装 Python 与 gpusheet，然后运行 gpusheet udf install",
        "2. 下载的文件：右键，属性，勾选“解除锁定”；再打开并启用宏。",
        "3. 结果列显示 #NAME?：按 Alt+F8 运行 GpusheetStatus，它会说明 Python 为何没有响应。",
        "4. 显示 #VALUE!、#N/A 或 #NUM!：用同样的参数调用 =ERROR_REASON(\"CARD_TIER\",...) 可得到原因。",
        "本工作簿在没有 Excel 的环境中生成，未在 Excel 中运行过。",
    ),
}  # fmt: skip
_EXAMPLES = {"en": "Example tables", "zh": "示例表"}
_OPTIONAL = {"en": "optional", "zh": "可选"}


@dataclass
class Gallery:
    """Where the sheet has its live cells, and what they show."""

    values: dict[str, Any] = field(default_factory=dict)  # address -> value
    ranges: dict[str, str] = field(default_factory=dict)  # an example table -> its range


def put_gallery(book: Workbook, look: Look) -> Gallery:
    """Adds the sheet to a workbook; what its cells show comes from Python."""
    sheet: Any = book.create_sheet(SHEET)
    heads = _HEADS[look.lang]
    look.title(sheet, _TITLE[look.lang], _HINT[look.lang], ROLE)
    look.band(sheet, ROLE, len(heads))
    for row, step in enumerate(_STEPS[look.lang], 3):
        sheet.cell(row, 1, step)
        look.text(sheet.cell(row, 1))
    line = len(_STEPS[look.lang]) + 4
    for position, head in enumerate(heads, 1):
        look.header(sheet.cell(line, position, head))
    header, line = line, line + 1
    gallery = Gallery()
    _put_examples(sheet, look, line + _lines() + 1, gallery)
    for group, members in grouped(look.lang):
        look.group(sheet, line, group, len(heads))
        for line, function in enumerate(members, line + 1):  # noqa: B020  # the next group goes on from there
            _put_function(sheet, look, line, function, gallery)
        line += 1
    set_widths(sheet, (34, 52, 16, 18, 60, 70))
    sheet.freeze_panes = f"B{header + 1}"
    printing(sheet, look.lang, f"{header}:{header}", f"A1:F{line - 1}")
    protect(sheet)
    return gallery


def _lines() -> int:
    return len(grouped()) + len(functions())


def _put_function(sheet: Any, look: Look, line: int, function: Function, gallery: Gallery) -> None:
    lang = look.lang
    formula, value = call(function, gallery.ranges)
    rule = function.rule
    arguments = "\n".join(
        f"{a.name}: {a.help(lang)}" + (f" ({_OPTIONAL[lang]})" if a.optional else "") for a in function.arguments
    )
    shown = (function.name, formula, None, rule.unit.label(lang) if rule else None, function.help(lang), arguments)
    for position, text in enumerate(shown, 1):
        if text is None:
            continue
        cell = sheet.cell(line, position)
        cell.value, cell.data_type = text, "s"
        look.text(cell, bold=position == 1, color="7F7F7F" if position == 4 else FORMULA, wrap=True, indent=position > 3)
        cell.quotePrefix = like_a_formula(text)
    live = sheet.cell(line, 3, formula)
    look.formula(live, rule.unit if rule else None)
    if isinstance(value, datetime.date):
        live.number_format = "yyyy-mm-dd"
    gallery.values[live.coordinate] = value
    tallest = max(len(formula) / 50, len(shown[4] or "") / (30 if lang == "zh" else 58), arguments.count("\n") + 1)
    sheet.row_dimensions[line].height = 14 * (int(tallest) + (tallest > int(tallest)))


def call(function: Function, ranges: Mapping[str, str]) -> tuple[str, Any]:
    """The call of a function with its example, as a cell holds it, and what it gives.

    Of a result that fills many cells it takes one, so that it works in every version of Excel.

    >>> call(functions()["CARD_TIER"], {})
    ('=CARD_TIER(2.67)', 4.0)
    """
    # Excel keeps 15 digits of what is typed
    spelled = [digits(one) if isinstance(one, float) else one for one in function.example]
    formula, value = function.call(ranges), function(*spelled)
    if not function.spills:
        return f"={formula}", value
    column = next((place for place, cell in enumerate(value[1]) if isinstance(cell, float)), 0)
    return f"=INDEX({formula},2,{column + 1})", value[1][column]


def _put_examples(sheet: Any, look: Look, line: int, gallery: Gallery) -> None:
    """The ranges that examples take, each once, under the list."""
    tables: list[Sequence[Sequence[Any]]] = []
    for function in functions().values():
        for value in function.example:
            if isinstance(value, list) and value and isinstance(value[0], list) and value not in tables:
                tables.append(value)
    look.group(sheet, line, _EXAMPLES[look.lang], len(_HEADS[look.lang]))
    line += 1
    for table in tables:
        for row, cells in enumerate(table, line):
            for column, value in enumerate(cells, 1):
                cell = sheet.cell(row, column, value)
                look.header(cell) if row == line else look.input(cell, None)
        last = f"${get_column_letter(len(table[0]))}${line + len(table) - 1}"
        gallery.ranges[str(table)] = f"$A${line}:{last}"
        line += len(table) + 1
