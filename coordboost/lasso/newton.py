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

import numpy as np

from coordboost._generic import compiled, generic, is_piece
from coordboost._protocol import LOSS
from coordboost._total import rest_of, with_rest
from coordboost.lasso.part import Part
from coordboost.lasso.quadratic import EntriesModel, GramModel, gap_of_loss

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
#: Steps between two scans, for one penalty, and halvings of a step, at most.
STEPS, MOST, HALVINGS = 200, 600, 40
#: A larger set of sparse columns is no Gram matrix any more, where its columns have fewer entries than it has columns.
LARGE = 200

value = generic("value")
residual = generic("residual")
curvature = generic("curvature")


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

    Parameters
    ----------
    source : ScaledColumns, not weighted
    judge : callable
        ``judge(lam, gamma, pred, loss, resid, corr)``: the certified duality gap at a point, `corr` from a scan of all learners.
    """

    near, left = 0.96, MOST

    def __init__(self, source, judge):
        self.source, self.judge, self.problem, self.held = source, judge, source.problem, Part(source)
        loss = self.problem.loss
        pieces = (loss,) if is_piece(loss) else None
        self.terms, self.curvatures, self.secants = (compiled(f, pieces) if pieces else f for f in (terms, curvatures, secants))
        self.gap_of_loss, self.in_gram_form, self.on_entries = compiled(gap_of_loss, ()), GramModel(), EntriesModel()
        self.fixed = loss, self.problem.y, self.problem.weight, self.problem.base
        self.infimum = self.problem.infimum
        self.floor = 1.0 if LOSS.of(loss, "curvature") is None else FLOOR
        self.gamma, self.quadratic = np.zeros(0), None
        self.pred, self.resid = np.zeros(source.n_samples), np.empty(source.n_samples)
        self.loss, self.null = self.terms(*self.fixed, self.pred, self.pred, 0.0, self.resid), self.problem.start_excess
        self.n_scans = 0
        self._scan()

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
        mask[self.held.learner] = False
        return np.flatnonzero(mask)

    def recruit(self, new):
        """The working set needs a new quadratic model then."""
        self.held.add(new)
        self.gamma = np.append(self.gamma, np.zeros(len(new)))
        self.quadratic = None

    def model(self):
        support = np.flatnonzero(self.gamma)
        return self.held.learner[support], self.gamma[support]

    def check(self, lam, wanted):
        """The prediction formed anew. *Cost*: one scan."""
        self.pred = self.held.dictionary.combine(self.gamma)
        self.loss = self.terms(*self.fixed, self.pred, self.pred, 0.0, self.resid)
        self._scan()
        return self.gap(lam, wanted)

    def gap(self, lam, wanted):
        gamma = np.zeros(self.source.n_learners)
        gamma[self.held.learner] = self.gamma
        return self.judge(lam, gamma, self.pred, self.loss, self.resid, self.corr)

    def fit(self, lam, goal):
        """Steps until the gap on the working set is at most `goal`, or none makes progress."""
        stuck, best, before = 0, (np.inf, np.inf), np.inf
        now = self.corr[self.held.learner]
        for _ in range(STEPS):
            gap = self.gap_of_loss(self.loss, now, self.gamma, lam, self.infimum)
            value = self.loss + lam * float(np.abs(self.gamma).sum())
            if gap <= 0.9 * best[0] or value < best[1] - 1e-3 * goal:
                stuck, best = 0, (min(gap, best[0]), value)
            stuck += 1
            if gap <= goal or stuck > STUCK or self.left == 0:
                return gap <= goal
            self.left -= 1
            fresh = self.quadratic is None or gap > SLOW * before
            if fresh:
                self._model()
            inner = max(INEXACT * gap, 0.2 * goal)
            point = self.gamma, now, self.resid
            model = self.quadratic.minimiser(*point, lam, self.loss, self.infimum, inner)
            step = self._search(model - self.gamma, now, lam)
            if fresh:
                self.floor = min(self.floor * 100, 1.0) if step < 1 else max(self.floor / 10, FLOOR)
            before = gap if step == 1 else 0.0
            now = self.held.scan(self.resid)
        return False

    def _model(self):
        """The quadratic model of the working set for the present curvatures. *Cost*: see ``quadratic.py``."""
        loss, weight = self.problem.loss, self.problem.weight
        curved = np.zeros(len(weight))
        largest = 0.0 if LOSS.of(loss, "curvature") is None else self.curvatures(*self.fixed, self.pred, curved)
        most = LOSS.of(loss, "sigma") or largest
        if self.floor > FLOOR:
            bent = np.empty(len(weight))
            self.secants(*self.fixed, self.pred, bool(LOSS.of(loss, "location")), most, bent)
            np.maximum(curved, self.floor * bent, out=curved)
        np.maximum(curved, FLOOR * most * weight, out=curved)
        m = len(self.gamma)
        kind = self.on_entries if m > LARGE and self.held.n_entries < m * m else self.in_gram_form
        self.quadratic = kind.made(self.held, curved)

    @np.errstate(over="ignore", invalid="ignore")  # a step out of the range of float64 is too long, like others
    def _search(self, change, now, lam):
        """Go along `change` of the coefficients, halving until the objective falls; the length of the step.

        Where rounding hides whether it does, the slope at the end has to be less steep than that at the start, or hidden itself: along
        columns that depend on each other coefficients may go far where the prediction hardly moves.
        """
        move = self.held.dictionary.combine(change)
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
