r"""Stumps: learners that split one feature in two parts, in all ways that its bins allow; a scan is one histogram a feature.

Learner j takes one value on a part of the bins of a feature, and another on the rest:

    B_j = scale_j (1 where the bin of the sample is one of first_j ... last_j, or is extra_j, else 0) - shift_j

    ordered feature, bins 0 ... b, and m for missing values        {0}  {0, 1}  ...  {0, ..., b}     missing values on the right
                                                                   {0, m}  {0, 1, m}  ...            missing values on the left
    categories                                                     {0}  {1}  ...                     one against the rest

A part that holds all samples or none is left out: the constant is the business of the intercept. So is a part that another one of the
feature equals, but for samples without weight or for its sign.

*Source*: Lu, Mazumder, *Randomized Gradient Boosting Machine*, eq. (5).
"""

from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled, verb
from coordboost.dictionaries.base import Learners
from coordboost.dictionaries.stumps.histogram import (
    PLACES,
    TOGETHER,
    add_steps,
    add_values,
    add_values_and_refresh,
    cumulated,
    four_sums,
    inside_sum,
    is_inside,
    one_sums,
    part_sum,
    values_on_bins,
)
from coordboost.dictionaries.stumps.joint import JointCounts, whole_weights
from coordboost.dictionaries.stumps.splits import check_splits, split_name, splits_of

scan_share = verb("scan_share")

#: What counting a sample into a bin costs, in multiplications of a product with a stored column.
COUNTING = 3


class _Splits(NamedTuple):
    binned: object
    feature: np.ndarray
    first: np.ndarray
    last: np.ndarray
    extra: np.ndarray
    begin: np.ndarray
    scale: np.ndarray
    shift: np.ndarray


