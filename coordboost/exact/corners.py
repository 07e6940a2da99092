r"""From corner to corner of the exact piecewise linear paths of the squared loss, on candidates: compiled blocks between scans.

At the correlation level lam the *tied* learners have abs correlation lam. Along a segment :math:`\beta` moves by d per unit of lam,
d the solution of the small sign-constrained problem

    minimise 1/2 d'G d - s'd  over the tied learners,   s_j d_j >= 0 for the constrained among them

so that the learners that move keep up with the falling level (a_j = s_j (G d)_j = 1) and the others fall at least as fast (a_j >= 1):
ties of any kind, copies and dependent columns are solved, not special cases. Constrained are, for

    LASSO      the tied learners with coefficient 0: the others may shrink, and leave when they reach 0
    STAGEWISE  all of them: the limit FS_0 of forward stagewise
    LAR        none: every tied independent learner moves

Sources: Efron, Hastie, Johnstone, Tibshirani, *Least angle regression*, Sections 2-3; Lawson and Hanson, *Solving least squares
problems*, chapter 23 (the solution of the small problem); Freund, Grigas, Mazumder, Section 2; the certificate is that of
``engine/views/lookahead.py``: outside the candidates nothing reaches lam while  outside + ||r - r_scan|| < lam.
"""

from coordboost._generic import kernel
from coordboost.exact.factor import backward, drop, extend, forward
from coordboost.exact.products import along, combine, with_active
from coordboost.exact.state import (
    ACTIVE,
    BARRED,
    BETA,
    EPS,
    KIND,
    LAM,
    LAR,
    LASSO,
    LEARNER,
    NOW,
    PLACE,
    SIGN,
    SIZE,
    SPARE,
    STAGEWISE,
    TIE,
    TIED,
    TIES,
    WAY,
    WORK,
)


@kernel
def is_constrained(edge, j):
    """Whether learner j may move in the direction of its correlation only."""
    kind = edge.tally[KIND]
    return kind == STAGEWISE or (kind == LASSO and edge.of[BETA, j] == 0.0)


@kernel
def let_in(edge, j):
    """Learner j becomes active with direction 0; barred at this corner where it depends on the active ones."""
    k = edge.tally[ACTIVE]
    edge.of[WAY, j] = 0.0
    products = edge.of[WORK]
    if k < len(edge.active) and extend(edge.factor, k, products, with_active(edge, j, products)):
        edge.active[k] = j
        edge.ids[PLACE, j] = k
        edge.tally[ACTIVE] = k + 1
    else:
        edge.ids[BARRED, j] = 1


@kernel
def let_out(edge, j):
    """Learner j stops moving."""
    k, q = edge.tally[ACTIVE], edge.ids[PLACE, j]
    drop(edge.factor, edge.active, k, q)
    edge.ids[PLACE, j] = -1
    for i in range(q, k - 1):
        edge.ids[PLACE, edge.active[i]] = i
    edge.tally[ACTIVE] = k - 1
    edge.of[WAY, j] = 0.0


@kernel
def solve(edge, b):
    """Solve G_AA x = b in place."""
    forward(edge.factor, edge.tally[ACTIVE], b)
    backward(edge.factor, edge.tally[ACTIVE], b)


@kernel
def unconstrained_way(edge, target):
    """target = G_AA^{-1} s_A, refined once where the factor is ill-conditioned."""
    k, of, active, factor = edge.tally[ACTIVE], edge.of, edge.active, edge.factor
    least = 1.0
    for i in range(k):
        target[i] = of[SIGN, active[i]]
        least = min(least, factor[i, i])
    solve(edge, target)
    if least < 1e-2:
        rest = of[SPARE]
        combine(edge, target)
        for i in range(k):
            rest[i] = of[SIGN, active[i]] - along(edge, target, active[i])
        solve(edge, rest)
        for i in range(k):
            target[i] += rest[i]


