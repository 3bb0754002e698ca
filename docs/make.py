"""Writes the reference pages from the registry and the row types: `python docs/make.py`.

Run it after a change of a rule, a label, a unit or a field; a test compares the pages with what this writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from openpyxl.utils import get_column_letter

from gpusheet.audit.page import page as audit_page
from gpusheet.catalog import INHERITED, Column, Row, columns
from gpusheet.catalog.derived import Found, Month
from gpusheet.catalog.planning import PLANNING
from gpusheet.catalog.settings import Settings
from gpusheet.constants import NAMED
from gpusheet.expr import number_text, render
from gpusheet.registry import REQUIRED, Parameter, Rule, all_rules
from gpusheet.rules import SUBJECTS
from gpusheet.wiring import TABLES, inputs, quantities
from gpusheet.workbook.assumptions_sheet import GROUPS, SMALL
from gpusheet.workbook.layout import title_of
from gpusheet.xl.functions import Function, grouped

HERE = Path(__file__).parent
LANGUAGES = ("en", "zh")
SHEETS = {"Workload": "Workloads", "Assumptions": "Assumptions", "Gpu": "GPUs", "Model": "Models", "Engine": "Engines",
          "Generation": "Generations", "Price": "Prices", "Fx": "FX",
          **{row_type.__name__: sheet for sheet, (row_type, *_) in PLANNING.items()}}  # fmt: skip
TITLES: Mapping[str, tuple[str, str]] = {
    **{name: (title_of(sheet, "en"), title_of(sheet, "zh")) for name, sheet in SHEETS.items()},
    **{row_type.__name__: titles for _, row_type, _, titles in SMALL},
    Settings.__name__: GROUPS["settings"],
    "OtherCost": ("Costs that are not cards", "非 GPU 费用"),
    Found.__name__: ("What look-ups find (not typed)", "取数结果（非填写项）"),
    Month.__name__: ("A month of the budget (not typed)", "预算月份（非填写项）"),
}
WORDS = {
    "en": {
        "other": "[中文]({page}.zh.md)",
        "made": "Written by `python docs/make.py`; edit the rule or the field instead.",
        "rules": "Rules",
        "rules intro": "Each rule is one quantity. It is the Python function `gpusheet.rules.NAME`, the Excel function "
        "`NAME` in capitals, the line of that name in the workbook's Sizing sheet and a quantity of `gpusheet.solve`. "
        "The formula is the one that the sheet holds, with names for cells: `tiny` is 1E-9, with which rounding and "
        "comparison overlook rounding errors.",
        "inputs": "Inputs",
        "inputs intro": "Every column of every table, as CSV files, sheets and Python spell it. A name in bold is "
        "required. Sources: [A] token throughput, [B] concurrency calculator, [C] memory segments; see "
        "[errata](errata.md).",
        "functions": "Excel functions",
        "functions intro": "The same functions whichever way they come into Excel: classic xlwings, xlwings Lite, LAMBDA "
        "names (rules only) and `gpusheet recalc`. An argument in [brackets] may be left out; blank means the same. A bad "
        "argument gives #VALUE!, a name or price that is not known #N/A, an impossible number #NUM!, and an error in an "
        "argument is passed on; `ERROR_REASON` says why. [Which way runs where](troubleshooting.md#which-way-runs-where).",
        "example": "Example:", "gives": "gives", "range of": "with this range as {place}:",
        "formula": "Formula", "unit": "Unit", "source": "Source", "most": "At most", "from": "From", "label": "Label",
        "parameter": "Parameter", "name": "Name", "allowed": "Allowed", "default": "Default", "range": "Usual range",
        "meaning": "Meaning", "rule": "rule", "only": "A function only: the workbook has no line of it.",
        "kept": "kept", "or": " or ", "constants": "Constants", "value": "Value",
    },
    "zh": {
        "other": "[English]({page}.md)",
        "made": "由 `python docs/make.py` 生成，请修改规则或字段本身。",
        "rules": "规则",
        "rules intro": "每条规则是一个量：Python 函数 `gpusheet.rules.名称`、Excel 函数（名称大写）、"
        "工作簿“测算”表中的同名行，以及 `gpusheet.solve` 的一个结果。公式与单元格中的公式一致，以名称代替单元格；"
        "`tiny` 为 1E-9，取整与比较借此忽略浮点误差。含义的文字说明见英文页。",
        "inputs": "输入项",
        "inputs intro": "每张表的每一列，CSV、工作表与 Python 拼写相同。粗体为必填。来源：[A] 令牌吞吐法，"
        "[B] 并发计算器，[C] 显存三段式；见[勘误](errata.zh.md)。",
        "functions": "Excel 函数",
        "functions intro": "无论以何种方式装入 Excel，函数都相同：经典 xlwings、xlwings Lite、LAMBDA 名称（仅规则）与 "
        "`gpusheet recalc`。[方括号]中的参数可省略，留空含义相同。参数不合法得 #VALUE!，未知名称或缺价得 #N/A，"
        "不可能的数得 #NUM!，参数中的错误原样传出；`ERROR_REASON` 说明原因。[适用范围](troubleshooting.zh.md#适用范围)。",
        "example": "示例：", "gives": "结果", "range of": "其中 {place} 为：",
        "formula": "公式", "unit": "单位", "source": "来源", "most": "上限", "from": "取自", "label": "名称",
        "parameter": "参数", "name": "字段", "allowed": "允许值", "default": "默认值", "range": "常见范围",
        "meaning": "含义", "rule": "规则", "only": "仅作函数使用，工作簿中没有对应行。",
        "kept": "保持默认", "or": "或", "constants": "常数", "value": "数值",
    },
}  # fmt: skip


def pages() -> dict[str, str]:
    """Every generated page by its file name."""
    made = {}
    for lang in LANGUAGES:
        ending = ".zh.md" if lang == "zh" else ".md"
        made[f"rules{ending}"] = "\n".join(_rules(lang)) + "\n"
        made[f"inputs{ending}"] = "\n".join(_inputs(lang)) + "\n"
        made[f"audit{ending}"] = audit_page(lang)
        made[f"functions{ending}"] = "\n".join(_functions(lang)) + "\n"
    return made


def _head(page: str, lang: str) -> Iterator[str]:
    words = WORDS[lang]
    yield f"# {words[page]}"
    yield ""
    yield f"{words['other'].format(page=page)} · {words['made']}"
    yield ""
    yield words[f"{page} intro"]


def _table(*heads: str) -> Iterator[str]:
    yield ""
    yield _line(*heads)
    yield _line(*["---"] * len(heads))


def _line(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


# --- rules ----------------------------------------------------------------------------------------------------------


def _rules(lang: str) -> Iterator[str]:
    yield from _head("rules", lang)
    subject = ""
    for rule in all_rules().values():
        if rule.subject != subject:
            subject = rule.subject
            yield ""
            yield f"## {SUBJECTS[subject][lang == 'zh']}"
        yield from _rule(rule, lang)
    words = WORDS[lang]
    yield ""
    yield f"## {words['constants']}"
    yield from _table(words["name"], words["value"])
    for constant in NAMED:
        yield _line(f"`{constant.name}`", number_text(constant))


def _rule(rule: Rule, lang: str) -> Iterator[str]:
    words = WORDS[lang]
    prose, example = _parts(rule.doc)
    yield ""
    yield f"### {rule.name}"
    yield ""
    yield f"**{rule.label(lang)}** · {words['unit']}: {rule.unit.label(lang)} · {words['source']}: {rule.source}" + (
        f" · {words['most']}: {rule.unit.show(rule.most, lang)}" if rule.most is not None else "")  # fmt: skip
    if lang == "en":
        yield ""
        yield prose
    if not rule.line:
        yield ""
        yield words["only"]
    yield from ["", "```", f"{rule.name} = {render(rule.expression, str)}", "```"]
    yield from _table(words["parameter"], words["label"], words["unit"], words["from"], words["default"])
    for parameter in rule.parameters:
        yield _line(f"`{parameter.name}`", *_parameter(rule, parameter, lang))
    yield from ["", "```pycon", example, "```"]


def _parameter(rule: Rule, parameter: Parameter, lang: str) -> tuple[str, str, str, str]:
    words, wired = WORDS[lang], parameter.wired_to
    quantity = quantities().get(wired) if wired and rule.line else None
    default = "" if parameter.default is REQUIRED else _shown(parameter.default)
    label = quantity.label(lang) if quantity else ""
    if quantity is None:
        origin = words["kept"] if rule.line else ""
    elif quantity.rule is not None:
        origin = f"{words['rule']} [{wired}](#{wired})"
    elif wired in TABLES:
        origin = f"{TITLES['Tier'][lang == 'zh']}, `{TABLES[wired].name}`"
    else:
        owners = ["Workload", quantity.owner] if wired in INHERITED else [quantity.owner]
        origin = f"{words['or'].join(TITLES[owner][lang == 'zh'] for owner in owners)}, `{wired}`"
    return label, parameter.unit.label(lang), origin, default


def _parts(doc: str) -> tuple[str, str]:
    """The meaning and the example of a docstring."""
    blocks = doc.strip().split("\n\n")
    prose = [block.replace("\n", " ") for block in blocks if not block.startswith(">>>")]
    return "\n\n".join(prose), "\n".join(block for block in blocks if block.startswith(">>>"))


# --- functions ------------------------------------------------------------------------------------------------------


def _functions(lang: str) -> Iterator[str]:
    yield from _head("functions", lang)
    for group, members in grouped(lang):
        yield ""
        yield f"## {group}"
        for function in members:
            yield from _function(function, lang)


def _function(function: Function, lang: str) -> Iterator[str]:
    words = WORDS[lang]
    yield from ["", f"### {function.name}", "", f"`={function.usage}`", "", function.help(lang)]
    if function.arguments:
        yield from _table(words["parameter"], words["meaning"])
        for argument in function.arguments:
            yield _line(f"`{argument.name}`", argument.help(lang))
    tables = [cell for cell in function.example if isinstance(cell, list)]
    places = {str(cell): f"A1:{get_column_letter(len(cell[0]))}{len(cell)}" for cell in tables}
    result = function(*function.example)
    call = f"`={function.call(places)}`"
    if not function.spills:
        shown = f'"{result}"' if isinstance(result, str) else f"{result:.15g}"
        yield from ["", f"{words['example']} {call} {words['gives']} `{shown}`"]
        return
    yield from ["", f"{words['example']} {call} {words['gives']}"]
    yield from _grid(result[:4])
    for cell in tables:
        yield from ["", words["range of"].format(place=places[str(cell)])]
        yield from _grid(cell)


def _grid(rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    yield from _table(*map(_shown, rows[0]))
    for row in rows[1:]:
        yield _line(*map(_shown, row))


# --- inputs ---------------------------------------------------------------------------------------------------------


def row_types() -> list[type[Row]]:
    """Every row type, in the order of the titles."""
    ours = [kind for kind in Row.__subclasses__() if kind.__module__.startswith("gpusheet.")]
    found = {kind.__name__: kind for part in ours for kind in part.__subclasses__() or [part]}
    if set(found) != set(TITLES):
        raise TypeError(f"TITLES and the row types differ in {sorted(set(found) ^ set(TITLES))}")
    return [found[name] for name in TITLES]


def _inputs(lang: str) -> Iterator[str]:
    yield from _head("inputs", lang)
    words = WORDS[lang]
    for row_type in row_types():
        yield ""
        yield f"## {TITLES[row_type.__name__][lang == 'zh']}"
        heads = ["name", "label", "unit", "allowed", "default", "range", "source"]
        yield from _table(*(words[head] for head in heads), *([words["meaning"]] if lang == "en" else []))
        for column in columns(row_type):
            yield _line(*_column(column, lang), *([column.doc] if lang == "en" else []))


def _column(column: Column, lang: str) -> tuple[str, ...]:
    name = f"**`{column.name}`**" if column.required else f"`{column.name}`"
    rule = all_rules().get(column.name)
    source = column.source or ""
    if rule and rule.line and column.name in inputs():
        ending = ".zh.md" if lang == "zh" else ".md"
        source = f"[{WORDS[lang]['rule']}](rules{ending}#{column.name})"
    default = "" if column.default is None else _shown(column.default, column.unit.symbol)
    ends = [_shown(end, column.unit.symbol) for end in (column.low, column.high) if end is not None]
    return name, column.label(lang), column.unit.label(lang), column.allowed(lang), default, " – ".join(ends), source


def _shown(value: Any, unit: str = "") -> str:
    if isinstance(value, tuple):
        return ", ".join(_shown(one) for one in value)
    if isinstance(value, int | float):
        return f"{value * 100:g}%" if unit == "%" else f"{value:g}"
    return str(value)


def main() -> None:
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8")
        print(f"docs/{name}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main()
