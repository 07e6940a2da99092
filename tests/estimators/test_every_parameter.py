"""Every parameter of an estimator has an effect: with suitable other settings, some value of it
makes another model.
"""

import numpy as np
import pytest
from all_estimators import ESTIMATORS, NAMES, X, quick, target
from sklearn.base import is_classifier

import coordboost as cb

#: For each parameter a value that is not its default, and other settings with which it has an
#: effect.
EARLY = {"early_stopping": True, "n_estimators": 20, "learning_rate": 1.0, "min_samples_leaf": 2}
LEVELS = {
    "categorical_features": [1],
    "min_samples_category": 1,
    "min_samples_leaf": 1,
    "category_smoothing": 1.0,
}
VALUES = {
    "alpha": (0.2, {}),
    "alphas": ([0.5, 0.2], {}),
    "beta": (7.0, {}),
    "bounds": ((3.0,), {"power": 2}),
    "burn_in": (0.1, {}),
    "categorical_features": ([1], {"min_samples_category": 1}),
    "min_samples_category": (1, {**LEVELS, "min_samples_category": 20}),
    "max_split_categories": (1, LEVELS),
    "category_smoothing": (0.0, LEVELS),
    "correction": (1, {}),
    "cv": (4, {}),
    "delta": (0.9, {}),
    "deltas": ([0.5, 0.9], {}),
    "early_stopping": (True, {**EARLY, "n_iter_no_change": 2}),
    "eps": (0.05, {}),
    "lower_limits": (0.0, {"alpha": 1e-3}),
    "upper_limits": (0.05, {"alpha": 1e-3}),
    "positive": (True, {"alpha": 1e-3}),
    "penalty_factor": ([1, 3, 0.5, 1], {}),
    "fit_intercept": (False, {}),
    "gamma": (0.03, {}),
    "l1_ratio": (0.9, {}),
    "l2_regularization": (5.0, {}),
    "learning_rate": (0.6, {}),
    "max_bins": (3, {}),
    "max_depth": (1, {}),
    "max_features": (1, {}),
    "max_leaf_nodes": (2, {}),
    "max_delta_step": (0.1, {}),
    "min_gain": (1e3, {}),
    "min_samples_leaf": (30, {}),
    "monotonic_cst": ([-1, -1, 1, 1], {}),
    "n_alphas": (3, {}),
    "n_candidates": (1, {}),
    "n_deltas": (3, {}),
    "n_estimators": (3, {}),
    "n_iter_no_change": (1, EARLY),
    "n_members": (2, {}),
    "n_steps": (5, {}),
    "newton": (False, {"loss": cb.losses.Logistic()}),
    "nodes": ((1, 2), {}),
    "penalty": (0.5, {}),
    "power": (2, {}),
    "q": (1.0, {"bounds": (1.0, 4.0), "power": 2}),
    "random_state": (7, {**EARLY, "max_features": 1}),
    "refit_intercept": (False, {"loss": cb.losses.Huber(0.5), "n_steps": 40}),
    "rule": ("one_se", {"n_alphas": 30, "n_steps": 150}),
    "scoring": (lambda model, X, y: X[:5].sum(), {}),
    "standardize": (True, {}),
    "subsample": (0.5, {}),
    "interaction_cst": ("no_interactions", {}),
    "class_weight": ({"red": 3, "blue": 1}, {}),
    "adaptive": ("ridge", {}),
    "tol": (0.3, {**EARLY, "learning_rate": 0.1, "alpha": 1e-4, "n_iter_no_change": 2}),
    "validation_fraction": (0.4, EARLY),
}
#: Parameters that change no model of two classes, or have a test of their own.
OTHERS = {"n_jobs", "verbose", "warm_start", "noise_variance", "loss", "multinomial"}


def model_of(kind, **settings):
    """Fit, and return arrays that show the model."""
    known = kind().get_params(deep=False)
    y = target(kind)
    loss = settings.get("loss")
    if isinstance(loss, cb.losses.Logistic) and not is_classifier(kind()):
        y = np.where(NAMES == "red", 1.0, -1.0)
    if isinstance(loss, cb.losses.Huber) and is_classifier(kind()):
        settings["loss"] = cb.losses.Logistic(0.3)
    small = {"n_steps": 12} | ({"noise_variance": 1.0} if "n_members" in known else {})
    given = {key: value for key, value in {**small, **settings}.items() if key in known}
    model = quick(kind, **given).fit(X, y)
    if settings.get("early_stopping") and "early_stopping" in known:
        return [model.validation_score_]
    seen = [model.predict_proba(X) if is_classifier(model) else model.predict(X)]
    if "rule" in known:
        found = model.cross_validation_
        seen += [one.losses for one in (found if isinstance(found, list) else [found])]
    return seen


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (kind, name)
        for kind in ESTIMATORS
        for name in kind().get_params(deep=False)
        if name not in OTHERS
    ],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_another_value_makes_another_model(kind, name):
    value, beside = VALUES[name]
    beside = {key: one for key, one in beside.items() if key != name}
    assert not same(model_of(kind, **beside), model_of(kind, **beside, **{name: value}))


def having(name):
    return pytest.mark.parametrize(
        "kind",
        [kind for kind in ESTIMATORS if name in kind().get_params(deep=False)],
        ids=lambda kind: kind.__name__,
    )


@having("loss")
def test_a_loss(kind):
    if is_classifier(kind()):
        assert not same(model_of(kind), model_of(kind, loss=cb.losses.Logistic(0.3)))
    else:
        assert not same(
            model_of(kind), [quick(kind, loss=cb.losses.Huber(0.1)).fit(X, target(kind)).predict(X)]
        )


@having("noise_variance")
def test_a_variance_of_the_noise(kind):
    y = target(kind)
    if "rule" in kind().get_params():
        model = quick(kind, rule="aic", noise_variance=50.0)
        assert not np.array_equal(
            model.fit(X, y).criterion_, model.set_params(noise_variance=None).fit(X, y).criterion_
        )
    else:
        assert quick(kind, noise_variance=3.0).fit(X, y).noise_variance_ == 3.0


@having("warm_start")
def test_a_warm_start(kind):
    model = quick(
        kind,
        warm_start=True,
        **{"noise_variance": 1.0} if "noise_variance" in kind().get_params() else {},
    ).fit(X, target(kind))
    before = model.run_
    again = model.set_params(n_estimators=9).fit(X, target(kind)).run_
    assert (
        again.n_steps > before.n_steps
        and (again.path.theta[: before.n_steps] == before.path.theta).all()
    )


@having("n_jobs")
def test_threads(kind):
    with pytest.raises(ValueError, match="n_jobs must be"):
        quick(kind, n_jobs=0).fit(X, target(kind))
