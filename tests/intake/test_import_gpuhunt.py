"""gpuhunt's catalog, as dstack publishes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from provider_files import DAY, GPUHUNT, TODAY, counts, csv_file, item, taken, told

from gpusheet.errors import GpusheetError
from gpusheet.intake.importers import Imported, Options, read_prices

LAMBDA = Options(provider="lambda", date=DAY, today=TODAY)


def imported(folder: Path, *rows: dict[str, str], options: Options = LAMBDA, header: tuple[str, ...] = GPUHUNT) -> Imported:
    return read_prices(csv_file(folder / "catalog.csv", header, rows), options)


def test_a_row_is_a_machine_in_dollars_an_hour(tmp_path: Path) -> None:
    made = imported(tmp_path, item(), item(spot="True", price="9.5"))
    assert made.kind == "gpuhunt catalog" and counts(made) == (2, 2, 0, 0) and not made.findings
    assert taken(made, "price_list", "listing", "gpu", "cards", "price", "currency", "per", "period", "pricing_model", "tax") == [
        ("lambda/us-west-2", "gpu_8x_h100", "H100-80G-SXM", 8.0, 23.92, "USD", "instance", "hour", "on_demand", "unstated"),
        ("lambda/us-west-2", "gpu_8x_h100", "H100-80G-SXM", 8.0, 9.5, "USD", "instance", "hour", "spot", "unstated"),
    ]  # fmt: skip
    assert made.prices[0].price_per_card == 2.99


@pytest.mark.parametrize(("name", "memory", "gpu"), [
    ("A100", "40.0", "A100-40G-SXM"), ("A100", "80.0", "A100-80G-SXM"), ("V100", "32", "V100-32G-SXM2"),
    ("H100NVL", "94.0", "H100-94G-NVL"), ("MI300X", "192", "MI300X"), ("RTX6000Ada", "48", "RTX6000Ada"), ("T4", "", "T4"),
])  # fmt: skip
def test_cards_by_name_and_memory(name: str, memory: str, gpu: str, tmp_path: Path) -> None:
    assert taken(imported(tmp_path, item(gpu_name=name, gpu_memory=memory)), "gpu") == [(gpu,)]


def test_what_is_no_price_of_a_card(tmp_path: Path) -> None:
    made = imported(
        tmp_path, item(gpu_count="0", gpu_name="", gpu_memory=""), item(gpu_name="v5p", gpu_memory="0"),
        item(gpu_name="H100", gpu_memory="40"), item(spot="maybe"), item(price=""), item(price="free"), item(gpu_name=""),
        item(gpu_count="8.5"), item(location="", instance_name="", price="24"),
    )  # fmt: skip
    assert taken(made, "price_list", "listing", "price") == [("lambda", None, 24.0)]
    assert counts(made) == (9, 1, 7, 1)
    assert told(made) == [
        ("warning", "unknown-gpu", "G3", "v5p"),
        ("warning", "unknown-gpu", "G4", "H100"),
        ("error", "not-allowed", "I5", "maybe"),
        ("warning", "no-price", "C6", ""),
        ("error", "not-a-number", "C7", "free"),
        ("warning", "unknown-gpu", "G8", ""),
        ("warning", "part-of-a-card", "F9", "8.5"),
    ]  # fmt: skip
    assert "no such card with 40 GB in GPUs; H100-80G-SXM has 80 GB" in made.findings[1].en


def test_a_file_of_several_providers_names_them_itself(tmp_path: Path) -> None:
    rows = [item(provider="lambda"), item(provider="runpod"), item(provider="")]
    made = imported(tmp_path, *rows, header=(*GPUHUNT, "provider"), options=Options(date=DAY, today=TODAY))
    assert taken(made, "price_list") == [("lambda/us-west-2",), ("runpod/us-west-2",)]
    assert counts(made) == (3, 2, 1, 0) and told(made) == [("error", "no-provider", "M4", "")]


def test_the_first_catalogs_had_fewer_columns(tmp_path: Path) -> None:
    made = imported(tmp_path, {name: item()[name] for name in GPUHUNT[:9]}, header=GPUHUNT[:9])
    assert taken(made, "price") == [(23.92,)]


def test_without_a_provider_nothing_is_guessed(tmp_path: Path) -> None:
    with pytest.raises(GpusheetError, match="give --provider"):
        imported(tmp_path, item(), options=Options(date=DAY, today=TODAY))
