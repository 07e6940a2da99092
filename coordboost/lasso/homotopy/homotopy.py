"""Exact paths of the squared loss: Lasso, least angle regression and FS_0, from knot to knot."""

import math
from contextlib import nullcontext
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike

from coordboost._numba import compiled
from coordboost._numba.threads import one_thread
from coordboost._utils.checks import known_names, not_negative, shown
from coordboost._utils.interrupt import InterruptedWarning, interruptible
from coordboost._utils.warned import warn
from coordboost.data import validation
from coordboost.data.problem import Problem
from coordboost.lasso.columns import ScaledColumns
from coordboost.lasso.homotopy.knots import (
    CHECK,
    DEPENDENT,
    DONE,
    EPS,
    FAR,
    LAR,
    LASSO,
    SCAN,
    STAGEWISE,
    STALLED,
    Walk,
    exact_residual,
    knot_gap,
    walk,
)
from coordboost.lasso.homotopy.path import ExactPath

KINDS = {"lasso": LASSO, "lar": LAR, "stagewise": STAGEWISE}
#: Largest duality gap of a knot, relative to the loss at 0.
GAP = 1e-10
#: Up to this product of entries and knots (about the smaller side of B, and never taken to be fewer
#: than LEAST_KNOTS) a path takes at most two milliseconds: Ctrl-C is not watched for.
SHORT = 1 << 21
LEAST_KNOTS = 64

#: FEWEST: candidates at the start. All learners are candidates if they have at most CACHED entries,
#: or are at most SMALL stored columns, or tall ones.
FEWEST = 128
CACHED = 1 << 15
SMALL = 1024
#: If the segments between two scans cost less than this share of a scan, the next scan chooses more
#: candidates.
SHARE = 0.4
#: The candidates are kept as long as the correlations of other learners are at most this part of
#: the level.
NEAR = 0.8
#: The residual is extrapolated from a scan, over a fall of lam by the part AHEAD or, if more, by
#: BEYOND times the fall to the next knot.
AHEAD, BEYOND = 0.4, 1.5
#: Maximum number of knots after one scan, so that rounding does not accumulate when all learners
#: are candidates.
ROOM = 128
#: Maximum number of products in the knots after one scan, about a second: Ctrl-C waits for them.
LONGEST = 1 << 30
#: If rounding ends a path within a segment, its last level is found to this relative accuracy.
CLOSE = 0.01

REACHED = "the path is complete"
UNSEEN = "the path is complete: all correlations are 0 up to rounding, so all coefficients are 0"
ENOUGH = "max_knots was reached"
INTERRUPTED = "the path was interrupted; the knots passed are kept"
LIMITED = "a coefficient reached a limit; the knots passed are kept"
ROUNDING = (
    "rounding ended the path: below its last lam no model could be computed to a gap of 1e-10"
)


