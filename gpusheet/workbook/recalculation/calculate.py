"""Calculating a workbook file of any program: what each formula cell shows, and which cells could not be calculated."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_STORED, ZipFile

from openpyxl.utils import quote_sheetname

from gpusheet.errors import GpusheetError
from gpusheet.workbook.evaluate import CellError, Value, engine_values, load_engine
from gpusheet.workbook.recalculation.calls import Calls
from gpusheet.workbook.recalculation.cells import Area, Place, SheetCells, address, area_of, places
from gpusheet.workbook.recalculation.parts import Book
from gpusheet.workbook.recalculation.plain import Plain
from gpusheet.workbook.recalculation.surroundings import unquoted
from gpusheet.xl.functions import Function

Cell = tuple[str, Place]  # title of the sheet, place

_NO_NAME = re.compile(r'"[^"]*"|\[[^\[\]]*\]')  # a text or the column of a table
_WORD = re.compile(r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'|[^\W\d][\w.]*(?![\w.(!])")  # no function, no sheet
_MANY = 10**6
_SPILL = "#SPILL!"
_UNKNOWN = 5  # the number of #NAME?
_NAMES = "GPUSHEET_NAMES"  # a sheet that tells which names the engine knows


@dataclass
class Calculated:
    """A calculated workbook: `values` from A1 on, `spilled` what array formulas fill, `open` the cells that could not
    be calculated, and why."""

    engine: Any
    book: Book
    sheets: Mapping[str, SheetCells]
    numbers: Mapping[Cell, int]
    calls: Calls
    values: Mapping[str, list[list[Value]]]
    spilled: Mapping[str, dict[Place, Area]]
    open: dict[Cell, str]
    refused: Mapping[Cell, str]  # array formulas that may not fill their cells, and why
    written_out: Collection[str]  # names that formulas were given without

    def at(self, cell: Cell) -> Value:
        rows, (row, column) = self.values[cell[0]], cell[1]
        return rows[row - 1][column - 1] if row <= len(rows) and column <= len(rows[row - 1]) else None

    def is_formula(self, cell: Cell) -> bool:
        return cell[1] in self.sheets[cell[0]].formulas

    def errors(self) -> Iterator[tuple[Cell, CellError]]:
        """The cells whose error is a formula's, in the order of the sheets."""
        for title, rows in self.values.items():
            spilled = {place for area in self.spilled[title].values() for place in places(area)}
            for row, values in enumerate(rows, 1):
                for column, value in enumerate(values, 1):
                    if type(value) is CellError:
                        place = row, column
                        if place in self.sheets[title].formulas or place in spilled:
                            yield (title, place), value


@dataclass
class _Run:
    """One workbook's calculation; it is repeated without what the engine turns out not to be able to calculate."""

    plain: Plain
    parts: Mapping[str, bytes]
    functions: Mapping[str, Function]

    def engine(self, folder: Path) -> tuple[Any, Calls]:
        """The engine with the calculated workbook."""
        plain, book = self.plain, self.plain.book
        calls = Calls(book.date_system, plain.single, plain.reasons, plain.around.dated)
        changed = plain.parts()
        path = folder / "plain.xlsx"
        with ZipFile(path, "w", ZIP_STORED, allowZip64=True) as archive:
            for name, part in self.parts.items():
                archive.writestr(name, changed.get(name, part))
        engine = load_engine(path, book.date_system)
        calls.register(engine, self.functions)
        engine.evaluate_all()
        return engine, calls

    def unparsable(self) -> bool:
        """Blocks the formulas that the engine cannot parse; whether there are any."""
        import formualizer

        found = False
        for title, sheet in self.plain.sheets.items():
            for place in sheet.formulas:
                if (title, place) in self.plain.blocked:
                    continue
                try:
                    formualizer.parse(f"={self.plain.rewritten(sheet, place)}")
                except GpusheetError:
                    continue
                except Exception:
                    found |= self.plain.block((title, place), "the formula cannot be read; mend it")
        return found

    def unnamed(self, engine: Any) -> bool:
        """Blocks the formulas with defined names that the engine leaves out or cannot calculate; whether there are any."""
        plain = self.plain
        known = {name.casefold() for name, _ in plain.book.names} | set(plain.book.tables.by_name)
        if not known:
            return False
        users: dict[str, list[Cell]] = {}
        for title, sheet in plain.sheets.items():
            for place in sheet.formulas:
                if (title, place) not in plain.blocked:
                    text = plain.engines_text(sheet, place)
                    for word in {word.casefold() for word in _WORD.findall(_NO_NAME.sub("", text))} & known:
                        users.setdefault(word, []).append((title, place))
        left_out = {str(one["name"]).casefold() for one in engine.name_import_diagnostics}
        left_out |= _not_known(engine, [name for name in users if name not in left_out])
        spelled = {name.casefold(): name for name, _ in plain.book.names}
        found = False
        for name in left_out & set(users):
            for cell in users[name]:
                found |= plain.block(cell, f"the defined name {spelled.get(name, name)} cannot be calculated here")
        return found

    def overflowing(self, engine: Any, values: Mapping[str, list[list[Value]]]) -> bool:
        """Blocks plain formulas that the engine lets fill more than their cell, and array formulas that may not fill
        theirs; whether there are any."""
        found = False
        for title, sheet in self.plain.sheets.items():
            rows, formulas, special = values[title], sheet.formulas, sheet.special
            for place in formulas:
                row, column = place
                beside = rows[row - 1][column] is not None and (row, column + 1) not in formulas
                below = rows[row][column - 1] is not None and (row + 1, column) not in formulas
                value = rows[row - 1][column - 1]
                refused = type(value) is CellError and value.text == _SPILL
                if not (beside or below or refused) or (place in special and special[place].kind == "array"):
                    continue
                if (refused and not _reads_spill(engine, (title, place), values)) or (
                    not refused and engine.inspect_cell(qualified(title, place)).cell.spill):
                    found |= self.plain.block((title, place),
                                              "it gives several values but is no array formula; enter it as one")
            for place, one in special.items():
                if one.dynamic and (title, place) not in self.plain.blocked:
                    spill = engine.inspect_cell(qualified(title, place)).cell.spill
                    if spill and spill.extent:
                        found |= self.plain.refuse(title, place, area_of(spill.extent.rpartition("!")[2]))
        return found


