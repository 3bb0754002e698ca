"""The macro-enabled template, read by others: oletools, olefile, LibreOffice, openpyxl, openxml-audit. Not run in Excel."""

from __future__ import annotations

import datetime
import random
import re
import subprocess
import warnings
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import openpyxl
import pytest
from libreoffice import needed
from openpyxl.utils.datetime import to_excel
from openxml_audit import OpenXmlValidator, ValidationSeverity

from gpusheet.cli import main
from gpusheet.errors import GpusheetError
from gpusheet.workbook.examples import template
from gpusheet.workbook.gallery_sheet import SHEET
from gpusheet.workbook.layout import SHEETS
from gpusheet.workbook.macros import compound_file, macro_book
from gpusheet.workbook.macros.macro_book import SETTINGS_SHEET, write_macro_book, xlwings_project
from gpusheet.workbook.macros.ovba import compress, decompress
from gpusheet.workbook.macros.vba_project import Project
from gpusheet.xl.classic import vba
from gpusheet.xl.functions import functions

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of its parser
    import olefile
    from oletools.olevba import VBA_Parser, decompress_stream

pytest.importorskip("xlwings")

SOURCE = vba.module()
LANGUAGES = ("en", "zh")


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("macros")
    made = {lang: folder / f"book.{lang}.xlsm" for lang in LANGUAGES}
    for lang, path in made.items():
        outcome = write_macro_book(path, lang)
        assert (outcome.path, outcome.checks_failed, outcome.messages) == (path, 0, [])
    return made


# --- the container and the compression --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_streams_come_back_as_they_were(seed: int, tmp_path: Path) -> None:
    """Of every size around the borders of sectors; read by olefile too, which looks at the whole directory."""
    chance = random.Random(seed)
    sizes = [0, 1, 63, 64, 65, 511, 512, 513, 4095, 4096, 4097, 70_000]
    streams = {("PROJECT",): chance.randbytes(700)}
    for number in range(chance.randrange(1, 40)):
        streams["VBA", f"Sheet{number}"] = chance.randbytes(chance.choice(sizes))
    streams["VBA", "Deep", "Ströme"] = b"x" * chance.choice(sizes)
    data = compound_file.write(streams)
    assert compound_file.read(data) == streams
    file = tmp_path / "file.bin"
    file.write_bytes(data)
    with olefile.OleFileIO(file, raise_defects=olefile.DEFECT_POTENTIAL) as other:
        assert {tuple(path) for path in other.listdir()} == set(streams)
        for path, content in streams.items():
            assert other.openstream(list(path)).read() == content


def test_a_table_of_many_sectors(tmp_path: Path) -> None:
    """More than one sector lists the sectors."""
    streams = {("VBA", "large"): random.Random(1).randbytes(400_000)}
    file = tmp_path / "file.bin"
    file.write_bytes(compound_file.write(streams))
    assert compound_file.read(file.read_bytes()) == streams
    with olefile.OleFileIO(file, raise_defects=olefile.DEFECT_POTENTIAL) as other:
        assert other.openstream("VBA/large").read() == streams["VBA", "large"]
    with pytest.raises(GpusheetError, match="too large"):
        compound_file.write({("a",): bytes(8_000_000)})


@pytest.mark.parametrize("data", [b"", b"no compound file", compound_file.SIGNATURE + bytes(600)])
def test_what_is_no_compound_file_is_told(data: bytes) -> None:
    with pytest.raises(GpusheetError, match="compound file"):
        compound_file.read(data)


@pytest.mark.parametrize("text", [
    b"", b"a", b"ab", b"aaa", b"a" * 5000, b"abc" * 4096, SOURCE.encode(), SOURCE.encode()[:4096], SOURCE.encode()[:4097],
    random.Random(2).randbytes(4096) + b"text",
], ids=len)  # fmt: skip
def test_sources_come_back_as_they_were(text: bytes) -> None:
    """Ours and oletools' reading of what is packed; a full part that cannot be made smaller is kept as it is."""
    packed = compress(text)
    assert decompress(packed) == text
    assert bytes(decompress_stream(bytearray(packed))) == text
    if len(text) > 10_000:
        assert len(packed) < len(text) / 2


# --- the project ------------------------------------------------------------------------------------------------------


def test_xlwings_project_is_read_as_oletools_reads_it() -> None:
    import xlwings

    source = Path(xlwings.__file__).with_name(macro_book.STANDALONE)
    theirs = {name.rpartition(".")[0]: text for *_, name, text in VBA_Parser(str(source)).extract_macros()}
    ours = {one.name: one.source.decode("cp1252") for one in xlwings_project().modules}
    assert {name: text.replace("\r\n", "\n") for name, text in theirs.items()} == {
        name: text.replace("\r\n", "\n") for name, text in ours.items()
    }
    assert {"xlwings", "Dictionary", "ThisWorkbook"} < set(ours)


