"""The step rule of learners that are fitted and have a length of their own."""

from typing import NamedTuple

from coordboost._generic import generic, kernel
from coordboost._protocol import STEP


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
