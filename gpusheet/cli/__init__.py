"""The command line. typer and rich are loaded when it runs, everything heavier by the command that needs it."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status: 0 done, 1 not done, 2 wrong options.

    >>> main(["calc", "card_tier", "2.67"])
    4 cards
    0
    """
    from gpusheet.cli.app import run

    return run(arguments)