class Splits(_Splits, Learners):
    """What both kinds of stumps are made of, and all of their verbs.

    binned : Binned;  feature, first, last, extra : int64 (n_learners,), `extra` -1 where there is none
    begin : int64 (n_features + 1,), where the learners of each feature begin;  scale, shift : (n_learners,)
    """

    proven = True

    @property
    def n_learners(self):
        return len(self.feature)

    @property
    def n_samples(self):
        return self.binned.codes.shape[1]

    @property
    def groups(self):
        """The feature of each learner, (n_learners,)."""
        return self.feature

    @property
    def shares(self):
        """How many parts a scan is made of."""
        return -(-self.binned.n_features // TOGETHER)

    @property
    def scan_cost(self):
        """Multiplications in a scan."""
        return COUNTING * self.binned.codes.size + 4 * self.n_learners

    def scan_share(self, v, k, out):
        """Fill the entries of `out` (n_learners,) that belong to the features 4 k to 4 k + 3 with their correlations."""
        codes = self.binned.codes
        sums, below = np.empty((8, PLACES), v.dtype), np.empty(PLACES + 1, v.dtype)
        top = min(4 * k + 4, codes.shape[0])
        four_sums(codes, v, 4 * k, top - 1, sums)
        for g in range(4 * k, top):
            row = sums[g - 4 * k]
            total = cumulated(row, self.binned.n_bins[g], below)
            for j in range(self.begin[g], self.begin[g + 1]):
                part = part_sum(row, below, self.first[j], self.last[j], self.extra[j])
                out[j] = self.scale[j] * part - self.shift[j] * total

    def scan(self, v):
        out = np.empty(len(self.feature), v.dtype)
        for k in range((self.binned.codes.shape[0] + 3) // 4):
            scan_share(self, v, k, out)
        return out

    def correlations(self, v, index):
        out = np.empty(len(index), v.dtype)
        sums, below = np.empty((4, PLACES), v.dtype), np.empty(PLACES + 1, v.dtype)
        counted, total = -1, 0 * v[0]
        for i in range(len(index)):
            j = index[i]
            g = self.feature[j]
            if g != counted:
                one_sums(self.binned.codes[g], v, sums)
                total, counted = cumulated(sums[0], self.binned.n_bins[g], below), g
            part = part_sum(sums[0], below, self.first[j], self.last[j], self.extra[j])
            out[i] = self.scale[j] * part - self.shift[j] * total
        return out

    def dot(self, j, v):
        part = inside_sum(self.binned.codes[self.feature[j]], v, self.first[j], self.last[j], self.extra[j])
        return self.scale[j] * part - self.shift[j] * v.sum()

    def add(self, j, a, v):
        inside, outside = a * (self.scale[j] - self.shift[j]), -a * self.shift[j]
        add_values(self.binned.codes[self.feature[j]], self.first[j], self.last[j], self.extra[j], inside, outside, v)

    def add_and_refresh(self, j, a, loss, y, weight, base, pred, resid, even):
        row, inside, outside = self.binned.codes[self.feature[j]], a * (self.scale[j] - self.shift[j]), -a * self.shift[j]
        part = self.first[j], self.last[j], self.extra[j]
        add_values_and_refresh(row, *part, inside, outside, loss, y, weight, base, pred, resid, even)

    def column(self, j):
        row, inside, outside = self.binned.codes[self.feature[j]], self.scale[j] - self.shift[j], -self.shift[j]
        out = np.empty(len(row), self.scale.dtype)
        for i in range(len(row)):
            out[i] = inside if is_inside(row[i], self.first[j], self.last[j], self.extra[j]) else outside
        return out

    def steps(self, beta):
        """The model of each feature as a function of its bin, (n_features, PLACES), and the features that have a coefficient."""
        d, kind = self.binned.n_features, np.result_type(self.scale, beta)
        values, used = np.zeros((d, PLACES), kind), np.zeros(d, dtype=bool)
        compiled(values_on_bins, (self,))(self, beta, values, used)
        return values, np.flatnonzero(used)

    def combine(self, beta):
        """B beta, (n_samples,). *Cost*: one pass over each feature that has a coefficient."""
        out = np.zeros(self.n_samples, np.result_type(self.scale, beta))
        compiled(add_steps)(self.binned.codes, *self.steps(beta), out)
        return out

    def gather(self, index):
        """The learners `index` as a dense (n_samples, len(index)) matrix."""
        rows = np.empty((len(index), self.n_samples), self.scale.dtype)
        for row, j in zip(rows, index, strict=True):
            code = np.arange(PLACES)
            inside = ((self.first[j] <= code) & (code <= self.last[j])) | (code == self.extra[j])
            np.take(
                np.where(inside, self.scale[j] - self.shift[j], -self.shift[j]), self.binned.codes[self.feature[j]], out=row
            )
        return rows.T

    def products(self, weight):
        """What gives Gram entries in the metric of `weight` from counts alone; None where weights are too far apart for that."""
        whole = whole_weights(weight)
        return None if whole is None else JointCounts(self, *whole)

    def cross(self, a, b, weight):
        """The Gram entries of the learners `a` with those of `b`, (len(a), len(b))."""
        products = self.products(weight)
        return super().cross(a, b, weight) if products is None else products.cross(a, b)

    def gram(self, weight):
        """B' diag(weight) B, (n_learners, n_learners)."""
        every = np.arange(self.n_learners)
        return self.cross(every, every, weight)

    def name(self, j):
        """What the learner is called: "x3 <= 0.25"."""
        return self.called(j, f"x{self.feature[j]}", None)

    def called(self, j, feature, labels):
        """The same where its feature has a name, and categories with labels."""
        binned, g = self.binned, self.feature[j]
        if binned.categorical[g] == 1 and labels is None:
            labels = range(binned.n_bins[g] - (binned.missing[g] >= 0))
        cuts = binned.cuts[binned.start[g] : binned.start[g + 1]]
        return split_name(feature, labels, cuts, self.first[j], self.last[j], self.extra[j])

    def check(self):
        """Refuse fields that are not those of all splits of the bins."""
        self.binned.check()
        check_splits(self)

    def at(self, binned):
        """The same learners on new rows, which are in the same bins."""
        return self._replace(binned=binned)

    def weighted(self, weight):
        """The learners of this kind that have unit norm in the metric of `weight`: another list where some samples have none."""
        return self.of(self.binned, weight)

    @classmethod
    def of(cls, binned, weight=None):
        """All splits of these bins; `weight` (n_samples,) is the metric in which they have unit norm, ones by default."""
        weight = np.ones(binned.n_samples) if weight is None else weight
        *where, inside, outside = splits_of(binned, weight)
        return cls(binned, *where, *cls.values(inside, outside))


class Stumps(Splits):
    """Stumps of two values, 1 and -1 over the root of the total weight: + where x <= cut, or where x is of a category.

    In the metric of the weights they have unit norm. The constant is not among them.
    *Source*: Lu, Mazumder, eq. (5).
    """

    __slots__ = ()

    @staticmethod
    def values(inside, outside):
        """scale and shift."""
        root = np.sqrt(inside + outside)
        return 2 / root, 1 / root


class LeafStumps(Splits):
    r"""Stumps with two leaf values, as gradient boosting fits them: the indicator of each split, centred and of unit norm.

    The best two leaf values for a residual r are its means on the two sides. Where the residual has mean 0, as it has with the squared
    loss and an intercept, these two values are a multiple of the centred indicator: so the learner with the largest correlation is the
    split with the largest gain, LS-Boost on these columns is gradient boosting with trees of depth 1, and ``theta B_j`` adds the two
    leaf values. With other losses the mean of the residual is not 0, and two free leaf values are a tree of depth 1: this dictionary then
    fits their difference only.
    """

    __slots__ = ()

    @staticmethod
    def values(inside, outside):
        """scale and shift: (1 - p) / norm on the part and -p / norm on the rest, p its share of the weight."""
        total = inside + outside
        scale = np.sqrt(total / inside / outside)
        return scale, scale * (inside / total)
