"""Facts and prices by name: from the workbook's own table where it is given, else from the tables of gpusheet.

A function that reads cells which it was not given goes stale; so the workbook's table is an argument.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from gpusheet.catalog import AmbiguousPrice, BadRow, Catalog, Column, Gpu, Model, Price, Row, columns
from gpusheet.catalog.names import Names, aliases_of
from gpusheet.catalog.schema import unknown_column
from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.registry import all_rules
from gpusheet.xl.arguments import Argument, checked_number, checked_text, date, name, of_column, table
from gpusheet.xl.cells import BAD_ARGUMENT, UNKNOWN, CellError, Rows, day, is_blank, scalar
from gpusheet.xl.function import Function


def header(rows: Rows, row_type: type[Row]) -> dict[str, int]:
    """Where a range with a header row has its columns, by name; labels in either language are names too.

    >>> header([["GPU", "显存", "单卡显存"], ["L20", 1, 48]], Gpu)
    {'gpu': 0, '显存': 1, 'memory_gb': 2}
    """
    known = {word.casefold(): c.name for c in columns(row_type) for word in (c.zh, c.en, c.name)}
    found: dict[str, int] = {}
    for position, cell in enumerate(rows[0]):
        if is_blank(cell):
            continue
        word = str(scalar(cell)).strip()
        column = known.get(word.casefold(), word)
        if column in found:
            raise CellError(BAD_ARGUMENT, f"two columns are named {word!r}; leave one")
        found[column] = position
    return found


def _spec(row_type: type[Row], key: str, asked: str, field: str, rows: Rows | None) -> Any:
    known = {c.name: c for c in columns(row_type)}
    words = {word.casefold(): c.name for c in known.values() for word in (c.zh, c.en, c.name)}
    column = words.get(field.casefold(), field)
    try:
        if rows is not None:
            return _in_table(row_type, key, asked, column, rows)
        if column not in known:
            raise CellError(UNKNOWN, f"field: {field!r}: {unknown_column(field, known)}")
        catalog = Catalog.builtin()
        row: Row = catalog.find_gpu(asked) if row_type is Gpu else catalog.find_model(asked)
    except UnknownName as error:
        raise CellError(UNKNOWN, str(error)) from None
    return _fact(dict(row), column, asked)


def _in_table(row_type: type[Row], key: str, asked: str, field: str, rows: Rows) -> Any:
    places, names = _index(row_type, key, tuple(map(tuple, rows)))
    field = next((one for one in places if one.casefold() == field.casefold()), field)
    if field not in places:
        raise CellError(UNKNOWN, f"field: {field!r}: {unknown_column(field, places)}")
    row = rows[names.find(asked)]
    known = {c.name: c for c in columns(row_type)}
    values = {field: _read(known.get(field), row[places[field]], field)}
    if is_blank(values[field]) and field in all_rules():  # what follows from other facts is computed from them
        values = {one: _read(known[one], row[at], one) for one, at in places.items() if one in known}
    return _fact(values, field, asked)


@lru_cache(maxsize=8)  # a column of look-ups asks the same table again and again
def _index(row_type: type[Row], key: str, rows: tuple[tuple[Any, ...], ...]) -> tuple[dict[str, int], Names[int]]:
    """Where a table has its columns, and the numbers of its rows by name and alias.

    Not the rows: tables that differ in TRUE and 1 alone are equal here.
    """
    places = header(rows, row_type)
    if key not in places:
        raise CellError(BAD_ARGUMENT, f"table: no column {key} in its first row; give the range with its header row")
    entries = []
    for number, row in enumerate(rows[1:], 1):
        if not is_blank(row[places[key]]):
            others = row[places["aliases"]] if "aliases" in places else None
            entries.append((_spelled(row[places[key]]), aliases_of(others if isinstance(others, str) else None), number))
    try:
        return places, Names(key, entries)
    except GpusheetError as error:
        raise CellError(BAD_ARGUMENT, f"table: {error}") from None


def _spelled(cell: Any) -> str:
    return f"{cell:.15g}" if isinstance(cell, float) else str(cell)


def _read(column: Column | None, cell: Any, field: str) -> Any:
    """The cell as its column allows it; None where it is blank. A column of the user's own may hold anything."""
    try:
        cell = scalar(cell)
        if is_blank(cell):
            return None
        if column is None:
            return cell
        if column.kind == "number":
            return checked_number(column, cell)
        return day(cell) if column.kind == "date" else checked_text(column, cell)
    except CellError as error:
        raise error.of(field) from None


def _fact(values: Mapping[str, Any], field: str, asked: str) -> Any:
    value = values.get(field)
    if value is None and field in all_rules():
        from gpusheet.solver import solve
        from gpusheet.wiring import quantities

        known = {one: fact for one, fact in values.items() if one in quantities() and fact is not None}
        value = solve(known)[field]
    if is_blank(value):
        raise CellError(UNKNOWN, f"{asked}: {field} is not known; type it into the table if you know it")
    return value


def gpu_spec(gpu: str, field: str, rows: Rows | None) -> Any:
    return _spec(Gpu, "gpu", gpu, field, rows)


def model_spec(model: str, field: str, rows: Rows | None) -> Any:
    return _spec(Model, "model", model, field, rows)


