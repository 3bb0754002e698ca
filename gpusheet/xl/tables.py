"""Functions whose results spill: all workloads of a range, all prices of a day, all cards for a workload."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from gpusheet.catalog import Assumptions, Catalog, Gpu, Model, Price
from gpusheet.decisions.comparison import HELD, MEASURED, replica_cards
from gpusheet.errors import UnknownName
from gpusheet.lookup import Context
from gpusheet.missing import is_missing
from gpusheet.registry import all_rules
from gpusheet.wiring import OUTCOMES, TABLES, quantities
from gpusheet.xl import arguments
from gpusheet.xl.arguments import Argument
from gpusheet.xl.cells import BAD_ARGUMENT, UNKNOWN, CellError, Rows, grid, is_blank, scalar
from gpusheet.xl.function import Function
from gpusheet.xl.lookups import own_table, read_rows
from gpusheet.xl.rows import Solved, column_named, header, known_columns, solve_rows

# what tells cards apart that are to carry the same workload
COMPARED = ("fits", "cards", "replica_concurrency", "cards_needed", "card_tier", "monthly_cost", "cost_per_million_output_tokens")
ASKED = ("cards_needed", "monthly_cost")  # what people look at first
EVERY = "all"  # in the place of names of quantities
_BLOCK = 100  # rows whose cells are made together
_RANKED = ("fits", "monthly_cost")  # by which they are in order
_OFFER = ("gpu", "price_list", "pricing_model", "listing")
_LISTED = ("price_list", "gpu", "pricing_model", "listing", "price_per_card", "currency", "period", "tax", "snapshot_date")


Own = Rows | None  # a table of the workbook's own


def _context(as_of: datetime.date | None, gpus: Own, models: Own, prices: Own) -> Context:
    """Cards, models and prices from the tables that are given, else those of gpusheet."""
    own: dict[str, Any] = {}
    for name, row_type, rows in (("gpus", Gpu, gpus), ("models", Model, models), ("prices", Price, prices)):
        if rows is not None:
            try:
                own[name] = tuple(read_rows(rows, row_type))
            except CellError as error:
                raise error.of(name) from None
    catalog = Catalog.builtin()
    return Context(replace(catalog, **own) if own else catalog, as_of=as_of)


def estimate(
    rows: Rows, wanted: tuple[str, ...] | None, as_of: datetime.date | None, gpus: Own, models: Own, prices: Own
) -> list[Sequence[Any]]:
    """A header row, then a row of quantities for each workload; a row that cannot be read is errors."""
    names = wanted or OUTCOMES
    solved = solve_rows(rows, _context(as_of, gpus, models, prices), names)
    workloads = _workload_names(rows)
    if workloads is None:
        return [names, *_spilled(solved, names)]
    return [("workload", *names), *_spilled(solved, names, workloads)]


def _workload_names(rows: Rows) -> list[Any] | None:
    at = header(rows[0]).get("workload")
    if at is None:
        return None
    column = [row[at] for row in rows[1:]]
    if {str}.issuperset(map(type, column)) and all(map(str.strip, column)):
        return column
    return ["" if is_blank(cell) else cell for cell in column]


def _spilled(solved: Solved, names: Sequence[str], first: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
    """The quantities row by row, after a first column."""
    all_good = len(solved.good) == solved.rows
    before = [] if first is None else [first if all_good else [first[row] for row in solved.good]]
    columns = [_cells(name, solved.values[name]) for name in names] if solved.good else []
    good: list[tuple[Any, ...]] = []
    for start in range(0, len(solved.good), _BLOCK):  # few enough to be in the processor's cache when they become rows
        part = slice(start, start + _BLOCK)
        good += zip(*(column[part] for column in before), *(column[part].tolist() for column in columns), strict=True)
    if all_good:
        return good
    rows = dict(zip(solved.good, good, strict=True))
    for row in solved.bad.keys() | solved.blank:
        code = solved.bad[row].code if row in solved.bad else ""
        rows[row] = (*(first[row : row + 1] if first else ()), *[code] * len(names))
    return [rows[row] for row in range(solved.rows)]


def _cells(name: str, column: Any) -> Any:
    """A column of a quantity as cells show it. Missing is #N/A: an empty cell of a result would show as 0."""
    import numpy

    if quantities()[name].is_text or not (missing := numpy.isnan(column)).any():
        return column
    cells = column.astype(object)
    cells[missing] = UNKNOWN
    return cells


