"""Linear estimators with an offset: compared with other targets, with weighted rates, and with a
general solver.
"""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from all_estimators import ESTIMATORS, by_folds, of_trees, quick
from refusal import refused
from sklearn.base import is_classifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import coordboost as cb
from coordboost.losses import Huber

RNG = np.random.default_rng(5)
N = 90
X = RNG.normal(size=(N, 4))
OFFSET = 2.0 * RNG.normal(size=N)
WEIGHT = RNG.integers(0, 3, size=N).astype(float)
SIGNAL = X @ [1.0, -1, 0, 0.5]
Y = SIGNAL + OFFSET + RNG.normal(size=N)
LABELS = np.where(RNG.random(N) < 1 / (1 + np.exp(-SIGNAL - OFFSET)), "yes", "no")
COUNTS = RNG.poisson(np.exp(SIGNAL / 2 + OFFSET / 4)).astype(float)
FOLDS = list(KFold(3, shuffle=True, random_state=0).split(X))
LINEAR = [kind for kind in ESTIMATORS if not of_trees(kind)]
OF_NUMBERS = [
    kind for kind in LINEAR if not is_classifier(kind()) and "Poisson" not in kind.__name__
]
each = pytest.mark.parametrize("kind", LINEAR, ids=lambda kind: kind.__name__)


def target(kind):
    return LABELS if is_classifier(kind()) else COUNTS if "Poisson" in kind.__name__ else Y


def small(kind, **given):
    return quick(kind, **({"cv": FOLDS} if by_folds(kind) else {}) | given)


def mean_loss(kind, y, f):
    """The mean loss at f, minus its least possible value, in NumPy."""
    if is_classifier(kind()):
        return np.logaddexp(0, np.where(y == "yes", -f, f)).mean()
    if "Poisson" in kind.__name__:
        return np.mean(np.exp(f) - y * f + np.where(y > 0, y * np.log(np.maximum(y, 1)) - y, 0.0))
    return np.mean((y - f) ** 2) / 2


