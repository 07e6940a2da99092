r"""An a posteriori bound of the gap, from the correlations and coefficients of a run.

In sums over samples.

For the squared loss, any coefficients beta and any least-squares solution b,

    L(beta) - L* = 1/2 ||B (b - beta)||^2 = 1/2 <b - beta, B' r> <= 1/2 max_j |<B_j, r>| ||b -
    beta||_1,

where the second equality holds because r - B (b - beta), the least-squares residual, is orthogonal
to all columns. The bound contains no eigenvalue, no angle and no number of learners. Ours; the
proof is in docs/planning.md.
"""

from coordboost.theory.bounds.check import Sides, Statement
from coordboost.theory.bounds.trail import covered


def excess(corr, to_least):
    """L(beta) - L* <= max abs correlation ||beta - b||_1 / 2."""
    return corr * to_least / 2


def _sides(trail):
    # B (b - beta) and the fit are off by the noise; the correlations are, too
    slack = 4 * trail.noise * (trail.to_least + trail.fit + trail.noise)
    return Sides(trail.excess, excess(trail.corr, trail.to_least), slack, trail.excess[0])


STATEMENTS = (
    Statement(
        "A posteriori, error",
        "sharpened",
        "upper",
        "L(beta_k) - L* <= 1/2 max_j |<B_j, r_k>| ||beta_k - b||_1",
        covered,
        _sides,
        "Ours: docs/planning.md",
    ),
)
