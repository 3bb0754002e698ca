"""`gpusheet udf install`, `uninstall` and `status`, with computers made up: Windows is not needed to see what they do."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock, patch

import pytest
from windows import stand_ins

from gpusheet.cli import main
from gpusheet.errors import GpusheetError
from gpusheet.xl.classic import computer as facts
from gpusheet.xl.classic import setup
from gpusheet.xl.classic.computer import Computer, Excel, this_computer
from gpusheet.xl.classic.xlwings_settings import SettingsFile

FOUND = b'"INTERPRETER_WIN","C:\\old\\python.exe"\r\n"UDF MODULES","mine;other"\r\n"SHOW CONSOLE","True"\n"odd line\r\n'


@pytest.fixture
def ready(tmp_path: Path) -> Computer:
    """A Windows computer that has everything but the settings."""
    home, prefix, site = tmp_path / "home", tmp_path / "Python311", tmp_path / "Python311" / "Lib" / "site-packages"
    shipped = site / "xlwings" / "addin" / "xlwings.xlam"
    made = Computer(
        platform="win32", python=prefix / "python.exe", prefix=prefix, home=home, version=(3, 12), xlwings="0.37.8",
        xlwings_folder=site / "xlwings", pywin32="311", excel=Excel(r"C:\Office\EXCEL.EXE", 64, "16.0.1"),
        functions=site / "gpusheet_udfs.py", libraries=(site,), environment={"APPDATA": str(home / "Roaming")},
    )  # fmt: skip
    for file in (shipped, made.addin, prefix / "xlwings64-0.37.8.dll"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"of this version")
    return made


def conf(computer: Computer) -> Path:
    return computer.home / ".xlwings" / "xlwings.conf"


def write_conf(computer: Computer, content: bytes) -> None:
    conf(computer).parent.mkdir(exist_ok=True)
    conf(computer).write_bytes(content)


def states(computer: Computer) -> dict[str, bool | None]:
    return {one.what: one.ok for one in setup.findings(computer)}


# --- settings ---------------------------------------------------------------------------------------------------------


def test_a_first_install_writes_what_xlwings_reads(ready: Computer) -> None:
    assert setup.install(ready) == {"INTERPRETER_WIN": str(ready.python), "UDF MODULES": "gpusheet_udfs"}
    assert conf(ready).read_bytes().decode() == (
        f'"INTERPRETER_WIN","{ready.python}"\r\n"UDF MODULES","gpusheet_udfs"\r\n'
    )
    assert setup.install(ready) == {}  # as often as wanted
    assert setup.uninstall(ready)
    assert not conf(ready).parent.exists()
    assert not setup.uninstall(ready)


def test_what_was_there_stays_and_comes_back(ready: Computer) -> None:
    write_conf(ready, FOUND)
    assert setup.install(ready) == {"INTERPRETER_WIN": str(ready.python), "UDF MODULES": "mine;other;gpusheet_udfs"}
    lines = conf(ready).read_bytes().splitlines()
    assert lines[1:] == [b'"UDF MODULES","mine;other;gpusheet_udfs"', b'"SHOW CONSOLE","True"', b'"odd line']
    backup = conf(ready).with_name("xlwings.conf.before-gpusheet")
    assert backup.read_bytes() == FOUND
    assert setup.install(ready) == {} and backup.read_bytes() == FOUND
    setup.install(replace(ready, python=ready.prefix / "other" / "python.exe"))  # moved to another Python
    assert backup.read_bytes() == FOUND
    assert setup.uninstall(ready)
    assert conf(ready).read_bytes() == FOUND
    assert [path.name for path in conf(ready).parent.iterdir()] == ["xlwings.conf"]


def test_what_others_changed_since_stays(ready: Computer) -> None:
    write_conf(ready, FOUND)
    setup.install(ready)
    changed = conf(ready).read_bytes().replace(b"mine;other", b"mine;new").replace(b'"True"', b'"False"')
    conf(ready).write_bytes(changed + b'"LICENSE_KEY","x"\r\n')
    assert setup.uninstall(ready)
    assert conf(ready).read_bytes().splitlines() == [
        b'"INTERPRETER_WIN","C:\\old\\python.exe"', b'"UDF MODULES","mine;new"', b'"SHOW CONSOLE","False"', b'"odd line',
        b'"LICENSE_KEY","x"',
    ]  # fmt: skip


def test_a_setting_that_others_took_over_is_theirs(ready: Computer) -> None:
    setup.install(ready)
    conf(ready).write_text('"INTERPRETER_WIN","D:\\mine.exe"\n"UDF MODULES","gpusheet_udfs;more"\n')
    assert setup.uninstall(ready)
    assert conf(ready).read_bytes().splitlines() == [b'"INTERPRETER_WIN","D:\\mine.exe"', b'"UDF MODULES","more"']
    conf(ready).unlink()
    setup.install(ready)
    conf(ready).unlink()  # somebody has tidied up
    assert setup.uninstall(ready) and not conf(ready).exists()


def test_names_of_settings_are_read_in_any_case(ready: Computer) -> None:
    write_conf(ready, b'"Interpreter_Win","C:\\old.exe"\r\n"Interpreter_Win","unread"\r\n')
    setup.install(ready)
    assert conf(ready).read_bytes().count(b"INTERPRETER_WIN") == 1 and b"unread" not in conf(ready).read_bytes()
    assert setup.settings_file(ready).values()["INTERPRETER_WIN"] == str(ready.python)


def test_the_code_page_of_the_country_is_kept(ready: Computer, tmp_path: Path) -> None:
    """VBA reads no UTF-8."""
    chinese = replace(ready, python=tmp_path / "张三" / "python.exe", encoding="gbk")
    write_conf(chinese, '"PYTHONPATH","C:\\脚本"\r\n'.encode("gbk"))
    setup.install(chinese)
    assert "张三".encode("gbk") in conf(chinese).read_bytes()
    assert setup.settings_file(chinese).values()["PYTHONPATH"] == "C:\\脚本"
    before = conf(chinese).read_bytes()
    with pytest.raises(GpusheetError, match=r"'张三' cannot be written there, as VBA reads cp1252; install Python"):
        setup.install(replace(chinese, encoding="cp1252"))
    assert conf(chinese).read_bytes() == before


def test_a_checkout_is_put_on_the_path(ready: Computer, tmp_path: Path) -> None:
    checkout = replace(ready, functions=tmp_path / "udfs" / "gpusheet_udfs.py")
    write_conf(checkout, b'"PYTHONPATH","C:\\mine"\r\n')
    assert setup.install(checkout)["PYTHONPATH"] == f"C:\\mine;{tmp_path / 'udfs'}"
    assert states(checkout)["settings"] is True
    assert setup.uninstall(checkout)
    assert conf(checkout).read_bytes() == b'"PYTHONPATH","C:\\mine"\r\n'


def test_a_conda_environment_is_activated(ready: Computer) -> None:
    """A Python of conda that is started by its path alone does not find its libraries."""
    environment = {**ready.environment, "CONDA_EXE": str(Path("C:/conda/Scripts/conda.exe")), "CONDA_DEFAULT_ENV": "work"}
    named = replace(ready, environment=environment)
    assert setup.wanted(named)["INTERPRETER_WIN"] == str(ready.python)  # a shell of conda, and another Python
    (ready.prefix / "conda-meta").mkdir()
    wanted = setup.wanted(named)
    assert wanted["INTERPRETER_WIN"] == "pythonw"
    assert (wanted["CONDA PATH"], wanted["CONDA ENV"]) == (str(Path("C:/conda")), "work")


def test_a_note_that_cannot_be_read_is_told(ready: Computer) -> None:
    setup.install(ready)
    file = setup.settings_file(ready)
    file.note.write_text("{", encoding="utf-8")
    with pytest.raises(GpusheetError, match=r"gpusheet-install\.json: cannot be read .* delete it"):
        setup.uninstall(ready)


def test_xlwings_reads_the_file_as_it_was_written(ready: Computer, tmp_path: Path) -> None:
    """By xlwings' own reader of settings, in Python."""
    pytest.importorskip("xlwings")
    from xlwings.utils import read_user_config

    setup.install(ready)
    with patch("xlwings.USER_CONFIG_FILE", str(conf(ready))):
        assert {name.upper(): value for name, value in read_user_config().items()} == SettingsFile(conf(ready)).values()


