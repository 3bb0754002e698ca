"""`gpusheet diff`: two budget workbooks, what differs, and which change of input explains which change of cost."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusheet.cli.screen import Lang, as_json, out, remark, table, warning, working
from gpusheet.errors import shown

if TYPE_CHECKING:
    from gpusheet.audit.bridge import Bridge
    from gpusheet.audit.difference import Difference

MOST_SHOWN = 100
WORDS: dict[str, dict[str, Any]] = {
    "en": {
        "inputs": "Inputs", "input_head": ("table", "row", "field", "old", "new"), "formulas": "Changed formulas",
        "formula_head": ("book", "cells", "stands there", "gpusheet writes"), "books": ("old", "new"),
        "results": "Results", "result_head": ("workload", "quantity", "unit", "old", "new"),
        "bridge": "Cost of the first {} months, {}", "step_head": ("step", "changes", "effect", "as the first", "as the last"),
        "old": "old budget", "new": "new budget", "same": "The two budgets are the same.", "more": "and {} more; --json lists all",
        "order": "Each step takes over one group of changes, in this order; together they are the whole change. The same group "
                 "has another effect at another place: as the first and as the last one it would be as shown.",
        "added": "(added)", "removed": "(removed)",
    },
    "zh": {
        "inputs": "输入", "input_head": ("表", "行", "字段", "旧", "新"), "formulas": "被改动的公式",
        "formula_head": ("工作簿", "单元格", "现有内容", "gpusheet 写入"), "books": ("旧", "新"),
        "results": "结果", "result_head": ("业务", "指标", "单位", "旧", "新"),
        "bridge": "前 {} 个月成本,{}", "step_head": ("步骤", "变更数", "影响", "若最先", "若最后"),
        "old": "旧预算", "new": "新预算", "same": "两份预算相同。", "more": "另有 {} 项,--json 列出全部",
        "order": "每步按此顺序采用一组变更,各步之和即全部变化。同一组变更在不同位置影响不同:最先与最后的影响如表所示。",
        "added": "(新增)", "removed": "(移除)",
    },
}  # fmt: skip


def diff(
    old: Annotated[Path, typer.Argument(help="The workbook to compare with.", metavar="OLD")],
    new: Annotated[Path, typer.Argument(help="The workbook that was changed.", metavar="NEW")],
    lang: Annotated[Lang, typer.Option(help="Language of labels.")] = Lang.en,
    json: Annotated[bool, typer.Option("--json", help="Everything as JSON.")] = False,
) -> None:
    """Compare two budget workbooks of gpusheet: inputs, prices, formulas, results, and what explains the change of cost.

    gpusheet diff budget.xlsx budget-v2.xlsx

    The cost of the first year (the budget's first 12 months, or all if it has fewer) goes from the old to the new one in
    steps, each with one more group of changes, solved anew; the steps add up.

    Ends with 0, whether the books differ or not; 1 if one of them cannot be read, 2 if the options are wrong.
    """
    from gpusheet.audit.difference import diff as compare

    with working(f"Comparing {old.name} and {new.name}"):
        found = compare(old, new)
    if json:
        as_json(_as_json(old, new, found, lang))
        return
    words = WORDS[lang]
    if found.same:
        out().print(words["same"])
        return
    _inputs(found, words)
    _formulas(found, words)
    _results(found, words, lang)
    if found.bridge is not None:
        _bridge(found.bridge, words, lang)
    else:
        warning(found.no_bridge)
    for line in found.remarks:
        warning(line)


def _cut(rows: list[Any], words: dict[str, Any]) -> list[Any]:
    if len(rows) > MOST_SHOWN:
        remark(words["more"].format(len(rows) - MOST_SHOWN))
    return rows[:MOST_SHOWN]


def _inputs(found: Difference, words: dict[str, Any]) -> None:
    rows = [
        (
            one.table,
            one.row,
            one.field or words[one.kind],
            _text(one.old) if one.field else "",
            _text(one.new) if one.field else "",
        )
        for one in found.changes
    ]
    if rows:
        table(words["input_head"], _cut(rows, words), right=[3, 4], title=words["inputs"])


def _formulas(found: Difference, words: dict[str, Any]) -> None:
    rows = [(book, f"{one.sheet}!{one.cells}", shown(one.found), shown(one.written))
            for book, edits in zip(words["books"], found.formulas, strict=True) for one in edits]  # fmt: skip
    if rows:
        table(words["formula_head"], _cut(rows, words), title=words["formulas"])


def _results(found: Difference, words: dict[str, Any], lang: Lang) -> None:
    from gpusheet.wiring import quantities

    known = quantities()
    rows = [(one.workload, known[one.name].label(lang), known[one.name].unit.label(lang), _text(one.old), _text(one.new))
            for one in found.results]  # fmt: skip
    if rows:
        table(words["result_head"], _cut(rows, words), right=[3, 4], title=words["results"])


def _bridge(found: Bridge, words: dict[str, Any], lang: Lang) -> None:
    from gpusheet.audit.bridge import YEAR

    rows = [(words["old"], "", _money(found.old.total), "", "")]
    rows += [(one.title.say(lang), str(len(one.changes)), _signed(one.effect), _signed(one.first), _signed(one.last))
             for one in found.steps]  # fmt: skip
    rows.append((words["new"], "", _money(found.new.total), "", ""))
    months = " / ".join(dict.fromkeys(str(min(count, YEAR)) for count in found.months))
    table(words["step_head"], rows, right=[1, 2, 3, 4], title=words["bridge"].format(months, found.currency))
    if len(found.steps) > 1:
        remark(words["order"])


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.2f}"
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def _money(value: float) -> str:
    return f"{value:,.2f}"


def _signed(value: float) -> str:
    return f"{value:+,.2f}"


def _as_json(old: Path, new: Path, found: Difference, lang: Lang) -> dict[str, Any]:
    steps = found.bridge
    return {
        "old": str(old), "new": str(new), "same": found.same,
        "inputs": [{"table": one.table, "row": one.row or None, "field": one.field or None, "kind": one.kind,
                    "old": one.old, "new": one.new} for one in found.changes],
        "formulas": {side: [vars(one) for one in edits] for side, edits in zip(("old", "new"), found.formulas, strict=True)},
        "results": [vars(one) for one in found.results],
        "bridge": None if steps is None else {
            "currency": steps.currency, "months": list(steps.months),
            "old": vars(steps.old), "new": vars(steps.new), "change": steps.change,
            "steps": [{"key": one.key, "step": one.title.say(lang), "effect": one.effect, "as_first": one.first,
                       "as_last": one.last, "by_workload": one.by_workload,
                       "inputs": [f"{c.table}: {' '.join(filter(None, (c.row, c.field or c.kind)))}" for c in one.changes]}
                      for one in steps.steps],
        },
        "no_bridge": found.no_bridge or None,
        "remarks": list(found.remarks),
    }  # fmt: skip