def price(
    gpu: str, pricing_model: str, as_of: datetime.date | None, price_list: str | None, rows: Rows | None,
    listing: str | None,
) -> float:  # fmt: skip
    """Price of a card for its period, in the currency of the offer."""
    try:
        if rows is None:
            found = Catalog.builtin().find_price(gpu, pricing_model, as_of, price_list, listing)
        else:
            offers = Catalog(prices=_offers(rows, gpu, pricing_model))
            found = offers.quoted_price(gpu, pricing_model, as_of, price_list if offers.prices else None, listing)
    except (UnknownName, AmbiguousPrice) as error:
        raise CellError(UNKNOWN, str(error)) from None
    if found is None:
        parts = [f"no {pricing_model} price of {gpu}", f"in {price_list}" if price_list else ""]
        parts += [f"listed as {listing}" if listing else "", f"at or before {as_of}" if as_of else ""]
        raise CellError(UNKNOWN, " ".join(part for part in parts if part))
    return found.price_per_card


def read_rows(rows: Rows, row_type: type[Row]) -> list[Any]:
    """A table of the user's own as rows, all of which have to be right; columns that are not ours are passed over."""
    places = header(rows, row_type)
    known = {c.name: c for c in columns(row_type) if c.name in places}
    found = []
    for number, row in enumerate(rows[1:], 2):
        values = {name: row[places[name]] for name in known}
        if all(is_blank(cell) for cell in values.values()):
            continue
        try:
            values = {name: _read(known[name], cell, name) for name, cell in values.items()}
            found.append(row_type.read(values, f"row {number}"))
        except CellError as error:
            raise error.of(f"row {number}") from None
        except BadRow as error:
            raise CellError(BAD_ARGUMENT, "; ".join(error.lines)) from None
    return found


def _offers(rows: Rows, gpu: str, pricing_model: str) -> list[Price]:
    """The rows of a table of prices that may answer, read and checked; the others are none of this cell's business."""
    places = header(rows, Price)
    lacking = [c.name for c in columns(Price) if c.required and c.name not in places and c.name != "source"]
    if lacking:
        told = f"no column {', '.join(lacking)} in its first row; give the range with its header row"
        raise CellError(BAD_ARGUMENT, f"table: {told}")
    wanted = [_names_of(gpu), {pricing_model.casefold()}]
    found = []
    for number, row in enumerate(rows[1:], 2):
        keys = [_spelled(row[places[key]]).strip().casefold() for key in ("gpu", "pricing_model")]
        if not all(key in names for key, names in zip(keys, wanted, strict=True)):
            continue
        values = {c.name: row[places[c.name]] for c in columns(Price) if c.name in places} | {"gpu": gpu}
        values.setdefault("source", "the table")  # where a price is from is not asked here
        try:
            values["snapshot_date"] = day(values["snapshot_date"])
            found.append(Price.read(values, f"table row {number}"))
        except CellError as error:
            raise error.of(f"table row {number}, snapshot_date") from None
        except BadRow as error:
            raise CellError(BAD_ARGUMENT, "; ".join(error.lines)) from None
    return found


def _names_of(gpu: str) -> set[str]:
    """What a table of prices may call a card: as it was asked for, or by its name in gpusheet."""
    try:
        return {gpu.casefold(), Catalog.builtin().find_gpu(gpu).gpu.casefold()}
    except UnknownName:
        return {gpu.casefold()}


def own_table(of: str, built_in: str, eigen: str, what: str = "table") -> Argument:
    """The argument for a table of the workbook's own; without it the tables of gpusheet answer."""
    return table(
        what, f"Your own table with its header row, such as {of}[#All]; blank: the {built_in} of gpusheet.",
        f"自己的表（含表头行），如 {of}[#All]；留空：用 gpusheet 自带的{eigen}", optional=True)  # fmt: skip


_GPU = name("gpu", 'Name or alias of the card, such as "H100 SXM".', 'GPU 型号或别名，如 "H100 SXM"')
_MODEL = name("model", "Name, alias or Hugging Face id of the model.", "模型名称、别名或 Hugging Face 编号")
_FIELD = name("field", 'Column of the table, such as "memory_gb", or its label.', '表中的列名，如 "memory_gb"，或其标签')
_PRICING_MODEL = of_column(next(c for c in columns(Price) if c.name == "pricing_model"))

FUNCTIONS = (
    Function(
        "GPU_SPEC", (_GPU, _FIELD, own_table("GPUs", "cards", "显卡数据")),
        "A fact of a card, as its data sheet has it: memory, bandwidth, compute, link.",
        "GPU 的一项规格：显存、带宽、算力、互联等", gpu_spec, ("H100-80G-SXM", "memory_gb"),
    ),
    Function(
        "MODEL_SPEC", (_MODEL, _FIELD, own_table("Models", "models", "模型数据")),
        "A fact of a model: parameters, layers, KV heads, KV elements per token.",
        "模型的一项参数：参数量、层数、KV 头数、每 token KV 元素数等", model_spec, ("Qwen3-32B", "params_b"),
    ),
    Function(
        "GPU_PRICE",  # PRICE is a function of Excel, which it would find first
        (
            _GPU,
            _PRICING_MODEL,
            date("as_of", "Day for which the price is wanted: the newest up to then; blank: the newest.",
                 "价格日期：取该日及之前最新的报价；留空：最新"),
            name("price_list", "Price list to look in; blank: the only one that has the card.",
                 "价目表；留空：唯一有该型号报价的价目表", optional=True),
            own_table("Prices", "prices", "报价"),
            name("listing", "Which offer, where the price list has several of the card.",
                 "报价项：同一价目表有多个报价时指定", optional=True),
        ),
        "Price of one card for its period, an hour or a month, in the currency of the price list.",
        "单卡价格（按报价的计价周期：每小时或每月），币种与价目表一致", price, ("H20-96G", "monthly"),
    ),
)  # fmt: skip
