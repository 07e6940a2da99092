r"""The distance modulo the kernel (Propositions 4.1, 4.4 and 4.7).

Problem: unit columns with a kernel, and the norm of each rule.

Method: none.

Assumptions: a in the range of B^T; without it the minimum of Proposition 4.4 is unbounded below
(sabotage).

Claim: tight, Proposition 4.1: Dist is symmetric and translation invariant. Tight, Proposition 4.4:
the minimum over beta of <a, beta - beta*> + t / 2 Dist(beta, beta*)^2 is -norm(a)^2 / (2 t),
attained along a subgradient of the norm at a. Upper, Proposition 4.7: <a, beta - beta'> <= norm(a)
Dist(beta, beta').

Constants: none.

Measured: distances by linear programs on random points; the norm from its definition.

Reference: Lu, Mazumder, Propositions 4.1, 4.4, 4.7. In the proof of 4.4 the first bound is printed
with <= for >=.
"""

import numpy as np

from verification.rgbm import LABELS
from verification.rgbm_space import N, hold, spaces
from verification.spaces.draws import BASIS, DRAWS
from verification.statement import stated

check_metric = stated(
    "Proposition 4.1",
    (DRAWS, BASIS),
    "The distance is symmetric, and homogeneous.",
    printed="distance_of(pred) == distance_of(-pred) and distance_of(3 * pred) == 3 * "
    "distance_of(pred)",
)


@check_metric.otherwise
def _(case, variant):
    """Dist(a, b) = Dist(b, a) = Dist(a + c, b + c)."""
    return _metric(case, 1.0)


def _metric(case, factor):
    pairs = list(
        zip(
            case.points,
            np.roll(case.points, 1, axis=0),
            np.roll(case.points, 2, axis=0),
            strict=True,
        )
    )
    near = [case.far(a, b) for a, b, _ in pairs]
    return [
        hold("Proposition 4.1", "tight", [case.far(b, factor * a) for a, b, _ in pairs], near),
        hold(
            "Proposition 4.1", "tight", [case.far(a + c, b + factor * c) for a, b, c in pairs], near
        ),
    ]


def _model(case, a, delta, t):
    return a @ delta + t / 2 * case.far(delta, np.zeros(len(a))) ** 2


check_model = stated(
    "Proposition 4.4",
    (DRAWS, BASIS),
    "The minimum of the quadratic model of a step, with t = 2.",
    printed="-(norm**2) / 4 <= inner + distance**2 and -(norm**2) / 4 == gradient @ best + "
    "distance_of(B @ best)**2",
    where={"best": "-norm / 2 * subgradient"},
)


@check_model.otherwise
def _(case, variant):
    """Min over beta of <a, beta - beta*> + t / 2 Dist^2 = -norm(a)^2 / (2 t)."""
    return _minimum(case, case.gradients())


def _minimum(case, rows, factor=1.0, t=0.7):
    smallest = np.array([-factor * case.norm(a) ** 2 / (2 * t) for a in rows])
    anywhere = [_model(case, a, delta, t) for a, delta in zip(rows, case.points, strict=True)]
    best = [_model(case, a, -case.norm(a) / t * case.subgradient(a), t) for a in rows]
    return [
        hold("Proposition 4.4", "upper", smallest, anywhere),
        hold("Proposition 4.4", "tight", best, smallest),
    ]


check_pairing = stated(
    "Proposition 4.7",
    (DRAWS, BASIS),
    "Norm and distance bound inner products.",
    printed="inner <= norm * distance",
)


@check_pairing.otherwise
def _(case, variant):
    """<a, beta - beta'> <= norm(a) Dist(beta, beta') for a in the range of B^T."""
    return _pairing(case, case.gradients(), case.points)


def _pairing(case, rows, deltas, factor=1.0):
    bound = [
        factor * case.norm(a) * case.far(delta, np.zeros(len(delta)))
        for a, delta in zip(rows, deltas, strict=True)
    ]
    return hold("Proposition 4.7", "upper", (rows * deltas).sum(axis=1), bound)


def _kernel(case):
    """Points of the kernel of B, (N, K)."""
    flat = np.linalg.svd(case.B)[2][np.linalg.matrix_rank(case.B) :]
    return np.resize(flat, (N, len(LABELS)))


CASES = spaces()
QUICK = tuple(CASES)[1::2]

SABOTAGE = {
    check_metric: {"twice one point": lambda case: _metric(case, 2.0)},
    check_model: {
        "a outside the range of B^T": lambda case: _minimum(case, case.gradients() + _kernel(case)),
        "a tenth above the minimum": lambda case: _minimum(case, case.gradients(), factor=0.9),
    },
    check_pairing: {
        "a outside the range of B^T": lambda case: _pairing(case, _kernel(case), _kernel(case)),
        "along the subgradient, a tenth less": lambda case: _pairing(
            case,
            case.gradients(),
            np.array([case.subgradient(a) for a in case.gradients()]),
            factor=0.9,
        ),
    },
}
