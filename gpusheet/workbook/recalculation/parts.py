"""What a recalculation has to know of a workbook file beside its cells, read from the parts of its package."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree import ElementTree

from openpyxl.utils import get_column_letter
from openpyxl.worksheet.cell_range import CellRange

from gpusheet.errors import GpusheetError
from gpusheet.workbook.structured import TableRange, Tables

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_ENCODING = re.compile(rb"^<\?xml[^>]*encoding=[\"']([\w-]+)")


@dataclass(frozen=True)
class Book:
    """The sheets, tables and names of a workbook file."""

    workbook: str  # the name of its part
    sheets: Mapping[str, str]  # the worksheets' parts, with their titles, in order
    tables: Tables
    names: tuple[tuple[str, str], ...]  # defined names as they are spelled, and what they stand for
    date_system: str  # "1900", or "1904" where days count from then
    links: int  # workbooks that this one refers to
    signed: bool


def book_of(name: str, parts: Mapping[str, bytes]) -> Book:
    """The book in the parts of the file `name`."""
    try:
        return _book(parts)
    except (ElementTree.ParseError, KeyError, ValueError) as error:
        raise GpusheetError(
            f"{name}: found a workbook that cannot be read ({type(error).__name__}: {error}); open it in Excel and "
            "save it there as 'Excel Workbook (*.xlsx)'") from error


def checked(part: bytes, name: str) -> bytes:
    """The XML of a part in UTF-8 without entities of its own, which is all that spreadsheets write."""
    encoding = _ENCODING.match(part.removeprefix(b"\xef\xbb\xbf"))
    strange = encoding is not None and encoding[1].lower() not in (b"utf-8", b"us-ascii")
    if strange or part.startswith((b"\xff\xfe", b"\xfe\xff")) or b"<!DOCTYPE" in part or b"<![CDATA[" in part:
        raise GpusheetError(
            f"{name}: found XML of an unusual kind; open the workbook in Excel and save it there as 'Excel Workbook'")
    return part


def _book(parts: Mapping[str, bytes]) -> Book:
    main = next(target for kind, target in _related(parts, "").values() if kind == "officeDocument")
    tree = _tree(parts, main)
    related = _related(parts, main)
    sheets = {}
    for sheet in tree.iterfind("{*}sheets/{*}sheet"):
        kind, target = related[next(value for key, value in sheet.attrib.items() if key.endswith("}id"))]
        if kind == "worksheet":
            sheets[target] = sheet.attrib["name"]
    tables = {
        table.name.casefold(): table
        for part, title in sheets.items()
        for kind, target in _related(parts, part).values() if kind == "table"
        for table in [_table(_tree(parts, target), title)]
    }  # fmt: skip
    settings = tree.find("{*}workbookPr")
    counted = settings is not None and settings.get("date1904", "0") in ("1", "true")
    return Book(
        workbook=main,
        sheets=sheets,
        tables=Tables(tables),
        names=tuple(
            (one.attrib["name"], one.text or "") for one in tree.iterfind("{*}definedNames/{*}definedName")),
        date_system="1904" if counted else "1900",
        links=len(tree.findall("{*}externalReferences/{*}externalReference")),
        signed=any(part.startswith("_xmlsignatures/") for part in parts),
    )


def _tree(parts: Mapping[str, bytes], part: str) -> ElementTree.Element:
    return ElementTree.fromstring(checked(parts[part], part))


def _related(parts: Mapping[str, bytes], part: str) -> dict[str, tuple[str, str]]:
    """The relationships of a part by their ids: the kind, and the name of the part that is meant."""
    folder, name = posixpath.split(part)
    rels = posixpath.join(folder, "_rels", f"{name}.rels")
    return dict(_relationships(_tree(parts, rels), folder)) if rels in parts else {}


def _relationships(tree: ElementTree.Element, folder: str) -> Iterator[tuple[str, tuple[str, str]]]:
    for one in tree.iterfind("{*}Relationship"):
        if one.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, one.attrib["Target"])).lstrip("/")
            yield one.attrib["Id"], (one.attrib["Type"].rpartition("/")[2], target)


def _table(tree: ElementTree.Element, title: str) -> TableRange:
    area = CellRange(tree.attrib["ref"])
    names = [_text(column.attrib["name"]) for column in tree.iterfind("{*}tableColumns/{*}tableColumn")]
    letters = [get_column_letter(column) for column in range(area.min_col, area.max_col + 1)]
    header, totals = int(tree.get("headerRowCount", "1")), int(tree.get("totalsRowCount", "0"))
    name = tree.get("displayName") or tree.attrib["name"]
    columns = dict(zip(names, letters, strict=True))
    return TableRange(name, title, area.min_row, area.min_row + header, area.max_row - totals, columns, totals)


def _text(escaped: str) -> str:
    """A line break in a column's name stands in the file as _x000a_."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), escaped)
