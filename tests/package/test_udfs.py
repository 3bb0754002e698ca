"""Every rule is an Excel function: as the rule computes, with what cells hold, and never text for a number."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import gpusheet_udfs
import pytest
from gpusheet_udfs import CATEGORY, CELL_ERRORS, FUNCTIONS, LONGEST_HELP, argument_help, excel_function
from rule_cases import Case, cases
from values import missing, same

from gpusheet.errors import GpusheetError
from gpusheet.registry import REQUIRED, Rule, all_rules

RULES = list(all_rules().values())
CELL = re.compile(r"[A-Za-z]{1,3}[0-9]+|[Rr][0-9]*[Cc][0-9]*")
VBA_WORDS = re.compile(
    "and|as|base|binary|boolean|byref|byte|byval|call|case|compare|const|currency|date|decimal|declare|dim|do|double|"
    "each|else|elseif|empty|end|enum|eqv|erase|error|event|exit|explicit|false|for|friend|function|get|gosub|goto|if|"
    "imp|implements|in|integer|is|let|lib|like|line|long|loop|lset|me|mod|module|name|new|next|not|nothing|null|"
    "object|on|option|optional|or|output|paramarray|preserve|print|private|property|public|put|raiseevent|random|read|"
    "redim|rem|resume|return|rset|seek|select|set|single|spc|static|step|stop|string|sub|tab|text|then|time|to|true|"
    "type|typeof|until|variant|wend|while|with|withevents|write|xor|caller"
)

every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
as_written = [case for case in cases() if case.sources == {p.name: p.name for p in case.rule.parameters}]


def test_there_is_a_function_for_every_rule_and_no_other() -> None:
    assert set(FUNCTIONS) == {rule.name.upper() for rule in RULES}
    assert all(getattr(gpusheet_udfs, name) is function for name, function in FUNCTIONS.items())
    assert CATEGORY == "GPU Sizing"


def _first_number(rule: Rule) -> str:
    """The first parameter that takes one number, blank where there is none."""
    numbers = (p.name for p in rule.parameters if p.unit.symbol != "text" and not isinstance(p.default, tuple))
    return next(numbers, "")


@pytest.mark.parametrize("case", as_written, ids=lambda case: case.sheet)
def test_a_function_gives_what_its_rule_gives(case: Case) -> None:
    """On the random rows of the rule's own test; where the rule has no result the function raises."""
    function = excel_function(case.rule)
    results = []
    for row in case.rows:
        given = {p.name: row[case.sources[p.name]] for p in case.rule.parameters}
        typed = {p.name: given[p.name] for p in case.rule.parameters if p.default is REQUIRED or given[p.name] is not None}
        results.append(case.rule(**typed))
        if missing(results[-1]):
            with pytest.raises(GpusheetError, match=rf"^{case.rule.name.upper()}: no result"):
                function(*given.values())
        else:
            found = function(*given.values())
            assert same(found, results[-1])
            assert type(found) is (str if case.rule.unit.symbol == "text" else float)
    assert not all(missing(result) for result in results)


def test_every_rule_was_compared() -> None:
    assert {case.rule.name for case in as_written} == {rule.name for rule in RULES}


# --- what a cell may hold ---------------------------------------------------------------------------------------------

NO_NUMBERS = ("abc", "2,67", "２", True, False, datetime(2026, 1, 1), [[1.0, 2.0]], (1.0, 2.0), *CELL_ERRORS)


@pytest.mark.parametrize("rule", [r for r in RULES if _first_number(r)], ids=lambda rule: rule.name)
def test_what_is_no_number_is_refused(rule: Rule) -> None:
    first = _first_number(rule)
    given: dict[str, Any] = {p.name: None if p.unit.symbol != "text" else _some_text(p.name) for p in rule.parameters}
    for value in NO_NUMBERS:
        told = f"the cell holds {re.escape(value)}" if value in CELL_ERRORS else r"found .*, allowed a number \("
        with pytest.raises(GpusheetError, match=f"^{rule.name.upper()}: {first}: {told}"):
            excel_function(rule)(**given | {first: value})


def _some_text(name: str) -> str:
    return {"length_basis": "mean", "sizing_method": "segment", "link": "pcie", "usage": "production",
            "price_period": "hour", "price_tax": "unstated", "price_available": "no"}.get(name, "high")  # fmt: skip


def test_blank_and_omitted_are_the_default() -> None:
    decode = FUNCTIONS["DECODE_CONCURRENCY"]
    assert decode(8, 2039, 3.85, 20) == pytest.approx(211.844, abs=1e-3)
    assert decode(8, 2039, 3.85, 20, None) == decode(8, 2039, 3.85, 20, " ") == decode(8, 2039, 3.85, 20)
    assert decode(8, 2039, 3.85, 20, 0.5) == decode(8, 2039, 3.85, 20) / 2
    assert decode(cards=8, bandwidth_gbs=2039, tokens_per_s=20, **_third(decode, 3.85)) == decode(8, 2039, 3.85, 20)


def _third(function: Any, value: float) -> dict[str, float]:
    return {list(function.__signature__.parameters)[2]: value}


