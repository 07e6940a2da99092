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

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike
from scipy.special import softmax

from coordboost._numba.threads import one_thread
from coordboost._utils.checks import known_names, real, shown
from coordboost._utils.checks import positive as checked_positive
from coordboost._utils.interrupt import interruptible
from coordboost.certificates.objectives import Certificate, L1Penalty
from coordboost.data import validation
from coordboost.data.frames import as_pandas, by_index, is_frame, listed
from coordboost.data.problem import Problem, learners_at
from coordboost.lasso.class_blocks import by_blocks
from coordboost.lasso.class_path import by_class_path
from coordboost.lasso.classes import EPS, ClassProblem
from coordboost.lasso.grid import GridPath
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
from coordboost.paths.scoring import number_of_rows


@dataclass(frozen=True, eq=False)
class MultinomialPath(GridPath):
    """Multinomial Lasso models along a grid of penalties, the points of a path.

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
    factors : ndarray, (2, n_features)
        Factors of the absolute values and of the squares in the penalty.
    null_loss : float
        The loss of the constant model, in sums over samples.
    message : str
        "complete"; "not reached" and the largest gap; or what ended the path before its last alpha.
    l1_ratio : float, default 1
        rho: below 1 the elastic net.
    with_offset : bool, default False
        Whether the predictions of the fit had a known part.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> path = cb.lasso.multinomial_path(X, y, alphas=[0.5, 0.05], unit_columns=False)
    >>> path.n_points, bool(path.gaps.max() < 1e-6)
    (2, True)
    >>> path.predict_proba(X[[0, 149]], alpha=0.05).round(2)
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
    factors: np.ndarray
    null_loss: float
    message: str = "complete"
    l1_ratio: float = 1.0
    with_offset: bool = False
    gamma, beneath, stopped = 1.0, None, None  # as for a `LassoPath` that is not relaxed

    def __repr__(self):
        ended = "" if self.message == "complete" else f"; {self.message}"
        largest = self.gaps.max(initial=0.0)
        return (
            f"MultinomialPath({len(self.alphas)} alphas, {len(self.classes)} classes, "
            f"{self.penalty_units}, relative gaps <= {largest:.1e}{ended})"
        )

    @property
    def l1(self) -> np.ndarray:
        """The sum over the classes of the norms in the penalty, (n_alphas,)."""
        norms = abs(self.models) @ self.factors[0]
        return norms.reshape(self.n_points, -1).sum(axis=1)

    @property
    def losses(self) -> np.ndarray:
        """Sums of the losses on the rows of the fit at every alpha, (n_alphas,)."""
        squares = (self.models.power(2) @ self.factors[1]).reshape(self.n_points, -1).sum(axis=1)
        penalty = self.l1_ratio * self.l1 + (1 - self.l1_ratio) * squares / 2
        return self.bounds[:, 1] - self._lams * penalty

    @known_names
    def predict(
        self,
        X: Any,
        at: PathPoint | None = None,
        *,
        offset: ArrayLike | None = None,
        step: float | None = None,
        l1: float | None = None,
        lam: float | None = None,
        alpha: float | None = None,
        fraction: float | None = None,
    ) -> np.ndarray:
        """The most probable classes, at a place.

        By default at the end of the path.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, (n_rows, n_features)
            New rows.
        at : PathPoint, optional
            Where on the path.
        offset : array_like, (n_rows, n_classes), optional
            The known part of their predictions; default 0.
        step, l1, lam, alpha, fraction : float, optional
            The place by its name, as for ``coordboost.lasso.PathPoint``.

        Returns
        -------
        ndarray, (n_rows,)
            Labels.
        """
        ways = {"step": step, "l1": l1, "lam": lam, "alpha": alpha, "fraction": fraction}
        return self._of_places(
            at, ways, lambda place: self.classes[self._raw(X, place, offset).argmax(axis=1)]
        )

    @known_names
    def predict_proba(
        self,
        X: Any,
        at: PathPoint | None = None,
        *,
        offset: ArrayLike | None = None,
        step: float | None = None,
        l1: float | None = None,
        lam: float | None = None,
        alpha: float | None = None,
        fraction: float | None = None,
    ) -> np.ndarray:
        """Probabilities of the classes, at a place.

        By default at the end of the path.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, (n_rows, n_features)
            New rows.
        at : PathPoint, optional
            Where on the path.
        offset : array_like, (n_rows, n_classes), optional
            The known part of their predictions; default 0.
        step, l1, lam, alpha, fraction : float, optional
            The place by its name, as for ``coordboost.lasso.PathPoint``.

        Returns
        -------
        ndarray, (n_rows, n_classes)
            Each row sums to 1.
        """
        ways = {"step": step, "l1": l1, "lam": lam, "alpha": alpha, "fraction": fraction}
        return self._of_places(at, ways, lambda place: softmax(self._raw(X, place, offset), axis=1))

    def without_data(self) -> "MultinomialPath":
        """The same path without the training data, as pickles of estimators hold it.

        Returns
        -------
        MultinomialPath
            It predicts at every penalty; its certificates are those of this path.
        """
        return replace(self, problem=self.problem.without_data())

    def certificate(self, step: int = -1, *, independent: bool = False) -> Certificate:
        """The interval around the optimal objective at one alpha, in sums over samples.

        Parameters
        ----------
        step : int, default -1
            The number of the alpha.
        independent : bool, default False
            Not for multinomial models: the general solver of ``certify`` is for one model.

        Returns
        -------
        Certificate
            Its upper end is the objective of the model.

        Raises
        ------
        ValueError
            For a number that no alpha has, and for ``independent=True``.
        """
        step = self._place(step)
        if validation.flag("independent", independent):
            raise ValueError(
                "independent=True compares with a general solver, which does not know multinomial "
                "models: leave it out; bounds holds the certified interval."
            )
        lower, upper = self.bounds[step].tolist()
        witness = {"relative_gap": float(self.gaps[step])}
        return Certificate(L1Penalty(float(self._lams[step])), lower, upper, witness=witness)

    def relaxed(self, gamma: float = 0.0) -> "MultinomialPath":
        """Not for multinomial models, which have no relaxed fits.

        Parameters
        ----------
        gamma : float, default 0
            As for ``LassoPath.relaxed``; 1 is the Lasso itself.

        Returns
        -------
        MultinomialPath
            This path, for gamma = 1.

        Raises
        ------
        ValueError
            For another gamma.
        """
        if gamma == 1:
            return self
        raise ValueError(
            "multinomial paths have no relaxed fits: fit one model for each class "
            "(CertifiedLassoClassifierCV(gamma=...) without multinomial)."
        )

    def degrees_of_freedom(self) -> np.ndarray:
        """Not for multinomial models: they are known for the squared loss.

        Returns
        -------
        ndarray
            Never.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError(
            "degrees of freedom are known for the squared loss only; choose by cross-validation."
        )

    @property
    def _has_offset(self):
        return self.with_offset

    @property
    def _shape(self):
        return len(self.classes), self.models.shape[1]

    def _coefs_of_points(self):
        return self.models.toarray().reshape(self.n_points, -1)

    def _of_classes(self, names):
        return [f"{label}: {name}" for label in self.classes.tolist() for name in names]

    def _deviance(self, losses):
        return {"loss": losses / self.problem.total_weight, "deviance": 1 - losses / self.null_loss}

    def _predict(self, X, place):
        table = learners_at(X, self.problem)
        coefs, intercepts = self._model(place)
        return np.column_stack([table.combine(coef) for coef in coefs]) + intercepts

    def _known(self, offset, n_rows, X):
        return 0.0 if offset is None else class_offset(offset, n_rows, self.classes, X)

    def _targets(self, X, y, sample_weight):
        n_rows = number_of_rows(X)
        y = np.asarray(y)
        if y.shape != (n_rows,):
            raise ValueError(
                f"y must have one label per row of X: expected shape ({n_rows},), got {y.shape}."
            )
        label = np.searchsorted(self.classes, y)
        known = self.classes[np.minimum(label, len(self.classes) - 1)] == y
        if not known.all():
            strange = y[~known].tolist()[0]
            raise ValueError(f"y holds the class {strange!r}, which was not in the fit.")
        return label, validation.sample_weight(sample_weight, n_rows, X)

    def _least(self, X, y, weight):
        return 0.0

    def _sums(self, preds, y, weight, offset):
        return np.array([multinomial_losses((pred + offset).T, y) @ weight for pred in preds])


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
    offset : array_like or data frame, (n_samples, n_classes), optional
        A known part of the predictions, as what another model predicts; pass that of new rows to
        ``path.predict_proba(X, offset=...)``. Columns of a data frame may have the names of the
        classes, in any order; its rows are matched with a data frame X by its index.

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
    >>> path.coef_at(alpha=0.1).round(2)
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
    known = None if offset is None else class_offset(offset, len(label), classes, X).T.copy()
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
        objective.factors_of_x(),
        task.null,
        message,
        objective.l1_ratio,
        known is not None,
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


