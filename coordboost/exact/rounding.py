"""What rounding leaves at a corner of an exact path: brought back, measured, and held against what a corner may be off by."""

from coordboost._generic import inlined, leaf
from coordboost.exact.corners import activate, solve_active
from coordboost.exact.products import candidate_products, fill_residual
from coordboost.exact.state import EPS, STAGEWISE
from coordboost.screening.inner_products import inner_product

#: A relative gap that rounding of large coefficients may cost before correlations are computed from the residual.
FINE = 1e-13
#: Correlations tracked since the last scan are taken to be off by so many roundings of what the coefficients add up to: 2.9 were seen at
#: most, on nearly dependent columns, correlated ones, tall and wide.
TRACKED = 8.0 * EPS


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
        solve_active(path, rest)
        change = path.spare
        candidate_products(path, rest, change)
        for i in range(k):
            path.beta[active[i]] += rest[i]
        for j in range(now.n_candidates):
            path.corr[j] -= change[j]


@inlined
def deviation(path, everywhere):
    """How far correlations exceed lam, or those of active learners fall short of it, and 1 + |beta|_1: their product bounds the gap."""
    now, beta, corr, active = path.now, path.beta, path.corr, path.active
    lam, off, length = now.lam, 0.0, 1.0
    for i in range(now.n_active):
        j = active[i]
        length += abs(beta[j])
        off = max(off, abs(corr[j] - lam * path.sign[j]))
    # as tracked, the others are below lam where none was tied on the segment; they have coefficients in FS_0 only
    if everywhere or now.n_tied > now.n_active or now.kind == STAGEWISE:
        for j in range(now.n_candidates):
            if path.rank[j] < 0:
                length += abs(beta[j])
                off = max(off, abs(corr[j]) - lam)
    return off, length


@inlined
def is_exact(path):
    """Whether the corner holds. Where tracked correlations leave that open, they are computed anew from the residual."""
    now = path.now
    off, length = deviation(path, False)
    if length * (off + TRACKED * length) <= now.tolerance:
        return True
    fill_residual(path)
    for j in range(now.n_candidates):
        path.corr[j] = inner_product(path.columns[j], path.resid)
    off, length = deviation(path, True)
    return length * off <= now.tolerance
