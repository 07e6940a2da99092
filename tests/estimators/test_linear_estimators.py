"""Linear estimators: scikit-learn's estimator checks, agreement with its Lasso; attributes, choices
and refused arguments.
"""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from refusal import case, refusals
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.linear_model import ElasticNet, Lasso
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import coordboost as cb

RNG = np.random.default_rng(8)
X = RNG.normal(size=(90, 6)) * [1, 2, 1, 5, 1, 1] + [0, 1, 0, 0, 3, 0]
Y = X @ [2.0, 0, 0, -0.5, 0, 0] + RNG.normal(size=90) + 4
NAMES = np.array(["blue", "green", "red"])[np.digitize(Y, [2, 5])]
COUNTS = RNG.poisson(np.exp(0.3 * X[:, 0] + 0.5)).astype(float)
WEIGHT = RNG.integers(0, 4, size=90).astype(float)
STEPS = {"n_steps": 150}
ONE = {"alpha": 0.05, "tol": 1e-10}
MANY = {"n_alphas": 5, "eps": 0.05, "cv": 3, "tol": 1e-9}
FIXED = [
    cb.LSBoostRegressor(**STEPS),
    cb.ForwardStagewiseRegressor(**STEPS),
    cb.RegularizedForwardStagewiseRegressor(**STEPS),
    cb.ForwardStagewiseClassifier(**STEPS),
    cb.CertifiedLasso(**ONE),
    cb.CertifiedElasticNet(**ONE),
    cb.CertifiedLassoClassifier(**ONE),
    cb.CertifiedPoissonRegressor(**ONE),
]
CHOOSING = [
    cb.LSBoostRegressorCV(**STEPS, cv=3),
    cb.ForwardStagewiseRegressorCV(**STEPS, cv=3),
    cb.RegularizedForwardStagewiseRegressorCV(**STEPS, cv=3, n_deltas=2),
    cb.ForwardStagewiseClassifierCV(**STEPS, cv=3),
    cb.CertifiedLassoCV(**MANY),
    cb.CertifiedElasticNetCV(**{**MANY, "tol": 1e-13}),  # weights are compared with copies
    cb.CertifiedLassoClassifierCV(**{**MANY, "n_alphas": 2, "eps": 0.3}),
    cb.CertifiedPoissonRegressorCV(**MANY),
]
each = pytest.mark.parametrize("model", [*FIXED, *CHOOSING], ids=lambda model: type(model).__name__)


def target(model, names=NAMES):
    name = type(model).__name__
    return names if "Classifier" in name else COUNTS if "Poisson" in name else Y


QUICK = [
    *FIXED,
    *(
        model
        for model in CHOOSING
        if isinstance(model, cb.LSBoostRegressorCV | cb.CertifiedLassoCV)
    ),
]


@parametrize_with_checks(QUICK)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([model for model in CHOOSING if model not in QUICK])
def test_scikit_learn_checks_of_the_others(estimator, check):
    check(estimator)


def test_the_default_penalty_of_a_classifier_leaves_a_model():
    """A penalty of 1 would set all coefficients to 0: residuals of the logistic loss are at most
    1/2.
    """
    X, y = load_iris(return_X_y=True)
    model = cb.CertifiedLassoClassifier().fit(X, y)
    assert model.coef_.any(axis=1).all() and model.score(X, y) > 0.9


def test_the_lasso_is_that_of_scikit_learn():
    """Strong convexity: the coefficients have half as many exact digits as the gaps."""
    for weight in (None, WEIGHT):
        theirs = Lasso(alpha=0.1, tol=1e-14).fit(X, Y, weight)
        ours = cb.CertifiedLasso(alpha=0.1, tol=1e-12).fit(X, Y, weight)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    assert ours.certificate_.gap <= 1e-12 * ours.path_.problem.start_loss
    theirs = ElasticNet(alpha=0.1, l1_ratio=0.3, tol=1e-14).fit(X, Y)
    np.testing.assert_allclose(
        cb.CertifiedElasticNet(alpha=0.1, l1_ratio=0.3, tol=1e-12).fit(X, Y).coef_,
        theirs.coef_,
        atol=1e-5,
    )
    scaled = make_pipeline(StandardScaler(), Lasso(alpha=0.1, tol=1e-14)).fit(X, Y)
    ours = cb.CertifiedLasso(alpha=0.1, tol=1e-12, standardize=True).fit(X, Y)
    np.testing.assert_allclose(ours.predict(X), scaled.predict(X), atol=1e-5)


def test_stagewise_estimators_are_runs_of_the_package():
    problem = cb.Problem(X, Y)
    eps = problem.start_size / 100
    delta = problem.start_size
    for model, method in [
        (cb.LSBoostRegressor(n_steps=40, eps=0.2), cb.ls_boost(0.2)),
        (cb.ForwardStagewiseRegressor(n_steps=40), cb.forward_stagewise(eps)),
        (
            cb.RegularizedForwardStagewiseRegressor(n_steps=40),
            cb.regularized_forward_stagewise(eps, delta),
        ),
        (
            cb.RegularizedForwardStagewiseRegressor(n_steps=40, eps=0.1, delta=3),
            cb.regularized_forward_stagewise(0.1, 3),
        ),
    ]:
        model.fit(X, Y)
        run = cb.solve(problem, method, 40)
        np.testing.assert_array_equal(model.coef_, run.coef)
        assert (
            model.run_.n_steps == 40
            and model.n_scans_ == run.n_scans
            and model.place_ == cb.lasso.PathPoint(step=40)
        )
        assert model.certificate_ == run.certificate()


