"""Bins of a table whose rows lie in parts: the same as those of the table in one place.

Values at the places where a column is cut are found by counting: a number is a key of 32 or 64 bits
in the same order, and the keys below some prefixes are counted, a few bits more on each trip. No
value travels but the cuts.
"""

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from coordboost._numba.sums import BLOCK
from coordboost.data.binning import (
    CategoryLevels,
    make_binning,
    middles,
    n_pages_of,
    quantile_cuts,
    too_many_values,
    warn_of_shared_bins,
)
from coordboost.data.columnwise import (
    MISSING,
    ColumnsElsewhere,
    RawColumns,
    as_level,
    is_numeral,
    labelled,
)
from coordboost.data.row_parts import RowParts
from coordboost.learners.parts.cluster import ClusterParts, running_client
from coordboost.learners.stores.daskarray import is_lazy
from coordboost.learners.trees.bank_on_parts import BinsOnParts

#: Bits of the keys that the first trip counts, and each later one.
FIRST_BITS, MORE_BITS = 12, 4
#: Bytes of the sorted keys that a part holds at a time.
SORTED = 1 << 26


def left_in_place(X):
    """Return `X`, or a ``TableOnParts`` if it is a Dask collection and a cluster is in use."""
    client = running_client() if is_lazy(X) else None
    if client is None:
        return X
    held = client.persist(X)  # until the partitions are futures of their own
    table = RowParts(held)
    lengths = [int(length) for length in table.lengths]
    return TableOnParts(ClusterParts.of(client, list(table.parts), lengths))


def loaded(part):
    """Yield the pieces of the table of a part, each in memory, (piece, its first row)."""
    row = 0
    for rows, start, stop in part.table:
        yield rows.iloc[start:stop] if hasattr(rows, "iloc") else rows[start:stop], row
        row += stop - start


class Description(NamedTuple):
    """What a part says about its columns.

    kinds : for each column "category", "text", "empty" (no value), or "other"
    single : whether all numbers are float32
    """

    n_columns: int
    names: list | None
    named: bool
    kinds: list
    single: bool


def describe(part):
    """Return the ``Description`` of each piece of a part, a list."""
    found = []
    for rows, _ in loaded(part):
        table = RawColumns(rows)
        kinds = ["other"] * table.shape[1]
        if table.frame:
            kinds = [kind_of(table.raw(j)) for j in range(table.shape[1])]
        numbers = [kind == "other" for kind in kinds]
        types = [table.raw(j).dtype for j in np.flatnonzero(numbers)] if table.frame else []
        single = all(kind == np.float32 for kind in (types or [table.X.dtype]))
        found.append(Description(table.shape[1], table.names, table.named, kinds, single))
    return found


def kind_of(column):
    """Return the kind of a column of a frame, see ``Description``."""
    if hasattr(column, "cat"):
        return "category"
    if column.dtype.kind != "O":
        return "other"
    values = column.dropna()
    if not len(values):
        return "empty"
    words = all(isinstance(value, str) for value in values)
    return "text" if words and not any(map(is_numeral, set(values))) else "other"


