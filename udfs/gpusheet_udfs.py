"""Every rule as an Excel function of the same name in capitals: =CARD_TIER(2.67).

xlwings finds the functions in this module (`UDF Modules: gpusheet_udfs`). Where xlwings is not installed they are
plain functions, which take what a cell holds and answer as the cell would.
"""

from __future__ import annotations

import inspect
import math
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.registry import REQUIRED, Parameter, Rule, all_rules
from gpusheet.wiring import inputs, quantities

try:
    import xlwings
except ImportError:
    xlwings = None  # type: ignore[assignment]

CATEGORY = "GPU Sizing"
LONGEST_HELP = 255  # what Excel shows of it
CELL_ERRORS = ("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#SPILL!", "#CALC!")


def argument(parameter: Parameter, value: Any) -> Any:
    """What a rule is given for the value of a cell: a blank is the default, or missing where there is none.

    >>> from gpusheet import rules
    >>> demand, factor = rules.peak_concurrency.parameters[0], rules.peak_concurrency.parameters[-1]
    >>> argument(demand, None), argument(factor, ""), argument(factor, 1.5)
    (nan, 1.0, 1.5)
    """
    if _blank(value):
        return _blank_answer(parameter)
    if value in CELL_ERRORS:
        raise GpusheetError(f"{parameter.name}: the cell holds {value}; mend it there")
    if isinstance(parameter.default, tuple):
        return tuple(_number(parameter, cell) for cell in _cells(value) if not _blank(cell))
    return _text(parameter, value) if parameter.unit.symbol == "text" else _number(parameter, value)


def _blank(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, float) and math.isnan(value))


def _blank_answer(parameter: Parameter) -> Any:
    if parameter.default is not REQUIRED:
        return parameter.default if isinstance(parameter.default, tuple) else float(parameter.default)
    if parameter.unit.symbol != "text":
        return math.nan
    column = _column(parameter)
    if column is not None and (column.required or column.default is not None):
        raise GpusheetError(f"{parameter.name}: blank, allowed {column.allowed()}")
    return ""


def _number(parameter: Parameter, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise GpusheetError(f"{parameter.name}: found {_shown(value)}, allowed a number ({parameter.unit.symbol})")
    return float(value)


def _text(parameter: Parameter, value: Any) -> str:
    """The text as the rules spell it; spreadsheets compare without case."""
    if not isinstance(value, str):
        raise GpusheetError(f"{parameter.name}: found {_shown(value)}, allowed a text")
    column = _column(parameter)
    if column is None or not column.choices:
        return value.strip()
    spelled: dict[str, str] = {choice.casefold(): choice for choice in column.choices}
    if value.strip().casefold() not in spelled:
        raise UnknownName(parameter.name, value, column.choices)
    return spelled[value.strip().casefold()]


def _shown(value: Any) -> str:
    return "a range of cells" if isinstance(value, list | tuple) else repr(value)


def _cells(value: Any) -> Iterator[Any]:
    """The cells of a range, which comes as a list of rows, or of cells where it is one row or column."""
    if not isinstance(value, list | tuple):
        yield value
        return
    for one in value:
        yield from _cells(one)


def _column(parameter: Parameter) -> Any:
    return inputs().get(parameter.wired_to or parameter.name, ("", None))[1]


def excel_function(rule: Rule) -> Callable[..., Any]:
    """The rule for cells: a result that is missing raises, so that a cell shows an error and no total skips it.

    >>> excel_function(all_rules()["card_tier"])(2.67)
    4.0
    """
    name = rule.name.upper()
    signature = inspect.Signature([
        inspect.Parameter(p.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=p.default) for p in rule.parameters
    ])  # fmt: skip

    def function(*arguments, **named):  # type: ignore[no-untyped-def]  # xlwings would read hints as conversions
        try:
            given = signature.bind(*arguments, **named).arguments
        except TypeError as error:
            raise GpusheetError(f"{name}: {error}; its arguments are {', '.join(signature.parameters)}") from None
        try:
            values = {p.name: argument(p, given.get(p.name)) for p in rule.parameters}
        except GpusheetError as error:
            raise GpusheetError(f"{name}: {error}") from None
        result = rule(**values)
        if _blank(result):
            raise GpusheetError(f"{name}: {_why_missing(rule, values)}")
        return result if isinstance(result, str) else float(result)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = _help(rule.summary)
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _why_missing(rule: Rule, values: dict[str, Any]) -> str:
    blank = [f"{p.name} ({p.unit.symbol})" for p in rule.parameters if _blank(values[p.name])]
    if blank:
        return f"no result while {', '.join(blank)} {'is' if len(blank) == 1 else 'are'} blank"
    return "no result for these arguments; look for one that is 0 or out of range"


def _help(text: str) -> str:
    return textwrap.shorten(text, LONGEST_HELP, placeholder=" ...")


def argument_help(parameter: Parameter) -> str:
    """What Excel shows of an argument: what it is, its unit, and what a blank means."""
    known = quantities().get(parameter.wired_to or parameter.name)
    words = f"{known.en} ({parameter.unit.symbol})" if known else parameter.unit.symbol
    if parameter.default is REQUIRED:
        return _help(words)
    default = parameter.default
    shown = ", ".join(f"{one:g}" for one in default) if isinstance(default, tuple) else f"{default:g}"
    return _help(f"{words}; blank: {shown}")


def _offered(rule: Rule) -> Any:
    """The function as xlwings offers it; errors in cells reach it as text such as '#N/A' instead of as blanks."""
    function: Any = excel_function(rule)
    if xlwings is None:
        return function
    for parameter in rule.parameters:
        function = xlwings.arg(parameter.name, doc=argument_help(parameter), err_to_str=True)(function)
    return xlwings.func(category=CATEGORY)(function)


FUNCTIONS: dict[str, Callable[..., Any]] = {rule.name.upper(): _offered(rule) for rule in all_rules().values()}
globals().update(FUNCTIONS)  # where xlwings looks for them
