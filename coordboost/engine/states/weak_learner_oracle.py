"""The model state for implicit dictionaries: another one, but the winner comes from a search, which is called from Python."""

import numpy as np

from coordboost._numba import verb
from coordboost.engine.states.accelerated import AcceleratedState
from coordboost.engine.states.base import ModelState
from coordboost.engine.states.naive import NaiveState
from coordboost.engine.states.perturbed import PerturbedState
from coordboost.engine.states.python_learners import Along
from coordboost.learners.dense import Dense
from coordboost.rules.coefficients import Single, TwoSequences
from coordboost.rules.steps import fitted

tempered = verb("tempered")
sought = verb("sought")
write_curvature = verb("write_curvature")
move = verb("move")
price = verb("price")
coefficient = verb("coefficient")


class WeakLearnerState(Along, ModelState):
    """The model state `inner` over a bank, to which every step may add the learner that was found. *Cost* of a step: one search.

    The bank is Python; it has the learner of a step at hand, and whatever moves along that is compiled.
    """

    carries = (Single, TwoSequences)
    foresees = True
    countable = False
    searches = 1
    perturbs = True

    def __init__(self, inner):
        self.bank, own = inner.dictionary, inner.dictionary.hand
        self.hand = Dense(np.empty((1, len(inner.pred)))) if own is None else own
        super().__init__(inner, self.hand, self._copied if own is None else self.bank.see)
        self.target, self.renew = sought(inner), inner.renew

    @classmethod
    def start(cls, problem, coefficients, noise=None):
        """The model state at beta = 0."""
        plain = coefficients.plain
        inner = NaiveState.start(problem) if plain else AcceleratedState.start(problem, coefficients)
        return cls(inner if noise is None else PerturbedState.around(inner, noise))

    def room(self, problem, n):
        """The same with room for `n` more learners in the bank."""
        self.bank.room(n)
        return self

    def _copied(self, j):
        """Have a copy of column j at hand."""
        self.hand.rows[0] = self.bank.column(j)

    @property
    def best_rows(self):
        """That of the inner one."""
        return self.inner.best_rows

    @property
    def remark(self):
        """That of the inner one."""
        return self.inner.remark

    def slow_down(self):
        self.inner.slow_down()

    def sought(self):
        """What learners are sought for."""
        return self.target

    def tempered(self, k, j, corr):
        """The length of the learner that was found, with the noise of its leaves."""
        return tempered(self.inner, k, j, corr) if self.perturbs else self.fitted(corr)

    def fitted(self, corr):
        """The length of the learner that was found."""
        return fitted(self.bank, corr)

    def best(self, step, beta):
        """The learner with the largest correlation that the search finds, and this."""
        self._measure()
        return self.bank.find(self.target)

    def best_in(self, step, beta, drawn, member, start):
        """The same among the learners of the groups drawn."""
        self._measure()
        return self.bank.find_in(self.target, drawn)

    def _measure(self):
        """Learners may depend on second derivatives."""
        if self.bank.measure is not None:
            self.bank.measure(lambda out: self._run(write_curvature, out))

    def scan(self):
        """How long the projections on the blocks are, where learners are fits of blocks."""
        return self.bank.scan(self.target)

    def taken(self, block, corr):
        """The fit of one block, and its correlation."""
        return self.bank.find_in(self.target, [block])

    def together(self, groups):
        """The fit of all columns of some blocks, and its correlation."""
        return self.bank.fit_together(self.target, groups)

    def least_risk(self, step, beta, drawn, select, k):
        """The learner of the families drawn whose step leads to the least risk, and its correlation."""
        self._measure()
        n = self.bank.n_learners

        def risk(j, f, corr):
            return self.after(j, move(step, k, self, j, corr, coefficient(beta, j) if j < n else 0.0)[1]) + price(select, f)

        return self.bank.least_risk(self.target, drawn, select.revisit, risk, select.less_risk)

    def reach(self, j):
        """The bound of the family of learner j, and the length of the learner."""
        return self.bank.reach(j)
