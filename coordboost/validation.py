"""The door: every input becomes finite float64 arrays, or one clear ``ValueError``."""

import warnings

import numpy as np
import scipy.sparse


class ConstantColumnWarning(UserWarning):
    """Columns without variation carry no weak learner and were set aside."""


def _names_of(X):
    """Column names of a data frame (anything with ``columns`` and ``to_numpy``), else None."""
    return [str(name) for name in X.columns] if hasattr(X, "columns") and hasattr(X, "to_numpy") else None


def numeric(name, values, ndim):
    """`values` as a finite float64 array with `ndim` dimensions.

    Raises
    ------
    ValueError
        For objects, strings, complex numbers, masked arrays, a wrong number of dimensions, NaN and infinity.
    """
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name} is a masked array; fill or drop the missing values first.")
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise ValueError(
            f"{name} must hold real numbers, got dtype {array.dtype}; encode strings and categories as numbers first."
        )
    if array.ndim != ndim:
        hint = " Use y.ravel()." if ndim == 1 and array.ndim == 2 and 1 in array.shape else ""
        hint = hint or (" Use X.reshape(-1, 1) for a single column." if ndim == 2 and array.ndim == 1 else "")
        raise ValueError(f"{name} must have {ndim} dimension{'s' * (ndim > 1)}, got shape {array.shape}.{hint}")
    array = np.array(array, dtype=np.float64)
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(
            f"{name} holds NaN or infinity (first at {where if ndim > 1 else where[0]}); impute or drop those rows first."
        )
    return array


def matrix(X, feature_names=None):
    """`X` as float64 (2-D ndarray or CSC array without duplicates) and its column names.

    Raises
    ------
    ValueError
        As `numeric`; also for no rows, no columns, and a wrong number of names.
    """
    names = _names_of(X)
    if scipy.sparse.issparse(X):
        if X.ndim != 2 or X.dtype.kind not in "fiub":
            raise ValueError(f"X must be a 2-dimensional sparse matrix of real numbers, got shape {X.shape}, dtype {X.dtype}.")
        out = scipy.sparse.csc_array(X, dtype=np.float64, copy=True)
        out.sum_duplicates()
        numeric("X", out.data, 1)
    elif names is not None:
        bad = [str(name) for name, dtype in zip(X.columns, X.dtypes, strict=True) if not _is_number(dtype)]
        if bad:
            raise ValueError(f"X must hold real numbers; encode or drop the columns {', '.join(bad[:5])} first.")
        out = numeric("X", X.to_numpy(dtype=np.float64, na_value=np.nan), 2)
    else:
        out = numeric("X", X, 2)
    if out.shape[0] == 0 or out.shape[1] == 0:
        raise ValueError(f"X must have at least one row and one column, got shape {out.shape}.")
    if feature_names is not None:
        names = [str(name) for name in feature_names]
    if names is None:
        names = [f"x{j}" for j in range(out.shape[1])]
    if len(names) != out.shape[1]:
        raise ValueError(f"feature_names must name the {out.shape[1]} columns of X, got {len(names)} names.")
    return out, names


def _is_number(dtype):
    return getattr(dtype, "kind", "O") in "fiub"


def target(y, n_samples):
    """`y` as float64 (n_samples,)."""
    out = numeric("y", y, 1)
    if len(out) != n_samples:
        raise ValueError(f"y must have one entry per row of X: expected {n_samples}, got {len(out)}.")
    largest = float(np.abs(out).max())
    if largest > 1e152 or 0 < largest < 1e-152:
        raise ValueError(f"the largest abs(y) is {largest:.3g}: its square is not a normal float64 number; rescale y.")
    return out


def sample_weight(weight, n_samples):
    """Weights as float64 (n_samples,), ones for None."""
    if weight is None:
        return np.ones(n_samples)
    out = numeric("sample_weight", weight, 1)
    if len(out) != n_samples:
        raise ValueError(f"sample_weight must have one entry per row of X: expected {n_samples}, got {len(out)}.")
    if (out < 0).any() or not out.any():
        raise ValueError("sample_weight must not be negative, and not all zero.")
    return out


def groups(labels, n_columns):
    """Group labels as an array (n_columns,), or None."""
    if labels is None:
        return None
    labels = np.asarray(labels)
    if labels.shape != (n_columns,):
        raise ValueError(f"groups must hold one label per column of X: expected shape ({n_columns},), got {labels.shape}.")
    return labels


def whole(name, number, least=0):
    """`number` as an int, at least `least`."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < least:
        raise ValueError(f"{name} must be a whole number >= {least}, got {number!r}.")
    return int(number)


def report_constant(names):
    """Warn that the columns `names` were set aside."""
    if names:
        shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        warnings.warn(
            f"{len(names)} constant column(s) set aside, their coefficients are 0: {shown}.",
            ConstantColumnWarning,
            stacklevel=4,
        )