# --- what is needed ---------------------------------------------------------------------------------------------------


def test_a_ready_computer_lacks_only_the_settings(ready: Computer) -> None:
    assert [name for name, ok in states(ready).items() if ok is False] == ["settings"]
    setup.install(ready)
    assert False not in states(ready).values()
    (log,) = (one.found for one in setup.findings(ready) if one.what == "log")
    assert log.endswith("functions.log") and str(ready.home) in log


LACKING: list[tuple[dict[str, Any], str, str]] = [
    ({"python": Path("C:/WindowsApps/python.exe")}, "Python", "python.org"),
    ({"xlwings": None}, "xlwings", '-m pip install xlwings'),
    ({"pywin32": None}, "pywin32", "-m pip install pywin32"),
    ({"xlwings": "0.1"}, "xlwings' library", "--force-reinstall xlwings"),
    ({"functions": None}, "functions", "-m pip install ."),
    ({"excel": None}, "Excel", "install Microsoft Excel"),
    ({"excel": Excel("C:/WindowsApps/EXCEL.EXE")}, "Excel", "Office from office.com"),
]


@pytest.mark.parametrize(("lack", "what", "fix"), LACKING, ids=lambda one: str(one)[:24])
def test_what_is_missing_is_said_with_how_to_get_it(lack: dict[str, Any], what: str, fix: str, ready: Computer) -> None:
    setup.install(ready)
    lacking = [one for one in setup.findings(replace(ready, **lack)) if one.ok is False and one.what != "settings"]
    assert [one.what for one in lacking] == [what]
    assert fix in lacking[0].fix and lacking[0].found


