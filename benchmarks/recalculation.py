"""What a spreadsheet program takes to recalculate a budget: LibreOffice converts it with its values and without, in turn; what it
takes longer without them is the recalculation. `python -m benchmarks.recalculation`."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "workbook"))
from libreoffice import needed, without_values

from benchmarks.workbook import many
from gpusheet.workbook.book import write


def converted(path: Path, folder: Path) -> float:
    """Seconds; LibreOffice as it is installed trusts the values that it finds."""
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    start = time.perf_counter()
    command = [needed("soffice"), profile, "--headless", "--convert-to", "xlsx", "--outdir", str(folder / "out"), str(path)]
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workloads", type=int, default=50)
    parser.add_argument("--months", type=int, default=36)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        whole, bare = folder / "whole.xlsx", folder / "bare.xlsx"
        write(many(options.workloads), whole, months=options.months)
        without_values(whole, bare)
        converted(whole, folder)  # makes the profile
        runs = [(converted(bare, folder), converted(whole, folder)) for _ in range(options.runs)]
        longer = [without - having for without, having in runs]
        print(f"{options.workloads} workloads x {options.months} months, {whole.stat().st_size / 1e6:.1f} MB: recalculated in "
              f"{statistics.median(longer):.1f} s ({min(longer):.1f} to {max(longer):.1f}); loaded and saved in "
              f"{statistics.median(having for _, having in runs):.1f} s")  # fmt: skip


if __name__ == "__main__":
    main()
