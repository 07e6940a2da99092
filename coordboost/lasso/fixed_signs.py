"""Least squares with an l1 penalty at fixed signs of the coefficients: a quadratic problem, whose
minimiser replaces many sweeps.

A coefficient that reaches 0 on the way stays there. Dependent columns are no special case.

Source: Golub and Van Loan, *Matrix computations* (conjugate gradients, Cholesky factors).
"""

import math

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.lapack import dposv

from coordboost._numba import compiled

#: Conjugate gradients start anew when a coefficient reaches 0 or after STEPS steps, at most
#: RESTARTS times. They end when the largest gradient times the l1 norm is at most PART times the
#: wanted gap, or when more than LEFT times the last largest gradient remains.
RESTARTS = 100
STEPS = 50
PART = 0.01
LEFT = 0.5
#: SURE: squared pivots above this part of the diagonal are not rounding. NULL: eigenvalues up to
#: this part of the largest count as 0.
SURE, NULL = 1e-11, 1e-11


def minimise_at_signs(image, corr, gamma, lam, goal, has_l1=True):
    """Minimise at the signs of the coefficients `gamma` (k,) by conjugate gradients.

    Parameters
    ----------
    image : callable
        Takes a direction (k,) to the fall of the correlations `corr` (k,) along it.
    has_l1 : bool
        False for ridge, where signs do not matter.

    Returns
    -------
    ndarray, (k,)
        The new coefficients.
    """
    gamma = gamma.copy()
    corr = corr.copy()
    last_largest = math.inf
    last_count = len(gamma)
    for _ in range(RESTARTS):
        sign = np.sign(gamma) if has_l1 else np.ones(len(gamma))
        grad = np.where(sign == 0, 0.0, corr - lam * sign)
        l1 = float(np.abs(gamma).sum())
        count = int(np.count_nonzero(sign))
        largest = float(np.abs(grad).max(initial=0.0))
        slow = count == last_count and largest > LEFT * last_largest
        if largest * l1 <= PART * goal or slow:
            break
        last_largest = largest
        last_count = count
        direction = grad
        square = float(grad @ grad)
        for _ in range(STEPS):
            change = image(direction)
            curvature = float(direction @ change)
            shrunken, to_zero = first_zero(gamma, direction) if has_l1 else (-1, math.inf)
            step = min(square / curvature, to_zero) if curvature > 0 else to_zero
            if step == math.inf:
                return gamma
            gamma = gamma + step * direction
            corr = corr - step * change
            if step == to_zero:
                gamma[shrunken] = 0.0
                break
            grad = np.where(sign == 0, 0.0, grad - step * change)
            last_square = square
            square = float(grad @ grad)
            if np.abs(grad).max() * l1 <= PART * goal:
                break
            direction = grad + square / last_square * direction
    return gamma


def first_zero(gamma, direction):
    """Find which of the coefficients `gamma` (k,) is the first to become 0 along `direction` (k,),
    and at which step; -1 and inf if none is.
    """
    shrinks = np.flatnonzero(np.sign(gamma) * direction < 0)
    if not len(shrinks):
        return -1, math.inf
    steps = -gamma[shrinks] / direction[shrinks]
    return shrinks[steps.argmin()], float(steps.min())


def solve_at_signs(gram, corr, gamma, lam):
    """As `minimise_at_signs`, by Cholesky factors of `gram` (k, k).

    None if columns are nearly, but not quite, dependent. If columns are dependent, some
    coefficients are moved to 0 first.
    """
    gamma = gamma.copy()
    used = np.arange(len(gamma))
    while len(used):
        square = gram[np.ix_(used, used)]
        grad = corr[used] - lam * np.sign(gamma[used])
        factor, direction, failed = dposv(square, grad)
        if failed or not (factor.diagonal() ** 2 > SURE * square.diagonal()).all():
            values, vectors = eigh(square)
            null_space = np.ascontiguousarray(vectors[:, values <= NULL * values[-1]])
            sparser = gamma[used]
            compiled(use_fewer)(null_space, grad, sparser, np.empty(len(used)))
            if sparser.all():
                return None
            corr = corr - (sparser - gamma[used]) @ gram[used]
            gamma[used] = sparser
            used = used[sparser != 0]
            continue
        shrunken, to_zero = first_zero(gamma[used], direction)
        step = min(1.0, to_zero)
        gamma[used] += step * direction
        if step < to_zero:
            break
        corr = corr - step * (direction @ gram[used])
        gamma[used[shrunken]] = 0.0
        used = np.delete(used, shrunken)
    return gamma


def use_fewer(null_space, grad, gamma, direction):
    """Move the coefficients `gamma` (k,) along the null directions `null_space` (k, n).

    Each move sets one of them to 0 and uses up a direction. The objective, whose gradient is
    -`grad`, does not rise.

    direction : (k,), scratch
    """
    for n in range(null_space.shape[1], 0, -1):
        direction[:] = 0.0
        for c in range(n):
            slope = 0.0
            for i in range(len(direction)):
                slope += grad[i] * null_space[i, c]
            for i in range(len(direction)):
                direction[i] += slope * null_space[i, c]
        shrunken = -1
        step = math.inf
        # if no coefficient shrinks, go the opposite way: the objective is constant here
        for _ in range(2):
            for i in range(len(direction)):
                if gamma[i] * direction[i] < 0.0 and -gamma[i] / direction[i] < step:
                    shrunken = i
                    step = -gamma[i] / direction[i]
            if shrunken >= 0:
                break
            for i in range(len(direction)):
                direction[i] = -direction[i] if direction[i] != 0.0 else null_space[i, 0]
        if shrunken < 0:
            return
        row = null_space[shrunken].copy()
        c = np.abs(null_space[shrunken, :n]).argmax()
        for i in range(len(direction)):
            gamma[i] += step * direction[i]
            multiple = null_space[i, c] / row[c]
            for q in range(n):
                null_space[i, q] -= multiple * row[q]
            null_space[i, c] = null_space[i, n - 1]
        gamma[shrunken] = 0.0
        null_space[shrunken] = 0.0