def test_the_addin_is_of_use_only_in_its_version(ready: Computer) -> None:
    assert states(ready)["xlwings add-in"] is True
    ready.addin.write_bytes(b"of another version")
    assert states(ready)["xlwings add-in"] is False
    ready.addin.unlink()
    assert states(ready)["xlwings add-in"] is None  # a workbook with macros does without
    assert any("xlwings addin install" in one.fix for one in setup.findings(ready))


def test_excel_and_python_may_differ_in_width(ready: Computer) -> None:
    other = replace(ready, excel=Excel("C:/EXCEL.EXE", 32))
    assert states(other)["widths"] is None and "widths" not in states(ready)


@pytest.mark.parametrize("platform", ["darwin", "linux"])
def test_elsewhere_it_says_what_runs_there(platform: str, ready: Computer) -> None:
    other = replace(ready, platform=platform)
    (finding,) = setup.findings(other)
    assert finding.ok is False
    for word in ("Lite", "--functions lambda", "gpusheet recalc"):
        assert word in finding.fix
    with pytest.raises(GpusheetError, match="on Windows only"):
        setup.install(other)
    assert not conf(other).exists()


# --- the facts of this computer ---------------------------------------------------------------------------------------


def test_this_computer_is_described() -> None:
    found = this_computer()
    assert (found.platform, found.python, found.version) == (sys.platform, Path(sys.executable), sys.version_info[:2])
    assert found.functions is not None and found.functions.name == "gpusheet_udfs.py"


def test_excel_is_looked_up_in_the_registry() -> None:
    """The person's own entries before the computer's."""
    entries = {
        ("machine", facts._APP_PATHS, ""): r"C:\Program Files\Office\EXCEL.EXE",
        ("machine", facts._CLICK_TO_RUN, "Platform"): "x86", ("machine", facts._CLICK_TO_RUN, "VersionToReport"): "16.0.9",
    }  # fmt: skip

    def opened(hive: str, key: str, *_: Any) -> Any:
        found = MagicMock()
        found.__enter__.return_value = (hive, key)
        return found

    def value(key: tuple[str, str], name: str) -> tuple[str, int]:
        try:
            return entries[(*key, name)], 1
        except KeyError:
            raise FileNotFoundError from None

    registry = SimpleNamespace(
        HKEY_CURRENT_USER="person", HKEY_LOCAL_MACHINE="machine", KEY_READ=1, KEY_WOW64_64KEY=2, KEY_WOW64_32KEY=4,
        OpenKey=opened, QueryValueEx=value,
    )  # fmt: skip
    with stand_ins({"winreg": registry}):
        assert facts._excel() == Excel(r"C:\Program Files\Office\EXCEL.EXE", 32, "16.0.9")
        entries["person", facts._APP_PATHS, ""] = r"C:\Program Files (x86)\EXCEL.EXE"
        del entries["machine", facts._CLICK_TO_RUN, "Platform"]
        assert facts._excel() == Excel(r"C:\Program Files (x86)\EXCEL.EXE", 32, "16.0.9")
        entries.clear()
        assert facts._excel() is None


# --- commands ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def on_it(ready: Computer, monkeypatch: pytest.MonkeyPatch) -> Computer:
    """Commands run on the ready computer."""
    monkeypatch.setattr(facts, "this_computer", lambda: ready)
    return ready


def test_install_says_what_it_wrote_and_uninstall_undoes_it(on_it: Computer, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["udf", "status"]) == 1
    assert "gpusheet udf install" in capsys.readouterr().err
    assert main(["udf", "install"]) == 0
    said = capsys.readouterr()
    assert f"INTERPRETER_WIN  {on_it.python}" in said.out and f"written to {conf(on_it)}" in said.out and said.err == ""
    assert main(["udf", "install"]) == 0
    assert "as wanted already" in capsys.readouterr().out
    assert main(["udf", "status"]) == 0
    said = capsys.readouterr()
    assert "functions.log" in said.out and "missing" not in said.out
    assert main(["udf", "uninstall"]) == 0
    assert "is as it was before" in capsys.readouterr().out and not conf(on_it).exists()
    assert main(["udf", "uninstall"]) == 0
    assert "nothing to undo" in capsys.readouterr().out


def test_install_says_what_is_still_missing(on_it: Computer, capsys: pytest.CaptureFixture[str]) -> None:
    on_it.addin.unlink()
    (on_it.prefix / "xlwings64-0.37.8.dll").unlink()
    assert main(["udf", "install"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in told] == ["xlwings' library", "xlwings add-in"]


def test_elsewhere_install_fails_in_one_line(
    on_it: Computer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(facts, "this_computer", lambda: replace(on_it, platform="darwin"))
    assert main(["udf", "install"]) == 1
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "Lite" in said.err
    assert main(["udf", "status"]) == 1
