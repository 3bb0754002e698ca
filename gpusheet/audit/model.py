"""What the checks know of a workbook beside its cells: roles of sheets, labels, time lines, lines of one formula, and
which cells are read."""

from __future__ import annotations

import datetime
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from openpyxl.utils.datetime import from_excel

from gpusheet.audit.cells import AuditBook, Cell, Place, Sheet
from gpusheet.audit.reading import Readings
from gpusheet.audit.shapes import Area, Shape
from gpusheet.audit.units import unit_columns
from gpusheet.workbook.layout import ALL_SHEETS, role_of
from gpusheet.workbook.reading.cells import blocks

_ROLES = (
    ("cover", re.compile(r"cover|about|read ?me|封面|说明", re.I)),
    ("check", re.compile(r"check|control|检查|校验|核对|勾稽", re.I)),
    ("output", re.compile(r"summary|output|report|dashboard|汇总|报表|输出|概览", re.I)),
    ("input", re.compile(r"input|assumption|param|driver|list|price|data|输入|假设|参数|清单|价|数据", re.I)),
)
TOTAL = re.compile(r"^(grand |sub-?)?totals?\b|^(合计|总计|小计|总额)", re.I)
CHECK = re.compile(r"\bchecks?\b|检查|校验|勾稽", re.I)
_MONTH = re.compile(r"^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b.{0,5}$|^\d{1,2}月$", re.I)
FEWEST = 3  # cells that make a line


@dataclass(frozen=True)
class TimeLine:
    """A row of a sheet that names the periods of its columns."""

    row: int
    first: int
    last: int
    values: tuple[Any, ...]  # dates, or the years and texts that stand there
    dated: bool


def steps(days: Sequence[datetime.date]) -> list[tuple[int, int]]:
    """Months and days from each date to the next."""
    return [(12 * (b.year - a.year) + b.month - a.month, (b - a).days) for a, b in pairwise(days)]


def _steady(days: Sequence[datetime.date]) -> bool:
    """Whether dates go up, most of them by the same step: a time line, maybe with a fault, and not dates of events."""
    found = steps(days)
    alike = max(Counter(one).most_common(1)[0][1] for one in zip(*found, strict=True))
    return 2 * sum(step > 0 for _, step in found) > len(days) and 2 * alike > len(found)


