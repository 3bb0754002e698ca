"""The small budget workbook and what people do to it stand beside the tests of the workbook."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "workbook"))
pytest.register_assert_rewrite("kinds")
