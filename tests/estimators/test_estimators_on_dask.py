"""Estimators on tables of Dask: linear ones are fitted where the rows lie, all predict lazily."""

import warnings
from functools import cached_property

import numpy as np
import pytest
from refusal import refused

import coordboost as cb

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")

RNG = np.random.default_rng(0)
N, P = 400, 5
X = RNG.normal(size=(N, P)) @ RNG.normal(size=(P, P)) + 5
Y = X @ [1.0, -2.0, 0.0, 0.0, 0.5] + 2 * RNG.normal(size=N)
WEIGHT = RNG.integers(0, 3, N).astype(float)
OFFSET = RNG.normal(size=N)
CLASS = np.array(["low", "mid", "top"])[np.digitize(Y, np.quantile(Y, [0.3, 0.6]))]
FOLDS = [(np.flatnonzero(np.arange(N) % 4 != k), np.arange(k, N, 4)) for k in range(4)]


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def lazy(values, rows=100):
    return da.from_array(values, chunks=(rows, *(-1,) * (values.ndim - 1)))


LINEAR = {
    "Lasso": cb.CertifiedLasso(alpha=0.05),
    "standardised": cb.CertifiedLasso(alpha=0.05, standardize=True),
    "no intercept": cb.CertifiedLasso(alpha=0.05, fit_intercept=False, standardize=True),
    "elastic net": cb.CertifiedElasticNet(alpha=0.05, l1_ratio=0.5, tol=1e-9),
    "cross-validation": cb.CertifiedLassoCV(cv=FOLDS, n_alphas=20),
    "relaxed": cb.CertifiedLassoCV(cv=FOLDS, n_alphas=10, gamma=[0.5, 1.0], rule="one_se"),
    "adaptive": cb.CertifiedLassoCV(cv=FOLDS, n_alphas=10, adaptive="ridge"),
    "bic": cb.CertifiedLassoCV(n_alphas=20, rule="bic"),
    "LS-Boost": cb.LSBoostRegressor(n_steps=50),
    "steps, folds": cb.estimators.LSBoostRegressorCV(n_steps=50, cv=FOLDS),
    "steps, bic": cb.estimators.LSBoostRegressorCV(n_steps=50, rule="bic"),
    "stagewise": cb.ForwardStagewiseRegressor(n_steps=100),
}


@pytest.mark.parametrize("model", LINEAR.values(), ids=LINEAR)
def test_linear_models_are_those_in_memory(model):
    from sklearn.base import clone

    inside = clone(model).fit(X, Y, WEIGHT, offset=OFFSET)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        far = clone(model).fit(lazy(X), lazy(Y), lazy(WEIGHT, 80), offset=OFFSET)
    np.testing.assert_allclose(far.coef_, inside.coef_, rtol=1e-5, atol=1e-7)
    assert far.intercept_ == pytest.approx(inside.intercept_, rel=1e-5)
    assert far.place_ == inside.place_ and far.n_features_in_ == P
    assert far.path_.problem.reduced.passes < 1.3
    if hasattr(model, "cv") and model.rule != "bic":
        for name in ("losses", "weights"):
            seen = [getattr(fit.cross_validation_, name) for fit in (far, inside)]
            np.testing.assert_allclose(*seen, rtol=1e-6)
    # the certificate bounds the loss of all rows
    resid = Y - OFFSET - far.intercept_ - X @ far.coef_
    certificate = far.certificate_
    assert certificate.upper >= WEIGHT @ resid**2 / 2 * (1 - 1e-9)
    assert certificate.lower == pytest.approx(inside.certificate_.lower, rel=1e-6)


def test_folds_are_drawn_in_each_chunk():
    models = [cb.CertifiedLassoCV(cv=4, n_alphas=10, random_state=k) for k in (0, 0, 1)]
    losses = [model.fit(lazy(X), lazy(Y)).cross_validation_.losses for model in models]
    np.testing.assert_array_equal(losses[0], losses[1])
    assert losses[0].shape == (4, 10) and (losses[0] != losses[2]).any()
    weights = models[0].cross_validation_.weights
    assert weights.sum() == pytest.approx(N) and weights == pytest.approx(N / 4)
    inside = cb.CertifiedLassoCV(cv=4, n_alphas=10, random_state=0).fit(X, Y)
    np.testing.assert_allclose(losses[0].mean(0), inside.cross_validation_.mean, rtol=0.1)


