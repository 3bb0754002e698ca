"""Where the tables of an edited workbook are: by table name, or by header where a program dropped the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from gpusheet.catalog import Column, Engine, Fx, Generation, Gpu, Model, OtherCost, Price, Row, Workload, columns
from gpusheet.catalog.planning import PLANNING
from gpusheet.errors import GpusheetError
from gpusheet.workbook.assumptions_sheet import NAME as ASSUMPTIONS
from gpusheet.workbook.assumptions_sheet import SMALL
from gpusheet.workbook.catalog_sheets import PRICE_COLUMNS
from gpusheet.workbook.reading.older import LATER_TABLES, is_older, may_lack

# the tables that are read, in the order in which they depend on each other
ROW_TYPES: dict[str, type[Row]] = {
    "GPUs": Gpu, "Models": Model, "Engines": Engine, "Generations": Generation, "Prices": Price, "FX": Fx,
    **{name: row_type for name, row_type, *_ in SMALL},
    **{name: row_type for name, (row_type, *_) in PLANNING.items()},
    "OtherCosts": OtherCost, "Workloads": Workload,
}  # fmt: skip
# tables in which the first column names the row, so that it may stand there once
KEYED = tuple(name for name in ROW_TYPES if name not in ("Prices", "FX", "OtherCosts", "Actuals"))
FORMER = {"terms_known", "model_known", "price_key"}  # columns that earlier versions computed
COMPUTED = {"Prices": {*(column.name for column in PRICE_COLUMNS), *FORMER}}
ABOVE = 3  # rows over a header that belong to it: group or hint, labels, units


def home(table: str) -> str:
    """The sheet on which we write a table."""
    return table if table not in {name for name, *_ in SMALL} | {"OtherCosts"} else ASSUMPTIONS


@dataclass(frozen=True)
class Area:
    """A table as it was found: its rows, the columns that are ours, and those that the user added."""

    name: str
    sheet: Worksheet
    header: int
    first: int
    last: int  # of the table itself
    end: int  # of the rows under it in which something may have been typed
    at: Mapping[str, int]  # the positions of our columns and of the computed ones
    own: Mapping[str, int] = field(default_factory=dict)  # of the user's
    totals: int = 0  # rows of totals at its end, which are no rows
    loose: bool = False  # found by its header

    @property
    def columns(self) -> tuple[Column, ...]:
        return columns(ROW_TYPES[self.name])

    @cached_property
    def positions(self) -> dict[str, int]:
        return {**self.own, **self.at}

    def cell(self, column: str, row: int) -> Any:
        """The cell of a column in a row; None where there is none."""
        return cell_at(self.sheet, row, self.positions.get(column, 0))

    def place(self, column: str, row: int) -> str:
        """A cell as messages name it: 'Workloads!H9 (peak_factor)'; without a column the row's first."""
        position = self.positions.get(column) or min(self.positions.values())
        return f"{self.sheet.title}!{get_column_letter(position)}{row}" + (f" ({column})" if column else "")


def cell_at(sheet: Worksheet, row: int, column: int) -> Any:
    """A cell that exists, without making one."""
    cells: dict[tuple[int, int], Any] = sheet._cells
    return cells.get((row, column))


def find_areas(book: Workbook) -> tuple[dict[str, Area], list[str], list[str]]:
    """All tables, with errors (a table or a required column is not there, a header twice) and warnings."""
    found: dict[str, Area] = {}
    errors: list[str] = []
    warnings: list[str] = []
    older = is_older(book)
    for name, row_type in ROW_TYPES.items():
        area = by_name(book, name) or by_header(book, name)
        if area is None and older and name in LATER_TABLES:
            continue
        if area is None:
            heads = ", ".join(column.name for column in columns(row_type) if column.required)
            errors.append(f"{home(name)}: the table {name} is not there (headers {heads}); "
                          "restore it from an older version of this book")
        else:
            found[name] = area
    if "Workloads" not in found:
        raise GpusheetError(
            "the workbook has no table Workloads, so gpusheet did not write it; give one that `gpusheet budget` or "
            "`gpusheet template` has written, or bring a price sheet in by `gpusheet prices import`")
    found = {name: _bounded(area, list(found.values())) for name, area in found.items()}
    for area in found.values():
        errors += header_errors(area, older)
        if area.loose:
            warnings.append(f"{area.sheet.title}: found no table object {area.name} (some programs drop it); its rows "
                            f"are read from the header in row {area.header} on")
        absent = [column.name for column in area.columns if not column.required and column.name not in area.at]
        if absent and not older:
            names = ", ".join(absent)
            warnings.append(f"{area.sheet.title}: the table {area.name} has no column {names}; read as blank")
    if older:
        warnings.append("the book is of an earlier version: what is new in it is taken from gpusheet's own tables")
    return found, errors, warnings


