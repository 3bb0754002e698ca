"""How functions are spelled in formulas: by files, and for the engine."""

from __future__ import annotations

import re

from gpusheet.workbook.recalculation import deviations

# what the engine knows the functions by
OURS, OPEN, FILL, SPILL = "GPUSHEET_", "GPUSHEET_OPEN", "GPUSHEET_FILL", "GPUSHEET_SPILL"
DIGITS, JOINED, NUMBER, FORMAT = "GPUSHEET_DIGITS", "GPUSHEET_JOINED", "GPUSHEET_NUMBER", "GPUSHEET_FORMAT"
DAYS, ONE, LEFT = "GPUSHEET_DAYS", "GPUSHEET_ONE", "GPUSHEET_LEFT"
CORRECTING = {name: f"GPUSHEET_XL_{name.replace('.', '_')}" for name in deviations.CORRECTED}
NUMBERED = "\ue002"  # stands for the number of a cell
OMITTED = "\ue000"  # stands for an argument that is left out, which the engine would hand over as 0

CALL = r"[^\W\d][\w.]*"
# a book or a module before a function says where it comes from: 'gpusheet.xlam'!NAME( and [1]!NAME(
TOKEN = re.compile(
    r"\"(?:[^\"]|\"\")*\""
    rf"|(?P<before>'(?:[^']|'')*'!|\[[^\[\]]*\][\w.]*!|[\w.]+!)?(?P<name>{CALL})\("
    r"|'(?:[^']|'')*'|\[(?:'.|[^\[\]']|\[(?:'.|[^\[\]'])*\])*\]|#(?:REF!|DIV/0!|N/A|NAME\?|NULL!|NUM!|VALUE!)"
    r"|(?<![\w.$])(?:\d+\.?\d*|\.\d+)[Ee][-+]?\d+(?![\w.])|(?P<compare><=|>=|<>|[=<>])|(?P<other>[-+*/^%&])|[(){},;]"
)
