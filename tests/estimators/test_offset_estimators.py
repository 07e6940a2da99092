"""Estimators with an offset: compared with other targets, with weighted rates, and with LightGBM's
init_score.
"""

import numpy as np
import pytest
from refusal import refused

import coordboost as cb
from coordboost.losses import Exponential, Logistic, Poisson, Squared

RNG = np.random.default_rng(3)
N = 400
X = RNG.normal(size=(N, 4))
OFFSET = 2.0 * RNG.normal(size=N)
SIGNAL = np.sin(2 * X[:, 0]) + X[:, 1]
Y = SIGNAL + OFFSET + 0.1 * RNG.normal(size=N)
NEW = slice(300, None)
LABELS = np.where(RNG.random(N) < 1 / (1 + np.exp(-2 * SIGNAL - OFFSET)), "yes", "no")
COUNTS = RNG.poisson(np.exp(SIGNAL + OFFSET / 4))
BOOSTERS = [
    (cb.RandomizedGBMRegressor, {"max_features": 2}),
    (cb.AcceleratedGBMRegressor, {}),
    (cb.RegularizedGBMRegressor, {}),
]


def small(kind, **given):
    return kind(**{"n_estimators": 20, "min_samples_leaf": 5, "random_state": 1} | given)


@pytest.mark.parametrize(("kind", "given"), BOOSTERS, ids=lambda one: getattr(one, "__name__", ""))
def test_of_the_squared_loss_it_is_taken_out_of_y(kind, given):
    model = small(kind, **given).fit(X, Y, offset=OFFSET)
    other = small(kind, **given).fit(X, Y - OFFSET)
    np.testing.assert_array_equal(model.predict(X), other.predict(X))
    np.testing.assert_array_equal(model.predict(X, offset=OFFSET), other.predict(X) + OFFSET)
    np.testing.assert_array_equal(model.train_score_, other.train_score_)
    *_, last = model.staged_predict(X, offset=OFFSET)
    np.testing.assert_allclose(last, model.predict(X, offset=OFFSET), rtol=1e-12)


def test_log_exposure_is_rates_with_weights():
    """Leaves take the same Newton steps; targets are quantised in another unit."""
    t = np.exp(OFFSET / 4)
    ours = small(cb.RandomizedGBMRegressor, loss=Poisson()).fit(X, COUNTS, offset=OFFSET / 4)
    rates = small(cb.RandomizedGBMRegressor, loss=Poisson()).fit(X, COUNTS / t, t)
    np.testing.assert_allclose(ours.predict(X), rates.predict(X), rtol=1e-6)
    np.testing.assert_allclose(ours.predict(X, offset=OFFSET / 4), t * rates.predict(X), rtol=1e-6)


@pytest.mark.parametrize("loss", [None, Exponential()], ids=repr)
def test_a_classifier_and_its_early_stopping(loss):
    """The scores of early stopping equal the loss at score plus offset, written out."""
    rows = (X[:300], LABELS[:300])
    held = (X[NEW], LABELS[NEW])
    model = small(cb.RandomizedGBMClassifier, loss=loss, n_iter_no_change=3, learning_rate=1.0)
    model.fit(*rows, offset=OFFSET[:300], X_val=held[0], y_val=held[1], offset_val=OFFSET[NEW])
    score = model.decision_function(X[NEW], offset=OFFSET[NEW])
    np.testing.assert_allclose(score, model.decision_function(X[NEW]) + OFFSET[NEW], rtol=1e-12)
    y = np.where(held[1] == "yes", 1.0, -1.0)
    losses = np.logaddexp(0, -y * score) if loss is None else np.exp(-y * score)
    assert -model.validation_score_[model.n_iter_] == pytest.approx(losses.mean(), rel=1e-12)
    p = model.predict_proba(X[NEW], offset=OFFSET[NEW])[:, 1]
    np.testing.assert_allclose(p, 1 / (1 + np.exp(-(1 if loss is None else 2) * score)), rtol=1e-9)
    assert np.mean(model.predict(X[NEW], offset=OFFSET[NEW]) == held[1]) > np.mean(
        model.predict(X[NEW]) == held[1]
    )


