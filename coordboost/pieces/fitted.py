"""Step rules of gradient boosting: a part of the learner as it was fitted, with or without noise, or of the line search along it."""

from typing import NamedTuple

from coordboost._checks import not_negative, positive
from coordboost._numba import kernel, verb
from coordboost._numba.linesearch import NO_SEARCH
from coordboost.pieces.base import ANY_LOSS, StepRule, sigma_of

search = verb("search")


@kernel
def length_of_given(view, corr):
    """The length of a learner that was not fitted."""
    return corr


fitted = verb("fitted", length_of_given)


@kernel
def without_noise(view, k, j, corr):
    """The length of learner j as it was fitted."""
    return fitted(view, corr)


tempered = verb("tempered", without_noise)


class _Fitted(NamedTuple):
    rate: float


class Fitted(_Fitted, StepRule):
    """theta = rate * the length of the learner as it was fitted: shrinkage of gradient boosting.

    Learners that are given have no other length than their correlation; a tree with a ridge penalty or Newton's leaves has one.
    """

    def bind(self, problem):
        return Fitted(positive("rate", self.rate))

    def move(self, k, view, j, corr, beta_j):
        return 0, self.rate * fitted(view, corr)


class _DampedSearch(NamedTuple):
    rate: float


class DampedSearch(_DampedSearch, StepRule):
    """theta = rate * the step that minimises the loss along the learner: for any convex loss, smooth or not.

    *Source*: Friedman, Greedy function approximation: a gradient boosting machine, Algorithm 1 with the shrinkage of Section 5.
    """

    needs_convex = NO_SEARCH

    @property
    def ls_rate(self):
        return self.rate

    def bind(self, problem):
        positive("rate", self.rate, 2, "between 0 and 2")
        return self

    def move(self, k, view, j, corr, beta_j):
        return 0, self.rate * search(view, j, 1, 0)


class _Langevin(NamedTuple):
    rate: float
    shrink: float = 0.0


class Langevin(_Langevin, StepRule):
    """theta = rate * the length of the learner as it was fitted to the noised residual; all before shrinks by 1 - shrink.

    Without noise this is ``Fitted(rate)`` with shrinkage.
    """

    def bind(self, problem):
        positive("eps", self.rate)
        not_negative("gamma eps", self.shrink)
        if self.shrink >= 1:
            raise ValueError(
                f"gamma * eps must be below 1, got {self.shrink!r}: the model would be forgotten, or change its sign."
            )
        sigma_of(problem.loss, "Langevin boosting", ANY_LOSS)
        mu = problem.loss.mu or 0.0  # a curvature that the loss has everywhere
        if self.rate * mu + self.shrink >= 2:
            raise ValueError(
                f"eps * (gamma + mu) must be below 2, mu = {mu:g} the least curvature of the loss, got {self.rate * mu + self.shrink:g}: "
                "such steps are not stable. Take a smaller eps."
            )
        return self

    def move(self, k, view, j, corr, beta_j):
        return self.shrink, self.rate * tempered(view, k, j, corr)
