"""Classic xlwings on Windows: the VBA module, the settings, the log, and errors as COM carries them."""
