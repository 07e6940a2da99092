r"""Langevin boosting: its limits, as far as a number holds them: drift, mean on the way, excess, the gap of new targets.

Problem: the squared loss, blocks of columns drawn with fixed chances, P the mean projector, d the rank of all columns, N samples.

Method: SGLB (Algorithm 2), squared loss: F <- (1 - gamma eps) F + eps P_s (y - F) + noise, from F = 0.

Assumptions: for the drift, two orthonormal learners and the greedy choice, u = ||g|| / sigma; for the mean, eps (gamma + 1) <= 1.

Claim: Theorem 1, upper: the drift at g is off P g by at most (2 Phi(u/2) - 1) ||g||; the mean after t / eps steps is off that of the limit
by at most (eps t / 2) max a^2 e^(-a (t - eps)) ||mu|| over the eigenvalues a of gamma + P. Theorem 2, exact: mean energy above the least
d / (2 beta); upper: the mean loss of the Gibbs law is at most gamma / (2 N) F*'P^+F* + d / (2 beta) above the infimum. Theorem 3, upper:
the expected gap between new targets at the same rows and those of the fit is at most d / N for noise of variance 1; the Poincare constant
of the law is at most 1 / (kappa gamma beta), 1 / kappa = N lambda_max(M). The constants are ours.

Constants: none is estimated.

Measured: closed forms; means of the chain step by step; gaps over all signs of the noise, in Fractions.

Reference: Ustimenko, Prokhorenkova, SGLB, Theorems 1 to 3.
"""

import functools
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import product

import numpy as np
from scipy.stats import norm

from coordboost.bounds import BoundCheck
from verification.space import Space
from verification.spaces.blocks import BLOCKS, Blocks, independent
from verification.spaces.linear import solved
from verification.statement import claim
from verification.theorems.sglb_lemmas import CHOICES, Choice, normal


@dataclass(frozen=True, eq=False)
class Chain:
    """Blocks, targets, eps and a number of steps; the least squares fit and the limit of the mean."""

    law: Blocks
    y: np.ndarray
    eps: object
    steps: int

    @functools.cached_property
    def P(self):
        """The mean projector."""
        return self.law.mean()

    def plus_gamma(self):
        """P + gamma."""
        out = self.P.copy()
        for i in range(len(out)):
            out[i, i] += self.law.gamma
        return out

    @functools.cached_property
    def smoother(self):
        """P (P + gamma)^-1: what takes targets to the mean of the law."""
        return solved(self.plus_gamma(), self.P).T

    @functools.cached_property
    def best(self):
        """F*, the projection of the targets."""
        basis = independent(self.law.H)
        return basis @ solved(basis.T @ basis, basis.T @ self.y).ravel()

    def penalty(self):
        """F*'P^+F*."""
        basis = independent(self.law.H)
        return self.best @ (basis @ solved(basis.T @ self.P @ basis, basis.T @ self.best).ravel())

    def mean(self):
        """The mean of the chain."""
        at = 0 * self.y
        for _ in range(self.steps):
            at = (1 - self.law.gamma * self.eps) * at + self.eps * (self.P @ (self.y - at))
        return at


def _draw(rng):
    shape, numbers = BLOCKS.draw(rng)
    rest = np.concatenate([rng.normal(size=shape[0]), [rng.choice((0.5, 0.2, 0.05))]])
    return (int(rng.integers(1, 12)), *shape), np.concatenate([numbers, rest])


def _make(shape, numbers):
    n = shape[1]
    law = BLOCKS.make(shape[1:], numbers[: -n - 1]) if len(numbers) > n + 1 else None
    eps = numbers[-1]
    return Chain(law, numbers[-n - 1 : -1], eps, shape[0]) if law and law.rank and 0 < eps * (law.gamma + 1) <= 1 else None


def _has(case):
    return isinstance(case, Chain)


def gamma_of(case):
    """Its shrinkage, to name a point."""
    return float(case.law.gamma)


CHAINS = Space("a chain on blocks", _draw, _make, has=_has)
ROUGH = Space("a chain on blocks, in floats", _draw, _make, exact=False, has=_has)


