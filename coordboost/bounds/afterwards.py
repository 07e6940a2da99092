r"""What a run proves about itself: a bound from the correlations and coefficients that it met; in sums over samples.

For the squared loss, any coefficients beta and any least-squares solution b,

    L(beta) - L* = 1/2 ||B (b - beta)||^2 = 1/2 <b - beta, B' r> <= 1/2 max_j |<B_j, r>| ||b - beta||_1,

the second equality because r - B (b - beta), the least-squares residual, is orthogonal to all columns. No eigenvalue, no angle and no
number of learners is in it. Ours; the proof is in docs/planning.md.
"""

from dataclasses import dataclass

import numpy as np

from coordboost._threads import on_one_thread
from coordboost.bounds.check import Sides, Statement
from coordboost.bounds.trail import Trail, covered
from coordboost.spectrum import Spectrum


@dataclass(frozen=True)
class Afterwards:
    """Numbers at the steps 0, 1, ..., n_steps; arrays (n_steps + 1,).

    error : L - L*;  corr : largest abs correlation;  to_least : ||beta_k - b||_1, b the least-squares solution of smallest norm
    noise : bound of the rounding in a correlation
    """

    error: np.ndarray
    corr: np.ndarray
    to_least: np.ndarray
    noise: np.ndarray

    @classmethod
    @on_one_thread
    def of(cls, run):
        """What a run met. *Cost*: two thin SVDs, O(rank n_learners) a step."""
        trail, best = Trail.of(run), least_squares(run.problem)
        used = np.unique(run.path.learner)
        others = float(np.abs(np.delete(best, used)).sum())
        far = [float(np.abs(state.beta[used] - best[used]).sum()) for state in run.replay(range(run.n_steps + 1))]
        return cls(trail.excess, trail.corr, np.array(far) + others, trail.noise)

    @property
    def bound(self):
        """Of L - L*."""
        return excess(self.corr, self.to_least)


def least_squares(problem):
    """The least-squares solution of smallest norm, (n_learners,). *Cost*: one thin SVD and a scan."""
    spectrum = Spectrum.of(problem)
    start = spectrum.project(problem, problem.resid(np.zeros(problem.n_samples)))
    return problem.scan(np.sqrt(problem.weight) * (spectrum.left @ (start / spectrum.singular**2)))


def excess(corr, to_least):
    """L(beta) - L* <= max abs correlation ||beta - b||_1 / 2."""
    return corr * to_least / 2


def _sides(after):
    return Sides(after.error, after.bound, 4 * after.noise * after.to_least, after.error[0])


STATEMENTS = (
    Statement(
        "After the fact, error", "sharpened", "upper", "L(beta_k) - L* <= 1/2 max_j |<B_j, r_k>| ||beta_k - b||_1", covered, _sides,
        "Ours: docs/planning.md", Afterwards.of,
    ),
)  # fmt: skip
