"""The built-in data: everything is there, sourced, consistent, and equal to the published facts."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from gpusheet.catalog import Catalog, Price, columns
from gpusheet.catalog.load import DATA
from gpusheet.catalog.planning import Plans

CATALOG, PLANS = Catalog.builtin(), Plans.builtin()
SHARED = Path(__file__).parents[3] / "shared" / "data"


def shared(name: str) -> list[dict[str, str]]:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not beside the checkout")
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_counts() -> None:
    # a floor, so that a row that is added needs no test of its own and one that is lost is missed
    assert len(CATALOG.gpus) >= 60 and len(CATALOG.models) >= 93 and len(CATALOG.prices) >= 109
    assert len(CATALOG.precisions) >= 6 and len(CATALOG.distributions) >= 3
    assert [t.tier for t in CATALOG.tiers] == [0, 1, 2, 4, 8]
    assert [s.calendar_month for s in CATALOG.seasons] == list(range(1, 13))
    assert sum(s.season_factor for s in CATALOG.seasons) == 12 and CATALOG.fx == ()


@pytest.mark.parametrize("table", ["gpus", "models", "prices", "precisions", "distributions", "tiers", "seasons"])
def test_every_row_has_a_source(table: str) -> None:
    rows = getattr(CATALOG, table)
    assert rows and all(row.source and len(row.source) > 5 for row in rows)


@pytest.mark.parametrize("path", [p for p in sorted(DATA.rglob("*.csv")) if p.parent.name != "sample"], ids=lambda p: p.name)
def test_headers_are_the_field_names(path: Path) -> None:
    table = "prices" if path.parent.name == "prices" else path.stem.split(".")[0]
    row_type = type(getattr(PLANS if path.parent.name == "planning" else CATALOG, table)[0])
    assert path.read_text(encoding="utf-8").splitlines()[0].split(",") == [c.name for c in columns(row_type)]


def test_gpus_equal_the_published_facts() -> None:
    names = {
        "memory_gb_nominal": "memory_gb", "memory_mib_reported": "memory_mib", "memory_bandwidth_gbps": "bandwidth_gbs",
        "fp16_tflops_dense": "fp16_tflops", "fp8_tflops_dense": "fp8_tflops", "int8_tops_dense": "int8_tops",
        "fp4_tflops_dense": "fp4_tflops", "interconnect_gbps": "link_gbs", "pcie_gbps": "pcie_gbs",
        "max_gpus_per_node": "max_cards_per_node", "tdp_w": "tdp_w", "release_year": "release_year",
        "list_price_usd_typical": "list_price_usd",
    }
    # these show as two devices; per card there is twice the memory, and half as many cards as devices
    two_dies = {("MI250", "memory_mib_reported"): 2, ("MI250X", "memory_mib_reported"): 2,
                ("Ascend910C", "memory_mib_reported"): 2, ("MI250", "max_gpus_per_node"): 0.5,
                ("MI250X", "max_gpus_per_node"): 0.5}
    rows = shared("gpus.csv")
    by_name = {gpu.gpu: gpu for gpu in CATALOG.gpus}
    for row in rows:
        gpu = by_name[row["gpu"]]
        for theirs, ours in names.items():
            expected = float(row[theirs]) * two_dies.get((row["gpu"], theirs), 1) if row[theirs] else None
            assert getattr(gpu, ours) == expected, (row["gpu"], ours)
        assert (gpu.link, gpu.confidence) == (row["interconnect"], row["confidence"])
        assert (gpu.aliases or "").startswith(row["aliases"]), row["gpu"]


# what the models' own configs say against the collected table
CORRECTED = {
    "Kimi-K2.5": {"params_total_b": "1026.84", "max_context": "262144"},  # with its image encoder; config.json
    "Mistral-7B-v0.1": {"attention_kind": "sliding", "sliding_window": "4096", "sliding_layers": "32",
                        "full_attention_layers": "0"},  # only from v0.2 on there is no window
}  # fmt: skip


def test_models_equal_the_published_facts() -> None:
    names = {
        "params_total_b": "params_b", "params_active_b": "active_params_b", "layers": "layers", "hidden": "hidden",
        "q_heads": "q_heads", "kv_heads": "kv_heads", "head_dim": "head_dim", "kv_lora_rank": "kv_lora_rank",
        "qk_rope_head_dim": "qk_rope_head_dim", "sliding_window": "window_tokens", "sliding_layers": "sliding_layers",
        "vocab": "vocab", "intermediate": "intermediate", "n_experts": "n_experts",
        "experts_per_token": "experts_per_token", "max_context": "max_context",
    }
    rows = shared("models.csv")
    by_name = {model.model: model for model in CATALOG.models}
    for row in (one | CORRECTED.get(one["model"], {}) for one in rows):
        model = by_name[row["model"]]
        for theirs, ours in names.items():
            blank = None if ours in ("n_experts", "experts_per_token") else 0
            assert getattr(model, ours) == (float(row[theirs]) if row[theirs] else blank), (row["model"], ours)
        full = float(row["full_attention_layers"] or row["layers"])
        assert (model.hf_id, model.attention_kind) == (row["hf_id"], row["attention_kind"])
        assert model.full_attention_layers == full, row["model"]


def test_prices_equal_the_published_lists() -> None:
    rows = [row for row in shared("prices_2026-10-27.csv") + shared("prices_sample.csv") if row["snapshot_date"]]
    keys = ("snapshot_date", "price_list", "listing", "gpu", "currency", "per", "period", "pricing_model", "tax")

    def ours(p: Price) -> tuple[object, ...]:
        return (*(str(getattr(p, key) or "") for key in keys), p.cards, p.price, p.available)

    theirs = [(*(row[key] for key in keys), float(row["cards"]), float(row["price"]), row["available"] or "unknown")
              for row in rows]
    assert set(map(str, theirs)) <= set(map(str, map(ours, CATALOG.prices)))


def test_uncertain_models_say_so() -> None:
    for model in CATALOG.models:
        words = f"{model.source} {model.notes}"
        if any(word in words for word in ("UNCERTAIN", "nominal", "doubtful")) or model.attention_kind == "hybrid":
            assert model.confidence == "low", model.model
        if "from general knowledge" in words:
            assert model.confidence in ("low", "medium"), model.model
        if model.attention_kind == "hybrid":
            assert model.state_elements and model.state_bytes_per_request, model.model
    mimo = CATALOG.find_model("MiMo-V2-Flash")
    assert mimo.full_attention_layers == mimo.layers and "upper bound" in (mimo.notes or "")


def test_generic_models_have_the_articles_shape() -> None:
    shape = {m.model: (m.params_b, m.attention_kind, m.layers, m.kv_heads, m.head_dim) for m in CATALOG.models
             if m.model.startswith("Generic-")}
    assert shape == {"Generic-7B": (7, "mha", 32, 32, 128), "Generic-32B": (32, "gqa", 64, 8, 128),
                     "Generic-70B": (70, "gqa", 80, 8, 128)}
    for generic, real in (("Generic-32B", "Qwen2.5-32B"), ("Generic-70B", "Meta-Llama-3.1-70B")):
        a, b = CATALOG.find_model(generic), CATALOG.find_model(real)
        assert (a.layers, a.q_heads, a.kv_heads, a.head_dim) == (b.layers, b.q_heads, b.kv_heads, b.head_dim)


def test_reference_throughput_and_usage() -> None:
    known = {g.gpu: (g.reference_throughput, g.reference_weights_gb) for g in CATALOG.gpus if g.reference_throughput}
    a100 = (2500, 26)
    assert known == {"A100-80G-PCIe": a100, "A100-80G-SXM": a100, "H100-80G-SXM": (6250, 26), "L20": (1800, 7)}
    for gpu in CATALOG.gpus:
        assert (gpu.usage == "development") == gpu.description.startswith("GeForce"), gpu.gpu
        assert (gpu.usage == "development") == ("usage: token throughput article [A]" in gpu.source), gpu.gpu


def test_prices_are_of_known_cards_and_told_apart() -> None:
    cards = {g.gpu for g in CATALOG.gpus}
    assert {p.gpu for p in CATALOG.prices} <= cards
    keys = [(p.snapshot_date, p.price_list, p.gpu, p.pricing_model, p.listing) for p in CATALOG.prices]
    assert len(set(keys)) == len(keys)
    assert {p.tax for p in CATALOG.prices} == {"unstated"}


def test_small_tables() -> None:
    plain = {p.precision: (p.weight_bytes, p.weight_correction) for p in CATALOG.precisions}
    article = {"fp16": (2, 1), "bf16": (2, 1), "fp8": (1, 1), "int8": (1, 1), "int4": (0.5, 1.1), "fp4": (0.5, 1.1)}
    assert {name: plain[name] for name in article} == article
    for p in CATALOG.precisions:  # [B] counts a format as its like
        assert (p.weight_bytes, p.weight_correction) == ((0.5, 1.1) if p.four_bit else article[p.matmul])  or p.matmul == "fp16"
    assert {d.distribution: (d.p95_factor, d.fragmentation) for d in CATALOG.distributions} == {
        "uniform": (1.9, 0.95), "normal": (1 + 1.645 * 0.3, 0.9), "long_tail": (4, 0.85)}
