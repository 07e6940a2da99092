"""When Gram columns are bought: when the steps without them have cost too much for long enough.

To step on Gram columns, those of all learners in use must be there. Nobody knows how long a run will be, so they are bought like skis
by one who does not know how often he will go. What a stretch of steps costs beyond moving all correlations (and beyond the columns of
its new learners, where each takes a scan) is lost by not having them: the *credit* is ``TRUST`` times what was lost so far, and columns
are bought from it alone. Where they are many, some are paid in advance, so that no stretch stands out. So until the change a run costs
at most 1 + TRUST times what it would without Gram columns, and at most 1 + 1 / TRUST times what it would on them from the start, and a
stretch.
"""

from typing import NamedTuple

#: Gram columns computed together.
TOGETHER = 32
#: For what is lost once, so much is spent: losses grow before they are paid.
TRUST = 3
#: A change may cost at once what so many steps cost.
SOON = 5000


class Purchase(NamedTuple):
    """Gram columns bought now, whether Gram columns carry the run from here on, and the credit that is left."""

    columns: int
    change: bool
    credit: float


def purchase(credit, missing, column, scan, soon):
    """What is bought from the `credit`.

    Parameters
    ----------
    missing : int
        Columns of learners in use that are not there.
    column, scan : float
        What a Gram column costs, and what a scan: a change takes one.
    soon : float
        What a change may cost at once. More than that is paid in advance.
    """
    change = missing * column + scan
    if credit >= change:
        return Purchase(missing, True, 0.0)
    columns = TOGETHER * max(0, int(min(credit, change - soon) / (TOGETHER * column)))
    return Purchase(columns, False, credit - columns * column)
