"""The Lasso and the elastic net with a certificate, as estimators."""

from functools import partial

import numpy as np

from coordboost._utils.checks import positive
from coordboost.data import validation
from coordboost.estimators.base import Classification, Regression
from coordboost.estimators.linear import CrossValidated, _BaseLinear
from coordboost.lasso.path import ROUNDED, lasso_path
from coordboost.losses.standard import Poisson


class _BasePenalized(_BaseLinear):
    """Abstract base: the path is a grid of penalties, ``_grid()``, for each part of the penalty that is the l1 norm, ``_l1_ratios()``."""

    _by_gram = True

    def _check_parameters(self):
        super()._check_parameters()
        validation.flag("standardize", self.standardize)

    def _l1_ratios(self):
        return [1.0]

    def _paths(self, problem, products=None):
        out = []
        for l1_ratio in self._l1_ratios():
            path = self._path(problem, products, self._grid(), l1_ratio)
            out.append((path, partial(self._path, grid={"alphas": path.alphas}, l1_ratio=l1_ratio)))
        return out

    def _path(self, problem, products, grid, l1_ratio):
        factor = problem.standardization.deviations(problem.weight.sum()) if self.standardize else None
        return lasso_path(
            problem, **grid, l1_ratio=l1_ratio, tol=self.tol, penalty_factor=factor, products=products, unit_columns=False,
            refit_intercept=True,
        )  # fmt: skip

    def _short_of(self, path, place):
        gap, alpha = float(path.gaps[int(place.step)]), float(path.alphas[int(place.step)])
        if gap <= self.tol * ROUNDED:
            return ""
        return (
            f"the gap at alpha = {alpha:.6g} is {gap:.2g} of the loss of the constant model, above tol = {self.tol:g}: the optimum is "
            "within certificate_. Pass a larger tol or alpha; targets and weights of moderate size lose less to rounding."
        )


class OnePenalty(_BasePenalized):
    """Abstract base: one penalty."""

    def _check_parameters(self):
        super()._check_parameters()
        positive("alpha", self.alpha)

    def _grid(self):
        return {"alphas": [float(self.alpha)]}


class PenaltyGrid(CrossValidated, _BasePenalized):
    """Abstract base: the penalty is chosen from a grid."""

    def _grid(self):
        return {"alphas": self.alphas, "n_alphas": self.n_alphas, "eps": self.eps}

    @property
    def alpha_(self):
        """The penalty that was chosen."""
        return float(self.path_.alphas[int(self.place_.step)])


class CountRegression(Regression):
    """Mixin of regression for counts or rates, whose mean is the exponential of the model."""

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
        Penalty of the mean loss, as in scikit-learn's ``Lasso``: the squared loss has a factor 1/2. C of ``LogisticRegression`` is
        1 / (alpha n_samples).
    standardize : bool, default False
        Whether the penalty is on columns of standard deviation 1, as in R's glmnet by default, or on the columns as they are, as in
        scikit-learn. Coefficients are on the scale of X in either case.
    tol : float, default 1e-6
        Certified duality gap, relative to the loss of the constant model. Where rounding does not let it be reached, a
        ``ConvergenceWarning`` says how far it came.
    loss : loss, optional
        ``Squared()`` for regression, ``Logistic()`` for classes; or any loss that ``lasso_path`` takes. The intercept is not
        penalised. With ``Logistic()`` and columns of standard deviation 1 every coefficient is 0 from alpha = 1/2 on.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    path_ : Run, RefittedRun or LassoPath
        The path behind the model. With three classes or more: see ``paths_``.
    paths_ : list
        The paths: one, or one for each class of three or more.
    place_ : PathPoint
        Where on the path the model is.
    places_ : list of PathPoint
        The same for each of ``paths_``.
    certificate_ : Certificate
        The interval around the optimum that the model approaches. Computed when it is asked for.
    certificates_ : list of Certificate
        The same for each of ``paths_``.
    n_scans_ : float
        Looks at all columns that the paths took.
    n_features_in_ : int
        Features of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, where all of them are text.

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

    def __init__(self, *, alpha=1.0, standardize=False, tol=1e-6, loss=None):
        self.alpha = alpha
        self.standardize = standardize
        self.tol = tol
        self.loss = loss


