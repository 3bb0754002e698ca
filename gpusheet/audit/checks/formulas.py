"""Points 24 to 29: what formulas are made of."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from gpusheet.audit.cells import Place, Sheet
from gpusheet.audit.circles import circles
from gpusheet.audit.model import Model, ranges
from gpusheet.audit.registry import Finding, Point, Words, error, note, point, warning
from gpusheet.audit.shapes import Number, Shape
from gpusheet.audit.words import cut

VOLATILE = {"INDIRECT", "OFFSET", "NOW", "TODAY", "RAND", "RANDBETWEEN", "RANDARRAY", "CELL", "INFO"}
FREE = {0, 1, 12, 24, 100, 1000}
UNIT_LIKE = {2, 3, 4, 7, 30, 52, 60, 360, 365, 366, 720, 730, 1440, 3600, 8760, 86400}  # of time; 2 for a mean of two
# functions whose arguments are places, counts of digits and choices, not factors
PLACING = {"ROUND", "ROUNDUP", "ROUNDDOWN", "MROUND", "TRUNC", "INDEX", "VLOOKUP", "HLOOKUP", "MATCH", "XLOOKUP", "XMATCH", "CHOOSE",
           "LEFT", "RIGHT", "MID", "TEXT", "DATE", "TIME", "EDATE", "EOMONTH", "WEEKDAY", "SUBTOTAL", "AGGREGATE", "LARGE", "SMALL",
           "OFFSET", "ADDRESS", "REPT", "CHAR", "FIND", "SEARCH", "LOG", "IFERROR", "N", "COUNTIF", "COUNTIFS", "SUMIFS", "SUMIF",
           "CONVERT", "PERCENTILE", "QUARTILE", "YEARFRAC", "DATEDIF"}  # fmt: skip
LONG, TOO_LONG, MANY = 120, 300, 5


@point(
    24, "M", ("No circular references", "没有循环引用"),
    ("Cells whose formulas lead back to themselves, by any path; and iterative calculation switched on.",
     "沿任何路径引用回自身的单元格;以及已开启的迭代计算。"),
    ("no way back to the cell itself", "不引用回自身"),
    ("break the circle: take the value of the period before, or compute it in closed form", "打破循环:取上期数值或改用封闭公式"),
)  # fmt: skip
def no_circles(model: Model, this: Point) -> Iterator[Finding]:
    for places in circles(model):
        title, row, column = places[0]
        path = " - ".join(model.book.where(*place) for place in (*places[:4], places[0]))
        yield this.finding(error, Words(f"a circle: {path}", f"循环:{path}"), title, ranges([(row, column)])[0][0])
    calculation = model.book.stub.calculation
    if calculation is not None and calculation.iterate:
        yield this.finding(
            warning, Words("iterative calculation switched on, which hides circles", "已开启迭代计算,会掩盖循环")
        )


@point(
    25, "M", ("No external links", "没有外部链接"),
    ("Parts of the file that name other workbooks, and formulas that read them.", "文件中指向其他工作簿的部分,以及引用它们的公式。"),
    ("all figures in the book", "所有数据均在本工作簿内"),
    ("paste the figures in as inputs with their source; Data, Edit Links, Break Link",
     "将数据作为带来源的输入粘贴进来;数据 > 编辑链接 > 断开链接"),
)  # fmt: skip
def no_links(model: Model, this: Point) -> Iterator[Finding]:
    told = False
    for sheet in model.sheets:
        for shape, places in model.groups(sheet):
            if shape.external:
                told = True
                for where, _ in ranges(places):
                    yield this.finding(warning, _as_formula(sheet, shape, places), sheet.title, where)
    links = [name for name in model.book.parts if name.startswith("xl/externalLinks/") and name.endswith(".xml")]
    if links and not told:
        yield this.finding(warning, Words(f"{len(links)} links to other workbooks", f"{len(links)} 个外部链接"))


@point(
    26, "M", ("No volatile functions", "没有易失函数"),
    ("INDIRECT, OFFSET, NOW, TODAY, RAND and their like: results change by themselves, or cannot be traced.",
     "INDIRECT、OFFSET、NOW、TODAY、RAND 等:结果会自行变化或无法追溯。"),
    ("INDEX, and dates that are typed", "INDEX 与手填日期"),
    ("use INDEX; type the date of the book once", "改用 INDEX;编制日期手填一次"),
)  # fmt: skip
def not_volatile(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        for shape, places in model.groups(sheet):
            if VOLATILE & set(shape.functions):
                for where, _ in ranges(places):
                    yield this.finding(warning, _as_formula(sheet, shape, places), sheet.title, where)


@point(
    27, "M", ("No whole columns or rows", "不引用整列整行"),
    ("References such as A:A or 5:5, which also take what stands below by accident.",
     "A:A 或 5:5 之类的引用会把下方无关内容一并计入。"),
    ("the range that is meant, or a table's column", "明确的区域或表格列"),
    ("name the range, or make it a table", "限定区域或改用表格"),
)  # fmt: skip
def no_whole_columns(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        for shape, places in model.groups(sheet):
            if any(ref.whole for ref in shape.refs):
                for where, _ in ranges(places):
                    yield this.finding(warning, _as_formula(sheet, shape, places), sheet.title, where)


@point(
    28, "S", ("Short formulas", "公式简短"),
    (f"Formulas longer than {TOO_LONG} characters; and whether 95% stay under {LONG}.",
     f"超过 {TOO_LONG} 个字符的公式;以及是否 95% 在 {LONG} 字符以内。"),
    (f"95% under {LONG} characters, none over {TOO_LONG}", f"95% 在 {LONG} 字符以内,且均不超过 {TOO_LONG}"),
    ("split it into rows of their own", "拆分为多行"),
)  # fmt: skip
def short(model: Model, this: Point) -> Iterator[Finding]:
    all_of = long = 0
    for sheet in model.sheets:
        for shape, places in model.groups(sheet):
            all_of += len(places)
            long += len(places) * (len(shape.text) > LONG)
            if len(shape.text) > TOO_LONG:
                for where, _ in ranges(places):
                    yield this.finding(note, Words(f"{len(shape.text)} characters: {cut(shape.text)}",
                                                   f"{len(shape.text)} 个字符:{cut(shape.text)}"), sheet.title, where)  # fmt: skip
    if all_of and long > 0.05 * all_of:
        share = f"{long / all_of:.0%}"
        yield this.finding(
            note, Words(f"{share} of the formulas longer than {LONG}", f"{share} 的公式超过 {LONG} 字符")
        )


@point(
    29, "M", ("No constants in formulas", "公式中没有常数"),
    ("Numbers typed in formulas, but for 0, 1, 12, 24, 100, 1000, powers of ten, and arguments that are places, digits or "
     "choices (ROUND, INDEX, DATE and the like). Numbers of time, as 365 or 7, 2, and bounds in a test of an input are noted only.",
     "公式中手填的数字;0、1、12、24、100、1000、10 的幂以及 ROUND、INDEX、DATE "
     "等函数中的位置、位数与选项参数除外。365、7 等时间数、2 以及输入校验中的上下限仅作提示。"),
    ("a cell with a name, a unit and a source", "有名称、单位与来源的单元格"),
    ("move the number to an assumption and refer to it", "将数字移到假设中并引用"),
)  # fmt: skip
def no_constants(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        found: dict[tuple[str, bool], list[Place]] = defaultdict(list)
        example: dict[tuple[str, bool], tuple[Shape, list[Place]]] = {}
        for shape, places in model.groups(sheet):
            grave = [one.text for one in shape.numbers if _is_factor(one, shape)]
            if grave:
                tests = all(
                    model.readings.only_tests(sheet, place, shape) for place in places[:3]
                )  # bounds of an input
                light = tests or not shape.refs or all(float(text.rstrip("%")) in UNIT_LIKE for text in grave)
                key = ", ".join(dict.fromkeys(grave)), light
                found[key] += places
                example.setdefault(key, (shape, places))
        for (texts, light), members in found.items():
            shape, places = example[texts, light]
            for where, cells in ranges(members):
                formula = cut(sheet.formula(cells[0]))
                yield this.finding(note if light else warning, Words(f"{texts} in {formula}", f"{formula} 中的 {texts}"),
                                   sheet.title, where)  # fmt: skip


def _is_factor(one: Number, shape: Shape) -> bool:
    value = abs(float(one.text.rstrip("%"))) if re.fullmatch(r"[\d.]+(E[+-]?\d+)?%?", one.text, re.I) else None
    if value is None or value in FREE or _is_power(value) or (one.before in ("=", "<>") and value == int(value)):
        return False  # a code or a count that is compared is no factor
    return not (one.within and one.within[-1].function in PLACING)


def _is_power(value: float) -> bool:
    """Whether a number is a power of ten, as scales of units and tolerances are.

    >>> _is_power(1e9), _is_power(1e-12), _is_power(1.06)
    (True, True, False)
    """
    text = f"{value:.15E}".partition("E")[0]
    return float(text) == 1


def _as_formula(sheet: Sheet, shape: Shape, places: list[Place]) -> Words:
    text = cut(sheet.formula(places[0]) or shape.text)
    return Words(text, text)
