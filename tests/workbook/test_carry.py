"""Sheets, comments, the log and columns that a person added: carried into the new workbook as they were."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from editing import MONTHS, assumption, carried, cell, edited, reread, rewritten, small, written
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Alignment, Border, Font, PatternFill, Protection, Side
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table
from openxml_audit import OpenXmlValidator, ValidationSeverity

from gpusheet.workbook.book import build
from gpusheet.workbook.carry import CarriedLog, log_entries, log_header
from gpusheet.workbook.reader import read_book
from gpusheet.workbook.reading.features import sheet_parts
from gpusheet.workbook.reading.opening import open_package

ANEW = "make it anew in the new book"
OWN_SHEET = "note it on a sheet of your own"
OVERRIDE = "use the override columns of Workloads"
CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"

pytestmark = pytest.mark.usefixtures("without_decisions")


# --- sheets ---

THIN = Side(style="thin", color="FF112233")


def _quotes(book: Workbook) -> None:
    """A sheet with everything that can be copied."""
    sheet: Any = book.create_sheet("询价 2026", 2)
    sheet["A1"] = "Supplier quotes"
    sheet["A1"].font = Font(name="SimSun", size=15, bold=True, color="FF9C0006")
    sheet["A1"].fill = PatternFill("solid", start_color="FFFFFF00")
    sheet["A1"].alignment = Alignment(horizontal="center", wrap_text=True)
    sheet["A1"].border = Border(bottom=THIN)
    sheet.merge_cells("A1:C1")
    sheet["A3"], sheet["B3"], sheet["C3"] = 1234.5678, datetime.datetime(2026, 11, 2, 9, 30), True
    sheet["A3"].number_format, sheet["B3"].number_format = '#,##0.00 "元"', "yyyy-mm-dd hh:mm"
    sheet["A3"].protection = Protection(locked=False)
    for row, text in enumerate(("=HYPERLINK(1)", "+1+1", "-1", "@SUM(1)", "\t=1+1"), 4):
        sheet.cell(row, 1).value = text
        sheet.cell(row, 1).data_type = "s"
    sheet["B4"] = CellRichText("plain ", TextBlock(InlineFont(b=True), "bold"))
    sheet["B5"] = "source"
    sheet["B5"].hyperlink = "https://example.com/price"
    sheet["B6"] = "#N/A"
    sheet.column_dimensions["A"].width, sheet.column_dimensions["B"].hidden = 33.5, True
    sheet.row_dimensions[3].height = 41
    sheet.freeze_panes = "B4"
    sheet.sheet_view.tabSelected = True
    sheet.sheet_properties.tabColor = "FF00B050"
    sheet.page_setup.orientation = "landscape"
    sheet.print_area = "A1:C8"
    sheet.print_title_rows = "1:1"
    sheet.auto_filter.ref = "A3:C8"


def test_a_plain_sheet_is_carried_as_it_was(path: Path) -> None:
    read = reread(path, _quotes)
    assert (read.inputs, read.lost) == (small(), ())
    assert [sheet.title for sheet in read.extra_sheets] == ["询价 2026"]
    new: Any = carried(read, path)
    assert new.sheetnames[-1] == "询价 2026"
    old, sheet = openpyxl.load_workbook(path, rich_text=True)["询价 2026"], new["询价 2026"]
    for one in old._cells.values():  # type: ignore[attr-defined]
        other = sheet[one.coordinate]
        assert (other.value, other.data_type) == (one.value, one.data_type), one.coordinate
        for name in ("font", "fill", "border", "alignment", "protection", "number_format"):
            assert repr(getattr(other, name)) == repr(getattr(one, name)), (one.coordinate, name)
    assert [sheet[f"A{row}"].data_type for row in range(4, 9)] == ["s"] * 5
    assert all(sheet[f"A{row}"].quotePrefix for row in range(4, 9))
    assert sheet["B5"].hyperlink.target == "https://example.com/price"
    assert str(sheet["B4"].value) == "plain bold"
    assert sheet["B4"].value[1].font.b
    assert [str(one) for one in sheet.merged_cells.ranges] == ["A1:C1"]
    assert (sheet.column_dimensions["A"].width, sheet.column_dimensions["B"].hidden) == (33.5, True)
    assert (sheet.row_dimensions[3].height, sheet.freeze_panes) == (41, "B4")
    assert (sheet.sheet_properties.tabColor.rgb, sheet.page_setup.orientation) == ("FF00B050", "landscape")
    assert (sheet.print_area, sheet.print_title_rows) == ("'询价 2026'!$A$1:$C$8", "$1:$1")
    assert (sheet.auto_filter.ref, sheet.sheet_state) == ("A3:C8", "visible")
    assert (old.sheet_view.tabSelected, bool(sheet.sheet_view.tabSelected)) == (True, False)


def test_a_carried_sheet_leaves_the_file_valid_and_is_carried_again(path: Path) -> None:
    read = reread(path, _quotes)
    carried(read, path)
    new = path.with_name("new.xlsx")
    faults = [one for one in OpenXmlValidator().validate(new).errors if one.severity is ValidationSeverity.ERROR]
    assert faults == []
    again = read_book(new)
    assert (again.inputs, again.lost, again.warnings) == (small(), (), ())
    assert [sheet.title for sheet in again.extra_sheets] == ["询价 2026"]


def test_hidden_sheets_stay_hidden_and_the_theme_is_kept(path: Path) -> None:
    def edit(book: Workbook) -> None:
        book.create_sheet("kept").sheet_state = "hidden"
        book["kept"]["A1"] = 1

    edited(path, edit)
    rewritten(path, {r"xl/theme/theme1\.xml": lambda part: part.replace(b"4F81BD", b"123456")})
    new: Any = carried(read_book(path), path)
    assert new["kept"].sheet_state == "hidden"
    assert b"123456" in new.loaded_theme


def _formula(sheet: Any) -> None:
    sheet["B2"], sheet["B3"] = "=Budget!H5", "=1+1"


def _comment(sheet: Any) -> None:
    sheet["A1"].comment = Comment("ask Li", "Wang")


def _validation(sheet: Any) -> None:
    made = DataValidation(type="list", formula1='"a,b"')
    made.add("C3:C9")
    sheet.add_data_validation(made)


def _table(sheet: Any) -> None:
    sheet["A1"], sheet["A2"] = "head", 1
    sheet.add_table(Table(displayName="Mine", ref="A1:A2"))


def _chart(sheet: Any) -> None:
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=1, min_row=1, max_row=2))
    sheet.add_chart(chart, "D4")


NOT_LOSSLESS: dict[str, tuple[Callable[[Any], None], str]] = {
    "formulas": (_formula, "2 formulas (first at B2)"),
    "comments": (_comment, "a comment"),
    "validations": (_validation, "a data validation at C3:C9"),
    "formats": (lambda sheet: sheet.conditional_formatting.add("A1:A9", CellIsRule("equal", formula=["1"])),
                "a conditional format at A1:A9"),
    "tables": (_table, "a table"),
    "charts": (_chart, "a chart at D4"),
    "names": (lambda sheet: sheet.defined_names.add(DefinedName("mine", attr_text="Mine!$A$1")), "the name mine"),
}  # fmt: skip


@pytest.mark.parametrize("kind", NOT_LOSSLESS)
def test_a_sheet_that_would_lose_something_is_listed(kind: str, path: Path) -> None:
    change, reason = NOT_LOSSLESS[kind]

    def edit(book: Workbook) -> None:
        sheet = book.create_sheet("Mine")
        sheet["A1"], sheet["A2"] = "x", 2
        change(sheet)

    read = reread(path, edit)
    assert read.extra_sheets == []
    assert read.lost == (
        f"Mine: the sheet is not carried over, as it has {reason}; copy it into the new book in Excel",)
    assert read.inputs == small()


def test_a_sheet_of_a_chart_is_listed(path: Path) -> None:
    def edit(book: Workbook) -> None:
        chart = BarChart()
        chart.add_data(Reference(book["Budget"], min_col=9, min_row=20, max_row=22))
        book.create_chartsheet("Graph").add_chart(chart)

    assert reread(path, edit).lost == ("Graph: the sheet is not carried over, as it has no cells (chartsheet); "
                                       "copy it into the new book in Excel",)  # fmt: skip


DRAWING = """<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:twoCellAnchor><xdr:from><xdr:col>13</xdr:col>
<xdr:row>4</xdr:row></xdr:from><xdr:sp><xdr:txBody><a:p><a:r><a:t>口径: 含税</a:t></a:r></a:p></xdr:txBody></xdr:sp>
</xdr:twoCellAnchor><xdr:oneCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:row>0</xdr:row></xdr:from><xdr:pic/>
</xdr:oneCellAnchor></xdr:wsDr>""".encode()
RELATIONS = b"""<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship
 Id="rId77" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/drawing"
 Target="/xl/drawings/own.xml"/>%b
