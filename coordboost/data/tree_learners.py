"""The family of all regression trees within some limits, on the columns of a table."""

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np

from coordboost._utils.checks import items_of, shown
from coordboost.data import validation
from coordboost.data.binning import bin_columns, indices_in
from coordboost.data.bins_on_parts import left_in_place
from coordboost.data.table_family import TableFamily
from coordboost.learners.families import NONE, Families
from coordboost.learners.trees import Growth
from coordboost.learners.trees.bank import TreeBank
from coordboost.learners.trees.bank_on_parts import PartsBank
from coordboost.learners.trees.histogram import refuse_light_weights
from coordboost.learners.trees.tree import Trees

#: By default a Newton leaf needs at least this part of the sum of the second derivatives of all
#: rows at the start. A unit of the weights cancels; with 10,000 rows it is a thousandth of the mean
#: second derivative, for the logistic loss of even classes 0.00025.
LIGHTEST = 1e-7


class TreeFamily(TableFamily):
    """Trees that can be grown on a table: what a ``Problem`` takes in place of X.

    binned, binning : the table in bins, and the bins for new rows
    growth : the limits, checked
    penalty : (n_features,), extra gain required of a split by each feature
    newton : whether leaf values use second derivatives
    families : the ``Families`` that a method chooses from, or ``NONE``
    lightest : the smallest sum of second derivatives in a leaf, as a part of their sum over all
        rows at the start of a run
    """

    find = build = None  # type: ignore[assignment]  # the bank grows them
    of_rows = "growing trees"

    def __init__(self, binned, binning, growth, penalty, newton, families=NONE, lightest=0.0):
        super().__init__(binned, binning)
        self.growth = growth
        self.penalty = penalty
        self.newton = newton
        self.families, self.lightest = families, lightest

    def __repr__(self):
        growth = self.growth
        return (
            f"<trees of up to {growth.max_leaves} leaves on {self.binning.n_columns} features, "
            f"{self.n_samples} samples>"
        )

    def bank(self, weight):
        """An empty bank of these trees; they are unit vectors in the metric of `weight`."""
        refuse_light_weights(weight, self.growth.min_samples)
        return TreeBank(self, weight) if self.binned.parts is None else PartsBank(self, weight)

    def for_loss(self, loss, curvature):
        """The same trees for one problem.

        Newton leaves are damped by the self-concordance of its loss.

        curvature : the sum of the second derivatives of the weighted losses at the start
        """
        min_weight = max(self.growth.min_weight, self.lightest * curvature)
        growth = self.growth._replace(min_weight=min_weight, damping=loss.self_concordance or 0.0)
        return TreeFamily(
            self.binned, self.binning, growth, self.penalty, self.newton, self.families
        )

    def saved(self, trees, member):
        """The family and some of its trees as plain arrays."""
        plain = SavedTrees(self.binned, self.growth, self.penalty, int(self.newton), trees)
        return (
            SavedFamilies(*plain, self.families, np.ascontiguousarray(member))
            if len(self.families.bound)
            else plain
        )


class SavedTrees(NamedTuple):
    """A bank of trees as a run file holds it: the family, and the trees grown so far."""

    binned: object
    growth: Growth
    penalty: np.ndarray
    newton: int
    trees: Trees

    @property
    def n_samples(self):
        return self.binned.n_samples

    @property
    def n_learners(self):
        return len(self.trees.n_leaves)

    def check(self):
        """Refuse parts that do not fit each other.

        Kernels follow the indices of nodes without a check.

        Raises
        ------
        ValueError
            If they do not, naming the part.
        """
        self.binned.check()
        if not all(
            map(np.array_equal, self.growth, self.growth.check(self.binned))
        ) or self.newton not in (0, 1):
            raise ValueError("the limits of the trees are damaged.")
        if (
            self.penalty.shape != (self.binned.n_features,)
            or not (np.isfinite(self.penalty) & (self.penalty >= 0)).all()
        ):
            raise ValueError("penalty must be finite numbers >= 0, one for each feature.")
        self.trees.check(self.binned.n_features, self.growth.max_leaves)

    def opened(self, weight, binning):
        """Rebuild the saved bank."""
        family = TreeFamily(
            self.binned, binning, self.growth.check(self.binned), self.penalty, bool(self.newton)
        )
        return TreeBank(
            family, weight, self.trees.resized(self.n_learners, family.growth.max_leaves)
        )


