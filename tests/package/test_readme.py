"""What the README and the guide say can be done, can be done; their links lead somewhere."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
from pathlib import Path

import pytest
from shipped import FOLDER, ROOT

from gpusheet.cli import main

PAGES = [ROOT / "README.md", ROOT / "README.zh.md", *sorted((ROOT / "docs").glob("workbook*.md")), ROOT / "docs/index.md"]
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")
TESTS = 'python -m pip install -e ".[test]" && python -m pytest -n auto'

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)


def commands(page: Path) -> list[str]:
    """The shell lines of a page, without what they say of themselves."""
    lines = "".join(BLOCK.findall(page.read_text(encoding="utf-8"))).splitlines()
    return [re.sub(r"\s+#.*", "", line) for line in lines]


def test_python_examples_run() -> None:
    found = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert found.attempted > 3 and found.failed == 0


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)][:3], ids=lambda path: path.name)
def test_commands_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """All of them in their order, in a folder that holds what they name."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(FOLDER / "example.en.xlsx", "edited.xlsx")
    shutil.copy(ROOT / "gpusheet/catalog/data/sample/workloads.en.csv", "workloads.csv")
    for line in commands(page):
        for command in line.split(" && "):
            program, *words = shlex.split(command)
            if program == "python":
                continue  # installs, or runs the tests
            assert program == "gpusheet"
            assert main(words) == 0, f"{command}\n{capsys.readouterr().err}"
            if "-o" in words:
                Path(words[words.index("-o") + 1]).unlink()


def test_the_guides_give_the_same_commands() -> None:
    english, chinese = (commands(ROOT / "docs" / name) for name in ("workbook.md", "workbook.zh.md"))
    assert [line.replace("--lang zh", "--lang en") for line in english] == chinese


def test_the_readme_begins_with_two_commands() -> None:
    for page, lang in ((PAGES[0], ""), (PAGES[1], " --lang zh")):
        found = commands(page)
        assert found[0] == f"python -m pip install . && gpusheet budget -o budget.xlsx{lang}"
        assert TESTS in found


def test_ci_runs_the_tests_as_the_readme_does() -> None:
    assert f"\n    {TESTS}\n" in (ROOT / ".ci/run").read_text(encoding="utf-8")


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_pictures_are_light() -> None:
    pictures = list((ROOT / "docs/images").glob("*.png"))
    named = {Path(link).name for page in PAGES for link in LINK.findall(page.read_text(encoding="utf-8"))}
    assert pictures
    for picture in pictures:
        assert picture.stat().st_size < 300_000
        assert picture.name in named, f"{picture.name} is on no page"