def why_missing(
    rows: Rows, wanted: tuple[str, ...] | None, as_of: datetime.date | None, gpus: Own, models: Own, prices: Own
) -> str:
    """What is wrong with rows of an estimate, by their number in the range; cards and cost are told if none is named."""
    solved = solve_rows(rows, _context(as_of, gpus, models, prices))
    told = {row: str(error) for row, error in solved.bad.items()}
    asked = ASKED if wanted in (None, _every()) else wanted
    for position, row in enumerate(solved.good):
        absent = [name for name in asked if is_blank(solved.values[name][position])]
        if absent:
            told[row] = "; ".join(dict.fromkeys(_why(name, solved, row, position) for name in absent))
    return "; ".join(f"row {row + 2}: {why}" for row, why in sorted(told.items()))


def _why(name: str, solved: Solved, row: int, position: int) -> str:
    from gpusheet.case import Case
    from gpusheet.missing import reason

    values = {**{one: column[position] for one, column in solved.values.items()}, **solved.tables}
    asked = quantities()[name].rule
    if asked is None:
        return f"{name}: blank"
    assumed = dict(Assumptions())
    typed = {one: value for one, value in values.items() if not is_blank(value)}
    known = Case(values, {**typed, "gpu": "", "model": ""}, assumed, solved.no_price(row))
    arguments = {p: values.get(source) for p, source in asked.needs.items()}
    return reason(asked, arguments, values, known)


def prices(as_of: datetime.date | None, price_list: str | None) -> list[list[Any]]:
    """A header row, then the newest price of each offer at or before a day."""
    catalog = Catalog.builtin()
    day = Context(catalog, as_of=as_of).price_date
    keys = dict.fromkeys((p.price_list, p.gpu, p.pricing_model) for p in catalog.prices)
    if price_list is not None:
        lists = {key[0].casefold() for key in keys}
        if price_list.casefold() not in lists:
            raise CellError(UNKNOWN, str(UnknownName("price_list", price_list, dict.fromkeys(key[0] for key in keys))))
        keys = {key: None for key in keys if key[0].casefold() == price_list.casefold()}
    found = [offer for key in sorted(keys) for offer in catalog.offers(*key, day)]
    if not found:
        raise CellError(UNKNOWN, f"no price at or before {day}; the oldest is of {min(p.snapshot_date for p in catalog.prices)}")
    return [list(_LISTED), *([_shown(getattr(offer, name)) for name in _LISTED] for offer in found)]


def _shown(value: Any) -> Any:
    return "" if value is None else value


def compare(
    workload: Rows, wanted: tuple[str, ...] | None, as_of: datetime.date | None, gpus: Own, models: Own, prices: Own
) -> list[Sequence[Any]]:
    """A header row, then every offer of every card for one workload: those that fit first, the cheapest first.

    As on the sheet Compare: what is measured, decided or owned holds for the card that the workload names; where it names
    none, for all. Another card takes as many cards for a replica as hold the weights.
    """
    names = wanted or COMPARED
    given = _one_workload(workload)
    context = _context(as_of, gpus, models, prices)
    card = _own_card(given, context)
    offers = list(_offers(given, card, context))
    own = [offer[0] == card if card is not None else not is_blank(given.get("cards")) for offer in offers]
    rows = _asked(given, offers, own, card)
    sized = solve_rows(rows, context)
    if sized.bad and not sized.good:
        raise next(iter(sized.bad.values()))
    good = [own[row] for row in sized.good]
    cards = replica_cards(good, sized.values["cards"], sized.values, sized.tables["tiers"])
    at = rows[0].index("cards")
    for row, number in zip(sized.good, cards.tolist(), strict=True):
        rows[row + 1][at] = None if is_missing(number) else number
    solved = solve_rows(rows, context, (*names, *_RANKED))
    cells = _spilled(solved, names)
    rank = _spilled(solved, _RANKED)
    order = sorted(range(len(offers)), key=lambda row: _place(rank[row]))
    return [[*_OFFER, *names], *([*(_shown(part) for part in offers[row]), *cells[row]] for row in order)]


