"""Inner products of the candidates of an exact path: read from their Gram matrix, or taken of their columns.

At a corner the moves of the k active learners change the correlations of m candidates: m k products with the Gram matrix, (m + k)
n_samples without. The matrix itself takes m^2 n_samples, so it pays where there are more samples than learners.
"""

from coordboost._generic import kernel
from coordboost.exact.state import ACTIVE, BETA, SIZE
from coordboost.screening.columns import dot


@kernel
def has_gram(edge):
    """Whether the candidates have a Gram matrix."""
    return len(edge.gram) > 0


@kernel
def with_active(edge, j, out):
    """Inner products of candidate j with the active learners, in out[:k], and with itself."""
    active, k = edge.active, edge.tally[ACTIVE]
    if has_gram(edge):
        row = edge.gram[j]
        for i in range(k):
            out[i] = row[active[i]]
        return row[j]
    column = edge.columns[j]
    for i in range(k):
        out[i] = dot(edge.columns[active[i]], column)
    return dot(column, column)


@kernel
def combine(edge, values):
    """What `along` needs of the coefficients `values` (k,) of the active learners: their combination, where there is no Gram matrix."""
    if not has_gram(edge):
        resid, active, k = edge.resid, edge.active, edge.tally[ACTIVE]
        resid[:] = 0.0
        for i in range(k):
            column, by = edge.columns[active[i]], values[i]
            for q in range(len(resid)):
                resid[q] += by * column[q]


@kernel
def along(edge, values, j):
    """The inner product of candidate j with the combination of the active learners that `combine` was called for."""
    if not has_gram(edge):
        return dot(edge.columns[j], edge.resid)
    row, active, total = edge.gram[j], edge.active, 0.0
    for i in range(edge.tally[ACTIVE]):
        total += row[active[i]] * values[i]
    return total


@kernel
def all_along(edge, values, out):
    """The inner products of all candidates with the combination `values` (k,) of the active learners, in out[:m]."""
    gram, active, k, m = edge.gram, edge.active, edge.tally[ACTIVE], edge.tally[SIZE]
    if not has_gram(edge):
        combine(edge, values)
        for j in range(m):
            out[j] = dot(edge.columns[j], edge.resid)
        return
    out[:m] = 0.0
    full = k - k % 4
    for i in range(0, full, 4):  # four rows at a time
        row_a, row_b, row_c, row_d = gram[active[i]], gram[active[i + 1]], gram[active[i + 2]], gram[active[i + 3]]
        a, b, c, d = values[i], values[i + 1], values[i + 2], values[i + 3]
        for j in range(m):
            out[j] += (a * row_a[j] + b * row_b[j]) + (c * row_c[j] + d * row_d[j])
    for i in range(full, k):
        row, by = gram[active[i]], values[i]
        for j in range(m):
            out[j] += by * row[j]


@kernel
def residual(edge):
    """The residual now, (n_samples,), in edge.resid."""
    resid, beta = edge.resid, edge.of[BETA]
    for q in range(len(resid)):
        resid[q] = edge.target[q]
    for j in range(edge.tally[SIZE]):
        if beta[j] != 0.0:
            column = edge.columns[j]
            for q in range(len(resid)):
                resid[q] -= beta[j] * column[q]
