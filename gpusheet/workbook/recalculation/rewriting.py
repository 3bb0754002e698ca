"""The rewriting of one formula, from its innermost calls outwards."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from openpyxl.utils import quote_sheetname

from gpusheet.errors import GpusheetError
from gpusheet.workbook.recalculation import deviations
from gpusheet.workbook.recalculation.cells import Area, address, area_of, place_of_address
from gpusheet.workbook.recalculation.pieces import Level, Part, kind_of, split
from gpusheet.workbook.recalculation.spelling import (
    CORRECTING,
    DAYS,
    DIGITS,
    FORMAT,
    JOINED,
    LEFT,
    NUMBER,
    OMITTED,
    ONE,
    OPEN,
    OURS,
    TOKEN,
)
from gpusheet.workbook.recalculation.surroundings import REFERENCE, Surroundings, unquoted

MOST_CELLS = 2000  # of a range whose values are looked at one by one for a comparison
_LITERAL = re.compile(r"[-+]*(?:\d+\.?\d*|\.\d+)(?:[Ee][-+]?\d+)?%?|TRUE|FALSE|#[A-Z/0]+[!?]?", re.IGNORECASE)
_TYPED = re.compile(r"\d{1,15}|(?=[\d.]{1,16}(?![\d.]))\d+\.\d+")  # a number that is written in a text as it stands
_TEXT = re.compile(r"\"(?:[^\"]|\"\")*\"")
_AROUND = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)


@dataclass(frozen=True)
class Known:
    """The functions of a book's formulas by their spelling: ours, those not known with the number of the reason, and
    those that are calculated in place of the engine's."""

    ours: Mapping[str, str]
    unknown: Mapping[str, int]
    corrected: Mapping[str, str]


