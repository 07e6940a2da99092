r"""Stores of coefficients: how the rows of a path update the model.

A row is (learner, shrink, theta). Every method records such rows; its store defines how they change
beta. The verbs of a store are ``start(problem)``, the store at beta = 0;
``accumulate(j, shrink, theta)``, the update by one row; ``coefficient(j)``, beta_j in the units of
theta; and ``beta(unit)``, the coefficients (n_learners,), with the `unit` of the step rule.
``room(n)`` is the same store with room for n learners, for implicit dictionaries.
``follow(dictionary, unit)`` is a piece with ``accumulate`` and ``pred`` that applies the same rows
to predictions, for example on new samples.
"""

from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel, verb
from coordboost.rules.base import CoefficientRule

#: Values of `shrink` that mark the rows of accelerated boosting at which momentum restarts.
RESTART = -1.0
UNDO = -2.0
SLOWER = -3.0
#: Vertex weights up to this size are rounding, and are set to 0.
ZERO_WEIGHT = 1e-14

accumulate = verb("accumulate")
add = verb("add")
coefficient = verb("coefficient")


def able_to_grow(store, problem):
    """Return `store`, at beta = 0; in a ``Growing`` store if the dictionary of the problem is
    implicit.
    """
    return store if problem.dictionary.countable else Growing(store, np.zeros(1, dtype=np.int64))


def lengthened(values, n):
    """Return `values` padded with zeros to at least n entries.

    The length at least doubles, so that calls are few.
    """
    if len(values) >= n:
        return values
    more = max(n, 2 * len(values)) - len(values)
    return np.concatenate([values, np.zeros(more)])


@kernel
def shrink_all(store, shrink):
    """Multiply ``store.scale * store.values`` by 1 - shrink.

    A very small or very large scale is multiplied into the values. (Numba would count references to
    arrays that are passed, in every step.)
    """
    if shrink != 0:
        store.scale[0] = (1 - shrink) * store.scale[0]
        if not 1e-100 < store.scale[0] < 1e100:
            for i in range(len(store.values)):
                store.values[i] = store.scale[0] * store.values[i]
            store.scale[0] = 1 + 0 * store.scale[0]


@kernel
def mix_models(f, h, before, shrink):
    """Apply a row of ``TwoSequences`` that moves f, except its learner.

    `before` has length 0 if moves are never undone.
    """
    if shrink == UNDO:
        for i in range(len(before)):
            f[i] = before[i]
    for i in range(len(before)):
        before[i] = f[i]
    for i in range(len(f)):
        if shrink < 0:
            h[i] = f[i]
        else:
            f[i] = (1 - shrink) * f[i] + shrink * h[i]


@kernel
def part_of_h(share, slowed, shrink, theta):
    """Return the move of h in a row that moves f by theta.

    `slowed` counts the rows ``SLOWER`` so far.
    """
    if shrink == SLOWER:
        slowed[0] += 1
    for _ in range(slowed[0]):
        share = share / 4
    return share * theta / (shrink if shrink > 0 else 1)


class OneModel(NamedTuple):
    """Predictions updated as by ``Single``, with the columns of `dictionary`.

    The update is pred <- (1 - shrink) pred + unit theta B_j.
    """

    dictionary: object
    unit: float
    pred: np.ndarray
    room = None

    def accumulate(self, j, shrink, theta):
        if shrink != 0:
            for i in range(len(self.pred)):
                self.pred[i] = (1 - shrink) * self.pred[i]
        if theta != 0:
            add(self.dictionary, j, self.unit * theta, self.pred)


class TwoModels(NamedTuple):
    """Predictions updated as by ``TwoSequences``: pred of f, h, and f before its last move."""

    dictionary: object
    unit: float
    share: float
    pred: np.ndarray
    h: np.ndarray
    before: np.ndarray
    slowed: np.ndarray
    room = None

    def accumulate(self, j, shrink, theta):
        if shrink == 0:
            add(self.dictionary, j, self.unit * theta, self.h)
        else:
            mix_models(self.pred, self.h, self.before, shrink)
            add(self.dictionary, j, self.unit * theta, self.pred)
            if self.share != 0:
                theta_of_h = part_of_h(self.share, self.slowed, shrink, theta)
                add(self.dictionary, j, self.unit * theta_of_h, self.h)


class _ScaledValues(NamedTuple):
    values: np.ndarray = np.zeros(0)
    scale: np.ndarray = np.ones(1)


class ScaledValues(_ScaledValues, CoefficientRule):
    """beta = unit * scale * values, so that shrinking all coefficients costs one multiplication."""

    def beta(self, unit):
        return unit * self.scale[0] * self.values

    def coefficient(self, j):
        return self.scale[0] * self.values[j]


class Single(ScaledValues):
    """One sequence of coefficients.

    The update is beta <- (1 - shrink) beta, then beta_j <- beta_j + unit theta.
    """

    plain = True

    def start(self, problem):
        return able_to_grow(Single(np.zeros(problem.n_learners), np.ones(1)), problem)

    def room(self, n):
        return self._replace(values=lengthened(self.values, n))

    def follow(self, dictionary, unit):
        return OneModel(dictionary, unit, np.zeros(dictionary.n_samples))

    def accumulate(self, j, shrink, theta):
        shrink_all(self, shrink)
        self.values[j] += theta / self.scale[0]


