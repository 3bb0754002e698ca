"""Symbols that stand for cells. A rule called with them returns an expression instead of a number.

Only arithmetic is possible here; every other operation is one of `gpusheet.ops`. What would silently take a symbol
for a number or a truth value (`if`, `float()`, `<`, numpy) raises and says what to use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from gpusheet.units import Unit, unit_of

# binding strength, weakest first; a call or a name is an atom
COMPARE, ADD, MULTIPLY, NEGATE, POWER, ATOM = range(6)


class NamedConstant(float):
    """A unit constant (3600, 1E9) that formulas spell by its name, so that sheets hold the number once."""

    name: str
    unit: Unit
    en: str
    zh: str

    def __new__(cls, name: str, value: float, unit: Any, en: str, zh: str) -> NamedConstant:
        self = super().__new__(cls, value)
        self.name, self.unit, self.en, self.zh = name, unit_of(unit), en, zh
        return self

    def label(self, lang: str = "en") -> str:
        return self.zh if lang == "zh" else self.en


def _refuse(message: str) -> Callable[..., NoReturn]:
    def raiser(self: Expr, *_: Any) -> NoReturn:
        raise TypeError(f"{message} (met in the formula {self!r})")

    return raiser


class Expr:
    """A formula in the making."""

    __slots__ = ()
    __array_ufunc__ = None  # numpy must not take symbols apart

    def __add__(self, other: Any) -> Expr:
        return Binary("+", self, wrap(other))

    def __radd__(self, other: Any) -> Expr:
        return Binary("+", wrap(other), self)

    def __sub__(self, other: Any) -> Expr:
        return Binary("-", self, wrap(other))

    def __rsub__(self, other: Any) -> Expr:
        return Binary("-", wrap(other), self)

    def __mul__(self, other: Any) -> Expr:
        if type(other) is int and other == 1:  # an argument left at its default does not show
            return self
        return Binary("*", self, wrap(other))

    def __rmul__(self, other: Any) -> Expr:
        return Binary("*", wrap(other), self)

    def __truediv__(self, other: Any) -> Expr:
        return Binary("/", self, wrap(other))

    def __rtruediv__(self, other: Any) -> Expr:
        return Binary("/", wrap(other), self)

    def __pow__(self, other: Any) -> Expr:
        return Binary("^", self, wrap(other))

    def __rpow__(self, other: Any) -> Expr:
        return Binary("^", wrap(other), self)

    def __neg__(self) -> Expr:
        return Call("negative", (self,), lambda a: f"-{a[0]}", NEGATE, (ATOM,))

    __bool__ = _refuse("a rule cannot branch on a cell: use ops.where")
    __float__ = __int__ = __index__ = _refuse("a cell has no value yet: leave out float() and int()")
    __round__ = __floor__ = __ceil__ = __trunc__ = _refuse("use ops.ceil or ops.floor")
    __lt__ = __gt__ = __le__ = __ge__ = _refuse("use ops.above or ops.at_least")
    __eq__ = __ne__ = _refuse("use ops.one_of or ops.choose for text")
    __abs__ = __mod__ = __floordiv__ = _refuse("use the operations of gpusheet.ops")
    __iter__ = __len__ = __getitem__ = __array__ = _refuse("a cell is one value")
    __hash__ = object.__hash__

    def parts(self) -> tuple[Expr, ...]:
        return ()

    def walk(self) -> Iterator[Expr]:
        """This expression and all below it."""
        yield self
        for part in self.parts():
            yield from part.walk()


@dataclass(frozen=True, eq=False)
class Symbol(Expr):
    """A quantity by its name; where its cell is, the sheet says."""

    name: str


@dataclass(frozen=True, eq=False)
class Constant(Expr):
    value: float | str


@dataclass(frozen=True, eq=False)
class Binary(Expr):
    operator: str
    left: Expr
    right: Expr

    def parts(self) -> tuple[Expr, ...]:
        return (self.left, self.right)


@dataclass(frozen=True, eq=False)
class Call(Expr):
    """An operation of `gpusheet.ops` with its Excel spelling. `needs` is how tightly each argument must bind."""

    operation: str
    arguments: tuple[Expr, ...]
    spell: Callable[[list[str]], str]
    binds: int = ATOM
    needs: tuple[int, ...] = ()
    condition: str | None = None  # for flags: the bare comparison, to be used inside IF

    def parts(self) -> tuple[Expr, ...]:
        return self.arguments


def wrap(value: Any) -> Expr:
    """A value as an expression."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TypeError(f"a formula cannot hold {value!r}: numbers, text and symbols only")
    return Constant(value)


