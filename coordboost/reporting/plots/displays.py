"""Displays of a path: coefficient profiles, and training and validation losses."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from coordboost._utils.checks import shown
from coordboost.data.validation import whole
from coordboost.paths.places import PathLike
from coordboost.reporting.plots.drawing import (
    COLOURS,
    LOOKS,
    STYLES,
    ColumnsDisplay,
    Display,
    drawn_from,
    ink,
    name_axes,
    new_label,
)

#: Choices for the horizontal axis.
AGAINST = ("l1", "fraction", "step", "alpha", "lam", "deviance")
#: Units of coefficients -> their name in labels.
UNITS = {"unit": "columns of norm 1", "original": "original units"}
#: Default number of columns with a name, in tables with more columns than looks.
NAMED = 12


def checked_against(against):
    """Return `against`; raise ValueError unless it is in AGAINST."""
    if against not in AGAINST:
        raise ValueError(
            f"against must be one of {', '.join(map(repr, AGAINST))}, got {shown(against)}."
        )
    return against


def points_of(path):
    """Return the axis label for the indices of the points of a path."""
    if hasattr(path, "alphas"):
        return "index of alpha, from the largest"
    return "knot" if path.piecewise_linear else "step"


def places_on(ax, numbers, against):
    """Return horizontal positions, (n_points,).

    Penalties get a falling log axis, on which 0 is drawn at half the smallest other one.
    """
    x = np.asarray(numbers[against], dtype=float)
    if against not in ("alpha", "lam"):
        return x
    ax.xaxis.set_inverted(True)
    positive = x[x > 0]
    if not len(positive):
        return x
    ax.set_xscale("log")
    return np.where(
        x > 1e-12 * positive.max(), x, positive[positive > 1e-12 * positive.max()].min() / 2
    )


class ProfileDisplay(ColumnsDisplay):
    """Coefficients along a path.

    The look of a column depends on its number: it is the same in every plot of a table.

    Parameters
    ----------
    numbers : dict of str to ndarray (n_points,)
        Positions of the points on each possible horizontal axis, by its name in `against`.
    coefs : ndarray, (n_points, n_columns)
        Coefficients, in the units drawn.
    names : sequence of str, (n_columns,)
        Names of the columns.
    words : dict of str to str, optional
        Labels of the axes: for each name in `against`, and for "coefs".
    against : {"l1", "fraction", "step", "alpha", "lam", "deviance"}, default "l1"
        The horizontal axis.
    n_labels : int, optional
        Number of columns, those with the largest coefficients, with a colour and a name. Default:
        all columns of a table with up to 21, else 12.
    knots : bool, default False
        Whether to draw dots at the knots.
    title : str
        Title of the picture.
    model : int, optional
        Index of the point that an estimator chose, marked by a line.
    n_classes : int, default 1
        Number of models in each point: the columns of the first class come first, and each class
        has a colour.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure of the picture
    lines_ : list of matplotlib Line2D, those with a colour
    columns_ : index of the column of each line

    Examples
    --------
    At the end of a run, the coefficients of the three columns whose coefficients became largest:

    >>> import coordboost as cb
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> run = cb.solve(cb.Problem(X, y), cb.ls_boost(0.1), 200)
    >>> display = cb.plots.ProfileDisplay.from_run(run, n_labels=3, ax=Figure().subplots())
    >>> display.columns_, display.coefs[-1, display.columns_].round()
    (array([2, 3, 8]), array([523., 305., 521.]))
    """

    def __init__(
        self,
        numbers: dict[str, np.ndarray],
        coefs: np.ndarray,
        names: Sequence[str],
        *,
        words: dict[str, str] | None = None,
        against: str = "l1",
        n_labels: int | None = None,
        knots: bool = False,
        title: str = "",
        model: int | None = None,
        n_classes: int = 1,
    ):
        self.numbers = numbers
        self.coefs = coefs
        self.names = names
        self.words = {way: way for way in AGAINST} | {"coefs": "coefficient"} | (words or {})
        self.against = checked_against(against)
        self.n_labels = n_labels
        self.knots = knots
        self.title = title
        self.model = model
        self.n_classes = n_classes

    @classmethod
    @drawn_from("a path, such as the result of solve or lasso_path", PathLike)
    def from_path(
        cls,
        path: PathLike,
        *,
        against: str = "l1",
        units: str = "unit",
        n_labels: int | None = None,
        knots: bool | None = None,
        title: str = "",
        model: int | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw a path.

        Parameters
        ----------
        path : Run, ExactPath or LassoPath
        against : {"l1", "fraction", "step", "alpha", "lam", "deviance"}, default "l1"
            Norms are those of the coefficients drawn.
        units : {"unit", "original"}, default "unit"
            Coefficients of columns of norm 1, whose sizes can be compared, as R's lars draws them;
            or those of the columns of X.
        n_labels : int, optional
            Number of columns, those with the largest coefficients, with a colour and a name; the
            others are grey. Fewer have a name if there is no room. Default: all columns of a table
            with up to 21, else 12.
        knots : bool, optional
            Dots at the knots; default for exact paths with up to 60 of them.
        title : str
        model : int, optional
            Number of a point of the path, such as a chosen alpha, that is marked by a line. A run
            with more than 200 steps has fewer points in the picture: the next one is marked.
        ax : matplotlib Axes, optional
            Names that `ax` already has, from another path, are not repeated.
        **options
            As for ``plot``: ``legend=True`` draws a legend of the names or, with ``label=``, of the
            labels of paths; ``color``, ``linestyle`` and the like apply to all lines.

        Returns
        -------
        ProfileDisplay
        """
        display = cls._of(path, against, units, n_labels, knots, title)
        if model is not None:
            last = int(display.numbers["step"][-1])
            if whole("model", model) > last:
                raise ValueError(
                    "model must be the number of a point of the path, from 0 to "
                    f"{last}, got {model}."
                )
            display._mark(model)
        return display.plot(ax, **options)

    #: A run is a path.
    from_run = from_path

    @classmethod
    @drawn_from("the path of a fitted linear estimator, such as CertifiedLasso", has=("path_",))
    def from_estimator(
        cls,
        estimator: Any,
        *,
        against: str = "l1",
        units: str = "unit",
        n_labels: int | None = None,
        knots: bool | None = None,
        title: str = "",
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the path of a fitted linear estimator, and mark the point of the model.

        Parameters
        ----------
        estimator : estimator
            A fitted one with a ``path_``, such as ``LSBoostRegressor`` or ``CertifiedLasso``.
        against : {"l1", "fraction", "step", "alpha", "lam", "deviance"}, default "l1"
            Norms are those of the coefficients drawn.
        units : {"unit", "original"}, default "unit"
            Coefficients of columns of norm 1, whose sizes can be compared; or those of the columns
            of X.
        n_labels : int, optional
            Number of columns, those with the largest coefficients, with a colour and a name.
            Default as for ``from_path``.
        knots : bool, optional
            Dots at the knots; default for exact paths with up to 60 of them.
        title : str
            Title of the picture.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure.
        **options
            As for ``plot``: keywords of the lines, and ``legend``.

        Returns
        -------
        ProfileDisplay
            The display, drawn.
        """
        display = cls._of(estimator.path_, against, units, n_labels, knots, title)
        display._mark(estimator.place_.step)
        return display.plot(ax, **options)

    def _mark(self, step):
        """Mark the point of the path with this number, or the one drawn that is next to it."""
        self.model = int(np.argmin(np.abs(np.asarray(self.numbers["step"]) - step)))

    @classmethod
    def _of(cls, path, against, units, n_labels, knots, title):
        if units not in UNITS:
            raise ValueError(f"units must be 'unit' or 'original', got {shown(units)}.")
        numbers, coefs = path.profile()
        n_points, n_models = np.shape(np.reshape(numbers["intercept"], (len(coefs), -1)))
        numbers = {**numbers, "lam": numbers["alpha"] * path.problem.weight.sum()}
        standardization = path.problem.standardization
        said = UNITS[units]
        if path.problem.countable:
            if units == "unit":
                coefs = coefs.reshape(n_points, n_models, -1).copy()
                coefs[..., standardization.kept] *= standardization.norm
                coefs = coefs.reshape(n_points, -1)
            drawn = np.abs(coefs).sum(axis=1)
            if not np.allclose(drawn, numbers["l1"], rtol=1e-9):
                numbers = {**numbers, "l1": drawn, "fraction": drawn / (drawn[-1] or 1.0)}
        else:
            said = "unit learners"
        words = {
            "l1": f"l1 norm, {said}",
            "fraction": f"l1 norm / last l1 norm, {said}",
            "step": points_of(path),
            "alpha": f"alpha (mean loss, {path.penalty_units})",
            "lam": f"lam (sum of losses, {path.penalty_units})",
            "deviance": "fraction of deviance explained",
            "coefs": f"coefficient, {said}",
        }
        few = path.piecewise_linear and len(coefs) <= 60
        return cls(
            numbers,
            coefs,
            path._names(),
            words=words,
            against=against,
            n_labels=n_labels,
            knots=few if knots is None else knots,
            title=title,
            n_classes=n_models,
        )

    def _looks(self, columns):
        if self.n_classes == 1:
            return super()._looks(columns)
        class_index, column = np.divmod(columns, self.coefs.shape[1] // self.n_classes)
        return [
            {"color": COLOURS[k % len(COLOURS)], "linestyle": STYLES[j % len(STYLES)]}
            for k, j in zip(class_index.tolist(), column.tolist(), strict=True)
        ]

    def _draw(self, ax, line_kw):
        first = not ax.has_data()
        x = self.x_ = places_on(ax, self.numbers, self.against)
        size = np.abs(self.coefs).max(axis=0)
        order = np.argsort(-size, kind="stable")
        order = order[size[order] > 0]
        few = (
            self.n_labels
            if self.n_labels is not None
            else LOOKS
            if self.coefs.shape[1] <= LOOKS
            else NAMED
        )
        ax.update_datalim(np.column_stack([x, 0 * x]))  # so that a path of zeros also has its axis
        self._draw_columns(ax, x, self.coefs, order, few, line_kw)
        for j, line in zip(self.columns_, self.lines_, strict=True) if self.knots else ():
            moves = np.flatnonzero(self.coefs[:, j])
            at = np.unique(np.concatenate([moves, np.maximum(moves - 1, 0)]))
            ax.plot(x[at], self.coefs[at, j], ".", markersize=4, color=line.get_color(), zorder=3)
        if first:
            ax.axhline(0.0, color="#888888", linewidth=0.6, zorder=1)
        if self.model is not None:
            look = {"color": ink(), "linewidth": 0.9, "linestyle": (0, (5, 3)), "zorder": 1}
            ax.axvline(x[self.model], **look, label=new_label(ax, "the model"))
        ax.margins(x=0)
        name_axes(ax, self.words[self.against], self.words["coefs"], self.title)


class ErrorDisplay(Display):
    """Mean losses along a path, on the rows of the fit (training) and on other rows (validation).

    Parameters
    ----------
    train : ndarray, (n_points,)
        Mean losses on the rows of the fit.
    test : ndarray, (n_points,), optional
        Mean losses on other rows.
    words : str
        Label of the horizontal axis: what the points of the path are.
    title : str
        Title of the picture.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure of the picture
    lines_ : list of matplotlib Line2D, the curves

    Examples
    --------
    The validation loss is smallest after 153 of 500 steps:

    >>> import coordboost as cb
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> run = cb.solve(cb.Problem(X[:100], y[:100]), cb.ls_boost(0.1), 500)
    >>> display = cb.plots.ErrorDisplay.from_run(
    ...     run, X[:100], y[:100], X[100:], y[100:], ax=Figure().subplots()
    ... )
    >>> [line.get_label() for line in display.lines_]
    ['training', 'validation (smallest at 153)']
    """

    def __init__(
        self,
        train: np.ndarray,
        test: np.ndarray | None = None,
        *,
        words: str = "point of the path",
        title: str = "",
    ):
        self.train = train
        self.test = test
        self.words = words
        self.title = title

    @classmethod
    @drawn_from("a path, such as the result of solve or lasso_path", PathLike)
    def from_path(
        cls,
        path: PathLike,
        X: ArrayLike,
        y: ArrayLike,
        X_test: ArrayLike | None = None,
        y_test: ArrayLike | None = None,
        *,
        title: str = "",
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the losses at every point of a path.

        They are those on the rows `X`, `y` of the fit, and on `X_test`, `y_test`.

        Parameters
        ----------
        path : Run, ExactPath or LassoPath
            The path.
        X : array_like, (n_samples, n_features)
            Rows of the fit.
        y : array_like, (n_samples,)
            Their targets.
        X_test, y_test : array_like, optional
            Other rows and their targets.
        title : str
            Title of the picture.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure.
        **options
            As for ``plot``: ``legend``, and keywords of the lines; a ``label`` is put before
            "training" and "validation".

        Returns
        -------
        ErrorDisplay
            The display, drawn.

        Notes
        -----
        *Cost*: one column of X per step of a run; for other paths one product with X per point.
        """
        test = None if X_test is None else -path.score_path(X_test, y_test)
        return cls(-path.score_path(X, y), test, words=points_of(path), title=title).plot(
            ax, **options
        )

    #: A run is a path.
    from_run = from_path

    @classmethod
    @drawn_from("the path of a fitted linear estimator, such as CertifiedLasso", has=("path_",))
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        X_test: ArrayLike | None = None,
        y_test: ArrayLike | None = None,
        *,
        title: str = "",
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the losses along the path of a fitted linear estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted one with a ``path_``, such as ``LSBoostRegressor``.
        X : array_like, (n_samples, n_features)
            Rows of the fit.
        y : array_like, (n_samples,)
            Their targets.
        X_test, y_test : array_like, optional
            Other rows and their targets.
        title : str
            Title of the picture.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure.
        **options
            As for ``plot``: ``legend``, and keywords of the lines; a ``label`` is put before
            "training" and "validation".

        Returns
        -------
        ErrorDisplay
            The display, drawn.

        Notes
        -----
        *Cost*: one column of X per step of a run; for other paths one product with X per point.
        """
        return cls.from_path(estimator.path_, X, y, X_test, y_test, title=title, ax=ax, **options)

    def _draw(self, ax, line_kw):
        label = line_kw.pop("label", None)
        before = "" if label is None else f"{label}, "
        curves = [("training", self.train, "-")]
        if self.test is not None:
            curves.append(
                (
                    f"validation (smallest at {int(np.argmin(self.test)):,})",
                    self.test,
                    (0, (6, 1.5)),
                )
            )
        for name, values, style in curves:
            name = new_label(ax, before + name)
            (line,) = ax.plot(
                np.arange(len(values)), values, **{"linestyle": style, **line_kw}, label=name
            )
            self.lines_.append(line)
        if self.test is not None:
            best = int(np.argmin(self.test))
            ax.plot(best, self.test[best], "o", markersize=5, color=line.get_color())
        ax.margins(x=0)
        name_axes(ax, self.words, "mean loss", self.title)
