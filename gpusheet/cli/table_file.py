"""A table of workloads in, the same table with all quantities out."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from gpusheet.catalog import Assumptions, BadRow, Catalog, Column, Workload, columns
from gpusheet.catalog.schema import is_blank
from gpusheet.cli.files import new_text_file
from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.intake.findings import besides
from gpusheet.intake.guard import csv_cell
from gpusheet.intake.sheets import open_file
from gpusheet.intake.understand import UNCLEAR, as_text, understand
from gpusheet.intake.vocabulary import heads_of
from gpusheet.intake.words import squeezed
from gpusheet.lookup import Context, estimate
from gpusheet.wiring import quantities

MISSING = "missing"  # the last column: why a price is not there
_LIKE = 0.84  # from here on a header is taken for a slip of the pen, not for a column of the user's own


@dataclass(frozen=True)
class Table:
    """The workloads of a file, with every cell as it stands there."""

    header: list[str]
    cells: list[list[str]]
    workloads: list[Workload]
    warnings: list[str] = field(default_factory=list)  # cells that were read in another spelling


def read_workloads(path: Path) -> Table:
    """Reads a CSV file of workloads; columns that are not ours are kept. Every wrong cell is named at once."""
    sheet = open_file(path).sheets()[0]
    lines = zip(sheet.numbers, sheet.lines, strict=True)
    header = [_name(as_text(cell)) if cell is not None else "" for _, cells in [next(lines, (1, []))] for cell in cells]
    wrong = _wrong_headers(path.name, header)
    if wrong:
        raise BadRow(wrong)
    ours = {c.name: c for c in columns(Workload)}
    warnings: list[str] = []
    kept: list[list[str]] = []
    workloads: list[Workload] = []
    for number, cells in lines:
        place = f"{path.name} row {number}"
        if any(not is_blank(cell) for cell in cells[len(header) :]):
            wrong.append(f"{place}: {len(cells)} cells under {len(header)} headers; put text with commas in quotes")
            continue
        row = [*cells, *[None] * (len(header) - len(cells))][: len(header)]
        values = {name: cell for name, cell in zip(header, row, strict=True) if name in ours}
        unclear = _understand(values, ours, place, sheet.typed, warnings)
        wrong += unclear
        try:
            workload = Workload.read(values, place)
        except BadRow as bad:
            wrong += besides(bad.lines, unclear)
            continue
        wrong += _unknown_names(workload, place)
        kept.append(["" if cell is None else cell if isinstance(cell, str) else as_text(cell) for cell in row])
        workloads.append(workload)
    if wrong:
        raise BadRow(wrong)
    if not workloads:
        raise GpusheetError(f"{path.name}: no workload in it; write one in the row under the headers")
    return Table(header, kept, workloads, warnings)


def _name(title: str) -> str:
    """The name of a column that is headed by its label, in either language; other titles as they are."""
    name, rank = heads_of(Workload).get(squeezed(title), ("", 9))
    return name if rank <= 1 and title not in quantities() else title


def _understand(
    values: dict[str, Any], ours: Mapping[str, Column], place: str, typed: bool, warnings: list[str]
) -> list[str]:
    """Puts numbers, days and choices in place of their spellings; errors for those that can be read two ways."""
    unclear = []
    for name, cell in values.items():
        if ours[name].kind == "text":
            values[name] = None if cell is None else as_text(cell)
            continue
        found = understand(cell, ours[name], typed)
        if not found.bad:
            values[name] = found.value
            warnings += [f"{place}, {name}: {one.en}" for one in found.remarks]
        else:
            unclear += [f"{place}, {name}: {one.en}" for one in found.remarks if one.code in UNCLEAR]
    return unclear


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
