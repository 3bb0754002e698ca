"""Facts and prices by name, from the workbook's table or from gpusheet's own."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from gpusheet.catalog import Catalog, Gpu, Model, Price, columns
from gpusheet.solver import solve
from gpusheet.wiring import quantities
from gpusheet.xl.cells import CellError
from gpusheet.xl.functions import functions

GPU_SPEC, MODEL_SPEC, PRICE = (functions()[name] for name in ("GPU_SPEC", "MODEL_SPEC", "GPU_PRICE"))
CATALOG = Catalog.builtin()


def code(function: Any, *cells: Any) -> str:
    with pytest.raises(CellError) as caught:
        function(*cells)
    return caught.value.code


def table(row_type: type, rows: Any) -> list[list[Any]]:
    names = [column.name for column in columns(row_type)]
    return [names, *([getattr(row, name) for name in names] for row in rows)]


GPUS, MODELS, PRICES = table(Gpu, CATALOG.gpus), table(Model, CATALOG.models), table(Price, CATALOG.prices)


@pytest.mark.parametrize("spec, rows, cells, key", [
    (GPU_SPEC, CATALOG.gpus, GPUS, "gpu"), (MODEL_SPEC, CATALOG.models, MODELS, "model"),
], ids=["gpu", "model"])  # fmt: skip
def test_every_fact_of_the_catalog_is_found(spec: Any, rows: Any, cells: Any, key: str) -> None:
    """In gpusheet's own table and in the same table on a sheet; what is blank is #N/A or computed from the shape."""
    for row in rows:
        for column in columns(type(row)):
            fact, name = getattr(row, column.name), getattr(row, key)
            if fact in (None, "") and column.name not in quantities():
                assert code(spec, name, column.name) == code(spec, name, column.name, cells) == "#N/A"
            elif fact not in (None, ""):
                assert spec(name, column.name) == spec(name, column.name, cells) == fact


def test_what_follows_from_a_models_shape_is_computed() -> None:
    for model in CATALOG.models:
        known = {name: value for name, value in dict(model).items() if name in quantities() and value is not None}
        expected = solve(known)["kv_elements_per_token"]
        assert MODEL_SPEC(model.model, "kv_elements_per_token") == expected
        assert MODEL_SPEC(model.model, "kv_elements_per_token", MODELS) == expected


def test_names_and_labels_are_as_forgiving_as_a_person() -> None:
    assert GPU_SPEC("NVIDIA H100 80GB HBM3", "memory_gb") == 80
    assert GPU_SPEC(" h100 sxm ", "Memory per card") == GPU_SPEC("H100-80G-SXM", "单卡显存") == 80
    own = [["GPU", "单卡显存", "aliases", "Rack"], ["X-1", 64.0, "iks one; XI", "B7"], [4090.0, 24.0, None, None]]
    assert GPU_SPEC("x 1", "memory_gb", own) == GPU_SPEC("Iks One", "memory_gb", own) == 64
    assert GPU_SPEC(4090, "memory_gb", own) == GPU_SPEC("4090", "memory_gb", own) == 24
    assert GPU_SPEC("X-1", "rack", own) == GPU_SPEC("X-1", "Rack", own) == "B7"  # a column of the user's own


def test_a_table_on_the_sheet_is_followed() -> None:
    edited = [GPUS[0], *([*row] for row in GPUS[1:])]
    edited[1][GPUS[0].index("memory_gb")] = 1234.5
    assert GPU_SPEC(edited[1][0], "memory_gb", edited) == 1234.5 != GPU_SPEC(edited[1][0], "memory_gb")


def test_a_table_that_differs_in_kind_only_is_another_table() -> None:
    """Tables are remembered; Python takes TRUE for 1."""
    assert GPU_SPEC("X-1", "memory_gb", [["gpu", "memory_gb"], ["X-1", 1.0]]) == 1
    assert code(GPU_SPEC, "X-1", "memory_gb", [["gpu", "memory_gb"], ["X-1", True]]) == "#VALUE!"


