"""What rounding leaves at a corner of an exact path: brought back, measured, and held against what a corner may be off by."""

import math

from coordboost._generic import inlined, leaf
from coordboost.exact.corners import activate
from coordboost.exact.factor import backward
from coordboost.exact.products import candidate_products, fill_residual
from coordboost.exact.state import EPS, LASSO, STAGEWISE
from coordboost.screening.inner_products import inner_product

#: A relative gap that rounding of large coefficients may cost before correlations are computed from the residual.
FINE = 1e-13
#: Correlations tracked since the last scan are taken to be off by so many roundings of what the coefficients add up to: 2.9 were seen at
#: most, on nearly dependent columns, correlated ones, tall and wide.
TRACKED = 8.0 * EPS
#: Learners with a smaller pivot are left as they are where rounding is brought back.
FAR = 1e-5
#: Splits a float64 number into two of 26 digits. *Source*: Dekker, *A floating-point technique for extending the available precision*.
SPLIT = 2.0**27 + 1.0


@leaf
def refactor(path):
    """The factor of the active learners from their products; those found dependent are active no more."""
    now = path.now
    k = now.n_active
    now.n_active = 0
    for i in range(k):
        j = path.active[i]
        path.rank[j] = -1
        activate(path, j)


@inlined
def measure_active(path):
    """The correlations of the active learners from the residual itself: in sums of products large coefficients leave rounding."""
    fill_residual(path)
    for i in range(path.now.n_active):
        j = path.active[i]
        path.corr[j] = inner_product(path.columns[j], path.resid)


@inlined
def solve_far(path, b):
    """Solve G_AA x = b in place, but for what learners near to the span of those before them have of their own.

    Rounding in b would be magnified there by the inverse of a squared distance, and correlations tell the coefficients to no more.
    """
    factor, k = path.factor, path.now.n_active
    for i in range(k):
        z = b[i] / factor[i, i] if factor[i, i] > FAR else 0.0
        b[i] = z
        row = factor[i]
        for j in range(i + 1, k):
            b[j] -= z * row[j]
    backward(factor, k, b)


@inlined
def refine(path):
    """Bring the active correlations back to exactly lam, where rounding moved them: a step of iterative refinement."""
    now = path.now
    active, lam = path.active, now.lam
    for attempt in range(3):
        k, rest, worst, length = now.n_active, path.work, 0.0, 1.0
        for i in range(k):
            length += abs(path.beta[active[i]])
        most = (16.0 if attempt == 0 else 64.0) * EPS * length
        if attempt == 0 and EPS * length * length > FINE:
            measure_active(path)
            most = 4.0 * EPS
        for i in range(k):
            j = active[i]
            rest[i] = path.corr[j] - lam * path.sign[j]
            worst = max(worst, abs(rest[i]))
        if worst <= most:
            return
        if attempt == 2:
            if worst > 4096.0 * EPS * length:
                refactor(path)
            return
        solve_far(path, rest)
        change = path.spare
        candidate_products(path, rest, change)
        for i in range(k):
            path.beta[active[i]] += rest[i]
        for j in range(now.n_candidates):
            path.corr[j] -= change[j]


@leaf
def measure_residual(path):
    """The residual now in path.resid, and its square: summed with twice the digits, as large coefficients cancel in it."""
    resid, lost, beta, square = path.resid, path.lost, path.beta, 0.0
    for q in range(len(resid)):
        resid[q], lost[q] = path.target[q], 0.0
    for j in range(path.now.n_candidates):
        by = -beta[j]
        if by != 0.0:
            column = path.columns[j]
            top = SPLIT * by - (SPLIT * by - by)
            rest = by - top
            for q in range(len(resid)):
                x, before = column[q], resid[q]
                x_top = SPLIT * x - (SPLIT * x - x)
                x_rest = x - x_top
                term = by * x
                after = before + term
                back = after - before
                # what rounding took from the product, and from the sum
                lost[q] += rest * x_rest - (((term - top * x_top) - rest * x_top) - top * x_rest)
                lost[q] += (before - (after - back)) + (term - back)
                resid[q] = after
    for q in range(len(resid)):
        resid[q] += lost[q]
        square += resid[q] * resid[q]
    return square


@inlined
def deviation(path, everywhere):
    """How far correlations exceed lam, how far those of moving learners fall short of it, 1 + |beta|_1, and its part of the wrong sign."""
    now, beta, corr, active = path.now, path.beta, path.corr, path.active
    lam, over, under, length, wrong = now.lam, 0.0, 0.0, 1.0, 0.0
    for i in range(now.n_active):
        j = active[i]
        length += abs(beta[j])
        off = path.sign[j] * corr[j] - lam
        over, under = max(over, off), max(under, -off)
        if now.kind == LASSO and path.sign[j] * beta[j] < 0.0:
            wrong += abs(beta[j])
    # as tracked, the others are below lam where none was tied on the segment; they have coefficients in FS_0 only
    if everywhere or now.n_tied > now.n_active or now.kind == STAGEWISE:
        for j in range(now.n_candidates):
            if path.rank[j] < 0:
                length += abs(beta[j])
                off = abs(corr[j]) - lam
                over = max(over, off)
                if now.kind != STAGEWISE and beta[j] != 0.0:
                    under = max(under, -off)
    return over, under, length, wrong


@inlined
def corner_gap(path, over, under, length, wrong, square, unseen):
    """At least the duality gap of a corner that is off by so much; `square` is that of the residual.

    `unseen` is what rounding may make of `over` for anybody who computes the residual in float64.

    With s = lam / (lam + over) the dual value at s times the residual leaves ``square (1 - s)^2 / 2``, and what lam |beta|_1 is more than
    the correlations of the model account for; the dual value at 0 leaves the whole objective. LAR and FS_0 have no objective: there the
    first stands aside, as long as no correlation is twice the level. At lam = 0 the end of the path is held against least squares.
    """
    now = path.now
    lam = now.lam
    gap = length * (over + under)
    if now.kind == LASSO and lam > 0.0:
        share = (over + unseen) / (lam + over + unseen)
        return min(gap + 2.0 * lam * wrong + 0.5 * square * share * share, lam * length + 0.5 * square)
    if lam == 0.0:
        return min(gap, 0.5 * square)
    return gap if over <= lam else math.inf


@inlined
def is_exact(path):
    """Whether the corner holds. Where tracked correlations leave that open, they are computed anew from the residual."""
    now = path.now
    over, under, length, wrong = deviation(path, False)
    tracked = TRACKED * length
    if corner_gap(path, over + tracked, under, length, wrong, now.square, 0.0) <= now.tolerance:
        return True
    square = measure_residual(path)
    for j in range(now.n_candidates):
        path.corr[j] = inner_product(path.columns[j], path.resid)
    over, under, length, wrong = deviation(path, True)
    doubt = 4.0 * EPS * math.sqrt(len(path.resid) * square)
    return corner_gap(path, over + doubt, under, length, wrong, square, 2.0 * EPS * length) <= now.tolerance
