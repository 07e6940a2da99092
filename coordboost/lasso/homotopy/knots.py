r"""Kernels that follow exact piecewise linear paths of the squared loss from knot to knot, on some
candidates.

At the correlation level lam the *tied* candidates have abs correlation lam. Along a segment
:math:`\beta` moves by d per unit of lam, d the solution of the small sign-constrained problem

    minimise 1/2 d'G d - s'd  over the tied candidates, s_j d_j >= 0 for the constrained among them

so that those that move, the *active* ones, follow the falling level (a_j = s_j (G d)_j = 1) and the
other tied ones fall at least as fast (a_j >= 1). Ties of any kind, copies and dependent columns
need no special cases. Constrained are, for

    LASSO      the tied candidates with coefficient 0: the others may shrink, and leave when they
               reach 0
    STAGEWISE  all of them: the limit FS_0 of forward stagewise
    LAR        none: every tied independent candidate moves

Limits of 0 exclude a sign of a coefficient: then a correlation of that sign is not compared with
the level, and the candidate is never tied on that side.

Sources: Efron, Hastie, Johnstone, Tibshirani, *Least angle regression*, Sections 2-3; Lawson and
Hanson, *Solving least squares problems*, chapter 23 (the small problem); Golub and Van Loan,
*Matrix computations*, Section 6.5 (changes of the factor).
"""

import math
from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel
from coordboost.learners.scan import inner_product

#: The kinds of path, and why `walk` returns.
LASSO, LAR, STAGEWISE = range(3)
DONE, SCAN, CHECK, STALLED = range(4)
EPS = 2.3e-16
#: A level of at most this many times `tie` is rounding: LAR makes nothing active there, and
#: learners outside need no scan.
ROUNDED = 8.0
#: Columns have unit norm only to 1e-8: relative slack of the bound by which correlations can move.
SLACK = 2.1e-8
#: Assumed error of correlations tracked since the last scan, relative to 1 + the l1 norm. In
#: experiments it was at most 2.9 roundings, on nearly dependent columns, correlated ones, tall and
#: wide.
TRACKED = 8.0 * EPS
#: If rounding of large coefficients may cost more than this relative gap, correlations are computed
#: from the residual.
FINE = 1e-13
#: Active candidates with a smaller pivot are not corrected by `bring_back`.
FAR = 1e-5
#: A candidate nearer to the span of the active ones, relative to 1 + the l1 norm of the
#: coefficients of its projection, is dependent: its correlation follows from theirs up to the width
#: of a tie. LAR has a larger value, as all tied candidates have to move: a nearly dependent one
#: would need coefficients too large for an accurate knot, and to leave it where it is costs less
#: than the gap of a knot.
DEPENDENT_LAR, DEPENDENT = 1e-11, 1e-13
#: With a smaller pivot the direction is not corrected: the rounding of products of columns would be
#: magnified to more than the direction.
LEAST_TOLD = 1e-7
#: Splits a float64 number into two of 26 digits. *Source*: Dekker, *A floating-point technique for
#: extending the available precision*.
SPLIT = 2.0**27 + 1.0