@dataclass
class Rewriter:
    """Rewrites formulas; `reached` collects the references that were taken for cells without formulas."""

    known: Known
    around: Surroundings
    reached: list[re.Match[str]] = field(default_factory=list)
    assumed: bool = False  # every cell is one without a formula

    def __call__(self, formula: str, cell: str, number: int, tiny: bool = False) -> str:
        """The formula; `tiny` if what it gives is a remainder that Excel may take for 0."""
        self.title, _, self.address = cell.rpartition("!")
        self.number = number
        levels = [Level("")]
        at = 0
        for token in TOKEN.finditer(formula):
            level, text = levels[-1], token[0]
            if token.start() > at:
                level.parts.append(Part(formula[at : token.start()]))
            at = token.end()
            if token["name"]:
                levels.append(Level(text, token["before"] or "", token["name"]))
            elif text in ("(", "{"):
                levels.append(Level(text))
            elif text in (")", "}"):
                if len(levels) == 1:
                    return formula  # which is not one
                self._end(level)
                levels.pop()
                closed = self._closed(level, text)
                levels[-1].parts.append(closed)
                levels[-1].texts |= closed.kind in deviations.GIVING_TEXT
            elif text in (",", ";") and len(levels) > 1:
                self._end(level)
                level.between.append(text)
            elif token["compare"]:
                level.parts.append(Part(text, "compare"))
                level.joins = True
            elif token["other"]:
                level.parts.append(Part(text, "other"))
                level.joins |= text == "&"
                level.calculates |= text != "&"
            else:
                level.parts.append(Part(text))
                level.texts |= text[0] == '"'
        if len(levels) > 1:
            return formula
        levels[0].parts.append(Part(formula[at:]))
        if tiny and (left := self._left_over(levels[0].parts)) is not None:
            return left
        return self._segment(levels[0])[0]

    def _left_over(self, parts: list[Part]) -> str | None:
        """A formula whose last operation is + or -: Excel takes what is left of equal numbers for 0."""
        if any(part.kind == "compare" or (part.kind == "other" and part.text == "&") for part in parts):
            return None
        seen = [at for at, part in enumerate(parts) if part.kind or part.text.strip()]
        signs = [at for before, at in pairwise(seen)
                 if parts[at].kind == "other" and parts[at].text in "+-" and parts[before].kind != "other"]  # fmt: skip
        if not signs:
            return None
        left, right = self._sum(parts[: signs[-1]]), self._sum(parts[signs[-1] + 1 :])
        return f"{LEFT}({left},{parts[signs[-1]].text}({right}))"

    def _end(self, level: Level) -> None:
        text, kind = self._segment(level)
        level.arguments.append(text)
        level.kinds.append(kind)
        level.parts = []
        level.joins = level.calculates = level.texts = False

    def _segment(self, level: Level) -> tuple[str, str]:
        """What is between two commas or brackets, and the name of the function if it is one call."""
        parts = level.parts
        if len(parts) == 1:
            return parts[0].text, parts[0].kind
        odd = level.calculates and (level.texts or bool(self.around.odd))
        if level.opened == "{" or not (level.joins or odd):
            return "".join([part.text for part in parts]), kind_of(parts)
        operands, signs = split(parts, lambda part: part.kind == "compare")
        texts = [self._joined(one) for one in operands]
        if signs:
            compared = [text for text, is_text in texts if not is_text]
            if len(compared) == len(texts) and not all(self._settled(text) for text in compared):
                texts = [(self._wrapped(text, f"{DIGITS}("), False) for text, _ in texts]
        out = texts[0][0] + "".join(sign.text + text for sign, (text, _) in zip(signs, texts[1:], strict=True))
        return out, ""

    def _joined(self, parts: list[Part]) -> tuple[str, bool]:
        """An operand of a comparison, and whether it is a text."""
        operands, signs = split(parts, lambda part: part.text == "&" and part.kind == "other")
        texts = [self._sum(one) for one in operands]
        if not signs:
            return texts[0], _TEXT.fullmatch(texts[0].strip()) is not None or kind_of(parts) in deviations.GIVING_TEXT
        joined = [self._as_text(text, one) for text, one in zip(texts, operands, strict=True)]
        return joined[0] + "".join(sign.text + text for sign, text in zip(signs, joined[1:], strict=True)), True

    def _as_text(self, text: str, parts: list[Part]) -> str:
        bare = text.strip()
        if _LITERAL.fullmatch(bare) and not _TYPED.fullmatch(bare) and bare[-1:].isdigit():
            return f"{JOINED}({self.number},{text})"
        if self._settled(text) or kind_of(parts) in deviations.GIVING_TEXT:
            return text
        return self._wrapped(text, f"{JOINED}({self.number},")

    def _sum(self, parts: list[Part]) -> str:
        """An operand of & : its own operands become numbers where they may be texts that Excel reads as such."""
        operands, signs = split(parts, lambda part: part.kind == "other")
        texts = ["".join(part.text for part in one) for one in operands]
        if signs:
            for at, one in enumerate(operands):
                if self._may_be_odd(texts[at], kind_of(one)):
                    texts[at] = self._wrapped(texts[at], f"{NUMBER}({self.number},")
        return texts[0] + "".join(sign.text + text for sign, text in zip(signs, texts[1:], strict=True))

    def _may_be_odd(self, text: str, kind: str) -> bool:
        text = text.strip()
        if _TEXT.fullmatch(text):
            return deviations.number_like(text[1:-1])
        if kind:
            return kind in deviations.GIVING_TEXT
        if self.assumed or not self.around.odd:
            return False
        reference = REFERENCE.fullmatch(text)
        return reference is not None and self.around.among(self.around.odd, reference, self.title)

    def _settled(self, text: str) -> bool:
        """Whether a value has no more digits than somebody typed, or is none of one cell or few."""
        text = text.strip()
        if not text or _LITERAL.fullmatch(text) or _TEXT.fullmatch(text):
            return True
        reference = REFERENCE.fullmatch(text)
        if reference is None:
            return False
        if self.assumed:
            self.reached.append(reference)
            return True
        if not self.around.among(self.around.changing, reference, self.title):
            return True
        top, left, bottom, right = area_of(reference["area"].replace("$", ""))
        return (bottom - top + 1) * (right - left + 1) > MOST_CELLS

    def _wrapped(self, text: str, before: str) -> str:
        """An operand within a call; a number as it stands needs none."""
        found = _AROUND.fullmatch(text)
        if found is None or not found[2] or _LITERAL.fullmatch(found[2]):
            return text
        return f"{found[1]}{before}{found[2]}){found[3]}"

    def _closed(self, level: Level, end: str) -> Part:
        arguments, name = level.arguments, level.name
        if name is None or (name not in self.known.ours and name not in self.known.unknown
                            and name not in self.known.corrected):  # fmt: skip
            special = (name or "").upper().removeprefix("_XLFN.")
            text = self._special(special, level) if name else None
            if text is None:
                inside = "".join(one + sign for one, sign in zip(arguments, (*level.between, ""), strict=True))
                text = f"{level.opened}{inside}{end}"
            return Part(text, special or "" if name else "")
        number = self.number
        if len(arguments) == 1 and not arguments[0].strip():
            arguments = []
        if name in self.known.unknown:
            head = f"{OPEN}({number},{self.known.unknown[name]}"
        elif name in self.known.ours:
            if not self.around.is_ours(level.before):
                raise GpusheetError(f"the function {level.before}{name} is another's than gpusheet's")
            head = f"{OURS}{self.known.ours[name]}({number}"
            arguments = [self._with_days(one) for one in arguments]
        else:
            head = f"{CORRECTING[self.known.corrected[name]]}({number}"
        filled = [one if one.strip() else f'"{OMITTED}"' for one in arguments]
        return Part(",".join((head, *filled)) + ")", self.known.corrected.get(name, name))

    def _with_days(self, argument: str) -> str:
        """An argument of ours that refers to days, so that they arrive as such."""
        reference = REFERENCE.fullmatch(argument.strip())
        if reference is None or not self.around.dated or not self.around.among(self.around.dated, reference, self.title):
            return argument
        title = unquoted(reference["sheet"]) if reference["sheet"] else self.title
        top, left, _, _ = area_of(reference["area"].replace("$", ""))
        quoted = title.replace('"', '""')
        return f'{DAYS}("{quoted}",{top},{left},{argument})'

    def _special(self, name: str, level: Level) -> str | None:
        """The call of a function of the engine whose arguments have to be other ones."""
        arguments, kinds = list(level.arguments), level.kinds
        if name == "COUNT":
            arguments = [one if REFERENCE.fullmatch(one.strip()) or not one.strip() else f'IFERROR({one},"")'
                         for one in arguments]  # fmt: skip
        elif name == "NUMBERVALUE":
            arguments[0] = f'SUBSTITUTE({arguments[0]}," ","")'
        elif name == "SINGLE":
            return self._single(arguments[0])
        elif name == "CELL" and arguments[0].strip().casefold() not in deviations.CELL_KINDS:
            raise GpusheetError(f"CELL({arguments[0]}) tells of the program and the file")
        elif name == "DATEDIF" and len(arguments) == 3 and arguments[2].strip().casefold() not in deviations.DATEDIF_UNITS:
            raise GpusheetError(f"DATEDIF with {arguments[2]} is not calculated here")
        if name in deviations.TEXTUAL:
            arguments = [self._as_text(one, [Part(one, kind)]) for one, kind in zip(arguments, kinds, strict=True)]
        if name == "TEXT" and len(arguments) == 2 and not _known_format(arguments[1]):
            arguments[1] = self._wrapped(arguments[1], f"{FORMAT}({self.number},")
        if name in deviations.NUMERIC:
            arguments = [self._wrapped(one, f"{NUMBER}({self.number},") if self._may_be_odd(one, kind) else one
                         for one, kind in zip(arguments, kinds, strict=True)]  # fmt: skip
        if arguments == level.arguments:
            return None
        return level.opened + ",".join(arguments) + ")"

    def _single(self, argument: str) -> str:
        """What @ picks: the cell of a range in the formula's own row or column; else the one value there is."""
        text = argument.strip()
        while text.startswith("(") and text.endswith(")") and REFERENCE.fullmatch(text[1:-1].strip()):
            text = text[1:-1].strip()
        reference = REFERENCE.fullmatch(text)
        if reference is None or "#" in text:
            return f"{ONE}({self.number},{int(text.startswith(OURS))},{argument})"
        picked = _intersection(area_of(reference["area"].replace("$", "")), place_of_address(self.address))
        if picked is None:
            return "#VALUE!"
        sheet = f"{quote_sheetname(unquoted(reference['sheet']))}!" if reference["sheet"] else ""
        return sheet + address(picked)


def _intersection(area: Area, own: tuple[int, int]) -> tuple[int, int] | None:
    top, left, bottom, right = area
    if (top, left) == (bottom, right):
        return top, left
    if left == right:
        return (own[0], left) if top <= own[0] <= bottom else None
    if top == bottom:
        return (top, own[1]) if left <= own[1] <= right else None
    return own if top <= own[0] <= bottom and left <= own[1] <= right else None


def _known_format(argument: str) -> bool:
    text = argument.strip()
    if not _TEXT.fullmatch(text):
        return False
    try:
        deviations.checked_format(text[1:-1].replace('""', '"'))
    except deviations.NotCalculated:
        return False
    return True
