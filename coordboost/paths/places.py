"""Places on a path, and the methods that all paths share.

Paths are runs, exact paths, and grids of penalties.

A path has *points*: the steps of a run, the knots of an exact path, the penalties of a grid,
counted from 0. A *place* is named by the number of a point, by a norm, by a penalty or by a
fraction of the last norm.
"""

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from coordboost._utils.checks import items_of, known_names, not_negative, shown
from coordboost.data import validation
from coordboost.data.problem import learners_at
from coordboost.paths.scoring import least_mean, losses_of, rows_of


@dataclass(frozen=True, kw_only=True)
class PathPoint:
    """A place on a path, given by exactly one of its names.

    Parameters
    ----------
    step : float, optional
        The number of a point. Exact paths and grids also have places between points: 2.5 is halfway
        from point 2 to point 3.
    l1 : float, optional
        Sum of the abs coefficients, each times its factor in the penalty: of unit columns, except
        for ``lasso_path(..., unit_columns=False)``, with the columns of X, and the ``Certified...``
        estimators, with the columns that they penalise.
    lam : float, optional
        Penalty of the sum of the losses; at a Lasso optimum the largest abs correlation.
    alpha : float, optional
        Penalty of the mean loss as in scikit-learn, lam over the sum of the weights; see
        ``convert_penalty``.
    fraction : float, optional
        l1 over the l1 at the end of the path, as in R's lars.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.forward_stagewise(0.25), 10)
    >>> run.step_at(cb.lasso.PathPoint(l1=1.0))
    4
    """

    step: float | None = None
    l1: float | None = None
    lam: float | None = None
    alpha: float | None = None
    fraction: float | None = None

    def __post_init__(self):
        named = {name: value for name, value in vars(self).items() if value is not None}
        if len(named) != 1:
            raise ValueError(
                "a PathPoint needs exactly one of step, l1, lam, alpha and fraction, got "
                f"{', '.join(named) or 'none'}."
            )
        for name, value in named.items():
            not_negative(name, value)

    def among(self, total: float, last: Callable[[], float]) -> tuple[str, float]:
        """Return the given name and its value, with alpha converted to lam and fraction to l1.

        Parameters
        ----------
        total : float
            Sum of the weights of the samples.
        last : callable
            ``last()`` returns the l1 at the end of the path; only called for a fraction.

        Returns
        -------
        way : {"step", "l1", "lam"}
            The name.
        value : float
            Its value.

        Raises
        ------
        ValueError
            For a fraction above 1.
        """
        name, value = next(
            (name, float(value)) for name, value in vars(self).items() if value is not None
        )
        if name == "alpha":
            return "lam", value * total
        if name == "fraction":
            if value > 1:
                raise ValueError(
                    f"fraction must be a fraction of the last l1 norm, at most 1, got {value:g}."
                )
            return "l1", value * last()
        return name, value

    def named_as(self, way: str, total: float) -> tuple[str, float]:
        """Return the name by which a message speaks of this place, and the unit of its numbers.

        Parameters
        ----------
        way : {"step", "l1", "lam"}
            As ``among`` returns it.
        total : float
            Sum of the weights of the samples.

        Returns
        -------
        name : str
            ``"alpha"`` if the place is given by its alpha, else `way`.
        unit : float
            What numbers in terms of `way` are divided by.
        """
        return ("alpha", total) if self.alpha is not None else (way, 1.0)


