"""Exact paths of the squared loss: Lasso, least angle regression and FS_0, from corner to corner."""

import math
import warnings
from contextlib import nullcontext

import numpy as np
import scipy.sparse

from coordboost._checks import not_negative, shown
from coordboost._protocol import LOSS
from coordboost._threads import one_thread
from coordboost.data import validation
from coordboost.exact.path import ExactPath
from coordboost.exact.pool import Pool
from coordboost.exact.rounding import FAR
from coordboost.exact.state import CROWDED, DONE, EPS, INEXACT, LAR, LASSO, SCAN, STAGEWISE, STALLED
from coordboost.interrupt import InterruptedWarning, interruptible
from coordboost.problem import Problem
from coordboost.screening.columns import ScaledColumns

KINDS = {"lasso": LASSO, "lar": LAR, "stagewise": STAGEWISE}
#: Largest duality gap of a corner, relative to the loss at 0.
GAP = 1e-10
#: Stored entries times corners, which are about as many as the smaller side: so few take two milliseconds at most, and Ctrl-C is not noted.
SHORT = 1 << 21

#: Where rounding ends a path on a segment, the level is found to this part of it.
CLOSE = 0.01

REACHED = "the path is complete"
UNSEEN = "the path is complete: all correlations are 0 up to rounding, so all coefficients are 0"
ENOUGH = "max_corners was reached"
INTERRUPTED = "the path was interrupted; the corners passed are kept"
ROUNDING = "rounding ended the path: below its last level no model could be computed to a gap of 1e-10"


def exact_path(X, y=None, *, kind="lasso", lam_min=0.0, max_corners=None, candidates=None):
    """The exact path of the Lasso, of least angle regression, or of forward stagewise with infinitely small steps (FS_0).

    Parameters
    ----------
    X, y : as for ``Problem``; or a Problem with the squared loss, and no y
    kind : {"lasso", "lar", "stagewise"}
    lam_min : float >= 0, default 0
        Correlation level to stop at (sum convention); 0 is least squares.
    max_corners : int, optional
        Stop after so many corners.
    candidates : int, optional
        How many learners are looked at between two scans, at the start; adapted to what the scans find. The result does not
        depend on it; ``n_learners`` looks at all.

    Returns
    -------
    ExactPath

    Raises
    ------
    ValueError
        For bad input, an unknown kind, or a loss other than the squared one.

    Notes
    -----
    Every corner has a duality gap of at most 1e-10 of the loss at 0 (for LAR and FS_0: correlations that are right to as much). Where
    rounding leaves more, as on near copies of columns far down the path, the path ends at the lowest level that holds, with
    ``complete=False``; ``message`` says so. Where all correlations are 0 up to rounding it is complete, and 0.
    Ctrl-C ends it, too: the corners passed are kept, and an ``InterruptedWarning`` says so.

    Ties, copies, sign flips and dependent columns need no care: at each corner the direction solves a small sign-constrained least
    squares problem. Of equal columns the first carries the coefficient.
    *Cost*: a corner costs O(candidates * active); scans of all learners are rare, as a sphere around the last scan's residual
    proves that no other learner can have entered. *Source*: Efron, Hastie, Johnstone, Tibshirani, *Least angle regression*; Osborne,
    Presnell, Turlach, *A new approach to variable selection in least squares problems*; the sphere test is ours.
    """
    problem = validation.countable("exact_path", X if isinstance(X, Problem) else Problem(X, y))
    if isinstance(X, Problem) and y is not None:
        raise ValueError("y is part of the Problem: pass exact_path(problem) alone.")
    if not LOSS.of(problem.loss, "quadratic"):
        raise ValueError(f"exact paths are those of the squared loss, got {shown(problem.loss)}; use Problem(X, y).")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"kind must be 'lasso', 'lar' or 'stagewise', got {shown(kind)}.")
    lam_min = not_negative("lam_min", lam_min)
    most = np.inf if max_corners is None else validation.whole("max_corners", max_corners, 1)
    wanted = None if candidates is None else validation.whole("candidates", candidates, 1)
    with one_thread():
        path = Homotopy(problem, kind, lam_min, most, wanted).run()
    if path.message == INTERRUPTED:
        warnings.warn(f"{INTERRUPTED}: {len(path.lam):,} of them.", InterruptedWarning, stacklevel=2)
    return path


