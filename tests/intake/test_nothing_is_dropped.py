"""Whatever stands in the cells: no traceback, and rows read + rows reported = rows present."""

from __future__ import annotations

import datetime
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sheets_made import HEADER, line

from gpusheet.catalog import Fx, Gpu, Model, Price, Row, Workload
from gpusheet.intake.checking import check_file
from gpusheet.intake.findings import CannotRead
from gpusheet.intake.plausibility import implausible
from gpusheet.intake.reader import read_sheet
from gpusheet.intake.sheets import ErrorCell, Sheet, Unsaved
from gpusheet.intake.table import Table

ODD = [
    "面议", "***", "1 200", "10 800,00", "¥1,020.00", "合计", "小计", "注：含税", "=1+1",
    "#REF!", "H20", "元/卡时", "2026年11月1日", "11/1/2026", "0", "-1", "5%", "1e400",
    "\t", "１２", "TRUE", "GPU", "月", "￥", "$5/GPU/hr",
]  # fmt: skip
CELLS = st.one_of(
    st.none(),
    st.sampled_from(ODD),
    st.text(max_size=12),
    st.floats(allow_nan=False),
    st.integers(-5, 10**6).map(float),
    st.booleans(),
    st.dates(datetime.date(1900, 1, 1), datetime.date(2200, 1, 1)),
    st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2200, 1, 1)),
    st.times(),
    st.just(ErrorCell("#N/A")),
    st.just(Unsaved("=A1")),
)
TITLES = st.sampled_from(
    [*HEADER, "地域", "按量（元/卡时）", "包月(元/卡)", "$/GPU/hr", "单位", "序号", "", "rate", "currency", "workload"]
)


def counted(table: Table) -> None:
    assert table.present == len(table.rows) + table.reported
    assert len(table.rows) == len(table.places)
    assert table.reported == 0 or any(one.severity == "error" or one.code == "missing-price" for one in table.findings)
    for one in table.findings:
        assert one.line("en") and one.line("zh")
    for row in table.rows:
        assert type(row).model_validate(row.model_dump()) == row


def sheet_of(rows: list[list[Any]], typed: bool) -> Sheet:
    if not typed:
        rows = [[None if cell is None else str(cell) for cell in row] for row in rows]
    kept = [(number, row) for number, row in enumerate(rows, 1) if any(cell is not None for cell in row)]
    return Sheet("S", [number for number, _ in kept], [row for _, row in kept], typed=typed)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(HEADER), CELLS), max_size=8), st.booleans())
def test_odd_cells_in_good_rows(changes: list[tuple[str, Any]], typed: bool) -> None:
    rows = [list(HEADER), line(), *[line(**{name: cell}) for name, cell in changes]]
    table = read_sheet("a.xlsx", sheet_of(rows, typed), Price)
    counted(table)
    assert table.rows and table.rows[0].price == 13.94
    implausible(table.rows, table.place)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(
    st.lists(TITLES, min_size=2, max_size=12),
    st.lists(st.lists(CELLS, max_size=13), max_size=8),
    st.sampled_from([Price, Fx, Workload, Gpu, Model]),
    st.booleans(),
)
def test_odd_tables(titles: list[str], rows: list[list[Any]], row_type: type[Row], typed: bool) -> None:
    head: list[Any] = [title or None for title in titles]
    try:
        table = read_sheet("a.xlsx", sheet_of([head, *rows], typed), row_type)
    except CannotRead as refused:
        assert refused.findings and str(refused)
    else:
        counted(table)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=300))
def test_bytes_in_a_csv_file(tmp_path_factory: Any, data: bytes) -> None:
    from gpusheet.errors import GpusheetError

    path = tmp_path_factory.mktemp("bytes") / "a.csv"
    path.write_bytes("日期,供应商,型号,元/卡时\n2026-11-01,甲,H20,13.94\n".encode() + data)
    try:
        check_file(path)
    except GpusheetError as refused:
        assert str(refused)
