"""Workbooks: built with openpyxl, recalculated in memory, and written with a value in every formula cell."""