def test_a_name_that_stands_twice_is_told() -> None:
    twice = [["gpu", "memory_gb"], ["L20", 48.0], ["L20", 96.0], ["H20", 96.0]]
    assert code(GPU_SPEC, "H20", "memory_gb", twice) == "#VALUE!"
    told = functions()["ERROR_REASON"]("GPU_SPEC", "H20", "memory_gb", twice)
    assert told == "GPU_SPEC: table: gpu: the name 'L20' is claimed by L20 and L20; leave it to one"


def test_empty_ranges_and_endless_names_are_errors() -> None:
    for name in ("ESTIMATE", "COMPARE_GPUS"):
        assert code(functions()[name], []) == code(functions()[name], [[]]) == "#VALUE!"
    assert code(GPU_SPEC, "L20", "memory_gb", []) == code(PRICE, "L20", "monthly", None, None, []) == "#VALUE!"
    assert code(GPU_SPEC, 10**400, "memory_gb") == "#VALUE!"
    assert code(GPU_SPEC, "x" * 32_767, "memory_gb") == "#N/A"
    assert len(functions()["ERROR_REASON"]("GPU_SPEC", "x" * 32_767, "memory_gb")) < 500


def test_where_a_price_is_from_is_not_asked() -> None:
    assert PRICE("L20", "on_demand", None, None, [row[:-1] for row in QUOTES]) == 5.0


def test_wrong_names_and_tables_are_errors() -> None:
    assert code(GPU_SPEC, "H300", "memory_gb") == code(GPU_SPEC, "H300", "memory_gb", GPUS) == "#N/A"
    assert code(GPU_SPEC, "L20", "memory") == code(GPU_SPEC, "L20", "memory", GPUS) == "#N/A"
    for blank in (None, "", " "):
        assert code(GPU_SPEC, blank, "memory_gb") == code(GPU_SPEC, "L20", blank) == "#VALUE!"
    for wrong in (True, datetime.date(2026, 1, 1), [["a", "b"]], [[None] for _ in range(1_048_576)]):
        assert code(GPU_SPEC, wrong, "memory_gb") == code(GPU_SPEC, "L20", wrong) == "#VALUE!"
    assert code(GPU_SPEC, "#REF!", "memory_gb") == code(GPU_SPEC, "L20", "memory_gb", "#REF!") == "#REF!"
    assert code(GPU_SPEC, "L20", "memory_gb", "GPUs") == code(GPU_SPEC, "L20", "memory_gb", 5) == "#VALUE!"
    assert code(GPU_SPEC, "L20", "memory_gb", [["name", "memory_gb"], ["L20", 48]]) == "#VALUE!"
    assert code(GPU_SPEC, "L20", "memory_gb", [["gpu", "memory_gb", "memory_gb"], ["L20", 48, 48]]) == "#VALUE!"
    assert code(GPU_SPEC, "L20", "memory_gb", [["gpu", "memory_gb"], [None, None]]) == "#N/A"


@pytest.mark.parametrize("cell, expected", [
    ("48", "#VALUE!"), ("48 GB", "#VALUE!"), (True, "#VALUE!"), (-48, "#NUM!"), (0, "#NUM!"), (None, "#N/A"),
    ("", "#N/A"), ("#N/A", "#N/A"), ("#REF!", "#REF!"),
])  # fmt: skip
def test_a_bad_fact_in_the_table_is_an_error_of_its_own(cell: Any, expected: str) -> None:
    assert code(GPU_SPEC, "L20", "memory_gb", [["gpu", "memory_gb"], ["L20", cell]]) == expected


