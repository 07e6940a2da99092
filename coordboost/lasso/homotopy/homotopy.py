"""Exact paths of the squared loss: Lasso, least angle regression and FS_0, from knot to knot."""

import math
from contextlib import nullcontext
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike

from coordboost._numba import compiled
from coordboost._numba.threads import one_thread
from coordboost._utils.checks import not_negative, shown
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
#: or are at most SMALL tall columns.
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
ROUNDING = (
    "rounding ended the path: below its last lam no model could be computed to a gap of 1e-10"
)


def exact_path(
    X: Any,
    y: ArrayLike | None = None,
    *,
    kind: str = "lasso",
    lam_min: float = 0.0,
    max_knots: int | None = None,
    candidates: int | None = None,
    fit_intercept: bool = True,
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
    if isinstance(X, Problem) and (y is not None or not centred):
        raise ValueError(
            "y and fit_intercept (center=False) are part of the Problem: pass "
            "exact_path(problem) alone."
        )
    problem = validation.countable(
        "exact_path", X if isinstance(X, Problem) else Problem(X, y, center=centred)
    )
    if not problem.loss.quadratic:
        raise ValueError(
            f"exact paths need the squared loss, got {shown(problem.loss)}; use Problem(X, y)."
        )
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"kind must be 'lasso', 'lar' or 'stagewise', got {shown(kind)}.")
    lam_min = not_negative("lam_min", lam_min)
    most = np.inf if max_knots is None else validation.whole("max_knots", max_knots, 1)
    wanted = None if candidates is None else validation.whole("candidates", candidates, 1)
    with one_thread():
        path = Homotopy(problem, kind, lam_min, most, wanted).run()
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
    first : candidates at the start
    columns : scaled columns of the problem
    with_gram : whether the Gram matrix of the candidates is formed, for tall tables, or known
    centre, centred : (n_samples,), the unit vector to which centred columns are orthogonal; whether
        all candidates so far are, up to
        rounding, so that their rank is below n_samples. False where it does not matter, for tall
        tables
    levels : (n_knots,), after `run`: upper bounds of the largest abs correlation of any learner,
    rounding included

    ids : (m,), the candidates, increasing; all other arrays of candidates are those of ``knots.py``
    scanned_lam, since : the level at the last scan, and knots since then
    next_fall : fall of lam to the next knot, if it is not certain
    record : the knots passed, block by block: levels, bounds of the correlations, sizes of the
        supports, learners, coefficients, events
    """

    def __init__(self, problem, kind, lam_min, most=np.inf, first=None, columns=None, gap=GAP):
        self.problem = problem
        self.name = kind
        self.kind = KINDS[kind]
        self.most = most
        self.columns = ScaledColumns(problem) if columns is None else columns
        size = math.sqrt(self.columns.y @ self.columns.y)
        self.unit = math.ldexp(1.0, math.frexp(size)[1] - 1) if size > 0 else 1.0
        self.y = self.columns.y / self.unit
        self.end = lam_min / self.unit
        self.tie, self.square = max(problem.tie / self.unit, 1e-13), float(self.y @ self.y)
        self.allowed = gap * self.square / 2
        gram_is_known = self.columns.gram is not None
        tall = self.columns.n_samples > self.columns.n_learners
        self.with_gram = tall or gram_is_known
        self.centre = self.columns.centre
        self.centred = not tall or gram_is_known
        self.first = first
        self.n_scans = 1
        self.k = 0
        self.idle = 0
        self.since = 0
        self.n_knots = 0
        self.record = []
        self.rooms = {}

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
        self.lam = self.scanned_lam = float(np.abs(corr).max())
        unseen = self.lam <= 2 * self.tie and self._is_least(self.y)
        if unseen:
            self.lam = 0.0
        level = np.array([self.lam])
        nobody = np.zeros(0, dtype=np.int64)
        no_events = np.zeros((3, 0), dtype=np.int64)
        self._note(level, level, np.zeros((1, 0)), nobody, no_events)
        if self.lam <= max(self.end, 2 * self.tie):
            return UNSEEN if unseen else REACHED if self.lam <= self.end else ROUNDING
        self._start(corr)
        while True:
            status = self._block()
            if self.n_knots >= self.most:
                return ENOUGH
            if status == STALLED or (status == CHECK and not self._holds_here()):
                self._end_before(self.n_knots - (status == CHECK))
                return ROUNDING
            if self.lam <= self.end and status != SCAN:
                return self._finish()
            if interrupted():
                return INTERRUPTED
            if status == SCAN:
                self.n_scans += 1
                self._choose(self.columns.scan(self.y - self.beta @ self.held))

    def _start(self, corr):
        """Choose the first candidates.

        They are all learners if these have few entries, or if a Gram matrix of all is cheap.
        """
        n = self.columns.n_samples
        p = self.columns.n_learners
        rows = self.columns.rows
        few = rows is not None and rows.size <= CACHED
        far = self.with_gram and p <= SMALL and 4 * self.most > p and 4 * self.end < self.lam
        gram_is_known = self.columns.gram is not None
        self.wanted = self.first or (p if few or far or gram_is_known else FEWEST)
        self.ids = np.zeros(0, dtype=np.int64)
        self.active = np.zeros(0, dtype=np.int64)
        self.beta, self.direction, self.sign = np.zeros((3, 0))
        self.tied, self.moved = np.zeros((2, 0), dtype=bool)
        self.held, self.gram, self.factor, self.rows = np.empty((0, n)), *np.empty((3, 0, 0))
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
            rate = self.columns.scan(self.direction @ self.held)
            horizon = min(max(AHEAD * lam, BEYOND * self.next_fall), lam - self.end)
            self.n_scans += 1
        now = np.abs(corr)
        ahead = np.abs(corr - horizon * rate)
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
            kept = (self.beta != 0) | self.moved | (self.rank >= 0) | self.with_gram
            outside[self.ids[kept]] = False
            self._take(np.flatnonzero(~outside))
        self.outside = np.array([-1.0, 0.0, 1.0, 1.0])
        if outside.any():
            norm = float(np.max(self.columns.norm_bound(outside)))
            self.outside[:] = now[outside].max(), ahead[outside].max(), horizon, norm
        self.corr = corr[self.ids]
        self.followed = np.array([self.beta, self.corr, self.direction, rate[self.ids]])
        self.scanned_lam, self.since = lam, 0

    def _take(self, ids):
        """Make `ids` the candidates.

        Carry over what is known of the old ones, and gather the columns of the new ones.
        """
        m = len(ids)
        n = self.columns.n_samples
        k = self.k
        stay = ids[np.minimum(np.searchsorted(ids, self.ids), m - 1)] == self.ids
        to = np.searchsorted(ids, self.ids[stay])
        fresh = np.ones(m, dtype=bool)
        fresh[to] = False
        place = np.full(len(self.ids), -1)
        place[stay] = to
        columns = self._room("columns", m, n)
        new = self._room("new", m - len(to), n)
        columns[to] = self.held[stay]
        self.columns.gather(ids[fresh], new)
        columns[fresh] = new
        self.centred = (
            self.centred and float(np.abs(new @ self.centre).max(initial=0.0)) <= DEPENDENT
        )
        most = min(m, n - self.centred)
        factor = self._room("factor", most, most)
        rows = self._room("rows", most, m)
        if self.columns.gram is not None:
            self.gram = self.columns.gram[np.ix_(ids, ids)]
        elif self.with_gram:
            gram = self._room("gram", m, m)
            gram[np.ix_(to, to)] = self.gram[np.ix_(stay, stay)]
            gram[fresh] = new @ columns.T
            gram[:, fresh] = gram[fresh].T
            self.gram = gram
        active = np.empty(most, dtype=np.int64)
        active[:k], factor[:k, :k] = place[self.active[:k]], self.factor[:k, :k]
        rows[:k, to], rows[:k, fresh] = self.rows[:k, stay], columns[active[:k]] @ new.T
        self.ids = ids
        self.held = columns
        self.active = active
        self.factor = factor
        self.rows = rows
        carried = []
        for old in (self.beta, self.direction, self.sign, self.tied, self.moved):
            new = np.zeros(m, dtype=old.dtype)
            new[to] = old[stay]
            carried.append(new)
        self.beta, self.direction, self.sign, self.tied, self.moved = carried
        self.rank = np.full(m, -1)
        self.rank[active[:k]] = np.arange(k)
        # rate, barred, scratch
        self.room = (np.empty(m), np.zeros(m, dtype=bool), np.empty(m), np.empty(m), np.empty(n))
        room = max(1, min(ROOM, LONGEST // (m * (m if self.with_gram else n))))
        self.blank = (
            np.empty(room),
            np.empty(room),
            self._room("record", room, m),
            np.empty((room, m), dtype=bool),
        )

    def _room(self, name, *shape):
        """Return an array of this shape that is not in use.

        Two arrays per name alternate, as using new memory costs time.
        """
        size, (other, last) = math.prod(shape), self.rooms.get(name, (np.empty(0), np.empty(0)))
        self.rooms[name] = last, other if other.size >= size else np.empty(2 * size)
        return self.rooms[name][1][:size].reshape(shape)

    def _block(self):
        """Continue the path in compiled code, and record the knots passed.

        Return why it stopped.
        """
        rate, barred, work, change, resid = self.room
        lams, levels, betas, moving = self.blank
        path = Walk(
            kind=self.kind,
            end=self.end,
            tie=self.tie,
            square=self.square,
            tolerance=self.allowed,
            outside=self.outside,
            columns=self.held,
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
        gone = self.scanned_lam - self.lam
        status, self.lam, self.k, self.idle, c, self.next_fall = self.run_walk(
            path, self.lam, self.k, self.idle, gone
        )
        lams, levels, betas, moving = lams[:c], levels[:c], betas[:c], moving[:c]
        self.since += c
        if status in (DONE, CHECK) and self.lam <= self.end:
            moving = np.vstack([moving, self.rank >= 0])
        changes = np.diff(np.vstack([self.moved, moving]).astype(np.int8), axis=0)
        knot, j = np.nonzero(changes)
        if c:
            self.moved = moving[-1].copy()
        events = np.array([knot + self.n_knots - 1, self.ids[j], changes[knot, j]], dtype=np.int64)
        self._note(lams, levels, betas, self.ids, events)
        return status

    def _holds_here(self):
        """Whether the gap of the last knot is small enough.

        The correlations are computed anew from the residual.
        """
        resid = self._exact_residual(self.beta)
        self.corr[:] = self.held @ resid
        square = float(resid @ resid)
        doubt = 4 * EPS * math.sqrt(len(resid) * square)
        state = self.corr, self.beta, self.sign, self.rank
        return self.run_gap(self.kind, self.lam, square, *state, doubt, 0.0)[0] <= self.allowed

    def _exact_residual(self, beta):
        """The residual for the candidates' coefficients `beta`, (n_samples,).

        It is summed in twice the precision.
        """
        resid, lost = np.empty((2, len(self.y)))
        self.run_residual(self.held, beta, self.y, resid, lost)
        return resid

    def _finish(self):
        """Finish the path at `lam_min`, but drop a knot at 0 that is not a least squares solution.

        Return why the path ended.

        Learners that do not move there may depend on the others only up to rounding. What the
        residual has along their tiny independent parts does not show in its correlations.
        """
        whole = self.k == self.problem.n_learners and min(self.factor.diagonal()[: self.k]) > FAR
        if self.end > 0 or whole or self._is_least(self.y - self.beta @ self.held):
            return REACHED
        self._end_before(self.n_knots - 1)
        return ROUNDING

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
        kept = int(sizes[:n].sum())
        lams = lams[:n]
        sizes = sizes[:n]
        index = index[:kept]
        value = value[:kept]
        self.record = [(lams, levels[:n], sizes, index, value, events[:, events[0] < n])]
        self.n_knots = n
        first = len(index) - sizes[-1]
        last = float(lams[-1])
        end = self.lam
        start = np.zeros(len(self.ids))
        start[np.searchsorted(self.ids, index[first:])] = value[first:]
        if not (np.isfinite(self.beta).all() and end < last):
            return
        holds = last
        low = max(end, EPS * last)
        found = None
        while holds - low > CLOSE * low:
            lam = math.sqrt(holds * low)
            share = (last - lam) / (last - end)
            beta = (1 - share) * start + share * self.beta
            level = self._level(lam, beta)
            holds, low, found = (holds, lam, found) if level is None else (lam, low, (level, beta))
        if found is not None:
            self._note(
                np.array([holds]),
                np.array([found[0]]),
                found[1][None],
                self.ids,
                np.zeros((3, 0), dtype=np.int64),
            )

    def _level(self, lam, beta):
        """Bound all abs correlations at the candidates' coefficients `beta`.

        None if these are not accurate enough for the level `lam`.

        They must be so with the residual in twice the precision, and with the residual in float64.
        """
        worst = 0.0
        whole = np.zeros(self.problem.n_learners)
        whole[self.ids] = beta
        nobody = np.full(len(whole), -1)
        for resid in (self._exact_residual(beta), self.y - beta @ self.held):
            self.n_scans += 1
            corr = self.columns.scan(resid)
            square = float(resid @ resid)
            doubt = 2 * EPS * math.sqrt(len(resid) * square)
            gap, level, _ = self.run_gap(
                self.kind, lam, square, corr, whole, whole, nobody, doubt, 0.0
            )
            if not gap <= 0.99 * self.allowed:
                return None
            worst = max(worst, level + doubt)
        return worst

    def _note(self, lams, levels, betas, ids, events):
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
        n = int(min(self.most, len(lams)))
        stops = np.concatenate([[0], np.cumsum(sizes[:n])])
        parts = value[: stops[-1]] * self.unit, index[: stops[-1]], stops
        beta = scipy.sparse.csr_array(parts, shape=(n, self.problem.n_learners))
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
