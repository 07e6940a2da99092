"""LS-Boost and forward stagewise regression as estimators."""

from functools import partial

from coordboost._utils.checks import few, positive
from coordboost.data import validation
from coordboost.engine.run import solve
from coordboost.estimators.base import Classification, Regression
from coordboost.estimators.linear import CrossValidated, _BaseLinear
from coordboost.methods.named import forward_stagewise, ls_boost, regularized_forward_stagewise


def first_step(problem):
    """Return the length of the first step of coordinate descent, or 1 if that is 0."""
    return problem.start_size / (problem.loss.sigma or 1.0) or 1.0


class _BaseStagewise(_BaseLinear):
    """Abstract base: paths are runs of ``n_steps`` steps.

    A subclass supplies the methods, ``_methods(problem)``.
    """

    def _check_parameters(self):
        super()._check_parameters()
        few("n_steps", validation.whole("n_steps", self.n_steps, 1), 1_000_000_000)

    def _paths(self, problem, products=None):
        return [
            (self._path(problem, products, method), partial(self._path, method=method))
            for method in self._methods(problem)
        ]

    def _path(self, problem, products, method):
        return solve(problem, method, self.n_steps)

    @property
    def run_(self):
        """The run behind the model; it can be replayed, saved and resumed.

        It keeps the intercept of the constant model.
        """
        return self.path_.run


class _LSBoost(_BaseStagewise):
    """Abstract base: LS-Boost, for the squared loss."""

    loss = None

    def _methods(self, problem):
        return [ls_boost(self.eps)]


class _ForwardStagewise(_BaseStagewise):
    """Abstract base: forward stagewise regression, for any loss."""

    def __init__(self, *, eps, n_steps, loss, fit_intercept, refit_intercept):
        self.eps = eps
        self.n_steps = n_steps
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.refit_intercept = refit_intercept

    def _check_parameters(self):
        super()._check_parameters()
        validation.flag("refit_intercept", self.refit_intercept)
        if self.eps is not None:
            positive("eps", self.eps)

    def _path(self, problem, products, method):
        run = super()._path(problem, products, method)
        return (
            run.refit_intercept()
            if self.refit_intercept and self.fit_intercept and not problem.loss.quadratic
            else run
        )

    def _step_length(self, problem):
        return first_step(problem) / 100 if self.eps is None else float(self.eps)

    def _methods(self, problem):
        return [forward_stagewise(self._step_length(problem))]


