r"""The Lasso of multinomial logistic regression on a grid of penalties.

Each has a certified duality gap.

Minimised is :math:`\frac{1}{n} \sum_i (\log \sum_k e^{f_{ik}} - f_{i y_i}) + \alpha \sum_{jk} p_j
|W_{jk}|`, with the predictions :math:`f_{ik} = b_k + x_i W_k`. As a function of :math:`f_{ik} `,
the others fixed, the loss of a row is, up to a constant, the logistic loss of :math:`f_{ik} - o_i`
with :math:`o_i = \log \sum_{l \ne k} e^{f_{il}}`. So the blocks of a block coordinate descent are
the classes: each is solved by proximal Newton steps on a working set of its own.

The certificate is joint. Let P be the probabilities and Y the classes as columns of 0 and 1; at the
best intercepts the columns of w (Y - P) sum to 0. With t at most 1, and so small that no learner
has a correlation above lam with a column of t w (Y - P), the weighted entropy of the rows of Y - t
(Y - P) is a lower end: the conjugate of the log of the sum of exponentials is minus the entropy.

Source: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via
coordinate descent*, Section 4 (glmnet's ``type.multinomial = "ungrouped"``); blocks of whole
classes and the certificate are ours.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike
from scipy.special import logsumexp, softmax, xlogy

from coordboost._numba.threads import one_thread
from coordboost._utils.checks import positive, real, shown
from coordboost._utils.interrupt import InterruptedWarning, interruptible
from coordboost._utils.warned import warn
from coordboost.certificates.objectives import Certificate, Evaluation, L1Penalty
from coordboost.data import validation
from coordboost.data.problem import Problem
from coordboost.lasso.columns import ScaledColumns
from coordboost.lasso.inputs import (
    given_penalties,
    lasso_problem,
    message_of,
    on_scale_of_x,
    penalty_grid,
)
from coordboost.lasso.newton import FreeNewton, Newton
from coordboost.lasso.penalty import Penalty, convex_gap
from coordboost.lasso.workingset import WorkingSet
from coordboost.losses.multinomial import multinomial_losses
from coordboost.losses.standard import Logistic
from coordboost.paths.places import PathPoint

EPS = float(np.finfo(float).eps)
#: ROUNDS: maximum number of passes over the classes for one penalty; FEW: the same after a larger
#: penalty did not reach the tolerance. IDLE: the descent ends after this many passes in a row in
#: which the gap falls by less than a hundredth. SHIFTS: maximum number of Newton steps for the
#: intercepts.
ROUNDS = 500
FEW = 50
IDLE = 20
SHIFTS = 30
#: Each class is solved until its own gap is this part of the joint one over the number of classes.
PART = 0.1


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
    gamma, beneath, stopped = 1.0, None, None  # as for a `LassoPath` that is not relaxed

    def __repr__(self):
        ended = "" if self.message == "complete" else f"; {self.message}"
        largest = self.gaps.max(initial=0.0)
        return (
            f"MultinomialPath({len(self.alphas)} alphas, {len(self.classes)} classes, relative "
            f"gaps <= {largest:.1e}{ended})"
        )

    @property
    def n_points(self) -> int:
        """Number of penalties."""
        return len(self.alphas)

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

    def predict(self, X: Any, step: int = -1) -> np.ndarray:
        """The most probable classes.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, (n_rows, n_features)
            New rows.
        step : int, default -1
            Which penalty.

        Returns
        -------
        ndarray, (n_rows,)
            Labels.
        """
        return self.classes[self.predict_proba(X, step).argmax(axis=1)]

    def predict_proba(self, X: Any, step: int = -1) -> np.ndarray:
        """Probabilities of the classes.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, (n_rows, n_features)
            New rows.
        step : int, default -1
            Which penalty.

        Returns
        -------
        ndarray, (n_rows, n_classes)
            Each row sums to 1.
        """
        columns = []
        for coef, intercept in zip(self.coef_at(step), self.intercept_at(step), strict=True):
            beta = self.problem.unit(coef)
            columns.append(self.problem.predict(beta, X) - self.problem.raw(beta)[1] + intercept)
        return softmax(np.column_stack(columns), axis=1)


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
    unit_columns: bool = True,
    fit_intercept: bool = True,
) -> MultinomialPath:
    """The Lasso path of multinomial logistic regression, with a certificate at every alpha.

    Every class has coefficients of its own, and the penalty is the sum of their l1 norms.
    Intercepts are not penalised.

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
    penalty_factor : array_like, (n_features,), optional
        Multiplies the penalties of the coefficients of each column; not rescaled to sum to
        n_features as glmnet does. Must be > 0. Default: 1.
    sample_weight : array_like, (n_samples,), optional
        Weights of the terms of the mean loss.
    unit_columns : bool, default True
        Whether the penalty applies to the coefficients of unit columns. With False it applies to
        those of the columns of X, as in scikit-learn, whose C is 1 / (alpha n_samples).
    fit_intercept : bool, default True
        False: no intercepts, and columns are not centred. Columns of a Problem stay as they are; if
        they are centred, the intercepts only account for their means.

    Returns
    -------
    MultinomialPath
        Coefficients, intercepts and the gaps that were reached. If rounding or the limit of passes
        stopped it before `tol`, ``message`` says "not reached" and counts the passes. Ctrl-C keeps
        the alphas done so far, with an ``InterruptedWarning``.

    Raises
    ------
    ValueError
        For bad input, fewer than two classes, and classes without weight.

    Notes
    -----
    *Cost*: for each alpha some ten to a hundred passes over the classes, each with three scans per
    class and Newton steps on its working set. *Source*: Friedman, Hastie, Tibshirani,
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
    labels = np.asarray(y)
    if (
        len(labels.shape) != 1
        or labels.dtype.kind not in "biufUSO"
        or any(one is None or one != one for one in labels.tolist())
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
    free = validation.flag("fit_intercept", fit_intercept)
    tol = positive("tol", tol)
    first = np.where(label == 0, 1.0, -1.0)
    weight = (
        X.weight if isinstance(X, Problem) else validation.sample_weight(sample_weight, len(labels))
    )
    frequency = np.bincount(label, weight, len(classes)) / weight.sum()
    if not frequency.all():
        raise ValueError(
            f"no row of the class {classes[frequency == 0].tolist()[0]!r} has a weight above 0: "
            "leave it out."
        )
    if isinstance(X, Problem):
        if sample_weight is not None:
            raise ValueError(
                "sample_weight is part of the Problem: pass multinomial_path(problem, y) "
                "without it."
            )
        problem, scale, factors = lasso_problem(
            "multinomial_path", X, None, None, penalty_factor, None, unit_columns, True
        )
    else:
        problem, scale, factors = lasso_problem(
            "multinomial_path",
            X,
            first,
            sample_weight,
            penalty_factor,
            Logistic(),
            unit_columns,
            free,
        )
    if not factors.all():
        raise ValueError(
            "penalty_factor must be positive for all columns of multinomial regression, got 0."
        )
    problem = problem.replace(loss=Logistic(), y=first, constant=0.0)
    largest = float(scale.max())
    total = float(problem.weight.sum())
    with one_thread():
        descent = BlockDescent(
            ScaledColumns(problem, scale / largest, weighted=False), label, frequency, free
        )
        top = descent.largest() * largest / total
        if alphas is None:
            rounding = EPS * math.sqrt(total) * largest / total
            alphas = penalty_grid(n_alphas, eps, top, rounding)
        else:
            alphas = given_penalties(alphas)
        real(
            "alphas",
            alphas[-1],
            lambda alpha: alpha > 0,
            "above 0: without a penalty there may be no optimum",
        )
        found: list = []
        with interruptible(lambda: not found) as interrupted:
            for alpha in alphas.tolist():
                found.append(descent.solve(alpha * total / largest, tol, interrupted))
                if interrupted():
                    break
        gammas, shifts, bounds = (np.array(one) for one in zip(*found, strict=True))
        models, means = on_scale_of_x(
            problem, scale / largest, scipy.sparse.csr_array(gammas.reshape(-1, problem.n_learners))
        )
    done = len(found)
    intercepts = shifts + means.reshape(done, -1)
    intercepts -= intercepts.mean(axis=1, keepdims=True) if free else 0.0
    gaps = (bounds[:, 1] - bounds[:, 0]) / descent.null
    message = message_of(alphas[:done], gaps, tol)
    if message.startswith("not reached"):
        message += f", after {descent.n_rounds} passes over the classes"
    if done < len(alphas):
        message = f"interrupted after {done} of {len(alphas)} alphas"
        warn(f"multinomial_path was {message}.", InterruptedWarning)
    return MultinomialPath(
        problem, classes, alphas[:done], models, intercepts, bounds, gaps, descent.n_scans, message
    )


class BlockDescent:
    """Block coordinate descent: one class after the other, with the other classes fixed.

    n_rounds, most_rounds : passes over the classes so far; their limit for the next penalty
    rounding : bound of the rounding in the bounds made last
    label : the class of each row, (n_samples,)
    one_hot : whether a row is of a class, (n_samples, n_classes)
    pred : the predictions, (n_samples, n_classes)
    free : whether there are intercepts
    inner, sets : the inner solver and the working set of each class
    null : the loss of the constant model
    """

    def __init__(self, columns, label, frequency, free):
        self.columns = columns
        self.free = free
        self.weight = columns.problem.weight
        self.label = label
        self.one_hot = label[:, None] == np.arange(len(frequency))
        self.pred = np.zeros(self.one_hot.shape) + (np.log(frequency) if free else 0.0)
        self.null = self._loss()
        self.n_scans = 0
        self.n_rounds = 0
        self.most_rounds = ROUNDS
        kind = FreeNewton if free else Newton
        unlimited = np.full(columns.n_learners, math.inf)
        cost = Penalty(1.0, np.zeros(columns.n_learners), -unlimited, unlimited, False, False)
        blocks = [
            ScaledColumns(self._block(k), columns.scale, cost, weighted=False)
            for k in range(len(frequency))
        ]
        self.inner = [kind(block, _block_gap) for block in blocks]
        for inner in self.inner:
            inner.null_loss = self.null
        self.sets = [WorkingSet(inner) for inner in self.inner]

    def _loss(self):
        return float(self.weight @ multinomial_losses(self.pred.T, self.label))

    def _block(self, k):
        """The logistic problem of class k, the others fixed."""
        others = logsumexp(np.delete(self.pred, k, axis=1), axis=1)
        return self.columns.problem.replace(y=np.where(self.one_hot[:, k], 1.0, -1.0), base=-others)

    def _residuals(self):
        """Move `pred` to the best intercepts, if they are free, and return Y - P.

        The latter is (n_samples, n_classes).

        The weighted columns then sum to 0 up to rounding.
        """
        weight = self.weight[:, None]
        for _ in range(SHIFTS if self.free else 0):
            p = softmax(self.pred, axis=1)
            slope = (weight * (self.one_hot - p)).sum(axis=0)
            if np.abs(slope).max() <= 4 * EPS * self.weight.sum():
                break
            self.pred = (
                self.pred
                + np.linalg.lstsq(
                    np.diag(self.weight @ p) - p.T @ (weight * p), slope, rcond=1e-12
                )[0]
            )
        resid = self.one_hot - softmax(self.pred, axis=1)
        return resid - self.weight @ resid / self.weight.sum() if self.free else resid

    def _scan(self, resid):
        self.n_scans += resid.shape[1]
        return max(float(np.abs(self.columns.scan(self.weight * one)).max()) for one in resid.T)

    def largest(self):
        """The largest abs correlation of a learner with the residuals of a class."""
        return self._scan(self._residuals())

    def bounds(self, lam):
        """Lower and upper bound of the optimal objective.

        Each is moved out by a bound of its rounding.
        """
        resid = self._residuals()
        problem = self.columns.problem
        n_samples = len(self.label)
        l1 = np.array([np.abs(inner.gamma).sum() for inner in self.inner])
        points = zip(self.inner, self.pred.T, self.weight * resid.T, strict=True)
        doubt = np.array(
            [
                Evaluation(inner.gamma, pred, 0.0, one, None).rounding_of_corr(problem)
                for inner, pred, one in points
            ]
        )
        # all correlations with a column of zeros are 0
        if problem.n_learners == 1 and not problem.gather([0]).any():
            doubt = 0.0 * doubt
        largest = self._scan(resid) + doubt.max()
        rounding = 2 * EPS * math.sqrt(n_samples)
        # a loss is a difference of numbers up to this
        sizes = 2 * np.abs(self.pred).max(axis=1) + math.log(self.pred.shape[1])
        self.rounding = float(doubt @ l1) + rounding * float(self.weight @ sizes)
        upper = self._loss() + lam * float(l1.sum()) + self.rounding
        q = self.one_hot - min(1.0, lam / largest if largest > 0 else 1.0) * resid
        if not q.min() > -8 * EPS:  # no dual point, as the intercepts are far from the best ones
            return 0.0, upper
        lower = -float(self.weight @ xlogy(np.maximum(q, 0.0), np.maximum(q, 0.0)).sum(axis=1))
        self.rounding += rounding * (lower + upper)
        return lower - rounding * (lower + upper), upper

    def solve(self, lam, tol, interrupted):
        """Solve for one penalty.

        Return coefficients (n_classes, n_learners), intercepts (n_classes,) of centred columns, the
        bounds.
        """
        best = math.inf
        lower = 0.0
        idle = 0
        for n_rounds in range(self.most_rounds + 1):
            bounds = self.bounds(lam)
            # every dual point is valid: keep the best
            lower, upper = (max(lower, bounds[0]), bounds[1])
            gap = (upper - lower) / self.null
            best, idle = (gap, 0) if gap <= 0.99 * best else (best, idle + 1)
            if gap <= tol or upper - lower <= 2 * self.rounding or interrupted():
                break
            if n_rounds == self.most_rounds or idle == IDLE:
                self.most_rounds = FEW
                break
            self.n_rounds += 1
            for k, (inner, working_set) in enumerate(zip(self.inner, self.sets, strict=True)):
                inner.go_on(self._block(k), self.pred[:, k].copy())
                working_set.solve(lam, max(PART * gap / len(self.inner), EPS))
                self.pred[:, k] = inner.pred
        gammas = np.zeros((len(self.inner), self.columns.n_learners))
        for gamma, inner in zip(gammas, self.inner, strict=True):
            gamma[inner.learner] = inner.gamma
        if not self.free:
            return gammas, np.zeros(len(gammas)), (lower, upper)
        fits = np.column_stack([self.columns.combine(gamma) for gamma in gammas])
        return gammas, np.average(self.pred - fits, axis=0, weights=self.weight), (lower, upper)


def _block_gap(lam, gamma, pred, loss, resid, corr):
    """The gap of one class, the others fixed.

    It only decides when to go on to the next class: the certificate is joint.
    """
    return convex_gap(
        loss,
        float(gamma @ corr),
        float(np.abs(gamma).sum()),
        float(np.abs(corr).max(initial=0.0)),
        lam,
        0.0,
    )
