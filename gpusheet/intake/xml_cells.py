"""One sheet's XML into cells. The parser takes no document types, so nothing is expanded and nothing is fetched."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any
from xml.parsers import expat

from gpusheet.errors import GpusheetError
from gpusheet.intake.sheets import ErrorCell, Sheet, Unsaved, column_letters, column_number
from gpusheet.intake.styles import Styles

MOST_COLUMNS = 512  # beyond, no table of prices goes; what stands there is left
MOST_ROOM = 20_000_000  # cells between the first and last of every row together
_REF = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_RANGE = re.compile(r"([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")  # how a file spells what XML cannot hold
_FIRST_1900, _FIRST_1904 = datetime.datetime(1899, 12, 30), datetime.datetime(1904, 1, 1)


def text_of(text: str) -> str:
    """A text with what XML cannot hold put back."""
    if "_x" not in text:
        return text
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text).replace("\r", "")


def _parser(start: Any, end: Any, data: Any) -> Any:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, data
    parser.StartDoctypeDeclHandler = _refuse
    return parser


def _refuse(*_: Any) -> None:
    raise ValueError("a document type")


def _parse(parser: Any, xml: bytes) -> None:
    try:
        parser.Parse(xml, True)
    except expat.ExpatError as error:
        raise ValueError(str(error)) from None


def strings_of(xml: bytes) -> list[str]:
    """The texts that cells share, without their formats and without the reading aids of Japanese and Chinese."""
    found: list[str] = []
    parts: list[str] = []
    within, aids = False, 0

    def start(name: str, _: Any) -> None:
        nonlocal within, aids
        tag = name.rpartition(":")[2]
        if tag == "si":
            parts.clear()
        aids += tag == "rPh"
        within = tag == "t" and not aids

    def end(name: str) -> None:
        nonlocal within, aids
        tag = name.rpartition(":")[2]
        within = False
        aids -= tag == "rPh"
        if tag == "si":
            found.append(text_of("".join(parts)))

    _parse(_parser(start, end, lambda text: parts.append(text) if within else None), xml)
    return found


class Formulas(dict[tuple[int, int], str]):
    """Formulas by (row, column); one that is shared is spelled for its cell when it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.shared: dict[str, tuple[str, str]] = {}

    def __getitem__(self, place: tuple[int, int]) -> str:
        text = super().__getitem__(place)
        if text.startswith("="):
            return text
        from openpyxl.formula.translate import Translator

        origin, formula = self.shared.get(text, ("A1", "="))
        return str(Translator(formula, origin).translate_formula(f"{column_letters(place[1])}{place[0]}"))

    def get(self, place: tuple[int, int], default: Any = None) -> Any:
        return self[place] if place in self else default  # noqa: SIM401 (a dict's own get passes __getitem__ by)


