"""Base of the linear estimators: a path for each target, and the model at one of its points.

A mixin for cross-validation.
"""

import html
import warnings
from functools import cache

import numpy as np
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.metadata_routing import (
    UNUSED,
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from coordboost._utils.checks import positive, real, shown
from coordboost._utils.warned import warn
from coordboost.data import validation
from coordboost.data.frames import (
    as_pandas,
    by_index,
    filled,
    is_frame,
    is_time,
    refuse_gaps,
    refuse_times,
    refuse_words,
)
from coordboost.data.problem import Problem
from coordboost.data.reduced import Reduced, fits_reduced, short_table_of
from coordboost.data.row_parts import RowParts
from coordboost.engine.result import Status
from coordboost.estimators.base import (
    _BaseEstimator,
    all_or_nothing,
    check_offset,
    check_one_model,
    check_seed,
    check_target,
    check_weights,
    in_float64,
    named,
    refuse_repeated_names,
    rows_with_weight,
    some_rows,
    table_in_memory,
)
from coordboost.estimators.coef_table import coef_table
from coordboost.estimators.contributions import Explained
from coordboost.estimators.on_dask import check_columns_of
from coordboost.estimators.other_names import no_parameter
from coordboost.learners.stores.daskarray import is_lazy
from coordboost.losses.standard import Squared
from coordboost.model_selection.folds import Folds
from coordboost.model_selection.splits import folds_of, pairs_of
from coordboost.model_selection.validate import (
    RULES,
    CrossValidation,
    measure_of,
    of_folds,
    rows_quickly,
)
from coordboost.paths.freedom import COSTS, criterion
from coordboost.paths.places import PathPoint


class _BaseLinear(Explained, _BaseEstimator):
    """Abstract base of linear models: a path for each target, and the model at its end.

    Subclasses supply ``_paths(problem, products=None)``, a list of pairs: a path, and a function
    ``(problem, products)`` that computes the same path on other rows. `products` are the
    ``Products`` of the problem or None, see ``coordboost.model_selection.folds``. ``Regression`` or
    ``Classification`` supplies the loss, the targets and the predictions.
    """

    #: Whether its paths are computed from a Gram matrix: folds can derive theirs from that of all
    #: rows.
    _by_gram = False
    #: Whether its paths of the squared loss depend on the moments of the columns alone.
    _by_moments = True

    def _check_parameters(self):
        """Refuse values that are invalid for any data."""
        validation.flag("fit_intercept", self.fit_intercept)

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, *, offset=None):
        """Fit the model.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, (n_samples, n_features)
        y : array_like, (n_samples,)
        sample_weight : array_like, (n_samples,), optional
            Multiplies the terms of the loss. Rows of weight 0 are left out.
        offset : array_like, (n_samples,), optional
            A known part of the predictions on the link scale, such as log(exposure) for
            ``Poisson()``; default 0. The model is added to it. For new rows, pass theirs to
            `predict`. With ``multinomial=True`` and three classes or more (n_samples, n_classes).

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For invalid input; the message says what was expected and what was given.

        Warns
        -----
        ConvergenceWarning
            If a path ended early, or the gap of a model is above `tol`; the model and its
            certificate are still valid.
        ConstantColumnWarning
            If all columns of X are constant; the model is then a constant.
        """
        if self._reduces(X):
            if getattr(self, "adaptive", None) is not None:
                raise ValueError(
                    "adaptive at one penalty needs rows held out for its first fit: of a table of "
                    f"Dask take {type(self).__name__}CV with rule='best' or 'one_se', or pass "
                    "X.compute()."
                )
            return self._fit(*self._short_rows(X, y, sample_weight, offset))
        return self._fit(*rows_with_weight(*self._rows(X, y, sample_weight, offset)))

    def _reduces(self, X):
        """Whether X is a table of Dask that a short table can stand for."""
        return (
            self._by_moments
            and is_lazy(X)
            and fits_reduced(X)
            and isinstance(self._get_loss(), Squared)
        )

    def _short_rows(self, X, y, sample_weight, offset, cv=None, seed=0):
        """The short table of a table of Dask, its target and weights, no offset, and its folds."""
        self._check_parameters()
        if y is None:
            check_target(self, X, y, numeric=True)
        table = RowParts(X)
        if table.names is not None:
            refuse_repeated_names(X)
        check_columns_of(self, X, table, reset=True)
        short = short_table_of(X, y, sample_weight, offset, cv=cv, seed=seed)
        return short, short.y, short.weight, None, short.folds

    def _rows(self, X, y, sample_weight, offset):
        """Check the parameters and the data; return rows, targets, weights and offset."""
        self._check_parameters()
        sample_weight = by_index("sample_weight", sample_weight, X)
        offset = by_index("offset", offset, X)
        X = self._check_table(X, reset=True)
        y = self._check_y(X, y, True)
        weight = self._weigh(y, check_weights(X, sample_weight))
        if weight is not None and np.count_nonzero(weight) < 2:
            raise ValueError(
                f"{type(self).__name__} needs two rows with a weight above 0, got n_samples = 1."
            )
        return X, y, weight, self._check_offset(X, offset)

    def _check_offset(self, X, offset):
        """Check and return the offset of the rows of X, (n_samples,) or None."""
        return check_offset(X, offset)

    def _fit(self, X, y, weight, offset, folds=None):
        """Fit the path of each target, and set the model at the chosen point of it."""
        self._fitted_with_offset = offset is not None
        targets = self._encode(y)
        if offset is not None:
            check_one_model(len(targets))
        chosen = [self._choose(X, target, weight, offset, folds) for target in targets]
        vars(self).pop("_kept", None)  # of an earlier fit
        self.paths_, self.places_ = map(list, zip(*chosen, strict=True))
        for path, place in chosen:
            if getattr(path, "status", None) is Status.DIVERGED:
                message = f"{path.message}: {path.n_points} points of the path."
            else:
                message = self._short_of(path, place)
            if message:
                warn(message, ConvergenceWarning)
        self._set_models([path._model(place) for path, place in chosen])
        return self

    def _set_models(self, models):
        """Set the coefficients and the intercept of each model."""
        coefs, intercepts = zip(*models, strict=True)
        self.coef_, self.intercept_ = self._shape_linear(np.array(coefs), np.array(intercepts))

    def _check_table(self, X, *, reset=False):
        limits = {"ensure_min_samples": 2} if reset else {}
        X = table_in_memory(X)
        X = as_pandas(X) if is_frame(X) else X  # its dtypes distinguish times from numbers
        if is_frame(X):
            refuse_repeated_names(X)
            X = filled(X)
        if is_frame(X) and any(map(is_time, X.dtypes)):
            refuse_words(X)
        refuse_times("X", X)
        X = validation.sound(X) if issparse(X) else X
        # the bits of a product depend on the layout, which versions of pandas choose differently
        order = "F" if is_frame(X) else None
        try:
            with in_float64("X"):
                return validate_data(
                    self,
                    X,
                    reset=reset,
                    accept_sparse="csc",
                    dtype=np.float64,
                    order=order,
                    **limits,
                )
        except (TypeError, ValueError):
            if is_frame(X):
                refuse_words(X)  # a message that names the columns, if they are no numbers
            refuse_gaps(X)
            raise

    def _problem(self, X, y, weight, offset):
        names = getattr(self, "feature_names_in_", None)
        with warnings.catch_warnings():
            # coefficients 0
            warnings.filterwarnings(
                "ignore", validation.SOME_CONSTANT, validation.ConstantColumnWarning
            )
            names = None if names is None else names.tolist()
            more = {"sample_weight": weight, "offset": offset, "feature_names": names}
            return Problem(X, y, self._get_loss(), center=bool(self.fit_intercept), **more)

    def _choose(self, X, y, weight, offset, folds):
        """Return the path and the model's point on it, here its end."""
        path = self._paths(self._problem(X, y, weight, offset))[0][0]
        return path, PathPoint(step=path.n_points - 1)

    def _short_of(self, path, place):
        """Return a warning if the model misses the requested accuracy, else an empty string."""
        return ""

    def _fitted_loss(self):
        return self.paths_[0].problem.loss

    @property
    def path_(self):
        """The path behind the model; with three classes or more see ``paths_``."""
        return self._only("paths_")

    @property
    def place_(self):
        """The model's point on the path, a ``PathPoint``."""
        return self._only("places_")

    @property
    def certificate_(self):
        """Interval that contains the optimal value of the objective.

        *Cost*: for a run see ``Run.certificate``, else none.
        """
        return self._only("certificates_")

    @property
    def certificates_(self):
        """One certificate for each path, a list."""
        check_is_fitted(self)
        if "certificates_" in self._kept:
            return self._kept["certificates_"]
        return [
            path.certificate_at(place)
            for path, place in zip(self.paths_, self.places_, strict=True)
        ]

    def _without_data(self):
        if not hasattr(self, "paths_") or not self.paths_[0].problem.has_data:
            return {}
        try:
            kept = {"certificates_": self.certificates_}
        except ValueError:  # what the loss declares is refuted
            kept = {}
        return {"paths_": [path.without_data() for path in self.paths_], "_kept": kept}

    @property
    def n_scans_(self):
        """Number of passes over all columns that the paths took."""
        check_is_fitted(self)
        return sum(path.n_scans for path in self.paths_)

    def _only(self, name):
        check_is_fitted(self)
        if len(self.paths_) > 1:
            raise AttributeError(
                f"there are {len(self.paths_)} paths, one for each class: see {name}."
            )
        return getattr(self, name)[0]

    def coef_table(self, *, stability=None, q=None, zeros=False):
        """The coefficients with their names, for a paper: a pandas data frame.

        Parameters
        ----------
        stability : Stability, optional
            Of ``stability_selection`` or ``bootstrap_frequencies`` on the same columns.
        q : int, optional
            With `stability`: a column counts as selected if it is among the first q to enter.
        zeros : bool, default False
            Whether to list columns of coefficient 0, too.

        Returns
        -------
        pandas.DataFrame
            A row for the intercept, then one for each column, the largest standardised coefficient
            first; of several classes one table below the other. ``coef`` is on the scale of X,
            ``standardized`` that of columns of standard deviation 1. ``entry`` is the place of the
            column in the order in which the path takes columns up, and ``deviance`` the share of
            the loss that the path explains there (glmnet's dev.ratio; of a long run at one of 200
            steps). They are left out where the path is one point or several classes share it.
            ``selected``, with `stability`, is the share of draws.
            ``attrs["deviance"]`` is the share that the model explains.

        Raises
        ------
        ValueError
            For a `stability` of other columns, or one without `q`, and after a pickle without data.

        Notes
        -----
        ``to_latex(escape=True)`` and ``to_csv`` are methods of the data frame. There are no
        standard errors: see ``docs/standard-errors.md``. *Cost*: as ``path_.to_frame()``.
        """
        check_is_fitted(self)
        return coef_table(
            self.paths_,
            self.places_,
            np.atleast_2d(self.coef_),
            np.atleast_1d(self.intercept_),
            classes=self.classes_.tolist() if hasattr(self, "classes_") else None,
            stability=stability,
            q=q,
            zeros=validation.flag("zeros", zeros),
        )

    def _raw_predict(self, X):
        """Return the predictions of all models on the link scale, (n_samples, n_models)."""
        check_is_fitted(self)
        coef = np.atleast_2d(self.coef_)
        intercept = np.atleast_1d(self.intercept_)
        return safe_sparse_dot(self._check_table(X), coef.T, dense_output=True) + intercept

    def _contributions(self, X, background):
        check_is_fitted(self)
        table = self._check_table(X)
        coef = np.atleast_2d(self.coef_)
        if background is None:
            standardization = self.paths_[0].problem.standardization
            mean = np.zeros(coef.shape[1])
            mean[standardization.kept] = standardization.mean
        else:
            with named(X="background"):
                mean = np.asarray(self._check_table(background).mean(axis=0)).ravel()
        centred = (table.toarray() if issparse(table) else table) - mean
        return centred[:, :, None] * coef.T, self.intercept_ + coef @ mean

    def _html_repr(self):
        """Return scikit-learn's HTML display, followed by each path and its certificate."""
        display = super()._html_repr()
        if not hasattr(self, "paths_"):
            return display
        lines = [
            f"{path!r}: {certificate}"
            for path, certificate in zip(self.paths_, self.certificates_, strict=True)
        ]
        return (
            f"{display}<ul style='font-family: "
            f"monospace'>{''.join(f'<li>{html.escape(line)}</li>' for line in lines)}</ul>"
        )


