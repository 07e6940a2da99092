r"""The penalised Lasso of the squared loss on a working set in Gram form: coordinate descent and exact solves.

On the m learners of the working set c = B'r is kept up to date by rows of the Gram matrix, so a step costs O(m) whatever the number of
samples, and so does the duality gap on the set. Where sweeps are slow, an active set goes to the exact optimum. All learners are looked
at by a scan, or those that the sphere test from the last two scans does not keep below the penalty.

Source: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via coordinate descent* (covariance updates).
"""

import math

import numpy as np

from coordboost._generic import compiled
from coordboost.lasso.active import ExactSolves
from coordboost.lasso.gaps import squared_gap
from coordboost.lasso.sweeps import correlations_by_gram, descend_by_gram
from coordboost.screening.sphere import LastScans, Trend, farthest

#: So few learners are all in the working set from the start, where there are samples enough and many penalties.
SMALL = 2048
#: Rounds of sweeps before the exact solves; turns of both at one penalty.
ROUNDS, TURNS = 3, 40
#: One round more for so many learners on the support: the larger it is, the dearer is its factor beside sweeps.
MORE = 50
#: Part of the gap asked for that rounding of the Gram form may cost.
ROUNDED = 0.05
#: Stored learners whose correlation may be this part of the penalty are looked at, one by one where they are at most such a part of all.
BESIDE, FEW = 0.9, 0.25
#: Before a fit join those who come so near to the penalty if they go on as between the last two looks: who is missed costs another fit.
EXPECTED = 0.99


