r"""Columns without a penalty, for losses other than the squared one.

They are like the intercept: for given coefficients of the other columns theirs have their best
values, found by Newton's method. With an orthonormal basis E of the columns, which includes
constants where the intercept is free, the residual r then has E'r = 0, and convexity bounds the
objective from below whatever the coefficients of these columns. What rounding leaves of E'r is
multiplied by a bound of the distance of an optimum. For the squared loss these columns are
projected out of all others instead (``columns.py``).

**The bound.** At the constant model with the best unpenalised part, :math:`\tilde c` in the basis,
let r be the residual a step t further along a vector of the basis, to either side. With d the
distance of an optimum from :math:`\tilde c` convexity gives, as in ``paths/intercept.py``,

.. math:: -\langle E'r, d - t e_k \rangle \le U - L + \sum_j |B_j'r|\,|\beta_j|,

U the objective of any model. The basis is one in which the second derivatives at :math:`\tilde c`
are diagonal: in short steps E'r has one large entry, the k-th, and the largest entry of d is
bounded. Where no step turns the sign of that entry, as for separable classes, nothing is bounded:
there is no optimum.
"""

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse
from scipy.linalg import eigh, solve, svd

from coordboost.certificates.objectives import EPS, Evaluation, rounding_part
from coordboost.data.frames import listed
from coordboost.lasso.newton import Curvature, Newton
from coordboost.lasso.workingset import by_working_sets
from coordboost.learners.scan import scan
from coordboost.paths.intercept import moved_by

#: STEPS: most steps of Newton's method. HALVINGS: most halvings of one. DECREASE: least fall of the
#: loss, as a part of that predicted at first order; SMALL_SLOPE: where rounding hides the fall, the
#: largest slope at the end of a step, relative to that at its start.
STEPS, HALVINGS = 100, 40
DECREASE, SMALL_SLOPE = 1e-4, 0.9
#: IDLE: steps in a row that do not halve E'r, which end the search.
IDLE = 3
#: LONGEST: the change of a prediction in the longest step to an end of the bound, in units of the
#: targets for a loss of y - f. SHORTER: how often a step may be divided by 4.
LONGEST, SHORTER = 16.0, 24
#: The other entries of E'r sum to at most this part of the largest at an end of the bound.
ACROSS = 0.5


class End(NamedTuple):
    """A point beside the start, at which convexity bounds one entry of the distance of an optimum.

    loss : the loss there
    push : the entry of E'r that points back, at least, less what the others may add
    back : the same entry, at most, times the length of the step
    size : (n_learners,), the abs correlations, 0 for columns without a penalty
    """

    loss: float
    push: float
    back: float
    size: np.ndarray


