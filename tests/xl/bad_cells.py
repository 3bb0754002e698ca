"""What people have in cells where a number, a name or a table belongs, and the error that each must give."""

from __future__ import annotations

import datetime
import decimal
import math
from typing import Any

VALUE, NA, NUM = "#VALUE!", "#N/A", "#NUM!"
COLUMN = [[None] for _ in range(1_048_576)]  # a whole column of a sheet

# what stands where a number belongs; a blank is judged by the function that lacks it
NO_NUMBERS: dict[str, tuple[Any, str]] = {
    "text": ("abc", VALUE),
    "number as text": ("8", VALUE),
    "number as text with blanks": (" 8 ", VALUE),
    "number with a comma": ("2,67", VALUE),
    "number with thousands": ("1,000", VALUE),
    "full-width digits": ("８", VALUE),
    "Arabic digits": ("٨", VALUE),
    "Chinese numeral": ("八", VALUE),
    "number with its unit": ("80 GB", VALUE),
    "money as text": ("¥4.5", VALUE),
    "per cent as text": ("50%", VALUE),
    "fraction as text": ("1/2", VALUE),
    "hexadecimal text": ("0x10", VALUE),
    "nan as text": ("nan", VALUE),
    "inf as text": ("inf", VALUE),
    "true as text": ("TRUE", VALUE),
    "formula as text": ("=1+1", VALUE),
    "dash": ("-", VALUE),
    "n/a in words": ("n/a", VALUE),
    "emoji": ("🙂", VALUE),
    "a very long text": ("x" * 32_767, VALUE),
    "null character": ("\x00", VALUE),
    "TRUE": (True, VALUE),
    "FALSE": (False, VALUE),
    "date": (datetime.date(2026, 10, 27), VALUE),
    "date and time": (datetime.datetime(2026, 10, 27, 8, 30), VALUE),
    "time": (datetime.time(8, 30), VALUE),
    "duration": (datetime.timedelta(hours=5), VALUE),
    "currency cell": (decimal.Decimal("4.5"), VALUE),
    "complex": (1 + 2j, VALUE),
    "row of cells": ([[1.0, 2.0]], VALUE),
    "column of cells": ([[1.0], [2.0]], VALUE),
    "block of cells": (((1.0, 2.0), (3.0, 4.0)), VALUE),
    "flat list of cells": ([1.0, 2.0, 3.0], VALUE),
    "whole column": (COLUMN, VALUE),
    "empty range": ([], VALUE),
    "range of one text": ([["abc"]], VALUE),
    "dictionary": ({"kind": "Na"}, VALUE),
    "endless": (math.inf, NUM),
    "endlessly negative": (-math.inf, NUM),
    "too large for a double": (10**400, NUM),
    "#DIV/0!": ("#DIV/0!", "#DIV/0!"),
    "#N/A": ("#N/A", "#N/A"),
    "#NAME?": ("#NAME?", "#NAME?"),
    "#NULL!": ("#NULL!", "#NULL!"),
    "#NUM!": ("#NUM!", "#NUM!"),
    "#REF!": ("#REF!", "#REF!"),
    "#VALUE!": ("#VALUE!", "#VALUE!"),
    "#SPILL!": ("#SPILL!", "#SPILL!"),
    "#CALC!": ("#CALC!", "#CALC!"),
    "#GETTING_DATA": ("#GETTING_DATA", "#GETTING_DATA"),
    "error in a range of one": ([["#REF!"]], "#REF!"),
}

BLANKS: dict[str, Any] = {
    "blank": None, "empty text": "", "blanks": "   ", "non-breaking space": "\u00a0", "ideographic space": "\u3000",
    "line break": "\n", "range of one blank": [[None]], "NaN": math.nan,
}  # fmt: skip
