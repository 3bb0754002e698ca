"""Every function that a cell can call, by name: the rules, the look-ups, the tables, and why one fails."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.expr import Call, Symbol, render
from gpusheet.registry import Rule, all_rules, settle_number
from gpusheet.rules import SUBJECTS
from gpusheet.xl.arguments import Argument, name, of_parameter
from gpusheet.xl.cells import BAD_ARGUMENT, IMPOSSIBLE, UNKNOWN, CellError, is_blank
from gpusheet.xl.function import Function

CATEGORY = "GPU Sizing"
OTHERS = {"en": "Look-ups, tables and errors", "zh": "查询、表函数与错误说明"}
LONGEST_TEXT = 32_767  # of a cell

__all__ = ["CATEGORY", "Argument", "Function", "find_function", "functions", "grouped"]

@cache
def functions() -> dict[str, Function]:
    """Every function by its name, rules first.

    >>> functions()["KV_PER_REQUEST"](32, 32, 128, 3072, 2)
    1.610612736
    >>> functions()["GPU_SPEC"]("H20 96G", "memory_gb")
    96.0
    """
    from gpusheet.xl import lookups, serving, tables

    made = [_of_rule(rule) for rule in all_rules().values()]
    found = {one.name: one for one in (*made, *lookups.FUNCTIONS, *serving.FUNCTIONS, *tables.FUNCTIONS)}
    return found | {"ERROR_REASON": _error_reason(found)}


def grouped(lang: str = "en") -> list[tuple[str, list[Function]]]:
    """The functions by subject, as galleries and documentation list them.

    >>> [title for title, members in grouped() if members][-1]
    'Look-ups, tables and errors'
    """
    every = list(functions().values())
    subjects = [
        (titles[lang == "zh"], [one for one in every if one.rule is not None and one.rule.subject == subject])
        for subject, titles in SUBJECTS.items()
    ]
    return [*subjects, (OTHERS[lang], [one for one in every if one.rule is None])]


def find_function(name: str) -> Function:
    """The function of that name, in capitals or not."""
    key = name.strip().upper()
    if key not in functions():
        raise UnknownName("function", name, functions())
    return functions()[key]


def _of_rule(rule: Rule) -> Function:
    arguments = tuple(of_parameter(parameter) for parameter in rule.parameters)
    names = tuple(parameter.name for parameter in rule.parameters)
    compute = rule.function

    def body(*read: Any) -> float | str:
        try:
            result = settle_number(compute, dict(zip(names, read, strict=True)))
        except CellError:
            raise
        except GpusheetError as error:
            raise CellError(BAD_ARGUMENT, str(error)) from None
        if type(result) is float and not math.isnan(result):
            return result
        if is_blank(result):
            raise _no_result(rule, read)
        return result if isinstance(result, str) else float(result)

    chinese = f"{rule.zh}（{rule.unit.label('zh')}）= {render(rule.plain_expression, str)}"
    return Function(rule.name.upper(), arguments, rule.summary, chinese, body, None, rule)


def _no_result(rule: Rule, read: tuple[Any, ...]) -> CellError:
    dispensable = {
        part.name for call in rule.plain_expression.walk() if isinstance(call, Call) and call.operation == "if_given"
        for part in call.arguments[:-2] if isinstance(part, Symbol)
    }  # fmt: skip
    pairs = zip(rule.parameters, read, strict=True)
    blank = [f"{p.name} ({p.unit.symbol})" for p, value in pairs if _missing(value) and p.name not in dispensable]
    if blank:
        verb = "is" if len(blank) == 1 else "are"
        return CellError(BAD_ARGUMENT, f"no result while {', '.join(blank)} {verb} blank")
    return CellError(IMPOSSIBLE, "no result for these arguments; look for one that is 0, too large or too small")


def _missing(value: Any) -> bool:
    return value == "" or (isinstance(value, float) and math.isnan(value))


def _error_reason(found: dict[str, Function]) -> Function:
    def explain(function: str, *cells: Any) -> str:
        asked = found.get(function.upper())
        if asked is None:
            raise CellError(UNKNOWN, str(UnknownName("function", function, found)))
        while cells and cells[-1] is None:
            cells = cells[:-1]
        told = asked.reason(*cells)
        return told if len(told) <= LONGEST_TEXT else told[: LONGEST_TEXT - 3] + "..."

    anything = Argument(
        "arguments", "any", "The arguments of that function, as they stand in its call.", "该函数的各个参数，照原样填写",
        lambda cell: cell, optional=True, repeated=True)  # fmt: skip
    asked = name("function", "Name of the function, such as \"CARD_TIER\".", "函数名，如 \"CARD_TIER\"")
    return Function(
        "ERROR_REASON", (asked, anything),
        "Why a function shows an error: which argument, what was found, what is allowed. Empty where there is no error.",
        "说明某个函数为何报错：哪个参数、读到什么、允许什么；没有错误时为空",
        explain, ("GPU_SPEC", "H300", "memory_gb"),
    )  # fmt: skip
