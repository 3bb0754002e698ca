"""What formulas read. Formulas that are filled over a block of cells are followed together: a book has a hundred times
fewer blocks than formulas."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy

from gpusheet.audit.cells import AuditBook, Place, Sheet
from gpusheet.audit.shapes import Area, Ref, Shape

_TESTING = {"COUNT", "ISNUMBER", "AND", "OR", "LEN"}
Box = tuple[int, int, int, int]


class Block(NamedTuple):
    """A rectangle of cells with one formula."""

    sheet: Sheet
    shape: Shape
    top: int
    left: int
    bottom: int
    right: int

    @property
    def places(self) -> Iterator[Place]:
        return (
            (row, column) for row in range(self.top, self.bottom + 1) for column in range(self.left, self.right + 1)
        )

    def hull(self, ref: Ref) -> Area:
        """All cells that a reference means in the cells of the block."""
        title = self.sheet.title
        ends = [ref.at(title, row, column) for row in {self.top, self.bottom} for column in {self.left, self.right}]
        return Area(ends[0].sheet, min(a.top for a in ends), min(a.left for a in ends), max(a.bottom for a in ends),
                    max(a.right for a in ends))  # fmt: skip


class Reading(NamedTuple):
    """A range of more than one cell that is named in some cells of a block."""

    block: Block
    ref: Ref
    area: Area

    @property
    def sheet(self) -> Sheet:
        return self.block.sheet

    @property
    def shape(self) -> Shape:
        return self.block.shape


class Readings:
    """The references of a book."""

    def __init__(self, book: AuditBook) -> None:
        self.book = book
        self.blocks: list[Block] = [block for sheet in book.sheets.values() for block in _blocks(sheet)]

    @cached_property
    def ranges(self) -> list[Reading]:
        """Every range that a formula names, once for the cells that name the same one."""
        found = []
        for block in self.blocks:
            for ref in block.shape.refs:
                corners = (ref.first, ref.last)
                if ref.is_cell:
                    continue
                rows = not all(corner.row_fixed for corner in corners)
                columns = not all(corner.column_fixed for corner in corners)
                for row in range(block.top, (block.bottom if rows else block.top) + 1):
                    for column in range(block.left, (block.right if columns else block.left) + 1):
                        area = ref.at(block.sheet.title, row, column)
                        if not area.is_cell:
                            part = block._replace(top=row, bottom=row if rows else block.bottom, left=column,
                                                  right=column if columns else block.right)  # fmt: skip
                            found.append(Reading(part, ref, area))
        return found

    @cached_property
    def by_rows(self) -> dict[tuple[str, int, int], set[tuple[int, int]]]:
        """Ranges of one height: sheet, first and last row -> first and last columns."""
        found: dict[tuple[str, int, int], set[tuple[int, int]]] = defaultdict(set)
        for one in self.ranges:
            sheet, top, left, bottom, right = one.area
            found[sheet, top, bottom].add((left, right))
        return found

    @cached_property
    def by_columns(self) -> dict[tuple[str, int, int], set[tuple[int, int]]]:
        """Ranges of one width: sheet, first and last column -> first and last rows."""
        found: dict[tuple[str, int, int], set[tuple[int, int]]] = defaultdict(set)
        for one in self.ranges:
            sheet, top, left, bottom, right = one.area
            found[sheet, left, right].add((top, bottom))
        return found

    @cached_property
    def growing(self) -> set[Area]:
        """The ranges that begin at a fixed cell and end at one that moves along, as those of running totals."""
        return {
            one.area for one in self.ranges
            if (one.ref.first.row_fixed, one.ref.first.column_fixed) != (one.ref.last.row_fixed, one.ref.last.column_fixed)
        }  # fmt: skip

    @cached_property
    def read(self) -> dict[str, Any]:
        """Which cells are used: an array of flags for each sheet, from row and column 1 at [1, 1]."""
        flags = self._painted(self.blocks, lambda ref: True, but=self._tests)
        for block in filter(self._tests, self.blocks):
            for ref in block.shape.refs:
                if ref.first != block.shape.refs[0].first:  # what a cell is tested against is used
                    _paint(flags, block.hull(ref))
        for area in self.book.chart_areas:
            _paint(flags, area)
        for sheet in self.book.sheets.values():
            for text in _rule_formulas(sheet):
                for area in self.book.shapes.areas_of(text, sheet.title):
                    if not area.is_cell or area.sheet != sheet.title:
                        _paint(flags, area)
        return flags

    @cached_property
    def read_from_rows(self) -> dict[str, Any]:
        """Which cells are read from another row than their own, or another sheet."""
        return self._painted(self.blocks, lambda ref: bool(ref.sheet) or {ref.first.row_fixed, ref.first.row, ref.last.row} != {0})

    @cached_property
    def read_from_columns(self) -> dict[str, Any]:
        """Which cells are read from another column than their own, or another sheet."""
        return self._painted(
            self.blocks, lambda ref: bool(ref.sheet) or {ref.first.column_fixed, ref.first.column, ref.last.column} != {0}
        )

    @cached_property
    def _named_alone(self) -> dict[str, Any]:
        return self._painted(self.blocks, lambda ref: ref.is_cell)

    def _painted(
        self, blocks: list[Block], wanted: Callable[[Ref], bool], but: Callable[[Block], bool] = lambda block: False
    ) -> dict[str, Any]:
        sheets = self.book.sheets.values()
        flags = {sheet.title: numpy.zeros((sheet.size[0] + 2, sheet.size[1] + 2), dtype=bool) for sheet in sheets}
        for block in blocks:
            if not but(block):
                for ref in block.shape.refs:
                    if wanted(ref) and not ref.is_own:
                        _paint(flags, block.hull(ref))
        return flags

    def _tests(self, block: Block) -> bool:
        return all(self.only_tests(block.sheet, place, block.shape) for place in block.places)

    def only_tests(self, sheet: Sheet, place: Place, shape: Shape) -> bool:
        """Whether a formula only says if a cell of its own row is valid, and is itself only counted with others."""
        row, column = place
        if (
            sheet.cells[place].value not in (0, 1, None)
            or not shape.refs
            or self._named_alone[sheet.title][row, column]
        ):
            return False
        if not (_TESTING & set(shape.functions) or set("<>=") & set("".join(shape.operators))):
            return False
        tested = [ref.at(sheet.title, row, column) for ref in shape.refs]
        return all(area.is_cell and area.sheet == sheet.title and area.top == row for area in tested)


def _blocks(sheet: Sheet) -> Iterator[Block]:
    """The formulas of a sheet in rectangles: runs along rows, then equal runs downward."""
    open_: dict[tuple[int, int], Block] = {}
    for row in sorted(sheet.rows):
        runs: list[Block] = []
        for column in sheet.rows[row]:
            shape = sheet.formulas.get((row, column))
            if shape is None:
                continue
            last = runs[-1] if runs else None
            if last is not None and last.shape is shape and last.right == column - 1:
                runs[-1] = last._replace(right=column)
            else:
                runs.append(Block(sheet, shape, row, column, row, column))
        now: dict[tuple[int, int], Block] = {}
        for run in runs:
            above = open_.pop((run.left, run.right), None)
            grows = above is not None and above.shape is run.shape and above.bottom == row - 1
            if above is not None and not grows:
                yield above
            now[run.left, run.right] = above._replace(bottom=row) if above is not None and grows else run
        yield from open_.values()
        open_ = now
    yield from open_.values()


def _paint(flags: dict[str, Any], area: Area) -> None:
    if area.sheet in flags:
        flags[area.sheet][max(area.top, 0) : area.bottom + 1, max(area.left, 0) : area.right + 1] = True


def _rule_formulas(sheet: Sheet) -> Iterator[str]:
    """The formulas of validations; those of conditional formats show a figure, but use it for nothing."""
    for rule in sheet.stub.data_validations.dataValidation:
        for text in (rule.formula1, rule.formula2):
            if text and not str(text).startswith('"'):
                yield str(text)