class SavedFamilies(NamedTuple):
    """As ``SavedTrees``, for trees in families.

    It also has the table of the families, and the family of each tree.
    """

    binned: object
    growth: Growth
    penalty: np.ndarray
    newton: int
    trees: Trees
    families: Families
    member: np.ndarray

    @property
    def n_samples(self):
        return self.binned.n_samples

    @property
    def n_learners(self):
        return len(self.trees.n_leaves)

    def check(self):
        """As ``SavedTrees.check``; also the families of the trees must exist."""
        SavedTrees(*self[:5]).check()
        table = self.families.check()
        fits = self.growth.max_leaves == max(1, table.nodes.max()) + 1 and self.member.shape == (
            self.n_learners,
        )
        if not fits or ((self.member < -1) | (self.member >= len(table.bound))).any():
            raise ValueError("the families do not match the trees.")

    def opened(self, weight, binning):
        """Rebuild the saved bank."""
        bank = SavedTrees(*self[:5]).opened(weight, binning)
        bank.family.families = self.families.check()
        return TreeBank(bank.family, weight, bank.trees, self.member)


def trees(
    X,
    *,
    max_depth=3,
    max_leaves=None,
    min_samples=1,
    min_weight=None,
    min_gain=0.0,
    l2=0.0,
    monotone=None,
    penalty=None,
    newton=False,
    sets=None,
    subsample=1.0,
    seed=0,
    max_bins=255,
    exact=False,
    categorical=(),
    feature_names=None,
    file=None,
    max_delta_step=None,
    min_samples_category=1,
    max_split_categories=None,
    category_smoothing=0.0,
):
    """All regression trees on the columns of X: the weak learners of gradient boosting.

    ``Problem(trees(X), y)`` boosts with them.

    A step grows one tree for the pseudo-residual, greedily. The tree becomes a unit vector of B
    with a coefficient of its own. Its correlation with the residual is the norm of the fitted tree,
    so that ``ls_boost(eps)`` adds eps times the fitted tree.

    Parameters
    ----------
    X : array_like, data frame, scipy sparse matrix or Dask collection, (n_samples, n_features)
        Rows of a Dask array or data frame stay on the workers of the cluster in use, if there is
        one; else they are collected here. NaN is missing: at each split missing values go to the
        side that gives the larger gain; if the rows of the node have none, to the larger child.
        Columns of a data frame with the dtype ``category``, or of text, hold categories. Missing is
        one more category. Categories without rows in a node, and those that the fit has not seen,
        go to the larger child.
    max_depth : int or None, default 3
        Maximum depth of a tree (splits from the root to a leaf). None, or a depth above 10, needs
        `max_leaves` as well.
    max_leaves : int, optional
        Maximum number of leaves; if set, trees grow best-first (largest gain first) until it or
        `max_depth` is reached.
    min_samples, min_weight : int, float
        Minimum number of samples, and minimum sum of weights, in a leaf. With `newton` the sum is
        that of second derivatives, and its default is 1e-7 of the sum over all rows at the start of
        a run. A number that is given has the unit of the weights, as have `min_gain`, `penalty` and
        `l2`: where all weights are multiplied by 10, multiply these, too.
    min_gain : float
        A split must reduce the weighted sum of squared residuals (no factor 1/2, not the mean) by
        more than this. With `newton`, the sum of (gradient sum)^2 / (sum of second derivatives +
        `l2`) must rise by more than this.
    l2 : float
        Ridge penalty of leaf values: sum of residuals / (sum of weights + l2).
    monotone : array_like or dict, optional
        For each feature 1: predictions must not decrease with it; 0: no constraint; -1: must not
        increase.
    penalty : array_like, (n_features,), optional
        Added to `min_gain` for splits by this feature.
    newton : bool, default False
        Whether leaf values are Newton steps v = sum of gradients / (sum of second derivatives +
        `l2`). They are damped, to sign(v) log(1 + C abs(v)) / C with C the `self_concordance` of
        the loss, so that no leaf passes the minimum of its losses.
    sets : "pairwise", "no_interactions" or sequence of sets of features, optional
        Interaction constraints, as `interaction_cst` of scikit-learn: all features on a path from
        the root to a leaf are in one set. Features by name or column index; the features in no set
        form one more set.
    subsample : float, default 1.0
        Fraction of the rows that each tree is grown on (splits and leaf values): stochastic
        gradient boosting. The tree is added on all rows. Rows are drawn independently, by `seed`
        and the number of the tree; methods whose step is not ``FittedStep`` compute the step length
        on all rows.
    seed : int, default 0
        Seed of the rows drawn.
    max_bins, exact, categorical, feature_names, file : optional
        How columns are put into bins, the names of the columns, and an ``.npy`` file for the codes
        of the bins: see ``coordboost.data.binning.bin_columns``.
    max_delta_step : float, optional
        Largest absolute value of a leaf, before the learning rate; default: no limit.
    min_samples_category : int, default 1
        A category with fewer rows in a node is not chosen in its split: it goes with those that
        are not chosen.
    max_split_categories : int or None, default None
        A split chooses at most this many categories, and at most half of them, rounded up: those
        with the lowest, or with the highest values S / (W + `l2`). The others are the other side.
        None: any number.
    category_smoothing : float, default 0.0
        In the gain and the values of both sides of a split by categories, the weight of this many
        rows is added to `l2`; the weight of a row is the mean one in the node, with `newton` the
        mean second derivative. So the rule does not depend on the unit of the weights.

    Returns
    -------
    TreeFamily
        The learners of a ``Problem``.

    Raises
    ------
    ValueError
        For limits that no tree meets, and columns that cannot be put into bins.

    Notes
    -----
    No bound is known on the correlations of trees that were not grown, so the lower end of a
    certificate is only the infimum of the loss. *Source*: Lu and Mazumder, Section 1.4; Lu,
    Karimireddy, Ponomareva, Mirrokni, Section 5. `subsample`: Friedman, *Stochastic gradient
    boosting* (2002).

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> run = cb.solve(cb.Problem(cb.data.trees(X, max_depth=2), y), cb.gbm(0.1), 100)
    >>> run.predict([[2.0, 1.0]]).round(2)
    array([4.])
    """
    binned, binning = bin_columns(
        left_in_place(X),
        max_bins=max_bins,
        exact=exact,
        categorical=categorical,
        feature_names=feature_names,
        file=file,
        min_samples_category=min_samples_category,
    )
    names = binning.column_names
    column = binning.column
    depth = -1 if max_depth is None else max_depth
    leaves = -1 if max_leaves is None else max_leaves
    newton = validation.flag("newton", newton)
    signs = per_feature("monotone", monotone, names, np.int64)
    allowed = sets_of(sets, names)
    lightest, min_weight = (LIGHTEST * newton, 0.0) if min_weight is None else (0.0, min_weight)
    more = (
        allowed[:, column] if len(allowed) else allowed,
        subsample,
        seed,
        0.0,
        math.inf if max_delta_step is None else max_delta_step,
        min_samples_category,
        -1 if max_split_categories is None else max_split_categories,
        category_smoothing,
    )
    signs = signs[column] if len(signs) else signs
    growth = Growth(depth, leaves, min_samples, min_weight, min_gain, l2, signs, *more).check(
        binned
    )
    price = prices_of(penalty, names)[column]
    return TreeFamily(binned, binning, growth, price, newton, lightest=lightest)


