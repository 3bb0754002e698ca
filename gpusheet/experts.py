"""Experts of a mixture that a batch leaves alone."""

from __future__ import annotations

from gpusheet.constants import LEAST_LEFT, MOST_TOUCHED
from gpusheet.ops import maximum, minimum, power


def untouched(share: float, tokens: float) -> float:
    """Share of the experts that none of so many tokens uses, where each uses `share` of them.

    Bounded so that no power is too small for a spreadsheet: shares count as 0.7 at most, and 500 tokens touch all.

    >>> untouched(0.25, 2), untouched(0, 8), untouched(1, 1e9) < 1e-200
    (0.5625, 1.0, True)
    """
    return power(maximum(LEAST_LEFT, 1 - share), minimum(tokens, MOST_TOUCHED))