@each
def test_what_scikit_learn_does_with_estimators(model):
    y = target(model)
    fitted = clone(model).fit(X, y, WEIGHT)
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.predict(X), fitted.predict(X))
    frame = pd.DataFrame(X, columns=list("abcdef"))
    named = clone(model).fit(frame, y, WEIGHT)
    assert (
        named.feature_names_in_.tolist()
        == list("abcdef")
        == list(named.paths_[0].problem.column_names)
    )
    # by rows or by columns: sums in another order
    np.testing.assert_allclose(named._raw_predict(frame), fitted._raw_predict(X), rtol=1e-9)
    sparse = clone(model).fit(scipy.sparse.csr_array(X), y, WEIGHT)
    raw = sparse._raw_predict(scipy.sparse.csr_array(X))
    # different ways to the same optimum
    np.testing.assert_allclose(raw, fitted._raw_predict(X), atol=1e-3)
    assert all(certificate.known for certificate in fitted.certificates_) and fitted.n_scans_ > 0


@each
def test_sample_weights_are_repetitions(model):
    y = target(model)
    times = WEIGHT.astype(int)
    if "CV" in type(model).__name__:
        rows = np.arange(90) % 3
        folds = [
            [(np.flatnonzero(where != k), np.flatnonzero(where == k)) for k in range(3)]
            for where in (rows, np.repeat(rows, times))
        ]
    else:
        folds = [None, None]
    one, other = (clone(model).set_params(**({"cv": fold} if fold else {})) for fold in folds)
    one.fit(X, y, WEIGHT)
    other.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(one._raw_predict(X), other._raw_predict(X), atol=1e-3)
    assert one.paths_[0].problem.n_samples == np.count_nonzero(WEIGHT)


@each
def test_labels_and_counts(model):
    y = target(model)
    fitted = clone(model).fit(X, y)
    raw = fitted._raw_predict(X)
    if y is NAMES:
        assert fitted.classes_.tolist() == ["blue", "green", "red"] and fitted.coef_.shape == (3, 6)
        shares = 1 / (1 + np.exp(-raw))
        np.testing.assert_allclose(
            fitted.predict_proba(X), shares / shares.sum(axis=1, keepdims=True), rtol=1e-12
        )
        assert (
            fitted.predict(X) == fitted.classes_[fitted.decision_function(X).argmax(axis=1)]
        ).all()
        assert len(fitted.paths_) == 3
        with pytest.raises(
            AttributeError, match="there are 3 paths, one for each class: see paths_"
        ):
            fitted.path_  # noqa: B018
        two = clone(model).fit(X, NAMES == "red")
        assert (
            two.coef_.shape == (1, 6)
            and two.decision_function(X).shape == (90,)
            and two.score(X, NAMES == "red") > 0.7
        )
    else:
        assert fitted.coef_.shape == (6,) and isinstance(fitted.intercept_, float)
        np.testing.assert_allclose(
            fitted.predict(X), np.exp(raw[:, 0]) if y is COUNTS else raw[:, 0]
        )
        np.testing.assert_allclose(fitted.path_.predict(X, fitted.place_), raw[:, 0], rtol=1e-9)


@pytest.mark.parametrize(
    "loss", [cb.losses.Logistic(), cb.losses.Exponential()], ids=["logistic", "exponential"]
)
def test_the_intercept_of_the_model_is_the_best_one(loss):
    y = NAMES == "red"
    model = cb.ForwardStagewiseClassifier(loss=loss, n_steps=60).fit(X, y)
    signs = np.where(y, 1.0, -1.0)
    raw = model.decision_function(X)
    push = signs * (
        np.exp(-signs * raw)
        if isinstance(loss, cb.losses.Exponential)
        else 1 / (1 + np.exp(signs * raw))
    )
    assert abs(push.sum()) < 1e-12 * np.abs(push).sum() * 90
    start = cb.ForwardStagewiseClassifier(loss=loss, n_steps=60, refit_intercept=False).fit(X, y)
    assert (
        start.intercept_[0] == start.run_.intercept
        and (start.coef_ == model.coef_).all()
        and start.intercept_ != model.intercept_
    )
    odds = 1 if isinstance(loss, cb.losses.Logistic) else 2
    np.testing.assert_allclose(
        model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-odds * raw)), rtol=1e-12
    )


