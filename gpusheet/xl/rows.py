"""Many workloads from a range of cells, column by column: read, looked up once for each kind of row, solved together.

A row that cannot be read is told by its number and left out; the others are solved. Column by column, 10,000 rows cost
little more than solving them does; a pydantic row for each would cost ten times as much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from gpusheet.catalog import Assumptions, BadRow, Column, Workload, columns
from gpusheet.catalog.schema import unknown_column
from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.lookup import Context, LookUp, look_up, overrides_typed
from gpusheet.solver import solve
from gpusheet.wiring import TABLES, column_of, quantities, quantities_behind
from gpusheet.xl.arguments import checked_number, checked_text
from gpusheet.xl.cells import BAD_ARGUMENT, UNKNOWN, CellError, Rows, is_blank, scalar

_WORKLOAD = {c.name: c for c in columns(Workload)}
_ASSUMED = {c.name: c for c in columns(Assumptions)}
_NEEDED = tuple(name for name, column in _WORKLOAD.items() if column.required and name != "workload")
_STAND_IN = {name: 1.0 for name in _NEEDED if _WORKLOAD[name].kind == "number"}  # for what the look-up does not read
_LOOKED_UP = ("hardware", "lengths", "method", "money")  # groups of a workload whose texts the look-up reads


@cache
def known_columns() -> dict[str, Column]:
    """What a column of workloads may be: a field of a workload, an assumption, or a quantity that is typed."""
    typed = {name: column_of(name) for name in quantities() if name not in TABLES}
    return typed | _ASSUMED | _WORKLOAD


@cache
def _words() -> dict[str, str]:
    """The columns by what a header may call them: labels in either language, and first of all names."""
    known = known_columns().values()
    labels = {word.casefold(): c.name for c in known for word in (c.zh, c.en)}
    return labels | {c.name.casefold(): c.name for c in known}


def column_named(word: str) -> str:
    """The name of the column that a word may stand for; the word itself where there is none.

    >>> column_named("GPU 型号"), column_named("Cards per replica"), column_named("qps")
    ('gpu', 'cards', 'qps')
    """
    return _words().get(word.casefold(), word)


@dataclass
class Solved:
    """The quantities of the rows that could be read, and what is wrong with the others. Rows count from 0."""

    rows: int
    blank: set[int] = field(default_factory=set)
    bad: dict[int, CellError] = field(default_factory=dict)
    good: Sequence[int] = ()
    values: Mapping[str, Any] = field(default_factory=dict)  # a column of the good rows for each name
    tables: Mapping[str, Any] = field(default_factory=dict)  # the same for all rows
    kinds: Sequence[LookUp] = ()  # what was looked up
    codes: Sequence[int] = ()  # the kind of each row

    def no_price(self, row: int) -> tuple[str, ...]:
        """Why a good row has no price, if it has none."""
        return self.kinds[self.codes[row]].missing


def solve_rows(cells: Rows, context: Context, only: Sequence[str] | None = None) -> Solved:
    """The workloads of a range: its first row names the columns, every further row is a workload. Every quantity is
    solved, or those named `only`.

    >>> one = solve_rows([["gpu", "model", "input_tokens", "output_tokens", "requests_per_day", "weight_precision"],
    ...                   ["L20", "Generic-7B", 200, 300, 80000, "int8"]], Context())
    >>> one.values["weights_gb"].tolist()
    [7.0]
    """
    places = header(cells[0])
    lacking = [name for name in _NEEDED if name not in places]
    if lacking:
        raise CellError(BAD_ARGUMENT, f"no column {', '.join(lacking)} in the first row of the range")
    count = len(cells) - 1
    workloads = cells[1:]
    given = {name: [row[position] for row in workloads] for name, position in places.items()}
    solved = Solved(count)
    texts = {name: _texts(name, column, solved) for name, column in given.items() if _is_text(name) and _matters(name)}
    numbers = {name: _numbers(known_columns()[name], column, solved) for name, column in given.items() if not _is_text(name)}
    solved.blank = {row for row in _absent(texts["gpu"]) if all(is_blank(cell) for cell in cells[row + 1])}
    _check_needed(texts, numbers, solved)
    _check_months(numbers, solved)
    kinds, codes = _kinds(texts, solved, context)
    left_out = solved.bad.keys() | solved.blank
    solved.good = [row for row in range(count) if row not in left_out] if left_out else range(count)
    if solved.good:
        solved.tables = {name: kinds[0].values[name] for name in TABLES}
        solved.values = _solve(kinds, codes, texts, numbers, solved, tuple(quantities() if only is None else only))
        solved.kinds, solved.codes = kinds, codes
    return solved


def header(names: Sequence[Any]) -> dict[str, int]:
    """The columns by name; a label in either language is a name too. What is not known is refused, not passed over."""
    known, words = known_columns(), _words()
    found: dict[str, int] = {}
    for position, cell in enumerate(names):
        word = str(scalar(cell) or "").strip()
        name = words.get(word.casefold())
        if name is None:
            told = unknown_column(word, known) if word else "blank, allowed the name of a column"
            raise CellError(BAD_ARGUMENT, f"column {position + 1} of the range, {word!r}: {told}; leave others out")
        if name in found:
            raise CellError(BAD_ARGUMENT, f"two columns are named {word!r}; leave one")
        found[name] = position
    return found


def _is_text(name: str) -> bool:
    return known_columns()[name].kind != "number"


def _matters(name: str) -> bool:
    """Whether anything is computed from a column; notes and names are not."""
    return _leads(name) or name in quantities()


def _texts(name: str, cells: Sequence[Any], solved: Solved) -> list[str | None]:
    """A column of text, each spelling read once."""
    column = known_columns()[name]

    def read(cell: Any) -> str | CellError | None:
        try:
            value = scalar(cell)
            return None if is_blank(value) else checked_text(column, value)
        except CellError as error:
            return error.of(name)

    if set(map(type, cells)) <= {str, type(None)}:
        spellings = {cell: read(cell) for cell in set(cells)}
        found, kinds = list(map(spellings.__getitem__, cells)), set(map(type, spellings.values()))
    else:
        found = [read(cell) for cell in cells]
        kinds = set(map(type, found))
    if CellError not in kinds:
        return found  # type: ignore[return-value]
    for row, text in enumerate(found):
        if isinstance(text, CellError):
            solved.bad.setdefault(row, text)
    return [None if isinstance(text, CellError) else text for text in found]


def _absent(column: Sequence[Any]) -> list[int]:
    """The rows in which a column of texts has none."""
    return [row for row, text in enumerate(column) if text is None] if None in column else []


def _numbers(column: Column, cells: Sequence[Any], solved: Solved) -> Any:
    """A column of numbers as an array; blank is NaN."""
    import numpy

    if set(map(type, cells)) <= {float, int, type(None)}:
        numbers = numpy.array(cells, dtype=float)
        if not len(numbers) or not any(column.outside(float(end)) for end in _ends(column, numbers)):
            return numbers
    numbers = numpy.full(len(cells), numpy.nan)
    for row, cell in enumerate(cells):
        try:
            value = scalar(cell)
            if not is_blank(value):
                numbers[row] = checked_number(column, value)
        except CellError as error:
            solved.bad.setdefault(row, error.of(column.name))
    return numbers


def _ends(column: Column, numbers: Any) -> tuple[Any, ...]:
    """The numbers that tell whether all are allowed: the smallest, the largest, and one that is not whole."""
    import numpy

    broken = numbers[numpy.floor(numbers) < numbers][:1] if column.whole else ()
    return (numpy.fmin.reduce(numbers), numpy.fmax.reduce(numbers), *broken)


def _check_needed(texts: Mapping[str, list[str | None]], numbers: Mapping[str, Any], solved: Solved) -> None:
    for name in _NEEDED:
        absent = _absent(texts[name]) if name in texts else []
        absent += (numbers[name] != numbers[name]).nonzero()[0].tolist() if name in numbers else []
        for row in absent:
            if row not in solved.blank:
                solved.bad.setdefault(row, CellError(BAD_ARGUMENT, f"{name}: blank, allowed {_WORKLOAD[name].allowed()}"))


def _check_months(numbers: Mapping[str, Any], solved: Solved) -> None:
    """What a workload refuses of its numbers together is told by the row type itself."""
    together = [name for name in ("start_month", "end_month") if name in numbers]
    if "end_month" not in together:
        return
    for row in (numbers["end_month"] == numbers["end_month"]).nonzero()[0].tolist():
        months = {name: numbers[name][row] for name in together if numbers[name][row] == numbers[name][row]}
        texts = dict.fromkeys((name for name in _NEEDED if name not in _STAND_IN), "any")
        try:
            Workload.read({"workload": "row", **texts, **_STAND_IN, **months})
        except BadRow as error:
            solved.bad.setdefault(row, CellError(BAD_ARGUMENT, error.lines[0].removeprefix("row, ")))


def _kinds(
    texts: Mapping[str, list[str | None]], solved: Solved, context: Context
) -> tuple[list[LookUp], list[int]]:
    """What is looked up, once for each combination of texts, and which combination a row has."""
    names = [name for name in texts if _leads(name)]
    keys = list(zip(*(texts[name] for name in names), strict=True))
    found: dict[tuple[Any, ...], int | CellError] = {}
    kinds: list[LookUp] = []
    for key in dict.fromkeys(keys):
        asked = dict(zip(names, key, strict=True))
        found[key] = -1
        if all(asked[name] is not None for name in _NEEDED if name in asked):
            try:
                kinds.append(_looked_up(asked, context))
                found[key] = len(kinds) - 1
            except CellError as error:
                found[key] = error
    codes = list(map(found.__getitem__, keys))
    if CellError not in set(map(type, found.values())):
        return kinds, codes  # type: ignore[return-value]
    for row, code in enumerate(codes):
        if isinstance(code, CellError):
            solved.bad.setdefault(row, code)
    return kinds, [-1 if isinstance(code, CellError) else code for code in codes]


def _leads(name: str) -> bool:
    """Whether the look-up reads a text column: what is found by it, or what is chosen with it."""
    return name in _ASSUMED or (name in _WORKLOAD and _WORKLOAD[name].group in _LOOKED_UP)


def _looked_up(values: Mapping[str, str | None], context: Context) -> LookUp:
    own = {name: value for name, value in values.items() if name in _WORKLOAD}
    assumed = {name: value for name, value in values.items() if name not in own and value is not None}
    try:
        workload = Workload.read({"workload": "row", **_STAND_IN, **own})
        return look_up(workload, replace(context, assumptions=context.assumptions.model_copy(update=assumed)))
    except UnknownName as error:
        raise CellError(UNKNOWN, str(error)) from None
    except GpusheetError as error:
        raise CellError(BAD_ARGUMENT, str(error).splitlines()[0]) from None


def _solve(
    kinds: Sequence[LookUp], codes: Sequence[int], texts: Mapping[str, list[str | None]], numbers: Mapping[str, Any],
    solved: Solved, wanted: tuple[str, ...],
) -> Mapping[str, Any]:  # fmt: skip
    """Quantities of the good rows: what their kind looked up, replaced by what the row gives."""
    import numpy

    good: Any = slice(None) if len(solved.good) == solved.rows else numpy.array(solved.good)
    kind = numpy.array(codes)[good]
    used = quantities_behind(wanted)
    values: dict[str, Any] = {}
    for name in kinds[0].values:
        if name in used and name not in TABLES and name not in _STAND_IN:
            is_text = quantities()[name].is_text
            absent, dtype = (None, object) if is_text else (numpy.nan, float)
            own = [absent if one.values[name] is None else one.values[name] for one in kinds]
            values[name] = own[0] if len(set(own)) == 1 else numpy.array(own, dtype=dtype)[kind]
    typed = {name: column[good] for name, column in numbers.items()}
    for name in typed.keys() & quantities().keys():  # also what is not used: it tells how many rows there are
        values[name] = numpy.where(numpy.isnan(typed[name]), values.get(name, numpy.nan), typed[name])
    for name in texts:
        if name in used and not _leads(name):
            found = numpy.broadcast_to(numpy.array(values.get(name), dtype=object), kind.shape)
            column = [texts[name][row] or own for row, own in zip(solved.good, found, strict=True)]
            values[name] = numpy.array(column, dtype=object)
    values["overrides_typed"] = 1.0 * overrides_typed(lambda name: name in typed and ~numpy.isnan(typed[name]))
    return solve(values, only=wanted, **solved.tables)  # type: ignore[no-any-return]