@pytest.mark.parametrize("kind", OF_NUMBERS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weights"])
def test_of_the_squared_loss_it_is_taken_out_of_y(kind, weight):
    """Bit for bit, for every rule of choice."""
    knows_bic = by_folds(kind) and "ForwardStagewise" not in kind.__name__
    for given in [{"rule": "best"}] * by_folds(kind) + [{"rule": "bic"}] * knows_bic or [{}]:
        model = small(kind, **given).fit(X, Y, weight, offset=OFFSET)
        other = small(kind, **given).fit(X, Y - OFFSET, weight)
        np.testing.assert_array_equal(model.coef_, other.coef_)
        np.testing.assert_array_equal(model.predict(X), other.predict(X))
        np.testing.assert_array_equal(model.predict(X, offset=OFFSET), other.predict(X) + OFFSET)
        if by_folds(kind):
            name = "cross_validation_" if given["rule"] == "best" else "criterion_"
            ours, theirs = (
                getattr(getattr(one, name), "losses", getattr(one, name)) for one in (model, other)
            )
            np.testing.assert_allclose(ours, theirs, rtol=1e-9)


@pytest.mark.parametrize(
    "kind", [kind for kind in LINEAR if by_folds(kind)], ids=lambda kind: kind.__name__
)
def test_validation_losses_include_the_offset(kind):
    """The losses of the folds equal the formula at prediction plus offset."""
    y = target(kind)
    model = small(kind)
    seen = model.fit(X, y, offset=OFFSET).cross_validation_
    points = seen.losses.shape[1] // (2 if "deltas" in model.get_params() else 1)
    for path, losses, (fit, held) in zip(seen.paths, seen.losses, FOLDS, strict=False):
        np.testing.assert_array_equal(path.problem.offset, OFFSET[fit])
        by_hand = [mean_loss(kind, y[held], f + OFFSET[held]) for f in path.staged_predict(X[held])]
        np.testing.assert_allclose(losses[:points], by_hand, rtol=1e-9)


@each
def test_rows_of_weight_0_frames_lists_and_sparse_tables(kind):
    y = target(kind)
    some = WEIGHT > 0
    model = small(kind, **{"cv": 3} if by_folds(kind) else {}).fit(
        X, y, some.astype(float), offset=OFFSET
    )
    other = small(kind, **{"cv": 3} if by_folds(kind) else {}).fit(
        X[some], y[some], offset=OFFSET[some].tolist()
    )
    np.testing.assert_array_equal(model.coef_, other.coef_)
    frame = pd.DataFrame(X, index=range(N, 0, -1)).rename(columns=str)
    known = pd.Series(OFFSET, index=range(N, 0, -1))
    in_frames = small(kind).fit(frame, y, offset=known)
    sparse = small(kind).fit(scipy.sparse.csr_array(X), y, offset=list(OFFSET))
    plain = small(kind).fit(X, y, offset=OFFSET)
    np.testing.assert_allclose(in_frames.coef_, plain.coef_, rtol=1e-9, atol=1e-12)
    ours, theirs = (
        one.decision_function if is_classifier(one) else one.predict for one in (in_frames, plain)
    )
    np.testing.assert_allclose(
        ours(frame, offset=known), theirs(X, offset=OFFSET.tolist()), rtol=1e-9
    )
    np.testing.assert_allclose(sparse.coef_, plain.coef_, atol=1e-4)


def by_cvxpy(y, loss, alpha, l1_ratio, weight):
    """The optimum of the sums over samples from an independent solver, with a free intercept."""
    import cvxpy as cp

    w = cp.Variable(X.shape[1])
    b = cp.Variable()
    f = X @ w + b + OFFSET
    terms = {
        "squared": lambda: cp.square(y - f) / 2,
        "logistic": lambda: cp.logistic(cp.multiply(np.where(y == "yes", -1, 1), f)),
        "poisson": lambda: cp.exp(f) - cp.multiply(y, f),
        "huber": lambda: cp.huber(y - f, 0.7) / 2,
    }[loss]()
    penalty = alpha * (l1_ratio * cp.norm1(w) + (1 - l1_ratio) / 2 * cp.sum_squares(w))
    problem = cp.Problem(cp.Minimize(weight @ terms + weight.sum() * penalty))
    problem.solve(solver=cp.CLARABEL)
    return problem.value, w.value, float(b.value)


@pytest.mark.parametrize(
    ("model", "y", "loss"),
    [
        (cb.CertifiedLasso(alpha=0.1, tol=1e-9), Y, "squared"),
        (cb.CertifiedElasticNet(alpha=0.1, l1_ratio=0.4, tol=1e-9), Y, "squared"),
        (cb.CertifiedLasso(alpha=0.1, tol=1e-9, loss=Huber(0.7)), Y, "huber"),
        (cb.CertifiedLassoClassifier(alpha=0.02, tol=1e-9), LABELS, "logistic"),
        (cb.CertifiedLassoClassifier(alpha=0.02, l1_ratio=0.5, tol=1e-9), LABELS, "logistic"),
        (cb.CertifiedPoissonRegressor(alpha=0.05, tol=1e-9), COUNTS, "poisson"),
    ],
    ids=lambda one: (
        one if isinstance(one, str) else type(one).__name__ if hasattr(one, "fit") else ""
    ),
)
@pytest.mark.parametrize("weight", [np.ones(N), WEIGHT], ids=["", "weights"])
def test_the_optimum_is_that_of_a_general_solver(model, y, loss, weight):
    value, w, b = by_cvxpy(y, loss, model.alpha, getattr(model, "l1_ratio", 1.0), weight)
    model.fit(X, y, weight, offset=OFFSET)
    certificate = model.certificate_
    assert certificate.lower - 1e-6 * value <= value <= certificate.upper + 1e-6 * value
    np.testing.assert_allclose(np.ravel(model.coef_), w, atol=1e-4)
    assert np.ravel(model.intercept_)[0] == pytest.approx(b, abs=1e-4)
    assert np.abs(w).max() > 0.1
    if loss == "logistic":
        p = 1 / (1 + np.exp(-(X @ w + b + OFFSET)))
        np.testing.assert_allclose(model.predict_proba(X, offset=OFFSET)[:, 1], p, atol=1e-4)
        np.testing.assert_allclose(
            model.decision_function(X, offset=OFFSET),
            model.decision_function(X) + OFFSET,
            rtol=1e-12,
        )


def test_log_exposure_is_rates_with_weights():
    t = np.exp(OFFSET / 4)
    ours = cb.CertifiedPoissonRegressorCV(n_alphas=5, eps=0.05, cv=FOLDS, tol=1e-10).fit(
        X, COUNTS, offset=OFFSET / 4
    )
    rates = cb.CertifiedPoissonRegressor(alpha=ours.alpha_ * N / t.sum(), tol=1e-10).fit(
        X, COUNTS / t, t
    )
    np.testing.assert_allclose(ours.predict(X, offset=OFFSET / 4), t * rates.predict(X), rtol=1e-4)
    np.testing.assert_allclose(ours.predict(X), rates.predict(X), rtol=1e-4)


def test_relaxed_fits_are_those_without_a_penalty():
    """gamma = 0: along each active column the derivative of the loss, at prediction plus offset, is
    0.
    """
    model = cb.CertifiedLassoClassifierCV(alphas=[0.05], gamma=0.0, cv=FOLDS).fit(
        X, LABELS, offset=OFFSET
    )
    p = model.predict_proba(X, offset=OFFSET)[:, 1]
    slope = X.T @ (p - (LABELS == "yes"))
    assert (
        np.abs(slope[np.ravel(model.coef_) != 0]).max() < 1e-5
        and abs(np.sum(p - (LABELS == "yes"))) < 1e-5
    )


def test_scorers_see_predictions_with_the_offset():
    model = cb.CertifiedLassoClassifierCV(n_alphas=4, eps=0.05, cv=FOLDS, scoring="roc_auc").fit(
        X, LABELS, offset=OFFSET
    )
    seen = model.cross_validation_
    for path, losses, (_, held) in zip(seen.paths, seen.losses, FOLDS, strict=True):
        by_hand = [
            roc_auc_score(LABELS[held] == "yes", f + OFFSET[held])
            for f in path.staged_predict(X[held])
        ]
        np.testing.assert_allclose(-losses, by_hand, rtol=1e-12)


def test_cross_validate_gives_each_fold_its_part():
    def fit(X, y, weight, offset):
        return cb.lasso_path(
            cb.Problem(X, y, sample_weight=weight, offset=offset), alphas=[0.5, 0.1]
        )

    def rest(X, y, weight):
        return cb.lasso_path(cb.Problem(X, y, sample_weight=weight), alphas=[0.5, 0.1])

    for more in (
        {},
        {"at": [cb.lasso.PathPoint(alpha=0.2)]},
        {"scoring": "neg_mean_absolute_error"},
    ):
        ours = cb.cross_validate(fit, X, Y, folds=FOLDS, offset=OFFSET.tolist(), **more)
        np.testing.assert_allclose(
            ours.losses,
            cb.cross_validate(rest, X, Y - OFFSET, folds=FOLDS, **more).losses,
            rtol=1e-9,
        )
    refused(lambda: cb.cross_validate(fit, X, Y, offset=OFFSET[1:]), "offset must have one entry")


@each
def test_without_an_offset_predict_takes_0(kind):
    """As for trees: an offset that is not given is 0, in `predict` as in `fit`."""
    model = small(kind).fit(X, target(kind), offset=OFFSET)
    np.testing.assert_array_equal(model.predict(X), model.predict(X, offset=np.zeros(N)))
    zero = small(kind).fit(X, target(kind), offset=np.zeros(N))
    none = small(kind).fit(X, target(kind))
    np.testing.assert_allclose(zero.coef_, none.coef_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(zero.intercept_, none.intercept_, rtol=1e-4, atol=1e-5)


@each
@pytest.mark.parametrize(
    "bad",
    [OFFSET[1:], np.full(N, np.nan), "far", OFFSET[:, None], 1.0],
    ids=["short", "nan", "text", "2d", "one"],
)
def test_bad_offsets_are_refused(kind, bad):
    model = small(kind)
    refused(lambda: model.fit(X, target(kind), offset=bad), "offset")
    assert not hasattr(model, "coef_")
    model.fit(X, target(kind))
    refused(lambda: model.predict(X, offset=bad), "offset")


@pytest.mark.parametrize(
    "kind", [kind for kind in LINEAR if is_classifier(kind())], ids=lambda kind: kind.__name__
)
def test_three_classes_are_refused(kind):
    three = np.arange(N) % 3
    model = small(kind)
    words = "an offset needs a single model, and there are 3"
    refused(lambda: model.fit(X, three, offset=OFFSET), words)
    model.fit(X, three)
    refused(lambda: model.predict_proba(X, offset=OFFSET), words)


@pytest.mark.parametrize(
    "kind",
    [cb.CertifiedLasso, cb.CertifiedLassoCV, cb.CertifiedLassoClassifierCV],
    ids=lambda kind: kind.__name__,
)
def test_metadata_routing_through_a_pipeline(kind):
    given = StandardScaler().fit_transform(X)
    alone = small(kind).fit(given, target(kind), offset=OFFSET)
    with sklearn.config_context(enable_metadata_routing=True):
        model = small(kind).set_fit_request(offset=True).set_predict_request(offset=True)
        routed = make_pipeline(StandardScaler(), model).fit(X, target(kind), offset=OFFSET)
        np.testing.assert_array_equal(routed[-1].coef_, alone.coef_)
        np.testing.assert_array_equal(
            routed.predict(X, offset=OFFSET), alone.predict(given, offset=OFFSET)
        )


def test_scores_need_the_offset_that_the_fit_had():
    model = cb.CertifiedLasso(alpha=0.01).fit(X, Y, offset=OFFSET)
    trees = cb.RandomizedGBMRegressor(n_estimators=2).fit(X, Y, offset=OFFSET)
    for fitted in (model, trees):
        refused(lambda fitted=fitted: fitted.score(X, Y), "fitted with an offset: pass that of")
        assert fitted.score(X, Y, offset=OFFSET) > fitted.score(X, Y, offset=np.zeros(N))
        assert fitted.fit(X, Y).score(X, Y) <= 1
    path = cb.lasso_path(X, Y, offset=OFFSET)
    for scored in (path.score, path.score_path):
        refused(lambda scored=scored: scored(X, Y), "the problem has an offset: pass that of")
    assert path.score(X, Y, offset=OFFSET) > path.score(X, Y, offset=np.zeros(N))
