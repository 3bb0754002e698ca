"""A formula's value in a spreadsheet: cells A1, B1, ... hold the inputs, formualizer calculates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openpyxl.utils import get_column_letter
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook

from gpusheet.constants import NAMED
from gpusheet.workbook.evaluate import evaluate


def calculate(formulas: Sequence[str], cells: Mapping[str, Any]) -> list[Any]:
    """What each formula gives when `cells` (name -> value, None missing) stand in row 1 under their names."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for column, (name, value) in enumerate(cells.items(), 1):
        sheet.cell(1, column, '=""' if value is None else value)
        book.defined_names[name] = DefinedName(name, attr_text=f"Sheet!${get_column_letter(column)}$1")
    for constant in NAMED:
        book.defined_names[constant.name] = DefinedName(constant.name, attr_text=f"{constant:.15g}")
    for row, formula in enumerate(formulas, 2):
        sheet.cell(row, 1, formula)
    values = evaluate(book)
    return [values.at("Sheet", f"A{row}") for row in range(2, len(formulas) + 2)]