def test_the_project_of_the_book_has_xlwings_and_ours(books: dict[str, Path]) -> None:
    with ZipFile(books["en"]) as package:
        data = package.read("xl/vbaProject.bin")
    project, original = Project.read(data), {one.name: one for one in xlwings_project().modules}
    modules = {one.name: one for one in project.modules}
    sheets = [f"Sheet{number}" for number in range(1, len(SHEETS) + 3)]
    assert list(modules) == ["ThisWorkbook", *sheets, "xlwings", "Dictionary", "gpusheet"]
    assert modules["gpusheet"].source == SOURCE.encode()
    for name in ("ThisWorkbook", "xlwings", "Dictionary"):
        assert modules[name].source == original[name].source  # not a byte of theirs is changed
    listed = re.findall(r"^(?:Document|Module|Class)=(\w+)", project.settings, re.MULTILINE)
    assert listed == list(modules)
    assert re.findall(r"^(\w+)=0, 0", project.settings, re.MULTILINE) == list(modules)
    assert "Class=Dictionary\r\n" in project.settings and "Document=Sheet17/&H00000000\r\n" in project.settings
    streams = compound_file.read(data)
    assert streams["VBA", "_VBA_PROJECT"] == bytes.fromhex("cc61ffff000000")
    assert {path[-1] for path in streams} == {"PROJECT", "PROJECTwm", "_VBA_PROJECT", "dir", *modules}
    names = b"".join(name.encode() + b"\0" + name.encode("utf-16-le") + b"\0\0" for name in modules)
    assert streams[("PROJECTwm",)] == names + b"\0\0"


def test_no_function_is_named_like_one_of_xlwings() -> None:
    """VBA would take neither."""
    theirs = {name.lower() for one in xlwings_project().modules for name in re.findall(rb"(?:Function|Sub) (\w+)", one.source)}
    assert {b"xlpy", b"runpython"} < theirs
    assert not theirs & {name.lower().encode() for name in (*functions(), "Auto_Open", "RegisterGpusheet", "GpusheetStatus")}


def test_oletools_reads_every_module(books: dict[str, Path]) -> None:
    for path in books.values():
        found = {name: text for *_, name, text in VBA_Parser(str(path)).extract_macros()}
        assert found["gpusheet.bas"].replace("\r\n", "\n") == SOURCE.replace("\r\n", "\n")
        assert "Function XLPy()" in found["xlwings.bas"] and "Dictionary.cls" in found and "Sheet17.cls" in found


def test_libreoffice_has_the_modules_in_its_library(books: dict[str, Path], tmp_path: Path) -> None:
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = [needed("soffice"), profile, "--headless", "--norestore", "--convert-to", "ods", "--outdir", str(tmp_path)]
    subprocess.run([*command, str(books["en"])], capture_output=True, timeout=300, check=True)
    with ZipFile(tmp_path / "book.en.ods") as package:
        text = "".join(ElementTree.fromstring(package.read("Basic/VBAProject/gpusheet.xml")).itertext())
        assert b"XLPyDLLActivateAuto" in package.read("Basic/VBAProject/xlwings.xml")
    assert SOURCE.split("Option Explicit", 1)[1].replace("\r\n", "\n").strip() in text.replace("\r\n", "\n")


# --- the workbook -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_workbook_is_valid(lang: str, books: dict[str, Path]) -> None:
    found = OpenXmlValidator().validate(books[lang]).errors
    assert [one.description for one in found if one.severity is ValidationSeverity.ERROR] == []
    with ZipFile(books[lang]) as package:
        types = package.read("[Content_Types].xml").decode()
        relations = ElementTree.fromstring(package.read("xl/_rels/workbook.xml.rels"))
        workbook = package.read("xl/workbook.xml").decode()
        sheets = [package.read(f"xl/worksheets/sheet{number}.xml").decode() for number in range(1, len(SHEETS) + 3)]
    assert types.count("application/vnd.ms-excel.sheet.macroEnabled.main+xml") == 1
    assert 'PartName="/xl/vbaProject.bin" ContentType="application/vnd.ms-office.vbaProject"' in types
    assert "spreadsheetml.sheet.main+xml" not in types
    targets = [one.get("Target") for one in relations if one.get("Type", "").endswith("/2006/relationships/vbaProject")]
    assert targets == ["vbaProject.bin"]
    assert len({one.get("Id") for one in relations}) == len(relations)
    assert 'codeName="ThisWorkbook"' in workbook
    assert [re.findall(r'codeName="(\w+)"', text) for text in sheets] == [[f"Sheet{number}"] for number in range(1, len(SHEETS) + 3)]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_gallery_has_every_function_once(lang: str, books: dict[str, Path]) -> None:
    """With its call as text and live, Python's value for it, its help, and every argument with its own."""
    live = openpyxl.load_workbook(books[lang])[SHEET]
    shown = openpyxl.load_workbook(books[lang], data_only=True)[SHEET]
    rows = {str(row[0].value): row[0].row for row in live.iter_rows(max_col=1) if row[0].value in functions()}
    assert set(rows) == set(functions())
    assert [cell.value for cell in live["A"]].count("CARD_TIER") == 1
    for name, row in rows.items():
        function = functions()[name]
        text, formula, value = live.cell(row, 2), live.cell(row, 3), shown.cell(row, 3).value
        assert text.data_type == "s" and text.quotePrefix and formula.data_type == "f" and text.value == formula.value
        assert f"{name}(" in str(formula.value)
        expected = function(*function.example)
        if function.spills:
            place = re.search(r",2,(\d+)\)$", str(formula.value))
            assert place and str(formula.value).startswith(f"=INDEX({name}(")
            expected = expected[1][int(place[1]) - 1]
        if isinstance(expected, datetime.date):
            expected = to_excel(expected)
        if isinstance(value, datetime.datetime):  # a number in the format of dates
            value = to_excel(value)
        assert value == (pytest.approx(expected) if isinstance(expected, float) else expected), name
        assert live.cell(row, 5).value == function.help(lang)
        told = str(live.cell(row, 6).value)
        assert all(f"{one.name}: {one.help(lang)}" in told for one in function.arguments)
        if function.rule is not None:
            assert live.cell(row, 4).value == function.rule.unit.label(lang)
    assert shown.cell(rows["CARD_TIER"], 3).value == 4


