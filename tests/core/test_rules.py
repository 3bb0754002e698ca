"""The registry is closed under tests: a new rule is tested by existing.

Every rule has its documents and its example, and one value in four ways: called with numbers, called with columns,
as a formula that formualizer calculates, and as one that LibreOffice calculates.
"""

from __future__ import annotations

import doctest
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import libreoffice
import numpy
import pandas
import pytest
from rule_cases import Case, book_of, cases, differences
from values import missing, same

from gpusheet.errors import GpusheetError
from gpusheet.registry import REQUIRED, Rule, all_rules
from gpusheet.units import all_units
from gpusheet.wiring import TABLES, facts, quantities
from gpusheet.workbook.evaluate import evaluate

RULES = list(all_rules().values())
LINES = [rule for rule in RULES if rule.line]

every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
every_case = pytest.mark.parametrize("case", cases(), ids=lambda case: case.sheet)


@every_rule
def test_example_runs(rule: Rule) -> None:
    names = {"__name__": rule.function.__module__, **all_rules(), "math": __import__("math")}
    examples = doctest.DocTestParser().get_doctest(rule.doc, names, rule.name, None, None)
    assert any(re.search(rf"\b{rule.name}\(", one.source) for one in examples.examples), "no example calls the rule"
    said: list[str] = []
    outcome = doctest.DocTestRunner(verbose=False).run(examples, out=said.append)
    assert outcome.failed == 0, "".join(said)


@every_rule
def test_documents_are_complete(rule: Rule) -> None:
    assert len(rule.summary) > 10 and rule.summary.rstrip().endswith("."), "the docstring begins with a sentence"
    assert rule.unit in all_units().values()
    assert rule.en.isascii() and rule.en.strip() and rule.zh.strip() and rule.source.strip()
    assert rule.zh != rule.en
    assert re.fullmatch(r"[a-z][a-z0-9_]*", rule.name)


@every_rule
def test_parameters_are_known(rule: Rule) -> None:
    for parameter in rule.parameters:
        assert parameter.unit in all_units().values()
        if not rule.line:
            continue
        if parameter.wired_to is None:
            assert parameter.default is not REQUIRED, f"{parameter.name} has neither a quantity nor a default"
        else:
            assert parameter.wired_to in quantities()
            same_kind = quantities()[parameter.wired_to].is_text == (parameter.unit.symbol == "text")
            assert same_kind, f"{parameter.name} and {parameter.wired_to} are text and number"


@pytest.mark.parametrize("rule", LINES, ids=lambda rule: rule.name)
def test_unit_is_that_of_what_is_passed(rule: Rule) -> None:
    """A quantity keeps its unit from rule to rule; what differs only says the same more exactly."""
    for parameter in rule.parameters:
        if parameter.wired_to is None or parameter.unit.symbol == "text":
            continue
        passed, asked = (unit.symbol.split("/")[0] for unit in (quantities()[parameter.wired_to].unit, parameter.unit))
        kinds = {"%", "ratio", "number", "0/1"}
        assert passed == asked or {passed, asked} <= kinds or "number" in (passed, asked), (
            f"{rule.name} takes {parameter.name} in {parameter.unit.symbol}, {parameter.wired_to} is in "
            f"{quantities()[parameter.wired_to].unit.symbol}"
        )


@every_rule
def test_wrong_arguments_are_answered_with_the_right_ones(rule: Rule) -> None:
    with pytest.raises(GpusheetError, match=f"{rule.name}: .*its arguments are {rule.parameters[0].name}"):
        rule(no_such_argument=1)


@every_case
def test_columns_give_what_numbers_give(case: Case) -> None:
    columns = case.columns()
    found = case.rule(**columns)
    assert len(found) == len(case.rows)
    assert [pair for pair in zip(found.tolist(), case.results, strict=True) if not same(*pair)] == []
    index = pandas.Index([f"w{n}" for n in range(len(case.rows))])
    series = {
        name: value if case.sources[name] in TABLES else pandas.Series(value, index=index)
        for name, value in columns.items()
    }
    as_pandas = case.rule(**series)
    assert list(as_pandas.index) == list(index)
    assert as_pandas.equals(pandas.Series(found, index=index))


@every_case
def test_inputs_keep_what_is_known_of_the_result(case: Case) -> None:
    """Sign and nullability, by which the sheet leaves guards out, hold for the rule's own values."""
    if case.facts is not facts():
        return
    known = facts()[case.rule.name]
    numbers = [value for value in case.results if not isinstance(value, str) and not missing(value)]
    if known.sign != "any":
        assert all(value > 0 if known.sign == "positive" else value >= 0 for value in numbers)
    if not known.nullable:
        assert len(numbers) == len(case.results) or not known.number


def _by_formualizer(book: Any, folder: Path) -> Callable[[str, str], Any]:
    return evaluate(book).at


def _by_libreoffice(book: Any, folder: Path) -> Callable[[str, str], Any]:
    book.save(folder / "rules.xlsx")
    calculated = libreoffice.recalculate(folder / "rules.xlsx")
    return lambda sheet, address: calculated[sheet][address].value


engines = pytest.mark.parametrize("engine", [_by_formualizer, _by_libreoffice], ids=["formualizer", "libreoffice"])


@engines
def test_formulas_give_what_rules_give(engine: Callable[..., Callable[[str, str], Any]], tmp_path: Path) -> None:
    found = differences(cases(), engine(book_of(cases()), tmp_path))
    assert not found, f"{len(found)} cells differ\n" + "\n".join(found[:20])


@engines
def test_a_formula_that_is_off_is_found(engine: Callable[..., Callable[[str, str], Any]], tmp_path: Path) -> None:
    """Off by 3e-9 of the value in one sheet of a few: the comparison names that sheet and no other."""
    chosen = tuple(case for case in cases() if case.rule.subject == "demand" and case.rule.unit.symbol != "text")
    spoiled = chosen[len(chosen) // 2]

    def change(case: Case, formula: str) -> str:
        return f"=IFERROR(1.000000003*({formula[1:]}),\"\")" if case is spoiled else formula

    found = differences(chosen, engine(book_of(chosen, change), tmp_path))
    assert found and all(line.startswith(f"{spoiled.sheet}!") for line in found)


def test_inputs_reach_ties_zeros_and_missing() -> None:
    """The random rows are worth something: they hold exact ties, zeros, missing numbers and negative ones."""
    numbers = [v for case in cases() for row in case.rows for v in row.values() if v is None or isinstance(v, float)]
    for one in (None, 0.0, 0.1 * 3, 0.1 * 3 * 10):
        assert numbers.count(one) > 50
    assert sum(value is not None and value < 0 for value in numbers) > 50
    results = [value for case in cases() for value in case.results]
    assert 0.02 < numpy.mean([missing(value) for value in results]) < 0.5
