"""Structured references (`GPUs[memory_gb]`) as plain ranges, for the engine that reads no tables from a file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from openpyxl.utils import coordinate_to_tuple, get_column_letter, quote_sheetname
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.cell_range import CellRange
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from gpusheet.errors import GpusheetError, UnknownName

# texts and quoted sheet names come first, so that what looks like a reference inside them is stepped over;
# in a column's name an apostrophe stands before each of [ ] # '
_IN_BRACKETS = r"(?:'.|[^\[\]'])*"
_REFERENCE = rf"""\"(?:[^"]|"")*\"|'(?:[^']|'')*'|([^\W\d][\w.]*)\[((?:'.|[^\[\]']|\[{_IN_BRACKETS}\])*)\]"""
_COLUMN = r"(?:'.|[^\[\]#@'])+"
_SPECIFIER = re.compile(
    rf"(?P<areas>(?:\[#[\w ]+\](?:, ?|$))*)(?:\[(?P<first>{_COLUMN})\](?::\[(?P<last>{_COLUMN})\])?)?")
_ESCAPED = re.compile("'(.)")
_ROW = "\0"  # stands for the number of the cell's row; no sheet is named with it
_AREAS = ["All", "Data", "Headers", "Totals", "This Row"]


@dataclass(frozen=True)
class TableRange:
    """Where a table lies: its sheet, its rows (`first_row` to `last_row` are data), and its columns' letters."""

    name: str
    sheet: str
    header_row: int
    first_row: int
    last_row: int
    columns: dict[str, str]
    totals_rows: int = 0  # below the last row

    def rows(self, *areas: str) -> tuple[int, int] | None:
        """The first and the last row of areas of the table that touch; None where it has no such rows.

        >>> table = TableRange("GPUs", "Sheet", 4, 5, 9, {"gpu": "A"}, totals_rows=1)
        >>> table.rows("All"), table.rows("Headers", "Data"), table.rows("Totals")
        ((4, 10), (4, 9), (10, 10))
        """
        header = (self.header_row, self.first_row - 1)
        totals = (self.last_row + 1, self.last_row + self.totals_rows)
        known = {"Headers": header, "Data": (self.first_row, self.last_row), "Totals": totals}
        known["All"] = (self.header_row, totals[1])
        if not set(areas) <= set(known):
            return None
        found = [known[area] for area in areas]
        top, bottom = min(one[0] for one in found), max(one[1] for one in found)
        together = sum(last - first + 1 for first, last in found) == bottom - top + 1
        return (top, bottom) if together and bottom >= top else None

    def column(self, name: str, where: str) -> str:
        name = _ESCAPED.sub(r"\1", name)
        found = {key.casefold(): letter for key, letter in self.columns.items()}.get(name.casefold())
        if found is None:
            raise UnknownName(f"{where}: column of table {self.name}", name, self.columns)
        return found


