from __future__ import annotations

import pytest
from openpyxl.workbook.workbook import Workbook

from gpusheet.units import Number, unit_of
from gpusheet.workbook.grid import fill_block, fill_right
from gpusheet.workbook.style import Look


def test_a_formula_moves_with_its_cell() -> None:
    sheet = Workbook().active
    fill_right(sheet, Look("en"), 7, 26, 2, '=Z5*$A7&"Z5"&Other!Z$1', unit_of(Number))
    assert [cell.value for cell in sheet[7][25:]] == ['=Z5*$A7&"Z5"&Other!Z$1', '=AA5*$A7&"Z5"&Other!AA$1']
    fill_block(sheet, Look("en"), 9, 2, 2, 2, '=B8+$A9&"B8"&B$4', unit_of(Number))
    assert [[cell.value for cell in row[1:3]] for row in sheet["A9:C10"]] == [
        ['=B8+$A9&"B8"&B$4', '=C8+$A9&"B8"&C$4'],
        ['=B9+$A10&"B8"&B$4', '=C9+$A10&"B8"&C$4'],
    ]


def test_a_cell_of_a_line_is_styled_without_its_neighbours() -> None:
    sheet, look = Workbook().active, Look("en")
    fill_right(sheet, look, 1, 1, 3, "=A9", unit_of(Number))
    first, second, third = sheet[1]
    assert first._style is third._style
    look.total(second, unit_of(Number))
    assert (first.font.bold, second.font.bold, third.font.bold) == (False, True, False)
    with pytest.raises(TypeError, match="shared by other cells"):
        first.number_format = "0.0"
