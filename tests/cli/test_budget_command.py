"""`gpusheet budget` and `gpusheet template`: what is written, what is said, what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import openpyxl
import pytest
from commands import Ended, refused, run

from gpusheet.workbook import book
from gpusheet.workbook.reader import read_book


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def summary(ended: Ended) -> dict[str, str]:
    """What the summary says, by name."""
    pairs = [line.split("  ", 1) for line in ended.out.splitlines() if line.strip()]
    return {name: value.strip() for name, value in pairs}


def test_the_sample() -> None:
    ended = run("budget", "-o", "budget.xlsx")
    assert (ended.status, ended.err) == (0, "")
    said = summary(ended)
    assert (said["workbook"], said["months"], said["workloads"]) == ("budget.xlsx", "12", "7")
    assert said["checks failed"] == "0"
    assert said["total"].endswith(" CNY") and float(said["total"][:-4].replace(",", "")) > 0
    assert read_book(Path("budget.xlsx")).months == 12


def test_options_say_what_the_book_holds() -> None:
    ended = run("budget", "-o", "b.xlsx", "--lang", "zh", "--months", 3, "--start", "2027-04", "--amounts", 10000,
                "--as-of", "2026-10-27", "--prepared-on", "2026-11-05")  # fmt: skip
    assert ended.status == 0
    read = read_book(Path("b.xlsx"))
    settings = read.inputs.settings
    assert (read.lang, read.months, settings.budget_start.isoformat()) == ("zh", 3, "2027-04-01")
    assert (settings.amount_unit, str(settings.as_of), str(settings.prepared_on)) == (10000, "2026-10-27", "2026-11-05")


def test_a_blocked_total_is_written_and_said() -> None:
    ended = run("budget", "-o", "b.xlsx", "--months", 1, "--currency", "USD")
    assert ended.status == 0
    assert summary(ended)["total"] == "blocked"
    lines = ended.err.splitlines()
    assert lines[0] == "blocked: b.xlsx has no budget total, as a figure that belongs in it is missing"
    assert any("exchange rate" in line for line in lines[1:])
    assert all(line.startswith(("check failed: ", "no price for ")) for line in lines[1:])
    assert any(line.startswith("no price for ") and "FX: no single rate from" in line for line in lines)
    assert Path("b.xlsx").exists()


def test_an_edited_book_is_read_and_written_anew() -> None:
    run("budget", "-o", "first.xlsx", "--months", 2, "--lang", "zh")
    edited = openpyxl.load_workbook("first.xlsx")
    sheet = edited["Workloads"]
    header = next(row for row in sheet.iter_rows() if row[0].value == "workload")
    column = next(cell.column for cell in header if cell.value == "requests_per_day")
    sheet.cell(header[0].row + 1, column).value = 123456
    edited.save("edited.xlsx")
    before = Path("edited.xlsx").read_bytes()

    ended = run("budget", "edited.xlsx", "-o", "new.xlsx")
    assert ended.status == 0
    assert summary(ended)["months"] == "2"
    read = read_book(Path("new.xlsx"))
    assert (read.lang, read.months) == ("zh", 2)
    assert read.inputs.workloads[0].requests_per_day == 123456
    assert read.lines == read_book(Path("first.xlsx")).lines
    assert Path("edited.xlsx").read_bytes() == before


def test_what_is_lost_is_said_one_line_each() -> None:
    run("budget", "-o", "first.xlsx", "--months", 1)
    edited = openpyxl.load_workbook("first.xlsx")
    edited["Sizing"]["Z99"] = "scribble"
    edited.create_sheet("Mine")["A1"] = "=1+1"
    edited.save("edited.xlsx")
    lost = read_book(Path("edited.xlsx")).lost
    ended = run("budget", "edited.xlsx", "-o", "new.xlsx")
    assert ended.status == 0
    assert ended.err.splitlines() == [f"edited.xlsx: {line}" for line in lost]
    assert any("Sizing!Z99" in line for line in lost) and any("Mine" in line for line in lost)


def test_options_overrule_the_book() -> None:
    run("budget", "-o", "first.xlsx", "--months", 2, "--lang", "zh")
    ended = run("budget", "first.xlsx", "-o", "new.xlsx", "--months", 1, "--lang", "en", "--prepared-on", "2026-11-09")
    assert ended.status == 0
    read = read_book(Path("new.xlsx"))
    assert (read.lang, read.months, str(read.inputs.settings.prepared_on)) == ("en", 1, "2026-11-09")
    assert read.inputs.settings.currency == read_book(Path("first.xlsx")).inputs.settings.currency


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_template_is_empty_and_sound(lang: str) -> None:
    ended = run("template", "-o", "t.xlsx", "--lang", lang)
    assert (ended.status, ended.err) == (0, "")
    assert summary(ended)["workloads"] == "0" and summary(ended)["checks failed"] == "0"
    read = read_book(Path("t.xlsx"))
    assert read.lang == lang and not read.inputs.workloads and not read.inputs.other_costs
    assert read.inputs.catalog.gpus and read.inputs.catalog.prices
    assert read.lines == book.SPARE


@pytest.mark.parametrize(("words", "lines"), [
    (["-o", "b.csv"], ["--output: found 'b.csv', allowed a file name that ends in .xlsx"]),
    (["-o", "none/b.xlsx"], ["none/b.xlsx: there is no folder none; make it, or choose another"]),
    (["-o", "old.xlsx"], ["old.xlsx: exists already; choose another name, or replace it with --force"]),
    (["-o", "b.xlsx", "--months", "0"], ["months: found 0, allowed 1 to 60"]),
    (["-o", "b.xlsx", "--months", "61"], ["months: found 61, allowed 1 to 60"]),
    (["-o", "b.xlsx", "--start", "2027-13"], ["--start: found '2027-13', allowed a month such as 2027-01"]),
    (["-o", "b.xlsx", "--start", "May"], ["--start: found 'May', allowed a month such as 2027-01"]),
    (["-o", "b.xlsx", "--as-of", "2026-02-30"],
     ["--as-of: found '2026-02-30', allowed a date such as 2026-10-27, or blank"]),
    (["-o", "b.xlsx", "--prepared-on", "today"], ["--prepared-on: found 'today', allowed a date such as 2026-10-27"]),
    (["-o", "b.xlsx", "--currency", "yuan"],
     ["--currency: found 'yuan', allowed three capital letters such as CNY or USD, or blank"]),
    (["old.xlsx", "-o", "old.xlsx", "--force"], ["old.xlsx: is the file that is read; give the new one another name"]),
])  # fmt: skip
def test_wrong_input_gets_an_answer(words: list[str], lines: list[str]) -> None:
    Path("old.xlsx").write_text("precious")
    refused(run("budget", *words), *lines)
    assert os.listdir() == ["old.xlsx"]
    assert Path("old.xlsx").read_text() == "precious"


@pytest.mark.parametrize(("name", "reason"), [
    ("none.xlsx", "none.xlsx"), ("text.xlsx", "text.xlsx"), ("foreign.xlsx", "the workbook has no table Workloads"),
])  # fmt: skip
def test_what_is_no_book_of_ours_is_refused(name: str, reason: str) -> None:
    Path("text.xlsx").write_text("not a workbook")
    openpyxl.Workbook().save("foreign.xlsx")
    ended = run("budget", name, "-o", "new.xlsx")
    assert ended.status == 1
    assert reason in ended.errors[0] and ended.err.count("error: ") == len(ended.errors)
    assert not Path("new.xlsx").exists()


@pytest.mark.parametrize(("words", "option"), [
    (["--lang", "fr"], "--lang"), (["--amounts", "5"], "--amounts"), (["--months", "twelve"], "--months"),
])  # fmt: skip
def test_wrong_options(words: list[str], option: str) -> None:
    ended = run("budget", "-o", "b.xlsx", *words)
    assert ended.status == 2 and len(ended.errors) == 1
    assert option in ended.errors[0] and words[1] in ended.errors[0]


def test_an_interrupted_run_leaves_the_old_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("b.xlsx").write_text("precious")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    ended = run("budget", "-o", "b.xlsx", "--months", 1, "--force")
    refused(ended, "interrupted; a file is written whole or not at all", status=130)
    assert os.listdir() == ["b.xlsx"] and Path("b.xlsx").read_text() == "precious"


def test_a_target_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    ended = run("budget", "-o", "b.xlsx", "--months", 1)
    assert ended.status == 1 and len(ended.errors) == 1
    assert "b.xlsx: cannot be written (Permission denied); close it where it is open" in ended.errors[0]
    assert os.listdir() == []
