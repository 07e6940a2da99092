"""The dual point of a certificate of the Lasso is the best multiple of the residual: compared with
many multiples, with penalties that have quadratic terms, limits and factors.
"""

import numpy as np
import pytest

import coordboost as cb

KINDS = {
    "lasso": {},
    "net": {"l1_ratio": 0.5},
    "nearly a lasso": {"l1_ratio": 0.999},
    "ridge": {"l1_ratio": 0.0},
    "positive": {"positive": True},
    "wide limits": {"lower_limits": -1e9, "upper_limits": 1e9},
    "narrow limits": {"lower_limits": -0.05, "upper_limits": 0.1},
    "net with limits": {"l1_ratio": 0.7, "lower_limits": -0.05, "upper_limits": 1e9},
}


def wide(seed=0, n=20, p=60):
    """Correlated columns, more than rows, of different scales."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4)) @ rng.standard_normal((4, p)) + rng.standard_normal((n, p))
    return X * rng.uniform(0.5, 2, p), X[:, :3].sum(axis=1) + rng.standard_normal(n), rng


def lower_bounds(X, y, weight, coef, multiples, price, ridge, lower, upper):
    """The dual values at multiples of the residual, on centred data."""
    resid = y - X @ coef
    corr = X.T @ (weight * resid)
    limit = np.where(corr > 0, upper, -lower)
    excess = np.maximum(np.outer(multiples, np.abs(corr)) - price * (1 + 1e-14), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        best = np.where(excess > 0, np.minimum(excess / ridge, limit), 0.0)
        cost = np.where(excess > 0, (excess - np.where(ridge > 0, ridge * best / 2, 0)) * best, 0)
    square = resid @ (weight * resid)
    along = resid @ (weight * y)
    return multiples * along - multiples**2 * square / 2 - cost.sum(axis=1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_no_multiple_of_the_residual_gives_a_better_lower_end(kind, weighted):
    X, y, rng = wide()
    factor = rng.uniform(0.5, 2, X.shape[1])
    weight = rng.uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    options = {"lower_limits": -np.inf, "upper_limits": np.inf, "l1_ratio": 1.0} | KINDS[kind]
    path = cb.lasso_path(
        X,
        y,
        n_alphas=5,
        eps=0.05,
        tol=1e-2,
        penalty_factor=factor,
        sample_weight=weight if weighted else None,
        unit_columns=False,
        **options,
    )
    total = weight.sum()
    X = X - weight @ X / total
    y = y - weight @ y / total
    size = weight @ y**2 / 2
    coarse = np.linspace(0, 2, 401)
    lower = 0.0 if options.pop("positive", False) else options["lower_limits"]
    for k, alpha in enumerate(path.alphas):
        price = alpha * total * options["l1_ratio"] * factor
        ridge = alpha * total * (1 - options["l1_ratio"]) * factor
        penalty = price, ridge, lower, options["upper_limits"]
        coef = path.coefs[:, k]
        about = coarse[lower_bounds(X, y, weight, coef, coarse, *penalty).argmax()]
        fine = about + np.linspace(-0.005, 0.005, 4001)
        best = lower_bounds(X, y, weight, coef, fine[fine >= 0], *penalty).max()
        found = path.certificate(k)
        # a step of the fine grid, times the slope beside a kink
        assert best - 1e-9 * size <= found.lower <= best + 1e-5 * size
        assert found.gap <= (path.gaps[k] + 1e-9) * size


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_fits_of_the_elastic_net_end_near_their_tolerance(tol):
    X, y, _ = wide(1, 40, 400)
    path = cb.lasso_path(X, y, n_alphas=30, eps=0.01, tol=tol, l1_ratio=0.5)
    assert path.message == "complete"
    gaps = [path.certificate(k).witness["relative_gap"] for k in range(path.n_points)]
    assert 0.2 * tol < max(gaps) <= 1.001 * tol


def test_limits_that_hold_nothing_cost_nothing():
    X, y, _ = wide(2, 40, 400)
    plain, limited = (
        cb.lasso_path(X, y, n_alphas=30, eps=0.01, solver="cd", **options)
        for options in ({}, {"lower_limits": -1e9, "upper_limits": 1e9})
    )
    assert limited.message == "complete"
    assert limited.n_scans <= 1.2 * plain.n_scans
    np.testing.assert_allclose(limited.gaps, plain.gaps, atol=1e-9)
