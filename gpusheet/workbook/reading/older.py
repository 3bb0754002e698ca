"""Workbooks that an earlier version wrote: what came later is taken from gpusheet's own tables.

A person who brings last year's book gets this year's columns filled in for the rows that gpusheet knows; what she typed
stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openpyxl.workbook.workbook import Workbook

from gpusheet.catalog import Catalog, Column, Row, columns
from gpusheet.catalog.planning import PLANNING

SCHEMA = "3"
LATER_TABLES = {"Engines", "Generations", *PLANNING}
_LENDING = {"GPUs": "gpus", "Models": "models", "Precisions": "precisions"}
_STAND_IN: dict[str, Any] = {"generation": "other"}  # for rows of the user's own


def is_older(book: Workbook) -> bool:
    """Whether the book says that it is of an earlier schema."""
    noted: Any = book
    said = {one.name: str(one.value) for one in noted.custom_doc_props.props}
    return said.get("gpusheet_schema", SCHEMA) < SCHEMA


def may_lack(table: str, column: Column) -> bool:
    """Whether a column of an older book may be missing."""
    return table in _LENDING or not column.required


def lent(table: str, absent: list[str], values: dict[str, Any]) -> dict[str, Any]:
    """Values for the columns that a row does not have yet: those of gpusheet's row of that name."""
    if table not in _LENDING or not absent:
        return {}
    rows: Sequence[Row] = getattr(Catalog.builtin(), _LENDING[table])
    key = columns(type(rows[0]))[0].name
    wanted = str(values.get(key) or "").strip().casefold()
    known = next((row for row in rows if getattr(row, key).casefold() == wanted), None)
    if known is None:
        return {name: _STAND_IN[name] for name in absent if name in _STAND_IN}
    return {name: getattr(known, name) for name in absent}
