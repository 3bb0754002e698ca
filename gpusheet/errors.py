"""Errors that are the user's to mend: one line that says where, what was found, what is allowed and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Any

LONGEST_NAME = 255


class GpusheetError(ValueError):
    """A mistake in an input. Its message is shown as it is, without a traceback."""


class UnknownName(GpusheetError):
    """A name that is not in a list, with the nearest ones.

    >>> str(UnknownName("gpu", "H300", ["H200-141G-SXM", "H20-96G", "L20"]))
    "gpu: 'H300' is not known; did you mean H200-141G-SXM?"
    """

    def __init__(self, what: str, found: str, allowed: Iterable[str]) -> None:
        names = list(allowed)
        near = nearest(found, names)
        hint = f"did you mean {', '.join(near)}?" if near else f"allowed: {', '.join(sorted(names)[:12])}"
        super().__init__(f"{what}: {shown(found)} is not known; {hint}")
        self.found = found
        self.near = near


def nearest(found: str, names: Iterable[str], most: int = 3) -> list[str]:
    """The names most like `found`, best first. A short name is held against the beginning of a long one.

    >>> nearest("decode_concurency", ["decode_concurrency", "prefill_rate"])
    ['decode_concurrency']
    """
    text = str(found).casefold()
    if len(text) > LONGEST_NAME:  # no name is like it, and to compare would take seconds
        return []

    def likeness(name: str) -> float:
        key = name.casefold()
        whole = SequenceMatcher(None, text, key).ratio()
        return max(whole, 0.95 * SequenceMatcher(None, text, key[: len(text)]).ratio())

    scored = [(-likeness(name), name) for name in dict.fromkeys(names)]
    return [name for score, name in sorted(scored)[:most] if score <= -0.6]


def shown(value: Any) -> str:
    """What was found, as a message names it: all digits of a number, quotes around a text, cut where it is long.

    >>> shown(0.1), shown("7,1")
    ('0.1', "'7,1'")
    """
    text = f"{value:.15g}" if isinstance(value, float) else str(value) if hasattr(value, "isoformat") else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def as_typed(value: Any) -> str:
    """A value as a person would type it.

    >>> as_typed(2.0), as_typed(0.1 + 0.2), as_typed((0.0, 1.0)), as_typed("fp16"), as_typed(None)
    ('2', '0.3', '0,1', 'fp16', '')
    """
    if isinstance(value, tuple):
        return ",".join(as_typed(one) for one in value)
    return "" if value is None else f"{value:.15g}" if isinstance(value, float | int) else str(value)
