"""Every function gives what its rule gives, and for what is no argument the right error: never a number, never text."""

from __future__ import annotations

import logging
import math
from typing import Any

import pytest
from bad_cells import BLANKS, NO_NUMBERS, NUM, VALUE
from rule_cases import Case, cases
from values import missing, same

from gpusheet.errors import UnknownName
from gpusheet.registry import REQUIRED, all_rules
from gpusheet.xl.cells import CELL_ERRORS, CellError
from gpusheet.xl.functions import Function, find_function, functions

ALL = list(functions().values())
RULES = [function for function in ALL if function.rule]
NUMBERED = [f for f in ALL if any(a.kind == "number" for a in f.arguments)]
AS_WRITTEN = [case for case in cases() if case.sources == {p.name: p.name for p in case.rule.parameters}]

every_function = pytest.mark.parametrize("function", ALL, ids=lambda function: function.name)


def code(function: Function, *cells: Any) -> str:
    """The error of a call, which has to be one that cells know and to say of which function it is."""
    with pytest.raises(CellError) as caught:
        function(*cells)
    assert caught.value.code in CELL_ERRORS
    assert str(caught.value).startswith(f"{function.name}: ")
    assert "\n" not in str(caught.value)
    return caught.value.code


def test_there_is_a_function_for_every_rule() -> None:
    assert {f.rule.name for f in RULES if f.rule} == set(all_rules())
    assert {f.name for f in ALL} - {f.name for f in RULES} == {
        "GPU_SPEC", "MODEL_SPEC", "GPU_PRICE", "ESTIMATE", "PRICES", "COMPARE_GPUS", "ERROR_REASON",
        "KV_FOR_MODEL", "CARDS_FOR_SLO"}  # fmt: skip


@pytest.mark.parametrize("case", AS_WRITTEN, ids=lambda case: case.sheet)
def test_a_function_gives_what_its_rule_gives(case: Case) -> None:
    """On the random rows of the rule's own test; what is outside an argument's bounds is refused."""
    function = functions()[case.rule.name.upper()]
    results = 0
    for row in case.rows:
        cells = [row[case.sources[p.name]] for p in case.rule.parameters]
        outside = [a.name for a, cell in zip(function.arguments, cells, strict=True) if _refused(a, cell)]
        given = {p.name: cell for p, cell in zip(case.rule.parameters, cells, strict=True)
                 if p.default is REQUIRED or cell is not None}  # fmt: skip
        expected = case.rule(**given)
        if outside or missing(expected):
            assert code(function, *cells) in (VALUE, NUM)
            continue
        found = function(*cells)
        assert same(found, expected)
        assert type(found) is (str if case.rule.unit.symbol == "text" else float)
        assert same(function(*(int(c) if isinstance(c, float) and c.is_integer() else c for c in cells)), expected)
        assert same(function(*([[cell]] if not isinstance(cell, tuple) else cell for cell in cells)), expected)
        results += 1
    assert results >= 2


def _refused(argument: Any, cell: Any) -> bool:
    try:
        argument.read(cell)
    except CellError:
        return True
    return False


def test_every_rule_was_compared() -> None:
    assert {case.rule.name for case in AS_WRITTEN} == set(all_rules())


@every_function
def test_every_example_runs(function: Function) -> None:
    result = function(*function.example)
    if function.spills:
        assert isinstance(result, list) and len(result) > 1 and len({len(row) for row in result}) == 1
        assert all(cell is not None for row in result for cell in row)
    else:
        assert isinstance(result, float | str)


# --- bad arguments ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_what_is_no_number_gives_the_right_error_everywhere(kind: str) -> None:
    """In every argument of every function that takes a number."""
    cell, expected = NO_NUMBERS[kind]
    tried = 0
    for function in NUMBERED:
        cells = [*function.example, *[None] * (len(function.arguments) - len(function.example))]
        for position, argument in enumerate(function.arguments):
            if argument.kind == "number":
                assert code(function, *cells[:position], cell, *cells[position + 1 :]) == expected
                tried += 1
    assert tried > 200


@pytest.mark.parametrize("kind", BLANKS)
def test_a_blank_is_the_default_or_an_error(kind: str) -> None:
    for function in NUMBERED:
        cells = [*function.example, *[None] * (len(function.arguments) - len(function.example))]
        for position, argument in enumerate(function.arguments):
            given = [*cells[:position], BLANKS[kind], *cells[position + 1 :]]
            if argument.optional:
                assert same(function(*given), function(*cells[:position], None, *cells[position + 1 :]))
            elif argument.kind == "number":
                outcome = _outcome(function, given)
                assert outcome == VALUE or isinstance(outcome, float | str)


def _outcome(function: Function, cells: list[Any]) -> Any:
    """A result where the rule has one without the argument, else the code of the error."""
    try:
        return function(*cells)
    except CellError as error:
        return error.code


def test_blanks_that_a_rule_can_do_without_are_few() -> None:
    """Only where a typed value may stand in for a computed one, which the rule says with `either` or `if_given`."""
    without = set()
    for function in NUMBERED:
        cells = [*function.example, *[None] * (len(function.arguments) - len(function.example))]
        for position, argument in enumerate(function.arguments):
            if argument.kind == "number" and not argument.optional:
                outcome = _outcome(function, [*cells[:position], None, *cells[position + 1 :]])
                if outcome != VALUE:
                    without.add(f"{function.name} {argument.name}")
    spelled = {f.name for f in RULES if f.rule and any(
        word in f.rule.plain_expression.__repr__() for word in ("if_given", "choose", "pick", "whole_replicas"))}  # fmt: skip
    assert {one.split()[0] for one in without} <= spelled