@known_names
def exact_path(
    X: Any,
    y: ArrayLike | None = None,
    *,
    kind: str = "lasso",
    lam_min: float = 0.0,
    max_knots: int | None = None,
    candidates: int | None = None,
    fit_intercept: bool = True,
    offset: ArrayLike | None = None,
) -> ExactPath:
    """The exact path of the Lasso, of least angle regression, or of forward stagewise (FS_0).

    FS_0 is forward stagewise with infinitely small steps.

    Parameters
    ----------
    X, y : array_like
        As for ``Problem``; or a Problem with the squared loss, and no y.
    kind : {"lasso", "lar", "stagewise"}, default "lasso"
        Which of the three paths.
    lam_min : float >= 0, default 0
        Smallest penalty lam to compute, in RSS/2 + lam * sum_j abs(beta_j) for unit-norm columns.
        lam is also the largest abs inner product of a column with the residual, the unit of R's
        lars with normalize=TRUE. 0 goes on to least squares.
    max_knots : int, optional
        Stop after this many knots.
    candidates : int, optional
        Speed only: the number of columns tracked between two full scans, at the start. The path
        does not depend on it.
    fit_intercept : bool, default True
        False: no intercept, and columns are not centred. With a Problem leave it at True: its
        `center` decides.
    offset : array_like, (n_samples,), optional; not with a Problem
        A known part of every prediction: the path is that of y - offset.

    Returns
    -------
    ExactPath
        The coefficients at every knot, linear between them.

    Raises
    ------
    ValueError
        For bad input, an unknown kind, or a loss other than the squared one.

    Notes
    -----
    Each knot has a duality gap of at most 1e-10 times the loss of the constant model (for LAR and
    FS_0: correlations accurate to that). If rounding prevents this, the path stops there with
    ``complete=False`` and ``message``. If all correlations are 0 up to rounding, the path is
    complete with all coefficients 0. Ctrl-C keeps the knots computed so far, with an
    ``InterruptedWarning``.

    Tied, duplicated and linearly dependent columns are handled; of identical columns the first gets
    the coefficient. *Cost*: O(candidates * active) per knot. All columns are read only when a bound
    on the change of the residual since the last scan no longer excludes that another column enters.
    *Source*: Efron, Hastie, Johnstone, Tibshirani, *Least angle regression*; Osborne, Presnell,
    Turlach, *A new approach to variable selection in least squares problems*; the use of a safe
    screening rule along the path is ours (certificates/sphere.py).

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> cb.exact_path(X, y).lam.round(3)
    array([2.753, 1.414, 0.   ])
    """
    centred = validation.flag("fit_intercept", fit_intercept)
    if isinstance(X, Problem) and (y is not None or offset is not None or not centred):
        raise ValueError(
            "y, offset and fit_intercept (center=False) are part of the Problem: pass "
            "exact_path(problem) alone."
        )
    problem = validation.countable(
        "exact_path", X if isinstance(X, Problem) else Problem(X, y, center=centred, offset=offset)
    )
    if not problem.loss.quadratic:
        raise ValueError(
            f"exact paths need the squared loss, got {shown(problem.loss)}; use Problem(X, y)."
        )
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"kind must be 'lasso', 'lar' or 'stagewise', got {shown(kind)}.")
    lam_min = not_negative("lam_min", lam_min)
    if max_knots is not None:
        max_knots = validation.whole("max_knots", max_knots, 1)
    if candidates is not None:
        candidates = validation.whole("candidates", candidates, 1)
    with one_thread():
        path = Homotopy(problem, kind, lam_min, max_knots, candidates).run()
    if path.message == INTERRUPTED:
        warn(f"{INTERRUPTED}: {len(path.lam):,} of them.", InterruptedWarning)
    return path


