"""What writing a workbook costs, each in a fresh interpreter: `python benchmarks/workbook.py`."""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from gpusheet.workbook.inputs import Inputs, sample

ROOT = Path(__file__).parents[1]
SCRIPT = """
import sys, tempfile, time
from pathlib import Path
from benchmarks.workbook import many
from gpusheet.workbook.book import write

count, months = int(sys.argv[1]), int(sys.argv[2])
inputs = many(count)
with tempfile.TemporaryDirectory() as folder:
    start = time.perf_counter()
    write(inputs, Path(folder, "book.xlsx"), months=months)
    seconds = time.perf_counter() - start
    size = Path(folder, "book.xlsx").stat().st_size
print(seconds, size)
try:
    import resource  # not on Windows
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
except ImportError:
    peak = float("nan")
print(peak)
"""


def many(count: int) -> Inputs:
    """The sample, with as many workloads as are wanted: its own again and again; 0 leaves them."""
    inputs = sample("en")
    own = inputs.workloads  # of which one is looked at, so they keep their names
    again = [own[number % len(own)].model_copy(update={"workload": f"{own[number % len(own)].workload} {number}"})
             for number in range(len(own), count)]  # fmt: skip
    return replace(inputs, workloads=(*own, *again)[:count] if count else own)


def measure(count: int, months: int) -> tuple[float, float, float]:
    """Seconds, bytes of memory at the peak, and bytes of the file."""
    command = [sys.executable, "-c", SCRIPT, str(count), str(months)]
    done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
    seconds, size, peak = map(float, done.stdout.split())
    return seconds, peak, size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workloads", type=int, default=1000)
    parser.add_argument("--months", type=int, default=36)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    big = f"{options.workloads:,} workloads x {options.months} months"
    for name, count, months in (("sample", 0, 12), (big, options.workloads, options.months)):
        runs = [measure(count, months) for _ in range(options.runs)]
        seconds, peak, size = (min(figures) for figures in zip(*runs, strict=True))
        print(f"{name}: {seconds:.1f} s, {peak / 1e6:,.0f} MB of memory, file of {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
