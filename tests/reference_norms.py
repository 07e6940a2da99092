r"""The four greedy norms of random-then-greedy selection, their duals and the weights gamma, as printed and exact.

Vectors are (K,) arrays of any number type, ``groups`` is a list of index lists (a partition of range(K)), ``gamma`` the
non-increasing weights (one per coordinate for S, one per group for C). Everything stays a Fraction if the input is one.

LM = Lu, Mazumder, "Randomized Gradient Boosting Machine" (2020), Definitions 3.1-3.4, Propositions 3.1-3.3.
"""

from fractions import Fraction
from math import comb

import numpy as np


def gamma_weights(t, K):
    """LM (10): gamma_t^K(j) = C(K - j, t - 1) / C(K, t), j = 1..K: the law of the rank of the winner of t drawn."""
    return np.array([Fraction(comb(K - j, t - 1), comb(K, t)) for j in range(1, K + 1)])


def decreasing(values):
    return np.sort(np.asarray(values))[::-1]


def norm_inf(a):
    """max_j |a_j|"""
    return np.max(np.abs(a))


def dual_inf(b):
    """sum_j |b_j|"""
    return np.sum(np.abs(b))


def norm_ordered(a, gamma):
    """S: sum_j gamma_j |a_(j)|"""
    return gamma @ decreasing(np.abs(a))


def dual_ordered(b, gamma):
    """S*, LM (9): max_i (sum_{j <= i} |b_(j)|) / (sum_{j <= i} gamma_j)"""
    return np.max(np.cumsum(decreasing(np.abs(b))) / np.cumsum(gamma))


def norm_group(a, groups):
    """G: 1/G sum_g ||a_g||_inf"""
    return sum(norm_inf(a[g]) for g in groups) / len(groups)


def dual_group(b, groups):
    """G*: G max_g ||b_g||_1"""
    return len(groups) * max(dual_inf(b[g]) for g in groups)


def norm_mixed(a, groups, gamma):
    """C: sum_g gamma_g ||a_(g)||_inf, groups sorted by ||a_g||_inf"""
    return gamma @ decreasing([norm_inf(a[g]) for g in groups])


def dual_mixed(b, groups, gamma):
    """C*: max_g (sum_{j <= g} ||b_(j)||_1) / (sum_{j <= g} gamma_j), groups sorted by ||b_g||_1"""
    return np.max(np.cumsum(decreasing([dual_inf(b[g]) for g in groups])) / np.cumsum(gamma))
