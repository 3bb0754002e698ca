"""The pages say what the code does: reference pages are as generated, errata are complete and their examples run."""

from __future__ import annotations

import csv
import doctest
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from gpusheet.registry import all_rules

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES = Path(__file__).with_name("worked_examples.csv")
PAGES = sorted(DOCS.glob("*.md"))


@pytest.fixture(scope="module")
def make() -> ModuleType:
    """The generator, docs/make.py."""
    spec = importlib.util.spec_from_file_location("docs_make", DOCS / "make.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_are_as_generated(make: ModuleType) -> None:
    stale = [name for name, text in make.pages().items() if (DOCS / name).read_text(encoding="utf-8") != text]
    assert not stale, f"run `python docs/make.py`: {', '.join(stale)} differ from the registry and the row types"


@pytest.mark.parametrize("page", ["rules.md", "rules.zh.md"])
def test_every_rule_has_its_place(page: str) -> None:
    heads = re.findall(r"^### (\w+)$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)
    assert heads == list(all_rules())


@pytest.mark.parametrize("page", ["errata.md", "errata.zh.md"])
def test_every_figure_that_does_not_hold_is_told(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    with EXAMPLES.open(encoding="utf-8", newline="") as file:
        wanted = [row["id"] for row in csv.DictReader(file) if row["verdict"] != "holds"]
    told = re.findall(r"^(?:### |\| )([ABC]\d\d)\b", text, re.MULTILINE)
    assert len(wanted) > 10 and set(wanted) <= set(told)
    assert sorted(told) == sorted(set(told)), "each figure is told once"


@pytest.mark.parametrize("page", [page.name for page in PAGES if page.name.startswith("errata")])
def test_examples_run(page: str) -> None:
    outcome = doctest.testfile(str(DOCS / page), module_relative=False, encoding="utf-8")
    assert outcome.attempted > 10 and outcome.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)]+)\)", text):
        name, _, anchor = target.partition("#")
        assert not name.startswith("http") and "\\" not in name
        there = (page.parent / name) if name else page
        assert there.exists(), target
        if anchor:
            assert anchor in anchors(there.read_text(encoding="utf-8")), target


def anchors(text: str) -> set[str]:
    """What links may name of a page: its headings, as GitHub spells them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings} | set(headings)


def test_both_languages_have_the_same_pages() -> None:
    names = {page.name for page in PAGES} - {"index.md"}
    assert {name.replace(".zh.md", ".md") for name in names} == {name for name in names if ".zh." not in name}
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    assert all(f"({name})" in index for name in names)


def test_chinese_pages_are_chinese() -> None:
    for page in PAGES:
        if ".zh." in page.name:
            text = page.read_text(encoding="utf-8")
            headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
            assert headings and all(re.search(r"[一-鿿]|^GPU|^xlwings", heading) for heading in headings)
