"""The LAMBDA name of every rule gives in ironcalc what its function gives in Python, errors included.

Excel was not run. What engines do not share stands in `NOT_ALIKE` and is tested to be no more than that.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

import pytest
from ironcalc_sheet import OMITTED, WHOLE_COLUMN, Call, Written, calculate, cells_of
from openpyxl.formula.tokenizer import Token, Tokenizer
from openpyxl.utils import FORMULAE
from rule_cases import cases

from gpusheet import rules
from gpusheet.constants import NAMED, TIERS
from gpusheet.formula import MOST_CHARACTERS, MOST_NESTING
from gpusheet.registry import REQUIRED, Rule, all_rules
from gpusheet.wiring import TABLES
from gpusheet.xl import lambdas as module
from gpusheet.xl.cells import CELL_ERRORS, CellError
from gpusheet.xl.functions import functions
from gpusheet.xl.lambdas import MOST_ARGUMENTS, lambda_of, lambdas

every_rule = pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.name)

BAD: tuple[Any, ...] = (
    None, OMITTED, "", " ", "x", "12", "１２", "1,5", "2026-10-27", "TRUE", "PCIE", " nvlink ", "n*", "h?ur", "~",
    True, False, "#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NUM!", "#NAME?", "#NULL!",
    0, -1, 0.5, 1e-12, 1e300, -1e300, 1e15, 4090,
    [[None]], [["#N/A"]], [[2]], [[1], [2]], [[0, 1, 2]], [[0, 1], [2, 4]], [[0, "", None, 4]], [[0, "x"]],
    [[1, "#NUM!"]], [[None, None]], [[2, 1, 0]], WHOLE_COLUMN, Written("{0,3}", [[0, 3]]), Written('"pcie"', "pcie"),
    Written("1/0", "#DIV/0!"), Written("-2", -2),
)  # fmt: skip

# Spreadsheets raise 1 + rate to the number of periods, Python to its negative: what overflows there is 0 here.
NOT_ALIKE = {("BUY_NPV", argument, value) for argument, value in ((3, 1e300), (3, -1e300), (4, 1e300))}
NOT_ALIKE |= {("BUY_NPV", 3, 1e15), ("BUY_NPV", 4, 1e15), ("DISCOUNT_FACTOR", 0, -1)}
# A name asks for every number of its formula; the rule does without those of a branch that a typed value replaces.
STRICTER = {("DEFAULT_SHARE", place) for place in (1, 2, 3, 4)} | {("HOUR_CARDS", place) for place in (1, 2, 3)} | {("QUEUE_S", 2)}


def expected(call: Call) -> Any:
    try:
        return functions()[call[0]](*cells_of(call))
    except CellError as error:
        return error.code


def alike(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
    return type(ours) is type(theirs) and bool(ours == theirs)


def differences(calls: list[Call], shown: list[Any]) -> list[str]:
    pairs = ((call, expected(call), theirs) for call, theirs in zip(calls, shown, strict=True))
    return [f"{call}: {ours!r}, ironcalc {theirs!r}" for call, ours, theirs in pairs if not alike(ours, theirs)]


# --- results ----------------------------------------------------------------------------------------------------------


@cache
def random_calls() -> dict[str, list[Call]]:
    """Sixty random inputs of each rule, ties, zeros and missing ones among them, as 15 digits of a file hold them."""
    def cell(value: Any) -> Any:
        if value is TIERS:
            return [list(TIERS)]
        return float(f"{value:.15g}") if isinstance(value, float) else value

    plain = [case for case in cases() if case.sheet == case.rule.name]
    return {
        case.rule.name: [(case.rule.name.upper(), [cell(value) for value in row.values()]) for row in case.rows]
        for case in plain
    }


@cache
def random_results() -> dict[str, list[Any]]:
    calls = random_calls()
    shown = iter(calculate([call for found in calls.values() for call in found], lambdas()))
    return {name: [next(shown) for _ in found] for name, found in calls.items()}


@every_rule
def test_random_inputs_give_what_python_gives(rule: Rule) -> None:
    calls, shown = random_calls()[rule.name], random_results()[rule.name]
    assert differences(calls, shown) == []
    assert any(theirs not in CELL_ERRORS for theirs in shown), "not one result to compare"


def test_the_comparison_finds_a_wrong_formula() -> None:
    calls = random_calls()["kv_per_request"]
    spoilt = lambdas()["KV_PER_REQUEST"].replace("/1000000000", "/1073741824")
    assert spoilt != lambdas()["KV_PER_REQUEST"]
    assert len(differences(calls, calculate(calls, {"KV_PER_REQUEST": spoilt}))) > 30


@every_rule
def test_the_documented_example(rule: Rule) -> None:
    function = functions()[rule.name.upper()]
    call = (function.name, function.example)
    assert differences([call], calculate([call], {function.name: lambdas()[function.name]})) == []


# --- arguments --------------------------------------------------------------------------------------------------------


@cache
def bad_calls() -> dict[str, list[tuple[Call, int]]]:
    """Each rule with each bad argument in each place, the others as in its example; with the place."""
    found: dict[str, list[tuple[Call, int]]] = {}
    for rule in all_rules().values():
        function = functions()[rule.name.upper()]
        plain = [*function.example, *[None] * (len(function.arguments) - len(function.example))]
        found[rule.name] = [
            ((function.name, [*plain[:place], bad, *plain[place + 1 :]]), place)
            for place in range(len(plain)) for bad in BAD
            if len(plain) > 1 or bad is not OMITTED  # F() has no argument at all
        ]  # fmt: skip
    return found


@cache
def bad_results() -> dict[str, list[Any]]:
    calls = bad_calls()
    shown = iter(calculate([call for found in calls.values() for call, _ in found], lambdas()))
    return {name: [next(shown) for _ in found] for name, found in calls.items()}


@every_rule
def test_bad_arguments_are_the_right_errors(rule: Rule) -> None:
    found = []
    for (call, place), shown in zip(bad_calls()[rule.name], bad_results()[rule.name], strict=True):
        given = call[1][place]
        if isinstance(given, float | int) and (call[0], place, given) in NOT_ALIKE:
            assert shown == "#NUM!" and isinstance(expected(call), float), call
        elif (call[0], place) in STRICTER and isinstance(expected(call), float) and not alike(expected(call), shown):
            assert shown == "#VALUE!", call
        else:
            found += differences([call], [shown])
        assert shown in CELL_ERRORS or isinstance(shown, str) == (rule.unit.symbol == "text"), f"{call}: {shown!r}"
    assert found == []


def test_the_first_of_two_errors_shows() -> None:
    calls: list[Call] = [
        ("KV_PER_REQUEST", [-1, "x", "#N/A", 3072, 2]), ("KV_PER_REQUEST", ["x", -1, "#N/A", 3072, 2]),
        ("KV_PER_REQUEST", [32, None, "#N/A", -1, 2]), ("CARD_TIER", ["#REF!", [[3, 1]]]),
        ("CARD_TIER", [None, [[0, "#NULL!"]]]),
    ]  # fmt: skip
    shown = calculate(calls, lambdas())
    assert shown == ["#NUM!", "#VALUE!", "#N/A", "#REF!", "#NULL!"]
    assert differences(calls, shown) == []


def test_too_many_or_too_few_arguments() -> None:
    calls: list[Call] = [("REPLICAS", [16, 8, 1]), ("REPLICAS", [16]), ("REPLICAS", [])]
    assert calculate(calls, lambdas()) == ["#VALUE!"] * 3


@pytest.mark.parametrize("rule", [
    rule for rule in all_rules().values() if rule.parameters[-1].default is not REQUIRED
], ids=lambda rule: rule.name)  # fmt: skip
def test_left_out_blank_and_the_default_are_the_same(rule: Rule) -> None:
    function = functions()[rule.name.upper()]
    needed = [p for p in rule.parameters if p.default is REQUIRED]
    defaults = [[list(p.default)] if p.name in TABLES else p.default for p in rule.parameters[len(needed) :]]
    start = list(function.example[: len(needed)])
    ways: list[list[Any]] = [defaults, [], [None] * len(defaults), [OMITTED] * len(defaults), [""] * len(defaults)]
    calls: list[Call] = [(function.name, [*start, *way]) for way in ways]
    shown = calculate(calls, lambdas())
    assert isinstance(shown[0], float) and shown == shown[:1] * len(ways)
    assert differences(calls, shown) == []


# --- the formulas -----------------------------------------------------------------------------------------------------


def test_every_rule_has_its_name() -> None:
    assert list(lambdas()) == [name.upper() for name in all_rules()]


@every_rule
def test_limits_of_excel(rule: Rule) -> None:
    name, formula = rule.name.upper(), lambdas()[rule.name.upper()]
    depth = [formula[:end].count("(") - formula[:end].count(")") for end in range(len(formula) + 1)]
    assert len(formula) <= MOST_CHARACTERS and max(depth) <= MOST_NESTING and depth[-1] == 0
    assert len(rule.parameters) <= MOST_ARGUMENTS
    assert re.fullmatch(r"[A-Z_][A-Z0-9_]{0,254}", name) and not looks_like_a_cell(name)
    assert name not in FORMULAE, "a function of Excel is called like that"


def looks_like_a_cell(name: str) -> bool:
    """As A1 or R1C1 of any size, or as a row or column alone."""
    return bool(re.fullmatch(r"(?i)[A-Z]{1,3}[0-9]+|R[0-9]*(C[0-9]*)?|C[0-9]*|TRUE|FALSE", name))


@every_rule
def test_names_inside_a_formula_are_its_own(rule: Rule) -> None:
    """Declared once, used as declared, not to be taken for cells or for names that a workbook of ours has."""
    formula = lambdas()[rule.name.upper()]
    declared = re.match(r"_xlfn\.LAMBDA\(((?:_xl(?:pm|op)\.\w+,)+)", formula)
    assert declared is not None
    listed = declared[1].rstrip(",").split(",")
    optional = [one.startswith("_xlop.") for one in listed]
    assert optional == sorted(optional), "optional arguments come last"
    assert all(may for may, p in zip(optional, rule.parameters, strict=True) if p.default is not REQUIRED)
    own = [one.partition(".")[2] for one in listed]
    bound = own + re.findall(r"_xlpm\.(\w+)(?=,)", re.sub(r"\([^()]*\)", "", formula))
    used = set(re.findall(r"_xlpm\.(\w+)", formula))
    assert set(own) <= used <= set(bound) | {f"{p.name}_ok" for p in rule.parameters} | {"cells", "sizes"}
    assert len(set(own)) == len(own)
    names = {name.casefold() for name in (*lambdas(), *(one.name for one in NAMED), *TABLES)}
    assert not names & used and not [name for name in used if looks_like_a_cell(name)]
    assert "[" not in formula, "brackets around an optional parameter are how Excel shows it, not how a file has it"


@every_rule
def test_a_formula_stands_on_its_own(rule: Rule) -> None:
    """No name of a workbook, no cell; functions newer than the format with their prefix; literals of 15 digits."""
    known = {name for name in FORMULAE if "." not in name}
    for token in Tokenizer(f"={lambdas()[rule.name.upper()]}").items:
        if token.type == Token.FUNC and token.subtype == Token.OPEN:
            function = token.value.rstrip("(")
            assert function in known or function.startswith("_xlfn."), function
        if token.subtype == Token.RANGE:
            assert re.match(r"_xl(pm|op)\.", token.value), token.value
        if token.subtype == Token.NUMBER:
            assert len(token.value.partition("E")[0].replace(".", "").lstrip("0")) <= 15, token.value


def test_what_excel_would_not_take_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CHARACTERS", 400)
    with pytest.raises(TypeError, match=r"CARD_TIER: \d+ characters, at most 400; split the rule"):
        lambda_of(rules.card_tier)
