"""What all estimators have in common: from a table to the runs of the loop, and to the model at any iteration."""

import warnings
from functools import partial
from itertools import zip_longest

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from coordboost._checks import not_negative, positive
from coordboost.data import validation
from coordboost.data.trees import trees
from coordboost.estimators import tables
from coordboost.estimators.callbacks import Watching, with_callbacks
from coordboost.estimators.model import HeldBack, Model, added_up, agreed
from coordboost.estimators.names import all_or_nothing
from coordboost.estimators.parameters import Parameters
from coordboost.exports import lightgbm_text
from coordboost.outcome import Status
from coordboost.problem import Problem
from coordboost.run import solve


class Boosted(Parameters):
    """An estimator but for its loss and target (a task) and its method (a machine)."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = tags.target_tags.required = True
        return tags

    @all_or_nothing
    @with_callbacks
    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None, sample_weight_val=None):
        """Fit the model.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, (n_samples, n_features)
            NaN is missing.
        y : array_like, (n_samples,)
        sample_weight : array_like, (n_samples,), optional
            Multiplies the terms of the loss. Rows of weight 0 are left out.
        X_val, y_val, sample_weight_val : optional
            Rows for early stopping, in the place of some of X.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            In one sentence: what was expected, and what was given.

        Warns
        -----
        ConvergenceWarning
            Where the run diverged: the iterations made are kept.
        """
        n_iter, again = validation.whole("n_estimators", self.n_estimators, 1), self.warm_start and hasattr(self, "runs_")
        given, X = (X, y, sample_weight), tables.checked_table(self, X, reset=not again)
        X, y, weight = tables.counting(X, self._read(X, y, again), tables.weights(X, sample_weight))
        if not again:
            self._seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        held, (X, y, weight) = self._held_back((X, y, weight), (X_val, y_val, sample_weight_val))
        if again:
            self._check_same(X, y, weight, n_iter)
            begun = [(run.problem, run.method, run.resume) for run in self.runs_]
        else:
            begun = self._begin(X, y, weight)
        self._steps = (begun[0][1].step).phases
        done = [run.n_steps for run in self.runs_] if again else [0] * len(begun)
        held = None if held is None else self._beside(*held, begun[0][0].binning)
        runs, rules, watching = [], [], Watching(self, given, len(begun), n_iter - min(done) // self._steps)
        for k, (problem, method, run) in enumerate(begun):
            rules.append(self._rule(held, k, problem, method))
            watched = watching.rule(method, n_iter - done[k] // self._steps, self._steps)
            runs.append(run(n_iter * self._steps - done[k], stop=[rule for rule in (rules[-1], watched) if rule]))
            if watched:
                watched.close()
        self._settle(runs, rules)
        watching.close()
        return self

    def _begin(self, X, y, weight):
        """What is run for each target: the problem, the method, and a function of the number of steps."""
        loss = self._loss()
        newton = self._newton(loss)
        family = self._family(X, newton)
        positive("learning_rate", self.learning_rate, 2, "between 0 and 2")
        sigma = loss.sigma
        rate = self.learning_rate / (1.0 if newton or sigma is None else sigma)
        family, y, weight = self._alike(family, y, weight)
        self._begun_with, self._begun_on = self.settings(), tables.fingerprint(y, weight)
        problems = [Problem(family, one, loss, sample_weight=weight) for one in self._targets(y)]
        method = self._method(problems[0], rate)
        return [(problem, method, partial(solve, problem, method, rng=self._seed)) for problem in problems]

    def _family(self, X, newton):
        """The trees that may be grown."""
        return trees(
            X, max_depth=self.max_depth, max_leaves=self.max_leaf_nodes, min_samples=self.min_samples_leaf, min_gain=self.min_gain,
            l2=self.l2_regularization, monotone=self.monotonic_cst, newton=newton, max_bins=self.max_bins,
            categorical=tables.names_or_places(self.categorical_features),
        )  # fmt: skip

    def _alike(self, family, y, weight):
        """Trees, targets and weights as the run takes them."""
        return family, y, weight

    def _check_same(self, X, y, weight, n_iter):
        """Refuse to go on with a run under another setting or on other data."""
        problem, now = self.runs_[0].problem, self.settings()
        changed = [key for key, value in now.items() if repr(value) != repr(self._begun_with[key])]
        if changed:
            raise ValueError(f"warm_start goes on with the same run, but {changed[0]} is another; pass warm_start=False.")
        own = problem.dictionary.family
        family, y, weight = self._alike(own.at(problem.binning.bin(X)), y, weight)
        if tables.fingerprint(y, weight) != self._begun_on or not np.array_equal(family.binned.codes, own.binned.codes):
            raise ValueError(
                "warm_start goes on with the same run, but X, y or sample_weight are others; pass warm_start=False."
            )
        made = max(run.n_steps for run in self.runs_) // self._steps
        if n_iter < made:
            raise ValueError(f"n_estimators={n_iter} is less than the {made} iterations made; pass warm_start=False.")

    def _held_back(self, data, given):
        """Rows for early stopping (None: all are for the fit), and the rows to fit."""
        if any(one is not None for one in given):
            if given[0] is None or given[1] is None:
                raise ValueError(f"X_val and y_val come together: {'X_val' if given[0] is None else 'y_val'} is missing.")
            X = tables.checked_table(self, given[0])
            weight = tables.weights(X, given[2], "sample_weight_val")
            return tables.counting(X, self._read(X, given[1], True), weight), data
        if not validation.flag("early_stopping", self.early_stopping):
            return None, data
        fit, held = tables.held_apart(len(data[1]), self.validation_fraction, self._strata(data[1]), self._seed)
        return tables.rows(held, *data), tables.rows(fit, *data)

    def _beside(self, X, y, weight, binning):
        """Rows for early stopping as rules take them: in bins, the targets of all runs, weights. Made once for all classes."""
        return binning.bin(X), self._targets(y, beside=True), weight

    def _rule(self, held, k, problem, method):
        """The stop rule of the k-th run, or None."""
        if held is None:
            return None
        rows, targets, weight = held
        patience, tol = validation.whole("n_iter_no_change", self.n_iter_no_change, 1), not_negative("tol", self.tol)
        return HeldBack(rows, targets[k], weight, problem, method, patience, tol, self._steps)

    def _settle(self, runs, rules):
        """Keep the runs, and the best iteration of each."""
        for run in runs:
            if run.status is Status.DIVERGED:
                words = f"{run.message}: {run.n_steps // self._steps} iterations; try a smaller learning_rate."
                warnings.warn(words, ConvergenceWarning, stacklevel=4)
        for run, rule in zip(runs, rules, strict=True):
            if rule is not None:
                rule.finish(run)
        n_iter = [run.n_steps // self._steps for run in runs]
        if rules[0] is not None:
            n_iter, self.validation_score_ = agreed(rules)
        else:
            vars(self).pop("validation_score_", None)  # of an earlier fit
        self.runs_, self.n_iter_ = runs, max(n_iter)
        self._models = [Model(run, n, self._steps) for run, n in zip(runs, n_iter, strict=True)]

    def _used_loss(self):
        return self.runs_[0].problem.loss

    @property
    def run_(self):
        """The run behind the model, where there is one."""
        check_is_fitted(self)
        if len(self.runs_) > 1:
            raise AttributeError(f"there are {len(self.runs_)} runs, one for each class: see runs_.")
        return self.runs_[0]

    @property
    def train_score_(self):
        """Minus the mean loss of the fit rows after 0, 1, ... iterations. *Cost*: each tree once on each row."""
        check_is_fitted(self)
        return -added_up([model.losses() for model in self._models])

    @property
    def feature_importances_(self):
        """The gains of all splits by a feature in the trees of the model, (n_features,), as parts of 1; 0 where nothing was split."""
        check_is_fitted(self)
        gains = sum(model.gains() for model in self._models)
        return gains / (gains.sum() or 1.0)

    def lightgbm_text(self):
        """The model at its best iteration as a model file of LightGBM, a str: see ``coordboost.lightgbm_text``.

        Raises
        ------
        ValueError
            For three classes or more: each has a run and a model of its own.
        """
        check_is_fitted(self)
        if len(self.runs_) > 1:
            raise ValueError(
                f"there are {len(self.runs_)} models, one for each class; give coordboost.lightgbm_text one of runs_."
            )
        return lightgbm_text(self.run_, self._models[0].beta)

    def _bins(self, X):
        """New rows in the bins of the fit."""
        check_is_fitted(self)
        return self.runs_[0].problem.binning.bin(tables.checked_table(self, X))

    def _raw(self, X):
        """Predictions of all models before they mean anything, (n_samples, n_models)."""
        binned = self._bins(X)
        return np.column_stack([model.raw(binned) for model in self._models])

    def _staged_raw(self, X):
        """The same after each iteration; a model that has no more iterations stays as it is."""
        binned = self._bins(X)
        last = [np.full(binned.codes.shape[1], model.run.problem.offset) for model in self._models]
        for stage in zip_longest(*(model.staged(binned) for model in self._models)):
            last = [old if new is None else new for old, new in zip(last, stage, strict=True)]
            yield np.column_stack(last)
