"""Learners that come near to the span of the active ones: their distance is taken of the columns, where Gram entries cannot tell.

The squared distance of a unit column from the span is what is left of 1, so entries of a Gram matrix, right to rounding u, show distances
down to u^{1/2} only. The column less its projection shows them down to u. *Source*: Bjorck, *Stability analysis of the method of
seminormal equations* (a factor without its orthonormal columns, and a step of refinement).
"""

import math

from coordboost._generic import leaf
from coordboost.exact.factor import backward, forward
from coordboost.exact.state import LAR
from coordboost.screening.inner_products import inner_product

#: A learner nearer to the span, in parts of 1 + the sizes of the coefficients of its projection, counts as dependent: its correlation
#: differs from what theirs say by no more than ties do. The first is that of LAR, where all tied learners have to move: one so near would
#: need coefficients that no corner could hold, and costs less than a corner may be off by where it stays.
DEPENDENT_LAR, DEPENDENT = 1e-11, 1e-13


@leaf
def less_projection(path, j, coefs):
    """The column of candidate j less the combination `coefs` (k,) of the active ones, in path.resid; 1 + sum |coefs|."""
    rest, length = path.resid, 1.0
    column = path.columns[j]
    for q in range(len(rest)):
        rest[q] = column[q]
    for i in range(path.now.n_active):
        column, by = path.columns[path.active[i]], coefs[i]
        length += abs(by)
        for q in range(len(rest)):
            rest[q] -= by * column[q]
    return length


@leaf
def extend_near(path, j, along):
    """Append candidate j to the factor, given ``along`` (k,), what `extend` left there; False where the learner is dependent."""
    now, factor, k = path.now, path.factor, path.now.n_active
    coefs, more, length, square = path.spare, path.scratch, 1.0, 0.0
    for i in range(k):
        coefs[i] = along[i]
    backward(factor, k, coefs)
    for attempt in range(3):
        length = less_projection(path, j, coefs)
        square = inner_product(path.resid, path.resid)
        if attempt == 2:
            break
        for i in range(k):
            more[i] = inner_product(path.columns[path.active[i]], path.resid)
        forward(factor, k, more)
        for i in range(k):
            along[i] += more[i]
        backward(factor, k, more)
        for i in range(k):
            coefs[i] += more[i]
    column = path.columns[j]
    size = math.sqrt(inner_product(column, column))
    least = DEPENDENT_LAR if now.kind == LAR else DEPENDENT
    if not square > (least * length * size) ** 2:
        return False
    for i in range(k):
        factor[i, k] = along[i]
    factor[k, k] = math.sqrt(square)
    return True
