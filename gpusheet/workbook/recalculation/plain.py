"""A workbook as the engine is to read it: which formulas are rewritten, which are left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from html import escape, unescape

from openpyxl.utils import column_index_from_string

from gpusheet.errors import GpusheetError
from gpusheet.workbook.evaluate import Value
from gpusheet.workbook.lambda_names import is_current
from gpusheet.workbook.recalculation import deviations
from gpusheet.workbook.recalculation.cells import Area, Place, SheetCells, address, area_of, decoded, places
from gpusheet.workbook.recalculation.formulas import (
    CALLED,
    LINKED,
    Rewriting,
    corrected,
    function_name,
    special_functions,
    unknown_functions,
)
from gpusheet.workbook.recalculation.parts import Book, checked
from gpusheet.workbook.recalculation.shapes import ROW
from gpusheet.workbook.recalculation.spelling import FILL, NUMBERED, OPEN, SPILL
from gpusheet.workbook.recalculation.surroundings import (
    REFERENCE,
    Names,
    NameText,
    Places,
    Surroundings,
    is_lambda,
    unquoted,
)
from gpusheet.xl.functions import Function

Cell = tuple[str, Place]  # title of the sheet, place

_DEFINED_NAME = re.compile(rb"(<(?:\w+:)?definedName\b[^>]*>)([^<]*)(?=</)")
_SUM = re.compile(rb"[-+]")
_TINY = 1e-6
_ITERATES = re.compile(rb"(<(?:\w+:)?calcPr\b[^>]*\siterate=[\"'])(?:1|true)")
_Need = tuple[Places, int, bytes, str | None]  # formulas that a formula must not reach, column, rows, or an area


@dataclass
class Plain:
    """The formulas of a workbook for the engine. What is `blocked` has no value, what is `refused` is #SPILL!."""

    book: Book
    original: Mapping[str, bytes]
    functions: Mapping[str, Function]
    sheets: dict[str, SheetCells] = field(default_factory=dict)
    numbers: dict[Cell, int] = field(default_factory=dict)
    blocked: dict[Cell, int] = field(default_factory=dict)  # -> number of the reason
    refused: dict[Cell, str] = field(default_factory=dict)  # -> why
    reasons: list[str] = field(default_factory=list)
    single: set[int] = field(default_factory=set)
    tiny: set[Cell] = field(default_factory=set)  # what they give may be a remainder that Excel takes for 0
    emptied: dict[str, set[Place]] = field(default_factory=dict)
    texts: dict[str, dict[Place, str]] = field(default_factory=dict)  # the rewritten formulas

    def __post_init__(self) -> None:
        for part, title in self.book.sheets.items():
            sheet = self.sheets[title] = SheetCells(title, checked(self.original[part], title))
            # what the file has in the areas of array formulas are old results
            areas = [one.area for one in sheet.special.values() if one.area is not None]
            self.emptied[title] = {place for area in areas for place in places(area)}
            for place, one in sheet.special.items():
                if one.kind == "dataTable":
                    self.block((title, place), "a what-if data table is calculated by Excel only")
        self._steady: dict[tuple[str, bytes], list[_Need] | None] = {}
        self._templates: dict[bytes, tuple[str | None, bool]] = {}
        self.rewriting = self._rewriting()

    @property
    def around(self) -> Surroundings:
        return self.rewriting.around

    def _rewriting(self) -> Rewriting:
        book = self.book
        called = {name for _, text in book.names for name in CALLED.findall(text)}
        for sheet in self.sheets.values():
            called |= sheet.called()
        own = {name.casefold() for name, text in book.names
               if is_lambda(text) and not is_current(name, text)}  # fmt: skip
        redefined = {name for name in called if name.casefold() in own}
        spelled = {name: function_name(name, self.functions) for name in called - redefined}
        ours = {name: known for name, known in spelled.items() if known is not None}
        mended = {name: known for name in called - redefined - set(ours) if (known := corrected(name)) is not None}
        reasons = dict(deviations.NOT_CALCULATED)
        if any(sheet.hides_rows for sheet in self.sheets.values()):
            reasons |= deviations.OVER_HIDDEN_ROWS
        excluded = {name: why for name in called - redefined - set(ours)
                    if (why := reasons.get(name.upper().removeprefix("_XLFN."))) is not None}
        rest = [name for name, known in spelled.items() if known is None and name not in mended | excluded]
        special = special_functions(rest + list(mended))
        unknown = {name: self.reason(why) for name, why in excluded.items()}
        unknown |= {name: self.reason(f"this workbook defines {name} itself, as a LAMBDA; that is not calculated here")
                    for name in sorted(redefined)}  # fmt: skip
        unknown |= {name: self.reason(f"the function {name} is not known here") for name in
                    sorted(unknown_functions(name for name in rest if name.upper() != "_XLFN.SINGLE"))}  # fmt: skip
        spilling = {name for name, known in ours.items() if self.functions[known].spills}
        return Rewriting(book.tables, ours, unknown, spilling, mended, special, self._surroundings({*ours, *unknown}))

    def _surroundings(self, called: set[str]) -> Surroundings:
        book, sheets = self.book, self.sheets
        names = [NameText(name, text, scope) for (name, text), scope in zip(book.names, book.scopes, strict=True)
                 if not name.startswith("_xlnm.")]  # fmt: skip
        pattern = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, sorted(called)))})\(") if called else None
        changing = {title: Places(sheet.formulas.keys() | self.emptied[title] if self.emptied[title] else
                                  sheet.formulas.keys()) for title, sheet in sheets.items()}  # fmt: skip
        dated = {title: Places(cells) for title, sheet in sheets.items() if (cells := sheet.formatted(book.dated))}
        odd = {title: Places(cells) for title, sheet in sheets.items() if (cells := sheet.texts(book.odd, deviations.number_like))}
        around = Surroundings(Names(()), changing, dated, odd, book.linked)
        around.names = Names(names, pattern, lambda cells: bool(dated) and around.among(dated, cells, ""))
        return around

    def reason(self, text: str) -> int:
        if text not in self.reasons:
            self.reasons.append(text)
        return self.reasons.index(text)

    def block(self, cell: Cell, reason: str) -> bool:
        """Leaves a cell out of the calculation; whether that is new."""
        if cell in self.blocked:
            return False
        self.blocked[cell] = self.reason(reason)
        return True

    def refuse(self, title: str, place: Place, area: Area) -> bool:
        """Makes an array formula #SPILL! if Excel lets it not fill the area; whether that is new."""
        what = self._in_the_way(title, area)
        if what is None or (title, place) in self.refused or area[:2] == area[2:]:
            return False
        self.refused[title, place] = f"its result would fill {what}; move the formula or make room"
        return True

    def _in_the_way(self, title: str, area: Area) -> str | None:
        for merged in self.sheets[title].merged:
            if _meet(area, area_of(merged)):
                return f"the merged cells {merged}"
        for table in self.book.tables.by_name.values():
            columns = [area_of(f"{letter}1")[1] for letter in table.columns.values()]
            whole = table.header_row, min(columns), table.last_row + table.totals_rows, max(columns)
            if table.sheet == title and _meet(area, whole):
                return f"cells of the table {table.name}"
        return None

    def parts(self) -> dict[str, bytes]:
        """The parts of the file that the engine is to read otherwise."""
        changed = {part: self._sheet(self.sheets[title]) for part, title in self.book.sheets.items()}
        book = _DEFINED_NAME.sub(self._name, self.original[self.book.workbook])
        return changed | {self.book.workbook: _ITERATES.sub(rb"\g<1>0", book)}

    def _sheet(self, sheet: SheetCells) -> bytes:
        title = sheet.title
        certain = sheet.having(self.rewriting.wanted)
        wanted: dict[Place, bytes | None] = {place: text for text, alike in certain.items() for place in alike}
        wanted |= self._perhaps(sheet, certain)
        wanted |= {place: None for named, place in self.tiny if named == title}
        blocked = {place for named, place in self.blocked if named == title}
        # shared formulas that have to be written out
        whole = {key for key, place in sheet.masters.items() if place in wanted or place in blocked}
        wanted |= {place: None for place, one in sheet.special.items() if one.shared in whole or one.kind == "array"}
        texts: dict[Place, str] = {}
        for place in sorted(wanted):
            if place not in blocked:
                try:
                    texts[place] = self._by_template(title, place, wanted[place]) or self.rewritten(sheet, place)
                except GpusheetError as error:  # a table, a column or a workbook that is not there
                    self.block((title, place), str(error).removeprefix(f"{title}!{address(place)}: "))
                    blocked.add(place)
        for place in blocked:
            texts[place] = f"{OPEN}({self.number((title, place))},{self.blocked[title, place]})"
        self.texts[title] = texts
        return sheet.with_formulas(texts, self.emptied[title])

    def _perhaps(self, sheet: SheetCells, certain: Collection[bytes]) -> dict[Place, bytes | None]:
        """The cells whose formulas have to be rewritten because of what they compare or join or hand to functions, with
        their texts as in `sheet.alike`."""
        title, special, looked_at = sheet.title, sheet.special, self.rewriting.looked_at
        found: dict[Place, bytes | None] = {}
        for text, alike in sheet.alike.items():
            if text in certain or not (
                b"&" in text or b">" in text or b"=" in text
                or (looked_at is not None and looked_at.search(sheet.own(alike[0])))):
                continue
            needs = self._needs(title, text) if len(alike) > 1 else None  # most that come once have to be rewritten
            if needs is None:
                found |= dict.fromkeys(alike, text)
            elif needs:
                found |= {place: text for place in alike if (place in special and special[place].shared)
                          or not all(_is_far(place[0], *need) for need in needs)}  # fmt: skip
        if self.around.odd:
            found |= {place: None for place, own in sheet.formulas.items()
                      if own and self._reaches_odd(title, sheet.text(place))}  # fmt: skip
        return found

    def _needs(self, title: str, text: bytes) -> list[_Need] | None:
        """What formulas must not reach if they are to stay as they are; None if they cannot."""
        key = title, text
        if key not in self._steady:
            shape = unescape(text.replace(ROW, b"#").decode())
            reached = None if b"#" in text else self.rewriting.steady(shape, title)
            needs = None if reached is None else [self._need(one, title) for one in reached]
            # in columns without formulas nothing can be one
            self._steady[key] = needs and [one for one in needs if one[3] is not None or one[1] in one[0].columns]
        return self._steady[key]

    def _by_template(self, title: str, place: Place, text: bytes | None) -> str | None:
        """The rewritten formula where that is the same for all that are alike but for the row and the cell's number."""
        sheet, cell = self.sheets[title], (title, place)
        if text is None or self.around.odd or place in sheet.special or cell in self.tiny or cell in self.refused:
            return None
        if text not in self._templates:
            self._templates[text] = self.rewriting.template(decoded(text))
        template, spills = self._templates[text]
        if template is None:
            return None
        number = self.number(cell)
        if spills:
            self.single.add(number)
        return template.replace(NUMBERED, str(number)).replace("\0", str(place[0]))

    def _need(self, reference: re.Match[str], title: str) -> _Need:
        """Where a formula must not be: the formulas of a sheet, and a column and row or else an area."""
        sheet = unquoted(reference["sheet"]) if reference["sheet"] else title
        area = reference["area"].replace("$", "")
        single = re.fullmatch(r"([A-Z]+)([\d#]+)", area)
        changing = self.around.changing.get(sheet, Places())
        return (changing, column_index_from_string(single[1]), single[2].encode(), None) if single else (changing, 0, b"", area)

    def _reaches_odd(self, title: str, text: str) -> bool:
        return any(self.around.among(self.around.odd, reference, title) for reference in REFERENCE.finditer(text))

    def odder(self, values: Mapping[str, list[list[Value]]]) -> bool:
        """Whether formulas turn out to give texts that Excel may read as numbers, and others calculate with them."""
        new: dict[str, Places] = {}
        for title, sheet in self.sheets.items():
            rows, before = values[title], self.around.odd.get(title, Places()).cells
            found = {place for place in sheet.formulas if type(value := rows[place[0] - 1][place[1] - 1]) is str
                     and place not in before and deviations.number_like(value)}  # fmt: skip
            if found:
                new[title] = Places(found)
        if not new:
            return False
        used = any(self.around.among(new, reference, title) for title, sheet in self.sheets.items()
                   for place in sheet.formulas for reference in REFERENCE.finditer(sheet.text(place)))  # fmt: skip
        for title, places_ in new.items():
            self.around.odd[title] = Places(places_.cells | self.around.odd.get(title, Places()).cells)
        return used

    def remainders(self, values: Mapping[str, list[list[Value]]]) -> bool:
        """Whether formulas give numbers so small that Excel may take them for 0."""
        before = len(self.tiny)
        for title, sheet in self.sheets.items():
            rows = values[title]
            for place, own in sheet.formulas.items():
                value = rows[place[0] - 1][place[1] - 1]
                if type(value) is float and -_TINY < value < _TINY and value and _SUM.search(own or b"-"):
                    self.tiny.add((title, place))
        return len(self.tiny) > before

    def number(self, cell: Cell) -> int:
        return self.numbers.setdefault(cell, len(self.numbers))

    def engines_text(self, sheet: SheetCells, place: Place) -> str:
        """A formula as the engine was given it."""
        return self.texts.get(sheet.title, {}).get(place) or sheet.text(place)

    def rewritten(self, sheet: SheetCells, place: Place) -> str:
        if (sheet.title, place) in self.refused:
            return f"{SPILL}()"
        written, number = sheet.text(place), self.number((sheet.title, place))
        text = self.rewriting(written, f"{sheet.title}!{address(place)}", number, (sheet.title, place) in self.tiny)
        if "[" in text and any(int(link) > self.book.links for link in LINKED.findall(text) if link):
            raise GpusheetError("it refers to another workbook, of which this file holds no values")
        special = sheet.special.get(place)
        if special is None or special.area is None:
            if self.rewriting.only_spills(written):
                self.single.add(number)
        elif not special.dynamic:
            top, left, bottom, right = special.area
            return f"{FILL}({bottom - top + 1},{right - left + 1},{text})"
        return text

    def _name(self, match: re.Match[bytes]) -> bytes:
        try:
            text = self.book.tables.plain(unescape(match[2].decode()), "defined names")
        except GpusheetError:
            return match[0]
        return match[1] + escape(text, quote=False).encode()


def _is_far(row: int, changing: Places, column: int, rows: bytes, reference: str | None) -> bool:
    """Whether a formula in the row reaches none of the formulas."""
    if reference is not None:
        return not changing.within(area_of(reference.replace("#", str(row))))
    return (row if rows == b"#" else int(rows.replace(b"#", b"%d" % row)), column) not in changing.cells


def _meet(one: Area, other: Area) -> bool:
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]