class SheetReader:
    """Reads the XML of one sheet."""

    def __init__(self, name: str, strings: list[str], styles: Styles, epoch_1904: bool) -> None:
        self.sheet = Sheet(name, formulas=Formulas(), epoch_1904=epoch_1904)
        self.formulas: Formulas = self.sheet.formulas  # type: ignore[assignment]
        self.formats: dict[tuple[int, int], str] = {}
        self.sheet.formats = self.formats
        self.strings, self.styles, self.epoch_1904 = strings, styles, epoch_1904
        self.row = self.column = self.room = 0
        self.last = 0  # the last row that was put away
        self.line: list[Any] = []
        self.kind = self.style = ""
        self.text: list[str] = []
        self.value = self.formula = self.inline = None  # type: str | None
        self.shared: Mapping[str, str] = {}
        self.taking = False
        self.aids = 0

    def read(self, xml: bytes) -> Sheet:
        _parse(_parser(self._start, self._end, self._data), xml)
        pairs = list(zip(self.sheet.numbers, self.sheet.lines, strict=True))
        if any(one[0] >= two[0] for one, two in pairwise(pairs)):
            self._sort(pairs)
        return self.sheet

    def _sort(self, pairs: list[tuple[int, list[Any]]]) -> None:
        """Rows in order; the later of two that claim one number fills what the earlier left."""
        rows: dict[int, list[Any]] = {}
        for number, line in sorted(pairs, key=lambda pair: pair[0]):
            known = rows.setdefault(number, line)
            if known is not line:
                known.extend([None] * (len(line) - len(known)))
                known[: len(line)] = [old if new is None else new for old, new in zip(known, line, strict=False)]
        self.sheet.numbers, self.sheet.lines = list(rows), list(rows.values())

    def _data(self, text: str) -> None:
        if self.taking:
            self.text.append(text)

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        tag = name.rpartition(":")[2] if ":" in name else name
        if tag == "c":
            self._cell(attributes)
        elif tag in ("v", "t", "f"):
            self.text = []
            self.taking = not self.aids
            if tag == "f":
                self.shared = attributes
        elif tag == "row":
            self.row = int(attributes.get("r", self.row + 1))
            self.column, self.line = 0, []
            if attributes.get("hidden") in ("1", "true"):
                self.sheet.hidden_rows.add(self.row)
        elif tag == "rPh":
            self.aids += 1
        elif tag == "mergeCell" and (found := _RANGE.fullmatch(attributes.get("ref", ""))):
            self.sheet.merges.append((int(found[2]), column_number(found[1]), int(found[4]), column_number(found[3])))
        elif tag == "col" and attributes.get("hidden") in ("1", "true"):
            first, last = int(attributes.get("min", 1)), int(attributes.get("max", 1))
            self.sheet.hidden_columns |= set(range(first, min(last, MOST_COLUMNS) + 1))

    def _cell(self, attributes: Mapping[str, str]) -> None:
        reference = attributes.get("r")
        if reference is None:
            self.column += 1
        else:
            found = _REF.fullmatch(reference)
            if found is None:
                raise ValueError("a cell without a place")
            self.column = column_number(found[1])
            if int(found[2]) != self.row:
                raise ValueError("a cell outside its row")
        self.kind, self.style = attributes.get("t", "n"), attributes.get("s", "0")
        self.value = self.formula = self.inline = None
        self.shared = {}

    def _end(self, name: str) -> None:
        tag = name.rpartition(":")[2] if ":" in name else name
        if tag == "v":
            self.value, self.taking = "".join(self.text), False
        elif tag == "t":
            if not self.aids:
                self.inline = (self.inline or "") + "".join(self.text)
            self.taking = False
        elif tag == "f":
            self.formula, self.taking = "".join(self.text), False
        elif tag == "c":
            self._put()
        elif tag == "rPh":
            self.aids -= 1
        elif tag == "row" and self.line:
            self.room += len(self.line)
            if self.room > MOST_ROOM:
                raise GpusheetError(f"{self.sheet.name}: found cells too far apart; delete formatted but empty columns "
                                    "and save it again")
            self.sheet.numbers.append(self.row)
            self.sheet.lines.append(self.line)

    def _put(self) -> None:
        value = self._value()
        place = (self.row, self.column)
        if self.formula is not None or self.shared:
            self._formula(place)
            if value is None and self.kind != "str":
                value = Unsaved(self.formulas[place])
        if value is None or self.column > MOST_COLUMNS:
            return
        if len(self.line) < self.column:
            self.line.extend([None] * (self.column - len(self.line)))
        self.line[self.column - 1] = value
        if type(value) is float and (mark := self.styles.marks.get(int(self.style))):
            self.formats[place] = mark

    def _formula(self, place: tuple[int, int]) -> None:
        index = self.shared.get("si") if self.shared.get("t") == "shared" else None
        if self.formula:
            self.formulas[place] = f"={self.formula}"
            if index is not None:
                self.formulas.shared[index] = (f"{column_letters(place[1])}{place[0]}", f"={self.formula}")
        else:
            self.formulas[place] = index if index in self.formulas.shared else "="

    def _value(self) -> Any:
        kind, value = self.kind, self.value
        if kind == "inlineStr":
            return text_of(self.inline) if self.inline else None
        if value is None or (value == "" and kind != "str"):
            return None
        if kind == "s":
            return self.strings[int(value)] or None
        if kind == "str":
            return text_of(value) or None
        if kind == "b":
            return value in ("1", "true")
        if kind == "e":
            return ErrorCell(value)
        if kind == "d":
            return datetime.datetime.fromisoformat(value)
        return self._number(float(value))

    def _number(self, number: float) -> Any:
        style = int(self.style)
        if style in self.styles.dates:
            return moment(number, self.epoch_1904)
        if style in self.styles.times and 0 <= number < 1:
            return (_FIRST_1900 + datetime.timedelta(days=number)).time()
        return number


def moment(number: float, epoch_1904: bool) -> Any:
    """The date of a spreadsheet's number; the number itself where it is none."""
    try:
        first = _FIRST_1904 if epoch_1904 else _FIRST_1900
        return first + datetime.timedelta(seconds=round(number * 86400)) if number >= 0 else number
    except OverflowError:
        return number

