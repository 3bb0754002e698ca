"""The sheets GpuCases and Compare hold what Python says, for every card and pricing model, and tell where they do not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import libreoffice
import pytest
from parity import agrees, random_inputs

from gpusheet.catalog import Gpu, columns
from gpusheet.catalog.planning import Contract, Plans
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.decisions.comparison import RESULTS, compare
from gpusheet.workbook.book import Built, build
from gpusheet.workbook.cached import write_with_values
from gpusheet.workbook.evaluate import Values, evaluate
from gpusheet.workbook.inputs import Inputs, sample
from gpusheet.workbook.layout import FIRST_COLUMN
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
    contract = Contract(contract="c", price_list="south", signed_on="2026-01-01", start_date="2026-01-01", term_months=12,
                        agreed_discount=0.3)  # fmt: skip
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
    assert len(best) > 3 and set(table.loc[table["result"] == "development", "gpu"]) >= {"RTX4090"}
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
    built = build(inputs, "en", 1)
    values = evaluate(built.book)
    places = list(zip(ranking(built, values, "monthly_cost"), ranking(built, values, "gpu_number"), strict=True))
    costs = [cost for cost, _ in places]
    assert len(costs) > len(set(costs))  # some cards cost the same by the hour and by the month
    assert places == sorted(places)


def test_every_result_is_told() -> None:
    builtin = sample().catalog
    price = next(one for one in builtin.prices if one.gpu == "H20-96G" and one.price_list == "极智算")
    tiny = builtin.find_gpu("L20").model_copy(update={"gpu": "Tiny", "aliases": None, "memory_gb": 1.5})
    odd = [price.model_copy(update=change) for change in (
        {"gpu": "L4", "listing": "a"}, {"gpu": "L4", "listing": "b"}, {"gpu": "A10", "currency": "EUR"})]
    names = ("H20-96G", "L4", "A10", "H200-141G-SXM", "RTX4090")
    gpus = (*(builtin.find_gpu(name) for name in names), tiny)
    catalog = replace(builtin, gpus=gpus, prices=(price, *odd))
    base = replace(sample(), catalog=catalog)
    told: set[str] = set()
    for change in (
        {}, {"cards": 1.0, "model": "Generic-70B", "weight_precision": "fp16"}, {"sizing_method": "serving", "tpot_target": 1e-4},
        {"requests_per_day": None, "peak_concurrency": None, "daily_active_users": None},
    ):  # fmt: skip
        inputs = looking_at(base, 1, gpu="H20-96G", **change)
        built = build(inputs, "zh", 1)
        values = evaluate(built.book)
        assert wrong(inputs, built, values) == []
        assert values.errors() == {}
        told |= set(python(inputs)["result"])
    assert told == set(RESULTS) - {"no_inputs", "no_facts", "no_figure"}


def test_what_is_missing_says_so_and_is_no_number() -> None:
    built = build(sample(), "en", 1)
    sheet: Any = built.book["GPUs"]
    letter = built.placed["GPUs"].letters["memory_gb"]
    sheet[f"{letter}{built.placed['GPUs'].first}"].value = None
    compared = built.results["Compare"]
    values = evaluate(built.book)
    first = [values.at("Compare", f"{compared.letters[name]}{compared.first}") for name in ("result", "cards", "monthly_cost")]
    assert first == ["facts of the card missing", "", ""]
    workloads, placed = built.book["Workloads"], built.placed["Workloads"]
    at = [one.workload for one in sample().workloads].index(sample().settings.looked_at or "")
    workloads[f"{placed.letters['output_tokens']}{placed.first + at}"].value = None
    values = evaluate(built.book)
    column = [values.at("Compare", f"{compared.letters['result']}{row}") for row in range(compared.first, compared.last + 1)]
    assert set(column) == {"workload incomplete", ""}
    assert ranking(built, values, "gpu") == [] and values.errors() == {}


def test_a_book_without_workloads_or_with_another_name_stays_blank() -> None:
    built = build(replace(sample(), workloads=()), "en", 1)
    values = evaluate(built.book)
    assert values.errors() == {} and ranking(built, values, "gpu") == []
    built = build(sample(), "en", 1)
    sheet: Any = built.book["Assumptions"]
    name = next(row[0] for row in sheet.iter_rows(max_col=1) if row[0].value == "looked_at")
    sheet[f"C{name.row}"].value = "nobody"
    values = evaluate(built.book)
    assert values.errors() == {} and ranking(built, values, "gpu") == []
    assert check(values, "Workload looked at") == 1


def added(book: Any, placed: Any, gpu: Gpu) -> None:
    """Types a card in the row under the table GPUs, which grows, as Excel does it."""
    sheet = book["GPUs"]
    table = sheet.tables["GPUs"]
    row = int(re.sub(r".*\D", "", table.ref)) + 1
    table.ref = re.sub(r"\d+$", str(row), table.ref)
    for column in columns(Gpu):
        sheet[f"{placed.letters[column.name]}{row}"].value = getattr(gpu, column.name)


def test_a_card_that_a_person_adds_is_compared(tmp_path: Path) -> None:
    plain = looking_at(sample(), 1)
    price = next(one for one in plain.catalog.prices if one.gpu == "H20-96G" and one.price_list == "极智算")
    inputs = replace(plain, catalog=replace(plain.catalog, prices=(*plain.catalog.prices, price.model_copy(update={"gpu": "X1"}))))
    built = build(inputs, "en", 1)
    new = [inputs.catalog.find_gpu("H20-96G").model_copy(update={"gpu": f"X{number}", "aliases": None}) for number in range(1, 8)]
    added(built.book, built.placed["GPUs"], new[0])
    values = evaluate(built.book)
    grown = replace(inputs, catalog=replace(inputs.catalog, gpus=(*inputs.catalog.gpus, new[0])))
    assert wrong(grown, built, values) == []
    assert check(values, "GPUs beyond") == 0 and "X1" in ranking(built, values, "gpu")
    for gpu in new[1:]:
        added(built.book, built.placed["GPUs"], gpu)
    values = evaluate(built.book)
    assert check(values, "GPUs beyond") == 2 and values.errors() == {}
    path = tmp_path / "grown.xlsx"
    built.book.save(path)
    read = read_book(path)
    assert read.lost == () and len(read.inputs.catalog.gpus) == len(inputs.catalog.gpus) + 7
    assert read.inputs.settings == inputs.settings
    anew = build(read.inputs, "en", 1)
    assert check(evaluate(anew.book), "GPUs beyond") == 0


@pytest.mark.parametrize(("sheet", "name"), [
    ("GpuCases", "replica_concurrency"), ("GpuCases", "memory_gb"), ("Compare", "monthly_cost")])  # fmt: skip
def test_a_poisoned_formula_is_found(sheet: str, name: str) -> None:
    """On the workload's own card, where the checks see it too."""
    inputs = looking_at(sample(), 4)
    built = build(inputs, "en", 1)
    cases, compared = built.results["GpuCases"], built.results["Compare"]
    number = [gpu.gpu for gpu in inputs.catalog.gpus].index(inputs.workloads[4].gpu)
    if sheet == "GpuCases":
        cell: Any = built.book[sheet].cell(cases.line(name), FIRST_COLUMN + number)
    else:
        cell = built.book[sheet][f"{compared.letters[name]}{compared.first + number * len(PRICING_MODELS)}"]
    cell.value = f"{cell.value}*1.5"
    values = evaluate(built.book)
    assert wrong(inputs, built, values)
    assert sum(check(values, words) for words in CHECKS) > 0


