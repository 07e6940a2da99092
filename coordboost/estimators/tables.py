"""Tables and targets as estimators take them: checked by scikit-learn's rules, never copied without need."""

import hashlib
import math
import numbers

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing, assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.validation import _check_sample_weight, validate_data

from coordboost._checks import real, shown
from coordboost.data.frames import is_frame, refuse_times
from coordboost.data.validation import collected, of_moderate_size, sound


def in_memory(name, values):
    """`values`, an array, a data frame or a sparse matrix; a Dask array is collected.

    Raises
    ------
    ValueError
        For anything else.
    """
    values = collected(name, values)
    known = isinstance(values, list | tuple) or issparse(values) or hasattr(values, "__array__") or is_frame(values)
    if isinstance(values, type) or not known:
        way = "; open_columns(...) is for Problem(open_columns(...), y)" if hasattr(values, "standardized") else ""
        raise ValueError(f"{name} must be an array, a data frame or a sparse matrix, got {shown(values)}{way}.")
    return values


def checked_table(estimator, X, *, reset=False):
    """X as it goes into bins: a data frame as it is, a sparse matrix by columns, anything else as an array of floats."""
    X = in_memory("X", X)
    if is_frame(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return X
    refuse_times("X", X)
    X = sound(X) if issparse(X) else X
    kinds = {"dtype": [np.float64, np.float32], "ensure_all_finite": False, "accept_sparse": "csc"}
    return validate_data(estimator, X, reset=reset, **kinds)


def checked_target(estimator, X, y, *, numeric):
    """y (n_samples,), as float64 where it is `numeric`."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    y = in_memory("y", y)
    if numeric:
        refuse_times("y", y)
        _refuse_strange(y)
    y = column_or_1d(y, warn=True, dtype=np.float64 if numeric else None)
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    return y


def _refuse_strange(y):
    """Refuse a target of words and other things that are no numbers."""
    values = np.asarray(y)
    if values.dtype.kind not in "fiub":
        for value in values.ravel().tolist():
            try:
                float(value)
            except (TypeError, ValueError):
                how = "a classifier takes words" if isinstance(value, str) else "drop or mend its row"
                raise ValueError(f"y must hold numbers, got {shown(value)}; {how}.") from None


def weights(X, sample_weight, name="sample_weight"):
    """sample_weight (n_samples,), None for None or where all are 1."""
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, numbers.Number):
        sample_weight = in_memory(name, sample_weight)
    try:
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    except OverflowError:
        raise ValueError(f"{name} must be numbers that float64 can hold, got {shown(sample_weight)}.") from None
    except ValueError as error:
        raise ValueError(str(error).replace("Sample weights", name).replace("`sample_weight`", name)) from None
    if not weight.any():
        raise ValueError(f"{name} must contain at least one non-zero number.")
    of_moderate_size(name, weight)
    return None if (weight == 1).all() else weight


def rows(index, X, y, weight):
    """Some rows of a table, its target and its weights."""
    return _safe_indexing(X, index), y[index], None if weight is None else weight[index]


def counting(X, y, weight):
    """The rows with a weight above 0: the others would still move the edges of bins."""
    if weight is None or weight.all():
        return X, y, weight
    return rows(np.flatnonzero(weight), X, y, weight)


def held_apart(n_samples, fraction, labels, rng):
    """Rows to fit and rows to hold back, `labels` in equal shares; the same for the same number `rng`."""
    from sklearn.model_selection import train_test_split

    fraction = real("validation_fraction", fraction, lambda part: 0 < part < 1, "a part of the rows, above 0 and below 1")
    held = math.ceil(fraction * n_samples)
    names, counts = (np.zeros(1), [n_samples]) if labels is None else np.unique(labels, return_counts=True)
    if n_samples - held < len(names) or held < len(names):
        beside = "" if labels is None else f" for the {len(names)} classes"
        raise ValueError(
            f"validation_fraction={shown(fraction)} holds back {held} of {n_samples} row(s) and leaves {n_samples - held} to fit, too "
            f"few of one or the other{beside}; take another part, or give fit X_val and y_val."
        )
    if min(counts) > 1:
        fit, out = train_test_split(np.arange(n_samples), test_size=fraction, stratify=labels, random_state=rng)
        if labels is None or len(np.unique(labels[fit])) == len(names):
            return fit, out
    name, n = names.tolist()[np.argmin(counts)], min(counts)
    raise ValueError(
        f"early stopping holds back a part of the rows of each class, and the class {name!r} has too few, {n}: give it more, or give fit "
        "X_val and y_val."
    )


def names_or_places(features):
    """`features`, names or places, or a boolean for each, as names and places."""
    if features is None:
        return ()
    flags = np.asarray(features)
    return np.flatnonzero(flags) if flags.dtype == bool else features


def as_a_set(codes, y, weight):
    """Rows in an order of their own, equal rows as one: which row stands for each (n,), and the sum of the weights of its copies (n,).

    codes : (n_features, n_samples), any whole numbers;  y, weight : (n_samples,), weight None for ones
    The result hangs on what rows there are, and not on where they stand. *Cost*: a sort of the rows.
    """
    keys = np.ascontiguousarray(np.hstack([codes.T.view(np.uint8), (y + 0.0)[:, None].view(np.uint8)]))
    _, first, place = np.unique(keys.view(np.dtype((np.void, keys.shape[1])))[:, 0], return_index=True, return_inverse=True)
    return first, np.bincount(place, weight)


def fingerprint(y, weight):
    """What tells this target and these weights from others."""
    return hashlib.sha256(y.tobytes() + (b"" if weight is None else weight.tobytes())).hexdigest()
