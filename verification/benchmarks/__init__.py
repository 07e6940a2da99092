"""Measurements: programs that print a table."""
