"""The sheets GpuCases and Compare hold what Python says, for every card and pricing model, and tell where they do not."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import libreoffice
import pytest
from parity import agrees, random_inputs

from gpusheet.catalog import Catalog, Gpu
from gpusheet.catalog.planning import Contract, Plans
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.comparison import RESULTS, compare
from gpusheet.workbook.book import Built, build
from gpusheet.workbook.cached import write_with_values
from gpusheet.workbook.evaluate import Values, evaluate
from gpusheet.workbook.inputs import Inputs, sample
from gpusheet.workbook.reader import read_book
from gpusheet.workbook.results.compare import BEFORE, BEST, NOW, SUMMED

METHODS = ("serving", "throughput", "constraint", "segment")
FIGURES = (
    "cards", "replica_concurrency", "cards_needed", "card_tier", "free_cards", "tier_margin", "card_month_price", "monthly_cost",
    "cost_per_million_output_tokens", "rank",
)  # fmt: skip


def looking_at(inputs: Inputs, number: int, price_list: str | None = None, **change: Any) -> Inputs:
    """The inputs with a workload looked at, which may be changed."""
    workloads = list(inputs.workloads)
    workloads[number] = workloads[number].model_copy(update=change)
    settings = inputs.settings.model_copy(update={"looked_at": workloads[number].workload, "compared_list": price_list})
    return replace(inputs, workloads=tuple(workloads), settings=settings)


def python(inputs: Inputs) -> Any:
    wanted = inputs.settings.looked_at
    workload = next((one for one in inputs.workloads if one.workload == wanted), inputs.workloads[0])
    return compare(workload, inputs.context, inputs.settings.compared_list)


def wrong(inputs: Inputs, built: Built, values: Values) -> list[str]:
    """The cells of Compare that do not hold what Python says."""
    table, sheet = python(inputs), built.results["Compare"]
    lang = built.results["Compare"].lang == "zh"
    found = []
    for place, row in enumerate(table.to_dict("records")):
        wanted = {name: row[name] for name in FIGURES} | {
            "gpu": row["gpu"], "pricing_model": row["pricing_model"], "result": RESULTS[row["result"]][lang], "own": float(row["own"])}
        for name, value in wanted.items():
            cell = f"{sheet.letters[name]}{sheet.first + place}"
            if not agrees(value, values.at("Compare", cell)):
                found.append(f"{cell} {row['gpu']} {row['pricing_model']} {name}: Python {value!r}, {values.at('Compare', cell)!r}")
    return found


def ranking(built: Built, values: Values, name: str) -> list[Any]:
    letter = built.results["Compare"].letters[name]
    cells = [values.at("Compare", f"{letter}{row}") for row in range(BEFORE + 1, BEFORE + BEST + 1)]
    return [cell for cell in cells if cell not in (None, "")]


def check(values: Values, words: str) -> Any:
    """The value of a check, by the beginning of its words."""
    rows = values.sheets["Checks"]
    return next(row[3] for row in rows if isinstance(row[1], str) and row[1].startswith(words))


CHECKS = (
    "Workload looked at that is not", "GPUs beyond the columns", "Compare: the choice of now", "Compare: offers that fit",
    "GpuCases: lines of the own card", "Error values on GpuCases", "Error values on Compare",
)  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", [3, 8])
def test_random_workloads_are_as_python_compares_them(seed: int, method: str) -> None:
    contract = Contract(contract="c", price_list="south", start_date="2026-01-01", term_months=12, agreed_discount=0.3)
    inputs = replace(random_inputs(seed, 4), plans=replace(Plans.builtin(), contracts=(contract,)))
    inputs = replace(inputs, settings=inputs.settings.model_copy(update={"scenario": "High"}))
    results = set()
    for number in range(2):
        looked = looking_at(inputs, number, "south" if number else None, sizing_method=method)
        built = build(looked, "en", 1, spare=1)
        values = evaluate(built.book)
        assert wrong(looked, built, values) == []
        assert [check(values, words) for words in CHECKS] == [0] * len(CHECKS)
        results |= set(python(looked)["result"])
    assert len(results) > 1


@pytest.mark.parametrize(("lang", "number"), [("en", 0), ("zh", 4)])
def test_every_card_of_the_sample_is_compared(lang: str, number: int, tmp_path: Path) -> None:
    inputs = looking_at(sample(lang), number)
    built = build(inputs, lang, 2)
    path = tmp_path / "book.xlsx"
    values = write_with_values(built.book, path)
    assert wrong(inputs, built, values) == []
    assert values.errors() == {}
    table = python(inputs)
    assert len(table) == len(inputs.catalog.gpus) * len(PRICING_MODELS)
    best = table[table["rank"].notna()].sort_values("rank")
    assert len(best) > 5
    assert ranking(built, values, "gpu") == best["gpu"].tolist()[:BEST]
    assert ranking(built, values, "monthly_cost") == pytest.approx(best["monthly_cost"].tolist()[:BEST])
    assert libreoffice.differences(built.book, values, libreoffice.recalculate(path)) == []


def test_what_belongs_to_the_own_card_stays_with_it() -> None:
    """Measured, fixed, owned and committed: on every other card the workload is as if none of it were typed."""
    typed = {"concurrency": 3.0, "card_throughput": 100.0, "fixed_cards": 7.0, "owned_cards": 2.0, "committed_cards": 1.0, "cards": 2.0}
    plain, inputs = sample(), looking_at(sample(), 1, **typed)
    blank = looking_at(plain, 1, **dict.fromkeys(typed))
    built = build(inputs, "en", 1)
    values = evaluate(built.book)
    assert wrong(inputs, built, values) == []
    ours, without = python(inputs), python(blank)
    own = ours["gpu"] == inputs.workloads[1].gpu
    columns = ["cards", "replica_concurrency", "cards_needed", "monthly_cost"]
    assert ours.loc[~own, columns].equals(without.loc[~own, columns])
    assert ours.loc[own, ["cards", "replica_concurrency", "cards_needed"]].values.tolist() == [[2.0, 3.0, 7.0]] * 4
    assert ours.loc[own, "net_cards"].tolist() == [5.0] * 4  # the tier of 8 less 3


def test_the_choice_of_now_is_the_workload_of_summary() -> None:
    for number in (0, 3):
        inputs = looking_at(sample(), number)
        built = build(inputs, "en", 1)
        values = evaluate(built.book)
        letters = built.results["Compare"].letters
        for name in ("gpu", "pricing_model", "cards", "card_tier", "monthly_cost", "cost_per_million_output_tokens"):
            now, summary = (values.at("Compare", f"{letters[name]}{row}") for row in (NOW, SUMMED))
            own = values.at("Summary", f"{built.summary.letters[name]}{built.summary.first + number}")
            assert now == summary == own
    assert check(values, "Compare: the choice of now") == 0


def test_another_price_list_is_compared() -> None:
    inputs = looking_at(sample(), 0, "极智算")
    built = build(inputs, "en", 1)
    values = evaluate(built.book)
    assert wrong(inputs, built, values) == []
    assert ranking(built, values, "gpu") != ranking(built, evaluate(build(looking_at(sample(), 0), "en", 1).book), "gpu")
    assert values.at("Checks", "D4") == 0  # prices of another list do not have to be those of Summary


def test_ties_keep_the_order_of_the_tables() -> None:
    inputs = looking_at(sample(), 1)
    gpus = [gpu if gpu.gpu != "L20" else twin(inputs, "H20-96G") for gpu in inputs.catalog.gpus]
    table = python(replace(inputs, catalog=replace(inputs.catalog, gpus=gpus)))
    built = build(inputs, "en", 1)
    values = evaluate(built.book)
    costs = ranking(built, values, "monthly_cost")
    assert len(costs) > len(set(costs))  # 按量 and 包月 of one card cost the same
    assert ranking(built, values, "gpu_number") == sorted(ranking(built, values, "gpu_number"), key=lambda row: (
        costs[ranking(built, values, "gpu_number").index(row)], row))
    assert table["rank"].dropna().is_unique


def twin(inputs: Inputs, name: str) -> Gpu:
    return inputs.catalog.find_gpu(name).model_copy(update={"gpu": "Twin", "aliases": None})