def _own_card(given: dict[str, Any], context: Context) -> str | None:
    """The card that the workload names."""
    if is_blank(given.get("gpu")):
        return None
    try:
        return context.catalog.find_gpu(str(given["gpu"])).gpu
    except UnknownName as error:
        raise CellError(UNKNOWN, str(error)) from None


def _asked(given: dict[str, Any], offers: Sequence[tuple[Any, ...]], own: Sequence[bool], card: str | None) -> list[list[Any]]:
    """The workload with each offer, as rows below their names; on other cards without what belongs to its own."""
    fixed = {"cards": None, **{name: cell for name, cell in given.items() if name not in _OFFER}}
    elsewhere = dict.fromkeys(MEASURED) | dict.fromkeys(HELD, 0.0)
    rows: list[list[Any]] = [[*_OFFER, *fixed]]
    for offer, mine in zip(offers, own, strict=True):
        kept = fixed if mine or card is None else {name: elsewhere.get(name, cell) for name, cell in fixed.items()}
        rows.append([*offer, *kept.values()])
    return rows


def _place(rank: Sequence[Any]) -> tuple[bool, bool, float]:
    fits, cost = rank
    known = isinstance(cost, float)
    return fits != 1.0, not known, cost if known else 0.0


def _one_workload(cells: Rows) -> dict[str, Any]:
    """A workload by the names of its fields, which stand in the first row or, with two columns, in the first column."""
    upright = len(cells) != 2 or (len(cells[0]) == 2 and column_named(str(cells[1][0] or "").strip()) in known_columns())
    pairs = [(row[0], row[1]) for row in cells] if upright and len(cells[0]) == 2 else None
    if pairs is None and len(cells) != 2:
        raise CellError(BAD_ARGUMENT, f"workload: found {len(cells)} rows, allowed a header row and one row, or two columns")
    header, values = zip(*pairs, strict=True) if pairs else (cells[0], cells[1])
    words = [str(scalar(name) or "").strip() for name in header]
    if twice := [word for word in words if [column_named(one) for one in words].count(column_named(word)) > 1]:
        raise CellError(BAD_ARGUMENT, f"workload: two columns are named {twice[0]!r}; leave one")
    return {column_named(word): cell for word, cell in zip(words, values, strict=True)}


def _offers(given: dict[str, Any], own: str | None, context: Context) -> Iterable[tuple[Any, ...]]:
    """Every card with each of its prices; a price list or pricing model that the workload names is kept to, a listing on
    the card that it is for.
    """
    catalog, day = context.catalog, context.price_date
    keys = dict.fromkeys((p.price_list, p.gpu, p.pricing_model) for p in catalog.prices)
    wished = {name: str(given[name]).strip().casefold() for name in _OFFER[1:] if not is_blank(given.get(name))}
    for card in catalog.gpus:
        asked = {name: wish for name, wish in wished.items() if name != "listing" or own in (None, card.gpu)}
        found = [offer for key in keys if key[1] == card.gpu for offer in catalog.offers(*key, day)]
        kept = [o for o in found if all(str(getattr(o, name) or "").casefold() == wish for name, wish in asked.items())]
        for offer in kept:
            yield tuple(getattr(offer, name) for name in _OFFER)
        if not kept:
            yield (card.gpu, *(given.get(name) if name in asked or name != "listing" else None for name in _OFFER[1:]))


def _every() -> tuple[str, ...]:
    return tuple(name for name, rule in all_rules().items() if rule.line)


