r"""The largest distance from a minimiser in the level set of the start (Proposition 4.6).

Problem: a convex loss with bounded level sets over unit columns.

Method: none.

Assumptions: the scalar level sets of the loss are bounded: squared, Huber, logistic with d > 0; not
the plain logistic loss.

Claim: upper: Dist_0 <= C / Theta, C the largest |B (beta - beta*)| in the level set; finite. For
the squared loss C^2 = 2 (L(0) - L*), and the bound is attained.

Constants: Theta rounded down, C rounded up (``coordboost.theory.start_distance``).

Measured: distances, by linear programs, of points of the level set: random ones on its boundary,
and for the squared loss the one in the direction of the minimiser of the angle.

Reference: Lu, Mazumder, Proposition 4.6.
"""

import numpy as np

from coordboost.theory.distances import distance, start_distance
from verification.rgbm import trials
from verification.spaces.draws import BASIS, DRAWS
from verification.statement import stated


def _boundary(case, direction):
    """Return the point of the level set of the start farthest from the minimiser along a direction,
    by bisection; it is inside the set.
    """
    near, far = 0.0, 1.0
    while case.loss(case.minimiser + far * direction) <= case.losses[0]:
        near = far
        far = 2 * far
    for _ in range(80):
        middle = (near + far) / 2
        inside = case.loss(case.minimiser + middle * direction) <= case.losses[0]
        near, far = (middle, far) if inside else (near, middle)
    return case.minimiser + near * direction


def _reach(case, factor=1.0):
    best = np.linalg.lstsq(case.B, case.angle.witness["direction"], rcond=None)[0]
    rows = [best, *np.random.default_rng(1).standard_normal((6, len(best)))]
    far = [distance(case.problem, case.rule, _boundary(case, row), case.minimiser) for row in rows]
    upper = start_distance(case.problem, case.rule)[1]
    return case.hold(
        "Proposition 4.6",
        "printed",
        "upper",
        far,
        factor * upper,
        slack=1e-6 * upper,
        at=np.arange(1, 8),
        along="point",
        level="float",
    )


check_reach = stated(
    "Proposition 4.6",
    (DRAWS, BASIS),
    "The level set of the start is within C / Theta of the minimiser; attained for the "
    "squared loss.",
    printed="distance * root(2 * gap / square) <= root(start_distance2) and "
    "distance_of(worst) * root(2 * gap / (worst @ worst)) == root(start_distance2)",
)


@check_reach.otherwise
def _(case, variant):
    """Dist(beta, beta*) <= C / Theta in the level set of the start.

    Attained for the squared loss.
    """
    return _reach(case)


CASES = trials(losses=("squared", "logistic", "huber"), steps=(False,), ranks=(2, 3))
QUICK = tuple(CASES)[::3]

SABOTAGE = {check_reach: {"a hundredth less": lambda case: _reach(case, 0.99)}}
