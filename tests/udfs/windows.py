"""xlwings' own code for Windows, imported anywhere: pywin32 and the Windows parts of ctypes are stood in for.

What is real: `xlwings.udfs`, `xlwings.conversion`, `xlwings.com_server`, `xlwings._xlwindows`. What is made up: what
pywin32 would hand over, which is described here as its sources have it.
"""

from __future__ import annotations

import ctypes
import datetime
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

STUBBED = (
    "pythoncom", "pywintypes", "win32api", "win32com", "win32com.client", "win32com.server", "win32com.server.dispatcher",
    "win32com.server.exception", "win32com.server.policy", "win32com.server.util", "win32con", "win32event", "win32gui",
    "win32process", "win32timezone",
)  # fmt: skip
RANGE = "{00020846-0000-0000-C000-000000000046}"
MISSING = -2147352572  # an argument left out
ERRORS = {
    "#NULL!": -2146826288, "#DIV/0!": -2146826281, "#VALUE!": -2146826273, "#REF!": -2146826265, "#NAME?": -2146826259,
    "#NUM!": -2146826252, "#N/A": -2146826246, "#SPILL!": -2146826243, "#CALC!": -2146826238,
}  # fmt: skip


class ComError(Exception):
    """pywintypes.com_error."""


class ComException(ComError):
    """win32com.server.exception.COMException: VBA's Err.Description is its description."""

    def __init__(self, description: str | None = None, scode: int | None = None) -> None:
        super().__init__(scode, description, None, -1)
        self.description = description
        self.scode = scode


def excel_range(*rows: tuple[Any, ...]) -> Any:
    """A Range as it comes through COM, with its values in rows."""
    made = MagicMock(name="Range")
    made.Value = rows if len(rows) > 1 or len(rows[0]) > 1 else rows[0][0]
    made.Row = made.Column = 1
    made.Rows.Count, made.Columns.Count = len(rows), len(rows[0])
    made._oleobj_.GetTypeInfo().GetTypeAttr().iid = RANGE
    return made


def _stubs() -> dict[str, ModuleType]:
    found: dict[str, Any] = {name: MagicMock(name=name) for name in STUBBED}
    found["pywintypes"].TimeType = datetime.datetime
    found["pywintypes"].com_error = ComError
    found["pywintypes"].IID = str
    found["pythoncom"].__file__ = "pythoncom.dll"
    found["win32com.server.exception"].COMException = ComException
    found["win32com.server.util"].unwrap.side_effect = TypeError  # nothing here is one of Python's own objects
    found["win32timezone"].TimeZoneInfo.utc.return_value = datetime.UTC
    for name in ("CDispatch", "CoClassBaseClass", "DispatchBaseClass"):
        setattr(found["win32com.client"], name, type(name, (), {}))
    for name in STUBBED:
        package, _, last = name.rpartition(".")
        if package:
            setattr(found[package], last, found[name])
    return found


@contextmanager
def stand_ins(modules: Mapping[str, Any]) -> Iterator[None]:
    """Modules that stand for others; what is imported meanwhile stays, or it would be there twice afterwards."""
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


@contextmanager
def xlwings_on_windows() -> Iterator[ModuleType]:
    """xlwings as it is on Windows, with our module loaded in it; afterwards all is as it was."""
    import xlwings

    names = ("_xlwindows", "udfs", "com_server", "_win32patch")
    ours = [name for name in sys.modules if name == "gpusheet_udfs" or name in {f"xlwings.{one}" for one in names}]
    kept = {name: sys.modules.pop(name) for name in ours}
    parts = {name: getattr(ctypes, name, None) for name in ("windll", "oledll", "PyDLL")}
    before = {name: getattr(xlwings, name) for name in ("func", "arg", "ret")}
    try:
        with stand_ins(_stubs()):
            for name in parts:
                setattr(ctypes, name, MagicMock(name=name))
            windows, udfs = import_module("xlwings._xlwindows"), import_module("xlwings.udfs")
            xlwings.func, xlwings.arg, xlwings.ret = udfs.xlfunc, udfs.xlarg, udfs.xlret
            xlwings.engines.add(xlwings.Engine(impl=windows.engine))
            yield import_module("gpusheet_udfs")
    finally:
        for name in [name for name in sys.modules if name == "gpusheet_udfs" or name in {f"xlwings.{one}" for one in names}]:
            del sys.modules[name]
        sys.modules.update(kept)
        for name, value in before.items():
            setattr(xlwings, name, value)
        for name, value in parts.items():
            setattr(ctypes, name, value) if value is not None else delattr(ctypes, name)
