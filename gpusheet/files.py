"""Writing a file whole or not at all, and never over one that somebody wants to keep or has open."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpusheet.errors import GpusheetError


def check_target(path: Path, force: bool) -> None:
    """Refuses at once what would fail, or harm somebody, at the end."""
    if not path.parent.is_dir():
        raise GpusheetError(f"{path}: there is no folder {path.parent}; make it, or choose another")
    if path.is_dir():
        raise GpusheetError(f"{path}: is a folder; give the name of a file in it")
    if not path.exists():
        return
    if not force:
        raise GpusheetError(f"{path}: exists already; choose another name, or replace it with --force")
    if not os.access(path, os.W_OK):
        raise GpusheetError(f"{path}: is write-protected; choose another name, or lift the protection")
    for lock in (path.with_name(f"~${path.name}"), path.with_name(f".~lock.{path.name}#")):
        if lock.exists():
            program = "Excel" if lock.name.startswith("~") else "LibreOffice"
            raise GpusheetError(f"{path}: is open in {program}; close it there (if it is not, delete {lock.name})")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary name beside `path` to write to; the file takes its place once all is written, or is removed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "new.txt")) as temporary:
    ...         _ = temporary.write_text("whole")
    ...     Path(folder, "new.txt").read_text()
    'whole'
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = target.with_name(f".{target.stem}.{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except OSError as error:
        hint = "close it where it is open, or choose another name or folder"
        raise GpusheetError(f"{path}: cannot be written ({error.strerror or error}); {hint}") from error
    finally:
        temporary.unlink(missing_ok=True)
