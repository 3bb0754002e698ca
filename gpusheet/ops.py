"""The operations that rules may use beside arithmetic. For each, what it means in Python and how Excel spells it.

All take numbers, numpy arrays or symbols. Missing is NaN and stays NaN through every operation but `either`,
`if_given`, `choose` and `pick`, which pass over what they do not take. Comparisons and roundings carry the same guard of
1E-9 in both worlds: a spreadsheet takes 0.1*3*10 for 3, Python does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

from gpusheet.expr import ADD, ATOM, MULTIPLY, NEGATE, Call, Expr, NamedConstant, Symbol, wrap
from gpusheet.units import Number

TINY = NamedConstant("tiny", 1e-9, Number, "Rounding error that comparisons pass over", "比较与取整的容差")
NAN = math.nan


def _symbolic(*values: Any) -> bool:
    return any(isinstance(value, Expr) for value in values)


def _scalar(*values: Any) -> bool:
    return all(isinstance(value, int | float | str) for value in values)


def _missing(*values: Any) -> bool:
    return any(map(math.isnan, values))


def _numpy() -> Any:
    import numpy

    return numpy


def _call(operation: str, arguments: Sequence[Any], spell: Callable[[list[str]], str], **how: Any) -> Any:
    return Call(operation, tuple(wrap(argument) for argument in arguments), spell, **how)


def _as_number(condition: str) -> Callable[[list[str]], str]:
    """A comparison spelled as 1 or 0."""
    return lambda texts: f"1*({condition.format(*texts)})"


# --- rounding -------------------------------------------------------------------------------------------------------


def ceil(x: float) -> float:
    """The next whole number up; what is above a whole number by rounding error only counts as that number.

    >>> ceil(2.5), ceil(0.1 * 3 * 10), ceil(0.0)
    (3.0, 3.0, 0.0)
    """
    if _symbolic(x):
        return cast(float, _call("ceil", (x,), lambda a: f"-INT(tiny-{a[0]})", binds=NEGATE, needs=(MULTIPLY,)))
    if _scalar(x):
        return float(-math.floor(TINY - x)) if math.isfinite(x) else NAN
    return cast(float, 0.0 * x - _numpy().floor(TINY - x))  # 0 times infinite is missing


def floor(x: float) -> float:
    """The next whole number down, with the same guard as `ceil`.

    >>> floor(2.5), floor(2.9999999999)
    (2.0, 3.0)
    """
    if _symbolic(x):
        return cast(float, _call("floor", (x,), lambda a: f"INT({a[0]}+tiny)", needs=(ADD,)))
    if _scalar(x):
        return float(math.floor(x + TINY)) if math.isfinite(x) else NAN
    return cast(float, _numpy().floor(x + TINY) + 0.0 * x)


def power(base: float, exponent: float) -> float:
    """The base raised to the exponent; missing where one is, also for a base of 1.

    >>> power(1.05, 2), power(1.0, NAN)
    (1.1025, nan)
    """
    if _symbolic(base, exponent):
        return cast(float, base**exponent)
    if _scalar(base, exponent):
        return NAN if _missing(base, exponent) else cast(float, base**exponent)
    return cast(float, _but_missing(base**exponent, base, exponent))


# --- choosing among numbers -----------------------------------------------------------------------------------------


def minimum(*values: float) -> float:
    """The smallest; missing where one is missing.

    >>> minimum(3, 1.5, 2)
    1.5
    """
    return _extreme("minimum", "MIN", min, values)


def maximum(*values: float) -> float:
    """The largest; missing where one is missing.

    >>> maximum(3, 1.5)
    3.0
    """
    return _extreme("maximum", "MAX", max, values)


def _extreme(name: str, excel: str, pick: Callable[..., float], values: Sequence[Any]) -> float:
    if _symbolic(*values):
        named = {value.name if isinstance(value, Symbol) else id(value): value for value in values}  # each quantity once
        if len(named) == 1:
            return cast(float, values[0])
        return cast(float, _call(name, list(named.values()), lambda a: f"{excel}({','.join(a)})"))
    if _scalar(*values):
        return NAN if _missing(*values) else float(pick(values))
    function = getattr(_numpy(), name)
    result = values[0]
    for value in values[1:]:
        result = function(result, value)
    return cast(float, result)


# --- flags (1 or 0) and branches ------------------------------------------------------------------------------------


def above(x: float, limit: float) -> float:
    """1 where x is truly above the limit, else 0.

    >>> above(0.1 + 0.2, 0.3), above(1, 0)
    (0.0, 1.0)
    """
    return _compare("above", x, limit, "{0}>{1}+tiny", lambda a, b: a > b + TINY)


def at_least(x: float, limit: float) -> float:
    """1 where x is at or above the limit, else 0.

    >>> at_least(0.3, 0.1 + 0.2), at_least(0, 1)
    (1.0, 0.0)
    """
    return _compare("at_least", x, limit, "{0}>={1}-tiny", lambda a, b: a >= b - TINY)


def _compare(name: str, x: Any, limit: Any, condition: str, test: Callable[[Any, Any], Any]) -> float:
    if _symbolic(x, limit):
        if not isinstance(limit, Expr) and limit == 0:
            condition = condition.replace("{1}+", "").replace("{1}", "")
        how = {"binds": MULTIPLY, "needs": (ADD, ADD), "condition": condition}
        return cast(float, _call(name, (x, limit), _as_number(condition), **how))
    if _scalar(x, limit):
        return NAN if _missing(x, limit) else float(test(x, limit))
    return cast(float, _but_missing(test(x, limit) * 1.0, x, limit))


def _but_missing(result: Any, *values: Any) -> Any:
    """An array of its own, missing where one of the values is: one look at each column, as most have nothing missing."""
    numpy = _numpy()
    for value in values:
        missing = numpy.isnan(value)
        if missing.any():
            result = numpy.where(missing, NAN, result)
    return result


def where(flag: float, then: float, otherwise: float) -> float:
    """`then` where the flag is 1, `otherwise` where it is 0; missing where any of the three is missing.

    >>> where(above(3, 2), 10, 20), where(0, 10, 20)
    (10.0, 20.0)
    """
    if _symbolic(flag, then, otherwise):
        # not IF: a cell's formula stands in the IF of its guard already
        return cast(float, _call(
            "where", (flag, then, otherwise), lambda a: f"CHOOSE(1+{a[0]},{a[2]},{a[1]})", needs=(MULTIPLY,)
        ))  # fmt: skip
    if _scalar(flag, then, otherwise):
        return NAN if _missing(flag, then, otherwise) else float(then if flag else otherwise)
    numpy = _numpy()
    result = numpy.where(flag, then, otherwise)
    there = numpy.isfinite(flag + then + otherwise)  # what was divided by zero is missing too
    return cast(float, result if there.all() else numpy.where(there, result, NAN))


def pick(number: float, *options: Any) -> Any:
    """The option of a number, the first of which is 0; missing where the number is.

    >>> pick(0, "measured", "partly"), pick(2, 0.6, 0.5, 0.4)
    ('measured', 0.4)
    """
    if _symbolic(number, *options):
        return _call("pick", (number, *options), lambda a: f"CHOOSE(1+{a[0]},{','.join(a[1:])})", needs=(ADD,))
    nothing: Any = "" if isinstance(options[0], str) else NAN
    if _scalar(number, *options):
        return options[int(number)] if 0 <= number < len(options) else nothing
    numpy = _numpy()
    result = nothing
    for place, option in enumerate(options):
        result = numpy.where(number == place, option, result)
    return result.astype(object) if nothing == "" else result


def if_given(present: Any, then: float, otherwise: float) -> float:
    """`then` where `present` (one value or a tuple) is given, `otherwise` where it is missing.

    >>> if_given(math.nan, 1, 2), if_given((5, 6), 1, 2)
    (2.0, 1.0)
    """
    wanted = present if isinstance(present, tuple) else (present,)
    if _symbolic(*wanted, then, otherwise):
        spell, binds = _spelled(present, len(wanted), then, otherwise)
        return cast(float, _call("if_given", (*wanted, then, otherwise), spell, binds=binds))
    if _scalar(*wanted, then, otherwise):
        return float(otherwise if _missing(*wanted) else then)
    numpy = _numpy()
    missing = numpy.isnan(wanted[0])
    for value in wanted[1:]:
        missing = missing | numpy.isnan(value)
    return cast(float, numpy.where(missing, otherwise, then))


def _spelled(present: Any, count: int, then: Any, otherwise: Any) -> tuple[Callable[[list[str]], str], int]:
    """`if_given` in Excel, in few words where 0 is what stands for the missing."""
    there = "COUNT({})" if count == 1 else f"(COUNT({{}})={count})"
    if isinstance(otherwise, int) and otherwise == 0:
        if then is present:
            return lambda a: f"N({a[0]})", ATOM
        if isinstance(then, int) and then == 1:
            return lambda a: ("" if count == 1 else "1*") + there.format(",".join(a[:count])), MULTIPLY
    return lambda a: f"CHOOSE(1+{there.format(','.join(a[:count]))},{a[count + 1]},{a[count]})", ATOM


def either(value: float, default: float) -> float:
    """The value where it is given, else the default.

    >>> either(math.nan, 7), either(3, 7)
    (7.0, 3.0)
    """
    return if_given(value, value, default)


# --- text -----------------------------------------------------------------------------------------------------------


def one_of(text: str, *names: str) -> float:
    """1 where the text is one of the names, else 0.

    >>> one_of("pcie", "pcie", "none"), one_of("nvlink", "pcie", "none")
    (1.0, 0.0)
    """
    if _symbolic(text):
        tests = ["{0}=" + f'"{name}"' for name in names]
        condition = tests[0] if len(tests) == 1 else f"OR({','.join(tests)})"
        how = {"binds": MULTIPLY, "needs": (ADD,), "condition": condition}
        return cast(float, _call("one_of", (text,), _as_number(condition), **how))
    if _scalar(text):
        return float(text in names)
    numpy = _numpy()
    found: Any = False
    for name in names:
        found = found | (text == name)
    return cast(float, numpy.asarray(found, dtype=float))


def choose(key: str, **branches: float) -> float:
    """The branch whose name the text is; missing where it is none of them.

    >>> choose("mean", p95=2048, mean=512)
    512.0
    """
    names = tuple(branches)
    if _symbolic(key, *branches.values()):
        listed = ",".join(f'"{name}"' for name in names)
        return cast(float, _call(
            "choose", (key, *branches.values()),
            lambda a: f"CHOOSE(MATCH({a[0]},{{{listed}}},0),{','.join(a[1:])})",
        ))  # fmt: skip
    if _scalar(key, *branches.values()):
        return float(branches[key]) if key in branches else NAN
    numpy = _numpy()
    result: Any = NAN
    for name in names:
        result = numpy.where(key == name, branches[name], result)
    return cast(float, result)


def name_of_smallest(**candidates: float) -> str:
    """Which of three quantities is the smallest, by name; the first wins a tie.

    >>> name_of_smallest(memory=338.8, prefill=391, decode=211.8)
    'decode'
    """
    names, values = tuple(candidates), tuple(candidates.values())
    if len(names) != 3:
        raise TypeError("name_of_smallest compares exactly three quantities")
    if _symbolic(*values):
        quoted = ",".join(f'"{name}"' for name in names)
        spell = f"CHOOSE(1+({{0}}>MIN({{1}},{{2}})+tiny)*(1+({{1}}>{{2}}+tiny)),{quoted})"
        return cast(str, _call("name_of_smallest", values, lambda a: spell.format(*a), needs=(ADD, ADD, ADD)))
    first, second, third = values
    if _scalar(*values):
        if _missing(*values):
            return ""
        return names[(first > min(second, third) + TINY) * (1 + (second > third + TINY))]
    numpy = _numpy()
    index = (first > numpy.minimum(second, third) + TINY) * (1 + (second > third + TINY))
    missing = numpy.isnan(first) | numpy.isnan(second) | numpy.isnan(third)
    return cast(str, numpy.array([*names, ""], dtype=object)[numpy.where(missing, 3, index)])


__all__ = [
    "NAN", "TINY", "above", "at_least", "ceil", "choose", "either", "floor", "if_given", "maximum", "minimum",
    "name_of_smallest", "one_of", "pick", "power", "where"]  # fmt: skip
