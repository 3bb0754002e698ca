"""Random budgets and LibreOffice stand beside the tests of the workbook, the command line's runner beside the commands."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "workbook"), str(TESTS / "core"), str(TESTS / "cli"), str(Path(__file__).parent)]
