r"""From knot to knot of the exact piecewise linear paths of the squared loss: the kernels, on some candidates.

At the correlation level lam the *tied* candidates have abs correlation lam. Along a segment :math:`\beta` moves by d per unit of lam,
d the solution of the small sign-constrained problem

    minimise 1/2 d'G d - s'd  over the tied candidates,   s_j d_j >= 0 for the constrained among them

so that those that move, the *active* ones, keep up with the falling level (a_j = s_j (G d)_j = 1) and the others fall at least as fast
(a_j >= 1): ties of any kind, copies and dependent columns are solved, not special cases. Constrained are, for

    LASSO      the tied candidates with coefficient 0: the others may shrink, and leave when they reach 0
    STAGEWISE  all of them: the limit FS_0 of forward stagewise
    LAR        none: every tied independent candidate moves

Arrays, m candidates of which k <= most are active:

    columns (m, n_samples), gram (m, m) or (0, 0)     the columns, and their inner products where they were formed at once
    active (most,), rank (m,)                         active[i] is a candidate, rank its place there or -1
    rows (most, m), factor (most, most)               inner products of the active candidates with all; Cholesky factor of theirs
    corr, beta, sign (m,)                             correlations, coefficients, signs of the correlations of tied candidates
    rate, direction (m,)                              how much corr falls, and beta grows, where lam falls by 1
    tied, barred (m,)                                 whether the correlation is lam; whether it cannot become active at this knot
    followed (4, m)                                   beta and corr at the last scan, and how they were to go on from there

Sources: Efron, Hastie, Johnstone, Tibshirani, *Least angle regression*, Sections 2-3; Lawson and Hanson, *Solving least squares
problems*, chapter 23 (the small problem); Golub and Van Loan, *Matrix computations*, Section 6.5 (changes of the factor).
"""

import math

import numpy as np

from coordboost._numba import kernel

#: The kinds of path, and why `walk` returns.
LASSO, LAR, STAGEWISE = range(3)
DONE, SCAN, CHECK, STALLED = range(4)
EPS = 2.3e-16
#: A level of so many ties is rounding: nothing becomes active there, and what follows is certain with that.
ROUNDED = 8.0
#: Columns have unit norm to 1e-8: so much more may a correlation move, in parts of the residual's move.
SLACK = 2.1e-8
#: Correlations tracked since the last scan are taken to be off by so many roundings of what the coefficients add up to: 2.9 were seen at
#: most, on nearly dependent columns, correlated ones, tall and wide.
TRACKED = 8.0 * EPS
#: A relative gap that rounding of large coefficients may cost before correlations are taken from the residual.
FINE = 1e-13
#: Active candidates with a smaller pivot are left as they are where rounding is brought back.
FAR = 1e-5
#: A candidate nearer to the span, in parts of 1 + the sizes of the coefficients of its projection, counts as dependent: its correlation
#: differs from what theirs say by no more than ties do. The first is that of LAR, where all tied candidates have to move: one so near would
#: need coefficients that no knot could hold, and costs less than a knot may be off by where it stays.
DEPENDENT_LAR, DEPENDENT = 1e-11, 1e-13
#: Where a pivot is smaller, what rounding leaves in a product of columns would be magnified to more than the direction.
LEAST_TOLD = 1e-7
#: Splits a float64 number into two of 26 digits. *Source*: Dekker, *A floating-point technique for extending the available precision*.
SPLIT = 2.0**27 + 1.0


@kernel
def forward(factor, k, b):
    """Solve U'z = b in place; ``factor[i, i:]`` is row i of U, so that every loop runs along a row."""
    for i in range(k):
        z = b[i] / factor[i, i]
        b[i] = z
        for j in range(i + 1, k):
            b[j] -= z * factor[i, j]


@kernel
def backward(factor, k, b):
    """Solve U x = b in place."""
    for i in range(k - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, k):
            total -= factor[i, j] * b[j]
        b[i] = total / factor[i, i]


@kernel
def append(factor, k, along, square):
    """Column k of the factor: `along` (k,), and the root of the squared distance from the span of the others."""
    for i in range(k):
        factor[i, k] = along[i]
    factor[k, k] = math.sqrt(square)


