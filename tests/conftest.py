"""Drawn examples: new ones in every run, or the same ones where a run has to be repeatable."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
if os.environ.get("GPUSHEET_REPEATABLE"):
    settings.load_profile("repeatable")
