"""Bringing the prices of a snapshot into the table Prices of a workbook that belongs to somebody, cell by cell."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.workbook.workbook import Workbook

from gpusheet.catalog import BadRow, Catalog, Price
from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.files import check_target, replacing
from gpusheet.workbook.inplace import Change, Copied, WouldLose, changed
from gpusheet.workbook.reading.areas import ABOVE, Area, by_header, by_name, cell_at, header_errors
from gpusheet.workbook.reading.cells import Cells
from gpusheet.workbook.reading.opening import Package, open_package
from gpusheet.workbook.reading.rows import read_factors, read_rows

TABLE = "Prices"
_KEY = ("price_list", "gpu", "pricing_model", "listing")  # as the book spells them
_KEPT = ("notes", "listing")  # of the book, where the snapshot has none


@dataclass(frozen=True)
class Line:
    """What became of one price of the snapshot: `changed`, `added`, `same`, or `older` than the book's."""

    became: str
    new: Price
    old: Price | None = None
    row: int = 0

    @property
    def percent(self) -> float | None:
        """By how much the price of a card rose, in percent, where both say the same thing."""
        old, new = self.old, self.new
        if old is None or not isinstance(old.price, float):  # a line that states none has its text
            return None
        if (old.currency, old.period, old.tax) != (new.currency, new.period, new.tax):
            return None
        return (new.price_per_card / old.price_per_card - 1) * 100


@dataclass(frozen=True)
class Updated:
    """A workbook file with new prices, the parts in which it differs from the old one, and what happened."""

    seen: bytes  # the file as it was
    data: bytes
    parts: tuple[str, ...]
    lines: tuple[Line, ...]
    remarks: tuple[str, ...]

    @property
    def count(self) -> int:
        return sum(line.became in ("changed", "added") for line in self.lines)


def updated(
    path: Path | str, prices: Sequence[Price], append: bool = False, as_of: datetime.date | None = None
) -> Updated:
    """The file with the prices in its table; it stays as it is where anything of it would be lost (`WouldLose`).

    A price that the book has (price list, card, pricing model, listing) is changed in its newest row; with `append` a
    newer one gets a row of its own, so that the old one stays. `as_of` also sets the day whose prices the book uses.
    """
    package = open_package(path, kind="workbook")
    book = package.load()
    area = by_name(book, TABLE) or by_header(book, TABLE)
    if area is None:
        raise GpusheetError(f"{package.name}: has no table {TABLE} as gpusheet writes it; bring the prices in by hand, or make a "
                            "workbook with gpusheet template")  # fmt: skip
    work = _Work(package, book, area, append)
    if as_of is not None:
        work.set_as_of(as_of)
    work.match(prices)
    made = changed(package.name, package.data, work.changes, work.grow) if work.changes else None
    return Updated(package.data, made.data if made else package.data, made.parts if made else (), tuple(work.lines),
                   tuple(work.remarks))  # fmt: skip


def write_updated(
    path: Path,
    prices: Sequence[Price],
    output: Path | None = None,
    *,
    append: bool = False,
    as_of: datetime.date | None = None,
    force: bool = False,
) -> Updated:
    """Writes the file with its new prices: over itself, or to `output`, which is only replaced with `force`."""
    target = path if output is None else output
    if target.suffix.lower() != path.suffix.lower():
        raise GpusheetError(f"{target}: found the ending {target.suffix!r}, allowed {path.suffix!r} as {path.name} has")
    own = path.exists() and target.exists() and target.samefile(path)
    if own or not path.exists():
        open_package(path, kind="workbook")  # says what it is before anything is said of writing
    check_target(target, force or own)
    made = updated(path, prices, append, as_of)
    if own and not made.parts:
        return made
    with replacing(target, made.seen if own else None) as temporary:
        temporary.write_bytes(made.data)
    return made


