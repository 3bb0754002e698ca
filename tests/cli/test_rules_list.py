"""`gpusheet rules`: every rule in the list, and one in full."""

from __future__ import annotations

import pytest
from commands import refused, run

from gpusheet.cli.rules import formula
from gpusheet.registry import all_rules


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_list_has_every_rule(lang: str) -> None:
    ended = run("rules", "--lang", lang)
    assert ended.status == 0
    lines = ended.out.splitlines()
    for rule in all_rules().values():
        assert [line for line in lines if line.split()[:1] == [rule.name] and line.rstrip().endswith(formula(rule))
                and rule.label(lang) in line and rule.unit.label(lang) in line], rule.name  # fmt: skip


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", all_rules())
def test_one_rule_in_full(name: str, lang: str) -> None:
    rule = all_rules()[name]
    out = run("rules", name.upper(), "--lang", lang).out
    for text in (rule.name, rule.label(lang), rule.source, rule.unit.label(lang), formula(rule), f"={name.upper()}("):
        assert text in out
    assert all(parameter.name in out and parameter.unit.label(lang) in out for parameter in rule.parameters)
    assert f">>> {rule.doc.partition('>>> ')[2].splitlines()[0]}" in out


def test_what_stands_for_an_argument_is_shown() -> None:
    lines = run("rules", "decode_concurrency").out.splitlines()
    rows = {line.split()[0]: line.split()[-1] for line in lines if line}
    assert rows["weights_gb"] == "weights_read_gb" and rows["link_penalty"] == "1"
    assert "0,1,2,4,8" in run("rules", "card_tier").out
    assert "most: 60%" in run("rules", "prefill_utilisation").out


def test_an_unknown_rule_is_answered() -> None:
    refused(run("rules", "decode_concurency"), "rule: 'decode_concurency' is not known; did you mean "
            "decode_concurrency, memory_concurrency, peak_concurrency?")
