"""The package as a person meets it: names, examples, errors, units, and what the registry refuses."""

from __future__ import annotations

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import gpusheet
from gpusheet.errors import UnknownName, nearest
from gpusheet.registry import rule
from gpusheet.units import GB, Share, Text, Unit, all_units, unit_of

MODULES = sorted(module.name for module in walk_packages(gpusheet.__path__, "gpusheet."))


@pytest.mark.parametrize("name", ["gpusheet", *MODULES])
def test_examples_run(name: str) -> None:
    said: list[str] = []
    module = import_module(name)
    for examples in doctest.DocTestFinder().find(module, name):
        doctest.DocTestRunner(verbose=False).run(examples, out=said.append)
    assert not said, "".join(said)


def test_public_names() -> None:
    assert set(dir(gpusheet)) == set(gpusheet.__all__)
    for name in gpusheet.__all__:
        assert getattr(gpusheet, name) is not None
    assert set(dir(gpusheet.rules)) == set(gpusheet.all_rules())
    with pytest.raises(AttributeError, match="no attribute 'sovle'"):
        gpusheet.sovle  # noqa: B018
    with pytest.raises(AttributeError, match="did you mean card_tier"):
        gpusheet.rules.card_teir  # noqa: B018


def test_rules_are_found_in_capitals_as_in_excel() -> None:
    assert gpusheet.find_rule("CARD_TIER") is gpusheet.find_rule(" card_tier ") is gpusheet.rules.card_tier
    with pytest.raises(UnknownName, match="rule: 'kv_per_reqest' is not known; did you mean kv_per_request"):
        gpusheet.find_rule("kv_per_reqest")


def test_rules_take_arguments_by_place_and_by_name() -> None:
    assert gpusheet.rules.decode_concurrency(8, 2039, 3.85, 20) == pytest.approx(211.844, abs=1e-3)
    assert gpusheet.rules.decode_concurrency(8, 2039, weights_gb=3.85, tokens_per_s=20, link_penalty=0.3) < 64
    with pytest.raises(gpusheet.GpusheetError, match="average_qps: missing a required argument: 'busy_hours'"):
        gpusheet.rules.average_qps(80000)


def test_nearest_names() -> None:
    assert nearest("H20", ["H200-141G-SXM", "H20-96G", "L20"])[0] == "H20-96G"
    assert nearest("xyzzy", ["H20-96G"]) == []
    assert str(UnknownName("gpu", "xyzzy", ["b", "a"])) == "gpu: 'xyzzy' is not known; allowed: a, b"


# --- the registry ---------------------------------------------------------------------------------------------------


def test_a_parameter_without_a_unit_is_refused() -> None:
    with pytest.raises(TypeError, match="carries no unit: annotate with one of"):

        @rule(en="x", zh="x", source="x")
        def bare(memory: float) -> GB:
            return memory


def test_wiring_of_what_a_rule_does_not_take_is_refused() -> None:
    with pytest.raises(TypeError, match="rule mistaken wires cards, which it does not take"):

        @rule(en="x", zh="x", source="x", wiring={"cards": "net_cards"})
        def mistaken(memory_gb: GB) -> GB:
            return memory_gb


def test_two_rules_of_one_name_are_refused() -> None:
    with pytest.raises(TypeError, match=r"rule card_tier is defined in gpusheet\.rules\.cards already"):

        @rule(en="x", zh="x", source="x")
        def card_tier(memory_gb: GB) -> GB:
            return memory_gb


# --- units ----------------------------------------------------------------------------------------------------------


def test_units_are_shown_in_both_languages() -> None:
    tokens = all_units()["TokensPerSecond"]
    assert (tokens.show(1800), tokens.show(1800, "zh")) == ("1,800 tokens/s", "1,800 token/秒")
    assert (tokens.show(None), tokens.show(float("nan"), "zh")) == ("missing", "缺失")
    assert unit_of(Share).show(0.7291666) == "72.92%"
    assert (unit_of(Text).show("pcie"), unit_of(Text).show("")) == ("pcie", "-")


def test_one_alias_one_meaning() -> None:
    """Aliases of one symbol differ in their number format only: a symbol has one Chinese word."""
    words: dict[str, set[str]] = {}
    for unit in all_units().values():
        assert unit.symbol.isascii() and unit.zh and unit.number_format
        words.setdefault(unit.symbol, set()).add(unit.zh)
    assert all(len(chinese) == 1 for chinese in words.values())
    assert Unit("GB", "GB").label("zh") == "GB"
