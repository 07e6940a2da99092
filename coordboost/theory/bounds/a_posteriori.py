r"""An a posteriori bound of the gap, from the correlations and coefficients of a run.

In sums over samples.

For the squared loss, any coefficients beta and any least-squares solution b,

    L(beta) - L* = 1/2 ||B (b - beta)||^2 = 1/2 <b - beta, B' r> <= 1/2 max_j |<B_j, r>| ||b -
    beta||_1,

where the second equality holds because r - B (b - beta), the least-squares residual, is orthogonal
to all columns. The bound contains no eigenvalue, no angle and no number of learners. Ours; the
proof is in docs/planning.md.
"""

from coordboost.theory.bounds.statement import Statement
from coordboost.theory.bounds.trail import covered

excess = Statement(
    "A posteriori, error",
    "The error is at most half of the largest correlation times the l1 distance to least squares.",
    sharpened="excess <= corr * to_least / 2",
    known="excess[0]",
    applies=covered,
    source="Ours: docs/planning.md",
)

STATEMENTS = (excess,)
