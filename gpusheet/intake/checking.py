"""Everything there is to say of a file with tables, without using it: what each sheet holds and what is wrong or odd."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gpusheet.catalog import (
    Catalog,
    Distribution,
    Fx,
    Gpu,
    Model,
    OtherCost,
    Precision,
    Price,
    Row,
    Season,
    Tier,
    Workload,
)
from gpusheet.intake.findings import SEVERITIES, CannotRead, Finding, Place
from gpusheet.intake.headers import score_of
from gpusheet.intake.plausibility import implausible
from gpusheet.intake.reader import read_sheet
from gpusheet.intake.sheets import Opened, Sheet, SheetTable, open_file

FITS = 0.25  # of a row type's required columns, from which a sheet is taken for such a table
# Excel tables by their name, as gpusheet's own workbooks have them
TABLES: Mapping[str, type[Row]] = {
    "GPUs": Gpu, "Models": Model, "Prices": Price, "FX": Fx, "Workloads": Workload, "OtherCosts": OtherCost,
    "Precisions": Precision, "Distributions": Distribution, "CardTiers": Tier, "Seasons": Season,
}  # fmt: skip
_FREE: tuple[type[Row], ...] = (Price, Gpu, Model, Workload, Fx)


@dataclass
class Counted:
    """What a table holds: rows that are there, and those that could not be read."""

    sheet: str
    kind: str
    present: int
    reported: int
    refused: bool = False  # its header could not be read, so it is not known what stands there
    name: str = ""  # of the Excel table, where a sheet has several


@dataclass
class CheckedFile:
    """All findings, in the order of their cells, and the tables that were found."""

    findings: list[Finding] = field(default_factory=list)
    tables: list[Counted] = field(default_factory=list)
    ours: bool = False  # a workbook of gpusheet


def check_file(
    path: Path | str, today: datetime.date | None = None, sheet: str | None = None, catalog: Catalog | None = None
) -> CheckedFile:
    """Reads every table of a file and looks whether its prices can be right: against those of `catalog`, or the built-in.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("日期,供应商,型号,元/卡时\\n2026-11-01,甲,H20,13,94\\n2026-11-01,甲,H20,0\\n")
    ...     checked = check_file(f"{folder}/a.csv", datetime.date(2026, 11, 30))
    >>> [(one.code, one.place.cell) for one in checked.findings if one.severity == "error"]
    [('beyond-header', 'E2'), ('zero-price', 'D3')]
    """
    opened = open_file(path)
    checked = CheckedFile()
    sheets = [opened.read(name) for name in opened.names if sheet is None or name.casefold() == sheet.casefold()]
    if sheet is not None and not sheets:
        listed = ", ".join(opened.names)
        raise CannotRead([Finding("error", "no-sheet", Place(opened.file), sheet, f"found no sheet {sheet!r}; allowed: {listed}",
                                  f"没有工作表“{sheet}”；可用：{listed}")])  # fmt: skip
    checked.ours = any(table.name == "Workloads" for one in sheets for table in one.tables)
    for one in sheets:
        _check_sheet(opened, one, checked, today, catalog or Catalog.builtin())
    if not checked.tables and not any(one.severity == "error" for one in checked.findings):
        checked.findings.append(Finding(
            "error", "no-table", Place(opened.file), "", "found no table of prices, GPUs, models, workloads or exchange rates; "
            "head its columns with names such as GPU, price, date",
            "没有找到价格、GPU、模型、业务或汇率表；请给各列写上“型号”“价格”“日期”等标题"))  # fmt: skip
    checked.findings.sort(key=lambda one: (SEVERITIES.index(one.severity), opened.names.index(one.place.sheet)
                                           if one.place.sheet in opened.names else -1))  # fmt: skip
    return checked


def _check_sheet(
    opened: Opened, sheet: Sheet, checked: CheckedFile, today: datetime.date | None, catalog: Catalog
) -> None:
    named = [table for table in sheet.tables if table.name in TABLES]
    if named or checked.ours:  # in a workbook of gpusheet, what is no such table is computed
        for table in named:
            first = len(checked.findings)
            _check(opened.file, _cut(sheet, table), TABLES[table.name], checked, today, catalog)
            checked.tables[-1].name = table.name if len(named) > 1 else ""
            # its columns have the names of the fields; what stands beside them is computed
            checked.findings[first:] = [one for one in checked.findings[first:] if one.code != "column-not-used"]
        return
    scores = {row_type: score_of(sheet, row_type) for row_type in _FREE}
    best = max(_FREE, key=lambda row_type: scores[row_type])
    if scores[best] >= FITS:
        _check(opened.file, sheet, best, checked, today, catalog)


def _check(
    file: str, sheet: Sheet, row_type: type[Row], checked: CheckedFile, today: datetime.date | None, catalog: Catalog
) -> None:
    try:
        table = read_sheet(file, sheet, row_type)
    except CannotRead as cannot:
        checked.findings += cannot.findings
        checked.tables.append(Counted(sheet.name, row_type.__name__, 0, 0, refused=True))
        return
    checked.tables.append(Counted(sheet.name, row_type.__name__, table.present, table.reported))
    checked.findings += table.findings
    if row_type is Price:
        checked.findings += implausible(table.rows, table.place, catalog=catalog, today=today)


def _cut(sheet: Sheet, table: SheetTable) -> Sheet:
    """An Excel table of a sheet, with what is typed right under it; columns beside it are left out."""
    below = min((one.top for one in sheet.tables if one.top > table.bottom), default=None)
    numbers: list[int] = []
    lines: list[list[Any]] = []
    for number, line in zip(sheet.numbers, sheet.lines, strict=True):
        inside = line[table.left - 1 : table.right]
        if number < table.top or (below is not None and number >= below) or not any(cell is not None for cell in inside):
            continue
        if number > table.bottom and (not numbers or number > max(numbers[-1], table.bottom) + 1):
            break
        numbers.append(number)
        lines.append([*[None] * (table.left - 1), *inside])
    return replace(sheet, numbers=numbers, lines=lines, tables=[table])


