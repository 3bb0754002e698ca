"""Factors from load tests: few, drawn to 1 where the runs say little, and not moved by a run that disagrees with the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gpusheet.calibration.runs import MEASURED, Run
from gpusheet.catalog import Assumptions, columns
from gpusheet.errors import GpusheetError
from gpusheet.lookup import Context, LookUp, frame
from gpusheet.serving_rows import read
from gpusheet.solver import solve

# how far a factor may lie from 1 before any run was seen, and how far a measurement from a right estimate (of the logarithm)
SPREAD = {"calibration_step": 0.3, "calibration_prompt": 0.4, "calibration_first_token": 0.6, "calibration_pool": 0.15}
NOISE = {"ttft_s": 0.3, "tpot_s": 0.07, "output_tokens_per_s": 0.1, "kv_pool_tokens": 0.02, "kv_pool_gib_per_card": 0.02}
POOL = ("kv_pool_tokens", "kv_pool_gib_per_card")
OTHERS_ENOUGH = 4  # runs from which on each is also estimated from the others alone
MOST_FOLDS = 20
MOST_BAD = 4  # one run in so many may be left out as bad, and always one of three
BAD, BAD_AGAINST_OTHERS = 0.4, 3.0  # a bad run is off by as much, and by so many times the worst of the others
AT_ODDS = 0.35  # of the logarithm: throughput against the times of the same run

TOLD = 0.7  # a factor is told where the runs narrow it to less than this part of its spread

_ROUNDS, _STEP, _NUDGE = 10, 0.5, 0.02
_BOUNDS = {c.name: (c.ge, c.le) for c in columns(Assumptions) if c.name in SPREAD}


@dataclass(frozen=True)
class Judged:
    """A run with its errors: estimate over measured, less 1, by quantity."""

    run: Run
    bad: str = ""  # why it was left out
    before: Mapping[str, float] | None = None
    after: Mapping[str, float] | None = None
    unseen: Mapping[str, float] | None = None  # with factors from the other runs; None with fewer than four


@dataclass(frozen=True)
class Factor:
    """A factor that runs gave, and the range in which it lies nine times in ten."""

    name: str
    value: float
    low: float
    high: float
    told: bool  # False: the runs say little of it


@dataclass(frozen=True)
class Calibration:
    """Factors from runs, and how far the estimate is off with and without them."""

    factors: tuple[Factor, ...]
    runs: tuple[Judged, ...]

    @property
    def used(self) -> tuple[Judged, ...]:
        return tuple(one for one in self.runs if not one.bad)

    @property
    def values(self) -> dict[str, float]:
        """The factors as assumptions."""
        return {factor.name: factor.value for factor in self.factors}

    def error(self, name: str, when: str) -> float | None:
        """Median absolute error of a quantity `before`, `after` or on `unseen` runs; None where it was not measured."""
        import numpy

        errors = [abs(found[name]) for one in self.used if (found := getattr(one, when)) and name in found]
        return float(numpy.median(errors)) if errors else None


def calibrate(runs: Sequence[Run], context: Context | None = None) -> Calibration:
    """The factors that bring the estimate nearest to the runs. Bad ones are left out, and named in the result."""
    context = context or Context()
    found: dict[int, LookUp] = {}
    judged = [Judged(run) for run in runs]
    for place, run in enumerate(runs):
        try:
            found[place] = _read(run, place, context)
        except GpusheetError as error:
            judged[place] = Judged(run, bad="; ".join(str(error).splitlines()))
    model = _Model([found[place] for place in found], [runs[place] for place in found])
    for place, why in zip(found, model.why_not, strict=True):
        judged[place] = Judged(runs[place], bad=why)
    kept = [place for place in found if not judged[place].bad]
    if not kept:
        reasons = "\n".join(f"{one.run.place}: {one.bad}" for one in judged)
        raise GpusheetError(f"{reasons}\nno run is left to calibrate with")
    model = _Model([found[place] for place in kept], [runs[place] for place in kept])
    for _ in range(max(1, len(kept) // MOST_BAD)):
        if (odd := model.disagrees()) is None:
            break
        place, why = kept.pop(odd[0]), odd[1]
        judged[place] = Judged(runs[place], bad=why)
        model = _Model([found[one] for one in kept], [runs[one] for one in kept])
    factors, errors = model.fitted()
    for position, place in enumerate(kept):
        before, after, unseen = (table[position] if table else None for table in errors)
        judged[place] = replace(judged[place], before=before, after=after, unseen=unseen)
    return Calibration(factors, tuple(judged))


def _read(run: Run, place: int, context: Context) -> LookUp:
    """The inputs of a run, of which a load needs more than a row of an estimate."""
    if not run.measured:
        raise GpusheetError("nothing measured in it")
    if set(run.measured) - set(POOL):
        lacking = [name for name in ("input_tokens", "output_tokens", "concurrency") if name not in run.cells]
        if lacking:
            raise GpusheetError(f"{', '.join(lacking)}: blank; give the load under which it was measured")
    _consistent(run)
    return read(run.cells, place + 1, context)


def _consistent(run: Run) -> None:
    """Requests in flight are throughput by time (Little's law), whatever the card: a run that is far from it mixes units."""
    from math import exp, log

    first, each, rate = (run.measured.get(name) for name in ("ttft_s", "tpot_s", "output_tokens_per_s"))
    if first is None or each is None or rate is None:
        return
    answer, load = float(run.cells["output_tokens"]), float(run.cells["concurrency"])
    follows = load * answer / (first + max(answer - 1, 0) * each)
    if abs(log(rate / follows)) > AT_ODDS + 0.2 / load:
        raise GpusheetError(
            f"output_tokens_per_s is {rate:.4g}, but {load:.4g} requests with its TTFT and TPOT give {follows:.4g} "
            f"({exp(log(rate / follows)):.2g} times); look at units, concurrency and failed requests")  # fmt: skip


class _Model:
    """The estimate of some runs as a function of the factors; all in logarithms."""

    def __init__(self, found: Sequence[LookUp], runs: Sequence[Run]) -> None:
        import numpy

        self.runs = runs
        self.metrics = [name for name in MEASURED if any(name in run.measured for run in runs)]
        pool_seen = any(name in run.measured for run in runs for name in POOL)
        self.names = [name for name in SPREAD if pool_seen or name != "calibration_pool"]
        self.prior = numpy.array([SPREAD[name] for name in self.names])
        self.noise = numpy.array([NOISE[name] for name in self.metrics])
        self.why_not: list[str] = []
        if not found:
            return
        self.table, self.tiers = frame(found), found[0].values["tiers"]
        measured = [[run.measured.get(name, numpy.nan) for name in self.metrics] for run in runs]
        self.measured = numpy.log(numpy.array(measured, dtype=float))
        self.start = self.estimate(numpy.zeros((1, len(self.names))))[0]
        absent = numpy.isnan(self.start) & ~numpy.isnan(self.measured)
        self.why_not = ["by the estimate the model does not fit on these cards; look at cards, precision and engine" if any(row) else ""
                        for row in absent.tolist()]  # fmt: skip

    def estimate(self, factors: Any) -> Any:
        """Estimates for several sets of factors at once: set x run x quantity."""
        import numpy
        import pandas

        sets, count = len(factors), len(self.runs)
        table = pandas.concat([self.table] * sets, ignore_index=True)
        for position, name in enumerate(self.names):
            table[name] = numpy.repeat(numpy.exp(factors[:, position]), count)
        solved = solve(table, tiers=self.tiers)
        values = numpy.stack([solved[name].to_numpy() for name in self.metrics], axis=1).reshape(sets, count, -1)
        with numpy.errstate(all="ignore"):
            return numpy.where(values > 0, numpy.log(values), numpy.nan)

    def fit(self, weights: Any) -> tuple[Any, Any]:
        """Factors for several sets of weights (set x run) at once, and their covariance: Gauss-Newton, far points weigh less."""
        import numpy

        sets, size = len(weights), len(self.names)
        factors, known = numpy.zeros((sets, size)), ~numpy.isnan(self.measured)
        low, high = numpy.log(numpy.array([_BOUNDS[name] for name in self.names], dtype=float)).T
        pull = numpy.diag(1 / self.prior**2)
        nudges = numpy.vstack([numpy.zeros(size), _NUDGE * numpy.eye(size)])
        for _ in range(_ROUNDS):
            tried = (factors[:, None, :] + nudges).reshape(-1, size)
            at = self.estimate(tried).reshape(sets, size + 1, len(self.runs), -1)
            off = numpy.where(known, self.measured - at[:, 0], 0.0) / self.noise
            weight = weights[:, :, None] / (1 + (off / 2) ** 2) * known
            slope = numpy.nan_to_num((at[:, 1:] - at[:, :1]) / _NUDGE) / self.noise  # set x factor x run x quantity
            curve = numpy.einsum("sirm,srm,sjrm->sij", slope, weight, slope) + pull
            push = numpy.einsum("sirm,srm,srm->si", slope, weight, off) - factors @ pull
            step = numpy.linalg.solve(curve, push[..., None])[..., 0].clip(-_STEP, _STEP)
            factors = (factors + step).clip(low, high)
            if numpy.abs(step).max() < 1e-4:
                break
        return factors, numpy.linalg.inv(curve)

    def disagrees(self) -> tuple[int, str] | None:
        """The run without which the others agree, if it is far from what they say; and how far."""
        import numpy

        count = len(self.runs)
        if count < 3:
            return None
        places = list(range(count)) if count <= 3 * MOST_FOLDS else self._farthest()
        weights = numpy.ones((len(places), count))
        weights[range(len(places)), places] = 0
        off = self.measured - self.estimate(self.fit(weights)[0])
        worst = numpy.nanmax(numpy.abs(off) * (NOISE["tpot_s"] / self.noise.clip(NOISE["tpot_s"])), axis=2)
        found = []
        for row, place in enumerate(places):
            own, others = worst[row, place], numpy.delete(worst[row], place).max()
            if own > BAD and own > BAD_AGAINST_OTHERS * others:
                found.append((own / others, place, off[row, place]))
        if not found:
            return None
        _, place, errors = max(found, key=lambda one: one[0])
        told = ", ".join(f"{name} {numpy.exp(error):.2g} times" for name, error in zip(self.metrics, errors, strict=True)
                         if abs(error) > BAD / 2)  # fmt: skip
        return place, f"measured {told} what the other runs lead to expect; look at it, and leave it out if it was disturbed"

    def _farthest(self) -> list[int]:
        """The runs that are farthest from a fit to all."""
        import numpy

        off = numpy.abs(self.measured - self.estimate(self.fit(numpy.ones((1, len(self.runs))))[0])[0]) / self.noise
        return [int(place) for place in numpy.argsort(-numpy.nanmax(off, axis=1))[:MOST_FOLDS]]

    def fitted(self) -> tuple[tuple[Factor, ...], list[list[dict[str, float]] | None]]:
        """The factors from all runs, and the errors of each run before, after and, with enough others, unseen."""
        import numpy

        count = len(self.runs)
        all_runs = numpy.ones((1, count))
        factors, spread = self.fit(all_runs)
        errors: list[list[dict[str, float]] | None] = [self._errors(self.start), self._errors(self.estimate(factors)[0]), None]
        if count >= OTHERS_ENOUGH:
            fold = numpy.arange(count) % min(count, MOST_FOLDS)
            weights = 1.0 * (fold[None, :] != numpy.arange(fold.max() + 1)[:, None])
            left_out = self.estimate(self.fit(weights)[0])
            errors[2] = self._errors(left_out[fold, numpy.arange(count)])
        wide = 1.645 * numpy.sqrt(numpy.diagonal(spread[0]))
        value, low, high = numpy.exp([factors[0], factors[0] - wide, factors[0] + wide]).round(4).tolist()
        told = (wide < 1.645 * TOLD * self.prior).tolist()
        return tuple(map(Factor, self.names, value, low, high, told)), errors

    def _errors(self, estimate: Any) -> list[dict[str, float]]:
        import numpy

        ratio = numpy.exp(estimate - self.measured) - 1
        return [
            {name: float(error) for name, error in zip(self.metrics, row, strict=True) if not numpy.isnan(error)} for row in ratio
        ]
