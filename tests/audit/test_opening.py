"""What other programs write is read: shared formulas, cells without addresses, array formulas, rich text."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest
from openpyxl.workbook.workbook import Workbook

from gpusheet.audit.opening import read_audit_book
from gpusheet.audit.parsing import Shapes
from gpusheet.errors import GpusheetError
from gpusheet.workbook.structured import Tables


def with_cells(path: Path, rows: str) -> Path:
    """A workbook whose only sheet has these rows."""
    book = Workbook()
    book.active.title = "Data"
    book.save(path)
    with ZipFile(path) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    start, end = parts[sheet].index("<sheetData"), parts[sheet].index("<pageMargins")
    parts[sheet] = f"{parts[sheet][:start]}<sheetData>{rows}</sheetData>{parts[sheet][end:]}"
    with ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return path


def test_shared_formulas_are_one_shape(tmp_path: Path) -> None:
    rows = ('<row r="1"><c r="A1"><v>2</v></c><c r="B1"><v>3</v></c></row><row r="2">'
            '<c r="A2"><f t="shared" ref="A2:B2" si="0">A1*2</f><v>4</v></c><c r="B2"><f t="shared" si="0"/><v>6</v></c></row>')
    sheet = read_audit_book(with_cells(tmp_path / "a.xlsx", rows)).sheets["Data"]
    assert sheet.formulas[2, 1] is sheet.formulas[2, 2]
    assert sheet.formula((2, 2)) == "=B1*2" and sheet.value(2, 2) == 6


def test_cells_without_addresses(tmp_path: Path) -> None:
    rows = '<row><c><v>2</v></c><c t="str"><f>"a"&amp;"b"</f><v>ab</v></c></row><row><c t="b"><v>1</v></c></row>'
    sheet = read_audit_book(with_cells(tmp_path / "a.xlsx", rows)).sheets["Data"]
    assert (sheet.value(1, 1), sheet.value(1, 2), sheet.value(2, 1)) == (2, "ab", True)
    assert sheet.formula((1, 2)) == '="a"&"b"'


def test_what_an_array_formula_fills_is_not_typed(tmp_path: Path) -> None:
    rows = ('<row r="1"><c r="A1"><f t="array" ref="A1:C1">TRANSPOSE(E1:E3)</f><v>1</v></c><c r="B1"><v>2</v></c>'
            '<c r="C1"><v>3</v></c><c r="D1"><v>4</v></c></row>')
    sheet = read_audit_book(with_cells(tmp_path / "a.xlsx", rows)).sheets["Data"]
    assert [column for _, column in sheet.cells if sheet.cells[1, column].typed_number] == [4]


def test_texts_in_pieces(tmp_path: Path) -> None:
    rows = '<row r="1"><c r="A1" t="inlineStr"><is><r><t>Tot</t></r><r><t>al</t></r><rPh sb="0" eb="1"><t>x</t></rPh></is></c></row>'
    assert read_audit_book(with_cells(tmp_path / "a.xlsx", rows)).sheets["Data"].text(1, 1) == "Total"


def test_cells_that_cannot_be_read_are_said_in_one_line(tmp_path: Path) -> None:
    broken = with_cells(tmp_path / "a.xlsx", '<row r="1"><c r="A1" t="s"><v>9</v></c></row>')
    with pytest.raises(GpusheetError, match=r"^a\.xlsx: found cells that cannot be read .*; open the workbook in Excel"):
        read_audit_book(broken)


def test_references_of_all_kinds() -> None:
    names = {"rate": "'My Sheet'!$B$2", "both": "Data!$A$1:$A$3,Data!$C$1"}
    shapes = Shapes(Tables({}), names, {"my sheet": "My Sheet", "data": "Data"})

    def areas(formula: str) -> list[tuple[object, ...]]:
        return [tuple(area) for area in shapes.areas_of(formula, "Data", 5, 5)]

    assert areas("=A1+$B$2") == [("Data", 1, 1, 1, 1), ("Data", 2, 2, 2, 2)]
    assert areas("='my sheet'!C3:D4") == [("My Sheet", 3, 3, 4, 4)]
    assert areas("=rate*2") == [("My Sheet", 2, 2, 2, 2)]
    assert areas("=SUM(both)") == [("Data", 1, 1, 3, 1), ("Data", 1, 3, 1, 3)]
    assert areas("=SUM(C:D)") == [("Data", 1, 3, 1_048_576, 4)]
    assert areas('="A1"&LOG10(B1)') == [("Data", 1, 2, 1, 2)]
    shape = shapes.of("=SUM([2]Old!A1,Gone!B2)+IF(A1>1,IF(A2>2,1,2),3)", "Data", 5, 5)
    assert shape.external and shape.problems == ("Gone!B2",) and shape.depth == 2
