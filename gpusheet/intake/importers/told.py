"""Findings about the rows of a file: the same about the same text is one line with a count, however many rows have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gpusheet.intake.findings import Finding, Place
from gpusheet.intake.importers.lines import Line, Lines, Refused


class Told:
    """Collects what a person should know of a file."""

    def __init__(self, lines: Lines) -> None:
        self._place = Place(lines.file, lines.sheet)
        self._first: dict[tuple[str, str, str], Finding] = {}
        self._rows: Counter[tuple[str, str, str]] = Counter()
        self._passed: Counter[tuple[str, str]] = Counter()

    def refuse(self, line: Line, wrong: Refused) -> None:
        """Something in a row that cannot be used."""
        self.tell(line.place(wrong.column), wrong)

    def tell(self, place: Place, wrong: Refused) -> None:
        """Something at a place that cannot be used."""
        key = (wrong.code, wrong.column, wrong.raw)
        if key not in self._first:
            self._first[key] = Finding(wrong.severity, wrong.code, place, wrong.raw, wrong.en, wrong.zh)
        self._rows[key] += 1

    def add(self, found: Finding) -> None:
        """A finding of its own."""
        key = (found.code, str(found.place), found.raw)
        self._first[key] = found
        self._rows[key] = 1

    def pass_over(self, en: str, zh: str) -> None:
        """A row that is not meant, and why."""
        self._passed[en, zh] += 1

    @property
    def passed(self) -> int:
        return sum(self._passed.values())

    def findings(self) -> Iterator[Finding]:
        """All of it, in the order in which it was found."""
        for key, found in self._first.items():
            more = self._rows[key] - 1
            if not more:
                yield found
                continue
            yield Finding(
                found.severity, found.code, found.place, found.raw,
                f"{found.en} (and {more:,} more {'row' if more == 1 else 'rows'})",
                f"{found.zh}(另有 {more:,} 行相同)")  # fmt: skip
        for (en, zh), rows in self._passed.items():
            yield Finding(
                "note", "passed-over", self._place, "",
                f"{rows:,} {'row' if rows == 1 else 'rows'} passed over: {en}", f"略过 {rows:,} 行：{zh}")  # fmt: skip
