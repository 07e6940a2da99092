"""Cholesky factor of the Gram matrix of a changing set of learners, G_AA = U'U: grown, shrunk, solved with.

``factor[i, i:]`` is row i of U, so every inner loop below runs along a row. A change of the set costs O(k^2), k = |A|.
*Numerics*: a learner whose squared distance to the span of the others is within the rounding of its computation counts as
dependent; dropping uses Givens rotations, which never lose positive definiteness. *Source*: Golub and Van Loan, Section 6.5.
"""

import math

import numpy as np

from coordboost._generic import kernel


@kernel
def forward(factor, k, b):
    """Solve U'z = b in place."""
    for i in range(k):
        z = b[i] / factor[i, i]
        b[i] = z
        row = factor[i]
        for j in range(i + 1, k):
            b[j] -= z * row[j]


@kernel
def backward(factor, k, b):
    """Solve U x = b in place."""
    for i in range(k - 1, -1, -1):
        b[i] = (b[i] - np.dot(factor[i, i + 1 : k], b[i + 1 : k])) / factor[i, i]


@kernel
def extend(gram, factor, active, k, j, column):
    """Append learner j to the k learners `active`; False, and nothing changed, where it depends on them. `column` is scratch."""
    row = gram[j]
    for i in range(k):
        column[i] = row[active[i]]
    forward(factor, k, column)
    rest = row[j]
    for i in range(k):
        rest -= column[i] * column[i]
    if rest <= 64 * 2.3e-16 * (k + 1) * row[j]:
        return False
    for i in range(k):
        factor[i, k] = column[i]
    factor[k, k] = math.sqrt(rest)
    active[k] = j
    return True


@kernel
def drop(factor, active, k, q):
    """Remove the learner at place q of `active`: its column goes, rotations make the rest upper triangular again."""
    for i in range(k):
        row = factor[i]
        for j in range(max(q, i - 1), k - 1):
            row[j] = row[j + 1]
    for i in range(q, k - 1):
        active[i] = active[i + 1]
        upper, lower = factor[i], factor[i + 1]
        length = math.hypot(upper[i], lower[i])
        c, s = upper[i] / length, lower[i] / length
        upper[i] = length
        for j in range(i + 1, k - 1):
            a, b = upper[j], lower[j]
            upper[j] = c * a + s * b
            lower[j] = c * b - s * a


@kernel
def refactor(gram, factor, active, k, column):
    """The factor of the k learners `active` from their Gram matrix; learners found dependent go to the end. Returns how many stay."""
    kept = 0
    for i in range(k):
        j = active[i]
        if extend(gram, factor, active, kept, j, column):
            kept += 1
    return kept
