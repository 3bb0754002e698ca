"""A table of workloads in, the same table with all quantities out."""

from __future__ import annotations

import csv
import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from gpusheet.catalog import Assumptions, BadRow, Catalog, Column, Workload, columns
from gpusheet.catalog.load import csv_lines
from gpusheet.catalog.schema import is_blank
from gpusheet.cli.files import new_text_file
from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.lookup import Context, estimate
from gpusheet.missing import is_missing
from gpusheet.wiring import quantities

MISSING = "missing"  # the last column: why a price is not there
_LIKE = 0.84  # from here on a header is taken for a slip of the pen, not for a column of the user's own
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


@dataclass(frozen=True)
class Table:
    """The workloads of a file, with every cell as it stands there."""

    header: list[str]
    cells: list[list[str]]
    workloads: list[Workload]


def read_workloads(path: Path) -> Table:
    """Reads a CSV file of workloads; columns that are not ours are kept. Every wrong cell is named at once."""
    lines = csv_lines(path)
    header = [cell.strip() for _, cells in [next(lines, (1, []))] for cell in cells]
    wrong = _wrong_headers(path.name, header)
    if wrong:
        raise BadRow(wrong)
    ours = {c.name for c in columns(Workload)}
    kept: list[list[str]] = []
    workloads: list[Workload] = []
    for number, cells in lines:
        place = f"{path.name} row {number}"
        if any(not is_blank(cell) for cell in cells[len(header) :]):
            wrong.append(f"{place}: {len(cells)} cells under {len(header)} headers; put text with commas in quotes")
            continue
        row = [*cells, *[""] * (len(header) - len(cells))][: len(header)]
        try:
            values = {name: cell for name, cell in zip(header, row, strict=True) if name in ours}
            workload = Workload.read(values, place)
        except BadRow as bad:
            wrong += bad.lines
            continue
        wrong += _unknown_names(workload, place)
        kept.append(row)
        workloads.append(workload)
    if wrong:
        raise BadRow(wrong)
    if not workloads:
        raise GpusheetError(f"{path.name}: no workload in it; write one in the row under the headers")
    return Table(header, kept, workloads)


def _unknown_names(workload: Workload, place: str) -> list[str]:
    catalog = Catalog.builtin()
    wrong = []
    for find, name in ((catalog.find_gpu, workload.gpu), (catalog.find_model, workload.model)):
        try:
            find(name)
        except UnknownName as error:
            wrong.append(f"{place}, {error}")
    return wrong


def _wrong_headers(file: str, header: list[str]) -> list[str]:
    known = {c.name: c for c in columns(Workload)}
    place = f"{file} row 1"
    wrong = [f"{place}, {name}: the column stands {header.count(name)} times; leave one"
             for name in dict.fromkeys(header) if name and header.count(name) > 1]  # fmt: skip
    wrong += [f"{place}, {c.name}: the column is missing; allowed {c.allowed()}"
              for c in known.values() if c.required and c.name not in header]  # fmt: skip
    problems: dict[str, list[str]] = {}
    for name in dict.fromkeys(header):
        if problem := _not_the_users_own(name, known):
            problems.setdefault(problem, []).append(name or "blank header")
    # a table of estimates given as input has a hundred such columns: one line for all
    return wrong + [f"{place}, {some_of(names)}: {problem}" for problem, names in problems.items()]


def some_of(names: Sequence[str], most: int = 5) -> str:
    """The first names of a list, and how many more there are.

    >>> some_of(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _not_the_users_own(name: str, known: Mapping[str, Column]) -> str | None:
    """Why a header may not stand; None for ours, and for those that are plainly the user's own."""
    if name in known:
        return None
    if not name:
        return "a column without a name; give it one, or delete it"
    assumptions = {c.name: c for c in columns(Assumptions)}
    if name in assumptions:
        return "the same for all rows; leave the column out and use the option, as in --memory-fraction 0.85"
    if name in quantities() or name == MISSING:
        return "is computed; leave the column out, or give it another name to keep it"
    for column in (*known.values(), *(c for c in assumptions.values() if c.name not in known)):
        for word in (column.name, column.en, column.zh):
            if SequenceMatcher(None, _plain(name), _plain(word)).ratio() >= _LIKE:
                return f"no such column; did you mean {column.name}?"
    return None


def _plain(header: str) -> str:
    return re.sub(r"[\s_-]+", "_", header.casefold())


def write_estimates(table: Table, context: Context, path: Path) -> Any:
    """Writes the table's own columns, then every quantity, then what is missing; returns the estimates.

    A blank cell under a header that is also a quantity takes the value that was used.
    """
    solved = estimate(table.workloads, context)
    computed = [name for name in quantities() if name in solved.columns and name not in table.header]
    columns_of = {name: solved[name].tolist() for name in solved.columns}
    with new_text_file(path) as file:
        writer = csv.writer(file, lineterminator="\r\n")
        writer.writerow(csv_cell(name) for name in (*table.header, *computed, MISSING))
        for row, cells in enumerate(table.cells):
            own = [columns_of[name][row] if is_blank(cell) and name in quantities() else cell
                   for name, cell in zip(table.header, cells, strict=True)]  # fmt: skip
            values = [*own, *(columns_of[name][row] for name in computed), columns_of[MISSING][row]]
            writer.writerow([csv_cell(value) for value in values])
    return solved


def csv_cell(value: Any) -> str:
    """A cell of a CSV file that a spreadsheet takes for what it is: text never becomes a formula.

    >>> csv_cell(3.0), csv_cell(-0.5), csv_cell("=1+1"), csv_cell("-5"), csv_cell(float("nan"))
    ('3', '-0.5', "'=1+1", '-5', '')
    """
    if is_missing(value):
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA) and not _is_number(text) else text


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text, re.ASCII) is not None
