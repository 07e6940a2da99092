"""The inner product of two vectors, as compiled loops take it: the order of its terms depends on their number alone."""

from coordboost._numba import reduction


@reduction
def inner_product(a, b):
    """The inner product of two vectors of one length."""
    total = 0.0
    for q in range(len(a)):
        total += a[q] * b[q]
    return total
