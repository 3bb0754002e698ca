"""The pages on installing the Excel functions: commands that exist, links that lead somewhere, the same in both languages."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from gpusheet import __version__
from gpusheet.cli import main
from gpusheet.xl.functions import functions

ROOT = Path(__file__).parents[2]
ENGLISH = [
    *(ROOT / "docs" / f"{name}.md" for name in ("install-windows", "install-mac", "install-web", "troubleshooting")),
    ROOT / "udfs" / "lite" / "README.md",
]
PAGES = [*ENGLISH, *(page.with_suffix(".zh.md") for page in ENGLISH)]
BLOCK = re.compile(r"^ *```sh\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]*)(?:#([^)]+))?\)")
CODE = re.compile(r"`([^`\n]+)`")
NOT_RUN = (
    "What was not run in Excel", "What was run, and what was not", "未在 Excel 中验证的部分", "已验证与未验证",
)  # fmt: skip

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: f"{path.parent.name}/{path.name}")


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def commands(page: Path) -> list[str]:
    return [line.strip() for block in BLOCK.findall(text(page)) for line in block.splitlines()]


def anchors(page: Path) -> set[str]:
    """What a link may name of a page: its headings as GitHub makes addresses of them."""
    headings = re.findall(r"^#+ (.*)$", text(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    found = LINK.findall(text(page))
    assert found
    for target, anchor in found:
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), f"{target}#{anchor}"


@pytest.mark.parametrize("page", ENGLISH, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_both_languages_give_the_same_steps_and_commands(page: Path) -> None:
    other = page.with_suffix(".zh.md")
    assert [line.removesuffix(" --lang zh") for line in commands(other)] == commands(page)
    for marks in (r"^ *\d+\. ", r"^#+ ", r"^\|"):
        assert len(re.findall(marks, text(page), re.MULTILINE)) == len(re.findall(marks, text(other), re.MULTILINE)), marks
    assert f"]({other.name})" in text(page) and f"]({page.name})" in text(other)


@every_page
def test_steps_are_numbered(page: Path) -> None:
    steps = [int(number) for number in re.findall(r"^(\d+)\. ", text(page), re.MULTILINE)]
    if not page.name.startswith("troubleshooting"):
        assert len(steps) >= 3
    assert all(step in (1, before + 1) for before, step in zip([0, *steps], steps, strict=False))


@every_page
def test_commands_of_gpusheet_exist(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command and each of its options stands in the command's own help."""
    written = [*commands(page), *(code for code in CODE.findall(text(page)) if code.startswith("gpusheet "))]
    for line in (part for one in written for part in one.split(" && ") if part.startswith("gpusheet ")):
        words = shlex.split(line)[1:]
        options = [word for word in words if word.startswith("-")]
        names = words[:2] if words[0] == "udf" else words[:1]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COLUMNS", "200")
            assert main([*names, "--help"]) == 0, line
        told = capsys.readouterr().out
        assert all(option in told for option in options), line


@every_page
def test_functions_that_are_named_exist(page: Path) -> None:
    called = {name for code in CODE.findall(text(page)) for name in re.findall(r"\b([A-Z][A-Z0-9_]{3,})\(", code)}
    assert called - {"DATE"} <= set(functions())


@every_page
def test_it_ends_with_what_was_not_run_in_excel(page: Path) -> None:
    heading, words = text(page).split("\n## ")[-1].split("\n", 1)
    assert heading in NOT_RUN and "Excel" in words


@every_page
def test_files_of_gpusheet_carry_its_version(page: Path) -> None:
    named = re.findall(r"gpusheet[-=]=?(\d+\.\d+\.\d+)", text(page))
    assert set(named) <= {__version__}


def test_the_index_leads_to_every_page() -> None:
    index = text(ROOT / "docs" / "index.md")
    for page in PAGES:
        address = page.name if page.parent.name == "docs" else f"../{page.relative_to(ROOT).as_posix()}"
        assert f"({address})" in index
