"""The exact path of the Lasso takes signs of coefficients and columns without a penalty; where a
coefficient reaches another limit, coordinate descent goes on.
"""

import numpy as np
import pytest
import scipy.optimize

import coordboost as cb

SHAPES = [(25, 60), (60, 12), (20, 20), (200, 7)]
P = 60
FREE = np.where(np.arange(P) < 2, 0.0, 1.0 + np.arange(P) % 3)
SOME = np.where(np.arange(P) % 3 == 0, 0.0, np.inf)
LIMITS = {
    "positive": {"positive": True},
    "some signs": {"lower_limits": -SOME[::-1], "upper_limits": SOME},
    "limits that are reached": {"lower_limits": -0.4, "upper_limits": 0.3},
    "limits that are far": {"lower_limits": -1e9, "upper_limits": 1e9},
    "two columns without a penalty": {"penalty_factor": FREE},
    "both": {"penalty_factor": FREE, "lower_limits": np.where(FREE == 0, -np.inf, 0.0)},
}


def table(n, p, seed=0):
    """A table with copies and a sum of columns, and its target."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, 3] = X[:, 4]
    X[:, 5] = X[:, 1] + X[:, 2]
    return X, X[:, :6] @ [1.0, -2, 1.5, 0.5, 0.5, -1] + rng.standard_normal(n)


def cut(options, p):
    """The options for the first p columns."""
    return {key: value[:p] if np.ndim(value) else value for key, value in options.items()}


def gap(X, y, path, k, weight, options):
    """The duality gap of a model over the loss of the constant model, in plain NumPy."""
    p = X.shape[1]
    X = X - weight @ X / weight.sum()
    y = y - weight @ y / weight.sum()
    coef = path.coefs[:, k]
    lower = np.broadcast_to(
        0.0 if "positive" in options else options.get("lower_limits", -np.inf), p
    )
    upper = np.broadcast_to(options.get("upper_limits", np.inf), p)
    assert (lower <= coef).all() and (coef <= upper).all()
    factor = options.get("penalty_factor", np.ones(p))
    price = path.alphas[k] * weight.sum() * factor * np.sqrt(weight @ X**2)
    resid = y - X @ coef
    corr = X.T @ (weight * resid)
    penalised = factor > 0
    assert np.abs(corr[~penalised]).max(initial=0.0) < 1e-11 * np.sqrt(weight @ y**2) * len(y)
    size = np.abs(corr)[penalised]
    price_of = price[penalised]
    limit = np.where(corr > 0, upper, -lower)[penalised]
    along = weight @ (y * resid)
    square = weight @ resid**2

    def dual(scale):
        excess = np.maximum(scale * size - price_of * (1 + 1e-13), 0.0)
        return scale * along - scale**2 * square / 2 - excess[excess > 0] @ limit[excess > 0]

    # the bound is concave and quadratic between the scales at which a correlation meets its price
    some = size > 0
    endless = np.isinf(limit) & some
    meets = price_of[some & ~endless] / size[some & ~endless]
    slopes = np.cumsum((size * limit)[some & ~endless][np.argsort(meets)])
    scales = np.r_[0.0, meets, (along - np.r_[0.0, slopes]) / square]
    scales = np.clip(scales, 0.0, (price_of[endless] / size[endless]).min(initial=np.inf))
    primal = weight @ resid**2 / 2 + price @ np.abs(coef)
    return (primal - max(map(dual, scales))) / (weight @ y**2 / 2)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", LIMITS)
def test_the_gap_holds(name, shape):
    """Every model of the exact path is optimal; the judge is a gap in NumPy."""
    X, y = table(*shape)
    options = cut(LIMITS[name], shape[1])
    for weight in (None, np.random.default_rng(1).uniform(0.2, 3.0, len(y))):
        path = cb.lasso_path(X, y, solver="homotopy", tol=1e-9, sample_weight=weight, **options)
        assert path.message == "complete" and path.solver == "homotopy"
        for k in range(0, 100, 9):
            found = gap(X, y, path, k, np.ones(len(y)) if weight is None else weight, options)
            assert found <= path.gaps[k] + 1e-12


@pytest.mark.parametrize(
    "name", ["positive", "some signs", "two columns without a penalty", "both"]
)
def test_signs_and_columns_without_a_penalty_are_part_of_the_exact_path(name):
    """Gaps are rounding, without coordinate descent; on small tables it is the default."""
    X, y = table(25, 60)
    path = cb.lasso_path(X, y, **LIMITS[name])
    assert path.solver == "homotopy" and path.gaps.max() < 1e-11


def test_coordinate_descent_goes_on_where_a_limit_is_reached():
    X, y = table(60, 12)
    plain = cb.lasso_path(X, y)
    limit = 1.01 * np.abs(plain.coefs[:, 40]).max()
    path = cb.lasso_path(X, y, lower_limits=-limit, upper_limits=limit, solver="homotopy")
    assert path.message == "complete" and np.abs(path.coefs).max() == limit
    np.testing.assert_allclose(path.coefs[:, :41], plain.coefs[:, :41], atol=1e-12)


@pytest.mark.parametrize("shape", [(60, 12), (25, 60)])
def test_no_penalty_and_no_negative_coefficient_is_nonnegative_least_squares(shape):
    X, y = table(*shape)
    path = cb.lasso_path(X, y, [*np.geomspace(1, 1e-4, 12), 0.0], positive=True)
    assert path.solver == "homotopy"
    _, distance = scipy.optimize.nnls(X - X.mean(axis=0), y - y.mean())
    left = y - path.intercepts[-1] - X @ path.coefs[:, -1]
    assert path.coefs.min() >= 0 and np.linalg.norm(left) <= distance + 1e-11


def test_a_sign_that_no_column_may_have_leaves_all_coefficients_0():
    X, y = table(25, 60)
    path = cb.lasso_path(X, y, lower_limits=0.0, upper_limits=0.0, solver="homotopy")
    assert path.message == "complete" and not path.coefs.any()
