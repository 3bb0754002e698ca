"""Points 10 to 13: one formula along a line, periods in the same columns, consecutive, no nested conditions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from gpusheet.audit.cells import Place, Sheet
from gpusheet.audit.model import Model, ranges, steps
from gpusheet.audit.registry import Finding, Point, Words, error, note, point, warning
from gpusheet.audit.runs import Odd, columns_of, odd_cells, rows_of
from gpusheet.audit.shapes import Area
from gpusheet.audit.words import cut, number


@point(
    10, "M", ("One row, one formula", "一行一式"),
    ("Formulas are compared in relative form along each row, down each column of a list and in each table column. "
     "Found: a typed number, a gap or another formula among cells of one formula; in a column of few cells, where the columns "
     "beside it have one formula throughout. Totals, opening values, columns of actuals and columns that differ in most rows "
     "are left out.",
     "以相对引用形式沿行、沿清单的列以及表格列比较公式。查出同一公式单元格之间的手填数字、空缺或不同公式;单元格较少的列,仅在相邻列公式始终一致时查出。"
     "合计、期初值、实际数列以及多数行都不同的列除外。"),
    ("the formula of the line", "与该行(列)相同的公式"),
    ("fill the formula of its neighbours in, or write down why this cell differs", "用相邻公式填充,或注明该单元格不同的原因"),
)  # fmt: skip
def one_formula(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        rows = rows_of(model, sheet)
        odd = [*odd_cells(sheet, rows), *odd_cells(sheet, columns_of(sheet, rows))]
        yield from _told(model, this, sheet, odd)
        yield from _tables(model, this, sheet)


def _told(model: Model, this: Point, sheet: Sheet, odd: list[Odd]) -> Iterator[Finding]:
    groups: dict[tuple[str, bool, str, str], list[Odd]] = defaultdict(list)
    for one in odd:
        cell = sheet.cells.get(one.place)
        what = cell.shape.key if cell and cell.shape else one.kind
        groups[one.kind, one.inside, one.along, what].append(one)
    for (kind, inside, _, _), members in groups.items():
        at = {one.place: one for one in members}
        for where, places in ranges(at):
            one = at[places[0]]
            severity = {"typed": error, "gap": warning}.get(kind, error if inside else warning)
            yield this.finding(severity, _found(sheet, one), sheet.title, where)


def _found(sheet: Sheet, one: Odd) -> Words:
    beside = cut(sheet.formula(one.line))
    line = {"row": ("row", "行"), "column": ("column", "列")}[one.along]
    cell = sheet.cells.get(one.place)
    rest = Words(f"{one.others} cells of the {line[0]} have formulas such as {beside}",
                 f"该{line[1]}有 {one.others} 个单元格为 {beside} 一类公式")  # fmt: skip
    if one.kind == "typed" and cell:
        what = Words(f"the typed number {number(cell.value)}", f"手填数字 {number(cell.value)}")
    elif one.kind == "gap":
        text = str(cell.value) if cell else ""
        what = Words(f"the text {cut(text)!r}" if text else "a blank", f"文本 {cut(text)!r}" if text else "空白")
    else:
        what = Words(f"the formula {cut(sheet.formula(one.place))}", f"公式 {cut(sheet.formula(one.place))}")
    return Words(f"{what.en} where {rest.en}", f"{what.zh},而{rest.zh}")


def _tables(model: Model, this: Point, sheet: Sheet) -> Iterator[Finding]:
    for name, area, header in sheet.tables:
        for column in range(area.left, area.right + 1):
            yield from _column(this, sheet, name, area, area.top + header, column)


def _column(this: Point, sheet: Sheet, name: str, area: Area, first: int, column: int) -> Iterator[Finding]:
    keys: dict[str, list[Place]] = defaultdict(list)
    totals = sheet.stub.tables[name].totalsRowCount or 0
    for row in range(first, area.bottom + 1 - totals):
        cell = sheet.cells.get((row, column))
        keys["" if cell is None else cell.shape.key if cell.shape else "typed"].append((row, column))
    formulas = {key: places for key, places in keys.items() if key not in ("", "typed")}
    rows = area.bottom - first + 1 - totals
    main = max(formulas, key=lambda key: len(formulas[key]), default="")
    if not main or len(formulas[main]) < max(3, 0.6 * rows):
        return
    beside = cut(sheet.formula(formulas[main][0]))
    for key, places in keys.items():
        if key == main:
            continue
        for where, members in ranges(places):
            cell = sheet.cells.get(members[0])
            shown = "a blank" if cell is None else cut(sheet.formula(members[0])) or cut(str(cell.value))
            yield this.finding(
                warning if cell is None else error,
                Words(f"{shown} in a column of table {name} whose other cells have {beside}",
                      f"{'空白' if cell is None else shown},而表 {name} 该列其他单元格为 {beside}"), sheet.title, where)  # fmt: skip


@point(
    11, "M", ("The same period in the same column", "同一期间在同一列"),
    ("The first time line of each sheet (dates, years or month names side by side) is compared with those of other "
     "sheets; and a plain link between two time lines has to keep to its period.",
     "比较各工作表首条时间轴(相邻的日期、年份或月份名);两条时间轴之间的直接引用须对应同一期间。"),
    ("the same period in the same column of all sheets", "各表同一列为同一期间"),
    ("move the columns, or link by the period", "调整列,或按期间引用"),
)  # fmt: skip
def same_columns(model: Model, this: Point) -> Iterator[Finding]:
    seen: dict[Any, tuple[int, str]] = {}
    for title, line in model.time_lines.items():
        for offset, value in enumerate(line.values):
            column = line.first + offset
            first = seen.setdefault((type(value).__name__, value), (column, title))
            if first[0] != column:
                yield this.finding(
                    note, Words(f"{value} in column {column}, but in column {first[0]} of {first[1]}",
                                f"{value} 在第 {column} 列,而在 {first[1]} 为第 {first[0]} 列"),
                    title, ranges([(line.row, column)])[0][0])  # fmt: skip
                break
    yield from _slipped(model, this)


def _slipped(model: Model, this: Point) -> Iterator[Finding]:
    """Plain links that take another period than their own, where most of their row keeps to it or all slip alike."""
    for title, line in model.time_lines.items():
        sheet = model.book.sheets[title]
        found: dict[str, list[Place]] = defaultdict(list)
        for (row, column), shape in sheet.formulas.items():
            if shape.is_link and line.first <= column <= line.last and row != line.row:
                area = shape.refs[0].at(title, row, column)
                other = model.time_lines.get(area.sheet)
                if other and other is not line and other.first <= area.left <= other.last:
                    mine, theirs = line.values[column - line.first], other.values[area.left - other.first]
                    if type(mine) is type(theirs) and mine != theirs and mine in other.values:
                        found[area.sheet].append((row, column))
        for source, places in found.items():
            for where, members in ranges(places):
                yield this.finding(
                    warning, Words(f"a link to another period of {source}: {cut(sheet.formula(members[0]))}",
                                   f"引用了 {source} 的其他期间:{cut(sheet.formula(members[0]))}"),
                    title, where, expected=Words("the link to its own period", "引用同一期间"))  # fmt: skip


@point(
    12, "M", ("A time line without gaps, by formula", "时间轴连续且由公式生成"),
    ("Dates of a time line must step by one day, week, month, quarter or year throughout; all but the first are formulas.",
     "时间轴日期须始终按同一步长(日、周、月、季、年)递进;除首个外均为公式。"),
    ("equal steps, each computed from the one before", "步长相等,逐期由前一期推算"),
    ("use EDATE from the first period", "自首期起用 EDATE 推算"),
)  # fmt: skip
def consecutive(model: Model, this: Point) -> Iterator[Finding]:
    for title, line in model.time_lines.items():
        sheet = model.book.sheets[title]
        if line.dated:
            found = steps(line.values)
            by_months, by_days = (Counter(one) for one in zip(*found, strict=True))
            if len(by_months) > 1 and len(by_days) > 1:
                usual = by_months.most_common(1)[0][0]
                at = next(offset for offset, (months, _) in enumerate(found, 1) if months != usual)
                value = line.values[at]
                yield this.finding(error, Words(f"{value} after {line.values[at - 1]}", f"{line.values[at - 1]} 之后为 {value}"),
                                   title, ranges([(line.row, line.first + at)])[0][0])  # fmt: skip
        typed = [(line.row, column) for column in range(line.first + 1, line.last + 1)
                 if sheet.cells[line.row, column].shape is None]  # fmt: skip
        for where, _ in ranges(typed):
            yield this.finding(note, Words("typed periods", "手填的期间"), title, where)


@point(
    13, "S", ("Flags rather than nested conditions", "用标志行代替嵌套条件"),
    ("IF inside IF inside IF is counted; a flag row of 0 and 1 says the same in the open.",
     "统计 IF 的嵌套层数;用 0/1 标志行表达更清楚。"),
    ("at most one IF within another", "IF 最多嵌套一层"),
    ("put each condition in a flag row of 0 and 1", "将每个条件写成 0/1 标志行"),
)  # fmt: skip
def nested(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        for shape, places in model.groups(sheet):
            if shape.depth > 2:
                for where, _ in ranges(places):
                    yield this.finding(note, Words(f"IF nested {shape.depth} deep: {cut(shape.text)}",
                                                   f"IF 嵌套 {shape.depth} 层:{cut(shape.text)}"), sheet.title, where)  # fmt: skip
