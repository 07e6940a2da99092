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
def extend(factor, k, products, square):
    """Append a learner, given its products with the k others and with itself; False, and nothing changed, where it depends on them."""
    forward(factor, k, products)
    rest = square
    for i in range(k):
        rest -= products[i] * products[i]
    if rest <= 64 * 2.3e-16 * (k + 1) * square:
        return False
    for i in range(k):
        factor[i, k] = products[i]
    factor[k, k] = math.sqrt(rest)
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
