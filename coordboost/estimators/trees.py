"""Gradient boosting with trees: the base class of all boosters, randomised, accelerated and
regularised boosting.
"""

import hashlib
import math
import time
from functools import partial
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from coordboost._numba.threads import at_most
from coordboost._utils.checks import few, not_negative, positive, real, shown
from coordboost._utils.warned import warn
from coordboost.data import validation
from coordboost.data.families import tree_families
from coordboost.data.frames import is_frame, listed
from coordboost.data.problem import Problem
from coordboost.data.tree_learners import trees
from coordboost.engine.families import family_summary
from coordboost.engine.result import Status
from coordboost.engine.run import solve
from coordboost.estimators.base import (
    Classification,
    Regression,
    _BaseEstimator,
    all_or_nothing,
    check_offset,
    check_one_model,
    check_rows_in_place,
    check_seed,
    check_table,
    check_weights,
    checked_call,
    named,
    rows_with_weight,
    some_rows,
    with_offset,
)
from coordboost.estimators.contributions import Explained
from coordboost.estimators.evaluation import ALONE, EvalSet, sets_given
from coordboost.estimators.exports import lightgbm_text, multiclass_text
from coordboost.estimators.monitoring import (
    CallbackSupportMixin,
    CallbackTasks,
    EarlyStopping,
    Monitor,
    Progress,
    RunLosses,
    StagedModel,
    StagedModels,
    add_losses,
    best_iterations,
    with_callbacks,
)
from coordboost.estimators.multinomial import Multinomial
from coordboost.methods.named import agbm, gcd, rgb, rtgcd
from coordboost.rules.selection import Groups
from coordboost.rules.steps import DampedLineSearch, FittedStep, LeafSearch, ShrunkenStep
from coordboost.rules.structural import FamilyStep

#: Parameters that may change between two fits with ``warm_start``.
FREE = (
    "n_estimators",
    "warm_start",
    "random_state",
    "n_iter_no_change",
    "tol",
    "n_jobs",
    "verbose",
)


#: By default the depth of randomised trees follows the number of rows, see ``informative_rows``:
#: the largest one, from SHALLOW on, of which a full tree has ROWS_OF_A_LEAF rows a leaf; no limit
#: from DEEP rows on.
SHALLOW, ROWS_OF_A_LEAF, DEEP = 3, 32, 2_048
#: By default a tree draws at least so many features, or all if there are fewer.
LEAST_DRAWN = 6
#: By default rows are held out from so many rows on if there are more iterations than this.
LARGE, MANY = 10_000, 100
#: Parameters of trees that have another name in ``trees`` and ``tree_families``: that name, and the
#: one here.
OF_TREES = {
    "max_leaves": "max_leaf_nodes",
    "min_samples": "min_samples_leaf",
    "l2": "l2_regularization",
    "monotone": "monotonic_cst",
    "categorical": "categorical_features",
    "sets": "interaction_cst",
}


class Start(NamedTuple):
    """Start of the run for one target: ``run(n)`` makes `n` steps after the `done` steps made
    before.
    """

    problem: Problem
    method: Any
    run: Any
    done: int = 0


