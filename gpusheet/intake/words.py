"""The words of price sheets: what '元/卡时', 'on-demand $/GPU/hr' or '整机包月（含税）' says beside the number."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_SPACES = re.compile(r"\s+")


def fold(text: str) -> str:
    """Text without what cannot be seen or is only width: full-width letters, digits and signs, all kinds of blanks.

    >>> fold("\\u3000￥１，９５６．５０\\xa0"), fold("1\\u2009073\\u200b"), fold("5²")
    ('¥1,956.50', '1 073', '5²')
    """
    return " ".join(text.split()) if text.isascii() else _fold(text)


@lru_cache(maxsize=65536)
def _fold(text: str) -> str:
    text = _INVISIBLE.sub("", text).replace("\u2212", "-")
    # NFKC would also make 52 of 5² and 1 of ①, which are other numbers
    text = "".join(one if unicodedata.decomposition(one).startswith(_OTHER) else unicodedata.normalize("NFKC", one)
                   for one in text)  # fmt: skip
    return _SPACES.sub(" ", text).strip()


_OTHER = ("<super>", "<sub>", "<circle>", "<fraction>")


def squeezed(text: str) -> str:
    """A header or word to compare by: folded, small, without blanks, '_', '-' and '·'."""
    if text.isascii():
        return text.lower().translate(_DROPPED)
    return re.sub(r"[\s_\-·•.]+", "", fold(text).casefold())


_DROPPED = dict.fromkeys(map(ord, " \t\n\r\x0b\x0c_-."))


@dataclass(frozen=True)
class Said:
    """What words say of a price; None is nothing. `other` is a period that prices are not kept in."""

    currency: str | None = None
    per: str | None = None
    period: str | None = None
    pricing_model: str | None = None
    tax: str | None = None
    cards: int | None = None
    other: str | None = None
    scale: float | None = None  # what numbers stand for: 10000 in 万元
    rest: str = ""  # what was not understood

    def over(self, lower: Said) -> Said:
        """This, and what only the other says."""
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "rest"}
        return replace(lower, **{name: value for name, value in own.items() if value is not None})


CURRENCIES: Mapping[str, str] = {
    **dict.fromkeys(("CNY", "RMB", "CNH", "人民币", "CN¥", "¥", "元", "圆", "块钱"), "CNY"),
    **dict.fromkeys(("USD", "US$", "$", "美元", "美金", "美刀", "dollars", "dollar"), "USD"),
    **dict.fromkeys(("HKD", "HK$", "港元", "港币"), "HKD"),
    **dict.fromkeys(("EUR", "€", "欧元", "euro", "euros"), "EUR"),
    **dict.fromkeys(("GBP", "£", "英镑"), "GBP"),
    **dict.fromkeys(("JPY", "JP¥", "日元", "円", "日圆"), "JPY"),
    **dict.fromkeys(("SGD", "S$", "新加坡元", "新币"), "SGD"),
    **dict.fromkeys(("TWD", "NT$", "新台币", "台币"), "TWD"),
    **dict.fromkeys(("KRW", "₩", "韩元"), "KRW"),
    **dict.fromkeys(("INR", "₹", "卢比"), "INR"),
    **{word: word for word in ("AUD", "CAD", "CHF", "SEK", "NOK", "DKK", "PLN", "BRL", "MXN", "AED", "SAR", "THB", "MYR",
                               "IDR", "VND", "PHP", "NZD", "ZAR", "ILS", "TRY", "RUB")},
    "A$": "AUD", "C$": "CAD", "澳元": "AUD", "加元": "CAD", "瑞士法郎": "CHF",
}  # fmt: skip
SHARED_SIGNS = {"$": "USD", "¥": "CNY"}  # signs of several currencies, and the one that is taken

_WORDS: tuple[tuple[Said, str], ...] = (
    (Said(per="card"), "单卡|每卡|卡|张|显卡|gpus?|cards?|accelerators?|加速卡"),
    (Said(per="instance"), "整机|单机|单台|台|节点|机器|实例|服务器|裸金属|nodes?|instances?|servers?|vms?|machines?|hosts?"),
    (Said(period="hour"), "小时|钟头|时|hourly|hours?|hrs?|h"),
    (Said(period="month"), "个月|月度|月|months?|mo|mth|mths|mon"),
    (Said(period="month", pricing_model="monthly"), "包月|月付|按月|月租|monthly|subscription"),
    (Said(other="day"), "天|日|daily|days?"),
    (Said(other="week"), "周|weekly|weeks?"),
    (Said(other="year"), "年|yearly|annual|annually|years?|yrs?|y"),
    (Said(other="minute"), "分钟|minutes?|mins?"),
    (Said(other="second"), "秒|seconds?|secs?"),
    (Said(pricing_model="on_demand"), "按量付费|按量计费|按量|按需|后付费|弹性|on demand|on-demand|ondemand|on_demand|payg|"
                                      "pay as you go|pay-as-you-go"),
    (Said(pricing_model="on_demand", period="hour"), "按小时|按时|时租"),
    (Said(pricing_model="monthly"), "包年包月"),
    (Said(pricing_model="reserved"), "包年|年付|预留|预付费|预付|reserved|reservation|committed|commitment|"
                                     "[1-5一二两三]年|[1-5]\\s?-?(?:years?|yrs?|y)|[1-5]-year"),
    (Said(pricing_model="spot"), "竞价实例|竞价|抢占式|抢占|spot|preemptible|interruptible"),
    (Said(tax="excluded"), "不含税|未含税|未税|除税|excl\\.? ?(?:tax|vat)|excluding (?:tax|vat)|ex ?(?:tax|vat)|tax excluded"),
    (Said(tax="included"), "含税|incl\\.? ?(?:tax|vat)|including (?:tax|vat)|tax included"),
)  # fmt: skip


_MONEY = r"元|圆|人民币|美元|美金|港[元币]|欧元|日元|英镑|(?:usd|cny|rmb|eur|gbp|hkd|jpy)(?![a-z])|us\$|[$¥€£]"
_BEFORE = rf"(?=\s?(?:{_MONEY}|[)/]|$))"  # a currency, or the end of what is said
# 千卡集群 or 百度 are no scales
_SCALE = re.compile(rf"(?P<m>百万{_BEFORE}|(?<![a-z])millions?(?![a-z]))|(?P<w>[万萬]{_BEFORE})|(?P<y>亿{_BEFORE})|"
                    rf"(?P<k>千{_BEFORE}|(?<![a-z0-9])k(?=\s?(?:{_MONEY}))|(?<=[$¥€£])k(?![a-z])|(?<![a-z])thousands?(?![a-z])|"
                    rf"'000s?(?![0-9]))|(?P<h>百(?={_MONEY}))|(?P<c>美分|(?<![a-z])cents?(?![a-z])|¢|分(?=\s?/))|(?P<j>角(?=\s?/))")
_SCALES = {"m": 1e6, "w": 1e4, "y": 1e8, "k": 1e3, "h": 100.0, "c": 0.01, "j": 0.1}


def _scanner() -> tuple[re.Pattern[str], dict[str, Said]]:
    kinds: dict[str, Said] = {}
    parts: list[tuple[int, str, str]] = []
    for number, (said, words) in enumerate(_WORDS):
        # a '|' inside brackets parts no words
        for word in re.split(r"\|(?![^(]*\))", words):
            parts.append((len(word), f"w{number}", _bounded_one(word)))
        kinds[f"w{number}"] = said
    for number, (word, code) in enumerate(CURRENCIES.items()):
        kinds[f"c{number}"] = Said(currency=code)
        parts.append((len(word), f"c{number}", _bounded_one(re.escape(word.casefold()))))
    found: list[str] = []
    for index, (_, kind, word) in enumerate(sorted(parts, key=lambda part: -part[0])):
        found.append(f"(?P<{kind}_{index}>{word})")
    return re.compile("|".join(found)), kinds


def _bounded_one(word: str) -> str:
    letter = word[:1].isascii() and (word[:1].isalpha() or word[:1] == "[")
    return f"(?<![a-z]){word}(?![a-z])" if letter and word[-1:].isascii() else word


LONGEST = 300  # characters of what may be said beside a number or in a header
_SCANNER, _KINDS = _scanner()
_CARDS = re.compile(r"(?<![\d.])(\d{1,4})\s?[x×*]?\s?(?:卡|张|gpus?(?![a-z])|cards?(?![a-z]))")
_CONNECTORS = re.compile(r"[\s/\\·•.,:;()\[\]{}<>|*×_\-–—+每的~]+|(?<![a-z])(?:per|a|an|an|and|in|x)(?![a-z])")


@lru_cache(maxsize=65536)
def said_by(text: str) -> Said:
    """What the words of a header or after a number say, and what is left of them.

    >>> said_by("元/卡时")
    Said(currency='CNY', per='card', period='hour', pricing_model=None, tax=None, cards=None, other=None, scale=None, rest='')
    >>> said_by("$ per GPU hour").currency, said_by("8卡 包月价（含税）").cards, said_by("元/年").other
    ('USD', 8, 'year')
    >>> said_by("12 柜").rest, said_by("万元/台月").scale, said_by("百度云价格（kUSD）").scale
    ('12 柜', 10000.0, 1000.0)
    """
    if len(text) > LONGEST:
        return Said(rest=text)  # no header, and it would take its time
    words = fold(text).casefold()
    found = Said()
    clashing = ""

    def take(match: re.Match[str]) -> str:
        nonlocal found, clashing
        said = _KINDS[(match.lastgroup or "").partition("_")[0]]
        for one in fields(said):
            new, old = getattr(said, one.name), getattr(found, one.name)
            if one.name != "rest" and new is not None and old is not None and new != old:
                if one.name == "per":  # 'GPU instance': a GPU is in everything here
                    said = replace(said, per="instance")
                elif one.name == "pricing_model":  # 'reserved, monthly': how long it is bound says more
                    said = replace(said, pricing_model=next(m for m in ("spot", "reserved", "monthly", "on_demand")
                                                            if m in (new, old)))  # fmt: skip
                else:
                    clashing += f" {match[0]}"
                    return " "
        found = said.over(found)
        return " "

    def take_cards(match: re.Match[str]) -> str:
        nonlocal found
        count = int(match[1])
        found = replace(found, cards=count, per="card" if count == 1 else "instance")
        return " "

    def take_scale(match: re.Match[str]) -> str:
        nonlocal found, clashing
        scale = _SCALES[match.lastgroup or ""]
        if found.scale not in (None, scale):
            clashing += f" {match[0]}"
        found = replace(found, scale=found.scale or scale, currency="USD" if match[0] == "美分" else found.currency)
        return " "

    rest = _SCANNER.sub(take, _CARDS.sub(take_cards, _SCALE.sub(take_scale, words)))
    rest = _CONNECTORS.sub(" ", rest + clashing).strip()
    return replace(found, rest=_SPACES.sub(" ", rest))


PLACEHOLDERS = frozenset(squeezed(word) for word in (
    "N/A", "n.a.", "NA", "nil", "null", "none", "nan", "tbd", "tba", "tbc", "poa", "call", "ask", "contact us",
    "contact sales", "contact", "on request", "price on request", "request a quote", "sold out", "out of stock", "not available",
    "unavailable",
    "面议", "面谈", "电议", "待定", "待议", "待确认", "待询价", "询价", "需询价", "议价", "另议", "暂无", "暂无报价", "无", "无报价",
    "没有",
    "未知", "缺", "缺货", "无货", "售罄", "请咨询", "咨询", "联系销售", "联系客服", "请联系", "保密", "不详", "空",
))  # fmt: skip
_ONLY_MARKS = re.compile(r"[\s*\-‐-―_./\\?？~～·•…#xX×<>()（）]*")


def is_placeholder(text: str) -> bool:
    """Whether a text stands where a value is missing.

    >>> [is_placeholder(text) for text in ("***", "- - -", "面议", "N/A", "0", "13.94", "")]
    [True, True, True, True, False, False, False]
    """
    if not 0 < len(text) < 40:
        return False
    return squeezed(text) in PLACEHOLDERS or (not text[0].isdigit() and _ONLY_MARKS.fullmatch(text) is not None)