@dataclass
class Tables:
    """The tables of a workbook, by name, and the rewriting of formulas that refer to them.

    >>> book = Workbook()
    >>> for row in (["gpu", "memory_gb"], ["L20", 48], ["H20", 96]): book.active.append(row)
    >>> book.active.add_table(Table(displayName="GPUs", ref="A1:B3"))
    >>> Tables.of(book).plain("=SUM(GPUs[memory_gb])", "Sizing!F20")
    "=SUM('Sheet'!$B$2:$B$3)"
    >>> Tables.of(book).plain("=GPUs[[#This Row],[memory_gb]]*2", "Sheet!C3")
    "='Sheet'!$B$3*2"
    """

    by_name: dict[str, TableRange]
    _known: dict[str, tuple[str, TableRange | None]] = field(default_factory=dict)

    @classmethod
    def of(cls, book: Workbook) -> Tables:
        """The tables of `book`, with the column names that stand in their header cells."""
        ranges = [_range(table, sheet) for sheet in book.worksheets for table in sheet.tables.values()]
        return cls({each.name.casefold(): each for each in ranges})

    def plain(self, formula: str, cell: str) -> str:
        """`formula`, which stands in `cell` (`Sheet!A1`), with plain ranges in place of structured references."""
        if "[" not in formula and not self._alone.search(formula):
            return formula

        def ranged(match: re.Match[str]) -> str:
            reference = match.group()
            if match[1] is None and match[3] is None:
                return reference
            if reference not in self._known:
                self._known[reference] = self._resolved(match[1] or match[3], match[2] or "", cell)
            spelling, this_row = self._known[reference]
            return spelling if this_row is None else spelling.replace(_ROW, str(_row_in(this_row, reference, cell)))

        return self._references.sub(ranged, formula)

    @cached_property
    def _alone(self) -> re.Pattern[str]:
        """A table by its mere name, which means its data. A column may be spelled alike: FX$4 is a cell."""
        names = "|".join(re.escape(one.name) for one in self.by_name.values()) or "(?!)"
        return re.compile(rf"(?<![\w.!:$\\'])({names})(?![\w.(!\[:$\\'])", re.IGNORECASE)

    @cached_property
    def _references(self) -> re.Pattern[str]:
        return re.compile(f"{_REFERENCE}|{self._alone.pattern}", re.IGNORECASE)

    def _resolved(self, name: str, specifier: str, cell: str) -> tuple[str, TableRange | None]:
        """The range's spelling; where it means one row of a table, with `_ROW` for its number, and the table."""
        table = self.by_name.get(name.casefold())
        if table is None:
            raise UnknownName(f"{cell}: table", name, (each.name for each in self.by_name.values()))
        if specifier.startswith("@"):
            column = specifier[1:]
            specifier = "[#This Row]" + ("," + (column if column.startswith("[") else f"[{column}]") if column else "")
        bracketed = specifier if specifier.startswith("[") or not specifier else f"[{specifier}]"
        parts = _SPECIFIER.fullmatch(bracketed)
        areas = [one.title() for one in re.findall(r"\[#([\w ]+)\]", parts["areas"])] if parts else []
        this_row = areas == ["This Row"]
        rows: tuple[int | str, int | str] | None = (_ROW, _ROW) if this_row else table.rows(*areas or ["Data"])
        if parts is None or rows is None or parts["areas"].rstrip().endswith(",") > bool(parts["first"]):
            raise GpusheetError(
                f"{cell}: {name}[{specifier}] is not a reference that is understood; allowed: {name}[column], "
                f"{name}[[a]:[b]] and {name}[[#{'|#'.join(_AREAS)}],[column]]"
            )
        letters = list(table.columns.values())
        first, last = letters[0], letters[-1]
        if parts["first"]:
            first = last = table.column(parts["first"], cell)
        if parts["last"]:
            last = table.column(parts["last"], cell)
        top, bottom = rows
        corner, opposite = f"${first}${top}", f"${last}${bottom}"
        spelling = f"{quote_sheetname(table.sheet)}!{corner}" + ("" if corner == opposite else f":{opposite}")
        return spelling, table if this_row else None


def _range(table: Table, sheet: Worksheet) -> TableRange:
    area = CellRange(table.ref)
    top = area.min_row
    first = top + (1 if table.headerRowCount is None else table.headerRowCount)
    letters = [get_column_letter(column) for column in range(area.min_col, area.max_col + 1)]
    names = [str(sheet[f"{letter}{top}"].value) for letter in letters] if first > top else table.column_names
    totals = table.totalsRowCount or 0
    columns = dict(zip(names, letters, strict=True))
    return TableRange(table.displayName, sheet.title, top, first, area.max_row - totals, columns, totals)


def _row_in(table: TableRange, reference: str, cell: str) -> int:
    row = coordinate_to_tuple(cell.rpartition("!")[2])[0]
    if not table.first_row <= row <= table.last_row:
        rows = f"{table.first_row} to {table.last_row}"
        raise GpusheetError(f"{cell}: {reference} means the same row of table {table.name}, whose rows are {rows}")
    return int(row)
