r"""Bounds of accelerated boosting: Theorems 4.1 and 4.2 of Lu, Karimireddy, Ponomareva and Mirrokni
with the constants of their proof.

They hold for greedy fits, eta <= 1 / sigma and gamma <= (1 - sqrt(1 - Theta^2))^2, Theta the
minimal cosine angle; in sums over samples. The paper prints the constant 1/2 instead of 2, and half
of this period: both are refuted (docs/ledger.md).
"""

from dataclasses import dataclass

import numpy as np

from coordboost._numba.threads import on_one_thread
from coordboost.theory.bounds import formula
from coordboost.theory.bounds.randomized import rounding_of_losses
from coordboost.theory.bounds.statement import Statement

SOURCE = "Lu, Karimireddy, Ponomareva, Mirrokni"
#: Number of points (rounds, or periods) at which the gap is measured.
POINTS = 24


#: The rounds after which the error has halved: Theorem 4.2, as corrected and as printed.
PERIOD = {
    "corrected": "ceil(root(8 / (eta * gamma * mu)))",
    "printed": "ceil(root(2 / (eta * gamma * mu)))",
}


def period(eta, gamma, mu):
    """The rounds ceil(sqrt(8 / (eta gamma mu))) after which the error has halved: Theorem 4.2,
    corrected.
    """
    known = {"eta": eta, "gamma": gamma, "mu": mu}
    return int(formula.value(formula.parsed(PERIOD["corrected"]), formula.Scope(None, (), known)))


@dataclass(frozen=True, eq=False)
class Rounds:
    """The gaps (n_points,) of a run after the rounds `at`, and the constants in the theorems.

    gap : L(f^0) - L*
    radius2 : an upper bound of ||f* - f^0||^2
    eta, gamma, length : of the method, length = 1 without a period
    errors : how far L* may be above the lower end in use, and the rounding of the losses
    """

    at: np.ndarray
    gaps: np.ndarray
    gap: float
    radius2: float
    eta: float
    gamma: float
    length: int
    errors: dict

    @classmethod
    @on_one_thread
    def of(cls, run):
        """Return some rounds of a run, at the ends of its periods.

        *Cost*: a replay, and the minimum of the loss (``theory.distances``).
        """
        from coordboost.theory.distances import least_loss, reach

        problem = run.problem
        parameters = run.method.parameters
        length = parameters.get("period", 1)
        n_restarts = (run.n_steps + 1) // 2 // length
        at = length * (np.unique(np.round(np.geomspace(1, n_restarts + 1, POINTS)).astype(int)) - 1)
        # f moves in the first of the two steps of a round
        losses = np.array([state.loss for state in run.replay(np.maximum(2 * at - 1, 0))])
        ends = least_loss(problem)
        lower = ends[0]
        gap = problem.value(np.zeros(problem.n_samples)) - lower
        doubt = max(0.0, min(ends[1], losses.min()) - lower) + rounding_of_losses(problem)
        return cls(
            at,
            losses - lower,
            gap,
            reach(problem, ends)[1] ** 2,
            parameters["eta"],
            parameters["gamma"],
            length,
            {"gaps": np.full(len(at), doubt + 1e-12 * gap)},
        )

    @property
    def k(self):
        """The number of rounds, by its name in formulas."""
        return self.at


def is_accelerated(method):
    """Whether a method is accelerated boosting, with two steps a round."""
    return method.step.phases == 2


def promised(problem, method):
    """Return the guarantee before a run: (the method with a certified gamma instead of "auto", gap,
    the name of the theorem).

    gap(k) : bound of L - L* after k steps, two a round

    Raises
    ------
    ValueError
        Where neither theorem applies to the method on this problem.
    """
    from coordboost.angles.angle import momentum_limit, settled
    from coordboost.theory.distances import least_loss, reach

    method = settled(method, problem)
    parameters = method.parameters
    plain = _plain(problem, method)
    restarted = _restarted(problem, method)
    if not (plain or restarted):
        raise ValueError(
            f"no theorem applies to {method.name} with these parameters here: it needs "
            "correction=1, eta <= 1 / sigma, gamma <= "
            f"momentum_limit(problem), which is {momentum_limit(problem)}, a loss with a "
            "minimiser, and for agbmr a period of at least "
            "sqrt(8 / (eta gamma mu)) rounds."
        )
    ends = least_loss(problem)
    if restarted:
        gap = problem.value(np.zeros(problem.n_samples)) - ends[0]
        return (
            method,
            lambda k: halved(gap=gap, length=parameters["period"], k=k // 2),
            "AGBM, Theorem 4.2, corrected",
        )
    known = {
        "radius2": reach(problem, ends)[1] ** 2,
        "eta": parameters["eta"],
        "gamma": parameters["gamma"],
    }
    return (
        method,
        lambda k: excess(variant="corrected", k=k // 2, **known),
        "AGBM, Theorem 4.1, corrected",
    )


def _speaks(problem, method):
    """Whether the assumptions of Theorem 4.1 are known to hold; gamma needs a certified angle."""
    from coordboost.angles.angle import momentum_limit
    from coordboost.theory.distances import has_minimiser

    parameters = method.parameters
    fixed = is_accelerated(method) and not method.coefficients.follow_angle
    sigma = problem.loss.sigma
    if (
        not fixed
        or parameters.get("correction") != 1
        or sigma is None
        or parameters["eta"] * sigma > 1
        or not has_minimiser(problem)
    ):
        return False
    limit = momentum_limit(problem)
    return limit is not None and parameters["gamma"] <= limit


def _plain(problem, method):
    return "period" not in method.parameters and _speaks(problem, method)


def _restarted(problem, method):
    parameters = method.parameters
    mu = problem.loss.mu
    if parameters.get("period") is None or mu is None or not _speaks(problem, method):
        return False
    return parameters["period"] >= period(parameters["eta"], parameters["gamma"], mu)


excess = Statement(
    "AGBM, Theorem 4.1",
    "The accelerated rate.",
    printed="gaps <= radius2 / (2 * eta * gamma * (k + 1)**2)",
    corrected="gaps <= 2 * radius2 / (eta * gamma * (k + 1)**2)",
    sharpened="gaps <= 2 * radius2 / (eta * gamma * (k + 1)**2)",
    known="gap",
    applies=lambda run: _plain(run.problem, run.method),
    on_runs=("sharpened",),
    source=SOURCE,
    follow=Rounds.of,
)
halved = Statement(
    "AGBM, Theorem 4.2",
    "After each period the gap is at most half of the one before it.",
    sharpened="gaps <= gap / 2**floor(k / length)",
    symbols={"length": "period"},
    known="gap",
    applies=lambda run: _restarted(run.problem, run.method),
    source=SOURCE,
    follow=Rounds.of,
)

STATEMENTS = (excess, halved)
