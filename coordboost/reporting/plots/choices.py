"""Displays of choices.

The point chosen by cross-validation, how often learners are selected, how stably columns are.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from coordboost.engine.result import StepPath, spaced
from coordboost.engine.run import Run
from coordboost.lasso.grid import LassoPath
from coordboost.lasso.homotopy.path import ExactPath
from coordboost.model_selection.stability import Stability
from coordboost.model_selection.validate import CrossValidation
from coordboost.reporting.plots.displays import points_of
from coordboost.reporting.plots.drawing import (
    Bars,
    ColumnsDisplay,
    Display,
    drawn_from,
    ink,
    letter,
    name_axes,
    new_label,
    room_for,
)

#: The axis is logarithmic if the best point lies within this first fraction of it.
LEFT = 0.1
#: Distance between counts of non-zeros on the top axis, in font sizes.
APART = 5


def nonzeros_of(path):
    """Return points of a path and the number of non-zero coefficients there.

    Points are indices, increasing. *Cost*: no scans.
    """
    if hasattr(path, "replay"):
        at = spaced(path.n_points - 1)
        return at, np.array([np.count_nonzero(state.beta) for state in path.replay(at.tolist())])
    return np.arange(path.n_points), np.count_nonzero(path.profile()[1], axis=1)


def nonzeros_of_folds(validation):
    """Return the same as ``nonzeros_of``, as a median over the paths of the folds.

    None without paths, or if their points differ.
    """
    n = validation.losses.shape[1]
    if not validation.paths or any(path.n_points != n for path in validation.paths):
        return None
    found = [nonzeros_of(path) for path in validation.paths]
    return found[0][0], np.median([counts for _, counts in found], axis=0)


class CrossValidationDisplay(Display):
    r"""Mean validation losses of a cross-validation, and its choices.

    Around the losses is a band of one standard error; the numbers of non-zero coefficients are on
    top.

    The vertical axis is logarithmic if the smallest mean loss is less than a tenth of the largest,
    as the choice is among small losses. The horizontal axis is logarithmic if the best point lies
    in its first tenth.

    Parameters
    ----------
    validation : CrossValidation
        Validation losses.
    at : array_like, (n_points,), optional
        Horizontal positions of the points; default their indices.
    words : str
        Label of the horizontal axis.
    log : bool, optional
        Whether that axis is logarithmic. Default: if the best point lies in its first tenth, or
        `at` decreases.
    title : str
        Title of the picture.
    nonzeros : pair of ndarray, optional
        Indices of points, increasing, and the number of non-zero coefficients there.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure of the picture
    lines_ : list of matplotlib Line2D, the mean losses
    fill_between_ : the band of one standard error
    top_ : axis of the counts, or None

    Examples
    --------
    The one-standard-error rule chooses 39 steps of LS-Boost; the smallest validation loss is at 100
    steps:

    >>> import coordboost as cb
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> fit = lambda X, y, weight: cb.solve(
    ...     cb.Problem(X, y, sample_weight=weight), cb.ls_boost(0.1), 100
    ... )
    >>> found = cb.cross_validate(fit, X, y)
    >>> display = cb.plots.CrossValidationDisplay.from_cross_validation(
    ...     found, ax=Figure().subplots()
    ... )
    >>> [line.get_label().partition("\n")[0] for line in display.ax_.lines]
    ['mean of 5 folds', 'one-standard-error rule: 39', 'best: 100']
    """

    #: Label of the axis of the counts.
    counted = "non-zero coefficients"

    def __init__(
        self,
        validation: CrossValidation,
        at: ArrayLike | None = None,
        *,
        words: str = "point of the path",
        log: bool | None = None,
        title: str = "",
        nonzeros: tuple[np.ndarray, np.ndarray] | None = None,
    ):
        self.validation = validation
        self.words = words
        self.log = log
        self.title = title
        self.at = np.arange(validation.losses.shape[1]) if at is None else np.asarray(at)
        self.nonzeros = nonzeros

    @classmethod
    @drawn_from("a CrossValidation, the result of cross_validate", CrossValidation)
    def from_cross_validation(
        cls,
        validation: CrossValidation,
        at: ArrayLike | None = None,
        *,
        path: Run | ExactPath | LassoPath | None = None,
        words: str = "point of the path",
        log: bool | None = None,
        title: str = "",
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the result of ``cross_validate``.

        Parameters
        ----------
        validation : CrossValidation
        at : (n_points,), optional
            Horizontal positions of the points, such as the alphas of a grid; default their indices.
        path : Run, ExactPath or LassoPath, optional
            The path on all rows, with the same points: its numbers of non-zero coefficients are
            shown on top. Default: the median over the folds, if their paths have these points.
        words : str
            Label of the axis.
        log : bool, optional
            A log axis. Default: if the best point lies in the first tenth of the axis, or `at`
            decreases.
        title : str
        ax : matplotlib Axes, optional
        **options
            As for ``plot``.
        """
        if path is not None and path.n_points != validation.losses.shape[1]:
            n = validation.losses.shape[1]
            raise ValueError(
                f"path must have the {n} points of the validation, got one with {path.n_points}."
            )
        counts = nonzeros_of_folds(validation) if path is None else nonzeros_of(path)
        display = cls(validation, at, words=words, log=log, title=title, nonzeros=counts)
        if path is None:
            display.counted = "non-zero coefficients, median of the folds"
        return display.plot(ax, **options)

    @classmethod
    @drawn_from(
        "a fitted estimator that chose by cross-validation, such as CertifiedLassoCV",
        has=("cross_validation_",),
    )
    def from_estimator(
        cls, estimator: Any, *, title: str = "", ax: Any = None, **options: Any
    ) -> Self:
        """Draw the cross-validation of a fitted ``...CV`` estimator.

        A grid is drawn against alpha, anything else against the points of its paths.

        Parameters
        ----------
        estimator : estimator
            A fitted one with ``cross_validation_``, such as ``LSBoostRegressorCV`` or
            ``CertifiedLassoCV``.
        title : str
            Title of the picture.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure.
        **options
            As for ``plot``: keywords of the line, and ``legend``.

        Returns
        -------
        CrossValidationDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If the estimator has one cross-validation for each of several classes.
        """
        seen = estimator.cross_validation_
        if isinstance(seen, list):
            raise ValueError(
                f"this estimator has {len(seen)} cross-validations, one for each class: draw them "
                "one by one, by "
                "CrossValidationDisplay.from_cross_validation(estimator.cross_validation_[k], "
                "path=estimator.paths_[k])."
            )
        path = estimator.path_
        if seen.grids:
            words = f"alpha (mean loss, {path.penalty_units})"
            at = np.concatenate([grid.alphas for grid in seen.grids])
            return cls(seen, at, words=words, title=title).plot(ax, **options)
        if len(seen.paths) > len(seen.losses):
            return cls(seen, words="point, one path after the other", log=False, title=title).plot(
                ax, **options
            )
        alphas = getattr(path, "alphas", None)
        words = points_of(path) if alphas is None else f"alpha (mean loss, {path.penalty_units})"
        return cls(seen, alphas, words=words, title=title, nonzeros=nonzeros_of(path)).plot(
            ax, **options
        )

    def _draw(self, ax, line_kw):
        first = not ax.has_data()
        mean = self.validation.mean
        error = self.validation.error
        x = self.at
        words = f"{self.words}, log scale" if self._scale(ax, x) else self.words
        known = np.isfinite(mean)
        low = mean[known].min(initial=np.inf)
        high = mean[known].max(initial=0.0)
        if (mean - error)[known].min(initial=np.inf) > 0 and 10 * low < high:
            ax.set_yscale("log")
        label = line_kw.pop("label", None)
        curve = f"mean of {len(self.validation.losses)} folds" if label is None else label
        best = self.validation.best
        for words_of_grid, points in self._curves():
            name = f"{curve}, {words_of_grid}" if words_of_grid else curve
            drawn = np.arange(len(x))[points][known[points]]
            (own,) = ax.plot(x[drawn], mean[drawn], **line_kw, label=new_label(ax, name))
            self.lines_.append(own)
            if best in range(len(x))[points]:
                line, of_best, of_grid = own, drawn, words_of_grid
        of_grid = f" ({of_grid})" if of_grid else ""
        band = new_label(ax, f"one standard error to either side{of_grid}")
        self.fill_between_ = ax.fill_between(
            x[of_best],
            (mean - error)[of_best],
            (mean + error)[of_best],
            color=line.get_color(),
            alpha=0.25,
            linewidth=0,
            label=band,
        )
        colour, before = (ink(), "") if label is None else (line.get_color(), f"{label}, ")
        choices = (
            ("one-standard-error rule", self.validation.one_se, (0, (5, 3))),
            ("best", self.validation.best, "-"),
        )
        for name, k, style in choices:
            grid = next((of for of, points in self._curves() if k in range(len(x))[points]), "")
            said = f"{before}{name}: {x[k]:.3g}{f' ({grid})' if grid else ''}"
            said += self._at_an_end(k) if name == "best" else ""
            ax.axvline(
                x[k], color=colour, linewidth=0.8, linestyle=style, label=new_label(ax, said)
            )
        ax.margins(x=0)
        name_axes(ax, words, f"{self.validation.measure} on rows held out (validation)", self.title)
        self.top_ = self._counts(ax) if first and self.nonzeros is not None else None

    def _curves(self):
        """What each curve is of, in words, and its points, a slice: a curve for each grid."""
        grids = self.validation.grids
        if not grids or grids[-1].points.stop != len(self.at) or self.at[0] == 0:
            return [("", slice(0, len(self.at)))]
        return [(grid.words, grid.points) for grid in grids]

    def _scale(self, ax, x):
        """Set direction and scale of the horizontal axis; return whether it is logarithmic."""
        falls = len(x) > 1 and x[-1] < x[0]
        positive = x[x > 0]
        ax.xaxis.set_inverted(falls)
        log = self.log
        whole = np.ptp(x)
        if log is None:
            log = falls or (
                x.min() >= 0 and whole > 0 and x[self.validation.best] - x.min() < LEFT * whole
            )
        if not log or not len(positive):
            return False
        if x.min() > 0:
            ax.set_xscale("log")
        else:
            ax.set_xscale("symlog", linthresh=positive.min(), linscale=0.5)
        return True

    def _at_an_end(self, best):
        """Return a remark for the legend if the best point is the first or the last.

        Else it is an empty string.
        """
        points = next(points for _, points in self._curves() if best < points.stop)
        first, last = points.start, points.stop - 1
        if first == last or best not in (first, last):
            return ""
        return (
            "\n(the first point: nothing beats the start)"
            if best == first
            else "\n(the end of the path: try a longer one)"
        )

    def _counts(self, ax):
        """Draw numbers of non-zero coefficients on top, as many as there is room for.

        Return their axis.
        """
        from matplotlib.ticker import NullLocator

        points, counts = self.nonzeros
        x = self.at[points]
        apart = APART * letter() * ax.figure.dpi / 72
        seen = ax.transData.transform(np.column_stack([x, np.full(len(x), ax.get_ylim()[0])]))[:, 0]
        kept = [0]
        for k in range(1, len(x)):
            if abs(seen[k] - seen[kept[-1]]) >= apart:
                kept.append(k)
        top = ax.secondary_xaxis("top")
        if ax.get_xscale() == "symlog":
            top.set_xscale("symlog", linthresh=self.at[self.at > 0].min(), linscale=0.5)
        top.set_ticks(x[kept], labels=[f"{counts[k]:g}" for k in kept])
        top.xaxis.set_minor_locator(NullLocator())
        name_axes(top, self.counted)
        return top


