"""Functions through xlwings' own calls, with arguments as Excel's arrive through COM: Python's values, or the right error.

pywin32 and Excel are stood in for (see windows.py); nothing here was run in Excel.
"""

from __future__ import annotations

import datetime
import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from rule_cases import Case, cases
from values import missing, same
from windows import ERRORS, MISSING, ComException, excel_range, xlwings_on_windows

from gpusheet.errors import GpusheetError
from gpusheet.registry import REQUIRED, all_rules
from gpusheet.xl.cells import CELL_ERRORS, CellError
from gpusheet.xl.classic.log import close_log, write_log
from gpusheet.xl.classic.vba import safe_name
from gpusheet.xl.functions import CATEGORY, functions

pytest.importorskip("xlwings")

MARKED = re.compile(r"(.*) \[\[(#[^\]]+)\]\]", re.DOTALL)
AS_WRITTEN = [case for case in cases() if case.sources == {p.name: p.name for p in case.rule.parameters}]

Call = Callable[..., Any]


@pytest.fixture(scope="module")
def udfs() -> Iterator[ModuleType]:
    with xlwings_on_windows() as module:
        yield module


@pytest.fixture(scope="module")
def call(udfs: ModuleType) -> Call:
    """A function as our VBA calls it; a failure is the error that VBA reads in its text."""
    from xlwings.com_server import XLPython

    server = XLPython()

    def called(name: str, *arguments: Any) -> Any:
        try:
            return server.CallUDF(udfs.__name__, name, arguments)
        except ComException as error:
            found = MARKED.fullmatch(str(error.description))
            assert found, error.description
            return CellError(found[2], found[1])

    return called


def com(value: Any) -> Any:
    """A value as COM hands it over: a list of cells is a column."""
    if not isinstance(value, list | tuple):
        return ERRORS.get(value, value) if isinstance(value, str) else value
    return tuple(tuple(map(com, row)) if isinstance(row, list | tuple) else (com(row),) for row in value)


# --- what is offered --------------------------------------------------------------------------------------------------


def test_every_function_is_offered_and_no_other(udfs: ModuleType) -> None:
    offered = {name: one.__xlfunc__ for name, one in vars(udfs).items() if hasattr(one, "__xlfunc__")}
    assert set(offered) == set(functions()) == set(udfs.FUNCTIONS)
    assert {rule.upper() for rule in all_rules()} < set(offered)
    for name, told in offered.items():
        function = functions()[name]
        assert (told["name"], told["category"]) == (name, CATEGORY) == (name, "GPU Sizing")
        assert told["ret"]["doc"] == function.help()
        assert [one["name"] for one in told["args"]] == [safe_name(one.name) for one in function.arguments]
        assert [one["doc"] for one in told["args"]] == [one.help() for one in function.arguments]
        assert [one["vararg"] for one in told["args"]] == [one.repeated for one in function.arguments]
        assert [("optional" in one) for one in told["args"] if not one["vararg"]] == [
            one.optional for one in function.arguments if not one.repeated
        ]
        assert not told["volatile"] and not told["async_mode"] and "expand" not in told["ret"]["options"]
    assert udfs.status().startswith("gpusheet ")