@kernel
def extend(factor, k, products, square):
    """Append a column, given its products with the k others and with itself; False, and nothing changed, where it depends on them.

    It does where its squared distance from their span is within the rounding of its computation.
    """
    forward(factor, k, products)
    rest = square
    for i in range(k):
        rest -= products[i] * products[i]
    if rest <= 64 * EPS * (k + 1) * square:
        return False
    append(factor, k, products, rest)
    return True


@kernel
def extend_near(factor, k, along, columns, active, j, least):
    """As `extend`, for a column near to the span of the others, given what `extend` left in `along`; False where it depends on them.

    The squared distance from the span is what is left of 1, so products, right to rounding u, show distances down to u^{1/2} only. The
    column less its projection shows them down to u. *Source*: Bjorck, *Stability analysis of the method of seminormal equations*.

    least : a distance, in parts of 1 + the sizes of the coefficients of the projection, below which a column counts as dependent
    """
    coefs, more, rest, length = along[:k].copy(), np.empty(k), np.empty(columns.shape[1]), 1.0
    backward(factor, k, coefs)
    for attempt in range(3):
        length = 1.0
        for q in range(len(rest)):
            rest[q] = columns[j, q]
        for i in range(k):
            length += abs(coefs[i])
            for q in range(len(rest)):
                rest[q] -= coefs[i] * columns[active[i], q]
        if attempt < 2:
            for i in range(k):
                more[i] = np.dot(columns[active[i]], rest)
            forward(factor, k, more)
            for i in range(k):
                along[i] += more[i]
            backward(factor, k, more)
            for i in range(k):
                coefs[i] += more[i]
    square = np.dot(rest, rest)
    if not square > (least * length) ** 2 * np.dot(columns[j], columns[j]):
        return False
    append(factor, k, along, square)
    return True


@kernel
def drop(factor, k, q):
    """Remove column q: rotations make the rest upper triangular again, which never lose that it has an inverse."""
    for i in range(k):
        for j in range(max(q, i - 1), k - 1):
            factor[i, j] = factor[i, j + 1]
    for i in range(q, k - 1):
        length = math.hypot(factor[i, i], factor[i + 1, i])
        c, s = factor[i, i] / length, factor[i + 1, i] / length
        factor[i, i] = length
        for j in range(i + 1, k - 1):
            a, b = factor[i, j], factor[i + 1, j]
            factor[i, j] = c * a + s * b
            factor[i + 1, j] = c * b - s * a


@kernel
def activate(j, k, least, columns, gram, rows, factor, active, rank, barred, work):
    """Candidate j becomes active; barred where it is nearer than `least` to the span of those that are. How many are active now."""
    if k < len(active):
        if len(gram):
            for i in range(len(rank)):
                rows[k, i] = gram[j, i]
        else:
            np.dot(columns, columns[j], rows[k])
        for i in range(k):
            work[i] = rows[k, active[i]]
        if extend(factor, k, work, rows[k, j]) or extend_near(factor, k, work, columns, active, j, least):
            active[k], rank[j] = j, k
            return k + 1
    barred[j] = True
    return k


@kernel
def deactivate(j, k, rows, factor, active, rank, direction):
    """Candidate j stops moving. How many are active now."""
    q = rank[j]
    drop(factor, k, q)
    rank[j], direction[j] = -1, 0.0
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
    """Whether a candidate with this coefficient may move in the direction of its correlation only."""
    return kind == STAGEWISE or (kind == LASSO and value == 0.0)


@kernel
def find_ties(lam, tie, corr, sign, rank, tied, barred):
    """Mark the tied candidates and give them their signs: how many they are, and the one that is new, if only one is, else -1."""
    new, n_new, n_tied = -1, 0, 0
    for j in range(len(corr)):
        before, barred[j] = tied[j], False
        tied[j] = rank[j] >= 0 or abs(corr[j]) >= lam - tie
        if tied[j] and rank[j] < 0:
            sign[j] = 1.0 if corr[j] > 0.0 else -1.0
            if not before:
                new, n_new = j, n_new + 1
        n_tied += tied[j]
    return n_tied, new if n_new == 1 else -1


