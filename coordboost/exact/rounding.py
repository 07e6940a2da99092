"""What rounding leaves at a corner of an exact path: brought back, measured, and held against what a corner may be off by."""

from coordboost._generic import kernel
from coordboost.exact.corners import let_in, solve
from coordboost.exact.products import all_along, residual
from coordboost.exact.state import ACTIVE, BETA, EPS, LAM, NOW, PLACE, SIGN, SIZE, SPARE, TOL, WORK
from coordboost.screening.columns import dot

#: A relative gap that rounding of large coefficients may cost before correlations are computed from the residual.
FINE = 1e-13


@kernel
def refactor(edge):
    """The factor of the active learners from their products; those found dependent are active no more."""
    k = edge.tally[ACTIVE]
    edge.tally[ACTIVE] = 0
    for i in range(k):
        j = edge.active[i]
        edge.ids[PLACE, j] = -1
        let_in(edge, j)


@kernel
def measure(edge):
    """The correlations of the active learners from the residual itself: in sums of products large coefficients leave rounding."""
    residual(edge)
    for i in range(edge.tally[ACTIVE]):
        j = edge.active[i]
        edge.of[NOW, j] = dot(edge.columns[j], edge.resid)


@kernel
def refresh(edge):
    """Bring the active correlations back to exactly lam, where rounding moved them: a step of iterative refinement."""
    of, active, lam = edge.of, edge.active, edge.level[LAM]
    for attempt in range(3):
        k, rest, worst, length = edge.tally[ACTIVE], of[WORK], 0.0, 1.0
        for i in range(k):
            length += abs(of[BETA, active[i]])
        most = (16.0 if attempt == 0 else 64.0) * EPS * length
        if attempt == 0 and EPS * length * length > FINE:
            measure(edge)
            most = 4.0 * EPS
        for i in range(k):
            j = active[i]
            rest[i] = of[NOW, j] - lam * of[SIGN, j]
            worst = max(worst, abs(rest[i]))
        if worst <= most:
            return
        if attempt == 2:
            if worst > 4096.0 * EPS * length:
                refactor(edge)
            return
        solve(edge, rest)
        change = of[SPARE]
        all_along(edge, rest, change)
        for i in range(k):
            of[BETA, active[i]] += rest[i]
        for j in range(edge.tally[SIZE]):
            of[NOW, j] -= change[j]


@kernel
def deviation(edge):
    """How far correlations exceed lam, or those of active learners fall short of it, and 1 + |beta|_1: their product bounds the gap."""
    of, lam, off, length = edge.of, edge.level[LAM], 0.0, 1.0
    for j in range(edge.tally[SIZE]):
        length += abs(of[BETA, j])
        off = max(off, abs(of[NOW, j]) - lam)
        if edge.ids[PLACE, j] >= 0:
            off = max(off, abs(of[NOW, j] - lam * of[SIGN, j]))
    return off, length


@kernel
def is_exact(edge):
    """Whether the corner holds. Where tracked correlations leave that open, they are computed anew from the residual."""
    off, length = deviation(edge)
    # tracked since the last scan, they are taken to be off by a few roundings of what the coefficients add up to
    if length * (off + 8.0 * EPS * length) <= edge.level[TOL]:
        return True
    residual(edge)
    for j in range(edge.tally[SIZE]):
        edge.of[NOW, j] = dot(edge.columns[j], edge.resid)
    off, length = deviation(edge)
    return length * off <= edge.level[TOL]