def test_pipelines_searches_and_routing():
    frame = pd.DataFrame(
        {"size": X[:, 0], "town": np.where(X[:, 1] > 1, "Oslo", "Bern"), "age": X[:, 3]}
    )
    pipe = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["town"]), remainder="passthrough"),
        cb.CertifiedLasso(alpha=0.01),
    )
    search = GridSearchCV(
        pipe,
        {
            "certifiedlasso__alpha": [0.01, 0.1],
            "certifiedlasso__loss": [None, cb.losses.Huber(2.0)],
        },
        cv=3,
    )
    assert search.fit(frame, Y).best_score_ > 0.6
    scores = cross_validate(
        cb.ForwardStagewiseRegressor(**STEPS), X, Y, cv=3, scoring=["r2", "neg_mean_absolute_error"]
    )
    assert scores["test_r2"].mean() > 0.3
    with sklearn.config_context(enable_metadata_routing=True):
        model = (
            cb.CertifiedLasso(alpha=0.1)
            .set_fit_request(sample_weight=True)
            .set_score_request(sample_weight=True)
        )
        routed = cross_validate(
            model, X, Y, cv=KFold(2), params={"sample_weight": WEIGHT}, return_estimator=True
        )["estimator"][0]
    fit = next(iter(KFold(2).split(X)))[0]
    np.testing.assert_array_equal(
        routed.coef_, cb.CertifiedLasso(alpha=0.1).fit(X[fit], Y[fit], WEIGHT[fit]).coef_
    )
    groups = np.arange(90) // 10
    by_group = cb.CertifiedLassoCV(**{**MANY, "cv": GroupKFold(3)}).fit(X, Y, WEIGHT, groups=groups)
    assert by_group.cross_validation_.losses.shape == (3, 5)


def test_names_come_from_transformers_and_threads_and_copies_change_nothing(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcdef"))
    pipe = (
        make_pipeline(StandardScaler(), cb.CertifiedLassoCV(**MANY, n_jobs=1))
        .set_output(transform="pandas")
        .fit(frame, Y)
    )
    assert pipe[-1].feature_names_in_.tolist() == list("abcdef")
    threads = clone(pipe).set_params(certifiedlassocv__n_jobs=3).fit(frame, Y)
    np.testing.assert_array_equal(
        threads[-1].cross_validation_.losses, pipe[-1].cross_validation_.losses
    )
    joblib.dump(pipe, tmp_path / "p.joblib")
    np.testing.assert_array_equal(
        joblib.load(tmp_path / "p.joblib").predict(frame), threads.predict(frame)
    )


def test_the_display_shows_the_certificate():
    model = cb.CertifiedLasso(**ONE)
    assert "optimum in [" not in model._repr_html_()
    assert "optimum in [" in model.fit(X, Y)._repr_html_()
    assert (
        "&lt;Run forward_stagewise" in cb.ForwardStagewiseRegressor(**STEPS).fit(X, Y)._repr_html_()
    )


test_what_is_refused = refusals(
    case(
        "rule",
        lambda: cb.LSBoostRegressorCV(rule="min").fit(X, Y),
        "rule must be 'best', 'one_se', 'aic', 'bic' or 'cp'",
    ),
    case(
        "aic",
        lambda: cb.ForwardStagewiseRegressorCV(rule="aic").fit(X, Y),
        "degrees of freedom are known for",
    ),
    case(
        "steps",
        lambda: cb.LSBoostRegressor(n_steps=0).fit(X, Y),
        "n_steps must be a whole number >= 1",
    ),
    case(
        "alpha",
        lambda: cb.CertifiedLasso(alpha=-1).fit(X, Y),
        "alpha must be a positive finite number",
    ),
    case(
        "delta",
        lambda: cb.RegularizedForwardStagewiseRegressor(eps=2, delta=1).fit(X, Y),
        "delta must be at least eps",
    ),
    case(
        "counts",
        lambda: cb.CertifiedPoissonRegressor().fit(X, Y - 90),
        "expects counts or rates y >= 0",
    ),
    case(
        "one class", lambda: cb.ForwardStagewiseClassifier().fit(X, ["a"] * 90), "y holds 1 class"
    ),
    case(
        "loss",
        lambda: cb.CertifiedLassoClassifier(loss=cb.losses.Squared()).fit(X, NAMES),
        "Squared is not a loss for classes",
    ),
)


@pytest.mark.parametrize("shared", [True, False])
def test_a_pickle_has_factors_and_limits_that_columns_share_once(shared):
    rng = np.random.default_rng(0)
    p = 2000
    table = rng.normal(size=(20, p))
    factor = None if shared else rng.uniform(1, 2, p)
    model = cb.CertifiedLasso(alpha=0.5, penalty_factor=factor).fit(table, table[:, 0])
    text = pickle.dumps(model)
    copy = pickle.loads(text)
    path, again = model.paths_[0], copy.paths_[0]
    np.testing.assert_array_equal(again.factors, path.factors)
    np.testing.assert_array_equal(again.limits, path.limits)
    np.testing.assert_array_equal(copy.predict(table), model.predict(table))
    # column, mean, norm and coefficient are four numbers; a factor of the user is there, too
    assert len(text) < 8 * p * (5 if shared else 8)
