"""The Lasso and the elastic net with a certificate, as estimators."""

import math
from copy import copy
from dataclasses import replace
from functools import cache, partial

import numpy as np

from coordboost._utils.checks import number_of, positive, shown
from coordboost._utils.warned import warn
from coordboost.data import validation
from coordboost.estimators.base import (
    Classification,
    Regression,
    check_seed,
)
from coordboost.estimators.joint_lasso import JointAtOnePenalty, JointOnGrid
from coordboost.estimators.linear import CrossValidated, _BaseLinear
from coordboost.lasso.adaptive import adaptive_factors
from coordboost.lasso.inputs import ROUNDED, as_factors, checked_ratio
from coordboost.lasso.path import grid_with_knots, lasso_path
from coordboost.losses.standard import Poisson
from coordboost.model_selection.splits import folds_of
from coordboost.paths.freedom import COSTS

#: A column is constant if its standard deviation is below this fraction of its root mean square:
#: the rest is rounding.
CONSTANT = 1e-7
#: First fits of the adaptive Lasso, and the share of the l1 norm in their penalty.
FIRST = {"ridge": 0.0, "lasso": 1.0}
#: Folds that choose the penalty of the first fit, where the rule of the second needs none.
FOLDS = 5
#: A grid of MANY penalties, for as many rows, ends too early if those after the part LATE of it
#: make more than the part FALLS of the whole fall of what is minimised.
MANY = 20
LATE = 0.9
FALLS = 0.05


class ShortOfTol:
    """Mixin of estimators on a path of ``lasso_path``: the warning where `tol` was not reached."""

    #: What certificates bound, and what to do.
    _if_short: str

    def _short_of(self, path, place):
        step = int(place.step)
        lasso = path.beneath or path
        gap = float(lasso.gaps[step])
        alpha = float(lasso.alphas[step])
        if not gap <= self.tol * ROUNDED:
            return (
                f"the gap at alpha = {alpha:.6g} is {gap:.2g} of the loss of the constant model, "
                f"above tol = {self.tol:g}: certificate_ bounds the optimum{self._if_short}"
            )
        if path.beneath is not None and path.stopped[step]:
            return (
                f"the fit without a penalty at alpha = {alpha:.6g} was ended by its limit of steps "
                "before its optimum. Pass gamma=1 "
                "for the Lasso alone, or scale the columns of X to moderate size."
            )
        return ""


class _BasePenalized(ShortOfTol, _BaseLinear):
    """Abstract base: one path over a grid of penalties, ``_grid()``, for each of the shares of the
    l1 norm, ``_l1_ratios()``.
    """

    _by_gram = True
    l1_ratio = 1.0
    rule = "best"
    _if_short = (
        ". Pass a larger tol or alpha, or scale targets and weights to moderate size, for less "
        "rounding."
    )

    def _check_parameters(self):
        super()._check_parameters()
        validation.flag("standardize", self.standardize)

    def _paths(self, problem, products=None):
        paths = []
        for l1_ratio in self._l1_ratios():
            path = self._path(problem, products, self._grid(), l1_ratio)
            paths.append(
                (path, partial(self._path, grid={"alphas": path.alphas}, l1_ratio=l1_ratio))
            )
        return paths

    def _path(self, problem, products, grid, l1_ratio, factors=None):
        """The path on a grid. `factors` : penalty factors, (2, n_columns); default: as given."""
        objective = {
            "l1_ratio": l1_ratio,
            "penalty_factor": self._factors(problem) if factors is None else factors,
            "lower_limits": self.lower_limits,
            "upper_limits": self.upper_limits,
            "positive": self.positive,
            "unit_columns": False,
            "refit_intercept": self.fit_intercept,
        }
        if self.rule in COSTS:
            grid = grid_with_knots(problem, grid, **objective)
        return lasso_path(problem, **grid, **objective, tol=self.tol, products=products)

    def _factors(self, problem):
        """Return the penalty factors: as given, or with `standardize` those of abs(coef_j) and of
        coef_j^2, (2, n_columns).
        """
        if not self.standardize:
            return self.penalty_factor
        deviation = self._deviations(problem)
        return as_factors(self.penalty_factor, problem) * [deviation, deviation**2]

    def _deviations(self, problem):
        """Return the standard deviations of the columns of X, (n_columns,).

        1 for constant columns.
        """
        standardization = problem.standardization
        total = problem.weight.sum()
        deviation = standardization.deviations(total)
        if not self.fit_intercept:  # columns are not centred
            deviation[standardization.kept] *= np.sqrt(
                np.maximum(1 - problem.scan(problem.weight) ** 2 / total, 0)
            )
        return np.where(deviation > CONSTANT * standardization.deviations(total), deviation, 1.0)


class Adaptive:
    """Mixin: the adaptive Lasso, whose penalty factors are those of a first fit."""

    #: The penalty of the first fit, while an adaptive Lasso is fitted.
    _first_alpha = None

    def _check_parameters(self):
        super()._check_parameters()
        if self.adaptive is not None and not (
            isinstance(self.adaptive, str) and self.adaptive in FIRST
        ):
            raise ValueError(
                f"adaptive must be 'ridge', 'lasso' or None, got {shown(self.adaptive)}."
            )

    def _choose(self, X, y, weight, offset, folds):
        if self.adaptive is None:
            return super()._choose(X, y, weight, offset, folds)
        self._first_alpha = self._alpha_of_first_fit(X, y, weight, offset, folds)
        try:
            return super()._choose(X, y, weight, offset, folds)
        finally:
            del self._first_alpha

    def _alpha_of_first_fit(self, X, y, weight, offset, folds):
        """Return the penalty of the first fit of an adaptive Lasso, by cross-validation."""
        first = self._on_grid()
        first.adaptive = None
        first.alphas = None
        first.gamma = 1.0
        first.rule = "best"
        first.l1_ratio = FIRST[self.adaptive]
        first._seen = []
        first._warns_at_the_end = False  # its grid is nobody's choice
        folds = folds or folds_of(y, FOLDS, check_seed(first.random_state))
        if hasattr(self, "classes_") and any(len(np.unique(y[rows])) < 2 for rows, _ in folds):
            raise ValueError(
                f"adaptive={self.adaptive!r} chooses the penalty of its first fit on folds, and "
                "one of them holds out all rows of a class: give each class two rows or more."
            )
        path, place = first._choose(X, y, weight, offset, folds)
        return float(path.alphas[int(place.step)])

    def _path(self, problem, products, grid, l1_ratio, factors=None):
        """As before; of an adaptive Lasso with the factors of a first fit on the same rows."""
        if self._first_alpha is None or factors is not None:
            return super()._path(problem, products, grid, l1_ratio, factors)
        own = as_factors(self._factors(problem), problem)
        first_grid = {"alphas": [self._first_alpha]}
        first = super()._path(problem, products, first_grid, FIRST[self.adaptive], own)
        unit = self._deviations(problem) if self.standardize else 1.0
        adaptive = adaptive_factors(first.coef_at(step=0) * unit)
        adaptive[own[0] == 0] = 1.0  # what has no penalty keeps none
        squares = np.where(np.isinf(adaptive), math.inf, 1.0)
        factors = own * [adaptive, squares]
        path = super()._path(problem, products, grid, l1_ratio, factors)
        return replace(path, given=f"the penalty factors of a first fit, {self.adaptive}")