class CertifiedLassoCV(Regression, PenaltyGrid):
    """The Lasso; its penalty chosen by cross-validation or by AIC, BIC or Cp.

    Parameters
    ----------
    alphas : sequence of float, optional
        Penalties to choose from. Default: `n_alphas` of them, from the smallest that gives 0 down to `eps` times that.
    n_alphas : int, default 100
        Number of penalties, where `alphas` is not given.
    eps : float, default 1e-3
        The smallest penalty of the default grid, over the largest.
    standardize : bool, default False
        Whether the penalty is on columns of standard deviation 1, as in R's glmnet by default, or on the columns as they are, as in
        scikit-learn. Coefficients are on the scale of X in either case.
    tol : float, default 1e-6
        Certified duality gap, relative to the loss of the constant model. Where rounding does not let it be reached, a
        ``ConvergenceWarning`` says how far it came.
    loss : loss, optional
        ``Squared()`` for regression, ``Logistic()`` for classes; or any loss that ``lasso_path`` takes. The intercept is not
        penalised. With ``Logistic()`` and columns of standard deviation 1 every coefficient is 0 from alpha = 1/2 on.
    rule : {"best", "one_se", "aic", "bic", "cp"}, default "best"
        The smallest mean loss on rows held out; the simplest model within one standard error of it; or a criterion, where the
        degrees of freedom are known (the Lasso, the elastic net and LS-Boost with the squared loss).
    cv : int, splitter or iterable, default 5
        Folds; a number deals rows that are neighbours in the order of y to different folds.
    n_jobs : int, optional
        Threads; the result is the same for any.
    random_state : int or RandomState instance, default 0
        Seed of the folds.
    noise_variance : float, optional
        For criteria. Default: that of least squares on all columns.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    alpha_ : float
        The penalty that was chosen.
    path_ : Run, RefittedRun or LassoPath
        The path behind the model. With three classes or more: see ``paths_``.
    paths_ : list
        The paths: one, or one for each class of three or more.
    place_ : PathPoint
        Where on the path the model is.
    places_ : list of PathPoint
        The same for each of ``paths_``.
    certificate_ : Certificate
        The interval around the optimum that the model approaches. Computed when it is asked for.
    certificates_ : list of Certificate
        The same for each of ``paths_``.
    cross_validation_ : CrossValidation
        Losses on rows held out at all points of all paths; a list of them with three classes or more.
    criterion_ : ndarray of shape (n_points,)
        In its place, where `rule` is a criterion.
    n_scans_ : float
        Looks at all columns that the paths took.
    n_features_in_ : int
        Features of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, where all of them are text.

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
        self, *, alphas=None, n_alphas=100, eps=1e-3, standardize=False, tol=1e-6, loss=None, rule="best", cv=5,
        n_jobs=None, random_state=0, noise_variance=None,
    ):  # fmt: skip
        self.alphas = alphas
        self.n_alphas = n_alphas
        self.eps = eps
        self.standardize = standardize
        self.tol = tol
        self.loss = loss
        self.rule = rule
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.noise_variance = noise_variance


class CertifiedElasticNet(Regression, OnePenalty):
    """The elastic net, with an interval around its optimum.

    Parameters
    ----------
    alpha : float, default 1.0
        Penalty of the mean loss, as in scikit-learn's ``Lasso``: the squared loss has a factor 1/2. C of ``LogisticRegression`` is
        1 / (alpha n_samples).
    l1_ratio : float, default 0.5
        The part of the penalty that is the sum of abs coefficients; the rest is half the sum of their squares.
    standardize : bool, default False
        Whether the penalty is on columns of standard deviation 1, as in R's glmnet by default, or on the columns as they are, as in
        scikit-learn. Coefficients are on the scale of X in either case.
    tol : float, default 1e-6
        Certified duality gap, relative to the loss of the constant model. Where rounding does not let it be reached, a
        ``ConvergenceWarning`` says how far it came.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    path_ : Run, RefittedRun or LassoPath
        The path behind the model. With three classes or more: see ``paths_``.
    paths_ : list
        The paths: one, or one for each class of three or more.
    place_ : PathPoint
        Where on the path the model is.
    places_ : list of PathPoint
        The same for each of ``paths_``.
    certificate_ : Certificate
        The interval around the optimum that the model approaches. Computed when it is asked for.
    certificates_ : list of Certificate
        The same for each of ``paths_``.
    n_scans_ : float
        Looks at all columns that the paths took.
    n_features_in_ : int
        Features of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, where all of them are text.

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

    def __init__(self, *, alpha=1.0, l1_ratio=0.5, standardize=False, tol=1e-6):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.standardize = standardize
        self.tol = tol

    def _l1_ratios(self):
        return [self.l1_ratio]


