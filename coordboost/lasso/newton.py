r"""The penalised Lasso of any smooth loss by proximal Newton steps on a working set, with certified stops.

At a prediction the loss is replaced by its quadratic model: with c = B'r the correlations of the pseudo-residual and
G = B' diag(h) B, h_i = w_i curvature(y_i, f_i),

    minimise  -c'd + d'G d / 2 + lam ||gamma + d||_1     over the working set,

by coordinate descent in Gram form, with exact solves on the support where that is slow, and a line search goes along d on the true
objective. G is the dear part: it is kept from step to step and from penalty to penalty, as long as each step leaves a small part of
the duality gap. Curvatures are kept above a floor, which rises where steps prove too long: at the smoothness constant the model lies
above the loss and full steps cannot fail. Scans of all learners recruit and certify.

Sources: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via coordinate descent*; Tibshirani et al.,
*Strong rules for discarding predictors in lasso-type problems*; Lee, Sun, Saunders, *Proximal Newton-type methods for minimizing
composite functions* (line search).
"""

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from coordboost._generic import compiled, generic, is_piece, kernel
from coordboost._protocol import LOSS
from coordboost.lasso.gram import GAMMA, NOW, SMALL, go_round
from coordboost.lasso.held import Held
from coordboost.screening.columns import grown

#: Smallest floor of a curvature, relative to the largest curvature of the loss.
FLOOR = 1e-12
#: A step that leaves a larger part of the gap asks for the Gram matrix of the present curvatures.
SLOW = 0.2
#: The model is solved until its own gap is this part of the gap before the step.
INEXACT = 0.05
#: Least decrease of the objective, as a part of that predicted at first order; rounding of the objective, over the root of n_samples;
#: the largest slope at the end of a step, over that at its start.
DECREASE, ROUNDING, FLAT = 1e-4, 1e-15, 0.9
#: Steps in a row without progress that a solve lets pass: more than the floor needs to rise.
STUCK = 8
#: Weight of the proximal term of an exact solve, relative to the largest entry of the diagonal.
PROX = 1e-10
#: Most rounds of sweeps before an exact solve, such solves in a step, steps between two scans, halvings of a step, scans at one penalty.
ROUNDS, SOLVES, STEPS, HALVINGS, SCANS, TRIES = 5, 40, 200, 40, 60, 4

value = generic("value")
residual = generic("residual")
curvature = generic("curvature")


def terms(loss, y, weight, base, pred, move, step, resid):
    """Sum of the weighted losses at ``pred + step * move``; `resid` is filled on the way."""
    out = 0.0
    for i in range(len(y)):
        f = base + pred[i] + step * move[i]
        out += weight[i] * value(loss, y[i], f)
        resid[i] = weight[i] * residual(loss, y[i], f)
    return out


def curvatures(loss, y, weight, base, pred, out):
    """Fill `out` with the second derivatives of the losses; the largest, weights not counted."""
    largest = 0.0
    for i in range(len(y)):
        out[i] = curvature(loss, y[i], base + pred[i])
        largest = max(largest, out[i])
        out[i] *= weight[i]
    return largest


@kernel
def gap_of(loss, now, gamma, lam):
    """Duality gap at a loss and correlations: that of ``targets.Penalty`` for any loss with values >= 0."""
    worst, l1, along = 0.0, 0.0, 0.0
    for j in range(len(now)):
        worst = max(worst, abs(now[j]))
        l1 += abs(gamma[j])
        along += gamma[j] * now[j]
    inside = max(lam * l1 - along, 0.0)
    return inside + (loss / lam + l1) * (worst - lam) if worst > lam else inside


def settle(gram, of, everything, support, lam, loss, goal, rounds):
    """Rounds of sweeps, until the gap of the model is at most `goal`; whether it is."""
    for _ in range(rounds):
        go_round(gram, of, everything, support, lam, goal)
        if gap_of(loss, of[NOW], of[GAMMA], lam) <= goal:
            return True
    return False


def leap(gram, of, lam):
    """To the minimiser of the model for the signs that the support has, or to the first change of a sign on the way."""
    support = np.flatnonzero(of[GAMMA])
    old, here = of[GAMMA, support], gram[np.ix_(support, support)]
    here[np.diag_indices_from(here)] += PROX * here.diagonal().max(initial=0.0)
    factor, failed = dpotrf(here, lower=1, overwrite_a=1)
    if failed or not len(support):
        return
    change = dpotrs(factor, of[NOW, support] - lam * np.sign(old), lower=1)[0]
    against = change * np.sign(old) < 0
    shares = np.where(against, -old / np.where(against, change, 1.0), np.inf)
    share = min(1.0, float(shares.min()))
    of[GAMMA, support] = np.where(shares <= share, 0.0, old + share * change)
    of[NOW] -= (of[GAMMA, support] - old) @ gram[support]


