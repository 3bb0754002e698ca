"""The solver: one case and many give the same, typed values replace rules, missing is missing, errors say where."""

from __future__ import annotations

import math
from typing import Any

import numpy
import pandas
import pytest
from values import same

import gpusheet
from gpusheet.catalog import Assumptions, Catalog, columns
from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.solver import BLOCK, solve, why
from gpusheet.wiring import facts, order, quantities

# --- the wiring -----------------------------------------------------------------------------------------------------


def test_every_line_is_solved_and_no_other_rule() -> None:
    lines = {name for name, rule in gpusheet.all_rules().items() if rule.line}
    assert {rule.name for rule in order()} == lines
    assert {name for name, quantity in quantities().items() if quantity.rule} == lines
    assert set(solve({})) == set(quantities()) == set(facts())


def test_order_has_what_it_needs() -> None:
    done: set[str] = set()
    for rule in order():
        needed = {need for need in rule.needs.values() if quantities()[need].rule is not None}
        assert needed <= done, rule.name
        done.add(rule.name)


def test_assumptions_are_the_defaults() -> None:
    solved = solve({})
    checked = 0
    for column in columns(Assumptions):
        if column.name in quantities() and quantities()[column.name].rule is None:
            expected = column.default if column.default is not None else math.nan
            assert same(solved[column.name], expected), column.name
            checked += 1
    assert checked > 30


# --- one case and many ----------------------------------------------------------------------------------------------


def random_table(rows: int, seed: int) -> pandas.DataFrame:
    """Inputs within their bounds, with gaps where a field may be blank."""
    random = numpy.random.default_rng(seed)
    table: dict[str, Any] = {}
    for name, quantity in quantities().items():
        column = quantity.column
        if column is None or name == "tiers" or (quantity.rule and random.random() < 0.5):
            continue
        if quantity.is_text:
            choices = column.choices or ("",)
            table[name] = random.choice([str(choice) for choice in choices], rows)
            continue
        low = column.gt if column.gt is not None else column.ge if column.ge is not None else -1.0
        high = column.lt if column.lt is not None else column.le if column.le is not None else max(low, 1.0) * 200
        values = low + (high - low) * random.uniform(0.001, 0.999, rows)
        table[name] = numpy.ceil(values) if column.whole else values
        if not column.required and (column.default is None or quantity.rule):
            table[name] = numpy.where(random.random(rows) < 0.4, math.nan, table[name])
    return pandas.DataFrame(table)


def test_many_give_what_one_gives() -> None:
    table = random_table(120, seed=5)
    solved = solve(table)
    assert list(solved.columns) == [name for name in quantities() if name != "tiers"]
    for row in range(len(table)):
        one = solve(table.iloc[row].to_dict())
        for name in solved.columns:
            many = solved[name].iloc[row]
            assert same(one[name], many), (row, name)


