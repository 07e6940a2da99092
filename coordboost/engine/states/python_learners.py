"""A model state over learners written in Python: their verbs are called from Python, and the work
on the resulting arrays is compiled.
"""

from functools import partial

import numpy as np

from coordboost._numba import CompiledVerbs, compiled, is_piece, verb
from coordboost.engine.states.naive import over, perturb, stopped
from coordboost.learners.dense import Dense
from coordboost.rules.selection import strongest, strongest_among
from coordboost.rules.steps import search_pair, tempered

scan = verb("scan")
correlations = verb("correlations")
tie = verb("tie")
tempo = verb("tempo")
search = verb("search")
after = verb("after")
push = verb("push")
turn = verb("turn")
decide = verb("decide")


class PythonLearners:
    """The model state `inner` over learners written in Python, for the loop in plain Python.

    Learners are searched by the verbs of `inner`, in Python. A step along one of them is compiled:
    it is made by the same model state over a dictionary that holds this learner alone.

    *Cost* of a step besides the verbs: some passes over the correlations, a compiled one over the
    samples, and some calls.

    inner : the model state over all learners
    learners : its dictionary
    single : a dictionary of one learner, the one of the step; the arrays of `inner` and of
        `on_single` are the same
    on_single : `inner` over `single`
    """

    def __init__(self, inner, single=None):
        self.inner = inner
        self.learners = inner.dictionary
        self.pred = inner.pred
        self.perturbs = inner.perturbs
        self.single = Dense(np.empty((1, len(inner.pred)))) if single is None else single
        self.on_single = CompiledVerbs(over(inner, self.single))
        self.loaded = -1
        self.tempo = partial(tempo, inner)
        self.stopped = partial(stopped.of(type(inner)), inner)

    def load(self, j):
        """Make learner j the one in `single`."""
        if self.loaded != j:
            self.single.rows[0] = self.learners.column(j)
            self.loaded = j

    def tie(self):
        return tie(self.inner)

    def perturb(self, k):
        if self.perturbs:
            perturb(self.on_single, k)

    def search(self, j, a, b):
        self.load(j)
        return search(self.on_single, 0, float(a), float(b))

    def after(self, j, theta):
        """The sum of the losses at pred + theta B_j."""
        self.load(j)
        return after(self.on_single, 0, float(theta))

    def push(self, j, shrink, theta):
        self.load(j)
        push(self.on_single, 0, float(shrink), float(theta))

    def tempered(self, k, j, corr):
        self.load(j)
        return tempered(self.on_single, k, 0, corr)

    def correlations(self, index):
        return correlations(self.inner, index)

    def turn(self):
        return turn(self.inner)

    def best(self, step, beta):
        """The winner among all learners."""
        waiting = -1 if self.inner.decide is None else self.inner.waiting()
        if waiting >= 0:
            return waiting, 0.0
        corr = np.ascontiguousarray(scan(self.inner))
        if self.inner.decide is not None:
            choose = decide.of(type(self.inner))
            return run_compiled(choose, self.on_single, step, beta, corr)
        if step.score is not None:
            return run_compiled(strongest, corr, self.tie(), step, beta)
        size = np.abs(corr)
        largest = size.max()
        j = int(np.argmax(size >= largest - min(self.tie(), largest / 2)))
        return j, corr[j]

    def best_among(self, step, beta, index):
        """The winner among the learners `index`."""
        corr = np.ascontiguousarray(correlations(self.inner, index))
        return run_compiled(strongest_among, corr, self.tie(), step, beta, index)

    def search_pair(self, i, a, j, b):
        columns = np.array([self.learners.column(i), self.learners.column(j)], dtype=np.float64)
        state = over(self.inner, Dense(columns))
        return run_compiled(search_pair.of(type(state)), state, 0, a, 1, b)


def run_compiled(function, *args):
    """Call `function`, compiled where all pieces among its arguments can be."""
    args = [arg.piece if isinstance(arg, CompiledVerbs) else arg for arg in args]
    pieces = [arg for arg in args if isinstance(arg, tuple)]
    return (compiled(function, pieces) if all(map(is_piece, pieces)) else function)(*args)