def sets_of(given, names):
    """The features of each set as 0/1, int64 (n_sets, n_features); of length 0 for None."""
    d = len(names)
    says = 'None, "pairwise", "no_interactions", or lists of features by name or column index'
    if given is None:
        return np.zeros((0, 0), dtype=np.int64)
    if isinstance(given, str):
        if given not in ("pairwise", "no_interactions"):
            raise ValueError(f"sets must be {says}, got {shown(given)}.")
        given = (
            combinations(range(d), 2) if given == "pairwise" and d > 1 else ([j] for j in range(d))
        )
    flags = [np.zeros(d, dtype=np.int64)]
    for features in items_of("sets", given, says):
        flags.append(np.zeros(d, dtype=np.int64))
        flags[-1][sorted(indices_in("sets", items_of("sets", features, says), names))] = 1
    flags[0][~np.any(flags, axis=0)] = 1
    return np.array(flags[0 if flags[0].any() else 1 :])


def prices_of(penalty, names):
    """Extra gain required of a split by each feature, (n_features,); 0 for None."""
    price = (
        np.zeros(len(names))
        if penalty is None
        else per_feature("penalty", penalty, names, np.float64)
    )
    if not (np.isfinite(price).all() and (price >= 0).all()):
        raise ValueError(
            f"penalty must be finite numbers >= 0, one for each feature, got {shown(penalty)}."
        )
    return price


def per_feature(name, given, names, dtype):
    """One number for each feature, from a sequence or from a dict by name; of length 0 for None."""
    if given is None:
        return np.zeros(0, dtype=dtype)
    if isinstance(given, dict):
        unknown = [key for key in given if key not in names]
        if unknown:
            raise ValueError(
                f"{name} names {shown(unknown[0])}, which is not a feature; the features are "
                f"{shown(names)}."
            )
        given = [given.get(feature, 0) for feature in names]
    values = validation.as_array(name, given)
    if (
        values.shape != (len(names),)
        or values.dtype.kind not in "iuf"
        or not np.array_equal(values, values.astype(dtype))
    ):
        entries = given if isinstance(given, list | tuple) else []
        wrong = next((value for value in entries if isinstance(value, str)), given)
        raise ValueError(
            f"{name} must be a number for each of the {len(names)} features, or a dict by name, "
            f"got {shown(wrong)}."
        )
    return values.astype(dtype)
