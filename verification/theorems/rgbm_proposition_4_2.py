r"""The minimal cosine angle (Definition 4.2, Proposition 4.2) and the second-moment angle.

Problem: unit columns and the norm of each rule.

Method: none.

Assumptions: c in the range of B (elsewhere the cosines may all be 0, sabotage).

Claim: tight: Theta = min norm(B'c) / |c| = min |B a| / Dist(0, a) > 0, (14) and (15). Sharpened,
ours: Theta <= second-moment Theta <= root of Theta; weights on the learners prove lower ends
(docs/geometry.md).

Constants: none.

Measured: ratios at random points, not below Theta; at the minimiser, equal to it.

Reference: Lu, Mazumder, Proposition 4.2, (14), (15).
"""

import numpy as np

import coordboost as cb
from coordboost.angles.angle import second_moment_mca
from verification.rgbm_space import hold, spaces
from verification.spaces.draws import BASIS, DRAWS
from verification.statement import stated


def _ratios(case, at):
    return [float(np.linalg.norm(case.B @ a)) / case.far(a, np.zeros(len(a))) for a in at]


def _forms(case, factor=1.0, beside=None):
    """Check the three forms at random points, or at the vectors `beside` (n_points, n) instead of
    points in the range of B.
    """
    looked_at = case.points @ case.B.T if beside is None else beside
    interval = cb.theory.mca(case.B, case.rule, groups=case.label)
    theta, best = (
        factor * interval.upper,
        3 * interval.witness["direction"],
    )  # the length of a direction does not matter
    cosines = [case.norm(case.B.T @ c) / np.linalg.norm(c) for c in looked_at]
    ends = [
        *_ratios(case, [np.linalg.lstsq(case.B, best, rcond=None)[0]]),
        case.norm(case.B.T @ best) / np.linalg.norm(best),
    ]
    everywhere = [*cosines, *_ratios(case, case.points)]
    return [
        hold("Proposition 4.2", "upper", [theta] * len(everywhere), everywhere),
        hold("Proposition 4.2", "tight", ends, [theta, theta]),
        hold("Proposition 4.2", "upper", [0.0], [interval.lower - 1e-3]),
    ]


check_forms = stated(
    "Proposition 4.2",
    (DRAWS, BASIS),
    "Three forms of the angle.",
    printed="angle2 * distance**2 <= square and worst @ worst == angle2 * distance_of(worst)**2",
)


@check_forms.otherwise
def _(case, variant):
    """Theta = min norm(B'c) / |c| = min |B a| / Dist(0, a) > 0."""
    return _forms(case)


def _order(case, power=0.5):
    first = cb.theory.mca(case.B, case.rule, groups=case.label)
    second = second_moment_mca(case.B, case.rule, groups=case.label, n_starts=4)
    return [
        hold("Second-moment angle", "upper", [first.upper], [second.lower], "sharpened"),
        hold("Second-moment angle", "upper", [second.upper], [first.upper**power], "sharpened"),
    ]


check_second = stated(
    "Second-moment angle",
    (DRAWS, BASIS),
    "It lies between the angle and its root; 1 / sqrt K for a basis.",
    sharpened="K * angle2 <= 1",
    assuming="basis and kind < 2",
)
check_root = stated(
    "Second-moment angle, its square",
    BASIS,
    "For a basis it is 1 / sqrt K, and not above the root of the angle.",
    sharpened="1 <= K * root(angle2)",
    assuming="K >= 2 and kind < 2",
)


@check_second.otherwise
def _(case, variant):
    """Theta <= second-moment Theta <= root of Theta."""
    return _order(case)


CASES = spaces(seed=2)
QUICK = tuple(CASES)[1::2]

SABOTAGE = {
    check_forms: {
        "an angle too large by a hundredth": lambda case: _forms(case, factor=1.01),
        "c outside the range of B": lambda case: _forms(
            case, beside=case.points @ case.B.T + 10 * np.linalg.svd(case.B)[0][:, -1]
        ),
    },
    check_root: {"a basis of 51 for 50": check_root.instead("51 <= 50 * K * root(angle2)")},
    check_second: {"the second moment below Theta itself": lambda case: _order(case, power=1.01)},
}
