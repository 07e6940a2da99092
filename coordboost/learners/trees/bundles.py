"""Columns of codes, over which histograms are summed: exclusive 0/1 features share a column.

Features with two bins are *exclusive* if at most one of them is 1 in any row, as the columns of a
category that was encoded by zeros and ones. They share a column, whose code tells which one::

    feature 0    0 1 0 0 0 1
    feature 1    0 0 1 0 0 0        column    0 1 2 0 3 1
    feature 2    0 0 0 0 1 0

One addition a row then serves all of them. In the histogram of a node, bin 1 of feature 1 is bin 2
of the column, and bin 0 is the rest: the sums of the node minus that bin. Sums are whole numbers
(histogram.py), so these are the same bits as without sharing. Rows are moved, and leaves found, by
the codes of the features.

*Source*: exclusive feature bundling of LightGBM (Ke et al., 2017), here without conflicts.
"""

from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel

#: Codes of a column: 0, and one for each feature that shares it.
MOST_SHARING = 255
#: A feature is compared with so many of the last columns.
COMPARED = 64
#: Columns are shared if that divides their number by this: to sort the features of each tree takes
#: some microseconds.
PAYING = 2
#: Words of 64 rows that are compared first.
WORDS = 64


class Columns(NamedTuple):
    """The columns of a table in bins.

    codes : uint8 (n_columns, n_padded), padded to a multiple of eight samples
    n_codes : int64 (n_columns,)
    column : int64 (n_features,), the column of each feature
    code : int64 (n_features,), for a feature with two bins, the code of the second one in its
        column; 0 for all others, which have a column of their own with the same codes
    """

    codes: np.ndarray
    n_codes: np.ndarray
    column: np.ndarray
    code: np.ndarray

    @classmethod
    def of(cls, binned, share=True):
        """Return the columns of a ``Binned``.

        *Cost*: a pass over the features with two bins, and a copy of the columns.

        share : whether exclusive features may share a column: not where these are some of the rows
        """
        n_features, n_samples = binned.codes.shape
        groups = exclusive_groups(binned) if share else [[f] for f in features_of_two(binned)]
        n_shared = sum(len(group) - 1 for group in groups)
        if PAYING * (n_features - n_shared) > n_features:
            groups = [[f] for group in groups for f in group]
        first = np.arange(n_features)  # the first feature of the group of each feature
        code = np.zeros(n_features, dtype=np.int64)
        for group in groups:
            first[group] = group[0]
            code[group] = np.arange(1, len(group) + 1)
        alone, column = np.unique(first, return_inverse=True)
        codes = np.zeros((len(alone), -(-n_samples // 8) * 8), dtype=np.uint8)
        for c, f in enumerate(alone):
            codes[c, :n_samples] = binned.codes[f]
        n_codes = binned.n_bins[alone]
        for group in groups:
            shared = codes[column[group[0]], :n_samples]
            n_codes[column[group[0]]] = len(group) + 1
            for f in group[1:]:
                shared[binned.codes[f] == 1] = code[f]
        return cls(codes, n_codes, column, code)

    def candidates(self, features):
        """Return `features` (increasing) by column, and the columns that hold them.

        features : those of a column are neighbours, in increasing order
        columns : int64, increasing
        begin : where the features of each column begin, and the number of all
        position : for each feature, the position of its column in `columns`
        """
        if len(self.codes) == len(self.column):  # no column is shared
            numbers = np.arange(len(features) + 1)
            return features, features, numbers, numbers[:-1]
        order = np.argsort(self.column[features], kind="stable")
        features = features[order]
        column = self.column[features]
        is_first = np.ones(len(column), dtype=bool)
        is_first[1:] = column[1:] != column[:-1]
        begin = np.empty(np.count_nonzero(is_first) + 1, dtype=np.int64)
        begin[:-1] = np.flatnonzero(is_first)
        begin[-1] = len(column)
        return features, column[is_first], begin, np.cumsum(is_first) - 1


def exclusive_groups(binned):
    """Return the groups of features with two bins that share a column, lists of increasing numbers.

    A feature joins the first group of which no feature is 1 where it is. *Cost*: one operation for
    64 rows, a feature and a group; features that differ early are told apart by the first rows.
    """
    groups = []
    taken = []  # for each group, the rows where a feature of it is 1, as bits
    for f in features_of_two(binned):
        ones = bits_of(binned.codes[f])
        for k in range(max(0, len(groups) - COMPARED), len(groups)):
            if len(groups[k]) < MOST_SHARING and are_exclusive(taken[k], ones):
                groups[k].append(int(f))
                taken[k] |= ones
                break
        else:
            groups.append([int(f)])
            taken.append(ones)
    return groups


def features_of_two(binned):
    """Return the ordered features with two bins and no missing values."""
    ordered = (binned.categorical == 0) & (binned.missing < 0)
    return np.flatnonzero(ordered & (binned.n_bins == 2))


def bits_of(code):
    """Return the codes 0 and 1 of all samples as bits of uint64."""
    packed = np.packbits(code)
    words = np.zeros(-(-len(packed) // 8), dtype=np.uint64)
    words.view(np.uint8)[: len(packed)] = packed
    return words


def are_exclusive(taken, ones):
    """Return whether no bit is set in both."""
    return not ((taken[:WORDS] & ones[:WORDS]).any() or (taken & ones).any())


@kernel
def histogram_of(table, candidates, memory, node, place, pair):
    """Return the sums and counts of the bins of the feature at `place` in a node.

    Those of a feature with two bins are written into `pair`.
    """
    state = memory.states[0]
    sums = memory.histograms[0, node.slot, candidates.position[place]]
    counts = memory.histograms[-1, node.slot, candidates.position[place]]  # as sums unless wide
    code = table.code[candidates.features[place]]
    if code == 0:
        return sums, counts
    bits = state.bits
    whole = node.total if state.wide else (node.total << bits) + node.count
    pair[0, 0] = whole - sums[code]
    pair[0, 1] = sums[code]
    pair[1, 0] = (node.mass << bits) + node.count - counts[code]
    pair[1, 1] = counts[code]
    return pair[0], pair[state.wide]
