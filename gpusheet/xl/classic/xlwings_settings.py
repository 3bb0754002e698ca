"""xlwings' settings file: what `gpusheet udf install` writes there, and how all of it is undone.

A line is `"KEY","value"`, in the code page of the country, as VBA reads it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpusheet.errors import GpusheetError
from gpusheet.files import replacing

MODULES, PATHS = "UDF MODULES", "PYTHONPATH"
LISTS = (MODULES, PATHS)  # several values in one, with semicolons between


@dataclass(frozen=True)
class SettingsFile:
    """The file of a person's settings, and beside it what stood there before."""

    path: Path
    encoding: str = "utf-8"

    @property
    def before(self) -> Path:
        """The file as it was found."""
        return self.path.with_name(self.path.name + ".before-gpusheet")

    @property
    def note(self) -> Path:
        """What was changed."""
        return self.path.with_name("gpusheet-install.json")

    def values(self) -> dict[str, str]:
        """Every setting, by its name in capitals; of several with one name the first counts, as in xlwings."""
        found: dict[str, str] = {}
        for line in self._lines():
            name, value = _parsed(line)
            if name:
                found.setdefault(name, value)
        return found

    def install(self, wanted: Mapping[str, str]) -> dict[str, str]:
        """Writes these settings among those that are there; the ones that changed."""
        known = self.values()
        changed = {name: value for name, value in _joined(wanted, known).items() if known.get(name) != value}
        if not changed:
            return {}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        noted = self._noted()
        if not noted:
            if self.path.exists():
                _write(self.before, self.path.read_bytes())
            noted = {"added": {}, "found": {}}
        for name in changed:
            noted["found"].setdefault(name, known.get(name))
            noted["added"][name] = wanted[name]
        content = self._with(changed)
        noted["written"] = content.decode("latin-1")  # byte by byte
        _write(self.note, json.dumps(noted, indent=1).encode())
        _write(self.path, content)
        return changed

    def uninstall(self) -> bool:
        """Puts back what was found; what was changed since by others stays. False where nothing was installed."""
        noted = self._noted()
        if not noted:
            return False
        found = self.before.read_bytes() if self.before.exists() else None
        now = self.path.read_bytes() if self.path.exists() else None
        if now is not None and now.decode("latin-1") == noted["written"]:
            now = found
        elif now is not None:
            now = self._without(noted) or None
        if now is None:
            self.path.unlink(missing_ok=True)
        else:
            _write(self.path, now)
        self.before.unlink(missing_ok=True)
        self.note.unlink()
        if not any(self.path.parent.iterdir()):
            self.path.parent.rmdir()
        return True

    def _noted(self) -> dict[str, Any]:
        if not self.note.exists():
            return {}
        try:
            return dict(json.loads(self.note.read_text(encoding="utf-8")))
        except ValueError as error:
            hint = f"delete it, and put {self.before.name} back in place of {self.path.name} if it is there"
            raise GpusheetError(f"{self.note}: cannot be read ({error}); {hint}") from None

    def _lines(self) -> list[str]:
        if not self.path.exists():
            return []
        return self.path.read_bytes().decode(self.encoding, errors="surrogateescape").splitlines(keepends=True)

    def _with(self, changed: Mapping[str, str | None]) -> bytes:
        """The file with other values, each where it stood or else at the end; None takes one out."""
        lines, left = [], dict(changed)
        for line in self._lines():
            name, _ = _parsed(line)
            if name not in changed:
                lines.append(line if line.endswith(("\n", "\r")) else f"{line}\r\n")
            elif name in left and (value := left.pop(name)) is not None:
                lines.append(f'"{name}","{value}"\r\n')
        lines += [f'"{name}","{value}"\r\n' for name, value in left.items() if value is not None]
        try:
            return "".join(lines).encode(self.encoding, errors="surrogateescape")
        except UnicodeEncodeError as error:
            sign = error.object[error.start : error.end]
            hint = "install Python in a folder whose name has letters of this country only"
            raise GpusheetError(f"{self.path}: {sign!r} cannot be written there, as VBA reads {self.encoding}; {hint}") from None

    def _without(self, noted: Mapping[str, Any]) -> bytes:
        """The file as others have changed it, less what was added."""
        known = self.values()
        changed: dict[str, str | None] = {}
        for name, added in noted["added"].items():
            before = noted["found"][name]
            if name in LISTS:
                gone = set(_parts(added or "")) - set(_parts(before or ""))
                kept = [part for part in _parts(known.get(name, "")) if part not in gone]
                changed[name] = ";".join(kept) or before
            elif known.get(name) == added:
                changed[name] = before
        return self._with(changed)


def _joined(wanted: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """Lists keep what they have."""
    found = dict(wanted)
    for name in LISTS:
        if name in wanted:
            found[name] = ";".join(dict.fromkeys([*_parts(known.get(name, "")), *_parts(wanted[name])]))
    return found


def _parts(value: str) -> list[str]:
    return [part for part in value.split(";") if part]


def _parsed(line: str) -> tuple[str, str]:
    """Name in capitals and value of a line; two empty texts where it is none.

    >>> _parsed('"Interpreter_Win","C:\\\\python.exe"')
    ('INTERPRETER_WIN', 'C:\\\\python.exe')
    """
    cells = next(csv.reader([line]), [])
    return (cells[0].strip().upper(), cells[1]) if len(cells) == 2 else ("", "")


def _write(path: Path, content: bytes) -> None:
    with replacing(path) as temporary:
        temporary.write_bytes(content)
