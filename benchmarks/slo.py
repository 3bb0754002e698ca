"""The inverse for one workload: `python benchmarks/slo.py`.

`cards_for_slo` over all tensor-parallel sizes, with lengths that it has not seen; a model and card once with their facts
still to be looked up. Processor time, medians.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from gpusheet import cards_for_slo
from gpusheet.serving import _known_by_default

CASES = (("Llama-3.1-70B", "H100 SXM", "fp8"), ("Qwen2.5-32B", "H100 SXM", "fp16"), ("DeepSeek-V3", "H200", "fp8_block"))
RUNS = 300


def milliseconds(call: Callable[[int], object]) -> float:
    """Median processor time of a call."""
    times = []
    for number in range(RUNS):
        begun = time.process_time()
        call(number)
        times.append(time.process_time() - begun)
    return statistics.median(times) * 1000


def main() -> None:
    for model, gpu, precision in CASES:

        def search(number: int, model: str = model, gpu: str = gpu, precision: str = precision) -> object:
            return cards_for_slo(model, gpu, 10, 1024 + number, 512, 1, 0.05, weight_precision=precision)

        def afresh(number: int, search: Callable[[int], object] = search) -> object:
            _known_by_default.cache_clear()
            return search(number)

        search(0)
        print(f"{model} on {gpu}: {milliseconds(search):.2f} ms; with facts looked up {milliseconds(afresh):.2f} ms (at most 1)")


if __name__ == "__main__":
    main()