class OnePenalty(Adaptive, _BasePenalized):
    """Abstract base: one penalty."""

    def __init__(
        self,
        *,
        alpha,
        standardize,
        fit_intercept,
        penalty_factor,
        lower_limits,
        upper_limits,
        positive,
        tol,
        adaptive,
    ):
        self.alpha = alpha
        self.standardize = standardize
        self.fit_intercept = fit_intercept
        self.penalty_factor = penalty_factor
        self.lower_limits = lower_limits
        self.upper_limits = upper_limits
        self.positive = positive
        self.tol = tol
        self.adaptive = adaptive

    def _check_parameters(self):
        super()._check_parameters()
        positive("alpha", self.alpha)

    def _on_grid(self):
        """The estimator of this kind whose penalty is chosen by cross-validation, with what is
        known of the data.
        """
        first = self._kind_on_grid()
        known = {name: value for name, value in vars(self).items() if name != "alpha"}
        vars(first).update(known)
        return first

    def _grid(self):
        return {"alphas": [float(self.alpha)]}

    def _l1_ratios(self):
        return [self.l1_ratio]


class OnGrid:
    """Mixin: the model is at a penalty of a grid, which has no steps."""

    @property
    def n_steps_(self):
        self._only("paths_")  # an AttributeError before the fit, and where there are several
        return None

    @property
    def alpha_(self):
        return float(self.path_.alphas[int(self.place_.step)])

    @property
    def l1_(self):
        return float(self.path_.l1[int(self.place_.step)])


class PenaltyGrid(Adaptive, OnGrid, CrossValidated, _BasePenalized):
    """Abstract base: the penalty is chosen from a grid."""

    def __init__(
        self,
        *,
        alphas,
        n_alphas,
        eps,
        standardize,
        fit_intercept,
        penalty_factor,
        lower_limits,
        upper_limits,
        positive,
        tol,
        gamma,
        rule,
        cv,
        scoring,
        n_jobs,
        random_state,
        adaptive,
    ):
        self.alphas = alphas
        self.n_alphas = n_alphas
        self.eps = eps
        self.standardize = standardize
        self.fit_intercept = fit_intercept
        self.penalty_factor = penalty_factor
        self.lower_limits = lower_limits
        self.upper_limits = upper_limits
        self.positive = positive
        self.tol = tol
        self.gamma = gamma
        self.rule = rule
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.adaptive = adaptive

    @property
    def l1_ratio_(self):
        """The chosen share of the l1 norm in the penalty."""
        return float(self.path_.l1_ratio)

    @property
    def gamma_(self):
        """The chosen weight of the Lasso fit; 1 without the fits of the relaxed Lasso."""
        return float(getattr(self.path_, "gamma", 1.0))

    def _grid(self):
        return {"alphas": self.alphas, "n_alphas": self.n_alphas, "eps": self.eps}

    def _on_grid(self):
        return copy(self)

    def _l1_ratios(self):
        return np.sort(np.atleast_1d(self.l1_ratio))[::-1].tolist()

    def _check_parameters(self):
        super()._check_parameters()
        ratios = (
            [self.l1_ratio]
            if number_of(self.l1_ratio) is not None
            else validation.as_array("l1_ratio", self.l1_ratio)
        )
        if not (np.ndim(ratios) == 1 and len(ratios)):
            raise ValueError(
                "l1_ratio must be a number from 0 to 1, or a sequence of such numbers, got "
                f"{shown(self.l1_ratio)}."
            )
        for ratio in ratios:
            checked_ratio(ratio)
        ndim = validation.as_array("gamma", self.gamma).ndim
        if not (ndim < 2 and validation.numeric("gamma", self.gamma, ndim).size):
            raise ValueError(
                "gamma must be a number from 0 to 1, or a sequence of such numbers, got "
                f"{shown(self.gamma)}."
            )

    def _warn_at_the_end(self, path, curve):
        late = curve[int(LATE * (len(curve) - 1))]
        falls = late - curve[-1] > FALLS * (curve[0] - curve[-1])
        few = min(len(curve), path.problem.n_samples) < MANY
        if few or not np.isfinite(curve).all() or not falls:
            return
        alpha = float(path.alphas[-1])
        warn(
            f"the chosen alpha = {alpha:.4g} is the smallest of the grid, and the criterion still "
            "falls there: pass a smaller eps, or alphas that go further."
        )

    def _paths(self, problem, products=None):
        return [
            mixed
            for path, walk in super()._paths(problem, products)
            for mixed in self._mixtures(path, cache(walk))
        ]

    def _mixtures(self, path, walk):
        """Return the relaxed path and its function for each `gamma`, ascending.

        All share the Lasso fits of the folds.
        """
        gammas = np.sort(np.ravel(self.gamma)).tolist()
        return [
            (path.relaxed(gamma), lambda *rows, gamma=gamma: walk(*rows).relaxed(gamma))
            for gamma in gammas
        ]