class SelectionDisplay(Display):
    """How often each learner was chosen, as bars, the most frequent first.

    Parameters
    ----------
    counts : ndarray of int, (n_learners,)
        Number of steps of each learner.
    names : sequence of str, (n_learners,)
        Names of the learners.
    n_bars : int, default 20
        Most bars; fewer are drawn where there is no room.
    title : str
        Title of the picture.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure of the picture
    bars_ : matplotlib's container of the bars

    Examples
    --------
    Of 200 steps of LS-Boost 42 take column 1; columns 0 and 5 are never taken.

    >>> import coordboost as cb
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> run = cb.solve(cb.Problem(X, y), cb.ls_boost(0.1), 200)
    >>> cb.plots.SelectionDisplay.from_run(run, ax=Figure().subplots()).counts
    array([ 0, 42, 13, 29, 40,  0, 20, 12, 29, 15])
    """

    legend = False

    def __init__(
        self, counts: np.ndarray, names: Sequence[str], *, n_bars: int = 20, title: str = ""
    ):
        self.counts = counts
        self.names = names
        self.n_bars = n_bars
        self.title = title

    @classmethod
    @drawn_from("a run, the result of solve", StepPath)
    def from_run(
        cls, run: Run, *, n_bars: int = 20, title: str = "", ax: Any = None, **options: Any
    ) -> Self:
        """Draw the number of steps of each learner in a run, the most frequent first.

        Parameters
        ----------
        run : Run
            The run.
        n_bars : int, default 20
            Most bars; fewer are drawn where there is no room.
        title : str
            Title of the picture.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure.
        **options
            As for ``plot``: keywords of the bars, as for matplotlib's ``barh``, and ``legend``.

        Returns
        -------
        SelectionDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If the learners are trees: a step finds a new one.
        """
        if getattr(run.problem.dictionary, "tree", None) is not None:
            raise ValueError(
                "the learners of this run are trees, and each step finds a new one: "
                "ImportanceDisplay draws the features of their splits, TreeDisplay a tree."
            )
        names = run.problem.feature_names
        counts = np.bincount(run.run.path.learner, minlength=len(names))
        return cls(counts, names, n_bars=n_bars, title=title).plot(ax, **options)

    @classmethod
    @drawn_from("a fitted estimator with one run, such as LSBoostRegressor", has=("run_",))
    def from_estimator(
        cls, estimator: Any, *, n_bars: int = 20, title: str = "", ax: Any = None, **options: Any
    ) -> Self:
        """Draw the number of steps of each learner in the run of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted one with a ``run_``, such as ``LSBoostRegressor``.
        n_bars : int, default 20
            Most bars; fewer are drawn where there is no room.
        title : str
            Title of the picture.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure.
        **options
            As for ``plot``: keywords of the bars, as for matplotlib's ``barh``, and ``legend``.

        Returns
        -------
        SelectionDisplay
            The display, drawn.
        """
        return cls.from_run(estimator.run_, n_bars=n_bars, title=title, ax=ax, **options)

    def _draw(self, ax, line_kw):
        order = np.argsort(-self.counts, kind="stable")[: np.count_nonzero(self.counts)]
        bars = Bars(ax, self.n_bars, order)
        self.bars_ = bars.draw(self.counts, self.names, "{:,}", **line_kw)
        others = len(order) - len(bars.drawn)
        rest = int(self.counts[order[len(bars.drawn) :]].sum())
        name_axes(
            ax,
            f"steps; {rest:,} more with {others:,} others" if others else "steps",
            "learner",
            self.title,
        )


