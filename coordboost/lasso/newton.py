r"""The penalised Lasso of a convex loss by proximal Newton steps on a working set, stopped by
duality gaps.

At a prediction the loss is replaced by its quadratic model: with c = B'r the correlations of the
pseudo-residual and G = B' diag(h) B, h_i = w_i curvature(y_i, f_i),

    minimise  -c'd + d'G d / 2 + penalty(gamma + d)     over the working set,

by coordinate descent with the Gram matrix, with exact solves where that is slow, or on the nonzeros
of sparse columns; a line search goes along d on the true objective. G is the expensive part: it is
kept from step to step and from penalty to penalty, as long as each step leaves only a small part of
the duality gap.

Where curvatures vary much, a step may be too long. The *secant curvature* of a sample is (r(y, m) -
r(y, f)) / (f - m), r its pseudo-residual, with m = y for a loss of y - f, else m = 0. Curvatures
are kept above a part of these, which rises to 1 where steps prove too long: for the Huber and the
logistic loss the model then lies above the loss, whatever the scale of y, and full steps always
lower the objective. A pass over all columns adds violators to the working set and computes the gap.
``verb("name")`` calls a method of a compiled object, such as the loss (docs/architecture.md).

Sources: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via
coordinate descent*; Lee, Sun, Saunders, *Proximal Newton-type methods for minimizing composite
functions* (line search); de Leeuw, Lange, *Sharp quadratic majorization in one dimension*
(secants).
"""

import math

import numpy as np
import scipy.sparse
from scipy.linalg import svd

from coordboost._numba import compiled, is_piece, verb
from coordboost._numba.sums import base_at, rest_of, with_rest
from coordboost.certificates.objectives import Evaluation
from coordboost.lasso.blocks import EntryBlock, GramBlock
from coordboost.lasso.columns import ScaledColumns
from coordboost.lasso.descent import few_stored
from coordboost.lasso.newton_path import NewtonPath
from coordboost.lasso.penalty import Penalty, duality_gap
from coordboost.lasso.workingset import SMALLEST_GAP, InnerSolver, by_working_sets
from coordboost.learners import Dense
from coordboost.learners.scan import scan
from coordboost.paths import intercept
from coordboost.paths.intercept import best_shift

#: Smallest floor of a curvature, relative to its secant, and to the largest curvature of the loss.
FLOOR = 1e-12
#: After a step that leaves a larger part of the gap, the Gram matrix is formed anew with the
#: present curvatures.
SLOW = 0.2
#: The model is solved until its own gap is this part of the gap before the step.
INEXACT = 0.05
#: DECREASE: least decrease of the objective, as a part of that predicted at first order. ROUNDING:
#: relative rounding of a sum over the samples, divided by the root of n_samples. SMALL_SLOPE:
#: largest slope at the end of a step, as a part of that at its start, where rounding hides the
#: decrease.
DECREASE, ROUNDING, SMALL_SLOPE = 1e-4, 1e-15, 0.9
#: Maximum number of steps in a row without progress: more than the floor of the curvatures needs to
#: rise to 1.
STUCK = 8
#: Most solves of a quadratic model on the nonzeros of sparse columns, each to a smaller gap.
TURNS = 40
#: Ridge on fewer rows than columns, and fewer than this: singular vectors replace the columns.
MOST_SINGULAR = 4000
#: STEPS: maximum number of steps between two scans.
#: MOST: maximum number of steps for one penalty.
#: HALVINGS: maximum number of halvings of a step.
STEPS, MOST, HALVINGS = 200, 600, 40
#: For m > LARGE sparse columns no Gram matrix is formed if they have fewer than m^2 entries.
LARGE = 200

value = verb("value")
residual = verb("residual")
curvature = verb("curvature")


def terms(loss, y, weight, base, pred, move, step, resid):
    """Return the sum of the weighted losses at ``pred + step * move``.

    `resid` is filled on the way.

    The sum is compensated: near an optimum a step gains less than the rounding of a plain sum of
    many terms.
    """
    total, rest = 0.0, 0.0
    for i in range(len(y)):
        f = base_at(base, i) + pred[i] + step * move[i]
        term = weight[i] * value(loss, y[i], f)
        rest += rest_of(total, term)
        total += term
        resid[i] = weight[i] * residual(loss, y[i], f)
    return with_rest(total, rest)


