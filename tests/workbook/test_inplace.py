"""Single cells of somebody's workbook are changed; all else in the file stays byte for byte."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import openpyxl
import pytest
from decorated import FEATURES, decorated, differing, inventory
from editing import rewritten, table
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl.styles import Font
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table
from openxml_audit import FileFormat, OpenXmlValidator

from gpusheet.errors import GpusheetError
from gpusheet.workbook.inplace import Change, Changed, Copied, WouldLose, changed
from gpusheet.workbook.reading.features import sheet_parts
from gpusheet.workbook.reading.opening import open_package

SHEET = "xl/worksheets/sheet1.xml"
DAY = datetime.date(2026, 11, 30)
CASES = Path(__file__).parents[2].parent / "shared" / "cases"

pytestmark = pytest.mark.usefixtures("without_decisions")  # what is typed is the same


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "prices.xlsx"


def plain(path: Path, edit: Callable[[Any], None] | None = None) -> Path:
    """A book with a header, two prices, a date and a formula."""
    book = Workbook()
    sheet: Any = book.active
    sheet.title = "价格"
    sheet.append(["gpu", "price", "day", "half"])
    sheet.append(["H20", 13.94, datetime.date(2026, 10, 27), "=B2/2"])
    sheet.append(["L20", 4, None, "=B3/2"])
    sheet["B3"].font = Font(bold=True)
    sheet["C3"].number_format = "yyyy-mm-dd"
    if edit is not None:
        edit(sheet)
    book.save(path)
    return path


def change(path: Path, *changes: Change | Copied, **grow: int) -> Changed:
    made = changed(path.name, path.read_bytes(), changes, grow)
    before = inventory(path)
    path.write_bytes(made.data)
    assert differing(before, inventory(path)) == list(made.parts)
    return made


def put(path: Path, **cells: Any) -> Changed:
    return change(path, *(Change("价格", cell, value) for cell, value in cells.items()))


def read(path: Path, values: bool = False) -> Any:
    return open_package(path, "workbook").load(values)["价格"]


def sheet_of(path: Path) -> bytes:
    with ZipFile(path) as file:
        return file.read(SHEET)


# --- what may be put into a cell ---

VALUES: dict[str, Any] = {
    "number": 12.5, "whole number": 7, "small number": 1e-9, "large number": 1e20, "text": "询价 & <b>", "lines": "a\nb",
    "blanks": "  two  ", "yes": True, "no": False, "nothing": None, "unprintable": "a\x07b", "like an escape": "_x0041_",
    "digits": "0123", "empty": "",
}  # fmt: skip


@pytest.mark.parametrize("cell", ["B2", "A3", "F2", "A9", "ZZ3"])
@pytest.mark.parametrize("kind", VALUES)
def test_values(kind: str, cell: str, path: Path) -> None:
    value = VALUES[kind]
    plain(path)
    made = put(path, **{cell: value})
    assert set(made.parts) <= {SHEET, "xl/workbook.xml"}
    found = read(path)[cell].value
    assert found == {"empty": None, "unprintable": "a_x0007_b"}.get(kind, value)
    assert type(found) is type(value) or not value or isinstance(value, float)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(
    st.tuples(st.integers(1, 40), st.integers(1, 30)),
    st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-10**9, 10**9), st.booleans(),
              st.text(st.characters(min_codepoint=32, blacklist_categories=["Cs"], blacklist_characters="\x7f￾￿"), min_size=1)),
    max_size=30))  # fmt: skip
def test_any_cells(tmp_path: Path, cells: dict[tuple[int, int], Any]) -> None:
    path = plain(tmp_path / "prices.xlsx")
    before = {cell.coordinate: cell.value for row in read(path) for cell in row}
    formulas = {(2, 4), (3, 4), (2, 3), (3, 3)}  # and dates, as which openpyxl would read a number back
    names = {openpyxl.utils.get_column_letter(column) + str(row): value
             for (row, column), value in cells.items() if (row, column) not in formulas}  # fmt: skip
    put(path, **names)
    sheet = read(path)
    for name, value in names.items():
        found = sheet[name].value
        if isinstance(value, str):
            assert str(found).replace("_x005F_", "_") == value
        else:
            assert found == value and (isinstance(found, bool) == isinstance(value, bool))
    assert {name: sheet[name].value for name in before if name not in names} == {
        name: value for name, value in before.items() if name not in names}  # fmt: skip


def test_the_style_stays_and_the_rest_of_the_sheet_too(path: Path) -> None:
    old = sheet_of(plain(path))
    put(path, B3=4.5)
    new = sheet_of(path)
    assert read(path)["B3"].font.bold and read(path)["B3"].value == 4.5
    start, end = old.index(b'<row r="3"'), old.index(b"</row>", old.index(b'<row r="3"'))
    assert new.startswith(old[:start]) and new.endswith(old[end:])


def test_nothing_to_change_changes_nothing(path: Path) -> None:
    assert change(plain(path)).parts == ()
    assert put(path, B2=13.94).parts in ((SHEET, "xl/workbook.xml"), ("xl/workbook.xml",), (SHEET,))


def test_dates_need_a_format(path: Path) -> None:
    put(plain(path), C2=DAY, C3=DAY)
    assert [cell.value.date() for cell in read(path)["C"][1:]] == [DAY, DAY]
    with pytest.raises(WouldLose, match="价格!B2: is not formatted as a date, so that a date would show as a number; format it"):
        put(path, B2=DAY)


def test_dates_count_from_1904_where_the_book_does(path: Path) -> None:
    plain(path, lambda sheet: setattr(sheet.parent, "epoch", openpyxl.utils.datetime.CALENDAR_MAC_1904))
    put(path, C3=DAY)
    assert read(path)["C3"].value.date() == DAY and b"<v>44894</v>" in sheet_of(path)


FORMULAS = ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", " =1+1", "＝1+1", '=HYPERLINK("http://x","y")', "=cmd|' /C calc'!A0"]


@pytest.mark.parametrize("text", FORMULAS)
def test_text_is_never_a_formula(text: str, path: Path) -> None:
    made = put(plain(path), A2=text, B3=text)
    cells = [read(path)["A2"], read(path)["B3"]]
    assert [cell.value.replace("_x0009_", "\t") for cell in cells] == [text, text]
    assert [cell.data_type for cell in cells] == ["s", "s"] and all(cell.quotePrefix for cell in cells)
    assert cells[1].font.bold and not cells[0].font.bold
    assert not read(path)["A3"].quotePrefix and "xl/styles.xml" in made.parts
    again = put(path, A3=text)  # the style is there now
    assert "xl/styles.xml" not in again.parts and read(path)["A3"].quotePrefix


def test_a_number_below_zero_stays_a_number(path: Path) -> None:
    put(plain(path), B2=-1)
    assert read(path)["B2"].value == -1 and not read(path)["B2"].quotePrefix


# --- what depends on a cell ---


def test_old_values_of_a_row_go_and_a_calculation_is_asked_for(path: Path) -> None:
    rewritten(plain(path), {r"xl/worksheets/sheet1\.xml": lambda part: re.sub(
        rb"(<f>B(\d)/2</f>)<v ?/?>(?:</v>)?", rb"\1<v>6.97</v>", part)})
    rewritten(path, {r"xl/workbook\.xml": lambda part: part.replace(b' fullCalcOnLoad="1"', b"")})
    assert [cell.value for cell in read(path, True)["D"]] == ["half", 6.97, 6.97]
    made = put(path, B2=20)
    assert [cell.value for cell in read(path, True)["D"]] == ["half", None, 6.97]
    assert [cell.value for cell in read(path)["D"]] == ["half", "=B2/2", "=B3/2"]
    assert made.parts == (SHEET, "xl/workbook.xml")
    assert openpyxl.load_workbook(path).calculation.fullCalcOnLoad
    assert put(path, B2=21).parts == (SHEET,)


def test_a_book_without_formulas_asks_for_nothing(path: Path) -> None:
    plain(path, lambda sheet: sheet.delete_cols(4))
    rewritten(path, {r"xl/workbook\.xml": lambda part: re.sub(rb"<calcPr[^>]*/>", b"", part)})
    assert put(path, B2=20).parts == (SHEET,)


def test_a_calculation_is_asked_for_where_the_book_says_nothing_of_it(path: Path) -> None:
    plain(path)
    rewritten(path, {r"xl/workbook\.xml": lambda part: re.sub(rb"<calcPr[^>]*/>", b"", part)})
    put(path, B2=20)
    with ZipFile(path) as file:
        assert re.search(rb'</(sheets|definedNames)><calcPr fullCalcOnLoad="1"/>', file.read("xl/workbook.xml"))


# --- what would be lost ---

LOST: dict[str, tuple[Callable[[Any], None], str]] = {
    "formula": (lambda sheet: sheet.__setitem__("B2", "=A9*0.95"), r"holds the formula =A9\*0.95, which would be lost"),
    "long formula": (lambda sheet: sheet.__setitem__("B2", "=" + "+".join(["A9"] * 40)), r"holds the formula =A9.{54}\.\.\., "),
    "array": (lambda sheet: sheet.__setitem__("B2", ArrayFormula("B2:C3", "=A8:B9")), "holds a value of the formula in B2"),
    "merged": (lambda sheet: sheet.merge_cells("A2:C2"), "holds a part of the merged cells A2:C2"),
}  # fmt: skip


@pytest.mark.parametrize("kind", LOST)
def test_what_would_be_lost_is_listed_and_nothing_done(kind: str, path: Path) -> None:
    edit, words = LOST[kind]
    plain(path, edit)
    before = path.read_bytes()
    with pytest.raises(WouldLose, match=f"^价格!B2: {words}") as caught:
        put(path, A3="L4", B2=1)
    assert len(caught.value.lines) == 1 and path.read_bytes() == before


def test_all_losses_are_listed_at_once(path: Path) -> None:
    plain(path)
    with pytest.raises(WouldLose) as caught:
        put(path, D2=1, D3=2, A2=DAY)
    assert [line.partition(":")[0] for line in caught.value.lines] == ["价格!D2", "价格!D3", "价格!A2"]


def test_shared_formulas_pictures_in_cells_and_signatures(path: Path) -> None:
    plain(path)
    rewritten(path, {r"xl/worksheets/sheet1\.xml": lambda part: part.replace(b"<f>B3/2</f>", b'<f t="shared" si="0"/>').replace(
        b'<c r="B3"', b'<c r="B3" vm="1"')})
    with pytest.raises(WouldLose) as caught:
        put(path, D3=1, B3=1)
    assert "the formula of another cell" in caught.value.lines[0] and "a picture or a data type" in caught.value.lines[1]
    rewritten(plain(path), {}, {"_xmlsignatures/sig1.xml": b"<x/>"})
    with pytest.raises(WouldLose, match="is digitally signed, and a change breaks the signature"):
        put(path, B2=1)


UNUSUAL = {
    "no row numbers": (rb'<row r="\d+"', b"<row"),
    "no addresses": (rb'<c r="[A-Z]+\d+"', b"<c"),
    "comments": (rb"<sheetData>", b"<sheetData><!-- <row r='2'/> -->"),
    "character data": (rb"<sheetData>", b"<sheetData><![CDATA[]]>"),
    "no cells": (rb"sheetData", b"sheetDat"),
    "no end": (rb"</sheetData>", b"</sheetData >"),
}


@pytest.mark.parametrize("kind", UNUSUAL)
def test_xml_that_no_spreadsheet_writes_is_left_alone(kind: str, path: Path) -> None:
    old, new = UNUSUAL[kind]
    rewritten(plain(path), {r"xl/worksheets/sheet1\.xml": lambda part: re.sub(old, new, part)})
    with pytest.raises(GpusheetError, match="found XML of an unusual kind.*open the workbook in Excel and save it there"):
        put(path, B2=1)


def test_a_prefix_as_some_programs_write_it(path: Path) -> None:
    def prefixed(part: bytes) -> bytes:
        return re.sub(rb"<(/?)(\w)", rb"<\1x:\2", part).replace(b"xmlns=", b"xmlns:x=").replace(b"<x:?", b"<?")

    rewritten(plain(path), {r"xl/worksheets/sheet1\.xml": prefixed})
    put(path, B2=20, A9="new", C3=DAY)
    assert (read(path)["B2"].value, read(path)["A9"].value, read(path)["C3"].value.date()) == (20, "new", DAY)


def test_an_empty_sheet(path: Path) -> None:
    plain(path, lambda sheet: sheet.delete_rows(1, 9))
    empty = rb"<sheetData ?/>|<sheetData></sheetData>"
    rewritten(path, {r"xl/worksheets/sheet1\.xml": lambda part: re.sub(empty, b"<sheetData/>", part)})
    put(path, B2=20, A1="x")
    assert (read(path)["B2"].value, read(path)["A1"].value) == (20, "x")


def test_an_unknown_sheet(path: Path) -> None:
    with pytest.raises(GpusheetError, match="^prices.xlsx: has no sheet 'Prices'; allowed: 价格$"):
        change(plain(path), Change("Prices", "A1", 1))


# --- rows and columns ---


def test_new_cells_look_as_told_or_as_their_column_and_row(path: Path) -> None:
    def edit(sheet: Any) -> None:
        sheet.column_dimensions["F"].number_format = "0.000"
        sheet.row_dimensions[9].font = Font(italic=True)

    plain(path, edit)
    change(path, Change("价格", "F3", 1), Change("价格", "B9", 1), Change("价格", "B5", 1, like="B3"),
           Change("价格", "C5", DAY, like="C2"))  # fmt: skip
    sheet = read(path)
    assert sheet["F3"].number_format == "0.000" and sheet["B9"].font.italic
    assert sheet["B5"].font.bold and sheet["C5"].value.date() == DAY
    assert [row[0].row for row in sheet.iter_rows(min_col=2, max_col=2) if row[0].value is not None] == [1, 2, 3, 5, 9]


def test_the_stated_area_and_spans_follow(path: Path) -> None:
    plain(path)
    rewritten(path, {r"xl/worksheets/sheet1\.xml": lambda part: re.sub(rb'<row r="(\d)"', rb'<row r="\1" spans="1:4"', part)})
    put(path, H3=1, A12="x")
    assert b'<dimension ref="A1:H12"/>' in sheet_of(path)
    assert re.findall(rb'<row r="(\d+)"( spans)?', sheet_of(path)) == [(b"1", b" spans"), (b"2", b" spans"), (b"3", b""), (b"12", b"")]
    book = openpyxl.load_workbook(path, read_only=True)
    assert [row[0] for row in book["价格"].iter_rows(values_only=True)][-1] == "x"
    book.close()


COPIES = {
    "B3/2": "B4/2", "Prices[[#This Row],[price]]/2": "Prices[[#This Row],[price]]/2", "$B$1*2": "$B$1*2", '"B3"&"x"': '"B3"&"x"',
    "SUM(B$2:B3)": "SUM(B$2:B4)", "LOG10(B3)": "LOG10(B4)", "'A1'!B3": "'A1'!B4",
}  # fmt: skip


@pytest.mark.parametrize("formula", COPIES)
def test_formulas_are_copied_downward(formula: str, path: Path) -> None:
    plain(path, lambda sheet: sheet.__setitem__("D3", f"={formula}"))
    change(path, Copied("价格", "D4", "D3"))
    assert read(path)["D4"].value == f"={COPIES[formula]}"


def test_a_formula_that_cannot_be_copied(path: Path) -> None:
    plain(path, lambda sheet: sheet.__setitem__("D3", "=Prices[[#This Row],[price]]/B3"))
    with pytest.raises(WouldLose, match="^价格!D4: the formula of D3 cannot be copied here; add the row in Excel$"):
        change(path, Copied("价格", "D4", "D3"))
    with pytest.raises(WouldLose, match="the formula of A3 cannot be copied"):
        change(path, Copied("价格", "A4", "A3"))


def test_tables_grow(path: Path) -> None:
    def edit(sheet: Any) -> None:
        sheet.add_table(Table(displayName="Prices", ref="A1:D3"))
        sheet.tables["Prices"].autoFilter = openpyxl.worksheet.filters.AutoFilter(ref="A1:D3")

    plain(path, edit)
    made = change(path, Change("价格", "A4", "L4"), Prices=4)
    assert "xl/tables/table1.xml" in made.parts
    grown = read(path).tables["Prices"]
    assert (grown.ref, grown.autoFilter.ref, grown.column_names) == ("A1:D4", "A1:D4", ["gpu", "price", "day", "half"])
    with pytest.raises(GpusheetError, match="has no table FX"):
        change(path, Change("价格", "A5", "L4"), FX=4)
    rewritten(path, {r"xl/tables/table1\.xml": lambda part: part.replace(b' ref="A1:D4"', b' ref="A1:D4" totalsRowCount="1"', 1)})
    with pytest.raises(WouldLose, match="Prices: has a row of totals, which stands where new rows would"):
        change(path, Change("价格", "A5", "L4"), Prices=5)


# --- a file with everything ---


@pytest.mark.parametrize("name", ["plan.xlsx", "plan.xlsm"])
def test_a_decorated_file_keeps_all_of_it(name: str, tmp_path: Path) -> None:
    path = decorated(tmp_path / name)
    kinds = {feature.kind for part in sheet_parts(open_package(path)) for feature in part.features}
    assert kinds >= FEATURES
    found = OpenXmlValidator(FileFormat.OFFICE_2016, max_errors=0).validate(path).errors
    sheet, prices = table(open_package(path).load(), "Prices")
    last = int(prices.ref.rpartition(":")[2].lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    row = last + 1
    before = inventory(path)
    made = changed(path.name, path.read_bytes(), [
        Change(sheet.title, "F7", 99.5), Change(sheet.title, "M7", "=cmd"), Change(sheet.title, "A7", DAY),
        Change(sheet.title, f"A{row}", DAY, like="A7"), Copied(sheet.title, f"R{row}", f"R{last}")], {"Prices": row})  # fmt: skip
    path.write_bytes(made.data)
    after = inventory(path)
    assert differing(before, after) == sorted(made.parts, key=list(before).index)
    assert {part.rpartition("/")[0] for part in made.parts} <= {"xl", "xl/worksheets", "xl/tables"} and len(made.parts) <= 4
    assert {feature.kind for part in sheet_parts(open_package(path)) for feature in part.features} == kinds
    again = OpenXmlValidator(FileFormat.OFFICE_2016, max_errors=0).validate(path).errors
    assert [str(one) for one in again if "inline" not in one.description] == [
        str(one) for one in found if "inline" not in one.description]  # fmt: skip
    new = open_package(path).load()[sheet.title]
    assert (new["F7"].value, new["M7"].value, new[f"A{row}"].value.date(), new.tables["Prices"].ref) == (
        99.5, "=cmd", DAY, prices.ref.replace(str(last), str(row)))  # fmt: skip
    assert new[f"R{row}"].value == new[f"R{last}"].value


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not here")
def test_the_decorated_case(path: Path) -> None:
    path.write_bytes((CASES / "c11_user_decorated.xlsx").read_bytes())
    assert put(path, E2=12.5, A3="new").parts == (SHEET,)  # which asks for a calculation already
    assert read(path)["E2"].value == 12.5
    with pytest.raises(WouldLose, match=r"价格!P2: holds a value of the formula in P2, which would be lost"):
        put(path, P2=1)
    with pytest.raises(WouldLose, match="价格!P3: holds a value of the formula in P2"):
        put(path, P3=1)


def test_the_file_is_packed_as_it_was(path: Path) -> None:
    plain(path)
    with ZipFile(path) as file:
        before = [(one.filename, one.compress_type, one.date_time) for one in file.infolist()]
    made = put(path, B2=20)
    with ZipFile(BytesIO(made.data)) as file:
        assert [(one.filename, one.compress_type, one.date_time) for one in file.infolist()] == before
        assert before[0][1] == ZIP_DEFLATED
