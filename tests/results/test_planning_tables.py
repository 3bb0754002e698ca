"""The planning tables of a written book are read back as they were, and LibreOffice gives its sheets the same values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import libreoffice
from openpyxl.workbook.workbook import Workbook
from planned_books import Planned

from gpusheet.catalog.planning import PLANNING
from gpusheet.workbook.reader import read_book


def test_plans_are_read_back(case: Planned) -> None:
    read = read_book(case.path)
    for table, (_, field, _) in PLANNING.items():
        assert (table, list(getattr(read.inputs.plans, field))) == (table, list(getattr(case.inputs.plans, field)))


def test_all_of_the_sample_is_read_back(sample_case: Planned) -> None:
    assert read_book(sample_case.path).inputs.digest == sample_case.inputs.digest


def test_libreoffice_agrees(sample_case: Planned, recalculate: Callable[[Path], Workbook]) -> None:
    assert libreoffice.differences(sample_case.built.book, sample_case.values, recalculate(sample_case.path)) == []