class Homotopy:
    """An exact path from knot to knot.

    There are scans of all learners, and between them compiled blocks on some *candidates*.

    At each scan the residual is extrapolated in its present direction. As long as it stays near the
    extrapolation, no correlation outside the candidates can reach the level: its distance from
    there bounds the error of the correlations (Cauchy-Schwarz).

    gap : largest duality gap of a knot, relative to the loss at 0
    max_knots : most knots, None for any number
    n_candidates : candidates at the start, None for a number that suits the table
    columns : scaled columns of the problem
    with_gram : whether the Gram matrix of the candidates is formed, for tall tables, or known
    centre, centred : (n_samples,), the unit vector to which centred columns are orthogonal; whether
        all candidates so far are, up to
        rounding, so that their rank is below n_samples. False where it does not matter, for tall
        tables
    levels : (n_knots,), after `run`: upper bounds of the largest abs correlation of any learner,
    rounding included

    positive, negative : (n_learners,), which coefficients may be positive, and which negative
    ids : (m,), the candidates, increasing; all other arrays of candidates are those of ``knots.py``
    scanned_lam, since : the level at the last scan, and knots since then
    next_fall : fall of lam to the next knot, if it is not certain
    record : the knots passed, block by block: levels, bounds of the correlations, sizes of the
        supports, learners, coefficients, events
    """

    def __init__(
        self,
        problem,
        kind,
        lam_min,
        max_knots=None,
        n_candidates=None,
        columns=None,
        gap=GAP,
    ):
        self.problem = problem
        self.name = kind
        self.kind = KINDS[kind]
        self.max_knots = np.inf if max_knots is None else max_knots
        self.columns = ScaledColumns(problem) if columns is None else columns
        size = math.sqrt(self.columns.y @ self.columns.y)
        self.unit = math.ldexp(1.0, math.frexp(size)[1] - 1) if size > 0 else 1.0
        self.y = self.columns.y / self.unit
        self.end = lam_min / self.unit
        self.tie = max(problem.tie / self.unit, 1e-13)
        self.square = float(self.y @ self.y)
        self.allowed = gap * self.square / 2
        gram_is_known = self.columns.gram is not None
        tall = self.columns.n_samples > self.columns.n_learners
        self.with_gram = tall or gram_is_known
        self.centre = self.columns.centre
        self.centred = not tall or gram_is_known
        penalty = self.columns.penalty
        self.limits = None if penalty is None or not penalty.limited else penalty
        everywhere = np.ones(self.columns.n_learners, dtype=bool)
        self.positive = everywhere if self.limits is None else penalty.upper > 0
        self.negative = everywhere if self.limits is None else penalty.lower < 0
        self.n_candidates = n_candidates
        self.n_scans = 1
        self.k = 0
        self.idle = 0
        self.since = 0
        self.n_knots = 0
        self.record = []
        self.memories = {}

    def run(self):
        """Compute the path."""
        n = self.columns.n_samples
        p = self.columns.n_learners
        self.run_walk, self.run_gap, self.run_residual = (
            compiled(f) for f in (walk, knot_gap, exact_residual)
        )
        small = self.columns.in_memory is not None and n * p * max(LEAST_KNOTS, min(n, p)) <= SHORT
        with (
            nullcontext(lambda: False)
            if small
            else interruptible(lambda: self.n_knots <= 1) as interrupted
        ):
            return self._path(self._walk(interrupted))

    def _walk(self, interrupted):
        """Go from knot to knot. Return why the path ended."""
        corr = self.columns.zero / self.unit
        self.lam = self.scanned_lam = float(self._size(corr).max())
        unseen = self.lam <= 2 * self.tie and self._is_least(self.y)
        if unseen:
            self.lam = 0.0
        level = np.array([self.lam])
        nobody = np.zeros(0, dtype=np.int64)
        no_events = np.zeros((3, 0), dtype=np.int64)
        self._add_knots(level, level, np.zeros((1, 0)), nobody, no_events)
        if self.lam <= max(self.end, 2 * self.tie):
            return UNSEEN if unseen else REACHED if self.lam <= self.end else ROUNDING
        self._start(corr)
        while True:
            status = self._block()
            if self.n_knots >= self.max_knots:
                return ENOUGH
            if status == STALLED or (status == CHECK and not self._holds_here()):
                self._end_before(self.n_knots - (status == CHECK))
                return ROUNDING
            if self.lam <= self.end and status != SCAN:
                return self._finish()
            if interrupted():
                return INTERRUPTED
            if self._beyond_limits():
                return LIMITED
            if status == SCAN:
                self.n_scans += 1
                self._choose(self.columns.scan(self.y - self.beta @ self.dense))

    def _start(self, corr):
        """Choose the first candidates.

        They are all learners if these have few entries, or are few beside the knots of the path.
        """
        n = self.columns.n_samples
        p = self.columns.n_learners
        rows = self.columns.rows
        fit_the_cache = rows is not None and rows.size <= CACHED
        goes_far = 4 * self.max_knots > p and 4 * self.end < self.lam
        few_in_all = (self.with_gram or rows is not None) and p <= SMALL and goes_far
        gram_is_known = self.columns.gram is not None
        all_at_once = fit_the_cache or few_in_all or gram_is_known
        self.wanted = self.n_candidates or (p if all_at_once else FEWEST)
        self.ids = np.zeros(0, dtype=np.int64)
        self.active = np.zeros(0, dtype=np.int64)
        self.beta, self.direction, self.sign = np.zeros((3, 0))
        self.tied, self.moved = np.zeros((2, 0), dtype=bool)
        self.dense = np.empty((0, n))
        self.gram, self.factor, self.rows = np.empty((3, 0, 0))
        self.followed = np.zeros((4, 0))
        self.rank = np.zeros(0, dtype=np.int64)
        self._choose(corr)

    def _choose(self, corr):
        """Choose candidates after a scan.

        The learners with a coefficient, and those with correlations nearest to the level.

        Nearest now, or at the horizon, the end of the extrapolation. *Cost*: a scan of the
        direction. corr : (n_learners,), of the scan
        """
        lam = self.lam
        p = len(corr)
        m = len(self.ids)
        fallen = self.scanned_lam - self.lam
        rate = np.zeros(p)
        horizon = lam
        if 0 < m < p:
            rate = self.columns.scan(self.direction @ self.dense)
            horizon = min(max(AHEAD * lam, BEYOND * self.next_fall), lam - self.end)
            self.n_scans += 1
        now = self._size(corr)
        ahead = self._size(corr - horizon * rate)
        size = np.maximum(now, lam / max(lam - horizon, self.tie) * ahead) if m else now
        outside = np.ones(p, dtype=bool)
        outside[self.ids] = False
        if m == 0 or (m < p and (fallen == 0 or size[outside].max() > NEAR * lam)):
            if m and self.since * m < SHARE * p:
                self.wanted = (
                    max(2 * m, self.wanted) if fallen == 0 else self.wanted + self.wanted // 2
                )
            level = np.partition(size, p - self.wanted)[p - self.wanted] if self.wanted < p else 0.0
            outside = size < min(level, lam - 2 * self.tie)
            if self.wanted < p:
                outside |= size == 0
            stays = (self.beta != 0) | self.moved | (self.rank >= 0) | self.with_gram
            outside[self.ids[stays]] = False
            self._take(np.flatnonzero(~outside))
        self.outside = np.array([-1.0, 0.0, 1.0, 1.0])
        if outside.any():
            norm = float(np.max(self.columns.norm_bound(outside)))
            self.outside[:] = now[outside].max(), ahead[outside].max(), horizon, norm
        self.corr = corr[self.ids]
        self.followed = np.array([self.beta, self.corr, self.direction, rate[self.ids]])
        self.scanned_lam = lam
        self.since = 0

    def _take(self, ids):
        """Make `ids` the candidates.

        Carry over what is known of the old ones, and gather the columns of the new ones.
        """
        m = len(ids)
        n = self.columns.n_samples
        stays = ids[np.minimum(np.searchsorted(ids, self.ids), m - 1)] == self.ids
        place = np.searchsorted(ids, self.ids[stays])  # of those that stay
        is_new = np.ones(m, dtype=bool)
        is_new[place] = False
        dense = self._memory("columns", m, n)
        gathered = self._memory("new", m - len(place), n)
        dense[place] = self.dense[stays]
        self.columns.gather(ids[is_new], gathered)
        dense[is_new] = gathered
        off_centre = float(np.abs(gathered @ self.centre).max(initial=0.0))
        self.centred = self.centred and off_centre <= DEPENDENT
        self._take_gram(ids, stays, place, is_new, dense, gathered)
        self._take_factor(stays, place, is_new, dense, gathered)

        def carried(values):
            """The numbers of the old candidates, 0 for new ones."""
            numbers = np.zeros(m, dtype=values.dtype)
            numbers[place] = values[stays]
            return numbers

        self.beta = carried(self.beta)
        self.direction = carried(self.direction)
        self.sign = carried(self.sign)
        self.tied = carried(self.tied)
        self.moved = carried(self.moved)
        self.ids = ids
        self.dense = dense
        # rate, barred, work, change, resid: see ``Walk``
        self.scratch = (np.empty(m), np.zeros(m, dtype=bool), np.empty(m), np.empty(m), np.empty(n))
        n_knots = max(1, min(ROOM, LONGEST // (m * (m if self.with_gram else n))))
        self.blank = (
            np.empty(n_knots),
            np.empty(n_knots),
            self._memory("record", n_knots, m),
            np.empty((n_knots, m), dtype=bool),
        )

    def _take_gram(self, ids, stays, place, is_new, dense, gathered):
        """Extend the Gram matrix of the candidates to new ones: see ``_take``."""
        if self.columns.gram is not None:
            self.gram = self.columns.gram[np.ix_(ids, ids)]
        elif self.with_gram:
            gram = self._memory("gram", len(ids), len(ids))
            gram[np.ix_(place, place)] = self.gram[np.ix_(stays, stays)]
            gram[is_new] = gathered @ dense.T
            gram[:, is_new] = gram[is_new].T
            self.gram = gram

    def _take_factor(self, stays, place, is_new, dense, gathered):
        """Renumber the active candidates, which all stay, with their products: see ``_take``."""
        m, n = dense.shape
        k = self.k
        max_active = min(m, n - self.centred - self.columns.n_projected)
        factor = self._memory("factor", max_active, max_active)
        rows = self._memory("rows", max_active, m)
        new_place = np.full(len(self.ids), -1)
        new_place[stays] = place
        active = np.empty(max_active, dtype=np.int64)
        active[:k] = new_place[self.active[:k]]
        factor[:k, :k] = self.factor[:k, :k]
        rows[:k, place] = self.rows[:k, stays]
        rows[:k, is_new] = dense[active[:k]] @ gathered.T
        self.active = active
        self.factor = factor
        self.rows = rows
        self.rank = np.full(m, -1)
        self.rank[active[:k]] = np.arange(k)

    def _memory(self, name, *shape):
        """Return an array of this shape that is not in use.

        Two arrays per name alternate, as using new memory costs time.
        """
        size = math.prod(shape)
        spare, in_use = self.memories.get(name, (np.empty(0), np.empty(0)))
        if spare.size < size:
            spare = np.empty(2 * size)
        self.memories[name] = in_use, spare
        return spare[:size].reshape(shape)

    def _block(self):
        """Continue the path in compiled code, and record the knots passed.

        Return why it stopped.
        """
        rate, barred, work, change, resid = self.scratch
        lams, levels, betas, moving = self.blank
        path = Walk(
            kind=self.kind,
            end=self.end,
            tie=self.tie,
            square=self.square,
            tolerance=self.allowed,
            outside=self.outside,
            columns=self.dense,
            gram=self.gram,
            rows=self.rows,
            factor=self.factor,
            active=self.active,
            rank=self.rank,
            corr=self.corr,
            beta=self.beta,
            sign=self.sign,
            rate=rate,
            direction=self.direction,
            tied=self.tied,
            barred=barred,
            positive=self.positive[self.ids],
            negative=self.negative[self.ids],
            followed=self.followed,
            target=self.y,
            work=work,
            change=change,
            resid=resid,
            lams=lams,
            levels=levels,
            betas=betas,
            moving=moving,
        )
        fallen = self.scanned_lam - self.lam
        status, self.lam, self.k, self.idle, n_passed, self.next_fall = self.run_walk(
            path, self.lam, self.k, self.idle, fallen
        )
        moving = moving[:n_passed]
        self.since += n_passed
        if status in (DONE, CHECK) and self.lam <= self.end:
            moving = np.vstack([moving, self.rank >= 0])
        changes = np.diff(np.vstack([self.moved, moving]).astype(np.int8), axis=0)
        knot, j = np.nonzero(changes)
        if n_passed:
            self.moved = moving[-1].copy()
        events = np.array([knot + self.n_knots - 1, self.ids[j], changes[knot, j]], dtype=np.int64)
        self._add_knots(lams[:n_passed], levels[:n_passed], betas[:n_passed], self.ids, events)
        return status

    def _holds_here(self):
        """Whether the gap of the last knot is small enough.

        The correlations are computed anew from the residual.
        """
        resid = self._exact_residual(self.beta)
        self.corr[:] = self.dense @ resid
        square = float(resid @ resid)
        doubt = 4 * EPS * math.sqrt(len(resid) * square)
        sides = self.positive[self.ids], self.negative[self.ids]
        state = self.corr, *sides, self.beta, self.sign, self.rank
        return self.run_gap(self.kind, self.lam, square, *state, doubt, 0.0)[0] <= self.allowed

    def _exact_residual(self, beta):
        """The residual for the candidates' coefficients `beta`, (n_samples,).

        It is summed in twice the precision.
        """
        resid, lost = np.empty((2, len(self.y)))
        self.run_residual(self.dense, beta, self.y, resid, lost)
        return resid

    def _finish(self):
        """Finish the path at `lam_min`, but drop a knot at 0 that is not a least squares solution.

        Return why the path ended.

        Learners that do not move there may depend on the others only up to rounding. What the
        residual has along their tiny independent parts does not show in its correlations.
        """
        pivots = self.factor.diagonal()[: self.k]
        independent = self.k == self.problem.n_learners and min(pivots) > FAR
        certain = self.end > 0 or independent or self.limits is not None
        if certain or self._is_least(self.y - self.beta @ self.dense):
            return REACHED
        self._end_before(self.n_knots - 1)
        return ROUNDING

    def _size(self, corr):
        """What is compared with the level, (n_learners,): 0 where limits exclude the sign."""
        return np.abs(corr) if self.limits is None else self.limits.size(corr)

    def _beyond_limits(self):
        """Whether a coefficient has passed a limit other than 0."""
        if self.limits is None:
            return False
        return self.limits.passed(self.unit * self.beta, self.ids).any()

    def _is_least(self, resid):
        """Whether a residual is that of least squares, up to the gap allowed for a knot.

        Also False if the check is too expensive.
        """
        if resid @ resid <= 2 * self.allowed:
            return True
        try:
            inside = self.columns.in_span(resid)
        except ValueError:
            return False
        return inside @ inside <= 2 * self.allowed

    def _end_before(self, n):
        """Keep `n` knots, and go on from the last of them while models are accurate.

        It goes towards the present, inaccurate model as far as models are accurate enough.
        """
        lams, levels, sizes, index, value, events = self._knots()
        n_entries = int(sizes[:n].sum())
        lams = lams[:n]
        sizes = sizes[:n]
        index = index[:n_entries]
        value = value[:n_entries]
        self.record = [(lams, levels[:n], sizes, index, value, events[:, events[0] < n])]
        self.n_knots = n
        of_last_knot = slice(n_entries - sizes[-1], n_entries)
        last = float(lams[-1])
        end = self.lam
        start = np.zeros(len(self.ids))
        start[np.searchsorted(self.ids, index[of_last_knot])] = value[of_last_knot]
        if not (np.isfinite(self.beta).all() and end < last):
            return
        accurate = last
        low = max(end, EPS * last)
        knot = None
        while accurate - low > CLOSE * low:
            lam = math.sqrt(accurate * low)
            share = (last - lam) / (last - end)
            beta = (1 - share) * start + share * self.beta
            level = self._level(lam, beta)
            if level is None:
                low = lam
            else:
                accurate = lam
                knot = np.array([lam]), np.array([level]), beta[None]
        if knot is not None:
            self._add_knots(*knot, self.ids, np.zeros((3, 0), dtype=np.int64))

    def _level(self, lam, beta):
        """Bound all abs correlations at the candidates' coefficients `beta`.

        None if these are not accurate enough for the level `lam`.

        They must be so with the residual in twice the precision, and with the residual in float64.
        """
        largest = 0.0
        coef = np.zeros(self.problem.n_learners)
        coef[self.ids] = beta
        inactive = np.full(len(coef), -1)
        for resid in (self._exact_residual(beta), self.y - beta @ self.dense):
            self.n_scans += 1
            corr = self.columns.scan(resid)
            square = float(resid @ resid)
            doubt = 2 * EPS * math.sqrt(len(resid) * square)
            state = corr, self.positive, self.negative, coef, coef, inactive
            gap, level, _ = self.run_gap(self.kind, lam, square, *state, doubt, 0.0)
            if not gap <= 0.99 * self.allowed:
                return None
            largest = max(largest, level + doubt)
        return largest

    def _add_knots(self, lams, levels, betas, ids, events):
        """Record knots with the coefficients `betas` (n, m) of the learners `ids`."""
        knot, j = np.nonzero(betas)
        sizes = np.bincount(knot, minlength=len(lams))
        self.record.append((lams.copy(), levels.copy(), sizes, ids[j], betas[knot, j], events))
        self.n_knots += len(lams)

    def _knots(self):
        """Join the record into one piece, and return it."""
        self.record = [
            tuple(np.concatenate(parts, axis=-1) for parts in zip(*self.record, strict=True))
        ]
        return self.record[0]

    def _path(self, message):
        """Make an ``ExactPath`` of the knots passed."""
        lams, levels, sizes, index, value, events = self._knots()
        n = int(min(self.max_knots, len(lams)))
        stops = np.concatenate([[0], np.cumsum(sizes[:n])])
        entries = value[: stops[-1]] * self.unit, index[: stops[-1]], stops
        beta = scipy.sparse.csr_array(entries, shape=(n, self.problem.n_learners))
        self.levels = levels[:n] * self.unit
        complete = message in (REACHED, UNSEEN, ENOUGH)
        return ExactPath(
            self.problem,
            self.name,
            lams[:n] * self.unit,
            beta,
            events,
            self.n_scans,
            complete,
            message,
        )
