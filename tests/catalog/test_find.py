"""Look-ups: names in any spelling, prices as of a day, and an answer to what is not there."""

from __future__ import annotations

import datetime
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gpusheet.catalog import AmbiguousPrice, Catalog, Gpu, Price, catalog, load
from gpusheet.errors import GpusheetError, UnknownName

CATALOG = Catalog.builtin()
PRICE = {
    "price_list": "cloud/east", "gpu": "L20", "cards": 1, "currency": "CNY", "per": "card", "period": "hour",
    "pricing_model": "on_demand", "tax": "included", "source": "quote",
}


def priced(*rows: dict[str, object]) -> Catalog:
    return replace(CATALOG, prices=[Price.read(PRICE | row) for row in rows])


def day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


@pytest.mark.parametrize("gpu", CATALOG.gpus, ids=lambda g: g.gpu)
def test_every_name_of_a_gpu_finds_it(gpu: Gpu) -> None:
    for name in [gpu.gpu, *(gpu.aliases or "").split(";")]:
        for spelling in (name, name.upper(), f" {name.lower()} ", name.replace("-", " "), name.replace(" ", "_")):
            assert CATALOG.find_gpu(spelling) is gpu, spelling


@pytest.mark.parametrize(("name", "found"), [
    ("H20 96G", "H20-96G"), ("NVIDIA H100 80GB HBM3", "H100-80G-SXM"), ("nvidia b300", "B300-SXM"),
    ("NVIDIA RTX 4090 48G", "RTX4090-48G"), ("昇腾910B3", "Ascend910B3"),
])
def test_names_people_use(name: str, found: str) -> None:
    assert CATALOG.find_gpu(name).gpu == found


def test_every_name_of_a_model_finds_it() -> None:
    for model in CATALOG.models:
        ids = [model.hf_id, model.hf_id.split("/")[1]] if model.hf_id else []
        for name in [model.model, *ids, *(model.aliases or model.model).split(";")]:
            assert CATALOG.find_model(name) is model and CATALOG.find_model(name.upper()) is model, name


@pytest.mark.parametrize(("name", "found"), [
    ("LLaMA v3.1 70B", "Meta-Llama-3.1-70B"), ("qwen3 32b", "Qwen3-32B"), ("Qwen/Qwen2.5-7B", "Qwen2.5-7B"),
    ("DeepSeek-Coder-V2", "DeepSeek-V2 / Coder-V2"), ("generic 7b", "Generic-7B"),
])
def test_model_names_people_use(name: str, found: str) -> None:
    assert CATALOG.find_model(name).model == found


def test_unknown_names_get_the_nearest() -> None:
    with pytest.raises(UnknownName, match="^gpu: 'L21' is not known; did you mean .*L20"):
        CATALOG.find_gpu("L21")
    with pytest.raises(UnknownName, match="^model: 'Qwen3-33B' is not known; did you mean Qwen3-32B"):
        CATALOG.find_model("Qwen3-33B")


def gpu(name: str, aliases: str = "") -> Gpu:
    return Gpu.read(dict(CATALOG.gpus[0]) | {"gpu": name, "aliases": aliases})


def test_a_name_claimed_twice_is_refused() -> None:
    with pytest.raises(GpusheetError, match="gpu: the name 'Two' is claimed by One and Two; leave it to one"):
        Catalog(gpus=[gpu("One", "two"), gpu("Two")]).find_gpu("One")
    with pytest.raises(GpusheetError, match="the name 'one' is claimed by One and one"):
        Catalog(gpus=[gpu("One"), gpu("one")]).find_gpu("One")


def test_a_loose_spelling_of_two_cards_is_unknown() -> None:
    two = Catalog(gpus=[gpu("X-1"), gpu("X1")])
    assert two.find_gpu("x-1").gpu == "X-1" and two.find_gpu("x1").gpu == "X1"
    with pytest.raises(UnknownName, match="did you mean X"):
        two.find_gpu("X 1")


