"""What a file is, by its first bytes and never by its name; what cannot be read is refused with one line."""

from __future__ import annotations

import codecs
import re
import zlib
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from gpusheet.errors import GpusheetError
from gpusheet.intake import limits

_OLE = bytes.fromhex("D0CF11E0A1B11AE1")
_MARKUP = re.compile(r"\s*<(!doctype|\?xml|!--|\w)", re.IGNORECASE)
_PAGE = re.compile(r"<(!doctype html|html|head|body|table)\b", re.IGNORECASE)
_NOT_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_SAVE_AS = ("save it there as 'Excel Workbook (*.xlsx)'", "另存为“Excel 工作簿(*.xlsx)”")
BROKEN_ZIP = (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)


class Kind(StrEnum):
    """What can be read."""

    WORKBOOK = "workbook"  # .xlsx, .xlsm
    CSV = "csv"


@dataclass(frozen=True)
class Wanted:
    """Which files a command reads, in the words of its messages."""

    kinds: tuple[Kind, ...]
    name: str  # as in "allowed a gpusheet workbook (.xlsx, .xlsm)"
    zh: str
    give: str  # as in "give a workbook that gpusheet has written"
    give_zh: str
    folder: str  # where a folder was named


WORKBOOK = Wanted((Kind.WORKBOOK,), "a workbook (.xlsx, .xlsm)", "工作簿(.xlsx、.xlsm)", "a workbook", "工作簿",
                  "a workbook")  # fmt: skip
BUDGET_BOOK = Wanted(
    (Kind.WORKBOOK,), "a gpusheet workbook (.xlsx, .xlsm)", "gpusheet 工作簿(.xlsx、.xlsm)",
    "a workbook that gpusheet has written", "由 gpusheet 生成的工作簿", "a gpusheet workbook")  # fmt: skip
CSV_FILE = Wanted((Kind.CSV,), "a CSV file", "CSV 文件", "a CSV file", "CSV 文件", "a CSV file")
TABLE = Wanted((Kind.WORKBOOK, Kind.CSV), "a workbook (.xlsx, .xlsm) or a CSV file", "工作簿(.xlsx、.xlsm)或 CSV 文件",
               "a workbook or a CSV file", "工作簿或 CSV 文件", "a workbook or a CSV file")  # fmt: skip


class WrongFile(GpusheetError):
    """A file that cannot be read. `code` is the kind of fault, `zh` the message in Chinese."""

    def __init__(self, code: str, en: str, zh: str) -> None:
        super().__init__(en)
        self.code = code
        self.zh = zh


@dataclass(frozen=True)
class Checked:
    """A file that may be loaded: its name, its bytes and what it is."""

    name: str
    kind: Kind
    data: bytes


def kind_of(path: Path | str, wanted: Wanted = TABLE) -> Kind:
    """What a file is; an error where it is none of those wanted.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "prices.xlsx").write_text("gpu,price\\nL20,4\\n")
    ...     kind_of(f"{folder}/prices.xlsx").value
    'csv'
    """
    return _kind(Path(path).name, _bytes(Path(path), wanted), wanted)


def check_limits(path: Path | str, wanted: Wanted = TABLE) -> None:
    """Refuses a file that would fill the memory, hold the machine up, or that is damaged, before anything loads it."""
    read_checked(path, wanted)


def read_checked(path: Path | str, wanted: Wanted = TABLE) -> Checked:
    """The bytes of a file that is of a kind wanted, whole, and within the limits."""
    path = Path(path)
    data = _bytes(path, wanted)
    kind = _kind(path.name, data, wanted)
    try:
        if kind is Kind.WORKBOOK:
            limits.check_zip(path.name, data)
        else:
            limits.check_text(path.name, data)
    except limits.OverLimit as over:
        raise WrongFile("limit", str(over), over.zh) from None
    except BROKEN_ZIP:
        raise damaged(path.name) from None
    return Checked(path.name, kind, data)


def encoding_of(data: bytes) -> str | None:
    """The encoding of a text file by its first bytes: with a mark what that says, else UTF-8, else GB18030, which
    Chinese Excel writes; None where the file is no text.

    >>> encoding_of("型号,单价".encode("gb18030")), encoding_of(b"\\x89PNG\\r\\n\\x1a\\n\\x00")
    ('gb18030', None)
    """
    marked = next((name for mark, name in _MARKS.items() if data.startswith(mark)), None)
    for name in [marked] if marked else ["utf-8", "gb18030"]:
        try:
            # a decoder that may be fed more forgives a character cut in two at the end
            text = codecs.getincrementaldecoder(name)().decode(data)
        except UnicodeDecodeError:
            continue
        return None if _NOT_TEXT.search(text) else name
    return None


def damaged(name: str) -> WrongFile:
    return WrongFile(
        "damaged",
        f"{name}: found a damaged or incomplete file; copy or download it again, or open it in Excel to repair it",
        f"{name}：文件已损坏或不完整；请重新复制或下载，或用 Excel 打开修复")  # fmt: skip


