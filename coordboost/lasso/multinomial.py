r"""The Lasso of multinomial logistic regression on a grid of penalties.

Each has a certified duality gap.

Minimised is :math:`\frac{1}{n} \sum_i (\log \sum_k e^{f_{ik}} - f_{i y_i}) + \alpha \sum_{jk} p_j
(\rho |W_{jk}| + (1 - \rho) W_{jk}^2 / 2)`, with the predictions :math:`f_{ik} = o_{ik} + b_k + x_i
W_k`, within limits of the coefficients. `multinomial_path` reads from top to
bottom: the checked problem, its scaled columns, the penalties, the solvers, the models.

Source: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via
coordinate descent*, Section 4 (glmnet's ``type.multinomial = "ungrouped"``); the joint steps and
the certificate are ours.
"""

import importlib
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike
from scipy.special import softmax

from coordboost._numba.threads import one_thread
from coordboost._utils.checks import positive as checked_positive
from coordboost._utils.checks import real, shown
from coordboost._utils.interrupt import interruptible
from coordboost.certificates.objectives import Certificate, L1Penalty
from coordboost.data import validation
from coordboost.data.problem import Problem, columns_as_in
from coordboost.lasso.class_blocks import by_blocks
from coordboost.lasso.class_path import by_class_path
from coordboost.lasso.classes import EPS, ClassProblem
from coordboost.lasso.grid import columns_in_use
from coordboost.lasso.inputs import (
    checked_ratio,
    closing_message,
    given_penalties,
    lasso_problem,
    limits_of,
    on_scale_of_x,
    penalty_grid,
)
from coordboost.lasso.objective import SMALLEST_RATIO, Objective
from coordboost.losses.multinomial import multinomial_losses
from coordboost.losses.standard import Logistic
from coordboost.paths.places import PathPoint


