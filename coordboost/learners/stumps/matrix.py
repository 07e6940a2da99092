r"""Stumps: learners that split one feature in two parts, in all ways that its bins allow.

A scan is one histogram per feature.

Learner j takes one value on a part of the bins of a feature, and another on the rest:

    B_j = scale_j (1 if the bin of the sample is one of first_j ... last_j, or is extra_j, else 0)
          - shift_j

    ordered feature, bins 0 ... b, and m for missing values::

        {0}     {0, 1}     ...  {0, ..., b}     missing values on the right
        {0, m}  {0, 1, m}  ...                  missing values on the left

    categories::

        {0}     {1}        ...                  one against the rest

A part that holds all samples or none is left out: the intercept fits constants. Duplicates are left
out, too: parts of a feature that equal an earlier one up to the sign of the learner or up to
samples of weight 0.

*Source*: Lu, Mazumder, *Randomized Gradient Boosting Machine*, eq. (5).
"""

from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled, kernel, reduction, verb
from coordboost.learners.base import Learners
from coordboost.learners.stumps.counts import Counts, whole_weights
from coordboost.learners.stumps.splits import PLACES, check_splits, splits_of

scan_share = verb("scan_share")

#: Features whose histograms are filled together: they share the reads of the vector.
TOGETHER = 4
#: Cost of adding a sample to a bin, in multiplications of a dense product.
COUNTING = 3


@kernel
def four_sums(codes, v, first, last, sums):
    """Fill row q of `sums` with the sums of v over the bins of a feature, q < 4.

    `sums` is (>= 8, PLACES); the feature is ``min(first + q, last)``.

    Even and odd samples have separate sums: if most samples lie in one bin, each addition to it
    would wait for the one before.
    """
    n, sums[:8] = len(v), 0
    w = codes[first]
    x = codes[min(first + 1, last)]
    y = codes[min(first + 2, last)]
    z = codes[min(first + 3, last)]
    a = sums[0]
    b = sums[1]
    c = sums[2]
    d = sums[3]
    e = sums[4]
    f = sums[5]
    g = sums[6]
    h = sums[7]
    for i in range(0, n - 1, 2):
        even = v[i]
        odd = v[i + 1]
        a[w[i]] += even
        b[x[i]] += even
        c[y[i]] += even
        d[z[i]] += even
        e[w[i + 1]] += odd
        f[x[i + 1]] += odd
        g[y[i + 1]] += odd
        h[z[i + 1]] += odd
    for q in range(4):
        if n % 2 == 1:
            sums[q, codes[min(first + q, last), n - 1]] += v[n - 1]
        for k in range(PLACES):
            sums[q, k] += sums[q + 4, k]


@kernel
def one_sums(row, v, sums):
    """Fill ``sums[0]`` with the sums of v over the bins of one feature.

    It has the codes `row`; four samples are taken at a time.
    """
    n, sums[:4] = len(v), 0
    a = sums[0]
    b = sums[1]
    c = sums[2]
    d = sums[3]
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
    """Fill ``below[b]`` with the sum over the bins before b.

    Return the total, the code `n_bins` of unseen values included.
    """
    below[0], n = 0, min(n_bins + 1, PLACES)
    for b in range(n):
        below[b + 1] = below[b] + sums[b]
    return below[n]


@kernel
def part_sum(sums, below, first, last, extra):
    """Return the sum over the bins first to last, and `extra`.

    A part that does not begin with bin 0 is a single bin.
    """
    total = below[last + 1] if first == 0 else sums[first]
    return total + sums[extra] if extra >= 0 else total


@kernel
def is_inside(code, first, last, extra):
    """Return whether a bin belongs to a part: bins first to last, and `extra`."""
    return (first <= code and code <= last) or code == extra


@reduction
def inside_sum(row, v, first, last, extra):
    """Return the sum of v over the samples whose bin belongs to a part."""
    total = 0 * v[0]
    for i in range(len(v)):
        total += v[i] if is_inside(row[i], first, last, extra) else 0 * v[0]
    return total


@kernel
def add_values(row, first, last, extra, inside, outside, v):
    """Add `inside` to v where the bin belongs to a part, `outside` elsewhere."""
    for i in range(len(v)):
        v[i] += inside if is_inside(row[i], first, last, extra) else outside


