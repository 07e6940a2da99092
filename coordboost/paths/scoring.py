"""Losses on new rows along a path."""

import numpy as np

from coordboost._numba.sums import totals_of
from coordboost.data import validation

#: The name of the mean loss on rows held out, where no scorer is given.
MEAN_LOSS = "mean loss"


def number_of_rows(X):
    """The number of rows of a table of any kind."""
    shape = (
        X.shape
        if isinstance(getattr(X, "shape", None), tuple)
        else validation.as_array("X", X).shape
    )
    if len(shape) != 2:
        raise ValueError(f"X must have 2 dimensions, got shape {shape}.")
    return shape[0]


def rows_of(problem, X, y, sample_weight):
    """Targets of new rows as the loss takes them, and their weights, (len(X),) each."""
    n = number_of_rows(X)
    y = validation.target(y, n)
    weight = validation.sample_weight(sample_weight, n, X)
    return problem.loss.labels(y) if problem.loss.labels else y, weight


def least_mean(loss, y, weight):
    """Mean over rows of the infimum that the loss declares; 0 if it declares none."""
    mean = float(validation.infimum(loss, y) @ weight / weight.sum())
    return mean if mean > -np.inf else 0.0


def losses_of(problem, preds, y, weight, offset=0.0):
    """Sums of the losses at several predictions, an iterable of (n,).

    The constant is included, `offset` is not.
    """
    return np.array(totals_of(problem.loss, y, weight, offset, map(np.asarray, preds)))
