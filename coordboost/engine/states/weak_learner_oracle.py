"""The model state for implicit dictionaries: an inner model state whose winner comes from a search,
which is called from Python.
"""

from coordboost._numba import verb
from coordboost.engine.states.accelerated import AcceleratedState
from coordboost.engine.states.base import ModelState
from coordboost.engine.states.naive import NaiveState, over
from coordboost.engine.states.perturbed import PerturbedState
from coordboost.engine.states.python_learners import PythonLearners
from coordboost.rules.coefficients import Single, TwoSequences
from coordboost.rules.steps import fitted, within_line

tempered = verb("tempered")
sought = verb("sought")
write_curvature = verb("write_curvature")
move = verb("move")
price = verb("price")
coefficient = verb("coefficient")
search_leaves = verb("search_leaves")


class WeakLearnerState(PythonLearners, ModelState):
    """The model state `inner` over a bank, to which every step may add the learner that was found.

    *Cost* of a step: one search.

    The bank, `learners`, is Python; it holds the learner of the step, and updates along this
    learner are compiled.
    """

    carries = (Single, TwoSequences)
    foresees = True
    countable = False
    searches = 1
    perturbs = True

    def __init__(self, inner):
        super().__init__(inner, inner.dictionary.current)

    @property
    def renew(self):
        """The value of the inner model state."""
        return self.inner.renew

    @classmethod
    def start(cls, problem, coefficients, noise=None):
        """The model state at beta = 0."""
        return cls(cls.inner_at_zero(problem, coefficients, noise))

    @staticmethod
    def inner_at_zero(problem, coefficients, noise=None, starts=None):
        """The inner model state at beta = 0; `starts` as in ``PerturbedState``."""
        plain = coefficients.plain
        inner = (
            NaiveState.start(problem) if plain else AcceleratedState.start(problem, coefficients)
        )
        return inner if noise is None else PerturbedState.around(inner, noise, starts)

    def interpret(self):
        """Make all further steps in plain Python."""
        self.on_single = over(self.inner, self.single)

    def room(self, problem, n):
        """Make room for `n` more learners in the bank; return the model state itself."""
        self.learners.room(n)
        return self

    def load(self, j):
        if self.learners.current is None:
            self.single.rows[0] = self.learners.column(j)
        else:
            self.learners.see(j)

    @property
    def best_rows(self):
        """The value of the inner model state."""
        return self.inner.best_rows

    @property
    def remark(self):
        """The value of the inner model state."""
        return self.inner.remark

    def slow_down(self):
        self.inner.slow_down()

    def sought(self):
        """The vector that is correlated with the learners."""
        return sought(self.inner)

    def tempered(self, k, j, corr):
        """The length of the learner that was found, with the noise of its leaves."""
        return tempered(self.inner, k, j, corr) if self.perturbs else self.fitted(corr)

    def fitted(self, corr):
        """The length of the learner that was found."""
        return fitted(self.learners, corr)

    def bounded(self, j, corr):
        """The length of the learner that was found, changed so that it raises the loss in no
        leaf.
        """
        if self._leafwise:
            return self._leaf_length(j, False)
        return within_line(self, j, corr) if corr != 0 else 0.0

    def minimised(self, j, corr):
        """The length that minimises the loss along the learner that was found.

        Each leaf of a tree has a step of its own.
        """
        if self._leafwise:
            return self._leaf_length(j, True)
        return self.search(j, 1, 0) if corr != 0 else 0.0

    @property
    def _leafwise(self):
        return self.learners.leafwise and hasattr(self.inner, "search_leaves")

    def _leaf_length(self, j, whole):
        leaf, steps = self.learners.leaf_steps(j)
        if search_leaves(self.on_single, leaf, steps, whole):
            return self.learners.take_leaf_steps(j, steps, whole)
        return self.learners.length

    def best(self, step, beta):
        """The learner with the largest absolute correlation that the search finds, and its
        correlation.
        """
        self._measure()
        return self.learners.find(self.sought())

    def best_in(self, step, beta, drawn, member, start):
        """As `best`, among the learners of the groups drawn."""
        self._measure()
        return self.learners.find_in(self.sought(), drawn)

    def _measure(self):
        """Give the second derivatives to the bank, if its learners depend on them."""
        if self.learners.measure is not None:
            self.learners.measure(lambda out: write_curvature(self.on_single, out))

    def scan(self):
        """If learners are fits of blocks: the root of the gain of each fit, without a penalty the
        length of the projection on the block.
        """
        return self.learners.scan(self.sought())

    def taken(self, block, corr):
        """The learner that fits one block, and its correlation."""
        return self.learners.find_in(self.sought(), [block])

    def together(self, groups):
        """The learner that fits all columns of some blocks, and its correlation."""
        return self.learners.fit_together(self.sought(), groups)

    def least_risk(self, step, beta, drawn, select, k):
        """The learner of the families drawn whose step leads to the least risk, and its
        correlation.
        """
        self._measure()
        n = self.learners.n_learners

        def risk(j, f, corr):
            return self.after(
                j, move(step, k, self, j, corr, coefficient(beta, j) if j < n else 0.0)[1]
            ) + price(select, f)

        return self.learners.least_risk(
            self.sought(), drawn, select.revisit, risk, select.less_risk
        )

    def reach(self, j):
        """The bound of the family of learner j, and the length of the learner in the scaling of its
        family.
        """
        return self.learners.reach(j)
