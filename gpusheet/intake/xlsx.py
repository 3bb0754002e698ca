"""The cells of a workbook file, read from its XML: values, formulas, errors, hidden rows, merged areas, tables.

A large sheet without any of what only the XML tells goes through calamine, which is faster and gives the same cells.
"""

from __future__ import annotations

import posixpath
import re
from functools import cached_property
from io import BytesIO
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

from gpusheet.intake.sheets import Sheet, SheetTable, column_number
from gpusheet.intake.sniff import BROKEN_ZIP, Checked, damaged
from gpusheet.intake.styles import Styles
from gpusheet.intake.xml_cells import SheetReader, strings_of

LARGE = 2_000_000  # bytes of a sheet's XML from which calamine is worth asking
BROKEN_XML = (*BROKEN_ZIP, ElementTree.ParseError, KeyError, IndexError, UnicodeError, OverflowError)
_TOLD_BY_XML = (b" hidden=", b't="e"')  # beside formulas, comments and sections

_MARKED = re.compile(rb"<[f!]")


class Workbook:
    """A workbook file whose sheets are read one by one."""

    def __init__(self, checked: Checked) -> None:
        self.file = checked.name
        self._data = checked.data
        try:
            with ZipFile(BytesIO(checked.data)) as opened:
                self._parts = {name.lstrip("/"): name for name in opened.namelist()}
                main = self._main(opened)
                self._sheets, self.epoch_1904, self.hidden = self._listed(opened, main)
        except BROKEN_XML:
            raise damaged(self.file) from None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._sheets)

    def part(self, name: str) -> str:
        """The name of a sheet's part in the package."""
        return self._sheets[name]

    def sheet(self, name: str) -> Sheet:
        """The cells of one sheet."""
        try:
            with ZipFile(BytesIO(self._data)) as opened:
                part = self._sheets[name]
                xml = opened.read(self._parts[part])
                sheet = self._fast(name, xml) if len(xml) > LARGE else None
                if sheet is None:
                    sheet = SheetReader(name, self._strings(opened), self._styles(opened), self.epoch_1904).read(xml)
                sheet.tables = self._tables(opened, part)
        except BROKEN_XML:
            raise damaged(self.file) from None
        sheet.hidden = name in self.hidden
        return sheet

    def _main(self, opened: ZipFile) -> str:
        related = self._related(opened, "")
        return next((target for kind, target in related.values() if kind.endswith("/officeDocument")), "")

    def _listed(self, opened: ZipFile, main: str) -> tuple[dict[str, str], bool, frozenset[str]]:
        root = ElementTree.fromstring(opened.read(self._parts[main]))
        related = self._related(opened, main)
        self._strings_part = next((to for kind, to in related.values() if kind.endswith("/sharedStrings")), None)
        self._styles_part = next((to for kind, to in related.values() if kind.endswith("/styles")), None)
        sheets: dict[str, str] = {}
        hidden = set()
        epoch = False
        for element in root.iter():
            tag = element.tag.rpartition("}")[2]
            if tag == "workbookPr":
                epoch = element.get("date1904", "0") in ("1", "true")
            if tag == "sheet":
                link = next((value for key, value in element.attrib.items() if key.endswith("}id")), "")
                kind, target = related.get(link, ("", ""))
                if kind.endswith("/worksheet") and target in self._parts:  # the others are charts and dialogs
                    sheets[element.get("name", "")] = target
                    if element.get("state", "visible") != "visible":
                        hidden.add(element.get("name", ""))
        return sheets, epoch, frozenset(hidden)

    def _related(self, opened: ZipFile, part: str) -> dict[str, tuple[str, str]]:
        """The parts that a part names, inside the file only: kind and name by id."""
        folder, name = posixpath.split(part)
        path = self._parts.get(posixpath.join(folder, "_rels", f"{name}.rels"))
        if path is None:
            return {}
        found = {}
        for element in ElementTree.fromstring(opened.read(path)):
            if element.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, element.get("Target", ""))).lstrip("/")
                found[element.get("Id", "")] = (element.get("Type", ""), target)
        return found

    def _strings(self, opened: ZipFile) -> list[str]:
        if self._all_strings is None:
            path = self._parts.get(self._strings_part or "")
            self._all_strings = strings_of(opened.read(path)) if path else []
        return self._all_strings

    _all_strings: list[str] | None = None

    def _styles(self, opened: ZipFile) -> Styles:
        if self._all_styles is None:
            path = self._parts.get(self._styles_part or "")
            self._all_styles = Styles.of(opened.read(path)) if path else Styles()
        return self._all_styles

    _all_styles: Styles | None = None

    def _tables(self, opened: ZipFile, part: str) -> list[SheetTable]:
        found = []
        for kind, target in self._related(opened, part).values():
            if not kind.endswith("/table") or target not in self._parts:
                continue
            root = ElementTree.fromstring(opened.read(self._parts[target]))
            match = re.fullmatch(r"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})", root.get("ref", ""))
            if match and root.get("headerRowCount", "1") != "0":
                found.append(SheetTable(
                    root.get("displayName", ""), int(match[2]), column_number(match[1]), int(match[4]),
                    column_number(match[3]), int(root.get("totalsRowCount", "0"))))  # fmt: skip
        return found

    @cached_property
    def _calamine(self) -> Any:
        from python_calamine import CalamineWorkbook

        return CalamineWorkbook.from_filelike(BytesIO(self._data))

    def _fast(self, name: str, xml: bytes) -> Sheet | None:
        """The sheet as calamine reads it; None where the XML holds what calamine does not tell."""
        start, end = xml.find(b"<sheetData>"), xml.rfind(b"</sheetData>")
        if self.epoch_1904 or start < 0 or end < start or b"<mergeCell" in xml[end:] or b" hidden=" in xml[:start]:
            return None
        if _MARKED.search(xml, start, end) or any(xml.find(mark, start, end) >= 0 for mark in _TOLD_BY_XML) or not _compact(xml):
            return None
        with ZipFile(BytesIO(self._data)) as opened:
            special = self._styles(opened).special
        if len(special) > 40 or any(f' s="{style}"'.encode() in xml for style in special):
            return None
        from python_calamine import CalamineError

        try:
            grid = self._calamine.get_sheet_by_name(name).to_python(skip_empty_area=False)
        except CalamineError:
            return None
        sheet = Sheet(name)
        for number, line in enumerate(grid, 1):
            if line.count("") < len(line):
                sheet.numbers.append(number)
                sheet.lines.append([None if value == "" else value for value in line] if "" in line else line)
        return sheet


def _compact(xml: bytes) -> bool:
    """Whether the cells lie close together: calamine makes room for all in between."""
    rows = xml.count(b"<row ")
    far = rb'<c r="(?:[A-Z]{2}|[A-Z]\d{%d})' % (len(str(rows)) + 1)
    return bool(rows) and re.search(far, xml) is None