@kernel
def step_towards(target, k, kind, beta, sign, direction, active, barred):
    """Go from the feasible direction towards `target` (k,) as far as the signs allow; the candidate in the way, or -1."""
    step, blocking = 1.0, -1
    for i in range(k):
        j = active[i]
        new, old = sign[j] * target[i], sign[j] * direction[j]
        if new <= 0.0 and is_constrained(kind, beta[j]):
            share = old / (old - new) if old > new else 0.0
            if share < step:
                step, blocking = share, j
    moved, length = 0.0, 1.0
    for i in range(k):
        j = active[i]
        old = direction[j]
        direction[j] = target[i] if blocking < 0 else old + step * (target[i] - old)
        moved, length = max(moved, abs(direction[j] - old)), length + abs(old)
    if moved > 1e-9 * length:  # the objective has become smaller: nobody who left is in the way of coming back
        for j in range(len(barred)):
            barred[j] = False
    if blocking >= 0 and step == 0.0:
        barred[blocking] = True
    return blocking


@kernel
def find_rates(k, rows, factor, active, sign, direction, rate, target):
    """The rates that go with the direction, which is corrected once where rounding shows in those of the active candidates."""
    least = 1.0
    for i in range(k):
        least = min(least, factor[i, i])
    for attempt in range(2):
        off, length = 0.0, 1.0
        for i in range(k):
            target[i] = direction[active[i]]
            length += abs(target[i])
        add_rows(rows, k, target, rate)
        for i in range(k):
            target[i] = sign[active[i]] - rate[active[i]]
            off = max(off, abs(target[i]))
        if attempt == 1 or off <= 64.0 * EPS * length or least <= LEAST_TOLD:
            return length
        forward(factor, k, target)
        backward(factor, k, target)
        for i in range(k):
            direction[active[i]] += target[i]
    return length


@kernel
def find_direction(
    kind, lam, tie, k, columns, gram, rows, factor, active, rank, corr, beta, sign, rate, direction, tied, barred, work
):
    """Find the active candidates and the direction of the next segment: Lawson and Hanson's method, started from the last segment's."""
    n_tied, new = find_ties(lam, tie, corr, sign, rank, tied, barred)
    least = DEPENDENT_LAR if kind == LAR else DEPENDENT
    if kind == LAR:
        for j in range(len(corr)):
            if tied[j] and rank[j] < 0 and lam > ROUNDED * tie:  # below that every candidate is tied
                k = activate(j, k, least, columns, gram, rows, factor, active, rank, barred, work)
    elif new >= 0:
        k = activate(new, k, least, columns, gram, rows, factor, active, rank, barred, work)
    for _ in range(20 * len(corr) + 100):
        blocking = 0
        while blocking >= 0:
            for i in range(k):
                work[i] = sign[active[i]]
            forward(factor, k, work)
            backward(factor, k, work)
            blocking = step_towards(work, k, kind, beta, sign, direction, active, barred)
            if blocking >= 0:
                k = deactivate(blocking, k, rows, factor, active, rank, direction)
        length = find_rates(k, rows, factor, active, sign, direction, rate, work)
        found, worst, doubt = -1, 0.0, 256.0 * EPS * length  # who would break away most from the falling level, the lowest of equals
        if kind != LAR and n_tied > k:
            for j in range(len(corr)):
                if tied[j] and rank[j] < 0 and not barred[j] and 1.0 - sign[j] * rate[j] > worst + doubt:
                    found, worst = j, 1.0 - sign[j] * rate[j]
        if found < 0:
            break
        k = activate(found, k, least, columns, gram, rows, factor, active, rank, barred, work)
    return k


@kernel
def step_length(kind, lam, end, tie, corr, rate, beta, direction, sign, rank, tied):
    """The fall of lam to the next knot, and the candidate whose coefficient reaches 0 there, or -1.

    What crosses the level so near the end, or so slowly, that it exceeds it there by no more than rounding is no knot.
    """
    whole, least, leaving = lam - end, lam - end, -1
    for j in range(len(corr)):
        if rank[j] >= 0:
            if kind == LASSO and direction[j] * sign[j] < 0.0:
                fall = max(0.0, -beta[j] / direction[j])
                if fall < least and whole - fall > 2.0 * tie:
                    least, leaving = fall, j
            continue
        for side in (1.0, -1.0):
            closing, apart = 1.0 - side * rate[j], lam - side * corr[j]
            if closing > 0.0 and apart < least * closing and not (tied[j] and sign[j] == side):
                fall = apart / closing
                if fall >= 0.0 and (whole - fall) * min(closing, 1.0) > 2.0 * tie:
                    least, leaving = fall, -1
    return least, leaving


