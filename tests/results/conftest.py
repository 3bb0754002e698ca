"""What sheets must hold, random inputs and LibreOffice stand beside the tests of the workbook."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "workbook")]