class StabilityDisplay(ColumnsDisplay):
    """Shares of draws of rows in which a column is among the first q to enter, against q.

    Columns look as in ``ProfileDisplay``.

    Parameters
    ----------
    frequencies : ndarray, (q, n_features)
        The shares for 1, ..., q, from 0 to 1.
    names : sequence of str, (n_features,)
        Names of the columns.
    threshold : float, optional
        Drawn as a line; then only columns that reach it at the last q have a colour and a name.
    n_labels : int, default 12
        Most columns with a colour and a name; fewer where there is no room.
    title : str
        Title of the picture.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure of the picture
    lines_ : list of matplotlib Line2D, those with a colour
    columns_ : index of the column of each line

    Examples
    --------
    Column 2 is among the first two columns of LS-Boost in 19 of 20 halves of the rows, column 8 in
    all 20:

    >>> import coordboost as cb
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> fit = lambda X, y, weight: cb.solve(
    ...     cb.Problem(X, y, sample_weight=weight), cb.ls_boost(0.1), 20
    ... )
    >>> found = cb.model_selection.stability_selection(fit, X, y, n_pairs=10)
    >>> display = cb.plots.StabilityDisplay.from_stability(
    ...     found, 2, threshold=0.9, ax=Figure().subplots()
    ... )
    >>> display.columns_, display.frequencies[:, display.columns_]
    (array([2, 8]), array([[0.65, 0.35],
           [0.95, 1.  ]]))
    """

    def __init__(
        self,
        frequencies: np.ndarray,
        names: Sequence[str],
        *,
        threshold: float | None = None,
        n_labels: int = 12,
        title: str = "",
    ):
        self.frequencies = frequencies
        self.names = names
        self.threshold = threshold
        self.n_labels, self.title = n_labels, title

    @classmethod
    @drawn_from("a Stability, the result of stability_selection", Stability)
    def from_stability(
        cls,
        stability: Stability,
        q: int,
        names: Sequence[str] | None = None,
        *,
        threshold: float | None = None,
        n_labels: int = 12,
        title: str = "",
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the result of ``stability_selection`` or ``bootstrap_frequencies`` for 1, ..., `q`.

        Parameters
        ----------
        stability : Stability
            Result of ``stability_selection`` or ``bootstrap_frequencies``.
        q : int
            The largest number of columns to consider.
        names : sequence of str, (n_features,), optional
            Names of the columns; default: those of the data frame, else x0, x1, ...
        threshold : float, optional
            Drawn as a line; then only columns that reach it at `q` have a colour and a name.
        n_labels : int, default 12
            Most columns with a colour and a name; fewer where there is no room.
        title : str
            Title of the picture.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure.
        **options
            As for ``plot``: keywords of the lines, and ``legend``.

        Returns
        -------
        StabilityDisplay
            The display, drawn.
        """
        names = [stability.name(j) for j in range(stability.n_features)] if names is None else names
        return cls(
            stability.paths(q), list(names), threshold=threshold, n_labels=n_labels, title=title
        ).plot(ax, **options)

    def _draw(self, ax, line_kw):
        last = self.frequencies[-1]
        x = np.arange(1, len(self.frequencies) + 1)
        order = np.argsort(-last, kind="stable")
        order = order[last[order] > 0]
        n = min(self.n_labels, room_for(ax))
        if self.threshold is not None:
            n = min(n, max(1, np.count_nonzero(last >= self.threshold)))
            name = new_label(ax, f"threshold {self.threshold:g}")
            ax.axhline(
                self.threshold, color=ink(), linewidth=0.8, linestyle=(0, (5, 3)), label=name
            )
        self._draw_columns(ax, x, self.frequencies, order, n, line_kw)
        ax.set_ylim(0, 1.02)
        ax.set_yticks(np.linspace(0, 1, 6))
        ax.locator_params(axis="x", integer=True)
        ax.margins(x=0)
        name_axes(
            ax,
            "first columns to enter (q)",
            "share of draws with the column among the first q",
            self.title,
        )