def number_text(value: float) -> str:
    """A number as Excel writes it: at most 15 significant digits.

    >>> number_text(0.1 + 0.2), number_text(8), number_text(1e-9)
    ('0.3', '8', '1E-09')
    """
    return f"{value:.15g}".replace("e", "E").replace("E+", "E")


def substitute(expr: Expr, parts: Mapping[str, Expr]) -> Expr:
    """The expression with symbols replaced by other expressions.

    >>> render(substitute(Symbol("a") * Symbol("b"), {"b": Symbol("c") + 1}), str)
    'a*(c+1)'
    """
    if isinstance(expr, Symbol):
        return parts.get(expr.name, expr)
    if isinstance(expr, Binary):
        return replace(expr, left=substitute(expr.left, parts), right=substitute(expr.right, parts))
    if isinstance(expr, Call):
        return replace(expr, arguments=tuple(substitute(part, parts) for part in expr.arguments))
    return expr


_STRENGTH = {"+": ADD, "-": ADD, "*": MULTIPLY, "/": MULTIPLY, "^": POWER}

Place = Callable[[str], str]


def render(expr: Expr, place: Place, as_condition: bool = False) -> str:
    """The Excel spelling of an expression, `place` giving the reference of each symbol and named constant.

    >>> render((Symbol("a") + 1) * -Symbol("b") ** 2, lambda name: name.upper())
    '(A+1)*(-(B^2))'
    """
    return _render(expr, place, as_condition)[0]


def _render(expr: Expr, place: Place, as_condition: bool = False) -> tuple[str, int]:
    if isinstance(expr, Symbol):
        return place(expr.name), ATOM
    if isinstance(expr, Constant):
        if isinstance(expr.value, NamedConstant):
            return place(expr.value.name), ATOM
        if isinstance(expr.value, str):
            doubled = expr.value.replace('"', '""')
            return f'"{doubled}"', ATOM
        return number_text(expr.value), ATOM if expr.value >= 0 else NEGATE
    if isinstance(expr, Binary):
        strength = _STRENGTH[expr.operator]
        # powers and negatives always get brackets: -2^2 and 2^3^2 mean other things in a sheet
        part = _factor if expr.operator == "*" else _bracketed
        left = part(expr.left, place, strength + (expr.operator == "^"))
        right = part(expr.right, place, strength + (expr.operator in "-/^"))
        if right.startswith("-"):
            right = f"({right})"
        return f"{left}{expr.operator}{right}", strength
    if isinstance(expr, Call):
        texts = [_argument(part, place, expr, i) for i, part in enumerate(expr.arguments)]
        if as_condition and expr.condition is not None:
            return expr.condition.format(*texts), COMPARE
        return expr.spell(texts), expr.binds
    raise TypeError(f"{expr!r} is not an expression")


def _argument(part: Expr, place: Place, call: Call, index: int) -> str:
    need = call.needs[index] if index < len(call.needs) else COMPARE
    return _truth(part, place) if call.operation == "where" and index == 0 else _bracketed(part, place, need)


def _truth(expr: Expr, place: Place) -> str:
    """1 where a flag is not 0, whatever number it is."""
    if isinstance(expr, Binary) and expr.operator == "*":
        return f"{_truth(expr.left, place)}*{_truth(expr.right, place)}"
    if isinstance(expr, Call) and expr.condition is not None:
        return f"({_render(expr, place, as_condition=True)[0]})"
    return f"({_render(expr, place)[0]}<>0)"


def _factor(expr: Expr, place: Place, need: int) -> str:
    """An operand of a product; a flag among the factors is its bare comparison in brackets."""
    if isinstance(expr, Call) and expr.condition is not None:
        return f"({_render(expr, place, as_condition=True)[0]})"
    return _bracketed(expr, place, need)


def _bracketed(expr: Expr, place: Place, need: int) -> str:
    text, strength = _render(expr, place)
    return f"({text})" if strength < need else text
