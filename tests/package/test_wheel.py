"""The built wheel does the main job in an environment of its own, outside the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest
from shipped import FILES, FOLDER, ROOT, differing, parts

from gpusheet import __version__

SCRIPTS = "Scripts" if sys.platform == "win32" else "bin"


def run(folder: Path, *command: str | Path) -> str:
    """What a command prints, run in `folder` with no way back to the checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(folder, sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-deps", "--no-build-isolation", "--no-index", "-q")
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that has the wheel and borrows what it needs from the one that runs the tests."""
    home = tmp_path_factory.mktemp("elsewhere") / "venv"
    venv.create(home, with_pip=False)
    python = home / SCRIPTS / "python"
    packages = Path(run(home, python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    # a path from a .pth file is only looked through: what the tests' environment adds to its own path stays there
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    run(home, sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "-q", wheel)
    return home


def test_everything_travels_and_nothing_else(wheel: Path) -> None:
    with ZipFile(wheel) as package:
        packed = {name for name in package.namelist() if ".dist-info/" not in name}
    source = ROOT / "gpusheet"
    ours = {path.relative_to(ROOT).as_posix() for path in source.rglob("*") if path.suffix in (".py", ".csv", ".typed")}
    shipped = {f"gpusheet/templates/{file}" for file in FILES}
    assert packed == ours | shipped | {"gpusheet_udfs.py"}
    assert any("/prices/" in name for name in ours)


def test_the_package_says_what_it_is(wheel: Path) -> None:
    with ZipFile(wheel) as package:
        (metadata,) = (package.read(name).decode() for name in package.namelist() if name.endswith("/METADATA"))
        assert any(name.endswith("/licenses/LICENSE") for name in package.namelist())
    assert f"\nVersion: {__version__}\n" in metadata
    assert "\nLicense-Expression: Apache-2.0\n" in metadata
    assert "\nRequires-Python: >=3.11\n" in metadata


def test_the_command_writes_the_sample_as_it_is_shipped(installed: Path, tmp_path: Path) -> None:
    said = run(tmp_path, installed / SCRIPTS / "gpusheet", "budget", "-o", "budget.xlsx")
    assert "1,138,528.00 CNY" in said and "checks failed  0" in said
    assert [path.name for path in tmp_path.iterdir()] == ["budget.xlsx"]
    assert differing(parts(tmp_path / "budget.xlsx"), parts(FOLDER / "example.en.xlsx")) == []


def test_templates_and_functions_are_found_where_they_were_installed(installed: Path, tmp_path: Path) -> None:
    script = """
import gpusheet, gpusheet_udfs
from gpusheet.xl.functions import functions
from importlib.resources import files
print(gpusheet.__file__)
print(gpusheet_udfs.__file__)
print(gpusheet_udfs.CARD_TIER(2.67), set(gpusheet_udfs.FUNCTIONS) == set(functions()))
print(*sorted(one.name for one in files("gpusheet").joinpath("templates").iterdir()))
"""
    package, functions, called, templates = run(tmp_path, installed / SCRIPTS / "python", "-c", script).splitlines()
    assert Path(package).is_relative_to(installed) and Path(functions).is_relative_to(installed)
    assert called == "4.0 True"
    assert templates.split() == sorted(FILES)
