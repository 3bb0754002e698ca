"""Formulas of a budget that a person changed: what stands there, and what gpusheet writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gpusheet import __version__
from gpusheet.audit.cells import AuditBook
from gpusheet.audit.opening import read_audit_book
from gpusheet.audit.shapes import relative
from gpusheet.workbook.book import build
from gpusheet.workbook.reader import ReadBook
from gpusheet.workbook.reading.cells import blocks
from gpusheet.workbook.recalculation.cells import place_of_address

SHEETS = ("Lookup", "Sizing", "Summary", "Budget")


@dataclass(frozen=True)
class Edit:
    """A range of cells that do not have the formula that gpusheet writes there; `found` is '' where they are blank."""

    sheet: str
    cells: str
    found: str
    written: str


def edits(path: Path | str, read: ReadBook) -> list[Edit] | None:
    """The cells of the computed sheets that are not as gpusheet writes them for the inputs of the book; None where
    another version has written the book, whose formulas may be others."""
    book = read_audit_book(path)
    noted: Any = book.stub
    version = {one.name: one.value for one in noted.custom_doc_props.props}.get("gpusheet_version", __version__)
    return list(_edits(book, read)) if version == __version__ else None


def _edits(book: AuditBook, read: ReadBook) -> Iterator[Edit]:
    # the formulas compared name columns of tables, so that these may be empty
    catalog = replace(read.inputs.catalog, gpus=(), models=(), prices=(), fx=())
    inputs = replace(read.inputs, catalog=catalog, workloads=())
    made: Any = build(inputs, read.lang, read.months, spare=read.lines).book
    for title in SHEETS:
        if title not in book.sheets:
            continue
        sheet = book.sheets[title]
        found: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for (row, column), cell in made[title]._cells.items():
            if cell.data_type != "f":
                continue
            here = sheet.cells.get((row, column))
            key = relative(cell.value, row, column)
            shape = sheet.formulas.get((row, column))
            if shape is not None and shape.key == key:
                continue
            what = shape.key if shape else f"typed {here.value}" if here else ""
            found.setdefault((what, key), []).append((row, column))
        for (what, _), places in found.items():
            for where, _members in blocks(places):
                first = place_of_address(where.partition(":")[0])
                text = sheet.formula(first) if what and not what.startswith("typed ") else what.removeprefix("typed ")
                yield Edit(title, where, text, made[title].cell(*first).value)
