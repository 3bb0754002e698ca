"""What a computer has of that which functions in Excel need."""

from __future__ import annotations

import locale
import os
import struct
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gpusheet.xl.classic.vba import UDF_MODULE

_APP_PATHS = r"SOFTWARE\Microsoft\Windows\CurrentVersion\App Paths\excel.exe"
_CLICK_TO_RUN = r"SOFTWARE\Microsoft\Office\ClickToRun\Configuration"
_STORE = "WindowsApps"  # in the path of what came from the Microsoft Store


@dataclass(frozen=True)
class Excel:
    """The Excel that Windows starts."""

    path: str
    bits: int | None = None
    version: str = ""

    @property
    def from_store(self) -> bool:
        return _STORE in self.path


@dataclass(frozen=True)
class Computer:
    """The facts; tests make their own."""

    platform: str
    python: Path
    prefix: Path
    home: Path
    version: tuple[int, int] = (3, 11)
    bits: int = 64
    encoding: str = "utf-8"
    xlwings: str | None = None
    xlwings_folder: Path | None = None
    pywin32: str | None = None
    excel: Excel | None = None
    functions: Path | None = None  # the file of the functions' module
    libraries: tuple[Path, ...] = ()  # where Python looks for modules by itself
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def from_store(self) -> bool:
        return _STORE in str(self.python)

    @property
    def addin(self) -> Path:
        """Where xlwings puts its add-in."""
        roaming = Path(self.environment.get("APPDATA") or self.home / "AppData" / "Roaming")
        return roaming / "Microsoft" / "Excel" / "XLSTART" / "xlwings.xlam"

    @property
    def conda(self) -> dict[str, str]:
        """xlwings' settings for a conda environment, which has to be activated; empty where this is none."""
        program, name = self.environment.get("CONDA_EXE"), self.environment.get("CONDA_DEFAULT_ENV")
        if not program or not name or not (self.prefix / "conda-meta").is_dir():
            return {}
        return {"CONDA PATH": str(Path(program).parent.parent), "CONDA ENV": name}

    def libraries_of_xlwings(self) -> tuple[Path, ...]:
        """The library that Excel loads, of each width, where xlwings looks for it."""
        names = [f"xlwings{bits}-{self.xlwings}.dll" for bits in (32, 64)]
        folders = dict.fromkeys([self.python.parent, self.python.parent.parent, self.prefix])
        return tuple(folder / name for folder in folders for name in names)


def this_computer() -> Computer:
    """The facts of the computer and the Python that run this."""
    found, functions = find_spec("xlwings"), find_spec(UDF_MODULE)
    paths = sysconfig.get_paths()
    return Computer(
        platform=sys.platform, python=Path(sys.executable), prefix=Path(sys.prefix), home=Path.home(),
        version=sys.version_info[:2], bits=struct.calcsize("P") * 8, encoding=locale.getencoding(),
        xlwings=_version("xlwings"), xlwings_folder=Path(found.origin).parent if found and found.origin else None,
        pywin32=_version("pywin32"), excel=_excel() if sys.platform == "win32" else None,
        functions=Path(functions.origin) if functions and functions.origin else None,
        libraries=tuple(Path(paths[name]) for name in ("purelib", "platlib")), environment=dict(os.environ),
    )  # fmt: skip


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _excel() -> Excel | None:
    import winreg

    path = next(_registered(winreg, _APP_PATHS, ""), None)
    if path is None:
        return None
    width = next(_registered(winreg, _CLICK_TO_RUN, "Platform"), None)
    version = next(_registered(winreg, _CLICK_TO_RUN, "VersionToReport"), "")
    bits = {"x64": 64, "x86": 32}.get(str(width)) or (32 if "(x86)" in path else None)
    return Excel(path, bits, version)


def _registered(winreg: Any, key: str, name: str) -> Iterator[str]:
    """The values under this name, for this person first."""
    for hive in (winreg.HKEY_CURRENT_USER, winreg.HKEY_LOCAL_MACHINE):
        for view in (winreg.KEY_WOW64_64KEY, winreg.KEY_WOW64_32KEY):
            try:
                with winreg.OpenKey(hive, key, 0, winreg.KEY_READ | view) as opened:
                    yield str(winreg.QueryValueEx(opened, name)[0])
            except OSError:
                continue
