r"""The penalised Lasso of any smooth loss beside an intercept that is not penalised: the solver, and what certifies it.

The intercept is an unpenalised column of ones. At its best value beside given coefficients the residuals sum to 0. Then convexity
gives :math:`L(b', \beta') \ge L(b, \beta) + \langle r, B\beta - B\beta'\rangle` for every intercept b', without a term in b': the
certificate is that of a fixed intercept. What rounding leaves of the sum is multiplied by how far the best intercept can be, see ``Reach``.

Inside, each quadratic model is minimised over the intercept, too: its columns have mean 0 in the metric of the curvatures.
"""

import math

import numpy as np

from coordboost.lasso.newton import Newton
from coordboost.paths import intercept
from coordboost.paths.intercept import best_shift
from coordboost.targets import At, Penalty


class FreeNewton(Newton):
    """``Newton``, with the best intercept at every step: ``pred`` has it in."""

    def __init__(self, source, judge):
        super().__init__(source, judge)
        self.held = CentredPart(self.held)

    def check(self, lam, wanted):
        self.pred = self.held.combine(self.gamma)
        self._settle_intercept()
        self._scan()
        return self.gap(lam, wanted)

    def _search(self, change, now, lam):
        step = super()._search(change, now, lam)
        self._settle_intercept()
        return step

    def _settle_intercept(self):
        self.pred = self.pred + best_shift(self.problem, self.pred)
        self.loss = self.terms(*self.fixed, self.pred, self.pred, 0.0, self.resid)


class CentredPart:
    """The learners of a working set less constants: means in the metric of the curvatures at the last Gram matrix."""

    def __init__(self, part):
        self.part, self.dictionary = part, self
        self.means = np.zeros(len(part.learner))

    @property
    def learner(self):
        return self.part.learner

    def add(self, learners):
        self.part.add(learners)
        self.means = np.concatenate([self.means, np.zeros(len(learners))])

    def scan(self, v):
        """Correlations with `v`, whose entries sum to 0, so that the constants do not matter, (m,)."""
        return self.part.scan(v)

    def combine(self, gamma):
        return self.part.dictionary.combine(gamma) - float(self.means @ gamma)

    @property
    def n_entries(self):
        return self.part.n_entries

    def _centre(self, weight):
        """Take the means in the metric of `weight`; the correlations with it, (m,)."""
        along, total = self.part.scan(weight), float(weight.sum())
        self.means = along / total
        return along

    def entries(self, curved):
        self._centre(curved)
        return self.part.entries(curved, self.means)

    def gram(self, weight):
        along = self._centre(weight)
        return self.part.dictionary.gram(weight) - np.outer(along, self.means)


class Reach(intercept.Farthest):
    """How far the intercept of an optimum can be from the start, for the columns of `source`."""

    def __init__(self, source):
        super().__init__(source.problem, source.scan)

    def gap(self, lam, *point):
        """The certified gap at a point whose prediction has its intercept in."""
        problem, at = self.problem, At(*point)
        certificate = Penalty(lam).certificate(problem, at)
        total = float(problem.weight.sum())
        rest = abs(float(at.resid.sum())) + at.doubt(problem) * math.sqrt(total)
        # where the point is: its distance from the start is that of the mean prediction, at most
        far = self.most(certificate.upper, lam) + float(np.abs(at.pred).max())
        return certificate.gap + rest * far
