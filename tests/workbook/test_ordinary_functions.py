"""The functions of spreadsheets beside ours, as recalc gives them: held against LibreOffice formula by formula."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

import openpyxl
import pytest
from libreoffice import differences, recalculate
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet
from ordinary_formulas import CELLS, NOT_CALCULATED, OTHER_IN_LIBREOFFICE, formulas, in_a_file

from gpusheet.workbook.evaluate import CellError, Value, Values
from gpusheet.workbook.recalculation import Recalculated, recalculated
from gpusheet.xl.cells import CELL_ERRORS

FIRST, COLUMN = 10, 8
CALCULATED = [one for one in formulas() if one not in NOT_CALCULATED]


def book_of(wanted: Iterable[str]) -> Workbook:
    book = Workbook()
    for row in CELLS:
        book.active.append(row)
    for number, formula in enumerate(wanted, FIRST):
        book.active.cell(number, COLUMN, in_a_file(formula))
    return book


def values(sheet: Worksheet) -> Values:
    def of(value: object) -> Value:
        if isinstance(value, str):
            return CellError(value) if value in CELL_ERRORS else value
        return value if isinstance(value, bool) or value is None else float(value)  # type: ignore[arg-type]

    rows = [[of(cell) if column == COLUMN else None for column, cell in enumerate(row, 1)] for row in
            sheet.iter_rows(values_only=True)]  # fmt: skip
    return Values({sheet.title: rows})


@pytest.fixture(scope="module")
def calculated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Recalculated, Worksheet]:
    path = tmp_path_factory.mktemp("ordinary") / "book.xlsx"
    book_of(CALCULATED).save(path)
    done = recalculated(path)
    return path, done, openpyxl.load_workbook(io.BytesIO(done.data), data_only=True).active


def test_every_formula_gives_what_libreoffice_gives(calculated: tuple[Path, Recalculated, Worksheet]) -> None:
    path, done, sheet = calculated
    assert done.not_calculated == ()
    assert len(CALCULATED) > 600
    book = openpyxl.load_workbook(path)
    for row, formula in enumerate(CALCULATED, FIRST):
        if formula in OTHER_IN_LIBREOFFICE:
            book.active.cell(row, COLUMN).value = None
    book.active["E2"].value = book.active["E3"].value = None
    assert differences(book, values(sheet), recalculate(path)) == []


def test_where_libreoffice_differs_from_excel(calculated: tuple[Path, Recalculated, Worksheet]) -> None:
    sheet = calculated[2]
    shown = {formula: sheet.cell(row, COLUMN).value for row, formula in enumerate(CALCULATED, FIRST)}
    assert {formula: shown[formula] for formula in OTHER_IN_LIBREOFFICE} == OTHER_IN_LIBREOFFICE


def test_what_is_not_certain_has_no_value(tmp_path: Path) -> None:
    assert set(formulas()) >= NOT_CALCULATED
    wanted = sorted(NOT_CALCULATED)
    book_of(wanted).save(tmp_path / "book.xlsx")
    done = recalculated(tmp_path / "book.xlsx")
    found = openpyxl.load_workbook(io.BytesIO(done.data), data_only=True).active
    with_value = {formula: value for row, formula in enumerate(wanted, FIRST)
                  if (value := found.cell(row, COLUMN).value) is not None}  # fmt: skip
    assert with_value == {}
    assert {one.cell for one in done.not_calculated} == {f"Sheet!H{row}" for row in range(FIRST, FIRST + len(wanted))}
    assert all(one.why for one in done.not_calculated)
