r"""Sublinear convergence without strong convexity (Theorem 4.2).

Problem: a convex, smooth loss over unit columns whose level sets are bounded modulo the kernel of B.

Method: RGBM = RtGCD, Types 0-3, constant step 1 / sigma or line search.

Assumptions: unit columns; the loss is convex (used in the proof, missing among the assumptions of the print) and sigma-smooth.

Claim: expectation: E[L(beta^M) - L*] <= 1 / (1 / (L(0) - L*) + M / (2 sigma Dist_0^2)). Checked one step at a time, from every iterate:
E_m L(beta^{m+1}) <= L(beta^m) - (L(beta^m) - L*)^2 / (2 sigma Dist(beta^m, beta*)^2), which gives the claim by the proof of the paper.

Constants: L* rounded up in the decrease (the loss at a minimiser), the distance by linear programming, raised by its rounding.

Measured: the expected loss after one step, over all draws of the rule.

Reference: Lu, Mazumder, Theorem 4.2.
"""

import numpy as np

from coordboost.geometry import distance
from verification.ledger import claim
from verification.rgbm import trials


def _one_step(case, statement="Theorem 4.2", factor=1.0, shrink=1.0):
    lower = case.optimum
    best = case.minimiser
    gaps = np.maximum(case.losses - case.loss(best), 0.0)
    far = np.array([distance(case.problem, case.rule, beta, best) for beta in case.betas]) * (1 + 1e-7) * shrink
    promised = np.divide(gaps**2, 2 * case.problem.loss.sigma * far**2, out=np.zeros(len(far)), where=gaps > 1e-9)
    after = np.array([case.expected(beta, factor) for beta in case.betas])
    return case.hold(
        statement, "printed", "expectation", after - lower, case.losses - promised - lower, at=np.arange(1, len(after) + 1)
    )


@claim("Theorem 4.2", printed="verified")
def check_one_step(case, variant):
    """E_m L(beta^{m+1}) <= L(beta^m) - (L(beta^m) - L*)^2 / (2 sigma Dist(beta^m, beta*)^2)."""
    return _one_step(case)


CASES = trials(losses=("squared", "huber"), ranks=(3,))
QUICK = tuple(CASES)[::2]

SABOTAGE = {
    check_one_step: {
        "steps of 2.5 / sigma": lambda case: _one_step(case, factor=2.5),
        "the distance divided by 5": lambda case: _one_step(case, shrink=0.2),
    }
}