class LSBoostRegressor(Regression, _LSBoost):
    """LS-Boost: least squares by small steps on the column most correlated with the residual.

    Parameters
    ----------
    eps : float, default 0.1
        Learning rate (shrinkage), without unit, 0 < eps < 2: the fraction of the least-squares step
        on one column that is taken.
    n_steps : int, default 1000
        Number of steps of the run.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred, as in scikit-learn.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    run_ : Run
        The run behind the model (see ``coordboost.engine.Run``); it can be replayed, saved and
        resumed. It keeps the intercept of the constant model.
    path_ : Run or RefittedRun
        The fitted path: the model after each step.
    paths_ : list
        A list with the one ``path_``.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        A list with the one ``place_``.
    certificate_ : Certificate
        Interval that contains the smallest value of the loss, summed over samples, that the method
        can approach: the minimum over all coefficients; for
        ``RegularizedForwardStagewiseRegressor`` and its ``CV`` version, over those whose L1 norm is
        within the bound. Computed on access.
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
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*,
    Section 2.

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

    def __init__(self, *, eps=0.1, n_steps=1000, fit_intercept=True):
        self.eps = eps
        self.n_steps = n_steps
        self.fit_intercept = fit_intercept


class LSBoostRegressorCV(CrossValidated, Regression, _LSBoost):
    """LS-Boost; the number of steps chosen by cross-validation or by AIC, BIC or Cp.

    Parameters
    ----------
    eps : float, default 0.1
        Learning rate (shrinkage), without unit, 0 < eps < 2: the fraction of the least-squares step
        on one column that is taken.
    n_steps : int, default 1000
        Number of steps of the run.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred, as in scikit-learn.
    rule : {"best", "one_se", "aic", "bic", "cp"}, default "best"
        "best": smallest mean loss over the folds. "one_se": fewest steps within one standard error
        of it. "aic", "bic", "cp": information criteria on all rows, no cross-validation; for
        LS-Boost only.
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

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    run_ : Run
        The run behind the model (see ``coordboost.engine.Run``); it can be replayed, saved and
        resumed. It keeps the intercept of the constant model.
    path_ : Run or RefittedRun
        The fitted path: the model after each step.
    paths_ : list
        A list with the one ``path_``.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        A list with the one ``place_``.
    certificate_ : Certificate
        Interval that contains the smallest value of the loss, summed over samples, that the method
        can approach: the minimum over all coefficients; for
        ``RegularizedForwardStagewiseRegressor`` and its ``CV`` version, over those whose L1 norm is
        within the bound. Computed on access.
    certificates_ : list of Certificate
        A list with the one ``certificate_``.
    cross_validation_ : CrossValidation
        Losses on held-out rows at all points of the path, or of all paths compared. For classifiers
        with one model for each class: a list.
    criterion_ : ndarray of shape (n_points,)
        Value of AIC, BIC or Cp at every point of the path; smaller is better. Only if `rule` is one
        of them; then there is no ``cross_validation_``.
    n_steps_ : int
        The chosen number of steps.
    l1_ : float
        L1 norm of the chosen model, in the units of ``PathPoint(l1=...)``.
    alpha_ : None
        Always None: a path of steps has no penalties.
    n_scans_ : float
        Cost of the path on all rows: the number of passes over all columns; a pass over some of
        them counts as a fraction.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*,
    Section 2; degrees of freedom: see ``coordboost.paths.freedom``.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.LSBoostRegressorCV(n_steps=200).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.5
    """

    def __init__(
        self,
        *,
        eps=0.1,
        n_steps=1000,
        fit_intercept=True,
        rule="best",
        cv=5,
        scoring=None,
        n_jobs=None,
        random_state=0,
        noise_variance=None,
    ):
        self.eps = eps
        self.n_steps = n_steps
        self.fit_intercept = fit_intercept
        self.rule = rule
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.noise_variance = noise_variance


class ForwardStagewiseRegressor(Regression, _ForwardStagewise):
    """Forward stagewise regression, FS_eps.

    Each step adds +-eps to the coefficient of the column most correlated with the residual.

    Parameters
    ----------
    eps : float, optional
        Change of one coefficient per step, for columns of Euclidean norm 1 (see
        ``forward_stagewise``). In the units of the prediction: those of y in regression with the
        squared loss, log-odds in classification with the logistic loss. Default: a hundredth of the
        first step of coordinate descent.
    n_steps : int, default 1000
        Number of steps of the run.
    loss : loss, optional
        Default ``Squared()``. Also ``Huber(d)``, ``Poisson()``, ``Gamma()``, or one of your own.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred, as in scikit-learn.
    refit_intercept : bool, default True
        For losses other than the squared one: refit the intercept at every point of the path, in
        cross-validation too. The steps do not change, and ``run_`` keeps the intercept of the
        constant model.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    run_ : Run
        The run behind the model (see ``coordboost.engine.Run``); it can be replayed, saved and
        resumed. It keeps the intercept of the constant model.
    path_ : Run or RefittedRun
        The fitted path: the model after each step.
    paths_ : list
        A list with the one ``path_``.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        A list with the one ``place_``.
    certificate_ : Certificate
        Interval that contains the smallest value of the loss, summed over samples, that the method
        can approach: the minimum over all coefficients; for
        ``RegularizedForwardStagewiseRegressor`` and its ``CV`` version, over those whose L1 norm is
        within the bound. Computed on access.
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
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*,
    Section 3.

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

    def __init__(
        self, *, eps=None, n_steps=1000, loss=None, fit_intercept=True, refit_intercept=True
    ):
        super().__init__(
            eps=eps,
            n_steps=n_steps,
            loss=loss,
            fit_intercept=fit_intercept,
            refit_intercept=refit_intercept,
        )