class Walk(NamedTuple):
    """What a walk from knot to knot reads and changes: m candidates, of which k <= most are active.

    Kernels take it whole, and it is the only named tuple among the arguments of a compiled call,
    which numba passes quickly.
    """

    #: LASSO, LAR or STAGEWISE
    kind: int
    #: the level at which the path ends
    end: float
    #: width of a tie
    tie: float
    #: squared norm of the target
    square: float
    #: a knot with a larger gap needs an accurate check
    tolerance: float
    #: largest abs correlation outside the candidates at the last scan, and at the horizon, the end
    #: of the extrapolation; the fall to the horizon; the largest norm of a column outside; (4,)
    outside: np.ndarray
    #: the columns, (m, n_samples), and their inner products where they were formed at once, (m, m)
    #: or (0, 0)
    columns: np.ndarray
    gram: np.ndarray
    #: inner products of the active candidates with all, (most, m); most bounds their rank
    rows: np.ndarray
    #: Cholesky factor of those of the active ones with each other, (most, most)
    factor: np.ndarray
    #: active[i] is a candidate, (most,); rank its place there, or -1, (m,)
    active: np.ndarray
    rank: np.ndarray
    #: correlations, coefficients, and the signs of the correlations of tied candidates, (m,)
    corr: np.ndarray
    beta: np.ndarray
    sign: np.ndarray
    #: how much corr falls, and beta grows, where lam falls by 1, (m,)
    rate: np.ndarray
    direction: np.ndarray
    #: whether the correlation is lam; whether it cannot become active at this knot, (m,)
    tied: np.ndarray
    barred: np.ndarray
    #: beta, corr, direction and rate at the last scan, for the extrapolation from there, (4, m)
    followed: np.ndarray
    #: which coefficients may be positive, and which negative, (m,)
    positive: np.ndarray
    negative: np.ndarray
    #: the target, (n_samples,)
    target: np.ndarray
    #: scratch, (m,), (m,) and (n_samples,)
    work: np.ndarray
    change: np.ndarray
    resid: np.ndarray
    #: the record, an entry or row for a knot: levels, bounds of all correlations, coefficients, and
    #: which candidates move on the segment to the knot
    lams: np.ndarray
    levels: np.ndarray
    betas: np.ndarray
    moving: np.ndarray


@kernel
def subtract(multiple, row, b):
    """``b -= multiple * row``."""
    for j in range(len(row)):
        b[j] -= multiple * row[j]


# Both loops run along rows. On slices, which do not overlap, their code is vectorised.


@kernel
def forward(factor, k, b):
    """Solve U'z = b in place; ``factor[i, i:]`` is row i of U."""
    for i in range(k):
        b[i] /= factor[i, i]
        subtract(b[i], factor[i, i + 1 : k], b[i + 1 : k])


@kernel
def backward(factor, k, b):
    """Solve U x = b in place."""
    for i in range(k - 1, -1, -1):
        b[i] = (b[i] - inner_product(factor[i, i + 1 : k], b[i + 1 : k])) / factor[i, i]


@kernel
def append(factor, k, along, square):
    """Append column k to the factor: `along` (k,), and the root of the squared distance from the
    span of the others.
    """
    for i in range(k):
        factor[i, k] = along[i]
    factor[k, k] = math.sqrt(square)


@kernel
def extend(factor, k, products, square):
    """Append a column, given its products with the k others and with itself.

    False, without a new column, if it depends on them: if its squared distance from their span is
    within the rounding of its computation.
    """
    forward(factor, k, products)
    remaining = square
    for i in range(k):
        remaining -= products[i] * products[i]
    if remaining <= 64 * EPS * (k + 1) * square:
        return False
    append(factor, k, products, remaining)
    return True


@kernel
def extend_near(factor, k, along, columns, active, j, least):
    """As `extend`, for a column near to the span of the others, given what `extend` left in
    `along`.

    The squared distance from the span is a difference from 1, so products, accurate to u, show
    distances down to u^{1/2} only. The column minus its projection shows them down to u. *Source*:
    Bjorck, *Stability analysis of the method of seminormal equations*.

    least : a distance, in parts of 1 + the sizes of the coefficients of the projection, below which
    a column counts as dependent
    """
    coefs = np.empty(k)
    for i in range(k):
        coefs[i] = along[i]
    correction = np.empty(k)
    remainder = np.empty(columns.shape[1])
    length = 1.0
    backward(factor, k, coefs)
    for attempt in range(3):
        length = 1.0
        for q in range(len(remainder)):
            remainder[q] = columns[j, q]
        for i in range(k):
            length += abs(coefs[i])
            for q in range(len(remainder)):
                remainder[q] -= coefs[i] * columns[active[i], q]
        if attempt < 2:
            for i in range(k):
                correction[i] = np.dot(columns[active[i]], remainder)
            forward(factor, k, correction)
            for i in range(k):
                along[i] += correction[i]
            backward(factor, k, correction)
            for i in range(k):
                coefs[i] += correction[i]
    square = np.dot(remainder, remainder)
    if not square > (least * length) ** 2 * np.dot(columns[j], columns[j]):
        return False
    append(factor, k, along, square)
    return True


