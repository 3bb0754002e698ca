"""What a sheet that looks things up is made of: lines, and groups of them."""

from __future__ import annotations

from dataclasses import dataclass

from gpusheet.units import Unit


@dataclass(frozen=True)
class FetchLine:
    """A row of Lookup: what it is called and its formula for column E, to be filled right."""

    name: str
    en: str
    zh: str
    unit: Unit
    formula: str
    source: str = ""  # the sheet that it comes from

    def label(self, lang: str) -> str:
        return self.zh if lang == "zh" else self.en


@dataclass(frozen=True)
class Group:
    en: str
    zh: str
    lines: tuple[FetchLine, ...]