def test_a_range_is_taken_where_a_table_belongs() -> None:
    tier = FUNCTIONS["CARD_TIER"]
    assert tier(2.67) == 4
    assert tier(2.67, [[0], [1], [3], [None], [6]]) == tier(2.67, (0, 1, 3, "", 6)) == 3
    with pytest.raises(GpusheetError, match=r"^CARD_TIER: .*found 'x', allowed a number"):
        tier(2.67, [["x"]])


def test_texts_are_compared_as_spreadsheets_do() -> None:
    penalty = FUNCTIONS["LINK_PENALTY"]
    assert penalty(8, " PCIe ", 0.4) == penalty(8, "pcie", 0.4) == 0.4
    with pytest.raises(GpusheetError, match=r"^LINK_PENALTY: link: 'pcei' is not known; did you mean pcie"):
        penalty(8, "pcei", 0.4)
    with pytest.raises(GpusheetError, match=r"^LINK_PENALTY: link: found 8, allowed a text"):
        penalty(8, 8, 0.4)
    with pytest.raises(GpusheetError, match=r"^LINK_PENALTY: link: blank, allowed one of nvlink"):
        penalty(8, "", 0.4)
    alert = FUNCTIONS["OVERRIDE_ALERT"]
    assert (alert(1, None), alert(1, "load test"), alert(0, "")) == (1, 0, 0)  # a reason may be blank
    with pytest.raises(GpusheetError, match=r"^OVERRIDE_ALERT: override_reason: the cell holds #N/A"):
        alert(1, "#N/A")


def test_no_result_is_an_error_that_says_why() -> None:
    with pytest.raises(GpusheetError, match=r"^CARD_TIER: no result while \w+ \(cards\) is blank"):
        FUNCTIONS["CARD_TIER"](None)
    with pytest.raises(GpusheetError, match=r"^AVERAGE_QPS: no result for these arguments; look for one that is 0"):
        FUNCTIONS["AVERAGE_QPS"](80000, 0)
    with pytest.raises(GpusheetError, match=r"^AVERAGE_QPS: missing a required argument.*requests_per_day, busy_hours"):
        FUNCTIONS["AVERAGE_QPS"](80000)
    with pytest.raises(GpusheetError, match=r"^CARD_TIER: no result"):
        FUNCTIONS["CARD_TIER"](math.nan)


# --- what Excel and VBA allow -----------------------------------------------------------------------------------------


@every_rule
def test_names_and_help_keep_to_the_limits(rule: Rule) -> None:
    function: Any = FUNCTIONS[rule.name.upper()]
    assert function.__name__ == rule.name.upper()
    assert 0 < len(function.__doc__) <= LONGEST_HELP
    assert not CELL.fullmatch(rule.name) and not VBA_WORDS.fullmatch(rule.name)
    for parameter in rule.parameters:
        assert not CELL.fullmatch(parameter.name) and not VBA_WORDS.fullmatch(parameter.name)
        assert 0 < len(argument_help(parameter)) <= LONGEST_HELP
        assert parameter.default is REQUIRED or "; blank: " in argument_help(parameter)
    assert len(rule.parameters) <= 60
    assert len(", ".join(function.__signature__.parameters)) <= 254


def run_apart(script: str, *arguments: str) -> str:
    """What a script prints in a Python of its own that finds the functions' module."""
    paths = os.pathsep.join([str(Path(gpusheet_udfs.__file__).parent), *sys.path])
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_module_works_without_xlwings() -> None:
    script = "import sys; sys.modules['xlwings'] = None; import gpusheet_udfs as u; print(u.CARD_TIER(2.67), u.xlwings)"
    assert run_apart(script).split() == ["4.0", "None"]


XLWINGS_ON_WINDOWS = """
import sys, types
from unittest.mock import MagicMock
for name in ("pythoncom", "pywintypes", "win32com", "win32com.client"):
    sys.modules[name] = MagicMock()
import xlwings, xlwings.udfs as real
xlwings.func, xlwings.arg = real.xlfunc, real.xlarg
import gpusheet_udfs
with open(sys.argv[1], "w") as file:
    real.generate_vba_wrapper("gpusheet_udfs", gpusheet_udfs, file, types.SimpleNamespace(Name="book.xlsm"))
found = [f.__xlfunc__ for f in gpusheet_udfs.FUNCTIONS.values()]
print({one["category"] for one in found}, {a["options"]["err_to_str"] for one in found for a in one["args"]})
print(gpusheet_udfs.CARD_TIER.__xlfunc__["args"][1]["doc"], gpusheet_udfs.CARD_TIER(2.67))
"""


def test_xlwings_own_code_takes_every_function(tmp_path: Path) -> None:
    """The decorators and the VBA writer of xlwings for Windows, with pywin32 stubbed; not run in Excel."""
    pytest.importorskip("xlwings")
    vba = tmp_path / "functions.bas"
    said = run_apart(XLWINGS_ON_WINDOWS, str(vba)).splitlines()
    assert said == ["{'GPU Sizing'} {True}", "Cards (cards); blank: 0, 1, 2, 4, 8 4.0"]
    written = re.findall(r"^Function (\w+)\((.*)\)$", vba.read_text(), re.MULTILINE)
    assert {name: re.sub("Optional ", "", arguments).split(", ") for name, arguments in written} == {
        rule.name.upper(): [p.name for p in rule.parameters] for rule in RULES
    }
    assert dict(written)["CARD_TIER"] == "cards_needed, Optional tiers"
