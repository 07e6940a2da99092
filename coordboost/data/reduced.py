r"""A table of Dask as a short table in memory, for the squared loss of a linear model.

Such a loss depends on the rows only through their weighted sums of products z z' with
z = (x, y, 1). One pass over the parts gives these sums, and a short table has the same. With R'R
the centred sums, its rows are the means plus each row of R, and the means minus each row of R. One
row of R is 0 but for y: no rounding of the columns reaches that part of y. Problems, paths,
certificates and standardisation of the short table are those of all rows, up to rounding. For
cross-validation each fold is made short, and the short tables follow each other: a fold of short
rows stands for the fold of rows.

*Numerics*: entries are shifted before they are multiplied. If a mean turns out to be farther from
the shift than a standard deviation, a second pass is made. Entries of the Gram matrix of unit
columns are rounded by about :math:`u \sqrt n`, as in ``coordboost.lasso.square``; with what the
short table adds to that, this is its `error`, which certificates take into account.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coordboost._numba.threads import on_one_thread
from coordboost.data import validation
from coordboost.data.frames import Names, listed, refuse_words
from coordboost.data.row_parts import RowParts, numbers_in, numbers_of
from coordboost.data.tall import LARGEST_SQUARE, MOST_COLUMNS, SAMPLED, SPREAD
from coordboost.learners.moments import second_moments, square_root
from coordboost.learners.stores.daskarray import computed

#: Squared distances from the span of other columns below this many roundings of an entry are lost.
LOST = 8
EPS = float(np.finfo(float).eps)


class Reduced(NamedTuple):
    """A short table with the moments of a long one.

    X, y, weight : (n, n_columns), (n,) and (n,)
    names : of the columns, or None
    n_rows : number of rows behind it with a weight above 0
    n_lost : number of columns that depend on others up to rounding, and are taken to depend on them
    error : bound of the error of a centred sum of products, over the norms of both columns (or y)
    folds : pairs of short rows to fit and short rows held out, or None
    passes : over the long table
    """

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    names: Sequence | None
    n_rows: int
    n_lost: int
    error: float
    folds: list | None
    passes: float

    @property
    def shape(self):
        """(n, n_columns), of the short table."""
        return self.X.shape


def fits_reduced(X):
    """Whether the moments of the columns of X, a table of Dask, pay: more rows than columns, and
    few of these.

    Of a data frame the number of rows is not known, and taken to be large.
    """
    n_columns = X.shape[1] if len(X.shape) == 2 else math.inf
    n_samples = math.inf if hasattr(X, "columns") else X.shape[0]
    return n_columns <= MOST_COLUMNS and not n_samples <= n_columns


@on_one_thread
def short_table_of(X, y, sample_weight=None, offset=None, *, cv=None, seed=0):
    """The ``Reduced`` table of a table of Dask.

    Parameters
    ----------
    X : dask.array.Array or dask.dataframe.DataFrame, (n_samples, n_columns)
    y, sample_weight, offset : (n_samples,)
        Of Dask or in memory. The offset is subtracted from y.
    cv : int or pairs of arrays of rows, optional
        Folds: their number, then rows are assigned at random in each chunk, stratified on y there;
        or pairs of rows to fit and rows held out, where each row is held out once.
    seed : int
        Of that assignment.

    Raises
    ------
    ValueError
        For input that is not finite, and for columns whose moments are not accurate.
    """
    table = RowParts(X)
    if table.names is not None:
        refuse_words(X._meta)
    vectors = table.vectors(y=y, sample_weight=sample_weight, offset=offset)
    sums = RowSums(table, vectors, cv, seed)
    mean, varied = sums.centred()
    shift = sums.shift
    shorts = [short_table(fold, shift, mean, varied, sums.n_rows) for fold in sums.by_fold]
    rows, y, weight = map(np.concatenate, zip(*shorts, strict=True))
    # a short table has two rows for each direction, and two more
    n_lost = max(np.count_nonzero(varied) + 1 - len(short[1]) // 2 for short in shorts)
    error = rounding_of(sums.n_rows) + change_of(rows, y, weight, sums.moments, varied)
    folds = None
    if cv is not None:
        label = np.repeat(np.arange(len(shorts)), [len(short[1]) for short in shorts])
        folds = [
            (np.flatnonzero(label != k), np.flatnonzero(label == k)) for k in range(len(shorts))
        ]
    return Reduced(
        rows, y, weight, table.names, sums.n_rows, int(n_lost), error, folds, sums.passes
    )


class RowSums:
    """Sums of products over the rows of a table in parts, for each fold.

    shift : (n_columns + 1,), subtracted from the columns and from y
    by_fold : (n_folds, n_columns + 2, n_columns + 2)
    moments : (n_columns + 1, n_columns + 1), of all folds, centred
    n_rows : number of rows with a weight above 0
    passes : over the table
    """

    def __init__(self, table, vectors, cv, seed):
        n_columns = table.n_columns
        self.names = table.names or Names("x{}".format, range(n_columns))
        self.table = table
        self.vectors = dict(vectors)
        self.options = {"n_folds": 1 if cv is None else self._cut(cv), "seed": seed}
        self.shift, self.passes = self._first_shift()

    def _first_shift(self):
        """The means of the first rows, and the share of the parts that were read for them."""
        known = {name: self.vectors[name] for name in ("y", "offset") if name in self.vectors}
        heads = self.table.each(part_head, known)
        for k, head in enumerate(heads, 1):
            (mean,) = computed([head])
            if mean is not None:
                return mean, k / len(heads)
        raise ValueError("X must have at least one row.")

    def _cut(self, cv):
        """Return the number of folds, and add a vector with the fold of each row if it is given."""
        if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
            return validation.whole("cv", cv, 2, 1 << 15)
        n_samples = sum(self.table.lengths)
        try:
            pairs = [tuple(map(np.asarray, pair)) for pair in cv]
            label = np.full(n_samples, -1, dtype=np.int16)
            for k, (_, held) in enumerate(pairs):
                label[held] = k
            n_held = sum(len(held) for _, held in pairs)
            n_fit = sum(len(fit) for fit, _ in pairs)
            whole = (label >= 0).all() and n_held == n_samples == n_fit // (len(pairs) - 1)
        except (TypeError, ValueError, IndexError, ZeroDivisionError):
            whole = False
        if not whole:
            raise ValueError(
                "cv must be a whole number >= 2 for a table of Dask, or pairs of arrays of row "
                "indices that hold out each row once and fit all others."
            )
        self.vectors["fold"] = self.table.cut(label)
        return len(pairs)

    def read(self):
        """One pass: fill `by_fold` and `n_rows`, and return the sum over the folds."""
        self.by_fold, self.n_rows = self.table.total(
            part_sums, joined_sums, self.vectors, shift=self.shift, **self.options
        )
        self.passes += 1
        sums = self.by_fold.sum(axis=0)
        self._refuse(sums.diagonal())
        return sums

    def _refuse(self, diagonal):
        """Refuse weights, columns and targets for which the sums are not finite."""
        if not 0 < diagonal[-1] < math.inf:
            raise ValueError("sample_weight must be finite, not negative, and not all zero.")
        good = np.isfinite(diagonal)
        if not good[:-2].all():
            name = self.names[int(np.argmin(good[:-2]))]
            raise ValueError(
                f"X holds NaN, infinity or numbers above 1e150 in the column {name!r}; impute or "
                "drop those rows first."
            )
        if not good.all():
            raise ValueError(
                "y, or the offset, holds NaN, infinity or numbers above 1e150; drop those rows "
                "first."
            )

    def centred(self):
        """The means of the columns and of y, and which of the columns vary, after one pass or two.

        Raise a ValueError for columns that may vary only by rounding.
        """
        for _ in range(2):
            sums = self.read()
            total = sums[-1, -1]
            change = sums[:-1, -1] / total
            mean = self.shift + change
            self.moments = sums[:-1, :-1] - total * change * change[:, None]
            square = self.moments.diagonal()[:-1]
            varied = (square > 1 / LARGEST_SQUARE) & (square < LARGEST_SQUARE)
            varied &= square > total * (SPREAD * mean[:-1]) ** 2
            if (total * change[:-1] ** 2 <= square)[varied].all():
                break
            self.shift = mean
        unsure = np.flatnonzero(~varied)
        unsure = unsure[self._differ(unsure)]
        if len(unsure):
            raise ValueError(
                f"the columns {listed([self.names[j] for j in unsure])} of X, a table of Dask, "
                "vary by less than 1e-6 of their mean, or are too large or small to be squared: "
                "subtract their means first, or rescale them."
            )
        return mean, varied

    def _differ(self, index):
        """Which of some columns have two values in rows with a weight above 0.

        *Cost*: a pass, if there are any.
        """
        if not len(index):
            return np.zeros(0, dtype=bool)
        weight = {name: self.vectors[name] for name in self.vectors if name == "sample_weight"}
        low, high = self.table.total(part_range, extremes, weight, index=index)
        self.passes += 1
        return low < high


def part_head(part, vectors, number):
    """The means of the columns and of the target in the first rows of a part; None of no rows."""
    rows = numbers_of(part[:SAMPLED])
    if not len(rows):
        return None
    return np.append(rows.mean(axis=0), target_in(vectors, len(part))[:SAMPLED].mean())


def target_in(vectors, n_rows):
    """The target in a part, less the offset."""
    target = numbers_in("y", vectors["y"], n_rows)
    offset = vectors.get("offset")
    return target if offset is None else target - numbers_in("offset", offset, n_rows)


def part_sums(part, vectors, number, *, shift, n_folds, seed):
    """The sums of products over the rows of a part, for each fold, and the number that count.

    Weights that are negative or not finite make the sums NaN.
    """
    rows = numbers_of(part)
    n = len(rows)
    target = target_in(vectors, n)
    weight = numbers_in("sample_weight", vectors.get("sample_weight", np.ones(n)), n)
    if not ((weight >= 0) & (weight < np.inf)).all():
        weight = np.full(n, np.nan)
    fold = vectors.get("fold")
    if n_folds > 1 and fold is None:
        fold = stratified(target, n_folds, [seed, number])
    sums = np.zeros((n_folds, len(shift) + 1, len(shift) + 1))
    for k in range(n_folds):
        of_fold = slice(None) if fold is None else np.flatnonzero(fold == k)
        sums[k] = second_moments(
            rows[of_fold],
            np.ascontiguousarray(target[of_fold]),
            np.ascontiguousarray(weight[of_fold]),
            shift,
        )
    return sums, int(np.count_nonzero(weight))


def stratified(target, n_folds, seed):
    """The fold of each row: of every `n_folds` rows in the order of the target, each gets one."""
    rng = np.random.default_rng(seed)
    mixed = rng.permutation(len(target))
    order = mixed[np.argsort(target[mixed], kind="stable")]
    turns = np.tile(np.arange(n_folds), (-(-len(target) // n_folds), 1))
    fold = np.empty(len(target), dtype=np.int16)
    fold[order] = rng.permuted(turns, axis=1).ravel()[: len(target)]
    return fold


def joined_sums(a, b):
    """The sums of two parts of the rows together."""
    return a[0] + b[0], a[1] + b[1]


def part_range(part, vectors, number, *, index):
    """The smallest and the largest entry of some columns in the rows of a part that count."""
    rows = numbers_of(part)[:, index]
    if "sample_weight" in vectors:
        rows = rows[np.asarray(vectors["sample_weight"]) > 0]
    return rows.min(axis=0, initial=np.inf), rows.max(axis=0, initial=-np.inf)


def extremes(a, b):
    """The ranges of two parts of the rows together."""
    return np.minimum(a[0], b[0]), np.maximum(a[1], b[1])


def short_table(sums, shift, mean, varied, n_rows):
    """A table of few rows with given sums of products, its target and its weights.

    sums : of (x - shift, y - shift, 1), (n_columns + 2, n_columns + 2)
    mean : of all rows, taken by columns that are not `varied`
    n_rows : number of rows behind the sums
    """
    total = sums[-1, -1]
    if total == 0:
        raise ValueError("a fold holds out no row with a weight above 0: take other folds (cv).")
    change = np.append(np.where(varied, sums[:-2, -1] / total, 0.0), sums[-2, -1] / total)
    centred = sums[:-1, :-1] - total * change * change[:, None]
    centre = np.where(np.append(varied, True), shift + change, mean)
    gram = np.where(np.outer(varied, varied), centred[:-1, :-1], 0.0)
    with_target = np.where(varied, centred[:-1, -1], 0.0)
    np.fill_diagonal(gram, np.maximum(gram.diagonal(), 0.0))
    root, _, projected = square_root(gram, with_target, LOST * rounding_of(n_rows))
    left = math.sqrt(max(centred[-1, -1] - projected @ projected, 0.0))
    if centred[-1, -1] <= total * (16 * EPS * centre[-1]) ** 2:  # y does not vary
        projected[:] = left = 0.0
    half = np.column_stack([root.T, np.append(projected, left)])
    n = 2 * len(half)
    weight = total / n
    half /= math.sqrt(2 * weight)
    # equal columns have equal sums, and stay equal
    _, first, place = np.unique(sums, axis=1, return_index=True, return_inverse=True)
    half = half[:, first[place.ravel()[:-1]]]
    half[:, :-1][:, ~varied] = 0.0
    short = centre + np.concatenate([half, -half])
    return np.asfortranarray(short[:, :-1]), short[:, -1].copy(), np.full(n, weight)


def rounding_of(n_rows):
    """The rounding of an inner product of two unit vectors, if signs are random."""
    return EPS / 2 * math.sqrt(n_rows)


def change_of(X, y, weight, moments, varied):
    """The largest difference between the centred moments of a short table and given ones, over the
    norms of both columns, or of y.

    moments : (n_columns + 1, n_columns + 1)
    varied : the columns that are looked at
    """
    columns = np.column_stack([X[:, varied], y])
    columns -= weight @ columns / weight.sum()
    used = np.append(varied, True)
    given = moments[np.ix_(used, used)]
    norm = np.sqrt(np.maximum(given.diagonal(), 0.0))
    norm[norm == 0] = 1.0
    made = (weight * columns.T) @ columns
    return float((np.abs(made - given) / norm / norm[:, None]).max())