@kernel
def move_way(edge, target):
    """Go from the feasible direction towards `target` as far as the signs allow; True where it was reached, else some learner left."""
    of, active, k = edge.of, edge.active, edge.tally[ACTIVE]
    step, blocking = 1.0, -1
    for i in range(k):
        j = active[i]
        new, old = of[SIGN, j] * target[i], of[SIGN, j] * of[WAY, j]
        if new <= 0.0 and is_constrained(edge, j):
            share = old / (old - new) if old > new else 0.0
            if share < step:
                step, blocking = share, j
    moved, length = 0.0, 1.0
    for i in range(k):
        j = active[i]
        old = of[WAY, j]
        of[WAY, j] = target[i] if blocking < 0 else old + step * (target[i] - old)
        moved, length = max(moved, abs(of[WAY, j] - old)), length + abs(old)
    if moved > 1e-9 * length:
        # the objective has become smaller: nobody who left is in the way of coming back
        for j in range(edge.tally[SIZE]):
            edge.ids[BARRED, j] = 0
    if blocking < 0:
        return True
    if step == 0.0:
        edge.ids[BARRED, blocking] = 1
    let_out(edge, blocking)
    return False


@kernel
def list_ways(edge):
    """The direction of the active learners, by place, into the scratch row SPARE."""
    for i in range(edge.tally[ACTIVE]):
        edge.of[SPARE, i] = edge.of[WAY, edge.active[i]]


@kernel
def missing(edge):
    """The tied learner that would break away from the falling level most (the lowest of equals), or -1."""
    of, ids, length = edge.of, edge.ids, 1.0
    if edge.tally[TIES] == edge.tally[ACTIVE]:
        return -1
    list_ways(edge)
    ways = of[SPARE]
    combine(edge, ways)
    for i in range(edge.tally[ACTIVE]):
        length += abs(ways[i])
    found, worst = -1, 0.0
    doubt = 256.0 * EPS * length
    for j in range(edge.tally[SIZE]):
        if ids[TIED, j] and ids[PLACE, j] < 0 and not ids[BARRED, j]:
            lag = 1.0 - of[SIGN, j] * along(edge, ways, j)
            first = found >= 0 and ids[LEARNER, j] < ids[LEARNER, found]
            if lag > doubt and (lag > worst + doubt or (first and lag >= worst - doubt)):
                found, worst = j, lag
    return found


@kernel
def find_ties(edge):
    """Mark the tied learners and give them their signs; the one that is new, if only one is, else -1."""
    of, ids = edge.of, edge.ids
    bound = edge.level[LAM] - edge.level[TIE]
    new, n_new, n_tied = -1, 0, 0
    for j in range(edge.tally[SIZE]):
        ids[BARRED, j] = 0
        if ids[PLACE, j] >= 0:
            ids[TIED, j] = 1
        elif abs(of[NOW, j]) >= bound:
            of[SIGN, j] = 1.0 if of[NOW, j] > 0.0 else -1.0
            if not ids[TIED, j]:
                new, n_new = j, n_new + 1
            ids[TIED, j] = 1
        else:
            ids[TIED, j] = 0
        n_tied += ids[TIED, j]
    edge.tally[TIES] = n_tied
    return new if n_new == 1 else -1


@kernel
def settle(edge):
    """Find the active learners and the direction of the next segment: Lawson and Hanson's method, started from the last segment's."""
    ids, target, new = edge.ids, edge.of[WORK], find_ties(edge)
    if edge.tally[KIND] == LAR:
        while True:
            new = -1
            for j in range(edge.tally[SIZE]):
                if (
                    ids[TIED, j]
                    and ids[PLACE, j] < 0
                    and not ids[BARRED, j]
                    and (new < 0 or ids[LEARNER, j] < ids[LEARNER, new])
                ):
                    new = j
            if new < 0:
                break
            let_in(edge, new)
        new = -1
    if new >= 0:
        let_in(edge, new)
    for _ in range(20 * edge.tally[SIZE] + 100):
        while True:
            unconstrained_way(edge, target)
            if move_way(edge, target):
                break
        new = missing(edge) if edge.tally[KIND] != LAR else -1
        if new < 0:
            break
        let_in(edge, new)
