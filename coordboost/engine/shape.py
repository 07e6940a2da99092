"""The effect of each feature in a model of stumps, or of trees with one split: a step function."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from coordboost._utils.checks import shown
from coordboost.data import validation
from coordboost.data.columnwise import numbered
from coordboost.data.problem import Problem, checked_problem


@dataclass(frozen=True, eq=False)
class ShapeFunction:
    """The part of a model that depends on one feature: a step function of its value.

    It is called with values of the feature. ``shape_functions(problem, beta)`` and
    ``run.shape_functions()`` return it.

    Parameters
    ----------
    feature : str
        Name of the feature.
    cuts : ndarray, (k,)
        The thresholds at which the function changes, increasing; empty for a feature with
        categories.
    values : ndarray, (k + 1,)
        The value for ``cuts[i - 1] < x <= cuts[i]``; for a feature with categories, one value per
        category.
    labels : list or None
        The categories; None for an ordered feature.
    missing : float
        The value where the feature is missing.
    other : float
        The value for an unknown category.
    learners : ndarray of int
        Indices of the learners of this feature with a non-zero coefficient.
    coefs : ndarray
        Their coefficients.

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> run = cb.solve(cb.Problem(cb.data.stumps(X), y), cb.ls_boost(0.5), 10)
    >>> shape = run.shape_functions()["x0"]
    >>> shape.cuts, shape.values
    (array([0.5, 1.5]), array([-0.75,  0.  ,  0.75]))
    >>> shape([0.0, 1.0, 7.0])
    array([-0.75,  0.  ,  0.75])
    """

    feature: str
    cuts: np.ndarray
    values: np.ndarray
    labels: list | None
    missing: float
    other: float
    learners: np.ndarray
    coefs: np.ndarray

    def __call__(self, x: Any) -> np.ndarray:
        """The values of the function at `x`, numbers or categories, (n,)."""
        if self.labels is not None:
            number = numbered(x, self.labels)
            return np.append(self.values, [self.other, self.missing])[number]
        x = np.asarray(x, dtype=np.float64)
        return np.where(np.isnan(x), self.missing, self.values[np.searchsorted(self.cuts, x)])


def shape_functions(problem: Problem, beta: ArrayLike) -> dict[str, ShapeFunction]:
    """The shape function of each feature in the model.

    Their sum plus ``problem.constant`` is the prediction.

    Parameters
    ----------
    problem : Problem on ``stumps(X)`` or ``leaf_stumps(X)``
        Or ``run.problem`` of a run over ``trees(X, max_depth=1)``. A tree without a split, a
        constant, counts as a tree on the first feature.
    beta : (n_learners,)
        Coefficients of the unit columns: ``run.beta``, or ``problem.unit(path.coefs[:, k])``; after
        k steps ``next(run.replay([k])).beta``.

    Returns
    -------
    dict
        Name of the feature to ``ShapeFunction``.

    Raises
    ------
    ValueError
        For a problem on other learners, and for trees of more than one split.

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> run = cb.solve(cb.Problem(cb.data.stumps(X), y), cb.ls_boost(0.5), 10)
    >>> sorted(cb.engine.shape_functions(run.problem, run.beta))
    ['x0', 'x1']
    """
    binning = checked_problem(problem).binning
    dictionary = problem.dictionary
    if binning is None or dictionary.steps is None:
        raise ValueError(
            "shape_functions is for a Problem on stumps(X), leaf_stumps(X) or trees(X, "
            f"max_depth=1), got {shown(problem)}."
        )
    beta = validation.coefficients(validation.numeric("beta", beta, 1), problem)
    values, used = dictionary.steps(beta)
    shapes = {}
    for j in np.unique(binning.column[used]):
        pages = binning.pages_of(j)
        parts = [_shape(binning, dictionary, beta, g, values[g]) for g in pages]
        shape = parts[0] if len(parts) == 1 else _sum_of_pages(parts)
        shapes[shape.feature] = shape
    return shapes


def _sum_of_pages(parts):
    """The sum of the shape functions of the pages of one column, as one shape function."""
    known = dict.fromkeys(label for part in parts for label in part.labels[:-1])
    labels = [*known, parts[0].labels[-1]]
    learners = np.concatenate([part.learners for part in parts])
    return replace(
        parts[0],
        labels=labels,
        values=sum(part(labels) for part in parts),
        missing=sum(part.missing for part in parts),
        other=sum(part.other for part in parts),
        learners=learners,
        coefs=np.concatenate([part.coefs for part in parts]),
    )


def _shape(binning, dictionary, beta, g, bins):
    """The shape function of feature g, whose values on the bins are `bins`."""
    n_bins = int(binning.n_bins[g])
    missing = int(binning.missing[g])
    labels = binning.labels[g]
    cuts = binning.thresholds(g)
    used = np.flatnonzero((dictionary.feature[: len(beta)] == g) & (beta != 0))
    gap = binning.gap(g)
    values = bins[: n_bins - (missing >= 0)]
    if labels is None:
        moves = np.flatnonzero(values[1:] != values[:-1])
        cuts = cuts[moves]
        values = values[np.append(moves, len(values) - 1)]
    return ShapeFunction(
        binning.names[g],
        cuts,
        values.copy(),
        labels,
        float(bins[gap]),
        float(bins[binning.unseen(g)]),
        used,
        beta[used],
    )
