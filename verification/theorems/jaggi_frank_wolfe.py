r"""Frank-Wolfe on the l1 ball.

Problem: least squares over unit columns in the l1 ball of radius delta.

Method: Frank-Wolfe with the steps 2 / (k + 2), or with the exact line search.

Assumptions: unit columns, so that the curvature is at most C = (2 delta)^2.

Claim: upper, L(beta_k) - L*_delta <= 2 C / (k + 2) for k >= 1, and the smallest gap among 1, ..., k
is at most 27 C / (4 (k + 2)) for k >= 2.

Constants: delta; the optimum is replaced by its certified lower end, the largest over the run.

Measured: losses minus this lower end, and the running minimum of the gap, at every step.

Reference: Jaggi, Revisiting Frank-Wolfe: Projection-Free Sparse Convex Optimization, 2013, Theorems
1 and 2; the constant step is R-FS (Freund, Grigas, Mazumder, A.4.5).
"""

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import frank_wolfe
from verification.cases import identity, lab, tampered
from verification.spaces.walks import FRANK_WOLFE, exact_walk
from verification.statement import Check

check_loss = Check(frank_wolfe.excess, FRANK_WOLFE, compare="bound")
check_gap = Check(frank_wolfe.smallest_gap, FRANK_WOLFE)

CASES = {
    "a target far outside the ball": lambda: exact_walk("fw", y=[10], delta=1, n_steps=3),
    "one step too far": lambda: exact_walk("fw", y=["1/2"], delta=1, n_steps=1),
    "identity": lab(identity(30), lambda size: cb.methods.frank_wolfe(4.0), 2000),
    "60 x 20": lab("60 x 20", lambda size: cb.methods.frank_wolfe(size), 2000),
    "30 x 80, line search": lab(
        "30 x 80",
        lambda size: cb.methods.frank_wolfe(size / 2, cb.rules.SegmentSearch(size / 2)),
        2000,
    ),
    "rank-deficient, line search": lab(
        "rank-deficient",
        lambda size: cb.methods.frank_wolfe(2 * size, cb.rules.SegmentSearch(2 * size)),
        5000,
    ),
}


SABOTAGE = {
    check_loss: {
        "the first model at all steps": check_loss.instead(
            "where(k >= 1, at(0 * k, loss) - lasso, 0 * loss) <= 8 * delta**2 / (k + 2)"
        )
    },
    check_gap: {
        "the gap of the first model at all steps": tampered(
            frank_wolfe.smallest_gap,
            corr=lambda t: np.full(len(t.fit), t.corr[0]),
            inner=lambda t: 0 * t.inner,
        )
    },
}
