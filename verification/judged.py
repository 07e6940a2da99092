"""Results of a general solver to compare with the package: optima at every radius of a run, and
minimal cosine angles.
"""

import functools
import warnings
from dataclasses import dataclass
from itertools import product
from typing import Any

import cvxpy as cp
import numpy as np

import coordboost as cb
from coordboost.certificates.independent import independent_solution
from coordboost.theory.bounds import Trail
from coordboost.theory.bounds.trail import lower_end
from verification.spaces.walk import Walk
from verification.statement import method_of, problem_of


@functools.cache
def _optimum(problem, radius):
    """Return the interval of the solver for the optimum over the l1 ball, or without a constraint:
    lower end, upper end.
    """
    found = independent_solution(
        problem,
        cb.certificates.L1Ball(radius) if radius < np.inf else cb.certificates.Unconstrained(),
    ).interval
    return found.lower, found.upper


@dataclass(frozen=True, eq=False)
class Judged:
    """A run, and the optima in exact arithmetic, (n_points,), or None if they are not known.

    The points are the steps 0, 1, ... that have their own radius; for least squares all steps.
    """

    run: cb.engine.Run
    exact: Any = None

    @functools.cached_property
    def trail(self):
        """The ``bounds.Trail`` of the run."""
        return Trail.of(self.run)

    @functools.cached_property
    def radius(self):
        """Radius at each point, (n_points,), inf for least squares."""
        return self.trail.radius[: len(getattr(self.trail.step, "deltas", self.trail.k))]

    @functools.cached_property
    def losses(self):
        """Losses of the models, computed from their predictions."""
        return np.array([state.loss for state in self.run.replay(range(len(self.radius)))])

    @functools.cached_property
    def ends(self):
        """Both ends of the intervals of the solver, (2, n_points)."""
        return np.array([_optimum(self.run.problem, float(radius)) for radius in self.radius]).T

    @property
    def excess(self):
        """The losses above the solver's lower end."""
        return self.losses - self.ends[0]

    @property
    def own(self):
        """Lower bound of each optimum by the package: from the factorisation, or the best one along
        the run.
        """
        if self.radius[0] == np.inf:
            return np.full(len(self.radius), self.trail.constants.optimum)
        return lower_end(self.trail, self.radius)

    @property
    def constants(self):
        """Constants of the run, with A^2 / 2 = L(0) minus the least-squares loss, by the upper end
        of the solver.
        """
        explained = self.losses[0] - _optimum(self.run.problem, np.inf)[1]
        return self.trail.constants._replace(size=float(np.sqrt(2 * explained)))

    @property
    def slack(self):
        """Width of the interval of the solver, plus the rounding in a loss."""
        return (
            self.ends[1]
            - self.ends[0]
            + self.trail.noise[: len(self.radius)] * np.sqrt(2 * self.losses[0])
        )


def judged(case):
    """Return a case of another file of theorems, a run or an instance in Fractions, as a
    ``Judged``.
    """
    if not isinstance(case, Walk):
        return Judged(case.run)
    run = cb.solve(problem_of(case), method_of(case), len(case.beta) - 1, compile=False)
    optima = case.loss - case.excess if case.delta is None else case.lasso
    return Judged(run, np.array(optima, dtype=float))


def angle_bound(B, weights):
    r"""Return a lower bound of the minimal cosine angle of the columns of B, from a semidefinite
    program for each pattern of signs.

    1 / Theta^2 is the largest |c|^2 with F(a) = max_w w'|a| <= 1, a_j = B_j'c, for unit columns and
    c in their range. For given signs of a, the numbers |a_j| and 1 - w'|a| are linear in c and not
    negative. So are the products of any two of them, in which a positive semidefinite matrix
    replaces (1, c) (1, c)'. *Source*: relaxation with products, Sherali and Adams (1999).

    weights : (n_weights, n_learners), the vectors w in the definition of F
    """
    unit = B / np.linalg.norm(B, axis=0)
    left, singular, _ = np.linalg.svd(unit)
    C = unit.T @ left[:, : (singular > 1e-9).sum()]
    ones = np.ones((len(weights), 1))
    lifted = cp.Variable((C.shape[1] + 1,) * 2, PSD=True)
    longest = 0.0
    for signs in product([1.0], *[[1.0, -1.0]] * (len(C) - 1)):
        sizes = C * np.array(signs)[:, None]
        known = np.vstack([np.c_[0 * sizes[:, :1], sizes], np.c_[ones, -weights @ sizes]])
        model = cp.Problem(
            cp.Maximize(cp.trace(lifted[1:, 1:])),
            [lifted[0, 0] == 1, known @ lifted @ known.T >= 0],
        )
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # "may be inaccurate": the comparison with the package decides
            longest = max(longest, float(model.solve(solver=cp.CLARABEL)))
    return longest**-0.5