def test_every_price_is_found_as_the_catalog_finds_it() -> None:
    """With and without the table; what is missing or ambiguous is #N/A, with the reason."""
    found = 0
    for key in dict.fromkeys((p.gpu, p.pricing_model, p.price_list) for p in CATALOG.prices):
        gpu, pricing_model, price_list = key
        offers = CATALOG.offers(price_list, gpu, pricing_model, None)
        if len(offers) > 1:
            assert code(PRICE, gpu, pricing_model, None, price_list) == "#N/A"
            assert code(PRICE, gpu, pricing_model, None, price_list, PRICES) == "#N/A"
        for offer in offers:
            listing = offer.listing if len(offers) > 1 else None
            if len(offers) == 1 or listing:
                assert PRICE(gpu, pricing_model, None, price_list, None, listing) == offer.price_per_card
                assert PRICE(gpu, pricing_model, None, price_list, PRICES, listing) == offer.price_per_card
                found += 1
    assert found > 50


QUOTES = [
    ["gpu", "price_list", "snapshot_date", "price", "cards", "currency", "per", "period", "pricing_model", "tax", "source"],
    ["L20", "acme", 46300.0, 4.0, 1.0, "CNY", "card", "hour", "on_demand", "included", "quote 1"],
    ["L20", "acme", datetime.datetime(2026, 10, 27), 40.0, 8.0, "CNY", "instance", "hour", "on_demand", "included", "quote 2"],
    ["X-1", "acme", "2026-10-27", 9.5, 1.0, "CNY", "card", "hour", "on_demand", "included", "quote 3"],
    ["H20-96G", "acme", "27/10/2026", 7.0, 1.0, "CNY", "card", "hour", "on_demand", "included", "quote 4"],
    ["L40S", "acme", 46300.0, "7,5", 1.0, "CNY", "card", "hour", "on_demand", "included", "quote 5"],
]  # fmt: skip


def test_prices_of_the_sheet_are_dated() -> None:
    assert PRICE("L20", "on_demand", None, None, QUOTES) == 5.0  # of the node, per card
    assert PRICE("L20", "on_demand", datetime.date(2026, 10, 26), None, QUOTES) == 4.0
    assert PRICE("L20", "on_demand", 46321, "ACME", QUOTES) == PRICE("l20", "On_Demand", "2026-10-26", "acme", QUOTES) == 4.0
    assert PRICE("X-1", "on_demand", None, None, QUOTES) == 9.5  # a card that gpusheet does not know
    assert code(PRICE, "L20", "on_demand", 40000, None, QUOTES) == "#N/A"
    assert code(PRICE, "L20", "monthly", None, None, QUOTES) == "#N/A"
    assert code(PRICE, "L20", "on_demand", None, "acne", QUOTES) == "#N/A"


def test_a_price_row_that_cannot_be_read_is_an_error_where_it_matters() -> None:
    with pytest.raises(CellError, match=r"table row 5, snapshot_date: found '27/10/2026', allowed a date"):
        PRICE("H20-96G", "on_demand", None, None, QUOTES)
    with pytest.raises(CellError, match=r"table row 6, price: found '7,5', allowed a number above 0"):
        PRICE("L40S", "on_demand", None, None, QUOTES)
    assert code(PRICE, "L20", "on_demand", None, None, [row[:4] for row in QUOTES]) == "#VALUE!"


@pytest.mark.parametrize("day", ["yesterday", True, -1, 0, 1e9, [[1, 2]], "2026-13-01", "２０２６-10-27"])
def test_what_is_no_date_is_refused(day: Any) -> None:
    assert code(PRICE, "L20", "on_demand", day) == "#VALUE!"


def test_the_reason_of_a_missing_price() -> None:
    reason = functions()["ERROR_REASON"]
    assert reason("GPU_PRICE", "H100 SXM", "on_demand").endswith("name one as price_list")
    assert reason("GPU_PRICE", "L20", "hourly").startswith("GPU_PRICE: pricing_model: 'hourly' is not known")
    assert reason("GPU_PRICE", "L20", "spot", 46300, "gongjiyun") == (
        "GPU_PRICE: no spot price of L20 in gongjiyun at or before 2026-10-05")
