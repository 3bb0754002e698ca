"""`gpusheet prices`: the list of prices, `import` for new ones, `update` of a workbook, `diff` between two snapshots."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from gpusheet.cli import lists, prices_update
from gpusheet.cli.screen import Lang, as_json, error_line, remark, table, warning, working
from gpusheet.errors import GpusheetError

if TYPE_CHECKING:
    import datetime

    from gpusheet.catalog import Catalog, Price
    from gpusheet.intake.importers import Imported, Options
    from gpusheet.intake.price_changes import Change

MOST_TOLD = 40
SAMPLE = 5
WORDS = {
    "en": {"field": "field", "from": "taken from", "what": "what", "before": "old", "after": "new", "change": "change",
           "unit": "for", "new": "new", "dearer": "dearer", "cheaper": "cheaper", "same": "same",
           "gone": "gone", "terms": "other terms",
           "counts": "{} rows: {} used, {} refused, {} passed over; {} prices"},
    "zh": {"field": "字段", "from": "取自", "what": "变动", "before": "原价", "after": "现价", "change": "涨跌",
           "unit": "计价", "new": "新增", "dearer": "上涨", "cheaper": "下降", "same": "不变", "gone": "已下架", "terms": "条件不同",
           "counts": "共 {} 行：采用 {}，未用 {}，略过 {}；得到 {} 个价格"},
}  # fmt: skip
UNITS = {"en": {"card": "card", "hour": "hour", "month": "month"}, "zh": {"card": "卡", "hour": "小时", "month": "月"}}


class Prices(TyperGroup):
    """Words that name no command are those of `list`, as in: gpusheet prices H20"""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        named = bool(args) and (args[0] in self.commands or args[0] == "--help")
        return super().parse_args(ctx, args if named else ["list", *args])


app = typer.Typer(
    cls=Prices, add_completion=False, rich_markup_mode="rich",
    help="List prices, bring in new ones, compare snapshots.\n\ngpusheet prices H20 is short for: gpusheet prices list H20",
)  # fmt: skip
app.command("list")(lists.prices)
app.command()(prices_update.update)

Snapshots = lists.Snapshots
InLang = lists.InLang


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="A workbook or CSV file with prices.", metavar="FILE")],
    provider: Annotated[str | None, typer.Option(help="Whose prices they are: the name of the price list.")] = None,
    date: Annotated[str | None, typer.Option(help="Day on which they were seen.", metavar="YYYY-MM-DD")] = None,
    mapping: Annotated[
        list[str] | None,
        typer.Option("--map", help="Column of the file for a field, as in price=单价; may be repeated.", metavar="FIELD=COLUMN"),
    ] = None,
    fixed: Annotated[
        list[str] | None,
        typer.Option("--set", help="One value for all rows, as in currency=CNY; may be repeated.", metavar="FIELD=VALUE"),
    ] = None,
    sheet: Annotated[str | None, typer.Option(help="Sheet of the workbook.")] = None,
    region: Annotated[list[str] | None, typer.Option(help="Only this region; may be repeated.")] = None,
    to: Annotated[
        Path | None, typer.Option(help="Folder of the snapshots; without it the folder prices here.", metavar="FOLDER")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what is understood and write nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before writing.")] = False,
    json: Annotated[bool, typer.Option("--json", help="All prices and findings as JSON.")] = False,
    lang: InLang = Lang.en,
) -> None:
    """Bring prices of a file in as a dated snapshot.

    gpusheet prices import quote.xlsx --provider autodl --date 2026-11-20

    Reads any price table, SkyPilot's vms.csv, gpuhunt's catalog and unit prices in a FOCUS bill.

    Shows what was understood of it. Rows that cannot be used are listed, the others are written; nothing that is there
    is ever changed.
    """
    from gpusheet.intake import snapshot
    from gpusheet.intake.importers import read_prices

    folder = to if to is not None else snapshot.FOLDER
    options = _options(provider, date, mapping or [], fixed or [], sheet, region or [], _known(folder))
    with working(f"Reading {file.name}"):
        made = read_prices(file, options)
    if not json:
        _show_import(file, made, lang)
    written: list[Path] = []
    if made.prices and not dry_run:
        name = provider or file.stem
        targets = list(snapshot.plan(made.prices, folder, name))
        if yes or json or _agreed(targets, len(made.prices)):
            written = snapshot.write(made.prices, folder, name)
    if json:
        as_json(_import_json(file, made, written))
    if not made.prices:
        raise GpusheetError(f"{file.name}: no price that can be used; see what was found in its {made.present:,} rows")
    if not written:
        remark("nothing was written")
    for path in written:
        remark(f"{path}: {len(snapshot.read_file(path)):,} prices; use them by --snapshots {folder}")


def _options(
    provider: str | None, date: str | None, mapping: Sequence[str], fixed: Sequence[str], sheet: str | None,
    regions: Sequence[str], catalog: Catalog,
) -> Options:  # fmt: skip
    from gpusheet.intake.importers import Options
    from gpusheet.intake.words import is_placeholder

    day = _day(date, "--date") if date is not None else None
    if provider is not None and (not provider.strip() or is_placeholder(provider.strip())):
        found = repr(provider.strip()) if provider.strip() else "a blank"
        raise GpusheetError(f"--provider: found {found}, allowed the name of a price list, such as aws")
    return Options(
        provider=provider.strip() if provider else None, date=day,
        mapping={column: name for name, column in _pairs("--map", mapping)}, fixed=_fixed(fixed), regions=tuple(regions),
        sheet=sheet, catalog=catalog)  # fmt: skip


def _known(folder: Path) -> Catalog:
    """The catalog by which machines are known: what was brought in before has some that the built-in prices have not."""
    try:
        return lists.catalog_with(folder if any(folder.glob("*.csv")) else None)
    except GpusheetError as error:
        for line in str(error).splitlines():
            warning(f"{line}; the folder is not looked at")
        return lists.catalog_with(None)


def _day(text: str, option: str) -> datetime.date:
    from gpusheet.catalog import Price, columns

    column = next(c for c in columns(Price) if c.name == "snapshot_date")
    try:
        day: datetime.date = column.read(text)
    except ValueError:
        raise GpusheetError(f"{option}: found {text!r}, allowed {column.allowed()}") from None
    return day


def _fixed(words: Sequence[str]) -> dict[str, str]:
    pairs = _pairs("--set", words)
    names = [name for name, _ in pairs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise GpusheetError(f"--set: {twice[0]} is given twice; leave one")
    return dict(pairs)


def _pairs(option: str, words: Sequence[str]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for word in words:
        name, mark, value = word.partition("=")
        if not (mark and name.strip() and value.strip()):
            raise GpusheetError(f"{option}: found {word!r}, allowed a field, '=' and what it is, such as currency=CNY")
        pairs.append((name.strip(), value.strip()))
    return pairs


def _agreed(targets: Sequence[Path], prices: int) -> bool:
    """Asks once where somebody is there to answer."""
    return not _attended() or typer.confirm(f"Write {prices:,} prices to {', '.join(map(str, targets))}?", default=True, err=True)


def _attended() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _show_import(file: Path, made: Imported, lang: Lang) -> None:
    from gpusheet.catalog import Price, columns

    words, labels = WORDS[lang], {c.name: c.label(lang) for c in columns(Price)}
    understood = [(f"{name} ({labels[name]})", made.columns[name]) for name in labels if name in made.columns]
    if understood:
        table((words["field"], words["from"]), understood, title=f"{file.name}: {made.kind}")
    if made.prices:
        lists.show_prices(list(made.prices[:SAMPLE]), lang)
    told = [one for severity in ("error", "warning", "note") for one in made.findings if one.severity == severity]
    for one in told[:MOST_TOLD]:
        show = {"error": error_line, "warning": warning, "note": remark}[one.severity]
        show(one.line(lang))
    if len(told) > MOST_TOLD:
        remark(f"and {len(told) - MOST_TOLD:,} more; --json lists all")
    counts = (made.present, made.used, made.reported, made.passed, len(made.prices))
    remark(words["counts"].format(*(f"{count:,}" for count in counts)))


def _import_json(file: Path, made: Imported, written: Sequence[Path]) -> dict[str, Any]:
    return {
        "file": str(file), "kind": made.kind, "columns": made.columns, "present": made.present, "used": made.used,
        "reported": made.reported, "passed": made.passed, "findings": [one.as_json() for one in made.findings],
        "prices": [dict(price) for price in made.prices], "written": [str(path) for path in written],
    }  # fmt: skip


@app.command()
def diff(
    a: Annotated[str, typer.Argument(help="The older snapshot: a file, or a day.", metavar="A")],
    b: Annotated[str, typer.Argument(help="The newer one.", metavar="B")],
    snapshots: Snapshots = None,
    gpu: Annotated[str | None, typer.Option(help="Only this card.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also what is the same.")] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON, everything.")] = False,
    lang: InLang = Lang.en,
) -> None:
    """Compare two snapshots: what became dearer, cheaper, new or gone.

    gpusheet prices diff prices/2026-10-27_aws.csv prices/2026-11-20_aws.csv

    gpusheet prices diff 2026-09-30 2026-10-31 --snapshots prices

    A day means the prices that were valid on it. All prices are for one card.
    """
    from gpusheet.catalog import Catalog
    from gpusheet.intake.price_changes import Became, changes

    old, new = (_side(text, snapshots) for text in (a, b))
    if gpu is not None:
        card = Catalog.builtin().find_gpu(gpu).gpu
        old, new = ([price for price in prices if price.gpu == card] for prices in (old, new))
    found = changes(old, new)
    if json:
        as_json([_change_json(one) for one in found])
    else:
        shown = found if everything else [one for one in found if one.became is not Became.same]
        if shown:
            _show_changes(shown, lang)
    counts = {kind: sum(one.became is kind for one in found) for kind in Became}
    names = WORDS[lang]
    remark(", ".join(f"{count:,} {names[kind]}" for kind, count in counts.items() if count) or "no prices on either side")


def _side(text: str, folder: Path | None) -> list[Price]:
    from gpusheet.intake import snapshot

    path = Path(text)
    if path.is_file():
        return snapshot.read_file(path)
    if not re.fullmatch(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}", text, re.ASCII):
        raise GpusheetError(f"{text}: there is no such file; give a snapshot file, or a day such as 2026-10-27")
    day = _day(text, "day")
    catalog = lists.catalog_with(folder)
    found = snapshot.valid(catalog.prices, day)
    if not found:
        first = min(price.snapshot_date for price in catalog.prices)
        raise GpusheetError(f"{text}: there are no prices at or before this day; the first snapshot is of {first}")
    return found


def _show_changes(found: Sequence[Change], lang: Lang) -> None:
    from gpusheet.catalog import Price, columns

    words, labels = WORDS[lang], {c.name: c.label(lang) for c in columns(Price)}
    head = [labels[name] for name in ("price_list", "listing", "gpu", "cards", "pricing_model")]
    head += [words[name] for name in ("before", "after", "unit", "change", "what")]
    rows = []
    for one in found:
        offer = one.offer
        percent = one.percent
        rows.append([
            offer.price_list, offer.listing or "", offer.gpu, f"{offer.cards:g}", offer.pricing_model, _money(one.old),
            _money(one.new), _unit(one, lang), "" if percent is None else f"{percent:+.1f}%",
            " ".join(part for part in (words[one.became], one.terms) if part),
        ])  # fmt: skip
    table(head, rows, right=(3, 5, 6, 8), stacked=True)


def _money(price: Price | None) -> str:
    return "" if price is None else f"{price.price_per_card:,.6g}"


def _unit(one: Change, lang: Lang) -> str:
    words = UNITS[lang]
    return f"{one.offer.currency}/{words['card']}/{words[one.offer.period]}"


def _change_json(one: Change) -> dict[str, Any]:
    offer = one.offer
    named = {name: getattr(offer, name) for name in ("price_list", "listing", "gpu", "cards", "pricing_model", "period")}
    sides = {side: None if price is None else {
        "snapshot_date": price.snapshot_date, "price": price.price, "per": price.per, "price_per_card": price.price_per_card,
        "currency": price.currency, "tax": price.tax,
    } for side, price in (("old", one.old), ("new", one.new))}  # fmt: skip
    return {**named, "became": one.became.value, **sides, "percent": one.percent, "terms": one.terms or None}
