r"""The view that steps on a few candidates and knows when it may: exact lookahead for the squared loss.

With unit columns, by Cauchy and Schwarz, for every learner j and the residuals r_0 at the last scan and r now,

    abs(<B_j, r>) <= abs(<B_j, r_0>) + norm(r - r_0).

So while the best candidate beats ``outside`` (the largest abs correlation of the others at the last scan) plus the distance gone, it is
the best of all learners, provably, and no scan is needed. The same holds once more inside: the *front*, a few of the candidates,
against the other candidates. A step costs O(front), a new front O(candidates x front), a new scan O(n_samples x n_learners).

    all learners      scan         Python, one pass over the data
      candidates      correlations at the last scan, Gram block, sums of the distance since
        front         correlations now, small Gram block, sums of the distance since it was formed

The sums follow the distance in O(1): with p_0 the prediction at the anchor, d = pred - p_0 and a step pred <- (1 - s) pred + t B_j,

    |d|^2 <- (1-s)^2 |d|^2 + s^2 |p_0|^2 + t^2 - 2 s (1-s) <d, p_0> + 2 (1-s) t <B_j, d> - 2 s t <B_j, p_0>
    <d, p_0> <- (1-s) <d, p_0> - s |p_0|^2 + t <B_j, p_0>

where <B_j, d> and <B_j, p_0> are differences of correlations at hand. The proof with rounding is in ``docs/lookahead.md``.
"""

from typing import NamedTuple

import numpy as np

from coordboost._generic import generic, kernel
from coordboost._protocol import VIEW

regroup = generic("regroup")

# rows of `of`, one entry per candidate; those of the front fill the first count[FRONT] entries
START, SCANNED, MOVED, NOW, FRONT_START, FRONT_ORIGIN = range(6)
# rows of `ids`
LEARNER, POSITION, ORDER = range(3)
# entries of a level's `sums`: the largest correlation outside; |d|^2; <d, p_0>; |p_0|^2; what is left of p_0; the way gone; steps
OUTSIDE, DISTANCE, ALONG, ANCHOR, KEPT, LENGTH, STEPS = range(7)
# entries of `count`
FRONT, WINNER, FRESH, WANTED, REGROUPS = range(5)
# entries of `extra`: <y, pred>; the unit of row MOVED
WITH_Y, UNIT = range(2)
# The front is moved and searched strip by strip: loops of a fixed length become straight vector code.
STRIP = 8


@kernel
def travel(sums, level, shrink, theta, square, with_d, with_anchor):
    """Follow the distance from the anchor of a level through one step."""
    keep = 1.0 - shrink
    distance, along, anchor = sums[level, DISTANCE], sums[level, ALONG], sums[level, ANCHOR]
    sums[level, DISTANCE] = (
        keep * keep * distance
        + shrink * shrink * anchor
        + theta * theta * square
        - 2.0 * shrink * keep * along
        + 2.0 * theta * (keep * with_d - shrink * with_anchor)
    )
    sums[level, ALONG] = keep * along - shrink * anchor + theta * with_anchor
    sums[level, KEPT] *= keep
    sums[level, LENGTH] += abs(theta) + shrink
    sums[level, STEPS] += 1.0


@kernel
def beats(sums, level, size, doubt):
    """Whether `size` is certainly larger than any correlation outside the level."""
    room = size - sums[level, OUTSIDE] - doubt
    return room > 0.0 and room * room > sums[level, DISTANCE] + 2.0 * sums[level, LENGTH] * doubt


@kernel
def strips(w):
    """How many strips w entries fill."""
    return (w + STRIP - 1) // STRIP


@kernel
def largest(of, n, wanted):
    """A threshold that at most `wanted` of the n sizes in row NOW reach, or their maximum; by bisection."""
    low, high = 0.0, 0.0
    for i in range(n):
        high = max(high, abs(of[NOW, i]))
    if wanted >= n:
        return 0.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        count = 0
        for i in range(n):
            count += abs(of[NOW, i]) >= middle
        if count > wanted:
            low = middle
        else:
            high = middle
            if count == wanted:
                break
    return high


