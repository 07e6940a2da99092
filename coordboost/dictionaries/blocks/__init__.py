"""Blocks of columns that are fitted together."""
