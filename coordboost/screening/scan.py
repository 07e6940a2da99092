"""A scan called from Python: compiled or in parallel, with the same bits however many threads there are."""

import numpy as np

from coordboost._numba import compiled, is_piece, verb
from coordboost._numba.threads import in_order

#: A stored matrix is scanned in blocks of this many learners, a number that decides the rounding and never changes with the machine.
BLOCK = 2048
#: Work on fewer stored entries is not worth a hand-over to other threads.
LITTLE = 1 << 22

_scan = verb("scan")
_scan_share = verb("scan_share")
_correlations = verb("correlations")


def _run(dictionary, v):
    return _scan(dictionary, v)


def _run_few(dictionary, v, index):
    return _correlations(dictionary, v, index)


def _run_share(dictionary, v, k, out):
    _scan_share(dictionary, v, k, out)


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
        run = compiled(_run_share, (dictionary,))
        in_parallel(lambda k: run(dictionary, v, k, out), range(shares), dictionary.scan_cost)
        return out
    run = compiled(_run, (dictionary,)) if is_piece(dictionary) else _run
    return np.asarray(run(dictionary, v))


def scan_few(dictionary, v, index):
    """Those of the learners `index`, (len(index),)."""
    run = compiled(_run_few, (dictionary,)) if is_piece(dictionary) else _run_few
    return np.asarray(run(dictionary, v, index))
