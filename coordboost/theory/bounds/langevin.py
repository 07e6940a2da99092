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

import numpy as np

from coordboost._numba.threads import on_one_thread
from coordboost._utils.interrupt import uncut
from coordboost.theory.bounds.check import Sides, Statement
from coordboost.theory.bounds.randomized import losses_again

#: Most learners for which the covariance is computed.
LEARNERS = 24


def expected_loss(problem, method, steps):
    """E L(beta_k) at each of `steps`, (n_steps,): L(m_k) + tr(B'WB S_k) / 2."""
    from coordboost.theory.langevin import after_steps, limit_of

    B = limit_of(problem, method.select).columns
    gram = B.T @ (problem.weight[:, None] * B)
    return np.array(
        [
            problem.value(B @ law.mean) + np.sum(gram * law.cov) / 2
            for law in after_steps(problem, method, steps)
        ]
    )


def _speaks(run):
    problem = run.problem
    method = run.method
    known = method.name == "sglb" and problem.loss.quadratic and problem.dictionary.countable
    known = known and method.select.blind and problem.n_learners <= LEARNERS
    noise = method.noise
    given = method.parameters
    return (
        known
        and noise is not None
        and (len(noise.beta), noise.subsample, noise.ahead) == (1, 1, 0)
        and given["gamma"] > 0
    )


@on_one_thread
@uncut()
def _repeats(run, effort):
    at, losses = losses_again(run, True, effort)
    mean = losses.mean(axis=0)
    error = losses.std(axis=0, ddof=1) / math.sqrt(len(losses))
    return Sides(
        mean,
        expected_loss(run.problem, run.method, at.tolist()),
        6 * error + 1e-12 * run.problem.start_loss,
        at=at,
    )


STATEMENTS = (
    Statement(
        "SGLB, the mean loss",
        "sharpened",
        "tight",
        "E L(beta_k) = L(m_k) + 1/2 tr(B'WB S_k)",
        _speaks,
        lambda sides: sides,
        "Ustimenko, Prokhorenkova",
        _repeats,
        "sampled",
        long=True,
    ),
)
