"""Load tests of a made-up team: what the rules say of their replica with factors of its own, and noise on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy

from gpusheet.calibration.runs import Run
from gpusheet.lookup import Context, frame
from gpusheet.serving_rows import read
from gpusheet.solver import solve

REPLICA = {"model": "Llama-3.1-70B", "gpu": "H100 SXM", "cards": 4, "engine": "vllm", "weight_precision": "fp8"}
TRUE = {"calibration_step": 1.3, "calibration_prompt": 1.5, "calibration_first_token": 2.0}
LOADS = ((1024, 256, 8), (2048, 512, 32), (4096, 512, 64), (512, 1024, 128), (1024, 1024, 16), (2048, 256, 4))
NOISE = {"ttft_s": 0.1, "tpot_s": 0.03, "output_tokens_per_s": 0.03}


def made(
    loads: Sequence[tuple[int, int, int]] = LOADS[:3], true: Mapping[str, float] = TRUE, seed: int = 0,
    replica: Mapping[str, object] = REPLICA, noise: float = 1,
) -> list[Run]:  # fmt: skip
    """Runs of so many input tokens, output tokens and requests at once."""
    cells = [{**replica, "input_tokens": i, "output_tokens": o, "concurrency": c} for i, o, c in loads]
    found = [read(row, 1, Context()) for row in cells]
    solved = solve(frame(found).assign(**true), tiers=found[0].values["tiers"])
    numbers = numpy.random.default_rng(seed)
    off = {name: numpy.exp(noise * sigma * numbers.normal(size=len(loads))) for name, sigma in NOISE.items()}
    return [
        Run(f"run {place + 1}", row, {name: float(solved[name][place] * off[name][place]) for name in NOISE})
        for place, row in enumerate(cells)
    ]


def slowed(run: Run, times: float) -> Run:
    """The run as something disturbed it: everything took longer."""
    changed = {name: value / times if name == "output_tokens_per_s" else value * times for name, value in run.measured.items()}
    return replace(run, measured=changed)
