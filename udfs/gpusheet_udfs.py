"""Every function of gpusheet for Excel on Windows, where xlwings finds them (`UDF Modules: gpusheet_udfs`).

A loop over `gpusheet.xl.functions`: nothing is computed here. Where xlwings is not loaded they are what that has.
"""

from __future__ import annotations

import datetime
import inspect
import logging
import platform
import sys
from collections.abc import Callable
from decimal import Decimal
from itertools import chain
from typing import Any

from gpusheet import __version__
from gpusheet.xl.cells import BAD_ARGUMENT, CellError
from gpusheet.xl.classic.excel_errors import from_com
from gpusheet.xl.classic.log import log_file, write_log
from gpusheet.xl.classic.vba import MARK, safe_name
from gpusheet.xl.functions import CATEGORY, Function, functions

# who looks for functions here has loaded it; loading it for nobody would take longer than all the rest
xlwings: Any = sys.modules.get("xlwings")

try:  # its text reaches VBA as it is; of other exceptions VBA is given the whole traceback
    from win32com.server.exception import COMException
except ImportError:
    COMException = None

LOG = log_file()
_PLAIN = frozenset({type(None), float, str, bool, datetime.datetime})
_ROWS = frozenset({tuple, list})


def cell(value: Any) -> Any:
    """A value as xlwings hands it over, as a cell of `gpusheet.xl.cells`: errors are whole numbers there.

    >>> cell(2.5), cell(-2146826246), cell(((1.0, -2146826281), (None, "x")))
    (2.5, '#N/A', [[1.0, '#DIV/0!'], (None, 'x')])
    """
    if isinstance(value, list | tuple):
        if _PLAIN.issuperset(map(type, value)):
            return value
        plain = _ROWS.issuperset(map(type, value)) and _PLAIN.issuperset(map(type, chain.from_iterable(value)))
        return value if plain else [cell(one) for one in value]
    if type(value) is int:
        return from_com(value) or value
    return float(value) if isinstance(value, Decimal) else value  # a currency format makes decimals


def offered(function: Function) -> Callable[..., Any]:
    """The function as xlwings calls it; a failure is an exception whose text ends with the error for the cell.

    >>> offered(functions()["GPU_SPEC"])("H20 96G", "memory_gb") if xlwings else [[96.0]]
    [[96.0]]
    """

    def call(*cells):  # type: ignore[no-untyped-def]  # xlwings would read hints as conversions
        try:
            return _written(function(*(cells if _PLAIN.issuperset(map(type, cells)) else map(cell, cells))), function.days)
        except CellError as error:
            told = f"{error} {MARK.format(code=error.code)}"
        except Exception as error:
            logging.getLogger("gpusheet.xl").exception("%s: %r", function.name, error)
            told = f"{function.name}: {error!r} {MARK.format(code=BAD_ARGUMENT)}"
        raise CellError(BAD_ARGUMENT, told) if COMException is None else COMException(told, -2147467259)  # E_FAIL

    call.__name__ = call.__qualname__ = function.name
    call.__doc__ = function.help()
    call.__signature__ = _signature(function)  # type: ignore[attr-defined]
    for argument in function.arguments:  # raw: xlwings would walk through every cell, and drop some errors
        call = xlwings.arg(safe_name(argument.name), convert="raw", doc=argument.help())(call)
    call = xlwings.ret(convert="raw")(call)
    return xlwings.func(category=CATEGORY)(call)  # type: ignore[no-any-return]  # last: the others set its category back


def _written(result: Any, days: int | None) -> list[Any]:
    """A result as rows of what COM knows; days stand in none but its first columns, so many."""
    rows = result if isinstance(result, list) else [[result]]
    kinds = set(map(type, chain.from_iterable(rows if days is None else (row[:days] for row in rows))))
    if any(issubclass(kind, datetime.date) for kind in kinds):
        return [[_day(one) if isinstance(one, datetime.date) else one for one in row] for row in rows]
    return rows


def _day(day: datetime.date) -> datetime.datetime:
    return datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.UTC)  # else Windows moves it by hours


def _signature(function: Function) -> inspect.Signature:
    """Its arguments by name; xlwings knows no optional ones before repeated ones."""
    return inspect.Signature([
        inspect.Parameter(safe_name(argument.name), inspect.Parameter.VAR_POSITIONAL) if argument.repeated else
        inspect.Parameter(
            safe_name(argument.name), inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=None if argument.optional else inspect.Parameter.empty)
        for argument in function.arguments
    ])  # fmt: skip


def status() -> str:
    """What the macro GpusheetStatus shows."""
    return f"gpusheet {__version__} answers: Python {platform.python_version()}, {sys.executable}\nLog: {LOG}"


FUNCTIONS = {name: offered(function) if xlwings else function for name, function in functions().items()}
globals().update(FUNCTIONS)  # where xlwings looks for them
if sys.platform == "win32" and "xlwings.com_server" in sys.modules:  # Excel has started this Python
    write_log(LOG)
