from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import openpyxl
import pytest
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.formula import ArrayFormula
from openxml_audit import OpenXmlValidator, ValidationSeverity

from gpusheet.errors import GpusheetError
from gpusheet.workbook import cached
from gpusheet.workbook.cached import write_with_values
from gpusheet.workbook.evaluate import Frame, Values, evaluate, evaluate_package
from gpusheet.workbook.package import pack, sheet_parts

SHEETS = re.compile(r"xl/worksheets/sheet\d+\.xml")


def parts(file: Path) -> dict[str, bytes]:
    with ZipFile(file) as package:
        return {name: package.read(name) for name in package.namelist()}


@pytest.mark.parametrize(
    ("formula", "cell"),
    [
        ("=6*7", b"<f>6*7</f><v>42</v>"),
        ("=1/3", b"<f>1/3</f><v>0.3333333333333333</v>"),
        ("=-1/4", b"<f>-1/4</f><v>-0.25</v>"),
        ("=2^60", b"<f>2^60</f><v>1.152921504606847e+18</v>"),
        ('=""', b' t="str"><f>""</f><v></v>'),
        ('="a < b & c"', b' t="str"><f>"a &lt; b &amp; c"</f><v>a &lt; b &amp; c</v>'),
        ('="卡"', ' t="str"><f>"&#21345;"</f><v>卡</v>'.encode()),
        ('=CHAR(7)&"_x0041_"', b' t="str"><f>CHAR(7)&amp;"_x0041_"</f><v>_x0007__x005F_x0041_</v>'),
        ("=1>2", b' t="b"><f>1&gt;2</f><v>0</v>'),
        ("=1/0", b' t="e"><f>1/0</f><v>#DIV/0!</v>'),
        ("=NO_SUCH_FUNCTION(1)", b' t="e"><f>NO_SUCH_FUNCTION(1)</f><v>#NAME?</v>'),
        ("=DATE(2026,10,27)", b"<f>DATE(2026,10,27)</f><v>46322</v>"),
    ],
)
def test_a_value_is_written_with_its_type(tmp_path: Path, formula: str, cell: bytes) -> None:
    book = Workbook()
    book.active["B2"] = formula
    write_with_values(book, tmp_path / "book.xlsx")
    assert (
        b'<c r="B2"' + (b"" if cell[:1] == b" " else b">") + cell
        in parts(tmp_path / "book.xlsx")["xl/worksheets/sheet1.xml"]
    )


def test_readers_see_numbers_texts_errors_and_formulas(book: Workbook, tmp_path: Path) -> None:
    book["Sizing"]["B1"], book["Sizing"]["B2"] = "=1=1", "=NA()"
    book["Sizing"]["B3"] = ArrayFormula("B3", "=SUM(F20:G20*2)")
    write_with_values(book, tmp_path / "book.xlsx")
    values = openpyxl.load_workbook(tmp_path / "book.xlsx", data_only=True)
    assert [cell.value for cell in values["Price list"]["G"][1:]] == [10, 12, 30, 12]
    assert [cell.value for cell in values["Price list"]["H"][1:]] == [
        "A100|on-demand",
        "H20|monthly",
        None,
        "h20|monthly",
    ]
    assert [values["Sizing"][f"B{row}"].value for row in (1, 2, 3)] == [True, "#N/A", 9]
    formulas = openpyxl.load_workbook(tmp_path / "book.xlsx")
    assert formulas["Price list"]["G2"].value == "=Prices[[#This Row],[price]]/Prices[[#This Row],[cards]]"


def test_a_number_comes_back_to_the_last_bit(tmp_path: Path) -> None:
    book = Workbook()
    formulas = ["=1/3", "=0.1+0.2", "=1/7*1E+9", "=2^0.5*1E+15", "=1/9007199254740993", "=-1E+300/3", "=2^53+2", "=0*1"]
    for row, formula in enumerate(formulas, 1):
        book.active.cell(row, 1, formula)
    values = write_with_values(book, tmp_path / "book.xlsx")
    read = openpyxl.load_workbook(tmp_path / "book.xlsx", data_only=True).active
    assert [cell.value for cell in read["A"]] == [row[0] for row in values.sheets["Sheet"]]
    assert values.sheets["Sheet"][1][0] == 0.1 + 0.2


