"""LibreOffice, the second engine, is driven by the module beside the workbook tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "workbook"))
