from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from commands import run

from gpusheet.workbook.book import write
from gpusheet.workbook.inputs import sample


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("books")
    old = replace(sample(), settings=sample().settings.model_copy(update={"looked_at": None}))  # that workload goes
    rows = [old.workloads[0].model_copy(update={"peak_factor": 9.0, "discount": 0.1}), *old.workloads[2:]]
    new = replace(old, workloads=tuple(rows), assumptions=old.assumptions.model_copy(update={"safety": 0.6}))
    write(old, folder / "old.xlsx")
    write(new, folder / "new.xlsx")
    return folder / "old.xlsx", folder / "new.xlsx"


def test_inputs_results_and_steps(books: tuple[Path, Path]) -> None:
    ended = run("diff", *books)
    assert ended.status == 0
    for part in ("Inputs", "peak_factor", "Results", "Cost of the first 12 months, CNY", "Workloads removed", "old budget"):
        assert part in ended.out
    assert "in this order" in ended.err


def test_the_figures_shown_add_up(books: tuple[Path, Path]) -> None:
    told = json.loads(run("diff", *books, "--json").out)
    steps = told["bridge"]["steps"]
    assert sum(one["effect"] for one in steps) == pytest.approx(told["bridge"]["new"]["total"] - told["bridge"]["old"]["total"])
    assert [one["key"] for one in steps] == ["removed", "demand", "assumed_speed", "terms"]
    assert steps[1]["inputs"] == ["Workloads: Service bot peak_factor"]
    assert {(one["table"], one["field"]) for one in told["inputs"]} >= {("Assumptions", "safety"), ("Workloads", None)}


def test_the_same_book_twice(books: tuple[Path, Path]) -> None:
    ended = run("diff", books[0], books[0])
    assert (ended.status, ended.out, ended.err) == (0, "The two budgets are the same.\n", "")
    assert run("diff", books[0], books[0], "--lang", "zh").out == "两份预算相同。\n"


def test_a_book_of_somebody_else_is_refused(books: tuple[Path, Path], tmp_path: Path) -> None:
    path = tmp_path / "prices.xlsx"
    path.write_text("gpu,price\nL20,4\n")
    ended = run("diff", books[0], path)
    assert ended.status == 1 and ended.errors[0].startswith("prices.xlsx: found text such as CSV")
