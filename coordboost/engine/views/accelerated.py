"""The view of accelerated boosting: two models, f and h, and the residual at a point between them."""

from typing import NamedTuple

import numpy as np

from coordboost._generic import generic, kernel
from coordboost._protocol import VIEW
from coordboost.engine.views.explicit import begin_residual, fill_curvature, refresh_residual
from coordboost.pieces.coefficients import TwoSequences
from coordboost.pieces.momentum import mixing

scan = generic("scan")
correlations = generic("correlations")
add = generic("add")
column = generic("column")


@kernel
def look_between(view):
    """Look at the residual at g = (1 - theta_m) f + theta_m h."""
    mix = mixing(view.iteration[0])
    for i in range(len(view.mixed)):
        view.mixed[i] = (1 - mix) * view.f[i] + mix * view.h[i]
    refresh_residual(view.loss, view.y, view.weight, view.base, view.mixed, view.looked)


@VIEW.own
class Accelerated(NamedTuple):
    """Predictions f and h (n_samples,), and what is correlated with the learners: `looked`, the residual r at g or the corrected c.

    AGBM looks at r in even steps and at c in odd ones; c <- r + (m+1)/(m+2) (c - fit) with the fit of its last learner, kept in `unfitted`.
    VAGBM (`share` > 0) looks at r always. *Cost* of a step: one scan (or the candidates) and O(n_samples).

    Source: Lu, Karimireddy, Ponomareva, Mirrokni, *Accelerating Gradient Boosting Machines*, Algorithms 2 and 4.
    """

    loss: object
    dictionary: object
    y: np.ndarray
    weight: np.ndarray
    base: float
    f: np.ndarray
    h: np.ndarray
    mixed: np.ndarray
    looked: np.ndarray
    unfitted: np.ndarray  # c - its fit, with the weights
    iteration: np.ndarray  # m, (1,)
    share: float
    rounding: float
    carries = (TwoSequences,)

    @classmethod
    def start(cls, problem, coefficients):
        """The view at f = h = 0."""
        zeros = [0 * problem.y for _ in range(5)]
        view = cls(
            problem.loss, problem.dictionary, problem.y, problem.weight, problem.base, *zeros, 0 * problem.y[:1], coefficients.share,
            problem.tie,
        )  # fmt: skip
        begin_residual(view.loss, view.y, view.weight, view.base, view.mixed, view.looked)
        return view

    @property
    def pred(self):
        """The prediction of the model, f."""
        return self.f

    def looks(self, width, n_learners):
        """How many correlations with the data a step of a rule with `width` candidates takes."""
        return width if width else n_learners

    def sought(self):
        """What is correlated with the learners."""
        return self.looked

    def weigh(self, out):
        """The second derivatives where the residual is taken, in place."""
        fill_curvature(self.loss, self.y, self.weight, self.base, self.mixed, out)

    def scan(self):
        return scan(self.dictionary, self.looked)

    def correlations(self, index):
        return correlations(self.dictionary, self.looked, index)

    def tie(self):
        return self.rounding

    def push(self, j, shrink, theta):
        """One row of the path: f moves where shrink > 0, h where it is 0."""
        if shrink == 0:
            learner, fit = column(self.dictionary, j), 0 * theta
            for i in range(len(self.looked)):
                fit += self.looked[i] * learner[i]
            for i in range(len(self.looked)):
                self.unfitted[i] = self.looked[i] - self.weight[i] * (fit * learner[i])
            add(self.dictionary, j, theta, self.h)
        else:
            for i in range(len(self.f)):
                self.f[i] = (1 - shrink) * self.f[i] + shrink * self.h[i]
            add(self.dictionary, j, theta, self.f)
            if self.share == 0:  # AGBM: h comes next, and looks at the corrected residual
                memory = 1 - shrink / 2  # (m + 1) / (m + 2)
                for i in range(len(self.looked)):
                    self.looked[i] += memory * self.unfitted[i]
                return
            add(self.dictionary, j, self.share * theta / shrink, self.h)
        self.iteration[0] += 1
        look_between(self)
