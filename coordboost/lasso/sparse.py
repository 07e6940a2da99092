"""The penalised Lasso by coordinate descent on the stored entries of a sparse dictionary: a step costs the entries of its column.

Where sweeps are slow and the tolerance is fine, conjugate gradients on the support. A check evaluates only the columns whose bound
exceeds the penalty: the bound of an abs correlation grows with the residual's move, by the sphere test for columns of few entries.

Source: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via coordinate descent* (naive updates).
"""

import math

import numpy as np

from coordboost._generic import compiled, kernel
from coordboost._linesearch import soft_threshold
from coordboost.lasso.conjugate import descend_on_support
from coordboost.lasso.entries import column_correlation, drift, empty, gap_sums, measure, short_rows, subtract, with_more
from coordboost.lasso.gaps import enough_level, squared_gap
from coordboost.screening.sphere import SLACK, few_entries

#: Sweeps over the support in a round; rounds before conjugate gradients; turns of both at one penalty.
SWEEPS, ROUNDS, TURNS = 10, 20, 20
#: Conjugate gradients pay at once for gaps below this part of the loss at 0: for more, few sweeps do as a rule.
FINE = 1e-4
#: Part of the gap asked for: sweeps over the support that gain less have come to an end.
FLAT = 0.03


@kernel
def sweep_entries(held, index, n, resid, drift, gamma, lam):
    """Minimise exactly along each of the n columns `index` in turn; the decrease of the objective."""
    gain = 0.0
    for i in range(n):
        j = index[i]
        old, square = gamma[j], held.square[j] + held.ridge[j]
        corr = column_correlation(held, resid, drift, j) - held.ridge[j] * old
        a = corr + square * old
        new = soft_threshold(a, lam, square)
        move = new - old
        if move != 0.0:
            gain += move * (corr - 0.5 * square * move) - lam * (abs(new) - abs(old))
            gamma[j] = new
            subtract(held, resid, drift, j, move)
    return gain


def descend_by_entries(held, everything, support, resid, drift, y, gamma, lam, goal, rounds):
    """Sweeps over the set, each followed by sweeps over the support, until its gap is at most `goal`: -1; or the support's size."""
    n = 0
    for _ in range(rounds):
        sweep_entries(held, everything, len(everything), resid, drift, gamma, lam)
        n = 0
        for j in range(len(everything)):
            if gamma[j] != 0.0:
                support[n] = j
                n += 1
        for _ in range(SWEEPS):
            if sweep_entries(held, support, n, resid, drift, gamma, lam) <= FLAT * goal:
                break
        square, along, l1, worst = gap_sums(held, gamma, y, resid, drift)
        if squared_gap(square, along, l1, worst, lam) <= goal:
            return -1
    return n


def let_grow(count, norm, l1, shift, few, top, total, size):
    """Let the bounds `size` of the abs correlations grow with a move of the residual; below 0 they are those of the working set.

    few, top, total : what `few_entries` says of the move, its largest abs entry, the abs product with ``one`` (``entries.py``)
    """
    for j in range(len(size)):
        if size[j] >= 0.0:
            size[j] += (min(few[count[j]] * norm[j], top * l1[j]) + shift[j] * total) * (1.0 + SLACK)


def measure_columns(stored, norm, l1):
    """Fill `norm` and `l1` (n_learners,) with the norms of the stored columns, as they are stored, and the sums of their abs entries."""
    for j in range(len(norm)):
        square, total = 0.0, 0.0
        for p in range(stored.start[j], stored.start[j + 1]):
            square += stored.data[p] * stored.data[p]
            total += abs(stored.data[p])
        norm[j], l1[j] = square**0.5, total


def evaluate(stored, one, scale, norm, shift, index, resid, doubt, size):
    """The abs correlations of the learners `index`, with their rounding: `doubt` times the norms; entries read."""
    seen, total, square, mass = 0, 0.0, 0.0, 0.0
    for i in range(len(resid)):
        total += resid[i] * one[i]
        square += resid[i] * resid[i]
        mass += one[i] * one[i]
    doubt, length = doubt * square**0.5, mass**0.5
    for i in range(len(index)):
        j = index[i]
        corr = 0.0
        for p in range(stored.start[j], stored.start[j + 1]):
            corr += stored.data[p] * resid[stored.row[p]]
        corr = scale[j] * (stored.scale[j] * corr - stored.shift[j] * total)
        size[j] = abs(corr) + doubt * (norm[j] + shift[j] * length)
        seen += stored.start[j + 1] - stored.start[j]
    return seen