class Homotopy:
    """Scans, blocks and the record put together; on scaled `columns` of the problem where these are given.

    gap : largest duality gap of a corner, relative to the loss at 0;  first : candidates at the start
    levels : (n_corners,), once the path is there: at least the largest abs correlation of any learner, with what rounding may hide
    """

    def __init__(self, problem, kind, lam_min, most=np.inf, first=None, columns=None, gap=GAP):
        self.problem, self.kind, self.most = problem, kind, most
        self.columns = ScaledColumns(problem) if columns is None else columns
        size = math.sqrt(self.columns.y @ self.columns.y)
        self.unit = math.ldexp(1.0, math.frexp(size)[1] - 1) if size > 0 else 1.0
        self.y = self.columns.y / self.unit
        self.lam_min = lam_min / self.unit
        self.tie = max(problem.tie / self.unit, 1e-13)
        square = float(self.y @ self.y)
        self.allowed = gap * square / 2
        self.pool = Pool(self.columns, self.y, KINDS[kind], self.tie, self.lam_min, self.allowed, square, first)
        self.n_corners, self.n_entries, self.record = 0, 0, []

    def run(self):
        """The path."""
        rows = self.columns.rows
        small = self.columns.in_memory is not None and rows.size * min(rows.shape) <= SHORT
        with nullcontext(lambda: False) if small else interruptible() as interrupted:
            corr = self.columns.zero / self.unit
            top = float(np.abs(corr).max())
            unseen = top <= 2 * self.tie and self._is_least(self.y)
            if unseen:
                top = 0.0
            none = np.zeros((4, 0), dtype=np.int64)
            self._note(np.array([top]), np.array([top]), np.zeros(1, dtype=np.int64), none[0], np.zeros(0), none[1:])
            if top <= self.lam_min:
                return self._path(UNSEEN if unseen else REACHED)
            if top <= 2 * self.tie:
                return self._path(ROUNDING)
            self.pool.start(corr, top)
            while True:
                status, *record = self.pool.go_on()
                self._note(*record)
                if self.n_corners >= self.most:
                    return self._path(ENOUGH)
                if status == DONE:
                    return self._end()
                if status in (STALLED, INEXACT):
                    self._go_part_of_the_way(*self._here())
                    return self._path(ROUNDING)
                if interrupted():
                    return self._path(INTERRUPTED)
                if status == SCAN:
                    self.pool.take(self.pool.scan())
                elif status == CROWDED:
                    self.pool.grow()

    def _end(self):
        """The path to `lam_min`; without the corner at 0 where that is not a least squares solution.

        Learners that do not move there may depend on the others up to rounding only. What the residual has along the little that is
        their own does not show in its correlations.
        """
        if self.lam_min > 0:
            return self._path(REACHED)
        k = self.pool.now.n_active
        if k == self.problem.n_learners and min(self.pool.path.factor.diagonal()[:k].tolist()) > FAR:
            return self._path(REACHED)
        if self._is_least(self.pool.residual()):
            return self._path(REACHED)
        end = self._here()
        self._forget_last()
        self._go_part_of_the_way(*end)
        return self._path(ROUNDING)

    def _is_least(self, resid):
        """Whether a residual is that of least squares, up to what a corner may be off by; False, too, where that is too dear to tell."""
        if resid @ resid <= 2 * self.allowed:
            return True
        try:
            inside = self.problem.spectrum.left.T @ resid
        except ValueError:
            return False
        return inside @ inside <= 2 * self.allowed

    def _here(self):
        """The level where the pool stands, and the coefficients (n_learners,)."""
        path, m = self.pool.path, self.pool.now.n_candidates
        gamma = np.zeros(self.problem.n_learners)
        gamma[path.learner[:m]] = path.beta[:m]
        return float(self.pool.now.lam), gamma

    def _go_part_of_the_way(self, end, model):
        """Go on from the last corner towards the level `end`, where `model` does not hold, as far as models hold: to the last point."""
        lams, _, stops, index, value, _ = self._corners()
        first = stops[-2] if len(stops) > 1 else 0
        last, here = float(lams[-1]), np.zeros(self.problem.n_learners)
        here[index[first:]] = value[first:]
        if not (np.isfinite(model).all() and end < last):
            return
        holds, low, found = last, max(end, EPS * last), None
        while holds - low > CLOSE * low:
            lam = math.sqrt(holds * low)
            share = (last - lam) / (last - end)
            gamma = (1 - share) * here + share * model
            level = self._level(lam, gamma)
            if level is None:
                low = lam
            else:
                holds, found = lam, (level, gamma)
        if found is not None:
            level, gamma = found
            index = np.flatnonzero(gamma)
            stop, events = np.array([len(index)]), np.zeros((3, 0), dtype=np.int64)
            self._note(np.array([holds]), np.array([level]), stop, index, gamma[index], events)

    def _level(self, lam, gamma):
        """What no abs correlation exceeds at the coefficients `gamma`, where these hold at the level `lam`; None where they do not.

        They are to hold without rounding, and as anybody sees it who computes the residual in float64.
        """
        levels = [
            self._level_of(resid, lam, gamma)
            for resid in (self.pool.exact_residual(gamma), self.y - self.columns.combine(gamma))
        ]
        return None if None in levels else max(levels)

    def _level_of(self, resid, lam, gamma):
        """The same, with this residual."""
        self.pool.now.n_scans += 1
        corr, square, l1 = self.columns.scan(resid), float(resid @ resid), float(np.abs(gamma).sum())
        doubt = 2 * EPS * math.sqrt(len(resid) * square)
        level = float(np.abs(corr).max()) + doubt
        over = max(level - lam, 0.0)
        if self.kind == "lasso":
            # lam |gamma|_1 less what the correlations account for, at the dual point (1 - share) resid; at 0 all of the objective
            share = over / (lam + over)
            gap = lam * l1 - (1 - share) * float(corr @ gamma) + square * share * share / 2
            gap = min(gap, lam * l1 + square / 2) + doubt * l1
        else:
            short = lam - np.abs(corr[gamma != 0]) if self.kind == "lar" else np.zeros(0)
            gap = (1 + l1) * (over + max(short.max(initial=0.0), 0.0)) if over <= lam else math.inf
        return level if gap <= 0.99 * self.allowed else None

    def _forget_last(self):
        """Take the last corner out of the record."""
        lams, levels, stops, index, value, events = self._corners()
        self.n_corners -= 1
        self.n_entries = kept = int(stops[-2])
        events = events[:, events[0] < self.n_corners]
        self.record = [(lams[:-1], levels[:-1], stops[:-1], index[:kept], value[:kept], events)]

    def _corners(self):
        """The record in one piece."""
        self.record = [tuple(np.concatenate(parts, axis=-1) for parts in zip(*self.record, strict=True))]
        return self.record[0]

    def _note(self, lams, levels, stops, index, value, events):
        events[0] += max(self.n_corners - 1, 0)
        self.record.append((lams, levels, stops + self.n_entries, index, value, events))
        self.n_corners += len(lams)
        self.n_entries += len(index)

    def _path(self, message):
        """The corners passed."""
        lams, levels, stops, index, value, events = self._corners()
        n = int(min(self.most, len(lams)))
        stops = np.concatenate([[0], stops[:n]])
        shape = n, self.problem.n_learners
        beta = scipy.sparse.csr_array((value[: stops[-1]] * self.unit, index[: stops[-1]], stops), shape=shape)
        beta.sort_indices()
        n_scans, complete = int(self.pool.now.n_scans), message in (REACHED, UNSEEN, ENOUGH)
        self.levels = levels[:n] * self.unit
        return ExactPath(self.problem, self.kind, lams[:n] * self.unit, beta, events, n_scans, complete, message)
