"""A text that begins as formulas do stays a text in every file that is written."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from editing import column, edited, table
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.worksheet.table import TableColumn

from gpusheet.intake.guard import csv_cell, like_a_formula
from gpusheet.workbook.book import write
from gpusheet.workbook.reader import read_book
from gpusheet.workbook.reading.opening import open_package

FORMULAS = ["=HYPERLINK(1)", "=cmd|' /C calc'!A0", "@SUM(1)", "+1+1", "-1+1", "\t=1+1", "\r=1", "\n=1",
            " =1", "\xa0=1", "＝1+1", "＋1", "－1", "＠x"]
PLAIN = ["L20", "1-2", "a=b", "", "H20 96G", "¥-1", "(1)"]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_is_guarded(text: str) -> None:
    assert like_a_formula(text) and csv_cell(text) == f"'{text}"
    assert like_a_formula(CellRichText(TextBlock(InlineFont(b=True), text), "x"))


@pytest.mark.parametrize("value", [*PLAIN, -1, -0.5, True, None])
def test_what_is_not(value: object) -> None:
    assert not like_a_formula(value) and not csv_cell(value).startswith("'")


def test_numbers_as_text_stay_numbers_in_csv() -> None:
    assert [csv_cell(text) for text in ("-5", "+3.5e-2", "-.5")] == ["-5", "+3.5e-2", "-.5"]
    assert [csv_cell(text) for text in ("-5x", "--5", "-")] == ["'-5x", "'--5", "'-"]


@given(st.text(max_size=20))
def test_no_cell_of_a_csv_file_begins_as_a_formula(text: str) -> None:
    file = io.StringIO()
    csv.writer(file).writerow([csv_cell(text)])
    [[cell]] = list(csv.reader(io.StringIO(file.getvalue(), newline="")))
    if cell.lstrip().startswith(("=", "+", "-", "@")):
        assert float(cell) is not None  # a number


def test_headers_of_a_persons_own_columns(tmp_path: Path) -> None:
    """They are written again as text, though they begin as formulas do."""
    title = "=1+1"

    def edit(book: object) -> None:
        sheet, found = table(book, "Workloads")  # type: ignore[arg-type]
        _, top, right, bottom = range_boundaries(found.ref)
        cell = sheet.cell(top, right + 1)
        cell._value, cell.data_type, cell.quotePrefix = title, "s", True
        found.ref = found.autoFilter.ref = f"A{top}:{get_column_letter(right + 1)}{bottom}"
        found.tableColumns.append(TableColumn(id=len(found.tableColumns) + 1, name=title))
        sheet.cell(top + 1, right + 1).value = "mine"

    read = read_book(edited(tmp_path / "book.xlsx", edit))
    assert read.extra_columns["Workloads"] == {title: ["mine", None]}
    write(read.inputs, tmp_path / "new.xlsx", months=1, extra_columns=read.extra_columns, extra_sheets=read.carried)
    made = open_package(tmp_path / "new.xlsx").load()
    sheet, _ = table(made, "Workloads")
    head = sheet[f"{column(made, 'Workloads', title)}6"]
    assert (head.value, head.data_type, head.quotePrefix) == (title, "s", True)
