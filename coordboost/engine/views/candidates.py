"""Where the lookahead view for the squared loss gets its candidates and their Gram block."""

from typing import NamedTuple

import numpy as np

from coordboost._generic import compiled, record
from coordboost.engine.views.distance import level, scale_of
from coordboost.engine.views.lookahead import STRIP, Lookahead, strips
from coordboost.screening.best import top_learners
from coordboost.screening.columns import HeldColumns, grown
from coordboost.screening.inner_products import inner_product
from coordboost.screening.scan import LITTLE, in_parallel

#: A large Gram block is dealt out to so many tasks.
TASKS = 8
#: Columns of a Gram block whose products are taken together, and samples at a time: so many stay in the cache.
WIDTH, DEPTH = 64, 1024


def held_columns(problem, root=1.0):
    """A store for columns of candidates, each times `root`."""

    def fill(learners, out):
        np.multiply(problem.gather(learners).T, root, out=out)

    return HeldColumns(fill, problem.n_learners, problem.n_samples)


def entries(rows, slot, fresh, gram, first, stride):
    """Gram entries of the columns ``rows[slot]`` in the rows and columns `fresh`; the part of every stride-th task.

    *Numerics*: the order in which an entry is summed depends on the number of samples alone: whatever is computed with it, and on
    however many threads, the bits are the same.
    """
    n, m = rows.shape[1], len(fresh)
    sums = np.empty((m, WIDTH))
    for block in range(first * WIDTH, len(slot), stride * WIDTH):
        width = min(WIDTH, len(slot) - block)
        sums[:] = 0.0
        for top in range(0, n, DEPTH):
            bottom = min(n, top + DEPTH)
            for f in range(m):
                column = rows[slot[fresh[f]], top:bottom]
                for q in range(width):
                    sums[f, q] += inner_product(column, rows[slot[block + q], top:bottom])
        for f in range(m):
            for q in range(width):
                gram[fresh[f], block + q] = gram[block + q, fresh[f]] = sums[f, q]


class Columns:
    """Products of candidates from the columns of all that were candidates once, times the root of the weights."""

    def __init__(self, problem, target):
        root = np.sqrt(problem.weight)
        self.held, self.target = held_columns(problem, root), root * target

    def start(self, new):
        """The products of the learners `new` with the target."""
        return [np.dot(self.held.rows[k], self.target) for k in self.held.at(new)]

    def fill(self, learner, fresh, gram):
        """The Gram entries of the candidates `learner`, in the rows and columns `fresh` of `gram`."""
        slot, work, run = self.held.place[learner], len(fresh) * len(learner) * len(self.target), compiled(entries, ())
        tasks = TASKS if work > LITTLE else 1
        in_parallel(lambda first: run(self.held.rows, slot, fresh, gram, first, tasks), range(tasks), work)


class Counts:
    """The same for a dictionary that gives Gram entries without columns."""

    def __init__(self, problem, target):
        self.products, self.corr = problem.products, problem.scan(problem.weight * target)

    def start(self, new):
        return self.corr[new]

    def fill(self, learner, fresh, gram):
        s = len(learner)
        gram[fresh, :s] = self.products.cross(learner[fresh], learner)
        gram[:s, fresh] = gram[fresh, :s].T


class Places:
    """Where the candidates stand: who stays keeps its place, and its Gram entries, from scan to scan.

    learner, start : (s,), and their products with the target;  place : (n_learners,), -1 for the others;  gram : (>= s, >= s)
    source : where products come from, ``Columns`` or ``Counts``
    """

    def __init__(self, problem, target):
        self.source = (Columns if problem.products is None else Counts)(problem, target)
        self.learner, self.start = np.zeros(0, dtype=np.int64), np.zeros(0)
        self.place, self.gram = np.full(problem.n_learners, -1), np.empty((0, 0))
        self.fresh = 0

    def put(self, learner):
        """The candidates are now the learners `learner`, of which there are no fewer than before."""
        place, old, s = self.place[learner], len(self.learner), len(learner)
        new, free = learner[place < 0], np.ones(s, dtype=bool)
        free[place[place >= 0]] = False
        fresh = np.flatnonzero(free)
        self.place[self.learner[free[:old]]] = -1
        self.learner, self.start = grown(self.learner, (s,)), grown(self.start, (s,))
        self.learner[fresh], self.place[new] = new, fresh
        self.start[fresh] = self.source.start(new)
        if s > len(self.gram):
            self.gram = grown(self.gram, (2 * s, 2 * s))
        self.fresh = len(fresh)
        self.source.fill(self.learner, fresh, self.gram)


class Candidates(NamedTuple):
    """What a scan chose: the candidates at their places, and the view that steps on them."""

    places: Places
    view: Lookahead
    corr: np.ndarray  # of all learners, in the units of the view

    def price(self, prices, gained):
        """What the scan and the `gained` steps since have cost, in multiplications."""
        state, size, fresh = self.view.state, len(self.places.learner), self.places.fresh
        moving = gained * (2 * state.front + 120) + 2 * state.regroups * state.front**2
        return prices.candidates(size, fresh, fresh * size) + moving


def gram_candidates(problem, beta, n_candidates, previous=None):
    """Candidates at the coefficients `beta`: one scan, and the Gram entries that `previous` does not hold (it is used up).

    Which they are, and all steps on them, depend on (problem, beta, n_candidates) alone, whatever came before.
    """
    scale = scale_of(problem)
    pred = problem.combine(beta) / scale
    y = problem.y / scale
    corr = problem.scan(problem.weight * (y - pred))
    tie = problem.tie / scale
    learner, outside = top_learners(corr, tie, n_candidates)
    s, known = len(learner), previous is not None and len(previous.places.learner) <= len(learner)
    places = previous.places if known else Places(problem, y)
    places.put(learner)
    width = STRIP * strips(s)
    outer, inner = level(outside, problem.weight @ pred**2), level(-np.inf, 0.0)
    state = record(
        with_y=float(problem.weight @ (y * pred)), unit=1.0, front=0, winner=0, fresh=1, wanted=min(s, 32), regroups=0
    )
    view = Lookahead(
        places.gram, np.empty(s * width), places.start.copy(), corr[places.learner], np.zeros(s), np.zeros(s), places.learner.copy(),
        places.place[learner], np.zeros(s, dtype=np.int64), np.zeros(s), np.zeros(s), np.zeros(width), np.zeros(strips(s)),
        outer, inner, state, tie, 4 * problem.n_samples * float(np.finfo(float).eps), scale,
    )  # fmt: skip
    return Candidates(places, view, corr)