@claim("SGLB, Theorem 1, the drift", CHOICES, sharpened="verified")
def check_drift(case, variant):
    """|E P_s (g + sigma zeta) - P g| <= (2 Phi(u/2) - 1) |g|: ours; two learners, the greedy choice, noises of their own."""
    return _drift(case, lambda choice: choice.off(False))


def _drift(case, off):
    if not isinstance(case, Choice):
        return None
    return BoundCheck("drift", "sharpened", "upper", off(case), 2 * np.vectorize(normal)(case.u / 2) - 1, 1e-12, "float")


def _one_noise(case):
    """The same where the fit has the noise of the choice: the mean of x 1(|x| > |y|), and of y, in place of x / 2."""
    x, out = np.linspace(-14, 14, 4001), []
    for u, angle in zip(case.u, case.angle, strict=True):
        g, drift = u * np.array([np.cos(angle), np.sin(angle)]), []
        for a, b in (g, g[::-1]):
            inside = norm.cdf(abs(x) - b) - norm.cdf(-abs(x) - b)
            drift.append(np.sum(x * norm.pdf(x - a) * inside) * (x[1] - x[0]))
        out.append(np.linalg.norm(np.array(drift) - g / 2) / u)
    return np.array(out)


@claim("SGLB, Theorem 1, the mean on the way", ROUGH, sharpened="verified")
def check_mean(case, variant):
    """|mean of the chain - mean of the limit| <= (eps t / 2) max a^2 e^(-a (t - eps)) |mu|: ours, of order eps."""
    return _mean(case, 1.0)


def _mean(case, factor, power=1):
    if not _has(case):
        return None
    a, axes = np.linalg.eigh(case.plus_gamma().astype(float))
    limit, eps, t = case.smoother @ case.y, float(case.eps), float(case.eps * case.steps)
    way = limit.astype(float) - axes @ (np.exp(-a * t) * (axes.T @ limit.astype(float)))
    off = np.linalg.norm(case.mean().astype(float) - way)
    bound = factor * eps**power * t / 2 * np.max(a**2 * np.exp(-a * (t - eps))) * np.linalg.norm(limit.astype(float))
    return BoundCheck("mean", "sharpened", "upper", off, bound, 1e-13 * (1 + np.linalg.norm(case.y.astype(float))), "float",
                      at=case.steps, along="steps")  # fmt: skip


@dataclass(frozen=True, eq=False)
class Law:
    """A quadratic energy with Hessian A at inverse temperature beta."""

    A: np.ndarray
    beta: float

    def excess(self, factor=1.0):
        """E U - min U = tr(A cov) / 2 under the Gibbs law; the noise is `factor` times as strong."""
        return 0.5 * np.trace(self.A @ np.linalg.inv(self.beta * self.A)) * factor


def _law(shape, numbers):
    d = shape[0]
    root = numbers[:-1].reshape(d, -1) if len(numbers) > d * d else None
    A = None if root is None else root @ root.T
    return Law(A, float(numbers[-1])) if A is not None and numbers[-1] > 0 and np.linalg.cond(A) < 1e5 else None


LAWS = Space(
    "a quadratic energy",
    lambda rng: ((d := int(rng.integers(1, 5)),), np.append(rng.normal(size=2 * d * d), rng.exponential() + 0.1)),
    _law, exact=False, has=lambda case: isinstance(case, Law),
)  # fmt: skip


@claim("SGLB, Theorem 2 for the squared loss", LAWS, sharpened="verified")
def check_equipartition(case, variant):
    """E U - min U = d / (2 beta), from above and below."""
    return _energy(case, 1.0)


def _energy(case, factor):
    if not isinstance(case, Law):
        return None
    exact = len(case.A) / (2 * case.beta)
    return BoundCheck("energy", "sharpened", "upper", abs(case.excess(factor) - exact) / exact, 1e-10, 0.0, "float")


@claim("SGLB, Theorem 2, the excess of the mean loss", CHAINS, sharpened="verified")
def check_excess(case, variant):
    """E L - inf L <= gamma / (2 N) F*'P^+F* + d / (2 beta), beta = 1: ours, without a logarithm."""
    return _excess(case, 1, 0)


