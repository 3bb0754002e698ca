"""Budgets without the cards and models that no workload names: what is computed for a workload is the same, in a small book."""

from __future__ import annotations

from dataclasses import replace

from gpusheet.workbook.inputs import Inputs


def lean(inputs: Inputs, workloads: int | None = None) -> Inputs:
    """The same budget, of its first workloads if so many are wanted."""
    kept = inputs.workloads[:workloads]
    gpus, models = ({getattr(one, name) for one in kept} for name in ("gpu", "model"))
    catalog = replace(
        inputs.catalog, gpus=tuple(one for one in inputs.catalog.gpus if one.gpu in gpus),
        models=tuple(one for one in inputs.catalog.models if one.model in models),
        prices=tuple(one for one in inputs.catalog.prices if one.gpu in gpus))  # fmt: skip
    return replace(inputs, catalog=catalog, workloads=kept)
