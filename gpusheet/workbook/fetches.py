"""The tables from which each workload takes a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpusheet.catalog import Distribution, Engine, Generation, Gpu, Model, Precision, Row, columns
from gpusheet.catalog.planning import Scenario

CHANGES = tuple(c.name for c in columns(Scenario) if c.name not in ("scenario", "price_drift", "notes"))


@dataclass(frozen=True)
class Fetch:
    """A table from which a workload takes a row: by which of its lines, and under which names if not its own."""

    table: str
    key: str
    row_type: type[Row]
    asked: str
    prefix: str
    title: tuple[str, str]
    renamed: Mapping[str, str] = field(default_factory=dict)  # only these, under other names
    leads: tuple[str, ...] = ()  # texts by which further tables are asked
    also: tuple[str, ...] = ()  # columns that no rule of Sizing names


FETCHES = (
    Fetch("GPUs", "gpu", Gpu, "gpu", "gpu", ("Facts of the card", "GPU 规格"), leads=("generation",)),
    Fetch("Models", "model", Model, "model", "model", ("Facts of the model", "模型参数")),
    Fetch("Scenarios", "scenario", Scenario, "scenario", "scenario", ("Changes of the scenario", "情景的改变"), also=CHANGES),
    Fetch("Generations", "generation", Generation, "generation", "generation", ("Generation of the card", "架构代次系数")),
    Fetch("Precisions", "precision", Precision, "weight_precision", "weight", ("Format of the weights", "权重精度")),
    Fetch("Precisions", "precision", Precision, "kv_precision", "kv", ("Format of the cache", "KV 精度"),
          renamed={"weight_bytes": "kv_bytes"}),
    Fetch("Distributions", "distribution", Distribution, "length_distribution", "length", ("Lengths", "长度分布")),
    Fetch("Engines", "engine", Engine, "engine", "engine", ("Engine", "推理引擎系数")),
)  # fmt: skip
