"""LS-Boost and forward stagewise regression as estimators."""

from functools import partial

from coordboost._utils.checks import positive
from coordboost.data import validation
from coordboost.engine.run import solve
from coordboost.estimators.base import Classification, Regression
from coordboost.estimators.linear import CrossValidated, _BaseLinear
from coordboost.methods.named import forward_stagewise, ls_boost, regularized_forward_stagewise


def first_step(problem):
    """The length of the first step of coordinate descent, 1 where there is none."""
    return problem.start_size / (problem.loss.sigma or 1.0) or 1.0


class _BaseStagewise(_BaseLinear):
    """Abstract base: paths are runs of ``n_steps`` steps of the methods that a subclass supplies, ``_methods(problem)``."""

    def _check_parameters(self):
        super()._check_parameters()
        validation.whole("n_steps", self.n_steps, 1)

    def _paths(self, problem, products=None):
        return [(self._path(problem, products, method), partial(self._path, method=method)) for method in self._methods(problem)]

    def _path(self, problem, products, method):
        return solve(problem, method, self.n_steps)

    @property
    def run_(self):
        """The run behind the model: replayed, saved, resumed as any other. It keeps the intercept of its start."""
        return self.path_.run


class _LSBoost(_BaseStagewise):
    """Abstract base: LS-Boost, for the squared loss."""

    loss = None

    def _methods(self, problem):
        return [ls_boost(self.eps)]


class _ForwardStagewise(_BaseStagewise):
    """Abstract base: forward stagewise regression, for any loss."""

    def _check_parameters(self):
        super()._check_parameters()
        validation.flag("refit_intercept", self.refit_intercept)
        if self.eps is not None:
            positive("eps", self.eps)

    def _path(self, problem, products, method):
        run = super()._path(problem, products, method)
        return run.refit_intercept() if self.refit_intercept and not problem.loss.quadratic else run

    def _step_length(self, problem):
        return first_step(problem) / 100 if self.eps is None else float(self.eps)

    def _methods(self, problem):
        return [forward_stagewise(self._step_length(problem))]


class LSBoostRegressor(Regression, _LSBoost):
    """LS-Boost: least squares by small steps along the best-correlated column.

    Parameters
    ----------
    eps : float, default 0.1
        The part of the step of least squares that is taken.
    n_steps : int, default 1000
        Steps of the run.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    run_ : Run
        The run behind the model: replayed, saved, resumed as any other. It keeps the intercept of its start.
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
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*, Section 2.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.LSBoostRegressor(n_steps=200).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.5
    >>> bool(model.certificate_.lower <= model.certificate_.upper)
    True
    """

    def __init__(self, *, eps=0.1, n_steps=1000):
        self.eps = eps
        self.n_steps = n_steps


class LSBoostRegressorCV(CrossValidated, Regression, _LSBoost):
    """LS-Boost; the number of steps chosen by cross-validation or by AIC, BIC or Cp.

    Parameters
    ----------
    eps : float, default 0.1
        The part of the step of least squares that is taken.
    n_steps : int, default 1000
        Steps of the run.
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
    run_ : Run
        The run behind the model: replayed, saved, resumed as any other. It keeps the intercept of its start.
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
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*, Section 2; degrees of freedom: see
    ``coordboost.paths.freedom``.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.LSBoostRegressorCV(n_steps=200).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.5
    """

    def __init__(self, *, eps=0.1, n_steps=1000, rule="best", cv=5, n_jobs=None, random_state=0, noise_variance=None):
        self.eps = eps
        self.n_steps = n_steps
        self.rule = rule
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.noise_variance = noise_variance


class ForwardStagewiseRegressor(Regression, _ForwardStagewise):
    """Forward stagewise regression, FS_eps: steps of length eps along the best-correlated column.

    Parameters
    ----------
    eps : float, optional
        The length of a step, in the units of y. Default: a hundredth of the first step of coordinate descent.
    n_steps : int, default 1000
        Steps of the run.
    loss : loss, optional
        ``Squared()`` for regression, ``Logistic()`` for classes; or ``Huber(d)``, ``Poisson()``, ``Exponential()``, one of your
        own.
    refit_intercept : bool, default True
        For losses other than the squared one: every model of the path has the best intercept beside its coefficients, so
        cross-validation judges what `predict` gives. The run itself keeps that of its start.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    run_ : Run
        The run behind the model: replayed, saved, resumed as any other. It keeps the intercept of its start.
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
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*, Section 3.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.ForwardStagewiseRegressor(n_steps=200).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.5
    >>> bool(model.certificate_.lower <= model.certificate_.upper)
    True
    """

    def __init__(self, *, eps=None, n_steps=1000, loss=None, refit_intercept=True):
        self.eps = eps
        self.n_steps = n_steps
        self.loss = loss
        self.refit_intercept = refit_intercept


