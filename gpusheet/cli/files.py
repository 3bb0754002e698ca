"""The file that a command writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from gpusheet import files
from gpusheet.errors import GpusheetError


def check_target(path: Path, force: bool, suffix: str, source: Path | None = None) -> None:
    """Refuses at once what would fail, or harm somebody, at the end."""
    if path.suffix.lower() != suffix:
        raise GpusheetError(f"--output: found {str(path)!r}, allowed a file name that ends in {suffix}")
    if source is not None and source.exists() and path.exists() and path.samefile(source):
        raise GpusheetError(f"{path}: is the file that is read; give the new one another name")
    files.check_target(path, force)


@contextmanager
def new_text_file(path: Path) -> Iterator[TextIO]:
    """A UTF-8 file that is there once all is written. Begins with the mark by which Excel knows UTF-8."""
    with files.replacing(path) as temporary, temporary.open("x", encoding="utf-8-sig", newline="") as file:
        yield file
