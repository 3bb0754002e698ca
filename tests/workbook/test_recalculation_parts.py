"""What other programs write into a file: read as they mean it, and left byte for byte but for values."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import openpyxl
import pytest
from openpyxl.chart import BarChart, Reference
from openpyxl.workbook.workbook import Workbook
from raw_book import HEAD, MAIN, raw_book, sheet_of

from gpusheet.errors import GpusheetError
from gpusheet.workbook.recalculation import recalculated, write_recalculated
from gpusheet.xl.functions import functions


def cells(path: Path) -> str:
    """The rows of the recalculated sheet, as XML."""
    return re.sub(r".*<sheetData>|</sheetData>.*", "", sheet_of(recalculated(path).data), flags=re.DOTALL)


def test_only_values_of_formula_cells_change(book: Workbook, tmp_path: Path) -> None:
    """A table, names, a chart, validation, formats, a link, other text: everything but `<v>` and `t` is as it was."""
    sheet = book["Sizing"]
    for row in range(1, 40):
        sheet.cell(row, 30, f"=CARD_TIER({row}/3)").number_format = "0.00"
        sheet.cell(row, 31, f'=IF(AD{row}>4,"a & b <",TRUE)')
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=30, min_row=1, max_row=9))
    sheet.add_chart(chart, "A30")
    book.save(tmp_path / "book.xlsx")
    done = recalculated(tmp_path / "book.xlsx")
    assert done.errors == done.not_calculated == ()
    with zipfile.ZipFile(tmp_path / "book.xlsx") as old, zipfile.ZipFile(io.BytesIO(done.data)) as new:
        assert new.namelist() == old.namelist()
        assert [entry.date_time for entry in new.infolist()] == [entry.date_time for entry in old.infolist()]
        for name in old.namelist():
            before, after = old.read(name), new.read(name)
            if name.startswith("xl/worksheets/sheet"):
                formula = re.compile(rb"(<c [^>]*?)(?: t=\"\w+\")?(><f>[^<]*</f>)(?:<v ?/>|<v>[^<]*</v>)")
                before, after = formula.sub(rb"\1\2", before), formula.sub(rb"\1\2", after)
            assert after == before, name
    found = openpyxl.load_workbook(io.BytesIO(done.data), data_only=True)["Sizing"]
    assert [found.cell(39, column).value for column in (30, 31)] == [16, "a & b <"]
    assert found["AE1"].value is True


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('<c r="A1"><f>1+1</f></c>', '<c r="A1"><f>1+1</f><v>2</v></c>'),
        ('<c r="A1"><f>1+1</f><v></v></c>', '<c r="A1"><f>1+1</f><v>2</v></c>'),
        ('<c r="A1" s="3" t="str"><f>1+1</f><v>old</v></c>', '<c r="A1" s="3"><f>1+1</f><v>2</v></c>'),
        ('<c t="e" r="A1"><f>1+1</f><v>#N/A</v></c>', '<c r="A1"><f>1+1</f><v>2</v></c>'),
        ("<c r='A1' t='b'><f>1+1</f><v>1</v></c>", "<c r='A1'><f>1+1</f><v>2</v></c>"),
        ('<c r="A1"><f>"a&amp;b"</f><v/></c>', '<c r="A1" t="str"><f>"a&amp;b"</f><v>a&amp;b</v></c>'),
        ('<c r="A1"><f>1=1</f></c>', '<c r="A1" t="b"><f>1=1</f><v>1</v></c>'),
        ('<c r="A1" vm="1"><f>1/0</f><v>1</v></c>', '<c r="A1" t="e"><f>1/0</f><v>#DIV/0!</v></c>'),
        ('<c r="A1" t="inlineStr"><f>2+1</f><is><t>x</t></is></c>', '<c r="A1"><f>2+1</f><v>3</v></c>'),
        ('<c r="A1">\n  <f ca="1">2+1</f>\n  <v>1</v>\n</c>', '<c r="A1">\n  <f ca="1">2+1</f><v>3</v>\n  \n</c>'),
        ('<c r="A1"><f>Z9</f><v>1</v></c>', '<c r="A1"><f>Z9</f><v>0</v></c>'),
        ('<c r="A1" cm="1"><f>NOPE()</f><v>1</v></c>', '<c r="A1" cm="1"><f>NOPE()</f></c>'),
        ('<c r="A1" s="1"/><c r="B1"><f>1+1</f></c>', '<c r="A1" s="1"/><c r="B1"><f>1+1</f><v>2</v></c>'),
    ],
)  # fmt: skip
def test_a_cell_in_every_spelling(before: str, after: str, tmp_path: Path) -> None:
    path = raw_book(tmp_path / "raw.xlsx", f'<row r="1" spans="1:2">{before}</row>')
    assert cells(path) == f'<row r="1" spans="1:2">{after}</row>'


def test_shared_formulas_are_moved_along(tmp_path: Path) -> None:
    rows = "".join(
        f'<row r="{row}"><c r="A{row}"><v>{row}</v></c><c r="B{row}"><f t="shared" {extra}</c>'
        f'<c r="C{row}"><f t="shared" {plain}</c></row>'
        for row, extra, plain in (
            (1, 'ref="B1:B3" si="0">CARD_TIER(A1)+$A$1</f>', 'ref="C1:C3" si="1">A1*10</f>'),
            (2, 'si="0"/>', 'si="1"/><v>7</v>'),
            (3, 'si="0"></f><v>5</v>', 'si="1"/>'),
        )
    )
    done = recalculated(raw_book(tmp_path / "raw.xlsx", rows))
    found = openpyxl.load_workbook(io.BytesIO(done.data), data_only=True).active
    assert [[cell.value for cell in row] for row in found] == [[1, 2, 10], [2, 3, 20], [3, 5, 30]]
    assert sheet_of(done.data).count("CARD_TIER") == 1  # still shared


def test_a_prefix_before_every_element(tmp_path: Path) -> None:
    sheet = f'{HEAD}<x:worksheet xmlns:x="{MAIN}"><x:sheetData><x:row r="2"><x:c r="B2"><x:f>CARD_TIER(3)</x:f></x:c>'
    done = recalculated(raw_book(tmp_path / "raw.xlsx", "", sheet=f"{sheet}</x:row></x:sheetData></x:worksheet>"))
    assert '<x:c r="B2"><x:f>CARD_TIER(3)</x:f><x:v>4</x:v></x:c>' in sheet_of(done.data)


def test_a_dynamic_array_grows_and_shrinks_with_its_result(tmp_path: Path) -> None:
    table = functions()["PRICES"]()
    rows = (
        '<row r="1" spans="1:3"><c r="A1" s="4" cm="1" t="str"><f t="array" ref="A1:C1">PRICES()</f><v>old</v></c>'
        '<c r="B1" s="5"><v>9</v></c><c r="C1"><v>9</v></c></row>'
        '<row r="200"><c r="A200"><v>1</v></c></row>'
        '<row r="201"><c r="A201" cm="1"><f t="array" ref="A201:C202">A200:A201*0+7</f><v>1</v></c>'
        '<c r="B201" s="6"><v>9</v></c></row>'
    ).replace("A200:A201*0+7", "A200+6")
    done = recalculated(raw_book(tmp_path / "raw.xlsx", rows))
    xml = sheet_of(done.data)
    assert done.errors == done.not_calculated == ()
    last = f"{chr(64 + len(table[0]))}{len(table)}"
    assert f'<c r="A1" s="4" cm="1" t="str"><f t="array" ref="A1:{last}">PRICES()</f><v>{table[0][0]}</v></c>' in xml
    assert f'<c r="B1" s="5" t="str"><v>{table[0][1]}</v></c>' in xml
    assert '<f t="array" ref="A201">A200+6</f><v>7</v></c><c r="B201" s="6"/>' in xml
    shown = re.findall(r'<c r="B\d+"[^>]*><v>([^<]*)</v>', xml)
    assert shown == [row[1] for row in table]
    numbers = [int(number) for number in re.findall(r'<row r="(\d+)"', xml)]
    assert numbers == sorted(set(numbers)) and 200 in numbers


def test_a_spill_that_is_in_the_way_of_something_is_an_error(tmp_path: Path) -> None:
    rows = ('<row r="1"><c r="A1" cm="1"><f t="array" ref="A1">PRICES()</f><v>1</v></c><c r="B1"><v>9</v></c></row>')
    done = recalculated(raw_book(tmp_path / "raw.xlsx", rows))
    assert [(one.cell, one.shows) for one in done.errors] == [("S!A1", "#SPILL!")]
    assert '<c r="A1" cm="1" t="e"><f t="array" ref="A1">PRICES()</f><v>#VALUE!</v></c><c r="B1"><v>9</v></c>' in sheet_of(
        done.data)


def test_an_array_formula_fills_just_its_cells(tmp_path: Path) -> None:
    rows = (
        '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="array" ref="B1:C3">A1:A2*10</f><v>5</v></c><c r="C1"><v>5</v></c>'
        '<c r="D1"><f t="array" ref="D1">SUM(A1:A2*A1:A2)</f></c><c r="E1"><f t="array" ref="E1">A1:A2*10</f></c></row>'
        '<row r="2"><c r="A2"><v>2</v></c><c r="B2"><v>5</v></c></row>'
    )
    done = recalculated(raw_book(tmp_path / "raw.xlsx", rows))
    found = openpyxl.load_workbook(io.BytesIO(done.data), data_only=True).active
    assert [[cell.value for cell in row] for row in found["B1:E3"]] == [
        [10, 10, 5, 10], [20, 20, None, None], ["#N/A", "#N/A", None, None]]  # fmt: skip


def test_several_values_in_a_plain_formula_are_none(tmp_path: Path) -> None:
    """Excel shows the one of the same row, the engine all of them: so it is said, and the cells below stay empty."""
    rows = ('<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1:A2*10</f><v>10</v></c><c r="C1"><f>SUM(B1:B3)</f></c></row>'
            '<row r="2"><c r="A2"><v>2</v></c></row>')  # fmt: skip
    done = recalculated(raw_book(tmp_path / "raw.xlsx", rows))
    assert [(one.cell, one.why) for one in done.not_calculated] == [
        ("S!B1", "it gives several values but is no array formula; enter it as one"), ("S!C1", "it depends on S!B1")]
    assert 'r="B2"' not in sheet_of(done.data)


def test_a_data_table_is_excels(tmp_path: Path) -> None:
    rows = ('<row r="1"><c r="A1"><f t="dataTable" ref="A1:A2" dt2D="0" dtr="0" r1="D1"/><v>5</v></c>'
            '<c r="B1"><f>1+1</f></c></row><row r="2"><c r="A2"><v>6</v></c><c r="B2"><f>A2+1</f></c></row>')  # fmt: skip
    done = recalculated(raw_book(tmp_path / "raw.xlsx", rows))
    assert [one.cell for one in done.not_calculated] == ["S!A1", "S!B2"]
    assert "<v>5</v>" not in sheet_of(done.data) and "<v>6</v>" not in sheet_of(done.data)
    assert '<c r="B1"><f>1+1</f><v>2</v></c>' in sheet_of(done.data)


def test_linked_workbooks_give_what_was_saved_of_them(tmp_path: Path) -> None:
    link = (f'{HEAD}<externalLink xmlns="{MAIN}"><externalBook><sheetNames><sheetName val="Other"/></sheetNames>'
            '<sheetDataSet><sheetData sheetId="0"><row r="1"><cell r="A1"><v>41</v></cell></row></sheetData>'
            "</sheetDataSet></externalBook></externalLink>")  # fmt: skip
    rows = '<row r="1"><c r="A1"><f>[1]Other!A1+1</f></c><c r="B1"><f>[2]Other!A1</f></c></row>'
    path = raw_book(tmp_path / "raw.xlsx", rows, links=True, parts={"xl/externalLinks/externalLink1.xml": link})
    done = recalculated(path)
    assert '<c r="A1"><f>[1]Other!A1+1</f><v>42</v></c><c r="B1"><f>[2]Other!A1</f></c>' in sheet_of(done.data)
    assert done.remarks == ("values of other workbooks are those that were saved in this file",)


def test_names_are_followed_or_said_to_be_unknown(tmp_path: Path) -> None:
    names = (
        '<definedName name="half">0.5</definedName><definedName name="place">S!$A$1</definedName>'
        '<definedName name="DOUBLE">_xlfn.LAMBDA(_xlpm.x,_xlpm.x*2)</definedName>'
        '<definedName name="tier">CARD_TIER(3)</definedName>'
    )
    rows = ('<row r="1"><c r="A1"><v>3</v></c><c r="B1"><f>place*half</f></c><c r="C1"><f>DOUBLE(2)</f></c>'
            '<c r="D1"><f>CARD_TIER(place)</f></c><c r="E1"><f>tier+1</f></c><c r="F1"><f>nothing+1</f></c></row>')
    done = recalculated(raw_book(tmp_path / "raw.xlsx", rows, names=names))
    found = openpyxl.load_workbook(io.BytesIO(done.data), data_only=True).active
    assert [cell.value for cell in found[1]] == [3, 1.5, None, 4, 5, "#NAME?"]
    assert [one.why for one in done.not_calculated] == [
        "this workbook defines DOUBLE itself, as a LAMBDA; that is not calculated here"]


def test_days_from_1904(tmp_path: Path) -> None:
    rows = ('<row r="1"><c r="A1"><f>DATE(2026,1,1)</f></c><c r="B1"><f>CARD_TIER(3)</f></c>'
            '<c r="C1"><f>GPU_PRICE("L20","monthly",A1)</f></c></row>')  # fmt: skip
    done = recalculated(raw_book(tmp_path / "raw.xlsx", rows, settings='<workbookPr date1904="1"/>'))
    found = openpyxl.load_workbook(io.BytesIO(done.data), data_only=True).active
    assert found["A1"].value in (44561, "2026-01-01") and found["B1"].value == 4 and found["C1"].value is None
    assert "1904" in done.not_calculated[0].why


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("<row><c><f>1+1</f></c></row>", "S: found cells without an address"),
        ("<row", "raw.xlsx: found a workbook that cannot be read|cannot be calculated"),
        ('<row r="1"><c r="A1"><f><![CDATA[1+1]]></f></c></row>', "S: found XML of an unusual kind"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(rows: str, message: str, tmp_path: Path) -> None:
    path = raw_book(tmp_path / "raw.xlsx", rows)
    with pytest.raises(GpusheetError, match=message) as caught:
        recalculated(path)
    assert "\n" not in str(caught.value)


def test_files_of_other_kinds_are_named(tmp_path: Path) -> None:
    ole = bytes.fromhex("D0CF11E0A1B11AE1")
    contents = {
        "plan.csv": (b"a,b\n1,2\n", "text such as CSV, allowed a workbook"),
        "plan.xls": (ole + "Workbook".encode("utf-16-le"), "an old .xls workbook, allowed a workbook"),
        "locked.xlsx": (ole + "EncryptedPackage".encode("utf-16-le"), "a password-protected workbook"),
        "cut.xlsx": (raw_book(tmp_path / "whole.xlsx", "").read_bytes()[:900], "a damaged or incomplete file"),
        "empty.xlsx": (b"", "an empty file"),
    }
    for name, (data, message) in contents.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(GpusheetError, match=f"^{name}: found {message}"):
            recalculated(tmp_path / name)


def test_a_signed_workbook_is_left_alone(tmp_path: Path) -> None:
    path = raw_book(tmp_path / "raw.xlsx", "", parts={"_xmlsignatures/sig1.xml": "<x/>"})
    with pytest.raises(GpusheetError, match="is digitally signed"):
        recalculated(path)


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    path = raw_book(tmp_path / "raw.xlsx", '<row r="1"><c r="A1"><f>CARD_TIER(3)</f></c></row>')
    before = path.read_bytes()
    with pytest.raises(GpusheetError, match="its values would be replaced; name another file with -o, or add --force"):
        write_recalculated(path)
    with pytest.raises(GpusheetError, match="its values would be replaced"):
        write_recalculated(path, path)
    with pytest.raises(GpusheetError, match=r"found the ending '.xlsm', allowed '.xlsx'"):
        write_recalculated(path, tmp_path / "other.xlsm")
    (tmp_path / "other.xlsx").write_bytes(b"mine")
    with pytest.raises(GpusheetError, match="exists already"):
        write_recalculated(path, tmp_path / "other.xlsx")
    assert path.read_bytes() == before and (tmp_path / "other.xlsx").read_bytes() == b"mine"
    write_recalculated(path, tmp_path / "new.xlsx")
    assert path.read_bytes() == before
    done = write_recalculated(path, force=True)
    assert path.read_bytes() == done.data != before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["new.xlsx", "other.xlsx", "raw.xlsx"]
    again = recalculated(path)
    assert again.data == done.data
