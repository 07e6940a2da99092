"""What a model of stumps says of each feature: a step function."""

from dataclasses import dataclass

import numpy as np

from coordboost._utils.checks import shown
from coordboost.data import validation
from coordboost.data.problem import checked_problem


@dataclass(frozen=True, eq=False)
class ShapeFunction:
    """The part of a model that depends on one feature: a step function of its value.

    feature : name;  cuts : (k,), the thresholds at which it changes, increasing;  values : (k + 1,), the value for
    ``cuts[i - 1] < x <= cuts[i]``; of a feature with categories one for each of them, and no cuts
    labels : the categories, or None;  missing : the value where the feature is missing;  other : that of an unknown category
    learners : numbers of its learners with a coefficient;  coefs : their coefficients
    """

    feature: str
    cuts: np.ndarray
    values: np.ndarray
    labels: list | None
    missing: float
    other: float
    learners: np.ndarray
    coefs: np.ndarray

    def __call__(self, x):
        """Its values at `x`, numbers or categories, (n,)."""
        if self.labels is not None:
            known = dict(zip(self.labels, self.values.tolist(), strict=True))
            return np.array([self.missing if one is None or one != one else known.get(one, self.other) for one in x])
        x = np.asarray(x, dtype=np.float64)
        return np.where(np.isnan(x), self.missing, self.values[np.searchsorted(self.cuts, x)])


def shape_functions(problem, beta):
    """The shape function of each feature that has a coefficient: they and ``problem.offset`` add up to the prediction.

    Parameters
    ----------
    problem : Problem on ``stumps(X)`` or ``leaf_stumps(X)``
    beta : (n_learners,)
        Coefficients of the unit columns: ``run.beta``, or ``problem.unit(path.coefs[:, k])``.

    Returns
    -------
    dict
        Name of the feature to ``ShapeFunction``.

    Raises
    ------
    ValueError
        For a problem on other learners.

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> run = cb.solve(cb.Problem(cb.data.stumps(X), y), cb.ls_boost(0.5), 10)
    >>> sorted(cb.engine.shape_functions(run.problem, run.beta))
    ['x0', 'x1']
    """
    binning, dictionary = checked_problem(problem).binning, problem.dictionary
    if binning is None or dictionary.steps is None:
        raise ValueError(f"shape_functions is for a Problem on stumps(X) or leaf_stumps(X), got {shown(problem)}.")
    beta = validation.vector("beta", beta, problem.n_learners, "learner")
    values, used = dictionary.steps(beta)
    return {binning.names[g]: _shape(binning, dictionary, beta, g, values[g]) for g in used}


def _shape(binning, dictionary, beta, g, bins):
    """The shape of feature g, whose values on the bins are `bins`."""
    n_bins, missing, labels, cuts = int(binning.n_bins[g]), int(binning.missing[g]), binning.labels[g], binning.thresholds(g)
    own = np.arange(dictionary.begin[g], dictionary.begin[g + 1])
    used = own[beta[own] != 0]
    gap = missing if missing >= 0 else n_bins  # the code that new rows get
    values = bins[: n_bins - (missing >= 0)]
    if labels is None:
        moves = np.flatnonzero(values[1:] != values[:-1])
        cuts, values = cuts[moves], values[np.append(moves, len(values) - 1)]
    return ShapeFunction(binning.names[g], cuts, values.copy(), labels, float(bins[gap]), float(bins[gap]), used, beta[used])
