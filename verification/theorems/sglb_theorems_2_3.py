r"""Langevin boosting: the excess of the mean loss in the limit, and the gap of new targets.

Problem: the squared loss, blocks of columns drawn with fixed probabilities, P the mean projector, d
the rank of all columns, N samples.

Method: the Gibbs distribution that SGLB (Algorithm 2) approaches.

Assumptions: none.

Claim: Theorem 2, exact: the mean energy is d / (2 beta) above its minimum; upper: the mean loss is
at most gamma / (2 N) F*'P^+F* + d / (2 beta) above its infimum. Theorem 3, upper: the expected loss
on new targets at the same rows, minus that on the targets of the fit, is at most d / N for noise of
variance 1; the Poincare constant of the distribution is at most 1 / (kappa gamma beta), 1 / kappa =
N lambda_max(M). The constants are ours, without a logarithm.

Constants: none is estimated.

Measured: closed forms; gaps over all signs of the noise, in Fractions.

Reference: Ustimenko, Prokhorenkova, SGLB, Theorems 2 and 3.
"""

from dataclasses import dataclass
from fractions import Fraction as F
from itertools import product

import numpy as np

from coordboost.theory.bounds import BoundCheck
from verification.space import Space
from verification.spaces.shrunken import CHAIN_CASES, CHAINS, ROUGH, gamma_of
from verification.statement import claim


@dataclass(frozen=True, eq=False)
class Law:
    """A quadratic energy with Hessian A at inverse temperature beta."""

    A: np.ndarray
    beta: float

    def excess(self, factor=1.0):
        """Return E U - min U = tr(A cov) / 2 under the Gibbs distribution.

        `factor` multiplies the covariance.
        """
        return 0.5 * np.trace(self.A @ np.linalg.inv(self.beta * self.A)) * factor


def _law(shape, numbers):
    d = shape[0]
    root = numbers[:-1].reshape(d, -1) if len(numbers) > d * d else None
    A = None if root is None else root @ root.T
    return (
        Law(A, float(numbers[-1]))
        if A is not None and numbers[-1] > 0 and np.linalg.cond(A) < 1e5
        else None
    )


LAWS = Space(
    "a quadratic energy",
    lambda rng: (
        (d := int(rng.integers(1, 5)),),
        np.append(rng.normal(size=2 * d * d), rng.exponential() + 0.1),
    ),
    _law,
    exact=False,
    has=lambda case: isinstance(case, Law),
)


@claim("SGLB, Theorem 2 for the squared loss", LAWS, sharpened="verified")
def check_equipartition(case, variant):
    """E U - min U = d / (2 beta), from above and below."""
    return _energy(case, 1.0)


def _energy(case, factor):
    exact = len(case.A) / (2 * case.beta)
    return BoundCheck(
        "energy",
        "sharpened",
        "upper",
        abs(case.excess(factor) - exact) / exact,
        1e-10,
        0.0,
        "float",
    )


@claim("SGLB, Theorem 2, the excess of the mean loss", CHAINS, sharpened="verified")
def check_excess(case, variant):
    """E L - inf L <= gamma / (2 N) F*'P^+F* + d / (2 beta), beta = 1: ours, without a logarithm."""
    return _excess(case, 1, 0)


def _excess(case, penalty, less):
    n = case.law.n
    mu = case.smoother @ case.y
    excess = (mu - case.best) @ (mu - case.best) / (2 * n) + np.trace(case.smoother) / 2
    bound = penalty * case.law.gamma / (2 * n) * case.penalty() + F(case.law.rank - less, 2)
    return BoundCheck(
        "excess",
        "sharpened",
        "upper",
        np.array([excess]),
        np.array([bound]),
        F(0),
        "exact",
        at=gamma_of(case),
        along="gamma",
    )


@claim("SGLB, Theorem 3, the gap of new targets", CHAINS, sharpened="verified")
def check_gap(case, variant):
    """The mean over all signs of the noise of (loss on new targets - loss on the targets of the
    fit) <= d / N: ours, fixed rows.
    """
    return _gap(case, 0)


def _gap(case, less):
    n = case.law.n
    total = 0
    for signs in product((-1, 1), repeat=n):
        e = np.array([F(s) for s in signs])
        fit = case.smoother @ (case.y + e)
        # a new target y + e', with e' of mean 0 and variance 1, has the mean loss (|y - fit|^2 + n)
        # / (2 n)
        total += ((case.y - fit) @ (case.y - fit) + n - (case.y + e - fit) @ (case.y + e - fit)) / (
            2 * n
        )
    bound = F(case.law.rank - less, n)
    return BoundCheck(
        "gap",
        "sharpened",
        "upper",
        np.array([total / 2**n]),
        np.array([bound]),
        F(0),
        "exact",
        at=gamma_of(case),
        along="gamma",
    )


@claim("SGLB, Theorem 3, the Poincare constant", ROUGH, printed="verified")
def check_poincare(case, variant):
    """The largest variance of the distribution of coefficients <= 1 / (kappa gamma beta), 1 / kappa
    = N lambda_max(M); N / beta = 1.
    """
    return _poincare(case, 1.0)


def _poincare(case, factor):
    sizes = [block.shape[1] for block in case.law.blocks]
    M = np.zeros((sum(sizes), sum(sizes)))
    at = 0
    for p, block, size in zip(case.law.chance, case.law.blocks, sizes, strict=True):
        block = block.astype(float)
        M[at : at + size, at : at + size] = float(p) * np.linalg.pinv(block.T @ block)
        at += size
    H = case.law.H.astype(float)
    gamma = float(case.law.gamma)
    variance = np.linalg.eigvals(
        np.linalg.solve(M @ H.T @ H + gamma * np.eye(len(M)), M)
    ).real.max()
    bound = factor * np.linalg.eigvalsh(M)[-1] / gamma
    return BoundCheck(
        "variance",
        "printed",
        "upper",
        variance,
        bound,
        1e-9 * bound,
        "float",
        at=gamma_of(case),
        along="gamma",
    )


def _some(d, beta, seed):
    root = np.random.default_rng(seed).normal(size=(d, 2 * d))
    return Law(root @ root.T, beta)


CASES = {
    **CHAIN_CASES,
    "energy in two dimensions": lambda: _some(2, 5.0, 1),
    "energy in nine dimensions": lambda: _some(9, 200.0, 2),
}

SABOTAGE = {
    check_equipartition: {"noise a tenth stronger": lambda case: _energy(case, 1.1)},
    check_excess: {
        "no penalty": lambda case: _excess(case, 0, 0),
        "a dimension less": lambda case: _excess(case, 1, 1),
    },
    check_gap: {"a dimension less": lambda case: _gap(case, 1)},
    check_poincare: {"nine tenths of it": lambda case: _poincare(case, 0.9)},
}