def add_steps(codes, values, used, v):
    """Do ``v += values[g, codes[g]]`` for all features g of the list `used`, four at a time."""
    for k in range(0, len(used) - len(used) % 4, 4):
        a = values[used[k]]
        b = values[used[k + 1]]
        c = values[used[k + 2]]
        d = values[used[k + 3]]
        w = codes[used[k]]
        x = codes[used[k + 1]]
        y = codes[used[k + 2]]
        z = codes[used[k + 3]]
        for i in range(len(v)):
            v[i] += (a[w[i]] + b[x[i]]) + (c[y[i]] + d[z[i]])
    for k in range(len(used) - len(used) % 4, len(used)):
        row = codes[used[k]]
        own = values[used[k]]
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
    """Fields and methods that both kinds of stumps share.

    binned : Binned
    feature, first, last, extra : int64 (n_learners,), `extra` is -1 if there is none
    begin : int64 (n_features + 1,), where the learners of each feature begin
    scale, shift : (n_learners,)
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
        """Number of parts of a scan."""
        return -(-self.binned.n_features // TOGETHER)

    @property
    def scan_cost(self):
        """Number of multiplications that cost as much as a scan."""
        return COUNTING * self.binned.codes.size + 4 * self.n_learners

    def scan_share(self, v, k, out):
        """Write the correlations of the learners on features 4 k to 4 k + 3.

        They go into `out` (n_learners,).
        """
        sums = np.empty((8, PLACES), v.dtype)
        below = np.empty(PLACES + 1, v.dtype)
        top = min(4 * k + 4, len(self.binned.codes))
        four_sums(self.binned.codes, v, 4 * k, top - 1, sums)
        for g in range(4 * k, top):
            row = sums[g - 4 * k]
            total = cumulate(row, self.binned.n_bins[g], below)
            for j in range(self.begin[g], self.begin[g + 1]):
                inside = part_sum(row, below, self.first[j], self.last[j], self.extra[j])
                out[j] = self.scale[j] * inside - self.shift[j] * total

    def scan(self, v):
        corr = np.empty(len(self.feature), v.dtype)
        for k in range((len(self.binned.codes) + 3) // 4):
            scan_share(self, v, k, corr)
        return corr

    def correlations(self, v, index):
        corr = np.empty(len(index), v.dtype)
        counted = -1
        total = 0 * v[0]
        sums = np.empty((4, PLACES), v.dtype)
        below = np.empty(PLACES + 1, v.dtype)
        for i in range(len(index)):
            j = index[i]
            if self.feature[j] != counted:
                counted = self.feature[j]
                one_sums(self.binned.codes[counted], v, sums)
                total = cumulate(sums[0], self.binned.n_bins[counted], below)
            inside = part_sum(sums[0], below, self.first[j], self.last[j], self.extra[j])
            corr[i] = self.scale[j] * inside - self.shift[j] * total
        return corr

    def dot(self, j, v):
        inside = inside_sum(
            self.binned.codes[self.feature[j]], v, self.first[j], self.last[j], self.extra[j]
        )
        return self.scale[j] * inside - self.shift[j] * v.sum()

    def add(self, j, a, v):
        inside = a * (self.scale[j] - self.shift[j])
        outside = -a * self.shift[j]
        add_values(
            self.binned.codes[self.feature[j]],
            self.first[j],
            self.last[j],
            self.extra[j],
            inside,
            outside,
            v,
        )

    def column(self, j):
        values = np.zeros(self.binned.codes.shape[1], self.scale.dtype)
        inside = self.scale[j] - self.shift[j]
        outside = -self.shift[j]
        add_values(
            self.binned.codes[self.feature[j]],
            self.first[j],
            self.last[j],
            self.extra[j],
            inside,
            outside,
            values,
        )
        return values

    def gather(self, index):
        """Return the learners `index` as a dense (n_samples, len(index)) matrix."""
        rows = np.empty((len(index), self.n_samples), self.scale.dtype)
        code = np.arange(PLACES)
        for row, j in zip(rows, index, strict=True):
            inside = ((self.first[j] <= code) & (code <= self.last[j])) | (code == self.extra[j])
            values = np.where(inside, self.scale[j] - self.shift[j], -self.shift[j])
            np.take(values, self.binned.codes[self.feature[j]], out=row)
        return rows.T

    def steps(self, beta):
        """Return the shape function of each feature over its bins.

        It is (n_features, PLACES); with it come the features with a coefficient.
        """
        values = np.zeros((self.binned.n_features, PLACES), np.result_type(self.scale, beta))
        for j in np.flatnonzero(beta):
            row = values[self.feature[j]]
            inside = beta[j] * self.scale[j]
            row -= beta[j] * self.shift[j]
            row[self.first[j] : self.last[j] + 1] += inside
            if self.extra[j] >= 0:
                row[self.extra[j]] += inside
        return values, np.unique(self.feature[beta != 0])

    def combine(self, beta):
        """Return B beta, (n_samples,). *Cost*: one pass over each feature with a coefficient."""
        pred = np.zeros(self.n_samples, np.result_type(self.scale, beta))
        compiled(add_steps)(self.binned.codes, *self.steps(beta), pred)
        return pred

    def products(self, weight):
        """Return the ``Counts`` that compute Gram entries in the metric of `weight`.

        None if a weight is too small beside the mean.
        """
        whole = whole_weights(weight)
        return None if whole is None else Counts(self, *whole)

    def cross(self, a, b, weight):
        """Return the Gram entries of the learners `a` with those of `b`, (len(a), len(b))."""
        products = self.products(weight)
        return super().cross(a, b, weight) if products is None else products.cross(a, b)

    def name(self, j):
        """Return the name of a learner, such as "x3 <= 0.25"."""
        return self.called(j, f"x{self.feature[j]}", None)

    def called(self, j, feature, labels):
        """Return the name of a learner on a named feature with labelled categories.

        As in "age <= 41.5 or missing", "town = Oslo".
        """
        binned = self.binned
        g = self.feature[j]
        first = self.first[j]
        last = self.last[j]
        if binned.categorical[g] == 1:
            labels = (
                range(binned.n_bins[g] - (binned.missing[g] >= 0)) if labels is None else labels
            )
            return (
                f"{feature} = {labels[first]}" if first < len(labels) else f"{feature} is missing"
            )
        cuts = binned.cuts[binned.start[g] : binned.start[g + 1]]
        if last == len(cuts):
            return f"{feature} is not missing"
        return f"{feature} <= {cuts[last]:.6g}" + (" or missing" if self.extra[j] >= 0 else "")

    def check(self):
        """Raise a ValueError if the fields are not splits of the bins."""
        self.binned.check()
        check_splits(self)

    def at(self, binned):
        """Return the same learners on new rows, binned in the same way."""
        return self._replace(binned=binned)

    def weighted(self, weight):
        """Return all learners of this kind, of unit norm in the metric of `weight`.

        The list depends on which weights are 0.
        """
        return self.of(self.binned, weight)

    @classmethod
    def of(cls, binned, weight=None):
        """Return all splits of these bins, of unit norm.

        The metric is that of `weight` (n_samples,), ones by default.
        """
        *where, inside, outside = splits_of(
            binned, np.ones(binned.n_samples) if weight is None else weight
        )
        return cls(binned, *where, *cls._values(inside, outside))


class Stumps(Splits):
    """Stumps with values +1 and -1, divided by the root of the total weight.

    A stump is + where x <= cut, or in one category.

    They have unit norm in the metric of the weights. The constant is not one of them. ``stumps(X)``
    builds them from a table. *Cost*: a scan is one pass over the bins. *Source*: Lu, Mazumder, eq.
    (5).

    Parameters
    ----------
    binned : Binned
        The features in bins.
    feature : ndarray of int64, (n_learners,)
        The feature of each learner, not decreasing.
    first, last : ndarray of int64, (n_learners,)
        The bins of the part, from the first one to the last one.
    extra : ndarray of int64, (n_learners,)
        One more bin of the part, the bin of missing values; -1 if there is none.
    begin : ndarray of int64, (n_features + 1,)
        Where the learners of each feature begin.
    scale, shift : ndarray, (n_learners,)
        A learner is ``scale - shift`` on its part, and ``-shift`` elsewhere.

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
        """Return scale and shift."""
        root = np.sqrt(inside + outside)
        return 2 / root, 1 / root


