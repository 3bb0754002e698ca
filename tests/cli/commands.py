"""Runs the command line in this process and keeps what it says."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

from gpusheet.catalog import Catalog
from gpusheet.cli import main

NEWEST = max(price.snapshot_date for price in Catalog.builtin().prices)
BOT = ("gpu=L20", "model=Generic-7B", "weight_precision=int8", "input_tokens=200", "output_tokens=300",
       "requests_per_day=80000", "peak_factor=4", "sizing_method=throughput", "price_list=gongjiyun")  # fmt: skip


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def errors(self) -> list[str]:
        return [line.removeprefix("error: ") for line in self.err.splitlines() if line.startswith("error: ")]


def run(*words: object) -> Ended:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main([str(word) for word in words])
    return Ended(status, out.getvalue(), err.getvalue())


def options(*pairs: str) -> list[str]:
    """name=value as options.

    >>> options("peak_factor=4")
    ['--peak-factor', '4']
    """
    parts = [pair.partition("=") for pair in pairs]
    return [word for name, _, value in parts for word in (f"--{name.replace('_', '-')}", value)]


def refused(ended: Ended, *lines: str, status: int = 1) -> None:
    """The command was refused with exactly these lines, and printed no result."""
    assert ended.errors == list(lines)
    assert ended.err.count("\n") == len(lines)
    assert ended.status == status
    assert ended.out == ""
