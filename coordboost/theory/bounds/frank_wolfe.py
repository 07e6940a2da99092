r"""Bounds of Frank-Wolfe on the l1 ball with the step 2 / (k + 2) or the exact line search.

In sums over samples.

The curvature of the squared loss on the ball of radius delta with unit columns is at most
:math:`C = (2\delta)^2`. *Source*: Jaggi, *Revisiting Frank-Wolfe*, 2013, Theorems 1 and 2; the
constant step is R-FS (Freund, Grigas, Mazumder, A.4.5).
"""

from coordboost.certificates.objectives import L1Ball
from coordboost.theory.bounds.statement import Statement
from coordboost.theory.bounds.trail import covered

JAGGI = "Jaggi 2013"


def _applies(run):
    radius = run.method.step.frank_wolfe
    return covered(run) and radius is not None and run.method.target_at(0) == L1Ball(radius)


excess = Statement(
    "Frank-Wolfe, error",
    "The error falls like 1 / k.",
    printed="loss - lasso <= 8 * delta**2 / (k + 2)",
    points="k >= 1",
    known="excess[0]",
    applies=_applies,
    source=JAGGI,
)
smallest_gap = Statement(
    "Frank-Wolfe, gap",
    "The smallest gap after the start falls like 1 / k.",
    printed="smallest(frank_wolfe_gap, 1) <= 27 * delta**2 / (k + 2)",
    points="k >= 2",
    known="delta[0] * corr[0]",
    applies=_applies,
    source=JAGGI,
)

STATEMENTS = (excess, smallest_gap)