def test_a_poisoned_value_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The values in the gallery are those of the functions at the time of writing, not of a table elsewhere."""
    monkeypatch.setitem(vars(functions()["CARD_TIER"]), "body", lambda *_: 1234.5)
    write_macro_book(tmp_path / "book.xlsm")
    sheet = openpyxl.load_workbook(tmp_path / "book.xlsm", data_only=True)[SHEET]
    assert [row[2] for row in sheet.iter_rows(values_only=True) if row[0] == "CARD_TIER"] == [1234.5]


def test_the_other_sheets_are_the_templates(books: dict[str, Path], tmp_path: Path) -> None:
    from gpusheet.workbook.book import write

    write(template("en"), tmp_path / "plain.xlsx")
    plain, ours = (openpyxl.load_workbook(path, data_only=True) for path in (tmp_path / "plain.xlsx", books["en"]))
    assert ours.sheetnames == [*plain.sheetnames, SHEET, SETTINGS_SHEET]
    for sheet in plain.worksheets:
        assert [[cell.value for cell in row] for row in sheet] == [[cell.value for cell in row] for row in ours[sheet.title]]


def test_openpyxl_keeps_the_macros(books: dict[str, Path], tmp_path: Path) -> None:
    book = openpyxl.load_workbook(books["en"], keep_vba=True)
    book.save(tmp_path / "saved.xlsm")
    with ZipFile(tmp_path / "saved.xlsm") as saved, ZipFile(books["en"]) as ours:
        assert saved.read("xl/vbaProject.bin") == ours.read("xl/vbaProject.bin")


def test_settings_stand_ready_for_one_workbook(books: dict[str, Path]) -> None:
    sheet = openpyxl.load_workbook(books["en"])[SETTINGS_SHEET]
    settings = {row[0]: row[1] for row in sheet.iter_rows(max_row=4, max_col=2, values_only=True)}
    assert settings == {"Interpreter_Win": None, "PYTHONPATH": None, "UDF Modules": "gpusheet_udfs", "Show Console": False}
    assert sheet["A5"].value is None  # xlwings reads down to the first blank


def test_equal_books_are_equal_bytes(books: dict[str, Path], tmp_path: Path) -> None:
    write_macro_book(tmp_path / "again.xlsm")
    assert (tmp_path / "again.xlsm").read_bytes() == books["en"].read_bytes()


def test_nothing_is_overwritten_or_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "book.xlsm"
    target.write_text("mine")
    with pytest.raises(GpusheetError, match="exists already"):
        write_macro_book(target)
    monkeypatch.setattr(macro_book, "find_spec", lambda _: None)
    with pytest.raises(GpusheetError, match=r"xlwings is not installed.*python -m pip install xlwings"):
        write_macro_book(target, force=True)
    assert target.read_text() == "mine" and list(tmp_path.iterdir()) == [target]


def test_an_xlwings_without_its_workbook_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(macro_book, "STANDALONE", "nowhere.xlsm")
    with pytest.raises(GpusheetError, match=r"nowhere\.xlsm: xlwings' VBA cannot be read .*force-reinstall xlwings"):
        xlwings_project()


def test_the_command_writes_it(tmp_path: Path, books: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "book.xlsm"
    assert main(["template", "--functions", "vba", "-o", str(target)]) == 0, capsys.readouterr().err
    assert target.read_bytes() == books["en"].read_bytes()
    assert main(["budget", str(target), "-o", str(tmp_path / "budget.xlsx")]) == 0  # it can be filled in like the template
