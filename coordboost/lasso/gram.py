r"""The penalised Lasso by coordinate descent on a working set, in Gram form, with exact solves on the support and certified stops.

On the m learners of the working set c = B'r is kept up to date by rows of the Gram matrix, so a step costs O(m) whatever the number of
samples, and so does the duality gap on the set. Where sweeps are slow, one Cholesky solve on the support gives the minimiser for the
present signs. All learners are looked at by a scan, or a
sphere proves what it would show: no learner outside has reached lam while  outside + ||r - r_scan|| <= lam.

Sources: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via coordinate descent* (covariance updates,
active sets); Tibshirani et al., *Strong rules for discarding predictors in lasso-type problems*.
"""

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from coordboost._generic import compiled, kernel
from coordboost.screening.columns import Block, grown

# rows of `of`: correlations at 0 and now, coefficients
START, NOW, GAMMA = range(3)
#: All of so few learners are in the working set from the start, where there are samples enough.
SMALL = 2048
#: Weight of the proximal term of an exact solve, relative to the largest squared norm of a column.
PROX = 1e-8
#: Fewest rounds of sweeps before an exact solve, sweeps over the support in a round, exact solves and scans at one penalty.
ROUNDS, SWEEPS, SOLVES, SCANS = 3, 10, 40, 60
#: Learners whose correlation at the last scan was nearer than this to the penalty join the working set at once, however long ago it was.
NEAR = 0.96
#: Coefficients serve for penalties down to this part of the one they were found for, where they are good enough: steps stay short.
LASTS = 0.8


@kernel
def sweep(gram, of, index, n, lam):
    """Minimise exactly along each of the n learners `index` in turn; the decrease of the objective."""
    now, gamma, gain = of[NOW], of[GAMMA], 0.0
    for i in range(n):
        j = index[i]
        old, square = gamma[j], gram[j, j]
        a = now[j] + square * old
        new = (a - lam) / square if a > lam else ((a + lam) / square if a < -lam else 0.0)
        move = new - old
        if move != 0.0:
            gain += move * (now[j] - 0.5 * square * move) - lam * (abs(new) - abs(old))
            gamma[j] = new
            row = gram[j]
            for q in range(len(now)):
                now[q] -= move * row[q]
    return gain


@kernel
def gap_here(of, lam, square_y):
    """Duality gap of the Lasso on the working set alone."""
    start, now, gamma = of[START], of[NOW], of[GAMMA]
    worst, along, l1, square = 0.0, 0.0, 0.0, square_y
    for j in range(len(now)):
        worst = max(worst, abs(now[j]))
        if gamma[j] != 0.0:
            along += gamma[j] * now[j]
            square -= gamma[j] * (start[j] + now[j])
            l1 += abs(gamma[j])
    return gap_of(max(square, 0.0), along, l1, worst, lam)


@kernel
def gap_of(square, along, l1, worst, lam):
    """Duality gap at a residual r of the Lasso: square = <r, r>, along = <r, B gamma>, worst = max abs(B'r)."""
    share = lam / worst if worst > lam else 1.0
    return 0.5 * square + lam * l1 - share * (square + along) + 0.5 * share * share * square


@kernel
def go_round(gram, of, everything, support, lam, goal):
    """A sweep over the working set, and sweeps over its support until they gain little."""
    n, m = 0, of.shape[1]
    sweep(gram, of, everything, m, lam)
    for j in range(m):
        if of[GAMMA, j] != 0.0:
            support[n] = j
            n += 1
    for _ in range(SWEEPS):
        if sweep(gram, of, support, n, lam) <= 0.1 * goal:
            break


def descend(gram, of, everything, support, lam, goal, square_y, rounds):
    """Rounds of sweeps, until the gap on the working set is at most `goal`; whether it is."""
    for _ in range(rounds):
        go_round(gram, of, everything, support, lam, goal)
        if gap_here(of, lam, square_y) <= goal:
            return True
    return False


