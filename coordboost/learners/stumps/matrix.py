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

from coordboost._numba import compiled, kernel, reduction, verb
from coordboost.learners.base import Learners
from coordboost.learners.stumps.counts import Counts, whole_weights
from coordboost.learners.stumps.splits import PLACES, check_splits, splits_of

scan_share = verb("scan_share")

#: Features that are counted together: they share the reads of the vector.
TOGETHER = 4
#: What counting a sample into a bin costs, in multiplications of a product with a stored column.
COUNTING = 3


@kernel
def four_sums(codes, v, first, last, sums):
    """Row q of `sums` (>= 8, PLACES): the sums of v by the bins of feature ``min(first + q, last)``, q < 4.

    Samples go in pairs to two rows of sums: where most of them lie in one bin, additions to it would wait for each other.
    """
    n, sums[:8] = len(v), 0
    w, x, y, z = codes[first], codes[min(first + 1, last)], codes[min(first + 2, last)], codes[min(first + 3, last)]
    a, b, c, d, e, f, g, h = sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]
    for i in range(0, n - 1, 2):
        one, two = v[i], v[i + 1]
        a[w[i]] += one
        b[x[i]] += one
        c[y[i]] += one
        d[z[i]] += one
        e[w[i + 1]] += two
        f[x[i + 1]] += two
        g[y[i + 1]] += two
        h[z[i + 1]] += two
    for q in range(4):
        if n % 2 == 1:
            sums[q, codes[min(first + q, last), n - 1]] += v[n - 1]
        for k in range(PLACES):
            sums[q, k] += sums[q + 4, k]


@kernel
def one_sums(row, v, sums):
    """``sums[0]``: the sums of v by the bins of one feature with the codes `row`, samples four at a time."""
    n, sums[:4] = len(v), 0
    a, b, c, d = sums[0], sums[1], sums[2], sums[3]
    for i in range(0, n - 3, 4):
        a[row[i]] += v[i]
        b[row[i + 1]] += v[i + 1]
        c[row[i + 2]] += v[i + 2]
        d[row[i + 3]] += v[i + 3]
    for i in range(n - n % 4, n):
        a[row[i]] += v[i]
    for k in range(PLACES):
        a[k] = (a[k] + b[k]) + (c[k] + d[k])


@kernel
def cumulate(sums, n_bins, below):
    """``below[b]``: the sum over the bins before b; returns that over all, and over the code `n_bins` that new rows may have."""
    below[0], n = 0, min(n_bins + 1, PLACES)
    for b in range(n):
        below[b + 1] = below[b] + sums[b]
    return below[n]


@kernel
def part_sum(sums, below, first, last, extra):
    """The sum over the bins first to last, and `extra`; only parts of one bin do not begin with the first."""
    part = below[last + 1] if first == 0 else sums[first]
    return part + sums[extra] if extra >= 0 else part


@kernel
def is_inside(code, first, last, extra):
    """Whether a bin belongs to a part: bins first to last, and `extra`."""
    return (first <= code and code <= last) or code == extra


@reduction
def inside_sum(row, v, first, last, extra):
    """The sum of v over the samples whose bin belongs to a part."""
    total = 0 * v[0]
    for i in range(len(v)):
        total += v[i] if is_inside(row[i], first, last, extra) else 0 * v[0]
    return total


@kernel
def add_values(row, first, last, extra, inside, outside, v):
    """v += `inside` where the bin belongs to a part, `outside` elsewhere."""
    for i in range(len(v)):
        v[i] += inside if is_inside(row[i], first, last, extra) else outside


