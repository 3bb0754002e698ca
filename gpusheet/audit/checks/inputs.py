"""Points 7 to 9, 14, 15, 30, 31 and 37: what is typed, and whether it is marked, measured, checked and used."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from gpusheet.audit.cells import Cell, Place, Sheet
from gpusheet.audit.model import TOTAL, Model, ranges
from gpusheet.audit.registry import Finding, Point, Words, also, note, point, warning
from gpusheet.audit.words import cut, number

BLUE = re.compile(r"^(0000[89A-F][0-9A-F]|0000FF|1F4E[79][89D]|0070C0|305496|2F75B5|4472C4)$")


def inputs(model: Model, sheet: Sheet) -> Iterator[tuple[Place, Cell]]:
    """The numbers that a person has typed to be computed with: not those of headers, tables' ids and time lines."""
    timed = model.time_lines.get(sheet.title)
    for place, cell in sheet.cells.items():
        if not cell.typed_number or (timed and place[0] == timed.row):
            continue
        yield place, cell


def _is_input_style(model: Model, cell: Cell) -> bool:
    return bool(BLUE.match(model.book.color(cell.style))) or model.book.unlocked(cell.style)


@point(
    7, "M", ("Inputs are marked", "输入有标识"),
    ("Typed numbers on input sheets must be blue or unlocked, as the convention of finance has it.",
     "输入表中手填数字应为蓝色字体或未锁定(财务惯例)。"),
    ("blue font for what is typed", "手填数字用蓝色字体"),
    ("colour the inputs blue", "将输入设为蓝色"),
)  # fmt: skip
def marked(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        if model.roles[sheet.title] != "input":
            continue
        plain = [place for place, cell in inputs(model, sheet)
                 if not _is_input_style(model, cell) and model.read[sheet.title][place]]  # fmt: skip
        yield from _several(this, sheet, plain, ("numbers that look like formulas", "个手填数字没有输入标识"))


def _several(this: Point, sheet: Sheet, places: list[Place], words: tuple[str, str]) -> Iterator[Finding]:
    """One finding for a sheet: how many, and where the first are."""
    if places:
        count = len(places)
        yield this.finding(note, Words(f"{count} {words[0]}", f"{count} {words[1]}"), sheet.title, ranges(places)[0][0])


@point(
    8, "M", ("No typed numbers among results", "结果表中没有手填数字"),
    ("Typed numbers on sheets of calculation and output, but for headers and time lines; the sheet Risk of gpusheet is static: "
     "numbers that were drawn and say so.",
     "计算表与输出表中除表头与时间轴外的手填数字；gpusheet 的风险表为静态表，其抽样数字已注明。"),
    ("a formula, or an input on an input sheet", "公式,或放在输入表中的输入"),
    ("move the number to the inputs", "将数字移到输入表"),
)  # fmt: skip
def not_typed(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        if model.roles[sheet.title] not in ("calculation", "output"):
            continue
        typed = [place for place, cell in inputs(model, sheet)
                 if not sheet.in_table(*place) and (model.read[sheet.title][place] or model.book.ours)]  # fmt: skip
        for where, places in ranges(typed):
            value = number(sheet.value(*places[0]))
            yield this.finding(note, Words(f"the typed number {value}", f"手填数字 {value}"), sheet.title, where)


@point(
    9, "S", ("Formulas black, links green", "公式黑色、跨表引用绿色"),
    ("Formulas in the blue of inputs.", "以输入的蓝色显示的公式。"),
    ("black, or green for what reads another sheet", "黑色,跨表引用为绿色"),
    ("give formulas the font of formulas", "为公式设置公式字体"),
)  # fmt: skip
def not_blue(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        blue = [place for place in sheet.formulas if model.book.color(sheet.cells[place].style) == "0000FF"]
        yield from _several(this, sheet, blue, ("formulas in the blue of inputs", "个公式为输入的蓝色"))


@point(
    14, "M", ("Every row has its unit", "各行有单位"),
    ("On a sheet with a column of units every named row of numbers must have one. Otherwise each number needs a unit in "
     "its name, its header, the line under its header, or its format.",
     "有单位列的工作表,每个有名称的数字行都应填写单位;否则单位须见于名称、表头、表头下一行或数字格式。"),
    ("a unit", "单位"),
    ("add a column of units", "增加单位列"),
)  # fmt: skip
def has_units(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        columns = model.unit_columns[sheet.title]
        if columns:
            column, head = min(columns.items())
            lacking = [(row, column) for row in sheet.rows if row > head and not sheet.text(row, column)
                       and not sheet.in_table(row, column)  # a table has its units above its columns
                       and sheet.text(row, min(sheet.rows[row])) and _has_numbers(sheet, row, column)]  # fmt: skip
            yield from _several(
                this, sheet, lacking, ("named rows of numbers without a unit", "个有名称的数字行没有单位")
            )
        elif model.roles[sheet.title] in ("input", "calculation", "output") and sheet.formulas:
            bare = [place for place, cell in sheet.cells.items()
                    if cell.kind == "n" and model.book.number_format(cell) == "General" and not sheet.in_table(*place)
                    and not _named_with_unit(model, sheet, place)]  # fmt: skip
            if 2 * len(bare) > sum(cell.kind == "n" for cell in sheet.cells.values()):
                yield from _several(this, sheet, bare, ("numbers without a unit", "个数字没有单位"))


def _has_numbers(sheet: Sheet, row: int, after: int) -> bool:
    return any(column > after and sheet.cells[row, column].kind == "n" for column in sheet.rows[row])


def _named_with_unit(model: Model, sheet: Sheet, place: Place) -> bool:
    row, column = place
    names = [
        *model.labels(sheet, row, column),
        *(sheet.text(above, column) for above in sheet.columns[column] if above < row),
    ]
    return any(re.search(r"[(（\[].+[)）\]]|%|/", name) for name in names)


@point(
    15, "S", ("Units from a closed list", "单位用词统一"),
    ("Units that differ only in case, blanks or the width of a character.", "仅大小写、空格或全半角不同的单位。"),
    ("one spelling for a unit", "同一单位写法一致"),
    ("choose one spelling", "统一写法"),
)  # fmt: skip
def one_spelling(model: Model, this: Point) -> Iterator[Finding]:
    spelled: dict[str, dict[str, str]] = defaultdict(dict)
    for sheet in model.sheets:
        for column, head in model.unit_columns[sheet.title].items():
            for row in sheet.columns[column]:
                text = sheet.text(row, column)
                if row > head and text and _has_numbers(sheet, row, column):
                    key = re.sub(r"\s", "", text).replace("／", "/").casefold()
                    spelled[key].setdefault(text, model.book.where(sheet.title, row, column))
    for ways in spelled.values():
        if len(ways) > 1:
            sheet_, _, cell = list(ways.values())[1].rpartition("!")
            shown = " / ".join(ways)
            yield this.finding(note, Words(f"one unit spelled {shown}", f"同一单位写作 {shown}"), sheet_, cell)


@point(
    30, "M", ("No dead inputs", "没有无用输入"),
    ("Typed numbers and choices that nothing reads: no formula, name, table, chart or validation. A formula that only says "
     "whether the cell is valid does not count. A range read as a whole reads all of its cells.",
     "没有任何公式、名称、表格、图表或校验引用的手填数字与选项;仅判断该单元格是否有效的公式不计。整体引用的区域视为引用其全部单元格。"),
    ("something that reads it", "有引用它的公式"),
    ("link it to the formula that should use it, or delete it", "将其链接到应使用它的公式,或删除"),
)  # fmt: skip
def no_dead_inputs(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        if model.roles[sheet.title] in ("cover", "text", "static", "check") or not any(one.formulas for one in model.sheets):
            continue
        choices = _choices(sheet)
        dead: dict[bool, list[Place]] = defaultdict(list)
        for place, cell in sheet.cells.items():
            if cell.shape or model.read[sheet.title][place]:
                continue
            styled = _is_input_style(model, cell)
            if sheet.in_table(*place):
                continue
            if (cell.typed_number and not _is_header(model, sheet, place)) or (place in choices and styled):
                dead[styled].append(place)
        for styled, places in dead.items():
            for where, members in ranges(places):
                label = model.label(sheet, *members[0])
                what = cut(str(number(sheet.value(*members[0]))), 30)
                named = f" ({cut(label, 40)})" if label else ""
                yield this.finding(
                    warning if styled or _among_inputs(model, sheet, members[0]) else note,
                    Words(f"{what}{named}, which nothing reads", f"{what}{named} 无人引用"), sheet.title, where)  # fmt: skip
        yield from _dead_columns(model, this, sheet)


def _among_inputs(model: Model, sheet: Sheet, place: Place) -> bool:
    """Whether a number stands in a column of inputs: of its typed numbers at least half are used."""
    if model.roles[sheet.title] != "input":
        return False
    column = place[1]
    typed = [
        row
        for row in sheet.columns[column]
        if sheet.cells[row, column].typed_number and not sheet.in_table(row, column)
    ]
    return 2 * sum(bool(model.read[sheet.title][row, column]) for row in typed) >= len(typed)


def _dead_columns(model: Model, this: Point, sheet: Sheet) -> Iterator[Finding]:
    """Columns of tables with numbers that nothing reads: facts that are kept, but not computed with."""
    for name, area, header in sheet.tables:
        for column in range(area.left, area.right + 1):
            rows = range(area.top + header, area.bottom + 1)
            typed = [row for row in rows if (cell := sheet.cells.get((row, column))) and cell.typed_number]
            if typed and not any(model.read[sheet.title][row, column] for row in typed):
                title = sheet.value(area.top, column)
                yield this.finding(
                    note,
                    Words(f"column {title} of table {name}, which nothing reads", f"表 {name} 的列 {title} 无人引用"),
                    sheet.title,
                    ranges([(row, column) for row in rows])[0][0],
                )


def _is_header(model: Model, sheet: Sheet, place: Place) -> bool:
    """Whether a number names a row or a column rather than being computed with."""
    row, column = place
    cell = sheet.cells[place]
    if model.book.is_date(cell) or (1990 <= cell.value <= 2100 and cell.value == int(cell.value)):
        return True
    left = [other for other in sheet.rows[row] if other < column]
    right = [other for other in sheet.rows[row] if other > column]
    return not left and bool(right) and cell.value == int(cell.value)  # the number of a row


def _choices(sheet: Sheet) -> set[Place]:
    """Cells with a list to choose from."""
    found: set[Place] = set()
    for rule in sheet.stub.data_validations.dataValidation:
        if rule.type == "list":
            found |= {
                place
                for place in sheet.cells
                if any(
                    one.min_row <= place[0] <= one.max_row and one.min_col <= place[1] <= one.max_col
                    for one in rule.sqref.ranges
                )
            }
    return found


@point(
    31, "M", ("Each input once", "同一输入只出现一次"),
    ("Typed numbers on input sheets whose row has the same name and unit as another; tables are left out.",
     "输入表中名称与单位均相同的手填数字行;表格除外。"),
    ("one cell, which others refer to", "一个单元格,其余引用它"),
    ("keep one and link the others to it", "保留一处,其余改为引用"),
    ("Does the same driver stand in two places under different names?", "同一参数是否以不同名称出现在两处?"),
)  # fmt: skip
def once(model: Model, this: Point) -> Iterator[Finding]:
    seen: dict[tuple[str, ...], tuple[Sheet, Place]] = {}
    for sheet in model.sheets:
        if model.roles[sheet.title] != "input":
            continue
        for row, columns in sheet.rows.items():
            typed = [column for column in columns if sheet.cells[row, column].typed_number]
            if len(typed) != 1 or sheet.in_table(row, typed[0]) or not model.read[sheet.title][row, typed[0]]:
                continue
            texts = tuple(sorted({sheet.text(row, column).casefold() for column in columns} - {""}))
            if not texts or any(TOTAL.match(text) for text in texts):
                continue
            first = seen.setdefault(texts, (sheet, (row, typed[0])))
            if first[1] != (row, typed[0]) or first[0] is not sheet:
                at = model.book.where(first[0].title, *first[1])
                same = sheet.value(row, typed[0]) == first[0].value(*first[1])
                yield this.finding(
                    note,
                    Words(
                        f"the same name as {at}" + ("" if same else ", with another number"),
                        f"与 {at} 同名" + ("" if same else ",数值不同"),
                    ),
                    sheet.title,
                    ranges([(row, typed[0])])[0][0],
                )


@point(
    37, "M", ("Inputs are validated", "输入有数据验证"),
    ("Marked inputs (blue, unlocked) that are read and have no data validation; and validations that show no error.",
     "有标识(蓝色或未锁定)且被引用、但没有数据验证的输入;以及不提示错误的验证。"),
    ("a list, or bounds, with a text that says what is allowed", "下拉列表或上下限,并说明允许的取值"),
    ("add a data validation", "添加数据验证"),
)  # fmt: skip
def validated(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        if model.roles[sheet.title] != "input":
            continue
        rules = sheet.stub.data_validations.dataValidation
        covered = [one for rule in rules for one in rule.sqref.ranges]
        bare = [place for place, cell in inputs(model, sheet)
                if _is_input_style(model, cell) and model.read[sheet.title][place] and not any(
                    one.min_row <= place[0] <= one.max_row and one.min_col <= place[1] <= one.max_col for one in covered)]  # fmt: skip
        yield from _several(this, sheet, bare, ("inputs without a data validation", "个输入没有数据验证"))


@also(37)
def shown_errors(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        silent = [
            rule for rule in sheet.stub.data_validations.dataValidation if rule.type and not rule.showErrorMessage
        ]
        if silent:
            yield this.finding(note, Words(f"{len(silent)} validations that refuse nothing", f"{len(silent)} 个数据验证不提示错误"),
                               sheet.title, str(silent[0].sqref).split()[0])  # fmt: skip
