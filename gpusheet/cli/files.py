"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from gpusheet.errors import GpusheetError


def check_target(path: Path, force: bool, suffix: str, source: Path | None = None) -> None:
    """Refuses at once what would fail, or harm somebody, at the end."""
    if path.suffix.lower() != suffix:
        raise GpusheetError(f"--output: found {str(path)!r}, allowed a file name that ends in {suffix}")
    if source is not None and source.exists() and path.exists() and path.samefile(source):
        raise GpusheetError(f"{path}: is the file that is read; give the new one another name")
    if path.is_dir():
        raise GpusheetError(f"{path}: is a folder; give the name of a file in it")
    if not path.parent.is_dir():
        raise GpusheetError(f"{path}: there is no folder {path.parent}; make it, or choose another")
    if path.exists() and not force:
        raise GpusheetError(f"{path}: exists already; choose another name, or replace it with --force")


@contextmanager
def new_text_file(path: Path) -> Iterator[TextIO]:
    """A UTF-8 file under a temporary name that takes its own, or the old file's place, once all is written.

    Begins with the mark by which Excel knows UTF-8.
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = target.with_name(f".{target.stem}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("x", encoding="utf-8-sig", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as error:
        hint = "close it where it is open, or choose another name or folder"
        raise GpusheetError(f"{path}: cannot be written ({error.strerror or error}); {hint}") from error
    finally:
        temporary.unlink(missing_ok=True)
