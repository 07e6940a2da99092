r"""How often columns are selected when rows are resampled.

By stability selection, and by bootstrap frequencies.

For each draw of rows the order is kept in which columns enter the path. The first q columns count
as selected, so one set of paths gives the frequencies for every q.

*Sources*: Meinshausen, Buehlmann, *Stability selection* (2010), Theorem 1; Shah, Samworth,
*Variable selection with error control: another look at stability selection* (2013), Theorem 1 and
equation (8), for pairs of complementary halves.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from coordboost._utils.checks import few, function, known_names, real
from coordboost.data import validation
from coordboost.data.frames import by_index, is_frame
from coordboost.model_selection.validate import checked_path, in_threads, rows_and_target


@dataclass(frozen=True, eq=False)
class Stability:
    """The orders in which columns entered the paths of resampled rows.

    orders : tuple of (n_entered,), columns as they entered, one for each draw
    n_features : columns of X
    halves : whether draws are pairs of complementary halves, for which the bounds hold
    names : names of the columns, of a data frame; else None
    """

    orders: tuple
    n_features: int
    halves: bool
    names: tuple | None = None

    def __repr__(self):
        draws = f"{len(self.orders)} {'halves' if self.halves else 'bootstrap draws'}"
        first = np.array([order[0] for order in self.orders if len(order)], dtype=int)
        shares = np.bincount(first, minlength=self.n_features) / len(self.orders)
        most = [j for j in np.argsort(-shares, kind="stable")[:3] if shares[j] > 0]
        names = ", ".join(f"{self.name(j)} {shares[j]:.0%}" for j in most)
        return (
            f"<Stability of {self.n_features} columns, {draws}; first to enter: {names or 'none'}>"
        )

    def name(self, j):
        """The name of column `j`; x0, x1, ... without names."""
        return f"x{j}" if self.names is None else self.names[j]

    def _checked(self, q):
        """Return the number of first columns `q`, if there are so many."""
        q = validation.whole("q", q, 1)
        if q > self.n_features:
            raise ValueError(
                f"q must be at most {self.n_features}, the number of columns, got {q}."
            )
        return q

    def frequencies(self, q):
        """Share of draws in which a column is among the first `q` to enter, (n_features,)."""
        q = self._checked(q)
        return np.bincount(
            np.concatenate([order[:q] for order in self.orders]), minlength=self.n_features
        ) / len(self.orders)

    def paths(self, q):
        """The frequencies for 1, ..., `q`, (q, n_features)."""
        return np.array([self.frequencies(k) for k in range(1, self._checked(q) + 1)])

    def selected(self, q, threshold):
        """Columns whose frequency is at least `threshold`, above 0 and at most 1."""
        threshold = real(
            "threshold", threshold, lambda number: 0 < number <= 1, "above 0 and at most 1"
        )
        return np.flatnonzero(self.frequencies(q) >= threshold)

    def bounds(self, q, threshold):
        """Bounds of the expected number of selected columns that are chosen by chance.

        A half of the rows chooses them no more often than by chance, q / n_features.

        Parameters
        ----------
        q : int
        threshold : float
            Above 1/2, at most 1.

        Returns
        -------
        dict
            ``worst``: q^2 / (n_features (2 threshold - 1)), of both papers; the first assumes
            exchangeable noise columns and a method no worse than guessing, the second assumes
            nothing. ``unimodal``: a smaller bound, if the frequencies of pairs have a unimodal
            distribution; inf if q / n_features or the threshold is outside the range of the
            theorem.

        Raises
        ------
        ValueError
            For bootstrap draws, for which neither bound holds.
        """
        q = self._checked(q)
        draws = len(self.orders) // 2
        threshold = real(
            "threshold", threshold, lambda number: 0.5 < number <= 1, "above 1/2 and at most 1"
        )
        if not self.halves:
            raise ValueError(
                "the bounds hold only for pairs of halves: use stability_selection, not "
                "bootstrap_frequencies."
            )
        chance = q / self.n_features
        chosen = q * chance
        worst = chosen / (2 * threshold - 1)
        low = min(0.5 + chance**2, 0.5 + 1 / (2 * draws) + 0.75 * chance**2)
        if chance > 1 / math.sqrt(3) or threshold <= low:
            return {"worst": worst, "unimodal": math.inf}
        if threshold <= 0.75:
            factor = 1 / (2 * (2 * threshold - 1 - 1 / (2 * draws)))
        else:
            factor = 4 * (1 - threshold + 1 / (2 * draws)) / (1 + 1 / draws)
        return {"worst": worst, "unimodal": factor * chosen}


@known_names
def stability_selection(
    fit: Callable,
    X: Any,
    y: Any,
    *,
    n_pairs: int = 50,
    rng: int = 0,
    sample_weight: ArrayLike | None = None,
    n_threads: int = 1,
) -> Stability:
    """Paths of complementary halves of the rows, and the order in which columns enter them.

    Parameters
    ----------
    fit : callable
        Function ``fit(X, y, sample_weight)`` that returns the path of the given rows, as for
        ``cross_validate``.
    X, y : array_like
        As for ``Problem``, in memory.
    n_pairs : int, default 50
        Pairs of halves, two paths each.
    rng : int, default 0
        Seed of the halves.
    sample_weight : array_like, (n_samples,), optional
        Weights of the rows in the fits.
    n_threads : int, default 1
        Number of threads; the result does not depend on it.

    Returns
    -------
    Stability
        How often each column enters early.

    Notes
    -----
    *Cost*: one path for each draw.

    Examples
    --------
    Three columns are among the first three to enter in at least 80 % of the halves. At most 1.5 of
    the selected columns are expected to be columns that enter no more often than by chance:

    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> fit = lambda X, y, weight: cb.solve(
    ...     cb.Problem(X, y, sample_weight=weight), cb.ls_boost(0.1), 20
    ... )
    >>> found = cb.model_selection.stability_selection(
    ...     fit, *load_diabetes(return_X_y=True), n_pairs=10
    ... )
    >>> found.frequencies(3)
    array([0.  , 0.  , 1.  , 0.85, 0.  , 0.  , 0.05, 0.  , 1.  , 0.05])
    >>> found.selected(3, 0.8), round(found.bounds(3, 0.8)["worst"], 2)
    (array([2, 3, 8]), 1.5)
    """
    sample_weight = by_index("sample_weight", sample_weight, X)
    names = tuple(map(str, X.columns)) if is_frame(X) else None
    X, y = rows_and_target(X, y)
    source = validation.generator(rng)
    n = len(y)
    draws = []
    for _ in range(few("n_pairs", validation.whole("n_pairs", n_pairs, 1), 1_000_000)):
        order = source.permutation(n)
        draws += [np.sort(order[: n // 2]), np.sort(order[n // 2 : 2 * (n // 2)])]
    return _walked(fit, X, y, draws, sample_weight, n_threads, True, names)


@known_names
def bootstrap_frequencies(
    fit: Callable,
    X: Any,
    y: Any,
    *,
    n_draws: int = 100,
    rng: int = 0,
    sample_weight: ArrayLike | None = None,
    n_threads: int = 1,
) -> Stability:
    """Paths of rows drawn with replacement, and the order in which columns enter them.

    A row drawn twice has twice the weight.

    Parameters
    ----------
    fit : callable
        Function ``fit(X, y, sample_weight)`` that returns the path of the given rows, as for
        ``cross_validate``.
    X, y : array_like
        As for ``Problem``, in memory.
    n_draws : int, default 100
        Number of draws, one path each.
    rng : int, default 0
        Seed of the draws.
    sample_weight : array_like, (n_samples,), optional
        Weights of the rows in the fits.
    n_threads : int, default 1
        Number of threads; the result does not depend on it.

    Returns
    -------
    Stability
        How often each column enters early.

    Notes
    -----
    *Cost*: one path for each draw.

    Examples
    --------
    Shares of 20 draws in which a column is among the first three to enter:

    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> fit = lambda X, y, weight: cb.solve(
    ...     cb.Problem(X, y, sample_weight=weight), cb.ls_boost(0.1), 20
    ... )
    >>> found = cb.model_selection.bootstrap_frequencies(
    ...     fit, *load_diabetes(return_X_y=True), n_draws=20
    ... )
    >>> found.frequencies(3)
    array([0. , 0. , 1. , 0.8, 0. , 0. , 0.2, 0. , 1. , 0. ])
    """
    sample_weight = by_index("sample_weight", sample_weight, X)
    names = tuple(map(str, X.columns)) if is_frame(X) else None
    X, y = rows_and_target(X, y)
    source = validation.generator(rng)
    n = len(y)
    draws = [
        source.integers(0, n, n)
        for _ in range(few("n_draws", validation.whole("n_draws", n_draws, 1), 1_000_000))
    ]
    return _walked(fit, X, y, draws, sample_weight, n_threads, False, names)


def _walked(fit, X, y, draws, sample_weight, n_threads, halves, names):
    function("fit", fit, "a function of X, y and sample_weight that returns a path")
    weight = validation.sample_weight(sample_weight, len(y))

    def walked(k):
        rows, times = np.unique(draws[k], return_counts=True)
        given = None if halves and sample_weight is None else weight[rows] * times
        return fit(X[rows], y[rows], given)

    orders = in_threads(
        walked, lambda k, path: checked_path(path).order_of_entry(), len(draws), n_threads
    )
    return Stability(tuple(orders), X.shape[1], halves, names)
