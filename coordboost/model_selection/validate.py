"""Cross-validation along paths: one path for each fold, scored at every point on the rows held out.

*Source*: Hastie, Tibshirani, Friedman, *The Elements of Statistical Learning*, Section 7.10 (the
rule of one standard error); means and standard errors weigh folds by their rows, as ``cv.glmnet``
of R does.
"""

import threading
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike

from coordboost._numba.threads import Pool, one_thread
from coordboost._utils.checks import function, known_names, shown
from coordboost._utils.interrupt import heed, uncut, working_for
from coordboost.data import validation
from coordboost.data.frames import by_index
from coordboost.model_selection.splits import rows_of_folds
from coordboost.paths.scoring import MEAN_LOSS

#: How a point may be chosen by its losses on rows held out.
RULES = ("best", "one_se")


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Losses or scores on rows held out, from the simplest point of the path to the last.

    Parameters
    ----------
    losses : ndarray, (n_folds, n_points)
        Mean loss of each fold on the rows it holds out, above the smallest value that the loss can
        take there: half the mean deviance for the Poisson loss, whose least value depends on y.
        With a scorer: minus the scores.
    weights : ndarray, (n_folds,)
        Sums of the weights of these rows.
    paths : tuple
        The path of each fold.
    measure : str, default "mean loss"
        The name of the measure: "mean loss", smaller is better; or the name of a scorer, greater is
        better.

    Examples
    --------
    The error is smallest at the end of 100 steps; 39 are enough to be within one standard error of
    it:

    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> fit = lambda X, y, weight: cb.solve(
    ...     cb.Problem(X, y, sample_weight=weight), cb.ls_boost(0.1), 100
    ... )
    >>> found = cb.cross_validate(fit, *load_diabetes(return_X_y=True))
    >>> found
    <CrossValidation: 5 folds, 101 points; best 100 (mean loss 1518.82), one_se 39 (1560.18)>
    >>> found.chosen("one_se"), found.error[[39, 100]].round()
    (39, array([39., 42.]))
    """

    losses: np.ndarray
    weights: np.ndarray
    paths: tuple
    measure: str = MEAN_LOSS

    def __repr__(self):
        folds, points = self.losses.shape
        mean = self.mean
        choices = (
            f"best {self.best} ({self.measure} {mean[self.best]:.6g}), one_se {self.one_se} "
            f"({mean[self.one_se]:.6g})"
        )
        return f"<CrossValidation: {folds} folds, {points} points; {choices}>"

    @property
    def mean(self) -> np.ndarray:
        """Mean of ``measure`` over the folds, weighted by their rows, (n_points,).

        It is the mean loss, or the mean score.
        """
        return self._mean_loss if self.measure == MEAN_LOSS else -self._mean_loss

    @property
    def _mean_loss(self):
        return np.average(self.losses, axis=0, weights=self.weights)

    @property
    def error(self) -> np.ndarray:
        """Standard error of ``mean``, from the differences between folds, (n_points,)."""
        with np.errstate(invalid="ignore"):
            spread = np.average((self.losses - self._mean_loss) ** 2, axis=0, weights=self.weights)
        return np.sqrt(spread / max(len(self.losses) - 1, 1))

    @property
    def best(self) -> int:
        """The point with the smallest mean loss, or the greatest mean score.

        The first of equals.
        """
        return int(np.argmin(self._mean_loss))

    @property
    def one_se(self) -> int:
        """The first point whose mean loss, or score, is within one standard error of the best."""
        mean = self._mean_loss
        best = self.best
        return int(np.flatnonzero(mean <= mean[best] + self.error[best])[0])

    def without_data(self) -> "CrossValidation":
        """The same result without the training data of its paths, as pickles of estimators hold it.

        Returns
        -------
        CrossValidation
            With the same losses.
        """
        return replace(self, paths=tuple(path.without_data() for path in self.paths))

    @property
    def grids(self) -> "list[Grid]":
        """The grids of penalties that were compared, one for each gamma and `l1_ratio`.

        An empty list for one path, and for paths that are no grids.
        """
        n_folds = len(self.losses)
        firsts = self.paths[::n_folds]
        ends = np.cumsum([0, *(path.n_points for path in firsts)])
        known = all(hasattr(path, "alphas") and hasattr(path, "gamma") for path in firsts)
        if len(firsts) < 2 or not known or ends[-1] != self.losses.shape[1]:
            return []
        differ = [
            name for name in ("gamma", "l1_ratio") if len({getattr(p, name) for p in firsts}) > 1
        ]
        return [
            Grid(
                {name: float(getattr(path, name)) for name in differ},
                slice(int(start), int(end)),
                path.alphas,
            )
            for path, start, end in zip(firsts, ends, ends[1:], strict=False)
        ]

    def summary(self, path: Any = None) -> str:
        """Both choices as a text table, as R's ``print(cv.glmnet)`` shows them.

        Parameters
        ----------
        path : Run, ExactPath or LassoPath, optional
            The path of all rows, point for point: adds the penalty, where it has one, and how many
            coefficients are not 0. Where several grids were compared, as for several gammas, the
            one with the best point, ``path_`` of the estimator: each choice has its own gamma or
            `l1_ratio`, and the number of its point there.

        Returns
        -------
        str
            One line for each choice: the point, the mean loss or score on rows held out and its
            standard error.

        Raises
        ------
        ValueError
            For a path with another number of points.

        Examples
        --------
        >>> import coordboost as cb
        >>> from sklearn.datasets import load_diabetes
        >>> model = cb.CertifiedLassoCV(n_alphas=50, cv=10, random_state=0).fit(
        ...     *load_diabetes(return_X_y=True)
        ... )
        >>> print(model.cross_validation_.summary(model.path_))
                point    alpha  mean loss  standard error  nonzeros
          best     26  0.05498    1496.18           50.09         7
        one_se     16   0.2251    1544.44           48.62         5
        """
        grids = self.grids
        if path is not None and grids:
            return self._summary_of_grids(path, grids)
        if path is not None and path.n_points != len(self.mean):
            raise ValueError(
                f"the path has {path.n_points} points, but {len(self.mean)} were validated: pass "
                "the path of all rows, if it is the only one (each of several values of gamma or "
                "l1_ratio has its own path)."
            )
        rows = [["", "point", "alpha", self.measure, "standard error", "nonzeros"]]
        for name in RULES:
            k = self.chosen(name)
            alpha = "" if path is None or not hasattr(path, "alphas") else f"{path.alphas[k]:.4g}"
            nonzeros = "" if path is None else str(np.count_nonzero(path.coef_at(step=k)))
            rows.append(
                [name, str(k), alpha, f"{self.mean[k]:.6g}", f"{self.error[k]:.4g}", nonzeros]
            )
        return _aligned(rows)

    def _summary_of_grids(self, path, grids):
        """The summary where several grids were compared, `path` one of them on all rows."""
        differ = list(grids[0].settings)
        rows = [["", "point", "alpha", *differ, self.measure, "standard error", "nonzeros"]]
        for name in RULES:
            at = self.chosen(name)
            grid = next(grid for grid in grids if at < grid.points.stop)
            k = at - grid.points.start
            # relaxed fits have the non-zero coefficients of the Lasso beneath
            same = grid.settings.get("l1_ratio", path.l1_ratio) == path.l1_ratio
            nonzeros = str(np.count_nonzero(path.coef_at(step=k))) if same else "-"
            settings = [f"{grid.settings[of]:g}" for of in differ]
            numbers = [f"{self.mean[at]:.6g}", f"{self.error[at]:.4g}", nonzeros]
            rows.append([name, str(k), f"{grid.alphas[k]:.4g}", *settings, *numbers])
        return _aligned(rows)

    def chosen(self, rule: str = "best") -> int:
        """The point that a rule chooses.

        Parameters
        ----------
        rule : {"best", "one_se"}, default "best"
            The smallest mean loss (the greatest mean score); or the first point within one standard
            error of it.

        Returns
        -------
        int
            The number of the point, from 0.

        Raises
        ------
        ValueError
            For another rule.

        Notes
        -----
        *Source*: Hastie, Tibshirani, Friedman, *The Elements of Statistical Learning*, Section
        7.10.
        """
        if rule not in RULES:
            raise ValueError(f"rule must be 'best' or 'one_se', got {shown(rule)}.")
        return getattr(self, rule)


class Grid(NamedTuple):
    """One of several grids of penalties that a cross-validation compares.

    settings : dict, what differs between the grids: gamma, l1_ratio
    points : slice, its points among all
    alphas : ndarray, (n_points,)
    """

    settings: dict
    points: slice
    alphas: np.ndarray

    @property
    def words(self):
        """The settings in words, such as "gamma = 0.5"."""
        return ", ".join(f"{name} = {value:g}" for name, value in self.settings.items())


def _aligned(rows):
    """A table of texts, columns aligned to the right; empty columns are left out."""
    used = [column for column in zip(*rows, strict=True) if any(column[1:])]
    widths = [max(map(len, column)) for column in used]
    return "\n".join("  ".join(map(str.rjust, row, widths)) for row in zip(*used, strict=True))


@known_names
def cross_validate(
    fit: Callable,
    X: Any,
    y: Any,
    *,
    folds: Any = 5,
    rng: int = 0,
    sample_weight: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    at: Any = None,
    scoring: str | Callable | None = None,
    n_threads: int = 1,
) -> CrossValidation:
    """Cross-validated loss, or score, at every point of a path. One path is fitted per fold.

    Parameters
    ----------
    fit : callable
        Function ``fit(X, y, sample_weight)`` that returns a path (``solve(...)``,
        ``lasso_path(...)``, ``exact_path(...)``) for the given rows; called from several threads if
        `n_threads` > 1. Example: ``lambda X, y, w: cb.solve(cb.Problem(X, y, sample_weight=w),
        cb.forward_stagewise(0.1), 1000)``.
    X, y : array_like
        As for ``Problem``, in memory.
    folds : int, splitter or iterable of pairs of index arrays, default 5
        An int: that many folds, stratified on y. Rows are sorted by y; of every `folds` consecutive
        rows each fold gets one, at random. Or a splitter, such as ``Bootstrap(25)`` or one of
        scikit-learn. Or pairs of rows to fit and rows held out:
        ``GroupKFold(5).split(X, y, groups)``.
    rng : int, default 0
        Seed of this assignment.
    sample_weight : array_like, (n_samples,), optional
        Weights of the fits and of the losses. A fold without a held-out row of weight above 0 is
        left out.
    offset : array_like, (n_samples,), optional
        A known part of every prediction, as for ``Problem``. `fit` then takes the offset of its
        rows as a fourth argument, ``fit(X, y, sample_weight, offset)``, and the offset of held-out
        rows is added to their predictions.
    at : sequence of PathPoint, optional
        Points at which to evaluate. Default: every step, knot or alpha; then point k must be the
        same in all folds. So give ``lasso_path`` the same `alphas` in all folds. For ``exact_path``
        pass `at`, as folds have different knots.
    scoring : str or callable, optional
        The measure of the points. Default: the mean loss. Or a scorer of scikit-learn, greater is
        better, by its name (``"roc_auc"``, ``"neg_mean_absolute_error"``) or as a callable
        ``scorer(estimator, X, y)``. The estimator gives predictions on the scale of y; for losses
        of two classes it gives classes, probabilities and raw predictions. A callable must not look
        at X, whose rows are already the predictions.
    n_threads : int, default 1
        Number of threads; the result does not depend on it.

    Returns
    -------
    CrossValidation
        ``losses`` (n_folds, n_points), mean loss of each fold on its held-out rows, minus the
        smallest value that the loss can take: half the squared error for ``Squared()``, half the
        deviance for ``Poisson()``. ``mean``; ``error`` (its standard error); ``best``, ``one_se``:
        indices of points.

    Notes
    -----
    If the run of one fold ends before the others, its losses at later steps are inf. Scorers get
    ``sample_weight`` if it is given.

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3], [3, 0], [2, 4]], [1.0, 2, 4, 5, 4, 7]
    >>> def fit(X, y, w):
    ...     return cb.solve(cb.Problem(X, y, sample_weight=w), cb.ls_boost(0.5), 5)
    >>> cb.cross_validate(fit, X, y, folds=2).losses.shape
    (2, 6)
    >>> cb.cross_validate(fit, X, y, folds=2, scoring="neg_mean_absolute_error").best
    5
    """
    function("fit", fit, "a function of X, y and sample_weight that returns a path")
    sample_weight = by_index("sample_weight", sample_weight, X)
    offset = by_index("offset", offset, X)
    X, y = rows_and_target(X, y)
    weight = validation.sample_weight(sample_weight, len(y))
    offset = None if offset is None else validation.known_part(offset, len(y))
    folds = rows_of_folds("folds", folds, X, y, rng)
    measure = measure_of(scoring, y)

    def walked(k):
        rows = folds[k][0]
        known = () if offset is None else (offset[rows],)
        return fit(X[rows], y[rows], None if sample_weight is None else weight[rows], *known), X[
            folds[k][1]
        ]

    return of_folds(
        walked, y, weight, folds, offset=offset, at=at, measure=measure, n_threads=n_threads
    )


class MeanLoss:
    """The mean loss on new rows at the points of a path, minus its least value there."""

    name = MEAN_LOSS
    beside_the_point = validation.ConstantColumnWarning

    def __call__(self, path, X, y, weight, offset, at):
        scores = (
            path.score_path(X, y, weight, offset=offset)
            if at is None
            else path.score_at(X, y, weight, at=at, offset=offset)
        )
        return -scores - path._least(X, y, weight)


def measure_of(scoring, y):
    """Return a function ``measure(path, X, y, weight, offset, at)``.

    Its values, (n_points,), are to be minimised.

    It has a ``name``, and ``beside_the_point``, the category of warnings to ignore.
    """
    if scoring is None:
        return MeanLoss()
    # scikit-learn is loaded only if it is needed
    from coordboost.model_selection.scorers import Scorer

    return Scorer(scoring, np.unique(y))


def _counting(folds, weight):
    """Return the numbers of the folds that hold out rows with a weight above 0.

    Each fold must also fit such rows.
    """
    for k, (fit, _) in enumerate(folds, 1):
        if not weight[fit].any():
            raise ValueError(
                f"fold {k} of {len(folds)} fits no row with a sample_weight above 0: take "
                "other folds."
            )
    counted = [k for k, (_, rows) in enumerate(folds) if weight[rows].any()]
    if not counted:
        raise ValueError("no fold holds out a row with a sample_weight above 0: take other folds.")
    return counted


def of_folds(walked, y, weight, folds, *, offset=None, at=None, measure=None, n_threads=1):
    """As ``cross_validate``, with paths that are made by a function.

    ``walked(k)`` returns the path of fold k, and X of its rows held out.
    """
    counted = _counting(folds, weight)
    measure = measure or MeanLoss()

    @contextmanager
    def named(i):
        try:
            yield counted[i]
        except ValueError as error:
            if error.args and isinstance(error.args[0], str):
                error.args = (
                    f"fold {counted[i] + 1} of {len(folds)}: {error.args[0]}",
                    *error.args[1:],
                )
            raise

    def path_of(i):
        with named(i) as k:
            return walked(k)

    def scored(i, found):
        with named(i) as k:
            path, X = found
            rows = folds[k][1]
            known = None if offset is None else offset[rows]
            return path, measure(checked_path(path), X, y[rows], weight[rows], known, at)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", measure.beside_the_point)
        done = in_threads(path_of, scored, len(counted), n_threads)
    longest = max(len(losses) for _, losses in done)
    losses = np.full((len(done), longest), np.inf)
    for row, (_, fold_losses) in zip(losses, done, strict=True):
        row[: len(fold_losses)] = fold_losses
    return CrossValidation(
        losses,
        np.array([weight[folds[k][1]].sum() for k in counted]),
        tuple(path for path, _ in done),
        measure.name,
    )


@uncut()
def in_threads(walked, seen, n, n_threads=1):
    """Return the list of ``seen(k, walked(k))`` for k = 0, ..., n - 1, computed in several threads.

    After Ctrl-C or an error, paths in progress end at their next check for it.
    """

    def one(k):
        path = walked(k)
        heed()
        return seen(k, path)

    many = validation.whole("n_threads", n_threads, 1) > 1
    with one_thread(), warnings.catch_warnings():
        # a column may be constant on some rows
        warnings.simplefilter("ignore", validation.ConstantColumnWarning)
        return _pooled(one, n, n_threads) if many else list(map(one, range(n)))


def _pooled(task, n, n_threads):
    """Return the list of ``one(k)`` for k = 0, ..., n - 1, computed in threads that end with this
    call.
    """
    ended = threading.Event()
    pool = Pool(n_threads)

    def within(k):
        with working_for(ended.is_set):
            heed()
            return task(k)

    try:
        return list(pool.in_order(within, range(n)))
    finally:
        ended.set()  # after an error or Ctrl-C, tasks in progress end at their next check
        pool.end()


def checked_path(path):
    """Return `path`, the result of `fit`, or raise if it is not a path."""
    if isinstance(path, type) or not hasattr(path, "order_of_entry"):
        raise ValueError(
            f"fit must return a path, such as solve(...) or lasso_path(...), got {shown(path)}."
        )
    return path


def rows_quickly(X):
    """Return X in a form with fast access to rows: a CSR array, or an array."""
    return (
        scipy.sparse.csr_array(validation.sound(X))
        if scipy.sparse.issparse(X)
        else validation.matrix(X)[0]
    )


def rows_and_target(X, y):
    """Return ``rows_quickly(X)``, and the target, which must have an entry for each row."""
    X = rows_quickly(X)
    validation.vector("y", y, X.shape[0], "row of X")
    return X, np.asarray(y)
