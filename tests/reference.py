r"""Slow, clear references: every method in a few NumPy lines, to be read next to the paper.

Names: ``X (n, p)`` has columns of unit norm, ``y (n,)``, ``beta (p,)``,
``resid = -dloss/dpred (n,)``, ``corr = X' resid (p,)``. Arrays are float64, or object arrays of
`fractions.Fraction` if exact (never integers). Nothing is cached: the residual is always recomputed
from ``beta``. Losses are sums over samples. Ties go to the lowest index. Nothing here imports the
package under test.

FGM = Freund, Grigas, Mazumder, "A New Perspective on Boosting in Linear Regression" (2017).
LM = Lu, Mazumder, "Randomized Gradient Boosting Machine" (2020).
"""

from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np
from reference_exact import least_squares


class Loss(NamedTuple):
    value: Callable  # (y, pred) -> sum of the losses
    residual: Callable  # (y, pred) -> -dloss/dpred (n,)
    sigma: object  # smoothness constant, None if there is none


class Walk(NamedTuple):
    betas: np.ndarray  # (n_steps + 1, p)
    picks: list  # (n_steps,) chosen column
    shrinks: list  # (n_steps,)   beta <- (1 - shrink) beta
    thetas: list  # (n_steps,)   beta[pick] += theta


# Losses (LM, Definition 4.1).
# -----------------------------------------------------------------------------------------

SQUARED = Loss(lambda y, f: np.sum((y - f) ** 2) / 2, lambda y, f: y - f, 1)
EXPONENTIAL = Loss(lambda y, f: np.sum(np.exp(-y * f)), lambda y, f: y * np.exp(-y * f), None)


def huber(d):
    def value(y, f):
        a = np.abs(y - f)
        return np.sum(np.where(a <= d, a * a / 2, d * a - d * d / 2))

    return Loss(value, lambda y, f: np.maximum(np.minimum(y - f, d), -d), 1)


def logistic(d=0.0):
    """log(1 + exp(-y f)) + d f^2 / 2, labels -1/+1; 1 / (1 + exp(y f)) is written so that it cannot
    overflow.
    """
    return Loss(
        lambda y, f: np.sum(np.logaddexp(0, -y * f) + d * f * f / 2),
        lambda y, f: y * np.exp(-np.logaddexp(0, y * f)) - d * f,
        0.25 + d,
    )


# The one update, then one rule per method.
# ----------------------------------------------------------------------------


def sgn(x):
    return int(x > 0) - int(x < 0)


def best(score, among=None):
    """Index of the largest |score|, lowest index on ties; `among` restricts the search."""
    among = np.arange(len(score)) if among is None else np.unique(among)
    return int(among[np.argmax(np.abs(score[among]))])


def walk(X, y, n_steps, rule, loss=SQUARED):
    """beta <- (1 - shrink) beta;  beta[j] += theta,   (j, shrink, theta) = rule(k, beta, corr)."""
    betas = [X[0] - X[0]]
    steps = []
    for k in range(n_steps):
        corr = X.T @ loss.residual(y, X @ betas[-1])
        j, shrink, theta = rule(k, betas[-1], corr)
        beta = (1 - shrink) * betas[-1]
        beta[j] += theta
        betas.append(beta)
        steps.append((j, shrink, theta))
    return Walk(np.array(betas), *([step[i] for step in steps] for i in range(3)))


def ls_boost(X, y, eps, n_steps):
    """LS-Boost(eps), FGM section 2, (10): theta = eps * corr_j."""
    return walk(X, y, n_steps, lambda k, beta, corr: (best(corr), 0, eps * corr[best(corr)]))


def forward_stagewise(X, y, eps, n_steps):
    """FS_eps and FS_{eps_k}, FGM section 3: theta = eps_k * sgn(corr_j); `eps` a number or one
    number per step.
    """
    eps = np.broadcast_to(np.asarray(eps), (n_steps,))
    return walk(
        X, y, n_steps, lambda k, beta, corr: (best(corr), 0, eps[k] * sgn(corr[best(corr)]))
    )


def regularized_forward_stagewise(X, y, eps, delta, n_steps):
    """R-FS_{eps, delta}, FGM section 4: shrink = eps / delta, theta = eps * sgn(corr_j); delta =
    inf is FS.
    """
    shrink = 0 if delta == inf else eps / delta  # Fraction / inf would be a float
    return walk(
        X, y, n_steps, lambda k, beta, corr: (best(corr), shrink, eps * sgn(corr[best(corr)]))
    )


def path_forward_stagewise(X, y, eps, deltas):
    """PATH-R-FS_eps, FGM section 5: R-FS with delta_k, one update per grid value (iterates
    0..len(deltas)).
    """
    return walk(
        X,
        y,
        len(deltas),
        lambda k, beta, corr: (best(corr), eps / deltas[k], eps * sgn(corr[best(corr)])),
    )


