"""KV_FOR_MODEL and CARDS_FOR_SLO, called with what cells hold."""

from __future__ import annotations

from typing import Any

import pytest

from gpusheet import cards_for_slo, rules
from gpusheet.catalog import Catalog
from gpusheet.xl.cells import CellError
from gpusheet.xl.functions import functions

KV, CARDS, REASON = (functions()[name] for name in ("KV_FOR_MODEL", "CARDS_FOR_SLO", "ERROR_REASON"))


def failed(function: Any, *cells: Any) -> tuple[str, str]:
    with pytest.raises(CellError) as caught:
        function(*cells)
    return caught.value.code, str(caught.value)


@pytest.mark.parametrize("model, tokens, precision, ranks, gigabytes", [
    ("Llama-3.1-8B", 8192, None, None, 32 * 2 * 8 * 128 * 2 * 8192),  # GQA
    ("meta-llama/Llama-3.1-8B", 8192, "fp8", 4, 32 * 2 * 8 * 128 * 8192),  # split over four cards, the same together
    ("Llama-3.1-8B", 8192, None, 16, 2 * 32 * 2 * 8 * 128 * 2 * 8192),  # 8 KV heads on 16 cards: each twice
    ("DeepSeek-V3", 1000, "bf16", None, 61 * 576 * 2 * 1000),  # a latent
    ("DeepSeek-V3", 1000, "bf16", 8, 8 * 61 * 576 * 2 * 1000),  # on every card
    ("gpt-oss-120b", 10000, "auto", 1, 2 * 8 * 64 * 2 * (18 * 10000 + 18 * 128)),  # half of the layers keep a window
])  # fmt: skip
def test_the_cache_of_a_request(model: str, tokens: float, precision: str | None, ranks: float | None, gigabytes: float) -> None:
    assert KV(model, tokens, precision, ranks) == pytest.approx(gigabytes / 1e9, rel=1e-12)


def test_a_constant_state_counts() -> None:
    model = next(model for model in Catalog.builtin().models if model.state_bytes_per_request)
    one, two, three = (KV(model.model, tokens) for tokens in (1000, 2000, 3000))
    assert two - one == pytest.approx(three - two) and one - (two - one) == pytest.approx(model.state_bytes_per_request / 1e9, rel=1e-6)


def test_it_is_the_plain_function_for_plain_models() -> None:
    for model in Catalog.builtin().models:
        if model.attention_kind in ("mha", "gqa", "mqa") and model.kv_elements_per_token is None:
            plain = rules.kv_per_request(model.layers, model.kv_heads, model.head_dim, 3072, 2)
            assert KV(model.model, 3072.0) == pytest.approx(plain, rel=1e-9)


def test_cards_are_those_of_the_search() -> None:
    plan = cards_for_slo("Llama-3.1-70B", "H100 SXM", 10, 2048, 512, 1, 0.05, engine="vllm", weight_precision="fp8")
    assert CARDS("Llama-3.1-70B", "H100 SXM", 10.0, 2048.0, 512.0, 1.0, 0.05, "vLLM", "FP8") == plan.cards
    assert CARDS("Llama-3.1-70B", "H100 SXM", 10, 2048, 512, None, None, "", "fp8") == plan.cards  # the usual targets
    eight = CARDS("Llama-3.1-70B", "H100 SXM", 10, 2048, 512, 1, 0.05, None, "fp8", None, None, 8)
    assert eight == cards_for_slo("Llama-3.1-70B", "H100 SXM", 10, 2048, 512, weight_precision="fp8", cards=8).cards
    wide = CARDS("DeepSeek-V3", "H200", 10, 2048, 512, 2, 0.1, None, "fp8_block", None, 8, 1)
    assert wide % 8 == 0


@pytest.mark.parametrize("function, cells, code, why", [
    (KV, ("Lama-3", 10), "#N/A", "KV_FOR_MODEL: model: 'Lama-3' is not known"),
    (KV, ("Llama-3.1-8B", None), "#VALUE!", "tokens: blank, allowed a number above 0 (tokens)"),
    (KV, ("Llama-3.1-8B", "many"), "#VALUE!", "tokens: found 'many', allowed a number above 0 (tokens)"),
    (KV, ("Llama-3.1-8B", 0), "#NUM!", "tokens: found 0, allowed a number above 0 (tokens)"),
    (KV, ("Llama-3.1-8B", 10, "3 bit"), "#N/A", "kv_precision: '3 bit' is not known"),
    (KV, ("Llama-3.1-8B", 10, None, 1.5), "#NUM!", "tensor_parallel_size: found 1.5, allowed a whole number at least 1"),
    (KV, ("Llama-3.1-8B", "#REF!"), "#REF!", "mend it there"),
    (CARDS, ("Llama-3.1-8B", "H300", 1, 100, 100), "#N/A", "gpu: 'H300' is not known"),
    (CARDS, ("Llama-3.1-8B", "H100", 1, 100, 100, 1, 1, "foo"), "#N/A", "engine: 'foo' is not known"),
    (CARDS, ("Llama-3.1-8B", "H100", 0, 100, 100), "#NUM!", "qps: found 0, allowed a number above 0 (requests/s)"),
    (CARDS, ("Llama-3.1-8B", "H100", 1, 100, 100, 1, 1, None, None, None, 16), "#VALUE!", "attention_dp_size: found 16"),
    (CARDS, ("DeepSeek-V3", "L20", 1, 100, 100), "#NUM!", "no size serves DeepSeek-V3 on L20: 1, 2, 4, 8 cards: the weights leave"),
])  # fmt: skip
def test_errors_say_why(function: Any, cells: tuple[Any, ...], code: str, why: str) -> None:
    found, told = failed(function, *cells)
    assert found == code and why in told
    if code != "#REF!":
        assert why in REASON(function.name, *cells)