class Unpenalised:
    """The columns without a penalty of a problem, and its intercept if that is free.

    index : (m,), the learners
    basis : (n_samples, k), of unit norm in the metric of the weights, and orthogonal
    to_coefs : (m, k), or (m + 1, k) with the intercept last: coefficients from coordinates
    start : (k,), the coordinates of the best fit of these columns alone

    Raises
    ------
    ValueError
        If there is no such fit.
    """

    def __init__(self, problem, index, free):
        self.problem = problem
        self.index = index
        self.free = free
        self.mask = np.zeros(problem.n_learners, dtype=bool)
        self.mask[index] = True
        columns = problem.gather(index)
        if free:
            columns = np.column_stack([columns, np.ones(problem.n_samples)])
        root = np.sqrt(problem.weight)
        _, size, right = svd(columns * root[:, None], full_matrices=False)
        some = size > max(columns.shape) * EPS * size[0]
        self._turn(columns, right[some].T / size[some])
        start = self.best(np.zeros(problem.n_samples))
        curvature = Curvature(problem.loss)
        bend = curvature.at(self._fixed, self.basis @ start, curvature.least)
        _, turn = eigh(self.basis.T @ (bend[:, None] * self.basis))
        self._turn(columns, self.to_coefs @ turn)
        self.start = turn.T @ start
        if any(end is None for end in self.ends):
            names = [problem.column_names[j] for j in problem.standardization.kept[index]]
            raise ValueError(
                f"the columns without a penalty (penalty_factor 0) alone fit y without bound, as "
                f"where they separate the classes: {listed(names)}. There is no optimum; give them "
                "a small factor, such as 1e-6, and pass alphas."
            )

    def _turn(self, columns, to_coefs):
        self.to_coefs = to_coefs
        self.basis = columns @ to_coefs

    @property
    def _fixed(self):
        problem = self.problem
        return problem.loss, problem.y, problem.weight, problem.base

    @np.errstate(over="ignore", invalid="ignore")  # a step out of the range of float64 is too long
    def best(self, pred):
        """The coordinates to add to the predictions `pred` (n_samples,), for the least loss.

        *Cost*: few passes over the samples, and k^2 n_samples for each step.
        """
        problem = self.problem
        basis = self.basis
        rounding = EPS * math.sqrt(problem.n_samples)
        curvature = Curvature(problem.loss)
        floor = curvature.least
        coords = np.zeros(basis.shape[1])
        best = coords
        smallest = math.inf
        idle = 0
        loss = problem.value(pred)
        resid = problem.resid(pred)
        for _ in range(STEPS):
            slope = basis.T @ resid
            size = float(np.linalg.norm(slope))
            idle = 0 if size <= smallest / 2 else idle + 1
            if size < smallest:
                smallest = size
                best = coords
            if size <= rounding * problem.size(resid) or idle > IDLE:
                break
            bend = curvature.at(self._fixed, pred + basis @ coords, floor)
            step = solve(basis.T @ (bend[:, None] * basis), slope, assume_a="sym")
            predicted = float(slope @ step)
            share = 1.0
            for _halving in range(HALVINGS):
                trial = coords + share * step
                at = pred + basis @ trial
                fall = loss - problem.value(at)
                trial_resid = problem.resid(at)
                rise = -float(trial_resid @ (basis @ step))
                hidden = fall >= -rounding * abs(loss) and rise <= SMALL_SLOPE * predicted
                if fall >= DECREASE * share * predicted + rounding * abs(loss) or hidden:
                    break
                share /= 2
            else:
                break
            if fall > 1e-3 * abs(loss):
                idle = 0
            floor = min(floor * 100, 1.0) if share < 1 else max(floor / 10, curvature.least)
            coords = trial
            loss -= fall
            resid = trial_resid
        return best

    @cached_property
    def ends(self):
        """The points that bound the distance of an optimum from the start; None for a missing one.

        *Cost*: two scans for each vector of the basis.
        """
        return [self._end(k, side) for k in range(len(self.start)) for side in (1.0, -1.0)]

    def _end(self, k, side):
        problem = self.problem
        column = self.basis[:, k]
        unit = 1.0
        if problem.loss.location:
            unit = float(np.average(np.abs(problem.y), weights=problem.weight)) or 1.0
        length = LONGEST * unit / float(np.abs(column).max())
        pred = self.basis @ self.start
        for _ in range(SHORTER):
            there = pred + side * length * column
            resid = problem.resid(there)
            doubt = float(rounding_part(problem, 1)) * problem.size(resid)
            slope = self.basis.T @ resid
            push = -side * float(slope[k])
            across = float(np.abs(slope).sum()) - abs(push) + len(slope) * doubt
            if push - doubt > 0 and across <= ACROSS * (push - doubt):
                size = np.where(self.mask, 0.0, np.abs(problem.scan(resid)))
                loss = problem.value(there)
                return End(loss, push - doubt - across, length * (push + doubt), size)
            length /= 4
        return None

    def farthest(self, upper, price, ridge):
        """Bound the distance of the unpenalised part of an optimum from the start, in the metric
        of the weights, where the objective is at most `upper`.

        price, ridge : numbers, or (n_learners,)
        """
        room = max(upper - self.problem.infimum, 0.0)
        far = 0.0
        for end in self.ends:
            size = end.size
            with np.errstate(divide="ignore", invalid="ignore"):
                by_price = np.where(size > 0, size / price, 0.0).max(initial=0.0) * room
                by_ridge = math.sqrt(2 * room * np.where(size > 0, size**2 / ridge, 0.0).sum())
            others = float(np.fmin(by_price, by_ridge))
            if math.isnan(others):
                return math.inf
            far = max(far, (max(upper - end.loss + others, 0.0) + end.back) / end.push)
        return math.sqrt(len(self.start)) * far

    def slack(self, at, problem, total, upper, target):
        """A bound of what E'r takes from a lower end, r the residual at the point `at`.

        problem : that of the point
        total : (n_samples,), the predictions of all columns, beside the constant of the problem at
            the start
        upper, target : the objective of a model, and its target
        """
        k = len(self.start)
        off = float(np.linalg.norm(self.basis.T @ at.resid))
        off += math.sqrt(k) * at.rounding_of_corr(problem)
        if not off > 0:
            return 0.0
        of_point = math.sqrt(float(total**2 @ problem.weight))
        of_point += math.sqrt(float(at.pred**2 @ problem.weight)) + 2 * at.l1
        far = self.farthest(upper, *target.prices(problem)) + float(np.linalg.norm(self.start))
        return off * (far + of_point)

    def certified(self, beta, shift, target):
        """The interval around the optimum from a model: see ``paths.intercept.certified``."""
        problem = self.problem
        owner = moved_by(problem, shift) if shift != 0 else problem
        own = Evaluation.point(owner, beta)
        part = self.basis @ self.best(own.pred + shift)
        base = moved_by(owner, part) if part.any() else owner
        dual = Evaluation.point(base, beta)
        upper = own.upper(owner) + target.value(own.beta)
        total = own.pred + shift + part
        slack = self.slack(dual, base, total, upper, target)
        return target.certificate(base, dual, (owner, own), slack, self.mask)

    def beside(self, columns, gammas):
        """The coefficients of the columns without a penalty, and intercepts, beside those of the
        others.

        columns : ScaledColumns
        gammas : CSR array, (n, n_learners), coefficients of the scaled columns

        Returns
        -------
        coefs : CSR array, (n, n_learners)
        shifts : ndarray, (n,), or None if the intercept is not free
        """
        coords = self.start
        scale = 1.0 if columns.scale is None else columns.scale
        found = np.empty((gammas.shape[0], len(self.to_coefs)))
        for k in range(gammas.shape[0]):
            pred = self.problem.combine(scale * gammas[[k]].toarray()[0])
            coords = coords + self.best(pred + self.basis @ coords)
            found[k] = self.to_coefs @ coords
        m = len(self.index)
        row = np.repeat(np.arange(len(found)), m)
        entries = found[:, :m].ravel(), (row, np.tile(self.index, len(found)))
        coefs = scipy.sparse.csr_array(entries, shape=gammas.shape)
        return coefs, found[:, m] if self.free else None


