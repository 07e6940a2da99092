"""What is accepted: arrays become finite float64 numbers, and a dictionary of a user's own must
have columns of unit norm and methods that agree with each other; or one clear ``ValueError``.
"""

import math
import numbers
import os

import numpy as np
import scipy.sparse

from coordboost._numba import is_piece
from coordboost._utils.checks import NEAR, number_of, real, shown, square_is_normal
from coordboost._utils.warned import ConstantColumnWarning, warn
from coordboost.data.frames import as_pandas, by_index, is_frame, listed, refuse_words
from coordboost.data.memory import check_room, in_words
from coordboost.learners.scan import Compiled
from coordboost.learners.stores.daskarray import computed, is_dask, known_size

#: How the names of arrays with one entry, or row, for each sample begin.
OF_ROWS = ("X", "y", "sample_weight", "offset")


def numeric(name, values, ndim):
    """`values` as a new finite float64 array with `ndim` dimensions.

    Raises
    ------
    ValueError
        For objects, strings, complex numbers, masked arrays, a wrong number of dimensions, NaN and
        infinity.
    """
    array = np.array(_numbers(name, values, ndim), order="C")
    _check_finite(name, array, [array.max(initial=0.0), array.min(initial=0.0)])
    return array


def collected(name, values):
    """Return `values`; a Dask array is loaded into memory.

    Raises
    ------
    ValueError
        If they take more memory than is free.

    Warns
    -----
    UserWarning
        For a Dask array, with the number of bytes.
    """
    if not is_dask(values):
        return values
    size = known_size(name, values)
    stay = "; to leave them in place, pass open_columns(X) to Problem" if name == "X" else ""
    check_room(
        size,
        f"{name}, a Dask array that has to be collected on this machine,",
        f"take fewer rows{stay}",
    )
    warn(f"{name} is a Dask array: its {in_words(size)} are collected on this machine{stay}.")
    return computed([values], name)[0]


def as_array(name, values):
    """`values` as an array of any type and shape, on this machine."""
    values = collected(name, values)
    try:
        return np.asarray(values)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be an array of real numbers with rows of equal length, got "
            f"{shown(values)}."
        ) from None


def _numbers(name, values, ndim):
    """`values` as a float64 array with `ndim` dimensions.

    It may share memory with the caller: do not write to it.
    """
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name} is a masked array; fill or drop the missing values first.")
    if isinstance(values, str | os.PathLike):
        hint = (
            "open_columns(path), or the array that the file holds"
            if name == "X"
            else "the array that it names"
        )
        raise ValueError(
            f"{name} must be an array of real numbers, got the text {shown(values)}; pass {hint}."
        )
    array = as_array(name, values)
    if array.dtype.kind not in "fiub":
        if array.ndim == 0:
            raise ValueError(f"{name} must be an array of real numbers, got {shown(values)}.")
        if array.dtype.kind == "O" and all(isinstance(value, numbers.Real) for value in array.flat):
            raise ValueError(f"{name} holds numbers as Python objects; pass {name}.astype(float).")
        raise ValueError(
            f"{name} must hold real numbers, got dtype {array.dtype}; encode strings and "
            "categories as numbers first."
        )
    if array.ndim != ndim:
        hint = f" Use {name}.ravel()." if ndim == 1 and array.ndim == 2 and 1 in array.shape else ""
        hint = hint or (
            " Use X.reshape(-1, 1) for a single column, X.reshape(1, -1) for a single row."
            if ndim == 2 and array.ndim == 1
            else ""
        )
        raise ValueError(
            f"{name} must have {ndim} dimension{'s' * (ndim > 1)}, got shape {array.shape}.{hint}"
        )
    return np.asarray(array, dtype=np.float64)


def _check_finite(name, array, extremes, names=None):
    """Refuse NaN and infinity, found from the `extremes` of `array`, which saves a boolean array of
    its size.
    """
    if not np.isfinite(extremes).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        _refuse_entry(name, *where, names=names)


