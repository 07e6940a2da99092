"""Check a user's dictionary: columns must have unit norm, and methods must agree with each other.

Lookahead and all certificates rely on unit norms.
"""

import numpy as np

from coordboost._numba import is_piece
from coordboost._utils.checks import NEAR
from coordboost.learners.scan import Compiled

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


def gathered(dictionary, index, weight):
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
    few = np.unique(
        np.linspace(0, n - 1, min(n, max(TOPS, min(FEW, MOST // m), ENTRIES // m))).astype(np.int64)
    )
    tops = np.concatenate([np.argsort(-np.abs(corr))[:TOPS] for corr in scans])
    _check_norms_of(dictionary, few, weight)
    index = np.unique(np.concatenate([few[:: max(1, len(few) // TOPS)], tops]))
    for some in _strips(index, m):
        columns = gathered(dictionary, some, weight)
        for j, column in zip(some.tolist(), columns.T, strict=True):
            own = _check_array("column", dictionary.column(j), (m,))
            _agree("gather", "column", j, column, own, np.abs(own).max())
        for v, corr in zip(vectors, scans, strict=True):
            size = float(
                np.linalg.norm(np.divide(v, np.sqrt(weight), out=np.zeros(m), where=weight > 0))
            )
            for found, verb in (
                (corr[some], "scan"),
                (dictionary.correlations(v.copy(), some), "correlations"),
            ):
                _check_array(verb, found, some.shape)
                for j, one, other in zip(some.tolist(), found, v @ columns, strict=True):
                    _agree(verb, "column", j, one, other, size)
    _check_changes(dictionary, some, columns, vectors[0])


def _strips(index, n_samples):
    """Split the learners `index` into parts of up to ``ENTRIES`` entries, of at least one
    learner.
    """
    step = max(1, ENTRIES // n_samples)
    return [index[first : first + step] for first in range(0, len(index), step)]


def _check_norms_of(dictionary, few, weight):
    """Check the norms of all stored rows, or of the learners `few` if none are stored."""
    rows = dictionary.rows
    if rows is not None:
        _check_array("rows", rows, (dictionary.n_learners, dictionary.n_samples))
        check_norms(np.einsum("ij,ij,j->i", rows, rows, weight), range(len(rows)), weight)
        return
    for some in _strips(few, dictionary.n_samples):
        gathered(dictionary, some, weight)


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