class UnpenalisedNewton(Newton):
    """Newton steps beside columns without a penalty, whose coefficients have their best values at
    every step.

    Each quadratic model is minimised over them, too: in the metric of the curvatures its columns
    are orthogonal to the basis.

    loads : (m, k), the part of each column of the set in the span of the basis, in that metric
    """

    def __init__(self, source, judge, unpenalised):
        self.unpenalised = unpenalised
        self.loads = np.zeros((0, len(unpenalised.start)))
        super().__init__(source, judge)
        self.pred = unpenalised.basis @ unpenalised.start
        self._settle()
        self._scan()

    def add(self, learners):
        super().add(learners)
        more = np.zeros((len(learners), self.loads.shape[1]))
        self.loads = np.vstack([self.loads, more])

    def _combine(self, gamma):
        return self.columns.combine(gamma) - self.unpenalised.basis @ (gamma @ self.loads)

    def _settle(self):
        basis = self.unpenalised.basis
        self.pred = self.pred + basis @ self.unpenalised.best(self.pred)
        self._evaluate()

    def _search(self, change, neg_grad):
        step = super()._search(change, neg_grad)
        self._settle()
        return step

    def _model(self):
        basis = self.unpenalised.basis
        h = self.curvature.at(self.fixed, self.pred, self.floor)
        weighted = h[:, None] * basis
        sums = np.array([scan(self.columns, column) for column in np.ascontiguousarray(weighted.T)])
        self.loads = solve(basis.T @ weighted, sums, assume_a="sym").T
        projected = self.loads @ sums
        self.hessian = self.columns.gram(h) - (projected + projected.T) / 2
        self.squares = self.hessian.diagonal().copy()


def by_unpenalised_newton(columns, unpenalised, lams, tol):
    """The Lasso of another convex loss beside columns without a penalty, at the penalties `lams`,
    largest first; return a `Solved`, without the coefficients of these columns.

    columns : ScaledColumns, not weighted, whose limits of these columns are 0
    """

    def judge(lam, *point):
        at = Evaluation(*point)
        target = columns.penalty.target(lam)
        certificate = target.certificate(columns.problem, at)
        slack = unpenalised.slack(at, columns.problem, at.pred, certificate.upper, target)
        return certificate.gap + slack

    inner = UnpenalisedNewton(columns, judge, unpenalised)
    return by_working_sets(inner, columns.n_learners, lams, tol)
