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
from coordboost.estimators.base import some_rows
from coordboost.lasso.multinomial import class_offset, multinomial_path
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
        """As for one model; of several classes the first against the rest, without the offset."""
        if self._joint:
            y, offset = np.where(y == 0, 1.0, -1.0), None
        return super()._problem(X, y, weight, offset)

    def _check_offset(self, X, offset):
        if not self._joint or offset is None:
            return super()._check_offset(X, offset)
        return class_offset(offset, X.shape[0], self.classes_)

    def _with_offset(self, raw, offset, X):
        if not self._joint or offset is None:
            return super()._with_offset(raw, offset, X)
        return raw + class_offset(offset, len(raw), self.classes_, X)

    def _joint_path(self, problem, y, grid, l1_ratio, offset):
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
            offset=offset,
        )
        return replace(path, classes=self.classes_)

    def _probabilities(self, raw):
        return softmax(raw, axis=1) if self._joint else super()._probabilities(raw)


class JointAtOnePenalty(JointClasses):
    """Mixin of classifiers at one penalty."""

    def _choose(self, X, y, weight, offset, folds):
        if not self._joint:
            return super()._choose(X, y, weight, offset, folds)
        problem = self._problem(X, y, weight, None)
        path = self._joint_path(problem, y, self._grid(), self.l1_ratio, offset)
        return path, PathPoint(step=0)


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
        options = {"measure": measure, "offset": offset, "n_threads": n_threads}
        given = self.classes_[y], validation.sample_weight(weight, len(y)), folds
        paths = []
        found = []
        for l1_ratio in self._l1_ratios():
            path = self._joint_path(problem, y, self._grid(), l1_ratio, offset)
            grid = {"alphas": path.alphas}

            def walked(k, grid=grid, l1_ratio=l1_ratio):
                fit, held_out = folds[k]
                known = None if offset is None else offset[fit]
                own = self._joint_path(fold(k), y[fit], grid, l1_ratio, known)
                return own, some_rows(held_out, rows)[0]

            paths.append(path)
            found.append(of_folds(walked, *given, **options))
        return paths, found
