"""Helpers for the whole package: checks of single values, look-up of classes by their base class,
lazy names, Ctrl-C, root finding.
"""