@kernel
def drop(factor, k, q):
    """Remove column q: rotations make the rest upper triangular again, and keep it invertible."""
    for i in range(k):
        for j in range(max(q, i - 1), k - 1):
            factor[i, j] = factor[i, j + 1]
    for i in range(q, k - 1):
        length = math.hypot(factor[i, i], factor[i + 1, i])
        c = factor[i, i] / length
        s = factor[i + 1, i] / length
        factor[i, i] = length
        for j in range(i + 1, k - 1):
            a = factor[i, j]
            b = factor[i + 1, j]
            factor[i, j] = c * a + s * b
            factor[i + 1, j] = c * b - s * a


@kernel
def depends(j, k, least, columns, factor, active, work):
    """Whether candidate j is nearer than `least` to the span of the active ones.

    *Cost*: products with these only.
    """
    for i in range(k):
        work[i] = np.dot(columns[active[i]], columns[j])
    square = np.dot(columns[j], columns[j])
    return not (
        extend(factor, k, work, square) or extend_near(factor, k, work, columns, active, j, least)
    )


@kernel
def activate(j, k, least, columns, gram, rows, factor, active, rank, barred, work):
    """Make candidate j active, and return how many are active.

    It is barred if it is nearer than `least` to the span of the active ones.
    """
    if k < len(active) and (len(gram) or not depends(j, k, least, columns, factor, active, work)):
        if len(gram):
            for i in range(len(rank)):
                rows[k, i] = gram[j, i]
        else:
            np.dot(columns, columns[j], rows[k])
        for i in range(k):
            work[i] = rows[k, active[i]]
        if extend(factor, k, work, rows[k, j]) or extend_near(
            factor, k, work, columns, active, j, least
        ):
            active[k], rank[j] = j, k
            return k + 1
    barred[j] = True
    return k


@kernel
def deactivate(j, k, rows, factor, active, rank, direction):
    """Make candidate j inactive. Return how many are active."""
    q = rank[j]
    drop(factor, k, q)
    rank[j] = -1
    direction[j] = 0.0
    for i in range(q, k - 1):
        active[i] = active[i + 1]
        rank[active[i]] = i
        for p in range(len(rank)):
            rows[i, p] = rows[i + 1, p]
    return k - 1


@kernel
def add_rows(rows, k, by, out):
    """``out = by[:k] @ rows[:k]``."""
    for p in range(len(out)):
        out[p] = 0.0
    for i in range(k):
        step = by[i]
        for p in range(len(out)):
            out[p] += step * rows[i, p]


@kernel
def is_constrained(kind, value):
    """Whether a candidate with this coefficient may only move in the sense of its correlation."""
    return kind == STAGEWISE or (kind == LASSO and value == 0.0)


@kernel
def on_free_side(corr, positive, negative):
    """Return what is compared with the level: the abs correlation, or the correlation times the one
    sign that its coefficient may have; -inf if that is 0.
    """
    upwards = corr if positive else -math.inf
    downwards = -corr if negative else -math.inf
    return max(upwards, downwards)


@kernel
def find_ties(path, lam):
    """Mark the tied candidates and set their signs.

    Return how many there are, and the new one if there is exactly one, else -1.

    Barred for LAR are those that were tied before: they depend on active candidates, none of which
    leaves.
    """
    corr = path.corr
    positive = path.positive
    negative = path.negative
    sign = path.sign
    rank = path.rank
    tied = path.tied
    barred = path.barred
    new = -1
    n_new = 0
    n_tied = 0
    for j in range(len(corr)):
        before = tied[j]
        level = on_free_side(corr[j], positive[j], negative[j])
        tied[j] = rank[j] >= 0 or level >= lam - path.tie
        barred[j] = path.kind == LAR and before and tied[j] and rank[j] < 0
        if tied[j] and rank[j] < 0:
            sign[j] = 1.0 if (corr[j] > 0.0 or not negative[j]) and positive[j] else -1.0
            if not before:
                new = j
                n_new = n_new + 1
        n_tied += tied[j]
    return n_tied, new if n_new == 1 else -1


