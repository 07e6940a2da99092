r"""Laws of Langevin boosting for the squared loss: all are normal, in closed form.

In coefficients, with :math:`G = B^T W B`, M the preconditioner (``Limit``; for unit columns diag(p)) and N the sum of the weights:

    Gibbs law (eps to 0)    mean (M G + gamma)^-1 M B'W y,    covariance (N / beta) (M G + gamma)^-1 M
    at a given eps          the same mean; the covariance solves a linear equation, for a choice that does not look at the residual
    after k steps           mean (I - (I - eps A)^k) mu; the covariance by that equation step by step, for such a choice
    as eps to 0             mean (I - e^{-At}) mu, covariance S - e^{-At} S e^{-A't}, with A = gamma + M G and t = eps * steps

Source: Ustimenko and Prokhorenkova, *SGLB*, Theorems 1 and 2; the closed forms follow from them, the one at a given eps from the step.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg

from coordboost._checks import positive
from coordboost.data import validation
from coordboost.langevin.limit import checked_limit, limit_of
from coordboost.method import checked_method
from coordboost.problem import checked_problem

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
    """What the three laws are made of."""

    limit: object
    gram: np.ndarray
    target: np.ndarray  # B'W y
    M: np.ndarray
    eps: float
    beta: float
    gamma: float

    @classmethod
    def of(cls, problem, method, limit):
        if not (checked_problem(problem).loss).quadratic:
            raise ValueError(
                f"closed laws are those of the squared loss, got {problem.loss!r}; use quadrature for 1 or 2 learners."
            )
        noise = checked_method(method).bind(problem).noise
        limit = limit_of(problem, method.select) if limit is None else checked_limit(limit)
        if noise is None or len(noise.beta) != 1:
            raise ValueError(
                f"{method.name} has no limit law: it needs one finite beta, such as sglb(0.1, beta=1e4, gamma=1e-3)."
            )
        gamma = positive(
            "gamma", method.step.shrink / method.step.rate, expected="above 0: without shrinkage there is no limit law"
        )
        WB = limit.weight[:, None] * limit.columns
        gram, target = limit.columns.T @ WB, WB.T @ (problem.y - problem.base)
        return cls(limit, gram, target, limit.preconditioner, method.step.rate, float(noise.beta[0]), gamma)

    @classmethod
    def exactly(cls, problem, method):
        """The parts of the laws at the eps of a method.

        Raises
        ------
        ValueError
            Where they are not known.
        """
        if not (checked_method(method).select).blind:
            raise ValueError(
                "the exact law at a given eps is known for rules that do not look at the residual: Weighted(p), Subset(1)."
            )
        if method.noise is not None and (method.noise.share, method.noise.ahead) != (1, 0):
            raise ValueError(
                "the exact law at a given eps is known for gradients of all samples at the model: share=1, shrink_first=False."
            )
        parts = cls.of(problem, method, None)
        if len(parts.M) > MOST:
            raise ValueError(f"the exact law at a given eps is solved for {MOST} columns at most, got {len(parts.M)}.")
        return parts

    def step(self):
        """What a step makes of mean and covariance: ``forward(mean)``, and ``moved @ vec(cov) + source(mean)``; returned in this order."""
        G, eps, n, fits = self.gram, self.eps, len(self.M), list(self.limit.fits())
        keep, MG, eye = 1 - self.gamma * self.eps, self.M @ self.gram, np.eye(len(self.M))
        moved = (keep**2 * np.kron(eye, eye) - keep * eps * (np.kron(MG, eye) + np.kron(eye, MG))).reshape(n, n, n * n)
        for p, fit in fits:
            at = np.flatnonzero(fit.any(axis=1))  # the coefficients that this choice moves
            moved[np.ix_(at, at)] += eps**2 * p * np.kron(fit[at] @ G, fit[at] @ G).reshape(len(at), len(at), n * n)

        def source(mean):
            left = self.target - G @ mean  # correlations at the mean: the choice of the learner makes noise of its own
            jumps = sum(p * np.outer(fit @ left, fit @ left) for p, fit in fits)
            return 2 * self.limit.total * eps / self.beta * self.M + eps**2 * (jumps - np.outer(self.M @ left, self.M @ left))

        return lambda mean: keep * mean + eps * self.M @ (self.target - G @ mean), moved.reshape(n * n, n * n), source

    @property
    def drift(self):
        """A: what the mean of the chain goes to its limit by."""
        return self.gamma * np.eye(len(self.M)) + self.M @ self.gram

    def gibbs(self):
        shape = np.linalg.solve(self.drift, self.M)
        return shape @ self.target, self.limit.total / self.beta * (shape + shape.T) / 2


def gibbs(problem, method, limit=None):
    """The Gibbs law of the coefficients, which `method` (``sglb``) approaches as its eps goes to 0: a ``Normal``. Squared loss."""
    return Normal(*_Parts.of(problem, method, limit).gibbs())


def stationary(problem, method):
    """The exact law of the coefficients after many steps at the eps of `method`, where the choice does not look at the residual.

    Raises
    ------
    ValueError
        For rules that look, such as ``Full()``: take ``Weighted(p)`` or ``Subset(1)``; on blocks ``Together(t)`` or ``Mask(q)``, too.
    """
    parts = _Parts.exactly(problem, method)
    mean, n = parts.gibbs()[0], len(parts.M)
    _, moved, source = parts.step()
    cov = np.linalg.solve(np.eye(n * n) - moved, source(mean).ravel()).reshape(n, n)
    return Normal(mean, (cov + cov.T) / 2)


def after_steps(problem, method, steps):
    """Mean and covariance of the coefficients after each of `steps`, from 0, exactly: a list of ``Normal``; as ``stationary``.

    The law itself is a mixture of normal ones, one for each sequence of choices. *Cost*: n_learners^4 for each step.
    """
    forward, moved, source = (parts := _Parts.exactly(problem, method)).step()
    mean, cov, found = np.zeros(len(parts.M)), np.zeros_like(parts.M), {}
    for k in range(max(steps, default=0) + 1):
        found[k] = Normal(mean, cov) if k in steps else None
        mean, cov = forward(mean), (moved @ cov.ravel()).reshape(cov.shape) + source(mean)
    return [found[k] for k in steps]


def transient(problem, method, n_steps, limit=None):
    """The law of the coefficients after `n_steps` steps from 0, as eps goes to 0 with eps * n_steps kept: a ``Normal``."""
    parts = _Parts.of(problem, method, limit)
    mean, cov = parts.gibbs()
    n_steps = validation.whole("n_steps", n_steps)
    decay = scipy.linalg.expm(-parts.drift * parts.eps * n_steps)
    return Normal(mean - decay @ mean, cov - decay @ cov @ decay.T)
