"""Whether a computer is ready for our functions in Excel on Windows, what is missing, and xlwings' settings for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpusheet.errors import GpusheetError
from gpusheet.xl.classic.computer import Computer
from gpusheet.xl.classic.log import log_file
from gpusheet.xl.classic.vba import UDF_MODULE
from gpusheet.xl.classic.xlwings_settings import MODULES, PATHS, SettingsFile

INTERPRETER = "INTERPRETER_WIN"
ELSEWHERE = (
    "On Mac and in the browser functions run in xlwings Lite (docs/install-web.md); with no add-in at all as names of "
    "Excel 365 (gpusheet template --functions lambda); without Excel: gpusheet recalc"
)


@dataclass(frozen=True)
class Finding:
    """One thing that is needed: whether it is there, what was found, and how to get it. `ok` None: only worth knowing."""

    what: str
    ok: bool | None
    found: str
    fix: str = ""


def settings_file(computer: Computer) -> SettingsFile:
    return SettingsFile(computer.home / ".xlwings" / "xlwings.conf", computer.encoding)


def wanted(computer: Computer) -> dict[str, str]:
    """The settings with which xlwings finds this Python and our functions."""
    settings = {INTERPRETER: str(computer.python), MODULES: UDF_MODULE}
    if computer.conda:
        settings |= {INTERPRETER: "pythonw"} | computer.conda
    if computer.functions is not None and computer.functions.parent not in computer.libraries:
        settings[PATHS] = str(computer.functions.parent)
    return settings


def install(computer: Computer) -> dict[str, str]:
    """Writes the settings; those that changed."""
    _on_windows(computer)
    return settings_file(computer).install(wanted(computer))


def uninstall(computer: Computer) -> bool:
    """Undoes `install`; False where there is nothing to undo."""
    return settings_file(computer).uninstall()


def _on_windows(computer: Computer) -> None:
    if computer.platform != "win32":
        raise GpusheetError(f"Excel calls Python through xlwings on Windows only, and this is {computer.platform}. {ELSEWHERE}")


def findings(computer: Computer) -> list[Finding]:
    """Everything that the functions need, in the order in which a person mends it."""
    if computer.platform != "win32":
        return [Finding("Windows", False, f"this is {computer.platform}", ELSEWHERE)]
    return [_python(computer), *_packages(computer), *_excel(computer), _addin(computer), _settings(computer), _log(computer)]


def _python(computer: Computer) -> Finding:
    found = f"{computer.version[0]}.{computer.version[1]}, {computer.bits} bit, {computer.python}"
    if computer.from_store:
        return Finding("Python", False, found, "Excel cannot start the Python of the Microsoft Store; install the one of python.org")
    return Finding("Python", True, found)


def _packages(computer: Computer) -> Iterator[Finding]:
    pip = f'"{computer.python}" -m pip install'
    yield Finding("xlwings", computer.xlwings is not None, computer.xlwings or "not installed", f"{pip} xlwings")
    yield Finding("pywin32", computer.pywin32 is not None, computer.pywin32 or "not installed", f"{pip} pywin32")
    if computer.xlwings is not None:
        there = [path for path in computer.libraries_of_xlwings() if path.exists()]
        found = ", ".join(map(str, there)) or "not found beside Python"
        yield Finding("xlwings' library", bool(there), found, f"{pip} --force-reinstall xlwings")
    found = str(computer.functions or "not found")
    yield Finding("functions", computer.functions is not None, found, f"{pip} . (in the folder of gpusheet)")


def _excel(computer: Computer) -> Iterator[Finding]:
    excel = computer.excel
    if excel is None:
        yield Finding("Excel", False, "not installed", "install Microsoft Excel for Windows")
        return
    width = f", {excel.bits} bit" if excel.bits else ""
    found = f"{excel.version or 'version unknown'}{width}, {excel.path}"
    fix = "" if not excel.from_store else "Excel of the Microsoft Store cannot reach Python; install Office from office.com"
    yield Finding("Excel", not excel.from_store, found, fix)
    if excel.bits and excel.bits != computer.bits:
        yield Finding("widths", None, f"Excel {excel.bits} bit, Python {computer.bits} bit: they may differ")


def _addin(computer: Computer) -> Finding:
    """Needed for a module in a workbook of one's own; the workbook that gpusheet writes does without."""
    fix = "close Excel, then: xlwings addin install (a workbook of gpusheet template --functions vba does without)"
    if not computer.addin.exists():
        return Finding("xlwings add-in", None, "not installed", fix)
    shipped = computer.xlwings_folder / "addin" / "xlwings.xlam" if computer.xlwings_folder else None
    if shipped is not None and shipped.exists() and shipped.read_bytes() != computer.addin.read_bytes():
        return Finding("xlwings add-in", False, f"{computer.addin}, of another version than xlwings {computer.xlwings}", fix)
    return Finding("xlwings add-in", True, str(computer.addin))


def _settings(computer: Computer) -> Finding:
    file = settings_file(computer)
    known = file.values()
    lacking = [
        name for name, value in wanted(computer).items()
        if value not in (known.get(name, "").split(";") if name in (MODULES, PATHS) else [known.get(name)])
    ]  # fmt: skip
    if lacking:
        return Finding("settings", False, f"{file.path} lacks {', '.join(lacking)}", "gpusheet udf install")
    return Finding("settings", True, str(file.path))


def _log(computer: Computer) -> Finding:
    return Finding("log", None, str(log_file(computer.platform, computer.home, computer.environment)))
