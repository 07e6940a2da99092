"""One file per numbered statement, found by walking this folder; ``verification/ledger.py`` says what a file must hold."""
