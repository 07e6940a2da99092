r"""The penalised Lasso of any smooth loss by proximal Newton steps on a working set, with certified stops.

At a prediction the loss is replaced by its quadratic model: with c = B'r the correlations of the pseudo-residual and
G = B' diag(h) B, h_i = w_i curvature(y_i, f_i),

    minimise  -c'd + d'G d / 2 + lam ||gamma + d||_1     over the working set,

by coordinate descent in Gram form, with exact solves where that is slow, or on stored entries; a line search goes along d on the true
objective. G is the dear part: it is kept from step to step and from penalty to penalty, as long as each step leaves a small part of the
duality gap. Curvatures are kept above a part of their secants, which rises to 1 where steps prove too long: for the Huber and the logistic
loss the model then lies above the loss, in any unit, and full steps cannot fail. Scans of all learners recruit and certify.

Sources: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via coordinate descent*; Lee, Sun, Saunders,
*Proximal Newton-type methods for minimizing composite functions* (line search); de Leeuw, Lange, *Sharp quadratic majorization in one
dimension* (secants).
"""

import math

import numpy as np

from coordboost._numba import compiled, is_piece, verb
from coordboost._numba.sums import rest_of, with_rest
from coordboost.certificates.objectives import Evaluation, L1Penalty
from coordboost.lasso.descent import Entries, few_stored, fit_gram
from coordboost.lasso.workingset import LEAST, convex_gap
from coordboost.learners import Dense
from coordboost.learners.scan import scan
from coordboost.paths import intercept
from coordboost.paths.intercept import best_shift

#: Smallest floor of a curvature, relative to its secant, and to the largest curvature of the loss.
FLOOR = 1e-12
#: A step that leaves a larger part of the gap asks for the Gram matrix of the present curvatures.
SLOW = 0.2
#: The model is solved until its own gap is this part of the gap before the step.
INEXACT = 0.05
#: Least decrease of the objective, as a part of that predicted at first order; rounding of sums over the samples, over the root of
#: n_samples; the largest slope at the end of a step, over that at its start.
DECREASE, ROUNDING, FLAT = 1e-4, 1e-15, 0.9
#: Steps in a row without progress that a solve lets pass: more than the floor needs to rise.
STUCK = 8
#: How often the goal of a model on entries is made finer.
TURNS = 40
#: Steps between two scans, for one penalty, and halvings of a step, at most.
STEPS, MOST, HALVINGS = 200, 600, 40
#: A larger set of sparse columns is no Gram matrix any more, where its columns have fewer entries than it has columns.
LARGE = 200

value = verb("value")
residual = verb("residual")
curvature = verb("curvature")


def terms(loss, y, weight, base, pred, move, step, resid):
    """Sum of the weighted losses at ``pred + step * move``; `resid` is filled on the way.

    Near an optimum a step gains less than what rounding takes from a plain sum of many terms.
    """
    out, rest = 0.0, 0.0
    for i in range(len(y)):
        f = base + pred[i] + step * move[i]
        term = weight[i] * value(loss, y[i], f)
        rest += rest_of(out, term)
        out += term
        resid[i] = weight[i] * residual(loss, y[i], f)
    return with_rest(out, rest)


def curvatures(loss, y, weight, base, pred, out):
    """Fill `out` with the second derivatives of the losses; the largest, weights not counted."""
    largest = 0.0
    for i in range(len(y)):
        out[i] = curvature(loss, y[i], base + pred[i])
        largest = max(largest, out[i])
        out[i] *= weight[i]
    return largest


def secants(loss, y, weight, base, pred, centred, otherwise, out):
    """Fill `out` with the slopes of the pseudo-residuals between the predictions and the middles of the losses, weighted.

    The middle is y where `centred`, for a loss of y - f, else 0; near it a slope is `otherwise`. A parabola of this curvature lies above a
    loss that is symmetric about its middle, but for a linear term, if the curvature falls on either side: Huber's, and the logistic one.
    """
    for i in range(len(y)):
        at = base + pred[i]
        away = at - (y[i] if centred else 0.0)
        fall = residual(loss, y[i], at - away) - residual(loss, y[i], at)
        out[i] = weight[i] * (fall / away if fall * away > 0.0 else otherwise)


