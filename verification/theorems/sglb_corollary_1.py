r"""The risk of Langevin boosting on new targets (Corollary 1), and why a positive gamma is best.

Problem: the squared loss and blocks of columns drawn with fixed probabilities, targets with noise
of variance 1 at fixed rows; Welsch's loss with one coefficient, targets drawn from three numbers.

Method: the Gibbs distribution that SGLB (Algorithm 2) approaches.

Assumptions: for Welsch's loss beta >= 4 / gamma, and a spectral gap that can be computed.

Claim: the paper gives an order, the sum of those of Theorems 2 and 3; the constants are ours.
Upper: the mean risk on new targets, over all samples, is at most gamma / (2 N) F*'P^+F* + d / (2
beta) + d / (2 N) above its infimum for the squared loss, F* the projection of the mean of the
targets; for Welsch's loss at most the mean of the bounds of Theorem 2, plus that of Theorem 3.
Upper, too: at gamma = min(1, N / (2 |P^+F*|^2)) the risk is below that without a penalty, so that
the best gamma is positive, as the paper says.

Constants: as in Theorems 2 and 3.

Measured: closed forms over all signs of the noise, in Fractions, beta = 1; sums over a grid and
over all sets of targets, with their probabilities.

Reference: Ustimenko, Prokhorenkova, SGLB, Corollary 1.
"""

import math
from dataclasses import replace
from fractions import Fraction as F
from itertools import product

import numpy as np

from coordboost.theory.bounds import BoundCheck
from verification.spaces.blocks import independent
from verification.spaces.linear import solved
from verification.spaces.shrunken import CHAIN_CASES, CHAINS, gamma_of
from verification.statement import claim
from verification.theorems.sglb_nonconvex import CHANCES, CURVATURE, RESOLVED, SLACK, SLOPE, Wells


def excess_risk(case, smoother):
    """Return the mean risk on new targets minus its infimum, over all signs of the noise.

    Beta = 1.
    """
    n = case.law.n
    total = 0
    for signs in product((-1, 1), repeat=n):
        fit = smoother @ (case.y + np.array([F(s) for s in signs]))
        total += (case.y - fit) @ (case.y - fit)
    smallest = (case.y - case.best) @ (case.y - case.best)
    return (total / 2**n - smallest) / (2 * n) + np.trace(smoother) / 2


@claim("SGLB, Corollary 1 for the squared loss", CHAINS, sharpened="verified")
def check_risk(case, variant):
    """E L(new) - inf L <= gamma / (2 N) F*'P^+F* + d / (2 beta) + d / (2 N), beta = 1."""
    return _risk(case, 1, 0)


def _risk(case, noise, less):
    n = case.law.n
    rank = case.law.rank - less
    bound = case.law.gamma / (2 * n) * case.penalty() + F(rank, 2) + noise * F(rank, 2 * n)
    return _exact("risk", excess_risk(case, case.smoother), bound, case)


@claim("SGLB, Corollary 1, a positive gamma is better than none", CHAINS, sharpened="verified")
def check_positive(case, variant):
    """The risk at gamma = min(1, N / (2 |P^+F*|^2)) is below d / (2 beta) + d / (2 N), that at
    0.
    """
    return _positive(case, 1)


def _positive(case, times):
    n = case.law.n
    d = case.law.rank
    basis = independent(case.law.H)
    inside = solved(basis.T @ case.P @ basis, basis.T @ case.best)
    if inside is None:  # in floats, columns that are nearly dependent
        return None
    pulled = basis @ inside.ravel()
    size = pulled @ pulled
    gamma = times * (F(1) if size == 0 else min(F(1), n / (2 * size)))
    other = replace(case, law=replace(case.law, gamma=gamma))
    return _exact("risk", excess_risk(case, other.smoother), F(d, 2) + F(d, 2 * n), case)


def _exact(name, measured, bound, case):
    sides = np.array([measured]), np.array([bound])
    at = gamma_of(case)
    return BoundCheck(name, "sharpened", "upper", *sides, F(0), "exact", at=at, along="gamma")


@claim("SGLB, Corollary 1 for a loss that is not convex", of=Wells, sharpened="verified")
def check_wells(case, variant):
    """E L(new) - inf L <= mean of the bounds of Theorem 2 + 2 beta L0^2 / (lambda* N)."""
    return _wells(case, 1.0, 1.0)


def _wells(case, first, second):
    if not isinstance(case, Wells) or case.beta < 4 / case.gamma or case.least_gap < RESOLVED:
        return None
    new = CHANCES @ case.losses
    risk = 0.0
    bound = 0.0
    for counts in case.sets:
        ways = math.factorial(case.n) / math.prod(map(math.factorial, counts))
        chance = ways * math.prod(CHANCES**counts)
        risk += chance * float(case.law(counts) @ new)
        best = case.grid[(np.array(counts) @ case.losses).argmin()]
        bound += chance * case.gamma * best**2 / 2
    ratio = math.e * (CURVATURE + case.gamma) / (case.gamma / 2)
    ratio *= SLOPE**2 / (2 * case.gamma) * case.beta + 1
    bound += math.log(ratio) / (2 * case.beta)
    gap = 2 * case.beta * SLOPE**2 / (case.least_gap * case.n)
    return BoundCheck(
        "risk",
        "sharpened",
        "upper",
        risk - new.min(),
        first * bound + second * gap,
        SLACK,
        at=[case.n],
        along="samples",
        trivial=1.0,
    )


CASES = {
    **CHAIN_CASES,
    "6 samples, near targets": lambda: Wells(6, 20.0, 0.2, 0.4),
    "12 samples, near targets": lambda: Wells(12, 40.0, 0.1, 0.4),
    "4 samples, far targets": lambda: Wells(4, 20.0, 0.2),
}

SABOTAGE = {
    check_risk: {
        "no term for new targets": lambda case: _risk(case, 0, 0),
        "a dimension less": lambda case: _risk(case, 1, 1),
    },
    check_positive: {"a gamma a hundred times as large": lambda case: _positive(case, 100)},
    check_wells: {
        "a tenth of Theorem 2, nothing of Theorem 3": lambda case: _wells(case, 0.1, 0.0)
    },
}
