"""The formula cells in the XML of a sheet, whatever program wrote it, and the change of single cells in it."""

from __future__ import annotations

import html
import re
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from openpyxl.formula.translate import Translator
from openpyxl.utils import column_index_from_string, coordinate_to_tuple, get_column_letter, range_boundaries

from gpusheet.errors import GpusheetError
from gpusheet.workbook.recalculation.shapes import ROW, alike

Place = tuple[int, int]  # row and column, from 1
Area = tuple[int, int, int, int]  # first row and column, last row and column

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
_PLACE = re.compile(rb"""\br=["']([A-Z]+)([0-9]+)["']""")
_ATTRIBUTE = re.compile(rb"""(\w+)\s*=\s*["']([^"']*)["']""")
_CALLED = re.compile(rb"([A-Za-z_\x80-\xff][\w.\x80-\xff]*+)\(")
_SHARED = re.compile(rb"""\st=["']s["']""")
_MERGED = re.compile(rb"""<(?:\w+:)?mergeCell\s[^>]*?ref=["']([A-Z0-9:]+)["']""")
_HIDDEN = re.compile(rb"""<(?:\w+:)?row\b[^>]*\shidden=["'](?:1|true)["']""")
_PREFIX = re.compile(rb"<(\w+:)?worksheet\b")


@dataclass(slots=True)
class Special:
    """A formula that is more than a text in its cell. `area` is what it fills; `dynamic` if that follows from its
    result."""

    kind: str  # "shared", "array", "dataTable"
    text: bytes | None  # as in the file; None where a shared formula's text stands in another cell
    shared: bytes = b""
    area: Area | None = None
    dynamic: bool = False


class SheetCells:
    """The cells of a sheet's part."""

    def __init__(self, title: str, part: bytes) -> None:
        self.title = title
        self.part = part
        found = _PREFIX.search(part)
        self.prefix = (found[1] or b"") if found else b""
        names = {name: re.escape(self.prefix) + name for name in (b"c", b"f", b"row")}
        # column, row, all attributes of the cell; attributes of its formula, the formula, the rest of the cell
        formula_cell = re.compile(
            rb"""<%(c)b(?=\s[^>]*+>\s*+<%(f)b\b)(?=[^>]*?\br=["']([A-Z]+)([0-9]+)["'])(\s[^>]*+)>\s*+"""
            rb"<%(f)b\b([^>]*?)(?:/>|>([^<]*+)</%(f)b>)([^<]*+(?:<(?!/%(c)b>)[^<]*+)*+)</%(c)b>" % names)
        self.cell = re.compile(rb"<%(c)b(\s[^>]*?)?(?:/>|>([^<]*(?:<(?!/%(c)b>)[^<]*)*)</%(c)b>)" % names)
        self.row = re.compile(rb"<%(row)b\b([^>]*?)(?:/>|>([^<]*(?:<(?!/%(row)b>)[^<]*)*)</%(row)b>)" % names)
        self.formulas: dict[Place, bytes | None] = {}  # in the order of the file; own texts, ROW for the row's digits
        self.special: dict[Place, Special] = {}
        self._spans = spans = array("Q")  # where a formula cell's attributes begin and end, and what follows its formula
        columns: dict[bytes, int] = {}
        shapes: dict[bytes, tuple[bytes, list[Place]]] = {}
        row, row_digits = 0, b""
        for match in formula_cell.finditer(part):
            letters, digits, of_formula, text = match.group(1, 2, 4, 5)
            column = columns.get(letters)
            if column is None:
                column = columns[letters] = column_index_from_string(letters.decode())
            if digits != row_digits:
                row, row_digits = int(digits), digits
            place = row, column
            spans.extend(match.span(3))
            spans.extend(match.span(6))
            if text:
                shape = text.replace(digits, ROW)
                known = shapes.get(shape)
                if known is None:
                    known = shapes[shape] = shape, []
                known[1].append(place)
                self.formulas[place] = known[0]
            else:
                self.formulas[place] = None
            if of_formula:
                special = _special(match[3], of_formula, text)
                if special is not None:
                    self.special[place] = special
        if not len(self.formulas) == len(self._spans) // 4 == len(re.findall(rb"<%(f)b[\s/>]" % names, part)):
            raise GpusheetError(
                f"{title}: found cells without an address, as some programs write them; open the workbook in Excel and "
                "save it there")
        self.alike = alike(shapes.values())  # the places of own texts by these; ROW in them may be any row
        # the first cells of shared formulas, in which the texts stand
        self.masters = {one.shared: place for place, one in reversed(self.special.items())
                        if one.kind == "shared" and one.text is not None}  # fmt: skip

    @cached_property
    def _translators(self) -> dict[bytes, Translator]:
        return {key: Translator(f"={decoded(self.special[place].text)}", origin=address(place))
                for key, place in self.masters.items()}  # fmt: skip

    def spans(self) -> Iterator[tuple[Place, int, int, int, int]]:
        """The formula cells in the order of the file: where their attributes begin and end in the part, and where what
        follows the formula does."""
        each = iter(self._spans)
        return zip(self.formulas, each, each, each, each, strict=True)

    def own(self, place: Place) -> bytes:
        """The text that stands in a formula cell, as in the file; empty where there is none."""
        return (self.formulas[place] or b"").replace(ROW, b"%d" % place[0])

    def text(self, place: Place) -> str:
        """The formula of a cell without "=", also where it is shared."""
        special = self.special.get(place)
        if special is None or special.text is not None:
            return decoded(self.own(place))
        if special.shared not in self.masters:
            return "#REF!"  # its text is lost
        translated: str = self._translators[special.shared].translate_formula(address(place))
        return translated[1:]

    def called(self) -> set[str]:
        """What stands before an opening bracket in a formula: names of functions, and what merely looks like one."""
        texts = b"\n".join(self.own(places[0]) for places in self.alike.values())
        return {name.decode() for name in set(_CALLED.findall(texts))}

    def having(self, pattern: re.Pattern[bytes]) -> dict[bytes, list[Place]]:
        """Of `alike`, those in which the pattern is found."""
        return {text: places for text, places in self.alike.items() if pattern.search(self.own(places[0]))}

    def formatted(self, formats: Collection[int]) -> set[Place]:
        """The cells in one of the formats, by their numbers."""
        if not formats:
            return set()
        numbers = b"|".join(b"%d" % number for number in sorted(formats))
        one = re.compile(rb"""<%bc(?=[^>]*\ss=["'](?:%b)["'])[^>]*>""" % (re.escape(self.prefix), numbers))
        return {place for match in one.finditer(self.part) if (place := place_of(match[0])) is not None}

    def texts(self, shared: Collection[int], wanted: Callable[[str], bool]) -> set[Place]:
        """The cells without formulas whose text is one of the shared ones, by their numbers, or is `wanted`."""
        # a text that stands in its cell; letters but the one of powers make it no number
        inline = re.compile(rb"<%(is)b><%(t)b(?:\s[^>]*)?>([^<A-DF-Za-df-z]*[0-9][^<A-DF-Za-df-z]*)</" % {
            name: re.escape(self.prefix) + name for name in (b"is", b"t")})  # fmt: skip
        found = {place_of(self.part[self.part.rindex(b"<%bc " % self.prefix, 0, match.start()) : match.start()])
                 for match in inline.finditer(self.part) if wanted(decoded(match[1]))}  # fmt: skip
        if shared:
            value = re.compile(rb"<%bv>([0-9]+)</" % re.escape(self.prefix))
            found |= {place_of(match[1]) for match in self.cell.finditer(self.part)
                      if match[1] and _SHARED.search(match[1]) and (number := value.search(match[2] or b""))
                      and int(number[1]) in shared}  # fmt: skip
        return {place for place in found if place is not None and place not in self.formulas}

    @cached_property
    def merged(self) -> list[str]:
        """The areas of merged cells."""
        return [area.decode() for area in _MERGED.findall(self.part)]

    @cached_property
    def hides_rows(self) -> bool:
        """Whether rows are hidden, as filters do."""
        return _HIDDEN.search(self.part) is not None

    def size(self) -> tuple[int, int]:
        """Rows and columns from A1 to the last formula cell."""
        places = self.formulas
        return max((row for row, _ in places), default=0), max((column for _, column in places), default=0)

    def with_formulas(self, texts: Mapping[Place, str], emptied: Collection[Place]) -> bytes:
        """The part with other formulas, plain ones, in some cells, and nothing in others."""
        p = self.prefix

        def written(place: Place, text: str) -> bytes:
            return b'<%bc r="%b"><%bf>%b</%bf></%bc>' % (
                p, address(place).encode(), p, html.escape(text, quote=False).encode(), p, p)  # fmt: skip

        if emptied:
            def changed(match: re.Match[bytes]) -> bytes:
                place = place_of(match[1])
                if place is None:
                    return match[0]
                if place in texts:
                    return written(place, texts[place])
                return b"" if place in emptied else match[0]

            return self.cell.sub(changed, self.part)
        out: list[bytes] = []
        at, opened, closed = 0, len(b"<c") + len(p), len(b"</c>") + len(p)
        for place, start, _, _, end in self.spans() if texts else ():
            if place in texts:
                out += (self.part[at : start - opened], written(place, texts[place]))
                at = end + closed
        return b"".join([*out, self.part[at:]])


