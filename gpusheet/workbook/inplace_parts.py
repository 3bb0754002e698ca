"""What has to change beside a sheet when cells of a file change: a mark on a style, the end of a table, calculation."""

from __future__ import annotations

import re
from functools import cached_property
from xml.etree import ElementTree

from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format
from openpyxl.utils import get_column_letter, range_boundaries

_FORMATS = re.compile(rb"<((?:\w+:)?)cellXfs\b([^>]*)>(.*?)</(?:\w+:)?cellXfs>", re.DOTALL)
_COUNT = re.compile(rb"""(\scount=["'])[0-9]+""")
_QUOTED = re.compile(rb"""\squotePrefix=["'](\w+)["']""")
_REF = re.compile(rb"""(\sref=["'])([^"']*)""")
_CALCULATION = re.compile(rb"<(?:\w+:)?calcPr\b([^>]*?)(/?>)")
_ON_OPENING = re.compile(rb"""\sfullCalcOnLoad=["'](\w+)["']""")
_BEFORE = re.compile(rb"</((?:\w+:)?)(?:sheets|functionGroups|externalReferences|definedNames)>")


class Styles:
    """The styles of a workbook's cells by their numbers; `changed` is the part if one had to be added."""

    def __init__(self, part: bytes | None) -> None:
        self.part = part or b""
        self.changed: bytes | None = None
        self._found = _FORMATS.search(self.part)
        self._prefix = self._found[1] if self._found else b""
        self._formats: list[bytes] = []
        if self._found:
            one = re.compile(rb"<%bxf\b[^>]*?(?:/>|>.*?</%bxf>)" % (self._prefix, self._prefix), re.DOTALL)
            self._formats = one.findall(self._found[3])

    @cached_property
    def _codes(self) -> dict[int, str]:
        tree = ElementTree.fromstring(self.part)
        own = {int(one.attrib["numFmtId"]): one.attrib["formatCode"] for one in tree.iterfind("{*}numFmts/{*}numFmt")}
        return {**BUILTIN_FORMATS, **own}

    def is_date(self, style: int | None) -> bool:
        """Whether numbers in cells of a style are shown as dates."""
        if style is None or style >= len(self._formats):
            return False
        number = re.search(rb"""\snumFmtId=["']([0-9]+)["']""", self._formats[style])
        return number is not None and bool(is_date_format(self._codes.get(int(number[1]), "")))

    def quoted(self, style: int | None) -> int | None:
        """The style that marks a text as no formula and is the same otherwise; added where there is none yet."""
        if self._found is None or not self._formats or (style or 0) >= len(self._formats):
            return style
        known = self._formats[style or 0]
        mark = _QUOTED.search(known)
        if mark and mark[1] in (b"1", b"true"):
            return style
        start = b"<%bxf" % self._prefix
        wanted = start + b' quotePrefix="1"' + _QUOTED.sub(b"", known).removeprefix(start)
        if wanted not in self._formats:
            self._formats.append(wanted)
            stated = _COUNT.sub(rb"\g<1>%d" % len(self._formats), self._found[2])
            p, formats = self._prefix, b"".join(self._formats)
            inside = b"<%bcellXfs%b>%b</%bcellXfs>" % (p, stated, formats, p)
            self.changed = self.part[: self._found.start()] + inside + self.part[self._found.end() :]
        return self._formats.index(wanted)


def grown_table(xml: bytes, last: int) -> bytes | None:
    """A table's part with its end, and that of its filter, in row `last`; None where a row of totals stands there.

    >>> grown_table(b'<table id="1" ref="A1:B3"><autoFilter ref="A1:B3"/></table>', 5)
    b'<table id="1" ref="A1:B5"><autoFilter ref="A1:B5"/></table>'
    """
    opened = re.search(rb"<(?:\w+:)?table\s[^>]*>", xml)
    if opened is None or re.search(rb"""totalsRowCount=["'][1-9]""", opened[0]):
        return None
    filtered = re.search(rb"<(?:\w+:)?autoFilter\s[^>]*>", xml)

    def longer(match: re.Match[bytes]) -> bytes:
        left, top, right, _ = range_boundaries(match[2].decode())
        return match[1] + f"{get_column_letter(left or 1)}{top}:{get_column_letter(right or 1)}{last}".encode()

    for tag in (filtered, opened):  # the later one first
        if tag is not None:
            xml = xml[: tag.start()] + _REF.sub(longer, tag[0], count=1) + xml[tag.end() :]
    return xml


def recalculated_on_opening(workbook: bytes) -> bytes:
    """The workbook's part with the word that all formulas are to be calculated when it is opened.

    >>> recalculated_on_opening(b'<workbook><sheets></sheets><calcPr calcId="191029"/></workbook>')
    b'<workbook><sheets></sheets><calcPr calcId="191029" fullCalcOnLoad="1"/></workbook>'
    """
    stated = _CALCULATION.search(workbook)
    if stated is None:
        before = list(_BEFORE.finditer(workbook))
        if not before:
            return workbook
        at, prefix = before[-1].end(), before[-1][1]
        return workbook[:at] + b'<%bcalcPr fullCalcOnLoad="1"/>' % prefix + workbook[at:]
    asked = _ON_OPENING.search(stated[1])
    if asked and asked[1] in (b"1", b"true"):
        return workbook
    attributes = _ON_OPENING.sub(b"", stated[1]).rstrip() + b' fullCalcOnLoad="1"'
    return workbook[: stated.start(1)] + attributes + workbook[stated.end(1) :]
