"""What our functions cost in Excel's Python, called by xlwings' own code: `python benchmarks/udf_call.py`.

pywin32 is stood in for, so the way through COM and Excel itself are not in these figures; they are the same for any
function of xlwings.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "udfs"), str(ROOT / "tests" / "udfs")]

from windows import xlwings_on_windows  # noqa: E402

IMPORTED = """
import sys, time
sys.path.insert(0, "udfs")
{before}
clock, processor = time.perf_counter(), time.process_time()
import gpusheet_udfs
print(time.perf_counter() - clock, time.process_time() - processor)
"""
SCALAR = ("KV_PER_REQUEST", (32.0, 32.0, 128.0, 3072.0, 2.0))
HEADER = (
    "workload", "gpu", "model", "weight_precision", "input_tokens", "output_tokens", "requests_per_day", "peak_factor",
    "price_list",
)  # fmt: skip


def first_import(before: str = "") -> list[float]:
    """Seconds in a fresh Python, by the clock and of the processor."""
    command = [sys.executable, "-c", IMPORTED.format(before=before)]
    return [float(word) for word in subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True).stdout.split()]


def seconds(run: Callable[[], Any], times: int = 1) -> float:
    """Of the processor, for one run."""
    begun = time.process_time()
    for _ in range(times):
        run()
    return (time.process_time() - begun) / times


def trivial() -> str:
    """A module with a function of as many arguments that computes nothing, as xlwings' users write it."""
    from xlwings.udfs import xlfunc

    module = types.ModuleType("trivial")
    module.__file__ = __file__

    @xlfunc
    def TRIVIAL(a, b, c, d, e):  # type: ignore[no-untyped-def]
        return 1.0

    module.TRIVIAL = TRIVIAL  # type: ignore[attr-defined]
    sys.modules["trivial"] = module
    return "trivial"


def table(rows: int) -> tuple[tuple[Any, ...], ...]:
    """Workloads as COM hands a range over."""
    lines = [
        (f"service {row}", ("L20", "H20-96G", "A800-80G-SXM")[row % 3], ("Generic-7B", "Qwen3-32B")[row % 2], "int8",
         200.0 + row % 700, 300.0 + row % 50, 80000.0 + row, 4.0, "gongjiyun")
        for row in range(rows)
    ]  # fmt: skip
    return (HEADER, *lines)


def scalar_calls(call: Callable[..., Any], runs: int) -> None:
    own, ours = [], []
    name, arguments = SCALAR
    other = trivial()
    for _ in range(runs):
        own.append(seconds(lambda: call(other, "TRIVIAL", arguments), 2000) * 1e6)
        ours.append(seconds(lambda: call("gpusheet_udfs", name, arguments), 2000) * 1e6)
    added = statistics.median(two - one for one, two in zip(own, ours, strict=True))
    print(
        f"scalar call     xlwings' own {statistics.median(own):.0f} us for a function of nothing, {name} "
        f"{statistics.median(ours):.0f} us: adds {added:+.0f} us"
    )


def spill(call: Callable[..., Any], rows: int, runs: int, told: str, *asked: str) -> None:
    """Against `solve` of the same columns for the same quantities, and against only making Python's rows of what it
    gives; all in turn."""
    import gpusheet.xl.rows as read

    cells, single, solve = table(rows), table(1), read.solve
    with patch.object(read, "solve", wraps=solve) as watched:
        call("gpusheet_udfs", "ESTIMATE", (cells, *asked))
    given, fixed = watched.call_args
    found = solve(*given, **fixed).values()
    alone, whole, made, one = [], [], [], []
    for _ in range(runs):
        alone.append(seconds(lambda: solve(*given, **fixed), 3))
        whole.append(seconds(lambda: call("gpusheet_udfs", "ESTIMATE", (cells, *asked)), 3))
        made.append(seconds(lambda: list(zip(*(column.tolist() for column in found), strict=True)), 3))
        one.append(seconds(lambda: call("gpusheet_udfs", "ESTIMATE", (single, *asked)), 20))
    against, floor = ([a / b for a, b in zip(costs, alone, strict=True)] for costs in (whole, made))
    less = [rows * a / b for a, b in zip(one, whole, strict=True)]
    print(
        f"ESTIMATE spill  {told} of {rows:,} rows in {statistics.median(whole):.3f} s: {shown(against)} times solve for the "
        f"same, whose columns take {shown(floor)} times it to become Python's rows; {statistics.median(less):.0f} times less "
        "than as many calls for one row"
    )


def shown(figures: list[float]) -> str:
    return f"{statistics.median(figures):.1f} ({min(figures):.1f} to {max(figures):.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    for before, told in (("", "in a bare Python"), ("import xlwings", "where xlwings is loaded, as in Excel")):
        clock, processor = map(statistics.median, zip(*(first_import(before) for _ in range(options.runs)), strict=True))
        print(f"first import    {clock:.2f} s {told}, {processor:.2f} s of the processor")
    with xlwings_on_windows():
        from xlwings.udfs import call_udf

        scalar_calls(call_udf, options.runs)
        for told, *asked in (("two quantities", "card_tier, monthly_cost"), ("the usual ones",), ("all quantities", "all")):
            spill(call_udf, options.rows, options.runs, told, *asked)


if __name__ == "__main__":
    main()
