"""Where a falling function of one number is 0: a bracket found by doubling, and scipy's ``brentq`` inside it."""

import math

import numpy as np

from coordboost._numba.linesearch import CAP

EPS = 2.0**-52
#: Where a search looks for the sign that a function keeps to infinity.
FAR = 1e300


def farthest_constant(y, shift_invariant):
    """How far a constant prediction is sought: of a loss of y - f in the unit of the targets, of others up to `CAP` and beyond targets."""
    largest = float(np.abs(y).max())
    return CAP * (largest or 1.0) if shift_invariant else max(CAP, 2 * largest)


def falling_root(function, near=0.0, step=1.0, limits=(-math.inf, math.inf), least=1e-15, slope=0.0):
    """Where `function`, which falls, is 0, and how steep it was there; None in the place of the root where it keeps its sign.

    Parameters
    ----------
    function : callable
        Of a float; 0 where its value is rounding. NaN and OverflowError stand for a value out of range.
    near, step : where to begin, and how far to go first: farther by doubling
    limits : outside of these the search asks whether there is a root at all, as functions that come to rest become 0 by underflow
    least : the root is found to so much, and to four roundings of itself
    slope : of an earlier search, minus the derivative near the root: a guess
    """
    known = {}

    def at(x):
        if x not in known:
            known[x] = _value(function, x, math.copysign(math.inf, near - x))
        return known[x]

    x, before, asked = float(near), math.inf, False
    while at(x) != 0:
        total = at(x)
        slow = 2 * abs(total) > before
        move = min(abs(total) / slope, step) if slope > 0 and not slow else step
        y = x + math.copysign(max(move, least + 4 * EPS * abs(x)), total)
        if not (asked or limits[0] <= y <= limits[1]):
            asked = True
            if at(math.copysign(FAR, total)) * total >= 0:
                return None, slope
        if at(y) == 0:
            return y, slope
        if math.isfinite(total - at(y)) and (learned := (total - at(y)) / (y - x)) > 0:
            slope = learned
        if (at(y) > 0) != (total > 0):
            return _inside(at, x, y, least), slope
        if abs(y) > FAR:
            return None, slope
        # of a step cut short nothing is learned about how fast the values fall
        x, before, step = y, abs(total) if move < step else math.inf, 2 * step
    return x, slope


def _value(function, x, out_of_range):
    try:
        value = float(function(x))
    except OverflowError:
        return out_of_range
    return out_of_range if math.isnan(value) else value


def _inside(at, x, y, least):
    """The root between x, where the sign is that of the start, and y; None where values leave the range before it changes."""
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
    return float(brentq(at, x, y, xtol=least, rtol=4 * EPS, maxiter=5000))
