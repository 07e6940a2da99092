"""Models of rules as estimators: the Lasso over all rules of a table."""

from functools import partial

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coordboost.data.problem import Problem
from coordboost.data.rule_learners import rules
from coordboost.estimators.base import Classification, Regression, check_table, named
from coordboost.estimators.certified import OnGrid, ShortOfTol
from coordboost.estimators.linear import CrossValidated, _BaseLinear
from coordboost.lasso.path import lasso_path
from coordboost.model_selection.validate import RULES


class _BaseRules(ShortOfTol, _BaseLinear):
    """Abstract base: the path of the Lasso over all rules, and the model at its end."""

    fit_intercept = True
    _by_moments = False
    _if_short = " over all rules. Pass a larger max_nodes, tol or eps."

    def __init__(
        self,
        *,
        depth=2,
        max_bins=10,
        min_support=0.01,
        negations=True,
        categorical_features=(),
        max_nodes=None,
        n_alphas=10,
        eps=0.1,
        gamma=1.0,
        tol=1e-6,
        loss=None,
    ):
        self.depth = depth
        self.max_bins = max_bins
        self.min_support = min_support
        self.negations = negations
        self.categorical_features = categorical_features
        self.max_nodes = max_nodes
        self.n_alphas = n_alphas
        self.eps = eps
        self.gamma = gamma
        self.tol = tol
        self.loss = loss

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _check_table(self, X, *, reset=False):
        X = check_table(self, X, reset=reset)
        if reset and X.shape[0] < 2:
            raise ValueError(f"{type(self).__name__} needs two rows, got n_samples = 1.")
        return X

    def _problem(self, X, y, weight, offset):
        with named(categorical="categorical_features"):
            family = rules(
                X,
                depth=self.depth,
                max_bins=self.max_bins,
                min_support=self.min_support,
                negations=self.negations,
                max_nodes=self.max_nodes,
                categorical=self.categorical_features,
            )
        return Problem(family, y, self._get_loss(), sample_weight=weight, offset=offset)

    def _paths(self, problem, products=None):
        path = self._path(problem, n_alphas=self.n_alphas, eps=self.eps)
        return [(path, partial(self._path, alphas=path.alphas))]

    def _path(self, problem, products=None, **grid):
        path = lasso_path(problem, tol=self.tol, refit_intercept=True, **grid)
        return path.relaxed(self.gamma)

    def _set_models(self, models):
        """Set ``intercept_``, and what ``rules_`` shows of each model."""
        found = []
        intercepts = []
        for path, (coef, intercept) in zip(self.paths_, models, strict=True):
            rows, shift = _rules_of(path.problem, coef, hasattr(self, "classes_"))
            found.append(rows)
            intercepts.append(intercept - shift)
        self._found = found
        self.intercept_ = intercepts[0] if not hasattr(self, "classes_") else np.array(intercepts)

    def rules_(self):
        """The rules of the model, the one with the largest coefficient first, as a data frame.

        Returns
        -------
        pandas.DataFrame
            One row for each rule: ``rule``, its text; ``coefficient``, which is added to the
            prediction (on the link scale) where the rule holds; ``support``, the share of the rows
            of the fit, by weight, where it holds; ``lift``, for regression the mean target of these
            rows less that of all, for classes the share of the class there over its share in all
            rows; ``tests``, a tuple of (column, comparison, value) with the exact thresholds. For
            three classes or more also ``class``.
        """
        import pandas as pd

        check_is_fitted(self)
        several = len(self._found) > 1
        labels = self.classes_.tolist() if several else [None]
        frames = []
        for label, rows in zip(labels, self._found, strict=True):
            frame = pd.DataFrame(rows, columns=["rule", "coefficient", "support", "lift", "tests"])
            if several:
                frame.insert(0, "class", label)
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    def _raw_predict(self, X):
        check_is_fitted(self)
        table = self._check_table(X)
        models = zip(self.paths_, self.places_, strict=True)
        return np.column_stack([path.predict(table, place) for path, place in models])

    def coef_table(self, *, stability=None, q=None, zeros=False):
        """Refused: columns of X have no coefficients; ``rules_()`` is the table of the rules."""
        raise ValueError(
            f"{type(self).__name__} has no coefficients of columns: rules_() is the table of its "
            "rules."
        )

    def _contributions(self, X, background):
        raise ValueError(
            f"{type(self).__name__} has no contributions of features: a rule may test several "
            "of them. rules_() shows what each rule adds."
        )


