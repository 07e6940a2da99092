"""A view over a dictionary that is Python: its verbs are called, and all that follows from their arrays is compiled."""

import functools
import math
from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled, is_piece, kernel, verb
from coordboost.dictionaries.dense import Dense
from coordboost.engine.views.explicit import over, perturb, stopped
from coordboost.engine.views.gram_columns import STRIP, largest
from coordboost.pieces.selection import best_of, best_of_all
from coordboost.pieces.steps import tempered
from coordboost.screening.best import SIZE_BITS

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
    """The correlations that the dictionary gave: all of them, or those of the learners asked for."""

    corr: np.ndarray
    rounding: float

    def scan(self):
        return self.corr

    def correlations(self, index):
        return self.corr

    def tie(self):
        return self.rounding


@kernel
def reaching(corr, limit):
    """How many sizes are not below `limit`: vector code."""
    count = 0
    for p in range(len(corr)):
        count += abs(corr[p]) >= limit
    return count


def strongest_of_all(corr, tie):
    """The learner with the largest correlation; ties as in ``best_of_all``. One that is not finite, where one is not.

    All passes are vector code: where the place of a size is wanted, strips are looked through before the numbers in one of them.
    """
    bits = corr.view(np.int64)
    top, first = largest(bits), 0
    while largest(bits[first : first + STRIP]) < top:
        first += STRIP
    while (bits[first] & SIZE_BITS) < top:
        first += 1
    size, j = abs(corr[first]), 0
    if not size < math.inf:
        return first
    limit = size - min(tie, 0.5 * size)
    while reaching(corr[j : j + STRIP], limit) == 0:
        j += STRIP
    while abs(corr[j]) < limit:
        j += 1
    return j


def run_decide(view, step, beta, corr):
    """The verb `decide`, to be compiled."""
    return decide(view, step, beta, corr)


def run_search_pair(view, i, a, j, b):
    """The verb `search_pair`, to be compiled."""
    return search_pair(view, i, a, j, b)


def run_search(view, j, a, b):
    """The verb `search`, to be compiled."""
    return search(view, j, a, b)


def run_after(view, j, theta):
    """The verb `after`, to be compiled."""
    return after(view, j, theta)


def run_push(view, j, shrink, theta):
    """The verb `push`, to be compiled."""
    push(view, j, shrink, theta)


def run_perturb(view, k):
    """The verb `perturb`, to be compiled."""
    perturb(view, k)


def run_tempered(view, k, j, corr):
    """The verb `tempered`, to be compiled."""
    return tempered(view, k, j, corr)


def run_accumulate(beta, j, shrink, theta):
    """The verb `accumulate`, to be compiled."""
    accumulate(beta, j, shrink, theta)


class Kept:
    """The same as the store of coefficients `beta`, whose numbers it moves by compiled code."""

    def __init__(self, beta):
        self.beta = beta
        self.accumulate = functools.partial(compiled(run_accumulate, (beta,)) if is_piece(beta) else run_accumulate, beta)
        self.coefficient = beta.coefficient

    @property
    def values(self):
        return self.beta.values


class Called:
    """The same as `view`, whose numbers it moves; it goes with ``Kept`` coefficients.

    *Cost* of a step beside the verbs: one compiled pass over the correlations, one over the samples, and some calls.
    """

    def __init__(self, view):
        self.view, self.runs, self.at, self.row = view, {}, -1, np.empty((1, len(view.pred)))
        self.moved = over(view, Dense(self.row))  # of the learner at hand alone
        self.rounding, self.decides, self.perturbs = tie(view), view.decide, view.perturbs
        self.raw_scan = None if view.sought is None else view.dictionary.raw_scan

    def _run(self, function, *pieces):
        """`function`, compiled where its pieces can be."""
        if function not in self.runs:
            self.runs[function] = compiled(function, pieces) if all(map(is_piece, pieces)) else function
        return self.runs[function]

    def _seen(self, corr):
        return Seen(np.ascontiguousarray(corr), self.rounding)

    def _along(self, j):
        """The view with learner j alone."""
        if self.at != j:
            self.row[0] = self.view.dictionary.column(j)
            self.at = j
        return self.moved

    def tie(self):
        return self.rounding

    def tempo(self):
        return tempo(self.view)

    def stopped(self):
        return stopped(self.view)

    def perturb(self, k):
        if self.perturbs:
            self._run(run_perturb, self.moved)(self.moved, k)

    def tempered(self, k, j, corr):
        view = self._along(j)
        return self._run(run_tempered, view)(view, k, 0, corr)

    def correlations(self, index):
        return correlations(self.view, index)

    def turn(self):
        return turn(self.view)

    def best(self, step, beta):
        """The winner among all learners."""
        if self.decides is not None:
            return self._decided(step, beta)
        if step.score is None:
            return self._strongest()
        seen = self._seen(scan(self.view))
        return self._run(best_of_all, seen, step, beta.beta)(seen, step, beta.beta)

    def _strongest(self):
        """The winner where the largest correlation wins: NaN and infinity are seen in the same pass."""
        corr = np.ascontiguousarray(scan(self.view) if self.raw_scan is None else self.raw_scan(self.view.sought()))
        j = self._run(strongest_of_all)(corr, self.rounding)
        top = corr[j]
        if self.raw_scan is not None and not math.isfinite(top):
            self.view.dictionary.finite("scan", corr)
        return j, top

    def best_among(self, step, beta, index):
        """The winner among the learners `index`."""
        seen = self._seen(correlations(self.view, index))
        return self._run(best_of, seen, step, beta.beta)(seen, step, beta.beta, index)

    def _decided(self, step, beta):
        """The learner of the next row, where the view says whose turn it is."""
        waiting = self.view.waiting()
        if waiting >= 0:
            return waiting, 0.0
        corr = np.ascontiguousarray(scan(self.view))
        return self._run(run_decide, self.moved, step, beta.beta)(self.moved, step, beta.beta, corr)

    def search_pair(self, i, a, j, b):
        columns = np.array([self.view.dictionary.column(i), self.view.dictionary.column(j)], dtype=np.float64)
        view = over(self.view, Dense(columns))
        return self._run(run_search_pair, view)(view, 0, a, 1, b)

    def search(self, j, a, b):
        view = self._along(j)
        return self._run(run_search, view)(view, 0, a, b)

    def after(self, j, theta):
        view = self._along(j)
        return self._run(run_after, view)(view, 0, theta)

    def push(self, j, shrink, theta):
        view = self._along(j)
        self._run(run_push, view)(view, 0, shrink, theta)