def test_a_price_and_a_fact_move_their_own_card_alone() -> None:
    """A price by 5%: the cost of that offer by as much. Memory: the concurrency of that card."""
    inputs = looking_at(sample(), 4)
    before = python(inputs).set_index(["gpu", "pricing_model"])
    for table, field, column in (("prices", "price", "monthly_cost"), ("gpus", "memory_gb", "replica_concurrency")):
        rows = list(getattr(inputs.catalog, table))
        place = next(i for i, row in enumerate(rows) if row.gpu == "RTX3090" and getattr(row, "pricing_model", "monthly") == "monthly"
                     and getattr(row, "price_list", "极智算") == "极智算")
        rows[place] = rows[place].model_copy(update={field: getattr(rows[place], field) * 1.05})
        moved = replace(inputs, catalog=replace(inputs.catalog, **{table: tuple(rows)}))
        built = build(moved, "en", 1)
        assert wrong(moved, built, evaluate(built.book)) == []
        after = python(moved).set_index(["gpu", "pricing_model"])
        apart = before.index[(before[column] != after[column]) & (before[column].notna() | after[column].notna())]
        assert {gpu for gpu, _ in apart} == {"RTX3090"}
        assert len(apart) == (1 if table == "prices" else len(PRICING_MODELS))


def test_formulas_of_compare_are_short_and_none_is_typed_number() -> None:
    built = build(sample(), "en", 1)
    for name in ("Compare", "GpuCases"):
        cells = [cell for row in built.book[name].iter_rows() for cell in row if cell.value is not None]
        assert not [cell.coordinate for cell in cells if cell.data_type == "n"]
    assert max(len(str(cell.value)) for row in built.book["Compare"].iter_rows() for cell in row if cell.data_type == "f") <= 120
