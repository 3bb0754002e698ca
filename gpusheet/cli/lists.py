"""`gpusheet gpus`, `models` and `prices`: the built-in tables, with search."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusheet.cli.screen import Lang, as_json, table
from gpusheet.errors import GpusheetError, nearest

if TYPE_CHECKING:
    from gpusheet.catalog import Catalog, Column, Price, Row

Search = Annotated[str | None, typer.Argument(help="Words to look for in names, aliases and all texts.")]
AsJson = Annotated[bool, typer.Option("--json", help="All columns as JSON.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="All columns as CSV.")]
InLang = Annotated[Lang, typer.Option("--lang", help="Language of labels.")]
Snapshots = Annotated[
    Path | None, typer.Option("--snapshots", help="Also the prices of this folder of snapshots.", metavar="FOLDER")
]

_GPU = ("gpu", "memory_gb", "bandwidth_gbs", "fp16_tflops", "link", "tdp_w", "usage", "confidence")
_MODEL = ("model", "params_b", "active_params_b", "layers", "kv_heads", "head_dim", "attention_kind", "max_context",
          "confidence")  # fmt: skip
_PRICE = ("snapshot_date", "price_list", "listing", "gpu", "cards", "price", "currency", "per", "period",
          "pricing_model", "tax", "available")  # fmt: skip


def gpus(search: Search = None, json: AsJson = False, as_csv: AsCsv = False, lang: InLang = Lang.en) -> None:
    """Show the cards with their facts."""
    from gpusheet.catalog import Catalog, Gpu

    rows = Catalog.builtin().gpus
    _show(Gpu, _found("gpus", rows, search, lambda row: row.gpu), _GPU, json, as_csv, lang)


def models(search: Search = None, json: AsJson = False, as_csv: AsCsv = False, lang: InLang = Lang.en) -> None:
    """Show the models with their shape."""
    from gpusheet.catalog import Catalog, Model

    rows = Catalog.builtin().models
    _show(Model, _found("models", rows, search, lambda row: row.model), _MODEL, json, as_csv, lang)


def prices(
    search: Search = None,
    gpu: Annotated[str | None, typer.Option(help="Prices of this card only.")] = None,
    as_of: Annotated[
        str | None, typer.Option(help="What was valid on this day: of each list, card and pricing model the newest.")
    ] = None,
    snapshots: Snapshots = None,
    json: AsJson = False,
    as_csv: AsCsv = False,
    lang: InLang = Lang.en,
) -> None:
    """Show the prices with their dates and sources."""
    from gpusheet.catalog import Price, columns
    from gpusheet.intake.snapshot import valid

    catalog = catalog_with(snapshots)
    rows: Sequence[Price] = catalog.prices
    if gpu is not None:
        card = catalog.find_gpu(gpu).gpu
        rows = [row for row in rows if row.gpu == card]
        if not rows:
            hint = "add a snapshot by gpusheet prices import, or in a workbook's sheet Prices"
            raise GpusheetError(f"prices: there is none of {card}; {hint}")
    if as_of is not None:
        column = next(c for c in columns(Price) if c.name == "snapshot_date")
        try:
            day = column.read(as_of)
        except ValueError:
            raise GpusheetError(f"--as-of: found {as_of!r}, allowed {column.allowed()}") from None
        of_card, rows = rows, valid(rows, day)
        if not rows:
            first = min(row.snapshot_date for row in of_card)
            raise GpusheetError(f"prices: there is none at or before {day}; the first snapshot is of {first}")
    _show(Price, _found("prices", rows, search, lambda row: row.gpu), _PRICE, json, as_csv, lang)


def catalog_with(snapshots: Path | None) -> Catalog:
    """The built-in tables, and a person's own snapshots where a folder is named."""
    from gpusheet.catalog import Catalog
    from gpusheet.intake.snapshot import with_snapshots

    builtin = Catalog.builtin()
    return builtin if snapshots is None else with_snapshots(builtin, snapshots)


def show_prices(rows: list[Price], lang: Lang) -> None:
    """Prices as a table."""
    from gpusheet.catalog import Price

    _show(Price, rows, _PRICE, False, False, lang)


def _found(what: str, rows: Sequence[Any], search: str | None, name: Callable[[Any], str]) -> list[Any]:
    """The rows in whose texts every word stands, whatever the case, or the whole search without blanks and dashes."""
    words = (search or "").casefold().split()
    found = [row for row in rows if all(word in _text(row) for word in words)]
    if not found and search:
        found = [row for row in rows if _squeezed(search) and _squeezed(search) in _squeezed(_text(row))]
    if found:
        return found
    near = nearest(search or "", [name(row) for row in rows])
    hint = f"did you mean {', '.join(near)}?" if near else f"gpusheet {what} without a word lists all {len(rows)}"
    raise GpusheetError(f"{what}: nothing has {search!r} in it; {hint}")


def _text(row: Row) -> str:
    return "\n".join(str(value) for _, value in row if isinstance(value, str)).casefold()


def _squeezed(text: str) -> str:
    return "".join(part for part in text.casefold() if part not in " -_")


def _show(row_type: type[Row], rows: list[Any], names: tuple[str, ...], json: bool, as_csv: bool, lang: Lang) -> None:
    from gpusheet.catalog import columns

    if json and as_csv:
        raise typer.BadParameter("found --json and --csv, allowed one of them")
    if json:
        as_json([dict(row) for row in rows])
        return
    by_name = {c.name: c for c in columns(row_type)}
    if as_csv:
        _write_csv(list(by_name), rows)
        return
    shown = [by_name[name] for name in names]
    numbers = [index for index, column in enumerate(shown) if column.kind == "number"]
    header = [_head(column, lang) for column in shown]
    table(header, [[_cell(getattr(row, c.name)) for c in shown] for row in rows], right=numbers, stacked=True)


def _head(column: Column, lang: Lang) -> str:
    unit = column.unit.label(lang)
    return column.label(lang) if column.kind != "number" else f"{column.label(lang)} ({unit})"


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:,.15g}" if isinstance(value, float) else str(value)


def _write_csv(names: list[str], rows: list[Any]) -> None:
    from gpusheet.intake.guard import csv_cell

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([csv_cell(getattr(row, name)) for name in names] for row in rows)
    sys.stdout.write(text.getvalue())
