"""From raw columns to bins, and back to thresholds and categories."""

import copy
import os
import stat
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled
from coordboost._numba.threads import in_blocks
from coordboost._utils.checks import items_of, shown
from coordboost._utils.warned import warn
from coordboost.data import validation
from coordboost.data.columnwise import (
    MISSING,
    UNKNOWN,
    ColumnsElsewhere,
    labelled,
    placed,
    raw_columns,
    refuse_numbers,
)
from coordboost.data.frames import indices_of, names_of
from coordboost.learners.binned import PADDED, Binned, CutTable, find_bins, search_columns

#: Rows of an array whose numbers are put into bins together.
ROWS = 1 << 10
#: Rows of a column that are looked at first, for the case that it has two values only.
FEW = 64
#: Last label of a feature with more categories than bins: it stands for all rare categories, and
#: for those that the fit has not seen.
OTHERS = "other levels"
#: Most pages of a column of categories, see ``Binning``.
MOST_PAGES = 16
#: What a run file holds of a ``Binning`` besides the bins, in the order of its constructor.
SAVED = ("max_bins", "names", "named", "labels", "coded", "of_objects", "column")


class Binning:
    """The bins of a fit: they put new rows into the same bins.

    A feature is a column of the table, or a *page* of one with many categories: the bins of 254 of
    them, and one for all others, which have bins of their own on other pages.

    max_bins : most bins of a numeric feature, missing values aside
    names : names of the features; pages of one column have one name
    named : whether they were given, not generated
    labels : for each feature the list of its categories, None for a numeric one
    coded : for each feature whether it was a column of the dtype ``category``, or of text
    of_objects : for each feature whether its labels are the text of other objects, such as dates
    column : int64 (n_features,), the column of each feature, increasing
    begin : int64 (n_columns + 1,), where the features of each column begin
    n_bins, missing, categorical, cuts, start : as in ``Binned``
    """

    def __init__(
        self,
        max_bins,
        names,
        named,
        labels,
        coded,
        of_objects,
        column,
        n_bins,
        missing,
        categorical,
        cuts,
        start,
    ):
        self.max_bins = max_bins
        self.names = names
        self.named = named
        self.labels = labels
        self.coded, self.of_objects = coded, of_objects
        self.column = np.asarray(column, dtype=np.int64)
        self.begin = np.searchsorted(self.column, np.arange(self.column[-1] + 2))
        self.n_bins = n_bins
        self.missing = missing
        self.categorical = categorical
        self.cuts = cuts
        self.start = start
        self.edges = None  # all thresholds are in use
        self._tables = {}  # a ``CutTable`` for each type of values

    @property
    def n_features(self):
        return len(self.n_bins)

    @cached_property
    def _numeric(self):
        """The numeric columns, increasing."""
        return np.flatnonzero(self.categorical[self.begin[:-1]] == 0)

    @property
    def n_columns(self):
        return len(self.begin) - 1

    @cached_property
    def column_names(self):
        """The names of the columns."""
        return [self.names[g] for g in self.begin[:-1]]

    def pages_of(self, j):
        """Return the features of column j."""
        return range(self.begin[j], self.begin[j + 1])

    def features_of(self, columns):
        """Return the features of some columns; these themselves, if no column has pages."""
        if self.n_columns == self.n_features:
            return columns
        return np.flatnonzero(np.isin(self.column, columns))

    def __repr__(self):
        return f"<Binning of {self.n_features} features, up to {int(self.n_bins.max())} bins>"

    def thresholds(self, g):
        """The thresholds of feature g, increasing."""
        return self.cuts[self.start[g] : self.start[g + 1]]

    def has_others(self, g):
        """Return whether the last label of feature g stands for all categories without a bin."""
        labels = self.labels[g] or ()
        n_pages = len(self.pages_of(self.column[g]))
        return n_pages > 1 or (len(labels) == PADDED and labels[-1] == OTHERS)

    def unseen(self, g):
        """Code of a category of feature g that the fit did not see.

        It is that of rare categories, else of missing values, else an unused one.
        """
        return (
            len(self.labels[g]) - 1
            if self.has_others(g)
            else self.missing[g]
            if self.missing[g] >= 0
            else self.n_bins[g]
        )

    def gap(self, g):
        """Code of a missing value of feature g in new rows.

        A missing category, if the fit had none, is one that the fit has not seen.
        """
        return self.missing[g] if self.missing[g] >= 0 else self.unseen(g)

    def bin(self, X):
        """Put the rows of X into the bins of the fit, a ``Binned``.

        Columns of a data frame are matched by name.

        If feature g had no missing value in the fit, a missing value gets the code ``n_bins[g]``:
        above every threshold, in no category. A category that the fit has not seen gets the code of
        rare categories; if there are none, that of missing values. A missing category, if the fit
        had none, is one that the fit has not seen.

        Raises
        ------
        ValueError
            If the columns are not those of the fit; if a column holds numbers where that of the fit
            had text.
        """
        table = raw_columns(X)
        moved = indices_of(self.column_names, table.names if table.named else None, self.named)
        if table.shape[1] != self.n_columns:
            raise ValueError(
                f"X must have {self.n_columns} columns as in the fit, got {table.shape[1]}."
            )
        if isinstance(table, ColumnsElsewhere):
            return table.in_bins(self)
        codes = np.empty((self.n_features, table.shape[0]), dtype=np.uint8)
        numeric = self._numeric
        all_numeric = len(numeric) == self.n_columns
        if table.is_matrix and all_numeric and moved is None:
            self._fill_matrix(table, slice(None), numeric, codes)
            return self.binned(codes)
        index = np.arange(self.n_columns) if moved is None else np.asarray(moved)
        if table.is_matrix and len(numeric):
            self._fill_matrix(table, index[numeric], self.begin[numeric], codes)
            numeric = numeric[:0]
        if table.is_matrix and all_numeric:
            return self.binned(codes)

        def fill(part):
            columns = range(part.start, part.stop)
            wanted = [j for j in numeric if j in columns]
            names = [self.names[self.begin[j]] for j in wanted]
            values = table.numbers(index[wanted], names) if wanted else []
            for j, numbers in zip(wanted, values, strict=True):
                self._fill(numbers[None], self.begin[[j]], 0, codes)
            for j in columns:
                if self.categorical[self.begin[j]]:
                    self._fill_categories(labelled(table.raw(index[j])), j, codes)

        for _ in table.in_parts(fill):
            pass
        return self.binned(codes)

    def _fill_categories(self, levels, j, codes):
        """Write the codes of column j, of which ``labelled`` has returned `levels`."""
        refuse_numbers(self.column_names[j], levels, self.labels[self.begin[j]])
        for g in self.pages_of(j):
            number = placed(levels, self.labels[g])
            number[number == UNKNOWN] = self.unseen(g)
            number[number == MISSING] = self.gap(g)
            codes[g] = number

    def _fill_matrix(self, table, columns, features, codes):
        """Write the codes of numeric features, `columns` of an array, blocks of rows on threads."""

        def fill(rows):
            self._fill(table.block(rows, columns), features, rows.start, codes)

        in_blocks(fill, table.shape[0], ROWS)

    def _fill(self, values, features, begin, codes):
        """Write the codes of a block of rows, (len(features), n_rows), from row `begin` on."""
        compiled(search_columns)(values, self._table(values.dtype), features, begin, codes)

    def _table(self, dtype):
        """Return the ``CutTable`` of all features for values of a type."""
        if dtype not in self._tables:
            features = [
                (self.thresholds(g)[told], np.append(told, len(self.thresholds(g))), self.gap(g))
                for g in range(self.n_features)
                for told in [self._told(g)]
            ]
            self._tables[dtype] = CutTable.of(features, dtype)
        return self._tables[dtype]

    def _told(self, g):
        """Return the numbers of the thresholds of feature g that are in use, increasing."""
        n_cuts = len(self.thresholds(g))
        return np.arange(n_cuts) if self.edges is None else np.flatnonzero(self.edges[g, :n_cuts])

    def coarse(self, edges):
        """Return the same binning for learners that do not tell all bins apart.

        The codes of two neighbouring bins that no learner tells apart become equal: that of the
        larger one. *Cost*: fewer steps for each value.

        edges : bool (n_features, MOST_BINS - 1), whether some learner tells code b of a feature
            from code b + 1
        """
        binning = copy.copy(self)
        binning.edges, binning._tables = edges, {}
        return binning

    def __getstate__(self):
        return vars(self) | {"_tables": {}}

    def saved(self):
        """Return what a run file holds besides the bins: names, labels and what they stand for."""
        return {key: getattr(self, key) for key in SAVED} | {"column": self.column.tolist()}

    @classmethod
    def restored(cls, saved, binned):
        """Rebuild the binning of a dictionary over `binned` from what ``saved`` returned.

        Raises
        ------
        ValueError
            If `saved` does not fit the bins.
        """

        def is_list(key, kinds):
            values = saved[key]
            fits = isinstance(values, list) and len(values) == binned.n_features
            return fits and all(isinstance(value, kinds) for value in values)

        sound = (
            isinstance(saved, dict)
            and set(saved) == set(SAVED)
            and saved["max_bins"] in range(2, PADDED + 1)
            and isinstance(saved["named"], bool)
            and is_list("names", str)
            and is_list("labels", list | None)
            and is_list("coded", bool)
            and is_list("of_objects", bool)
            and is_list("column", int)
            and saved["column"][0] == 0
            and all(step in (0, 1) for step in np.diff(saved["column"]))
        )
        n_labels = binned.n_bins - (binned.missing >= 0)
        for g, labels in enumerate(saved["labels"] if sound else ()):
            if binned.categorical[g]:
                sound = sound and labels is not None and len(labels) == n_labels[g]
                sound = sound and all(isinstance(label, str | int | float) for label in labels)
            else:
                sound = sound and labels is None
        if not sound:
            raise ValueError(
                "binning must hold the names of all features, and the labels of all categories."
            )
        return cls(*(saved[key] for key in SAVED), *binned[1:])

    def binned(self, codes):
        """Return a ``Binned`` with these codes."""
        return Binned(codes, self.n_bins, self.missing, self.categorical, self.cuts, self.start)