def by_name(book: Workbook, name: str) -> Area | None:
    for sheet in book.worksheets:
        for table in sheet.tables.values():
            if name.casefold() in (str(table.displayName).casefold(), str(table.name).casefold()):
                left, top, right, bottom = range_boundaries(table.ref)
                assert left and top and right and bottom
                if table.headerRowCount == 0:
                    raise GpusheetError(f"{sheet.title}: the header row of the table {name} is switched off; switch it "
                                        "on (Table Design > Header Row)")
                while _text(sheet, top, right + 1):  # typed beside the table without growing it
                    right += 1
                titles = [_text(sheet, top, column) for column in range(left, right + 1)]
                totals = table.totalsRowCount or 0
                return replace(_area(name, sheet, (top, bottom - totals), left, titles), totals=totals)
    return None


def by_header(book: Workbook, name: str) -> Area | None:
    """The row on the table's own sheet that holds the first column's name and at least half of the others."""
    if home(name) not in book.sheetnames:
        return None
    sheet: Worksheet = book[home(name)]
    known = [column.name for column in columns(ROW_TYPES[name])]
    best: tuple[int, int, list[str]] = (0, 0, [])
    for row in range(1, sheet.max_row + 1):
        titles = [_text(sheet, row, column) for column in range(1, sheet.max_column + 1)]
        hits = len({title.casefold() for title in titles} & set(known))
        if known[0] in (title.casefold() for title in titles) and 2 * hits >= len(known) and hits > best[0]:
            best = (hits, row, titles)
    if not best[0]:
        return None
    _, header, titles = best
    while titles and not titles[-1]:
        titles.pop()
    return replace(_area(name, sheet, (header, sheet.max_row), 1, titles), loose=True)


def _text(sheet: Worksheet, row: int, column: int) -> str:
    cell = cell_at(sheet, row, column)
    return "" if cell is None or cell.value is None else str(cell.value).strip()


def _area(name: str, sheet: Worksheet, rows: tuple[int, int], left: int, titles: Sequence[str]) -> Area:
    """A table with its header in the first of the rows and its end in the other."""
    header, last = rows
    known = {column.name for column in columns(ROW_TYPES[name])} | COMPUTED.get(name, set())
    at: dict[str, int] = {}
    own: dict[str, int] = {}
    for position, title in enumerate(titles, left):
        if title.casefold() in known:
            at.setdefault(title.casefold(), position)
        elif title:
            own.setdefault(title, position)
    return Area(name, sheet, header, header + 1, last, max(last, sheet.max_row), at, own)


def _bounded(area: Area, areas: Sequence[Area]) -> Area:
    """Ends a table's room where the next one on the sheet begins."""
    below = [one.header for one in areas if one.sheet is area.sheet and one.header > area.header]
    room = min(below) - ABOVE - 1 if below else area.sheet.max_row
    if area.loose:
        return replace(area, last=room, end=room)
    return replace(area, end=max(area.last, room))


def header_errors(area: Area, older: bool = False) -> list[str]:
    errors = []
    where: dict[str, list[str]] = {}
    for column in range(min(area.positions.values()), area.sheet.max_column + 1):
        title = _text(area.sheet, area.header, column)
        if title:
            where.setdefault(title.casefold(), []).append(f"{get_column_letter(column)}{area.header}")
    for title, cells in where.items():
        if len(cells) > 1:
            errors.append(f"{area.sheet.title}!{' and '.join(cells)}: the header {title!r} stands there {len(cells)} "
                          "times; rename or delete all but one")
    for wanted in area.columns:
        if wanted.required and wanted.name not in area.at and not (older and may_lack(area.name, wanted)):
            errors.append(f"{area.sheet.title} row {area.header}: the table {area.name} has no header {wanted.name!r} "
                          f"({wanted.en}); allowed {wanted.allowed()}; put the column back")
    return errors