def place_of(attributes: bytes | None) -> Place | None:
    """The place of a cell by its attributes."""
    where = _PLACE.search(attributes or b"")
    return (int(where[2]), column_index_from_string(where[1].decode())) if where else None


def address(place: Place) -> str:
    """
    >>> address((3, 28))
    'AB3'
    """
    return f"{get_column_letter(place[1])}{place[0]}"


def place_of_address(reference: str) -> Place:
    """
    >>> place_of_address("AB3")
    (3, 28)
    """
    row, column = coordinate_to_tuple(reference)
    return row, column


def area_of(reference: str) -> Area:
    """
    >>> area_of("B2:D9")
    (2, 2, 9, 4)
    >>> area_of("B:B")
    (1, 2, 1048576, 2)
    """
    left, top, right, bottom = range_boundaries(reference)
    return top or 1, left or 1, bottom or LAST_ROW, right or LAST_COLUMN  # whole columns and rows


def places(area: Area) -> Iterator[Place]:
    """The places of an area, row by row."""
    top, left, bottom, right = area
    return ((row, column) for row in range(top, bottom + 1) for column in range(left, right + 1))


def _special(attributes: bytes, of_formula: bytes, text: bytes | None) -> Special | None:
    found = dict(_ATTRIBUTE.findall(of_formula))
    kind = found.get(b"t", b"").decode()
    if kind == "shared":
        return Special(kind, text or None, shared=found.get(b"si", b""))
    if kind not in ("array", "dataTable") or b"ref" not in found:
        return None
    dynamic = kind == "array" and b"cm" in dict(_ATTRIBUTE.findall(attributes))
    return Special(kind, text or b"", area=area_of(found[b"ref"].decode()), dynamic=dynamic)


def decoded(text: bytes | None) -> str:
    """A text of the XML."""
    if text is None:
        return ""
    return html.unescape(text.decode()) if b"&" in text else text.decode()
