"""The rules as LAMBDA formulas for the names of a workbook: functions of Excel 365 with no add-in and no macro.

What a rule computes is spelled by `Rule.plain_expression`, as everywhere. Here is only what stands around it: defaults,
the tests of the arguments, and the error that a cell shows, all as `gpusheet.xl.arguments` has them.

A name stands on its own: unit constants and default tiers are written as numbers, so that it gives the same in any
workbook that it is copied to. Where the tiers of a sheet count, they are an argument: `=CARD_TIER(2.67,tiers)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from gpusheet.catalog import Column
from gpusheet.constants import NAMED
from gpusheet.expr import Call, Expr, Symbol, number_text, render
from gpusheet.formula import MOST_CHARACTERS, MOST_NESTING, Facts, Sign, guard
from gpusheet.registry import REQUIRED, Parameter, Rule, all_rules
from gpusheet.wiring import TABLES, column_of_parameter

# how a file writes the functions that are newer than its format, a parameter, and an optional one where it is declared
NEW, GIVEN, OPTIONAL = "_xlfn.", "_xlpm.", "_xlop."
LONGEST_NAME, MOST_ARGUMENTS = 255, 253

_CONSTANTS = {constant.name: number_text(constant) for constant in NAMED}
_QUOTED_OR_CONSTANT = re.compile(rf'"[^"]*"|(?<![\w.])(?:{"|".join(_CONSTANTS)})(?!\w)')


@cache
def lambdas() -> dict[str, str]:
    """The formula of each rule by the name that cells call it by, without '=', as a file spells it.

    >>> lambdas()["CARD_TIER"][:46]
    '_xlfn.LAMBDA(_xlpm.cards_needed_,_xlop.tiers_,'
    """
    return {rule.name.upper(): lambda_of(rule) for rule in all_rules().values()}


def lambda_of(rule: Rule) -> str:
    """The LAMBDA of one rule: arguments tested in their order, then the rule, then what has no result as an error."""
    left_out = _may_be_left_out(rule)
    arguments = [_Argument(parameter, parameter.name in left_out) for parameter in rule.parameters]
    declared = ",".join((OPTIONAL if one.optional else GIVEN) + one.shown for one in arguments)
    values = ",".join(f"{one.value},{one.checked()}" for one in arguments)
    joined = "&".join(f"SUM({one.value})" if one.table else one.value for one in arguments)  # the first error of all
    blank = ",".join(f'{one.value}=""' for one in arguments if one.may_lack)
    no_result = f"IF(OR({blank}),#VALUE!,#NUM!)" if blank else "#NUM!"
    error, result = f"{GIVEN}error", f"{GIVEN}result"
    settled = f'{NEW}LET({result},IFERROR({_body(rule, arguments)},""),IF({result}="",{no_result},{result}))'
    told = f"{NEW}LET({values},{error},{joined},IF(ISERROR({error}),{error},{settled}))"
    return _within_limits(rule.name.upper(), f"{NEW}LAMBDA({declared},{told})", len(arguments))


def _may_be_left_out(rule: Rule) -> set[str]:
    """The last arguments that have a default, or for whose absence the rule provides."""
    spared = {
        part.name
        for node in rule.plain_expression.walk() if isinstance(node, Call) and node.operation == "if_given"
        for part in node.arguments[:-2] if isinstance(part, Symbol)
    }  # fmt: skip
    names = set()
    for parameter in reversed(rule.parameters):
        if parameter.default is REQUIRED and parameter.name not in spared:
            break
        names.add(parameter.name)
    return names


class _Argument:
    """A parameter of a rule as its LAMBDA takes it."""

    def __init__(self, parameter: Parameter, optional: bool) -> None:
        self.name = parameter.name
        self.table = parameter.name in TABLES
        self.column: Column | None = None if self.table else column_of_parameter(parameter)
        self.optional = optional
        self.has_default = parameter.default is not REQUIRED
        self.default = parameter.default
        # no engine may take it for a name of the workbook: a rule's, or that of the tiers
        self.shown = f"{self.name}_" if self.name in all_rules() or self.table else self.name
        self.given = GIVEN + self.shown  # what the cell hands over
        self.value = f"{GIVEN}{self.name}_ok"  # what the rule counts with: "" where it is missing, or an error

    @property
    def text(self) -> bool:
        return self.column is not None and self.column.kind != "number"

    @property
    def may_lack(self) -> bool:
        """Whether a blank is no error yet, as the rule may do without."""
        if self.text:
            return not self._must_be_typed
        return not (self.table or self.has_default)

    @property
    def _must_be_typed(self) -> bool:
        return self.column is not None and (self.column.required or self.column.default is not None)

    @property
    def facts(self) -> Facts:
        """What is known of the value once it is checked."""
        if self.column is None:
            return Facts("positive", nullable=False, number=False)
        least = self.column.ge is not None and self.column.ge >= 0
        sign: Sign = "positive" if self.column.positive else "nonnegative" if least else "any"
        return Facts(sign, self.may_lack, number=not self.text)

    def checked(self) -> str:
        """The value, or the error of the argument: its own, or #VALUE! for another kind, #NUM! beyond the bounds."""
        given = self.given
        if self.table:
            default = "{" + ";".join(number_text(size) for size in self.default) + "}"
            return f"IF({NEW}ISOMITTED({given}),{default},{self._sizes(default)})"
        if self.text:
            blank, kept = ("#VALUE!" if self._must_be_typed else '""'), self._text()
        else:
            blank, kept = (number_text(self.default) if self.has_default else '""'), self._number()
        one_cell = f"ROWS({given})*COLUMNS({given})=1"
        filled = f'IF({one_cell},IF(TRIM({given})="",{blank},{kept}),#VALUE!)'
        return f"IF({NEW}ISOMITTED({given}),{blank},{filled})"

    def _number(self) -> str:
        column, given = self.column, self.given
        assert column is not None
        bounds = ((">", column.gt), (">=", column.ge), ("<", column.lt), ("<=", column.le))
        tests = [f"{given}{sign}{number_text(bound)}" for sign, bound in bounds if bound is not None]
        tests += [f"{given}=INT({given})"] if column.whole else []
        kept = f"IF({_all(tests)},{given},#NUM!)" if tests else given
        return f"IF(ISNUMBER({given}),{kept},#VALUE!)"

    def _text(self) -> str:
        assert self.column is not None
        given, kept = self.given, f"TRIM({self.given})"
        if self.column.choices:
            listed = ",".join(f'"{choice}"' for choice in self.column.choices)
            return f"IF(OR({kept}={{{listed}}}),{kept},#VALUE!)"
        return f"IF(ISTEXT({given}),{kept},IF(ISNUMBER({given}),IF({given}=INT({given}),{kept},#VALUE!),#VALUE!))"

    def _sizes(self, default: str) -> str:
        """Numbers that ascend from 0, in a row, a column or an area; blank cells do not count."""
        given, cells, sizes = self.given, f"{GIVEN}cells", f"{GIVEN}sizes"
        blank = f'TRIM({given})=""'
        error = f"SUM(1*({blank}))"
        ascending = f"{NEW}DROP({sizes},1)>={NEW}DROP({sizes},-1)"
        tests = f"IFERROR(AND(INDEX({sizes},1)=0,{ascending}),FALSE)"  # a single size has nothing to compare
        # a number is less than any text and any truth value
        kept = f'IF(AND({sizes}<""),IF({tests},{sizes},#NUM!),#VALUE!)'
        listed = f"{cells},{NEW}TOCOL(IF({blank},#N/A,{given}),3),{sizes},IF(ISERROR(ROWS({cells})),{default},{cells})"
        return f"IF(ISERROR({error}),{error},{NEW}LET({listed},{kept}))"


