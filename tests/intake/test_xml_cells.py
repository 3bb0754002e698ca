"""The XML of sheets as other programs write it, and as nobody should."""

from __future__ import annotations

import datetime
import zipfile
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook as NewBook

from gpusheet.errors import GpusheetError
from gpusheet.intake import xml_cells
from gpusheet.intake.sheets import ErrorCell, Sheet, Unsaved, open_file
from gpusheet.intake.styles import Styles, what_shows
from gpusheet.intake.xml_cells import SheetReader, moment, strings_of

HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'


def read(
    data: str, strings: list[str] | None = None, styles: Styles | None = None, after: str = "", before: str = ""
) -> Sheet:
    xml = f"{HEAD}{before}<sheetData>{data}</sheetData>{after}</worksheet>"
    return SheetReader("S", strings or [], styles or Styles(), False).read(xml.encode())


def cell(inside: str, attributes: str = "") -> Any:
    (line,) = read(f'<row r="1"><c r="A1"{attributes}>{inside}</c><c r="B1"><v>1</v></c></row>', ["shared", ""]).lines
    return line[0]


def test_cells_of_every_type() -> None:
    assert cell("<v>13.94</v>") == 13.94 and cell("<v>1</v>", ' t="n"') == 1
    assert cell("<v>0</v>", ' t="s"') == "shared" and cell("<v>1</v>", ' t="s"') is None
    assert cell("<is><t>a</t></is>", ' t="inlineStr"') == "a" and cell("<is></is>", ' t="inlineStr"') is None
    assert cell("<is><r><t>a</t></r><rPh><t>x</t></rPh><r><t>b</t></r></is>", ' t="inlineStr"') == "ab"
    assert cell("<v>1</v>", ' t="b"') is True and cell("<v>false</v>", ' t="b"') is False
    assert cell("<v>#REF!</v>", ' t="e"') == ErrorCell("#REF!")
    assert cell("<v>2026-11-01</v>", ' t="d"') == datetime.datetime(2026, 11, 1)
    assert cell("<f>1+1</f><v>2</v>") == 2 and cell('<f>"a"</f><v>a</v>', ' t="str"') == "a"
    assert cell("<f>1+1</f>") == Unsaved("=1+1") and cell('<f>""</f><v></v>', ' t="str"') is None
    assert cell("<v></v>") is None and cell("") is None
    assert cell("<v>a_x000D_b_x0041_</v>", ' t="str"') == "abA"


def test_cells_without_places_follow_each_other() -> None:
    sheet = read("<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>")
    assert sheet.numbers == [1, 2] and sheet.lines == [[1, 2], [3]]


def test_rows_out_of_order_and_twice() -> None:
    sheet = read(
        '<row r="3"><c r="A3"><v>3</v></c></row><row r="1"><c r="A1"><v>1</v></c></row>'
        '<row r="3"><c r="B3"><v>4</v></c></row>'
    )
    assert sheet.numbers == [1, 3] and sheet.lines == [[1], [3, 4]]


def test_prefixes_merges_and_what_is_hidden() -> None:
    xml = (
        '<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:cols><x:col min="2" max="3" hidden="1"/>'
        '</x:cols><x:sheetData><x:row r="1" hidden="true"><x:c r="A1" t="inlineStr">'
        '<x:is><x:t>a</x:t></x:is></x:c></x:row></x:sheetData>'
        '<x:mergeCells><x:mergeCell ref="A1:B2"/><x:mergeCell ref="odd"/></x:mergeCells></x:worksheet>'
    )
    sheet = SheetReader("S", [], Styles(), False).read(xml.encode())
    assert (
        sheet.lines == [["a"]]
        and sheet.hidden_rows == {1}
        and sheet.hidden_columns == {2, 3}
        and sheet.merges == [(1, 1, 2, 2)]
    )


def test_shared_formulas_are_spelled_for_their_cells() -> None:
    sheet = read(
        '<row r="1"><c r="B1"><f t="shared" ref="B1:B2" si="0">A1*2</f><v>2</v></c></row>'
        '<row r="2"><c r="B2"><f t="shared" si="0"/><v>4</v></c><c r="C2"><f t="shared" si="9"/><v>4</v></c></row>'
    )
    assert (
        sheet.formulas[1, 2] == "=A1*2" and sheet.formulas.get((2, 2)) == "=A2*2" and sheet.formulas.get((9, 9)) is None
    )
    assert sheet.formulas[2, 3] == "="


