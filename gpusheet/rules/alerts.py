"""Alerts: what a person should look at. They do not change a number."""

from __future__ import annotations

from gpusheet.ops import above, maximum, one_of
from gpusheet.registry import rule
from gpusheet.units import Days, Flag, GiB, GiBPerCard, Number, Share, Text, Tokens


@rule(en="Weights above their line", zh="权重超警戒线", source="[C] 1: 70%")
def weight_alert(weight_share: Share, weight_share_limit: Share) -> Flag:
    """1 where the weights take more of the memory than the red line allows.

    >>> weight_alert(35 / 48, 0.7), weight_alert(0.7, 0.7)
    (1.0, 0.0)
    """
    return above(weight_share, weight_share_limit)


@rule(en="KV cache above its line", zh="KV超警戒线", source="[C] 1: 40%")
def kv_alert(kv_share: Share, kv_share_limit: Share) -> Flag:
    """1 where the KV cache takes more of the memory at the peak than the red line allows.

    >>> kv_alert(0.45, 0.4)
    1.0
    """
    return above(kv_share, kv_share_limit)


@rule(en="Model does not fit", zh="模型装不下", source="[C] 2")
def fit_alert(fits: Flag) -> Flag:
    """1 where weights and overhead leave no memory on the cards of a replica.

    >>> fit_alert(0)
    1
    """
    return 1 - fits


@rule(en="Small KV pool", zh="KV池过小", source="engine logs: weights are off by about as much")
def pool_alert(sizing_method: Text, kv_pool_gib_per_card: GiBPerCard, small_pool_gib: GiB) -> Flag:
    """1 where serving is sized with a pool so small that small errors in the weights swing it.

    >>> pool_alert("serving", 4, 5), pool_alert("serving", 58, 5), pool_alert("throughput", 4, 5)
    (1.0, 0.0, 0.0)
    """
    return one_of(sizing_method, "serving") * above(small_pool_gib, kv_pool_gib_per_card)


@rule(en="Context longer than the model's", zh="上下文超出模型上限", source="model config, max_position_embeddings")
def context_alert(context_tokens: Tokens, max_context: Tokens) -> Flag:
    """1 where the planned context is longer than the model can take.

    >>> context_alert(900000, 40960)
    1.0
    """
    return above(context_tokens, max_context)


@rule(en="Card for development only", zh="仅限开发调试的显卡", source="[A] choosing cards")
def development_alert(usage: Text) -> Flag:
    """1 where driver or licence speaks against serving users with the card.

    >>> development_alert("development")
    1.0
    """
    return one_of(usage, "development")


@rule(en="Facts not well confirmed", zh="参数可信度低", source="catalog, column confidence")
def confidence_alert(gpu_confidence: Text, model_confidence: Text) -> Flag:
    """1 where the card's or the model's facts are marked low.

    >>> confidence_alert("high", "low"), confidence_alert("high", "nominal")
    (1.0, 0.0)
    """
    return maximum(one_of(gpu_confidence, "low"), one_of(model_confidence, "low"))


@rule(en="Tax basis unstated", zh="税务口径未注明", source="price list")
def tax_alert(price_tax: Text) -> Flag:
    """1 where the price that is paid does not say whether it includes value-added tax.

    >>> tax_alert("unstated")
    1.0
    """
    return one_of(price_tax, "unstated")


@rule(en="Sold out when quoted", zh="报价时已售罄", source="[C] price table")
def sold_out_alert(price_available: Text) -> Flag:
    """1 where nothing could be rented at the price on the day it was quoted.

    >>> sold_out_alert("no")
    1.0
    """
    return one_of(price_available, "no")


@rule(en="Price is stale", zh="价格已过期", source="age of the price against the day of the budget")
def stale_alert(price_age_days: Days, stale_price_days: Days) -> Flag:
    """1 where the price is older than the budget's limit.

    >>> stale_alert(60, 45)
    1.0
    """
    return above(price_age_days, stale_price_days)


@rule(en="Typed value without a reason", zh="人工覆盖未说明原因", source="overrides of the workload")
def override_alert(overrides_typed: Number, override_reason: Text) -> Flag:
    """1 where a typed value replaces a rule and no reason is given.

    >>> override_alert(1, ""), override_alert(1, "load test of 12 May"), override_alert(0, "")
    (1.0, 0.0, 0.0)
    """
    return above(overrides_typed, 0) * one_of(override_reason, "")
