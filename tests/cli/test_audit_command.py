from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import refused, run
from openpyxl.workbook.workbook import Workbook

from gpusheet.audit import STALE_DAYS, Severity, points
from gpusheet.cli import audit as command
from gpusheet.cli.audit import COLOURS, ERRORS, WARNINGS
from gpusheet.workbook.cached import write_with_values


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """A sound little plan."""
    book = Workbook()
    for row in ([1, 2, 3, 4, 5, 6], [f"={column}1*2" for column in "ABCDEF"]):
        book.active.append(row)
    return saved(book, tmp_path / "plan.xlsx")


def saved(book: Workbook, path: Path) -> Path:
    write_with_values(book, path, force=True)
    return path


def faulty(tmp_path: Path, cell: str, value: object) -> Path:
    book = Workbook()
    for row in ([1, 2, 3, 4, 5, 6], [f"={column}1*2" for column in "ABCDEF"]):
        book.active.append(row)
    book.active[cell].value = value
    return saved(book, tmp_path / "faulty.xlsx")


def test_notes_alone_end_with_0(plan: Path) -> None:
    ended = run("audit", plan)
    assert ended.status == 0
    severities = [line.partition(" ")[0] for line in ended.out.partition("For a person")[0].splitlines()[1:]]
    assert set(severities) == {"note"}
    assert ended.err.startswith("plan.xlsx: 0 errors, 0 warnings, ")


def test_an_error_ends_with_3_and_says_what_to_do(tmp_path: Path) -> None:
    ended = run("audit", faulty(tmp_path, "D2", 9))
    assert ended.status == ERRORS == 3
    line = next(line for line in ended.out.splitlines() if line.startswith("error"))
    assert "Sheet!D2" in line and "the typed number 9" in line and "fill the formula of its neighbours in" in line


def test_warnings_end_with_4(tmp_path: Path) -> None:
    ended = run("audit", faulty(tmp_path, "A4", "=SUM(A1:A2)*1.06"))
    assert ended.status == WARNINGS == 4
    assert "1.06 in =SUM(A1:A2)*1.06" in ended.out


def test_chinese(tmp_path: Path) -> None:
    ended = run("audit", faulty(tmp_path, "D2", 9), "--lang", "zh")
    assert "手填数字 9" in ended.out and "需人工查看" in ended.out
    assert "错误 1" in ended.err


def test_json_has_findings_and_all_points(tmp_path: Path) -> None:
    ended = run("audit", faulty(tmp_path, "D2", 9), "--json")
    told = json.loads(ended.out)
    assert ended.status == ERRORS
    assert [one["point"] for one in told["points"]] == list(points())
    first = told["findings"][0]
    assert (first["severity"], first["point"], first["sheet"], first["cell"]) == ("error", 10, "Sheet", "D2")
    assert told["counts"]["error"] == 1
    assert not next(one["kept"] for one in told["points"] if one["point"] == 10)


def test_what_is_no_workbook_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "prices.xlsx"
    path.write_text("gpu,price\nL20,4\n")
    ended = run("audit", path)
    assert ended.status == 1 and len(ended.errors) == 1 and ended.errors[0].startswith("prices.xlsx: found text such as CSV")
    refused(run("audit", tmp_path / "none.xlsx"), f"{tmp_path / 'none.xlsx'}: there is no such file; check the folder and the spelling")


def test_the_command_knows_what_the_audit_knows() -> None:
    assert command.STALE_DAYS == STALE_DAYS
    assert set(COLOURS) == set(Severity)
