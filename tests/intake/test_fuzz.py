"""Whatever a file holds: it is read or refused with a line, soon, and no row is dropped unsaid.

GPUSHEET_FUZZ=20000 tries that many mutants; benchmarks/fuzz.py does the same and says how long it took.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutants import HEADERS, LONGEST, ROW, Mutant, at_most, mutant, outcome, read_as_its_kind

from gpusheet.catalog import Price
from gpusheet.errors import GpusheetError
from gpusheet.intake.reader import read_table

MUTANTS = int(os.environ.get("GPUSHEET_FUZZ", "240"))
BATCHES = 8


@pytest.mark.parametrize("batch", range(BATCHES))
def test_mutants_are_read_or_refused(batch: int, tmp_path: Path) -> None:
    found = {}
    for number in range(batch, MUTANTS, BATCHES):
        said = outcome(mutant(number, tmp_path), read_as_its_kind)
        if said not in ("read", "refused"):
            found[number] = said
    assert not found


def test_mutants_are_the_same_for_the_same_number(tmp_path: Path) -> None:
    for number in (*range(10), 39, 79):
        first = mutant(number, tmp_path)
        data = first.path.read_bytes()
        again = mutant(number, tmp_path)
        assert again == first
        assert again.path.read_bytes() == data or first.kind.startswith(("workbook", "budget"))  # which hold the time


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    """The test itself can fail: on a traceback, on a dropped row, on a hang."""
    one = Mutant(tmp_path / "x.csv", "csv values", 3)

    class Table:
        present, rows, reported = 3, [1], 1

    def fails(_: Path) -> None:
        raise KeyError("x")

    def hangs(_: Path) -> None:
        while True:
            pass

    def refuses(_: Path) -> None:
        raise GpusheetError("no")

    assert outcome(one, fails) == "csv values: KeyError: 'x'"
    assert outcome(one, refuses) == "refused"
    assert outcome(one, lambda _: Table()) == "csv values: 3 rows present, 1 read, 1 reported"
    Table.reported = 2
    assert outcome(one, lambda _: Table()) == "read"
    Table.present, Table.reported = 2, 1
    assert outcome(one, lambda _: Table()) == "csv values: 3 rows written, 2 found"
    with pytest.raises(TimeoutError), at_most(1):
        hangs(tmp_path)
    assert LONGEST == 10


CELL = st.one_of(st.text(max_size=12), st.integers(-(10**20), 10**20).map(str), st.floats().map(str), st.dates().map(str),
                 st.from_regex(r"[¥$€]?\s?[0-9０-９ ,.]{1,9}\s?(元|/卡|/hr|月)?", fullmatch=True))  # fmt: skip
STARTS = [b"", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\xff\xfe", b"<html", b"a,b\n"]
TAIL = st.lists(CELL, min_size=len(ROW) - 3, max_size=len(ROW) - 3)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.sampled_from(HEADERS), st.lists(TAIL, min_size=1, max_size=8))
def test_any_cells_beside_the_name_of_a_card(tmp_path: Path, header: list[str], tails: list[list[str]]) -> None:
    """Rows that name list and card are all there, read or reported, whatever else stands in them."""
    path = tmp_path / "prices.csv"
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([header, *([*ROW[:3], *tail] for tail in tails)])
    try:
        with at_most(LONGEST):
            table = read_table(path, Price)
    except GpusheetError as error:
        assert str(error)
        return
    assert table.present == len(table.rows) + table.reported == len(tails)
    for row in table.rows:
        assert row.price > 0 and row.gpu == ROW[2]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=400), st.sampled_from(STARTS))
def test_any_bytes(tmp_path: Path, data: bytes, start: bytes) -> None:
    path = tmp_path / "prices.xlsx"
    path.write_bytes(start + data)
    assert outcome(Mutant(path, "bytes"), lambda path: read_table(path, Price)) in ("read", "refused")
