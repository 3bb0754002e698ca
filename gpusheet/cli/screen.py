"""What is seen: results on stdout, remarks and errors on stderr; plain and unbroken where no terminal shows it."""

from __future__ import annotations

import datetime
import io
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from enum import StrEnum
from typing import IO, Any

from rich import box
from rich.console import Console, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from gpusheet.units import Unit

UNBROKEN = 100_000  # columns of a page that nothing has to fit


class Lang(StrEnum):
    """Language of labels."""

    en = "en"
    zh = "zh"


def use_utf8() -> None:
    """Windows gives pipes the code page of the country, which lacks half of our characters."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _console(file: IO[str], width: int | None = None) -> Console:
    console = Console(file=file, width=width, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = UNBROKEN
    return console


def out() -> Console:
    return _console(sys.stdout)


def error_line(text: str) -> None:
    _line(Text.assemble(("error: ", "bold red"), text))


def remark(text: str) -> None:
    """Something worth knowing beside the result."""
    _line(Text(text, "dim"))


def warning(text: str) -> None:
    _line(Text(text, "yellow"))


def _line(text: Text) -> None:
    _console(sys.stderr).print(text, soft_wrap=True)


def working(text: str) -> AbstractContextManager[Any]:
    """Shows that long work goes on, where somebody looks."""
    console = _console(sys.stderr)
    return console.status(text) if console.is_terminal else nullcontext()


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[RenderableType]],
    *,
    right: Iterable[int] = (),
    title: str | None = None,
    stacked: bool = False,
) -> None:
    """A table on stdout; `right` are the columns of numbers, `stacked` headers take a line for each word."""
    console = out()
    seen, numbers = console.is_terminal, set(right)
    grid = Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD if seen else None, pad_edge=seen,
        header_style="bold", padding=(0, 1) if not stacked or not seen else (0, 1, 0, 0),
    )  # fmt: skip
    for index, name in enumerate(header):
        text = name.replace(" ", "\n") if seen and stacked else name
        side: JustifyMethod = "right" if index in numbers else "left"
        grid.add_column(text, justify=side, overflow="fold", no_wrap=index == 0 or index in numbers)
    for row in rows:
        grid.add_row(*row)
    if stacked:  # a narrow terminal breaks the lines rather than dropping columns
        console.width = max(console.width, _console(sys.stdout, UNBROKEN).measure(grid).maximum)
    console.print(grid)


def as_json(value: Any) -> None:
    """JSON on stdout; what is missing is null."""
    text = json.dumps(_plain(value), ensure_ascii=False, indent=2, allow_nan=False)
    out().print(Text(text), soft_wrap=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 1e15 else value
    return value.isoformat() if isinstance(value, datetime.date) else value


def in_currency(unit: Unit, currency: str | None) -> Unit:
    """The unit with the currency's own name, where it is known.

    >>> in_currency(Unit("currency/month", "货币/月"), "CNY").symbol
    'CNY/month'
    """
    if currency is None:
        return unit
    return replace(unit, symbol=unit.symbol.replace("currency", currency), zh=unit.zh.replace("货币", currency))
