r"""The Rademacher complexity of trees with bounded leaf values (Theorem 1), on stumps.

Problem: samples x_1, ..., x_m in R^d; trees with at most n = 1 split and leaf values of q-norm at most lambda = 1.

Method: for signs s the largest of sum_i s_i h(x_i) is the largest dual norm of the sums of s in two leaves, over all splits.

Assumptions: none; the samples are fixed.

Claim: upper, in expectation: E sup_h (1/m) sum_i s_i h(x_i) <= lambda sqrt((4 n + 2) log2(d + 2) ln(m + 1) / m). The printed definition
lacks 1/m, and is refuted; the corrected one has it. Sharpened: lambda sqrt(2 (n ln(8 d (m + 1)) + ln 2) / m), and at most lambda.

Constants: none.

Measured: for m <= 10 the mean over all 2^m signs; else the lower confidence limit of a mean over 1,000 random ones, by Hoeffding's
inequality at 1e-5: the values lie in [0, 1].

Reference: Cortes, Mohri, Storcheus, *Regularized Gradient Boosting*, Theorem 1. A family of every q has the bound of q = infinity, where
the trees are those of the values -1 and +1; the count of their labellings is ours.
"""

import itertools
import math

import numpy as np

from coordboost.bounds import BoundCheck, sharper_tree_complexity, tree_complexity
from verification.space import Space
from verification.statement import claim

DRAWS, ALARM = 1000, 1e-5


class Stumps:
    """Samples, and the mean of the largest sums: all signs, or some at random."""

    def __init__(self, x, q, rng=None):
        self.m, self.d = m, _ = x.shape
        self.q = q
        order = np.argsort(x, axis=0)
        every = m <= 10
        signs = np.array(list(itertools.product((-1.0, 1.0), repeat=m))) if every else rng.choice((-1.0, 1.0), size=(DRAWS, m))
        self.level, self.doubt = ("enumerated", 0.0) if every else ("sampled", math.sqrt(math.log(1 / ALARM) / (2 * DRAWS)))
        self.mean = float(np.mean(self.largest(signs, order)))

    def largest(self, signs, order):
        """(1/m) sup_h sum_i s_i h(x_i) for each row of signs, with the dual of the q-norm."""
        left = np.cumsum(signs[:, order], axis=1)  # (draws, m, d)
        sides = np.abs(np.stack([left, left[:, -1:] - left]))
        dual = math.inf if self.q == 1 else 1.0 if self.q == math.inf else self.q / (self.q - 1)
        sums = sides.max(axis=0) if dual == math.inf else (sides**dual).sum(axis=0) ** (1 / dual)
        return sums.max(axis=(1, 2)) / self.m


def some(m, d, q):
    """Random samples, and random signs where there are too many to try all."""
    rng = np.random.default_rng(0)
    return Stumps(rng.normal(size=(m, d)), q, rng)


def _made(shape, numbers):
    m, d, dual = shape
    return Stumps(numbers.reshape(m, d), (1.0, 2.0, math.inf)[dual]) if len(numbers) == m * d else None


def _drawn(rng):
    m, d = int(rng.integers(1, 8)), int(rng.integers(1, 4))
    return (m, d, int(rng.integers(0, 3))), rng.normal(size=m * d)


SAMPLES = Space("a few samples", _drawn, _made, exact=False, has=lambda case: isinstance(case, Stumps))


def _held(case, variant, factor=1.0):
    rule = sharper_tree_complexity if variant == "sharpened" else tree_complexity
    bound = factor * float(rule(1, 1.0, case.d, case.m))
    measured = (case.mean - case.doubt) * (case.m if variant == "printed" else 1)
    return BoundCheck(
        "Theorem 1", variant, "upper", measured, bound, 1e-12, level=case.level, at=case.m, along="m", trivial=1.0
    )


@claim("RGB, Theorem 1", SAMPLES, printed="refuted", corrected="verified", sharpened="verified")
def check_complexity(case, variant):
    """The complexity of stumps is at most lambda sqrt((4 n + 2) log2(d + 2) ln(m + 1) / m)."""
    return _held(case, variant)


CASES = {
    f"m = {m}, d = {d}, q = {q:g}": (lambda m=m, d=d, q=q: some(m, d, q))
    for m, d in ((10, 1), (200, 1), (400, 4))
    for q in (1.0, 2.0, math.inf)
}

SABOTAGE = {check_complexity: {"a quarter of the sharper bound": lambda case: _held(case, "sharpened", 0.25)}}
