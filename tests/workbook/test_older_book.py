"""A workbook that the first version wrote is read: what is new comes from gpusheet's tables, what was typed stands."""

from __future__ import annotations

from pathlib import Path

from openpyxl import load_workbook

from gpusheet.catalog import Catalog
from gpusheet.workbook.book import write
from gpusheet.workbook.inputs import sample
from gpusheet.workbook.layout import TABLE_HEADER
from gpusheet.workbook.reader import read_book
from gpusheet.workbook.reading.areas import FORMER

OLDER = Path(__file__).parent / "data" / "schema1.zh.xlsx"  # the sample as version 0.1.0 wrote it


def test_the_older_book_is_read_with_what_came_later(tmp_path: Path) -> None:
    read = read_book(OLDER)
    builtin, catalog = Catalog.builtin(), read.inputs.catalog
    assert (read.lang, read.months, len(read.lost)) == ("zh", 12, 1) and "compare the new book" in read.lost[0]
    assert catalog.engines == builtin.engines and catalog.generations == builtin.generations
    assert {gpu.gpu: gpu.generation for gpu in catalog.gpus}["H20-96G"] == "hopper"
    assert {p.precision for p in catalog.precisions} == {"fp16", "bf16", "fp8", "int8", "int4", "fp4"}  # as it had
    assert read.inputs.assumptions.sizing_method == "constraint"  # what it said stands; new books begin with serving
    assert "earlier version" in read.warnings[0]
    before = write(sample("zh"), tmp_path / "new.xlsx", lang="zh")
    after = write(read.inputs, tmp_path / "old.xlsx", lang="zh")
    assert after.checks_failed == 0 and after.total == before.total
    prices = load_workbook(tmp_path / "old.xlsx")["Prices"]
    assert {cell.value for cell in prices[TABLE_HEADER]}.isdisjoint(FORMER)
    again = read_book(tmp_path / "old.xlsx")
    assert again.inputs == read.inputs and not again.warnings
