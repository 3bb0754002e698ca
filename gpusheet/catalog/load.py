"""CSV tables into rows. Headers are field names; every wrong cell of a file is named at once."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

from gpusheet.catalog.schema import BadRow, Row, columns, is_blank, unknown_column
from gpusheet.errors import GpusheetError

DATA = Path(__file__).parent / "data"

R = TypeVar("R", bound=Row)


def read_table(row_type: type[R], path: str | Path) -> list[R]:
    """The rows of a CSV file; blank lines are skipped, a blank cell is a value not given.

    >>> from gpusheet.catalog import Distribution
    >>> [row.p95_factor for row in read_table(Distribution, DATA / "distributions.csv")]
    [1.9, 1.4935, 4.0]
    """
    path = Path(path)
    lines = csv_lines(path)
    header = [cell.strip() for _, cells in [next(lines, (1, []))] for cell in cells]
    known = {c.name: c for c in columns(row_type)}
    wrong = [f"{path.name} row 1, {name or 'blank header'}: {unknown_column(name, known)}"
             for name in header if name not in known]
    wrong += [f"{path.name} row 1, {name}: the column stands {header.count(name)} times; leave one"
              for name in dict.fromkeys(header) if name in known and header.count(name) > 1]
    wrong += [f"{path.name} row 1, {c.name}: the column is missing; allowed {c.allowed()}"
              for c in known.values() if c.required and c.name not in header]
    if wrong:
        raise BadRow(wrong)
    rows = []
    for number, cells in lines:
        place = f"{path.name} row {number}"
        if any(not is_blank(cell) for cell in cells[len(header):]):
            wrong.append(f"{place}: {len(cells)} cells under {len(header)} headers; put text with commas in quotes")
            continue
        try:
            rows.append(row_type.read(dict(zip(header, cells, strict=False)), place))
        except BadRow as bad:
            wrong += bad.lines
    if wrong:
        raise BadRow(wrong)
    return rows


def csv_lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            for cells in reader:
                if any(not is_blank(cell) for cell in cells):
                    yield reader.line_num, cells
    except OSError as error:
        raise GpusheetError(f"{path}: cannot be read ({error.strerror}); give the path of a CSV file") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise GpusheetError(f"{path.name}: not a UTF-8 CSV file ({error}); save it as 'CSV UTF-8'") from None


@cache
def keys(table: str) -> tuple[str, ...]:
    """The first column of a built-in table: the names that other rows may use.

    >>> keys("distributions")
    ('uniform', 'normal', 'long_tail')
    """
    return tuple(cells[0] for _, cells in csv_lines(DATA / f"{table}.csv"))[1:]
