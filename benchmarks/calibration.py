"""How much three load tests help: `python -m benchmarks.calibration [DIR]`.

Sets of published runs that are alike but for their load (model, card, engine, format, cards); of each three are drawn to
calibrate with, and the others are estimated before and after. The files are not part of the project (see truth.py).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from benchmarks.truth import Truth, folder, load
from gpusheet.calibration.fit import calibrate
from gpusheet.calibration.runs import Run
from gpusheet.errors import GpusheetError
from gpusheet.lookup import Context, frame
from gpusheet.serving_rows import read
from gpusheet.solver import solve

ALIKE = ("model", "gpu", "engine", "engine_version", "weight_precision", "cards", "attention_dp_size")
DRAWN, LEAST = 3, 8
TIMES = ("tpot_s", "ttft_s")


def sets_of(truth: Truth) -> Iterable[list[Run]]:
    """Runs that are alike but for their load, where there are enough of them."""
    found: dict[tuple[str, ...], list[Run]] = {}
    for number, row in enumerate(truth.rows):
        cells = {name: cell for name, cell in row.items() if cell not in ("", None)}
        measured = truth.measured.loc[number, list(TIMES)].dropna().to_dict()
        key = tuple(str(cells.get(name, "")) for name in ALIKE)
        found.setdefault(key, []).append(Run(truth.facts.loc[number, "id"], cells, measured))
    return [runs for runs in found.values() if len(runs) >= LEAST]


def errors(runs: list[Run], seed: int) -> list[dict[str, tuple[float, float]]]:
    """Median error of each time before and after, on the runs that were not drawn; nothing where none could be."""
    order = np.random.default_rng(seed).permutation(len(runs))
    try:
        factors = calibrate([runs[place] for place in order[:DRAWN]]).values
        rest = [runs[place] for place in order[DRAWN:]]
        found = [read(run.cells, 1, Context()) for run in rest]
    except GpusheetError:
        return []
    table, tiers = frame(found), found[0].values["tiers"]
    solved = [solve(table, tiers=tiers), solve(table.assign(**factors), tiers=tiers)]
    off = {}
    for name in TIMES:
        measured = np.array([run.measured.get(name, np.nan) for run in rest])
        before, after = (float(np.nanmedian(np.abs(one[name] / measured - 1))) for one in solved)
        off[name] = (before, after)
    return [off]


def main() -> None:
    found = [truth for truth in load(folder(sys.argv[1] if len(sys.argv) > 1 else None)) if truth.name.startswith("serving")]
    sets = [runs for truth in found for runs in sets_of(truth)]
    drawn = [one for runs in sets for seed in (1, 2) for one in errors(runs, seed)]
    print(f"{len(sets)} sets of runs in {Path(found[0].name).stem}, {DRAWN} drawn of each, twice")
    for name in TIMES:
        before, after = np.array([one[name] for one in drawn]).T
        print(f"{name}: median error {np.median(before):.1%} before, {np.median(after):.1%} after; mean {before.mean():.1%}, "
              f"{after.mean():.1%}; worse by a point or more in {(after > before + 0.01).mean():.0%}")  # fmt: skip


if __name__ == "__main__":
    main()
