"""Upper ends by local search on the sphere: the second-moment angle, and norms that are too large to be written down.

The square of the norm is the largest of many quadratic forms: (<w, C'c>)^2 over the extreme points w of the dual ball, or
c' C diag(w) C' c over the extreme weights w for the second moment. Few of them matter near a minimiser: a pool of them grows while the
smallest largest form over the sphere is sought.
"""

import numpy as np
import scipy.optimize

_ROUNDS = 30


def best_reached(learners, starts):
    """The best direction (rank,) reached from the rows of `starts` (N, rank). *Cost*: a few small programs per start."""
    return min((_from(learners, start) for start in starts), key=learners.cosine)


def _from(learners, start):
    best = c = start / np.linalg.norm(start)
    pool = []
    for _ in range(_ROUNDS):
        pool.append(_form(learners, c))
        promised, c = _smallest_largest(np.array(pool), c)
        best = min(best, c, key=learners.cosine)
        if learners.cosine(c) ** 2 <= promised * (1 + 1e-10):
            break
    return best


def _form(learners, c):
    """The quadratic form (rank, rank) that is the square of the norm near c."""
    if learners.norm is learners.greedy:
        slope = learners.slopes(c[None])[0]
        return np.outer(slope, slope)
    weights = learners.greedy.subgradients(((c @ learners.columns) ** 2)[None])[0]
    return (learners.columns * weights) @ learners.columns.T


def _smallest_largest(forms, start):
    """Minimise the largest of c'Mc over the sphere, from `start`: the value and the unit vector."""

    def values(c):
        return np.einsum("i,kij,j->k", c, forms, c)

    first = np.append(start, values(start).max())
    limits = [
        {"type": "ineq", "fun": lambda x: x[-1] - values(x[:-1]), "jac": lambda x: _slopes(-2 * forms @ x[:-1], 1.0)},
        {"type": "eq", "fun": lambda x: x[:-1] @ x[:-1] - 1, "jac": lambda x: np.append(2 * x[:-1], 0.0)},
    ]
    toward = np.append(np.zeros(len(start)), 1.0)
    done = scipy.optimize.minimize(
        lambda x: x[-1],
        first,
        jac=lambda x: toward,
        constraints=limits,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 200},
    )
    c = done.x[:-1] / max(np.linalg.norm(done.x[:-1]), 1e-300)
    return (float(values(c).max()), c) if np.isfinite(c).all() else (float(first[-1]), start)


def _slopes(rows, last):
    return np.column_stack([rows, np.full(len(rows), last)])
