"""CatBoost and hessboost on Table 1 of SGLB: boosting with trees of depth 1 and any derivative of
the loss, with or without noise.

They differ from the algorithm of the paper (and ours): both shrink before the gradient is computed,
the paper shrinks after it. With ``share`` below 1 both average over the drawn rows; an unbiased
gradient divides by the number of all rows. CatBoost has noise in the leaves only, and borders of
its own. hessboost has both noises, quantiles as borders, and 32-bit gradients; with a Hessian of 1
for each row its leaf values are means, with the noise of the paper. The temperature of both is beta
/ N.
"""

import importlib.util
import warnings
from typing import NamedTuple

import numpy as np
from scipy.special import expit

EPS = 0.1
GAMMA = 1e-3
BORDERS = 5
EVERY = 10


class Setting(NamedTuple):
    """The settings of a package for a row of the table.

    slope : (labels -1 or 1, predictions) -> minus the derivatives of the loss
    beta : inf without noise
    share : share of rows in a step
    """

    slope: object
    beta: float = np.inf
    share: float = 1.0

    def noise(self, n_samples):
        """Return the noise parameters, which have the same names in both packages."""
        if np.isinf(self.beta):
            return {}
        return {
            "langevin": True,
            "diffusion_temperature": self.beta / n_samples,
            "model_shrink_rate": GAMMA,
        }


def logistic(y, f):
    """Return minus the derivative of the logistic loss."""
    return y * expit(-y * f)


def smoothed(y, f, scale=0.1):
    """Return minus the derivative of the smoothed 0-1 loss."""
    tail = np.exp(-np.abs(f) / scale)
    return y / scale * tail / np.square(1 + tail)


class Slope:
    """A custom loss in the form that CatBoost expects."""

    def __init__(self, slope):
        self.slope = slope

    def calc_ders_range(self, f, y, weights):
        """Return first and second derivatives of minus the loss.

        Gradient leaves do not use the second.
        """
        found = self.slope(np.asarray(y), np.asarray(f))
        return np.stack([found, -np.ones_like(found)], axis=1).tolist()


def catboost(X, y, new, setting, seed, n_trees):
    """Return predictions for `new` after every tenth tree (n_models, n_new), those of each model up
    to a positive factor.
    """
    from catboost import CatBoost

    options = {
        "iterations": n_trees,
        "depth": 1,
        "border_count": BORDERS,
        "learning_rate": EPS,
        "random_seed": seed,
    }
    options |= {
        "leaf_estimation_method": "Gradient",
        "leaf_estimation_iterations": 1,
        "score_function": "L2",
        "l2_leaf_reg": 0,
    }
    options |= {
        "random_strength": 0,
        "boost_from_average": False,
        "boosting_type": "Plain",
        "bootstrap_type": "No",
    }
    options |= setting.noise(len(y))
    if setting.share < 1:
        options |= {"bootstrap_type": "Bernoulli", "subsample": setting.share}
    options |= {
        "thread_count": 1,
        "logging_level": "Silent",
        "allow_writing_files": False,
        "eval_metric": "RMSE",
    }
    model = CatBoost({"loss_function": Slope(setting.slope), **options})
    with warnings.catch_warnings():  # CatBoost warns that the loss is not compiled
        warnings.simplefilter("ignore")
        model.fit(X, y)
    return np.stack(
        list(model.staged_predict(new, prediction_type="RawFormulaVal", eval_period=EVERY))
    )


def hessboost(X, y, new, setting, seed, n_trees):
    """Return predictions for `new` after every tenth tree (n_models, n_new)."""
    from hessboost import DMatrix, train

    options = {
        "eta": EPS,
        "max_depth": 1,
        "max_bin": BORDERS + 1,
        "tree_method": "hist",
        "lambda": 0.0,
        "min_child_weight": 0.0,
    }
    options |= {
        "base_score": 0.0,
        "subsample": setting.share,
        "seed": seed,
        "nthread": 1,
    } | setting.noise(len(y))
    model = train(
        options,
        DMatrix(X, label=y),
        n_trees,
        obj=lambda f, _: (-setting.slope(y, f), np.ones(len(y))),
    )
    return np.stack(
        [
            model.predict(new, output_margin=True, iteration_range=(0, k))
            for k in range(EVERY, n_trees + 1, EVERY)
        ]
    )


PEERS = {"CatBoost": catboost, "hessboost": hessboost}


def present():
    """Return those of ``PEERS`` that are installed."""
    return {name: run for name, run in PEERS.items() if importlib.util.find_spec(name.lower())}