class Growing(NamedTuple):
    """A store that can grow; beta covers the learners found so far.

    `kept` is the store, indexed by the learner's number in the bank.
    """

    kept: object
    used: np.ndarray  # (1,)

    def room(self, n):
        return self._replace(kept=self.kept.room(n))

    def beta(self, unit):
        return self.kept.beta(unit)[: self.used[0]]

    def coefficient(self, j):
        return coefficient(self.kept, j)

    def accumulate(self, j, shrink, theta):
        self.used[0] = max(self.used[0], j + 1)
        accumulate(self.kept, j, shrink, theta)


class _TwoSequences(NamedTuple):
    share: float = 0.0
    f: np.ndarray = np.zeros(0)
    h: np.ndarray = np.zeros(0)
    before: np.ndarray = np.zeros(0)
    period: int = 0
    guard: int = 0
    correction: int = 1
    follow_angle: int = 0
    slowed: np.ndarray = np.zeros(1, dtype=np.int64)


class TwoSequences(_TwoSequences, CoefficientRule):
    """Accelerated boosting: the model f and the momentum h, (n_learners,) each; beta is that of f.

    ==================  ==========================================================================
    shrink of the row   update
    ==================  ==========================================================================
    above 0             f <- (1 - shrink) f + shrink h; f_j += theta, h_j += share theta / shrink
    0                   h_j += theta
    ``RESTART``         momentum restarts: h <- f, then f_j += theta
    ``UNDO``            the last move of f is undone, then as ``RESTART``
    ``SLOWER``          as ``RESTART``; from here on gamma, and the share, are a fourth
    ==================  ==========================================================================

    Momentum restarts after `period` rounds; 0 is never, -1 when the loss rises. With `guard` it
    also restarts when the loss exceeds the bound of the theorem. `correction` is the sign with
    which the unfitted part of the residual is added back. With `follow_angle` the worst cosine of
    the fits so far bounds gamma. `slowed` counts the rows ``SLOWER``. *Cost* of a row:
    O(n_learners). *Source*: Lu et al., Algorithms 2 (share = 0), 3 and 4 (share > 0).
    """

    sequences = 2

    def start(self, problem):
        n = problem.n_learners
        f = np.zeros(n)
        h = np.zeros(n)
        before = np.zeros(n if self.period < 0 else 0)
        slowed = np.zeros(1, dtype=np.int64)
        return able_to_grow(self._replace(f=f, h=h, before=before, slowed=slowed), problem)

    def room(self, n):
        before = lengthened(self.before, n if self.period < 0 else 0)
        return self._replace(f=lengthened(self.f, n), h=lengthened(self.h, n), before=before)

    def follow(self, dictionary, unit):
        n = dictionary.n_samples
        slowed = np.zeros(1, dtype=np.int64)
        before = np.zeros(n if self.period < 0 else 0)
        return TwoModels(dictionary, unit, self.share, np.zeros(n), np.zeros(n), before, slowed)

    def beta(self, unit):
        return unit * self.f

    def coefficient(self, j):
        return self.f[j]

    def accumulate(self, j, shrink, theta):
        if shrink == 0:
            self.h[j] += theta
            return
        mix_models(self.f, self.h, self.before, shrink)
        self.f[j] += theta
        if self.share != 0:
            self.h[j] += part_of_h(self.share, self.slowed, shrink, theta)


class Vertices(ScaledValues):
    """One sequence, updated as by ``Single``.

    A weight that away steps have used up is set to exactly 0.
    """

    corrective = True

    def start(self, problem):
        return Vertices(np.zeros(problem.n_learners), np.ones(1))

    def accumulate(self, j, shrink, theta):
        shrink_all(self, shrink)
        if theta != 0:
            before = self.values[j]
            self.values[j] = before + theta / self.scale[0]
            if abs(self.values[j] * self.scale[0]) <= ZERO_WEIGHT and before * theta < 0:
                self.values[j] = 0 * before


class _Refitted(NamedTuple):
    problem: object = None
    learners: object = ()


class Refitted(_Refitted, CoefficientRule):
    """Least squares on the learners of all rows with theta != 0.

    *Source*: forward stepwise, Freund et al., Section 1.

    theta is the move along the part of the new learner that is orthogonal to the learners before
    it. Plain Python.
    """

    knows_coefficient = False

    def start(self, problem):
        return Refitted(problem, [])

    def beta(self, unit):
        problem = self.problem
        learners = list(self.learners)
        beta = np.zeros(problem.n_learners)
        if learners:
            root = np.sqrt(problem.weight)
            columns = root[:, None] * problem.gather(learners)
            beta[learners] = np.linalg.lstsq(columns, root * problem.y)[0]
        return beta

    def coefficient(self, j):
        return 0.0

    def accumulate(self, j, shrink, theta):
        if theta != 0:
            self.learners.append(int(j))
