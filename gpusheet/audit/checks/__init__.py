"""The points, by subject."""

from __future__ import annotations

from importlib import import_module

SUBJECTS = ("book", "lines", "totals", "sums", "lookups", "neighbours", "values", "formulas", "inputs", "layout", "prices")


def load() -> None:
    """Registers all points."""
    for name in SUBJECTS:
        import_module(f"{__name__}.{name}")