class LeafStumps(Splits):
    r"""Stumps with two leaf values, as gradient boosting fits them.

    The columns are the indicators of the splits, centred and of unit norm.

    The best two leaf values for a residual r are its means on the two sides. If the residual has
    mean 0, as with the squared loss and an intercept, these two values are a multiple of the
    centred indicator. So the learner with the largest absolute correlation is the split with the
    largest gain, LS-Boost on these columns is gradient boosting with trees of depth 1, and
    ``theta B_j`` adds the two leaf values. With other losses the mean of the residual is not 0: a
    tree of depth 1 then fits both leaf values, but these learners fit their difference only.
    ``leaf_stumps(X)`` builds them from a table. *Cost*: a scan is one pass over the bins.

    Parameters
    ----------
    binned : Binned
        The features in bins.
    feature : ndarray of int64, (n_learners,)
        The feature of each learner, not decreasing.
    first, last : ndarray of int64, (n_learners,)
        The bins of the part, from the first one to the last one.
    extra : ndarray of int64, (n_learners,)
        One more bin of the part, the bin of missing values; -1 if there is none.
    begin : ndarray of int64, (n_features + 1,)
        Where the learners of each feature begin.
    scale, shift : ndarray, (n_learners,)
        A learner is ``scale - shift`` on its part, and ``-shift`` elsewhere.

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
        """Return scale and shift of the learners.

        They are (1 - p) / norm on the part, -p / norm elsewhere, p the share of the part in the
        weight.
        """
        total = inside + outside
        scale = np.sqrt(total / inside / outside)
        return scale, scale * (inside / total)
