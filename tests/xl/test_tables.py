"""Functions that spill: what `estimate` gives for the same workloads, an error in the cells of a row that is wrong."""

from __future__ import annotations

import datetime
import random
from typing import Any

import pytest
from values import same

from gpusheet import estimate
from gpusheet.catalog import Assumptions, Catalog, Gpu, Model, Price, Workload, columns
from gpusheet.catalog.schema import is_blank
from gpusheet.decisions.comparison import compare
from gpusheet.lookup import Context
from gpusheet.missing import is_missing
from gpusheet.registry import all_rules
from gpusheet.wiring import OUTCOMES
from gpusheet.workbook.inputs import sample
from gpusheet.xl.cells import CellError
from gpusheet.xl.functions import functions

ESTIMATE, PRICES, COMPARE = (functions()[name] for name in ("ESTIMATE", "PRICES", "COMPARE_GPUS"))
FIELDS = [column.name for column in columns(Workload)]
LINES = [name for name, rule in all_rules().items() if rule.line]
EXAMPLE: list[list[Any]] = ESTIMATE.example[0]


def code(function: Any, *cells: Any) -> str:
    with pytest.raises(CellError) as caught:
        function(*cells)
    return caught.value.code


def cells_of(workloads: list[Workload], names: list[str] = FIELDS) -> list[list[Any]]:
    return [names, *([getattr(workload, name) for name in names] for workload in workloads)]


def assert_same_as_estimate(workloads: list[Workload], names: list[str] = FIELDS) -> int:
    """Every quantity of every row; how many numbers were compared."""
    header, *rows = ESTIMATE(cells_of(workloads, names), "all")
    expected = estimate(workloads)
    assert header == ("workload", *LINES) and len(rows) == len(workloads)
    compared = 0
    for row, (workload, *cells) in enumerate(rows):
        assert workload == workloads[row].workload
        for name, cell in zip(header[1:], cells, strict=True):
            wanted = expected[name][row]
            if all_rules()[name].unit.symbol != "text" and is_missing(wanted):
                assert cell == "#N/A"  # missing is an error in a cell, not 0 and not text
            else:
                assert same(cell, wanted), (name, cell, wanted)
                compared += 1
    return compared


def test_the_sample_is_estimated_as_in_python() -> None:
    assert assert_same_as_estimate(list(sample().workloads)) > 300


def random_workloads(seed: int, count: int) -> list[Workload]:
    """Workloads with any card, model, price and typed values, each field given in about half of them."""
    chance = random.Random(seed)
    catalog = Catalog.builtin()
    offers = list(catalog.prices)
    made = []
    for number in range(count):
        offer = chance.choice(offers)
        given: dict[str, Any] = {
            "workload": f"w{number}", "gpu": offer.gpu, "model": chance.choice(catalog.models).model,
            "input_tokens": float(chance.randint(1, 20_000)), "output_tokens": float(chance.randint(1, 4_000)),
        }  # fmt: skip
        for column in columns(Workload):
            if column.required or column.name in ("start_month", "end_month") or chance.random() < 0.5:
                continue
            if column.name in ("price_list", "listing", "pricing_model"):
                given[column.name] = getattr(offer, column.name)
            elif column.choices:
                given[column.name] = chance.choice(column.choices)
            elif column.kind == "number":
                low = max(column.ge if column.ge is not None else column.gt or 0, -0.5)
                high = column.le if column.le is not None else column.lt if column.lt is not None else low + 100
                value = chance.uniform(low + 1e-6, high - 1e-6)
                given[column.name] = float(max(1, round(value))) if column.whole else value
            elif column.name == "override_reason":
                given[column.name] = "load test"
        made.append(Workload(**given))
    return made


@pytest.mark.parametrize("seed", range(4))
def test_random_workloads_are_estimated_as_in_python(seed: int) -> None:
    """Also where columns are in another order, and where some are not there at all."""
    workloads = random_workloads(seed, 60)
    assert assert_same_as_estimate(workloads) > 3000
    few = ["output_tokens", "model", "gpu", "workload", "input_tokens", "requests_per_day"]
    plain = [Workload(**{name: getattr(one, name) for name in few}) for one in workloads]
    assert assert_same_as_estimate(plain, few) > 1500


