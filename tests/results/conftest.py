"""Tests of the sheets of results share the books and the comparison of the workbook's tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "workbook"))
