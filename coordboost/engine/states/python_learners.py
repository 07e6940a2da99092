"""A model state over learners written in Python: their verbs are called from Python, and the work
on the resulting arrays is compiled.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled, is_piece, ready, verb
from coordboost.engine.states.naive import over, perturb, stopped
from coordboost.learners.dense import Dense
from coordboost.rules.selection import best_of, best_of_all
from coordboost.rules.steps import tempered

scan = verb("scan")
correlations = verb("correlations")
tie = verb("tie")
tempo = verb("tempo")
search = verb("search")
after = verb("after")
push = verb("push")
turn = verb("turn")
decide = verb("decide")
search_pair = verb("search_pair")
accumulate = verb("accumulate")


class Seen(NamedTuple):
    """Correlations that the dictionary has computed, of all learners or of some, as a model state
    for compiled selection.
    """

    corr: np.ndarray
    rounding: float

    def scan(self):
        return self.corr

    def correlations(self, index):
        return self.corr

    def tie(self):
        return self.rounding


class Kept:
    """The store of coefficients `beta`, for calls from plain Python: `accumulate` is compiled."""

    def __init__(self, beta):
        self.beta = beta
        self.accumulate = partial(ready(accumulate, beta), beta)
        self.coefficient = beta.coefficient

    @property
    def values(self):
        return self.beta.values


class Along:
    """The model state `inner` over learners written in Python.

    The present one is in `hand`; steps along it are compiled if possible.

    hand : a dictionary whose only learner is the present one; see : see(j) makes learner j the
    present one
    """

    def __init__(self, inner, hand, see):
        self.inner = inner
        self.see = see
        self.compile = True
        self.runs = {}
        self.moved = over(inner, hand)
        self.pred = inner.pred
        self.perturbs = inner.perturbs
        self.tempo = partial(tempo, inner)
        self.stopped = partial(stopped.of(type(inner)), inner)

    def _run(self, act, *args):
        """Call a verb of the model state over `hand`, compiled if possible."""
        if act not in self.runs:
            self.runs[act] = ready(act, self.moved) if self.compile else act
        return self.runs[act](self.moved, *args)

    def tie(self):
        return tie(self.inner)

    def perturb(self, k):
        if self.perturbs:
            self._run(perturb, k)

    def search(self, j, a, b):
        self.see(j)
        return self._run(search, 0, float(a), float(b))

    def after(self, j, theta):
        """The sum of the losses at pred + theta B_j."""
        self.see(j)
        return self._run(after, 0, float(theta))

    def push(self, j, shrink, theta):
        self.see(j)
        self._run(push, 0, float(shrink), float(theta))


class Called(Along):
    """The model state `inner` over countable learners written in Python.

    It needs ``Kept`` coefficients.

    *Cost* of a step besides the verbs: some passes over the correlations, a compiled one over the
    samples, and some calls.
    """

    def __init__(self, inner):
        self.learners = inner.dictionary
        self.row = np.empty((1, len(inner.pred)))
        self.at = -1
        super().__init__(inner, Dense(self.row), self._copied)
        self.rounding = tie(inner)

    def _copied(self, j):
        """Copy column j into `row`, the memory of the present learner."""
        if self.at != j:
            self.row[0], self.at = self.learners.column(j), j

    def _of(self, function, *pieces):
        """`function`, compiled if its pieces can be."""
        if function not in self.runs:
            self.runs[function] = (
                compiled(function, pieces) if all(map(is_piece, pieces)) else function
            )
        return self.runs[function]

    def tie(self):
        return self.rounding

    def tempered(self, k, j, corr):
        self.see(j)
        return self._run(tempered, k, 0, corr)

    def correlations(self, index):
        return correlations(self.inner, index)

    def turn(self):
        return turn(self.inner)

    def best(self, step, beta):
        """The winner among all learners."""
        if self.inner.decide is not None:
            return self._decided(step, beta)
        if step.score is None:
            return self._strongest()
        seen = Seen(np.ascontiguousarray(scan(self.inner)), self.rounding)
        return self._of(best_of_all, seen, step, beta.beta)(seen, step, beta.beta)

    def _strongest(self):
        """The winner by absolute correlation; ties as in ``best_of_all``."""
        corr = scan(self.inner)
        size = np.abs(corr)
        top = size.max()
        j = int(np.argmax(size >= top - min(self.rounding, top / 2)))
        return j, corr[j]

    def best_among(self, step, beta, index):
        """The winner among the learners `index`."""
        seen = Seen(np.ascontiguousarray(correlations(self.inner, index)), self.rounding)
        return self._of(best_of, seen, step, beta.beta)(seen, step, beta.beta, index)

    def _decided(self, step, beta):
        """The learner of the next row and its correlation, if the model state chooses the kind of
        the row.
        """
        waiting = self.inner.waiting()
        if waiting >= 0:
            return waiting, 0.0
        corr = np.ascontiguousarray(scan(self.inner))
        return self._of(decide.of(type(self.moved)), self.moved, step, beta.beta)(
            self.moved, step, beta.beta, corr
        )

    def search_pair(self, i, a, j, b):
        columns = np.array([self.learners.column(i), self.learners.column(j)], dtype=np.float64)
        state = over(self.inner, Dense(columns))
        return self._of(search_pair.of(type(state)), state)(state, 0, a, 1, b)
