"""Families and coefficient rules: a correct one of each in plain Python, and for every tested
property one that violates it.
"""

import numpy as np
from broken_pieces import COUNT, B

import coordboost as cb
from coordboost.testing import learners, rules


class Listed(cb.learners.LearnerFamily):
    """A matrix of unit columns (n_samples, n_learners) as a family; the search is exhaustive, so
    its bounds are exact.
    """

    def __init__(self, columns):
        self.columns = columns
        self.n_samples = len(columns)

    def find(self, v, k, above):
        corr = v @ self.columns
        order = np.argsort(-np.abs(corr), kind="stable")
        found = [int(j) for j in order[:k] if abs(corr[j]) > above]
        return found, corr[found], max((abs(corr[j]) for j in order[len(found) :]), default=0.0)

    def build(self, learner):
        return self.columns[:, learner]


class Sums(cb.rules.CoefficientRule):
    """A correct coefficient rule: what it declares holds."""

    plain = True

    def start(self, problem):
        new = type(self)()
        new.values = np.zeros(problem.n_learners)
        return new

    def accumulate(self, j, shrink, theta):
        self.values *= 1 - shrink
        self.values[j] += theta

    def coefficient(self, j):
        return self.values[j]

    def beta(self, unit):
        return unit * self.values


class Shared(Sums):
    """Wrong: all instances share one array."""

    kept = np.zeros(12)

    def start(self, problem):
        new = Shared()
        new.values = self.kept
        new.values[:] = 0.0
        return new


class Read(Sums):
    """Wrong: reading changes the coefficients."""

    def coefficient(self, j):
        self.values[j] *= 1 + 1e-9
        return self.values[j]


class Late(Sums):
    """Wrong: every second instance, beginning with the first, loses its first row."""

    rows = 0

    def start(self, problem):
        new = super().start(problem)
        Late.rows += 1
        new.lost = Late.rows % 2
        return new

    def accumulate(self, j, shrink, theta):
        if self.lost:
            self.lost = 0
        else:
            super().accumulate(j, shrink, theta)


def store(**changes):
    return type("Broken", (Sums,), changes)()


def listed(**changes):
    return type("Broken", (Listed,), changes)(B)


def found(change):
    """Return a family whose search results are altered by `change`."""
    return listed(find=lambda self, v, k, above: change(*Listed.find(self, v, k, above)))


OTHERS = {
    rules.it_starts_at_0: store(beta=lambda self, unit: unit * self.values + 1e-300),
    rules.stores_share_nothing: Shared(),
    rules.coefficients_are_functions_of_the_rows: Read(),
    rules.coefficient_is_that_of_beta: store(
        beta=lambda self, unit: 2 * unit * self.values, plain=False
    ),
    rules.a_plain_row_is_the_whole_update: store(
        accumulate=lambda self, j, shrink, theta: np.add.at(self.values, j, theta)
    ),
    rules.a_run_is_its_rows: Late(),
    learners.find_gives_up_to_k_learners: listed(
        find=lambda self, v, k, above: Listed.find(self, v, k + 1, above)
    ),
    learners.nothing_is_found_at_or_below_the_level: listed(
        find=lambda self, v, k, above: Listed.find(self, v, k, 0.0)
    ),
    learners.learners_are_unit_columns: listed(build=lambda self, j: 1.001 * self.columns[:, j]),
    learners.correlations_are_those_of_the_columns: found(
        lambda ids, corr, outside: (ids, np.abs(corr), outside)
    ),
    learners.outside_bounds_all_others: found(
        lambda ids, corr, outside: (ids, corr, 0.9 * outside)
    ),
    learners.searches_are_functions: found(
        lambda ids, corr, outside: (ids, corr, outside + COUNT())
    ),
}
