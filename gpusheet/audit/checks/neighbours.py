"""What a cell's neighbours tell of points 16 and 44: sums that add less than theirs, and cells that read another name's column."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from gpusheet.audit.cells import Place, Sheet
from gpusheet.audit.model import Model, ranges
from gpusheet.audit.registry import Finding, Point, Words, also, error, warning
from gpusheet.audit.shapes import Area, Ref, Shape
from gpusheet.audit.words import cut
from gpusheet.workbook.recalculation.cells import address

TAKEN_FROM = {"VLOOKUP": 1, "INDEX": 0, "XLOOKUP": 2, "LOOKUP": 2, "SUMIFS": 0, "SUMIF": 2, "AVERAGEIFS": 0, "AVERAGEIF": 2}
MOST = 400  # cells that a sum may add, to be held against its neighbours'
REACH = 3  # rows (columns) within which a neighbour is looked for on either side
Read = tuple[str | None, bool, int, bool, int]  # a cell that a formula reads, in relative form


@also(16)
def less_than_neighbours(model: Model, this: Point) -> Iterator[Finding]:
    """Sums of which two neighbours add what they add and something more, which is there for them as well."""
    for sheet in model.sheets:
        sums = {shape: added for shape, _ in model.groups(sheet) if (added := _added(shape))}
        found: dict[str, list[tuple[Place, Place, str]]] = defaultdict(list)
        for place, shape in sheet.formulas.items():
            if shape not in sums:
                continue
            for near in _neighbours(sheet, place):
                wider = _wider(sums, shape, near, sheet)
                missing = _there(model, sheet, place, sums[wider[0]] - sums[shape]) if wider else ""
                if wider and missing:
                    found[shape.key].append((place, wider[1], missing))
                    break
        for members in found.values():
            first = {place: (beside, missing) for place, beside, missing in members}
            for where, places in ranges(first):
                beside, missing = first[places[0]]
                mine, theirs = cut(sheet.formula(places[0])), cut(sheet.formula(beside))
                yield this.finding(
                    error, Words(f"{mine} without {missing}, where the cells beside it add theirs, such as {theirs}",
                                 f"{mine} 未含 {missing},而相邻单元格均已包含,如 {theirs}"), sheet.title, where)  # fmt: skip


def _added(shape: Shape) -> frozenset[Read] | None:
    """The cells that a plain sum adds, in relative form; None for other formulas."""
    if (
        set(shape.functions) - {"SUM"} or set(shape.operators) - {"+"} or shape.numbers or shape.names or shape.problems
        or not (shape.functions or shape.operators)
    ):  # fmt: skip
        return None
    found: set[Read] = set()
    for ref in shape.refs:
        a, b = ref.first, ref.last
        if ref.whole or (a.row_fixed, a.column_fixed) != (b.row_fixed, b.column_fixed) or "[" in ref.text:
            return None  # a running total
        if (b.row - a.row + 1) * (b.column - a.column + 1) > MOST:
            return None
        found |= {(ref.sheet, a.row_fixed, row, a.column_fixed, column)
                  for row in range(a.row, b.row + 1) for column in range(a.column, b.column + 1)}  # fmt: skip
    return frozenset(found) if len(found) > 1 else None


def _neighbours(sheet: Sheet, place: Place) -> Iterator[list[Place]]:
    """Up to two formulas on either side, above and below and then at the left and the right."""
    row, column = place
    for down, across in ((1, 0), (0, 1)):
        near: list[Place] = []
        for way in (-1, 1):
            at = [(row + way * step * down, column + way * step * across) for step in range(1, REACH + 1)]
            near += [one for one in at if one in sheet.formulas][:2]
        yield near


def _wider(
    sums: dict[Shape, frozenset[Read]], shape: Shape, near: list[Place], sheet: Sheet
) -> tuple[Shape, Place] | None:
    """The sum that two neighbours or more have and that holds all of this one, and one of them."""
    shapes = Counter(sheet.formulas[one] for one in near)
    if shapes[shape]:
        return None
    for other, count in shapes.items():
        if count > 1 and other in sums and sums[shape] < sums[other]:
            return other, next(one for one in near if sheet.formulas[one] is other)
    return None


def _there(model: Model, sheet: Sheet, place: Place, missing: frozenset[Read]) -> str:
    """The cells left out, if each of them holds a number."""
    row, column = place
    found: dict[str | None, list[Place]] = defaultdict(list)
    for title, row_fixed, down, column_fixed, across in missing:
        other = model.book.sheets.get(title or sheet.title)
        at = (down if row_fixed else row + down, across if column_fixed else column + across)
        cell = other.cells.get(at) if other else None
        if cell is None or (cell.kind != "n" and cell.shape is None) or at == place:
            return ""
        found[title].append(at)
    return ", ".join(f"{title}!{where}" if title else where for title, places in found.items() for where, _ in ranges(places))


@also(16)
def stops_before_the_last(model: Model, this: Point) -> Iterator[Finding]:
    """Totals whose range ends one cell before them, where that cell is a number that is used in its own line only."""
    for sheet in model.sheets:
        found: dict[str, dict[Place, Place]] = defaultdict(dict)
        for place, shape in sheet.formulas.items():
            if shape.functions != ("SUM",) or shape.operators or len(shape.refs) != 1 or shape.refs[0].is_cell:
                continue
            area, (row, column) = shape.refs[0].at(sheet.title, *place), place
            if area.sheet == sheet.title and area.left == area.right == column and area.bottom == row - 2:
                between, read = (row - 1, column), model.readings.read_from_rows
            elif area.sheet == sheet.title and area.top == area.bottom == row and area.right == column - 2:
                between, read = (row, column - 1), model.readings.read_from_columns
            else:
                continue
            cell = sheet.cells.get(between)
            if cell and cell.kind == "n" and not read[sheet.title][between] and model.label(sheet, *between):
                found[shape.key][place] = between
        for members in found.values():
            for where, places in ranges(members):
                formula, left = cut(sheet.formula(places[0])), address(members[places[0]])
                yield this.finding(
                    error, Words(f"{formula} without {left}, which stands between and which no other line uses",
                                 f"{formula} 未含其间的 {left},且其他行列均未引用该单元格"), sheet.title, where)  # fmt: skip


@also(44)
def same_cell(model: Model, this: Point) -> Iterator[Finding]:
    """Links to one and the same cell of several sheets, but for one, which takes a row of another name."""
    for sheet in model.sheets:
        links = {place: shape.refs[0].at(sheet.title, *place) for place, shape in sheet.formulas.items()
                 if shape.is_link and not sheet.in_table(*place)}  # fmt: skip
        odd: dict[str, list[Place]] = defaultdict(list)
        for place, area in links.items():
            for down, across in ((1, 0), (0, 1)):
                near = [links[one] for step in (*range(-REACH, 0), *range(1, REACH + 1))
                        if (one := (place[0] + step * down, place[1] + step * across)) in links]  # fmt: skip
                usual = Counter(one[1:] for one in near).most_common(1)
                titles = {one.sheet for one in near}
                if len(near) < 2 or usual[0][1] != len(near) or len(titles | {area.sheet}) != len(near) + 1:
                    continue
                top, left = usual[0][0][0], usual[0][0][1]
                names = [model.label(model.book.sheets[one.sheet], top, left) for one in near if one.sheet in model.book.sheets]
                mine = model.book.sheets.get(area.sheet)
                if mine and area[1:3] != (top, left) and len(set(names)) == 1 and names[0] and (
                    model.label(mine, top, left) == names[0] != model.label(mine, area.top, area.left)
                ):  # fmt: skip
                    odd[names[0]].append(place)
                    break
        for name, places in odd.items():
            for where, members in ranges(places):
                formula = cut(sheet.formula(members[0]))
                yield this.finding(
                    error, Words(f"{formula}, where the links beside it take {name!r}", f"{formula},而相邻引用均取 {name!r}"),
                    sheet.title, where, expected=Words(f"a link to {name!r}", f"引用 {name!r}"))  # fmt: skip


@also(44)
def named_sheet(model: Model, this: Point) -> Iterator[Finding]:
    """Plain links in a row or column that has the name of a sheet, to another one, where other links keep to such names."""
    titles = {title.casefold(): title for title in model.book.sheets}
    for sheet in model.sheets:
        links = {place: shape.refs[0].at(sheet.title, *place).sheet for place, shape in sheet.formulas.items()
                 if shape.is_link and not sheet.in_table(*place)}  # fmt: skip
        named = {place: {titles[one] for one in {model.label(sheet, *place).casefold(), *_headers(sheet, place)} if one in titles}
                 for place in links}  # fmt: skip
        if not any(linked in named[place] for place, linked in links.items()):
            continue
        odd: dict[tuple[str, str], list[Place]] = defaultdict(list)
        for place, linked in links.items():
            if named[place] and linked not in named[place] | {sheet.title}:
                odd[linked, min(named[place])].append(place)
        for (_, name), places in odd.items():
            for where, members in ranges(places):
                formula = cut(sheet.formula(members[0]))
                yield this.finding(
                    error, Words(f"{formula} under the name {name}", f"{formula},而此处名为 {name}"), sheet.title, where,
                    expected=Words(f"a link to {name}", f"引用 {name}"),
                    todo=Words("link the sheet of that name", "改为引用同名工作表"))  # fmt: skip


def _headers(sheet: Sheet, place: Place) -> dict[str, int]:
    """The texts typed above a cell, one below the other; for a list these are its name and its unit; with their rows."""
    row, column = place
    above = [one for one in sheet.columns.get(column, ()) if one < row]
    found: dict[str, int] = {}
    for one in reversed(above):
        text = "" if (one, column) in sheet.formulas else sheet.text(one, column).casefold()
        if text:
            found[text] = one
        elif found:
            break
    return found


@also(44)
def named_column(model: Model, this: Point) -> Iterator[Finding]:
    """Look-ups that take another column than the one that is headed as their own is."""
    for sheet in model.sheets:
        for shape, places in model.groups(sheet):
            if not TAKEN_FROM.keys() & set(shape.functions):
                continue
            by_column: dict[int, list[Place]] = defaultdict(list)
            for place in places:
                by_column[place[1]].append(place)
            for members in by_column.values():
                said = _another(model, sheet, shape, members[0])
                if said is None:
                    continue
                for where, _ in ranges(members):
                    yield this.finding(
                        warning if shape.operators else error, said, sheet.title, where,
                        expected=Words("the column of its own name", "同名列"),
                        todo=Words("take the column that is headed alike", "改取同名列"))  # fmt: skip


def _another(model: Model, sheet: Sheet, shape: Shape, place: Place) -> Words | None:
    """What a look-up takes where the column next to that one, and not it, has the name of the cell's own column."""
    own = _headers(sheet, place)
    if any(sheet.formulas.get((place[0], place[1] + step)) is shape for step in (-1, 1)):
        return None  # a line along a row, which has its names at the left
    said = None
    for ref in shape.refs:
        area = ref.at(sheet.title, *place)
        column = _taken(shape, ref, area) if area.sheet != sheet.title else None
        source = model.book.sheets.get(area.sheet)
        if column is None or source is None:
            continue
        taken, *beside = ({*_headers(source, (area.top, one)), source.text(area.top, one).casefold()} - {""}
                          for one in (column, column - 1, column + 1))  # fmt: skip
        if own.keys() & taken:
            return None
        names = [name for name, at in own.items() if len(name) > 2 and name in beside[0] | beside[1]
                 and sum(sheet.text(at, other).casefold() == name for other in sheet.rows[at]) == 1]  # units stand twice
        if taken and names:
            formula, other = cut(sheet.formula(place)), cut(min(taken), 30)
            said = Words(f"{formula}, which takes the column named {other!r}, where the one next to it has the name here, {names[0]!r}",
                         f"{formula} 取列 {other!r},而此处名为 {names[0]!r},与其相邻列同名")  # fmt: skip
    return said


def _taken(shape: Shape, ref: Ref, area: Area) -> int | None:
    """The column that a look-up takes from a range; None where it is computed or the range is none to take from."""
    step = ref.function
    if area.rows < 2 or TAKEN_FROM.get(step.function) != step.argument or not ref.alone:
        return None
    if area.columns == 1:
        return area.left
    typed = [one.text for one in shape.numbers
             if one.within and one.within[-1].call == step.call and one.within[-1].argument == 2]  # fmt: skip
    return area.left + int(typed[0]) - 1 if len(typed) == 1 and typed[0].isdigit() else None
