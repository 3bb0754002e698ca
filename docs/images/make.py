"""Draws the pictures of the README and the guide: `python docs/images/make.py`.

Needs LibreOffice, pdftoppm and ImageMagick. The sheets are those of the sample, cut down to what a page of text can show.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from openpyxl.worksheet.header_footer import HeaderFooter
from openpyxl.worksheet.page import PageMargins

from gpusheet.workbook.book import LANGUAGES, Built, build
from gpusheet.workbook.budget_layout import CHART_ROWS, COST, SEASON_ROW
from gpusheet.workbook.inputs import sample

HERE = Path(__file__).parent
PIXELS = 1400  # width of a picture
DOTS_PER_INCH = "220"


def budget(built: Built) -> tuple[str, range]:
    """From the cost of each workload to the chart, with the first five months: what to show, and rows to leave out."""
    cells = built.budget
    last = cells.rows["shown_grand"] + CHART_ROWS
    return f"A4:M{last}", range(SEASON_ROW + 1, cells.blocks[COST] - 1)


def sizing(built: Built) -> tuple[str, range]:
    """All rules down to the cost, without the spare columns at the right."""
    return f"A1:K{built.sizing['cost_per_million_tokens']}", range(0)


def draw(sheet: str, lang: str, target: Path) -> None:
    built = build(sample(lang), lang)
    area, left_out = {"Budget": budget, "Sizing": sizing}[sheet](built)
    page: Any = built.book[sheet]
    built.book.move_sheet(page, -built.book.index(page))  # it is then the first page that is printed
    page.print_area, page.print_title_rows, page.print_title_cols = area, None, None
    page.page_setup.fitToHeight = 1
    page.page_margins = PageMargins(0.2, 0.2, 0.2, 0.2, 0, 0)
    page.HeaderFooter = HeaderFooter()
    for row in left_out:
        page.row_dimensions[row].hidden = True
    with TemporaryDirectory() as folder:
        book = Path(folder) / "book.xlsx"
        built.book.save(book)
        for command in (
            ["soffice", f"-env:UserInstallation={Path(folder).as_uri()}/profile", "--headless", "--convert-to", "pdf",
             "--outdir", folder, str(book)],
            ["pdftoppm", "-r", DOTS_PER_INCH, "-singlefile", "-png", str(book.with_suffix(".pdf")), f"{folder}/page"],
            ["convert", f"{folder}/page.png", "-trim", "+repage", "-resize", f"{PIXELS}x>", "-bordercolor", "white", "-border", "8",
             "-colors", "64", str(target)],
        ):  # fmt: skip
            subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    for name in ("Budget", "Sizing"):
        for language in LANGUAGES:
            picture = HERE / f"{name.lower()}.{language}.png"
            draw(name, language, picture)
            print(f"{picture.name}: {picture.stat().st_size:,} bytes")