class Descent:
    """A Lasso of the columns of `source` on its target, solved for one penalty after the other, largest first.

    point : what `gap_of` needs for the coefficients found last, `coefs`, at any penalty; None where it is not known
    """

    def __init__(self, source):
        self.source, self.y, self.block = source, source.y, Block(source)
        self.square_y = float(self.y @ self.y)
        self.of, self.squares, self.bend = np.zeros((3, 0)), np.zeros(0), np.zeros(0)
        self.run, self.gap_here = compiled(descend, (), allocates=False), compiled(gap_here, (), allocates=False)
        self.n_scans, self.point, self.solved, self.coefs = 0, None, np.inf, (np.zeros(0, dtype=np.int64), np.zeros(0))
        self.scan(self.y)
        if source.n_learners <= min(SMALL, source.n_samples // 2):
            self._recruit(np.ones(source.n_learners, dtype=bool))

    def scan(self, resid):
        """Look at all learners."""
        self.n_scans += 1
        self.corr, self.anchor = self.source.scan(resid), resid
        self.size = np.abs(self.corr)
        self.level = float(self.size.max())

    def _bend(self, lam):
        """The ridge of the elastic net at `lam`, a part of the Gram matrix's diagonal."""
        learner, diagonal = self.block.learner, np.arange(len(self.block))
        before, self.bend = self.bend, lam * self.source.ridge[learner]
        self.block.gram[diagonal, diagonal] = self.squares + self.bend
        self.of[NOW] -= (self.bend - before) * self.of[GAMMA]

    def solve(self, lam, tol):
        """Learners, their coefficients, and the certified gap over square_y / 2, which is at most `tol`."""
        null, goal = self.square_y / 2, 0.9 * tol * self.square_y / 2
        if self.point is not None and lam >= LASTS * self.solved and (gap := gap_of(*self.point, lam)) <= tol * null:
            return *self.coefs, max(gap, 0.0) / null  # what was found for the last penalty is good enough for this one
        self.solved = lam
        if self.level > lam:
            self._recruit(self.size >= lam * max(lam / self.level, NEAR))
        self._bend(lam)
        best = np.inf
        for _ in range(SCANS):
            self._fit(lam, goal)
            gap = self._check(lam, tol)
            if gap < best:
                support = np.flatnonzero(self.of[GAMMA])
                best, self.coefs = gap, (self.block.learner[support], self.of[GAMMA, support])
            else:
                self.point = None
            if gap <= tol * null:
                break
            if self._recruit(self.size > lam):
                self._bend(lam)
            else:
                goal *= 0.1
        return *self.coefs, best / null if null > 0 else 0.0

    def _recruit(self, mask):
        """Put the learners of a mask into the working set; whether any is new."""
        new = np.flatnonzero(mask & (self.block.place < 0))
        if not len(new):
            return False
        m = len(self.block)
        self.block.add(new)
        self.of = grown(self.of, (3, m + len(new)))
        columns = self.block.columns[m : m + len(new)]
        self.of[START, m:] = columns @ self.y
        self.of[GAMMA, m:] = 0.0
        self.of[NOW, m:] = self.of[START, m:] - self.block.gram[m : m + len(new), :m] @ self.of[GAMMA, :m]
        self.squares = np.concatenate([self.squares, self.block.gram.diagonal()[m : m + len(new)]])
        self.bend = np.concatenate([self.bend, np.zeros(len(new))])
        return True

    def _fit(self, lam, goal):
        """Sweeps, and exact solves where they are slow, until the gap on the working set is at most `goal`."""
        m = len(self.block)
        everything, support = np.arange(m), np.empty(m, dtype=np.int64)
        for _ in range(SOLVES):
            # the larger the support, the dearer is its factor beside sweeps
            rounds = ROUNDS + np.count_nonzero(self.of[GAMMA]) // 50
            if self.run(self.block.gram, self.of, everything, support, lam, goal, self.square_y, rounds):
                return
            self._jump(lam)

    def _jump(self, lam):
        """Towards the minimiser for the signs that the support has; False where that does not lower the objective.

        A proximal step, exact but for a weight PROX that keeps the factor definite where columns depend on each other.
        """
        gamma, start = self.of[GAMMA], self.of[START]
        m, support = len(gamma), np.flatnonzero(gamma)
        if not len(support):
            return False
        gram, old = self.block.gram[np.ix_(support, support)], gamma[support]
        signs, near = np.sign(old), PROX * gram.diagonal().max()
        shifted = gram.copy()
        shifted[np.diag_indices_from(shifted)] += near
        factor, failed = dpotrf(shifted, lower=1, overwrite_a=1)
        if failed:
            return False
        target = start[support] - lam * signs
        new = old + dpotrs(factor, target - gram @ old, lower=1)[0]
        wrong, answers = new * signs < 0, [old, new]
        if wrong.any():
            shares = np.where(wrong, old / np.where(wrong, old - new, 1.0), 1.0)
            short = np.where(shares <= shares.min(), 0.0, old + shares.min() * (new - old))
            answers = [old, np.where(wrong, 0.0, new), short]
        values = [0.5 * at @ (gram @ at) - at @ start[support] + lam * np.abs(at).sum() for at in answers]
        best = int(np.argmin(values))
        gamma[support] = answers[best]
        self.of[NOW] = start - answers[best] @ self.block.gram[support, :m]
        return best > 0

    def _check(self, lam, tol):
        """The certified gap over all learners, by a scan where the sphere does not prove that none outside exceeds lam.

        With all learners in the set the Gram matrix tells all; its rounding, near 1e-13 of the loss at 0, is then far below `tol`.
        """
        m, gamma, start = len(self.block), self.of[GAMMA], self.of[START]
        columns, support = self.block.columns[:m], np.flatnonzero(gamma)
        if m == self.source.n_learners and tol >= 1e-9:
            self.of[NOW], self.point = start - gamma[support] @ self.block.gram[support, :m], None
            return max(self.gap_here(self.of, lam, self.square_y), 0.0)
        resid = self.y - gamma[support] @ columns[support]
        outside = self.block.place < 0
        bound = self.size[outside] + self.source.reach(float(np.linalg.norm(resid - self.anchor)), outside)
        farthest = float(bound.max(initial=0.0)) * (1 + 1e-12)
        if farthest <= lam:
            self.of[NOW] = columns @ resid
        else:
            self.scan(resid)
            self.of[NOW], farthest = self.corr[self.block.learner], float(self.size[outside].max(initial=0.0))
        self.of[NOW] -= self.bend * gamma
        inside, ridge = float(np.abs(self.of[NOW]).max(initial=0.0)), float(self.bend @ gamma**2)
        if self.anchor is resid:
            self.level = max(inside, farthest)
        along, square = float(resid @ (self.y - resid)) - ridge, float(resid @ resid) + ridge
        l1 = float(np.abs(gamma).sum())
        self.point = None if self.bend.any() else (square, along, l1, max(inside, farthest))
        return max(gap_of(square, along, l1, max(inside, farthest if self.anchor is resid else 0.0), lam), 0.0)
