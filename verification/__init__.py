"""Checks of every claim of the papers, a file for each.

``python -m verification`` prints their results, the ledger.
"""