class CertifiedElasticNetCV(Regression, PenaltyGrid):
    """The elastic net; its penalties chosen by cross-validation or by AIC, BIC or Cp.

    Parameters
    ----------
    alphas : sequence of float, optional
        Penalties to choose from. Default: `n_alphas` of them, from the smallest that gives 0 down to `eps` times that.
    n_alphas : int, default 100
        Number of penalties, where `alphas` is not given.
    eps : float, default 1e-3
        The smallest penalty of the default grid, over the largest.
    l1_ratio : float or sequence of float, default 0.5
        The part of the penalty that is the sum of abs coefficients; the rest is half the sum of their squares. Of a sequence the
        best is chosen, too.
    standardize : bool, default False
        Whether the penalty is on columns of standard deviation 1, as in R's glmnet by default, or on the columns as they are, as in
        scikit-learn. Coefficients are on the scale of X in either case.
    tol : float, default 1e-6
        Certified duality gap, relative to the loss of the constant model. Where rounding does not let it be reached, a
        ``ConvergenceWarning`` says how far it came.
    rule : {"best", "one_se", "aic", "bic", "cp"}, default "best"
        The smallest mean loss on rows held out; the simplest model within one standard error of it; or a criterion, where the
        degrees of freedom are known (the Lasso, the elastic net and LS-Boost with the squared loss).
    cv : int, splitter or iterable, default 5
        Folds; a number deals rows that are neighbours in the order of y to different folds.
    n_jobs : int, optional
        Threads; the result is the same for any.
    random_state : int or RandomState instance, default 0
        Seed of the folds.
    noise_variance : float, optional
        For criteria. Default: that of least squares on all columns.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    alpha_ : float
        The penalty that was chosen.
    path_ : Run, RefittedRun or LassoPath
        The path behind the model. With three classes or more: see ``paths_``.
    paths_ : list
        The paths: one, or one for each class of three or more.
    place_ : PathPoint
        Where on the path the model is.
    places_ : list of PathPoint
        The same for each of ``paths_``.
    certificate_ : Certificate
        The interval around the optimum that the model approaches. Computed when it is asked for.
    certificates_ : list of Certificate
        The same for each of ``paths_``.
    cross_validation_ : CrossValidation
        Losses on rows held out at all points of all paths; a list of them with three classes or more.
    criterion_ : ndarray of shape (n_points,)
        In its place, where `rule` is a criterion.
    n_scans_ : float
        Looks at all columns that the paths took.
    n_features_in_ : int
        Features of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, where all of them are text.

    Notes
    -----
    *Source*: see ``lasso_path``; degrees of freedom: see ``coordboost.paths.freedom``.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.CertifiedElasticNetCV().fit(X, y)
    >>> round(model.score(X, y), 1)
    0.5
    """

    loss = None

    def __init__(
        self, *, alphas=None, n_alphas=100, eps=1e-3, l1_ratio=0.5, standardize=False, tol=1e-6, rule="best", cv=5,
        n_jobs=None, random_state=0, noise_variance=None,
    ):  # fmt: skip
        self.alphas = alphas
        self.n_alphas = n_alphas
        self.eps = eps
        self.l1_ratio = l1_ratio
        self.standardize = standardize
        self.tol = tol
        self.rule = rule
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.noise_variance = noise_variance

    def _l1_ratios(self):
        return np.sort(np.atleast_1d(self.l1_ratio))[::-1].tolist()


