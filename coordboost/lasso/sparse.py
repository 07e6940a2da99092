"""The penalised Lasso by coordinate descent on the stored entries of a sparse dictionary: a step costs the entries of its column.

The residual is kept as ``resid - off``, so that the shift of an implicitly centred column is one subtraction. Working sets, stops and
certificates are those of ``lasso/gram.py``. *Source*: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear
models via coordinate descent* (naive updates).
"""

import numpy as np

from coordboost._generic import compiled, kernel
from coordboost.lasso.gram import NEAR, SCANS, SWEEPS, gap_of

# entries of `state`: what is to be taken from every entry of resid; the sum of the residual
OFF, SUM = range(2)
#: Most rounds of sweeps between two scans.
ROUNDS = 400


@kernel
def correlation(data, row, start, columns, resid, state, j):
    """<b_j, residual>; the rows of `columns`: scale, shift, sum of the stored entries, squared norm, ridge."""
    total = 0.0
    for p in range(start[j], start[j + 1]):
        total += data[p] * resid[row[p]]
    return columns[0, j] * (total - state[OFF] * columns[2, j]) - columns[1, j] * state[SUM]


@kernel
def sweep(data, row, start, columns, index, n, resid, state, gamma, lam):
    """Minimise exactly along each of the n learners `index` in turn; the decrease of the objective."""
    gain = 0.0
    for i in range(n):
        j = index[i]
        old, square = gamma[j], columns[3, j] + columns[4, j]
        corr = correlation(data, row, start, columns, resid, state, j) - columns[4, j] * old
        a = corr + square * old
        new = (a - lam) / square if a > lam else ((a + lam) / square if a < -lam else 0.0)
        move = new - old
        if move != 0.0:
            gain += move * (corr - 0.5 * square * move) - lam * (abs(new) - abs(old))
            gamma[j] = new
            by = move * columns[0, j]
            for p in range(start[j], start[j + 1]):
                resid[row[p]] -= by * data[p]
            state[OFF] -= move * columns[1, j]
            state[SUM] -= by * columns[2, j] - len(resid) * move * columns[1, j]
    return gain


def descend(data, row, start, columns, index, support, resid, state, y, gamma, lam, goal, rounds):
    """Sweeps over the working set `index`, each followed by sweeps over the support, until the gap on the set is at most `goal`."""
    for _ in range(rounds):
        sweep(data, row, start, columns, index, len(index), resid, state, gamma, lam)
        n, l1 = 0, 0.0
        for i in range(len(index)):
            if gamma[index[i]] != 0.0:
                support[n] = index[i]
                n += 1
        for _ in range(SWEEPS):
            if sweep(data, row, start, columns, support, n, resid, state, gamma, lam) <= 0.1 * goal:
                break
        square, along, worst = 0.0, 0.0, 0.0
        for i in range(len(resid)):
            r = resid[i] - state[OFF]
            square += r * r
            along += r * (y[i] - r)
        for i in range(len(index)):
            coef, ridge = gamma[index[i]], columns[4, index[i]] * gamma[index[i]]
            worst = max(worst, abs(correlation(data, row, start, columns, resid, state, index[i]) - ridge))
            l1 += abs(coef)
            square += ridge * coef
            along -= ridge * coef
        if gap_of(square, along, l1, worst, lam) <= goal:
            return True
    return False


class ColumnDescent:
    """A Lasso of the columns of `source`, stored sparsely and not weighted, for one penalty after the other, largest first."""

    def __init__(self, source):
        self.source, self.y, stored = source, source.y, source.problem.dictionary
        scale = np.ones(source.n_learners) if source.scale is None else source.scale
        filled = np.repeat(np.arange(source.n_learners), np.diff(stored.start))
        sums = np.bincount(filled, stored.data, source.n_learners)
        self.columns = np.array([scale * stored.scale, scale * stored.shift, sums, scale**2, 0.0 * scale])
        self.stored = stored.data, stored.row, stored.start
        self.gamma, self.working = np.zeros(source.n_learners), np.zeros(source.n_learners, dtype=bool)
        self.run, self.n_scans, self.square_y = compiled(descend, (), allocates=False), 0, float(self.y @ self.y)
        self._scan()

    def _scan(self):
        """Look at all learners with the residual formed anew."""
        self.n_scans += 1
        self.resid = self.y - self.source.combine(self.gamma)
        self.state = np.array([0.0, self.resid.sum()])
        self.corr = self.source.scan(self.resid)
        self.size = np.abs(self.corr - self.columns[4] * self.gamma)
        self.level = float(self.size.max())

    def solve(self, lam, tol):
        """Learners, their coefficients, and the certified gap over square_y / 2, which is at most `tol`."""
        null, goal = self.square_y / 2, 0.9 * tol * self.square_y / 2
        self.columns[4] = lam * self.source.ridge
        best = self._gap(lam), self.gamma.copy()
        if best[0] > tol * null:
            self.working |= (self.size >= lam * max(lam / self.level, NEAR)) & (self.level > lam)
            best = np.inf, best[1]
        for _ in range(SCANS):
            if best[0] <= tol * null:
                break
            index = np.flatnonzero(self.working)
            support = np.empty(len(index), dtype=np.int64)
            self.run(*self.stored, self.columns, index, support, self.resid, self.state, self.y, self.gamma, lam, goal, ROUNDS)
            self._scan()
            best = min(best, (self._gap(lam), self.gamma.copy()), key=lambda pair: pair[0])
            more = (self.size > lam) & ~self.working
            self.working |= more
            goal = goal if more.any() else 0.1 * goal
        support = np.flatnonzero(best[1])
        return support, best[1][support], best[0] / null if null > 0 else 0.0

    def _gap(self, lam):
        """The duality gap over all learners, from the last scan."""
        pull = self.columns[4] * self.gamma
        ridge, worst = float(pull @ self.gamma), float(np.abs(self.corr - pull).max())
        along, square = float(self.resid @ (self.y - self.resid)) - ridge, float(self.resid @ self.resid) + ridge
        return max(gap_of(square, along, float(np.abs(self.gamma).sum()), worst, lam), 0.0)
