"""Rows by the names that people, drivers, hubs and benchmarks give them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from gpusheet.errors import GpusheetError, UnknownName

T = TypeVar("T")


class Names(Generic[T]):
    """Rows by name: exact first, then without case, blanks, '-', '_' and 'NVIDIA' where one row alone answers.

    `plainer` gives other spellings of a name that nothing answers to, to be tried in turn.
    """

    def __init__(
        self, what: str, entries: Iterable[tuple[str, list[str], T]], plainer: Callable[[str], Iterable[str]] = lambda name: ()
    ) -> None:
        self.what = what
        self.plainer = plainer
        self.names: list[str] = []
        self.exact: dict[str, tuple[str, T]] = {}
        self.loose: dict[str, set[str]] = {}
        for name, others, row in entries:
            self.names.append(name)
            for alias in (name, *others):
                owner, known = self.exact.setdefault(alias.casefold(), (name, row))
                if known is not row:
                    raise GpusheetError(f"{what}: the name {alias!r} is claimed by {owner} and {name}; leave it to one")
                self.loose.setdefault(_squeezed(alias), set()).add(name)

    def find(self, name: str) -> T:
        for spelled in (name.strip(), *self.plainer(name.strip())):
            for text in _parts_of_path(spelled):
                if hit := self.exact.get(text.casefold()):
                    return hit[1]
                owners = self.loose.get(_squeezed(text), set())
                if len(owners) == 1:
                    return self.exact[next(iter(owners)).casefold()][1]
        raise UnknownName(self.what, name, self.names)


def _parts_of_path(name: str) -> Iterator[str]:
    """A name as it is, then without the owner; of a longer path every folder, the last first.

    >>> list(_parts_of_path("/models/Qwen3-32B/hf/"))
    ['/models/Qwen3-32B/hf/', 'hf', 'Qwen3-32B', 'models']
    """
    yield name
    folders = [part for part in re.split(r"[/\\]+", name) if part not in ("", ".", "~")]
    yield from reversed(folders[1 if len(folders) == 2 else 0 :])


_REMARK = re.compile(r"\s*\(.*|\s+class\b.*", re.IGNORECASE | re.DOTALL)
_HUB = re.compile(r".*\bmodels--[^/\\]+?--([^/\\]+).*", re.DOTALL)  # the hub's folders of downloads
_FORMAT = (
    r"(nv|mx)?fp(4|8|16)[\w-]*?|bf16|[wa][48]a?\d*(16|8)?|w\d+a\d+|awq|gptq(model)?([\s_-]int[48])?|int[48]|[48][\s_-]?bits?|4b|bnb|"
    r"gguf|mlx|quantized([._-]\w+)*|q\d_[\w]+|qat|auto-?round|hqq|exl2|marlin|smoothquant"
)
_COPY = re.compile(
    rf"[\s._-]+({_FORMAT}|dynamic|block|channel|kv|unsloth|hf|actorder|g?128g?|preview|mtp|instruct|chat|it|base|"
    r"\d+k|1m|\d{4}|v[12](?<=(fp8|fp4)-v[12]))$", re.IGNORECASE)  # fmt: skip
_MAKERS = re.compile(
    r"(meta(-llama)?|openai|google|microsoft|mistralai|nvidia|alibaba|deepseek-ai|moonshotai|zai-org|redhatai|unsloth|hugging face)"
    r"[\s_-]+(?=\S)", re.IGNORECASE)  # fmt: skip
_CARD_WORDS = re.compile(
    r"\b(nvidia|amd|intel|huawei|instinct|tesla|geforce|quadro|generation|gpus?|cards?|accelerator|oam|hbm\d?e?|gddr\d?x?)\b[\s_-]*|"
    r"^华为\s*|^英伟达\s*", re.IGNORECASE)  # fmt: skip
_TIMES = re.compile(r"(\d+)\s*[x×*]\s*(?=[A-Za-z])|(?<=\S)\s+[x×*]\s*(\d+)$")


def plain_names(name: str, copies: bool = False) -> Iterator[str]:
    """Plainer and plainer spellings of a name: brackets opened, remarks cut, endings of quantised copies cut one by one.

    >>> list(plain_names("Qwen3-32B-unsloth-bnb-4bit (4 cards)", copies=True))[1:]
    ['Qwen3-32B-unsloth-bnb-4bit', 'Qwen3-32B-unsloth-bnb', 'Qwen3-32B-unsloth', 'Qwen3-32B']
    >>> list(plain_names("OpenAI gpt-oss-20b", copies=True)), list(plain_names("~/hub/models--Qwen--QwQ-32B/x", copies=True))
    (['gpt-oss-20b'], ['QwQ-32B'])
    """
    yield from (spelled for spelled in dict.fromkeys(_plainer(name, copies)) if spelled != name)


def _plainer(name: str, copies: bool) -> Iterator[str]:
    if "(" in name:
        yield re.sub(r"[()\s]+", " ", name).strip()
    short = _REMARK.sub("", name)
    yield short
    if not copies:
        return
    short = (hub[1] if (hub := _HUB.fullmatch(short)) else short).rstrip("/\\ ")
    for start in (short, _MAKERS.sub("", short, count=1) if _MAKERS.match(short) else short):
        yield start
        left = start
        while (cut := _COPY.sub("", left)) != left:
            yield (left := cut)


def plain_cards(name: str) -> Iterator[str]:
    """Plainer spellings of a card: remarks cut, then a number of cards, then the maker and the kind of memory.

    >>> list(plain_cards("8x NVIDIA H100 HBM3"))
    ['NVIDIA H100 HBM3', 'H100']
    """
    yield from plain_names(name)
    one = _TIMES.sub("", _REMARK.sub("", name)).strip()
    yield one
    yield _CARD_WORDS.sub("", one).strip()


def cards_in(name: str) -> int | None:
    """How many cards a spelling of a card says; None where it does not.

    >>> cards_in("8xH100"), cards_in("A100 80GB x 2"), cards_in("RTX 4090"), cards_in("7900 XTX")
    (8, 2, None, None)
    """
    found = _TIMES.search(_REMARK.sub("", name))
    return int(found[1] or found[2]) if found else None


def short_of_experts(name: str) -> list[str]:
    """A mixture's name without the size of what is active, which people leave out.

    >>> short_of_experts("Qwen3-235B-A22B"), short_of_experts("Qwen3-32B")
    (['Qwen3-235B'], [])
    """
    short = re.sub(r"(?<=\dB)-A[\d.]+B", "", name)
    return [short] if short != name else []


def _squeezed(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.casefold()).removeprefix("nvidia")


def aliases_of(aliases: str | None) -> list[str]:
    return [part.strip() for part in (aliases or "").split(";") if part.strip()]


_VERSION = r"v?\d[\w.+-]*"
_ENGINE = re.compile(rf"\s*([A-Za-z][A-Za-z._ -]*?)[\s_=:-]*({_VERSION})?\s*", re.IGNORECASE)
_ENGINE_WORDS = {
    "trtllm": "tensorrt-llm", "tensorrtllm": "tensorrt-llm", "llamacpp": "llama.cpp", "ikllamacpp": "llama.cpp",
    "llamabench": "llama.cpp", "llamaserver": "llama.cpp", "ollama": "llama.cpp", "turbomind": "lmdeploy", "sgl": "sglang",
}  # fmt: skip
_OLD_ENGINE = re.compile(r"\bv0\b(?!\.)")  # vLLM's first engine, also where a later version runs with it


def engine_words(name: str, makes: Iterable[str]) -> tuple[str | None, str | None]:
    """The engine that a spelling means, None where it is none of `makes`; and the version in it.

    >>> engine_words("vllm/vllm-openai:v0.9.0", ["vllm", "sglang"]), engine_words("TRT-LLM 1.0", ["tensorrt-llm"])
    (('vllm', 'v0.9.0'), ('tensorrt-llm', '1.0'))
    """
    plain = _REMARK.sub("", name.strip().rpartition("/")[2]) or name
    found = _ENGINE.fullmatch(plain)
    if found is None:
        return None, None
    spelled = {re.sub(r"[\s_.-]", "", make.casefold()): make for make in makes}
    known = spelled | {word: make for word, make in _ENGINE_WORDS.items() if make in spelled.values()}
    wanted = _squeezed(found[1]).replace(".", "")
    fitting = [word for word in known if word in wanted]
    return (known[max(fitting, key=len)] if fitting else None), found[2]


def version_of(text: str) -> tuple[int, ...]:
    """The numbers of a version; what has none counts as the newest; vLLM's V0 engine as 0.7, the last that had no other.

    >>> version_of("0.6.3.post1"), version_of("b2837"), version_of("nightly"), version_of("0.9.1 (V0)")
    ((0, 6, 3), (2837,), (9999,), (0, 7))
    """
    plain = text.strip().casefold()
    if _OLD_ENGINE.search(plain):
        return 0, 7
    if plain == "v1":
        return (9999,)
    numbers = re.findall(r"(?<![a-z0-9])[vb]?(\d+)", plain.partition("+")[0].replace(".", " "))[:3]
    return tuple(map(int, numbers)) or (9999,)


def month_of(version: str) -> str | None:
    """The month where a version is said by it, else None.

    >>> month_of("2025-07"), month_of("0.9.1 (2025-07)"), month_of("2024 (see repo)")
    ('2025-07', None, None)
    """
    found = re.match(r"[~>=\s]*(20[2-4]\d)[-./](0[1-9]|1[0-2])(?!\d)", version)
    return f"{found[1]}-{found[2]}" if found else None
