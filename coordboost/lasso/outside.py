"""The learners outside a working set, in compiled passes over all learners.

What the last check of all learners says of them: which may be near the penalty, which are expected
to reach it, and the gap over all.
"""

import math

import numpy as np

from coordboost._numba import kernel
from coordboost.lasso.penalty import LARGEST, duality_gap

#: Learners outside whose correlation exceeds this part of the penalty have a term of their own in
#: the gap, if the penalty has quadratic terms or limits.
NEAR = 0.97


@kernel
def within_reach(a, last, b, before, off, error, penalty, member, level, size, reach):
    """Fill the abs correlations `size`, as ``Penalty.size``, and their upper bounds `reach`,
    (n_learners,) each.

    Return the learners outside the set whose bound is above `level`, increasing.

    a, last, b, before : the correlations are about ``a last - b before``, (n_learners,) each
    off, error : ``off * error``, (n_learners,), bounds the difference
    """
    index = np.empty(len(last), dtype=np.int64)
    n = 0
    for j in range(len(last)):
        size[j] = abs(a * last[j] - b * before[j])
        reach[j] = size[j] + off * error[j]
    if penalty.limited:
        for j in range(len(last)):
            limit = penalty.upper[j] if a * last[j] > b * before[j] else -penalty.lower[j]
            if limit == 0.0:
                size[j] = 0.0
                reach[j] = off * error[j]
    for j in range(len(last)):
        if reach[j] > level and not member[j]:
            index[n] = j
            n += 1
    return index[:n]


@kernel
def expected_to_reach(size, before, fall, member, level):
    """The learners outside the set whose abs correlation is expected to reach `level`, increasing.

    It is `size` now, was `before`, and changes by `fall` times the difference.
    """
    index = np.empty(len(size), dtype=np.int64)
    n = 0
    for j in range(len(size)):
        if not member[j] and size[j] + fall * (size[j] - before[j]) >= level:
            index[n] = j
            n += 1
    return index[:n]


@kernel
def gap_over_all(coef, corr, penalty, learner, member, abs_corr, template, lam, square, along):
    """The gap over all learners, from what was computed at the last check.

    Members come first. Then come the learners outside whose abs correlations, or bounds of them,
    are near the penalty or above it, if the penalty has quadratic terms or limits; the last entry,
    without quadratic term and limit, stands for all others.

    Parameters
    ----------
    coef, learner, penalty : ndarray, (m,) each, and Penalty
        The members, and their penalty.
    corr : ndarray, (at most m,)
        The correlations at the check of those that were members then, without the ridge.
    member, abs_corr : ndarray, (n_learners,)
        Whether a learner is a member; its abs correlation at the check, or a bound of it.
    template, lam : Penalty and float
        The penalty of all learners at 1, and its factor.
    square, along : float
        <r, r> and <r, y - r>.
    """
    m = len(coef)
    apart = template.has_ridge or template.limited
    level = NEAR * penalty.lam if apart else math.inf
    size = m + 1
    largest = 0.0
    for j in range(len(member)):
        if not member[j]:
            if abs_corr[j] > level:
                size += 1
            else:
                largest = max(largest, abs_corr[j])
    all_coef = np.zeros(size)
    neg_grad = np.empty(size)
    ridge = np.zeros(size)
    upper = np.full(size, math.inf)
    cost = 0.0
    for a in range(len(corr)):
        all_coef[a] = coef[a]
        ridge[a] = penalty.ridge[a]
        neg_grad[a] = corr[a] - ridge[a] * coef[a]
        upper[a] = penalty.upper[a] if corr[a] > 0.0 else -penalty.lower[a]
        cost += ridge[a] * coef[a] * coef[a]
    place = len(corr)
    for a in range(len(corr), m):
        place = put_outside(neg_grad, ridge, upper, place, learner[a], abs_corr, template, lam)
    if apart:
        for j in range(len(member)):
            if not member[j] and abs_corr[j] > level:
                place = put_outside(neg_grad, ridge, upper, place, j, abs_corr, template, lam)
    neg_grad[place] = largest
    return duality_gap(
        all_coef,
        neg_grad,
        (square + cost) / 2.0,
        math.nan,
        along - cost,
        penalty.lam,
        ridge,
        -upper,
        upper,
    )


@kernel
def put_outside(neg_grad, ridge, upper, place, j, abs_corr, template, lam):
    """Enter learner j, without a coefficient, at a place of the arrays; return the next place."""
    neg_grad[place] = abs_corr[j]
    ridge[place] = min(lam * template.ridge[j], LARGEST)
    # a bound of a correlation has no sign: the larger limit counts
    upper[place] = max(template.upper[j], -template.lower[j])
    return place + 1
