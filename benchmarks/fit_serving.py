"""Fits the serving coefficients to measured rows, by the product's own rules, and writes them into its tables.

    python -m benchmarks.fit_serving [DIR] [--write]

Steps and throughput are fitted together, then first tokens, in turn: logarithms of estimate over measurement, of which large ones count
less (pseudo-Huber), beside a prior for every coefficient. Minimised by damped least squares with numeric slopes.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import truth
from gpusheet.catalog import Assumptions, Engine, Generation, Precision, columns
from gpusheet.catalog.load import DATA
from gpusheet.lookup import Context
from gpusheet.registry import Rule, settle_array
from gpusheet.serving_rows import inputs_solved, read_all
from gpusheet.solver import Texts
from gpusheet.wiring import order, quantities

# quantity -> how far apart (in logarithms) two measurements of the same thing may be
SPREAD = {"tpot_s": 0.15, "output_tokens_per_s": 0.2, "ttft_s": 0.35}
SIMILAR = 40  # rows of one model, card, engine and format from which on each counts less

FIRST_TOKEN = ("request_ms", "ttft_layer_ms", "prompt_factor", "burst_share", "first_token_steps", "queue_factor")
MAKES = ("vllm", "sglang", "tensorrt-llm", "lmdeploy", "llama.cpp")
MEASURED = ("hopper", "blackwell", "ada", "ampere", "cdna")
ALIKE = {"turing": "ampere", "volta": "ampere", "other": "cdna"}  # generations that no row measures
FAMILIES = {  # formats that share a coefficient
    "fp16": "16bit", "bf16": "16bit", "fp8": "fp8", "fp8_block": "fp8", "int8": "int8", "gptq-int8": "int8", "int4": "int4",
    "awq": "int4", "gptq-int4": "int4", "int4-g32": "int4", "bnb-4bit": "int4", "q8_0": "int8", "q6_k": "int8",
    "q5_k_m": "int4", "q4_k_m": "int4", "q4_0": "int4", "q3_k_m": "int4", "q2_k": "int4", "fp4": "fp4", "mxfp4": "fp4", "nvfp4": "fp4",
}  # fmt: skip


@dataclass(frozen=True)
class Coefficient:
    """A figure to fit: the column it is in, the rows it is for, what is thought of it beforehand, and its bound."""

    column: str
    key: str  # make, generation or family; blank: an assumption
    prior: float
    spread: float  # of its logarithm
    most: float = np.inf

    @property
    def name(self) -> str:
        return f"{self.column}.{self.key}" if self.key else self.column

    def value(self, place: float) -> float:
        return float(min(self.prior * np.exp(self.spread * place), self.most))


def coefficients() -> list[Coefficient]:
    """All of them, with priors from data sheets, kernel measurements and published profiles."""
    found: list[Coefficient] = []

    def add(column: str, priors: Mapping[str, float] | float, spread: float, keys: tuple[str, ...] = ("",)) -> None:
        for key in keys:
            prior = priors if isinstance(priors, int | float) else priors.get(key, priors.get("", 1.0))
            found.append(Coefficient(column, key, prior, spread, _most(column)))

    add("layer_us", 15, 0.5, MAKES)
    add("moe_layer_us", 20, 0.7, MAKES)
    add("sequence_us", 12, 0.7, MAKES)
    add("step_ms", 0.5, 0.7, MAKES)
    add("mixing_factor", 1, 0.15, MAKES)
    add("request_ms", 60, 0.7, MAKES)
    add("ttft_layer_ms", 0.5, 0.6, MAKES)
    add("prompt_factor", 1.2, 0.4, MAKES)
    add("burst_share", 0.06, 0.25, MAKES)
    add("first_token_steps", 4, 0.4, MAKES)
    weights = {"ampere": 0.71, "ada": 0.8, "hopper": 0.8, "blackwell": 0.72, "cdna": 0.55}
    add("weight_bandwidth_share", weights, 0.06, MEASURED)
    cache = {"ampere": 0.71, "ada": 0.75, "hopper": 0.75, "blackwell": 0.68, "cdna": 0.45}
    add("kv_bandwidth_share", cache, 0.12, MEASURED)
    add("sequence_factor", 1, 0.3, MEASURED)
    others = tuple(name for name in MEASURED if name != "hopper")  # which is the yardstick
    add("launch_factor", {"cdna": 1.8, "ampere": 1.2, "blackwell": 0.9}, 0.3, others)
    add("prefill_factor", {"cdna": 0.6}, 0.2, others)
    add("read_factor", {"fp8": 0.92, "fp4": 0.85, "int4": 0.75, "int8": 0.85}, 0.1, ("fp8", "fp4", "int4", "int8"))
    add("read_factor_new", {"fp8": 0.9, "fp4": 0.8}, 0.1, ("fp8", "fp4"))
    experts = {"16bit": 0.85, "fp8": 0.8, "fp4": 0.75, "int4": 0.6, "int8": 0.75}
    add("expert_read_factor", experts, 0.06, tuple(experts))
    add("expert_read_factor_new", {"fp8": 0.7, "fp4": 0.75}, 0.06, ("fp8", "fp4"))
    for column, prior, spread in (
        ("routing_evenness", 0.7, 0.3), ("overlap_loss", 0.5, 0.3), ("decode_utilisation", 0.6, 0.3),
        ("expert_decode_utilisation", 0.5, 0.4), ("attention_utilisation", 0.5, 0.3), ("utilisation_16bit", 0.7, 0.15),
        ("utilisation_8bit", 0.55, 0.15), ("utilisation_4bit", 0.45, 0.15), ("expert_prompt_16bit", 0.6, 0.25),
        ("expert_prompt_8bit", 0.6, 0.25), ("expert_prompt_4bit", 0.6, 0.25), ("latent_layer_us", 20, 0.6),
        ("hybrid_layer_us", 15, 0.6), ("collective_us", 6, 0.4), ("rank_us", 0.7, 0.6), ("expert_parallel_us", 5, 0.7),
        ("link_share", 0.8, 0.2), ("activation_passes", 25, 0.5), ("expert_passes", 4, 0.6), ("eager_layer_us", 250, 0.5),
        ("queue_factor", 0.65, 0.1), ("serving_efficiency", 0.95, 0.1),
    ):  # fmt: skip
        add(column, prior, spread)
    return found


def _most(column: str) -> float:
    fields = {c.name: c.le for row_type in (Assumptions, Engine, Generation, Precision) for c in columns(row_type)}
    limit = fields[column]
    return np.inf if limit is None else limit


@dataclass(frozen=True)
class Rows:
    """Measured rows with every quantity that the product computes for them, and what the fit changes of it."""

    values: Mapping[str, Any]
    measured: pd.DataFrame
    facts: pd.DataFrame  # what a row is of: model, gpu, make, generation, family, moe

    @staticmethod
    def of(file: truth.Truth) -> Rows:
        """The rows of a file that can be answered."""
        found, _ = read_all(file.rows, Context())
        solved = inputs_solved(list(found.values()))
        solved.index = list(found)
        facts = pd.DataFrame({
            "model": [one.workload.model for one in found.values()], "gpu": [one.workload.gpu for one in found.values()],
            "make": [str(one.workload.engine).rpartition("-")[0] for one in found.values()],
            "generation": [Context().catalog.find_gpu(one.workload.gpu).generation for one in found.values()],
            "family": [FAMILIES[str(one.workload.weight_precision)] for one in found.values()],
        }, index=list(found))  # fmt: skip
        facts["generation"] = facts["generation"].replace(ALIKE)
        facts["moe"] = solved["expert_share"] > 0
        there = solved["most_running"] > 0
        solved = solved[there]
        values = {name: solved[name].to_numpy() for name in solved.columns}
        measured = file.measured.loc[solved.index]
        if "output_tokens_per_s" in measured:  # such tables state latencies of bursts, if any
            measured = measured[["output_tokens_per_s"]]
        return Rows(values, measured, facts[there])

    def __len__(self) -> int:
        return len(self.facts)

    def where(self, kept: Any) -> Rows:
        """Some of the rows."""
        return Rows({name: column[kept] for name, column in self.values.items()}, self.measured[kept], self.facts[kept])

    @cached_property
    def weights(self) -> Any:
        """How much a row counts: less where many are alike, not at all where it repeats another's measurement."""
        group = [self.facts[name] for name in ("model", "gpu", "make", "family")]
        alike = self.facts.groupby(group)["model"].transform("size").to_numpy()
        lengths = [pd.Series(self.values[name], self.facts.index) for name in ("input_tokens", "output_tokens")]
        again = pd.concat([*group, *lengths, self.measured.round(4)], axis=1).duplicated().to_numpy()
        return np.clip(np.sqrt(SIMILAR / alike), 0.3, 1.2) * ~again

    @cached_property
    def _of_key(self) -> dict[str, Any]:
        return {key: (self.facts[name] == key).to_numpy() for name in ("make", "generation", "family")
                for key in self.facts[name].unique()}  # fmt: skip

    @cached_property
    def _inputs(self) -> dict[str, Any]:
        """What the rules of the fit take, and what stands in the tables for the coefficients."""
        used = {name for rule in changing() for name in (rule.name, *rule.needs.values())}
        return {name: Texts.of(quantities()[name], self.values[name]) if quantities()[name].is_text else self.values[name]
                for name in used | set(SPREAD)}  # fmt: skip

    def computed(self, fitted: Mapping[Coefficient, float]) -> Mapping[str, Any]:
        """What the product's rules say with these coefficients."""
        values = dict(self._inputs)
        for one, value in fitted.items():
            if not one.key:
                values[one.column] = value
            elif one.key in self._of_key:
                own = values[one.column]
                own = own.copy() if own is self._inputs[one.column] else own
                own[self._of_key[one.key]] = value
                values[one.column] = own
        with np.errstate(all="ignore"):
            for rule in changing():
                result = rule.function(**{name: values[source] for name, source in rule.needs.items()})
                values[rule.name] = settle_array(np.asarray(result))
        return values


