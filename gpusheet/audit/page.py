"""The page that tells what each point of the audit checks, written from the points themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpusheet.audit.registry import Point, points
from gpusheet.audit.report import CHECKLIST, STALE_DAYS

WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "title": "# The audit of a workbook",
        "other": "[中文](audit.zh.md) · Written by `python docs/make.py`; edit the points in `gpusheet/audit/checks/` instead.",
        "intro": "`gpusheet audit BOOK.xlsx` judges a workbook of any program and any author by the points below. It only reads "
        "the file: formulas in relative form, the values saved with them, and what else the file says. Nothing is calculated "
        "anew, so a book without saved values can only be judged in part (`gpusheet recalc` writes them). `--json` gives "
        "everything to a program, `--lang zh` speaks Chinese.",
        "severity": "## How grave\n\n| Severity | Means | Ends with |\n| --- | --- | --- |\n"
        "| error | a figure is wrong, or will be at the next change | 3 |\n"
        "| warning | a figure may be wrong, or cannot be trusted | 4, if there is no error |\n"
        "| note | a habit that helps readers, printers and auditors | 0 |\n\n"
        "1 is for a file that cannot be read, 2 for wrong options. A point is kept if nothing at all is found against it, not "
        "even a note. M is a must of the checklist, S a should.",
        "limits": "## What it does not see\n\nA fault that is the same in a whole row and agrees with all its neighbours looks like a "
        "design: a wrong price, a growth rate of the wrong year, a factor forgotten everywhere. Sheets of charts, macros and "
        "pivot tables are not judged. A finding is a question; the answer may be that the cell is meant so. Where "
        f"gpusheet knows no date of the book (a cell 'prepared on'), prices are held against the day it was saved; `--stale-days` "
        f"sets the age allowed ({STALE_DAYS}). Roles of sheets are told from their names and contents, except in gpusheet's own books.",
        "checklist": "## The checklist", "more": "## Beyond the checklist", "how": "Judged by",
        "expected": "Expected", "todo": "What to do",
        "person": "For a person",
    },
    "zh": {
        "title": "# 工作簿审计",
        "other": "[English](audit.md) · 由 `python docs/make.py` 生成，请修改 `gpusheet/audit/checks/` 中的要点。",
        "intro": "`gpusheet audit BOOK.xlsx` 按以下要点审查任何程序、任何人制作的工作簿。仅读取文件："
        "相对引用形式的公式、随公式保存的值及文件中的其他信息。"
        "不重新计算，因此没有缓存值的工作簿只能部分判断（`gpusheet recalc` 可写入缓存值）。`--json` 输出给程序，`--lang zh` 输出中文。",
        "severity": "## 级别\n\n| 级别 | 含义 | 退出状态 |\n| --- | --- | --- |\n| 错误 error | 数字有误，或下次改动时会出错 | 3 |\n"
        "| 警告 warning | 数字可能有误或不可信 | 4（无错误时） |\n| 提示 note | 便于阅读、打印与审计的习惯 | 0 |\n\n"
        "文件无法读取为 1，选项错误为 2。一项要点没有任何发现（包括提示）才算符合。M 为必须，S 为建议。",
        "limits": "## 看不到的问题\n\n整行一致且与相邻行吻合的错误看起来像设计如此：错误的价格、取错年份的增长率、处处遗漏的系数。"
        "图表工作表、宏与数据透视表不在审查范围内。"
        "发现是提问，答案也可能是该单元格本就如此。若工作簿没有“编制日期”单元格，价格日期以保存日为准；"
        f"`--stale-days` 设定允许天数（{STALE_DAYS}）。除 gpusheet 自己的工作簿外，工作表角色由名称与内容判断。",
        "checklist": "## 检查表", "more": "## 检查表之外", "how": "判断方法", "expected": "应为",
        "todo": "如何处理", "person": "需人工查看",
    },
}  # fmt: skip


def page(lang: str) -> str:
    """The page in a language.

    >>> page("en").splitlines()[0]
    '# The audit of a workbook'
    """
    return "\n".join(_lines(lang)) + "\n"


def _lines(lang: str) -> Iterator[str]:
    words = WORDS[lang]
    yield from (words["title"], "", words["other"], "", words["intro"], "", words["severity"], "", words["limits"])
    for heading, members in (
        ("checklist", [one for one in points().values() if one.number <= CHECKLIST]),
        ("more", [one for one in points().values() if one.number > CHECKLIST]),
    ):
        yield from ("", words[heading])
        for one in members:
            yield from _point(one, lang, words)


def _point(one: Point, lang: str, words: Mapping[str, str]) -> Iterator[str]:
    yield from ("", f"### {one.number}. {one.title.say(lang)} ({one.level})", "")
    yield f"- **{words['how']}:** {one.how.say(lang)}"
    yield f"- **{words['expected']}:** {one.expected.say(lang)}"
    yield f"- **{words['todo']}:** {one.todo.say(lang)}"
    if one.person:
        yield f"- **{words['person']}:** {one.person.say(lang)}"