class CountRegression(Regression):
    """Mixin of regressors for counts or rates, whose mean is the exponential of the model."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def _get_loss(self):
        return Poisson()


class CertifiedLasso(Regression, OnePenalty):
    """The Lasso, with an interval around its optimum.

    Parameters
    ----------
    alpha : float, default 1.0
        The penalty. The objective is mean loss + alpha * sum_j abs(w_j). The squared loss is (y -
        f)^2 / 2, so alpha is that of scikit-learn's ``Lasso``, and lambda of glmnet with the same
        `standardize`.
    standardize : bool, default False
        True: the penalty is on the coefficients of columns of standard deviation 1, as in R's
        glmnet by default. False: on those of the columns as they are, as in scikit-learn. ``coef_``
        is on the scale of X in either case.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred, as in scikit-learn.
    penalty_factor : array_like of shape (n_features,), dict or Series, optional
        Multiplies the penalty of each coefficient; not rescaled to sum to n_features as glmnet
        does. By the names of the columns: a dict, whose other columns have 1, or a Series.
        0: no penalty; infinity leaves a column out. Default: 1.
    lower_limits : float or array_like of shape (n_features,), dict or Series, optional
        Lower limits (<= 0) of the coefficients of the columns of X, as in glmnet.
    upper_limits : float or array_like of shape (n_features,), dict or Series, optional
        Upper limits (>= 0) of these coefficients.
    positive : bool, default False
        True: no coefficient is negative, as in scikit-learn.
    tol : float, default 1e-6
        Stop when the duality gap, a bound on how far the objective is above its optimum, is at most
        `tol` times the loss of the constant model (less the smallest value that the loss can take).
        If rounding prevents this, a ``ConvergenceWarning`` gives the gap reached.
    loss : loss, optional
        Default ``Squared()``; ``Huber(d)`` or any other loss that ``lasso_path`` takes. The
        intercept is not penalised. For two or more classes use ``CertifiedLassoClassifier`` or
        ``CertifiedLassoClassifierCV``.
    adaptive : {"ridge", "lasso"}, optional
        The adaptive Lasso: each abs coefficient is penalised in inverse proportion to its size in a
        first fit, whose penalty is chosen by cross-validation on five folds; columns that a first
        Lasso leaves at 0 are left out. ``certificate_`` is that of the second fit, given these
        factors. See ``coordboost.lasso.adaptive_factors``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    path_ : LassoPath
        The fitted path: with ``CV`` in the name of the estimator over all `alphas`, otherwise one
        point, the model at `alpha`.
    paths_ : list
        A list with the one ``path_``.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        A list with the one ``place_``.
    certificate_ : Certificate
        Interval that contains the optimal value of the model's objective, in sums over samples,
        penalty included (divide by the sum of the weights, or n_samples, for the scale of `alpha`).
        Its upper end is this model's own value. Computed on access.
    certificates_ : list of Certificate
        A list with the one ``certificate_``.
    n_scans_ : float
        Cost of the path on all rows: the number of passes over all columns; a pass over some of
        them counts as a fraction.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: see ``lasso_path``.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.CertifiedLasso().fit(X, y)
    >>> round(model.score(X, y), 1)
    0.4
    >>> bool(model.certificate_.lower <= model.certificate_.upper)
    True
    """

    @property
    def _kind_on_grid(self):
        return CertifiedLassoCV

    def __init__(
        self,
        *,
        alpha=1.0,
        standardize=False,
        fit_intercept=True,
        penalty_factor=None,
        lower_limits=None,
        upper_limits=None,
        positive=False,
        tol=1e-6,
        loss=None,
        adaptive=None,
    ):
        super().__init__(
            alpha=alpha,
            standardize=standardize,
            fit_intercept=fit_intercept,
            penalty_factor=penalty_factor,
            lower_limits=lower_limits,
            upper_limits=upper_limits,
            positive=positive,
            tol=tol,
            adaptive=adaptive,
        )
        self.loss = loss


class CertifiedLassoCV(Regression, PenaltyGrid):
    """The Lasso; its penalty chosen by cross-validation or by AIC, BIC or Cp.

    Parameters
    ----------
    alphas : sequence of float, optional
        Penalties to choose from. The objective is mean loss + alpha * sum_j abs(w_j). The squared
        loss is (y - f)^2 / 2, so alpha is that of scikit-learn's ``Lasso``, and lambda of glmnet
        with the same `standardize`. Default: `n_alphas` values, evenly spaced on a log scale, from
        the smallest alpha at which all coefficients are 0 down to `eps` times that.
    n_alphas : int, default 100
        Number of penalties of the default grid.
    eps : float, default 1e-3
        Smallest penalty of the default grid, divided by the largest.
    standardize : bool, default False
        True: the penalty is on the coefficients of columns of standard deviation 1, as in R's
        glmnet by default. False: on those of the columns as they are, as in scikit-learn. ``coef_``
        is on the scale of X in either case.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred, as in scikit-learn.
    penalty_factor : array_like of shape (n_features,), dict or Series, optional
        Multiplies the penalty of each coefficient; not rescaled to sum to n_features as glmnet
        does. By the names of the columns: a dict, whose other columns have 1, or a Series.
        0: no penalty; infinity leaves a column out. Default: 1.
    lower_limits : float or array_like of shape (n_features,), dict or Series, optional
        Lower limits (<= 0) of the coefficients of the columns of X, as in glmnet.
    upper_limits : float or array_like of shape (n_features,), dict or Series, optional
        Upper limits (>= 0) of these coefficients.
    positive : bool, default False
        True: no coefficient is negative, as in scikit-learn.
    tol : float, default 1e-6
        Stop when the duality gap, a bound on how far the objective is above its optimum, is at most
        `tol` times the loss of the constant model (less the smallest value that the loss can take).
        If rounding prevents this, a ``ConvergenceWarning`` gives the gap reached.
    loss : loss, optional
        Default ``Squared()``; ``Huber(d)`` or any other loss that ``lasso_path`` takes. The
        intercept is not penalised. For two or more classes use ``CertifiedLassoClassifier`` or
        ``CertifiedLassoClassifierCV``.
    gamma : float or sequence of float, default 1.0
        The weight of the Lasso fit in each model, from 0 to 1; the other part is the unpenalised
        fit on its non-zero coefficients (relaxed Lasso, see ``LassoPath.relaxed``), within the same
        limits. ``certificate_`` is then that of the Lasso beneath, and says so. From a sequence,
        one is chosen along with the penalty; R's glmnet with ``relax = TRUE`` takes
        ``[0, 0.25, 0.5, 0.75, 1]``. For "one_se", a smaller gamma counts as simpler.
    rule : {"best", "one_se", "aic", "bic", "cp"}, default "best"
        "best": smallest mean loss over the folds. "one_se": largest alpha within one standard error
        of it. "aic", "bic", "cp": information criteria on all rows, no cross-validation; squared
        loss only. For these the default grid of the Lasso has the knots of the exact path, too, on
        tables of up to 300 rows or columns: the best of all penalties is one of them.
    cv : int, splitter or iterable, default 5
        An int: that many folds, stratified on y: rows are sorted by y, and of every `cv`
        consecutive rows each fold gets one, at random. This differs from scikit-learn's ``KFold``
        without shuffling. Pass a splitter for that, or ``cb.model_selection.Bootstrap(25)`` for
        bootstrap samples.
    scoring : str or callable, optional
        Criterion on held-out rows. Default: the mean loss. Or a scorer of scikit-learn, such as
        ``"roc_auc"`` or ``"neg_mean_absolute_error"``: greater is better. See ``cross_validate``.
    n_jobs : int, optional
        Number of threads; the result does not depend on it.
    random_state : int or RandomState instance, default 0
        Seed of the assignment to folds, for an int `cv`.
    noise_variance : float, optional
        sigma^2 in AIC, BIC and Cp. Default: RSS / (n - rank - 1) of least squares on all columns,
        RSS / (n - rank) without an intercept; must be given if this divisor is below 1.
    adaptive : {"ridge", "lasso"}, optional
        The adaptive Lasso: each abs coefficient is penalised in inverse proportion to its size in a
        first fit, whose penalty is chosen by cross-validation on the same folds; columns that a
        first Lasso leaves at 0 are left out. In each fold the first fit is made anew, on its rows.
        ``certificate_`` is that of the second fit, given these factors. See
        ``coordboost.lasso.adaptive_factors``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    alpha_ : float
        The chosen penalty.
    l1_ratio_ : float
        The chosen share of the l1 norm in the penalty.
    gamma_ : float
        The chosen weight of the Lasso fit; below 1 the fit is relaxed.
    l1_ : float
        L1 norm of the chosen model, in the units of ``PathPoint(l1=...)``.
    n_steps_ : None
        Always None: a grid of penalties has no steps.
    path_ : LassoPath
        The fitted path: with ``CV`` in the name of the estimator over all `alphas`, otherwise one
        point, the model at `alpha`.
    paths_ : list
        A list with the one ``path_``.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        A list with the one ``place_``.
    certificate_ : Certificate
        Interval that contains the optimal value of the model's objective, in sums over samples,
        penalty included (divide by the sum of the weights, or n_samples, for the scale of `alpha`).
        Its upper end is this model's own value. Computed on access.
    certificates_ : list of Certificate
        A list with the one ``certificate_``.
    cross_validation_ : CrossValidation
        Losses on held-out rows at all points of the path, or of all paths compared. For classifiers
        with one model for each class: a list.
    criterion_ : ndarray of shape (n_points,)
        Value of AIC, BIC or Cp at every point of the path; smaller is better. Only if `rule` is one
        of them; then there is no ``cross_validation_``.
    n_scans_ : float
        Cost of the path on all rows: the number of passes over all columns; a pass over some of
        them counts as a fraction.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: see ``lasso_path``; degrees of freedom: see ``coordboost.paths.freedom``.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.CertifiedLassoCV().fit(X, y)
    >>> round(model.score(X, y), 1)
    0.5
    >>> model.cross_validation_.losses.shape
    (5, 100)
    """

    def __init__(
        self,
        *,
        alphas=None,
        n_alphas=100,
        eps=1e-3,
        standardize=False,
        fit_intercept=True,
        penalty_factor=None,
        lower_limits=None,
        upper_limits=None,
        positive=False,
        tol=1e-6,
        loss=None,
        gamma=1.0,
        rule="best",
        cv=5,
        scoring=None,
        n_jobs=None,
        random_state=0,
        noise_variance=None,
        adaptive=None,
    ):
        super().__init__(
            alphas=alphas,
            n_alphas=n_alphas,
            eps=eps,
            standardize=standardize,
            fit_intercept=fit_intercept,
            penalty_factor=penalty_factor,
            lower_limits=lower_limits,
            upper_limits=upper_limits,
            positive=positive,
            tol=tol,
            gamma=gamma,
            rule=rule,
            cv=cv,
            scoring=scoring,
            n_jobs=n_jobs,
            random_state=random_state,
            adaptive=adaptive,
        )
        self.loss = loss
        self.noise_variance = noise_variance


class CertifiedElasticNet(Regression, OnePenalty):
    """The elastic net, with an interval around its optimum.

    Parameters
    ----------
    alpha : float, default 1.0
        The penalty. The objective is mean loss + alpha * (l1_ratio * sum_j abs(w_j) + (1 -
        l1_ratio) / 2 * sum_j w_j^2). The squared loss is (y - f)^2 / 2, so alpha is that of
        scikit-learn's ``ElasticNet``, and lambda of glmnet with the same `standardize` if y has
        standard deviation 1 (glmnet divides y by it).
    l1_ratio : float, default 0.5
        Share of the L1 norm in the penalty alpha * (l1_ratio * sum_j abs(w_j) + (1 - l1_ratio) / 2
        * sum_j w_j^2).
    standardize : bool, default False
        True: the penalty is on the coefficients of columns of standard deviation 1, as in R's
        glmnet by default. False: on those of the columns as they are, as in scikit-learn. ``coef_``
        is on the scale of X in either case.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred, as in scikit-learn.
    penalty_factor : array_like of shape (n_features,), dict or Series, optional
        Multiplies the penalty of each coefficient; not rescaled to sum to n_features as glmnet
        does. By the names of the columns: a dict, whose other columns have 1, or a Series.
        0: no penalty; infinity leaves a column out. Default: 1.
    lower_limits : float or array_like of shape (n_features,), dict or Series, optional
        Lower limits (<= 0) of the coefficients of the columns of X, as in glmnet.
    upper_limits : float or array_like of shape (n_features,), dict or Series, optional
        Upper limits (>= 0) of these coefficients.
    positive : bool, default False
        True: no coefficient is negative, as in scikit-learn.
    tol : float, default 1e-6
        Stop when the duality gap, a bound on how far the objective is above its optimum, is at most
        `tol` times the loss of the constant model (less the smallest value that the loss can take).
        If rounding prevents this, a ``ConvergenceWarning`` gives the gap reached.
    adaptive : {"ridge", "lasso"}, optional
        The adaptive Lasso: each abs coefficient is penalised in inverse proportion to its size in a
        first fit, whose penalty is chosen by cross-validation on five folds; columns that a first
        Lasso leaves at 0 are left out. ``certificate_`` is that of the second fit, given these
        factors. See ``coordboost.lasso.adaptive_factors``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    path_ : LassoPath
        The fitted path: with ``CV`` in the name of the estimator over all `alphas`, otherwise one
        point, the model at `alpha`.
    paths_ : list
        A list with the one ``path_``.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        A list with the one ``place_``.
    certificate_ : Certificate
        Interval that contains the optimal value of the model's objective, in sums over samples,
        penalty included (divide by the sum of the weights, or n_samples, for the scale of `alpha`).
        Its upper end is this model's own value. Computed on access.
    certificates_ : list of Certificate
        A list with the one ``certificate_``.
    n_scans_ : float
        Cost of the path on all rows: the number of passes over all columns; a pass over some of
        them counts as a fraction.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: see ``lasso_path``.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.CertifiedElasticNet(alpha=0.01).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.4
    >>> bool(model.certificate_.lower <= model.certificate_.upper)
    True
    """

    loss = None

    @property
    def _kind_on_grid(self):
        return CertifiedElasticNetCV

    def __init__(
        self,
        *,
        alpha=1.0,
        l1_ratio=0.5,
        standardize=False,
        fit_intercept=True,
        penalty_factor=None,
        lower_limits=None,
        upper_limits=None,
        positive=False,
        tol=1e-6,
        adaptive=None,
    ):
        super().__init__(
            alpha=alpha,
            standardize=standardize,
            fit_intercept=fit_intercept,
            penalty_factor=penalty_factor,
            lower_limits=lower_limits,
            upper_limits=upper_limits,
            positive=positive,
            tol=tol,
            adaptive=adaptive,
        )
        self.l1_ratio = l1_ratio


class CertifiedElasticNetCV(Regression, PenaltyGrid):
    """The elastic net; its penalties chosen by cross-validation or by AIC, BIC or Cp.

    Parameters
    ----------
    alphas : sequence of float, optional
        Penalties to choose from. The objective is mean loss + alpha * (l1_ratio * sum_j abs(w_j) +
        (1 - l1_ratio) / 2 * sum_j w_j^2). The squared loss is (y - f)^2 / 2, so alpha is that of
        scikit-learn's ``ElasticNet``, and lambda of glmnet with the same `standardize` if y has
        standard deviation 1 (glmnet divides y by it). Default: `n_alphas` values, evenly spaced on
        a log scale, from the smallest alpha at which all coefficients are 0 down to `eps` times
        that.
    n_alphas : int, default 100
        Number of penalties of the default grid.
    eps : float, default 1e-3
        Smallest penalty of the default grid, divided by the largest.
    l1_ratio : float or sequence of float, default 0.5
        Share of the L1 norm in the penalty alpha * (l1_ratio * sum_j abs(w_j) + (1 - l1_ratio) / 2
        * sum_j w_j^2). From a sequence, the best is chosen as well; with "one_se", the largest with
        an alpha within one standard error.
    standardize : bool, default False
        True: the penalty is on the coefficients of columns of standard deviation 1, as in R's
        glmnet by default. False: on those of the columns as they are, as in scikit-learn. ``coef_``
        is on the scale of X in either case.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred, as in scikit-learn.
    penalty_factor : array_like of shape (n_features,), dict or Series, optional
        Multiplies the penalty of each coefficient; not rescaled to sum to n_features as glmnet
        does. By the names of the columns: a dict, whose other columns have 1, or a Series.
        0: no penalty; infinity leaves a column out. Default: 1.
    lower_limits : float or array_like of shape (n_features,), dict or Series, optional
        Lower limits (<= 0) of the coefficients of the columns of X, as in glmnet.
    upper_limits : float or array_like of shape (n_features,), dict or Series, optional
        Upper limits (>= 0) of these coefficients.
    positive : bool, default False
        True: no coefficient is negative, as in scikit-learn.
    tol : float, default 1e-6
        Stop when the duality gap, a bound on how far the objective is above its optimum, is at most
        `tol` times the loss of the constant model (less the smallest value that the loss can take).
        If rounding prevents this, a ``ConvergenceWarning`` gives the gap reached.
    gamma : float or sequence of float, default 1.0
        The weight of the Lasso fit in each model, from 0 to 1; the other part is the unpenalised
        fit on its non-zero coefficients (relaxed Lasso, see ``LassoPath.relaxed``), within the same
        limits. ``certificate_`` is then that of the Lasso beneath, and says so. From a sequence,
        one is chosen along with the penalty; R's glmnet with ``relax = TRUE`` takes
        ``[0, 0.25, 0.5, 0.75, 1]``. For "one_se", a smaller gamma counts as simpler.
    rule : {"best", "one_se", "aic", "bic", "cp"}, default "best"
        "best": smallest mean loss over the folds. "one_se": largest alpha within one standard error
        of it. "aic", "bic", "cp": information criteria on all rows, no cross-validation; squared
        loss only. For these the default grid of the Lasso has the knots of the exact path, too, on
        tables of up to 300 rows or columns: the best of all penalties is one of them.
    cv : int, splitter or iterable, default 5
        An int: that many folds, stratified on y: rows are sorted by y, and of every `cv`
        consecutive rows each fold gets one, at random. This differs from scikit-learn's ``KFold``
        without shuffling. Pass a splitter for that, or ``cb.model_selection.Bootstrap(25)`` for
        bootstrap samples.
    scoring : str or callable, optional
        Criterion on held-out rows. Default: the mean loss. Or a scorer of scikit-learn, such as
        ``"roc_auc"`` or ``"neg_mean_absolute_error"``: greater is better. See ``cross_validate``.
    n_jobs : int, optional
        Number of threads; the result does not depend on it.
    random_state : int or RandomState instance, default 0
        Seed of the assignment to folds, for an int `cv`.
    noise_variance : float, optional
        sigma^2 in AIC, BIC and Cp. Default: RSS / (n - rank - 1) of least squares on all columns,
        RSS / (n - rank) without an intercept; must be given if this divisor is below 1.
    adaptive : {"ridge", "lasso"}, optional
        The adaptive Lasso: each abs coefficient is penalised in inverse proportion to its size in a
        first fit, whose penalty is chosen by cross-validation on the same folds; columns that a
        first Lasso leaves at 0 are left out. In each fold the first fit is made anew, on its rows.
        ``certificate_`` is that of the second fit, given these factors. See
        ``coordboost.lasso.adaptive_factors``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    alpha_ : float
        The chosen penalty.
    l1_ratio_ : float
        The chosen share of the l1 norm in the penalty.
    gamma_ : float
        The chosen weight of the Lasso fit; below 1 the fit is relaxed.
    l1_ : float
        L1 norm of the chosen model, in the units of ``PathPoint(l1=...)``.
    n_steps_ : None
        Always None: a grid of penalties has no steps.
    path_ : LassoPath
        The fitted path: with ``CV`` in the name of the estimator over all `alphas`, otherwise one
        point, the model at `alpha`.
    paths_ : list
        A list with the one ``path_``.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        A list with the one ``place_``.
    certificate_ : Certificate
        Interval that contains the optimal value of the model's objective, in sums over samples,
        penalty included (divide by the sum of the weights, or n_samples, for the scale of `alpha`).
        Its upper end is this model's own value. Computed on access.
    certificates_ : list of Certificate
        A list with the one ``certificate_``.
    cross_validation_ : CrossValidation
        Losses on held-out rows at all points of the path, or of all paths compared. For classifiers
        with one model for each class: a list.
    criterion_ : ndarray of shape (n_points,)
        Value of AIC, BIC or Cp at every point of the path; smaller is better. Only if `rule` is one
        of them; then there is no ``cross_validation_``.
    n_scans_ : float
        Cost of the path on all rows: the number of passes over all columns; a pass over some of
        them counts as a fraction.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: see ``lasso_path``; degrees of freedom: see ``coordboost.paths.freedom``.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.CertifiedElasticNetCV(eps=1e-4).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.5
    """

    loss = None

    def __init__(
        self,
        *,
        alphas=None,
        n_alphas=100,
        eps=1e-3,
        l1_ratio=0.5,
        standardize=False,
        fit_intercept=True,
        penalty_factor=None,
        lower_limits=None,
        upper_limits=None,
        positive=False,
        tol=1e-6,
        gamma=1.0,
        rule="best",
        cv=5,
        scoring=None,
        n_jobs=None,
        random_state=0,
        noise_variance=None,
        adaptive=None,
    ):
        super().__init__(
            alphas=alphas,
            n_alphas=n_alphas,
            eps=eps,
            standardize=standardize,
            fit_intercept=fit_intercept,
            penalty_factor=penalty_factor,
            lower_limits=lower_limits,
            upper_limits=upper_limits,
            positive=positive,
            tol=tol,
            gamma=gamma,
            rule=rule,
            cv=cv,
            scoring=scoring,
            n_jobs=n_jobs,
            random_state=random_state,
            adaptive=adaptive,
        )
        self.l1_ratio = l1_ratio
        self.noise_variance = noise_variance


class CertifiedLassoClassifier(JointAtOnePenalty, Classification, OnePenalty):
    """The Lasso for classification, with an interval around its optimum.

    Three classes or more are one-vs-rest: one model for each class, and probabilities are
    normalised to sum to 1. With `multinomial` they are one model, with one certificate.

    Parameters
    ----------
    alpha : float, default 0.01
        The penalty. The objective is mean loss + alpha * (l1_ratio * sum_j abs(w_j) + (1 -
        l1_ratio) / 2 * sum_j w_j^2), so alpha is lambda of glmnet with the same `standardize`. C of
        ``LogisticRegression`` is 1 / (alpha n_samples).
    l1_ratio : float, default 1.0
        Share of the L1 norm in the penalty alpha * (l1_ratio * sum_j abs(w_j) + (1 - l1_ratio) / 2
        * sum_j w_j^2).
    standardize : bool, default False
        True: the penalty is on the coefficients of columns of standard deviation 1, as in R's
        glmnet by default. False: on those of the columns as they are, as in scikit-learn. ``coef_``
        is on the scale of X in either case.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred, as in scikit-learn.
    penalty_factor : array_like of shape (n_features,), dict or Series, optional
        Multiplies the penalty of each coefficient; not rescaled to sum to n_features as glmnet
        does. By the names of the columns: a dict, whose other columns have 1, or a Series.
        0: no penalty; infinity leaves a column out. Default: 1.
    lower_limits : float or array_like of shape (n_features,), dict or Series, optional
        Lower limits (<= 0) of the coefficients of the columns of X, as in glmnet.
    upper_limits : float or array_like of shape (n_features,), dict or Series, optional
        Upper limits (>= 0) of these coefficients.
    positive : bool, default False
        True: no coefficient is negative, as in scikit-learn.
    tol : float, default 1e-6
        Stop when the duality gap, a bound on how far the objective is above its optimum, is at most
        `tol` times the loss of the constant model (less the smallest value that the loss can take).
        If rounding prevents this, a ``ConvergenceWarning`` gives the gap reached.
    loss : loss, optional
        Default ``Logistic()``, or any other loss of two classes that ``lasso_path`` takes. The
        intercept is not penalised. With ``Logistic()`` and columns of standard deviation 1 all
        coefficients are 0 for alpha >= 1/2.
    multinomial : bool, default False
        True: multinomial logistic regression for three classes or more, see ``multinomial_path``:
        the penalty is summed over the classes, as in glmnet with ``type.multinomial="ungrouped"``
        and in scikit-learn's ``LogisticRegression``. With two classes it is the same as False.
    class_weight : dict or "balanced", optional
        Weight of each class, which multiplies the `sample_weight` of its rows, in the fit and in
        losses on held-out rows. "balanced": all classes get the same sum of weights, and the sum
        over all rows stays.
    adaptive : {"ridge", "lasso"}, optional
        The adaptive Lasso: each abs coefficient is penalised in inverse proportion to its size in a
        first fit, whose penalty is chosen by cross-validation on five folds; columns that a first
        Lasso leaves at 0 are left out. ``certificate_`` is that of the second fit, given these
        factors. See ``coordboost.lasso.adaptive_factors``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_models, n_features)
        Coefficients on the scale of X: one row for two classes, else one for each class.
    intercept_ : ndarray of shape (n_models,)
        The intercepts.
    path_ : LassoPath
        The fitted path: with ``CV`` in the name of the estimator over all `alphas`, otherwise one
        point, the model at `alpha`. With one path for each class: see ``paths_``.
    paths_ : list
        The paths: one, or one for each class if there are three or more (one in all with
        `multinomial=True`).
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        One for each of ``paths_``.
    certificate_ : Certificate
        Interval that contains the optimal value of the model's objective, in sums over samples,
        penalty included (divide by the sum of the weights, or n_samples, for the scale of `alpha`).
        Its upper end is this model's own value. Computed on access.
    certificates_ : list of Certificate
        One for each of ``paths_``.
    n_scans_ : float
        Cost of the path on all rows: the number of passes over all columns; a pass over some of
        them counts as a fraction.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: see ``lasso_path``.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = cb.CertifiedLassoClassifier(standardize=True).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    >>> bool(model.certificate_.lower <= model.certificate_.upper)
    True
    """

    @property
    def _kind_on_grid(self):
        return CertifiedLassoClassifierCV

    def __init__(
        self,
        *,
        alpha=0.01,
        l1_ratio=1.0,
        standardize=False,
        fit_intercept=True,
        penalty_factor=None,
        lower_limits=None,
        upper_limits=None,
        positive=False,
        tol=1e-6,
        loss=None,
        multinomial=False,
        class_weight=None,
        adaptive=None,
    ):
        super().__init__(
            alpha=alpha,
            standardize=standardize,
            fit_intercept=fit_intercept,
            penalty_factor=penalty_factor,
            lower_limits=lower_limits,
            upper_limits=upper_limits,
            positive=positive,
            tol=tol,
            adaptive=adaptive,
        )
        self.l1_ratio = l1_ratio
        self.loss = loss
        self.multinomial = multinomial
        self.class_weight = class_weight


class CertifiedLassoClassifierCV(JointOnGrid, Classification, PenaltyGrid):
    """The Lasso for classification; the penalty of each class chosen by cross-validation.

    Three classes or more are one-vs-rest: one model for each class, and probabilities are
    normalised to sum to 1. With `multinomial` they are one model, with one penalty and one
    certificate.

    Parameters
    ----------
    alphas : sequence of float, optional
        Penalties to choose from. The objective is mean loss + alpha * (l1_ratio * sum_j abs(w_j) +
        (1 - l1_ratio) / 2 * sum_j w_j^2), so alpha is lambda of glmnet with the same `standardize`.
        C of ``LogisticRegression`` is 1 / (alpha n_samples). Default: `n_alphas` values, evenly
        spaced on a log scale, from the smallest alpha at which all coefficients are 0 down to `eps`
        times that.
    n_alphas : int, default 100
        Number of penalties of the default grid.
    eps : float, default 1e-3
        Smallest penalty of the default grid, divided by the largest.
    l1_ratio : float or sequence of float, default 1.0
        Share of the L1 norm in the penalty alpha * (l1_ratio * sum_j abs(w_j) + (1 - l1_ratio) / 2
        * sum_j w_j^2). From a sequence, the best is chosen as well; with "one_se", the largest with
        an alpha within one standard error.
    standardize : bool, default False
        True: the penalty is on the coefficients of columns of standard deviation 1, as in R's
        glmnet by default. False: on those of the columns as they are, as in scikit-learn. ``coef_``
        is on the scale of X in either case.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred, as in scikit-learn.
    penalty_factor : array_like of shape (n_features,), dict or Series, optional
        Multiplies the penalty of each coefficient; not rescaled to sum to n_features as glmnet
        does. By the names of the columns: a dict, whose other columns have 1, or a Series.
        0: no penalty; infinity leaves a column out. Default: 1.
    lower_limits : float or array_like of shape (n_features,), dict or Series, optional
        Lower limits (<= 0) of the coefficients of the columns of X, as in glmnet.
    upper_limits : float or array_like of shape (n_features,), dict or Series, optional
        Upper limits (>= 0) of these coefficients.
    positive : bool, default False
        True: no coefficient is negative, as in scikit-learn.
    tol : float, default 1e-6
        Stop when the duality gap, a bound on how far the objective is above its optimum, is at most
        `tol` times the loss of the constant model (less the smallest value that the loss can take).
        If rounding prevents this, a ``ConvergenceWarning`` gives the gap reached.
    loss : loss, optional
        Default ``Logistic()``, or any other loss of two classes that ``lasso_path`` takes. The
        intercept is not penalised. With ``Logistic()`` and columns of standard deviation 1 all
        coefficients are 0 for alpha >= 1/2.
    gamma : float or sequence of float, default 1.0
        The weight of the Lasso fit in each model, from 0 to 1; the other part is the unpenalised
        fit on its non-zero coefficients (relaxed Lasso, see ``LassoPath.relaxed``), within the same
        limits. ``certificate_`` is then that of the Lasso beneath, and says so. From a sequence,
        one is chosen along with the penalty; R's glmnet with ``relax = TRUE`` takes
        ``[0, 0.25, 0.5, 0.75, 1]``. For "one_se", a smaller gamma counts as simpler.
    rule : {"best", "one_se", "aic", "bic", "cp"}, default "best"
        "best": smallest mean loss over the folds. "one_se": largest alpha within one standard error
        of it. "aic", "bic", "cp": information criteria on all rows, no cross-validation; squared
        loss only. For these the default grid of the Lasso has the knots of the exact path, too, on
        tables of up to 300 rows or columns: the best of all penalties is one of them.
    cv : int, splitter or iterable, default 5
        An int: that many folds, stratified on y: rows are sorted by y, and of every `cv`
        consecutive rows each fold gets one, at random. This differs from scikit-learn's ``KFold``
        without shuffling. Pass a splitter for that, or ``cb.model_selection.Bootstrap(25)`` for
        bootstrap samples.
    scoring : str or callable, optional
        Criterion on held-out rows. Default: the mean loss. Or a scorer of scikit-learn, such as
        ``"roc_auc"`` or ``"neg_mean_absolute_error"``: greater is better. See ``cross_validate``.
    n_jobs : int, optional
        Number of threads; the result does not depend on it.
    random_state : int or RandomState instance, default 0
        Seed of the assignment to folds, for an int `cv`.
    multinomial : bool, default False
        True: multinomial logistic regression for three classes or more, see ``multinomial_path``:
        the penalty is summed over the classes, as in glmnet with ``type.multinomial="ungrouped"``
        and in scikit-learn's ``LogisticRegression``. With two classes it is the same as False.
    class_weight : dict or "balanced", optional
        Weight of each class, which multiplies the `sample_weight` of its rows, in the fit and in
        losses on held-out rows. "balanced": all classes get the same sum of weights, and the sum
        over all rows stays.
    adaptive : {"ridge", "lasso"}, optional
        The adaptive Lasso: each abs coefficient is penalised in inverse proportion to its size in a
        first fit, whose penalty is chosen by cross-validation on the same folds; columns that a
        first Lasso leaves at 0 are left out. In each fold the first fit is made anew, on its rows.
        ``certificate_`` is that of the second fit, given these factors. See
        ``coordboost.lasso.adaptive_factors``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_models, n_features)
        Coefficients on the scale of X: one row for two classes, else one for each class.
    intercept_ : ndarray of shape (n_models,)
        The intercepts.
    alpha_ : float
        The chosen penalty.
    l1_ratio_ : float
        The chosen share of the l1 norm in the penalty.
    gamma_ : float
        The chosen weight of the Lasso fit; below 1 the fit is relaxed.
    l1_ : float
        L1 norm of the chosen model, in the units of ``PathPoint(l1=...)``.
    n_steps_ : None
        Always None: a grid of penalties has no steps.
    path_ : LassoPath
        The fitted path: with ``CV`` in the name of the estimator over all `alphas`, otherwise one
        point, the model at `alpha`. With one path for each class: see ``paths_``.
    paths_ : list
        The paths: one, or one for each class if there are three or more (one in all with
        `multinomial=True`).
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        One for each of ``paths_``.
    certificate_ : Certificate
        Interval that contains the optimal value of the model's objective, in sums over samples,
        penalty included (divide by the sum of the weights, or n_samples, for the scale of `alpha`).
        Its upper end is this model's own value. Computed on access.
    certificates_ : list of Certificate
        One for each of ``paths_``.
    cross_validation_ : CrossValidation
        Losses on held-out rows at all points of the path, or of all paths compared. For classifiers
        with one model for each class: a list.
    criterion_ : ndarray of shape (n_points,)
        Value of AIC, BIC or Cp at every point of the path; smaller is better. Only if `rule` is one
        of them; then there is no ``cross_validation_``.
    n_scans_ : float
        Cost of the path on all rows: the number of passes over all columns; a pass over some of
        them counts as a fraction.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: see ``lasso_path``.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = cb.CertifiedLassoClassifierCV(n_alphas=10, standardize=True).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        *,
        alphas=None,
        n_alphas=100,
        eps=1e-3,
        l1_ratio=1.0,
        standardize=False,
        fit_intercept=True,
        penalty_factor=None,
        lower_limits=None,
        upper_limits=None,
        positive=False,
        tol=1e-6,
        loss=None,
        gamma=1.0,
        rule="best",
        cv=5,
        scoring=None,
        n_jobs=None,
        random_state=0,
        multinomial=False,
        class_weight=None,
        adaptive=None,
    ):
        super().__init__(
            alphas=alphas,
            n_alphas=n_alphas,
            eps=eps,
            standardize=standardize,
            fit_intercept=fit_intercept,
            penalty_factor=penalty_factor,
            lower_limits=lower_limits,
            upper_limits=upper_limits,
            positive=positive,
            tol=tol,
            gamma=gamma,
            rule=rule,
            cv=cv,
            scoring=scoring,
            n_jobs=n_jobs,
            random_state=random_state,
            adaptive=adaptive,
        )
        self.l1_ratio = l1_ratio
        self.loss = loss
        self.multinomial = multinomial
        self.class_weight = class_weight


