r"""Sublinear convergence without strong convexity (Theorem 4.2).

Problem: a convex, smooth loss over unit columns whose level sets are bounded modulo the kernel of
B.

Method: RGBM = RtGCD, Types 0-3, constant step 1 / sigma or line search.

Assumptions: unit columns; the loss is convex (used in the proof, missing in the printed
assumptions) and sigma-smooth.

Claim: expectation: E[L(beta^M) - L*] <= 1 / (1 / (L(0) - L*) + M / (2 sigma Dist_0^2)). Checked one
step at a time, from every iterate: E_m L(beta^{m+1}) <= L(beta^m) - (L(beta^m) - L*)^2 / (2 sigma
Dist(beta^m, beta*)^2), which gives the claim by the proof of the paper.

Constants: L* rounded up in the decrease (the loss at a minimiser), the distance by linear
programming, raised by its rounding.

Measured: the expected loss after one step, over all draws of the rule.

Reference: Lu, Mazumder, Theorem 4.2.
"""

import numpy as np

from coordboost.theory.bounds import BoundCheck, randomized
from coordboost.theory.distances import distance
from verification.rgbm import TABLES, Trial, trials
from verification.rgbm_runs import REPEATED, repeated
from verification.spaces.draw import Draw, exact_draw
from verification.spaces.draws import BASIS, DRAWS
from verification.statement import Check, claim, stated


def _one_step(case, statement="Theorem 4.2", factor=1.0, shrink=1.0):
    lower = case.optimum
    best = case.minimiser
    gaps = np.maximum(case.losses - case.loss(best), 0.0)
    far = (
        np.array([distance(case.problem, case.rule, beta, best) for beta in case.betas])
        * (1 + 1e-7)
        * shrink
    )
    promised = np.divide(
        gaps**2, 2 * case.problem.loss.sigma * far**2, out=np.zeros(len(far)), where=gaps > 1e-9
    )
    after = np.array([case.expected(beta, factor) for beta in case.betas])
    return case.hold(
        statement,
        "printed",
        "expectation",
        after - lower,
        case.losses - promised - lower,
        at=np.arange(1, len(after) + 1),
    )


check_whole = stated(
    "Theorem 4.2 over M steps",
    (DRAWS, BASIS),
    randomized.sublinear.words,
    printed=f"{randomized.sublinear.printed} and M * expected <= 2 * start_distance2",
)


def _small(case, factor=1):
    """Check the first step of a small instance, over all draws.

    At the minimiser the residual is 0.
    """
    bound = case.gap - factor * case.gap**2 / (2 * case.distance_of(case.y) ** 2)
    exact = bound.__class__ is not np.float64
    return BoundCheck(
        "Theorem 4.2",
        "printed",
        "upper",
        case.expected[1:2],
        [bound],
        0 if exact else 1e-9,
        "exact" if exact else "float",
        [1],
    )


@claim("Theorem 4.2", (DRAWS, BASIS), of=Trial, printed="verified")
def check_one_step(case, variant):
    """E_m L(beta^{m+1}) <= L(beta^m) - (L(beta^m) - L*)^2 / (2 sigma Dist(beta^m, beta*)^2)."""
    return (
        _small(case)
        if isinstance(case, Draw)
        else _one_step(case)
        if isinstance(case, Trial)
        else None
    )


check_package = Check(randomized.sublinear, (DRAWS, BASIS))
check_simple = Check(randomized.sublinear_simple, (DRAWS, BASIS))


CASES = {
    "GBM on the identity, the slowest start": lambda: exact_draw(
        y=(1, 1, 1, 1, 1), other=(1, 0, 0, 0, 0), label=range(5), kind=0, t=1
    ),
    **{f"repeated runs, {name}": (lambda name=name: repeated(name)) for name in REPEATED},
    **trials(losses=("squared", "huber"), ranks=(3,)),
    **TABLES,
}
QUICK = tuple(CASES)[::2]

SABOTAGE = {
    check_whole: {
        "an eighth of the distance": check_whole.instead(
            "expected <= 1 / (1 / gap + M / (2 * start_distance2 / 8))"
        )
    },
    check_one_step: {
        "steps of 2.5 / sigma": lambda case: (
            _one_step(case, factor=2.5) if isinstance(case, Trial) else None
        ),
        "5 times the decrease": lambda case: _small(case, 5) if isinstance(case, Draw) else None,
        "the distance divided by 5": lambda case: (
            _one_step(case, shrink=0.2) if isinstance(case, Trial) else None
        ),
    },
}
