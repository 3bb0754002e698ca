"""What a workbook's number formats say of a cell's value: a date, a share, a currency."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.etree import ElementTree

from gpusheet.intake.words import CURRENCIES, fold, said_by

_DATES = {*range(14, 18), 22, *range(27, 32), 36, *range(50, 55), 57, 58}
_TIMES = {*range(18, 22), *range(32, 36), *range(45, 48), 55, 56}
_PERCENTS = {9, 10}
_ACCOUNT = re.compile(r"\[\$([^\]\-]+)(?:-[0-9A-Fa-f]+)?\]")
_QUOTED = re.compile(r'"[^"]*"|\\.|_.|\*.')
SCALE_MARKS = ("万", "萬", "千", "百", "亿", "k", "K", "M")  # behind a number they say that it is counted in these
_SHRINKS = re.compile(r"[0#?],+(?![0#?])|!\.|\\\.")  # formats that show a part of the number: it is there in full
_BRACKETS = re.compile(r"\[[^\]]*\]")


@dataclass(frozen=True)
class Styles:
    """Cell styles by number: `dates` show days, `times` hours, `marks` a percent sign or a currency."""

    dates: frozenset[int] = frozenset()
    times: frozenset[int] = frozenset()
    marks: Mapping[int, str] = field(default_factory=dict)

    @property
    def special(self) -> list[int]:
        return sorted({*self.times, *self.marks})

    @classmethod
    def of(cls, xml: bytes) -> Styles:
        root = ElementTree.fromstring(xml)
        codes: dict[int, str] = {}
        dates, times, marks = set(), set(), {}
        for element in root.iter():
            if element.tag.endswith("}numFmt") and element.get("numFmtId", "").isdigit():
                codes.setdefault(int(element.get("numFmtId", "0")), element.get("formatCode", ""))
        formats = next((one for one in root if one.tag.endswith("}cellXfs")), None)
        for number, style in enumerate([] if formats is None else formats):
            kind = what_shows(int(style.get("numFmtId", "0")), codes)
            if kind == "date":
                dates.add(number)
            elif kind == "time":
                times.add(number)
            elif kind:
                marks[number] = kind
        return cls(frozenset(dates), frozenset(times), marks)


def what_shows(number: int, codes: Mapping[int, str]) -> str:
    """What a number format shows: 'date', 'time', '%', a currency such as 'CNY', or '' for a plain number.

    >>> codes = {170: 'yyyy"年"m"月"', 171: '[$$-409]#,##0.00', 172: '0.0%', 173: '"¥"#,##0.00_);[Red]-0', 174: '[h]:mm'}
    >>> [what_shows(number, codes) for number in (14, 170, 171, 172, 173, 174, 0)]
    ['date', 'date', 'USD', '%', 'CNY', 'time', '']
    >>> [what_shows(1, {1: code}) for code in ('0.0"万元"', '0!.0,"万"', '#,##0.0,"k"', '0.00"元"')]
    ['万', '', '', 'CNY']
    """
    if number not in codes:
        return ("date" if number in _DATES else "time" if number in _TIMES else "%" if number in _PERCENTS else "")
    code = codes[number].partition(";")[0]
    if account := _ACCOUNT.search(code):
        return CURRENCIES.get(fold(account[1]).strip(), CURRENCIES.get(fold(account[1]).upper(), ""))
    quoted = " ".join(part[1:-1] for part in _QUOTED.findall(code) if part.startswith('"'))
    bare = _QUOTED.sub("", code)
    letters = _BRACKETS.sub("", bare).casefold()
    if re.search(r"\[[hms]+\]", bare, re.IGNORECASE) or (re.search("[hs]", letters) and not re.search("[yd]", letters)):
        return "time"
    if "general" not in letters and re.search("[ydm]", letters):
        return "date"
    if "%" in bare:
        return "%"
    texts = [part.strip('"\\ ') for part in _QUOTED.findall(code)]
    if scale := next((text[:1] for text in texts if text in SCALE_MARKS or said_by(text).scale), ""):
        return "" if _SHRINKS.search(code) else scale
    signs = fold(f"{quoted} {re.sub(r'[#0?.,;_() -]', ' ', bare)}")
    return next((currency for word, currency in sorted(CURRENCIES.items(), key=lambda one: -len(one[0]))
                 if not word.isalpha() and word in signs), "") or CURRENCIES.get(signs.strip(), "")  # fmt: skip
