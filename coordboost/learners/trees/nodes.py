"""The records of a growth: nodes, counters, and the arrays that kernels read and write.

An optional array that is None is never read: the code that uses it is not compiled.
"""

from typing import NamedTuple

import numpy as np

#: A node.
#:
#:     feature       the feature that it is split by, -1 for a leaf
#:     place         the position of that feature in the list of features that a split may use
#:     parent        its parent
#:     left          its left child; the right one is the next node
#:     leaf          the number of a leaf; leaves are numbered from 0 in the order of the nodes
#:     open          1 while it may be split: its best cut is being searched, or is known but not
#:                   made
#:     rows_moved    1 if its rows were moved to the ranges of its children; not done if neither
#:                   child is searched
#:     depth         0 for the root
#:     slot          its histograms are ``histograms[:, slot]``
#:     total         the sum of its targets, an integer (see histogram.py)
#:     mass          the sum of its weights, an integer
#:     count         its number of samples
#:     low, high     bounds of its value, from monotone splits above
#:     score         its score as a leaf (see cuts.py)
#:     gain          the score of its best cut, less penalties and `score`
#:     smoothing     what is added to l2 in its value, see cuts.py
#:     value         its value as a leaf
NODE = np.dtype(
    (
        np.record,
        [
            ("feature", "i8"),
            ("place", "i8"),
            ("parent", "i8"),
            ("left", "i8"),
            ("leaf", "i8"),
            ("open", "i8"),
            ("rows_moved", "i8"),
            ("depth", "i8"),
            ("slot", "i8"),
            ("total", "i8"),
            ("mass", "i8"),
            ("count", "i8"),
            ("low", "f8"),
            ("high", "f8"),
            ("score", "f8"),
            ("gain", "f8"),
            ("smoothing", "f8"),
            ("value", "f8"),
        ],
    )
)
#: The state of a growth: counters, and the format of the entries (see histogram.py).
#:
#:     nodes         number of nodes
#:     first         the first of the new nodes, whose best cuts are not known yet
#:     leaves        number of leaves
#:     slots         number of slots of histograms in use
#:     shares        number of shares of the rows (see grow.py)
#:     wide          1 if an entry is two numbers, 0 if it is one
#:     bits          number of bits of an entry that count samples
#:     scale         targets are multiplied by it
#:     unit          weights are whole multiples of it
STATE = np.dtype(
    (
        np.record,
        [
            ("nodes", "i8"),
            ("first", "i8"),
            ("leaves", "i8"),
            ("slots", "i8"),
            ("shares", "i8"),
            ("wide", "i8"),
            ("bits", "i8"),
            ("scale", "f8"),
            ("unit", "f8"),
        ],
    )
)


class BinnedTable(NamedTuple):
    """The features on which trees grow, and their constraints.

    codes, n_bins, missing : as in ``Binned``
    columns : uint8 (n_columns, n_padded), the codes of ``Columns`` (see bundles.py), padded to a
        multiple of eight samples
    eights : the same memory as uint64
    n_codes, code : as in ``Columns``
    categorical : as in ``Binned``; None if no feature is categorical
    monotone : as in ``Growth``; None if no feature is constrained
    sets : int64 (n_features, n_words), the sets of features that contain a feature, one bit each;
        None if any features may occur together
    """

    codes: np.ndarray
    n_bins: np.ndarray
    missing: np.ndarray
    columns: np.ndarray
    eights: np.ndarray
    n_codes: np.ndarray
    code: np.ndarray
    categorical: np.ndarray | None
    monotone: np.ndarray | None
    sets: np.ndarray | None


class Limits(NamedTuple):
    """Fields of ``Growth`` of the same names."""

    max_depth: int
    max_leaves: int
    min_samples: int
    min_weight: float
    min_gain: float
    l2: float
    damping: float
    max_delta_step: float
    min_samples_category: int
    max_split_categories: int
    category_smoothing: float


class SplitFeatures(NamedTuple):
    """The features that a split may use.

    features, columns, begin, position : as ``Columns.candidates`` returns them
    penalty : (n_features,), the additional gain required for a split by each feature
    """

    features: np.ndarray
    columns: np.ndarray
    begin: np.ndarray
    position: np.ndarray
    penalty: np.ndarray


class Targets(NamedTuple):
    """What a tree is fitted to.

    values : (n_samples,), or (n_drawn,), pseudo-residuals times the weights
    weight : as `values`, or (1,) for one common weight: weights, or second derivatives for Newton's
        leaf values; not negative
    drawn : uint32 (n_drawn,), increasing, the samples on which the tree is grown; None for all
    """

    values: np.ndarray
    weight: np.ndarray
    drawn: np.ndarray | None


class Buffers(NamedTuple):
    """Arrays that all trees reuse, with one or two numbers per sample.

    states : STATE (1,)
    nodes : NODE (2 max_leaves,)
    cuts : CUT (2 max_leaves, n_features), the best cut of a node by ``features[place]``
    open_sets : int64 (2 max_leaves, n_words), the sets that a node may still use, all bits set in
        row 0; None if any features may occur together
    histograms : int64 (1 or 2, n_slots, n_columns or a few more, maximum number of codes)
    parts : int64, as `histograms`, sums over parts of the rows, which are added to these
    sizes : (2, n_blocks), sums of the sizes of targets and weights over blocks of samples
    ranges : int64 (2 max_leaves, n_shares, 2), the rows of a node in a share begin and end there
    rows : uint32 (2, n_samples), the two buffers of rows
    fixed : int64 (1 or 2, 2, n_padded), their entries
    goes_left : uint8 (2 max_leaves, 256), 1 if the rows of a node with this code go left
    leaf : (n_samples,), the leaf of each sample
    """

    states: np.ndarray
    nodes: np.ndarray
    cuts: np.ndarray
    open_sets: np.ndarray | None
    histograms: np.ndarray
    parts: np.ndarray
    sizes: np.ndarray
    ranges: np.ndarray
    rows: np.ndarray
    fixed: np.ndarray
    goes_left: np.ndarray
    leaf: np.ndarray


class Scratch(NamedTuple):
    """Memory of one search.

    cuts : (SCRATCH_ROWS, 256), numbers for each cut of a feature
    order : int64 (256,), its categories sorted by their means
    pair : int64 (2, 2), the histogram of a feature with two bins
    """

    cuts: np.ndarray
    order: np.ndarray
    pair: np.ndarray


class Kept(NamedTuple):
    """Where a tree is stored: as a unit vector in row j of `trees`, see ``unit_values``.

    trees : ``Trees``; None if the tree is not stored
    """

    metric: np.ndarray | None
    trees: tuple | None
    j: int
