"""The command line's runner stands beside the tests of the commands."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "cli"), str(Path(__file__).parent)]