class GramForm:
    """The inner solver for the columns of `source` (``workingset.py`` says what it is asked).

    start, now, gamma : (m,), correlations of the working set at 0 and now, coefficients;  ridge : (m,), what the elastic net adds to
    the diagonal of the Gram matrix;  elastic : whether that is ever more than 0;  outside : a bound of the abs correlations of all
    others at the point checked last;  plain : <r, r> and <r, y - r> there;  zero : (n_learners,), correlations at 0
    last : the last two scans;  doubt : rounding of a sum of products of unit columns, at most
    size : bounds of the abs correlations at the point checked last, (n_learners,);  trend : what they are about, look by look
    quick : whether a rough look may pay

    Parameters
    ----------
    source : ScaledColumns
    many : bool, default True
        Whether many penalties come: then few learners with samples enough are all in the working set from the start, and scans are saved.
    """

    near = 1.0

    def __init__(self, source, many=True):
        self.source, self.y, self.block = source, source.y, source.hold(with_gram=True, columns=False)
        self.square_y = float(self.y @ self.y)
        self.null, self.looks, self.lam, self.zero = self.square_y / 2, 0, 0.0, source.zero
        self.start, self.now, self.gamma, self.squares, self.ridge = (np.zeros(0) for _ in range(5))
        self.elastic = bool(source.ridge.any())
        self.doubt = 2 * float(np.finfo(float).eps) * math.sqrt(source.n_samples) * source.doubt
        self.descend, self.correlate = compiled(descend_by_gram, ()), compiled(correlations_by_gram, ())
        self.exact = ExactSolves()
        self.last = LastScans(self.y, self.zero)
        self.trend = Trend(np.abs(self.zero))
        self.size = self.trend.seen
        self.outside, self.plain = self.level, (self.square_y, 0.0)
        if many and source.n_samples <= SMALL:  # no optimum needs more learners; memory that is not used is not touched
            self.block.reserve(source.n_samples)
        if many and source.n_learners <= min(SMALL, source.n_samples // 2):
            self.recruit(np.arange(source.n_learners))

    @property
    def n_scans(self):
        """Scans of all learners, those of a few counted by their number."""
        return -(-self.looks // self.source.n_learners)

    @property
    def level(self):
        return float(self.size.max())

    def _see(self, size, guess, lam):
        """The abs correlations of a model for `lam` are at most `size`, and about `guess`, (n_learners,) both."""
        self.size = size
        self.trend.add(guess, lam)

    def _told(self, resid, lam):
        """All correlations with `resid` as far as they are known without a scan, and the most that each can be in size outside the set."""
        held, about, norm = self.block.learner, self.last.about(resid), self.source.norm_bound(slice(None))
        corr, reach = about.corr, farthest(np.abs(about.corr), about.off, norm)
        reach[held] = 0.0
        return corr, reach

    def _look(self, resid, lam):
        """The correlations of the working set with `resid`; all others are evaluated where they may come near `lam`."""
        held, apart, (corr, reach) = self.block.learner, self.source.apart, self._told(resid, lam)
        index = np.flatnonzero(reach > (BESIDE * lam if apart else lam))
        if self.block.entries is not None or len(index) > (FEW * len(reach) if apart else 0):
            corr = self.source.scan(resid)
            self.looks += len(corr)
            self.last.add((resid, corr), lam)
            size = np.abs(corr)
            self._see(size, size, lam)
            return corr[held]
        corr[held] = self.block.correlations(resid)
        if len(index):
            corr[index] = self.source.scan_few(resid, index)
            self.looks += len(index)
        guess = np.abs(corr)
        reach[held], reach[index] = guess[held], guess[index]
        self._see(reach, guess, lam)
        return corr[held]

    def penalise(self, lam):
        """The ridge of the elastic net at `lam` is a part of the Gram matrix's diagonal."""
        self.lam = lam
        if not self.elastic:
            return
        ridge = lam * self.source.ridge[self.block.learner]
        if (ridge != self.ridge).any():
            diagonal = np.arange(len(self.block))
            self.block.gram[diagonal, diagonal] = self.squares + ridge
            self.now -= (ridge - self.ridge) * self.gamma
            self.exact.forget()
        self.ridge = ridge

    def waiting(self, level):
        if len(self.block) == self.source.n_learners:
            return np.empty(0, dtype=np.int64)
        expected, fall = self.trend.seen, self.trend.lam - self.lam
        if fall > 0 and self.trend.two:
            expected, level = expected + fall * self.trend.rise(), EXPECTED * level
        return np.flatnonzero((expected >= level) & (self.block.place < 0))

    def recruit(self, new):
        m, more = len(self.block), np.zeros(len(new))
        self.block.add(new)
        gram, start = self.block.gram[m : m + len(new)], self.zero[new]
        self.start, self.now = np.append(self.start, start), np.append(self.now, start - gram[:, :m] @ self.gamma)
        self.squares, self.ridge = np.append(self.squares, gram.diagonal(m)), np.append(self.ridge, more)
        self.gamma = np.append(self.gamma, more)
        self.penalise(self.lam)

    def model(self):
        support = np.flatnonzero(self.gamma)
        return self.block.learner[support], self.gamma[support]

    def fit(self, lam, goal):
        """Sweeps, and exact solves where they are slow."""
        m, gram = len(self.block), self.block.gram
        everything, support = np.arange(m), np.empty(m, dtype=np.int64)
        rounds = ROUNDS + np.count_nonzero(self.gamma) // MORE
        for _ in range(TURNS):
            if self.descend(gram, self.start, self.now, self.gamma, everything, support, lam, goal, self.square_y, rounds):
                return True
            self.exact(gram, self.now, self.gamma, lam, goal)
        return False

    def check(self, lam, wanted):
        """*Cost*: none where the whole Gram matrix is there and its rounding small; else the residual, and a scan or a part of one."""
        gamma, m = self.gamma, len(self.gamma)
        if m == self.source.n_learners and self._rounding() <= ROUNDED * wanted:
            self.correlate(self.block.gram, self.start, gamma, self.now)
            plain = self.now + self.ridge * gamma
            self.outside, self.plain = 0.0, (max(self.square_y - gamma @ (self.start + plain), 0.0), gamma @ plain)
            return self.gap(lam, wanted)
        resid = self.y - self._prediction()
        self.now = self._look(resid, lam)
        self.outside = float(self.size[self.block.place < 0].max(initial=0.0))
        self.now -= self.ridge * gamma
        self.plain = float(resid @ resid), float(resid @ (self.y - resid))
        return self.gap(lam, wanted)

    def _prediction(self):
        """The prediction of the model, (n_samples,)."""
        if self.block.entries is None:
            return self.block.combine(self.gamma)
        whole = np.zeros(self.source.n_learners)
        whole[self.block.learner] = self.gamma
        return self.source.combine(whole)

    def gap(self, lam, wanted):
        ridge, inside = float(self.ridge @ self.gamma**2) if self.elastic else 0.0, float(np.abs(self.now).max(initial=0.0))
        square, along = self.plain[0] + ridge, self.plain[1] - ridge
        return squared_gap(square, along, float(np.abs(self.gamma).sum()), max(inside, self.outside), lam)

    def _rounding(self):
        """Bound of the rounding in a gap told by the Gram matrix: unit columns, sums of n_samples products (see ``At.doubt``)."""
        size = float(np.abs(self.gamma).sum()) + math.sqrt(self.square_y)
        return self.doubt * size * size
