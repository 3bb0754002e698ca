"""The XML of one sheet with some of its cells written anew; all else stays byte for byte as it is."""

from __future__ import annotations

import html
import re
from functools import cached_property

from openpyxl.formula.translate import Translator, TranslatorError
from openpyxl.utils import coordinate_to_tuple, get_column_letter, range_boundaries

from gpusheet.errors import GpusheetError

_ROW = rb"<%brow\b([^>]*?)(?:/>|>(.*?)</%brow>)"
_CELL = rb"<%bc\b([^>]*?)(?:/>|>(.*?)</%bc>)"
_OPENED = re.compile(rb"<((?:\w+:)?)sheetData\b[^>]*?(/)?>")
_STYLE = re.compile(rb"""\ss=["']([0-9]+)["']""")
_AT = re.compile(rb"""\sr=["']([A-Z]*[0-9]+)["']""")
_KIND = re.compile(rb"""\st=["'][^"']*["']""")
_SPANS = re.compile(rb"""\sspans=["']([0-9]+):([0-9]+)["']""")
_DIMENSION = re.compile(rb"""(<(?:\w+:)?dimension\s[^>]*?ref=["'])([^"']*)""")
_MERGED = re.compile(rb"""<(?:\w+:)?mergeCell\s[^>]*?ref=["']([^"']*)""")
_FILLED = re.compile(rb"""<(?:\w+:)?f\s(?=[^>]*?t=["'](?:array|dataTable)["'])[^>]*?\sref=["']([^"']*)""")
_COL = re.compile(rb"<(?:\w+:)?col\s([^>]*)>")
_LITERAL = re.compile(r'"[^"]*"|\'[^\']*\'|\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]')
_RELATIVE = re.compile(r"(?<![A-Za-z0-9_.$])(?:\$?[A-Z]{1,3}[0-9]+|[A-Z]{1,3}\$?[0-9]+)(?![A-Za-z0-9_(.])")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f]|_(?=x[0-9A-Fa-f]{4}_)")

Inner = tuple[bytes, bytes]  # a cell's type attribute, and what is in it