def test_only_values_fonts_and_nothing_else_differ_from_what_openpyxl_writes(
    sample_book: Callable[[], Workbook], tmp_path: Path
) -> None:
    write_with_values(sample_book(), tmp_path / "book.xlsx")
    pack(sample_book(), tmp_path / "plain.xlsx")
    ours, plain = parts(tmp_path / "book.xlsx"), parts(tmp_path / "plain.xlsx")
    assert list(ours) == list(plain)
    assert {name for name in plain if ours[name] != plain[name]} == {"xl/worksheets/sheet1.xml", "xl/styles.xml"}
    sheet = re.sub(
        rb'(<c [^>]*?)(?: t="str")?>(<f>[^<]*</f>)<v>[^<]*</v>', rb"\1>\2<v/>", ours["xl/worksheets/sheet1.xml"]
    )
    assert sheet == re.sub(rb"<v ?/>|<v></v>", b"<v/>", plain["xl/worksheets/sheet1.xml"])
    assert sorted(ours["xl/styles.xml"]) == sorted(plain["xl/styles.xml"])


def test_everything_that_openpyxl_knows_survives(book: Workbook, tmp_path: Path) -> None:
    book.calculation.fullCalcOnLoad = False
    write_with_values(book, tmp_path / "book.xlsx")
    read = openpyxl.load_workbook(tmp_path / "book.xlsx")
    sheet = read["Price list"]
    assert sheet.tables["Prices"].ref == "A1:I5"
    assert sheet.freeze_panes == "B2"
    assert len(sheet._charts) == 1
    assert [rule.sqref for rule in sheet.data_validations.dataValidation] == ["B2:B5"]
    assert len(sheet.conditional_formatting) == 1
    assert set(read.defined_names) == {"tiny", "as_of", "seconds_per_hour"}
    font = sheet["A1"].font
    assert (font.name, font.b, font.i, font.sz, font.charset) == ("Calibri", True, True, 12, 134)
    assert font.color.rgb == "FF0000FF"
    assert read.calculation.fullCalcOnLoad


def faults(path: Path) -> list[str]:
    found = OpenXmlValidator().validate(path).errors
    return [each.description for each in found if each.severity is ValidationSeverity.ERROR]


def test_the_file_is_valid_although_openpyxls_is_not(book: Workbook, tmp_path: Path) -> None:
    pack(book, tmp_path / "plain.xlsx")
    write_with_values(book, tmp_path / "book.xlsx")
    assert faults(tmp_path / "plain.xlsx") != []
    assert faults(tmp_path / "book.xlsx") == []