def curvatures(loss, y, weight, base, pred, out):
    """Fill `out` with the second derivatives of the losses, weighted.

    Return the largest of them without weights.
    """
    largest = 0.0
    for i in range(len(y)):
        out[i] = curvature(loss, y[i], base_at(base, i) + pred[i])
        largest = max(largest, out[i])
        out[i] *= weight[i]
    return largest


def secants(loss, y, weight, base, pred, middle_is_y, if_undefined, out):
    """Fill `out` with the secant curvatures at the predictions, weighted: (r(y, m) - r(y, f)) / (f
    - m).

    m is y or 0; at f = m a secant curvature is `if_undefined`. If the loss is symmetric about m, up
    to a linear term, and its curvature falls on both sides, a parabola of this curvature lies above
    it: so for the Huber and the logistic loss.
    """
    for i in range(len(y)):
        f = base_at(base, i) + pred[i]
        away = f - (y[i] if middle_is_y else 0.0)
        fall = residual(loss, y[i], f - away) - residual(loss, y[i], f)
        out[i] = weight[i] * (fall / away if fall * away > 0.0 else if_undefined)


class Curvature:
    """The curvatures of a quadratic model of a loss: second derivatives, kept above a part of their
    secants.

    least : the smallest such part; 1 for a loss without second derivatives
    """

    def __init__(self, loss):
        self.loss = loss
        pieces = (loss,) if is_piece(loss) else None
        self.least = 1.0 if loss.curvature is None else FLOOR
        self.exact, self.secants = (
            compiled(f, pieces) if pieces else f for f in (curvatures, secants)
        )

    def at(self, fixed, pred, floor, flat=FLOOR):
        """The weighted curvatures at the predictions, (n_samples,).

        fixed : loss, y, weight, base of a problem; floor : the part of the secants; flat : the
        smallest part of the largest curvature
        """
        loss = self.loss
        weight = fixed[2]
        h = np.zeros(len(weight))
        largest = 0.0 if loss.curvature is None else self.exact(*fixed, pred, h)
        largest = loss.sigma or largest
        if floor > FLOOR:
            secant = np.empty(len(weight))
            self.secants(*fixed, pred, bool(loss.location), largest, secant)
            np.maximum(h, floor * secant, out=h)
        np.maximum(h, flat * largest * weight, out=h)
        return h


