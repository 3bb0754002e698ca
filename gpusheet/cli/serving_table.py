"""A table of replicas at a load in, the same table with memory, times and throughput out.

Told from a table of workloads by its header: it has no `workload` column, and nothing about demand or money.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from gpusheet.catalog import BadRow, Workload, columns
from gpusheet.cli.files import new_text_file
from gpusheet.cli.table_file import some_of
from gpusheet.errors import GpusheetError
from gpusheet.intake.guard import csv_cell
from gpusheet.intake.sheets import open_file
from gpusheet.intake.understand import as_text, with_numbers
from gpusheet.lookup import Context
from gpusheet.serving_rows import ANSWERS, COLUMNS, REFUSED, answer

_LIKE = 0.84  # from here on a header is taken for a slip of the pen
_ELSEWHERE = {c.name for c in columns(Workload) if c.group in ("identity", "demand", "overrides", "money")} - {"concurrency"}


@dataclass(frozen=True)
class ServingTable:
    """The rows of a file, with every cell as it stands there."""

    header: list[str]
    cells: list[list[str]]

    @property
    def rows(self) -> list[dict[str, str]]:
        return [dict(zip(self.header, row, strict=False)) for row in self.cells]


def read_header(path: Path) -> list[str]:
    """The names in a file's first line."""
    lines = open_file(path).sheets()[0].lines
    return _texts(lines[0]) if lines else []


def is_serving(header: Sequence[str]) -> bool:
    """Whether these are the columns of replicas at a load.

    >>> is_serving(["model", "gpu", "cards", "concurrency"]), is_serving(["workload", "model", "gpu"])
    (True, False)
    """
    return {"model", "gpu"} <= set(header) and _ELSEWHERE.isdisjoint(header)


def read_serving(path: Path) -> ServingTable:
    """Reads a file of replicas; columns that are not ours are kept."""
    sheet = open_file(path).sheets()[0]
    header, *rest = map(_texts, sheet.lines)
    wrong = [f"{path.name} row 1, {problem}" for problem in _wrong_headers(header)]
    cells = []
    for number, row in zip(sheet.numbers[1:], rest, strict=True):
        if any(row[len(header) :]):
            wrong.append(f"{path.name} row {number}: {len(row)} cells under {len(header)} headers; put text with commas in quotes")
        cells.append([*row, *[""] * (len(header) - len(row))][: len(header)])
    if wrong:
        raise BadRow(wrong)
    if not cells:
        raise GpusheetError(f"{path.name}: no row in it; write one under the headers")
    return ServingTable(header, cells)


def _texts(cells: Sequence[Any]) -> list[str]:
    return ["" if cell is None else as_text(cell).strip() for cell in cells]


def _wrong_headers(header: Sequence[str]) -> list[str]:
    wrong = [f"{name}: the column stands {header.count(name)} times; leave one"
             for name in dict.fromkeys(header) if header.count(name) > 1]  # fmt: skip
    for name in dict.fromkeys(header):
        like = next((own for own in COLUMNS if SequenceMatcher(None, name.casefold(), own).ratio() >= _LIKE), None)
        if name in ANSWERS:
            wrong.append(f"{name}: is computed; leave the column out, or give it another name to keep it")
        elif name and name not in COLUMNS and like:
            wrong.append(f"{name}: no such column; did you mean {like}?")
    return wrong


def write_serving(table: ServingTable, context: Context, path: Path) -> Any:
    """Writes the table's own columns, then the answers; returns the answers."""
    found = answer([with_numbers(row, columns(Workload)) for row in table.rows], context)
    with new_text_file(path) as file:
        writer = csv.writer(file, lineterminator="\r\n")
        writer.writerow(csv_cell(name) for name in (*table.header, *ANSWERS))
        for own, answers in zip(table.cells, found[list(ANSWERS)].itertuples(index=False), strict=True):
            writer.writerow([csv_cell(value) for value in (*own, *answers)])
    return found


def without_answer(found: Any) -> str:
    """Which rows were refused, by the line of the file, for the screen; blank where none was."""
    lines = [f"row {place + 2}" for place, reason in enumerate(found[REFUSED]) if reason]
    return some_of(lines) if lines else ""