def test_bounds_are_those_of_the_fields() -> None:
    functions_ = functions()
    assert code(functions_["KV_PER_REQUEST"], 32.5, 32, 128, 3072, 2) == NUM
    assert code(functions_["KV_PER_REQUEST"], 0, 32, 128, 3072, 2) == NUM
    assert code(functions_["CARD_TIER"], -1e-300) == NUM
    assert code(functions_["AVERAGE_QPS"], 80000, 0) == NUM
    assert code(functions_["AVERAGE_QPS"], 80000, 24.000001) == NUM
    assert code(functions_["DECODE_CONCURRENCY"], 8, 1e308, 1e-308, 20) == NUM  # too large a result
    assert functions_["AVERAGE_QPS"](86400, 24) == 1.0
    assert functions_["DECODE_CONCURRENCY"](8, 2039, 3.85, 20) == pytest.approx(211.84415584415584)


def test_tables_are_ascending_numbers() -> None:
    tier = functions()["CARD_TIER"]
    assert tier(2.67) == 4
    assert tier(2.67, [[0], [1], [3], [None], [6]]) == tier(2.67, (0, 1, 3, "", 6)) == tier(2.67, [[0, 1, 3, 6]]) == 3
    assert code(tier, 2.67, [["x"]]) == VALUE
    assert code(tier, 2.67, [[True]]) == VALUE
    assert code(tier, 2.67, [[4, 2, 1, 0]]) == NUM
    assert code(tier, 2.67, [[1, 2]]) == NUM
    assert code(tier, 2.67, [["0"], ["1"]]) == VALUE
    assert code(tier, 2.67, [[0], ["#REF!"]]) == "#REF!"


def test_texts_are_compared_as_spreadsheets_do() -> None:
    penalty = functions()["LINK_PENALTY"]
    assert penalty(8, " PCIe ", 0.4) == penalty(8, "pcie", 0.4) == 0.4
    for wrong in ("pcei", 8, True, "", None, [["a", "b"]]):
        assert code(penalty, 8, wrong, 0.4) == VALUE
    alert = functions()["OVERRIDE_ALERT"]
    assert (alert(1, None), alert(1, "load test"), alert(0, "")) == (1, 0, 0)  # a reason may be blank
    assert code(alert, 1, "#N/A") == "#N/A"


def test_too_many_and_too_few_arguments() -> None:
    assert code(functions()["CARD_TIER"], 1, None, 3) == VALUE
    assert code(functions()["CARD_TIER"]) == VALUE
    with pytest.raises(CellError, match=r"AVERAGE_QPS: no result while busy_hours \(hours\) is blank"):
        functions()["AVERAGE_QPS"](80000)


def test_messages_say_what_to_do() -> None:
    with pytest.raises(CellError, match=r"^CARD_TIER: cards_needed: found 'x', allowed a number at least 0 \(cards\)$"):
        functions()["CARD_TIER"]("x")
    with pytest.raises(CellError, match=r"^LINK_PENALTY: link: 'pcei' is not known; did you mean pcie\?$"):
        functions()["LINK_PENALTY"](8, "pcei", 0.4)
    with pytest.raises(CellError, match=r"^CARD_TIER: cards_needed: the cell holds #DIV/0!; mend it there$"):
        functions()["CARD_TIER"]("#DIV/0!")


# --- why --------------------------------------------------------------------------------------------------------------


def test_error_reason_tells_what_the_cell_cannot() -> None:
    reason = functions()["ERROR_REASON"]
    assert reason("GPU_SPEC", "H300", "memory_gb").startswith("GPU_SPEC: gpu: 'H300' is not known; did you mean ")
    assert reason(" card_tier ", "x") == "CARD_TIER: cards_needed: found 'x', allowed a number at least 0 (cards)"
    assert reason("CARD_TIER", 2.67) == reason("CARD_TIER", 2.67, None) == ""
    assert reason("CARD_TIER", "#REF!") == "CARD_TIER: cards_needed: the cell holds #REF!; mend it there"
    assert code(reason, "CARD_TEER", 1) == "#N/A"
    assert code(reason) == code(reason, None, 1) == VALUE
    assert code(reason, "#NAME?", 1) == "#NAME?"


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_error_reason_says_what_the_failing_function_says(kind: str) -> None:
    cell, _ = NO_NUMBERS[kind]
    with pytest.raises(CellError) as caught:
        functions()["AVERAGE_QPS"](cell, 10)
    assert functions()["ERROR_REASON"]("AVERAGE_QPS", cell, 10) == str(caught.value)


def test_errors_stand_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="gpusheet.xl"), pytest.raises(CellError):
        functions()["CARD_TIER"]("x")
    assert [record.getMessage() for record in caplog.records] == [functions()["ERROR_REASON"]("CARD_TIER", "x")]


def test_functions_are_found_by_name() -> None:
    assert find_function(" card_tier ").name == "CARD_TIER"
    with pytest.raises(UnknownName, match="CARD_TIER"):
        find_function("CARD_TIRE")


def test_a_number_that_is_missing_counts_as_blank() -> None:
    assert code(functions()["CARD_TIER"], math.nan) == VALUE