@cache
def changing() -> tuple[Rule, ...]:
    """The rules between the coefficients and what is measured, in order."""
    touched = {one.column for one in coefficients()}
    after = [rule for rule in order() if not touched.isdisjoint(rule.needs.values()) and not touched.add(rule.name)]
    wanted, kept = set(SPREAD), []
    for rule in reversed(after):
        if rule.name in wanted:
            wanted |= set(rule.needs.values())
            kept.append(rule)
    return tuple(reversed(kept))


def residuals(parts: Sequence[Rows], fitted: Mapping[Coefficient, float], names: Iterable[str]) -> Any:
    """Weighted logarithms of estimate over measurement; large ones grow with their root only."""
    found = [np.zeros(0)]
    for rows in parts:
        values = rows.computed(fitted)
        for name in names:
            if name in rows.measured:
                apart = np.log(values[name] / rows.measured[name].to_numpy()) / SPREAD[name]
                robust = np.sign(apart) * np.sqrt(2 * (np.sqrt(1 + apart**2) - 1))
                found.append(np.where(np.isfinite(apart), robust, 0) * np.sqrt(rows.weights))
    return np.concatenate(found)


def fit(parts: Sequence[Rows], rounds: int = 3, steps: int = 8) -> dict[Coefficient, float]:
    """The coefficients that explain the rows best, from the priors on: steps and throughput, then first tokens, in turn."""
    places = dict.fromkeys(coefficients(), 0.0)
    for _ in range(rounds):
        for first_token, names in ((False, ("tpot_s", "output_tokens_per_s")), (True, ("ttft_s",))):
            free = [one for one in places if (one.column in FIRST_TOKEN) == first_token]
            places |= _descended(parts, places, free, names, steps)
    return {one: one.value(place) for one, place in places.items()}


