"""A stand-in for xlwings as it works inside xlwings Lite, which runs nowhere but in Excel.

It has the decorators that a main.py imports, what Excel is told of a module's functions, and a call with cells in the
form in which Office.js sends them: every argument a list of rows, a blank cell "", an argument left out None, an error
an object, a date its serial number. Written after the behaviour of xlwings 0.37.
"""

from __future__ import annotations

import datetime
import inspect
from types import ModuleType, SimpleNamespace
from typing import Any

ERROR_TYPES = {"#DIV/0!": "Div0", "#N/A": "NotAvailable", "#NAME?": "Name", "#NULL!": "Null", "#NUM!": "Num",
               "#REF!": "Ref", "#VALUE!": "Value"}  # fmt: skip


class XlwingsError(Exception):
    """What xlwings Lite shows as #VALUE! with the message beside it."""


class Converter:
    @staticmethod
    def write_value(value: Any, options: dict[str, Any]) -> Any:
        return value


def _known(function: Any) -> dict[str, Any]:
    if not hasattr(function, "__xlfunc__"):
        parameters = inspect.signature(function).parameters.values()
        named = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        repeated = [p for p in parameters if p.kind is p.VAR_POSITIONAL]
        assert len(named) + len(repeated) == len(parameters), "xlwings knows no keyword arguments"
        optional = [p.name for p in named if p.default is not p.empty]
        assert not (optional and repeated), "xlwings knows no function with optional and repeated arguments"
        function.__xlfunc__ = {
            "name": function.__name__,
            "description": function.__doc__,
            "convert": Converter,
            "arguments": {
                p.name: {"optional": p.name in optional, "repeating": p in repeated, "options": {}, "description": ""}
                for p in (*named, *repeated)
            },
        }
    return function.__xlfunc__


def func(function: Any) -> Any:
    _known(function)["offered"] = True
    return function


def arg(name: str, doc: str = "", **options: Any) -> Any:
    def decorate(function: Any) -> Any:
        argument = _known(function)["arguments"][name]
        argument["description"] = doc
        argument["options"].update(options)
        return function

    return decorate


def ret(convert: type[Converter]) -> Any:
    def decorate(function: Any) -> Any:
        _known(function)["convert"] = convert
        return function

    return decorate


def offered(module: ModuleType) -> dict[str, dict[str, Any]]:
    """What Excel is told of the functions of a module."""
    found = (function.__xlfunc__ for _, function in inspect.getmembers(module) if hasattr(function, "__xlfunc__"))
    return {known["name"]: known for known in found if known.get("offered")}


def error(text: str) -> dict[str, str]:
    """An error as a cell sends it."""
    return {"type": "Error", "basicValue": text}


def call(module: ModuleType, name: str, arguments: list[Any], runtime: str = "1.4") -> Any:
    """The cell or the rows that Excel would show. `arguments` are rows, None where left out, a list of such where repeated."""
    function = getattr(module, name)
    known = function.__xlfunc__
    given = []
    for argument, cells in zip(known["arguments"].values(), arguments, strict=True):
        given += [_read(one, argument) for one in cells] if argument["repeating"] else [_read(cells, argument)]
    result = known["convert"].write_value(function(*given), {"runtime": runtime})
    if not isinstance(result, list):
        return _shown(result, runtime)
    assert len({len(row) for row in result}) == 1, "xlwings refuses rows of different lengths"
    return [[_shown(cell, runtime) for cell in row] for row in result]


def _read(cells: list[list[Any]] | None, argument: dict[str, Any]) -> Any:
    options = argument["options"]
    if cells is None or cells in ([[""]], [[None]]):
        return None
    assert options["ndim"] == 2
    return [[_cell(cell, options) for cell in row] for row in cells]


def _cell(cell: Any, options: dict[str, Any]) -> Any:
    if isinstance(cell, dict):
        return cell["basicValue"] if options["err_to_str"] else None
    return None if cell == "" else cell


def _shown(cell: Any, runtime: str) -> Any:
    if cell is None:
        return ""
    if isinstance(cell, datetime.date):
        serial = (cell - datetime.date(1899, 12, 30)).days
        return {"type": "FormattedNumber", "basicValue": serial} if float(runtime) >= 1.4 else serial
    if isinstance(cell, str) and cell in ERROR_TYPES and float(runtime) >= 1.4:
        return {"type": "Error", "errorType": ERROR_TYPES[cell]}
    return cell


def modules() -> dict[str, Any]:
    """The modules that stand for xlwings in `sys.modules`."""
    conversion = SimpleNamespace(Converter=Converter)
    return {
        "xlwings": SimpleNamespace(XlwingsError=XlwingsError, arg=arg, func=func, ret=ret, conversion=conversion),
        "xlwings.conversion": conversion,
    }
