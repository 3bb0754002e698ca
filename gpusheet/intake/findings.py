"""What a reader found and a person should know: where, what stands there, what it was taken for and what to type."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gpusheet.errors import GpusheetError

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
SEVERITY_WORDS = {"error": ("error", "错误"), "warning": ("warning", "警告"), "note": ("note", "提示")}


@dataclass(frozen=True)
class Place:
    """A cell, a sheet or a whole file; what is not known is ''.

    >>> str(Place("prices.xlsx", "Sheet1", "E5")), str(Place("prices.csv", "", "E5")), str(Place("prices.csv"))
    ('prices.xlsx Sheet1!E5', 'prices.csv E5', 'prices.csv')
    """

    file: str = ""
    sheet: str = ""
    cell: str = ""

    def __str__(self) -> str:
        inside = f"{self.sheet}!{self.cell}" if self.sheet and self.cell else self.sheet or self.cell
        return " ".join(part for part in (self.file, inside) if part)


@dataclass(frozen=True)
class Finding:
    """One thing about one place. An error keeps a row out, a warning was read in some way, a note is for the record."""

    severity: Severity
    code: str  # the kind, for programs: "number-as-text"
    place: Place
    raw: str  # what stands there
    en: str
    zh: str

    def line(self, lang: str = "en") -> str:
        """As a person reads it.

        >>> Finding("error", "zero-price", Place("a.csv", "", "E7"), "0", "found 0; type the price", "是 0；请填价格").line()
        'a.csv E7: found 0; type the price'
        """
        text = self.zh if lang == "zh" else self.en
        return f"{self.place}{'：' if lang == 'zh' else ': '}{text}" if str(self.place) else text

    def as_json(self) -> dict[str, str]:
        """All of it by name."""
        return {
            "severity": self.severity, "code": self.code, "file": self.place.file, "sheet": self.place.sheet,
            "cell": self.place.cell, "raw": self.raw, "en": self.en, "zh": self.zh,
        }  # fmt: skip


class CannotRead(GpusheetError):
    """A table that cannot be read at all; `findings` has the reasons."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = list(findings)
        super().__init__("\n".join(one.line() for one in self.findings))


def counted(findings: Iterable[Finding]) -> Mapping[Severity, int]:
    """How many there are of each severity, worst first."""
    found = [one.severity for one in findings]
    return {severity: found.count(severity) for severity in SEVERITIES}


def besides(lines: Iterable[str], spoken_of: Iterable[str]) -> list[str]:
    """The lines about other cells than those about which something is said already.

    >>> besides(["A1: found 'x', allowed a number", "A2: found blank"], ["A1: found 'x', which is a range"])
    ['A2: found blank']
    """
    places = {line.partition(": ")[0] for line in spoken_of}
    return [line for line in lines if line.partition(": ")[0] not in places]


def raw_text(value: Any, most: int = 60) -> str:
    """What stands in a cell as one short line; characters that cannot be seen are named.

    >>> raw_text("1\\xa0073"), raw_text(None), raw_text(13.94), raw_text("\\t=1+1")
    ('1<NBSP>073', '', '13.94', '<TAB>=1+1')
    """
    if value is None:
        return ""
    text = f"{value:.15g}" if isinstance(value, float) else str(value)
    if isinstance(value, datetime.datetime):
        text = text.removesuffix(" 00:00:00")
    text = "".join(_SEEN.get(one, one if one.isprintable() else f"<U+{ord(one):04X}>") for one in text)
    return text if len(text) <= most else text[: most - 3] + "..."


_SEEN = {"\xa0": "<NBSP>", "\t": "<TAB>", "\n": "<LF>", "\r": "<CR>", "\u3000": "<U+3000>"}
