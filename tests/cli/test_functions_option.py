"""`--functions`: which workbooks get the rules as functions, and which file names go with it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import openpyxl
import pytest
from commands import refused, run

from gpusheet.workbook.book import Outcome
from gpusheet.workbook.reader import read_book
from gpusheet.xl.lambdas import lambdas


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(path: str) -> set[str]:
    return set(openpyxl.load_workbook(path).defined_names) & set(lambdas())


def test_a_template_with_names() -> None:
    ended = run("template", "-o", "t.xlsx", "--functions", "lambda", "--lang", "zh")
    assert (ended.status, ended.err) == (0, "")
    assert names("t.xlsx") == set(lambdas())


@pytest.mark.parametrize("words", [("template",), ("budget", "--months", 1), ("budget", "--months", 1, "--functions", "none")])
def test_none_unless_asked_for(words: tuple[Any, ...]) -> None:
    assert run(*words, "-o", "t.xlsx").status == 0
    assert names("t.xlsx") == set()


def test_a_budget_keeps_what_the_book_has_unless_told_otherwise() -> None:
    assert run("budget", "-o", "a.xlsx", "--months", 1).status == 0
    assert run("budget", "a.xlsx", "-o", "b.xlsx", "--functions", "lambda").status == 0
    kept = run("budget", "b.xlsx", "-o", "c.xlsx")
    dropped = run("budget", "b.xlsx", "-o", "d.xlsx", "--functions", "none")
    assert kept.err == dropped.err == ""
    assert [len(names(f"{book}.xlsx")) for book in "abcd"] == [0, len(lambdas()), len(lambdas()), 0]
    assert read_book("c.xlsx").inputs == read_book("a.xlsx").inputs


def test_macros_and_their_suffix_need_each_other() -> None:
    refused(
        run("template", "-o", "t.xlsx", "--functions", "vba"),
        "--output: found 't.xlsx', allowed with --functions vba a file name ending in .xlsm",
    )
    for functions in ("none", "lambda"):
        refused(
            run("template", "-o", "t.xlsm", "--functions", functions),
            "--output: found 't.xlsm', allowed .xlsm only with --functions vba, which makes macros",
        )
    assert not list(Path().iterdir())


def test_macros_are_for_the_template() -> None:
    refused(
        run("budget", "-o", "b.xlsm", "--functions", "vba"),
        "--functions: found 'vba', allowed none or lambda; macros: gpusheet template --functions vba -o book.xlsm",
    )
    refused(run("budget", "-o", "b.xlsx", "--functions", "xll"), "--functions: found 'xll', allowed none or lambda")
    assert run("template", "-o", "b.xlsx", "--functions", "xll").status == 2


def test_the_macro_book_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in it is tested where it is made."""
    asked: list[tuple[Path, str, bool]] = []

    def write_macro_book(target: Path, lang: str = "en", force: bool = False) -> Outcome:
        asked.append((target, lang, force))
        return Outcome(target, checks_failed=0, alerts=0, total=0.0, currency="CNY")

    stand_in: Any = ModuleType("gpusheet.workbook.macros.macro_book")
    stand_in.write_macro_book = write_macro_book
    monkeypatch.setitem(sys.modules, "gpusheet.workbook.macros.macro_book", stand_in)
    ended = run("template", "-o", "book.xlsm", "--functions", "vba", "--lang", "zh", "--force")
    assert (ended.status, ended.err) == (0, "")
    assert asked == [(Path("book.xlsm"), "zh", True)] and "book.xlsm" in ended.out


def test_a_file_that_is_there_is_kept() -> None:
    Path("book.xlsm").write_bytes(b"mine")
    ended = run("template", "-o", "book.xlsm", "--functions", "vba")
    refused(ended, "book.xlsm: exists already; choose another name, or replace it with --force")
    assert Path("book.xlsm").read_bytes() == b"mine"
