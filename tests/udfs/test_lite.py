"""main.py for xlwings Lite: every function is offered within the limits of Office.js and shows what Python gives."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import officejs
import pytest
from lite_calls import ROOT, alike, expected, pasted, rule_calls, sent
from openpyxl.utils import FORMULAE

from gpusheet import __version__
from gpusheet.xl.cells import CELL_ERRORS
from gpusheet.xl.functions import functions

LITE = ROOT / "udfs" / "lite"
A1_OR_R1C1 = re.compile(r"[A-Z]{1,3}[0-9]+|R[0-9]*C[0-9]*|R[0-9]*|C[0-9]*", re.IGNORECASE)


@pytest.fixture(autouse=True)
def log() -> Iterator[None]:
    """main.py takes the messages of the functions; they go back to where they went."""
    handlers = logging.getLogger("gpusheet.xl").handlers
    before = handlers[:]
    yield
    handlers[:] = before


@pytest.fixture
def main() -> ModuleType:
    return pasted()


@pytest.fixture
def told(main: ModuleType) -> dict[str, dict[str, Any]]:
    return officejs.offered(main)


def test_every_function_is_offered_under_its_name(told: dict[str, dict[str, Any]]) -> None:
    assert set(told) == set(functions())


def test_names_are_within_the_limits_of_office_js(told: dict[str, dict[str, Any]]) -> None:
    """A letter first, then letters, digits, periods and underscores, 128 characters at most; no address of a cell."""
    for name in told:
        assert re.fullmatch(r"[A-Z][A-Z0-9._]{0,127}", name) and not A1_OR_R1C1.fullmatch(name), name
    assert len({name.upper() for name in told}) == len(told)


def test_no_name_is_a_function_of_excel(told: dict[str, dict[str, Any]]) -> None:
    """Excel would call its own, whatever an add-in or a macro offers under that name."""
    assert set(told) & FORMULAE == set()


def test_arguments_are_within_the_limits_of_office_js(told: dict[str, dict[str, Any]]) -> None:
    """Excel takes 255 arguments; optional ones stand behind required ones, a repeated one is the last."""
    for name, known in told.items():
        arguments = list(known["arguments"].items())
        assert len(arguments) <= 255, name
        optional = [argument["optional"] for _, argument in arguments]
        assert optional == sorted(optional), name
        assert not any(argument["repeating"] for _, argument in arguments[:-1]), name
        for word, _ in arguments:
            assert re.fullmatch(r"[a-z][a-z0-9_]*", word), f"{name}: {word}"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_help_is_in_the_chosen_language_and_as_long_as_excel_shows_it(lang: str) -> None:
    for name, known in officejs.offered(pasted(lang)).items():
        function = functions()[name]
        texts = [known["description"], *(argument["description"] for argument in known["arguments"].values())]
        assert texts == [function.help(lang), *(argument.help(lang) for argument in function.arguments)]
        assert all(0 < len(text) <= 255 for text in texts), name


def test_every_rule_shows_what_python_gives(main: ModuleType) -> None:
    different = []
    for (name, cells), wanted, result in rule_calls():
        if wanted is None:
            with pytest.raises(officejs.XlwingsError, match=f"^{name}: "):
                officejs.call(main, name, cells)
            continue
        shown = officejs.call(main, name, cells)
        if not alike(shown, wanted) or not (isinstance(shown, dict) or alike(shown, result)):
            different.append(f"{name}{cells}: {shown!r}, Python {wanted!r}, rule {result!r}")
    assert not different


@pytest.mark.parametrize("name", functions())
def test_every_example_shows_what_python_gives(main: ModuleType, name: str) -> None:
    example = functions()[name].example
    shown = officejs.call(main, *sent(name, example))
    assert not isinstance(shown, dict) and alike(shown, expected(name, example)), shown


def test_errors_are_errors(main: ModuleType) -> None:
    """#VALUE! is raised, so that its message is seen beside the cell; others are returned as errors; none is a text."""
    with pytest.raises(officejs.XlwingsError, match=r"^CARD_TIER: cards_needed: found 'x', allowed a number"):
        officejs.call(main, *sent("CARD_TIER", ("x",)))
    assert officejs.call(main, *sent("GPU_SPEC", ("H300", "memory_gb"))) == {"type": "Error", "errorType": "NotAvailable"}
    assert officejs.call(main, *sent("CARD_TIER", (-1,))) == {"type": "Error", "errorType": "Num"}


