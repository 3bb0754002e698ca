"""What a recalculation has to know of a workbook file beside its cells, read from the parts of its package."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote
from xml.etree import ElementTree

from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.cell_range import CellRange

from gpusheet.errors import GpusheetError
from gpusheet.workbook.recalculation.deviations import number_like
from gpusheet.workbook.structured import TableRange, Tables

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_CHINESE_DAYS = (*range(27, 37), *range(50, 59))  # formats of files from East Asia, which have no code
_ENCODING = re.compile(rb"^<\?xml[^>]*encoding=[\"']([\w-]+)")


@dataclass(frozen=True)
class Book:
    """The sheets, tables and names of a workbook file."""

    workbook: str  # the name of its part
    sheets: Mapping[str, str]  # the worksheets' parts, with their titles, in order
    tables: Tables
    names: tuple[tuple[str, str], ...]  # defined names as they are spelled, and what they stand for
    date_system: str  # "1900", or "1904" where days count from then
    linked: tuple[str, ...]  # workbooks that this one refers to
    signed: bool
    scopes: tuple[str | None, ...] = ()  # for each defined name the sheet whose own it is
    iterates: bool = False  # circles are to be calculated again and again
    dated: frozenset[int] = frozenset()  # the numbers of cell formats that show days
    odd: Mapping[int, str] = field(default_factory=dict)  # shared texts that Excel may read as numbers

    @property
    def links(self) -> int:
        return len(self.linked)


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
    main = next((target for kind, target in _related(parts, "").values() if kind == "officeDocument"), "")
    tree = _tree(parts, main)
    related = _related(parts, main)
    sheets = {}
    for sheet in tree.iterfind("{*}sheets/{*}sheet"):
        kind, target = related[next((value for key, value in sheet.attrib.items() if key.endswith("}id")), "")]
        if kind == "worksheet":
            sheets[target] = sheet.attrib["name"]
    tables = {
        table.name.casefold(): table
        for part, title in sheets.items()
        for kind, target in _related(parts, part).values() if kind == "table"
        for table in [_table(_tree(parts, target), title)]
    }  # fmt: skip
    names = tree.findall("{*}definedNames/{*}definedName")
    titles = [sheet.attrib["name"] for sheet in tree.iterfind("{*}sheets/{*}sheet")]
    calculation = tree.find("{*}calcPr")
    settings = tree.find("{*}workbookPr")
    counted = settings is not None and settings.get("date1904", "0") in ("1", "true")
    return Book(
        workbook=main,
        sheets=sheets,
        tables=Tables(tables),
        names=tuple((one.attrib["name"], one.text or "") for one in names),
        date_system="1904" if counted else "1900",
        linked=tuple(_linked(parts, related, one.attrib) for one in
                     tree.iterfind("{*}externalReferences/{*}externalReference")),
        signed=any(part.startswith("_xmlsignatures/") for part in parts),
        scopes=tuple(
            titles[int(own)] if (own := one.get("localSheetId")) and int(own) < len(titles) else None for one in names),
        iterates=calculation is not None and calculation.get("iterate", "0") in ("1", "true"),
        dated=_dated(_tree(parts, found)) if (found := _of_kind(related, "styles")) in parts else frozenset(),
        odd=_odd(_tree(parts, found)) if (found := _of_kind(related, "sharedStrings")) in parts else {},
    )  # fmt: skip


def _of_kind(related: Mapping[str, tuple[str, str]], kind: str) -> str:
    return next((target for one, target in related.values() if one == kind), "")


def _linked(parts: Mapping[str, bytes], related: Mapping[str, tuple[str, str]], attributes: Mapping[str, str]) -> str:
    """The address of a linked workbook; empty if the file does not tell."""
    _, part = related.get(next((value for key, value in attributes.items() if key.endswith("}id")), ""), ("", ""))
    folder, name = posixpath.split(part)
    rels = posixpath.join(folder, "_rels", f"{name}.rels")
    if rels not in parts:
        return ""
    return next((unquote(one.attrib["Target"]) for one in _tree(parts, rels).iterfind("{*}Relationship")), "")


def _dated(styles: ElementTree.Element) -> frozenset[int]:
    """The numbers of the cell formats that show days."""
    own = {one.attrib["numFmtId"]: one.attrib["formatCode"] for one in styles.iterfind("{*}numFmts/{*}numFmt")}
    formats = [one.get("numFmtId", "0") for one in styles.iterfind("{*}cellXfs/{*}xf")]
    codes = [own.get(number, BUILTIN_FORMATS.get(int(number), "General")) for number in formats]
    return frozenset(at for at, (number, code) in enumerate(zip(formats, codes, strict=True))
                     if (is_date_format(code) and not is_timedelta_format(code)) or int(number) in _CHINESE_DAYS)  # fmt: skip


def _odd(texts: ElementTree.Element) -> dict[int, str]:
    found = {}
    for at, one in enumerate(texts.iterfind("{*}si")):
        text = "".join(part.text or "" for part in one.iterfind("{*}t")) + "".join(
            part.text or "" for part in one.iterfind("{*}r/{*}t"))
        if number_like(text):
            found[at] = text
    return found


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
