"""The registry of rules: one quantity each, wired by parameter names.

`@rule` turns a straight-line function into a `Rule`: still callable on numbers, arrays and pandas columns, and
callable with symbols, which gives its formula. Everything else (solver, sheets, functions, docs, tests) loops over
`all_rules()`.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, get_type_hints

from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.expr import Expr, Symbol
from gpusheet.ops import NAN
from gpusheet.units import Unit, unit_of

REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True)
class Parameter:
    """An argument of a rule: its unit, its default where the plain function has one, and what the solver feeds it."""

    name: str
    unit: Unit
    default: Any = REQUIRED
    wired_to: str | None = None  # None: the solver leaves the default


@dataclass(frozen=True)
class Rule:
    """One quantity of the registry."""

    name: str
    function: Callable[..., Any]
    unit: Unit
    en: str
    zh: str
    subject: str
    source: str
    parameters: tuple[Parameter, ...]
    line: bool = True  # False: a function only, with no line in the solver and the sheets
    most: float | None = None  # the largest value that makes sense
    doc: str = field(default="", repr=False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The rule on numbers, numpy arrays or pandas columns; missing (None, NaN) and impossible give NaN."""
        try:
            bound = inspect.signature(self.function).bind(*args, **kwargs)
        except TypeError as error:
            expected = ", ".join(parameter.name for parameter in self.parameters)
            raise GpusheetError(f"{self.name}: {error}; its arguments are {expected}") from None
        bound.apply_defaults()
        return _evaluate(self.function, bound.arguments)

    @property
    def needs(self) -> dict[str, str]:
        """What the solver passes: parameter name -> quantity name."""
        return {p.name: p.wired_to for p in self.parameters if p.wired_to is not None}

    @cached_property
    def expression(self) -> Expr:
        """The formula on symbols named after the quantities that the solver passes."""
        result = self.function(**{name: Symbol(source) for name, source in self.needs.items()})
        if not isinstance(result, Expr):
            raise TypeError(f"rule {self.name} does not depend on its arguments")
        return result

    @property
    def plain_expression(self) -> Expr:
        """The formula on symbols named after the parameters, as the function of that name computes it."""
        result: Expr = self.function(**{p.name: Symbol(p.name) for p in self.parameters})
        return result

    def label(self, lang: str = "en") -> str:
        return self.zh if lang == "zh" else self.en

    @property
    def summary(self) -> str:
        return self.doc.strip().split("\n\n")[0].replace("\n", " ")


def _evaluate(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    values: dict[str, Any] = {name: NAN if value is None else value for name, value in arguments.items()}
    index = next((value.index for value in values.values() if hasattr(value, "to_numpy")), None)
    if index is not None:
        values = {name: value.to_numpy() if hasattr(value, "to_numpy") else value for name, value in values.items()}
    arrays = {name for name, value in values.items() if hasattr(value, "dtype") or isinstance(value, list)}
    if not arrays:
        return settle_number(function, values)
    import numpy

    values = {name: numpy.asarray(value) if name in arrays else value for name, value in values.items()}
    with numpy.errstate(all="ignore"):
        result = settle_array(function(**values))
    if index is None:
        return result
    import pandas

    return pandas.Series(result, index=index)


def settle_number(function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """A rule on plain numbers: what cannot be computed is missing."""
    try:
        result = function(**values)
    except (ZeroDivisionError, OverflowError):
        return NAN
    if isinstance(result, complex) or result in (float("inf"), float("-inf")):
        return NAN
    return result


def settle_array(result: Any) -> Any:
    """Infinite becomes missing; text stays."""
    import numpy

    if result.dtype.kind == "f":
        endless = numpy.isinf(result)
        if endless.any():
            result = numpy.where(endless, NAN, result)
    return result


_RULES: dict[str, Rule] = {}


def rule(
    *,
    en: str,
    zh: str,
    source: str,
    wiring: Mapping[str, str | None] | None = None,
    line: bool = True,
    most: float | None = None,
) -> Callable[[Callable[..., Any]], Rule]:
    """Enter a function into the registry.

    `wiring` says which quantity the solver passes where it is not the one of the parameter's name (None: the
    parameter keeps its default). `most` is the largest value that makes sense, as for a share that physics bounds.
    """

    def enter(function: Callable[..., Any]) -> Rule:
        name = function.__name__
        hints = _hints(function)
        wired = dict(wiring or {})
        parameters = tuple(
            Parameter(p.name, unit_of(hints[p.name]), p.default, wired.pop(p.name, p.name))
            for p in inspect.signature(function).parameters.values()
        )
        if wired:
            raise TypeError(f"rule {name} wires {', '.join(wired)}, which it does not take")
        if name in _RULES and _RULES[name].function.__module__ != function.__module__:
            raise TypeError(f"rule {name} is defined in {_RULES[name].function.__module__} already")
        subject = function.__module__.rpartition(".")[2]
        doc = inspect.getdoc(function) or ""
        made = Rule(name, function, unit_of(hints["return"]), en, zh, subject, source, parameters, line, most, doc)
        _RULES[name] = made
        return made

    return enter


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The units in a signature. They are names of the module, which are found many times faster than evaluated."""
    names = vars(sys.modules[function.__module__])
    if all(hint in names for hint in function.__annotations__.values()):
        return {parameter: names[hint] for parameter, hint in function.__annotations__.items()}
    return get_type_hints(function, include_extras=True)


def all_rules() -> dict[str, Rule]:
    """Every rule by name, in reading order: subjects as `gpusheet.rules` lists them, rules as their file does."""
    return dict(_in_order(_load(), len(_RULES)))


@cache
def _load() -> tuple[str, ...]:
    """The subjects in order, with the rules of each registered."""
    package = import_module("gpusheet.rules")
    subjects: dict[str, tuple[str, str]] = package.SUBJECTS
    found = {module.name for module in iter_modules(package.__path__)}
    if found != set(subjects):
        raise TypeError(f"gpusheet.rules.SUBJECTS and its files differ in {sorted(found ^ set(subjects))}")
    for subject in subjects:
        import_module(f"gpusheet.rules.{subject}")
    return tuple(subjects)


@cache
def _in_order(subjects: tuple[str, ...], count: int) -> dict[str, Rule]:
    """The rules sorted; anew when there are more of them than before."""
    order = {subject: position for position, subject in enumerate(subjects)}
    return dict(sorted(_RULES.items(), key=lambda item: order[item[1].subject]))


def find_rule(name: str) -> Rule:
    """The rule of that name, in capitals or not."""
    rules = _in_order(_load(), len(_RULES))
    key = name.strip().lower()
    if key not in rules:
        raise UnknownName("rule", name, rules)
    return rules[key]
