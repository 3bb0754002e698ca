"""Putting calculated values into the XML of a sheet; everything else in it stays byte for byte as it is."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import groupby

from openpyxl.utils import get_column_letter

from gpusheet.workbook.cached import cached_value
from gpusheet.workbook.evaluate import CellError, Value
from gpusheet.workbook.recalculation.calculate import Calculated
from gpusheet.workbook.recalculation.cells import Area, Place, SheetCells, address, place_of, places

_TYPE = re.compile(rb"""\s(?:t|vm)=["'][^"']*["']""")  # vm: what stood behind an old value
_REF = re.compile(rb"""(\sref=["'])[^"']*(?=["'])""")
_SPANS = re.compile(rb"""\sspans=["'][^"']*["']""")
_ROW_NUMBER = re.compile(rb"""\br=["']([0-9]+)["']""")
_OTHER_ERROR = "#VALUE!"  # what Excel itself writes for an error that files have no word for
_NONE = object()


def patched(result: Calculated, title: str, without: Collection[Place]) -> bytes:
    """The sheet's part with a value in every formula cell but those of `without`, which get none."""
    sheet = result.sheets[title]
    rows = result.values[title]
    part, prefix = sheet.part, sheet.prefix
    opened, closed = b"<%bv>" % prefix, b"</%bv>" % prefix
    empty = {b"", opened + closed, b"<%bv/>" % prefix, b"<%bv />" % prefix}
    old_value = re.compile(rb"<%b(?:v|is)\b[^>]*?(?:/>|>.*?</%b(?:v|is)>)" % (prefix, prefix), re.DOTALL)
    out: list[bytes] = []
    at = 0
    dynamic = {place for place, one in sheet.special.items() if one.dynamic}
    for place, begin, start, end, last in sheet.spans():
        attributes, rest = part[begin:start], part[end:last]
        if b"t=" in attributes or b"vm=" in attributes:
            out += (part[at:begin], _TYPE.sub(b"", attributes))
            at = start
        if place in without:
            out.append(part[at:end])
        else:
            value = rows[place[0] - 1][place[1] - 1]
            kind, text = cached_value(value) or _written(value)
            if kind or place in dynamic:
                formula = part[start:end]
                if place in dynamic:
                    formula = _REF.sub(rb"\g<1>%b" % _reference(result.spilled[title][place]), formula, count=1)
                out += (part[at:start], kind, formula, opened, text, closed)
            else:
                out += (part[at:end], opened, text, closed)
        if rest not in empty:
            out.append(old_value.sub(b"", rest))
        at = last
    part = b"".join([*out, part[at:]])
    filled = _filled(result, title, without)
    return _with_filled(sheet, part, filled) if filled else part


def _written(value: Value) -> tuple[bytes, bytes]:
    """The type attribute and the text of a value."""
    if value is None:
        value = 0.0  # a reference to a blank cell shows 0
    written = cached_value(value) or cached_value(CellError("#NUM!" if type(value) is float else _OTHER_ERROR))
    assert written is not None
    return written


def _filled(result: Calculated, title: str, without: Collection[Place]) -> dict[Place, Value | object]:
    """What stands in the cells that array formulas fill, beside the formulas' own cells; _NONE in those that no
    formula fills any more."""
    found: dict[Place, Value | object] = {}
    formulas = result.sheets[title].formulas
    for special in result.sheets[title].special.values():
        if special.area is not None:
            found |= dict.fromkeys(places(special.area), _NONE)
    for anchor, area in result.spilled[title].items():
        if anchor not in without:
            found |= {place: result.at((title, place)) for place in places(area)}
    return {place: value for place, value in found.items() if place not in formulas}


def _with_filled(sheet: SheetCells, part: bytes, filled: dict[Place, Value | object]) -> bytes:
    wanted = {row: {place[1]: filled[place] for place in group}
              for row, group in groupby(sorted(filled), key=lambda place: place[0])}  # fmt: skip
    missing = sorted(row for row in wanted if any(value is not _NONE for value in wanted[row].values()))
    out: list[bytes] = []
    at = 0
    for match in sheet.row.finditer(part):
        number = _ROW_NUMBER.search(match[1])
        if number is None:
            continue
        row = int(number[1])
        out.append(part[at : match.start()])
        while missing and missing[0] < row:
            out.append(_row(sheet, missing[0], b"", b"", wanted[missing.pop(0)]))
        if missing and missing[0] == row:
            missing.pop(0)
        out.append(_row(sheet, row, match[1], match[2] or b"", wanted[row]) if row in wanted else match[0])
        at = match.end()
    out += [_row(sheet, row, b"", b"", wanted[row]) for row in missing]
    return b"".join([*out, part[at:]])


def _row(sheet: SheetCells, row: int, attributes: bytes, cells: bytes, wanted: dict[int, Value | object]) -> bytes:
    """A row with values in some of its cells; cells that the file has keep their style."""
    prefix = sheet.prefix
    found = {place[1]: match for match in sheet.cell.finditer(cells) if (place := place_of(match[1]))}
    written = {column: match[0] for column, match in found.items()}
    for column, value in wanted.items():
        own = _TYPE.sub(b"", found[column][1] or b"") if column in found else b' r="%b"' % address((row, column)).encode()
        if value is not _NONE:
            kind, text = _written(value)  # type: ignore[arg-type]
            written[column] = b"<%bc%b%b><%bv>%b</%bv></%bc>" % (prefix, own, kind, prefix, text, prefix, prefix)
        elif column in found:
            written[column] = b"<%bc%b/>" % (prefix, own)
    attributes = _SPANS.sub(b"", attributes) or b' r="%d"' % row
    body = b"".join(written[column] for column in sorted(written))
    return b"<%brow%b>%b</%brow>" % (prefix, attributes, body, prefix)


def _reference(area: Area) -> bytes:
    top, left, bottom, right = area
    first, last = f"{get_column_letter(left)}{top}", f"{get_column_letter(right)}{bottom}"
    return (first if first == last else f"{first}:{last}").encode()
