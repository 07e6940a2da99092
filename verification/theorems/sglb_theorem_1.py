r"""Langevin boosting: the drift of a step, the mean after some steps, and the mean loss of a run.

Problem: the squared loss, blocks of columns drawn with fixed probabilities, P the mean projector.

Method: SGLB (Algorithm 2), squared loss: F <- (1 - gamma eps) F + eps P_s (y - F) + noise, from F =
0.

Assumptions: for the drift, two orthonormal learners and the greedy choice, u = ||g|| / sigma; for
the mean, eps (gamma + 1) <= 1.

Claim: upper: the drift at g differs from P g by at most (2 Phi(u/2) - 1) ||g||; the mean after t /
eps steps differs from that of the limit process by at most (eps t / 2) max a^2 e^(-a (t - eps))
||mu|| over the eigenvalues a of gamma + P. The constants are ours. Tight: the mean loss after some
steps follows from the mean and the covariance, updated step by step; ours.

Constants: none is estimated.

Measured: closed forms; means of the chain step by step; the mean loss over all choices of up to
four steps, against the package. With noise in the leaves only, or one noise for both, the drift has
another limit.

Reference: Ustimenko, Prokhorenkova, SGLB, Theorem 1.
"""

from itertools import product

import numpy as np
from scipy.stats import norm

import coordboost as cb
from coordboost.theory.bounds import BoundCheck
from coordboost.theory.bounds.langevin import expected_loss
from verification.spaces.shrunken import CHAIN_CASES, ROUGH
from verification.statement import claim
from verification.theorems.sglb_lemmas import CHOICES, Choice, normal

#: The inverse temperature of the chains whose mean loss is checked.
BETA = 8.0


@claim("SGLB, Theorem 1, the drift", CHOICES, sharpened="verified")
def check_drift(case, variant):
    """|E P_s (g + sigma zeta) - P g| <= (2 Phi(u/2) - 1) |g|: ours.

    Two learners, the greedy choice, independent noises.
    """
    return _drift(case, lambda choice: choice.off(False))


def _drift(case, off):
    return BoundCheck(
        "drift",
        "sharpened",
        "upper",
        off(case),
        2 * np.vectorize(normal)(case.u / 2) - 1,
        1e-12,
        "float",
    )


def _one_noise(case):
    """Return |drift - P g| / u if choice and fit share one noise: x / 2 becomes the mean of x 1(|x|
    > |y|), likewise for y.
    """
    x = np.linspace(-14, 14, 4001)
    out = []
    for u, angle in zip(case.u, case.angle, strict=True):
        g = u * np.array([np.cos(angle), np.sin(angle)])
        drift = []
        for a, b in (g, g[::-1]):
            inside = norm.cdf(abs(x) - b) - norm.cdf(-abs(x) - b)
            drift.append(np.sum(x * norm.pdf(x - a) * inside) * (x[1] - x[0]))
        out.append(np.linalg.norm(np.array(drift) - g / 2) / u)
    return np.array(out)


@claim("SGLB, Theorem 1, the mean before the limit", ROUGH, sharpened="verified")
def check_mean(case, variant):
    """|mean of the chain - mean of the limit| <= (eps t / 2) max a^2 e^(-a (t - eps)) |mu|: ours,
    of order eps.
    """
    return _mean(case, 1.0)


def _mean(case, factor, power=1):
    a, axes = np.linalg.eigh(case.plus_gamma().astype(float))
    limit = case.smoother @ case.y
    eps = float(case.eps)
    t = float(case.eps * case.steps)
    way = limit.astype(float) - axes @ (np.exp(-a * t) * (axes.T @ limit.astype(float)))
    off = np.linalg.norm(case.mean().astype(float) - way)
    bound = (
        factor
        * eps**power
        * t
        / 2
        * np.max(a**2 * np.exp(-a * (t - eps)))
        * np.linalg.norm(limit.astype(float))
    )
    return BoundCheck(
        "mean",
        "sharpened",
        "upper",
        off,
        bound,
        1e-13 * (1 + np.linalg.norm(case.y.astype(float))),
        "float",
        at=case.steps,
        along="steps",
    )


@claim("SGLB, the mean loss", ROUGH, sharpened="verified")
def check_loss(case, variant):
    """E L(F_k) over all choices is the loss of the mean plus half the trace of the covariance, step
    by step: ours, for any k.
    """
    return _loss(case, BETA)


def _loss(case, beta):
    law = case.law
    steps = min(case.steps, 4)
    y = case.y.astype(float)
    ends = np.cumsum([block.shape[1] for block in law.blocks])
    lists = [
        list(range(end - block.shape[1], end)) for end, block in zip(ends, law.blocks, strict=True)
    ]
    problem = cb.Problem(cb.data.blocks(law.H.astype(float), lists), y, center=False)
    method = cb.sglb(
        float(case.eps), beta, float(law.gamma), select=cb.rules.Weighted(law.chance.astype(float))
    )
    found = _all_choices(case, steps)
    bound = expected_loss(problem, method, [steps])[0]
    return BoundCheck(
        "mean loss",
        "sharpened",
        "tight",
        found,
        bound,
        1e-9 * (found + y @ y),
        "float",
        at=steps,
        along="steps",
    )


def _all_choices(case, steps):
    """Return E L after some steps, at BETA: the mean over all sequences of choices, each with
    normally distributed predictions.
    """
    law = case.law
    eps = float(case.eps)
    y = case.y.astype(float)
    total = 0.0
    for choice in product(range(len(law.blocks)), repeat=steps):
        p = 1.0
        mean = 0 * y
        cov = np.zeros((law.n, law.n))
        for s in choice:
            P = law.projectors[s].astype(float)
            moves = (1 - float(law.gamma) * eps) * np.eye(law.n) - eps * P
            p = p * float(law.chance[s])
            mean = moves @ mean + eps * P @ y
            cov = moves @ cov @ moves.T + 2 * law.n * eps / BETA * P
        total += p * ((y - mean) @ (y - mean) + np.trace(cov)) / 2
    return total


CASES = {
    **CHAIN_CASES,
    "choice, against each other": lambda: Choice(
        np.geomspace(4, 1e-3, 20), np.full(20, -np.pi / 4)
    ),
    "choice, some angle": lambda: Choice(np.geomspace(4, 1e-3, 20), np.full(20, 0.3)),
}

SABOTAGE = {
    check_drift: {
        "noise in the leaves only": lambda case: _drift(
            case, lambda choice: np.full(len(choice.u), 0.5)
        ),
        "one noise for both": lambda case: _drift(case, _one_noise),
    },
    check_loss: {"noise a tenth weaker": lambda case: _loss(case, BETA * 1.1)},
    check_mean: {
        "nine tenths of it": lambda case: _mean(case, 0.9),
        "order eps squared": lambda case: _mean(case, 1.0, 2),
    },
}