def class_offset(offset, n_rows, classes, X=None):
    """Check and return the known part of the predictions of the rows of X, (n_rows, n_classes).

    The columns of a data frame with the names of the classes are theirs, in any order; its rows are
    matched with a data frame X by its index.
    """
    if is_frame(offset):
        offset = _by_class(by_index("offset", as_pandas(offset), X), classes)
    given = validation.as_array("offset", offset)
    if given.shape != (n_rows, len(classes)):
        raise ValueError(
            f"offset must have a row for each row of X and a column for each class, {n_rows} x "
            f"{len(classes)}, got shape {given.shape}: the same number added to the predictions of "
            "all classes changes nothing."
        )
    return validation.numeric("offset", given, 2)


def _by_class(frame, classes):
    """The columns of a data frame in the order of the classes."""
    names = frame.columns.tolist()
    if sorted(map(str, names)) == sorted(map(str, classes)):
        place = {str(name): k for k, name in enumerate(names)}
        return frame.iloc[:, [place[str(label)] for label in classes]].to_numpy()
    if names != list(range(len(names))):
        known = listed([repr(label) for label in classes.tolist()])
        raise ValueError(
            f"the columns of offset must be the classes, {known}, got {listed(names)}: rename "
            "them, or pass offset.to_numpy() for columns in the order of the classes."
        )
    return frame.to_numpy()


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