def _refuse_entry(name, row=None, column=None, names=None):
    """Raise an error that says where NaN or infinity is."""
    if row is None:
        raise ValueError(f"{name} must be a finite number, got NaN or infinity.")
    where = f"row {row}" if column is None else f"row {row}, column {column}"
    where += "" if names is None else f", {names[column]!r}"
    if not name.startswith(OF_ROWS):
        raise ValueError(
            f"{name} must be finite numbers, got NaN or infinity (first at index {row}, counted "
            "from 0)."
        )
    raise ValueError(
        f"{name} holds NaN or infinity (first in {where}, counted from 0); impute or drop those "
        "rows first."
    )


def matrix(X):
    """`X` as float64 (2-D ndarray, perhaps the caller's own, or CSC array without duplicates), and
    the names of a data frame or None.

    NaN and infinity are left to `check_columns`.

    Raises
    ------
    ValueError
        For objects, strings, complex numbers, masked arrays, a wrong number of dimensions, no rows
        or no columns.
    """
    X = as_pandas(X) if is_frame(X) else X
    own_names = [str(name) for name in X.columns] if is_frame(X) else None
    if scipy.sparse.issparse(X):
        array = scipy.sparse.csc_array(sound(X), dtype=np.float64, copy=True)
        array.sum_duplicates()
    elif own_names is not None:
        refuse_words(X)
        # one layout, so that sums have one order
        array = np.asfortranarray(_numbers("X", X.to_numpy(dtype=np.float64, na_value=np.nan), 2))
    else:
        array = _numbers("X", X, 2)
    if array.shape[0] == 0 or array.shape[1] == 0:
        raise ValueError(f"X must have at least one row and one column, got shape {array.shape}.")
    return array, own_names


def sound(X):
    """Check the indices of a sparse matrix `X`, as scipy's routines read and write wherever they
    point.

    Returns
    -------
    X, without unused room behind its entries
        Formats without arrays of indices (dia, lil, dok) are converted to COO.

    Raises
    ------
    ValueError
        For another number of dimensions, entries that are no numbers, and indices that are out of
        bounds or inconsistent.
    """
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        raise ValueError(
            f"X must be a 2-dimensional sparse matrix of real numbers, got shape {X.shape}, dtype "
            f"{X.dtype}."
        )
    try:
        X = X if X.format in ("csr", "csc", "bsr", "coo") else X.tocoo()
        wrong = _damage(X)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        wrong = f"scipy reports {' '.join(str(error).split())!r}"
    if wrong:
        raise ValueError(
            f"X is not a valid sparse matrix: {wrong}; make it again, for example from (data, "
            "(row, column))."
        )
    used = len(X.data) if X.format == "coo" else X.indptr[-1]
    return (
        X
        if used == len(X.data)
        else type(X)((X.data[:used], X.indices[:used], X.indptr), shape=X.shape)
    )


