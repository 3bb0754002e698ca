"""Recalculating a workbook file without Excel, with our functions in its cells."""

from gpusheet.workbook.recalculation.file import Recalculated, recalculate, recalculated, write_recalculated
from gpusheet.workbook.recalculation.findings import Finding

__all__ = ["Finding", "Recalculated", "recalculate", "recalculated", "write_recalculated"]