def test_equal_books_make_equal_files(
    sample_book: Callable[[], Workbook], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_with_values(sample_book(), tmp_path / "one.xlsx")
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    book = sample_book()
    write_with_values(book, tmp_path / "two.xlsx")
    write_with_values(book, tmp_path / "again.xlsx")  # a second saving of the same book, link and chart included
    one = (tmp_path / "one.xlsx").read_bytes()
    assert one == (tmp_path / "two.xlsx").read_bytes()
    assert one == (tmp_path / "again.xlsx").read_bytes()
    assert openpyxl.load_workbook(tmp_path / "one.xlsx").properties.modified == datetime(2026, 10, 27, 8, 0, 0)


def test_a_book_that_may_be_consumed_makes_the_same_file(sample_book: Callable[[], Workbook], tmp_path: Path) -> None:
    kept, consumed = sample_book(), sample_book()
    values = write_with_values(kept, tmp_path / "kept.xlsx")
    assert write_with_values(consumed, tmp_path / "consumed.xlsx", consume=True) == values
    assert (tmp_path / "kept.xlsx").read_bytes() == (tmp_path / "consumed.xlsx").read_bytes()
    assert (len(kept.worksheets), len(consumed.worksheets)) == (3, 0)


def test_without_lxml_the_values_are_the_same(tmp_path: Path) -> None:
    """openpyxl writes through lxml where that is installed, and spells empty elements differently without it."""
    code = (
        "import sys, openpyxl; from gpusheet.workbook.cached import write_with_values\n"
        "book = openpyxl.Workbook(); book.active['A1'] = '=6*7'; book.active['A2'] = '=\"\"'\n"
        "write_with_values(book, sys.argv[1]); print(openpyxl.LXML)"
    )
    target = tmp_path / "book.xlsx"
    environment = {**os.environ, "OPENPYXL_LXML": "False"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(target)], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
    sheet = parts(target)["xl/worksheets/sheet1.xml"]
    assert b'<c r="A1"><f>6*7</f><v>42</v></c>' in sheet
    assert b'<c r="A2" t="str"><f>""</f><v></v></c>' in sheet


def test_an_existing_file_is_replaced_only_with_force(book: Workbook, tmp_path: Path) -> None:
    target = tmp_path / "book.xlsx"
    target.write_bytes(b"old")
    target.chmod(0o640)
    with pytest.raises(GpusheetError, match=r"book\.xlsx: exists already; .*--force"):
        write_with_values(book, target)
    assert target.read_bytes() == b"old"
    write_with_values(book, str(target), force=True)
    assert openpyxl.load_workbook(target).sheetnames == ["Price list", "Assumptions", "Sizing"]
    assert target.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["book.xlsx"]


def test_a_link_stays_a_link(book: Workbook, tmp_path: Path) -> None:
    (tmp_path / "real.xlsx").write_bytes(b"old")
    (tmp_path / "link.xlsx").symlink_to("real.xlsx")
    write_with_values(book, tmp_path / "link.xlsx", force=True)
    assert (tmp_path / "link.xlsx").is_symlink()
    assert (tmp_path / "real.xlsx").read_bytes()[:2] == b"PK"


@pytest.mark.parametrize(("lock", "program"), [("~$book.xlsx", "Excel"), (".~lock.book.xlsx#", "LibreOffice")])
def test_an_open_file_is_not_replaced(book: Workbook, tmp_path: Path, lock: str, program: str) -> None:
    (tmp_path / "book.xlsx").write_bytes(b"old")
    (tmp_path / lock).touch()
    with pytest.raises(GpusheetError, match=f"is open in {program}; close it there"):
        write_with_values(book, tmp_path / "book.xlsx", force=True)
    assert (tmp_path / "book.xlsx").read_bytes() == b"old"


def test_a_target_that_cannot_be_is_named(book: Workbook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GpusheetError, match=r"there is no folder .*nowhere; make it"):
        write_with_values(book, tmp_path / "nowhere" / "book.xlsx")
    with pytest.raises(GpusheetError, match="is a folder; give the name of a file in it"):
        write_with_values(book, tmp_path, force=True)
    (tmp_path / "book.xlsx").write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # the tests may run as an administrator, who may do all
    with pytest.raises(GpusheetError, match="is write-protected"):
        write_with_values(book, tmp_path / "book.xlsx", force=True)


DENIED, FULL = PermissionError(13, "Permission denied"), OSError(28, "No space left on device")


@pytest.mark.parametrize(("step", "failure"), [("replace", DENIED), ("fsync", FULL), ("fsync", KeyboardInterrupt())])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    book: Workbook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, failure: BaseException
) -> None:
    def fail(*_: Any) -> None:
        raise failure

    (tmp_path / "book.xlsx").write_bytes(b"old")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # what is left there is seen below
    monkeypatch.setattr(cached.os, step, fail)
    with pytest.raises((GpusheetError, KeyboardInterrupt)) as raised:
        write_with_values(book, tmp_path / "book.xlsx", force=True)
    if isinstance(failure, OSError):
        assert f"book.xlsx: cannot be written ({failure.strerror}); close it" in str(raised.value)
    else:
        assert raised.value is failure
    assert (tmp_path / "book.xlsx").read_bytes() == b"old"
    assert [name for name in os.listdir(tmp_path) if not name.endswith(".lock")] == ["book.xlsx"]  # locks stay


def test_a_folder_that_takes_no_file_is_an_answer(
    book: Workbook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(cached, "open", refuse, raising=False)
    with pytest.raises(GpusheetError, match=r"book\.xlsx: cannot be written \(Permission denied\)"):
        write_with_values(book, tmp_path / "book.xlsx")


def test_a_circle_is_refused_with_its_cell(book: Workbook, tmp_path: Path) -> None:
    book["Sizing"]["A2"], book["Sizing"]["A3"] = "=A3+1", "=A2+1"
    with pytest.raises(GpusheetError, match=r"^Sizing!A2: =A3\+1 depends on its own result; break the circle$"):
        write_with_values(book, tmp_path / "book.xlsx")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("spelling", ["<f>1</f><x/><v/>", "<f>1</f>", '<f t="shared" si="0"/><v/>'])
def test_a_formula_cell_that_is_not_recognised_is_never_left_without_a_value(book: Workbook, spelling: str) -> None:
    values = evaluate(book)
    patch = cached._Patch(sheet_parts(book), values)
    sheet = f'<c r="A1"><f>1+1</f><v/></c><c r="A2">{spelling}</c>'
    with pytest.raises(AssertionError, match="Sizing: 1 of 2 formula cells could not be given a value"):
        patch("xl/worksheets/sheet3.xml", sheet.encode())


def test_a_value_that_is_missing_is_never_written(book: Workbook, tmp_path: Path, monkeypatch: Any) -> None:
    def forgetful(package: Path, frame: Frame) -> Values:
        values = evaluate_package(package, frame)
        values.sheets["Price list"][1][6] = None
        return values

    monkeypatch.setattr(cached, "evaluate_package", forgetful)
    with pytest.raises(AssertionError, match=r"Price list!G2: .* has no value"):
        write_with_values(book, tmp_path / "book.xlsx")
    assert os.listdir(tmp_path) == []
