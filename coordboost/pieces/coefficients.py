r"""Stores of coefficients: what the rows of a path do to the model.

A row is (learner, shrink, theta). Every method records such rows; the store that a method chooses says what they mean for beta. Its
verbs are ``start(problem)``, the store at beta = 0; ``accumulate(j, shrink, theta)``, one row; ``coefficient(j)``, beta_j in the units of
theta; and ``beta(unit)``, the coefficients (n_learners,), `unit` being that of the step rule.
"""

from typing import NamedTuple

import numpy as np

from coordboost._protocol import COEFFICIENTS, DICTIONARY


@COEFFICIENTS.own
class Single(NamedTuple):
    """One sequence, moved as the row says: beta <- (1 - shrink) beta, then beta_j <- beta_j + unit theta.

    beta = unit * scale * values: a shrinkage of all coefficients costs one multiplication.
    """

    values: np.ndarray = np.zeros(0)
    scale: np.ndarray = np.ones(1)
    plain = True

    def start(self, problem):
        counted = DICTIONARY.of(problem.dictionary, "countable")
        return Single(np.zeros(problem.n_learners), np.ones(1)) if counted else Growing()

    def beta(self, unit):
        return unit * self.scale[0] * self.values

    def coefficient(self, j):
        return self.scale[0] * self.values[j]

    def accumulate(self, j, shrink, theta):
        if shrink == 1:
            for i in range(len(self.values)):
                self.values[i] = 0 * self.values[i]
            self.scale[0] = 1 + 0 * self.scale[0]
        elif shrink != 0:
            self.scale[0] = (1 - shrink) * self.scale[0]
            if self.scale[0] < 1e-100:
                for i in range(len(self.values)):
                    self.values[i] = self.scale[0] * self.values[i]
                self.scale[0] = 1 + 0 * self.scale[0]
        if theta != 0:
            self.values[j] += theta / self.scale[0]


class Growing:
    """As `Single`, by the number of a learner in its bank: room is made as learners come. Plain Python; beta has those used so far."""

    plain = True

    def __init__(self):
        self.kept, self.used = Single(np.zeros(8), np.ones(1)), 0

    def beta(self, unit):
        return self.kept.beta(unit)[: self.used]

    def coefficient(self, j):
        return self.kept.coefficient(j) if j < self.used else 0.0

    def accumulate(self, j, shrink, theta):
        if j >= len(self.kept.values):
            self.kept = self.kept._replace(values=np.concatenate([self.kept.values, np.zeros(j + 1)]))
        self.used = max(self.used, int(j) + 1)
        self.kept.accumulate(j, shrink, theta)


@COEFFICIENTS.own
class TwoSequences(NamedTuple):
    """Accelerated boosting: the model f and the momentum h, (n_learners,) each; beta is that of f.

    A row with shrink > 0 is f <- (1 - shrink) f + shrink h, then f_j += theta, and h_j += share theta / shrink; one with shrink = 0 is
    h_j += theta. *Cost* of a row: O(n_learners). *Source*: Lu et al., Algorithms 2 (share = 0) and 4 (share > 0).
    """

    share: float = 0.0
    f: np.ndarray = np.zeros(0)
    h: np.ndarray = np.zeros(0)
    sequences = 2

    def start(self, problem):
        return TwoSequences(self.share, np.zeros(problem.n_learners), np.zeros(problem.n_learners))

    def beta(self, unit):
        return unit * self.f

    def coefficient(self, j):
        return self.f[j]

    def accumulate(self, j, shrink, theta):
        if shrink == 0:
            self.h[j] += theta
        else:
            for i in range(len(self.f)):
                self.f[i] = (1 - shrink) * self.f[i] + shrink * self.h[i]
            self.f[j] += theta
            if self.share != 0:
                self.h[j] += self.share * theta / shrink


@COEFFICIENTS.own
class Refitted(NamedTuple):
    """Least squares on the learners of all rows with theta != 0. *Source*: forward stepwise, Freund et al., Section 1.

    theta is the move along the part of the new learner that is orthogonal to those before. Plain Python.
    """

    problem: object = None
    learners: object = ()

    def start(self, problem):
        return Refitted(problem, [])

    def beta(self, unit):
        problem, learners, beta = self.problem, list(self.learners), np.zeros(self.problem.n_learners)
        if learners:
            root = np.sqrt(problem.weight)
            beta[learners] = np.linalg.lstsq(root[:, None] * problem.gather(learners), root * problem.y)[0]
        return beta

    def coefficient(self, j):
        return 0.0

    def accumulate(self, j, shrink, theta):
        if theta != 0:
            self.learners.append(int(j))
