"""Formulas as the engine is to read them: plain ranges for structured references, our functions by one name each."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gpusheet.errors import GpusheetError
from gpusheet.workbook.recalculation import deviations
from gpusheet.workbook.recalculation.rewriting import Known, Rewriter
from gpusheet.workbook.recalculation.spelling import CALL, CORRECTING, NUMBERED, OMITTED, OPEN, OURS, TOKEN
from gpusheet.workbook.recalculation.surroundings import Surroundings
from gpusheet.workbook.structured import Tables

__all__ = ["CALLED", "LINKED", "OMITTED", "Rewriting", "corrected", "function_name", "special_functions",
           "unknown_functions"]  # fmt: skip

CALLED = re.compile(rf"({CALL})\(")
LINKED = re.compile(r"\"(?:[^\"]|\"\")*\"|\[(\d+)\]")  # the number of a workbook, unless in a text
_SPELLED = re.compile(r"(?:_xlfn\.|_xlws\.|_xll\.|_xludf\.|gpusheet\.|xlwings\.)+", re.IGNORECASE)
_OFFICE_JS = re.compile(r"_XLDUDF_(?:GPUSHEET_|XLWINGS_)?")  # add-ins that are written in JavaScript, as xlwings Lite is
_INTRICATE = re.compile(r"[\"'\[=<>&]|[(,]\s*[,)]|!\w+\(")  # texts, quoted names, arguments left out, other operators
_SPECIAL = ["COUNT", "TEXT", "NUMBERVALUE", "SINGLE", "CELL", "DATEDIF"]
_PLAIN_COUNT = r"(?![$\w:,!'. ]*\))"  # COUNT of nothing but references is the engine's
_WHOLE_MOD = r"(?!\$?[A-Z]{1,3}\$?\d+,\d+\))"
_ODD_TEXT = rb'"[^"]*\d[,$)][^"]*"|"[^"]*[$(]\d[^"]*"|"\d{4}[-/]\d'


def function_name(spelled: str, known: Collection[str]) -> str | None:
    """The function of ours that a formula means, however programs and add-ins write it down.

    >>> [function_name(name, {"CARD_TIER"}) for name in ("card_tier", "_xldudf_GPUSHEET_CARD_TIER", "_xlfn.CARD_TIER")]
    ['CARD_TIER', 'CARD_TIER', 'CARD_TIER']
    >>> [function_name(name, {"CARD_TIER"}) for name in ("SUM", "_xldudf_CONTOSO_CARD_TIER")]
    [None, None]
    """
    name = _SPELLED.sub("", spelled).upper()
    name = next((one for one in (name, _OFFICE_JS.sub("", name, count=1)) if one in known), name)
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


def corrected(spelled: str) -> str | None:
    """The function that is calculated in place of the engine's.

    >>> corrected("_xlfn.CEILING.MATH"), corrected("ceiling"), corrected("SUM")
    ('CEILING.MATH', 'CEILING', None)
    """
    name = spelled.upper().removeprefix("_XLFN.")
    return name if name in deviations.CORRECTED else None


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
    corrected: Mapping[str, str] = field(default_factory=dict)  # spelling -> function
    special: Collection[str] = ()  # spellings of functions whose arguments have to be looked at
    around: Surroundings = field(default_factory=Surroundings)

    @cached_property
    def wanted(self) -> re.Pattern[bytes]:
        """What a formula has in it, as files spell it, if there is anything to rewrite."""
        parts = [rb"\[", _ODD_TEXT]
        for name in (*self.ours, *self.unknown, *self.corrected):
            end = _WHOLE_MOD if name == "MOD" else ""
            parts.append(rf"{re.escape(name)}\({end}".encode())
        names = [re.escape(name).encode() for name in self.around.names.known]
        if names:
            parts.append(rb"(?i:!(?:%b))" % b"|".join(names))
        words = [re.escape(name).encode() for name in self.around.names.replaced]
        words += [re.escape(table.name).encode() for table in self.tables.by_name.values()]
        if words:
            parts.append(rb"(?i:(?:%b)(?![\w.(!\[]))" % b"|".join(words))
        return re.compile(b"|".join(parts))

    @cached_property
    def looked_at(self) -> re.Pattern[bytes] | None:
        """Calls of functions whose arguments may have to be rewritten."""
        names = [re.escape(name) + r"\(" + (_PLAIN_COUNT if name == "COUNT" else "") for name in sorted(self.special)]
        return re.compile("|".join(names).encode()) if names else None

    @cached_property
    def _calls(self) -> re.Pattern[str]:
        names = "|".join(re.escape(name) for name in (*self.ours, *self.unknown, *self.corrected))
        return re.compile(rf"(?<![\w.!])({names or '(?!)'})\(")

    @cached_property
    def _specials(self) -> re.Pattern[str]:
        return re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, self.special)) or '(?!)'})\(")

    @cached_property
    def _rewriter(self) -> Rewriter:
        return Rewriter(Known(self.ours, self.unknown, self.corrected), self.around)

    def __call__(self, formula: str, cell: str, number: int, tiny: bool = False) -> str:
        """The formula of a cell (`Sheet!A1`) with the given number; a structured reference to nothing raises. `tiny` if
        what it gives is a remainder that Excel may take for 0.

        >>> rewriting = Rewriting(Tables({}), {"KV": "KV"}, {"NOPE": 4})
        >>> rewriting("KV(A1,,2)+NOPE()+SUM(1,2)", "S!A1", 7).replace(OMITTED, "-")
        'GPUSHEET_KV(7,A1,"-",2)+GPUSHEET_OPEN(7,4)+SUM(1,2)'
        """
        formula = self.tables.plain(self.around.names.plain(formula, cell), cell)
        if not tiny and not self.around.odd and self._is_simple(formula):
            return self._numbered(formula, number)
        return self._rewriter(formula, cell, number, tiny)

    def template(self, shape: str) -> tuple[str | None, bool]:
        """What formulas become that are alike but for the row, with NUMBERED for the number of the cell, and whether
        they only spill; None if that depends on the cell. Only where there are no odd texts."""
        named = "[" in shape or self.around.names.within(shape) or self.tables.plain(shape, "") != shape
        if named or not self._is_simple(shape):
            return None, False
        return self._numbered(shape, NUMBERED), self.only_spills(shape)

    def _is_simple(self, formula: str) -> bool:
        return not self.around.dated and not _INTRICATE.search(formula) and not self._specials.search(formula)

    def _numbered(self, formula: str, number: int | str) -> str:
        return self._calls.sub(lambda call: f"{self._head(call[1], number)},", formula)

    def _head(self, name: str, number: int | str) -> str:
        if name in self.unknown:
            return f"{OPEN}({number},{self.unknown[name]}"
        return f"{OURS}{self.ours[name]}({number}" if name in self.ours else f"{CORRECTING[self.corrected[name]]}({number}"

    def steady(self, shape: str, title: str) -> list[re.Match[str]] | None:
        """The references of a formula that has to be rewritten only if one of them reaches a formula; None if it has to
        be in any case. `#` stands for a row, whichever it is."""
        rewriter = Rewriter(Known({}, {}, {}), self.around, assumed=True)
        try:
            return rewriter.reached if rewriter(shape, f"{title}!A1", 0) == shape else None
        except GpusheetError:
            return None

    def only_spills(self, formula: str) -> bool:
        """Whether the formula is one call of a function of ours that gives a table, with nothing around it.

        >>> rewriting = Rewriting(Tables({}), {"PRICES": "PRICES"}, {}, {"PRICES"})
        >>> [rewriting.only_spills(formula) for formula in ("PRICES()", "PRICES(SUM(1))", "SUM(PRICES())", "PRICES()+1")]
        [True, True, False, False]
        """
        first = TOKEN.match(formula)
        if not first or first["name"] not in self.spilling:
            return False
        depth = 0
        for token in TOKEN.finditer(formula):
            depth += token[0].endswith("(") - (token[0] == ")")
            if depth == 0:
                return token.end() == len(formula)
        return False


def special_functions(called: Iterable[str]) -> set[str]:
    """Those of the spelled names whose arguments have to be looked at."""
    names = {*_SPECIAL, *deviations.TEXTUAL}
    return {name for name in called if name.upper().removeprefix("_XLFN.") in names}