def _damage(X):
    """Describe what is wrong with the indices of a sparse matrix (CSR, CSC, BSR or COO).

    "" if nothing is. No array is changed.
    """
    tall, wide = X.blocksize if X.format == "bsr" else (1, 1)
    shape = (X.shape[0] // tall, X.shape[1] // wide)
    data = X.data
    if data.shape != ((len(data), tall, wide) if X.format == "bsr" else (data.size,)):
        return f"its data has shape {data.shape}"
    if X.format == "coo":
        return _outside("row", X.row, shape[0], len(data)) or _outside(
            "column", X.col, shape[1], len(data)
        )
    major, minor = reversed(shape) if X.format == "csc" else shape
    stops = X.indptr
    if stops.ndim != 1 or stops.dtype.kind not in "iu" or len(stops) != major + 1:
        return (
            f"indptr must be {major + 1} whole numbers, got shape {stops.shape}, dtype "
            f"{stops.dtype}"
        )
    if stops[0] != 0 or (stops[1:] < stops[:-1]).any() or stops[-1] > len(data):
        return (
            f"indptr must begin with 0, not decrease, and end at {len(data)} (the number of "
            "entries) or less"
        )
    return _outside("index", X.indices, minor, len(data))


def _outside(name, index, length, count):
    """Describe what is wrong with `index`, `count` whole numbers from 0 to length - 1.

    "" if nothing is.
    """
    if index.shape != (count,) or index.dtype.kind not in "iu":
        return (
            f"{name} must be {count} whole numbers, one per entry, got shape {index.shape}, "
            f"dtype {index.dtype}"
        )
    low, high = (int(index.min()), int(index.max())) if count else (0, 0)
    if low < 0 or (count and high >= length):
        return f"{name} {low if low < 0 else high} is out of bounds, from 0 to {length - 1}"
    return ""


def check_columns(X, top=None, first=0, names=None, largest=1e290, least=1e-290):
    """Refuse columns with NaN or infinity, and those whose norms are not normal float64 numbers.

    top : their largest abs entries, (k,), from column `first` on; by default those of all columns,
        found by passes over X
    largest, least : entries that are not 0 must lie between these to be normalised
    """
    sparse = scipy.sparse.issparse(X)
    if top is None:
        top = (
            abs(X).max(axis=0).toarray().ravel()
            if sparse
            else np.maximum(X.max(axis=0), -X.min(axis=0))
        )
    if sparse and not np.isfinite(top).all():
        p = int(np.argmin(np.isfinite(X.data)))
        _refuse_entry("X", X.indices[p], int(np.searchsorted(X.indptr, p, side="right")) - 1, names)
    if not sparse:
        _check_finite("X", X, top, names)
    bad = (top > largest) | ((top > 0) & (top < least))
    if bad.any():
        j = int(np.argmax(bad))
        called = "" if names is None else f", {names[first + j]!r},"
        raise ValueError(
            f"X: the largest entry of column {first + j}{called} is {top[j]:.3g}, too large or "
            "small to be normalised; rescale the column."
        )


def floats(name, values):
    """`values`, a number or an array of any shape, as float64."""
    number = number_of(values)
    if number is not None:
        return np.float64(real(name, number, math.isfinite, "a finite number, or an array of them"))
    return numeric(name, values, as_array(name, values).ndim)


def vector(name, values, length, what):
    """`values` as a finite float64 vector with one entry per `what`."""
    array = numeric(name, values, 1)
    if len(array) != length:
        raise ValueError(
            f"{name} must have one entry per {what}: expected {length}, got {len(array)}."
        )
    return array


def stored(name, values, length, dtype=np.float64):
    """`values` of a file; raise unless they are a finite vector of this length and type."""
    is_vector = isinstance(values, np.ndarray) and values.shape == (length,)
    if not (is_vector and values.dtype == dtype and np.isfinite(values).all()):
        raise ValueError(f"{name} must be {length} finite {np.dtype(dtype).name} numbers.")
    return values


def stored_names(name, names, length):
    """`names` of a file; raise unless they are a list of this many texts."""
    is_list = isinstance(names, list) and len(names) == length
    if not (is_list and all(isinstance(text, str) for text in names)):
        raise ValueError(f"{name} must be a list of {length} names.")
    return names


def target(y, n_samples):
    """`y` as float64 (n_samples,)."""
    array = vector("y", y, n_samples, "row of X")
    square_is_normal("abs(y)", float(np.abs(array).max()), "y")
    return array


def known_part(offset, n_samples, X=None):
    """The offset of the rows of X as float64 (n_samples,), 0.0 for None.

    A Series is matched with a data frame X by its index.
    """
    if offset is None:
        return 0.0
    return vector("offset", by_index("offset", offset, X), n_samples, "row of X")


def sample_weight(weight, n_samples, X=None):
    """Weights of the rows of X as float64 (n_samples,), ones for None.

    A Series is matched with a data frame X by its index.
    """
    if weight is None:
        return np.ones(n_samples)
    weight = by_index("sample_weight", weight, X)
    checked = vector("sample_weight", weight, n_samples, "row of X")
    if (checked < 0).any() or not checked.any():
        raise ValueError("sample_weight must not be negative, and not all zero.")
    of_moderate_size("sample_weight", checked)
    return checked


def of_moderate_size(name, weight):
    """Refuse weights whose largest is far from 1: products with residuals, and their squares, would
    leave the range of float64.
    """
    top = float(weight.max())
    if not 1e-100 <= top <= 1e100:
        size = "more than 1e100" if top > 1 else "less than 1e-100"
        raise ValueError(f"the largest {name} is {top:.3g}, {size}; rescale the weights.")


def response(y, weight, n_samples):
    """`y` and its weights as float64, both (n_samples,), such that weighted squares are normal
    numbers.
    """
    y = target(y, n_samples)
    checked = sample_weight(weight, n_samples)
    if weight is not None:
        square_is_normal(
            "sqrt(sample_weight) abs(y)",
            float((np.sqrt(checked) * np.abs(y)).max()),
            "y or the weights",
        )
    return y, checked


def infimum(loss, y):
    """The lower bound of ``value(y, .)`` that `loss` declares, for each sample.

    -inf if it declares none.

    Returns
    -------
    float64 (n_samples,)

    Raises
    ------
    ValueError
        If that is neither a number below infinity nor an array of such numbers, one for each
        sample.
    """
    declared = loss.infimum
    try:
        given = np.asarray(declared(y) if callable(declared) else declared, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.array(np.nan)
    if given.shape not in ((), y.shape) or not (given < np.inf).all():
        got = (
            shown(declared)
            if not callable(declared)
            else f"{shown(given.tolist())} from infimum(y), y of shape {y.shape}"
        )
        raise ValueError(
            f"{type(loss).__name__}: infimum must be a number below infinity, or a function of y "
            "that gives one for each sample; "
            f"got {got}. Where no lower bound of value(y, .) is known, leave it out."
        )
    return np.broadcast_to(given, y.shape)


def groups(labels, n_columns):
    """Group labels as an array (n_columns,), or None."""
    if labels is None:
        return None
    labels = as_array("groups", labels)
    if labels.shape != (n_columns,):
        raise ValueError(
            f"groups must hold one label per column of X: expected shape ({n_columns},), got "
            f"{labels.shape}."
        )
    if labels.dtype.kind not in "iubU":
        raise ValueError(f"groups must hold whole numbers or strings, got dtype {labels.dtype}.")
    return labels


def flag(name, value):
    """`value`, True or False."""
    if not (isinstance(value, bool | np.bool_) or (isinstance(value, int) and value in (0, 1))):
        raise ValueError(f"{name} must be True or False, got {shown(value)}.")
    return bool(value)


def sized(name, values, length, what):
    """`values` as a contiguous float64 vector with one entry per `what`.

    It may hold NaN or infinity.
    """
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.shape != (length,):
        raise ValueError(
            f"{name} must have one entry per {what}: expected shape ({length},), got {array.shape}."
        )
    return array


def coefficients(beta, problem):
    """`beta` as a vector of coefficients of the learners.

    For an implicit dictionary of the first ones found.
    """
    if problem.countable:
        return sized("beta", beta, problem.n_learners, "learner")
    array = np.ascontiguousarray(beta, dtype=np.float64)
    if array.ndim != 1 or len(array) > problem.n_learners:
        known = f"the {problem.n_learners} learners found (run.problem holds those of a run)"
        raise ValueError(
            f"beta must have at most one entry for each of {known}, got shape {array.shape}."
        )
    return array


def countable(name, problem):
    """Return `problem`; raise for an implicit dictionary, as `name` goes through all learners."""
    if not problem.countable:
        raise ValueError(
            f"{name} needs an explicit dictionary: columns, or all stumps of a table as in "
            "cb.data.leaf_stumps(X)."
        )
    return problem


def whole(name, number, least=0, below=1 << 62):
    """`number` as an int, at least `least`.

    Below 2^62, as counts are in compiled code, unless `below` is None.
    """
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < least:
        raise ValueError(f"{name} must be a whole number >= {least}, got {shown(number)}.")
    if below is not None and number >= below:
        raise ValueError(f"{name} must be a whole number below 2^62, got {shown(number)}.")
    return int(number)


def generator(rng):
    """A NumPy Generator: from a seed, a whole number; for None with a random seed.

    A Generator is returned as it is.
    """
    return np.random.default_rng(
        rng
        if rng is None or isinstance(rng, np.random.Generator)
        else whole("rng", rng, below=None)
    )


#: Pattern for the beginning of a warning that some columns, but not all, were set aside.
SOME_CONSTANT = r"\d+ (almost )?constant column"


def report_constant(names, what="constant", hint="", every=False):
    """Warn that the columns `names` were set aside because they are `what`.

    `every`: no column is left, so models are constants.
    """
    if names:
        alone = "no column of X varies, so every model is a constant: " if every else ""
        text = (
            f"{alone}{len(names)} {what} column(s) set aside, their coefficients are 0: "
            f"{listed(names)}{hint}."
        )
        warn(text, ConstantColumnWarning)


#: Check columns with this many entries; or this many columns if these have more entries, up to this
#: many entries.
ENTRIES = 1 << 20
FEW = 256
MOST = 1 << 26
#: Check also this many learners with the largest correlations with random vectors: if norms differ,
#: long columns are among them.
TOPS = 16


def squares(columns, weight):
    """Sums of ``weight * column^2``, (k,), of the columns (n_samples, k)."""
    return np.einsum("ij,ij,i->j", columns, columns, weight)


def check_norms(square, index, weight):
    """Refuse learners `index` (k,) whose squared norms `square` in the metric of the weights are
    not 1.
    """
    off = ~(np.abs(square - 1) <= 2 * NEAR)
    if off.any():
        i = int(np.argmax(off))
        norm = float(np.sqrt(square[i]))
        plain = (weight == 1).all()
        what = "sum_i B_ij^2 = 1" if plain else "sum_i w_i B_ij^2 = 1, w the sample_weight"
        cure = (
            f"divide the column, and its correlations, by {norm:.12g}"
            if 0 < norm < np.inf
            else "leave such learners out"
        )
        raise ValueError(
            f"learners must have unit norm ({what}); learner {index[i]} has norm "
            f"{norm:.12g}: {cure}."
        )


def checked_columns(dictionary, index, weight):
    """The learners `index` as a dense (n_samples, len(index)) matrix.

    Raise unless all columns are finite, of unit norm.
    """
    columns = dictionary.gather(index)
    _check_array("gather", columns, (dictionary.n_samples, len(index)))
    check_norms(squares(columns, weight), index, weight)
    return columns


def check_dictionary(dictionary, weight):
    """Check a dictionary: norms of its columns, shapes, and every method against ``column``.

    All columns are checked if that costs little, else evenly spaced ones and those that correlate
    most with random vectors. *Cost*: two scans, and ``ENTRIES`` entries or ``FEW`` columns of up to
    ``MOST``, at least ``TOPS`` columns; memory for ``ENTRIES``.

    Raises
    ------
    ValueError
        With the learner, what was found and what to do.
    """
    m = dictionary.n_samples
    n = dictionary.n_learners
    dictionary = Compiled(dictionary) if is_piece(dictionary) and m * n > ENTRIES else dictionary
    vectors = np.sqrt(weight) * np.random.default_rng(0).standard_normal((2, m))
    scans = [_check_array("scan", dictionary.scan(v.copy()), (n,)) for v in vectors]
    spaced = np.unique(
        np.linspace(0, n - 1, min(n, max(TOPS, min(FEW, MOST // m), ENTRIES // m))).astype(np.int64)
    )
    tops = np.concatenate([np.argsort(-np.abs(corr))[:TOPS] for corr in scans])
    _check_norms_of(dictionary, spaced, weight)
    index = np.unique(np.concatenate([spaced[:: max(1, len(spaced) // TOPS)], tops]))
    for strip in _strips(index, m):
        columns = checked_columns(dictionary, strip, weight)
        for j, column in zip(strip.tolist(), columns.T, strict=True):
            own = _check_array("column", dictionary.column(j), (m,))
            _agree("gather", "column", j, column, own, np.abs(own).max())
        for v, corr in zip(vectors, scans, strict=True):
            size = float(
                np.linalg.norm(np.divide(v, np.sqrt(weight), out=np.zeros(m), where=weight > 0))
            )
            for found, verb in (
                (corr[strip], "scan"),
                (dictionary.correlations(v.copy(), strip), "correlations"),
            ):
                _check_array(verb, found, strip.shape)
                for j, entry, expected in zip(strip.tolist(), found, v @ columns, strict=True):
                    _agree(verb, "column", j, entry, expected, size)
    _check_changes(dictionary, strip, columns, vectors[0])


def _strips(index, n_samples):
    """Split the learners `index` into parts of up to ``ENTRIES`` entries, of at least one
    learner.
    """
    step = max(1, ENTRIES // n_samples)
    return [index[start : start + step] for start in range(0, len(index), step)]


def _check_norms_of(dictionary, spaced, weight):
    """Check the norms of all stored rows, or of the learners `few` if none are stored."""
    rows = dictionary.rows
    if rows is not None:
        _check_array("rows", rows, (dictionary.n_learners, dictionary.n_samples))
        check_norms(np.einsum("ij,ij,j->i", rows, rows, weight), range(len(rows)), weight)
        return
    for strip in _strips(spaced, dictionary.n_samples):
        checked_columns(dictionary, strip, weight)


def _check_changes(dictionary, index, columns, v):
    """Check the methods ``dot``, ``add`` and ``combine``, for the last learner of `index`."""
    j = int(index[-1])
    column = columns[:, -1]
    _agree("dot", "column", j, dictionary.dot(j, v.copy()), column @ v, np.abs(column) @ np.abs(v))
    total = v.copy()
    dictionary.add(j, 2.0, total)
    _agree("add", "column", j, total, v + 2.0 * column, np.abs(v).max() + np.abs(column).max())
    beta = np.zeros(dictionary.n_learners)
    beta[j] = 2.0
    _agree("combine", "column", j, dictionary.combine(beta), 2.0 * column, np.abs(column).max())


def _agree(verb, other, j, found, expected, size):
    """Raise unless the method `verb` gives the `expected` numbers for learner j.

    `size` is the scale of rounding.
    """
    found = np.ravel(found)
    expected = np.ravel(expected)
    if found.shape != expected.shape or not (np.abs(found - expected) <= NEAR * size).all():
        i = int(np.argmax(np.abs(found - expected))) if found.shape == expected.shape else 0
        sign = (
            ", the opposite sign"
            if np.abs(found + expected).max(initial=0.0) <= NEAR * size
            else ""
        )
        raise ValueError(
            f"the methods {verb} and {other} of the dictionary do not agree for learner {j}: "
            f"{verb} gives {found[i]:.9g} where "
            f"{other} gives {expected[i]:.9g}{sign}; both must stand for the same B_j."
        )


def _check_array(verb, values, shape):
    """Return `values`; raise unless they are finite numbers in an array of this shape."""
    if getattr(values, "shape", None) != shape or not np.isfinite(values).all():
        raise ValueError(
            f"the method {verb} of the dictionary must return finite numbers of shape {shape}, got "
            f"{_told(values)}."
        )
    return values


def _told(values):
    shape = getattr(values, "shape", None)
    return (
        type(values).__name__
        if shape is None
        else f"shape {shape}"
        + (" with NaN or infinity" if np.asarray(values).dtype.kind == "f" else "")
    )