def _body(rule: Rule, arguments: Iterable[_Argument]) -> str:
    """The rule's formula, "" while a number that it needs is missing or a denominator is zero."""
    values = {one.name: one.value for one in arguments}
    facts = {one.name: one.facts for one in arguments}

    def place(name: str) -> str:
        return values.get(name, name)

    expression = rule.plain_expression
    needs = guard(expression, facts)
    counted = set(_needed(expression))
    missing = [values[name] for name in needs.given if name in counted and facts[name].nullable]
    tests = [f"COUNT({','.join(missing)})={len(missing)}"] if missing else []
    tests += [f"{render(factor, place)}<>0" for factor in needs.nonzero]
    tests += [f"IF({render(demand, place)}>tiny,N({render(capacity, place)})>0,TRUE)" for demand, capacity in needs.served]
    body = render(expression, place)
    return _on_its_own(f'IF({_all(tests)},{body},"")' if tests else body)


def _needed(expr: Expr, branch: bool = False, arithmetic: bool = True) -> Iterator[str]:
    """What has to be counted: all but what stands in a branch and is only added, multiplied or passed on. That matters
    only where the branch is taken, and is an error or "" then; a comparison would take "" for a large text."""
    if isinstance(expr, Symbol):
        if not (branch and arithmetic):
            yield expr.name
        return
    parts = expr.parts()
    if isinstance(expr, Call):
        if expr.operation in ("choose", "if_given", "pick"):
            if expr.operation == "pick":
                yield from _needed(parts[0], branch, arithmetic=False)
            branch = True
            parts = parts[-2:] if expr.operation == "if_given" else parts[1:]
        else:
            arithmetic = False
    for part in parts:
        yield from _needed(part, branch, arithmetic)


def _on_its_own(formula: str) -> str:
    """The formula with the numbers of unit constants in place of their names."""
    return _QUOTED_OR_CONSTANT.sub(lambda found: _CONSTANTS.get(found[0], found[0]), formula)


def _all(tests: list[str]) -> str:
    return tests[0] if len(tests) == 1 else f"AND({','.join(tests)})"


def _within_limits(name: str, formula: str, arguments: int) -> str:
    """Refuses what Excel would not take."""
    depth = most = 0
    for character in formula:
        depth += (character == "(") - (character == ")")
        most = max(most, depth)
    for what, found, limit in (
        ("characters", len(formula), MOST_CHARACTERS), ("nestings", most, MOST_NESTING),
        ("characters in its name", len(name), LONGEST_NAME), ("arguments", arguments, MOST_ARGUMENTS),
    ):  # fmt: skip
        if found > limit:
            raise TypeError(f"{name}: {found} {what}, at most {limit}; split the rule")
    return formula
