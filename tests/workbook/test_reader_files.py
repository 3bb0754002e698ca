"""What is no budget workbook: the file is named for what it is."""

from __future__ import annotations

import re
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from editing import (
    rewritten,
    written,
)
from openpyxl.workbook.workbook import Workbook

from gpusheet.errors import GpusheetError
from gpusheet.intake import limits
from gpusheet.workbook.reader import read_book
from gpusheet.workbook.reading.opening import Package, open_package

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"

pytestmark = pytest.mark.usefixtures("without_decisions")  # what is typed is the same



OLE = bytes.fromhex("D0CF11E0A1B11AE1") + bytes(504)
FILES: dict[str, tuple[bytes, str]] = {
    "ole": (OLE, "a password-protected or an old .xls workbook"),
    "protected": (OLE + "EncryptedPackage".encode("utf-16-le"), "a password-protected workbook"),
    "xls": (OLE + "Workbook".encode("utf-16-le"), "an old .xls workbook"),
    "csv": (b"gpu,price\r\nL20,4\r\n", "text such as CSV"),
    "csv of Chinese Excel": ("型号,单价\r\nH20,13.94\r\n".encode("gb18030"), "text such as CSV"),
    "csv in UTF-16": ("型号,单价\r\n".encode("utf-16"), "text such as CSV"),
    "html": (b"\xef\xbb\xbf\n<html><table><tr><td>H20</td></tr></table></html>", "a web page (HTML)"),
    "xml": (b'<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>',
            "an XML spreadsheet of 2003"),
    "other xml": (b'<?xml version="1.0"?><plist/>', "an XML file"),
    "empty": (b"", "an empty file"),
    "picture": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "a file of another kind"),
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
def test_files_of_other_kinds_are_named(kind: str, path: Path) -> None:
    data, found = FILES[kind]
    path.write_bytes(data)
    with pytest.raises(GpusheetError) as caught:
        read_book(path)
    message = str(caught.value)
    assert message.startswith(f"budget.xlsx: found {found}, allowed a gpusheet workbook (.xlsx, .xlsm); ")
    assert "\n" not in message


ZIPS = {
    "document": ({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w/>"}, "a zip file without a workbook"),
    "zip": ({"prices.csv": b"a,b"}, "a zip file without a workbook"),
    "ods": ({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet"}, "an OpenDocument file"),
    "xlsb": ({"[Content_Types].xml": b"<Types/>", "xl/workbook.bin": b""}, "a binary workbook"),
    "strict": ({"[Content_Types].xml": b"<Types/>", "xl/workbook.xml": b'<workbook xmlns="http://purl.oclc.org/ooxml/x"/>'},
               "a Strict Open XML workbook"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ZIPS)
def test_zip_files_of_other_kinds_are_named(kind: str, path: Path) -> None:
    parts, found = ZIPS[kind]
    with ZipFile(path, "w") as file:
        for name, part in parts.items():
            file.writestr(name, part)
    with pytest.raises(GpusheetError, match=f"^budget.xlsx: found {re.escape(found)}.*; [^\n]*$"):
        read_book(path)


@pytest.mark.parametrize("kept", [30, 0.5, 0.98])
def test_a_damaged_file_is_called_damaged(kept: float, path: Path) -> None:
    whole = written(path).read_bytes()
    path.write_bytes(whole[: int(kept) if kept > 1 else int(len(whole) * kept)])
    with pytest.raises(GpusheetError, match=r"^budget.xlsx: found a damaged or incomplete file; copy"):
        read_book(path)


def test_a_damaged_part_is_called_damaged(path: Path) -> None:
    whole = bytearray(written(path).read_bytes())
    with ZipFile(path) as file:
        start = file.getinfo("xl/worksheets/sheet4.xml").header_offset + 200
    whole[start : start + 60] = bytes(60)
    path.write_bytes(whole)
    with pytest.raises(GpusheetError, match=r"^budget.xlsx: found a damaged or incomplete file"):
        read_book(path)


def test_a_workbook_that_openpyxl_cannot_read(path: Path) -> None:
    written(path)
    rewritten(path, {r"xl/styles\.xml": lambda part: b"<styleSheet><fonts></styleSheet>"})
    with pytest.raises(GpusheetError, match=r"^budget.xlsx: found a workbook that cannot be read \(\w+: .*\); open it"):
        read_book(path)


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(GpusheetError, match=r"none\.xlsx: there is no such file; check the folder and the spelling$"):
        read_book(tmp_path / "none.xlsx")
    with pytest.raises(GpusheetError, match="found a folder, allowed a gpusheet workbook"):
        read_book(tmp_path)


def test_a_workbook_of_somebody_else(path: Path) -> None:
    book = Workbook()
    book.worksheets[0].append(["gpu", "price"])
    book.save(path)
    with pytest.raises(GpusheetError, match=r"^the workbook has no table Workloads, so gpusheet did not write it; .*$"):
        read_book(path)


def test_a_file_that_would_fill_the_memory_is_not_loaded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", b"<Types/>")
        file.writestr("xl/workbook.xml", b"<workbook/>")
        file.writestr("xl/worksheets/sheet1.xml", bytes(60_000_000))
    monkeypatch.setattr(Package, "load", lambda *_: pytest.fail("loaded"))
    with pytest.raises(GpusheetError, match=r"^budget.xlsx: found a file packed [\d,]+ to 1, allowed 200 to 1"):
        read_book(path)
    monkeypatch.setattr(limits, "MOST_BYTES", 50_000_000)
    with pytest.raises(GpusheetError, match=r"^budget.xlsx: found 60 MB unpacked, allowed 50 MB"):
        read_book(path)
    monkeypatch.setattr(limits, "MOST_BYTES", 1000)
    with pytest.raises(GpusheetError, match=r"^budget.xlsx: found 0 MB"):
        open_package(path)


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not here")
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("c06_ole_header", "a password-protected or an old .xls workbook"),
        ("c06_csv_named", "text such as CSV"),
        ("c06_html_named", r"a web page \(HTML\)"),
        ("c06_truncated", "a damaged or incomplete file"),
    ],
)
def test_the_shared_cases(name: str, found: str) -> None:
    with pytest.raises(GpusheetError, match=f"^{name}.xlsx: found {found}"):
        read_book(CASES / f"{name}.xlsx")