def add_steps(codes, values, used, v):
    """``v += values[g, codes[g]]`` for all features g of the list `used`, four at a time."""
    for k in range(0, len(used) - len(used) % 4, 4):
        a, b, c, d = values[used[k]], values[used[k + 1]], values[used[k + 2]], values[used[k + 3]]
        w, x, y, z = codes[used[k]], codes[used[k + 1]], codes[used[k + 2]], codes[used[k + 3]]
        for i in range(len(v)):
            v[i] += (a[w[i]] + b[x[i]]) + (c[y[i]] + d[z[i]])
    for k in range(len(used) - len(used) % 4, len(used)):
        row, own = codes[used[k]], values[used[k]]
        for i in range(len(v)):
            v[i] += own[row[i]]


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
        sums, below = np.empty((8, PLACES), v.dtype), np.empty(PLACES + 1, v.dtype)
        top = min(4 * k + 4, len(self.binned.codes))
        four_sums(self.binned.codes, v, 4 * k, top - 1, sums)
        for g in range(4 * k, top):
            row = sums[g - 4 * k]
            total = cumulate(row, self.binned.n_bins[g], below)
            for j in range(self.begin[g], self.begin[g + 1]):
                part = part_sum(row, below, self.first[j], self.last[j], self.extra[j])
                out[j] = self.scale[j] * part - self.shift[j] * total

    def scan(self, v):
        out = np.empty(len(self.feature), v.dtype)
        for k in range((len(self.binned.codes) + 3) // 4):
            scan_share(self, v, k, out)
        return out

    def correlations(self, v, index):
        out, counted, total = np.empty(len(index), v.dtype), -1, 0 * v[0]
        sums, below = np.empty((4, PLACES), v.dtype), np.empty(PLACES + 1, v.dtype)
        for i in range(len(index)):
            j = index[i]
            if self.feature[j] != counted:
                counted = self.feature[j]
                one_sums(self.binned.codes[counted], v, sums)
                total = cumulate(sums[0], self.binned.n_bins[counted], below)
            part = part_sum(sums[0], below, self.first[j], self.last[j], self.extra[j])
            out[i] = self.scale[j] * part - self.shift[j] * total
        return out

    def dot(self, j, v):
        part = inside_sum(self.binned.codes[self.feature[j]], v, self.first[j], self.last[j], self.extra[j])
        return self.scale[j] * part - self.shift[j] * v.sum()

    def add(self, j, a, v):
        inside, outside = a * (self.scale[j] - self.shift[j]), -a * self.shift[j]
        add_values(self.binned.codes[self.feature[j]], self.first[j], self.last[j], self.extra[j], inside, outside, v)

    def column(self, j):
        out = np.zeros(self.binned.codes.shape[1], self.scale.dtype)
        inside, outside = self.scale[j] - self.shift[j], -self.shift[j]
        add_values(self.binned.codes[self.feature[j]], self.first[j], self.last[j], self.extra[j], inside, outside, out)
        return out

    def gather(self, index):
        """The learners `index` as a dense (n_samples, len(index)) matrix."""
        rows, code = np.empty((len(index), self.n_samples), self.scale.dtype), np.arange(PLACES)
        for row, j in zip(rows, index, strict=True):
            inside = ((self.first[j] <= code) & (code <= self.last[j])) | (code == self.extra[j])
            values = np.where(inside, self.scale[j] - self.shift[j], -self.shift[j])
            np.take(values, self.binned.codes[self.feature[j]], out=row)
        return rows.T

    def steps(self, beta):
        """The model of each feature as a function of its bin, (n_features, PLACES), and the features that have a coefficient."""
        values = np.zeros((self.binned.n_features, PLACES), np.result_type(self.scale, beta))
        for j in np.flatnonzero(beta):
            row, inside = values[self.feature[j]], beta[j] * self.scale[j]
            row -= beta[j] * self.shift[j]
            row[self.first[j] : self.last[j] + 1] += inside
            if self.extra[j] >= 0:
                row[self.extra[j]] += inside
        return values, np.unique(self.feature[beta != 0])

    def combine(self, beta):
        """B beta, (n_samples,). *Cost*: one pass over each feature that has a coefficient."""
        out = np.zeros(self.n_samples, np.result_type(self.scale, beta))
        compiled(add_steps)(self.binned.codes, *self.steps(beta), out)
        return out

    def products(self, weight):
        """What gives Gram entries in the metric of `weight` from counts alone; None where weights are too far apart for that."""
        whole = whole_weights(weight)
        return None if whole is None else Counts(self, *whole)

    def cross(self, a, b, weight):
        """The Gram entries of the learners `a` with those of `b`, (len(a), len(b))."""
        products = self.products(weight)
        return super().cross(a, b, weight) if products is None else products.cross(a, b)

    def name(self, j):
        """What the learner is called: "x3 <= 0.25"."""
        return self.called(j, f"x{self.feature[j]}", None)

    def called(self, j, feature, labels):
        """The same where its feature has a name, and categories with labels: "age <= 41.5 or missing", "town = Oslo"."""
        binned, g, first, last = self.binned, self.feature[j], self.first[j], self.last[j]
        if binned.categorical[g] == 1:
            labels = range(binned.n_bins[g] - (binned.missing[g] >= 0)) if labels is None else labels
            return f"{feature} = {labels[first]}" if first < len(labels) else f"{feature} is missing"
        cuts = binned.cuts[binned.start[g] : binned.start[g + 1]]
        if last == len(cuts):
            return f"{feature} is not missing"
        return f"{feature} <= {cuts[last]:.6g}" + (" or missing" if self.extra[j] >= 0 else "")

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
        *where, inside, outside = splits_of(binned, np.ones(binned.n_samples) if weight is None else weight)
        return cls(binned, *where, *cls._values(inside, outside))


class Stumps(Splits):
    """Stumps of two values, 1 and -1 over the root of the total weight: + where x <= cut, or where x is of a category.

    In the metric of the weights they have unit norm. The constant is not among them. ``stumps(X)`` makes them from a table.
    *Cost*: a scan is one pass over the bins. *Source*: Lu, Mazumder, eq. (5).

    Parameters
    ----------
    binned : Binned
        The features in bins.
    feature : ndarray of int64, (n_learners,)
        The feature of each learner, not decreasing.
    first, last : ndarray of int64, (n_learners,)
        The bins of the part, from the first one to the last one.
    extra : ndarray of int64, (n_learners,)
        Another bin of the part, that of missing values; -1 where there is none.
    begin : ndarray of int64, (n_features + 1,)
        Where the learners of each feature begin.
    scale, shift : ndarray, (n_learners,)
        A learner is ``scale - shift`` on its part, and ``-shift`` on the rest.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem(cb.data.stumps([[1.0], [2], [3], [4]]), [1.0, 1, 5, 5])
    >>> problem.feature_names[1], problem.dictionary.column(1)
    ('x0 <= 2.5', array([ 0.5,  0.5, -0.5, -0.5]))
    """

    __slots__ = ()

    @staticmethod
    def _values(inside, outside):
        """scale and shift."""
        root = np.sqrt(inside + outside)
        return 2 / root, 1 / root


class LeafStumps(Splits):
    r"""Stumps with two leaf values, as gradient boosting fits them: the indicator of each split, centred and of unit norm.

    The best two leaf values for a residual r are its means on the two sides. Where the residual has mean 0, as it has with the squared
    loss and an intercept, these two values are a multiple of the centred indicator: so the learner with the largest correlation is the
    split with the largest gain, LS-Boost on these columns is gradient boosting with trees of depth 1, and ``theta B_j`` adds the two
    leaf values. With other losses the mean of the residual is not 0, and two free leaf values are a tree of depth 1: this dictionary then
    fits their difference only. ``leaf_stumps(X)`` makes them from a table. *Cost*: a scan is one pass over the bins.

    Parameters
    ----------
    binned : Binned
        The features in bins.
    feature : ndarray of int64, (n_learners,)
        The feature of each learner, not decreasing.
    first, last : ndarray of int64, (n_learners,)
        The bins of the part, from the first one to the last one.
    extra : ndarray of int64, (n_learners,)
        Another bin of the part, that of missing values; -1 where there is none.
    begin : ndarray of int64, (n_features + 1,)
        Where the learners of each feature begin.
    scale, shift : ndarray, (n_learners,)
        A learner is ``scale - shift`` on its part, and ``-shift`` on the rest.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem(cb.data.leaf_stumps([[1.0], [2], [3], [4]]), [1.0, 1, 5, 5])
    >>> problem.feature_names[0], problem.dictionary.column(0).round(3)
    ('x0 <= 1.5', array([ 0.866, -0.289, -0.289, -0.289]))
    """

    __slots__ = ()

    @staticmethod
    def _values(inside, outside):
        """scale and shift: (1 - p) / norm on the part and -p / norm on the rest, p its share of the weight."""
        total = inside + outside
        scale = np.sqrt(total / inside / outside)
        return scale, scale * (inside / total)
