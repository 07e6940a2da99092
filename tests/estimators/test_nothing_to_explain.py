"""Constant targets, and columns none of which varies: every solver returns the constant model with
gap 0, in folds too.
"""

import warnings

import numpy as np
import pytest

import coordboost as cb
from coordboost import losses

RNG = np.random.default_rng(3)
TABLES = {
    "tall": RNG.normal(size=(20, 4)),
    "wide": RNG.normal(size=(6, 9)),
    "constant": np.ones((20, 2)),
    "one constant": np.ones((20, 1)),
    "zeros": np.zeros((8, 3)),
    "partly": np.column_stack([np.ones(20), RNG.normal(size=(20, 2))]),
    "two rows": np.array([[1.0, 2.0], [3.0, 5.0]]),
}
STILL = ["constant", "one constant", "zeros"]
OPTIONS = [
    {},
    {"solver": "cd"},
    {"solver": "homotopy"},
    {"l1_ratio": 0},
    {"l1_ratio": 0, "solver": "cd"},
    {"l1_ratio": 0.5},
    {"l1_ratio": 0, "positive": True},
    {"upper_limits": 0.1},
    {"first free": True},
    {"first free": True, "l1_ratio": 0},
    {"all free": True},
    {"all free": True, "l1_ratio": 0.5},
]
CONSTANTS = {
    losses.Huber(0.1): 0.1,
    losses.Poisson(): 3.0,
    losses.Gamma(): 0.1,
    losses.Tweedie(1.5): 0.1,
}


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cb.data.validation.ConstantColumnWarning)
        yield


def path_of(X, y, options, alphas, **more):
    """The path, where factors of 0 are those of the first column or of all."""
    options = dict(options)
    factors = np.ones(X.shape[1])
    if options.pop("first free", False):
        factors[0] = 0.0
    if options.pop("all free", False):
        factors[:] = 0.0
    return cb.lasso_path(X, y, alphas, n_alphas=4, penalty_factor=factors, **options, **more)


def check_constant(path):
    """Check that all models of a path are the constant model, at the optimum."""
    assert (
        path.message == "complete" and path.gaps.max() <= 1e-14 and np.isfinite(path.alphas).all()
    )
    for found in (path, path.relaxed()):
        assert np.abs(found.coefs).max() <= 1e-12
        certificate = found.certificate()
        assert certificate.lower <= certificate.upper <= certificate.lower + 1e-9


@pytest.mark.parametrize("alphas", [None, [1.0, 0.0]])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", TABLES)
def test_a_constant_target_has_the_constant_model(name, options, alphas):
    X = TABLES[name]
    for value in (0.1, 1e-100, 1e17):
        check_constant(path_of(X, np.full(len(X), value), options, alphas))
    if name in STILL:
        check_constant(path_of(X, RNG.normal(size=len(X)) * 1e-3, options, alphas))


@pytest.mark.parametrize(
    "options", [{}, {"l1_ratio": 0}, {"l1_ratio": 0.5}, {"upper_limits": 0.1}], ids=str
)
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("loss", CONSTANTS, ids=repr)
@pytest.mark.parametrize("name", ["tall", "wide", "constant", "two rows"])
def test_other_losses(name, loss, free, options):
    X = TABLES[name]
    path = path_of(
        X, np.full(len(X), CONSTANTS[loss]), options, [0.1], loss=loss, refit_intercept=free
    )
    assert path.message == "complete" and (path.gaps == 0).all() and not path.coefs.any()
    assert np.isfinite(path.intercepts).all() and not path.relaxed().coefs.any()


@pytest.mark.parametrize("labels", [[-1, 1], [0, 1, 2]])
@pytest.mark.parametrize("name", STILL)
def test_labels_beside_constant_columns(name, labels):
    X = TABLES[name]
    y = np.resize(labels, len(X))
    path = cb.lasso.multinomial_path(X, y, n_alphas=3)
    assert (
        path.message == "complete" and path.gaps.max() <= 1e-6 and not path.models.toarray().any()
    )
    model = cb.CertifiedLassoClassifierCV(n_alphas=3, cv=2).fit(X, y)
    assert not model.coef_.any() and np.isfinite(model.intercept_).all()


@pytest.mark.parametrize("kind", [cb.CertifiedLassoCV, cb.CertifiedElasticNetCV])
@pytest.mark.parametrize("name", ["tall", "wide", "constant", "one constant", "partly"])
def test_folds_without_anything_to_explain(kind, name):
    """One row differs from the others: the fold that holds it out has a constant target, and
    perhaps constant columns.
    """
    X = TABLES[name].copy()
    y = np.full(len(X), 0.1)
    y[2] = 5.0
    factors = np.ones(X.shape[1])
    factors[0] = 0.0
    ridge = (
        [{"l1_ratio": 0.0}, {"l1_ratio": [0.0, 0.5]}] if kind is cb.CertifiedElasticNetCV else []
    )
    for options in (
        {},
        {"penalty_factor": factors},
        {"gamma": [0.0, 1.0]},
        {"standardize": True},
        *ridge,
    ):
        model = kind(cv=3, n_alphas=3, **options).fit(X, y)
        assert np.isfinite(model.coef_).all() and np.isfinite(model.cross_validation_.losses).all()
        for path in model.cross_validation_.paths:
            assert np.isfinite(path.gaps).all() and path.message == "complete"
        model = kind(cv=3, n_alphas=3, **options).fit(X, np.full(len(X), 0.1))
        assert np.abs(model.coef_).max() <= 1e-12 and model.certificate_.gap <= 1e-9


def test_a_free_column_without_variation():
    X = np.ones((30, 1))
    y = RNG.normal(size=30)
    model = cb.CertifiedLasso(penalty_factor=[0]).fit(X, y)
    assert (
        model.coef_ == 0
        and model.intercept_ == pytest.approx(y.mean())
        and model.certificate_.gap <= 1e-9
    )
