"""Formulas parsed by openpyxl's Tokenizer, each shape once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from openpyxl.formula import Tokenizer
from openpyxl.formula.tokenizer import Token

from gpusheet.audit.shapes import LAST_COLUMN, LAST_ROW, Area, Corner, Number, Ref, Shape, Step, column_number, relative
from gpusheet.errors import GpusheetError
from gpusheet.workbook.recalculation.cells import address
from gpusheet.workbook.structured import Tables

_CORNER = re.compile(r"(\$?)([A-Za-z]{1,3})(\$?)(\d+)")
_WHOLE = re.compile(r"(\$?)([A-Za-z]{1,3}):(\$?)([A-Za-z]{1,3})|(\$?)(\d+):(\$?)(\d+)")
_PREFIX = re.compile(r"(?:_xlfn\.|_xlws\.)+", re.IGNORECASE)
_EXTERNAL = re.compile(r"\[\d+\]|\.xls[xmb]?\]", re.IGNORECASE)
_THIS_ROW = re.compile(r"\[#this row\]|\[@", re.IGNORECASE)


@dataclass
class Shapes:
    """The formulas of a book, each parsed once."""

    tables: Tables
    names: Mapping[str, str]  # lower case -> what they stand for
    titles: Mapping[str, str]  # lower case -> as they are written
    known: dict[str, Shape] = field(default_factory=dict)

    def of(self, formula: str, sheet: str, row: int, column: int) -> Shape:
        """The shape of a formula ("=...") in a cell."""
        key = relative(formula, row, column)
        own = f"{sheet}|{key}"  # what has no sheet before it lies on this one
        shape = self.known.get(own)
        if shape is None:
            shape = self.known[own] = _Parsing(self, formula, sheet, row, column).shape(key)
        return shape

    def areas_of(self, text: str, sheet: str, row: int = 1, column: int = 1) -> list[Area]:
        """The cells that a formula of a chart, a validation or a format reads."""
        try:
            shape = self.of("=" + text.lstrip("="), sheet, row, column)
        except IndexError:  # the Tokenizer's way of refusing what is no formula
            return []
        return [ref.at(sheet, row, column) for ref in shape.refs]


class _Parsing:
    def __init__(self, shapes: Shapes, formula: str, sheet: str, row: int, column: int) -> None:
        self.shapes, self.formula, self.sheet, self.row, self.column = shapes, formula, sheet, row, column
        self.refs: list[Ref] = []
        self.numbers: list[Number] = []
        self.functions: list[str] = []
        self.operators: list[str] = []
        self.names: list[str] = []
        self.problems: list[str] = []

    def shape(self, key: str) -> Shape:
        stack: list[list[object]] = []  # call, function, argument
        opened: list[str] = []  # functions, "" for a bracket
        depth = calls = 0
        tokens = [token for token in Tokenizer(self.formula).items if token.type != Token.WSPACE]
        for index, token in enumerate(tokens):
            within = tuple(Step(int(str(c)), str(f), int(str(a))) for c, f, a in stack)
            if token.type in (Token.FUNC, Token.PAREN, Token.ARRAY):
                if token.subtype == Token.OPEN:
                    name = _PREFIX.sub("", token.value[:-1]).upper() if token.type == Token.FUNC else ""
                    if name:
                        self.functions.append(name)
                    stack.append([calls, name or (str(stack[-1][1]) if stack else ""), 0 if name else
                                  (stack[-1][2] if stack else 0)])  # fmt: skip
                    calls += 1
                    opened.append(name)
                    depth = max(depth, opened.count("IF"))
                elif stack:
                    stack.pop()
                    opened.pop()
            elif token.type == Token.SEP and stack:
                stack[-1][2] = int(str(stack[-1][2])) + 1
            elif token.type.startswith("OPERATOR"):
                self.operators.append(token.value)
            elif token.type == Token.OPERAND and token.subtype == Token.NUMBER:
                before = tokens[index - 1] if index else None
                operator = before.value if before is not None and before.type.startswith("OPERATOR") else ""
                self.numbers.append(Number(token.value, within, operator))
            elif token.type == Token.OPERAND and token.subtype in (Token.RANGE, Token.ERROR):
                edges = (tokens[index - 1] if index else None, tokens[index + 1] if index + 1 < len(tokens) else None)
                self._operand(token.value, within, all(one is None or _edge(one) for one in edges))
        return Shape(
            key, self.formula, (self.sheet, self.row, self.column), refs=tuple(self.refs), numbers=tuple(self.numbers),
            functions=tuple(self.functions), operators=tuple(self.operators), names=tuple(self.names),
            problems=tuple(self.problems), external=bool(_EXTERNAL.search(self.formula)), depth=depth,
        )  # fmt: skip

    def _operand(self, text: str, within: tuple[Step, ...], alone: bool) -> None:
        if "#REF!" in text.upper():
            self.problems.append(text)
        elif _EXTERNAL.search(text):
            return
        elif "[" in text:
            try:
                plain = self.shapes.tables.plain(text, f"{self.sheet}!{address((self.row, self.column))}")
            except GpusheetError:
                self.problems.append(text)
                return
            self._add(plain, text, within, alone, own_row=bool(_THIS_ROW.search(text)))
        elif not self._add(text, text, within, alone):
            name = text.rpartition("!")[2].casefold()
            self.names.append(name)
            target = self.shapes.names.get(name)
            for part in split_areas(target or ""):
                if "#REF!" in part.upper():
                    self.problems.append(text)
                else:
                    self._add(part, text, within, alone)

    def _add(self, plain: str, text: str, within: tuple[Step, ...], alone: bool, own_row: bool = False) -> bool:
        sheet, _, cells = plain.rpartition("!")
        title: str | None = None
        if sheet:
            title = self.shapes.titles.get(sheet.strip("'").replace("''", "'").casefold())
            if title is None:
                self.problems.append(text)
                return True
        corners = self._corners(cells.rstrip("#"))
        if corners is None:
            return False
        first, last = corners
        if own_row:
            first, last = first._replace(row_fixed=False, row=0), last._replace(row_fixed=False, row=0)
        self.refs.append(Ref(text, title, first, last, within, alone, bool(_WHOLE.fullmatch(cells))))
        return True

    def _corners(self, cells: str) -> tuple[Corner, Corner] | None:
        whole = _WHOLE.fullmatch(cells)
        if whole and whole[2]:
            a, b = column_number(whole[2].upper()), column_number(whole[4].upper())
            return (Corner(True, 1, bool(whole[1]), a if whole[1] else a - self.column),
                    Corner(True, LAST_ROW, bool(whole[3]), b if whole[3] else b - self.column))  # fmt: skip
        if whole:
            a, b = int(whole[6]), int(whole[8])
            return (Corner(bool(whole[5]), a if whole[5] else a - self.row, True, 1),
                    Corner(bool(whole[7]), b if whole[7] else b - self.row, True, LAST_COLUMN))  # fmt: skip
        found = [_CORNER.fullmatch(part) for part in cells.split(":")]
        if not all(found) or len(found) > 2:
            return None
        made = []
        for match in found:
            assert match is not None
            column, row = column_number(match[2].upper()), int(match[4])
            made.append(Corner(bool(match[3]), row if match[3] else row - self.row,
                               bool(match[1]), column if match[1] else column - self.column))  # fmt: skip
        return made[0], made[-1]


def _edge(token: Token) -> bool:
    return token.type == Token.SEP or (token.type in (Token.FUNC, Token.PAREN))


def split_areas(text: str) -> list[str]:
    """The parts of what a defined name stands for, `Sheet!$A$1:$B$2,Sheet!$D$1`.

    >>> split_areas("'Jan, Feb'!$A$1,Sheet!$B$2:$B$9")
    ["'Jan, Feb'!$A$1", 'Sheet!$B$2:$B$9']
    """
    return [part for part in re.findall(r"(?:'(?:[^']|'')*'|[^,'])+", text.lstrip("=")) if part.strip()]
