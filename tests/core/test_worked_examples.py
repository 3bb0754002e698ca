"""Every figure of the three articles against the rules: what holds, and what the rule gives where the article errs."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import gpusheet
from gpusheet import rules

COPY = Path(__file__).with_name("worked_examples.csv")
GIVEN = Path(__file__).parents[2].parent / "shared" / "spec" / "worked_examples.csv"
with COPY.open(encoding="utf-8", newline="") as file:
    EXAMPLES = {row["id"]: row for row in csv.DictReader(file)}
WITH_RULE = [name for name, row in EXAMPLES.items() if row["rule"] != "-"]

# figures that compare two results; the rules behind them give both
COMPARISONS: dict[str, Callable[..., Any]] = {
    "A13": lambda before, after, other: 1
    - rules.tokens_per_request(after, other) / rules.tokens_per_request(before, other),
    "C03": lambda context_from, context_to: rules.kv_per_request(64, 8, 128, context_to, 2)
    / rules.kv_per_request(64, 8, 128, context_from, 2),
    "C08": lambda a, b: rules.committed_monthly_cost(2, a / 2) / rules.committed_monthly_cost(1, b),
    # one line of the article, two rules
    "C12": lambda cards_before, cards_theory, cards_after: [
        rules.tier_saving(cards_before, cards_theory, cards_after),
        rules.theory_saving(cards_before, cards_theory),
    ],
}


def test_copy_is_the_file_given() -> None:
    if not GIVEN.exists():
        pytest.skip("the specification is not beside this checkout")
    assert COPY.read_bytes() == GIVEN.read_bytes()


@pytest.mark.parametrize("name", sorted({*WITH_RULE, *COMPARISONS}))
def test_rule_gives_the_exact_value(name: str) -> None:
    row = EXAMPLES[name]
    call = COMPARISONS.get(name) or gpusheet.find_rule(row["rule"])
    arguments = {key: numpy.array(v) if isinstance(v, list) else v for key, v in json.loads(row["args"]).items()}
    expected = json.loads(row["expected"])
    assert numpy.shape(call(**arguments)) == numpy.shape(expected)
    assert call(**arguments) == pytest.approx(expected, rel=1e-9, abs=0)


def test_nothing_is_left_out() -> None:
    """What has a value to expect is computed; what is left are remarks, each with its note or the rule it became."""
    remarks = set(EXAMPLES) - set(WITH_RULE) - set(COMPARISONS)
    assert all(not EXAMPLES[name]["expected"] and EXAMPLES[name]["note"] for name in remarks)
    assert all(EXAMPLES[name]["verdict"] in ("loose", "rule") for name in remarks)
    assert {row["rule"] for row in EXAMPLES.values()} - {"-"} <= set(gpusheet.all_rules())


@pytest.mark.parametrize("name", [name for name, row in EXAMPLES.items() if row["verdict"] == "erratum"])
def test_an_erratum_is_not_reproduced(name: str) -> None:
    stated = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", EXAMPLES[name]["stated"])]
    exact = numpy.atleast_1d(json.loads(EXAMPLES[name]["expected"]))
    assert stated and all(abs(number / one - 1) > 0.1 for number in stated for one in exact)
