"""Implicit dictionaries.

Each run has a bank, which numbers the learners in the order in which a search finds them.

A *family* implements the search; it does not depend on a run. Its `find(v, k, above)` returns
hashable descriptions of up to k learners, the largest absolute correlations with v found above a
level; these correlations; and `outside`, a bound on the absolute correlation of every other learner
(``math.inf`` if the search proves none: there is then no certificate). `build(learner)` returns the
column.
"""

import math

import numpy as np

from coordboost._utils.checks import NEAR, shown
from coordboost.learners.base import Learners


class Bank(Learners):
    """The learners of a family found so far, numbered in the order in which they were found.

    Parameters
    ----------
    family : object with ``n_samples``, ``find`` and ``build``
    weight : (n_samples,)
        The metric in which columns have unit norm.

    Raises
    ------
    ValueError
        If `find` or `build` returns something invalid.
    """

    countable = False
    scan = None  # type: ignore[assignment]  # an implicit dictionary

    def __init__(self, family, weight):
        self.family, self.weight = family, weight
        self.learners = []
        self.number = {}
        self.columns = []

    @property
    def n_samples(self):
        return self.family.n_samples

    @property
    def n_learners(self):
        """Number of learners found so far."""
        return len(self.learners)

    def bank(self):
        """Return an independent bank with the same learners."""
        new = type(self)(self.family, self.weight)
        new.learners, new.number, new.columns = [*self.learners], {**self.number}, [*self.columns]
        return new

    def find(self, v):
        """Return the number and the correlation of the best learner that the search finds.

        The best one has the largest absolute correlation.
        """
        learners, corr, _ = self.search(v, 1, -1.0)
        if not len(learners):
            raise ValueError(
                f"{type(self.family).__name__}.find(v, 1, above=-1.0) must return a learner, "
                "got none."
            )
        j = self.number_of(learners[0])
        corr = float(corr[0])
        own = self.columns[j] @ v
        if abs(own - corr) > NEAR * (1 + abs(own)):
            raise ValueError(
                f"{type(self.family).__name__}.find gives the correlation {corr:.9g} for "
                f"{shown(learners[0])}, its column {own:.9g}."
            )
        return j, corr

    def room(self, n):
        """Return the bank itself: it grows on demand."""
        return self

    def forget(self, n):
        """Drop all but the first `n` learners."""
        for learner in self.learners[n:]:
            del self.number[learner]
        del self.learners[n:], self.columns[n:]

    def bound(self, v):
        """Return a bound on the absolute correlation of every learner, inf if unknown.

        The bank does not grow.
        """
        _, corr, outside = self.search(v, 1, -1.0)
        return max(float(np.abs(corr).max(initial=0.0)), outside)

    def search(self, v, k, above, stopped=None):
        """Return what `find` of the family gives, checked.

        It is at most `k` learners with correlations above a level, and a bound on all others. The
        bank does not grow.

        stopped : callable, whether to end early; a search of the family's own may ask
        """
        found = self.family.find(v, k, above)
        try:
            learners, corr, outside = found
            corr = np.asarray(corr, dtype=np.float64)
            outside = float(outside)
        except (TypeError, ValueError):
            learners = []
            corr = np.full(1, np.nan)
            outside = math.nan
        if (
            corr.shape != (len(learners),)
            or len(learners) > k
            or not np.isfinite(corr).all()
            or math.isnan(outside)
        ):
            raise ValueError(
                f"{type(self.family).__name__}.find must return (learners, correlations, outside): "
                f"at most {'one learner' if k == 1 else f'{k} learners'}, a finite correlation for "
                "each, and a bound (math.inf if "
                f"unknown); got {shown(found)}."
            )
        return learners, corr, outside

    def only(self, index):
        """Return an independent bank with the learners `index` alone."""
        new = type(self)(self.family, self.weight)
        new.learners = [self.learners[j] for j in index]
        new.number = {learner: j for j, learner in enumerate(new.learners)}
        new.columns = [self.columns[j] for j in index]
        return new

    def number_of(self, learner):
        """Return the number of a learner; a new one is built."""
        if learner not in self.number:
            column = np.ascontiguousarray(self.family.build(learner), dtype=np.float64)
            self._check(learner, column)
            self.number[learner] = len(self.learners)
            self.learners.append(learner)
            self.columns.append(column)
        return self.number[learner]

    def _check(self, learner, column):
        if column.shape != (self.n_samples,) or not np.isfinite(column).all():
            raise ValueError(
                f"{type(self.family).__name__}.build must return {self.n_samples} finite numbers, "
                f"also for {shown(learner)}."
            )
        norm = math.sqrt(self.weight @ column**2)
        if abs(norm - 1) > NEAR:
            raise ValueError(
                "learners must have unit norm (sum_i w_i B_ij^2 = 1, w the sample_weight); "
                f"{shown(learner)} has norm {norm:.12g}: divide by it."
            )

    def column(self, j):
        return self.columns[j]

    def correlations(self, v, index):
        return np.array([self.columns[j] @ v for j in index])

    def name(self, j):
        return self.family.name(self.learners[j])

    def at(self, X):
        """Return the same learners on new rows; the family must have ``at(X)``."""
        if self.family.at is None:
            raise ValueError(
                f"{type(self.family).__name__} has no method at(X) that returns the family on new "
                "rows: it cannot predict."
            )
        family = self.family.at(X)
        new = type(self)(family, np.ones(family.n_samples))
        new.learners, new.columns = (
            self.learners,
            [np.asarray(family.build(learner), float) for learner in self.learners],
        )
        return new
