"""The objective of a Lasso path: a problem, and the penalty on its scaled columns.

The columns are scaled so that every penalised one has the same l1 penalty. Solvers see the scaled
columns and this penalty only.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coordboost._numba.threads import slices
from coordboost._utils.checks import shown
from coordboost.certificates.objectives import Evaluation
from coordboost.data import validation
from coordboost.data.problem import Problem
from coordboost.lasso.columns import ScaledColumns, full_rows
from coordboost.lasso.grid import LassoPath
from coordboost.lasso.inputs import (
    checked_ratio,
    given_penalties,
    lasso_problem,
    limits_of,
    on_scale_of_x,
    penalty_grid,
)
from coordboost.lasso.penalty import Penalty
from coordboost.lasso.unpenalised import Unpenalised
from coordboost.paths.intercept import Shifts, best_shift

#: Smaller l1_ratios above 0 have the default grid of this one.
SMALLEST_RATIO = 1e-3
#: If the l1 penalties of the columns differ by more than this factor, gaps are those of
#: certificates.
UNEVEN = 1e6
#: Models whose norms are computed at a time.
FEW_MODELS = 8
#: Beside columns without a penalty correlations up to this many roundings are those of copies of
#: these: the default grid does not go there.
BESIDE = 1e8
#: Residuals whose sum is this part of the sum of their sizes have the best intercept.
BALANCED = 1e-10


@dataclass(frozen=True, eq=False)
class Objective:
    r"""The loss of a problem plus
    :math:`\alpha \sum_j f_j (\rho |w_j| + (1 - \rho) w_j^2 / 2)`, within limits.

    Attributes
    ----------
    problem : Problem
    factors : ndarray, (2, n_learners)
        Of the absolute values and of the squares: f, or two different ones.
    limits : ndarray, (2, n_columns)
        Lower and upper limits of the coefficients of the columns of X.
    l1_ratio : float
        rho.
    free_intercept : bool
        Whether the intercept is fitted at every alpha, for a loss other than the squared one.
    inverse_price : ndarray, (n_learners,)
        1 over the l1 penalty of a coefficient of a unit column, at alpha = 1; the largest of these
        for columns without a penalty.
    unit : float
        The largest of them.
    """

    problem: Problem
    factors: np.ndarray
    limits: np.ndarray
    l1_ratio: float
    free_intercept: bool
    inverse_price: np.ndarray
    unit: float

    @classmethod
    def checked(
        cls,
        X,
        y,
        *,
        loss,
        sample_weight,
        penalty_factor,
        lower_limits,
        upper_limits,
        positive,
        l1_ratio,
        unit_columns,
        fit_intercept,
        refit_intercept,
        offset,
        gram,
    ):
        """The objective for the arguments of ``lasso_path``; raise a ValueError for bad ones.

        gram : whether the solver may need only the Gram matrix of a tall table
        """
        problem, inverse_price, factors = lasso_problem(
            "lasso_path",
            X,
            y,
            sample_weight,
            penalty_factor,
            loss,
            unit_columns,
            fit_intercept,
            offset,
            gram=gram,
        )
        l1_ratio = checked_ratio(l1_ratio)
        limits = limits_of(
            lower_limits,
            upper_limits,
            validation.flag("positive", positive),
            problem,
        )
        refit_intercept = validation.flag("refit_intercept", refit_intercept)
        free_intercept = refit_intercept and not problem.loss.quadratic
        return cls.of(problem, inverse_price, factors, limits, l1_ratio, free_intercept)

    @classmethod
    def of(cls, problem, inverse_price, factors, limits, l1_ratio, free_intercept):
        """The objective, with columns of infinite factors left out; raise a ValueError for columns
        without a penalty that have limits.
        """
        left_out = np.isinf(factors[0])
        factors = np.where(left_out, 1.0, factors)
        limits[:, problem.standardization.kept[left_out]] = 0.0
        penalised = factors[0] > 0
        limits_of_unpenalised = limits[:, problem.standardization.kept[~penalised]]
        if not np.isinf(limits_of_unpenalised).all():
            raise ValueError(
                "penalty_factor may be 0 only in columns without limits (lower_limits, "
                "upper_limits, positive). Use 1e-6 instead, and pass alphas: the default ones "
                "begin where such a column enters."
            )
        unit = float(inverse_price[penalised].max(initial=0.0)) or 1.0
        inverse_price[~penalised] = unit
        return cls(problem, factors, limits, l1_ratio, free_intercept, inverse_price, unit)

    @classmethod
    def plain(cls, problem, free_intercept):
        """The objective of the Lasso on the unit columns, without factors and limits."""
        n = problem.n_learners
        limits = np.full((2, n), math.inf) * [[-1.0], [1.0]]
        return cls(problem, np.ones((2, n)), limits, 1.0, free_intercept, np.ones(n), 1.0)

    @property
    def squared(self):
        """Whether the loss is the squared one."""
        return self.problem.loss.quadratic

    @cached_property
    def limited(self):
        """Whether any coefficient has a finite limit."""
        return bool(np.isfinite(self.limits).any())

    @cached_property
    def penalised(self):
        """Which learners have a penalty, (n_learners,)."""
        return self.factors[0] > 0

    @cached_property
    def unpenalised(self):
        """The columns without a penalty, `Unpenalised`; None where there are none, and for the
        squared loss, whose `ScaledColumns` are minus their projection on these.
        """
        if self.squared or self.penalised.all():
            return None
        return Unpenalised(self.problem, np.flatnonzero(~self.penalised), self.free_intercept)

    @property
    def uneven(self):
        """Whether the penalties of the columns differ by many powers of ten."""
        inverse_price = self.inverse_price[self.penalised]
        return inverse_price.max(initial=0.0) > UNEVEN * inverse_price.min(initial=math.inf)

    @cached_property
    def scale(self):
        """Factors of the unit columns, (n_learners,): the largest of a penalised column is 1."""
        return self.inverse_price / self.unit

    @property
    def _total(self):
        return float(self.problem.weight.sum())

    @cached_property
    def _square_factors(self):
        """Factors of the squares of coefficients, where abs values have factor 1.

        They are (n_learners,); 1 without a penalty.
        """
        ones = np.ones(self.problem.n_learners)
        return np.divide(self.factors[1], self.factors[0] ** 2, out=ones, where=self.penalised)

    def columns(self, products=None):
        """The scaled columns, with the penalty at lam = 1."""
        standardization = self.problem.standardization
        l1_share = self.l1_ratio or 1.0
        ridge_per_l1 = 1 / l1_share - self.l1_ratio / l1_share
        ridge = ridge_per_l1 / self.unit * self._square_factors
        by_column = standardization.norm / self.inverse_price * self.unit
        lower, upper = self.limits[:, standardization.kept] * by_column
        apart = self.unpenalised is not None
        if apart:  # their coefficients are found apart from those of the others
            lower[~self.penalised] = 0.0
            upper[~self.penalised] = 0.0
        limited = self.limited or apart
        penalty = Penalty(float(self.l1_ratio > 0), ridge, lower, upper, self.l1_ratio < 1, limited)
        return ScaledColumns(
            self.problem,
            self.scale,
            penalty,
            weighted=self.squared,
            products=products,
            unpenalised=np.flatnonzero(~self.penalised) if self.squared else (),
        )

    def start(self, columns):
        """The correlations of the columns with the residual of the constant model, (n_learners,).

        An intercept that is free has its best value there, also where the problem has none. Of
        columns without a penalty the model has the best coefficients, and their correlations are 0.
        """
        if self.squared:
            return columns.zero
        if self.unpenalised is not None:
            start = self.unpenalised.basis @ self.unpenalised.start
            return np.where(self.penalised, columns.scan(self.problem.resid(start)), 0.0)
        return columns.scan(self.resid_of_constant())

    def resid_of_constant(self):
        """The pseudo-residual of the constant model, with the best constant if it is free."""
        pred = np.zeros(self.problem.n_samples)
        resid = self.problem.resid(pred)
        if self.free_intercept and abs(resid.sum()) > BALANCED * np.abs(resid).sum():
            resid = self.problem.resid(pred + best_shift(self.problem, pred))
        return resid

    def grid(self, columns, start, alphas, n_alphas, eps):
        """The penalties, decreasing: those given, or the default ones.

        Parameters
        ----------
        columns : ScaledColumns
        start : ndarray, (n_learners,)
            The correlations at 0.
        alphas, n_alphas, eps
            As for ``lasso_path``.
        """
        if alphas is not None:
            return given_penalties(alphas)
        alpha_unit = self.unit / self._total / max(self.l1_ratio, SMALLEST_RATIO)
        rounding = self._rounding_of_corr * alpha_unit
        if self.unpenalised is not None:
            rounding *= BESIDE
        # limits may keep all coefficients at 0
        tops = (
            float(size.max()) * alpha_unit for size in (columns.penalty.size(start), np.abs(start))
        )
        top = next((top for top in tops if top > rounding), 0.0)
        ridge_size = self.ridge_size() if self.l1_ratio == 0 else None
        if ridge_size == math.inf:
            raise ValueError(
                "the squared norms of the columns of X are beyond the range of float64; pass "
                "alphas, or rescale the columns."
            )
        return penalty_grid(n_alphas, eps, top, rounding, ridge_size)

    def ridge_size(self):
        """The centre of the default grid of ridge: the sum of the squared norms of the columns,
        over n_samples.
        """
        with np.errstate(over="ignore"):
            return float(np.sum(self.inverse_price[self.penalised] ** 2)) / self._total

    def need_positive(self, alphas):
        """Raise a ValueError if the last penalty is 0 and there may be no optimum for it."""
        if (not self.squared or self.l1_ratio == 0) and alphas[-1] == 0:
            what = shown(self.problem.loss) if self.l1_ratio else "ridge, l1_ratio = 0"
            raise ValueError(
                f"alphas must be > 0 for {what}: without a penalty there may be no optimum."
            )

    def with_unpenalised(self, columns, solved):
        """The models of a `Solved`, with the best coefficients of the columns without a penalty."""
        if len(columns.unpenalised):
            return solved._replace(
                coefs=solved.coefs + columns.unpenalised_part(solved.coefs),
                n_scans=solved.n_scans + columns.n_projected,
            )
        if self.unpenalised is None:
            return solved
        coefs, shifts = self.unpenalised.beside(columns, solved.coefs)
        n_scans = solved.n_scans + len(self.unpenalised.ends)
        return solved._replace(coefs=solved.coefs + coefs, shifts=shifts, n_scans=n_scans)

    def lams(self, alphas):
        """The penalties on the scaled columns, in sums over the samples."""
        return alphas * (self.l1_ratio or 1.0) * self._total / self.unit

    @cached_property
    def _at_zero(self):
        """The model with coefficients 0, without its correlations."""
        problem = self.problem
        pred = np.zeros(problem.n_samples)
        beta = np.zeros(problem.n_learners)
        return Evaluation(beta, pred, problem.start_loss, problem.resid(pred), None)

    @cached_property
    def _rounding_of_corr(self):
        return self._at_zero.rounding_of_corr(self.problem)

    def rounding(self, coefs):
        """Bound of what rounding adds to a gap, relative to the loss at 0, (n_alphas,).

        It is the rounding of predictions and correlations.

        Parameters
        ----------
        coefs : CSR array, (n_alphas, n_learners)
            Coefficients of the scaled columns.
        """
        problem = self.problem
        scale = np.abs(self.scale)
        rows = full_rows(coefs)
        if rows is None:
            number = np.repeat(np.arange(coefs.shape[0]), np.diff(coefs.indptr))
            sizes = np.abs(coefs.data) * scale[coefs.indices]
            l1 = np.bincount(number, sizes, coefs.shape[0])
        else:  # a few at a time, a dense array needs no copy
            buffer = np.empty((FEW_MODELS, rows.shape[1]))
            some = slices(len(rows), FEW_MODELS)
            sizes = (np.abs(rows[part], out=buffer[: len(rows[part])]) for part in some)
            l1 = np.concatenate([size @ scale for size in sizes])
        size = self._rounding_of_corr * l1 + self._at_zero.sums(problem)
        return 2 * size / problem.start_excess if problem.start_excess > 0 else 0 * size

    def path(self, alphas, solved, solver):
        """The path of the models of a `Solved`, whose gaps do not yet include rounding."""
        problem = self.problem
        gaps = solved.gaps + self.rounding(solved.coefs)
        models, intercepts = on_scale_of_x(problem, self.scale, solved.coefs)
        if self.limited:
            models.data = np.clip(models.data, *self.limits[:, models.indices])  # rounding
        if self.free_intercept:
            intercepts = intercepts + self._shifts(solved, models)
        return LassoPath(
            problem,
            alphas[: len(gaps)],
            models,
            intercepts,
            gaps,
            solved.n_scans + 1,
            solver,
            self.factors_of_x(),
            self.limits,
            self.l1_ratio,
            free=self.free_intercept,
        )

    def _shifts(self, solved, models):
        """The best intercepts, less that at the start, (n_alphas,): those that are not known yet
        are searched.
        """
        shifts = np.full(models.shape[0], np.nan) if solved.shifts is None else solved.shifts
        search = Shifts(self.problem)
        for k in np.flatnonzero(np.isnan(shifts)):
            beta = self.problem.unit(models[[k]].toarray()[0])
            shifts[k] = search.beside(self.problem.combine(beta))
        return shifts

    def factors_of_x(self):
        """Factors of the coefficients of X in the penalty, (2, n_columns): of abs values, squares.

        1 for columns without a learner.
        """
        standardization = self.problem.standardization
        of_abs = np.where(self.penalised, standardization.norm / self.inverse_price, 0.0)
        factors = np.ones((2, standardization.n_columns))
        factors[:, standardization.kept] = of_abs, of_abs**2 * self._square_factors
        return factors