def test_rows_do_not_touch_each_other_over_blocks() -> None:
    table = random_table(100, seed=6)
    repeated = pandas.concat([table] * (2 * BLOCK // 100 + 1), ignore_index=True)
    assert len(repeated) > 2 * BLOCK
    solved, first = solve(repeated), solve(table)
    pandas.testing.assert_frame_equal(solved.iloc[-100:].reset_index(drop=True), first)
    pandas.testing.assert_frame_equal(solved.iloc[BLOCK // 100 * 100 :].iloc[:100].reset_index(drop=True), first)


def test_index_of_the_table_is_kept() -> None:
    table = pandas.DataFrame({"requests_per_day": [80000.0, 1e6]}, index=["bot", "search"])
    solved = solve(table)
    assert list(solved.index) == ["bot", "search"]
    assert solved.loc["search", "average_qps"] == pytest.approx(1e6 / 36000)
    assert table.columns.tolist() == ["requests_per_day"], "the table given is not changed"


def test_columns_and_single_values_together() -> None:
    solved = solve({"requests_per_day": [36000, 72000], "busy_hours": 10, "peak_factor": numpy.array([1.5, 2])})
    assert solved["peak_qps"].tolist() == [1.5, 4.0]
    assert solved["busy_hours"].tolist() == [10, 10]
    assert solve(pandas.DataFrame({"requests_per_day": [36000]}), busy_hours=5)["average_qps"].tolist() == [2]


def test_empty_table() -> None:
    solved = solve(pandas.DataFrame({"requests_per_day": pandas.Series(dtype=float)}))
    assert len(solved) == 0 and "card_tier" in solved


def test_tiers_are_a_table() -> None:
    given = {"fixed_cards": 9, "cards": 1}
    assert solve(given)["card_tier"] == 9
    assert solve(given, tiers=(0, 16))["card_tier"] == 16
    table = pandas.DataFrame([given, {"fixed_cards": 17, "cards": 1}])
    assert solve(table, tiers=(0, 16))["card_tier"].tolist() == [16, 32]
    for wrong in ((0, 4, 2), (1, 2), (0,)):
        with pytest.raises(GpusheetError, match=r"tiers: .*allowed ascending numbers that begin with 0"):
            solve(given, tiers=wrong)


# --- typed values ---------------------------------------------------------------------------------------------------


def test_typed_value_replaces_the_rule_only_in_its_rows() -> None:
    users = {"daily_active_users": 1000, "requests_per_user_per_day": 10}
    table = pandas.DataFrame([users, users | {"requests_per_day": 360000}, users | {"requests_per_day": 0}])
    assert solve(table)["requests_per_day"].tolist() == [10000, 360000, 0]
    assert solve(table)["average_qps"].tolist() == pytest.approx([10000 / 36000, 10, 0])
    assert solve(users | {"requests_per_day": None})["requests_per_day"] == 10000


def test_any_rule_may_be_replaced() -> None:
    assert solve({"concurrency": 150, "peak_concurrency": 300, "cards": 8})["constraint_cards"] == 16
    assert solve({"bottleneck": "decode"})["bottleneck"] == "decode"
    three = {"memory_concurrency": 3, "prefill_concurrency": 1, "decode_concurrency": 2}
    table = pandas.DataFrame([three, three | {"bottleneck": "decode"}])
    assert solve(table)["bottleneck"].tolist() == ["prefill", "decode"]
    assert solve({"weight_share": 0.5})["weight_share"] == 0.5


# --- missing --------------------------------------------------------------------------------------------------------


def test_missing_stays_missing_and_is_never_zero() -> None:
    solved = solve({"net_cards": 2, "price_period": "hour"})
    assert math.isnan(solved["monthly_cost"]) and math.isnan(solved["hourly_cost"])
    assert solved["bottleneck"] == ""
    assert math.isnan(solve({"price_hour": None, "net_cards": 2})["hourly_cost"])


def test_infinite_becomes_missing() -> None:
    idle = {"monthly_cost": 100, "requests_per_day": 0, "output_tokens": 5}
    assert math.isnan(solve(idle)["cost_per_million_output_tokens"])
    solved = solve(pandas.DataFrame([idle, idle | {"requests_per_day": 1e6}]))
    assert solved["cost_per_million_output_tokens"].isna().tolist() == [True, False]
    floats = solved.select_dtypes("number").to_numpy()
    assert not numpy.isinf(floats).any()


def test_no_demand_needs_no_card_and_no_capacity_is_missing() -> None:
    known = {"cards": 8, "concurrency": 169, "sizing_method": "constraint"}
    idle = solve(known | {"peak_concurrency": 0, "unit_price": 5, "price_period": "hour"})
    assert (idle["cards_needed"], idle["card_tier"], idle["monthly_cost"]) == (0, 0, 0)
    stuck = solve({"memory_concurrency": 0.5, "prefill_concurrency": 9, "decode_concurrency": 9, "peak_concurrency": 5})
    assert stuck["concurrency"] == 0 and math.isnan(stuck["cards_needed"]) and math.isnan(stuck["card_tier"])


# --- mistakes -------------------------------------------------------------------------------------------------------


def test_unknown_name_is_answered_with_near_ones() -> None:
    with pytest.raises(UnknownName, match=r"'decode_concurency' is not known; did you mean decode_concurrency"):
        solve({"decode_concurency": 3})
    with pytest.raises(UnknownName, match="did you mean busy_hours"):
        solve(pandas.DataFrame({"busy_hour": [3.0]}))
    with pytest.raises(UnknownName, match="peak_qps"):
        why("peak_qp", {})


@pytest.mark.parametrize(("given", "message"), [
    ({"busy_hours": 0}, "busy_hours: found 0, allowed a number above 0 and at most 24"),
    ({"busy_hours": 25.0}, "busy_hours: found 25.0, allowed a number above 0 and at most 24"),
    ({"busy_hours": "ten"}, "busy_hours: found 'ten', allowed a number above 0"),
    ({"cards": 1.5}, "cards: found 1.5, allowed a whole number at least 1"),
    ({"link": "token ring"}, "link: found 'token ring', allowed one of nvlink, pcie"),
    ({"discount": 1}, "discount: found 1, allowed a number at least 0 and below 1"),
    ({"requests_per_day": -1}, "requests_per_day: found -1, allowed a number at least 0"),
    ({"weight_share": "half"}, "weight_share: found 'half', allowed a number"),
    ({"busy_hours": [10.0, 8.0, 0.0]}, "busy_hours, row 3: found 0, allowed a number above 0 and at most 24"),
    ({"busy_hours": [10.0, 24.5]}, "busy_hours, row 2: found 24.5, allowed"),
    ({"link": ["pcie", "ring"]}, "link: found 'ring', allowed one of nvlink"),
    ({"busy_hours": [10.0, "x"]}, "busy_hours: found 'x', allowed a number"),
    ({"busy_hours": [10.0], "cards": [1, 2]}, r"solve: columns have \[1, 2\] rows; give them the same number"),
    ([1, 2], "solve: found list, allowed a mapping or a DataFrame"),
])  # fmt: skip
def test_mistakes_are_named(given: Any, message: str) -> None:
    with pytest.raises(GpusheetError, match=message):
        solve(given)


@pytest.mark.parametrize("given", [
    {"cards": [1.0, 1.5]}, {"requests_per_day": [1.0, math.inf]}, {"requests_per_day": math.inf},
    {"weight_share": [0.5, -math.inf]}, {"weight_share": math.inf},
])  # fmt: skip
def test_columns_are_checked_as_single_values_are(given: dict[str, Any]) -> None:
    with pytest.raises(GpusheetError, match=next(iter(given))):
        solve(given)


# --- why ------------------------------------------------------------------------------------------------------------


def test_why_is_a_tree_down_to_the_inputs() -> None:
    tree = why("card_tier", {"requests_per_day": 80000, "peak_factor": 4, "input_tokens": 200, "output_tokens": 300,
                             "sizing_method": "throughput", "card_throughput": 1800})  # fmt: skip
    assert (tree.quantity.name, tree.value) == ("card_tier", 4)
    lines = str(tree).splitlines()
    assert lines[0].startswith("card_tier = 4 cards  [cards_needed-MOD(")
    assert any(line.strip().startswith("card_throughput = 1,800 tokens/s  [typed]") for line in lines)
    assert any(line.strip() == "peak_factor = 4 ratio" for line in lines)
    assert all("tiers =" not in line for line in lines)
    again = [line for line in lines if line.endswith("[see above]")]
    assert again, "a quantity met twice is told once"

    def check(node: Any) -> None:
        if node.formula and node.formula != "typed":
            assert {part.quantity.name for part in node.parts} == set(node.quantity.rule.needs.values()) - {"tiers"}
        for part in node.parts:
            check(part)

    check(tree)


def test_why_in_chinese() -> None:
    shown = why("average_qps", {"requests_per_day": 80000}).lines("zh")
    assert shown[0].startswith("average_qps = 2.22222 请求/秒")
    assert why("hourly_cost", {}).lines("zh")[0].startswith("hourly_cost = 缺失")


def test_catalog_facts_are_known_quantities() -> None:
    gpu = Catalog.builtin().find_gpu("L20")
    solved = solve({"memory_gb": gpu.memory_gb, "bandwidth_gbs": gpu.bandwidth_gbs, "weights_gb": 7})
    assert solved["weight_share"] == pytest.approx(7 / 48)
