"""Changing single cells of a workbook file that belongs to somebody: nothing but those cells is written anew.

The cells are changed in the XML of their sheet. Every other part of the file stays byte for byte, but for these, which
`Changed.parts` names: a table that grows, `workbook.xml` where it has to ask for a calculation on opening, and
`styles.xml` where a text that begins as a formula does needs the mark that it is none. Texts stand in their cells, so
that the list of shared texts stays as it is. What would be lost is raised as `WouldLose`, and nothing is written.
"""

from __future__ import annotations

import datetime
import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from zipfile import ZipFile

from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, to_excel

from gpusheet.catalog import BadRow
from gpusheet.errors import GpusheetError
from gpusheet.intake.guard import like_a_formula
from gpusheet.workbook.inplace_parts import Styles, grown_table, recalculated_on_opening
from gpusheet.workbook.inplace_sheet import SheetXml
from gpusheet.workbook.package import packed
from gpusheet.workbook.reading.features import relations
from gpusheet.workbook.reading.opening import Package
from gpusheet.workbook.recalculation.parts import Book, book_of, checked

Content = float | str | bool | datetime.date | None


@dataclass(frozen=True)
class Change:
    """What a cell is to hold; None empties it. A cell that is not there yet looks as the one at `like` does."""

    sheet: str
    cell: str
    value: Content
    like: str = ""


@dataclass(frozen=True)
class Copied:
    """The formula of one cell of a sheet put into another of the same column, as a table does when it grows."""

    sheet: str
    cell: str
    like: str


@dataclass(frozen=True)
class Changed:
    """The file with its cells changed, and the parts in which it differs, in the order of the file."""

    data: bytes
    parts: tuple[str, ...]


class WouldLose(BadRow):
    """What the file would lose, with a line for each thing; nothing was changed."""


@dataclass
class _Losses:
    lines: list[str] = field(default_factory=list)

    def add(self, place: str, what: str, todo: str) -> None:
        self.lines.append(f"{place}: {what}; {todo}")


def changed(
    name: str, data: bytes, changes: Iterable[Change | Copied], grow: Mapping[str, int] | None = None
) -> Changed:
    """The workbook file `data` with cells changed, and with tables grown downward to the rows given by their names.

    >>> import openpyxl
    >>> book, file = openpyxl.Workbook(), BytesIO()
    >>> book.active["A1"] = 13.94
    >>> book.save(file)
    >>> made = changed("prices.xlsx", file.getvalue(), [Change("Sheet", "A1", 12.5)])
    >>> openpyxl.load_workbook(BytesIO(made.data)).active["A1"].value, made.parts
    (12.5, ('xl/worksheets/sheet1.xml',))
    """
    package = Package(name, data)
    with package.parts_read():
        return _changed(package, list(changes), grow or {})


def _changed(package: Package, changes: Sequence[Change | Copied], grow: Mapping[str, int]) -> Changed:
    name, data = package.name, package.data
    with ZipFile(BytesIO(data)) as archive:
        entries = archive.infolist()
        parts = {entry.filename: archive.read(entry) for entry in entries}
    book = book_of(name, parts)
    losses = _Losses()
    if book.signed:
        losses.add(name, "is digitally signed, and a change breaks the signature", "remove it in Excel: File, Info")
    new: dict[str, bytes] = {}
    styled = next((target for _, kind, target in relations(package, book.workbook) if kind == "styles"), "")
    styles = Styles(parts.get(styled))
    by_sheet: dict[str, list[Change | Copied]] = {}
    for change in changes:
        by_sheet.setdefault(change.sheet, []).append(change)
    titles = {title.casefold(): part for part, title in book.sheets.items()}
    for title, wanted in by_sheet.items():
        part = titles.get(title.casefold())
        if part is None:
            raise GpusheetError(f"{name}: has no sheet {title!r}; allowed: {', '.join(book.sheets.values())}")
        sheet = SheetXml(checked(parts[part], part), book.sheets[part])
        _put(sheet, wanted, styles, book.date_system, losses)
        new[part] = sheet.xml()
    for table, last in grow.items():
        part = _table_part(package, book, table)
        made = grown_table(checked(parts[part], part), last)
        if made is None:
            losses.add(table, "has a row of totals, which stands where new rows would", "switch it off (Table Design)")
        else:
            new[part] = made
    if losses.lines:
        raise WouldLose(losses.lines)
    if styles.changed is not None:
        new[styled] = styles.changed
    if any(re.search(rb"<(?:\w+:)?f[ >]", parts[sheet]) for sheet in book.sheets):
        new[book.workbook] = recalculated_on_opening(parts[book.workbook])
    new = {part: xml for part, xml in new.items() if xml != parts[part]}
    return Changed(packed(entries, parts | new), tuple(entry.filename for entry in entries if entry.filename in new))


def _put(
    sheet: SheetXml, changes: Sequence[Change | Copied], styles: Styles, date_system: str, losses: _Losses
) -> None:
    for change in changes:
        place = f"{sheet.title}!{change.cell}"
        reason = sheet.holds(change.cell)
        if reason is not None:
            losses.add(place, f"holds {reason}, which would be lost", "change it yourself, or clear it first")
            continue
        style = sheet.style(change.cell)
        if style is None and change.like:
            style = sheet.style(change.like)
        if isinstance(change, Copied):
            formula = sheet.copied_formula(change.like, change.cell)
            if formula is None:
                losses.add(place, f"the formula of {change.like} cannot be copied here", "add the row in Excel")
            else:
                sheet.put(change.cell, formula, style)
            continue
        value = change.value
        if isinstance(value, datetime.date) and not styles.is_date(style):
            losses.add(place, "is not formatted as a date, so that a date would show as a number",
                       "format it as a date")  # fmt: skip
            continue
        if like_a_formula(value):
            style = styles.quoted(style)
        sheet.put(change.cell, sheet.content(_number(value, date_system)), style)


def _number(value: Content, date_system: str) -> float | str | bool | None:
    if isinstance(value, datetime.date):
        return float(to_excel(value, CALENDAR_MAC_1904 if date_system == "1904" else CALENDAR_WINDOWS_1900))
    return value


def _table_part(package: Package, book: Book, name: str) -> str:
    """The part of the table of a name."""
    for sheet in book.sheets:
        for _, kind, target in relations(package, sheet):
            if kind == "table":
                head = re.search(rb"""<(?:\w+:)?table\s[^>]*?\sdisplayName=["']([^"']*)""", package.read(target))
                if head and html.unescape(head[1].decode("utf-8", "replace")).casefold() == name.casefold():
                    return target
    raise GpusheetError(f"{package.name}: has no table {name}")
