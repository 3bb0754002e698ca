"""The zip package that openpyxl makes of a workbook, and the pattern of a formula cell in it."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping
from io import BytesIO
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from openpyxl.workbook.workbook import Workbook
from openpyxl.writer.excel import ExcelWriter

# column, row, other attributes, attributes of <f>, formula; openpyxl writes <v/>, <v /> or <v></v> with or without lxml
FORMULA_CELL = re.compile(rb'<c r="([A-Z]+)([0-9]+)"([^>]*)><f([^>]*)>([^<]*)</f><v ?/?>(?:</v>)?</c>')


_LEVEL = 4  # of compression: less than half the time of the usual one, for a sixteenth more bytes


def pack(book: Workbook, target: Path) -> None:
    """Writes the file that openpyxl makes of `book`, uncompressed, and dated by the book's properties, not today."""
    with ZipFile(target, "w", ZIP_STORED, allowZip64=True) as archive:
        ExcelWriter(book, archive).save()


def sheet_parts(book: Workbook) -> dict[str, str]:
    """The names of the sheets' parts in the package that `pack` has made, with the sheets' titles."""
    return {sheet.path[1:]: sheet.title for sheet in book.worksheets}


def repacked(
    source: Path, target: Path | IO[bytes], change: Callable[[str, bytes], bytes], compressed: bool = True
) -> None:
    """Writes the package `source` to `target`, each part as `change(name, part)` returns it, one part at a time.

    Equal parts make equal bytes: entries keep their order and carry no time.
    """
    with ZipFile(source) as old, ZipFile(target, "w", allowZip64=True) as new:
        for name in old.namelist():
            entry = ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 0  # the same bytes on Windows and elsewhere
            entry.compress_type = ZIP_DEFLATED if compressed else ZIP_STORED
            new.writestr(entry, change(name, old.read(name)))

def packed(entries: Iterable[ZipInfo], parts: Mapping[str, bytes]) -> bytes:
    """The package with its entries in their order, as they were packed and dated."""
    file = BytesIO()
    with ZipFile(file, "w", allowZip64=True) as archive:
        for entry in entries:
            archive.writestr(copy.copy(entry), parts[entry.filename], compresslevel=_LEVEL)
    return file.getvalue()
