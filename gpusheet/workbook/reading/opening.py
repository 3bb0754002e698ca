"""A workbook file that a person hands over, known to be one and safe to load, as openpyxl reads it."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

from openpyxl import load_workbook
from openpyxl.workbook.workbook import Workbook

from gpusheet.errors import GpusheetError
from gpusheet.intake.sniff import BUDGET_BOOK, WORKBOOK, damaged, read_checked

_OURS = "gpusheet workbook"


@dataclass(frozen=True)
class Package:
    """The bytes of a workbook file, known to be a zip of harmless size with a workbook in it."""

    name: str
    data: bytes

    def load(self, values: bool = False) -> Workbook:
        """The workbook as openpyxl reads it: formulas, or with `values` the values that were saved with them."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what openpyxl leaves out is listed for the user elsewhere
                return load_workbook(BytesIO(self.data), data_only=values, rich_text=not values)
        except MemoryError:
            raise
        except (BadZipFile, zlib.error, EOFError):
            raise damaged(self.name) from None
        except Exception as error:  # whatever openpyxl trips over is about the file, not about us
            raise self._unreadable(error) from error

    @contextmanager
    def parts_read(self) -> Iterator[None]:
        """Parts of the file are read as XML inside: what is wrong with them is said as one line."""
        try:
            yield
        except (ElementTree.ParseError, KeyError, IndexError, ValueError) as error:
            if isinstance(error, GpusheetError):
                raise
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> GpusheetError:
        reason = f"{type(error).__name__}: {error}".splitlines()[0][:120]
        return GpusheetError(f"{self.name}: found a workbook that cannot be read ({reason}); open it in Excel and save it "
                             "there as 'Excel Workbook (*.xlsx)'")  # fmt: skip

    def read(self, part: str) -> bytes:
        with ZipFile(BytesIO(self.data)) as file:
            return file.read(part)

    def names(self) -> list[str]:
        with ZipFile(BytesIO(self.data)) as file:
            return file.namelist()


def open_package(path: Path | str, kind: str = _OURS) -> Package:
    """Reads the file; anything but a workbook is refused with one line that says what it is and what to do. `kind` is
    what the line calls the workbook that is wanted: one of gpusheet's, or any "workbook".

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "prices.xlsx").write_text("gpu,price\\nL20,4\\n")
    ...     try:
    ...         open_package(f"{folder}/prices.xlsx")
    ...     except GpusheetError as error:
    ...         print(str(error).partition(";")[0])
    prices.xlsx: found text such as CSV, allowed a gpusheet workbook (.xlsx, .xlsm)
    """
    checked = read_checked(path, BUDGET_BOOK if kind == _OURS else WORKBOOK)
    return Package(checked.name, checked.data)