def _rules_of(problem, coef, of_classes):
    """What is shown of the rules of a model, the largest coefficient first; what centring adds.

    of_classes : whether targets are -1 and 1
    """
    bank = problem.dictionary
    weight = problem.weight / problem.total_weight
    target = (1 + problem.y) / 2 if of_classes else problem.y
    mean = float(weight @ target)
    rows = []
    shift = 0.0
    for j in np.flatnonzero(coef):
        rule = bank.learners[j]
        share, norm = bank.family.centre_and_norm(rule)
        inside = float(weight @ (target * (bank.columns[j] > 0))) / share
        own = float(coef[j]) / norm
        lift = inside / mean if of_classes else inside - mean
        rows.append((bank.name(j), own, share, lift, bank.family.tests(rule)))
        shift += own * share
    rows.sort(key=lambda row: -abs(row[1]))
    return rows, shift


class _BaseRulesCV(OnGrid, CrossValidated, _BaseRules):
    """Abstract base: the penalty is chosen on the path."""

    def __init__(
        self,
        *,
        depth=2,
        max_bins=10,
        min_support=0.01,
        negations=True,
        categorical_features=(),
        max_nodes=None,
        n_alphas=20,
        eps=0.1,
        gamma=1.0,
        tol=1e-6,
        loss=None,
        rule="one_se",
        cv=5,
        scoring=None,
        n_jobs=None,
        random_state=0,
    ):
        super().__init__(
            depth=depth,
            max_bins=max_bins,
            min_support=min_support,
            negations=negations,
            categorical_features=categorical_features,
            max_nodes=max_nodes,
            n_alphas=n_alphas,
            eps=eps,
            gamma=gamma,
            tol=tol,
            loss=loss,
        )
        self.rule = rule
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        if self.rule not in RULES:
            raise ValueError(f"rule must be 'best' or 'one_se' for rules, got {self.rule!r}.")

    def _quick_rows(self, X):
        return X.tocsr() if hasattr(X, "tocsr") else X


class CertifiedRulesRegressor(Regression, _BaseRules):
    """A linear model of rules, with an interval around its optimum over all rules.

    The Lasso over all rules of up to `depth` tests on the columns of X, see
    ``coordboost.data.rules``: no model of such rules has a smaller objective, up to `tol`.

    Parameters
    ----------
    depth : int, default 2
        Most tests of a rule, such as ``age <= 41.5 and town = Oslo``.
    max_bins : int, default 10
        Numbers are tested at no more than `max_bins` - 1 thresholds: all, or quantiles.
    min_support : float, default 0.01
        Least share of the rows, by weight, for which a rule holds, and for which it does not.
    negations : bool, default True
        Whether categories are tested by ``!=``, too.
    categorical_features : sequence of int or str, default ()
        Columns that hold categories, besides those of the dtype ``category``.
    max_nodes : int, optional
        Most nodes that a search visits. Where it ends early, certificates are wider, but true, and
        a ``ConvergenceWarning`` says so.
    n_alphas : int, default 10
        Number of penalties of the path.
    eps : float, default 0.1
        The smallest penalty, divided by the one at which the first rule enters. The model
        is the one at the smallest.
    gamma : float, default 1.0
        The weight of the Lasso fit, from 0 to 1; the other part is the fit without a penalty on the
        rules of the Lasso (relaxed Lasso). ``certificate_`` is then that of the Lasso beneath.
    tol : float, default 1e-6
        The gap wanted over all rules, as a share of the loss of the constant model.
    loss : loss, optional
        Default ``Squared()``; or any loss that ``lasso_path`` takes.

    Attributes
    ----------
    intercept_ : float
        What is predicted where no rule holds, on the link scale.
    path_ : LassoPath
        The path over all rules.
    paths_ : list
        The paths: one.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        One for each of ``paths_``.
    certificate_ : Certificate
        Interval that contains the optimal value of the objective over all rules, in sums over
        samples. *Cost*: a search.
    certificates_ : list of Certificate
        One for each of ``paths_``.
    n_scans_ : float
        Number of searches.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    The penalty is on the coefficients of the rules as unit columns, see ``rules``; ``rules_()``
    shows those of the rules as 0 and 1. *Source*: see ``lasso_path``; models of rules with an l1
    penalty: Friedman, Popescu, *Predictive learning via rule ensembles* (2008).

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = cb.estimators.CertifiedRulesRegressor(n_alphas=4, eps=0.3, depth=1).fit(X, y)
    >>> model.rules_().columns.tolist()
    ['rule', 'coefficient', 'support', 'lift', 'tests']
    >>> model.score(X, y) > 0.3
    True
    """


