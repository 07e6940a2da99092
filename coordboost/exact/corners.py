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

from coordboost._generic import inlined
from coordboost.exact.factor import backward, drop, extend, forward
from coordboost.exact.near import extend_near
from coordboost.exact.products import active_products, candidate_product, combine_active
from coordboost.exact.state import EPS, LAR, LASSO, STAGEWISE


@inlined
def is_constrained(path, j):
    """Whether learner j may move in the direction of its correlation only."""
    now = path.now
    return now.kind == STAGEWISE or (now.kind == LASSO and path.beta[j] == 0.0)


@inlined
def activate(path, j):
    """Learner j becomes active with direction 0; barred at this corner where it depends on the active ones."""
    now = path.now
    k = now.n_active
    path.direction[j] = 0.0
    products = path.work
    if k < len(path.active) and (
        extend(path.factor, k, products, active_products(path, j, products)) or extend_near(path, j, products)
    ):
        path.active[k] = j
        path.rank[j] = k
        now.n_active = k + 1
    else:
        path.barred[j] = 1


@inlined
def deactivate(path, j):
    """Learner j stops moving."""
    now = path.now
    k, q = now.n_active, path.rank[j]
    drop(path.factor, path.active, k, q)
    path.rank[j] = -1
    for i in range(q, k - 1):
        path.rank[path.active[i]] = i
    now.n_active = k - 1
    path.direction[j] = 0.0


#: Where a pivot is smaller, what rounding leaves in a product of columns would be magnified to more than the direction.
LEAST_TOLD = 1e-7


@inlined
def solve_active(path, b):
    """Solve G_AA x = b in place."""
    now = path.now
    forward(path.factor, now.n_active, b)
    backward(path.factor, now.n_active, b)


@inlined
def free_direction(path, target):
    """target = G_AA^{-1} s_A, refined once where the factor is ill-conditioned, and products of columns can tell what is off."""
    k, active, factor = path.now.n_active, path.active, path.factor
    least = 1.0
    for i in range(k):
        target[i] = path.sign[active[i]]
        least = min(least, factor[i, i])
    solve_active(path, target)
    if LEAST_TOLD < least < 1e-2:
        rest = path.spare
        combine_active(path, target)
        for i in range(k):
            rest[i] = path.sign[active[i]] - candidate_product(path, target, active[i])
        solve_active(path, rest)
        for i in range(k):
            target[i] += rest[i]


@inlined
def move_direction(path, target):
    """Go from the feasible direction towards `target` as far as the signs allow; True where it was reached, else some learner left."""
    now = path.now
    sign, direction, active, k = path.sign, path.direction, path.active, now.n_active
    step, blocking = 1.0, -1
    for i in range(k):
        j = active[i]
        new, old = sign[j] * target[i], sign[j] * direction[j]
        if new <= 0.0 and is_constrained(path, j):
            share = old / (old - new) if old > new else 0.0
            if share < step:
                step, blocking = share, j
    moved, length = 0.0, 1.0
    for i in range(k):
        j = active[i]
        old = direction[j]
        direction[j] = target[i] if blocking < 0 else old + step * (target[i] - old)
        moved, length = max(moved, abs(direction[j] - old)), length + abs(old)
    if moved > 1e-9 * length:
        # the objective has become smaller: nobody who left is in the way of coming back
        for j in range(now.n_candidates):
            path.barred[j] = 0
    if blocking < 0:
        return True
    if step == 0.0:
        path.barred[blocking] = 1
    deactivate(path, blocking)
    return False


@inlined
def list_directions(path):
    """The direction of the active learners, in their order, in path.spare."""
    for i in range(path.now.n_active):
        path.spare[i] = path.direction[path.active[i]]


@inlined
def most_lagging(path):
    """The tied learner that would break away from the falling level most (the lowest of equals), or -1."""
    now = path.now
    if now.n_tied == now.n_active:
        return -1
    list_directions(path)
    directions, length = path.spare, 1.0
    combine_active(path, directions)
    for i in range(now.n_active):
        length += abs(directions[i])
    found, worst = -1, 0.0
    doubt = 256.0 * EPS * length
    for j in range(now.n_candidates):
        if path.tied[j] and path.rank[j] < 0 and not path.barred[j]:
            lag = 1.0 - path.sign[j] * candidate_product(path, directions, j)
            first = found >= 0 and path.learner[j] < path.learner[found]
            if lag > doubt and (lag > worst + doubt or (first and lag >= worst - doubt)):
                found, worst = j, lag
    return found


@inlined
def find_ties(path):
    """Mark the tied learners and give them their signs; the one that is new, if only one is, else -1."""
    now = path.now
    tied, sign, corr = path.tied, path.sign, path.corr
    bound = now.lam - now.tie
    new, n_new, n_tied = -1, 0, 0
    for j in range(now.n_candidates):
        path.barred[j] = 0
        before, tied[j] = tied[j], path.rank[j] >= 0 or abs(corr[j]) >= bound
        if tied[j] and path.rank[j] < 0:
            sign[j] = 1.0 if corr[j] > 0.0 else -1.0
            if not before:
                new, n_new = j, n_new + 1
        n_tied += tied[j]
    now.n_tied = n_tied
    return new if n_new == 1 else -1


@inlined
def find_direction(path):
    """Find the active learners and the direction of the next segment: Lawson and Hanson's method, started from the last segment's."""
    now = path.now
    target, new = path.work, find_ties(path)
    if now.kind == LAR:
        while True:
            new = -1
            for j in range(now.n_candidates):
                if (
                    path.tied[j]
                    and path.rank[j] < 0
                    and not path.barred[j]
                    and (new < 0 or path.learner[j] < path.learner[new])
                ):
                    new = j
            if new < 0:
                break
            activate(path, new)
    if new >= 0:
        activate(path, new)
    for _ in range(20 * now.n_candidates + 100):
        while True:
            free_direction(path, target)
            if move_direction(path, target):
                break
        new = most_lagging(path) if now.kind != LAR else -1
        if new < 0:
            break
        activate(path, new)
