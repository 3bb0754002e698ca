"""What only price tables need: what header, cell and neighbouring columns say of one price, put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gpusheet.intake.numbers import scaled
from gpusheet.intake.styles import SCALE_MARKS
from gpusheet.intake.understand import Remark, other_period
from gpusheet.intake.words import Said

# what words beside a price may say, by field
FIELDS = ("currency", "per", "period", "pricing_model", "tax", "cards")
_NAMES = {
    "currency": ("the currency", "币种"), "per": ("whether the price is for a card or a whole instance", "单卡价还是整机价"),
    "period": ("whether the price is per hour or per month", "按小时还是按月计价"),
    "pricing_model": ("how the card is rented", "计费方式"), "tax": ("whether tax is included", "是否含税"),
    "cards": ("how many cards the price is for", "卡数"), "snapshot_date": ("the day of the price", "采价日期"),
    "price_list": ("the provider", "供应商"), "gpu": ("the card", "GPU 型号"), "price": ("the price", "价格"),
}  # fmt: skip
_ADD = {
    "currency": ("add a column currency with CNY, USD, ...", "请增加“币种”列，填 CNY、USD 等"),
    "per": ("add a column per with card or instance", "请增加“计价单位”列，填“卡”或“整机”"),
    "period": ("add a column period with hour or month", "请增加“计价周期”列，填“小时”或“月”"),
    "cards": ("add a column cards", "请增加“卡数”列"),
}  # fmt: skip


@dataclass(frozen=True)
class Settled:
    """The fields of one price after all that is said of it, with remarks; `bad` where it contradicts itself."""

    values: Mapping[str, Any]
    remarks: tuple[Remark, ...] = ()
    bad: bool = False


def settle(cell: Said | None, header: Said, stated: Mapping[str, Any], format_mark: str = "") -> Settled:
    """One price: `stated` are the values of its own columns (None where blank or not there).

    >>> settle(None, Said(per="card", period="hour", currency="CNY"), {}).values["cards"]
    1.0
    >>> settle(Said(currency="USD"), Said(), {"currency": "CNY", "per": "card", "period": "hour"}).bad
    True
    """
    said = (cell or Said()).over(header)
    remarks: list[Remark] = []
    values: dict[str, Any] = {}
    bad = False
    for name in FIELDS:
        words, column = getattr(said, name), stated.get(name)
        clash = _clash(name, cell, header, column)
        if clash:
            remarks.append(clash)
            bad = True
        values[name] = column if column is not None else float(words) if name == "cards" and words else words
    if said.other and values["period"] is None:
        remarks.append(_said(other_period(said.other).en, other_period(said.other).zh))
        return Settled(values, tuple(remarks), True)
    if header.scale and cell is not None and cell.scale:
        remarks.append(Remark("error", "unit-conflict", "the price and the header both say what the number is counted in; type the "
                              "number in full", "价格和标题都写了数量级；请填完整数字"))  # fmt: skip
        return Settled(values, tuple(remarks), True)
    _fill(values)
    for name in ("currency", "per", "period", "cards"):
        if values[name] is None:
            remarks.append(missing(name))
            bad = True
    if format_mark in SCALE_MARKS:
        remarks.append(Remark(
            "error", "scale-of-format", f"the cell's number format writes {format_mark!r} behind the number; type the price in full, "
            "and take the format away", f"单元格的数字格式在数字后写有“{format_mark}”；请填完整价格，并去掉该格式"))  # fmt: skip
        bad = True
    elif format_mark == "%":
        remarks.append(Remark("error", "percent", "the price is formatted as a percentage; type the price itself",
                              "价格单元格是百分比格式；请填价格本身"))  # fmt: skip
        bad = True
    elif format_mark and values["currency"] not in (None, format_mark):
        remarks.append(Remark(
            "warning", "currency-of-format", f"the cell's number format shows {format_mark}, the row says "
            f"{values['currency']}; read as {values['currency']}: mend the format if that is right",
            f"单元格的数字格式是 {format_mark}，该行币种是 {values['currency']}；按 {values['currency']} 读入，请核对"))  # fmt: skip
    return Settled(values, tuple(remarks), bad)


def _fill(values: dict[str, Any]) -> None:
    """What follows from the rest: a price of one card, one card of a price per card, the usual way of renting."""
    if values["per"] is None and values["cards"] == 1:
        values["per"] = "card"
    if values["cards"] is None and values["per"] == "card":
        values["cards"] = 1.0
    if values["pricing_model"] is None and values["period"] is not None:
        values["pricing_model"] = "on_demand" if values["period"] == "hour" else "monthly"
    values["tax"] = values["tax"] or "unstated"


def _said(en: str, zh: str) -> Remark:
    return Remark("error", "other-period", f"the price is one {en.removeprefix('which is a price ')}", f"价格{zh}")


def _clash(name: str, cell: Said | None, header: Said, column: Any) -> Remark | None:
    """A contradiction between what the cell, the header and the column say of a field."""
    if name in ("cards", "pricing_model"):  # '包月' in a header is a way of paying and a period; columns say more
        return None
    sources = (("the price", "价格", getattr(cell or Said(), name)), ("the header", "标题", getattr(header, name)),
               (f"the column {name}", f"{_NAMES[name][1]}列", column))  # fmt: skip
    known = [(en, zh, value) for en, zh, value in sources if value is not None]
    for (en, zh, value), (en2, zh2, other) in pairwise(known):
        if value != other:
            code = "currency-conflict" if name == "currency" else "unit-conflict"
            return Remark("error", code, f"{en} says {value}, {en2} says {other}; make them agree",
                          f"{zh}是 {value}，{zh2}是 {other}；请改为一致")  # fmt: skip
    return None


def missing(name: str) -> Remark:
    """A field that nothing says."""
    what, zh = _NAMES.get(name, (name, name))
    add, add_zh = _ADD.get(name, ("fill it in", "请填写"))
    return Remark("error", "missing", f"nothing says {what}; {add}", f"没有说明{zh}；{add_zh}")


def assumed(header_says: Mapping[str, bool], file: str) -> Iterator[tuple[str, Remark]]:
    """What is taken where a whole table does not say it: remarks by field."""
    if not header_says["pricing_model"]:
        yield "pricing_model", Remark(
            "warning", "assumed", "no column says how the cards are rented: prices per hour are read as on_demand, per "
            "month as monthly; add a column pricing_model if it is otherwise",
            "没有计费方式列：按小时的价格视为按量，按月的价格视为包月；如不是，请增加“计费方式”列")  # fmt: skip
    if not header_says["tax"]:
        yield "tax", Remark("warning", "assumed", "no column says whether tax is included; read as unstated: add a column tax",
                            "没有说明是否含税；按“未说明”读入：请增加“含税”列")  # fmt: skip
    if not header_says["source"]:
        yield "source", Remark("note", "assumed", f"no column says where prices were seen; the source is {file}",
                               f"没有来源列；来源记为 {file}")  # fmt: skip


def header_scale(title: str, value: float, scale: float) -> Remark:
    """A column whose header says that its numbers are counted in thousands, 万 or cents."""
    full = scaled(value, scale)
    return Remark("warning", "header-scale", f"the header {title!r} says that prices are counted in {scale:.15g}: {value:.15g} is "
                  f"read as {full:.15g}", f"标题“{title}”表示以 {scale:.15g} 为单位：{value:.15g} 读作 {full:.15g}")  # fmt: skip


def sign_taken(sign: str, currency: str) -> Remark:
    """A sign that several currencies share, where nothing else says which."""
    return Remark("note", "currency-sign", f"{sign} is read as {currency}; add a column currency if it is another",
                  f"“{sign}”按 {currency} 读入；如是其他货币，请增加“币种”列")  # fmt: skip
