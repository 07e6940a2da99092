"""The exact mean loss of Langevin boosting after k steps for the squared loss, compared with runs.

In sums over samples.

If the selection rule does not use the residual, mean m_k and covariance S_k of the coefficients are
computed step by step, and

    E L(beta_k) = L(m_k) + tr(B'WB S_k) / 2

for every eps and k, not only in the limit (``langevin.after_steps``). The check repeats a run with
other seeds and compares the mean loss, with a slack of six standard errors. Ours: the expectation
of the step of SGLB, Algorithm 2.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coordboost._numba.threads import on_one_thread
from coordboost._utils.interrupt import uncut
from coordboost.theory.bounds.randomized import losses_again
from coordboost.theory.bounds.statement import Statement

#: Most learners for which the covariance is computed.
LEARNERS = 24


@dataclass(frozen=True, eq=False)
class MeanLosses:
    """Mean losses (n_points,) of repeated runs at the steps `at`, and both terms of their
    expectation.

    loss_of_mean : L(m_k);  spread : tr(B'WB S_k);  errors : six standard errors
    """

    at: np.ndarray
    mean_loss: np.ndarray
    loss_of_mean: np.ndarray
    spread: np.ndarray
    errors: dict
    level: ClassVar = "sampled"

    @classmethod
    @on_one_thread
    @uncut()
    def of(cls, run, effort):
        """Repeat a run with the seeds 0, 1, ..."""
        at, losses = losses_again(run, True, effort)
        chance = losses.std(axis=0, ddof=1) / math.sqrt(len(losses))
        error = 6 * chance + 1e-12 * run.problem.start_loss
        terms = terms_of_loss(run.problem, run.method, at.tolist())
        return cls(at, losses.mean(axis=0), *terms, {"mean_loss": error})


def terms_of_loss(problem, method, steps):
    """L(m_k) and tr(B'WB S_k) at each of `steps`, (2, n_steps)."""
    from coordboost.theory.langevin import after_steps, limit_of

    B = limit_of(problem, method.select).columns
    gram = B.T @ (problem.weight[:, None] * B)
    return np.array(
        [
            (problem.value(B @ law.mean), np.sum(gram * law.cov))
            for law in after_steps(problem, method, steps)
        ]
    ).T


def expected_loss(problem, method, steps):
    """E L(beta_k) at each of `steps`, (n_steps,)."""
    loss_of_mean, spread = terms_of_loss(problem, method, steps)
    return mean_loss(loss_of_mean=loss_of_mean, spread=spread)


def _speaks(run):
    problem = run.problem
    method = run.method
    known = method.name == "sglb" and problem.loss.quadratic and problem.dictionary.countable
    known = known and method.select.blind and problem.n_learners <= LEARNERS
    noise = method.noise
    parameters = method.parameters
    return (
        known
        and noise is not None
        and (len(noise.beta), noise.subsample, noise.ahead) == (1, 1, 0)
        and parameters["gamma"] > 0
    )


mean_loss = Statement(
    "SGLB, the mean loss",
    "The mean loss after k steps of any length, from the mean m_k and the covariance S_k.",
    sharpened="mean_loss == loss_of_mean + spread / 2",
    applies=_speaks,
    source="Ustimenko, Prokhorenkova",
    follow=MeanLosses.of,
    long=True,
)

STATEMENTS = (mean_loss,)