class _BaseBooster(CallbackSupportMixin, Explained, _BaseEstimator):
    """Abstract base of the estimators that boost trees: one run of the loop for each target.

    Subclasses supply the method by ``_method(problem, rate)``, and may supply the trees
    (``_family``) and whether leaves take Newton's step (``_use_newton``); ``Regression`` or
    ``Classification`` supplies the loss, the targets and the predictions.
    """

    def __init__(
        self,
        *,
        loss,
        learning_rate,
        n_estimators,
        min_samples_leaf,
        min_gain,
        l2_regularization,
        max_bins,
        categorical_features,
        min_samples_category,
        max_split_categories,
        category_smoothing,
        early_stopping,
        validation_fraction,
        n_iter_no_change,
        tol,
        warm_start,
        random_state,
        n_jobs,
        verbose,
    ):
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.min_gain = min_gain
        self.l2_regularization = l2_regularization
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.min_samples_category = min_samples_category
        self.max_split_categories = max_split_categories
        self.category_smoothing = category_smoothing
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def _joint(self):
        """Whether all classes form one model, whose runs advance together in rounds."""
        return False

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _check_parameters(self):
        """Refuse values that are invalid for any data; ``trees`` checks the limits of trees."""
        validation.whole("n_estimators", self.n_estimators, 1)
        positive("learning_rate", self.learning_rate, 2, "between 0 and 2")
        few("n_estimators", self.n_estimators)
        real(
            "validation_fraction",
            self.validation_fraction,
            lambda part: 0 < part < 1,
            "a fraction of the rows, above 0 and below 1",
        )
        validation.flag("warm_start", self.warm_start)
        self._check_early_stopping()
        validation.whole("n_iter_no_change", self.n_iter_no_change, 1)
        not_negative("tol", self.tol)
        validation.whole("verbose", self.verbose)
        if self.n_jobs is not None:
            real(
                "n_jobs",
                self.n_jobs,
                lambda number: 0 < abs(number) < 1 << 20 and number == int(number),
                "a whole number other than 0, below a million, or None",
            )

    @all_or_nothing
    @with_callbacks
    def fit(
        self,
        X,
        y,
        sample_weight=None,
        *,
        offset=None,
        X_val=None,
        y_val=None,
        sample_weight_val=None,
        offset_val=None,
        eval_set=None,
        eval_names=None,
    ):
        """Fit the model.

        Parameters
        ----------
        X : array_like, data frame, sparse matrix or Dask collection, (n_samples, n_features)
            NaN is missing. Rows of a Dask array or data frame stay on the workers of the cluster
            in use, if there is one; else they are collected here.
        y : array_like, (n_samples,)
        sample_weight : array_like, (n_samples,), optional
            Multiplies the terms of the loss. Rows of weight 0 are left out.
        offset : array_like, (n_samples,), optional
            A known part of the predictions on the link scale, such as log(exposure) for
            ``Poisson()``; default 0. The model is added to it. For new rows, pass theirs to
            `predict`.
        X_val, y_val, sample_weight_val, offset_val : optional
            Validation rows: they are scored in every iteration, see ``evals_result_``, and end the
            fit unless `early_stopping` is False.
        eval_set : pair, list of pairs, or dict, optional
            Instead of `X_val` and `y_val`: ``(X, y)``, ``[(X, y), ...]``, or a pair for each name.
            All are scored; the last one ends the fit. With several, `sample_weight_val` and
            `offset_val` are lists with an array or None for each, or dicts by name.
        eval_names : list of str, optional
            A name for each pair of a list. Default: ``"validation"``, or ``"validation_0"``,
            ``"validation_1"``, ....

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
            If the run diverged, or its loss ends above its start; the iterations made are kept.
        """
        self._check_parameters()
        given = sets_given(eval_set, eval_names, X_val, y_val, sample_weight_val, offset_val)
        with at_most(None if self.n_jobs is None else effective_n_jobs(int(self.n_jobs))):
            return self._fit(X, y, sample_weight, offset, given)

    def _fit(self, X, y, sample_weight, offset, sets):
        began = time.perf_counter()
        resuming = self.warm_start and hasattr(self, "runs_")
        given = (X, y, sample_weight)
        X = check_rows_in_place(self, X, reset=not resuming)
        y = self._check_y(X, y, not resuming)
        rows = rows_with_weight(
            X, y, self._weigh(y, check_weights(X, sample_weight)), check_offset(X, offset)
        )
        self._fitted_with_offset = offset is not None
        if not resuming:
            self._seed = check_seed(self.random_state)
        sets, rows = self._hold_back(rows, sets)
        if resuming:
            self._check_same(*rows)
            starts = [Start(run.problem, run.method, run.resume, run.n_steps) for run in self.runs_]
        else:
            starts = self._begin(*rows)
        self._steps_per_iteration = starts[0].method.step.phases
        left = [
            int(self.n_estimators) - start.done // self._steps_per_iteration for start in starts
        ]
        n_loops = 1 if self._joint else len(starts)
        tasks = (
            CallbackTasks(self, given, n_loops, max(left))
            if getattr(self, "_skl_callbacks", None)
            else None
        )
        self._keep(*self._run(starts, left, sets, tasks, began))
        if tasks:
            tasks.end(tasks.root, {})
        return self

    def _begin(self, X, y, weight, offset):
        """Return the ``Start`` of each target, a list."""
        loss = self._get_loss()
        newton = self._use_newton(loss)
        with named(**OF_TREES):
            family = self._family(X, y, newton)
        family, y, weight = self._merge_copies(family, y, weight)
        self._begun_with = self._settings()
        self._begun_on = _fingerprint(y, weight, offset)
        targets = self._encode(y)
        if offset is not None:
            check_one_model(len(targets))
        problems = [
            Problem(family, target, loss, sample_weight=weight, offset=offset) for target in targets
        ]
        method = self._method(
            problems[0],
            float(self.learning_rate) / (1.0 if newton or loss.sigma is None else loss.sigma),
        )
        return [
            Start(problem, method, partial(solve, problem, method, rng=self._seed))
            for problem in problems
        ]

    def _run(self, starts, left, sets, tasks, began):
        """Make `left[k]` more iterations of run k.

        Return the runs, and the ``Monitor`` of each.
        """
        steps = self._steps_per_iteration
        n_steps = int(self.n_estimators) * steps
        runs = []
        monitors = self._monitors(starts, sets, began)
        for start, monitor, n_iter in zip(starts, monitors, left, strict=True):
            callback_rule = tasks.rule(start.method, n_iter, steps) if tasks else None
            callback_rules = [callback_rule] if callback_rule else []
            with monitor.rules(start.method, n_iter, start.done, steps) as rules:
                run = start.run(n_steps - start.done, stop=[*rules, *callback_rules])
            monitor.finish([run])
            if callback_rule:
                callback_rule.close()
            runs.append(run)
        return runs, monitors

    def _monitors(self, starts, sets, began):
        """Return the ``Monitor`` of each run.

        sets : name -> ``EvalSet``; began : when the fit began
        """
        labels = self.classes_.tolist() if len(starts) > 1 else [None]
        binning = starts[0].problem.binning
        # bins and targets are computed once for all runs
        binned = {name: binning.bin(rows.X) for name, rows in sets.items()}
        targets = {name: self._encode(rows.y, complete=False) for name, rows in sets.items()}
        monitors = []
        for k, (start, label) in enumerate(zip(starts, labels, strict=True)):
            problem, method = start.problem, start.method
            loss = problem.loss
            tail = loss, method, self._steps_per_iteration
            followed = {}
            for name, rows in sets.items():
                y = loss.labels(targets[name][k]) if loss.labels else targets[name][k]
                base = problem.constant + (0.0 if rows.offset is None else rows.offset)
                followed[name] = RunLosses(binned[name], y, rows.weight, base, *tail)
            train = RunLosses(
                problem.dictionary.binned, problem.y, problem.weight, problem.base, *tail
            )
            monitors.append(self._monitor(followed, train, began, label))
        return monitors

    def _monitor(self, followed, train, began, label=None):
        """Return the ``Monitor`` of a run, or of the runs of all classes together.

        followed : name -> ``FollowedLosses``; train : those on the training rows
        """
        early = progress = None
        if followed and self.early_stopping is not False:
            *_, last = followed.values()
            early = EarlyStopping(last, self.n_iter_no_change, float(self.tol))
        if self.verbose:
            progress = Progress(int(self.verbose), {"train": train, **followed}, began, label)
        return Monitor(followed, early, progress, label)

    def _keep(self, runs, monitors):
        """Keep the runs, and the best iteration of each."""
        n_iter = [run.n_steps // self._steps_per_iteration for run in runs]
        for run, n in zip(runs, n_iter, strict=True):
            if run.status is Status.DIVERGED or run.rise:
                message = f"{run.message}: {n} iterations; try a smaller learning_rate."
                warn(message, ConvergenceWarning)
        for name in ("evals_result_", "validation_score_", "_kept"):  # of an earlier fit
            vars(self).pop(name, None)
        best, losses = best_iterations(monitors)
        if losses:
            self.evals_result_ = {name: {"loss": curve} for name, curve in losses.items()}
        if best is not None:
            n_iter = best
            *_, stopping = losses.values()
            self.validation_score_ = -stopping
        self.runs_ = runs
        self.n_iter_ = max(n_iter)
        self._models = StagedModels(
            StagedModel(run, n, self._steps_per_iteration)
            for run, n in zip(runs, n_iter, strict=True)
        )

    def _check_early_stopping(self):
        if self.early_stopping is not None:
            validation.flag("early_stopping", self.early_stopping)

    def _holds_out(self, n_rows):
        """Whether some of the rows are held out for early stopping."""
        return bool(self.early_stopping)

    def _use_newton(self, loss):
        """Whether leaf values and gains use second derivatives."""
        return False

    def _depth(self, y):
        """Return the maximum depth of a tree."""
        return self.max_depth

    def _family(self, X, y, newton):
        """Return the family of trees that may be grown."""
        return trees(
            X,
            max_depth=self._depth(y),
            max_leaves=self.max_leaf_nodes,
            min_samples=self.min_samples_leaf,
            min_gain=self.min_gain,
            l2=self.l2_regularization,
            monotone=self.monotonic_cst,
            newton=newton,
            max_bins=self.max_bins,
            **self._of_categories(),
            **self._more_limits(),
        )

    def _of_categories(self):
        """Return the limits of splits by categories, and which columns are categories, a dict."""
        return {
            "categorical": names_or_indices(self.categorical_features),
            "min_samples_category": self.min_samples_category,
            "max_split_categories": self.max_split_categories,
            "category_smoothing": self.category_smoothing,
        }

    def _more_limits(self):
        """Return the limits of trees that only some estimators have, a dict."""
        return {}

    def _merge_copies(self, family, y, weight):
        """Return the trees, targets and weights for the run.

        A subclass may merge equal rows and add their weights.
        """
        return family, y, weight

    def _settings(self):
        """Return the parameters that determine a run, except for its length, a dict."""
        return {key: value for key, value in self.get_params(deep=False).items() if key not in FREE}

    def _check_same(self, X, y, weight, offset):
        """Refuse to resume a run with other parameters or on other data."""
        problem = self.runs_[0].problem
        changed = [
            key
            for key, value in self._settings().items()
            if repr(value) != repr(self._begun_with[key])
        ]
        if changed:
            raise ValueError(
                f"warm_start resumes the same run, but {changed[0]} has changed; pass "
                "warm_start=False."
            )
        own = problem.dictionary.family
        family, y, weight = self._merge_copies(own.at(problem.binning.bin(X)), y, weight)
        same_bins = family.binned.same_codes(own.binned)
        if _fingerprint(y, weight, offset) != self._begun_on or not same_bins:
            raise ValueError(
                "warm_start resumes the same run, but X, y, sample_weight or offset have changed; "
                "pass warm_start=False."
            )
        made = max(run.n_steps for run in self.runs_) // self._steps_per_iteration
        if self.n_estimators < made:
            raise ValueError(
                f"n_estimators={self.n_estimators} is less than the {made} iterations made; pass "
                "warm_start=False."
            )

    def _hold_back(self, rows, sets):
        """Return the rows to score on, name -> ``EvalSet``, and the rows to fit: X, y, weights and
        offset.

        sets : name -> (X, y, weight, offset), as given to ``fit``
        """
        if sets:
            return {name: self._eval_set(name, *given) for name, given in sets.items()}, rows
        y = rows[1]
        if not self._holds_out(len(y)):
            return {}, rows
        fit, held = _validation_split(len(y), self.validation_fraction, self._strata(y), self._seed)
        return {ALONE: EvalSet(*some_rows(held, *rows))}, some_rows(fit, *rows)

    def _eval_set(self, name, X, y, weight, offset):
        """Check rows to score on; messages name the parameters of ``fit``."""
        tail = "" if name == ALONE else f" of {name!r}"
        X_name = f"X_val{tail}"
        self._refuse_other_columns(X_name, X)
        with named(X=X_name):
            X = check_rows_in_place(self, X)
        weight = check_weights(X, weight, f"sample_weight_val{tail}")
        with named(y=f"y_val{tail}", X=X_name):
            y = self._check_y(X, y, False)
        with named(X=X_name):
            offset = check_offset(X, offset, f"offset_val{tail}")
        return EvalSet(*rows_with_weight(X, y, weight, offset))

    def _refuse_other_columns(self, name, X):
        """Raise ValueError if rows to score on are a data frame with other columns than the fit."""
        fitted = getattr(self, "feature_names_in_", None)
        if fitted is None or not is_frame(X) or set(fitted) == set(map(str, X.columns)):
            return
        raise ValueError(
            f"{name} has other columns than X, {listed(list(map(str, X.columns)))}. In a Pipeline "
            "the rows to score on are passed on as they are: transform them first, with the "
            "fitted pipeline[:-1].transform."
        )

    def _fitted_loss(self):
        return self.runs_[0].problem.loss

    @property
    def run_(self):
        """The run behind the model; with several runs see ``runs_``."""
        check_is_fitted(self)
        if len(self.runs_) > 1:
            raise AttributeError(
                f"there are {len(self.runs_)} runs, one for each class: see runs_."
            )
        return self.runs_[0]

    @property
    def train_score_(self):
        """Minus the mean loss on the training rows after each number of iterations, from 0 on.

        *Cost*: evaluates each tree once on each row.
        """
        check_is_fitted(self)
        if "train_score_" in self._kept:
            return self._kept["train_score_"]
        return self._train_score()

    def _train_score(self):
        """Compute ``train_score_`` from the training rows."""
        return -add_losses([model.losses() for model in self._models])

    @property
    def _rows_are_here(self):
        """Whether the training rows are on this machine."""
        return self.runs_[0].problem.dictionary.parts is None

    def _without_data(self):
        if not hasattr(self, "runs_") or not self.runs_[0].problem.has_data:
            return {}
        models = StagedModels(model.without_data() for model in self._models)
        return {
            "_models": models,
            "runs_": [model.run for model in models],
            "_kept": {"train_score_": self.train_score_} if self._rows_are_here else {},
        }

    @property
    def feature_importances_(self):
        """Sum of the gains of all splits by a feature, divided by the total, (n_features,).

        0 if nothing was split.
        """
        check_is_fitted(self)
        gains = sum(model.gains() for model in self._models)
        return gains / (gains.sum() or 1.0)

    def lightgbm_text(self):
        """Return the model at its best iteration as a LightGBM model file, a str: see
        ``coordboost.estimators.lightgbm_text``.

        Raises
        ------
        ValueError
            For three classes or more with one-vs-rest: each class has a model of its own.
        """
        check_is_fitted(self)
        if self._joint:
            return multiclass_text([(model.run, model.beta) for model in self._models])
        if len(self.runs_) > 1:
            raise ValueError(
                f"there are {len(self.runs_)} models, one for each class; give "
                "coordboost.estimators.lightgbm_text one of runs_."
            )
        return lightgbm_text(self.run_, self._models[0].beta)

    def _bin(self, X):
        """Return new rows in the bins of the fit."""
        if not hasattr(self, "_models"):  # else it is fitted: to ask scikit-learn takes longer
            check_is_fitted(self)
        return self._models.binning.bin(check_table(self, X))

    def _raw_predict(self, X):
        """Return the predictions of all models on the link scale, (n_samples, n_models)."""
        return self._raw_of(self._bin(X))

    def _raw_of(self, binned):
        """Do the same as `_raw_predict` for rows in bins."""
        return np.column_stack([model.raw(binned) for model in self._models])

    def _coefficients(self, model):
        """Return the coefficients of the trees in the predictions of a ``StagedModel``."""
        return model.beta

    def _contributions(self, X, background):
        binned = self._bin(X)
        there = None
        if background is not None:
            with named(X="background"):
                there = self._bin(background)
        values = np.empty((binned.n_samples, self._models.binning.n_columns, len(self._models)))
        bases = np.empty(len(self._models))
        for k, model in enumerate(self._models):
            values[:, :, k], bases[k] = model.contributions(
                self._coefficients(model), binned, there
            )
        return values, bases

    def _staged_raw_predict(self, X):
        """Yield the raw predictions after each iteration.

        A model with fewer iterations keeps its last ones.
        """
        binned = self._bin(X)
        last = [
            np.full(binned.codes.shape[1], model.run.problem.constant) for model in self._models
        ]
        for stage in zip_longest(*(model.staged(binned) for model in self._models)):
            last = [old if new is None else new for old, new in zip(last, stage, strict=True)]
            yield np.column_stack(last)


def is_auto(value):
    """Return whether a parameter is left to the number of rows."""
    return isinstance(value, str) and value == "auto"


def informative_rows(labels):
    """Return the number of rows that tell as much in classes of one size, rounded down.

    For two classes with the shares p and 1 - p of n rows: 4 n p (1 - p), in units of 1/4 the sum of
    the second derivatives of the logistic loss. For K classes with the shares p_k:
    n K / (K - 1) (1 - sum of p_k^2).
    """
    _, counts = np.unique(labels, return_counts=True)
    sizes = counts.tolist()  # whole numbers of any size
    n_rows = sum(sizes)
    n_classes = max(2, len(sizes))
    unlike_pairs = n_rows**2 - sum(size**2 for size in sizes)
    return unlike_pairs * n_classes // (n_rows * (n_classes - 1))


def depth_for(n_rows):
    """Return the default depth of trees on so many informative rows; None for no limit."""
    if n_rows >= DEEP:
        return None
    return max(SHALLOW, int(n_rows // ROWS_OF_A_LEAF).bit_length() - 1)


def names_or_indices(features):
    """Return `features` as names or indices; booleans, one for each feature, become indices."""
    if features is None:
        return ()
    try:
        flags = np.asarray(features)
    except ValueError:  # rows of different lengths
        raise ValueError(
            "categorical_features must be a sequence of names or indices of columns, or one "
            f"boolean for each; got {shown(features)}."
        ) from None
    return np.flatnonzero(flags) if flags.dtype == bool else features


def _fingerprint(*columns):
    """Return a hash of the target, the weights and the offset."""
    return hashlib.sha256(
        b"".join(b"none" if column is None else column.tobytes() for column in columns)
    ).hexdigest()


def _validation_split(n_samples, fraction, labels, seed):
    """Return rows to fit and rows to hold out, stratified by `labels`, as drawn with `seed`."""
    from sklearn.model_selection import train_test_split

    fraction = real(
        "validation_fraction",
        fraction,
        lambda part: 0 < part < 1,
        "a fraction of the rows, above 0 and below 1",
    )
    held = math.ceil(fraction * n_samples)
    names, counts = (
        (np.zeros(1), [n_samples]) if labels is None else np.unique(labels, return_counts=True)
    )
    if n_samples - held < len(names) or held < len(names):
        beside = "" if labels is None else f" for the {len(names)} classes"
        raise ValueError(
            f"validation_fraction={shown(fraction)} holds back {held} of {n_samples} row(s) and "
            f"leaves {n_samples - held} to fit, too "
            f"few on one side{beside}; take another fraction, or pass X_val and y_val to fit."
        )
    if min(counts) > 1:
        fit, out = train_test_split(
            np.arange(n_samples), test_size=fraction, stratify=labels, random_state=seed
        )
        if labels is None or len(np.unique(labels[fit])) == len(names):
            return np.sort(fit), np.sort(out)
    name = names.tolist()[np.argmin(counts)]
    n = min(counts)
    raise ValueError(
        f"early stopping holds back a fraction of the rows of each class, and the class {name!r} "
        f"has too few, {n}: add rows, or pass "
        "X_val and y_val to fit."
    )


class StagedPredictions:
    """Mixin of boosters that predict after every iteration."""

    @checked_call
    def staged_predict(self, X, *, offset=None):
        """Yield the predictions (n_samples,) after each iteration.

        *Cost*: evaluates each tree once on each row.
        """
        return (self._decide(with_offset(raw, offset, X)) for raw in self._staged_raw_predict(X))


class StagedProbabilities(StagedPredictions):
    """Mixin of classifiers that predict classes and probabilities after every iteration."""

    @checked_call
    def staged_predict_proba(self, X, *, offset=None):
        """Yield the probabilities (n_samples, n_classes) after 1, 2, ... iterations."""
        return (
            self._probabilities(with_offset(raw, offset, X)) for raw in self._staged_raw_predict(X)
        )


class _DrawnRows(_BaseBooster):
    """Abstract base: trees may be grown on a random part of the rows, and with interaction
    constraints.
    """

    def _more_limits(self):
        return {"sets": self.interaction_cst, "subsample": self.subsample, "seed": self._seed}


class _RandomizedGBM(_DrawnRows):
    """Abstract base: each tree splits only on features drawn at random for it."""

    def __init__(
        self,
        *,
        loss=None,
        learning_rate=0.1,
        n_estimators=100,
        max_depth="auto",
        max_leaf_nodes=31,
        min_samples_leaf=20,
        min_gain=0.0,
        l2_regularization=0.0,
        max_bins=255,
        categorical_features=None,
        min_samples_category=10,
        max_split_categories=4,
        category_smoothing=20.0,
        monotonic_cst=None,
        max_features="auto",
        newton=None,
        max_delta_step=None,
        subsample=1.0,
        interaction_cst=None,
        early_stopping="auto",
        validation_fraction=0.1,
        n_iter_no_change=10,
        tol=1e-7,
        warm_start=False,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        super().__init__(
            loss=loss,
            learning_rate=learning_rate,
            n_estimators=n_estimators,
            min_samples_leaf=min_samples_leaf,
            min_gain=min_gain,
            l2_regularization=l2_regularization,
            max_bins=max_bins,
            categorical_features=categorical_features,
            min_samples_category=min_samples_category,
            max_split_categories=max_split_categories,
            category_smoothing=category_smoothing,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            tol=tol,
            warm_start=warm_start,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.monotonic_cst = monotonic_cst
        self.max_features = max_features
        self.newton = newton
        self.max_delta_step = max_delta_step
        self.subsample = subsample
        self.interaction_cst = interaction_cst

    def _check_parameters(self):
        super()._check_parameters()
        if self.newton is not None:
            validation.flag("newton", self.newton)
        if self.max_delta_step is not None:
            positive("max_delta_step", self.max_delta_step)

    def _check_early_stopping(self):
        stopping = self.early_stopping
        if not (is_auto(stopping) or isinstance(stopping, bool | np.bool_ | None)):
            raise ValueError(
                f"early_stopping must be True, False, None or 'auto', got {shown(stopping)}."
            )

    def _holds_out(self, n_rows):
        if not is_auto(self.early_stopping):
            return super()._holds_out(n_rows)
        if self.warm_start and hasattr(self, "runs_"):  # as the fit that is continued
            return self.runs_[0].problem.n_samples < n_rows
        return self.n_estimators > MANY and n_rows >= LARGE

    def _hold_back(self, rows, sets):
        held, rows = super()._hold_back(rows, sets)
        self.early_stopping_ = bool(held) and self.early_stopping is not False
        return held, rows

    def _depth(self, y):
        self.max_depth_ = self.max_depth
        if is_auto(self.max_depth):
            labels = self._strata(y)
            self.max_depth_ = depth_for(len(y) if labels is None else informative_rows(labels))
            if self.max_leaf_nodes is None:
                self.max_depth_ = SHALLOW
        return self.max_depth_

    def _more_limits(self):
        limits = super()._more_limits()
        if self.max_delta_step is None:
            return limits
        loss = self._get_loss()
        # leaf values are later divided by sigma
        unit = 1.0 if self._use_newton(loss) or loss.sigma is None else loss.sigma
        return limits | {"max_delta_step": unit * self.max_delta_step}

    def _use_newton(self, loss):
        if self.newton is not None:
            return bool(self.newton)
        # for a quadratic loss, Newton steps are mean residuals
        return loss.curvature is not None and (loss.sigma is None or bool(loss.self_concordance))

    def _method(self, problem, rate):
        loss = problem.loss
        n_features = problem.binning.n_columns
        n_drawn = self._n_drawn(n_features)
        step = (
            LeafSearch(rate) if loss.sigma is None and loss.curvature is None else FittedStep(rate)
        )
        return gcd(step) if n_drawn == n_features else rtgcd(select=Groups(n_drawn), step=step)

    def _n_drawn(self, n_features):
        """Return the number of features drawn for each tree."""
        drawn = self.max_features
        if is_auto(drawn):
            return max(n_features // 2, min(n_features, LEAST_DRAWN))
        if drawn is None:
            return n_features
        if isinstance(drawn, str) and drawn == "sqrt":
            return max(1, int(np.sqrt(n_features)))
        if (
            isinstance(drawn, int | np.integer)
            and not isinstance(drawn, bool)
            and 1 <= drawn <= n_features
        ):
            return int(drawn)
        if isinstance(drawn, float) and 0 < drawn <= 1:
            return max(1, int(drawn * n_features))
        raise ValueError(
            f"max_features must be a number of features from 1 to {n_features}, a fraction in (0, "
            f"1], 'sqrt', 'auto' or None, got {shown(drawn)}."
        )


class _AcceleratedGBM(_DrawnRows):
    """Abstract base: trees with momentum, with or without a second tree per iteration that corrects
    it.
    """

    def __init__(
        self,
        *,
        loss=None,
        learning_rate=0.1,
        n_estimators=100,
        max_depth=3,
        max_leaf_nodes=None,
        min_samples_leaf=20,
        min_gain=0.0,
        l2_regularization=0.0,
        max_bins=255,
        categorical_features=None,
        min_samples_category=10,
        max_split_categories=4,
        category_smoothing=20.0,
        monotonic_cst=None,
        gamma=0.1,
        correction=0,
        subsample=1.0,
        interaction_cst=None,
        early_stopping=None,
        validation_fraction=0.1,
        n_iter_no_change=10,
        tol=1e-7,
        warm_start=False,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        super().__init__(
            loss=loss,
            learning_rate=learning_rate,
            n_estimators=n_estimators,
            min_samples_leaf=min_samples_leaf,
            min_gain=min_gain,
            l2_regularization=l2_regularization,
            max_bins=max_bins,
            categorical_features=categorical_features,
            min_samples_category=min_samples_category,
            max_split_categories=max_split_categories,
            category_smoothing=category_smoothing,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            tol=tol,
            warm_start=warm_start,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.monotonic_cst = monotonic_cst
        self.gamma = gamma
        self.correction = correction
        self.subsample = subsample
        self.interaction_cst = interaction_cst

    def _method(self, problem, rate):
        return agbm(rate, self.gamma, correction=self.correction)


class _RegularizedGBM(_BaseBooster):
    """Abstract base: each step chooses a tree from several families."""

    def __init__(
        self,
        *,
        loss=None,
        learning_rate=0.1,
        n_estimators=100,
        min_samples_leaf=20,
        min_gain=0.0,
        l2_regularization=0.0,
        max_bins=255,
        categorical_features=None,
        min_samples_category=10,
        max_split_categories=4,
        category_smoothing=20.0,
        monotonic_cst=None,
        penalty=None,
        nodes=(1, 2, 4, 8, 16, 32),
        bounds=(1.0,),
        q=2.0,
        n_candidates=None,
        power=None,
        early_stopping=None,
        validation_fraction=0.1,
        n_iter_no_change=10,
        tol=1e-7,
        warm_start=False,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        super().__init__(
            loss=loss,
            learning_rate=learning_rate,
            n_estimators=n_estimators,
            min_samples_leaf=min_samples_leaf,
            min_gain=min_gain,
            l2_regularization=l2_regularization,
            max_bins=max_bins,
            categorical_features=categorical_features,
            min_samples_category=min_samples_category,
            max_split_categories=max_split_categories,
            category_smoothing=category_smoothing,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            tol=tol,
            warm_start=warm_start,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.monotonic_cst = monotonic_cst
        self.penalty = penalty
        self.nodes = nodes
        self.bounds = bounds
        self.q = q
        self.n_candidates = n_candidates
        self.power = power

    def _family(self, X, y, newton):
        return tree_families(
            X,
            nodes=self.nodes,
            bounds=self.bounds,
            q=self.q,
            min_samples=self.min_samples_leaf,
            min_gain=self.min_gain,
            l2=self.l2_regularization,
            monotone=self.monotonic_cst,
            max_bins=self.max_bins,
            **self._of_categories(),
        )

    def _method(self, problem, rate):
        loss = problem.loss
        own = DampedLineSearch(rate) if loss.sigma is None else ShrunkenStep(rate)
        usual = (
            0.01 if loss.two_class else 0.02 * problem.start_excess / float(problem.weight.sum())
        )
        self.penalty_ = usual if self.penalty is None else not_negative("penalty", self.penalty)
        return rgb(
            self.penalty_, self.n_candidates, own if self.power is None else FamilyStep(self.power)
        )

    @property
    def family_summary_(self):
        """How often each family was chosen, and what its trees cost; see ``family_summary``."""
        return family_summary(self.run_, self.n_iter_)


class RandomizedGBMRegressor(StagedPredictions, Regression, _RandomizedGBM):
    """Gradient boosting with trees that split only on features drawn at random, for regression.

    Parameters
    ----------
    loss : loss, optional
        Default ``Squared()``. Also ``Huber(d)``, ``Quantile(q)``, ``Poisson()``, ``Gamma()``, or
        one of your own.
    learning_rate : float, default 0.1
        Shrinkage of each tree. Where leaf values are means of residuals, a tree is multiplied by
        `learning_rate` / sigma, sigma the Lipschitz constant of the loss's derivative (1 for the
        squared and Huber losses, 1/4 for the logistic). Where leaf values are Newton steps, a tree
        is multiplied by `learning_rate`, as in scikit-learn and LightGBM. A tree that is followed
        by a line search is multiplied by `learning_rate`, too.
    n_estimators : int, default 100
        Number of iterations.
    max_depth : int, None or "auto", default "auto"
        Maximum depth of a tree (splits from the root to a leaf). None or -1 for no limit, or a
        depth above 10, needs `max_leaf_nodes` as well. "auto": 3 below 512 rows, and where
        `max_leaf_nodes` is None; 4 from 512 rows on, 5 from 1,024, and None from 2,048.
    max_leaf_nodes : int or None, default 31
        Maximum number of leaves; unless `max_depth` allows no more leaves, trees grow best-first
        (largest gain first).
    min_samples_leaf : int, default 20
        Minimum number of rows in a leaf. With fewer than twice as many rows no tree can split, and
        the model is a constant.
    min_gain : float, default 0.0
        A split must reduce the weighted sum of squared residuals (no factor 1/2, not the mean) by
        more than this. With Newton leaves, the sum of (gradient sum)^2 / (sum of second derivatives
        + `l2_regularization`) must rise by more than this.
    l2_regularization : float, default 0.0
        Ridge penalty on leaf values, added to the sum of weights (with Newton leaves: of second
        derivatives) in a leaf.
    max_bins : int, default 255
        Maximum number of bins per numeric feature; missing values get one more. A categorical
        feature may have up to 4,064 levels.
    categorical_features : sequence of names, indices or booleans, optional
        Categorical features, in addition to the columns of a data frame that have the dtype
        ``category``, or hold text (none of it a number).
    min_samples_category : int, default 10
        A category with fewer rows in a node is not chosen in its split: it goes with those that are
        not chosen.
    max_split_categories : int or None, default 4
        A split chooses at most this many categories, and at most half of them, rounded up: those
        with the lowest, or with the highest values. The others are the other side. None: any
        number.
    category_smoothing : float, default 20.0
        In the gain and the values of both sides of a split by categories, the weight of this many
        rows is added to `l2_regularization`; a row has the mean weight (with Newton leaves: second
        derivative) in the node.
    monotonic_cst : sequence or dict by name, optional
        For each feature 1: predictions must not decrease with it; 0: no constraint; -1: must not
        increase.
    max_features : int, float, "sqrt", "auto" or None, default "auto"
        Number of features drawn at random for each tree (not for each split): an int, a fraction of
        all, "sqrt" of their number, "auto" for half of them but at least 6, or None for all.
    newton : bool, optional
        Whether leaf values are Newton steps (sum of gradients / sum of second derivatives) instead
        of mean residuals. They are damped so that no leaf raises the loss of its rows
        (docs/trees.md). Default: True for losses with a `self_concordance` above 0 (``Logistic()``)
        or with second derivatives but no bound on them (``Poisson()``, ``Gamma()``,
        ``Exponential()``), False for the others; for ``Squared()`` both are the same. For
        ``Quantile(q)``, which has no second derivatives, leaf values are quantiles of the
        residuals.
    max_delta_step : float, optional
        A bound of the step of a leaf: a tree changes no prediction, on the link scale, by more than
        `learning_rate` * `max_delta_step`. Default: no bound.
    subsample : float, default 1.0
        Fraction of the rows drawn at random for each tree, each row independently (stochastic
        gradient boosting; Friedman, 2002). Splits and leaf values are computed on these rows, and
        `min_samples_leaf` counts only them; the tree is added on all rows. Step lengths of
        accelerated boosting and of line searches are computed on all rows.
    interaction_cst : "pairwise", "no_interactions" or sequence of sets of features, optional
        Interaction constraints: all features on a path from the root of a tree to a leaf are in one
        of these sets, of names or column indices. The features in no set form one more set.
    early_stopping : bool, None or "auto", default "auto"
        True: hold out `validation_fraction` of the rows at random (stratified by class for
        classifiers) and stop by `n_iter_no_change`, unless `fit` is given rows to validate on.
        False: never stop; rows given to `fit` are only scored. None: stop if `fit` is given such
        rows. "auto": as True if there are 10,000 rows or more and `n_estimators` is above 100, else
        as None.
    validation_fraction : float, default 0.1
        Fraction of the rows that early stopping holds out.
    n_iter_no_change : int, default 10
        Stop when `n_iter_no_change` successive iterations have not lowered the mean validation loss
        by more than `tol`. Checked every ``max(1, n_iter_no_change // 2)`` iterations, so a few
        more trees may be grown; the model is that of the best of all iterations made.
    tol : float, default 1e-7
        Least improvement of the validation loss that counts for `n_iter_no_change`, as a fraction
        of (mean validation loss of the constant model - smallest value that the loss can take
        there, 0 for most losses).
    warm_start : bool, default False
        Continue the run of the last `fit`, up to `n_estimators` iterations, on the same data.
    random_state : int, RandomState instance or None, default None
        Seed of all random draws.
    n_jobs : int, optional
        Maximum number of threads of a fit. None or -1: one for each core, but at most 32, and at
        most OMP_NUM_THREADS. The model is the same for any number, bit for bit.
    verbose : int, default 0
        Print a line every `verbose` iterations and one at the end: the mean losses, the best
        iteration so far on the (last) validation rows, and the seconds since the fit began. On a
        terminal a bar below them shows the time left. 0: print nothing.

    Attributes
    ----------
    run_ : Run
        The run behind the model (see ``coordboost.engine.Run``); it can be replayed, saved and
        resumed. Its certificate (an interval around the smallest loss) is of little use: no useful
        lower bound is known for trees. With three classes or more: see ``runs_``.
    runs_ : list of Run
        The runs: one, or one for each class if there are three or more.
    n_iter_ : int
        Number of iterations that predictions use.
    max_depth_ : int or None
        The maximum depth used.
    early_stopping_ : bool
        Whether validation rows could end the fit.
    train_score_ : ndarray of shape (n_iter + 1,)
        Minus the mean loss on the training rows (higher is better) after 0, 1, ... iterations; for
        three classes or more, summed over the classes' runs. Computed on access.
    validation_score_ : ndarray of shape (n_iter + 1,)
        As `train_score_`, on the validation rows; only with early stopping. For three classes or
        more, a class that has passed its best iteration keeps its loss from there, so the maximum
        is at `n_iter_`.
    evals_result_ : dict
        The mean losses on the rows given to `fit`, or held out, after 0, 1, ... iterations:
        ``{name: {"loss": ndarray of shape (n_iter + 1,)}}``; only if there are such rows.
    feature_importances_ : ndarray of shape (n_features,)
        Sum of the gains of all splits by a feature, divided by the total over all features.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: Lu and Mazumder, *Randomized Gradient Boosting Machine*, Algorithm 2 with random
    features (Type 3) and a constant step.

    The fitted model stores the binned table, one byte for each entry, so that the run can be
    continued.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.RandomizedGBMRegressor(n_estimators=30, random_state=0).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.6
    >>> model.run_.n_steps, model.n_iter_
    (30, 30)
    """


class RandomizedGBMClassifier(StagedProbabilities, Multinomial, Classification, _RandomizedGBM):
    """Gradient boosting with trees that split only on features drawn at random, for classification.

    Three classes or more are one model: each iteration adds one tree per class, and probabilities
    are the softmax of the scores. With `multinomial` False they are one-vs-rest: one model for each
    class, and probabilities are normalised to sum to 1.

    Parameters
    ----------
    loss : loss, optional
        Default ``Logistic()``. Also ``Exponential()``, or one of your own with
        ``two_class = True``.
    learning_rate : float, default 0.1
        Shrinkage of each tree. Where leaf values are means of residuals, a tree is multiplied by
        `learning_rate` / sigma, sigma the Lipschitz constant of the loss's derivative (1 for the
        squared and Huber losses, 1/4 for the logistic). Where leaf values are Newton steps, a tree
        is multiplied by `learning_rate`, as in scikit-learn and LightGBM. A tree that is followed
        by a line search is multiplied by `learning_rate`, too.
    n_estimators : int, default 100
        Number of iterations.
    max_depth : int, None or "auto", default "auto"
        Maximum depth of a tree (splits from the root to a leaf). None or -1 for no limit, or a
        depth above 10, needs `max_leaf_nodes` as well. "auto": 3 below 512 rows, and where
        `max_leaf_nodes` is None; 4 from 512 rows on, 5 from 1,024, and None from 2,048. Rows are
        counted by what they tell: of two classes with the shares p and 1 - p, n rows count as
        4 p (1 - p) n, of K classes as K / (K - 1) (1 - sum of p_k^2) n.
    max_leaf_nodes : int or None, default 31
        Maximum number of leaves; unless `max_depth` allows no more leaves, trees grow best-first
        (largest gain first).
    min_samples_leaf : int, default 20
        Minimum number of rows in a leaf. With fewer than twice as many rows no tree can split, and
        the model is a constant.
    min_gain : float, default 0.0
        A split must reduce the weighted sum of squared residuals (no factor 1/2, not the mean) by
        more than this. With Newton leaves, the sum of (gradient sum)^2 / (sum of second derivatives
        + `l2_regularization`) must rise by more than this.
    l2_regularization : float, default 0.0
        Ridge penalty on leaf values, added to the sum of weights (with Newton leaves: of second
        derivatives) in a leaf.
    max_bins : int, default 255
        Maximum number of bins per numeric feature; missing values get one more. A categorical
        feature may have up to 4,064 levels.
    categorical_features : sequence of names, indices or booleans, optional
        Categorical features, in addition to the columns of a data frame that have the dtype
        ``category``, or hold text (none of it a number).
    min_samples_category : int, default 10
        A category with fewer rows in a node is not chosen in its split: it goes with those that are
        not chosen.
    max_split_categories : int or None, default 4
        A split chooses at most this many categories, and at most half of them, rounded up: those
        with the lowest, or with the highest values. The others are the other side. None: any
        number.
    category_smoothing : float, default 20.0
        In the gain and the values of both sides of a split by categories, the weight of this many
        rows is added to `l2_regularization`; a row has the mean weight (with Newton leaves: second
        derivative) in the node.
    monotonic_cst : sequence or dict by name, optional
        For each feature 1: predictions must not decrease with it; 0: no constraint; -1: must not
        increase.
    max_features : int, float, "sqrt", "auto" or None, default "auto"
        Number of features drawn at random for each tree (not for each split): an int, a fraction of
        all, "sqrt" of their number, "auto" for half of them but at least 6, or None for all.
    newton : bool, optional
        Whether leaf values are Newton steps (sum of gradients / sum of second derivatives) instead
        of mean residuals. They are damped so that no leaf raises the loss of its rows
        (docs/trees.md). Default: True for losses with a `self_concordance` above 0 (``Logistic()``)
        or with second derivatives but no bound on them (``Poisson()``, ``Gamma()``,
        ``Exponential()``), False for the others; for ``Squared()`` both are the same. For
        ``Quantile(q)``, which has no second derivatives, leaf values are quantiles of the
        residuals.
    max_delta_step : float, optional
        A bound of the step of a leaf: a tree changes no prediction, on the link scale, by more than
        `learning_rate` * `max_delta_step`. Default: no bound.
    subsample : float, default 1.0
        Fraction of the rows drawn at random for each tree, each row independently (stochastic
        gradient boosting; Friedman, 2002). Splits and leaf values are computed on these rows, and
        `min_samples_leaf` counts only them; the tree is added on all rows. Step lengths of
        accelerated boosting and of line searches are computed on all rows.
    interaction_cst : "pairwise", "no_interactions" or sequence of sets of features, optional
        Interaction constraints: all features on a path from the root of a tree to a leaf are in one
        of these sets, of names or column indices. The features in no set form one more set.
    early_stopping : bool, None or "auto", default "auto"
        True: hold out `validation_fraction` of the rows at random (stratified by class for
        classifiers) and stop by `n_iter_no_change`, unless `fit` is given rows to validate on.
        False: never stop; rows given to `fit` are only scored. None: stop if `fit` is given such
        rows. "auto": as True if there are 10,000 rows or more and `n_estimators` is above 100, else
        as None.
    validation_fraction : float, default 0.1
        Fraction of the rows that early stopping holds out.
    n_iter_no_change : int, default 10
        Stop when `n_iter_no_change` successive iterations have not lowered the mean validation loss
        by more than `tol`. Checked every ``max(1, n_iter_no_change // 2)`` iterations, so a few
        more trees may be grown; the model is that of the best of all iterations made.
    tol : float, default 1e-7
        Least improvement of the validation loss that counts for `n_iter_no_change`, as a fraction
        of (mean validation loss of the constant model - smallest value that the loss can take
        there, 0 for most losses).
    warm_start : bool, default False
        Continue the run of the last `fit`, up to `n_estimators` iterations, on the same data.
    random_state : int, RandomState instance or None, default None
        Seed of all random draws.
    n_jobs : int, optional
        Maximum number of threads of a fit. None or -1: one for each core, but at most 32, and at
        most OMP_NUM_THREADS. The model is the same for any number, bit for bit.
    verbose : int, default 0
        Print a line every `verbose` iterations and one at the end: the mean losses, the best
        iteration so far on the (last) validation rows, and the seconds since the fit began. On a
        terminal a bar below them shows the time left. 0: print nothing.
    class_weight : dict or "balanced", optional
        Weight of each class, which multiplies the `sample_weight` of its rows (also of rows that
        early stopping holds out, but not of `X_val`). "balanced": all classes get the same sum of
        weights, and the sum over all rows stays.
    multinomial : bool, optional
        Whether three classes or more are one model with the multinomial loss. All trees of an
        iteration are grown from the same predictions. `learning_rate` must be at most 1: the joint
        loss then falls in every iteration, if leaf values are means. Default: True for
        ``Logistic()``, False for other losses, which are one-vs-rest.

    Attributes
    ----------
    run_ : Run
        The run behind the model (see ``coordboost.engine.Run``); it can be replayed, saved and
        resumed. Its certificate (an interval around the smallest loss) is of little use: no useful
        lower bound is known for trees. With three classes or more: see ``runs_``.
    runs_ : list of Run
        The runs: one, or one for each class if there are three or more. In a multinomial model
        ``runs_[k].problem.offset`` is -log(sum of exp(f_l) over the other classes l), f_l their
        final predictions. So ``runs_[k].final.resid`` is the weight times ((1 in class k, else 0) -
        probability of class k), and its correlations with learners are minus the gradient of the
        joint loss.
    n_iter_ : int
        Number of iterations that predictions use.
    max_depth_ : int or None
        The maximum depth used.
    early_stopping_ : bool
        Whether validation rows could end the fit.
    train_score_ : ndarray of shape (n_iter + 1,)
        Minus the mean loss on the training rows (higher is better) after 0, 1, ... iterations. For
        three classes or more, the multinomial loss, or the sum over the classes' runs
        (one-vs-rest). Computed on access.
    validation_score_ : ndarray of shape (n_iter + 1,)
        As `train_score_`, on the validation rows; only with early stopping. With one-vs-rest, a
        class that has passed its best iteration keeps its loss from there, so the maximum is at
        `n_iter_`.
    evals_result_ : dict
        The mean losses on the rows given to `fit`, or held out, after 0, 1, ... iterations:
        ``{name: {"loss": ndarray of shape (n_iter + 1,)}}``; only if there are such rows.
    feature_importances_ : ndarray of shape (n_features,)
        Sum of the gains of all splits by a feature, divided by the total over all features.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: Lu and Mazumder, *Randomized Gradient Boosting Machine*, Algorithm 2 with random
    features (Type 3) and a constant step. Several classes: Friedman, *Greedy Function
    Approximation*, Algorithm 6, without its factor (K - 1) / K, as in scikit-learn.

    The fitted model stores the binned table, one byte for each entry, so that the run can be
    continued.

    Examples
    --------
    >>> import numpy as np
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = cb.RandomizedGBMClassifier(n_estimators=30, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True

    Three classes:

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = cb.RandomizedGBMClassifier(n_estimators=30, random_state=0).fit(X, y)
    >>> model.predict_proba(X[[0, 60]]).sum(axis=1).round(2)
    array([1., 1.])
    >>> bool((np.diff(model.train_score_) > 0).all())
    True
    """

    def __init__(
        self,
        *,
        loss=None,
        learning_rate=0.1,
        n_estimators=100,
        max_depth="auto",
        max_leaf_nodes=31,
        min_samples_leaf=20,
        min_gain=0.0,
        l2_regularization=0.0,
        max_bins=255,
        categorical_features=None,
        min_samples_category=10,
        max_split_categories=4,
        category_smoothing=20.0,
        monotonic_cst=None,
        max_features="auto",
        newton=None,
        max_delta_step=None,
        subsample=1.0,
        interaction_cst=None,
        early_stopping="auto",
        validation_fraction=0.1,
        n_iter_no_change=10,
        tol=1e-7,
        warm_start=False,
        random_state=None,
        n_jobs=None,
        verbose=0,
        class_weight=None,
        multinomial=None,
    ):
        super().__init__(
            loss=loss,
            learning_rate=learning_rate,
            n_estimators=n_estimators,
            max_depth=max_depth,
            max_leaf_nodes=max_leaf_nodes,
            min_samples_leaf=min_samples_leaf,
            min_gain=min_gain,
            l2_regularization=l2_regularization,
            max_bins=max_bins,
            categorical_features=categorical_features,
            min_samples_category=min_samples_category,
            max_split_categories=max_split_categories,
            category_smoothing=category_smoothing,
            monotonic_cst=monotonic_cst,
            max_features=max_features,
            newton=newton,
            max_delta_step=max_delta_step,
            subsample=subsample,
            interaction_cst=interaction_cst,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            tol=tol,
            warm_start=warm_start,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.class_weight = class_weight
        self.multinomial = multinomial


class AcceleratedGBMRegressor(StagedPredictions, Regression, _AcceleratedGBM):
    """Accelerated gradient boosting: trees with momentum, for regression.

    Parameters
    ----------
    loss : loss, optional
        Default ``Squared()``. Also ``Huber(d)``, or one of your own with a Lipschitz derivative.
    learning_rate : float, default 0.1
        Shrinkage of each tree: it is multiplied by `learning_rate` / sigma, sigma the Lipschitz
        constant of the loss's derivative (1 for the squared and Huber losses, 1/4 for the
        logistic).
    n_estimators : int, default 100
        Number of iterations.
    max_depth : int or None, default 3
        Maximum depth of a tree (splits from the root to a leaf). None or -1 for no limit, or a
        depth above 10, needs `max_leaf_nodes` as well.
    max_leaf_nodes : int, optional
        Maximum number of leaves; if set, trees grow best-first (largest gain first) until it or
        `max_depth` is reached.
    min_samples_leaf : int, default 20
        Minimum number of rows in a leaf. With fewer than twice as many rows no tree can split, and
        the model is a constant.
    min_gain : float, default 0.0
        A split must reduce the weighted sum of squared residuals (no factor 1/2, not the mean) by
        more than this.
    l2_regularization : float, default 0.0
        Ridge penalty on leaf values, added to the sum of weights in a leaf.
    max_bins : int, default 255
        Maximum number of bins per numeric feature; missing values get one more. A categorical
        feature may have up to 4,064 levels.
    categorical_features : sequence of names, indices or booleans, optional
        Categorical features, in addition to the columns of a data frame that have the dtype
        ``category``, or hold text (none of it a number).
    min_samples_category : int, default 10
        A category with fewer rows in a node is not chosen in its split: it goes with those that are
        not chosen.
    max_split_categories : int or None, default 4
        A split chooses at most this many categories, and at most half of them, rounded up: those
        with the lowest, or with the highest values. The others are the other side. None: any
        number.
    category_smoothing : float, default 20.0
        In the gain and the values of both sides of a split by categories, the weight of this many
        rows is added to `l2_regularization`; a row has the mean weight (with Newton leaves: second
        derivative) in the node.
    monotonic_cst : sequence or dict by name, optional
        For each feature 1: predictions must not decrease with it; 0: no constraint; -1: must not
        increase.
    gamma : float, or "auto" where `correction` is 1 or -1, default 0.1
        Weight of the momentum, see ``agbm``. If the loss diverges, the run returns to its best
        model and divides gamma by four.
    correction : 0, 1 or -1, default 0
        0: momentum only, one tree per iteration. 1: a second tree per iteration corrects the
        momentum; this is the published algorithm, and needs a smaller gamma for the squared loss.
        -1: the opposite sign, as in its authors' program. Comparison: docs/accelerated.md.
    subsample : float, default 1.0
        Fraction of the rows drawn at random for each tree, each row independently (stochastic
        gradient boosting; Friedman, 2002). Splits and leaf values are computed on these rows, and
        `min_samples_leaf` counts only them; the tree is added on all rows. Step lengths of
        accelerated boosting and of line searches are computed on all rows.
    interaction_cst : "pairwise", "no_interactions" or sequence of sets of features, optional
        Interaction constraints: all features on a path from the root of a tree to a leaf are in one
        of these sets, of names or column indices. The features in no set form one more set.
    early_stopping : bool, optional
        True: hold out `validation_fraction` of the rows at random (stratified by class for
        classifiers) and stop by `n_iter_no_change`, unless `fit` is given rows to validate on.
        False: never stop; rows given to `fit` are only scored. Default: stop if `fit` is given such
        rows.
    validation_fraction : float, default 0.1
        Fraction of the rows that early stopping holds out.
    n_iter_no_change : int, default 10
        Stop when `n_iter_no_change` successive iterations have not lowered the mean validation loss
        by more than `tol`. Checked every ``max(1, n_iter_no_change // 2)`` iterations, so a few
        more trees may be grown; the model is that of the best of all iterations made.
    tol : float, default 1e-7
        Least improvement of the validation loss that counts for `n_iter_no_change`, as a fraction
        of (mean validation loss of the constant model - smallest value that the loss can take
        there, 0 for most losses).
    warm_start : bool, default False
        Continue the run of the last `fit`, up to `n_estimators` iterations, on the same data.
    random_state : int, RandomState instance or None, default None
        Seed of all random draws.
    n_jobs : int, optional
        Maximum number of threads of a fit. None or -1: one for each core, but at most 32, and at
        most OMP_NUM_THREADS. The model is the same for any number, bit for bit.
    verbose : int, default 0
        Print a line every `verbose` iterations and one at the end: the mean losses, the best
        iteration so far on the (last) validation rows, and the seconds since the fit began. On a
        terminal a bar below them shows the time left. 0: print nothing.

    Attributes
    ----------
    run_ : Run
        The run behind the model (see ``coordboost.engine.Run``); it can be replayed, saved and
        resumed. Its certificate (an interval around the smallest loss) is of little use: no useful
        lower bound is known for trees. With three classes or more: see ``runs_``.
    runs_ : list of Run
        The runs: one, or one for each class if there are three or more.
    n_iter_ : int
        Number of iterations that predictions use.
    train_score_ : ndarray of shape (n_iter + 1,)
        Minus the mean loss on the training rows (higher is better) after 0, 1, ... iterations; for
        three classes or more, summed over the classes' runs. Computed on access.
    validation_score_ : ndarray of shape (n_iter + 1,)
        As `train_score_`, on the validation rows; only with early stopping. For three classes or
        more, a class that has passed its best iteration keeps its loss from there, so the maximum
        is at `n_iter_`.
    evals_result_ : dict
        The mean losses on the rows given to `fit`, or held out, after 0, 1, ... iterations:
        ``{name: {"loss": ndarray of shape (n_iter + 1,)}}``; only if there are such rows.
    feature_importances_ : ndarray of shape (n_features,)
        Sum of the gains of all splits by a feature, divided by the total over all features.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: Lu, Karimireddy, Ponomareva, Mirrokni, *Accelerating Gradient Boosting Machines*,
    Remark B.1; with a correction Algorithm 2.

    The fitted model stores the binned table, one byte for each entry, so that the run can be
    continued.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.AcceleratedGBMRegressor(n_estimators=30, random_state=0).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.6
    """


class AcceleratedGBMClassifier(StagedProbabilities, Classification, _AcceleratedGBM):
    """Accelerated gradient boosting: trees with momentum, for classification.

    Three classes or more are one-vs-rest: one model for each class, and probabilities are
    normalised to sum to 1.

    Parameters
    ----------
    loss : loss, optional
        Default ``Logistic()``. Also one of your own with ``two_class = True`` and a Lipschitz
        derivative.
    learning_rate : float, default 0.1
        Shrinkage of each tree: it is multiplied by `learning_rate` / sigma, sigma the Lipschitz
        constant of the loss's derivative (1 for the squared and Huber losses, 1/4 for the
        logistic).
    n_estimators : int, default 100
        Number of iterations.
    max_depth : int or None, default 3
        Maximum depth of a tree (splits from the root to a leaf). None or -1 for no limit, or a
        depth above 10, needs `max_leaf_nodes` as well.
    max_leaf_nodes : int, optional
        Maximum number of leaves; if set, trees grow best-first (largest gain first) until it or
        `max_depth` is reached.
    min_samples_leaf : int, default 20
        Minimum number of rows in a leaf. With fewer than twice as many rows no tree can split, and
        the model is a constant.
    min_gain : float, default 0.0
        A split must reduce the weighted sum of squared residuals (no factor 1/2, not the mean) by
        more than this.
    l2_regularization : float, default 0.0
        Ridge penalty on leaf values, added to the sum of weights in a leaf.
    max_bins : int, default 255
        Maximum number of bins per numeric feature; missing values get one more. A categorical
        feature may have up to 4,064 levels.
    categorical_features : sequence of names, indices or booleans, optional
        Categorical features, in addition to the columns of a data frame that have the dtype
        ``category``, or hold text (none of it a number).
    min_samples_category : int, default 10
        A category with fewer rows in a node is not chosen in its split: it goes with those that are
        not chosen.
    max_split_categories : int or None, default 4
        A split chooses at most this many categories, and at most half of them, rounded up: those
        with the lowest, or with the highest values. The others are the other side. None: any
        number.
    category_smoothing : float, default 20.0
        In the gain and the values of both sides of a split by categories, the weight of this many
        rows is added to `l2_regularization`; a row has the mean weight (with Newton leaves: second
        derivative) in the node.
    monotonic_cst : sequence or dict by name, optional
        For each feature 1: predictions must not decrease with it; 0: no constraint; -1: must not
        increase.
    gamma : float, or "auto" where `correction` is 1 or -1, default 0.1
        Weight of the momentum, see ``agbm``. If the loss diverges, the run returns to its best
        model and divides gamma by four.
    correction : 0, 1 or -1, default 0
        0: momentum only, one tree per iteration. 1: a second tree per iteration corrects the
        momentum; this is the published algorithm, and needs a smaller gamma for the squared loss.
        -1: the opposite sign, as in its authors' program. Comparison: docs/accelerated.md.
    subsample : float, default 1.0
        Fraction of the rows drawn at random for each tree, each row independently (stochastic
        gradient boosting; Friedman, 2002). Splits and leaf values are computed on these rows, and
        `min_samples_leaf` counts only them; the tree is added on all rows. Step lengths of
        accelerated boosting and of line searches are computed on all rows.
    interaction_cst : "pairwise", "no_interactions" or sequence of sets of features, optional
        Interaction constraints: all features on a path from the root of a tree to a leaf are in one
        of these sets, of names or column indices. The features in no set form one more set.
    early_stopping : bool, optional
        True: hold out `validation_fraction` of the rows at random (stratified by class for
        classifiers) and stop by `n_iter_no_change`, unless `fit` is given rows to validate on.
        False: never stop; rows given to `fit` are only scored. Default: stop if `fit` is given such
        rows.
    validation_fraction : float, default 0.1
        Fraction of the rows that early stopping holds out.
    n_iter_no_change : int, default 10
        Stop when `n_iter_no_change` successive iterations have not lowered the mean validation loss
        by more than `tol`. Checked every ``max(1, n_iter_no_change // 2)`` iterations, so a few
        more trees may be grown; the model is that of the best of all iterations made.
    tol : float, default 1e-7
        Least improvement of the validation loss that counts for `n_iter_no_change`, as a fraction
        of (mean validation loss of the constant model - smallest value that the loss can take
        there, 0 for most losses).
    warm_start : bool, default False
        Continue the run of the last `fit`, up to `n_estimators` iterations, on the same data.
    random_state : int, RandomState instance or None, default None
        Seed of all random draws.
    n_jobs : int, optional
        Maximum number of threads of a fit. None or -1: one for each core, but at most 32, and at
        most OMP_NUM_THREADS. The model is the same for any number, bit for bit.
    verbose : int, default 0
        Print a line every `verbose` iterations and one at the end: the mean losses, the best
        iteration so far on the (last) validation rows, and the seconds since the fit began. On a
        terminal a bar below them shows the time left. 0: print nothing.
    class_weight : dict or "balanced", optional
        Weight of each class, which multiplies the `sample_weight` of its rows (also of rows that
        early stopping holds out, but not of `X_val`). "balanced": all classes get the same sum of
        weights, and the sum over all rows stays.

    Attributes
    ----------
    run_ : Run
        The run behind the model (see ``coordboost.engine.Run``); it can be replayed, saved and
        resumed. Its certificate (an interval around the smallest loss) is of little use: no useful
        lower bound is known for trees. With three classes or more: see ``runs_``.
    runs_ : list of Run
        The runs: one, or one for each class if there are three or more.
    n_iter_ : int
        Number of iterations that predictions use.
    train_score_ : ndarray of shape (n_iter + 1,)
        Minus the mean loss on the training rows (higher is better) after 0, 1, ... iterations; for
        three classes or more, summed over the classes' runs. Computed on access.
    validation_score_ : ndarray of shape (n_iter + 1,)
        As `train_score_`, on the validation rows; only with early stopping. For three classes or
        more, a class that has passed its best iteration keeps its loss from there, so the maximum
        is at `n_iter_`.
    evals_result_ : dict
        The mean losses on the rows given to `fit`, or held out, after 0, 1, ... iterations:
        ``{name: {"loss": ndarray of shape (n_iter + 1,)}}``; only if there are such rows.
    feature_importances_ : ndarray of shape (n_features,)
        Sum of the gains of all splits by a feature, divided by the total over all features.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: Lu, Karimireddy, Ponomareva, Mirrokni, *Accelerating Gradient Boosting Machines*,
    Remark B.1; with a correction Algorithm 2.

    The fitted model stores the binned table, one byte for each entry, so that the run can be
    continued.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = cb.AcceleratedGBMClassifier(n_estimators=30, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        *,
        loss=None,
        learning_rate=0.1,
        n_estimators=100,
        max_depth=3,
        max_leaf_nodes=None,
        min_samples_leaf=20,
        min_gain=0.0,
        l2_regularization=0.0,
        max_bins=255,
        categorical_features=None,
        min_samples_category=10,
        max_split_categories=4,
        category_smoothing=20.0,
        monotonic_cst=None,
        gamma=0.1,
        correction=0,
        subsample=1.0,
        interaction_cst=None,
        early_stopping=None,
        validation_fraction=0.1,
        n_iter_no_change=10,
        tol=1e-7,
        warm_start=False,
        random_state=None,
        n_jobs=None,
        verbose=0,
        class_weight=None,
    ):
        super().__init__(
            loss=loss,
            learning_rate=learning_rate,
            n_estimators=n_estimators,
            max_depth=max_depth,
            max_leaf_nodes=max_leaf_nodes,
            min_samples_leaf=min_samples_leaf,
            min_gain=min_gain,
            l2_regularization=l2_regularization,
            max_bins=max_bins,
            categorical_features=categorical_features,
            min_samples_category=min_samples_category,
            max_split_categories=max_split_categories,
            category_smoothing=category_smoothing,
            monotonic_cst=monotonic_cst,
            gamma=gamma,
            correction=correction,
            subsample=subsample,
            interaction_cst=interaction_cst,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            tol=tol,
            warm_start=warm_start,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.class_weight = class_weight


class RegularizedGBMRegressor(StagedPredictions, Regression, _RegularizedGBM):
    """Gradient boosting with trees of several sizes, for regression.

    The size is chosen by the loss and a complexity penalty.

    Parameters
    ----------
    loss : loss, optional
        Default ``Squared()``. Also ``Huber(d)``, ``Quantile(q)``, ``Poisson()``, ``Gamma()``, or
        one of your own.
    learning_rate : float, default 0.1
        Shrinkage of each tree: it is multiplied by `learning_rate` / sigma, sigma the Lipschitz
        constant of the loss's derivative (1 for the squared and Huber losses, 1/4 for the
        logistic). For losses without such a constant, each tree is followed by a line search and
        multiplied by `learning_rate`.
    n_estimators : int, default 100
        Number of iterations.
    min_samples_leaf : int, default 20
        Minimum number of rows in a leaf. With fewer than twice as many rows no tree can split, and
        the model is a constant.
    min_gain : float, default 0.0
        A split must reduce the weighted sum of squared residuals (no factor 1/2, not the mean) by
        more than this.
    l2_regularization : float, default 0.0
        Ridge penalty on leaf values, added to the sum of weights in a leaf.
    max_bins : int, default 255
        Maximum number of bins per numeric feature; missing values get one more. A categorical
        feature may have up to 4,064 levels.
    categorical_features : sequence of names, indices or booleans, optional
        Categorical features, in addition to the columns of a data frame that have the dtype
        ``category``, or hold text (none of it a number).
    min_samples_category : int, default 10
        A category with fewer rows in a node is not chosen in its split: it goes with those that are
        not chosen.
    max_split_categories : int or None, default 4
        A split chooses at most this many categories, and at most half of them, rounded up: those
        with the lowest, or with the highest values. The others are the other side. None: any
        number.
    category_smoothing : float, default 20.0
        In the gain and the values of both sides of a split by categories, the weight of this many
        rows is added to `l2_regularization`; a row has the mean weight (with Newton leaves: second
        derivative) in the node.
    monotonic_cst : sequence or dict by name, optional
        For each feature 1: predictions must not decrease with it; 0: no constraint; -1: must not
        increase.
    penalty : float, optional
        Complexity penalty in units of the mean loss: a larger one favours smaller trees.
        Complexities are divided by the largest. Default: 0.01 for losses of classes; for others
        0.02 times (mean loss of the constant model - smallest value that the loss can take), which
        for the squared loss is 0.01 times the variance of y. ``penalty_`` is the value used.
    nodes : sequence of int, default (1, 2, 4, 8, 16, 32)
        Maximum numbers of splits: each of them, with each of the `bounds`, is one family of trees.
    bounds : sequence of float, default (1.0,)
        Bounds on the norm of leaf values. They set complexities, the probabilities of being drawn
        and, with `power`, step sizes.
    q : float from 1 to inf, default 2.0
        Exponent of the norm of leaf values, an l_q norm.
    n_candidates : int, optional
        Number of families drawn for each tree, with probabilities proportional to the squares of
        their bounds. Default: all families, which costs the same.
    power : 1 or 2, optional
        Replaces `learning_rate` by one step size for each family, 1 / (sigma bound^power). 1 is the
        published one; with 2 the loss never increases.
    early_stopping : bool, optional
        True: hold out `validation_fraction` of the rows at random (stratified by class for
        classifiers) and stop by `n_iter_no_change`, unless `fit` is given rows to validate on.
        False: never stop; rows given to `fit` are only scored. Default: stop if `fit` is given such
        rows.
    validation_fraction : float, default 0.1
        Fraction of the rows that early stopping holds out.
    n_iter_no_change : int, default 10
        Stop when `n_iter_no_change` successive iterations have not lowered the mean validation loss
        by more than `tol`. Checked every ``max(1, n_iter_no_change // 2)`` iterations, so a few
        more trees may be grown; the model is that of the best of all iterations made.
    tol : float, default 1e-7
        Least improvement of the validation loss that counts for `n_iter_no_change`, as a fraction
        of (mean validation loss of the constant model - smallest value that the loss can take
        there, 0 for most losses).
    warm_start : bool, default False
        Continue the run of the last `fit`, up to `n_estimators` iterations, on the same data.
    random_state : int, RandomState instance or None, default None
        Seed of all random draws.
    n_jobs : int, optional
        Maximum number of threads of a fit. None or -1: one for each core, but at most 32, and at
        most OMP_NUM_THREADS. The model is the same for any number, bit for bit.
    verbose : int, default 0
        Print a line every `verbose` iterations and one at the end: the mean losses, the best
        iteration so far on the (last) validation rows, and the seconds since the fit began. On a
        terminal a bar below them shows the time left. 0: print nothing.

    Attributes
    ----------
    run_ : Run
        The run behind the model (see ``coordboost.engine.Run``); it can be replayed, saved and
        resumed. Its certificate (an interval around the smallest loss) is of little use: no useful
        lower bound is known for trees. With three classes or more: see ``runs_``.
    runs_ : list of Run
        The runs: one, or one for each class if there are three or more.
    n_iter_ : int
        Number of iterations that predictions use.
    train_score_ : ndarray of shape (n_iter + 1,)
        Minus the mean loss on the training rows (higher is better) after 0, 1, ... iterations; for
        three classes or more, summed over the classes' runs. Computed on access.
    validation_score_ : ndarray of shape (n_iter + 1,)
        As `train_score_`, on the validation rows; only with early stopping. For three classes or
        more, a class that has passed its best iteration keeps its loss from there, so the maximum
        is at `n_iter_`.
    evals_result_ : dict
        The mean losses on the rows given to `fit`, or held out, after 0, 1, ... iterations:
        ``{name: {"loss": ndarray of shape (n_iter + 1,)}}``; only if there are such rows.
    feature_importances_ : ndarray of shape (n_features,)
        Sum of the gains of all splits by a feature, divided by the total over all features.
    penalty_ : float
        The complexity penalty used.
    family_summary_ : FamilySummary
        How often each family was chosen, and what its trees cost; see ``family_summary``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: Cortes, Mohri and Storcheus, *Regularized Gradient Boosting*, Algorithm 1; with all
    families at once, and a learning rate.

    The fitted model stores the binned table, one byte for each entry, so that the run can be
    continued.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.RegularizedGBMRegressor(n_estimators=30, random_state=0).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.7
    """


class RegularizedGBMClassifier(StagedProbabilities, Classification, _RegularizedGBM):
    """Gradient boosting with trees of several sizes, for classification.

    The size is chosen by the loss and a complexity penalty.

    Three classes or more are one-vs-rest: one model for each class, and probabilities are
    normalised to sum to 1.

    Parameters
    ----------
    loss : loss, optional
        Default ``Logistic()``. Also ``Exponential()``, or one of your own with
        ``two_class = True``.
    learning_rate : float, default 0.1
        Shrinkage of each tree: it is multiplied by `learning_rate` / sigma, sigma the Lipschitz
        constant of the loss's derivative (1 for the squared and Huber losses, 1/4 for the
        logistic). For losses without such a constant, each tree is followed by a line search and
        multiplied by `learning_rate`.
    n_estimators : int, default 100
        Number of iterations.
    min_samples_leaf : int, default 20
        Minimum number of rows in a leaf. With fewer than twice as many rows no tree can split, and
        the model is a constant.
    min_gain : float, default 0.0
        A split must reduce the weighted sum of squared residuals (no factor 1/2, not the mean) by
        more than this.
    l2_regularization : float, default 0.0
        Ridge penalty on leaf values, added to the sum of weights in a leaf.
    max_bins : int, default 255
        Maximum number of bins per numeric feature; missing values get one more. A categorical
        feature may have up to 4,064 levels.
    categorical_features : sequence of names, indices or booleans, optional
        Categorical features, in addition to the columns of a data frame that have the dtype
        ``category``, or hold text (none of it a number).
    min_samples_category : int, default 10
        A category with fewer rows in a node is not chosen in its split: it goes with those that are
        not chosen.
    max_split_categories : int or None, default 4
        A split chooses at most this many categories, and at most half of them, rounded up: those
        with the lowest, or with the highest values. The others are the other side. None: any
        number.
    category_smoothing : float, default 20.0
        In the gain and the values of both sides of a split by categories, the weight of this many
        rows is added to `l2_regularization`; a row has the mean weight (with Newton leaves: second
        derivative) in the node.
    monotonic_cst : sequence or dict by name, optional
        For each feature 1: predictions must not decrease with it; 0: no constraint; -1: must not
        increase.
    penalty : float, optional
        Complexity penalty in units of the mean loss: a larger one favours smaller trees.
        Complexities are divided by the largest. Default: 0.01 for losses of classes; for others
        0.02 times (mean loss of the constant model - smallest value that the loss can take), which
        for the squared loss is 0.01 times the variance of y. ``penalty_`` is the value used.
    nodes : sequence of int, default (1, 2, 4, 8, 16, 32)
        Maximum numbers of splits: each of them, with each of the `bounds`, is one family of trees.
    bounds : sequence of float, default (1.0,)
        Bounds on the norm of leaf values. They set complexities, the probabilities of being drawn
        and, with `power`, step sizes.
    q : float from 1 to inf, default 2.0
        Exponent of the norm of leaf values, an l_q norm.
    n_candidates : int, optional
        Number of families drawn for each tree, with probabilities proportional to the squares of
        their bounds. Default: all families, which costs the same.
    power : 1 or 2, optional
        Replaces `learning_rate` by one step size for each family, 1 / (sigma bound^power). 1 is the
        published one; with 2 the loss never increases.
    early_stopping : bool, optional
        True: hold out `validation_fraction` of the rows at random (stratified by class for
        classifiers) and stop by `n_iter_no_change`, unless `fit` is given rows to validate on.
        False: never stop; rows given to `fit` are only scored. Default: stop if `fit` is given such
        rows.
    validation_fraction : float, default 0.1
        Fraction of the rows that early stopping holds out.
    n_iter_no_change : int, default 10
        Stop when `n_iter_no_change` successive iterations have not lowered the mean validation loss
        by more than `tol`. Checked every ``max(1, n_iter_no_change // 2)`` iterations, so a few
        more trees may be grown; the model is that of the best of all iterations made.
    tol : float, default 1e-7
        Least improvement of the validation loss that counts for `n_iter_no_change`, as a fraction
        of (mean validation loss of the constant model - smallest value that the loss can take
        there, 0 for most losses).
    warm_start : bool, default False
        Continue the run of the last `fit`, up to `n_estimators` iterations, on the same data.
    random_state : int, RandomState instance or None, default None
        Seed of all random draws.
    n_jobs : int, optional
        Maximum number of threads of a fit. None or -1: one for each core, but at most 32, and at
        most OMP_NUM_THREADS. The model is the same for any number, bit for bit.
    verbose : int, default 0
        Print a line every `verbose` iterations and one at the end: the mean losses, the best
        iteration so far on the (last) validation rows, and the seconds since the fit began. On a
        terminal a bar below them shows the time left. 0: print nothing.
    class_weight : dict or "balanced", optional
        Weight of each class, which multiplies the `sample_weight` of its rows (also of rows that
        early stopping holds out, but not of `X_val`). "balanced": all classes get the same sum of
        weights, and the sum over all rows stays.

    Attributes
    ----------
    run_ : Run
        The run behind the model (see ``coordboost.engine.Run``); it can be replayed, saved and
        resumed. Its certificate (an interval around the smallest loss) is of little use: no useful
        lower bound is known for trees. With three classes or more: see ``runs_``.
    runs_ : list of Run
        The runs: one, or one for each class if there are three or more.
    n_iter_ : int
        Number of iterations that predictions use.
    train_score_ : ndarray of shape (n_iter + 1,)
        Minus the mean loss on the training rows (higher is better) after 0, 1, ... iterations; for
        three classes or more, summed over the classes' runs. Computed on access.
    validation_score_ : ndarray of shape (n_iter + 1,)
        As `train_score_`, on the validation rows; only with early stopping. For three classes or
        more, a class that has passed its best iteration keeps its loss from there, so the maximum
        is at `n_iter_`.
    evals_result_ : dict
        The mean losses on the rows given to `fit`, or held out, after 0, 1, ... iterations:
        ``{name: {"loss": ndarray of shape (n_iter + 1,)}}``; only if there are such rows.
    feature_importances_ : ndarray of shape (n_features,)
        Sum of the gains of all splits by a feature, divided by the total over all features.
    penalty_ : float
        The complexity penalty used.
    family_summary_ : FamilySummary
        How often each family was chosen, and what its trees cost; see ``family_summary``.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: Cortes, Mohri and Storcheus, *Regularized Gradient Boosting*, Algorithm 1; with all
    families at once, and a learning rate.

    The fitted model stores the binned table, one byte for each entry, so that the run can be
    continued.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = cb.RegularizedGBMClassifier(n_estimators=30, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        *,
        loss=None,
        learning_rate=0.1,
        n_estimators=100,
        min_samples_leaf=20,
        min_gain=0.0,
        l2_regularization=0.0,
        max_bins=255,
        categorical_features=None,
        min_samples_category=10,
        max_split_categories=4,
        category_smoothing=20.0,
        monotonic_cst=None,
        penalty=None,
        nodes=(1, 2, 4, 8, 16, 32),
        bounds=(1.0,),
        q=2.0,
        n_candidates=None,
        power=None,
        early_stopping=None,
        validation_fraction=0.1,
        n_iter_no_change=10,
        tol=1e-7,
        warm_start=False,
        random_state=None,
        n_jobs=None,
        verbose=0,
        class_weight=None,
    ):
        super().__init__(
            loss=loss,
            learning_rate=learning_rate,
            n_estimators=n_estimators,
            min_samples_leaf=min_samples_leaf,
            min_gain=min_gain,
            l2_regularization=l2_regularization,
            max_bins=max_bins,
            categorical_features=categorical_features,
            min_samples_category=min_samples_category,
            max_split_categories=max_split_categories,
            category_smoothing=category_smoothing,
            monotonic_cst=monotonic_cst,
            penalty=penalty,
            nodes=nodes,
            bounds=bounds,
            q=q,
            n_candidates=n_candidates,
            power=power,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            tol=tol,
            warm_start=warm_start,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.class_weight = class_weight
