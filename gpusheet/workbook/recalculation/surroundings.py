"""What the rewriting of a formula has to know of the cells and names around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property

from openpyxl.formula.translate import Translator
from openpyxl.utils import column_index_from_string, get_column_letter

from gpusheet.errors import GpusheetError
from gpusheet.workbook.recalculation.cells import LAST_COLUMN, LAST_ROW, Area, Place, area_of

SHEET = r"'(?:[^']|'')*'|[^\W\d][\w.]*"
AREA = (r"\$?[A-Z]{1,3}\$?[\d#]+(?::\$?[A-Z]{1,3}\$?[\d#]+)?|\$?[A-Z]{1,3}:\$?[A-Z]{1,3}|\$?\d+:\$?\d+")
REFERENCE = re.compile(rf"(?:(?P<sheet>{SHEET})!)?(?P<area>{AREA})")  # "#": a row, whichever it is
_RELATIVE = re.compile(r"(?<![\w$.])\$?[A-Z]{1,3}\d|(?<![\w$.])[A-Z]{1,3}\$?\d")
_TEXT = r"\"(?:[^\"]|\"\")*\""
_LINK = re.compile(r"'?\[(\d+)\]")
_DEEPEST = 20  # names within names


@dataclass(frozen=True)
class NameText:
    """A defined name: what it stands for, and the sheet whose own it is, if it is one's."""

    name: str
    text: str
    sheet: str | None = None


class Names:
    """The defined names that are written out in formulas before the engine reads them: those of one sheet, relative
    ones, those that call a function of ours or stand for days, and all that are spelled with a sheet."""

    def __init__(self, names: Collection[NameText], called: re.Pattern[str] | None = None,
                 days: Callable[[re.Match[str]], bool] = lambda _: False) -> None:  # fmt: skip
        self.everywhere = {one.name.casefold(): one for one in names if one.sheet is None}
        self.own = {(one.sheet.casefold(), one.name.casefold()): one for one in names if one.sheet is not None}
        self.known = sorted({one.name for one in names}, key=str.casefold)
        functions = {one.name.casefold() for one in names if is_lambda(one.text)}
        replaced = {one.name.casefold() for one in names
                    if one.sheet is not None or one.text.startswith(("{", "#")) or _RELATIVE.search(_bare(one.text))
                    or (called is not None and called.search(_bare(one.text)))
                    or ((cells := REFERENCE.fullmatch(one.text)) is not None and days(cells))} - functions  # fmt: skip
        for _ in range(_DEEPEST):  # and what stands for such
            more = {one.name.casefold() for one in names if one.name.casefold() not in replaced | functions
                    and not replaced.isdisjoint(word.casefold() for word in re.findall(r"[^\W\d][\w.]*", _bare(one.text)))}
            if not more:
                break
            replaced |= more
        self.replaced = sorted(replaced)
        words = "|".join(map(re.escape, sorted(self.known, key=len, reverse=True))) or "(?!)"
        self._word = re.compile(
            rf"{_TEXT}|(?:(?P<sheet>{SHEET}|\[0\])!)?(?<![\w.\\])(?P<name>{words})(?![\w.(:!\[\\])|{SHEET}!|'(?:[^']|'')*'",
            re.IGNORECASE)  # fmt: skip

    def plain(self, formula: str, cell: str, depth: int = 0) -> str:
        """A formula that stands in `cell` (`Sheet!A1`) with these names written out.

        >>> names = Names([NameText("x", "T!$A$1", "T"), NameText("x", "0.5"), NameText("above", "S!A1048576")])
        >>> names.plain("T!x+x", "S!B2"), names.plain("x", "T!B2"), names.plain("above", "S!B3")
        ('T!$A$1+(0.5)', 'T!$A$1', 'S!B2')
        """
        if not self.known:
            return formula
        title, _, address = cell.rpartition("!")

        def written(match: re.Match[str]) -> str:
            name, sheet = match["name"], match["sheet"]
            if name is None:
                return match[0]
            one = self._meant(name, sheet, title)
            if one is None or (sheet is None and name.casefold() not in self.replaced):
                return match[0]
            if is_lambda(one.text) or depth == _DEEPEST:
                raise GpusheetError(f"the defined name {name} cannot be calculated here")
            text = self.plain(_moved(one.text, address), cell, depth + 1)
            return text if REFERENCE.fullmatch(text) else f"({text})"

        return self._word.sub(written, formula)

    def within(self, formula: str) -> bool:
        """Whether there may be any of the book's names in a formula."""
        return any(match["name"] for match in self._word.finditer(formula))

    def _meant(self, name: str, sheet: str | None, title: str) -> NameText | None:
        scope = title if sheet is None else unquoted(sheet)
        return self.own.get((scope.casefold(), name.casefold())) or self.everywhere.get(name.casefold())