@kernel
def strayed(gone, corr, beta, rate, direction, followed):
    """How far the residual is from where it was taken to go, squared, where lam falls by t more: ``square + t * (along + t * speed)``."""
    square, along, speed = 0.0, 0.0, 0.0
    for j in range(len(corr)):
        moved, way = beta[j] - followed[0, j] - gone * followed[2, j], direction[j] - followed[2, j]
        if moved != 0.0 or way != 0.0:
            fallen, faster = followed[1, j] - corr[j] - gone * followed[3, j], rate[j] - followed[3, j]
            square += moved * fallen
            along += moved * faster + way * fallen
            speed += way * faster
    return square, along, speed


@kernel
def certain_part(fall, lam, gone, tie, outside, far):
    """The part of a fall of lam in which no learner outside the candidates can reach the level, to one part in 4,096.

    outside : largest abs correlation outside at the last scan, and at the horizon, where the residual goes on as it was taken to; the
    fall to the horizon; the largest norm of a column outside;  gone : how far lam has fallen since the scan;  far : see `strayed`

    Along a line an abs correlation is convex: before the horizon it is at most the mixture of both ends. Beyond nothing is known.
    """
    there, ahead, horizon, norm = outside
    square, along, speed = far
    if lam <= ROUNDED * tie:
        return fall
    low, high, part, lowest = 0.0, fall, fall, 0.5 * ROUNDED * tie
    for _ in range(13):
        fallen = min(part, lam - lowest)
        share = (gone + fallen) / horizon
        moved = norm * (1.0 + SLACK) * math.sqrt(max(square + fallen * (along + fallen * speed), 0.0))
        if share <= 1.0 and there + (ahead - there) * share + moved + tie < lam - fallen:
            low = part
        else:
            high = part
        if low == fall:
            break
        part = 0.5 * (low + high)
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
def bring_back(lam, k, columns, target, rows, factor, active, corr, beta, sign, work, change, resid):
    """Bring the active correlations back to exactly lam, where rounding moved them: a step of iterative refinement.

    Where coefficients are large their correlations are taken from the residual, as sums of products leave too much rounding.

    Not along what candidates near to the span of those before them have of their own: rounding would be magnified there by the inverse
    of a squared distance, and correlations tell the coefficients to no more.
    """
    for attempt in range(2):
        worst, length = 0.0, 1.0
        for i in range(k):
            length += abs(beta[active[i]])
        most = (16.0 if attempt == 0 else 64.0) * EPS * length
        if attempt == 0 and EPS * length * length > FINE:
            most = 4.0 * EPS
            fill_residual(columns, target, beta, resid)
            for i in range(k):
                corr[active[i]] = np.dot(columns[active[i]], resid)
        for i in range(k):
            work[i] = corr[active[i]] - lam * sign[active[i]]
            worst = max(worst, abs(work[i]))
        if worst <= most:
            return
        for i in range(k):
            z = work[i] / factor[i, i] if factor[i, i] > FAR else 0.0
            work[i] = z
            for p in range(i + 1, k):
                work[p] -= z * factor[i, p]
        backward(factor, k, work)
        add_rows(rows, k, work, change)
        for i in range(k):
            beta[active[i]] += work[i]
        for j in range(len(corr)):
            corr[j] -= change[j]


def knot_gap(kind, lam, square, corr, beta, sign, rank, doubt, tracked):
    """At least the duality gap of a knot, whose residual has this square; the largest abs correlation; 1 + the l1 norm.

    doubt, tracked : correlations may be off by the first, and by the second times 1 + the l1 norm

    With s = lam / (lam + over) the dual value at s times the residual leaves ``square (1 - s)^2 / 2``, and what lam |beta|_1 is more than
    the correlations of the model account for; the dual value at 0 leaves the whole objective. LAR and FS_0 have no objective: there the
    first is left out, as long as no correlation is twice the level. At lam = 0 the end of the path is compared with least squares.
    """
    over, under, length, wrong, level = 0.0, 0.0, 1.0, 0.0, lam
    for j in range(len(corr)):
        off, size = abs(corr[j]) - lam, abs(beta[j])
        length, level = length + size, max(level, abs(corr[j]))
        if rank[j] >= 0 and sign[j] * corr[j] < 0.0:
            off = -abs(corr[j]) - lam
        over = max(over, off)
        if rank[j] >= 0 or (size > 0.0 and kind != STAGEWISE):
            under = max(under, -off)
        if kind == LASSO and rank[j] >= 0 and sign[j] * beta[j] < 0.0:
            wrong += size
    over += doubt + tracked * length
    hidden = 2.0 * EPS * length  # what rounding may make of that for anybody who computes the residual in float64
    gap = length * (over + under)
    if lam == 0.0:
        gap = min(gap, 0.5 * square)
    elif kind == LASSO:
        share = (over + hidden) / (lam + over + hidden)
        gap = min(gap + 2.0 * lam * wrong + 0.5 * square * share * share, lam * length + 0.5 * square)
    elif over > lam:
        gap = math.inf
    return gap, level, length


