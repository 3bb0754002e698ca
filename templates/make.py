"""Writes the workbooks of this folder anew: `python templates/make.py`.

They are the same bytes in every run, so that a test can hold them against what the code makes today.
"""

from __future__ import annotations

from pathlib import Path

from gpusheet.workbook.book import LANGUAGES, Outcome, write
from gpusheet.workbook.examples import EXAMPLES

HERE = Path(__file__).parent


def make(folder: Path) -> dict[str, Outcome]:
    """Writes every example in every language, and says what each shows, by file name."""
    made = {}
    for name, inputs_in in EXAMPLES.items():
        for lang in LANGUAGES:
            path = folder / f"{name}.{lang}.xlsx"
            made[path.name] = write(inputs_in(lang), path, lang=lang, force=True)
    return made


if __name__ == "__main__":
    for file, outcome in make(HERE).items():
        total = "blocked" if outcome.total is None else f"{outcome.total:,.2f} {outcome.currency}"
        print(f"{file:<26} total {total}, checks failed {outcome.checks_failed}, alerts {outcome.alerts}")
