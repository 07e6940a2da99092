"""Scans called from Python, compiled or in parallel.

They are bit for bit the same for any number of threads.

``Compiled`` makes the other kernels of a piece callable from Python in compiled form. In inner
products, too, the order of summation depends on the number of terms only.
"""

from functools import partial

import numpy as np

from coordboost._numba import compiled, is_piece, ready, reduction, verb
from coordboost._numba.threads import in_order
from coordboost.learners.base import Learners

#: Learners in a block of a scan of a stored matrix. It decides the rounding, so it is the same on
#: every machine.
BLOCK = 2048
#: With fewer stored entries than this, one thread does all the work.
LITTLE = 1 << 22

_scan = verb("scan")
_scan_share = verb("scan_share")
_column, _correlations, _dot, _add = (
    verb(name) for name in ("column", "correlations", "dot", "add")
)


def in_parallel(task, inputs, entries):
    """Return ``task(input)`` for all inputs, in order; on threads if there are many `entries`.

    `task` must release the GIL.
    """
    return list(in_order(task, inputs) if entries > LITTLE else map(task, inputs))


def scan(dictionary, v):
    """Return all correlations <B_j, v>, (n_learners,).

    *Cost*: one pass over the dictionary. Call it with BLAS on one thread.
    """
    rows = dictionary.rows
    if rows is not None:
        n = len(rows)
        if n <= BLOCK:
            return np.dot(rows, v)
        return np.concatenate(
            in_parallel(
                lambda first: np.dot(rows[first : first + BLOCK], v), range(0, n, BLOCK), rows.size
            )
        )
    shares = dictionary.shares
    if shares is not None and is_piece(dictionary):
        corr = np.empty(dictionary.n_learners)
        v = np.ascontiguousarray(v, dtype=np.float64)
        run = compiled(_scan_share.of(type(dictionary)), (dictionary,))
        in_parallel(lambda k: run(dictionary, v, k, corr), range(shares), dictionary.scan_cost)
        return corr
    return np.asarray(ready(_scan, dictionary)(dictionary, v))


def scan_few(dictionary, v, index):
    """Return the correlations of the learners `index`, (len(index),)."""
    return np.asarray(ready(_correlations, dictionary)(dictionary, v, index))


class Compiled:
    """A wrapper of `piece` with compiled kernels.

    Interpreted ones take about a second for a million samples.
    """

    def __init__(self, piece):
        self.piece = piece
        for act in (_column, _correlations, _dot, _add):
            setattr(self, act.__name__, partial(ready(act, piece), piece))

    def __getattr__(self, name):
        return getattr(self.piece, name)

    def gather(self, index):
        return (
            Learners.gather(self, index)
            if type(self.piece).gather is Learners.gather
            else self.piece.gather(index)
        )

    def combine(self, beta):
        return (
            Learners.combine(self, beta)
            if type(self.piece).combine is Learners.combine
            else self.piece.combine(beta)
        )

    def scan(self, v):
        return scan(self.piece, v)


@reduction
def inner_product(a, b):
    """Return the inner product of two vectors of equal length."""
    total = 0.0
    for q in range(len(a)):
        total += a[q] * b[q]
    return total
