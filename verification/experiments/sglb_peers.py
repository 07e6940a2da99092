"""CatBoost and hessboost on Table 1 of SGLB: boosting with trees of depth 1 and any slope of the loss, with noise or without.

What does not match the algorithm of the paper, nor ours: both shrink before they take the gradient, where the paper shrinks after; with
``share`` both average over the rows drawn, where an unbiased gradient divides by all. CatBoost has noise in the leaves alone, and borders
of its own; hessboost has both noises, quantiles as borders, and gradients of 32 bits. A Hessian of 1 for each row makes its leaves means,
and their noise that of the paper. Their temperature is beta / N.
"""

import importlib.util
import warnings
from typing import NamedTuple

import numpy as np
from scipy.special import expit

EPS, GAMMA, BORDERS, EVERY = 0.1, 1e-3, 5, 10


class Setting(NamedTuple):
    """What a row of the table asks of a package.

    slope : (labels -1 or 1, predictions) -> minus the derivatives of the loss;  beta : inf without noise;  share : of rows in a gradient
    """

    slope: object
    beta: float = np.inf
    share: float = 1.0

    def noise(self, n_samples):
        """What both packages are told of the noise."""
        if np.isinf(self.beta):
            return {}
        return {"langevin": True, "diffusion_temperature": self.beta / n_samples, "model_shrink_rate": GAMMA}


def logistic(y, f):
    """Minus the derivative of the logistic loss."""
    return y * expit(-y * f)


def smoothed(y, f, scale=0.1):
    """Minus the derivative of the smoothed 0-1 loss."""
    tail = np.exp(-np.abs(f) / scale)
    return y / scale * tail / np.square(1 + tail)


class Slope:
    """A loss as CatBoost asks for it."""

    def __init__(self, slope):
        self.slope = slope

    def calc_ders_range(self, f, y, weights):
        """First and second derivatives of minus the loss; the second is not used with Gradient leaves."""
        found = self.slope(np.asarray(y), np.asarray(f))
        return np.stack([found, -np.ones_like(found)], axis=1).tolist()


def catboost(X, y, new, setting, seed, n_trees):
    """Predictions of `new` after every tenth tree (n_models, n_new), each model up to a positive factor."""
    from catboost import CatBoost

    options = {"iterations": n_trees, "depth": 1, "border_count": BORDERS, "learning_rate": EPS, "random_seed": seed}
    options |= {"leaf_estimation_method": "Gradient", "leaf_estimation_iterations": 1, "score_function": "L2", "l2_leaf_reg": 0}
    options |= {"random_strength": 0, "boost_from_average": False, "boosting_type": "Plain", "bootstrap_type": "No"}
    options |= setting.noise(len(y))
    if setting.share < 1:
        options |= {"bootstrap_type": "Bernoulli", "subsample": setting.share}
    options |= {"thread_count": 1, "logging_level": "Silent", "allow_writing_files": False, "eval_metric": "RMSE"}
    model = CatBoost({"loss_function": Slope(setting.slope), **options})
    with warnings.catch_warnings():  # that the slope was not compiled
        warnings.simplefilter("ignore")
        model.fit(X, y)
    return np.stack(list(model.staged_predict(new, prediction_type="RawFormulaVal", eval_period=EVERY)))


def hessboost(X, y, new, setting, seed, n_trees):
    """Predictions of `new` after every tenth tree (n_models, n_new)."""
    from hessboost import DMatrix, train

    options = {"eta": EPS, "max_depth": 1, "max_bin": BORDERS + 1, "tree_method": "hist", "lambda": 0.0, "min_child_weight": 0.0}
    options |= {"base_score": 0.0, "subsample": setting.share, "seed": seed, "nthread": 1} | setting.noise(len(y))
    model = train(options, DMatrix(X, label=y), n_trees, obj=lambda f, _: (-setting.slope(y, f), np.ones(len(y))))
    return np.stack([model.predict(new, output_margin=True, iteration_range=(0, k)) for k in range(EVERY, n_trees + 1, EVERY)])


PEERS = {"CatBoost": catboost, "hessboost": hessboost}


def present():
    """Those of ``PEERS`` that are installed."""
    return {name: run for name, run in PEERS.items() if importlib.util.find_spec(name.lower())}