class PathLike:
    """The methods that all paths share.

    Subclasses supply the model at a place (``_model``, ``_last_l1``) and its points (``profile``,
    ``_staged``, ``_losses``).
    """

    #: Whether the points are knots, between which the path is a straight line.
    piecewise_linear = False

    @property
    def penalty_units(self):
        """The scaling of the columns whose coefficients are in the l1 norm, in words."""
        return "unit columns" if self.problem.countable else "unit learners"

    @known_names
    def coef_at(self, at=None, *, step=None, l1=None, lam=None, alpha=None, fraction=None):
        """Coefficients on the scale of X at a place, (n_columns,).

        For a run: the model after the step at which the place begins to be reached: the l1 norm is
        at least `l1`, or the largest absolute correlation at most `lam`, or `alpha` times the sum
        of the weights; see ``step_at``. For exact paths and grids: linear between two points. This
        is exact on an exact path; on a grid it is as in R's glmnet, and has no certificate.

        Parameters
        ----------
        at : PathPoint, optional
            Where on the path.
        step, l1, lam, alpha, fraction : float, optional
            The place by its name, as for ``coordboost.lasso.PathPoint``: exactly one of them,
            unless `at` is given.

        Returns
        -------
        ndarray, (n_columns,)
            On the scale of X; of several classes (n_classes, n_columns). For learners found by a
            search, such as trees, (n_learners,), of those found so far.

        Raises
        ------
        ValueError
            If not exactly one of them is given, or if the path ends before the place.
        """
        return self._model(_named(at, step=step, l1=l1, lam=lam, alpha=alpha, fraction=fraction))[0]

    @known_names
    def intercept_at(self, at=None, *, step=None, l1=None, lam=None, alpha=None, fraction=None):
        """The intercept that goes with ``coef_at``.

        Parameters
        ----------
        at : PathPoint, optional
            Where on the path.
        step, l1, lam, alpha, fraction : float, optional
            The place by its name, as for ``coordboost.lasso.PathPoint``: exactly one of them,
            unless `at` is given.

        Returns
        -------
        float
            On the link scale, as the predictions of ``predict``; of several classes (n_classes,).

        Raises
        ------
        ValueError
            If not exactly one of them is given, or if the path ends before the place.
        """
        return self._model(_named(at, step=step, l1=l1, lam=lam, alpha=alpha, fraction=fraction))[1]

    @known_names
    def predict(
        self, X, at=None, *, offset=None, step=None, l1=None, lam=None, alpha=None, fraction=None
    ):
        """Raw predictions (intercept included) for new rows, (len(X),), at a place.

        By default at the end of the path.

        Parameters
        ----------
        X : array_like or data frame, (n_rows, n_columns)
            New rows, not standardised.
        at : PathPoint, optional
            Where on the path.
        offset : array_like, (n_rows,), optional
            The known part of the predictions of these rows, as for a ``Problem``; default 0.
        step, l1, lam, alpha, fraction : float, optional
            The place by its name, as for ``coordboost.lasso.PathPoint``:
            ``predict(X, fraction=0.3)``. At most one of them, and not together with `at`. Or a
            sequence of places, as s in R's glmnet and lars: ``predict(X, alpha=[1.0, 0.1])``.

        Returns
        -------
        ndarray, (n_rows,), or (n_rows, n_places) for a sequence
            On the link scale: the log of the mean for ``Poisson()``, the log-odds for
            ``Logistic()``. (``predict`` of an estimator converts them to the scale of y.)

        Raises
        ------
        ValueError
            For more than one place, if the path ends before the place, and for columns that are
            missing, unknown or not finite.
        """
        ways = {"step": step, "l1": l1, "lam": lam, "alpha": alpha, "fraction": fraction}
        return self._of_places(at, ways, lambda place: self._raw(X, place, offset))

    def _of_places(self, at, ways, value):
        """The value of a function at a place; at several one column for each.

        ways : the names of the place, and its values or a sequence of them
        """
        for name, values in ways.items():
            if isinstance(values, list | tuple | np.ndarray) and (
                validation.as_array(name, values).ndim == 1 and len(values)
            ):
                places = (place_named(at, **(ways | {name: one})) for one in values)
                return np.stack([value(place) for place in places], axis=-1)
        return value(place_named(at, **ways) or self._end)

    def _raw(self, X, place, offset):
        """Raw predictions for new rows at a place, with the offset if it is given."""
        pred = self._predict(X, place)
        return pred if offset is None else pred + self._known(offset, len(pred), X)

    def _known(self, offset, n_rows, X):
        """Check and return the known part of the predictions of new rows; 0 for None."""
        return validation.known_part(offset, n_rows, X)

    def _targets(self, X, y, sample_weight):
        """Targets of new rows as the loss takes them, and their weights, (len(X),) each."""
        return rows_of(self.problem, X, y, sample_weight)

    def _least(self, X, y, weight):
        """The mean over new rows of the smallest value that the loss can take."""
        return least_mean(self.problem.loss, *self._targets(X, y, weight))

    def _sums(self, preds, y, weight, offset):
        """Sums of the losses at several predictions of new rows."""
        return losses_of(self.problem, preds, y, weight, offset)

    @property
    def _end(self):
        return PathPoint(step=self.n_points - 1)

    def _predict(self, X, place):
        coef, intercept = self._model(place)
        return learners_at(X, self.problem).combine(coef) + intercept

    def staged_predict(self, X):
        """Yield raw predictions for new rows at every point of the path.

        The intercept is included, an offset is not.

        Parameters
        ----------
        X : array_like or data frame, (n_rows, n_columns)
            New rows, not standardised.

        Returns
        -------
        iterator of ndarray, (n_rows,)
            On the link scale, from the first point to the last. *Cost*: for a run on columns, one
            learner per step.
        """
        return self._staged(validation.collected("X", X))

    @property
    def losses(self):
        """Sums of the losses on the rows of the fit at every point, (n_points,).

        *Cost*: for a run, one replay.
        """
        return self.profile()[0]["loss"] * self.problem.total_weight

    def coef_path(self, at=None, *, unit_columns=False):
        """Coefficients at every point of the path, or at some places.

        Parameters
        ----------
        at : sequence of PathPoint, optional
            Where on the path; default: at every point.
        unit_columns : bool, default False
            True: coefficients of columns of norm 1, whose sizes can be compared; those of columns
            of standard deviation 1 are sqrt(n_samples) times smaller. False: of the columns of X.

        Returns
        -------
        ndarray, (n_points, n_columns)
            One row for each point, of several classes (n_classes, n_columns). *Memory*: 8 bytes per
            entry; for a long run on many columns pass a few places.

        Raises
        ------
        ValueError
            For learners found by a search, such as trees, or where the path ends before a place.

        Examples
        --------
        >>> import coordboost as cb
        >>> path = cb.exact_path([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
        >>> path.coef_path().round(3)
        array([[0.   , 0.   ],
               [0.   , 0.615],
               [1.143, 1.286]])
        """
        validation.countable("coef_path", self.problem)
        every = (PathPoint(step=k) for k in range(self.n_points))
        places = every if at is None else items_of("at", at, "a sequence of PathPoint")
        standardization = self.problem.standardization
        coefs = np.array([coef for coef, _ in self._models(places)]).reshape(-1, *self._shape)
        if validation.flag("unit_columns", unit_columns):
            coefs[..., standardization.kept] *= standardization.norm
        return coefs

    @property
    def _shape(self):
        """The shape of the coefficients of one model."""
        return (self.problem.standardization.n_columns,)

    def _models(self, places):
        return (self._model(checked_place(place)) for place in places)

    @known_names
    def score(self, X, y, sample_weight=None, at=None, *, offset=None):
        """Minus the mean loss on new rows at a place: the larger, the better.

        The place is by default the end of the path.

        Parameters
        ----------
        X, y, sample_weight : array_like
            As for ``score_path``.
        at : PathPoint, optional
            Where on the path.
        offset : array_like, (n_rows,), optional
            As for ``predict``; needed if the problem has one.

        Returns
        -------
        float
            For the squared loss minus half the mean squared error.
        """
        return float(
            self.score_at(X, y, sample_weight, at=[self._end if at is None else at], offset=offset)[
                0
            ]
        )

    def score_path(self, X, y, sample_weight=None, *, offset=None):
        """Minus the mean loss on new rows at every point, (n_points,): the larger, the better.

        *Cost*: for a run, one column of X per step; for other paths, one product with X per point.

        Parameters
        ----------
        X : array_like or data frame, (n_rows, n_columns)
            New rows, not standardised.
        y : array_like, (n_rows,)
            Their targets.
        sample_weight : array_like, (n_rows,), optional
            Their weights in the mean.
        offset : array_like, (n_rows,), optional
            As for ``predict``.

        Returns
        -------
        ndarray, (n_points,)
            One score for each point.
        """
        X = validation.collected("X", X)
        y, weight = self._targets(X, y, sample_weight)
        offset = self._offset_of_scored(offset, len(y), X)
        return -self._losses(X, y, weight, offset) / weight.sum()

    def score_at(self, X, y, sample_weight=None, *, at, offset=None):
        """Minus the mean loss on new rows at some places, (len(at),): the larger, the better.

        Parameters
        ----------
        X, y, sample_weight : array_like
            As for ``score_path``.
        at : sequence of PathPoint
            Where on the path.
        offset : array_like, (n_rows,), optional
            As for ``predict``.

        Returns
        -------
        ndarray, (len(at),)
            One score for each place.
        """
        X = validation.collected("X", X)
        y, weight = self._targets(X, y, sample_weight)
        places = items_of("at", at, "a sequence of PathPoint")
        preds = (self._predict(X, place_named(place) or self._end) for place in places)
        offset = self._offset_of_scored(offset, len(y), X)
        return -self._sums(preds, y, weight, offset) / weight.sum()

    def _offset_of_scored(self, offset, n_rows, X):
        """Return the offset of rows with targets; it may not be left out if the fit had one."""
        if offset is None and self._has_offset:
            raise ValueError(
                "the problem has an offset: pass that of these rows, offset=...; zeros for none."
            )
        return self._known(offset, n_rows, X)

    @property
    def _has_offset(self):
        """Whether the fit had an offset, as far as that is known."""
        return self.problem.has_data and self.problem.offset is not None

    def to_frame(self):
        """The path as a pandas data frame.

        Of a run, at most 200 steps, which lie closer together at its start.

        One row for each point: ``step``, ``l1``, ``fraction``, ``alpha`` (names of the place),
        ``loss`` (the mean), ``deviance`` (the share of the loss explained, glmnet's dev.ratio),
        ``nonzeros``, ``gap`` (of a grid), ``intercept``, and the coefficients on the scale of X
        that are not 0 everywhere. *Cost*: for a run, one scan for each row.

        Returns
        -------
        pandas.DataFrame
            One row for each point.

        Raises
        ------
        ImportError
            Without pandas.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "to_frame() needs pandas (python -m pip install pandas); coef_at(step=...) gives "
                "the same numbers without it."
            ) from error
        numbers, coefs = self.profile()
        used = np.flatnonzero(coefs.any(axis=0))
        names = self._names()
        columns = {name: values for name, values in numbers.items() if name != "intercept"}
        left = pd.DataFrame({**columns, "nonzeros": np.count_nonzero(coefs, axis=1)})
        intercepts = pd.DataFrame(numbers["intercept"], columns=self._of_classes(["intercept"]))
        own = pd.DataFrame(coefs[:, used], columns=[names[j] for j in used])
        return pd.concat([left, intercepts, own], axis=1)

    def plot(self, *, ax=None, **options):
        """The coefficient profiles as a ``ProfileDisplay``; see there for the options.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default: a figure of its own.
        **options
            Those of ``ProfileDisplay.from_path``.

        Returns
        -------
        ProfileDisplay
            The picture and its axes.
        """
        # plots are in a higher layer: loaded by name, and only when needed
        displays = importlib.import_module("coordboost.reporting.plots.displays")
        return displays.ProfileDisplay.from_path(self, ax=ax, **options)

    def _repr_html_(self):
        # what a notebook shows is in a higher layer, too
        return importlib.import_module("coordboost.reporting.pages.cell").notebook_cell(self)

    def _names(self):
        """The names of the coefficients in ``profile()``."""
        problem = self.problem
        names = problem.column_names if problem.countable else problem.feature_names
        return self._of_classes(list(names))

    def _of_classes(self, names):
        """The names of numbers of which each model has one, for all classes."""
        return names

    def _deviance(self, losses):
        """Means of losses from their sums, and the explained part.

        It is that of the loss of the constant model above the infimum.
        """
        problem = self.problem
        low = problem.infimum if problem.infimum > -math.inf else 0.0
        return {
            "loss": losses / problem.weight.sum(),
            "deviance": 1 - (losses - low) / (problem.start_excess or 1.0),
        }


class PiecewiseLinear(PathLike):
    """A path that is linear between its points.

    It has the levels ``_lams``, decreasing, and the norms ``l1`` there, (n_points,) each.
    """

    @property
    def n_points(self):
        return len(self._lams)

    def _last_l1(self):
        return float(self.l1[-1])

    def _knots(self, way):
        """The points in terms of `way`, a name of places, as non-decreasing numbers."""
        if way == "step":
            return np.arange(self.n_points)
        return -self._lams if way == "lam" else np.maximum.accumulate(self.l1)

    def _mixture(self, place):
        """The points before and after a place, and the weight of the second."""
        kind, value = checked_place(place, "place").among(self.problem.total_weight, self._last_l1)
        if kind == "step" and value < self.n_points and value == int(value):
            return int(value), int(value), 1.0
        knots = self._knots(kind)
        at = (
            -value
            if kind == "lam"
            else value
            if kind == "step"
            else unrounded(value, knots[-1], self.problem)
        )
        if at > knots[-1]:
            says = {
                "lam": "compute it down to",
                "step": "there is no step",
                "l1": "it does not reach",
            }[kind]
            name, unit = place.named_as(kind, self.problem.total_weight)
            raise ValueError(
                f"the path ends at {name} = {abs(knots[-1]) / unit:.6g}; {says} {value / unit:.6g}."
            )
        if at < knots[0] and not self._starts_at_zero():
            name, unit = place.named_as(kind, self.problem.total_weight)
            raise ValueError(
                f"the path begins at {name} = {abs(knots[0]) / unit:.6g}; compute it from "
                f"{value / unit:.6g} on."
            )
        return [numbers[0] for numbers in between(knots, np.array([at]))]

    def _staged(self, X):
        X = learners_at(X, self.problem)
        models = (self._model(PathPoint(step=k)) for k in range(self.n_points))
        return (X.combine(coef) + intercept for coef, intercept in models)

    def _losses(self, X, y, weight, offset):
        return self._sums(self._staged(X), y, weight, offset)


def between(knots, at):
    """Locate the values `at` among the non-decreasing `knots`.

    Return the knot before, the knot after, and its weight, (len(at),) each.
    """
    after = np.clip(np.searchsorted(knots, at, side="left"), 0, len(knots) - 1)
    before = np.maximum(after - 1, 0)
    width = knots[after] - knots[before]
    share = np.clip(
        np.divide(at - knots[before], width, out=np.ones(len(at)), where=width > 0), 0.0, 1.0
    )
    return before, after, share


def unrounded(l1, last, problem):
    """Return the norm `l1`, or the `last` norm of a path if `l1` exceeds it by rounding.

    It is the rounding of two sums of all coefficients.
    """
    slack = 2 * (problem.n_learners + 8) * float(np.finfo(float).eps)
    return float(last) if last < l1 <= last * (1 + slack) else l1


def place_named(at=None, **ways):
    """Return the ``PathPoint`` `at`, or the one given by the name that is not None.

    None if there is neither.
    """
    named = {name: value for name, value in ways.items() if value is not None}
    if not named:
        return None if at is None else checked_place(at)
    if at is not None:
        raise ValueError(f"`at` already names a point on the path: leave {', '.join(named)} out.")
    return PathPoint(**named)


def _named(at, **ways):
    """Return the one ``PathPoint`` that is given, by itself or by a name."""
    return place_named(at, **ways) or PathPoint(**ways)


def checked_place(at, name="at"):
    """Return `at`, or raise if it is not a ``PathPoint``."""
    if not isinstance(at, PathPoint):
        raise ValueError(
            f"{name} must be a PathPoint such as PathPoint(alpha=0.1) or PathPoint(step=100), got "
            f"{shown(at)}."
        )
    return at
