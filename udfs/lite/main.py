"""gpusheet's functions in Excel through xlwings Lite: the content of its main.py. README.md beside this says how.

Every function of `gpusheet.xl` becomes a custom function of the same name. A cell that cannot be computed shows a real
error, never a text, so that no total skips it.
"""

import inspect
import logging
import shutil
import sys
import tempfile
from pathlib import Path

from xlwings import XlwingsError, arg, func, ret
from xlwings.conversion import Converter

LANGUAGE = "en"  # of the help texts; "zh" is Chinese
FILES = Path("/data")  # where xlwings Lite puts what its menu Files imports
UNPACKED = Path(tempfile.gettempdir(), "gpusheet")

# the wheel from Files; without one gpusheet has to stand in requirements.txt
wheels = sorted(FILES.glob("gpusheet-*.whl"), key=lambda wheel: wheel.stat().st_mtime)
if wheels:  # the newest; an older one must leave nothing behind
    shutil.rmtree(UNPACKED, ignore_errors=True)
    shutil.unpack_archive(wheels[-1], UNPACKED, "zip")
    sys.path.insert(0, str(UNPACKED))

from gpusheet.xl.cells import CELL_ERRORS, CellError  # noqa: E402
from gpusheet.xl.functions import functions  # noqa: E402

# what xlwings turns from text into an error of Excel, where Excel knows data types (Microsoft 365, not Office 2021)
SHOWN_ERRORS = ("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")
DATA_TYPES = 1.4  # version of Excel's custom functions runtime


class Output(logging.Handler):
    """Prints why a cell shows an error; xlwings Lite shows what is printed under Output."""

    def emit(self, record):
        print(record.getMessage())


logging.getLogger("gpusheet.xl").handlers[:] = [Output()]


class Cells(Converter):
    """The result as cells. An error that this Excel would show as text is raised: every Excel shows that as #VALUE!."""

    @staticmethod
    def write_value(value, options):
        known = SHOWN_ERRORS if float(options["runtime"]) >= DATA_TYPES else ()
        if isinstance(value, CellError):
            # raised, the message is seen beside the cell; a returned error has its own sign, but no message
            if value.code == "#VALUE!" or value.code not in known:
                raise XlwingsError(str(value))
            return value.code
        for cell in (cell for row in value for cell in row) if isinstance(value, list) else ():
            if isinstance(cell, str) and cell in CELL_ERRORS and cell not in known:
                raise XlwingsError(f"the table holds {cell}, which this Excel cannot show inside a table")
        return value


def offered(function):
    """The function as xlwings registers it: its arguments by name, None for one that is left out."""

    def call(*cells):
        try:
            return function(*cells)
        except CellError as error:
            return error

    call.__name__ = call.__qualname__ = function.name
    call.__doc__ = function.help(LANGUAGE)
    kinds = inspect.Parameter
    call.__signature__ = inspect.Signature([
        kinds(one.name, kinds.VAR_POSITIONAL) if one.repeated
        else kinds(one.name, kinds.POSITIONAL_OR_KEYWORD, default=None if one.optional else kinds.empty)
        for one in function.arguments
    ])  # fmt: skip
    for one in function.arguments:
        call = arg(one.name, doc=one.help(LANGUAGE), ndim=2, err_to_str=True)(call)
    return func(ret(Cells)(call))


# xlwings looks for functions among the names of this module
globals().update({name: offered(function) for name, function in functions().items()})