class CertifiedLassoClassifier(Classification, OnePenalty):
    """The Lasso for classes, with an interval around its optimum.

    One model of two classes; of more one for each, against the rest, whose probabilities are divided by their sum.

    Parameters
    ----------
    alpha : float, default 0.01
        Penalty of the mean loss, as in scikit-learn's ``Lasso``: the squared loss has a factor 1/2. C of ``LogisticRegression`` is
        1 / (alpha n_samples).
    standardize : bool, default False
        Whether the penalty is on columns of standard deviation 1, as in R's glmnet by default, or on the columns as they are, as in
        scikit-learn. Coefficients are on the scale of X in either case.
    tol : float, default 1e-6
        Certified duality gap, relative to the loss of the constant model. Where rounding does not let it be reached, a
        ``ConvergenceWarning`` says how far it came.
    loss : loss, optional
        ``Squared()`` for regression, ``Logistic()`` for classes; or any loss that ``lasso_path`` takes. The intercept is not
        penalised. With ``Logistic()`` and columns of standard deviation 1 every coefficient is 0 from alpha = 1/2 on.

    Attributes
    ----------
    coef_ : ndarray of shape (n_models, n_features)
        Coefficients on the scale of X: one model of two classes, of more one for each.
    intercept_ : ndarray of shape (n_models,)
        The intercepts.
    path_ : Run, RefittedRun or LassoPath
        The path behind the model. With three classes or more: see ``paths_``.
    paths_ : list
        The paths: one, or one for each class of three or more.
    place_ : PathPoint
        Where on the path the model is.
    places_ : list of PathPoint
        The same for each of ``paths_``.
    certificate_ : Certificate
        The interval around the optimum that the model approaches. Computed when it is asked for.
    certificates_ : list of Certificate
        The same for each of ``paths_``.
    n_scans_ : float
        Looks at all columns that the paths took.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Features of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, where all of them are text.

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

    def __init__(self, *, alpha=0.01, standardize=False, tol=1e-6, loss=None):
        self.alpha = alpha
        self.standardize = standardize
        self.tol = tol
        self.loss = loss


class CertifiedLassoClassifierCV(Classification, PenaltyGrid):
    """The Lasso for classes; the penalty chosen by cross-validation, for each class its own.

    One model of two classes; of more one for each, against the rest, whose probabilities are divided by their sum.

    Parameters
    ----------
    alphas : sequence of float, optional
        Penalties to choose from. Default: `n_alphas` of them, from the smallest that gives 0 down to `eps` times that.
    n_alphas : int, default 100
        Number of penalties, where `alphas` is not given.
    eps : float, default 1e-3
        The smallest penalty of the default grid, over the largest.
    standardize : bool, default False
        Whether the penalty is on columns of standard deviation 1, as in R's glmnet by default, or on the columns as they are, as in
        scikit-learn. Coefficients are on the scale of X in either case.
    tol : float, default 1e-6
        Certified duality gap, relative to the loss of the constant model. Where rounding does not let it be reached, a
        ``ConvergenceWarning`` says how far it came.
    loss : loss, optional
        ``Squared()`` for regression, ``Logistic()`` for classes; or any loss that ``lasso_path`` takes. The intercept is not
        penalised. With ``Logistic()`` and columns of standard deviation 1 every coefficient is 0 from alpha = 1/2 on.
    rule : {"best", "one_se", "aic", "bic", "cp"}, default "best"
        The smallest mean loss on rows held out; the simplest model within one standard error of it; or a criterion, where the
        degrees of freedom are known (the Lasso, the elastic net and LS-Boost with the squared loss).
    cv : int, splitter or iterable, default 5
        Folds; a number deals rows that are neighbours in the order of y to different folds.
    n_jobs : int, optional
        Threads; the result is the same for any.
    random_state : int or RandomState instance, default 0
        Seed of the folds.

    Attributes
    ----------
    coef_ : ndarray of shape (n_models, n_features)
        Coefficients on the scale of X: one model of two classes, of more one for each.
    intercept_ : ndarray of shape (n_models,)
        The intercepts.
    alpha_ : float
        The penalty that was chosen.
    path_ : Run, RefittedRun or LassoPath
        The path behind the model. With three classes or more: see ``paths_``.
    paths_ : list
        The paths: one, or one for each class of three or more.
    place_ : PathPoint
        Where on the path the model is.
    places_ : list of PathPoint
        The same for each of ``paths_``.
    certificate_ : Certificate
        The interval around the optimum that the model approaches. Computed when it is asked for.
    certificates_ : list of Certificate
        The same for each of ``paths_``.
    cross_validation_ : CrossValidation
        Losses on rows held out at all points of all paths; a list of them with three classes or more.
    criterion_ : ndarray of shape (n_points,)
        In its place, where `rule` is a criterion.
    n_scans_ : float
        Looks at all columns that the paths took.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Features of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, where all of them are text.

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
        self, *, alphas=None, n_alphas=100, eps=1e-3, standardize=False, tol=1e-6, loss=None, rule="best", cv=5,
        n_jobs=None, random_state=0,
    ):  # fmt: skip
        self.alphas = alphas
        self.n_alphas = n_alphas
        self.eps = eps
        self.standardize = standardize
        self.tol = tol
        self.loss = loss
        self.rule = rule
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state