def _names(en: str, zh: str) -> Argument:
    """Names of quantities, in a range or in one text parted by commas, or "all"; None for the usual ones."""

    def read(cells: Any) -> tuple[str, ...] | None:
        words = [str(scalar(cell)) for row in grid(cells) for cell in row if not is_blank(scalar(cell))]
        found = tuple(word.strip().lower() for text in words for word in text.split(",") if word.strip())
        if found == (EVERY,):
            return _every()
        allowed = [one for one in quantities() if one not in TABLES]
        for word in found:
            if word not in allowed:
                raise CellError(UNKNOWN, str(UnknownName("", word, [*allowed, EVERY])).removeprefix(": "))
        return found or None

    return Argument("quantities", "any", en, zh, read, optional=True)


_DAY = arguments.date("as_of", "Day for which prices are wanted: the newest up to then; blank: the newest.",
            "价格日期：取该日及之前最新的报价；留空：最新")  # fmt: skip
_WORKLOADS = arguments.table(
    "workloads", "Range with a header row of workload columns (gpu, model, input_tokens, ...) and a row per workload.",
    "业务表区域：首行为列名（gpu、model、input_tokens 等），每行一个业务")  # fmt: skip
_OWN = (
    own_table("GPUs", "cards", "显卡数据", "gpus"), own_table("Models", "models", "模型数据", "models"),
    own_table("Prices", "prices", "报价", "prices"),
)  # fmt: skip
_BOT = {
    "workload": "bot", "gpu": "L20", "model": "Generic-7B", "weight_precision": "int8", "input_tokens": 200,
    "output_tokens": 300, "requests_per_day": 80000, "peak_factor": 4, "price_list": "gongjiyun",
}  # fmt: skip
_EXAMPLE = [list(_BOT), list(_BOT.values())]

FUNCTIONS = (
    Function(
        "ESTIMATE",
        (_WORKLOADS, _names("Quantities wanted, in a range or as \"card_tier, monthly_cost\"; \"all\": every one; blank: "
                            "those of the workbook's Summary.",
                            "要输出的指标：区域或 \"card_tier, monthly_cost\"；\"all\"：全部；留空：与工作簿“汇总”表相同的指标"),
         _DAY, *_OWN),
        "Cards, cost and more for every workload of a range: header row and workloads in, header row and results out. Blanks "
        "take the assumptions of gpusheet; a column named after one replaces it.",
        "一次算出区域内所有业务的卡数、成本等指标：输入表头与业务行，输出表头与结果行。留空取 gpusheet 的假设，同名列可替换",
        estimate, (_EXAMPLE, "cards_needed, card_tier, monthly_cost"), spills=True, days=1, told=why_missing,
    ),
    Function(
        "PRICES",
        (_DAY, arguments.name("price_list", "Price list wanted; blank: all.", "价目表；留空：全部", optional=True)),
        "The newest price per card of every offer that gpusheet knows, on a day.",
        "gpusheet 自带的各报价在某日的最新单卡价格", prices, (None, "gongjiyun"), spills=True,
    ),
    Function(
        "COMPARE_GPUS",
        (
            arguments.table("workload", "One workload: header row and one row, or two columns with names and values. Measured "
                  "figures, fixed and owned cards hold for its gpu, without one for all; price_list and pricing_model are kept to.",
                  "一个业务：表头行加一行，或“名称、数值”两列。实测值、指定与自有卡只用于其 gpu，未写 gpu 则用于全部；"
                  "只比较所写的 price_list 与 pricing_model"),
            _names("Quantities wanted, in a range or as \"card_tier, monthly_cost\"; \"all\": every one; blank: the usual ones.",
                   "要输出的指标：区域或 \"card_tier, monthly_cost\"；\"all\"：全部；留空：常用指标"),
            _DAY, *_OWN,
        ),
        "Every card and offer for one workload, those that fit first, the cheapest first.",
        "用所有 GPU 与报价比较同一业务：放得下的在前，便宜的在前", compare,
        (_EXAMPLE, "fits, card_tier, monthly_cost"), spills=True,
    ),
)  # fmt: skip
