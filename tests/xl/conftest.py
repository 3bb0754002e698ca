"""The random inputs of rules stand beside the core tests, LibreOffice beside those of the workbook."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "core"), str(TESTS / "workbook")]