@dataclass(frozen=True, eq=False)
class MultinomialPath:
    """Multinomial Lasso models along a grid of penalties.

    Parameters
    ----------
    problem : Problem
        The columns and weights; its targets are the first class against the rest.
    classes : ndarray, (n_classes,)
        The labels.
    alphas : ndarray, (n_alphas,)
        The penalties of the mean loss, decreasing.
    models : scipy.sparse.csr_array, (n_alphas * n_classes, n_features)
        Coefficients on the scale of X, all classes of the first alpha first.
    intercepts : ndarray, (n_alphas, n_classes)
        Of each alpha; with sum 0 if they are fitted.
    bounds : ndarray, (n_alphas, 2)
        Lower and upper bounds of the optimal objective, in sums over samples.
    gaps : ndarray, (n_alphas,)
        Their differences, relative to the loss of the constant model.
    n_scans : int
        Number of scans of all columns.
    message : str
        "complete"; "not reached" and the largest gap; or what ended the path before its last alpha.
    l1_ratio : float, default 1
        rho: below 1 the elastic net.
    factors : ndarray, (2, n_features), optional
        Factors of the absolute values and of the squares in the penalty. Default: 1.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> path = cb.lasso.multinomial_path(X, y, alphas=[0.5, 0.05], unit_columns=False)
    >>> path.n_points, bool(path.gaps.max() < 1e-6)
    (2, True)
    >>> path.predict_proba(X[[0, 149]]).round(2)
    array([[0.94, 0.06, 0.  ],
           [0.  , 0.37, 0.62]])
    """

    problem: Problem
    classes: np.ndarray
    alphas: np.ndarray
    models: scipy.sparse.csr_array
    intercepts: np.ndarray
    bounds: np.ndarray
    gaps: np.ndarray
    n_scans: int
    message: str = "complete"
    l1_ratio: float = 1.0
    factors: np.ndarray | None = None
    gamma, beneath, stopped = 1.0, None, None  # as for a `LassoPath` that is not relaxed

    def __repr__(self):
        ended = "" if self.message == "complete" else f"; {self.message}"
        largest = self.gaps.max(initial=0.0)
        return (
            f"MultinomialPath({len(self.alphas)} alphas, {len(self.classes)} classes, relative "
            f"gaps <= {largest:.1e}{ended})"
        )

    def _repr_html_(self):
        # in a higher layer: loaded by name, and only when needed
        return importlib.import_module("coordboost.reporting.pages.cell").notebook_cell(self)

    @property
    def n_points(self) -> int:
        """Number of penalties."""
        return len(self.alphas)

    @property
    def l1(self) -> np.ndarray:
        """The sum over the classes of the norms in the penalty, (n_alphas,)."""
        factors = 1.0 if self.factors is None else self.factors[0]
        norms = abs(self.models) @ np.broadcast_to(factors, self.models.shape[1])
        return norms.reshape(self.n_points, -1).sum(axis=1)

    def order_of_entry(self) -> np.ndarray:
        """Columns of X in the order in which a coefficient of a class leaves 0.

        Returns
        -------
        ndarray, (n_entered,)
            Those of one alpha in their own order.
        """
        rows, columns = self.models.nonzero()
        entered, first = np.unique(columns, return_index=True)
        order = np.argsort(rows[first] // len(self.classes), kind="stable")
        return entered[order]

    def score_path(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        offset: ArrayLike | None = None,
    ) -> np.ndarray:
        """Minus the mean multinomial loss at every penalty, of new rows.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, (n_rows, n_features)
            New rows.
        y : array_like, (n_rows,)
            Their labels.
        sample_weight : array_like, (n_rows,), optional
            Weights of the terms of the mean.
        offset : array_like, (n_rows, n_classes), optional
            The known part of their predictions; default 0.

        Returns
        -------
        ndarray, (n_alphas,)
            The logarithm of the probability of the label, on average.

        Raises
        ------
        ValueError
            For a label that was not in the fit.
        """
        pred = self._staged(X)
        if offset is not None:
            pred = pred + _offset(offset, pred.shape[2], len(self.classes)).T
        label = np.searchsorted(self.classes, y)
        known = self.classes[np.minimum(label, len(self.classes) - 1)] == np.asarray(y)
        if not known.all():
            strange = np.asarray(y)[~known].tolist()[0]
            raise ValueError(f"y holds the class {strange!r}, which was not in the fit.")
        weight = validation.sample_weight(sample_weight, len(label))
        return np.array([-multinomial_losses(f, label) @ weight for f in pred]) / weight.sum()

    def _staged(self, X):
        """The predictions at every penalty, (n_alphas, n_classes, n_rows)."""
        table = columns_as_in(X, self.problem)
        used, coefs = columns_in_use(self.models)
        pred = coefs.toarray() @ table.part(used, slice(None)).T + self.intercepts.reshape(-1, 1)
        return pred.reshape(self.n_points, len(self.classes), -1)

    def coef_at(self, step: int = -1) -> np.ndarray:
        """Coefficients on the scale of X.

        Parameters
        ----------
        step : int, default -1
            Which penalty.

        Returns
        -------
        ndarray, (n_classes, n_features)
            One row for each class.
        """
        first = range(self.n_points)[int(step)] * len(self.classes)
        return self.models[first : first + len(self.classes)].toarray()

    def intercept_at(self, step: int = -1) -> np.ndarray:
        """Intercepts.

        Parameters
        ----------
        step : int, default -1
            Which penalty.

        Returns
        -------
        ndarray, (n_classes,)
            Their sum is 0 if they are fitted.
        """
        return self.intercepts[int(step)]

    def _model(self, place):
        return self.coef_at(place.step), self.intercept_at(place.step)

    def without_data(self) -> "MultinomialPath":
        """The same path without the training data, as pickles of estimators hold it.

        Returns
        -------
        MultinomialPath
            It predicts at every penalty; its certificates are those of this path.
        """
        return replace(self, problem=self.problem.without_data())

    def certificate_at(self, place: PathPoint) -> Certificate:
        """The interval around the optimal objective, in sums over samples.

        Parameters
        ----------
        place : PathPoint
            ``PathPoint(step=k)``, the k-th penalty.

        Returns
        -------
        Certificate
            Its upper end is the objective of the model.

        Raises
        ------
        ValueError
            For a place that is not named by its step.
        """
        if place.step is None:
            raise ValueError(
                "a multinomial path has a certificate at each of its penalties: pass "
                f"PathPoint(step=k), got {place}."
            )
        step = int(place.step)
        lower, upper = self.bounds[step].tolist()
        return Certificate(
            L1Penalty(float(self.alphas[step] * self.problem.total_weight)), lower, upper
        )

    def predict(self, X: Any, step: int = -1, *, offset: ArrayLike | None = None) -> np.ndarray:
        """The most probable classes.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, (n_rows, n_features)
            New rows.
        step : int, default -1
            Which penalty.
        offset : array_like, (n_rows, n_classes), optional
            The known part of their predictions; default 0.

        Returns
        -------
        ndarray, (n_rows,)
            Labels.
        """
        return self.classes[self.predict_proba(X, step, offset=offset).argmax(axis=1)]

    def predict_proba(
        self, X: Any, step: int = -1, *, offset: ArrayLike | None = None
    ) -> np.ndarray:
        """Probabilities of the classes.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, (n_rows, n_features)
            New rows.
        step : int, default -1
            Which penalty.
        offset : array_like, (n_rows, n_classes), optional
            The known part of their predictions; default 0.

        Returns
        -------
        ndarray, (n_rows, n_classes)
            Each row sums to 1.
        """
        columns = []
        for coef, intercept in zip(self.coef_at(step), self.intercept_at(step), strict=True):
            beta = self.problem.unit(coef)
            columns.append(self.problem.predict(beta, X) - self.problem.raw(beta)[1] + intercept)
        pred = np.column_stack(columns)
        return softmax(pred if offset is None else pred + _offset(offset, *pred.shape), axis=1)


def multinomial_path(
    X: Any,
    y: ArrayLike,
    alphas: Any = None,
    *,
    n_alphas: int = 100,
    eps: float = 1e-3,
    tol: float = 1e-6,
    penalty_factor: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    lower_limits: ArrayLike | None = None,
    upper_limits: ArrayLike | None = None,
    positive: bool = False,
    l1_ratio: float = 1.0,
    unit_columns: bool = True,
    fit_intercept: bool = True,
    offset: ArrayLike | None = None,
) -> MultinomialPath:
    """The Lasso path of multinomial logistic regression, with a certificate at every alpha.

    Every class has coefficients of its own, and the penalty is the sum of their l1 norms, or with
    `l1_ratio` that of the elastic net. Intercepts are not penalised.

    Parameters
    ----------
    X : array_like, data frame or scipy sparse matrix, (n_samples, n_features)
        Columns are centred and scaled to Euclidean norm 1. Or a Problem: its columns and weights
        are used, its targets are not.
    y : array_like, (n_samples,)
        Labels of two classes or more.
    alphas : array_like, (n_alphas,), optional
        Penalties > 0 of the mean loss, in any order. Default: `n_alphas` values, evenly spaced on a
        log scale, from the smallest alpha at which all coefficients are 0 down to `eps` times that.
    n_alphas : int, default 100
        Length of the default grid.
    eps : float, default 1e-3
        The smallest alpha of the default grid over its largest.
    tol : float, default 1e-6
        Stop when the duality gap, a bound on how far the objective is above its optimum, is at most
        `tol` times the loss of the constant model.
    penalty_factor : array_like, (n_features,) or (2, n_features), dict or Series, optional
        Multiplies the penalties of the coefficients of each column; not rescaled to sum to
        n_features as glmnet does. By name as for ``lasso_path``. Must be > 0; infinity leaves a
        column out. Default: 1.
    sample_weight : array_like, (n_samples,), optional
        Weights of the terms of the mean loss.
    lower_limits, upper_limits : float or array_like, (n_features,), dict or Series, optional
        Limits of the coefficients of the columns of X, the same for each class: at most 0, at least
        0; infinite by default.
    positive : bool, default False
        True: no coefficient may be negative.
    l1_ratio : float, default 1
        Below 1 the elastic net, as for ``lasso_path``. 0 is ridge, solved class by class, which is
        slower.
    unit_columns : bool, default True
        Whether the penalty applies to the coefficients of unit columns. With False it applies to
        those of the columns of X, as in scikit-learn, whose C is 1 / (alpha n_samples).
    fit_intercept : bool, default True
        False: no intercepts, and columns are not centred. Columns of a Problem stay as they are; if
        they are centred, the intercepts only account for their means.
    offset : array_like, (n_samples, n_classes), optional
        A known part of the predictions, as what another model predicts; pass that of new rows to
        ``path.predict_proba(X, offset=...)``.

    Returns
    -------
    MultinomialPath
        Coefficients, intercepts and the gaps that were reached. If rounding or a limit of steps
        stopped it before `tol`, ``message`` says "not reached", and counts passes over the classes
        where these were solved one by one. Ctrl-C keeps the alphas done so far, with an
        ``InterruptedWarning``.

    Raises
    ------
    ValueError
        For bad input, fewer than two classes, classes without weight, and a Problem with an offset.

    Notes
    -----
    *Cost*: for each alpha a scan per class and some Newton steps on a working set of classes and
    columns. For columns that are not stored some ten to a hundred passes over the classes, each
    with three scans per class. *Source*: Friedman, Hastie, Tibshirani,
    *Regularization paths for generalized linear models via coordinate descent*, Section 4.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> path = cb.lasso.multinomial_path(X, y, alphas=[0.1], unit_columns=False)
    >>> path.coef_at().round(2)
    array([[ 0.  ,  0.  , -1.42,  0.  ],
           [ 0.  ,  0.  ,  0.  ,  0.  ],
           [ 0.  ,  0.  ,  1.17,  0.  ]])
    >>> bool(path.gaps[0] < 1e-6)
    True
    """
    label, classes = numbered_classes(y)
    free = validation.flag("fit_intercept", fit_intercept)
    tol = checked_positive("tol", tol)
    weight = (
        X.weight if isinstance(X, Problem) else validation.sample_weight(sample_weight, len(label))
    )
    frequency = frequency_of(classes, label, weight)
    known = None if offset is None else _offset(offset, len(label), len(classes)).T.copy()
    objective = _objective(
        X,
        label,
        sample_weight=sample_weight,
        penalty_factor=penalty_factor,
        lower_limits=lower_limits,
        upper_limits=upper_limits,
        positive=positive,
        l1_ratio=l1_ratio,
        unit_columns=unit_columns,
        free=free,
    )
    problem = objective.problem
    with one_thread():
        columns = objective.columns()
        task = ClassProblem(columns, label, frequency, free, known)
        alphas = _grid(objective, task, alphas, n_alphas, eps)
        with interruptible(lambda: True) as interrupted:  # the solvers say what they have made
            solution = _solved(task, objective.lams(alphas), tol)
            cut = interrupted()
        models, means = on_scale_of_x(problem, objective.scale, solution.gammas)
    if objective.limited:
        models.data = np.clip(models.data, *objective.limits[:, models.indices])  # rounding
    done = len(solution.bounds)
    intercepts = solution.shifts + means.reshape(done, -1)
    intercepts -= intercepts.mean(axis=1, keepdims=True) if free else 0.0
    lower, upper = solution.bounds.T
    gaps = (upper - lower) / task.null
    message = closing_message("multinomial_path", alphas, gaps, tol, cut)
    if message.startswith("not reached") and solution.n_passes:
        message += f", after {solution.n_passes} passes over the classes"
    return MultinomialPath(
        problem,
        classes,
        alphas[:done],
        models,
        intercepts,
        solution.bounds,
        gaps,
        solution.n_scans,
        message,
        objective.l1_ratio,
        objective.factors_of_x(),
    )


def numbered_classes(y):
    """Check labels; return the number of the class of each, and the classes, in order."""
    labels = np.asarray(y)
    if (
        len(labels.shape) != 1
        or labels.dtype.kind not in "biufUSO"
        or any(label is None or label != label for label in labels.tolist())
    ):
        raise ValueError(f"y must be a sequence of labels, one for each row of X, got {shown(y)}.")
    if labels.dtype.kind == "f" and (labels != np.floor(labels)).any():
        raise ValueError(
            f"y must hold labels of classes, got numbers with fractions, {shown(y)}: "
            "lasso_path is for a target of numbers; text, y.astype(str), is taken for labels."
        )
    try:
        classes, label = np.unique(labels, return_inverse=True)
    except TypeError:
        raise ValueError(
            f"y must hold labels of one kind, numbers or text, got {shown(y)}."
        ) from None
    if len(classes) < 2:
        raise ValueError(f"y holds {len(classes)} class, a multinomial model needs two or more.")
    return label, classes


def frequency_of(classes, label, weight):
    """The share of each class in the weights; each must be above 0."""
    frequency = np.bincount(label, weight, len(classes)) / weight.sum()
    if not frequency.all():
        raise ValueError(
            f"no row of the class {classes[frequency == 0].tolist()[0]!r} has a weight above 0: "
            "leave it out."
        )
    return frequency


def _offset(offset, n_rows, n_classes):
    """Check and return the known part of the predictions, (n_rows, n_classes)."""
    given = validation.numeric("offset", offset, 2)
    if given.shape != (n_rows, n_classes):
        raise ValueError(
            f"offset must have a row for each row of X and a column for each class, {n_rows} x "
            f"{n_classes}, got shape {given.shape}: the same number added to the predictions of "
            "all classes changes nothing."
        )
    return given


def _objective(
    X,
    label,
    *,
    sample_weight,
    penalty_factor,
    lower_limits,
    upper_limits,
    positive,
    l1_ratio,
    unit_columns,
    free,
):
    """Return the `Objective` of the first class against the rest: the penalty is that of each."""
    given = isinstance(X, Problem)
    if given and sample_weight is not None:
        raise ValueError(
            "sample_weight is part of the Problem: pass multinomial_path(problem, y) without it."
        )
    if given and X.offset is not None:
        raise ValueError(
            "the offset of a Problem is one number for each row: added to the predictions of all "
            "classes it changes nothing. Pass a Problem without one, and offset=(n_samples, "
            "n_classes)."
        )
    first = np.where(label == 0, 1.0, -1.0)
    problem, inverse_price, factors = lasso_problem(
        "multinomial_path",
        X,
        None if given else first,
        sample_weight,
        penalty_factor,
        None if given else Logistic(),
        unit_columns,
        given or free,
    )
    if not factors.all():
        raise ValueError(
            "penalty_factor must be positive for all columns of multinomial regression, got 0: "
            "take a small factor, such as 1e-6, and pass alphas."
        )
    ratio = checked_ratio(l1_ratio)
    limits = limits_of(lower_limits, upper_limits, validation.flag("positive", positive), problem)
    problem = problem.replace(loss=Logistic(), y=first, constant=0.0)
    return Objective.of(problem, inverse_price, factors, limits, ratio, free)


def _grid(objective, task, alphas, n_alphas, eps):
    """The penalties, decreasing: those given, or the default ones."""
    if alphas is None:
        total = float(task.weight.sum())
        unit = objective.unit / total / max(objective.l1_ratio, SMALLEST_RATIO)
        rounding = EPS * math.sqrt(total) * unit
        ridge_size = objective.ridge_size() if objective.l1_ratio == 0 else None
        alphas = penalty_grid(n_alphas, eps, task.largest() * unit, rounding, ridge_size)
    else:
        alphas = given_penalties(alphas)
    real(
        "alphas",
        alphas[-1],
        lambda alpha: alpha > 0,
        "above 0: without a penalty there may be no optimum",
    )
    return alphas


def _solved(task, lams, tol):
    """The `ClassSolution` at the penalties `lams`: by the compiled path, then by block descent."""
    solution, interrupted = by_class_path(task, lams, tol)
    if solution is None:
        return by_blocks(task, lams, tol)
    done = len(solution.bounds)
    if interrupted or done == len(lams):
        return solution
    before = solution if done else None
    more = by_blocks(task, lams[done:], tol, before)
    return solution.followed_by(more) if done else more