class CertifiedRulesRegressorCV(Regression, _BaseRulesCV):
    """A linear model of rules; the penalty chosen by cross-validation.

    The Lasso over all rules of up to `depth` tests on the columns of X, see
    ``coordboost.data.rules``: no model of such rules has a smaller objective, up to `tol`.

    Parameters
    ----------
    depth : int, default 2
        Most tests of a rule, such as ``age <= 41.5 and town = Oslo``.
    max_bins : int, default 10
        Numbers are tested at no more than `max_bins` - 1 thresholds: all, or quantiles.
    min_support : float, default 0.01
        Least share of the rows, by weight, for which a rule holds, and for which it does not.
    negations : bool, default True
        Whether categories are tested by ``!=``, too.
    categorical_features : sequence of int or str, default ()
        Columns that hold categories, besides those of the dtype ``category``.
    max_nodes : int, optional
        Most nodes that a search visits. Where it ends early, certificates are wider, but true, and
        a ``ConvergenceWarning`` says so.
    n_alphas : int, default 20
        Number of penalties of the path.
    eps : float, default 0.1
        The smallest penalty, divided by the one at which the first rule enters.
    gamma : float, default 1.0
        The weight of the Lasso fit, from 0 to 1; the other part is the fit without a penalty on the
        rules of the Lasso (relaxed Lasso). ``certificate_`` is then that of the Lasso beneath.
    tol : float, default 1e-6
        The gap wanted over all rules, as a share of the loss of the constant model.
    loss : loss, optional
        Default ``Squared()``; or any loss that ``lasso_path`` takes.
    rule : {"best", "one_se"}, default "one_se"
        "best": smallest mean loss over the folds. "one_se": largest penalty within one standard
        error of it.
    cv : int, splitter or iterable, default 5
        As for ``CertifiedLassoCV``.
    scoring : str or callable, optional
        Criterion on held-out rows. Default: the mean loss.
    n_jobs : int, optional
        Number of threads; the result does not depend on it.
    random_state : int or RandomState instance, default 0
        Seed of the assignment to folds, for an int `cv`.

    Attributes
    ----------
    intercept_ : float
        What is predicted where no rule holds, on the link scale.
    alpha_ : float
        The chosen penalty of the mean loss.
    l1_ : float
        The l1 norm of the coefficients of unit columns.
    n_steps_ : None
        Always None: a grid of penalties has no steps.
    path_ : LassoPath
        The path over all rules.
    paths_ : list
        The paths: one.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        One for each of ``paths_``.
    certificate_ : Certificate
        Interval that contains the optimal value of the objective over all rules, in sums over
        samples. *Cost*: a search.
    certificates_ : list of Certificate
        One for each of ``paths_``.
    cross_validation_ : CrossValidation
        Losses on held-out rows at all points of the path.
    criterion_ : ndarray
        Not there: the rules "aic", "bic" and "cp" are not for rules.
    n_scans_ : float
        Number of searches.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    The penalty is on the coefficients of the rules as unit columns, see ``rules``; ``rules_()``
    shows those of the rules as 0 and 1. *Source*: see ``lasso_path``; models of rules with an l1
    penalty: Friedman, Popescu, *Predictive learning via rule ensembles* (2008).

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = cb.estimators.CertifiedRulesRegressorCV(n_alphas=4, eps=0.3, cv=3, depth=1).fit(
    ...     X, y
    ... )
    >>> model.rules_().columns.tolist()
    ['rule', 'coefficient', 'support', 'lift', 'tests']
    >>> model.score(X, y) > 0.3
    True
    """


class CertifiedRulesClassifier(Classification, _BaseRules):
    """A logistic model of rules, with an interval around its optimum over all rules.

    Three classes or more are one-vs-rest: one model for each class.

    The Lasso over all rules of up to `depth` tests on the columns of X, see
    ``coordboost.data.rules``: no model of such rules has a smaller objective, up to `tol`.

    Parameters
    ----------
    depth : int, default 2
        Most tests of a rule, such as ``age <= 41.5 and town = Oslo``.
    max_bins : int, default 10
        Numbers are tested at no more than `max_bins` - 1 thresholds: all, or quantiles.
    min_support : float, default 0.01
        Least share of the rows, by weight, for which a rule holds, and for which it does not.
    negations : bool, default True
        Whether categories are tested by ``!=``, too.
    categorical_features : sequence of int or str, default ()
        Columns that hold categories, besides those of the dtype ``category``.
    max_nodes : int, optional
        Most nodes that a search visits. Where it ends early, certificates are wider, but true, and
        a ``ConvergenceWarning`` says so.
    n_alphas : int, default 10
        Number of penalties of the path.
    eps : float, default 0.1
        The smallest penalty, divided by the one at which the first rule enters. The model
        is the one at the smallest.
    gamma : float, default 1.0
        The weight of the Lasso fit, from 0 to 1; the other part is the fit without a penalty on the
        rules of the Lasso (relaxed Lasso). ``certificate_`` is then that of the Lasso beneath.
    tol : float, default 1e-6
        The gap wanted over all rules, as a share of the loss of the constant model.
    loss : loss, optional
        Default ``Logistic()``; or any other loss of two classes that ``lasso_path`` takes.

    Attributes
    ----------
    intercept_ : ndarray of shape (n_models,)
        What is predicted where no rule holds, on the link scale.
    path_ : LassoPath
        The path over all rules; with one for each class see ``paths_``.
    paths_ : list
        The paths: one, or one for each class if there are three or more.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        One for each of ``paths_``.
    certificate_ : Certificate
        Interval that contains the optimal value of the objective over all rules, in sums over
        samples. *Cost*: a search.
    certificates_ : list of Certificate
        One for each of ``paths_``.
    n_scans_ : float
        Number of searches.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    The penalty is on the coefficients of the rules as unit columns, see ``rules``; ``rules_()``
    shows those of the rules as 0 and 1. *Source*: see ``lasso_path``; models of rules with an l1
    penalty: Friedman, Popescu, *Predictive learning via rule ensembles* (2008).

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = cb.estimators.CertifiedRulesClassifier(n_alphas=4, eps=0.3, depth=1).fit(X, y)
    >>> model.rules_().columns.tolist()
    ['rule', 'coefficient', 'support', 'lift', 'tests']
    >>> model.score(X, y) > 0.9
    True
    """


