"""The file in which Excel's functions write why they failed: who sees #VALUE! in a cell can read the reason there."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path

LARGEST = 1_000_000  # bytes; the file before is kept beside it


def log_file(platform: str = sys.platform, home: Path | None = None, environment: Mapping[str, str] = os.environ) -> Path:
    """Where the log is on this computer.

    >>> log_file("win32", environment={"LOCALAPPDATA": "AppData/Local"}).as_posix()
    'AppData/Local/gpusheet/Logs/functions.log'
    """
    home = home or Path.home()
    if platform == "win32":
        folder = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") / "gpusheet" / "Logs"
    elif platform == "darwin":
        folder = home / "Library" / "Logs" / "gpusheet"
    else:
        folder = Path(environment.get("XDG_STATE_HOME") or home / ".local" / "state") / "gpusheet"
    return folder / "functions.log"


class _Handler(RotatingFileHandler):
    """Two Excels may write to one file: then Windows lets neither rename it, and it grows until one of them ends."""

    def rotate(self, source: str, dest: str) -> None:
        with suppress(OSError):
            super().rotate(source, dest)


def write_log(path: Path) -> None:
    """From now on failures of functions go to that file as well; where it cannot be made, they go without.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "Logs", "functions.log")
    ...     write_log(file)
    ...     logging.getLogger("gpusheet.xl").warning("CARD_TIER: blank")
    ...     close_log()
    ...     file.read_text().endswith("CARD_TIER: blank\\n")
    True
    """
    close_log()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = _Handler(path, maxBytes=LARGEST, backupCount=1, encoding="utf-8", delay=True)
    except OSError:
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logging.getLogger("gpusheet.xl").addHandler(handler)


def close_log() -> None:
    """No file any more."""
    logger = logging.getLogger("gpusheet.xl")
    for handler in [one for one in logger.handlers if isinstance(one, _Handler)]:
        logger.removeHandler(handler)
        handler.close()