class SheetXml:
    """A sheet's part, whose cells are looked up and changed by their addresses."""

    def __init__(self, part: bytes, title: str) -> None:
        self.title = title
        opened = _OPENED.search(part)
        if opened is None:
            raise self._unusual("no cells")
        self.part, self.prefix = part, opened[1]
        p = self.prefix
        self.closing = b"</%bsheetData>" % p
        end = part.rfind(self.closing)
        if opened[2]:  # an empty sheet
            self.data, self.after = b"", part[opened.end() :]
        elif end < 0:
            raise self._unusual("cells without an end")
        else:
            self.data, self.after = part[opened.end() : end], part[end + len(self.closing) :]
        self.before = part[: opened.start()]
        self.opening = b"<%bsheetData>" % p if opened[2] else opened[0]
        if b"<!--" in self.data:
            raise self._unusual("comments among the cells")
        self._cell = re.compile(_CELL % (p, p), re.DOTALL)
        self.rows: dict[int, re.Match[bytes]] = {}
        for match in re.finditer(_ROW % (p, p), self.data, re.DOTALL):
            at = _AT.search(match[1])
            if at is None or not at[1].isdigit():
                raise self._unusual("rows without numbers")
            self.rows[int(at[1])] = match
        self.wanted: dict[int, dict[int, tuple[Inner, int | None]]] = {}

    def _unusual(self, what: str) -> GpusheetError:
        return GpusheetError(f"{self.title}: found XML of an unusual kind ({what}); open the workbook in Excel and save "
                             "it there as 'Excel Workbook'")  # fmt: skip

    def _cells(self, row: int) -> dict[int, tuple[bytes, bytes, bytes]]:
        """The cells of a row by their columns: all of it, its attributes, what is in it."""
        match = self.rows.get(row)
        found = {}
        for cell in self._cell.finditer(match[2] or b"") if match else ():
            at = _AT.search(cell[1])
            if at is None:
                raise self._unusual("cells without addresses")
            found[coordinate_to_tuple(at[1].decode())[1]] = (cell[0], cell[1], cell[2] or b"")
        return found

    def holds(self, cell: str) -> str | None:
        """What a cell has that is lost if a value is put into it; None where it has nothing but a value."""
        row, column = coordinate_to_tuple(cell)
        for area in self._merged:
            if _inside(cell, area) and cell != area.partition(":")[0]:
                return f"a part of the merged cells {area}"
        for area in self._filled:
            if _inside(cell, area):
                return f"a value of the formula in {area.partition(':')[0]}"
        _, attributes, inner = self._cells(row).get(column, (b"", b"", b""))
        if b"<%bf" % self.prefix in inner:
            return f"the formula {_shown(self._formula(inner))}"
        return "a picture or a data type" if b" vm=" in attributes else None

    @cached_property
    def _merged(self) -> list[str]:
        return [area.decode() for area in _MERGED.findall(self.after)]

    @cached_property
    def _filled(self) -> list[str]:
        return [area.decode() for area in _FILLED.findall(self.data)]

    def _formula(self, inner: bytes) -> str:
        text = re.search(rb"<%bf\b[^>]*>([^<]*)" % self.prefix, inner)
        return "=" + html.unescape(text[1].decode("utf-8", "replace")) if text and text[1] else "of another cell"

    def style(self, cell: str) -> int | None:
        """The number of a cell's style: its own, else that of its row or column; None where none has one."""
        row, column = coordinate_to_tuple(cell)
        cells = self._cells(row)
        if column in cells:
            own = _STYLE.search(cells[column][1])
            return int(own[1]) if own else 0
        match = self.rows.get(row)
        own = _STYLE.search(match[1]) if match and b"customFormat=" in match[1] else None
        if own:
            return int(own[1])
        for attributes in _COL.findall(self.before):
            stated = dict(re.findall(rb"""(\w+)=["']([0-9]+)["']""", attributes))
            if b"style" in stated and int(stated[b"min"]) <= column <= int(stated[b"max"]):
                return int(stated[b"style"])
        return None

    def content(self, value: float | str | bool | None) -> Inner | None:
        """A value as it stands in a cell; None and an empty text are nothing."""
        p = self.prefix
        if value is None or value == "":
            return None
        if isinstance(value, bool):
            return b' t="b"', b"<%bv>%d</%bv>" % (p, value, p)
        if isinstance(value, str):
            text = html.escape(_UNPRINTABLE.sub(lambda sign: f"_x{ord(sign[0]):04X}_", value), quote=False)
            kept = b' xml:space="preserve"' if text != text.strip() or "\n" in text or "  " in text else b""
            return b' t="inlineStr"', b"<%bis><%bt%b>%b</%bt></%bis>" % (p, p, kept, text.encode(), p, p)
        number = float(value)
        plain = str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
        return b"", b"<%bv>%b</%bv>" % (p, plain.encode(), p)

    def copied_formula(self, source: str, target: str) -> Inner | None:
        """The formula of a cell as it has to be in another; None where it cannot be told."""
        row, column = coordinate_to_tuple(source)
        _, _, inner = self._cells(row).get(column, (b"", b"", b""))
        plain = re.search(rb"<%bf>([^<]+)</%bf>" % (self.prefix, self.prefix), inner)
        if plain is None:
            return None
        formula = html.unescape(plain[1].decode())
        if _RELATIVE.search(_LITERAL.sub('""', formula)):
            if "[" in formula:
                return None
            try:
                formula = Translator(f"={formula}", origin=source).translate_formula(target)[1:]
            except TranslatorError:
                return None
        text = html.escape(formula, quote=False).encode()
        return b"", b"<%bf>%b</%bf>" % (self.prefix, text, self.prefix)

    def put(self, cell: str, content: Inner | None, style: int | None) -> None:
        row, column = coordinate_to_tuple(cell)
        self.wanted.setdefault(row, {})[column] = (content or (b"", b""), style)

    def xml(self) -> bytes:
        """The part with all that was put."""
        if not self.wanted:
            return self.part
        out: list[bytes] = []
        at = 0
        new = sorted(row for row in self.wanted if row not in self.rows)
        for number, match in self.rows.items():
            while new and new[0] < number:
                out += [self.data[at : match.start()], self._row(new.pop(0))]
                at = match.start()
            if number in self.wanted:
                out += [self.data[at : match.start()], self._row(number)]
                at = match.end()
        out += [self.data[at:], *map(self._row, new)]
        return b"".join([self._dimension(), self.opening, *out, self.closing, self.after])

    def _row(self, row: int) -> bytes:
        """A row with what was put into it; formulas beside that lose the value they had, which is an old one now."""
        p, wanted = self.prefix, self.wanted[row]
        written = {column: self._without_value(*cell) for column, cell in self._cells(row).items()}
        for column, ((kind, inner), style) in wanted.items():
            known = self._cells(row).get(column)
            attributes = _KIND.sub(b"", known[1]) if known else b' r="%b%d"' % (get_column_letter(column).encode(), row)
            if style is not None and (style or known):
                attributes = _STYLE.sub(b"", attributes) + (b' s="%d"' % style if style else b"")
            tag = b"<%bc%b%b" % (p, attributes.rstrip(), kind)
            written[column] = tag + (b">%b</%bc>" % (inner, p) if inner else b"/>")
        match = self.rows.get(row)
        attributes = match[1] if match else b' r="%d"' % row
        spans = _SPANS.search(attributes)
        if spans and not int(spans[1]) <= min(wanted) <= max(wanted) <= int(spans[2]):
            attributes = _SPANS.sub(b"", attributes)
        return b"<%brow%b>%b</%brow>" % (p, attributes.rstrip(), b"".join(written[one] for one in sorted(written)), p)

    def _without_value(self, whole: bytes, attributes: bytes, inner: bytes) -> bytes:
        p = self.prefix
        formula = re.match(rb"<%bf\b[^>]*?(?:/>|>[^<]*</%bf>)" % (p, p), inner)
        if formula is None:
            return whole
        return b"<%bc%b>%b</%bc>" % (p, _KIND.sub(b"", attributes), formula[0], p)

    def _dimension(self) -> bytes:
        """What stands before the cells, with the area of all cells made larger where new ones lie outside."""
        match = _DIMENSION.search(self.before)
        if match is None:
            return self.before
        try:
            left, top, right, bottom = range_boundaries(match[2].decode())
        except ValueError:
            return self.before
        rows = [top or 1, bottom or 1, *self.wanted]
        columns = [left or 1, right or 1, *(column for row in self.wanted.values() for column in row)]
        if (min(rows), max(rows), min(columns), max(columns)) == (top, bottom, left, right):
            return self.before
        area = f"{get_column_letter(min(columns))}{min(rows)}:{get_column_letter(max(columns))}{max(rows)}"
        return self.before[: match.start(2)] + area.encode() + self.before[match.end(2) :]


def _inside(cell: str, area: str) -> bool:
    row, column = coordinate_to_tuple(cell)
    left, top, right, bottom = range_boundaries(area)
    return bool((left or 1) <= column <= (right or column) and (top or 1) <= row <= (bottom or row))


def _shown(formula: str) -> str:
    return formula if len(formula) <= 60 else formula[:57] + "..."
