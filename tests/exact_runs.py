r"""The package's own loop on exact numbers, and the distance that rounding may put between two roads to the same iterates.

The pieces run on `fractions.Fraction` unchanged: dense rows of Fractions, a stand-in for the problem that holds what a view reads,
and the interpreted loop, one step at a time. Nothing is rounded, so the results are compared with ``==``.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import reference as ref
import reference_exact as exact

from coordboost.dictionaries import Dense
from coordboost.engine.loop import advance
from coordboost.engine.path import Path
from coordboost.engine.views.explicit import Explicit
from coordboost.pieces.coefficients import Single
from coordboost.pieces.losses import Squared
from coordboost.pieces.selection import Cyclic, Full, Groups

ROUNDOFF = np.finfo(float).eps / 2


class ExactProblem(NamedTuple):
    """What a view reads of a problem; without rounding only equal scores tie."""

    dictionary: object
    y: np.ndarray
    weight: np.ndarray
    loss: object = Squared()
    base: int = 0
    groups: object = None
    tie: int = 0

    def scan(self, v):
        return self.dictionary.scan(v)

    @property
    def n_samples(self):
        return self.dictionary.n_samples

    @property
    def n_learners(self):
        return self.dictionary.n_learners


def exact_problem(X, y, **fields):
    """The problem of the columns X and the target y, Fractions or the float64 numbers as they are stored."""
    y = exact.fractions(y)
    return ExactProblem(Dense(exact.fractions(X).T), y, y - y + 1, **fields)


def exactly(piece):
    """The same piece with Fractions for its float64 arrays and numbers."""
    if isinstance(piece, np.ndarray):
        return exact.fractions(piece) if piece.dtype == np.float64 else piece
    if isinstance(piece, float):
        return Fraction(piece) if np.isfinite(piece) else piece
    if not hasattr(piece, "_fields"):
        return piece
    return piece._replace(**{key: exactly(part) for key, part in piece._asdict().items()})


def candidates(select, drawn, n):
    """The learners that `select` looks at."""
    if isinstance(select, Full | Cyclic):
        return np.arange(n)
    if isinstance(select, Groups):
        return np.concatenate([select.member[select.start[g] : select.start[g + 1]] for g in drawn])
    return drawn


def exact_run(problem, select, step, n_steps, *, view=Explicit, drawn=None, coefficients=None):
    """Iterates, picks, shrinkages and increments of the package's loop, like those of ``reference.walk``.

    `drawn` (n_steps, width) holds the random draws. The step number is a Fraction where a rule may divide by it.
    """
    zero, n = problem.y[0] - problem.y[0], problem.n_learners
    state = view.start(problem) if coefficients is None else view.start(problem, coefficients)
    coefficients = Single(np.full(n, zero), np.full(1, zero + 1)) if coefficients is None else coefficients
    unit = getattr(step, "unit", 1)
    drawn = np.zeros((n_steps, 0), dtype=np.int64) if drawn is None else drawn
    number = int if isinstance(select, Cyclic) or hasattr(step, "horizon") else Fraction
    betas, parts = [coefficients.beta(unit).copy()], []
    for k in range(n_steps):
        part = Path.empty(1, object)
        advance(state, select, step, unit, coefficients, drawn[k : k + 1], number(k), part.learner, part.shrink, part.theta)
        betas.append(coefficients.beta(unit))
        parts.append(part)
    path = Path.join(parts)
    return ref.Walk(np.array(betas), list(path.learner), list(path.shrink), list(unit * path.theta))


def drift(n_steps, n_samples, size):
    """How far rounding can carry `n_steps` steps of a method whose numbers stay below `size`.

    A step computes a correlation of n_samples products and updates one coefficient and the residual: each number is off by at
    most (n_samples + 5) roundoffs of `size`. No step of the methods enlarges an error that is already there (its length is at
    most that of the exact line search, and a shrinkage contracts), but each later step adds its own to it and is itself off by
    all that came before: n_steps^2 in all.
    """
    return max(1, n_steps) ** 2 * (n_samples + 5) * ROUNDOFF * size
