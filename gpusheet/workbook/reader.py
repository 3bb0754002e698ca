"""Reading a budget workbook that finance has edited: its inputs, what goes along, and what does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from openpyxl.workbook.workbook import Workbook

from gpusheet import __version__
from gpusheet.catalog import Assumptions, BadRow, Catalog, OtherCost, Row, Unpriced
from gpusheet.catalog.planning import PLANNING, Plans
from gpusheet.errors import GpusheetError, UnknownName, nearest
from gpusheet.intake.findings import besides
from gpusheet.workbook.assumptions_sheet import SMALL, SPARE_COSTS
from gpusheet.workbook.book import LANGUAGES, MOST_MONTHS, build
from gpusheet.workbook.budget_layout import FIRST as FIRST_MONTH
from gpusheet.workbook.budget_layout import MONTH_ROW
from gpusheet.workbook.carry import Carried, CarriedSheet
from gpusheet.workbook.inputs import Inputs
from gpusheet.workbook.lambda_names import has_lambdas
from gpusheet.workbook.layout import FIRST_COLUMN, NUMBER_ROW, OPTIONAL, SHEETS, lines_read
from gpusheet.workbook.reading.areas import ROW_TYPES, cell_at, find_areas
from gpusheet.workbook.reading.cells import Cells, formula_of
from gpusheet.workbook.reading.edited import Edited, cells_of
from gpusheet.workbook.reading.kept import kept_formulas
from gpusheet.workbook.reading.left_out import rest_of
from gpusheet.workbook.reading.older import is_older
from gpusheet.workbook.reading.opening import open_package
from gpusheet.workbook.reading.rows import CARRIED, Factors, Table, read_factors, read_rows
from gpusheet.workbook.results.gpu_cases import SHEET as CASES

CATALOG_TABLES = {"GPUs": "gpus", "Models": "models", "Engines": "engines", "Generations": "generations",
                  "Prices": "prices", "FX": "fx",
                  **{name: field for name, _, field, _ in SMALL}}  # fmt: skip
MOST_NAMES = 12  # that a message lists
# columns of Workloads, and assumptions, that name a row of a small table
NAMING = {"traffic_curve": "Curves", "weight_precision": "Precisions", "kv_precision": "Precisions",
          "length_distribution": "Distributions", "engine": "Engines"}  # fmt: skip


@dataclass(frozen=True)
class ReadBook:
    """An edited workbook: `lost` has a line for each thing that is not carried over, `warnings` what was assumed."""

    inputs: Inputs
    lang: str
    months: int
    lines: int  # workloads there is room for
    extra_columns: Mapping[str, Mapping[str, list[Any]]]
    extra_sheets: Sequence[CarriedSheet]
    extra_notes: Sequence[Carried]  # comments, formats of own columns, the version log, formulas of inputs
    lost: tuple[str, ...]
    warnings: tuple[str, ...]
    functions: str = "none"  # lambda: the rules are names of the book

    @property
    def carried(self) -> list[Carried]:
        """Sheets and notes together, as `build` takes them."""
        return [*self.extra_sheets, *self.extra_notes]


def read_book(path: Path | str) -> ReadBook:
    """The inputs of a workbook of ours, whatever program saved it; all bad cells are named in one error.

    >>> import tempfile
    >>> from gpusheet.workbook.book import write
    >>> from gpusheet.workbook.inputs import sample
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = write(sample(), f"{folder}/budget.xlsx")
    ...     read = read_book(f"{folder}/budget.xlsx")
    >>> read.inputs == sample(), read.months, read.lost
    (True, 12, ())
    """
    package = open_package(path)
    book = package.load()
    areas, errors, warnings = find_areas(book)
    if errors:
        raise BadRow(errors)
    cells = Cells(package)
    older = is_older(book)
    tables = {name: read_rows(areas[name], cells, older) for name in areas}
    factors = read_factors(book, areas, cells)

    def rows(name: str) -> tuple[Any, ...]:
        return tuple(tables[name].rows)

    catalog = Catalog(**{
        field: rows(name) if name in tables else getattr(Catalog.builtin(), field) for name, field in CATALOG_TABLES.items()
    })  # fmt: skip
    prices = tables["Prices"]
    for table in tables.values():
        errors += table.errors
    errors += factors.errors
    _resolve(tables, catalog, errors, warnings)
    errors += _unknown_rows(tables, factors) + _unknown_settings(tables, factors, warnings)
    if errors:
        raise BadRow(errors)
    for table in tables.values():
        warnings += table.warnings
    warnings += factors.warnings
    assert factors.settings is not None and factors.assumptions is not None
    noted: Any = book
    properties = {one.name: one.value for one in noted.custom_doc_props.props}
    lang = _language(book, properties, warnings)
    inputs = Inputs(
        settings=factors.settings,
        assumptions=factors.assumptions,
        catalog=replace(catalog, prices=prices.prices, unpriced=tuple(
            Unpriced(at, prices.place("price", at), line) for at, line in enumerate(rows("Prices")) if at in prices.unpriced)),
        workloads=rows("Workloads"),
        other_costs=rows("OtherCosts"),
        sources=factors.sources,
        plans=Plans(**{
            field: rows(name) if name in tables else getattr(Plans.builtin(lang), field)
            for name, (_, field, _) in PLANNING.items()
        }),
    )  # fmt: skip
    months = _months(book, properties, warnings)
    lines = _lines(book) or areas["Workloads"].last - areas["Workloads"].header
    cards = _formulas_along(book, CASES, NUMBER_ROW, FIRST_COLUMN)
    made = _as_written(book, inputs, lines, cards, lang, months, lines_read(properties.get("gpusheet_lines", "")))
    same = properties.get("gpusheet_version") == __version__ and not older
    with package.parts_read():
        edited = Edited(package, book, made, tables, factors, same)
        rest = rest_of(edited)
    formulas = kept_formulas(edited, cells, {one.title for one in rest.sheets})
    lost = besides((line for table in tables.values() for line in table.lost), (f"{one.place}: " for one in formulas.formulas))
    warnings += [f"{name}: static, so it is not carried over; draw anew with --monte-carlo"
                 for name in OPTIONAL if name in book.sheetnames]
    return ReadBook(
        inputs=inputs,
        lang=lang,
        months=months,
        lines=max(lines, len(inputs.workloads)),
        extra_columns={name: tables[name].own for name in CARRIED if name in tables and tables[name].own},
        extra_sheets=rest.sheets,
        extra_notes=[*rest.notes, *formulas.formulas],
        lost=(*formulas.lost, *lost, *factors.lost, *rest.lost),
        warnings=tuple(warnings),
        functions="lambda" if has_lambdas(book) else "none",
    )


def _resolve(tables: Mapping[str, Table], catalog: Catalog, errors: list[str], warnings: list[str]) -> None:
    """GPUs and models by the name they have in their table, whatever alias was typed."""
    finders: tuple[tuple[str, str, Callable[[str], Row]], ...] = (
        ("GPUs", "gpu", catalog.find_gpu), ("Models", "model", catalog.find_model))
    for listed, column, find in finders:
        if tables[listed].errors:
            continue  # names of bad rows are not known
        for owner in ("Workloads", "Prices"):
            table = tables[owner]
            if column not in ROW_TYPES[owner].model_fields:
                continue
            places: dict[tuple[str, str | None], list[str]] = {}
            for index, row in enumerate(table.rows):
                typed: str | None = getattr(row, column)
                if typed is None:  # of a line that states no price
                    continue
                try:
                    name = getattr(find(typed), column)
                except UnknownName as unknown:
                    if owner == "Workloads":
                        hint = f"did you mean {', '.join(unknown.near)}?" if unknown.near else f"add it to {listed}"
                        place = table.place(column, index)
                        errors.append(f"{place}: found {typed!r}, which the table {listed} does not have; {hint}")
                    else:
                        places.setdefault((typed, None), []).append(table.place(column, index))
                    continue
                except GpusheetError as clash:  # two rows claim one name
                    errors.append(f"{listed}: {clash}")
                    return
                if name != typed:
                    places.setdefault((typed, name), []).append(table.place(column, index))
                    table.rows[index] = row.model_copy(update={column: name})
            for (typed, known), cells in places.items():
                where = cells[0] + (f" and {len(cells) - 1} more" if len(cells) > 1 else "")
                what = f"is read as {known}" if known else f"is not in {listed}, so no workload can use the price"
                warnings.append(f"{where}: {typed!r} {what}")


def _unknown_rows(tables: Mapping[str, Table], factors: Factors) -> list[str]:
    """Number formats and distributions that are named but have no row in their table."""
    errors = []
    for column, name in NAMING.items():
        if name not in tables or tables[name].errors:
            continue
        key = tables[name].area.columns[0].name
        known = [str(getattr(row, key)) for row in tables[name].rows]
        named = [(tables["Workloads"].place(column, index), getattr(row, column))
                 for index, row in enumerate(tables["Workloads"].rows)]
        if isinstance(factors.assumptions, Assumptions) and column in Assumptions.model_fields:
            named.append((factors.place(column), getattr(factors.assumptions, column)))
        for place, value in named:
            if value is not None and value.casefold() not in (one.casefold() for one in known):
                near = nearest(value, known)
                errors.append(f"{place}: found {value!r}, which the table {name} does not have; "
                              + (f"did you mean {', '.join(near)}?" if near else f"allowed: {', '.join(known)}"))
    return errors


def _unknown_settings(tables: Mapping[str, Table], factors: Factors, warnings: list[str]) -> list[str]:
    """Settings that name a row of a table which has none of that name: an error for what drives the book; else the first is taken."""
    errors = []
    for setting, name in (("scenario", "Scenarios"), ("looked_at", "Workloads")):
        value = getattr(factors.settings, setting, None)
        if value is None or name not in tables or tables[name].errors:
            continue
        key = tables[name].area.columns[0].name
        known = [str(getattr(row, key)) for row in tables[name].rows]
        if value.casefold() in (one.casefold() for one in known):
            continue
        near = nearest(value, known)
        said = (f"{factors.place(setting)}: found {value!r}, which the table {name} does not have; allowed: "
                f"{', '.join(known[:MOST_NAMES]) or 'none yet'}{', ...' * (len(known) > MOST_NAMES)}, or blank"
                + (f"; did you mean {', '.join(near)}?" if near else ""))  # fmt: skip
        if setting == "scenario":
            errors.append(said)
        else:
            warnings.append(f"{said}; the first one is looked at")
            assert factors.settings is not None
            factors.settings = factors.settings.model_copy(update={setting: None})
    return errors


def _language(book: Workbook, properties: Mapping[str, Any], warnings: list[str]) -> str:
    lang = str(properties.get("gpusheet_lang"))
    if lang in LANGUAGES:
        return lang
    titles = [str(book[name]["A1"].value).strip() for name in SHEETS if name in book.sheetnames]
    lang = "zh" if {SHEETS[name][2] for name in ("Workloads", "Prices")} & set(titles) else "en"
    warnings.append(f"the language of the book is not noted in it (some programs drop that); {lang} is taken")
    return lang


def _months(book: Workbook, properties: Mapping[str, Any], warnings: list[str]) -> int:
    """As noted in the book, else as many as the Budget has."""
    noted = properties.get("gpusheet_months")
    if isinstance(noted, int | float) and 1 <= noted <= MOST_MONTHS:
        return int(noted)
    counted = _formulas_along(book, "Budget", MONTH_ROW, FIRST_MONTH)
    months = counted if 1 <= counted <= MOST_MONTHS else 12
    warnings.append(f"the number of months is not noted in the book (some programs drop that); {months} is taken")
    return months


def _lines(book: Workbook) -> int:
    """Workloads that the book computes."""
    return _formulas_along(book, "Lookup", NUMBER_ROW, FIRST_COLUMN)


def _formulas_along(book: Workbook, name: str, row: int, column: int) -> int:
    if name not in book.sheetnames:
        return 0
    first = column
    while formula_of(cell_at(book[name], row, column)):
        column += 1
    return column - first


def _as_written(
    book: Workbook, inputs: Inputs, lines: int, cards: int, lang: str, months: int, listed: Mapping[str, int]
) -> Workbook:
    """The book as gpusheet would have written it with as many lines, cards and costs: what differs, a person has typed."""
    costs = list(inputs.other_costs)
    if "Budget" in book.sheetnames:
        items = (cell for (_, column), cell in cells_of(book["Budget"]).items() if column == 2)
        rows = sum("OtherCosts[item]" in formula_of(cell) for cell in items)
        blank = OtherCost(item="-", amount_per_month=0)
        costs = (costs + [blank] * rows)[: max(0, rows - SPARE_COSTS)]
    # the formulas that are compared name columns of the tables, so that these may be empty
    catalog = replace(inputs.catalog, gpus=(), models=(), prices=(), fx=())
    kept = replace(inputs, catalog=catalog, workloads=(), other_costs=tuple(costs))
    drawn = None
    if any(name in book.sheetnames for name in OPTIONAL):
        from gpusheet.workbook.results.risk import stand_in

        drawn = stand_in(months)
    return build(kept, lang, months, spare=lines, cards=cards, drawn=drawn, lines=listed).book
