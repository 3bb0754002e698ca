"""Files for the tests of the reader, made by program."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from openpyxl import Workbook

from gpusheet.catalog import Price
from gpusheet.intake.reader import read_table
from gpusheet.intake.table import Table

HEADER = ("日期", "供应商", "型号", "卡数", "单价", "币种", "计价对象", "计价周期", "计费方式", "含税", "来源")
DAY = datetime.date(2026, 11, 1)
ROW: dict[str, Any] = dict(
    zip(HEADER, (DAY, "甲", "H20", 1, 13.94, "CNY", "GPU", "小时", "按量", "是", "报价单-12"), strict=True)
)


def line(**changed: Any) -> list[Any]:
    """A good row of prices with some cells changed."""
    return [{**ROW, **changed}[name] for name in HEADER]


def book(path: Path, rows: Iterable[Sequence[Any]], change: Callable[[Any], None] | None = None) -> Path:
    """A workbook of one sheet; `change` does the rest to it."""
    made = Workbook()
    sheet = made.active
    assert sheet is not None
    for row in rows:
        sheet.append(list(row))
    if change is not None:
        change(sheet)
    made.save(path)
    return path


def prices(
    path: Path, *rows: Sequence[Any], header: Sequence[Any] = HEADER, change: Callable[[Any], None] | None = None
) -> Table:
    """The table that is read of a workbook with these rows of prices."""
    return read_table(book(path / "p.xlsx", [header, *rows], change), Price)


def csv(path: Path, text: str, encoding: str = "utf-8") -> Path:
    file = path / "p.csv"
    file.write_bytes(text.encode(encoding))
    return file


def with_values(path: Path, values: dict[str, str]) -> Path:
    """The workbook with saved values behind its formulas: what openpyxl cannot write. A value that is no number is an error."""
    import re

    with zipfile.ZipFile(path) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    name = "xl/worksheets/sheet1.xml"
    xml = parts[name].decode()
    for cell, value in values.items():
        kind = ' t="e"' if value.startswith("#") else ""
        xml = re.sub(
            rf'<c r="{cell}"([^>]*)><f>(.*?)</f><v\s*/?>(</v>)?', rf'<c r="{cell}"\1{kind}><f>\2</f><v>{value}</v>', xml
        )
    parts[name] = xml.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for part, data in parts.items():
            new.writestr(part, data)
    return path


def said(table: Table, severity: str | None = None) -> list[tuple[str, str]]:
    """The findings of a table, as their kind and cell."""
    return [(one.code, one.place.cell) for one in table.findings if severity in (None, one.severity)]