class Newton:
    """A Lasso of the columns of `source` for the loss of its problem, solved for one penalty after the other, largest first.

    Parameters
    ----------
    source : Unweighted
    judge : callable
        ``judge(lam, gamma, pred, loss, resid, corr)``: the certified duality gap at a point, `corr` from a scan of all learners.
    """

    def __init__(self, source, judge):
        self.source, self.judge, self.problem, self.held = source, judge, source.problem, Held(source)
        loss = self.problem.loss
        pieces = (loss,) if is_piece(loss) else None
        self.terms, self.curvatures = (compiled(f, pieces) if pieces else f for f in (terms, curvatures))
        self.settle, self.gap_of = compiled(settle, ()), compiled(gap_of, ())
        self.fixed = loss, self.problem.y, self.problem.weight, self.problem.base
        self.floor = 1.0 if LOSS.of(loss, "curvature") is None else FLOOR
        self.gamma, self.gram = np.zeros(0), None
        self.pred, self.resid = np.zeros(source.n_samples), np.empty(source.n_samples)
        self.loss = self.null = self.terms(*self.fixed, self.pred, self.pred, 0.0, self.resid)
        self.n_scans = 0
        self._scan()
        if source.n_learners <= min(SMALL, source.n_samples // 2):
            self._recruit(np.ones(source.n_learners, dtype=bool))

    def _scan(self):
        """Look at all learners."""
        self.n_scans += 1
        self.corr = self.source.scan(self.resid)
        self.size = np.abs(self.corr)
        self.level = float(self.size.max())

    def solve(self, lam, tol):
        """Learners, their coefficients, and the certified gap over the loss at 0, which is at most `tol`."""
        goal, inner = tol * self.null, 0.8 * tol * self.null
        if self.level > lam:
            self._recruit(self.size >= 2 * lam - self.level)
        best, tries = (np.inf, np.zeros(0, dtype=np.int64), np.zeros(0)), 0
        for _ in range(SCANS):
            reached = self._fit(lam, inner)
            gap = self._check(lam)
            if gap < best[0]:
                support = np.flatnonzero(self.gamma)
                best = gap, self.held.learner[support], self.gamma[support]
            if gap <= goal:
                break
            if not self._recruit(self.size > lam):
                inner, tries = 0.1 * inner if reached else inner, tries + 1
                if tries == TRIES:
                    break
        return best[1], best[2], best[0] / self.null if self.null > 0 else 0.0

    def _recruit(self, mask):
        """Put the learners of a mask into the working set, which then needs a new Gram matrix; whether any is new."""
        mask = mask.copy()
        mask[self.held.learner] = False
        new, m = np.flatnonzero(mask), len(self.gamma)
        if not len(new):
            return False
        self.held.add(new)
        self.gamma = grown(self.gamma, m + len(new))
        self.gamma[m:] = 0.0
        self.gram = None
        return True

    def _check(self, lam):
        """The certified gap over all learners, the prediction formed anew. *Cost*: one scan."""
        gamma = np.zeros(self.source.n_learners)
        gamma[self.held.learner] = self.gamma
        self.pred = self.held.dictionary.combine(self.gamma)
        self.loss = self.terms(*self.fixed, self.pred, self.pred, 0.0, self.resid)
        self._scan()
        return self.judge(lam, gamma, self.pred, self.loss, self.resid, self.corr)

    def _fit(self, lam, goal):
        """Steps until the gap on the working set is at most `goal`, or none makes progress; whether it is."""
        m = len(self.gamma)
        everything, support, before = np.arange(m), np.empty(m, dtype=np.int64), np.inf
        stuck, best = 0, (np.inf, np.inf)
        now = self.corr[self.held.learner]
        for _ in range(STEPS):
            gap = self.gap_of(self.loss, now, self.gamma, lam)
            value = self.loss + lam * float(np.abs(self.gamma).sum())
            if gap <= 0.9 * best[0] or value <= best[1] - 1e-3 * goal:
                stuck, best = 0, (min(gap, best[0]), value)
            stuck += 1
            if gap <= goal or stuck > STUCK:
                return gap <= goal
            fresh = self.gram is None or gap > SLOW * before
            if fresh:
                self._bend()
            of = np.array([now, now, self.gamma])
            for _ in range(SOLVES):
                if self.settle(self.gram, of, everything, support, lam, self.loss, max(INEXACT * gap, 0.2 * goal), ROUNDS):
                    break
                leap(self.gram, of, lam)
            step = self._search(of[GAMMA] - self.gamma, now, lam)
            if fresh:
                self.floor = min(self.floor * 100, 1.0) if step < 1 else max(self.floor / 10, FLOOR)
            before = gap if step == 1 else 0.0
            now = self.held.scan(self.resid)
        return False

    def _bend(self):
        """The Gram matrix of the working set for the present curvatures. *Cost*: m^2 n_samples."""
        loss, weight = self.problem.loss, self.problem.weight
        bent = np.zeros(len(weight))
        largest = 0.0 if LOSS.of(loss, "curvature") is None else self.curvatures(*self.fixed, self.pred, bent)
        np.maximum(bent, self.floor * (LOSS.of(loss, "sigma") or largest) * weight, out=bent)
        self.gram = self.held.dictionary.gram(bent)

    def _search(self, change, now, lam):
        """Go along `change` of the coefficients, halving until the objective falls; the length of the step.

        Where rounding hides whether it does, the slope at the end has to be less steep than that at the start.
        """
        move = self.held.dictionary.combine(change)
        old = float(np.abs(self.gamma).sum())
        start = self.loss + lam * old
        rounding = ROUNDING * len(move) ** 0.5 * start
        slope = float(now @ change) - lam * (float(np.abs(self.gamma + change).sum()) - old)
        # the same without differences of norms, which rounding would hide
        steep = float((now - lam * np.where(self.gamma == 0, np.sign(change), np.sign(self.gamma))) @ change)
        resid, step = np.empty_like(self.resid), 1.0
        for _ in range(HALVINGS):
            gamma = self.gamma + step * change
            loss = self.terms(*self.fixed, self.pred, move, step, resid)
            fall = start - loss - lam * float(np.abs(gamma).sum())
            sides = np.where(gamma == 0, -np.sign(change), np.sign(gamma))
            flat = lam * float(sides @ change) - float(resid @ move) <= FLAT * steep
            if fall >= DECREASE * step * slope + rounding or (fall >= -rounding and flat):
                self.gamma, self.pred, self.loss, self.resid = gamma, self.pred + step * move, loss, resid
                return step
            step /= 2
        return 0.0
