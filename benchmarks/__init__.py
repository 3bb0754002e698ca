"""Measurements of speed and accuracy; see README.md."""
