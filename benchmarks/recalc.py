"""`gpusheet recalc` of a workbook with our functions against LibreOffice's conversion of the same without them:
`python benchmarks/recalc.py`."""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from openpyxl.workbook.workbook import Workbook

ROOT = Path(__file__).parents[1]
LOOKED_UP = 200  # rows of the table that the formulas look things up in


def make(path: Path, rows: int, ours: bool) -> None:
    """Ten formulas a row, as finance writes them; the tenth calls one of our functions, where those are wanted."""
    book = Workbook()
    prices = book.active
    assert prices is not None
    prices.title = "Prices"
    for row in range(1, LOOKED_UP + 1):
        prices.append([f"card {row}", row * 1.5, row % 4, 0.9 + row % 7 / 100])
    sheet = book.create_sheet("Plan")
    for row in range(1, rows + 1):
        sheet.append([
            f"card {row % LOOKED_UP + 1}", 32, 128, 3000 + row % 100, 2, row % 13,
            f"=MATCH(A{row},Prices!$A$1:$A${LOOKED_UP},0)",
            f"=INDEX(Prices!$B$1:$B${LOOKED_UP},G{row})",
            f"=H{row}*F{row}*730",
            f"=IF(F{row}>6,ROUND(I{row}/7,2),I{row})",
            f"=SUMIFS(Prices!$B$1:$B${LOOKED_UP},Prices!$C$1:$C${LOOKED_UP},MOD(F{row},4))",
            f"=J{row}*INDEX(Prices!$D$1:$D${LOOKED_UP},G{row})",
            f'=A{row}&" x "&F{row}',
            f"=MAX(0,L{row}-J{row}*0.9)",
            f"=SUM(I{row}:L{row})",
            *([f"=KV_PER_REQUEST(B{row},B{row},C{row},D{row},E{row})"] if ours else []),
        ])  # fmt: skip
    book.save(path)


def seconds(*command: str, **environment: str) -> tuple[float, float]:
    """By the clock, and of the processor."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True, env=environment or None)
    took, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    soffice = shutil.which("soffice")
    if soffice is None:
        sys.exit("soffice is not installed; it is what recalc is held against")
    with TemporaryDirectory(prefix="gpusheet-benchmark-") as name:
        folder = Path(name)
        make(folder / "ours.xlsx", options.rows, True)
        make(folder / "plain.xlsx", options.rows, False)
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        recalc = [sys.executable, "-m", "gpusheet", "recalc", str(folder / "ours.xlsx"), "--force",
                  "-o", str(folder / "new.xlsx")]  # fmt: skip
        convert = [soffice, profile, "--headless", "--convert-to", "xlsx", "--outdir", str(folder / "out"),
                   str(folder / "plain.xlsx")]  # fmt: skip
        # compiled as pip installs it, also where the checkout is kept clean of that
        compiled = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        compiled["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
        seconds(*recalc, **compiled)
        seconds(*convert)  # makes its profile
        pairs = [(seconds(*recalc, **compiled), seconds(*convert)) for _ in range(options.runs)]
    print(f"recalc of {options.rows * 10:,} formulas, {options.rows:,} of them ours, against LibreOffice without those")
    for at, what in enumerate(("by the clock", "of the processor, which other work disturbs less")):
        ours, theirs = (statistics.median(run[at] for run in runs) for runs in zip(*pairs, strict=True))
        ratios = sorted(one[at] / other[at] for one, other in pairs)
        print(f"{ours:.2f} s and {theirs:.2f} s {what}: ratio {statistics.median(ratios):.2f} "
              f"({ratios[0]:.2f} to {ratios[-1]:.2f})")  # fmt: skip


if __name__ == "__main__":
    main()
