"""Factors from load tests: they help from three runs on, stay at 1 without evidence, and a bad run is named."""

from __future__ import annotations

from dataclasses import replace

import numpy
import pytest
from load_tests import LOADS, REPLICA, TRUE, made, slowed

from gpusheet.calibration.fit import calibrate
from gpusheet.calibration.runs import Run
from gpusheet.catalog import Assumptions
from gpusheet.errors import GpusheetError
from gpusheet.lookup import Context, frame
from gpusheet.serving_rows import read
from gpusheet.solver import solve

UNSEEN = ((3000, 300, 24), (1500, 800, 48), (700, 150, 96))
TIMES = ("tpot_s", "ttft_s", "output_tokens_per_s")


def errors_on(runs: list[Run], factors: dict[str, float]) -> dict[str, float]:
    """Median errors on runs that no fit has seen."""
    found = [read(run.cells, 1, Context(assumptions=Assumptions(**factors))) for run in runs]
    solved = solve(frame(found), tiers=found[0].values["tiers"])
    return {
        name: float(numpy.median([abs(solved[name][place] / run.measured[name] - 1) for place, run in enumerate(runs)]))
        for name in TIMES
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("true", [
    TRUE,
    {"calibration_step": 0.75, "calibration_prompt": 0.8, "calibration_first_token": 0.6},
    {"calibration_step": 1.1, "calibration_prompt": 0.9, "calibration_first_token": 3.0},
], ids=["slower", "faster", "mixed"])  # fmt: skip
def test_three_runs_help_on_runs_that_were_not_seen(true: dict[str, float], seed: int) -> None:
    found = calibrate(made(true=true, seed=seed))
    assert not [one.bad for one in found.runs if one.bad]
    unseen = made(UNSEEN, true, seed=seed + 100)
    before, after = errors_on(unseen, {}), errors_on(unseen, found.values)
    for name in TIMES:
        assert after[name] < max(0.7 * before[name], 0.12), (name, before, after)
        own_before, own_after = found.error(name, "before"), found.error(name, "after")
        assert own_before is not None and own_after is not None and own_after < max(own_before, 0.05)


def test_more_runs_find_the_factors() -> None:
    found = calibrate(made(LOADS))
    for factor in found.factors:
        assert factor.told and factor.low <= TRUE[factor.name] <= factor.high, factor
        assert factor.value == pytest.approx(TRUE[factor.name], rel=0.2)
    assert found.error("tpot_s", "unseen") is not None and (found.error("tpot_s", "unseen") or 1) < 0.06


def test_without_anything_to_mend_factors_stay_at_one() -> None:
    found = calibrate(made(true={}, noise=0))
    assert all(factor.value == pytest.approx(1, abs=1e-3) for factor in found.factors)
    assert (found.error("tpot_s", "after") or 0) < 1e-3


def test_what_was_not_measured_is_not_told() -> None:
    runs = [replace(run, measured={"tpot_s": run.measured["tpot_s"]}) for run in made(noise=0)]
    found = {factor.name: factor for factor in calibrate(runs).factors}
    assert found["calibration_step"].told and found["calibration_step"].value == pytest.approx(1.3, rel=0.15)
    assert not found["calibration_first_token"].told and found["calibration_first_token"].value == 1
    assert "calibration_pool" not in found


def test_the_pool_in_the_log_is_taken_in() -> None:
    row = {**REPLICA, "max_model_len": 8192}
    right = solve(read(row, 1, Context()).values)
    logged = {name: right[name] * 0.95 for name in ("kv_pool_tokens", "kv_pool_gib_per_card")}
    run = Run("log", row, logged)
    pool = {factor.name: factor for factor in calibrate([run]).factors}["calibration_pool"]
    assert pool.told and pool.value == pytest.approx(0.95, abs=0.005)


@pytest.mark.parametrize("count", [3, 4, 6])
@pytest.mark.parametrize("times", [2.0, 0.5])
def test_a_bad_run_is_named_and_left_out(count: int, times: float) -> None:
    for place in range(count):
        runs = made(LOADS[:count], seed=place)
        runs[place] = slowed(runs[place], times)
        found = calibrate(runs)
        assert [one.run.place for one in found.runs if one.bad] == [f"run {place + 1}"]
        assert "what the other runs lead to expect" in found.runs[place].bad
        clean = calibrate([run for run in runs if run is not runs[place]])
        assert found.values == pytest.approx(clean.values, rel=1e-3)


@pytest.mark.parametrize("seed", range(10))
def test_good_runs_are_not_called_bad(seed: int) -> None:
    assert not [one.bad for one in calibrate(made(LOADS, seed=seed)).runs if one.bad]


def test_a_run_that_contradicts_itself_is_named() -> None:
    """Whatever the card: requests at once are throughput by time."""
    runs = made(LOADS[:4])
    runs[1] = replace(runs[1], measured=runs[1].measured | {"tpot_s": runs[1].measured["tpot_s"] * 1000})
    bad = {one.run.place: one.bad for one in calibrate(runs).runs if one.bad}
    assert list(bad) == ["run 2"] and "look at units, concurrency and failed requests" in bad["run 2"]


def test_a_run_that_cannot_be_read_is_named() -> None:
    good = made()
    bad = [
        (replace(good[0], place="a", cells=good[0].cells | {"model": "Lama"}), "model: 'Lama' is not known"),
        (replace(good[0], place="b", cells=good[0].cells | {"cards": 1, "weight_precision": "fp16"}), "the model does not fit"),
        (replace(good[0], place="c", cells={**REPLICA}), "input_tokens, output_tokens, concurrency: blank"),
        (replace(good[0], place="d", measured={}), "nothing measured in it"),
    ]  # fmt: skip
    found = calibrate([*good, *(run for run, _ in bad)])
    for run, why in bad:
        assert why in next(one.bad for one in found.runs if one.run is run)
    assert found.values == pytest.approx(calibrate(good).values)
    with pytest.raises(GpusheetError, match="(?s)a: model: 'Lama'.*no run is left to calibrate with"):
        calibrate([bad[0][0]])


def test_many_runs_take_folds() -> None:
    loads = [(512 + 128 * (place % 13), 128 + 32 * (place % 7), 4 + 3 * (place % 11)) for place in range(70)]
    found = calibrate(made(loads))
    assert len(found.used) == 70 and all(one.unseen for one in found.runs)
    assert found.values["calibration_step"] == pytest.approx(1.3, rel=0.1)