def test_price_as_of_a_day() -> None:
    prices = priced({"snapshot_date": "2026-08-01", "price": 5}, {"snapshot_date": "2026-10-01", "price": 4})

    def at(as_of: str) -> float | None:
        found = prices.find_price("NVIDIA L20", "On_Demand", day(as_of))
        return found.price if found else None

    assert [at(d) for d in ("2026-07-31", "2026-08-01", "2026-09-30", "2026-10-01")] == [None, 5.0, 5.0, 4.0]
    newest = prices.find_price("L20", "on_demand")
    assert newest is not None and newest.price == 4.0


def test_missing_price_is_missing() -> None:
    assert CATALOG.find_price("L20", "monthly") is None
    assert CATALOG.find_price("H20 96G", "on_demand", day("2026-10-26")) is None
    assert CATALOG.find_price("L20", "on_demand", price_list="autodl") is None


def test_several_price_lists_are_not_chosen_between() -> None:
    with pytest.raises(AmbiguousPrice, match=r"L20, on_demand: found in 2 price lists \(east, west\); name one"):
        priced({"snapshot_date": "2026-08-01", "price": 5, "price_list": "west"},
               {"snapshot_date": "2026-10-01", "price": 4, "price_list": "east"}).find_price("L20", "on_demand")


def test_several_listings_have_to_be_named() -> None:
    def find(listing: str | None) -> Price | None:
        return CATALOG.find_price("A10", "on_demand", price_list="OCI/us-ashburn-1", listing=listing)

    offers = r"on 2026-09-06 \(BM.GPU.A10.4, VM.GPU.A10.1\); name one as listing"
    with pytest.raises(AmbiguousPrice, match=rf"found 2 in oci/us-ashburn-1 {offers}"):
        find(None)
    one = find("bm.gpu.a10.4")
    assert one is not None and one.price_per_card == 2.0 and find("none") is None


def test_unknown_pricing_model_and_list() -> None:
    with pytest.raises(UnknownName, match="pricing_model: 'ondemand' is not known; did you mean on_demand"):
        CATALOG.find_price("L20", "ondemand")
    with pytest.raises(UnknownName, match="price_list: 'autodI' is not known; did you mean autodl"):
        CATALOG.find_price("L20", "on_demand", price_list="autodI")
    with pytest.raises(UnknownName, match="^gpu: 'L21'"):
        CATALOG.find_price("L21", "on_demand")


@pytest.mark.parametrize(("gpu_name", "hour", "month"), [
    ("RTX3090", 1.45, 1044), ("RTX4090", 1.57, 1073), ("RTX4090-48G", 2.86, 1956), ("H20-96G", 6.2, 4464),
    ("H200-141G-SXM", 13.94, 10036),
])
def test_the_articles_prices(gpu_name: str, hour: float, month: float) -> None:
    found = [CATALOG.find_price(gpu_name, m, price_list="极智算") for m in ("on_demand", "monthly")]
    assert [(p.price, p.currency, p.period, p.available) for p in found if p] == [
        (hour, "CNY", "hour", "no"), (month, "CNY", "month", "no")]


def test_a_new_snapshot_is_one_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = ",".join(Price.model_fields)
    line = "2027-01-05,cloud/east,,L20,1,3.5,CNY,card,hour,on_demand,included,yes,quote,\n"
    (tmp_path / "prices").mkdir()
    (tmp_path / "prices" / "2027-01-05.csv").write_text(f"{header}\n{line}", encoding="utf-8")
    monkeypatch.setattr(catalog, "DATA", tmp_path)
    assert [p.price for p in catalog._snapshots()] == [3.5]
    (tmp_path / "prices" / "2027-01-06.csv").write_text(f"{header}\n{line}", encoding="utf-8")
    with pytest.raises(GpusheetError, match="^2027-01-06.csv: found snapshot_date 2027-01-05, allowed 2027-01-06"):
        list(catalog._snapshots())


def test_import_is_light_and_tables_are_read_on_first_use() -> None:
    code = (
        "import sys; from gpusheet.catalog import Catalog;"
        "heavy = {'numpy', 'pandas', 'openpyxl', 'formualizer'} & set(sys.modules); assert not heavy, heavy;"
        "assert Catalog.builtin.cache_info().currsize == 0;"
        "assert Catalog.builtin() is Catalog.builtin()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=load.DATA.parents[2])
