"""Calls of every function as xlwings Lite makes them, with what the cell has to show."""

from __future__ import annotations

import datetime
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import officejs
from rule_cases import cases
from values import missing, same

from gpusheet.registry import REQUIRED
from gpusheet.xl.cells import CellError
from gpusheet.xl.functions import functions

ROOT = Path(__file__).parents[2]
MAIN = ROOT / "udfs" / "lite" / "main.py"

Call = tuple[str, list[Any]]


def pasted(lang: str = "en") -> types.ModuleType:
    """main.py as the module that xlwings Lite makes of it, with the stand-in for xlwings."""
    text = MAIN.read_text(encoding="utf-8")
    assert text.count('LANGUAGE = "en"') == 1  # the line that the page tells to change
    replaced = {name: sys.modules.get(name) for name in officejs.modules()}
    sys.modules.update(officejs.modules())
    try:
        module = types.ModuleType("main")
        exec(compile(text.replace('LANGUAGE = "en"', f'LANGUAGE = "{lang}"'), str(MAIN), "exec"), vars(module))
        return module
    finally:
        for name, before in replaced.items():
            if before is None:
                del sys.modules[name]
            else:
                sys.modules[name] = before


def sent(name: str, given: tuple[Any, ...]) -> Call:
    """A call with these values, each argument as the rows that Office.js makes of it."""
    arguments = functions()[name].arguments
    if arguments and arguments[-1].repeated:
        last = len(arguments) - 1
        return name, [*map(_rows, given[:last]), [_rows(one) for one in given[last:]]]
    return name, [_rows(one) for one in (*given, *[None] * (len(arguments) - len(given)))]


def _rows(value: Any) -> Any:
    if value is None:
        return None
    rows = value if isinstance(value, list | tuple) else [[value]]
    rows = rows if isinstance(rows[0], list | tuple) else [[one] for one in rows]
    return [["" if one is None else _cell(one) for one in row] for row in rows]


def _cell(value: Any) -> Any:
    if isinstance(value, datetime.date):
        return (value - datetime.date(1899, 12, 30)).days
    return officejs.error(value) if isinstance(value, str) and value in officejs.ERROR_TYPES else value


def expected(name: str, given: tuple[Any, ...]) -> Any:
    """What the function gives to Python, in the form in which `officejs.call` shows it; None where it raises #VALUE!."""
    try:
        result = functions()[name](*given)
    except CellError as error:
        return None if error.code == "#VALUE!" else _shown(error.code)
    return [[_shown(cell) for cell in row] for row in result] if isinstance(result, list) else _shown(result)


def _shown(value: Any) -> Any:
    if isinstance(value, datetime.date):
        return {"type": "FormattedNumber", "basicValue": _cell(value)}
    if isinstance(value, str) and value in officejs.ERROR_TYPES:
        return {"type": "Error", "errorType": officejs.ERROR_TYPES[value]}
    return value


def rule_calls() -> Iterator[tuple[Call, Any, Any]]:
    """Every rule on the random rows of its own test: the call, what the function gives, what the rule gives."""
    for case in cases():
        if case.sources == {p.name: p.name for p in case.rule.parameters}:
            name = case.rule.name.upper()
            for row in case.rows:
                given = {p.name: row[p.name] for p in case.rule.parameters}
                typed = {p.name: given[p.name] for p in case.rule.parameters if p.default is REQUIRED or given[p.name] is not None}
                values = tuple(given.values())
                yield sent(name, values), expected(name, values), case.rule(**typed)


def alike(one: Any, other: Any) -> bool:
    """Equal cells, or rows of them, numbers to 1e-9."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict) or isinstance(other, dict):
        return bool(one == other)
    return same(one, other) and missing(one) == missing(other)