def _descended(
    parts: Sequence[Rows], places: Mapping[Coefficient, float], free: Sequence[Coefficient], names: Iterable[str], steps: int
) -> dict[Coefficient, float]:
    """Places of the free coefficients after damped least-squares steps; they count in spreads from the prior."""

    def errors(own: Any) -> Any:
        tried = {**places, **dict(zip(free, own, strict=True))}
        return np.concatenate([residuals(parts, {one: one.value(place) for one, place in tried.items()}, names), own])

    own, damping, nudge = np.array([places[one] for one in free]), 0.01, 1e-4
    now = errors(own)
    for _ in range(steps):
        slopes = np.array([(errors(own + nudge * unit) - now) / nudge for unit in np.eye(len(free))])
        normal, gradient = slopes @ slopes.T, slopes @ now
        for _ in range(8):
            step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), -gradient)
            then = errors(own + step)
            if then @ then < now @ now:
                break
            damping *= 4
        else:
            break
        gained = 1 - (then @ then) / (now @ now)
        own, now, damping = own + step, then, damping / 3
        if gained < 1e-4:
            break
    return dict(zip(free, own, strict=True))


def apart(rows: Rows, values: Mapping[str, Any], name: str) -> pd.Series:
    """Estimate over measurement less one, where there is a measurement."""
    off = pd.Series(values[name] / rows.measured[name] - 1, index=rows.facts.index)
    return off[np.isfinite(off)]


