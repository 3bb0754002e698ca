"""Point 16: totals and look-ups that cover what they should."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from gpusheet.audit.cells import Place, Sheet
from gpusheet.audit.model import TOTAL, Model, ranges
from gpusheet.audit.registry import Finding, Point, Words, also, error, point
from gpusheet.audit.shapes import Area, Ref
from gpusheet.audit.words import cut, number
from gpusheet.workbook.recalculation.cells import address

ADDING = {"SUM", "SUBTOTAL", "AGGREGATE", "AVERAGE", "SUMPRODUCT", "SUMIF", "SUMIFS", "AVERAGEIF", "AVERAGEIFS", "MAX",
          "MIN", "NPV", "IRR", "MEDIAN"}  # fmt: skip
COUNTING = {"COUNT", "COUNTA", "COUNTIF", "COUNTIFS", "ROWS", "COLUMNS"}
LOOKING = {"MATCH", "XMATCH", "INDEX", "LOOKUP", "VLOOKUP", "HLOOKUP", "XLOOKUP"}
CENT = 0.005
_PLAIN_SUM = re.compile(r"=SUM\([^()]*\)", re.IGNORECASE)


@dataclass(frozen=True)
class Missed:
    """A range that stops short of a row or column like those in it."""

    area: Area
    left_out: tuple[Place, ...]
    side: str


@point(
    16, "M", ("Totals cover all of their cells", "合计覆盖全部单元格"),
    ("Every range in a sum, count or look-up is held against the row or column next to it: if that holds the same "
     "formula, or typed numbers of the same format in a labelled row, and no other range takes it up, the range is too "
     "short; and against what the cells beside the formula add, and a number between the range and its total that no other "
     "line uses. Sums of whole blocks are checked on all four sides. Saved results of SUM are added up again; a typed number "
     "in a row named total is found, and what is added twice: a cell beside a sum that has it, or in two parts of one total.",
     "将求和、计数与查找公式中的每个区域与相邻行(列)比较:若相邻处为同样公式,或有名称且格式相同的手填数字,且没有其他区域包含它,"
     "则该区域过短;同时与相邻公式所加的单元格比较,并查出区域与合计之间未被其他行列引用的数字。整块求和检查四边;重新加总 SUM 的缓存值;"
     "并查出合计行中的手填数字,以及重复计入的单元格(与已含它的合计相加,或同时属于同一总计的两个部分)。"),
    ("a range over all rows and columns of its kind", "覆盖全部同类行与列的区域"),
    ("extend the range, or put a blank row between what belongs to it and what does not", "扩大区域,或在区域内外之间留一空行"),
)  # fmt: skip
def spans(model: Model, this: Point) -> Iterator[Finding]:
    short: dict[tuple[str, str, str], list[tuple[Place, Missed]]] = defaultdict(list)
    known: dict[tuple[Area, str], list[Missed]] = {}
    for reading in model.readings.ranges:
        ref, area, sheet = reading.ref, reading.area, reading.sheet
        sides = _sides(ref, area)
        timed = model.time_lines.get(area.sheet)
        if timed and (timed.first, timed.last) == (area.left, area.right):
            sides = sides.replace("l", "").replace("r", "")  # all periods: what stands beside them is something else
        if not sides or area.sheet not in model.book.sheets or ref.whole:
            continue
        key = (area, sides)
        if key not in known:
            known[key] = list(_missed(model, area, sides))
        for missed in known[key]:
            for place in reading.block.places:
                if area.rows * area.columns == 2 and not _follows(sheet, place, missed):
                    continue
                if place not in missed.left_out or area.sheet != sheet.title:
                    short[sheet.title, reading.shape.key, missed.side].append((place, missed))
    for (title, _, _), members in short.items():
        of = dict(members)
        for where, places in ranges(of):
            missed = of[places[0]]
            yield this.finding(error, _left_out(model, missed), title, where)


def _sides(ref: Ref, area: Area) -> str:
    """On which sides a range may stop short: of a line its two ends, of a block all, but for the columns of a look-up."""
    if "[" in ref.text:
        return ""
    name = ref.function.function
    if name not in ADDING | COUNTING | LOOKING:
        return ""
    if area.columns == 1:
        return "tb"
    if area.rows == 1:
        return "lr"
    if name in LOOKING:
        return "tb" if name in ("VLOOKUP", "INDEX", "LOOKUP", "XLOOKUP") else "lr"
    return "tblr"


def _follows(sheet: Sheet, place: Place, missed: Missed) -> bool:
    """Whether the formula stands right behind what its range leaves out, which tells also of a range of two."""
    row, column = missed.left_out[0]
    return sheet.title == missed.area.sheet and place in ((row + 1, column), (row, column + 1))


def _missed(model: Model, area: Area, sides: str) -> Iterator[Missed]:
    sheet = model.book.sheets[area.sheet]
    steps = {"t": (-1, 0), "b": (1, 0), "l": (0, -1), "r": (0, 1)}
    for side in sides:
        down, across = steps[side]
        edge = {"t": area.top, "b": area.bottom, "l": area.left, "r": area.right}[side]
        if down:
            pairs = [((edge + down, column), (edge, column)) for column in range(area.left, area.right + 1)]
        else:
            pairs = [((row, edge + across), (row, edge)) for row in range(area.top, area.bottom + 1)]
        if len(pairs) > 400 or not all(_alike(model, sheet, out, inner, bool(down)) for out, inner in pairs):
            continue
        if not _taken_up(model, area, side) and not _adds_range(sheet, area, side, edge + down + across):
            yield Missed(area, tuple(out for out, _ in pairs), side)


def _adds_range(sheet: Sheet, area: Area, side: str, at: int) -> bool:
    """Whether the next row (or column) is that of the totals of the range, whose cells at its ends may look alike."""
    if side in "tb":
        places = [(at, column) for column in sheet.rows.get(at, ())]
        if any(TOTAL.match(sheet.text(*place)) for place in places):
            return True
    else:
        places = [(row, at) for row in sheet.columns.get(at, ())]
        if any(TOTAL.match(sheet.text(*place)) for place in places if place[0] < area.top):
            return True
    for place in places:
        shape = sheet.formulas.get(place)
        for ref in shape.refs if shape else ():
            read = ref.at(sheet.title, *place)
            if read.sheet == sheet.title and not read.is_cell and (
                read.left == read.right == place[1] and read.top <= area.bottom and read.bottom >= area.top if side in "tb"
                else read.top == read.bottom == place[0] and read.left <= area.right and read.right >= area.left
            ):  # fmt: skip
                return True
    return False


def _alike(model: Model, sheet: Sheet, out: Place, inner: Place, down: bool) -> bool:
    """Whether a cell beside a range is of the same kind as the last one in it."""
    a, b = sheet.cells.get(out), sheet.cells.get(inner)
    if a is None or b is None or sheet.in_table(*out) != sheet.in_table(*inner):
        return False
    if a.shape or b.shape:
        return a.shape is not None and b.shape is not None and a.shape.key == b.shape.key
    row, column = inner
    if not down and (row - 1, column) in sheet.formulas and (row + 1, column) in sheet.formulas:
        return False  # typed over a column of formulas, of which point 10 tells
    if a.kind != "n" or b.kind != "n" or model.book.number_format(a) != model.book.number_format(b):
        return False
    if model.book.is_date(a) or model.book.is_bold(a.style) != model.book.is_bold(b.style):
        return False
    timed = model.time_lines.get(sheet.title)
    if timed and out[0] == timed.row:
        return False
    if down:
        label = model.label(sheet, *out)
        return bool(label) == bool(model.label(sheet, *inner)) and not TOTAL.match(label)
    return _has_header(sheet, out) == _has_header(sheet, inner)


def _has_header(sheet: Sheet, place: Place) -> bool:
    row, column = place
    return any(sheet.cells[above, column].kind == "s" or above < row for above in sheet.columns[column] if above < row)


def _taken_up(model: Model, area: Area, side: str) -> bool:
    """Whether the next line belongs to another range, as in parts of a whole, or in windows that move along."""
    readings = model.readings
    first, last = (area.top, area.bottom) if side in "tb" else (area.left, area.right)
    if side in "tb":
        others = readings.by_columns[area.sheet, area.left, area.right]
        grown = area._replace(top=area.top - (side == "t"), bottom=area.bottom + (side == "b"))
    else:
        others = readings.by_rows[area.sheet, area.top, area.bottom]
        grown = area._replace(left=area.left - (side == "l"), right=area.right + (side == "r"))
    if (
        area in readings.growing
        and ((grown.top, grown.bottom) if side in "tb" else (grown.left, grown.right)) in others
    ):
        return True  # one of a row that grow by one cell each
    after = side in "br"
    return any(
        high > low and (first < low <= last + 1 <= high if after else low <= first - 1 <= high < last)
        for low, high in others
    )


def _left_out(model: Model, missed: Missed) -> Words:
    area = f"{address((missed.area.top, missed.area.left))}:{address((missed.area.bottom, missed.area.right))}"
    sheet = model.book.sheets[missed.area.sheet]
    where = ", ".join(one for one, _ in ranges(missed.left_out))
    label = model.label(sheet, *missed.left_out[0]) if missed.side in "tb" else ""
    named = f" ({cut(label, 30)})" if label else ""
    return Words(f"the range {area} of {sheet.title} without {where}{named}, which is like its cells",
                 f"{sheet.title} 的区域 {area} 不含同类单元格 {where}{named}")  # fmt: skip


@also(16)
def counts_twice(model: Model, this: Point) -> Iterator[Finding]:
    """A cell that is added to the sum of a range in which it stands."""
    for block in model.readings.blocks:
        shape, title = block.shape, block.sheet.title
        if not shape.ranges or set(shape.operators) - {"+"} or not shape.operators:
            continue
        areas = [(ref, ref.at(title, block.top, block.left)) for ref in shape.refs]
        summed = [area for ref, area in areas if not ref.is_cell and ref.function.function == "SUM"]
        for ref, area in areas:
            if (
                ref.is_cell
                and not ref.within
                and any(one.sheet == area.sheet and one.covers(area.top, area.left) for one in summed)
            ):
                formula = cut(block.sheet.formula((block.top, block.left)))
                yield this.finding(
                    error, Words(f"{formula}, which counts {ref.text} twice", f"{formula},{ref.text} 被计入两次"), title,
                    ranges(block.places)[0][0], expected=Words("each cell once", "每个单元格只计一次"),
                    todo=Words("take the cell out", "去掉重复的单元格"))  # fmt: skip


@also(16)
def adds_overlapping(model: Model, this: Point) -> Iterator[Finding]:
    """A sum of sums of which two add the same cells, as quarters with a month in common."""
    for block in model.readings.blocks:
        sheet, shape = block.sheet, block.shape
        if len(shape.refs) != 1 or not _PLAIN_SUM.fullmatch(shape.text) or shape.refs[0].is_cell:
            continue
        for place in block.places:
            parts: list[tuple[Area, Place]] = []
            for at, _ in model.cells_in(shape.refs[0].at(sheet.title, *place)):
                inner = sheet.formulas.get(at)
                if inner and len(inner.refs) == 1 and _PLAIN_SUM.fullmatch(inner.text):
                    parts.append((inner.refs[0].at(sheet.title, *at), at))
            for (one, _), (other, at) in pairwise(sorted(parts)):
                if one.sheet == other.sheet and one.covers(other.top, other.left):
                    formula = cut(sheet.formula(at))
                    both = address((other.top, other.left))
                    yield this.finding(
                        error, Words(f"{formula}, which adds {both} that another part of {cut(sheet.formula(place))} has already",
                                     f"{formula},其中 {both} 已计入 {cut(sheet.formula(place))} 的另一部分"), sheet.title,
                        address(at), expected=Words("each cell once", "每个单元格只计一次"),
                        todo=Words("let the ranges meet without a cell in common", "使各区域首尾相接、互不重叠"))  # fmt: skip


@also(16)
def adds_up(model: Model, this: Point) -> Iterator[Finding]:
    """Saved results of plain sums, added up again."""
    for sheet in model.sheets:
        for place, shape in sheet.formulas.items():
            cell = sheet.cells[place]
            if cell.kind == "n" and _PLAIN_SUM.fullmatch(shape.text) and len(shape.refs) == 1 and not shape.problems:
                total = sum(model.numbers(shape.refs[0].at(sheet.title, *place)))
                if abs(total - cell.value) > max(CENT, 1e-9 * abs(total)):
                    yield this.finding(
                        error, Words(f"{number(cell.value)} saved as the result of {sheet.formula(place)}",
                                     f"{sheet.formula(place)} 的缓存值为 {number(cell.value)}"),
                        sheet.title, address(place), expected=Words(number(total), number(total)),
                        todo=Words("recalculate the book (Ctrl+Alt+F9) and save it", "重新计算(Ctrl+Alt+F9)并保存"))  # fmt: skip


@also(16)
def typed_totals(model: Model, this: Point) -> Iterator[Finding]:
    """Numbers typed in a row or column that is named total, where the book computes other things."""
    for sheet in model.sheets:
        if not sheet.formulas:
            continue
        typed = []
        for (row, column), cell in sheet.cells.items():
            if not cell.typed_number or sheet.in_table(row, column) or model.book.is_date(cell):
                continue
            above = [one for one in sheet.columns[column] if row - 30 <= one < row]
            numbers = [one for one in above if sheet.cells[one, column].kind == "n"]
            named = any(TOTAL.match(text) for text in model.labels(sheet, row, column))
            formulas = any(sheet.cells[row, other].shape for other in sheet.rows[row])
            if _brought_in(sheet, column, [*numbers, row]):
                continue
            if named and len(numbers) >= 2 and (formulas or any(sheet.cells[one, column].shape for one in numbers)):
                typed.append((row, column))
        for where, places in ranges(typed):
            yield this.finding(
                error, Words(f"the typed number {number(sheet.value(*places[0]))} as a total",
                             f"合计为手填数字 {number(sheet.value(*places[0]))}"),
                sheet.title, where, expected=Words("a sum of the cells above", "上方单元格之和"),
                todo=Words("put the SUM back", "恢复 SUM 公式"))  # fmt: skip


def _brought_in(sheet: Sheet, column: int, rows: list[int]) -> bool:
    """Whether a column holds typed numbers only, in rows that are computed elsewhere: figures of another year, or actuals."""
    return not any(one in sheet.formulas for one in ((row, column) for row in sheet.columns[column])) and all(
        any((row, other) in sheet.formulas for other in sheet.rows[row]) for row in rows
    )
