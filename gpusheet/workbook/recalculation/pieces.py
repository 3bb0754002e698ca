"""The pieces of a formula between its brackets, commas and operators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Part:
    """A piece of a formula: `kind` is "compare", "other" (an operator), a function's name for its call, or empty."""

    text: str
    kind: str = ""


@dataclass(slots=True)
class Level:
    """What is between two brackets."""

    opened: str
    before: str = ""
    name: str | None = None
    arguments: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    between: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)  # of the argument that is being read
    joins: bool = False  # with a comparison or &
    calculates: bool = False  # with + - * / ^ %
    texts: bool = False  # with what may be a text


def kind_of(parts: list[Part]) -> str:
    """The name of the function if the parts are one call."""
    kinds = [part.kind for part in parts if part.kind or part.text.strip()]
    return kinds[0] if len(kinds) == 1 else ""


def split(parts: list[Part], is_sign: Callable[[Part], bool]) -> tuple[list[list[Part]], list[Part]]:
    """The operands of some operators, and these."""
    operands: list[list[Part]] = [[]]
    signs = []
    for part in parts:
        if is_sign(part):
            signs.append(part)
            operands.append([])
        else:
            operands[-1].append(part)
    return operands, signs