class CertifiedRulesClassifierCV(Classification, _BaseRulesCV):
    """A logistic model of rules; the penalty chosen by cross-validation.

    Three classes or more are one-vs-rest: one model for each class.

    The Lasso over all rules of up to `depth` tests on the columns of X, see
    ``coordboost.data.rules``: no model of such rules has a smaller objective, up to `tol`.

    Parameters
    ----------
    depth : int, default 2
        Most tests of a rule, such as ``age <= 41.5 and town = Oslo``.
    max_bins : int, default 10
        Numbers are tested at no more than `max_bins` - 1 thresholds: all, or quantiles.
    min_support : float, default 0.01
        Least share of the rows, by weight, for which a rule holds, and for which it does not.
    negations : bool, default True
        Whether categories are tested by ``!=``, too.
    categorical_features : sequence of int or str, default ()
        Columns that hold categories, besides those of the dtype ``category``.
    max_nodes : int, optional
        Most nodes that a search visits. Where it ends early, certificates are wider, but true, and
        a ``ConvergenceWarning`` says so.
    n_alphas : int, default 20
        Number of penalties of the path.
    eps : float, default 0.1
        The smallest penalty, divided by the one at which the first rule enters.
    gamma : float, default 1.0
        The weight of the Lasso fit, from 0 to 1; the other part is the fit without a penalty on the
        rules of the Lasso (relaxed Lasso). ``certificate_`` is then that of the Lasso beneath.
    tol : float, default 1e-6
        The gap wanted over all rules, as a share of the loss of the constant model.
    loss : loss, optional
        Default ``Logistic()``; or any other loss of two classes that ``lasso_path`` takes.
    rule : {"best", "one_se"}, default "one_se"
        "best": smallest mean loss over the folds. "one_se": largest penalty within one standard
        error of it.
    cv : int, splitter or iterable, default 5
        As for ``CertifiedLassoCV``.
    scoring : str or callable, optional
        Criterion on held-out rows. Default: the mean loss.
    n_jobs : int, optional
        Number of threads; the result does not depend on it.
    random_state : int or RandomState instance, default 0
        Seed of the assignment to folds, for an int `cv`.

    Attributes
    ----------
    intercept_ : ndarray of shape (n_models,)
        What is predicted where no rule holds, on the link scale.
    alpha_ : float
        The chosen penalty of the mean loss.
    l1_ : float
        The l1 norm of the coefficients of unit columns.
    n_steps_ : None
        Always None: a grid of penalties has no steps.
    path_ : LassoPath
        The path over all rules; with one for each class see ``paths_``.
    paths_ : list
        The paths: one, or one for each class if there are three or more.
    place_ : PathPoint
        The model's point on the path.
    places_ : list of PathPoint
        One for each of ``paths_``.
    certificate_ : Certificate
        Interval that contains the optimal value of the objective over all rules, in sums over
        samples. *Cost*: a search.
    certificates_ : list of Certificate
        One for each of ``paths_``.
    cross_validation_ : CrossValidation
        Losses on held-out rows at all points of the path.
    criterion_ : ndarray
        Not there: the rules "aic", "bic" and "cp" are not for rules.
    n_scans_ : float
        Number of searches.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    The penalty is on the coefficients of the rules as unit columns, see ``rules``; ``rules_()``
    shows those of the rules as 0 and 1. *Source*: see ``lasso_path``; models of rules with an l1
    penalty: Friedman, Popescu, *Predictive learning via rule ensembles* (2008).

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = cb.estimators.CertifiedRulesClassifierCV(n_alphas=4, eps=0.3, cv=3, depth=1).fit(
    ...     X, y
    ... )
    >>> model.rules_().columns.tolist()
    ['rule', 'coefficient', 'support', 'lift', 'tests']
    >>> model.score(X, y) > 0.9
    True
    """
