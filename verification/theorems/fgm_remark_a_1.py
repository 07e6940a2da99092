r"""The numbers of steps that the bounds of LS-Boost and FS need (A.3.3, Remark A.1).

Problem: reach ||X (beta - beta_LS)|| <= tau A, 0 < tau <= 1.

Method: LS-Boost(1) for k_LS = ceil(4 kappa ln(1/tau^2)) steps; FS with eps = A / sqrt(k_FS + 1) for
k_FS = ceil(4 kappa / tau^2) - 1 steps.

Assumptions: unit columns; a comparison of bounds, not of methods.

Claim: upper, LS-Boost reaches the target (41) at k_LS, FS at some i <= k_FS; k_LS < k_FS; (42) k_LS
/ k_FS <= 1/e; (43) the root of this ratio is at most exp(-1/2). (42) and (43) hold for the formulas
without rounding up (corrected), not for whole numbers of steps (printed).

Constants: kappa = p / lambda_pmin, rounded against the claim.

Measured: the formulas on a grid of tau and kappa; runs.

Reference: Freund, Grigas, Mazumder, (41)-(43), Remark A.1, Figure 10.
"""

from dataclasses import dataclass, replace
from math import ceil, exp, log, sqrt

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck, Constants, Trail
from coordboost.theory.bounds.formula import root
from verification.cases import problem
from verification.space import Space
from verification.spaces.walks import FS, LS
from verification.statement import claim, stated

U = float(np.finfo(float).eps)
TAU = np.round(np.linspace(0.01, 0.9999, 2000), 4)


def steps_ls(kappa, tau):
    """k_LS."""
    return ceil(4 * kappa * log(1 / tau**2))


def steps_fs(kappa, tau):
    """k_FS."""
    return ceil(4 * kappa / tau**2) - 1


class Grid:
    """kappa, and a grid of tau."""

    def __init__(self, kappa, tau=TAU):
        self.kappa = kappa
        self.tau = np.asarray(tau)
        self.ls = np.array([steps_ls(kappa, tau) for tau in self.tau])
        self.fs = np.array([steps_fs(kappa, tau) for tau in self.tau])


def _grid_at(_, numbers):
    """Kappa = 1 + |x|, tau = 1 / (1 + |z|)."""
    kappa = 1 + abs(numbers[0])
    tau = 1 / (1 + abs(numbers[1]))
    return Grid(kappa, [tau]) if steps_fs(kappa, tau) > 0 else None


NUMBERS = Space(
    "condition number and target",
    lambda rng: ((), np.array([rng.exponential(2), rng.exponential()])),
    _grid_at,
    exact=False,
    has=lambda case: isinstance(case, Grid),
)


@dataclass(frozen=True)
class Target:
    """A problem and tau, with runs of both methods."""

    name: str
    tau: float

    def ls(self, slower=1.0):
        """The trail of LS-Boost(1)."""
        instance = problem(self.name)
        return Trail.of(
            cb.solve(
                instance,
                cb.ls_boost(1.0),
                int(steps_ls(Constants.of(instance).kappa, self.tau) * slower),
            )
        )

    def fs(self, part=1.0):
        """The trail of FS."""
        instance = problem(self.name)
        constants = Constants.of(instance)
        n_steps = steps_fs(constants.kappa, self.tau)
        return Trail.of(
            cb.solve(
                instance,
                cb.forward_stagewise(constants.size / sqrt(n_steps + 1)),
                int(part * n_steps),
            )
        )


@claim("Remark A.1 (42)", NUMBERS, printed="refuted", corrected="verified")
def check_ratio(case, variant):
    """k_LS / k_FS <= 1/e: printed for the whole numbers of steps.

    Corrected: tau^2 ln(1/tau^2) <= 1/e.
    """
    ratio = case.ls / case.fs if variant == "printed" else case.tau**2 * np.log(1 / case.tau**2)
    return BoundCheck(
        check_ratio.statement, variant, "upper", ratio, exp(-1), 4 * U, at=case.tau, along="tau"
    )


@claim("Remark A.1 (43)", NUMBERS, printed="refuted", corrected="verified")
def check_shrinkage(case, variant):
    """sqrt(k_LS / k_FS) <= exp(-1/2): printed for whole numbers.

    Corrected: tau sqrt(ln(1/tau^2)) <= exp(-1/2).
    """
    ratio = (
        np.sqrt(case.ls / case.fs)
        if variant == "printed"
        else case.tau * np.sqrt(np.log(1 / case.tau**2))
    )
    return BoundCheck(
        check_shrinkage.statement,
        variant,
        "upper",
        ratio,
        exp(-0.5),
        4 * U,
        at=case.tau,
        along="tau",
    )


