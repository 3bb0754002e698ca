"""What finance does to a workbook: a small one to begin with, edits through openpyxl and in the file itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import openpyxl
import pytest
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from gpusheet.catalog import Assumptions, BadRow, Catalog, Fx, OtherCost, Workload
from gpusheet.workbook import book as making
from gpusheet.workbook.book import build, write
from gpusheet.workbook.inputs import Inputs, sample
from gpusheet.workbook.reader import ReadBook, read_book

MONTHS, SPARE = 3, 4
Edit = Callable[[Workbook], Any]


@cache
def small() -> Inputs:
    """A few rows of every table; figures that need all their digits."""
    whole = Catalog.builtin()
    gpus = tuple(whole.find_gpu(name) for name in ("L20", "H20-96G", "H200-141G-SXM"))
    models = tuple(whole.find_model(name) for name in ("Generic-7B", "Qwen3-32B"))
    names = {gpu.gpu for gpu in gpus}
    catalog = replace(
        whole, gpus=gpus, models=models, prices=tuple(price for price in whole.prices if price.gpu in names)[:12],
        fx=(Fx(currency="USD", budget_currency="CNY", rate=7.1, rate_date="2026-10-27", source="bank"),))
    workloads = (
        Workload(workload="bot", gpu="L20", model="Generic-7B", input_tokens=200, output_tokens=300, project="客服",
                 requests_per_day=26666.6666666667, peak_factor=4, price_list="gongjiyun",
                 notes="=not a formula\nsecond line"),
        Workload(workload="chat", gpu="H20-96G", model="Qwen3-32B", input_tokens=512, output_tokens=0.3,
                 environment="uat", daily_active_users=0, start_month=2, end_month=3),
    )  # fmt: skip
    costs = (OtherCost(item="Line", amount_per_month=-12.5, notes="refund"),
             OtherCost(item="Staff", amount_per_month=3))  # fmt: skip
    settings = sample().settings.model_copy(update={"looked_at": None})
    return Inputs(settings, Assumptions(), catalog, workloads, costs)


@cache
def _saved(lang: str, decisions: bool = True) -> bytes:
    buffer = BytesIO()
    build(small(), lang, MONTHS, SPARE).book.save(buffer)
    return buffer.getvalue()


def written(path: Path, lang: str = "en") -> Path:
    """The small workbook as gpusheet writes it, but for the saved values."""
    path.write_bytes(_saved(lang, bool(making.RESULTS)))
    return path


def edited(path: Path, *edits: Edit) -> Path:
    """The small workbook after edits."""
    book = openpyxl.load_workbook(written(path), rich_text=True)
    for edit in edits:
        edit(book)
    book.save(path)
    return path


def reread(path: Path, *edits: Edit) -> ReadBook:
    return read_book(edited(path, *edits))


def put(**cells: Any) -> Edit:
    """Types values into cells: put(Workloads_B7="x")."""

    def edit(book: Workbook) -> None:
        for where, value in cells.items():
            sheet, cell = where.rsplit("_", 1)
            book[sheet][cell] = value

    return edit


def table(book: Workbook, name: str) -> tuple[Worksheet, Any]:
    return next((sheet, sheet.tables[name]) for sheet in book.worksheets if name in sheet.tables)


def column(book: Workbook, name: str, title: str) -> str:
    """The letter of a table's column."""
    sheet, found = table(book, name)
    left, header, right, _ = range_boundaries(found.ref)
    return next(get_column_letter(i) for i in range(left, right + 1) if sheet.cell(header, i).value == title)


def cell(book: Workbook, name: str, title: str, row: int = 7) -> Any:
    return table(book, name)[0][f"{column(book, name, title)}{row}"]


def assumption(book: Workbook, name: str) -> Any:
    """The value cell of an assumption."""
    sheet = book["Assumptions"]
    return next(sheet[f"C{one.row}"] for one in sheet["A"] if one.value == name)


def without_tables(book: Workbook) -> None:
    for sheet in book.worksheets:
        sheet.tables.clear()


def rewritten(
    path: Path, changes: Mapping[str, Callable[[bytes], bytes]], added: Mapping[str, bytes] | None = None
) -> Path:
    """Changes parts of the file, whose names are given as patterns, and adds others."""
    with ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    used = set()
    for name, part in parts.items():
        for pattern, change in changes.items():
            if re.fullmatch(pattern, name):
                parts[name] = change(part)
                used.add(pattern)
    assert used == set(changes)
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        for name, part in {**parts, **(added or {})}.items():
            file.writestr(name, part)
    return path


def problems(path: Path, *edits: Callable[[Workbook], Any]) -> list[str]:
    """What is wrong with the workbook after the edits."""
    with pytest.raises(BadRow) as caught:
        reread(path, *edits)
    return caught.value.lines


def assumption_row(path: Path, name: str) -> int:
    """The row in which an assumption stands."""
    return next(one.row for one in openpyxl.load_workbook(path)["Assumptions"]["A"] if one.value == name)


def carried(read: ReadBook, path: Path) -> Workbook:
    """The new workbook as a file, read again."""
    new = path.with_name("new.xlsx")
    write(read.inputs, new, lang=read.lang, months=read.months, spare=0, extra_columns=read.extra_columns,
          extra_sheets=read.carried)
    return openpyxl.load_workbook(new, rich_text=True)
