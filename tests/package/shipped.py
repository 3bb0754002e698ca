"""The workbooks of `templates/`, opened once for all tests of a process, and where the checkout is."""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import canonicalize
from zipfile import ZipFile

import openpyxl
from openpyxl.workbook.workbook import Workbook

from gpusheet.workbook.book import LANGUAGES
from gpusheet.workbook.examples import EXAMPLES

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "templates"
FILES = [f"{name}.{lang}.xlsx" for name in EXAMPLES for lang in LANGUAGES]

make = runpy.run_path(str(FOLDER / "make.py"))["make"]


@cache
def formulas(file: str) -> Workbook:
    return openpyxl.load_workbook(FOLDER / file)


@cache
def values(file: str) -> Workbook:
    return openpyxl.load_workbook(FOLDER / file, data_only=True)


def formula_cells(file: str) -> list[tuple[str, str, str]]:
    """Sheet, address and formula of every formula cell."""
    return [
        (sheet.title, cell.coordinate, str(cell.value))
        for sheet in formulas(file).worksheets for row in sheet.iter_rows() for cell in row if cell.data_type == "f"
    ]  # fmt: skip


def parts(path: Path) -> dict[str, bytes]:
    """The parts of a workbook in their order; how hard they are compressed is the machine's."""
    with ZipFile(path) as package:
        return {name: package.read(name) for name in package.namelist()}


def differing(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """The parts of two workbooks that are not byte by byte the same.

    openpyxl writes the same XML in other words where lxml is not installed; then its canonical form is compared.
    """
    names = [*one, *(name for name in other if name not in one)]
    return [name for name in names if not _same_part(one.get(name, b""), other.get(name, b""))]


def _same_part(one: bytes, other: bytes) -> bool:
    if one == other or not one or not other:
        return one == other
    return canonicalize(one, rewrite_prefixes=True) == canonicalize(other, rewrite_prefixes=True)


def labelled(file: str, sheet: str, column: str, label: str) -> list[dict[str, Any]]:
    """The rows of a sheet that have a label in a column, as values by column letter."""
    rows = values(file)[sheet].iter_rows()
    found = [{cell.column_letter: cell.value for cell in row if cell.value is not None} for row in rows]
    return [row for row in found if row.get(column) == label]
