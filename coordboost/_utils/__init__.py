"""Helpers for the whole package.

Checks of single values, look-up of classes by their base class, lazy names, Ctrl-C, root finding.
"""