class Newton(InnerSolver):
    """The Lasso of the loss of a problem.

    store, columns : the store of dense columns; the learners of the set as a small dictionary of
        their own, dense or sparse
    means : (m,), subtracted from the columns if the intercept is free: their means in the metric of
        the curvatures
    hessian : the Gram matrix of the quadratic model, or its columns in that metric; None if it has
        to be formed anew
    squares : the diagonal of the Gram matrix without the ridge
    cost : the penalty of the set

    Parameters
    ----------
    source : ScaledColumns, not weighted
    judge : callable
        ``judge(lam, gamma, pred, loss, resid, corr)``: the certified duality gap at a point, `corr`
        from a scan of all learners.
    """

    #: Forming a quadratic model costs more than a few extra columns: columns join a little early.
    joins_from = 0.96
    steps_left = MOST
    lam = 0.0

    def __init__(self, source, judge):
        self.source = source
        self.judge = judge
        self.problem = source.problem
        self.sparse = few_stored(source.problem.dictionary)
        self.store = source.hold()
        loss = self.problem.loss
        pieces = (loss,) if is_piece(loss) else None
        self.terms = compiled(terms, pieces) if pieces else terms
        self.curvature = Curvature(loss)
        self.duality_gap = compiled(duality_gap)
        self.fixed = (loss, self.problem.y, self.problem.weight, self.problem.base)
        self.infimum = self.problem.infimum
        self.floor = self.curvature.least
        self.gamma = np.zeros(0)
        self.means = np.zeros(0)
        self.learner = np.zeros(0, dtype=np.int64)
        self.hessian = None
        self.columns = Dense(self.store.rows)
        self.x = source.problem.dictionary.csc() if self.sparse else None
        self.pred = np.zeros(source.n_samples)
        self.resid = np.empty(source.n_samples)
        self.null_loss = self.problem.start_excess
        self.n_scans = 0
        self._evaluate()
        self._scan()
        if source.penalty.lam == 0:
            self.add(np.arange(source.n_learners))

    def go_on(self, problem, pred):
        """Continue on `problem`, which has another base, with the same coefficients and the
        prediction `pred`. *Cost*: one scan.
        """
        self.problem, self.pred = problem, pred
        self.fixed = problem.loss, problem.y, problem.weight, problem.base
        self._settle()
        self._scan()

    def _evaluate(self):
        """The loss and the pseudo-residual at the prediction."""
        self.loss = self.terms(*self.fixed, self.pred, self.pred, 0.0, self.resid)

    def _scan(self, wanted=0.0):
        """Check all learners by a scan. A gap of `wanted` is enough: the check may cost less."""
        self.n_scans += 1
        self.corr = self.source.scan(self.resid)
        self.abs_corr = self.source.penalty.size(self.corr)

    def set_penalty(self, lam):
        """Set the penalty to `lam`, and the number of steps left to MOST."""
        self.steps_left, self.lam, self.cost = MOST, lam, self.source.penalty.at(lam, self.learner)

    def violators(self, level):
        mask = self.abs_corr >= level
        mask[self.learner] = False
        return np.flatnonzero(mask)

    def add(self, learners):
        """*Cost*: the new columns, or a copy of all entries of the set.

        And a new quadratic model.
        """
        self.learner = np.append(self.learner, learners)
        more = np.zeros(len(learners))
        self.hessian = None
        self.gamma, self.means = np.append(self.gamma, more), np.append(self.means, more)
        if self.sparse:
            self.columns = self.problem.dictionary.part(self.learner, self._scale())
        else:
            self.store.add(learners)
            self.columns = Dense(self.store.rows[: len(self.store)])
        self.cost = self.source.penalty.at(self.lam, self.learner)

    def _scale(self):
        return (
            np.ones(len(self.learner))
            if self.source.scale is None
            else self.source.scale[self.learner]
        )

    def _combine(self, gamma):
        return self.columns.combine(gamma) - float(self.means @ gamma)

    def check(self, wanted):
        """The prediction is formed anew. *Cost*: one scan."""
        self.pred = self._combine(self.gamma)
        self._settle()
        self._scan(wanted)
        return self.gap()

    def _settle(self):
        """Evaluate the loss after the prediction has changed.

        With a free intercept, first find its best value.
        """
        self._evaluate()

    def gap(self):
        gamma = np.zeros(self.source.n_learners)
        gamma[self.learner] = self.gamma
        return self.judge(self.lam, gamma, self.pred, self.loss, self.resid, self.corr)

    def fit(self, goal):
        """Make steps until the gap on the working set is at most `goal`, or steps make no progress.

        Return whether it is.
        """
        stuck = 0
        best_gap = np.inf
        best_objective = np.inf
        before = np.inf
        step = 1.0
        cost = self.cost
        corr = self.corr[self.learner]
        for _ in range(STEPS):
            neg_grad = cost.neg_grad(corr, self.gamma)
            gap, value = self._gap_and_value(self.gamma, neg_grad)
            objective = self.loss + value
            if gap <= 0.9 * best_gap or objective < best_objective - 1e-3 * goal:
                stuck = 0
                best_gap = min(gap, best_gap)
                best_objective = objective
            stuck += 1
            if gap <= goal or stuck > STUCK or self.steps_left == 0:
                return gap <= goal
            self.steps_left -= 1
            renew = self.hessian is None or step < 1 or gap > SLOW * before
            if renew:
                self._model()
            model = self._minimiser(neg_grad, max(INEXACT * gap, 0.2 * goal))
            before = gap
            step = self._search(model - self.gamma, neg_grad)
            if renew:
                self.floor = min(self.floor * 100, 1.0) if step < 1 else max(self.floor / 10, FLOOR)
            corr = scan(self.columns, self.resid)
        return False

    def _gap_and_value(self, gamma, neg_grad):
        """The gap on the set at the present loss, for coefficients with this negative gradient.

        And the penalty of the coefficients.
        """
        cost = self.cost
        loss = self.loss + cost.ridge_cost(gamma)
        along = float(gamma @ neg_grad)
        gap = self.duality_gap(gamma, neg_grad, loss, self.infimum, along, *cost.kernel_args)
        return gap, cost.value(gamma)

    def _model(self):
        """Form the quadratic model for the present curvatures h: the Gram matrix of the set, or its
        columns times sqrt(h).

        *Cost*, of m columns: m^2 n_samples for the Gram matrix, and m for a step in it; the
        nonzeros for the columns, and those of one column for a step.
        """
        h = self.curvature.at(self.fixed, self.pred, self.floor)
        sums = self._centre(h)
        m = len(self.gamma)
        if self.sparse and m > LARGE and len(self.columns.data) < m * m:
            self.hessian = EntryBlock(
                self.problem.dictionary, self.x, self.learner, self._scale(), np.sqrt(h), self.means
            )
        else:
            self.hessian = self.columns.gram(h) - np.outer(sums, self.means)
            self.squares = self.hessian.diagonal().copy()

    def _centre(self, h):
        """Where the intercept is free, centre the columns in the metric `h`.

        Return their sums weighted by it, else zeros.
        """
        return np.zeros(len(self.means))

    def _minimiser(self, neg_grad, goal):
        """Minimise the quadratic model to a gap of `goal`.

        Return coefficients (m,). neg_grad : (m,), at the present ones.
        """
        model = self.gamma.copy()
        neg_grad = neg_grad.copy()
        hessian = self.hessian
        cost = self.cost
        if not isinstance(hessian, EntryBlock):
            if cost.has_ridge:
                np.fill_diagonal(hessian, self.squares + cost.ridge)
            loss = self.loss + cost.ridge_cost(model)
            block = GramBlock(hessian, neg_grad, neg_grad, loss, self.infimum)
            block.minimise(model, cost, goal)
            return model
        # weighted least squares: rows times sqrt(curvature); its gap can be far below that of the
        # true loss, so the goal is reduced step by step
        scaled_resid = self.resid / hessian.one
        y = scaled_resid + hessian.combine(model)
        least = SMALLEST_GAP * float(y @ y) / 2
        inner_goal = max(goal, least)
        for _ in range(TURNS):
            hessian.start_from(y, scaled_resid)
            if not hessian.minimise(model, cost, inner_goal) <= inner_goal:
                break
            resid = y - hessian.combine(model)
            gap, _ = self._gap_and_value(model, cost.neg_grad(hessian.correlations(resid), model))
            if gap <= goal or inner_goal == least:
                break
            inner_goal = max(0.1 * inner_goal, least)
        return model

    @np.errstate(
        over="ignore", invalid="ignore"
    )  # a step out of the range of float64 is too long, like others
    def _search(self, change, neg_grad):
        """Go along `change` of the coefficients, halving until the objective falls.

        Return the length of the step.

        If rounding hides whether it falls, the slope at the end must be less steep than at the
        start, or not above its rounding: along dependent columns the coefficients may move far
        while the prediction hardly changes.
        """
        move = self._combine(change)
        cost = self.cost
        old_l1 = float(np.abs(self.gamma).sum())
        lam = cost.lam
        old = self.loss + (cost.lam * old_l1 + cost.ridge_cost(self.gamma))
        relative = ROUNDING * len(move) ** 0.5
        rounding = relative * old
        predicted_fall = float(neg_grad @ change) - lam * (
            float(np.abs(self.gamma + change).sum()) - old_l1
        )
        predicted_fall -= cost.ridge_cost(change)
        # the fall at the start without differences of norms, which rounding would hide; the slope
        # at the end is a rise
        start_slope = float(
            (neg_grad - lam * np.where(self.gamma == 0, np.sign(change), np.sign(self.gamma)))
            @ change
        )
        rounding_of_slope = (
            relative * float(np.abs(change).sum()) * float(np.linalg.norm(self.resid))
        )
        resid = np.empty_like(self.resid)
        step = 1.0
        for _ in range(HALVINGS):
            gamma = self.gamma + step * change
            loss = self.terms(*self.fixed, self.pred, move, step, resid)
            fall = old - loss - cost.value(gamma)
            signs = np.where(gamma == 0, -np.sign(change), np.sign(gamma))
            end_slope = (
                lam * float(signs @ change)
                - float(resid @ move)
                + (float(cost.ridge * gamma @ change) if cost.has_ridge else 0.0)
            )
            slope_is_small = end_slope <= max(SMALL_SLOPE * start_slope, rounding_of_slope)
            if fall >= DECREASE * step * predicted_fall + rounding or (
                fall >= -rounding and slope_is_small
            ):
                self.gamma = cost.within(self.gamma, gamma, slice(None))
                self.pred = self.pred + step * move
                self.loss = loss
                self.resid = resid
                return step
            step /= 2
        return 0.0


