"""What a person added to a workbook and goes along into the new one: sheets, comments, the version log."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any, Protocol

from openpyxl.comments import Comment
from openpyxl.styles.cell_style import StyleArray
from openpyxl.utils import range_boundaries
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.dimensions import ColumnDimension, RowDimension
from openpyxl.worksheet.hyperlink import Hyperlink
from openpyxl.worksheet.worksheet import Worksheet

from gpusheet.intake.guard import like_a_formula
from gpusheet.workbook.assumptions_sheet import NAME as ASSUMPTIONS
from gpusheet.workbook.assumptions_sheet import VALUE
from gpusheet.workbook.cover_sheet import WORDS

OWN_FORMATS = 164  # numbers of formats from here on are a workbook's own
LOG_WIDTH = 4


class Carried(Protocol):
    """Something that puts itself into the new workbook."""

    def put(self, book: Workbook) -> None: ...


def carry(book: Workbook, carried: Iterable[Carried]) -> None:
    """Puts what was carried along into a workbook that is built; sheets after ours.

    >>> old, new = Workbook(), Workbook()
    >>> old.active.title, old.active["A1"].number_format = "Quotes", "0.0"
    >>> old.active["A1"] = 7
    >>> carry(new, [CarriedSheet(old.active)])
    >>> new.sheetnames, new["Quotes"]["A1"].value, new["Quotes"]["A1"].number_format
    (['Sheet', 'Quotes'], 7, '0.0')
    """
    for one in carried:
        one.put(book)


@dataclass(frozen=True)
class CarriedSheet:
    """A sheet of the user's: values, formats, widths and heights, merged cells, panes, print settings."""

    source: Worksheet

    @property
    def title(self) -> str:
        return str(self.source.title)

    def put(self, book: Workbook) -> None:
        source: Any = self.source
        target: Any = book.create_sheet(source.title)
        styles = _Styles(source.parent, book)
        if source.parent.loaded_theme:
            book.loaded_theme = source.parent.loaded_theme  # our own sheets use neither its colours nor the palette's
        target.parent._colors = source.parent._colors
        for merged in source.merged_cells.ranges:
            target.merge_cells(merged.coord)
        for (row, column), cell in source._cells.items():
            made = target.cell(row, column)
            made._style = styles(cell._style)
            if cell.value is not None:
                # text stays text whatever it begins with: set by hand, openpyxl would make a formula of it
                made._value, made.data_type = cell._value, cell.data_type
                if cell.data_type == "s" and like_a_formula(cell._value):
                    made.quotePrefix = True
            link = getattr(cell, "hyperlink", None)
            if link is not None:
                kept = {name: getattr(link, name) for name in ("ref", "target", "location", "tooltip", "display")}
                made._hyperlink = Hyperlink(**kept)
        self._dimensions(target, styles)
        self._settings(target)

    def _dimensions(self, target: Any, styles: _Styles) -> None:
        source: Any = self.source
        for key, old in source.row_dimensions.items():
            row = RowDimension(
                target, index=old.index, ht=old.ht, hidden=old.hidden, outlineLevel=old.outlineLevel,
                collapsed=old.collapsed, thickBot=old.thickBot, thickTop=old.thickTop)
            row._style = styles(old._style)
            target.row_dimensions[key] = row
        for key, old in source.column_dimensions.items():
            column = ColumnDimension(
                target, index=old.index, width=old.width, bestFit=old.bestFit, hidden=old.hidden,
                outlineLevel=old.outlineLevel, collapsed=old.collapsed, min=old.min, max=old.max)
            column._style = styles(old._style)
            target.column_dimensions[key] = column

    def _settings(self, target: Any) -> None:
        source: Any = self.source
        for name in ("sheet_format", "sheet_properties", "views", "page_margins", "page_setup", "print_options",
                     "HeaderFooter", "protection", "auto_filter", "row_breaks", "col_breaks"):
            setattr(target, name, copy(getattr(source, name)))
        target.page_setup._parent = target
        target.sheet_properties.codeName = None
        for view in target.views.sheetView:
            view.tabSelected = False
        target.sheet_state = source.sheet_state
        target.print_title_rows, target.print_title_cols = source.print_title_rows, source.print_title_cols
        if source.print_area:
            target.print_area = source.print_area


