r"""The best multiple of the residual as a dual point.

With a residual r, its correlations c = B'r and the conjugate p* of the penalty, convexity bounds
the optimum from below for every s >= 0:

.. math:: D(s) = s\,a - s^2 b / 2 - \sum_j p_j^*(s\,|c_j|),

for the squared loss with :math:`a = \langle r, y \rangle`, :math:`b = \langle r, r \rangle`; for
other losses, above their infimum I, with :math:`a = L + \langle r, B\beta \rangle - I`, b = 0 and
s <= 1. The penalty of a coefficient is :math:`p\,|\beta| + q\,\beta^2 / 2` within limits. D is
concave, and every s gives a bound that holds: so s need not be exact. For the Lasso the best s is
known at once; quadratic terms and limits take some passes over the correlations.

Sources: Fenchel's duality, as in Rockafellar, *Convex analysis*, Section 31; El Ghaoui, Viallon,
Rabbani, *Safe feature elimination for the Lasso* (the best multiple of the residual).
"""

import math

from coordboost._numba import kernel
from coordboost._numba.sums import base_at

#: Maximum number of passes in the search for the best multiple.
PASSES = 80
#: The search ends when it moves by less than this part.
CLOSE = 1e-10
#: The largest multiple.
LARGEST = 1e100
#: A scaled correlation counts as at its price from this part below it on.
KINK = 1e-14
#: Scaled correlations are rounded: they count from this multiple of the price on.
ABOVE = 1 + 2.0**-50


@kernel
def conjugate(size, price, ridge, limit):
    """Return the maximum of ``size b - price b - ridge b^2 / 2`` over 0 <= b <= limit."""
    excess = size - price * ABOVE
    if not (excess > 0.0 and limit > 0.0):
        return 0.0
    if ridge > 0.0 and excess / ridge < limit:
        return excess * (excess / ridge) / 2.0
    return (excess - ridge * limit / 2.0 if ridge > 0.0 else excess) * limit


@kernel
def slopes(s, price, ridge, size, limit):
    """The first and second derivative, in s, of the sum of the conjugates at ``s size``.

    Coefficients without quadratic term and limit are left out; at a kink the derivative is that
    from the right.
    """
    slope = 0.0
    curvature = 0.0
    for j in range(len(size)):
        cost = base_at(price, j)
        excess = s * size[j] - cost
        if ridge[j] > 0.0 and excess / ridge[j] < limit[j]:
            if excess > 0.0:
                slope += size[j] * (excess / ridge[j])
                curvature += size[j] * (size[j] / ridge[j])
        elif limit[j] < math.inf and excess > -KINK * cost:
            slope += size[j] * limit[j]
    return slope, curvature


@kernel
def breakpoints(most, price, ridge, size, limit):
    """Return the largest s with a finite D, at most `most`; the smallest s where a correlation
    reaches its price and costs at once; whether quadratic terms cost, and whether limits do.
    """
    high = most
    kink = most
    has_ridge = False
    has_limit = False
    for j in range(len(size)):
        if size[j] > 0.0 and limit[j] > 0.0:
            if ridge[j] > 0.0:
                has_ridge = True
            else:
                kink = min(kink, base_at(price, j) / size[j])
                if limit[j] == math.inf:
                    high = min(high, base_at(price, j) / size[j])
                else:
                    has_limit = True
    return high, kink, has_ridge, has_limit


@kernel
def best_multiple(along, square, most, price, ridge, size, limit):
    """Return the s, from 0 to `most`, with the largest lower bound D(s), or one close to it.

    Parameters
    ----------
    along, square : float
        a and b, as above.
    most : float
        The largest s that is allowed: inf, or 1.
    price : float or ndarray, (m,)
        The factors of the abs coefficients in the penalty.
    ridge : ndarray, (m,)
        The factors of half their squares.
    size : ndarray, (m,)
        The abs correlations.
    limit : ndarray, (m,)
        The limit of each coefficient on the side of its correlation; inf for none.
    """
    high, kink, has_ridge, has_limit = breakpoints(most, price, ridge, size, limit)
    if square > 0.0:
        high = min(high, max(along, 0.0) / square)
    elif not along > 0.0:
        high = 0.0
    high = min(high, LARGEST)
    s = min(high, kink)
    if not (has_ridge or has_limit):
        return s
    low = 0.0
    for k in range(PASSES):
        slope, curvature = slopes(s, price, ridge, size, limit)
        rise = along - s * square - slope
        if rise >= 0.0 and s == high:
            return s
        if rise < 0.0 and s == kink and not has_ridge:
            return s
        if rise > 0.0:
            low = s
        else:
            high = s
        bend = square + curvature
        goal = s + rise / bend if bend > 0.0 else -1.0
        if goal > high and rise > 0.0:
            goal = high
        # between kinks the second derivative says little
        if low < goal <= high and not (has_limit and k % 2):
            if abs(goal - s) <= CLOSE * s:
                return goal
            s = goal
        elif high - low <= CLOSE * high:
            return low
        else:
            s = 0.5 * (low + high)
    return low if low > 0.0 else s
