"""Price files of others: the header of a file decides who reads it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from gpusheet.intake.importers import focus, general, gpuhunt, skypilot
from gpusheet.intake.importers.lines import Lines
from gpusheet.intake.importers.offers import Imported, Options
from gpusheet.intake.importers.source import lines_of


class Importer(Protocol):
    """A format with a header of its own."""

    KIND: str

    def knows(self, header: Collection[str]) -> bool: ...

    def read(self, lines: Lines, options: Options) -> Imported: ...


IMPORTERS: tuple[Importer, ...] = (skypilot, gpuhunt, focus)

__all__ = ["IMPORTERS", "Imported", "Options", "importer_of", "read_prices"]


def importer_of(header: Collection[str]) -> Importer | None:
    """The format that has these columns; None for a table that a person made.

    >>> importer_of(["InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region"]).KIND
    'SkyPilot catalog'
    """
    return next((one for one in IMPORTERS if one.knows(header)), None)


def read_prices(path: Path, options: Options | None = None) -> Imported:
    """The prices of a file of any known format, or of a table that a person made, and what was not understood."""
    options = options or Options()
    lines = lines_of(path, options.sheet)
    found = importer_of(lines.header)
    return found.read(lines, options) if found else general.read(path, options)
