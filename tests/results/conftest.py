"""The helpers of the workbook tests, for the sheets of results."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parents[1] / "workbook")]
