"""Lines of one formula, along a row or down a column, and the cells in them that are something else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from gpusheet.audit.cells import Place, Sheet
from gpusheet.audit.model import FEWEST, TOTAL, Model, most_common
from gpusheet.audit.shapes import Shape

TYPED, GAP = "#typed", "#gap"  # stand for a typed number, and for a blank or a text between two formulas
NEAR = 12  # lines that tell how far a line goes


@dataclass(frozen=True)
class Odd:
    """A cell that differs from the line it stands in. `kind`: typed, gap, formula; `inside` if the line goes on behind."""

    place: Place
    kind: str
    inside: bool
    along: str  # "row" or "column"
    line: Place  # a cell of the line, next to it where possible
    others: int


@dataclass
class Line:
    """The cells along a row (or down a column) that belong together, and the formula that most of them have."""

    number: int  # of the row or the column
    keys: dict[int, str]  # position -> shape, or what stands for none
    main: str
    first: int
    last: int
    seeded: bool  # each cell builds on the one before
    odd: list[int] = field(default_factory=list)
    adds_columns: bool = False  # each cell adds a range above it
    others: set[int] = field(default_factory=set)  # positions between its cells that are none of it, as quarters among months

    @property
    def weak(self) -> bool:
        """Whether so few cells make it a line of a list only if lines beside it say so."""
        return sum(key == self.main for key in self.keys.values()) <= FEWEST


@dataclass
class Lines:
    """All lines of a sheet in one direction."""

    along: str
    lines: list[Line]
    totals: set[int]  # positions at which other cells add the line up
    periods: tuple[int, int] = (0, -1)  # the first and the last position of the time line

    def goes_on(self, line: Line, position: int, inner: int, least: int) -> bool:
        """Whether lines near by, or the time line, have both positions."""
        if self.timed(position) and self.timed(inner):
            return True
        near = sum(
            1 for other in self.lines
            if other is not line and abs(other.number - line.number) <= NEAR
            and other.first <= min(position, inner) and max(position, inner) <= other.last
        )  # fmt: skip
        return near >= least

    def timed(self, position: int) -> bool:
        return self.periods[0] <= position <= self.periods[1]

    def listed(self, line: Line, position: int) -> bool:
        """Whether lines beside it have one formula in all its cells and at the position: a list, whose cells differ by fault."""
        first, last = min(line.first, position), max(line.last, position)
        beside = (other for other in self.lines if other is not line and abs(other.number - line.number) <= NEAR)
        whole = sum(other.first <= first and last <= other.last and all(other.keys[at] == GAP for at in other.odd) for other in beside)
        return whole >= (2 if line.weak else 1)


def rows_of(model: Model, sheet: Sheet) -> Lines:
    """The lines along the rows of a sheet, its tables left out."""
    found: list[Line] = []
    totals: set[int] = set()
    for row, columns in sheet.rows.items():
        usable = [column for column in columns if not sheet.in_table(row, column)] if sheet.tables else columns
        parts = list(_runs(sheet, [((row, column), column) for column in usable]))
        for part in parts:
            added = {at for at, (place, shape) in part.items() if shape and _adds_own(sheet, place, shape, "row")}
            kept = {at: one for at, one in part.items() if at not in added}
            line = _line(row, kept, 0.6, FEWEST, "row", added)
            if line:
                found.append(line)
                totals |= added
            again = {at: part[at] for at in added}
            line = _line(row, again, 0.6, FEWEST, "row", set(kept))
            if line and line.last - line.first < len(again) + 1:
                found.append(line)
    timed = model.time_lines.get(sheet.title)
    periods = (timed.first, timed.last) if timed else (0, -1)
    return Lines("row", found, totals, periods)


def columns_of(sheet: Sheet, rows: Lines) -> Lines:
    """The lines down the columns of a sheet, but for what is a line along a row and what stands in tables."""
    taken = {(line.number, at) for line in rows.lines for at in range(line.first, line.last + 1)}
    found: list[Line] = []
    totals: set[int] = set()
    for column, numbers in sheet.columns.items():
        usable = [row for row in numbers if (row, column) not in taken and not sheet.in_table(row, column)]
        for part in _runs(sheet, [((row, column), row) for row in usable]):
            added = {at for at, (place, shape) in part.items() if shape and _adds_own(sheet, place, shape, "column")}
            kept = {at: one for at, one in part.items() if at not in added}
            line = _line(column, kept, 0.75, FEWEST, "column", added)
            if line:
                found.append(line)
                totals |= added
    return Lines("column", found, totals)


def _runs(sheet: Sheet, places: list[tuple[Place, int]]) -> Iterator[dict[int, tuple[Place, Shape | None]]]:
    """Numbers and formulas side by side; one blank, or a text, between two cells of one formula does not part them."""
    run: dict[int, tuple[Place, Shape | None]] = {}
    for place, at in places:
        cell = sheet.cells[place]
        if cell.shape is None and cell.kind != "n":
            continue
        if run:
            last = max(run)
            before = run[last][1]
            same = cell.shape is not None and before is not None and before.key == cell.shape.key
            if at - last > 2 or (at - last == 2 and not same):
                yield run
                run = {}
        run[at] = (place, cell.shape)
    if run:
        yield run


def _adds_own(sheet: Sheet, place: Place, shape: Shape, along: str) -> bool:
    """Whether a formula reads a range of its own row (or column), as a total does."""
    row, column = place
    for ref in shape.ranges:
        area = ref.at(sheet.title, row, column)
        if area.sheet == sheet.title and not area.is_cell and (
            area.top == area.bottom == row if along == "row" else area.left == area.right == column
        ):  # fmt: skip
            return True
    return False


def _line(
    number: int, part: dict[int, tuple[Place, Shape | None]], share: float, least: int, along: str, others: set[int]
) -> Line | None:
    """The line that most cells of a part make; `others` are cells among them that are none of it."""
    keys = {at: shape.key if shape else TYPED for at, (_, shape) in part.items()}
    main, count = most_common(key for key in keys.values() if key != TYPED)
    if main is None or count < least:
        return None
    shape = next(shape for _, shape in part.values() if shape and shape.key == main)
    if not shape.refs:
        return None  # a typed value, written as a formula
    having = [at for at, key in keys.items() if key == main]
    first, last = min(having), max(having)
    # a row may have other things at its ends; a column with many formulas is no list
    if count < share * sum(along == "column" or first <= at <= last for at in keys):
        return None
    seeded = any(
        (not corner.column_fixed and corner.column < 0) if along == "row" else (not corner.row_fixed and corner.row < 0)
        for ref in shape.refs for corner in (ref.first, ref.last)
    )  # fmt: skip
    adds = any(not ref.first.column_fixed and ref.first.column == 0 for ref in shape.ranges)
    line = Line(number, keys, main, first, last, seeded, adds_columns=along == "row" and adds, others=others)
    line.odd = [at for at, key in keys.items() if key != main]
    gaps = set(range(first, last + 1)) - set(keys) - others
    for at in gaps:
        if keys.get(at - 1) == main and keys.get(at + 1) == main:
            keys[at] = GAP
            line.odd.append(at)
    line.odd.sort()
    return line


def odd_cells(sheet: Sheet, lines: Lines) -> Iterator[Odd]:
    """The cells that differ from their lines, those left out that differ for a reason."""
    together = Counter(at for line in lines.lines for at in line.odd if line.first < at < line.last)
    spans = Counter(at for line in lines.lines for at in range(line.first, line.last + 1))
    for line in lines.lines:
        others = sum(1 for key in line.keys.values() if key == line.main)
        for at in line.odd:
            inside = line.first < at < line.last
            key = line.keys[at]
            kind = {TYPED: "typed", GAP: "gap"}.get(key, "formula")
            place = (line.number, at) if lines.along == "row" else (at, line.number)
            if inside:
                if kind == "formula" and (
                    at in lines.totals or 2 * together[at] > spans[at] > 2 or _named_total(sheet, place, lines.along)
                ):
                    continue  # a column of its own kind, as a quarter between months
                if kind == "gap" and (lines.along == "column" or (line.adds_columns and not lines.timed(at))):
                    continue  # as under a price, which is not added up
                if lines.along == "column" and not lines.listed(line, at) and (
                    line.weak or (kind == "formula" and others < 2 * FEWEST)
                ):  # fmt: skip
                    continue
            elif not _misses_its_end(lines, line, at, kind):
                continue
            near = min(
                (other for other, key in line.keys.items() if key == line.main), key=lambda other: abs(other - at)
            )
            yield Odd(place, kind, inside, lines.along,
                      (line.number, near) if lines.along == "row" else (near, line.number), others)  # fmt: skip


def _named_total(sheet: Sheet, place: Place, along: str) -> bool:
    """Whether the row of a column's cell is named total, or the column of a row's cell."""
    row, column = place
    if along == "row":
        return any(TOTAL.match(sheet.text(above, column)) for above in sheet.columns[column] if above < row)
    return any(TOTAL.match(sheet.text(row, left)) for left in sheet.rows[row] if left < column)


def _misses_its_end(lines: Lines, line: Line, at: int, kind: str) -> bool:
    """Whether a cell before or behind a line should belong to it."""
    before = at < line.first
    edge = line.first if before else line.last
    step = 1 if before else -1
    between = range(at, edge, step)
    if not all(one in line.keys or one in line.others for one in between):
        return False
    if before and line.seeded and abs(at - edge) == 1:
        return False  # what the first period begins with
    if lines.along == "column" and (kind == "formula" or line.weak):
        alone = len(line.odd) == 1 and not any(at in other.odd for other in lines.lines if other is not line)
        return alone and lines.listed(line, at)  # where more differs, another list begins
    if kind == "formula" and at in lines.totals:
        return False
    start = line.first
    while line.keys.get(start - 1) == TYPED:
        start -= 1
    if (
        before
        and line.first - start > 1
        and any(other is not line and other.first == line.first for other in lines.lines)
    ):
        return False  # actuals, then forecast
    return lines.goes_on(line, at, at + step, 1 if lines.along == "row" and kind == "typed" else 2)