@claim("Remark A.1, order", NUMBERS, printed="verified")
def check_order(case, variant):
    """k_LS < k_FS for whole numbers too."""
    return BoundCheck(
        check_order.statement, variant, "upper", case.ls + 1, case.fs, at=case.tau, along="tau"
    )


#: LS-Boost(1), and FS with eps = A / sqrt(N + 1) for N steps.
LS1 = replace(
    LS,
    name="LS-Boost(1) over up to 4 unit columns",
    make=lambda shape, x: LS.make(shape, np.append(x[:-1], 1 + 0 * x[-1])),
)
FS1 = replace(
    FS,
    name="FS with the best eps for N steps",
    make=lambda shape, x: FS.make(shape, np.append(x[:-1], _best_eps(shape, x))),
)


def _best_eps(shape, numbers):
    y = numbers[1 : 1 + shape[0]]
    return root((y @ y) / (shape[2] + 1))


check_ls = stated(
    "(41) by LS-Boost",
    LS1,
    "The target is met after k_LS steps: k steps meet tau with ln(1 / tau^2) = k / (4 kappa).",
    printed="fit <= A * exp(-k * lambda_pmin / (8 * p))",
)
check_fs = stated(
    "(41) by FS",
    FS1,
    "The target is met within k_FS steps: N steps meet tau = 2 sqrt(kappa / (N + 1)).",
    printed="smallest(fit)[-1] <= A * root(4 * p / (lambda_pmin * (k[-1] + 1)))",
)


@check_ls.otherwise
def _(case, variant):
    """||X (beta - beta_LS)|| <= tau A after k_LS steps."""
    return (
        _within(case, check_ls.statement, case.ls(), steps_ls, lambda fit: fit[-1:])
        if isinstance(case, Target)
        else None
    )


@check_fs.otherwise
def _(case, variant):
    """||X (beta_i - beta_LS)|| <= tau A for some i <= k_FS."""
    return (
        _within(case, check_fs.statement, case.fs(), steps_fs, np.min)
        if isinstance(case, Target)
        else None
    )


def _within(case, name, trail, steps, part):
    """Check the target on a run with exactly the allowed number of steps."""
    assert len(trail.fit) - 1 == steps(Constants.of(problem(case.name)).kappa, case.tau)
    return _reached(case, name, part(trail.fit))


def _reached(case, name, fit):
    size = Constants.of(problem(case.name)).size
    return BoundCheck(
        name, "printed", "upper", fit, case.tau * size, 1e4 * U * size, at=np.ones(1, dtype=int)
    )


def _grid(kappa):
    return lambda: Grid(kappa)


def _target(name, tau):
    return lambda: Target(name, tau)


CASES = {
    **{f"kappa = {kappa:g}": _grid(kappa) for kappa in (1.0, 1.5, 12.95, 35.87, 270.05)},
    "60 x 20, tau = 0.7": _target("60 x 20", 0.7),
    "30 x 80, tau = 0.4": _target("30 x 80", 0.4),
    "30 x 80, tau = 0.05": _target("30 x 80", 0.05),
}
QUICK = ("kappa = 1", "kappa = 270.05", "60 x 20, tau = 0.7", "30 x 80, tau = 0.4")


def _in_table(name, measured, bound):
    return lambda case: BoundCheck(
        name, "corrected", "upper", measured(case), bound, along="tau", at=case.tau
    )


def _too_few(fit):
    return lambda case: (
        _reached(case, "too few steps", fit(case)) if isinstance(case, Target) else None
    )


SABOTAGE = {
    check_ratio: {
        "1/3 in place of 1/e": _in_table(
            "1/3", lambda case: case.tau**2 * np.log(1 / case.tau**2), 1 / 3
        )
    },
    check_shrinkage: {
        "0.6 in place of exp(-1/2)": _in_table(
            "0.6", lambda case: case.tau * np.sqrt(np.log(1 / case.tau**2)), 0.6
        )
    },
    check_order: {
        "four times as many steps of LS-Boost": _in_table(
            "four times", lambda case: 4 * case.ls / case.fs, 1.0
        )
    },
    check_ls: {"a two-hundredth of the steps": _too_few(lambda case: case.ls(0.005).fit[-1:])},
    check_fs: {"a thousandth of the steps": _too_few(lambda case: case.fs(0.001).fit.min())},
}
