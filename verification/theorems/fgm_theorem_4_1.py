r"""R-FS approaches the Lasso up to 2 delta eps (Theorem 4.1).

Problem: least squares over unit columns in the l1 ball of radius delta.

Method: R-FS_{eps,delta}.

Assumptions: unit columns; 0 < eps <= delta < inf.

Claim: upper, Theorem 4.1 (i)-(iv) and (53), at the first i <= k with the smallest omega; tight,
(52). Sharpened: (53) with the lengths of the subgradients bounded by 2 - (1 - eps/delta)^i in place
of 2.

Constants: A from the thin SVD, rounded against the claim; the optimum is replaced by its certified
lower end, the largest over the run.

Measured: omega at every step; loss over the certified lower end; in rationals, with the exact
optimum, in the exact cases.

Reference: Freund, Grigas, Mazumder, Theorem 4.1, (50)-(54); the sharper constant is ours.
"""

from fractions import Fraction as F

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck, regularized
from verification.cases import Lab, identity, lab, tampered
from verification.spaces.walks import FRANK_WOLFE, GOLDEN, RFS, exact_walk
from verification.statement import Check, stated


def _in_ball(name, words, **variants):
    return stated(name, RFS, words, **variants)


check_average = Check(regularized.average_omega, RFS)
check_smallest = Check(regularized.smallest_certificate, RFS)
check_subgradients = Check(regularized.subgradients, RFS)
check_loss = Check(regularized.excess, RFS, compare="bound")
check_fit = Check(regularized.fit, RFS, compare="bound")
check_l1 = Check(regularized.l1, RFS)
check_sparsity = Check(regularized.sparsity, RFS)
check_frank_wolfe = _in_ball(
    "A.4.5, R-FS is Frank-Wolfe",
    "A step goes a fraction eps / delta of the way to the best vertex of the ball.",
    printed="off_frank_wolfe == 0 * k",
)
check_frank_wolfe_gap = _in_ball(
    "A.4.5, gap",
    "The gap of Frank-Wolfe is delta times the certificate.",
    printed="frank_wolfe_gap == delta * omega",
)


check_varying = Check(regularized.smallest_omega, FRANK_WOLFE)


@check_varying.otherwise
def _(case, variant):
    """min_{i<=k} omega_i <= (A^2 + 4 sum eps_i^2) / (2 sum eps_i), steps eps_i <= delta.

    Here Frank-Wolfe with its steps delta gamma_i.
    """
    if not isinstance(case, Lab) or not isinstance(
        case.run.method.step, cb.rules.DiminishingStep | cb.rules.SegmentSearch
    ):
        return None
    trail = case.trail
    steps = trail.step.radius * trail.shrink
    bound = regularized.smallest_omega(trail.constants, steps=steps)
    omega = np.minimum.accumulate(trail.corr[:-1] - trail.inner[:-1] / trail.step.radius)
    return BoundCheck(
        check_varying.statement,
        variant,
        "upper",
        omega,
        bound,
        16 * trail.noise[:-1],
        at=trail.k[:-1],
    )


def _ball(eps, delta):
    return lambda size: cb.regularized_forward_stagewise(eps * size, delta * size)


CASES = {
    "golden, delta = 2, in rationals": lambda: exact_walk(
        "rfs", X=GOLDEN, y=(2, 1, 2), eps=F(1, 4), delta=2, n_steps=25
    ),
    "golden, delta = 1, in rationals": lambda: exact_walk(
        "rfs", X=GOLDEN, y=(3, 1, 2), outside=1, eps=F(1, 4), delta=1, n_steps=25
    ),
    "golden, delta = eps, in rationals": lambda: exact_walk(
        "rfs", X=GOLDEN, y=(2, 1, 2), eps=4, delta=4, n_steps=25
    ),
    "(53) needs its 2": lambda: exact_walk(
        "rfs",
        X=[[1, 0, 0], [0, 1, 0], [0, 0, -1]],
        y=(0, 1, 0),
        eps=2,
        delta=3,
        n_steps=3,
    ),
    "identity": lab(identity(), _ball(0.01, 0.5), 2000),
    "60 x 20, delta = A": lab("60 x 20", _ball(0.01, 1.0), 5000),
    "30 x 80, delta = A / 2": lab("30 x 80", _ball(0.005, 0.5), 5000),
    "30 x 80, eps = delta": lab("30 x 80", _ball(0.1, 0.1), 500),
    "rank-deficient, delta = 3 A": lab("rank-deficient", _ball(0.01, 3.0), 20_000),
    "Frank-Wolfe": lab("60 x 20", lambda size: cb.methods.frank_wolfe(size), 2000),
    "Frank-Wolfe, line search": lab(
        "30 x 80", lambda size: cb.methods.frank_wolfe(size, cb.rules.SegmentSearch(size)), 2000
    ),
    "diabetes, delta = A": lab("diabetes", _ball(0.001, 1.0), 50_000),
}
QUICK = (*tuple(CASES)[:8], "Frank-Wolfe")


def _no_shrinkage(case):
    """Part (iii) without shrinkage: the l1 norms of FS, which leave the ball."""
    if not isinstance(case, Lab) or not isinstance(case.run.method.step, cb.rules.FixedStep):
        return None
    free = Lab(
        cb.solve(case.problem, cb.forward_stagewise(case.trail.step.eps), case.run.n_steps)
    ).trail
    return BoundCheck(
        "no shrinkage",
        "printed",
        "upper",
        free.l1,
        np.full(len(free.l1), case.trail.step.delta),
        free.noise,
    )


SABOTAGE = {
    check_subgradients: {
        "the sign of the step forgotten": tampered(
            regularized.subgradients, theta=lambda t: np.abs(t.theta)
        )
    },
    check_l1: {
        "one step ahead": tampered(regularized.l1, l1=lambda t: np.r_[t.l1[1:], t.l1[-1]]),
        "no shrinkage": _no_shrinkage,
    },
    check_frank_wolfe: {
        "half a step": check_frank_wolfe.instead("off_frank_wolfe == eps / 2 + 0 * k")
    },
    check_frank_wolfe_gap: {
        "without delta": check_frank_wolfe_gap.instead("frank_wolfe_gap == omega")
    },
    check_sparsity: {"one coefficient more": tampered(regularized.sparsity, l0=lambda t: t.l0 + 1)},
}
