"""Coordinate descent for the Lasso on a Gram matrix, compiled: sweeps, rounds of them, and the gap on the working set.

gram : (m, m);  start, now, gamma : (m,), correlations at 0 and now, coefficients

Source: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via coordinate descent* (covariance updates).
"""

from coordboost._generic import kernel
from coordboost._linesearch import soft_threshold
from coordboost.lasso.gaps import squared_gap

#: Sweeps over the support in a round.
SWEEPS = 10


@kernel
def sweep_gram(gram, now, gamma, index, n, lam):
    """Minimise exactly along each of the n learners `index` in turn; the decrease of the objective."""
    gain = 0.0
    for i in range(n):
        j = index[i]
        old, square = gamma[j], gram[j, j]
        a = now[j] + square * old
        new = soft_threshold(a, lam, square)
        move = new - old
        if move != 0.0:
            gain += move * (now[j] - 0.5 * square * move) - lam * (abs(new) - abs(old))
            gamma[j] = new
            row = gram[j]
            for q in range(len(now)):
                now[q] -= move * row[q]
    return gain


@kernel
def go_round(gram, now, gamma, everything, support, lam, goal):
    """A sweep over the working set, and sweeps over its support until they gain little."""
    n = 0
    sweep_gram(gram, now, gamma, everything, len(gamma), lam)
    for j in range(len(gamma)):
        if gamma[j] != 0.0:
            support[n] = j
            n += 1
    for _ in range(SWEEPS):
        if sweep_gram(gram, now, gamma, support, n, lam) <= 0.1 * goal:
            break


@kernel
def gap_inside(start, now, gamma, lam, square_y):
    """Duality gap on the working set, learners outside left out."""
    worst, along, l1, square = 0.0, 0.0, 0.0, square_y
    for j in range(len(now)):
        worst = max(worst, abs(now[j]))
        if gamma[j] != 0.0:
            along += gamma[j] * now[j]
            square -= gamma[j] * (start[j] + now[j])
            l1 += abs(gamma[j])
    return squared_gap(max(square, 0.0), along, l1, worst, lam)


def correlations_by_gram(gram, start, gamma, now):
    """The correlations of the working set at `gamma`, from those at 0, into `now`."""
    now[:] = start
    for j in range(len(now)):
        if gamma[j] != 0.0:
            move, row = gamma[j], gram[j]
            for q in range(len(now)):
                now[q] -= move * row[q]


def descend_by_gram(gram, start, now, gamma, everything, support, lam, goal, square_y, rounds):
    """Rounds of sweeps, until the gap on the working set is at most `goal`; whether it is."""
    for _ in range(rounds):
        go_round(gram, now, gamma, everything, support, lam, goal)
        if gap_inside(start, now, gamma, lam, square_y) <= goal:
            return True
    return False
