"""Stumps on the features of a table: the learners, their names, and their values on new rows."""

import numpy as np

from coordboost.data.binning import bin_columns
from coordboost.data.validation import report_constant
from coordboost.learners.stumps import LeafStumps, Stumps


class BinnedLearners:
    """A dictionary over features in bins, as ``Problem`` takes it.

    It has the names of the features and the bins for new rows.

    dictionary : a piece over ``Binned``
    binning : ``Binning``
    """

    def __init__(self, dictionary, binning):
        self.dictionary, self.binning = dictionary, binning

    @property
    def n_samples(self):
        return self.dictionary.n_samples

    @property
    def n_learners(self):
        return self.dictionary.n_learners

    def __repr__(self):
        return (
            f"<{self.n_learners} {type(self.dictionary).__name__} of {self.binning.n_features} "
            "features>"
        )

    def weighted(self, weight):
        """The same kind of learners, of unit norm in the metric of `weight`.

        Warn about features without learners.

        Raises
        ------
        ValueError
            If no feature has a learner.
        """
        made = self.dictionary.weighted(weight)
        if not made.n_learners:
            raise ValueError("every column of X is constant: there is nothing to split.")
        without = np.flatnonzero(np.diff(made.begin) == 0)
        report_constant([self.binning.names[g] for g in without])
        return BinnedLearners(made, self.binning)

    def name(self, j):
        """The name of learner j: "age <= 41.5", "town = Oslo"."""
        g = self.dictionary.feature[j]
        return self.dictionary.called(j, self.binning.names[g], self.binning.labels[g])


def stumps(X, *, max_bins=255, exact=False, categorical=(), feature_names=None, file=None):
    """All stumps of two values, + and -, on the columns of X: ``Problem(stumps(X), y)``.

    Parameters
    ----------
    X, max_bins, exact, categorical, feature_names, file : as in ``bin_columns``
        The table and its bins. Missing values go left or right, both are learners; a category is
        split from all others.

    Returns
    -------
    BinnedLearners
        The learners of a ``Problem``.

    Notes
    -----
    Columns have unit norm in the metric of the sample weights. Features that are constant have no
    learner. *Cost*: that of binning; a scan is one pass over the bins. *Source*: Lu, Mazumder,
    *Randomized Gradient Boosting Machine*, eq. (5).

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> cb.Problem(cb.data.stumps(X), y).n_learners
    4
    """
    return _made(Stumps, X, max_bins, exact, categorical, feature_names, file)


def leaf_stumps(X, *, max_bins=255, exact=False, categorical=(), feature_names=None, file=None):
    """All stumps with two leaf values on the columns of X, as centred unit columns.

    They are used as ``Problem(leaf_stumps(X), y)``.

    For the squared loss with an intercept LS-Boost on them is gradient boosting with trees of depth
    1; see ``LeafStumps`` for other losses.

    Parameters
    ----------
    X, max_bins, exact, categorical, feature_names, file : as in ``bin_columns``
        The table and its bins. Missing values go left or right, both are learners; a category is
        split from all others.

    Returns
    -------
    BinnedLearners
        The learners of a ``Problem``.

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> cb.Problem(cb.data.leaf_stumps(X), y).n_learners
    4
    """
    return _made(LeafStumps, X, max_bins, exact, categorical, feature_names, file)


def _made(kind, X, max_bins, exact, categorical, feature_names, file):
    binned, binning = bin_columns(
        X,
        max_bins=max_bins,
        exact=exact,
        categorical=categorical,
        feature_names=feature_names,
        file=file,
    )
    return BinnedLearners(kind.of(binned), binning)
