"""Every claim of the papers has a file here that checks it: ``python -m verification`` prints the ledger."""
