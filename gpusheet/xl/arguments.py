"""Arguments of the functions: what each takes, how a cell is read for it, and what Excel shows of it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Never

from gpusheet.catalog import Column
from gpusheet.errors import UnknownName, shown
from gpusheet.registry import REQUIRED, Parameter
from gpusheet.wiring import TABLES, column_of_parameter, quantities
from gpusheet.xl.cells import BAD_ARGUMENT, IMPOSSIBLE, CellError, Rows, day, grid, is_blank, scalar

Kind = Literal["number", "text", "date", "table", "any"]
Reader = Callable[[Any], Any]

LONGEST_HELP = 255  # what Excel shows of it


@dataclass(frozen=True)
class Argument:
    """One argument of a function. `read` turns a cell (None: blank or left out) into what the function computes with."""

    name: str
    kind: Kind
    en: str
    zh: str
    read: Reader
    optional: bool = False
    repeated: bool = False  # as often as wanted; only the last

    def help(self, lang: str = "en") -> str:
        return short(self.zh if lang == "zh" else self.en)


def short(text: str) -> str:
    """A help text as long as Excel shows it. Chinese has no blanks to cut at."""
    if len(text) <= LONGEST_HELP:
        return text
    cut = textwrap.shorten(text, LONGEST_HELP, placeholder=" ...")
    return cut if len(cut) > LONGEST_HELP // 2 else text[: LONGEST_HELP - 3] + "..."


def of_parameter(parameter: Parameter) -> Argument:
    """The argument of a rule's function.

    >>> from gpusheet import rules
    >>> penalty = of_parameter(rules.decode_concurrency.parameters[-1])
    >>> penalty.read(0.5), penalty.read(None), penalty.optional
    (0.5, 1.0, True)
    """
    optional = parameter.default is not REQUIRED
    known = quantities().get(parameter.wired_to or parameter.name)
    words = {lang: known.label(lang) if known else parameter.name for lang in ("en", "zh")}
    words = {lang: f"{text} ({parameter.unit.label(lang)})" for lang, text in words.items()}
    if optional:
        default = _shown_default(parameter.default)
        words = {"en": f"{words['en']}; blank: {default}", "zh": f"{words['zh']}；留空：{default}"}
    if parameter.name in TABLES:
        return Argument(parameter.name, "table", words["en"], words["zh"], _steps(parameter), optional)
    column = column_of_parameter(parameter)
    if column.kind == "number":
        return Argument(parameter.name, "number", words["en"], words["zh"], _number(column, parameter.default), optional)
    return Argument(parameter.name, "text", words["en"], words["zh"], text(column), optional)


def _shown_default(default: Any) -> str:
    return ", ".join(f"{one:g}" for one in default) if isinstance(default, tuple) else f"{default:g}"


def _number(column: Column, default: Any) -> Reader:
    """Reads a number within its bounds; a blank is the default, or missing where there is none."""
    low = column.ge if column.gt is None else math.nextafter(column.gt, math.inf)
    high = column.le if column.lt is None else math.nextafter(column.lt, -math.inf)
    least, most = -math.inf if low is None else low, math.inf if high is None else high
    blank = math.nan if default is REQUIRED else float(default)
    plain = not column.whole

    def read(cell: Any) -> float:
        if type(cell) is float and least <= cell <= most and (plain or cell.is_integer()) and math.isfinite(cell):
            return cell
        cell = scalar(cell)
        return blank if is_blank(cell) else checked_number(column, cell)

    return read


def checked_number(column: Column, cell: Any) -> float:
    """A cell that is not blank, as a number that the column allows."""
    allowed = replace(column, required=True)  # whether a blank would do is not the question
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        raise CellError(BAD_ARGUMENT, f"found {shown(cell)}, allowed {allowed.allowed()} ({column.unit.symbol})")
    try:
        number = float(cell)
    except OverflowError:
        number = math.inf
    if column.outside(number):
        raise CellError(IMPOSSIBLE, f"found {shown(cell)}, allowed {allowed.allowed()} ({column.unit.symbol})")
    return number


def _steps(parameter: Parameter) -> Reader:
    """Reads a table of sizes such as the card tiers, from a range or from one cell."""
    from gpusheet.solver import checked_steps

    def read(cells: Any) -> tuple[float, ...]:
        found = [scalar(cell) for row in grid(cells) for cell in row]
        steps = tuple(cell for cell in found if not is_blank(cell))
        if not steps:
            return tuple(parameter.default)
        for cell in steps:
            if isinstance(cell, bool) or not isinstance(cell, int | float):
                raise CellError(BAD_ARGUMENT, f"found {shown(cell)}, allowed a number ({parameter.unit.symbol})")
        try:
            return checked_steps(parameter.name, steps)
        except ValueError as error:
            raise CellError(IMPOSSIBLE, str(error).removeprefix(f"{parameter.name}: ")) from None

    return read


def text(column: Column) -> Reader:
    """Reads a text of the column: a choice as the list spells it, a blank as "" where one may be left."""

    def read(cell: Any) -> str:
        cell = scalar(cell)
        if is_blank(cell):
            if column.required or column.default is not None:
                raise CellError(BAD_ARGUMENT, f"blank, allowed {replace(column, required=True).allowed()}")
            return ""
        return checked_text(column, cell)

    return read


def of_column(column: Column) -> Argument:
    """The argument for a text of a column, such as one of its choices."""
    chinese = f"{column.label('zh')}：{column.allowed('zh')}"
    return Argument(column.name, "text", f"{column.en}: {column.allowed()}.", chinese, text(column), not column.required)


def checked_text(column: Column, cell: Any) -> str:
    """A cell that is not blank, as a text that the column allows."""
    if isinstance(cell, bool) or not isinstance(cell, str | int | float):
        raise CellError(BAD_ARGUMENT, f"found {shown(cell)}, allowed {column.allowed()}")
    try:
        return str(column.read(cell))
    except (KeyError, ValueError, TypeError):
        pass
    if isinstance(cell, str) and column.choices:
        raise CellError(BAD_ARGUMENT, str(UnknownName("", cell, column.choices)).removeprefix(": "))
    raise CellError(BAD_ARGUMENT, f"found {shown(cell)}, allowed {replace(column, required=True).allowed()}")


def name(what: str, en: str, zh: str, optional: bool = False) -> Argument:
    """The argument for a name by which something is found; a number counts as the name it spells (4090)."""

    def read(cell: Any) -> str | None:
        cell = scalar(cell)
        if is_blank(cell):
            if optional:
                return None
            raise CellError(BAD_ARGUMENT, "blank, allowed a name")
        if isinstance(cell, int | float) and not isinstance(cell, bool):
            return f"{cell:.15g}" if abs(cell) < 1e15 else _refused(cell)
        if not isinstance(cell, str):
            return _refused(cell)
        return cell.strip()

    return Argument(what, "text", en, zh, read, optional)


def _refused(cell: Any) -> Never:
    raise CellError(BAD_ARGUMENT, f"found {shown(cell)}, allowed a name")


def date(what: str, en: str, zh: str) -> Argument:
    """An argument that may be a date."""
    return Argument(what, "date", en, zh, day, optional=True)


def table(what: str, en: str, zh: str, optional: bool = False) -> Argument:
    """The argument for a range with its header row; None where it may be left out and is."""

    def read(cells: Any) -> Rows | None:
        if optional and not isinstance(cells, list | tuple) and is_blank(cells):
            return None
        rows = grid(cells)
        if not rows or not rows[0]:
            raise CellError(BAD_ARGUMENT, "found an empty range, allowed a range with its header row")
        if len(rows) == 1 and len(rows[0]) == 1:
            scalar(rows[0][0])  # an error is passed on
            raise CellError(BAD_ARGUMENT, f"found {shown(rows[0][0])}, allowed a range with its header row")
        return rows

    return Argument(what, "table", en, zh, read, optional)
