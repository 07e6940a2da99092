"""Exact minimisation along a line, of any smooth convex loss, and of a quadratic with an l1
penalty.

Source: Lu and Mazumder, Randomized Gradient Boosting Machine, Section 1.2 (step 4 of Algorithms
1-3); the safeguard is ours.
"""

import numpy as np

from coordboost._numba import kernel, verb


@kernel
def no_curvature(loss, y, f):
    """Stand-in for a loss without a second derivative: the search then bisects."""
    return 0.0 * f


@kernel
def never_asked(loss, y, f):
    """Stand-in for a loss that is no sum over the samples and has its own ``refresh_residual``."""
    return 0 * f


residual = verb("residual", never_asked)
curvature = verb("curvature", no_curvature)
value = verb("value")

#: Reason, in error messages, why a line search needs a convex loss.
NO_SEARCH = "line searches need a convex loss, use ShrunkenStep(rate)"
#: If the loss has no minimiser along the line (the learner separates the classes), the search stops
#: where the largest change of a prediction is this, or more (`longest_change`).
CAP = 50.0
#: Maximum number of doublings of a step beyond the limit. Entries of a learner that are smaller
#: than 2^-54 times the largest are rounding.
DOUBLINGS = 54
#: Maximum number of steps of a search; after TRUSTED Newton steps every other step is a bisection.
STEPS, TRUSTED = 400, 20
#: A derivative counts as 0 if it is at most this times the sum of its absolute terms. A Newton step
#: with such a derivative could leave the bracket, and some thirty bisections would follow.
ROUNDING = 2e-16


@kernel
def sign(x):
    """-1, 0 or 1."""
    return (x > 0) * 1 - (x < 0) * 1


@kernel
def soft_threshold(a, lam, square):
    """The x that minimises ``square x^2 / 2 - a x + lam |x|``.

    In NumPy it is ``sign(a) * maximum(abs(a) - lam, 0) / square``.
    """
    return (a - lam) / square if a > lam else ((a + lam) / square if a < -lam else 0 * a)


@kernel
def slope(loss, y, weight, f, direction, t):
    """First and second derivative in t of ``sum(weight * value(y, f + t * direction))``.

    The sum of the absolute terms of the first.
    """
    derivative = 0.0
    second = 0.0
    size = 0.0
    for i in range(len(y)):
        at = f[i] + t * direction[i]
        term = weight[i] * residual(loss, y[i], at) * direction[i]
        derivative -= term
        size += abs(term)
        second += weight[i] * curvature(loss, y[i], at) * direction[i] * direction[i]
    return derivative, second, size


@kernel
def bracket(loss, y, weight, f, direction, sign, begin, near, limit):
    """Return a step length in the direction `sign` at which the derivative has changed sign.

    `limit` if it never does.

    A loss without curvature tries `near` first.

    begin : what `slope` returns at t = 0
    """
    derivative, second, size = begin
    far = near if second <= 0.0 else min(limit, 2.0 * abs(derivative) / second)
    while far < limit and sign * slope(loss, y, weight, f, direction, sign * far)[0] < 0.0:
        far = min(limit, 2.0 * far)
    return far if far < limit else beyond(loss, y, weight, f, direction, sign, size, limit)


@kernel
def beyond(loss, y, weight, f, direction, sign, begin, limit):
    """Continue `bracket` beyond `limit`.

    Samples with small entries may change the sign where the derivatives of all others are 0.

    begin : the sum of the absolute terms of the derivative at 0
    """
    whole = 0.0
    for i in range(len(y)):
        whole += weight[i] * abs(direction[i])
    still = ROUNDING * min(begin, whole)  # begin may be huge
    far = limit
    ends = limit
    for _ in range(DOUBLINGS):
        derivative, _, size = slope(loss, y, weight, f, direction, sign * far)
        turned = not sign * derivative < 0.0
        if turned or size <= still:
            ends = far if turned and size > 0.0 else limit
            break
        far = 2.0 * far
    return ends


@kernel
def longest_change(y, f):
    """Return the largest change of a prediction up to which `bracket` doubles.

    It is ``CAP``, or more if targets are farther away.
    """
    far = 0.0
    for i in range(len(y)):
        far = max(far, abs(y[i] - f[i]))
    return max(CAP, 2.0 * far)


@kernel
def safeguarded_newton(loss, y, weight, f, direction):
    """Minimise ``sum(weight * value(y, f + t * direction))`` over t.

    By Newton steps, kept inside a shrinking bracket.

    *Cost*: a few passes over the samples. *Numerics*: stops when the bracket is a few ulp wide or
    the derivative is rounding. On an exponential each Newton step has length 1: after ``TRUSTED``
    of them every other step is a bisection.
    """
    begin = slope(loss, y, weight, f, direction, 0.0)
    derivative = begin[0]
    largest = 0.0
    for i in range(len(direction)):
        largest = max(largest, abs(direction[i]))
    if derivative == 0.0 or largest == 0.0:
        return 0.0
    sign = 1.0 if derivative < 0.0 else -1.0
    low = 0.0
    high = bracket(
        loss, y, weight, f, direction, sign, begin, CAP / largest, longest_change(y, f) / largest
    )
    t = high
    for k in range(STEPS):
        derivative, second, size = slope(loss, y, weight, f, direction, sign * t)
        derivative *= sign
        if derivative < 0.0:
            low = t
        else:
            high = t
        if abs(derivative) <= ROUNDING * size or high - low <= 4e-16 * high:
            break
        newton = t - derivative / second if second > 0.0 and (k < TRUSTED or k % 2 == 0) else low
        t = newton if low < newton < high else 0.5 * (low + high)
        if t in (low, high):
            break
    return sign * t


line_search = verb("line_search", safeguarded_newton)


@kernel
def group_searches(loss, y, weight, f, group, steps, whole):
    """Let no step of a group of samples (the leaf of a tree) raise the sum of its losses.

    Return whether a step has changed.

    A group whose step raises the sum takes the step that minimises it; all groups do, if `whole`.
    *Cost*: a pass over the samples, and a line search for each group that needs one. *Numerics*: a
    sum has risen if it did by more than its rounding.

    group : (n_samples,), the group of each sample;  steps : (n_groups,), changed in place
    """
    n_groups = len(steps)
    rise = np.zeros(n_groups)
    size = np.zeros(n_groups)
    ends = np.zeros(n_groups + 1, np.int64)
    for i in range(len(y)):
        g = group[i]
        ends[g + 1] += 1
        if weight[i] > 0.0 and not whole:
            before = value(loss, y[i], f[i])
            after = value(loss, y[i], f[i] + steps[g])
            rise[g] += weight[i] * (after - before)
            size[g] += weight[i] * (abs(after) + abs(before))
    changed = whole
    for g in range(n_groups):
        ends[g + 1] += ends[g]
        changed |= not rise[g] <= ROUNDING * size[g]  # also true for NaN
    if changed:
        order = np.zeros(len(y), np.int64)
        at = ends.copy()
        for i in range(len(y)):
            order[at[group[i]]] = i
            at[group[i]] += 1
        for g in range(n_groups):
            rows = order[ends[g] : ends[g + 1]]
            if len(rows) > 0 and (whole or not rise[g] <= ROUNDING * size[g]):
                steps[g] = line_search(loss, y[rows], weight[rows], f[rows], np.ones(len(rows)))
    return changed
