"""Lasso tolerances are reached where coordinate descent is slow, columns are dependent, samples are
many, or rounding interferes.
"""

import gzip
import time

import numpy as np
import pytest
import scipy.sparse
from reference_sets import FOLDER, needs_compiler

import coordboost as cb


def one_direction(n, p, shared):
    """Columns that share most of their variation, so that coordinate descent alone is slow."""
    rng = np.random.default_rng(17)
    X = rng.standard_normal((n, p)) + shared * rng.standard_normal((n, 1))
    return X, X[:, :5] @ rng.standard_normal(5)


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csc_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    "more",
    [{}, {"sample_weight": np.linspace(0, 1, 80)}, {"l1_ratio": 0.9}],
    ids=["plain", "weighted", "net"],
)
@pytest.mark.parametrize("tol", [1e-2, 1e-3, 1e-6])
def test_no_tolerance_is_missed_where_sweeps_are_slow(kind, more, tol):
    X, y = one_direction(80, 120, 10)
    path = cb.lasso_path(kind(X), y, n_alphas=8, eps=1e-5, tol=tol, solver="cd", **more)
    assert path.message == "complete" and (path.gaps <= tol).all()
    assert path.certificate().gap <= 1.01 * tol * path.problem.start_excess


@needs_compiler
@pytest.mark.parametrize("center", [True, False])
def test_short_columns_are_the_same_dense_and_sparse(center):
    """Columns with few entries: the bound of a learner that is not scanned uses only the residual
    entries that the column meets.
    """
    rng = np.random.default_rng(3)
    X = scipy.sparse.random_array((400, 900), density=0.03, rng=rng).tocsc()
    y = X @ np.where(np.arange(900) < 8, 3.0, 0.0) + 0.1 * rng.standard_normal(400)
    weight = rng.uniform(0.5, 2, 400)
    factor = rng.uniform(0.5, 2, 900)
    paths = [
        cb.lasso_path(
            cb.Problem(data, y, center=center, sample_weight=weight),
            penalty_factor=factor,
            n_alphas=30,
            tol=1e-9,
            solver="cd",
        )
        for data in (X, X.toarray())
    ]
    assert (paths[0].gaps <= 1e-9).all() and (paths[1].gaps <= 1e-9).all()
    np.testing.assert_allclose(
        paths[0].coefs, paths[1].coefs, atol=1e-3 * np.abs(paths[1].coefs).max()
    )
    assert (
        paths[0].certificate().lower <= paths[1].certificate().upper
        and paths[1].certificate().lower <= paths[0].certificate().upper
    )


@needs_compiler
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize(
    "loss", [cb.losses.Logistic(), cb.losses.Huber(0.5)], ids=["logistic", "huber"]
)
def test_large_sets_of_short_columns_for_any_loss(loss, free):
    """More than 200 columns with few entries: quadratic models minimised on sparse columns give the
    same answers as on dense ones.
    """
    rng = np.random.default_rng(4)
    X = scipy.sparse.random_array((600, 900), density=0.01, rng=rng).tocsc()
    y = X @ rng.standard_normal(900) + 0.3 * rng.standard_normal(600)
    y = np.sign(y) + (y == 0) if loss == cb.losses.Logistic() else y
    one, two = (
        cb.lasso_path(data, y, loss=loss, n_alphas=6, eps=0.05, tol=1e-8, refit_intercept=free)
        for data in (X, X.toarray())
    )
    assert (
        (one.gaps <= 1e-8).all()
        and (two.gaps <= 1e-8).all()
        and np.count_nonzero(one.coefs[:, -1]) > 200
    )
    np.testing.assert_allclose(one.coefs, two.coefs, atol=1e-2 * np.abs(two.coefs).max())
    assert (
        one.certificate().lower <= two.certificate().upper
        and two.certificate().lower <= one.certificate().upper
    )


def test_most_scans_are_of_few_learners():
    """A full scan at each of the 50 penalties would make 50 scans; most here are partial, and add
    up to at most 15.
    """
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60, 900))
    y = X[:, :5] @ np.array([5.0, -4.0, 3.0, 2.0, -2.0]) + 0.5 * rng.standard_normal(60)
    path = cb.lasso_path(X, y, n_alphas=50, eps=0.2, tol=1e-4, solver="cd")
    assert (
        (path.gaps <= 1e-4).all() and path.n_scans <= 15 and f"{path.gaps.max():.1e}" in repr(path)
    )


