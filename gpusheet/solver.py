"""The solver: given inputs, every quantity.

`solve` takes a mapping of numbers, or a DataFrame (or mapping of columns) with a row per case. A name may be any input
or any rule: a value given for a rule replaces it in the rows where it is given. Inputs that are not given take their
default; what has none is missing, and so is what depends on it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from gpusheet.catalog import Column
from gpusheet.constants import TIERS
from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.expr import render
from gpusheet.ops import NAN
from gpusheet.registry import Rule, settle_array, settle_number
from gpusheet.wiring import TABLES, Quantity, quantities, quantities_behind, rules_behind

BLOCK = 20_000


def solve(table: Any, *, only: Iterable[str] | None = None, **fixed: Any) -> Any:
    """All quantities of one case (mapping in, dict out) or of many (DataFrame in, DataFrame out).

    `fixed` are inputs that are the same in all rows, such as the table `tiers`. With `only`, the quantities named alone
    are computed, with what they depend on, and given back.

    >>> one = solve({"requests_per_day": 80000, "busy_hours": 10, "peak_factor": 4})
    >>> round(one["peak_qps"], 2)
    8.89
    >>> solve({"requests_per_day": 80000}, only=["average_qps"])
    {'average_qps': 2.2222222222222223}
    """
    names = tuple(only) if only is not None else tuple(quantities())
    if hasattr(table, "columns"):
        given = fixed | {str(name): table[name].to_numpy() for name in table.columns}
        import pandas

        found = _solve_columns(given, len(table), names)
        # columns that come back as they were given are shared with the table until one of both is changed
        same = {name: table[name] for name, column in found.items() if column is given.get(name)}
        return pandas.DataFrame(found | same, index=table.index, copy=False)
    if not isinstance(table, Mapping):
        raise GpusheetError(f"solve: found {type(table).__name__}, allowed a mapping or a DataFrame")
    table = {**table, **fixed}
    lengths = {len(value) for value in table.values() if hasattr(value, "__len__") and not isinstance(value, str)}
    lengths -= {len(tiers) for tiers in [table.get("tiers")] if tiers is not None}
    if not lengths:
        return _solve_one(table, names)
    if len(lengths) > 1:
        raise GpusheetError(f"solve: columns have {sorted(lengths)} rows; give them the same number")
    found = _solve_columns(table, lengths.pop(), names)
    return {name: column.copy() if column is table.get(name) else column for name, column in found.items()}


def _solve_one(given: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    values = _defaults()
    for name, value in given.items():
        values[name] = _checked(_quantity(name), value)
    for rule in rules_behind(names):
        typed = values.get(rule.name)
        if typed not in (None, "") and not (isinstance(typed, float) and math.isnan(typed)):
            continue
        arguments = {parameter: values[source] for parameter, source in rule.needs.items()}
        values[rule.name] = settle_number(rule.function, arguments)
    return {name: values[name] for name in names}


@dataclass(frozen=True, eq=False)
class Texts:
    """A column of text as small numbers, so that rules compare numbers."""

    codes: Any
    names: tuple[str, ...]
    given: Any = None  # the column itself, where it is spelled as it should be

    @staticmethod
    def of(quantity: Quantity, column: Any) -> Texts:
        import numpy
        import pandas

        codes, found = pandas.factorize(numpy.asarray(column, dtype=object))  # missing is -1: the last name
        read = [*(_checked(quantity, text) for text in found.tolist()), ""]
        names = tuple(dict.fromkeys(read))
        if read[:-1] == found.tolist() and (codes >= 0).all():
            return Texts(codes, names, column)
        return Texts(numpy.array([names.index(name) for name in read])[codes], names)

    def __eq__(self, name: object) -> Any:
        return self.codes == (self.names.index(name) if name in self.names else -1)

    __hash__ = object.__hash__

    def __getitem__(self, part: slice) -> Texts:
        return Texts(self.codes[part], self.names)

    def texts(self) -> Any:
        import numpy

        return numpy.array(self.names, dtype=object)[self.codes] if self.given is None else self.given


def _solve_columns(given: Mapping[str, Any], rows: int, names: tuple[str, ...]) -> dict[str, Any]:
    import numpy

    fixed = _defaults()
    varied: dict[str, Any] = {}
    used = quantities_behind(names)
    for name, value in given.items():
        quantity = _quantity(name)
        if name not in used:
            continue
        if name in TABLES or isinstance(value, str) or not hasattr(value, "__len__"):
            fixed[name] = _checked(quantity, value)
        else:
            varied[name] = _checked_column(quantity, value)
            fixed.pop(name, None)
    text = {name for name, quantity in quantities().items() if quantity.is_text}
    found: dict[str, Any] = {}
    for name in names:
        quantity = _quantity(name)
        if quantity.rule is not None:
            found[name] = numpy.empty(rows, dtype=object if name in text else float)
        elif name not in TABLES:
            kind = object if name in text else float
            given_column = varied.get(name)
            if given_column is None:
                given_column = numpy.full(rows, fixed[name], dtype=kind)
            found[name] = given_column.texts() if isinstance(given_column, Texts) else given_column
    # what is given in every row needs no calculation
    figures = {name: column for name, column in varied.items() if quantities()[name].rule is not None and name not in text}
    rules = rules_behind(names, frozenset(name for name, column in figures.items() if not numpy.isnan(column).any()))
    computed = {name: column for name, column in found.items() if quantities()[name].rule is not None}
    with numpy.errstate(all="ignore"):
        for start in range(0, rows, BLOCK):
            part = slice(start, min(start + BLOCK, rows))
            values = {**fixed, **{name: column[part] for name, column in varied.items()}}
            _solve_block(values, rules)
            for name, column in computed.items():
                column[part] = values[name]
    return found


def _solve_block(values: dict[str, Any], rules: tuple[Rule, ...]) -> None:
    """Every rule over one block of rows; what no column varies stays a single number."""
    import numpy

    for rule in rules:
        arguments = {parameter: values[source] for parameter, source in rule.needs.items()}
        if any(isinstance(argument, numpy.ndarray | Texts) for argument in arguments.values()):
            result = settle_array(numpy.asarray(rule.function(**arguments)))
        else:
            result = settle_number(rule.function, arguments)
        typed = values.get(rule.name)
        if typed is not None:
            if isinstance(typed, Texts):
                typed = typed.texts()
            blank = typed == "" if rule.unit.symbol == "text" else numpy.isnan(typed)
            if not numpy.all(blank):
                result = numpy.where(blank, result, typed)
        values[rule.name] = result


@cache
def _default_values() -> Mapping[str, Any]:
    values: dict[str, Any] = {}
    for name, quantity in quantities().items():
        if name in TABLES:
            values[name] = TIERS
        elif quantity.rule is None and quantity.column is not None:
            default = quantity.column.default
            values[name] = default if default is not None else "" if quantity.is_text else NAN
    return values


def _defaults() -> dict[str, Any]:
    return dict(_default_values())


def _quantity(name: str) -> Quantity:
    found = quantities().get(name)
    if found is None:
        raise UnknownName("solve", name, quantities())
    return found


def _checked(quantity: Quantity, value: Any) -> Any:
    """One value, by the bounds of its field; None is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "" if quantity.is_text else NAN
    if quantity.name in TABLES:
        return checked_steps(quantity.name, value)
    if hasattr(value, "item"):
        value = value.item()
    column = quantity.column
    try:
        read = column.read(value) if column else str(value) if quantity.is_text else float(value)
    except (ValueError, TypeError, KeyError):
        raise GpusheetError(f"{quantity.name}: found {value!r}, allowed {_allowed(quantity)}") from None
    if not isinstance(read, str) and _outside(column, read):
        raise GpusheetError(f"{quantity.name}: found {value!r}, allowed {_allowed(quantity)}")
    return read