class ForwardStagewiseRegressorCV(CrossValidated, Regression, _ForwardStagewise):
    """Forward stagewise regression; the number of steps chosen by cross-validation.

    Parameters
    ----------
    eps : float, optional
        The length of a step, in the units of y. Default: a hundredth of the first step of coordinate descent.
    n_steps : int, default 1000
        Steps of the run.
    loss : loss, optional
        ``Squared()`` for regression, ``Logistic()`` for classes; or ``Huber(d)``, ``Poisson()``, ``Exponential()``, one of your
        own.
    refit_intercept : bool, default True
        For losses other than the squared one: every model of the path has the best intercept beside its coefficients, so
        cross-validation judges what `predict` gives. The run itself keeps that of its start.
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
    run_ : Run
        The run behind the model: replayed, saved, resumed as any other. It keeps the intercept of its start.
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
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*, Section 3.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.ForwardStagewiseRegressorCV(n_steps=200).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.5
    """

    def __init__(
        self, *, eps=None, n_steps=1000, loss=None, refit_intercept=True, rule="best", cv=5, n_jobs=None,
        random_state=0,
    ):  # fmt: skip
        self.eps = eps
        self.n_steps = n_steps
        self.loss = loss
        self.refit_intercept = refit_intercept
        self.rule = rule
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state


class RegularizedForwardStagewiseRegressor(Regression, _ForwardStagewise):
    """Regularized forward stagewise regression, R-FS_{eps, delta}: approaches the Lasso in an l1 ball.

    Parameters
    ----------
    eps : float, optional
        The length of a step, in the units of y. Default: a hundredth of the first step of coordinate descent.
    delta : float, optional
        The radius of the l1 ball of unit columns that the run stays in, and whose Lasso it approaches. Default: the length of the
        first step of coordinate descent.
    n_steps : int, default 1000
        Steps of the run.
    loss : loss, optional
        ``Squared()`` for regression, ``Logistic()`` for classes; or ``Huber(d)``, ``Poisson()``, ``Exponential()``, one of your
        own.
    refit_intercept : bool, default True
        For losses other than the squared one: every model of the path has the best intercept beside its coefficients, so
        cross-validation judges what `predict` gives. The run itself keeps that of its start.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    run_ : Run
        The run behind the model: replayed, saved, resumed as any other. It keeps the intercept of its start.
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
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*, Section 4.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.RegularizedForwardStagewiseRegressor(n_steps=200).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.4
    >>> bool(model.certificate_.lower <= model.certificate_.upper)
    True
    """

    def __init__(self, *, eps=None, delta=None, n_steps=1000, loss=None, refit_intercept=True):
        self.eps = eps
        self.delta = delta
        self.n_steps = n_steps
        self.loss = loss
        self.refit_intercept = refit_intercept

    def _methods(self, problem):
        delta = first_step(problem) if self.delta is None else self.delta
        return [regularized_forward_stagewise(self._step_length(problem), delta)]


