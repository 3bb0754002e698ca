"""The points of the audit: what each is called, how it is judged, and the function that looks for what breaks it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gpusheet.audit.model import Model


class Severity(StrEnum):
    """error: a figure is wrong, or will be. warning: it may be, or cannot be trusted. note: a habit that helps readers."""

    error = "error"
    warning = "warning"
    note = "note"


SEVERITIES = tuple(Severity)
error, warning, note = SEVERITIES


class Words(NamedTuple):
    """A text in both languages."""

    en: str
    zh: str

    def say(self, lang: str) -> str:
        return self.zh if lang == "zh" else self.en


@dataclass(frozen=True)
class Finding:
    """What breaks a point, and where. `cell` may be a range; both places are empty where it is about the whole book."""

    point: int
    severity: Severity
    sheet: str
    cell: str
    found: Words
    expected: Words
    todo: Words

    @property
    def place(self) -> str:
        return f"{self.sheet}!{self.cell}" if self.sheet and self.cell else self.sheet

    def line(self, lang: str = "en") -> str:
        """One line for a person."""
        words = ("found", "expected") if lang == "en" else ("现状", "应为")
        return (f"{self.place or ('book' if lang == 'en' else '工作簿')}: [{self.point}] {words[0]} {self.found.say(lang)}; "
                f"{words[1]} {self.expected.say(lang)}; {self.todo.say(lang)}")  # fmt: skip


Look = Callable[["Model", "Point"], Iterable[Finding]]


@dataclass(frozen=True)
class Point:
    """One point of the list. Up to 42 they are those of the checklist that professionals score a model by."""

    number: int
    level: str  # M must, S should
    title: Words
    how: Words  # what is looked for and how it is judged
    expected: Words
    todo: Words
    looks: list[Look] = field(default_factory=list)  # empty: only a person can judge it
    person: Words | None = None  # what a person has to look at, beyond what is found

    def finding(
        self, severity: Severity, found: Words, sheet: str = "", cell: str = "", *, expected: Words | None = None,
        todo: Words | None = None,
    ) -> Finding:  # fmt: skip
        return Finding(self.number, severity, sheet, cell, found, expected or self.expected, todo or self.todo)


_POINTS: dict[int, Point] = {}
_ALSO: dict[int, list[Look]] = defaultdict(list)  # looks of other modules, which may be loaded before that of the point


def point(
    number: int, level: str, title: tuple[str, str], how: tuple[str, str], expected: tuple[str, str],
    todo: tuple[str, str], person: tuple[str, str] | None = None,
) -> Callable[[Look], Look]:  # fmt: skip
    """Registers a point with the function that looks for what breaks it."""

    def registered(look: Look) -> Look:
        if number in _POINTS:
            raise TypeError(f"point {number} stands twice")
        made = Point(number, level, Words(*title), Words(*how), Words(*expected), Words(*todo), [look],
                     Words(*person) if person else None)  # fmt: skip
        _POINTS[number] = made
        return look

    return registered


def also(number: int) -> Callable[[Look], Look]:
    """One more function that looks at a point."""

    def registered(look: Look) -> Look:
        _ALSO[number].append(look)
        return look

    return registered


def points() -> dict[int, Point]:
    """Every point by its number."""
    from gpusheet.audit import checks

    checks.load()
    return dict(sorted(_POINTS.items()))


def findings(model: Model) -> Iterator[Finding]:
    """What breaks each point; a cell that one look at a point has told of, the next does not tell of again."""
    for one in points().values():
        told: set[str] = set()
        for look in (*one.looks, *_ALSO[one.number]):
            found = [finding for finding in look(model, one) if finding.place not in told]
            told |= {finding.place for finding in found if finding.cell}
            yield from found
