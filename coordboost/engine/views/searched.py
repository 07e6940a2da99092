"""The view for learners that cannot be counted: another view, but the winner comes from a search."""

from typing import NamedTuple

import numpy as np

from coordboost._generic import generic, kernel
from coordboost._protocol import COEFFICIENTS, DICTIONARY, VIEW
from coordboost.engine.views.accelerated import Accelerated
from coordboost.engine.views.explicit import Explicit, over, perturb, stopped
from coordboost.engine.views.perturbed import Perturbed
from coordboost.pieces.coefficients import Single, TwoSequences
from coordboost.pieces.fitted import fitted


@kernel
def unmeasured(dictionary, view):
    """Learners that do not depend on second derivatives."""


@kernel
def as_it_was_found(inner, k, j, corr):
    """The length of the learner that was found."""
    return fitted(inner.dictionary, corr)


tempered = generic("tempered", as_it_was_found)
find = generic("find")
tempo = generic("tempo")
measure = generic("measure", unmeasured)
find_in = generic("find_in")
fit_together = generic("fit_together")
scan = generic("scan")
sought = generic("sought")
tie = generic("tie")
search = generic("search")
after_in = generic("after_in")
reach = generic("reach")
grow_drawn = generic("grow_drawn")
sifted = generic("sifted")
push = generic("push")


@VIEW.own
class Searched(NamedTuple):
    """The view `inner` over a bank, to which every step may add the learner that was found. *Cost* of a step: one search.

    looked : the array of the inner view that is correlated with the learners; a field, as a verb that returns it would have every array
        of a step counted
    """

    inner: object
    looked: np.ndarray
    carries = (Single, TwoSequences)
    foresees = True
    countable = False
    searches = 1
    perturbs = True

    @classmethod
    def start(cls, problem, coefficients, noise=None):
        """The view at beta = 0."""
        plain = COEFFICIENTS.of(coefficients, "plain")
        inner = Explicit.start(problem) if plain else Accelerated.start(problem, coefficients)
        inner = inner if noise is None else Perturbed.around(inner, noise)
        return cls(inner, sought(inner)).room(problem, 0)

    def room(self, problem, n):
        """The same with room for `n` more learners in the bank."""
        return self._replace(inner=over(self.inner, problem.dictionary.room(n)))

    @property
    def renew(self):
        """That of the inner view, where it has one."""
        return VIEW.of(self.inner, "renew")

    @property
    def pred(self):
        """The prediction of the model."""
        return self.inner.pred

    @property
    def best_rows(self):
        """That of the inner view."""
        return VIEW.of(self.inner, "best_rows")

    @property
    def remark(self):
        """That of the inner view."""
        return VIEW.of(self.inner, "remark")

    def stopped(self):
        return stopped(self.inner)

    def slow_down(self):
        self.inner.slow_down()

    def tempo(self):
        return tempo(self.inner)

    def perturb(self, k):
        perturb(self.inner, k)

    def tempered(self, k, j, corr):
        """The length of the learner that was found, with the noise of its leaves."""
        return tempered(self.inner, k, j, corr)

    def fitted(self, corr):
        """The length of the learner that was found."""
        return fitted(self.inner.dictionary, corr)

    def best(self, step, beta):
        """The learner with the largest correlation that the search finds, and this."""
        measure(self.inner.dictionary, self.inner)
        return find(self.inner.dictionary, self.looked)

    def best_in(self, step, beta, drawn, member, start):
        """The same among the learners of the groups drawn."""
        measure(self.inner.dictionary, self.inner)
        return find_in(self.inner.dictionary, self.looked, drawn)

    def sought(self):
        """What learners are sought for."""
        return self.looked

    def scan(self):
        """How long the projections on the blocks are, where learners are fits of blocks."""
        return scan(self.inner.dictionary, self.looked)

    def taken(self, block, corr):
        """The fit of one block, and its correlation."""
        return find_in(self.inner.dictionary, self.looked, np.full(1, block))

    def together(self, groups):
        """The fit of all columns of some blocks, and its correlation."""
        return fit_together(self.inner.dictionary, self.looked, groups)

    def crew(self, n_groups):
        """The context in which searches of so many groups (None: all) have several threads; None where one is enough."""
        own = DICTIONARY.of(self.inner.dictionary, "crew")
        return own and own(n_groups, self.looked, VIEW.of(self.inner, "refreshed"))

    def tie(self):
        return tie(self.inner)

    def search(self, j, a, b):
        return search(self.inner, j, a, b)

    def least_risk(self, step, beta, drawn, select, k):
        """The learner of the families drawn whose step leads to the least risk, and its correlation."""
        measure(self.inner.dictionary, self.inner)
        n_leaves = grow_drawn(self.inner.dictionary, self.looked, drawn)
        return sifted(self.inner.dictionary, self, self.looked, n_leaves, step, beta, drawn, select, k)

    def reach(self, j):
        """The bound of the family of learner j, and the length of the learner."""
        return reach(self.inner.dictionary, j)

    def after(self, j, theta):
        """The sum of the losses at pred + theta B_j."""
        return after_in(self.inner.dictionary, self.inner, j, theta)

    def push(self, j, shrink, theta):
        push(self.inner, j, shrink, theta)