def run_apart(script: str) -> str:
    folder = Path(__file__).parents[2] / "udfs"
    paths = os.pathsep.join([str(folder), str(folder.parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", script], env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_module_loads_in_half_a_second() -> None:
    """In a fresh Python, with none of the heavy libraries; of the processor, as other work shares the machine."""
    script = """
import sys, time
begun = time.process_time()
import gpusheet_udfs
print(time.process_time() - begun, *(name for name in ("xlwings", "pandas", "numpy", "openpyxl") if name in sys.modules))
"""
    times, heavy = zip(*(run_apart(script).strip().partition(" ")[::2] for _ in range(3)), strict=True)
    assert set(heavy) == {""}
    assert min(map(float, times)) < 0.5


def test_without_xlwings_they_are_functions_of_cells() -> None:
    assert run_apart("import gpusheet_udfs as u; print(u.CARD_TIER(2.67), u.GPU_SPEC('L20', 'memory_gb'))").split() == ["4.0", "48.0"]


# --- the same as Python -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", AS_WRITTEN, ids=lambda case: case.sheet)
def test_a_function_gives_what_its_rule_gives(case: Case, call: Call) -> None:
    """On the random rows of the rule's own test: the rule's value, or the error that the function of cells raises."""
    name = case.rule.name.upper()
    computed = 0
    for row in case.rows:
        named = {p: row[case.sources[p.name]] for p in case.rule.parameters}
        given = list(named.values())
        # of an argument with a default, blank is that default
        expected = case.rule(**{p.name: one for p, one in named.items() if p.default is REQUIRED or one is not None})
        found = call(name, *map(com, given))
        if isinstance(found, CellError):
            with pytest.raises(CellError) as raised:
                functions()[name](*given)
            assert (raised.value.code, str(raised.value)) == (found.code, str(found))
            assert missing(expected) or found.code == "#NUM!"  # outside the bounds of an argument
        else:
            computed += 1
            assert same(found, expected), (given, found, expected)
            assert type(found) is (str if case.rule.unit.symbol == "text" else float)
    assert computed


def test_every_rule_was_compared() -> None:
    assert {case.rule.name for case in AS_WRITTEN} == set(all_rules())


@pytest.mark.parametrize("name", [name for name, one in functions().items() if one.rule is None])
def test_look_ups_and_tables_give_what_python_gives(name: str, call: Call) -> None:
    function = functions()[name]
    left_out = [MISSING] * sum(not one.repeated for one in function.arguments[len(function.example) :])
    found = call(name, *(MISSING if one is None else com(one) for one in function.example), *left_out)
    expected = function(*function.example)
    if not function.spills:
        assert found == expected
        return
    rows = [[_date(cell) for cell in row] for row in (found if isinstance(found[0], list | tuple) else [found])]
    assert rows == [list(row) for row in expected]
    assert not any(cell is None for row in found for cell in row)


def _date(cell: Any) -> Any:
    """COM knows no days: they go out as midnight, which Windows must not move."""
    if isinstance(cell, datetime.datetime):
        assert cell.tzinfo is datetime.UTC
        return cell.date()
    return cell


def test_left_out_and_blank_are_the_default(call: Call) -> None:
    full = call("DECODE_CONCURRENCY", 8.0, 2039.0, 3.85, 20.0, 1.0)
    assert full == pytest.approx(211.844, abs=1e-3)
    for blank in (MISSING, None, "", "  "):
        assert call("DECODE_CONCURRENCY", 8.0, 2039.0, 3.85, 20.0, blank) == full
    assert call("DECODE_CONCURRENCY", 8.0, 2039.0, 3.85, 20.0, 0.5) == full / 2


def test_ranges_come_as_values_or_as_objects(call: Call) -> None:
    """Our VBA hands values over; that of xlwings hands over the ranges themselves."""
    tiers = ((0.0,), (1.0,), (3.0,), (None,), (6.0,))
    for given in (tiers, excel_range(*tiers), ((0.0, 1.0, 3.0, None, 6.0),)):
        assert call("CARD_TIER", 2.67, given) == 3
    for given in (((2.67,),), excel_range((2.67,)), Decimal("2.67")):
        assert call("CARD_TIER", given) == 4


def test_a_table_of_the_workbook_is_followed(call: Call) -> None:
    header = ("gpu", "memory_gb", "bandwidth_gbs")
    table = (header, ("Ours", 123.0, ERRORS["#DIV/0!"]), (None, None, None))
    for given in (table, excel_range(*table)):
        assert call("GPU_SPEC", "ours", "memory_gb", given) == 123
        assert call("GPU_SPEC", "ours", "bandwidth_gbs", given).code == "#DIV/0!"
        assert call("GPU_SPEC", "L20", "memory_gb", given).code == "#N/A"


# --- bad arguments ----------------------------------------------------------------------------------------------------

DAY = datetime.datetime(2026, 10, 27, tzinfo=datetime.UTC)
COLUMN = tuple((float(one),) for one in range(5000))
BAD = [
    (None, "#VALUE!"), ("", "#VALUE!"), (" ", "#VALUE!"), (MISSING, "#VALUE!"), ("abc", "#VALUE!"), ("32", "#VALUE!"),
    ("2,67", "#VALUE!"), ("３２", "#VALUE!"), (True, "#VALUE!"), (False, "#VALUE!"), (DAY, "#VALUE!"), ("#hash", "#VALUE!"),
    (((1.0, 2.0),), "#VALUE!"), (((1.0,), (2.0,)), "#VALUE!"), (COLUMN, "#VALUE!"), (((None,),), "#VALUE!"),
    (excel_range((1.0, 2.0)), "#VALUE!"), (excel_range(*COLUMN), "#VALUE!"), (excel_range((ERRORS["#N/A"],)), "#N/A"),
    (((ERRORS["#REF!"],),), "#REF!"), ((("x",),), "#VALUE!"), (-1.0, "#NUM!"), (0.0, "#NUM!"), (-1e300, "#NUM!"),
    (1e308, "#NUM!"), (float("inf"), "#NUM!"), (2.5, "#NUM!"), *((number, text) for text, number in ERRORS.items()),
]  # fmt: skip


@pytest.mark.parametrize(("value", "code"), BAD, ids=[f"{number}-{code}" for number, (_, code) in enumerate(BAD)])
def test_a_bad_argument_is_the_right_error(value: Any, code: str, call: Call) -> None:
    found = call("KV_PER_REQUEST", value, 32.0, 128.0, 3072.0, 2.0)
    assert isinstance(found, CellError)
    assert found.code == code, str(found)
    assert str(found).startswith("KV_PER_REQUEST: ") and "\n" not in str(found)


@pytest.mark.parametrize(("name", "arguments", "code"), [
    ("GPU_SPEC", ("H300", "memory_gb"), "#N/A"), ("GPU_SPEC", ("L20", "memory"), "#N/A"), ("GPU_SPEC", ("L20", None), "#VALUE!"),
    ("MODEL_SPEC", ("Qwen9", "layers"), "#N/A"), ("GPU_SPEC", ("L20", "memory_gb", 5.0), "#VALUE!"),
    ("LINK_PENALTY", (8.0, "pcei", 0.4), "#VALUE!"), ("AVERAGE_QPS", (80000.0, 0.0), "#NUM!"),
    ("ESTIMATE", (None,), "#VALUE!"), ("ESTIMATE", ("x",), "#VALUE!"), ("ERROR_REASON", ("NO_SUCH",), "#N/A"),
    ("CARD_TIER", (2.67, (("x",),)), "#VALUE!"), ("CARD_TIER", (2.67, ((ERRORS["#N/A"],),)), "#N/A"),
])  # fmt: skip
def test_unknown_names_and_bad_tables(name: str, arguments: tuple[Any, ...], code: str, call: Call) -> None:
    found = call(name, *arguments)
    assert isinstance(found, CellError)
    assert found.code == code, str(found)


@pytest.mark.parametrize("text", CELL_ERRORS)
def test_an_error_passes_through_every_kind_of_argument(text: str, call: Call) -> None:
    number = ERRORS.get(text)
    if number is None:
        return
    assert call("CARD_TIER", number).code == text
    assert call("GPU_SPEC", number, "memory_gb").code == text
    assert call("CARD_TIER", 2.67, ((0.0,), (number,))).code == text
    assert call("ERROR_REASON", "CARD_TIER", number).startswith("CARD_TIER: cards_needed: ")


def test_the_reason_is_the_message(call: Call) -> None:
    found = call("GPU_SPEC", "H300", "memory_gb")
    assert call("ERROR_REASON", "GPU_SPEC", "H300", "memory_gb") == str(found)
    assert "did you mean" in str(found)
    assert call("ERROR_REASON", "CARD_TIER", 2.67) == ""


# --- failures ---------------------------------------------------------------------------------------------------------


def test_without_pywin32s_exception_the_text_still_ends_with_the_error(
    udfs: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then VBA is given a traceback, which ends with the text."""
    monkeypatch.setattr(udfs, "COMException", None)
    with pytest.raises(GpusheetError, match=r"^CARD_TIER: .*\[\[#VALUE!\]\]$"):
        udfs.CARD_TIER("x")


def test_our_own_mistakes_are_errors_too(
    udfs: ModuleType, call: Call, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """They have their traceback in the log, and the cell shows an error."""

    def broken(*_: Any) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setitem(vars(functions()["CARD_TIER"]), "body", broken)
    found = call("CARD_TIER", 2.67)
    assert (found.code, str(found)) == ("#VALUE!", "CARD_TIER: ZeroDivisionError('ours')")
    assert "Traceback" in caplog.text


def test_every_message_stands_in_the_log(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "Logs" / "functions.log"
    write_log(file)
    try:
        found = call("GPU_SPEC", "H300", "memory_gb")
        assert call("CARD_TIER", 2.67) == 4
    finally:
        close_log()
    (line,) = file.read_text(encoding="utf-8").splitlines()
    assert line.endswith(str(found))


def test_a_full_log_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the old one cannot be put aside, because another Excel writes to it."""
    monkeypatch.setattr("gpusheet.xl.classic.log.LARGEST", 200)
    file = tmp_path / "functions.log"
    logger = logging.getLogger("gpusheet.xl")
    write_log(file)
    try:
        for number in range(9):
            logger.warning("message %d", number)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["functions.log", "functions.log.1"]
        size = file.stat().st_size
        monkeypatch.setattr("os.rename", _refused)
        for number in range(9, 20):
            logger.warning("message %d", number)
    finally:
        close_log()
    assert "message 19" in file.read_text(encoding="utf-8") and file.stat().st_size > size + 200


def _refused(*_: Any) -> None:
    raise PermissionError("another program has it open")


def test_no_log_where_none_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "Logs").write_text("a file is in the way", encoding="utf-8")
    write_log(tmp_path / "Logs" / "functions.log")
    assert not any(type(one).__name__ == "_Handler" for one in logging.getLogger("gpusheet.xl").handlers)
