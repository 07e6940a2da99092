"""What the theorems are tried on: problems of every shape, runs on them, and the way from a statement of the package to a check."""

import functools
from dataclasses import dataclass, replace

import numpy as np

import coordboost as cb
from coordboost.theory import bounds
from verification.statement import of_package


def _gaussian(n, p, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X[:, : min(5, p)].sum(axis=1) + 2 * rng.normal(size=n)


def _deficient():
    """40 x 13: a copy of a column, a copy with the other sign, and a combination of three."""
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
    """The problem of one of ``DATA``, columns centred and of unit norm."""
    return cb.Problem(*DATA[name]())


def as_it_is(X, y, **options):
    """A problem of columns that have unit norm already and are not centred."""
    return cb.Problem(np.asarray(X, dtype=float), np.asarray(y, dtype=float), center=False, scale=False, **options)


@functools.cache
def identity(p=4):
    """The identity and a vector of ones: the contraction of LS-Boost is as slow as the sharper theorem allows."""
    return as_it_is(np.eye(p), np.ones(p))


@functools.cache
def size(name):
    """A, the part of y that the columns can explain."""
    return bounds.Constants.of(problem(name)).size


@dataclass(frozen=True, eq=False)
class Lab:
    """A run, and what is measured along it (once)."""

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
    """A function that runs ``method(A)``, or a method, on a problem or one of ``DATA``."""

    def make():
        given = problem(data) if isinstance(data, str) else data
        chosen = method if isinstance(method, cb.rules.Method) else method(bounds.Constants.of(given).size)
        return Lab(cb.solve(given, chosen, n_steps))

    return make


def tampered(name, variant="printed", **changes):
    """A sabotage: the statement checked on a trail in which ``changes`` (field -> function of the trail) were made."""
    one = of_package(name, variant)

    def wrong(case):
        if not isinstance(case, Lab) or not one.applies(case.run):
            return None
        return one.check(replace(case.trail, **{field: change(case.trail) for field, change in changes.items()}))

    return wrong


def other_constants(**changes):
    """A change of ``constants`` for `tampered`: factors of its fields."""
    return lambda trail: trail.constants._replace(
        **{key: factor * getattr(trail.constants, key) for key, factor in changes.items()}
    )
