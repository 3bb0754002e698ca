"""A function of cells: how it is called, what it says of itself, and what becomes of what goes wrong."""

from __future__ import annotations

import ast
import datetime
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from typing import Any

from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.registry import Rule
from gpusheet.xl.arguments import Argument, short
from gpusheet.xl.cells import BAD_ARGUMENT, UNKNOWN, CellError

log = logging.getLogger("gpusheet.xl")
log.addHandler(logging.NullHandler())


@dataclass(frozen=True)
class Function:
    """One function of cells: called with what cells hold, it answers what a cell shows or raises a CellError."""

    name: str
    arguments: tuple[Argument, ...]
    en: str
    zh: str
    body: Callable[..., Any]  # takes the arguments as they were read
    shown: tuple[Any, ...] | None  # the arguments of the example; None: those of a call in the rule's docstring
    rule: Rule | None = None
    spills: bool = False  # the result is a list of rows
    days: int | None = None  # days stand in no column of the result but the first so many
    told: Callable[..., str] | None = field(default=None, repr=False)  # why parts of a result are missing

    @cached_property
    def example(self) -> tuple[Any, ...]:
        """Arguments for galleries and documentation; a list of rows stands for a range."""
        return example_of(self.rule) if self.shown is None and self.rule else self.shown or ()

    def help(self, lang: str = "en") -> str:
        """What Excel shows of the function."""
        return short(self.zh if lang == "zh" else self.en)

    def __call__(self, *cells: Any) -> Any:
        try:
            return self.body(*self._read(cells))
        except GpusheetError as error:
            failed = _as_cell_error(error).of(self.name)
            log.warning("%s", failed)
            raise failed from None

    def reason(self, *cells: Any) -> str:
        """Why the function fails on these cells, or parts of its result are missing; empty where all is well."""
        try:
            read = self._read(cells)
            self.body(*read)
            return self.told(*read) if self.told else ""
        except GpusheetError as error:
            return str(_as_cell_error(error).of(self.name))

    def _read(self, cells: tuple[Any, ...]) -> list[Any]:
        arguments = self.arguments
        if len(cells) > len(arguments):
            repeated = arguments[-1].repeated if arguments else False
            if not repeated:
                raise CellError(BAD_ARGUMENT, f"found {len(cells)} arguments, allowed {len(arguments)} at most: {self.usage}")
            arguments = (*arguments, *arguments[-1:] * (len(cells) - len(arguments)))
        read = []
        for argument, cell in zip_longest(arguments, cells):
            try:
                read.append(argument.read(cell))
            except CellError as error:
                raise error.of(argument.name) from None
        return read

    def call(self, ranges: Mapping[str, str]) -> str:
        """The call with the example's arguments, as a cell spells it; `ranges` says where example tables stand.

        >>> from gpusheet.xl.functions import functions
        >>> functions()["GPU_SPEC"].call({})
        'GPU_SPEC("H100-80G-SXM","memory_gb")'
        """
        pairs = zip(self.arguments, self.example, strict=False)
        # an argument that is not optional has to be there, for VBA even where it is blank
        cells = ("" if cell is None and not argument.optional else cell for argument, cell in pairs)
        return f"{self.name}({','.join(literal(cell, ranges) for cell in cells)})"

    @property
    def usage(self) -> str:
        """The call as documentation writes it.

        >>> from gpusheet.xl.functions import functions
        >>> functions()["CARD_TIER"].usage
        'CARD_TIER(cards_needed, [tiers])'
        """
        words = [f"[{a.name}]" if a.optional else a.name for a in self.arguments]
        return f"{self.name}({', '.join(words)}{', ...' if self.arguments and self.arguments[-1].repeated else ''})"


def _as_cell_error(error: GpusheetError) -> CellError:
    """What went wrong deeper down as the error of a cell: an unknown name is #N/A, all else a bad argument."""
    if isinstance(error, CellError):
        return error
    return CellError(UNKNOWN if isinstance(error, UnknownName) else BAD_ARGUMENT, " ".join(str(error).split()))


def example_of(rule: Rule) -> tuple[Any, ...]:
    """The arguments of the first call in the rule's docstring that is made of plain values."""
    import doctest  # takes as long to load as a hundred rules

    for example in doctest.DocTestParser().get_examples(rule.doc):
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == rule.name:
                try:
                    placed = [ast.literal_eval(argument) for argument in node.args]
                    named = {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}
                except ValueError:
                    continue
                values = [*placed, *(named.get(p.name) for p in rule.parameters[len(placed) :])]
                while values and values[-1] is None:
                    values.pop()
                return tuple(values)
    raise TypeError(f"rule {rule.name}: its docstring calls it with no plain values, which galleries show")


def literal(cell: Any, ranges: Mapping[str, str]) -> str:
    """What a cell holds, as a formula spells it."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, int | float):
        return f"{cell:.15g}"
    if isinstance(cell, datetime.date):
        return f"DATE({cell.year},{cell.month},{cell.day})"
    if isinstance(cell, list | tuple):
        if cell and isinstance(cell[0], list | tuple):
            return ranges[str(cell)]
        return "{" + ",".join(literal(one, ranges) for one in cell) + "}"
    return '"' + str(cell).replace('"', '""') + '"'
