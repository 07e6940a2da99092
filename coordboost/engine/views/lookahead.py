r"""The view that steps on a few candidates and knows when it may: exact lookahead for the squared loss.

With unit columns, by Cauchy and Schwarz, for every learner j and the residuals r_0 at the last scan and r now,

    abs(<B_j, r>) <= abs(<B_j, r_0>) + norm(r - r_0).

So while the best candidate beats ``outside`` (the largest abs correlation of the others at the last scan) plus the distance gone, it is
the best of all learners, provably, and no scan is needed. The same holds once more inside: the *front*, a few of the candidates,
against the other candidates. A step costs O(front), a new front O(candidates x front), a new scan O(n_samples x n_learners).

    all learners      scan         Python, one pass over the data
      candidates      correlations at the last scan, Gram block, sums of the distance since
        front         correlations now, small Gram block, sums of the distance since it was formed

How the distance is followed in O(1) a step stands in ``distance``; the proof with rounding in ``docs/lookahead.md``.
"""

from typing import NamedTuple

import numpy as np

from coordboost._generic import generic, kernel
from coordboost._protocol import VIEW
from coordboost.engine.views.distance import beats, follow, pred_square, restart
from coordboost.screening.best import SIZE_BITS, edge

regroup = generic("regroup")

# The front is moved and searched strip by strip: loops of a fixed length become straight vector code.
STRIP = 8


@kernel
def strips(w):
    """How many strips w entries fill."""
    return (w + STRIP - 1) // STRIP