@VIEW.own
class Lookahead(NamedTuple):
    """Candidates and front; correlations and predictions in units of `scale`, a power of two near the norm of y.

    gram : Gram matrix of the s candidates, (>= s, >= s);  block : that of the front, its rows one after the other, each filled up
    with zeros to whole strips, (s * STRIP * strips(s),)
    of : correlations at beta = 0, at the last scan, and coefficients moved since, correlations when the front was formed,
    by candidate; correlations of the front at beta = 0 and when it was formed, (6, s)
    now : correlations of the front, filled up likewise, (STRIP * strips(s),);  tops : the largest size in each strip, (strips(s),)
    ids : the candidates, as they stand in all arrays; the positions of the front among them, by increasing learner; those of all, likewise:
    sums over candidates and ties go by that order, so where a candidate stands does not matter, (3, s)
    sums : outer and inner level, (2, 7);  extra, count : see the constants above
    rounding : the tie of the problem;  error : relative rounding of an inner product
    """

    gram: np.ndarray
    block: np.ndarray
    of: np.ndarray
    now: np.ndarray
    tops: np.ndarray
    ids: np.ndarray
    sums: np.ndarray
    extra: np.ndarray
    state: np.ndarray
    rounding: float
    error: float
    scale: float
    quadratic = True
    greedy = True
    allocates = False

    def tie(self):
        return self.rounding * self.scale

    def regroup(self):
        """Bring the correlations of all candidates up to date and form a new front of the ``state[WANTED]`` largest."""
        of, now, sums, n = self.of, self.now, self.sums, self.ids.shape[1]
        kept = sums[0, KEPT]
        for p in range(n):
            of[NOW, p] = kept * of[SCANNED, p] + (1.0 - kept) * of[START, p]
        for r in range(n):
            i = self.ids[ORDER, r]
            change = self.extra[UNIT] * of[MOVED, i]
            if change != 0.0:
                for p in range(n):
                    of[NOW, p] -= change * self.gram[i, p]
        low = largest(of, n, min(self.state[WANTED], n))
        w, outside = 0, -np.inf
        for r in range(n):
            i = self.ids[ORDER, r]
            corr = of[NOW, i]
            if abs(corr) >= low and w < self.state[WANTED]:
                self.ids[POSITION, w] = i
                of[FRONT_START, w] = of[START, i]
                of[FRONT_ORIGIN, w] = corr
                now[w] = corr
                w += 1
            else:
                outside = max(outside, abs(corr))
        width = STRIP * strips(w)
        for a in range(w):
            for b in range(w):
                self.block[a * width + b] = self.gram[self.ids[POSITION, a], self.ids[POSITION, b]]
            self.block[a * width + w : (a + 1) * width] = 0.0
        now[w:width] = 0.0
        for c in range(strips(w)):
            self.tops[c] = 0.0
            for q in range(c * STRIP, (c + 1) * STRIP):
                self.tops[c] = max(self.tops[c], abs(now[q]))
        for p in range(sums.shape[1]):
            sums[1, p] = 0.0
        sums[1, OUTSIDE] = outside
        sums[1, ANCHOR] = sums[0, ANCHOR] + 2.0 * sums[0, ALONG] + sums[0, DISTANCE]
        self.state[FRONT] = w
        self.state[REGROUPS] += 1

    def best(self, step, beta):
        """The winner among all learners, or (-1, 0) where only a scan can tell."""
        now, tops, sums, state, n = self.now, self.tops, self.sums, self.state, self.ids.shape[1]
        while True:
            w = state[FRONT]
            top = 0.0
            for c in range(strips(w)):
                top = max(top, tops[c])
            certain = top - min(self.rounding, 0.5 * top)
            doubt = self.rounding + self.error * sums[0, LENGTH] + 1e-15 * sums[1, STEPS]
            if w > 0 and (w == n or beats(sums, 1, certain, doubt)):
                break
            if w > 0 and sums[1, STEPS] < 8 * w:
                state[WANTED] = min(n, state[WANTED] + state[WANTED] // 2 + 8)
            regroup(self)
        if state[FRESH] == 0 and not beats(sums, 0, certain, doubt):
            return -1, 0.0
        first, local = 0, 0
        for c in range(strips(w) - 1, -1, -1):
            first = c if tops[c] >= certain else first
        part = now[first * STRIP : (first + 1) * STRIP]
        for q in range(STRIP - 1, -1, -1):
            local = q if abs(part[q]) >= certain else local
        local += first * STRIP
        state[FRESH] = 0
        state[WINNER] = local
        return self.ids[LEARNER, self.ids[POSITION, local]], now[local] * self.scale

    def search(self, j, a, b):
        """The t that minimises the loss at pred + t (a B_j - b pred), j the learner that `best` returned."""
        of, now, sums, local = self.of, self.now, self.sums, self.state[WINNER]
        corr, start = now[local], of[FRONT_START, local]
        square = sums[0, ANCHOR] + 2.0 * sums[0, ALONG] + sums[0, DISTANCE]
        a = a / self.scale
        along = a * corr - b * (self.extra[WITH_Y] - square)
        own = self.block[local * STRIP * strips(self.state[FRONT]) + local]
        length = a * a * own - 2.0 * a * b * (start - corr) + b * b * square
        return along / length if length > 0.0 else 0.0

    def push(self, j, shrink, theta):
        """The state after pred <- (1 - shrink) pred + theta B_j, j the learner that `best` returned."""
        of, now, sums, local, w = self.of, self.now, self.sums, self.state[WINNER], self.state[FRONT]
        theta = theta * (1.0 / self.scale)
        width = STRIP * strips(w)
        row = self.block[local * width : (local + 1) * width]
        i = self.ids[POSITION, local]
        corr, start, origin = now[local], of[FRONT_START, local], of[FRONT_ORIGIN, local]
        square = row[local]
        travel(sums, 0, shrink, theta, square, of[SCANNED, i] - corr, start - of[SCANNED, i])
        travel(sums, 1, shrink, theta, square, origin - corr, start - origin)
        keep = 1.0 - shrink
        self.extra[WITH_Y] = keep * self.extra[WITH_Y] + theta * start
        if shrink != 0.0:
            self.extra[UNIT] *= keep
            if self.extra[UNIT] < 1e-100:
                for p in range(of.shape[1]):
                    of[MOVED, p] *= self.extra[UNIT]
                self.extra[UNIT] = 1.0
            for p in range(w):
                now[p] = keep * now[p] + shrink * of[FRONT_START, p]
        for c in range(strips(w)):
            part, moves, top = now[c * STRIP : (c + 1) * STRIP], row[c * STRIP : (c + 1) * STRIP], 0.0
            for q in range(STRIP):
                value = part[q] - theta * moves[q]
                part[q] = value
                size = abs(value)
                top = size if size > top else top
            self.tops[c] = top
        of[MOVED, i] += theta / self.extra[UNIT]