def _excess(case, penalty, less):
    if not _has(case):
        return None
    n, mu = case.law.n, case.smoother @ case.y
    excess = (mu - case.best) @ (mu - case.best) / (2 * n) + np.trace(case.smoother) / 2
    bound = penalty * case.law.gamma / (2 * n) * case.penalty() + F(case.law.rank - less, 2)
    return BoundCheck(
        "excess", "sharpened", "upper", np.array([excess]), np.array([bound]), F(0), "exact", at=gamma_of(case), along="gamma"
    )


@claim("SGLB, Theorem 3, the gap of new targets", CHAINS, sharpened="verified")
def check_gap(case, variant):
    """The mean over all signs of the noise of (loss on new targets - loss on those of the fit) <= d / N: ours, fixed rows."""
    return _gap(case, 0)


def _gap(case, less):
    if not _has(case):
        return None
    n, total = case.law.n, 0
    for signs in product((-1, 1), repeat=n):
        e = np.array([F(s) for s in signs])
        fit = case.smoother @ (case.y + e)
        # a new target y + e', with e' of mean 0 and variance 1, has the mean loss (|y - fit|^2 + n) / (2 n)
        total += ((case.y - fit) @ (case.y - fit) + n - (case.y + e - fit) @ (case.y + e - fit)) / (2 * n)
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
    """The largest variance of the law of coefficients <= 1 / (kappa gamma beta), 1 / kappa = N lambda_max(M); N / beta = 1."""
    return _poincare(case, 1.0)


def _poincare(case, factor):
    if not _has(case):
        return None
    sizes = [block.shape[1] for block in case.law.blocks]
    M, at = np.zeros((sum(sizes), sum(sizes))), 0
    for p, block, size in zip(case.law.chance, case.law.blocks, sizes, strict=True):
        block = block.astype(float)
        M[at : at + size, at : at + size] = float(p) * np.linalg.pinv(block.T @ block)
        at += size
    H, gamma = case.law.H.astype(float), float(case.law.gamma)
    variance = np.linalg.eigvals(np.linalg.solve(M @ H.T @ H + gamma * np.eye(len(M)), M)).real.max()
    bound = factor * np.linalg.eigvalsh(M)[-1] / gamma
    return BoundCheck("variance", "printed", "upper", variance, bound, 1e-9 * bound, "float", at=gamma_of(case), along="gamma")


def _some(d, beta, seed):
    root = np.random.default_rng(seed).normal(size=(d, 2 * d))
    return Law(root @ root.T, beta)


CASES = {
    "two blocks": lambda: CHAINS.at((3, 3, 2, 1), "1 2 0 0 1 1 1 -1 2 2 1 1/4 1 -2 3 1/5"),
    "more columns than samples": lambda: CHAINS.at((8, 2, 2, 1), "1 0 1 1 2 -1 1 3 1/10 1 2 1/2"),
    "little shrinkage": lambda: CHAINS.at((4, 3, 1, 1), "1 1 0 0 1 2 1 1 1/1000 3 1 -1 1/10"),
    "much shrinkage": lambda: CHAINS.at((4, 3, 1, 1), "1 1 0 0 1 2 1 1 50 3 1 -1 1/100"),
    "one column, small steps": lambda: CHAINS.at((20, 2, 1), "1 1 1 1/10 1 2 1/100"),
    "choice, against each other": lambda: Choice(np.geomspace(4, 1e-3, 20), np.full(20, -np.pi / 4)),
    "choice, some angle": lambda: Choice(np.geomspace(4, 1e-3, 20), np.full(20, 0.3)),
    "energy in two dimensions": lambda: _some(2, 5.0, 1),
    "energy in nine dimensions": lambda: _some(9, 200.0, 2),
}

SABOTAGE = {
    check_drift: {
        "noise in the leaves only": lambda case: _drift(case, lambda choice: np.full(len(choice.u), 0.5)),
        "one noise for both": lambda case: _drift(case, _one_noise),
    },
    check_mean: {"nine tenths of it": lambda case: _mean(case, 0.9), "order eps squared": lambda case: _mean(case, 1.0, 2)},
    check_equipartition: {"noise a tenth stronger": lambda case: _energy(case, 1.1)},
    check_excess: {"no penalty": lambda case: _excess(case, 0, 0), "a dimension less": lambda case: _excess(case, 1, 1)},
    check_gap: {"a dimension less": lambda case: _gap(case, 1)},
    check_poincare: {"nine tenths of it": lambda case: _poincare(case, 0.9)},
}
