"""The classifiers of the Lasso family with `multinomial`: several classes as one model, whose path
has one penalty and one certificate for all of them.
"""

from dataclasses import replace
from functools import cache

import numpy as np
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from scipy.special import softmax

from coordboost._utils.checks import shown
from coordboost.data import validation
from coordboost.estimators.base import check_one_model, some_rows
from coordboost.lasso.multinomial import multinomial_path
from coordboost.losses.standard import Logistic
from coordboost.model_selection.validate import RULES, measure_of, of_folds
from coordboost.paths.places import PathPoint


class JointClasses:
    """Mixin of classifiers with a parameter `multinomial`."""

    def _check_parameters(self):
        super()._check_parameters()
        if validation.flag("multinomial", self.multinomial) and not isinstance(
            self._get_loss(), Logistic
        ):
            raise ValueError(
                f"multinomial=True is for Logistic(), got loss={shown(self.loss)}: leave one of "
                "them out."
            )
        if self.multinomial and self.adaptive is not None:
            raise ValueError(
                "multinomial=True is not adaptive: leave out adaptive, or fit one model for each "
                "class."
            )

    @property
    def _joint(self):
        return bool(self.multinomial) and len(self.classes_) > 2

    def _encode(self, y, complete=True):
        targets = super()._encode(y, complete)
        return [y] if self._joint else targets

    def _problem(self, X, y, weight, offset):
        """As for one model; of several classes the first against the rest."""
        return super()._problem(
            X, np.where(y == 0, 1.0, -1.0) if self._joint else y, weight, offset
        )

    def _choose(self, X, y, weight, offset, folds):
        if self._joint and offset is not None:
            check_one_model(len(self.classes_))
        return super()._choose(X, y, weight, offset, folds)

    def _joint_path(self, problem, y, grid, l1_ratio):
        """The path of all classes; y : their numbers, (n_samples,)."""
        path = multinomial_path(
            problem,
            y,
            **grid,
            l1_ratio=l1_ratio,
            tol=self.tol,
            penalty_factor=self._factors(problem),
            lower_limits=self.lower_limits,
            upper_limits=self.upper_limits,
            positive=self.positive,
            unit_columns=False,
            fit_intercept=self.fit_intercept,
        )
        return replace(path, classes=self.classes_)

    def _probabilities(self, raw):
        return softmax(raw, axis=1) if self._joint else super()._probabilities(raw)


class JointAtOnePenalty(JointClasses):
    """Mixin of classifiers at one penalty."""

    def _choose(self, X, y, weight, offset, folds):
        if not self._joint:
            return super()._choose(X, y, weight, offset, folds)
        if offset is not None:
            check_one_model(len(self.classes_))
        problem = self._problem(X, y, weight, None)
        return self._joint_path(problem, y, self._grid(), self.l1_ratio), PathPoint(step=0)


class JointOnGrid(JointClasses):
    """Mixin of classifiers whose penalty is chosen by cross-validation."""

    def _check_parameters(self):
        super()._check_parameters()
        if not self.multinomial:
            return
        relaxed = validation.as_array("gamma", self.gamma)
        if (relaxed != 1).any() or self.rule not in RULES:
            raise ValueError(
                "multinomial=True is chosen by the losses of folds, and not relaxed: leave out "
                "gamma, and take rule='best' or 'one_se'."
            )

    def _cross_validate(self, problem, X, y, weight, offset, folds):
        if not self._joint:
            return super()._cross_validate(problem, X, y, weight, offset, folds)
        measure = measure_of(self.scoring, self.classes_)
        rows = self._quick_rows(X)

        @cache
        def fold(k):
            return self._problem(*some_rows(folds[k][0], rows, y, weight, None))

        n_threads = effective_n_jobs(None if self.n_jobs is None else int(self.n_jobs))
        given = self.classes_[y], validation.sample_weight(weight, len(y)), folds
        paths = []
        found = []
        for l1_ratio in self._l1_ratios():
            path = self._joint_path(problem, y, self._grid(), l1_ratio)
            grid = {"alphas": path.alphas}

            def walked(k, grid=grid, l1_ratio=l1_ratio):
                fit, held_out = folds[k]
                own = self._joint_path(fold(k), y[fit], grid, l1_ratio)
                return own, some_rows(held_out, rows)[0]

            paths.append(path)
            found.append(of_folds(walked, *given, measure=measure, n_threads=n_threads))
        return paths, found
