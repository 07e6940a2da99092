"""An exact piecewise linear path, as the list of its knots."""

from functools import cached_property

import numpy as np
import scipy.sparse

from coordboost.certificates.objectives import Evaluation, L1Penalty
from coordboost.paths.freedom import active_rank
from coordboost.paths.places import PathPoint, PiecewiseLinear, between


class ExactPath(PiecewiseLinear):
    """An exact piecewise linear path.

    Its points are the knots, from beta = 0 at knot 0 to the end of the path.

    Attributes
    ----------
    problem : Problem
    kind : "lasso", "lar" or "stagewise"
    lam : (n_knots,)
        Largest abs correlation at each knot, decreasing (penalty of the sum of the losses:
        n_samples times scikit-learn's alpha).
    l1 : (n_knots,)
        Sum of abs(beta).
    beta : CSR array, (n_knots, n_learners)
        Coefficients of the unit columns.
    events : list of (knot, learner, +1 or -1)
        Which learner starts (+1) or stops (-1) moving at which knot.
    n_scans : int
        Number of scans of all learners.
    complete : bool
        False if the path ended too early: below the lam of its last knot nothing is known.
    message : str
        Why it ended, in a sentence.
    """

    piecewise_linear = True

    def __init__(self, problem, kind, lam, beta, events, n_scans, complete, message):
        self.problem = problem
        self.kind = kind
        self.lam = lam
        self.beta = beta
        self._events = events
        self.n_scans = n_scans
        self.complete = complete
        self.message = message

    @cached_property
    def l1(self):
        return np.asarray(abs(self.beta).sum(axis=1)).ravel()

    @cached_property
    def events(self):
        order = np.lexsort(self._events[::-1])
        return [
            tuple(event) for event in self._events[:, order].T.tolist() if event[0] < self.n_knots
        ]

    @property
    def n_knots(self):
        return len(self.lam)

    def beta_at(self, *, step=None, l1=None, lam=None, alpha=None, fraction=None):
        """Coefficients (n_learners,) of the unit columns at a place.

        It is named as for ``coef_at``.

        Above the first level (or at l1 = 0) they are 0.

        Raises
        ------
        ValueError
            If not exactly one is given, or the path ends before it.
        """
        return self._beta(PathPoint(step=step, l1=l1, lam=lam, alpha=alpha, fraction=fraction))

    def _beta(self, place):
        return self._mix(*([ends] for ends in self._mixture(place))).toarray()[0]

    def coefs_at(self, lams):
        """Coefficients of the unit columns at several levels, CSR array (len(lams), n_learners).

        Beyond the end of the path those there.
        """
        return self._mix(*between(-self.lam, -np.asarray(lams, dtype=np.float64)))

    def _mix(self, before, after, share):
        """Coefficients between two knots each, CSR array."""
        share = np.asarray(share)
        weights = np.column_stack([1.0 - share, share]).ravel()
        knot = np.column_stack([before, after]).ravel()
        stops = np.arange(0, len(knot) + 1, 2)
        shape = (len(share), self.n_knots)
        return scipy.sparse.csr_array((weights, knot, stops), shape=shape) @ self.beta

    @property
    def _lams(self):
        return self.lam

    def _starts_at_zero(self):
        return True

    def _model(self, place):
        return self.problem.raw(self._beta(place))

    def order_of_entry(self):
        """Columns of X in the order in which they begin to move, (n_entered,)."""
        return self.problem.standardization.kept[
            list(dict.fromkeys(j for _, j, change in self.events if change > 0))
        ]

    def profile(self):
        """Numbers for ``to_frame``.

        A dict of arrays (n_points,), and the coefficients (n_points, n_columns).
        """
        problem = self.problem
        betas = [self.beta[[k]].toarray()[0] for k in range(self.n_knots)]
        raw = [problem.raw(beta) for beta in betas]
        numbers = {
            "step": np.arange(self.n_knots),
            "l1": self.l1,
            "fraction": self.l1 / (self._last_l1() or 1.0),
        }
        numbers |= {"alpha": self.lam / problem.weight.sum()}
        numbers |= self._deviance(
            np.array([problem.value(problem.combine(beta)) for beta in betas])
        )
        return {**numbers, "intercept": np.array([model[1] for model in raw])}, np.array(
            [model[0] for model in raw]
        )

    def degrees_of_freedom(self):
        """Degrees of freedom at every knot, without the intercept, (n_knots,).

        For Lasso and LAR the rank of the columns with a non-zero coefficient.

        Raises
        ------
        ValueError
            For FS_0, whose degrees of freedom are not known.
        """
        if self.kind == "stagewise":
            raise ValueError(
                "degrees of freedom of FS_0 are not known; choose by cross-validation."
            )
        return active_rank(self.problem, (self.beta[[k]].toarray()[0] for k in range(self.n_knots)))

    def certificate(self, lam):
        """The interval around the Lasso optimum at `lam`, from the point of the path there.

        *Cost*: one scan.

        At lam = 0 it is for the smallest penalty that rounding can tell from 0. For the optimum
        over all coefficients, however large, use ``certify(problem, beta)``: columns that differ
        only by rounding leave a gap there.
        """
        point = Evaluation.point(self.problem, self.beta_at(lam=lam))
        level = float(np.abs(point.corr).max()) + point.rounding_of_corr(self.problem)
        return L1Penalty(float(lam) if lam > 0 else level).certificate(self.problem, point)

    def certificate_at(self, place):
        """The certificate at a ``PathPoint``."""
        before, after, share = self._mixture(place)
        return self.certificate(float((1 - share) * self.lam[before] + share * self.lam[after]))

    @cached_property
    def gaps(self):
        """Duality gap of every knot relative to the loss at 0, (n_knots,).

        For the Lasso it is mostly below 1e-13.

        The path keeps it at 1e-10 at most; this check adds a bound of its own rounding, so it may
        give more.

        At lam = 0 it is the distance to the least squares loss, where columns that depend on others
        up to rounding count as dependent. ``certificate(0.0)`` assumes no rank and may be wide
        there. *Cost*: one scan for each knot; a thin SVD at lam = 0.
        """
        null = self.problem.value(0.0 * self.problem.y) or 1.0
        return np.array([self._gap(lam) / null for lam in self.lam])

    def _gap(self, lam):
        if lam > 0:
            return self.certificate(lam).gap
        problem = self.problem
        inside = problem.spectrum.project(
            problem, problem.resid(problem.combine(self.beta_at(lam=0)))
        )
        return float(inside @ inside) / 2

    def __repr__(self):
        ends = f"lam {self.lam[0]:.4g} to {self.lam[-1]:.4g}"
        return (
            f"ExactPath({self.kind!r}, {self.penalty_units}, {self.n_knots} knots, {ends}, "
            f"{self.n_scans} scans; {self.message})"
        )