@kernel
def step_towards(target, k, kind, beta, sign, direction, active, barred):
    """Move the feasible direction towards `target` (k,) as far as the signs allow.

    Return the candidate that blocks it, or -1.
    """
    step, blocking = 1.0, -1
    for i in range(k):
        j = active[i]
        new = sign[j] * target[i]
        old = sign[j] * direction[j]
        if new <= 0.0 and is_constrained(kind, beta[j]):
            share = old / (old - new) if old > new else 0.0
            if share < step:
                step, blocking = share, j
    moved, length = 0.0, 1.0
    for i in range(k):
        j = active[i]
        old = direction[j]
        direction[j] = target[i] if blocking < 0 else old + step * (target[i] - old)
        moved = max(moved, abs(direction[j] - old))
        length = length + abs(old)
    if moved > 1e-9 * length:  # the objective has decreased: candidates that left may come back
        for j in range(len(barred)):
            barred[j] = False
    if blocking >= 0 and step == 0.0:
        barred[blocking] = True
    return blocking


@kernel
def find_rates(k, rows, factor, active, sign, direction, rate, target):
    """Fill `rate`, with `target` as scratch.

    The direction is corrected once if the rates of the active candidates show rounding. Return 1 +
    its l1 norm.
    """
    smallest_pivot = 1.0
    for i in range(k):
        smallest_pivot = min(smallest_pivot, factor[i, i])
    for attempt in range(2):
        off, length = 0.0, 1.0
        for i in range(k):
            target[i] = direction[active[i]]
            length += abs(target[i])
        add_rows(rows, k, target, rate)
        for i in range(k):
            target[i] = sign[active[i]] - rate[active[i]]
            off = max(off, abs(target[i]))
        if attempt == 1 or off <= 64.0 * EPS * length or smallest_pivot <= LEAST_TOLD:
            return length
        forward(factor, k, target)
        backward(factor, k, target)
        for i in range(k):
            direction[active[i]] += target[i]
    return length


@kernel
def find_direction(path, lam, k):
    """Find the active candidates and the direction of the next segment.

    By Lawson and Hanson's method, started from the last direction.
    """
    kind = path.kind
    tie = path.tie
    columns = path.columns
    gram = path.gram
    rows = path.rows
    factor = path.factor
    active = path.active
    rank = path.rank
    corr = path.corr
    sign = path.sign
    rate = path.rate
    direction = path.direction
    tied = path.tied
    barred = path.barred
    work = path.work
    n_tied, new = find_ties(path, lam)
    nearest = DEPENDENT_LAR if kind == LAR else DEPENDENT
    if kind == LAR:
        for j in range(len(corr)):
            # below that every candidate is tied
            if tied[j] and rank[j] < 0 and not barred[j] and lam > ROUNDED * tie:
                k = activate(j, k, nearest, columns, gram, rows, factor, active, rank, barred, work)
    elif new >= 0:
        k = activate(new, k, nearest, columns, gram, rows, factor, active, rank, barred, work)
    for _ in range(20 * len(corr) + 100):
        blocking = 0
        while blocking >= 0:
            for i in range(k):
                work[i] = sign[active[i]]
            forward(factor, k, work)
            backward(factor, k, work)
            blocking = step_towards(work, k, kind, path.beta, sign, direction, active, barred)
            if blocking >= 0:
                k = deactivate(blocking, k, rows, factor, active, rank, direction)
        length = find_rates(k, rows, factor, active, sign, direction, rate, work)
        # the candidate most above the falling level; ties: the lowest
        entering, worst, doubt = (-1, 0.0, 256.0 * EPS * length)
        if kind != LAR and n_tied > k and k < len(active):
            for j in range(len(corr)):
                if (
                    tied[j]
                    and rank[j] < 0
                    and not barred[j]
                    and 1.0 - sign[j] * rate[j] > worst + doubt
                ):
                    entering = j
                    worst = 1.0 - sign[j] * rate[j]
        if entering < 0:
            break
        n_before = k
        k = activate(entering, k, nearest, columns, gram, rows, factor, active, rank, barred, work)
        # where one depends on the active ones, many may: all that do are barred at once
        if k == n_before:
            for j in range(len(corr)):
                if tied[j] and rank[j] < 0 and not barred[j] and 1.0 - sign[j] * rate[j] > doubt:
                    barred[j] = depends(j, k, nearest, columns, factor, active, work)
    return k


