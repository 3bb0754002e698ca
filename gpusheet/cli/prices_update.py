"""`gpusheet prices update`: the prices of a snapshot into a workbook that belongs to somebody, and nothing else changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpusheet.cli.budget import Force
from gpusheet.cli.screen import Lang, as_json, remark, table, warning, working

if TYPE_CHECKING:
    from gpusheet.catalog import Price
    from gpusheet.workbook.price_update import Updated

WORDS = {
    "en": {"row": "row", "what": "what", "price_list": "price list", "gpu": "GPU", "model": "pricing model", "listing": "listing",
           "old": "old", "new": "new", "change": "change", "changed": "changed", "added": "added", "same": "same",
           "older": "older than in the book", "none": "no price", "nothing": "{}: {}; nothing was written",
           "done": "{}: {}; totals follow when it is opened in Excel, or after gpusheet recalc"},
    "zh": {"row": "行", "what": "变动", "price_list": "价目表", "gpu": "GPU 型号", "model": "计费方式", "listing": "报价项",
           "old": "原价", "new": "现价", "change": "涨跌", "changed": "更新", "added": "新增", "same": "不变",
           "older": "早于表中价格", "none": "没有价格", "nothing": "{}：{}；未写入",
           "done": "{}：{}；在 Excel 中打开后，或运行 gpusheet recalc 后，合计随之更新"},
}  # fmt: skip


def update(
    book: Annotated[Path, typer.Argument(help="Workbook with a table Prices (.xlsx, .xlsm).", metavar="BOOK")],
    source: Annotated[
        Path, typer.Option("--from", help="Snapshot that gpusheet prices import has written, or a folder of them: of it "
                           "the newest of each offer.", metavar="SNAPSHOT")
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Workbook to write; without it BOOK itself.", metavar="OUT")
    ] = None,
    append: Annotated[
        bool, typer.Option("--append", help="Keep older prices: a newer one gets a row of its own.")
    ] = False,
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="Also set the day whose prices the book uses.", metavar="DATE")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and write nothing.")] = False,
    json: Annotated[bool, typer.Option("--json", help="What changed, all of it, as JSON.")] = False,
    force: Force = False,
    lang: Annotated[Lang, typer.Option(help="Language of labels.")] = Lang.en,
) -> None:
    """Bring the prices of a snapshot into a workbook, changing only the cells of its table Prices.

    gpusheet prices update budget.xlsx --from prices/2026-11-30_aws.csv

    A price is found by price list, card, pricing model and listing, and changed with its date and terms; one the book
    does not have gets a row, in which the table's formulas go on. Everything else in the file stays byte for byte:
    formats, charts, pictures, comments, macros. Where something would be lost, as a formula in a price cell, it is
    listed and nothing is written.
    """  # fmt: skip
    from gpusheet.cli.settings import price_settings
    from gpusheet.workbook.price_update import updated, write_updated

    prices = _snapshot(source)
    day = price_settings({"as_of": as_of})["as_of"] if as_of is not None else None
    with working(f"Updating {book.name}"):
        done = updated(book, prices, append, day) if dry_run else write_updated(
            book, prices, output, append=append, as_of=day, force=force)  # fmt: skip
    if json:
        as_json({
            "workbook": str(output or book),
            "written": not dry_run and bool(done.parts or output),
            "parts": list(done.parts),
            "prices": [{"became": line.became, "row": line.row or None, **dict(line.new),
                        "old_price": line.old.price if line.old else None,
                        "old_date": line.old.snapshot_date if line.old else None} for line in done.lines],
            "remarks": list(done.remarks),
        })  # fmt: skip
        return
    _show(done, lang)
    for line in done.remarks:
        warning(line)
    words = WORDS[lang.value]
    counts = {word: sum(line.became == word for line in done.lines) for word in ("changed", "added", "same", "older")}
    counted = ", ".join(f"{count} {words[word]}" for word, count in counts.items() if count) or words["none"]
    written = not dry_run and bool(done.parts or output)
    remark(words["done" if written else "nothing"].format(output or book, counted))


def _snapshot(source: Path) -> list[Price]:
    from gpusheet.intake import snapshot

    if source.is_dir():
        prices = snapshot.read_folder(source)
        return snapshot.valid(prices, max(price.snapshot_date for price in prices))
    return snapshot.read_file(source)


def _show(done: Updated, lang: Lang) -> None:
    words = WORDS[lang.value]
    rows = []
    for line in done.lines:
        if line.became in ("same", "older"):
            continue
        new, old = line.new, line.old
        rise = f"{line.percent:+.1f}%" if line.percent is not None else ""
        stated = old is not None and isinstance(old.price, float)
        was = "" if old is None else f"{old.price:,.15g} {old.currency}" if stated else str(old.price or "")
        rows.append((str(line.row), words[line.became], new.price_list, new.gpu, new.pricing_model, new.listing or "", was,
                     f"{new.price:,.15g} {new.currency}", rise))  # fmt: skip
    if rows:
        table([words[name] for name in ("row", "what", "price_list", "gpu", "model", "listing", "old", "new", "change")], rows,
              right=(0, 6, 7, 8))  # fmt: skip