def test_dates_and_formats() -> None:
    styles = Styles(frozenset({1}), frozenset({2}), {3: "%"})
    sheet = read(
        '<row r="1"><c r="A1" s="1"><v>46327</v></c><c r="B1" s="2"><v>0.5</v></c><c r="C1" s="3"><v>0.5</v></c>'
        '<c r="D1" s="2"><v>1.5</v></c></row>',
        styles=styles,
    )
    assert sheet.lines == [[datetime.datetime(2026, 11, 1), datetime.time(12), 0.5, 1.5]]
    assert sheet.formats == {(1, 3): "%"}
    assert moment(-1, False) == -1 and moment(1e12, False) == 1e12 and moment(0, True) == datetime.datetime(1904, 1, 1)


@pytest.mark.parametrize(
    ("code", "shows"),
    [
        ("yyyy-mm-dd", "date"),
        ('m"月"d"日"', "date"),
        ("hh:mm:ss", "time"),
        ("[h]:mm", "time"),
        ("0.00%", "%"),
        ("General", ""),
        ("#,##0.00", ""),
        ("[Red]#,##0", ""),
        ('"USD" #,##0', "USD"),
        ("€#,##0", "EUR"),
        ("[$¥-804]#,##0", "CNY"),
        ("[$XYZ]#,##0", ""),
        ('#,##0"元"', "CNY"),
        ("[$-409]d-mmm-yy", "date"),
        ("@", ""),
        ('"HK$"#,##0', "HKD"),
    ],
)
def test_what_number_formats_show(code: str, shows: str) -> None:
    assert what_shows(200, {200: code}) == shows


def test_what_built_in_formats_show() -> None:
    assert [what_shows(number, {}) for number in (0, 9, 14, 20, 45)] == ["", "%", "date", "time", "time"]


def test_strings_without_reading_aids() -> None:
    xml = '<sst xmlns="x"><si><t>a_x000A_</t></si><si><r><t>b</t></r><rPh sb="0" eb="1"><t>no</t></rPh><r><t>c</t></r></si><si/></sst>'
    assert strings_of(xml.encode()) == ["a\n", "bc", ""]


@pytest.mark.parametrize(
    "xml",
    [
        f"<!DOCTYPE x [<!ENTITY a 'b'>]>{HEAD}</worksheet>",
        f"{HEAD}<sheetData>",
        f'{HEAD}<sheetData><row r="1"><c r="a1"/></row></sheetData></worksheet>',
        f'{HEAD}<sheetData><row r="1"><c r="A2"/></row></sheetData></worksheet>',
        f'{HEAD}<sheetData><row r="x"/></sheetData></worksheet>',
    ],
)
def test_what_is_no_sheet_is_refused(xml: str) -> None:
    with pytest.raises(ValueError):
        SheetReader("S", [], Styles(), False).read(xml.encode())


def test_cells_far_to_the_right_are_left_and_too_many_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read('<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row>').lines == [[1]]
    monkeypatch.setattr(xml_cells, "MOST_ROOM", 5)
    with pytest.raises(GpusheetError, match="too far apart"):
        read('<row r="1"><c r="J1"><v>1</v></c></row>')


def changed(path: Path, part: str, data: bytes | None, name: str = "a.xlsx") -> Path:
    """A workbook with one part replaced, or without it."""
    made = NewBook()
    sheet = made.active
    assert sheet is not None
    sheet.append(["a", "b"])
    made.save(path / "whole.xlsx")
    with zipfile.ZipFile(path / "whole.xlsx") as old, zipfile.ZipFile(path / name, "w") as new:
        for one in old.namelist():
            if one != part:
                new.writestr(one, old.read(one))
        if data is not None:
            new.writestr(part, data)
    return path / name


@pytest.mark.parametrize(
    ("part", "data"),
    [
        ("xl/worksheets/sheet1.xml", b"<worksheet><sheetData>"),
        ("xl/styles.xml", b"<styleSheet"),
        ("xl/_rels/workbook.xml.rels", b"<Relationships"),
        ("_rels/.rels", b"no xml"),
        (
            "xl/worksheets/sheet1.xml",
            f'{HEAD}<sheetData><row r="1"><c r="A1" t="s"><v>99</v></c></row></sheetData></worksheet>'.encode(),
        ),
    ],
)
def test_damaged_parts_are_one_line(tmp_path: Path, part: str, data: bytes | None) -> None:
    with pytest.raises(GpusheetError, match="damaged or incomplete"):
        open_file(changed(tmp_path, part, data)).sheets()


def test_parts_that_may_be_absent(tmp_path: Path) -> None:
    assert open_file(changed(tmp_path, "xl/styles.xml", None)).sheets()[0].lines == [["a", "b"]]
    nothing = open_file(changed(tmp_path, "xl/worksheets/sheet1.xml", None, "b.xlsx"))
    assert nothing.names == ()