_knot_gap = kernel(knot_gap)


def walk(
    kind, lam, end, tie, k, idle, square, tolerance, gone, outside, columns, gram, rows, factor, active, rank,
    corr, beta, sign, rate, direction, tied, barred, followed, target, work, change, resid, lams, levels, betas, moving,
):  # fmt: skip
    """Go on until the level `end`, until only a scan can tell, or a closer look at the knot, or until the record is full.

    Returns why it ended, the level, how many candidates are active, knots in a row without progress, knots in the record, and the
    fall to the next knot, where that is not certain.

    gone : how far the level has fallen since the last scan;  outside : see `certain_part`
    target, resid : (n_samples,), the second is scratch, as `work` and `change` (m,) are
    tolerance : gap of a knot, for a target with this square, above which somebody has to look closer
    lams, levels, betas, moving : the record, one entry or row for a knot; `moving` at c, who moves on the segment that ends there
    """
    bring_back(lam, k, columns, target, rows, factor, active, corr, beta, sign, work, change, resid)
    for c in range(len(lams)):
        k = find_direction(
            kind, lam, tie, k, columns, gram, rows, factor, active, rank, corr, beta, sign, rate, direction, tied, barred, work
        )
        for j in range(len(corr)):
            moving[c, j] = rank[j] >= 0
        fall, leaving = step_length(kind, lam, end, tie, corr, rate, beta, direction, sign, rank, tied)
        whole = fall
        if outside[0] >= 0.0:
            fall = certain_part(whole, lam, gone, tie, outside, strayed(gone, corr, beta, rate, direction, followed))
            if fall == 0.0 < whole:
                return SCAN, lam, k, idle, c, whole
        idle = idle + 1 if fall <= 4.0 * EPS * lam else 0
        for j in range(len(corr)):
            corr[j] -= fall * rate[j]
        gone, lam = gone + fall, lam - fall if lam - fall > end + tie else end
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
                k = deactivate(j, k, rows, factor, active, rank, direction)
        bring_back(lam, k, columns, target, rows, factor, active, corr, beta, sign, work, change, resid)
        if fall < whole:
            return SCAN, lam, k, idle, c, whole
        gap, level, length = _knot_gap(kind, lam, square, corr, beta, sign, rank, 0.0, TRACKED)
        lams[c], levels[c] = lam, level + TRACKED * length + (ROUNDED * tie if lam < ROUNDED * tie and outside[0] >= 0.0 else 0.0)
        for j in range(len(corr)):
            betas[c, j] = beta[j]
        if not gap <= tolerance:
            return CHECK, lam, k, idle, c + 1, 0.0
        if lam <= end:
            return DONE, lam, k, idle, c + 1, 0.0
        if idle > 4 * len(corr) + 100:
            return STALLED, lam, k, idle, c + 1, 0.0
    return SCAN, lam, k, idle, len(lams), 0.0


def exact_residual(columns, beta, target, resid, lost):
    """``resid = target - beta @ columns``, summed with twice the digits, as large coefficients cancel in it; `lost` is scratch."""
    for q in range(len(resid)):
        resid[q], lost[q] = target[q], 0.0
    for j in range(len(beta)):
        by = -beta[j]
        if by == 0.0:
            continue
        top = SPLIT * by - (SPLIT * by - by)
        rest = by - top
        for q in range(len(resid)):
            x, before = columns[j, q], resid[q]
            x_top = SPLIT * x - (SPLIT * x - x)
            x_rest = x - x_top
            term = by * x
            after = before + term
            back = after - before
            lost[q] += (before - (after - back)) + (term - back)
            lost[q] += ((top * x_top - term) + top * x_rest + rest * x_top) + rest * x_rest
            resid[q] = after
    for q in range(len(resid)):
        resid[q] += lost[q]