@kernel
def step_length(path, lam, full):
    """Return the fall of lam to the next knot, and the candidate that ends there.

    Its coefficient reaches 0; it is -1 if there is none.

    A correlation that crosses the level near the end, or slowly, makes no knot if at the end it
    exceeds the level only by rounding.

    full : whether every candidate depends on the active ones: then all correlations fall in
    proportion, and none crosses the level
    """
    kind = path.kind
    end = path.end
    tie = path.tie
    corr = path.corr
    rate = path.rate
    beta = path.beta
    direction = path.direction
    sign = path.sign
    rank = path.rank
    tied = path.tied
    to_end = lam - end
    shortest = lam - end
    leaving = -1
    for j in range(len(corr)):
        if rank[j] >= 0:
            if kind == LASSO and direction[j] * sign[j] < 0.0:
                fall = max(0.0, -beta[j] / direction[j])
                if fall < shortest and to_end - fall > 2.0 * tie:
                    shortest, leaving = fall, j
            continue
        if full:
            continue
        for side in (1.0, -1.0):
            if not (path.positive[j] if side > 0.0 else path.negative[j]):
                continue
            closing = 1.0 - side * rate[j]
            apart = lam - side * corr[j]
            if closing > 0.0 and apart < shortest * closing and not (tied[j] and sign[j] == side):
                fall = apart / closing
                if fall >= 0.0 and (to_end - fall) * min(closing, 1.0) > 2.0 * tie:
                    shortest, leaving = fall, -1
    return shortest, leaving


@kernel
def strayed(gone, corr, beta, rate, direction, followed):
    """Squared distance of the residual from its extrapolation.

    After a further fall t of lam it is ``square + t * (along + t * speed)``.
    """
    square, along, speed = 0.0, 0.0, 0.0
    for j in range(len(corr)):
        moved = beta[j] - followed[0, j] - gone * followed[2, j]
        turned = direction[j] - followed[2, j]
        if moved != 0.0 or turned != 0.0:
            fallen = followed[1, j] - corr[j] - gone * followed[3, j]
            faster = rate[j] - followed[3, j]
            square += moved * fallen
            along += moved * faster + turned * fallen
            speed += turned * faster
    return square, along, speed


@kernel
def certain_part(fall, lam, gone, tie, outside, far):
    """The part of a fall of lam in which no outside learner can reach the level, to one part in
    4,096.

    Outside learners are those that are no candidates.

    gone : how far lam has fallen since the scan
    outside : see `Walk`
    far : see `strayed`

    Along a line an abs correlation is convex: before the horizon it is at most the mixture of both
    ends. Beyond it nothing is known.
    """
    at_scan = outside[0]
    ahead = outside[1]
    horizon = outside[2]
    norm = outside[3]
    square, along, speed = far
    if lam <= ROUNDED * tie:
        return fall
    low = 0.0
    high = fall
    trial = fall
    lowest = 0.5 * ROUNDED * tie
    for _ in range(13):
        fallen = min(trial, lam - lowest)
        share = (gone + fallen) / horizon
        moved = (
            norm * (1.0 + SLACK) * math.sqrt(max(square + fallen * (along + fallen * speed), 0.0))
        )
        if share <= 1.0 and at_scan + (ahead - at_scan) * share + moved + tie < lam - fallen:
            low = trial
        else:
            high = trial
        if low == fall:
            break
        trial = 0.5 * (low + high)
    return low