class FreeNewton(Newton):
    r"""Newton steps with an intercept: an unpenalised column of ones, whose coefficient has its
    best value at every step.

    Residuals sum to 0 there. Then convexity gives
    :math:`L(b', \beta') \ge L(b, \beta) + \langle r, B\beta - B\beta'\rangle` for every intercept
    b', without a term in b': the certificate is that of a fixed intercept. The rounding left in the
    sum is multiplied by a bound of the distance of the best intercept, see ``Reach``. Each
    quadratic model is minimised over the intercept, too: its columns have mean 0 in the metric of
    the curvatures.
    """

    def _search(self, change, neg_grad):
        step = super()._search(change, neg_grad)
        self._settle()
        return step

    def _settle(self):
        self.pred = self.pred + best_shift(self.problem, self.pred)
        self._evaluate()

    def _centre(self, h):
        sums = scan(self.columns, h)
        self.means = sums / float(h.sum())
        return sums


class Reach(intercept.Farthest):
    """How far the intercept of an optimum can be from the start, for the columns of `source`."""

    def __init__(self, source):
        super().__init__(source.problem, source.sizes)
        self.penalty = source.penalty

    def gap(self, lam, *point):
        """The certified gap at a point whose prediction includes its intercept."""
        problem = self.problem
        at = Evaluation(*point)
        target = self.penalty.target(lam)
        certificate = target.certificate(problem, at)
        total = float(problem.weight.sum())
        rest = abs(float(at.resid.sum())) + at.rounding_of_corr(problem) * math.sqrt(total)
        # the intercept of the point itself: its distance from the start is at most the largest abs
        # prediction
        far = self.most(certificate.upper, *target.prices(problem)) + float(np.abs(at.pred).max())
        return certificate.gap + (rest * far if rest > 0 else 0.0)