def _bytes(path: Path, wanted: Wanted) -> bytes:
    try:
        if path.is_dir():
            raise WrongFile("folder", f"{path}: found a folder, allowed {wanted.folder}; give the name of a file in it",
                            f"{path}：这是文件夹，应为{wanted.zh}；请给出其中文件的名称")  # fmt: skip
        limits.check_size(path.name, path.stat().st_size)
        return path.read_bytes()
    except WrongFile:
        raise
    except limits.OverLimit as over:
        raise WrongFile("limit", str(over), over.zh) from None
    except FileNotFoundError:
        raise WrongFile("absent", f"{path}: there is no such file; check the folder and the spelling",
                        f"{path}：没有这个文件；请检查文件夹和文件名") from None  # fmt: skip
    except OSError as error:
        why = error.strerror or error
        raise WrongFile(
            "unreadable", f"{path}: cannot be read ({why}); close it where it is open, or copy it elsewhere",
            f"{path}：无法读取({why})；请先在其他程序中关闭，或复制到别处") from None  # fmt: skip
    except ValueError:  # a name that no system takes
        raise WrongFile("absent", f"{str(path)!r}: is no name of a file; check the spelling",
                        f"{str(path)!r}：不是有效的文件名；请检查拼写") from None  # fmt: skip


def _kind(name: str, data: bytes, wanted: Wanted) -> Kind:
    if data.startswith(b"PK"):
        fault = _zip_fault(name, data, wanted)
        kind = Kind.WORKBOOK
        found = ("workbook", "a workbook", "工作簿", f"give {wanted.give}", f"请提供{wanted.give_zh}")
    else:
        fault, kind = _other_fault(data, wanted), Kind.CSV
        found = ("csv", "text such as CSV", "CSV 之类的文本", f"copy its rows into {wanted.give}",
                 f"请把其中的行复制到{wanted.give_zh}")  # fmt: skip
    if fault is None and kind in wanted.kinds:
        return kind
    code, what, what_zh, todo, todo_zh = fault or found
    raise WrongFile(code, f"{name}: found {what}, allowed {wanted.name}; {todo}",
                    f"{name}：这是{what_zh}，应为{wanted.zh}；{todo_zh}")  # fmt: skip


Fault = tuple[str, str, str, str, str]  # code, what it is, what to do, each in English and Chinese


def _in_excel(code: str, what: str, zh: str, first: str = "", first_zh: str = "") -> Fault:
    return code, what, zh, f"open it in Excel{first} and {_SAVE_AS[0]}", f"请用 Excel 打开{first_zh}，{_SAVE_AS[1]}"


def _other_fault(data: bytes, wanted: Wanted) -> Fault | None:
    """What a file without a zip's first bytes is, if it is no CSV, and what to do about it."""
    give, give_zh = f"give {wanted.give}", f"请提供{wanted.give_zh}"
    if not data:
        return "empty", "an empty file", "空文件", "copy or download it again", "请重新复制或下载"
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            return _in_excel("password", "a password-protected workbook", "加密的工作簿", ", remove the password", "，取消密码")
        if "Workbook".encode("utf-16-le") in data:
            return _in_excel("xls", "an old .xls workbook", "旧版 .xls 工作簿")
        return _in_excel(
            "password", "a password-protected or an old .xls workbook", "加密的工作簿或旧版 .xls 工作簿",
            ", remove the password if there is one", "，如有密码请取消")  # fmt: skip
    encoding = encoding_of(data[:8192])
    if encoding is None:
        return "other", "a file of another kind", "其他类型的文件", give, give_zh
    text = data[:8192].decode(encoding, errors="ignore")
    if not _MARKUP.match(text):
        return None
    if "urn:schemas-microsoft-com:office:spreadsheet" in text:
        return _in_excel("xml", "an XML spreadsheet of 2003", "2003 版 XML 表格")
    if _PAGE.search(text):
        return ("html", "a web page (HTML)", "网页(HTML)", f"copy its rows into {wanted.give}",
                f"请把其中的行复制到{wanted.give_zh}")  # fmt: skip
    return "xml", "an XML file", "XML 文件", give, give_zh


def _zip_fault(name: str, data: bytes, wanted: Wanted) -> Fault | None:
    """What a zip file is, if it is no workbook that can be read."""
    try:
        with ZipFile(BytesIO(data)) as file:
            entries = {entry.filename: entry for entry in file.infolist()}
            if any(entry.flag_bits & 1 for entry in entries.values()):
                return _in_excel("password", "a zip file with a password", "带密码的 zip 文件", ", remove the password", "，取消密码")
            kind = limits.start_of(file, entries.get("mimetype"), 100).decode("ascii", "replace")
            workbook = next((entry for one, entry in entries.items() if one.lower().endswith("workbook.xml")), None)
            main = limits.start_of(file, workbook, 100_000)
    except BROKEN_ZIP:
        raise damaged(name) from None
    if kind:
        return _in_excel("ods", "an OpenDocument file (.ods)", "OpenDocument 文件(.ods)")
    if "xl/workbook.bin" in entries:
        return _in_excel("xlsb", "a binary workbook (.xlsb)", "二进制工作簿(.xlsb)")
    if b"purl.oclc.org/ooxml" in main:
        return _in_excel("strict", "a Strict Open XML workbook", "Strict Open XML 工作簿")
    if "[Content_Types].xml" not in entries or not main:
        return "zip", "a zip file without a workbook in it", "不含工作簿的 zip 文件", f"give {wanted.give}", f"请提供{wanted.give_zh}"
    return None