def test_named_quantities_and_days() -> None:
    assert ESTIMATE(EXAMPLE, "cards_needed, CARD_TIER,monthly_cost") == ESTIMATE(
        EXAMPLE, [["cards_needed"], ["card_tier"], ["monthly_cost"]])
    header, (name, cards, weights) = ESTIMATE(EXAMPLE, [["cards_needed", "weight_bytes"]])
    assert (header, name, weights) == (("workload", "cards_needed", "weight_bytes"), "bot", 1.0)
    assert cards == estimate([Workload(**dict(zip(*EXAMPLE, strict=True)))])["cards_needed"][0]
    assert ESTIMATE(EXAMPLE, "monthly_cost", datetime.date(2020, 1, 1))[1][1] == "#N/A"  # no price as old as that
    with pytest.raises(CellError, match=r"ESTIMATE: quantities: 'card_teer' is not known; did you mean card_tier"):
        ESTIMATE(EXAMPLE, "card_teer")


def test_with_none_named_it_gives_what_the_summary_shows() -> None:
    shown, every = ESTIMATE(EXAMPLE), ESTIMATE(EXAMPLE, " All ")
    assert shown[0] == ("workload", *OUTCOMES) and every[0] == ("workload", *LINES)
    assert shown[1][1:] == tuple(every[1][every[0].index(name)] for name in OUTCOMES)
    assert set(COMPARE(EXAMPLE, "all")[0]) >= set(LINES)


def test_workloads_have_the_names_that_their_cells_hold() -> None:
    names = ["bot", 7.0, datetime.date(2026, 10, 27), None, " ", True]
    rows = ESTIMATE([EXAMPLE[0], *([name, *EXAMPLE[1][1:]] for name in names)], "card_tier")
    assert [row[0] for row in rows[1:]] == ["bot", 7.0, datetime.date(2026, 10, 27), "", "", True]
    plain = [row[1:] for row in (EXAMPLE[0], *[EXAMPLE[1]] * 250)]  # without names; more than are made rows together
    assert ESTIMATE(plain, "card_tier") == [("card_tier",), *[rows[1][1:]] * 250]


def test_labels_head_columns_too_and_assumptions_may_be_columns() -> None:
    chinese = [["业务", "GPU 型号", "模型", "输入 token", "输出 token", "日请求数"], ["客服", "L20", "Generic-7B", 200, 300, 80000]]
    english = [["workload", "gpu", "model", "input_tokens", "output_tokens", "requests_per_day"], chinese[1]]
    assert ESTIMATE(chinese) == ESTIMATE(english)
    efficiency = next(c for c in columns(Assumptions) if c.name == "bandwidth_efficiency")
    rows = [[*english[0], efficiency.name], [*english[1], 0.5], [*english[1], None]]
    got = ESTIMATE(rows, "card_throughput,bandwidth_efficiency")
    halved = Context(assumptions=Assumptions(bandwidth_efficiency=0.5))
    workload = Workload(**dict(zip(*english, strict=True)))
    assert got[1][1:] == (estimate([workload], halved)["card_throughput"][0], 0.5)
    assert got[2][1:] == (estimate([workload])["card_throughput"][0], efficiency.default)


def test_typed_facts_replace_what_is_looked_up() -> None:
    header = [*EXAMPLE[0], "memory_gb", "price_tax", "concurrency"]
    rows = [header, [*EXAMPLE[1], 4000.0, "included", 7.0], [*EXAMPLE[1], None, None, None]]
    typed, plain = ESTIMATE(rows, "memory_gb,price_tax,concurrency,overrides_typed")[1:]
    assert typed[1:] == (4000.0, "included", 7.0, 1.0)
    assert plain[1:3] == (48.0, "unstated") and plain[4] == 0.0


