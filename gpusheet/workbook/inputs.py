"""Everything that a budget workbook is made from."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from gpusheet.calibration.assumptions_file import read_assumptions
from gpusheet.catalog import Assumptions, Catalog, OtherCost, Row, Workload, read_table
from gpusheet.catalog.load import DATA
from gpusheet.catalog.planning import PLANNING, Earlier, Plans
from gpusheet.catalog.settings import Settings
from gpusheet.lookup import Context


@dataclass(frozen=True)
class Inputs:
    """The typed content of a budget: what a person may change."""

    settings: Settings
    assumptions: Assumptions = field(default_factory=Assumptions)
    catalog: Catalog = field(default_factory=Catalog.builtin)
    workloads: Sequence[Workload] = ()
    other_costs: Sequence[OtherCost] = ()
    sources: Mapping[str, str] = field(default_factory=dict)  # of assumptions whose value is from elsewhere than the default
    plans: Plans = field(default_factory=Plans.builtin)

    @property
    def context(self) -> Context:
        return Context(
            self.catalog, self.assumptions, self.settings.as_of, self.settings.currency, self.settings.prepared_on,
            self.plans.find_scenario(self.settings.scenario), self.plans, self.settings.budget_start,
        )  # fmt: skip

    @property
    def digest(self) -> str:
        """A short hash of all inputs: two workbooks with the same one were made from the same numbers."""
        catalog = self.catalog
        tables: tuple[Sequence[Row], ...] = (
            catalog.gpus, catalog.models, catalog.prices, catalog.precisions, catalog.distributions, catalog.tiers,
            catalog.seasons, catalog.engines, catalog.generations, catalog.fx, self.workloads, self.other_costs,
            (self.settings, self.assumptions), *(getattr(self.plans, field) for _, field, _ in PLANNING.values()),
        )  # fmt: skip
        rows: list[object] = [[row.model_dump(mode="json") for row in table] for table in tables]
        rows += [[one.index, str(dict(one.line))] for one in catalog.unpriced]
        text = json.dumps(rows)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


    def assuming(self, path: Path) -> Inputs:
        """The same with the assumptions of a file, and their sources, in place."""
        found = read_assumptions(path)
        values = Assumptions.read(dict(self.assumptions) | found.values)
        return replace(self, assumptions=values, sources={**self.sources, **found.sources})


SAMPLE = Path(DATA) / "sample"


@cache
def sample(lang: str = "en") -> Inputs:
    """The built-in sample: the articles' cases, priced in CNY, each by its article's method; looked at is one to buy for."""
    workloads = tuple(read_table(Workload, SAMPLE / f"workloads.{lang}.csv"))
    made = Inputs(
        settings=Settings(
            title="GPU 推理算力预算(样例)" if lang == "zh" else "GPU budget for LLM inference (sample)",
            prepared_by="gpusheet",
            prepared_on=datetime.date(2026, 11, 1),
            as_of=datetime.date(2026, 10, 27),
            budget_start=datetime.date(2027, 1, 1),
            looked_at=next(one.workload for one in workloads if one.capex is not None),
        ),
        workloads=workloads,
        other_costs=tuple(read_table(OtherCost, SAMPLE / f"other_costs.{lang}.csv")),
        plans=replace(Plans.builtin(lang), earlier=tuple(read_table(Earlier, SAMPLE / f"earlier.{lang}.csv"))),
    )
    return made.assuming(SAMPLE / f"assumptions.{lang}.csv")
