r"""The dual norms (Proposition 3.1).

Problem: the four norms by which random-then-greedy selection measures a gradient.

Method: none.

Assumptions: non-increasing weights, the first positive.

Claim: tight: max {<b, a>: norm(a) <= 1} is the dual norm in closed form, (9) for the ordered norm.

Constants: none.

Measured: the maximum by a linear program over the unit ball (``coordboost.theory.distance`` on the
identity, where the kernel is 0), against the formula written from the definitions.

Reference: Lu, Mazumder, Proposition 3.1, (9).
"""

import functools

import numpy as np

from coordboost.theory.bounds import BoundCheck
from coordboost.theory.distances import distance
from verification.rgbm import LABELS, RULES, dual
from verification.spaces.draws import BASIS, DRAWS
from verification.statement import stated

K = len(LABELS)


def vectors(rule, seed=0):
    """Return a rule, the groups, and vectors (N, 6): random ones, and ones with many ties."""
    rng = np.random.default_rng(seed)
    return (
        rule,
        np.array(LABELS),
        np.concatenate([rng.standard_normal((6, K)), rng.integers(-2, 3, (6, K))]),
    )


def _sides(case, formula):
    rule, label, rows = case
    measured = [distance(np.eye(K), rule, b, np.zeros(K), groups=label) for b in rows]
    return BoundCheck(
        "Proposition 3.1",
        "printed",
        "tight",
        measured,
        [formula(rule, label, b) for b in rows],
        1e-6,
        "float",
    )


check_duals = stated(
    "Proposition 3.1",
    (DRAWS, BASIS),
    "The dual norm in closed form bounds inner products, and is attained.",
    printed="inner <= norm * dual and dual_of(subgradient) * norm == gradient @ subgradient",
)


@check_duals.otherwise
def _(case, variant):
    """The largest <b, a> over the unit ball is the dual norm of b."""
    return _sides(case, dual)


CASES = {name: functools.partial(vectors, rule) for name, rule in RULES.items()}


def _other_order(rule, label, b):
    """The dual norm with groups sorted by their largest entry instead of their sum."""
    groups = sorted(np.unique(label), key=lambda g: -np.abs(b[label == g]).max())
    sums = np.array([np.abs(b[label == g]).sum() for g in groups])
    return float((np.cumsum(sums) / np.cumsum(rule.weights(len(sums)))).max())


SABOTAGE = {
    check_duals: {
        "groups sorted by the wrong key": lambda case: (
            _sides(case, _other_order) if hasattr(case[0], "member") else None
        ),
        "only the first term of the maximum": lambda case: _sides(
            case, lambda rule, label, b: float(np.abs(b).max()) * K
        ),
    }
}
