"""Writing a workbook with a value in every formula cell, so that viewers that calculate nothing show it."""

from __future__ import annotations

import gc
import html
import math
import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory

from openpyxl.utils import column_index_from_string
from openpyxl.workbook.workbook import Workbook

from gpusheet.errors import GpusheetError
from gpusheet.files import check_target, replacing
from gpusheet.workbook.evaluate import CellError, Frame, Value, Values, evaluate_package
from gpusheet.workbook.package import FORMULA_CELL, pack, repacked

# what a file may hold as a cached error
_EXCEL_ERRORS = {"#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"}
_FONT = re.compile(rb"<font>(.*?)</font>", re.DOTALL)
_FONT_PART = re.compile(rb"<(\w+)[^>]*?/>")
_FONT_ORDER = b"b i strike condense extend outline shadow u vertAlign sz color name family charset scheme".split()
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f]|_(?=x[0-9A-Fa-f]{4}_)")


def write_with_values(book: Workbook, path: Path | str, force: bool = False, consume: bool = False) -> Values:
    """Calculates `book`, writes it to `path` with the values in its formula cells, and returns them.

    The file appears whole or not at all; an existing one is only replaced with `force`. Equal books make equal files:
    the dates in the file are those of `book.properties`. The book itself stays as it is, unless it may be consumed:
    then its sheets are given up before it is calculated, which makes room in memory.

    >>> import tempfile, openpyxl
    >>> book = Workbook()
    >>> book.active["A1"] = "=6*7"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = write_with_values(book, f"{folder}/book.xlsx")
    ...     openpyxl.load_workbook(f"{folder}/book.xlsx", data_only=True).active["A1"].value
    42
    """
    target = Path(os.path.realpath(path))
    check_target(target, force)
    book.calculation.fullCalcOnLoad = True
    with replacing(target) as temporary, TemporaryDirectory(prefix="gpusheet-") as folder:
        package = Path(folder, "book.xlsx")
        pack(book, package)
        frame = Frame.of(book)
        if consume:
            book._sheets.clear()
            gc.collect()  # sheets and their cells hold each other
        values = evaluate_package(package, frame)
        with open(temporary, "xb") as file:
            repacked(package, file, _Patch(frame.parts, values))
    return values


class _Patch:
    """Changes the parts of a package: values into the sheets, fonts in the order that the standard asks for."""

    def __init__(self, titles: dict[str, str], values: Values) -> None:
        self.titles = titles
        self.values = values

    def __call__(self, name: str, part: bytes) -> bytes:
        if name in self.titles:
            return self._sheet(self.titles[name], part)
        return _FONT.sub(_ordered_font, part) if name == "xl/styles.xml" else part

    def _sheet(self, title: str, part: bytes) -> bytes:
        rows = self.values.sheets[title]
        columns: dict[bytes, int] = {}

        def patched(match: re.Match[bytes]) -> bytes:
            letters, digits, attributes, of_formula, formula = match.groups()
            column = columns.get(letters)
            if column is None:
                column = columns[letters] = column_index_from_string(letters.decode()) - 1
            value = rows[int(digits) - 1][column]
            written = cached_value(value)
            if written is None:
                raise _refusal(
                    f"{title}!{letters.decode()}{digits.decode()}: ={html.unescape(formula.decode())}", value
                )
            kind, text = written
            cell = (letters, digits, attributes, kind, of_formula, formula, text)
            return b'<c r="%b%b"%b%b><f%b>%b</f><v>%b</v></c>' % cell

        result, count = FORMULA_CELL.subn(patched, part)
        formulas = part.count(b"<f>") + part.count(b"<f ")
        if count != formulas:
            raise AssertionError(f"{title}: {formulas - count} of {formulas} formula cells could not be given a value")
        return result


def cached_value(value: Value) -> tuple[bytes, bytes] | None:
    """The type attribute and the text of a cached value; None where a file can hold no such value."""
    if type(value) is float:
        text = repr(value)
        if text.endswith(".0"):
            return b"", (text[:-2] if value else "0").encode()
        return (b"", text.encode()) if math.isfinite(value) else None
    if type(value) is str:
        return b' t="str"', _text(value).encode()
    if type(value) is bool:
        return b' t="b"', b"1" if value else b"0"
    if type(value) is CellError and value.text in _EXCEL_ERRORS:
        return b' t="e"', value.text.encode()
    return None


def _refusal(formula: str, value: Value) -> Exception:
    if not isinstance(value, CellError):
        return AssertionError(f"{formula} has no value that a file can hold (found: {value!r})")
    if value.text == "#CIRC!":
        return GpusheetError(f"{formula} depends on its own result; break the circle")
    return GpusheetError(f"{formula} cannot be calculated here (found: {value}); use other functions in it")


def _text(value: str) -> str:
    if value.isalnum():
        return value
    value = _UNPRINTABLE.sub(lambda match: f"_x{ord(match.group()):04X}_", value)
    return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _ordered_font(match: re.Match[bytes]) -> bytes:
    parts = list(_FONT_PART.finditer(match.group(1)))
    parts.sort(key=lambda part: _FONT_ORDER.index(part.group(1)))
    return b"<font>" + b"".join(part.group() for part in parts) + b"</font>"
