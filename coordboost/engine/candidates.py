"""Where the lookahead view for the squared loss gets its candidates and their Gram block."""

from typing import NamedTuple

import numpy as np

from coordboost._generic import compiled
from coordboost.engine.lookahead import (
    ANCHOR,
    FRESH,
    KEPT,
    LEARNER,
    OUTSIDE,
    SCANNED,
    START,
    UNIT,
    WANTED,
    WITH_Y,
    Lookahead,
)  # fmt: skip
from coordboost.engine.scan import choose


def products(columns, weight, known, gram):
    """Fill gram[i, j] = <columns[i], columns[j]>_weight where either index is not `known`, entry by entry: equal bits always."""
    for i in range(len(columns)):
        weighted = columns[i] * weight
        for j in range(i + 1):
            if not (known[i] and known[j]):
                gram[i, j] = np.dot(columns[j], weighted)
                gram[j, i] = gram[i, j]


class Candidates(NamedTuple):
    """What a scan chose: the learners, their columns (s, n_samples), their Gram matrix, and the view that steps on them."""

    learner: np.ndarray
    columns: np.ndarray
    gram: np.ndarray
    view: Lookahead


def look(problem, beta, n_candidates, previous=None):
    """Candidates at the coefficients `beta`: one scan, and the Gram entries that `previous` does not hold.

    A function of (problem, beta, n_candidates) alone, whatever came before.
    """
    scale = scale_of(problem)
    pred = problem.combine(beta) / scale
    y = problem.y / scale
    corr = problem.scan(problem.weight * (y - pred))
    tie = problem.tie / scale
    learner, outside = choose(corr, tie, n_candidates)
    columns, gram = _block(problem, learner, previous)
    s = len(learner)
    of, ids = np.zeros((7, s)), np.zeros((2, s), dtype=np.int64)
    of[START], of[SCANNED] = columns @ (problem.weight * y), corr[learner]
    ids[LEARNER] = learner
    sums, extra, state = np.zeros((2, 7)), np.zeros(2), np.zeros(5, dtype=np.int64)
    sums[0, [OUTSIDE, ANCHOR, KEPT]] = outside, problem.weight @ pred**2, 1.0
    extra[[WITH_Y, UNIT]] = problem.weight @ (y * pred), 1.0
    state[[FRESH, WANTED]] = 1, min(s, 32)
    error = 4 * problem.n_samples * float(np.finfo(float).eps)
    view = Lookahead(gram, np.empty(s * s), of, ids, sums, extra, state, tie, error, scale)
    return Candidates(learner, columns, gram, view)


def scale_of(problem):
    """A power of two near the norm of y, 1 for y = 0."""
    norm = problem.tie / (2 * problem.n_samples * np.finfo(float).eps)
    return float(np.ldexp(1.0, int(np.frexp(norm)[1]) - 1)) if norm > 0 else 1.0


def _block(problem, learner, previous):
    """Columns and Gram matrix of the learners, taking over what is known."""
    s = len(learner)
    known, at = np.zeros(s, dtype=bool), np.zeros(s, dtype=np.int64)
    gram, columns = np.empty((s, s)), np.empty((s, problem.n_samples))
    if previous is not None:
        at = np.minimum(np.searchsorted(previous.learner, learner), len(previous.learner) - 1)
        known = previous.learner[at] == learner
        gram[np.ix_(known, known)] = previous.gram[np.ix_(at[known], at[known])]
        columns[known] = previous.columns[at[known]]
    if not known.all():
        columns[~known] = problem.dictionary.gather(learner[~known]).T
    compiled(products, ())(columns, problem.weight, known, gram)
    return columns, gram