class StoredEntries:
    """The inner solver for columns stored sparsely (``workingset.py`` says what it is asked).

    Weights scale the rows: the entries are copied once, times the roots of the weights.

    size : (n_learners,), upper bounds of the abs correlations at the residual `seen_at`, -1 for learners of the working set
    known : (n_learners,), which of them were evaluated there;  looked : the smallest level that was looked for
    learner, gamma : (m,), the working set in the order of arrival, coefficients;  inside : its largest abs correlation at the last gap
    sums : what `gap_sums` says of this point, None where that is to be asked;  aside : room of conjugate gradients, as `drift`
    """

    near = 0.96

    def __init__(self, source):
        self.source, self.y, self.stored = source, source.y, short_rows(source.problem.dictionary, source.root)
        one = np.ones(source.n_samples) if source.root is None else source.root
        self.scale = np.ones(source.n_learners) if source.scale is None else source.scale
        stored, self.norm, self.l1 = self.stored, np.empty(source.n_learners), np.empty(source.n_learners)
        compiled(measure_columns, ())(stored, self.norm, self.l1)
        self.norm *= (by := self.scale * np.abs(stored.scale))
        self.l1 *= by
        self.count, self.shift = np.diff(stored.start), self.scale * np.abs(stored.shift)
        self.doubt = 2 * float(np.finfo(float).eps) * source.n_samples**0.5
        self.null, self.entries = float(self.y @ self.y) / 2, 0.0
        self.held, self.learner = empty(stored, one), np.zeros(0, dtype=np.int64)
        self.gamma, self.sums, self.inside, self.lam = np.zeros(0), None, 0.0, 0.0
        self.descend, self.let_grow, self.evaluate, self.measure, self.gap_sums, self.conjugate = (
            compiled(run, ()) for run in (descend_by_entries, let_grow, evaluate, measure, gap_sums, descend_on_support)
        )
        self.resid, self.seen_at = self.y.copy(), self.y.copy()
        self.drift, self.aside = drift(self.y, source.root), drift(self.y, source.root)
        rounding = self.doubt * math.sqrt(2 * self.null) * (self.norm + self.shift * float(np.linalg.norm(one)))
        self.size, self.known, self.looked = np.abs(source.zero) + rounding, np.ones(source.n_learners, dtype=bool), 0.0

    @property
    def n_scans(self):
        """Scans of all learners, those of a few counted by their entries."""
        return -int(-self.entries // max(len(self.stored.data), 1))

    @property
    def level(self):
        return max(self.inside, float(self.size.max()))

    def _look(self, level):
        """Evaluate the correlations whose bounds reach `level`, unless that was done since the last move."""
        if level < self.looked:
            index, self.looked = np.flatnonzero((self.size >= max(level, 0.0)) & ~self.known), level
            fixed = self.stored, self.held.one, self.scale, self.norm, self.shift
            self.entries += self.evaluate(*fixed, index, self.seen_at, self.doubt, self.size)
            self.known[index] = True

    def _moved(self):
        """The residual is another: the bounds grow."""
        moved, self.seen_at, self.looked = self.resid - self.seen_at, self.resid.copy(), math.inf
        few = few_entries(moved, int(self.count.max(initial=0)))
        top, total = float(np.abs(moved).max()), float(abs(moved @ self.held.one))
        self.known[:] = False
        self.let_grow(self.count, self.norm, self.l1, self.shift, few, top, total, self.size)

    def penalise(self, lam):
        self.lam, ridge = lam, lam * self.source.ridge[self.learner]
        if (ridge != self.held.ridge[: len(ridge)]).any():
            self.held.ridge[: len(ridge)], self.sums = ridge, None

    def waiting(self, level):
        return np.flatnonzero((self.size >= level) & self.known)

    def recruit(self, new):
        ridge = self.lam * self.source.ridge[new]
        self.held = with_more(self.held, len(self.gamma), self.stored, new, self.scale[new], ridge)
        self.learner, self.size[new] = np.append(self.learner, new), -1.0
        self.gamma, self.sums = np.append(self.gamma, np.zeros(len(new))), None

    def model(self):
        support = np.flatnonzero(self.gamma)
        return self.learner[support], self.gamma[support]

    def fit(self, lam, goal):
        """Sweeps, and conjugate gradients where they are slow."""
        m, n_samples = len(self.gamma), self.source.n_samples
        everything, support = np.arange(m), np.empty(m, dtype=np.int64)
        room = np.empty(m), np.empty(m), np.empty(n_samples)
        state = self.resid, self.drift
        for turn in range(TURNS):
            n = self.descend(self.held, everything, support, *state, self.y, self.gamma, lam, goal, ROUNDS)
            if n < 0:
                return True
            if turn > 0 or goal <= FINE * self.null:
                self.conjugate(self.held, support, n, *state, self.gamma, lam, goal, *room, self.aside)
        return False

    def check(self, lam, wanted):
        """The residual formed anew. *Cost*: the entries of the columns whose bound matters, or reaches lam where none has to do."""
        self.measure(self.held, self.gamma, self.y, self.resid, self.drift)
        self.sums = None
        self._moved()
        return self._certified(lam, wanted, lam)

    def gap(self, lam, wanted):
        """At another penalty columns are evaluated only where the set's own gap is small enough."""
        return self._certified(lam, wanted, math.inf)

    def _certified(self, lam, wanted, otherwise):
        """The gap, after a look for what keeps it above `wanted`; where the set alone does, from the level `otherwise` on."""
        if self.sums is None:
            self.sums = self.gap_sums(self.held, self.gamma, self.y, self.resid, self.drift)
        square, along, l1, self.inside = self.sums
        small = squared_gap(square, along, l1, self.inside, lam) <= wanted
        self._look(enough_level(square, along, l1, lam, wanted) if small else otherwise)
        return squared_gap(square, along, l1, self.level, lam)
