"""The macro-enabled workbook: the VBA project, with its file formats, and the book around it."""
