"""Opening a workbook file that a person hands over: what it is by its first bytes, whether it is safe to load."""

from __future__ import annotations

import codecs
import re
import warnings
import zlib
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from openpyxl import load_workbook
from openpyxl.workbook.workbook import Workbook

from gpusheet.errors import GpusheetError

MOST_BYTES = 400_000_000  # of all parts together, unpacked
MOST_RATIO, RATIO_FROM = 200, 50_000_000  # packed far tighter than a workbook of numbers can be
_OLE = bytes.fromhex("D0CF11E0A1B11AE1")
_MARKUP = re.compile(r"\s*<(!doctype|\?xml|\w)", re.IGNORECASE)
_NOT_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")
_SAVE_AS = "save it there as 'Excel Workbook (*.xlsx)'"


@dataclass(frozen=True)
class Package:
    """The bytes of a workbook file, known to be a zip of harmless size with a workbook in it."""

    name: str
    data: bytes

    def _whole(self) -> bool:
        """Whether every part of the zip is as its checksum says."""
        try:
            with ZipFile(BytesIO(self.data)) as file:
                return file.testzip() is None
        except (BadZipFile, zlib.error, EOFError):
            return False

    def load(self, values: bool = False) -> Workbook:
        """The workbook as openpyxl reads it: formulas, or with `values` the values that were saved with them."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what openpyxl leaves out is listed for the user elsewhere
                return load_workbook(BytesIO(self.data), data_only=values, rich_text=not values)
        except MemoryError:
            raise
        except (BadZipFile, zlib.error, EOFError):
            raise damaged(self.name) from None
        except Exception as error:  # whatever openpyxl trips over is about the file, not about us
            if not self._whole():
                raise damaged(self.name) from None
            reason = f"{type(error).__name__}: {error}".splitlines()[0][:120]
            raise GpusheetError(
                f"{self.name}: found a workbook that cannot be read ({reason}); open it in Excel and {_SAVE_AS}"
            ) from error

    def read(self, part: str) -> bytes:
        with ZipFile(BytesIO(self.data)) as file:
            return file.read(part)

    def names(self) -> list[str]:
        with ZipFile(BytesIO(self.data)) as file:
            return file.namelist()


def open_package(path: Path | str) -> Package:
    """Reads the file; anything but a workbook is refused with one line that says what it is and what to do.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "prices.xlsx").write_text("gpu,price\\nL20,4\\n")
    ...     try:
    ...         open_package(f"{folder}/prices.xlsx")
    ...     except GpusheetError as error:
    ...         print(str(error).partition(";")[0])
    prices.xlsx: found text such as CSV, allowed a gpusheet workbook (.xlsx, .xlsm)
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise GpusheetError(f"{path}: found a folder, allowed a gpusheet workbook; give the name of a file in it")
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise _too_large(path.name, size)
        data = path.read_bytes()
    except FileNotFoundError:
        raise GpusheetError(f"{path}: there is no such file; check the folder and the spelling") from None
    except OSError as error:
        raise GpusheetError(
            f"{path}: cannot be read ({error.strerror or error}); close it where it is open, or copy it elsewhere"
        ) from None
    if not data.startswith(b"PK"):
        found, todo = _what_is(data)
        raise GpusheetError(f"{path.name}: found {found}, allowed a gpusheet workbook (.xlsx, .xlsm); {todo}")
    _check_zip(path.name, data)
    return Package(path.name, data)


def damaged(name: str) -> GpusheetError:
    return GpusheetError(
        f"{name}: found a damaged or incomplete file; copy or download it again, or open it in Excel to repair it")


def _too_large(name: str, size: int) -> GpusheetError:
    return GpusheetError(
        f"{name}: found {size / 1e6:,.0f} MB unpacked, allowed {MOST_BYTES / 1e6:,.0f} MB; delete what is not needed "
        "and save it again")


def _what_is(data: bytes) -> tuple[str, str]:
    """What a file without a zip's first bytes is, and what to do about it."""
    if not data:
        return "an empty file", "copy or download it again"
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            return "a password-protected workbook", f"open it in Excel, remove the password and {_SAVE_AS}"
        if "Workbook".encode("utf-16-le") in data:
            return "an old .xls workbook", f"open it in Excel and {_SAVE_AS}"
        return ("a password-protected or an old .xls workbook",
                f"open it in Excel, remove the password if there is one and {_SAVE_AS}")
    text = _text(data[:8192])
    if text is None:
        return "a file of another kind", "give a workbook that gpusheet has written"
    if _MARKUP.match(text):
        if "urn:schemas-microsoft-com:office:spreadsheet" in text:
            return "an XML spreadsheet of 2003", f"open it in Excel and {_SAVE_AS}"
        if re.search(r"<(!doctype html|html|head|body|table)\b", text, re.IGNORECASE):
            return "a web page (HTML)", "copy its rows into a workbook that gpusheet has written"
        return "an XML file", "give a workbook that gpusheet has written"
    return "text such as CSV", "copy its rows into a workbook that gpusheet has written"


def _text(data: bytes) -> str | None:
    """The beginning of a text file; None where it is none."""
    marks = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
    marked = next((name for mark, name in marks.items() if data.startswith(mark)), None)
    for name in [marked] if marked else ["utf-8", "gb18030"]:
        try:
            # a decoder that may be fed more forgives a character cut in two at the end
            text = codecs.getincrementaldecoder(name)().decode(data)
        except UnicodeDecodeError:
            continue
        return None if _NOT_TEXT.search(text) else text
    return None


def _check_zip(name: str, data: bytes) -> None:
    try:
        with ZipFile(BytesIO(data)) as file:
            entries = file.infolist()
            names = {entry.filename for entry in entries}
            kind = file.read("mimetype").decode("ascii", "replace") if "mimetype" in names else ""
            workbook = next((one for one in names if one.lower().endswith("workbook.xml")), None)
            main = file.read(workbook) if workbook else b""
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError):
        raise damaged(name) from None
    size = sum(entry.file_size for entry in entries)
    if size > MOST_BYTES:
        raise _too_large(name, size)
    if size > RATIO_FROM and size > MOST_RATIO * len(data):
        raise GpusheetError(
            f"{name}: found a file packed {size / len(data):,.0f} to 1, allowed {MOST_RATIO} to 1, as it would fill "
            "the memory; delete formatted but empty rows and save it again")
    what, todo = "", f"open it in Excel and {_SAVE_AS}"
    if kind:
        what = "an OpenDocument file (.ods)"
    elif "xl/workbook.bin" in names:
        what = "a binary workbook (.xlsb)"
    elif b"purl.oclc.org/ooxml" in main:
        what = "a Strict Open XML workbook"
    elif "[Content_Types].xml" not in names or not main:
        what, todo = "a zip file without a workbook in it", "give a workbook that gpusheet has written"
    if what:
        raise GpusheetError(f"{name}: found {what}, allowed a gpusheet workbook (.xlsx, .xlsm); {todo}")

