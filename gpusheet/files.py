"""Writing a file whole or not at all, and never over one that somebody wants to keep or has open."""

from __future__ import annotations

import errno
import glob
import hashlib
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
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
def replacing(path: Path, seen: bytes | None = None) -> Iterator[Path]:
    """A temporary name beside `path` to write to; the file takes its place once all is written, or is removed.

    Two runs do not write one file at a time. With `seen` the file is only replaced if it still has this content.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "new.txt")) as temporary:
    ...         _ = temporary.write_text("whole")
    ...     Path(folder, "new.txt").read_text()
    'whole'
    """

    def replace(temporary: Path, target: Path) -> None:
        if target.exists():
            shutil.copymode(target, temporary)
        if seen is not None and target.read_bytes() != seen:
            raise GpusheetError(f"{path}: was changed by somebody else meanwhile; run the command again")
        os.replace(temporary, target)

    with _written(path, replace) as temporary:
        yield temporary


@contextmanager
def creating(path: Path) -> Iterator[Path]:
    """As `replacing`, for a file that must not be there yet: of two runs at once the second gets a FileExistsError.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for text in ("first", "second"):
    ...         try:
    ...             with creating(Path(folder, "new.txt")) as temporary:
    ...                 _ = temporary.write_text(text)
    ...         except FileExistsError:
    ...             print(Path(folder, "new.txt").read_text())
    first
    """
    with _written(path, _named) as temporary:
        yield temporary


def _named(temporary: Path, target: Path) -> None:
    """Gives the file its name, unless another has it; a plain renaming would replace that one."""
    if os.name == "nt":
        os.rename(temporary, target)
        return
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if target.exists():
            raise FileExistsError from None
        os.rename(temporary, target)


@contextmanager
def _written(path: Path, settle: Callable[[Path, Path], None]) -> Iterator[Path]:
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = target.with_name(f".{target.name[-200:]}.{secrets.token_hex(4)}.tmp")
    with _alone(path, target):
        try:
            for left in target.parent.glob(f".{glob.escape(target.name[-200:])}.????????.tmp"):
                left.unlink(missing_ok=True)  # of a run that was killed; none is at work now
            yield temporary
            with open(temporary, "rb+") as file:
                os.fsync(file.fileno())
            settle(temporary, target)
        except FileExistsError:
            raise
        except OSError as error:
            hint = "close it where it is open, make room, or choose another name or folder"
            raise GpusheetError(f"{path}: cannot be written ({error.strerror or error}); {hint}") from error
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def _alone(path: Path, target: Path) -> Iterator[None]:
    """Holds a lock on `target` among the runs of this machine, which ends with the run, however that ends."""
    name = hashlib.sha256(os.path.normcase(target).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    lock = Path(tempfile.gettempdir(), f"gpusheet-{name}.lock")
    try:
        held = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        yield  # nowhere to keep a lock, as in a browser; the file is whole all the same
        return
    try:
        if not _locked(held):
            raise GpusheetError(f"{path}: is being written by another run of gpusheet; wait until that has ended")
        yield
    finally:
        os.close(held)


def _locked(held: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(held, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
    except ImportError:  # a Python without locks
        pass
    return True
