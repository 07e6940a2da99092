r"""R-FS is subgradient descent on the regularised largest correlation (Proposition 4.1).

Problem: minimise f_delta(r) = ||B'r||_inf + ||r - y||^2 / (2 delta) over the residuals.

Method: R-FS_{eps,delta} and PATH-R-FS_eps in coefficients, against independent subgradient descent
in residual space.

Assumptions: unit columns; eps <= delta; no exact ties.

Claim: tight, both have the same residuals; upper, g_k = s_k B_j + (r_k - y) / delta is a
subgradient of f_delta; upper,
||g_k|| <= 2, sharpened ||g_k|| <= 2 - (1 - eps/delta)^k.

Constants: none.

Measured: the residuals, the subgradient inequality at random points, the lengths of the
subgradients.

Reference: Freund, Grigas, Mazumder, Proposition 4.1 and A.4.2; the sharper length is ours.
"""

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck, regularized
from verification.cases import size
from verification.spaces.walks import PATH, RFS
from verification.statement import claim
from verification.theorems.fgm_proposition_3_2 import Roads, agreement, roads, supports

ROADS = (roads(RFS), roads(PATH))


@claim("Proposition 4.1, equal iterates", ROADS, printed="verified")
def check_roads(case, variant):
    """R-FS and PATH-R-FS in coefficients are subgradient descent in residuals."""
    return agreement(case, check_roads.statement, variant)


@claim("Proposition 4.1, subgradients", ROADS, printed="verified")
def check_subgradient(case, variant):
    """f_delta(r) >= f_delta(r_k) + <g_k, r - r_k>."""
    return supports(case, check_subgradient.statement, variant)


def _length(case, name, variant, bound):
    k = np.arange(case.n_steps)
    lengths = [np.linalg.norm(other.subgradient) for _, other in case.both()][:-1]
    return BoundCheck(name, variant, "upper", lengths, bound(k) + 0.0 * k, case.noise)


@claim("Proposition 4.1, length", ROADS, printed="verified", sharpened="verified")
def check_length(case, variant):
    """||g_k|| <= 2; sharpened: ||g_k|| <= 2 - (1 - eps/delta)^k."""
    if variant == "printed":
        return _length(case, check_length.statement, variant, lambda k: 2.0)
    if np.ndim(case.delta):
        return None
    return _length(
        case,
        check_length.statement,
        variant,
        lambda k: 1 + regularized.l1(eps=case.step, delta=case.delta, k=k) / case.delta,
    )


_A = {name: size(name) for name in ("60 x 20", "30 x 80", "correlated")}


def _ball(name, eps, delta, n_steps=300):
    method = cb.regularized_forward_stagewise(eps * _A[name], delta * _A[name])
    return lambda: Roads(name, method, eps * _A[name], n_steps, delta * _A[name])


def _growing(name, n_steps=300):
    deltas = np.geomspace(0.05, 2, n_steps) * _A[name]
    return lambda: Roads(
        name, cb.path_forward_stagewise(0.01 * _A[name], deltas), 0.01 * _A[name], n_steps, deltas
    )


CASES = {
    "60 x 20, delta = A": _ball("60 x 20", 0.01, 1.0),
    "30 x 80, delta = A / 4": _ball("30 x 80", 0.01, 0.25),
    "correlated, delta = A / 100": _ball("correlated", 0.004, 0.01),
    "60 x 20, path": _growing("60 x 20"),
}


def _other_radius(case):
    return agreement(
        Roads(case.data, case.method, case.step, case.n_steps, 1.1 * case.delta),
        "another radius",
        "printed",
    )


SABOTAGE = {
    check_roads: {"another radius": _other_radius},
    check_subgradient: {
        "the subgradient with the other sign": lambda case: supports(
            case, "other sign", "printed", -1.0
        )
    },
    check_length: {
        "as long as a column": lambda case: _length(case, "1", "printed", lambda k: 1.0)
    },
}
