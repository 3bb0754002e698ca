"""The sheets of facts and prices: GPUs, Models, Prices, FX, and the workloads themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openpyxl.utils import get_column_letter
from openpyxl.workbook.workbook import Workbook

from gpusheet.catalog import Engine, Fx, Generation, Gpu, Model, Price, Row, Workload, columns
from gpusheet.catalog.planning import PLANNING
from gpusheet.units import Cards, Flag, NewestDay, Number, PerCardHour, Text, unit_of
from gpusheet.workbook.assumptions_sheet import match_choice
from gpusheet.workbook.inputs import Inputs
from gpusheet.workbook.layout import DATE_ROW, TABLE_FIRST, TABLE_HEADER, hint_of, role_of, title_of
from gpusheet.workbook.style import Look, printing
from gpusheet.workbook.tables import Calculated, Placed, put_table

_ROW = "Prices[[#This Row],[{}]]"


def _cell(name: str) -> str:
    return _ROW.format(name)


def _known(name: str) -> str:
    """1 where a choice of the row is one of its list."""
    column = next(c for c in columns(Price) if c.name == name)
    return f"ISNUMBER({match_choice(_cell(name), column)})"


def _flag(name: str, en: str, zh: str, formula: str) -> Calculated:
    return Calculated(name, en, zh, unit_of(Flag), formula)


_SIZED = "Prices[[#This Row],[cards]:[price]]"
PRICE_COLUMNS = (
    Calculated(
        "line", "Row of the table", "表内行号", unit_of(Number), "=ROW()-ROW(Prices[[#Headers],[line]])"),
    _flag("listed", "Price list, GPU and currency there", "价目表、GPU 与币种齐全",
          f'=({_cell("price_list")}<>"")*(COUNTA(Prices[[#This Row],[gpu]:[currency]])=4)'),
    _flag("priced", "Cards and price above 0", "卡数与价格为正", f"=(COUNT({_SIZED})=2)*(MIN({_SIZED})>0)"),
    *(_flag(f"{name}_known", en, zh, f"=1*{_known(name)}") for name, en, zh in (
        ("per", "Price per card or instance", "计价单位有效"), ("period", "Period known", "计价周期有效"),
        ("pricing_model", "Pricing model known", "计费方式有效"), ("tax", "Tax known", "税务口径有效"))),
    Calculated(
        "price_cards", "Cards that the price is for", "价格对应卡数", unit_of(Cards),
        f'=IF({_cell("per")}="instance",{_cell("cards")},1)'),
    Calculated(
        "price_per_card", "Price per card and period", "单卡价格", unit_of(PerCardHour),
        f'=IF({_cell("priced")}=1,{_cell("price")}/{_cell("price_cards")},"")'),
    Calculated(
        "price_day", "Day, 0 while a cell is missing", "有效日期(不完整为0)", unit_of(NewestDay),
        f'=N({_cell("snapshot_date")})*MIN(Prices[[#This Row],[listed]:[tax_known]])'),
    Calculated(
        "row_day", "Day of the row; without one the as-of date", "本行日期(缺失时取基准日)", unit_of(NewestDay),
        f'=IF(N({_cell("snapshot_date")})>0,{_cell("snapshot_date")},Lookup!$E${DATE_ROW})'),
    Calculated(
        "unusable_day", "Day of a row that cannot be used, else 0", "不可用报价的日期(可用为0)", unit_of(NewestDay),
        f'=({_cell("price_day")}=0)*{_cell("row_day")}'),
    Calculated(
        "terms", "List | GPU | model", "价目表|GPU|计费方式", unit_of(Text),
        f'={_cell("price_list")}&"|"&{_cell("gpu")}&"|"&{_cell("pricing_model")}&"|"'),
    Calculated(
        "offer", "List | GPU | model | listing", "价目表|GPU|计费方式|报价项", unit_of(Text),
        f'={_cell("terms")}&{_cell("listing")}&"|"'),
)  # fmt: skip


SPARE_ROWS = {"Contracts": 3, "Earlier": 3, "Actuals": 3, "SignOff": 2}  # blank rows to begin with
Extra = Mapping[str, Mapping[str, Sequence[Any]]]


def put_catalog(book: Workbook, look: Look, inputs: Inputs, lines: int, extra: Extra) -> dict[str, Placed]:
    """The input sheets but Assumptions; `lines` is how many workloads the calculation has room for.

    `extra` holds the columns of the user's own, by table.
    """
    catalog = inputs.catalog
    placed: dict[str, Placed] = {}
    placed["GPUs"] = _sheet(book, look, "GPUs", Gpu, catalog.gpus, extra=extra.get("GPUs"))
    placed["Models"] = _sheet(book, look, "Models", Model, catalog.models, extra=extra.get("Models"))
    for name, row_type, rows in (("Engines", Engine, catalog.engines), ("Generations", Generation, catalog.generations)):
        placed[name] = _sheet(book, look, name, row_type, rows, extra=extra.get(name))
    gpus, models = placed["GPUs"].area("gpu"), placed["Models"].area("model")
    placed["Prices"] = _sheet(
        book, look, "Prices", Price, catalog.price_lines, calculated=PRICE_COLUMNS, lists={"gpu": gpus},
        extra=extra.get("Prices"))
    placed["FX"] = _sheet(book, look, "FX", Fx, catalog.fx, spare=max(0, 3 - len(catalog.fx)), extra=extra.get("FX"))
    named: dict[str, str] = {}
    for name, (kind, field, _) in PLANNING.items():
        kept = getattr(inputs.plans, field)
        lists = {"gpu": gpus} if "gpu" in kind.model_fields else {}
        placed[name] = _sheet(book, look, name, kind, kept, spare=SPARE_ROWS.get(name, 0), lists=lists, extra=extra.get(name))
        named[name] = placed[name].area(columns(kind)[0].name)
    placed["Workloads"] = _sheet(
        book, look, "Workloads", Workload, inputs.workloads, spare=lines - len(inputs.workloads),
        lists={"gpu": gpus, "model": models, "traffic_curve": named["Curves"]}, extra=extra.get("Workloads"))
    return placed


def _sheet(
    book: Workbook,
    look: Look,
    name: str,
    row_type: type[Row],
    rows: Sequence[Row],
    **how: Any,
) -> Placed:
    sheet = book[name]
    count = len(columns(row_type)) + len(how.get("calculated", ())) + len(how.get("extra") or ())
    look.title(sheet, title_of(name, look.lang), hint_of(name, look.lang), role_of(name))
    look.band(sheet, role_of(name), count)
    placed = put_table(sheet, look, name, row_type, rows, TABLE_HEADER, **how)
    sheet.freeze_panes = f"B{TABLE_FIRST}"
    last = get_column_letter(count)
    printing(sheet, look.lang, f"{TABLE_HEADER - 2}:{TABLE_HEADER}", f"A1:{last}{placed.last}", "A:A")
    return placed
