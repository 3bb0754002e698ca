"""Experts of a mixture that a batch leaves alone."""

from __future__ import annotations

from gpusheet.constants import LEAST_LEFT, MOST_TOUCHED
from gpusheet.ops import maximum, minimum, power


def untouched(left: float, tokens: float) -> float:
    """Share of the experts that none of so many tokens uses, where each leaves `left` of them alone.

    Bounded so that no power is too small for a spreadsheet: 0.3 are left alone at least, and 500 tokens touch all.

    >>> untouched(0.75, 2), untouched(1, 8), untouched(0, 1e9) < 1e-200
    (0.5625, 1.0, True)
    """
    return power(maximum(LEAST_LEFT, left), minimum(tokens, MOST_TOUCHED))