def line(off: pd.Series) -> str:
    """The errors of a column in a few words."""
    size = off.abs()
    share = f"median {size.median():.3f}  mean {size.mean():.3f}  p90 {size.quantile(0.9):.3f}"
    return f"n {len(off):5d}  {share}  bias {off.median():+.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", metavar="DIR")
    parser.add_argument("--write", action="store_true", help="write the tables; assumptions are printed")
    options = parser.parse_args()
    parts = [Rows.of(file) for file in truth.load(truth.folder(options.folder)) if file.name.startswith(("serving", "throughput"))]
    fitted = fit(parts)
    for when, known in (("before", {}), ("fitted", fitted)):
        for rows in parts:
            values = rows.computed(known)
            for name in SPREAD:
                if name in rows.measured:
                    off = apart(rows, values, name)
                    for kind, moe in (("dense", False), ("experts", True)):
                        print(f"{when} {name:20s} {kind:8s} {line(off[rows.facts['moe'].loc[off.index] == moe])}")
    for one, value in fitted.items():
        if not one.key:
            print(f"assumption {one.column} = {value:.3g}")
    if options.write:
        write(fitted, parts)


def write(fitted: Mapping[Coefficient, float], parts: Sequence[Rows]) -> None:
    """Puts the coefficients into the tables of engines, generations and precisions, and marks what was measured."""
    keys: dict[str, Callable[[str], str]] = {
        "engines": lambda name: name.rpartition("-")[0], "generations": lambda name: ALIKE.get(name, name),
        "precisions": FAMILIES.__getitem__, "gpus": str, "models": str,
    }  # fmt: skip
    marks = {"engines": "make", "precisions": "family", "gpus": "gpu", "models": "model"}
    for table, key_of in keys.items():
        path = DATA / f"{table}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            key = key_of(next(iter(row.values())))
            own = {one.column: f"{value:.3g}" for one, value in fitted.items() if one.key == key and one.column in row}
            own |= {f"{name}_new": value for name, value in own.items() if f"{name}_new" in row and f"{name}_new" not in own}
            if fact := marks.get(table):
                own[f"{table[:-1]}_measured"] = str(int(any((part.facts[fact] == key).any() for part in parts)))
            row.update(own)
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        print(f"{path.name}: written")


if __name__ == "__main__":
    main()
