"""Points 18 to 20, 22 and 23: checks that pass, no error values, a value in every formula cell."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from gpusheet.audit.cells import Cell, Place, Sheet
from gpusheet.audit.model import CHECK, Model, ranges
from gpusheet.audit.registry import Finding, Point, Words, error, note, point, warning
from gpusheet.audit.words import cut, number
from gpusheet.workbook.checks_sheet import MASTER, NAME
from gpusheet.workbook.checks_sheet import WORDS as CHECK_WORDS
from gpusheet.workbook.recalculation.cells import address, place_of_address

ERRORS = {"#REF!", "#N/A", "#NAME?", "#VALUE!", "#DIV/0!", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "#BLOCKED!",
          "#CONNECT!", "#FIELD!", "#UNKNOWN!", "#BUSY!", "#GETTING_DATA"}  # fmt: skip
_MASTER = re.compile(r"master check|overall check|all checks|model check|总检查|总校验|总体检查", re.IGNORECASE)
_PASSED = re.compile(r"^(ok|okay|pass(ed)?|true|yes|通过|正确|平|一致)", re.IGNORECASE)
TOLERANCE = 0.01
LEAST_CHECKS = 8


def _checks(model: Model) -> Iterator[tuple[Sheet, Place, Cell]]:
    """Formula cells that a label names a check, and those of check sheets that compare."""
    for sheet in model.sheets:
        ours = model.book.ours and sheet.title == NAME
        named = {row for row, column in sheet.cells if CHECK.search(sheet.text(row, column))}
        for place, shape in sheet.formulas.items():
            cell = sheet.cells[place]
            if ours or (place[0] not in named and model.roles[sheet.title] != "check"):
                continue
            label = model.label(sheet, *place)
            compares = (
                "-" in shape.operators or "ABS" in shape.functions or "IF" in shape.functions or "=" in shape.operators
            )
            if compares and (CHECK.search(label) or (model.roles[sheet.title] == "check" and label)):
                yield sheet, place, cell


@point(
    18, "M", ("A sheet of checks", "检查表"),
    ("A sheet with the role of checks (by its name, in either language) and at least eight formulas that compare.",
     "有名称表明为检查的工作表,且至少有八个比较公式。"),
    ("one row per check: what it says, value, tolerance, passed or not", "每项检查一行:说明、数值、容差、是否通过"),
    ("add a sheet of checks: totals both ways, blanks, errors, dates", "增加检查表:横纵合计、空缺、错误值、日期"),
)  # fmt: skip
def has_checks(model: Model, this: Point) -> Iterator[Finding]:
    sheets = [sheet for sheet in model.sheets if model.roles[sheet.title] == "check" and sheet.formulas]
    if any(sheet.formulas for sheet in model.sheets) and not sheets:
        yield this.finding(note, Words("no sheet of checks", "没有检查表"))
    for sheet in sheets:
        if len(sheet.formulas) < LEAST_CHECKS:
            count = len(sheet.formulas)
            yield this.finding(note, Words(f"{count} formulas", f"{count} 个公式"), sheet.title)


@point(
    19, "M", ("A master check on the cover", "封面上的总检查"),
    ("A cell named master check (or alike) that reads the checks, and a formula on the first sheet that reads it or them.",
     "有“总检查”一类的单元格汇总各项检查,且首个工作表有公式引用它。"),
    ("one cell that says whether all checks pass, on the first sheet", "首个工作表上有一个单元格说明检查是否全部通过"),
    ("sum the checks in one cell, and link it to the cover", "将检查汇总到一个单元格并链接到封面"),
)  # fmt: skip
def master_on_cover(model: Model, this: Point) -> Iterator[Finding]:
    checks = {sheet.title for sheet in model.sheets if model.roles[sheet.title] == "check" and sheet.formulas}
    first = next(iter(model.sheets), None)
    if not checks or first is None:
        return
    reads = {ref.at(first.title, *place).sheet for place, shape in first.formulas.items() for ref in shape.refs}
    if first.title not in checks and not checks & reads:
        yield this.finding(note, Words("a first sheet that shows no check", "首个工作表未显示检查结果"), first.title)


@point(
    20, "M", ("All checks pass", "检查全部通过"),
    ("Saved values of the master check and of the cells named check: 0, OK, passed or true.",
     "总检查及各检查单元格的缓存值应为 0、OK、通过或真。"),
    ("0 or OK", "0 或 OK"),
    ("see what the check compares", "查看该检查比较的内容"),
)  # fmt: skip
def checks_pass(model: Model, this: Point) -> Iterator[Finding]:
    if model.book.ours and NAME in model.book.sheets:
        sheet = model.book.sheets[NAME]
        value = sheet.value(*place_of_address(MASTER))
        if value is not None and value not in {words["good"] for words in CHECK_WORDS.values()}:
            yield this.finding(error, Words(f"{value}", f"{value}"), NAME, MASTER)
    for sheet, (row, column), cell in _checks(model):
        label = model.label(sheet, row, column)
        failed = False
        if cell.kind == "n":
            differs = "-" in sheet.formulas[row, column].operators or bool(_MASTER.search(label))
            failed = abs(cell.value) > TOLERANCE and differs and not _is_flag(sheet, column)
        elif cell.kind in ("s", "b") and str(cell.value):
            failed = not _PASSED.match(str(cell.value)) and bool(
                re.search(r"error|fail|check|wrong|false|有误|错误|不|否", str(cell.value), re.I)
            )
        if failed:
            yield this.finding(
                error,
                Words(f"{number(cell.value)} in {cut(label, 40)!r}", f"{cut(label, 40)!r} 为 {number(cell.value)}"),
                sheet.title,
                address((row, column)),
            )


def _is_flag(sheet: Sheet, column: int) -> bool:
    """Whether the formulas of a column say 1 or 0 only, of which either may be the good one."""
    return all(
        sheet.cells[row, column].value in (0, 1)
        for row in sheet.columns[column]
        if sheet.cells[row, column].kind == "n"
    )


@point(
    22, "M", ("No error values", "没有错误值"),
    ("Saved values that are errors, and texts that read like one, as functions of add-ins return them.",
     "缓存值为错误,或文本内容为错误值(加载项函数会如此返回)。"),
    ("a value", "有效数值"),
    ("follow the error to the cell where it begins", "追溯到错误的源头单元格"),
)  # fmt: skip
def no_errors(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        found: dict[str, list[Place]] = defaultdict(list)
        for place, cell in sheet.cells.items():
            if cell.kind == "e" or (cell.kind == "s" and cell.value in ERRORS):
                found[str(cell.value)].append(place)
        for text, places in found.items():
            for where, _ in ranges(places):
                yield this.finding(error, Words(text, text), sheet.title, where)


@point(
    23, "M", ("Every formula has its saved value", "公式均有缓存值"),
    ("Formula cells without a saved value: previews, phones and pandas show nothing there, and an audit cannot judge them. "
     "An empty text is a value.",
     "公式单元格没有缓存值:预览、手机与 pandas 均无显示,审计也无从判断。空文本算有值。"),
    ("a saved value", "缓存值"),
    ("open the book in Excel and save it, or run gpusheet recalc", "在 Excel 中打开并保存,或运行 gpusheet recalc"),
)  # fmt: skip
def saved_values(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        places = [place for place in sheet.formulas if sheet.cells[place].kind == ""]
        if places:
            count = Words(f"{len(places)} formulas without a value", f"{len(places)} 个公式没有缓存值")
            yield this.finding(warning, count, sheet.title, ranges(places)[0][0])
