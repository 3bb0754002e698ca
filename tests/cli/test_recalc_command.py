from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest
from commands import refused, run
from openpyxl.workbook.workbook import Workbook

from gpusheet.cli.recalc import FOUND, MOST_SHOWN
from gpusheet.xl.functions import functions


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    book = Workbook()
    book.active.append([2.67, "=CARD_TIER(A1)", "=B1*2"])
    book.save(tmp_path / "plan.xlsx")
    return tmp_path / "plan.xlsx"


def add(plan: Path, *formulas: str) -> None:
    book = openpyxl.load_workbook(plan)
    for formula in formulas:
        book.active.append([formula])
    book.save(plan)


def test_values_are_written_to_a_new_file(plan: Path) -> None:
    new = plan.with_name("new.xlsx")
    ended = run("recalc", plan, "-o", new)
    assert (ended.status, ended.out) == (0, "")
    assert ended.err == f"{new}: 2 formulas, 0 of them errors, 0 not calculated\n"
    assert [cell.value for cell in openpyxl.load_workbook(new, data_only=True).active[1]] == [2.67, 4, 8]
    assert openpyxl.load_workbook(plan, data_only=True).active["B1"].value is None


def test_errors_are_listed_and_told_by_the_status(plan: Path) -> None:
    add(plan, '=GPU_SPEC("H300","memory_gb")', "=NOPE(1)")
    ended = run("recalc", plan, "-o", plan.with_name("new.xlsx"))
    assert ended.status == FOUND
    lines = [line.split(maxsplit=2) for line in ended.out.splitlines()]
    said = functions()["GPU_SPEC"].reason("H300", "memory_gb")
    assert [lines[0][0], lines[1]] == ["cell", ["Sheet!A2", "#N/A", said]]
    assert ended.out.splitlines()[2].rstrip().split("  ")[-1] == "the function NOPE is not known here"
    assert len(lines) == 3


def test_json_has_all_of_them(plan: Path) -> None:
    add(plan, *["=1/0"] * (MOST_SHOWN + 5), "=NOPE(1)")
    new = plan.with_name("new.xlsx")
    ended = run("recalc", plan, "-o", new, "--json")
    found = json.loads(ended.out)
    assert (ended.status, ended.err) == (FOUND, "")
    assert (found["workbook"], found["formulas"], len(found["errors"])) == (str(new), MOST_SHOWN + 8, MOST_SHOWN + 5)
    assert found["errors"][0] == {"cell": "Sheet!A2", "shows": "#DIV/0!", "why": "=1/0"}
    assert found["not_calculated"] == [
        {"cell": f"Sheet!A{MOST_SHOWN + 7}", "why": "the function NOPE is not known here"}]
    shown = run("recalc", plan, "-o", new, "--force")
    assert len(shown.out.splitlines()) == MOST_SHOWN + 1
    assert "and 6 more; --json lists all" in shown.err


def test_over_itself_only_with_force(plan: Path) -> None:
    before = plan.read_bytes()
    refused(run("recalc", plan), f"{plan}: its values would be replaced; name another file with -o, or add --force")
    assert plan.read_bytes() == before
    assert run("recalc", plan, "--force").status == 0
    assert openpyxl.load_workbook(plan, data_only=True).active["C1"].value == 8


def test_a_workbook_that_is_open_is_left_alone(plan: Path) -> None:
    plan.with_name("~$plan.xlsx").touch()
    ended = run("recalc", plan, "--force")
    assert ended.status == 1
    assert "is open in Excel" in ended.errors[0]


def test_no_workbook(plan: Path) -> None:
    missing = plan.with_name("none.xlsx")
    refused(run("recalc", missing, "--force"), f"{missing}: there is no such file; check the folder and the spelling")


def test_help_says_how_it_ends() -> None:
    text = " ".join(run("recalc", "--help").out.split())
    assert f"Ends with 0 if all is well, {FOUND} if the file has errors or cells without a value" in text
