"""One finished tree: its nodes, the leaves of samples, and its text."""

from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled
from coordboost.learners.trees.stored import fill_leaves


class Split(NamedTuple):
    """The condition of a node: samples that satisfy it go left.

    name : str, the feature threshold : float, values up to it go left; categories : tuple, the
    categories that go left. One of the two is None missing : bool, whether missing values go left
    """

    name: str
    threshold: float | None
    categories: tuple | None
    missing: bool

    @property
    def condition(self):
        """The condition on the feature in words.

        For categorical features "missing" is one of the categories.
        """
        return (
            f"<= {self.threshold:.6g}"
            if self.categories is None
            else f"in {{{', '.join(self.categories)}}}"
        )

    def __str__(self):
        return f"{self.name} {self.condition}" + (
            " or missing" if self.missing and self.categories is None else ""
        )


class Tree(NamedTuple):
    """A tree of m nodes.

    A node precedes its children, the right child follows the left one directly.

    feature     | 2  0 -1 -1 -1|    the feature that splits a node, -1 for a leaf
    left        | 1  3  0  1  2|    the left child, or the number of a leaf
    goes_left   one bit for each node and code, packed: (m, 32) bytes

    feature, left : int32 (m,); goes_left : uint8 (m, 32); values : float64 (n_leaves,), the values
    of the leaves gain : float64 (m,), of the split of a node, 0 for a leaf; n_samples : int64 (m,),
    number of training samples in a node bin : int64 (m,), the last bin that goes left; for
    categories, how many bins go left missing_left : int64 (m,), 1 if missing values of new rows go
    left
    """

    feature: np.ndarray
    left: np.ndarray
    goes_left: np.ndarray
    values: np.ndarray
    gain: np.ndarray
    n_samples: np.ndarray
    bin: np.ndarray
    missing_left: np.ndarray

    @classmethod
    def of(cls, trees, j, binning):
        """Return tree j of `trees`, a ``Trees``, grown on the bins of `binning`."""
        m = 2 * int(trees.n_leaves[j]) - 1
        feature = trees.feature[j, :m]
        goes_left = trees.goes_left[j, :m]
        members = np.unpackbits(goes_left, axis=1, bitorder="little")
        bin = np.zeros(m, dtype=np.int64)
        missing_left = np.zeros(m, dtype=np.int64)
        for at in np.flatnonzero(feature >= 0):
            g = feature[at]
            if binning.categorical[g]:
                bin[at] = members[at, : binning.n_bins[g]].sum()
            else:
                bin[at] = members[at, : binning.n_bins[g] - (binning.missing[g] >= 0)].sum() - 1
            missing_left[at] = members[at, binning.gap(g)]
        rest = trees.values[j, : (m + 1) // 2], trees.gain[j, :m], trees.n_samples[j, :m]
        return cls(feature, trees.left[j, :m], goes_left, *rest, bin, missing_left)

    @property
    def n_leaves(self):
        return (len(self.feature) + 1) // 2

    def apply(self, codes):
        """Return the leaf of each sample, int64 (n_samples,).

        codes : uint8 (n_features, n_samples), binned as the training samples
        """
        out = np.empty(codes.shape[1], dtype=np.int64)
        compiled(fill_leaves)(codes, self.feature, self.left, self.goes_left, out)
        return out

    def splits(self, binning):
        """Return the condition of each node, a list of m ``Split``, None for a leaf."""
        return [
            None if self.feature[at] < 0 else self._split(at, binning)
            for at in range(len(self.feature))
        ]

    def _split(self, at, binning):
        g = self.feature[at]
        threshold = None
        chosen = None
        labels = binning.labels[g]
        if labels is None:
            threshold = float(np.append(binning.thresholds(g), np.inf)[self.bin[at]])
        else:
            members = np.unpackbits(self.goes_left[at], bitorder="little")
            chosen = tuple(str(labels[code]) for code in np.flatnonzero(members[: len(labels)]))
            chosen += ("missing",) * int(self.missing_left[at])
        return Split(binning.names[g], threshold, chosen, bool(self.missing_left[at]))

    def text(self, splits):
        """Return the tree as text, one line per split and leaf."""
        return "\n".join(self._lines(0, "", splits)) + "\n"

    def _lines(self, at, indent, splits):
        if self.feature[at] < 0:
            value = self.values[self.left[at]] + 0.0  # never "-0"
            return [f"{indent}leaf {self.left[at]}: {value:.6g} ({self.n_samples[at]} samples)"]
        left, right = (
            self._lines(child, indent + "    ", splits)
            for child in (self.left[at], self.left[at] + 1)
        )
        return [f"{indent}if {splits[at]}:", *left, f"{indent}else:", *right]
