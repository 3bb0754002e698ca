"""The functions' module stands beside the package, and the random inputs of rules beside the core tests."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(path) for path in (TESTS.parent / "udfs", TESTS / "core", TESTS / "workbook")]