def middles(low, high):
    """Thresholds between neighbouring values ``low < high``.

    ``low <= cut < high`` holds also where the middle is rounded or infinite.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        middle = low.astype(np.float64) / 2 + high.astype(np.float64) / 2
    return np.where((low <= middle) & (middle < high), middle, low)


def thresholds_of(values, most, exact, name):
    """The thresholds (at most `most` - 1) of a column, and whether it has missing values.

    *Cost*: a sort; some passes over a column of two values.
    """
    two = values.min(), values.max()  # NaN if a value is missing
    has_two = are_among(values[:FEW], *two) and are_among(values, *two)
    ordered = np.array(two) if has_two else np.sort(values)  # NaN comes last
    count = len(ordered) - (int(np.isnan(ordered).sum()) if np.isnan(ordered[-1]) else 0)
    ordered, missing = ordered[:count], count < len(ordered)
    # ends of the runs of equal values, without the last run
    last = np.flatnonzero(ordered[1:] != ordered[:-1])
    if len(last) >= most:
        if exact:
            raise too_many_values(name, most, len(last) + 1)
        ends = np.concatenate([[0], last + 1, [count]])
        last = answered(quantile_cuts(count, most), runs_in(ends[:-1], ends[1:])) - 1
    return middles(ordered[last], ordered[last + 1]), missing


def are_among(values, one, other):
    """Return whether each value is one of two numbers."""
    return bool(((values == one) | (values == other)).all())


def runs_in(start, stop):
    """Return the function of places that gives the runs which hold them."""

    def holders(place):
        run = np.searchsorted(stop, place, side="right")
        return np.stack([start[run], stop[run]], axis=1)

    return holders


def answered(search, answer):
    """Return what a generator returns, if all that it yields is answered by a function."""
    asked = next(search)
    while True:
        try:
            asked = search.send(answer(asked))
        except StopIteration as end:
            return end.value


def too_many_values(name, most, n_distinct):
    """Return the error for a column of more than `most` distinct values with ``exact=True``."""
    return ValueError(
        f"exact=True needs at most {most} distinct values in a column, {name!r} has "
        f"{n_distinct}: pass exact=False, for "
        "quantiles."
    )


def quantile_cuts(n_samples, most):
    """Find where the sorted samples of a column are cut: at most `most` - 1 cuts.

    A generator. It yields places among the sorted samples, int64 (k,), and is sent the run of equal
    values that holds each of them, int64 (k, 2): where it starts and stops. It returns the cuts,
    int64: how many samples are below each.

    The cuts are the quantiles k / K of the samples. A value that holds two of them or more (the
    largest sample counts as one, too) fills a whole bin and is *heavy*. It gets a bin of its own: a
    cut on each side. Quantiles of all other samples share the other bins, so more may be heavy:

        -3 -2 -1 -1 | 0 0 0 0 0 0 0 0 0 | 1 2 5 5 | 7 8        at most 5 bins

    If there are not enough bins for the values between them, the heaviest values go first.
    """
    heavy = np.zeros((0, 2), dtype=np.int64)
    while True:
        n_quantiles = most - n_groups(heavy, n_samples) + 1
        skipped = np.append(0, np.cumsum(heavy[:, 1] - heavy[:, 0]))  # heavy samples before each
        others = n_samples - skipped[-1]
        rank = -(-np.arange(1, n_quantiles + 1) * others // n_quantiles) - 1  # among the others
        begins = heavy[:, 0] - skipped[:-1]
        holder = yield rank + skipped[np.searchsorted(begins, rank, side="right")]
        # places increase: the last one in each run, and whether it is not the only one
        is_last = np.ones(n_quantiles, dtype=bool)
        is_last[:-1] = holder[1:, 0] != holder[:-1, 0]
        is_second = is_last[1:] & ~is_last[:-1]
        wider = widened(heavy, holder[1:][is_second], n_samples, most)
        if len(wider) == len(heavy):
            cuts = np.unique(np.concatenate([holder[is_last, 1], heavy[:, 0], heavy[:, 1]]))
            return cuts[(cuts > 0) & (cuts < n_samples)]
        heavy = wider


def widened(heavy, more, n_samples, most):
    """Return the heavy runs and `more`; if there are not enough bins, only the longest of these."""
    if not len(more):
        return heavy
    wider = joined(heavy, more)
    if n_groups(wider, n_samples) > most:
        wider = heavy
        for run in more[np.argsort(more[:, 0] - more[:, 1], kind="stable")]:
            larger = joined(wider, run[None])
            if n_groups(larger, n_samples) <= most:
                wider = larger
    return wider


def joined(runs, more):
    """Return the union of two sets of runs, increasing."""
    union = np.concatenate([runs, more])
    _, first = np.unique(union[:, 0], return_index=True)
    return union[first]


def n_groups(heavy, n_samples):
    """Return the number of groups of samples: the heavy runs, and those between two of them."""
    start = np.append(heavy[:, 0], n_samples)
    return len(heavy) + int((start > np.append(0, heavy[:, 1])).sum())


def bin_columns(
    X,
    *,
    max_bins=255,
    exact=False,
    categorical=(),
    feature_names=None,
    file=None,
    min_samples_category=None,
):
    """Put the columns of X into bins.

    A numeric column has at most `max_bins` bins, and one for missing values.

    Parameters
    ----------
    X : array_like, data frame, scipy sparse matrix or ``open_columns(...)``
        (n_samples, n_features). NaN is missing. Infinities are ordinary values, the smallest and
        the largest. Columns of a data frame hold categories if they have the dtype ``category``, or
        hold text, none of which is a number.
    max_bins : int, 2 to 255
        A numeric column with at most this many distinct values gets a bin for each. Otherwise the
        thresholds are the quantiles k / max_bins: ``max_bins=100`` gives the percentiles of Lu and
        Mazumder, Section 5. A value that holds two quantiles or more, such as 0 in a column that is
        mostly 0, has a bin of its own; quantiles of the other rows share the remaining bins.
    exact : bool, default False
        Refuse columns with more than `max_bins` distinct values.
    categorical : sequence of names or column indices
        Further columns that hold categories; their labels may be anything that can be compared.
        Each category has a bin, whatever `max_bins` is. Of more than 255 categories the 254 most
        frequent have bins of their own; all others, and those that occur in new rows only, share
        one.
    feature_names : sequence of str, optional
    file : path, optional
        Write the codes to this ``.npy`` file, (n_features, n_samples), one byte for each value; it
        is memory-mapped, not read. An existing file is replaced; bins that use the old file keep
        it.
    min_samples_category : int, optional
        A column of more than 255 categories becomes several features, its *pages*, until each
        category with at least so many rows has a bin of its own. A page has bins for 254
        categories, the most frequent ones first, and one for all others. At most 16 pages are made,
        so that 4,064 categories have bins of their own. Default: one page.

    Returns
    -------
    binned : Binned
        The codes, a byte for each value.
    binning : Binning
        ``binning.bin(X_new)`` puts new rows into the same bins.

    Raises
    ------
    ValueError
        For columns that are neither numbers nor named as categories, and for too many distinct
        values.

    Warns
    -----
    UserWarning
        If categories with as many rows as `min_samples_category` share a bin on all pages.

    Notes
    -----
    A threshold is the middle between two neighbouring observed values, as in scikit-learn;
    quantiles choose which. *Cost*: a sort of each column and eight comparisons a value, columns in
    threads. Columns larger than memory get the same bins: a few columns are in memory at a time,
    see ``StoredRawColumns``.

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> binned, binning = cb.data.bin_columns(X)
    >>> binned.codes
    array([[1, 0, 2, 1],
           [0, 1, 1, 2]], dtype=uint8)
    >>> binned.cuts
    array([0.5, 1.5, 0.5, 2. ])
    """
    table = raw_columns(X)
    most = validation.whole("max_bins", max_bins, 2)
    if most > PADDED:
        raise ValueError(f"max_bins must be at most {PADDED}, got {most}: a code is one byte.")
    exact = validation.flag("exact", exact)
    names = list(names_of(table.names if feature_names is None else feature_names, table.shape[1]))
    named = table.named or feature_names is not None
    coded = set(table.categories())
    kinds = coded | indices_in("categorical", categorical, names)
    if min_samples_category is not None:
        min_samples_category = validation.whole("min_samples_category", min_samples_category, 1)
    if isinstance(table, ColumnsElsewhere):
        if file is not None:
            raise ValueError("file must be None for rows on a cluster: their codes stay there.")
        return table.bins(most, exact, names, named, coded, kinds, min_samples_category)
    found = _categories(table, kinds)
    n_pages = [n_pages_of(found.get(j), min_samples_category) for j in range(len(names))]
    column = np.repeat(np.arange(len(names)), n_pages)
    codes = _room(file, (len(column), table.shape[0]))
    begin = np.cumsum([0, *n_pages])
    pages_of = [codes[begin[j] : begin[j + 1]] for j in range(len(names))]

    def of(part):
        return table.each(
            lambda column: _of_column(*column),
            _columns(table, part, names, found, pages_of, most, exact),
        )

    binned_columns = [pages for strip in table.in_parts(of) for pages in strip]
    binning = make_binning(most, names, named, coded, column, binned_columns)
    warn_of_shared_bins(binning, found, table.shape[0], min_samples_category or 1)
    return binning.binned(codes), binning


def make_binning(most, names, named, coded, column, binned_columns):
    """Return the ``Binning`` of columns, for each of which `_of_column` has returned its pages."""
    features = [feature for pages in binned_columns for feature in pages]
    cuts, labels, missing, of_objects = zip(*features, strict=True)
    is_category = np.array([label is not None for label in labels])
    ordered = np.array(
        [
            len(cut) + 1 if label is None else len(label)
            for cut, label in zip(cuts, labels, strict=True)
        ]
    )
    has_missing = np.array(missing)
    return Binning(
        most,
        [names[j] for j in column],
        named,
        list(labels),
        [j in coded for j in column.tolist()],
        list(of_objects),
        column,
        (ordered + has_missing).astype(np.int64),
        np.where(has_missing, ordered, -1).astype(np.int64),
        is_category.astype(np.int64),
        np.concatenate(cuts),
        np.cumsum([0, *map(len, cuts)]).astype(np.int64),
    )


class CategoryLevels(NamedTuple):
    """The levels of a column of categories.

    labels, number, of_objects : as ``labelled`` returns them; `number` in few bytes, None where the
        rows lie in parts
    n_rows : int64 (n_labels,), the rows of each level
    missing : whether values are missing
    """

    labels: list
    number: np.ndarray | None
    of_objects: bool
    n_rows: np.ndarray
    missing: bool

    @classmethod
    def of(cls, column):
        """Return the levels of a column."""
        labels, number, of_objects = labelled(column)
        n_rows = np.bincount(number[number >= 0], minlength=len(labels))
        number = number.astype(np.min_scalar_type(-len(labels) - 1))
        return cls(labels, number, of_objects, n_rows, bool((number < 0).any()))

    def pages(self, n_pages):
        """Return the pages, as `_of_column` does, and the codes of the labels on each of them.

        The last code is that of missing values.
        """
        labels = self.labels
        if len(labels) <= PADDED:
            return [(np.zeros(0), labels, self.missing, self.of_objects)], [None]
        pages = []
        places = []
        for page in range(n_pages):
            own, place = _page(labels, self.n_rows, page)
            pages.append((np.zeros(0), own, self.missing, self.of_objects))
            places.append(place)
        return pages, places


def _categories(table, kinds):
    """Return the ``CategoryLevels`` of the columns of categories, a dict."""

    def find(part):
        columns = sorted(kinds & set(range(part.start, part.stop)))
        return {j: CategoryLevels.of(table.raw(j)) for j in columns}

    return {j: levels for part in table.in_parts(find) for j, levels in part.items()}


def n_pages_of(levels, min_samples):
    """Return the number of features for a column; `levels` are its levels, None for numbers."""
    if levels is None or min_samples is None or len(levels.labels) <= PADDED:
        return 1
    n_frequent = np.count_nonzero(levels.n_rows >= min_samples)
    return min(max(1, -(-n_frequent // (PADDED - 1))), MOST_PAGES)


def warn_of_shared_bins(binning, found, n_samples, min_samples):
    """Warn of the columns in which categories with enough rows have no bin of their own."""
    for j, levels in found.items():
        pages = binning.pages_of(j)
        if not binning.has_others(pages[0]):
            continue
        alone = {label for g in pages for label in binning.labels[g][:-1]}
        rows = zip(levels.labels, levels.n_rows.tolist(), strict=True)
        shared = [n_rows for label, n_rows in rows if label not in alone]
        if max(shared, default=0) >= min_samples:
            n_kept = len(pages) * (PADDED - 1) + (len(pages) == 1)
            warn(
                f"column {binning.names[pages[0]]!r} has more than {n_kept:,} categories: the rare "
                f"ones, {100 * sum(shared) / n_samples:.2g} % of the rows, share one bin; "
                "scikit-learn's TargetEncoder keeps all categories."
            )


def _room(file, shape):
    """An uninitialised array for the codes, in memory or in a file."""
    if file is None:
        return np.empty(shape, dtype=np.uint8)
    if not isinstance(file, str | os.PathLike):
        raise ValueError(f"file must be a path, got {shown(file)}.")
    path = Path(file)
    try:
        before = path.stat() if path.exists() else None
        if before is not None and not path.is_file():
            raise ValueError(
                f"file must be the path of a file, which is replaced if it exists, got {file}: no "
                "regular file."
            )
        path.unlink(missing_ok=True)  # bins that are in use keep the file that was there
        codes = np.lib.format.open_memmap(file, "w+", np.uint8, shape)
        if before is not None:
            path.chmod(stat.S_IMODE(before.st_mode))
        return np.asarray(codes)
    except OSError as error:
        raise ValueError(f"file: {file} cannot be written ({type(error).__name__}).") from None


def _columns(table, part, names, found, pages_of, most, exact):
    """Yield the arguments of `_of_column` for each column of a slice."""
    numeric = [j for j in range(part.start, part.stop) if j not in found]
    values = (
        dict(zip(numeric, table.numbers(numeric, [names[j] for j in numeric]), strict=True))
        if numeric
        else {}
    )
    for j in range(part.start, part.stop):
        yield values.get(j), found.get(j), names[j], pages_of[j], most, exact


def _of_column(values, levels, name, out, most, exact):
    """Write the codes of one column to `out`, (n_pages, n_samples).

    Return for each page its thresholds, its labels (None for numbers), whether values are missing,
    and whether labels are the text of objects.

    levels : the ``CategoryLevels``, None for numbers
    """
    if levels is None:
        cuts, missing = thresholds_of(values, most, exact, name)
        find_bins(values, cuts, len(cuts) + 1, out[0])
        return [(cuts, None, missing, False)]
    number = levels.number
    pages, places = levels.pages(len(out))
    for codes, place in zip(out, places, strict=True):
        own = np.where(number < 0, len(levels.labels), number)
        codes[:] = own if place is None else place[number]
    return pages


def _page(labels, n_rows, page):
    """Return the labels of a page, in order, the last one for all others.

    And the code of each of `labels`, the last one that of missing values. The most frequent labels
    are on the first page.
    """
    begin = page * (PADDED - 1)
    own = np.sort(np.argsort(-n_rows, kind="stable")[begin : begin + PADDED - 1])
    place = np.full(len(labels) + 1, len(own))
    place[own], place[-1] = np.arange(len(own)), len(own) + 1
    return [labels[i] for i in own] + [OTHERS], place


def indices_in(what, given, names):
    """Indices of columns that are given by name or index; error messages call them `what`."""
    indices = set()
    given = items_of(what, given, "a sequence of names or column indices")
    place = {}
    if any(isinstance(label, str) for label in given):
        place = {name: j for j, name in reversed(list(enumerate(names)))}  # the first of equal ones
    for label in given:
        index = place.get(label, label) if isinstance(label, str) else label
        if (
            isinstance(index, bool | str)
            or not isinstance(index, int | np.integer)
            or not 0 <= index < len(names)
        ):
            raise ValueError(f"{what} names {shown(label)}, which is not a column of X.")
        indices.add(int(index))
    return indices
