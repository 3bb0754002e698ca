"""Rows of the tables, and the settings and assumptions: read as their types, every bad cell by its place."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from openpyxl.utils import column_index_from_string, get_column_letter
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from gpusheet.catalog import Assumptions, BadRow, Column, Price, Row, columns
from gpusheet.catalog.planning import PLANNING
from gpusheet.catalog.schema import is_blank
from gpusheet.catalog.settings import CURRENCY_DEFAULT, Settings
from gpusheet.constants import NAMED
from gpusheet.errors import nearest
from gpusheet.intake.findings import besides
from gpusheet.intake.price_rows import softened
from gpusheet.intake.prices import settle
from gpusheet.intake.understand import MISSING_PRICE, UNCLEAR, Remark, missing_price, understand
from gpusheet.intake.words import Said
from gpusheet.workbook.assumptions_sheet import HEADS, SOURCE_AT, VALUE
from gpusheet.workbook.assumptions_sheet import NAME as ASSUMPTIONS
from gpusheet.workbook.reading.areas import ABOVE, KEYED, ROW_TYPES, Area, cell_at
from gpusheet.workbook.reading.cells import Cells, Unreadable, shown
from gpusheet.workbook.reading.older import is_older, lent

R = TypeVar("R", bound=Row)

COVER_ROWS = 40  # within which the scenario is chosen

CARRIED = ("Workloads", "GPUs", "Models", "Engines", "Generations", "Prices", "FX", *PLANNING)  # tables whose added columns go along


@dataclass
class Table:
    """What a table holds: rows with their row numbers, the user's columns beside them, and what is wrong."""

    area: Area
    rows: list[Row] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    own: dict[str, list[Any]] = field(default_factory=dict)
    formats: dict[str, list[str]] = field(default_factory=dict)  # of the user's cells
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    unpriced: set[int] = field(default_factory=set)  # those of the rows that state no price

    @property
    def prices(self) -> tuple[Any, ...]:
        """The rows of a table of prices that state one."""
        return tuple(row for index, row in enumerate(self.rows) if index not in self.unpriced)

    def place(self, column: str, index: int) -> str:
        return self.area.place(column, self.numbers[index])


def read_rows(area: Area, cells: Cells, older: bool = False) -> Table:
    """The rows of a table and those typed right under it; blank rows are skipped, and end what was typed under it."""
    table = Table(area)
    if area.name in CARRIED:
        table.own, table.formats = {title: [] for title in area.own}, {title: [] for title in area.own}
    row_type = ROW_TYPES[area.name]
    absent = [column.name for column in area.columns if column.name not in area.at] if older else []
    below: list[int] = []
    keys: dict[Any, str] = {}
    for number in (*range(area.first, area.last + 1), *range(area.last + 1 + area.totals, area.end + 1)):
        values = {column.name: cells.value(area.cell(column.name, number), column.kind) for column in area.columns}
        if all(is_blank(value) for value in values.values()):
            if number > area.last:
                break
            continue
        if number > area.last:
            below.append(number)
        values |= lent(area.name, absent, values)
        place = partial(_at, area, number)
        values, bad_cells = _understood(area.columns, values, place, table.warnings)
        table.errors += bad_cells
        if area.name in KEYED:
            table.errors += _twice(area, number, values, keys)
        try:
            missing = _missing_price(area, values)
            row = _unpriced(values, place) if missing else row_type.read(values, place)
        except BadRow as bad:
            table.errors += besides(bad.lines, bad_cells)
            continue
        if missing and not bad_cells:
            table.unpriced.add(len(table.rows))
            table.warnings.append(f"{place('price')}: {missing.en}; a total that needs it is blocked")
        table.rows.append(row)
        table.numbers.append(number)
        for title, kept in table.own.items():
            cell = area.cell(title, number)
            value = cells.value(cell)
            table.formats[title].append("General" if cell is None else cell.number_format)
            if isinstance(value, Unreadable):
                table.lost.append(f"{area.place(title, number)}: found {value}; left blank")
            kept.append(None if isinstance(value, Unreadable) else value)
    if below:
        rows = f"row {below[0]}" if len(below) == 1 else f"rows {below[0]} to {below[-1]}"
        table.warnings.append(f"{area.sheet.title} {rows}: typed under the table {area.name}; read as part of it")
    return table


def _at(area: Area, row: int, column: str) -> str:
    return area.place(column, row)