class ForwardStagewiseRegressorCV(CrossValidated, Regression, _ForwardStagewise):
    """Forward stagewise regression; the number of steps chosen by cross-validation.

    Parameters
    ----------
    eps : float, optional
        Change of one coefficient per step, for columns of Euclidean norm 1 (see
        ``forward_stagewise``). In the units of the prediction: those of y in regression with the
        squared loss, log-odds in classification with the logistic loss. Default: a hundredth of the
        first step of coordinate descent.
    n_steps : int, default 1000
        Number of steps of the run.
    loss : loss, optional
        Default ``Squared()``. Also ``Huber(d)``, ``Poisson()``, ``Gamma()``, or one of your own.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred, as in scikit-learn.
    refit_intercept : bool, default True
        For losses other than the squared one: refit the intercept at every point of the path, in
        cross-validation too. The steps do not change, and ``run_`` keeps the intercept of the
        constant model.
    rule : {"best", "one_se", "aic", "bic", "cp"}, default "best"
        "best": smallest mean loss over the folds. "one_se": fewest steps within one standard error
        of it. "aic", "bic", "cp": information criteria on all rows, no cross-validation; for
        LS-Boost only.
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

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    run_ : Run
        The run behind the model (see ``coordboost.engine.Run``); it can be replayed, saved and
        resumed. It keeps the intercept of the constant model.
    path_ : Run or RefittedRun
        The fitted path: the model after each step.
    paths_ : list
        A list with the one ``path_``.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        A list with the one ``place_``.
    certificate_ : Certificate
        Interval that contains the smallest value of the loss, summed over samples, that the method
        can approach: the minimum over all coefficients; for
        ``RegularizedForwardStagewiseRegressor`` and its ``CV`` version, over those whose L1 norm is
        within the bound. Computed on access.
    certificates_ : list of Certificate
        A list with the one ``certificate_``.
    cross_validation_ : CrossValidation
        Losses on held-out rows at all points of the path, or of all paths compared. For classifiers
        with one model for each class: a list.
    criterion_ : ndarray of shape (n_points,)
        Value of AIC, BIC or Cp at every point of the path; smaller is better. Only if `rule` is one
        of them; then there is no ``cross_validation_``.
    n_steps_ : int
        The chosen number of steps.
    l1_ : float
        L1 norm of the chosen model, in the units of ``PathPoint(l1=...)``.
    alpha_ : None
        Always None: a path of steps has no penalties.
    n_scans_ : float
        Cost of the path on all rows: the number of passes over all columns; a pass over some of
        them counts as a fraction.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*,
    Section 3.

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
        self,
        *,
        eps=None,
        n_steps=1000,
        loss=None,
        fit_intercept=True,
        refit_intercept=True,
        rule="best",
        cv=5,
        scoring=None,
        n_jobs=None,
        random_state=0,
    ):
        super().__init__(
            eps=eps,
            n_steps=n_steps,
            loss=loss,
            fit_intercept=fit_intercept,
            refit_intercept=refit_intercept,
        )
        self.rule = rule
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.random_state = random_state


class RegularizedForwardStagewiseRegressor(Regression, _ForwardStagewise):
    """Regularized forward stagewise regression, R-FS_{eps, delta}.

    It approaches the Lasso with the bound delta on the L1 norm.

    Parameters
    ----------
    eps : float, optional
        Change of one coefficient per step, for columns of Euclidean norm 1 (see
        ``forward_stagewise``). In the units of the prediction: those of y in regression with the
        squared loss, log-odds in classification with the logistic loss. Default: a hundredth of the
        first step of coordinate descent.
    delta : float, optional
        Bound on sum_j abs(beta_j), the coefficients of columns of Euclidean norm 1; same unit as
        eps. The run approaches the Lasso with this bound. Default: the length of the first step of
        coordinate descent.
    n_steps : int, default 1000
        Number of steps of the run.
    loss : loss, optional
        Default ``Squared()``. Also ``Huber(d)``, ``Poisson()``, ``Gamma()``, or one of your own.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred, as in scikit-learn.
    refit_intercept : bool, default True
        For losses other than the squared one: refit the intercept at every point of the path, in
        cross-validation too. The steps do not change, and ``run_`` keeps the intercept of the
        constant model.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    run_ : Run
        The run behind the model (see ``coordboost.engine.Run``); it can be replayed, saved and
        resumed. It keeps the intercept of the constant model.
    path_ : Run or RefittedRun
        The fitted path: the model after each step.
    paths_ : list
        A list with the one ``path_``.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        A list with the one ``place_``.
    certificate_ : Certificate
        Interval that contains the smallest value of the loss, summed over samples, that the method
        can approach: the minimum over all coefficients; for
        ``RegularizedForwardStagewiseRegressor`` and its ``CV`` version, over those whose L1 norm is
        within the bound. Computed on access.
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
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*,
    Section 4.

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

    def __init__(
        self,
        *,
        eps=None,
        delta=None,
        n_steps=1000,
        loss=None,
        fit_intercept=True,
        refit_intercept=True,
    ):
        super().__init__(
            eps=eps,
            n_steps=n_steps,
            loss=loss,
            fit_intercept=fit_intercept,
            refit_intercept=refit_intercept,
        )
        self.delta = delta

    def _methods(self, problem):
        delta = first_step(problem) if self.delta is None else self.delta
        return [regularized_forward_stagewise(self._step_length(problem), delta)]


