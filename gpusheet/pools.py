"""What a KV pool holds: memory of a request, tokens and requests, alike for expected and for likely pools and lengths."""

from __future__ import annotations

from gpusheet.constants import BYTES_PER_GIB
from gpusheet.ops import TINY, floor, maximum, minimum


def request_gib(
    per_token: float, windowed_per_token: float, window_tokens: float, tokens: float, kv_bytes: float, share_per_card: float,
    index_bytes_per_token: float, state_bytes: float, tensor_ranks: float,
) -> float:  # fmt: skip
    """Memory of a request of so many tokens on each card of its group: cache, index and constant state.

    >>> request_gib(65536, 0, 0, 8192, 2, 1, 0, 0, 1)
    1.0
    """
    kept = per_token * tokens + windowed_per_token * minimum(tokens, window_tokens)
    state = state_bytes / tensor_ranks
    return (kept * kv_bytes * share_per_card + index_bytes_per_token * tokens + state) / BYTES_PER_GIB


def tokens_held(pool_gib: float, bytes_per_token: float, block_tokens: float) -> float:
    """Tokens that a pool holds, in whole blocks.

    >>> tokens_held(58.11, 131072, 16)
    476032.0
    """
    return floor(maximum(0, pool_gib) * BYTES_PER_GIB / maximum(bytes_per_token, TINY) / block_tokens) * block_tokens


def requests_held(pool_gib: float, request_gib: float, groups: float) -> float:
    """Requests of one size that the pools of so many groups hold.

    >>> requests_held(58, 1, 1), requests_held(-2, 1, 1)
    (58.0, 0.0)
    """
    return maximum(0, pool_gib) / maximum(request_gib, TINY) * groups