def _understood(
    fields: tuple[Column, ...], values: dict[str, Any], place: Callable[[str], str], warnings: list[str]
) -> tuple[dict[str, Any], list[str]]:
    """The values by the grammar that price sheets are read with, and errors for those that can be read two ways. What is
    no value at all is left as it stands: the row says what is allowed."""
    kept, errors = dict(values), []
    for column in fields:
        value = values.get(column.name)
        if column.kind == "text" or is_blank(value) or isinstance(value, Unreadable):
            continue
        found = understand(value, column)
        if found.bad:
            errors += [f"{place(column.name)}: {one.en}" for one in found.remarks if one.code in UNCLEAR]
            continue
        kept[column.name] = found.value
        warnings += [f"{place(column.name)}: {one.en}" for one in found.remarks]
        if column.name == "price" and found.said is not None:
            said = softened(found.said, str(value), _text(values.get("currency")))
            settled = settle(said, Said(), {name: _text(values.get(name)) for name in ("currency", "per", "period", "tax")})
            errors += [f"{place(column.name)}: {one.en}" for one in settled.remarks if one.code.endswith("conflict")]
    return kept, errors


def _missing_price(area: Area, values: Mapping[str, Any]) -> Remark | None:
    """What to say of a row of prices that states none, as by a word such as 面议; None for all other rows."""
    price = next((c for c in area.columns if c.name == "price"), None)
    if price is None or isinstance(values["price"], Unreadable):
        return None
    if is_blank(values["price"]):
        return missing_price("")
    remarks = understand(values["price"], price).remarks
    return next((one for one in remarks if one.code == MISSING_PRICE), None)


def _unpriced(values: Mapping[str, Any], place: Callable[[str], str]) -> Row:
    """Such a row as it stands, if what else is in it is right; as it says no price, it need not say of what."""
    blank = {c.name: c.default for c in columns(Price) if is_blank(values[c.name])}
    filled = {c.name: _SOME[c.kind] if c.name in blank else values[c.name] for c in columns(Price)}
    filled |= {"price": _SOME["number"]} | {c.name: c.choices[0] for c in columns(Price) if c.choices and c.name in blank}
    if "currency" in blank:
        filled["currency"] = CURRENCY_DEFAULT
    read = Price.read(filled, place)
    return Price.model_construct(**(dict(read) | blank | {"price": _text(values["price"])}))


_SOME: Mapping[str, Any] = {"number": 1.0, "text": "x", "choice": "x", "date": datetime.date(2000, 1, 1)}


def _text(value: Any) -> str | None:
    return None if is_blank(value) or not isinstance(value, str) else value.strip()


def _twice(area: Area, number: int, values: Mapping[str, Any], keys: dict[Any, str]) -> list[str]:
    """The error where an earlier row has the same name; spreadsheets find names without case."""
    name = area.columns[0].name
    value = values[name]
    if is_blank(value) or isinstance(value, Unreadable):
        return []
    place = area.place(name, number)
    first = keys.setdefault(value.strip().casefold() if isinstance(value, str) else value, place)
    if first == place:
        return []
    return [f"{place}: found {shown(value)} again, which stands in {first.partition(' ')[0]} already; "
            "rename or delete one of the two"]


VALUE_AT = column_index_from_string(VALUE)


@dataclass
class Factors:
    """Settings and assumptions as read, with the rows of their names."""

    settings: Settings | None = None
    assumptions: Assumptions | None = None
    sheet: Worksheet | None = None
    rows: dict[str, int] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)  # that a person or a calibration gave, by name
    said: set[tuple[int, int]] = field(default_factory=set)  # cells (row, column) that are spoken of, if they are odd
    column: int = VALUE_AT
    end: int = 0  # the last row before the small tables
    chooser: Any = None  # the cell of the Cover that chooses the scenario
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def place(self, name: str) -> str:
        if name == "scenario" and self.chooser is not None:
            return f"Cover!{self.chooser.coordinate} ({name})"
        title = self.sheet.title if self.sheet is not None else ASSUMPTIONS
        if name not in self.rows:
            return f"{title} ({name})" if name else title
        return f"{title}!{get_column_letter(self.column)}{self.rows[name]} ({name})"


