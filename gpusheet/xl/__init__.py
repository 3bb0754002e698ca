"""The rules and look-ups as functions of cells, whatever spreadsheet or add-in hands the cells over.

    >>> from gpusheet.xl.functions import functions
    >>> functions()["CARD_TIER"](2.67)
    4.0
"""