@pytest.mark.parametrize("seed", [10, 12, 13])
def test_a_gap_below_rounding_is_given_up_soon(seed):
    """A number of steps without progress ends the attempt."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 4))
    y = np.where(X[:, :3].sum(axis=1) + rng.standard_normal(40) > 0, 1.0, -1.0)
    weight = rng.random(40) * rng.integers(0, 2, 40) + 1e-3
    path = cb.lasso_path(X, y, [0.003], loss=cb.losses.Logistic(), tol=1e-15, sample_weight=weight)
    assert path.gaps[0] <= 1e-11 and path.n_scans <= 20


@pytest.mark.parametrize(
    "loss",
    [cb.losses.Poisson(), cb.losses.Logistic(), cb.losses.Huber(1.0)],
    ids=["poisson", "logistic", "huber"],
)
def test_dependent_columns_for_any_loss(loss):
    """Forty columns of rank 13: the minimiser of a quadratic model may move far without changing
    the prediction.
    """
    rng = np.random.default_rng(340)
    X = rng.standard_normal((300, 13)) @ rng.standard_normal((13, 40))
    y = np.abs(np.round(X[:, :5] @ np.arange(1, 6) + rng.standard_normal(300)))
    y = np.where(y > np.median(y), 1.0, -1.0) if loss == cb.losses.Logistic() else y
    for free in (False, True):
        path = cb.lasso_path(X, y, loss=loss, n_alphas=10, eps=1e-2, refit_intercept=free)
        assert path.message == "complete" and (path.gaps <= 1e-6).all()


@needs_compiler
@pytest.mark.skipif(not (FOLDER.parent / "data" / "a9a.svm.gz").is_file(), reason="no a9a")
def test_many_rows_of_indicators():
    """Columns that sum to a constant in groups; sums of 32,561 terms, with a rounding allowance of
    up to 3e-9 in the certificate. Slopes are such sums, too: where they are below rounding, the
    line search must not halve the step down to nothing.
    """
    from sklearn.datasets import load_svmlight_file

    with gzip.open(FOLDER.parent / "data" / "a9a.svm.gz") as handle:
        X, y = load_svmlight_file(handle, n_features=123)
    path = cb.lasso_path(X.tocsc(), y, loss=cb.losses.Logistic(), tol=1e-8, n_alphas=10, eps=1e-2)
    assert (path.gaps <= 1e-8).all()
    began = time.process_time()
    fine = cb.lasso_path(
        cb.Problem(X.tocsc(), y, cb.losses.Logistic(), center=False), tol=1e-12, n_alphas=3, eps=0.1
    )
    assert (fine.gaps <= 1e-10).all() and time.process_time() - began <= 30


OUT_OF_REACH = {
    "homotopy": {"solver": "homotopy"},
    "cd": {"solver": "cd"},
    "limits": {"upper_limits": 0.5},
    "ridge": {"l1_ratio": 0},
    "ridge by sweeps": {"l1_ratio": 0, "solver": "cd"},
    "net": {"l1_ratio": 0.5},
    "free column": {"penalty_factor": np.arange(8.0)},
    "huber": {"loss": cb.losses.Huber(0.1)},
    "huber and intercept": {"loss": cb.losses.Huber(0.1), "refit_intercept": True},
    "gamma": {"loss": cb.losses.Gamma(), "refit_intercept": True},
    "logistic ridge": {"loss": cb.losses.Logistic(), "l1_ratio": 0},
}


@pytest.mark.parametrize("name", OUT_OF_REACH)
@pytest.mark.parametrize("n", [40, 6])
def test_a_tolerance_out_of_reach_ends_with_a_sentence(name, n):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, 8))
    y = np.exp(X[:, 0] + 0.3 * rng.normal(size=n))
    y = np.sign(y - np.median(y)) if "logistic" in name else y
    path = cb.lasso_path(X, y, n_alphas=6, tol=1e-300, **OUT_OF_REACH[name])
    assert path.message.startswith("not reached: the gap is") and path.gaps.max() < 1e-11
    assert path.n_scans < 1000
