"""Where the engine differs from Excel: what takes its place, and what is therefore not calculated.

The list is measured: `tests/workbook/test_ordinary_functions.py` holds the engine against LibreOffice over some seven
hundred formulas. A value that may be wrong is none: `NotCalculated` says why.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from openpyxl.utils.datetime import to_excel

# functions with a reason for which they are not calculated
NOT_CALCULATED = {
    "CONVERT": "CONVERT knows fewer units here than in Excel",
    "INFO": "INFO tells of the program",
    "ISFORMULA": "ISFORMULA is not calculated here",
}
OVER_HIDDEN_ROWS = dict.fromkeys(("AGGREGATE", "SUBTOTAL"), "it leaves out hidden rows, which are not told from others here")
CELL_KINDS = ('"row"', '"col"', '"address"', '"contents"', '"type"')  # what else CELL tells is of the program or the file
DATEDIF_UNITS = ('"y"', '"m"', '"d"', '"ym"', '"md"')

# functions whose arguments become texts: a number in them is written with 15 digits
TEXTUAL = frozenset((
    "CLEAN", "CONCAT", "CONCATENATE", "EXACT", "FIND", "LEFT", "LEN", "LOWER", "MID", "PROPER", "REPLACE", "RIGHT", "SEARCH",
    "SUBSTITUTE", "TEXT", "TEXTJOIN", "TRIM", "UPPER"))  # fmt: skip
# functions that may give a text which Excel counts as a number in arithmetic
GIVING_TEXT = TEXTUAL - {"EXACT", "FIND", "LEN", "SEARCH"} | {"T"}
# functions that take numbers and days one by one, for which Excel reads texts as numbers
NUMERIC = frozenset((
    "ABS", "DATEDIF", "DAY", "DAYS", "DAYS360", "EDATE", "EOMONTH", "EVEN", "EXP", "HOUR", "INT", "ISOWEEKNUM", "LN", "LOG",
    "LOG10", "MINUTE", "MONTH", "NETWORKDAYS", "ODD", "POWER", "QUOTIENT", "ROUND", "ROUNDDOWN", "ROUNDUP", "SECOND", "SIGN",
    "SQRT", "TRUNC", "WEEKDAY", "WEEKNUM", "WORKDAY", "YEAR", "YEARFRAC"))  # fmt: skip

_LIKE_A_NUMBER = re.compile(r"[\s\d.,$¥￥€£()%/:+\-eE年月日]*\d[\s\d.,$¥￥€£()%/:+\-eE年月日]*")
_GROUPED = re.compile(r"\s*([+-]?)(\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)\s*(%?)\s*")
_NATIVE = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*%?\s*")
_DAY = re.compile(r"\s*(\d{4})[-/](\d{1,2})[-/](\d{1,2})\s*")
_TIME = re.compile(r"\s*(\d{1,2}):(\d{2})(?::(\d{2}))?\s*")
_QUOTED = r'"[^"]*"|\\.'
_SECTION = rf"(?:{_QUOTED}|[ \-+$()￥¥])*(?:[#0,]+(?:\.[0#]+)?,*%?)(?:{_QUOTED}|[ ()])*"
# formats of TEXT with which engine and LibreOffice agree
_FORMATS = re.compile(rf"(?:{_SECTION}(?:;{_SECTION})?|@|General|(?:\[\$-409\])?"
                      rf"(?:{_QUOTED}|y{{2,4}}|m{{1,4}}|d{{1,4}}|h{{1,2}}|s{{1,2}}"
                      r"|\[h\]|AM/PM|[-/:,. 年月日])+)", re.IGNORECASE)  # fmt: skip
_DASHED = re.compile(r"[#0][-+$() ][#0]")  # digits with a sign between them: the engine leaves the sign out


class NotCalculated(Exception):
    """A value that Excel may calculate differently; the message is the reason."""


def number_like(text: str) -> bool:
    """Whether Excel may read a text as a number or a day that the engine takes for a mere text.

    >>> [number_like(text) for text in ("1,234.5", "$5", "2026-10-27", "12", "7%", "x5", "")]
    [True, True, True, False, False, False, False]
    """
    return _LIKE_A_NUMBER.fullmatch(text) is not None and _NATIVE.fullmatch(text) is None


def number_of(text: str, epoch: datetime.datetime) -> float | None:
    """The number that Excel reads in a text, None where there is none; where that depends on the country, it raises.

    >>> from openpyxl.utils.datetime import CALENDAR_WINDOWS_1900 as epoch
    >>> [number_of(text, epoch) for text in ("1,234.5", "-1,000%", "2026-10-27", "12:00", "x")]
    [1234.5, -10.0, 46322.0, 0.5, None]
    >>> number_of("$5", epoch)
    Traceback (most recent call last):
        ...
    gpusheet.workbook.recalculation.deviations.NotCalculated: it calculates with the text '$5', of which it depends on the country \