class Made:
    """Fitted models, made on first use."""

    linear = cached_property(lambda self: cb.CertifiedLasso(alpha=0.05).fit(X, Y, offset=OFFSET))
    trees = cached_property(lambda self: cb.RandomizedGBMRegressor(n_estimators=3).fit(X, Y))
    classes = cached_property(lambda self: cb.RandomizedGBMClassifier(n_estimators=3).fit(X, CLASS))
    two = cached_property(
        lambda self: cb.ForwardStagewiseClassifier(n_steps=20).fit(X, CLASS != "low")
    )
    langevin = cached_property(
        lambda self: cb.estimators.LangevinGBMClassifier(n_estimators=4, n_members=2).fit(X, CLASS)
    )


MADE = Made()
PREDICTIONS = [
    ("linear", "predict"),
    ("trees", "predict"),
    *[
        (name, method)
        for name in ("classes", "two", "langevin")
        for method in ("predict", "predict_proba", "decision_function")
    ],
]


@pytest.mark.parametrize("name, method", PREDICTIONS)
def test_predictions_are_lazy(name, method):
    model = getattr(MADE, name)
    computed = []

    def seen(block):
        computed.append(len(block))
        return block

    source = lazy(X).map_blocks(seen, dtype=float, meta=np.empty((0, 0)))
    prediction = getattr(model, method)(source)
    assert isinstance(prediction, da.Array) and not computed
    expected = getattr(model, method)(X)
    assert prediction.shape == expected.shape and prediction.dtype == expected.dtype
    np.testing.assert_array_equal(prediction.compute(), expected)
    assert len(computed) == 4


def test_offsets_of_new_rows():
    expected = MADE.linear.predict(X, offset=OFFSET)
    for offset in (OFFSET, lazy(OFFSET, 30)):
        found = MADE.linear.predict(lazy(X), offset=offset).compute()
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["linear", "trees", "classes", "two"])
def test_scores_are_those_in_memory(name):
    model = getattr(MADE, name)
    y = {"classes": CLASS, "two": CLASS != "low"}.get(name, Y)
    offset = {"offset": OFFSET} if name == "linear" else {}
    expected = model.score(X, y, WEIGHT, **offset)
    assert model.score(lazy(X), lazy(y), WEIGHT, **offset) == pytest.approx(expected, rel=1e-12)


def test_data_frames_with_categories():
    pd = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(X, columns=list("abcde")).assign(y=Y, w=WEIGHT)
    frame["kind"] = pd.Categorical(CLASS)
    rows = dd.from_pandas(frame, npartitions=3)
    columns = list("abcde")
    far = cb.CertifiedLasso(alpha=0.05).fit(rows[columns], rows["y"], rows["w"])
    inside = cb.CertifiedLasso(alpha=0.05).fit(frame[columns], Y, WEIGHT)
    np.testing.assert_allclose(far.coef_, inside.coef_, rtol=1e-6)
    assert far.feature_names_in_.tolist() == columns
    trees = cb.RandomizedGBMRegressor(n_estimators=3).fit(frame[[*columns, "kind"]], Y)
    found = trees.predict(rows[[*columns, "kind"]])
    assert isinstance(found, da.Array)
    np.testing.assert_array_equal(found.compute(), trees.predict(frame[[*columns, "kind"]]))
    score = trees.score(rows[[*columns, "kind"]], rows["y"], sample_weight=rows["w"])
    assert score == pytest.approx(trees.score(frame[[*columns, "kind"]], Y, WEIGHT), rel=1e-12)
    refused(lambda: far.fit(rows[[*columns, "kind"]], rows["y"]), "X must hold real numbers")
    with pytest.raises(ValueError, match="feature names"):
        far.predict(rows[list("abcd")])


@pytest.mark.parametrize(
    "action, fragment",
    [
        (
            lambda: cb.CertifiedLassoCV(scoring="neg_mean_absolute_error").fit(lazy(X), Y),
            "of a table of Dask only sums are known",
        ),
        (
            lambda: cb.CertifiedLassoCV(rule="bic", adaptive="ridge").fit(lazy(X), Y),
            "adaptive with rule='bic' needs rows held out",
        ),
        (
            lambda: cb.CertifiedLasso(adaptive="ridge").fit(lazy(X), Y),
            "adaptive at one penalty needs rows held out",
        ),
        (
            lambda: cb.CertifiedLassoCV(cv=[(np.arange(9), np.arange(9, N))]).fit(lazy(X), Y),
            "cv must be a whole number >= 2 for a table of Dask",
        ),
        (lambda: MADE.linear.predict(lazy(X[:, :3])), "X has 3 features, but CertifiedLasso"),
        (
            lambda: MADE.linear.score(lazy(X), Y[:9], offset=OFFSET),
            "one entry per row of X",
        ),
    ],
)
def test_what_is_refused(action, fragment):
    refused(action, fragment)
