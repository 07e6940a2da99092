"""Step rules of gradient boosting with shrinkage: a part of the learner as it was fitted, or of the line search along it."""

from typing import NamedTuple

from coordboost._checks import positive
from coordboost._generic import generic, kernel
from coordboost._protocol import STEP

search = generic("search")


@kernel
def length_of_given(view, corr):
    """The length of a learner that was not fitted."""
    return corr


fitted = generic("fitted", length_of_given)


@STEP.own
class Fitted(NamedTuple):
    """theta = rate * the length of the learner as it was fitted: shrinkage of gradient boosting.

    Learners that are given have no other length than their correlation; a tree with a ridge penalty or Newton's leaves has one.
    """

    rate: float

    def move(self, k, view, j, corr, beta_j):
        return 0, self.rate * fitted(view, corr)


@STEP.own
class DampedSearch(NamedTuple):
    """theta = rate * the step that minimises the loss along the learner: for any convex loss, smooth or not.

    *Source*: Friedman, Greedy function approximation: a gradient boosting machine, Algorithm 1 with the shrinkage of Section 5.
    """

    rate: float

    @property
    def ls_rate(self):
        return self.rate

    def bind(self, problem):
        positive("rate", self.rate, 2, "between 0 and 2")
        return self

    def move(self, k, view, j, corr, beta_j):
        return 0, self.rate * search(view, j, 1, 0)
