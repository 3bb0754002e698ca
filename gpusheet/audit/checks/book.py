"""Points 1 to 6: cover, version log, order and index of the sheets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpusheet.audit.cells import Sheet
from gpusheet.audit.model import Model
from gpusheet.audit.registry import Finding, Point, Words, note, point, warning
from gpusheet.audit.words import cut
from gpusheet.workbook.recalculation.cells import address

SAID = {
    "purpose": (re.compile(r"purpose|目的|用途", re.I), "用途"),
    "author": (re.compile(r"author|prepared by|owner|编制人|作者|负责人", re.I), "编制人"),
    "currency": (re.compile(r"currency|币种|货币", re.I), "币种"),
    "tax basis": (re.compile(r"\btax|\bvat\b|税", re.I), "税务口径"),
    "sign convention": (re.compile(r"sign convention|\bsigns?\b|positive|符号|正数", re.I), "符号约定"),
}
LOG = {
    "version": re.compile(r"version|版本", re.I), "date": re.compile(r"date|日期", re.I),
    "author": re.compile(r"author|by|作者|编制", re.I), "change": re.compile(r"change|description|变更|说明", re.I),
}  # fmt: skip
ORDER = {"cover": 0, "text": 0, "input": 1, "calculation": 2, "output": 3, "static": 3, "check": 4}
MANY = 5  # sheets that want an index


@point(
    1, "M", ("A cover first", "首页为封面"),
    ("The first sheet is a cover and says purpose, author, currency, tax basis and sign convention.",
     "首个工作表为封面,并写明用途、编制人、币种、税务口径与符号约定。"),
    ("all of them on the first sheet", "均在首个工作表上"),
    ("write them on the first sheet", "在首个工作表上补充"),
    ("Is what the cover says true of this version?", "封面所述是否符合当前版本?"),
)  # fmt: skip
def cover(model: Model, this: Point) -> Iterator[Finding]:
    first = next(iter(model.sheets), None)
    if first is None:
        return
    texts = " ".join(str(cell.value) for cell in first.cells.values() if cell.kind == "s")
    lacking = [name for name, (words, _) in SAID.items() if not words.search(texts)]
    if lacking:
        yield this.finding(
            note,
            Words(f"nothing about {', '.join(lacking)}", f"未说明{'、'.join(SAID[name][1] for name in lacking)}"),
            first.title,
        )


@point(
    2, "M", ("A version log", "版本记录"),
    ("A row of headers with version, date, author and change, and a line under it.",
     "有版本、日期、作者、变更四个标题的表头行,且下方至少一行记录。"),
    ("version, date, author, change", "版本、日期、作者、变更说明"),
    ("add the log to the cover and a line for each version", "在封面增加版本记录并逐版填写"),
)  # fmt: skip
def version_log(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        for row, columns in sheet.rows.items():
            texts = [sheet.text(row, column) for column in columns if 0 < len(sheet.text(row, column)) < 25]
            if (
                len(texts) >= 4
                and all(any(words.search(text) for text in texts) for words in LOG.values())
                and row + 1 in sheet.rows
            ):
                return
    yield this.finding(note, Words("no version log", "没有版本记录"))


@point(
    3, "M", ("Inputs, calculations and outputs apart", "输入、计算与输出分开"),
    ("Sheets on which at least ten typed numbers that are read stand beside at least ten formulas; tables and columns of "
     "their own count as apart.",
     "同一工作表上被引用的手填数字与公式均不少于十个;表格与独立的列视为分开。"),
    ("a sheet for each role", "各角色各有工作表"),
    ("move the inputs to a sheet of their own", "将输入移到单独的工作表"),
    ("Does each sheet have one role that its reader can tell?", "每个工作表是否只有一个清楚的角色?"),
)  # fmt: skip
def apart(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        if model.book.ours and model.roles[sheet.title] == "input":
            continue
        columns = {column for _, column in sheet.formulas}
        typed = [place for place, cell in sheet.cells.items() if cell.typed_number and place[1] in columns
                 and not sheet.in_table(*place) and model.read[sheet.title][place] and not model.book.is_date(cell)]  # fmt: skip
        if len(typed) >= 10 and len(sheet.formulas) >= 10:
            yield this.finding(note, Words(f"{len(typed)} typed numbers among {len(sheet.formulas)} formulas",
                                           f"{len(sheet.formulas)} 个公式之间有 {len(typed)} 个手填数字"), sheet.title)  # fmt: skip


@point(
    4, "S", ("Sheets in reading order", "工作表按阅读顺序排列"),
    ("Cover, inputs, calculations, outputs, checks, by the roles that names and contents show.",
     "按名称与内容判断角色:封面、输入、计算、输出、检查。"),
    ("cover, inputs, calculations, outputs, checks", "封面、输入、计算、输出、检查"),
    ("move the tab", "移动工作表标签"),
)  # fmt: skip
def in_order(model: Model, this: Point) -> Iterator[Finding]:
    highest, before = 0, ""
    for title, role in model.roles.items():
        rank = ORDER.get(role)
        if rank is None:
            continue
        if rank < highest and role != "text":
            yield this.finding(note, Words(f"{role} after {before}", f"排在 {before} 之后"), title)
        elif rank > highest:
            highest, before = rank, title


@point(
    5, "S", ("An index that works", "目录链接有效"),
    (f"Every link inside the book leads to a sheet that is there; from {MANY} sheets on, the first sheet links to all of them.",
     f"工作簿内的链接均指向存在的工作表;工作表达到 {MANY} 个时,首个工作表应链接到所有工作表。"),
    ("a link to each sheet", "到每个工作表的链接"),
    ("list the sheets on the cover with links", "在封面列出带链接的工作表目录"),
)  # fmt: skip
def index(model: Model, this: Point) -> Iterator[Finding]:
    reached: dict[str, set[str]] = {}
    for sheet in model.sheets:
        for where, target in _links(sheet):
            title = target.rpartition("!")[0].strip("'").replace("''", "'")
            known = model.book.shapes.titles.get(title.casefold())
            if not title:
                continue
            if known is None:
                yield this.finding(warning, Words(f"a link to {target}", f"指向 {target} 的链接"), sheet.title, where,
                                   expected=Words("a sheet that is there", "存在的工作表"))  # fmt: skip
            else:
                reached.setdefault(sheet.title, set()).add(known)
    first = next(iter(model.book.sheets), "")
    others = set(list(model.book.sheets)[1:])
    lacking = [title for title in model.book.sheets if title in others - reached.get(first, set())]
    if len(others) + 1 >= MANY and lacking:
        yield this.finding(
            note, Words(f"no link to {cut(', '.join(lacking))}", f"没有到 {cut('、'.join(lacking))} 的链接"), first
        )


def _links(sheet: Sheet) -> Iterator[tuple[str, str]]:
    yield from sheet.links
    for place, shape in sheet.formulas.items():
        if shape.functions == ("HYPERLINK",) and (found := re.search(r'HYPERLINK\("#([^"]+)"', shape.text)):
            yield address(place), found[1]


@point(
    6, "S", ("Tabs coloured by role", "标签颜色区分角色"),
    (f"From {MANY} sheets on: tabs of one role have one colour, and roles "
     f"differ.", f"工作表达到 {MANY} 个时:同一角色标签同色,不同角色不同色。"),
    ("a colour for each role", "每个角色一种颜色"),
    ("colour the tabs", "设置标签颜色"),
)  # fmt: skip
def coloured(model: Model, this: Point) -> Iterator[Finding]:
    if len(model.book.sheets) < MANY:
        return
    colours: dict[str, set[str]] = {}
    for sheet in model.sheets:
        colour = sheet.stub.sheet_properties.tabColor
        colours.setdefault(model.roles[sheet.title], set()).add(str(colour.rgb) if colour is not None else "")
    one_each = all(len(found) == 1 for found in colours.values())
    if not one_each or len({next(iter(found)) for found in colours.values()}) < len(colours):
        yield this.finding(note, Words("roles that share a colour, or have several", "角色颜色重复或不一致"))
