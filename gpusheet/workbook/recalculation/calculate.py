"""Calculating a workbook file of any program: what each formula cell shows, and which cells could not be calculated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape, unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_STORED, ZipFile

from openpyxl.utils import quote_sheetname

from gpusheet.errors import GpusheetError
from gpusheet.workbook.evaluate import CellError, Value, engine_values, load_engine
from gpusheet.workbook.recalculation.calls import Calls
from gpusheet.workbook.recalculation.cells import Area, Place, SheetCells, address, area_of, places
from gpusheet.workbook.recalculation.formulas import CALLED, FILL, LINKED, OPEN, Rewriting, function_name
from gpusheet.workbook.recalculation.formulas import unknown_functions as unknown_to_engine
from gpusheet.workbook.recalculation.parts import Book, checked
from gpusheet.xl.functions import Function

Cell = tuple[str, Place]  # title of the sheet, place

_DEFINED_NAME = re.compile(rb"(<(?:\w+:)?definedName\b[^>]*>)([^<]*)(?=</)")
_NO_NAME = re.compile(r'"[^"]*"|\[[^\[\]]*\]')  # a text or the column of a table
_WORD = re.compile(r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'|[^\W\d][\w.]*")
_COUNTED_DAYS = "the workbook counts days from 1904, which {} does not; change it in Excel: Options, Advanced"


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

    book: Book
    parts: Mapping[str, bytes]
    functions: Mapping[str, Function]
    sheets: dict[str, SheetCells] = field(default_factory=dict)
    numbers: dict[Cell, int] = field(default_factory=dict)
    blocked: dict[Cell, int] = field(default_factory=dict)  # -> number of the reason
    reasons: list[str] = field(default_factory=list)
    single: set[int] = field(default_factory=set)
    emptied: dict[str, set[Place]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for part, title in self.book.sheets.items():
            sheet = self.sheets[title] = SheetCells(title, checked(self.parts[part], title))
            # what the file has in the areas of array formulas are old results
            areas = [one.area for one in sheet.special.values() if one.area is not None]
            self.emptied[title] = {place for area in areas for place in places(area)}
            for place, one in sheet.special.items():
                if one.kind == "dataTable":
                    self.block((title, place), "a what-if data table is calculated by Excel only")
        self.rewriting = self._rewriting()

    def _rewriting(self) -> Rewriting:
        called = {name for _, text in self.book.names for name in CALLED.findall(text)}
        for sheet in self.sheets.values():
            called |= sheet.called()
        spelled = {name: function_name(name, self.functions) for name in called}
        ours = {name: known for name, known in spelled.items() if known is not None}
        unknown = {name: self.reason(f"the function {name} is not known here") for name in
                   sorted(unknown_to_engine(name for name, known in spelled.items() if known is None))}  # fmt: skip
        if self.book.date_system == "1904":
            dated = {name: self.reason(_COUNTED_DAYS.format(known)) for name, known in ours.items()
                     if _takes_days(self.functions[known])}  # fmt: skip
            unknown |= dated
            ours = {name: known for name, known in ours.items() if name not in dated}
        spilling = {name for name, known in ours.items() if self.functions[known].spills}
        return Rewriting(self.book.tables, ours, unknown, spilling)

    def reason(self, text: str) -> int:
        if text not in self.reasons:
            self.reasons.append(text)
        return self.reasons.index(text)

    def block(self, cell: Cell, reason: str) -> bool:
        """Leaves a cell out of the calculation; whether that is new."""
        if cell in self.blocked:
            return False
        self.blocked[cell] = self.reason(reason)
        return True

    def plain(self, sheet: SheetCells) -> bytes:
        """The sheet as the engine is to read it."""
        title = sheet.title
        wanted = dict.fromkeys(sheet.having(self.rewriting.wanted))
        blocked = {place for named, place in self.blocked if named == title}
        # shared formulas that have to be written out
        whole = {key for key, place in sheet.masters.items() if place in wanted or place in blocked}
        wanted |= {place: None for place, one in sheet.special.items() if one.shared in whole or one.kind == "array"}
        texts: dict[Place, str] = {}
        for place in wanted:
            if place not in blocked:
                try:
                    texts[place] = self.rewritten(sheet, place)
                except GpusheetError as error:  # a table, a column or a workbook that is not there
                    self.block((title, place), str(error).removeprefix(f"{title}!{address(place)}: "))
                    blocked.add(place)
        for place in blocked:
            texts[place] = f"{OPEN}({self.number((title, place))},{self.blocked[title, place]})"
        return sheet.with_formulas(texts, self.emptied[title])

    def number(self, cell: Cell) -> int:
        return self.numbers.setdefault(cell, len(self.numbers))

    def rewritten(self, sheet: SheetCells, place: Place) -> str:
        written, number = sheet.text(place), self.number((sheet.title, place))
        text = self.rewriting(written, f"{sheet.title}!{address(place)}", number)
        if "[" in text and any(int(link) > self.book.links for link in LINKED.findall(text) if link):
            raise GpusheetError("it refers to another workbook, of which this file holds no values")
        special = sheet.special.get(place)
        if special is None or special.area is None:
            if self.rewriting.only_spills(written):
                self.single.add(number)
        elif not special.dynamic:
            top, left, bottom, right = special.area
            return f"{FILL}({bottom - top + 1},{right - left + 1},{text})"
        return text

    def engine(self, folder: Path) -> tuple[Any, Calls]:
        """The engine with the calculated workbook."""
        calls = Calls(self.book.date_system, self.single)
        changed = {part: self.plain(self.sheets[title]) for part, title in self.book.sheets.items()}
        changed[self.book.workbook] = _DEFINED_NAME.sub(self._name, self.parts[self.book.workbook])
        plain = folder / "plain.xlsx"
        with ZipFile(plain, "w", ZIP_STORED, allowZip64=True) as archive:
            for name, part in self.parts.items():
                archive.writestr(name, changed.get(name, part))
        engine = load_engine(plain, self.book.date_system)
        calls.register(engine, self.functions)
        engine.evaluate_all()
        return engine, calls

    def _name(self, match: re.Match[bytes]) -> bytes:
        text = unescape(match[2].decode())
        if "[" in text:
            try:
                text = self.book.tables.plain(text, "defined names")
            except GpusheetError:
                return match[0]
        return match[1] + escape(text, quote=False).encode()

    def unparsable(self) -> bool:
        """Blocks the formulas that the engine cannot parse; whether there are any."""
        import formualizer

        found = False
        for title, sheet in self.sheets.items():
            for place in sheet.formulas:
                if (title, place) in self.blocked:
                    continue
                try:
                    formualizer.parse(f"={self.rewritten(sheet, place)}")
                except GpusheetError:
                    continue
                except Exception:
                    found |= self.block((title, place), "the formula cannot be read; mend it")
        return found

    def unnamed(self, engine: Any) -> bool:
        """Blocks the formulas with defined names that the engine leaves out; whether there are any."""
        left_out = {str(one["name"]).casefold() for one in engine.name_import_diagnostics}
        found = False
        for title, sheet in self.sheets.items() if left_out else ():
            for place in sheet.formulas:
                words = _WORD.findall(_NO_NAME.sub("", sheet.text(place)))
                name = next((word for word in words if word.casefold() in left_out), None)
                if name is not None and name not in self.rewriting.ours:
                    found |= self.block((title, place), f"the defined name {name} cannot be calculated here")
        return found

    def overflowing(self, engine: Any, values: Mapping[str, list[list[Value]]]) -> bool:
        """Blocks plain formulas that the engine lets fill more than their cell; whether there are any."""
        found = False
        for title, sheet in self.sheets.items():
            rows, formulas, special = values[title], sheet.formulas, sheet.special
            for place in formulas:
                row, column = place
                beside = rows[row - 1][column] is not None and (row, column + 1) not in formulas
                below = rows[row][column - 1] is not None and (row + 1, column) not in formulas
                value = rows[row - 1][column - 1]
                refused = type(value) is CellError and value.text == "#SPILL!"
                if not (beside or below or refused) or (place in special and special[place].kind == "array"):
                    continue
                if refused or engine.inspect_cell(qualified(title, place)).cell.spill:
                    found |= self.block((title, place), "it gives several values but is no array formula; enter it as one")
        return found


def calculate(book: Book, parts: Mapping[str, bytes], functions: Mapping[str, Function]) -> Calculated:
    """Calculates a workbook from its parts."""
    run = _Run(book, parts, functions)
    with TemporaryDirectory(prefix="gpusheet-") as name:
        while True:
            engine, calls = _engine(run, Path(name))
            if run.unnamed(engine):
                continue
            sizes = {title: sheet.size() for title, sheet in run.sheets.items()}
            values = {
                title: engine_values(engine, title, rows + 1, columns + 1)
                for title, (rows, columns) in sizes.items()
            }
            if not run.overflowing(engine, values):
                break
    spilled = {title: _spilled(engine, sheet) for title, sheet in run.sheets.items()}
    for title, areas in spilled.items():
        if areas:
            rows = max(sizes[title][0], *(area[2] for area in areas.values()))
            columns = max(sizes[title][1], *(area[3] for area in areas.values()))
            values[title] = engine_values(engine, title, rows, columns)
    open_cells = {cell: run.reasons[calls.open[number]] for cell, number in run.numbers.items() if number in calls.open}
    return Calculated(engine, book, run.sheets, run.numbers, calls, values, spilled, open_cells)


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


def _takes_days(function: Function) -> bool:
    """Whether there can be days in what a function takes or gives."""
    dated = any(argument.kind == "date" for argument in function.arguments)
    return dated or (function.rule is None and any(argument.kind == "table" for argument in function.arguments)) or (
        function.spills)