BAD_ROWS: dict[str, tuple[dict[str, Any], str, str]] = {
    "unknown card": ({"gpu": "H300"}, "#N/A", "gpu: 'H300' is not known"),
    "unknown model": ({"model": "GPT-9"}, "#N/A", "model: 'GPT-9' is not known"),
    "unknown precision": ({"weight_precision": "int7"}, "#VALUE!", "weight_precision: 'int7' is not known"),
    "no card": ({"gpu": None}, "#VALUE!", "gpu: blank, allowed a name"),
    "no length": ({"input_tokens": " "}, "#VALUE!", "input_tokens: blank, allowed a number above 0"),
    "text for a number": ({"input_tokens": "200"}, "#VALUE!", "input_tokens: found '200', allowed a number above 0"),
    "TRUE for a number": ({"peak_factor": True}, "#VALUE!", "peak_factor: found True"),
    "date for a number": ({"output_tokens": datetime.datetime(2026, 1, 1)}, "#VALUE!", "output_tokens: found 2026-01-01"),
    "negative": ({"output_tokens": -1}, "#NUM!", "output_tokens: found -1, allowed a number above 0"),
    "below its bound": ({"peak_factor": 0.5}, "#NUM!", "peak_factor: found 0.5, allowed a number at least 1"),
    "broken error": ({"requests_per_day": "#REF!"}, "#REF!", "requests_per_day: the cell holds #REF!"),
    "number for a name": ({"price_list": True}, "#VALUE!", "price_list: found True"),
    "error for a name": ({"gpu": "#N/A"}, "#N/A", "gpu: the cell holds #N/A"),
}


@pytest.mark.parametrize("kind", BAD_ROWS)
def test_a_bad_row_is_an_error_and_the_others_are_computed(kind: str) -> None:
    change, expected, told = BAD_ROWS[kind]
    good = dict(zip(*EXAMPLE, strict=True))
    rows = [EXAMPLE[0], EXAMPLE[1], list((good | change).values()), [None] * len(good), EXAMPLE[1]]
    header, first, bad, blank, last = ESTIMATE(rows)
    assert first == last == ESTIMATE(EXAMPLE)[1]
    assert bad == ("bot", *[expected] * (len(header) - 1))
    assert blank == ("",) * len(header)  # a spare row stays empty
    reason = functions()["ERROR_REASON"]("ESTIMATE", rows)
    assert reason.startswith(f"row 3: {told}") and "row 2" not in reason and "row 5" not in reason


def test_months_in_the_wrong_order_are_refused() -> None:
    rows = [[*EXAMPLE[0], "start_month", "end_month"], [*EXAMPLE[1], 3, 2], [*EXAMPLE[1], 2, 2], [*EXAMPLE[1], None, 1]]
    bad, good, open_ = ESTIMATE(rows, "cards_needed")[1:]
    assert bad[1] == "#VALUE!" and isinstance(good[1], float) and isinstance(open_[1], float)
    assert "end_month: found 2, allowed a month from start_month, 3, on" in ESTIMATE.reason(rows)


def test_reasons_tell_what_to_give() -> None:
    few = [["gpu", "model", "input_tokens", "output_tokens"], ["L20", "Generic-7B", 200, 300]]
    reason = functions()["ERROR_REASON"]
    assert reason("ESTIMATE", few, "cards_needed") == (
        "row 2: cards_needed: missing; give requests_per_day (or daily_active_users, requests_per_user_per_day)")
    assert "price_list: blank; name one that has L20: gongjiyun" in reason("ESTIMATE", few, "monthly_cost")
    assert reason("ESTIMATE", EXAMPLE) == reason("ESTIMATE", EXAMPLE, "monthly_cost") == ""
    many = [few[0], *[few[1]] * 1000]
    assert len(reason("ESTIMATE", many)) == 32_767  # what a cell holds


