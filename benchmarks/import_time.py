"""What `import gpusheet` costs over a bare Python, and what it loads: `python benchmarks/import_time.py`."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAVY = ("numpy", "pandas", "pydantic", "openpyxl", "formualizer", "rich", "typer")
STEPS = {
    "import gpusheet": "import gpusheet",
    "one rule": "import gpusheet; gpusheet.rules.card_tier(2.67)",
    "one case solved": "import gpusheet; gpusheet.solve({'requests_per_day': 80000})",
}


def seconds(code: str) -> float:
    """Wall time of a fresh interpreter that runs the code."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
    return time.perf_counter() - start


def loaded(code: str) -> list[str]:
    """The heavy libraries in memory afterwards."""
    script = f"{code}\nimport sys; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    for code in STEPS.values():
        seconds(code)  # bytecode and file caches are warm from here on
    for name, code in STEPS.items():
        costs = [seconds(code) - seconds("pass") for _ in range(options.runs)]
        libraries = ", ".join(loaded(code)) or "none"
        print(f"{name:16} {statistics.median(costs) * 1000:6.0f} ms over a bare start; heavy libraries: {libraries}")


if __name__ == "__main__":
    main()