@VIEW.own
class Lookahead(NamedTuple):
    """Candidates and front; correlations and predictions in units of `scale`, a power of two near the norm of y.

    gram : Gram matrix of the s candidates, (>= s, >= s);  block : that of the front, its rows one after the other, each filled up
    with zeros to whole strips, (s * STRIP * strips(s),)
    start, scanned, moved, recent : of the candidates, the correlations at beta = 0 and at the last scan, the coefficients moved since in
    units of ``state.unit``, and the correlations when the front was formed, (s,) each
    learner : the candidates, as they stand in all arrays;  order : their places by increasing learner. Sums over candidates, and ties, go
    by that order, so where a candidate stands does not matter, (s,) each
    front : the places of the front among the candidates, by increasing learner;  front_start, front_recent : their correlations at
    beta = 0 and when the front was formed: the first ``state.front`` entries count, (s,) each
    now : correlations of the front, filled up likewise, (STRIP * strips(s),);  tops : the largest size in each strip, (strips(s),)
    outer, inner : the distances from the last scan, and from where the front was formed (see ``distance``)
    state : with_y, <y, pred>;  unit : of `moved`;  front, winner : size of the front, and who won in it;  fresh : no step since the scan
    wanted : size of the next front;  regroups : fronts formed since the scan
    rounding : the tie of the problem;  error : relative rounding of an inner product
    """

    gram: np.ndarray
    block: np.ndarray
    start: np.ndarray
    scanned: np.ndarray
    moved: np.ndarray
    recent: np.ndarray
    learner: np.ndarray
    order: np.ndarray
    front: np.ndarray
    front_start: np.ndarray
    front_recent: np.ndarray
    now: np.ndarray
    tops: np.ndarray
    outer: np.record
    inner: np.record
    state: np.record
    rounding: float
    error: float
    scale: float
    quadratic = True
    greedy = True

    def tie(self):
        return self.rounding * self.scale

    def regroup(self):
        """Bring the correlations of all candidates up to date and form a new front of the ``state.wanted`` largest."""
        recent, now, state, outer, n = self.recent, self.now, self.state, self.outer, len(self.learner)
        kept = outer.kept
        for p in range(n):
            recent[p] = kept * self.scanned[p] + (1.0 - kept) * self.start[p]
        for r in range(n):
            i = self.order[r]
            change = state.unit * self.moved[i]
            if change != 0.0:
                for p in range(n):
                    recent[p] -= change * self.gram[i, p]
        bits = recent.view(np.int64)
        low, ties = edge(bits, min(state.wanted, n))
        w, outside = 0, -np.inf
        for r in range(n):
            i = self.order[r]
            size = bits[i] & SIZE_BITS
            if size > low or (size == low and ties > 0):
                ties -= size == low
                self.front[w], self.front_start[w], self.front_recent[w], now[w] = i, self.start[i], recent[i], recent[i]
                w += 1
            else:
                outside = max(outside, abs(recent[i]))
        width = STRIP * strips(w)
        for a in range(w):
            for b in range(w):
                self.block[a * width + b] = self.gram[self.front[a], self.front[b]]
            self.block[a * width + w : (a + 1) * width] = 0.0
        now[w:width] = 0.0
        for c in range(strips(w)):
            self.tops[c] = 0.0
            for q in range(c * STRIP, (c + 1) * STRIP):
                self.tops[c] = max(self.tops[c], abs(now[q]))
        restart(self.inner, outside, pred_square(outer))
        state.front = w
        state.regroups += 1

    def best(self, step, beta):
        """The winner among all learners, or (-1, 0) where only a scan can tell."""
        now, tops, state, outer, inner, n = self.now, self.tops, self.state, self.outer, self.inner, len(self.learner)
        while True:
            w = state.front
            top = 0.0
            for c in range(strips(w)):
                top = max(top, tops[c])
            certain = top - min(self.rounding, 0.5 * top)
            doubt = self.rounding + self.error * outer.length + 1e-15 * inner.steps
            if w > 0 and (w == n or beats(inner, certain, doubt)):
                break
            if w > 0 and inner.steps < 8 * w:
                state.wanted = min(n, state.wanted + state.wanted // 2 + 8)
            regroup(self)
        if state.fresh == 0 and not beats(outer, certain, doubt):
            return -1, 0.0
        first, local = 0, 0
        for c in range(strips(w) - 1, -1, -1):
            first = c if tops[c] >= certain else first
        part = now[first * STRIP : (first + 1) * STRIP]
        for q in range(STRIP - 1, -1, -1):
            local = q if abs(part[q]) >= certain else local
        local += first * STRIP
        state.fresh = 0
        state.winner = local
        return self.learner[self.front[local]], now[local] * self.scale

    def search(self, j, a, b):
        """The t that minimises the loss at pred + t (a B_j - b pred), j the learner that `best` returned."""
        state, local = self.state, self.state.winner
        corr, start, square = self.now[local], self.front_start[local], pred_square(self.outer)
        a = a / self.scale
        along = a * corr - b * (state.with_y - square)
        own = self.block[local * STRIP * strips(state.front) + local]
        length = a * a * own - 2.0 * a * b * (start - corr) + b * b * square
        return along / length if length > 0.0 else 0.0

    def push(self, j, shrink, theta):
        """The state after pred <- (1 - shrink) pred + theta B_j, j the learner that `best` returned."""
        now, state, local, w = self.now, self.state, self.state.winner, self.state.front
        theta = theta * (1.0 / self.scale)
        width = STRIP * strips(w)
        row = self.block[local * width : (local + 1) * width]
        i = self.front[local]
        corr, start, recent, scanned = now[local], self.front_start[local], self.front_recent[local], self.scanned[i]
        follow(self.outer, shrink, theta, row[local], scanned - corr, start - scanned)
        follow(self.inner, shrink, theta, row[local], recent - corr, start - recent)
        keep = 1.0 - shrink
        state.with_y = keep * state.with_y + theta * start
        if shrink != 0.0:
            state.unit *= keep
            if state.unit < 1e-100:
                for p in range(len(self.moved)):
                    self.moved[p] *= state.unit
                state.unit = 1.0
            for p in range(w):
                now[p] = keep * now[p] + shrink * self.front_start[p]
        for c in range(strips(w)):
            part, moves, top = now[c * STRIP : (c + 1) * STRIP], row[c * STRIP : (c + 1) * STRIP], 0.0
            for q in range(STRIP):
                value = part[q] - theta * moves[q]
                part[q] = value
                size = abs(value)
                top = size if size > top else top
            self.tops[c] = top
        self.moved[i] += theta / state.unit
