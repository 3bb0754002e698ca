"""Reads mutated price tables and workbooks: python benchmarks/fuzz.py [HOW MANY [FROM]]. None may end in a traceback, take
over 10 s of the processor or lose a row unsaid."""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "intake"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "workbook"))
from mutants import mutant, outcome, read_as_its_kind


def main(count: int = 20_000, first: int = 0) -> int:
    found: Counter[str] = Counter()
    examples: dict[str, int] = {}
    longest, slowest, start = 0.0, first, time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + count):
            one = mutant(number, Path(folder))
            begin = time.process_time()
            said = outcome(one, read_as_its_kind)
            taken = time.process_time() - begin
            if taken > longest:
                longest, slowest = taken, number
            key = said if said in ("read", "refused") else said[:150]
            found[key] += 1
            examples.setdefault(key, number)
            if (number + 1) % 1000 == 0:
                print(f"{number + 1:,} after {time.perf_counter() - start:,.0f} s: {dict(found.most_common(2))}", flush=True)
    for said, times in found.most_common():
        print(f"{times:>7,}  {said}  (first: {examples[said]})")
    print(f"the longest took {longest:.2f} s of the processor (number {slowest}); {time.perf_counter() - start:,.0f} s in all")
    return 1 if set(found) - {"read", "refused"} else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
