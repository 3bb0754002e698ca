"""Points 43 to 46, which the checklist does not name: look-ups in step, links to the right row, totals of one unit, keys."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from gpusheet.audit.cells import Place, Sheet
from gpusheet.audit.model import Model, ranges
from gpusheet.audit.registry import Finding, Point, Words, error, point, warning
from gpusheet.audit.shapes import Area, Ref, Shape, Step
from gpusheet.audit.words import cut
from gpusheet.workbook.recalculation.cells import address

IFS = {"SUMIFS": 0, "COUNTIFS": None, "AVERAGEIFS": 0, "MAXIFS": 0, "MINIFS": 0}
FINDERS = {"MATCH", "XMATCH"}


@point(
    43, "M", ("Look-ups in step", "查找区域对齐"),
    ("The range that INDEX takes from and the one that MATCH searches must begin and end alike, also where MATCH stands in "
     "a cell of its own; so must the ranges of SUMIF(S), COUNTIF(S), AVERAGEIF(S), LOOKUP and XLOOKUP, and those multiplied "
     "in SUMPRODUCT. A number added to MATCH counts. The column number of VLOOKUP must be within its table.",
     "INDEX 的取值区域与 MATCH 的查找区域须起止一致(MATCH 位于其他单元格时亦然);SUMIF(S)、COUNTIF(S)、AVERAGEIF(S)、LOOKUP、XLOOKUP "
     "以及 SUMPRODUCT 相乘的各区域同样如此;MATCH 之后加减的数字计入;VLOOKUP 的列号须在表内。"),
    ("ranges that begin and end in the same rows (columns)", "起止行(列)相同的区域"),
    ("align the ranges", "对齐各区域"),
)  # fmt: skip
def in_step(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        found: dict[tuple[str, str, str], list[Place]] = defaultdict(list)
        texts: dict[tuple[str, str, str], Words] = {}
        for shape, places in model.groups(sheet):
            if not shape.functions:
                continue
            for at in (places[0], places[-1]) if len(places) > 1 else places:
                for words, grave in _out_of_step(model, sheet, shape, at):
                    key = shape.key, words.en if len(places) == 1 else "", grave
                    found[key] = places
                    texts.setdefault(key, words)
        for key, places in found.items():
            for where, _ in ranges(places):
                yield this.finding(error if key[2] == "error" else warning, texts[key], sheet.title, where)


def _out_of_step(model: Model, sheet: Sheet, shape: Shape, at: Place) -> Iterator[tuple[Words, str]]:
    areas = [(ref, ref.at(sheet.title, *at)) for ref in shape.refs]
    calls: dict[tuple[int, str], list[tuple[Ref, Area]]] = defaultdict(list)
    for ref, area in areas:
        if ref.within:
            calls[ref.function.call, ref.function.function].append((ref, area))
    for (call, name), members in calls.items():
        if name == "INDEX":
            yield from _index(model, sheet, shape, call, members, areas, at)
        elif name in IFS or name in ("SUMIF", "AVERAGEIF", "COUNTIF", "LOOKUP", "XLOOKUP"):
            yield from _same_size(members, name)
        elif name == "SUMPRODUCT":
            yield from _multiplied(members)
        elif name in ("VLOOKUP", "HLOOKUP"):
            yield from _column_number(shape, call, name, members)


def _index(
    model: Model, sheet: Sheet, shape: Shape, call: int, members: list[tuple[Ref, Area]],
    areas: list[tuple[Ref, Area]], at: Place,
) -> Iterator[tuple[Words, str]]:  # fmt: skip
    taken = next((area for ref, area in members if ref.function.argument == 0), None)
    if taken is None or taken.is_cell:
        return
    for ref, area in areas:
        outer = ref.within[-2] if len(ref.within) > 1 else None
        if _is_searched(ref) and outer and outer.call == call and outer.argument > 0:
            yield from _pair(taken, area, _added(shape, ref), outer.argument)
    for ref, area in members:
        source = model.book.sheets.get(area.sheet)
        cell = source.cells.get((area.top, area.left)) if source else None
        if ref.function.argument > 0 and ref.alone and area.is_cell and cell and cell.shape:
            searched = [other for other in cell.shape.refs if _is_searched(other)]
            if len(searched) == 1:  # MATCH in a cell of its own
                where = searched[0].at(area.sheet, area.top, area.left)
                yield from _pair(taken, where, _added(cell.shape, searched[0]), ref.function.argument)


def _is_searched(ref: Ref) -> bool:
    return ref.function.function in FINDERS and ref.function.argument == 1


def _added(shape: Shape, searched: Ref) -> int:
    """What is plainly added to the place that MATCH finds; what stands after a match of brackets finds the next one."""
    if not _exact(shape, searched.function):
        return 0
    outer = searched.within[-2] if len(searched.within) > 1 else None
    found = 0
    for one in shape.numbers:
        inner = one.within[-1] if one.within else None
        same = (inner and (inner.call, inner.argument)) == (outer and (outer.call, outer.argument))
        if same and one.before in ("+", "-") and one.text.isdigit():
            found += int(one.text) if one.before == "+" else -int(one.text)
    return found


def _pair(taken: Area, searched: Area, extra: int, argument: int) -> Iterator[tuple[Words, str]]:
    """The range taken from and the one searched; `extra` is added to the place found."""
    if searched.is_cell or taken[:] == searched[:]:
        return  # the next in a list, as tiers are found
    if searched.columns == 1 and searched.rows > 1:
        if argument != 1 or taken.rows == 1:
            return
        mine, theirs = (taken.top, taken.bottom), (searched.top, searched.bottom)
    elif searched.rows == 1:
        if taken.rows > 1 and argument == 1:
            return
        mine, theirs = (taken.left, taken.right), (searched.left, searched.right)
    else:
        return
    same_sheet = taken.sheet == searched.sheet
    shift = mine[0] + extra - theirs[0]
    size = (mine[1] - mine[0]) - (theirs[1] - theirs[0])
    if (same_sheet and shift) or (not same_sheet and extra and mine[0] == theirs[0]):
        yield Words(f"INDEX over {_shown(taken)} by a MATCH over {_shown(searched)}: shifted by {shift or extra:+d}",
                    f"INDEX 取 {_shown(taken)},MATCH 查 {_shown(searched)}:错位 {shift or extra:+d}"), "error"  # fmt: skip
    elif size:
        yield (
            Words(
                f"INDEX over {_shown(taken)} by a MATCH over {_shown(searched)}, which is of another length",
                f"INDEX 取 {_shown(taken)},MATCH 查 {_shown(searched)},长度不同",
            ),
            "error" if not same_sheet or size < 0 else "warning",
        )


def _same_size(members: list[tuple[Ref, Area]], name: str) -> Iterator[tuple[Words, str]]:
    searched = [
        area for ref, area in members if ref.alone and not area.is_cell and _is_range(name, ref.function.argument)
    ]
    for area in searched[1:]:
        first = searched[0]
        if (area.rows, area.columns) != (first.rows, first.columns) and not {area.rows, area.columns} & {
            first.rows,
            first.columns,
        } > {1}:
            yield Words(f"{name} over {_shown(first)} and {_shown(area)}, which are of different size",
                        f"{name} 的区域 {_shown(first)} 与 {_shown(area)} 大小不同"), "error"  # fmt: skip
        elif area.sheet == first.sheet and (
            (area.columns == 1 and area.left != first.left and area.top != first.top)
            or (area.rows == 1 < area.columns and area.top != first.top and area.left != first.left)
        ):
            shift = area.top - first.top if area.columns == 1 else area.left - first.left
            yield Words(f"{name} over {_shown(first)} and {_shown(area)}: shifted by {shift:+d}",
                        f"{name} 的区域 {_shown(first)} 与 {_shown(area)} 错位 {shift:+d}"), "error"  # fmt: skip


def _is_range(name: str, argument: int) -> bool:
    if name in ("SUMIFS", "AVERAGEIFS", "MAXIFS", "MINIFS"):
        return argument == 0 or argument % 2 == 1
    if name in ("COUNTIFS", "COUNTIF"):
        return argument % 2 == 0
    return argument in ((0, 2) if name in ("SUMIF", "AVERAGEIF") else (1, 2))


def _multiplied(members: list[tuple[Ref, Area]]) -> Iterator[tuple[Words, str]]:
    lines = [area for _, area in members if area.columns == 1 < area.rows]
    for area in lines[1:]:
        first = lines[0]
        if area.sheet == first.sheet and area.left != first.left and area.top != first.top and area.rows == first.rows and (
            abs(area.top - first.top) == 1
        ):  # fmt: skip
            yield Words(f"SUMPRODUCT over {_shown(first)} and {_shown(area)}: shifted by {area.top - first.top:+d}",
                        f"SUMPRODUCT 的区域 {_shown(first)} 与 {_shown(area)} 错位 {area.top - first.top:+d}"), "error"  # fmt: skip


def _column_number(shape: Shape, call: int, name: str, members: list[tuple[Ref, Area]]) -> Iterator[tuple[Words, str]]:
    table = next((area for ref, area in members if ref.function.argument == 1), None)
    typed = [
        one.text for one in shape.numbers if one.within and one.within[-1].call == call and one.within[-1].argument == 2
    ]
    if table is None or len(typed) != 1 or not typed[0].isdigit():
        return
    most = table.columns if name == "VLOOKUP" else table.rows
    if not 1 <= int(typed[0]) <= most:
        yield Words(f"{name} takes number {typed[0]} of {_shown(table)}, which has {most}",
                    f"{name} 取 {_shown(table)} 的第 {typed[0]} 列(行),而其仅有 {most}"), "error"  # fmt: skip


def _shown(area: Area) -> str:
    return f"{area.sheet}!{address((area.top, area.left))}:{address((area.bottom, area.right))}"


@point(
    44, "M", ("Links to what has the same name", "引用同名的行、列与工作表"),
    ("A plain link to another sheet whose row is named otherwise, while the row above or below the linked one has exactly "
     "the link's own name; a link to another row than those beside it take of their sheets; a link in a row or column that "
     "is named like a sheet, to another sheet; a look-up whose column is named otherwise, while the next one has its name.",
     "直接引用其他工作表时,所引行名称不同,而其上一行或下一行恰与本行同名;相邻引用取各表同一行,唯独此处取另一行;行或列以工作表命名,"
     "却引用另一工作表;查找所取的列名称不同,而其相邻列恰与本列同名。"),
    ("the link to the row of its own name", "引用与本行同名的行"),
    ("link the row that is named alike", "改为引用同名行"),
)  # fmt: skip
def same_name(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        found: dict[int, list[tuple[Place, str]]] = defaultdict(list)
        for (row, column), shape in sheet.formulas.items():
            if not shape.is_link or sheet.in_table(row, column):
                continue
            area = shape.refs[0].at(sheet.title, row, column)
            source = model.book.sheets.get(area.sheet)
            if source is None or source is sheet:
                continue
            mine = {text for text in model.labels(sheet, row, column) if len(text) > 2}
            theirs = model.labels(source, area.top, area.left)
            if not mine or not theirs or mine & theirs:
                continue
            for step in (-1, 1):
                beside = model.labels(source, area.top + step, area.left)
                if mine & (beside - theirs):
                    found[row].append(((row, column), f"{cut(next(iter(theirs)), 30)}"))
        for members in found.values():
            for where, places in ranges(place for place, _ in members):
                name = next(text for place, text in members if place == places[0])
                formula = cut(sheet.formula(places[0]))
                yield this.finding(error, Words(f"{formula}, the row named {name!r}", f"{formula},该行名为 {name!r}"),
                                   sheet.title, where)  # fmt: skip


@point(
    45, "S", ("Totals of one unit", "合计单位一致"),
    ("Where a sheet has a column of units, the rows that one SUM adds must all have the same.",
     "工作表有单位列时,同一 SUM 所加各行单位须一致。"),
    ("one unit in all rows of a total", "合计各行单位相同"),
    ("convert before adding", "先换算再相加"),
)  # fmt: skip
def one_unit(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        columns = model.unit_columns[sheet.title]
        if not columns:
            continue
        found: dict[str, list[Place]] = defaultdict(list)
        for (row, column), shape in sheet.formulas.items():
            for ref in shape.ranges:
                area = ref.at(sheet.title, row, column)
                if ref.function.function != "SUM" or area.sheet != sheet.title or area.columns != 1 or area.rows < 2:
                    continue
                at = max((one for one in columns if one < area.left), default=0)
                filled = [one for one in range(area.top, min(area.bottom, sheet.size[0]) + 1)
                          if (cell := sheet.cells.get((one, area.left))) and cell.kind == "n"]  # fmt: skip
                if all(sheet.value(one, area.left) in (0, 1) for one in filled):
                    continue  # flags are counted
                units = {sheet.text(one, at) for one in filled} - {""}
                if at and len(units) > 1:
                    found[", ".join(sorted(units))].append((row, column))
        for units_, places in found.items():
            for where, _ in ranges(places):
                yield this.finding(warning, Words(f"a sum of {units_}", f"对 {units_} 求和"), sheet.title, where)


@point(
    46, "S", ("Keys once and clean", "键值唯一且规范"),
    ("Lists that MATCH or VLOOKUP search for an exact text: one that stands twice, of which only the first is found, and "
     "blanks at the ends, with which none is.",
     "MATCH 或 VLOOKUP 精确查找的文本列表:重复的键(只会找到第一个),以及首尾空格(无法匹配)。"),
    ("each key once, without blanks at the ends", "每个键唯一且首尾无空格"),
    ("rename the second one; take the blanks off", "修改重复键;去掉空格"),
)  # fmt: skip
def clean_keys(model: Model, this: Point) -> Iterator[Finding]:
    seen: set[Area] = set()
    for one in model.readings.ranges:
        step = one.ref.function
        if (
            step.function not in ("MATCH", "VLOOKUP", "XMATCH", "XLOOKUP")
            or step.argument != 1
            or not _exact(one.shape, step)
        ):
            continue
        area = one.area._replace(right=one.area.left) if step.function == "VLOOKUP" else one.area
        if area in seen or area.sheet not in model.book.sheets:
            continue
        seen.add(area)
        keys: dict[str, Place] = {}
        for place, cell in model.cells_in(area):
            text = str(cell.value)
            if cell.kind != "s" or not text.strip():
                continue
            first = keys.setdefault(text.strip().casefold(), place)
            if text != text.strip():
                yield this.finding(warning, Words(f"the key {text!r}", f"键 {text!r}"), area.sheet, address(place))
            elif first != place:
                yield this.finding(
                    warning,
                    Words(f"{cut(text, 40)}, as in {address(first)}", f"{cut(text, 40)} 与 {address(first)} 相同"),
                    area.sheet,
                    address(place),
                )


def _exact(shape: Shape, step: Step) -> bool:
    """Whether the call looks for equal keys only."""
    last = {"MATCH": 2, "VLOOKUP": 3}.get(step.function)
    if last is None:
        return True  # the newer functions do so by default
    kind = [
        one.text
        for one in shape.numbers
        if one.within and one.within[-1].call == step.call and one.within[-1].argument == last
    ]
    return kind == ["0"] or (step.function == "VLOOKUP" and "FALSE" in shape.text.upper())
