"""Least angle regression compared with its definition in a few NumPy lines: all tied learners move,
even after a change of sign.
"""

import itertools

import numpy as np
import pytest

import coordboost as cb


def naive_lar(B, y):
    """Levels (k + 1,) and coefficients (k + 1, n) at the knots. One learner joins at each knot,
    none leaves.

    With active learners A and signs s the coefficients move by d = (B_A' B_A)^-1 s per unit of the
    level, until another learner's correlation reaches the level. *Source*: Efron, Hastie,
    Johnstone, Tibshirani, equations (2.4) to (2.13).
    """
    n = B.shape[1]
    beta = np.zeros(n)
    lams = [np.abs(B.T @ y).max()]
    betas = [np.zeros(n)]
    active = [int(np.argmax(np.abs(B.T @ y)))]
    while len(active) <= n:
        corr = B.T @ (y - B @ beta)
        lam = lams[-1]
        way = np.linalg.solve(B[:, active].T @ B[:, active], np.sign(corr[active]))
        rate = B.T @ (B[:, active] @ way)
        others = [j for j in range(n) if j not in active]
        steps = {
            j: min(
                t
                for t in ((lam - corr[j]) / (1 - rate[j]), (lam + corr[j]) / (1 + rate[j]))
                if t > 1e-12
            )
            for j in others
        }
        new = min(steps, key=steps.get) if steps else None
        step = steps[new] if steps else lam
        beta[active] += step * way
        lams.append(lam - step)
        betas.append(beta.copy())
        active.append(new)
    return np.array(lams), np.array(betas)


def columns(problem):
    return problem.dictionary.gather(np.arange(problem.n_learners))


@pytest.mark.parametrize("candidates", [None, 2])
@pytest.mark.parametrize(
    ("seed", "crossing"), [(0, False), (1, False), (7, True), (15, True), (28, True)]
)
def test_knots(seed, crossing, candidates):
    """Correlated columns. In some cases a coefficient changes sign: the Lasso would drop that
    learner, LAR keeps it.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 7)) + 3.0 * rng.normal(size=(20, 1))
    problem = cb.Problem(X, rng.normal(size=20))
    B = columns(problem)
    path = cb.exact_path(problem, kind="lar", candidates=candidates)
    lam, beta = naive_lar(B, problem.y)
    assert (beta[1:] * beta[:-1] < 0).any() == crossing
    assert path.complete and path.n_knots == len(lam)
    slack = 1e3 * np.finfo(float).eps * np.linalg.cond(B) ** 2 * np.linalg.norm(problem.y)
    np.testing.assert_allclose(path.lam, lam, rtol=0, atol=slack)
    np.testing.assert_allclose(path.beta.toarray(), beta, rtol=0, atol=slack)
    joined = [
        int(np.flatnonzero((new != 0) & (old == 0))[0]) for old, new in itertools.pairwise(beta)
    ]
    assert path.events == [(knot, learner, 1) for knot, learner in enumerate(joined)]


def test_all_tied_learners_start_together():
    """Orthogonal columns with equal correlations give one segment; events are in order, and of
    identical columns only the first moves.
    """
    Q = np.linalg.qr(np.random.default_rng(3).normal(size=(8, 4)))[0]
    X = np.column_stack([Q[:, :2], Q[:, 1], -Q[:, 0], Q[:, 2:]])
    y = Q @ [2.0, -2.0, 2.0, 1.0]
    path = cb.exact_path(cb.Problem(X, y, center=False, scale=False), kind="lar")
    np.testing.assert_allclose(path.lam, [2.0, 1.0, 0.0], atol=1e-14)
    np.testing.assert_allclose(
        path.beta.toarray(), [[0] * 6, [1, -1, 0, 0, 1, 0], [2, -2, 0, 0, 2, 1]], atol=1e-14
    )
