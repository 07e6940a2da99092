"""An exact piecewise linear path, as the list of its corners."""

from functools import cached_property

import numpy as np
import scipy.sparse

from coordboost._checks import not_negative
from coordboost.targets import At, Penalty


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
        False where the path ended before it was to: below the last corner's lam nothing is known.
    message : str
        Why it ended, in a sentence.
    """

    def __init__(self, problem, kind, lam, beta, events, n_scans, complete, message):
        self.problem, self.kind, self.lam, self.beta = problem, kind, lam, beta
        self._events, self.n_scans, self.complete, self.message = events, n_scans, complete, message

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
        """The interval around the Lasso optimum at `lam` that the path's point there certifies. *Cost*: one scan.

        At lam = 0 it is that of the smallest penalty which rounding can tell from 0. For the optimum over all coefficients, however
        large, ask ``certify(problem, beta)``: columns that only rounding tells apart leave a gap there.
        """
        point = At.point(self.problem, self.coef_at(lam=lam))
        least = float(np.abs(point.corr).max()) + point.doubt(self.problem)
        return Penalty(float(lam) if lam > 0 else least).certificate(self.problem, point)

    def gaps(self):
        """Duality gap of every corner relative to the loss at 0, (n_corners,): at most 1e-10 for the Lasso, mostly below 1e-13.

        At lam = 0 it is the distance to the least squares loss, where columns that depend on others up to rounding count as dependent.
        ``certificate(0.0)`` presumes no rank and may be wide there.
        *Cost*: one scan for each corner; a thin SVD at lam = 0.
        """
        null = self.problem.value(0.0 * self.problem.y) or 1.0
        return np.array([self._gap(lam) / null for lam in self.lam])

    def _gap(self, lam):
        if lam > 0:
            return self.certificate(lam).gap
        problem = self.problem
        inside = problem.spectrum.project(problem, problem.resid(problem.combine(self.coef_at(lam=0))))
        return float(inside @ inside) / 2

    def __repr__(self):
        ends = f"lam {self.lam[0]:.4g} to {self.lam[-1]:.4g}"
        return f"ExactPath({self.kind!r}, {self.n_corners} corners, {ends}, {self.n_scans} scans; {self.message})"
