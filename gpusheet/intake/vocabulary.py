"""How people head their columns and fill in choices, in both languages, beside the names and labels of the columns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from gpusheet.catalog import Column, Row, columns
from gpusheet.intake.words import Said, said_by, squeezed

BRACKETS = re.compile(r"[（(\[【][^）)\]】]*[）)\]】]")
REGION = "region"  # a column that is joined to the price list: 'provider/region'

# field -> other headers, the likeliest first; a field of the same name means the same in every table
HEADERS: Mapping[str, str] = {
    "snapshot_date": "日期,报价日期,询价日期,价格日期,生效日期,采集日期,更新日期,更新时间,报价时间,询价时间,date,quote date,"
                     "price date,quoted on,quoted,as of,snapshot,valid from,effective date,updated,last updated,updated on",
    "price_list": "供应商,服务商,云厂商,厂商,平台,报价方,供货商,provider,supplier,vendor,cloud,cloud provider,seller",
    REGION: "地域,区域,地区,可用区,数据中心,region,zone,location,datacenter,data center",
    "listing": "实例规格,实例类型,规格,套餐,产品名称,产品,商品,配置,sku,instance type,instance,product,offer,offering,plan,"
               "listing name",
    "gpu": "型号,显卡型号,卡型号,卡型,显卡,gpu名称,gpu型号,加速卡,gpu type,gpu model,gpu name,accelerator,accelerator name,card,"
           "card type,card model",
    "cards": "卡数,gpu数,gpu数量,gpu卡数,卡数量,张数,数量,gpus,gpu count,num gpus,number of gpus,accelerator count,count,qty,"
             "quantity,cards",
    "currency": "币种,货币,币别,结算币种,外币,currency,ccy,currency code",
    "per": "计价对象,计价单位,计费对象,计费单位,单位,报价单位,unit,price unit,priced per,charged per,billing unit",
    "period": "计价周期,计费周期,周期,时间单位,billing period,time unit,charged by",
    "pricing_model": "计费方式,付费方式,计费模式,付费模式,付费类型,购买方式,租用方式,billing,billing mode,billing type,pricing,"
                     "purchase option,payment option,price type,pricing type,rental,commitment,commitment term,term,合约期,租期,"
                     "承诺期",
    "tax": "含税,是否含税,税,含税与否,税务口径,税口径,tax,vat,tax included,vat included,tax basis,incl tax",
    "available": "库存,有货,现货,是否有货,是否现货,可用,availability,stock,in stock",
    "source": "来源,出处,数据来源,报价来源,报价单,链接,网址,依据,source,url,link,quote,quotation,reference",
    "notes": "备注,说明,注释,补充说明,notes,note,remark,remarks,comment,comments",
    "budget_currency": "预算币种,本币,本位币,记账币种,base currency,home currency,to",
    "rate": "汇率,中间价,折算率,rate,fx,fx rate,exchange rate",
    "rate_date": "日期,汇率日期,date,as of",
    "memory_gb": "显存,单卡显存,显存容量,vram,memory,gpu memory,mem",
    "bandwidth_gbs": "显存带宽,带宽,memory bandwidth,bandwidth",
    "fp16_tflops": "fp16算力,fp16,bf16,fp16 tflops,bf16 tflops",
    "model": "模型,模型名称,大模型,model name,llm",
    "params_b": "参数量,参数,参数规模,params,parameters,size",
    "workload": "业务,业务名称,服务,服务名称,应用,场景,service,application,app,workload name",
    "daily_active_users": "日活,日活用户,日活跃用户,dau,users",
    "requests_per_user_per_day": "人均日请求,人均请求,人均调用,requests per user",
    "requests_per_day": "日请求数,日请求,日调用量,requests per day",
    "input_tokens": "输入token,输入长度,平均输入,输入,input,input tokens,prompt tokens,isl",
    "output_tokens": "输出token,输出长度,平均输出,输出,output,output tokens,completion tokens,osl",
    "cost_centre": "成本中心,cost center,cost centre",
    "project": "项目,项目名称,project name",
    "item": "项目,费用项目,item,cost item",
    "amount_per_month": "每月金额,月金额,金额,amount,monthly amount",
}  # fmt: skip

PRICE_NOUNS = frozenset(squeezed(word) for words in (
    "价格,单价,价,报价,售价,列表价,刊例价,目录价,市场价,费用,gpu价格,租金,租价,租赁价格,租赁单价,原价,折后价,折后,优惠价,折扣价,成交价,实付价,到手价,协议价,合同价,结算价,会员价,促销价",
    "price,unit price,list price,rate,cost,fee,price rate,prices,unit cost,gpu price,card price,pricing,discounted price,net price,"
    "final price,contract price,deal price",
) for word in words.split(","))  # fmt: skip

CHOICES: Mapping[str, Mapping[str, str]] = {
    "tax": {squeezed(word): value for value, words in {
        "included": "是,含,含税,已含税,y,yes,true,1,incl,included,inclusive,√,✓,含税价,tax included",
        "excluded": "否,不含,不含税,未含税,未税,n,no,false,0,excl,excluded,exclusive,×,不含税价",
        "unstated": "未注明,未说明,未知,不详,unknown,unstated,n/a,-,—",
    }.items() for word in words.split(",")},
    "available": {squeezed(word): value for value, words in {
        "yes": "是,有,有货,现货,充足,y,yes,true,1,available,in stock,√,✓",
        "no": "否,无,无货,缺货,售罄,n,no,false,0,unavailable,out of stock,sold out,×",
        "unknown": "未知,不详,待确认,unknown,?,-,—,n/a",
    }.items() for word in words.split(",")},
    "environment": {"生产": "prod", "正式": "prod", "production": "prod", "测试": "uat", "验收": "uat", "test": "uat",
                    "开发": "dev", "development": "dev"},
    "usage": {"生产": "production", "开发": "development"},
    "confidence": {"高": "high", "中": "medium", "低": "low", "标称": "nominal"},
    "period": {"hourly": "hour", "monthly": "month"},
    "pricing_model": {"按小时": "on_demand", "小时": "on_demand", "hourly": "on_demand", "包月": "monthly", "月": "monthly"},
}  # fmt: skip

# what may stand behind a number, by the unit's symbol
UNITS: Mapping[str, tuple[str, ...]] = {
    "GB": ("gb", "g"), "MiB": ("mib",), "GB/s": ("gb/s", "gb每秒", "gbps"), "TFLOPS": ("tflops", "tops", "tflop/s"),
    "cards": ("cards", "card", "gpus", "gpu", "卡", "张", "块", "片", "台"), "hours": ("hours", "hour", "h", "小时", "时"),
    "W": ("w", "瓦"), "kW": ("kw", "千瓦"), "billion": ("b", "十亿"), "months": ("months", "个月", "月"),
    "tokens/request": ("tokens", "token"), "tokens": ("tokens", "token"), "tokens/s": ("tokens/s", "token/s", "tps"),
    "users": ("users", "人", "用户"), "requests/day": ("requests", "次", "请求"), "s": ("s", "秒"), "layers": ("层",),
    "replicas": ("副本", "个"), "year": ("年",), "requests/user/day": ("次",), "ratio": ("倍", "x"), "days": ("天", "days"),
}  # fmt: skip


_RATE_OF_TAX = re.compile(r"\(?（?\d{1,2}(?:\.\d+)?\s?[%％](?:的)?(?:增值税)?(?:专用发票|专票|普票|发票)?\)?）?")


def said_choice(field: str, text: str) -> str | None:
    """The choice of a field of prices that words say: '元/卡时' says card to `per`.

    >>> said_choice("per", "GPU"), said_choice("period", "每月"), said_choice("pricing_model", "按量付费")
    ('card', 'month', 'on_demand')
    >>> said_choice("tax", "含税（6%）"), said_choice("tax", "不含6%增值税"), said_choice("tax", "6%")
    ('included', 'excluded', None)
    """
    if field not in ("per", "period", "pricing_model", "tax"):
        return None
    if field == "tax" and (bare := squeezed(_RATE_OF_TAX.sub("", text))) in CHOICES["tax"] and bare:
        return CHOICES["tax"][bare]
    said = said_by(text)
    value = None if said.rest or said.other else getattr(said, field)
    return str(value) if value is not None else None


@cache
def heads_of(row_type: type[Row]) -> Mapping[str, tuple[str, int]]:
    """Headers that are known for a row type, squeezed: the field, and how sure it is (0 is its name)."""
    found: dict[str, tuple[str, int]] = {}
    fields: tuple[Column, ...] = columns(row_type)
    for column in fields:
        for rank, word in enumerate((column.name, column.en, column.zh)):
            found.setdefault(squeezed(word), (column.name, min(rank, 1)))
    names = [column.name for column in fields]
    for field, words in HEADERS.items():
        if field in names or (field == REGION and "price_list" in names):
            for rank, word in enumerate(words.split(","), 2):
                found.setdefault(squeezed(word), (field, rank))
    return found


def said_of_price(header: str) -> Said | None:
    """What the header of a column of prices says; None where it is none.

    >>> said_of_price("价格/元·时").period, said_of_price("$/GPU/hr").per, said_of_price("per hour").period
    ('hour', 'card', 'hour')
    >>> said_of_price("月份"), said_of_price("总价")
    (None, None)
    """
    said = said_by(header)
    noun = squeezed(said.rest)
    if noun in PRICE_NOUNS or squeezed(BRACKETS.sub("", header)) in PRICE_NOUNS:
        return said
    bare = not noun and (
        said.pricing_model is not None
        or (said.currency is not None and (said.per is not None or said.period is not None))
        or (said.period is not None and header.strip().casefold().startswith(("per", "每")))
    )  # fmt: skip
    return said if bare else None
