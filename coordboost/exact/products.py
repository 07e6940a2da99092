"""Inner products of the candidates of an exact path: read from their Gram matrix, or taken of their columns.

At a corner the moves of the k active learners change the correlations of m candidates: m k products with the Gram matrix, (m + k)
n_samples without. The matrix itself takes m^2 n_samples, so it pays where there are more samples than learners.
"""

from coordboost._generic import inlined, leaf
from coordboost.screening.inner_products import inner_product


@inlined
def has_gram(path):
    """Whether the candidates have a Gram matrix."""
    return len(path.gram) > 0


@inlined
def active_products(path, j, out):
    """Inner products of candidate j with the active learners, in out[:k], and with itself."""
    active, k = path.active, path.now.n_active
    if has_gram(path):
        row = path.gram[j]
        for i in range(k):
            out[i] = row[active[i]]
        return row[j]
    column = path.columns[j]
    for i in range(k):
        out[i] = inner_product(path.columns[active[i]], column)
    return inner_product(column, column)


@inlined
def combine_active(path, values):
    """What `candidate_product` needs: the combination `values` (k,) of the active learners, where there is no Gram matrix."""
    if not has_gram(path):
        resid, active, k = path.resid, path.active, path.now.n_active
        resid[:] = 0.0
        for i in range(k):
            column, by = path.columns[active[i]], values[i]
            for q in range(len(resid)):
                resid[q] += by * column[q]


@inlined
def candidate_product(path, values, j):
    """The inner product of candidate j with the combination of the active learners that `combine_active` was called for."""
    if not has_gram(path):
        return inner_product(path.columns[j], path.resid)
    row, active, total = path.gram[j], path.active, 0.0
    for i in range(path.now.n_active):
        total += row[active[i]] * values[i]
    return total


@leaf  # its loops are faster apart: within a caller their numbers leave the registers
def candidate_products(path, values, out):
    """The inner products of all candidates with the combination `values` (k,) of the active learners, in out[:m]."""
    now = path.now
    gram, active, k, m = path.gram, path.active, now.n_active, now.n_candidates
    if not has_gram(path):
        combine_active(path, values)
        for j in range(m):
            out[j] = inner_product(path.columns[j], path.resid)
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


@inlined
def fill_residual(path):
    """The residual now, (n_samples,), in path.resid."""
    resid, beta = path.resid, path.beta
    for q in range(len(resid)):
        resid[q] = path.target[q]
    for j in range(path.now.n_candidates):
        if beta[j] != 0.0:
            column = path.columns[j]
            for q in range(len(resid)):
                resid[q] -= beta[j] * column[q]
