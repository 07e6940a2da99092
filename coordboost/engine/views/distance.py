r"""How far the residual has gone from an anchor, in O(1) a step; and whether the best of some learners is then the best of all.

With p_0 the prediction at the anchor, d = pred - p_0 and a step pred <- (1 - s) pred + t B_j,

    |d|^2 <- (1-s)^2 |d|^2 + s^2 |p_0|^2 + t^2 |B_j|^2 - 2 s (1-s) <d, p_0> + 2 (1-s) t <B_j, d> - 2 s t <B_j, p_0>
    <d, p_0> <- (1-s) <d, p_0> - s |p_0|^2 + t <B_j, p_0>

where <B_j, d> and <B_j, p_0> are differences of correlations at hand.
"""

import numpy as np

from coordboost._generic import kernel, record
from coordboost.screening.sphere import SLACK


def scale_of(problem):
    """A power of two near the norm of y, 1 for y = 0: the unit of correlations and predictions."""
    norm = problem.tie / (2 * problem.n_samples * np.finfo(float).eps)
    return float(np.ldexp(1.0, int(np.frexp(norm)[1]) - 1)) if norm > 0 else 1.0


def level(outside, square):
    """An anchor: the largest size of a correlation `outside` of it, and |p_0|^2 = `square`.

    distance, along : |d|^2 and <d, p_0>;  kept : what is left of p_0;  length, steps : the way gone, and in how many steps
    """
    start = {"outside": float(outside), "square": float(square)}
    return record(**start, distance=0.0, along=0.0, kept=1.0, length=0.0, steps=0.0)


@kernel
def restart(level, outside, square):
    """Make the prediction as it is now the anchor."""
    level.outside, level.square = outside, square
    level.distance, level.along, level.kept, level.length, level.steps = 0.0, 0.0, 1.0, 0.0, 0.0


@kernel
def follow(level, shrink, theta, square, with_d, with_anchor):
    """Follow the distance from the anchor through one step; `square` is |B_j|^2, the others <B_j, d> and <B_j, p_0>."""
    keep = 1.0 - shrink
    distance, along, anchor = level.distance, level.along, level.square
    level.distance = (
        keep * keep * distance
        + shrink * shrink * anchor
        + theta * theta * square
        - 2.0 * shrink * keep * along
        + 2.0 * theta * (keep * with_d - shrink * with_anchor)
    )
    level.along = keep * along - shrink * anchor + theta * with_anchor
    level.kept *= keep
    level.length += abs(theta) + shrink
    level.steps += 1.0


@kernel
def pred_square(level):
    """|pred|^2."""
    return level.square + 2.0 * level.along + level.distance


@kernel
def beats(level, size, doubt):
    """Whether `size` is certainly larger than any correlation outside."""
    room = size - level.outside - doubt
    return room > 0.0 and room * room > (1.0 + SLACK) * level.distance + 2.0 * level.length * doubt
