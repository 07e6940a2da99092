"""Exact paths of the squared loss: Lasso, least angle regression and FS_0, from corner to corner."""

from functools import cached_property

import numpy as np
import scipy.sparse

from coordboost._checks import not_negative, shown
from coordboost._protocol import LOSS
from coordboost._threads import one_thread
from coordboost.data import validation
from coordboost.exact.pool import Pool
from coordboost.exact.state import CROWDED, DONE, LAR, LASSO, SCAN, SCANS, STAGEWISE, STALLED
from coordboost.problem import Problem
from coordboost.screening.columns import Columns
from coordboost.targets import At, Penalty, Unconstrained

KINDS = {"lasso": LASSO, "lar": LAR, "stagewise": STAGEWISE}


class ExactPath:
    """An exact piecewise linear path; corner 0 is beta = 0, the last one the end.

    Attributes
    ----------
    problem : Problem;  kind : "lasso", "lar" or "stagewise"
    lam : (n_corners,)
        Largest abs correlation at each corner, decreasing (sum convention: n_samples times scikit-learn's alpha).
    l1 : (n_corners,)
        Sum of abs(beta).
    beta : CSR array, (n_corners, n_learners)
        Coefficients of the unit columns.
    events : list of (corner, learner, +1 or -1)
        Which learner starts (+1) or stops (-1) moving where.
    n_scans : int
        Scans of all learners.
    complete : bool
        False where rounding ended the path before `lam_min`: below the last corner's lam nothing is known.
    """

    def __init__(self, problem, kind, lam, beta, events, n_scans, complete):
        self.problem, self.kind, self.lam, self.beta = problem, kind, lam, beta
        self._events, self.n_scans, self.complete = events, n_scans, complete

    @cached_property
    def l1(self):
        return np.asarray(abs(self.beta).sum(axis=1)).ravel()

    @cached_property
    def events(self):
        order = np.lexsort(self._events[::-1])
        return [tuple(event) for event in self._events[:, order].T.tolist() if event[0] < self.n_corners]

    @property
    def n_corners(self):
        return len(self.lam)

    def coef_at(self, *, lam=None, l1=None):
        """Coefficients (n_learners,) of the unit columns where the path has the level `lam`, or the norm `l1`.

        Above the first level (or at l1 = 0) that is 0. ``problem.raw(...)`` gives them on the scale of X.

        Raises
        ------
        ValueError
            If not exactly one is given, or the path ends before it.
        """
        if (lam is None) == (l1 is None):
            raise ValueError("coef_at needs either lam or l1, not both.")
        if lam is not None:
            at = not_negative("lam", lam)
            if at < self.lam[-1]:
                raise ValueError(f"the path ends at lam = {self.lam[-1]:.6g}; compute it further down than {at:.6g}.")
            return self.coefs_at([at]).toarray()[0]
        at, top = not_negative("l1", l1), np.maximum.accumulate(self.l1)
        if at > top[-1]:
            raise ValueError(f"the path ends at l1 = {top[-1]:.6g}; it does not reach {at:.6g}.")
        return self._mix(top, np.array([at])).toarray()[0]

    def coefs_at(self, lams):
        """Coefficients at several levels at once, CSR array (len(lams), n_learners); below the end of the path those of its end."""
        return self._mix(-self.lam, -np.asarray(lams, dtype=np.float64))

    def _mix(self, knots, at):
        """Linear between the corners, where the non-decreasing `knots` have the values `at`."""
        n, rows = len(knots), np.arange(len(at))
        after = np.clip(np.searchsorted(knots, at, side="left"), 0, n - 1)
        before = np.maximum(after - 1, 0)
        width = knots[after] - knots[before]
        share = np.clip(np.divide(at - knots[before], width, out=np.ones(len(at)), where=width > 0), 0.0, 1.0)
        weights = np.concatenate([1.0 - share, share])
        mixed = scipy.sparse.csr_array((weights, (np.tile(rows, 2), np.concatenate([before, after]))), shape=(len(at), n))
        return mixed @ self.beta

    def certificate(self, lam):
        """The interval around the Lasso optimum at `lam` that the path's point there certifies. *Cost*: one scan."""
        target = Penalty(float(lam)) if lam > 0 else Unconstrained()
        return target.certificate(self.problem, At.point(self.problem, self.coef_at(lam=lam)))

    def gaps(self):
        """Duality gap of every corner relative to the loss at 0, (n_corners,): 0 up to rounding for the Lasso.

        *Cost*: one scan for each corner.
        """
        null = self.problem.value(0.0 * self.problem.y) or 1.0
        return np.array([self.certificate(lam).gap / null for lam in self.lam])

    def __repr__(self):
        ends = f"lam {self.lam[0]:.4g} to {self.lam[-1]:.4g}"
        return f"ExactPath({self.kind!r}, {self.n_corners} corners, {ends}, {self.n_scans} scans)"


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
        How many learners the walk looks at between two scans, at the start; adapted to what the scans find. The result does not
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
    Ties, copies, sign flips and dependent columns need no care: at each corner the direction solves a small sign-constrained least
    squares problem. Of equal columns the first carries the coefficient.
    *Cost*: a corner costs O(candidates * active); scans of all learners are rare, as a sphere around the last scan's residual
    proves that no other learner can have entered. *Source*: Efron, Hastie, Johnstone, Tibshirani, *Least angle regression*; Osborne,
    Presnell, Turlach, *A new approach to variable selection in least squares problems*; the sphere test is ours.
    """
    problem = X if isinstance(X, Problem) else Problem(X, y)
    if isinstance(X, Problem) and y is not None:
        raise ValueError("y is part of the Problem: pass exact_path(problem) alone.")
    if not LOSS.of(problem.loss, "quadratic"):
        raise ValueError(f"exact paths are those of the squared loss, got {shown(problem.loss)}; use Problem(X, y).")
    if kind not in KINDS:
        raise ValueError(f"kind must be 'lasso', 'lar' or 'stagewise', got {shown(kind)}.")
    lam_min = not_negative("lam_min", lam_min)
    most = np.inf if max_corners is None else validation.whole("max_corners", max_corners, 1)
    wanted = None if candidates is None else validation.whole("candidates", candidates, 1)
    with one_thread():
        return Walk(problem, kind, lam_min, most, wanted).run()


class Walk:
    """Scans, blocks and the record put together; on columns scaled by `scale` (n_learners,) where that is given."""

    def __init__(self, problem, kind, lam_min, most=np.inf, first=None, scale=None):
        self.problem, self.kind, self.most = problem, kind, most
        self.columns = Columns(problem, scale)
        size = float(np.linalg.norm(self.columns.y))
        self.unit = float(np.ldexp(1.0, int(np.frexp(size)[1]) - 1)) if size > 0 else 1.0
        self.y = self.columns.y / self.unit
        self.lam_min = lam_min / self.unit
        self.tie = max(problem.tie / self.unit, 1e-13)
        self.pool = Pool(self.columns, self.y, KINDS[kind], self.tie, self.lam_min, first)
        self.n_corners, self.n_entries, self.record = 0, 0, []

    def run(self):
        """The path."""
        corr = self.pool.scan()
        top = float(np.abs(corr).max())
        none = np.zeros((4, 0), dtype=np.int64)
        self._note(np.array([top]), np.zeros(1, dtype=np.int64), none[0], np.zeros(0), none[1:])
        if top <= max(self.lam_min, 2 * self.tie):
            return self._path(True)
        self.pool.start(corr)
        while True:
            status, *record = self.pool.go_on()
            self._note(*record)
            if status in (DONE, STALLED) or self.n_corners >= self.most:
                return self._path(status == DONE or self.n_corners >= self.most)
            if status == SCAN:
                self.pool.take(self.pool.scan())
            elif status == CROWDED:
                self.pool.grow()

    def _note(self, lams, stops, index, value, events):
        events[0] += max(self.n_corners - 1, 0)
        self.record.append((lams, stops + self.n_entries, index, value, events))
        self.n_corners += len(lams)
        self.n_entries += len(index)

    def _path(self, complete):
        lams, stops, index, value, events = (np.concatenate(parts, axis=-1) for parts in zip(*self.record, strict=True))
        n = int(min(self.most, len(lams)))
        stops = np.concatenate([[0], stops[:n]])
        shape = n, self.problem.n_learners
        beta = scipy.sparse.csr_array((value[: stops[-1]] * self.unit, index[: stops[-1]], stops), shape=shape)
        beta.sort_indices()
        return ExactPath(self.problem, self.kind, lams[:n] * self.unit, beta, events, int(self.pool.count[SCANS]), complete)
