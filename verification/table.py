"""The ledger as a Markdown table: for each statement its file, the evidence, the tightness, and
whether its constant is pinned.
"""

import numpy as np

HEAD = """# The ledger, row by row

Written by `python -m verification --quick --table docs/ledger.md`. *Tightest*: the largest measured
value over its bound. *Pinned*: the same ratio at the stored hard case; 1 means that the constant
cannot be smaller, 0.5 that half of it is not excluded. Each statement links to its file. It is
verified as printed, corrected or sharpened, unless another verdict is named. By paper and number:
[from the papers to the code](index-of-papers.md).

| statement | as | evidence | tightest | pinned |
|---|---|---|---|---|
"""


def _number(x):
    return "" if np.isnan(x) else f"{x:.3g}"


def table(ledger):
    """Return all rows in Markdown."""
    return HEAD + "\n".join(map(line, ledger.rows)) + "\n"


def line(row):
    """Return a row in Markdown."""
    name = row.statement.replace("|", "&#124;")
    verdict = "" if row.verdict == "verified" else f": {row.verdict}"
    return (
        f"| [{name}](../verification/theorems/{row.file}.py) | {row.variant}{verdict} | "
        f"{row.evidence} | {_number(row.tightest)} | {_number(row.pinned)} |"
    )