class Newton:
    """The inner solver for the loss of a problem (``workingset.py`` says what it is asked).

    held, columns : the store of dense columns; the learners of the set as a small dictionary of their own, dense or sparse
    means : (m,), what is taken from the columns where the intercept is free: their means in the metric of the curvatures
    hessian : the model's Gram matrix, or its columns in that metric; None where another is to be made

    Parameters
    ----------
    source : ScaledColumns, not weighted
    judge : callable
        ``judge(lam, gamma, pred, loss, resid, corr)``: the certified duality gap at a point, `corr` from a scan of all learners.
    """

    near, left = 0.96, MOST

    def __init__(self, source, judge):
        self.source, self.judge, self.problem = source, judge, source.problem
        self.sparse, self.held = few_stored(source.problem.dictionary), source.hold()
        loss = self.problem.loss
        pieces = (loss,) if is_piece(loss) else None
        self.terms, self.curvatures, self.secants = (compiled(f, pieces) if pieces else f for f in (terms, curvatures, secants))
        self.fixed = loss, self.problem.y, self.problem.weight, self.problem.base
        self.infimum = self.problem.infimum
        self.floor = 1.0 if loss.curvature is None else FLOOR
        self.gamma, self.means, self.learner, self.hessian = np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64), None
        self.columns, self.x = Dense(self.held.rows), source.problem.dictionary.csc() if self.sparse else None
        self.pred, self.resid = np.zeros(source.n_samples), np.empty(source.n_samples)
        self.null, self.n_scans = self.problem.start_excess, 0
        self._evaluate()
        self._scan()

    def _evaluate(self):
        """The loss and the pseudo-residual at the prediction."""
        self.loss = self.terms(*self.fixed, self.pred, self.pred, 0.0, self.resid)

    def _scan(self):
        """Look at all learners."""
        self.n_scans += 1
        self.corr = self.source.scan(self.resid)
        self.size = np.abs(self.corr)
        self.level = float(self.size.max())

    def penalise(self, lam):
        """Every penalty has so many steps."""
        self.left = MOST

    def waiting(self, level):
        mask = self.size >= level
        mask[self.learner] = False
        return np.flatnonzero(mask)

    def recruit(self, new):
        """*Cost*: their columns, or a copy of all entries at hand; the set needs a new quadratic model."""
        self.learner, more, self.hessian = np.append(self.learner, new), np.zeros(len(new)), None
        self.gamma, self.means = np.append(self.gamma, more), np.append(self.means, more)
        if self.sparse:
            self.columns = self.problem.dictionary.part(self.learner, self._scale())
        else:
            self.held.add(new)
            self.columns = Dense(self.held.rows[: len(self.held)])

    def _scale(self):
        return np.ones(len(self.learner)) if self.source.scale is None else self.source.scale[self.learner]

    def _combine(self, gamma):
        return self.columns.combine(gamma) - float(self.means @ gamma)

    def model(self):
        support = np.flatnonzero(self.gamma)
        return self.learner[support], self.gamma[support]

    def check(self, lam, wanted):
        """The prediction formed anew. *Cost*: one scan."""
        self.pred = self._combine(self.gamma)
        self._settle()
        self._scan()
        return self.gap(lam, wanted)

    def _settle(self):
        """What goes with the prediction anew."""
        self._evaluate()

    def gap(self, lam, wanted):
        gamma = np.zeros(self.source.n_learners)
        gamma[self.learner] = self.gamma
        return self.judge(lam, gamma, self.pred, self.loss, self.resid, self.corr)

    def fit(self, lam, goal):
        """Steps until the gap on the working set is at most `goal`, or none makes progress."""
        stuck, best, before = 0, (np.inf, np.inf), np.inf
        now = self.corr[self.learner]
        for _ in range(STEPS):
            l1, worst = float(np.abs(self.gamma).sum()), float(np.abs(now).max(initial=0.0))
            gap = convex_gap(self.loss, float(self.gamma @ now), l1, worst, lam, self.infimum)
            value = self.loss + lam * l1
            if gap <= 0.9 * best[0] or value < best[1] - 1e-3 * goal:
                stuck, best = 0, (min(gap, best[0]), value)
            stuck += 1
            if gap <= goal or stuck > STUCK or self.left == 0:
                return gap <= goal
            self.left -= 1
            fresh = self.hessian is None or gap > SLOW * before
            if fresh:
                self._model()
            model = self._minimiser(now, lam, max(INEXACT * gap, 0.2 * goal))
            step = self._search(model - self.gamma, now, lam)
            if fresh:
                self.floor = min(self.floor * 100, 1.0) if step < 1 else max(self.floor / 10, FLOOR)
            before = gap if step == 1 else 0.0
            now = scan(self.columns, self.resid)
        return False

    def _model(self):
        """The quadratic model of the working set for the present curvatures: a Gram matrix, or columns in the metric of these.

        *Cost*: the size m of the set squared times the samples, and m for a step in it; or the entries of large sets of short columns,
        and those of a column.
        """
        loss, weight = self.problem.loss, self.problem.weight
        curved = np.zeros(len(weight))
        largest = 0.0 if loss.curvature is None else self.curvatures(*self.fixed, self.pred, curved)
        most = loss.sigma or largest
        if self.floor > FLOOR:
            bent = np.empty(len(weight))
            self.secants(*self.fixed, self.pred, bool(loss.location), most, bent)
            np.maximum(curved, self.floor * bent, out=curved)
        np.maximum(curved, FLOOR * most * weight, out=curved)
        along, m = self._centre(curved), len(self.gamma)
        if self.sparse and m > LARGE and len(self.columns.data) < m * m:
            self.hessian = Entries(self.problem.dictionary, self.x, self.learner, self._scale(), np.sqrt(curved), self.means)
        else:
            self.hessian = self.columns.gram(curved) - np.outer(along, self.means)

    def _centre(self, curved):
        """The correlations with the curvatures, (m,), where the intercept is free; 0 where it is not."""
        return self.means

    def _minimiser(self, now, lam, goal):
        """Coefficients (m,) where the model's gap is `goal`; now : (m,), the correlations at the present ones."""
        model, there, held = self.gamma.copy(), now.copy(), self.hessian
        if not isinstance(held, Entries):
            fit_gram(held, there, there, model, lam, goal, self.loss, self.infimum)
            return model
        # a square with the roots of the curvatures as scale of the rows; a correlation above lam may cost the loss far more than it
        rest, nothing = self.resid / held.one, np.zeros(len(model))
        y = rest + held.combine(model)
        least = LEAST * float(y @ y) / 2
        own = max(goal, least)
        for _ in range(TURNS):
            if not held.fit(y, model, rest, nothing, lam, own):
                break
            resid = y - held.combine(model)
            corr, l1 = held.correlations(resid), float(np.abs(model).sum())
            gap = convex_gap(self.loss, float(corr @ model), l1, float(np.abs(corr).max()), lam, self.infimum)
            if gap <= goal or own == least:
                break
            own = max(0.1 * own, least)
        return model

    @np.errstate(over="ignore", invalid="ignore")  # a step out of the range of float64 is too long, like others
    def _search(self, change, now, lam):
        """Go along `change` of the coefficients, halving until the objective falls; the length of the step.

        Where rounding hides whether it does, the slope at the end has to be less steep than that at the start, or hidden itself: along
        columns that depend on each other coefficients may go far where the prediction hardly moves.
        """
        move = self._combine(change)
        old = float(np.abs(self.gamma).sum())
        start = self.loss + lam * old
        part = ROUNDING * len(move) ** 0.5
        rounding = part * start
        slope = float(now @ change) - lam * (float(np.abs(self.gamma + change).sum()) - old)
        # the same without differences of norms, which rounding would hide
        steep = float((now - lam * np.where(self.gamma == 0, np.sign(change), np.sign(self.gamma))) @ change)
        hidden = part * float(np.abs(change).sum()) * float(np.linalg.norm(self.resid))
        resid, step = np.empty_like(self.resid), 1.0
        for _ in range(HALVINGS):
            gamma = self.gamma + step * change
            loss = self.terms(*self.fixed, self.pred, move, step, resid)
            fall = start - loss - lam * float(np.abs(gamma).sum())
            sides = np.where(gamma == 0, -np.sign(change), np.sign(gamma))
            flat = lam * float(sides @ change) - float(resid @ move) <= max(FLAT * steep, hidden)
            if fall >= DECREASE * step * slope + rounding or (fall >= -rounding and flat):
                self.gamma, self.pred, self.loss, self.resid = gamma, self.pred + step * move, loss, resid
                return step
            step /= 2
        return 0.0