class RegularizedForwardStagewiseRegressorCV(CrossValidated, Regression, _ForwardStagewise):
    """Regularized forward stagewise regression.

    Delta and the number of steps chosen by cross-validation.

    Parameters
    ----------
    eps : float, optional
        Change of one coefficient per step, for columns of Euclidean norm 1 (see
        ``forward_stagewise``). In the units of the prediction: those of y in regression with the
        squared loss, log-odds in classification with the logistic loss. Default: a hundredth of the
        first step of coordinate descent.
    deltas : sequence of float, optional
        Bounds delta to choose from, on sum_j abs(beta_j), the coefficients of columns of Euclidean
        norm 1; same unit as eps. Default: `n_deltas` values, evenly spaced up to the norm at the
        end of forward stagewise with the same `eps` and `n_steps`. With rule="one_se", the smallest
        bound with a model within one standard error is chosen.
    n_deltas : int, default 10
        Number of bounds, if `deltas` is not given.
    n_steps : int, default 1000
        Number of steps of the run.
    loss : loss, optional
        Default ``Squared()``. Also ``Huber(d)``, ``Poisson()``, ``Gamma()``, or one of your own.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred, as in scikit-learn.
    refit_intercept : bool, default True
        For losses other than the squared one: refit the intercept at every point of the path, in
        cross-validation too. The steps do not change, and ``run_`` keeps the intercept of the
        constant model.
    rule : {"best", "one_se", "aic", "bic", "cp"}, default "best"
        "best": smallest mean loss over the folds. "one_se": fewest steps within one standard error
        of it. "aic", "bic", "cp": information criteria on all rows, no cross-validation; for
        LS-Boost only.
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

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients on the scale of X.
    intercept_ : float
        The intercept.
    run_ : Run
        The run behind the model (see ``coordboost.engine.Run``); it can be replayed, saved and
        resumed. It keeps the intercept of the constant model.
    path_ : Run or RefittedRun
        The fitted path: the model after each step.
    paths_ : list
        A list with the one ``path_``.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        A list with the one ``place_``.
    certificate_ : Certificate
        Interval that contains the smallest value of the loss, summed over samples, that the method
        can approach: the minimum over all coefficients; for
        ``RegularizedForwardStagewiseRegressor`` and its ``CV`` version, over those whose L1 norm is
        within the bound. Computed on access.
    certificates_ : list of Certificate
        A list with the one ``certificate_``.
    cross_validation_ : CrossValidation
        Losses on held-out rows at all points of the path, or of all paths compared. For classifiers
        with one model for each class: a list.
    criterion_ : ndarray of shape (n_points,)
        Value of AIC, BIC or Cp at every point of the path; smaller is better. Only if `rule` is one
        of them; then there is no ``cross_validation_``.
    n_steps_ : int
        The chosen number of steps.
    l1_ : float
        L1 norm of the chosen model, in the units of ``PathPoint(l1=...)``.
    alpha_ : None
        Always None: a path of steps has no penalties.
    n_scans_ : float
        Cost of the path on all rows: the number of passes over all columns; a pass over some of
        them counts as a fraction.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*,
    Section 4.

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
        self,
        *,
        eps=None,
        deltas=None,
        n_deltas=10,
        n_steps=1000,
        loss=None,
        fit_intercept=True,
        refit_intercept=True,
        rule="best",
        cv=5,
        scoring=None,
        n_jobs=None,
        random_state=0,
    ):
        super().__init__(
            eps=eps,
            n_steps=n_steps,
            loss=loss,
            fit_intercept=fit_intercept,
            refit_intercept=refit_intercept,
        )
        self.deltas = deltas
        self.n_deltas = n_deltas
        self.rule = rule
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        few("n_deltas", validation.whole("n_deltas", self.n_deltas, 1), 100_000)

    def _methods(self, problem):
        eps = self._step_length(problem)
        deltas = self.deltas
        if deltas is None:
            top = max(solve(problem, forward_stagewise(eps), self.n_steps).final.l1, eps)
            deltas = [max(eps, top * k / self.n_deltas) for k in range(1, self.n_deltas + 1)]
        deltas = validation.numeric("deltas", deltas, 1)
        if not len(deltas):
            raise ValueError("deltas is empty: give at least one bound on the l1 norm, or None.")
        return [regularized_forward_stagewise(eps, delta) for delta in sorted(deltas.tolist())]


class ForwardStagewiseClassifier(Classification, _ForwardStagewise):
    """Forward stagewise for classification.

    Each step adds +-eps to the coefficient of the column most correlated with the residual.

    Three classes or more are one-vs-rest: one model for each class, and probabilities are
    normalised to sum to 1.

    Parameters
    ----------
    eps : float, optional
        Change of one coefficient per step, for columns of Euclidean norm 1 (see
        ``forward_stagewise``). In the units of the prediction: those of y in regression with the
        squared loss, log-odds in classification with the logistic loss. Default: a hundredth of the
        first step of coordinate descent.
    n_steps : int, default 1000
        Number of steps of the run.
    loss : loss, optional
        Default ``Logistic()``. Also ``Exponential()``, or one of your own with
        ``two_class = True``.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred, as in scikit-learn.
    refit_intercept : bool, default True
        For losses other than the squared one: refit the intercept at every point of the path, in
        cross-validation too. The steps do not change, and ``run_`` keeps the intercept of the
        constant model.
    class_weight : dict or "balanced", optional
        Weight of each class, which multiplies the `sample_weight` of its rows, in the fit and in
        losses on held-out rows. "balanced": all classes get the same sum of weights, and the sum
        over all rows stays.

    Attributes
    ----------
    coef_ : ndarray of shape (n_models, n_features)
        Coefficients on the scale of X: one row for two classes, else one for each class.
    intercept_ : ndarray of shape (n_models,)
        The intercepts.
    run_ : Run
        The run behind the model (see ``coordboost.engine.Run``); it can be replayed, saved and
        resumed. It keeps the intercept of the constant model.
    path_ : Run or RefittedRun
        The fitted path: the model after each step. With one path for each class: see ``paths_``.
    paths_ : list
        The paths: one, or one for each class if there are three or more.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        One for each of ``paths_``.
    certificate_ : Certificate
        Interval that contains the smallest value of the loss, summed over samples, that the method
        can approach: the minimum over all coefficients; for
        ``RegularizedForwardStagewiseRegressor`` and its ``CV`` version, over those whose L1 norm is
        within the bound. Computed on access.
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
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*,
    Section 3, with the pseudo-residual in the place of the residual.

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

    def __init__(
        self,
        *,
        eps=None,
        n_steps=1000,
        loss=None,
        fit_intercept=True,
        refit_intercept=True,
        class_weight=None,
    ):
        super().__init__(
            eps=eps,
            n_steps=n_steps,
            loss=loss,
            fit_intercept=fit_intercept,
            refit_intercept=refit_intercept,
        )
        self.class_weight = class_weight


