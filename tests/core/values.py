"""When two results are the same: Python's, a column's or a sheet's."""

from __future__ import annotations

import math
from typing import Any


def missing(value: Any) -> bool:
    """NaN for numbers, "" for text, a blank or "" in a sheet."""
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def same(one: Any, other: Any) -> bool:
    """Both missing, equal text, or numbers alike to 1e-9."""
    if missing(one) or missing(other):
        return missing(one) and missing(other)
    if isinstance(one, bool) or isinstance(other, bool) or isinstance(one, str) or isinstance(other, str):
        return type(one) is type(other) and bool(one == other)
    if not isinstance(one, int | float) or not isinstance(other, int | float):
        return False  # an error of a sheet
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