def test_weights_of_0_and_warm_starts():
    weight = np.where(np.arange(N) % 5 == 0, 0.0, 1.0)
    some = weight > 0
    model = small(cb.RandomizedGBMRegressor, loss=Poisson()).fit(
        X, COUNTS, weight, offset=OFFSET / 4
    )
    other = small(cb.RandomizedGBMRegressor, loss=Poisson()).fit(
        X[some], COUNTS[some], offset=OFFSET[some] / 4
    )
    np.testing.assert_array_equal(model.predict(X), other.predict(X))
    half = small(cb.RandomizedGBMRegressor, loss=Poisson(), n_estimators=10, warm_start=True).fit(
        X, COUNTS, weight, offset=OFFSET / 4
    )
    half.set_params(n_estimators=20)
    refused(lambda: half.fit(X, COUNTS, weight, offset=OFFSET), "offset have changed")
    np.testing.assert_array_equal(
        half.fit(X, COUNTS, weight, offset=OFFSET / 4).predict(X), model.predict(X)
    )


def test_what_is_refused():
    many = small(cb.RandomizedGBMClassifier)
    refused(lambda: many.fit(X, np.arange(N) % 3, offset=OFFSET), "two classes")
    refused(lambda: many.fit(X, np.arange(N) % 3).predict_proba(X, offset=OFFSET), "two classes")
    refused(
        lambda: small(cb.RandomizedGBMRegressor).fit(X, Y, offset=OFFSET[1:]),
        "offset must have one entry",
    )
    refused(
        lambda: small(cb.RandomizedGBMRegressor).fit(X, Y, X_val=X, y_val=Y, offset_val=[1.0]),
        "offset_val must have one entry",
    )
    refused(lambda: small(cb.LangevinGBMRegressor).fit(X, Y, offset=OFFSET), "y - offset")
    with pytest.raises(TypeError, match="offset does that here"):
        small(cb.RandomizedGBMRegressor).fit(X, Y, init_score=OFFSET)


@pytest.mark.peers
@pytest.mark.parametrize("loss", [Squared(), Logistic(), Poisson()], ids=repr)
def test_errors_are_those_of_lightgbm(loss):
    """With an init_score LightGBM starts at 0, so its trees also fit the constant; it gets more
    trees. Of labels it overfits these rows, and our damped leaves may be better.
    """
    lightgbm = pytest.importorskip("lightgbm")
    own = {"Squared": Y, "Logistic": LABELS == "yes", "Poisson": COUNTS}[type(loss).__name__]
    offset = OFFSET / 4 if own is COUNTS else OFFSET
    words = {
        "objective": {"Squared": "regression", "Logistic": "binary", "Poisson": "poisson"}[
            type(loss).__name__
        ]
    }
    words |= {
        "learning_rate": 0.1,
        "num_leaves": 8,
        "max_depth": 3,
        "min_data_in_leaf": 5,
        "verbose": -1,
    }
    theirs = lightgbm.train(
        words, lightgbm.Dataset(X[:300], own[:300], init_score=offset[:300]), 200
    )
    raw = theirs.predict(X[NEW], raw_score=True) + offset[NEW]
    kind = cb.RandomizedGBMClassifier if own.dtype == bool else cb.RandomizedGBMRegressor
    newton = True if own.dtype == bool else None  # second derivatives, as LightGBM
    model = small(
        kind, loss=loss, n_estimators=200, max_depth=3, max_features=None, newton=newton
    ).fit(X[:300], own[:300], offset=offset[:300])
    ours = (
        model.decision_function(X[NEW], offset=offset[NEW])
        if own.dtype == bool
        else model.predict(X[NEW], offset=offset[NEW])
    )
    ours = np.log(ours) if own is COUNTS else ours
    y = np.where(own, 1.0, -1.0)[NEW] if own.dtype == bool else own[NEW].astype(float)
    losses = [
        np.mean([loss.value(a, f) for a, f in zip(y, at, strict=True)])
        for at in (ours, raw, 0 * raw)
    ]
    slack = 0.1 * abs(losses[2] - losses[1])
    assert losses[0] < losses[1] + slack
    assert own.dtype == bool or losses[0] > losses[1] - slack