@pytest.mark.parametrize("rows, told", [
    ([["gpu", "model", "input_tokens", "qps"], ["L20", "Generic-7B", 1, 1]], "column 4 of the range, 'qps': no such column"),
    ([["gpu", "model", "input_tokens", None], ["L20", "Generic-7B", 1, 1]], "column 4 of the range, '': blank"),
    ([["gpu", "model", "input_tokens", "GPU"], ["L20", "Generic-7B", 1, 1]], "two columns are named 'GPU'"),
    ([["gpu", "model", "input_tokens"], ["L20", "Generic-7B", 1]], "no column output_tokens in the first row"),
    ([["L20", "Generic-7B", 200, 300]], "column 1 of the range, 'L20': no such column"),
    ("Workloads", "found 'Workloads', allowed a range with its header row"),
    ([[None]], "found None, allowed a range"), (None, "found None, allowed a range"), (True, "found True"),
], ids=range(9))  # fmt: skip
def test_a_range_without_the_right_header_is_refused(rows: Any, told: str) -> None:
    with pytest.raises(CellError, match=rf"^ESTIMATE: workloads: {told}|^ESTIMATE: {told}"):
        ESTIMATE(rows)
    assert code(ESTIMATE, rows) == "#VALUE!"


def test_a_header_without_workloads_gives_a_header() -> None:
    assert ESTIMATE([EXAMPLE[0]], "card_tier") == [("workload", "card_tier")]
    assert ESTIMATE([EXAMPLE[0], [None] * len(EXAMPLE[0])], "card_tier") == [("workload", "card_tier"), ("", "")]


def test_prices_are_the_newest_of_each_offer() -> None:
    header, *rows = PRICES()
    catalog = Catalog.builtin()
    day = max(price.snapshot_date for price in catalog.prices)
    keys = {(p.price_list, p.gpu, p.pricing_model) for p in catalog.prices}
    expected = [offer for key in sorted(keys) for offer in catalog.offers(*key, day)]
    assert [row[header.index("price_per_card")] for row in rows] == [offer.price_per_card for offer in expected]
    assert not any(is_blank(row[header.index(name)]) for row in rows for name in ("currency", "period", "snapshot_date"))
    first = min(price.snapshot_date for price in catalog.prices)
    assert {row[header.index("snapshot_date")] for row in PRICES(first)[1:]} == {first}
    assert {row[0] for row in PRICES(None, "GongJiYun")[1:]} == {"gongjiyun"}
    assert code(PRICES, "2001-01-01") == code(PRICES, None, "gongji") == "#N/A"
    assert code(PRICES, "soon") == code(PRICES, True) == "#VALUE!"


def test_cards_are_compared_by_what_the_estimate_gives() -> None:
    header, *rows = COMPARE(EXAMPLE, "fits,monthly_cost,card_tier,cards")
    assert header == ["gpu", "price_list", "pricing_model", "listing", "fits", "monthly_cost", "card_tier", "cards"]
    catalog = Catalog.builtin()
    assert {row[0] for row in rows} == {card.gpu for card in catalog.gpus}  # every card, also without a price
    workload = dict(zip(*EXAMPLE, strict=True))
    costs = []
    for row in rows:
        given = {name: cell or None for name, cell in zip(header[:4], row[:4], strict=True)} | {"cards": row[7]}
        found = estimate([Workload(**workload | given)])
        assert all(same(cell, found[name][0]) or cell == "#N/A" for name, cell in zip(header[4:], row[4:], strict=True))
        costs.append((row[4] != 1.0, not isinstance(row[5], float), row[5] if isinstance(row[5], float) else 0))
    assert costs == sorted(costs)
    assert {row[1] for row in rows} == {"gongjiyun"}  # the price list that the workload names is kept to


