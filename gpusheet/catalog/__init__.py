"""Facts, prices and assumptions: row types with units, labels and bounds, built-in data with sources, look-ups."""

from __future__ import annotations

from gpusheet.catalog.assumptions import Assumptions
from gpusheet.catalog.catalog import AmbiguousPrice, Catalog
from gpusheet.catalog.fx import Fx
from gpusheet.catalog.gpu import Gpu
from gpusheet.catalog.load import read_table
from gpusheet.catalog.model import Model
from gpusheet.catalog.price import Price, Unpriced
from gpusheet.catalog.schema import BadRow, Column, Row, columns, row_errors
from gpusheet.catalog.serving import Engine, Generation
from gpusheet.catalog.tables import Distribution, OtherCost, Precision, Season, Tier
from gpusheet.catalog.workload import INHERITED, OVERRIDES, Workload

__all__ = [
    "INHERITED",
    "OVERRIDES",
    "AmbiguousPrice",
    "Assumptions",
    "BadRow",
    "Catalog",
    "Column",
    "Distribution",
    "Engine",
    "Fx",
    "Generation",
    "Gpu",
    "Model",
    "OtherCost",
    "Precision",
    "Price",
    "Row",
    "Season",
    "Tier",
    "Unpriced",
    "Workload",
    "columns",
    "read_table",
    "row_errors",
]
