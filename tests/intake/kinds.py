"""One file of one kind of fault, and what the reader has to make of it."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sheets_made import DAY, book, said, with_values

from gpusheet.catalog import Price
from gpusheet.intake.reader import read_table
from gpusheet.intake.table import Table

HEAD = ("日期", "供应商", "型号", "价格(元/卡时)", "含税", "计费方式", "来源")
Said = Sequence[tuple[str, str]]


def row(price: Any = 13.94, gpu: Any = "H20", **other: Any) -> list[Any]:
    """A row under HEAD with its price in column D."""
    cells = dict(zip(HEAD, (DAY, "甲", gpu, price, "是", "按量", "报价单"), strict=True))
    return list({**cells, **other}.values())


class Made(NamedTuple):
    """A file: its rows (or the text of a CSV file), the prices that are right, and the errors and warnings by cell.

    `terms` are what else every price has; `rows` that are present are those read and those reported.
    """

    rows: Any
    prices: Sequence[float]
    told: Said = ()
    present: int | None = None
    terms: dict[str, Any] = {}  # noqa: RUF012 (never changed)
    change: Callable[[Any], None] | None = None
    values: dict[str, str] = {}  # noqa: RUF012 (saved values behind formulas)
    encoding: str = "utf-8"

    def read(self, folder: Path) -> Table:
        if isinstance(self.rows, str):
            path = folder / "p.csv"
            path.write_bytes(self.rows.encode(self.encoding))
        else:
            path = book(folder / "p.xlsx", self.rows, self.change)
            if self.values:
                with_values(path, self.values)
        return read_table(path, Price)


def holds(made: Made, folder: Path) -> None:
    """Whether the file gives what is stated, and nothing is left out unsaid."""
    table = made.read(folder)
    assert [one.price for one in table.rows] == list(made.prices)
    assert [one for one in said(table, "error") + said(table, "warning") if not one[0].startswith("assumed")] == list(made.told)
    assert table.present == (len(made.prices) if made.present is None else made.present)
    assert table.reported == table.present - len(table.rows)
    for one in table.rows:
        assert {name: getattr(one, name) for name in made.terms} == made.terms
    for finding in table.findings:
        assert finding.place.file and finding.en and finding.zh
        assert finding.place.sheet or isinstance(made.rows, str)


def every_file(kinds: dict[str, list[Made]]) -> pytest.MarkDecorator:
    """Each file as one test; of each kind there are at least three."""
    assert all(len(files) >= 3 for files in kinds.values())
    named = [(f"{kind}-{number}", one) for kind, files in kinds.items() for number, one in enumerate(files, 1)]
    return pytest.mark.parametrize("made", [pytest.param(one, id=name) for name, one in named])


def day(number: int) -> datetime.date:
    """A day of November 2026."""
    return DAY.replace(day=number)