def test_cards_are_compared_as_on_the_sheet() -> None:
    """What is typed for the own card holds for it alone; without one, for all. Others take what holds the weights."""
    typed = {"cards": 2, "concurrency": 3, "card_throughput": 50, "fixed_cards": 7, "owned_cards": 1}
    names = ("cards", "concurrency", "cards_needed", "net_cards", "monthly_cost")
    for method in ("serving", "throughput", "constraint", "segment"):
        given = dict(zip(*EXAMPLE, strict=True)) | typed | {"sizing_method": method, "model": "Qwen3-32B"}
        rows = COMPARE([list(given), list(given.values())], ",".join(names))[1:]
        table = compare(Workload(**given), Context()).set_index(["gpu", "pricing_model"])
        priced = [row for row in rows if row[1] and row[2]]
        assert len(priced) > 5 and {row[0] == "L20" for row in priced} == {True, False}
        for gpu, _, model, _, *cells in priced:
            wanted = table.loc[(gpu, model)]
            shown = dict(zip(names, cells, strict=True))
            assert all(same(shown[name], wanted[name]) or (shown[name] == "#N/A" and wanted[name] != wanted[name])
                       for name in ("cards", "cards_needed", "net_cards", "monthly_cost"))
            assert (shown["concurrency"] == 3) == (gpu == "L20")
    free = {name: value for name, value in given.items() if name not in ("gpu", *typed)}
    everywhere = COMPARE([[*free, "Cards per replica"], [*free.values(), 2]], "cards")[1:]
    assert {row[4] for row in everywhere} == {2.0}
    assert len({row[4] for row in COMPARE([list(free), list(free.values())], "cards")[1:]}) > 2
    assert code(COMPARE, [[*free, "gpu"], [*free.values(), "H300"]]) == "#N/A"
    assert code(COMPARE, [[*free, "cards", "Cards per replica"], [*free.values(), 2, 2]]) == "#VALUE!"


def test_one_workload_may_stand_upright() -> None:
    upright = [list(pair) for pair in zip(*EXAMPLE, strict=True)]
    assert COMPARE(upright) == COMPARE(EXAMPLE)
    without = [pair for pair in upright if pair[0] not in ("gpu", "price_list")]
    assert len({row[1] for row in COMPARE(without)[1:]}) > 5
    assert code(COMPARE, [*EXAMPLE, EXAMPLE[1]]) == code(COMPARE, "bot") == code(COMPARE, None) == "#VALUE!"
    assert code(COMPARE, [["model", "GPT-9"], ["input_tokens", 1], ["output_tokens", 1]]) == "#N/A"
    assert code(COMPARE, [["model", "Qwen3-32B"], ["input_tokens", "many"], ["output_tokens", 1]]) == "#VALUE!"
    assert code(COMPARE, [["model", "Qwen3-32B"], ["input_tokens", 0], ["output_tokens", 1]]) == "#NUM!"


def test_tables_of_the_workbook_are_followed() -> None:
    """A card of twice the price costs twice as much; a card that gpusheet does not know may be in the own table."""
    catalog = Catalog.builtin()
    tables = {}
    for kind, rows in ((Gpu, catalog.gpus), (Model, catalog.models), (Price, catalog.prices)):
        names = [column.name for column in columns(kind)]
        tables[kind] = [names, *([getattr(row, name) for name in names] for row in rows)]
    plain = ESTIMATE(EXAMPLE, "monthly_cost,memory_gb")
    assert ESTIMATE(EXAMPLE, "monthly_cost,memory_gb", None, *tables.values()) == plain
    prices = [[*row] for row in tables[Price]]
    at = {name: prices[0].index(name) for name in ("gpu", "price", "price_list")}
    for row in prices[1:]:
        row[at["price"]] *= 2
    doubled = ESTIMATE(EXAMPLE, "monthly_cost", None, None, None, prices)
    assert doubled[1][1] == 2 * plain[1][1]
    gpus = [[*row] for row in tables[Gpu]]
    gpus.append(["X-1", *next(row for row in gpus if row[0] == "L20")[1:]])
    gpus[-1][gpus[0].index("aliases")] = None
    own = [EXAMPLE[0], ["bot", "X-1", *EXAMPLE[1][2:]]]
    assert ESTIMATE(own, "memory_gb", None, gpus)[1][1] == 48.0
    assert {"X-1"} < {row[0] for row in COMPARE(EXAMPLE, "fits", None, gpus)}
    prices[1][at["price"]] = "4,5"
    with pytest.raises(CellError, match=r"ESTIMATE: prices: row 2: price: found '4,5', allowed a number above 0"):
        ESTIMATE(EXAMPLE, "monthly_cost", None, None, None, prices)
    assert functions()["ERROR_REASON"]("ESTIMATE", EXAMPLE, None, None, None, None, prices).startswith("ESTIMATE: prices: row 2")