@dataclass
class Model:
    """A workbook and what is known of it. `prepared` is the day as of which it is judged."""

    book: AuditBook
    stale_days: int
    today: datetime.date

    @property
    def sheets(self) -> Iterable[Sheet]:
        return self.book.sheets.values()

    # --- sheets and labels ---

    @cached_property
    def roles(self) -> dict[str, str]:
        """cover, input, calculation, output or check for each sheet; '' for one with nothing in it.

        A sheet of ours may also be static: its numbers are written and stay, and the sheet says so.
        """
        return {sheet.title: self._role(sheet, at) for at, sheet in enumerate(self.sheets)}

    def _role(self, sheet: Sheet, at: int) -> str:
        if self.book.ours and sheet.title in ALL_SHEETS:
            return role_of(sheet.title)
        if not sheet.cells:
            return ""
        role = next((role for role, words in _ROLES if words.search(sheet.title)), "")
        formulas = len(sheet.formulas)
        typed = sum(1 for cell in sheet.cells.values() if cell.typed_number)
        if role == "cover" and at > 0 and formulas > 20:
            role = ""
        if role:
            return role
        if not formulas and not typed:
            return "cover" if at == 0 else "text"
        return "input" if typed > formulas else "calculation"

    def label(self, sheet: Sheet, row: int, column: int) -> str:
        """The text at the left of a cell that names its row: the nearest one, but for units and codes."""
        units = self.unit_columns[sheet.title]
        texts = [sheet.text(row, left) for left in sheet.rows.get(row, ()) if left < column and left not in units]
        texts = [text for text in texts if text]
        return max(texts, key=len) if texts else ""

    def labels(self, sheet: Sheet, row: int, column: int) -> set[str]:
        """All texts at the left of a cell, but for units."""
        units = self.unit_columns[sheet.title]
        return {
            sheet.text(row, left).casefold() for left in sheet.rows.get(row, ()) if left < column and left not in units
        } - {""}

    @cached_property
    def unit_columns(self) -> dict[str, dict[int, int]]:
        """The columns of units of each sheet, with the rows of their headers."""
        return {sheet.title: unit_columns(sheet) for sheet in self.sheets}

    @cached_property
    def time_lines(self) -> dict[str, TimeLine]:
        """The first time line of each sheet that has one."""
        found = {}
        for sheet in self.sheets:
            line = next(filter(None, (self._time_line(sheet, row) for row in sorted(sheet.rows)[:40])), None)
            if line:
                found[sheet.title] = line
        return found

    def _time_line(self, sheet: Sheet, row: int) -> TimeLine | None:
        best: list[int] = []
        run: list[int] = []
        for column in sheet.rows[row]:
            cell = sheet.cells[row, column]
            fits = not sheet.in_table(row, column) and (
                self.book.is_date(cell) or self._is_year(cell) or (cell.kind == "s" and bool(_MONTH.match(cell.value)))
            )
            run = [*run, column] if fits and run and run[-1] == column - 1 else [column] if fits else []
            best = run if len(run) > len(best) else best
        if len(best) < FEWEST:
            return None
        cells = [sheet.cells[row, column] for column in best]
        if all(self.book.is_date(cell) for cell in cells):
            values = tuple(self.day(cell) for cell in cells)
            return TimeLine(row, best[0], best[-1], values, True) if _steady(values) else None
        numbers = [cell.value for cell in cells]
        if all(self._is_year(cell) for cell in cells) and numbers != sorted(set(numbers)):
            return None
        return TimeLine(row, best[0], best[-1], tuple(numbers), False)

    def _is_year(self, cell: Cell) -> bool:
        return (
            cell.kind == "n"
            and 1990 <= cell.value <= 2100
            and cell.value == int(cell.value)
            and ("," not in self.book.number_format(cell))
        )

    def day(self, cell: Cell) -> datetime.date:
        """The date in a cell of dates; the first of all days where the number is none."""
        base = datetime.datetime(1904, 1, 1) if self.book.outline.date_system == "1904" else None
        try:
            when: Any = from_excel(cell.value, **({"epoch": base} if base else {}))
        except (ValueError, OverflowError):
            return datetime.date.min
        return when.date() if isinstance(when, datetime.datetime) else datetime.date.min

    # --- formulas ---

    @cached_property
    def readings(self) -> Readings:
        return Readings(self.book)

    @cached_property
    def read(self) -> dict[str, Any]:
        """Which cells are used, by sheet, row and column."""
        return self.readings.read

    def groups(self, sheet: Sheet) -> Iterator[tuple[Shape, list[Place]]]:
        """The formulas of a sheet with the cells that they are filled in."""
        yield from self._groups[sheet.title].items()

    @cached_property
    def _groups(self) -> dict[str, dict[Shape, list[Place]]]:
        found: dict[str, dict[Shape, list[Place]]] = {sheet.title: defaultdict(list) for sheet in self.sheets}
        for sheet in self.sheets:
            groups = found[sheet.title]
            for place, shape in sheet.formulas.items():
                groups[shape].append(place)
        return found

    # --- values ---

    def numbers(self, area: Area) -> list[float]:
        """The numbers in a range."""
        return [cell.value for _, cell in self.cells_in(area) if cell.kind == "n"]

    def cells_in(self, area: Area) -> Iterator[tuple[Place, Cell]]:
        sheet = self.book.sheets.get(area.sheet)
        if sheet is None:
            return
        bottom, right = min(area.bottom, sheet.size[0]), min(area.right, sheet.size[1])
        if (bottom - area.top + 1) * (right - area.left + 1) > len(sheet.cells):
            yield from ((place, cell) for place, cell in sheet.cells.items() if area.covers(*place))
            return
        for row in range(area.top, bottom + 1):
            for column in range(area.left, right + 1):
                cell = sheet.cells.get((row, column))
                if cell is not None:
                    yield (row, column), cell

    # --- dates ---

    @cached_property
    def prepared(self) -> datetime.date:
        """The day of the book: what its cells say, else when it was last saved, else today."""
        words = re.compile(r"prepared on|date prepared|编制日期", re.I)
        for sheet in self.sheets:
            for (row, column), cell in sheet.cells.items():
                if cell.kind == "s" and words.search(cell.value) and len(cell.value) < 40:
                    for right in range(column + 1, column + 4):
                        beside = sheet.cells.get((row, right))
                        if beside and self.book.is_date(beside):
                            return self.day(beside)
        stub: Any = self.book.stub
        saved = stub.properties.modified or stub.properties.created
        return saved.date() if saved and "docProps/core.xml" in self.book.parts else self.today


def ranges(places: Iterable[Place]) -> list[tuple[str, list[Place]]]:
    """Cells gathered into ranges."""
    return blocks(places)


def most_common(keys: Iterable[str | None]) -> tuple[str | None, int]:
    found = Counter(key for key in keys if key is not None).most_common(1)
    return found[0] if found else (None, 0)
