"""Learners that are exact copies of an earlier learner, sign flips included."""

import numpy as np


def first_copies(dictionary):
    """For each learner the lowest index among its exact copies and the sign that relates them, int64 (n,) and (n,).

    *Cost*: one pass over the columns.
    """
    seen = {}
    n = dictionary.n_learners
    first, sign = np.arange(n), np.ones(n, dtype=np.int64)
    for j in range(n):
        column = np.asarray(dictionary.column(j)) + 0.0
        lead = np.flatnonzero(column)
        flip = -1 if lead.size and column[lead[0]] < 0 else 1
        key = (flip * column + 0.0).tobytes()
        first[j], leading_flip = seen.setdefault(key, (j, flip))
        sign[j] = flip * leading_flip
    return first, sign


def align(dictionary, gram, corr):
    """Give copies of a learner bitwise equal (or opposite) rows of `gram` and entries of `corr`, in place.

    A fast matrix product need not round equal columns equally; aligned, they tie exactly and the lowest index wins.
    """
    if gram.dtype == object:
        return
    first, sign = first_copies(dictionary)
    for j in np.flatnonzero(first != np.arange(len(first))):
        gram[j] = sign[j] * gram[first[j]]
        corr[j] = sign[j] * corr[first[j]]
    for j in np.flatnonzero(first != np.arange(len(first))):
        gram[:, j] = sign[j] * gram[:, first[j]]
