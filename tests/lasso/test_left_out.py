"""An infinite penalty factor leaves a column out: compared with a table without the column."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from refusal import refused

import coordboost as cb

RNG = np.random.default_rng(7)
N = 60
NAMES = ["a", "b", "c", "d", "e"]
X = RNG.normal(size=(N, 5))
X[:, 2] += X[:, 1]
FRAME = pd.DataFrame(X, columns=NAMES)
SIGNAL = X @ [1.0, 1.0, 0.0, -1.0, 0.5]
REST = np.array([0, 2, 3, 4])
LOSSES = {
    "squared": (cb.losses.Squared(), SIGNAL + RNG.normal(size=N)),
    "logistic": (cb.losses.Logistic(), np.where(SIGNAL + RNG.normal(size=N) > 0, 1.0, -1.0)),
    "huber": (cb.losses.Huber(0.5), SIGNAL + RNG.normal(size=N)),
    "poisson": (cb.losses.Poisson(), RNG.poisson(np.exp(SIGNAL / 2)).astype(float)),
}
each = pytest.mark.parametrize("name", LOSSES)


@each
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5, 0.0])
def test_the_column_is_no_part_of_the_problem(name, l1_ratio):
    loss, y = LOSSES[name]
    options = {"loss": loss, "l1_ratio": l1_ratio, "n_alphas": 6, "eps": 0.01, "tol": 1e-9}
    options["refit_intercept"] = name != "squared"
    for table in (FRAME, scipy.sparse.csr_array(X)):
        ours = cb.lasso_path(table, y, penalty_factor=[1, np.inf, 1, 1, 1], **options)
        alphas = ours.alphas if l1_ratio == 0 else None  # whose grid is that of all columns
        alone = cb.lasso_path(X[:, REST], y, alphas, **options)
        np.testing.assert_allclose(ours.alphas, alone.alphas, rtol=1e-12)
        assert not ours.coefs[1].any() and (ours.gaps <= 1e-9).all()
        np.testing.assert_allclose(ours.coefs[REST], alone.coefs, atol=1e-3)
        for k in range(ours.n_points):
            one, other = ours.certificate(k), alone.certificate(k)
            assert one.lower <= other.upper * (1 + 1e-12) + 1e-12
            assert other.lower <= one.upper * (1 + 1e-12) + 1e-12
    assert alone.left_out == [] and "without" not in str(alone.certificate())


@each
def test_certificates_name_it(name):
    loss, y = LOSSES[name]
    path = cb.lasso_path(FRAME, y, [0.01], loss=loss, penalty_factor={"b": np.inf})
    assert path.left_out == ["b"]
    assert str(path.certificate()).startswith("without the columns b, L1Penalty(")
    relaxed = path.relaxed()
    assert not relaxed.coefs[1].any()
    assert str(relaxed.certificate()).startswith(
        "the Lasso beneath the relaxed model (gamma = 0) without the columns b, L1Penalty("
    )


@pytest.mark.parametrize(
    ("kind", "name", "params"),
    [
        (cb.CertifiedLassoCV, "squared", {}),
        (cb.CertifiedLassoCV, "squared", {"gamma": [0, 1]}),
        (cb.CertifiedLassoCV, "squared", {"rule": "bic", "noise_variance": 1.0}),
        (cb.CertifiedElasticNetCV, "squared", {"l1_ratio": [0.5, 1]}),
        (cb.CertifiedLassoClassifierCV, "logistic", {}),
        (cb.CertifiedPoissonRegressorCV, "poisson", {}),
    ],
    ids=lambda of: of.__name__ if isinstance(of, type) else str(of),
)
def test_estimators(kind, name, params):
    y = LOSSES[name][1]
    folds = [(np.flatnonzero(np.arange(N) % 3 != k), np.arange(k, N, 3)) for k in range(3)]
    params = {"standardize": True, "n_alphas": 5, "eps": 0.05, "cv": folds, "tol": 1e-9} | params
    ours = kind(penalty_factor={"b": np.inf}, **params).fit(FRAME, y)
    alone = kind(**params).fit(X[:, REST], y)
    assert not ours.path_.coefs[1].any()
    np.testing.assert_allclose(np.ravel(ours.coef_)[REST], np.ravel(alone.coef_), atol=1e-3)
    assert ours.alpha_ == pytest.approx(alone.alpha_)
    assert "without the columns b" in str(ours.certificate_)


def test_all_but_one():
    path = cb.lasso_path(FRAME, LOSSES["squared"][1], penalty_factor=[np.inf] * 4 + [1])
    assert np.flatnonzero(path.coefs.any(axis=1)).tolist() == [4]
    every = cb.lasso_path(FRAME, LOSSES["squared"][1], [0.1, 0.01], penalty_factor=[np.inf] * 5)
    assert not every.coefs.any() and (every.gaps <= 1e-6).all() and every.left_out == NAMES


def test_refused_factors():
    y = LOSSES["squared"][1]
    half = [[np.inf, 1, 1, 1, 1], [1, 1, 1, 1, 1]]
    refused(lambda: cb.lasso_path(X, y, penalty_factor=half), "must be inf in both rows")
    refused(lambda: cb.lasso_path(X, y, penalty_factor=[-np.inf, 1, 1, 1, 1]), "finite")
    refused(lambda: cb.lasso_path(X, y, penalty_factor=[np.nan, 1, 1, 1, 1]), "finite")
    labels = np.arange(N) % 3
    path = cb.lasso.multinomial_path(X, labels, penalty_factor=[np.inf, 1, 1, 1, 1], n_alphas=3)
    assert (
        path.message == "complete"
        and not path.coef_at(step=2)[:, 0].any()
        and path.coef_at(step=2).any()
    )
    refused(
        lambda: cb.lasso.multinomial_path(X, labels, penalty_factor=[0, 1, 1, 1, 1]),
        "penalty_factor must be positive",
    )
