r"""Theorems 2.1, 3.1, 4.1 and 5.1 with the optimum from a general-purpose solver.

Problem: least squares over unit columns, any rank, any shape; in the l1 ball of radius delta.

Method: LS-Boost, FS, R-FS and PATH-R-FS, on the small cases of the files of these theorems.

Assumptions: those of the theorems.

Claim: tight, the optima of the package (exact, or from a factorisation) equal the solver's; upper,
its certified lower ends along a run are not above the optima. Upper: part (i) of each theorem, with
the solver's optimum in place of the package's lower end.

Constants: the solver's lower end stands for the optimum; A from its upper end, lambda_pmin from the
SVD, rounded against the claims.

Measured: losses of predictions; the solver's primal and dual values, whose difference is part of
the slack.

Reference: Freund, Grigas, Mazumder; the solver is Clarabel or OSQP, through cvxpy.
"""

from dataclasses import replace

import numpy as np

from coordboost.theory.bounds import BoundCheck, ls_boost, regularized, stagewise
from coordboost.theory.bounds.formula import best
from verification.judged import Judged, judged
from verification.statement import claim
from verification.theorems import fgm_theorem_2_1, fgm_theorem_3_1, fgm_theorem_4_1, fgm_theorem_5_1


@claim("Optima of the package, by a solver", of=Judged, sharpened="verified")
def check_optimum(case, variant):
    """The optimum of the package, in exact arithmetic or for least squares by a factorisation,
    equals the solver's.
    """
    return _optimum(case)


def _optimum(case, by=0.0):
    own = case.exact if case.exact is not None else case.own if case.radius[0] == np.inf else None
    if own is None:
        return None
    sides = own + by * (case.losses[0] - own), case.ends.mean(axis=0)
    return BoundCheck("optimum", "sharpened", "tight", *sides, case.slack)


@claim("Lower bounds of the package, by a solver", of=Judged, sharpened="verified")
def check_lower(case, variant):
    """No lower end along a run is above the optimum."""
    return _lower(case)


def _lower(case, by=0.0):
    """By : how far the lower ends are raised, relative to the loss at the start minus the lower
    end.
    """
    raised = case.own + by * (case.losses[0] - case.own)
    return BoundCheck("lower", "sharpened", "upper", raised, case.ends[1], case.slack)


def _excess(theorem, case, variant, factor=1.0):
    """Part (i) of Theorem 2.1 or 3.1: the package's own formula, on losses above the solver's lower
    end.
    """
    if variant not in theorem.variants(case.run):
        return None
    trail = replace(
        case.trail, constants=case.constants, fit=np.sqrt(2 * factor * np.maximum(case.excess, 0))
    )
    (check,) = theorem.compare(trail, variant)
    return replace(check, slack=check.slack + case.slack)


@claim("Theorem 2.1 (i), optimum by a solver", of=Judged, printed="verified", sharpened="verified")
def check_ls_boost(case, variant):
    """The training error falls at a linear rate."""
    return _excess(ls_boost.excess, case, variant)


@claim("Theorem 3.1 (i), optimum by a solver", of=Judged, printed="verified", sharpened="verified")
def check_stagewise(case, variant):
    """The training error reaches that of least squares up to eps."""
    return _excess(stagewise.excess, case, variant)


@claim("Theorem 4.1 (i), optimum by a solver", of=Judged, printed="verified")
def check_ball(case, variant):
    """Some model is nearly as good as the Lasso."""
    return _ball(case)


def _ball(case, factor=1.0):
    if not regularized.excess.applies(case.run):
        return None
    trail = case.trail
    step = case.trail.step
    measured = case.excess[best(trail.omega)]
    bound = factor * regularized.excess(case.constants, eps=step.eps, delta=step.delta, k=trail.k)
    return BoundCheck("Theorem 4.1 (i)", "printed", "upper", measured, bound, case.slack)


@claim("Theorem 5.1 (i), optimum by a solver", of=Judged, printed="verified")
def check_path(case, variant):
    """On average the models are nearly as good as the Lasso of the same radius."""
    return _path(case)


def _path(case, factor=1.0):
    if not regularized.path_excess.applies(case.run):
        return None
    step = case.trail.step
    k = np.arange(len(case.radius))
    bound = factor * regularized.path_excess(case.constants, eps=step.eps, delta=step.deltas, k=k)
    return BoundCheck(
        "Theorem 5.1 (i)",
        "printed",
        "upper",
        np.cumsum(case.excess) / (k + 1),
        bound,
        case.slack.max(),
    )


SMALL = {
    fgm_theorem_2_1: (
        "golden, in rationals",
        "identity",
        "60 x 20, eps 1",
        "30 x 80, eps 0.5",
        "rank-deficient, eps 0.1",
    ),
    fgm_theorem_3_1: ("golden, in rationals", "identity"),
    fgm_theorem_4_1: (
        "golden, delta = 1, in rationals",
        "identity",
        "60 x 20, delta = A",
        "30 x 80, eps = delta",
    ),
    fgm_theorem_5_1: ("golden, exact optima", "60 x 20, faster than the steps", "constant radius"),
}
CASES = {
    f"{module.__name__[-3:].replace('_', '.')}, {name}": lambda make=module.CASES[name]: judged(
        make()
    )
    for module, names in SMALL.items()
    for name in names
}

SABOTAGE = {
    check_optimum: {
        "raised by a thousandth of what can be gained": lambda case: _optimum(case, 0.001)
    },
    check_lower: {"raised by a thousandth of what can be gained": lambda case: _lower(case, 0.001)},
    check_ls_boost: {
        "twice the excess": lambda case: _excess(ls_boost.excess, case, "sharpened", 2)
    },
    check_stagewise: {
        "the excess ten times": lambda case: _excess(stagewise.excess, case, "sharpened", 10)
    },
    check_ball: {"a twentieth of the bound": lambda case: _ball(case, 0.05)},
    check_path: {"a tenth of the bound": lambda case: _path(case, 0.1)},
}