</Relationships>"""
X14 = b"""<extLst><ext xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main" uri="{1}">%b</ext>
</extLst>"""
SPARKLINES = b"""<x14:sparklineGroups xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"><x14:sparklineGroup>
<x14:sparklines><x14:sparkline><xm:f>GPUs!E7:E9</xm:f><xm:sqref>AA9</xm:sqref></x14:sparkline></x14:sparklines>
</x14:sparklineGroup></x14:sparklineGroups>"""
VALIDATIONS = b"""<x14:dataValidations xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main" count="2">
<x14:dataValidation type="list"><x14:formula1><xm:f>GPUs!$A$7:$A$9</xm:f></x14:formula1><xm:sqref>%b</xm:sqref>
</x14:dataValidation></x14:dataValidations>"""


def _before_the_end(addition: bytes) -> Callable[[bytes], bytes]:
    return lambda part: part.replace(b"</worksheet>", addition + b"</worksheet>")


def test_what_openpyxl_does_not_see_is_listed_too(path: Path) -> None:
    """Drawings, sparklines and pivot tables, on a sheet of ours and on one of the user's."""
    edited(path, lambda book: book.create_sheet("Mine").__setitem__("A1", 1))
    own = b"""<drawing xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId77"/>"""
    pivot = b"""<Relationship Id="rId78" Type="somewhere/pivotTable" Target="/xl/pivot.xml"/>"""
    sheets = {r"xl/worksheets/sheet16\.xml": _before_the_end(own + X14 % SPARKLINES),
              r"xl/worksheets/sheet42\.xml": _before_the_end(X14 % SPARKLINES)}  # fmt: skip
    rewritten(path, sheets, {"xl/drawings/own.xml": DRAWING, "xl/worksheets/_rels/sheet16.xml.rels": RELATIONS % b"",
                             "xl/worksheets/_rels/sheet42.xml.rels": RELATIONS % pivot})  # fmt: skip
    assert read_book(path).lost == (
        f"Lookup: a text box at N5 ('口径: 含税') is not carried over; {ANEW}",
        f"Lookup: a picture at A1 is not carried over; {ANEW}",
        f"Lookup: a sparkline at AA9 is not carried over; {ANEW}",
        "Mine: the sheet is not carried over, as it has a pivot table, a sparkline at AA9; "
        "copy it into the new book in Excel",
    )


