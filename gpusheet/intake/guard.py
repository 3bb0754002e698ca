"""Text from an input stays text in every file that is written: it never becomes a formula."""

from __future__ import annotations

import datetime
import re
from typing import Any

from gpusheet.missing import is_missing

_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def like_a_formula(value: Any) -> bool:
    """Whether a value is a text that begins as formulas do, so that a spreadsheet has to be told that it is none
    (quotePrefix in a workbook, an apostrophe in CSV).

    >>> like_a_formula("=1+1"), like_a_formula(" @SUM(1)"), like_a_formula(-1), like_a_formula("L20")
    (True, True, False, False)
    """
    if isinstance(value, int | float):
        return False
    text = str(value)  # text with formats of its own is a list of its parts
    return text.startswith(_BEGINS) or text.lstrip().startswith(_BEGINS)


def csv_cell(value: Any) -> str:
    """A cell of a CSV file that a spreadsheet takes for what it is: text never becomes a formula.

    >>> csv_cell(3.0), csv_cell(-0.5), csv_cell("=1+1"), csv_cell("-5"), csv_cell(float("nan"))
    ('3', '-0.5', "'=1+1", '-5', '')
    """
    if is_missing(value):
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    text = str(value)
    return f"'{text}" if like_a_formula(text) and not _NUMBER.fullmatch(text) else text
