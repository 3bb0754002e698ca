"""Formulas as the engine is to read them: plain ranges for structured references, our functions by one name each."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from gpusheet.workbook.structured import Tables

OURS, OPEN, FILL = "GPUSHEET_", "GPUSHEET_OPEN", "GPUSHEET_FILL"  # what the engine knows the functions by
OMITTED = "\ue000"  # stands for an argument that is left out, which the engine would hand over as 0

_NAME = r"[^\W\d][\w.]*"
CALLED = re.compile(rf"({_NAME})\(")
LINKED = re.compile(r"\"(?:[^\"]|\"\")*\"|\[(\d+)\]")  # the number of a workbook, unless in a text
_SPELLED = re.compile(r"(?:_xlfn\.|_xlws\.|_xll\.|_xludf\.|gpusheet\.)+", re.IGNORECASE)
_OFFICE_JS = "_XLDUDF_"  # functions of add-ins that are written in JavaScript, as xlwings Lite is
# a book or a module before a function says where it comes from: 'gpusheet.xlam'!NAME( and [1]!NAME(
_TOKEN = re.compile(
    r"\"(?:[^\"]|\"\")*\""
    rf"|(?:'(?:[^']|'')*'!|\[[^\[\]]*\][\w.]*!|[\w.]+!)?(?P<name>{_NAME})\("
    r"|'(?:[^']|'')*'|\[(?:'.|[^\[\]']|\[(?:'.|[^\[\]'])*\])*\]|[(){},;]"
)
_INTRICATE = re.compile(r"[\"'\[]|[(,]\s*[,)]")  # texts, quoted names, arguments left out


def function_name(spelled: str, known: Collection[str]) -> str | None:
    """The function of ours that a formula means, however programs and add-ins write it down.

    >>> [function_name(name, {"CARD_TIER"}) for name in ("card_tier", "_xldudf_GPUSHEET_CARD_TIER", "_xlfn.CARD_TIER")]
    ['CARD_TIER', 'CARD_TIER', 'CARD_TIER']
    >>> function_name("SUM", {"CARD_TIER"}) is None
    True
    """
    name = _SPELLED.sub("", spelled).upper()
    if name.startswith(_OFFICE_JS):
        name = name.removeprefix(_OFFICE_JS)
        while name not in known and "_" in name:  # the name space of the add-in
            name = name.partition("_")[2]
    return name if name in known else None


def unknown_functions(names: Iterable[str]) -> set[str]:
    """Those of the names, as formulas spell them, by which the engine knows no function."""
    import formualizer

    engine = formualizer.Workbook()
    sheet = engine.sheet("Names")
    wanted = sorted(name for name in names if not name.lower().startswith("_xlpm."))  # parameters within LET
    unknown = set()
    for row, name in enumerate(wanted, 1):
        try:
            sheet.set_formula(row, 1, f"={name}()")
        except Exception:
            unknown.add(name)  # not even a name
    for row, name in enumerate(wanted, 1):
        try:
            value = engine.evaluate_cell("Names", row, 1)
        except Exception:
            continue  # it was called
        if isinstance(value, dict) and value["kind"] == "Name":
            unknown.add(name)
    return unknown


@dataclass(frozen=True)
class Rewriting:
    """How the formulas of a book are rewritten.

    Every call of ours, and of what the engine does not know, tells the number of its cell first: so it is known
    which cell a message belongs to, however deep in a formula the call stands.
    """

    tables: Tables
    ours: dict[str, str]  # by the spelling in formulas
    unknown: dict[str, int]  # spelling -> number of the reason
    spilling: Collection[str] = ()  # those of ours that give a table

    @cached_property
    def wanted(self) -> re.Pattern[bytes]:
        """What a formula has in it, as files spell it, if there is anything to rewrite."""
        names = [re.escape(name).encode() for name in (*self.ours, *self.unknown)]
        return re.compile(b"|".join([rb"\[", *(rb"%b\(" % name for name in names)]))

    @cached_property
    def _calls(self) -> re.Pattern[str]:
        names = "|".join(re.escape(name) for name in (*self.ours, *self.unknown))
        return re.compile(rf"(?:\[\d+\]!|[\w.]+!)?(?<![\w.])({names or '(?!)'})\(")

    def __call__(self, formula: str, cell: str, number: int) -> str:
        """The formula of a cell (`Sheet!A1`) with the given number; a structured reference to nothing raises.

        >>> rewriting = Rewriting(Tables({}), {"KV": "KV"}, {"NOPE": 4})
        >>> rewriting("KV(A1,,2)+NOPE()+SUM(1,2)", "S!A1", 7).replace(OMITTED, "-")
        'GPUSHEET_KV(7,A1,"-",2)+GPUSHEET_OPEN(7,4)+SUM(1,2)'
        """
        if "[" in formula:
            formula = self.tables.plain(formula, cell)
        if not self._calls.search(formula):
            return formula
        if not _INTRICATE.search(formula):
            return self._calls.sub(lambda call: self._call(call[1], call[0], number)[0], formula)
        out: list[str] = []
        calls: list[bool] = []  # for each open bracket whether it is that of a call of ours
        at, starts, follows = 0, False, False  # an argument starts here; it is not the first
        for token in _TOKEN.finditer(formula):
            between, text, at = formula[at : token.start()], token[0], token.end()
            out.append(between)
            starts = starts and not between.strip()
            if starts and (text == "," or (text == ")" and follows)):
                out.append(f'"{OMITTED}"')
            if starts and text == ")" and not follows:
                out[-2] = out[-2].removesuffix(",")  # no arguments at all
            written, mine = self._call(token["name"], text, number)
            out.append(written)
            if text.endswith("(") or text == "{":
                calls.append(mine)
            elif text in (")", "}") and calls:
                calls.pop()
            follows = text == "," and bool(calls) and calls[-1]
            starts = follows or mine
        out.append(formula[at:])
        return "".join(out)

    def only_spills(self, formula: str) -> bool:
        """Whether the formula is one call of a function of ours that gives a table, with nothing around it.

        >>> rewriting = Rewriting(Tables({}), {"PRICES": "PRICES"}, {}, {"PRICES"})
        >>> [rewriting.only_spills(formula) for formula in ("PRICES()", "PRICES(SUM(1))", "SUM(PRICES())", "PRICES()+1")]
        [True, True, False, False]
        """
        first = _TOKEN.match(formula)
        if not first or first["name"] not in self.spilling:
            return False
        depth = 0
        for token in _TOKEN.finditer(formula):
            depth += token[0].endswith("(") - (token[0] == ")")
            if depth == 0:
                return token.end() == len(formula)
        return False

    def _call(self, name: str | None, text: str, number: int) -> tuple[str, bool]:
        if name in self.ours:
            return f"{OURS}{self.ours[name]}({number},", True
        if name in self.unknown:
            return f"{OPEN}({number},{self.unknown[name]},", True
        return text, False