@dataclass
class _Work:
    package: Package
    book: Workbook
    area: Area
    append: bool
    lines: list[Line] = field(default_factory=list)
    changes: list[Change | Copied] = field(default_factory=list)
    grow: dict[str, int] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        errors = header_errors(self.area)
        if errors:
            raise BadRow(errors)
        cells = Cells(self.package)
        self.table = read_rows(self.area, cells)
        if self.table.errors:
            raise BadRow([*self.table.errors, f"{self.package.name}: nothing was changed; mend the rows above first"])
        self.found: dict[tuple[str, ...], list[tuple[Price, int]]] = {}
        for row, number in zip(self.table.rows, self.table.numbers, strict=True):
            assert isinstance(row, Price)
            if row.snapshot_date is None or not (row.price_list and row.gpu and row.pricing_model):
                continue  # a line that states no price, nor of what
            self.found.setdefault(_key(row), []).append((row, number))
        self.factors = read_factors(self.book, {}, cells)
        self.as_of = self.factors.settings.as_of if self.factors.settings is not None else None

    def set_as_of(self, day: datetime.date) -> None:
        factors = self.factors
        if factors.sheet is None or "as_of" not in factors.rows:
            raise GpusheetError(f"--as-of: {self.package.name} has no assumption as_of; leave the option out")
        if day != self.as_of:
            cell = f"{get_column_letter(factors.column)}{factors.rows['as_of']}"
            self.changes.append(Change(factors.sheet.title, cell, day))
            self.remarks.append(f"{factors.sheet.title}!{cell} (as_of): {self.as_of or 'blank'} becomes {day}")
            self.as_of = day

    def match(self, prices: Sequence[Price]) -> None:
        wanted: dict[tuple[str, ...], list[Price]] = {}
        for price in prices:
            wanted.setdefault(_key(price), []).append(price)
        for key, new in wanted.items():
            day = max(price.snapshot_date for price in new)
            self._pair([price for price in new if price.snapshot_date == day], self.found.get(key, []))
        late = [line for line in self.lines if line.became == "changed" and line.old and self._still_used(line)]
        if late:
            first = late[0]
            raise WouldLose([
                f"{self.factors.place('as_of')}: found {self.as_of}; the new prices are of {first.new.snapshot_date} and "
                f"would overwrite {len(late)} that the book uses on that day; keep these with --append, or move the day with "
                f"--as-of {first.new.snapshot_date}"])  # fmt: skip
        self._add([line for line in self.lines if line.became == "added"])
        newest = max((price.snapshot_date for price in prices), default=None)
        if self.as_of is not None and newest is not None and newest > self.as_of and self.changes:
            self.remarks.append(f"as_of in the book is {self.as_of}: prices of {newest} are used once it is moved (--as-of {newest})")

    def _still_used(self, line: Line) -> bool:
        assert line.old is not None
        return self.as_of is not None and line.old.snapshot_date <= self.as_of < line.new.snapshot_date

    def _pair(self, new: Sequence[Price], old: Sequence[tuple[Price, int]]) -> None:
        """Prices of one key: each with the row that has it; cards and period tell several apart."""
        day = max((price.snapshot_date for price, _ in old), default=datetime.date.min)
        newest = [(price, row) for price, row in old if price.snapshot_date == day]
        for price in new:
            same = newest if len(newest) == len(new) == 1 else [one for one in newest if _terms(one[0]) == _terms(price)]
            twice = [other for other in new if _terms(other) == _terms(price)]
            if len(same) > 1 or len(twice) > 1:
                where = "the snapshot" if len(twice) > 1 else f"{TABLE} rows {', '.join(str(row) for _, row in same)}"
                raise GpusheetError(f"{_named(price)}: stands more than once in {where}; give each a listing of its own, or delete "
                                    "all but one")  # fmt: skip
            self.lines.append(self._line(price, *same[0]) if same else Line("added", price))

    def _line(self, new: Price, old: Price, row: int) -> Line:
        if new.snapshot_date < old.snapshot_date:
            return Line("older", new, old, row)
        if self.append and new.snapshot_date > old.snapshot_date:
            return Line("added", new, old)
        made = [Change(self.area.sheet.title, self._cell(name, row), value)
                for name, value in new if name in self.area.at and _differs(name, getattr(old, name), value)]  # fmt: skip
        self.changes += made
        return Line("changed" if made else "same", new, old, row)

    def _cell(self, column: str, row: int) -> str:
        return f"{get_column_letter(self.area.positions[column])}{row}"

    def _add(self, lines: Sequence[Line]) -> None:
        """Puts new prices into rows of their own, and lets the table grow over them."""
        area, title = self.area, self.area.sheet.title
        if not lines:
            return
        rows = self._rows(len(lines))
        model = self.table.numbers[-1] if self.table.numbers else area.last
        for line, row in zip(lines, rows, strict=True):
            at = self.lines.index(line)
            self.lines[at] = Line("added", line.new, line.old, row)
            for name in area.positions:
                cell, like = self._cell(name, row), self._cell(name, model)
                if name in Price.model_fields:
                    self.changes.append(Change(title, cell, getattr(line.new, name), like))
                elif _is_formula(area.cell(name, row)):
                    continue  # a blank row of the table has it
                elif _is_formula(area.cell(name, model)):
                    self.changes.append(Copied(title, cell, like))
                else:
                    self.changes.append(Change(title, cell, None, like))
        if rows[-1] > area.last and not area.loose:
            self.grow[TABLE] = rows[-1]

    def _rows(self, count: int) -> list[int]:
        """Blank rows of the table, then those under it."""
        area = self.area
        blank = [row for row in range(area.first, area.last + 1) if row not in self.table.numbers and self._is_blank(row)]
        under = [row for row in self.table.numbers if row > area.last]
        more = count - len(blank)
        if more <= 0:
            return blank[:count]
        lost = []
        if under and not area.loose:
            lost.append(f"{area.sheet.title} row {under[0]}: typed under the table {TABLE}; draw the table over it in Excel first")
        if area.totals:
            lost.append(f"{area.sheet.title} row {area.last + 1}: holds the totals of the table {TABLE}, where new rows would stand; "
                        "switch them off (Table Design > Total Row)")  # fmt: skip
        start = max([area.last, *self.table.numbers]) if not area.loose else max(self.table.numbers, default=area.header)
        rows = list(range(start + 1, start + 1 + more))
        lost += self._in_the_way(rows)
        if lost:
            raise WouldLose(lost)
        return [*blank, *rows]

    def _is_blank(self, row: int) -> bool:
        cells = [self.area.cell(name, row) for name in self.area.positions]
        return all(cell is None or cell.value is None or _is_formula(cell) for cell in cells)

    def _in_the_way(self, rows: Sequence[int]) -> Iterator[str]:
        """What stands where new rows would: cells with something in them, and the head of another table."""
        area, positions = self.area, self.area.positions.values()
        for row in rows:
            for column in range(min(positions), max(positions) + 1):
                cell = cell_at(area.sheet, row, column)
                if cell is not None and cell.value is not None:
                    place = f"{area.sheet.title}!{get_column_letter(column)}{row}"
                    yield f"{place}: stands where a new price would; move it, or add rows to the table {TABLE} in Excel"
        for table in area.sheet.tables.values():
            _, top, _, _ = range_boundaries(table.ref)
            if top is not None and area.last < top <= rows[-1] + ABOVE:
                yield (f"{area.sheet.title} row {top}: the table {table.displayName} begins where new prices would stand; add rows to "
                       f"the table {TABLE} in Excel")  # fmt: skip


def _key(price: Price) -> tuple[str, ...]:
    try:
        gpu = Catalog.builtin().find_gpu(price.gpu).gpu
    except UnknownName:
        gpu = price.gpu
    return tuple(part.casefold() for part in (price.price_list, gpu, price.pricing_model, price.listing or ""))


def _terms(price: Price) -> tuple[Any, ...]:
    return price.cards, price.period


def _named(price: Price) -> str:
    return " | ".join(part for part in (price.price_list, price.gpu, price.pricing_model, price.listing) if part)


def _differs(name: str, old: Any, new: Any) -> bool:
    return name not in _KEY and old != new and not (new is None and name in _KEPT)


def _is_formula(cell: Any) -> bool:
    return cell is not None and cell.data_type == "f"
