"""One strict grammar of numbers as people type them: what can be read two ways is not read at all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from gpusheet.intake.words import SHARED_SIGNS, Said, fold, is_placeholder, said_by

LONGEST = 100  # characters of a text that may be a number
_PLAIN = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
_GROUPED = re.compile(r"[1-9]\d{0,2}([ ,'’])\d{3}(?:\1\d{3})*(?:\.\d+)?", re.ASCII)
_CORE = re.compile(r"(?:\d[\d.,'’ ]*\d|\d[.,]?|[.,]\d[\d.,'’ ]*)(?:(?<=[\d.])e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_SCALES = {"万": 1e4, "萬": 1e4, "千": 1e3, "百": 1e2, "亿": 1e8, "k": 1e3, "K": 1e3}
_ERRORS = ("#REF!", "#N/A", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "#GETTING_DATA", "#FIELD!",
           "#BLOCKED!", "#BUSY!", "#UNKNOWN!", "#CONNECT!")  # fmt: skip
_VAGUE = re.compile(r"(约|大约|起|以上|以下|左右|~|≈|≥|≤|[<>]|from|about|up to|starting|approx)", re.IGNORECASE)
_RANGE = re.compile(r"\d\s*(?:-|–|—|~|～|至|到|to)\s*[¥$€£]?\s*\d", re.IGNORECASE)

NOTHING = Said()


@dataclass(frozen=True)
class Amount:
    """A number, and what stood beside it: a currency, units, a percent sign."""

    value: float
    said: Said = NOTHING
    percent: bool = False
    sign: str = ""  # a currency sign that several currencies share
    beside: str = ""  # the words themselves
    scale: float = 1.0  # by which the digits were taken: 10000 in 4.2万


@dataclass(frozen=True)
class Trouble:
    """Why there is no value, in words that follow "found 'x', "; `code` is the kind."""

    code: str
    en: str
    zh: str


@lru_cache(maxsize=65536)
def parse(text: str) -> Amount | Trouble:
    """A text as a number.

    >>> [parse(text).value for text in ("¥1,020.00", "1 200", "1\\xa0073", "￥１，９５６．５０", "1.2万", "(5)", "2e3")]
    [1020.0, 1200.0, 1073.0, 1956.5, 12000.0, -5.0, 2000.0]
    >>> parse("10 800,00").en
    'which can be read in two ways; type 10800.00 or 1080000'
    >>> parse("面议").code, parse("13.94元/卡时").said.per
    ('placeholder', 'card')
    """
    folded = fold(text)
    trouble = _no_number(folded)
    if trouble:
        return trouble
    signed, negative = folded, False
    if re.fullmatch(r"\(.*\)", signed) and re.search(r"\d", signed) and _CORE.fullmatch(signed[1:-1].strip("¥$€£ ")):
        signed, negative = signed[1:-1].strip(), True
    found = list(_CORE.finditer(_without_units(signed)))
    if len(found) != 1:
        return _not_one(folded, len(found))
    core = found[0]
    before, after = signed[: core.start()], signed[core.end() :]
    before, minus = _sign(before)
    scale = 1.0
    if after.lstrip()[:1] in _SCALES and not re.match(r"\s*[kK][a-zA-Z]", after):
        scale, after = _SCALES[after.lstrip()[0]], after.lstrip()[1:]
    percent = after.strip() == "%"
    beside = f"{before.strip()} {after.strip()}".strip() if not percent else before.strip()
    if minus is None or (minus and negative) or re.search(r"[+-]\s*$|^\s*[+-]", after) or not _closed(signed) or (
            before.rstrip().endswith("(")):  # fmt: skip
        return Trouble("not-a-number", "which is no number; type the number", "不是数字；请填数字")
    first = said_by(before)
    if first.rest or first != Said(currency=first.currency):  # letters before digits make a name: H20
        return unknown_unit(beside)
    said = said_by(beside)
    number = _value(core[0].strip())
    if isinstance(number, Trouble):
        return number
    if minus or negative:
        number = -number
    sign = next((one for one in SHARED_SIGNS if one in beside and said.currency == SHARED_SIGNS[one]), "")
    return Amount(scaled(number, 0.01 if percent else scale), said, percent, sign if _bare(beside, sign) else "", beside, scale)


def unknown_unit(beside: str) -> Trouble:
    """What to say of words beside a number that are no unit of it."""
    return Trouble("unknown-unit", f"of which {beside!r} is no unit that is known here; type the number alone",
                   f"其中“{beside}”不是这里认识的单位；请只填数字")  # fmt: skip


def scaled(number: float, scale: float) -> float:
    """Scaled so that 4.35万 is 43500, not 43499.999..."""
    return number if scale == 1 else float(f"{number * scale:.15g}")


def _closed(text: str) -> bool:
    return text.count("(") == text.count(")")


def _bare(text: str, sign: str) -> bool:
    """Whether the sign stands without the letters that say whose it is, as US$ does."""
    return bool(sign) and not re.search(rf"[A-Za-z]\s?{re.escape(sign)}", text) and "元" not in text


def _no_number(folded: str) -> Trouble | None:
    if len(folded) > LONGEST:
        return Trouble("not-a-number", "which is no number; type the number", "不是数字；请填数字")
    if folded.upper() in _ERRORS:
        return error_cell(folded.upper())
    if is_placeholder(folded):
        return Trouble("placeholder", "which stands for no value; type the number, or leave the cell blank",
                       "表示没有数值；请填数字，或留空")  # fmt: skip
    if not re.search(r"[0-9]", folded):
        return Trouble("not-a-number", "which is no number; type the number", "不是数字；请填数字")
    if _RANGE.search(folded) and not re.search(r"\de-\d", folded, re.IGNORECASE):
        return Trouble("range", "which is a range or a date; type one number", "是区间或日期；请填一个数字")
    if _VAGUE.search(folded):
        return Trouble("not-exact", "which is not exact; type the number that is paid", "不是确定的数值；请填实际数字")
    return None


def error_cell(code: str) -> Trouble:
    """What to say of a cell that holds an error."""
    return Trouble("error-cell", f"the error {code}; mend the formula, or type the value",
                   f"错误值 {code}；请修正公式，或直接填数值")  # fmt: skip


def _without_units(text: str) -> str:
    """The text with the digits of '/8卡' and '1年' hidden, which are no part of the number."""
    return re.sub(r"(?<=/)\s*\d+\s*(?=卡|张|gpu|card)", lambda match: " " * len(match[0]), text, flags=re.IGNORECASE)


def _not_one(folded: str, count: int) -> Trouble:
    if count:
        return Trouble("several-numbers", "which holds several numbers; type one", "含有多个数字；请只填一个")
    return Trouble("not-a-number", "which is no number; type the number", "不是数字；请填数字")


def _sign(before: str) -> tuple[str, bool | None]:
    """What stands before the digits without its sign, and whether it is minus; None for two signs."""
    signs = re.findall(r"[+-]", before)
    if len(signs) > 1:
        return before, None
    return re.sub(r"[+-]", "", before), signs == ["-"]


def _value(core: str) -> float | Trouble:
    if _PLAIN.fullmatch(core):
        return float(core)
    if _GROUPED.fullmatch(core):
        return float(re.sub(r"[ ,'’]", "", core))
    ways = _ways(core)
    if not ways:
        return Trouble("ambiguous-number", "which has its separators in odd places; type the number", "分隔符位置不对；请填数字")
    two = "can be read in two ways" if len(ways) > 1 else "has its separators in odd places"
    two_zh = "有两种读法" if len(ways) > 1 else "分隔符位置不对"
    return Trouble("ambiguous-number", f"which {two}; type {' or '.join(ways)}", f"{two_zh}；请填 {' 或 '.join(ways)}")


def _ways(core: str) -> list[str]:
    """The numbers that a text with odd separators may mean: its last one as the decimal point, and none as that. 1.2.3 may
    mean anything."""
    core = re.sub(r"([.,])\1+", r"\1", core)
    parts = re.split(r"[.,]", core)
    digits = [re.sub(r"\D", "", part) for part in parts]
    if _repeated(core) and len(digits[-1]) != 3:
        return []
    ways = []
    if len(parts) > 1 and digits[-1] and re.search(r"[.,](?=[^.,]*$)", core) and not _repeated(core):
        ways.append(f"{''.join(digits[:-1]) or '0'}.{digits[-1]}")
    ways.append("".join(digits).lstrip("0") or "0")
    return list(dict.fromkeys(ways))


_DECIMAL_COMMA = re.compile(r"(?<![\d,])\d{1,3}(?:[. ]\d{3})+,\d+(?![\d,])|(?<![\d.,])\d+,\d{1,2}(?![\d,])", re.ASCII)
_THREE_BEHIND = re.compile(r"\D*(?<![\d.,])([1-9]\d{0,2})[.,](\d{3})(?![\d.,])\D*", re.ASCII)


def has_decimal_comma(text: str) -> bool:
    """Whether a text holds a number as continental Europe writes it.

    >>> [has_decimal_comma(text) for text in ("1.234,56", "12,5 €", "1,234", "1,234.50", "1.5")]
    [True, True, False, False, False]
    """
    return _DECIMAL_COMMA.search(text) is not None


def of_two_ways(text: str) -> Trouble | None:
    """What to say of 1.234 among numbers with decimal commas: it may be 1234; None for other texts.

    >>> of_two_ways("1.234").en, of_two_ways("12.34")
    ('which can be read in two ways, as others here have a decimal comma; type 1234 or 1.234', None)
    """
    found = _THREE_BEHIND.fullmatch(fold(text))
    if found is None:
        return None
    whole, point = f"{found[1]}{found[2]}", f"{found[1]}.{found[2]}"
    return Trouble("ambiguous-number", f"which can be read in two ways, as others here have a decimal comma; type {whole} or {point}",
                   f"本列其他数字用逗号作小数点，因此有两种读法；请填 {whole} 或 {point}")  # fmt: skip


def _repeated(core: str) -> bool:
    marks = re.findall(r"[.,]", core)
    return len(marks) > 1 and len(set(marks)) == 1