def test_validations_that_excel_moved_to_an_extension_are_still_ours(path: Path) -> None:
    written(path)
    rewritten(path, {r"xl/worksheets/sheet2\.xml": lambda part: part.replace(
        b"<tableParts", X14 % (VALIDATIONS % b"E7:E12") + b"<tableParts")})
    assert read_book(path).lost == ()
    written(path)
    rewritten(path, {r"xl/worksheets/sheet2\.xml": lambda part: part.replace(
        b"<tableParts", X14 % (VALIDATIONS % b"BH7:BH12") + b"<tableParts")})
    assert read_book(path).lost == (f"Workloads: a data validation at BH7:BH12 is not carried over; {ANEW}",)


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not here")
def test_the_decorated_sheet_of_the_cases() -> None:
    part = sheet_parts(open_package(CASES / "c11_user_decorated.xlsx"))[0]
    assert sorted({str(feature) for feature in part.features}) == [
        "a comment", "a conditional format at E2:E9", "a sparkline at N2", "a text box at N5 ('口径: 含税, 勿删')"]


# --- notes ---


def test_comments_on_inputs_are_carried(path: Path) -> None:
    def edit(book: Workbook) -> None:
        cell(book, "Workloads", "peak_factor", 8).comment = Comment("ask the service desk\nby Friday", "Wang")
        assumption(book, "pue").comment = Comment("from the bill", "Li")
        cell(book, "Workloads", "gpu").comment = Comment("[Threaded comment]\n...", "tc={1234}")
        book["Sizing"]["F20"].comment = Comment("why?", "Li")
        book["GPUs"]["A5"].comment = Comment("unit", "Li")

    read = reread(path, edit)
    assert read.lost == (
        f"Workloads!E7: the comment thread '[Threaded comment] ...' is not carried over; {OWN_SHEET}",
        f"GPUs!A5: the comment 'unit' is not carried over; {OWN_SHEET}",
        f"Sizing!F20: the comment 'why?' is not carried over; {OWN_SHEET}",
    )
    assert read.extra_sheets == []
    new = carried(read, path)
    assert cell(new, "Workloads", "peak_factor", 8).comment == Comment("ask the service desk\nby Friday", "Wang")
    assert assumption(new, "pue").comment == Comment("from the bill", "Li")
    again = read_book(path.with_name("new.xlsx"))
    assert sorted(again.extra_notes, key=str) == sorted(read.extra_notes, key=str)
    assert again.lost == ()


