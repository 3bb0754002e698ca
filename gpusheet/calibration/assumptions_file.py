"""Assumptions as a file: name, value and where the value is from, a line each."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from gpusheet.catalog import Assumptions, Column, columns
from gpusheet.catalog.schema import is_blank
from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.intake.sheets import open_file
from gpusheet.intake.understand import as_text

HEADER = ("name", "value", "source")


@dataclass(frozen=True)
class Assumed:
    """Assumptions of a file by name: the values as they are typed, and where they are from."""

    values: dict[str, str]
    sources: dict[str, str]


def read_assumptions(path: Path) -> Assumed:
    """The assumptions of a file; every wrong line is named. Without a source the file is it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "assumptions.csv")
    ...     _ = file.write_text("name,value,source\\ncalibration_step,1.12,our load tests\\nsafety,0.8,\\n")
    ...     found = read_assumptions(file)
    >>> found.values, found.sources["safety"]
    ({'calibration_step': '1.12', 'safety': '0.8'}, 'assumptions.csv')
    """
    known: Mapping[str, Column] = {c.name: c for c in columns(Assumptions)}
    sheet = open_file(path).sheets()[0]
    lines = zip(sheet.numbers, (["" if cell is None else as_text(cell) for cell in line] for line in sheet.lines), strict=True)
    header = [cell.casefold() for _, cells in [next(lines, (1, []))] for cell in cells]
    absent = [name for name in HEADER[:2] if name not in header]
    if absent:
        raise GpusheetError(f"{path.name} row 1: no column {', '.join(absent)}; allowed: {', '.join(HEADER)}")
    found: dict[str, str] = {}
    sources: dict[str, str] = {}
    wrong = []
    for number, cells in lines:
        row = dict(zip(header, cells, strict=False))
        name, value, place = row.get("name", ""), row.get("value", ""), f"{path.name} row {number}"
        if name not in known:
            wrong.append(str(UnknownName(f"{place}, name", name, known)))
        elif name in found:
            wrong.append(f"{place}, {name}: stands twice; leave one")
        elif is_blank(value):
            wrong.append(f"{place}, {name}: blank, allowed {known[name].allowed()}")
        else:
            found[name], sources[name] = value, row.get("source") or path.name
    for name, value in found.items():
        try:
            read = known[name].read(value)
            if isinstance(read, float) and known[name].outside(read):
                raise ValueError
        except (ValueError, TypeError, KeyError):
            wrong.append(f"{path.name}, {name}: found {value!r}, allowed {known[name].allowed()}")
    if wrong:
        raise GpusheetError("\n".join(wrong))
    return Assumed(found, sources)


def write_assumptions(file: TextIO, rows: Iterable[tuple[str, float, str]]) -> None:
    """Names, values and sources as a table that `read_assumptions` reads."""
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(HEADER)
    writer.writerows((name, f"{value:.15g}", source) for name, value, source in rows)