@kernel
def fill_residual(columns, target, beta, resid):
    """``resid = target - beta @ columns``."""
    for q in range(len(resid)):
        resid[q] = target[q]
    for j in range(len(beta)):
        by = beta[j]
        if by != 0.0:
            for q in range(len(resid)):
                resid[q] -= by * columns[j, q]


@kernel
def bring_back(path, lam, k):
    """Bring the active correlations, which rounding has moved, back to exactly lam by iterative
    refinement.

    If coefficients are large, correlations are computed from the residual, as sums of products
    leave too much rounding.

    The independent part of a candidate near the span of those before it is not corrected: rounding
    would be magnified there by the inverse of a squared distance, and correlations do not determine
    the coefficients more accurately.
    """
    columns = path.columns
    factor = path.factor
    active = path.active
    corr = path.corr
    beta = path.beta
    sign = path.sign
    work = path.work
    change = path.change
    resid = path.resid
    for attempt in range(2):
        worst, length = 0.0, 1.0
        for i in range(k):
            length += abs(beta[active[i]])
        allowed = (16.0 if attempt == 0 else 64.0) * EPS * length
        if attempt == 0 and EPS * length * length > FINE:
            allowed = 4.0 * EPS
            fill_residual(columns, path.target, beta, resid)
            for i in range(k):
                corr[active[i]] = np.dot(columns[active[i]], resid)
        for i in range(k):
            work[i] = corr[active[i]] - lam * sign[active[i]]
            worst = max(worst, abs(work[i]))
        if worst <= allowed:
            return
        for i in range(k):
            work[i] = work[i] / factor[i, i] if factor[i, i] > FAR else 0.0
            subtract(work[i], factor[i, i + 1 : k], work[i + 1 : k])
        backward(factor, k, work)
        add_rows(path.rows, k, work, change)
        for i in range(k):
            beta[active[i]] += work[i]
        for j in range(len(corr)):
            corr[j] -= change[j]


def knot_gap(kind, lam, square, corr, positive, negative, beta, sign, rank, doubt, tracked):
    """Return an upper bound of the duality gap of a knot, and two sizes.

    These are the largest correlation, see `on_free_side`, and 1 + the l1 norm.

    square : squared norm of the residual
    doubt, tracked : correlations may be off by ``doubt + tracked * (1 + l1 norm)``

    Let `over` be how far these exceed lam, and s = lam / (lam + over). The dual point s
    times the residual gives the gap ``square (1 - s)^2 / 2 + lam |beta|_1 - s <corr, beta>``; the
    dual point 0 gives the whole objective. LAR and FS_0 have no objective: there the first term is
    left out, and the gap is inf if a correlation is above twice the level. At lam = 0 the end of
    the path is compared with least squares.
    """
    over = 0.0
    under = 0.0
    length = 1.0
    wrong = 0.0
    level = lam
    for j in range(len(corr)):
        size = abs(beta[j])
        length = length + size
        compared = on_free_side(corr[j], positive[j], negative[j])
        level = max(level, compared)
        off = compared - lam
        if rank[j] >= 0 and sign[j] * corr[j] < 0.0:
            off = -abs(corr[j]) - lam
        over = max(over, off)
        if rank[j] >= 0 or (size > 0.0 and kind != STAGEWISE):
            under = max(under, -off)
        if kind == LASSO and rank[j] >= 0 and sign[j] * beta[j] < 0.0:
            wrong += size
    over += doubt + tracked * length
    hidden = 2.0 * EPS * length  # rounding of `over` where the residual is computed in float64
    gap = length * (over + under)
    if lam == 0.0:
        gap = min(gap, 0.5 * square)
    elif kind == LASSO:
        share = (over + hidden) / (lam + over + hidden)
        gap = min(
            gap + 2.0 * lam * wrong + 0.5 * square * share * share, lam * length + 0.5 * square
        )
    elif over > lam:
        gap = math.inf
    return gap, level, length


