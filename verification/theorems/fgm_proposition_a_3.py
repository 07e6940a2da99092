r"""Smallest non-zero eigenvalue of random matrices (Proposition A.3).

Problem: X = Z / sqrt(n), Z of size n x p with independent standard normal entries, p > n; columns
neither centred nor normalised.

Method: none.

Assumptions: as in the problem; p > n.

Claim: in expectation, E lambda_pmin >= (sqrt(p) - sqrt(n))^2 / n; with probability at least 1 - 2
exp(-t^2/2), lambda_pmin >= (sqrt(p) - sqrt(n) - t)^2 / n for every t >= 0. False as printed for t >
sqrt(p) - sqrt(n), where the difference is negative and its square grows again; corrected:
max{sqrt(p) - sqrt(n) - t, 0}.

Constants: n, p, t.

Measured: sampled. The mean of 400 draws plus 5 standard errors (false alarm below 1e-6 by the
normal distribution); the one-sided Clopper-Pearson upper end, at 1e-6, of the frequency of the
event.

Reference: Freund, Grigas, Mazumder, Proposition A.3.
"""

import functools

import numpy as np
from scipy.stats import beta

from coordboost.theory.bounds import BoundCheck
from verification.space import Space
from verification.statement import claim

DRAWS, ALARM = 400, 1e-6


class Draws:
    """lambda_pmin of 400 matrices."""

    def __init__(self, n, p, seed=0, t=None):
        self.n = n
        self.gap = np.sqrt(p) - np.sqrt(n)
        self.values = _values(n, p, DRAWS, seed)
        self.t = np.array([0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5] if t is None else [t])

    def above(self, level):
        """Return the upper confidence limit of the probability that lambda_pmin is at least
        `level`.
        """
        hits = int((self.values >= level).sum())
        return 1.0 if hits == DRAWS else float(beta.ppf(1 - ALARM, hits + 1, DRAWS - hits))


@functools.cache
def _values(n, p, draws, seed):
    """Return lambda_pmin of `draws` random matrices, (draws,)."""
    rng = np.random.default_rng(seed)
    return np.array(
        [
            np.linalg.eigvalsh(Z @ Z.T)[0] / n
            for Z in (rng.normal(size=(n, p)) for _ in range(draws))
        ]
    )


MATRICES = Space(
    "Gaussian matrices with at most 8 rows",
    lambda rng: ((int(rng.integers(2, 9)), int(rng.integers(9, 17))), 2 * rng.random(1)),
    lambda shape, numbers: Draws(*shape, t=abs(float(numbers[0]))),
    exact=False,
    has=lambda case: isinstance(case, Draws),
)


def _mean(case, name, variant, size):
    error = case.values.std(ddof=1) / np.sqrt(DRAWS)
    return BoundCheck(
        name, variant, "expectation", size, case.values.mean(), 5 * error, level="sampled"
    )


@claim("Proposition A.3, mean", MATRICES, printed="verified")
def check_mean(case, variant):
    """E lambda_pmin >= (sqrt(p) - sqrt(n))^2 / n."""
    return _mean(case, check_mean.statement, variant, case.gap**2 / case.n)


def _tail(case, name, variant, times=1.0):
    t = case.t
    left = case.gap - t
    level = times * (left if variant == "printed" else np.maximum(left, 0)) ** 2 / case.n
    promised = np.maximum(1 - 2 * np.exp(-(t**2) / 2), 0)
    return BoundCheck(
        name,
        variant,
        "upper",
        promised,
        [case.above(x) for x in level],
        0.0,
        "sampled",
        at=t,
        along="t",
    )


@claim("Proposition A.3, probability", MATRICES, printed="refuted", corrected="verified")
def check_tail(case, variant):
    """P(lambda_pmin >= (sqrt(p) - sqrt(n) - t)^2 / n) >= 1 - 2 exp(-t^2/2).

    Corrected: max{sqrt(p) - sqrt(n) - t, 0}.
    """
    return _tail(case, check_tail.statement, variant)


CASES = {
    "10 x 20": lambda: Draws(10, 20),
    "10 x 60": lambda: Draws(10, 60),
    "50 x 500": lambda: Draws(50, 500),
    "8 x 9": lambda: Draws(8, 9),
}
QUICK = ("10 x 20", "10 x 60", "8 x 9")  # in the last, sqrt(p) - sqrt(n) - t < 0 for every t
SABOTAGE = {
    check_mean: {
        "twice the bound": lambda case: _mean(case, "twice", "printed", 2 * case.gap**2 / case.n)
    },
    check_tail: {
        "three times the bound": lambda case: _tail(case, "three times", "corrected", 3.0)
    },
}
