"""The rules as defined names of a workbook, which Excel 365 calls like its own functions."""

from __future__ import annotations

from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook

from gpusheet.errors import GpusheetError
from gpusheet.registry import all_rules


def put_lambdas(book: Workbook, lang: str = "en") -> None:
    """Gives `book` a name for each rule; what the rule is stands in the name's comment, which Excel shows as it is typed.

    >>> book = Workbook()
    >>> put_lambdas(book)
    >>> book.defined_names["CARD_TIER"].comment[:25]
    'Cards that can be rented:'
    """
    from gpusheet.xl.functions import functions
    from gpusheet.xl.lambdas import lambdas

    taken = {name.casefold() for name in book.defined_names}
    taken |= {table.casefold() for sheet in book.worksheets for table in (*sheet.tables, *sheet.defined_names)}
    known = functions()
    for name, formula in lambdas().items():
        if name.casefold() in taken:
            raise GpusheetError(f"name {name}: is taken in this workbook; give that name or table another name")
        book.defined_names[name] = DefinedName(name, attr_text=formula, comment=known[name].help(lang))


def is_ours(name: str, formula: str | None) -> bool:
    """Whether a name is one of these, also where another program has written it in its own way.

    >>> is_ours("CARD_TIER", "_xlfn.LAMBDA(_xlpm.x,_xlpm.x)"), is_ours("CARD_TIER", "Sheet1!$A$1")
    (True, False)
    """
    return name.lower() in all_rules() and (formula or "").casefold().startswith("_xlfn.lambda(")


def is_current(name: str, formula: str) -> bool:
    """Whether a name calls what gpusheet writes today.

    >>> from gpusheet.xl.lambdas import lambdas
    >>> is_current("card_tier", lambdas()["CARD_TIER"]), is_current("CARD_TIER", "_xlfn.LAMBDA(_xlpm.x,_xlpm.x)")
    (True, False)
    """
    from gpusheet.xl.lambdas import lambdas

    return _bare(lambdas().get(name.upper(), "")) == _bare(formula)


def _bare(formula: str) -> str:
    """A formula without what programs change as they save it."""
    return "".join(formula.split()).casefold()


def has_lambdas(book: Workbook) -> bool:
    """Whether a workbook has such names."""
    return any(is_ours(name, defined.attr_text) for name, defined in book.defined_names.items())