def read_factors(book: Workbook, areas: Mapping[str, Area], cells: Cells) -> Factors:
    """Values by the names in the first column, wherever their rows have moved to."""
    sheet: Worksheet | None = book[ASSUMPTIONS] if ASSUMPTIONS in book.sheetnames else None
    if sheet is None and "CardTiers" in areas:
        sheet = areas["CardTiers"].sheet  # renamed
    if sheet is None:
        return Factors(errors=[f"{ASSUMPTIONS}: the sheet is not there; restore it from an older version of this book"])
    found = Factors(sheet=sheet)
    names = _value_column(sheet, found)
    headers = [area.header for area in areas.values() if area.sheet is sheet]
    found.end = min(headers) - ABOVE - 1 if headers else sheet.max_row
    known = {column.name: column for row_type in (Settings, Assumptions) for column in columns(row_type)}
    older = is_older(book)
    constants = {constant.name: constant for constant in NAMED}
    values: dict[str, Any] = {}
    for row in range(1, found.end + 1):
        name = cells.value(cell_at(sheet, row, names), "text")
        cell = cell_at(sheet, row, found.column)
        if not isinstance(name, str) or is_blank(name) or name.strip() in (head[0] for head in HEADS.values()):
            continue
        name = name.strip()
        place = f"{sheet.title}!{get_column_letter(names)}{row}"
        if name in found.rows:
            first = found.rows[name]
            found.errors.append(f"{place}: found {name} again, which stands in row {first} already; delete one of them")
        elif name in known:
            found.rows[name] = row
            values[name] = cells.value(cell, known[name].kind)
        elif name in constants:
            found.said.add((row, found.column))
            value, wanted = cells.value(cell, "number"), float(constants[name])
            # LibreOffice keeps 15 digits
            if not (isinstance(value, int | float) and math.isclose(value, wanted, rel_tol=1e-12)):
                what = f"found {shown(value)} for the unit constant {wanted:.15g}, which is not read"
                found.lost.append(f"{place} ({name}): {what}; change an assumption instead")
        elif cell is not None and cell.value is not None:
            found.said |= {(row, names), (row, found.column)}
            near = nearest(name, known)
            hint = f"did you mean {', '.join(near)}?" if near else "note it on a sheet of your own"
            found.lost.append(f"{place}: {name!r} is no assumption of gpusheet and is not read; {hint}")
    found.chooser = _chooser(book)
    if found.chooser is not None:
        values["scenario"] = cells.value(found.chooser, "text")
    fields = tuple(column for column in known.values() if column.name in values)
    values, bad_cells = _understood(fields, values, found.place, found.warnings)
    found.settings = _read(Settings, values, found, older)
    found.assumptions = _read(Assumptions, values, found, older)
    if found.assumptions is not None:
        found.sources = _own_sources(found, found.assumptions, cells, older)
    found.errors = besides(found.errors, bad_cells) + bad_cells
    return found


def _chooser(book: Workbook) -> Any:
    """The cell of the Cover that chooses the scenario, beside its label; None where there is none."""
    column = next(column for column in columns(Settings) if column.name == "scenario")
    if "Cover" not in book.sheetnames:
        return None
    for row in range(1, COVER_ROWS):
        label = cell_at(book["Cover"], row, 1)
        if label is not None and str(label.value).strip() in (column.en, column.zh):
            return book["Cover"].cell(row, 2)
    return None


def _own_sources(found: Factors, assumptions: Assumptions, cells: Cells, older: bool) -> dict[str, str]:
    """Sources beside the values that are not those of the defaults; in an older book only those of changed values."""
    own = {}
    for column in columns(Assumptions):
        if column.name not in found.rows or (older and getattr(assumptions, column.name) == column.default):
            continue
        said = cells.value(cell_at(found.sheet, found.rows[column.name], found.column + SOURCE_AT - VALUE_AT), "text")
        if isinstance(said, str) and not is_blank(said) and said.strip() != column.source:
            own[column.name] = said.strip()
    return own


def _value_column(sheet: Worksheet, found: Factors) -> int:
    """The column of the names; sets that of the values: where the heads stand, if a column was put in."""
    for row in range(1, 20):
        heads = {str(cell.value).strip(): cell.column for cell in sheet[row] if cell.value is not None}
        for words in HEADS.values():
            if words[0] in heads and words[2] in heads:
                found.column = heads[words[2]]
                return int(heads[words[0]])
    return 1


def _read(row_type: type[R], values: Mapping[str, Any], found: Factors, older: bool) -> R | None:
    fields = columns(row_type)
    for column in fields:
        if column.default is None or not is_blank(values.get(column.name)):
            continue
        if older and column.name not in found.rows:
            continue  # it came later
        why = "blank" if column.name in found.rows else "not there"
        found.warnings.append(f"{found.place(column.name)}: {why}; the default {shown(column.default)} is taken")
    try:
        return row_type.read({c.name: values[c.name] for c in fields if c.name in values}, found.place)
    except BadRow as bad:
        found.errors += bad.lines
        return None