class CertifiedPoissonRegressor(CountRegression, OnePenalty):
    """Poisson regression with an l1 penalty, for counts or rates, with an interval around its optimum.

    Parameters
    ----------
    alpha : float, default 1.0
        Penalty of the mean loss, as in scikit-learn's ``Lasso``: the squared loss has a factor 1/2. C of ``LogisticRegression`` is
        1 / (alpha n_samples).
    standardize : bool, default False
        Whether the penalty is on columns of standard deviation 1, as in R's glmnet by default, or on the columns as they are, as in
        scikit-learn. Coefficients are on the scale of X in either case.
    tol : float, default 1e-6
        Certified duality gap, relative to the loss of the constant model. Where rounding does not let it be reached, a
        ``ConvergenceWarning`` says how far it came.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    path_ : Run, RefittedRun or LassoPath
        The path behind the model. With three classes or more: see ``paths_``.
    paths_ : list
        The paths: one, or one for each class of three or more.
    place_ : PathPoint
        Where on the path the model is.
    places_ : list of PathPoint
        The same for each of ``paths_``.
    certificate_ : Certificate
        The interval around the optimum that the model approaches. Computed when it is asked for.
    certificates_ : list of Certificate
        The same for each of ``paths_``.
    n_scans_ : float
        Looks at all columns that the paths took.
    n_features_in_ : int
        Features of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, where all of them are text.

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

    def __init__(self, *, alpha=1.0, standardize=False, tol=1e-6):
        self.alpha = alpha
        self.standardize = standardize
        self.tol = tol


class CertifiedPoissonRegressorCV(CountRegression, PenaltyGrid):
    """Poisson regression with an l1 penalty; the penalty chosen by cross-validation.

    Parameters
    ----------
    alphas : sequence of float, optional
        Penalties to choose from. Default: `n_alphas` of them, from the smallest that gives 0 down to `eps` times that.
    n_alphas : int, default 100
        Number of penalties, where `alphas` is not given.
    eps : float, default 1e-3
        The smallest penalty of the default grid, over the largest.
    standardize : bool, default False
        Whether the penalty is on columns of standard deviation 1, as in R's glmnet by default, or on the columns as they are, as in
        scikit-learn. Coefficients are on the scale of X in either case.
    tol : float, default 1e-6
        Certified duality gap, relative to the loss of the constant model. Where rounding does not let it be reached, a
        ``ConvergenceWarning`` says how far it came.
    rule : {"best", "one_se", "aic", "bic", "cp"}, default "best"
        The smallest mean loss on rows held out; the simplest model within one standard error of it; or a criterion, where the
        degrees of freedom are known (the Lasso, the elastic net and LS-Boost with the squared loss).
    cv : int, splitter or iterable, default 5
        Folds; a number deals rows that are neighbours in the order of y to different folds.
    n_jobs : int, optional
        Threads; the result is the same for any.
    random_state : int or RandomState instance, default 0
        Seed of the folds.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    alpha_ : float
        The penalty that was chosen.
    path_ : Run, RefittedRun or LassoPath
        The path behind the model. With three classes or more: see ``paths_``.
    paths_ : list
        The paths: one, or one for each class of three or more.
    place_ : PathPoint
        Where on the path the model is.
    places_ : list of PathPoint
        The same for each of ``paths_``.
    certificate_ : Certificate
        The interval around the optimum that the model approaches. Computed when it is asked for.
    certificates_ : list of Certificate
        The same for each of ``paths_``.
    cross_validation_ : CrossValidation
        Losses on rows held out at all points of all paths; a list of them with three classes or more.
    criterion_ : ndarray of shape (n_points,)
        In its place, where `rule` is a criterion.
    n_scans_ : float
        Looks at all columns that the paths took.
    n_features_in_ : int
        Features of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, where all of them are text.

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
        self, *, alphas=None, n_alphas=100, eps=1e-3, standardize=False, tol=1e-6, rule="best", cv=5, n_jobs=None,
        random_state=0,
    ):  # fmt: skip
        self.alphas = alphas
        self.n_alphas = n_alphas
        self.eps = eps
        self.standardize = standardize
        self.tol = tol
        self.rule = rule
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