def frank_wolfe(X, y, delta, n_steps, gamma):
    """Frank-Wolfe on the l1 ball (FGM, A.4.5): beta <- (1 - gamma(k)) beta + gamma(k) * delta *
    sgn(corr_j) e_j.
    """
    return walk(
        X,
        y,
        n_steps,
        lambda k, b, corr: (best(corr), gamma(k), gamma(k) * delta * sgn(corr[best(corr)])),
    )


def frank_wolfe_line_search(X, y, delta, n_steps):
    """Exact line search: gamma = argmin over [0, 1] of ||y - X (beta + gamma d)||^2 along d =
    vertex - beta.
    """

    def rule(k, beta, corr):
        j = best(corr)
        d = -beta
        d[j] += delta * sgn(corr[j])
        gain = corr @ d
        curvature = np.sum((X @ d) ** 2)
        gamma = 0 * gain if curvature == 0 else min(max(gain / curvature, 0), 1)
        return j, gamma, gamma * delta * sgn(corr[j])

    return walk(X, y, n_steps, rule)


def coordinate_descent(X, y, n_steps, loss=SQUARED, candidates=None, rho=None):
    """LM, Algorithm 3: j = argmax over candidates[k] of |corr_j|, theta = rho * corr_j, rho = 1 /
    sigma.

    ``candidates=None``: greedy; ``[k % p for k in ...]``: cyclic; drawn lists: random-then-greedy.
    """
    rho = 1 / Fraction(loss.sigma) if rho is None else rho
    rho = rho if X.dtype == object else float(rho)

    def rule(k, beta, corr):
        j = best(corr, None if candidates is None else candidates[k])
        return j, 0, rho * corr[j]

    return walk(X, y, n_steps, rule, loss)


def soft(a, t):
    return np.sign(a) * np.maximum(np.abs(a) - t, 0)


def lasso_cd(X, y, lam, n_steps, candidates=None):
    """FGM, A.4.4, for 1/2 ||y - X beta||^2 + lam ||beta||_1; the winner is the candidate that would
    move farthest.
    """

    def rule(k, beta, corr):
        move = soft(beta + corr, lam) - beta
        j = best(move, None if candidates is None else candidates[k])
        return j, 0, move[j]

    return walk(X, y, n_steps, rule)


def forward_stepwise(X, y, n_steps):
    """Forward Stepwise: add the best j not in S, refit on S. Returns (betas, picks); ends early if
    corr = 0.
    """
    betas = [X[0] - X[0]]
    picks = []
    for _ in range(min(n_steps, X.shape[1])):
        corr = X.T @ (y - X @ betas[-1])
        j = best(corr, np.setdiff1d(np.arange(X.shape[1]), picks))
        if corr[j] == 0:
            break
        picks.append(j)
        betas.append(X[0] - X[0])
        betas[-1][picks] = least_squares(X[:, picks], y)
    return np.array(betas), picks


def accelerated(X, y, eta, gamma, n_rounds, loss=SQUARED, correction=1):
    """AGBM (Lu et al. 2020, Algorithm 2); correction=0: VAGBM (Algorithm 4). The f^m (n_rounds + 1,
    p), and pairs of picks, or picks.
    """
    f = X[0] - X[0]
    h = X[0] - X[0]
    e = y - y
    fs = [X[0] - X[0]]
    picks = []
    for m in range(n_rounds):
        theta = 2 / (m + 2 + e[0] - e[0])
        g = (1 - theta) * f + theta * h
        r = loss.residual(y, X @ g)
        c = r + correction * (m + 1) * theta / 2 * e
        j = best(X.T @ r)
        i = best(X.T @ c)
        f = g.copy()
        h = h.copy()
        f[j] += eta * (X.T @ r)[j]
        h[i] += gamma * eta / theta * (X.T @ c)[i]
        e = c - (X.T @ c)[i] * X[:, i]
        fs.append(f)
        picks.append((j, i) if correction else j)
    return np.array(fs), picks


def subgradient_descent(X, y, alphas, delta=inf):
    """FGM (19), (21), (24): r <- r - alpha_k (sgn(corr_j) X_j + (r - y) / delta). Returns the r_k
    (n_steps + 1, n).
    """
    resids = [y]
    for alpha in alphas:
        corr = X.T @ resids[-1]
        pull = 0 if delta == inf else (resids[-1] - y) / delta
        resids.append(resids[-1] - alpha * (sgn(corr[best(corr)]) * X[:, best(corr)] + pull))
    return np.array(resids)


# Values.
# --------------------------------------------------------------------------------------------------


def L_n(X, y, beta):
    """FGM section 1: 1/(2n) ||y - X beta||^2."""
    return SQUARED.value(y, X @ beta) / len(y)


def omega(X, y, beta, delta):
    """FGM (45): ||X' r||_inf - r' X beta / delta; L_n(beta) minus its optimum at delta is at most
    (delta / n) omega.
    """
    corr = X.T @ (y - X @ beta)
    return np.max(np.abs(corr)) - corr @ beta / delta
