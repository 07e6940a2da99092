"""One file per numbered statement, found by walking this folder.

``verification/ledger.py`` describes what a file must contain.
"""