class _Styles:
    """Styles of one workbook as styles of another; each is translated once."""

    def __init__(self, old: Any, new: Any) -> None:
        self.old, self.new = old, new
        self.known: dict[StyleArray, StyleArray] = {}

    def __call__(self, style: StyleArray | None) -> StyleArray | None:
        if style is None:
            return None  # a row or column without one
        if style not in self.known:
            old, new = self.old, self.new
            made = StyleArray()
            made.fontId = new._fonts.add(old._fonts[style.fontId])
            made.fillId = new._fills.add(old._fills[style.fillId])
            made.borderId = new._borders.add(old._borders[style.borderId])
            made.alignmentId = new._alignments.add(old._alignments[style.alignmentId])
            made.protectionId = new._protections.add(old._protections[style.protectionId])
            made.numFmtId = style.numFmtId
            if style.numFmtId >= OWN_FORMATS:
                made.numFmtId = new._number_formats.add(old._number_formats[style.numFmtId - OWN_FORMATS]) + OWN_FORMATS
            made.quotePrefix = style.quotePrefix
            self.known[style] = made
        return copy(self.known[style])


@dataclass(frozen=True)
class CarriedComment:
    """A comment on an input: in a row of a table, counted from 0, or on the value of an assumption."""

    table: str  # or Assumptions
    row: int
    column: str
    text: str
    author: str

    def put(self, book: Workbook) -> None:
        input_cell(book, self.table, self.row, self.column).comment = Comment(self.text, self.author)


@dataclass(frozen=True)
class CarriedColumn:
    """The number formats of a column that the user added to a table, and its texts that look like formulas."""

    table: str
    column: str
    values: tuple[Any, ...]
    formats: tuple[str, ...]

    @property
    def special(self) -> bool:
        """Whether the values alone would not do."""
        return any(map(like_a_formula, self.values)) or any(form != "General" for form in self.formats)

    def put(self, book: Workbook) -> None:
        for row, (value, form) in enumerate(zip(self.values, self.formats, strict=True)):
            cell = table_cell(book, self.table, row, self.column)
            cell.number_format = form
            if like_a_formula(value):
                cell._value, cell.data_type, cell.quotePrefix = value, "s", True


@dataclass(frozen=True)
class CarriedLog:
    """The entries of the version log on the Cover: version, date, author, change."""

    entries: tuple[tuple[Any, ...], ...]

    def put(self, book: Workbook) -> None:
        """Writes them above the new book's own entry, which is left out where it says the same as the first."""
        sheet: Any = book["Cover"]
        header = log_header(sheet)
        assert header is not None
        own = log_entries(sheet, header)
        rows = [*self.entries, *(entry for entry in own if entry not in self.entries)]
        models = [sheet.cell(header + 1, position) for position in range(1, LOG_WIDTH + 1)]
        for row, entry in enumerate([*rows, (None,) * LOG_WIDTH], header + 1):
            for model, value in zip(models, entry, strict=True):
                cell = sheet.cell(row, model.column)
                cell._style = copy(model._style)
                cell.value = value
                if isinstance(value, str):
                    cell.data_type = "s"
        last = header + len(rows) + 1
        sheet.print_area = f"A1:H{last}"


CarriedNote = CarriedComment | CarriedColumn | CarriedLog


def input_cell(book: Workbook, table: str, row: int, column: str) -> Any:
    """The cell of an input that we have written: in a row of a table, or the value of an assumption."""
    if table != ASSUMPTIONS:
        return table_cell(book, table, row, column)
    sheet: Any = book[ASSUMPTIONS]
    return next(sheet[f"{VALUE}{cell.row}"] for cell in sheet["A"] if cell.value == column)


def table_cell(book: Workbook, table: str, row: int, column: str) -> Any:
    """A cell of a table that we have written, its rows counted from 0."""
    sheet: Any = next(sheet for sheet in book.worksheets if table in sheet.tables)
    left, header, right, _ = range_boundaries(sheet.tables[table].ref)
    assert left and header and right
    position = next(i for i in range(left, right + 1) if sheet.cell(header, i).value == column)
    return sheet.cell(header + 1 + row, position)


def log_header(sheet: Worksheet) -> int | None:
    """The row of the version log's heads, in either language."""
    heads = [words["heads"].split("|") for words in WORDS.values()]
    for row in sheet.iter_rows(max_col=LOG_WIDTH):
        if [cell.value for cell in row] in heads:
            return int(row[0].row or 0)
    return None


def log_entries(sheet: Worksheet, header: int) -> tuple[tuple[Any, ...], ...]:
    """The rows under the heads, to the first blank one."""
    entries = []
    for row in sheet.iter_rows(min_row=header + 1, max_col=LOG_WIDTH):
        entry = tuple(_plain(cell.value) for cell in row)
        if not any(entry):
            break
        entries.append(entry)
    return tuple(entries)


def _plain(value: Any) -> Any:
    """Dates without a time of day, and blank for an empty text, so that a written and a read entry are equal."""
    return (value.date() if hasattr(value, "date") else value) or None
