"""A finished tree: its nodes as arrays, the leaf of any sample, its text."""

from typing import NamedTuple

import numpy as np

from coordboost._generic import compiled
from coordboost.dictionaries.trees.workspace import CODES


class Tree(NamedTuple):
    """A tree of m nodes, a node before its children, the right child just after the left one.

    feature     | 2  0 -1 -1 -1|    the feature that a node is split by, -1 for a leaf
    left        | 1  3  0  0  0|    the left child
    leaf        |-1 -1  0  1  2|    the number of a leaf
    goes_left   one bit for each node and code, packed: (m, 32) bytes

    feature, left, leaf : int64 (m,);  goes_left : uint8 (m, 32)
    bin : int64 (m,), the last bin that goes left; for categories, how many of them go left
    missing_left : int64 (m,), 1 if missing values go left
    n_samples : int64 (m,), samples of the fit in a node;  gain : float64 (m,), of its split;  value : float64 (m,), as if it were a leaf
    """

    feature: np.ndarray
    left: np.ndarray
    leaf: np.ndarray
    goes_left: np.ndarray
    bin: np.ndarray
    missing_left: np.ndarray
    n_samples: np.ndarray
    gain: np.ndarray
    value: np.ndarray

    @classmethod
    def of(cls, space):
        """The tree that `grow` left in a workspace, as copies."""
        nodes = space.nodes[: space.count.nodes]
        kept = {name: nodes[name].copy() for name in ("feature", "left", "leaf", "bin", "missing_left", "gain", "value")}
        return cls(
            n_samples=nodes["stop"] - nodes["start"],
            goes_left=np.packbits(space.goes_left[: len(nodes)], axis=1, bitorder="little"),
            **{name: np.where(nodes["feature"] < 0, 0, part) if name in WITHIN else part for name, part in kept.items()},
        )

    @property
    def n_leaves(self):
        return (len(self.feature) + 1) // 2

    @property
    def values(self):
        """The values of the leaves, (n_leaves,)."""
        return self.value[self.leaf >= 0]

    def apply(self, codes):
        """The leaf of each sample, int64 (n_samples,).

        codes : uint8 (n_features, n_samples), binned as the samples of the fit
        """
        out = np.empty(codes.shape[1], dtype=np.int64)
        compiled(descend, ())(self.feature, self.left, self.leaf, self.goes_left, codes, out)
        return out

    def text(self, names, cuts, labels=None):
        """The tree as text, a line for each split and leaf.

        names : what features are called;  cuts : function of a feature, its thresholds, or None where it has categories
        labels : function of a feature and a category, what it is called; default its number
        """
        return "\n".join(self._lines(0, "", names, cuts, labels or (lambda feature, code: str(code)))) + "\n"

    def _lines(self, at, indent, names, cuts, labels):
        if self.feature[at] < 0:
            return [f"{indent}leaf {self.leaf[at]}: {self.value[at]:.6g} ({self.n_samples[at]} samples)"]
        feature = self.feature[at]
        if cuts(feature) is None:
            codes = np.flatnonzero(np.unpackbits(self.goes_left[at], count=CODES, bitorder="little"))
            rule = f"{names[feature]} in {{{', '.join(labels(feature, code) for code in codes)}}}"
        else:
            edge = cuts(feature)[self.bin[at]] if self.bin[at] < len(cuts(feature)) else np.inf
            rule = f"{names[feature]} <= {edge:.6g}" + (" or missing" if self.missing_left[at] else "")
        left = self._lines(self.left[at], indent + "    ", names, cuts, labels)
        right = self._lines(self.left[at] + 1, indent + "    ", names, cuts, labels)
        return [f"{indent}if {rule}:", *left, f"{indent}else:", *right]


#: What only inner nodes have.
WITHIN = ("left", "bin", "missing_left")


def descend(feature, left, leaf, goes_left, codes, out):
    """The leaf of each sample of `codes` (n_features, n_samples) into `out`."""
    for i in range(len(out)):
        at = 0
        while feature[at] >= 0:
            code = codes[feature[at], i]
            at = left[at] + 1 - ((goes_left[at, code >> 3] >> (code & 7)) & 1)
        out[i] = leaf[at]
