r"""Laws of Langevin boosting for the squared loss: all are normal, in closed form.

In coefficients, with :math:`G = B^T W B`, :math:`M = \mathrm{diag}(p)` and N the sum of the weights:

    Gibbs law (eps to 0)    mean (G + gamma / M)^-1 B'W y,    covariance (N / beta) (G + gamma / M)^-1
    at a given eps          the same mean; the covariance solves a linear equation, for a choice that does not look at the residual
    before the limit        mean (I - e^{-At}) mu, covariance S - e^{-At} S e^{-A't}, with A = gamma + M G and t = eps * steps

Source: Ustimenko and Prokhorenkova, *SGLB*, Theorems 1 and 2; the closed forms follow from them, the one at a given eps from the step.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg

from coordboost._checks import positive
from coordboost._protocol import LOSS, SELECTION
from coordboost.langevin.limit import limit_of

#: Most learners for which the equation of the covariance at a given eps is solved: it has their square unknowns.
MOST = 60


class Normal(NamedTuple):
    """A normal law of coefficients, (n_learners,) and (n_learners, n_learners)."""

    mean: np.ndarray
    cov: np.ndarray

    def of_predictions(self, columns):
        """The law of B theta, for unit columns (n_rows, n_learners): on the rows of the fit or others."""
        return Normal(columns @ self.mean, columns @ self.cov @ columns.T)

    def sd(self):
        """Standard deviations."""
        return np.sqrt(np.diag(self.cov))

    def density(self, k):
        """Points of coefficient k and the density there, to be drawn."""
        sd = self.sd()[k]
        at = self.mean[k] + sd * np.linspace(-4, 4, 400)
        return at, np.exp(-0.5 * ((at - self.mean[k]) / sd) ** 2) / (sd * np.sqrt(2 * np.pi))


class _Parts(NamedTuple):
    """What the three laws are made of, for the learners that are ever chosen."""

    limit: object
    gram: np.ndarray
    target: np.ndarray  # B'W y
    p: np.ndarray
    eps: float
    beta: float
    gamma: float

    @classmethod
    def of(cls, problem, method, limit):
        if not LOSS.of(problem.loss, "quadratic"):
            raise ValueError(
                f"closed laws are those of the squared loss, got {problem.loss!r}; use quadrature for 1 or 2 learners."
            )
        noise, limit = method.bind(problem).noise, limit_of(problem, method.select) if limit is None else limit
        if noise is None or len(noise.beta) != 1:
            raise ValueError(
                f"{method.name} has no limit law: it needs one finite beta, such as sglb(0.1, beta=1e4, gamma=1e-3)."
            )
        gamma = positive(
            "gamma", method.step.shrink / method.step.rate, expected="above 0: without shrinkage there is no limit law"
        )
        j, B = limit.chosen, limit.columns
        WB = limit.weight[:, None] * B[:, j]
        return cls(
            limit, B[:, j].T @ WB, WB.T @ (problem.y - problem.base), limit.p[j], method.step.rate, float(noise.beta[0]), gamma
        )

    def law(self, mean, cov):
        """The law with zeros for learners that are never chosen."""
        n, j = len(self.limit.p), self.limit.chosen
        full, wide = np.zeros(n), np.zeros((n, n))
        full[j], wide[np.ix_(j, j)] = mean, cov
        return Normal(full, wide)

    def gibbs(self):
        inverse = np.linalg.inv(self.gram + self.gamma * np.diag(1 / self.p))
        return inverse @ self.target, self.limit.total / self.beta * (inverse + inverse.T) / 2


def gibbs(problem, method, limit=None):
    """The Gibbs law of the coefficients, which `method` (``sglb``) approaches as its eps goes to 0: a ``Normal``. Squared loss."""
    parts = _Parts.of(problem, method, limit)
    return parts.law(*parts.gibbs())


def stationary(problem, method):
    """The exact law of the coefficients after many steps at the eps of `method`, where the choice does not look at the residual.

    Raises
    ------
    ValueError
        For rules that look, such as ``Full()``: take ``Weighted(p)`` or ``Subset(1)``.
    """
    if not SELECTION.of(method.select, "blind"):
        raise ValueError(
            "the exact law at a given eps is known for rules that do not look at the residual: Weighted(p), Subset(1)."
        )
    parts = _Parts.of(problem, method, None)
    if len(parts.p) > MOST:
        raise ValueError(f"the exact law at a given eps is solved for {MOST} learners at most, got {len(parts.p)}.")
    G, p, eps, keep, n = parts.gram, parts.p, parts.eps, 1 - parts.gamma * parts.eps, len(parts.p)
    mean, _ = parts.gibbs()
    DG, eye = p[:, None] * G, np.eye(n)
    left = parts.target - G @ mean  # correlations at the mean: the choice of the learner makes noise of its own
    choice = np.diag(p * left**2) - np.outer(p * left, p * left)
    source = eps**2 * choice + 2 * parts.limit.total * eps / parts.beta * np.diag(p)
    moved = keep**2 * np.kron(eye, eye) - keep * eps * (np.kron(DG, eye) + np.kron(eye, DG))
    for j in range(n):  # eps^2 p_j (G S G)_jj in place (j, j)
        moved[j * n + j] += eps**2 * p[j] * np.kron(G[j], G[j])
    cov = np.linalg.solve(np.eye(n * n) - moved, source.ravel()).reshape(n, n)
    return parts.law(mean, (cov + cov.T) / 2)


def transient(problem, method, n_steps, limit=None):
    """The law of the coefficients after `n_steps` steps from 0, as eps goes to 0 with eps * n_steps kept: a ``Normal``."""
    parts = _Parts.of(problem, method, limit)
    mean, cov = parts.gibbs()
    decay = scipy.linalg.expm(-(parts.gamma * np.eye(len(parts.p)) + parts.p[:, None] * parts.gram) * parts.eps * n_steps)
    return parts.law(mean - decay @ mean, cov - decay @ cov @ decay.T)
