"""A scan called from Python: compiled or in parallel, with the same bits however many threads there are.

Other kernels of a piece are called from plain Python as loops have them. In inner products, too, the order of the terms depends on their
number alone.
"""

from functools import partial

import numpy as np

from coordboost._numba import compiled, is_piece, ready, reduction, verb
from coordboost._numba.threads import in_order
from coordboost.learners.base import Learners

#: A stored matrix is scanned in blocks of this many learners, a number that decides the rounding and never changes with the machine.
BLOCK = 2048
#: Work on fewer stored entries is not worth a hand-over to other threads.
LITTLE = 1 << 22

_scan = verb("scan")
_scan_share = verb("scan_share")
_column, _correlations, _dot, _add = (verb(name) for name in ("column", "correlations", "dot", "add"))


def in_parallel(task, inputs, entries):
    """The results of `task`, which must not hold the interpreter, for each of the inputs, in their order; `entries` says how much it is."""
    return list(in_order(task, inputs) if entries > LITTLE else map(task, inputs))


def scan(dictionary, v):
    """All correlations <B_j, v>, (n_learners,). *Cost*: one pass over the dictionary. Call it with BLAS on one thread."""
    rows = dictionary.rows
    if rows is not None:
        n = len(rows)
        if n <= BLOCK:
            return np.dot(rows, v)
        return np.concatenate(in_parallel(lambda first: np.dot(rows[first : first + BLOCK], v), range(0, n, BLOCK), rows.size))
    shares = dictionary.shares
    if shares is not None and is_piece(dictionary):
        out, v = np.empty(dictionary.n_learners), np.ascontiguousarray(v, dtype=np.float64)
        run = compiled(_scan_share.of(type(dictionary)), (dictionary,))
        in_parallel(lambda k: run(dictionary, v, k, out), range(shares), dictionary.scan_cost)
        return out
    return np.asarray(ready(_scan, dictionary)(dictionary, v))


def scan_few(dictionary, v, index):
    """Those of the learners `index`, (len(index),)."""
    return np.asarray(ready(_correlations, dictionary)(dictionary, v, index))


class Compiled:
    """The same as `piece`, its kernels as loops have them: in plain Python a million samples take them a second."""

    def __init__(self, piece):
        self.piece = piece
        for act in (_column, _correlations, _dot, _add):
            setattr(self, act.__name__, partial(ready(act, piece), piece))

    def __getattr__(self, name):
        return getattr(self.piece, name)

    def gather(self, index):
        return Learners.gather(self, index) if type(self.piece).gather is Learners.gather else self.piece.gather(index)

    def combine(self, beta):
        return Learners.combine(self, beta) if type(self.piece).combine is Learners.combine else self.piece.combine(beta)

    def scan(self, v):
        return scan(self.piece, v)


@reduction
def inner_product(a, b):
    """The inner product of two vectors of one length."""
    total = 0.0
    for q in range(len(a)):
        total += a[q] * b[q]
    return total
