"""The most requests within the targets: the closed form against trying every number of requests by the rules of a load."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy
import pandas

from gpusheet.catalog import Catalog, Workload
from gpusheet.lookup import Context, frame, look_up
from gpusheet.solver import solve

ROWS = 1500


@cache
def drawn() -> pandas.DataFrame:
    """Inputs of random replicas that have room for a cache; calibrated at random too."""
    chance, catalog, context = random.Random(4), Catalog.builtin(), Context()
    models = [model.model for model in catalog.models if model.vocab]
    found = [
        look_up(
            Workload(
                workload="w", gpu=chance.choice(catalog.gpus).gpu, model=chance.choice(models),
                cards=chance.choice([1, 2, 4, 8, 8]), weight_precision=chance.choice(["fp16", "fp8", "int4"]),
                engine=chance.choice(["vllm-0.21", "sglang-0.5.3", "tensorrt-llm-1.0"]),
                input_tokens=chance.choice([64, 512, 2048, 8192]), output_tokens=chance.choice([16, 128, 512, 2048]),
                ttft_target=chance.choice([0.3, 1, 2, 5]), tpot_target=chance.choice([0.015, 0.025, 0.05, 0.1]),
            ),
            context,
        )
        for _ in range(ROWS)
    ]  # fmt: skip
    table = frame(found)
    numbers = numpy.random.default_rng(4)
    for name in ("calibration_step", "calibration_prompt", "calibration_first_token"):
        table[name] = numpy.exp(numbers.normal(0, 0.3, ROWS))
    room = solve(table)["most_running"] >= 1
    return table[room].reset_index(drop=True)


def at(requests: Any) -> pandas.DataFrame:
    """All quantities with so many requests in flight."""
    solved: pandas.DataFrame = solve(drawn().assign(offered_concurrency=numpy.maximum(requests, 1.0)))
    return solved


def within(solved: pandas.DataFrame) -> Any:
    return ((solved["tpot_s"] <= solved["tpot_target"]) & (solved["ttft_s"] <= solved["ttft_target"])).to_numpy()


@cache
def most() -> Any:
    """The most requests within both targets, by halving: both times grow with the requests."""
    most_running = numpy.floor(at(1.0)["most_running"].to_numpy() + 1e-9)
    low, high = numpy.zeros(len(most_running)), most_running + 1
    while (high - low > 1).any():
        middle = numpy.floor((low + high) / 2)
        fits = within(at(middle)) & (middle >= 1)
        low, high = numpy.where(fits, middle, low), numpy.where(fits, high, middle)
    return low


def test_the_sample_is_worth_the_name() -> None:
    experts = (at(1.0)["expert_share"] > 0).to_numpy()
    assert len(experts) > 500 and (most() >= 1).sum() > 300 and (experts & (most() >= 1)).sum() > 40
    assert (most() == 0).sum() > 50


def test_what_the_closed_form_allows_keeps_the_targets() -> None:
    found = at(1.0)["serving_concurrency"].to_numpy()
    assert (found <= most()).all()


def test_the_closed_form_gives_little_away() -> None:
    """Most where many short prompts come at once: the time of a mixed step is then no line."""
    solved = at(1.0)
    found, best = solved["serving_concurrency"].to_numpy(), most()
    share = found[best >= 1] / best[best >= 1]
    experts = (solved["expert_share"] > 0).to_numpy()[best >= 1]
    for kind in (share[~experts], share[experts]):
        assert numpy.median(kind) == 1 and kind.mean() > 0.96 and (kind < 0.8).mean() < 0.06
    assert (found[best >= 1] >= 1).mean() > 0.99


def test_times_at_that_concurrency_are_those_of_the_load() -> None:
    """Two ways to the same figure: the rules of the targets, and those of a load of as many requests."""
    found = at(1.0)["serving_concurrency"].to_numpy()
    loaded, able = at(found), found >= 1
    for one, other in (("target_tpot_s", "tpot_s"), ("target_ttft_s", "ttft_s"), ("target_request_s", "served_s")):
        numpy.testing.assert_allclose(loaded[one][able], loaded[other][able], rtol=1e-9)
    ended = loaded["output_tokens_per_s"] / loaded["output_tokens"]
    numpy.testing.assert_allclose(loaded["replica_qps"][able], ended[able], rtol=1e-9)
