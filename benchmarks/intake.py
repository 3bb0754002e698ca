"""What reading 100,000 prices costs, against python-calamine and openpyxl: `python benchmarks/intake.py`.

Processor time, each in a fresh interpreter; the runs take turns, so that other work on the machine falls on all alike.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
MAKE = """
import datetime, random, sys
import openpyxl
path, rows, plain = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "plain"
random.seed(1)
book = openpyxl.Workbook(write_only=True)
sheet = book.create_sheet("Prices")
if not plain:
    sheet.row_dimensions[100].hidden = True
sheet.append("snapshot_date,price_list,listing,gpu,cards,price,currency,per,period,pricing_model,tax,available,source".split(","))
gpus = ["H20-96G", "L20", "A100-80G-SXM", "H100-80G-SXM"]
for row in range(rows):
    price = round(random.uniform(1, 90), 4)
    sheet.append([datetime.date(2026, 1, 1) + datetime.timedelta(days=row % 300), f"cloud{row % 40}/east", f"instance {row}",
                  gpus[row % 4], random.choice([1, 8]), price if plain or row % 10 else f"={price}*1", "CNY", "card", "hour",
                  "on_demand", "included", "yes", f"quote {row}"])
book.save(path)
"""
MEASURES = {
    "calamine": "from python_calamine import CalamineWorkbook\n"
    "def run(): CalamineWorkbook.from_path(sys.argv[1]).get_sheet_by_index(0).to_python()",
    "openpyxl": "import openpyxl\n"
    "def run():\n    for _ in openpyxl.load_workbook(sys.argv[1], read_only=True).worksheets[0].iter_rows(values_only=True): pass",
    "cells": "from gpusheet.intake.reader import _quick\nfrom gpusheet.intake.sheets import open_file\n"
    "def run():\n    with _quick(): open_file(sys.argv[1]).sheets()",
    "rows": "from gpusheet.catalog import Price\nfrom gpusheet.intake.reader import read_table\n"
    "def run(): read_table(sys.argv[1], Price)",
}
TIME = """
start = time.process_time()
run()
print(time.process_time() - start)
try:
    import resource
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
except ImportError:
    print("nan")
"""


def measured(what: str, path: Path) -> tuple[float, float]:
    """Seconds, and bytes of memory at the peak."""
    code = f"import sys, time\n{MEASURES[what]}\n{TIME}"
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=True, cwd=ROOT, capture_output=True, text=True)
    seconds, peak = map(float, done.stdout.split())
    return seconds, peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for kind, other in (("plain", "calamine"), ("with formulas", "openpyxl")):
            path = Path(folder, f"{kind.split()[0]}.xlsx")
            subprocess.run([sys.executable, "-c", MAKE, str(path), str(options.rows), kind], check=True)
            runs = [{what: measured(what, path) for what in (other, "cells", "rows")} for _ in range(options.runs)]
            base, cells, rows = (median(run[what][0] for run in runs) for what in (other, "cells", "rows"))
            ratio = median(run["cells"][0] / run[other][0] for run in runs)
            peak = max(run["rows"][1] for run in runs)
            more = f"understood and validated {rows - cells:.2f} s more, {peak / 1e6:,.0f} MB"
            print(f"{kind}: {other} {base:.2f} s, cells {cells:.2f} s ({ratio:.2f} times), {more}")


if __name__ == "__main__":
    main()