class CrossValidated:
    """Mixin of linear estimators that choose the point on their paths.

    They choose by cross-validation or by AIC, BIC or Cp.
    """

    #: Whether a best model at the end of its path is a warning.
    _warns_at_the_end = True
    #: With scikit-learn's metadata routing, `groups` are passed to the splitter if it requests
    #: them; the fit itself does not use them.
    __metadata_request__fit = {"groups": UNUSED}  # noqa: RUF012

    def _check_parameters(self):
        super()._check_parameters()
        if not isinstance(self.rule, str) or self.rule not in (*RULES, *COSTS):
            raise ValueError(
                f"rule must be 'best', 'one_se', 'aic', 'bic' or 'cp', got {shown(self.rule)}."
            )
        if getattr(self, "noise_variance", None) is not None:
            positive("noise_variance", self.noise_variance)
        if self.scoring is not None and self.rule not in RULES:
            raise ValueError(
                f"scoring is for rows held out, which rule={self.rule!r} does not use: leave one "
                "of them out."
            )
        if self.n_jobs is not None:
            real(
                "n_jobs",
                self.n_jobs,
                lambda number: 0 < abs(number) < 1 << 20 and number == int(number),
                "a whole number other than 0, below a million, or None",
            )

    def _without_data(self):
        state = super()._without_data()
        if state and self.rule in RULES:
            state["_seen"] = [result.without_data() for result in self._seen]
        return state

    def get_metadata_routing(self):
        """Return what `fit` uses and passes to its splitter, a ``MetadataRouter``.

        See scikit-learn's guide to metadata routing.
        """
        passed_on = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return router.add(splitter=check_cv(self.cv), method_mapping=passed_on)

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, *, offset=None, groups=None, **params):
        """Fit the model.

        Parameters
        ----------
        X : array_like, data frame, sparse matrix or Dask collection, (n_samples, n_features)
            Of a Dask collection the rows of each chunk are assigned to folds apart, for an int
            `cv`: the folds are others than in memory.
        y : array_like, (n_samples,)
        sample_weight : array_like, (n_samples,), optional
            Weights of the fits and of the losses on held-out rows. Rows of weight 0 are left out,
            and so are folds without other held-out rows.
        offset : array_like, (n_samples,), optional
            A known part of the predictions on the link scale, such as log(exposure) for
            ``Poisson()``; default 0. The model is added to it. For new rows, pass theirs to
            `predict`. With ``multinomial=True`` and three classes or more (n_samples, n_classes).
        groups : array_like, (n_samples,), optional
            For a splitter that keeps groups together.
        **params : array_like, optional
            Other arguments of the splitter, with scikit-learn's metadata routing enabled.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For invalid input; the message says what was expected and what was given.
        """
        if self._reduces(X):
            return self._fit_by_moments(X, y, sample_weight, offset, groups, params)
        split_params = self._split_params(sample_weight, groups, params)
        X, y, weight, offset = self._rows(X, y, sample_weight, offset)
        folds = self._folds(X, y, weight, split_params) if self.rule in RULES else None
        self._seen = []
        return self._fit(*rows_with_weight(X, y, weight, offset), folds)

    def _fit_by_moments(self, X, y, sample_weight, offset, groups, params):
        """Fit a table of Dask: one pass gives the moments of all folds."""
        if self.scoring is not None or groups is not None or params:
            raise ValueError(
                "scoring, groups and arguments of splitters need single rows, and of a table of "
                "Dask only sums are known: leave them out (cv may be pairs of arrays of rows), or "
                "pass X.compute()."
            )
        folds = self.rule in RULES
        if not folds and getattr(self, "adaptive", None) is not None:
            raise ValueError(
                f"adaptive with rule={self.rule!r} needs rows held out for its first fit: of a "
                "table of Dask take rule='best' or 'one_se', or pass X.compute()."
            )
        cv = (5 if self.cv is None else self.cv) if folds else None
        rows = self._short_rows(X, y, sample_weight, offset, cv, check_seed(self.random_state))
        self._seen = []
        return self._fit(*rows)

    def _split_params(self, sample_weight, groups, params):
        """Return the arguments of the splitter besides X and y, a dict."""
        given = params | ({} if groups is None else {"groups": groups})
        if not get_config()["enable_metadata_routing"]:
            if params:
                known = ["X", "y", "sample_weight", "groups"]
                raise TypeError(
                    no_parameter(type(self), f"{type(self).__name__}.fit", list(params), known)
                )
            return given
        if sample_weight is not None and get_routing_for_object(self._splitter()).consumes(
            "split", ["sample_weight"]
        ):
            given["sample_weight"] = sample_weight
        return process_routing(self, "fit", **given).splitter.split

    def _folds(self, X, y, weight, split_params):
        """Return pairs (rows to fit, rows held out).

        Rows of weight 0 are left out and not counted.
        """
        counts = np.ones(len(y), dtype=bool) if weight is None else weight > 0
        if isinstance(self.cv, int | np.integer) and not isinstance(self.cv, bool):
            if "groups" in split_params:
                raise ValueError(
                    "groups need a splitter that keeps them together, such as "
                    f"cv=GroupKFold({self.cv}), got cv={self.cv}."
                )
            seed = check_seed(self.random_state)
            with named(folds="cv"):
                folds = folds_of(y[counts], self.cv, seed)
        else:
            given = self.cv
            if hasattr(given, "split") or not hasattr(given, "__iter__"):
                splitter = self._splitter(y)
                given = list(splitter.split(X, y, **split_params))
            place = np.cumsum(counts) - 1
            folds = [
                tuple(place[rows[counts[rows]]] for rows in pair)
                for pair in pairs_of("cv", given, len(y))
            ]
        if hasattr(self, "classes_"):
            self._check_classes(y[counts], folds)
        return folds

    def _splitter(self, y=None):
        """Return the splitter of the parameter `cv`."""
        given = self.cv
        known = (
            given is None
            or isinstance(given, int | np.integer)
            or hasattr(given, "split")
            or hasattr(given, "__iter__")
        )
        if isinstance(given, str | bytes | bool) or not known:
            raise ValueError(
                "cv must be a whole number >= 2, a splitter, or pairs of arrays of row indices, "
                f"got {shown(given)}."
            )
        return check_cv(self.cv, y, classifier=hasattr(self, "classes_"))

    def _check_classes(self, y, folds):
        """Refuse folds that hold out all rows of a class."""
        for k, (fit, _) in enumerate(folds, 1):
            absent = np.setdiff1d(y, y[fit])
            if len(absent):
                name = self.classes_[absent].tolist()[0]
                n = int(np.count_nonzero(y == absent[0]))
                reason = f"fold {k} of {len(folds)} holds out all {n} row(s) of the class {name!r}"
                raise ValueError(f"{reason}: give it two rows or more, or other folds (cv).")

    def _choose(self, X, y, weight, offset, folds):
        """Return the path and the point that the rule chooses among the points of all paths."""
        problem = self._problem(X, y, weight, offset)
        X = X.X if isinstance(X, Reduced) else X
        if folds is None:
            paths = [path for path, _ in self._paths(problem)]
            curves = [self._criterion(path, X, y, weight, offset) for path in paths]
            self._seen.append(np.concatenate(curves))
            at = int(np.argmin(self._seen[-1]))
        else:
            paths, found = self._cross_validate(problem, X, y, weight, offset, folds)
            curves = [result._mean_loss for result in found]
            losses = np.hstack([result.losses for result in found])
            paths_of_folds = sum((result.paths for result in found), ())
            whole = CrossValidation(losses, found[0].weights, paths_of_folds, found[0].measure)
            self._seen.append(whole)
            at = whole.chosen(self.rule)
        ends = np.cumsum([len(curve) for curve in curves])
        k = int(np.searchsorted(ends, at, side="right"))
        step = min(at - int(ends[k] - len(curves[k])), paths[k].n_points - 1)
        if self._warns_at_the_end and step == paths[k].n_points - 1:
            self._warn_at_the_end(paths[k], curves[k])
        return paths[k], PathPoint(step=step)

    def _warn_at_the_end(self, path, curve):
        """Warn that the end of a grid was chosen, if what is minimised falls clearly there.

        curve : (n_points,), what is minimised
        """

    def _cross_validate(self, problem, X, y, weight, offset, folds):
        """Return the paths on all rows, and the cross-validation of each."""
        measure = measure_of(self.scoring, getattr(self, "classes_", y))
        shared = Folds(problem, folds, self._by_gram and self.fit_intercept)
        walks = self._paths(problem, shared.products)
        rows = self._quick_rows(X)

        @cache
        def fold(k):
            """Return the problem of fold k and its products.

            The cache costs no memory: the paths keep the problem anyway.
            """
            return shared.part(k) or (
                self._problem(*some_rows(folds[k][0], rows, y, weight, offset)),
                None,
            )

        n_threads = effective_n_jobs(None if self.n_jobs is None else int(self.n_jobs))
        given = y, validation.sample_weight(weight, len(y)), folds
        options = {"measure": measure, "offset": offset, "n_threads": n_threads}
        return [path for path, _ in walks], [
            of_folds(
                lambda k, walk=walk: (walk(*fold(k)), some_rows(folds[k][1], rows)[0]),
                *given,
                **options,
            )
            for _, walk in walks
        ]

    def _quick_rows(self, X):
        """Return X in a form with fast access to rows."""
        return rows_quickly(X)

    def _criterion(self, path, X, y, weight, offset):
        losses = -path.score_path(X, y, weight, offset=offset) * path.problem.weight.sum()
        variance = getattr(self, "noise_variance", None)
        return criterion(
            self.rule,
            path.problem,
            losses,
            path.degrees_of_freedom(),
            variance,
            bool(self.fit_intercept),
        )

    @property
    def n_steps_(self):
        """The chosen number of steps; None if the path is a grid of penalties."""
        return int(self.place_.step)

    @property
    def alpha_(self):
        """The chosen penalty; None if the path consists of steps."""
        self._only("paths_")  # raises an AttributeError before the fit and for several paths
        return None

    @property
    def l1_(self):
        """The l1 norm of the chosen model, in the units of ``PathPoint(l1=)``.

        For paths of steps, of the coefficients of unit columns.
        """
        return next(self.path_.run.replay([self.n_steps_])).l1

    @property
    def cross_validation_(self):
        """Losses on held-out rows at all points of all paths."""
        check_is_fitted(self)
        if self.rule not in RULES:
            raise AttributeError(f"rule={self.rule!r} needs no rows held out: see criterion_.")
        return self._seen[0] if len(self._seen) == 1 else self._seen

    @property
    def criterion_(self):
        """AIC, BIC or Cp at all points of all paths, (n_points,)."""
        check_is_fitted(self)
        if self.rule in RULES:
            raise AttributeError(f"rule={self.rule!r} is cross-validation: see cross_validation_.")
        return self._seen[0]
