"""Predictions and scores of estimators for tables of Dask, part by part, where the rows lie."""

import math
from functools import wraps

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from coordboost.data.row_parts import RowParts, numbers_in
from coordboost.learners.stores.daskarray import is_lazy


def lazily(predict):
    """Wrap a method that predicts: for a table of Dask it returns an array of Dask.

    Its chunks are the parts of the table; nothing is computed.
    """

    @wraps(predict)
    def call(self, X, **options):
        if is_lazy(X):
            return lazy_prediction(self, predict.__name__, X, **options)
        return predict(self, X, **options)

    return call


def lazy_prediction(model, name, X, offset=None):
    """The result of the method `name` of a fitted model for a table of Dask, an array of Dask."""
    import dask.array
    from dask import delayed

    check_is_fitted(model)
    table = RowParts(X)
    check_columns_of(model, X, table)
    vectors = table.vectors(offset=offset)
    # after vectors, which may count the rows of a data frame
    lengths = vars(table).get("lengths", [math.nan] * len(table.parts))
    width, dtype = shape_of(model, name)
    bare = delayed(without_data(model), traverse=False)
    parts = table.each(part_prediction, vectors, model=bare, name=name, width=width)
    return dask.array.concatenate(
        [
            dask.array.from_delayed(part, (length, *width), meta=np.empty((0, *width), dtype))
            for part, length in zip(parts, lengths, strict=True)
        ],
        allow_unknown_chunksizes=True,
    )


def shape_of(model, name):
    """The shape of one row of a prediction, and the type of its entries."""
    classes = getattr(model, "classes_", None)
    if name == "predict":
        return (), np.float64 if classes is None else classes.dtype
    return () if name == "decision_function" and len(classes) == 2 else (len(classes),), np.float64


def part_prediction(part, vectors, number, *, model, name, width):
    """The prediction for a part of the rows."""
    if not len(part):
        return np.empty((0, *width))
    return getattr(model, name)(part, **vectors)


def check_columns_of(model, X, table, reset=False):
    """Refuse a table of Dask with other columns than those of the fit; with `reset` set them."""
    columns = X._meta if table.names is not None else np.zeros((1, table.n_columns))
    validate_data(model, columns, reset=reset, skip_check_array=True)


def without_data(model):
    """A copy of a fitted model without its training data, as pickles hold it."""
    bare = type(model).__new__(type(model))
    bare.__setstate__(model.__getstate__())
    return bare


def score_of_parts(model, X, y, sample_weight, offset):
    """The score of a fitted model on a table of Dask: R^2, or the share of rows that are right."""
    check_is_fitted(model)
    table = RowParts(X)
    check_columns_of(model, X, table)
    vectors = table.vectors(y=y, sample_weight=sample_weight, offset=offset)
    if hasattr(model, "classes_"):
        right, total = table.total(part_right, np.add, vectors, model=without_data(model))
        return float(right / total)
    _, _, spread, error = table.total(
        part_errors, joined_errors, vectors, model=without_data(model)
    )
    if spread == 0:
        return float(error == 0)
    return float(1 - error / spread)


def weights_in(vectors, n_rows):
    """The weights of the rows of a part."""
    return numbers_in("sample_weight", vectors.get("sample_weight", np.ones(n_rows)), n_rows)


def predicted_in(part, vectors, model):
    """The prediction for a part of the rows, (n_rows,)."""
    offset = {"offset": vectors["offset"]} if "offset" in vectors else {}
    return part_prediction(part, offset, 0, model=model, name="predict", width=())


def part_right(part, vectors, number, *, model):
    """The weights of the rows of a part whose class is predicted, and of all, summed."""
    weight = weights_in(vectors, len(part))
    right = predicted_in(part, vectors, model) == np.asarray(vectors["y"])
    return np.array([weight[right].sum(), weight.sum()])


def part_errors(part, vectors, number, *, model):
    """Of the rows of a part: the sum of the weights w, the mean of y, w (y - mean)^2 and w (y -
    prediction)^2, summed.
    """
    weight = weights_in(vectors, len(part))
    y = numbers_in("y", vectors["y"], len(part))
    total = weight.sum()
    mean = weight @ y / total if total > 0 else 0.0
    error = weight @ (y - predicted_in(part, vectors, model)) ** 2
    return total, mean, weight @ (y - mean) ** 2, error


def joined_errors(a, b):
    """The sums of two parts of the rows together.

    *Source*: Chan, Golub, LeVeque, *Algorithms for computing the sample variance* (1983).
    """
    total = a[0] + b[0]
    share = b[0] / total if total > 0 else 0.0
    apart = b[1] - a[1]
    spread = a[2] + b[2] + apart**2 * a[0] * share
    return total, a[1] + share * apart, spread, a[3] + b[3]
