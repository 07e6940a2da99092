"""Cases for the theorems: problems of various shapes, runs on them, and sabotages of statements of
the package.
"""

import functools
from dataclasses import dataclass, replace

import numpy as np

import coordboost as cb
from coordboost.theory import bounds


def _gaussian(n, p, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X[:, : min(5, p)].sum(axis=1) + 2 * rng.normal(size=n)


def _deficient():
    """40 x 13 with a copy of a column, a negated copy, and a combination of three columns."""
    X, y = _gaussian(40, 13, 2)
    X[:, 10], X[:, 11], X[:, 12] = X[:, 0], -X[:, 1], X[:, 2] + X[:, 3] - 2 * X[:, 4]
    return X, y


def _correlated():
    rng = np.random.default_rng(3)
    X = np.sqrt(0.9) * rng.normal(size=(50, 1)) + np.sqrt(0.1) * rng.normal(size=(50, 12))
    return X, X[:, :4].sum(axis=1) + rng.normal(size=50)


def _diabetes():
    from sklearn.datasets import load_diabetes

    return load_diabetes(return_X_y=True)


DATA = {
    "60 x 20": functools.partial(_gaussian, 60, 20, 0),
    "30 x 80": functools.partial(_gaussian, 30, 80, 1),
    "rank-deficient": _deficient,
    "correlated": _correlated,
    "diabetes": _diabetes,
    "40 x 10": functools.partial(_gaussian, 40, 10, 3),
}


@functools.cache
def problem(name):
    """Return the problem of an entry of ``DATA``, with columns centred and of unit norm."""
    return cb.Problem(*DATA[name]())


def as_it_is(X, y, **options):
    """Return a problem of columns that already have unit norm; they are not centred."""
    return cb.Problem(
        np.asarray(X, dtype=float), np.asarray(y, dtype=float), center=False, scale=False, **options
    )


@functools.cache
def identity(p=4):
    """Return the problem of B = I, y = 1: LS-Boost contracts as slowly there as the sharper theorem
    allows.
    """
    return as_it_is(np.eye(p), np.ones(p))


@functools.cache
def size(name):
    """Return A, the norm of the part of y that the columns can explain."""
    return bounds.Constants.of(problem(name)).size


@dataclass(frozen=True, eq=False)
class Lab:
    """A run, with the quantities measured along it (computed once)."""

    run: cb.engine.Run

    @functools.cached_property
    def trail(self):
        """The ``bounds.Trail`` of the run."""
        return bounds.Trail.of(self.run)

    @property
    def problem(self):
        """The problem that was run."""
        return self.run.problem


def lab(data, method, n_steps=3000):
    """Return a function that runs ``method(A)``, or a method, on a problem or an entry of
    ``DATA``.
    """

    def make():
        instance = problem(data) if isinstance(data, str) else data
        chosen = (
            method
            if isinstance(method, cb.rules.Method)
            else method(bounds.Constants.of(instance).size)
        )
        return Lab(cb.solve(instance, chosen, n_steps))

    return make


def tampered(theorem, variant="printed", **changes):
    """Return a sabotage: the check of a statement of the package on a trail with ``changes``, field
    -> function of the trail.
    """

    def wrong(case):
        if not isinstance(case, Lab) or variant not in theorem.variants(case.run):
            return None
        changed = {field: change(case.trail) for field, change in changes.items()}
        return theorem.compare(replace(case.trail, **changed), variant)

    return wrong
