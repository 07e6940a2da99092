"""All estimators of the package, settings that make them quick, and data for them."""

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

import coordboost as cb

RNG = np.random.default_rng(3)
X = RNG.normal(size=(80, 4)).round(2) * [1, 4, 0.5, 1] + [0, 1, 0, 3]
Y = X @ [1.0, 0, -2, 0] + np.where(X[:, 1] > 2, 2.0, 0.0) + 0.5 * RNG.normal(size=80)
NAMES = np.array(["blue", "red"])[(np.median(Y) < Y).astype(int)]
COUNTS = RNG.poisson(np.exp(0.3 * X[:, 0] + 0.5)).astype(float)
ESTIMATORS = [
    kind
    for name in dir(cb)
    if isinstance(kind := getattr(cb, name), type) and issubclass(kind, BaseEstimator)
]
QUICK = {
    "n_estimators": 8,
    "min_samples_leaf": 5,
    "n_steps": 40,
    "n_deltas": 2,
    "n_alphas": 4,
    "eps": None,
    "cv": 3,
    "random_state": 0,
}


def quick(kind, **settings):
    """Return an estimator with the `settings`, and with those of QUICK that it has."""
    known = kind().get_params(deep=False)
    few = {key: value for key, value in QUICK.items() if key in known and value is not None}
    return kind(**{**few, **settings})


def by_folds(kind):
    """Whether an estimator chooses by cross-validation."""
    return kind.__name__.endswith("CV")


def of_trees(kind):
    """Whether an estimator boosts trees."""
    return "GBM" in kind.__name__


def target(kind, y=Y, names=NAMES, counts=COUNTS):
    """Return a target that an estimator of this kind predicts."""
    return names if is_classifier(kind()) else counts if "Poisson" in kind.__name__ else y
