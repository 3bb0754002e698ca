"""The built wheel in Pyodide, the Python of xlwings Lite: main.py loads it and every function shows what Python gives.

Pyodide comes from the npm registry and runs under node; pydantic for it comes from PyPI. numpy and pandas for it are on
neither, so what needs them is seen to ask for them, no more. Excel itself is not there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lite_calls import MAIN, ROOT, Call, alike, expected, rule_calls, sent

from gpusheet.xl.functions import functions

HERE = Path(__file__).parent
# of what Pyodide's own repository has, what our wheel may ask for there
NEEDS = ["pandas", "pydantic"]
PAGES = ("README.md", "README.zh.md")


def unavailable(reason: str) -> None:
    """Skips, or fails where GPUSHEET_REQUIRE_PYODIDE=1."""
    if os.environ.get("GPUSHEET_REQUIRE_PYODIDE") == "1":
        pytest.fail(f"{reason} (GPUSHEET_REQUIRE_PYODIDE=1)")
    pytest.skip(reason)


def run(command: list[str | Path], folder: Path, reason: str = "") -> str:
    """What a command prints; where it fails the tests are skipped for the reason, or fail where there is none."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode:
        told = f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        if not reason:
            pytest.fail(told)
        unavailable(f"{reason}: {told}")
    return done.stdout


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Pyodide in its node_modules."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            unavailable(f"{program} is not installed, so nothing can be run in Pyodide")
    folder = tmp_path_factory.mktemp("pyodide")
    shutil.copy(HERE / "package.json", folder)
    npm = str(shutil.which("npm"))  # npm.cmd on Windows
    run([npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--prefer-offline"], folder,
        "npm cannot fetch Pyodide")  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def wheels(home: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """pydantic as PyPI has it for this Pyodide, and what reads requirements."""
    info = json.loads((home / "node_modules/pyodide/pyodide-lock.json").read_text(encoding="utf-8"))["info"]
    folder = tmp_path_factory.mktemp("wheels")
    kind = ["--platform", f"pyemscripten_{info['abi_version']}_wasm32", "--python-version", info["python"]]
    run([sys.executable, "-m", "pip", "download", "-q", "--only-binary=:all:", "--implementation", "cp", *kind, "-d", folder,
         "pydantic>=2.11", "packaging"], folder, "PyPI has no pydantic for this Pyodide")  # fmt: skip
    return list(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ours")
    run([sys.executable, "-m", "pip", "wheel", ROOT, "--no-deps", "--no-build-isolation", "--no-index", "-q", "-w", folder], folder)
    (built,) = folder.glob("*.whl")
    return built


Known = list[tuple[Call, Any]]


@pytest.fixture(scope="module")
def calls() -> Known:
    """Every rule on its random rows, and every example, with what Python gives."""
    rows = [(call, wanted) for call, wanted, _ in rule_calls()]
    return rows + [(sent(name, one.example), expected(name, one.example)) for name, one in functions().items()]


@pytest.fixture(scope="module")
def answer(home: Path, wheels: list[Path], ours: Path, calls: Known) -> dict[str, Any]:
    """What Pyodide answers when the wheel lies in /data, where xlwings Lite puts what its menu Files imports."""
    given = {"calls": [_as_javascript(call) for call, _ in calls], "old": [sent("GPU_SPEC", ("H300", "memory_gb"))]}
    (home / "given.json").write_text(json.dumps(given), encoding="utf-8")
    files = {f"/data/{ours.name}": ours, "/tests/main.py": MAIN, "/tests/officejs.py": HERE.parent / "officejs.py",
             "/tests/job.json": home / "given.json"}  # fmt: skip
    job = {
        "wheels": [str(wheel) for wheel in wheels],
        "files": {target: str(source) for target, source in files.items()},
        "script": str(HERE / "inside.py"),
    }
    (home / "job.json").write_text(json.dumps(job), encoding="utf-8")
    found: dict[str, Any] = json.loads(run(["node", HERE / "run.mjs", home, home / "job.json"], home).splitlines()[-1])
    return found


def _as_javascript(value: Any) -> Any:
    """The same with whole numbers as JavaScript writes them."""
    if isinstance(value, list | tuple):
        return [_as_javascript(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def test_the_wheel_from_files_is_the_one_that_runs(answer: dict[str, Any]) -> None:
    assert answer["platform"] == "emscripten"
    assert re.match(r"/\w+/gpusheet/gpusheet/", answer["home"])
    assert answer["offered"] == sorted(functions())


def test_every_function_shows_what_python_gives(answer: dict[str, Any], calls: Known) -> None:
    different, lacking = [], set()
    for (call, wanted), found in zip(calls, answer["results"], strict=True):
        name = call[0]
        if "lacks" in found:
            lacking.add(name)
        elif "raised" in found:
            if wanted is not None or not found["raised"].startswith(f"{name}: "):
                different.append(f"{call}: {found['raised']}, Python {wanted!r}")
        elif wanted is None or not alike(found["shown"], wanted):
            different.append(f"{call}: {found['shown']!r}, Python {wanted!r}")
    assert not different
    # what was not computed asked for what is not to be had here, and the page says so
    assert {found["lacks"] for found in answer["results"] if "lacks" in found} <= {"numpy", "pandas"}
    assert all(f"`{name}`" in MAIN.with_name(page).read_text(encoding="utf-8") for name in lacking for page in PAGES)


def test_an_excel_without_data_types_gets_the_message(answer: dict[str, Any]) -> None:
    (found,) = answer["old"]
    assert found["raised"].startswith("GPU_SPEC: gpu: 'H300'")


def test_the_wheel_asks_for_nothing_that_pyodide_lacks(answer: dict[str, Any], home: Path) -> None:
    """formualizer has no wheel for Pyodide: one requirement of that kind stops the whole installation."""
    assert answer["needs"] == NEEDS
    lock = json.loads((home / "node_modules/pyodide/pyodide-lock.json").read_text(encoding="utf-8"))["packages"]
    assert set(NEEDS) <= set(lock)
    assert int(lock["pandas"]["version"].split(".")[0]) >= 3
    assert answer["heavy"] == []


def test_it_is_fast_enough_for_cells(answer: dict[str, Any]) -> None:
    """Loading takes about a second and a call well under a millisecond; the bounds leave room for a busy machine."""
    assert answer["loaded"] < 30
    assert answer["microseconds"] < 5000
