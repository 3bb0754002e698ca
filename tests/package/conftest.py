"""The Excel functions are a module beside the package; the random inputs of rules stand beside the core tests, the small
budget workbook beside those of the workbook."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS.parent / "udfs"), str(TESTS / "core"), str(TESTS / "workbook")]
