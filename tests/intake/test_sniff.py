"""The first bytes of a file decide what it is; each kind that cannot be read has a message of its own."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from openpyxl.workbook.workbook import Workbook

from gpusheet.errors import GpusheetError
from gpusheet.intake.sniff import (
    BUDGET_BOOK,
    CSV_FILE,
    TABLE,
    WORKBOOK,
    Kind,
    Wanted,
    WrongFile,
    check_limits,
    encoding_of,
    kind_of,
    read_checked,
)

CASES = Path(__file__).parents[2].parent / "shared" / "cases"
OLE = bytes.fromhex("D0CF11E0A1B11AE1") + bytes(504)
ROWS = "型号,单价\r\nH20,13.94\r\n"


def book() -> bytes:
    file = BytesIO()
    Workbook().save(file)
    return file.getvalue()


def zipped(**parts: bytes) -> bytes:
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return file.getvalue()


GOOD: dict[str, tuple[bytes, Kind]] = {
    "workbook": (book(), Kind.WORKBOOK),
    "csv": (b"gpu,price\nL20,4\n", Kind.CSV),
    "csv with a mark": (ROWS.encode("utf-8-sig"), Kind.CSV),
    "csv of Chinese Excel": (ROWS.encode("gb18030"), Kind.CSV),
    "csv in UTF-16": (ROWS.encode("utf-16"), Kind.CSV),
    "csv with a less-than sign": (b"gpu,note\nL20,< 4 hours\n", Kind.CSV),
    "csv whose first field is a number": (b"1,2\n", Kind.CSV),
    "tabs": (b"gpu\tprice\nL20\t4\n", Kind.CSV),
}


@pytest.mark.parametrize("kind", GOOD)
@pytest.mark.parametrize("name", ["prices.xlsx", "prices.csv", "prices", "prices.xls"])
def test_what_can_be_read(kind: str, name: str, tmp_path: Path) -> None:
    data, expected = GOOD[kind]
    (tmp_path / name).write_bytes(data)
    assert kind_of(tmp_path / name) is expected
    checked = read_checked(tmp_path / name)
    assert (checked.name, checked.kind, checked.data) == (name, expected, data)


BAD: dict[str, tuple[bytes, str, str, str]] = {
    "protected": (OLE + "EncryptedPackage".encode("utf-16-le"), "password", "a password-protected workbook", "加密的工作簿"),
    "xls": (OLE + "Workbook".encode("utf-16-le"), "xls", "an old .xls workbook", "旧版 .xls 工作簿"),
    "html": (b"\n<html><table><tr><td>H20</td></tr></table></html>", "html", "a web page (HTML)", "网页(HTML)"),
    "html of a comment": (b"<!-- x --><table><tr><td>H20</td></tr></table>", "html", "a web page (HTML)", "网页(HTML)"),
    "damaged": (book()[:1500], "damaged", "a damaged or incomplete file", "文件已损坏或不完整"),
    "ole": (OLE, "password", "a password-protected or an old .xls workbook", "加密的工作簿或旧版 .xls 工作簿"),
    "xml of 2003": (b'<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>', "xml",
                    "an XML spreadsheet of 2003", "2003 版 XML 表格"),
    "xml": (b'<?xml version="1.0"?><plist/>', "xml", "an XML file", "XML 文件"),
    "empty": (b"", "empty", "an empty file", "空文件"),
    "picture": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "other", "a file of another kind", "其他类型的文件"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\x00\x01", "other", "a file of another kind", "其他类型的文件"),
    "ods": (zipped(mimetype=b"application/vnd.oasis.opendocument.spreadsheet"), "ods", "an OpenDocument file (.ods)",
            "OpenDocument 文件(.ods)"),
    "xlsb": (zipped(**{"[Content_Types].xml": b"<Types/>", "xl/workbook.bin": b""}), "xlsb", "a binary workbook (.xlsb)",
             "二进制工作簿(.xlsb)"),
    "strict": (zipped(**{"[Content_Types].xml": b"<Types/>", "xl/workbook.xml": b'<w xmlns="http://purl.oclc.org/ooxml/x"/>'}),
               "strict", "a Strict Open XML workbook", "Strict Open XML 工作簿"),
    "zip": (zipped(**{"prices.csv": b"a,b"}), "zip", "a zip file without a workbook in it", "不含工作簿的 zip 文件"),
}  # fmt: skip


@pytest.mark.parametrize("wanted", [TABLE, WORKBOOK, BUDGET_BOOK, CSV_FILE], ids=lambda wanted: wanted.give)
@pytest.mark.parametrize("kind", BAD)
def test_what_cannot_be_read(kind: str, wanted: Wanted, tmp_path: Path) -> None:
    data, code, en, zh = BAD[kind]
    path = tmp_path / "prices.xlsx"
    path.write_bytes(data)
    with pytest.raises(WrongFile) as caught:
        read_checked(path, wanted)
    error = caught.value
    assert error.code == code
    assert str(error).startswith(f"prices.xlsx: found {en}") and zh in error.zh
    for message in (str(error), error.zh):
        assert "\n" not in message and message.count(";") + message.count("；") == 1  # what it is; what to do
    if code != "damaged":
        assert wanted.name in str(error) and wanted.zh in error.zh


def test_the_five_messages_differ() -> None:
    assert len({BAD[kind][2] for kind in ("protected", "xls", "html", "damaged")} | {"text such as CSV"}) == 5


def test_a_csv_where_a_workbook_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "budget.xlsx").write_bytes(ROWS.encode("gb18030"))
    with pytest.raises(WrongFile, match=r"^budget\.xlsx: found text such as CSV, allowed a workbook \(\.xlsx, \.xlsm\); copy its rows"):
        kind_of(tmp_path / "budget.xlsx", WORKBOOK)
    (tmp_path / "prices.csv").write_bytes(book())
    with pytest.raises(WrongFile, match=r"^prices\.csv: found a workbook, allowed a CSV file; give a CSV file$"):
        kind_of(tmp_path / "prices.csv", CSV_FILE)


def test_a_zip_with_a_password(tmp_path: Path) -> None:
    data = bytearray(book())
    data[6] |= 1  # the flag of the first entry, here and in the list at the end
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "book.xlsx").write_bytes(data)
    with pytest.raises(WrongFile, match="found a zip file with a password, .*; open it in Excel, remove the password"):
        kind_of(tmp_path / "book.xlsx")


@pytest.mark.parametrize("name", ["none.xlsx", "", "a\0b.xlsx", "x" * 300])
def test_what_is_no_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(WrongFile) as caught:
        check_limits(f"{tmp_path}/{name}")
    assert caught.value.code in ("absent", "folder", "unreadable") and "\n" not in str(caught.value)


def test_encodings() -> None:
    assert encoding_of(ROWS.encode("utf-8")) == "utf-8"
    assert encoding_of(ROWS.encode("utf-8-sig")) == "utf-8-sig"
    assert encoding_of(ROWS.encode("gb18030")) == "gb18030"
    assert encoding_of(ROWS.encode("utf-16")) == "utf-16"
    assert encoding_of(ROWS.encode("gb18030")[:3]) == "gb18030"  # cut in two
    assert encoding_of(b"\xff\xff\xff") is None


def test_a_wrong_file_is_an_error_as_any_other() -> None:
    assert issubclass(WrongFile, GpusheetError)


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not here")
@pytest.mark.parametrize(
    ("name", "code", "words"),
    [("c06_ole_header", "password", "password-protected or an old .xls"), ("c06_csv_named", "csv", "CSV"),
     ("c06_html_named", "html", "web page"), ("c06_truncated", "damaged", "damaged")],
)  # fmt: skip
def test_the_shared_cases(name: str, code: str, words: str) -> None:
    with pytest.raises(WrongFile, match=words) as caught:
        read_checked(CASES / f"{name}.xlsx", WORKBOOK)
    assert caught.value.code == code