def calculate(book: Book, parts: Mapping[str, bytes], functions: Mapping[str, Function]) -> Calculated:
    """Calculates a workbook from its parts."""
    plain = Plain(book, parts, functions)
    run = _Run(plain, parts, functions)
    with TemporaryDirectory(prefix="gpusheet-") as name:
        while True:
            engine, calls = _engine(run, Path(name))
            if run.unnamed(engine):
                continue
            sizes = {title: sheet.size() for title, sheet in plain.sheets.items()}
            values = {
                title: engine_values(engine, title, rows + 1, columns + 1)
                for title, (rows, columns) in sizes.items()
            }
            if not (run.overflowing(engine, values) or plain.odder(values) or plain.remainders(values)):
                break
    spilled = {title: _spilled(engine, sheet) for title, sheet in plain.sheets.items()}
    for title, areas in spilled.items():
        if areas:
            rows = max(sizes[title][0], *(area[2] for area in areas.values()))
            columns = max(sizes[title][1], *(area[3] for area in areas.values()))
            values[title] = engine_values(engine, title, rows, columns)
    open_cells = {cell: calls.open[number] for cell, number in plain.numbers.items() if number in calls.open}
    return Calculated(
        engine, book, plain.sheets, plain.numbers, calls, values, spilled, open_cells, plain.refused,
        frozenset(plain.around.names.replaced))  # fmt: skip


def _not_known(engine: Any, names: list[str]) -> set[str]:
    """Those of the names that the engine does not calculate."""
    if not names:
        return set()
    sheet = engine.sheet(_NAMES)
    for row, name in enumerate(names, 1):
        sheet.set_formula(row, row * 2, f"=ERROR.TYPE(INDEX({name},1,1))")
    found = set()
    for row, name in enumerate(names, 1):
        if engine.evaluate_cell(_NAMES, row, row * 2) == _UNKNOWN:
            found.add(name)
    return found


def _reads_spill(engine: Any, cell: Cell, values: Mapping[str, list[list[Value]]]) -> bool:
    """Whether a formula reads a cell that shows #SPILL!, so that it only passes that on."""
    for link in engine.precedents(qualified(*cell), max_links=_MANY, max_work=_MANY).precedents:
        where = (link.reference.resolved or link.reference.address or "").replace("$", "")
        title, _, reference = where.rpartition("!")
        rows = values.get(unquoted(title))
        if rows is None or not re.fullmatch(r"[A-Z]+\d+(:[A-Z]+\d+)?", reference):
            continue
        top, left, bottom, right = area_of(reference)
        if any(type(value) is CellError and value.text == _SPILL
               for row in rows[top - 1 : bottom] for value in row[left - 1 : right]):  # fmt: skip
            return True
    return False


def _engine(run: _Run, folder: Path) -> tuple[Any, Calls]:
    while True:
        try:
            return run.engine(folder)
        except GpusheetError:
            raise
        except BaseException as error:
            known = isinstance(error, Exception) or type(error).__name__ == "PanicException"
            if not known:
                raise
            if isinstance(error, OSError) and run.unparsable():
                continue
            reason = " ".join(str(error).split())[:200]
            raise GpusheetError(f"the workbook cannot be calculated: {reason}") from error


def _spilled(engine: Any, sheet: SheetCells) -> dict[Place, Area]:
    """What array formulas fill now, by the places of their formulas."""
    found = {}
    for place, one in sheet.special.items():
        if one.kind == "array" and one.area is not None:
            found[place] = one.area
            if one.dynamic:
                spill = engine.inspect_cell(qualified(sheet.title, place)).cell.spill
                found[place] = area_of(spill.extent.rpartition("!")[2] if spill and spill.extent else address(place))
    return found


def qualified(title: str, place: Place) -> str:
    """A cell as the engine is asked for it."""
    return f"{quote_sheetname(title)}!{address(place)}"
