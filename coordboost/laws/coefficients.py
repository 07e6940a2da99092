"""Laws of stores of coefficients: what a row does, what the store tells, and the replay of a run."""

from typing import NamedTuple

import numpy as np

from coordboost.laws.problems import methods_tried, small
from coordboost.laws.report import SKIPPED
from coordboost.method import Method
from coordboost.pieces.selection import Full
from coordboost.pieces.steps import Proportional
from coordboost.solving import solve


class StoreCase(NamedTuple):
    """The store as a method has it, a problem, and rows (learner, shrink, theta)."""

    store: object
    problem: object
    rows: list

    def after(self, n):
        """The store after the first n rows."""
        store = self.store.start(self.problem)
        for row in self.rows[:n]:
            store.accumulate(*row)
        return store

    def method(self):
        """A method that keeps its coefficients here, with the step that goes with such a store."""
        step = next((m.step for m in methods_tried() if type(m.coefficients) is type(self.store)), Proportional(0.5))
        return Method("checked", Full(), step, coefficients=self.store)


def case(store, y):
    """Rows of every kind: no shrinkage, some, all; and steps that do not move."""
    problem, rng = small(), np.random.default_rng(0)
    rows = [(int(j), float(s), float(t)) for j, s, t in zip(
        rng.integers(0, problem.n_learners, 24), rng.choice([0, 0, 0.25, 1], 24), rng.normal(size=24), strict=True)]  # fmt: skip
    return (StoreCase(store, problem, [*rows, (3, 0.0, 0.0)]),)


def it_starts_at_0(at):
    """(n_learners,) zeros."""
    beta = np.asarray(at.after(0).beta(2.0))
    if beta.shape != (at.problem.n_learners,) or beta.any():
        return f"start(problem).beta(unit) is {beta.tolist()}; it must be {at.problem.n_learners} zeros."
    return None


def stores_share_nothing(at):
    """Two runs with one method do not meet."""
    one, other = at.store.start(at.problem), at.store.start(at.problem)
    for row in at.rows:
        one.accumulate(*row)
    if np.asarray(other.beta(1.0)).any() or np.asarray(at.store.start(at.problem).beta(1.0)).any():
        return "rows of one store are seen in another; start(problem) must make arrays of its own."
    return None


def coefficients_are_functions_of_the_rows(at):
    """Bit for bit, and reading changes nothing."""
    one, other = at.after(0), at.after(len(at.rows))
    for row in at.rows:
        one.accumulate(*row)
        one.beta(1.0), one.coefficient(0)
    if not np.array_equal(one.beta(1.0), other.beta(1.0)):
        return "the same rows give other coefficients where beta and coefficient are read on the way; they must change nothing."
    return None


def coefficient_is_that_of_beta(at):
    """In units of theta, after every row."""
    if not at.store.told:
        return SKIPPED
    for n in range(len(at.rows) + 1):
        store = at.after(n)
        beta = np.asarray(store.beta(0.5))
        told = 0.5 * np.array([store.coefficient(j) for j in range(at.problem.n_learners)])
        if not np.abs(told - beta).max() <= 1e-12 * (1 + np.abs(beta).max()):
            return f"after row {n} unit times coefficient(j) is {told.tolist()}, beta(unit) is {beta.tolist()}."
    return None


def a_plain_row_is_the_whole_update(at):
    """beta <- (1 - shrink) beta, then beta_j <- beta_j + unit theta."""
    if not at.store.plain:
        return SKIPPED
    by_hand, store = np.zeros(at.problem.n_learners), at.after(0)
    for n, (j, shrink, theta) in enumerate(at.rows):
        store.accumulate(j, shrink, theta)
        by_hand *= 1 - shrink
        by_hand[j] += 3.0 * theta
        if not np.abs(np.asarray(store.beta(3.0)) - by_hand).max() <= 1e-12 * (1 + np.abs(by_hand).max()):
            return (
                f"after row {n}, ({j}, {shrink:g}, {theta:g}), beta is not that of the update by hand; declare plain = False."
            )
    return None


def a_run_is_its_rows(at):
    """The rows of a run, put into an empty store, give the coefficients of the run, and these its prediction."""
    run, method = solve(at.problem, at.method(), 8), at.method()
    store = at.store.start(at.problem)
    for row in zip(run.path.learner.tolist(), run.path.shrink.tolist(), run.path.theta.tolist(), strict=True):
        store.accumulate(*row)
    off = np.abs(np.asarray(store.beta(method.unit)) - run.beta).max()
    if not off <= 1e-9 * (1 + np.abs(run.beta).max()):
        return f"the rows of a run, put into an empty store, give coefficients that are {off:.3g} off those of the run."
    return None


LAWS = (
    it_starts_at_0, stores_share_nothing, coefficients_are_functions_of_the_rows, coefficient_is_that_of_beta,
    a_plain_row_is_the_whole_update, a_run_is_its_rows,
)  # fmt: skip