def test_comments_follow_their_row(path: Path) -> None:
    def edit(book: Workbook) -> None:
        for title in ("gpu", "model", "input_tokens", "output_tokens"):
            cell(book, "Workloads", title, 11).value = cell(book, "Workloads", title).value
        cell(book, "Workloads", "workload", 11).value = "new"
        cell(book, "Workloads", "workload", 11).comment = Comment("late", "Li")

    new = carried(reread(path, edit), path)
    assert [cell(new, "Workloads", "workload", row).comment is not None for row in (7, 8, 9)] == [False, False, True]


def _log_row(book: Workbook) -> int:
    header = log_header(book["Cover"])
    assert header is not None
    return header + 1


def test_the_version_log_is_carried(path: Path) -> None:
    entry = ("v2", datetime.datetime(2026, 11, 5), "Wang", "=approved by the board")

    def edit(book: Workbook) -> None:
        for position, value in enumerate(entry, 1):
            one: Any = book["Cover"].cell(_log_row(book) + 1, position)
            one.value = value
            one.data_type = "d" if position == 2 else "s"
        assumption(book, "prepared_by").value = "Zhao"

    read = reread(path, edit)
    assert read.lost == ()
    new: Any = carried(read, path)
    entries = log_entries(new["Cover"], _log_row(new) - 1)
    assert [one[2:] for one in entries] == [
        ("gpusheet", "Made by gpusheet"), ("Wang", "=approved by the board"), ("Zhao", "Made by gpusheet")]
    assert entries[1][:2] == ("v2", datetime.date(2026, 11, 5))
    last = _log_row(new) + 3
    assert new["Cover"].print_area == f"'Cover'!$A$1:$H${last}"
    assert not new["Cover"].cell(last, 4).protection.locked
    assert read_book(path.with_name("new.xlsx")).lost == ()


def test_an_untouched_log_is_written_by_the_book_itself(path: Path) -> None:
    assert read_book(written(path)).extra_notes == []
    book = build(small()).book
    entries = log_entries(book["Cover"], _log_row(book) - 1)
    CarriedLog(entries).put(book)
    assert log_entries(book["Cover"], _log_row(book) - 1) == entries


# --- own columns ---


def test_own_columns_are_written_and_read_again(path: Path) -> None:
    def edit(book: Workbook) -> None:
        for row, owner, due in ((6, "owner", "due"), (7, "Li", datetime.datetime(2026, 12, 1)), (8, "=Wang", None)):
            book["Workloads"].cell(row, 57).value = owner
            book["Workloads"].cell(row, 57).data_type = "s"
            book["Workloads"].cell(row, 58, due)
        for row in range(6, 10):
            book["GPUs"].cell(row, 28, "rank" if row == 6 else row / 4).number_format = "0.0%"

    read = reread(path, edit)
    assert read.lost == ()
    new = carried(read, path)
    assert [cell(new, "GPUs", "rank", row).number_format for row in (7, 8, 9)] == ["0.0%"] * 3
    assert cell(new, "Workloads", "owner", 8).quotePrefix
    again = read_book(path.with_name("new.xlsx"))
    assert again.extra_columns == read.extra_columns == {
        "Workloads": {"owner": ["Li", "=Wang"], "due": [datetime.datetime(2026, 12, 1), None]},
        "GPUs": {"rank": [1.75, 2.0, 2.25]},
    }  # fmt: skip
    assert (again.inputs, again.lost, again.months) == (read.inputs, (), MONTHS)
