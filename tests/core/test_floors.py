"""The house: imports go downward only, the core is light, files stay short, no machine is named."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gpusheet

PACKAGE = Path(gpusheet.__file__).parent
ROOT = PACKAGE.parent
FILES = sorted(PACKAGE.rglob("*.py"))
HEAVY = ("numpy", "pandas", "openpyxl", "formualizer", "xlwings", "rich", "typer")

# the first part of a module's name under gpusheet -> its floor; siblings are parts of floor 2
FLOORS = {
    "expr": 0, "units": 0, "errors": 0, "files": 1,
    "ops": 1, "sizes": 1, "registry": 1, "constants": 1, "formula": 1, "annuity": 1.5, "experts": 1.5, "pools": 1.5,
    "rules": 2, "catalog": 2, "wiring": 2.5,
    "scenario": 2.7, "solver": 3, "lookup": 3, "calendar": 3, "case": 3.2, "decisions": 3.2, "missing": 3.3, "partial": 3.4,
    "serving": 3.4, "serving_rows": 3.4,
    "xl": 3.5, "calibration": 3.6, "intake": 3.6,
    "workbook": 4, "audit": 4.5, "cli": 5, "__main__": 5,
}  # fmt: skip


def parts(path: Path) -> tuple[str, ...]:
    """The module's name under gpusheet, in parts; empty for the package itself."""
    return tuple(part for part in path.relative_to(PACKAGE).with_suffix("").parts if part != "__init__")


def imported(path: Path, everywhere: bool = True) -> set[str]:
    """The modules that a file imports, absolute; only at import time unless `everywhere`."""
    found: set[str] = set()
    package = ("gpusheet", *parts(path))
    if path.name != "__init__.py":
        package = package[:-1]

    def visit(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                found.update(name.name for name in child.names)
            elif isinstance(child, ast.ImportFrom):
                start = package[: len(package) - child.level + 1] if child.level else ()
                base = ".".join((*start, *([child.module] if child.module else [])))
                found.add(base)
                found.update(f"{base}.{name.name}" for name in child.names)
            elif everywhere or not _later(child):
                visit(child)

    visit(ast.parse(path.read_text(encoding="utf-8")))
    return found


def _later(node: ast.AST) -> bool:
    """Whether what is inside runs only when it is called, or only for type checkers."""
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.unparse(node.test)
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def ours(path: Path) -> set[str]:
    """The parts of gpusheet that a file imports, by the first name under the package."""
    names = {name.split(".")[1] for name in imported(path) if name.startswith("gpusheet.") and name.count(".")}
    return {name for name in names if name in FLOORS}


by_file = pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(parts(path)) or "gpusheet")


@by_file
def test_imports_go_downward(path: Path) -> None:
    own = parts(path)
    if not own:
        return  # the package's own door opens on every floor, when asked for
    assert own[0] in FLOORS, f"{own[0]} is on no floor: give it one in this test and in CONTRIBUTING.md"
    upward = {name for name in ours(path) if FLOORS[name] > FLOORS[own[0]]}
    assert not upward, f"{'/'.join(own)} imports {sorted(upward)} from a floor above"


@by_file
def test_siblings_do_not_know_each_other(path: Path) -> None:
    """Rules know no catalog, the catalog knows no rules, and one subject's rules do not know another's."""
    own = parts(path)
    if own[:1] in (("rules",), ("catalog",)):
        other = {"rules": "catalog", "catalog": "rules"}[own[0]]
        assert other not in ours(path)
    if own[:1] == ("rules",):
        assert not {name for name in imported(path) if name.startswith("gpusheet.rules.")}


@by_file
def test_core_loads_nothing_heavy(path: Path) -> None:
    own = parts(path)
    if own and FLOORS[own[0]] >= 4:
        return
    heavy = {name.split(".")[0] for name in imported(path, everywhere=False)} & set(HEAVY)
    assert not heavy, f"import {sorted(heavy)} inside the function that needs it"


def loaded_by(code: str) -> set[str]:
    """The heavy libraries in memory after `code`, in a fresh interpreter."""
    script = f"import sys\n{code}\nprint(*[name for name in {(*HEAVY, 'pydantic')!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


def test_import_is_light() -> None:
    assert loaded_by("import gpusheet") == set()


def test_rules_run_on_numbers_without_any_library() -> None:
    """The rules also run where numpy and pydantic are not, as in the browser."""
    assert loaded_by("import gpusheet; assert gpusheet.rules.card_tier(2.67) == 4; gpusheet.all_rules()") == set()


def test_solving_one_case_needs_no_arrays() -> None:
    assert loaded_by("import gpusheet; gpusheet.solve({'requests_per_day': 80000})") <= {"pydantic"}


@by_file
def test_files_stay_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 330


@by_file
def test_files_say_what_they_are(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), "a module begins with what it is for"


MACHINE = re.compile(r"(?<![\w.])/(?:home|root|Users|work|tmp|mnt)/\w|[A-Z]:\\Users")
TEXTS = [path for pattern in ("*.md", "*.toml", ".ci/*", "docs/**/*.md", "docs/*.py", "benchmarks/*", "tests/**/*.py",
                              "gpusheet/**/*.py", "gpusheet/**/*.csv", "udfs/**/*.py", "udfs/**/*.bas")
         for path in sorted(ROOT.glob(pattern)) if path.is_file()]  # fmt: skip


def test_no_path_of_a_machine_is_named() -> None:
    assert len(TEXTS) > len(FILES)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in TEXTS if path.name != Path(__file__).name
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if MACHINE.search(line)
    ]  # fmt: skip
    assert not found
    assert MACHINE.search("open('/home/ann/book.xlsx')") and not MACHINE.search("tokens/user/day")