class CertifiedPoissonRegressor(CountRegression, OnePenalty):
    """Poisson regression with an l1 penalty, and an interval around its optimum.

    For counts or rates.

    Parameters
    ----------
    alpha : float, default 1.0
        The penalty. The objective is mean loss + alpha * (l1_ratio * sum_j abs(w_j) + (1 -
        l1_ratio) / 2 * sum_j w_j^2), so alpha is lambda of glmnet with the same `standardize`.
    l1_ratio : float, default 1.0
        Share of the L1 norm in the penalty alpha * (l1_ratio * sum_j abs(w_j) + (1 - l1_ratio) / 2
        * sum_j w_j^2).
    standardize : bool, default False
        True: the penalty is on the coefficients of columns of standard deviation 1, as in R's
        glmnet by default. False: on those of the columns as they are, as in scikit-learn. ``coef_``
        is on the scale of X in either case.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred, as in scikit-learn.
    penalty_factor : array_like of shape (n_features,), dict or Series, optional
        Multiplies the penalty of each coefficient; not rescaled to sum to n_features as glmnet
        does. By the names of the columns: a dict, whose other columns have 1, or a Series.
        0: no penalty; infinity leaves a column out. Default: 1.
    lower_limits : float or array_like of shape (n_features,), dict or Series, optional
        Lower limits (<= 0) of the coefficients of the columns of X, as in glmnet.
    upper_limits : float or array_like of shape (n_features,), dict or Series, optional
        Upper limits (>= 0) of these coefficients.
    positive : bool, default False
        True: no coefficient is negative, as in scikit-learn.
    tol : float, default 1e-6
        Stop when the duality gap, a bound on how far the objective is above its optimum, is at most
        `tol` times the loss of the constant model (less the smallest value that the loss can take).
        If rounding prevents this, a ``ConvergenceWarning`` gives the gap reached.
    adaptive : {"ridge", "lasso"}, optional
        The adaptive Lasso: each abs coefficient is penalised in inverse proportion to its size in a
        first fit, whose penalty is chosen by cross-validation on five folds; columns that a first
        Lasso leaves at 0 are left out. ``certificate_`` is that of the second fit, given these
        factors. See ``coordboost.lasso.adaptive_factors``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    path_ : LassoPath
        The fitted path: with ``CV`` in the name of the estimator over all `alphas`, otherwise one
        point, the model at `alpha`.
    paths_ : list
        A list with the one ``path_``.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        A list with the one ``place_``.
    certificate_ : Certificate
        Interval that contains the optimal value of the model's objective, in sums over samples,
        penalty included (divide by the sum of the weights, or n_samples, for the scale of `alpha`).
        Its upper end is this model's own value. Computed on access.
    certificates_ : list of Certificate
        A list with the one ``certificate_``.
    n_scans_ : float
        Cost of the path on all rows: the number of passes over all columns; a pass over some of
        them counts as a fraction.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: see ``lasso_path``.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.CertifiedPoissonRegressor(alpha=0.1).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.5
    >>> bool(model.certificate_.lower <= model.certificate_.upper)
    True
    """

    @property
    def _kind_on_grid(self):
        return CertifiedPoissonRegressorCV

    def __init__(
        self,
        *,
        alpha=1.0,
        l1_ratio=1.0,
        standardize=False,
        fit_intercept=True,
        penalty_factor=None,
        lower_limits=None,
        upper_limits=None,
        positive=False,
        tol=1e-6,
        adaptive=None,
    ):
        super().__init__(
            alpha=alpha,
            standardize=standardize,
            fit_intercept=fit_intercept,
            penalty_factor=penalty_factor,
            lower_limits=lower_limits,
            upper_limits=upper_limits,
            positive=positive,
            tol=tol,
            adaptive=adaptive,
        )
        self.l1_ratio = l1_ratio


