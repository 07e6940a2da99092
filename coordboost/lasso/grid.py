"""Lasso models along a grid of penalties, as a path."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse

from coordboost._utils.checks import real
from coordboost.certificates import judged
from coordboost.certificates.objectives import L1Penalty, Priced
from coordboost.data import validation
from coordboost.data.frames import listed
from coordboost.data.problem import Problem, columns_as_in
from coordboost.lasso.columns import full_rows
from coordboost.lasso.relaxed import refitted
from coordboost.lasso.unpenalised import Unpenalised
from coordboost.paths.freedom import active_rank, shrunken_rank
from coordboost.paths.intercept import Farthest, certified
from coordboost.paths.places import PiecewiseLinear


def columns_in_use(models):
    """Return the columns of a CSR array that have stored entries, increasing, and the array of
    these columns alone.
    """
    met = np.zeros(models.shape[1], dtype=bool)
    met[models.indices] = True
    used = np.flatnonzero(met)
    place = np.cumsum(met) - 1
    return used, scipy.sparse.csr_array(
        (models.data, place[models.indices], models.indptr), shape=(models.shape[0], len(used))
    )


class GridPath(PiecewiseLinear):
    """Models along a grid of penalties, the points of a path.

    Subclasses have `problem`, ``alphas`` (decreasing), ``models`` (a CSR array with the same number
    of rows for each alpha, its classes), ``intercepts``, ``gaps``, ``factors`` and
    ``certificate(step)``.
    """

    problem: Problem
    alphas: np.ndarray
    models: scipy.sparse.csr_array
    intercepts: np.ndarray
    gaps: np.ndarray
    factors: np.ndarray

    @property
    def penalty_units(self):
        """The scaling of the columns whose coefficients are in the penalty, in words."""
        standardization = self.problem.standardization
        of_unit = self.factors[0, standardization.kept] / standardization.norm
        if np.allclose(of_unit, 1, rtol=1e-9):
            return "unit columns"
        if np.allclose(of_unit, self.problem.total_weight**-0.5, rtol=1e-9):
            return "columns of sd 1"
        return "original units" if (self.factors[0] == 1).all() else "times its factors"

    @property
    def _lams(self):
        return self.alphas * self.problem.total_weight

    def _starts_at_zero(self):
        return not self._coef(0).any()

    def _model(self, place):
        before, after, share = self._mixture(place)
        if share == 1 or before == after:
            return self._coef(after), self._intercept(after)
        coef = (1 - share) * self._coef(before) + share * self._coef(after)
        return coef, (1 - share) * self._intercept(before) + share * self._intercept(after)

    def _coef(self, k):
        """Coefficients at the alpha number `k`, (n_columns,) or (n_classes, n_columns)."""
        models = self.models
        n_models = models.shape[0] // len(self.alphas)
        coef = np.zeros((n_models, models.shape[1]))
        for row, own in enumerate(coef, n_models * k):
            entries = slice(models.indptr[row], models.indptr[row + 1])
            own[models.indices[entries]] = models.data[entries]
        return coef if self.intercepts.ndim > 1 else coef[0]

    def _intercept(self, k):
        """The intercept at the alpha number `k`, or those of the classes, (n_classes,)."""
        return self.intercepts[k] if self.intercepts.ndim > 1 else float(self.intercepts[k])

    def _staged(self, X):
        """As for every path, but for all alphas in one product with the columns in use."""
        if self.problem.learners.at:
            return np.array(list(super()._staged(X)))
        X = columns_as_in(X, self.problem)
        used, coefs = columns_in_use(self.models)
        pred = np.ascontiguousarray(coefs.toarray() @ X.part(used, slice(None)).T)
        pred = (pred + self.intercepts.reshape(-1, 1)).reshape(*self.intercepts.shape, -1)
        return pred if pred.ndim == 2 else pred.swapaxes(1, 2)

    def order_of_entry(self):
        """Columns of X in the order in which a coefficient of theirs leaves 0, (n_entered,).

        At one alpha the largest in the penalty first.
        """
        models = self.models.tocoo()
        used = models.data != 0
        rows, columns = models.coords
        point = rows[used] // (models.shape[0] // self.n_points)
        columns = columns[used]
        entry = np.full(models.shape[1], self.n_points)
        np.minimum.at(entry, columns, point)
        sizes = self.factors[0, columns] * np.abs(models.data[used])
        size = np.zeros(models.shape[1])
        np.maximum.at(size, columns, np.where(point == entry[columns], sizes, 0.0))
        entered = np.flatnonzero(entry < self.n_points)
        return entered[np.lexsort((-size[entered], entry[entered]))]

    def profile(self):
        """Numbers for ``to_frame``.

        A dict of arrays (n_points,), and the coefficients (n_points, n_columns), of several classes
        those of the first class first.
        """
        l1 = self.l1
        return {
            "step": np.arange(len(l1)),
            "l1": l1,
            "fraction": l1 / (l1[-1] or 1.0),
            "alpha": self.alphas,
            **self._deviance(self.losses),
            "gap": self.gaps,
            "intercept": self.intercepts,
        }, self._coefs_of_points()

    def _place(self, step):
        """Check the number of an alpha, and return it as an int >= 0."""
        n = len(self.alphas)
        place = real(
            "step",
            step,
            lambda k: k == int(k) and -n <= k < n,
            f"the index of an alpha, from {-n} to {n - 1}",
        )
        return int(place) % n

    def certificate_at(self, place):
        """The certificate at a ``PathPoint``, which must be an alpha of the grid."""
        _, after, share = self._mixture(place)
        if share < 1:
            raise ValueError(
                "a grid has certificates at its own alphas only; put the alpha into the grid."
            )
        return self.certificate(after)


#: The fields of a ``LassoPath`` with two numbers for each column.
BY_COLUMN = ("factors", "limits")


@dataclass(frozen=True, eq=False)
class LassoPath(GridPath):
    r"""Lasso models along a grid, the points of a path.

    They minimise :math:`\frac{1}{n}\sum_i \ell(y_i, b + x_i w) + \alpha \sum_j f_j |w_j|`.

    alphas : (n_alphas,), decreasing
    coefs : (n_features, n_alphas), on the scale of X
    intercepts : (n_alphas,)
    models : the coefficients again, a CSR array (n_alphas, n_features)
    gaps : (n_alphas,), certified duality gaps relative to the loss at 0, rounding included
    n_scans : scans of all learners, a partial scan counts as its share
    solver : which one ran
    problem : the Problem
    factors : (2, n_features), factors of abs(w_j) and w_j^2 in the penalty
    l1_ratio : below 1 the elastic net
    limits : (2, n_features), lower and upper limits of the coefficients
    message : "complete"; "not reached" and the largest gap, if that is above `tol`; or what ended
        the path before its last alpha, where
        the models before are valid
    free : whether the intercept is fitted at every alpha, for a loss other than the squared one
    gamma : the weight of the Lasso fit in each model; the rest is the weight of the fit without a
        penalty, see ``relaxed``
    beneath : the path of the Lasso itself, if this one is relaxed
    stopped : (n_alphas,), whether the limit of steps ended the fit without a penalty before its
        optimum; None if not relaxed
    given : what the problem is given, in words, such as penalty factors from a first fit;
        certificates say so
    """

    problem: Problem
    alphas: np.ndarray
    models: scipy.sparse.csr_array
    intercepts: np.ndarray
    gaps: np.ndarray
    n_scans: int
    solver: str
    factors: np.ndarray
    limits: np.ndarray
    l1_ratio: float = 1.0
    message: str = "complete"
    free: bool = False
    gamma: float = 1.0
    beneath: "LassoPath | None" = None
    stopped: np.ndarray | None = None
    given: str = ""

    def __repr__(self):
        largest = self.gaps.max(initial=0.0)
        ended = "" if self.message == "complete" else f"; {self.message}"
        ended = ended if self.beneath is None else f"; relaxed, gamma = {self.gamma:g}{ended}"
        return (
            f"LassoPath({len(self.alphas)} alphas, {self.penalty_units}, {self.solver}, "
            f"{self.n_scans} scans, "
            f"relative gaps <= {largest:.1e}{ended})"
        )

    @property
    def left_out(self):
        """Names of the columns that are no part of the problem, a list: those of an infinite
        penalty factor, or with limits 0 and 0. Certificates name them.
        """
        outside = np.flatnonzero((self.limits == 0).all(axis=0))
        return [self.problem.column_names[j] for j in outside]

    @cached_property
    def coefs(self):
        """Coefficients on the scale of X, (n_features, n_alphas).

        They are a dense array that is made at first use; where `models` holds all coefficients, as
        for ridge, a view of these that is not writable.
        """
        rows = full_rows(self.models)
        if rows is None:
            return self.models.T.toarray()
        view = rows.T
        view.flags.writeable = False
        return view

    def _coefs_of_points(self):
        return self.coefs.T

    @property
    def l1(self):
        """The norm in the penalty, (n_alphas,): the sum of f_j |w_j|."""
        return self.factors[0] @ np.abs(self.coefs)

    def without_data(self):
        """The same path without the training data, as pickles of estimators hold it.

        It predicts at every penalty. What needs the data, such as a certificate, raises a
        ValueError.
        """
        beneath = None if self.beneath is None else self.beneath.without_data()
        return replace(self, problem=self.problem.without_data(), beneath=beneath)

    def __getstate__(self):
        """Return the state for copy and pickle: factors and limits that all columns share are one
        column.
        """
        state = dict(vars(self))
        for name in BY_COLUMN:
            rows = state[name]
            if (rows == rows[:, :1]).all():
                state[name] = rows[:, :1]
        return state

    def __setstate__(self, state):
        vars(self).update(state)
        for name in BY_COLUMN:
            rows = state[name]
            if rows.shape[1] == 1:
                vars(self)[name] = np.repeat(rows, self.models.shape[1], axis=1)

    @property
    def losses(self):
        """Sums of the losses on the rows of the fit at every alpha, (n_alphas,)."""
        problem = self.problem
        models = zip(self.coefs.T, self.intercepts, strict=True)
        return np.array(
            [
                problem.value(problem.combine(problem.unit(coef)) + self._shift(coef, b))
                for coef, b in models
            ]
        )

    def _shift(self, coef, intercept):
        """The intercept minus that of the constant prediction.

        The latter is what the problem gives for these coefficients.
        """
        return intercept - self.problem.raw(self.problem.unit(coef))[1]

    def relaxed(self, gamma=0.0):
        """The path of the relaxed Lasso.

        Each model is mixed with the fit without a penalty on its non-zero coefficients.

        Parameters
        ----------
        gamma : float, default 0
            The weight of the Lasso fit, from 0 to 1: 0 is the fit without a penalty, 1 the Lasso.

        Returns
        -------
        LassoPath
            At the same alphas, and within the same limits of the coefficients. Its ``gaps`` and
            certificates are those of the Lasso optimum, from which these models differ on purpose:
            the lower end is that of the Lasso beneath, and the upper end the objective of the Lasso
            at the relaxed model. ``message`` says "not reached" where the limit of steps ended a
            fit.

        Raises
        ------
        ValueError
            For a gamma below 0 or above 1.

        Notes
        -----
        *Cost*: one fit for each set of non-zero coefficients, by least squares or Newton's method,
        within the limits of the coefficients; all gammas share them. If there is no minimum without
        a penalty, as for linearly separable classes, the coefficients of the fit become large.

        *Source*: Meinshausen, *Relaxed Lasso* (2007); Hastie, Tibshirani, Tibshirani, *Best subset,
        forward stepwise or Lasso?* (2020), as ``relax = TRUE`` of R's glmnet.

        Examples
        --------
        >>> import coordboost as cb
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True)
        >>> path = cb.lasso_path(X, y, [0.5])
        >>> path.relaxed()
        LassoPath(1 alphas, unit columns, cd, 1 scans, relative gaps <= 3.6e-02; relaxed, gamma = 0)
        >>> path.relaxed().score(X, y) > path.score(X, y)
        array([ True])
        """
        gamma = real(
            "gamma",
            gamma,
            lambda number: 0 <= number <= 1,
            "from 0, the fit without a penalty, to 1, the Lasso",
        )
        if gamma == 1:
            return self
        models, intercepts, stopped = self._unpenalised
        mixed = self._within(gamma * self.models + (1 - gamma) * models)
        refits = replace(
            self,
            models=mixed,
            intercepts=gamma * self.intercepts + (1 - gamma) * intercepts,
            gamma=gamma * self.gamma,
            beneath=self.beneath or self,
            stopped=stopped,
        )
        message = self.message
        if stopped.any() and self.stopped is None:
            n = np.count_nonzero(stopped)
            late = (
                f"not reached: the limit of steps ended the fit without a penalty at {n} of "
                f"{len(stopped)} alphas"
            )
            message = late if message == "complete" else f"{message}; {late}"
        worse = (refits._objectives() - self._objectives()) / (self.problem.start_excess or 1.0)
        return replace(refits, gaps=self.gaps + np.maximum(worse, 0.0), message=message)

    def _within(self, models):
        """The coefficients of `models`, CSR (n_alphas, n_features), within their limits.

        They are moved to the limits where rounding passes them.
        """
        models = models.tocsr()
        models.data = np.clip(models.data, *self.limits[:, models.indices])
        return models

    @cached_property
    def _unpenalised(self):
        """The fits without a penalty on the non-zero coefficients of each model.

        Return (n_alphas, n_features) as CSR, their intercepts, and whether the limit of steps ended
        them, (n_alphas,) each.
        """
        problem = self.problem
        known = {}
        fits = []
        limits = self.limits[:, problem.standardization.kept] * problem.standardization.norm
        for coef, intercept in zip(self.coefs.T, self.intercepts, strict=True):
            key = np.flatnonzero(coef).tobytes()
            if key not in known:
                fit = refitted(
                    problem, problem.unit(coef), self._shift(coef, intercept), self.free, *limits
                )
                raw, start = problem.raw(fit.beta)
                known[key] = scipy.sparse.csr_array(raw[None]), start + fit.shift, not fit.reached
            fits.append(known[key])
        models, intercepts, stopped = zip(*fits, strict=True)
        return scipy.sparse.vstack(models, format="csr"), np.array(intercepts), np.array(stopped)

    def _objectives(self):
        """The objective of the Lasso at each model, in sums over samples, (n_alphas,)."""
        betas = np.abs([self.problem.unit(coef) for coef in self.coefs.T])
        prices = [self.target(k).prices(self.problem) for k in range(self.n_points)]
        return self.losses + [
            beta @ price + beta**2 @ ridge / 2
            for beta, (price, ridge) in zip(betas, prices, strict=True)
        ]

    def degrees_of_freedom(self):
        """Degrees of freedom at every alpha, without the intercept, (n_alphas,).

        For the squared loss: see ``coordboost.paths.freedom``.
        """
        if self.gamma < 1:
            raise ValueError(
                "degrees of freedom are not known for the relaxed Lasso; choose by "
                "cross-validation."
            )
        problem = self.problem
        standardization = self.problem.standardization
        betas = [problem.unit(coef) for coef in self.coefs.T]
        if self.l1_ratio == 1:
            return active_rank(problem, betas)
        by = (
            problem.weight.sum()
            * (1 - self.l1_ratio)
            * self.factors[1, standardization.kept]
            / standardization.norm**2
        )
        return shrunken_rank(problem, betas, self.alphas[:, None] * by)

    def target(self, step=-1):
        """The objective at one alpha as a target for ``certify``.

        It has the penalties of the unit columns of `problem`.

        ``certify`` keeps the intercept of the constant model; ``certificate`` also covers one that
        is fitted.
        """
        step = self._place(step)
        standardization = self.problem.standardization
        lam = float(self.alphas[step] * self.problem.total_weight)
        price = lam * self.l1_ratio * self.factors[0, standardization.kept] / standardization.norm
        # infinite for columns of norm 1e-154: their coefficients are 0
        with np.errstate(over="ignore"):
            ridge = (
                lam
                * (1 - self.l1_ratio)
                * self.factors[1, standardization.kept]
                / standardization.norm
                / standardization.norm
            )
        return Priced(
            L1Penalty(lam),
            price,
            ridge,
            *self.limits[:, standardization.kept] * standardization.norm,
        )

    def certificate(self, step=-1, *, independent=False):
        """The interval around the optimum at one alpha, in sums over samples, penalty included.

        Its upper end is the model's objective.

        Of a relaxed path it is the interval around the optimum of the Lasso beneath, and says so:
        its lower end is that of the Lasso, its upper end the objective of the Lasso at the relaxed
        model.

        Computed anew from the coefficients and the intercept; with `independent` it is compared
        with a general solver, as in ``certify``. *Cost*: one scan; with a fitted intercept two more
        for the first certificate.
        """
        step = self._place(step)
        independent = validation.flag("independent", independent)
        problem = self.problem
        coef = self._coef(step)
        target = self.target(step)
        model = problem.unit(coef), self._shift(coef, self.intercepts[step]), target
        if self._apart is None:
            interval = certified(problem, *model, self._reach)
        else:
            interval = self._apart.certified(*model)
        if self.beneath is not None:
            lasso = self.beneath.certificate(step)
            lower = (
                max(interval.lower, lasso.lower) if interval.known and lasso.known else -math.inf
            )
            interval = replace(interval, lower=lower, witness=lasso.witness)
        interval = replace(interval, about=self._about())
        interval.witness["relative_gap"] = interval.gap / (problem.start_excess or 1.0)
        return judged(problem, interval, target, self.free) if independent else interval

    def _about(self):
        """What the optimum of a certificate is of, where that is not plain from its target."""
        about = []
        if self.beneath is not None:
            about.append(f"the Lasso beneath the relaxed model (gamma = {self.gamma:g})")
        if self.left_out:
            about.append(f"without the columns {listed(self.left_out)}")
        if self.given:
            about.append(f"given {self.given}")
        return " ".join(about)

    @cached_property
    def _apart(self):
        """The columns of factor 0, if the loss is not the squared one; else None."""
        problem = self.problem
        free = np.flatnonzero(self.factors[0, problem.standardization.kept] == 0)
        if problem.loss.quadratic or not len(free):
            return None
        return Unpenalised(problem, free, self.free)

    @cached_property
    def _reach(self):
        return Farthest(self.problem) if self.free else None