class RegularizedForwardStagewiseRegressorCV(CrossValidated, Regression, _ForwardStagewise):
    """Regularized forward stagewise regression; radius and number of steps chosen by cross-validation.

    Parameters
    ----------
    eps : float, optional
        The length of a step, in the units of y. Default: a hundredth of the first step of coordinate descent.
    deltas : sequence of float, optional
        Radii of l1 balls of unit columns, each that of one path a fold. Default: `n_deltas` of them, evenly spaced up to the norm
        at the end of a run of forward stagewise with the same steps.
    n_deltas : int, default 10
        Number of radii, where `deltas` is not given.
    n_steps : int, default 1000
        Steps of the run.
    loss : loss, optional
        ``Squared()`` for regression, ``Logistic()`` for classes; or ``Huber(d)``, ``Poisson()``, ``Exponential()``, one of your
        own.
    refit_intercept : bool, default True
        For losses other than the squared one: every model of the path has the best intercept beside its coefficients, so
        cross-validation judges what `predict` gives. The run itself keeps that of its start.
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
    run_ : Run
        The run behind the model: replayed, saved, resumed as any other. It keeps the intercept of its start.
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
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*, Section 4.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.RegularizedForwardStagewiseRegressorCV(n_steps=200, n_deltas=3).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.5
    """

    def __init__(
        self, *, eps=None, deltas=None, n_deltas=10, n_steps=1000, loss=None, refit_intercept=True, rule="best",
        cv=5, n_jobs=None, random_state=0,
    ):  # fmt: skip
        self.eps = eps
        self.deltas = deltas
        self.n_deltas = n_deltas
        self.n_steps = n_steps
        self.loss = loss
        self.refit_intercept = refit_intercept
        self.rule = rule
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        validation.whole("n_deltas", self.n_deltas, 1)

    def _methods(self, problem):
        eps, deltas = self._step_length(problem), self.deltas
        if deltas is None:
            top = max(solve(problem, forward_stagewise(eps), self.n_steps).final.l1, eps)
            deltas = [max(eps, top * k / self.n_deltas) for k in range(1, self.n_deltas + 1)]
        return [regularized_forward_stagewise(eps, delta) for delta in sorted(validation.numeric("deltas", deltas, 1).tolist())]


class ForwardStagewiseClassifier(Classification, _ForwardStagewise):
    """Forward stagewise regression for classes: steps along the column best correlated with the pseudo-residual.

    One model of two classes; of more one for each, against the rest, whose probabilities are divided by their sum.

    Parameters
    ----------
    eps : float, optional
        The length of a step, in the units of y. Default: a hundredth of the first step of coordinate descent.
    n_steps : int, default 1000
        Steps of the run.
    loss : loss, optional
        ``Squared()`` for regression, ``Logistic()`` for classes; or ``Huber(d)``, ``Poisson()``, ``Exponential()``, one of your
        own.
    refit_intercept : bool, default True
        For losses other than the squared one: every model of the path has the best intercept beside its coefficients, so
        cross-validation judges what `predict` gives. The run itself keeps that of its start.

    Attributes
    ----------
    coef_ : ndarray of shape (n_models, n_features)
        Coefficients on the scale of X: one model of two classes, of more one for each.
    intercept_ : ndarray of shape (n_models,)
        The intercepts.
    run_ : Run
        The run behind the model: replayed, saved, resumed as any other. It keeps the intercept of its start.
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
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*, Section 3, with the
    pseudo-residual in the place of the residual.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = cb.ForwardStagewiseClassifier(n_steps=200).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    >>> bool(model.certificate_.lower <= model.certificate_.upper)
    True
    """

    def __init__(self, *, eps=None, n_steps=1000, loss=None, refit_intercept=True):
        self.eps = eps
        self.n_steps = n_steps
        self.loss = loss
        self.refit_intercept = refit_intercept


class ForwardStagewiseClassifierCV(CrossValidated, Classification, _ForwardStagewise):
    """Forward stagewise regression for classes; the number of steps chosen by cross-validation, for each class.

    One model of two classes; of more one for each, against the rest, whose probabilities are divided by their sum.

    Parameters
    ----------
    eps : float, optional
        The length of a step, in the units of y. Default: a hundredth of the first step of coordinate descent.
    n_steps : int, default 1000
        Steps of the run.
    loss : loss, optional
        ``Squared()`` for regression, ``Logistic()`` for classes; or ``Huber(d)``, ``Poisson()``, ``Exponential()``, one of your
        own.
    refit_intercept : bool, default True
        For losses other than the squared one: every model of the path has the best intercept beside its coefficients, so
        cross-validation judges what `predict` gives. The run itself keeps that of its start.
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
    run_ : Run
        The run behind the model: replayed, saved, resumed as any other. It keeps the intercept of its start.
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
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*, Section 3, with the
    pseudo-residual in the place of the residual.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = cb.ForwardStagewiseClassifierCV(n_steps=200).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    def __init__(
        self, *, eps=None, n_steps=1000, loss=None, refit_intercept=True, rule="best", cv=5, n_jobs=None,
        random_state=0,
    ):  # fmt: skip
        self.eps = eps
        self.n_steps = n_steps
        self.loss = loss
        self.refit_intercept = refit_intercept
        self.rule = rule
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