def count_levels(part, j):
    """Return the levels of column j of each piece of a part, a list.

    Each is (labels, rows of each, first row of each, whether values are missing, of_objects); for
    the dtype ``category`` the labels are all categories, in their order.
    """
    found = []
    for rows, begin in loaded(part):
        column = RawColumns(rows).raw(j)
        labels, number, of_objects = labelled(column)
        n_rows = np.bincount(number[number != MISSING], minlength=len(labels)).tolist()
        seen, first = np.unique(number, return_index=True)
        own = begin + first[seen != MISSING]
        first_row = (part.blocks[own // BLOCK] * BLOCK + own % BLOCK).tolist()
        if hasattr(column, "cat"):
            counts = dict(zip(labels, n_rows, strict=True))
            levels = (as_level(value) for value in column.cat.categories.tolist())
            labels = list(dict.fromkeys(level for level in levels if level is not None))
            n_rows = [counts.get(label, 0) for label in labels]
            first_row = [0] * len(labels)
        found.append((labels, n_rows, first_row, bool((number == MISSING).any()), of_objects))
    return found


def keys_of(values):
    """Return unsigned integers in the order of floats, the same for 0.0 and -0.0."""
    kind = np.dtype(f"u{values.dtype.itemsize}")
    bits = (values + values.dtype.type(0)).view(kind)
    top = kind.type(1 << (8 * kind.itemsize - 1))
    return np.where(bits & top, ~bits, bits | top)


def values_of(keys, single):
    """Return the floats of keys, float64."""
    kind = np.dtype(np.uint32 if single else np.uint64)
    keys = keys.astype(kind)
    top = kind.type(1 << (8 * kind.itemsize - 1))
    bits = np.where(keys & top, keys ^ top, ~keys)
    return bits.view(f"f{kind.itemsize}").astype(np.float64)


def sort_columns(part, columns, names, single):
    """Sort the keys of some columns of a part; missing values are left out."""
    strips = [[] for _ in columns]
    for rows, _ in loaded(part):
        for strip, values in zip(strips, RawColumns(rows).numbers(columns, names), strict=True):
            strip.append(keys_of(values[values == values].astype(f"f{4 if single else 8}")))
    part.sorted = [np.sort(np.concatenate(strip)) for strip in strips]


def count_keys(part, prefixes, shift, n_bits, kind):
    """Count the keys of each column that begin with a prefix and the next `n_bits` bits.

    prefixes : for each column the prefixes, each followed by `n_bits` bits and `shift` others
    """
    counts = []
    for keys, asked in zip(part.sorted, prefixes, strict=True):
        first = (asked[:, None] << np.uint64(n_bits)) + np.arange(1 << n_bits, dtype=np.uint64)
        first <<= np.uint64(shift)
        last = first + np.uint64((1 << shift) - 1)
        stop = np.searchsorted(keys, last.astype(keys.dtype), side="right")
        counts.append((stop - np.searchsorted(keys, first.astype(keys.dtype))).ravel())
    return np.concatenate(counts).astype(kind), None


def write_codes(part, binning):
    """Write the codes of the rows of a part; its table is not needed any more."""
    part.codes = np.empty((binning.n_features, part.n_rows), dtype=np.uint8)
    for rows, begin in loaded(part):
        binned = binning.bin(rows)
        part.codes[:, begin : begin + binned.n_samples] = binned.codes
        part.bins = tuple(binned[1:])
    part.table = part.sorted = None


class TableOnParts(ColumnsElsewhere):
    """A table whose rows lie in `parts`, for ``bin_columns``.

    shape, names, named : as in ``RawColumns``
    """

    def __init__(self, parts):
        self.parts = parts
        found = [piece for pieces in parts.each(describe) for piece in pieces]
        self.kinds = [set(kinds) for kinds in zip(*(piece.kinds for piece in found), strict=True)]
        first = found[0]
        if any(piece.names != first.names for piece in found):
            raise ValueError("X must have the same columns in all its partitions.")
        self.names = first.names
        self.named = first.named
        self.single = all(piece.single for piece in found)
        self.shape = parts.n_samples, first.n_columns

    def categories(self):
        """Indices of the columns of the dtype ``category``, and of those of text."""
        return [
            j
            for j, kinds in enumerate(self.kinds)
            if kinds in ({"category"}, {"text"}, {"text", "empty"})
        ]

    def levels(self, j):
        """Return the ``CategoryLevels`` of column j."""
        pieces = [piece for found in self.parts.each(count_levels, int(j)) for piece in found]
        rows = {}
        first = {}
        for labels, n_rows, first_row, _, _ in pieces:
            for label, count, row in zip(labels, n_rows, first_row, strict=True):
                rows[label] = rows.get(label, 0) + count
                first[label] = min(first.get(label, row), row)
        labels = [label for label in sorted(rows, key=first.get) if rows[label]]
        if self.kinds[j] != {"category"}:
            with suppress(TypeError):  # labels of several types stay in order of appearance
                labels = sorted(labels)
        missing = any(piece[3] for piece in pieces)
        of_objects = any(piece[4] for piece in pieces)
        counts = np.array([rows[label] for label in labels], dtype=np.int64)
        return CategoryLevels(labels, None, of_objects, counts, missing)

    def thresholds(self, columns, names, most, exact):
        """Return what ``thresholds_of`` does for some columns, a list."""
        found = []
        largest = max(map(len, self.parts.blocks)) * BLOCK
        together = max(1, SORTED // (largest * (4 if self.single else 8)))
        for begin in range(0, len(columns), together):
            strip = columns[begin : begin + together]
            named = [names[j] for j in strip]
            self.parts.log.clear()  # a part that is made again needs the present columns only
            self.parts.run(sort_columns, strip, named, self.single, keep=True)
            found += self._cut(named, most, exact)
        return found

    def bins(self, most, exact, names, named, coded, kinds, min_samples):
        found = {j: self.levels(j) for j in sorted(kinds)}
        n_pages = [n_pages_of(found.get(j), min_samples) for j in range(len(names))]
        numeric = [j for j in range(len(names)) if j not in found]
        cuts = dict(zip(numeric, self.thresholds(numeric, names, most, exact), strict=True))
        pages = [
            found[j].pages(n_pages[j])[0] if j in found else [(cuts[j][0], None, cuts[j][1], False)]
            for j in range(len(names))
        ]
        column = np.repeat(np.arange(len(names)), n_pages)
        binning = make_binning(most, names, named, coded, column, pages)
        warn_of_shared_bins(binning, found, self.shape[0], min_samples or 1)
        return self.in_bins(binning), binning

    def in_bins(self, binning):
        self.parts.log.clear()
        self.parts.run(write_codes, binning, keep=True)
        none = np.zeros((binning.n_features, 0), dtype=np.uint8)
        return BinsOnParts.of(self.parts, binning.binned(none))

    def rows(self, index):
        """Return a table of the rows `index`, which increase."""
        return TableOnParts(self.parts.rows(index))

    def _cut(self, names, most, exact):
        """Return the thresholds of the columns whose keys are sorted."""
        wanted = [np.zeros(0, dtype=np.int64) for _ in names]
        searches = [None] * len(names)
        cuts = [None] * len(names)
        self.n_present = [0] * len(names)
        runs = self._runs(wanted, most)
        n_present = self.n_present
        for c, (found, _, complete) in enumerate(runs):
            if complete:
                cuts[c] = found[:-1, 1]
            elif exact:
                raise too_many_values(names[c], most, f"more than {most}")
            else:
                searches[c] = quantile_cuts(n_present[c], most)
                wanted[c] = next(searches[c])
        while any(cut is None for cut in cuts):
            runs = self._runs(wanted)
            for c in [c for c, cut in enumerate(cuts) if cut is None]:
                try:
                    wanted[c] = searches[c].send(holders(runs[c][0], wanted[c]))
                except StopIteration as end:
                    cuts[c] = end.value
                    wanted[c] = np.zeros(0, dtype=np.int64)
        ends = [np.union1d(cut - 1, cut) for cut in cuts]
        thresholds = []
        for cut, (found, values, _), n in zip(cuts, self._runs(ends), n_present, strict=True):
            at = np.searchsorted(found[:, 1], np.stack([cut - 1, cut]), side="right")
            low, high = values[at] if len(cut) else np.zeros((2, 0))
            thresholds.append((middles(low, high), n < self.shape[0]))
        return thresholds

    def _runs(self, wanted, most=0):
        """Return the runs of equal values that hold the wanted places, for each column.

        They are int64 (k, 2), where they start and stop among the sorted values; with them come the
        values, and whether these are all values, which is tried up to `most` of them.
        """
        top = 32 if self.single else 64
        kind = np.int32 if self.shape[0] < 1 << 31 else np.int64
        followed = [(np.zeros(1, np.uint64), np.zeros(1, np.int64)) for _ in wanted]
        complete = [most > 0] * len(wanted)
        shift = top
        while shift:
            n_bits = FIRST_BITS if shift == top else MORE_BITS
            shift -= n_bits
            prefixes = [prefix for prefix, _ in followed]
            counts, _ = self.parts.run(count_keys, prefixes, shift, n_bits, kind)
            ends = np.cumsum([len(prefix) << n_bits for prefix in prefixes])[:-1]
            for c, own in enumerate(np.split(counts.astype(np.int64), ends)):
                prefix, below = followed[c]
                if shift == top - FIRST_BITS:
                    self.n_present[c] = int(own.sum())
                own = own.reshape(-1, 1 << n_bits)
                stop = (below[:, None] + np.cumsum(own, axis=1)).ravel()
                held = np.flatnonzero(own)
                complete[c] &= len(held) <= most
                if not complete[c]:
                    held = held[np.unique(np.searchsorted(stop[held], wanted[c], side="right"))]
                longer = (prefix[held >> n_bits] << np.uint64(n_bits)) | np.uint64(
                    held & ((1 << n_bits) - 1)
                )
                followed[c] = longer, stop[held] - own.ravel()[held]
                if not shift:
                    wanted_runs = np.stack([followed[c][1], stop[held]], axis=1)
                    followed[c] = wanted_runs, values_of(longer, self.single), complete[c]
        return followed


def holders(runs, place):
    """Return the runs that hold some places."""
    return runs[np.searchsorted(runs[:, 1], place, side="right")]