whether it is a number; write the number
    """
    if found := _GROUPED.fullmatch(text):
        number = float(found[2].replace(",", "")) / (100 if found[3] else 1)
        return -number if found[1] == "-" else number
    if found := _DAY.fullmatch(text):
        try:
            day = datetime.datetime(int(found[1]), int(found[2]), int(found[3]))
        except ValueError:
            return None
        return float(to_excel(day, epoch))
    if found := _TIME.fullmatch(text):
        hours, minutes, seconds = (int(part or 0) for part in found.groups())
        if hours < 24 and minutes < 60 and seconds < 60:
            return (hours * 3600 + minutes * 60 + seconds) / 86400
    if not _LIKE_A_NUMBER.fullmatch(text) or (_NATIVE.fullmatch(text) and not text.strip()):
        return None
    raise NotCalculated(f"it calculates with the text {text!r}, of which it depends on the country whether it is a number; "
                        "write the number")  # fmt: skip


def digits(value: float) -> float:
    """A number as Excel compares and shows it: of 15 digits.

    >>> digits(0.1 + 0.2), digits(-0.0)
    (0.3, 0.0)
    """
    return float(f"{value:.15g}") + 0.0


def written(value: float) -> float:
    """A number as it becomes part of a text."""
    if value == int(value) if math.isfinite(value) and abs(value) < 1e15 else False:
        return value + 0.0
    if not 1e-4 <= abs(value) < 1e15:
        raise NotCalculated("a very large or very small number in a text is written in Excel's own way")
    return digits(value)


def checked_format(given: Any) -> Any:
    """The second argument of TEXT, if its result is known."""
    if isinstance(given, str) and given and (not _FORMATS.fullmatch(given) or _DASHED.search(given)):
        raise NotCalculated(f"TEXT with the format {given!r} is not calculated here")
    return given


def _multiple(number: float, step: float, up: bool) -> float:
    """The multiple of a step that is next to a number."""
    times = digits(number / step)  # 0.3/0.1 is 3
    return digits((math.ceil if up else math.floor)(times) * step)


def _ceiling(number: float, step: float) -> float | str:
    if number == 0 or step == 0:
        return 0.0
    return "#NUM!" if number > 0 > step else _multiple(number, step, up=True)


def _floor(number: float, step: float) -> float | str:
    if number == 0:
        return 0.0
    if step == 0:
        return "#DIV/0!"
    return "#NUM!" if number > 0 > step else _multiple(number, step, up=False)


def _ceiling_math(number: float, step: float | None = None, mode: float = 0) -> float | str:
    step = abs(1.0 if step is None else step)
    return _multiple(number, step, up=not (mode and number < 0)) if step else 0.0


def _floor_math(number: float, step: float | None = None, mode: float = 0) -> float | str:
    step = abs(1.0 if step is None else step)
    return _multiple(number, step, up=bool(mode and number < 0)) if step else 0.0


def _mod(number: float, divisor: float) -> float | str:
    if divisor == 0:
        return "#DIV/0!"
    times = number / divisor
    if not (number == int(number) and divisor == int(divisor)) and abs(times - round(times)) <= 1e-12 * max(1, abs(times)):
        raise NotCalculated("MOD of numbers that divide but for rounding is Excel's own")
    return number - divisor * math.floor(times) if abs(times) < 2**40 else math.fmod(number, divisor)


def _value(given: Any) -> Any:
    return "#VALUE!" if isinstance(given, bool) else given


def _by_letter(change: Callable[[str], str]) -> Callable[[str], str]:
    """Changes letters that stay one letter: an ß has no capital."""
    return lambda text: "".join(other if len(other := change(one)) == 1 else one for one in text)


def _proper(text: str) -> str:
    out, before = [], ""
    for one in text:
        changed = one.lower() if before.isalpha() else one.upper()
        out.append(changed if len(changed) == 1 else one)
        before = one
    return "".join(out)


# what takes the place of the engine's: functions of numbers and of texts, value by value
OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "CEILING": _ceiling, "FLOOR": _floor, "CEILING.MATH": _ceiling_math, "FLOOR.MATH": _floor_math, "MOD": _mod,
    "VALUE": _value,
}  # fmt: skip
OF_TEXTS: dict[str, Callable[..., Any]] = {
    "UPPER": _by_letter(str.upper), "LOWER": _by_letter(str.lower), "PROPER": _proper}
CORRECTED = frozenset((*OF_NUMBERS, *OF_TEXTS, "LOOKUP"))


def looked_up(wanted: Any, vector: Any, results: Any = None) -> Any:
    """LOOKUP in a row or a column: the last that is not greater; errors in it are passed over."""
    found = _line(vector)
    given = found if results is None else _line(results)
    if found is None or given is None or isinstance(wanted, list | bool | None):
        raise NotCalculated("LOOKUP is calculated here with one text or number, in one row or column")
    text = isinstance(wanted, str)
    same = [(_key(one), at) for at, one in enumerate(found) if isinstance(one, str if text else float)]
    if any(first[0] > second[0] for first, second in pairwise(same)):
        raise NotCalculated("LOOKUP in what is not sorted gives what Excel comes upon")
    if text and not all(str(key).isascii() for key, _ in (*same, (wanted, 0))):
        raise NotCalculated("LOOKUP of texts other than English ones sorts as Excel does")
    at = max((at for key, at in same if key <= _key(wanted)), default=None)
    if at is None:
        return "#N/A"
    if at >= len(given):
        return "#REF!"
    return 0.0 if given[at] is None else given[at]


def _line(cells: Any) -> list[Any] | None:
    if not isinstance(cells, list):
        return [cells]
    if len(cells) == 1:
        return list(cells[0])
    return [row[0] for row in cells] if all(len(row) == 1 for row in cells) else None


def _key(one: Any) -> Any:
    return one.casefold() if isinstance(one, str) else one