class CertifiedPoissonRegressorCV(CountRegression, PenaltyGrid):
    """Poisson regression with an l1 penalty; the penalty chosen by cross-validation.

    Parameters
    ----------
    alphas : sequence of float, optional
        Penalties to choose from. The objective is mean loss + alpha * (l1_ratio * sum_j abs(w_j) +
        (1 - l1_ratio) / 2 * sum_j w_j^2), so alpha is lambda of glmnet with the same `standardize`.
        Default: `n_alphas` values, evenly spaced on a log scale, from the smallest alpha at which
        all coefficients are 0 down to `eps` times that.
    n_alphas : int, default 100
        Number of penalties of the default grid.
    eps : float, default 1e-3
        Smallest penalty of the default grid, divided by the largest.
    l1_ratio : float or sequence of float, default 1.0
        Share of the L1 norm in the penalty alpha * (l1_ratio * sum_j abs(w_j) + (1 - l1_ratio) / 2
        * sum_j w_j^2). From a sequence, the best is chosen as well; with "one_se", the largest with
        an alpha within one standard error.
    standardize : bool, default False
        True: the penalty is on the coefficients of columns of standard deviation 1, as in R's
        glmnet by default. False: on those of the columns as they are, as in scikit-learn. ``coef_``
        is on the scale of X in either case.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred, as in scikit-learn.
    penalty_factor : array_like of shape (n_features,), dict or Series, optional
        Multiplies the penalty of each coefficient; not rescaled to sum to n_features as glmnet
        does. By the names of the columns: a dict, whose other columns have 1, or a Series.
        0: no penalty; infinity leaves a column out. Default: 1.
    lower_limits : float or array_like of shape (n_features,), dict or Series, optional
        Lower limits (<= 0) of the coefficients of the columns of X, as in glmnet.
    upper_limits : float or array_like of shape (n_features,), dict or Series, optional
        Upper limits (>= 0) of these coefficients.
    positive : bool, default False
        True: no coefficient is negative, as in scikit-learn.
    tol : float, default 1e-6
        Stop when the duality gap, a bound on how far the objective is above its optimum, is at most
        `tol` times the loss of the constant model (less the smallest value that the loss can take).
        If rounding prevents this, a ``ConvergenceWarning`` gives the gap reached.
    gamma : float or sequence of float, default 1.0
        The weight of the Lasso fit in each model, from 0 to 1; the other part is the unpenalised
        fit on its non-zero coefficients (relaxed Lasso, see ``LassoPath.relaxed``), within the same
        limits. ``certificate_`` is then that of the Lasso beneath, and says so. From a sequence,
        one is chosen along with the penalty; R's glmnet with ``relax = TRUE`` takes
        ``[0, 0.25, 0.5, 0.75, 1]``. For "one_se", a smaller gamma counts as simpler.
    rule : {"best", "one_se", "aic", "bic", "cp"}, default "best"
        "best": smallest mean loss over the folds. "one_se": largest alpha within one standard error
        of it. "aic", "bic", "cp": information criteria on all rows, no cross-validation; squared
        loss only. For these the default grid of the Lasso has the knots of the exact path, too, on
        tables of up to 300 rows or columns: the best of all penalties is one of them.
    cv : int, splitter or iterable, default 5
        An int: that many folds, stratified on y: rows are sorted by y, and of every `cv`
        consecutive rows each fold gets one, at random. This differs from scikit-learn's ``KFold``
        without shuffling. Pass a splitter for that, or ``cb.model_selection.Bootstrap(25)`` for
        bootstrap samples.
    scoring : str or callable, optional
        Criterion on held-out rows. Default: the mean loss. Or a scorer of scikit-learn, such as
        ``"roc_auc"`` or ``"neg_mean_absolute_error"``: greater is better. See ``cross_validate``.
    n_jobs : int, optional
        Number of threads; the result does not depend on it.
    random_state : int or RandomState instance, default 0
        Seed of the assignment to folds, for an int `cv`.
    adaptive : {"ridge", "lasso"}, optional
        The adaptive Lasso: each abs coefficient is penalised in inverse proportion to its size in a
        first fit, whose penalty is chosen by cross-validation on the same folds; columns that a
        first Lasso leaves at 0 are left out. In each fold the first fit is made anew, on its rows.
        ``certificate_`` is that of the second fit, given these factors. See
        ``coordboost.lasso.adaptive_factors``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    alpha_ : float
        The chosen penalty.
    l1_ratio_ : float
        The chosen share of the l1 norm in the penalty.
    gamma_ : float
        The chosen weight of the Lasso fit; below 1 the fit is relaxed.
    l1_ : float
        L1 norm of the chosen model, in the units of ``PathPoint(l1=...)``.
    n_steps_ : None
        Always None: a grid of penalties has no steps.
    path_ : LassoPath
        The fitted path: with ``CV`` in the name of the estimator over all `alphas`, otherwise one
        point, the model at `alpha`.
    paths_ : list
        A list with the one ``path_``.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        A list with the one ``place_``.
    certificate_ : Certificate
        Interval that contains the optimal value of the model's objective, in sums over samples,
        penalty included (divide by the sum of the weights, or n_samples, for the scale of `alpha`).
        Its upper end is this model's own value. Computed on access.
    certificates_ : list of Certificate
        A list with the one ``certificate_``.
    cross_validation_ : CrossValidation
        Losses on held-out rows at all points of the path, or of all paths compared. For classifiers
        with one model for each class: a list.
    criterion_ : ndarray of shape (n_points,)
        Value of AIC, BIC or Cp at every point of the path; smaller is better. Only if `rule` is one
        of them; then there is no ``cross_validation_``.
    n_scans_ : float
        Cost of the path on all rows: the number of passes over all columns; a pass over some of
        them counts as a fraction.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: see ``lasso_path``.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.CertifiedPoissonRegressorCV(n_alphas=20).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.5
    """

    def __init__(
        self,
        *,
        alphas=None,
        n_alphas=100,
        eps=1e-3,
        l1_ratio=1.0,
        standardize=False,
        fit_intercept=True,
        penalty_factor=None,
        lower_limits=None,
        upper_limits=None,
        positive=False,
        tol=1e-6,
        gamma=1.0,
        rule="best",
        cv=5,
        scoring=None,
        n_jobs=None,
        random_state=0,
        adaptive=None,
    ):
        super().__init__(
            alphas=alphas,
            n_alphas=n_alphas,
            eps=eps,
            standardize=standardize,
            fit_intercept=fit_intercept,
            penalty_factor=penalty_factor,
            lower_limits=lower_limits,
            upper_limits=upper_limits,
            positive=positive,
            tol=tol,
            gamma=gamma,
            rule=rule,
            cv=cv,
            scoring=scoring,
            n_jobs=n_jobs,
            random_state=random_state,
            adaptive=adaptive,
        )
        self.l1_ratio = l1_ratio
