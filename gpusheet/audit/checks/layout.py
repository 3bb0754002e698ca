"""Points 33 to 36 and 38 to 41: nothing merged or hidden among data, sound tables and names, formats, printing, protection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gpusheet.audit.cells import Sheet
from gpusheet.audit.model import Model, ranges
from gpusheet.audit.parsing import split_areas
from gpusheet.audit.registry import Finding, Point, Words, error, note, point, warning
from gpusheet.audit.words import cut
from gpusheet.workbook.recalculation.cells import address

_LIKE_CELL = re.compile(r"^\$?[A-Za-z]{1,3}\$?[0-9]+$|^[Rr][0-9]*[Cc][0-9]*$")
_BUILT_IN = ("_xlnm.", "_xlfn.", "_xlpm.")
FEW = 20  # cells that make a sheet worth printing


@point(
    33, "M", ("No merged cells among data", "数据区没有合并单元格"),
    ("Merged cells that hold a number or a formula, or lie in a table.", "含数字或公式、或位于表格内的合并单元格。"),
    ("one value, one cell", "一值一格"),
    ("unmerge; use Center Across Selection for looks", "取消合并;如需居中用“跨列居中”"),
)  # fmt: skip
def not_merged(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        if model.roles[sheet.title] == "cover":
            continue
        for merged in sheet.stub.merged_cells.ranges:
            cell = sheet.cells.get((merged.min_row, merged.min_col))
            if sheet.in_table(merged.min_row, merged.min_col) or (cell and (cell.kind == "n" or cell.shape)):
                yield this.finding(
                    warning, Words("merged cells among data", "数据区内的合并单元格"), sheet.title, str(merged.coord)
                )


@point(
    34, "M", ("Nothing hidden", "没有隐藏内容"),
    ("Hidden sheets, and hidden rows and columns with numbers or formulas in them; grouped ones may be folded.",
     "隐藏的工作表,以及含数字或公式的隐藏行列;分组折叠不计。"),
    ("everything in sight, or grouped", "全部可见,或使用分组"),
    ("unhide; group what is detail", "取消隐藏;明细用分组"),
)  # fmt: skip
def not_hidden(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        state = sheet.stub.sheet_state
        if state != "visible":
            very = state == "veryHidden"
            yield this.finding(warning, Words("a sheet that only VBA can show" if very else "a hidden sheet",
                                              "深度隐藏的工作表" if very else "隐藏的工作表"), sheet.title)  # fmt: skip
        rows = {row for row in sheet.hidden_rows if _holds(sheet, sheet.rows.get(row, ()), row, None)}
        for first, last in _spans(rows):
            yield this.finding(
                warning, Words("hidden rows with figures", "含数据的隐藏行"), sheet.title, f"{first}:{last}"
            )
        yield from _columns(this, sheet)


def _columns(this: Point, sheet: Sheet) -> Iterator[Finding]:
    for letter, dimension in sheet.stub.column_dimensions.items():
        if dimension.hidden and not dimension.outlineLevel:
            span = range(dimension.min or 0, (dimension.max or 0) + 1)
            if any(
                _holds(sheet, sheet.columns.get(column, ()), None, column) for column in span if column <= sheet.size[1]
            ):
                yield this.finding(
                    warning, Words("hidden columns with figures", "含数据的隐藏列"), sheet.title, f"{letter}:{letter}"
                )


def _holds(sheet: Sheet, others: Any, row: int | None, column: int | None) -> bool:
    cells = (sheet.cells[(row, other) if row else (other, column or 0)] for other in others)
    return any(cell.kind == "n" or cell.shape for cell in cells)


def _spans(rows: set[int]) -> list[tuple[int, int]]:
    found: list[list[int]] = []
    for row in sorted(rows):
        if found and found[-1][1] == row - 1:
            found[-1][1] = row
        else:
            found.append([row, row])
    return [(first, last) for first, last in found]


@point(
    35, "M", ("Lists are tables", "清单为表格"),
    ("Headers of tables: texts, each once, without blanks at the ends, and as the file notes them.",
     "表格标题:均为文本、不重复、首尾无空格,并与文件记录一致。"),
    ("one text per column", "每列一个唯一的文本标题"),
    ("rename the header", "修改标题"),
    ("Are long lists (prices, specifications) Excel tables, so that formulas grow with them?",
     "较长的清单(价格、规格)是否为 Excel 表格,使公式随之扩展?"),
)  # fmt: skip
def headers(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        for name, area, header in sheet.tables:
            if not header:
                yield this.finding(
                    note,
                    Words(f"table {name} without headers", f"表 {name} 没有标题行"),
                    sheet.title,
                    address(area[1:3]),
                )
                continue
            seen: set[str] = set()
            for column in range(area.left, area.right + 1):
                text = sheet.text(area.top, column)
                cell = sheet.cells.get((area.top, column))
                raw = str(cell.value) if cell else ""
                if not text or text.casefold() in seen or raw != raw.strip():
                    yield this.finding(warning, Words(f"the header {raw!r} of table {name}", f"表 {name} 的标题 {raw!r}"),
                                       sheet.title, address((area.top, column)))  # fmt: skip
                seen.add(text.casefold())


@point(
    36, "M", ("Names lead somewhere", "名称有效"),
    ("Defined names that stand for #REF! or a sheet that is gone, or "
     "look like a cell; and formulas with a reference that leads nowhere.",
     "指向 #REF! 或已删除工作表的名称、形似单元格的名称,以及引用失效的公式。"),
    ("a range of this book", "本工作簿内的区域"),
    ("delete the name, or point it to its range", "删除该名称或重新指向"),
)  # fmt: skip
def names(model: Model, this: Point) -> Iterator[Finding]:
    for name, target in model.book.outline.names:
        if name.startswith(_BUILT_IN) or name.startswith("_"):
            continue
        broken = "#REF!" in target.upper() or any(_gone(model, part) for part in split_areas(target) if "!" in part)
        if broken or _LIKE_CELL.match(name):
            yield this.finding(
                error if broken else warning, Words(f"the name {name} = {cut(target)}", f"名称 {name} = {cut(target)}")
            )
    for sheet in model.sheets:
        for shape, places in model.groups(sheet):
            if shape.problems:
                for where, cells in ranges(places):
                    text = f"{shape.problems[0]} in {cut(sheet.formula(cells[0]))}"
                    yield this.finding(error, Words(text, text.replace(" in ", " 于 ", 1)), sheet.title, where)


def _gone(model: Model, part: str) -> bool:
    sheet = part.rpartition("!")[0].strip("'").replace("''", "'")
    if not re.fullmatch(r"(?:'(?:[^']|'')*'|[^\W\d][\w. ]*)!\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?", part):
        return False
    return sheet.casefold() not in model.book.shapes.titles


@point(
    38, "S", ("Numbers have a format", "数字有格式"),
    ("Computed numbers in the General format, with decimals, on calculation and output sheets.",
     "计算表与输出表中以“常规”格式显示的带小数计算结果。"),
    ("thousands, decimals, % or a date, by the unit", "按单位设置千分位、小数、百分比或日期"),
    ("set the number format", "设置数字格式"),
)  # fmt: skip
def formats(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        if model.roles[sheet.title] not in ("calculation", "output"):
            continue
        bare = [
            place
            for place in sheet.formulas
            if (cell := sheet.cells[place]).kind == "n"
            and model.book.number_format(cell) == "General"
            and (cell.value != int(cell.value) or abs(cell.value) >= 10000)
        ]
        if bare:
            yield this.finding(note, Words(f"{len(bare)} results in the General format", f"{len(bare)} 个结果为常规格式"),
                               sheet.title, ranges(bare)[0][0])  # fmt: skip


@point(
    39, "M", ("Frozen panes on time sheets", "时间表冻结窗格"),
    ("Sheets with a time line of at least six periods need frozen panes under it.", "时间轴不少于六期的工作表应在其下方冻结窗格。"),
    ("panes frozen where the numbers begin", "在数字起始处冻结"),
    ("View, Freeze Panes", "视图 > 冻结窗格"),
)  # fmt: skip
def frozen(model: Model, this: Point) -> Iterator[Finding]:
    for title, line in model.time_lines.items():
        sheet = model.book.sheets[title]
        if line.last - line.first >= 5 and not sheet.stub.freeze_panes:
            yield this.finding(note, Words("no frozen panes", "未冻结窗格"), title, address((line.row + 1, line.first)))


@point(
    40, "M", ("Ready to print", "打印设置"),
    ("A4, landscape, fitted to one page in width, or to several with their columns of titles repeated, rows of titles repeated "
     "where there are several pages, page numbers in the footer, a print area.",
     "A4、横向、一页宽(或多页宽且重复标题列)、多页时重复标题行、页脚有页码、有打印区域。"),
    ("all of these", "全部具备"),
    ("Page Layout, Page Setup", "页面布局 > 页面设置"),
)  # fmt: skip
def printed(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        stub = sheet.stub
        if len(sheet.cells) < FEW:
            continue
        fits = stub.sheet_properties.pageSetUpPr is not None and stub.sheet_properties.pageSetUpPr.fitToPage
        footer = "".join(
            str(part.text or "") for part in (stub.oddFooter.left, stub.oddFooter.center, stub.oddFooter.right)
        )
        lacking = [(en, zh) for there, en, zh in (
            (str(stub.page_setup.paperSize) == "9", "A4", "A4"),
            (stub.page_setup.orientation == "landscape", "landscape", "横向"),
            (fits and (stub.page_setup.fitToWidth in (None, 1) or ((stub.page_setup.fitToWidth or 0) > 1 and stub.print_title_cols)),
             "a width in pages", "按页宽缩放"),
            (stub.print_title_rows or sheet.size[0] <= 40, "repeated titles", "重复标题行"),
            ("&P" in footer, "page numbers", "页码"),
            (stub.print_area, "a print area", "打印区域"),
        ) if not there]  # fmt: skip
        if lacking:
            yield this.finding(
                note,
                Words("without " + ", ".join(en for en, _ in lacking), "缺少" + "、".join(zh for _, zh in lacking)),
                sheet.title,
            )


@point(
    41, "S", ("Formulas protected, inputs open", "公式受保护、输入可填"),
    ("Sheets of calculation, output and checks without protection; protected sheets of inputs with no unlocked cell.",
     "未保护的计算、输出与检查表;受保护却没有未锁定单元格的输入表。"),
    ("formula sheets protected without a password that could be lost, inputs unlocked", "公式表受保护(无易丢失的密码),输入未锁定"),
    ("Review, Protect Sheet", "审阅 > 保护工作表"),
    ("Is the password, if there is one, kept where the next owner finds it?", "如有密码,是否存放在接任者能找到之处?"),
)  # fmt: skip
def protected(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        role, on = model.roles[sheet.title], bool(sheet.stub.protection.sheet)
        if role in ("calculation", "output", "static", "check") and sheet.formulas and not on:
            yield this.finding(note, Words("formulas without protection", "公式未受保护"), sheet.title)
        if (
            role == "input"
            and on
            and not sheet.styled
            and not any(model.book.unlocked(cell.style) for cell in sheet.cells.values())
        ):
            yield this.finding(
                note, Words("protected inputs, none of them unlocked", "输入表受保护且无可填单元格"), sheet.title
            )
