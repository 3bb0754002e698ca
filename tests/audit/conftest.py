"""Workbooks to be audited, with every value in place."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from finance_book import Finance
from lean_inputs import lean
from openpyxl.workbook.workbook import Workbook

from gpusheet.audit import Report, audit
from gpusheet.workbook.book import build
from gpusheet.workbook.cached import write_with_values
from gpusheet.workbook.inputs import sample

DAY = datetime.datetime(2026, 11, 20)
Change = Callable[[Any], None]


def _audited(book: Workbook, path: Path) -> Report:
    book.properties.modified = DAY
    write_with_values(book, path)
    return audit(path, today=DAY.date())


@pytest.fixture
def finance(tmp_path: Path) -> Callable[..., Report]:
    """The audit of the finance team's book, after changes."""

    def audited(*changes: Change) -> Report:
        made = Finance()
        for change in changes:
            change(made.book)
        return _audited(made.book, tmp_path / "finance.xlsx")

    return audited


@pytest.fixture
def budget(tmp_path: Path) -> Callable[..., Report]:
    """The audit of a budget of ours, after changes."""

    def audited(*changes: Change, lang: str = "en") -> Report:
        book = build(lean(sample(lang)), lang).book
        for change in changes:
            change(book)
        return _audited(book, tmp_path / "budget.xlsx")

    return audited
