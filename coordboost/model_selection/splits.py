"""Splits of the rows of a table: pairs of those to fit and those held out."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordboost._utils.checks import shown
from coordboost.data import validation


@dataclass(frozen=True)
class Bootstrap:
    """Bootstrap samples of the rows: a splitter for `cv` or `folds`.

    Each comes with the rows that it leaves out.

    Parameters
    ----------
    n_splits : int, default 25
        Number of samples.
    random_state : int, default 0
        Seed of the draws.

    Notes
    -----
    A sample has as many rows as the table, drawn with replacement: a row drawn twice counts as one
    of twice the weight. About 37 % of the rows are left out. A sample that leaves none out is drawn
    again.

    *Source*: Efron, *Estimating the error rate of a prediction rule: improvement on
    cross-validation* (1983); as in ``cvrisk`` of R's mboost, whose default is 25 samples, too.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.LSBoostRegressorCV(n_steps=200, cv=cb.model_selection.Bootstrap(10)).fit(X, y)
    >>> model.cross_validation_.losses.shape
    (10, 201)
    """

    n_splits: int = 25
    random_state: int = 0

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of samples.

        Parameters
        ----------
        X, y, groups : Any, optional
            Not used.

        Returns
        -------
        int
            ``n_splits``.
        """
        return validation.whole("n_splits", self.n_splits, 1)

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the rows of each sample, in order, and those that it leaves out.

        Parameters
        ----------
        X : array_like
            A table of two rows or more.
        y, groups : Any, optional
            Not used.

        Yields
        ------
        fit : ndarray, (n_rows,)
            Rows to fit, some of them twice or more.
        held : ndarray
            Rows that are not among them.

        Raises
        ------
        ValueError
            For fewer than two rows.
        """
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        source = validation.generator(self.random_state)
        if n < 2:
            raise ValueError(
                f"a bootstrap sample that leaves rows out needs two rows or more, got {n}."
            )
        for _ in range(self.get_n_splits()):
            times = np.ones(n)
            while times.all():
                times = np.bincount(source.integers(0, n, n), minlength=n)
            yield np.repeat(np.arange(n), times), np.flatnonzero(times == 0)


def rows_of_folds(name, given, X, y, rng=0):
    """Return pairs of rows to fit and rows held out, from a number of folds, a splitter, or given
    pairs.
    """
    if hasattr(given, "get_n_splits"):
        given = given.split(X, y)
    return pairs_of(name, given, len(y)) if hasattr(given, "__iter__") else folds_of(y, given, rng)


def pairs_of(name, folds, n):
    """Check given folds, and return them as pairs of arrays of rows."""
    try:
        pairs = [tuple(map(np.asarray, fold)) for fold in folds]
    except (TypeError, ValueError):
        pairs = []
    rows = [index for pair in pairs for index in pair]
    whole = all(
        index.ndim == 1
        and index.size
        and index.dtype.kind in "iu"
        and -n <= index.min() <= index.max() < n
        for index in rows
    )
    if not (pairs and whole and all(len(pair) == 2 for pair in pairs)):
        raise ValueError(
            f"{name} must be a number, or pairs of arrays of row indices from 0 to {n - 1}: to fit "
            f"and held out, got {shown(folds)}."
        )
    return pairs


def folds_of(y, k, rng=0):
    """Return `k` pairs of rows to fit and rows held out.

    Of every k consecutive rows in the order of y, each fold holds out one.
    """
    n = len(y)
    k = validation.whole("folds", k, 2)
    if k > n:
        raise ValueError(f"folds must be at most the {n} rows of X, got {k}.")
    rng = validation.generator(rng)
    mixed = rng.permutation(n)
    order = mixed[np.argsort(y[mixed], kind="stable")]
    fold = np.empty(n, dtype=int)
    for start in range(0, n, k):
        fold[order[start : start + k]] = rng.permutation(k)[: len(order[start : start + k])]
    return [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(k)]
