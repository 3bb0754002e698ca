"""Errors that are the user's to mend: one line that says where, what was found, what is allowed and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher


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
        super().__init__(f"{what}: {found!r} is not known; {hint}")
        self.found = found
        self.near = near


def nearest(found: str, names: Iterable[str], most: int = 3) -> list[str]:
    """The names most like `found`, best first. A short name is held against the beginning of a long one.

    >>> nearest("decode_concurency", ["decode_concurrency", "prefill_rate"])
    ['decode_concurrency']
    """
    text = str(found).casefold()

    def likeness(name: str) -> float:
        key = name.casefold()
        whole = SequenceMatcher(None, text, key).ratio()
        return max(whole, 0.95 * SequenceMatcher(None, text, key[: len(text)]).ratio())

    scored = [(-likeness(name), name) for name in dict.fromkeys(names)]
    return [name for score, name in sorted(scored)[:most] if score <= -0.6]