class FreeNewton(Newton):
    r"""The same beside an intercept that is not penalised: an unpenalised column of ones, at its best value at every step.

    Residuals sum to 0 there. Then convexity gives :math:`L(b', \beta') \ge L(b, \beta) + \langle r, B\beta - B\beta'\rangle` for every
    intercept b', without a term in b': the certificate is that of a fixed intercept. What rounding leaves of the sum is multiplied by how
    far the best intercept can be, see ``Reach``. Each quadratic model is minimised over the intercept, too: its columns have mean 0 in the
    metric of the curvatures.
    """

    def _search(self, change, now, lam):
        step = super()._search(change, now, lam)
        self._settle()
        return step

    def _settle(self):
        self.pred = self.pred + best_shift(self.problem, self.pred)
        self._evaluate()

    def _centre(self, curved):
        along = scan(self.columns, curved)
        self.means = along / float(curved.sum())
        return along


class Reach(intercept.Farthest):
    """How far the intercept of an optimum can be from the start, for the columns of `source`."""

    def __init__(self, source):
        super().__init__(source.problem, source.scan)

    def gap(self, lam, *point):
        """The certified gap at a point whose prediction has its intercept in."""
        problem, at = self.problem, Evaluation(*point)
        certificate = L1Penalty(lam).certificate(problem, at)
        total = float(problem.weight.sum())
        rest = abs(float(at.resid.sum())) + at.doubt(problem) * math.sqrt(total)
        # where the point is: its distance from the start is that of the mean prediction, at most
        far = self.most(certificate.upper, lam) + float(np.abs(at.pred).max())
        return certificate.gap + rest * far
