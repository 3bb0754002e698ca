"""The grammar of numbers and days: what is read, and what is not because it can be read two ways."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusheet.intake.dates import day_of
from gpusheet.intake.numbers import Amount, Trouble, parse
from gpusheet.intake.words import Said, fold, is_placeholder, said_by

READ = {
    "13.94": 13.94,
    "¥1,020.00": 1020,
    "1 200": 1200,
    "1\xa0073": 1073,
    "￥１，９５６．５０": 1956.5,
    "１３．９４": 13.94,
    "1,234,567.8": 1234567.8,
    "1 234 567": 1234567,
    "1\u202f073": 1073,
    "1\u2009073": 1073,
    "1'200.50": 1200.5,
    "1’200": 1200,
    "１，２００": 1200,
    "1，200": 1200,
    ".5": 0.5,
    "5.": 5,
    "+5": 5,
    "-5": -5,
    "−7": -7,
    "－7": -7,
    "- 5": -5,
    "(1,200)": -1200,
    "1e5": 1e5,
    "1E-3": 0.001,
    "2.5e+2": 250,
    "1.2万": 12000,
    "4.35万元": 43500,
    "3千": 3000,
    "1.5亿": 1.5e8,
    "1.2k": 1200,
    "85%": 0.85,
    "85 ％": 0.85,
    "-3%": -0.03,
    "$ 1.5": 1.5,
    "USD 1,200.50": 1200.5,
    "1200元": 1200,
    "人民币1200元": 1200,
    "\u200b13.94\ufeff": 13.94,
    "$-5": -5,
    "007": 7,
    "0": 0,
    "0.0": 0,
}


@pytest.mark.parametrize("text", READ)
def test_numbers_are_read(text: str) -> None:
    found = parse(text)
    assert isinstance(found, Amount), found
    assert found.value == READ[text]


REFUSED = {
    "10 800,00": "ambiguous-number",
    "0,500": "ambiguous-number",
    "1.200,50": "ambiguous-number",
    "1.234.567": "ambiguous-number",
    "1,02,000": "ambiguous-number",
    "12 00": "ambiguous-number",
    "1,234,56": "ambiguous-number",
    "13,94": "ambiguous-number",
    "1,2": "ambiguous-number",
    "1 20": "ambiguous-number",
    "1.5.2": "ambiguous-number",
    "1,": "ambiguous-number",
    "12-15": "range",
    "12~15": "range",
    "12 至 15": "range",
    "2026-11-01": "range",
    "12–15": "range",
    "约13": "not-exact",
    "13起": "not-exact",
    ">13": "not-exact",
    "13左右": "not-exact",
    "from 13": "not-exact",
    "***": "placeholder",
    "- - -": "placeholder",
    "面议": "placeholder",
    "N/A": "placeholder",
    "—": "placeholder",
    "TBD": "placeholder",
    "待定": "placeholder",
    "#REF!": "error-cell",
    "#N/A": "error-cell",
    "½": "not-a-number",
    "٣": "not-a-number",
    "abc": "not-a-number",
    "--5": "not-a-number",
    "5-": "not-a-number",
    "5--": "not-a-number",
    "(5": "not-a-number",
    "-(5)": "not-a-number",
    "Infinity": "not-a-number",
    "¥": "not-a-number",
    "1_000": "several-numbers",
    "0x10": "several-numbers",
    "1/2": "several-numbers",
    "3:30": "several-numbers",
    "1、200": "several-numbers",
    "H20": "unknown-unit",
    "型号4090": "unknown-unit",
    "月 5": "unknown-unit",
    "": "not-a-number",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_one_number_is_refused(text: str) -> None:
    found = parse(text)
    assert isinstance(found, Trouble), found
    assert found.code == REFUSED[text]
    assert found.en and found.zh


def test_the_two_ways_are_named() -> None:
    found = parse("10 800,00")
    assert isinstance(found, Trouble)
    assert "10800.00 or 1080000" in found.en and "10800.00 或 1080000" in found.zh


@pytest.mark.parametrize("text", ["5²", "①", "5③", "1kW", "13.94磅", "5元角"])
def test_what_stands_beside_is_told(text: str) -> None:
    found = parse(text)
    assert isinstance(found, Trouble) or found.said.rest


WORDS = {
    "元/卡时": Said("CNY", "card", "hour"),
    "元/卡·时": Said("CNY", "card", "hour"),
    "$/GPU/hr": Said("USD", "card", "hour"),
    "per hour": Said(period="hour"),
    "每卡每小时": Said(per="card", period="hour"),
    "/台/月": Said(per="instance", period="month"),
    "US$ per node per month": Said("USD", "instance", "month"),
    "包月": Said(period="month", pricing_model="monthly"),
    "按量": Said(pricing_model="on_demand"),
    "竞价实例": Said(pricing_model="spot"),
    "3年预付": Said(pricing_model="reserved"),
    "1yr reserved": Said(pricing_model="reserved"),
    "元/天": Said("CNY", other="day"),
    "元/年": Said("CNY", other="year"),
    "含税": Said(tax="included"),
    "不含税": Said(tax="excluded"),
    "8卡": Said(per="instance", cards=8),
    "1卡": Said(per="card", cards=1),
    "GPU instance": Said(per="instance"),
    "reserved, monthly": Said(period="month", pricing_model="reserved"),
}


@pytest.mark.parametrize("text", WORDS)
def test_units_are_understood(text: str) -> None:
    assert said_by(text) == WORDS[text]


def test_words_that_contradict_are_left_over() -> None:
    assert said_by("元 USD").rest
    assert said_by("小时/月").rest


def test_fold_keeps_other_numbers_apart() -> None:
    assert fold("ＧＰＵ　Ｈ２０") == "GPU H20" and fold("5²") == "5²" and fold("①") == "①"


@given(st.floats(min_value=0.0001, max_value=1e9, allow_nan=False))
def test_a_number_reads_back_from_its_text(number: float) -> None:
    for text in (repr(number), f"{number:,.4f}", f"¥{number:,.2f}", f" {number:.6g} "):
        found = parse(text)
        assert isinstance(found, Amount)
        assert found.value == float(text.replace(",", "").replace("¥", ""))


@given(st.text(max_size=40))
def test_no_text_breaks_the_grammar(text: str) -> None:
    found = parse(text)
    if isinstance(found, Amount):
        digits = "".join(one for one in fold(text) if one in "0123456789")
        assert digits  # a number never comes from nothing
    is_placeholder(text)
    assert isinstance(day_of(text), datetime.date | Trouble)


DAY = datetime.date(2026, 11, 1)


@pytest.mark.parametrize(
    "value",
    [
        DAY,
        datetime.datetime(2026, 11, 1, 9, 30),
        "2026-11-01",
        "2026/11/1",
        "2026.11.1",
        "2026年11月1日",
        "２０２６年１１月１日",
        "20261101",
        20261101.0,
        "1 Nov 2026",
        "Nov 1, 2026",
        "01-Nov-2026",
        "2026-11-01 00:00:00",
        "2026-11-01T08:00:00Z",
        46327,
        46327.75,
        "2026 年 11 月 1 日",
    ],
)
def test_days_are_read(value: object) -> None:
    assert day_of(value) == DAY


def test_days_of_1904() -> None:
    assert day_of(46327 - 1462, epoch_1904=True) == DAY


def test_a_day_that_is_over_twelve_is_plain() -> None:
    assert day_of("13/11/2026") == datetime.date(2026, 11, 13) == day_of("11/13/2026")
    assert day_of("11/11/2026") == datetime.date(2026, 11, 11)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("11/1/2026", "ambiguous-date"),
        ("1.2.2026", "ambiguous-date"),
        ("26-11-01", "not-a-date"),
        ("2026-13-01", "not-a-date"),
        ("2026-02-30", "not-a-date"),
        ("2026-11", "not-a-date"),
        ("Nov 2026", "not-a-date"),
        ("31 Foo 2026", "not-a-date"),
        ("soon", "not-a-date"),
        ("待定", "placeholder"),
        (5, "not-a-date"),
        (99999999, "not-a-date"),
        (True, "not-a-date"),
        ("1899-12-31", "not-a-date"),
        (datetime.date(1900, 1, 1), "not-a-date"),
        (datetime.time(9), "not-a-date"),
        ("40/40/2026", "not-a-date"),
    ],
)
def test_other_days_are_refused(value: object, code: str) -> None:
    found = day_of(value)
    assert isinstance(found, Trouble) and found.code == code


def test_long_texts_are_no_numbers() -> None:
    found = parse("1" * 101)
    assert isinstance(found, Trouble) and found.code == "not-a-number"