def checked_steps(name: str, value: Any) -> tuple[float, ...]:
    """A table of sizes: ascending numbers that begin with 0.

    >>> checked_steps("tiers", [0, 1, 2, 4])
    (0.0, 1.0, 2.0, 4.0)
    """
    steps = tuple(float(step) for step in value)
    if steps != tuple(sorted(steps)) or len(steps) < 2 or steps[0] != 0:
        raise GpusheetError(f"{name}: found {value!r}, allowed ascending numbers that begin with 0")
    return steps


def _allowed(quantity: Quantity) -> str:
    return quantity.column.allowed() if quantity.column else "a number"


def _outside(column: Column | None, number: float) -> bool:
    """Whether a number is endless or breaks the bounds; NaN is not outside."""
    return math.isinf(number) if column is None else column.outside(number)


def _checked_column(quantity: Quantity, value: Any) -> Any:
    import numpy

    if quantity.is_text:
        return Texts.of(quantity, value)
    try:
        numbers = numpy.asarray(value, dtype=float)
    except (TypeError, ValueError):
        numbers = numpy.array([_checked(quantity, one) for one in value], dtype=float)
    if len(numbers) and _any_outside(quantity.column, numbers):
        row = next(row for row, number in enumerate(numbers.tolist()) if _outside(quantity.column, number))
        found = f"found {numbers[row]:.15g}, allowed {_allowed(quantity)}"
        raise GpusheetError(f"{quantity.name}, row {row + 1}: {found}")
    return numbers