_knot_gap = kernel(knot_gap)


def walk(path, lam, k, idle, gone):
    """Follow the path until the level `end`, or until a scan, an accurate check of a knot, or room
    in a record that is full is needed.

    Return why it stopped, the level, how many candidates are active, knots in a row without
    progress, knots in the record, and the fall to the next knot, if that is not certain.

    Parameters
    ----------
    path : Walk
    lam : float
        The level.
    k : int
        How many candidates are active.
    idle : int
        Knots in a row without progress.
    gone : float
        How far the level has fallen since the last scan.
    """
    kind = path.kind
    end = path.end
    tie = path.tie
    rank = path.rank
    corr = path.corr
    beta = path.beta
    sign = path.sign
    rate = path.rate
    direction = path.direction
    active = path.active
    watched = path.outside[0] >= 0.0
    bring_back(path, lam, k)
    for c in range(len(path.lams)):
        k = find_direction(path, lam, k)
        for j in range(len(corr)):
            path.moving[c, j] = rank[j] >= 0
        full = k == len(active)
        whole, leaving = step_length(path, lam, full)
        fall = whole
        if watched:
            far = strayed(gone, corr, beta, rate, direction, path.followed)
            fall = certain_part(whole, lam, gone, tie, path.outside, far)
            if fall == 0.0 < whole:
                return SCAN, lam, k, idle, c, whole
        idle = idle + 1 if fall <= 4.0 * EPS * lam else 0
        for j in range(len(corr)):
            corr[j] -= fall * rate[j]
        gone = gone + fall
        lam = lam - fall if lam - fall > end + tie else end
        for i in range(k - 1, -1, -1):
            j = active[i]
            old = beta[j]
            beta[j] = old + fall * direction[j]
            if (
                kind == LASSO
                and direction[j] * sign[j] < 0.0
                and ((j == leaving and fall == whole) or abs(beta[j]) <= 1e-12 * abs(old))
            ):
                beta[j] = 0.0
                k = deactivate(j, k, path.rows, path.factor, active, rank, direction)
        bring_back(path, lam, k)
        if fall < whole:
            return SCAN, lam, k, idle, c, whole
        gap, level, length = _knot_gap(
            kind,
            lam,
            path.square,
            corr,
            path.positive,
            path.negative,
            beta,
            sign,
            rank,
            0.0,
            TRACKED,
        )
        hidden = ROUNDED * tie if lam < ROUNDED * tie and watched else 0.0
        path.lams[c] = lam
        path.levels[c] = level + TRACKED * length + hidden
        for j in range(len(corr)):
            path.betas[c, j] = beta[j]
        if not gap <= path.tolerance:
            return CHECK, lam, k, idle, c + 1, 0.0
        if lam <= end:
            return DONE, lam, k, idle, c + 1, 0.0
        if idle > 4 * len(corr) + 100:
            return STALLED, lam, k, idle, c + 1, 0.0
    return SCAN, lam, k, idle, len(path.lams), 0.0


def exact_residual(columns, beta, target, resid, lost):
    """``resid = target - beta @ columns``, summed in twice the precision.

    Large coefficients cancel; `lost` is scratch.
    """
    for q in range(len(resid)):
        resid[q], lost[q] = target[q], 0.0
    for j in range(len(beta)):
        by = -beta[j]
        if by == 0.0:
            continue
        top = SPLIT * by - (SPLIT * by - by)
        tail = by - top
        for q in range(len(resid)):
            x = columns[j, q]
            before = resid[q]
            x_top = SPLIT * x - (SPLIT * x - x)
            x_tail = x - x_top
            term = by * x
            after = before + term
            back = after - before
            lost[q] += (before - (after - back)) + (term - back)
            lost[q] += ((top * x_top - term) + top * x_tail + tail * x_top) + tail * x_tail
            resid[q] = after
    for q in range(len(resid)):
        resid[q] += lost[q]