def is_lambda(text: str) -> bool:
    return text.lstrip().casefold().startswith(("_xlfn.lambda(", "lambda("))


def _bare(text: str) -> str:
    """A formula without texts and quoted names."""
    return re.sub(rf"{_TEXT}|'(?:[^']|'')*'", "''", text)


def _moved(text: str, address: str) -> str:
    """What a name stands for in a cell: files have it as of A1. What runs over an edge comes in at the other."""
    if not _RELATIVE.search(_bare(text)):
        return text
    try:
        moved: str = Translator(f"={text}", origin="A1").translate_formula(address)
    except Exception as error:
        raise GpusheetError("the defined name refers to cells beyond the sheet") from error
    return _wrapped(moved[1:])


def _wrapped(text: str) -> str:
    """A formula whose references are within the sheet.

    >>> _wrapped("XFE1048577+'XFE1'!B2")
    "A1+'XFE1'!B2"
    """
    def one(match: re.Match[str]) -> str:
        if match[2] is None:
            return match[0]
        column = (column_index_from_string(match[2]) - 1) % LAST_COLUMN + 1
        return f"{match[1]}{get_column_letter(column)}{match[3]}{(int(match[4]) - 1) % LAST_ROW + 1}"

    return re.sub(rf"{_TEXT}|'(?:[^']|'')*'|(?<![\w.])(\$?)([A-Z]{{1,3}})(\$?)(\d+)(?![\w(])", one, text)


def unquoted(title: str) -> str:
    """
    >>> unquoted("'It''s'"), unquoted("Plan")
    ("It's", 'Plan')
    """
    return title[1:-1].replace("''", "'") if title.startswith("'") else title


@dataclass
class Places:
    """Cells of a sheet of one kind, found by area."""

    cells: Set[Place] = frozenset()

    @cached_property
    def _by_column(self) -> dict[int, tuple[int, int]]:
        found: dict[int, tuple[int, int]] = {}
        for row, column in self.cells:
            first, last = found.get(column, (row, row))
            found[column] = min(first, row), max(last, row)
        return found

    @cached_property
    def columns(self) -> frozenset[int]:
        return frozenset({column for _, column in self.cells})

    def within(self, area: Area) -> bool:
        """Whether there may be any in the area; for more than one cell only rows from the first to the last count."""
        top, left, bottom, right = area
        if (top, left) == (bottom, right):
            return (top, left) in self.cells
        columns = self._by_column
        inside = range(left, right + 1) if right - left < len(columns) else [c for c in columns if left <= c <= right]
        return any(column in columns and columns[column][0] <= bottom and top <= columns[column][1] for column in inside)


@dataclass
class Surroundings:
    """The cells around a formula: which are formulas or filled by them, which hold days, and which hold texts that
    Excel may read as numbers; and the names of the book."""

    names: Names = field(default_factory=lambda: Names(()))
    changing: Mapping[str, Places] = field(default_factory=dict)
    dated: Mapping[str, Places] = field(default_factory=dict)
    odd: dict[str, Places] = field(default_factory=dict)
    books: tuple[str, ...] = ()  # the names of linked workbooks

    def among(self, kind: Mapping[str, Places], reference: re.Match[str], title: str) -> bool:
        """Whether a reference in a formula of the sheet reaches cells of a kind."""
        sheet = unquoted(reference["sheet"]) if reference["sheet"] else title
        found = kind.get(sheet)
        return found is not None and found.within(area_of(reference["area"].replace("$", "")))

    def is_ours(self, before: str) -> bool:
        """Whether what stands before a function, such as 'gpusheet.xlam'! or [1]!, is a book of ours.

        >>> around = Surroundings(books=("file:///C:/gpusheet.xlam", "other.xlam"))
        >>> [around.is_ours(text) for text in ("", "'x/GPUsheet.xlam'!", "[1]!", "[2]!", "other.xlam!", "[3]!")]
        [True, True, True, False, False, False]
        """
        link = _LINK.match(before)
        if link:
            number = int(link[1])
            before = self.books[number - 1] if 0 < number <= len(self.books) else "?"
        return not before or "gpusheet" in before.casefold() or "xlwings" in before.casefold()