class ForwardStagewiseClassifierCV(CrossValidated, Classification, _ForwardStagewise):
    """Forward stagewise for classification.

    The number of steps chosen by cross-validation, for each class.

    Three classes or more are one-vs-rest: one model for each class, and probabilities are
    normalised to sum to 1.

    Parameters
    ----------
    eps : float, optional
        Change of one coefficient per step, for columns of Euclidean norm 1 (see
        ``forward_stagewise``). In the units of the prediction: those of y in regression with the
        squared loss, log-odds in classification with the logistic loss. Default: a hundredth of the
        first step of coordinate descent.
    n_steps : int, default 1000
        Number of steps of the run.
    loss : loss, optional
        Default ``Logistic()``. Also ``Exponential()``, or one of your own with
        ``two_class = True``.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred, as in scikit-learn.
    refit_intercept : bool, default True
        For losses other than the squared one: refit the intercept at every point of the path, in
        cross-validation too. The steps do not change, and ``run_`` keeps the intercept of the
        constant model.
    rule : {"best", "one_se", "aic", "bic", "cp"}, default "best"
        "best": smallest mean loss over the folds. "one_se": fewest steps within one standard error
        of it. "aic", "bic", "cp": information criteria on all rows, no cross-validation; for
        LS-Boost only.
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
    class_weight : dict or "balanced", optional
        Weight of each class, which multiplies the `sample_weight` of its rows, in the fit and in
        losses on held-out rows. "balanced": all classes get the same sum of weights, and the sum
        over all rows stays.

    Attributes
    ----------
    coef_ : ndarray of shape (n_models, n_features)
        Coefficients on the scale of X: one row for two classes, else one for each class.
    intercept_ : ndarray of shape (n_models,)
        The intercepts.
    run_ : Run
        The run behind the model (see ``coordboost.engine.Run``); it can be replayed, saved and
        resumed. It keeps the intercept of the constant model.
    path_ : Run or RefittedRun
        The fitted path: the model after each step. With one path for each class: see ``paths_``.
    paths_ : list
        The paths: one, or one for each class if there are three or more.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        One for each of ``paths_``.
    certificate_ : Certificate
        Interval that contains the smallest value of the loss, summed over samples, that the method
        can approach: the minimum over all coefficients; for
        ``RegularizedForwardStagewiseRegressor`` and its ``CV`` version, over those whose L1 norm is
        within the bound. Computed on access.
    certificates_ : list of Certificate
        One for each of ``paths_``.
    cross_validation_ : CrossValidation
        Losses on held-out rows at all points of the path, or of all paths compared. For classifiers
        with one model for each class: a list.
    criterion_ : ndarray of shape (n_points,)
        Value of AIC, BIC or Cp at every point of the path; smaller is better. Only if `rule` is one
        of them; then there is no ``cross_validation_``.
    n_steps_ : int
        The chosen number of steps.
    l1_ : float
        L1 norm of the chosen model, in the units of ``PathPoint(l1=...)``.
    alpha_ : None
        Always None: a path of steps has no penalties.
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
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*,
    Section 3, with the pseudo-residual in the place of the residual.

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
        self,
        *,
        eps=None,
        n_steps=1000,
        loss=None,
        fit_intercept=True,
        refit_intercept=True,
        rule="best",
        cv=5,
        scoring=None,
        n_jobs=None,
        random_state=0,
        class_weight=None,
    ):
        super().__init__(
            eps=eps,
            n_steps=n_steps,
            loss=loss,
            fit_intercept=fit_intercept,
            refit_intercept=refit_intercept,
        )
        self.rule = rule
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.class_weight = class_weight
