"""Reading back a workbook that a person has edited: opening it, finding its tables, reading rows, listing the rest."""