def _any_outside(column: Column | None, numbers: Any) -> bool:
    """By the smallest and the largest number, which costs less than a test of each."""
    import numpy

    ends = (numpy.fmin.reduce(numbers), numpy.fmax.reduce(numbers))
    if any(_outside(column, float(end)) for end in ends):
        return True
    return column is not None and column.whole and bool((numpy.floor(numbers) < numbers).any())


@dataclass(frozen=True)
class Why:
    """A quantity with its value, its formula and what it was computed from."""

    quantity: Quantity
    value: Any
    formula: str
    parts: tuple[Why, ...] = field(default=())

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, lang: str = "en", depth: int = 0) -> list[str]:
        return self._lines(lang, depth, set())

    def _lines(self, lang: str, depth: int, told: set[str]) -> list[str]:
        """A quantity met again is named without what is below it."""
        name = self.quantity.name
        head = f"{'  ' * depth}{name} = {self.quantity.unit.show(self.value, lang)}"
        if name in told and self.parts:
            return [head + "  [see above]"]
        told.add(name)
        lines = [head + (f"  [{self.formula}]" if self.formula else "")]
        for part in self.parts:
            lines += part._lines(lang, depth + 1, told)
        return lines


def why(name: str, given: Mapping[str, Any]) -> Why:
    """How a quantity comes about: the tree of rules below it with their values.

    >>> print(why("average_qps", {"requests_per_day": 80000}))
    average_qps = 2.22222 requests/s  [requests_per_day/(busy_hours*seconds_per_hour)]
      requests_per_day = 80,000 requests/day  [typed]
      busy_hours = 10 hours
    """
    _quantity(name)
    return _why(name, solve(given), {key for key, value in given.items() if value is not None}, {})


def _why(name: str, values: Mapping[str, Any], typed: set[str], known: dict[str, Why]) -> Why:
    """A quantity with what is below it; one that is met by many ways is made once."""
    if name in known:
        return known[name]
    quantity = quantities()[name]
    rule: Rule | None = quantity.rule
    if rule is None or name in typed:
        made = Why(quantity, values[name], "typed" if rule else "")
    else:
        parts = tuple(_why(source, values, typed, known) for source in rule.needs.values() if source not in TABLES)
        made = Why(quantity, values[name], render(rule.expression, str), parts)
    return known.setdefault(name, made)
