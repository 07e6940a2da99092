"""Root of a decreasing function of one number.

A bracket is found by doubling, then scipy's ``brentq`` is used inside it.
"""

import math

import numpy as np

from coordboost._numba.linesearch import CAP

EPS = 2.0**-52
#: The sign of a function here is taken as its sign at infinity.
FAR = 1e300


def farthest_constant(y, shift_invariant):
    """Return the largest constant prediction to search.

    It is ``CAP`` times the largest target for a loss of y - f, else at least ``CAP``.
    """
    largest = float(np.abs(y).max())
    return CAP * (largest or 1.0) if shift_invariant else max(CAP, 2 * largest)


def falling_root(
    function, near=0.0, step=1.0, limits=(-math.inf, math.inf), tolerance=1e-15, slope=0.0
):
    """Return the root of a decreasing `function`, None if it keeps its sign, and minus its slope
    there.

    Parameters
    ----------
    function : callable
        Of a float; must return 0 if its value is rounding. NaN and OverflowError stand for a value
        out of range.
    near, step : start of the search, and its first step, which is then doubled
    limits : before it leaves these, the search checks that there is a root
        A function that tends to 0 becomes exactly 0 by underflow.
    tolerance : absolute tolerance of the root; its relative tolerance is four roundings
    slope : a guess of minus the derivative near the root, from an earlier search; 0 for none
    """
    known = {}

    def at(x):
        if x not in known:
            known[x] = _value(function, x, math.copysign(math.inf, near - x))
        return known[x]

    x = float(near)
    before = math.inf
    asked = False
    while at(x) != 0:
        total = at(x)
        slow = 2 * abs(total) > before
        move = min(abs(total) / slope, step) if slope > 0 and not slow else step
        y = x + math.copysign(max(move, tolerance + 4 * EPS * abs(x)), total)
        if not (asked or limits[0] <= y <= limits[1]):
            asked = True
            if at(math.copysign(FAR, total)) * total >= 0:
                return None, slope
        if at(y) == 0:
            return y, slope
        if math.isfinite(total - at(y)) and (learned := (total - at(y)) / (y - x)) > 0:
            slope = learned
        if (at(y) > 0) != (total > 0):
            return _inside(at, x, y, tolerance), slope
        if abs(y) > FAR:
            return None, slope
        # after a shortened step the decrease tells nothing
        x = y
        before = abs(total) if move < step else math.inf
        step = 2 * step
    return x, slope


def _value(function, x, out_of_range):
    try:
        value = float(function(x))
    except OverflowError:
        return out_of_range
    return out_of_range if math.isnan(value) else value


def _inside(at, x, y, tolerance):
    """Return the root between x, which has the sign of the start, and y.

    None if the function leaves the range of float64 before it.
    """
    from scipy.optimize import brentq

    while math.isinf(at(y)):
        middle = x + (y - x) / 2
        if middle in (x, y):
            return None
        if at(middle) == 0:
            return middle
        if (at(middle) > 0) == (at(x) > 0):
            x = middle
        else:
            y = middle
    return float(brentq(at, x, y, xtol=tolerance, rtol=4 * EPS, maxiter=5000))