@pytest.mark.parametrize("code", CELL_ERRORS)
def test_an_error_in_an_input_is_never_a_text(main: ModuleType, code: str) -> None:
    """xlwings knows seven errors of Excel; the others would arrive as text, so they are raised."""
    cells = [[[officejs.error(code)]], None]
    if code in officejs.ERROR_TYPES and code != "#VALUE!":
        assert officejs.call(main, "CARD_TIER", cells) == {"type": "Error", "errorType": officejs.ERROR_TYPES[code]}
    else:
        with pytest.raises(officejs.XlwingsError, match="CARD_TIER: cards_needed: the cell holds " + re.escape(code)):
            officejs.call(main, "CARD_TIER", cells)


def test_an_excel_without_data_types_gets_no_text_either(main: ModuleType) -> None:
    """There "#N/A" would be shown as a text, alone or within a table."""
    with pytest.raises(officejs.XlwingsError, match=r"^GPU_SPEC: gpu: .*H300"):
        officejs.call(main, *sent("GPU_SPEC", ("H300", "memory_gb")), runtime="1.3")
    rows = [["gpu", "price"], ["L20", 4.0], ["H20-96G", "#N/A"]]
    options = {"runtime": "1.3"}
    with pytest.raises(officejs.XlwingsError, match="the table holds #N/A"):
        main.Cells.write_value(rows, options)
    assert main.Cells.write_value(rows[:2], options) == rows[:2]
    assert main.Cells.write_value(rows, {"runtime": "1.4"}) == rows


def test_blank_and_left_out_mean_the_default(main: ModuleType) -> None:
    for left in (None, [[""]], [[None]]):
        assert officejs.call(main, "CARD_TIER", [[[2.67]], left]) == 4.0


def test_a_range_where_one_cell_belongs_is_refused(main: ModuleType) -> None:
    with pytest.raises(officejs.XlwingsError, match="2 x 1 cells"):
        officejs.call(main, "CARD_TIER", [[[2.67], [3.0]], None])
    assert officejs.call(main, "CARD_TIER", [[[2.67]], [[0.0], [2.0], [8.0]]]) == 8.0  # a table is one


def test_the_reason_of_an_error_is_a_text(main: ModuleType) -> None:
    shown = officejs.call(main, *sent("ERROR_REASON", ("CARD_TIER", "x")))
    assert shown.startswith("CARD_TIER: cards_needed: found 'x'")
    assert officejs.call(main, *sent("ERROR_REASON", ("CARD_TIER", 2.67))) == ""


def test_messages_go_to_the_output(main: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """xlwings Lite shows under Output what Python prints."""
    officejs.call(main, *sent("GPU_SPEC", ("H300", "memory_gb")))
    assert "GPU_SPEC: gpu: 'H300'" in capsys.readouterr().out


def test_what_is_pasted_is_short_and_asks_for_what_pyodide_has() -> None:
    assert (LITE / "requirements.txt").read_text(encoding="utf-8").split() == ["xlwings<1.0.0", "pandas", "pydantic"]
    assert len((LITE / "main.py").read_text(encoding="utf-8").splitlines()) < 90


@pytest.mark.parametrize("page", ["README.md", "README.zh.md"])
def test_the_page_names_the_wheel_of_this_version(page: str) -> None:
    assert f"gpusheet-{__version__}-py3-none-any.whl" in (LITE / page).read_text(encoding="utf-8")