def judge_of(columns, free_intercept):
    """The function that gives the certified gap at a point: see `Newton`."""

    def gap(lam, *point):
        target = columns.penalty.target(lam)
        return target.certificate(columns.problem, Evaluation(*point)).gap

    return Reach(columns).gap if free_intercept else gap


def by_newton(columns, lams, tol, free_intercept=False):
    """The Lasso of another convex loss at the penalties `lams`, largest first.

    The loss has second derivatives or a Lipschitz derivative. Return a `Solved`.

    free_intercept : whether to fit the intercept at every penalty
    """
    path = NewtonPath.of(columns, lams, tol, free_intercept)
    if path is None:
        return by_newton_sets(columns, lams, tol, free_intercept)
    if path.run() or path.done == len(lams):
        return path.solved()
    rest = by_newton_sets(columns, lams[path.done :], tol, free_intercept)
    return path.solved().followed_by(rest)


def by_newton_sets(columns, lams, tol, free_intercept):
    """As `by_newton`, by working sets: for losses of other forms, learners that are not stored,
    ridge alone, larger sets, and where rounding ends the compiled path.
    """
    reduced, to_learners = reduced_columns(columns)
    kind = FreeNewton if free_intercept else Newton
    inner = kind(reduced, judge_of(reduced, free_intercept))
    solved = by_working_sets(inner, reduced.n_learners, lams, tol)
    return solved._replace(coefs=to_learners(solved.coefs))


def reduced_columns(columns):
    """Return the columns for Newton steps, and a map to coefficients of learners.

    The map takes coefficients of the columns to those of learners, CSR (n_alphas, n_learners).

    For ridge on fewer samples than columns they are singular vectors, at most n_samples: an optimum
    has no part orthogonal to them.
    """
    penalty = columns.penalty
    problem = columns.problem
    n_samples = columns.n_samples
    n_learners = columns.n_learners
    if penalty.lam or penalty.limited or not n_samples < min(n_learners, MOST_SINGULAR):
        return columns, lambda coefs: coefs
    by_column = penalty.ridge**-0.5
    root = np.sqrt(np.where(problem.weight > 0, problem.weight, 1.0))
    rows = np.empty((n_learners, n_samples))
    columns.gather(np.arange(n_learners), rows)
    left, size, right = svd((rows * by_column[:, None] * root).T, full_matrices=False)
    rank = max(1, int((size > np.finfo(float).eps * n_learners * size[0]).sum()))
    largest = size[0] or 1.0
    vectors = Dense(np.ascontiguousarray(left.T[:rank] / root))
    infinite = np.full(rank, math.inf)
    ridge = np.full(rank, size[0] ** -2 if size[0] else 1.0)
    reduced = ScaledColumns(
        problem.replace(dictionary=vectors),
        size[:rank] / largest,
        Penalty(0.0, ridge, -infinite, infinite, True, False),
        weighted=False,
    )
    back = right[:rank] * by_column / largest
    return reduced, lambda coefs: scipy.sparse.csr_array(coefs @ back)
